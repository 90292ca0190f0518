"""dpCTL* on Markov decision processes: what no sequence of queries can tell, and what one can.

`check_process` answers for every state with one of three values, and for each state that does not satisfy the
formula it says which part fails, and by which queries. `extremes` are the least and the most probability of a
path formula over all schedulers. `tight_process` asks for the smallest parameters of a D.

**One P or D.** Model checking of D on processes is undecidable (Theorem 1 of Liu, Wang and Zhang, with a
positive cut-point). What is decided here: formulas without an unbounded until, exactly, over all sequences of
queries (`queries`); an until by the sufficient condition of Proposition 2, from the most and the least
probability over all schedulers (`path_values`), and against it by single queries repeated for ever. Where
neither works the answer is UNKNOWN, never *violated*. P is about all schedulers, and exact.

**A formula** is evaluated from the inside out. Each P and D is decided in some states and perhaps not in
others; of a formula that consists of them as much is known as Kleene's tables give. Inside of a path formula
there are sets of states only, so a path formula has values where each state formula in it is decided in every
state. That could be refined: a formula in which an undecided one stands only positively has a least and a
largest set to be computed with. But what is not decided is so mostly because an until is, and that is rare
inside of another formula. Equal parts are computed once, and listed as often as they occur.

**What is tight.** For a bounded formula both parameters are maxima over sequences and neighbours. The
smallest delta at an epsilon is the largest p - e^epsilon q, which the search finds at once. The smallest
epsilon at a delta is ln of the largest (p - delta) / q, and is found by iteration (Dinkelbach 1967): at a
factor, the sequence with the largest p - factor q is sought; if that is more than delta, its own ratio is the
next factor. The factor grows, and each is the ratio of one of finitely many sequences, so in the end no
sequence is better, which is the proof. From q = 0 and p > delta it follows that no epsilon will do. For an
until there is the delta of Proposition 2 alone, from the most and the least over all schedulers; the smallest
one over sequences of queries cannot be computed in general. What is found is certified whole: that D holds
with these parameters, and the probabilities of the sequences that need them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.dpctl.certificate import PartClaims, ProcessCertificate, vouch
from bdist.dpctl.elimination import Marks
from bdist.dpctl.formulas import (
    And,
    Atom,
    Comparison,
    Formula,
    Not,
    Private,
    Probability,
    Truth,
    is_state_formula,
    operands_of,
    require_neighbours,
    require_privacy,
    require_state_formula,
    text_of,
)
from bdist.dpctl.mdp import MarkovDecisionProcess, fingerprint
from bdist.dpctl.parser import parse_for
from bdist.dpctl.path_values import NumberedProcess, Pairs, PathValues, has_values
from bdist.dpctl.queries import Distinguisher, QuerySearch, Tree
from bdist.errors import InternalError, UnsupportedError
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import ONE, ZERO, to_fmpq, to_fraction
from bdist.printing import beginning
from bdist.results import Answer, Statistics

Bracket = tuple[Fraction, Fraction]
Ternary = list[bool | None]  # for each state: true, false, or not decided

_ANSWERS = {True: Answer.HOLDS, False: Answer.VIOLATED, None: Answer.UNKNOWN}
_BETWEEN = "the difference is between delta and what a rational just below e^epsilon makes of it"
_LONGEST_SHOWN = 80


@dataclass(frozen=True)
class ProcessWitness:
    """Why a state does not satisfy a formula: the part that fails, and what shows it.

    With D it is a sequence of queries that tells the state from a neighbour, with the two probabilities; for
    an until the one action is repeated for ever. With P there is no neighbour, and the probability is the one
    that some scheduler attains.
    """

    part: Formula
    neighbour: str | None = None
    actions: tuple[str, ...] = ()
    probabilities: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class ProcessChecked:
    """For every state whether it satisfies a formula; what is answered is certified.

    There is a witness for each state where the formula is violated, and a reason for each where it is
    unknown.
    """

    formula: Formula
    answers: Mapping[str, Answer]
    witnesses: Mapping[str, ProcessWitness]
    reasons: Mapping[str, str]
    certificate: ProcessCertificate
    stats: Statistics

    @property
    def reason(self) -> str | None:
        """Why something is unknown, if it is."""
        return next(iter(self.reasons.values()), None)

    def answer(self, states: Iterable[str]) -> Answer:
        """Whether all of these states satisfy the formula."""
        return all_hold(self.answers[state] for state in states)


@dataclass(frozen=True)
class Extremes:
    """The least and the most probability of a path formula over all schedulers, from every state; certified.

    Both are attained.
    """

    formula: Formula
    low: Mapping[str, Fraction]
    high: Mapping[str, Fraction]
    certificate: ProcessCertificate
    stats: Statistics


@dataclass(frozen=True)
class Apart:
    """Two neighbours, a sequence of queries, and the probabilities with it."""

    pair: tuple[str, str]
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class ProcessTight:
    """The smallest parameters of D, with the sequences of queries that need them.

    ``delta`` is the smallest at the epsilon of the formula, over query schedulers, and ``delta_by_extremes``
    the one of Proposition 2: brackets, whose ends agree where e^epsilon is rational. ``ratio`` is e^epsilon
    for the smallest epsilon at the delta of the formula, None where none will do. For an until there is only
    ``delta_by_extremes``. ``certificate`` is None where D could not be proved with these parameters.
    """

    formula: Private
    delta: Bracket | None
    delta_at: Apart | None
    ratio: Fraction | None
    ratio_at: Apart | None
    delta_by_extremes: Bracket
    certificate: ProcessCertificate | None
    stats: Statistics


def all_hold(answers: Iterable[Answer]) -> Answer:
    """The conjunction of answers (Kleene)."""
    found = set(answers)
    if Answer.VIOLATED in found:
        return Answer.VIOLATED
    return Answer.UNKNOWN if Answer.UNKNOWN in found else Answer.HOLDS


def check_process(
    process: MarkovDecisionProcess,
    formula: Formula | str,
    pairs: Pairs = (),
    *,
    budget: Budget | None = None,
) -> ProcessChecked:
    """In which states of a process a state formula holds, with these neighbours.

    Ensures: HOLDS and VIOLATED are certified; UNKNOWN has a reason.
    Raises: FormatError for a text that is no formula; ParameterError where it is no state formula, a
    proposition or a state is unknown, or there is a D and no neighbours; UnsupportedError where it, or its
    proof, is too large.
    """
    parsed, start = parse_for(process.labels, "process", formula), time.monotonic()
    require_state_formula(parsed)
    numbered = NumberedProcess(process, pairs)
    require_neighbours(parsed, numbered.pairs)
    evaluator = _ProcessEvaluator(numbered, budget or Budget())
    known = dict(enumerate(evaluator.known(parsed)))
    certificate = evaluator.certificate(fingerprint(process), parsed)
    stats = _vouched(process, certificate, start, budget)
    names = numbered.names
    return ProcessChecked(
        parsed,
        {names[state]: _ANSWERS[true] for state, true in known.items()},
        {names[state]: evaluator.witness(parsed, state) for state, true in known.items() if true is False},
        {names[state]: evaluator.reason(parsed, state) for state, true in known.items() if true is None},
        certificate,
        stats,
    )


def extremes(
    process: MarkovDecisionProcess,
    formula: Formula | str,
    pairs: Pairs = (),
    *,
    budget: Budget | None = None,
) -> Extremes:
    """The least and the most probability of a path formula over all schedulers, exactly.

    Neighbours matter where there is a D in the formula.
    Ensures: the certificate was checked.
    Raises: UnsupportedError with the reason where the values are not to be had; as `check_process` otherwise.
    Stopped where the budget is used up.
    """
    parsed, start = parse_for(process.labels, "process", formula), time.monotonic()
    limits, numbered = budget or Budget(), NumberedProcess(process, pairs)
    require_neighbours(parsed, numbered.pairs)
    evaluator = _ProcessEvaluator(numbered, limits)
    try:
        claims = evaluator.extremes(parsed, evaluator.process.names)
    except _Undecided as error:
        raise _refusal(error, limits) from None
    # of a state formula as well, which is 0 or 1; but then only as what a P is of it is one of the parts
    claim = Probability(Comparison.AT_LEAST, Fraction(0), parsed) if is_state_formula(parsed) else parsed
    last = sum(1 for _ in _parts_of(claim)) - 1
    certificate = evaluator.certificate(fingerprint(process), claim, {last: claims})
    stats = _vouched(process, certificate, start, budget)
    return Extremes(
        parsed,
        {state: low for state, low, _ in claims.extremes},
        {state: high for state, _, high in claims.extremes},
        certificate,
        stats,
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
    parsed, start = require_privacy(parse_for(process.labels, "process", formula)), time.monotonic()
    limits, numbered = budget or Budget(), NumberedProcess(process, pairs)
    require_neighbours(parsed, numbered.pairs)
    evaluator = _ProcessEvaluator(numbered, limits)
    try:
        path = evaluator.path(parsed.inner)
    except _Undecided as error:
        raise _refusal(error, limits) from None
    asked = set(process.states if states is None else states)
    search = _TightSearch(path, asked, limits)
    coarse = search.delta_by_extremes(parsed.epsilon)
    delta, delta_at, ratio, ratio_at = None, None, None, None
    if path.nodes is not None:
        delta, delta_at = search.delta(parsed.epsilon)
        ratio, ratio_at = search.ratio(parsed.delta)
    claim: Formula = replace(parsed, delta=coarse[1] if delta is None else delta[1])
    last = sum(1 for _ in _parts_of(claim)) - 1  # the number of that D among its parts
    values = {last: replace(evaluator.extremes(parsed.inner, search.related()), queries=_queries(delta_at))}
    if ratio is not None:
        claim = And(claim, replace(parsed, epsilon=Epsilon(None, ratio)))
        values[2 * last + 1] = PartClaims(queries=_queries(ratio_at))
    else:
        values[last] = replace(values[last], queries=_queries(delta_at) + _queries(ratio_at))
    known = dict(zip(evaluator.process.names, evaluator.known(claim), strict=True))
    certificate = None
    stats: Statistics = {"seconds": round(time.monotonic() - start, 6)}
    if all(known[state] for state in asked):
        certificate = evaluator.certificate(fingerprint(process), claim, values)
        stats = _vouched(process, certificate, start, limits)
    return ProcessTight(parsed, delta, delta_at, ratio, ratio_at, coarse, certificate, stats)


def _refusal(error: _Undecided, budget: Budget) -> Exception:
    """What to raise where a path formula has no values: they are not offered, or there was no time."""
    return Stopped() if budget.exhausted() else UnsupportedError(str(error))


def _vouched(
    process: MarkovDecisionProcess, certificate: ProcessCertificate, start: float, budget: Budget | None
) -> Statistics:
    times = vouch(process, certificate, start, budget)
    sizes = {"parts": len(certificate.parts), "states": len(process.states), "actions": len(process.actions)}
    return {**times, **sizes}


# --- a formula, from the inside out ----------------------------------------------------------------------


class _Undecided(Exception):
    """A path formula has no values; the message says why."""


class _ProcessEvaluator:
    """What is known of formulas on one process, with neighbours."""

    def __init__(self, process: NumberedProcess, budget: Budget) -> None:
        self.process = process
        self._budget = budget
        self._known: dict[int, tuple[Formula, Ternary]] = {}  # the formulas are kept, so that ids are theirs
        self._parts: dict[Formula, _PartAnswer] = {}
        self._paths: dict[Formula, PathValues | str] = {}

    def known(self, formula: Formula) -> Ternary:
        """For each state whether a state formula is true there; None where that is not decided."""
        if id(formula) not in self._known:
            self._known[id(formula)] = formula, self._ternary(formula)
        return self._known[id(formula)][1]

    def _ternary(self, formula: Formula) -> Ternary:
        if isinstance(formula, Private | Probability):
            return self.part(formula).known
        if isinstance(formula, Truth):
            return [True] * len(self.process.names)
        if isinstance(formula, Atom):
            return [formula.name in there for there in self.process.propositions]
        if isinstance(formula, Not):
            return [None if true is None else not true for true in self.known(formula.inner)]
        if isinstance(formula, And):
            left, right = self.known(formula.left), self.known(formula.right)
            return [_both(a, b) for a, b in zip(left, right, strict=True)]
        raise InternalError(f"{type(formula).__name__} is no state formula")

    def part(self, formula: Private | Probability) -> _PartAnswer:
        """What is known of a P or D."""
        if formula not in self._parts:
            self._parts[formula] = self._decide(formula)
        return self._parts[formula]

    def path(self, formula: Formula) -> PathValues:
        """The values of a path formula. Raises: _Undecided with the reason."""
        if formula not in self._paths:
            try:
                self._paths[formula] = self._path(formula)
            except (_Undecided, UnsupportedError) as error:
                self._paths[formula] = str(error)
            except Stopped:
                self._paths[formula] = self._budget.exhausted() or "stopped"
        found = self._paths[formula]
        if isinstance(found, str):
            raise _Undecided(found)
        return found

    def reason(self, formula: Formula, state: int) -> str:
        """Why a formula is not decided in a state where it is not."""
        while not isinstance(formula, Private | Probability):
            if isinstance(formula, And):
                formula = formula.left if self.known(formula.left)[state] is None else formula.right
            elif isinstance(formula, Not):
                formula = formula.inner
            else:
                raise InternalError("propositions are decided everywhere")
        return self.part(formula).reasons[state]

    def witness(self, formula: Formula, state: int) -> ProcessWitness:
        """Why a formula is false in a state where it is: the part that fails, and what shows it."""
        while True:
            if isinstance(formula, And):
                left_fails = self.known(formula.left)[state] is False
                formula = formula.left if left_fails else formula.right
            elif isinstance(formula, Not) and isinstance(formula.inner, Not):
                formula = formula.inner.inner
            elif isinstance(formula, Private | Probability):
                return self.part(formula).witnesses[state]
            else:
                return ProcessWitness(formula)

    def certificate(
        self, fingerprint: str, formula: Formula, values: dict[int, PartClaims] | None = None
    ) -> ProcessCertificate:
        """All that is known of a formula, as a document.

        ``values`` has, for some parts by their numbers, queries and extremes that are to be claimed as well.
        """
        parts: list[PartClaims] = []
        for part in _parts_of(formula):
            claims, path = PartClaims(), part
            if isinstance(part, Private | Probability):
                claims, path = self.part(part).claims, part.inner
            more = (values or {}).get(len(parts))
            if more is not None:
                claims = replace(claims, queries=more.queries, extremes=more.extremes)
                if more.extremes:
                    claims = _with_both_attained(claims, self.path(path))
            parts.append(claims)
        names, known = self.process.names, self.known(formula) if is_state_formula(formula) else []
        holds, violated = (
            tuple(name for name, true in zip(names, known, strict=False) if true is wanted)
            for wanted in (True, False)
        )
        return ProcessCertificate(
            fingerprint, self.process.pairs, formula, self.process.actions, tuple(parts), holds, violated
        )

    def extremes(self, formula: Formula, states: list[str]) -> PartClaims:
        """The least and the most probability of a path formula from these states, to be claimed."""
        path, number = self.path(formula), self.process.number
        return PartClaims(
            extremes=tuple(
                (s, to_fraction(path.low[number[s]]), to_fraction(path.high[number[s]])) for s in states
            )
        )

    def _decide(self, formula: Private | Probability) -> _PartAnswer:
        states = len(self.process.names)
        try:
            path = self.path(formula.inner)
            if isinstance(formula, Private):
                return _check_private(formula, path, self._budget)
            return _check_probability(formula, path)
        except (_Undecided, UnsupportedError) as error:
            return _undecided(states, str(error))
        except Stopped:
            return _undecided(states, self._budget.exhausted() or "stopped")

    def _path(self, formula: Formula) -> PathValues:
        self._budget.check()
        if not has_values(formula):
            raise _Undecided(
                f"'{_brief(formula)}': on processes a path formula is bounded (X, U<=k), or one until of "
                "state formulas, or not that"
            )
        return PathValues(self.process, formula, self._marks, self._budget)

    def _marks(self, formula: Formula) -> Marks:
        """The states that satisfy a formula. Raises: _Undecided where it is not decided in one."""
        marks: Marks = []
        for state, true in enumerate(self.known(formula)):
            if true is None:
                name = self.process.names[state]
                where = f"'{_brief(formula)}', inside of another formula, is not decided in {name}"
                raise _Undecided(f"{where}: {self.reason(formula, state)}")
            marks.append(true)
        return marks


def _brief(formula: Formula) -> str:
    return beginning(text_of(formula), _LONGEST_SHOWN)


def _parts_of(formula: Formula) -> Iterator[Formula]:
    """The occurrences of P and D in the order in which they end; last, a formula that is of paths."""
    yield from _ending(formula)
    if not is_state_formula(formula):
        yield formula


def _ending(formula: Formula) -> Iterator[Formula]:
    for inner in operands_of(formula):
        yield from _ending(inner)
    if isinstance(formula, Private | Probability):
        yield formula


def _both(left: bool | None, right: bool | None) -> bool | None:
    """Kleene's conjunction."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


