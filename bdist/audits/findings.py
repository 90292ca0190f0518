"""What an audit finds: for every pair of neighbours what is proved, and a verdict for all of them.

A *proof* here is what a checked certificate claims about one pair, named by the SHA-256 of the certificate's
text, so that a finding stays small however long its proofs are. A finding holds that of the true delta and,
where they were asked for, those of bd and of ld in both orders, and what follows from them: a bracket on the
true delta at e^epsilon. The upper end is the least of all, each taken at a rational at or below e^epsilon;
the lower end is that of the true delta, at a rational at or above. A pair is private where the upper end is
at most delta, and is not where the lower end is above delta; in between the answer is unknown, and the reason
is told.

The *ledger* takes in what is proved entry by entry, each whole: each of its claims about a pair of the
relation becomes a proof, unless a narrower one is there already (a resumed audit may have two for the same
pair, one of them from a run with a shorter limit). What is not proved is not guessed: without any entry a
pair's true delta is between 0 and 1.

In words and as a JSON object the verdict comes first, then the worst pair, then all the others.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from bdist.audits.entries import Entry, Pair
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.distances.compute import Skew
from bdist.errors import ParameterError, by_caller
from bdist.exact.rationals import (
    counted,
    decimal_cut,
    decimal_down,
    decimal_up,
    exact_text,
    rational_text,
    short_text,
)
from bdist.printing import message_text, named
from bdist.report import Answered, OneLine, data_frame
from bdist.results import Answer, Bound, Bracket, Evidence, columns_of, pair_text
from bdist.text.files import make_folder, write_text
from bdist.traces.attack import Attack

_NOTHING = "nothing was computed"
_TOO_CLOSE = "delta is too close to the true delta"
SEVERITY = {Answer.VIOLATED: 0, Answer.UNKNOWN: 1, Answer.HOLDS: 2}


@dataclass(frozen=True, repr=False)
class Proof(Bracket):
    """lower <= quantity(pair) <= upper at the audit's epsilon, by the checked certificate of that SHA-256."""

    quantity: str
    pair: Pair
    certificate: str

    def _essence(self) -> str:
        return self.in_short(f"{self.quantity}({pair_text(self.pair)})")


@dataclass(frozen=True, repr=False)
class Finding(OneLine):
    """What is known about one pair of neighbours.

    ``delta`` is the bracket on the true delta at e^epsilon. ``ld`` are both orders, the pair's own first.
    ``limit`` says what cut the computation short, if anything did, and ``reason`` why an answer is UNKNOWN.
    """

    pair: Pair
    answer: Answer
    delta: Bracket
    bd: Proof | None
    ld: tuple[Proof | None, Proof | None]
    tv: Proof | None
    attack: Attack | None
    limit: str | None
    reason: str | None
    seconds: float

    def _essence(self) -> str:
        return f"{pair_text(self.pair, ' ~ ')}: {self.answer.value}, {self.delta.in_short('true delta')}"

    @property
    def proofs(self) -> tuple[Proof, ...]:
        """All proofs that there are: bd, ld, tv."""
        return tuple(proof for proof in (self.bd, *self.ld, self.tv) if proof is not None)


