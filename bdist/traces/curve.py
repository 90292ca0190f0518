"""delta against epsilon: a curve with a proof at every sampled point, and sound in between.

A point is an epsilon with two bounds on the *true* delta there. The upper one is tv, bd or ld at a rational
alpha at or below e^epsilon, certified; the lower one is the advantage of an attack at a rational alpha at or
above e^epsilon, exact. e^epsilon itself is irrational, and the true delta falls as epsilon grows, so these
are the sides on which a rational bounds it. (Where an attack has too many prefixes to be listed, its
certified advantage at the alpha below is carried over to the one above; see `carried_lower`.)

That it falls is also why the curve says something between its points. An upper bound at a point holds for
every larger epsilon, a lower one for every smaller: so the *envelopes* are steps, the running minimum of the
upper bounds from the left and the running maximum of the lower bounds from the right. bd and ld are not
monotone in alpha themselves; their running minimum is a bound all the same. A line drawn through the points
would look better and bound nothing: interpolation is not used.

The steps leave rectangles between neighbouring points, in which the true curve runs. The next point goes into
the largest rectangle: this refines where the curve bends or falls steeply and leaves flat parts alone. New
points are put at ln(alpha) for a short fraction alpha near the middle, rounded up to a decimal: exact
arithmetic is fast at short fractions, the likelihood ratios at which a curve bends tend to be among them, and
nothing is lost by the rounding since the upper bound is computed at that alpha itself.

A time limit is dealt out to the points in equal shares. A point whose share ran out has wider bounds, which
hold like any others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Exactish, Skew
from bdist.errors import ParameterError
from bdist.exact.display import decimal_up
from bdist.exact.epsilon import LARGEST_EPSILON, exponential_down, exponential_up, log_up
from bdist.exact.rationals import simplest_between
from bdist.exact.reading import as_rational, rational_text
from bdist.results import Bound, Distance, Evidence
from bdist.traces.attack import Attack, carried_lower
from bdist.traces.best_upper import UpperBounds
from bdist.traces.true_delta import TRACE_TOLERANCE, TraceSettings, compute_trace_distance

CURVE_QUANTITIES = ("tv", "bd", "ld")
DEFAULT_POINTS = 25
POINT_LEAVES = 20_000
_NARROWEST = Fraction(1, 2**20)  # of the whole range: no point is put into an interval narrower than that


@dataclass(frozen=True)
class Point:
    """Bounds on the true delta at one epsilon.

    ``alpha_down`` is where the upper bound was computed and ``alpha_up`` where the attack was evaluated;
    alpha_down <= e^epsilon <= alpha_up.
    """

    epsilon: Fraction
    lower: Bound
    upper: Bound
    alpha_down: Fraction
    alpha_up: Fraction


@dataclass(frozen=True)
class Curve:
    """Points by increasing epsilon, and what they prove in between.

    ``quantity`` is where the upper bounds come from. ``limit`` says what cut the computation short, if
    anything did; the curve is sound regardless.
    """

    pair: tuple[str, str]
    quantity: str
    points: tuple[Point, ...]
    limit: str | None = None

    def upper_at(self, epsilon: Exactish) -> Fraction:
        """An upper bound on the true delta at any epsilon: the least at or left of it; 1 without one."""
        at = as_rational(epsilon, "epsilon")
        return min((p.upper.value for p in self.points if p.epsilon <= at), default=Fraction(1))

    def lower_at(self, epsilon: Exactish) -> Fraction:
        """A lower bound on the true delta at any epsilon: the largest at or right of it; 0 without one."""
        at = as_rational(epsilon, "epsilon")
        return max((p.lower.value for p in self.points if p.epsilon >= at), default=Fraction(0))


@dataclass(frozen=True)
class CurveSettings:
    """How much work: the number of points, the width and the unfolding's size at a point, and the time."""

    points: int = DEFAULT_POINTS
    tolerance: Fraction = TRACE_TOLERANCE
    max_leaves: int = POINT_LEAVES
    budget: Budget | None = None


def compute_curve(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    epsilon: tuple[Exactish, Exactish],
    quantity: str = "tv",
    settings: CurveSettings | None = None,
) -> Curve:
    """The true delta of a pair of states for all epsilon in a range, from both sides.

    Requires: a quantity and a number of points that `bdist.queries.CurveQuery` lets pass.
    Ensures: every upper bound was certified, by a certificate that was checked. Where the budget ran out, the
    points are those made by then; there is always at least one.
    Raises: ParameterError where the range is none.
    """
    chosen = settings or CurveSettings()
    first, last = _range(epsilon)
    sampler = _Sampler(chain, pair, quantity, chosen)
    points = [sampler.point_at(first)]
    if first < last and not sampler.stopped():
        points.append(sampler.point_at(last))
    while len(points) < chosen.points and not sampler.stopped():
        place = _next_place(points)
        if place is None:
            break
        epsilon_here, alpha = place
        points.append(sampler.point_at(epsilon_here, alpha))
        points.sort(key=lambda point: point.epsilon)
    return Curve(pair, quantity, sampler.sharpened(points), sampler.limit())


