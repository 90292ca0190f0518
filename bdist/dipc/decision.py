"""Deciding differential privacy of a program, for every epsilon of an interval at once.

The decision procedure of Barthe, Chadha, Jagannath, Sistla and Viswanathan (LICS 2020, Theorem 7.2), without
a computer-algebra system: closed forms of all output probabilities (`distributions`), the inequalities that
privacy amounts to (`privacy`), and a proof or a point for each (`positivity`).

HOLDS and VIOLATED come with a certificate that was checked. If outputs are discretised (``disc``), a
violation carries over to the program that shows the values themselves, and privacy does not; the decision
says so.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bdist.budget import Budget, Stopped, Unchecked
from bdist.dipc.certificate import DipcCertificate, certificate_of, proofs_of, vouch
from bdist.dipc.distributions import Distributions
from bdist.dipc.expansion import fingerprint
from bdist.dipc.exploration import Shown
from bdist.dipc.exponentials import ZERO, ClosedForm
from bdist.dipc.positivity import Chain, Cover, Factors
from bdist.dipc.privacy import (
    Counterexample,
    Findings,
    PrivacyCheck,
    Question,
    Rational,
    Subject,
    distribution_on,
    posed,
    question_of,
    require_probability,
    subject_of,
)
from bdist.dipc.program import Discretised, Expression, Interval, Program
from bdist.dipc.rules import well_formed
from bdist.errors import UnsupportedError
from bdist.results import Answer

Statistics = Mapping[str, int | float | str]


@dataclass(frozen=True)
class Violation(Counterexample):
    """A counterexample with the probabilities P(in, S) and P(in', S) of its outputs."""

    probability: ClosedForm
    other: ClosedForm


@dataclass(frozen=True)
class Decision:
    """Whether a program is (t eps, delta)-differentially private for all epsilon of an interval."""

    answer: Answer
    program: Program
    question: Question
    violation: Violation | None
    certificate: DipcCertificate | None
    reason: str | None
    stats: Statistics

    @property
    def discretised(self) -> bool:
        """Whether some output is: then privacy is that of the program as it stands only."""
        return any(isinstance(output, Discretised) for output in self.program.outputs)


def decide(
    program: Program,
    *,
    factor: Rational | None = None,
    delta: Expression | Rational | None = None,
    interval: Interval | str | None = None,
    epsilon: Rational | None = None,
    budget: Budget | None = None,
) -> Decision:
    """Decide the claim of a program, or another one, for all epsilon of its interval, or for one.

    Ensures: HOLDS and VIOLATED are certified; UNKNOWN has a reason.
    Raises: ModelError where the program breaks a rule, or a run does; ParameterError; UnsupportedError.
    """
    asked = posed(program, factor, delta, interval, epsilon)
    limits, began = budget or Budget(), time.monotonic()
    flat = well_formed(asked)
    question = question_of(flat)
    try:
        require_probability(asked, question, limits)
        subject = subject_of(flat, limits)
    except Stopped:
        stats = {"seconds": round(time.monotonic() - began, 6)}
        return _unknown(asked, question, limits.exhausted() or "stopped", stats)
    return decide_subject(asked, subject, question, limits, began)


def decide_subject(
    program: Program, subject: Subject, question: Question, budget: Budget, began: float | None = None
) -> Decision:
    """Decide a question about a program that was explored, from ``began`` on. Ensures: as `decide`."""
    explored = time.monotonic()
    start = explored if began is None else began
    stats: dict[str, int | float | str] = dict(_statistics(subject))
    run = PrivacyCheck(subject, question, budget)
    try:
        findings = run.run()
    except Stopped:
        stats["seconds"] = round(time.monotonic() - start, 6)
        return _unknown(program, question, budget.exhausted() or "stopped", stats)
    decided = time.monotonic()
    stats["explore_seconds"] = round(explored - start, 6)
    stats["seconds"] = round(decided - start, 6)
    counterexample = findings.counterexample
    if counterexample is None and findings.reason is not None:
        return _unknown(program, question, findings.reason, stats)
    answer = Answer.HOLDS if counterexample is None else Answer.VIOLATED
    certificate = certificate_of(fingerprint(program), question, run.distributions, findings, answer)
    try:
        vouch(program, certificate, budget)
    except (UnsupportedError, Unchecked) as error:
        verb = "holds" if counterexample is None else "is violated"
        return _unknown(program, question, f"an uncertified proof that it {verb}; {error}", stats)
    stats |= _proof_statistics(run.distributions, findings)
    stats["check_seconds"] = round(time.monotonic() - decided, 6)
    violation = None if counterexample is None else _violation(counterexample, run.distributions)
    return Decision(answer, program, question, violation, certificate, None, stats)


def probabilities(
    program: Program, point: Sequence[Rational], *, budget: Budget | None = None
) -> dict[Shown, ClosedForm]:
    """The output distribution on one input, as functions of epsilon; exact arithmetic, not certified.

    Raises: ParameterError where it is no input; ModelError; UnsupportedError; Stopped.
    """
    found = distribution_on(program, point, budget or Budget())
    (row,) = found.table.values()
    return {shown: found.ratios[number] for shown, number in row.items()}


def _violation(found: Counterexample, distributions: Distributions) -> Violation:
    sums = []
    for point in (found.point, found.neighbour):
        row = distributions.table[point]
        parts = (distributions.ratios[row[shown]] for shown in found.outputs if shown in row)
        sums.append(sum(parts, start=ZERO))
    return Violation(found.point, found.neighbour, found.outputs, found.epsilon, sums[0], sums[1])


def _statistics(subject: Subject) -> dict[str, int]:
    table = subject.distributions.table
    return {
        "inputs": len(table),
        "pairs": len(subject.pairs),
        "outputs": len({shown for row in table.values() for shown in row}),
        "probabilities": len({number for row in table.values() for number in row.values()}),
        "states": subject.distributions.states,
    }


def _proof_statistics(found: Distributions, findings: Findings) -> dict[str, int]:
    """What is in the certificate, which is what was checked."""
    kinds = [type(proof) for _, proof in proofs_of(found, findings)]
    return {
        "inequalities": len(kinds),
        "chains": kinds.count(Chain),
        "covers": kinds.count(Cover),
        "factorisations": kinds.count(Factors),
    }


def _unknown(program: Program, question: Question, reason: str, stats: Statistics) -> Decision:
    return Decision(Answer.UNKNOWN, program, question, None, None, reason, stats)
