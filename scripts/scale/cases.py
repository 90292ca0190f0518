"""One case of the study, from the side of its process: a task in, seconds and figures out.

Every case has a process to itself, so that its peak memory is its own and it can be stopped. What counts are
the seconds from the chain in memory to the answer. Libraries are loaded before the clock starts, as far as
bdist itself does not load them late; a case that is over in half a second is repeated on a fresh copy of the
chain, and the shortest of three counts.

*float* is the proposal of the fast method by itself: the pair space closed by supports, the word bounds, the
kernel's programs, and `FloatGame.settle` on all pairs. It settles until sweeps move nothing any more, which
is more than the 1e-9 that the naive way stops at. It answers with the least fixed point over the states of
the supports only; that this is the distance is for the certified answer to prove, and the report holds the
two against each other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
import numpy.typing as npt

import bdist
from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.families import make_family
from bdist.chains.formats import lmc, load
from bdist.checker.core.chain import read_model
from bdist.distances.compute import cores
from bdist.distances.explore.float_game import FloatGame
from bdist.distances.explore.words import WordBounds
from bdist.distances.pairs import PairSpace
from bdist.distances.run import Run
from bdist.exact.reading import parse_rational
from bdist.lp import DEFAULT_ENGINE, engine_named
from scale.naive import STILL, NaiveIteration

ROOT = Path(__file__).resolve().parents[2]
START = ("delta", "instances/dining-cryptographers/two.lmc", "s0", "s1", "--alpha", "1.0002")
MOST_RUNS = 3
BRIEF_SECONDS = 0.5

Figure = int | float | str
Floats = npt.NDArray[np.float64]
Bounds = Sequence[tuple[float, float]]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Task:
    """What the process of a case is told.

    ``pair`` names two states, or says how to pick them: "smallest" or "quartile" (see `pick_pair`).
    ``precision`` is that of `bdist.distance`. ``naive_limit`` is how long the naive way may take before it is
    extrapolated, ``runs`` how often a process is started.
    """

    section: str
    method: str
    size: int
    family: str = ""
    values: tuple[tuple[str, int], ...] = ()
    alpha: str = "1"
    pair: tuple[str, str] | str | None = None
    precision: str = "0"
    jobs: int | None = None
    naive_limit: float = 0.0
    runs: int = 1

    def chain(self) -> LabelledMarkovChain:
        """A fresh chain, without anything cached."""
        return make_family(self.family, dict(self.values))

    @property
    def title(self) -> str:
        """For whoever watches."""
        pair = f" {self.pair}" if isinstance(self.pair, str) else ""
        return f"{self.section} {self.size or ''}{pair} {self.method}, alpha {self.alpha}".replace("  ", " ")


@dataclass(frozen=True)
class Outcome:
    """What the process of a case tells; ``bounds`` are those of a table, in the order of its pairs."""

    seconds: float
    figures: Mapping[str, Figure] = field(default_factory=dict)
    bounds: Bounds = ()
    extrapolated: bool = False


def measure(task: Task) -> Outcome:
    """Measure a task. Called in a process of its own."""
    return METHODS[task.method](task)


def measure_naive(task: Task) -> Outcome:
    """The naive iteration: run where it ends within its limit by an estimate, extrapolated elsewhere."""
    chain = task.chain()
    game = _float_game(chain, task)
    sweeps, later = _count_sweeps(game)
    iteration = NaiveIteration(chain, game.alpha)
    estimate = iteration.estimate(sweeps, later, task.naive_limit / 4)
    lean = NaiveIteration(chain, game.alpha, presolve=False).estimate(sweeps, later, task.naive_limit / 4)
    figures: dict[str, Figure] = {
        **_size_figures(chain),
        "programs": iteration.programs,
        "sweeps": sweeps,
        "first_program_seconds": estimate.first,
        "later_program_seconds": estimate.later,
        "sampled": estimate.sampled,
        "estimated_seconds": estimate.seconds,
        "unpresolved_seconds": lean.seconds,
    }
    if estimate.seconds > task.naive_limit:
        return Outcome(estimate.seconds, figures, extrapolated=True)
    fresh = task.chain()
    seconds, (made, values) = _timed(lambda: NaiveIteration(fresh, game.alpha).solve())
    figures |= {"kernel_sweeps": sweeps, "sweeps": made}
    return Outcome(seconds, figures, [(value, value) for value in values.tolist()])


def measure_float(task: Task) -> Outcome:
    """The table in floating point, by the kernel."""

    def settle(chain: LabelledMarkovChain) -> tuple[FloatGame, Floats]:
        game = _float_game(chain, task)
        table = np.zeros(len(game.space))
        game.settle(range(len(table)), table)
        return game, table

    seconds, (game, table) = _shortest(task, settle)
    figures: dict[str, Figure] = {
        **_size_figures(game.space.chain),
        "explored": len(game.space),
        "linear_programs": game.run.tally.solved,
    }
    return Outcome(seconds, figures, [(value, value) for value in table.tolist()])


def measure_table(task: Task) -> Outcome:
    """All pairs by `bdist.distance_table`, its check included."""
    seconds, table = _shortest(
        task,
        lambda chain: bdist.distance_table(chain, alpha=task.alpha, precision=task.precision, jobs=task.jobs),
    )
    found = list(table.values())
    widest = max(distance.bracket.width for distance in found)
    bounds = [(float(x.bracket.lower.value), float(x.bracket.upper.value)) for x in found]
    figures = {**_size_figures(task.chain()), **_answer_figures(found[0]), "width": float(widest)}
    return Outcome(seconds, figures, bounds)


def measure_pair(task: Task) -> Outcome:
    """One query by `bdist.distance`, its check included."""
    chain = task.chain()
    pair = pick_pair(chain, task)
    seconds, found = _shortest(task, lambda fresh: _query(fresh, pair, task))
    return Outcome(seconds, {**_size_figures(chain), "pair": " ".join(pair), **_answer_figures(found)})


def measure_file(task: Task) -> Outcome:
    """One query on a model file, with the reading of it; and what parts of it cost by themselves."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lmc"
        path.write_text(lmc.write(task.chain()), encoding="utf-8")
        size = path.stat().st_size
        reading, chain = _timed(lambda: load(path))
    pair = pick_pair(chain, task)
    asking, found = _timed(lambda: _query(chain, pair, task))
    stats = _answer_figures(found)
    writing, text = _timed(lambda: lmc.write(chain))
    rereading, model = _timed(lambda: read_model(text))
    figures: dict[str, Figure] = {
        **_size_figures(chain),
        "pair": " ".join(pair),
        **stats,
        "file_bytes": size,
        "read_seconds": reading,
        "query_seconds": asking,
        "fingerprint_seconds": _timed(lambda: fingerprint(chain))[0],
        "write_seconds": writing,
        "checker_read_seconds": rereading,
        "checker_fingerprint_seconds": _timed(model.fingerprint)[0],
    }
    return Outcome(reading + asking, figures)


