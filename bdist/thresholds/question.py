"""A threshold question, and what a backend may answer.

A backend opens a *session* for one pair of states and is then asked about any number of thresholds, as a
binary search does; what one question taught may help with the next. It answers with a `Finding`: HOLDS with
the evidence of an upper bound, VIOLATED with that of a lower bound, or UNKNOWN with the reason and, possibly,
a hint. Findings are claims of a backend; `decide` turns them into certificates and has those checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Protocol, TypeVar

from bdist.budget import Budget
from bdist.distances.pairs import PairSpace
from bdist.distances.run import LowerEvidence, UpperEvidence
from bdist.processes import call
from bdist.results import Answer, Statistics

DEFAULT_BACKEND = "strategy"

Argument = TypeVar("Argument")
Result = TypeVar("Result")
Stats = dict[str, int | float | str]


@dataclass(frozen=True)
class Question:
    """One pair of states that carry the same label, in the space of pairs that it depends on."""

    space: PairSpace
    pair: int
    budget: Budget


@dataclass(frozen=True)
class Options:
    """What a backend may be told: the MILP solver, bit widths, where to write the CNF or the SMT script, and
    which breadths of the formula to try (see `formula`).
    """

    milp_solver: str = "highs"
    bits: int | None = None
    dimacs: Path | None = None
    smt2: Path | None = None
    breadths: tuple[str, ...] = ("supports", "labels")


@dataclass(frozen=True)
class Finding:
    """A backend's answer to one threshold."""

    answer: Answer
    upper: UpperEvidence | None = None
    lower: LowerEvidence | None = None
    reason: str | None = None
    hint: Answer | None = None
    stats: Statistics = field(default_factory=dict)


class Session(Protocol):
    """A backend at work on one question."""

    def decide(self, theta: Fraction) -> Finding:
        """Answer one threshold, within the question's budget."""
        ...


Opener = Callable[[Question, Options], Session]
"""A backend: what opens a session. Raises: BackendError where its solver is not installed."""


def new_stats() -> Stats:
    """What `ask_solver` adds to."""
    return {"solver_seconds": 0.0, "peak_memory": 0}


def ask_solver(
    solver: Callable[[Argument], Result], problem: Argument, budget: Budget, stats: Stats
) -> Result:
    """A solver's answer from a process of its own; ``stats`` add up what that took.

    Raises: Stopped, BackendDied, BackendError.
    """
    start = time.monotonic()
    try:
        reply = call(solver, problem, budget)
    finally:
        taken = float(stats["solver_seconds"]) + time.monotonic() - start
        stats["solver_seconds"] = round(taken, 6)
    stats["peak_memory"] = max(int(stats["peak_memory"]), reply.peak_memory)
    return reply.result
