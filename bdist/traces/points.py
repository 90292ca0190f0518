"""A profile as a function of epsilon: its values at points, the tests that attain them, and what is between.

A `Profile` holds lists of atoms. What a person asks is delta at some epsilon, in either order and in the
worse of the two; which test an attacker would use there; and where one order is worse than the other. All of
it is read off the two lists:

* between two breakpoints delta = p - e^epsilon q, where p and q are the probabilities, from the first state
  and from the second, of "the likelihood ratio exceeds e^epsilon". So p and q are also the two rates of the
  best *test*: how often it says "first" rightly and how often wrongly. On the optimistic list some test is at
  least that good, and p - alpha q is a lower bound at every other alpha as well, a tangent;
* a chord of an upper bound is an upper bound: delta is convex in alpha = e^epsilon;
* the worse order changes where the two functions cross, which is at rational alphas.

A *curve* is a profile read off at evenly spaced points: a table for those who want one, and a range for a
picture. What is between two points is below the chord of their upper ends and above the tangents of the lower
ones.

Where a profile is open and too wide at the points that were asked for, it is computed once more with these as
its focus, and the better end of the two is taken on either side. Both profiles are proved, so both hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Exactish, Skew
from bdist.errors import ParameterError
from bdist.exact.epsilon import LARGEST_EPSILON
from bdist.exact.reading import as_rational, rational_text
from bdist.results import Bound, Bracket
from bdist.traces.compute import PROFILE_WIDTH, SAMPLE_ALPHAS, ProfileSettings, compute_profile
from bdist.traces.loss import Rates
from bdist.traces.profile import BOTH_ORDERS, Order, Profile


@dataclass(frozen=True)
class OrderedPoint:
    """delta at one point in one order, and a test that proves its lower end."""

    delta: Bracket
    test: Rates


@dataclass(frozen=True)
class Point:
    """delta at one alpha or epsilon: s over t, t over s, and the worse of the two."""

    skew: Skew
    forward: OrderedPoint
    backward: OrderedPoint

    @property
    def worse(self) -> Bracket:
        """delta of the worse order, from both sides."""
        ends = self.forward.delta, self.backward.delta
        return Bracket(
            max((end.lower for end in ends), key=_value), max((end.upper for end in ends), key=_value)
        )

    @property
    def worse_order(self) -> Order:
        """The order of the better test; WORSE where both gain the same."""
        forward, backward = (
            (side.delta.lower.value, side.delta.upper.value) for side in (self.forward, self.backward)
        )
        if forward == backward:
            return Order.WORSE
        return Order.FORWARD if forward > backward else Order.BACKWARD

    def of(self, order: Order) -> OrderedPoint:
        """One order of the two; for WORSE the worse one, the first where they are the same."""
        if order is Order.WORSE:
            order = Order.BACKWARD if self.worse_order is Order.BACKWARD else Order.FORWARD
        return self.forward if order is Order.FORWARD else self.backward

    def document(self) -> dict[str, object]:
        """The point as a JSON object."""
        worse = self.worse
        return {
            "alpha": rational_text(self.skew.alpha),
            "attack_alpha": rational_text(self.skew.attack_alpha),
            "epsilon": self.skew.epsilon,
            "alpha_is_exact": self.skew.exact,
            **worse.document(),
            "forward": _ordered_document(self.forward),
            "backward": _ordered_document(self.backward),
        }


def _ordered_document(point: OrderedPoint) -> dict[str, object]:
    return {
        "lower": rational_text(point.delta.lower.value),
        "upper": rational_text(point.delta.upper.value),
        "true_positive": rational_text(point.test.true_positive),
        "false_positive": rational_text(point.test.false_positive),
    }


def _value(bound: Bound) -> Fraction:
    return bound.value


def points_of(profile: Profile, skews: Sequence[Skew]) -> tuple[Point, ...]:
    """What a profile says at some points."""
    return tuple(Point(skew, *(_ordered(profile, order, skew) for order in BOTH_ORDERS)) for skew in skews)


def _ordered(profile: Profile, order: Order, skew: Skew) -> OrderedPoint:
    ((low, _),) = profile.sides(order)
    return OrderedPoint(profile.at(skew, order), low.test(skew.attack_alpha))


def narrow_points(
    chain: LabelledMarkovChain, profile: Profile, skews: Sequence[Skew], settings: ProfileSettings
) -> tuple[tuple[Point, ...], Profile | None]:
    """What is known at some points, and the profile with a focus that was computed for them, if one was.

    Requires: the profile is of this chain.
    """
    points = points_of(profile, skews)
    wide = [point.skew for point in points if point.worse.width > settings.width]
    budget = settings.budget
    if not wide or profile.limit is None or (budget is not None and budget.exhausted() is not None):
        return points, None
    focus = sorted({alpha for skew in wide for alpha in (skew.alpha, skew.attack_alpha)})
    closer = compute_profile(chain, profile.pair, replace(settings, focus=tuple(focus)))
    if closer.evidence is not profile.evidence:
        return points, None
    return tuple(map(_better, points, points_of(closer, skews))), closer


def _better(one: Point, other: Point) -> Point:
    return Point(
        one.skew, _better_ends(one.forward, other.forward), _better_ends(one.backward, other.backward)
    )


def _better_ends(one: OrderedPoint, other: OrderedPoint) -> OrderedPoint:
    lower = max(one, other, key=lambda point: point.delta.lower.value)
    upper = min(one, other, key=lambda point: point.delta.upper.value)
    return OrderedPoint(Bracket(lower.delta.lower, upper.delta.upper), lower.test)


def largest_gap(profile: Profile) -> Fraction:
    """The largest difference between the two sides, over all epsilon and both orders.

    The difference of two convex functions, of which the lower one is linear between its breakpoints, is
    convex between them: it is largest at a breakpoint of the lower side, at epsilon = 0 or towards infinity.
    """
    if profile.exact:
        return Fraction(0)
    sides = profile.sides()
    gaps = [
        high.delta(piece.start) - piece.p + piece.start * piece.q
        for low, high in sides
        for piece in low.pieces()
    ]
    return max(*gaps, *(high.infinite_mass - low.infinite_mass for low, high in sides))


def is_narrow(profile: Profile, width: Fraction) -> bool:
    """Whether the sides are within a width of each other, at the alphas where the engine measures it."""
    return profile.exact or all(
        high.delta(alpha) - low.delta(alpha) <= width
        for low, high in profile.sides()
        for alpha in SAMPLE_ALPHAS
    )


@dataclass(frozen=True)
class Stretch:
    """From one alpha to another (None: without end) this order is the worse; WORSE: they are the same."""

    start: Fraction
    end: Fraction | None
    order: Order


def worse_stretches(profile: Profile) -> tuple[Stretch, ...]:
    """Which order is the worse, from alpha = 1 on. Requires: the profile is exact."""
    (forward, _), (backward, _) = profile.sides()
    cuts = sorted({piece.start for loss in (forward, backward) for piece in loss.pieces()})
    lead = [forward.delta(cut) - backward.delta(cut) for cut in cuts]
    found: list[tuple[Fraction, Order]] = []
    for (start, at_start), (end, at_end) in pairwise(zip(cuts, lead, strict=True)):
        found.append((start, _sign(at_start or at_end)))
        if at_start * at_end < 0:
            found.append((start + (end - start) * at_start / (at_start - at_end), _sign(at_end)))
    found.append((cuts[-1], _sign(lead[-1])))  # both are constant from here on
    kept = [entry for k, entry in enumerate(found) if k == 0 or entry[1] is not found[k - 1][1]]
    ends = [start for start, _ in kept[1:]]
    return tuple(Stretch(start, end, order) for (start, order), end in zip(kept, [*ends, None], strict=True))


def _sign(difference: Fraction) -> Order:
    if difference == 0:
        return Order.WORSE
    return Order.FORWARD if difference > 0 else Order.BACKWARD


# --- a curve ---


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
    points: int,
    budget: Budget | None = None,
) -> Curve:
    """The true delta of a pair of states for all epsilon in a range, from both sides.

    Requires: at least 2 points, or 1 where the range is a single epsilon.
    Ensures: every bound is certified, by a certificate that was checked.
    Raises: ParameterError where the range is none.
    """
    epsilons = _places(epsilon, points)
    skews = [Skew.of(None, rational_text(place)) for place in epsilons]
    settings = ProfileSettings(budget=budget)
    profile = compute_profile(chain, pair, settings)
    found, _ = narrow_points(chain, profile, skews, settings)
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
