"""Audits to report on, put together by hand from real computations."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import bdist
from bdist.audits.findings import Audit, Finding, Proof
from bdist.audits.report.document import report_html
from bdist.audits.report.wording import Facts
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.distances.compute import Settings, Skew, compute_distances
from bdist.results import Answer, Bound, Bracket, Distance, Evidence
from bdist.traces.answers import compute_trace_distance
from bdist.traces.compute import ProfileSettings
from bdist.traces.profile import Profile

ROOT = Path(__file__).parents[2]
MADE = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
SCRIPT = "<script>alert(1)</script>"
QUOTES = "\"'&amp;<b>"
BACKWARDS = "abc\u202edcba"
SPELLED_OUT = "abc\\u202edcba"  # how a page shows it
LONG = "a-very-long-name-" * 20

Pair = tuple[str, str]


def two_diners() -> LabelledMarkovChain:
    return bdist.load(ROOT / "instances/dining-cryptographers/two.lmc")


def three_diners() -> LabelledMarkovChain:
    return bdist.load(ROOT / "instances/dining-cryptographers/three.lmc")


def hostile_chain() -> LabelledMarkovChain:
    """A biased coin, tossed until it shows its other side, in names that a page must survive."""
    return LabelledMarkovChain.from_rows(
        {
            SCRIPT: (QUOTES, {SCRIPT: "1/2", BACKWARDS: "1/3", LONG: "1/6"}),
            QUOTES: (QUOTES, {QUOTES: "1/3", BACKWARDS: "1/3", LONG: "1/3"}),
            BACKWARDS: ("</style>", {BACKWARDS: "1"}),
            LONG: (f"<img src=x onerror=alert(2)> {LONG}", {LONG: "1"}),
        },
        name=f"</title>{SCRIPT}",
    )


def audit_of(chain: LabelledMarkovChain, pairs: Sequence[Pair], skew: Skew, delta: Fraction) -> Audit:
    """Everything about some pairs, computed and proved; the worst first."""
    texts: dict[str, str] = {}

    def proof(distance: Distance) -> Proof:
        text = distance.certificate.to_json()
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        texts[sha256] = text
        bracket = distance.bracket
        return Proof(bracket.lower, bracket.upper, distance.quantity, distance.pair, sha256)

    both = [*pairs, *((t, s) for s, t in pairs)]
    bds = compute_distances(chain, pairs, skew, "bd", Settings())
    lds = compute_distances(chain, both, skew, "ld", Settings())
    findings = []
    for k, pair in enumerate(pairs):
        truth = compute_trace_distance(chain, pair, skew, "tv", ProfileSettings())
        known = truth.bracket
        answer = Answer.UNKNOWN
        if known.upper.value <= delta:
            answer = Answer.HOLDS
        elif known.lower.value > delta:
            answer = Answer.VIOLATED
        ld = (proof(lds[k]), proof(lds[k + len(pairs)]))
        tv = proof(truth.distance)
        findings.append(
            Finding(pair, answer, known, proof(bds[k]), ld, tv, truth.attack, None, None, 0.01 * k)
        )
    findings.sort(key=lambda finding: -finding.delta.upper.value)
    answers = [finding.answer for finding in findings]
    verdict = next((a for a in (Answer.VIOLATED, Answer.UNKNOWN) if a in answers), Answer.HOLDS)
    return Audit(
        fingerprint(chain),
        chain.name,
        skew.epsilon,
        skew.alpha,
        skew.attack_alpha,
        delta,
        verdict,
        tuple(findings),
        texts,
        None,
        1.25,
    )


def undecided(finding: Finding) -> Finding:
    """The same pair after a run that was cut short."""
    wide = Bracket(Bound(Fraction(0), Evidence.CERTIFIED), Bound(Fraction(1, 2), Evidence.CERTIFIED))
    return replace(
        finding,
        answer=Answer.UNKNOWN,
        delta=wide,
        ld=(None, None),
        tv=None,
        attack=None,
        limit="time limit of 2 s reached",
        reason="delta is between the ends of the bracket",
    )


def profile_of(chain: LabelledMarkovChain, pair: Pair) -> Profile:
    return bdist.profile(chain, *pair)


def page_of(
    chain: LabelledMarkovChain,
    audit: Audit,
    profile: Profile | None = None,
    command: str = "bdist audit two.lmc",
) -> str:
    return report_html(Facts(audit, chain, "two.lmc", "s0:s1", command, profile, "certificates", MADE))
