"""The attack: a test of labels in words and as a picture, how likely it accepts, and how that comes about.

The test is told as `bdist attack` tells it, and drawn where it is small. Where its accepted prefixes can be
listed, the most valuable ones are traced through the chain by the forward algorithm, in rationals: after
every label, how likely it is and where the chain may be. Prefixes are taken in order, so that what two of
them begin with is computed once. The probabilities of the test are computed again from the chain; where they
are not those that the attack claims, it is not of this chain, and nothing is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import fmpq

from bdist.audits.findings import Finding
from bdist.audits.report import wording
from bdist.audits.report.facts import Facts
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.markup import Content, Markup, element, isolated, joined
from bdist.chains.drawings.pictures import svg_element
from bdist.chains.drawings.subject import NotDrawn
from bdist.errors import InternalError
from bdist.exact.rationals import ZERO, to_fmpq, to_fraction
from bdist.traces.attack import Attack
from bdist.traces.automaton import ALL_OF_IT, Prefix

Vector = dict[int, fmpq]
PREFIXES_LISTED = 10
PREFIXES_TRACED = 3
_LABELS_AT_THE_ENDS = (8, 3)
_STEPS_AT_THE_ENDS = (20, 5)
_STATES_NAMED = 6


@dataclass(frozen=True)
class Step:
    """After one more label: its probability so far from either state, and where the chain may be."""

    label: str
    first: Fraction
    second: Fraction
    first_states: tuple[int, ...]
    second_states: tuple[int, ...]


@dataclass(frozen=True)
class TracedPrefix:
    """One accepted prefix, with its exact probabilities from the two states."""

    prefix: Prefix
    first: Fraction
    second: Fraction

    def advantage(self, alpha: Fraction) -> Fraction:
        """What accepting it is worth."""
        return self.first - alpha * self.second


@dataclass(frozen=True)
class Passage:
    """The states and transitions, by position, that runs from one state pass while they show a prefix."""

    states: frozenset[int]
    transitions: frozenset[tuple[int, int]]


def trace_prefixes(chain: LabelledMarkovChain, attack: Attack, alpha: Fraction) -> list[TracedPrefix]:
    """The accepted prefixes, those that are worth most at an alpha first; none where they are too many.

    Raises: InternalError where the test does not have the probabilities of the attack.
    """
    again = attack.test.probabilities(chain, attack.pair)
    if again is not None and tuple(again) != (attack.first, attack.second):
        raise InternalError(
            f"the attack on {attack.pair[0]} and {attack.pair[1]} does not have the probabilities it claims"
        )
    words = sorted(attack.prefixes or ())
    firsts, seconds = (_masses(chain, state, words) for state in attack.pair)
    traced = [
        TracedPrefix(word, to_fraction(p), to_fraction(q))
        for word, p, q in zip(words, firsts, seconds, strict=True)
    ]
    return sorted(traced, key=lambda prefix: (-prefix.advantage(alpha), len(prefix.prefix)))


def trace_steps(chain: LabelledMarkovChain, pair: tuple[str, str], prefix: Prefix) -> list[Step]:
    """A prefix label by label."""
    ways = [_vectors(chain, state, prefix) for state in pair]
    return [
        Step(
            label,
            to_fraction(sum(a.values(), ZERO)),
            to_fraction(sum(b.values(), ZERO)),
            tuple(sorted(a)),
            tuple(sorted(b)),
        )
        for label, a, b in zip(prefix, *ways, strict=True)
    ]


def passage(chain: LabelledMarkovChain, state: str, prefixes: Sequence[Prefix]) -> Passage:
    """What runs from a state pass that begin with one of the prefixes, as far as their labels tell."""
    states: set[int] = set()
    transitions: set[tuple[int, int]] = set()
    for prefix in prefixes:
        vectors = _vectors(chain, state, prefix)
        for before, after in pairwise(vectors):
            transitions |= {(i, j) for i in before for j, _ in chain.rows[i] if j in after}
        states.update(*vectors)
    return Passage(frozenset(states), frozenset(transitions))


def _masses(chain: LabelledMarkovChain, state: str, words: Sequence[Prefix]) -> list[fmpq]:
    """The probability of each word. Requires: they are sorted, so that neighbours share their beginnings."""
    masses: list[fmpq] = []
    known: list[Vector] = []
    previous: Prefix = ()
    for word in words:
        shared = 0
        while shared < min(len(word), len(previous)) and word[shared] == previous[shared]:
            shared += 1
        del known[shared:]
        for label in word[shared:]:
            known.append(_after(chain, known[-1], label) if known else _start(chain, state, label))
        masses.append(sum(known[-1].values(), ZERO))
        previous = word
    return masses


def _vectors(chain: LabelledMarkovChain, state: str, prefix: Prefix) -> list[Vector]:
    made = [_start(chain, state, prefix[0])]
    for label in prefix[1:]:
        made.append(_after(chain, made[-1], label))
    return made


def _start(chain: LabelledMarkovChain, state: str, label: str) -> Vector:
    return {chain.index(state): fmpq(1)} if chain.label(state) == label else {}


def _after(chain: LabelledMarkovChain, vector: Vector, label: str) -> Vector:
    following: Vector = {}
    for i, x in vector.items():
        for j, p in chain.rows[i]:
            if chain.labels[j] == label:
                following[j] = following.get(j, ZERO) + x * to_fmpq(p)
    return following


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
    return element(
        "section",
        heading,
        element(
            "p",
            "What an observer does who sees the labels that the chain shows, one after the other, and wants "
            "to tell ",
            first,
            " from ",
            second,
            ":",
        ),
        element("ul", [element("li", line) for line in _told(attack)], class_="test"),
        _totals(facts, attack),
        _short_of(facts, finding, attack),
        _drawing(attack),
        _listed(facts, attack, prefixes) if prefixes else None,
        aria_labelledby="attack",
    )


def _told(attack: Attack) -> list[str]:
    return [line for line in attack.words() if not line.startswith(ALL_OF_IT)]


def _drawing(attack: Attack) -> Markup | None:
    """The test as a picture, where it is small enough."""
    picture = attack.picture()
    if isinstance(picture, NotDrawn):
        return None
    title = f"A test that tells {isolated(attack.pair[0])} from {isolated(attack.pair[1])}"
    return element(
        "figure",
        wording.scroller(svg_element(picture, title=title, name="test"), "Drawing of the test"),
        element("figcaption", f"Shown: {picture.caption}."),
    )


def _listed(facts: Facts, attack: Attack, prefixes: Sequence[TracedPrefix]) -> Markup:
    """The accepted prefixes, and the most valuable ones step by step."""
    return joined(
        element("h3", "What is accepted"),
        _prefix_table(prefixes, attack, facts.audit.attack_alpha),
        element("h3", "Step by step"),
        element(
            "p",
            "p and q are the exact probabilities that a run from the state shows these labels, up to this "
            "step. The last columns say where the chain may then be.",
        ),
        [_trace(facts.chain, attack, k, prefix) for k, prefix in enumerate(prefixes[:PREFIXES_TRACED], 1)],
    )


def _totals(facts: Facts, attack: Attack) -> Markup:
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
    return wording.facts_table(element("caption", "The test as a whole"), rows)


def _short_of(facts: Facts, finding: Finding, attack: Attack) -> Markup | None:
    """What to say where the test gains less than the bound that is proved."""
    lower = finding.delta.lower.value
    if attack.advantage(facts.audit.attack_alpha) >= lower:
        return None
    proved = joined("The true δ is proved to be at least ", wording.at_least(lower))
    return element("p", proved, ", by a certificate, which is more than this test gains.")


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
        wording.table(f"{caption}; {left:,} more are not listed" if left > 0 else caption, heads, rows),
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
            wording.table(f"Prefix {number}, label by label", heads, _step_rows(chain, steps)),
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