@dataclass(frozen=True, repr=False)
class Audit(Answered):
    """The findings for all pairs of a relation, the worst first, and the verdict.

    ``alpha`` is the rational at or below e^epsilon at which distances were computed, ``attack_alpha`` the one
    at or above at which attacks were evaluated; ``epsilon`` the text that they came from, if any.
    ``certificates`` gives the text of each certificate by its SHA-256. ``limit`` says what ended the whole
    audit early, if anything did. ``runs`` is how many independent runs an observer sees. ``note`` is what
    else must be known to read it (`bdist.audits.remainder`). ``chain`` is the chain that was audited.
    """

    model: str
    name: str
    epsilon: str | None
    alpha: Fraction
    attack_alpha: Fraction
    delta: Fraction
    answer: Answer
    findings: tuple[Finding, ...]
    certificates: Mapping[str, str]
    limit: str | None
    seconds: float
    runs: int = 1
    note: str | None = None
    chain: LabelledMarkovChain | None = field(default=None, compare=False)

    def _essence(self) -> str:
        epsilon = named(self.epsilon) if self.epsilon is not None else f"ln({short_text(self.alpha)})"
        runs = f" of {self.runs} runs" if self.runs > 1 else ""
        privacy = f"({epsilon}, {short_text(self.delta)})-differential privacy{runs}"
        return f"{privacy}: {self.answer.value}, {counted(len(self.findings), 'pair')}"

    def __str__(self) -> str:
        """What ``bdist audit`` prints: the verdict, the worst pair with its attack, and the first pairs."""
        return summary(self)

    def write_certificates(self, folder: str | Path) -> None:
        """Write the chain, as ``model.lmc``, and all certificates, named by their SHA-256, into a folder.

        Raises: ParameterError where it cannot be a folder, OutputError where a file cannot be written.
        """
        if self.chain is None:
            raise ParameterError("this audit has no chain, which its certificates are about")
        make_folder(folder)
        write_text(Path(folder) / "model.lmc", lmc.write(self.chain))
        for name, text in self.certificates.items():
            write_text(Path(folder) / f"{name}.json", text)

    def write_report(self, path: str | Path, certificates: str | Path | None = None) -> None:
        """Write the report that ``bdist audit --report`` writes: one HTML file; ``x.html`` has the
        chain beside it as ``x-model.lmc``.

        ``certificates`` is the folder that they were written to; the report then says how to check them.
        Raises: ParameterError where the path ends in .lmc, OutputError where a file cannot be written.
        """
        from bdist.audits.report.document import write_library_report

        write_library_report(Path(path), self, certificates)

    def to_pandas(self) -> Any:
        """A row a pair, the worst first, as a DataFrame: the bounds on delta exactly and as floats.

        The floats are rounded outwards. Raises: BackendError where pandas is not installed.
        """
        rows = [
            {"first": f.pair[0], "second": f.pair[1], "answer": f.answer.value, **columns_of(f.delta)}
            for f in self.findings
        ]
        return data_frame(rows)

    def _repr_html_(self) -> str:
        """The verdict and the first pairs as a table, for a notebook."""
        from bdist.chains.drawings.markup import element, joined, small_table

        lines, _, _ = summary(self, 0).partition("\n    pair")
        shown = self.findings[:MOST_LINES]
        rows = [(_pair(f), f.answer.value, _range(f.delta.lower.value, f.delta.upper.value)) for f in shown]
        table = small_table(("pair", "verdict", "true delta"), rows, len(self.findings) - len(shown))
        return element("div", element("pre", lines), joined(table))

    def document(self) -> dict[str, object]:
        """The whole audit as a JSON object; certificates by their SHA-256."""
        return {
            "answer": self.answer.value,
            "model": self.model,
            "epsilon": self.epsilon,
            "alpha": rational_text(self.alpha),
            "attack_alpha": rational_text(self.attack_alpha),
            "delta": rational_text(self.delta),
            "runs": self.runs,
            "holds_for_delta": rational_text(self.holds_for),
            "limit": self.limit,
            "note": self.note,
            "seconds": self.seconds,
            "pairs": [_finding_json(finding) for finding in self.findings],
        }

    @property
    def epsilon_text(self) -> str:
        """Epsilon as it was given, or as the logarithm of alpha."""
        return self.epsilon if self.epsilon is not None else f"ln({rational_text(self.alpha)})"

    @property
    def holds_for(self) -> Fraction:
        """The least delta for which privacy of all pairs is proved at this epsilon."""
        return max((finding.delta.upper.value for finding in self.findings), default=Fraction(0))

    def count(self, answer: Answer) -> int:
        """How many pairs have an answer."""
        return sum(finding.answer is answer for finding in self.findings)


