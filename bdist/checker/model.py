r"""The model file, read from scratch, and its fingerprint.

A certificate speaks about a model that it names by a fingerprint, so what the checker proves hangs on what
the checker reads. This reader shares no code with the rest of bdist. It cuts every line into tokens, joins
the lines that end in a comma, and matches each logical line against

    state '[' label ']' '->' probability target (',' probability target)*

where the first one is ``lmc`` and an optional name instead. A token is a word, a text in double quotes (in
which ``\"`` and ``\\`` stand for the quote and the backslash, and any other backslash for itself), or one of
``[ ] , ->``. Blanks are space, tab and carriage return; ``#`` outside of quotes begins a comment. Nothing is
repaired: a row that sums to 999/1000 is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, NoReturn

from .digits import brief, integer, rational_text
from .vectors import Vector

LARGEST_EXPONENT = 100_000  # 1e999999999 is a short text and a long number

_TOKEN = re.compile(
    r"""[ \t\r]* (?:
        (?P<comment> \# .* | \Z )
      | (?P<mark>    -> | [\[\],] )
      | (?P<word>    [A-Za-z0-9_.'+/-]+ )
      | " (?P<quoted> (?: \\. | [^"\\] )* ) "
    )""",
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Za-z0-9_.'+-]+")
_RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,12})?")


class BadModel(Exception):
    """The text is not in the ``.lmc`` format or is no labelled Markov chain; the message names the line."""


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
        """The JSON text of SPEC section 1; Python orders strings by code point, as that section asks."""
        listing = [
            [state, self.labels[state], [[i, rational_text(p)] for i, p in sorted(self.rows[state].items())]]
            for state in sorted(self.labels)
        ]
        return json.dumps(listing, ensure_ascii=True, separators=(",", ":"))

    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in lower-case hexadecimal."""
        return hashlib.sha256(self.canonical_form().encode("ascii")).hexdigest()


def shown(name: str) -> str:
    """A name for a message: a plain word as it is, anything else in quotes and without control characters."""
    return name if _NAME.fullmatch(name) else json.dumps(name, ensure_ascii=not name.isprintable())


def read_model(text: str) -> Model:
    """The model in an ``.lmc`` text. Raises: BadModel."""
    lines = _logical_lines(text)
    _read_header(next(lines, []))
    labels: dict[str, str] = {}
    rows: dict[str, dict[str, Fraction]] = {}
    targets: list[tuple[int, str]] = []
    numbers: dict[str, Fraction] = {}
    for tokens in lines:
        number = tokens[0].line
        state, label, row = _read_state(tokens, numbers)
        if state in labels:
            _refuse(number, f"state {shown(state)} is declared twice")
        total = sum(row.values(), Fraction(0))
        if total != 1:
            _refuse(number, f"the row of state {shown(state)} sums to {brief(total)}, not to 1")
        labels[state] = label
        rows[state] = {target: p for target, p in row.items() if p > 0}
        targets += [(number, target) for target in row]
    if not labels:
        _refuse(text.count("\n") + 1, "the file ends without a state")
    for number, target in targets:
        if target not in labels:
            _refuse(number, f"the target {shown(target)} is not declared")
    return Model(labels, rows)


class _Token(NamedTuple):
    kind: str  # "mark", "word" or "quoted"
    text: str
    line: int


def _logical_lines(text: str) -> Iterator[list[_Token]]:
    """The tokens of each line that has any, taken together with the next where the last token is a comma."""
    pending: list[_Token] = []
    for number, line in enumerate(text.split("\n"), start=1):
        pending += _tokens(line, number)
        if pending and (pending[-1].kind, pending[-1].text) != ("mark", ","):
            yield pending
            pending = []
    if pending:
        _refuse(pending[-1].line, "the file ends after a comma")


def _tokens(line: str, number: int) -> Iterator[_Token]:
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


def _read_header(tokens: list[_Token]) -> None:
    """``lmc`` and an optional name, which is a caption and no part of the model."""
    if not tokens or (tokens[0].kind, tokens[0].text) != ("word", "lmc"):
        _refuse(tokens[0].line if tokens else 1, "the file does not begin with the keyword 'lmc'")
    if len(tokens) > 1:
        _name(tokens[1])
    if len(tokens) > 2:
        _refuse(tokens[2].line, f"{shown(tokens[2].text)} stands after the name of the chain")


def _read_state(tokens: list[_Token], numbers: dict[str, Fraction]) -> tuple[str, str, dict[str, Fraction]]:
    """The state, its label and its row, in which targets of probability 0 are still listed."""
    marks = [token.text if token.kind == "mark" else "" for token in tokens]
    expected = ["", "[", "", "]", "->", "", ""]  # "" stands for a name or a number
    while len(expected) < len(marks):
        expected += [",", "", ""]
    if marks != expected:
        bad = next(k for k, mark in enumerate(expected) if marks[k : k + 1] != [mark])
        what = f"expected {shown(expected[bad]) if expected[bad] else 'a name or a number'}"
        if bad == len(tokens):
            _refuse(tokens[-1].line, f"{what} at the end of the line")
        _refuse(tokens[bad].line, f"{what}; found {shown(tokens[bad].text)}")
    state, label = _name(tokens[0]), _name(tokens[2])
    row: dict[str, Fraction] = {}
    for at in range(5, len(tokens), 3):
        target = _name(tokens[at + 1])
        if target in row:
            _refuse(tokens[at + 1].line, f"the target {shown(target)} stands twice in one row")
        row[target] = _probability(tokens[at], numbers)
    return state, label, row


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
    if token.kind == "word" and _RATIO.fullmatch(text):
        above, below = (integer(part) for part in text.split("/"))
        if below == 0:
            _refuse(token.line, f"{_start(text)} has denominator zero")
        value = Fraction(above, below)
    elif token.kind == "word" and _DECIMAL.fullmatch(text):
        mantissa, _, exponent = text.lower().partition("e")
        whole, _, decimals = mantissa.partition(".")
        if abs(int(exponent or "0")) > LARGEST_EXPONENT:
            _refuse(token.line, f"{_start(text)} has an exponent beyond {LARGEST_EXPONENT}")
        value = integer(whole + decimals) * Fraction(10) ** (int(exponent or "0") - len(decimals))
    else:
        _refuse(token.line, f"{_start(text)} is not a probability such as 1/2, 0.5 or 1e-4")
    if value < 0:
        _refuse(token.line, f"the probability {_start(text)} is negative")
    known[text] = value
    return value


def _start(text: str) -> str:
    return shown(text if len(text) <= 40 else text[:37] + "...")


def _refuse(line: int, message: str) -> NoReturn:
    raise BadModel(f"line {line}: {message}")
