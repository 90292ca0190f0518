"""Families of programs: published mechanisms, right and wrong, with their numbers made parameters.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a generator
and name it in `PROGRAMS`; everything else reads that table. The generators write their programs as one would
type them, with arrays and loops, so that what `bdist make` writes can be read and changed by hand. Lap(s, m)
has the density (s/2) e^(-s|x - m|), and scales are multiples of eps.

*Sparse vector*: which queries are above a threshold, and how it was got wrong. The threshold 0 gets noise,
every query gets noise of its own, and what is published is 1 for a query that is at least the threshold and 0
for one that is below, up to the c-th 1. Neighbours differ by at most 1 in every query. Lyu, Su and Li
(Understanding the sparse vector technique for differential privacy, 2017, Fig. 1) compare six published
versions, here with sensitivity 1 and T = 0; the number is that of their algorithm:

    program  threshold  queries            what is private
    svt      1/2        1/(4c)             eps
    svt2     1/(2c)     1/(4c)             eps; the threshold is drawn again after each 1
    svt3     1/2        1/(2c)             nothing: the noisy query is published in place of 1
    svt4     1/4        3/4                (1 + 6c)/4 eps
    svt5     1/2        no noise           nothing; no query is the last
    svt6     1/2        1/2                nothing; no query is the last

*Nothing* means for any number of queries: a program with few of them may be private for its eps. Barthe,
Chadha, Jagannath, Sistla and Viswanathan decide svt, svt2 and svt5 with three queries (their Table 1). What
svt3 publishes is a real number, of which the program here shows whether it is above 0: 1 if it is not, 2 if
it is. ``svt-discrete`` is svt with discrete Laplace noise, private for the same reason.

*Report noisy max*: which query is the largest, if each gets noise? Four versions, as Ding, Wang, Wang, Zhang
and Kifer number them (Detecting violations of differential privacy, 2018), with noise of scale 1/2 eps and
neighbours that differ by at most 1 in every query. ``nmax1`` publishes the index of the largest, with Laplace
noise, ``nmax2`` with exponential noise, the absolute value of Laplace noise: both private for eps. ``nmax3``
and ``nmax4`` publish the largest noisy query itself, which is not private; the programs show the step of
-largest < ... < largest that it is in. Barthe and others find counterexamples with 3 queries for nmax3 and
with 1 for nmax4 (their Table 2).

*Randomised response*: bits that are told truly more often than not; neighbours differ in one bit. ``rand1``
tells each bit truly with odds e^eps : 1 and is private for eps, exactly. ``rand2`` tells the truth with a
probability that does not know of eps, so it is private only for eps >= ln(truth / (1 - truth)), which is ln 3
for three truths in four. ``leaky-response`` is rand1 on one bit that with probability ``leak`` tells the bit,
and that it is the bit: (eps, leak)-private, and not eps-private.

*Counts and sums*, one for each kind of noise that the language has:

* ``noisy-histogram``: counts with Laplace noise of scale c eps each; neighbours differ by 1 in total. Private
  for c eps. It publishes real numbers, of which the program shows the step of -largest < ... < largest.
* ``smart-sum``: all partial sums, from noisy sums of blocks and noisy single numbers (Chan, Shi and Song,
  Private and continual release of statistics, 2011). A number is in one block and is a single one at most
  once, so neighbours that differ by 1 in total cost 2 eps. Shown in steps, too.
* ``discrete-count``: a count with discrete Laplace noise of scale eps; private for eps.
* ``geometric-count``: the same noise by flipping coins in a ``while`` without a bound, on counts from 0 to
  largest, at whose ends it is cut off; private for eps.
* ``exponential-mechanism``: a value near a count, in proportion to e^(-eps/2 |v - q|); private for eps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from bdist.dipc.program import (
    Adjacency,
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
    If,
    Interval,
    Laplace,
    Norm,
    Number,
    Output,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
    Within,
)
from bdist.family import Family, IntegerParameter, RationalParameter, Value, by_name, named_family

# --- writing a program in few words ---


Given = Expression | Fraction | int | str  # a text is the name of a variable

QUERIES = IntegerParameter("queries", 3, "number of queries", least=1, most=50)
LARGEST = IntegerParameter("largest", 1, "inputs are the integers from -largest to largest", least=1, most=50)
EPS = Epsilon()

_MOST = Fraction(10**6)

FACTOR = RationalParameter("factor", Fraction(1), "the t of the claim t*eps", below=_MOST)
FACTOR_TWO = replace(FACTOR, default=Fraction(2))


# --- expressions ---


def expression(given: Given) -> Expression:
    """An expression from a number, the name of a variable, or an expression."""
    if isinstance(given, str):
        return Variable(given)
    if not isinstance(given, int | Fraction):
        return given
    value = Fraction(given)
    if value < 0:
        return Unary("-", expression(-value))
    above = Number(Fraction(value.numerator))
    return above if value.denominator == 1 else Binary("/", above, Number(Fraction(value.denominator)))


def element(array: str, index: Given) -> Variable:
    """An element of an array."""
    return Variable(array, expression(index))


def binary(left: Given, operator: str, right: Given) -> Binary:
    """Two operands with an operator between them."""
    return Binary(operator, expression(left), expression(right))


def call(function: str, *arguments: Given) -> Call:
    """A call of a function."""
    return Call(function, tuple(map(expression, arguments)))


def times_eps(value: Fraction) -> Expression:
    """``value*eps``."""
    return EPS if value == 1 else binary(value, "*", EPS)


# --- statements ---


def assign(target: Variable | str, value: Given) -> Assign:
    """``target := value``."""
    return Assign(_variable(target), expression(value))


def laplace(target: Variable | str, scale: Fraction, mean: Given) -> Laplace:
    """``target ~ Lap(scale*eps, mean)``."""
    return Laplace(_variable(target), times_eps(scale), expression(mean))


def choose(target: Variable | str, *options: tuple[Given, Given]) -> Choose:
    """``target ~ choose {value: weight, ...}``."""
    pairs = tuple((expression(value), expression(weight)) for value, weight in options)
    return Choose(_variable(target), pairs)


def when(condition: Expression, body: Iterable[Statement], otherwise: Iterable[Statement] = ()) -> If:
    """``if condition {...} else {...}``."""
    return If(((condition, tuple(body)),), tuple(otherwise))


def repeat(counter: str, first: Given, last: Given, *body: Statement) -> For:
    """``for counter in first..last {...}``."""
    return For(counter, expression(first), expression(last), body)


# --- programs ---


def around_zero(largest: int) -> tuple[Fraction, ...]:
    """The integers from -largest to largest."""
    return tuple(Fraction(value) for value in range(-largest, largest + 1))


def discretised(variable: Variable | str, largest: int) -> Discretised:
    """``disc(variable, -largest < ... < largest)``."""
    return Discretised(_variable(variable), around_zero(largest))


def put_together(
    name: str,
    domain: Iterable[Fraction],
    inputs: Declared,
    outputs: Iterable[Output],
    claim: Claim | Fraction,
    body: Iterable[Statement],
    norm: Norm = Norm.LINF,
) -> Program:
    """A program for all positive epsilon whose neighbours are at most 1 apart."""
    adjacency: Adjacency = Within(norm, Fraction(1))
    claimed = claim if isinstance(claim, Claim) else Claim(claim)
    return Program(
        name, tuple(domain), (inputs,), tuple(outputs), adjacency, claimed, Interval(), (), tuple(body)
    )


def _variable(given: Variable | str) -> Variable:
    return Variable(given) if isinstance(given, str) else given


# --- sparse vector ---


COUNT = IntegerParameter(
    "count", 1, "c, the number of queries above the threshold that end it", least=1, most=50
)
COUNT_TWO = IntegerParameter("count", 2, COUNT.help, least=1, most=50)

_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
_QUERY = element("q", "i")
_ANSWER = element("o", "i")
_NOISY = element("r", "i")


def svt(
    queries: int = QUERIES.default,
    count: int = COUNT.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Algorithm 1: private for eps, whatever the number of queries. Raises: ParameterError."""
    count = COUNT.read(count)
    noisy = laplace(_NOISY, _QUARTER / count, _QUERY)
    return _sparse_vector("svt", queries, largest, factor, [_threshold(_HALF)], noisy, _above(count))