class Archive(Mapping[str, str]):
    """The texts of certificates by their SHA-256, compressed: they are long, and much alike."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}

    def keep(self, text: str) -> str:
        """Store a text and return its SHA-256 in hexadecimal."""
        data = text.encode("utf-8")
        name = hashlib.sha256(data).hexdigest()
        if name not in self._packed:
            self._packed[name] = zlib.compress(data, 1)
        return name

    def __getitem__(self, name: str) -> str:
        return zlib.decompress(self._packed[name]).decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


@dataclass(frozen=True)
class _Known:
    """The best proof of one quantity at one ordered pair, and how it came about."""

    proof: Proof
    limit: str | None
    allowed: float | None


class Ledger:
    """Proofs by quantity and pair, for the pairs of one relation at one epsilon and delta."""

    def __init__(self, pairs: Iterable[Pair], skew: Skew, delta: Fraction, runs: int = 1) -> None:
        self.pairs = tuple(pairs)
        self.skew, self.delta, self.runs = skew, delta, runs
        self.archive = Archive()
        self._ordered = set(self.pairs)
        self._wanted = {frozenset(pair) for pair in self.pairs}
        self._known: dict[tuple[str, Pair], _Known] = {}
        self._attacks: dict[frozenset[str], Attack] = {}
        self._failures: dict[frozenset[str], str] = {}
        self._seconds: dict[frozenset[str], float] = {}
        self._answers: dict[Pair, Answer] = {}
        self._counts: Counter[Answer] = Counter()

    def add(self, entry: Entry) -> None:
        """Take in what a checked certificate proves. Requires: it is about the audit's model and alpha."""
        about = entry.pairs & self._wanted
        if not about:
            return
        name = self.archive.keep(entry.certificate)
        for claim in entry.claims:
            if frozenset(claim.pair) in about:
                # what is said of several runs is exact arithmetic on what is certified of one
                evidence = Evidence.CERTIFIED if self.runs == 1 else Evidence.EXACT
                ends = Bound(claim.lower, evidence), Bound(claim.upper, evidence)
                proof = Proof(*ends, entry.quantity, claim.pair, name)
                self._keep(proof, entry)
        for pair in about:
            self._seconds[pair] = self._seconds.get(pair, 0.0) + entry.seconds / len(entry.pairs)
        if entry.attack is not None:
            self._keep_attack(entry.attack)
        for s, t in about:
            self._judge(self._in_order((s, t)))

    def tally(self) -> tuple[int, int]:
        """How many pairs are proved private, and how many proved not to be."""
        return self._counts[Answer.HOLDS], self._counts[Answer.VIOLATED]

    def fail(self, pairs: Iterable[Pair], reason: str) -> None:
        """Note why nothing more is known about some pairs."""
        for pair in pairs:
            self._failures[frozenset(pair)] = reason

    def lacks(self, pair: Pair, quantities: tuple[str, ...], allowed: float | None) -> bool:
        """Whether work on the quantities of a pair would tell more, under a time limit a pair.

        It would where there is no proof yet, and where there is one that a shorter limit cut short and that
        leaves the question open.
        """
        known = [self._known.get(key) for q in quantities for key in _keys(q, pair)]
        if any(k is None for k in known):
            return True
        if self.answer(pair) is not Answer.UNKNOWN:
            return False
        return any(k is not None and k.limit is not None and _more(allowed, k.allowed) for k in known)

    def lacks_attack(self, pair: Pair) -> bool:
        """Whether one run of a pair is not private, and nobody has shown how to tell."""
        is_told = self.runs > 1 or frozenset(pair) in self._attacks
        return not is_told and self.answer(pair) is Answer.VIOLATED

    def knows(self, quantity: str, pair: Pair) -> bool:
        """Whether anything is proved of bd or tv of a pair."""
        return (quantity, self._in_order(pair)) in self._known

    def answer(self, pair: Pair) -> Answer:
        """The answer for one pair, as far as it is known."""
        bracket = self._bracket(pair)
        if bracket.upper.value <= self.delta:
            return Answer.HOLDS
        return Answer.VIOLATED if bracket.lower.value > self.delta else Answer.UNKNOWN

    def audit(self, model: str, chain: LabelledMarkovChain, limit: str | None, seconds: float) -> Audit:
        """The findings of all pairs, the worst first, and the verdict."""
        findings = tuple(sorted((self._finding(pair) for pair in self.pairs), key=by_badness))
        worst = findings[0].answer if findings else Answer.HOLDS
        asked = (self.skew.epsilon, self.skew.alpha, self.skew.attack_alpha, self.delta)
        about, runs = (model, chain.name, *asked), self.runs
        return Audit(*about, worst, findings, self.archive, limit, seconds, runs, chain=chain)

    def _judge(self, pair: Pair) -> None:
        self._counts[self._answers.get(pair, Answer.UNKNOWN)] -= 1
        self._answers[pair] = self.answer(pair)
        self._counts[self._answers[pair]] += 1

    def _keep(self, proof: Proof, entry: Entry) -> None:
        # bd and tv are about a pair without order, and are kept in the relation's
        key = (proof.quantity, proof.pair if proof.quantity == "ld" else self._in_order(proof.pair))
        known = self._known.get(key)
        if known is None or proof.width < known.proof.width:
            self._known[key] = _Known(proof, entry.limit, entry.allowed)

    def _keep_attack(self, attack: Attack) -> None:
        pair, alpha = frozenset(attack.pair), self.skew.attack_alpha
        known = self._attacks.get(pair)
        if known is None or attack.advantage(alpha) > known.advantage(alpha):
            self._attacks[pair] = attack

    def _in_order(self, pair: Pair) -> Pair:
        return pair if pair in self._ordered else (pair[1], pair[0])

    def _proofs(self, pair: Pair) -> list[Proof | None]:
        """Of bd, of ld in both orders, and of tv."""
        known = [self._known.get(key) for q in ("bd", "ld", "tv") for key in _keys(q, pair)]
        return [None if k is None else k.proof for k in known]

    def _bracket(self, pair: Pair) -> Bracket:
        """What is known of the true delta at e^epsilon; distances are about one run, and bound no more."""
        bd, *ld, tv = self._proofs(pair)
        lower, uppers = Bound(Fraction(0), Evidence.EXACT), [Bound(Fraction(1), Evidence.EXACT)]
        if self.runs == 1:
            if None not in ld:
                uppers.append(max((proof.upper for proof in ld if proof), key=lambda end: end.value))
            if bd is not None:
                uppers.append(bd.upper)
        if tv is not None:
            lower = tv.lower
            uppers.append(tv.upper)
        return Bracket(lower, min(reversed(uppers), key=lambda bound: bound.value))

    def _finding(self, pair: Pair) -> Finding:
        answer = self.answer(pair)
        known = [self._known.get(key) for q in ("bd", "ld", "tv") for key in _keys(q, pair)]
        limits = [self._failures.get(frozenset(pair)), *(k.limit for k in reversed(known) if k is not None)]
        limit = next((text for text in limits if text is not None), None)
        bd, first, second, tv = self._proofs(pair)
        return Finding(
            pair,
            answer,
            self._bracket(pair),
            bd,
            (first, second),
            tv,
            self._attacks.get(frozenset(pair)) if answer is Answer.VIOLATED else None,
            limit,
            (limit or (_NOTHING if tv is None else _TOO_CLOSE)) if answer is Answer.UNKNOWN else None,
            round(self._seconds.get(frozenset(pair), 0.0), 6),
        )


