"""Random programs: any that follow the grammar, the same spelled differently, and small ones that run.

* `programs` follow the grammar and have declarations that make sense; most of them break a rule for kinds, as
  that does not matter to a reader or a writer. `respelled` is the same text with other blanks and comments.
* `random_program` is a text that reads, is well formed, and ends. All variables get a value first, so that
  branches may assign any of them. Finite values are whole or halves: the oracle that runs programs computes
  with floats. A loop leaves a variable to a choice that ends it with positive probability. Noise is real or
  integer in one program.
"""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

from hypothesis import strategies as st

from bdist.dipc.program import (
    Assign,
    Binary,
    Call,
    Choose,
    Claim,
    Declared,
    DiscreteLaplace,
    Discretised,
    Epsilon,
    Exit,
    ExponentialMechanism,
    Expression,
    For,
    Function,
    If,
    Interval,
    Laplace,
    ListedPairs,
    Norm,
    Number,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
    Within,
)

# --- any program ---


NAMES = st.sampled_from(["x", "y", "r", "x'", "_a1", "Epsilon", "inf_", "domains"])
NUMBERS = st.integers(0, 12) | st.sampled_from([Fraction(1, 2), Fraction(21, 8), Fraction(7, 1000)])
RATIONALS = st.fractions(-3, 3, max_denominator=7)
BINARY = ["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or"]
TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_']*|[0-9]+(?:\.[0-9]+)?|:=|\.\.|[<>=!]=|\S")
BLANKS = ["", " ", "\n", "\t \r\n", "# no token: { := ;\n", "  #\n#\n "]


def expressions() -> st.SearchStrategy[Expression]:
    """Any expression of the grammar."""
    leaves: st.SearchStrategy[Expression] = (
        st.builds(lambda value: Number(Fraction(value)), NUMBERS)
        | st.builds(Truth, st.booleans())
        | st.just(Epsilon())
        | st.builds(Variable, NAMES)
    )

    def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        calls = st.sampled_from(["abs", "min", "max", "exp", "f", "g"])
        return (
            st.builds(Unary, st.sampled_from(["-", "not"]), inner)
            | st.builds(Binary, st.sampled_from(BINARY), inner, inner)
            | st.builds(Call, calls, st.lists(inner, min_size=1, max_size=3).map(tuple))
            | st.builds(Variable, NAMES, inner)
        )

    return st.recursive(leaves, larger, max_leaves=8)


EXPRESSIONS = expressions()


