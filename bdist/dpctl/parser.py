r"""The text of a formula, read into its core.

    D[eps=ln 3] (X out1) & D[eps=ln 3] (X out0)           # the survey is ln 3-differentially private
    forall a in {out0, out1}, b in {out0, out1}: D[eps=ln 9] (X (a & X b))
    forall k in 0..5: P>=1/2 [ F<=k+1 "out 1" ]

From loose to tight; what abbreviates what is in `formulas`:

    forall a in {p, "q r"}, k in 0..5: f    the conjunction of all instances, the last variable fastest
    forall k in 0..: D[...] (X^k f)         all k from 0 on, for a D or several, on decision processes
    f <=> g    f => g                       right associative
    f | g      (or, ∨)
    f & g      (and, ∧)
    f U g      f U<=k g   f W g   f R g     right associative
    !f (not, ¬)   X f   X^k f   F f   F<=k f   G f   G<=k f   D[eps=E, delta=d] f
    p   "any text"   true   false   (f)   P>=q [f]

* Round and square brackets mean the same around a formula: [f] is (f), and P>=q (f) is P>=q [f].
* A name is ``[A-Za-z_][A-Za-z0-9_.'+-]*`` and none of the reserved words X F G U W R P D true false forall in
  and or not, or a text in double quotes without control characters, where ``\"`` stands for a quote, ``\\``
  for a backslash, and a backslash before anything else for itself. ``XX`` is a name: write X X.
* P compares with ``< <= >= >``, and ``P=1`` is ``P>=1``, ``P=0`` is ``P<=0``. E is a number or ``ln`` of one,
  ``4 ln 2`` as well; ``epsilon`` is ``eps``; what is left out is 0. Numbers are exact: p/q, decimals, 1e-4.
* Variables of a schema are ``[A-Za-z_][A-Za-z0-9_]*``. One over names stands for a proposition, wherever it
  stands bare. One over numbers may stand behind ``X^`` and ``<=``, as k, k+1 or k-1 with any number, also in
  parentheses. The body reaches as far as it can.
* ``#`` begins a comment, up to the end of the line; white space is free.

A formula may be a stranger's: whatever is typed is read in a second or refused. What stands between two
parentheses is read as one flat sequence of operands and operators and then grouped, so Python's stack has two
or three frames for a parenthesis, of which there are at most 200 open; the text of a schema is read once
for each instance, and all that is read is counted.

There is no list of tokens, as what comes next depends on where one is: ``k+1`` is a name where a formula is
expected, and a sum behind ``X^``. The parser says what it looks for, and a cursor steps over it if it is
there. A refusal says what was expected and what was found, with line and column, both counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import NoReturn

from bdist.chains.formats.propositions import propositions_of
from bdist.dpctl.formulas import (
    DEEPEST,
    FALSE,
    IDENTIFIER,
    LARGEST_BOUND,
    MOST_CHECKED,
    MOST_INSTANCES,
    MOST_PARTS,
    RESERVED,
    TRUE,
    AlwaysPrivate,
    And,
    Atom,
    Comparison,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Until,
    always,
    conjunction,
    depth_of,
    disjunction,
    equivalence,
    eventually,
    implication,
    next_times,
    release,
    subformulas,
    weak_until,
)
from bdist.errors import FormatError, ParameterError, UnsupportedError
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import parse_rational
from bdist.printing import beginning

SOURCE = "<formula>"

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_QUOTED = re.compile(r'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"')
_ESCAPED = re.compile(r'\\(["\\])')
_FORBIDDEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_FOUND = re.compile(r"->|[A-Za-z0-9_.'+-]+|[<>=&|^!:~*/-]+|.", re.DOTALL)

_SPELLINGS = {"or": "|", "∨": "|", "and": "&", "∧": "&"}
_LEVELS = (("<=>",), ("=>",), ("|",), ("&",), ("U", "W", "R"))  # from loose to tight

_OPERATOR = re.compile(r"<=>|=>|[|∨&∧]|(?:or|and|U|W|R)(?![A-Za-z0-9_.'+-])")
_PREFIX = re.compile(r"[!¬]|(?:not|X|F|G|D)(?![A-Za-z0-9_.'+-])")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COUNT = re.compile(r"(?:([A-Za-z_][A-Za-z0-9_]*)(?:\s*([+-])\s*([0-9]+))?|([0-9]+))(?![A-Za-z0-9_.])")
_DIGITS = re.compile(r"[0-9]+(?![A-Za-z0-9_])")
_GLUED = re.compile(r"[XFG]{2,}|[XFG]+(?=[a-z_0-9])")
_MOST_DIGITS = 9
_CHARACTERS = 100  # of a schema that take as long as a part

_NUMBER = re.compile(r"[^\s,\[\]()#\"]+")
_SETTING = re.compile(r"[^\s,\[\]#\"]+")
_CLOSING = {"(": ")", "[": "]"}
_COMPARISON = re.compile(r"<=|>=|<|>|=")

_Operator = tuple[str, int | None]  # with the bound of an until
_Sized = tuple[Formula, int]  # a formula, and how many parts it has without abbreviations


def parse(text: str) -> Formula:
    """Read a formula.

    Raises: FormatError with line and column, what was expected and what was found.
    """
    parser = _Parser(text)
    try:
        return parser.formula()
    except RecursionError:  # whoever calls us is deep in a stack already
        parser.refuse("the formula is nested too deeply for what is left of Python's stack")


def parse_for(labels: Iterable[str], model: str, formula: Formula | str) -> Formula:
    """A formula that can be asked of a model with these labels of states: ``model`` is "chain" or "process".

    Raises: FormatError; ParameterError where no state has one of its propositions; UnsupportedError where it
    is nested more deeply than certificates are.
    """
    parsed = parse(formula) if isinstance(formula, str) else formula
    depth = depth_of(parsed)
    if depth > MOST_CHECKED:
        raise UnsupportedError(f"the formula is {depth} levels deep; at most {MOST_CHECKED} can be checked")
    known = {name for label in set(labels) for name in propositions_of(label)}
    for name in sorted({part.name for part in subformulas(parsed) if isinstance(part, Atom)} - known):
        listed = ", ".join(sorted(known)[:8]) + (", ..." if len(known) > 8 else "")
        raise ParameterError(f"no state has the proposition '{name}'; this {model} has {listed}")
    return parsed


class _Cursor:
    """The text and the place in it that is read next; ``offset`` may be set back."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0
        self.skip()

    def skip(self) -> None:
        blank = _BLANK.match(self.text, self.offset)
        self.offset = blank.end() if blank else self.offset

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Step over what matches the pattern here; the text that did."""
        found = pattern.match(self.text, self.offset)
        if found is None:
            return None
        self.offset = found.end()
        self.skip()
        return found[0]

    def needs(self, pattern: re.Pattern[str], what: str) -> str:
        """The same. Raises: FormatError where nothing matches."""
        found = self.match(pattern)
        return self.fail(what) if found is None else found

    def takes(self, symbol: str) -> bool:
        """Step over a symbol if it stands here."""
        if not self.text.startswith(symbol, self.offset):
            return False
        self.offset += len(symbol)
        self.skip()
        return True

    def expect(self, symbol: str, what: str) -> None:
        """Step over a symbol. Raises: FormatError where it does not stand here."""
        if not self.takes(symbol):
            self.fail(what)

    def word(self) -> str:
        """The identifier or reserved word that stands here, or nothing; it is not stepped over."""
        found = IDENTIFIER.match(self.text, self.offset)
        return found[0] if found else ""

    def name(self, what: str) -> str:
        """The name of a proposition, bare or in quotes. Raises: FormatError where there is none."""
        return self.quoted() if self.text.startswith('"', self.offset) else self.identifier(what)

    def identifier(self, what: str) -> str:
        """An identifier that is not reserved. Raises: FormatError where there is none."""
        word = self.word()
        if not word:
            self.fail(what)
        if word in RESERVED:
            self.refuse(
                f"expected {what}, found '{word}', which is reserved; for a proposition write \"{word}\""
            )
        self.takes(word)
        return word

    def quoted(self) -> str:
        """A name in double quotes. Raises: FormatError where they are not closed or hold no name."""
        found = _QUOTED.match(self.text, self.offset)
        if found is None:
            self.refuse("this double quote is not closed in its line")
        forbidden = _FORBIDDEN.search(found[0])
        if forbidden:
            self.refuse(
                f"the name holds {forbidden[0]!a}; no name holds control characters or surrogates",
                self.offset + forbidden.start(),
            )
        self.offset = found.end()
        self.skip()
        return _ESCAPED.sub(r"\1", found[1])

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        """Raises: FormatError: one thing was expected here and another was found."""
        found = _FOUND.match(self.text, self.offset)
        seen = "the end of the formula" if found is None else f"'{beginning(found[0])}'"
        self.refuse(f"expected {expected}, found {seen}{hint}")

    def refuse(self, message: str, offset: int | None = None) -> NoReturn:
        """Raises: FormatError with a place, which is here unless another is given."""
        line, column = self.line_and_column(self.offset if offset is None else offset)
        raise FormatError(message, source=SOURCE, line=line, column=column)

    def where(self, offset: int) -> str:
        """A place, for a message about another one."""
        return "of line {}, column {}".format(*self.line_and_column(offset))

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Both from 1; columns are characters."""
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)


