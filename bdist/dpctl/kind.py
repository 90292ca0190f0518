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
from bdist.kinds import ModelKind, sizes_text
from bdist.printing import printable, shortened, some_of
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
    labels = Counter(process.labels)
    choosing, staying, known_as = _choosing(process), _staying(process), fingerprint(process)
    document = {
        "name": process.name,
        "fingerprint": known_as,
        **sizes_of(process),
        "labels": dict(labels),
        "actions": list(process.actions),
        "choosing": choosing,
        "absorbing": staying,
    }
    name = f"{printable(shortened(process.name, 60))}: " if process.name else ""
    lines = [f"{name}a Markov decision process of {sizes_text(sizes_of(process))}"]
    lines.append(f"  actions       {_some(process.actions)}")
    counted = [f"{printable(shortened(label))} {count}" for label, count in labels.items()]
    lines.append(f"  labels        {some_of(counted, _NAMES_SHOWN, str)}")
    lines.append(f"  choice        the action matters in {_number(choosing)}")
    lines.append(f"  absorbing     {_number(staying)}")
    lines.append(f"  fingerprint   {known_as}")
    return Report("\n".join([*lines, "", _listing(process)]), document)


def _listing(process: MarkovDecisionProcess) -> str:
    text = mdp.write(process)
    rows = text.count("\n")
    if rows > LISTED_LINES:
        return f"not listed: {rows} lines; at most {LISTED_LINES} are listed (bdist convert writes it)"
    return text.removesuffix("\n")


def _choosing(process: MarkovDecisionProcess) -> list[str]:
    """The states that do not do the same under all actions."""
    named = zip(process.states, process.rows, strict=True)
    return [state for state, rows in named if any(row != rows[0] for row in rows)]


def _staying(process: MarkovDecisionProcess) -> list[str]:
    """The states that no action leaves."""
    return [
        state
        for number, (state, rows) in enumerate(zip(process.states, process.rows, strict=True))
        if all(len(row) == 1 and row[0][0] == number for row in rows)
    ]


def _number(states: Sequence[str]) -> str:
    if not states:
        return "no state"
    return f"{len(states)} {'state' if len(states) == 1 else 'states'}: {_some(states)}"


def _some(names: Sequence[str]) -> str:
    return some_of(names, _NAMES_SHOWN, lambda name: printable(shortened(name)))


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
