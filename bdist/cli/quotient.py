"""``bdist quotient``: bisimilar states merged into one."""

from __future__ import annotations

from pathlib import Path

from bdist.chains.chain import fingerprint
from bdist.chains.formats import lmc
from bdist.chains.quotient import Quotient, quotient
from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import Json, option, print_report
from bdist.printing import named, path_text
from bdist.report import Report
from bdist.text.files import write_text

NAME = "quotient"
HELP = "Merge bisimilar states (Definition 8): the true delta stays, bd stays or falls."
EXAMPLE = "Example: bdist quotient instances/dining-cryptographers/two.lmc -o merged.lmc"

CLASSES_SHOWN = 20
MEMBERS_SHOWN = 8


@reads_model
def command(
    model: Model,
    output: Path | None = option("OUT", "Write the quotient there, as .lmc.", "-o", "--output"),
    json: Json = False,
) -> None:
    """Read the chain, merge, print and write."""
    found = quotient(model.load())
    text = lmc.write(found.chain)
    if output is not None:
        write_text(output, text)
    lines = [_classes(found)]
    if output is not None:
        sizes = f"{len(found.chain)} states, {len(found.chain.states_by_label)} labels"
        lines.append(f"{path_text(output)}: {sizes}")
    document = {
        "states": len(found.original),
        "classes": len(found.chain),
        "merged": [list(members) for members in _merged(found)],
        "fingerprint": fingerprint(found.chain),
        "output": None if output is None else str(output),
        "model": text,
    }
    print_report(Report("\n".join(lines), document), json)


def _classes(found: Quotient) -> str:
    """Sizes, and the first classes that have more than one member."""
    merged = _merged(found)
    if not merged:
        return f"states: {len(found.original)}, no two of them bisimilar"
    lines = [f"states: {len(found.original)}, and {len(found.chain)} after merging those that are bisimilar"]
    lines += [f"  {_listed(members)}" for members in merged[:CLASSES_SHOWN]]
    if len(merged) > CLASSES_SHOWN:
        lines.append(f"  and {len(merged) - CLASSES_SHOWN} more classes with more than one member")
    return "\n".join(lines)


def _merged(found: Quotient) -> list[tuple[str, ...]]:
    return [members for members in found.classes if len(members) > 1]


def _listed(members: tuple[str, ...]) -> str:
    shown = " = ".join(map(named, members[:MEMBERS_SHOWN]))
    return f"{shown} = {len(members) - MEMBERS_SHOWN} more" if len(members) > MEMBERS_SHOWN else shown
