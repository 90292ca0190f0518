"""delta against epsilon over a range: a profile, read off at evenly spaced points.

The profile is known for every epsilon, so a curve is no search: it is a table for those who want one, and a
range for a picture. At every point there are both bounds on the true delta and, from the profile, what they
say in between: delta is convex in e^epsilon, so it is below the chord of two upper ends, and it is above the
tangent p - e^epsilon q of every lower end, which is a test with these two rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Exactish, Skew
from bdist.errors import ParameterError
from bdist.exact.epsilon import LARGEST_EPSILON
from bdist.exact.reading import as_rational, rational_text
from bdist.traces.compute import PROFILE_WIDTH, ProfileSettings, compute_profile
from bdist.traces.points import Point, narrow_points
from bdist.traces.profile import Profile

DEFAULT_POINTS = 25


@dataclass(frozen=True)
class Curve:
    """The true delta of a pair over a range of epsilon.

    ``epsilons`` are the places of the ``points``, increasing. ``profile`` says what is between them.
    ``limit`` says why the bounds at some point are further apart than they should be, if they are.
    """

    profile: Profile
    epsilons: tuple[Fraction, ...]
    points: tuple[Point, ...]
    limit: str | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """The two states."""
        return self.profile.pair


def compute_curve(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    epsilon: tuple[Exactish, Exactish],
    points: int = DEFAULT_POINTS,
    budget: Budget | None = None,
) -> Curve:
    """The true delta of a pair of states for all epsilon in a range, from both sides.

    Requires: at least 2 points, or 1 where the range is a single epsilon.
    Ensures: every bound is certified, by a certificate that was checked.
    Raises: ParameterError where the range is none.
    """
    epsilons = _places(epsilon, points)
    settings = ProfileSettings(budget=budget)
    profile = compute_profile(chain, pair, settings)
    found, _ = narrow_points(chain, profile, skews_at(epsilons), settings)
    wide = any(point.worse.width > PROFILE_WIDTH for point in found)
    stopped = None if budget is None else budget.exhausted()
    return Curve(profile, epsilons, found, (stopped or profile.limit) if wide else None)


def _places(epsilon: tuple[Exactish, Exactish], points: int) -> tuple[Fraction, ...]:
    first, last = (as_rational(end, "epsilon") for end in epsilon)
    if not 0 <= first <= last <= LARGEST_EPSILON:
        raise ParameterError(
            f"the range of epsilon is {rational_text(first)}..{rational_text(last)}; it must be increasing, "
            f"between 0 and {LARGEST_EPSILON}, such as 0..2"
        )
    if first == last:
        return (first,)
    return tuple(_rounded(first, last, k, points) for k in range(points))


def _rounded(first: Fraction, last: Fraction, k: int, points: int) -> Fraction:
    """The k-th place: the ends as they are, the others in as few decimals as tell them apart."""
    exact = first + (last - first) * k / (points - 1)
    if k in (0, points - 1):
        return exact
    unit = Fraction(1)
    while unit * 100 > (last - first) / (points - 1):
        unit /= 10
    return round(exact / unit) * unit


def skews_at(epsilons: Sequence[Fraction]) -> list[Skew]:
    """Rational epsilons as points of a profile."""
    return [Skew.of(None, rational_text(epsilon)) for epsilon in epsilons]