def svt2(
    queries: int = QUERIES.default,
    count: int = COUNT_TWO.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Algorithm 2, of Dwork and Roth: a new threshold after each 1. Raises: ParameterError."""
    count = COUNT_TWO.read(count)
    threshold = _threshold(_HALF / count)
    noisy = laplace(_NOISY, _QUARTER / count, _QUERY)
    above = _above(count, again=[threshold])
    return _sparse_vector("svt2", queries, largest, factor, [threshold], noisy, above)


def svt3(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """Algorithm 3, of Roth's lecture notes, with c = 1: the noisy query is published. Raises: ParameterError.

    With N queries, 0 everywhere against 1 everywhere gives N - 1 zeros and 1 with the ratio e^(N eps / 2), as
    then all N noisy queries are at most 0.
    """
    shown = when(binary(_NOISY, "<=", 0), [assign(_ANSWER, 1)], [assign(_ANSWER, 2)])
    noisy = laplace(_NOISY, _HALF, _QUERY)
    return _sparse_vector("svt3", queries, largest, factor, [_threshold(_HALF)], noisy, [shown, Exit()])


def svt4(
    queries: int = QUERIES.default,
    count: int = COUNT.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Algorithm 4, of Lee and Clifton: noise that does not grow with c. Raises: ParameterError."""
    noisy = laplace(_NOISY, Fraction(3, 4), _QUERY)
    above = _above(COUNT.read(count))
    return _sparse_vector("svt4", queries, largest, factor, [_threshold(_QUARTER)], noisy, above)


def svt5(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """Algorithm 5, of Stoddard and others: queries without noise. Raises: ParameterError."""
    return _sparse_vector("svt5", queries, largest, factor, [_threshold(_HALF)], None, [assign(_ANSWER, 1)])


def svt6(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """Algorithm 6, of Chen and others: no end after c ones. Raises: ParameterError."""
    noisy = laplace(_NOISY, _HALF, _QUERY)
    return _sparse_vector("svt6", queries, largest, factor, [_threshold(_HALF)], noisy, [assign(_ANSWER, 1)])


def svt_discrete(
    queries: int = QUERIES.default,
    count: int = COUNT.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Algorithm 1 with discrete Laplace noise: private for eps. Raises: ParameterError."""
    count = COUNT.read(count)
    threshold = DiscreteLaplace(Variable("rT"), times_eps(_HALF), expression(0))
    noisy = DiscreteLaplace(_NOISY, times_eps(_QUARTER / count), _QUERY)
    return _sparse_vector("svt_discrete", queries, largest, factor, [threshold], noisy, _above(count))


def _threshold(scale: Fraction) -> Laplace:
    return laplace("rT", scale, 0)


def _above(count: int, again: list[Laplace] | None = None) -> list[Statement]:
    """What is done for a query that is not below: it is published, and the c-th ends the run."""
    if count == 1:
        return [assign(_ANSWER, 1), Exit()]
    counted = assign("count", binary("count", "+", 1))
    end = when(binary("count", ">=", count), [Exit()])
    return [assign(_ANSWER, 1), counted, end, *(again or [])]


def _sparse_vector(
    name: str,
    queries: int,
    largest: int,
    factor: Fraction,
    before: list[Statement],
    noisy: Statement | None,
    above: list[Statement],
) -> Program:
    queries, largest, factor = QUERIES.read(queries), LARGEST.read(largest), FACTOR.read(factor)
    compared = _QUERY if noisy is None else _NOISY
    counts = any(statement == assign("count", binary("count", "+", 1)) for statement in above)
    body = [
        repeat("i", 1, queries, assign(_ANSWER, 0)),
        *([assign("count", 0)] if counts else []),
        *before,
        repeat(
            "i",
            1,
            queries,
            *([] if noisy is None else [noisy]),
            when(binary(compared, ">=", "rT"), above),
        ),
    ]
    outputs = [Declared("o", queries)]
    return put_together(name, around_zero(largest), Declared("q", queries), outputs, factor, body)


# --- report noisy max ---


_SCALE = Fraction(1, 2)


def nmax1(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """The index of the largest query with Laplace noise. Raises: ParameterError."""
    return _noisy_max("nmax1", queries, largest, factor, _laplace_noise(), shows_index=True)


def nmax2(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """The index of the largest query with exponential noise. Raises: ParameterError."""
    return _noisy_max("nmax2", queries, largest, factor, _exponential_noise(), shows_index=True)


def nmax3(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """The largest query with Laplace noise itself. Raises: ParameterError.

    With N queries, -1 everywhere against 0 everywhere shows at most -1 with the ratio e^(N eps / 2).
    """
    return _noisy_max("nmax3", queries, largest, factor, _laplace_noise(), shows_index=False)


def nmax4(
    queries: int = QUERIES.default, largest: int = LARGEST.default, factor: Fraction = FACTOR.default
) -> Program:
    """The largest query with exponential noise itself: it is at least every query. Raises: ParameterError."""
    return _noisy_max("nmax4", queries, largest, factor, _exponential_noise(), shows_index=False)


def _laplace_noise() -> list[Statement]:
    return [laplace(_NOISY, _SCALE, _QUERY)]


def _exponential_noise() -> list[Statement]:
    plus, minus = (assign(_NOISY, binary(_QUERY, sign, "z")) for sign in "+-")
    return [laplace("z", _SCALE, 0), when(binary("z", ">=", 0), [plus], [minus])]


def _noisy_max(
    name: str, queries: int, largest: int, factor: Fraction, noise: list[Statement], *, shows_index: bool
) -> Program:
    queries, largest, factor = QUERIES.read(queries), LARGEST.read(largest), FACTOR.read(factor)
    outputs: list[Output] = [Declared("o") if shows_index else discretised("best", largest)]
    better = [assign("best", _NOISY), *([assign("o", "i")] if shows_index else [])]
    body: list[Statement] = [
        repeat("i", 1, queries, *noise),
        assign("best", element("r", 1)),
        *([assign("o", 1)] if shows_index else []),
        repeat("i", 2, queries, when(binary(_NOISY, ">", "best"), better)),
    ]
    return put_together(name, around_zero(largest), Declared("q", queries), outputs, factor, body)


# --- randomised response ---


BITS = IntegerParameter("bits", 2, "number of bits", least=1, most=16)
TRUTH = RationalParameter("truth", Fraction(3, 4), "probability of the true answer", above=Fraction(1, 2))
LEAK = RationalParameter("leak", Fraction(1, 100), "probability that the bit is leaked")

_DOMAIN = (Fraction(0), Fraction(1))


def rand1(bits: int = BITS.default, factor: Fraction = FACTOR.default) -> Program:
    """Odds of e^eps to 1: private for eps. Raises: ParameterError."""
    return _response("rand1", bits, factor, call("exp", EPS), expression(1))


def rand2(
    bits: int = BITS.default, truth: Fraction = TRUTH.default, factor: Fraction = FACTOR.default
) -> Program:
    """Odds that do not depend on eps: not private for small eps. Raises: ParameterError."""
    truth = TRUTH.read(truth)
    return _response("rand2", bits, factor, expression(truth), expression(1 - truth))


def leaky_response(leak: Fraction = LEAK.default, factor: Fraction = FACTOR.default) -> Program:
    """Outputs are the answer, and 1 if it is leaked; (eps, leak)-private. Raises: ParameterError."""
    leak, factor = LEAK.read(leak), FACTOR.read(factor)
    answer = choose("o", ("q", call("exp", EPS)), (binary(1, "-", "q"), 1))
    body: list[Statement] = [
        choose("leaked", (1, leak), (0, 1 - leak)),
        when(binary("leaked", "==", 1), [assign("o", "q")], [answer]),
    ]
    claim = Claim(factor, expression(leak))
    outputs = [Declared("o"), Declared("leaked")]
    return put_together("leaky_response", _DOMAIN, Declared("q"), outputs, claim, body)


def _response(name: str, bits: int, factor: Fraction, true: Expression, false: Expression) -> Program:
    bits, factor = BITS.read(bits), FACTOR.read(factor)
    bit = element("q", "i")
    answer = choose(element("o", "i"), (bit, true), (binary(1, "-", bit), false))
    body = [repeat("i", 1, bits, answer)]
    outputs = [Declared("o", bits)]
    return put_together(name, _DOMAIN, Declared("q", bits), outputs, factor, body, Norm.L0)


# --- counts and sums ---


BINS = IntegerParameter("bins", 2, "number of counts", least=1, most=20)
NUMBERS = IntegerParameter("numbers", 3, "number of numbers to sum", least=1, most=20)
BLOCK = IntegerParameter("block", 2, "length of a block", least=1, most=20)
LARGEST_COUNT = IntegerParameter("largest", 2, "counts are from 0 to largest", least=1, most=50)
SCALE = RationalParameter(
    "scale", Fraction(1), "coefficient c of the scale c*eps of the noise of a count", below=_MOST
)

_ONE = Fraction(1)


def noisy_histogram(
    bins: int = BINS.default,
    scale: Fraction = SCALE.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR.default,
) -> Program:
    """Private for scale * eps. Raises: ParameterError."""
    bins, largest, factor = BINS.read(bins), LARGEST.read(largest), FACTOR.read(factor)
    body = [repeat("i", 1, bins, laplace(element("r", "i"), SCALE.read(scale), element("q", "i")))]
    outputs = [discretised(element("r", number), largest) for number in range(1, bins + 1)]
    domain = around_zero(largest)
    return put_together("noisy_histogram", domain, Declared("q", bins), outputs, factor, body, Norm.L1)


def smart_sum(
    numbers: int = NUMBERS.default,
    block: int = BLOCK.default,
    largest: int = LARGEST.default,
    factor: Fraction = FACTOR_TWO.default,
) -> Program:
    """All partial sums; private for 2 eps. Raises: ParameterError."""
    numbers, block = NUMBERS.read(numbers), BLOCK.read(block)
    largest, factor = LARGEST.read(largest), FACTOR_TWO.read(factor)
    body: list[Statement] = []
    blocks = ""  # the variable that is the noisy sum of all blocks so far
    for number in range(1, numbers + 1):
        partial, before = f"s{number}", f"s{number - 1}"
        if number % block:
            body.append(laplace("z", _ONE, element("q", number)))
            behind_block = number % block == 1
            start = blocks if behind_block else before
        else:
            mean = element("q", number - block + 1)
            total = mean if block == 1 else binary(mean, "+", element("q", number - block + 2))
            for index in range(number - block + 3, number + 1):
                total = binary(total, "+", element("q", index))
            body.append(laplace("z", _ONE, total))
            start = blocks
            blocks = partial
        body.append(assign(partial, binary(start, "+", "z") if start else "z"))
    outputs = [discretised(f"s{number}", largest) for number in range(1, numbers + 1)]
    domain = around_zero(largest)
    return put_together("smart_sum", domain, Declared("q", numbers), outputs, factor, body, Norm.L1)


def discrete_count(largest: int = LARGEST.default, factor: Fraction = FACTOR.default) -> Program:
    """Private for eps. Raises: ParameterError."""
    largest, factor = LARGEST.read(largest), FACTOR.read(factor)
    body = [DiscreteLaplace(Variable("n"), times_eps(_ONE), expression("q"))]
    outputs = [discretised("n", largest)]
    return put_together("discrete_count", around_zero(largest), Declared("q"), outputs, factor, body)


def geometric_count(largest: int = LARGEST_COUNT.default, factor: Fraction = FACTOR.default) -> Program:
    """Private for eps. Raises: ParameterError.

    A step d is -1, 0 or 1 with weights a, 1 - a, a, where a = e^-eps, and repeated with probability a: so the
    noise is k with probability (1 - a)/(1 + a) a^|k|.
    """
    largest, factor = LARGEST_COUNT.read(largest), FACTOR.read(factor)
    again = call("exp", Unary("-", EPS))
    stop = binary(1, "-", again)
    moved = call("max", 0, call("min", largest, binary("o", "+", "d")))
    body: list[Statement] = [
        choose("d", (-1, again), (0, stop), (1, again)),
        assign("o", call("max", 0, call("min", largest, binary("q", "+", "d")))),
        assign("goes_on", binary("d", "!=", 0)),
        While(
            Variable("goes_on"),
            (
                choose("goes_on", (Truth(True), again), (Truth(False), stop)),
                when(Variable("goes_on"), [assign("o", moved)]),
            ),
        ),
    ]
    domain = tuple(Fraction(value) for value in range(largest + 1))
    return put_together("geometric_count", domain, Declared("q"), [Declared("o")], factor, body)


def exponential_mechanism(largest: int = LARGEST.default, factor: Fraction = FACTOR.default) -> Program:
    """Private for eps. Raises: ParameterError."""
    largest, factor = LARGEST.read(largest), FACTOR.read(factor)
    domain = around_zero(largest)
    score = Unary("-", call("abs", binary("v", "-", "q")))
    candidates = tuple(expression(value) for value in domain)
    half = times_eps(Fraction(1, 2))
    body = [ExponentialMechanism(Variable("o"), half, "v", candidates, score)]
    return put_together("exponential_mechanism", domain, Declared("q"), [Declared("o")], factor, body)


# --- the table ---


PROGRAMS: Mapping[str, Family[Program]] = by_name(
    (
        Family(
            "svt",
            "sparse vector: queries that are above a noisy threshold; private for eps",
            (QUERIES, COUNT, LARGEST, FACTOR),
            svt,
        ),
        Family(
            "svt2",
            "sparse vector with a new threshold after each query above it; private for eps",
            (QUERIES, COUNT_TWO, LARGEST, FACTOR),
            svt2,
        ),
        Family(
            "svt3",
            "sparse vector that publishes the noisy query itself; not private",
            (QUERIES, LARGEST, FACTOR),
            svt3,
        ),
        Family(
            "svt4",
            "sparse vector with too little noise; private for (1 + 6 count)/4 eps only",
            (QUERIES, COUNT, LARGEST, FACTOR),
            svt4,
        ),
        Family(
            "svt5",
            "sparse vector without noise on the queries; not private",
            (QUERIES, LARGEST, FACTOR),
            svt5,
        ),
        Family("svt6", "sparse vector that never ends early; not private", (QUERIES, LARGEST, FACTOR), svt6),
        Family(
            "svt-discrete",
            "sparse vector with discrete Laplace noise; private for eps",
            (QUERIES, COUNT, LARGEST, FACTOR),
            svt_discrete,
        ),
        Family(
            "nmax1",
            "the index of the largest query, with Laplace noise; private for eps",
            (QUERIES, LARGEST, FACTOR),
            nmax1,
        ),
        Family(
            "nmax2",
            "the index of the largest query, with exponential noise; private for eps",
            (QUERIES, LARGEST, FACTOR),
            nmax2,
        ),
        Family(
            "nmax3",
            "the largest query itself, with Laplace noise; not private",
            (QUERIES, LARGEST, FACTOR),
            nmax3,
        ),
        Family(
            "nmax4",
            "the largest query itself, with exponential noise; not private",
            (QUERIES, LARGEST, FACTOR),
            nmax4,
        ),
        Family(
            "rand1", "randomised response with odds of e^eps to 1; private for eps", (BITS, FACTOR), rand1
        ),
        Family(
            "rand2",
            "randomised response with odds that do not depend on eps; not private for small eps",
            (BITS, TRUTH, FACTOR),
            rand2,
        ),
        Family(
            "leaky-response",
            "randomised response that sometimes leaks the bit; private for (eps, leak)",
            (LEAK, FACTOR),
            leaky_response,
        ),
        Family(
            "noisy-histogram",
            "counts with Laplace noise, shown in steps; private for scale*eps",
            (BINS, SCALE, LARGEST, FACTOR),
            noisy_histogram,
        ),
        Family(
            "smart-sum",
            "all partial sums, by blocks, shown in steps; private for 2 eps",
            (NUMBERS, BLOCK, LARGEST, FACTOR_TWO),
            smart_sum,
        ),
        Family(
            "discrete-count",
            "a count with discrete Laplace noise, shown in steps; private for eps",
            (LARGEST, FACTOR),
            discrete_count,
        ),
        Family(
            "geometric-count",
            "a count with geometric noise by flipping coins in a loop; private for eps",
            (LARGEST_COUNT, FACTOR),
            geometric_count,
        ),
        Family(
            "exponential-mechanism",
            "a value near a count, by the exponential mechanism; private for eps",
            (LARGEST, FACTOR),
            exponential_mechanism,
        ),
    )
)


def make_program(name: str, values: Mapping[str, Value] | None = None) -> Program:
    """The program of a family by name.

    Values are text, as typed, or numbers; what is not given is default.
    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return named_family(name, PROGRAMS, "programs").make(**(values or {}))
