"""``bdist make``: chains from parametrised families."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bdist.cli.terminal import Json, print_json, write_file
from bdist.errors import ParameterError
from bdist.families import FAMILIES, make_family
from bdist.formats import lmc
from bdist.models.fingerprint import fingerprint

NAME = "make"
HELP = "Make a chain of a family; without FAMILY, list the families and their parameters."
EXAMPLE = "Example: bdist make dining-cryptographers --param diners=3 --param bias=49/100 -o three.lmc"

FamilyName = Annotated[
    str | None, typer.Argument(metavar="FAMILY", help="The family's name.", show_default=False)
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="A parameter; may be repeated.", show_default=False),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write there instead of to the terminal."),
]


def command(
    family: FamilyName = None,
    param: Parameters = None,
    output: Output = None,
    json: Json = False,
) -> None:
    """Make the chain and write it, or list what there is."""
    if family is None:
        _list_families(json)
        return
    chain = make_family(family, _read_parameters(param or []))
    text = lmc.write(chain)
    if output is not None:
        write_file(output, text)
    if json:
        facts = {
            "family": family,
            "states": len(chain),
            "labels": len(chain.states_by_label),
            "fingerprint": fingerprint(chain),
        }
        print_json(facts | {"output": None if output is None else str(output), "model": text})
    elif output is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"{output}: {len(chain)} states, {len(chain.states_by_label)} labels")


def _read_parameters(given: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals:
            raise ParameterError(f"--param '{item}' has no '='; write --param NAME=VALUE")
        if name.strip() in values:
            raise ParameterError(f"--param {name.strip()} is given twice")
        values[name.strip()] = value.strip()
    return values


def _list_families(json: bool) -> None:
    if json:
        print_json(
            {
                family.name: {
                    "summary": family.summary,
                    "parameters": {
                        p.name: {"default": str(p.default), "range": p.range, "help": p.help}
                        for p in family.parameters
                    },
                }
                for family in FAMILIES.values()
            }
        )
        return
    for family in FAMILIES.values():
        typer.echo(f"{family.name}: {family.summary}")
        for parameter in family.parameters:
            typer.echo(f"    {parameter.name}={parameter.default}  {parameter.help} ({parameter.range})")
