"""Counts and sums with noise as programs, one for each kind of noise that the language has.

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

from fractions import Fraction

from bdist.dipc.families.program_parts import (
    EPS,
    LARGEST,
    around_zero,
    assign,
    binary,
    call,
    choose,
    coefficient,
    discretised,
    element,
    expression,
    factor,
    laplace,
    put_together,
    repeat,
    times_eps,
    when,
)
from bdist.dipc.program import (
    Declared,
    DiscreteLaplace,
    ExponentialMechanism,
    Norm,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
)
from bdist.family import Family, IntegerParameter

BINS = IntegerParameter("bins", 2, "number of counts", least=1, most=20)
NUMBERS = IntegerParameter("numbers", 3, "number of numbers to sum", least=1, most=20)
BLOCK = IntegerParameter("block", 2, "length of a block", least=1, most=20)
LARGEST_COUNT = IntegerParameter("largest", 2, "counts are from 0 to largest", least=1, most=50)
SCALE = coefficient("scale", Fraction(1), "the noise of a count")
FACTOR = factor(Fraction(1))
FACTOR_TWO = factor(Fraction(2))

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


HISTOGRAM_FAMILY = Family(
    "noisy-histogram",
    "counts with Laplace noise, shown in steps; private for scale*eps",
    (BINS, SCALE, LARGEST, FACTOR),
    noisy_histogram,
)
SUM_FAMILY = Family(
    "smart-sum",
    "all partial sums, by blocks, shown in steps; private for 2 eps",
    (NUMBERS, BLOCK, LARGEST, FACTOR_TWO),
    smart_sum,
)
DISCRETE_FAMILY = Family(
    "discrete-count",
    "a count with discrete Laplace noise, shown in steps; private for eps",
    (LARGEST, FACTOR),
    discrete_count,
)
GEOMETRIC_FAMILY = Family(
    "geometric-count",
    "a count with geometric noise by flipping coins in a loop; private for eps",
    (LARGEST_COUNT, FACTOR),
    geometric_count,
)
EXPONENTIAL_FAMILY = Family(
    "exponential-mechanism",
    "a value near a count, by the exponential mechanism; private for eps",
    (LARGEST, FACTOR),
    exponential_mechanism,
)
