r"""The text of a Markov decision process, read from scratch, and its fingerprint: SPEC section 6.

The form is that of chains (``core/chain.py``), with statements of more kinds, each of them one of

    actions name (',' name)*
    sink name
    name '[' label ']'
    name (action | '*') '->' probability target (',' probability target)*

after ``mdp`` and an optional name. A name before ``[`` is a state, whatever it is. Rows that are not written
are made in the end, when all is declared: those of ``*`` and those that go to the sink. They are one row in
memory for all actions that share it; yet they count for each of them, as they do in the canonical form, and a
short text may not stand for more than 20,000,000 entries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..core.numbers import rational_text
from ..core.text import (
    BLANKS,
    NAME_PART,
    Cursor,
    Fingerprinted,
    Row,
    name_of,
    part,
    refuse_line,
    shown,
)

MOST_ENTRIES = 20_000_000  # of all rows, one for each state and action
MOST_LETTERS = 2**30  # in the names of their targets, which the canonical form repeats

_ALL = "*"
_STATE = part(rf"({NAME_PART}){BLANKS}\[{BLANKS}({NAME_PART}){BLANKS}\]")
_ACTION, _ARROW = part(rf"(\*|{NAME_PART})"), part("(->)")


@dataclass(frozen=True)
class DecisionProcess(Fingerprinted):
    """A Markov decision process: of each state the label, and a row for each action, in sorted order."""

    actions: tuple[str, ...]  # sorted
    labels: dict[str, str]
    rows: dict[str, tuple[Row, ...]]

    def canonical_parts(self) -> Iterator[str]:
        """The form of SPEC section 6."""
        yield f'["mdp",{_json(self.actions)},['
        before = ""
        for state in sorted(self.labels):
            yield f"{before}[{_json(state)},{_json(self.labels[state])},["
            written: dict[int, str] = {}  # of rows that several actions share
            for number, row in enumerate(self.rows[state]):
                if id(row) not in written:
                    written[id(row)] = _json([[t, rational_text(p)] for t, p in sorted(row.items())])
                yield ("," if number else "") + written[id(row)]
            yield "]]"
            before = ","
        yield "]]"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def read_decision_process(text: str) -> DecisionProcess:
    """The process in an ``.mdp`` text. Raises: BadModel."""
    reader = _Reader(Cursor(text))
    reader.read()
    return reader.process()


class _Reader:
    """What the statements have declared so far."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._actions: dict[str, int] | None = None  # with their lines
        self._sink: tuple[str, int] | None = None
        self._named: dict[str, int] = {}  # states in use, with the line that names them first
        self._rows: dict[str, dict[str | None, Row]] = {}  # that of "*" under None
        self._bits: dict[int, int] = {}  # of the common denominators of rows
        self._lines: dict[str, int] = {}
        self._labels: dict[str, str] = {}

    def read(self) -> None:
        cursor = self._cursor
        cursor.begin("mdp")
        for line in cursor.statements():
            state = cursor.match(_STATE)
            if state is not None:
                self._state(name_of(state[1], line), name_of(state[2], line), line)
            elif cursor.takes("actions"):
                self._declare_actions(line)
            elif cursor.takes("sink"):
                self._declare_sink(line)
            else:
                self._transition(line)

    def process(self) -> DecisionProcess:
        """What has been read, with the rows that are not written."""
        if self._actions is None or not self._labels:
            refuse_line(self._cursor.line, "the file ends without actions, or without a state")
        for name, line in self._named.items():
            if name not in self._labels:
                refuse_line(line, f"the state {shown(name)} is not declared")
        actions = tuple(sorted(self._actions))
        to_sink: Row | None = None if self._sink is None else {self._sink[0]: Fraction(1)}
        rows: dict[str, tuple[Row, ...]] = {}
        entries = bits = letters = 0
        for state, line in self._lines.items():
            own = self._rows.get(state, {})
            other = own.pop(None, to_sink)
            if other is None and len(own) < len(actions):
                missing = next(action for action in actions if action not in own)
                what = f"state {shown(state)} has no transition for {shown(missing)}"
                refuse_line(line, f"{what}, and there is no sink")
            for row, times in [*((row, 1) for row in own.values()), (other, len(actions) - len(own))]:
                if row is not None:
                    entries += len(row) * times
                    letters += sum(map(len, row)) * times
                    bits += len(row) * times * self._bits.get(id(row), 1)
            if entries > MOST_ENTRIES:
                refuse_line(line, f"the rows up to here have more than {MOST_ENTRIES} entries")
            if letters > MOST_LETTERS:
                refuse_line(
                    line, f"the names in the rows up to here have more than {MOST_LETTERS} characters"
                )
            self._cursor.check_bits(bits, line)
            rows[state] = tuple(row for a in actions if (row := own.get(a, other)) is not None)
        return DecisionProcess(actions, self._labels, rows)

    def _state(self, name: str, label: str, line: int) -> None:
        if name in self._labels:
            refuse_line(line, f"state {shown(name)} is declared twice")
        self._labels[name] = label
        self._lines[name] = line

    def _declare_actions(self, line: int) -> None:
        if self._actions is not None:
            refuse_line(line, "actions are declared twice")
        self._actions = {}
        more = True
        while more:
            name = self._cursor.name()
            if name in self._actions:
                refuse_line(self._cursor.line, f"action {shown(name)} is declared twice")
            self._actions[name] = self._cursor.line
            more = self._cursor.comma()

    def _declare_sink(self, line: int) -> None:
        if self._sink is not None:
            refuse_line(line, "a sink is declared twice")
        self._sink = self._cursor.name(), line
        self._named.setdefault(*self._sink)

    def _transition(self, line: int) -> None:
        cursor = self._cursor
        state = cursor.name("a state such as: s [label], or one of the statements actions, sink, s a -> 1 t")
        if self._actions is None:
            refuse_line(line, "a transition stands before the actions")
        self._named.setdefault(state, line)
        spelled = cursor.need(_ACTION, "an action")
        name = None if spelled == _ALL else name_of(spelled, line)
        if name is not None and name not in self._actions:
            refuse_line(line, f"the action {shown(name)} is not declared")
        action = _ALL if name is None else shown(name)
        own = self._rows.setdefault(state, {})
        if name in own:
            refuse_line(line, f"state {shown(state)} has two transitions for {action}")
        cursor.need(_ARROW, "->")
        row, bits = cursor.row(f"the row of state {shown(state)} and action {action}", self._named)
        own[name], self._bits[id(row)] = row, bits
