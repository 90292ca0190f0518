"""The attack: a test of labels in words and as a picture, how likely it accepts, and how that comes about.

The test is told as `bdist attack` tells it, and drawn where it is small. Where its accepted prefixes can be
listed, the most valuable ones are traced through the chain by the forward algorithm, in rationals: after
every label, how likely it is and where the chain may be. Prefixes are taken in order, so that what two of
them begin with is computed once. The probabilities of the test are computed again from the chain; where they
are not those that the attack claims, it is not of this chain, and nothing is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from flint import fmpq

from bdist.audits.findings import Finding
from bdist.audits.report import wording
from bdist.audits.report.wording import Facts
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.diagram import NotDrawn
from bdist.chains.drawings.markup import Content, Markup, element, isolated, joined
from bdist.chains.drawings.pictures import svg_element
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


class TracedPrefix(NamedTuple):
    """One accepted prefix, with its exact probabilities from the two states."""

    prefix: Prefix
    first: Fraction
    second: Fraction

    def advantage(self, alpha: Fraction) -> Fraction:
        """What accepting it is worth."""
        return self.first - alpha * self.second


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


def passage(
    chain: LabelledMarkovChain, state: str, prefixes: Sequence[Prefix]
) -> tuple[set[int], set[tuple[int, int]]]:
    """The states and transitions, by position, of the runs from a state that begin with one of the prefixes,
    as far as their labels tell.
    """
    states: set[int] = set()
    transitions: set[tuple[int, int]] = set()
    for prefix in prefixes:
        vectors = likely_places(chain, state, prefix)
        for before, after in pairwise(vectors):
            transitions |= {(i, j) for i in before for j, _ in chain.rows[i] if j in after}
        states.update(*vectors)
    return states, transitions


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


def likely_places(chain: LabelledMarkovChain, state: str, prefix: Prefix) -> list[Vector]:
    """After each label of a prefix where a run from a state may be, and how likely it has come there."""
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
    finding = facts.attacked
    if finding is None or finding.attack is None:
        text = (
            "No event was found whose probability from one state of a pair is above e^ε times that from the "
            "other."
        )
        if any(known.delta.lower.value > 0 for known in facts.audit.findings):
            text = "The certificates prove that there are events that gain something; none is listed."
        return wording.section("attack", "The attack", element("p", wording.prose(text)))
    attack = finding.attack
    first, second = (wording.name(state) for state in attack.pair)
    told = [line for line in attack.words() if not line.startswith(ALL_OF_IT)]
    return wording.section(
        "attack",
        "The attack",
        element(
            "p",
            "What an observer does who sees the labels that the chain shows, one after the other, and wants "
            "to tell ",
            first,
            " from ",
            second,
            ":",
        ),
        element("ul", [element("li", line) for line in told], class_="test"),
        _totals(facts, attack),
        _short_of(facts, finding, attack),
        _drawing(attack),
        _listed(facts, attack, prefixes) if prefixes else None,
    )


def _drawing(attack: Attack) -> Markup | None:
    """The test as a picture, where it is small enough."""
    picture = attack.picture()
    if isinstance(picture, NotDrawn):
        return None
    title = f"A test that tells {isolated(attack.pair[0])} from {isolated(attack.pair[1])}"
    drawn = svg_element(picture, title=title, name="test")
    return wording.figure(drawn, "Drawing of the test", f"Shown: {picture.caption}.")


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
    columns = [
        ("Labels begin with", None),
        wording.number_column("p, from ", wording.name(attack.pair[0])),
        wording.number_column("q, from ", wording.name(attack.pair[1])),
        wording.number_column("gain, p − α q"),
    ]
    rows = [
        [_word(shown.prefix), *map(wording.exact, (shown.first, shown.second, shown.advantage(alpha)))]
        for shown in prefixes[:PREFIXES_LISTED]
    ]
    left = len(prefixes) - PREFIXES_LISTED
    caption = "Accepted prefixes, those that are worth most first"
    if left > 0:
        caption += f"; {left:,} more are not listed"
    return wording.scroller(wording.table(caption, columns, rows), "Table of accepted prefixes")


def _trace(chain: LabelledMarkovChain, attack: Attack, number: int, prefix: TracedPrefix) -> Markup:
    first, second = (wording.name(state) for state in attack.pair)
    columns: list[wording.Column] = [
        wording.number_column("Step"),
        ("Label seen", None),
        wording.number_column("p so far, from ", first),
        wording.number_column("q so far, from ", second),
        (["from ", first, " it may be in"], None),
        (["from ", second, " it may be in"], None),
    ]
    firsts, seconds = (likely_places(chain, state, prefix.prefix) for state in attack.pair)
    steps = list(enumerate(zip(prefix.prefix, firsts, seconds, strict=True)))
    head, tail = _STEPS_AT_THE_ENDS
    rows: list[list[Content] | Markup] = [_step(chain, *step) for step in steps]
    skipped = len(steps) - head - tail
    if skipped > 0:
        gap = element("td", f"… {skipped} steps …", colspan="6", class_="skipped")
        rows[head : head + skipped] = [element("tr", gap)]
    table = wording.table(f"Prefix {number}, label by label", columns, rows)
    return element(
        "details",
        element("summary", f"Prefix {number}: ", _word(prefix.prefix)),
        wording.scroller(table, f"Steps of prefix {number}"),
        open=number == 1,
    )


def _step(chain: LabelledMarkovChain, number: int, seen: tuple[str, Vector, Vector]) -> list[Content]:
    label, *places = seen
    masses = [wording.exact(to_fraction(sum(vector.values(), ZERO))) for vector in places]
    named = [wording.names([chain.states[i] for i in sorted(vector)], _STATES_NAMED) for vector in places]
    return [str(number), wording.name(label), *masses, *(names or "nowhere" for names in named)]


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