def _keys(quantity: str, pair: Pair) -> list[tuple[str, Pair]]:
    """Under which keys the proofs of a quantity at a pair are kept: ld has one for each order."""
    orders = [pair, (pair[1], pair[0])] if quantity == "ld" else [pair]
    return [(quantity, order) for order in orders]


def _more(allowed: float | None, before: float | None) -> bool:
    """Whether a time limit is larger than an earlier one; None is no limit."""
    return before is not None and (allowed is None or allowed > before)


def by_badness(finding: Finding) -> tuple[int, Fraction, Fraction]:
    """What findings are sorted by, the worst first."""
    lower, upper = finding.delta.lower.value, finding.delta.upper.value
    by = (-lower, -upper) if finding.answer is Answer.VIOLATED else (-upper, -lower)
    return SEVERITY[finding.answer], *by


MOST_LINES = 20
_LONGEST = 24  # of a fraction in a headline
_DIGITS = 7  # of a decimal in the table


def summary(audit: Audit, most: int = MOST_LINES) -> str:
    """What a person wants to know, in lines; of the pairs at most so many."""
    privacy = f"({audit.epsilon_text}, {rational_text(audit.delta)})-differential privacy"
    if audit.runs > 1:
        privacy += f" of {audit.runs} runs"
    of = f" of {named(audit.name)}" if audit.name else ""
    lines = [f"{privacy}{of}: {_verdict(audit)}"]
    worst = audit.findings[0]
    lines.append(f"  worst     {_pair(worst)}: {_bracket_text(worst.delta)}")
    if worst.reason is not None:
        lines.append(f"  reason    {message_text(worst.reason)}")
    elif audit.count(Answer.UNKNOWN):
        lines.append(_unknown(audit))
    lines.append(_holds_for(audit))
    if worst.attack is not None and worst.delta.lower.value > 0:
        lines += worst.attack.report_lines()
    if audit.note is not None:
        lines.append(f"  note      {message_text(audit.note)}")
    lines += _table(audit.findings[:most])
    if len(audit.findings) > most:
        rest = by_caller("all of them with --json or --report", "all of them in .findings")
        lines.append(f"    and {len(audit.findings) - most} more ({rest})")
    lines.append(f"  work      {counted(len(audit.certificates), 'certificate')}, {audit.seconds:.2g} s")
    return "\n".join(lines)


