"""One measurement, from the side of its process: a task in, seconds and values out.

Every measurement has a process to itself, so that it can be stopped and leaves no caches behind. What counts
are the seconds from the chain in memory (or the parameters of a mechanism) to the answer, check included. A
measurement that is over soon is repeated, on a fresh copy of the chain, and the median counts; that also
leaves out of a fast one what Python loads when first used.

dp_accounting is asked as its documentation shows: `from_randomized_response` and `self_compose`; different
mechanisms are composed in pairs, pairs of pairs and so on, which is much faster than one after another. For a
lower bound nothing may be cut off at the tails, so no mass is. The answer of its lists is the worse order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any, TypeVar

import bdist
from bdist.budget import Budget
from bdist.chains.formats import load
from bdist.traces.compute import ProfileSettings, compute_profile
from bdist.traces.profile import Order
from profiles.cases import Mechanism, Outputs, Pair, Responses, survey, survey_neighbours

MOST_RUNS = 5
BRIEF_SECONDS = 1.0  # as long as that is not used up, it is measured again
ALPHAS = (Fraction(1), Fraction(2))

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class ProfileTask:
    """A model file and two of its states."""

    file: Path
    pair: Pair
    time_limit: float


@dataclass(frozen=True)
class Point:
    """A certified bracket of the true delta, at one alpha and in one order."""

    alpha: Fraction
    order: Order
    lower: Fraction
    upper: Fraction

    @property
    def width(self) -> Fraction:
        """0 where it is exact."""
        return self.upper - self.lower


@dataclass(frozen=True)
class ProfileFigures:
    """What a profile took, and its brackets in both orders at all alphas."""

    states: int
    beliefs: int
    method: str
    solve: float
    check: float
    points: tuple[Point, ...]
    limit: str | None

    @property
    def seconds(self) -> float:
        """The whole of it."""
        return self.solve + self.check

    def worse(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """The bracket of the larger of both orders."""
        at = [point for point in self.points if point.alpha == alpha]
        return max(point.lower for point in at), max(point.upper for point in at)


def measure_profile(task: ProfileTask) -> ProfileFigures:
    """The whole profile, all epsilons at once, without any of them in mind."""

    def profile() -> ProfileFigures:
        chain = load(task.file)
        began = time.monotonic()
        found = compute_profile(chain, task.pair, ProfileSettings(budget=Budget(task.time_limit)))
        seconds = time.monotonic() - began
        check = float(found.stats["check_seconds"])
        points = []
        for alpha in ALPHAS:
            for order in (Order.FORWARD, Order.BACKWARD):
                bracket = found.delta(alpha=alpha, order=order)
                points.append(Point(alpha, order, bracket.lower.value, bracket.upper.value))
        return ProfileFigures(
            len(chain),
            int(found.stats["beliefs"]),
            str(found.stats["method"]),
            seconds - check,
            check,
            tuple(points),
            found.limit,
        )

    return _median(profile, lambda figures: figures.seconds)


@dataclass(frozen=True)
class AccountantTask:
    """A mechanism, the step of the grid of losses, and to which side they are rounded."""

    mechanism: Mechanism
    step: float
    pessimistic: bool


@dataclass(frozen=True)
class AccountantFigures:
    """What dp_accounting took, and its deltas at all alphas."""

    seconds: float
    deltas_approx: tuple[float, ...]


def measure_accountant(task: AccountantTask) -> AccountantFigures:
    """The deltas of dp_accounting. Raises: ImportError where it is not installed."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    def account() -> AccountantFigures:
        began = time.monotonic()
        made = _distribution(pld, task)
        deltas = made.get_delta_for_epsilon([log(alpha) for alpha in ALPHAS])
        return AccountantFigures(time.monotonic() - began, tuple(map(float, deltas)))

    return _median(account, lambda figures: figures.seconds)


def _distribution(pld: Any, task: AccountantTask) -> Any:
    options = {
        "pessimistic_estimate": task.pessimistic,
        "value_discretization_interval": task.step,
    }
    mechanism = task.mechanism
    if isinstance(mechanism, Outputs):
        first, second = (
            {k: log(p) for k, p in enumerate(outputs)} for outputs in (mechanism.first, mechanism.second)
        )
        return pld.from_two_probability_mass_functions(second, first, symmetric=False, **options)
    cut = {} if task.pessimistic else {"tail_mass_truncation": 0}
    made = [
        # it answers truthfully, or at random with this probability
        (pld.from_randomized_response(float(2 * (1 - truth)), 2, **options), times)
        for truth, times in mechanism.truths
    ]
    layer = [one.self_compose(times, **cut) if times > 1 else one for one, times in made]
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        rest = layer[-1:] if len(layer) % 2 else []
        layer = [a.compose(b, **cut) for a, b in pairs] + rest
    return layer[0]


@dataclass(frozen=True)
class AuditTask:
    """The survey of so many questions, and the epsilon that its neighbours are audited at."""

    questions: int
    epsilon: str


@dataclass(frozen=True)
class AuditFigures:
    """What an audit took and found."""

    seconds: float
    pairs: int
    answer: str
    holds_for: Fraction


def measure_audit(task: AuditTask) -> AuditFigures:
    """The audit of all neighbours of a survey, in one process."""
    chain, pairs = survey(task.questions), survey_neighbours(task.questions)
    began = time.monotonic()
    audit = bdist.audit(chain, pairs, epsilon=task.epsilon, jobs=1)
    return AuditFigures(time.monotonic() - began, len(pairs), audit.answer.value, audit.holds_for)


def closed_form(mechanism: Mechanism | None, alpha: Fraction) -> Fraction | None:
    """The true delta of a mechanism, in the worse order, where there is a formula for it."""
    return mechanism.delta(alpha) if isinstance(mechanism, Responses | Outputs) else None


def _median(measured: Callable[[], Answer], seconds: Callable[[Answer], float]) -> Answer:
    """The (lower) median of some runs, as many as fit into a moment."""
    runs = [measured()]
    while len(runs) < MOST_RUNS and sum(map(seconds, runs)) < BRIEF_SECONDS:
        runs.append(measured())
    return sorted(runs, key=seconds)[(len(runs) - 1) // 2]
