"""dpCTL* on Markov decision processes: what no sequence of queries can tell, and what one can.

`check_process` answers for every state with one of three values, and for each state that does not satisfy the
formula it says which part fails, and by which queries. `extremes` are the least and the most probability of a
path formula over all schedulers. `tight_process` asks for the smallest parameters of a D.

**One P or D.** Model checking of D on processes is undecidable (Theorem 1 of Liu, Wang and Zhang, with a
positive cut-point). What is decided here: formulas without an unbounded until, exactly, over all sequences of
queries; all others by the sufficient condition of Proposition 2, from the most and the least probability over
all schedulers, and against it by single queries repeated for ever (`paths`). Where neither works the answer
is UNKNOWN, never *violated*. P is about all schedulers, and exact for all of LTL.

**A formula** is evaluated in three values (`answers`). Inside of a path formula there are sets of states
only, so a path formula has values where each state formula in it is decided in every state. (That could be
refined where an undecided one stands only positively; but what is not decided is so mostly because an until
is, and that is rare inside of another formula.) Equal parts are computed once.

**What is tight.** For a bounded formula both parameters are maxima over sequences and neighbours. The
smallest delta at an epsilon is the largest p - e^epsilon q, which the search finds at once. The smallest
epsilon at a delta is ln of the largest (p - delta) / q, and is found by iteration (Dinkelbach 1967): at a
factor, the sequence with the largest p - factor q is sought; if that is more than delta, its own ratio is the
next factor, until no sequence is better, which is the proof. From q = 0 and p > delta it follows that no
epsilon will do. For other formulas there is the delta of Proposition 2 alone; the smallest one over sequences
of queries cannot be computed in general. What is found is certified whole: that D holds with these
parameters, and the probabilities of the sequences that need them.

**All k at once.** D of X^k f for every k is D of f, of X f, ..., and of X^k f for every k from some K on.
These are decided by numbers that are above the most probability at K and never exceeded later, whatever is
asked (`paths.never_exceeded`), and by numbers below likewise. Where probabilities settle or fade, as those of
an answer after k questions do, some K will do, and the first instances are decided one by one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TypeVar

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.dpctl.answers import (
    Checked,
    Evaluator,
    Failure,
    Names,
    Pairs,
    PartClaims,
    ProcessCertificate,
    Ternary,
    Tree,
    formula_text,
    parts_of,
    path_of,
)
from bdist.dpctl.chains import Apart, by_values, ordered_pairs, smallest_delta, smallest_ratio
from bdist.dpctl.elimination import Marks
from bdist.dpctl.formulas import (
    MOST_CHECKED,
    AlwaysPrivate,
    And,
    Atom,
    Comparison,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Truth,
    Until,
    conjunction,
    depth_of,
    is_state_formula,
    require_privacy,
    require_state_formula,
    subformulas,
)
from bdist.dpctl.mdp import MarkovDecisionProcess, Row, fingerprint
from bdist.dpctl.parser import parse_for
from bdist.dpctl.paths import (
    Actions,
    BoundedPath,
    Moves,
    Path,
    Successors,
    brief,
    is_bounded,
    never_exceeded,
    path_on,
)
from bdist.errors import UnsupportedError
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import counted, to_fmpq, to_fraction
from bdist.report import OneLine
from bdist.results import Bracket, Statistics

_BETWEEN = "the difference is between delta and what a rational just below e^epsilon makes of it"
_DEPTH_ABOVE = 8  # of a D for all k: what stands above it, and its first instances, which are a tree
_T = TypeVar("_T")


@dataclass(frozen=True, repr=False)
class Extremes(OneLine):
    """The least and the most probability of a path formula over all schedulers, from every state; certified.

    Both are attained.
    """

    formula: Formula
    low: Mapping[str, Fraction]
    high: Mapping[str, Fraction]
    certificate: ProcessCertificate
    stats: Statistics

    def _essence(self) -> str:
        return f"{formula_text(self.formula)} from {counted(len(self.low), 'state')}, certified"


@dataclass(frozen=True, repr=False)
class ProcessTight(OneLine):
    """The smallest parameters of D, with the sequences of queries that need them.

    ``delta`` is the smallest at the epsilon of the formula, over query schedulers, and ``delta_by_extremes``
    the one of Proposition 2: brackets, whose ends agree where e^epsilon is rational. ``ratio`` is e^epsilon
    for the smallest epsilon at the delta of the formula, None where none will do. Where an until is not
    bounded there is only ``delta_by_extremes``. ``certificate`` is None where D could not be proved with
    these parameters.
    """

    formula: Private
    delta: Bracket | None
    delta_at: Apart | None
    ratio: Fraction | None
    ratio_at: Apart | None
    delta_by_extremes: Bracket
    certificate: ProcessCertificate | None
    stats: Statistics

    def _essence(self) -> str:
        delta = self.delta_by_extremes if self.delta is None else self.delta
        return f"{formula_text(self.formula)}: {delta.in_short('delta')}"


def check_process(
    process: MarkovDecisionProcess, formula: Formula | str, pairs: Pairs = (), *, budget: Budget | None = None
) -> Checked[ProcessCertificate]:
    """In which states of a process a state formula holds, with these neighbours.

    Ensures: HOLDS and VIOLATED are certified; UNKNOWN has a reason.
    Raises: FormatError for a text that is no formula; ParameterError where it is no state formula, a
    proposition or a state is unknown, or there is a D and no neighbours; UnsupportedError where it, or its
    proof, is too large.
    """
    given = require_state_formula(parse_for(process.labels, "process", formula))
    evaluator = _ProcessEvaluator(process, given, pairs, budget)
    if any(isinstance(part, AlwaysPrivate) for part in subformulas(given)):
        evaluator = _ProcessEvaluator(process, evaluator.begun(given), pairs, evaluator.budget)
    certificate = evaluator.certificate(evaluator.formula)
    found = evaluator.checked(evaluator.statistics(certificate), certificate)
    return replace(found, formula=given)  # as it was asked, without instances


def extremes(
    process: MarkovDecisionProcess, formula: Formula | str, pairs: Pairs = (), *, budget: Budget | None = None
) -> Extremes:
    """The least and the most probability of a path formula over all schedulers, exactly.

    Neighbours matter where there is a D in the formula.
    Ensures: the certificate was checked.
    Raises: UnsupportedError with the reason where the values are not to be had; as `check_process` otherwise.
    Stopped where the budget is used up.
    """
    parsed = parse_for(process.labels, "process", formula)
    evaluator = _ProcessEvaluator(process, parsed, pairs, budget)
    claims = evaluator.extremes(parsed, evaluator.names)
    # of a state formula as well, which is 0 or 1; but then only as what a P is of it is one of the parts
    claim = Probability(Comparison.AT_LEAST, Fraction(0), parsed) if is_state_formula(parsed) else parsed
    last = sum(1 for _ in parts_of(claim)) - 1
    certificate = evaluator.certificate(claim, {last: claims})
    return Extremes(
        parsed,
        {state: low for state, low, _ in claims.extremes},
        {state: high for state, _, high in claims.extremes},
        certificate,
        evaluator.statistics(certificate),
    )


def tight_process(
    process: MarkovDecisionProcess,
    formula: Formula | str,
    pairs: Pairs,
    *,
    states: Sequence[str] | None = None,
    budget: Budget | None = None,
) -> ProcessTight:
    """The smallest delta and the smallest epsilon for which a formula D holds, in these states or in all.

    Raises: ParameterError where it is not of the form D[...] (...); as `extremes` otherwise.
    """
    parsed = require_privacy(parse_for(process.labels, "process", formula))
    evaluator = _ProcessEvaluator(process, parsed, pairs, budget)
    path = evaluator.required_path(parsed.inner)
    asked = process.states if states is None else states
    pairs = ordered_pairs(evaluator.pairs, asked)
    found = evaluator.extremes(parsed.inner, list(dict.fromkeys(state for pair in pairs for state in pair)))
    low, high = {s: end for s, end, _ in found.extremes}, {s: end for s, _, end in found.extremes}
    coarse, _ = smallest_delta(pairs, parsed.epsilon, by_values(high, low))
    delta, delta_at, ratio, ratio_at = None, None, None, None
    if isinstance(path, BoundedPath):
        furthest = partial(_furthest, evaluator, path)
        delta, delta_at = smallest_delta(pairs, parsed.epsilon, furthest)
        ratio, ratio_at = smallest_ratio(pairs, parsed.delta, furthest)
    claim: Formula = replace(parsed, delta=(coarse if delta is None else delta).upper.value)
    last = sum(1 for _ in parts_of(claim)) - 1  # the number of that D among its parts
    values = {last: replace(found, queries=_queries(delta_at))}
    if ratio is not None:
        claim = And(claim, replace(parsed, epsilon=Epsilon(None, ratio)))
        values[2 * last + 1] = PartClaims(queries=_queries(ratio_at))
    else:
        values[last] = replace(found, queries=_queries(delta_at) + _queries(ratio_at))
    known = dict(zip(evaluator.names, evaluator.known(claim), strict=True))
    certificate = None
    stats: Statistics = {"seconds": round(time.monotonic() - evaluator.start, 6)}
    if all(known[state] for state in asked):
        certificate = evaluator.certificate(claim, values)
        stats = evaluator.statistics(certificate)
    return ProcessTight(parsed, delta, delta_at, ratio, ratio_at, coarse, certificate, stats)


# --- a formula, from the inside out ----------------------------------------------------------------------


@dataclass(frozen=True)
class _PartAnswer:
    """What is known of a P or D, why it is not true where it is not known to be, and what is claimed."""

    known: Ternary
    failures: Mapping[int, Failure]
    claims: PartClaims


class _ProcessEvaluator(Evaluator[MarkovDecisionProcess]):
    """A formula on one process."""

    def __init__(
        self, process: MarkovDecisionProcess, formula: Formula, pairs: Pairs, budget: Budget | None
    ) -> None:
        super().__init__(process, formula, pairs, budget)
        actions = sorted(process.actions)
        order = [process.actions.index(action) for action in actions]
        rows: list[list[Successors]] = []
        for name in self.names:
            here = process.rows[process.index(name)]
            made: dict[Row, Successors] = {}  # actions that do the same have one row, not two that are equal
            for row in here:
                if row not in made:
                    made[row] = [(self.number[process.states[t]], to_fmpq(p)) for t, p in row]
            rows.append([made[here[action]] for action in order])
        self.moves = Moves(rows, self.names, actions)
        self._parts: dict[Formula, _PartAnswer] = {}
        self._paths: dict[Formula, Path | str] = {}

    def decide(self, formula: Private | Probability) -> Ternary:
        return self.part(formula).known

    def begun(self, formula: Formula) -> Formula:
        """The same formula, in which every D for all k stands as some first instances, and one for the rest.

        The rest is proved where it can be, which is easier the later it begins.
        """
        if isinstance(formula, AlwaysPrivate):
            rest, first = replace(formula, inner=self.begun(formula.inner)), list[Formula]()
            open_at = [state for state, near in enumerate(self.neighbours) if near]
            while depth_of(rest) + _DEPTH_ABOVE < MOST_CHECKED:
                closed = self.part(rest).known
                if all(closed[state] for state in open_at):
                    break
                first.append(Private(rest.epsilon, rest.delta, rest.inner))
                open_at = [state for state in open_at if self.known(first[-1])[state] is not False]
                if not is_bounded(rest.inner):
                    break  # nothing is proved of the rest however late it begins
                rest = replace(rest, inner=Next(rest.inner))
            return conjunction([*first, rest])
        if isinstance(formula, And | Until):
            return replace(formula, left=self.begun(formula.left), right=self.begun(formula.right))
        if isinstance(formula, Truth | Atom):
            return formula
        return replace(formula, inner=self.begun(formula.inner))

    def part(self, formula: Private | Probability) -> _PartAnswer:
        if formula not in self._parts:
            found = self.attempt(lambda: self._new_part(formula))
            if isinstance(found, str):
                failures = dict.fromkeys(range(len(self.names)), Failure(formula, reason=found))
                found = _PartAnswer([None] * len(self.names), failures, PartClaims())
            self._parts[formula] = found
        return self._parts[formula]

    def failure(self, formula: Formula, state: int) -> Failure:
        part = self.failing_part(formula, state)
        if isinstance(part, Private | Probability):
            return self.part(part).failures[state]
        if isinstance(part, Not) and self.known(part)[state] is None:
            return self.failure(part.inner, state)
        return Failure(part)

    def path(self, formula: Formula) -> Path:
        """The values of a path formula. Raises: UnsupportedError where it has none, with the reason."""
        if formula not in self._paths:
            self._paths[formula] = self.attempt(
                lambda: path_on(self.moves, formula, self._marks, self.budget)
            )
        found = self._paths[formula]
        if isinstance(found, str):
            raise UnsupportedError(found)
        return found

    def required_path(self, formula: Formula) -> Path:
        """The same. Raises: Stopped where there was no time."""
        try:
            return self.path(formula)
        except UnsupportedError:
            self.budget.check()
            raise

    def attempt(self, compute: Callable[[], _T]) -> _T | str:
        """What is computed, or why it is not."""
        try:
            return compute()
        except UnsupportedError as error:
            return str(error)
        except Stopped:
            return self.budget.exhausted() or "stopped"

    def certificate(
        self, formula: Formula, values: Mapping[int, PartClaims] | None = None
    ) -> ProcessCertificate:
        """All that is known of a formula, as a document.

        ``values`` has, for some parts by their numbers, queries and extremes that are to be claimed as well.
        """
        known = self.known(formula) if is_state_formula(formula) else []
        parts: list[PartClaims] = []
        for part in parts_of(formula):
            claims = self.part(part).claims if isinstance(part, Private | Probability) else PartClaims()
            more = (values or {}).get(len(parts))
            if more is not None:
                if more.extremes:
                    both = self.path(path_of(part)).proof()
                    claims = replace(
                        claims, upper=both.upper, lower=both.lower, most=both.most, least=both.least
                    )
                claims = replace(claims, queries=more.queries, extremes=more.extremes)
            parts.append(claims)
        holds, violated = (
            tuple(name for name, true in zip(self.names, known, strict=False) if true is wanted)
            for wanted in (True, False)
        )
        return ProcessCertificate(fingerprint(self.model), self.pairs, formula, tuple(parts), holds, violated)

    def statistics(self, certificate: ProcessCertificate) -> Statistics:
        """How long the search and the check of the certificate took, and how large it all is."""
        sizes = {"states": len(self.names), "actions": len(self.moves.actions)}
        return {**self.vouched(certificate), "parts": len(certificate.parts), **sizes}

    def extremes(self, formula: Formula, states: list[str]) -> PartClaims:
        """The least and the most probability of a path formula from these states, to be claimed."""
        path = self.required_path(formula)
        numbered = [(state, self.number[state]) for state in states]
        ends = ((state, to_fraction(path.low[s]), to_fraction(path.high[s])) for state, s in numbered)
        return PartClaims(extremes=tuple(ends))

    def _new_part(self, formula: Private | Probability) -> _PartAnswer:
        path = self.path(formula.inner)
        if isinstance(formula, AlwaysPrivate):
            return self._always(formula, path)
        if isinstance(formula, Private):
            return _PrivateSearch(self, formula, path).answer()
        rising = formula.comparison in (Comparison.LESS, Comparison.AT_MOST)
        values = [to_fraction(value) for value in (path.high if rising else path.low)]
        known: Ternary = [formula.accepts(value) for value in values]
        proof = path.proof(high=rising, low=not rising)
        failing = (state for state, true in enumerate(known) if not true)
        failures = {state: Failure(formula, None, ((values[state],) * 2,)) for state in failing}
        return _PartAnswer(known, failures, self.claimed(proof, known, dict.fromkeys(failures)))

    def _always(self, formula: AlwaysPrivate, path: Path) -> _PartAnswer:
        """D for all k: with numbers that are above (and others below) what the extremes are at any later k.

        Raises: UnsupportedError where the formula is not bounded; Stopped.
        """
        if not isinstance(path, BoundedPath):
            raise UnsupportedError(f"'{brief(formula.inner)}', at every k, has an until that is not bounded")
        proof = PartClaims()
        known = self._close(formula, path.high, path.low)
        if any(true for true, near in zip(known, self.neighbours, strict=True) if near):  # at this k already
            upper = never_exceeded(self.moves, path.high, self.budget)
            below = never_exceeded(self.moves, [-value for value in path.low], self.budget)
            lower = [-value for value in below]
            known = self._close(formula, upper, lower)
            proof = PartClaims(upper=tuple(map(to_fraction, upper)), lower=tuple(map(to_fraction, lower)))
        why = "the least and the most probability at all later k do not show it"
        failures = {s: Failure(formula, reason=why) for s, true in enumerate(known) if true is None}
        return _PartAnswer(known, failures, self.claimed(proof, known, {}))

    def _close(self, formula: Private, upper: Sequence[fmpq], lower: Sequence[fmpq]) -> Ternary:
        """Where D follows from such bounds of the probabilities (Proposition 2)."""
        high, low = ([to_fraction(value) for value in values] for values in (upper, lower))
        return [
            all(
                formula.bounds(high[state], low[other]) and formula.bounds(high[other], low[state])
                for other in others
            )
            or None
            for state, others in enumerate(self.neighbours)
        ]

    def claimed(
        self, proof: PartClaims, known: Ternary, witnesses: Mapping[int, Mapping[str, object] | None]
    ) -> PartClaims:
        """What is known of a P or D with its proof, and with what shows that it is violated."""
        return replace(
            proof,
            holds=tuple(name for name, true in zip(self.names, known, strict=True) if true),
            violated=tuple((self.names[state], witness) for state, witness in witnesses.items()),
        )

    def _marks(self, formula: Formula) -> Marks:
        """The states that satisfy a formula. Raises: UnsupportedError where it is not decided in one."""
        known = self.known(formula)
        if None in known:
            state = known.index(None)
            where = f"'{brief(formula)}', inside of another formula, is not decided in {self.names[state]}"
            raise UnsupportedError(f"{where}: {self.failure(formula, state).reason}")
        return known


# --- one P or D -----------------------------------------------------------------------------------------


class _PrivateSearch:
    """D, over all query schedulers: the answers, as they are found."""

    def __init__(self, evaluator: _ProcessEvaluator, formula: Private, path: Path) -> None:
        self._evaluator = evaluator
        self._formula = formula
        self._path = path
        self._failures: dict[int, Failure] = {}
        self._trees: dict[tuple[int, int], Tree] = {}
        self._repeated: set[int] = set()  # actions whose solutions witnesses need
        # what comparing two states has found: a tree, a sequence of queries, or why there is neither
        self._compared: dict[tuple[int, int], tuple[Tree | None, Actions] | str] = {}

    def answer(self) -> _PartAnswer:
        """The answers in all states. Raises: UnsupportedError, Stopped where not even values are found."""
        names, failures = self._evaluator.names, self._failures
        known = [self._decide(state) for state in range(len(names))]
        proof = replace(
            self._path.proof(attained=False, repeated=self._repeated),
            trees=tuple((names[s], names[t], tree) for (s, t), tree in self._trees.items()),
        )
        violated = (state for state, true in enumerate(known) if true is False)
        found = {s: {"neighbour": failures[s].neighbour, "actions": failures[s].actions} for s in violated}
        return _PartAnswer(known, failures, self._evaluator.claimed(proof, known, found))

    def _decide(self, state: int) -> bool | None:
        """Whether D holds in a state."""
        trees: dict[tuple[int, int], Tree] = {}
        formula, path, compared = self._formula, self._path, self._compared
        for other in self._evaluator.neighbours[state]:
            for first, second in ((state, other), (other, state)):
                low = formula.epsilon.alpha_down() * to_fraction(path.low[second])
                if to_fraction(path.high[first]) - low <= formula.delta:  # Proposition 2
                    continue
                pair = (first, second)
                if pair not in compared:
                    compared[pair] = self._evaluator.attempt(partial(path.compare, formula, *pair))
                found = compared[pair]
                if isinstance(found, str):
                    self._failures[state] = Failure(formula, reason=found)
                    continue
                tree, actions = found
                if tree is not None:
                    trees[pair] = tree
                elif self._tells(state, other, actions):
                    return False
                else:
                    self._failures[state] = Failure(formula, reason=_BETWEEN)
        if state in self._failures:
            return None
        self._trees |= trees
        return True

    def _tells(self, state: int, other: int, actions: Actions) -> bool:
        """Note a sequence that tells a state from a neighbour, if it does."""
        actions = self._path.completed((state, other), actions)
        here, there = (self._path.value(s, actions) for s in (state, other))
        if self._formula.accepts(here, there):
            return False
        self._repeated.update(actions[:1])
        names = tuple(self._evaluator.moves.actions[a] for a in actions)
        neighbour = self._evaluator.names[other]
        values = (here, here), (there, there)
        self._failures[state] = Failure(self._formula, neighbour, values, names)
        return True


# --- what is tight --------------------------------------------------------------------------------------


def _queries(apart: Apart | None) -> tuple[tuple[str, Names, Fraction], ...]:
    """What the certificate says of a sequence of queries."""
    if apart is None:
        return ()
    return tuple((s, apart.actions, p) for s, p in zip(apart.pair, apart.probabilities, strict=True))


def _furthest(
    evaluator: _ProcessEvaluator, path: BoundedPath, pair: tuple[str, str], factor: Fraction, least: Fraction
) -> Apart | None:
    """The sequence with the largest difference at a factor, if that is above some number."""
    s, t = (evaluator.number[state] for state in pair)
    actions = path.largest(s, t, to_fmpq(factor), to_fmpq(least))
    if actions is None:
        return None
    names = tuple(evaluator.moves.actions[a] for a in actions)
    return Apart(pair, names, (path.value(s, actions), path.value(t, actions)))
