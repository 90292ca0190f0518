"""The baseline ``naive``: the distances as a competent person would write them in an hour.

Gamma is iterated from 0 in floating point, until no entry moves by more than 1e-9. Each directed lift of each
pair of states with the same label is a linear program

    maximise  sum (mu_k - alpha nu_k) f_k   subject to   0 <= f <= 1   and   f_i - alpha f_j <= d(i, j)

over all states whose label occurs in one of the two supports, with a constraint for every ordered pair of two
of them with the same label. It has a HiGHS model of its own, which is made once. From sweep to sweep only its
right-hand sides change, so that HiGHS starts from the last basis, which still prices out. Where the two rows
forbid every gain (mu <= alpha nu) there is no program. Presolve is on or off for all, whichever was faster on
a sample of the first sweep; where there are few pairs, trying would cost more than it saves, and it is off.

A loop that fills a fresh model for every program of every sweep would be too easy to beat: it takes one and a
half times as long over two or three sweeps, and four or five times over twenty to forty. What comes out is
near the least fixed point and from below, as far as floats go: a number, and a proof of nothing. No answer
that leans on it is ever called certified.
"""

from __future__ import annotations

import random
import time
from typing import Any

import highspy
import numpy as np
import numpy.typing as npt

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain

STILL = 1e-9
SAMPLED = 24  # pairs on which presolve is tried, where there are
WORTH_SAMPLING = 100  # pairs

_HIGHS: Any = highspy.Highs  # its methods have no types

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int32]


class HighsFailed(Exception):
    """HiGHS did not solve a program that has a solution."""


class Shape:
    """The constraints f[heads] - alpha f[tails] <= d of all programs over the states of some labels."""

    def __init__(self, groups: list[list[int]], alpha: float) -> None:
        self.states = np.array([k for group in groups for k in group], dtype=np.int64)
        column = {int(k): place for place, k in enumerate(self.states)}
        arcs = [(i, j) for group in groups for i in group for j in group if i != j]
        self.heads = np.array([i for i, _ in arcs], dtype=np.int64)
        self.tails = np.array([j for _, j in arcs], dtype=np.int64)
        self.rows: Integers = np.arange(len(arcs), dtype=np.int32)
        self.least = np.full(len(arcs), -highspy.kHighsInf)
        self.starts: Integers = np.arange(0, 2 * len(arcs) + 1, 2, dtype=np.int32)
        self.columns: Integers = np.array([column[k] for arc in arcs for k in arc], dtype=np.int32)
        self.entries = np.tile([1.0, -alpha], len(arcs))


class Program:
    """One directed lift with its model."""

    def __init__(self, shape: Shape, gain: Floats, presolve: str) -> None:
        self._shape = shape
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(shape.states), len(shape.rows)
        model.sense_ = highspy.ObjSense.kMaximize
        model.col_cost_ = gain
        model.col_lower_, model.col_upper_ = np.zeros(len(gain)), np.ones(len(gain))
        model.row_lower_, model.row_upper_ = shape.least, np.zeros(len(shape.rows))
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_, model.a_matrix_.index_ = shape.starts, shape.columns
        model.a_matrix_.value_ = shape.entries
        self._highs = _HIGHS()
        self._highs.setOptionValue("output_flag", False)
        self._highs.setOptionValue("presolve", presolve)
        self._highs.passModel(model)

    def value(self, table: Floats) -> float:
        """The lift of a table."""
        shape, highs = self._shape, self._highs
        highs.changeRowsBounds(len(shape.rows), shape.rows, shape.least, table[shape.heads, shape.tails])
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise HighsFailed(highs.modelStatusToString(highs.getModelStatus()))
        return float(highs.getInfo().objective_function_value)


class NaiveIteration:
    """Gamma on one chain."""

    def __init__(self, chain: LabelledMarkovChain, alpha: float, budget: Budget | None = None) -> None:
        self._alpha, self._members = alpha, chain.states_by_label
        self._budget = budget or Budget()
        self._labels = [frozenset(chain.labels[k] for k, _ in row) for row in chain.rows]
        self._matrix = np.zeros((len(chain), len(chain)))
        for i, row in enumerate(chain.rows):
            for k, p in row:
                self._matrix[i, k] = float(p)
        self._shapes: dict[frozenset[str], Shape] = {}
        self.pairs = [(i, j) for group in self._members.values() for i in group for j in group if i < j]
        self.presolve, self.sweeps = "", 0

    def solve(self) -> Floats:
        """The value of each pair. Raises: Stopped, HighsFailed."""
        table = np.ones((len(self._matrix), len(self._matrix)))
        for group in self._members.values():
            table[np.ix_(group, group)] = 0.0
        self.presolve = self._faster_presolve(table)
        programs = [
            [self._program(i, j, self.presolve), self._program(j, i, self.presolve)] for i, j in self.pairs
        ]
        firsts, seconds = ([pair[side] for pair in self.pairs] for side in (0, 1))
        values = np.zeros(len(self.pairs))
        moved = np.inf
        while moved > STILL:
            following = np.array([self._larger(ways, table) for ways in programs])
            moved = float(np.abs(following - values).max(initial=0.0))
            values = following
            table[firsts, seconds] = table[seconds, firsts] = values
            self.sweeps += 1
        return values

    def _faster_presolve(self, table: Floats) -> str:
        if len(self.pairs) < WORTH_SAMPLING:
            return "off"
        chosen = random.Random(1).sample(self.pairs, min(SAMPLED, len(self.pairs)))  # noqa: S311
        times = {}
        for presolve in ("off", "on"):
            programs = [self._program(i, j, presolve) for i, j in chosen]
            start = time.perf_counter()
            for program in programs:
                if program is not None:
                    program.value(table)
            times[presolve] = time.perf_counter() - start
        return min(times, key=lambda presolve: times[presolve])

    def _program(self, i: int, j: int, presolve: str) -> Program | None:
        """The lift from row i to row j, None where it is 0 whatever the table."""
        self._budget.check()
        gain = self._matrix[i] - self._alpha * self._matrix[j]
        if (gain <= 0).all():
            return None
        labels = self._labels[i] | self._labels[j]
        if labels not in self._shapes:
            groups = [list(self._members[label]) for label in sorted(labels)]
            self._shapes[labels] = Shape(groups, self._alpha)
        shape = self._shapes[labels]
        return Program(shape, gain[shape.states], presolve)

    def _larger(self, ways: list[Program | None], table: Floats) -> float:
        self._budget.check()
        return max([0.0, *(way.value(table) for way in ways if way is not None)])
