r"""The ``.hmm`` file as its statements: a second reader of the text, SPEC-PUFFERFISH section 1.

This reader shares no code with the rest of bdist. It goes through the text from left to right and asks, at
each place, for the part that the grammar has there: what a run of characters is depends on that, as ``1-p``
is a name in one place and a formula in another. Every part may have blanks before it, and after a comma
lines that are empty but for a comment. Repetitions are possessive (``++``), as a word is the longest run of
its characters; nothing is tried a second time, but for the question whether a statement is a state, and
whether a state shows a single observation.

Formulas are cut out here and computed later, when all parameters of the file are known. Which were declared
before a formula is kept with the statement.
"""

from __future__ import annotations

import re
from fractions import Fraction
from sys import intern
from typing import NamedTuple, NoReturn

from ..core.chain import BadModel, shown
from ..core.digits import BadNumber, read_number
from ..core.limits import MODEL_BYTES

ONE = "1"  # the formula of an observation that stands alone
WORDS = ("all", "common")

_PART = r"[A-Za-z0-9_.'+-]"  # of a word
_BLANKS = r"[ \t\r]*+"
_COMMENT = r"(?:#[^\n]*+)?+"


def _part(part: str) -> re.Pattern[str]:
    return re.compile(f"{_BLANKS}(?:{part})")


_NAME_PART = rf'{_PART}++|"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"'
_NAME = _part(f"({_NAME_PART})")
_STATE = _part(rf"({_NAME_PART}){_BLANKS}\[")
_ALONE = _part(rf"({_NAME_PART}){_BLANKS}\]")
_WORD = _part(rf"({_PART}++)")
_LETTERS = _part(rf"([A-Za-z_][A-Za-z0-9_]*+)(?!{_PART})")
_NUMBER = _part(r'([^\s,\[\]()"#]++)')
_DIGITS = _part(r"([0-9]++)")
_OPENING, _CLOSING = _part(r"([(\[])"), _part(r"([)\]])")
_ARROW, _OPEN, _CLOSE, _DOTS = (_part(f"({mark})") for mark in ("->", r"\[", r"\]", r"\.\."))
_COMMA = _part(rf"(,(?:{_BLANKS}{_COMMENT}\n)*+)")
_END = _part(rf"({_COMMENT}(?:\n|\Z))")
_NOTHING = re.compile(
    rf"(?:{_BLANKS}{_COMMENT}\n)*+(?:{_BLANKS}{_COMMENT}\Z)?+"
)  # as many lines as there are
_GAP = re.compile(_BLANKS)
_OUTSIDE = re.compile(r'[^\s,\[\]"#()]*+')  # of a formula, where no parenthesis is open
_INSIDE = re.compile(r'[^\n,\[\]"#()]*+')  # and where one is; no part of a formula but blanks is white space


class Entry(NamedTuple):
    """A formula, and the state or the observation that has this probability."""

    formula: str
    name: str
    secrets: tuple[str, ...]  # of a case of a prior
    line: int


class Parameter(NamedTuple):
    """A parameter and its range."""

    name: str
    low: Fraction
    high: Fraction


class Distribution(NamedTuple):
    """A name with its entries, as an initial distribution and a prior are."""

    name: str
    entries: list[Entry]
    line: int
    parameters: int  # that were declared before


class StateText(NamedTuple):
    """A state as it is written."""

    name: str
    observed: list[Entry]
    row: list[Entry] | None
    line: int
    parameters: int


class Statements(NamedTuple):
    """What a file declares, in its order."""

    parameters: list[Parameter]
    states: list[StateText]
    initials: list[Distribution]
    priors: list[Distribution]
    lines: int


def read_statements(text: str) -> Statements:
    """The statements of an ``.hmm`` text. Raises: BadModel."""
    if len(text) > MODEL_BYTES:
        refuse(1, f"the text has {len(text)} characters, and at most {MODEL_BYTES} are read")
    return _Reader(text).read()


def refuse(line: int, message: str) -> NoReturn:
    """Refuse the file."""
    raise BadModel(f"line {line}: {message}")


def start_of(text: str) -> str:
    """The beginning of a text for a message."""
    return shown(text if len(text) <= 40 else text[:37] + "...")


