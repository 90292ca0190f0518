"""Markov decision processes, as one kind of model among others.

What `bdist show` says of one: the numbers, where there is something to choose, and a list. The list is the
text of the ``.mdp`` format, in which a row for all actions says ``*``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bdist.dpctl import text as mdp
from bdist.dpctl.families import DECISION_PROCESSES
from bdist.dpctl.mdp import MarkovDecisionProcess, fingerprint
from bdist.exact.display import counted
from bdist.kinds import ModelKind, sizes_text
from bdist.printing import listed, printable, shortened
from bdist.report import Report

LISTED_LINES = 160
_NAMES_SHOWN = 8


def sizes_of(process: MarkovDecisionProcess) -> dict[str, int]:
    """The numbers by what they count; the transitions are those of all actions."""
    return {
        "states": len(process.states),
        "actions": len(process.actions),
        "transitions": sum(len(row) for rows in process.rows for row in rows),
        "labels": len(set(process.labels)),
    }


def describe(process: MarkovDecisionProcess) -> Report:
    """What is in a process."""
    labels, sizes, known_as = Counter(process.labels), sizes_of(process), fingerprint(process)
    choosing, staying = [], []  # where actions do not all do the same; what no action leaves
    for number, (state, rows) in enumerate(zip(process.states, process.rows, strict=True)):
        if any(row != rows[0] for row in rows):
            choosing.append(state)
        if all(len(row) == 1 and row[0][0] == number for row in rows):
            staying.append(state)
    document = {
        "name": process.name,
        "fingerprint": known_as,
        **sizes,
        "labels": dict(labels),
        "actions": list(process.actions),
        "choosing": choosing,
        "absorbing": staying,
    }
    name = f"{printable(shortened(process.name, 60))}: " if process.name else ""
    lines = [f"{name}a Markov decision process of {sizes_text(sizes)}"]
    lines.append(f"  actions       {_some(process.actions)}")
    shown = [f"{printable(shortened(label))} {count}" for label, count in labels.items()]
    lines.append(f"  labels        {listed(shown, _NAMES_SHOWN, str)}")
    lines.append(f"  choice        the action matters in {_number(choosing)}")
    lines.append(f"  absorbing     {_number(staying)}")
    lines.append(f"  fingerprint   {known_as}")
    text = mdp.write(process).removesuffix("\n")
    length = text.count("\n") + 1
    if length > LISTED_LINES:
        text = f"not listed: {length} lines; at most {LISTED_LINES} are listed (bdist convert writes it)"
    return Report("\n".join([*lines, "", text]), document)


def _number(states: Sequence[str]) -> str:
    return f"{counted(len(states), 'state')}: {_some(states)}" if states else "no state"


def _some(names: Sequence[str]) -> str:
    return listed(names, _NAMES_SHOWN, lambda name: printable(shortened(name)))


KIND = ModelKind(
    name="Markov decision process",
    suffix=mdp.SUFFIX,
    type=MarkovDecisionProcess,
    families=DECISION_PROCESSES,
    write=mdp.write,
    fingerprint=fingerprint,
    sizes=sizes_of,
    made=("states", "actions"),
    describe=describe,
)
