"""``bdist validate``: is this file a labelled Markov chain?"""

from __future__ import annotations

import typer

from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import Json, exit_code_of, print_json
from bdist.errors import InputError, ParameterError
from bdist.models.fingerprint import fingerprint

NAME = "validate"
HELP = "Say whether a file is a labelled Markov chain in its format: exit code 0, or 4 with the reason."
EXAMPLE = "Example: bdist validate instances/dining-cryptographers/two.lmc"


@reads_model
def command(model: Model, json: Json = False) -> None:
    """Read the file and print one line."""
    try:
        chain = model.load()
    except ParameterError:  # not the file's fault
        raise
    except InputError as error:
        if not json:
            raise
        print_json({"ok": False, "file": str(model.path), "error": str(error)})
        raise typer.Exit(exit_code_of(error)) from None
    transitions, labels = sum(map(len, chain.rows)), len(chain.states_by_label)
    if json:
        facts = {"states": len(chain), "transitions": transitions, "labels": labels}
        print_json({"ok": True, "file": str(model.path), **facts, "fingerprint": fingerprint(chain)})
        return
    typer.echo(f"ok: {model.path}: {len(chain)} states, {transitions} transitions, {labels} labels")
