"""Model checking of dpCTL* on Markov chains: which states satisfy a formula, why others not, what is tight.

`check` answers for every state, and for each that does not satisfy the formula it says which part fails, by
which neighbour, with both probabilities. `probabilities` are those of a path formula. `tight` takes a
formula D and asks the other way round: the smallest delta at its epsilon, and the smallest epsilon at its
delta, with which it holds in the states that are asked for. Both are maxima over neighbours: epsilon is ln
of a rational, and delta is rational where e^epsilon is.

The (epsilon, delta) of D is about one event. For delta > 0 it is weaker than differential privacy, which is
about all sets of outputs: `bdist delta` on the same chain gives the stronger one.

**The probability of a path formula** is found by taking its temporal operators out one after the other. The
innermost operator speaks of sets of states only. Whether it holds at a point of a run depends on the state
there and on whether it holds at the next point; so a run that is marked, at each point, with whether it holds
is again a run of a Markov chain, whose states are the old ones in up to two copies, *it holds* and *it does
not* (Courcoubetis and Yannakakis 1995). In that chain the operator is a set of states, and the next one is
innermost. At the end the formula is a set of states, and its probability a sum of weights. For the bounded
until the copies are the numbers of steps that it still takes.

No automaton is built, so nothing is determinised: k operators cost at most 2^k copies of the chain, and
those of probability 0 are never made. An until takes one sparse linear system, solved exactly, component by
component (`bdist.exact.linear`); its solution is all that a certificate needs (SPEC.md). Unambiguous automata
would do with one system for a whole formula, on a larger product; they are what the tests compare with.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from flint import fmpq

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
from bdist.dpctl.formulas import (
    And,
    Formula,
    Next,
    Not,
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
from bdist.errors import InternalError, UnsupportedError
from bdist.exact.epsilon import Epsilon
from bdist.exact.linear import solve_affine
from bdist.exact.rationals import ONE, ZERO, counted, short_text, to_fmpq, to_fraction
from bdist.report import OneLine
from bdist.results import Bracket, Evidence, Statistics

MOST_STATES = 2_000_000
MOST_ENTRIES = 20_000_000

Row = dict[int, fmpq]
Marks = Sequence[bool | None]  # a set of states; in it there is no None
_FAILS = 0  # the kind of the copies where an operator does not hold; in others it does, in several ways


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
        eliminator = _Eliminator(self._rows, self.known, self.budget)
        values = map(to_fraction, eliminator.probabilities(path))
        self._solutions[path] = tuple(tuple(map(to_fraction, x)) for x in eliminator.solutions)
        return [(value, value) for value in values]

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


# --- path formulas: the elimination of temporal operators --------------------------------------------------

Weights = list[dict[int, fmpq]]  # of each state, by the kinds of its copies; none of them is 0
Follow = Callable[[int, int, int], tuple[int, ...] | None]  # the kinds at t after r and its kind; None: all


class _Eliminator:
    """The current chain, of copies of the states of a model, and the sets that parts of a formula became.

    A copy has a weight and an origin, the state of the model that it is of. The sets wait on a stack for the
    operator that they belong to. The rows of a chain are made when an operator asks for them, so never after
    the last.
    """

    def __init__(self, rows: list[Row], marks_of: Callable[[Formula], Marks], budget: Budget) -> None:
        """``marks_of`` gives the states of each maximal state subformula."""
        self.solutions: list[list[fmpq]] = []
        self._rows: Callable[[], list[Row]] = lambda: rows
        self._weights = [ONE] * len(rows)
        self._origins = list(range(len(rows)))
        self._stack: list[Marks] = []
        self._marks_of = marks_of
        self._budget = budget

    def probabilities(self, formula: Formula) -> list[fmpq]:
        """The probability of a formula from each state of the model; solutions of untils are noted."""
        result = [ZERO] * len(self._origins)
        self._visit(formula)
        for origin, weight, marked in zip(self._origins, self._weights, self._stack.pop(), strict=True):
            if marked:
                result[origin] += weight
        return result

    def _visit(self, formula: Formula) -> None:
        """Put the set of current states that a formula becomes on the stack."""
        if is_state_formula(formula):
            marks = self._marks_of(formula)
            self._stack.append([marks[origin] for origin in self._origins])
            return
        for inner in operands_of(formula):
            self._visit(inner)
        right = self._stack.pop()
        match formula:
            case Not():
                self._stack.append([not marked for marked in right])
            case And():
                self._stack.append([a and b for a, b in zip(self._stack.pop(), right, strict=True)])
            case Next():
                self._next(right)
            case Until(bound=None):
                self._until(self._stack.pop(), right)
            case Until(bound=int(bound)):
                self._within(bound, self._stack.pop(), right)
            case _:
                raise InternalError(f"{type(formula).__name__} is no path operator")

    def _next(self, inside: Marks) -> None:
        likely = [_total(p for t, p in row.items() if inside[t]) for row in self._rows()]
        # given that X holds (or not), the next state is inside (or not), and is any copy of itself
        self._split(_two_copies(likely), lambda _, kind, t: None if bool(inside[t]) == bool(kind) else ())

    def _until(self, left: Marks, right: Marks) -> None:
        x = until_values(self._rows(), left, right, self._budget)
        self.solutions.append(x)
        # where it is not decided yet, U holds here if and only if it does at the next state
        self._split(_two_copies(x), lambda r, kind, _: (kind,) if left[r] and not right[r] else None)

    def _within(self, bound: int, left: Marks, right: Marks) -> None:
        """Copies by the number of steps that are left, and one."""
        rows = self._rows()
        layer = [ONE if marked else ZERO for marked in right]
        weights: Weights = [{1: ONE} if marked else {} for marked in right]
        for steps in range(1, bound + 1):
            self._budget.check()
            layer = [
                _total(p * layer[t] for t, p in row.items()) if left[r] and not right[r] else ZERO
                for r, row in enumerate(rows)
            ]
            if not any(layer):
                break
            for r, value in enumerate(layer):
                if value:
                    weights[r][steps + 1] = value
        for kinds in weights:
            rest = ONE - _total(kinds.values())
            if rest:
                kinds[_FAILS] = rest

        def follow(r: int, kind: int, _: int) -> tuple[int, ...] | None:
            if right[r] or not left[r]:
                return None
            # one step less is left at the next state; not within k from here is not within k - 1 from there
            return (bound + 1, _FAILS) if kind == _FAILS else (kind - 1,)

        self._split(weights, follow)

    def _split(self, weights: Weights, follow: Follow) -> None:
        """Put copies in place of the states, and the set of those where the operator holds on the stack.

        A copy goes to the copies that may follow it, in proportion to their weights.
        """
        old = self._rows()
        parents = [r for r, kinds in enumerate(weights) for _ in kinds]
        marks = [kind for kinds in weights for kind in kinds]
        if len(parents) > MOST_STATES:
            raise UnsupportedError(f"the formula needs more than {MOST_STATES} copies of states")
        numbers = iter(range(len(parents)))
        places = [{kind: next(numbers) for kind in kinds} for kinds in weights]

        def make_rows() -> list[Row]:
            rows: list[Row] = []
            entries = 0
            for r, mark in zip(parents, marks, strict=True):
                row: Row = {}
                for t, p in old[r].items():
                    allowed = follow(r, mark, t)
                    after = weights[t] if allowed is None else [k for k in allowed if k in weights[t]]
                    row.update((places[t][kind], p * weights[t][kind]) for kind in after)
                if any(follow(r, mark, t) is not None for t in old[r]):
                    scale = 1 / weights[r][mark]  # which is what those that may follow have in all
                    row = {place: p * scale for place, p in row.items()}
                rows.append(row)
                entries += len(row)
                if entries > MOST_ENTRIES:
                    raise UnsupportedError(
                        f"the formula needs more than {MOST_ENTRIES} transitions of copies"
                    )
                if len(rows) % 1024 == 0:
                    self._budget.check()
            return rows

        self._rows = cache(make_rows)
        kept = (weight for kinds in weights for weight in kinds.values())
        self._weights = [self._weights[r] * weight for r, weight in zip(parents, kept, strict=True)]
        self._origins = [self._origins[r] for r in parents]
        self._stack = [[inside[r] for r in parents] for inside in self._stack]
        self._stack.append([mark != _FAILS for mark in marks])


def _two_copies(x: Sequence[fmpq]) -> Weights:
    """Where it holds with probability x: copies 1 and 0, of which those of probability 0 are not made."""
    return [{kind: w for kind, w in ((1, value), (_FAILS, ONE - value)) if w} for value in x]


def until_values(rows: Sequence[Row], left: Marks, right: Marks, budget: Budget) -> list[fmpq]:
    """The probability of ``left`` U ``right`` from each state of a chain."""
    can = _reaching(rows, left, right)
    unknown = [r for r in range(len(rows)) if can[r] and not right[r]]
    number = {r: k for k, r in enumerate(unknown)}
    budget.check()
    solved = solve_affine(
        [{number[t]: p for t, p in rows[r].items() if t in number} for r in unknown],
        [_total(p for t, p in rows[r].items() if right[t]) for r in unknown],
    )
    if solved is None:
        raise InternalError("the system of an until has no unique solution")
    x = [ONE if marked else ZERO for marked in right]
    for r, value in zip(unknown, solved, strict=True):
        x[r] = value
    return x


def _reaching(rows: Sequence[Row], left: Marks, right: Marks) -> list[bool]:
    """From which states there is a way to ``right`` through ``left``."""
    before: list[list[int]] = [[] for _ in rows]
    for r, row in enumerate(rows):
        if left[r] and not right[r]:
            for t in row:
                before[t].append(r)
    found = [bool(marked) for marked in right]
    stack = [r for r, marked in enumerate(right) if marked]
    while stack:
        for r in before[stack.pop()]:
            if not found[r]:
                found[r] = True
                stack.append(r)
    return found


def _total(values: Iterable[fmpq]) -> fmpq:
    return sum(values, ZERO)
