"""The true delta: lv_alpha of an ordered pair and tv_alpha of a pair, bracketed with proofs and an attack.

tv_alpha is the least delta for which two states are (ln alpha, delta)-differentially private, the number that
an auditor wants and that bd_alpha only bounds. The road: merge bisimilar states, which keeps every trace
measure; keep what the two states can reach; compute ld_alpha there once, for the leaves; unfold the traces of
both orders, always where it helps the bracket most. It often closes; where it does not, it shrinks.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget
from bdist.certificates.document import Certificate, Claim, UpperRecord
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.distances.compute import Skew, answer_of, partition_of, proof_of, trivial_bounds
from bdist.exact.rationals import ONE, to_fmpq, to_fraction
from bdist.results import Bound, Bracket, Distance, Evidence
from bdist.traces.attack import Attack, attack_of
from bdist.traces.reduction import Reduction
from bdist.traces.unfolding import Unfolding

TRACE_TOLERANCE = Fraction(1, 10**6)
DEFAULT_MAX_LEAVES = 50_000
_FEWEST_EXPANSIONS = 32  # between two exact looks at the bracket
_CLOSING_ROUNDS = 4  # further looks after the tolerance is met, in the hope of equality


@dataclass(frozen=True)
class TraceSettings:
    """When to stop, whether to merge bisimilar states first, and whether an answer need not be certified."""

    tolerance: Fraction = TRACE_TOLERANCE
    budget: Budget | None = None
    max_leaves: int = DEFAULT_MAX_LEAVES
    quotient: bool = True
    uncertified: bool = False


@dataclass(frozen=True)
class TraceDistance:
    """A bracket on lv or tv with its certificate, and the attack behind its lower end, if any.

    A complete attack attains the lower end of ``bracket``. There is none where that end is 0, which does not
    say that there is no attack: only an upper end of 0 does.
    """

    distance: Distance
    attack: Attack | None
    attack_alpha: Fraction
    event: tuple[Fraction, Fraction]

    @property
    def bracket(self) -> Bracket:
        """What is known at e^epsilon, where the distance was computed at a rational just below it.

        The upper bound carries over. The lower one is p - alpha q at a rational alpha just above, with the
        exact probabilities of the ``event`` behind the lower end; that is not part of the certificate.
        """
        if self.attack_alpha == self.distance.alpha:
            return self.distance.bracket
        lower = max(Fraction(0), self.event[0] - self.attack_alpha * self.event[1])
        return Bracket(Bound(lower, Evidence.EXACT), self.distance.bracket.upper)

    def document(self) -> dict[str, object]:
        """What is known of the true delta as a JSON object."""
        attack = None if self.attack is None else self.attack.document()
        return {**self.bracket.document(), "limit": self.distance.limit, "attack": attack}


def compute_trace_distance(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    quantity: str,
    settings: TraceSettings,
    reduction: Reduction | None = None,
) -> TraceDistance:
    """lv_alpha (of the ordered pair) or tv_alpha (of the pair in its worse order), from both sides.

    Requires: a ``reduction``, if one is given, is of this chain, for both states and this alpha.
    Ensures: the certificate was checked. Where a limit was reached, the bracket is what was proved by then.
    """
    budget = settings.budget or Budget()
    reduction = reduction or Reduction.of(chain, pair, skew.alpha, settings.quotient)
    query = reduction.positions(pair)
    if query[0] == query[1] or reduction.part.labels[query[0]] != reduction.part.labels[query[1]]:
        claim = Claim(pair, *trivial_bounds(query))
        answer = _answer(reduction, skew, quantity, claim, (), [], budget, None, settings.uncertified)
        different = query[0] != query[1]
        attack = Attack(pair, ((chain.label(pair[0]),),), Fraction(1), Fraction(0)) if different else None
        return TraceDistance(answer, attack, skew.attack_alpha, (claim.lower, Fraction(0)))
    reduction = reduction.for_pair(pair, budget)
    query, leaves = reduction.positions(pair), reduction.leaves()
    orders = [query, (query[1], query[0])] if quantity == "tv" else [query]
    work = _Brackets(
        [Unfolding(reduction.part, to_fmpq(skew.alpha), order, leaves.bound) for order in orders]
    )
    limit = work.shrink(settings, budget)
    best = max(work.unfoldings, key=lambda u: work.bracket_of(u)[0])
    claim = Claim(pair, *work.bounds())
    answer = _answer(
        reduction,
        skew,
        quantity,
        claim,
        tuple(work.unfoldings),
        leaves.records(),
        budget,
        limit,
        settings.uncertified,
    )
    attacked = pair if best is work.unfoldings[0] else (pair[1], pair[0])
    attack = attack_of(best, chain, attacked) if claim.lower > 0 else None
    if attack is not None and attack.advantage(skew.attack_alpha) <= 0:
        attack = None  # it counts just below e^epsilon, and not just above
    first, second = best.event()
    return TraceDistance(answer, attack, skew.attack_alpha, (to_fraction(first), to_fraction(second)))


class _Brackets:
    """The unfoldings of one order or both, and the bracket that they prove together."""

    def __init__(self, unfoldings: list[Unfolding]) -> None:
        self.unfoldings = unfoldings
        self._known = [unfolding.bracket() for unfolding in unfoldings]

    def bracket_of(self, unfolding: Unfolding) -> tuple[fmpq, fmpq]:
        return self._known[self.unfoldings.index(unfolding)]

    def bounds(self) -> tuple[Fraction, Fraction]:
        """The largest lower and the largest upper bound."""
        lower = max(low for low, _ in self._known)
        upper = min(max(high for _, high in self._known), ONE)
        return to_fraction(lower), to_fraction(upper)

    def shrink(self, settings: TraceSettings, budget: Budget) -> str | None:
        """Expand until the bracket is narrow enough; what stopped it otherwise."""
        patience = _CLOSING_ROUNDS
        while True:
            lower, upper = self.bounds()
            candidates = [k for k, (_, high) in enumerate(self._known) if to_fraction(high) > lower]
            if lower == upper or not candidates:
                return None
            if upper - lower <= settings.tolerance:
                if patience == 0 or settings.tolerance == 0:
                    return None
                patience -= 1
            worst = self.unfoldings[max(candidates, key=lambda k: self._known[k][1])]
            reason = self._expand(worst, settings, budget)
            self._known = [unfolding.bracket() for unfolding in self.unfoldings]
            if reason is not None:
                return reason

    def _expand(self, unfolding: Unfolding, settings: TraceSettings, budget: Budget) -> str | None:
        """Expand one unfolding by a share of its size, so that looking at the exact bracket stays cheap."""
        for _ in range(max(_FEWEST_EXPANSIONS, len(unfolding.nodes) // 4)):
            if unfolding.closed:
                return None
            reason = budget.exhausted()
            if reason is not None:
                return reason
            if sum(len(u.nodes) for u in self.unfoldings) >= settings.max_leaves:
                return f"limit of {settings.max_leaves} leaves reached"
            unfolding.expand()
        return None


def _answer(
    reduction: Reduction,
    skew: Skew,
    quantity: str,
    claim: Claim,
    unfoldings: tuple[Unfolding, ...],
    records: list[UpperRecord],
    budget: Budget,
    limit: str | None,
    uncertified: bool,
) -> Distance:
    solved = budget.elapsed()
    chain, merged = reduction.chain, reduction.merged
    certificate = Certificate(
        fingerprint(chain),
        quantity,
        skew.alpha,
        (claim,),
        tuple(records),
        (),
        None if merged is None else partition_of(merged),
        tuple(unfolding.tree() for unfolding in unfoldings),
    )
    checking = time.monotonic()
    proof = proof_of(chain, certificate, budget, uncertified)
    stats: dict[str, int | float | str] = {
        "method": "unfolding",
        "states": len(chain if merged is None else merged.chain),
        "nodes": sum(len(unfolding.nodes) for unfolding in unfoldings),
        "upper_records": len(records),
        "seconds": round(solved, 6),
        "check_seconds": round(time.monotonic() - checking, 6),
    }
    return answer_of(proof.certificate.claims[0], skew, proof, stats, limit)
