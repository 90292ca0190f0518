"""Distances of states by name, with certificates that have been checked: the driver of all methods.

*explore* is the fast one: floats propose, from the query outwards, and rationals prove (`explore`).
  *strategy* is exact without any floats, on all pairs of the labels concerned; it answers where floats do not
  help and for chains so small that loading NumPy would take longer than the answer. *iterate* is the textbook
  iteration, kept as a second opinion. *auto* chooses between the first two.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bdist.budget import Budget, Stopped
from bdist.certificates.checking import reason_unchecked
from bdist.certificates.document import Certificate, Claim, Stage, UpperRecord
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.quotient import Quotient, quotient
from bdist.chains.structure import read_clock
from bdist.distances.pairs import Breadth, PairSpace
from bdist.distances.run import Progress, Run, work_of
from bdist.distances.strategy import solve_game
from bdist.errors import InternalError, ParameterError, parameter
from bdist.exact.epsilon import alpha_of, exponential_up
from bdist.exact.rationals import as_rational, counted, rational_text, short_text
from bdist.lp import DEFAULT_ENGINE, engine_named
from bdist.printing import named
from bdist.report import Answered, OneLine, data_frame
from bdist.results import Bound, Bracket, Distance, Evidence, Statistics, columns_of

if TYPE_CHECKING:
    from bdist.distances.explore.driver import Proof

DEFAULT_TOLERANCE = Fraction(1, 10**9)
_FEW_OUTSIDE = 1.5  # states with a label that is reached, for each state that is: fewer are not looked at
_WORTH_IT = 0.6  # of them left by merging: a second attempt without it may be needed, and costs as much again
_MOST_ROWS = 20  # of a table in a notebook
JOBS_VARIABLE = "BDIST_JOBS"
SMALL = 50  # pairs of states with the same label, up to which strategy is faster than loading NumPy

Exactish = Fraction | int | str | Decimal


@dataclass(frozen=True, repr=False)
class Skew(OneLine):
    """The privacy parameter of a computation: alpha, and the epsilon that it came from, if any."""

    alpha: Fraction
    epsilon: str | None = None
    exact: bool = True
    alpha_up: Fraction | None = None  # a rational at or above e^epsilon, where alpha is only below it

    @property
    def attack_alpha(self) -> Fraction:
        """The alpha at which an attack must be evaluated to count against e^epsilon."""
        return self.alpha if self.alpha_up is None else self.alpha_up

    @property
    def text(self) -> str:
        """The alpha or the epsilon that was asked for."""
        return f"alpha {short_text(self.alpha)}" if self.epsilon is None else f"epsilon {self.epsilon}"

    def _essence(self) -> str:
        return self.text

    @classmethod
    def of(cls, alpha: Exactish | None, epsilon: Exactish | None) -> Skew:
        """Read the parameter from exactly one of alpha and epsilon. Raises: ParameterError."""
        if (alpha is None) == (epsilon is None):
            both = f"{parameter('alpha')} and {parameter('epsilon')}"
            such = parameter("alpha", "1.0002", "'1.0002'"), parameter("epsilon", "0.5", "'0.5'")
            raise ParameterError(f"give exactly one of {both}, such as {' or '.join(such)}")
        if alpha is not None:
            value = as_rational(alpha, "alpha")
            if value < 1:
                raise ParameterError(
                    f"alpha = {rational_text(value)} is below 1; alpha = e^epsilon is at least 1"
                )
            return cls(value)
        value, exact = alpha_of(epsilon)
        text = epsilon.strip() if isinstance(epsilon, str) else str(epsilon)
        return cls(value, text, exact, None if exact else exponential_up(as_rational(epsilon, "epsilon")))


@dataclass(frozen=True)
class Settings:
    """How to compute: method, LP engine, tolerance of the iteration, limits, who watches, which chain.

    ``precision`` is the width of a certified bracket that will do; 0 demands the exact value, and None leaves
    it to the size of the problem. ``jobs`` is the number of threads; None for what the environment variable
    BDIST_JOBS says, and else for all cores. ``uncertified`` asks for an answer also where its check does not
    end in time, under that name; otherwise nothing is claimed then.
    """

    method: str = "auto"
    backend: str = DEFAULT_ENGINE
    tolerance: Fraction = DEFAULT_TOLERANCE
    budget: Budget | None = None
    watcher: Callable[[Progress], None] | None = None
    quotient: bool = False
    precision: Fraction | None = None
    jobs: int | None = None
    uncertified: bool = False


def compute_distance(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    quantity: str = "bd",
    settings: Settings | None = None,
) -> Distance:
    """The distance of one pair of states."""
    answers = compute_distances(chain, [pair], skew, quantity, settings or Settings())
    return answers[0]


def compute_table(
    chain: LabelledMarkovChain, skew: Skew, quantity: str = "bd", settings: Settings | None = None
) -> DistanceTable:
    """The distances of all pairs of states with the same label, computed together."""
    pairs = [
        (chain.states[i], chain.states[j])
        for members in chain.states_by_label.values()
        for i in members
        for j in members
        if i < j or (quantity == "ld" and i != j)
    ]
    return DistanceTable(
        compute_distances(chain, pairs, skew, quantity, settings or Settings()) if pairs else []
    )


class DistanceTable(Answered, Mapping[tuple[str, str], Distance]):
    """Distances by pair of names.

    For bd each pair is listed once, in order of declaration, and found in either order; for ld pairs are
    ordered.
    """

    def __init__(self, distances: Sequence[Distance]) -> None:
        self._distances = {distance.pair: distance for distance in distances}

    def __getitem__(self, pair: tuple[str, str]) -> Distance:
        s, t = pair
        found = self._distances.get((s, t)) or self._distances.get((t, s))  # for ld both are there
        if found is None:
            raise KeyError(
                f"no distance for {pair}: the table holds pairs of two different states with the same label"
            )
        return found

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._distances)

    def __len__(self) -> int:
        return len(self._distances)

    def document(self) -> dict[str, object]:
        """The distances as a JSON object, without their certificate."""
        return {"distances": [distance.document() for distance in self.values()]}

    def to_pandas(self) -> Any:
        """A row a pair, as a DataFrame: the two states, the bounds exactly and as floats rounded outwards.

        Raises: BackendError where pandas is not installed.
        """
        return data_frame(
            [{"first": s, "second": t, **columns_of(found.bracket)} for (s, t), found in self.items()]
        )

    def _repr_html_(self) -> str:
        """The distances as a table, the largest first, for a notebook."""
        from bdist.chains.drawings.markup import element, small_table

        ordered = sorted(self.values(), key=lambda found: found.bracket.upper.value, reverse=True)
        shown = ordered[:_MOST_ROWS]
        rows = [
            (*map(named, found.pair), found.bracket.in_short(found.quantity).partition(", ")[0])
            for found in shown
        ]
        table = small_table(("state", "state", "distance"), rows, len(ordered) - len(shown))
        return element("div", element("p", self._essence()), table)

    def _essence(self) -> str:
        if not self:
            return "no two states have the same label"
        one = next(iter(self.values()))
        kind = "not certified" if one.bracket.unchecked else "certified"
        return f"{one.quantity} of {counted(len(self), 'pair')} at {one.skew_text}, {kind}"


def compute_distances(
    chain: LabelledMarkovChain,
    pairs: Sequence[tuple[str, str]],
    skew: Skew,
    quantity: str,
    settings: Settings,
) -> list[Distance]:
    """The distances of one or more pairs of states, computed together, with one certificate for all.

    Requires: what `bdist.queries.DistanceQuery` checks; the quantity is bd or ld.
    """
    budget = settings.budget or Budget()
    chosen = quotient(chain) if settings.quotient else None
    whole = chain if chosen is None else chosen.chain
    names = [tuple(state if chosen is None else chosen.of(state) for state in pair) for pair in pairs]
    clock = read_clock(whole)
    timed = whole if clock is None else clock.chain
    found, queries, fewer = _solve(timed, names, skew, quantity == "ld", settings, budget)
    solved = budget.elapsed()
    claims = tuple(
        Claim(pair, *(found.bounds.get(query) or trivial_bounds(query)))
        for pair, query in zip(pairs, queries, strict=True)
    )
    certificate = Certificate(
        fingerprint(chain),
        quantity,
        skew.alpha,
        claims,
        tuple(found.upper),
        tuple(found.lower),
        fewer.chain.states,
        None if chosen is None else partition_of(chosen),
        clock=None if clock is None else clock.ends,
        merged=partition_of(fewer) if found.lower else None,
        words=found.words,
    )
    checking = time.monotonic()
    proof = proof_of(chain, certificate, budget, settings.uncertified)
    stats: Statistics = {
        **found.stats,
        "upper_records": len(certificate.upper),
        "lower_records": certificate.functions,
        "seconds": round(solved, 6),
        "check_seconds": round(time.monotonic() - checking, 6),
    }
    return [answer_of(claim, skew, proof, stats, found.limit) for claim in proof.certificate.claims]


def _solve(
    chain: LabelledMarkovChain,
    names: Sequence[tuple[str, ...]],
    skew: Skew,
    ordered: bool,
    settings: Settings,
    budget: Budget,
) -> tuple[_Found, list[tuple[int, int]], Quotient]:
    """What is found, by positions in a chain with fewer states, if that will do, or in the chain itself.

    The states that the queries do not reach matter all the same, as functions are on all states of a label.
    They are merged as far as bisimilarity goes. Distances do not grow by that, so lower bounds hold in the
    chain itself; upper bounds do as long as they are about states that are reached, which were not merged.
    """
    inside = set(chain.reachable({chain.index(state) for pair in names for state in pair}))
    labels = {chain.labels[k] for k in inside}
    peers = sum(len(chain.states_by_label[label]) for label in labels)
    itself = Quotient(chain, tuple((state,) for state in chain.states), chain)
    smaller = quotient(chain, inside) if peers > _FEW_OUTSIDE * len(inside) else itself
    left = sum(len(smaller.chain.states_by_label[label]) for label in labels)
    for fewer in (smaller, itself) if left <= _WORTH_IT * peers else (itself,):
        queries = [(fewer.chain.index(s), fewer.chain.index(t)) for s, t in names]
        found = _Task(fewer.chain, queries, skew, ordered, settings, budget, fewer is not itself).solve()
        reached = {fewer.chain.index(chain.states[k]) for k in inside}
        if found is not None and (fewer is itself or found.stays_within(reached)):
            return found, queries, fewer
    raise InternalError("a chain without merged states was taken for one with them")


@dataclass(frozen=True)
class _Found:
    """The records and bounds of a computation, by pair of positions, and how it went."""

    upper: list[UpperRecord]
    lower: list[Stage]
    words: int
    bounds: dict[tuple[int, int], tuple[Fraction, Fraction]]
    limit: str | None
    stats: Statistics

    def stays_within(self, states: Collection[int]) -> bool:
        """Whether the upper records are about some states only."""
        return all(state in states for record in self.upper for state in record.pair)


@dataclass(frozen=True)
class _Task:
    """Queries on one chain, by position, with the settings that apply.

    ``runs`` are the computations that were begun, with their methods: what they took is told, also where
    they were cut short and another had to answer.
    """

    chain: LabelledMarkovChain
    queries: Sequence[tuple[int, int]]
    skew: Skew
    ordered: bool
    settings: Settings
    budget: Budget
    no_detours: bool
    runs: list[tuple[str, Run]] = field(default_factory=list)

    def solve(self) -> _Found | None:
        """Answer with the method of the settings; the answer is what was proved when time was up.

        None where states outside what the queries reach count, though there are to be ``no_detours``.
        """
        try:
            if self._explores():
                from bdist.distances.explore.float_game import ProposalFailed  # with NumPy, when first used
                from bdist.distances.explore.functions import Detour

                try:
                    return self._explore()
                except Detour:
                    return None
                except ProposalFailed:
                    pass  # floats are of no help here; the exact method needs none
            return self._iterate_or_improve()
        except Stopped:
            return self._first_bounds(self.budget.exhausted())

    def _explores(self) -> bool:
        method, engine = self.settings.method, self.settings.backend
        if method != "auto":
            return method == "explore"
        if self.settings.precision:
            return True
        return engine != "exact" and not is_small(self.chain, self.queries)

    def _run(self, breadth: Breadth) -> tuple[Run, list[int]]:
        space = PairSpace(
            self.chain,
            self.skew.alpha,
            self.queries,
            ordered=self.ordered,
            breadth=breadth,
            budget=self.budget,
        )
        numbers = [space.number[query] for query in self.queries if query in space.number]
        watched = numbers[0] if numbers else None
        engine = engine_named(self.settings.backend)
        run = Run(space, engine, self.budget, self.settings.watcher, watched)
        return run, numbers

    def _explore(self) -> _Found:
        from bdist.distances.explore.driver import prove

        run, numbers = self._run("queries")
        self.runs.append(("explore", run))
        proof = prove(
            run,
            numbers,
            self.settings.backend,
            jobs_of(self.settings.jobs),
            self.settings.precision,
            no_detours=self.no_detours,
        )
        return self._found(run, proof, proof.shortfall)

    def _first_bounds(self, limit: str | None) -> _Found:
        from bdist.distances.explore.driver import first_bounds

        run, numbers = self._run("queries")
        return self._found(run, first_bounds(run.space, numbers), limit)

    def _found(self, run: Run, proof: Proof, limit: str | None) -> _Found:
        bounds = {query: proof.bounds[run.space.number[query]] for query in self._open_queries(run)}
        return _Found(proof.upper, proof.lower, proof.words, bounds, limit, self._stats())

    def _iterate_or_improve(self) -> _Found:
        method = "iterate" if self.settings.method == "iterate" else "strategy"
        run, numbers = self._run("labels")
        self.runs.append((method, run))
        limit = None
        try:
            if method == "iterate":
                from bdist.distances.iteration import iterate  # a second opinion, seldom asked for

                iterate(run, numbers, self.settings.tolerance)
            else:
                solve_game(run)
        except Stopped:
            if run.upper is None and run.lower is None:
                raise
            limit = self.budget.exhausted()
        upper = run.upper.records(numbers) if run.upper is not None else []
        lower = run.lower.stages(numbers) if run.lower is not None else []
        bounds = {query: run.bounds(run.space.number[query]) for query in self._open_queries(run)}
        return _Found(upper, lower, 0, bounds, limit, self._stats())

    def _open_queries(self, run: Run) -> list[tuple[int, int]]:
        """The queries that are not answered by definition."""
        return [query for query in self.queries if query in run.space.number]

    def _stats(self) -> Statistics:
        method = self.runs[-1][0] if self.runs else self.settings.method
        return {
            "method": method,
            "backend": self.settings.backend,
            **work_of([run for _, run in self.runs]),
        }


def cores() -> int:
    """How many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def jobs_of(jobs: int | None) -> int:
    """How many threads or processes to use: as asked, or as the environment says, or one a core.

    Raises: ParameterError.
    """
    if jobs is not None:
        return jobs
    text = os.environ.get(JOBS_VARIABLE, "").strip()
    if not text:
        return cores()
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(f"{JOBS_VARIABLE}={text} in the environment must be a number of at least 1")
    return int(text)


