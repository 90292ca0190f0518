"""``bdist check``: does this certificate prove what it claims about this model?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bdist.cli.models import Model, reads_any_model
from bdist.cli.standard_input import from_dash
from bdist.cli.terminal import Json, argument, flag, interruptible, print_json, print_report, say
from bdist.errors import CertificateRejected
from bdist.printing import message_text, path_text
from bdist.proofs import examine, verify
from bdist.report import Report

NAME = "check"
HELP = (
    "Check a certificate against a model file, in exact arithmetic, and without trusting what made it. "
    "The checker reads .lmc itself, .dipa (an automaton), .hmm (a hidden Markov model), .mdp (a decision "
    "process) and .dip (a program); any other format is translated by bdist's reader first."
)
EXAMPLE = (
    "Example: bdist check chain.lmc out.json. "
    "The same check without bdist: python -I -S path/to/bdist/checker chain.lmc out.json "
    "(for another format, let 'bdist convert' write an .lmc file, and read that)."
)

REJECTED, NOT_COVERED = 1, 3

Verified = Annotated[
    bool,
    flag(
        "--verified",
        "Let the checker that is proved in Coq decide as well (built from the folder proofs). It knows "
        "certificates of bd and ld and of privacy profiles; exit code 3 for others.",
        default=...,
    ),
]


@reads_any_model
def command(
    model: Model,
    certificates: list[Path] = argument(
        "CERT...",
        "The certificate, a JSON file; or several. - is standard input.",
        callback=from_dash("certificate", ".json"),
    ),
    verified: Verified = False,
    json: Json = False,
) -> None:
    """Check, print, and exit with 0 (all accepted), 1 (one rejected) or 3 (one not known to be verified)."""
    if len(certificates) == 1:
        print_report(_checked(model, certificates[0], verified), json)
        return
    documents: list[dict[str, object]] = []
    worst = 0
    for path in certificates:
        report = _checked(model, path, verified)
        documents.append({"file": str(path), **report.document})
        worst = max(worst, report.exit_code, key=(0, NOT_COVERED, REJECTED).index)
        if not json:  # each as soon as it is checked, whatever the next one is
            say(f"{path_text(path)}:\n{report.text}")
    if json:
        print_json({"certificates": documents})
    if worst:
        raise typer.Exit(worst)


def _checked(model: Model, certificate: Path, verified: bool) -> Report:
    try:
        with interruptible() as budget:
            proved = examine(model.path, certificate, model.options, budget)
            known = verified and verify(proved, budget)
    except CertificateRejected as error:
        document = {"accepted": False, "step": error.step, "reason": error.reason}
        return Report(f"rejected at {error.step}: {message_text(error.reason)}", document, REJECTED)
    report = proved.describe(proved.report)
    if not verified:
        return report
    line = (
        "the verified checker accepts it, too"
        if known
        else "the verified checker does not know certificates like this"
    )
    document = {**report.document, "verified": known}
    return Report(f"{report.text}\n          {line}", document, 0 if known else NOT_COVERED)
