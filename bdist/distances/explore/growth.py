"""How much an error at each pair may grow: y = 1 + W y.

A table that is a fixed point up to eps becomes a table that the operator does not raise by adding eps y, and
one that it does not lower by subtracting it, where W are the couplings at the table and the largest row
counts where several are optimal. Slack that is the same at every pair does not work: a coupling may have mass
1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bdist.distances.explore.float_game import FloatGame, ProposalFailed, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_MOST_STEPS = 20_000
_CLOSE = 1e-3
_BETWEEN_LOOKS = 50  # steps from one look at the budget to the next
_MOST_GROWTH = 1e12


def growth(
    game: FloatGame, collected: Sequence[tuple[Rows, NDArray[np.bool_]]], pairs: Numbers, size: int
) -> Floats:
    """y = 1 + the largest of W y over the collected rows that are active; 0 at all other pairs.

    Ensures: a little more than that, so that the inequality is strict. Raises: ProposalFailed, Stopped.
    """
    found = np.zeros(size)
    found[pairs] = 1.0
    parts = []
    for rows, active in collected:
        kept = active[rows.task]
        parts.append((rows.task[kept], rows.pair[kept], rows.weight[kept], len(active)))
    for step_number in range(_MOST_STEPS):
        if step_number % _BETWEEN_LOOKS == 0:
            game.run.budget.check()
        most = np.zeros(len(pairs))
        for task, pair, weight, tasks in parts:
            sums = np.bincount(task, weight * found[pair], minlength=tasks)
            most = np.maximum(most, sums.reshape(-1, game.directions).max(axis=1))
        following = 1.0 + most
        step = float((following / found[pairs]).max(initial=0.0))
        found[pairs] = following
        if step <= 1.0 + _CLOSE * 0.1:
            return np.asarray(found * (1.0 + 10 * _CLOSE))
        if float(following.max(initial=0.0)) > _MOST_GROWTH:
            break
    raise ProposalFailed("errors grow without bound: some pairs hardly ever leak")
