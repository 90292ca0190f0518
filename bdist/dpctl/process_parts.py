"""One P or D on a Markov decision process: where it holds, where it is violated, and what that rests on.

Model checking of D on processes is undecidable (Theorem 1 of Liu, Wang and Zhang, with a positive cut-point).
What is decided here: formulas without an unbounded until, exactly, over all sequences of queries (`queries`);
an until by the sufficient condition of Proposition 2, from the most and the least probability over all
schedulers (`reachability`), and against it by single queries repeated for ever. Where neither works the
answer is UNKNOWN, never *violated*.

P is about all schedulers, and exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.dpctl.evaluation import close, compares
from bdist.dpctl.formulas import Comparison, Formula, Private, Probability
from bdist.dpctl.process_certificate import PartClaims
from bdist.dpctl.process_paths import PathValues
from bdist.dpctl.queries import QuerySearch, Told, Tree
from bdist.errors import UnsupportedError
from bdist.exact.fast import ZERO, fast, slow

Ternary = list[bool | None]  # for each state: true, false, or not decided

_BETWEEN = "the difference is between delta and what a rational just below e^epsilon makes of it"


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
class PartAnswer:
    """What is known of a P or D, by states; reasons are there for all that is not decided."""

    known: Ternary
    witnesses: Mapping[int, ProcessWitness]
    reasons: Mapping[int, str]
    claims: PartClaims


def undecided(states: int, reason: str) -> PartAnswer:
    """Nothing is known, for one reason."""
    return PartAnswer([None] * states, {}, dict.fromkeys(range(states), reason), PartClaims())


def check_probability(formula: Probability, path: PathValues) -> PartAnswer:
    """P, by the most and the least over all schedulers. Raises: UnsupportedError, Stopped."""
    names = path.process.names
    rising = formula.comparison in (Comparison.LESS, Comparison.AT_MOST)
    values = [slow(value) for value in (path.high if rising else path.low)]
    known: Ternary = [compares(value, formula.comparison, formula.bound) for value in values]
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
    return PartAnswer(known, witnesses, {}, claims)


def _with_attained(claims: PartClaims, path: PathValues, *, most: bool) -> PartClaims:
    """The values of an until on one side, with the choices that attain them."""
    if most:
        return replace(claims, upper=rationals(path.upper), most=path.most)
    return replace(claims, lower=rationals(path.lower), least=path.least)


def with_both_attained(claims: PartClaims, path: PathValues) -> PartClaims:
    """The same on both sides; a bounded formula needs none of it."""
    if path.nodes is not None:
        return claims
    return _with_attained(_with_attained(claims, path, most=True), path, most=False)


def rationals(values: Sequence[fmpq]) -> tuple[Fraction, ...]:
    """The same numbers as Fractions."""
    return tuple(slow(value) for value in values)


def check_private(formula: Private, path: PathValues, budget: Budget) -> PartAnswer:
    """D, over all query schedulers. Raises: UnsupportedError, Stopped where not even values are found."""
    search = _Search(formula, path, budget)
    names = path.process.names
    known: Ternary = [search.decide(state) for state in range(len(names))]
    is_until = path.nodes is None
    claims = PartClaims(
        upper=rationals(path.upper) if is_until else None,
        lower=rationals(path.lower) if is_until else None,
        repeated=tuple(
            (path.process.actions[action], rationals(path.repeated(action)))
            for action in sorted(search.repeated)
        ),
        trees=tuple((names[s], names[t], tree) for (s, t), tree in search.trees.items()),
        holds=tuple(name for name, true in zip(names, known, strict=True) if true),
        violated=tuple(
            (names[state], (witness.neighbour or "", witness.actions))
            for state, witness in search.witnesses.items()
        ),
    )
    return PartAnswer(known, search.witnesses, search.reasons, claims)


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
    _told: dict[tuple[int, int], Tree | Told | str] = field(default_factory=dict)

    def decide(self, state: int) -> bool | None:
        """Whether D holds in a state."""
        trees: dict[tuple[int, int], Tree] = {}
        for other in self.path.process.neighbours[state]:
            for pair in ((state, other), (other, state)):
                if self._by_extremes(*pair):
                    continue
                told = self._tell(*pair)
                if isinstance(told, Told):
                    if self._witness(state, other, told.actions):
                        self.reasons.pop(state, None)
                        return False
                    told = _BETWEEN
                if isinstance(told, str):
                    self.reasons[state] = told
                else:
                    trees[pair] = told
        if state in self.reasons:
            return None
        self.trees |= trees
        return True

    def _by_extremes(self, first: int, second: int) -> bool:
        """Proposition 2."""
        high, low = slow(self.path.high[first]), slow(self.path.low[second])
        return high - self.formula.epsilon.alpha_down() * low <= self.formula.delta

    def _tell(self, first: int, second: int) -> Tree | Told | str:
        if (first, second) not in self._told:
            try:
                found = self._told_apart(first, second)
            except UnsupportedError as error:
                found = str(error)
            except Stopped:
                found = self.budget.exhausted() or "stopped"
            self._told[first, second] = found
        return self._told[first, second]

    def _told_apart(self, first: int, second: int) -> Tree | Told | str:
        """A tree, a sequence, or why there is neither."""
        path, formula = self.path, self.formula
        if path.nodes is None:
            for action in range(len(path.process.actions)):
                values = [slow(path.value_repeated(action, state)) for state in (first, second)]
                if not close(values[0], values[1], formula.epsilon, formula.delta):
                    return Told((action,), ZERO)
            names = path.process.names
            return (
                "the sufficient condition of Proposition 2 fails, and no single query, repeated, tells "
                f"{names[first]} from {names[second]}; in general it is undecidable"
            )
        factor = fast(formula.epsilon.alpha_down())
        search = QuerySearch(path.nodes, len(path.process.actions), factor, self.budget)
        return search.prove(path.nodes.starts[first], path.nodes.starts[second], fast(formula.delta))

    def _witness(self, state: int, other: int, actions: tuple[int, ...]) -> bool:
        """Note a sequence that tells a state from a neighbour, if it does."""
        path = self.path
        if path.nodes is None:
            values = [path.value_repeated(actions[0], s) for s in (state, other)]
        else:
            actions = path.completed((state, other), actions)
            values = [path.won(s, actions) for s in (state, other)]
        here, there = map(slow, values)
        limits = self.formula.epsilon, self.formula.delta
        if close(here, there, *limits) and close(there, here, *limits):
            return False
        if path.nodes is None:
            self.repeated.add(actions[0])
        names = tuple(path.process.actions[a] for a in actions)
        neighbour = path.process.names[other]
        self.witnesses[state] = ProcessWitness(self.formula, neighbour, names, (here, there))
        return True
