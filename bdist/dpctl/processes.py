"""dpCTL* on Markov decision processes: what no sequence of queries can tell, and what one can.

Model checking of D on processes is undecidable (Theorem 1 of Liu, Wang and Zhang, with a positive cut-point).
What is decided here: formulas without an unbounded until, exactly, over all sequences of queries (`queries`);
an until by the sufficient condition of Proposition 2, from the most and the least probability over all
schedulers (`reachability`), and against it by single queries repeated for ever. Where neither works the
answer is UNKNOWN, never *violated*.

P is about all schedulers, and exact.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.dpctl.checking import vouch_process
from bdist.dpctl.evaluation import close, compares
from bdist.dpctl.formulas import (
    Comparison,
    Formula,
    Private,
    Probability,
    atoms_of,
)
from bdist.dpctl.parser import parse
from bdist.dpctl.printer import text_of
from bdist.dpctl.process_certificate import ProcessCertificate, rationals
from bdist.dpctl.process_paths import PathValues
from bdist.dpctl.queries import QuerySearch, Told, Tree
from bdist.dpctl.reachability import until_in
from bdist.dpctl.syntax import check_depth
from bdist.errors import ParameterError, UnsupportedError
from bdist.formats.propositions import propositions_of
from bdist.models.mdp import MarkovDecisionProcess
from bdist.models.mdp_fingerprint import fingerprint
from bdist.rationals.fast import ZERO, fast, slow
from bdist.results import Answer

Statistics = Mapping[str, int | float | str]
Pairs = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class ProcessWitness:
    """A sequence of queries that tells a state from a neighbour, with the two probabilities.

    For an until the one action is repeated for ever. With P there is no neighbour, and the probability is the
    one that some scheduler attains.
    """

    neighbour: str | None
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...]


@dataclass(frozen=True)
class ProcessChecked:
    """For every state whether it satisfies a formula; what is answered is certified."""

    formula: Formula
    answers: Mapping[str, Answer]
    witnesses: Mapping[str, ProcessWitness]
    reason: str | None
    certificate: ProcessCertificate
    stats: Statistics

    def answer(self, states: Iterable[str]) -> Answer:
        """Whether all of these states satisfy the formula."""
        found = [self.answers[state] for state in states]
        if Answer.VIOLATED in found:
            return Answer.VIOLATED
        return Answer.UNKNOWN if Answer.UNKNOWN in found else Answer.HOLDS


@dataclass(frozen=True)
class Extremes:
    """The least and the most probability of a path formula over all schedulers, from every state."""

    low: Mapping[str, Fraction]
    high: Mapping[str, Fraction]


@dataclass(frozen=True)
class ProcessTight:
    """The smallest delta of D at its epsilon, over query schedulers and by Proposition 2.

    Both are brackets, whose ends agree where e^epsilon is rational. ``delta`` is None for an until. ``at`` is
    the pair with the largest difference over query schedulers, and ``actions`` the sequence that makes it.
    The certificate proves that D holds with the upper end, or with that of Proposition 2 for an until.
    """

    formula: Private
    delta: tuple[Fraction, Fraction] | None
    at: tuple[str, str] | None
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, Fraction] | None
    delta_by_extremes: tuple[Fraction, Fraction]
    certificate: ProcessCertificate | None


def extremes(
    process: MarkovDecisionProcess, formula: Formula | str, *, budget: Budget | None = None
) -> Extremes:
    """The least and the most probability of a path formula over all schedulers, exactly."""
    path = PathValues(process, _parsed(process, formula), budget or Budget())
    return Extremes(
        dict(zip(path.names, map(slow, path.low), strict=True)),
        dict(zip(path.names, map(slow, path.high), strict=True)),
    )


def check_process(
    process: MarkovDecisionProcess,
    formula: Formula | str,
    pairs: Pairs = (),
    *,
    budget: Budget | None = None,
) -> ProcessChecked:
    """In which states D[...] (path) or P>=q [path] holds on a process.

    Ensures: HOLDS and VIOLATED are certified; UNKNOWN has a reason.
    Raises: ParameterError where the formula is another one; UnsupportedError where the path formula is.
    """
    parsed, start = _parsed(process, formula), time.monotonic()
    if not isinstance(parsed, Private | Probability):
        raise ParameterError(f"'{text_of(parsed)}': on processes a formula is D[...] (path) or P>=q [path]")
    limits = budget or Budget()
    neighbours = _neighbours(process, pairs)
    path = PathValues(process, parsed.inner, limits)
    work = _Check(path, neighbours, limits)
    if isinstance(parsed, Private):
        work.check_private(parsed)
    else:
        work.check_probability(parsed)
    certificate = ProcessCertificate(
        fingerprint(process),
        neighbours,
        parsed,
        path.actions,
        None if path.upper is None else tuple(map(slow, path.upper)),
        None if path.lower is None else tuple(map(slow, path.lower)),
        tuple((*key, tree) for key, tree in work.trees.items()),
        tuple(state for state in path.names if work.answers[state] is Answer.HOLDS),
        tuple(work.proofs.items()),
    )
    searched = time.monotonic()
    vouch_process(process, certificate)
    stats = {
        "seconds": round(searched - start, 6),
        "check_seconds": round(time.monotonic() - searched, 6),
        "states": len(process.states),
        "actions": len(process.actions),
    }
    return ProcessChecked(parsed, work.answers, work.witnesses, work.reason, certificate, stats)


def tight_process(
    process: MarkovDecisionProcess,
    formula: Formula | str,
    pairs: Pairs,
    *,
    budget: Budget | None = None,
) -> ProcessTight:
    """The smallest delta for which a formula D holds between all neighbours. Raises: as `check_process`."""
    parsed = _parsed(process, formula)
    if not isinstance(parsed, Private):
        raise ParameterError(f"'{text_of(parsed)}' is not of the form D[...] (...), which has parameters")
    limits = budget or Budget()
    path = PathValues(process, parsed.inner, limits)
    number = {name: k for k, name in enumerate(path.names)}
    down, up = fast(parsed.epsilon.alpha_down()), fast(parsed.epsilon.alpha_up())
    ordered = [(s, t) for pair in _neighbours(process, pairs) for s, t in (pair, pair[::-1])]
    coarse = [_largest_difference(path, number, ordered, factor) for factor in (up, down)]
    best, at = None, None
    for s, t in ordered if path.nodes is not None else ():
        search = QuerySearch(path.bounded_nodes(), len(path.actions), down, limits)
        starts = path.bounded_nodes().starts[number[s]], path.bounded_nodes().starts[number[t]]
        found = search.largest(*starts, ZERO if best is None else best.difference)
        if found is not None:
            best, at = found, (s, t)
    delta: tuple[Fraction, Fraction] | None = None
    likely: tuple[Fraction, Fraction] | None = None
    if path.nodes is not None:
        delta = Fraction(0), Fraction(0)
        if best is not None and at is not None:
            whole = path.completed([number[state] for state in at], best.actions)
            best = Told(whole, best.difference)
            first, second = (path.won(number[state], whole) for state in at)
            delta = max(Fraction(0), slow(first - up * second)), slow(best.difference)
            likely = slow(first), slow(second)
    names = () if best is None else tuple(path.actions[a] for a in best.actions)
    by_extremes = max(Fraction(0), slow(coarse[0])), max(Fraction(0), slow(coarse[1]))
    claim = replace(parsed, delta=by_extremes[1] if delta is None else delta[1])
    proved = check_process(process, claim, [(s, t) for s, t in ordered], budget=limits)
    held = proved.answer({state for pair in ordered for state in pair}) is Answer.HOLDS
    certificate = proved.certificate if held else None
    return ProcessTight(parsed, delta, at, names, likely, by_extremes, certificate)


class _Check:
    """The answers for all states, as they are found."""

    def __init__(self, path: PathValues, neighbours: tuple[tuple[str, str], ...], budget: Budget) -> None:
        self._path = path
        self._budget = budget
        self._number = {name: k for k, name in enumerate(path.names)}
        self._neighbours: dict[str, list[str]] = {name: [] for name in path.names}
        for s, t in neighbours:
            self._neighbours[s].append(t)
            self._neighbours[t].append(s)
        self.answers: dict[str, Answer] = {}
        self.witnesses: dict[str, ProcessWitness] = {}
        self.proofs: dict[str, Mapping[str, object]] = {}
        self.trees: dict[tuple[str, str], Tree] = {}
        self.reason: str | None = None
        self._known: dict[tuple[str, str], Tree | Told | str] = {}

    def check_probability(self, formula: Probability) -> None:
        """P, by the most and the least over all schedulers."""
        path = self._path
        rising = formula.comparison in (Comparison.LESS, Comparison.AT_MOST)
        for k, state in enumerate(path.names):
            value = slow(path.high[k] if rising else path.low[k])
            if compares(value, formula.comparison, formula.bound):
                self.answers[state] = Answer.HOLDS
                continue
            self.answers[state] = Answer.VIOLATED
            self.witnesses[state] = ProcessWitness(None, (), (value,))
            proof: dict[str, object] = {"choices": None, "solution": None}
            if path.nodes is None:
                choices = path.most if rising != path.negated else path.least
                solution = until_in(path.rows, choices, path.left, path.right, self._budget)
                proof["choices"] = {
                    name: path.actions[action] for name, action in zip(path.names, choices, strict=True)
                }
                proof["solution"] = rationals(list(map(slow, solution)))
            self.proofs[state] = proof

    def check_private(self, formula: Private) -> None:
        """D, over all query schedulers."""
        for state in self._path.names:
            self.answers[state] = self._private(formula, state)

    def _private(self, formula: Private, state: str) -> Answer:
        answer = Answer.HOLDS
        for other in self._neighbours[state]:
            for pair in ((state, other), (other, state)):
                if self._by_extremes(formula, *pair):
                    continue
                told = self._told(formula, pair)
                if isinstance(told, Told):
                    if self._witness(formula, state, other, told.actions):
                        return Answer.VIOLATED
                    told = (
                        "the difference is between delta and what a rational just below e^epsilon makes of it"
                    )
                if isinstance(told, str):
                    self.reason, answer = told, Answer.UNKNOWN
                else:
                    self.trees[pair] = told
        return answer

    def _by_extremes(self, formula: Private, first: str, second: str) -> bool:
        """Proposition 2."""
        high, low = self._path.high[self._number[first]], self._path.low[self._number[second]]
        return slow(high) - formula.epsilon.alpha_down() * slow(low) <= formula.delta

    def _told(self, formula: Private, pair: tuple[str, str]) -> Tree | Told | str:
        if pair not in self._known:
            self._known[pair] = self._tell(formula, pair)
        return self._known[pair]

    def _tell(self, formula: Private, pair: tuple[str, str]) -> Tree | Told | str:
        """A tree, a sequence, or why there is neither."""
        path = self._path
        first, second = (self._number[state] for state in pair)
        if path.nodes is None:
            for action in range(len(path.actions)):
                _, values = path.repeated(action)
                if not close(slow(values[first]), slow(values[second]), formula.epsilon, formula.delta):
                    return Told((action,), ZERO)
            return (
                "the sufficient condition of Proposition 2 fails, and no single query, repeated, tells "
                f"{pair[0]} from {pair[1]}; in general it is undecidable"
            )
        factor = fast(formula.epsilon.alpha_down())
        search = QuerySearch(path.nodes, len(path.actions), factor, self._budget)
        try:
            return search.prove(path.nodes.starts[first], path.nodes.starts[second], fast(formula.delta))
        except UnsupportedError as error:
            return str(error)
        except Stopped:
            return self._budget.exhausted() or "stopped"

    def _witness(self, formula: Private, state: str, other: str, actions: tuple[int, ...]) -> bool:
        """Note a sequence that tells a state from a neighbour, if it does."""
        path = self._path
        here, there = self._number[state], self._number[other]
        solution: list[str] | None = None
        if path.nodes is None:
            solved, values = path.repeated(actions[0])
            solution = rationals(list(map(slow, solved)))
            pair = slow(values[here]), slow(values[there])
        else:
            actions = path.completed((here, there), actions)
            pair = slow(path.won(here, actions)), slow(path.won(there, actions))
        budget = formula.epsilon, formula.delta
        if close(*pair, *budget) and close(pair[1], pair[0], *budget):
            return False
        names = tuple(path.actions[a] for a in actions)
        self.witnesses[state] = ProcessWitness(other, names, pair)
        self.proofs[state] = {"neighbour": other, "actions": list(names), "solution": solution}
        return True


def _largest_difference(
    path: PathValues, number: Mapping[str, int], pairs: Sequence[tuple[str, str]], factor: fmpq
) -> fmpq:
    return max((path.high[number[s]] - factor * path.low[number[t]] for s, t in pairs), default=ZERO)


def _parsed(process: MarkovDecisionProcess, formula: Formula | str) -> Formula:
    parsed = parse(formula) if isinstance(formula, str) else formula
    check_depth(parsed)
    known = {name for label in set(process.labels) for name in propositions_of(label)}
    for name in sorted(atoms_of(parsed) - known):
        listed = ", ".join(sorted(known)[:8]) + (", ..." if len(known) > 8 else "")
        raise ParameterError(f"no state has the proposition '{name}'; this process has {listed}")
    return parsed


def _neighbours(process: MarkovDecisionProcess, pairs: Pairs) -> tuple[tuple[str, str], ...]:
    kept: dict[frozenset[str], tuple[str, str]] = {}
    for s, t in pairs:
        process.index(s), process.index(t)
        if s != t:
            kept.setdefault(frozenset((s, t)), (s, t))
    return tuple(kept.values())
