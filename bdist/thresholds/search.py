"""The exact distance by binary search on thresholds and a continued fraction (Theorem 3 of the paper).

A bracket is halved by threshold calls. bd_alpha is a rational; once the bracket is narrow for its
denominator, it is the *simplest* rational in the bracket, which the continued fraction finds. So at every
step the simplest rational is a candidate; it is tried when it has stayed the same through a few halvings,
which is long before the worst-case bound on denominators would allow a conclusion. (That bound, from the
linear system of the couplings at hand, is computed and reported, for whoever wants to see how far theory and
practice are apart.)

Trying a candidate x means proving it from both sides: the backend must certify bd <= x, and the directions
that its couplings suggest must, solved exactly, give a lower bound of x. A candidate without both proofs is
never reported; the search goes on with the bracket that the attempt left.

Backends that cannot certify a violation steer the search all the same: "infeasible", "unsat", or no
certificate found, and the search looks above. The certified bracket does not move for that. If the steering
was wrong, the interval runs empty. That may be because states outside the supports matter, which formulas do
not have at first: then the attempts to prove candidates from below have met them, and the search starts over
with larger formulas. Otherwise strategy iteration finishes the job; the statistics say so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Settings, Skew, answer_of, compute_distance, proof_of
from bdist.distances.lift import Lift
from bdist.distances.pairs import Direction
from bdist.distances.run import LowerEvidence, UpperEvidence
from bdist.errors import BackendDied
from bdist.exact.rationals import ZERO, simplest_between, to_fraction
from bdist.results import Answer, Distance
from bdist.thresholds.by_game import strategy_session
from bdist.thresholds.decide import backend_named
from bdist.thresholds.formula import FormulaTooLarge
from bdist.thresholds.question import Finding, Opener, Options, Question, Session, settings_of

_STEADY = 2  # halvings that a candidate must survive before it is tried
_PATIENCE = 8  # halvings towards a candidate that cannot be proved before the steering is doubted
_MOST_CALLS = 300


@dataclass(frozen=True)
class Step:
    """One threshold call: what was asked, the answer, and the certified bracket after it."""

    theta: Fraction
    is_candidate: bool
    answer: Answer
    lower: Fraction
    upper: Fraction
    denominator_bound_bits: int


Watcher = Callable[[Step], None]


def search(question: Question, backend: Opener, options: Options, watcher: Watcher | None = None) -> Search:
    """Search for the exact distance of the question's pair.

    Ensures: the result holds evidence for equal bounds, or ``limit`` says what cut the search short.
    """
    work = Search(question, watcher)
    session = backend(question, options)
    try:
        noted = -1
        while not work.closed and question.detour_count > noted:
            noted = question.detour_count
            with suppress(FormulaTooLarge):
                work.bisect(session)
        if not work.closed:
            work.fall_back()
    except Stopped:
        work.limit = question.budget.exhausted()
    except BackendDied as error:
        work.limit = str(error)
    return work


class Search:
    """A search under way: evidence for both bounds, where to look next, and how it went."""

    def __init__(self, question: Question, watcher: Watcher | None) -> None:
        self.upper: UpperEvidence | None = None
        self.lower: LowerEvidence | None = None
        self.calls = self.candidates = self.denominator_bound_bits = 0
        self.fell_back = False
        self.limit: str | None = None
        self._question = question
        self._pair = question.pair
        self._watcher = watcher
        # where to look from; above the certified bound where the search was steered
        self._floor = Fraction(0)
        self._floor_is_open = False

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The certified bracket."""
        low = self.lower.bound(self._pair) if self.lower is not None else Fraction(0)
        high = self.upper.bound(self._pair) if self.upper is not None else Fraction(1)
        return low, high

    @property
    def closed(self) -> bool:
        """Whether both bounds agree."""
        return self.bounds[0] == self.bounds[1]

    def bisect(self, session: Session) -> None:
        """Halve, and try candidates, until the bracket closes or there is nowhere left to look."""
        self._floor, self._floor_is_open = self.bounds[0], False
        steady, last = 0, None
        first_call = self.calls
        while not self.closed and self.calls < first_call + _MOST_CALLS:
            high = self.bounds[1]
            candidate = simplest_between(self._floor, high, open_low=self._floor_is_open)
            if candidate is None:
                return
            steady = steady + 1 if candidate == last else 0
            last = candidate
            if steady > _PATIENCE and candidate == high:
                return  # steered to a value that has no proof from below: the steering is wrong
            if steady >= _STEADY or candidate == high:
                self._try(session, candidate)
            if not self.closed and self._floor < self.bounds[1]:
                self._ask(session, (self._floor + self.bounds[1]) / 2, is_candidate=False)
            elif self.bounds[1] == high:
                return

    def fall_back(self) -> None:
        """Let strategy iteration finish what the steering spoiled."""
        self.fell_back = True
        self.upper, self.lower = strategy_session(self._question, Options()).close()

    def _ask(self, session: Session, theta: Fraction, *, is_candidate: bool) -> None:
        self._question.budget.check()
        finding = session.decide(theta)
        self.calls += 1
        self._learn(finding, theta)
        if self._watcher is not None:
            bits = self.denominator_bound_bits
            self._watcher(Step(theta, is_candidate, finding.answer, *self.bounds, bits))

    def _learn(self, finding: Finding, theta: Fraction) -> None:
        if finding.upper is not None and finding.answer is Answer.HOLDS:
            if self.upper is None or finding.upper.bound(self._pair) < self.bounds[1]:
                self.upper = finding.upper
                self.denominator_bound_bits = denominator_bound(finding.upper, self._pair).bit_length()
        elif finding.lower is not None and finding.answer is Answer.VIOLATED:
            self._raise_lower(finding.lower)
        elif theta >= self._floor:
            self._floor, self._floor_is_open = theta, True

    def _raise_lower(self, lower: LowerEvidence) -> None:
        bound = lower.bound(self._pair)
        if self.lower is None or bound > self.bounds[0]:
            self.lower = lower
        if bound > self._floor:
            self._floor, self._floor_is_open = bound, False

    def _try(self, session: Session, candidate: Fraction) -> None:
        """Try to prove a candidate from both sides."""
        self.candidates += 1
        if candidate < self.bounds[1] or self.upper is None:
            self._ask(session, candidate, is_candidate=True)
        if self.upper is None or self.bounds[1] > candidate:
            return
        choice = suggested_directions(self.upper, self._pair)
        self._raise_lower(self._question.lower(choice, lambda bound: bound >= candidate))


