"""What is behind `bdist threshold`: ask a backend, certify its answer, have the certificate checked.

A backend that is not complete may believe in a violation without a proof: a MILP that is infeasible in
floating point, an SMT solver's "unsat". Such a belief is a hint. With ``confirm`` (the default) strategy
iteration is asked to certify what the hint says; the verdict's reason then names both. It may also show that
the formula had too few states (`question`); then the backend is asked once more, about a larger one. Without
``confirm`` a backend is on its own and tries all states of the labels before it hints at a violation.

Questions about a chain with merged states come first (`question.settings_of`). They leave open whether the
threshold holds where couplings are about states that were merged; then the chain itself is asked about.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from bdist.budget import Budget, Stopped
from bdist.certificates import Document
from bdist.certificates.checking import reason_unchecked, vouch
from bdist.certificates.document import Certificate, Claim
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.distances.compute import Settings, Skew, compute_distance, is_small
from bdist.errors import BackendDied, ParameterError
from bdist.results import Answer, Bound, Bracket, Evidence, Verdict
from bdist.thresholds.by_game import sat_lp_session, strategy_session
from bdist.thresholds.by_milp import MilpSession
from bdist.thresholds.by_sat_bits import BitsSession
from bdist.thresholds.by_smt import SmtSession
from bdist.thresholds.formula import FormulaTooLarge
from bdist.thresholds.question import (
    DEFAULT_BACKEND,
    Finding,
    Opener,
    Options,
    Question,
    Session,
    Setting,
    Stats,
    settings_of,
)

BACKENDS: Mapping[str, Opener] = MappingProxyType(
    {
        "strategy": strategy_session,
        "milp": MilpSession,
        "sat-lp": sat_lp_session,
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
    if i == j:
        return _trivial(chain, pair, skew, theta, None)
    if backend == DEFAULT_BACKEND and not is_small(chain, [(i, j)]):
        return _by_distance(chain, pair, skew, theta, budget)
    asked = options or Options()
    for setting in settings_of(chain, pair):
        if not setting.has_same_label(pair):
            return _trivial(chain, pair, skew, theta, setting)
        try:
            question = Question.about(setting, pair, skew, budget, exhaustive=not confirm)
        except Stopped:
            finding = Finding(Answer.UNKNOWN, reason=budget.exhausted(), stats={"backend": backend})
            break
        finding = _found(opened(question, asked), question, theta, backend, confirm=confirm)
        if finding.upper is None or setting.holds_in_given(finding.upper, question.pair):
            break
    if finding.answer is Answer.UNKNOWN:
        return _verdict(pair, skew, theta, finding)
    certificate = setting.certificate(pair, skew, question, (finding.upper, finding.lower))
    unchecked = reason_unchecked(chain, certificate, budget)
    if unchecked is not None:  # an answer whose certificate was not checked is a hint
        finding = replace(finding, answer=Answer.UNKNOWN, reason=unchecked, hint=finding.answer)
        return _verdict(pair, skew, theta, finding)
    return _verdict(pair, skew, theta, finding, certificate)


def _found(session: Session, question: Question, theta: Fraction, backend: str, *, confirm: bool) -> Finding:
    """A backend's answer, with what strategy iteration says of its hint, if that is wanted."""
    finding = ask(session, theta, question.budget)
    solved = question.budget.elapsed()
    if confirm and finding.answer is Answer.UNKNOWN and finding.hint is not None:
        finding = _confirmed(finding, session, question, theta, backend)
    size: Stats = {"backend": backend, "pairs": len(question.space), "seconds": round(solved, 6)}
    return replace(finding, stats={**finding.stats, **size})


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


def ask(session: Session, theta: Fraction, budget: Budget) -> Finding:
    """A session's answer, where running out of budget and a dying process are answers too."""
    try:
        return session.decide(theta)
    except Stopped:
        return Finding(Answer.UNKNOWN, reason=budget.exhausted())
    except (BackendDied, FormulaTooLarge) as error:
        return Finding(Answer.UNKNOWN, reason=str(error))


def _confirmed(
    finding: Finding, session: Session, question: Question, theta: Fraction, backend: str
) -> Finding:
    """What strategy iteration says of a hint.

    If it disagrees, and has seen couplings take a detour that was not in the formula, the backend is asked
    once more.
    """
    start, noted = time.monotonic(), question.detour_count
    proved = ask(strategy_session(question, Options()), theta, question.budget)
    stats = {**finding.stats, "confirm_seconds": round(time.monotonic() - start, 6)}
    if proved.upper is not None:
        question.note_all(proved.upper)
        if question.detour_count > noted:
            again = ask(session, theta, question.budget)
            if again.answer is not Answer.UNKNOWN:
                return again
    if proved.answer is Answer.UNKNOWN:
        return replace(finding, reason=f"{finding.reason}; not confirmed: {proved.reason}", stats=stats)
    reason = f"{backend}: {finding.reason}; certified by strategy iteration"
    return replace(proved, reason=reason, hint=finding.hint, stats=stats)


def _trivial(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    theta: Fraction,
    setting: Setting | None,
) -> Verdict:
    """A state against itself, or one with another label or another time to an end: 0 or 1 by definition."""
    value = Fraction(0 if setting is None else 1)
    certificate = Certificate(
        fingerprint(chain),
        "bd",
        skew.alpha,
        (Claim(pair, value, value),),
        (),
        (),
        clock=None if setting is None else setting.ends,
    )
    vouch(chain, certificate)  # which claims what is so by definition
    answer = Answer.HOLDS if value <= theta else Answer.VIOLATED
    reason = "the states are equal" if value == 0 else "the states have different labels"
    finding = Finding(answer, reason=reason, stats={"pairs": 0})
    return _verdict(pair, skew, theta, finding, certificate)
