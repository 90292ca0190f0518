"""The whole privacy profile of two states: delta for every epsilon and back, in both orders, from both sides.

A `Profile` holds two privacy-loss distributions (`loss`): an *optimistic* one, whose deltas are lower bounds
for every alpha and in both orders, and a *pessimistic* one, whose deltas are upper bounds. Where the exact
distribution was found they are the same, and every answer is exact. All questions are answered from these two
lists, without going back to the chain: each quantity here (delta, epsilon, total variation, Renyi divergence,
the constant of zCDP) rises from a distribution to one that dominates it, so the optimistic list bounds it
from below and the pessimistic one from above.

alpha = e^epsilon is irrational for a rational epsilon > 0. Delta falls in alpha, so there the lower end is
taken at a rational just above e^epsilon and the upper end at one just below. The other way round there is a
closed form: the least alpha for a delta is rational, and epsilon is its logarithm.

Both orders are kept apart where that is asked for: FORWARD is s against t, BACKWARD is t against s, and WORSE
the larger of the two, which is what (epsilon, delta)-differential privacy of the pair asks.

Composition is exact while it is short, and then rounded to both sides (`composition`). A rounded pessimistic
list puts a mass of less than 2^-50 at ratio infinity, where the tail was cut off; its Renyi divergences are
then infinite. They add up over independent releases, so ask the factors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from bdist.certificates import Document
from bdist.distances.compute import Exactish, Skew
from bdist.errors import ParameterError
from bdist.exact.epsilon import log_down, log_up
from bdist.exact.rationals import (
    as_rational,
    counted,
    decimal_down,
    decimal_up,
    float_up,
    rational_text,
    short_text,
)
from bdist.report import Answered, OneLine, json_text
from bdist.results import Bound, Bracket, Evidence, pair_text
from bdist.traces.loss import PrivacyLoss, Vertex, atoms_document

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bdist.traces.beliefs import Graph
    from bdist.traces.renyi import Losses

Pair = tuple[str, str]
Ends = tuple[Bound | None, Bound | None]
Values = tuple[Fraction | None, Fraction | None]

_GRID_LIMIT = "the composition is rounded to a grid of ratios"
_LONGEST_CLOSED_FORM = 60


class Order(StrEnum):
    """Which of two states is the one that the attacker claims to have seen.

    * FORWARD: the first, so delta is about s over t.
    * BACKWARD: the second, t over s.
    * WORSE: the one with the larger delta, which is what differential privacy asks.
    """

    WORSE = "worse"
    FORWARD = "forward"
    BACKWARD = "backward"


BOTH_ORDERS = (Order.FORWARD, Order.BACKWARD)


@dataclass(frozen=True, repr=False)
class Enclosure(OneLine):
    """lower <= a number <= upper: two bounds as in a `Bracket`, where None stands for infinity."""

    lower: Bound | None
    upper: Bound | None

    @classmethod
    def of(cls, lower: Fraction | None, upper: Fraction | None, evidence: Evidence) -> Enclosure:
        """An enclosure with the same evidence for both ends."""
        return Enclosure(*ends_of(lower, upper, evidence))

    @property
    def text(self) -> str:
        """Both ends in decimals, rounded outwards."""
        return _decimals(self.lower, self.upper)

    def _essence(self) -> str:
        return self.text


def ends_of(lower: Fraction | None, upper: Fraction | None, evidence: Evidence) -> Ends:
    """Two numbers as bounds; None stays None."""
    low, high = (None if end is None else Bound(end, evidence) for end in (lower, upper))
    return low, high


def _decimals(lower: Bound | None, upper: Bound | None) -> str:
    low = "inf" if lower is None else decimal_down(lower.value)
    high = "inf" if upper is None else decimal_up(upper.value)
    return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, repr=False)
class RenyiDivergence(Enclosure):
    """A Renyi divergence from both sides; ``moment`` is exact: the divergence is ln(moment) / (number - 1).

    The moment is None where the order is not an integer, the profile is open, the divergence is infinite, or
    the number would be too long.
    """

    number: Fraction
    moment: Fraction | None = None


@dataclass(frozen=True, repr=False)
class LeastEpsilon(Answered):
    """ln(lower_alpha) <= the least epsilon for delta <= ln(upper_alpha), where None stands for infinity.

    ``lower`` and ``upper`` are bounds on epsilon itself, rational and rounded outwards.
    """

    delta: Fraction
    lower_alpha: Fraction | None
    upper_alpha: Fraction | None
    evidence: Evidence = field(default=Evidence.EXACT, kw_only=True, compare=False)

    @property
    def exact(self) -> bool:
        """Whether both ends agree."""
        return self.lower_alpha == self.upper_alpha

    @property
    def closed_form(self) -> str | None:
        """The least epsilon itself, as ``ln(q)``, ``0`` or ``inf``; None where the ends differ."""
        if not self.exact:
            return None
        if self.lower_alpha is None:
            return "inf"
        return "0" if self.lower_alpha == 1 else f"ln({rational_text(self.lower_alpha)})"

    @property
    def lower(self) -> Bound | None:
        """A rational at or below the least epsilon; None where that is infinite."""
        return None if self.lower_alpha is None else Bound(log_down(self.lower_alpha), self.evidence)

    @property
    def upper(self) -> Bound | None:
        """A rational at or above the least epsilon; None where there may be none."""
        return None if self.upper_alpha is None else Bound(log_up(self.upper_alpha), self.evidence)

    @property
    def text(self) -> str:
        """The closed form, where it is short, and both ends in decimals, rounded outwards."""
        form = self.closed_form
        if form in ("0", "inf"):
            return form
        decimals = _decimals(self.lower, self.upper)
        return decimals if form is None or len(form) > _LONGEST_CLOSED_FORM else f"{form} = {decimals}"

    def document(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "delta": rational_text(self.delta),
            "lower_alpha": _text(self.lower_alpha),
            "upper_alpha": _text(self.upper_alpha),
            "exact": self.exact,
            "closed_form": self.closed_form,
            "lower": None if self.lower is None else decimal_down(self.lower.value),
            "upper": None if self.upper is None else decimal_up(self.upper.value),
        }

    def _essence(self) -> str:
        return f"{self.text} for delta {short_text(self.delta)}, {self.evidence.value}"


@dataclass(frozen=True, repr=False)
class Tradeoff(OneLine):
    """The best tests, as vertices (false positive, true positive): no test is above the pessimistic ones.

    Some test is on the optimistic ones. Both run from (0, 0) to (1, 1) and are concave.
    """

    optimistic: tuple[Vertex, ...]
    pessimistic: tuple[Vertex, ...]


@dataclass(frozen=True, repr=False)
class Profile(Answered):
    """What two states tell an observer of traces, for every epsilon, in both orders, from both sides.

    Requires: ``pessimistic`` dominates the true distribution, and that dominates ``optimistic``.
    ``certificate`` proves them, and ``evidence`` says whether that was checked. ``limit`` says in words why
    the two differ, where they do. ``graph`` are the beliefs behind them, from which attacks are made.
    """

    pair: Pair
    optimistic: PrivacyLoss
    pessimistic: PrivacyLoss
    certificate: Document | None = None
    limit: str | None = None
    stats: Mapping[str, int | float | str] = field(default_factory=dict)
    evidence: Evidence = Evidence.EXACT
    graph: Graph | None = field(default=None, compare=False)

    @classmethod
    def of(cls, pair: Pair, loss: PrivacyLoss) -> Profile:
        """The profile of a distribution that is known exactly."""
        return cls(pair, loss, loss)

    @cached_property
    def exact(self) -> bool:
        """Whether the distribution is known exactly."""
        return self.optimistic == self.pessimistic

    def delta(
        self,
        *,
        alpha: Exactish | None = None,
        epsilon: Exactish | None = None,
        order: Order = Order.WORSE,
    ) -> Bracket:
        """delta at one alpha or epsilon.

        Ensures: the lower end is at most the true delta at e^epsilon, the upper end at least; they agree
        where the profile is exact and alpha is given or epsilon is ``ln q``.
        Raises: ParameterError where not exactly one of them is given, or alpha < 1, or epsilon < 0.
        """
        return self.at(Skew.of(alpha, epsilon), order)

    def at(self, skew: Skew, order: Order = Order.WORSE) -> Bracket:
        """As `delta`, at a skew that was read."""
        sides = self.sides(order)
        return self._bracket(
            max(low.delta(skew.attack_alpha) for low, _ in sides),
            max(high.delta(skew.alpha) for _, high in sides),
        )

    def epsilon(self, *, delta: Exactish, order: Order = Order.WORSE) -> LeastEpsilon:
        """The least epsilon >= 0 for a delta. Raises: ParameterError where delta is not from 0 to 1."""
        wanted = as_rational(delta, "delta")
        if not 0 <= wanted <= 1:
            raise ParameterError(f"delta = {rational_text(wanted)} is not a probability from 0 to 1")
        sides = self.sides(order)
        return LeastEpsilon(
            wanted,
            _largest([low.least_alpha(wanted) for low, _ in sides]),
            _largest([high.least_alpha(wanted) for _, high in sides]),
            evidence=self.evidence,
        )

    @property
    def total_variation(self) -> Bracket:
        """delta at epsilon = 0, which is the same in both orders."""
        return self._bracket(self.optimistic.total_variation, self.pessimistic.total_variation)

    @property
    def advantage(self) -> Bracket:
        """How much more often than one who tosses a coin the best attacker guesses which state it was.

        He is right with probability (1 + advantage) / 2 where both are as likely.
        """
        return self.total_variation

    def max_divergence(self, order: Order = Order.WORSE) -> LeastEpsilon:
        """The logarithm of the largest ratio: the least epsilon for delta = 0."""
        return self.epsilon(delta=0, order=order)

    def tradeoff(self, order: Order = Order.FORWARD) -> Tradeoff:
        """The trade-off of the two errors of a test; in the order WORSE, the concave hull of both orders."""
        sides = self.sides(order)
        optimistic = _hull([low.tradeoff() for low, _ in sides])
        return Tradeoff(
            optimistic, optimistic if self.exact else _hull([high.tradeoff() for _, high in sides])
        )

    def renyi(self, number: Exactish, order: Order = Order.WORSE) -> RenyiDivergence:
        """The Renyi divergence of a rational order; of order 1, the Kullback-Leibler divergence.

        Ensures: for integer orders of an exact profile ``moment`` is exact, where it is not too long.
        Raises: ParameterError where the order is below 1.
        """
        wanted = as_rational(number, "the order of a Renyi divergence")
        if wanted < 1:
            raise ParameterError(f"the order {rational_text(wanted)} of a Renyi divergence is below 1")
        if self.exact and wanted.denominator == 1 and wanted >= 2:
            lists = [low for low, _ in self.sides(order)]
            found = _exact_renyi(lists, wanted.numerator, self._computed)
            if found is not None:
                return found
        ends = self._enclosed(order, lambda losses: losses.divergence(wanted))
        return RenyiDivergence(*ends_of(*ends, self._computed), wanted)

    def zcdp(self, order: Order = Order.WORSE) -> Enclosure:
        """The least rho such that D_a <= rho a for every a > 1, from both sides."""
        return Enclosure.of(*self._enclosed(order, lambda losses: losses.zcdp()), self._computed)

    @property
    def _computed(self) -> Evidence:
        """The evidence of what is computed from the lists and is in no certificate."""
        return Evidence.EXACT if self.evidence is Evidence.CERTIFIED else self.evidence

    def _enclosed(self, order: Order, measure: Callable[[Losses], tuple[Fraction, Fraction]]) -> Values:
        """What a measure says of the two sides, in the larger of the orders; None for infinity."""
        from bdist.traces.renyi import Losses  # when first used

        def ends(loss: PrivacyLoss) -> Values:
            return (None, None) if loss.infinite_mass else measure(Losses(loss.masses()))

        sides = self.sides(order)
        found = [(low := ends(below), low if self.exact else ends(above)) for below, above in sides]
        return _largest([low for (low, _), _ in found]), _largest([high for _, (_, high) in found])

    def compose(self, *others: Profile) -> Profile:
        """The profile of independent releases, one of each; several at once are rounded less than in turn."""
        factors: dict[int, tuple[Profile, int]] = {}
        for profile in (self, *others):  # the same one several times is a power
            factors[id(profile)] = (profile, factors.get(id(profile), (profile, 0))[1] + 1)
        return _composition(list(factors.values()))

    def self_compose(self, times: int) -> Profile:
        """The profile of so many independent releases. Raises: ParameterError where times < 1."""
        return _composition([(self, times)])

    def to_dp_accounting(self, *, pessimistic: bool = True, step: float = 1e-4) -> Any:
        """One side as a `PrivacyLossDistribution` of Google's dp_accounting, rounded further to that side.

        Raises: as `bdist.traces.accounting.to_dp_accounting`.
        """
        from bdist.traces.accounting import to_dp_accounting

        side = self.pessimistic if pessimistic else self.optimistic
        return to_dp_accounting(side, pessimistic=pessimistic, step=step)

    def get_delta_for_epsilon(self, epsilon: Exactish | float) -> float:
        """As the method of dp_accounting: delta at an epsilon, as a float that is never below the true delta.

        It is the upper end of `delta`, in the worse order, rounded up. A float that is given stands for
        itself and for the decimal that it is written as; the answer holds for both.
        Raises: ParameterError where epsilon < 0.
        """
        return max(float_up(self.delta(epsilon=e).upper.value) for e in readings(epsilon))

    def get_epsilon_for_delta(self, delta: Exactish | float) -> float:
        """As the method of dp_accounting: an epsilon that is enough for a delta, as a float rounded up.

        It is the upper end of `epsilon`, in the worse order; ``math.inf`` where no epsilon is known to do. A
        float is read as by `get_delta_for_epsilon`.
        Raises: ParameterError where delta is not from 0 to 1.
        """
        found = (self.epsilon(delta=d).upper for d in readings(delta))
        return max(inf if end is None else float_up(end.value) for end in found)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        epsilon: tuple[Exactish | float, Exactish | float] | None = None,
        order: Order = Order.WORSE,
        **style: Any,
    ) -> Axes:
        """Draw delta against epsilon, with the region between the two sides where the profile is open.

        On a given axis nothing is changed but what the curve needs: the title and the scales stay, labels of
        the axes are set where there are none, and the colour is the axis's next one. So several profiles, or
        one and something else, go into one picture (`bdist.plot_profiles` does that with a legend).
        ``label`` is the curve's in a legend, the two states by default; ``epsilon`` a range, as far as there
        is something to be seen by default; ``style`` goes to Matplotlib's ``plot``.
        Ensures: drawn on ``ax``, or on a figure of its own, which no window shows. Figures are approximate.
        Raises: BackendError where matplotlib is not installed.
        """
        from bdist.traces.plot import draw_profile

        return draw_profile(self, ax, label, epsilon, order, style)

    def document(self) -> dict[str, object]:
        """The profile as a JSON object, without its certificate."""
        sides: dict[str, object] = {"atoms": atoms_document(self.pessimistic.atoms)}
        if not self.exact:
            sides = {
                "optimistic": atoms_document(self.optimistic.atoms),
                "pessimistic": atoms_document(self.pessimistic.atoms),
            }
        return {
            "pair": list(self.pair),
            "exact": self.exact,
            **sides,
            "evidence": self.evidence.value,
            "limit": self.limit,
            "total_variation": self.total_variation.document(),
            "max_divergence": {
                order.value: self.max_divergence(order).document() for order in (*BOTH_ORDERS, Order.WORSE)
            },
            "stats": dict(self.stats),
        }

    def to_json(self) -> str:
        """What ``bdist profile --json`` prints of the profile itself, as text."""
        return json_text(self.document())

    def _essence(self) -> str:
        kind = f"exact, {counted(len(self.pessimistic.atoms), 'atom')}" if self.exact else "open"
        why = f"; {self.limit}" if self.limit and not self.exact else ""
        return f"{pair_text(self.pair)}: {kind}, {self.total_variation.in_short('total variation')}{why}"

    def _repr_svg_(self) -> str:
        """The curve of delta against epsilon, for a notebook; it needs no other package."""
        from bdist.traces.page import curve_svg

        return curve_svg(self)

    def _bracket(self, lower: Fraction, upper: Fraction) -> Bracket:
        return Bracket(Bound(lower, self.evidence), Bound(upper, self.evidence))

    @cached_property
    def _backward(self) -> tuple[PrivacyLoss, PrivacyLoss]:
        low = self.optimistic.swapped()
        return low, low if self.exact else self.pessimistic.swapped()

    def sides(self, order: Order = Order.WORSE) -> list[tuple[PrivacyLoss, PrivacyLoss]]:
        """The distributions from below and from above, of each order that counts. Raises: ParameterError."""
        try:
            wanted = Order(order)
        except ValueError:
            names = ", ".join(member.value for member in Order)
            raise ParameterError(f"'{order}' is no order of two states; there are {names}") from None
        forward, backward = (self.optimistic, self.pessimistic), self._backward
        return {
            Order.FORWARD: [forward],
            Order.BACKWARD: [backward],
            Order.WORSE: [forward, backward],
        }[wanted]


def readings(number: Exactish | float) -> tuple[Exactish, ...]:
    """What a number may mean: a float itself, and the decimal that it is written as."""
    if not isinstance(number, float):
        return (number,)
    if not isfinite(number):
        raise ParameterError(f"{number} is not a number that an epsilon or a delta can be")
    return (Fraction(number), float.__repr__(number))


def _composition(factors: Sequence[tuple[Profile, int]]) -> Profile:
    """Independent releases: the optimistic sides together, and the pessimistic ones."""
    from bdist.traces.composition import exact_composition, rounded_composition  # when first used

    pair = _joined([profile.pair for profile, _ in factors])
    lows = [(profile.optimistic, times) for profile, times in factors]
    highs = [(profile.pessimistic, times) for profile, times in factors]
    low = exact_composition(lows)
    exact = all(profile.exact for profile, _ in factors)
    high = low if exact else exact_composition(highs)
    limits = [profile.limit for profile, _ in factors if profile.limit]
    if low is None or high is None:
        limits.append(_GRID_LIMIT)
    low = low or rounded_composition(lows, up=False)
    high = high or rounded_composition(highs, up=True)
    kinds = {profile.evidence for profile, _ in factors}
    weakest = next(
        (kind for kind in (Evidence.NUMERICAL, Evidence.UNCHECKED) if kind in kinds), Evidence.EXACT
    )
    stats = {
        "releases": sum(times for _, times in factors),
        "optimistic_atoms": len(low.atoms),
        "pessimistic_atoms": len(high.atoms),
    }
    limit = "; ".join(dict.fromkeys(limits)) or None
    return Profile(pair, low, high, None, limit, stats, weakest)


def _joined(pairs: Sequence[Pair]) -> Pair:
    """The names of two sequences of states; what is released several times under one name keeps it."""
    if len(set(pairs)) == 1:
        return pairs[0]
    first, second = (" + ".join(names) for names in zip(*pairs, strict=True))
    return first, second


def _largest(values: Sequence[Fraction | None]) -> Fraction | None:
    """The largest, where None stands for infinity."""
    return None if None in values else max(value for value in values if value is not None)


def _exact_renyi(losses: Sequence[PrivacyLoss], order: int, evidence: Evidence) -> RenyiDivergence | None:
    """The larger divergence of an integer order, from exact moments; None where these are too long."""
    from bdist.traces.renyi import logarithm, moment_is_short  # when first used

    if any(loss.infinite_mass for loss in losses):
        return RenyiDivergence(None, None, Fraction(order))
    if not all(moment_is_short(loss.masses(), order) for loss in losses):
        return None
    largest = _largest([loss.renyi_moment(order) for loss in losses])
    if largest is None:
        return None
    ends = ends_of(*logarithm(largest, order - 1), evidence)
    return RenyiDivergence(*ends, Fraction(order), largest)


def _hull(curves: Sequence[tuple[Vertex, ...]]) -> tuple[Vertex, ...]:
    """The upper concave hull of concave curves from (0, 0) to (1, 1), by increasing first coordinate.

    A vertical beginning, an infinite ratio, and a flat end are kept.
    """
    if len(curves) == 1:
        return curves[0]
    hull: list[Vertex] = []
    for x, y in sorted({vertex for curve in curves for vertex in curve}):
        while len(hull) >= 2:
            (a, b), (c, d) = hull[-2:]
            if (c - a) * (y - b) < (d - b) * (x - a):  # the last one is above the line: a true corner
                break
            hull.pop()
        hull.append((x, y))
    return tuple(hull)


def _text(value: Fraction | None) -> str:
    return "inf" if value is None else rational_text(value)
