"""``bdist check``: does this certificate prove what it claims about this model?"""

from __future__ import annotations

from pathlib import Path

import typer

from bdist.cli.models import Model, reads_any_model
from bdist.cli.terminal import Json, argument, interruptible, print_json, print_report
from bdist.errors import CertificateRejected
from bdist.printing import message_text, path_text
from bdist.proofs import examine
from bdist.report import Report

NAME = "check"
HELP = (
    "Check a certificate against a model file, with exact arithmetic only; trusts nothing that made it. "
    "The checker reads .lmc itself, .dipa (an automaton), .hmm (a hidden Markov model), .mdp (a decision "
    "process) and .dip (a program); any other format is translated by bdist's reader first."
)
EXAMPLE = (
    "Example: bdist check chain.lmc out.json. "
    "The same check without bdist: python -I -S path/to/bdist/checker chain.lmc out.json "
    "(for another format, let 'bdist convert' write an .lmc file, and read that)."
)

REJECTED = 1


@reads_any_model
def command(
    model: Model,
    certificates: list[Path] = argument("CERT...", "The certificate, a JSON file; or several."),
    json: Json = False,
) -> None:
    """Check, print, and exit with 0 (all accepted) or 1 (one rejected)."""
    if len(certificates) == 1:
        print_report(_checked(model, certificates[0]), json)
        return
    documents: list[dict[str, object]] = []
    worst = 0
    for path in certificates:
        report = _checked(model, path)
        documents.append({"file": str(path), **report.document})
        worst = max(worst, report.exit_code)
        if not json:  # each as soon as it is checked, whatever the next one is
            typer.echo(f"{path_text(path)}:\n{report.text}")
    if json:
        print_json({"certificates": documents})
    if worst:
        raise typer.Exit(worst)


def _checked(model: Model, certificate: Path) -> Report:
    try:
        with interruptible() as budget:
            proved = examine(model.path, certificate, model.options, budget)
    except CertificateRejected as error:
        document = {"accepted": False, "step": error.step, "reason": error.reason}
        return Report(f"rejected at {error.step}: {message_text(error.reason)}", document, REJECTED)
    return proved.describe(proved.report)