def _verdict(audit: Audit) -> str:
    total = len(audit.findings)
    if audit.answer is Answer.HOLDS:
        if not total:
            return "HOLDS"
        strength = "certified" if audit.runs == 1 else "proved, from the certified profiles of one run"
        pairs = f"all {total} pairs" if total > 1 else "one pair"
        return f"HOLDS for {pairs} of neighbours        {strength}"
    share = f"{audit.count(audit.answer)} of {total} pairs" if total > 1 else "one pair"
    return f"{'VIOLATED by' if audit.answer is Answer.VIOLATED else 'UNKNOWN for'} {share} of neighbours"


def _unknown(audit: Audit) -> str:
    """How many pairs are open beside one that is violated, and why."""
    reasons = list(dict.fromkeys(f.reason for f in audit.findings if f.reason is not None))
    more = ", and for other reasons" if len(reasons) > 1 else ""
    share = f"{audit.count(Answer.UNKNOWN)} of {len(audit.findings)} pairs"
    return f"  unknown   {share}: {message_text(reasons[0])}{more}"


def _holds_for(audit: Audit) -> str:
    """For which delta privacy is proved. That it is the least is said of the exact number, never of a
    decimal that was rounded up.
    """
    delta = audit.holds_for
    certain = next((finding for finding in audit.findings if finding.delta.lower.value == 1), None)
    if certain is not None:
        return f"  holds     for no delta below 1: {_pair(certain)} are told apart with certainty"
    if delta >= 1:
        return "  holds     for no delta below 1, as far as is proved"
    text = rational_text(delta)
    is_least = delta > 0 and any(f.delta.exact and f.delta.upper.value == delta for f in audit.findings)
    holds = "  holds     at this epsilon for delta = "
    if len(text) <= _LONGEST:
        return f"{holds}{text}{' and for no smaller one' if is_least else ''}"
    least = f", rounded up from the least, {exact_text(delta)}" if is_least else ", rounded up"
    return f"{holds}{decimal_up(delta)}{least}"


def _table(findings: tuple[Finding, ...]) -> list[str]:
    rows = [["pair", "verdict", "true delta"]]
    rows += [[_pair(f), f.answer.value, _range(f.delta.lower.value, f.delta.upper.value)] for f in findings]
    if any(f.bd is not None for f in findings):
        cells = [(_proof_cell(f.bd), ", ".join(map(_proof_cell, f.ld))) for f in findings]
        rows = [[*row, *more] for row, more in zip(rows, [("bd", "ld"), *cells], strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _pair(finding: Finding) -> str:
    return f"{named(finding.pair[0])} ~ {named(finding.pair[1])}"


def _bracket_text(bracket: Bracket) -> str:
    if bracket.exact:
        certified = bracket.lower.evidence is bracket.upper.evidence is Evidence.CERTIFIED
        strength = "exact, certified" if certified else "exact"
        return f"true delta = {exact_text(bracket.upper.value)}        {strength}"
    low, high = decimal_down(bracket.lower.value), decimal_up(bracket.upper.value)
    return f"{low} <= true delta <= {high}"


def _proof_cell(proof: Proof | None) -> str:
    return "-" if proof is None else _range(proof.lower.value, proof.upper.value)


def _range(lower: Fraction, upper: Fraction) -> str:
    """A value or a bracket for a table: rounded outwards, and cut values marked."""
    if lower == upper:
        return decimal_cut(lower, _DIGITS)
    return f"[{decimal_down(lower, _DIGITS)}, {decimal_up(upper, _DIGITS)}]"


def _finding_json(finding: Finding) -> dict[str, object]:
    bracket = finding.delta
    return {
        "pair": list(finding.pair),
        "answer": finding.answer.value,
        "true_delta": {
            "lower": rational_text(bracket.lower.value),
            "upper": rational_text(bracket.upper.value),
            "exact": bracket.exact,
            "evidence": {"lower": bracket.lower.evidence.value, "upper": bracket.upper.evidence.value},
        },
        "bd": _proof_json(finding.bd),
        "ld": [_proof_json(proof) for proof in finding.ld],
        "tv": _proof_json(finding.tv),
        "attack": None if finding.attack is None else finding.attack.document(),
        "limit": finding.limit,
        "reason": finding.reason,
        "seconds": finding.seconds,
    }


def _proof_json(proof: Proof | None) -> dict[str, object] | None:
    if proof is None:
        return None
    ends = {"lower": rational_text(proof.lower.value), "upper": rational_text(proof.upper.value)}
    return {"pair": list(proof.pair), **ends, "certificate": proof.certificate}