def _range(epsilon: tuple[Exactish, Exactish]) -> tuple[Fraction, Fraction]:
    first, last = (as_rational(end, "epsilon") for end in epsilon)
    if not 0 <= first <= last <= LARGEST_EPSILON:
        raise ParameterError(
            f"the range of epsilon is {rational_text(first)}..{rational_text(last)}; it must be increasing, "
            f"between 0 and {LARGEST_EPSILON}, such as 0..2"
        )
    return first, last


class _Sampler:
    """Makes points within a budget, and remembers the attacks."""

    def __init__(
        self, chain: LabelledMarkovChain, pair: tuple[str, str], quantity: str, settings: CurveSettings
    ) -> None:
        self._chain, self._pair, self._settings = chain, pair, settings
        self._budget = settings.budget or Budget()
        bounds = UpperBounds(chain, pair, quantity)
        self._bounds = None if quantity == "tv" else bounds
        self._attacks: list[Attack] = []
        self._left = settings.points
        self._was_cut = False

    def stopped(self) -> bool:
        """Whether the whole budget is used up."""
        return self._budget.exhausted() is not None

    def limit(self) -> str | None:
        """What cut the points short, if anything did."""
        whole = self._budget.exhausted()
        if whole is None and self._was_cut and self._budget.seconds is not None:
            return f"a point used up its share of the time limit of {self._budget.seconds:g} s"
        return whole

    def point_at(self, epsilon: Fraction, alpha: Fraction | None = None) -> Point:
        """Both bounds at an epsilon, the upper one at ``alpha``. Requires: alpha <= e^epsilon, if given."""
        down = exponential_down(epsilon) if alpha is None else alpha
        up = exponential_up(epsilon)
        skew = Skew(down, rational_text(epsilon), down == up, None if down == up else up)
        share = self._share(1 if self._bounds is None else 2)
        limits = TraceSettings(self._settings.tolerance, share, self._settings.max_leaves)
        found = compute_trace_distance(self._chain, self._pair, skew, "tv", limits)
        self._note_cut(share, found.distance)
        if found.attack is not None:
            self._attacks.append(found.attack)
        carried = carried_lower(found.distance.bracket.lower, found.distance.alpha, up)
        lower = max(found.bracket.lower, carried, key=lambda bound: bound.value)
        upper = found.bracket.upper
        if self._bounds is not None:
            share = self._share(1)
            best = self._bounds.best(down, share)
            self._note_cut(share, best)
            upper, down = best.bracket.upper, best.alpha
        self._left -= 1
        return Point(epsilon, lower, upper, down, up)

    def _note_cut(self, share: Budget, found: Distance) -> None:
        self._was_cut |= found.limit is not None and share.exhausted() is not None

    def sharpened(self, points: list[Point]) -> tuple[Point, ...]:
        """The points with every attack tried at every one of them: an event is an attack at all epsilons."""
        return tuple(self._sharper(point) for point in points)

    def _sharper(self, point: Point) -> Point:
        best = max((attack.advantage(point.alpha_up) for attack in self._attacks), default=Fraction(0))
        if best <= point.lower.value:
            return point
        return replace(point, lower=Bound(best, Evidence.EXACT))

    def _share(self, parts: int) -> Budget:
        left = self._budget.remaining()
        return Budget(None if left is None else left / (max(1, self._left) * parts), self._budget.stop)


def _next_place(points: list[Point]) -> tuple[Fraction, Fraction] | None:
    """An epsilon inside the largest rectangle between the envelopes, and the alpha for its upper bound.

    None where every rectangle is empty or too narrow.
    """
    narrowest = (points[-1].epsilon - points[0].epsilon) * _NARROWEST
    for area, k in sorted(_rectangles(points), reverse=True):
        left, right = points[k].epsilon, points[k + 1].epsilon
        if area > 0 and right - left > narrowest:
            place = _place_between(left, right)
            if place is not None:
                return place
    return None


def _rectangles(points: list[Point]) -> list[tuple[Fraction, int]]:
    uppers = [points[0].upper.value]
    for point in points[1:]:
        uppers.append(min(uppers[-1], point.upper.value))
    lowers = [points[-1].lower.value]
    for point in reversed(points[:-1]):
        lowers.append(max(lowers[-1], point.lower.value))
    lowers.reverse()
    widths = [after.epsilon - point.epsilon for point, after in pairwise(points)]
    return [(width * (uppers[k] - lowers[k + 1]), k) for k, width in enumerate(widths)]


def _place_between(left: Fraction, right: Fraction) -> tuple[Fraction, Fraction] | None:
    """The simplest alpha in the middle quarter of an interval of epsilon, and its logarithm, rounded up."""
    margin = (right - left) * 3 / 8
    alpha = simplest_between(exponential_up(left + margin), exponential_down(right - margin))
    if alpha is None:
        return None
    epsilon = Fraction(decimal_up(log_up(alpha)))
    return (epsilon, alpha) if left < epsilon < right else None
