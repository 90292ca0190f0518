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

What it is not. Bounds come from exact arithmetic, and the checker has accepted them before they are used; but
the answer has no certificate of its own, as D on a process means something else (`processes`: one sequence of
queries for both neighbours). Whoever wants to derive it again writes the process to a file
(``--write-process``), asks there for the extremes of the path formula, with a certificate, and compares four
numbers. That the truth is between the two chains is for their author to prove; `bdist.chains.families` does.

P and D may not be nested in a path formula: in some chain between the two the inner formula may hold where
in another it does not. More than MOST_FREE entries of a row that differ are refused. (Decided against: greedy
rows in place of vertices, as interval Markov chains are solved. That takes any row, but there is no process
then that anybody could check.)
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.dpctl.answers import Checked, Failure, Interval, Pairs
from bdist.dpctl.chains import BoundsEvaluator
from bdist.dpctl.formulas import (
    Formula,
    Not,
    Private,
    Probability,
    require_state_formula,
    subformulas,
    text_of,
)
from bdist.dpctl.mdp import MarkovDecisionProcess, Row, check_size
from bdist.dpctl.parser import parse_for
from bdist.dpctl.processes import Extremes, extremes
from bdist.errors import ModelError, UnsupportedError

MOST_FREE = 8  # entries of a row that differ: at most 280 vertices
_TOO_FAR = "the two chains are too far apart: the bounds do not decide it"


@dataclass(frozen=True, repr=False)
class EnclosureChecked(Checked[None]):
    """For every state: do all chains between the two satisfy the formula (HOLDS), or none (VIOLATED)?"""

    process: MarkovDecisionProcess


def check_enclosure(
    lower: LabelledMarkovChain,
    upper: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Pairs = (),
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
    start = time.monotonic()
    parsed = require_state_formula(parse_for(lower.labels, "chain", formula))
    process = enclosure_process(lower, upper, budget=budget)
    evaluator = _EnclosureEvaluator(process, parsed, pairs, budget)
    evaluator.known(parsed)
    sizes = {"states": len(process.states), "actions": len(process.actions)}
    stats = {"seconds": round(time.monotonic() - start, 6), **sizes}
    found = evaluator.checked(stats, None)
    return EnclosureChecked(found.formula, found.answers, found.failures, stats, None, process)


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
        one, other = lower.label(state), upper.label(state)
        if one != other:
            what = f"state '{state}' has the label '{one}' in one chain and '{other}' in the other"
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


class _EnclosureEvaluator(BoundsEvaluator[MarkovDecisionProcess]):
    """A formula on all chains between two, whose process is given."""

    def bounds(self, path: Formula) -> list[Interval]:
        """Bounds on the probability of a formula. Raises: UnsupportedError where P or D stands inside."""
        _refuse_nested(path)
        return super().bounds(path)

    def path_bounds(self, path: Formula) -> list[Interval]:
        found = extremes(self.model, path, budget=self.budget)
        return [(found.low[state], found.high[state]) for state in self.names]

    def failure(self, formula: Formula, state: int) -> Failure:
        """Why a formula is not known to hold in a state; of not P the bounds are of interest, too."""
        found = super().failure(formula, state)
        if self.known(formula)[state] is None:
            found = replace(found, reason=_TOO_FAR)
        if isinstance(found.part, Not) and isinstance(found.part.inner, Probability):
            return replace(found, intervals=(self.bounds(found.part.inner.inner)[state],))
        return found


def _refuse_nested(path: Formula) -> None:
    """Raises: UnsupportedError where P or D stands inside a path formula."""
    for part in reversed(list(subformulas(path))):
        if isinstance(part, Probability | Private):
            raise UnsupportedError(f"'{text_of(part)}': on an enclosure P and D stand outside only")
