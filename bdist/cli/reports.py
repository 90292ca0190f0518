"""How answers are shown: a number first, then what it means, what proves it, and what it took."""

from __future__ import annotations

from bdist.cli.terminal import LIMIT_REACHED
from bdist.exact.display import counted, decimal_down, decimal_up, exact_text
from bdist.exact.reading import rational_text
from bdist.printing import named
from bdist.report import Report
from bdist.results import Bracket, Distance, Evidence
from bdist.traces.attack import Attack, attack_json, attack_lines
from bdist.traces.true_delta import TraceDistance

_LONGEST_FRACTION = 40


def distance_report(distance: Distance, truth: TraceDistance | None) -> Report:
    """A distance, and the true delta beside it if it was computed."""
    lines = [headline(_name(distance), distance.bracket, distance.limit)]
    bound = distance.bracket
    if truth is not None:
        lines.append("  " + headline("true delta", truth.bracket, truth.distance.limit))
        bound = truth.bracket if truth.bracket.upper.value <= bound.upper.value else bound
    lines.append(_privacy(distance, bound, None if truth is None else truth.bracket))
    if truth is not None and truth.attack is not None:
        lines += attack_report(truth.attack)
    return _report(distance, lines, truth)


def trace_report(found: TraceDistance) -> Report:
    """A bracket on lv or tv with its attack."""
    distance = found.distance
    lines = [headline(_name(distance), distance.bracket, distance.limit)]
    if not distance.alpha_is_exact:
        lines.append("  " + headline(f"at {power_text(distance.epsilon)}", found.bracket, None))
    if distance.quantity == "tv":
        lines.append(_privacy(distance, found.bracket, found.bracket))
    if found.attack is not None:
        lines += attack_report(found.attack)
    return _report(distance, lines, found)


def _report(distance: Distance, lines: list[str], truth: TraceDistance | None) -> Report:
    document = distance_json(distance) | {"true_delta": None if truth is None else trace_json(truth)}
    code = LIMIT_REACHED if distance.limit is not None else 0
    return Report("\n".join([*lines, _proof(distance), _work(distance)]), document, code)


def distance_json(distance: Distance) -> dict[str, object]:
    """A distance as a JSON object."""
    bracket = distance.bracket
    return {
        "quantity": distance.quantity,
        "pair": list(distance.pair),
        "alpha": rational_text(distance.alpha),
        "epsilon": distance.epsilon,
        "alpha_is_exact": distance.alpha_is_exact,
        "lower": rational_text(bracket.lower.value),
        "upper": rational_text(bracket.upper.value),
        "exact": bracket.exact,
        "evidence": {"lower": bracket.lower.evidence.value, "upper": bracket.upper.evidence.value},
        "limit": distance.limit,
        "stats": dict(distance.stats),
    }


def trace_json(found: TraceDistance) -> dict[str, object]:
    """What is known of the true delta as a JSON object."""
    bracket = found.bracket
    return {
        "lower": rational_text(bracket.lower.value),
        "upper": rational_text(bracket.upper.value),
        "exact": bracket.exact,
        "evidence": {"lower": bracket.lower.evidence.value, "upper": bracket.upper.evidence.value},
        "limit": found.distance.limit,
        "attack": None if found.attack is None else attack_json(found.attack),
    }


def headline(name: str, bracket: Bracket, limit: str | None) -> str:
    """A number with its strength: certified only where both ends are part of the certificate."""
    certified = bracket.lower.evidence is bracket.upper.evidence is Evidence.CERTIFIED
    if bracket.unchecked:
        low, high = decimal_down(bracket.lower.value), decimal_up(bracket.upper.value)
        shown = (
            f"{name} = {exact_text(bracket.upper.value)}"
            if bracket.width == 0
            else f"{low} <= {name} <= {high}"
        )
        return f"{shown}        not certified: {limit}"
    if bracket.exact:
        return f"{name} = {exact_text(bracket.upper.value)}        exact{', certified' if certified else ''}"
    low, high = decimal_down(bracket.lower.value), decimal_up(bracket.upper.value)
    why = f"; {limit}" if limit else ""
    return f"{low} <= {name} <= {high}        {'certified bracket' if certified else 'proved bracket'}{why}"


