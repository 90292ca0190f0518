"""``bdist check``: does this certificate prove what it claims about this model?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bdist.certificates.checking import check
from bdist.checker import Report
from bdist.cli.terminal import Json, ModelFile, print_json
from bdist.errors import CertificateRejected
from bdist.rationals.display import exact_text
from bdist.rationals.reading import rational_text

NAME = "check"
HELP = "Check a certificate against a model file, with exact arithmetic only; trusts nothing that made it."
EXAMPLE = (
    "Example: bdist check chain.lmc out.json. "
    "The same check without bdist: python -I -S path/to/bdist/checker chain.lmc out.json"
)

_LONGEST_LIST = 20

CertificateFile = Annotated[
    Path, typer.Argument(metavar="CERT", help="The certificate, a JSON file.", show_default=False)
]


def command(file: ModelFile, certificate: CertificateFile, json: Json = False) -> None:
    """Check, print, and exit with 0 (accepted) or 1 (rejected)."""
    try:
        report = check(file, certificate)
    except CertificateRejected as error:
        if json:
            print_json({"accepted": False, "step": error.step, "reason": error.reason})
        else:
            typer.echo(f"rejected at {error.step}: {error.reason}")
        raise typer.Exit(1) from None
    if json:
        print_json(
            {
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
        )
        return
    alpha = rational_text(report.alpha)
    for claim in report.claims[:_LONGEST_LIST]:
        where = " of the quotient" if _of_the_quotient(report) else ""
        name = f"{report.quantity}({claim.pair[0]}, {claim.pair[1]}){where} at alpha {alpha}"
        if claim.lower == claim.upper:
            typer.echo(f"accepted  {name} = {exact_text(claim.upper)}")
        else:
            typer.echo(f"accepted  {rational_text(claim.lower)} <= {name} <= {rational_text(claim.upper)}")
    if len(report.claims) > _LONGEST_LIST:
        typer.echo(f"accepted  {len(report.claims) - _LONGEST_LIST} more claims")
    trees = f"{report.trees} trees, " if report.trees else ""
    typer.echo(
        f"          {trees}{report.upper_records} upper and {report.lower_records} lower records checked"
    )


def _of_the_quotient(report: Report) -> bool:
    """Whether the claims speak of the quotient; lv and tv are the same there."""
    return report.partition and report.quantity in ("bd", "ld")
