r"""The model file, read from scratch, and its fingerprint.

A certificate speaks about a model that it names by a fingerprint, so what the checker proves hangs on what
the checker reads. This reader shares no code with the rest of bdist. It cuts every line into tokens, joins
the lines that end in a comma, and matches each logical line against

    state '[' label ']' '->' probability target (',' probability target)*

where the first one is ``lmc`` and an optional name instead. A token is a word, a text in double quotes (in
which ``\"`` and ``\\`` stand for the quote and the backslash, and any other backslash for itself), or one of
``[ ] , ->``. Blanks are space, tab and carriage return; ``#`` outside of quotes begins a comment. Nothing is
repaired: a row that sums to 999/1000 is refused.

A model may be a stranger's, too. Tokens are looked at one by one, so that a line of ten million commas is
refused at the first, and the quantifiers of the patterns are possessive (``*+``): otherwise a quoted text
takes 180 bytes a character, to come back to. A row is brought to one denominator, which is within limits, as
are the integers in the file and all rows taken together.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple, NoReturn

from .digits import BadNumber, brief, rational_text, read_number
from .limits import MODEL_BYTES, ROW_BITS, ROWS_BITS
from .vectors import Vector

_TOKEN = re.compile(
    r"""[ \t\r]*+ (?:
        (?P<comment> \# .* | \Z )
      | (?P<mark>    -> | [\[\],] )
      | (?P<word>    [A-Za-z0-9_.'+/-]++ )
      | " (?P<quoted> [^"\\]*+ (?: \\. [^"\\]*+ )*+ ) "
    )""",
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Za-z0-9_.'+-]+")
_LONGEST_SHOWN = 200  # characters of a name in a message


class BadModel(Exception):
    """The text does not follow its format, or is no chain or automaton; the message names the line."""


@dataclass(frozen=True)
class Model:
    """A labelled Markov chain: ℓ(s) is ``labels[s]``, μ_s(i) is ``rows[s][i]``, or 0 where it is absent."""

    labels: dict[str, str]
    rows: dict[str, dict[str, Fraction]]

    @cached_property
    def states_of(self) -> dict[str, dict[str, None]]:
        """For each label all states that have it, as the keys of a dictionary."""
        groups: dict[str, dict[str, None]] = {}
        for state, label in self.labels.items():
            groups.setdefault(label, {})[state] = None
        return groups

    @cached_property
    def vectors(self) -> dict[str, Vector]:
        """The rows as integers over one denominator each."""
        return {state: Vector.of(row) for state, row in self.rows.items()}

    def canonical_form(self) -> str:
        """The JSON text of SPEC section 1."""
        return "".join(self._canonical_parts())

    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in lower-case hexadecimal."""
        return fingerprint_of(self._canonical_parts())

    def _canonical_parts(self) -> Iterator[str]:
        """A state at a time; Python orders strings by code point, as SPEC asks."""
        before = "["
        for state in sorted(self.labels):
            row = [[i, rational_text(p)] for i, p in sorted(self.rows[state].items())]
            text = json.dumps([state, self.labels[state], row], ensure_ascii=True, separators=(",", ":"))
            yield before + text
            before = ","
        yield "]"


def fingerprint_of(parts: Iterable[str]) -> str:
    """SHA-256 of a canonical form that comes in parts, in lower-case hexadecimal."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("ascii"))
    return digest.hexdigest()


def shown(name: str) -> str:
    """A name for a message: a plain word as it is, anything else in quotes and without control characters."""
    if len(name) > _LONGEST_SHOWN:
        name = name[: _LONGEST_SHOWN - 3] + "..."
    return name if _NAME.fullmatch(name) else json.dumps(name, ensure_ascii=not name.isprintable())


def read_model(text: str) -> Model:
    """The model in an ``.lmc`` text. Raises: BadModel."""
    if len(text) > MODEL_BYTES:
        _refuse(1, f"the text has {len(text)} characters, and at most {MODEL_BYTES} are read")
    labels: dict[str, str] = {}
    rows: dict[str, dict[str, Fraction]] = {}
    targets: dict[str, int] = {}  # with the line that names them first
    rows_bits = 0
    tokens = _tokens(text)
    _read_header(tokens)
    for state, label, row, number in _statements(tokens):
        if state in labels:
            _refuse(number, f"state {shown(state)} is declared twice")
        labels[state] = label
        rows[state] = {target: p for target, p in row.items() if p > 0}
        rows_bits += len(rows[state]) * _check_sum(state, rows[state], number)
        if rows_bits > ROWS_BITS:
            _refuse_length(number)
        for target in row:
            targets.setdefault(target, number)
    if not labels:
        _refuse(text.count("\n") + 1, "the file ends without a state")
    for target, number in targets.items():
        if target not in labels:
            _refuse(number, f"the target {shown(target)} is not declared")
    return Model(labels, rows)


def _check_sum(state: str, row: dict[str, Fraction], line: int) -> int:
    """That a row sums to 1, and the bits of its common denominator."""
    m = 1
    for p in row.values():
        m = lcm(m, p.denominator)
        if m.bit_length() > ROW_BITS:
            what = f"a common denominator of more than {ROW_BITS} bits"
            _refuse(line, f"the row of state {shown(state)} has {what}")
    total = sum(p.numerator * (m // p.denominator) for p in row.values())
    if total != m:
        _refuse(line, f"the row of state {shown(state)} sums to {brief(Fraction(total, m))}, not to 1")
    return m.bit_length()


class _Token(NamedTuple):
    kind: str  # "mark", "word" or "quoted", or "end" where a statement ends
    text: str
    line: int


class _Statement(NamedTuple):
    """A state with its label and its row, in which targets of probability 0 are still listed."""

    state: str
    label: str
    row: dict[str, Fraction]
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    """All tokens, with an "end" after each line that has any and does not go on after a comma."""
    last: _Token | None = None
    for number, line in enumerate(_lines(text), start=1):
        if line:
            for last in _tokens_of(line, number):
                yield last
        if last is not None and (last.kind, last.text) != ("mark", ","):
            yield _Token("end", "", last.line)
            last = None
    if last is not None:
        _refuse(last.line, "the file ends after a comma")


def _lines(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _tokens_of(line: str, number: int) -> Iterator[_Token]:
    position = 0
    while True:
        match = _TOKEN.match(line, position)
        if match is None:
            rest = line[position:].lstrip(" \t\r")
            what = "a closing double quote" if rest.startswith('"') else "a name, a number or one of [ ] , ->"
            _refuse(number, f"expected {what} at {shown(rest[:20])}")
        kind = match.lastgroup or ""
        if kind == "comment":
            return
        yield _Token(kind, match[kind], number)
        position = match.end()


def _read_header(tokens: Iterator[_Token]) -> None:
    """``lmc`` and an optional name, which is a caption and no part of the model."""
    keyword = next(tokens, _Token("end", "", 1))
    if (keyword.kind, keyword.text) != ("word", "lmc"):
        _refuse(keyword.line, "the file does not begin with the keyword 'lmc'")
    caption = next(tokens)
    if caption.kind != "end":
        _name(caption)
        after = next(tokens)
        if after.kind != "end":
            _refuse(after.line, f"{shown(after.text)} stands after the name of the chain")


def _statements(tokens: Iterator[_Token]) -> Iterator[_Statement]:
    """What the rest of the file declares. Tokens end with an "end", so within a statement there is a next."""
    numbers: dict[str, Fraction] = {}
    bits = 0
    for first in tokens:
        _expect(first, "")
        _expect(next(tokens), "[")
        second = _expect(next(tokens), "")
        _expect(next(tokens), "]")
        _expect(next(tokens), "->")
        state, label = _name(first), _name(second)
        row: dict[str, Fraction] = {}
        while True:
            probability, target = _expect(next(tokens), ""), _expect(next(tokens), "")
            name = _name(target)
            if name in row:
                _refuse(target.line, f"the target {shown(name)} stands twice in one row")
            row[name] = p = _probability(probability, numbers)
            bits += p.denominator.bit_length() if p > 0 else 0
            if bits > ROWS_BITS:  # no more than over common denominators, and known before a row ends
                _refuse_length(target.line)
            after = next(tokens)
            if after.kind == "end":
                break
            _expect(after, ",")
        yield _Statement(state, label, row, first.line)


def _expect(token: _Token, mark: str) -> _Token:
    """The token, if it is that mark, or for "" a name or a number."""
    if token.kind == "end" or (token.text if token.kind == "mark" else "") != mark:
        what = f"expected {shown(mark) if mark else 'a name or a number'}"
        if token.kind == "end":
            _refuse(token.line, f"{what} at the end of the line")
        _refuse(token.line, f"{what}; found {shown(token.text)}")
    return token


def _name(token: _Token) -> str:
    name = token.text
    if token.kind == "quoted":
        name = re.sub(r"\\(.)", lambda pair: pair[1] if pair[1] in '"\\' else pair[0], name)
        if any(c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in name):
            what = "holds a control character or half of a surrogate pair"
            _refuse(token.line, f"the name {shown(name)} {what}")
    elif not _NAME.fullmatch(name):
        _refuse(token.line, f"{shown(name)} is not a name; put it in double quotes")
    return name


def _probability(token: _Token, known: dict[str, Fraction]) -> Fraction:
    """The number that a token is; ``known`` remembers those that were read, which occur again and again."""
    text = token.text
    if token.kind == "word" and text in known:
        return known[text]
    try:
        value = read_number(text if token.kind == "word" else f'"{text}"', "probability")
    except BadNumber as problem:
        _refuse(token.line, f"{_start(text)} {problem}")
    if value < 0:
        _refuse(token.line, f"the probability {_start(text)} is negative")
    known[text] = value
    return value


def _start(text: str) -> str:
    return shown(text if len(text) <= 40 else text[:37] + "...")


def _refuse_length(line: int) -> NoReturn:
    _refuse(line, f"the rows up to here have more than {ROWS_BITS} bits over common denominators")


def _refuse(line: int, message: str) -> NoReturn:
    raise BadModel(f"line {line}: {message}")
