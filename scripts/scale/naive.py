"""The distance table as one would first write it: what all ratios of the study are ratios to.

Gamma is iterated from 0 in floating point. A sweep takes every pair of states with the same label in both
directions, and each directed lift is a linear program of its own, handed to a fresh HiGHS model:

    maximise  sum (mu_k - alpha nu_k) f_k   subject to   0 <= f <= 1   and   f_i - alpha f_j <= d(i, j)

over all states whose label occurs in one of the two supports, with a constraint for every ordered pair of two
of them with the same label. It ends when no entry moves by more than 1e-9.

Naive, but not made slower than it is: which constraints there are depends only on the labels that occur, so
these arrays are made once for each set of labels, and what is timed is HiGHS and little else. HiGHS keeps its
default options. Whoever knows it better turns presolve off, which programs of this size gain from; the study
says how much, beside.

At 160 states this takes hours, so `estimate` times random programs of the first sweep and of a later one, at
a table that somebody else provides, and multiplies. The first sweep counts apart, because at d = 0 the
programs are easier or harder than they will be.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
import numpy.typing as npt

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.conversions import to_scipy_approx

STILL = 1e-9  # a sweep that moves no entry by more is the last
MOST_SAMPLED = 200  # programs of a sweep that are timed for an estimate
LEAST_SAMPLED = 5

_HIGHS: Any = highspy.Highs  # its methods have no types

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int32]


class HighsFailed(Exception):
    """HiGHS did not solve a program that has a solution."""


@dataclass(frozen=True)
class Shape:
    """The constraints of a program over the states of some labels: f[heads] - alpha f[tails] <= d."""

    states: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    tails: npt.NDArray[np.int64]
    starts: Integers
    columns: Integers
    entries: Floats


@dataclass(frozen=True)
class Estimate:
    """How long the iteration would take: seconds a program, in the first sweep and later, times programs."""

    seconds: float
    sweeps: int
    first: float
    later: float
    sampled: int


class NaiveIteration:
    """Gamma on one chain, a linear program at a time."""

    def __init__(self, chain: LabelledMarkovChain, alpha: float, *, presolve: bool = True) -> None:
        self._presolve = presolve
        self._alpha = alpha
        self._matrix = to_scipy_approx(chain).toarray()
        self._labels = chain.labels
        self._members = chain.states_by_label
        self._supports = [frozenset(chain.labels[k] for k, _ in row) for row in chain.rows]
        self._shapes: dict[frozenset[str], Shape] = {}
        self.pairs = [
            (i, j) for members in chain.states_by_label.values() for i in members for j in members if i < j
        ]

    @property
    def programs(self) -> int:
        """The linear programs of a sweep."""
        return 2 * len(self.pairs)

    def table(self, values: Floats) -> Floats:
        """A symmetric table from a value a pair: 0 on the diagonal, 1 where labels differ."""
        numbers = {label: k for k, label in enumerate(self._members)}
        own = np.array([numbers[label] for label in self._labels])
        full: Floats = np.where(own[:, None] != own[None, :], 1.0, 0.0)
        for (i, j), value in zip(self.pairs, values, strict=True):
            full[i, j] = full[j, i] = value
        return full

    def lift(self, i: int, j: int, table: Floats) -> float:
        """The directed lift K_alpha(mu_i, mu_j) of a table (Definition 12)."""
        shape = self._shape(self._supports[i] | self._supports[j])
        highs = _HIGHS()
        highs.setOptionValue("output_flag", False)
        if not self._presolve:
            highs.setOptionValue("presolve", "off")
        rows, columns = len(shape.heads), len(shape.states)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, rows
        model.sense_ = highspy.ObjSense.kMaximize
        model.col_cost_ = self._matrix[i, shape.states] - self._alpha * self._matrix[j, shape.states]
        model.col_lower_, model.col_upper_ = np.zeros(columns), np.ones(columns)
        model.row_lower_ = np.full(rows, -highspy.kHighsInf)
        model.row_upper_ = table[shape.heads, shape.tails]
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = shape.starts
        model.a_matrix_.index_ = shape.columns
        model.a_matrix_.value_ = shape.entries
        highs.passModel(model)
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise HighsFailed(highs.modelStatusToString(highs.getModelStatus()))
        return float(highs.getInfo().objective_function_value)

    def sweeps(self) -> Iterator[Floats]:
        """The values of the pairs after every sweep of Gamma from 0; ends when they are still."""
        values = np.zeros(len(self.pairs))
        moved = np.inf
        while moved > STILL:
            table = self.table(values)
            following = np.array(
                [max(self.lift(i, j, table), self.lift(j, i, table), 0.0) for i, j in self.pairs]
            )
            moved = float(np.abs(following - values).max(initial=0.0))
            values = following
            yield values

    def solve(self) -> tuple[int, Floats]:
        """The number of sweeps, and the values of the pairs after the last one."""
        tables = list(self.sweeps())
        return len(tables), tables[-1]

    def estimate(self, sweeps: int, later: Floats, limit: float) -> Estimate:
        """What `solve` would take for so many sweeps, from samples that take about ``limit`` seconds.

        ``later`` is the values of the pairs in the midst of the iteration. Requires: there are pairs.
        """
        draw = random.Random(1)  # noqa: S311 - reproducible, not secret
        directed = [pair for i, j in self.pairs for pair in ((i, j), (j, i))]
        sample = draw.sample(directed, min(len(directed), MOST_SAMPLED))
        self.lift(*sample[0], self.table(later))  # whatever HiGHS does once
        first, count = self._time(sample, np.zeros(len(self.pairs)), limit / 2)
        following, more = self._time(sample, later, limit / 2)
        seconds = self.programs * (first + (sweeps - 1) * following)
        return Estimate(seconds, sweeps, first, following, count + more)

    def _time(self, sample: list[tuple[int, int]], values: Floats, limit: float) -> tuple[float, int]:
        """Seconds a program, and of how many."""
        table = self.table(values)
        start = time.perf_counter()
        for count, (i, j) in enumerate(sample, 1):
            self.lift(i, j, table)
            spent = time.perf_counter() - start
            if spent > limit and count >= LEAST_SAMPLED:
                break
        return spent / count, count

    def _shape(self, labels: frozenset[str]) -> Shape:
        found = self._shapes.get(labels)
        if found is None:
            found = self._shapes[labels] = self._new_shape(labels)
        return found

    def _new_shape(self, labels: frozenset[str]) -> Shape:
        states = sorted(k for label in labels for k in self._members[label])
        column = {k: place for place, k in enumerate(states)}
        arcs = np.array(
            [
                (i, j, column[i], column[j])
                for label in labels
                for i in self._members[label]
                for j in self._members[label]
                if i != j
            ],
            dtype=np.int64,
        ).reshape(-1, 4)
        return Shape(
            np.array(states, dtype=np.int64),
            arcs[:, 0],
            arcs[:, 1],
            np.arange(0, 2 * len(arcs) + 1, 2, dtype=np.int32),
            arcs[:, 2:].astype(np.int32).ravel(),
            np.tile([1.0, -self._alpha], len(arcs)),
        )
