"""What is behind `bdist threshold`: ask a backend, certify its answer, have the certificate checked.

A backend that is not complete may believe in a violation without a proof: a MILP that is infeasible in
floating point, an SMT solver's "unsat". Such a belief is a hint. With ``confirm`` (the default) strategy
iteration is asked to certify what the hint says; the verdict's reason then names both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from bdist.budget import Budget, Stopped
from bdist.certificates import Document
from bdist.certificates.checking import reason_unchecked, vouch
from bdist.certificates.document import Certificate, Claim
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.distances.compute import Settings, Skew, compute_distance, is_small
from bdist.distances.pairs import PairSpace
from bdist.distances.run import LowerEvidence, Run, UpperEvidence
from bdist.distances.strategy import improvements
from bdist.errors import BackendDied, ParameterError
from bdist.lp import DEFAULT_ENGINE, engine_named
from bdist.results import Answer, Bound, Bracket, Evidence, Verdict
from bdist.thresholds.by_milp import MilpSession
from bdist.thresholds.by_sat_bits import BitsSession
from bdist.thresholds.by_sat_lp import SatLpSession
from bdist.thresholds.by_smt import SmtSession
from bdist.thresholds.formula import FormulaTooLarge
from bdist.thresholds.question import DEFAULT_BACKEND, Finding, Opener, Options, Question, Session


class StrategySession:
    """The backend `strategy`: strategy iteration, stopped as soon as its bounds decide the threshold.

    The reference that the others are measured against. The iteration is resumed, not repeated, when the next
    threshold needs sharper bounds.
    """

    def __init__(self, question: Question, _: Options) -> None:
        self._pair = question.pair
        self._run = Run(question.space, engine_named(DEFAULT_ENGINE), question.budget, None, question.pair)
        self._steps = improvements(self._run)

    def decide(self, theta: Fraction) -> Finding:
        """HOLDS or VIOLATED, whatever it takes. Raises: Stopped."""
        run = self._run
        while True:
            lower, upper = run.bounds(self._pair)
            stats = {"linear_programs": run.tally.solved, "rounds": run.rounds}
            if run.upper is not None and upper <= theta:
                return Finding(Answer.HOLDS, upper=run.upper, stats=stats)
            if run.lower is not None and lower > theta:
                return Finding(Answer.VIOLATED, lower=run.lower, stats=stats)
            next(self._steps)  # ends only with equal bounds, which decide


BACKENDS: Mapping[str, Opener] = MappingProxyType(
    {
        "strategy": StrategySession,
        "milp": MilpSession,
        "sat-lp": SatLpSession,
        "sat-bits": BitsSession,
        "smt": SmtSession,
    }
)


def backend_named(name: str) -> Opener:
    """Look a backend up. Raises: ParameterError with the names there are."""
    try:
        return BACKENDS[name]
    except KeyError:
        raise ParameterError(
            f"there is no threshold backend '{name}'; choose one of {', '.join(BACKENDS)}"
        ) from None


def decide_threshold(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    theta: Fraction,
    backend: str,
    budget: Budget,
    options: Options | None = None,
    confirm: bool = True,
) -> Verdict:
    """Whether bd_alpha of a pair is at most theta, by a backend.

    Raises: ParameterError, BackendError where an engine is not installed or fails, InternalError.
    """
    opened = backend_named(backend)
    i, j = chain.index(pair[0]), chain.index(pair[1])
    if backend == DEFAULT_BACKEND and not is_small(chain, [(i, j)]):
        return _by_distance(chain, pair, skew, theta, budget)
    if i == j or chain.labels[i] != chain.labels[j]:
        return _trivial(chain, pair, skew, theta, Fraction(0 if i == j else 1))
    try:
        space = PairSpace(chain, skew.alpha, [(i, j)], budget=budget)
    except Stopped:
        finding = Finding(Answer.UNKNOWN, reason=budget.exhausted(), stats={"backend": backend})
        return _verdict(pair, skew, theta, finding)
    number = space.number[i, j]
    question = Question(space, number, budget)
    finding = ask(lambda: opened(question, options or Options()), theta, budget)
    solved = budget.elapsed()
    if confirm and finding.answer is Answer.UNKNOWN and finding.hint is not None:
        finding = _confirmed(finding, backend, question, theta)
    stats = {**finding.stats, "backend": backend, "pairs": len(space), "seconds": round(solved, 6)}
    finding = replace(finding, stats=stats)
    if finding.answer is Answer.UNKNOWN:
        return _verdict(pair, skew, theta, finding)
    certificate = certificate_of(chain, skew, pair, number, finding.upper, finding.lower)
    unchecked = reason_unchecked(chain, certificate, budget)
    if unchecked is not None:  # an answer whose certificate was not checked is a hint
        finding = replace(finding, answer=Answer.UNKNOWN, reason=unchecked, hint=finding.answer)
        return _verdict(pair, skew, theta, finding)
    return _verdict(pair, skew, theta, finding, certificate)


def _verdict(
    pair: tuple[str, str],
    skew: Skew,
    theta: Fraction,
    finding: Finding,
    certificate: Document | None = None,
    bracket: Bracket | None = None,
) -> Verdict:
    """A finding with its checked certificate; the bracket is what that proves, [0, 1] without one."""
    if bracket is None:
        claim = Claim(pair, Fraction(0), Fraction(1))
        if isinstance(certificate, Certificate):
            claim = certificate.claims[0]
        bracket = Bracket(Bound(claim.lower, Evidence.CERTIFIED), Bound(claim.upper, Evidence.CERTIFIED))
    return Verdict(
        finding.answer,
        "bd",
        pair,
        skew.alpha,
        theta,
        bracket,
        certificate,
        finding.reason,
        finding.hint,
        finding.stats,
    )


def _by_distance(
    chain: LabelledMarkovChain, pair: tuple[str, str], skew: Skew, theta: Fraction, budget: Budget
) -> Verdict:
    """Strategy iteration on a large chain: the distance itself decides, as a bracket if that is enough."""
    found = compute_distance(chain, pair, skew, "bd", Settings(budget=budget))
    bracket = found.bracket
    if found.limit is None and bracket.lower.value <= theta < bracket.upper.value:
        found = compute_distance(chain, pair, skew, "bd", Settings(budget=budget, precision=Fraction(0)))
        bracket = found.bracket
    stats = {**found.stats, "backend": DEFAULT_BACKEND}
    if bracket.lower.value <= theta < bracket.upper.value:
        finding = Finding(Answer.UNKNOWN, reason=found.limit, stats=stats)
        return _verdict(pair, skew, theta, finding, bracket=bracket)
    answer = Answer.HOLDS if bracket.upper.value <= theta else Answer.VIOLATED
    return _verdict(pair, skew, theta, Finding(answer, stats=stats), found.certificate, bracket)


def ask(session: Callable[[], Session], theta: Fraction, budget: Budget) -> Finding:
    """A session's answer, where running out of budget and a dying process are answers too."""
    try:
        return session().decide(theta)
    except Stopped:
        return Finding(Answer.UNKNOWN, reason=budget.exhausted())
    except (BackendDied, FormulaTooLarge) as error:
        return Finding(Answer.UNKNOWN, reason=str(error))


