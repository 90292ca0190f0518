"""Model checking of dpCTL* on Markov chains: which states satisfy a formula, why others not, what is tight.

`check` answers for every state, and for each that does not satisfy the formula it says which part fails, by
which neighbour, with both probabilities. `probabilities` are those of a path formula. `tight` takes a
formula D and asks the other way round: the smallest delta at its epsilon, and the smallest epsilon at its
delta, with which it holds in the states that are asked for. Both are maxima over neighbours: epsilon is ln
of a rational, and delta is rational where e^epsilon is.

The (epsilon, delta) of D is about one event. For delta > 0 it is weaker than differential privacy, which is
about all sets of outputs: `bdist delta` on the same chain gives the stronger one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.formats.propositions import propositions_of
from bdist.chains.relation import Relation
from bdist.dpctl.certificate import DpctlCertificate
from bdist.dpctl.checking import vouch
from bdist.dpctl.evaluation import Evaluated, Evaluator
from bdist.dpctl.formulas import And, Formula, Not, Private, Probability, atoms_of, is_state_formula
from bdist.dpctl.parser import parse
from bdist.dpctl.printer import text_of
from bdist.dpctl.syntax import check_depth, require_neighbours
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.results import Answer

Pairs = Relation | Iterable[tuple[str, str]]
Statistics = Mapping[str, int | float | str]


@dataclass(frozen=True)
class Failure:
    """Why a state does not satisfy a formula: the part that fails, and with D the neighbour.

    Probabilities are of the path formula of that part: from the state, and from the neighbour.
    """

    state: str
    part: Formula
    neighbour: str | None
    probabilities: tuple[Fraction, ...]


@dataclass(frozen=True)
class Checked:
    """The states that satisfy a formula, and for each other one why not; certified."""

    formula: Formula
    satisfied: frozenset[str]
    failures: Mapping[str, Failure]
    certificate: DpctlCertificate
    stats: Statistics

    def answer(self, states: Iterable[str]) -> Answer:
        """Whether all of these states satisfy the formula."""
        return Answer.HOLDS if self.satisfied.issuperset(states) else Answer.VIOLATED


@dataclass(frozen=True)
class Probabilities:
    """How likely a path formula is from every state; certified."""

    formula: Formula
    values: Mapping[str, Fraction]
    certificate: DpctlCertificate
    stats: Statistics


@dataclass(frozen=True)
class Tight:
    """The smallest parameters of D, with the two states that need them, the first the more likely one.

    ``ratio`` is e^epsilon for the smallest epsilon at the delta of the formula, None where none will do;
    ``delta`` the smallest delta at its epsilon, as a bracket, whose ends agree where e^epsilon is rational.
    """

    formula: Private
    ratio: Fraction | None
    ratio_at: tuple[str, str] | None
    delta: tuple[Fraction, Fraction]
    delta_at: tuple[str, str] | None
    found: Probabilities


def check(
    chain: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Pairs = (),
    *,
    budget: Budget | None = None,
) -> Checked:
    """Which states satisfy a state formula, with these neighbours.

    Ensures: the certificate was checked.
    Raises: FormatError for a text that is no formula; ParameterError where it is no state formula, a
    proposition or a state is unknown, or there is a D and no neighbours; UnsupportedError where it is too
    large; Stopped where the budget is.
    """
    parsed = _parsed(chain, formula)
    if not is_state_formula(parsed):
        raise ParameterError(
            f"'{text_of(parsed)}' speaks of runs, not of states; put it into P>=q [...] or D[...] (...)"
        )
    start, relation = time.monotonic(), _relation(chain, pairs)
    require_neighbours(parsed, relation)
    evaluator = Evaluator(chain, relation, budget or Budget())
    found = evaluator.states_of(parsed)
    satisfied = tuple(name for name, marked in zip(evaluator.names, found.marks, strict=True) if marked)
    certificate = DpctlCertificate(
        fingerprint(chain), tuple(relation), parsed, found.solutions, satisfied=satisfied
    )
    stats = _vouched(chain, certificate, start, budget)
    failures = {
        name: _failure(evaluator, parsed, number)
        for number, name in enumerate(evaluator.names)
        if not found.marks[number]
    }
    return Checked(parsed, frozenset(satisfied), failures, certificate, stats)


def probabilities(
    chain: LabelledMarkovChain,
    formula: Formula | str,
    pairs: Pairs = (),
    *,
    budget: Budget | None = None,
) -> Probabilities:
    """The probability of a path formula from every state. Ensures, Raises: as `check`."""
    parsed = _parsed(chain, formula)
    start, relation = time.monotonic(), _relation(chain, pairs)
    require_neighbours(parsed, relation)
    evaluator = Evaluator(chain, relation, budget or Budget())
    found = evaluator.probabilities_of(parsed)
    values = _values(evaluator, found)
    certificate = DpctlCertificate(
        fingerprint(chain),
        tuple(relation),
        parsed,
        found.solutions,
        probabilities=tuple(values.items()),
    )
    return Probabilities(parsed, values, certificate, _vouched(chain, certificate, start, budget))


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
    parsed = _parsed(chain, formula)
    if not isinstance(parsed, Private):
        raise ParameterError(f"'{text_of(parsed)}' is not of the form D[...] (...), which has parameters")
    relation = _relation(chain, pairs)
    require_neighbours(parsed, relation)
    found = probabilities(chain, parsed.inner, relation, budget=budget)
    asked = set(chain.states if states is None else states)
    ordered = [(s, t) for pair in relation for s, t in (pair, pair[::-1]) if asked & set(pair)]
    ratio, ratio_at = _largest_ratio(found.values, ordered, parsed.delta)
    delta, delta_at = _largest_delta(found.values, ordered, parsed.epsilon)
    return Tight(parsed, ratio, ratio_at, delta, delta_at, found)


def _largest_ratio(
    values: Mapping[str, Fraction], pairs: Sequence[tuple[str, str]], delta: Fraction
) -> tuple[Fraction | None, tuple[str, str] | None]:
    """The largest (p - delta) / p', at least 1, and where it is; None where p' is 0."""
    best, where = Fraction(1), None
    for s, t in pairs:
        excess = values[s] - delta
        if excess > 0 and values[t] == 0:
            return None, (s, t)
        if excess > best * values[t]:
            best, where = excess / values[t], (s, t)
    return best, where


def _largest_delta(
    values: Mapping[str, Fraction], pairs: Sequence[tuple[str, str]], epsilon: Epsilon
) -> tuple[tuple[Fraction, Fraction], tuple[str, str] | None]:
    """The largest p - e^epsilon p', at least 0, from both sides, and where it is."""
    down, up = epsilon.alpha_down(), epsilon.alpha_up()
    low, high, where = Fraction(0), Fraction(0), None
    for s, t in pairs:
        above = values[s] - down * values[t]
        if above > high:
            high, where = above, (s, t)
        low = max(low, values[s] - up * values[t])
    return (low, high), where


