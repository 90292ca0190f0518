"""Formulas on all chains between two: verdicts on a mechanism whose probabilities are irrational.

A probability such as P(Lap(1) > 2) has no exact place in a chain of rationals; a number below it and one
above it have. So a mechanism becomes two chains, with the same states, labels and supports, and the true row
of a state lies, entry by entry, between the two rows. It is not enough that a formula holds in both chains:
D compares two probabilities, and its worst case may take one from each. What is answered here is about
*every* chain whose rows r satisfy

    min(l, u) <= r <= max(l, u)  entry by entry, and sum to 1,

each state by itself, where l and u are the two rows: HOLDS if all of them satisfy the formula, VIOLATED if
none does, UNKNOWN if the bounds do not decide it.

**Bounds.** The probability of a path formula is that of reaching the winning nodes (`paths.nodes_of`), which
depend on supports only and are the same in all chains between the two. The most and the least over all rows
between, chosen at every visit afresh, bound it. The largest mean of some values over the rows between is
found by filling: all entries begin at their least, and what is missing goes to the targets with the largest
values. Policy iteration begins with one of the two chains and changes a row where another is strictly better;
each round is one sparse system. With p in [a, b] from a state and q in [c, d] from a neighbour, D[eps, delta]
holds if b <= e^eps c + delta and d <= e^eps a + delta, and fails if a > e^eps d + delta or c > e^eps b +
delta; P and propositions are compared likewise, and the rest of a formula is three-valued logic. No
monotonicity is needed, but without it the bounds are wider than the truth.

**The certificate** (SPEC.md, part III) has the bounds of all nodes; the checker fills rows itself, compares,
and decides the formula. It contains the second chain, so it is checked with the file of the first one as any
other. That the truth is between the two chains is for their author to prove; `bdist.chains.families` does.

P and D may not be nested in a path formula: in some chain between the two the inner formula may hold where
in another it does not. (Decided against: the vertices of all rows between as actions of a decision process.
There are too many of them, 10^5 in a row of twenty entries.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.formats import lmc
from bdist.dpctl.answers import (
    Checked,
    EnclosureCertificate,
    Failure,
    Interval,
    Pairs,
    formula_text,
    parts_of,
    path_of,
)
from bdist.dpctl.chains import BoundsEvaluator
from bdist.dpctl.elimination import until_values
from bdist.dpctl.formulas import (
    Formula,
    Not,
    Private,
    Probability,
    is_state_formula,
    require_state_formula,
    subformulas,
    text_of,
)
from bdist.dpctl.parser import parse_for
from bdist.dpctl.paths import Moves, nodes_of
from bdist.errors import ModelError, UnsupportedError
from bdist.exact.rationals import ONE, ZERO, counted, to_fmpq, to_fraction
from bdist.report import OneLine
from bdist.results import Statistics

_TOO_FAR = "the two chains are too far apart: the bounds do not decide it"

Ends = dict[int, tuple[fmpq, fmpq]]  # of the entries of a row, by targets


@dataclass(frozen=True, repr=False)
class EnclosedProbabilities(OneLine):
    """Bounds on the probability of a path formula from every state, in every chain between two; certified."""

    formula: Formula
    low: Mapping[str, Fraction]
    high: Mapping[str, Fraction]
    certificate: EnclosureCertificate
    stats: Statistics

    def _essence(self) -> str:
        return f"{formula_text(self.formula)} from {counted(len(self.low), 'state')}, certified"


def check_enclosure(
    lower: LabelledMarkovChain,
    upper: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Pairs = (),
    *,
    budget: Budget | None = None,
) -> Checked[EnclosureCertificate]:
    """Whether every chain between two, or none, satisfies a formula, state by state.

    Requires: of the formula, that D and P are not nested.
    Ensures: HOLDS and VIOLATED are certified; UNKNOWN says so.
    Raises: FormatError for a text that is no formula; ParameterError where it is no state formula, or a
    proposition or a state is unknown, or there is a D and no neighbours; ModelError where the two chains do
    not enclose one; UnsupportedError where the formula is too much; Stopped where the budget is used up.
    """
    parsed = require_state_formula(parse_for(lower.labels, "chain", formula))
    evaluator = _EnclosureEvaluator(lower, upper, parsed, pairs, budget)
    certificate = evaluator.certificate()
    return evaluator.checked(evaluator.statistics(certificate), certificate)


def enclosed_probabilities(
    lower: LabelledMarkovChain,
    upper: LabelledMarkovChain,
    formula: Formula | str,
    *,
    budget: Budget | None = None,
) -> EnclosedProbabilities:
    """Bounds on the probability of a path formula in every chain between two.

    Raises: as `check_enclosure`.
    """
    parsed = parse_for(lower.labels, "chain", formula)
    evaluator = _EnclosureEvaluator(lower, upper, parsed, (), budget)
    found = dict(zip(evaluator.names, evaluator.bounds(parsed), strict=True))
    certificate = evaluator.certificate()
    return EnclosedProbabilities(
        parsed,
        {state: low for state, (low, _) in found.items()},
        {state: high for state, (_, high) in found.items()},
        certificate,
        evaluator.statistics(certificate),
    )


class _EnclosureEvaluator(BoundsEvaluator[LabelledMarkovChain]):
    """A formula on all chains between two."""

    def __init__(
        self,
        lower: LabelledMarkovChain,
        upper: LabelledMarkovChain,
        formula: Formula,
        pairs: Pairs,
        budget: Budget | None,
    ) -> None:
        super().__init__(lower, formula, pairs, budget)
        self._upper = upper
        self._ends = _ends_between(lower, upper, self.names)
        rows = [[[(t, low) for t, (low, _) in row.items()]] for row in self._ends]
        self._moves = Moves(rows, self.names, ("",))
        self._values: dict[Formula, tuple[tuple[Fraction, ...], tuple[Fraction, ...]]] = {}

    def bounds(self, path: Formula) -> list[Interval]:
        """Bounds on the probability of a formula. Raises: UnsupportedError where P or D stands inside."""
        for part in reversed(list(subformulas(path))):
            if isinstance(part, Probability | Private):
                raise UnsupportedError(f"'{text_of(part)}': on an enclosure P and D stand outside only")
        return super().bounds(path)

    def path_bounds(self, path: Formula) -> list[Interval]:
        """The least and the most from each state; those of all nodes are noted."""
        nodes = nodes_of(self._moves, path, self.known, self.budget)
        ends: list[Ends] = []
        for number, (state, ((row,),)) in enumerate(zip(nodes.states, zip(nodes.moves.rows), strict=True)):
            of_state = self._ends[state]
            is_decided = [target for target, _ in row] == [number]
            ends.append(
                {number: (ONE, ONE)}
                if is_decided
                else {target: of_state[nodes.states[target]] for target, _ in row}
            )
        most = _largest(ends, nodes.won, self.budget)
        least = [ONE - value for value in _largest(ends, nodes.lost, self.budget)]
        self._values[path] = tuple(map(to_fraction, most)), tuple(map(to_fraction, least))
        upper, lower = self._values[path]
        return list(zip(lower, upper, strict=True))[: len(self.names)]

    def certificate(self) -> EnclosureCertificate:
        """All that is known of the formula, as a document."""
        known = self.known(self.formula) if is_state_formula(self.formula) else []
        holds, violated = (
            tuple(name for name, true in zip(self.names, known, strict=False) if true is wanted)
            for wanted in (True, False)
        )
        found = None
        if not is_state_formula(self.formula):
            values = zip(self.names, self.bounds(self.formula), strict=True)
            found = tuple((name, low, high) for name, (low, high) in values)
        parts = tuple(self._values.get(path_of(part), (None, None)) for part in parts_of(self.formula))
        return EnclosureCertificate(
            fingerprint(self.model),
            self.pairs,
            self.formula,
            lmc.write(self._upper),
            parts,
            holds,
            violated,
            found,
        )

    def statistics(self, certificate: EnclosureCertificate) -> Statistics:
        """How long the search and the check of the certificate took, and how large it is."""
        nodes = sum(len(upper) for upper, _ in certificate.parts if upper is not None)
        return {**self.vouched(certificate), "states": len(self.names), "nodes": nodes}

    def failure(self, formula: Formula, state: int) -> Failure:
        """Why a formula is not known to hold in a state; of not P the bounds are of interest, too."""
        found = super().failure(formula, state)
        if self.known(formula)[state] is None:
            found = replace(found, reason=_TOO_FAR)
        if isinstance(found.part, Not) and isinstance(found.part.inner, Probability):
            return replace(found, intervals=(self.bounds(found.part.inner.inner)[state],))
        return found


def _largest(ends: Sequence[Ends], goal: list[bool], budget: Budget) -> list[fmpq]:
    """The most probability of reaching a goal, over all rows between ends that are chosen at every visit."""
    everywhere = [True] * len(goal)
    rows = [_filled(row, [ZERO] * len(goal)) for row in ends]
    while True:
        values, changed = until_values(rows, everywhere, goal, budget), False
        for number, row in enumerate(ends):
            if goal[number] or len(row) == 1:
                continue
            better = _filled(row, values)
            if sum((p * values[t] for t, p in better.items()), ZERO) > values[number]:
                rows[number], changed = better, True
        if not changed:
            return values


def _filled(ends: Ends, values: Sequence[fmpq]) -> dict[int, fmpq]:
    """The row between the ends with the largest mean of the values."""
    row = {target: low for target, (low, _) in ends.items()}
    missing = ONE - sum(row.values(), ZERO)
    for target in sorted(ends, key=values.__getitem__, reverse=True):
        low, high = ends[target]
        more = min(high - low, missing)
        row[target] += more
        missing -= more
    return row


def _ends_between(lower: LabelledMarkovChain, upper: LabelledMarkovChain, names: Sequence[str]) -> list[Ends]:
    """The least and the largest entries of the row of each state.

    Raises: ModelError, naming the state, where states, labels or supports differ.
    """
    for state in sorted(set(lower.states) ^ set(upper.states)):
        what = f"state '{state}' is in one chain and not in the other"
        raise ModelError(f"{what}; the two chains of an enclosure have the same states", state=state)
    number = {name: k for k, name in enumerate(names)}
    found: list[Ends] = []
    for state in names:
        one, other = lower.label(state), upper.label(state)
        if one != other:
            what = f"state '{state}' has the label '{one}' in one chain and '{other}' in the other"
            raise ModelError(f"{what}; the two chains of an enclosure have the same labels", state=state)
        first, second = (
            {chain.states[t]: to_fmpq(p) for t, p in chain.rows[chain.index(state)]}
            for chain in (lower, upper)
        )
        for target in first.keys() ^ second.keys():
            raise ModelError(
                f"state '{state}' goes to '{target}' in one chain and not in the other; the two chains of an "
                "enclosure have the same transitions",
                state=state,
            )
        found.append({number[t]: (min(p, second[t]), max(p, second[t])) for t, p in sorted(first.items())})
    return found