def measure_start(task: Task) -> Outcome:
    """The command as a process, and Python alone: medians.

    Modules are compiled beforehand, by a run that does not count, as they are where bdist is installed.
    """
    script = shutil.which("bdist", path=str(Path(sys.executable).parent))
    command = [*([script] if script else [sys.executable, "-m", "bdist"]), *START]
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        _process_seconds(command, environment)
        times = [_process_seconds(command, environment) for _ in range(task.runs)]
        idle = [_process_seconds([sys.executable, "-c", "pass"], environment) for _ in range(task.runs)]
    figures: dict[str, Figure] = {
        "runs": task.runs,
        "fastest_seconds": min(times),
        "slowest_seconds": max(times),
        "python_seconds": median(idle),
    }
    return Outcome(median(times), figures)


METHODS: Mapping[str, Callable[[Task], Outcome]] = {
    "naive": measure_naive,
    "float": measure_float,
    "certified": measure_table,
    "exact": measure_table,
    "query": measure_pair,
    "file": measure_file,
    "process": measure_start,
}


def pick_pair(chain: LabelledMarkovChain, task: Task) -> tuple[str, str]:
    """The pair that a task names, or one picked by the labels of the next step.

    The candidates are the pairs of states that share a label with each other: the label l0, or in a layered
    chain any of the first layer. They are sorted by `one_step_difference`, ties by declaration; "smallest"
    is the first and "quartile" the one a quarter of the way down.
    """
    if task.pair is None or isinstance(task.pair, tuple):
        return task.pair or ("s0", "s1")
    layered = task.family == "layered"
    groups = [
        members
        for label, members in chain.states_by_label.items()
        if (label.startswith("0.") if layered else label == "l0")
    ]
    alpha = parse_rational(task.alpha)
    ranked = sorted(
        (one_step_difference(chain, alpha, i, j), i, j) for group in groups for i, j in combinations(group, 2)
    )
    _, i, j = ranked[0 if task.pair == "smallest" else len(ranked) // 4]
    return chain.states[i], chain.states[j]


def one_step_difference(chain: LabelledMarkovChain, alpha: Fraction, i: int, j: int) -> Fraction:
    """What the next label alone tells about two states: sum of max(0, P - alpha Q), the larger direction."""
    first, second = _label_masses(chain, i), _label_masses(chain, j)
    return max(
        sum((max(Fraction(0), p - alpha * b.get(label, 0)) for label, p in a.items()), Fraction(0))
        for a, b in ((first, second), (second, first))
    )


def same_label_pairs(chain: LabelledMarkovChain) -> int:
    """The number of unordered pairs of states with the same label."""
    return sum(len(group) * (len(group) - 1) // 2 for group in chain.states_by_label.values())


def _label_masses(chain: LabelledMarkovChain, i: int) -> dict[str, Fraction]:
    masses: dict[str, Fraction] = {}
    for k, p in chain.rows[i]:
        masses[chain.labels[k]] = masses.get(chain.labels[k], Fraction(0)) + p
    return masses


def _query(chain: LabelledMarkovChain, pair: tuple[str, str], task: Task) -> bdist.Distance:
    return bdist.distance(chain, *pair, alpha=task.alpha, precision=task.precision, jobs=task.jobs)


def _float_game(chain: LabelledMarkovChain, task: Task) -> FloatGame:
    """The game on all pairs of states with the same label, in the order of the distance table."""
    queries = [pair for group in chain.states_by_label.values() for pair in combinations(group, 2)]
    space = PairSpace(chain, parse_rational(task.alpha), queries, breadth="supports")
    run = Run(space, engine_named(DEFAULT_ENGINE), Budget())
    jobs = task.jobs or cores()
    return FloatGame(run, WordBounds.in_space(space), DEFAULT_ENGINE, jobs)


def _count_sweeps(game: FloatGame) -> tuple[int, Floats]:
    """How many sweeps from 0 Gamma takes until it is still, and the table of one past the half of them.

    The programs are those over the states of the supports, which the kernel solves in microseconds; the
    iteration converges at the rate of the naive one, if not to quite the same table.
    """
    everything = game.select(range(len(game.space)))
    table = later = np.zeros(len(game.space))
    count, moved = 0, np.inf
    while moved > STILL:
        following = game.sweep(everything, table).max(axis=1)
        moved = float(np.abs(following - table).max(initial=0.0))
        table = following
        count += 1
        if count.bit_count() == 1:  # a power of two
            later = table
    return count, later


def _size_figures(chain: LabelledMarkovChain) -> dict[str, Figure]:
    return {"states": len(chain), "pairs": same_label_pairs(chain)}


def _answer_figures(found: bdist.Distance) -> dict[str, Figure]:
    stats = found.stats
    return {
        "answered_by": stats["method"],
        "explored": stats["pairs"],
        "linear_programs": stats["linear_programs"],
        "upper_records": stats["upper_records"],
        "lower_records": stats["lower_records"],
        "solve_seconds": stats["seconds"],
        "check_seconds": stats["check_seconds"],
        "value_approx": float(found.bracket.upper.value),
        "width": float(found.bracket.width),
    }


def _shortest(task: Task, solve: Callable[[LabelledMarkovChain], Answer]) -> tuple[float, Answer]:
    """Solve on a fresh chain, up to three times if it is brief; the shortest run and its answer."""
    best, answer = _timed_on(task, solve)
    for _ in range(MOST_RUNS - 1):
        if best > BRIEF_SECONDS:
            break
        seconds, other = _timed_on(task, solve)
        if seconds < best:
            best, answer = seconds, other
    return best, answer


def _timed_on(task: Task, solve: Callable[[LabelledMarkovChain], Answer]) -> tuple[float, Answer]:
    chain = task.chain()
    return _timed(lambda: solve(chain))


def _timed(act: Callable[[], Answer]) -> tuple[float, Answer]:
    start = time.perf_counter()
    answer = act()
    return time.perf_counter() - start, answer


def _process_seconds(command: list[str], environment: Mapping[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment)
    return time.perf_counter() - start