class _Parser(_Cursor):
    """One reading: the place, what the variables stand for, and how much was read so far."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.values: dict[str, str | int] = {}
        self.parts = 0
        self.open = 0
        self.last_name = ""

    def formula(self) -> Formula:
        start = self.offset
        formula = self._sequence()
        if self.offset < len(self.text):
            self._fail_after_operand("the end of the formula")
        depth = depth_of(formula)
        if depth > DEEPEST:
            self.refuse(
                f"the formula is nested {depth} deep without abbreviations; at most {DEEPEST} is read", start
            )
        return formula

    def _sequence(self) -> Formula:
        """Operands with operators between them, up to what is neither."""
        operands: list[_Sized] = []
        operators: list[_Operator] = []
        while True:
            before, operand = self.parts, self._operand()
            operands.append((operand, self.parts - before))
            operator = self._operator()
            if operator is None:
                return self._grouped(0, operands, operators)[0]
            operators.append(operator)

    def _operator(self) -> _Operator | None:
        found = self.match(_OPERATOR)
        if found is None:
            return None
        if found in ("W", "R") and self._bound_follows():
            self.refuse(f"{found} takes no bound; U, F and G do")
        return _SPELLINGS.get(found, found), self._bound() if found == "U" else None

    def _grouped(self, level: int, operands: list[_Sized], operators: list[_Operator]) -> _Sized:
        """A flat sequence as one formula: cut at the operators of a level, what is between at the next."""
        if not operators:
            return operands[0]
        cuts = [i for i, (symbol, _) in enumerate(operators) if symbol in _LEVELS[level]]
        starts, ends = [0, *(i + 1 for i in cuts)], [*cuts, len(operators)]
        groups = [
            self._grouped(level + 1, operands[i : j + 1], operators[i:j])
            for i, j in zip(starts, ends, strict=True)
        ]
        if _LEVELS[level][0] in ("&", "|"):
            build = conjunction if _LEVELS[level][0] == "&" else disjunction
            return build([formula for formula, _ in groups]), sum(size for _, size in groups)
        joined = groups.pop()
        for i in reversed(cuts):
            joined = self._joined(groups.pop(), operators[i], joined)
        return joined

    def _joined(self, first: _Sized, operator: _Operator, second: _Sized) -> _Sized:
        """Two operands of an operator that is right associative; two of these write some of them twice."""
        (left, left_size), (symbol, bound), (right, right_size) = first, operator, second
        size = left_size + right_size
        if symbol == "<=>":
            self._count(size)
            return equivalence(left, right), 2 * size
        if symbol == "W":
            self._count(right_size)
            return weak_until(left, right), size + right_size
        if symbol == "U":
            return Until(left, right, bound), size
        return (implication if symbol == "=>" else release)(left, right), size

    def _operand(self) -> Formula:
        self._count(1)
        self.open += 1
        if self.open > DEEPEST + 1:  # what stands in the innermost is one as well
            self.refuse(f"more than {DEEPEST} parentheses and brackets are open here")
        prefixes: list[Callable[[Formula], Formula]] = []
        while (prefix := self._prefix()) is not None:
            prefixes.append(prefix)
            if len(prefixes) > DEEPEST:
                self.refuse(f"more than {DEEPEST} operators stand in a row")
        start, word = self.offset, self.word()
        if word == "P":
            formula = self._probability(start)
        elif word == "forall":
            formula = self._schema(start)
        elif word or self._opening() is None:
            formula = self._proposition(word)
        else:
            formula = self._bracketed("a formula", lambda opening: f"the '{opening}'", start)
        for prefix in reversed(prefixes):
            formula = prefix(formula)
        self.open -= 1
        return formula

    def _prefix(self) -> Callable[[Formula], Formula] | None:
        word = self.match(_PREFIX)
        if word is None:
            return None
        self._count(1)
        if word == "X":
            times = self._number(DEEPEST, "X^") if self.takes("^") else 1
            self._count(times)
            return partial(next_times, times=times)
        if word == "D":
            return partial(Private, *self._privacy())
        if word in ("F", "G"):
            return partial(eventually if word == "F" else always, bound=self._bound())
        return Not

    def _probability(self, start: int) -> Formula:
        self.takes("P")
        at = self.offset
        sign = self.needs(_COMPARISON, "<, <=, >=, > or = after P")
        place = self.offset
        bound = self._share("the bound of P", self.needs(_NUMBER, "a probability such as 1/2"), place)
        if sign == "=" and bound not in (0, 1):
            self.refuse("P= is read with 0 and with 1; write P>=q [f] & P<=q [f]", at)
        if sign == "=":
            sign = ">=" if bound == 1 else "<="
        inner = self._bracketed("'[' or '(', and a path formula", lambda _: "the P", start)
        return Probability(Comparison(sign), bound, inner)

    def _opening(self) -> str | None:
        """The bracket that opens here, if one does."""
        return next((opening for opening in _CLOSING if self.text.startswith(opening, self.offset)), None)

    def _bracketed(self, expected: str, whose: Callable[[str], str], start: int) -> Formula:
        """What stands between ( and ), or between [ and ]. Raises: FormatError."""
        opening = self._opening()
        if opening is None:
            self.fail(expected)
        self.takes(opening)
        formula = self._sequence()
        if not self.takes(_CLOSING[opening]):
            self._fail_after_operand(f"'{_CLOSING[opening]}' to close {whose(opening)} {self.where(start)}")
        return formula

    def _share(self, what: str, text: str, place: int) -> Fraction:
        """A number from 0 to 1 that stands at a place."""
        try:
            value = parse_rational(text)
        except ParameterError as error:
            self.refuse(str(error), place)
        if not 0 <= value <= 1:
            self.refuse(f"{what} is {text}; it must be from 0 to 1", place)
        return value

    def _privacy(self) -> tuple[Epsilon, Fraction]:
        """What follows D: ``[eps=E, delta=d]``, both optional. Raises: FormatError."""
        self.expect("[", "'[', as in D[eps=ln 3, delta=0]")
        epsilon, delta, given = Epsilon.of(0), Fraction(0), set[str]()
        while not self.takes("]"):
            if given:
                self.expect(",", "',' or ']'")
            start = self.offset
            setting = self.match(_VARIABLE)
            setting = "eps" if setting == "epsilon" else setting
            if setting not in ("eps", "delta"):
                self.offset = start
                self.fail("eps or delta")
            if setting in given:
                self.refuse(f"{setting} is given twice", start)
            given.add(setting)
            self.expect("=", f"'=' after {setting}")
            place = self.offset
            words = list(iter(partial(self.match, _SETTING), None))
            if not words:
                self.fail("a number such as 1/2" + (" or ln 3" if setting == "eps" else ""))
            text = " ".join(words)
            if setting == "delta":
                delta = self._share("delta", text, place)
                continue
            try:
                epsilon = Epsilon.of(text)
            except ParameterError as error:
                self.refuse(str(error), place)
        return epsilon, delta

    def _proposition(self, word: str) -> Formula:
        """A proposition, true or false; ``word`` is what stands here, if it is a word."""
        start = self.offset
        self.last_name = word
        if word in ("true", "false"):
            self.takes(word)
            return TRUE if word == "true" else FALSE
        name = self.name("a formula")
        value = self.values.get(name, name) if word else name
        if isinstance(value, int):
            self.refuse(f"'{name}' is a number, of a forall, and no proposition", start)
        return Atom(value)

    def _bound_follows(self) -> bool:
        text, offset = self.text, self.offset
        return text.startswith("<=", offset) and not text.startswith("<=>", offset)

    def _bound(self) -> int | None:
        if not self._bound_follows():
            return None
        self.takes("<=")
        return self._number(LARGEST_BOUND, "a bound")

    def _number(self, most: int, what: str) -> int:
        """A number of steps: digits, or a variable and what is added to it."""
        enclosed = self.takes("(")
        start = self.offset
        found = _COUNT.match(self.text, start)
        if found is None:
            self.fail("a whole number, or a variable of a forall such as k or k+1")
        self.match(_COUNT)
        variable, sign, added, digits = found.groups()
        value = _integer(digits or added or "0")
        if variable is not None:
            base = self.values.get(variable)
            if not isinstance(base, int):
                self.refuse(f"'{variable}' is no variable of a forall over numbers", start)
            value = base - value if sign == "-" else base + value
        if not 0 <= value <= most:
            given = f", where {variable} = {self.values[variable]}" if variable is not None else ""
            self.refuse(f"{what} is {found[0]}{given}; it must be from 0 to {most}", start)
        if enclosed:
            self.expect(")", "')'")
        return value

    def _schema(self, start: int) -> Formula:
        """A forall, whose place is given: the variables, and the body once for each instance."""
        self.takes("forall")
        opened: str | None = None
        ranges: dict[str, Sequence[str | int]] = {}
        while True:
            place = self.offset
            variable = self.identifier("a variable")
            if not _VARIABLE.fullmatch(variable):
                self.refuse(f"a variable is letters, digits and '_', and this is '{variable}'", place)
            if variable in ranges or variable in self.values:
                self.refuse(f"there is a variable '{variable}' already", place)
            if self.word() != "in":
                self.fail("'in' after the variable")
            self.takes("in")
            ranges[variable] = self._names(ranges) if self.takes("{") else self._interval()
            if isinstance(ranges[variable], _From):
                opened = variable
            if not self.takes(","):
                break
        self.expect(":", "',' and another variable, or ':' and a formula")
        instances = 1
        for values in ranges.values():
            instances *= len(values)
        if instances > MOST_INSTANCES:
            self.refuse(f"this forall has {instances} instances; at most {MOST_INSTANCES} are read", start)
        body, formulas = self.offset, []
        for chosen in product(*ranges.values()):
            self.values.update(zip(ranges, chosen, strict=True))
            self.offset = body
            formulas.append(self._sequence())
            self._count((self.offset - body) // _CHARACTERS)
        for variable in ranges:
            del self.values[variable]
        if opened is None:
            return conjunction(formulas)
        if len(ranges) > 1:
            self.refuse(
                f"'{opened}' has no last value, so it stands alone: forall {opened} in 0..: ...", start
            )
        found = _for_ever(*formulas)
        if found is None:
            self.refuse(
                f"without a last {opened}, a forall is of D[...] (X^{opened} f), or of several with &, where "
                f"{opened} stands in that place only",
                start,
            )
        return found

    def _names(self, ranges: Collection[str]) -> list[str]:
        """The rest of a set of propositions."""
        names: list[str] = []
        while True:
            place = self.offset
            bare = not self.text.startswith('"', place)
            name = self.name("a proposition")
            if bare and (name in ranges or name in self.values):
                self.refuse(f"'{name}' is a variable; the set is of propositions", place)
            names.append(name)
            if self.takes("}"):
                return names
            self.expect(",", "',' or '}'")

    def _interval(self) -> Sequence[int]:
        start = self.offset
        least = self.needs(_DIGITS, "a set such as {out0, out1} or numbers such as 0..5")
        self.expect("..", "'..' and the last number")
        if self.text.startswith((":", ","), self.offset):
            return _From((_integer(least), _integer(least) + 1))
        most = self.needs(_DIGITS, "the last number, or ':'")
        numbers = range(_integer(least), _integer(most) + 1)
        if not numbers:
            self.refuse(f"there is no number from {least} to {most}", start)
        return numbers

    def _count(self, parts: int) -> None:
        self.parts += parts
        if self.parts > MOST_PARTS:
            self.refuse(
                f"the formula has more than {MOST_PARTS} parts, without abbreviations and with all instances"
            )

    def _fail_after_operand(self, closing: str) -> NoReturn:
        name, hint = self.last_name, ""
        if name and _GLUED.match(name):
            hint = f"; '{name}' is one name: put blanks between operators"
        elif self.text.startswith("->", self.offset):
            hint = "; implication is =>"
        self.fail(f"an operator or {closing}", hint)


class _From(tuple[int, ...]):
    """Two numbers that stand for all from the first one on."""


def _for_ever(first: Formula, second: Formula) -> Formula | None:
    """The conjunction of all instances, of which these are the first two; None where it is not of D's of X^k.

    The variable stands for k where the second instance is X of the first: what else it could stand in is not
    the same in both.
    """
    if isinstance(first, And) and isinstance(second, And):
        left, right = _for_ever(first.left, second.left), _for_ever(first.right, second.right)
        return None if left is None or right is None else And(left, right)
    if type(first) is Private and second == replace(first, inner=Next(first.inner)):
        return AlwaysPrivate(first.epsilon, first.delta, first.inner)
    return None


def _integer(digits: str) -> int:
    """Digits as a number; of those that are too many to matter, a number that is too large as well."""
    return int(digits) if len(digits.lstrip("0")) <= _MOST_DIGITS else 10**_MOST_DIGITS
