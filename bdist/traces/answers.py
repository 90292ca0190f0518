"""What is asked of a profile: delta at one point, delta at many, the least epsilon for a delta.

Each is read off a profile, and where that is too wide there, the profile is computed again with a *focus*.

**delta at one alpha**, with the attack behind its lower end. tv_alpha is the least delta for which two states
are (ln alpha, delta)-differentially private, the number that an auditor wants and that bd_alpha only bounds;
lv_alpha is that of one order of the pair. A profile knows both for every alpha. Asked about one, it spends
its effort there.

e^epsilon is irrational for most epsilons. A profile is certified for every alpha, so both ends of the bracket
are: the upper one at a rational just below e^epsilon, the lower one just above.

**delta as a function of epsilon.** What a person asks is delta at some epsilon, in either order and in the
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

**The least epsilon for a delta** is the logarithm of a rational. Everything happens in alpha = e^epsilon,
which may be rational. The true delta falls in alpha and is linear between breakpoints, so on a profile that
is known exactly the least alpha for a delta is a rational, found by one division, and epsilon = ln alpha is
its closed form. Where the rest of a list is all infinite ratios, and these alone have more probability than
delta, no epsilon will do, and that is an answer as well.

On an open profile the optimistic list gives an alpha that is too small or just right, the pessimistic one an
alpha that will do. Where these are too far apart, the profile is computed again with a *focus* at both ends,
and as narrow in delta as the slope there demands; in a few rounds the larger lower end and the smaller upper
end are kept. Where there is no upper end yet, larger and larger alphas are tried, up to 2^64. What is left
open then is said to be open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bdist.budget import Budget
from bdist.certificates import Document
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Exactish, Skew
from bdist.errors import ParameterError
from bdist.exact.epsilon import LARGEST_EPSILON
from bdist.exact.rationals import as_rational, counted, decimal_down, decimal_up, rational_text, short_text
from bdist.report import Answered, OneLine, data_frame, json_text
from bdist.results import Bound, Bracket, Distance, Evidence, columns_of, pair_text, power_text
from bdist.traces.compute import PROFILE_WIDTH, SAMPLE_ALPHAS, ProfileSettings, compute_profile
from bdist.traces.loss import Rates
from bdist.traces.profile import BOTH_ORDERS, LeastEpsilon, Order, Profile

if TYPE_CHECKING:
    from bdist.traces.attack import Attack, Frequency


@dataclass(frozen=True, repr=False)
class TraceDistance(Answered):
    """lv or tv of a pair at one alpha or e^epsilon, with the profile that proves it."""

    quantity: str
    skew: Skew
    profile: Profile
    chain: LabelledMarkovChain
    tolerance: Fraction = PROFILE_WIDTH

    @cached_property
    def bracket(self) -> Bracket:
        """What is known at e^epsilon."""
        return self.profile.at(self.skew, Order.WORSE if self.quantity == "tv" else Order.FORWARD)

    @cached_property
    def limit(self) -> str | None:
        """What kept the bracket from being as narrow as was asked for, if anything did."""
        met = self.bracket.width <= self.tolerance and not self.bracket.unchecked
        return None if met else self.profile.limit

    @property
    def certificate(self) -> Document:
        """The proof of the profile."""
        assert self.profile.certificate is not None  # noqa: S101 - one that was computed from a chain has it
        return self.profile.certificate

    @property
    def distance(self) -> Distance:
        """The bracket as a distance, with its certificate."""
        profile, skew = self.profile, self.skew
        return Distance(
            self.quantity,
            profile.pair,
            skew.alpha,
            self.bracket,
            self.certificate,
            profile.stats,
            self.limit,
            skew.epsilon,
            skew.exact,
        )

    @cached_property
    def attack(self) -> Attack | None:
        """The event behind the lower end, as a test that an attacker can apply; None where that is 0."""
        from bdist.traces.attack import attack_of, best_attack

        if self.bracket.lower.value == 0:
            return None
        if self.quantity == "tv":
            return best_attack(self.profile, self.chain, self.skew.attack_alpha)
        return attack_of(self.profile.graph, self.chain, self.profile.pair, self.skew.attack_alpha)

    def document(self) -> dict[str, object]:
        """What is known of the true delta as a JSON object."""
        attack = None if self.attack is None else self.attack.document()
        return {**self.bracket.document(), "limit": self.limit, "attack": attack}

    def to_json(self) -> str:
        """What ``bdist delta --no-bd --json`` prints, as text."""
        return json_text(self.distance.document() | {"true_delta": self.document()})

    def _essence(self) -> str:
        name = "true delta" if self.quantity == "tv" else self.quantity
        return self.bracket.in_short(f"{name}({pair_text(self.profile.pair)})")


def compute_trace_distance(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    quantity: str,
    settings: ProfileSettings | None = None,
) -> TraceDistance:
    """lv_alpha (of the ordered pair) or tv_alpha (of the pair in its worse order), from both sides.

    The settings' focus is replaced by this alpha.
    Ensures: the certificate was checked. Where a limit was reached, the bracket is what was proved by then.
    """
    focus = tuple(dict.fromkeys((skew.alpha, skew.attack_alpha)))
    chosen = replace(settings or ProfileSettings(), focus=focus)
    return TraceDistance(quantity, skew, compute_profile(chain, pair, chosen), chain, chosen.width)


class Told(StrEnum):
    """Whether a test that tells two states apart was found."""

    FOUND = "found"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, repr=False)
class BestAttack(Answered):
    """The test that tells two states apart best, as far as it is known, and what bounds any other.

    ``attack`` is the test, None where there is none or none was found: ``answer`` says which. ``bracket`` is
    on the true delta at the skew, so no test has an advantage above its upper end, and ``limit`` says why
    its ends differ, where they do.
    """

    pair: tuple[str, str]
    skew: Skew
    bracket: Bracket
    limit: str | None
    attack: Attack | None
    chain: LabelledMarkovChain

    @property
    def answer(self) -> Told:
        """FOUND, NONE or UNKNOWN: an upper end of 0 excludes every test."""
        if self.attack is not None:
            return Told.FOUND
        return Told.NONE if self.bracket.upper.value == 0 else Told.UNKNOWN

    @property
    def advantage(self) -> Fraction | None:
        """P(test from one state) - alpha P(test from the other), exactly, at an alpha not below e^epsilon."""
        return None if self.attack is None else self.attack.advantage(self.skew.attack_alpha)

    @property
    def reason(self) -> str | None:
        """Why nothing is known, where nothing is."""
        if self.answer is not Told.UNKNOWN:
            return None
        if self.limit is not None:
            return self.limit
        skew = self.skew
        if self.bracket.lower.value > 0:
            return "they are told apart, by a test that is too large to be told"
        ends = f"{rational_text(skew.alpha)}, just below {power_text(skew.epsilon)}, but not at"
        return f"an event tells them apart at alpha {ends} {rational_text(skew.attack_alpha)}, just above"

    def simulate(self, runs: int | None = None, seed: int = 1) -> tuple[Frequency, ...]:
        """How often the test accepts in so many runs from each of its states; the same seed, the same runs.

        Requires: there is a test. Raises: ParameterError where runs < 1.
        """
        from bdist.traces.attack import simulate, usual_runs

        attack = self.attack
        if attack is None:
            raise ParameterError("there is no test to run; see .answer and .reason")
        number = usual_runs(attack.test) if runs is None else runs
        return tuple(simulate(self.chain, state, attack.test, number, seed) for state in attack.pair)

    def document(self) -> dict[str, object]:
        """The attack as a JSON object, with what bounds any other."""
        alpha, attack = rational_text(self.skew.attack_alpha), self.attack
        return {
            "answer": self.answer.value,
            "pair": list(self.pair),
            "alpha": alpha,
            **self.bracket.document(),
            "limit": self.limit,
            "reason": self.reason,
            "attack": None if attack is None else attack.document(self.skew),
        }

    def _repr_svg_(self) -> str | None:
        """The test as a drawing, for a notebook; none where there is no test or it is too large for one."""
        return None if self.attack is None else self.attack._repr_svg_()

    def _essence(self) -> str:
        where = f"{pair_text(self.pair, ' against ')} at {self.skew.text}"
        if self.advantage is None:
            return f"{where}: {self.answer.value}"
        return f"{where}: advantage {short_text(self.advantage)}, {self.bracket.in_short('true delta')}"


def compute_attack(
    chain: LabelledMarkovChain, pair: tuple[str, str], skew: Skew, budget: Budget | None = None
) -> BestAttack:
    """Search for the best test. Ensures: its probabilities are exact, and the bracket was checked."""
    from bdist.traces.attack import best_attack

    profile = compute_profile(chain, pair, ProfileSettings((skew.alpha, skew.attack_alpha), budget=budget))
    attack = best_attack(profile, chain, skew.attack_alpha)
    bracket = profile.at(skew)
    if attack is not None and attack.advantage(skew.attack_alpha) > bracket.lower.value:
        bracket = replace(bracket, lower=Bound(attack.advantage(skew.attack_alpha), Evidence.EXACT))
    return BestAttack(pair, skew, bracket, None if bracket.exact else profile.limit, attack, chain)


@dataclass(frozen=True, repr=False)
class OrderedPoint(OneLine):
    """delta at one point in one order, and a test that proves its lower end."""

    delta: Bracket
    test: Rates


@dataclass(frozen=True, repr=False)
class Point(Answered):
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

    def _essence(self) -> str:
        return f"{self.skew.text}: {self.worse.in_short('delta')}"


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


@dataclass(frozen=True, repr=False)
class Stretch(OneLine):
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


@dataclass(frozen=True, repr=False)
class Curve(Answered):
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

    def document(self) -> dict[str, object]:
        """The curve as a JSON object: each point with its bounds and its best test."""
        return {
            "pair": list(self.pair),
            "exact": self.profile.exact,
            "limit": self.limit,
            "points": [
                {
                    "epsilon": rational_text(epsilon),
                    "lower": rational_text(point.worse.lower.value),
                    "upper": rational_text(point.worse.upper.value),
                    "worse_order": "both" if point.worse_order is Order.WORSE else point.worse_order.value,
                    "evidence": {
                        "lower": point.worse.lower.evidence.value,
                        "upper": point.worse.upper.evidence.value,
                    },
                    "alpha_down": rational_text(point.skew.alpha),
                    "alpha_up": rational_text(point.skew.attack_alpha),
                    "true_positive": rational_text(point.of(Order.WORSE).test.true_positive),
                    "false_positive": rational_text(point.of(Order.WORSE).test.false_positive),
                }
                for epsilon, point in zip(self.epsilons, self.points, strict=True)
            ],
        }

    def to_pandas(self) -> Any:
        """A row a point, as a DataFrame: epsilon, the bounds exactly and as floats rounded outwards.

        Raises: BackendError where pandas is not installed.
        """
        rows = [
            {"epsilon": epsilon, "epsilon_approx": float(epsilon), **columns_of(point.worse)}
            for epsilon, point in zip(self.epsilons, self.points, strict=True)
        ]
        return data_frame(rows)

    def _repr_svg_(self) -> str:
        """The curve over its range, for a notebook."""
        from bdist.traces.page import curve_svg

        return curve_svg(self.profile, (self.epsilons[0], self.epsilons[-1]))

    def _essence(self) -> str:
        ends = " to ".join(map(short_text, (self.epsilons[0], self.epsilons[-1])))
        points = counted(len(self.points), "point")
        kind = "exact" if self.profile.exact else "from both sides"
        return f"{pair_text(self.pair)}: true delta for epsilon {ends}, {points}, {kind}"


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


EPSILON_TOLERANCE = Fraction(1, 10**6)
LARGEST_ALPHA = Fraction(2**64)
_MOST_ROUNDS = 5
_LEAST_WIDTH = Fraction(1, 10**15)


@dataclass(frozen=True, repr=False)
class EpsilonBracket(LeastEpsilon):
    """The least epsilon of a pair with what proves it.

    ``lower_profile`` proves the lower end and ``upper_profile`` the upper one; they may be the same.
    ``limit`` says why the bracket is wider than it should be, if it is.
    """

    pair: tuple[str, str]
    lower_profile: Profile
    upper_profile: Profile
    limit: str | None = None

    @classmethod
    def read(cls, profile: Profile, delta: Fraction) -> EpsilonBracket:
        """What a profile says."""
        found = profile.epsilon(delta=delta)
        ends = found.lower_alpha, found.upper_alpha
        return cls(delta, *ends, profile.pair, profile, profile, evidence=profile.evidence)

    @property
    def is_impossible(self) -> bool:
        """Whether it is proved that no finite epsilon will do."""
        return self.lower_alpha is None

    @property
    def certificate(self) -> Document | None:
        """What proves the upper end or, where no epsilon will do, that."""
        return self.upper_profile.certificate

    def refuting_test(self) -> tuple[Order, Rates] | None:
        """The order and the two rates of a test that refutes every alpha below the lower end.

        None where the lower end is 1, and nothing is to be refuted.
        """
        if self.lower_alpha == 1:
            return None
        tests = []
        for order, (low, _) in zip(BOTH_ORDERS, self.lower_profile.sides(), strict=True):
            for piece in low.pieces():
                test = Rates(piece.p, piece.q)
                if piece.p > self.delta and self._refutes(test):
                    tests.append((order, test))
        return max(tests, key=lambda found: found[1].true_positive, default=None)

    def document(self) -> dict[str, object]:
        """What is known of the least epsilon as a JSON object, without the certificates."""
        low, high = self.lower_alpha, self.upper_alpha
        refuting = self.refuting_test()
        return {
            "pair": list(self.pair),
            "delta": rational_text(self.delta),
            "possible": False if self.is_impossible else True if high is not None else None,
            "lower_alpha": None if low is None else rational_text(low),
            "upper_alpha": None if high is None else rational_text(high),
            "lower_epsilon": None if self.lower is None else decimal_down(self.lower.value),
            "upper_epsilon": None if self.upper is None else decimal_up(self.upper.value),
            "exact": self.exact,
            "closed_form": self.closed_form,
            "attack": None if refuting is None else self._test_document(*refuting),
            "limit": self.limit,
        }

    def _test_document(self, order: Order, test: Rates) -> dict[str, object]:
        return {
            "pair": list(self.pair if order is Order.FORWARD else self.pair[::-1]),
            "true_positive": rational_text(test.true_positive),
            "false_positive": rational_text(test.false_positive),
            "exact": self.lower_profile.exact,
        }

    def _essence(self) -> str:
        return f"{pair_text(self.pair)}: {super()._essence()}"

    def _refutes(self, test: Rates) -> bool:
        """Whether the test alone excludes every alpha below the lower end."""
        if self.lower_alpha is None:
            return test.false_positive == 0
        return test.false_positive > 0 and test.gain(self.lower_alpha) == self.delta


def compute_epsilon(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    delta: Fraction,
    tolerance: Fraction = EPSILON_TOLERANCE,
    budget: Budget | None = None,
    known: Profile | None = None,
) -> EpsilonBracket:
    """The least epsilon for which two states are (epsilon, delta)-differentially private, from both sides.

    It stops where the bracket on epsilon is as narrow as ``tolerance``, or with its budget.
    Requires: a delta from 0 to 1, and a tolerance of at least 0; ``known``, if given, is a profile of these
    states.
    Ensures: both ends have a certificate that was checked. Where a limit was reached, the bracket is what was
    proved by then.
    """
    budget = budget or Budget()
    if known is None:
        known = compute_profile(chain, pair, ProfileSettings(budget=budget))
    found = EpsilonBracket.read(known, delta)
    for number in range(_MOST_ROUNDS):
        if _is_good(found, tolerance) or budget.exhausted() is not None:
            break
        focus, width = _next_focus(found, number), _next_width(found, tolerance)
        if focus is None:
            break
        profile = compute_profile(chain, pair, ProfileSettings(focus, width, budget=budget))
        found = _closest_ends(found, EpsilonBracket.read(profile, delta))
    if _is_good(found, tolerance):
        return found
    why = budget.exhausted() or found.lower_profile.limit or found.upper_profile.limit
    return replace(found, limit=why or "the ends cannot be brought closer")


def _is_good(found: EpsilonBracket, tolerance: Fraction) -> bool:
    if found.exact or found.is_impossible:
        return True
    low, high = found.lower_alpha, found.upper_alpha
    return low is not None and high is not None and high <= low * (1 + tolerance)


def _next_focus(found: EpsilonBracket, number: int) -> tuple[Fraction, ...] | None:
    """Both ends; where there is no upper one, larger and larger alphas."""
    low, high = found.lower_alpha, found.upper_alpha
    if low is None:
        return None
    if high is not None:
        return (low, high) if low < high else (low,)
    larger = max(Fraction(2), low) ** (2 ** (number + 1))
    return (low, min(larger, LARGEST_ALPHA)) if low < LARGEST_ALPHA else None


def _next_width(found: EpsilonBracket, tolerance: Fraction) -> Fraction:
    """How narrow delta must be for epsilon to be: delta falls like alpha q where the lower end is."""
    low = found.lower_alpha
    if low is None:
        return PROFILE_WIDTH
    slopes = [optimistic.test(low).false_positive for optimistic, _ in found.lower_profile.sides()]
    return max(_LEAST_WIDTH, min(PROFILE_WIDTH, min(slopes) * low * tolerance / 4))


def _closest_ends(one: EpsilonBracket, other: EpsilonBracket) -> EpsilonBracket:
    """The larger lower end and the smaller upper end."""
    low = max(other, one, key=lambda found: _rank(found.lower_alpha))
    high = min(other, one, key=lambda found: _rank(found.upper_alpha))
    return replace(low, upper_alpha=high.upper_alpha, upper_profile=high.upper_profile)


def _rank(alpha: Fraction | None) -> tuple[bool, Fraction]:
    return alpha is None, alpha or Fraction(0)  # None stands for infinity
