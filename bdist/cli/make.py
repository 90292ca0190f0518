"""``bdist make``: chains, automata, hidden Markov models, Markov decision processes, programs from families.

A chain is written as ``.lmc``, an automaton as ``.dipa``, a hidden Markov model as ``.hmm``, a Markov
decision process as ``.mdp``, a probabilistic program as ``.dip``. What is written is a matter of the family,
so the name of a file that promises another format is refused; nothing could read such a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.families import FAMILIES, make_family
from bdist.chains.formats import FORMATS, LMC, lmc
from bdist.cli.terminal import Json, print_json
from bdist.dipa import text as dipa
from bdist.dipa.automaton import Automaton
from bdist.dipa.automaton import fingerprint as automaton_fingerprint
from bdist.dipa.families import AUTOMATA, make_automaton
from bdist.dipc import text as dip
from bdist.dipc.expansion import expanded
from bdist.dipc.expansion import fingerprint as program_fingerprint
from bdist.dipc.families import PROGRAMS, make_program
from bdist.dipc.program import Program
from bdist.dpctl import text as mdp
from bdist.dpctl.families import DECISION_PROCESSES, make_decision_process
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.mdp import fingerprint as process_fingerprint
from bdist.errors import ParameterError
from bdist.family import Family
from bdist.printing import path_text
from bdist.pufferfish import text as hmm
from bdist.pufferfish.families import HIDDEN_MODELS, make_hidden_model
from bdist.pufferfish.model import HiddenMarkovModel
from bdist.pufferfish.model import fingerprint as hidden_fingerprint
from bdist.text.writing import write_text

NAME = "make"
HELP = (
    "Make a chain (.lmc), an automaton (.dipa), a hidden Markov model (.hmm), a Markov decision process "
    "(.mdp) or a probabilistic program (.dip) of a family; without FAMILY, list the families and their "
    "parameters."
)
EXAMPLE = "Example: bdist make dining-cryptographers --param diners=3 --param bias=49/100 -o three.lmc"

_Member = LabelledMarkovChain | Automaton | HiddenMarkovModel | MarkovDecisionProcess | Program

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
    member, text, found = _made(family, values)
    if output is not None:
        write_text(output, text)
    sizes = _sizes(member)
    if json:
        facts = {"family": family, **sizes, "fingerprint": found}
        print_json(facts | {"output": None if output is None else str(output), "model": text})
    elif output is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"{path_text(output)}: {', '.join(f'{count} {what}' for what, count in sizes.items())}")


def _made(family: str, values: dict[str, str]) -> tuple[_Member, str, str]:
    """The member of a family, its text, and its fingerprint."""
    if family in AUTOMATA:
        automaton = make_automaton(family, values)
        return automaton, dipa.write(automaton), automaton_fingerprint(automaton)
    if family in HIDDEN_MODELS:
        model = make_hidden_model(family, values)
        return model, hmm.write(model), hidden_fingerprint(model)
    if family in DECISION_PROCESSES:
        process = make_decision_process(family, values)
        return process, mdp.write(process), process_fingerprint(process)
    if family in PROGRAMS:
        program = make_program(family, values)
        return program, dip.text_of(program), program_fingerprint(program)
    chain = make_family(family, values)
    return chain, lmc.write(chain), fingerprint(chain)


def _sizes(member: _Member) -> dict[str, int]:
    if isinstance(member, Automaton):
        return {"states": len(member.states), "transitions": len(member.transitions)}
    if isinstance(member, HiddenMarkovModel):
        return {"states": len(member.states), "observations": len(member.observations)}
    if isinstance(member, MarkovDecisionProcess):
        return {"states": len(member.states), "actions": len(member.actions)}
    if isinstance(member, Program):
        whole = expanded(member)
        return {"inputs": len(whole.inputs), "outputs": len(whole.outputs)}
    return {"states": len(member), "labels": len(member.states_by_label)}


def _check_suffix(output: Path, family: str) -> None:
    """Raises: ParameterError where the name of the file promises another format than the one written."""
    suffixes = (
        (FAMILIES, LMC.suffixes[0]),
        (AUTOMATA, dipa.SUFFIX),
        (HIDDEN_MODELS, hmm.SUFFIX),
        (DECISION_PROCESSES, mdp.SUFFIX),
        (PROGRAMS, dip.SUFFIX),
    )
    written = next((suffix for families, suffix in suffixes if family in families), None)
    if written is None:
        return  # it is refused for that
    known = {suffix for _, suffix in suffixes} | {suffix for form in FORMATS for suffix in form.suffixes}
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
        *(("hidden Markov model", family) for family in HIDDEN_MODELS.values()),
        *(("Markov decision process", family) for family in DECISION_PROCESSES.values()),
        *(("program", family) for family in PROGRAMS.values()),
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
