"""Regions: where a piece of a function is defined, as linear inequalities without needless ones.

An inequality is a `Form` (coefficients, constant), meant as coefficients . W + constant >= 0, with integers
that have no common divisor. Over integers the constant is rounded down accordingly, which loses no point.
A region is a set of forms of different directions. Over reals it counts as empty if it has no inner point:
boundaries have probability zero, so pieces may share them.

Emptiness is decided by Fourier-Motzkin elimination. Over integers that may call a region not empty that has
no integer point; nothing is then lost but time, since in one dimension the answer is exact, and all regions
end there.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import floor, gcd, lcm

from bdist.dipc.calculus import Exact

Form = tuple[tuple[int, ...], Exact]
Region = frozenset[Form]

EVERYWHERE: Region = frozenset()


def form_of(coefficients: Iterable[Exact], constant: Exact, gap: int) -> Form:
    """The inequality as a form: integers without a common divisor, over integers with a rounded constant."""
    listed = tuple(coefficients)
    scale = lcm(*(c.denominator for c in listed)) if listed else 1
    whole = tuple(int(c * scale) for c in listed)
    divisor = gcd(*whole) if listed else 0
    if divisor == 0:
        return whole, constant
    constant = Fraction(constant) * scale / divisor
    if gap:
        constant = floor(constant)
    elif constant.denominator == 1:
        constant = constant.numerator
    return tuple(c // divisor for c in whole), constant


def region_of(forms: Iterable[Form], gap: int) -> Region | None:
    """The region of these inequalities, or None where it is empty."""
    tightest: dict[tuple[int, ...], Exact] = {}
    for direction, constant in forms:
        if not any(direction):
            if constant < 0:
                return None
            continue
        known = tightest.get(direction)
        if known is None or constant < known:
            tightest[direction] = constant
    for direction, constant in tightest.items():
        opposite = tightest.get(tuple(-c for c in direction))
        if opposite is not None and _is_gone(constant + opposite, gap):
            return None
    if len(tightest) > 2 and len(next(iter(tightest))) > 1 and _is_empty(tightest, gap):
        return None
    return frozenset(tightest.items())


def _is_gone(width: Exact, gap: int) -> bool:
    """Whether nothing, or no inner point, is in an interval of that width."""
    return width < 0 or (gap == 0 and width == 0)


def _is_empty(forms: dict[tuple[int, ...], Exact], gap: int) -> bool:
    """Fourier-Motzkin elimination of all coordinates, the last one first."""
    current = forms
    for _ in range(len(next(iter(forms)))):
        following: dict[tuple[int, ...], Exact] = {}
        lower = [(d, c) for d, c in current.items() if d[-1] > 0]
        upper = [(d, c) for d, c in current.items() if d[-1] < 0]
        for d, c in current.items():
            if d[-1] == 0:
                following[d[:-1]] = min(c, following.get(d[:-1], c))
        for d, c in lower:
            for e, b in upper:
                combined = [x * -e[-1] + y * d[-1] for x, y in zip(d[:-1], e[:-1], strict=True)]
                constant = c * -e[-1] + b * d[-1]
                if not any(combined):
                    if _is_gone(constant, gap):
                        return True
                    continue
                direction, constant = form_of(combined, constant, 0)
                following[direction] = min(constant, following.get(direction, constant))
        current = following
    return False
