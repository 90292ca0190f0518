"""``bdist validate``: is this file a labelled Markov chain, or a Markov decision process?"""

from __future__ import annotations

import typer

from bdist.cli.models import Model, reads_any_model
from bdist.cli.sizes import fingerprint_of, listed, sizes_of
from bdist.cli.terminal import Json, exit_code_of, print_json
from bdist.errors import InputError, ParameterError
from bdist.printing import path_text

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
        print_json({"ok": False, "file": str(model.path), "error": str(error)})
        raise typer.Exit(exit_code_of(error)) from None
    if json:
        facts = {**sizes_of(found), "fingerprint": fingerprint_of(found)}
        print_json({"ok": True, "file": str(model.path), **facts})
        return
    typer.echo(f"ok: {path_text(model.path)}: {listed(found)}")
