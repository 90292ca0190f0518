"""The true delta at one alpha: a privacy profile with its focus there, and the attack behind its lower end.

tv_alpha is the least delta for which two states are (ln alpha, delta)-differentially private, the number that
an auditor wants and that bd_alpha only bounds; lv_alpha is that of one order of the pair. A profile knows
both for every alpha. Asked about one, it spends its effort there.

e^epsilon is irrational for most epsilons. A profile is certified for every alpha, so both ends of the bracket
are: the upper one at a rational just below e^epsilon, the lower one just above.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from bdist.certificates import Document
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Skew
from bdist.results import Bracket, Distance
from bdist.traces.compute import PROFILE_WIDTH, ProfileSettings, compute_profile
from bdist.traces.profile import Order, Profile

if TYPE_CHECKING:
    from bdist.traces.attack import Attack


@dataclass(frozen=True)
class TraceDistance:
    """lv or tv of a pair at one alpha or e^epsilon, with the profile that proves it."""

    quantity: str
    skew: Skew
    profile: Profile
    chain: LabelledMarkovChain = field(repr=False)
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
