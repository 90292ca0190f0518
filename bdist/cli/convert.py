"""``bdist convert``: a model from one file format to another."""

from __future__ import annotations

from pathlib import Path

import typer

from bdist.cli.models import Model, reads_any_model
from bdist.cli.standard_input import DASH
from bdist.cli.terminal import Json, argument, print_model, print_report
from bdist.errors import ParameterError, UnsupportedError
from bdist.printing import path_text
from bdist.proofs import model_formats
from bdist.report import Report
from bdist.theories import kind_of

NAME = "convert"
HELP = (
    "Read a model in one format and write it in another, both chosen by suffix: .lmc, .json, .tra (with its "
    ".lab), .drn and .umb are written, Markov decision processes as .mdp and .drn; labels and probabilities "
    "stay exactly what they are."
)
EXAMPLE = "Example: bdist convert instances/dining-cryptographers/two.lmc two.drn"


@reads_any_model
def command(
    model: Model,
    output: Path = argument(
        "OUT",
        "The file to write: .lmc, .json, .tra, .drn, .umb or .mdp; - is standard output, as .lmc or .mdp.",
    ),
    json: Json = False,
) -> None:
    """Read, write, and say what was lost."""
    if output == DASH:
        if json:
            raise ParameterError("with --json the object is on standard output; name a file for the model")
        found = model.load_any()
        print_model(kind_of(found).write(found))
        return
    formats = model_formats()
    if output.suffix.lower() not in formats.written_suffixes():  # before a long file is read
        known = ", ".join(formats.written_suffixes())
        raise UnsupportedError(f"{output}: no writer for the suffix '{output.suffix}'; written are {known}")
    found = model.load_any()
    losses = formats.save_model(found, output)
    for loss in losses:
        typer.echo(f"bdist: {path_text(output)}: {loss}", err=True)
    kind = kind_of(found)
    facts = {**kind.sizes(found), "fingerprint": kind.fingerprint(found), "losses": list(losses)}
    text = f"{path_text(output)}: {kind.listed(found)}"
    print_report(Report(text, {"output": str(output), **facts}), json)