# --- one P or D -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _PartAnswer:
    """What is known of a P or D, by states; reasons are there for all that is not decided."""

    known: Ternary
    witnesses: Mapping[int, ProcessWitness]
    reasons: Mapping[int, str]
    claims: PartClaims


def _undecided(states: int, reason: str) -> _PartAnswer:
    """Nothing is known, for one reason."""
    return _PartAnswer([None] * states, {}, dict.fromkeys(range(states), reason), PartClaims())


def _check_probability(formula: Probability, path: PathValues) -> _PartAnswer:
    """P, by the most and the least over all schedulers. Raises: UnsupportedError, Stopped."""
    names = path.process.names
    rising = formula.comparison in (Comparison.LESS, Comparison.AT_MOST)
    values = [to_fraction(value) for value in (path.high if rising else path.low)]
    known: Ternary = [formula.accepts(value) for value in values]
    witnesses = {
        state: ProcessWitness(formula, probabilities=(values[state],))
        for state, true in enumerate(known)
        if not true
    }
    claims = PartClaims(
        holds=tuple(name for name, true in zip(names, known, strict=True) if true),
        violated=tuple((names[state], None) for state in witnesses),
    )
    if path.nodes is None:
        claims = _with_attained(claims, path, most=rising != path.negated)
    return _PartAnswer(known, witnesses, {}, claims)