def _failure(evaluator: Evaluator, formula: Formula, state: int) -> Failure:
    """The part of a formula because of which a state does not satisfy it."""
    name = evaluator.names[state]
    if isinstance(formula, And):
        left = evaluator.states_of(formula.left)
        return _failure(evaluator, formula.right if left.marks[state] else formula.left, state)
    if isinstance(formula, Not) and isinstance(formula.inner, Not):
        return _failure(evaluator, formula.inner.inner, state)
    if isinstance(formula, Probability | Private):
        values = evaluator.probabilities_of(formula.inner).values or ()
        other = evaluator.offender(formula, values, state) if isinstance(formula, Private) else None
        if other is not None:
            return Failure(name, formula, evaluator.names[other], (values[state], values[other]))
        return Failure(name, formula, None, (values[state],))
    return Failure(name, formula, None, ())


def _parsed(chain: LabelledMarkovChain, formula: Formula | str) -> Formula:
    parsed = parse(formula) if isinstance(formula, str) else formula
    check_depth(parsed)
    known = {name for label in chain.states_by_label for name in propositions_of(label)}
    for name in sorted(atoms_of(parsed) - known):
        listed = ", ".join(sorted(known)[:8]) + (", ..." if len(known) > 8 else "")
        raise ParameterError(f"no state has the proposition '{name}'; this chain has {listed}")
    return parsed


def _relation(chain: LabelledMarkovChain, pairs: Pairs) -> Relation:
    return pairs if isinstance(pairs, Relation) else Relation.of(chain, pairs)


def _values(evaluator: Evaluator, found: Evaluated) -> dict[str, Fraction]:
    return dict(zip(evaluator.names, found.values or (), strict=True))


def _vouched(
    chain: LabelledMarkovChain, certificate: DpctlCertificate, start: float, budget: Budget | None
) -> Statistics:
    searched = time.monotonic()
    vouch(chain, certificate, budget)
    return {
        "seconds": round(searched - start, 6),
        "check_seconds": round(time.monotonic() - searched, 6),
        "systems": len(certificate.solutions),
        "states": len(chain),
    }
