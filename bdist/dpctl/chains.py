"""Model checking of dpCTL* on Markov chains: which states satisfy a formula, why others not, what is tight.

`check` answers for every state, and for each that does not satisfy the formula it says which part fails, by
which neighbour, with both probabilities. `probabilities` are those of a path formula. `tight` takes a
formula D and asks the other way round: the smallest delta at its epsilon, and the smallest epsilon at its
delta, with which it holds in the states that are asked for. Both are maxima over neighbours: epsilon is ln
of a rational, and delta is rational where e^epsilon is.

The (epsilon, delta) of D is about one event. For delta > 0 it is weaker than differential privacy, which is
about all sets of outputs: `bdist delta` on the same chain gives the stronger one.

**The probability of a path formula** is found by taking its temporal operators out one after the other
(`elimination`). Where several of them are bounded that makes a copy of a state for every combination of steps
that they take, most of which mean the same for what comes: so such a formula is decided by what is left of it
(`paths`), on a chain as on a process with one action.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.relation import Relation
from bdist.dpctl.answers import (
    ChainCertificate,
    Checked,
    Evaluator,
    Failure,
    Interval,
    Model,
    Names,
    Pairs,
    Ternary,
    conjunction_of,
    formula_text,
    parts_of,
    path_of,
)
from bdist.dpctl.elimination import Row, path_probabilities
from bdist.dpctl.formulas import (
    AlwaysPrivate,
    Formula,
    Private,
    Probability,
    Until,
    is_state_formula,
    operands_of,
    require_neighbours,
    require_privacy,
    require_state_formula,
)
from bdist.dpctl.parser import parse_for
from bdist.dpctl.paths import BoundedPath, Moves, is_bounded
from bdist.errors import UnsupportedError
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import counted, short_text, to_fmpq, to_fraction
from bdist.report import OneLine
from bdist.results import Bracket, Evidence, Statistics


@dataclass(frozen=True, repr=False)
class Probabilities(OneLine):
    """How likely a path formula is from every state; certified."""

    formula: Formula
    values: Mapping[str, Fraction]
    certificate: ChainCertificate
    stats: Statistics

    def _essence(self) -> str:
        return f"{formula_text(self.formula)} from {counted(len(self.values), 'state')}, certified"


@dataclass(frozen=True, repr=False)
class Tight(OneLine):
    """The smallest parameters of D, with the two states that need them, the first the more likely one.

    ``ratio`` is e^epsilon for the smallest epsilon at the delta of the formula, None where none will do;
    ``delta`` the smallest delta at its epsilon, as a bracket, whose ends agree where e^epsilon is rational.
    """

    formula: Private
    ratio: Fraction | None
    ratio_at: tuple[str, str] | None
    delta: Bracket
    delta_at: tuple[str, str] | None
    found: Probabilities

    def _essence(self) -> str:
        epsilon = "no epsilon" if self.ratio is None else f"epsilon = ln({short_text(self.ratio)})"
        return f"{formula_text(self.formula)}: {epsilon}, {self.delta.in_short('delta')}"


def check(
    chain: LabelledMarkovChain, formula: Formula | str, pairs: Pairs = (), *, budget: Budget | None = None
) -> Checked[ChainCertificate]:
    """Which states satisfy a state formula, with these neighbours.

    Ensures: the certificate was checked.
    Raises: FormatError for a text that is no formula; ParameterError where it is no state formula, a
    proposition or a state is unknown, or there is a D and no neighbours; UnsupportedError where it is too
    large; Stopped where the budget is.
    """
    parsed = require_state_formula(parse_for(chain.labels, "chain", formula))
    evaluator = _ChainEvaluator(chain, parsed, pairs, budget)
    known = zip(evaluator.names, evaluator.known(parsed), strict=True)
    certificate = evaluator.certificate(satisfied=tuple(name for name, true in known if true))
    return evaluator.checked(evaluator.statistics(certificate), certificate)


def probabilities(
    chain: LabelledMarkovChain, formula: Formula | str, pairs: Pairs = (), *, budget: Budget | None = None
) -> Probabilities:
    """The probability of a path formula from every state. Ensures, Raises: as `check`."""
    parsed = parse_for(chain.labels, "chain", formula)
    evaluator = _ChainEvaluator(chain, parsed, pairs, budget)
    bounds = zip(evaluator.names, evaluator.bounds(parsed), strict=True)
    values = {name: value for name, (value, _) in bounds}
    certificate = evaluator.certificate(probabilities=tuple(values.items()))
    return Probabilities(parsed, values, certificate, evaluator.statistics(certificate))


def tight(
    chain: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Pairs,
    *,
    states: Sequence[str] | None = None,
    budget: Budget | None = None,
) -> Tight:
    """The smallest epsilon and the smallest delta for which a formula D holds, in these states or in all.

    Raises: ParameterError where it is not of the form D[...] (...); as `check` otherwise.
    """
    parsed = require_privacy(parse_for(chain.labels, "chain", formula))
    relation = Relation.of(chain, pairs)
    require_neighbours(parsed, relation)
    found = probabilities(chain, parsed.inner, relation, budget=budget)
    ordered = ordered_pairs(relation, chain.states if states is None else states)
    furthest = by_values(found.values, found.values)
    ratio, ratio_at = smallest_ratio(ordered, parsed.delta, furthest)
    delta, delta_at = smallest_delta(ordered, parsed.epsilon, furthest)
    places = (None if apart is None else apart.pair for apart in (ratio_at, delta_at))
    return Tight(parsed, ratio, next(places), delta, next(places), found)


def ordered_pairs(pairs: Pairs, states: Iterable[str]) -> list[tuple[str, str]]:
    """The neighbours of which one is among the states, in both orders."""
    asked = set(states)
    return [(s, t) for pair in pairs for s, t in (pair, pair[::-1]) if asked & set(pair)]


# --- what is tight -----------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Apart(OneLine):
    """Two neighbours, a sequence of queries (of a chain none), and the probabilities with it."""

    pair: tuple[str, str]
    actions: Names
    probabilities: tuple[Fraction, Fraction]

    def difference(self, factor: Fraction) -> Fraction:
        """How much more likely the first is than so many times the second."""
        return self.probabilities[0] - factor * self.probabilities[1]


# where the difference of two neighbours at a factor is largest, if it is above some number
Furthest = Callable[[tuple[str, str], Fraction, Fraction], Apart | None]


def by_values(high: Mapping[str, Fraction], low: Mapping[str, Fraction]) -> Furthest:
    """Where the first is as likely as ``high`` says, and the second as ``low`` says."""

    def furthest(pair: tuple[str, str], factor: Fraction, least: Fraction) -> Apart | None:
        apart = Apart(pair, (), (high[pair[0]], low[pair[1]]))
        return apart if apart.difference(factor) > least else None

    return furthest


def smallest_delta(
    pairs: Sequence[tuple[str, str]], epsilon: Epsilon, furthest: Furthest
) -> tuple[Bracket, Apart | None]:
    """The smallest delta at an epsilon from both sides, and what needs it: the largest p - e^epsilon p'."""
    least, most, where = Fraction(0), Fraction(0), None
    for pair in pairs:
        found = furthest(pair, epsilon.alpha_down(), most)
        if found is not None:
            where, most = found, found.difference(epsilon.alpha_down())
            least = max(least, found.difference(epsilon.alpha_up()))
    return Bracket.of(least, most, Evidence.EXACT), where


