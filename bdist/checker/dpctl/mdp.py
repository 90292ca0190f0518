r"""The text of a Markov decision process, read from scratch, and its fingerprint: SPEC section 6.

The form is that of chains (``core/chain.py``), with statements of more kinds. The text is cut into statements
(``core/text.py``), and each is one of

    actions name (',' name)*
    sink name
    name '[' label ']'
    name (action | '*') '->' probability target (',' probability target)*

after ``mdp`` and an optional name. Which it is, the first two tokens say. Rows that are not written are made
in the end, when all is declared: those of ``*`` and those that go to the sink. They are one row in memory
for all actions that share it; yet they count for each of them, as they do in the canonical form, and a short
text may not stand for more than 20,000,000 entries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..core.digits import rational_text
from ..core.text import Fingerprinted, Row, Statements, Token, distribution, refuse_line, shown

MOST_ENTRIES = 20_000_000  # of all rows, one for each state and action
MOST_LETTERS = 2**30  # in the names of their targets, which the canonical form repeats

_ALL = "*"


@dataclass(frozen=True)
class DecisionProcess(Fingerprinted):
    """A Markov decision process: of each state the label, and a row for each action, in sorted order."""

    actions: tuple[str, ...]  # sorted
    labels: dict[str, str]
    rows: dict[str, tuple[Row, ...]]

    def _canonical_parts(self) -> Iterator[str]:
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
    reader = _Reader(Statements(text, ("[", "]", ",", _ALL, "->")))
    reader.read()
    if not reader.labels:
        refuse_line(text.count("\n") + 1, "the file ends without a state")
    return reader.process()


class _Reader:
    """What the statements have declared so far."""

    def __init__(self, tokens: Statements) -> None:
        self._tokens = tokens
        self._actions: dict[str, int] | None = None  # with their lines
        self._sink: tuple[str, int] | None = None
        self._named: dict[str, tuple[str, int]] = {}  # states in use, as what, and the line
        self._rows: dict[str, dict[str | None, Row]] = {}  # that of "*" under None
        self._bits: dict[int, int] = {}  # of the common denominators of rows
        self._lines: dict[str, int] = {}
        self.labels: dict[str, str] = {}

    def read(self) -> None:
        caption = self._tokens.after_keyword("mdp")
        if caption.kind != "end":
            _name(caption)
            self._end()
        for first in self._tokens:
            second = next(self._tokens)
            if second.is_mark("["):
                self._state(_name(first), first.line)
            elif first.is_word("actions"):
                self._declare_actions(second, first.line)
            elif first.is_word("sink"):
                self._declare_sink(second, first.line)
            else:
                self._transition(_name(first), second, first.line)

    def process(self) -> DecisionProcess:
        """What has been read, with the rows that are not written."""
        if self._actions is None:
            refuse_line(max(self._lines.values()), "the file declares no actions")
        for name, (what, line) in self._named.items():
            if name not in self.labels:
                refuse_line(line, f"the {what} {shown(name)} is not declared")
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
            self._tokens.check_bits(bits, line)
            rows[state] = tuple(row for a in actions if (row := own.get(a, other)) is not None)
        return DecisionProcess(actions, self.labels, rows)

    def _state(self, name: str, line: int) -> None:
        label = _name(next(self._tokens))
        next(self._tokens).expected("]")
        self._end()
        if name in self.labels:
            refuse_line(line, f"state {shown(name)} is declared twice")
        self.labels[name] = label
        self._lines[name] = line

    def _declare_actions(self, token: Token, line: int) -> None:
        if self._actions is not None:
            refuse_line(line, "actions are declared twice")
        self._actions = {}
        while True:
            name = _name(token)
            if name in self._actions:
                refuse_line(token.line, f"action {shown(name)} is declared twice")
            self._actions[name] = token.line
            after = next(self._tokens)
            if after.kind == "end":
                return
            after.expected(",")
            token = next(self._tokens)

    def _declare_sink(self, token: Token, line: int) -> None:
        name = _name(token)
        self._end()
        if self._sink is not None:
            refuse_line(line, "a sink is declared twice")
        self._sink = name, line
        self._named.setdefault(name, ("sink", line))

    def _transition(self, state: str, action: Token, line: int) -> None:
        if self._actions is None:
            refuse_line(line, "a transition stands before the actions")
        self._named.setdefault(state, ("state", line))
        name = None if action.is_mark(_ALL) else _name(action)
        if name is not None and name not in self._actions:
            refuse_line(line, f"the action {shown(name)} is not declared")
        own = self._rows.setdefault(state, {})
        if name in own:
            what = _ALL if name is None else shown(name)
            refuse_line(line, f"state {shown(state)} has two transitions for {what}")
        next(self._tokens).expected("->")
        own[name] = self._row(f"the row of state {shown(state)} and action {shown(action.text)}", line)

    def _row(self, where: str, line: int) -> Row:
        targets = self._tokens.row()
        for target in targets:
            self._named.setdefault(target.name, ("target", target.line))
        row, bits = distribution(where, targets, line)
        self._bits[id(row)] = bits
        return row

    def _end(self) -> None:
        after = next(self._tokens)
        if after.kind != "end":
            refuse_line(after.line, f"expected the end of the line; found {shown(after.text)}")


def _name(token: Token) -> str:
    return token.expected("").name()