def _with_attained(claims: PartClaims, path: PathValues, *, most: bool) -> PartClaims:
    """The values of an until on one side, with the choices that attain them."""
    if most:
        return replace(claims, upper=_rationals(path.upper), most=path.most)
    return replace(claims, lower=_rationals(path.lower), least=path.least)


def _with_both_attained(claims: PartClaims, path: PathValues) -> PartClaims:
    """The same on both sides; a bounded formula needs none of it."""
    if path.nodes is not None:
        return claims
    return _with_attained(_with_attained(claims, path, most=True), path, most=False)


def _rationals(values: Sequence[fmpq]) -> tuple[Fraction, ...]:
    """The same numbers as Fractions."""
    return tuple(to_fraction(value) for value in values)


def _check_private(formula: Private, path: PathValues, budget: Budget) -> _PartAnswer:
    """D, over all query schedulers. Raises: UnsupportedError, Stopped where not even values are found."""
    search = _Search(formula, path, budget)
    names = path.process.names
    known: Ternary = [search.decide(state) for state in range(len(names))]
    is_until = path.nodes is None
    claims = PartClaims(
        upper=_rationals(path.upper) if is_until else None,
        lower=_rationals(path.lower) if is_until else None,
        repeated=tuple(
            (path.process.actions[action], _rationals(path.repeated(action)))
            for action in sorted(search.repeated)
        ),
        trees=tuple((names[s], names[t], tree) for (s, t), tree in search.trees.items()),
        holds=tuple(name for name, true in zip(names, known, strict=True) if true),
        violated=tuple(
            (names[state], (witness.neighbour or "", witness.actions))
            for state, witness in search.witnesses.items()
        ),
    )
    return _PartAnswer(known, search.witnesses, search.reasons, claims)


