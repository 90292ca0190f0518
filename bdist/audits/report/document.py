"""The report as one HTML document: the verdict, the pairs, and how to check it all.

Without scripts, and on paper, nothing but the sorting of the pairs is lost.

The verdict is one word, what it means, and what is proved instead where it is not the one hoped for.

The table of pairs is sortable by every column. What a column is sorted by is computed here and not in the
browser: every cell carries its rank among the values of its column, compared as the rationals and names that
they are. Two bounds that agree in the first sixteen digits are still in their order, and the script has
nothing to do but to compare small integers.

Its last part says how to check the report without trusting those who made it: commands, hashes, and what is
left to trust.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bdist.audits.entries import Pair
from bdist.audits.findings import SEVERITY, Audit, Finding, Proof
from bdist.audits.report import wording
from bdist.audits.report.attack import PREFIXES_TRACED, attack_section, traced_prefixes
from bdist.audits.report.figures import chain_section, profile_section
from bdist.audits.report.wording import Facts
from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.drawings.markup import Content, Markup, element, isolated, joined, page, resource
from bdist.chains.drawings.pictures import style_sheet
from bdist.chains.formats import save
from bdist.errors import ParameterError, by_caller
from bdist.exact.rationals import rational_text
from bdist.printing import shortened
from bdist.results import Answer, Evidence
from bdist.text.files import write_text
from bdist.traces.compute import ProfileSettings, compute_profile
from bdist.traces.page import style_sheet as figure_style_sheet
from bdist.traces.profile import Profile

PROFILE_SECONDS = 10.0  # are spent on the profile of the worst pair
_COMPLETE = "This file is complete: it loads nothing from elsewhere."


def write_report(
    path: str | Path,
    audit: Audit,
    chain: LabelledMarkovChain,
    *,
    model_file: str,
    relation_text: str,
    command: str,
    profile: Profile | None = None,
    certificates: str | None = None,
) -> None:
    """Write the report of an audit into a file; `Facts` says what the arguments are.

    Raises: as `report_html` and `bdist.text.files.write_text`.
    """
    made = datetime.now(UTC)
    facts = Facts(audit, chain, model_file, relation_text, command, profile, certificates, made)
    write_text(path, report_html(facts))


def write_library_report(path: Path, audit: Audit, certificates: str | Path | None = None) -> None:
    """Write the report of an audit that a program has made, and the chain beside it. Raises: as `Audit`."""
    chain = audit.chain
    if chain is None:
        raise ParameterError("this audit has no chain, which its report is about")
    model = model_beside(path)
    save(chain, model)
    write_report(
        path,
        audit,
        chain,
        model_file=str(model),
        relation_text="as the program says",
        command="bdist.audit, from Python",
        profile=profile_of_worst(audit, chain, Budget(PROFILE_SECONDS)),
        certificates=None if certificates is None else str(certificates),
    )


def model_beside(path: Path) -> Path:
    """Where the chain of a report is written. Raises: ParameterError where the report is called a model.

    It is not the report's name with another suffix: beside ``vote.html`` there may well be a ``vote.lmc``
    that somebody has written, with comments, or that is another version of the mechanism.
    """
    if path.suffix == ".lmc":
        raise ParameterError(f"the report {path} is a page, and not a model; let it end in .html")
    return path.with_name(f"{path.stem}-model.lmc")


def profile_of_worst(audit: Audit, chain: LabelledMarkovChain, budget: Budget) -> Profile | None:
    """The privacy profile of the worst pair, as far as it is proved within the budget."""
    if not audit.findings:
        return None
    profile = compute_profile(chain, audit.findings[0].pair, ProfileSettings(budget=budget))
    return profile if audit.runs == 1 else profile.self_compose(audit.runs)


def report_html(facts: Facts) -> str:
    """The report of an audit, as the text of an HTML file.

    Raises: ParameterError where the audit is of another chain; InternalError where an attack does not have
    the probabilities that it claims.
    """
    if fingerprint(facts.chain) != facts.audit.model:
        raise ParameterError(f"the audit is of the model {facts.audit.model[:12]}..., the chain is another")
    verdict = facts.audit.answer.value.upper()
    title = f"Privacy audit of {isolated(shortened(facts.title, 60))}: {verdict}"
    style = figure_style_sheet() + style_sheet() + resource("bdist.audits.report", "report.css")
    return page(title, style, resource("bdist.audits.report", "report.js"), _body(facts))


def _body(facts: Facts) -> Markup:
    prefixes = traced_prefixes(facts)
    sections = {
        ("verdict", "Verdict"): verdict_section(facts),
        ("parameters", "Parameters"): parameters_section(facts),
        ("pairs", "Pairs"): pairs_section(facts),
        ("profile", "Privacy profile"): profile_section(facts),
        ("attack", "Attack"): attack_section(facts, prefixes),
        ("chain", "Chain"): chain_section(facts, [x.prefix for x in prefixes[:PREFIXES_TRACED]]),
        ("recheck", "How to check this"): recheck_section(facts),
    }
    there = {head: section for head, section in sections.items() if section is not None}
    links = [element("li", element("a", text, href=f"#{anchor}")) for anchor, text in there]
    return joined(
        "\n",
        element(
            "header",
            element("p", "Privacy audit", class_="kicker"),
            element("h1", wording.name(facts.title, 80)),
            element("nav", element("ul", links), aria_label="Contents"),
        ),
        "\n",
        element("main", [joined(section, "\n") for section in there.values()]),
        element("footer", element("p", f"Made by bdist {version('bdist')}. {_COMPLETE}")),
        "\n",
    )


_HOLDS = (
    "Whatever an observer of the labels looks for, it is at most e^ε times as likely from one state of a "
    "pair as from the other, plus δ: for every event E and in both orders, P(E from one) ≤ e^ε · P(E from "
    "the other) + δ."
)
_VIOLATED = (
    "There is an event E, something that an observer can see in the labels, that is more likely from one "
    "state of a pair than privacy allows: P(E from one) > e^ε · P(E from the other) + δ."
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
    proved = f"With this ε privacy is proved between all pairs {even}for δ = "
    if any(finding.delta.exact and finding.delta.upper.value == largest for finding in facts.audit.findings):
        return joined(proved, wording.exact(largest), ", and it holds for no smaller one.")
    return joined(
        proved,
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
        ("Independent runs that an observer sees", str(audit.runs)),
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
            told = {"data_k": rank, "data_label": column.heading, "class_": column.kind or None}
            cells.append(element(tag, shown, scope=scope, **told))
        rows.append(element("tr", cells))
    caption = f"{wording.plural(len(findings), 'pair')}, the worst first"
    return wording.table_of(caption, heads, rows, id="pairs-table", class_="pairs")


def _columns(findings: Sequence[Finding]) -> list[_Column]:
    place = {id(finding): number for number, finding in enumerate(findings, 1)}
    columns = [
        _Column("#", lambda f: f"{place[id(f)]}", lambda f: place[id(f)], "number"),
        _Column("Pair", lambda f: wording.pair(f.pair, " ↔ "), lambda f: f.pair, "pair"),
        _Column("Verdict", _verdict_cell, lambda f: SEVERITY[f.answer], "outcome"),
        _Column("true δ at least", lambda f: _end(f, "≥ "), lambda f: f.delta.lower.value, "number"),
        _Column("true δ at most", lambda f: _end(f, "≤ "), lambda f: f.delta.upper.value, "number"),
    ]
    if any(finding.bd or any(finding.ld) for finding in findings):
        columns += [
            _Column("bd", lambda f: _proof_cell(f.bd), lambda f: _proof_key(f.bd), "number"),
            _Column("ld, in order", lambda f: _proof_cell(f.ld[0]), lambda f: _proof_key(f.ld[0]), "number"),
            _Column("ld, reversed", lambda f: _proof_cell(f.ld[1]), lambda f: _proof_key(f.ld[1]), "number"),
        ]
    columns += [
        _Column("Seconds", lambda f: f"{f.seconds:.2f}", lambda f: f.seconds, "number"),
        _Column("Certificates", _certificates, lambda f: len(f.proofs), "certificates"),
    ]
    return columns


def _end(finding: Finding, sign: str) -> Markup:
    lower, upper = finding.delta.lower.value, finding.delta.upper.value
    if finding.delta.exact:
        return wording.between(lower, upper)
    return joined(sign, wording.at_least(lower) if sign == "≥ " else wording.at_most(upper))


def _proof_cell(proof: Proof | None) -> Content:
    return "–" if proof is None else wording.between(proof.lower.value, proof.upper.value)


def _proof_key(proof: Proof | None) -> tuple[Fraction, Fraction]:
    return (_NOTHING, _NOTHING) if proof is None else (proof.upper.value, proof.lower.value)


def _verdict_cell(finding: Finding) -> Content:
    """The verdict, and below it why it is no other, or why the numbers are not closer."""
    notes = [note for note in (finding.reason, finding.limit) if note]
    told = [element("div", note, class_="because") for note in dict.fromkeys(notes)]
    return [wording.verdict(finding.answer), *told]


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


_LISTED_OPENLY = 12
_WHERE = "python -c 'import bdist.checker; print(bdist.checker.__path__[0])'"


def recheck_section(facts: Facts) -> Markup:
    """Commands, what is proved, what is trusted, and the certificates."""
    return wording.section(
        "recheck",
        "How to check this",
        _commands(facts),
        element("h3", "What is proved, and what must be trusted"),
        _trust(facts),
        element("h3", "Certificates"),
        _hashes(facts),
    )


def _commands(facts: Facts) -> list[Markup]:
    folder = "DIR" if facts.certificates is None else facts.certificates
    where = ["are in ", wording.name(folder, 120)]
    if facts.certificates is None:
        how = by_caller("bdist audit … --certificates DIR", 'audit.write_certificates("DIR")')
        where = ["were not saved; ", element("code", how), " saves them"]
    steps = [
        element("li", what, element("pre", element("code", element("bdi", command))))
        for what, command in _steps(facts, folder)
    ]
    names = ", each in a file named by the SHA-256 of its text."
    return [
        element("p", "The certificates of this run ", where, names),
        element("ol", steps, class_="commands"),
    ]


def _steps(facts: Facts, folder: str) -> list[tuple[str, str]]:
    """What to do and the command that does it, for a shell."""
    place = folder.rstrip("/") + "/"
    model = shlex.quote(_model(facts, place))
    known = [proof.certificate for finding in facts.audit.findings[:1] for proof in finding.proofs]
    file = shlex.quote(place + (f"{known[-1]}.json" if known else "SHA256.json"))
    all_files = f"{shlex.quote(place)}*.json"
    steps = [
        ("Check one certificate:", f"bdist check {model} {file}"),
        (
            "The same without bdist, with nothing but Python’s standard library, by a copy of the folder of "
            "the checker; the second line says where that folder is:",
            f"python -I -S path/to/checker {model} {all_files}\n{_WHERE}",
        ),
        ("See that a file is what it is called; the two hashes must be equal:", f"sha256sum {file}"),
        (
            "Check all certificates:",
            f"bdist check {model} {all_files}",
        ),
    ]
    if not _is_lmc(facts.model_file):
        same = (
            "The file model.lmc in that folder is the model as it was read, in the format of the checker. "
            "Both must have the model hash above as their fingerprint (read the second with the options of "
            "the command above):",
            f"bdist show {model}\nbdist show {shlex.quote(facts.model_file)}",
        )
        steps.insert(0, same)
    attack = _attack_command(facts, _model(facts, place))
    if attack is not None:
        steps.append(("Find the attack again, with its exact probabilities, and see it happen:", attack))
    return steps


def _is_lmc(model_file: str) -> bool:
    return model_file.lower().endswith(".lmc")


def _model(facts: Facts, place: str) -> str:
    """The model as the checker reads it: the file itself, or the copy that is saved with the certificates."""
    return facts.model_file if _is_lmc(facts.model_file) else f"{place}model.lmc"


def _attack_command(facts: Facts, model: str) -> str | None:
    finding = facts.attacked
    if finding is None or finding.attack is None:
        return None
    epsilon, alpha = facts.audit.epsilon, rational_text(facts.audit.alpha)
    skew = ["--alpha", alpha] if epsilon is None else ["--epsilon", epsilon]
    pair = finding.attack.pair
    stop = ["--"] if any(state.startswith("-") for state in pair) else []
    return shlex.join(["bdist", "attack", *skew, model, *stop, *pair])


def _trust(facts: Facts) -> Markup:
    certified = all(finding.delta.lower.evidence is Evidence.CERTIFIED for finding in facts.audit.findings)
    lower = (
        "So is every lower end."
        if certified
        else "A lower end above 0 that is computed for α just above e^ε is not part of a certificate: it "
        "follows from the exact probabilities of an event, which were computed in rationals."
    )
    proved = [
        "Every upper end below 1 in the table of pairs, and with it every verdict HOLDS, is proved by a "
        f"certificate that the independent checker has accepted, from the text of the model. {lower}"
        if facts.audit.runs == 1
        else f"Verdicts are about {facts.audit.runs} independent runs. Certified, and accepted by the "
        "independent checker, is the profile of one run; both ends for several runs follow from it by exact "
        "arithmetic, which is not part of a certificate.",
        "Every verdict VIOLATED rests on a lower end above δ: of an event with exact probabilities, or of a "
        "certificate where no test was found that gains as much.",
        "A certificate is a list of rational inequalities. How it was found, with floating point or without, "
        "plays no part in checking it.",
    ]
    trusted = [
        "that the model describes the system: what is proved is about the chain, not about the program that "
        "it was made from;",
        "that an observer sees the labels, in their order, and nothing else, such as names of states or the "
        "time;",
        "that the pairs of neighbours are those that matter;",
        "the checker, some small files of Python that compare and add fractions and solve nothing, and "
        "Python itself.",
    ]
    return joined(
        element("ul", [element("li", wording.prose(text)) for text in proved]),
        element("p", "What must be trusted:"),
        element("ul", [element("li", text) for text in trusted]),
    )


def _hashes(facts: Facts) -> Markup:
    proved: dict[str, set[tuple[str, Pair]]] = {}  # by a certificate: quantities and pairs
    for finding in facts.audit.findings:
        for proof in finding.proofs:
            proved.setdefault(proof.certificate, set()).add((proof.quantity, finding.pair))
    if not proved:
        return element("p", "There are none.")
    columns = [("SHA-256, the name of the file", "long"), ("Proves", None), wording.number_column("Size")]
    rows = [
        [
            element("code", sha256, class_="hash", id=f"certificate-{wording.short_hash(sha256)}"),
            _proves(what),
            _size(facts, sha256),
        ]
        for sha256, what in proved.items()
    ]
    table = wording.table(wording.plural(len(proved), "certificate"), columns, rows)
    scrolled = wording.scroller(table, "Table of certificates")
    if len(proved) <= _LISTED_OPENLY:
        return scrolled
    return element("details", element("summary", f"All {len(proved):,} certificates"), scrolled)


def _proves(what: set[tuple[str, Pair]]) -> Markup:
    pairs = {pair for _, pair in what}
    several = wording.plural(len(pairs), "pair")
    of = wording.pair(next(iter(pairs))) if len(pairs) == 1 else several
    return joined(", ".join(sorted({quantity for quantity, _ in what})), " of ", of)


def _size(facts: Facts, sha256: str) -> str:
    text = facts.audit.certificates.get(sha256)
    return "–" if text is None else f"{len(text.encode('utf-8')):,} bytes"
