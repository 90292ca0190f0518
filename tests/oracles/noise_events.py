"""The probability that linear comparisons of independent noise hold, the naive ways, in floating point.

A comparison is coefficients and a constant, meant as coefficients . noise + constant >= 0; the noise has the
density (a/2) e^(-a|x|), or is an integer in proportion to e^(-a|i|), where a is its rate. `integer_event` is
a sum over a box. `real_event` nests integrals, each by Gauss's rule between neighbouring points where
something may have a kink; the innermost one is a difference of the distribution function.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Comparison = tuple[Sequence[int], Fraction]
Plane = tuple[float, ...]  # coefficients and, last, the constant

NEGLIGIBLE = 1e-12
NODES, SHARES = np.polynomial.legendre.leggauss(14)
LONGEST = 8.0  # of an interval of Gauss's rule, times the largest rate
FARTHEST = 34.0  # real noise beyond that, times its rate, is negligible


def discrete_laplace(rate: float) -> list[tuple[int, float]]:
    """The probabilities of the integers, without the negligible ones."""
    last = math.ceil(-math.log(NEGLIGIBLE) / rate)
    height = math.tanh(rate / 2)  # (1 - e^-a) / (1 + e^-a)
    return [(number, height * math.exp(-rate * abs(number))) for number in range(-last, last + 1)]


def integer_event(rates: Sequence[float], comparisons: Sequence[Comparison]) -> float:
    """For integers: a sum over a box."""
    axes = [discrete_laplace(rate) for rate in rates]
    numbers = np.meshgrid(*([number for number, _ in axis] for axis in axes), indexing="ij", sparse=True)
    chances = np.meshgrid(*([chance for _, chance in axis] for axis in axes), indexing="ij", sparse=True)
    total = math.prod(chances[1:], start=chances[0])
    for coefficients, constant in comparisons:
        scale = constant.denominator
        form = sum(c * scale * axis for c, axis in zip(coefficients, numbers, strict=True))
        total = np.where(form + constant.numerator >= 0, total, 0.0)
    return float(np.sum(total))


def real_event(rates: Sequence[float], comparisons: Sequence[Comparison]) -> float:
    """For reals: integrals over one variable after the other; three are about what one can wait for.

    The integrand, as a function of the first k variables, is smooth between the planes of ``layers[k - 1]``:
    the comparisons and the places where densities have a kink, or where two such planes for k + 1 meet.
    """
    count = len(rates)
    planes = {_plane([*map(float, coefficients), float(b)]) for coefficients, b in comparisons}
    planes |= {_plane([float(v == w) for w in range(count + 1)]) for v in range(count)}
    layers = [planes]
    for last in range(count - 1, 0, -1):
        layers.insert(0, _shadows(layers[0], last))
    return float(_integral(rates, comparisons, layers, ()))


def _plane(entries: Sequence[float]) -> Plane:
    leading = next(c for c in entries if abs(c) > 1e-9)
    return tuple(round(c / leading, 12) + 0.0 for c in entries)


def _shadows(planes: set[Plane], last: int) -> set[Plane]:
    """Planes that do not mention the last variable, and where two others meet."""
    found = {(*plane[:last], plane[-1]) for plane in planes if plane[last] == 0}
    for p, q in combinations([plane for plane in planes if plane[last] != 0], 2):
        meeting = [x * q[last] - y * p[last] for x, y in zip(p, q, strict=True)]
        if any(abs(c) > 1e-9 for c in meeting[:last]):
            found.add(_plane([*meeting[:last], meeting[-1]]))
    return found


def _integral(
    rates: Sequence[float],
    comparisons: Sequence[Comparison],
    layers: Sequence[set[Plane]],
    before: tuple[float, ...],
) -> float:
    """The probability, given the values of the first variables."""
    left, rate = len(rates) - len(before), rates[len(before)]
    if left == 1:
        return float(_mass(rates[-1], comparisons, before)[()])
    points, shares = _gauss(_kinks(layers[len(before)], before, rate), LONGEST / max(rates))
    densities = rate / 2 * np.exp(-rate * np.abs(points))
    if left == 2:
        values = _mass(rates[-1], comparisons, (*before, points))
    else:
        values = np.array([_integral(rates, comparisons, layers, (*before, x)) for x in points.tolist()])
    return float(np.sum(shares * densities * values))


def _kinks(planes: set[Plane], before: tuple[float, ...], rate: float) -> list[float]:
    """Where the planes cut the line of the next variable."""
    far = FARTHEST / rate
    found = {-far, far}
    for plane in planes:
        factor = plane[len(before)]
        if factor:
            constant = plane[-1] + sum(c * x for c, x in zip(plane, before, strict=False))
            found.add(min(max(-constant / factor, -far), far))
    return sorted(found)


def _gauss(kinks: Sequence[float], longest: float) -> tuple[Floats, Floats]:
    """Points and weights of Gauss's rule on all intervals, long ones in parts."""
    points, shares = [], []
    for low, high in pairwise(kinks):
        if high - low > 1e-12:
            cuts = np.linspace(low, high, math.ceil((high - low) / longest) + 1)
            half = (cuts[1] - cuts[0]) / 2
            points.append(((cuts[:-1] + half)[:, None] + half * NODES).ravel())
            shares.append(np.tile(half * SHARES, len(cuts) - 1))
    return np.concatenate(points), np.concatenate(shares)


def _mass(rate: float, comparisons: Sequence[Comparison], before: Sequence[Floats | float]) -> Floats:
    """The probability that the last variable is where it must be, given all others."""
    low: Floats = np.asarray(-math.inf)
    high: Floats = np.asarray(math.inf)
    shape = np.broadcast(*before, 0.0).shape
    for coefficients, constant in comparisons:
        rest = np.asarray(float(constant) + sum(c * x for c, x in zip(coefficients, before, strict=False)))
        factor = coefficients[-1]
        if factor > 0:
            low = np.maximum(low, -rest / factor)
        elif factor < 0:
            high = np.minimum(high, -rest / factor)
        else:
            low = np.where(rest >= 0, low, math.inf)
    return np.broadcast_to(_below(rate * np.maximum(low, high)) - _below(rate * low), shape)


def _below(z: Floats) -> Floats:
    """The distribution function."""
    return np.where(z < 0, np.exp(np.minimum(z, 0.0)) / 2, 1 - np.exp(-np.maximum(z, 0.0)) / 2)
