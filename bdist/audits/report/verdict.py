"""The verdict, what was asked, and the pairs that it is about.

The verdict is one word, what it means, and what is proved instead where it is not the one hoped for.

The table of pairs is sortable by every column. What a column is sorted by is computed here and not in the
browser: every cell carries its rank among the values of its column, compared as the rationals and names that
they are. Two bounds that agree in the first sixteen digits are still in their order, and the script has
nothing to do but to compare small integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Any

from bdist.audits.findings import SEVERITY, Finding, Proof
from bdist.audits.report import wording
from bdist.audits.report.wording import Facts
from bdist.chains.drawings.markup import Content, Markup, element, joined
from bdist.results import Answer

_HOLDS = (
    "Whatever an observer of the labels looks for, it is at most e^ε times as likely from one state of a "
    "pair as from the other, plus δ: for every event E and in both orders, P(E from one) ≤ e^ε · P(E from "
    "the other) + δ."
)
_VIOLATED = (
    "There is something to look for in the labels, an event E, that is more likely from one state of a pair "
    "than privacy allows: P(E from one) > e^ε · P(E from the other) + δ."
)
_UNKNOWN = (
    "No event was found that breaks the bound, and no proof that there is none: δ lies between what is "
    "proved about the true δ from below and from above. More time may decide it."
)
_MEANINGS = {Answer.HOLDS: _HOLDS, Answer.VIOLATED: _VIOLATED, Answer.UNKNOWN: _UNKNOWN}
_NOTHING = Fraction(-1)  # sorts what is not known before all that is


def verdict_section(facts: Facts) -> Markup:
    """The banner with the verdict and its explanation."""
    answer = facts.audit.answer
    sign = element("span", wording.SYMBOLS[answer], class_="sign", aria_hidden="true")
    limit = facts.audit.limit
    early = [element("strong", "The audit ended early: "), f"{limit}."]
    return wording.section(
        "verdict",
        [sign, " Verdict: ", element("strong", answer.value.upper())],
        element("p", _claim(facts), class_="claim"),
        element("p", wording.prose(_MEANINGS[answer]), _where_shown(facts)),
        element("p", _proved(facts)),
        _worst(facts),
        None if limit is None else element("p", early, class_="limit"),
        None if facts.audit.note is None else element("p", wording.prose(f"Note: {facts.audit.note}.")),
        class_=f"verdict {answer.value}",
    )


def _where_shown(facts: Facts) -> str | None:
    """Where the event of a violation is to be found: below, if the test that was found gains enough."""
    worst = facts.worst
    if worst is None or worst.answer is not Answer.VIOLATED:
        return None
    if worst.attack is not None and worst.attack.advantage(facts.audit.attack_alpha) > facts.audit.delta:
        return " The event is shown below, with its exact probabilities."
    return " That there is one is proved by a certificate; no test was found that shows it."


def _claim(facts: Facts) -> Markup:
    audit, total = facts.audit, len(facts.audit.findings)
    delta = wording.exact(audit.delta)
    privacy = joined(
        "(ε, δ)-differential privacy with ε = ", wording.name(facts.audit.epsilon_text), " and δ = ", delta
    )
    share = "all" if audit.answer is Answer.HOLDS else f"{audit.count(audit.answer):,} of"
    part = "the one pair" if total == 1 else f"{share} {wording.plural(total, 'pair')}"
    said = {
        Answer.HOLDS: f" holds between the two states of {part} of neighbours.",
        Answer.VIOLATED: f" is violated by {part} of neighbours.",
        Answer.UNKNOWN: f" is not decided for {part} of neighbours, and violated by none.",
    }
    return joined(privacy, said[audit.answer])


def _proved(facts: Facts) -> Markup:
    """For what delta privacy is proved between all pairs."""
    largest = facts.audit.holds_for
    certain = next((finding for finding in facts.audit.findings if finding.delta.lower.value == 1), None)
    if certain is not None:
        pair = wording.pair(certain.pair)
        return joined("With this ε privacy holds for no δ below 1: ", pair, " are told apart with certainty.")
    if largest >= 1:
        return joined("With this ε no δ below 1 is proved for all pairs.")
    if largest == 0:
        return joined("With this ε privacy is proved between all pairs even for δ = 0.")
    even = "even " if facts.audit.answer is Answer.HOLDS else ""
    return joined(
        f"With this ε privacy is proved between all pairs {even}for δ = ",
        wording.at_most(largest),
        ", the largest upper end in the table of pairs",
        None if wording.is_whole(largest) else ", rounded up",
        ".",
    )


def _worst(facts: Facts) -> Markup | None:
    worst = facts.worst
    if worst is None:
        return None
    lower, upper = worst.delta.lower.value, worst.delta.upper.value
    ends: list[Content] = ["between ", wording.at_least(lower), " and ", wording.at_most(upper)]
    if worst.delta.exact:
        ends = ["of ", wording.exact(upper), " exactly"]
    return element(
        "p", "The worst pair is ", wording.pair(worst.pair), ", with a true δ ", ends, _gain(worst)
    )


def _gain(finding: Finding) -> Markup:
    attack = finding.attack
    if attack is None or finding.answer is not Answer.VIOLATED:
        return joined(".")
    one, other = (wording.name(state) for state in attack.pair)
    first, second = wording.exact(attack.first), wording.exact(attack.second)
    return joined("; the event has probability ", first, " from ", one, " and ", second, " from ", other, ".")


def parameters_section(facts: Facts) -> Markup:
    """A table of everything that went into the audit."""
    audit, chain = facts.audit, facts.chain
    sizes = [
        wording.plural(len(chain), "state"),
        wording.plural(sum(map(len, chain.rows)), "transition"),
        wording.plural(len(chain.states_by_label), "label"),
    ]
    moment = element("time", facts.made.strftime("%Y-%m-%d %H:%M:%S UTC"), datetime=facts.made.isoformat())
    model = element("code", audit.model, class_="hash")
    rows: list[tuple[Content, Content]] = [
        ("Model file", wording.name(facts.model_file, 120)),
        ("Name of the chain", wording.name(audit.name, 120) if audit.name else "none"),
        ("Size", ", ".join(sizes)),
        ("Model hash", [model, " (SHA-256 of its canonical form)"]),
        ("ε", wording.name(audit.epsilon_text)),
        (wording.prose("α = e^ε"), _alphas(facts)),
        ("δ", wording.exact(audit.delta, 12)),
        ("independent runs that an observer sees", str(audit.runs)),
        ("Neighbours", wording.name(facts.relation, 200)),
        ("Pairs", f"{len(audit.findings):,}"),
        ("Time taken", f"{audit.seconds:,.1f} s"),
        ("Made", [moment, f" by bdist {version('bdist')}"]),
        ("Command", element("code", wording.name(facts.command, 1000), class_="command")),
    ]
    asked = element("caption", "What was asked", class_="quiet")
    return wording.section("parameters", "Parameters", wording.facts_table(asked, rows))


def _alphas(facts: Facts) -> Markup:
    audit = facts.audit
    if facts.alpha_is_exact:
        return joined(wording.fraction(audit.alpha), " exactly")
    return joined(
        element("div", "distances at ", wording.fraction(audit.alpha), wording.prose(", just below e^ε")),
        element("div", "attacks at ", wording.fraction(audit.attack_alpha), ", just above"),
    )


@dataclass(frozen=True)
class _Column:
    """A heading, what a cell shows, what it is sorted by, and its class."""

    heading: Content
    cell: Callable[[Finding], Content]
    key: Callable[[Finding], Any]
    kind: str = ""


def pairs_section(facts: Facts) -> Markup:
    """The heading, the filter and the table."""
    findings = facts.audit.findings
    field = element("input", type="search", id="filter", autocomplete="off")
    shown = element("output", id="shown", for_="filter", aria_live="polite")
    return wording.section(
        "pairs",
        "Pairs of neighbours",
        element(
            "p",
            "One row a pair. The true δ of a pair is the least δ for which privacy holds between its two "
            "states at this ε; bd and ld are distances that bound it from above. “=” marks exact values, all "
            "others are rounded away from what they bound. Exact fractions are in the tooltips.",
        ),
        element(
            "p",
            element("label", "Show pairs that contain ", field),
            " ",
            shown,
            " ",
            element("button", "Show all", type="button", id="more", hidden=True),
            class_="scripted-only filter",
        ),
        wording.scroller(_table(findings), "Table of pairs"),
    )


def _table(findings: Sequence[Finding]) -> Markup:
    columns = _columns(findings)
    ranks = [_ranks([column.key(finding) for finding in findings]) for column in columns]
    heads = [
        element(
            "th",
            element("button", column.heading, type="button"),
            scope="col",
            aria_sort="ascending" if number == 0 else None,
            class_=column.kind or None,
        )
        for number, column in enumerate(columns)
    ]
    rows = []
    for finding, places in zip(findings, zip(*ranks, strict=True), strict=True):
        cells = []
        for number, (column, rank) in enumerate(zip(columns, places, strict=True)):
            tag, scope = ("th", "row") if number == 1 else ("td", None)
            shown = column.cell(finding)
            cells.append(element(tag, shown, scope=scope, data_k=rank, class_=column.kind or None))
        rows.append(element("tr", cells))
    caption = f"{wording.plural(len(findings), 'pair')}, the worst first"
    return wording.table_of(caption, heads, rows, id="pairs-table", class_="pairs")


def _columns(findings: Sequence[Finding]) -> list[_Column]:
    place = {id(finding): number for number, finding in enumerate(findings, 1)}
    columns = [
        _Column("#", lambda f: f"{place[id(f)]}", lambda f: place[id(f)], "number"),
        _Column("Pair", lambda f: wording.pair(f.pair, " ↔ "), lambda f: f.pair, "pair"),
        _Column("Verdict", lambda f: wording.verdict(f.answer), lambda f: SEVERITY[f.answer]),
        _Column("true δ at least", lambda f: _end(f, "≥ "), lambda f: f.delta.lower.value, "number"),
        _Column("true δ at most", lambda f: _end(f, "≤ "), lambda f: f.delta.upper.value, "number"),
        _Column("bd", lambda f: _proof_cell(f.bd), lambda f: _proof_key(f.bd), "number"),
        _Column("ld, in order", lambda f: _proof_cell(f.ld[0]), lambda f: _proof_key(f.ld[0]), "number"),
        _Column("ld, reversed", lambda f: _proof_cell(f.ld[1]), lambda f: _proof_key(f.ld[1]), "number"),
        _Column("Seconds", lambda f: f"{f.seconds:.2f}", lambda f: f.seconds, "number"),
        _Column("Certificates", _certificates, lambda f: len(f.proofs), "certificates"),
    ]
    if any(finding.limit or finding.reason for finding in findings):
        columns.append(_Column("Notes", _notes, lambda f: (f.reason or "", f.limit or ""), "notes"))
    return columns


def _end(finding: Finding, sign: str) -> Markup:
    lower, upper = finding.delta.lower.value, finding.delta.upper.value
    if finding.delta.exact:
        return wording.between(lower, upper)
    return joined(sign, wording.at_least(lower) if sign == "≥ " else wording.at_most(upper))


def _proof_cell(proof: Proof | None) -> Content:
    return "–" if proof is None else wording.between(proof.lower, proof.upper)


def _proof_key(proof: Proof | None) -> tuple[Fraction, Fraction]:
    return (_NOTHING, _NOTHING) if proof is None else (proof.upper, proof.lower)


def _notes(finding: Finding) -> Content:
    notes = [note for note in (finding.reason, finding.limit) if note]
    return [element("div", note) for note in dict.fromkeys(notes)]


def _certificates(finding: Finding) -> Content:
    # both orders of ld are often proved by one certificate
    made = []
    for quantity, sha256 in dict.fromkeys((proof.quantity, proof.certificate) for proof in finding.proofs):
        short = wording.short_hash(sha256)
        link = element("a", element("code", short), href=f"#certificate-{short}", title=sha256)
        made.append(element("div", f"{quantity} ", link))
    return made


def _ranks(keys: Sequence[Any]) -> list[int]:
    """For every key its place among the distinct keys."""
    order = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return [order[key] for key in keys]
