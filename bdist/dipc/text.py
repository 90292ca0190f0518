"""The ``.dip`` format: probabilistic programs, and the privacy that is asked of them; read and written.

    program svt;                       # optional
    domain {-1 .. 1};                  # the values of the inputs
    input q[2];                        # q[1] and q[2]
    output o[2];
    adjacent linf 1;                   # neighbours: no entry changes by more than 1
    claim eps;                         # or 1/2*eps, delta exp(-eps)/100; this is what is left out, too
    epsilon in (0, inf);               # the same

    rT ~ Lap(1/2*eps, 0);              # density (eps/4) e^(-eps/2 |x|)
    for i in 1..2 {
      o[i] := 0;
    }
    for i in 1..2 {
      r ~ Lap(1/4*eps, q[i]);
      if r >= rT {
        o[i] := 1;
        exit;
      }
    }

The grammar and what it means are in section 1 of SPEC.md, which the checker reads by, too. Besides what is
above there are DLap, Exp and choose, outputs such as ``disc(r, -1 < 0 < 1)``, functions as expressions or
tables, listed pairs of neighbours, ``while``, ``else``. Reading ends with a `Program` as it was written. That
it follows the grammar and that its declarations make sense is checked here; loops are unrolled by
`expansion`, and the rules for variables are held by `rules`, each with the line and column of the text.

A program is a stranger's, so nothing is kept of the text but the token that is next: a million semicolons
take as long as it takes to step over them, and no list of a million of anything. Python's stack is as deep as
blocks and parentheses are nested, 30 and 100 at most, and ``else if`` is not a block in a block. What stands
between two parentheses is a flat sequence of operands and operators, grouped as it is read with two stacks.
Sums and products group to the left, so a long one is a deep tree, and whatever walks a program walks trees:
the height is counted while they grow, and at most 100. A parser generator was not taken: it would cap neither
the tokens nor the depth before the tree is there, and its messages would not say what was expected.

`write` writes a program back: one layout, and as few parentheses as the grammar allows. A number in an
expression is written without a sign and with a decimal point where it is not whole, because ``-1`` and
``1/2`` are an operator and its operands there. So what was read is written to a text that reads back to an
equal program. An expanded program cannot be: its variable ``q[1]`` is a name, and the text of it an element.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from bdist.dipc import program as syntax
from bdist.dipc.expansion import claimed_factor
from bdist.dipc.program import Expression, Place, Point, Program, Statement
from bdist.dipc.rules import check_declarations
from bdist.errors import FormatError, ParameterError
from bdist.exact.rationals import parse_rational, rational_text
from bdist.printing import beginning
from bdist.text.files import read_text

SUFFIX = ".dip"


def load_program(path: str | Path) -> Program:
    """Read a ``.dip`` file.

    Raises: FormatError where it cannot be read or does not follow the grammar, ProgramError where a
    declaration makes no sense, both with line and column.
    """
    return read(read_text(path, limit=_MOST_BYTES), path)


def read(text: str, source: Path | str | None = None) -> Program:
    """Parse ``.dip`` text; ``source`` is what messages call it.

    Raises: FormatError where it does not follow the grammar, ProgramError where a declaration makes no sense.
    """
    program = _ProgramReader(text, "<text>" if source is None else source).program()
    check_declarations(program)
    return program


def read_claim(text: str, source: str) -> syntax.Claim:
    """A claim such as ``1/2*eps, delta 1/1000``; ``source`` is what messages call it. Raises: as `read`."""
    reader = _ProgramReader(text, source)
    return reader.alone(reader.claimed(reader.place))


def read_delta(text: str, source: str) -> Expression:
    """A delta such as ``exp(-eps)/100``; ``source`` is what messages call it. Raises: as `read`."""
    reader = _ProgramReader(text, source)
    return reader.alone(reader.expression("a function of eps"))


def read_interval(text: str, source: str) -> syntax.Interval:
    """An interval such as ``(0, 2]``; ``source`` is what messages call it. Raises: FormatError."""
    reader = _ProgramReader(text, source)
    return reader.alone(reader.span(reader.place))


# --- tokens ---


MOST_CHARACTERS = 2**20
_MOST_BYTES = 4 * MOST_CHARACTERS  # of UTF-8; comments may have them all
MOST_DIGITS = 1_000
RESERVED = frozenset(
    (
        *("program", "domain", "input", "output", "adjacent", "claim", "epsilon", "delta", "function"),
        *("table", "if", "else", "while", "for", "in", "exit", "true", "false", "and", "or"),
        *("not", "eps", "exp", "abs", "min", "max", "disc"),
        *("Lap", "DLap", "Exp", "choose", "linf", "l1", "l0", "inf"),
    )
)

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_TOKEN = re.compile(
    r"[A-Za-z_][A-Za-z0-9_']*+|[0-9]++(?:\.[0-9]++)?|:=|\.\.|<=|>=|==|!=|[;,{}\[\]()~:=<>+*/-]"
)
_LETTERS = re.compile(r"[A-Za-z_]")
_DIGITS = re.compile(r"[0-9]++")
_ASSIGNED = re.compile(rf"{_BLANK.pattern}(?::=|~|\[)")


class _Tokens:
    """The text and the token that is read next, which is ``text`` and empty at the end."""

    def __init__(self, whole: str, source: str | Path) -> None:
        self._whole = whole
        self._source = source
        self._offset = 0
        self._line = 1
        self._line_start = 0
        self.text = ""
        if len(whole) > MOST_CHARACTERS:
            raise FormatError(
                f"has {len(whole)} characters; at most {MOST_CHARACTERS} are read", source=source
            )
        self.step()

    @property
    def place(self) -> Place:
        return Place(self._line, self._offset - self._line_start + 1)

    def step(self) -> None:
        """Go on to the token after the next one; a character that begins none is a token by itself."""
        start = self._offset + len(self.text)
        blank = _BLANK.match(self._whole, start)
        self._offset = blank.end() if blank else start
        newlines = self._whole.count("\n", start, self._offset)
        if newlines:
            self._line += newlines
            self._line_start = self._whole.rfind("\n", start, self._offset) + 1
        found = _TOKEN.match(self._whole, self._offset)
        self.text = found[0] if found else self._whole[self._offset : self._offset + 1]

    def takes(self, text: str) -> bool:
        if self.text != text:
            return False
        self.step()
        return True

    def expect(self, text: str, what: str = "") -> None:
        """Step over a word or symbol. Raises: FormatError where it is not next."""
        if self.text != text:
            self.fail(what or f"'{text}'")
        self.step()

    def is_name(self) -> bool:
        return _LETTERS.match(self.text) is not None and self.text not in RESERVED

    def name(self, what: str) -> str:
        name = self.text
        if name in RESERVED:
            self.refuse(f"expected {what}; '{name}' is a reserved word")
        if not self.is_name():
            self.fail(what)
        self.step()
        return name

    def is_number(self) -> bool:
        return "0" <= self.text[:1] <= "9"

    def number(self, what: str) -> Fraction:
        if not self.is_number():
            self.fail(what)
        try:
            value = parse_rational(self.text, MOST_DIGITS)
        except ParameterError as error:
            self.refuse(str(error))
        self.step()
        return value

    def whole_number(self, what: str, most: int) -> int:
        """Digits, for a number from 1 on. Raises: FormatError where there are none, or it is too large."""
        place = self.place
        if not _DIGITS.fullmatch(self.text):
            self.fail(what)
        value = self.number(what)
        if not 1 <= value <= most:
            self.refuse(f"expected {what}, from 1 to {most}", place)
        return value.numerator

    def constant(self, what: str = "a constant such as 2, -1 or 1/2") -> Fraction:
        """A number with a sign and a denominator, perhaps. Raises: FormatError where there is none."""
        is_negative = self.takes("-")
        value = self.number(what)
        if self.takes("/"):
            place = self.place
            below = self.number("a denominator")
            if below == 0:
                self.refuse("the denominator is zero", place)
            value /= below
        return -value if is_negative else value

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        """Raises: FormatError: one thing was expected here and another was found."""
        found = f"'{beginning(self.text)}'" if self.text else "the end of the text"
        self.refuse(f"expected {expected}, found {found}{hint}")

    def refuse(self, message: str, place: Place | None = None) -> NoReturn:
        """Raises: FormatError with a place, which is here unless another is given."""
        at = self.place if place is None else place
        raise FormatError(message, source=self._source, line=at.line, column=at.column)


# --- reading expressions ---


OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, ATOM = range(8)
LEVELS = {
    "or": OR,
    "and": AND,
    **dict.fromkeys(syntax.COMPARISONS, COMPARISON),
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "/"), PRODUCT),
}
_CALLED = (*syntax.BUILT_IN, "exp")

_Placed = tuple[Expression, int]  # with its height
_Pending = tuple[str, int, Place]  # an operator, its level, and where it stands


class _ExpressionReader(_Tokens):
    """Reads expressions from tokens."""

    _open = 0  # parentheses, up to here

    def expression(self, what: str = "an expression") -> Expression:
        return self._sequence(what)[0]

    def variable(self, what: str = "a variable") -> syntax.Variable:
        place = self.place
        return self._indexed(self.name(what), place)[0]

    def _sequence(self, what: str) -> _Placed:
        """Operands with operators between them, up to what is neither."""
        operands: list[_Placed] = []
        pending: list[_Pending] = []
        while True:
            while self.text == "not":
                if pending and pending[-1][1] > NOT:
                    self.fail("a number or a variable", "; write (not ...)")
                pending.append(("not", NOT, self.place))
                self._check_height(len(pending))
                self.step()
            operands.append(self._signed(what if not pending else "an expression"))
            operator, place = self.text, self.place
            level = LEVELS.get(operator)
            if level is None:
                break
            while pending and pending[-1][1] >= level:
                if level == COMPARISON and pending[-1][1] == COMPARISON:
                    self.refuse("comparisons do not chain; write a < b and b < c")
                self._reduce(operands, pending)
            pending.append((operator, level, place))
            self.step()
        while pending:
            self._reduce(operands, pending)
        return operands[0]

    def _reduce(self, operands: list[_Placed], pending: list[_Pending]) -> None:
        """Apply the last operator that is pending to the last operands."""
        operator, _, place = pending.pop()
        right, height = operands.pop()
        if operator == "not":
            operands.append((syntax.Unary("not", right, place=place), self._check_height(height + 1)))
            return
        left, left_height = operands.pop()
        height = self._check_height(max(height, left_height) + 1)
        operands.append((syntax.Binary(operator, left, right, place=place), height))

    def _signed(self, what: str) -> _Placed:
        signs = []
        while self.text == "-":
            signs.append(self.place)
            self._check_height(len(signs))
            self.step()
        inner, height = self._atom(what)
        for place in reversed(signs):
            inner, height = syntax.Unary("-", inner, place=place), self._check_height(height + 1)
        return inner, height

    def _atom(self, what: str) -> _Placed:
        place, text = self.place, self.text
        if self.is_number():
            return syntax.Number(self.number(what), place=place), 1
        if text in ("true", "false"):
            self.step()
            return syntax.Truth(text == "true", place=place), 1
        if self.takes("eps"):
            return syntax.Epsilon(place=place), 1
        if self.takes("("):
            self._enter(place)
            found = self._sequence("an expression")
            self._leave(")", place, "an operator or ')'")
            return found
        if text in _CALLED:
            self.step()
            self.expect("(")
            return self._call(text, place)
        if text in RESERVED:
            self.refuse(f"expected {what}; '{text}' is a reserved word")
        if not self.is_name():
            self.fail(what)
        self.step()
        if self.takes("("):
            return self._call(text, place)
        return self._indexed(text, place)

    def _call(self, function: str, place: Place) -> tuple[syntax.Call, int]:
        self._enter(place)
        arguments = [self._sequence("an argument")]
        while self.takes(","):
            arguments.append(self._sequence("an argument"))
        self._leave(")", place, "an operator, ',' or ')'")
        height = self._check_height(1 + max(height for _, height in arguments))
        return syntax.Call(function, tuple(argument for argument, _ in arguments), place=place), height

    def _indexed(self, name: str, place: Place) -> tuple[syntax.Variable, int]:
        if not self.takes("["):
            return syntax.Variable(name, place=place), 1
        self._enter(place)
        index, height = self._sequence("an index")
        self._leave("]", place, "an operator or ']'")
        return syntax.Variable(name, index, place=place), self._check_height(height + 1)

    def _enter(self, place: Place) -> None:
        self._open += 1
        if self._open > syntax.DEEPEST_EXPRESSION:
            self.refuse(f"more than {syntax.DEEPEST_EXPRESSION} parentheses are open here", place)

    def _leave(self, closing: str, place: Place, expected: str) -> None:
        if self.text != closing:
            where = f"line {place.line}, column {place.column}"
            self.fail(f"{expected} to close what begins in {where}")
        self.step()
        self._open -= 1

    def _check_height(self, height: int) -> int:
        if height > syntax.DEEPEST_EXPRESSION:
            self.refuse(f"the expression is nested more than {syntax.DEEPEST_EXPRESSION} deep")
        return height


# --- reading declarations and statements ---


_NEEDED = {
    "domain": "domain {0, 1}",
    "input": "input x",
    "output": "output y",
    "adjacent": "adjacent linf 1",
}
_STATEMENT = "a statement, which begins with a variable or with if, while, for or exit"
_NORMS = {norm.value: norm for norm in syntax.Norm}
_Item = TypeVar("_Item")
_Declared = TypeVar("_Declared", bound=syntax.Output)


class _ProgramReader(_ExpressionReader):
    _blocks = 0  # that are open

    def program(self) -> Program:
        name = ""
        if self.takes("program"):
            name = self.name("the program's name")
            self.expect(";")
        readers: dict[str, Callable[[Place], Any]] = {
            "domain": lambda _: self._values(),
            "input": lambda place: self._variables(self._declared, place),
            "output": lambda place: self._variables(self._output, place),
            "adjacent": self._adjacent,
            "claim": self.claimed,
            "epsilon": self._epsilon,
            "function": self._function,
        }
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        functions: list[syntax.Function] = []
        while (word := self.text) in readers:
            place = self.place
            if word in found:
                self.refuse(f"{word} is declared in line {lines[word]} already")
            self.step()
            declared = readers[word](place)
            if word == "function":
                functions.append(declared)
            else:
                found[word], lines[word] = declared, place.line
            self.expect(";")
        for needed, example in _NEEDED.items():
            if needed not in found:
                self.fail(f"a declaration such as {example}", f"; there is no {needed} yet")
        body: list[Statement] = []
        while self.text:
            if self.text in readers:
                self.refuse("declarations stand before all statements")
            body.append(self._statement())
        return Program(
            name=name,
            domain=found["domain"],
            inputs=found["input"],
            outputs=found["output"],
            adjacency=found["adjacent"],
            claim=found.get("claim", syntax.Claim()),
            interval=found.get("epsilon", syntax.Interval()),
            functions=tuple(functions),
            body=tuple(body),
            source=str(self._source),
        )

    def alone(self, found: _Item) -> _Item:
        if self.text:
            self.fail("the end")
        return found

    # --- declarations ---

    def _values(self) -> tuple[Fraction, ...]:
        self.expect("{")
        place = self.place
        first = self.constant()
        if self.takes(".."):
            last = self.constant()
            if last < first or (last - first).denominator != 1:
                self.refuse("the ends of a domain are a and a + n with a whole number n >= 0", place)
            if last - first >= syntax.MOST_VALUES:
                self.refuse(f"the domain has more than {syntax.MOST_VALUES} values", place)
            values = [first + number for number in range((last - first).numerator + 1)]
        else:
            values = [first]
            while self.takes(","):
                values.append(self.constant())
        self.expect("}", "',' or '}'" if len(values) > 1 else "',', '..' or '}'")
        if len(values) > syntax.MOST_VALUES:
            self.refuse(f"the domain has more than {syntax.MOST_VALUES} values", place)
        if len(set(values)) < len(values):
            self.refuse("a value stands twice in the domain", place)
        return tuple(values)

    def _listed(self, item: Callable[[], _Item], closing: str = "") -> tuple[_Item, ...]:
        items = [item()]
        while self.takes(","):
            items.append(item())
        if closing:
            self.expect(closing, f"',' or '{closing}'")
        return tuple(items)

    def _declared(self) -> syntax.Declared:
        place = self.place
        name, size = self.name("a variable"), None
        if self.takes("["):
            size = self.whole_number("the number of elements", syntax.MOST_ELEMENTS)
            self.expect("]")
        return syntax.Declared(name, size, place=place)

    def _output(self) -> syntax.Output:
        place = self.place
        if not self.takes("disc"):
            return self._declared()
        self.expect("(")
        variable = self.variable()
        self.expect(",")
        steps = [self.constant()]
        while self.takes("<"):
            steps.append(self.constant())
        self.expect(")", "'<' and a larger constant" if len(steps) == 1 else "'<' or ')'")
        if len(steps) == 1:
            self.refuse("disc needs two constants at least: disc(x, a < b)", place)
        return syntax.Discretised(variable, tuple(steps), place=place)

    def _variables(self, item: Callable[[], _Declared], place: Place) -> tuple[_Declared, ...]:
        declared = self._listed(item)
        sizes = (one.size or 1 if isinstance(one, syntax.Declared) else 1 for one in declared)
        if (elements := sum(sizes)) > syntax.MOST_ELEMENTS:
            most = f"at most {syntax.MOST_ELEMENTS}"
            self.refuse(f"there are {elements} variables here, element by element; {most}", place)
        return declared

    def _adjacent(self, place: Place) -> syntax.Adjacency:
        norm = _NORMS.get(self.text)
        if norm is not None:
            self.step()
            return syntax.Within(norm, self.constant(), place=place)
        if self.text != "(":
            self.fail("linf, l1 or l0 and a constant, or pairs such as (0, 0) ~ (0, 1)")
        return syntax.ListedPairs(self._listed(self._pair), place=place)

    def _pair(self) -> tuple[Point, Point]:
        one = self._point()
        self.expect("~")
        return one, self._point()

    def _point(self) -> Point:
        self.expect("(", "'(' and an input")
        return self._listed(self.constant, ")")

    def claimed(self, place: Place) -> syntax.Claim:
        """A claim, as it stands after ``claim``. Raises: as `program`."""
        budget = self.expression("the budget, such as eps or 1/2*eps")
        factor = claimed_factor(budget, str(self._source))
        if not self.takes(","):
            return syntax.Claim(factor, place=place, source=str(self._source))
        self.expect("delta")
        return syntax.Claim(
            factor, self.expression("a function of eps"), place=place, source=str(self._source)
        )

    def _epsilon(self, place: Place) -> syntax.Interval:
        self.expect("in")
        return self.span(place)

    def span(self, place: Place) -> syntax.Interval:
        """An interval, as it stands after ``in``. Raises: FormatError."""
        has_low = self.text == "["
        if not has_low and self.text != "(":
            self.fail("an interval such as (0, inf) or [1/2, 1]")
        self.step()
        if self.text == "ln":
            self.fail("a rational number (ln q is irrational; write a decimal beside it)")
        low = self.constant()
        self.expect(",")
        if self.text == "ln":
            self.fail("a rational number or inf (ln q is irrational; write a decimal beside it)")
        high = None if self.takes("inf") else self.constant("a constant or inf")
        has_high = self.text == "]"
        if not has_high and self.text != ")":
            self.fail("')' or ']'")
        self.step()
        return syntax.Interval(low, high, has_low, has_high, place=place)

    def _function(self, place: Place) -> syntax.Function:
        name = self.name("the function's name")
        self.expect("(")
        parameters = self._listed(lambda: self.name("a parameter"), ")")
        self.expect("=")
        if not self.takes("table"):
            return syntax.Function(name, parameters, self.expression("an expression or a table"), place=place)
        self.expect("{")
        return syntax.Function(name, parameters, None, self._listed(self._row, "}"), place=place)

    def _row(self) -> tuple[Point, Fraction]:
        point = self._point() if self.text == "(" else (self.constant(),)
        self.expect(":")
        return point, self.constant()

    # --- statements ---

    def _block(self) -> tuple[Statement, ...]:
        place = self.place
        self.expect("{", "an operator or '{'")
        self._blocks += 1
        if self._blocks > syntax.DEEPEST_BLOCK:
            self.refuse(f"blocks are nested more than {syntax.DEEPEST_BLOCK} deep", place)
        statements = []
        while self.text != "}":
            if not self.text:
                self.fail(f"'}}' to close the block of line {place.line}, column {place.column}")
            statements.append(self._statement())
        self.step()
        self._blocks -= 1
        return tuple(statements)

    def _statement(self) -> Statement:
        place, word = self.place, self.text
        if word == "if":
            return self._if(place)
        if self.takes("while"):
            return syntax.While(self.expression("a condition"), self._block(), place=place)
        if self.takes("for"):
            counter = self.name("a counter")
            self.expect("in")
            first = self.expression("the first number")
            self.expect("..", "an operator or '..'")
            return syntax.For(counter, first, self.expression("the last number"), self._block(), place=place)
        if self.takes("exit"):
            self.expect(";")
            return syntax.Exit(place=place)
        if not self.is_name():
            self._refuse_reserved(word, place)
            self.fail(_STATEMENT)
        target = self.variable()
        statement = self._assignment(target, place)
        self.expect(";", "an operator or ';'" if isinstance(statement, syntax.Assign) else "';'")
        return statement

    def _refuse_reserved(self, word: str, place: Place) -> None:
        """Raises: FormatError where a reserved word stands as a variable that gets a value."""
        if word in RESERVED and _ASSIGNED.match(self._whole, self._offset + len(word)):
            self.refuse(f"expected a variable; '{word}' is a reserved word", place)

    def _if(self, place: Place) -> syntax.If:
        branches = []
        while True:
            self.expect("if")
            condition = self.expression("a condition")
            branches.append((condition, self._block()))
            if not self.takes("else"):
                return syntax.If(tuple(branches), (), place=place)
            if self.text != "if":
                return syntax.If(tuple(branches), self._block(), place=place)

    def _assignment(self, target: syntax.Variable, place: Place) -> Statement:
        if self.takes(":="):
            return syntax.Assign(target, self.expression(), place=place)
        if not self.takes("~"):
            hint = "; an assignment is x := 1" if self.text == "=" else ""
            self.fail("':=' or '~'", hint)
        if self.takes("Lap"):
            return syntax.Laplace(target, *self._scale_and_mean(), place=place)
        if self.takes("DLap"):
            return syntax.DiscreteLaplace(target, *self._scale_and_mean(), place=place)
        if self.takes("Exp"):
            return self._exponential(target, place)
        if self.takes("choose"):
            self.expect("{")
            return syntax.Choose(target, self._listed(self._option, "}"), place=place)
        return self.fail("Lap, DLap, Exp or choose")

    def _scale_and_mean(self) -> tuple[Expression, Expression]:
        self.expect("(")
        scale = self.expression("the scale, such as 1/2*eps")
        self.expect(",", "an operator or ','")
        mean = self.expression("the mean")
        self.expect(")", "an operator or ')'")
        return scale, mean

    def _exponential(self, target: syntax.Variable, place: Place) -> syntax.ExponentialMechanism:
        self.expect("(")
        scale = self.expression("the scale, such as 1/2*eps")
        self.expect(",", "an operator or ','")
        candidate = self.name("a name for the candidate")
        self.expect("in")
        self.expect("{")
        candidates = self._listed(lambda: self.expression("a candidate"), "}")
        self.expect(":", "':' and the score")
        score = self.expression("the score")
        self.expect(")", "an operator or ')'")
        return syntax.ExponentialMechanism(target, scale, candidate, candidates, score, place=place)

    def _option(self) -> tuple[Expression, Expression]:
        value = self.expression("a value")
        self.expect(":", "an operator, or ':' and the weight")
        return value, self.expression("a weight")


# --- writing ---


_WIDTH = 100


def write(program: Program) -> str:
    """The program as text. Requires: it is not expanded. Ensures: reading it gives an equal program."""
    lines = [f"program {program.name};"] if program.name else []
    lines += _wrapped("domain {", map(rational_text, program.domain), "};")
    lines += _wrapped("input ", map(_output_text, program.inputs), ";")
    lines += _wrapped("output ", map(_output_text, program.outputs), ";")
    lines += _adjacency_lines(program.adjacency)
    lines.append(_claim_text(program.claim))
    lines.append(_interval_text(program.interval))
    for function in program.functions:
        lines += _function_lines(function)
    if program.body:
        lines += ["", *_block_lines(program.body, "")]
    return "\n".join(lines) + "\n"


def expression_text(expression: Expression) -> str:
    """An expression as text."""
    return _placed(expression)[0]


def _wrapped(head: str, parts: Iterable[str], tail: str, indent: str = "") -> list[str]:
    """Parts with commas between them, on lines of a width that can be read; the rest are indented."""
    lines = [indent + head]
    listed = list(parts)
    for number, part in enumerate(listed):
        ending = tail if number == len(listed) - 1 else ","
        if number and len(lines[-1]) + 1 + len(part) + len(ending) > _WIDTH:
            lines.append(f"{indent}    {part}{ending}")
        else:
            lines[-1] += (" " if number else "") + part + ending
    return lines


# --- declarations ---


def _output_text(output: syntax.Output) -> str:
    if isinstance(output, syntax.Declared):
        return output.name if output.size is None else f"{output.name}[{output.size}]"
    steps = " < ".join(map(rational_text, output.steps))
    return f"disc({expression_text(output.variable)}, {steps})"


def _adjacency_lines(adjacency: syntax.Adjacency) -> list[str]:
    if isinstance(adjacency, syntax.Within):
        return [f"adjacent {adjacency.norm.value} {rational_text(adjacency.distance)};"]
    return _wrapped(
        "adjacent ", (f"{_point_text(one)} ~ {_point_text(other)}" for one, other in adjacency.pairs), ";"
    )


def _claim_text(claim: syntax.Claim) -> str:
    factor = "eps" if claim.factor == 1 else f"{rational_text(claim.factor)}*eps"
    if claim.delta == syntax.Number(Fraction(0)):
        return f"claim {factor};"
    return f"claim {factor}, delta {expression_text(claim.delta)};"


def _interval_text(interval: syntax.Interval) -> str:
    left, right = "[" if interval.has_low else "(", "]" if interval.has_high else ")"
    high = "inf" if interval.high is None else rational_text(interval.high)
    return f"epsilon in {left}{rational_text(interval.low)}, {high}{right};"


def _function_lines(function: syntax.Function) -> list[str]:
    head = f"function {function.name}({', '.join(function.parameters)}) = "
    if function.body is not None:
        return [f"{head}{expression_text(function.body)};"]
    rows = (f"{_arguments(point)}: {rational_text(value)}" for point, value in function.table)
    return _wrapped(f"{head}table {{", rows, "};")


def _arguments(point: Point) -> str:
    return rational_text(point[0]) if len(point) == 1 else _point_text(point)


def _point_text(point: Point) -> str:
    return f"({', '.join(map(rational_text, point))})"


# --- statements ---


def _block_lines(body: Iterable[Statement], indent: str) -> Iterator[str]:
    for statement in body:
        yield from _statement_lines(statement, indent)


def _statement_lines(statement: Statement, indent: str) -> Iterator[str]:
    inner = indent + "  "
    match statement:
        case syntax.Assign(target, value):
            yield f"{indent}{expression_text(target)} := {expression_text(value)};"
        case syntax.Noise(target, scale, mean):
            name = "DLap" if isinstance(statement, syntax.DiscreteLaplace) else "Lap"
            yield f"{indent}{expression_text(target)} ~ {name}({_listed((scale, mean))});"
        case syntax.ExponentialMechanism(target, scale, candidate, candidates, score):
            head = f"{expression_text(target)} ~ Exp({expression_text(scale)}, {candidate} in {{"
            tail = f"}}: {expression_text(score)});"
            yield from _wrapped(head, map(expression_text, candidates), tail, indent)
        case syntax.Choose(target, options):
            pairs = (f"{expression_text(value)}: {expression_text(weight)}" for value, weight in options)
            yield from _wrapped(f"{expression_text(target)} ~ choose {{", pairs, "};", indent)
        case syntax.If(branches, otherwise):
            head = indent
            for condition, body in branches:
                yield f"{head}if {expression_text(condition)} {{"
                yield from _block_lines(body, inner)
                head = indent + "} else "
            if otherwise:
                yield f"{indent}}} else {{"
                yield from _block_lines(otherwise, inner)
            yield indent + "}"
        case syntax.While(condition, body):
            yield f"{indent}while {expression_text(condition)} {{"
            yield from _block_lines(body, inner)
            yield indent + "}"
        case syntax.For(counter, first, last, body):
            yield f"{indent}for {counter} in {expression_text(first)}..{expression_text(last)} {{"
            yield from _block_lines(body, inner)
            yield indent + "}"
        case _:
            yield f"{indent}exit;"


# --- expressions ---


def _placed(expression: Expression) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    match expression:
        case syntax.Number(value):
            return _number_text(value)
        case syntax.Truth(value):
            return ("true" if value else "false"), ATOM
        case syntax.Epsilon():
            return "eps", ATOM
        case syntax.Variable(name, index):
            return (name if index is None else f"{name}[{expression_text(index)}]"), ATOM
        case syntax.Call(function, arguments):
            return f"{function}({_listed(arguments)})", ATOM
        case syntax.Unary("not", inner):
            return f"not {_within(inner, NOT)}", NOT
        case syntax.Unary(_, inner):
            return f"-{_within(inner, SIGN)}", SIGN
        case syntax.Binary(operator, left, right):
            level = LEVELS[operator]
            blank = "" if level == PRODUCT else " "
            first = _within(left, level + 1 if level == COMPARISON else level)
            return f"{first}{blank}{operator}{blank}{_within(right, level + 1)}", level


def _within(expression: Expression, level: int) -> str:
    """The text, in parentheses if it binds less tightly than its place demands."""
    text, own = _placed(expression)
    return text if own >= level else f"({text})"


def _listed(expressions: Iterable[Expression]) -> str:
    return ", ".join(map(expression_text, expressions))


def _number_text(value: Fraction) -> tuple[str, int]:
    """Digits, with a decimal point if need be; else a quotient, which no text is read to."""
    if value < 0:
        return f"-{_number_text(-value)[0]}", PRODUCT if value.denominator > 1 else SIGN
    places = _places(value.denominator)
    if places is None:
        return rational_text(value), PRODUCT
    if places == 0:
        return rational_text(value), ATOM
    digits = rational_text(value * 10**places).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}", ATOM


def _places(denominator: int) -> int | None:
    """How many decimal places a denominator takes, None where no number of them will do."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None
