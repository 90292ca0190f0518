"""``bdist convert``: a model from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bdist.cli.models import Model, reads_any_model
from bdist.cli.sizes import fingerprint_of, listed, sizes_of
from bdist.cli.terminal import Json, print_json
from bdist.dpctl.formats import save_model, written_suffixes
from bdist.errors import UnsupportedError
from bdist.printing import path_text

NAME = "convert"
HELP = (
    "Read a model in one format and write it in another, both chosen by suffix: .lmc, .json, .tra (with its "
    ".lab) and .drn are written, Markov decision processes as .mdp and .drn; labels and probabilities stay "
    "exactly what they are."
)
EXAMPLE = "Example: bdist convert instances/dining-cryptographers/two.lmc two.drn"

OutputFile = Annotated[
    Path,
    typer.Argument(
        metavar="OUT", help="The file to write: .lmc, .json, .tra, .drn or .mdp.", show_default=False
    ),
]


@reads_any_model
def command(model: Model, output: OutputFile, json: Json = False) -> None:
    """Read, write, and say what was lost."""
    if output.suffix.lower() not in written_suffixes():  # before a long file is read
        known = ", ".join(written_suffixes())
        raise UnsupportedError(f"{output}: no writer for the suffix '{output.suffix}'; written are {known}")
    found = model.load_any()
    losses = save_model(found, output)
    for loss in losses:
        typer.echo(f"bdist: {path_text(output)}: {loss}", err=True)
    if json:
        facts = {**sizes_of(found), "fingerprint": fingerprint_of(found), "losses": list(losses)}
        print_json({"output": str(output), **facts})
        return
    typer.echo(f"{path_text(output)}: {listed(found)}")
