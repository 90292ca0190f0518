"""The verdict: one word, what it means, what is proved instead where it is not the one hoped for."""

from __future__ import annotations

from bdist.audits.findings import Finding
from bdist.audits.report import wording
from bdist.audits.report.facts import Facts
from bdist.chains.drawings.markup import Markup, element, joined
from bdist.results import Answer

_HOLDS = (
    "Whatever an observer of the labels looks for, it is at most e^ε times as likely from one state of a "
    "pair as from the other, plus δ: for every event E and in both orders, P(E from one) ≤ e^ε · P(E from "
    "the other) + δ."
)
_VIOLATED = (
    "There is something to look for in the labels, an event E, that is more likely from one state of a pair "
    "than privacy allows: P(E from one) > e^ε · P(E from the other) + δ."
)
_UNKNOWN = (
    "No event was found that breaks the bound, and no proof that there is none: δ lies between what is "
    "proved about the true δ from below and from above. More time may decide it."
)
_MEANINGS = {Answer.HOLDS: _HOLDS, Answer.VIOLATED: _VIOLATED, Answer.UNKNOWN: _UNKNOWN}


def verdict_section(facts: Facts) -> Markup:
    """The banner with the verdict and its explanation."""
    answer = facts.audit.answer
    sign = element("span", wording.SYMBOLS[answer], class_="sign", aria_hidden="true")
    return element(
        "section",
        element("h2", sign, " Verdict: ", element("strong", answer.value.upper()), id="verdict"),
        element("p", _claim(facts), class_="claim"),
        element("p", wording.prose(_MEANINGS[answer]), _where_shown(facts)),
        element("p", _proved(facts)),
        _worst(facts),
        _limit(facts),
        class_=f"verdict {answer.value}",
        aria_labelledby="verdict",
    )


def _where_shown(facts: Facts) -> str | None:
    """Where the event of a violation is to be found: below, if what can be listed of it is enough."""
    worst = facts.worst
    if worst is None or worst.answer is not Answer.VIOLATED:
        return None
    if worst.attack is not None and worst.attack.advantage(facts.audit.attack_alpha) > facts.audit.delta:
        return " The event is shown below, with its exact probabilities."
    return " That there is one is proved by a certificate; it is not listed in full."


def _claim(facts: Facts) -> Markup:
    audit, total = facts.audit, len(facts.audit.findings)
    delta = wording.exact(audit.delta)
    privacy = joined("(ε, δ)-differential privacy with ε = ", wording.name(facts.epsilon), " and δ = ", delta)
    if audit.answer is Answer.HOLDS:
        where = "the one pair" if total == 1 else f"all {wording.plural(total, 'pair')}"
        return joined(privacy, f" holds between the two states of {where} of neighbours.")
    part = (
        "the one pair" if total == 1 else f"{facts.count(audit.answer):,} of {wording.plural(total, 'pair')}"
    )
    if audit.answer is Answer.VIOLATED:
        return joined(privacy, f" is violated by {part} of neighbours.")
    return joined(privacy, f" is not decided for {part} of neighbours, and violated by none.")


def _proved(facts: Facts) -> Markup:
    """For what delta privacy is proved between all pairs."""
    largest = facts.largest_upper
    certain = next((finding for finding in facts.audit.findings if finding.delta.lower.value == 1), None)
    if certain is not None:
        pair = wording.pair(certain.pair)
        return joined("With this ε privacy holds for no δ below 1: ", pair, " are told apart with certainty.")
    if largest >= 1:
        return joined("With this ε no δ below 1 is proved for all pairs.")
    if largest == 0:
        return joined("With this ε privacy is proved between all pairs even for δ = 0.")
    even = "even " if facts.audit.answer is Answer.HOLDS else ""
    return joined(
        f"With this ε privacy is proved between all pairs {even}for δ = ",
        wording.at_most(largest),
        ", the largest upper end in the table of pairs",
        None if wording.is_whole(largest) else ", rounded up",
        ".",
    )


def _worst(facts: Facts) -> Markup | None:
    worst = facts.worst
    if worst is None:
        return None
    known = worst.delta
    heading = joined("The worst pair is ", wording.pair(worst.pair), ", with a true δ ")
    if known.exact:
        return element("p", heading, "of ", wording.exact(known.upper.value), " exactly", _gain(facts, worst))
    ends = joined(
        "between ", wording.at_least(known.lower.value), " and ", wording.at_most(known.upper.value)
    )
    return element("p", heading, ends, _gain(facts, worst))


def _gain(facts: Facts, finding: Finding) -> Markup:
    attack = finding.attack
    if attack is None or finding.answer is not Answer.VIOLATED:
        return joined(".")
    one, other = (wording.name(state) for state in attack.pair)
    first, second = wording.exact(attack.first), wording.exact(attack.second)
    event = "the event" if attack.complete else "what is listed of the event"
    return joined(f"; {event} has probability ", first, " from ", one, " and ", second, " from ", other, ".")


def _limit(facts: Facts) -> Markup | None:
    if facts.audit.limit is None:
        return None
    return element("p", element("strong", "The audit ended early: "), f"{facts.audit.limit}.", class_="limit")
