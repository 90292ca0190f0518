"""The attack: what to look for, how likely it is from either state, and how that comes about step by step."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bdist.audits.findings import Finding
from bdist.audits.report import wording
from bdist.audits.report.facts import Facts
from bdist.audits.report.traces import Step, TracedPrefix, trace_prefixes, trace_steps
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.markup import Content, Markup, element, joined
from bdist.traces.attack import Attack, Prefix

PREFIXES_LISTED = 10
PREFIXES_TRACED = 3
_LABELS_AT_THE_ENDS = (8, 3)
_STEPS_AT_THE_ENDS = (20, 5)
_STATES_NAMED = 6


def traced_prefixes(facts: Facts) -> list[TracedPrefix]:
    """The accepted prefixes of the attack that is shown, those that are worth most first."""
    finding = facts.attacked
    if finding is None or finding.attack is None:
        return []
    return trace_prefixes(facts.chain, finding.attack, facts.audit.attack_alpha)


def attack_section(facts: Facts, prefixes: Sequence[TracedPrefix]) -> Markup:
    """The event, its probabilities, and the traces of its most important prefixes."""
    heading = element("h2", "The attack", id="attack")
    finding = facts.attacked
    if finding is None or finding.attack is None:
        text = (
            "No event was found that is more likely from one state of a pair than e^ε times from the other."
        )
        if any(known.delta.lower.value > 0 for known in facts.audit.findings):
            text = "The certificates prove that there are events that gain something; none is listed."
        return element("section", heading, element("p", wording.prose(text)), aria_labelledby="attack")
    attack = finding.attack
    first, second = (wording.name(state) for state in attack.pair)
    number = wording.plural(len(attack.prefixes), "prefix", "es")
    return element(
        "section",
        heading,
        element(
            "p",
            "An observer who sees the labels that the chain shows, one after the other, and wants to tell ",
            first,
            " from ",
            second,
            ", says “",
            first,
            f"” as soon as they begin with one of the following: {number}.",
        ),
        _totals(facts, finding, attack),
        _incomplete(facts, finding, attack),
        element("h3", "What the observer looks for"),
        _prefix_table(prefixes, attack, facts.audit.attack_alpha),
        element("h3", "Step by step"),
        element(
            "p",
            "p and q are the exact probabilities that a run from the state shows these labels, up to this "
            "step. The last columns say where the chain may then be.",
        ),
        [_trace(facts.chain, attack, k, prefix) for k, prefix in enumerate(prefixes[:PREFIXES_TRACED], 1)],
        aria_labelledby="attack",
    )


def _totals(facts: Facts, finding: Finding, attack: Attack) -> Markup:
    audit = facts.audit
    advantage = attack.advantage(audit.attack_alpha)
    alpha_name = "α = e^ε" if facts.alpha_is_exact else "α, just above e^ε"
    breaks = advantage > audit.delta
    outcome = "more than δ: privacy is violated" if breaks else "not more than δ"
    rows: list[tuple[Content, Content]] = [
        (joined("p, the probability from ", wording.name(attack.pair[0])), wording.exact(attack.first, 12)),
        (joined("q, the probability from ", wording.name(attack.pair[1])), wording.exact(attack.second, 12)),
        (wording.prose(alpha_name), wording.exact(audit.attack_alpha, 12)),
        (
            "p − α q, what the attack gains",
            joined(wording.exact(advantage, 12), ", ", element("strong", outcome)),
        ),
        ("δ, what privacy allows", wording.exact(audit.delta, 12)),
    ]
    return element(
        "table",
        element("caption", "The event as a whole"),
        element(
            "tbody",
            [element("tr", element("th", what, scope="row"), element("td", value)) for what, value in rows],
        ),
        class_="facts",
    )


def _incomplete(facts: Facts, finding: Finding, attack: Attack) -> Markup | None:
    """What to say where the listed event is worth less than the bound that is proved."""
    lower = finding.delta.lower.value
    proved = joined("The true δ is proved to be at least ", wording.at_least(lower))
    if not attack.complete:
        text = "The proof accepts more prefixes than can be listed; the numbers here are of those that are. "
        return element("p", text, proved, ".")
    if attack.advantage(facts.audit.attack_alpha) >= lower:
        return None
    return element("p", proved, ", by a certificate, which is more than this event gains.")


def _prefix_table(prefixes: Sequence[TracedPrefix], attack: Attack, alpha: Fraction) -> Markup:
    heads = [
        element("th", "Labels begin with", scope="col"),
        element("th", "p, from ", wording.name(attack.pair[0]), scope="col", class_="number"),
        element("th", "q, from ", wording.name(attack.pair[1]), scope="col", class_="number"),
        element("th", "gain, p − α q", scope="col", class_="number"),
    ]
    rows = [
        element(
            "tr",
            element("th", _word(prefix.prefix), scope="row"),
            element("td", wording.exact(prefix.first), class_="number"),
            element("td", wording.exact(prefix.second), class_="number"),
            element("td", wording.exact(prefix.advantage(alpha)), class_="number"),
        )
        for prefix in prefixes[:PREFIXES_LISTED]
    ]
    left = len(prefixes) - PREFIXES_LISTED
    caption = "Accepted prefixes, those that are worth most first"
    return wording.scroller(
        element(
            "table",
            element("caption", f"{caption}; {left:,} more are not listed" if left > 0 else caption),
            element("thead", element("tr", heads)),
            element("tbody", rows),
        ),
        "Table of accepted prefixes",
    )


def _trace(chain: LabelledMarkovChain, attack: Attack, number: int, prefix: TracedPrefix) -> Markup:
    first, second = (wording.name(state) for state in attack.pair)
    heads = [
        element("th", "Step", scope="col", class_="number"),
        element("th", "Label seen", scope="col"),
        element("th", "p so far, from ", first, scope="col", class_="number"),
        element("th", "q so far, from ", second, scope="col", class_="number"),
        element("th", "from ", first, " it may be in", scope="col"),
        element("th", "from ", second, " it may be in", scope="col"),
    ]
    steps = trace_steps(chain, attack.pair, prefix.prefix)
    return element(
        "details",
        element("summary", f"Prefix {number}: ", _word(prefix.prefix)),
        wording.scroller(
            element(
                "table",
                element("caption", f"Prefix {number}, label by label"),
                element("thead", element("tr", heads)),
                element("tbody", _step_rows(chain, steps)),
            ),
            f"Steps of prefix {number}",
        ),
        open=number == 1,
    )


def _step_rows(chain: LabelledMarkovChain, steps: Sequence[Step]) -> list[Markup]:
    head, tail = _STEPS_AT_THE_ENDS
    rows = []
    for k, step in enumerate(steps):
        if head <= k < len(steps) - tail:
            if k == head:
                skipped = f"… {len(steps) - head - tail} steps …"
                rows.append(element("tr", element("td", skipped, colspan="6", class_="skipped")))
            continue
        rows.append(
            element(
                "tr",
                element("th", str(k), scope="row", class_="number"),
                element("td", wording.name(step.label)),
                element("td", wording.exact(step.first), class_="number"),
                element("td", wording.exact(step.second), class_="number"),
                element("td", _places(chain, step.first_states)),
                element("td", _places(chain, step.second_states)),
            )
        )
    return rows


def _places(chain: LabelledMarkovChain, states: Sequence[int]) -> Content:
    return wording.names([chain.states[i] for i in states], _STATES_NAMED) if states else "nowhere"


def _word(prefix: Prefix) -> Markup:
    """The labels of a prefix, one after the other; the middle of a long one is left out."""
    head, tail = _LABELS_AT_THE_ENDS
    if len(prefix) <= head + tail + 1:
        return element("span", [_chip(label) for label in prefix], class_="word")
    skipped = element("span", f"… {len(prefix) - head - tail} labels …")
    ends = [*map(_chip, prefix[:head]), skipped, *map(_chip, prefix[-tail:])]
    return element("span", ends, class_="word")


def _chip(label: str) -> Markup:
    return joined(element("span", wording.name(label, 32), class_="chip"), " ")
