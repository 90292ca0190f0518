"""``bdist make``: chains and automata from parametrised families.

A chain is written as ``.lmc``, an automaton as ``.dipa``. What is written is a matter of the family, so the
name of a file that promises another format is refused; nothing could read such a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bdist.cli.terminal import Json, print_json, write_file
from bdist.errors import ParameterError
from bdist.families import AUTOMATA, FAMILIES, Family, make_automaton, make_family
from bdist.formats import FORMATS, dipa, lmc
from bdist.models.automaton import Automaton
from bdist.models.automaton_fingerprint import fingerprint as automaton_fingerprint
from bdist.models.chain import LabelledMarkovChain
from bdist.models.fingerprint import fingerprint

NAME = "make"
HELP = (
    "Make a chain (.lmc) or an automaton (.dipa) of a family; without FAMILY, list the families and their "
    "parameters."
)
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
    """Make the member and write it, or list what there is."""
    if family is None:
        _list_families(json)
        return
    values = _read_parameters(param or [])
    if output is not None:
        _check_suffix(output, family)
    member = make_automaton(family, values) if family in AUTOMATA else make_family(family, values)
    text = dipa.write(member) if isinstance(member, Automaton) else lmc.write(member)
    if output is not None:
        write_file(output, text)
    sizes = _sizes(member)
    if json:
        facts = {"family": family, **sizes, "fingerprint": _fingerprint(member)}
        print_json(facts | {"output": None if output is None else str(output), "model": text})
    elif output is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"{output}: {', '.join(f'{count} {what}' for what, count in sizes.items())}")


def _sizes(member: LabelledMarkovChain | Automaton) -> dict[str, int]:
    if isinstance(member, Automaton):
        return {"states": len(member.states), "transitions": len(member.transitions)}
    return {"states": len(member), "labels": len(member.states_by_label)}


def _fingerprint(member: LabelledMarkovChain | Automaton) -> str:
    return automaton_fingerprint(member) if isinstance(member, Automaton) else fingerprint(member)


def _check_suffix(output: Path, family: str) -> None:
    """Raises: ParameterError where the name of the file promises another format than the one written."""
    if family not in FAMILIES and family not in AUTOMATA:
        return  # it is refused for that
    written = dipa.SUFFIX if family in AUTOMATA else lmc.FORMAT.suffixes[0]
    known = {dipa.SUFFIX, *(suffix for form in FORMATS for suffix in form.suffixes)}
    if output.suffix.lower() in known - {written}:
        raise ParameterError(f"{output}: the family {family} is written as {written}, not {output.suffix}")


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
    families: list[tuple[str, Family[object]]] = [
        *(("chain", family) for family in FAMILIES.values()),
        *(("automaton", family) for family in AUTOMATA.values()),
    ]
    if json:
        print_json(
            {
                family.name: {
                    "makes": kind,
                    "summary": family.summary,
                    "parameters": {
                        p.name: {"default": str(p.default), "range": p.range, "help": p.help}
                        for p in family.parameters
                    },
                }
                for kind, family in families
            }
        )
        return
    for kind, family in families:
        typer.echo(f"{family.name} ({kind}): {family.summary}")
        for parameter in family.parameters:
            typer.echo(f"    {parameter.name}={parameter.default}  {parameter.help} ({parameter.range})")
