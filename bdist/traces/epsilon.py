"""The least epsilon for a given delta, from both sides.

Everything happens in alpha = e^epsilon, which may be rational; epsilon is its logarithm. The true delta,
tv_alpha, is the supremum over events E, in both orders of the pair, of p - alpha q, where p and q are the
probabilities of E: it is convex, falls as alpha grows, and the alphas with tv_alpha <= delta are a closed
interval without an upper end. Its lower end is the answer, and it is bracketed:

* from above by an alpha at which a certificate proves tv_alpha <= delta;
* from below by an attack: an event with p - alpha q > delta refutes every alpha below (p - delta) / q, its
  *breakpoint*. If q = 0 and p > delta it refutes every alpha, and no finite epsilon will do.

The search is Newton's method from the left and the secant method from the right. The attack that was found
at an alpha is a tangent there; its breakpoint is the next alpha. On a convex function that never overshoots,
and where finitely many events matter it lands on the answer itself: tv_alpha <= delta is then certified at
the breakpoint, and the two ends meet. In turn with these steps alpha grows, by doubling epsilon, until
something is certified. From then on the chord between an alpha on the left and the certified one on the right
crosses delta at an alpha that will do, by convexity, and one next to it is tried; or, where that is no
progress, one near the middle. Wherever there is a choice a short fraction is taken, a quotient of transition
probabilities first: exact arithmetic is fast there, and certificates close at such numbers if anywhere.

At each alpha the traces are unfolded only as far as it takes to see on which side of delta the true delta
lies, and at first not far. An alpha that stays undecided (the threshold problem is undecidable) is left
alone, and the search goes on above it. If the bracket is then still too wide, all of it is done again with
larger unfoldings; if that does not help either, the answer says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.certificates.document import Certificate
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Exactish, Skew
from bdist.exact.display import counted, exact_text
from bdist.exact.epsilon import log_down, log_up
from bdist.exact.rationals import simplest_between
from bdist.exact.reading import as_rational
from bdist.printing import named
from bdist.results import Distance
from bdist.traces.attack import Attack, Prefix
from bdist.traces.best_upper import natural_alphas
from bdist.traces.impossible import impossible_traces
from bdist.traces.true_delta import TraceSettings, compute_trace_distance

LARGEST_ALPHA = Fraction(2**64)
EPSILON_TOLERANCE = Fraction(1, 10**6)
PROBE_LEAVES = 2_000
MOST_PROBES = 150
_LONGEST_PREFIX = 16
_COARSE = Fraction(1, 50)
_FEW_LEAVES = 500
_FAR_APART = 4  # the quotient of the ends from which on the middle is meant geometrically


@dataclass(frozen=True)
class EpsilonBracket:
    """ln(lower_alpha) <= the least epsilon for delta <= ln(upper_alpha), where None stands for infinity.

    Every alpha below ``lower_alpha`` is refuted by ``attack`` or, where an attack has too many prefixes to be
    listed in full, by ``refutation``, the certificate of a tv above delta (neither is needed where
    lower_alpha is 1). ``certificate`` proves a tv of at most delta at ``upper_alpha``. ``exact``: the two
    ends are equal. ``reason`` says why there is no finite epsilon, or none was found; ``limit`` what cut the
    search short.
    """

    pair: tuple[str, str]
    delta: Fraction
    lower_alpha: Fraction | None
    upper_alpha: Fraction | None
    exact: bool
    attack: Attack | None
    certificate: Certificate | None
    reason: str | None = None
    limit: str | None = None
    refutation: Certificate | None = None

    @property
    def is_impossible(self) -> bool:
        """Whether it is proved that no finite epsilon will do."""
        return self.lower_alpha is None

    @property
    def lower_epsilon(self) -> Fraction | None:
        """A rational at or below the least epsilon; None where that is infinite."""
        return None if self.lower_alpha is None else log_down(self.lower_alpha)

    @property
    def upper_epsilon(self) -> Fraction | None:
        """A rational at or above the least epsilon; None where none was found."""
        return None if self.upper_alpha is None else log_up(self.upper_alpha)


@dataclass(frozen=True)
class EpsilonSettings:
    """When to stop: the width of the bracket on epsilon, the size of an unfolding, and the time."""

    tolerance: Fraction = EPSILON_TOLERANCE
    max_leaves: int = PROBE_LEAVES
    budget: Budget | None = None


def compute_epsilon(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    delta: Exactish,
    settings: EpsilonSettings | None = None,
) -> EpsilonBracket:
    """The least epsilon for which two states are (epsilon, delta)-differentially private, from both sides.

    Requires: a delta from 0 to 1, and a tolerance of at least 0.
    Ensures: the certificate was checked; the attack's probabilities are exact. Where a limit was reached, the
    bracket is what was proved by then.
    """
    wanted = as_rational(delta, "delta")
    chosen = settings or EpsilonSettings()
    for order in (pair, (pair[1], pair[0])):
        attack = impossible_traces(chain, order, wanted)
        if attack is not None:
            return _no_epsilon(pair, wanted, attack)
    return _Search(chain, pair, wanted, chosen).run()


def prefix_text(prefix: Prefix) -> str:
    """The labels of a prefix, the middle left out where there are many."""
    if len(prefix) <= _LONGEST_PREFIX:
        return " ".join(map(named, prefix))
    half = _LONGEST_PREFIX // 2
    head, tail = (" ".join(map(named, part)) for part in (prefix[:half], prefix[-half:]))
    return f"{head} ... {tail} ({len(prefix)} labels)"


def _no_epsilon(pair: tuple[str, str], delta: Fraction, attack: Attack) -> EpsilonBracket:
    first, second = map(named, attack.pair)
    more = len(attack.prefixes) - 1
    others = f" (or {counted(more, 'more prefix', 'more prefixes')})" if more else ""
    reason = (
        f"traces that begin with {prefix_text(attack.prefixes[0])}{others} have probability "
        f"{exact_text(attack.first)} from {first} and 0 from {second}: more than delta, at every epsilon"
    )
    if attack.first == 1:
        reason += "; the two states are told apart with certainty"
    return EpsilonBracket(pair, delta, None, None, True, attack, None, reason)


class _Search:
    """The two ends, what proves them, and where to look next."""

    def __init__(
        self, chain: LabelledMarkovChain, pair: tuple[str, str], delta: Fraction, settings: EpsilonSettings
    ) -> None:
        self._chain, self._pair, self._delta, self._settings = chain, pair, delta, settings
        self._budget = settings.budget or Budget()
        self._natural = natural_alphas(chain)
        self._low = Fraction(1)  # every alpha below is refuted, by the attack or the refutation
        self._edge = Fraction(1)  # nothing is to be gained at or below: refuted, or undecided
        self._high: Fraction | None = None
        self._attack: Attack | None = None
        self._refutation: Certificate | None = None
        self._proof: Distance | None = None
        self._impossible: Attack | None = None
        self._uppers: dict[Fraction, Fraction] = {}  # upper bounds on the true delta by alpha
        self._undecided: set[Fraction] = set()
        self._tried: set[Fraction] = set()
        self._probes = 0

    def run(self) -> EpsilonBracket:
        """Narrow the bracket until it is good enough or nothing more can be done."""
        most = self._settings.max_leaves
        for leaves in sorted({min(_FEW_LEAVES, most), most}):
            self._tried.clear()
            self._undecided.clear()
            self._edge = self._low
            self._narrow(leaves)
            if self._finished():
                break
        self._polish()
        return self._bracket()

    def _narrow(self, leaves: int) -> None:
        self._probe(self._low, leaves)
        tangent_next = True
        while not self._finished():
            tangent = self._tangent() if tangent_next else None
            alpha = tangent or self._growth() or self._chord() or self._middle() or self._tangent()
            if alpha is None:
                return
            self._probe(alpha, leaves)
            tangent_next = not tangent_next

    def _probe(self, alpha: Fraction, leaves: int) -> None:
        """Find out on which side of delta the true delta at alpha lies, and learn from the attack."""
        self._tried.add(alpha)
        self._probes += 1
        for tolerance in (_COARSE, Fraction(0)):
            limits = TraceSettings(tolerance, self._budget, leaves)
            found = compute_trace_distance(self._chain, self._pair, Skew(alpha), "tv", limits)
            self._learn(found.attack)
            self._learn_without_attack(found.distance)
            bracket = found.distance.bracket
            self._uppers[alpha] = min(bracket.upper.value, self._uppers.get(alpha, Fraction(1)))
            if bracket.upper.value <= self._delta:
                if self._high is None or alpha <= self._high:
                    self._high, self._proof = alpha, found.distance
                return
            if bracket.lower.value > self._delta or self._budget.exhausted():
                break
        else:
            self._undecided.add(alpha)
        self._edge = max(self._edge, alpha)

    def _learn(self, attack: Attack | None) -> None:
        if attack is None or attack.first <= self._delta:
            return
        if attack.second == 0:
            self._impossible = attack
            return
        self._raise_low((attack.first - self._delta) / attack.second, attack, None)

    def _learn_without_attack(self, found: Distance) -> None:
        """What a tv of v above delta refutes by itself: an event with p - a q >= v has q <= (1 - v) / a."""
        lower = found.bracket.lower.value
        if self._delta < lower < 1:
            steps = (lower - self._delta) / (1 - lower)
            self._raise_low(found.alpha * (1 + steps), None, found.certificate)

    def _raise_low(self, alpha: Fraction, attack: Attack | None, refutation: Certificate | None) -> None:
        if alpha > self._low:
            self._low, self._attack, self._refutation = alpha, attack, refutation
            self._edge = max(self._edge, alpha)

    def _is_narrow(self) -> bool:
        return self._high is not None and self._high <= self._low * (1 + self._settings.tolerance)

    def _finished(self) -> bool:
        stopped = self._budget.exhausted() is not None or self._probes >= MOST_PROBES
        return stopped or self._impossible is not None or self._is_narrow()

    def _tangent(self) -> Fraction | None:
        """The breakpoint of the best attack, unless it was tried."""
        fresh = self._low not in self._tried and self._low <= LARGEST_ALPHA
        return self._low if fresh else None

    def _growth(self) -> Fraction | None:
        """While nothing is certified: twice the epsilon, that is, the square of alpha; at least 2."""
        if self._high is not None or self._edge >= LARGEST_ALPHA:
            return None
        whole = -(-self._edge.numerator // self._edge.denominator)
        return min(LARGEST_ALPHA, Fraction(max(2, whole * whole)))

    def _chord(self) -> Fraction | None:
        """An alpha just right of where a chord from the left of delta to the certified end crosses it.

        None where the crossing is not in the left half of what is open.
        """
        high, edge = self._high, self._edge
        if high is None:
            return None
        at_high = self._uppers[high]
        crossings = [
            alpha + (high - alpha) * (upper - self._delta) / (upper - at_high)
            for alpha, upper in self._uppers.items()
            if alpha < high and upper > self._delta
        ]
        crossing = min(crossings, default=high)
        if not edge < crossing < (edge + high) / 2:
            return None
        near = self._low * (1 + self._settings.tolerance / 2)
        return self._shortest(crossing, near if near > crossing else crossing + (high - crossing) / 16)

    def _middle(self) -> Fraction | None:
        """A short fraction near the middle of what is open, where that is wide enough."""
        high, edge = self._high, self._edge
        if high is None or high <= edge * (1 + self._settings.tolerance):
            return None
        if high > _FAR_APART * edge:
            root_approx = Fraction((float(high) / float(edge)) ** 0.25)
            return self._shortest(edge * root_approx, edge * root_approx * root_approx)
        width = high - edge
        return self._shortest(edge + width / 4, edge + width / 2)

    def _shortest(self, low: Fraction, high: Fraction) -> Fraction | None:
        natural = next((alpha for alpha in self._natural if low <= alpha <= high), None)
        return natural if natural is not None else simplest_between(low, high)

    def _polish(self) -> None:
        """Try to make the ends meet at the lower one, and else to move the upper one to a shorter number."""
        if self._high is None or self._impossible is not None:
            return
        if self._low in self._undecided:
            self._polish_at(self._low)
        shorter = self._shortest(self._low, self._high)
        if shorter is not None and shorter not in self._tried:
            self._polish_at(shorter)

    def _polish_at(self, alpha: Fraction) -> None:
        if self._budget.exhausted() is None and alpha != self._high:
            self._probe(alpha, self._settings.max_leaves)

    def _bracket(self) -> EpsilonBracket:
        if self._impossible is not None:
            return _no_epsilon(self._pair, self._delta, self._impossible)
        exact = self._high == self._low
        proof = None if self._proof is None else self._proof.certificate
        reason = None
        if self._high is None:
            reason = "no alpha that was tried could be certified"
            if self._edge >= LARGEST_ALPHA:
                reason = "no alpha that was tried, up to 2^64, could be certified"
        ends = (self._low, self._high)
        return EpsilonBracket(
            self._pair,
            self._delta,
            *ends,
            exact,
            self._attack,
            proof,
            reason,
            self._limit(),
            self._refutation,
        )

    def _limit(self) -> str | None:
        """What kept the bracket from being narrow enough, if anything did."""
        if self._is_narrow():
            return None
        stopped = self._budget.exhausted()
        if stopped is not None:
            return stopped
        if self._probes >= MOST_PROBES:
            return f"limit of {MOST_PROBES} evaluations reached"
        if self._undecided:
            number, nodes = counted(len(self._undecided), "alpha"), self._settings.max_leaves
            return f"{number} stayed undecided after unfoldings of {nodes} nodes"
        return "limit of alpha 2^64 reached"
