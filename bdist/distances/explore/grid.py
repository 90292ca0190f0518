"""Multiples of 2^-60: the numbers of certified brackets, as integers.

A power of two, because a float times one is exact and so is its floor or ceiling.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRID = 2**60


def on_grid_up(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The least multiples that are not below. Requires: values between 0 and about 1."""
    return np.ceil(values * GRID).astype(np.int64)


def on_grid_down(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The largest multiples that are not above. Requires: values between 0 and about 1."""
    return np.floor(values * GRID).astype(np.int64)


def from_grid(value: int) -> Fraction:
    """The number behind a multiple."""
    return Fraction(value, GRID)
