"""The table of pairs, sortable by every column.

What a column is sorted by is computed here and not in the browser: every cell carries its rank among the
values of its column, compared as the rationals and names that they are. Two bounds that agree in the first
sixteen digits are still in their order, and the script has nothing to do but to compare small integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bdist.audits.findings import Finding, Proof
from bdist.audits.report import wording
from bdist.audits.report.facts import Facts
from bdist.chains.drawings.markup import Content, Markup, element, joined
from bdist.results import Answer

_SEVERITY = {Answer.VIOLATED: 0, Answer.UNKNOWN: 1, Answer.HOLDS: 2}
_NOTHING = Fraction(-1)  # sorts what is not known before all that is


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
    return element(
        "section",
        element("h2", "Pairs of neighbours", id="pairs"),
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
        aria_labelledby="pairs",
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
    for place, finding in enumerate(findings):
        cells = []
        for number, column in enumerate(columns):
            tag, scope = ("th", "row") if number == 1 else ("td", None)
            cells.append(
                element(
                    tag,
                    column.cell(finding),
                    scope=scope,
                    data_k=ranks[number][place],
                    class_=column.kind or None,
                )
            )
        rows.append(element("tr", cells))
    caption = f"{wording.plural(len(findings), 'pair')}, the worst first"
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", heads)),
        element("tbody", rows),
        id="pairs-table",
        class_="pairs",
    )


def _columns(findings: Sequence[Finding]) -> list[_Column]:
    place = {id(finding): number for number, finding in enumerate(findings, 1)}
    columns = [
        _Column("#", lambda f: f"{place[id(f)]}", lambda f: place[id(f)], "number"),
        _Column("Pair", lambda f: wording.pair(f.pair, " ↔ "), lambda f: f.pair, "pair"),
        _Column("Verdict", lambda f: wording.verdict(f.answer), lambda f: _SEVERITY[f.answer]),
        _Column("true δ at least", _lower, lambda f: f.delta.lower.value, "number"),
        _Column("true δ at most", _upper, lambda f: f.delta.upper.value, "number"),
        _Column("bd", lambda f: _proved(f.bd), lambda f: _key(f.bd), "number"),
        _Column("ld, in order", lambda f: _proved(f.ld[0]), lambda f: _key(f.ld[0]), "number"),
        _Column("ld, reversed", lambda f: _proved(f.ld[1]), lambda f: _key(f.ld[1]), "number"),
        _Column("Seconds", lambda f: f"{f.seconds:.2f}", lambda f: f.seconds, "number"),
        _Column("Certificates", _certificates, lambda f: len(f.proofs), "certificates"),
    ]
    if any(finding.limit or finding.reason for finding in findings):
        columns.append(_Column("Notes", _notes, lambda f: (f.reason or "", f.limit or ""), "notes"))
    return columns


def _lower(finding: Finding) -> Markup:
    known = finding.delta
    if known.exact:
        return wording.between(known.lower.value, known.upper.value)
    return joined("≥ ", wording.at_least(known.lower.value))


def _upper(finding: Finding) -> Markup:
    known = finding.delta
    if known.exact:
        return wording.between(known.lower.value, known.upper.value)
    return joined("≤ ", wording.at_most(known.upper.value))


def _proved(proof: Proof | None) -> Content:
    return "–" if proof is None else wording.between(proof.lower, proof.upper)


def _key(proof: Proof | None) -> tuple[Fraction, Fraction]:
    return (_NOTHING, _NOTHING) if proof is None else (proof.upper, proof.lower)


def _notes(finding: Finding) -> Content:
    notes = [note for note in (finding.reason, finding.limit) if note]
    return [element("div", note) for note in dict.fromkeys(notes)]


def _certificates(finding: Finding) -> Content:
    return [
        element(
            "div",
            f"{proof.quantity} ",
            element(
                "a",
                element("code", wording.short_hash(proof.certificate)),
                href=f"#certificate-{wording.short_hash(proof.certificate)}",
                title=proof.certificate,
            ),
        )
        for proof in _distinct(finding.proofs)
    ]


def _distinct(proofs: Sequence[Proof]) -> list[Proof]:
    """One proof a certificate and quantity: both orders of ld are often proved by one."""
    return list({(proof.quantity, proof.certificate): proof for proof in proofs}.values())


def _ranks(keys: Sequence[Any]) -> list[int]:
    """For every key its place among the distinct keys."""
    order = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return [order[key] for key in keys]
