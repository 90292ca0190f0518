"""The smallest parameters with which D holds on a Markov decision process, over all sequences of queries.

For a bounded formula both are maxima over sequences and neighbours. The smallest delta at an epsilon is the
largest p - e^epsilon q, which the search finds at once (`queries`). The smallest epsilon at a delta is ln of
the largest (p - delta) / q, and is found by iteration (Dinkelbach 1967): at a factor, the sequence with the
largest p - factor q is sought; if that is more than delta, its own ratio is the next factor. The factor
grows, and each is the ratio of one of finitely many sequences, so in the end no sequence is better, which
is the proof. From q = 0 and p > delta it follows that no epsilon will do.

For an until there is the delta of Proposition 2 alone, from the most and the least over all schedulers; the
smallest one over sequences of queries cannot be computed in general.

What is found is certified whole: that D holds with these parameters, and the probabilities of the sequences
that need them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget
from bdist.dpctl.fingerprint import fingerprint
from bdist.dpctl.formulas import And, Formula, Private
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.printer import text_of
from bdist.dpctl.process_certificate import PartClaims, ProcessCertificate
from bdist.dpctl.process_evaluation import ProcessEvaluator, Undecided, parts_of
from bdist.dpctl.process_paths import NumberedProcess, Pairs, PathValues
from bdist.dpctl.processes import Statistics, parsed_for, refusal, vouched
from bdist.dpctl.queries import QuerySearch
from bdist.dpctl.syntax import require_neighbours
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.exact.fast import ONE, ZERO, fast, slow

Bracket = tuple[Fraction, Fraction]


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
    parsed, start = parsed_for(process, formula), time.monotonic()
    if not isinstance(parsed, Private):
        raise ParameterError(f"'{text_of(parsed)}' is not of the form D[...] (...), which has parameters")
    limits, numbered = budget or Budget(), NumberedProcess(process, pairs)
    require_neighbours(parsed, numbered.pairs)
    evaluator = ProcessEvaluator(numbered, limits)
    try:
        path = evaluator.path(parsed.inner)
    except Undecided as error:
        raise refusal(error, limits) from None
    asked = set(process.states if states is None else states)
    search = _TightSearch(path, asked, limits)
    coarse = search.delta_by_extremes(parsed.epsilon)
    delta, delta_at, ratio, ratio_at = None, None, None, None
    if path.nodes is not None:
        delta, delta_at = search.delta(parsed.epsilon)
        ratio, ratio_at = search.ratio(parsed.delta)
    claim: Formula = replace(parsed, delta=coarse[1] if delta is None else delta[1])
    last = sum(1 for _ in parts_of(claim)) - 1  # the number of that D among its parts
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
        stats = vouched(process, certificate, start, limits)
    return ProcessTight(parsed, delta, delta_at, ratio, ratio_at, coarse, certificate, stats)


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
            for factor in (fast(epsilon.alpha_up()), fast(epsilon.alpha_down()))
        )
        return max(Fraction(0), slow(low)), max(Fraction(0), slow(high))

    def delta(self, epsilon: Epsilon) -> tuple[Bracket, Apart | None]:
        """The smallest delta over sequences of queries, and a sequence that needs it."""
        factor, best, where = fast(epsilon.alpha_down()), ZERO, None
        for pair in self._pairs:
            found = self._largest(pair, factor, best)
            if found is not None:
                where = found
                best = _difference(found, factor)
        if where is None:
            return (Fraction(0), Fraction(0)), None
        low = _difference(where, fast(epsilon.alpha_up()))
        return (max(Fraction(0), slow(low)), slow(best)), where

    def ratio(self, delta: Fraction) -> tuple[Fraction | None, Apart | None]:
        """e^epsilon for the smallest epsilon, and a sequence that needs it; None where none will do."""
        factor, where = ONE, None
        for pair in self._pairs:
            while (found := self._largest(pair, factor, fast(delta))) is not None:
                where = found
                p, q = found.probabilities
                if q == 0:
                    return None, where
                factor = fast((p - delta) / q)
        return slow(factor), where

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
        probabilities = slow(path.won(s, actions)), slow(path.won(t, actions))
        return Apart(pair, tuple(process.actions[a] for a in actions), probabilities)


def _difference(apart: Apart, factor: fmpq) -> fmpq:
    p, q = apart.probabilities
    return fast(p) - factor * fast(q)
