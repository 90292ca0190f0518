"""An audit in words and as a JSON object: the verdict first, then the worst pair, then all the others."""

from __future__ import annotations

from fractions import Fraction

from bdist.audits.findings import Audit, Finding, Proof
from bdist.exact.display import counted, decimal_cut, decimal_down, decimal_up, exact_text
from bdist.exact.reading import rational_text
from bdist.printing import message_text, named
from bdist.results import Answer, Bracket, Evidence

MOST_LINES = 20
_LONGEST = 24  # of a fraction in a headline
_DIGITS = 7  # of a decimal in the table


def summary(audit: Audit, most: int = MOST_LINES) -> str:
    """What a person wants to know, in lines; of the pairs at most so many."""
    privacy = f"({audit.epsilon_text}, {rational_text(audit.delta)})-differential privacy"
    if audit.runs > 1:
        privacy += f" of {audit.runs} runs"
    of = f" of {named(audit.name)}" if audit.name else ""
    lines = [f"{privacy}{of}: {_verdict(audit)}"]
    worst = audit.findings[0]
    lines.append(f"  worst     {_pair(worst)}: {_bracket_text(worst.delta)}")
    if worst.reason is not None:
        lines.append(f"  reason    {message_text(worst.reason)}")
    elif audit.count(Answer.UNKNOWN):
        lines.append(_unknown(audit))
    lines.append(_holds_for(audit))
    if worst.attack is not None and worst.delta.lower.value > 0:
        lines += worst.attack.report_lines()
    if audit.note is not None:
        lines.append(f"  note      {message_text(audit.note)}")
    lines += _table(audit.findings[:most])
    if len(audit.findings) > most:
        lines.append(f"    and {len(audit.findings) - most} more (all of them with --json or --report)")
    lines.append(f"  work      {counted(len(audit.certificates), 'certificate')}, {audit.seconds:.2g} s")
    return "\n".join(lines)


def audit_json(audit: Audit) -> dict[str, object]:
    """The whole audit as a JSON object; certificates by their SHA-256."""
    return {
        "answer": audit.answer.value,
        "model": audit.model,
        "epsilon": audit.epsilon,
        "alpha": rational_text(audit.alpha),
        "attack_alpha": rational_text(audit.attack_alpha),
        "delta": rational_text(audit.delta),
        "runs": audit.runs,
        "holds_for_delta": rational_text(audit.holds_for),
        "limit": audit.limit,
        "note": audit.note,
        "seconds": audit.seconds,
        "pairs": [_finding_json(finding) for finding in audit.findings],
    }


def _verdict(audit: Audit) -> str:
    total = len(audit.findings)
    if audit.answer is Answer.HOLDS:
        if not total:
            return "HOLDS"
        strength = "certified" if audit.runs == 1 else "proved, from the certified profiles of one run"
        pairs = f"all {total} pairs" if total > 1 else "one pair"
        return f"HOLDS for {pairs} of neighbours        {strength}"
    share = f"{audit.count(audit.answer)} of {total} pairs" if total > 1 else "one pair"
    return f"{'VIOLATED by' if audit.answer is Answer.VIOLATED else 'UNKNOWN for'} {share} of neighbours"


def _unknown(audit: Audit) -> str:
    """How many pairs are open beside one that is violated, and why."""
    reasons = list(dict.fromkeys(f.reason for f in audit.findings if f.reason is not None))
    more = ", and for other reasons" if len(reasons) > 1 else ""
    share = f"{audit.count(Answer.UNKNOWN)} of {len(audit.findings)} pairs"
    return f"  unknown   {share}: {message_text(reasons[0])}{more}"


def _holds_for(audit: Audit) -> str:
    """For which delta privacy is proved. That it is the least is said of the exact number, never of a
    decimal that was rounded up.
    """
    delta = audit.holds_for
    certain = next((finding for finding in audit.findings if finding.delta.lower.value == 1), None)
    if certain is not None:
        return f"  holds     for no delta below 1: {_pair(certain)} are told apart with certainty"
    if delta >= 1:
        return "  holds     for no delta below 1, as far as is proved"
    text = rational_text(delta)
    is_least = delta > 0 and any(f.delta.exact and f.delta.upper.value == delta for f in audit.findings)
    holds = "  holds     at this epsilon for delta = "
    if len(text) <= _LONGEST:
        return f"{holds}{text}{' and for no smaller one' if is_least else ''}"
    least = f", rounded up from the least, {exact_text(delta)}" if is_least else ", rounded up"
    return f"{holds}{decimal_up(delta)}{least}"


def _table(findings: tuple[Finding, ...]) -> list[str]:
    rows = [["pair", "verdict", "true delta"]]
    rows += [[_pair(f), f.answer.value, _range(f.delta.lower.value, f.delta.upper.value)] for f in findings]
    if any(f.bd is not None for f in findings):
        cells = [(_proof_cell(f.bd), ", ".join(map(_proof_cell, f.ld))) for f in findings]
        rows = [[*row, *more] for row, more in zip(rows, [("bd", "ld"), *cells], strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _pair(finding: Finding) -> str:
    return f"{named(finding.pair[0])} ~ {named(finding.pair[1])}"


def _bracket_text(bracket: Bracket) -> str:
    if bracket.exact:
        certified = bracket.lower.evidence is bracket.upper.evidence is Evidence.CERTIFIED
        strength = "exact, certified" if certified else "exact"
        return f"true delta = {exact_text(bracket.upper.value)}        {strength}"
    low, high = decimal_down(bracket.lower.value), decimal_up(bracket.upper.value)
    return f"{low} <= true delta <= {high}"


def _proof_cell(proof: Proof | None) -> str:
    return "-" if proof is None else _range(proof.lower, proof.upper)


def _range(lower: Fraction, upper: Fraction) -> str:
    """A value or a bracket for a table: rounded outwards, and cut values marked."""
    if lower == upper:
        return decimal_cut(lower, _DIGITS)
    return f"[{decimal_down(lower, _DIGITS)}, {decimal_up(upper, _DIGITS)}]"


def _finding_json(finding: Finding) -> dict[str, object]:
    bracket = finding.delta
    return {
        "pair": list(finding.pair),
        "answer": finding.answer.value,
        "true_delta": {
            "lower": rational_text(bracket.lower.value),
            "upper": rational_text(bracket.upper.value),
            "exact": bracket.exact,
            "evidence": {"lower": bracket.lower.evidence.value, "upper": bracket.upper.evidence.value},
        },
        "bd": _proof_json(finding.bd),
        "ld": [_proof_json(proof) for proof in finding.ld],
        "tv": _proof_json(finding.tv),
        "attack": None if finding.attack is None else finding.attack.document(),
        "limit": finding.limit,
        "reason": finding.reason,
        "seconds": finding.seconds,
    }


def _proof_json(proof: Proof | None) -> dict[str, object] | None:
    if proof is None:
        return None
    ends = {"lower": rational_text(proof.lower), "upper": rational_text(proof.upper)}
    return {"pair": list(proof.pair), **ends, "certificate": proof.certificate}
