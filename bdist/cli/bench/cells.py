"""Cases and cells: what is asked about a chain, and how one backend answered.

A cell is certified, or it is not an answer. A backend that comes to an end without a certificate does not
know ("unknown"); the naive loop has a value in floating point ("numerical"), which is never more than that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from bdist.cli.bench.plan import Instance, Member
from bdist.results import Statistics

NOT_KNOWN = "the exact distance is not known"


@dataclass(frozen=True)
class Case:
    """A chain and a pair of its states.

    ``value`` is their exact distance, or None where it is not known (for the ``reason``) or not asked for.
    """

    origin: Member | Instance
    pair: tuple[str, str] | None = None
    value: Fraction | None = None
    states: int | None = None
    pairs: int | None = None
    reason: str | None = None


class Status(Enum):
    """How a cell ended."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"
    NUMERICAL = "numerical"
    NOT_FINISHED = "not finished"
    FAILED = "failed"
    NOT_TRIED = "not tried"
    BUG = "bug"  # a certificate of ours was rejected; no study has such a cell

    @property
    def certified(self) -> bool:
        """Whether this is an answer with a checked certificate."""
        return self in (Status.HOLDS, Status.VIOLATED)

    @property
    def is_answer(self) -> bool:
        """Whether the backend did what it can do: a certified answer, or the number of the naive loop."""
        return self.certified or self is Status.NUMERICAL


@dataclass(frozen=True)
class Cell:
    """One backend's answer to one question about one case, and what it cost.

    ``seconds`` is missing where the backend did not come to an end; ``ratio`` is to the reference, in the
    same case and question; ``jobs`` is how many cells were measured at a time; ``peak_memory`` in bytes is
    that of the largest process.
    """

    case: Case
    question: str
    theta: Fraction | None
    backend: str
    status: Status = Status.NOT_TRIED
    seconds: float | None = None
    ratio: float | None = None
    runs: int = 0
    jobs: int = 1
    stats: Statistics = field(default_factory=dict)
    peak_memory: int | None = None
    reason: str | None = None
