"""Formulas on all chains between two: verdicts on a mechanism whose probabilities are irrational.

A probability such as P(Lap(1) > 2) has no exact place in a chain of rationals; a number below it and one
above it have. So a mechanism becomes two chains, with the same states, labels and supports, and the true row
of a state lies, entry by entry, between the two rows. It is not enough that a formula holds in both chains:
D compares two probabilities, and its worst case may take one from each. What is answered here is about
*every* chain whose rows r satisfy

    min(l, u) <= r <= max(l, u)  entry by entry, and sum to 1,

each state by itself, where l and u are the two rows: HOLDS if all of them satisfy the formula, VIOLATED if
none does, UNKNOWN if the bounds do not decide it.

Why that is sound. The rows between l and u are a polytope, and each is a convex combination of its vertices,
which have all entries but one at an end of their interval. So a chain between the two is a Markov decision
process whose actions are these vertices, under a scheduler without memory that chooses at random
(`enclosure_process`). The probability of a path formula under any scheduler lies between the least and the
most over all of them, which `extremes` finds exactly. With p in [a, b] from a state and q in [c, d] from a
neighbour, D[eps, delta] holds if b <= e^eps c + delta and d <= e^eps a + delta, and fails if a > e^eps d +
delta or c > e^eps b + delta; P and propositions are compared likewise, and the rest of a formula is three-
valued logic. No monotonicity is needed, but without it the bounds are wider than the truth.

What it is not. Bounds come from exact arithmetic, and the checker has accepted them before they are used
(`extremes`); but the answer has no certificate of its own. D on a process means something else (`processes`:
one sequence of queries for both neighbours), so the certificate of such an answer would be about another
claim. Whoever wants to derive it again writes the process to a file (``--write-process``), asks there for the
extremes of the path formula, with a certificate, and compares four numbers. That the truth is between the two
chains is for their author to prove; `bdist.chains.families` does.

P and D may not be nested in a path formula: in some chain between the two the inner formula may hold where
in another it does not. Rows with many entries that differ have many vertices, and more than MOST_FREE of them
in one row are refused; a row with two entries has two vertices, the two rows. (Decided against: greedy rows
in place of vertices, as interval Markov chains are solved. That takes any row, but there is no process then
that anybody could check.)
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats.propositions import propositions_of
from bdist.dpctl.formulas import (
    And,
    Atom,
    Formula,
    Not,
    Private,
    Probability,
    Truth,
    is_state_formula,
    operands_of,
    require_neighbours,
    require_state_formula,
    text_of,
)
from bdist.dpctl.mdp import MarkovDecisionProcess, Row, check_size
from bdist.dpctl.parser import parse_for
from bdist.dpctl.processes import Extremes, all_hold, extremes
from bdist.errors import InternalError, ModelError, UnsupportedError
from bdist.results import Answer, Statistics

MOST_FREE = 8  # entries of a row that differ: at most 280 vertices

Interval = tuple[Fraction, Fraction]

_NOT = {Answer.HOLDS: Answer.VIOLATED, Answer.VIOLATED: Answer.HOLDS, Answer.UNKNOWN: Answer.UNKNOWN}


@dataclass(frozen=True)
class EnclosureReason:
    """Why a state is not answered with HOLDS: the part of the formula, and with D the neighbour.

    The intervals are those of the path formula of that part: from the state, and from the neighbour.
    """

    part: Formula
    neighbour: str | None
    intervals: tuple[Interval, ...]


@dataclass(frozen=True)
class EnclosureChecked:
    """For every state: do all chains between the two satisfy the formula (HOLDS), or none (VIOLATED)?"""

    formula: Formula
    answers: Mapping[str, Answer]
    reasons: Mapping[str, EnclosureReason]
    process: MarkovDecisionProcess
    stats: Statistics

    def answer(self, states: Iterable[str]) -> Answer:
        """Whether all of these states satisfy the formula."""
        return all_hold([self.answers[state] for state in states])


def check_enclosure(
    lower: LabelledMarkovChain,
    upper: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Iterable[tuple[str, str]] = (),
    *,
    budget: Budget | None = None,
) -> EnclosureChecked:
    """Whether every chain between two, or none, satisfies a formula, state by state.

    Requires: of the formula, that D and P are not nested, and that `extremes` takes their path formulas.
    Ensures: HOLDS and VIOLATED are exact; the bounds they come from were checked.
    Raises: FormatError for a text that is no formula; ParameterError where it is no state formula, or a
    proposition or a state is unknown, or there is a D and no neighbours; ModelError where the two chains do
    not enclose one; UnsupportedError where the formula or a row is too much; Stopped where the budget is used
    up.
    """
    start, limits = time.monotonic(), budget or Budget()
    parsed = parse_for(lower.labels, "chain", formula)
    require_state_formula(parsed)
    neighbours = [pair for pair in pairs if pair[0] != pair[1]]
    require_neighbours(parsed, neighbours)
    process = enclosure_process(lower, upper, budget=limits)
    evaluation = _Evaluation(process, neighbours, limits)
    answers = dict(zip(process.states, evaluation.answers_of(parsed), strict=True))
    reasons = {
        state: evaluation.reason(parsed, number)
        for number, state in enumerate(process.states)
        if answers[state] is not Answer.HOLDS
    }
    stats = {
        "seconds": round(time.monotonic() - start, 6),
        "states": len(process.states),
        "actions": len(process.actions),
    }
    return EnclosureChecked(parsed, answers, reasons, process, stats)


def enclosed_extremes(
    lower: LabelledMarkovChain,
    upper: LabelledMarkovChain,
    formula: Formula | str,
    *,
    budget: Budget | None = None,
) -> tuple[Extremes, MarkovDecisionProcess]:
    """Bounds on the probability of a path formula in every chain between two, and the process they are of.

    Raises: as `check_enclosure`.
    """
    limits, parsed = budget or Budget(), parse_for(lower.labels, "chain", formula)
    _refuse_nested(parsed)
    process = enclosure_process(lower, upper, budget=limits)
    return extremes(process, parsed, budget=limits), process


def enclosure_process(
    lower: LabelledMarkovChain, upper: LabelledMarkovChain, *, budget: Budget | None = None
) -> MarkovDecisionProcess:
    """The process whose actions v0, v1, ... are the vertices of the rows between those of two chains.

    A state with fewer vertices than another repeats its last one, so that nothing is chosen there.
    Raises: ModelError, naming the state, where states, labels or supports differ; UnsupportedError where more
    than MOST_FREE entries of a row do.
    """
    _require_same(lower, upper)
    limits, every = budget or Budget(), []
    place = [upper.index(state) for state in lower.states]
    back = {number: k for k, number in enumerate(place)}
    for state, row, number in zip(lower.states, lower.rows, place, strict=True):
        limits.check()
        other = {back[target]: p for target, p in upper.rows[number]}
        if {target for target, _ in row} != other.keys():
            target = next(iter({target for target, _ in row} ^ other.keys()))
            raise ModelError(
                f"state '{state}' goes to '{lower.states[target]}' in one chain and not in the other; the "
                "two chains of an enclosure have the same transitions",
                state=state,
            )
        every.append(_vertices(state, row, other))
    most = max(map(len, every))
    check_size(len(every), most)
    return MarkovDecisionProcess(
        lower.states,
        lower.labels,
        tuple(f"v{k}" for k in range(most)),
        tuple(tuple(rows + rows[-1:] * (most - len(rows))) for rows in every),
        f"between {lower.name} and {upper.name}" if lower.name and upper.name else "",
    )


def _require_same(lower: LabelledMarkovChain, upper: LabelledMarkovChain) -> None:
    for state in sorted(set(lower.states) ^ set(upper.states)):
        what = f"state '{state}' is in one chain and not in the other"
        raise ModelError(f"{what}; the two chains of an enclosure have the same states", state=state)
    for state in lower.states:
        if lower.label(state) != upper.label(state):
            labels = f"'{lower.label(state)}' in one chain and '{upper.label(state)}' in the other"
            what = f"state '{state}' has the label {labels}"
            raise ModelError(f"{what}; the two chains of an enclosure have the same labels", state=state)


def _vertices(state: str, row: Row, other: Mapping[int, Fraction]) -> list[Row]:
    """The vertices of the rows between two: all entries but one are at an end of their interval."""
    targets = [target for target, _ in row]
    ends = [(min(p, other[target]), max(p, other[target])) for target, p in row]
    free = [k for k, (low, high) in enumerate(ends) if low < high]
    if len(free) > MOST_FREE:
        what = f"the rows of state '{state}' differ in {len(free)} entries"
        raise UnsupportedError(f"{what}; at most {MOST_FREE} can be enclosed")
    if not free:
        return [row]
    found: dict[Row, None] = {}
    for slack in free:
        fixed = [pair if pair[0] < pair[1] and k != slack else pair[:1] for k, pair in enumerate(ends)]
        for chosen in product(*fixed):
            values = list(chosen)
            values[slack] += 1 - sum(values)
            if ends[slack][0] <= values[slack] <= ends[slack][1]:
                found[tuple(zip(targets, values, strict=True))] = None
    return list(found)


class _Evaluation:
    """Three-valued answers for the parts of a formula, by the number of the state."""

    def __init__(
        self, process: MarkovDecisionProcess, pairs: Iterable[tuple[str, str]], budget: Budget
    ) -> None:
        self._process = process
        self._budget = budget
        self._propositions = [frozenset(propositions_of(label)) for label in process.labels]
        self._neighbours: list[list[int]] = [[] for _ in process.states]
        for s, t in pairs:
            i, j = process.index(s), process.index(t)
            if i != j:
                self._neighbours[i].append(j)
                self._neighbours[j].append(i)
        self._intervals: dict[Formula, list[Interval]] = {}
        self._answers: dict[Formula, list[Answer]] = {}

    def answers_of(self, formula: Formula) -> list[Answer]:
        """The answers for a state formula."""
        if formula not in self._answers:
            self._answers[formula] = self._evaluated(formula)
        return self._answers[formula]

    def reason(self, formula: Formula, state: int) -> EnclosureReason:
        """The part because of which a state is not answered with HOLDS."""
        answer = self.answers_of(formula)[state]
        if isinstance(formula, And):
            is_left = self.answers_of(formula.left)[state] is answer
            return self.reason(formula.left if is_left else formula.right, state)
        if isinstance(formula, Not) and isinstance(formula.inner, Not):
            return self.reason(formula.inner.inner, state)
        inner = formula.inner if isinstance(formula, Not) else formula
        if isinstance(inner, Probability):
            return EnclosureReason(formula, None, (self._bounds(inner.inner)[state],))
        if isinstance(formula, Private):
            bounds = self._bounds(formula.inner)
            for other in self._neighbours[state]:
                if _compared(formula, bounds[state], bounds[other]) is answer:
                    name = self._process.states[other]
                    return EnclosureReason(formula, name, (bounds[state], bounds[other]))
        return EnclosureReason(formula, None, ())

    def _evaluated(self, formula: Formula) -> list[Answer]:
        everywhere = range(len(self._process.states))
        if isinstance(formula, Truth):
            return [Answer.HOLDS for _ in everywhere]
        if isinstance(formula, Atom):
            return [_answer(formula.name in names) for names in self._propositions]
        if isinstance(formula, Not):
            return [_NOT[answer] for answer in self.answers_of(formula.inner)]
        if isinstance(formula, And):
            both = zip(self.answers_of(formula.left), self.answers_of(formula.right), strict=True)
            return [all_hold(pair) for pair in both]
        if isinstance(formula, Probability):
            return [_within(formula, bounds) for bounds in self._bounds(formula.inner)]
        if isinstance(formula, Private):
            bounds = self._bounds(formula.inner)
            return [
                all_hold([_compared(formula, bounds[s], bounds[t]) for t in self._neighbours[s]])
                for s in everywhere
            ]
        raise InternalError(f"{type(formula).__name__} is no state formula")

    def _bounds(self, path: Formula) -> list[Interval]:
        """Bounds on the probability of a path formula, from every state."""
        if path not in self._intervals:
            _refuse_nested(path)
            if is_state_formula(path):  # of propositions, about the first state of a run
                ends = {Answer.HOLDS: Fraction(1), Answer.VIOLATED: Fraction(0)}
                self._intervals[path] = [(ends[answer],) * 2 for answer in self.answers_of(path)]
                return self._intervals[path]
            found = extremes(self._process, path, budget=self._budget)
            self._intervals[path] = [(found.low[s], found.high[s]) for s in self._process.states]
        return self._intervals[path]


def _within(formula: Probability, bounds: Interval) -> Answer:
    """P holds of all numbers between two if of both ends, and of none if of neither: it is a half-line."""
    answers = {formula.accepts(end) for end in bounds}
    return _answer(answers.pop()) if len(answers) == 1 else Answer.UNKNOWN


def _compared(formula: Private, here: Interval, there: Interval) -> Answer:
    """D between a state and a neighbour, in both directions, for all numbers in two intervals."""
    if formula.bounds(here[1], there[0]) and formula.bounds(there[1], here[0]):
        return Answer.HOLDS
    if not formula.bounds(here[0], there[1]) or not formula.bounds(there[0], here[1]):
        return Answer.VIOLATED
    return Answer.UNKNOWN


def _answer(holds: bool) -> Answer:
    return Answer.HOLDS if holds else Answer.VIOLATED


def _refuse_nested(path: Formula) -> None:
    """Raises: UnsupportedError where P or D stands inside a path formula."""
    waiting = [path]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Probability | Private):
            raise UnsupportedError(f"'{text_of(part)}': on an enclosure P and D stand outside only")
        waiting += operands_of(part)
