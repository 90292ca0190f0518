"""``bdist make``: chains, automata, hidden Markov models, Markov decision processes, programs from families.

A chain is written as ``.lmc``, an automaton as ``.dipa``, a hidden Markov model as ``.hmm``, a Markov
decision process as ``.mdp``, a probabilistic program as ``.dip``. What is written is a matter of the family,
so the name of a file that promises another format is refused; nothing could read such a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bdist.chains.formats import FORMATS
from bdist.cli.models import assignments
from bdist.cli.standard_input import DASH
from bdist.cli.terminal import Json, argument, option, print_model, print_report, refuse_ignored
from bdist.errors import ParameterError
from bdist.printing import path_text
from bdist.report import Report
from bdist.text.files import write_text
from bdist.theories import ModelKind, all_kinds, kind_with, sizes_text

NAME = "make"
HELP = (
    "Make a chain (.lmc), an automaton (.dipa), a hidden Markov model (.hmm), a Markov decision process "
    "(.mdp) or a probabilistic program (.dip) of a family; without FAMILY, list the families and their "
    "parameters."
)
EXAMPLE = "Example: bdist make dining-cryptographers --param diners=3 --param bias=49/100 -o three.lmc"


def command(
    family: str | None = argument("FAMILY", "The family's name.", default=None),
    param: list[str] | None = option("NAME=VALUE", "A parameter; may be repeated."),
    output: Path | None = option("FILE", "Write there instead of to standard output.", "-o", "--output"),
    json: Json = False,
) -> None:
    """Make the member and write it, or list what there is."""
    kinds = list(all_kinds())
    if family is None:
        refuse_ignored("the list of families", {"--param": param or None, "--output": output})
        print_report(_families(kinds), json)
        return
    kind = kind_with(family)
    values = assignments("--param", param or [])
    if output == DASH:
        output = None
    if output is not None:
        _check_suffix(output, family, kind, kinds)
    member = kind.families[family].make(**values)
    text = kind.write(member)
    if output is not None:
        write_text(output, text)
    counts = kind.sizes(member)
    sizes = {what: counts[what] for what in kind.made or counts}
    document = {"family": family, **sizes, "fingerprint": kind.fingerprint(member)}
    document |= {"output": None if output is None else str(output), "model": text}
    if output is None and not json:
        print_model(text)
        return
    print_report(Report(f"{path_text(output)}: {sizes_text(sizes)}", document), json)


def _check_suffix(output: Path, family: str, kind: ModelKind[Any], kinds: list[ModelKind[Any]]) -> None:
    """Raises: ParameterError where the name of the file promises another format than the one written."""
    known = {each.suffix for each in kinds} | {suffix for form in FORMATS for suffix in form.suffixes}
    if output.suffix.lower() in known - {kind.suffix}:
        raise ParameterError(
            f"{output}: the family {family} is written as {kind.suffix}, not {output.suffix}"
        )


def _families(kinds: list[ModelKind[Any]]) -> Report:
    lines: list[str] = []
    document: dict[str, object] = {}
    for kind in kinds:
        for family in kind.families.values():
            lines.append(f"{family.name} ({kind.name}): {family.summary}")
            lines += [f"    {p.name}={p.default}  {p.help} ({p.range})" for p in family.parameters]
            parameters = {
                p.name: {"default": str(p.default), "range": p.range, "help": p.help}
                for p in family.parameters
            }
            document[family.name] = {"makes": kind.name, "summary": family.summary, "parameters": parameters}
    return Report("\n".join(lines), document)