def suggested_directions(upper: UpperEvidence, pair: int) -> list[Direction]:
    """The maximiser's answer to an upper bound: where it depends on a pair, the direction that costs more.

    A lower bound also needs good directions elsewhere; there it is the one with more to gain if all pairs
    cost 1.
    """
    space = upper.space
    choice = [max(space.directions, key=lambda side: space.gain(p, side)) for p in range(len(space))]
    for p in upper.closure([pair]):
        forward, backward = upper.couplings[p]
        choice[p] = (
            Direction.BACKWARD if _cost(upper, backward) > _cost(upper, forward) else Direction.FORWARD
        )
    return choice


def denominator_bound(upper: UpperEvidence, pair: int) -> int:
    """A bound on the denominator of the value that an upper bound's couplings define at a pair.

    The value solves (I - W) d = b. Row p becomes integral when multiplied by the least common denominator m_p
    of its entries, and a determinant is at most the product of the rows' sums of absolute values (Hadamard's
    inequality in its simplest form): the product of m_p (1 + |w_p|).
    """
    product = Fraction(1)
    choice = suggested_directions(upper, pair)
    for p in upper.closure([pair]):
        lift = upper.couplings[p][choice[p]]
        entries = [*lift.w.values(), lift.leak()]
        common = lcm(*(int(x.q) for x in entries))
        product *= common * (1 + to_fraction(sum(lift.w.values(), ZERO)))
    return int(product) + 1


def _cost(upper: UpperEvidence, lift: Lift) -> fmpq:
    return lift.leak() + sum((x * upper.values[upper.space.number[arc]] for arc, x in lift.w.items()), ZERO)


def search_distance(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    backend: str,
    budget: Budget,
    options: Options | None = None,
    watcher: Watcher | None = None,
) -> Distance:
    """The distance of one pair by binary search and exact recovery (Theorem 3 of the paper).

    Raises: ParameterError, BackendError where an engine is not installed, InternalError.
    """
    opened = backend_named(backend)
    for setting in settings_of(chain, pair):
        if pair[0] == pair[1] or not setting.has_same_label(pair):  # nothing to search for
            return compute_distance(chain, pair, skew, "bd", Settings(budget=budget))
        try:
            question = Question.about(setting, pair, skew, budget)
        except Stopped:
            return compute_distance(chain, pair, skew, "bd", Settings(budget=budget))  # what is known at once
        work = search(question, opened, options or Options(), watcher)
        if work.upper is None or setting.holds_in_given(work.upper, question.pair):
            break
    solved = budget.elapsed()
    certificate = setting.certificate(pair, skew, question, (work.upper, work.lower))
    checking = time.monotonic()
    proof = proof_of(chain, certificate, budget, uncertified=True)
    stats: dict[str, int | float | str] = {
        "method": "search",
        "backend": backend,
        "pairs": len(question.space),
        "threshold_calls": work.calls,
        "candidates": work.candidates,
        "denominator_bound_bits": work.denominator_bound_bits,
        "finished_by": "strategy" if work.fell_back else backend,
        "upper_records": len(certificate.upper),
        "lower_records": certificate.functions,
        "seconds": round(solved, 6),
        "check_seconds": round(time.monotonic() - checking, 6),
    }
    return answer_of(certificate.claims[0], skew, proof, stats, work.limit)