def _confirmed(finding: Finding, backend: str, question: Question, theta: Fraction) -> Finding:
    start = time.monotonic()
    proved = ask(lambda: StrategySession(question, Options()), theta, question.budget)
    stats = {**finding.stats, "confirm_seconds": round(time.monotonic() - start, 6)}
    if proved.answer is Answer.UNKNOWN:
        return replace(finding, reason=f"{finding.reason}; not confirmed: {proved.reason}", stats=stats)
    reason = f"{backend}: {finding.reason}; certified by strategy iteration"
    return replace(proved, reason=reason, hint=finding.hint, stats=stats)


def certificate_of(
    chain: LabelledMarkovChain,
    skew: Skew,
    pair: tuple[str, str],
    number: int,
    upper: UpperEvidence | None,
    lower: LowerEvidence | None,
) -> Certificate:
    """A certificate for one pair from whatever evidence there is."""
    claim = Claim(
        pair,
        lower.bound(number) if lower is not None else Fraction(0),
        upper.bound(number) if upper is not None else Fraction(1),
    )
    return Certificate(
        fingerprint(chain),
        "bd",
        skew.alpha,
        (claim,),
        tuple(upper.records([number])) if upper is not None else (),
        tuple(lower.stages([number])) if lower is not None else (),
        chain.states,
    )


def _trivial(
    chain: LabelledMarkovChain, pair: tuple[str, str], skew: Skew, theta: Fraction, value: Fraction
) -> Verdict:
    """A state against itself, or against a state with another label: the distance is 0 or 1 by definition."""
    certificate = Certificate(fingerprint(chain), "bd", skew.alpha, (Claim(pair, value, value),), (), ())
    vouch(chain, certificate)  # which claims what is so by definition
    answer = Answer.HOLDS if value <= theta else Answer.VIOLATED
    reason = "the states are equal" if value == 0 else "the states have different labels"
    finding = Finding(answer, reason=reason, stats={"pairs": 0})
    return _verdict(pair, skew, theta, finding, certificate)
