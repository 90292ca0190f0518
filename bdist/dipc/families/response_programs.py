"""Randomised response as programs: bits that are told truly more often than not.

``rand1`` tells each bit truly with odds e^eps : 1 and is private for eps, exactly. ``rand2`` tells the truth
with a probability that does not know of eps, so it is private only for eps >= ln(truth / (1 - truth)), which
is ln 3 for three truths in four; for smaller ones it is not. ``leaky-response`` is rand1 on one bit that with
probability ``leak`` tells the bit, and that it is the bit: (eps, leak)-private, and not eps-private.

Neighbours differ in one bit.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.dipc.families.program_parts import (
    EPS,
    assign,
    binary,
    call,
    choose,
    element,
    expression,
    factor,
    put_together,
    repeat,
    when,
)
from bdist.dipc.program import Claim, Declared, Expression, Norm, Program, Statement
from bdist.family import Family, IntegerParameter, RationalParameter

BITS = IntegerParameter("bits", 2, "number of bits", least=1, most=16)
TRUTH = RationalParameter("truth", Fraction(3, 4), "probability of the true answer", above=Fraction(1, 2))
LEAK = RationalParameter("leak", Fraction(1, 100), "probability that the bit is leaked")
FACTOR = factor(Fraction(1))

_DOMAIN = (Fraction(0), Fraction(1))


def rand1(bits: int = BITS.default, factor: Fraction = FACTOR.default) -> Program:
    """Odds of e^eps to 1: private for eps. Raises: ParameterError."""
    return _program("rand1", bits, factor, call("exp", EPS), expression(1))


def rand2(
    bits: int = BITS.default, truth: Fraction = TRUTH.default, factor: Fraction = FACTOR.default
) -> Program:
    """Odds that do not depend on eps: not private for small eps. Raises: ParameterError."""
    truth = TRUTH.read(truth)
    return _program("rand2", bits, factor, expression(truth), expression(1 - truth))


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


def _program(name: str, bits: int, factor: Fraction, true: Expression, false: Expression) -> Program:
    bits, factor = BITS.read(bits), FACTOR.read(factor)
    bit = element("q", "i")
    answer = choose(element("o", "i"), (bit, true), (binary(1, "-", bit), false))
    body = [repeat("i", 1, bits, answer)]
    outputs = [Declared("o", bits)]
    return put_together(name, _DOMAIN, Declared("q", bits), outputs, factor, body, Norm.L0)


RAND1_FAMILY = Family(
    "rand1",
    "randomised response with odds of e^eps to 1; private for eps",
    (BITS, FACTOR),
    rand1,
)
RAND2_FAMILY = Family(
    "rand2",
    "randomised response with odds that do not depend on eps; not private for small eps",
    (BITS, TRUTH, FACTOR),
    rand2,
)
LEAKY_FAMILY = Family(
    "leaky-response",
    "randomised response that sometimes leaks the bit; private for (eps, leak)",
    (LEAK, FACTOR),
    leaky_response,
)
