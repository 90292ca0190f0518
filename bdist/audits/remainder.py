"""An audit of a mechanism some of whose runs were cut off, from the audit of its chain.

In the chain (`bdist.chains.mechanism`) the runs that are cut off show a label that no other input has. It has
lv_alpha(s, t) = L + r, where L is the best that an event on whole runs gains, r the remainder of s, and u
that of t. The mechanism's own lv_alpha(s, t) is between L - alpha u and L + r. So every upper end that is
proved of the chain holds for the mechanism, and with it every verdict HOLDS; from a lower end, r + alpha u is
taken off, for the order of the pair that it comes from. Which one that was is not asked: the larger of both
is taken. K independent runs are one run of the mechanism that is repeated K times, in whose chain the best
event takes all sequences in which a run of s was cut off; their probability is 1 - (1 - r)^K, which takes the
place of r, and likewise for u.

A violation that is not one any more is UNKNOWN, with this reason. Attacks are kept: they are tests on the
chain, and what is said of them is said of the chain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from bdist.audits.findings import Audit, Finding, by_badness
from bdist.exact.rationals import decimal_up
from bdist.printing import named
from bdist.results import Answer, Bound, Bracket, Evidence


def with_remainders(audit: Audit, remainders: Mapping[str, Fraction]) -> Audit:
    """What the audit of the chain says of the mechanism.

    Requires: the audit is of a mechanism's chain, which has these remainders, by state; there is one.
    Ensures: each bracket holds for the true delta of the mechanism, and each answer follows from it.
    """
    findings = tuple(sorted((_finding(audit, f, remainders) for f in audit.findings), key=by_badness))
    worst = max(remainders, key=lambda state: remainders[state])
    note = (
        "runs with too many draws are cut off, with a probability of at most "
        f"{decimal_up(remainders[worst])}, that of {named(worst)}; upper ends take them as "
        "told apart, lower ends as not; attacks, profiles and certificates are about the chain in "
        "which they are told apart"
    )
    return replace(audit, answer=findings[0].answer, findings=findings, note=note)


def _finding(audit: Audit, finding: Finding, remainders: Mapping[str, Fraction]) -> Finding:
    r, u = (1 - (1 - remainders.get(state, Fraction(0))) ** audit.runs for state in finding.pair)
    off = max(r + audit.attack_alpha * u, u + audit.attack_alpha * r)
    if not off:
        return finding
    lower = Bound(max(Fraction(0), finding.delta.lower.value - off), Evidence.EXACT)
    bracket = Bracket(lower, finding.delta.upper)
    if finding.answer is Answer.VIOLATED and lower.value <= audit.delta:
        reason = "runs that were cut off may make up for it; allow for more draws"
        return replace(finding, delta=bracket, answer=Answer.UNKNOWN, attack=None, reason=reason)
    return replace(finding, delta=bracket)