class _Reader:
    """A place in the text, and what was declared before it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position, self._line, self._first_line = 0, 1, 1
        self._found = Statements([], [], [], [], 0)
        self._scenarios: set[str] = set()
        self._in_scenario = False
        self._said: set[str] = set()  # what a scenario says at most once
        self._statements = {
            "parameter": self._parameter,
            "initial": self._initial,
            "scenario": self._scenario,
            "prior": self._prior,
            "pair": self._pair,
            "words": self._words,
            "epsilon": self._epsilon,
            "length": self._length,
        }

    def read(self) -> Statements:
        self._pass_nothing()
        start = self._position
        if _STATE.match(self._text, start) or self._maybe(_WORD) != "hmm":
            self._position = start
            self._fail("the keyword 'hmm' and perhaps a name")
        if not self._at_end():
            self._name("a name or the end of the line")
            self._end()
        self._pass_nothing()
        while self._position < len(self._text):
            self._first_line = self._line
            self._statement()
            self._pass_nothing()
        return self._found._replace(lines=self._line)

    # --- statements ---

    def _statement(self) -> None:
        state = self._maybe(_STATE)
        if state:
            self._state(self._meant(state))
        else:
            start = self._position
            keyword = self._maybe(_WORD)
            if keyword not in self._statements:
                self._position = start
                what = "a state such as: s [x] -> 1 s, or one of the statements"
                self._fail(f"{what} {', '.join(self._statements)}")
            self._statements[keyword]()
        self._end()

    def _parameter(self) -> None:
        self._outside("a parameter")
        name = self._need(_LETTERS, "the name of a parameter, which is letters")
        self._keyword("in")
        self._need(_OPENING, "( or [")
        low = self._number()
        if not self._comma():
            self._fail("a comma")
        high = self._number()
        self._need(_CLOSING, ") or ]")
        if any(name == known.name for known in self._found.parameters):
            refuse(self._first_line, f"the parameter {name} is declared twice")
        if low >= high:
            refuse(self._first_line, f"the range of {name} is empty, or a single number")
        self._found.parameters.append(Parameter(name, low, high))

    def _state(self, name: str) -> None:
        self._outside("a state")
        alone = self._maybe(_ALONE)
        if alone:
            observed = [Entry(ONE, self._meant(alone), (), self._line)]
        else:
            observed = self._entries()
            self._need(_CLOSE, "a comma or ]")
        row = self._entries() if self._maybe(_ARROW) else None
        declared = len(self._found.parameters)
        self._found.states.append(StateText(name, observed, row, self._first_line, declared))

    def _initial(self) -> None:
        self._outside("an initial distribution")
        self._found.initials.append(self._distribution(with_secrets=False))

    def _prior(self) -> None:
        self._inside("prior")
        self._found.priors.append(self._distribution(with_secrets=True))

    def _scenario(self) -> None:
        name = "" if self._at_end(ahead=True) else self._name("a name or the end of the line")
        if name in self._scenarios:
            refuse(self._first_line, f"a second scenario is called {shown(name)}")
        self._scenarios.add(name)
        self._in_scenario = True
        self._said.clear()

    def _pair(self) -> None:
        self._inside("pair")
        self._name()
        self._maybe(_ARROW)
        self._name()

    def _words(self) -> None:
        self._once("words")
        if self._need(_WORD, "all or common") not in WORDS:
            refuse(self._line, "expected all or common after words")

    def _epsilon(self) -> None:
        self._once("epsilon")
        start = self._position
        if self._maybe(_WORD) != "ln":
            self._position = start
        self._number()

    def _length(self) -> None:
        self._once("length")
        start = self._position
        if self._maybe(_WORD) == "any":
            return
        self._position = start
        self._need(_DIGITS, "digits, or any")
        if self._maybe(_DOTS):
            self._need(_DIGITS, "digits")

    def _outside(self, what: str) -> None:
        if self._in_scenario:
            refuse(self._first_line, f"{what} stands in a scenario")

    def _inside(self, keyword: str) -> None:
        if not self._in_scenario:
            refuse(self._first_line, f"the statement {keyword} stands outside of any scenario")

    def _once(self, keyword: str) -> None:
        self._inside(keyword)
        if keyword in self._said:
            refuse(self._first_line, f"a second statement {keyword} in one scenario")
        self._said.add(keyword)

    # --- parts ---

    def _distribution(self, with_secrets: bool) -> Distribution:
        name = self._name()
        self._need(_ARROW, "->")
        entries = self._entries(with_secrets)
        return Distribution(name, entries, self._first_line, len(self._found.parameters))

    def _entries(self, with_secrets: bool = False) -> list[Entry]:
        """Formulas with names, and commas between them."""
        found = []
        while True:
            formula, line = self._formula(), self._line
            name = self._name()
            secrets = self._secrets() if with_secrets and self._maybe(_OPEN) else ()
            found.append(Entry(formula, name, secrets, line))
            if not self._comma():
                return found

    def _secrets(self) -> tuple[str, ...]:
        """The names up to a bracket."""
        found = [self._name()]
        while self._comma():
            found.append(self._name())
        self._need(_CLOSE, "a comma or ]")
        return tuple(found)

    def _formula(self) -> str:
        """The longest run of what a formula may have."""
        text, start = self._text, _end_of(_GAP, self._text, self._position)
        end, depth = _end_of(_OUTSIDE, text, start), 0
        while (mark := text[end : end + 1]) in ("(", ")"):
            depth = depth + 1 if mark == "(" else max(depth - 1, 0)
            end = _end_of(_INSIDE if depth else _OUTSIDE, text, end + 1)
        if start == end:
            self._fail("a probability")
        self._position = end
        return intern(text[start:end])

    def _number(self) -> Fraction:
        spelled = self._need(_NUMBER, "a number")
        try:
            return read_number(spelled)
        except BadNumber as problem:
            refuse(self._line, f"{start_of(spelled)} {problem}")

    def _name(self, what: str = "a name") -> str:
        return self._meant(self._need(_NAME, what))

    def _meant(self, spelled: str) -> str:
        """A name as it is meant."""
        if not spelled.startswith('"'):
            return intern(spelled)
        name = re.sub(r'\\(["\\])', r"\1", spelled[1:-1])
        if any(c < " " or c == "\x7f" or "\ud800" <= c <= "\udfff" for c in name):
            what = "holds a control character or half of a surrogate pair"
            refuse(self._line, f"the name {shown(name)} {what}")
        return intern(name)

    def _keyword(self, word: str) -> None:
        start = self._position
        if self._maybe(_WORD) != word:
            self._position = start
            self._fail(word)

    def _maybe(self, part: re.Pattern[str]) -> str:
        """What the part is, if it comes next, which is then behind; otherwise nothing."""
        match = part.match(self._text, self._position)
        if match is None:
            return ""
        self._position = match.end()
        return match[1]

    def _need(self, part: re.Pattern[str], what: str) -> str:
        found = self._maybe(part)
        if not found:
            self._fail(what)
        return found

    def _comma(self) -> bool:
        found = self._maybe(_COMMA)
        self._line += found.count("\n")
        return found != ""

    def _at_end(self, ahead: bool = False) -> bool:
        """Whether the statement ends here; without ``ahead`` its line is then behind."""
        match = _END.match(self._text, self._position)
        if match is not None and not ahead:
            self._position = match.end()
            self._line += match[0].count("\n")
        return match is not None

    def _end(self) -> None:
        if not self._at_end():
            self._fail("the end of the statement")

    def _pass_nothing(self) -> None:
        match = _NOTHING.match(self._text, self._position)
        if match is not None:
            self._position = match.end()
            self._line += match[0].count("\n")

    def _fail(self, expected: str) -> NoReturn:
        end = self._text.find("\n", self._position)
        rest = self._text[self._position : len(self._text) if end < 0 else end].strip(" \t\r")
        found = start_of(rest) if rest and not rest.startswith("#") else "the end of the line"
        refuse(self._line, f"expected {expected}; found {found}")


def _end_of(part: re.Pattern[str], text: str, start: int) -> int:
    """Where a part ends that may be empty."""
    match = part.match(text, start)
    return start if match is None else match.end()