def power_text(epsilon: str | None) -> str:
    """e to the power of an epsilon as it was written."""
    plain = epsilon is not None and epsilon.replace(".", "").isdecimal()
    return f"e^{epsilon}" if plain else f"e^({epsilon})"


def alpha_text(distance: Distance) -> str:
    """How the skew is named in print: the alpha that was used and, for an epsilon, how it relates to it."""
    alpha = rational_text(distance.alpha)
    if distance.epsilon is None:
        return f"alpha {alpha}"
    if distance.alpha_is_exact:
        return f"epsilon {distance.epsilon} (alpha {alpha})"
    return f"alpha {alpha} (just below {power_text(distance.epsilon)})"


def _name(distance: Distance) -> str:
    where = " of the quotient" if distance.quotient and distance.quantity in ("bd", "ld") else ""
    s, t = map(named, distance.pair)
    return f"{distance.quantity}({s}, {t}){where} at {alpha_text(distance)}"


def _privacy(distance: Distance, bound: Bracket, truth: Bracket | None) -> str:
    """What follows from the better upper bound; ``truth`` is the bracket on the true delta, if there is one.

    Only a true delta of 1 excludes privacy. A bd of 1 does not.
    """
    delta = bound.upper.value
    if bound.unchecked:
        return "  privacy   none is proved: the proof is not checked"
    if truth is not None and truth.lower.value == 1:
        return "  privacy   none for any delta below 1: the two states are told apart with certainty"
    if delta >= 1:
        return "  privacy   none is proved: every two states are within delta = 1"
    text = rational_text(delta)
    text = text if len(text) <= _LONGEST_FRACTION and bound.exact else decimal_up(delta)
    epsilon = distance.epsilon if distance.epsilon is not None else f"ln({rational_text(distance.alpha)})"
    one_way = " (this order only)" if distance.quantity in ("ld", "lv") and bound is distance.bracket else ""
    return f"  privacy   ({epsilon}, {text})-differential privacy holds between these two states{one_way}"


def attack_report(attack: Attack) -> list[str]:
    """An attack in the lines of a report."""
    first, *others = attack_lines(attack)
    return [f"  attack    {first}", *(f"            {line}" for line in others)]


def _proof(distance: Distance) -> str:
    certificate, seconds = distance.certificate, distance.stats["check_seconds"]
    uppers, lowers = len(certificate.upper), len(certificate.lower)
    what = f"{uppers} upper and {counted(lowers, 'lower record')}"
    if certificate.trees:
        nodes = sum(len(tree.nodes) for tree in certificate.trees)
        trees = f"{counted(len(certificate.trees), 'tree')} of {counted(nodes, 'node')}"
        what = f"{trees} and {counted(uppers, 'record')}"
    elif not uppers and not lowers:
        what = "by definition"  # one state, or one class of bisimilar ones; or two labels
    checked = "not checked" if distance.bracket.unchecked else f"checked in {seconds:.2g} s"
    return f"  proof     {what}, {checked}"


def _work(distance: Distance) -> str:
    stats = distance.stats
    if stats["method"] == "search":
        by = "" if stats["finished_by"] == stats["backend"] else f", finished by {stats['finished_by']}"
        calls = counted(int(stats["threshold_calls"]), "threshold call")
        what = f"search with {stats['backend']}: {calls}{by}"
    elif stats["method"] == "unfolding":
        what = f"unfolding: {counted(int(stats['nodes']), 'node')}"
    elif not stats["pairs"] and distance.limit is not None:
        what = f"{stats['method']}: stopped while the pairs were listed"
    else:
        programs = counted(int(stats["linear_programs"]), "linear program")
        what = f"{stats['method']}: {counted(int(stats['pairs']), 'pair')}, {programs}"
    return f"  work      {what}, {stats['seconds']:.2g} s"