def is_small(chain: LabelledMarkovChain, queries: Sequence[tuple[int, int]]) -> bool:
    """Whether there are few pairs of states with a label that the queries reach.

    Strategy iteration works on all of these, also where the queries reach only some of the states.
    """
    reached = chain.reachable({state for query in queries for state in query})
    members = (len(chain.states_by_label[label]) for label in {chain.labels[state] for state in reached})
    return sum(n * (n - 1) // 2 for n in members) <= SMALL


def trivial_bounds(query: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """A state has distance 0 from itself, and 1 from a state with another label."""
    value = Fraction(0 if query[0] == query[1] else 1)
    return value, value


def partition_of(merged: Quotient) -> tuple[tuple[str, ...], ...]:
    """The classes that a certificate must list: those that merge something."""
    return tuple(members for members in merged.classes if len(members) > 1)


@dataclass(frozen=True)
class CheckedProof:
    """A certificate, and why it was not checked, if it was not."""

    certificate: Certificate
    unchecked: str | None = None
    shortfall: str | None = None  # why it claims nothing, where the one that was found was not checked


def proof_of(
    chain: LabelledMarkovChain, certificate: Certificate, budget: Budget, uncertified: bool
) -> CheckedProof:
    """A certificate that was found, after its check.

    Where that does not end in time, or takes too much, and only what is certified is wanted, it is replaced
    by one that claims what is so by definition: every distance is in [0, 1].
    Raises: InternalError where it does not hold.
    """
    reason = reason_unchecked(chain, certificate, budget)
    if reason is None or uncertified:
        return CheckedProof(certificate, reason)
    claims = tuple(Claim(claim.pair, Fraction(0), Fraction(1)) for claim in certificate.claims)
    nothing = replace(certificate, claims=claims, upper=(), lower=(), words=0)
    return CheckedProof(nothing, None, reason)


def answer_of(
    claim: Claim, skew: Skew, proof: CheckedProof, stats: Statistics, limit: str | None
) -> Distance:
    """A claim of a certificate as a result."""
    evidence = Evidence.CERTIFIED if proof.unchecked is None else Evidence.UNCHECKED
    bracket = Bracket(Bound(claim.lower, evidence), Bound(claim.upper, evidence))
    return Distance(
        proof.certificate.quantity,
        claim.pair,
        skew.alpha,
        bracket,
        proof.certificate,
        stats,
        proof.unchecked or proof.shortfall or (limit if not bracket.exact else None),
        skew.epsilon,
        skew.exact,
        proof.certificate.partition is not None,
    )