@dataclass
class _Search:
    """The answers for one D, as they are found."""

    formula: Private
    path: PathValues
    budget: Budget
    witnesses: dict[int, ProcessWitness] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    trees: dict[tuple[int, int], Tree] = field(default_factory=dict)
    repeated: set[int] = field(default_factory=set)  # actions whose solutions witnesses need
    _found: dict[tuple[int, int], Tree | Distinguisher | str] = field(default_factory=dict)

    def decide(self, state: int) -> bool | None:
        """Whether D holds in a state."""
        trees: dict[tuple[int, int], Tree] = {}
        for other in self.path.process.neighbours[state]:
            for pair in ((state, other), (other, state)):
                if self._by_extremes(*pair):
                    continue
                found = self._distinguish(*pair)
                if isinstance(found, Distinguisher):
                    if self._witness(state, other, found.actions):
                        self.reasons.pop(state, None)
                        return False
                    found = _BETWEEN
                if isinstance(found, str):
                    self.reasons[state] = found
                else:
                    trees[pair] = found
        if state in self.reasons:
            return None
        self.trees |= trees
        return True

    def _by_extremes(self, first: int, second: int) -> bool:
        """Proposition 2."""
        high, low = to_fraction(self.path.high[first]), to_fraction(self.path.low[second])
        return high - self.formula.epsilon.alpha_down() * low <= self.formula.delta

    def _distinguish(self, first: int, second: int) -> Tree | Distinguisher | str:
        if (first, second) not in self._found:
            try:
                found = self._search(first, second)
            except UnsupportedError as error:
                found = str(error)
            except Stopped:
                found = self.budget.exhausted() or "stopped"
            self._found[first, second] = found
        return self._found[first, second]

    def _search(self, first: int, second: int) -> Tree | Distinguisher | str:
        """A tree, a sequence, or why there is neither."""
        path, formula = self.path, self.formula
        if path.nodes is None:
            for action in range(len(path.process.actions)):
                values = [to_fraction(path.value_repeated(action, state)) for state in (first, second)]
                if not formula.bounds(values[0], values[1]):
                    return Distinguisher((action,), ZERO)
            names = path.process.names
            return (
                "the sufficient condition of Proposition 2 fails, and no single query, repeated, tells "
                f"{names[first]} from {names[second]}; in general it is undecidable"
            )
        factor = to_fmpq(formula.epsilon.alpha_down())
        search = QuerySearch(path.nodes, len(path.process.actions), factor, self.budget)
        return search.prove(path.nodes.starts[first], path.nodes.starts[second], to_fmpq(formula.delta))

    def _witness(self, state: int, other: int, actions: tuple[int, ...]) -> bool:
        """Note a sequence that tells a state from a neighbour, if it does."""
        path = self.path
        if path.nodes is None:
            values = [path.value_repeated(actions[0], s) for s in (state, other)]
        else:
            actions = path.completed((state, other), actions)
            values = [path.won(s, actions) for s in (state, other)]
        here, there = map(to_fraction, values)
        if self.formula.accepts(here, there):
            return False
        if path.nodes is None:
            self.repeated.add(actions[0])
        names = tuple(path.process.actions[a] for a in actions)
        neighbour = path.process.names[other]
        self.witnesses[state] = ProcessWitness(self.formula, neighbour, names, (here, there))
        return True


