"""Distances of states by name, with certificates that have been checked: the driver of both methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget, Stopped
from bdist.certificates.checking import vouch
from bdist.certificates.document import Certificate, Claim
from bdist.distances.iteration import iterate
from bdist.distances.pairs import PairSpace
from bdist.distances.run import Progress, Run
from bdist.distances.strategy import solve_game
from bdist.errors import ParameterError
from bdist.models.chain import LabelledMarkovChain
from bdist.models.fingerprint import fingerprint
from bdist.models.quotient import Quotient, quotient
from bdist.rationals.exponential import alpha_of, exponential_up
from bdist.rationals.reading import as_rational, rational_text
from bdist.results import Bound, Bracket, Distance, Evidence, Statistics
from bdist.solvers import DEFAULT_ENGINE, engine_named

METHODS = ("auto", "strategy", "iterate")
QUANTITIES = ("bd", "ld")
DEFAULT_TOLERANCE = Fraction(1, 10**9)

Exactish = Fraction | int | str


@dataclass(frozen=True)
class Skew:
    """The privacy parameter of a computation: alpha, and the epsilon that it came from, if any."""

    alpha: Fraction
    epsilon: str | None = None
    exact: bool = True
    alpha_up: Fraction | None = None  # a rational at or above e^epsilon, where alpha is only below it

    @property
    def attack_alpha(self) -> Fraction:
        """The alpha at which an attack must be evaluated to count against e^epsilon."""
        return self.alpha if self.alpha_up is None else self.alpha_up

    @classmethod
    def of(cls, alpha: Exactish | None, epsilon: Exactish | None) -> Skew:
        """Read the parameter from exactly one of alpha and epsilon. Raises: ParameterError."""
        if (alpha is None) == (epsilon is None):
            raise ParameterError(
                "give exactly one of alpha and epsilon, such as alpha='1.0002' or epsilon='0.5'"
            )
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
    """How to compute: method, LP engine, tolerance of the iteration, limits, who watches, which chain."""

    method: str = "auto"
    backend: str = DEFAULT_ENGINE
    tolerance: Fraction = DEFAULT_TOLERANCE
    budget: Budget | None = None
    watcher: Callable[[Progress], None] | None = None
    quotient: bool = False


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


class DistanceTable(Mapping[tuple[str, str], Distance]):
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


def compute_distances(
    chain: LabelledMarkovChain,
    pairs: Sequence[tuple[str, str]],
    skew: Skew,
    quantity: str,
    settings: Settings,
) -> list[Distance]:
    """The distances of one or more pairs of states, computed together, with one certificate for all."""
    if quantity not in QUANTITIES:
        raise ParameterError(f"there is no quantity '{quantity}'; choose one of {', '.join(QUANTITIES)}")
    if settings.method not in METHODS:
        raise ParameterError(f"there is no method '{settings.method}'; choose one of {', '.join(METHODS)}")
    if settings.tolerance < 0:
        raise ParameterError(f"tolerance = {rational_text(settings.tolerance)} is negative")
    budget = settings.budget or Budget()
    merged = quotient(chain) if settings.quotient else None
    queries = [(_position(chain, merged, s), _position(chain, merged, t)) for s, t in pairs]
    base = chain if merged is None else merged.chain
    space = PairSpace(base, skew.alpha, queries, ordered=quantity == "ld")
    numbers = [space.number.get(query) for query in queries]
    run = Run(space, engine_named(settings.backend), budget, settings.watcher, numbers[0])
    limit = None
    try:
        if settings.method == "iterate":
            iterate(run, [p for p in numbers if p is not None], settings.tolerance)
        else:
            solve_game(run)
    except Stopped:
        limit = budget.exhausted()
    solved = budget.elapsed()
    claims = tuple(
        Claim(pair, *(trivial_bounds(query) if number is None else run.bounds(number)))
        for pair, query, number in zip(pairs, queries, numbers, strict=True)
    )
    certificate = _certificate(
        chain, merged, skew, quantity, run, claims, [p for p in numbers if p is not None]
    )
    checking = time.monotonic()
    vouch(chain, certificate)
    stats: Statistics = {
        "method": "iterate" if settings.method == "iterate" else "strategy",
        "backend": settings.backend,
        "pairs": len(space),
        "rounds": run.rounds,
        "linear_programs": run.tally.solved,
        "bases_kept": run.tally.kept,
        "bases_proposed": run.tally.proposed,
        "bases_repaired": run.tally.repaired,
        "upper_records": len(certificate.upper),
        "lower_records": len(certificate.lower),
        "seconds": round(solved, 6),
        "check_seconds": round(time.monotonic() - checking, 6),
    }
    return [answer_of(claim, skew, quantity, certificate, stats, limit) for claim in claims]


def trivial_bounds(query: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """A state has distance 0 from itself, and 1 from a state with another label."""
    value = Fraction(0 if query[0] == query[1] else 1)
    return value, value


def _position(chain: LabelledMarkovChain, merged: Quotient | None, state: str) -> int:
    return chain.index(state) if merged is None else merged.chain.index(merged.of(state))


def partition_of(merged: Quotient) -> tuple[tuple[str, ...], ...]:
    """The classes that a certificate must list: those that merge something."""
    return tuple(members for members in merged.classes if len(members) > 1)


def _certificate(
    chain: LabelledMarkovChain,
    merged: Quotient | None,
    skew: Skew,
    quantity: str,
    run: Run,
    claims: tuple[Claim, ...],
    numbers: list[int],
) -> Certificate:
    upper = run.upper.records(numbers) if run.upper is not None else []
    lower = run.lower.records(numbers) if run.lower is not None else []
    partition = None if merged is None else partition_of(merged)
    return Certificate(
        fingerprint(chain), quantity, skew.alpha, claims, tuple(upper), tuple(lower), partition
    )


def answer_of(
    claim: Claim, skew: Skew, quantity: str, certificate: Certificate, stats: Statistics, limit: str | None
) -> Distance:
    """A claim whose certificate has been checked, as a result."""
    bracket = Bracket(Bound(claim.lower, Evidence.CERTIFIED), Bound(claim.upper, Evidence.CERTIFIED))
    return Distance(
        quantity,
        claim.pair,
        skew.alpha,
        bracket,
        certificate,
        stats,
        limit if not bracket.exact else None,
        skew.epsilon,
        skew.exact,
        certificate.partition is not None,
    )
