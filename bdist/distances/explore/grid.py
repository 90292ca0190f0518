"""Multiples of 2^-50: the numbers of certified brackets.

A power of two, because a float times one is exact and so is its floor or ceiling; and with fewer places than
a float has, so that sums of a few such numbers are exact in floats as well.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRID = 2**50
GRID_STEP = 2.0**-50


def on_grid_up(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The least multiples that are not below. Requires: values between 0 and about 1."""
    return np.ceil(values * GRID).astype(np.int64)


def from_grid(value: int) -> Fraction:
    """The number behind a multiple."""
    return Fraction(value, GRID)