# --- what is tight --------------------------------------------------------------------------------------


def _queries(apart: Apart | None) -> tuple[tuple[str, tuple[str, ...], Fraction], ...]:
    """What the certificate says of a sequence of queries."""
    if apart is None:
        return ()
    return tuple((s, apart.actions, p) for s, p in zip(apart.pair, apart.probabilities, strict=True))


class _TightSearch:
    """The largest differences and ratios between neighbours, one of which is asked for."""

    def __init__(self, path: PathValues, asked: set[str], budget: Budget) -> None:
        self._path = path
        self._budget = budget
        self._pairs = [
            (s, t) for pair in path.process.pairs for s, t in (pair, pair[::-1]) if asked & set(pair)
        ]

    def related(self) -> list[str]:
        """The states that are compared."""
        return list(dict.fromkeys(state for pair in self._pairs for state in pair))

    def delta_by_extremes(self, epsilon: Epsilon) -> Bracket:
        """The smallest delta of Proposition 2."""
        number, path = self._path.process.number, self._path
        low, high = (
            max((path.high[number[s]] - factor * path.low[number[t]] for s, t in self._pairs), default=ZERO)
            for factor in (to_fmpq(epsilon.alpha_up()), to_fmpq(epsilon.alpha_down()))
        )
        return max(Fraction(0), to_fraction(low)), max(Fraction(0), to_fraction(high))

    def delta(self, epsilon: Epsilon) -> tuple[Bracket, Apart | None]:
        """The smallest delta over sequences of queries, and a sequence that needs it."""
        factor, best, where = to_fmpq(epsilon.alpha_down()), ZERO, None
        for pair in self._pairs:
            found = self._largest(pair, factor, best)
            if found is not None:
                where = found
                best = _difference(found, factor)
        if where is None:
            return (Fraction(0), Fraction(0)), None
        low = _difference(where, to_fmpq(epsilon.alpha_up()))
        return (max(Fraction(0), to_fraction(low)), to_fraction(best)), where

    def ratio(self, delta: Fraction) -> tuple[Fraction | None, Apart | None]:
        """e^epsilon for the smallest epsilon, and a sequence that needs it; None where none will do."""
        factor, where = ONE, None
        for pair in self._pairs:
            while (found := self._largest(pair, factor, to_fmpq(delta))) is not None:
                where = found
                p, q = found.probabilities
                if q == 0:
                    return None, where
                factor = to_fmpq((p - delta) / q)
        return to_fraction(factor), where

    def _largest(self, pair: tuple[str, str], factor: fmpq, least: fmpq) -> Apart | None:
        """The sequence with the largest difference at a factor, if that is above some number."""
        path, process = self._path, self._path.process
        s, t = (process.number[state] for state in pair)
        nodes = path.bounded_nodes()
        search = QuerySearch(nodes, len(process.actions), factor, self._budget)
        found = search.largest(nodes.starts[s], nodes.starts[t], least)
        if found is None:
            return None
        actions = path.completed((s, t), found.actions)
        probabilities = to_fraction(path.won(s, actions)), to_fraction(path.won(t, actions))
        return Apart(pair, tuple(process.actions[a] for a in actions), probabilities)


def _difference(apart: Apart, factor: fmpq) -> fmpq:
    p, q = apart.probabilities
    return to_fmpq(p) - factor * to_fmpq(q)
