"""What a checked certificate of distances proves, in words."""

from __future__ import annotations

from bdist import checker
from bdist.exact.display import counted, exact_text
from bdist.exact.reading import rational_text
from bdist.printing import named
from bdist.report import Report

_LONGEST_LIST = 20


def check(model: str, certificate: str, allowed: checker.Allowance | None = None) -> checker.Report:
    """The independent check of a certificate against the text of a chain."""
    return checker.check(model, certificate, allowed)


def describe(report: checker.Report) -> Report:
    """The claims, and how much was checked for them."""
    document = {
        "accepted": True,
        "quantity": report.quantity,
        "alpha": rational_text(report.alpha),
        "claims": [
            {"pair": list(c.pair), "lower": rational_text(c.lower), "upper": rational_text(c.upper)}
            for c in report.claims
        ],
        "of_the_quotient": _of_the_quotient(report),
        "upper_records": report.upper_records,
        "lower_records": report.lower_records,
    }
    return Report("\n".join(_lines(report)), document)


def _lines(report: checker.Report) -> list[str]:
    alpha, lines = rational_text(report.alpha), []
    for claim in report.claims[:_LONGEST_LIST]:
        where = " of the quotient" if _of_the_quotient(report) else ""
        name = f"{report.quantity}({named(claim.pair[0])}, {named(claim.pair[1])}){where} at alpha {alpha}"
        if claim.lower == claim.upper:
            lines.append(f"accepted  {name} = {exact_text(claim.upper)}")
        else:
            lines.append(f"accepted  {rational_text(claim.lower)} <= {name} <= {rational_text(claim.upper)}")
    if len(report.claims) > _LONGEST_LIST:
        lines.append(f"accepted  {counted(len(report.claims) - _LONGEST_LIST, 'more claim')}")
    records = f"{report.upper_records} upper and {counted(report.lower_records, 'lower record')}"
    return [*lines, f"          {records} checked"]


def _of_the_quotient(report: checker.Report) -> bool:
    """Whether the claims speak of the quotient; lv and tv are the same there."""
    return report.partition and report.quantity in ("bd", "ld")
