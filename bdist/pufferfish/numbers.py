"""Vector pairs of models without parameters: integers, scaled, compared exactly.

What an observer can still learn after some observations depends on two vectors, the weight that each state
has under either side of a pair, and on nothing else; and of the two vectors together only up to a positive
factor. So a pair (alpha, beta) is kept as integers without a common divisor, in dictionaries that leave out
the zeros.

*Domination* is what keeps the search small. If alpha <= lambda alpha* and lambda beta* <= beta for some
lambda > 0, then for every continuation, which is a vector g >= 0, the ratio alpha g / beta g is at most
alpha* g / beta* g: whatever follows, (alpha*, beta*) is at least as bad. Such a lambda exists iff the largest
alpha/alpha* is at most the least beta/beta*. Being *closed* under c, alpha <= c beta, bounds every
continuation by c at once. Both are tested with products of integers; quotients would be made for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

Vector = dict[int, int]


@dataclass(frozen=True, slots=True)
class VectorPair:
    """Two vectors of positive integers by state, without a common divisor."""

    alpha: Vector
    beta: Vector

    @property
    def key(self) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
        """What two equal pairs have in common."""
        return tuple(sorted(self.alpha.items())), tuple(sorted(self.beta.items()))


def scaled(alpha: Vector, beta: Vector) -> VectorPair:
    """The pair without a common divisor."""
    divisor = gcd(*alpha.values(), *beta.values())
    if divisor > 1:
        alpha = {state: value // divisor for state, value in alpha.items()}
        beta = {state: value // divisor for state, value in beta.items()}
    return VectorPair(alpha, beta)


def scaled_fractions(alpha: dict[int, Fraction], beta: dict[int, Fraction]) -> VectorPair:
    """The pair as integers without a common divisor; zeros are left out."""
    common = 1
    for value in (*alpha.values(), *beta.values()):
        common = common * value.denominator // gcd(common, value.denominator)
    return scaled(_over(common, alpha), _over(common, beta))


def _over(common: int, vector: dict[int, Fraction]) -> Vector:
    return {s: value.numerator * (common // value.denominator) for s, value in vector.items() if value}


def dominates(stronger: VectorPair, weaker: VectorPair) -> bool:
    """Whether some lambda > 0 has weaker.alpha <= lambda stronger.alpha, lambda stronger.beta <= weaker.beta.

    Requires: weaker.alpha is not 0.
    """
    least = _largest_quotient(weaker.alpha, stronger.alpha)
    if least is None:
        return False
    above, below = least
    return all(above * value <= weaker.beta.get(state, 0) * below for state, value in stronger.beta.items())


def _largest_quotient(vector: Vector, by: Vector) -> tuple[int, int] | None:
    """The largest vector/by as a numerator and a denominator; None where it is infinite."""
    above, below = 0, 1
    for state, value in vector.items():
        divisor = by.get(state)
        if divisor is None:
            return None
        if value * below > above * divisor:
            above, below = value, divisor
    return above, below


def covering_factor(weaker: VectorPair, stronger: VectorPair) -> Fraction:
    """The least lambda with weaker.alpha <= lambda stronger.alpha. Requires: the stronger dominates."""
    return Fraction(*(_largest_quotient(weaker.alpha, stronger.alpha) or (0, 1)))


def closing_constant(pair: VectorPair) -> Fraction | None:
    """The least c with alpha <= c beta; None where there is none."""
    found = _largest_quotient(pair.alpha, pair.beta)
    return None if found is None else Fraction(*found)


def is_closed(pair: VectorPair, constant: Fraction) -> bool:
    """Whether alpha <= constant * beta."""
    above, below = constant.numerator, constant.denominator
    return all(value * below <= above * pair.beta.get(state, 0) for state, value in pair.alpha.items())


def pushed(vector: Iterable[tuple[int, int]], rows: tuple[tuple[tuple[int, int], ...], ...]) -> Vector:
    """The vector after one move along the rows."""
    result: Vector = {}
    for state, value in vector:
        for target, probability in rows[state]:
            result[target] = result.get(target, 0) + value * probability
    return result
