r"""The model file, read from scratch, and its fingerprint.

A certificate speaks about a model that it names by a fingerprint, so what the checker proves hangs on what
the checker reads. This reader shares no code with the rest of bdist. After ``lmc`` and an optional name each
statement is

    state '[' label ']' '->' probability target (',' probability target)*
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from .numbers import rational_text
from .text import BLANKS, NAME_PART, Cursor, Fingerprinted, Row, name_of, part, refuse_line, shown

_STATE = part(rf"({NAME_PART}){BLANKS}\[{BLANKS}({NAME_PART}){BLANKS}\]{BLANKS}->")


@dataclass(frozen=True)
class Model(Fingerprinted):
    """A labelled Markov chain: ℓ(s) is ``labels[s]``, μ_s(i) is ``rows[s][i]``, or 0 where it is absent."""

    labels: dict[str, str]
    rows: dict[str, Row]

    def canonical_parts(self) -> Iterator[str]:
        """The form of SPEC section 1, a state at a time."""
        before = "["
        for state in sorted(self.labels):
            row = [[i, rational_text(p)] for i, p in sorted(self.rows[state].items())]
            text = json.dumps([state, self.labels[state], row], ensure_ascii=True, separators=(",", ":"))
            yield before + text
            before = ","
        yield "]"


def read_model(text: str) -> Model:
    """The model in an ``.lmc`` text. Raises: BadModel."""
    labels: dict[str, str] = {}
    rows: dict[str, Row] = {}
    named: dict[str, int] = {}  # targets, with the line that names them first
    rows_bits = 0
    cursor = Cursor(text)
    cursor.begin("lmc")
    for line in cursor.statements():
        head = cursor.match(_STATE) or cursor.fail("a state such as: s [label] -> 1/2 s, 1/2 t")
        state, label = (name_of(spelled, line) for spelled in head.groups())
        if state in labels:
            refuse_line(line, f"state {shown(state)} is declared twice")
        labels[state] = label
        rows[state], bits = cursor.row(f"the row of state {shown(state)}", named)
        rows_bits += len(rows[state]) * bits
        cursor.check_bits(rows_bits, line)
    if not labels:
        refuse_line(cursor.line, "the file ends without a state")
    for name, line in named.items():
        if name not in labels:
            refuse_line(line, f"the target {shown(name)} is not declared")
    return Model(labels, rows)