def smallest_ratio(
    pairs: Sequence[tuple[str, str]], delta: Fraction, furthest: Furthest
) -> tuple[Fraction | None, Apart | None]:
    """e^epsilon for the smallest epsilon at a delta, and what needs it; None where none will do."""
    factor, where = Fraction(1), None
    for pair in pairs:
        while (found := furthest(pair, factor, delta)) is not None:
            where = found
            p, q = found.probabilities
            if q == 0:
                return None, where
            factor = (p - delta) / q
    return factor, where


# --- state formulas ----------------------------------------------------------------------------------------


class BoundsEvaluator(Evaluator[Model]):
    """P and D, decided from bounds on the probabilities of path formulas; on a chain the two bounds agree."""

    def __init__(self, model: Model, formula: Formula, pairs: Pairs, budget: Budget | None) -> None:
        super().__init__(model, formula, pairs, budget)
        self._bounds: dict[Formula, list[Interval]] = {}

    @abstractmethod
    def path_bounds(self, path: Formula) -> list[Interval]:
        """Bounds on the probability of a path formula that is no state formula, from every state."""

    def bounds(self, path: Formula) -> list[Interval]:
        """Bounds on the probability of any formula. Requires: state formulas in it are decided."""
        if path not in self._bounds:
            if is_state_formula(path):
                ends: dict[bool | None, Fraction] = {True: Fraction(1), False: Fraction(0)}
                self._bounds[path] = [(ends[true], ends[true]) for true in self.known(path)]
            else:
                self._bounds[path] = self.path_bounds(path)
        return self._bounds[path]

    def decide(self, formula: Private | Probability) -> Ternary:
        """P is a half-line: it holds of all numbers between two if of both, and of none if of neither."""
        if isinstance(formula, AlwaysPrivate):
            raise UnsupportedError("a forall without a last number is decided on decision processes only")
        bounds = self.bounds(formula.inner)
        if isinstance(formula, Probability):
            ends = ([formula.accepts(end) for end in pair] for pair in bounds)
            return [low if low is high else None for low, high in ends]
        return [
            conjunction_of(_compared(formula, here, bounds[t]) for t in self.neighbours[s])
            for s, here in enumerate(bounds)
        ]

    def failure(self, formula: Formula, state: int) -> Failure:
        """Why a formula is not known to hold in a state; with D the first neighbour that says so."""
        part = self.failing_part(formula, state)
        if isinstance(part, Probability):
            return Failure(part, None, (self.bounds(part.inner)[state],))
        if isinstance(part, Private):
            bounds, answer = self.bounds(part.inner), self.known(part)[state]
            for other in self.neighbours[state]:
                if _compared(part, bounds[state], bounds[other]) is answer:
                    return Failure(part, self.names[other], (bounds[state], bounds[other]))
        return Failure(part)


