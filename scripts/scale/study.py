"""The cases of the study by section, and the loop that has each measured in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bdist.budget import Budget, Stopped, StopSign
from bdist.errors import BackendDied, BackendError
from bdist.processes import call
from scale.cases import Bounds, Figure, Task, measure

SECTIONS = ("random", "dining", "query", "layered", "start")
PRECISION = "1e-9"
_SCRIPTS = Path(__file__).parents[1]
EXACT_UP_TO = 40  # states of a random chain; beyond, exact values of all pairs are too long to wait for


@dataclass(frozen=True)
class Plan:
    """What to measure and with how much patience, in seconds."""

    sections: tuple[str, ...] = SECTIONS
    quick: bool = False
    time_limit: float = 600.0
    naive_limit: float = 60.0
    jobs: int | None = None

    def tasks(self) -> list[Task]:
        """The cases in the order of the report."""
        made = {
            "random": self._random,
            "dining": self._dining,
            "query": self._query,
            "layered": self._layered,
            "start": self._start,
        }
        return [task for section in SECTIONS if section in self.sections for task in made[section]()]

    def _random(self) -> Iterable[Task]:
        for states in (8,) if self.quick else (20, 40, 80, 160):
            for alpha in ("1.1",) if self.quick else ("1", "1.1"):
                values = (("states", states), ("labels", 3), ("degree", 3))
                for method in ("naive", "float", "certified", "exact"):
                    if method == "exact" and states > EXACT_UP_TO:
                        continue
                    yield Task(
                        "random",
                        method,
                        states,
                        "random",
                        values,
                        alpha,
                        precision=PRECISION if method == "certified" else "0",
                        jobs=self.jobs,
                        naive_limit=self.naive_limit,
                    )

    def _dining(self) -> Iterable[Task]:
        for diners in range(2, 4 if self.quick else 9):
            values = (("diners", diners),)
            family = "dining-cryptographers"
            yield Task("dining", "query", diners, family, values, "1.0002", ("s0", "s1"), jobs=self.jobs)

    def _query(self) -> Iterable[Task]:
        states = 60 if self.quick else 1000
        values = (("states", states), ("labels", 10), ("degree", 4))
        for pick in ("smallest", "quartile"):
            yield Task("query", "query", states, "random", values, "1.1", pick, PRECISION, self.jobs)

    def _layered(self) -> Iterable[Task]:
        layers, width = (20, 10) if self.quick else (2000, 50)
        values = (("layers", layers), ("width", width), ("labels", 4))
        for pick in ("smallest", "quartile"):
            yield Task(
                "layered", "file", layers * width, "layered", values, "1.1", pick, PRECISION, self.jobs
            )

    def _start(self) -> Iterable[Task]:
        yield Task("start", "process", 0, alpha="1.0002", runs=2 if self.quick else 10)


class Status(Enum):
    """How a case ended."""

    MEASURED = "measured"
    EXTRAPOLATED = "extrapolated"
    TIME_LIMIT = "time limit"
    FAILED = "failed"


@dataclass(frozen=True)
class Line:
    """A case that was measured, or why it was not."""

    task: Task
    status: Status
    seconds: float | None
    peak_memory: int | None
    figures: dict[str, Figure]
    bounds: Bounds = ()
    reason: str | None = None

    def number(self, name: str) -> float | None:
        """A figure that is a number, if it is there."""
        found = self.figures.get(name)
        return None if found is None or isinstance(found, str) else float(found)


@dataclass(frozen=True)
class Study:
    """What was measured."""

    plan: Plan
    lines: tuple[Line, ...]
    total: int
    interrupted: bool

    def section(self, name: str) -> list[Line]:
        """The lines of a section."""
        return [line for line in self.lines if line.task.section == name]


def run_study(plan: Plan, stop: StopSign, watch: Callable[[int, int, str], None]) -> Study:
    """Measure one case after another until all are done or ``stop`` is set.

    ``watch`` is told the number of the case, how many there are, and which it is.
    """
    tasks = plan.tasks()
    lines: list[Line] = []
    for number, task in enumerate(tasks, 1):
        watch(number, len(tasks), task.title)
        line = _line(task, plan.time_limit, stop)
        if stop.is_set():
            break
        lines.append(line)
    return Study(plan, tuple(lines), len(tasks), stop.is_set())


def _line(task: Task, limit: float, stop: StopSign) -> Line:
    try:
        reply = call(measure, task, Budget(limit, stop), folder=_SCRIPTS)
    except Stopped:
        return Line(task, Status.TIME_LIMIT, None, None, {}, reason=f"not finished in {limit:g} s")
    except (BackendDied, BackendError) as error:
        return Line(task, Status.FAILED, None, None, {}, reason=str(error))
    found = reply.result
    status = Status.EXTRAPOLATED if found.extrapolated else Status.MEASURED
    return Line(task, status, found.seconds, reply.peak_memory, dict(found.figures), found.bounds)
