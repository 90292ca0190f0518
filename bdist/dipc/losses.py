"""How the privacy loss of a program depends on epsilon: numbers for a picture.

At each epsilon of a grid, the largest ln(P(in, o) / P(in', o)) over adjacent inputs and outputs, and, for a
claim with delta, the delta that e^(t epsilon) leaves: the largest sum of max(0, D_o). The closed forms are
exact; these values are floats, good for the eye and for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.dipc.closed_forms import ClosedForm
from bdist.dipc.exponentials import in_ring, units_of
from bdist.dipc.program import Interval, Program
from bdist.dipc.question import question_of, require_probability, subject_of

_PRECISION = 256
_POINTS = 96


@dataclass(frozen=True)
class Losses:
    """Values over a grid of epsilon; a loss is infinite where an output is possible on one side only."""

    factor: Fraction
    epsilons: tuple[float, ...]
    losses_approx: tuple[float, ...]
    deltas_approx: tuple[float, ...]
    claimed_deltas_approx: tuple[float, ...]


def losses(program: Program, *, budget: Budget | None = None) -> Losses:
    """The losses over the interval of a program. Raises: as `decide`, and Stopped."""
    limits = budget or Budget()
    subject = subject_of(program, limits)
    question = question_of(subject.program)
    require_probability(program, question, limits)
    found = subject.distributions
    forms = [ClosedForm(value, found.unit) for value in found.ratios]
    rows = {
        tuple(sorted((here.get(shown, -1), there.get(shown, -1)) for shown in here.keys() | there.keys()))
        for here, there in ((found.table[u], found.table[v]) for u, v in subject.pairs)
    }
    unit = units_of(question.delta)
    claimed = ClosedForm(in_ring(question.delta, unit), unit)
    grid = grid_of(program.interval)
    worst, needed, allowed = [], [], []
    for at in grid:
        limits.check()
        values = [*(float(form.ball(at, _PRECISION)) for form in forms), 0.0]
        logs = [*(float(form.ball(at, _PRECISION).log()) for form in forms), float("-inf")]
        worst.append(max((logs[a] - logs[b] for row in rows for a, b in row if a >= 0), default=0.0))
        power = 2.718281828459045 ** min(float(question.factor * at), 700.0)
        needed.append(max(sum(max(0.0, values[a] - power * values[b]) for a, b in row) for row in rows))
        allowed.append(float(claimed.ball(at, _PRECISION)) if question.delta else 0.0)
    return Losses(question.factor, tuple(map(float, grid)), tuple(worst), tuple(needed), tuple(allowed))


def grid_of(interval: Interval) -> Sequence[Fraction]:
    """Points of the interior: evenly spaced in a bounded interval, up to 8 more in an unbounded one."""
    low = interval.low
    high = low + 8 if interval.high is None else interval.high
    if low == high:
        return [low]
    return [low + (high - low) * Fraction(n, _POINTS) for n in range(1, _POINTS)]
