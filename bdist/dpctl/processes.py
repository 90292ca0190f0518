"""dpCTL* on Markov decision processes: what no sequence of queries can tell, and what one can.

`check_process` answers for every state with one of three values, as not everything can be decided
(`process_parts` says what is, `process_evaluation` how formulas are put together from it), and for each state
that does not satisfy the formula it says which part fails, and by which queries. `extremes` are the least and
the most probability of a path formula over all schedulers.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget, Stopped
from bdist.chains.formats.propositions import propositions_of
from bdist.dpctl.checking import vouch_process
from bdist.dpctl.fingerprint import fingerprint
from bdist.dpctl.formulas import Comparison, Formula, Probability, atoms_of, is_state_formula
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.parser import parse
from bdist.dpctl.printer import text_of
from bdist.dpctl.process_certificate import ProcessCertificate
from bdist.dpctl.process_evaluation import ProcessEvaluator, Undecided, parts_of
from bdist.dpctl.process_parts import ProcessWitness
from bdist.dpctl.process_paths import NumberedProcess, Pairs
from bdist.dpctl.syntax import check_depth, require_neighbours
from bdist.errors import ParameterError, UnsupportedError
from bdist.results import Answer

Statistics = Mapping[str, int | float | str]

_ANSWERS = {True: Answer.HOLDS, False: Answer.VIOLATED, None: Answer.UNKNOWN}


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
        found = [self.answers[state] for state in states]
        if Answer.VIOLATED in found:
            return Answer.VIOLATED
        return Answer.UNKNOWN if Answer.UNKNOWN in found else Answer.HOLDS


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
    parsed, start = parsed_for(process, formula), time.monotonic()
    if not is_state_formula(parsed):
        raise ParameterError(
            f"'{text_of(parsed)}' speaks of runs, not of states; put it into P>=q [...] or D[...] (...)"
        )
    numbered = NumberedProcess(process, pairs)
    require_neighbours(parsed, numbered.pairs)
    evaluator = ProcessEvaluator(numbered, budget or Budget())
    known = dict(enumerate(evaluator.known(parsed)))
    certificate = evaluator.certificate(fingerprint(process), parsed)
    stats = vouched(process, certificate, start, budget)
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
    parsed, start = parsed_for(process, formula), time.monotonic()
    limits, numbered = budget or Budget(), NumberedProcess(process, pairs)
    require_neighbours(parsed, numbered.pairs)
    evaluator = ProcessEvaluator(numbered, limits)
    try:
        claims = evaluator.extremes(parsed, evaluator.process.names)
    except Undecided as error:
        raise refusal(error, limits) from None
    # of a state formula as well, which is 0 or 1; but then only as what a P is of it is one of the parts
    claim = Probability(Comparison.AT_LEAST, Fraction(0), parsed) if is_state_formula(parsed) else parsed
    last = sum(1 for _ in parts_of(claim)) - 1
    certificate = evaluator.certificate(fingerprint(process), claim, {last: claims})
    stats = vouched(process, certificate, start, budget)
    return Extremes(
        parsed,
        {state: low for state, low, _ in claims.extremes},
        {state: high for state, _, high in claims.extremes},
        certificate,
        stats,
    )


def refusal(error: Undecided, budget: Budget) -> Exception:
    """What to raise where a path formula has no values: they are not offered, or there was no time."""
    return Stopped() if budget.exhausted() else UnsupportedError(str(error))


def parsed_for(process: MarkovDecisionProcess, formula: Formula | str) -> Formula:
    """A formula whose propositions the process has. Raises: FormatError, ParameterError, UnsupportedError."""
    parsed = parse(formula) if isinstance(formula, str) else formula
    check_depth(parsed)
    known = {name for label in set(process.labels) for name in propositions_of(label)}
    for name in sorted(atoms_of(parsed) - known):
        listed = ", ".join(sorted(known)[:8]) + (", ..." if len(known) > 8 else "")
        raise ParameterError(f"no state has the proposition '{name}'; this process has {listed}")
    return parsed


def vouched(
    process: MarkovDecisionProcess, certificate: ProcessCertificate, start: float, budget: Budget | None
) -> Statistics:
    """Check a certificate, and say how long all took. Raises: as `vouch_process`."""
    searched = time.monotonic()
    vouch_process(process, certificate, budget)
    return {
        "seconds": round(searched - start, 6),
        "check_seconds": round(time.monotonic() - searched, 6),
        "parts": len(certificate.parts),
        "states": len(process.states),
        "actions": len(process.actions),
    }
