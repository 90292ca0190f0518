"""Every sentence that the commands about two states print, taught one by one, with what it takes to be true.

A command's output is read line by line. A line that no sentence matches is a failure: a new sentence must be
taught here before it is printed. Numbers that a sentence gives are held against the truth, decimals on the
side to which they are rounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from tests.sentences.events import ALL_OF_IT, event_of
from tests.sentences.truth import Truth

Claim = Callable[["Reading", re.Match[str]], None]

N = r"[0-9.]+(?:e-[0-9]+)?"  # a decimal
X = r"-?[0-9]+(?:/[0-9]+)?"  # an exact rational
EXACT = (
    rf"{X}(?: = -?{N}(?:\.\.\.)?)?|-?{N}(?:\.\.\.)? \(a fraction of [0-9]+ digits\)"  # as `exact_text` has it
)
SECONDS = r"[0-9.]+(?:e-?[0-9]+)? s"
WHY = (
    r"(?:limit of [0-9]+ (?:looks|leaves|evaluations|beliefs) reached|some beliefs are left open"
    r"|beliefs that go on leaking for ever|ratios on a grid|open beliefs of a total weight below \S+)"
)
ALPHA = r"[0-9/]+"


@dataclass
class Reading:
    """One output being read: what is true, what was asked, and what was said so far."""

    truth: Truth
    alpha: Fraction = Fraction(1)
    theta: Fraction = Fraction(0)
    lower: Fraction = Fraction(0)  # of the true delta, as far as was said
    said: dict[str, object] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)  # of the attack
    known: dict[tuple[str, ...], Fraction] = field(default_factory=dict)  # its probabilities

    def probabilities(self, *states: str) -> list[Fraction] | None:
        """How likely the attack accepts from some states; None where the words do not say all of it."""
        event = event_of(self.words)
        if event is None:
            return None
        for state in states:
            if (*self.words, state) not in self.known:
                self.known[*self.words, state] = event.probability(self.truth.chain, state)
        return [self.known[*self.words, state] for state in states]

    @property
    def delta(self) -> Fraction:
        """The true delta."""
        return self.truth.delta(self.alpha)

    def read(self, lines: Iterable[str], sentences: list[tuple[str, Claim]]) -> None:
        """Hold every line against the first sentence that it is."""
        for line in lines:
            for pattern, claim in sentences:
                match = re.fullmatch(pattern, line)
                if match:
                    claim(self, match)
                    break
            else:
                raise AssertionError(f"nobody taught this test the sentence: {line!r}")


def describes(text: str, value: Fraction) -> bool:
    """Whether a text of `exact_text` is about this value: equal, or its first digits, marked as cut."""
    head, _, decimal = text.partition(" = ")
    if " (" in head:
        decimal, head = head.partition(" (")[0], ""
    if head and Fraction(head) != value:
        return False
    if not decimal:
        return bool(head)
    digits = decimal.removesuffix("...")
    shown = Fraction(digits)
    if not decimal.endswith("..."):
        return shown == value
    mantissa, _, power = digits.partition("e")
    last = Fraction(10) ** (int(power or 0) - len(mantissa.partition(".")[2]))
    same_side = shown * value > 0 and abs(shown) < abs(value)
    return same_side and abs(value) - abs(shown) <= last


def exactly(text: str, value: Fraction) -> None:
    assert describes(text, value), f"{text} is not {value}"


def nothing(reading: Reading, match: re.Match[str]) -> None:
    """A heading, or a measurement that nobody can hold against anything."""


def number_is_right(reading: Reading, match: re.Match[str]) -> None:
    """One of something is in the singular."""
    for number, word in re.findall(
        r"([0-9]+) ([a-z ]*?(?:belief|certificate|pair|program|call|node|record|tree)s?)\b", match[0]
    ):
        if word.startswith(("upper", "of")):
            continue
        assert word.endswith("s") == (number != "1"), match[0]


# --- the true delta, privacy, attacks ---


def delta_is(reading: Reading, match: re.Match[str]) -> None:
    exactly(match["value"], reading.delta)
    reading.lower = reading.delta


def delta_between(reading: Reading, match: re.Match[str]) -> None:
    low, high = Fraction(match["low"]), Fraction(match["high"])
    assert low <= reading.delta <= high, match[0]
    reading.lower = low


def bd_is(reading: Reading, match: re.Match[str]) -> None:
    low, high = reading.truth.bd(reading.alpha)
    if low == high:
        exactly(match["value"], low)


def bd_between(reading: Reading, match: re.Match[str]) -> None:
    low, high = reading.truth.bd(reading.alpha)
    assert Fraction(match["low"]) <= high, match[0]
    assert Fraction(match["high"]) >= low, match[0]


def private(reading: Reading, match: re.Match[str]) -> None:
    assert Fraction(match["delta"]) >= reading.delta, match[0]


def certain(reading: Reading, match: re.Match[str]) -> None:
    assert reading.delta == 1, match[0]


def nothing_proved(reading: Reading, match: re.Match[str]) -> None:
    assert reading.lower != 1, "it is proved that they are told apart"


def attack_on(reading: Reading, match: re.Match[str]) -> None:
    reading.said["attacker"] = match["first"]
    reading.words = [match["words"]]


def more_words(reading: Reading, match: re.Match[str]) -> None:
    assert reading.words, "words of no attack"
    reading.words.append(match["words"])


def _other(reading: Reading) -> str:
    (other,) = set(reading.truth.pair) - {reading.said["attacker"]}
    return other


def attack_probabilities(reading: Reading, match: re.Match[str]) -> None:
    first, second = str(reading.said["attacker"]), _other(reading)
    assert (match["first"], match["second"]) == (first, second)
    assert Fraction(match["low"]) - reading.alpha * Fraction(match["high"]) <= reading.delta
    found = reading.probabilities(first, second)
    if found is not None:
        assert Fraction(match["low"]) <= found[0]
        assert Fraction(match["high"]) >= found[1]


def attack_probability(reading: Reading, match: re.Match[str]) -> None:
    found = reading.probabilities(match["state"])
    if found is not None:
        exactly(match["value"], found[0])


def advantage(reading: Reading, match: re.Match[str]) -> None:
    found = reading.probabilities(str(reading.said["attacker"]), _other(reading))
    if found is not None:
        p, q = found
        exactly(match["value"], p - reading.alpha * q)
        assert 0 < p - reading.alpha * q <= reading.delta
        reading.said["advantage"] = p - reading.alpha * q


def is_the_best(reading: Reading, match: re.Match[str]) -> None:
    assert reading.said.get("advantage", reading.delta) == reading.delta


def none_is_above(reading: Reading, match: re.Match[str]) -> None:
    assert reading.delta <= Fraction(match["high"])


def no_event(reading: Reading, match: re.Match[str]) -> None:
    assert reading.delta == 0
    reading.said["answer"] = "none"


def told_apart(reading: Reading, match: re.Match[str]) -> None:
    assert reading.delta > 0


def unknown(reading: Reading, match: re.Match[str]) -> None:
    reading.said["answer"] = "unknown"


# what a test accepts, line by line; `event_of` knows what the lines mean together
WORDS: list[tuple[str, Claim]] = [
    (r"(?P<words>say '(?P<first>\S+)' (?:when|if|once|by) .+)", attack_on),
    (r"(?P<words>or: .+)", more_words),
    (r"(?P<words>give up once .+)", more_words),
    (r"(?P<words>[0-9]+\. on .+)", more_words),
    (r"(?P<words>(?:speaking for \S+|against): .+)", more_words),
    (rf"(?P<words>{ALL_OF_IT})", more_words),
]
ATTACK_LINES: list[tuple[str, Claim]] = [
    *((rf"(?:  attack  |          )  {words}", claim) for words, claim in WORDS),
    (
        rf"            probability at least (?P<low>{N}) from (?P<first>\S+), "
        rf"at most (?P<high>{N}) from (?P<second>\S+)",
        attack_probabilities,
    ),
]
ATTACK: list[tuple[str, Claim]] = [
    (rf"no event tells \S+ and \S+ apart at alpha {ALPHA}: the true delta is 0, certified", no_event),
    (rf"unknown whether an event tells \S+ and \S+ apart at alpha {ALPHA}", unknown),
    (rf"  known     (?P<low>{N}) <= true delta <= (?P<high>{N})", delta_between),
    (rf"  reason    {WHY}", nothing),
    (r"  reason    they are told apart, by a test that is too large to be told", told_apart),
    *WORDS,
    (rf"probability from (?P<state>\S+): (?P<value>{EXACT})", attack_probability),
    (rf"advantage at alpha {ALPHA}: (?P<value>{EXACT})        exact", advantage),
    (r"no event has a larger advantage, certified", is_the_best),
    (rf"no event has an advantage above (?P<high>{N}), certified(?:; {WHY})?", none_is_above),
]
BD, TRUTH = (rf"{name}\(\S+, \S+\) at alpha {ALPHA}" for name in ("bd", "true delta"))


def bd_is_larger(reading: Reading, match: re.Match[str]) -> None:
    """That bd is above the true delta, and that merging helps only where it was not merged."""
    assert reading.truth.bd(reading.alpha)[1] > reading.delta


DELTA: list[tuple[str, Claim]] = [
    (rf"{BD} = (?P<value>{EXACT})        exact, certified", bd_is),
    (
        rf"(?P<low>{N}) <= bd\(\S+, \S+\) at alpha {ALPHA} <= (?P<high>{N})        certified bracket; {WHY}",
        bd_between,
    ),
    (
        r"  why       bd is above the true delta: it adds up what differs step by step, which an observer of "
        r"labels cannot always use; --quotient merges bisimilar states, which can bring it down",
        bd_is_larger,
    ),
    (rf"{TRUTH} = (?P<value>{EXACT})        exact, certified", delta_is),
    (rf"(?P<low>{N}) <= {TRUTH} <= (?P<high>{N})        certified bracket(?:; {WHY})?", delta_between),
    (
        rf"  privacy   \(ln\({ALPHA}\), (?P<delta>{X}|{N})\)-differential privacy holds "
        "between these two states",
        private,
    ),
    (r"  privacy   none for any delta below 1: the two states are told apart with certainty", certain),
    (r"  privacy   none is proved: every two states are within delta = 1", nothing_proved),
    *ATTACK_LINES,
    (rf"  proof     [0-9]+ upper and [0-9]+ lower records?, checked in {SECONDS}", number_is_right),
    (rf"  proof     [0-9]+ beliefs?, checked in {SECONDS}", number_is_right),
    (rf"  proof     by definition, checked in {SECONDS}", nothing),
    (rf"  work      \w+: [0-9]+ pairs?, [0-9]+ linear programs?, {SECONDS}", number_is_right),
    (rf"  work      \w+: stopped while the pairs were listed, {SECONDS}", nothing),
    (rf"  work      (?:beliefs|best first|grid|labels differ), {SECONDS}", nothing),
]


# --- audits ---


def verdict(reading: Reading, match: re.Match[str]) -> None:
    word = match["verdict"]
    assert Fraction(match["delta"]) == reading.theta
    if word == "HOLDS":
        assert reading.delta <= reading.theta, match[0]
    elif word == "VIOLATED":
        assert reading.delta > reading.theta, match[0]
    reading.said["answer"] = word.lower()


def holds_for(reading: Reading, match: re.Match[str]) -> None:
    delta = Fraction(match["delta"])
    assert delta >= reading.delta, match[0]
    if match["least"]:
        assert delta == reading.delta, match[0]
    if match["exact"]:
        exactly(match["exact"], reading.delta)


def row(reading: Reading, match: re.Match[str]) -> None:
    assert match["verdict"] == reading.said["answer"]
    bounds = match["delta"]
    if bounds.startswith("["):
        low, high = bounds.strip("[]").split(", ")
        assert Fraction(low) <= reading.delta <= Fraction(high), match[0]
    else:
        exactly(f"{bounds} (a fraction of 2 digits)", reading.delta)


CELL = rf"(?:\[{N}, {N}\]|{N}(?:\.\.\.)?|-)"
AUDIT: list[tuple[str, Claim]] = [
    (
        rf"\(ln\({ALPHA}\), (?P<delta>{X})\)-differential privacy(?: of \S+)?: "
        r"(?P<verdict>HOLDS|VIOLATED|UNKNOWN) (?:for|by) one pair of neighbours(?:        certified)?",
        verdict,
    ),
    (rf"  worst     \S+ ~ \S+: true delta = (?P<value>{EXACT})        exact(?:, certified)?", delta_is),
    (rf"  worst     \S+ ~ \S+: (?P<low>{N}) <= true delta <= (?P<high>{N})", delta_between),
    (rf"  reason    (?:{WHY}|nothing was computed|delta is too close to the true delta)", nothing),
    (
        rf"  holds     at this epsilon for delta = (?P<delta>{X}|{N})(?P<least> and for no smaller one)?"
        rf"(?:, rounded up(?: from the least, (?P<exact>{EXACT}))?)?",
        holds_for,
    ),
    (r"  holds     for no delta below 1: \S+ ~ \S+ are told apart with certainty", certain),
    (r"  holds     for no delta below 1, as far as is proved", nothing_proved),
    *ATTACK_LINES,
    (r"    pair +verdict +true delta(?: +bd +ld)?", nothing),
    (rf"    \S+ ~ \S+ +(?P<verdict>\w+) +(?P<delta>{CELL})(?: +{CELL} +{CELL}, {CELL})?", row),
    (rf"  work      [0-9]+ certificates?, {SECONDS}", number_is_right),
]


# --- curves ---

OPEN = (
    r"(?:limit of [0-9]+ (?:looks|beliefs) reached|some beliefs are left open|ratios on a grid|"
    r"beliefs that go on leaking for ever|numbers of more than [0-9]+ bits|"
    r"open beliefs of a total weight below [0-9.e-]+|the sides are too far apart|"
    r"the ends cannot be brought closer)"
)


def point(reading: Reading, match: re.Match[str]) -> None:
    epsilon = Fraction(match["epsilon"])
    low, high = reading.truth.between(epsilon)
    assert Fraction(match["low"]) <= high, match[0]
    assert Fraction(match["high"]) >= low, match[0]
    if match["order"] and match["low"] == match["high"]:
        own, _ = reading.truth.between(epsilon, match["first"])
        assert own <= Fraction(match["high"]), match[0]
        assert high - own < Fraction(1, 10**6), f"the other order is worse: {match[0]}"


def cut(reading: Reading, match: re.Match[str]) -> None:
    reading.said["limit"] = True


CURVE: list[tuple[str, Claim]] = [
    (
        r"true delta between \S+ and \S+        (?:exact, certified|certified from both sides)",
        nothing,
    ),
    (r"  epsilon +delta at least +delta at most +worse order", nothing),
    (
        rf"  (?P<epsilon>{N}|{X}) +(?P<low>{N}) +(?P<high>{N}) +(?:both|(?P<order>(?P<first>\S+) over \S+))",
        point,
    ),
    (r"the two states are told apart with certainty", certain),
    (r"between two rows: the chord in e\^epsilon is above, the tangents of --json are below", nothing),
    (rf"wider than it should be: {OPEN}", cut),
]


# --- the least epsilon ---

_LITTLE = Fraction(1, 10**9)


def _is_enough(reading: Reading, alpha: Fraction) -> bool:
    return reading.truth.delta(alpha) <= reading.theta


def least_is(reading: Reading, match: re.Match[str]) -> None:
    alpha = Fraction(match["alpha"]) if match["alpha"] else Fraction(1)
    assert _is_enough(reading, alpha), match[0]
    assert alpha == 1 or not _is_enough(reading, alpha * (1 - _LITTLE)), match[0]


def least_between(reading: Reading, match: re.Match[str]) -> None:
    epsilon = Fraction(match["low"]) - _LITTLE
    if epsilon > 0:
        _, high = reading.truth.between(epsilon)
        assert high > reading.theta, match[0]
    if match.groupdict().get("high"):
        low, _ = reading.truth.between(Fraction(match["high"]))
        assert low <= reading.theta, match[0]
    if match["why"]:
        reading.said["limit"] = True


def no_epsilon(reading: Reading, match: re.Match[str]) -> None:
    assert reading.truth.delta(Fraction(10**9)) > reading.theta, match[0]


def private_at(reading: Reading, match: re.Match[str]) -> None:
    alpha = Fraction(match["alpha"]) if match["alpha"] else Fraction(1)
    assert Fraction(match["delta"]) == reading.theta
    assert _is_enough(reading, alpha), match[0]
    if match["least"]:
        assert not _is_enough(reading, alpha - _LITTLE), match[0]


def first_rate(reading: Reading, match: re.Match[str]) -> None:
    reading.said["attacker"] = match["first"]
    reading.said["right"] = _rate(match["right"])


def second_rate(reading: Reading, match: re.Match[str]) -> None:
    """No test beats the true delta at any alpha, and this one claims no more than it has."""
    first, second = str(reading.said["attacker"]), _other(reading)
    assert match["second"] == second
    right, wrong = reading.said["right"], _rate(match["wrong"] or "0")
    assert isinstance(right, Fraction)
    for alpha in (Fraction(1), Fraction(3, 2), Fraction(7), Fraction(10**6)):
        assert right - alpha * wrong <= reading.truth.ordered(first, alpha) + _LITTLE, match[0]
    if match.groupdict().get("certain"):
        assert reading.delta == 1


def _rate(text: str) -> Fraction:
    """A rate as it is printed; one that is cut is less than a billionth away."""
    number = text.removeprefix("at least ").removeprefix("at most ").split(" (")[0].split(" = ")[0]
    return Fraction(number.removesuffix("..."))


def refuted(reading: Reading, match: re.Match[str]) -> None:
    if match["alpha"]:
        alpha = Fraction(match["alpha"].removesuffix("..."))
        assert alpha == 1 or not _is_enough(reading, alpha - _LITTLE), match[0]
    else:
        assert reading.truth.delta(Fraction(10**9)) > reading.theta, match[0]


NAME = rf"least epsilon\(\S+, \S+\) for delta {X}"
LONG = rf"{ALPHA}|{N}\.\.\."
RATE = rf"(?:at least |at most )?(?:{EXACT}|{N})"
EPSILON: list[tuple[str, Claim]] = [
    (rf"{NAME}: there is none        exact, certified", no_epsilon),
    (rf"{NAME} = (?:0|ln\((?P<alpha>{ALPHA})\) = {N}\.\.\.)        exact, certified", least_is),
    (rf"(?P<low>{N}) <= {NAME}        no upper bound found(?P<why>; {OPEN})?", least_between),
    (
        rf"(?P<low>{N}) <= {NAME} <= (?P<high>{N})        certified bracket(?P<why>; {OPEN})?",
        least_between,
    ),
    (
        rf"  privacy   \((?:0|ln\((?P<alpha>{ALPHA}|{N})\)), (?P<delta>{X})\)-differential privacy holds"
        r"(?P<least>, and for no smaller epsilon)?"
        r"(?:, rounded up(?: from the least)?; --json has the exact alpha)?",
        private_at,
    ),
    (
        rf"  attack    a test says '(?P<first>\S+)' with probability (?P<right>{RATE}) from \S+",
        first_rate,
    ),
    (
        rf"            and (?:never|with probability (?P<wrong>{RATE})) from (?P<second>\S+?)"
        r"(?P<certain>: the two states are told apart with certainty)?",
        second_rate,
    ),
    (
        rf"            (?:every epsilon|every alpha below (?P<alpha>{LONG})) is refuted; "
        r"'bdist attack' tells what to look for",
        refuted,
    ),
]


# --- profiles ---

LN = rf"(?:0|(?:ln\({ALPHA}\) = )?{N}\.\.\.)"
P = rf"(?:{X}|{N}\.\.\.)"  # a number of a formula


def _alpha_of(text: str) -> Fraction | None:
    """The alpha of an epsilon in closed form; None where it is given in decimals only."""
    found = re.match(rf"ln\(({ALPHA})\)", text)
    return Fraction(1) if text == "0" else Fraction(found[1]) if found else None


def heading(reading: Reading, match: re.Match[str]) -> None:
    reading.said["orders"] = [match["first"], *([match["second"]] if match["both"] else [])]


def piece(reading: Reading, match: re.Match[str]) -> None:
    """p - alpha q is the true delta of the order at both ends of the piece, and between them."""
    start, end = _alpha_of(match["start"]), _alpha_of(match["end"])
    if match["end"] == "on":
        end = None if start is None else start * 1000
    if start is None or end is None or "..." in match["p"] + (match["q"] or ""):
        return
    p = Fraction(match["p"])
    q = Fraction(match["q"] or (1 if match["power"] else 0))
    for alpha in (start, (start + end) / 2, end):
        for first in reading.said["orders"]:  # type: ignore[attr-defined]
            assert reading.truth.ordered(first, alpha) == p - alpha * q, match[0]


def worse(reading: Reading, match: re.Match[str]) -> None:
    """Between two changes of the worse order, the order that is named is the worse."""
    start = Fraction(1)
    for part in match["stretches"].split(", "):
        found = re.fullmatch(
            r"(?P<what>\S+ over \S+|the same in both orders)(?P<end> up to epsilon (?P<to>.+))?",
            part.removesuffix(" from there on"),
        )
        if part == "at every epsilon":
            continue
        assert found, part
        end = _alpha_of(found["to"] or "ln(1000000)")
        if end is None or start is None:
            start = end  # type: ignore[assignment]
            continue
        one, other = reading.truth.pair
        for alpha in (start, (start + end) / 2, end):
            difference = reading.truth.ordered(one, alpha) - reading.truth.ordered(other, alpha)
            if found["what"] == "the same in both orders":
                assert difference == 0, match[0]
            else:
                assert difference * (1 if found["what"].startswith(f"{one} over") else -1) >= 0, match[0]
        start = end


def row_of_sides(reading: Reading, match: re.Match[str]) -> None:
    for state, name in zip(reading.truth.pair, ("one", "other"), strict=True):
        low, high = reading.truth.between(Fraction(match["epsilon"]), state)
        assert Fraction(match[f"{name}_low"]) <= high, match[0]
        assert low <= Fraction(match[f"{name}_high"]), match[0]


def gap(reading: Reading, match: re.Match[str]) -> None:
    assert 0 < Fraction(match["gap"]) <= 1


def variation(reading: Reading, match: re.Match[str]) -> None:
    truth = reading.truth.delta(Fraction(1))
    if match["value"]:
        exactly(match["value"], truth)
        exactly(match["guess"], (1 + truth) / 2)
    else:
        assert Fraction(match["low"]) <= truth <= Fraction(match["high"]), match[0]
        assert Fraction(match["guess_low"]) <= (1 + truth) / 2 <= Fraction(match["guess_high"]), match[0]


def divergence(reading: Reading, match: re.Match[str]) -> None:
    for first, text in ((match["first"], match["one"]), (match["second"], match["other"])):
        states = reading.truth.pair if first is None else (first,)
        for state in states if text else ():
            _is_largest_loss(reading, state, text)


def _is_largest_loss(reading: Reading, state: str, text: str) -> None:
    if text == "infinite":
        assert reading.truth.ordered(state, Fraction(10**12)) > 0, text
        return
    alpha = _alpha_of(text)
    if alpha is not None:
        assert reading.truth.ordered(state, alpha) == 0, text
        assert alpha == 1 or reading.truth.ordered(state, alpha * (1 - _LITTLE)) > 0, text
    elif " to " in text:
        low, high = text.split(" to ")
        if Fraction(low) > _LITTLE:
            assert reading.truth.between(Fraction(low) - _LITTLE, state)[1] > 0, text
        if high != "inf":
            assert reading.truth.between(Fraction(high) + _LITTLE, state)[0] == 0, text


def delta_at(reading: Reading, match: re.Match[str]) -> None:
    assert Fraction(match["alpha"]) == reading.alpha
    value = match["value"]
    if " to " in value:
        low, high = map(Fraction, value.split(" to "))
        assert low <= reading.delta <= high, match[0]
    else:
        exactly(value, reading.delta)
    for state, text in ((match["first"], match["one"]), (match["second"], match["other"])):
        if state:
            truth = reading.truth.ordered(state, reading.alpha)
            if " to " in text:
                low, high = map(Fraction, text.split(" to "))
                assert low <= truth <= high, match[0]
            else:
                exactly(f"{text} (a fraction of 2 digits)", truth)


def least_for(reading: Reading, match: re.Match[str]) -> None:
    assert Fraction(match["delta"]) == reading.theta
    text = match["value"]
    alpha = _alpha_of(text)
    if text == "there is none":
        no_epsilon(reading, match)
    elif alpha is not None:
        assert _is_enough(reading, alpha), match[0]
        assert alpha == 1 or not _is_enough(reading, alpha * (1 - _LITTLE)), match[0]
    elif " to " in text:
        low, high = text.split(" to ")
        if Fraction(low) > _LITTLE:
            assert reading.truth.between(Fraction(low) - _LITTLE)[1] > reading.theta, match[0]
        if high != "inf":
            assert reading.truth.between(Fraction(high) + _LITTLE)[0] <= reading.theta, match[0]


def renyi(reading: Reading, match: re.Match[str]) -> None:
    """Of order 2: the logarithm of the sum of p^2 / q."""
    text, moment = match["value"], reading.truth.moment
    if text == "infinite":
        assert moment is None, match[0]
        return
    if text.startswith("ln("):
        assert moment == _alpha_of(text), match[0]
        return
    low, _, high = text.partition(" to ")
    if moment is None:
        assert high == "inf", match[0]
    else:
        value = math.log(moment)
        assert float(low) - 1e-9 <= value, match[0]
        assert (high or low) == "inf" or value <= float(high or low) + 1e-9, match[0]


def zcdp(reading: Reading, match: re.Match[str]) -> None:
    """rho is at least half of the divergence of order 2."""
    moment, text = reading.truth.moment, match["value"]
    upper = text.split(" to ")[-1]
    if upper not in ("infinite", "inf"):
        assert moment is not None, match[0]
        assert math.log(moment) / 2 <= float(upper) + 1e-9, match[0]


ENDS = rf"{N} to (?:{N}|inf)"
LOSS = rf"(?:infinite|{LN}|{ENDS})"
CUT = rf"{N}(?:\.\.\.)?"
PROFILE: list[tuple[str, Claim]] = [
    (r"privacy profile of \S+ and \S+        exact, certified", nothing),
    (
        rf"privacy profile of \S+ and \S+        certified bracket, at most (?P<gap>{N}) wide; {OPEN}",
        gap,
    ),
    (r"  (?P<first>\S+) over (?P<second>\S+)(?P<both>, and \S+ over \S+)?", heading),
    (r"    epsilon from +to +delta =", nothing),
    (
        rf"    (?P<start>{LN}) +(?P<end>on|{LN}) +(?P<p>{P})(?P<power> - e\^epsilon(?: (?P<q>{P}))?)?",
        piece,
    ),
    (r"    \.\.\. [0-9]+ more, all in --json and --csv", nothing),
    (r"  worse             (?P<stretches>.+)", worse),
    (r"    epsilon +\S+ over \S+: at least +at most +\S+ over \S+: at least +at most", nothing),
    (
        rf"    (?P<epsilon>{N}) +(?P<one_low>{N}) +(?P<one_high>{N}) "
        rf"+(?P<other_low>{N}) +(?P<other_high>{N})",
        row_of_sides,
    ),
    (
        rf"  total variation   (?:(?P<value>{EXACT})|(?P<low>{N}) to (?P<high>{N})); the best guess which of "
        rf"the two it was is right with probability "
        rf"(?:(?P<guess>{EXACT})|(?P<guess_low>{N}) to (?P<guess_high>{N}))",
        variation,
    ),
    (
        rf"  max divergence    (?:(?P<first>\S+) over \S+: )?(?P<one>{LOSS})"
        rf"(?:, in both orders|; (?P<second>\S+) over \S+: (?P<other>{LOSS}))",
        divergence,
    ),
    (
        rf"  delta             (?P<value>{EXACT}|{N} to {N}) at alpha (?P<alpha>{X}); "
        rf"(?:in both orders|(?P<first>\S+) over \S+ (?P<one>{CUT}|{N} to {N}), "
        rf"(?P<second>\S+) over \S+ (?P<other>{CUT}|{N} to {N}))",
        delta_at,
    ),
    (
        rf"  least epsilon     (?P<value>there is none|{LN}|{ENDS}) for delta (?P<delta>{X})(?:; {OPEN})?",
        least_for,
    ),
    (
        rf"  Renyi             (?P<value>infinite|ln\({ALPHA}\) = {N}\.\.\.|{N}|{ENDS}) of order 2, "
        r"in the worse order",
        renyi,
    ),
    (rf"  zCDP              rho = (?P<value>infinite|{N}|{ENDS})", zcdp),
    (rf"  proof             [0-9]+ beliefs?, checked in {SECONDS}", number_is_right),
    (rf"  work              [a-z ]+, {SECONDS}", nothing),
]


# --- thresholds ---


def threshold(reading: Reading, match: re.Match[str]) -> None:
    low, high = reading.truth.bd(reading.alpha)
    if match["answer"] == "holds":
        assert low <= reading.theta, match[0]
    elif match["answer"] == "violated":
        assert high > reading.theta, match[0]
    reading.said["answer"] = match["answer"]


def bd_at_most(reading: Reading, match: re.Match[str]) -> None:
    assert reading.truth.bd(reading.alpha)[0] <= Fraction(match["bound"]) <= reading.theta


def bd_at_least(reading: Reading, match: re.Match[str]) -> None:
    assert reading.theta < Fraction(match["bound"]) <= reading.truth.bd(reading.alpha)[1]


THRESHOLD: list[tuple[str, Claim]] = [
    (rf"bd\(\S+, \S+\) <= {X} at alpha {ALPHA}: (?P<answer>unknown)", threshold),
    (rf"bd\(\S+, \S+\) <= {X} at alpha {ALPHA}: (?P<answer>holds|violated)        certified", threshold),
    (rf"  known     (?P<low>{N}) <= bd <= (?P<high>{N})", bd_between),
    (rf"  proof     bd <= (?P<bound>{X})", bd_at_most),
    (rf"  proof     bd >= (?P<bound>{X})", bd_at_least),
    (rf"  reason    (?:{WHY}|the states are equal|the states have different labels)", nothing),
    (r"  work      .*", nothing),
]