def _compared(formula: Private, here: Interval, there: Interval) -> bool | None:
    """D between a state and a neighbour, in both directions, for all numbers in two intervals."""
    if formula.bounds(here[1], there[0]) and formula.bounds(there[1], here[0]):
        return True
    if not formula.bounds(here[0], there[1]) or not formula.bounds(there[0], here[1]):
        return False
    return None


class _ChainEvaluator(BoundsEvaluator[LabelledMarkovChain]):
    """A formula on one chain: everything is decided."""

    def __init__(
        self, chain: LabelledMarkovChain, formula: Formula, pairs: Pairs, budget: Budget | None
    ) -> None:
        super().__init__(chain, formula, Relation.of(chain, pairs), budget)
        self._solutions: dict[Formula, tuple[tuple[Fraction, ...], ...]] = {}

    @cached_property
    def _rows(self) -> list[Row]:
        numbers = [self.number[name] for name in self.model.states]
        rows: list[Row] = [{} for _ in self.names]
        for state, row in zip(numbers, self.model.rows, strict=True):
            rows[state] = {numbers[t]: to_fmpq(p) for t, p in row}
        return rows

    def path_bounds(self, path: Formula) -> list[Interval]:
        """The probability from each state, twice."""
        if is_bounded(path) and sum(isinstance(part, Until) for part in _operators(path)) > 1:
            moves = Moves([[list(row.items())] for row in self._rows], self.names, ("",))
            values = BoundedPath(moves, path, self.known, self.budget).high
            return [(value, value) for value in map(to_fraction, values)]
        found, solutions = path_probabilities(self._rows, path, self.known, self.budget)
        self._solutions[path] = tuple(tuple(map(to_fraction, x)) for x in solutions)
        return [(value, value) for value in map(to_fraction, found)]

    def certificate(
        self,
        satisfied: tuple[str, ...] | None = None,
        probabilities: tuple[tuple[str, Fraction], ...] | None = None,
    ) -> ChainCertificate:
        """What was found, with the solutions in the order of SPEC.md: as often as path formulas occur."""
        paths = map(path_of, parts_of(self.formula))
        solutions = tuple(x for path in paths for x in self._solutions.get(path, ()))
        return ChainCertificate(
            fingerprint(self.model), self.pairs, self.formula, solutions, satisfied, probabilities
        )

    def statistics(self, certificate: ChainCertificate) -> Statistics:
        """How long the search and the check of the certificate took, and how large it is."""
        times = self.vouched(certificate)
        return {**times, "systems": len(certificate.solutions), "states": len(self.names)}


def _operators(path: Formula) -> Iterator[Formula]:
    """The temporal operators of a path formula outside of its state subformulas."""
    if not is_state_formula(path):
        yield path
        for inner in operands_of(path):
            yield from _operators(inner)
