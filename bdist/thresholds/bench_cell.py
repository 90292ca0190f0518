"""One cell of the benchmark, from the side of its process: a backend decides one threshold, alone.

The seconds reported are those of the decision, from the chain to the evidence. A brief one is repeated, and
the shortest of three counts: the first also loads libraries, and all are at the mercy of the machine. Memory
is that of the largest process, be it the cell's own or one that it started for a foreign solver.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction

from bdist.budget import Budget
from bdist.distances.compute import Skew
from bdist.errors import BackendError, InternalError
from bdist.processes import peak_memory
from bdist.results import Answer, Statistics, Verdict
from bdist.thresholds.bench_cases import Case
from bdist.thresholds.decide import decide_threshold

_MOST_RUNS = 3
_BRIEF_SECONDS = 0.5


class Status(Enum):
    """How a cell ended."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    NOT_FINISHED = "not finished"
    FAILED = "failed"
    NOT_TRIED = "not tried"

    @property
    def certified(self) -> bool:
        """Whether this is an answer with a checked certificate."""
        return self in (Status.HOLDS, Status.VIOLATED)

    @property
    def timed(self) -> bool:
        """Whether the backend came to an end by itself, with an answer or without."""
        return self.certified or self is Status.UNKNOWN


@dataclass(frozen=True)
class Task:
    """What the process of a cell is told."""

    case: Case
    theta: Fraction
    backend: str
    limit: float


@dataclass(frozen=True)
class Outcome:
    """What the process of a cell tells."""

    status: Status
    seconds: float | None = None
    runs: int = 0
    stats: Statistics = field(default_factory=dict)
    peak_memory: int | None = None
    reason: str | None = None
    internal_error: bool = False


def decide_cell(task: Task) -> Outcome:
    """Decide the threshold of a task by its backend alone. Called in a process of its own."""
    try:
        chain, pair = task.case.chain(), task.case.pair or ("", "")
        skew = Skew(task.case.series.alpha)
        best = Outcome(Status.UNKNOWN)
        for run in range(1, _MOST_RUNS + 1):
            budget = Budget(task.limit)
            verdict = decide_threshold(
                chain, pair, skew, task.theta, task.backend, budget, options=None, confirm=False
            )
            outcome = _outcome(verdict, task.limit)
            best = replace(_quicker(best, outcome), runs=run)
            if outcome.seconds is None or outcome.seconds > _BRIEF_SECONDS:
                break
    except InternalError as error:
        return Outcome(Status.FAILED, reason=str(error), internal_error=True)
    except (BackendError, ImportError) as error:
        return Outcome(Status.FAILED, reason=_last_words(error))
    return replace(best, peak_memory=peak_memory())


def _quicker(best: Outcome, outcome: Outcome) -> Outcome:
    if outcome.seconds is None:
        return best if best.runs else outcome
    return outcome if best.seconds is None or outcome.seconds < best.seconds else best


def _outcome(verdict: Verdict, limit: float) -> Outcome:
    seconds = float(verdict.stats["seconds"])
    if seconds >= limit:
        return Outcome(Status.NOT_FINISHED, reason=f"time limit of {limit:g} s reached", stats=verdict.stats)
    status = {
        Answer.HOLDS: Status.HOLDS,
        Answer.VIOLATED: Status.VIOLATED,
        Answer.UNKNOWN: Status.UNKNOWN,
    }[verdict.answer]
    return Outcome(status, seconds, 1, verdict.stats, reason=verdict.reason)


def _last_words(error: Exception) -> str:
    """The message of an error; of one that crossed a process, without the way that it came."""
    return str(error).rpartition("bdist.errors.BackendError: ")[2]
