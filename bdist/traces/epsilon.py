"""The least epsilon for a delta: the logarithm of a rational, read off the privacy profile.

Everything happens in alpha = e^epsilon, which may be rational. The true delta falls in alpha and is linear
between breakpoints, so on a profile that is known exactly the least alpha for a delta is a rational, found by
one division, and epsilon = ln alpha is its closed form. Where the rest of a list is all infinite ratios, and
these alone have more probability than delta, no epsilon will do, and that is an answer as well.

On an open profile the optimistic list gives an alpha that is too small or just right, the pessimistic one an
alpha that will do. Where these are too far apart, the profile is computed again with a *focus* at both ends,
and as narrow in delta as the slope there demands; in a few rounds the larger lower end and the smaller upper
end are kept. Where there is no upper end yet, larger and larger alphas are tried, up to 2^64. What is left
open then is said to be open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from bdist.budget import Budget
from bdist.certificates import Document
from bdist.chains.chain import LabelledMarkovChain
from bdist.exact.epsilon import log_down, log_up
from bdist.traces.compute import PROFILE_WIDTH, ProfileSettings, compute_profile
from bdist.traces.loss import Rates
from bdist.traces.profile import BOTH_ORDERS, LeastEpsilon, Order, Profile

EPSILON_TOLERANCE = Fraction(1, 10**6)
LARGEST_ALPHA = Fraction(2**64)
_MOST_ROUNDS = 5
_LEAST_WIDTH = Fraction(1, 10**15)


@dataclass(frozen=True)
class EpsilonBracket:
    """ln(lower_alpha) <= the least epsilon for delta <= ln(upper_alpha), where None stands for infinity.

    ``lower_profile`` proves the lower end and ``upper_profile`` the upper one; they may be the same.
    ``limit`` says why the bracket is wider than it should be, if it is.
    """

    pair: tuple[str, str]
    delta: Fraction
    lower_alpha: Fraction | None
    upper_alpha: Fraction | None
    lower_profile: Profile
    upper_profile: Profile
    limit: str | None = None

    @classmethod
    def read(cls, profile: Profile, delta: Fraction) -> EpsilonBracket:
        """What a profile says."""
        found = profile.epsilon(delta=delta)
        return cls(profile.pair, delta, found.lower_alpha, found.upper_alpha, profile, profile)

    @property
    def exact(self) -> bool:
        """Whether the two ends are equal."""
        return self.lower_alpha == self.upper_alpha

    @property
    def is_impossible(self) -> bool:
        """Whether it is proved that no finite epsilon will do."""
        return self.lower_alpha is None

    @property
    def least(self) -> LeastEpsilon:
        """Both ends with their closed form."""
        return LeastEpsilon(self.delta, self.lower_alpha, self.upper_alpha)

    @property
    def lower_epsilon(self) -> Fraction | None:
        """A rational at or below the least epsilon; None where that is infinite."""
        return None if self.lower_alpha is None else log_down(self.lower_alpha)

    @property
    def upper_epsilon(self) -> Fraction | None:
        """A rational at or above the least epsilon; None where none was found."""
        return None if self.upper_alpha is None else log_up(self.upper_alpha)

    @property
    def certificate(self) -> Document | None:
        """What proves the upper end or, where no epsilon will do, that."""
        return self.upper_profile.certificate

    @property
    def refutation(self) -> Document | None:
        """What proves the lower end."""
        return self.lower_profile.certificate

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
        found = _better(found, EpsilonBracket.read(profile, delta))
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


def _better(one: EpsilonBracket, other: EpsilonBracket) -> EpsilonBracket:
    """The larger lower end and the smaller upper end."""
    low = max(other, one, key=lambda found: _rank(found.lower_alpha))
    high = min(other, one, key=lambda found: _rank(found.upper_alpha))
    return replace(low, upper_alpha=high.upper_alpha, upper_profile=high.upper_profile)


def _rank(alpha: Fraction | None) -> tuple[bool, Fraction]:
    return alpha is None, alpha or Fraction(0)  # None stands for infinity
