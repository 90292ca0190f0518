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

Where a profile is open and too wide at the points that were asked for, it is computed once more with these as
its focus, and the better end of the two is taken on either side. Both profiles are proved, so both hold.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Skew
from bdist.exact.reading import rational_text
from bdist.results import Bound, Bracket
from bdist.traces.compute import SAMPLE_ALPHAS, ProfileSettings, compute_profile
from bdist.traces.loss import Piece, PrivacyLoss
from bdist.traces.profile import Order, Profile

BOTH_ORDERS = (Order.FORWARD, Order.BACKWARD)


@dataclass(frozen=True)
class Rates:
    """Of a test: it says "first" with at least the one probability from that state, and with at most the
    other from the second state.
    """

    true_positive: Fraction
    false_positive: Fraction

    def gain(self, alpha: Fraction) -> Fraction:
        """What the test proves about delta from below, at any alpha."""
        return self.true_positive - alpha * self.false_positive


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
            **_alphas(self.skew),
            **worse.document(),
            "forward": _ordered_document(self.forward),
            "backward": _ordered_document(self.backward),
        }


def _alphas(skew: Skew) -> dict[str, object]:
    return {
        "alpha": rational_text(skew.alpha),
        "attack_alpha": rational_text(skew.attack_alpha),
        "epsilon": skew.epsilon,
        "alpha_is_exact": skew.exact,
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


class DeltaFunction:
    """delta of one order from alpha = 1 on, piece by piece, with the test at every alpha."""

    def __init__(self, loss: PrivacyLoss) -> None:
        self.pieces: tuple[Piece, ...] = loss.pieces()
        self._starts = [piece.start for piece in self.pieces]

    def test(self, alpha: Fraction) -> Rates:
        """The test "the likelihood ratio exceeds alpha". Requires: alpha >= 1."""
        piece = self.pieces[bisect_right(self._starts, alpha) - 1]
        return Rates(piece.p, piece.q)

    def __call__(self, alpha: Fraction) -> Fraction:
        """delta at an alpha of at least 1."""
        return self.test(alpha).gain(alpha)


class ProfileFunction:
    """Both orders of a profile from both sides, as functions."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.lower = _both_orders(profile.optimistic)
        self.upper = self.lower if profile.exact else _both_orders(profile.pessimistic)

    def point(self, skew: Skew) -> Point:
        """What the profile says at one point."""
        return Point(skew, *(self._ordered(order, skew) for order in BOTH_ORDERS))

    def _ordered(self, order: Order, skew: Skew) -> OrderedPoint:
        evidence = self.profile.evidence
        test = self.lower[order].test(skew.attack_alpha)
        lower = max(Fraction(0), test.gain(skew.attack_alpha))
        upper = self.upper[order](skew.alpha)
        return OrderedPoint(Bracket(Bound(lower, evidence), Bound(upper, evidence)), test)


def _both_orders(loss: PrivacyLoss) -> dict[Order, DeltaFunction]:
    return {Order.FORWARD: DeltaFunction(loss), Order.BACKWARD: DeltaFunction(loss.swapped())}


def points_of(profile: Profile, skews: Sequence[Skew]) -> tuple[Point, ...]:
    """What a profile says at some points."""
    if not skews:
        return ()
    function = ProfileFunction(profile)
    return tuple(function.point(skew) for skew in skews)


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
    function = ProfileFunction(closer)
    return tuple(_better(point, function.point(point.skew)) for point in points), closer


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
    function = ProfileFunction(profile)
    gaps = [
        function.upper[order](piece.start) - piece.p + piece.start * piece.q
        for order in BOTH_ORDERS
        for piece in function.lower[order].pieces
    ]
    ends = [function.upper[order].pieces[-1].p - function.lower[order].pieces[-1].p for order in BOTH_ORDERS]
    return max(*gaps, *ends)


def is_narrow(profile: Profile, width: Fraction) -> bool:
    """Whether the sides are within a width of each other, at the alphas where the engine measures it."""
    if profile.exact:
        return True
    points = points_of(profile, [Skew(alpha) for alpha in SAMPLE_ALPHAS])
    return all(side.delta.width <= width for point in points for side in (point.forward, point.backward))


@dataclass(frozen=True)
class Stretch:
    """From one alpha to another (None: without end) this order is the worse; WORSE: they are the same."""

    start: Fraction
    end: Fraction | None
    order: Order


def worse_stretches(profile: Profile) -> tuple[Stretch, ...]:
    """Which order is the worse, from alpha = 1 on. Requires: the profile is exact."""
    forward, backward = (DeltaFunction(loss) for loss in (profile.optimistic, profile.optimistic.swapped()))
    cuts = sorted({piece.start for function in (forward, backward) for piece in function.pieces})
    found: list[tuple[Fraction, Order]] = []
    for start, end in [*pairwise(cuts), (cuts[-1], None)]:
        at_start = forward(start) - backward(start)
        if end is None:
            found.append((start, _sign(at_start)))  # both are constant from here on
            continue
        at_end = forward(end) - backward(end)
        if at_start * at_end < 0:
            crossing = start + (end - start) * at_start / (at_start - at_end)
            found += [(start, _sign(at_start)), (crossing, _sign(at_end))]
        else:
            found.append((start, _sign(at_start or at_end)))
    kept = [entry for k, entry in enumerate(found) if k == 0 or entry[1] is not found[k - 1][1]]
    ends = [start for start, _ in kept[1:]]
    return tuple(Stretch(start, end, order) for (start, order), end in zip(kept, [*ends, None], strict=True))


def _sign(difference: Fraction) -> Order:
    if difference == 0:
        return Order.WORSE
    return Order.FORWARD if difference > 0 else Order.BACKWARD
