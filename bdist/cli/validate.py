"""``bdist validate``: is this file a labelled Markov chain, or a Markov decision process?"""

from __future__ import annotations

from bdist.cli.models import Model, reads_any_model
from bdist.cli.terminal import Json, error_document, print_report
from bdist.errors import InputError, ParameterError
from bdist.printing import path_text
from bdist.report import Report
from bdist.theories import kind_of

NAME = "validate"
HELP = (
    "Say whether a file is a labelled Markov chain, or a Markov decision process, in its format: exit code "
    "0, or 4 with the reason."
)
EXAMPLE = "Example: bdist validate instances/dining-cryptographers/two.lmc"


@reads_any_model
def command(model: Model, json: Json = False) -> None:
    """Read the file and print one line."""
    try:
        found = model.load_any()
    except ParameterError:  # not the file's fault
        raise
    except InputError as error:
        if not json:
            raise
        document = {"ok": False, "file": str(model.path), **error_document(error)}
        print_report(Report(str(error), document, error.exit_code), json)
        return
    kind = kind_of(found)
    facts = {**kind.sizes(found), "fingerprint": kind.fingerprint(found)}
    text = f"ok: {path_text(model.path)}: {kind.listed(found)}"
    print_report(Report(text, {"ok": True, "file": str(model.path), **facts}), json)
