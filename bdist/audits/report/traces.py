"""An attack traced through the chain: after every label, how likely it is and where the chain may be.

The forward algorithm, in rationals. Accepted prefixes are taken in order, so that what two of them begin with
is computed once. The probabilities of all listed prefixes together must be those that the attack claims;
where they are not, the attack is not of this chain, and nothing is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import fmpq

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import InternalError
from bdist.exact.fast import ZERO, fast, slow
from bdist.traces.attack import Attack, Prefix

Vector = dict[int, fmpq]


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
    """The accepted prefixes, those that are worth most at an alpha first.

    Raises: InternalError where their probabilities do not add up to those of the attack.
    """
    words = sorted(attack.prefixes)
    firsts, seconds = (_masses(chain, state, words) for state in attack.pair)
    if (slow(sum(firsts, ZERO)), slow(sum(seconds, ZERO))) != (attack.first, attack.second):
        raise InternalError(
            f"the attack on {attack.pair[0]} and {attack.pair[1]} does not have the probabilities it claims"
        )
    traced = [TracedPrefix(word, slow(p), slow(q)) for word, p, q in zip(words, firsts, seconds, strict=True)]
    return sorted(traced, key=lambda prefix: (-prefix.advantage(alpha), len(prefix.prefix)))


def trace_steps(chain: LabelledMarkovChain, pair: tuple[str, str], prefix: Prefix) -> list[Step]:
    """A prefix label by label."""
    ways = [_vectors(chain, state, prefix) for state in pair]
    return [
        Step(
            label,
            slow(sum(a.values(), ZERO)),
            slow(sum(b.values(), ZERO)),
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
                following[j] = following.get(j, ZERO) + x * fast(p)
    return following
