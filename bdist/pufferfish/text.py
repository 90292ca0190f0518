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

SPEC section 1 has the grammar, completely. No word is reserved: a statement whose first part is followed by
``[`` is a state, whatever the word is, and otherwise its first word says what it is. Blanks must stand where
two words would run together, so there is one before ``->``, as ``a->`` begins with the word ``a-``; and
``1 - p x`` is the probability 1 of ``-``, followed by what does not belong there.

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
from typing import NamedTuple, NoReturn, TypeVar

from bdist.errors import ModelError, ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import rational_text
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


# --- reading ---


_KEYWORDS = ("parameter", "initial", "scenario", "prior", "pair", "words", "epsilon", "length")
_STATE = "a state such as: s0 [start] -> 1/2 s1, 1/2 s2"
_BLANKS_IN_FORMULA = "a formula with blanks stands in parentheses, as in: (1 - p) name"
_PIECE = re.compile(r"[^\s,\[\]()\"#]++|[()]|[ \t\r]++")
_DIGITS = re.compile(r"[0-9]++")
_LONGEST_LENGTH = 9  # digits


class _Secret(NamedTuple):
    name: str
    line: int
    column: int


class _Share(NamedTuple):
    """An entry of a row, of what a state shows, or of a prior: a formula, and a name with its place."""

    formula: str
    name: str
    line: int
    column: int
    secrets: tuple[_Secret, ...] = ()


@dataclass
class _Block:
    """A scenario as far as it is read; what is said once is called as the statement is."""

    name: str
    priors: list[tuple[str, list[_Share]]] = field(default_factory=list)
    pairs: list[tuple[Neighbours, int, tuple[int, int]]] = field(default_factory=list)  # line, columns
    words: Words | None = None
    epsilon: Epsilon | None = None
    length: Lengths | None = None


class _Reader(WordScanner):
    """The place in a file that is read next, and what was declared before; names are resolved at the end."""

    NUMBER = re.compile(r"[^\s,\[\]()\"#]++")  # formulas stand beside numbers
    END = END_OF_LINE

    def __init__(self, text: str, source: str | Path) -> None:
        super().__init__(text, source)
        self.number = Numbers(signed=True)
        self._declared: set[tuple[str, str]] = set()  # kind and name
        self._ranges: dict[str, Range] = {}
        self._formulas: dict[str, tuple[Entry, int]] = {"1": (Fraction(1), 0)}  # and how many ranges it knew
        self._numbers: dict[str, int] = {}
        self._states: list[tuple[str, list[_Share], list[_Share] | None]] = []
        self._initials: dict[str, list[_Share]] = {}
        self._blocks: list[_Block] = []

    def model(self) -> HiddenMarkovModel:
        """Read the file. Raises: FormatError; ModelError."""
        name = self.header("hmm", "the model's name")
        while self.next_statement():
            self._statement()
        if not self._states:
            self.fail(_STATE)
        states = tuple(
            HiddenState(
                state,
                self._entries(shown, lambda share: share.name, f"state '{state}' shows", "twice"),
                None if row is None else self._row(row),
            )
            for state, shown, row in self._states
        )
        initials = tuple(Initial(initial, self._row(row)) for initial, row in self._initials.items())
        scenarios = tuple(map(self._scenario, self._blocks))
        try:
            return HiddenMarkovModel(states, tuple(self._ranges.values()), initials, scenarios, name)
        except ModelError as error:
            raise self.model_error(error) from None

    # --- statements ---

    def _statement(self) -> None:
        line, word = self.line + 1, self.word()
        column, name = self.placed_name(f"{_STATE}, or one of the words {', '.join(_KEYWORDS[:3])}")
        if self.sees("["):
            self._refuse_in_scenario(f"state '{name}'", column)
            self._declare("state", name, line, column)
            self._numbers[name] = len(self._states)
            shown = self._shown()
            if self.sees("->"):
                self.position += 2
                self._states.append((name, shown, self._distribution()))
            else:
                self.end_of_line(f"'->' and the row, {END_OF_LINE}")
                self._states.append((name, shown, None))
        elif word == "scenario":
            self.skip_blank()
            column, name = (
                (self.position + 1, "") if self.at_end() else self.placed_name("the scenario's name")
            )
            self.end_of_line()
            self._declare("scenario", name, line, column)
            self._blocks.append(_Block(name))
        elif word == "parameter":
            self._refuse_in_scenario("a parameter", column)
            self._parameter()
        elif word == "initial":
            self._refuse_in_scenario("an initial distribution", column)
            name = self._declared_name("initial distribution", "the distribution")
            self._initials[name] = self._distribution()
        elif word in _KEYWORDS:
            self._part_of_scenario(word, column)
        elif not word or self.sees("->"):
            self.fail(f"'[' and what state '{name}' shows, as in: s0 [start] -> 1 s1")
        else:
            found = f"found '{word[:40]}'{resembling(word, _KEYWORDS)}"
            self.refuse(f"expected {_STATE}, or one of the words {', '.join(_KEYWORDS)}; {found}", column)

    def _part_of_scenario(self, word: str, column: int) -> None:
        if not self._blocks:
            message = f"'{word}' stands in a scenario; write a line with 'scenario' and its name before it"
            self.refuse(message, column)
        block = self._blocks[-1]
        if getattr(block, word, None) is not None:
            self.refuse(f"the scenario says '{word}' twice", column)
        if word == "prior":
            name = self._declared_name("prior", "the cases")
            block.priors.append((name, self._distribution(with_secrets=True)))
        elif word == "pair":
            block.pairs.append(self._pair())
        elif word == "words":
            block.words = self._words()
        elif word == "epsilon":
            block.epsilon = self._epsilon()
        else:
            block.length = self._lengths()

    def _declared_name(self, kind: str, what: str) -> str:
        """The name of an initial distribution or a prior, and the arrow after it."""
        column, name = self.placed_name(f"the name of the {kind}")
        self._declare(kind, name, self.line + 1, column)
        self.symbol("->", f"'->' with a blank before it, and {what}")
        return name

    def _declare(self, kind: str, name: str, line: int, column: int) -> None:
        """Note the line of a part, as a ModelError calls it. Raises: FormatError where its name is taken."""
        if (kind, name) in self._declared:
            if (kind, name) == ("scenario", ""):
                self.place.refuse("there is a second scenario without a name", line, column)
            self.place.refuse(f"{kind} '{name}' is declared twice", line, column)
        other = {"state": "initial distribution", "initial distribution": "state"}.get(kind, "")
        if (other, name) in self._declared:
            self.place.refuse(f"'{name}' is declared twice: as {other} and as {kind}", line, column)
        self._declared.add((kind, name))
        self.declared_at[name if kind == "state" else f"{kind.split(' ')[0]} {name}"] = line

    def _refuse_in_scenario(self, what: str, column: int) -> None:
        if self._blocks:
            last = self._blocks[-1].name
            where = f"scenario '{last}'" if last else "a scenario"
            self.refuse(f"{what} stands in {where}; all of them stand before the first scenario", column)

    # --- what follows the word of a statement ---

    def _parameter(self) -> None:
        self.skip_blank()
        column, name = self.position + 1, self.word()
        if not LETTERS.fullmatch(name):
            self.fail("the name of the parameter: letters, digits and _, not beginning with a digit")
        if name in self._ranges:
            self.refuse(f"parameter '{name}' is declared twice", column)
        if len(self._ranges) == MOST_PARAMETERS:
            self.refuse(f"there are more than {MOST_PARAMETERS} parameters", column)
        self.declared_at[f"parameter {name}"] = self.line + 1
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
        self._ranges[name] = Range(name, low, high, has_low, has_high)

    def _shown(self) -> list[_Share]:
        """What a state shows, with its brackets."""
        self.symbol("[", "'[' and what the state shows")
        line, start = self.line, self.position
        if self.sees('"') or self.word():
            column, name = self.placed_name("an observation")
            if self.sees("]"):
                self.position += 1
                return [_Share("1", name, line + 1, column)]
            self.line, self.position = line, start
        found = list(self._shares("an observation"))
        self.symbol("]", "',' and another probability, or ']' after what the state shows")
        return found

    def _distribution(self, *, with_secrets: bool = False) -> list[_Share]:
        """A distribution on states, or on cases, to the end of the statement."""
        found = list(self._shares("a state", with_secrets=with_secrets))
        more = "'[' and secrets, ',' and another case" if with_secrets else "',' and another probability"
        self.end_of_line(f"{more}, {END_OF_LINE}")
        return found

    def _pair(self) -> tuple[Neighbours, int, tuple[int, int]]:
        what = "a state, an initial distribution or a secret"
        line = self.line + 1
        first_column, first = self.placed_name(what)
        both = not self.sees("->")
        if not both:
            self.position += 2
        second_column, second = self.placed_name(what)
        self.end_of_line()
        return Neighbours(first, second, both), line, (first_column, second_column)

    def _words(self) -> Words:
        for words in Words:
            if self.takes(words.value):
                self.end_of_line()
                return words
        return self.fail("'all' or 'common'")

    def _epsilon(self) -> Epsilon:
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

    def _lengths(self) -> Lengths:
        found = Lengths()
        if not self.takes("any"):
            least = most = self._digits("a length such as 5, 1..5 or any")
            if self.sees(".."):
                self.position += 2
                most = self._digits("the largest length")
            found = Lengths(least, most)
        self.end_of_line()
        return found

    def _digits(self, what: str) -> int:
        self.skip_blank()
        digits = _DIGITS.match(self.text(), self.position)
        if digits is None:
            self.fail(what)
        if len(digits[0].lstrip("0")) > _LONGEST_LENGTH:
            self.refuse(f"a length of more than {_LONGEST_LENGTH} digits")
        self.position = digits.end()
        return int(digits[0].lstrip("0") or "0")

    def _shares(self, what: str, *, with_secrets: bool = False) -> Iterator[_Share]:
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
            yield _Share(formula, name, line, column, secrets)
            if not self.takes_comma("another probability"):
                return

    def _secrets(self) -> Iterator[_Secret]:
        self.symbol("[", "'[' and a secret")
        while True:
            self.skip_blank()
            line = self.line + 1
            column, secret = self.placed_name("a secret")
            yield _Secret(secret, line, column)
            if not self.takes_comma("another secret"):
                break
        self.symbol("]", "',' and another secret, or ']'")

    # --- formulas ---

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
        if formula not in self._formulas:
            try:
                self._formulas[formula] = self._value(formula), len(self._ranges)
            except UnknownParameter as error:
                meant = resembling(error.name, list(self._ranges))
                message = f"'{error.name}' is not a parameter that is declared above{meant}"
                self._refuse_formula(message, formula, error.offset, depth)
            except BadFormula as error:
                self._refuse_formula(str(error), formula, error.offset, depth)
        self.position = end
        return formula

    def _refuse_formula(self, message: str, formula: str, offset: int, depth: int) -> NoReturn:
        hint = f"; {_BLANKS_IN_FORMULA}" if offset >= len(formula) and depth <= 0 else ""
        self.refuse(message + hint, self.position + offset + 1)

    def _entry(self, text: str) -> Entry:
        """The value of a formula that was read before, once all parameters are declared."""
        value, known = self._formulas[text]
        if not isinstance(value, Fraction) and known < len(self._ranges):
            value = self._value(text)
            self._formulas[text] = value, len(self._ranges)
        return value

    def _value(self, text: str) -> Entry:
        names = sorted(self._ranges)
        box = tuple((self._ranges[name].low, self._ranges[name].high) for name in names)
        return read_formula(text, Ring(tuple(names)), box)

    # --- names, once all are declared ---

    def _row(self, shares: list[_Share]) -> Entries:
        return self._entries(shares, self._number, "target", "stands twice in one row")

    def _entries(
        self, shares: list[_Share], key: Callable[[_Share], Named], what: str, twice: str
    ) -> tuple[tuple[Named, Entry], ...]:
        """What is named, each once, with its entry; without those that are 0."""
        found: dict[Named, Entry] = {}
        for share in shares:
            name = key(share)
            if name in found:
                self.place.refuse(f"{what} '{share.name}' {twice}", share.line, share.column)
            found[name] = self._entry(share.formula)
        return tuple((name, entry) for name, entry in found.items() if entry != 0)

    def _number(self, share: _Share) -> int:
        number = self._numbers.get(share.name)
        if number is None:
            message = f"there is no state '{share.name}'{resembling(share.name, list(self._numbers))}"
            self.place.refuse(message, share.line, share.column)
        return number

    def _scenario(self, block: _Block) -> Scenario:
        priors = tuple(Prior(name, tuple(self._cases(name, cases))) for name, cases in block.priors)
        secrets = {secret.name for _, cases in block.priors for case in cases for secret in case.secrets}
        sides = [*self._numbers, *self._initials, *sorted(secrets)] if block.pairs else []
        known = set(sides)
        for pair, line, columns in block.pairs:
            for side, column in zip((pair.first, pair.second), columns, strict=True):
                if side not in known:
                    message = f"'{side}' is no state, initial distribution or secret of the scenario"
                    self.place.refuse(message + resembling(side, sides), line, column)
        neighbours = tuple(pair for pair, _, _ in block.pairs)
        words = block.words or Words.ALL
        return Scenario(block.name, neighbours, priors, words, block.epsilon, block.length)

    def _cases(self, prior: str, shares: list[_Share]) -> Iterator[Case]:
        seen: set[tuple[int, tuple[str, ...]]] = set()
        for share in shares:
            secrets = [secret.name for secret in share.secrets]
            for number, (secret, line, column) in enumerate(share.secrets):
                if secret in self._numbers or secret in self._initials:
                    kind = "state" if secret in self._numbers else "initial distribution"
                    self.place.refuse(f"'{secret}' is declared twice: as {kind} and as secret", line, column)
                if secret in secrets[:number]:
                    self.place.refuse(f"the secret '{secret}' stands twice in one case", line, column)
            case = Case(self._number(share), tuple(sorted(secrets)), self._entry(share.formula))
            if (case.state, case.secrets) in seen:
                message = f"prior '{prior}' has two cases with state '{share.name}' and the same secrets"
                self.place.refuse(message, share.line, share.column)
            seen.add((case.state, case.secrets))
            yield case
