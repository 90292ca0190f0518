"""``bdist convert``: a model from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import Json, print_json
from bdist.formats import save, writer_of
from bdist.models.fingerprint import fingerprint

NAME = "convert"
HELP = (
    "Read a model in one format and write it in another, both chosen by suffix: .lmc, .json, .tra (with its "
    ".lab) and .drn are written; labels and probabilities stay exactly what they are."
)
EXAMPLE = "Example: bdist convert instances/dining-cryptographers/two.lmc two.drn"

OutputFile = Annotated[
    Path,
    typer.Argument(metavar="OUT", help="The file to write: .lmc, .json, .tra or .drn.", show_default=False),
]


@reads_model
def command(model: Model, output: OutputFile, json: Json = False) -> None:
    """Read, write, and say what was lost."""
    writer_of(output)  # a suffix that is not written is refused before a long file is read
    chain = model.load()
    losses = save(chain, output)
    for loss in losses:
        typer.echo(f"bdist: {output}: {loss}", err=True)
    transitions = sum(map(len, chain.rows))
    if json:
        facts = {"states": len(chain), "transitions": transitions, "labels": len(chain.states_by_label)}
        print_json(
            {"output": str(output), **facts, "fingerprint": fingerprint(chain), "losses": list(losses)}
        )
        return
    sizes = f"{len(chain)} states, {transitions} transitions, {len(chain.states_by_label)} labels"
    typer.echo(f"{output}: {sizes}")
