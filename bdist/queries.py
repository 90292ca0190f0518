"""What may be asked about chains, and what not: each question as a frozen query that was checked once.

The functions of the library and the commands of the terminal build the same queries, so they cannot disagree
about what a parameter means or which of them go together. A parameter that is None was not given. One that
does not apply is refused, with what to write instead: a tolerance that is read and then ignored lets somebody
believe in a precision that was never there.

A query knows the question and not the chain. A command can thus refuse a wrong option before it reads a long
file; `answer` takes the chain, the states and the time.

Where a query leads to solvers, to the search for an epsilon or to audits, that is loaded when it is asked:
most programs ask one question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import (
    DEFAULT_TOLERANCE,
    DistanceTable,
    Exactish,
    Settings,
    Skew,
    compute_distance,
    compute_table,
)
from bdist.distances.run import Progress
from bdist.errors import ParameterError, by_caller, parameter
from bdist.exact.epsilon import rational_beside
from bdist.exact.rationals import as_rational, rational_text
from bdist.lp import DEFAULT_ENGINE, ENGINES
from bdist.results import Distance, Verdict
from bdist.traces.answers import TraceDistance, compute_trace_distance
from bdist.traces.compute import DEFAULT_BELIEFS, PROFILE_WIDTH, ProfileSettings, compute_profile

if TYPE_CHECKING:
    from bdist.audits.audit import Progress as AuditProgress
    from bdist.audits.findings import Audit
    from bdist.certificates.merged import ProvedQuotient
    from bdist.chains.relation import Relation
    from bdist.thresholds.question import Options
    from bdist.thresholds.search import Step
    from bdist.traces.answers import BestAttack, Curve, EpsilonBracket
    from bdist.traces.profile import Profile

Pair = tuple[str, str]


class Quantity(StrEnum):
    """What is computed.

    * BD: the skewed bisimilarity distance, an upper bound on the true delta.
    * LD: its one-way refinement, for the order in which the states are named.
    * TV: the true delta, for the worse order.
    * LV: the true delta for the order in which the states are named.
    """

    BD = "bd"
    LD = "ld"
    LV = "lv"
    TV = "tv"

    @property
    def is_of_traces(self) -> bool:
        """Whether it is a true delta, which is found by following beliefs."""
        return self in (Quantity.LV, Quantity.TV)


class Method(StrEnum):
    """How bd and ld are computed.

    * AUTO: STRATEGY for small chains, otherwise EXPLORE.
    * EXPLORE: from the question outwards; floats propose, rationals prove.
    * STRATEGY: strategy iteration on all pairs of states that matter, in rationals.
    * ITERATE: the fixed point from both sides, with a certified bracket after every round.
    * SEARCH: binary search on thresholds, then a continued fraction, then the proof.
    """

    AUTO = "auto"
    EXPLORE = "explore"
    STRATEGY = "strategy"
    ITERATE = "iterate"
    SEARCH = "search"


class Backend(StrEnum):
    """Who decides a threshold.

    * STRATEGY: strategy iteration. Proves both answers.
    * SAT_LP: a SAT solver proposes directions, exact linear programs answer. Proves both answers.
    * MILP: mixed-integer programming. Proves that the threshold holds.
    * SAT_BITS: the formula in bits, with bounded denominators. Proves that the threshold holds.
    * SMT: nonlinear real arithmetic, by Z3. Proves that the threshold holds.
    """

    STRATEGY = "strategy"
    MILP = "milp"
    SAT_LP = "sat-lp"
    SAT_BITS = "sat-bits"
    SMT = "smt"


Choice = TypeVar("Choice", bound=StrEnum)


def chosen(kind: type[Choice], text: str, what: str) -> Choice:
    """The member with this name. Raises: ParameterError with the names there are."""
    try:
        return kind(text)
    except ValueError:
        names = ", ".join(member.value for member in kind)
        raise ParameterError(f"there is no {what} '{text}'; choose one of {names}") from None


@dataclass(frozen=True)
class TraceQuery:
    """The true delta of a pair: tv, or lv for s over t only."""

    skew: Skew
    quantity: Quantity = Quantity.TV
    tolerance: Fraction = PROFILE_WIDTH
    max_beliefs: int = DEFAULT_BELIEFS

    def __post_init__(self) -> None:
        if not self.quantity.is_of_traces:
            raise ParameterError(
                f"true_delta computes tv or lv, not '{self.quantity}'; distance computes bd and ld"
            )
        _check_not_negative(self.tolerance, "tolerance")
        _check_positive(max_beliefs=self.max_beliefs)

    def answer(
        self, chain: LabelledMarkovChain, pair: Pair, budget: Budget, *, uncertified: bool = True
    ) -> TraceDistance:
        """Bracket it; ``uncertified``: also where the check of the proof does not end in time."""
        settings = ProfileSettings((), self.tolerance, self.max_beliefs, budget, uncertified=uncertified)
        return compute_trace_distance(chain, pair, self.skew, self.quantity.value, settings)


@dataclass(frozen=True)
class DistanceQuery:
    """bd or ld, of a pair or of all pairs.

    At alpha = 1 the distances are computed in the quotient in any case where the method is left open: there
    they are pseudometrics that are 0 for bisimilar states, and so the same in the quotient.
    """

    skew: Skew
    quantity: Quantity = Quantity.BD
    method: Method = Method.AUTO
    backend: str | None = None
    precision: Fraction | None = None
    tolerance: Fraction | None = None
    quotient: bool = False
    jobs: int | None = None

    def __post_init__(self) -> None:
        for number, what in ((self.tolerance, "tolerance"), (self.precision, "precision")):
            _check_not_negative(number, what)
        _check_positive(jobs=self.jobs)
        method = self.method
        if method is Method.SEARCH:
            if self.quantity is not Quantity.BD or self.quotient:
                raise ParameterError(
                    "the method search computes bd of the chain as it is; leave out quantity and quotient"
                )
            if self.backend is not None:
                chosen(Backend, self.backend, "threshold backend")
        elif self.backend is not None and self.backend not in ENGINES:
            if self.backend in set(Backend):
                raise ParameterError(
                    f"there is no LP backend '{self.backend}'; it decides thresholds: use the method search"
                )
            raise ParameterError(
                f"there is no LP backend '{self.backend}'; choose one of {', '.join(ENGINES)}"
            )
        if self.tolerance is not None and method is not Method.ITERATE:
            other = "the method auto" if method is Method.AUTO else f"the method {method}"
            raise ParameterError(
                f"{other} takes no tolerance; use the method iterate, or a precision with auto or explore"
            )
        instead = {
            Method.STRATEGY: "strategy is exact",
            Method.ITERATE: "iterate has a tolerance",
            Method.SEARCH: "search is exact",
        }
        if method in instead and self.precision is not None:
            raise ParameterError(
                f"the method {method} takes no precision; {instead[method]}, auto and explore take one"
            )
        if method in instead and self.jobs is not None:
            raise ParameterError(
                f"the method {method} works in one thread; leave out jobs, or use auto or explore"
            )

    def answer(
        self,
        chain: LabelledMarkovChain,
        pair: Pair,
        budget: Budget,
        watcher: Callable[[Progress], None] | None = None,
        on_step: Callable[[Step], None] | None = None,
    ) -> Distance:
        """Compute it; a search tells ``on_step`` of each threshold call."""
        if self.method is Method.SEARCH:
            from bdist.thresholds.search import search_distance

            backend = self.backend or Backend.STRATEGY.value
            return search_distance(chain, pair, self.skew, backend, budget, None, on_step)
        return compute_distance(chain, pair, self.skew, self.quantity.value, self._settings(budget, watcher))

    def answer_all(
        self,
        chain: LabelledMarkovChain,
        budget: Budget,
        watcher: Callable[[Progress], None] | None = None,
    ) -> DistanceTable:
        """Compute it for all pairs of states with the same label. Requires: it was made by `table_query`."""
        return compute_table(chain, self.skew, self.quantity.value, self._settings(budget, watcher))

    def _settings(self, budget: Budget, watcher: Callable[[Progress], None] | None) -> Settings:
        return Settings(
            self.method.value,
            self.backend or DEFAULT_ENGINE,
            DEFAULT_TOLERANCE if self.tolerance is None else self.tolerance,
            budget,
            watcher,
            quotient=self.quotient or (self.skew.alpha == 1 and self.method is Method.AUTO),
            precision=self.precision,
            jobs=self.jobs,
            uncertified=True,
        )


def distance_query(
    *,
    alpha: Exactish | None,
    epsilon: Exactish | None,
    quantity: str = "bd",
    method: str = "auto",
    backend: str | None = None,
    precision: Exactish | None = None,
    tolerance: Exactish | None = None,
    quotient: bool = False,
    jobs: int | None = None,
    max_beliefs: int | None = None,
) -> DistanceQuery | TraceQuery:
    """The question for the distance of a pair, whatever the quantity. Raises: ParameterError.

    ``quotient`` may be given for tv and lv, which are the same on the quotient and always computed there.
    """
    what, how = chosen(Quantity, quantity, "quantity"), chosen(Method, method, "method")
    skew = Skew.of(alpha, epsilon)
    if not what.is_of_traces:
        return DistanceQuery(
            skew,
            what,
            how,
            backend,
            _number(precision, "precision"),
            _number(tolerance, "tolerance"),
            quotient,
            jobs,
        )
    ignored = {"method": how is not Method.AUTO, "backend": backend, "precision": precision, "jobs": jobs}
    for name, value in ignored.items():
        if value is not None and value is not False:
            instead = " or write tolerance," if name == "precision" else ""
            raise ParameterError(
                f"{what} is found by following beliefs and takes no {name}; leave it out,{instead} "
                "or ask for bd or ld"
            )
    width = PROFILE_WIDTH if tolerance is None else as_rational(tolerance, "tolerance")
    return TraceQuery(skew, what, width, DEFAULT_BELIEFS if max_beliefs is None else max_beliefs)


def table_query(*, quantity: str = "bd", method: str = "auto", **others: Any) -> DistanceQuery:
    """The question for the distances of all pairs, with the parameters of `distance_query`.

    Raises: ParameterError.
    """
    if chosen(Method, method, "method") is Method.SEARCH:
        raise ParameterError(
            "the method search is for one pair; a table has auto, explore, strategy, iterate"
        )
    if chosen(Quantity, quantity, "quantity").is_of_traces:
        raise ParameterError(f"a table is of bd or ld; ask for the {quantity} of each pair with true_delta")
    query = distance_query(quantity=quantity, method=method, **others)
    assert isinstance(query, DistanceQuery)  # noqa: S101 - the quantity is bd or ld
    return query


@dataclass(frozen=True)
class ThresholdQuery:
    """Whether bd is at most theta, decided by a backend with its options."""

    skew: Skew
    theta: Fraction
    backend: Backend
    options: Options
    confirm: bool = True

    @classmethod
    def of(
        cls,
        alpha: Exactish | None,
        epsilon: Exactish | None,
        theta: Exactish,
        backend: str,
        options: Options | None = None,
        confirm: bool = True,
    ) -> ThresholdQuery:
        """Read the parameters. Raises: ParameterError, also for an option of another backend."""
        from bdist.thresholds.question import Options

        asked, chosen_backend = options or Options(), chosen(Backend, backend, "threshold backend")
        of_backends = {
            "milp_solver": Backend.MILP,
            "bits": Backend.SAT_BITS,
            "dimacs": Backend.SAT_BITS,
            "smt2": Backend.SMT,
        }
        for name, owner in of_backends.items():
            if chosen_backend is not owner and getattr(asked, name) != getattr(Options(), name):
                raise ParameterError(
                    f"{parameter(name)} is of the backend {owner}, and this is {chosen_backend}; "
                    f"leave it out, or choose {owner}"
                )
        if not confirm and chosen_backend is Backend.STRATEGY:
            given = by_caller("--no-confirm", "confirm=False")
            raise ParameterError(
                f"{given} is for backends that may only hint at an answer; strategy proves its own, so leave "
                "it out, or choose another backend"
            )
        return cls(Skew.of(alpha, epsilon), as_rational(theta, "theta"), chosen_backend, asked, confirm)

    def answer(self, chain: LabelledMarkovChain, pair: Pair, budget: Budget) -> Verdict:
        """Decide it."""
        from bdist.thresholds.decide import decide_threshold

        return decide_threshold(
            chain, pair, self.skew, self.theta, self.backend.value, budget, self.options, self.confirm
        )


@dataclass(frozen=True)
class AttackQuery:
    """The test of labels that tells two states apart best."""

    skew: Skew

    def answer(self, chain: LabelledMarkovChain, pair: Pair, budget: Budget) -> BestAttack:
        """Search for it."""
        from bdist.traces.answers import compute_attack

        return compute_attack(chain, pair, self.skew, budget)


@dataclass(frozen=True)
class QuotientQuery:
    """The chain with bisimilar states merged, with or without the ``certificate`` that they are."""

    certificate: bool = True

    def answer(self, chain: LabelledMarkovChain, budget: Budget) -> ProvedQuotient:
        """Merge them, and check the proof."""
        from bdist.certificates.merged import merge

        return merge(chain, budget, certificate=self.certificate)


@dataclass(frozen=True)
class ProfileQuery:
    """The true delta for every epsilon at once; with a ``focus``, above all there.

    ``width`` is how close the two sides are to come to each other where the profile is not found exactly, and
    ``max_beliefs`` how many beliefs of an observer are looked at.
    """

    focus: tuple[Skew, ...] = ()
    width: Fraction = PROFILE_WIDTH
    max_beliefs: int = DEFAULT_BELIEFS

    def __post_init__(self) -> None:
        _check_not_negative(self.width, "width")
        _check_positive(max_beliefs=self.max_beliefs)

    @classmethod
    def of(
        cls, alpha: Exactish | None, epsilon: Exactish | None, width: Exactish, max_beliefs: int
    ) -> ProfileQuery:
        """Read the parameters; alpha and epsilon may both be left out. Raises: ParameterError."""
        focus = () if alpha is None and epsilon is None else (Skew.of(alpha, epsilon),)
        return cls(focus, as_rational(width, "width"), max_beliefs)

    def settings(self, budget: Budget, *, uncertified: bool = True) -> ProfileSettings:
        """What the engine is told."""
        alphas = sorted({alpha for skew in self.focus for alpha in (skew.alpha, skew.attack_alpha)})
        return ProfileSettings(tuple(alphas), self.width, self.max_beliefs, budget, uncertified=uncertified)

    def answer(
        self, chain: LabelledMarkovChain, pair: Pair, budget: Budget, *, uncertified: bool = True
    ) -> Profile:
        """Compute it; ``uncertified``: also where the check of the proof does not end in time."""
        return compute_profile(chain, pair, self.settings(budget, uncertified=uncertified))


@dataclass(frozen=True)
class CurveQuery:
    """The true delta over a range of epsilon; an end ln q is a short decimal just below it."""

    epsilon: tuple[Fraction, Fraction]
    points: int

    def __post_init__(self) -> None:
        if self.points < 2 and not (self.points == 1 and self.epsilon[0] == self.epsilon[1]):
            raise ParameterError(f"points = {self.points}; a curve needs at least 2, one for each end")

    @classmethod
    def of(cls, epsilon: tuple[Exactish, Exactish], points: int) -> CurveQuery:
        """Read the parameters. Raises: ParameterError."""
        first, last = map(rational_beside, epsilon)
        return cls((first, last), points)

    def answer(self, chain: LabelledMarkovChain, pair: Pair, budget: Budget) -> Curve:
        """Compute it. Raises: ParameterError where the range is none."""
        from bdist.traces.answers import compute_curve

        return compute_curve(chain, pair, self.epsilon, self.points, budget)


@dataclass(frozen=True)
class EpsilonQuery:
    """The least epsilon for a delta; ``tolerance`` is the width on epsilon at which to stop."""

    delta: Fraction
    tolerance: Fraction | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.delta <= 1:
            raise ParameterError(
                f"delta = {rational_text(self.delta)} is not a probability; it must be from 0 to 1"
            )
        _check_not_negative(self.tolerance, "tolerance")

    def answer(self, chain: LabelledMarkovChain, pair: Pair, budget: Budget) -> EpsilonBracket:
        """Search for it."""
        from bdist.traces.answers import EPSILON_TOLERANCE, compute_epsilon

        width = EPSILON_TOLERANCE if self.tolerance is None else self.tolerance
        return compute_epsilon(chain, pair, self.delta, width, budget)


@dataclass(frozen=True)
class AuditQuery:
    """Whether all neighbours are (epsilon, delta)-differentially private, and who works on it.

    ``pair_time_limit`` (seconds) and ``memory_limit`` (bytes, or a text such as "2G") are for one pair.
    ``distances`` asks for bd and ld as well. ``group`` makes neighbours of neighbours neighbours, so many
    steps far; ``compose`` is how many independent runs an observer sees.
    """

    skew: Skew
    delta: Fraction
    jobs: int | None = None
    pair_time_limit: float | None = None
    memory_limit: int | str | None = None
    cluster: str | None = None
    cluster_ca: str | Path | None = None
    cluster_cert: str | Path | None = None
    cluster_key: str | Path | None = None
    distances: bool = False
    group: int = 1
    compose: int = 1

    def __post_init__(self) -> None:
        _check_positive(group=self.group, compose=self.compose)
        if self.distances and self.compose > 1:
            raise ParameterError("distances are about one run; leave out distances, or compose")
        if self.cluster is not None:
            for name, value in (("jobs", self.jobs), ("memory_limit", self.memory_limit)):
                if value is not None:
                    raise ParameterError(
                        f"{name} is for processes of this machine, and the workers of a cluster have limits "
                        f"of their own; leave out {name}, or cluster"
                    )
        if not 0 <= self.delta < 1:  # at 1 everything is private, and nothing would be proved
            raise ParameterError(f"delta = {rational_text(self.delta)} must be at least 0 and below 1")
        _check_positive(jobs=self.jobs)
        Budget.for_answer(self.pair_time_limit)  # which says what is wrong with it
        self._memory()
        from bdist.audits.cluster import tls_of

        tls_of(self.cluster, self.cluster_ca, self.cluster_cert, self.cluster_key)

    def answer(
        self,
        chain: LabelledMarkovChain,
        relation: Relation | Iterable[Pair],
        budget: Budget,
        journal: Path | None = None,
        resume: bool = False,
        watcher: Callable[[AuditProgress], None] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> Audit:
        """Run the audit."""
        from bdist.audits.audit import AuditSettings, run_audit
        from bdist.audits.cluster import tls_of
        from bdist.chains.relation import Relation

        settings = AuditSettings(
            self.jobs,
            self.pair_time_limit,
            self._memory(),
            self.cluster,
            journal,
            resume,
            budget,
            watcher,
            warn,
            tls_of(self.cluster, self.cluster_ca, self.cluster_cert, self.cluster_key),
            self.distances,
            self.compose,
        )
        pairs = relation if isinstance(relation, Relation) else Relation.of(chain, relation)
        return run_audit(chain, pairs.within(self.group), self.skew, self.delta, settings)

    def _memory(self) -> int | None:
        from bdist.processes import parse_size

        return None if self.memory_limit is None else parse_size(self.memory_limit)


def _number(value: Exactish | None, what: str) -> Fraction | None:
    return None if value is None else as_rational(value, what)


def _check_not_negative(value: Fraction | None, what: str) -> None:
    if value is not None and value < 0:
        raise ParameterError(f"{what} = {rational_text(value)} is negative")


def _check_positive(**numbers: int | None) -> None:
    for what, number in numbers.items():
        if number is not None and number < 1:
            raise ParameterError(f"{what} = {number} must be at least 1")
