"""The ``.tlmc`` format: chains whose labels are on the transitions.

    # comment to the end of the line
    tlmc channel                           # keyword, optional name
    s0 -> 1/2 [send] s1, 1/2 [wait] s0     # state -> probability [label] target, ...
    s1 -> 1 [done] s1

Everything else is as in ``.lmc``: names, quotes, numbers, comments, lines that go on after a comma. Such a
chain is translated when it is read, into one with labels on its states that has the same true delta between
the states of the file (`bdist.chains.transition_labels` says how, and proves it); they keep their names.

There is no writer: the translation is an ordinary chain, and the other formats hold it.
"""

from __future__ import annotations

from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats.description import Format
from bdist.chains.transition_labels import state_labelled
from bdist.errors import ModelError
from bdist.text.files import read_text
from bdist.text.scanner import Scanner, Target


def read(text: str, source: str | Path = "<text>") -> LabelledMarkovChain:
    """Parse and translate ``.tlmc`` text. Raises: FormatError with line and column; ModelError."""
    scanner = Scanner(text, source)
    name = scanner.header("tlmc")
    rows: dict[str, list[Target]] = {}
    for line, column in scanner.statements():
        state = scanner.name("a state name")
        scanner.declare(state, line, column)
        scanner.symbol("->", "'->' and the row")
        rows[state] = list(scanner.row(labelled=True))
    if not rows:
        scanner.fail("a state such as: s0 -> 1 [label] s0")
    for state, row in rows.items():
        scanner.check_targets(state, row)
    try:
        return state_labelled(
            {state: [(t.probability, t.label, t.name) for t in row] for state, row in rows.items()}, name=name
        )
    except ModelError as error:
        raise scanner.model_error(error) from None


FORMAT = Format(name=".tlmc", suffixes=(".tlmc",), read=lambda path, _: read(read_text(path), path))
