r"""The text of a Markov decision process, read from scratch, and its fingerprint: SPEC section 6.

The form is that of chains (``core/chain.py``), with statements of more kinds. Every line is cut into tokens,
lines that end in a comma go on, and each logical line is one of

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

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple, NoReturn

from ..core.chain import BadModel, shown
from ..core.digits import BadNumber, brief, rational_text, read_number
from ..core.limits import MODEL_BYTES, ROW_BITS, ROWS_BITS

MOST_ENTRIES = 20_000_000  # of all rows, one for each state and action
MOST_LETTERS = 2**30  # in the names of their targets, which the canonical form repeats

Row = dict[str, Fraction]

_ALL = "*"
_TOKEN = re.compile(
    r"""[ \t\r]*+ (?:
        (?P<comment> \# .* | \Z )
      | (?P<mark>    -> | [\[\],*] )
      | (?P<word>    [A-Za-z0-9_.'+/-]++ )
      | " (?P<quoted> [^"\\]*+ (?: \\. [^"\\]*+ )*+ ) "
    )""",
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Za-z0-9_.'+-]+")
_ESCAPE = re.compile(r'\\(["\\])')


@dataclass(frozen=True)
class DecisionProcess:
    """A Markov decision process: of each state the label, and a row for each action, in sorted order."""

    actions: tuple[str, ...]  # sorted
    labels: dict[str, str]
    rows: dict[str, tuple[Row, ...]]

    def canonical_form(self) -> str:
        """The JSON text of SPEC section 6."""
        return "".join(self._canonical_parts())

    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in lower-case hexadecimal."""
        digest = hashlib.sha256()
        for part in self._canonical_parts():
            digest.update(part.encode("ascii"))
        return digest.hexdigest()

    def _canonical_parts(self) -> Iterator[str]:
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
    if len(text) > MODEL_BYTES:
        _refuse(1, f"the text has {len(text)} characters, and at most {MODEL_BYTES} are read")
    reader = _Reader(_tokens(text))
    reader.read()
    if not reader.labels:
        _refuse(text.count("\n") + 1, "the file ends without a state")
    return reader.process()


class _Token(NamedTuple):
    kind: str  # "mark", "word" or "quoted", or "end" where a statement ends
    text: str
    line: int

    def is_mark(self, mark: str) -> bool:
        return self.kind == "mark" and self.text == mark

    def is_word(self, word: str) -> bool:
        return self.kind == "word" and self.text == word


def _tokens(text: str) -> Iterator[_Token]:
    """All tokens, with an "end" after each line that has any and does not go on after a comma."""
    last: _Token | None = None
    start, number = 0, 0
    while start <= len(text):
        number += 1
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        for last in _tokens_of(text[start:end], number):
            yield last
        if last is not None and not last.is_mark(","):
            yield _Token("end", "", last.line)
            last = None
        start = end + 1
    if last is not None:
        _refuse(last.line, "the file ends after a comma")


def _tokens_of(line: str, number: int) -> Iterator[_Token]:
    position = 0
    while True:
        match = _TOKEN.match(line, position)
        if match is None:
            rest = line[position:].lstrip(" \t\r")
            marks = "a name, a number or one of [ ] , * ->"
            what = "a closing double quote" if rest.startswith('"') else marks
            _refuse(number, f"expected {what} at {shown(rest[:20])}")
        kind = match.lastgroup or ""
        if kind == "comment":
            return
        yield _Token(kind, match[kind], number)
        position = match.end()


class _Reader:
    """What the statements have declared so far. Tokens end with an "end", so within one there is a next."""

    def __init__(self, tokens: Iterator[_Token]) -> None:
        self._tokens = tokens
        self._numbers: dict[str, Fraction] = {}
        self._actions: dict[str, int] | None = None  # with their lines
        self._sink: tuple[str, int] | None = None
        self._named: dict[str, tuple[str, int]] = {}  # states in use, as what, and the line
        self._rows: dict[str, dict[str, Row]] = {}
        self._others: dict[str, Row] = {}  # rows of "*"
        self._bits: dict[int, int] = {}  # of the common denominators of rows
        self._written_bits = 0
        self._lines: dict[str, int] = {}
        self.labels: dict[str, str] = {}

    def read(self) -> None:
        """All statements."""
        keyword = next(self._tokens, _Token("end", "", 1))
        if not keyword.is_word("mdp"):
            _refuse(keyword.line, "the file does not begin with the keyword 'mdp'")
        caption = next(self._tokens)
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
            _refuse(max(self._lines.values()), "the file declares no actions")
        for name, (what, line) in self._named.items():
            if name not in self.labels:
                _refuse(line, f"the {what} {shown(name)} is not declared")
        actions = tuple(sorted(self._actions))
        to_sink: Row | None = None if self._sink is None else {self._sink[0]: Fraction(1)}
        rows: dict[str, tuple[Row, ...]] = {}
        entries = bits = letters = 0
        for state, line in self._lines.items():
            own = self._rows.get(state, {})
            other = self._others.get(state, to_sink)
            if other is None and len(own) < len(actions):
                missing = next(action for action in actions if action not in own)
                what = f"state {shown(state)} has no transition for {shown(missing)}"
                _refuse(line, f"{what}, and there is no sink")
            for row, times in [*((row, 1) for row in own.values()), (other, len(actions) - len(own))]:
                if row is not None:
                    entries += len(row) * times
                    letters += sum(map(len, row)) * times
                    bits += len(row) * times * self._bits.get(id(row), 1)
            if entries > MOST_ENTRIES:
                _refuse(line, f"the rows up to here have more than {MOST_ENTRIES} entries")
            if letters > MOST_LETTERS:
                _refuse(line, f"the names in the rows up to here have more than {MOST_LETTERS} characters")
            if bits > ROWS_BITS:
                _refuse(line, f"the rows up to here have more than {ROWS_BITS} bits")
            rows[state] = tuple(row for a in actions if (row := own.get(a, other)) is not None)
        return DecisionProcess(actions, self.labels, rows)

    def _state(self, name: str, line: int) -> None:
        label = _name(next(self._tokens))
        _expect(next(self._tokens), "]")
        self._end()
        if name in self.labels:
            _refuse(line, f"state {shown(name)} is declared twice")
        self.labels[name] = label
        self._lines[name] = line

    def _declare_actions(self, token: _Token, line: int) -> None:
        if self._actions is not None:
            _refuse(line, "actions are declared twice")
        self._actions = {}
        while True:
            name = _name(token)
            if name in self._actions:
                _refuse(token.line, f"action {shown(name)} is declared twice")
            self._actions[name] = token.line
            after = next(self._tokens)
            if after.kind == "end":
                return
            _expect(after, ",")
            token = next(self._tokens)

    def _declare_sink(self, token: _Token, line: int) -> None:
        name = _name(token)
        self._end()
        if self._sink is not None:
            _refuse(line, "a sink is declared twice")
        self._sink = name, line
        self._named.setdefault(name, ("sink", line))

    def _transition(self, state: str, action: _Token, line: int) -> None:
        if self._actions is None:
            _refuse(line, "a transition stands before the actions")
        self._named.setdefault(state, ("state", line))
        where = f"the row of state {shown(state)} and action {shown(action.text)}"
        if action.is_mark(_ALL):
            if state in self._others:
                _refuse(line, f"state {shown(state)} has two transitions for *")
            _expect(next(self._tokens), "->")
            self._others[state] = self._row(where, line)
            return
        name = _name(action)
        if name not in self._actions:
            _refuse(line, f"the action {shown(name)} is not declared")
        own = self._rows.setdefault(state, {})
        if name in own:
            _refuse(line, f"state {shown(state)} has two transitions for {shown(name)}")
        _expect(next(self._tokens), "->")
        own[name] = self._row(where, line)

    def _row(self, where: str, line: int) -> Row:
        row: Row = {}
        while True:
            probability, target = _expect(next(self._tokens), ""), next(self._tokens)
            name = _name(target)
            if name in row:
                _refuse(target.line, f"the target {shown(name)} stands twice in one row")
            self._named.setdefault(name, ("target", target.line))
            row[name] = p = self._probability(probability)
            self._written_bits += p.denominator.bit_length() if p > 0 else 0
            if self._written_bits > ROWS_BITS:
                _refuse(target.line, f"the rows up to here have more than {ROWS_BITS} bits")
            after = next(self._tokens)
            if after.kind == "end":
                break
            _expect(after, ",")
        row = {name: p for name, p in row.items() if p > 0}
        self._bits[id(row)] = _check_sum(where, row, line)
        return row

    def _probability(self, token: _Token) -> Fraction:
        text = token.text
        if token.kind == "word" and text in self._numbers:
            return self._numbers[text]
        shortened = shown(text if len(text) <= 40 else text[:37] + "...")
        try:
            value = read_number(text if token.kind == "word" else f'"{text}"', "probability")
        except BadNumber as problem:
            _refuse(token.line, f"{shortened} {problem}")
        if value < 0:
            _refuse(token.line, f"the probability {shortened} is negative")
        self._numbers[text] = value
        return value

    def _end(self) -> None:
        after = next(self._tokens)
        if after.kind != "end":
            _refuse(after.line, f"expected the end of the line; found {shown(after.text)}")


def _check_sum(where: str, row: Row, line: int) -> int:
    """That a row sums to 1, and the bits of its common denominator."""
    m = 1
    for p in row.values():
        m = lcm(m, p.denominator)
        if m.bit_length() > ROW_BITS:
            _refuse(line, f"{where} has a common denominator of more than {ROW_BITS} bits")
    total = sum(p.numerator * (m // p.denominator) for p in row.values())
    if total != m:
        _refuse(line, f"{where} sums to {brief(Fraction(total, m))}, not to 1")
    return m.bit_length()


def _expect(token: _Token, mark: str) -> _Token:
    """The token, if it is that mark, or for "" a name or a number."""
    if token.kind == "end" or (token.text if token.kind == "mark" else "") != mark:
        what = f"expected {shown(mark) if mark else 'a name or a number'}"
        if token.kind == "end":
            _refuse(token.line, f"{what} at the end of the line")
        _refuse(token.line, f"{what}; found {shown(token.text)}")
    return token


def _name(token: _Token) -> str:
    name = _expect(token, "").text
    if token.kind == "quoted":
        name = _ESCAPE.sub(r"\1", name)
        if any(c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in name):
            what = "holds a control character or half of a surrogate pair"
            _refuse(token.line, f"the name {shown(name)} {what}")
    elif not _NAME.fullmatch(name):
        _refuse(token.line, f"{shown(name)} is not a name; put it in double quotes")
    return name


def _refuse(line: int, message: str) -> NoReturn:
    raise BadModel(f"line {line}: {message}")
