"""``bdist show`` on Markov decision processes: the numbers, where there is something to choose, and a list.

The list is the text of the ``.mdp`` format, in which a row for all actions says ``*``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import typer

from bdist.cli.sizes import fingerprint_of, listed, sizes_of
from bdist.cli.terminal import print_json
from bdist.dpctl import text as mdp
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.printing import printable, shortened

LISTED_LINES = 160
_NAMES_SHOWN = 8


def show_process(process: MarkovDecisionProcess, json: bool) -> None:
    """Print what is in it."""
    labels = Counter(process.labels)
    choosing, staying = _choosing(process), _staying(process)
    if json:
        print_json(
            {
                "name": process.name,
                "fingerprint": fingerprint_of(process),
                **sizes_of(process),
                "labels": dict(labels),
                "actions": list(process.actions),
                "choosing": choosing,
                "absorbing": staying,
            }
        )
        return
    name = f"{printable(shortened(process.name, 60))}: " if process.name else ""
    lines = [f"{name}a Markov decision process of {listed(process)}"]
    lines.append(f"  actions       {_some(process.actions)}")
    counted = [f"{printable(shortened(label))} {count}" for label, count in labels.items()]
    lines.append(f"  labels        {_some(counted, shown=True)}")
    lines.append(f"  choice        the action matters in {_number(choosing)}")
    lines.append(f"  absorbing     {_number(staying)}")
    lines.append(f"  fingerprint   {fingerprint_of(process)}")
    typer.echo("\n".join(lines))
    text = mdp.write(process)
    rows = text.count("\n")
    if rows > LISTED_LINES:
        typer.echo(f"\nnot listed: {rows} lines; at most {LISTED_LINES} are listed (bdist convert writes it)")
    else:
        typer.echo(f"\n{text}", nl=False)


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


def _some(texts: Sequence[str], *, shown: bool = False) -> str:
    first = [text if shown else printable(shortened(text)) for text in texts[:_NAMES_SHOWN]]
    more = len(texts) - _NAMES_SHOWN
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")
