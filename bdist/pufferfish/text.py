r"""The ``.hmm`` format: hidden Markov models and the scenarios in which their privacy is asked for.

    # comment to the end of the line
    hmm two-people                                       # keyword, optional name
    parameter p in (0, 1)                                # before it is used
    none [2/3 low, 1/3 high]                             # state [probability observation, ...]: it halts
    both [1/3 low, 2/3 high]
    home [quiet] -> 1/2 none, (1 - p)/2 both,            # state [observation] -> probability state, ...
                    p/2 "a guest"                        # a line that ends in a comma goes on in the next
    "a guest" [high]
    initial asleep -> 1 home                             # a distribution on states
    scenario contagious                                  # what is asked, up to the next scenario
      prior family -> p both [ill], (1 - p) none [well]  # probability state [secret, ...]: what is believed
      pair ill well                                      # both ways; pair ill -> well is one way
      words all                                          # or common: words that both sides can show
      epsilon ln 2                                       # or a number
      length 1                                           # or 1..5, or any

The grammar, completely. Lines end with a line feed, or with the file. A line is nothing, or one
*statement*, and after it perhaps a comment, which begins with a ``#`` outside of quotes. The first
statement is the header. A statement whose last part in a line is a comma goes on in the next line that is
not empty but for blanks and a comment. Indentation is blanks.

    header      = "hmm" [name]
    parameter   = "parameter" letters "in" ("(" | "[") number "," number (")" | "]")
    state       = name "[" observed "]" ["->" row]
    observed    = name  |  probability name {"," probability name}
    row         = probability name {"," probability name}
    initial     = "initial" name "->" row
    scenario    = "scenario" [name]
    prior       = "prior" name "->" case {"," case}
    case        = probability name ["[" name {"," name} "]"]
    pair        = "pair" name ["->"] name
    words       = "words" ("all" | "common")
    epsilon     = "epsilon" ("ln" number | number)
    length      = "length" (digits [".." digits] | "any")

* A statement whose first part is a word followed by ``[`` is a state, whatever the word is. Otherwise the
  first word says which statement it is. So no word is reserved.
* A *word* is a longest run of ``A-Z a-z 0-9 _ . ' + -``. A *name* is a word, or *quoted*: any text without a
  line feed between two ``"``, where ``\"`` stands for a quote, ``\\`` for a backslash, and a backslash before
  anything else for itself. No name holds a control character or half of a surrogate pair. *Letters* are
  ``[A-Za-z_][A-Za-z0-9_]*``.
* A *number* is a longest run of characters that are neither white space nor one of ``, [ ] ( ) " #``, and
  reads ``p/q``, a decimal, or a decimal with an exponent, each perhaps with a sign. *Digits* are ``[0-9]+``.
* A *probability* is a longest run of characters that are none of ``, [ ] " #`` and no white space, except
  that blanks may stand where a parenthesis is open. It is a formula (`bdist.pufferfish.formulas`) in the
  parameters that are declared in earlier statements.
* Blanks (space, tab, carriage return) may stand between any two parts, and must where two words or a
  probability and a word would run together. So there is one before ``->``, as ``a->`` begins with the word
  ``a-``; and ``1 - p x`` is the probability 1 of ``-``, followed by what does not belong there.

The order of states and of all entries is kept. Entries that are 0 are dropped, but for cases of a prior,
after their names were looked at. What must hold beyond the form (sums of 1, probabilities that are nowhere
negative, an end that can be seen) is the model's business (`bdist.pufferfish.model`), and is refused with
the line of the part.

The checker has a second reader of its own; a test holds the two against each other. It ignores what a
scenario asks, as a certificate says itself what it claims; here, a question that makes no sense is refused.

A formula is read where it stands, with the parameters that are declared so far, so that what is wrong with it
is refused there. Its normal form, however, depends on all parameters of the file (how a box is halved does,
SPEC section 1), so a formula with parameters is read again at the end if there are more of them by then.
Files declare their parameters on top, and nothing is read twice; and however often a text occurs, it is read
once, as a model has many entries and few different ones. Reading takes a few microseconds an entry.

Decided against: numbers for the states (nobody counts 27 rows to find a target), conditional distributions
instead of priors with secrets (their author conditions by hand, and the literature shows how that goes
wrong), blanks in formulas outside of parentheses (a row needs no mark between probability and target), and
a statement for every part of a state, which would be four times as long as the matrix it replaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from bdist.errors import ModelError, ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.exact.reading import rational_text
from bdist.pufferfish.formulas import LETTERS, MOST_PARAMETERS, BadFormula, UnknownParameter, read_formula
from bdist.pufferfish.model import (
    Case,
    Entries,
    HiddenMarkovModel,
    HiddenState,
    Initial,
    Lengths,
    Neighbours,
    Prior,
    Range,
    Scenario,
    Words,
)
from bdist.pufferfish.polynomials import Entry, Ring, entry_text
from bdist.text.files import read_text
from bdist.text.scanner import END_OF_LINE, Numbers, WordScanner, name_text, resembling

SUFFIX = ".hmm"

Named = TypeVar("Named", bound=Hashable)

_IN_MODEL = ("parameter", "initial", "scenario")
_IN_SCENARIO = ("prior", "pair", "words", "epsilon", "length")
_STATE = "a state such as: s0 [start] -> 1/2 s1, 1/2 s2"
_WIDTH = 100


def load_hidden_model(path: str | Path) -> HiddenMarkovModel:
    """Read a ``.hmm`` file.

    Raises: FormatError where it cannot be read or does not follow the format, with line and column;
    ModelError with the line of the state, distribution or scenario that is none.
    """
    return read(read_text(path), path)


def read(text: str, source: str | Path = "<text>") -> HiddenMarkovModel:
    """Parse ``.hmm`` text. Raises: FormatError with line and column; ModelError with the line of the part."""
    return _Reader(text, source).model()


def write(model: HiddenMarkovModel) -> str:
    """The model as ``.hmm`` text; reading it back gives an equal model of the same name."""
    names = [name_text(state.name) for state in model.states]

    def row(entries: Entries) -> list[str]:
        return [f"{entry_text(entry, model.ring.names)} {names[target]}" for target, entry in entries]

    lines = ["hmm" + (f" {name_text(model.name)}" if model.name else "")]
    lines += [_range_text(parameter) for parameter in model.parameters]
    for name, state in zip(names, model.states, strict=True):
        head = f"{name} ["
        if len(state.observations) == 1 and state.observations[0][1] == 1:
            head += name_text(state.observations[0][0]) + "]"
        else:
            shares = [f"{entry_text(e, model.ring.names)} {name_text(o)}" for o, e in state.observations]
            *before, head = _wrapped(head, shares, "]")
            lines += before
        lines += [head] if state.row is None else _wrapped(f"{head} -> ", row(state.row))
    for initial in model.initials:
        lines += _wrapped(f"initial {name_text(initial.name)} -> ", row(initial.row))
    for scenario in model.scenarios:
        lines += ["", "scenario" + (f" {name_text(scenario.name)}" if scenario.name else "")]
        for prior in scenario.priors:
            cases = [
                f"{entry_text(case.probability, model.ring.names)} {names[case.state]}"
                + (f" [{', '.join(map(name_text, case.secrets))}]" if case.secrets else "")
                for case in prior.cases
            ]
            lines += _wrapped(f"  prior {name_text(prior.name)} -> ", cases)
        lines += [
            f"  pair {name_text(pair.first)}{' ' if pair.both else ' -> '}{name_text(pair.second)}"
            for pair in scenario.neighbours
        ]
        lines.append(f"  words {scenario.words.value}")
        lines += [] if scenario.epsilon is None else [f"  epsilon {scenario.epsilon.text}"]
        lines += [] if scenario.lengths is None else [f"  length {scenario.lengths.text}"]
    return "\n".join(lines) + "\n"


def _range_text(parameter: Range) -> str:
    left, right = "[" if parameter.has_low else "(", "]" if parameter.has_high else ")"
    ends = f"{rational_text(parameter.low)}, {rational_text(parameter.high)}"
    return f"parameter {parameter.name} in {left}{ends}{right}"


def _wrapped(head: str, parts: list[str], tail: str = "") -> list[str]:
    """Parts with commas between them, on lines of a width that can be read; the rest are indented."""
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    lines = [head]
    for number, part in enumerate(parts):
        ending = tail if number == len(parts) - 1 else ","
        if number and len(lines[-1]) + 1 + len(part) + len(ending) > _WIDTH:
            lines.append(indent + part + ending)
        else:
            lines[-1] += (" " if number else "") + part + ending
    return lines


@dataclass
class _Block:
    """A scenario as far as it is read."""

    name: str
    priors: list[tuple[str, list[Share]]] = field(default_factory=list)
    pairs: list[tuple[Neighbours, list[int]]] = field(default_factory=list)  # line and columns of the sides
    words: Words | None = None
    epsilon: Epsilon | None = None
    lengths: Lengths | None = None


class _Reader:
    """What a file has declared so far; names are resolved when all are."""

    def __init__(self, text: str, source: str | Path) -> None:
        self._scanner = StatementScanner(text, source)
        self._place = self._scanner.place
        self._lines: dict[str | None, int] = {}  # of parts, by what a ModelError calls them
        self._declared: set[tuple[str, str]] = set()  # kind and name
        self._numbers: dict[str, int] = {}
        self._states: list[tuple[str, list[Share], list[Share] | None]] = []
        self._initials: dict[str, list[Share]] = {}
        self._blocks: list[_Block] = []

    def model(self) -> HiddenMarkovModel:
        """Read the file. Raises: FormatError; ModelError."""
        name = self._scanner.header("hmm", "the model's name")
        while self._scanner.next_statement():
            self._read_statement()
        if not self._states:
            self._scanner.fail(_STATE)
        states = tuple(
            HiddenState(state, self._shown(state, shown), None if row is None else self._row(row))
            for state, shown, row in self._states
        )
        initials = tuple(Initial(initial, self._row(row)) for initial, row in self._initials.items())
        scenarios = tuple(self._scenario(block) for block in self._blocks)
        ranges = tuple(self._scanner.formulas.ranges.values())
        try:
            return HiddenMarkovModel(states, ranges, initials, scenarios, name)
        except ModelError as error:
            raise self._place.model_error(error, self._lines.get(error.state, 0)) from None

    def _read_statement(self) -> None:
        scanner, line = self._scanner, self._scanner.line + 1
        word = scanner.word()
        column, name = scanner.placed_name(f"{_STATE}, or one of the words {', '.join(_IN_MODEL)}")
        if scanner.sees("["):
            self._refuse_in_scenario(f"state '{name}'", line, column)
            self._declare("state", name, line, column)
            self._numbers[name] = len(self._states)
            shown = scanner.shown()
            row = None
            if scanner.sees("->"):
                scanner.position += 2
                row = scanner.targets()
            else:
                scanner.end_of_line(f"'->' and the row, {END_OF_LINE}")
            self._states.append((name, shown, row))
        elif word in _IN_MODEL:
            self._read_part_of_model(word, line, column)
        elif word in _IN_SCENARIO:
            self._read_part_of_scenario(word, line, column)
        elif not word or scanner.sees("->"):
            scanner.fail(f"'[' and what state '{name}' shows, as in: s0 [start] -> 1 s1")
        else:
            meant = resembling(word, [*_IN_MODEL, *_IN_SCENARIO])
            words = ", ".join([*_IN_MODEL, *_IN_SCENARIO])
            message = f"expected {_STATE}, or one of the words {words}; found '{word[:40]}'{meant}"
            self._place.refuse(message, line, column)

    def _read_part_of_model(self, word: str, line: int, column: int) -> None:
        scanner = self._scanner
        if word == "scenario":
            scanner.skip_blank()
            at, name = scanner.position + 1, ""
            if not scanner.at_end():
                at, name = scanner.placed_name("the scenario's name")
            scanner.end_of_line()
            self._declare("scenario", name, line, at)
            self._blocks.append(_Block(name))
        elif word == "parameter":
            self._refuse_in_scenario("a parameter", line, column)
            found = scanner.parameter()
            self._lines[f"parameter {found.name}"] = line
            scanner.formulas.ranges[found.name] = found
        else:
            self._refuse_in_scenario("an initial distribution", line, column)
            name = self._declared_name("initial distribution", line, "the distribution")
            self._initials[name] = scanner.targets()

    def _declared_name(self, kind: str, line: int, what: str) -> str:
        """The name of an initial distribution or a prior, and the arrow after it."""
        at, name = self._scanner.placed_name(f"the name of the {kind}")
        self._declare(kind, name, line, at)
        self._scanner.symbol("->", f"'->' with a blank before it, and {what}")
        return name

    def _read_part_of_scenario(self, word: str, line: int, column: int) -> None:
        scanner = self._scanner
        if not self._blocks:
            message = f"'{word}' stands in a scenario; write a line with 'scenario' and its name before it"
            self._place.refuse(message, line, column)
        block = self._blocks[-1]
        if getattr(block, {"length": "lengths"}.get(word, word), None) is not None:
            self._place.refuse(f"the scenario says '{word}' twice", line, column)
        if word == "prior":
            block.priors.append((self._declared_name("prior", line, "the cases"), scanner.cases()))
        elif word == "pair":
            block.pairs.append(scanner.pair())
        elif word == "words":
            block.words = scanner.words()
        elif word == "epsilon":
            block.epsilon = scanner.epsilon()
        else:
            block.lengths = scanner.lengths()

    def _declare(self, kind: str, name: str, line: int, column: int) -> None:
        """Note the line of a part. Raises: FormatError where its name is taken."""
        if (kind, name) in self._declared:
            self._place.refuse(f"{kind} '{name}' is declared twice", line, column)
        other = {"state": "initial distribution", "initial distribution": "state"}.get(kind, "")
        if (other, name) in self._declared:
            self._place.refuse(f"'{name}' is declared twice: as {other} and as {kind}", line, column)
        self._declared.add((kind, name))
        word = kind.split(" ")[0]
        self._lines[name if kind == "state" else f"{word} {name}"] = line

    def _refuse_in_scenario(self, what: str, line: int, column: int) -> None:
        if self._blocks:
            name = f" '{self._blocks[-1].name}'" if self._blocks[-1].name else ""
            message = f"{what} stands in scenario{name}; all of them stand before the first scenario"
            self._place.refuse(message, line, column)

    def _shown(self, state: str, shares: list[Share]) -> tuple[tuple[str, Entry], ...]:
        return self._entries(
            shares, lambda share: share.name, lambda share: f"state '{state}' shows '{share.name}' twice"
        )

    def _row(self, shares: list[Share]) -> Entries:
        return self._entries(
            shares, self._number, lambda share: f"target '{share.name}' stands twice in one row"
        )

    def _entries(
        self, shares: list[Share], key: Callable[[Share], Named], twice: Callable[[Share], str]
    ) -> tuple[tuple[Named, Entry], ...]:
        """What is named, each once, with its entry; without those that are 0."""
        found: dict[Named, Entry] = {}
        for share in shares:
            name = key(share)
            if name in found:
                self._place.refuse(twice(share), share.line, share.column)
            found[name] = self._scanner.formulas.entry(share.formula)
        return tuple((name, entry) for name, entry in found.items() if entry != 0)

    def _number(self, share: Share) -> int:
        number = self._numbers.get(share.name)
        if number is None:
            message = f"there is no state '{share.name}'{resembling(share.name, list(self._numbers))}"
            self._place.refuse(message, share.line, share.column)
        return number

    def _scenario(self, block: _Block) -> Scenario:
        priors = tuple(self._prior(name, cases) for name, cases in block.priors)
        secrets = {secret for _, cases in block.priors for case in cases for secret, _, _ in case.secrets}
        sides = [*self._numbers, *self._initials, *sorted(secrets)] if block.pairs else []
        known = set(sides)
        for pair, (line, *columns) in block.pairs:
            for side, column in zip((pair.first, pair.second), columns, strict=True):
                if side not in known:
                    message = f"'{side}' is no state, initial distribution or secret of the scenario"
                    self._place.refuse(message + resembling(side, sides), line, column)
        neighbours = tuple(pair for pair, _ in block.pairs)
        return Scenario(
            block.name, neighbours, priors, block.words or Words.ALL, block.epsilon, block.lengths
        )

    def _prior(self, name: str, shares: list[Share]) -> Prior:
        seen: set[tuple[int, tuple[str, ...]]] = set()
        cases = []
        for share in shares:
            secrets = tuple(sorted(secret for secret, _, _ in share.secrets))
            for number, (secret, line, column) in enumerate(share.secrets):
                if secret in self._numbers or secret in self._initials:
                    kind = "state" if secret in self._numbers else "initial distribution"
                    self._place.refuse(f"'{secret}' is declared twice: as {kind} and as secret", line, column)
                if secret in (before for before, _, _ in share.secrets[:number]):
                    self._place.refuse(f"the secret '{secret}' stands twice in one case", line, column)
            state = self._number(share)
            if (state, secrets) in seen:
                message = f"prior '{name}' has two cases with state '{share.name}' and the same secrets"
                self._place.refuse(message, share.line, share.column)
            seen.add((state, secrets))
            probability = self._scanner.formulas.entry(share.formula)
            cases.append(Case(state, secrets, probability))
        return Prior(name, tuple(cases))


# --- statements ---


_PIECE = re.compile(r"[^\s,\[\]()\"#]++|[()]|[ \t\r]++")
_DIGITS = re.compile(r"[0-9]++")
_LONGEST_WORDS = 9  # digits of a length
_BLANKS_IN_FORMULA = "a formula with blanks stands in parentheses, as in: (1 - p) name"


@dataclass(frozen=True, slots=True)
class Share:
    """An entry of a row, of what a state shows, or of a prior: a formula, and a name with its place."""

    formula: str
    name: str
    line: int
    column: int
    secrets: tuple[tuple[str, int, int], ...] = ()  # each with its place


class Formulas:
    """The parameters that are declared so far, and every formula that was read, by its text."""

    def __init__(self) -> None:
        self.ranges: dict[str, Range] = {}
        self._read: dict[str, tuple[Entry, int]] = {"1": (Fraction(1), 0)}

    def check(self, text: str) -> None:
        """Raises: BadFormula where it is none, or uses a parameter that is not declared yet."""
        if text in self._read:
            return
        try:
            self._read[text] = self._value(text), len(self.ranges)
        except UnknownParameter as error:
            meant = resembling(error.name, list(self.ranges))
            message = f"'{error.name}' is not a parameter that is declared above{meant}"
            raise BadFormula(message, error.offset) from None

    def entry(self, text: str) -> Entry:
        """The value of a formula that was checked, once all parameters are declared."""
        value, known = self._read[text]
        if isinstance(value, Fraction) or known == len(self.ranges):
            return value
        value = self._value(text)
        self._read[text] = value, len(self.ranges)
        return value

    def _value(self, text: str) -> Entry:
        names = sorted(self.ranges)
        box = tuple((self.ranges[name].low, self.ranges[name].high) for name in names)
        return read_formula(text, Ring(tuple(names)), box)


class StatementScanner(WordScanner):
    """The text of a ``.hmm`` file, and the place in it that is read next."""

    NUMBER = re.compile(r"[^\s,\[\]()\"#]++")  # formulas stand beside numbers
    END = END_OF_LINE

    def __init__(self, text: str, source: str | Path) -> None:
        super().__init__(text, source)
        self.number = Numbers(signed=True)
        self.formulas = Formulas()

    def parameter(self) -> Range:
        """What follows ``parameter``. Raises: FormatError also where it is one too many, or empty."""
        self.skip_blank()
        column, name = self.position + 1, self.word()
        if not LETTERS.fullmatch(name):
            self.fail("the name of the parameter: letters, digits and _, not beginning with a digit")
        if name in self.formulas.ranges:
            self.refuse(f"parameter '{name}' is declared twice", column)
        if len(self.formulas.ranges) == MOST_PARAMETERS:
            self.refuse(f"there are more than {MOST_PARAMETERS} parameters", column)
        self.position += len(name)
        if not self.takes("in"):
            self.fail(f"'in' and the range, as in: parameter {name} in (0, 1)")
        has_low = self.sees("[")
        self.symbol("[" if has_low else "(", "'(' or '[' and the low end of the range")
        low_column = self.position + 1
        low = self.rational("the low end of the range")
        if not self.takes_comma("the high end of the range"):
            self.fail("',' and the high end of the range")
        high = self.rational("the high end of the range")
        has_high = self.sees("]")
        self.symbol("]" if has_high else ")", "')' or ']' after the range")
        if not low < high:
            ends = f"{rational_text(low)} to {rational_text(high)}"
            self.refuse(f"the range of parameter '{name}' is empty: {ends}", low_column)
        self.end_of_line()
        return Range(name, low, high, has_low, has_high)

    def shown(self) -> list[Share]:
        """What a state shows, with its brackets."""
        self.symbol("[", "'[' and what the state shows")
        line, start = self.line, self.position
        if self.sees('"') or self.word():
            column, name = self.placed_name("an observation")
            if self.sees("]"):
                self.position += 1
                return [Share("1", name, line + 1, column)]
            self.line, self.position = line, start
        found = list(self._shares("an observation", with_secrets=False))
        self.symbol("]", "',' and another probability, or ']' after what the state shows")
        return found

    def targets(self) -> list[Share]:
        """A distribution on states, to the end of the statement."""
        found = list(self._shares("a state", with_secrets=False))
        self.end_of_line(f"',' and another probability, {END_OF_LINE}")
        return found

    def cases(self) -> list[Share]:
        """A distribution on states with secrets, to the end of the statement."""
        found = list(self._shares("a state", with_secrets=True))
        self.end_of_line(f"'[' and secrets, ',' and another case, {END_OF_LINE}")
        return found

    def pair(self) -> tuple[Neighbours, list[int]]:
        """What follows ``pair``, and the line and the columns of its sides."""
        what = "a state, an initial distribution or a secret"
        line = self.line + 1
        first_column, first = self.placed_name(what)
        both = not self.sees("->")
        if not both:
            self.position += 2
        second_column, second = self.placed_name(what)
        self.end_of_line()
        return Neighbours(first, second, both), [line, first_column, second_column]

    def words(self) -> Words:
        """What follows ``words``."""
        for words in Words:
            if self.takes(words.value):
                self.end_of_line()
                return words
        return self.fail("'all' or 'common'")

    def epsilon(self) -> Epsilon:
        """What follows ``epsilon``."""
        is_logarithm = self.takes("ln")
        self.skip_blank()
        column = self.position + 1
        value = self.rational("a number" if is_logarithm else "a number such as 0.5, or 'ln' and a number")
        if is_logarithm and value < 1:
            message = f"epsilon = ln {rational_text(value)} is negative or none; it must be at least 0"
            self.refuse(message, column)
        try:
            found = Epsilon(None, value) if is_logarithm else Epsilon.of(value)
        except ParameterError as error:
            self.refuse(str(error), column)
        self.end_of_line()
        return found

    def lengths(self) -> Lengths:
        """What follows ``length``."""
        if self.takes("any"):
            found = Lengths()
        else:
            least = most = self._digits("a length such as 5, 1..5 or any")
            if self.sees(".."):
                self.position += 2
                most = self._digits("the largest length")
            found = Lengths(least, most)
        self.end_of_line()
        return found

    def _shares(self, what: str, *, with_secrets: bool) -> Iterator[Share]:
        while True:
            formula = self._probability()
            self.skip_blank()
            line, column = self.line + 1, self.position + 1
            sign = self.text()[self.position : self.position + 1]
            if sign and sign in "*/^()":
                self.refuse(_BLANKS_IN_FORMULA, column)
            name = self.name(f"the name of {what}")
            self.skip_blank()
            after = self.text()[self.position : self.position + 1]
            if sign and sign in "+-" and after and after not in ",[]#":
                self.refuse(_BLANKS_IN_FORMULA, column)
            secrets = tuple(self._secrets()) if with_secrets and self.sees("[") else ()
            yield Share(formula, name, line, column, secrets)
            if not self.takes_comma("another probability"):
                return

    def _secrets(self) -> Iterator[tuple[str, int, int]]:
        self.symbol("[", "'[' and a secret")
        while True:
            self.skip_blank()
            line = self.line + 1
            column, secret = self.placed_name("a secret")
            yield secret, line, column
            if not self.takes_comma("another secret"):
                break
        self.symbol("]", "',' and another secret, or ']'")

    def _probability(self) -> str:
        """A formula, checked: it ends at a blank where no parenthesis is open."""
        self.skip_blank()
        text, start, depth = self.text(), self.position, 0
        end = start
        while (piece := _PIECE.match(text, end)) is not None:
            if piece[0] == "(":
                depth += 1
            elif piece[0] == ")":
                depth -= 1
            elif depth <= 0 and piece[0][0] in " \t\r":
                break
            end = piece.end()
        formula = text[start:end].rstrip(" \t\r")
        if not formula:
            self.fail("a probability such as 1/2, 0.5 or (1 - p)")
        try:
            self.formulas.check(formula)
        except BadFormula as error:
            hint = f"; {_BLANKS_IN_FORMULA}" if error.offset >= len(formula) and depth <= 0 else ""
            self.refuse(f"{error}{hint}", start + error.offset + 1)
        self.position = end
        return formula

    def _digits(self, what: str) -> int:
        self.skip_blank()
        digits = _DIGITS.match(self.text(), self.position)
        if digits is None:
            self.fail(what)
        if len(digits[0].lstrip("0")) > _LONGEST_WORDS:
            self.refuse(f"a length of more than {_LONGEST_WORDS} digits")
        self.position = digits.end()
        return int(digits[0].lstrip("0") or "0")
