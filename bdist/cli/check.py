"""``bdist check``: does this certificate prove what it claims about this model?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bdist.certificates.checking import check
from bdist.checker import AutomatonReport, Report
from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import Json, print_json
from bdist.errors import CertificateRejected
from bdist.rationals.display import exact_text
from bdist.rationals.reading import rational_text

NAME = "check"
HELP = (
    "Check a certificate against a model file, with exact arithmetic only; trusts nothing that made it. "
    "The checker reads .lmc itself, and .dipa (an automaton); any other format is translated by bdist's "
    "reader first."
)
EXAMPLE = (
    "Example: bdist check chain.lmc out.json. "
    "The same check without bdist: python -I -S path/to/bdist/checker chain.lmc out.json "
    "(for another format, let 'bdist convert' write an .lmc file, and read that)."
)

_LONGEST_LIST = 20

CertificateFiles = Annotated[
    list[Path],
    typer.Argument(metavar="CERT...", help="The certificate, a JSON file; or several.", show_default=False),
]


@reads_model
def command(model: Model, certificates: CertificateFiles, json: Json = False) -> None:
    """Check, print, and exit with 0 (all accepted) or 1 (one rejected)."""
    documents: list[dict[str, object]] = []
    for path in certificates:
        try:
            report = check(model.path, path, model.options)
        except CertificateRejected as error:
            documents.append({"accepted": False, "step": error.step, "reason": error.reason})
            lines = [f"rejected at {error.step}: {error.reason}"]
        else:
            documents.append(_document(report))
            lines = _lines(report)
        if not json:
            typer.echo("\n".join([*([f"{path}:"] if len(certificates) > 1 else []), *lines]))
    if json:
        several = [
            {"file": str(path), **document} for path, document in zip(certificates, documents, strict=True)
        ]
        print_json(documents[0] if len(documents) == 1 else {"certificates": several})
    if not all(document["accepted"] for document in documents):
        raise typer.Exit(1)


def _document(report: Report | AutomatonReport) -> dict[str, object]:
    if isinstance(report, AutomatonReport):
        return {
            "accepted": True,
            "private": report.private,
            "weight": None if report.weight is None else rational_text(report.weight),
            "leak": report.leak,
            "transitions": report.transitions,
        }
    return {
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
        "trees": report.trees,
    }


def _lines(report: Report | AutomatonReport) -> list[str]:
    if isinstance(report, AutomatonReport):
        return _automaton_lines(report)
    alpha, lines = rational_text(report.alpha), []
    for claim in report.claims[:_LONGEST_LIST]:
        where = " of the quotient" if _of_the_quotient(report) else ""
        name = f"{report.quantity}({claim.pair[0]}, {claim.pair[1]}){where} at alpha {alpha}"
        if claim.lower == claim.upper:
            lines.append(f"accepted  {name} = {exact_text(claim.upper)}")
        else:
            lines.append(f"accepted  {rational_text(claim.lower)} <= {name} <= {rational_text(claim.upper)}")
    if len(report.claims) > _LONGEST_LIST:
        lines.append(f"accepted  {len(report.claims) - _LONGEST_LIST} more claims")
    trees = f"{report.trees} trees, " if report.trees else ""
    records = f"{report.upper_records} upper and {report.lower_records} lower records"
    return [*lines, f"          {trees}{records} checked"]


def _automaton_lines(report: AutomatonReport) -> list[str]:
    found = f"not private for any bound: {report.leak}"
    if report.weight is not None:
        found = f"private with the weight {exact_text(report.weight)}, times epsilon, for every epsilon"
    return [f"accepted  {found}", f"          {report.transitions} transitions checked"]


def _of_the_quotient(report: Report) -> bool:
    """Whether the claims speak of the quotient; lv and tv are the same there."""
    return report.partition and report.quantity in ("bd", "ld")
