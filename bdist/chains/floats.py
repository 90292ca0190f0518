"""Floats as rationals, in the way that the caller names.

A float is refused wherever bdist reads a number, because it is not the number that its author wrote: 0.1 is
0.1000000000000000055511151231257827. Matrices of NumPy and SciPy hold nothing else, though, so whoever has
one says how its entries are meant:

* ``"shortest"``: the decimal that Python prints, the shortest one that this float is nearest to. 0.1 is 1/10,
  and 1/3 is 0.3333333333333333, so that thirds do not sum to 1.
* ``"simplest"``: the fraction with the least denominator that rounds to this float. 0.1 is 1/10 and
  0.3333333333333333 is 1/3; what was computed from such numbers, as 0.1 + 0.2, is in general not what one
  would wish.
* ``"exact"``: the binary value itself. Sums are those of real arithmetic on these values.

None of them repairs a row: whatever the entries become, they must sum to exactly 1.

The fractions that round to a float are an interval, from the midpoint to the float below to the midpoint to
the one above, whose ends belong to it iff the float is the even one of its neighbours; a continued fraction
finds its simplest member. Floats of 16 and 32 bits have wider intervals of their own, and NumPy's types say
which it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from bdist.errors import ParameterError
from bdist.exact.continued_fractions import simplest_between
from bdist.exact.reading import as_rational, parse_rational

READINGS = ("shortest", "simplest", "exact")

Reader = Callable[[object, str], Fraction]


def number_reader(floats: str | None) -> Reader:
    """How to read numbers: as `as_rational`, which refuses floats, or with floats read as named.

    Raises: ParameterError where there is no such way.
    """
    if floats is None:
        return as_rational
    if floats not in READINGS:
        raise ParameterError(f"floats is {floats!r}; it must be {', '.join(READINGS)} or None")
    way = {"shortest": _shortest, "simplest": _simplest, "exact": _exact}[floats]

    def read(value: object, what: str) -> Fraction:
        return way(value, what) if _is_float(value) else as_rational(value, what)

    return read


def _is_float(value: object) -> bool:
    # NumPy's float64 is a float; its narrower types are not, but say what they are.
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def _exact(value: Any, what: str) -> Fraction:
    _check(value, what)
    return Fraction(*value.as_integer_ratio())


def _shortest(value: Any, what: str) -> Fraction:
    _check(value, what)
    return parse_rational(float.__repr__(value) if isinstance(value, float) else str(value))


def _simplest(value: Any, what: str) -> Fraction:
    here = _exact(value, what)
    if here == 0:
        return here
    below, above = (Fraction(*_next_towards(value, end).as_integer_ratio()) for end in (0.0, 2.0))
    low, high = (below + here) / 2, (here + above) / 2
    found = simplest_between(
        low, high, open_low=_rounded(low, value) != value, open_high=_rounded(high, value) != value
    )
    return here if found is None else found


def _next_towards(value: Any, end: float) -> Any:
    if isinstance(value, float):
        return math.nextafter(value, end)
    import numpy as np

    return np.nextafter(value, type(value)(end))


def _rounded(number: Fraction, like: Any) -> Any:
    """The float of that type nearest to a midpoint; a midpoint of narrow floats is a float of 64 bits."""
    return float(number) if isinstance(like, float) else type(like)(float(number))


def _check(value: Any, what: str) -> None:
    if not 0 <= value <= 1:
        raise ParameterError(f"{what} is the float {float(value)!r}, not between 0 and 1")
    if not isinstance(value, float) and value.dtype.itemsize > 4:
        raise ParameterError(f"{what} is a {type(value).__name__}; floats of more than 64 bits are not read")