def statements() -> st.SearchStrategy[Statement]:
    """Any statement of the grammar."""
    targets = st.builds(Variable, NAMES, st.none() | EXPRESSIONS)
    options = st.lists(st.tuples(EXPRESSIONS, EXPRESSIONS), min_size=1, max_size=3).map(tuple)
    candidates = st.lists(EXPRESSIONS, min_size=1, max_size=3).map(tuple)
    leaves: st.SearchStrategy[Statement] = (
        st.builds(Assign, targets, EXPRESSIONS)
        | st.builds(Laplace, targets, EXPRESSIONS, EXPRESSIONS)
        | st.builds(DiscreteLaplace, targets, EXPRESSIONS, EXPRESSIONS)
        | st.builds(ExponentialMechanism, targets, EXPRESSIONS, NAMES, candidates, EXPRESSIONS)
        | st.builds(Choose, targets, options)
        | st.just(Exit())
    )

    def larger(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
        blocks = st.lists(inner, max_size=2).map(tuple)
        branches = st.lists(st.tuples(EXPRESSIONS, blocks), min_size=1, max_size=2).map(tuple)
        return (
            st.builds(If, branches, blocks)
            | st.builds(While, EXPRESSIONS, blocks)
            | st.builds(For, NAMES, EXPRESSIONS, EXPRESSIONS, blocks)
        )

    return st.recursive(leaves, larger, max_leaves=4)


STATEMENTS = statements()


@st.composite
def functions(draw: st.DrawFn, name: str) -> Function:
    """A function of that name."""
    parameters = tuple(draw(st.lists(NAMES, min_size=1, max_size=2, unique=True)))
    if draw(st.booleans()):
        return Function(name, parameters, draw(EXPRESSIONS))
    points = st.tuples(*[RATIONALS] * len(parameters))
    rows = draw(st.dictionaries(points, RATIONALS, min_size=1, max_size=3))
    return Function(name, parameters, None, tuple(rows.items()))


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    """An interval of positive numbers that is not empty."""
    low = abs(draw(RATIONALS))
    width = draw(st.none() | st.fractions(0, 3, max_denominator=5))
    has_low = low > 0 and draw(st.booleans())
    if width is None:
        return Interval(low, None, has_low, False)
    if width == 0:
        return Interval(low + 1, low + 1, True, True)
    return Interval(low, low + width, has_low, draw(st.booleans()))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program with declarations that make sense."""
    domain = tuple(draw(st.lists(RATIONALS, min_size=1, max_size=4, unique=True)))
    sizes = st.none() | st.integers(1, 3)
    names = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    inputs = tuple(Declared(name, draw(sizes)) for name in names)
    steps = st.lists(RATIONALS, min_size=2, max_size=4, unique=True).map(lambda found: tuple(sorted(found)))
    variables = st.builds(Variable, NAMES, st.none() | EXPRESSIONS)
    outputs = st.builds(Declared, NAMES, sizes) | st.builds(Discretised, variables, steps)
    points = st.tuples(*[st.sampled_from(domain)] * sum(item.size or 1 for item in inputs))
    adjacency = st.builds(Within, st.sampled_from(Norm), RATIONALS.filter(lambda r: r > 0)) | st.builds(
        ListedPairs, st.lists(st.tuples(points, points), min_size=1, max_size=3).map(tuple)
    )
    return Program(
        name=draw(st.just("") | NAMES),
        domain=domain,
        inputs=inputs,
        outputs=tuple(draw(st.lists(outputs, min_size=1, max_size=2))),
        adjacency=draw(adjacency),
        claim=Claim(abs(draw(RATIONALS)), draw(st.just(Number(Fraction(0))) | EXPRESSIONS)),
        interval=draw(intervals()),
        functions=tuple(draw(functions(name)) for name in ("f", "g")[: draw(st.integers(0, 2))]),
        body=tuple(draw(st.lists(STATEMENTS, max_size=3))),
    )


@st.composite
def respelled(draw: st.DrawFn, text: str) -> str:
    """The same tokens with other blanks and comments between them."""
    made, before = "", ""
    random = draw(st.randoms(use_true_random=False))
    for token in TOKEN.findall(text):
        blank = random.choice(BLANKS)
        glued = not blank and TOKEN.findall(before + token) != [before, token]
        made += (" " if glued else blank) + token
        before = token
    return made


# --- programs that run ---


SCALES = ("eps", "1/2*eps", "2*eps", "eps*(2 + x)")
WEIGHTS = ("1", "2", "exp(1/2*eps)", "exp(-eps) + 1/2", "eps", "exp(eps*x)", "abs(x) + eps*eps")


class Writer:
    """Writes one program; ``noise`` is ``Lap``, ``DLap`` or nothing."""

    def __init__(self, random: Random, noise: str, most: int) -> None:
        self.random = random
        self.noise = noise
        self.most = most
        self.draws = 0

    def program(self) -> str:
        outputs = ["a", "b"]
        if self.noise and self.random.random() < 0.4:
            outputs[1] = f"disc(r, {self.pick('-1 < 0 < 1', '-1/2 < 1', '0 < 1/2 < 2')})"
        lines = [
            "domain {-1 .. 1};",
            "input x, y;",
            f"output {', '.join(outputs)};",
            "adjacent linf 1;",
            "function f(u, v) = u + 2*v;",
            "function g(u) = table {-1: 1/2, 0: 0, 1: 2};",
            f"a := {self.finite_start()};",
            f"b := {self.pick('true', 'false', 'x < y')};",
            "c := 0;",
        ]
        if self.noise:
            lines += [self.draw("r"), self.draw("s")]
        for _ in range(self.random.randint(2, 4)):
            lines += self.statement(0, inside=False)
        return "\n".join(lines)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def draw(self, name: str) -> str:
        self.draws += 1
        means = ["0", "x", "y - 1", "f(x, y)"] + ([] if self.draws == 1 else ["r", "r + x"])
        if self.noise == "Lap":
            means += ["1/2", "g(x)"]
        return f"{name} ~ {self.noise}({self.pick(*SCALES)}, {self.pick(*means)});"

    def finite_start(self) -> str:
        return self.pick("0", "1", "x", "x - y", "g(x)", "abs(x - y)", "max(x, y, 0)")

    def finite(self) -> str:
        return self.pick(self.finite_start(), "min(a + 1, 2)", "-a", "c", "x/2 + y", "f(x, y)")

    def sign(self) -> str:
        return self.pick("<", "<=", ">", ">=", "==", "!=")

    def condition(self, depth: int = 0) -> str:
        kind = self.random.randrange(8 if self.noise else 4)
        if kind >= 4:
            return self.noisy()
        if kind == 0 or depth > 1:
            return f"{self.finite()} {self.sign()} {self.finite()}"
        if kind == 1:
            return self.pick("b", "not b", "true")
        if kind == 2:
            return f"not ({self.condition(depth + 1)})"
        first, second = self.condition(depth + 1), self.condition(depth + 1)
        return f"({first}) {self.pick('and', 'or', '==', '!=')} ({second})"

    def noisy(self) -> str:
        if self.noise == "Lap":
            left = self.pick("r", "s", "r + s", "2*r", "r - 1/2", "-s", "r/2 - s")
            right = self.pick("s", "r", "x", "y + 1/2", "c", "2*r - s")
        else:
            left = self.pick("r", "s", "r + s", "2*r", "r - 1", "-s")
            right = (
                self.pick("x", "y + 1/2", "c", "1", "-1") if left == "2*r" else self.pick("s", "r", "x", "c")
            )
        return f"{left} {self.sign()} {right}"

    def statement(self, depth: int, *, inside: bool) -> list[str]:
        """A statement; ``inside`` of a loop, noise is left alone."""
        kinds = ["finite", "boolean", "choose", "mechanism", "choose"]
        if depth < 2:
            kinds += ["if", "if", "if"]
        if depth == 0:
            kinds.append("while")
        if self.noise and not inside:
            kinds += ["boolean", "sum"] + (["draw"] if self.draws < self.most else [])
        kind = self.random.choice(kinds)
        if kind == "finite":
            return [f"{self.pick('a', 'c')} := {self.finite()};"]
        if kind == "boolean":
            return [f"b := {self.condition()};"]
        if kind == "choose":
            values = self.random.sample(["0", "1", "x", "-1", "a", "1/2"], 2)
            return [f"{self.pick('a', 'c')} ~ {self.choice(values)};"]
        if kind == "mechanism":
            scale, score = self.pick(*SCALES), self.pick("abs(v - y)", "-v", "f(v, x)", "0")
            return [
                f"{self.pick('a', 'c')} ~ Exp({scale}, v in {{0, 1, {self.pick('x', '1', '-1')}}}: {score});"
            ]
        if kind == "draw":
            return [self.draw(self.pick("r", "s"))]
        if kind == "sum":
            return [f"{self.pick('r', 's')} := {self.pick('r + s', 's - r', '-r', 'r + x', 's + 1')};"]
        if kind == "while":
            return self.loop()
        lines = [f"if {self.condition()} {{", *self.block(depth, inside=inside), "}"]
        if self.random.random() < 0.3:
            lines[-1] = f"}} else if {self.condition()} {{"
            lines += [*self.block(depth, inside=inside), "}"]
        if self.random.random() < 0.5:
            lines[-1] = "} else {"
            lines += [*self.block(depth, inside=inside), "}"]
        return lines

    def block(self, depth: int, *, inside: bool) -> list[str]:
        lines = [
            line
            for _ in range(self.random.randint(0, 2))
            for line in self.statement(depth + 1, inside=inside)
        ]
        if self.random.random() < 0.2:
            lines.append("exit;")
        return [f"  {line}" for line in lines]

    def loop(self) -> list[str]:
        """A loop that a choice ends; what else happens in it leaves its counter alone."""
        more = [f"  {line}" for line in self.statement(1, inside=True)] if self.random.random() < 0.7 else []
        goes_on = self.pick("k == 0", "k < 1", f"k == 0 and ({self.condition(1)})")
        return ["k := 0;", f"while {goes_on} {{", *more, f"  k ~ {self.choice(['0', '1', '2'])};", "}"]

    def choice(self, values: list[str]) -> str:
        first, *others = [f"{value}: {self.pick(*WEIGHTS)}" for value in values]
        sure = values[-1]  # its weight is positive for every epsilon
        others[-1] = f"{sure}: {self.pick(*WEIGHTS[:5])}"
        return f"choose {{{', '.join([first, *others])}}}"


def random_program(random: Random, noise: str, most: int = 3) -> str:
    """The text of a random program with this noise (``Lap``, ``DLap`` or nothing) and so many draws."""
    return Writer(random, noise, most).program()
