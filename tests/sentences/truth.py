"""What is true of two states, known without the package: chains whose true delta is known for every alpha.

Chains without cycles, by listing all traces; chains that wait first, equally long in either state; coins that
are tossed for ever, which are told apart with certainty or not at all; states that are bisimilar, by
construction; states that differ for certain. Of bd it is known that it is at least the true delta, and more
where exact iteration settles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain
from tests.oracles import naive, traces
from tests.oracles.strategies import chains, distributions

_MARGIN = Fraction(1, 10**12)  # more than a float's exponential is wrong by


@dataclass(frozen=True, eq=False)
class Truth:
    """Two states of a chain and their true delta by alpha; ``settles`` where bd can be computed naively."""

    chain: LabelledMarkovChain
    pair: tuple[str, str]
    delta: Callable[[Fraction], Fraction]
    settles: bool = False
    endless: bool = False  # whether a search for the true delta may never end
    one_way: Callable[[str, Fraction], Fraction] | None = None  # from which state; None: both are the same
    moment: Fraction | None = None  # of order 2, of the worse order; None for infinity

    def between(self, epsilon: Fraction, first: str | None = None) -> tuple[Fraction, Fraction]:
        """Two numbers between which the true delta at e^epsilon is, very close to each other; ``first`` is
        the state of which one order is asked.
        """
        power = Fraction(math.exp(epsilon))
        alphas = power * (1 + _MARGIN), max(Fraction(1), power * (1 - _MARGIN))
        low, high = (self.delta(alpha) if first is None else self.ordered(first, alpha) for alpha in alphas)
        return low, high

    def ordered(self, first: str, alpha: Fraction) -> Fraction:
        """The true delta of one order, from this state to the other."""
        return self.delta(alpha) if self.one_way is None else self.one_way(first, alpha)

    def bd(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """Two numbers between which bd is."""
        if not self.settles:
            return self.delta(alpha), Fraction(1)
        value = naive.kleene_exact(self.chain, alpha)[self.pair]
        return value, value

    def probability(self, state: str, prefixes: Sequence[Sequence[str]]) -> Fraction:
        """How likely the labels begin with one of the prefixes, none of which begins another."""
        words = sorted(map(tuple, prefixes))
        assert len(set(words)) == len(words)
        assert not any(b[: len(a)] == a for a in words for b in words if a != b)
        return sum((self._one(state, word) for word in words), Fraction(0))

    def _one(self, state: str, word: Sequence[str]) -> Fraction:
        here = {state: Fraction(1)} if self.chain.label(state) == word[0] else {}
        for label in word[1:]:
            after: dict[str, Fraction] = {}
            for at, mass in here.items():
                for target, p in self.chain.row(at).items():
                    if self.chain.label(target) == label:
                        after[target] = after.get(target, Fraction(0)) + mass * p
            here = after
        return sum(here.values(), Fraction(0))


def _always(value: int) -> Callable[[Fraction], Fraction]:
    return lambda alpha: Fraction(value)


def _listed(chain: LabelledMarkovChain) -> Truth:
    words = [traces.words(chain, state, len(chain) + 1) for state in ("s0", "s1")]

    @cache
    def one_way(first: str, alpha: Fraction) -> Fraction:
        ours, theirs = words if first == "s0" else words[::-1]
        return sum(
            (max(Fraction(0), p - alpha * theirs.get(word, 0)) for word, p in ours.items()), Fraction(0)
        )

    def delta(alpha: Fraction) -> Fraction:
        return max(one_way("s0", alpha), one_way("s1", alpha))

    return Truth(chain, ("s0", "s1"), delta, settles=True, one_way=one_way, moment=_moment(words))


def _moment(words: Sequence[Mapping[tuple[str, ...], Fraction]]) -> Fraction | None:
    """The larger sum of p^2 / q of the two orders."""
    found = []
    for ours, theirs in (words, words[::-1]):
        if any(p and not theirs.get(word) for word, p in ours.items()):
            return None
        found.append(sum((p * p / theirs[word] for word, p in ours.items() if p), Fraction(0)))
    return max(found)


def _coins(biases: tuple[Fraction, Fraction]) -> Truth:
    rows = {}
    for tails, heads, p in zip(("s", "t"), ("h", "k"), biases, strict=True):
        for state, label in ((tails, "tails"), (heads, "heads")):
            rows[state] = (label, {tails: 1 - p, heads: p})
    differ = biases[0] != biases[1]
    return Truth(
        LabelledMarkovChain.from_rows(rows),
        ("s", "t"),
        _always(differ),
        endless=differ,
        moment=None if differ else Fraction(1),
    )


def _doubled(chain: LabelledMarkovChain) -> Truth:
    """A copy of the first state, which nothing can tell from it."""
    rows = {state: (chain.label(state), chain.row(state)) for state in chain.states}
    rows["copy"] = rows["s0"]
    return Truth(LabelledMarkovChain.from_rows(rows), ("s0", "copy"), _always(0), moment=Fraction(1))


def _apart(steps: int) -> Truth:
    """Two states that show the same for some steps, and then what the other cannot show."""
    rows = {}
    for side, label in (("s", "left"), ("t", "right")):
        names = [side, *(f"{side}{k}" for k in range(1, steps + 1)), f"{side}-end"]
        for here, there in pairwise(names):
            rows[here] = ("same", {there: 1})
        rows[names[-1]] = (label, {names[-1]: 1})
    return Truth(LabelledMarkovChain.from_rows(rows), ("s", "t"), _always(1))


@st.composite
def _waiting(draw: st.DrawFn) -> Truth:
    """A loop that tells nothing, and then one of three ends."""
    stay = draw(st.sampled_from([Fraction(1, 2), Fraction(1, 5), Fraction(9, 10)]))
    rows = [draw(distributions(3, max_denominator=9)) for _ in range(2)]
    made: dict[str, tuple[str, dict[str, Fraction]]] = {end: (end, {end: Fraction(1)}) for end in "abc"}
    for side, row in zip("st", rows, strict=True):
        after = {f"{side}-again": stay} | {end: (1 - stay) * p for end, p in zip("abc", row, strict=True)}
        made |= {side: ("start", after), f"{side}-again": ("wait", after)}

    def delta(alpha: Fraction) -> Fraction:
        orders = (rows, rows[::-1])
        return max(
            sum((max(Fraction(0), p - alpha * q) for p, q in zip(*order, strict=True)), Fraction(0))
            for order in orders
        )

    return Truth(LabelledMarkovChain.from_rows(made), ("s", "t"), delta, endless=True)


def truths() -> st.SearchStrategy[Truth]:
    """Small chains of all kinds."""
    biases = st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(3, 4), Fraction(2, 7)])
    return st.one_of(
        chains(max_states=6, max_labels=2, acyclic=True).filter(lambda chain: len(chain) > 2).map(_listed),
        _branching().map(_listed),
        _waiting(),
        st.tuples(biases, biases).map(_coins),
        chains(max_states=4).map(_doubled),
        st.integers(0, 2).map(_apart),
    )


@st.composite
def _branching(draw: st.DrawFn) -> LabelledMarkovChain:
    """Two states of one label and three ends: most differ, and not for certain."""
    ends = ["a", "b", "c"]
    rows = [draw(distributions(3, max_denominator=9)) for _ in range(2)]
    made = {
        f"s{k}": ("start", {end: p for end, p in zip(ends, row, strict=True) if p})
        for k, row in enumerate(rows)
    }
    made |= {end: (end if end != "c" else "b", {end: Fraction(1)}) for end in ends}
    return LabelledMarkovChain.from_rows(made)
