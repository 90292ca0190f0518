"""Which states are neighbours: the pairs between which privacy is asked for.

Differential privacy speaks of neighbouring databases, and a chain does not know which of its states stand for
databases and which of these are neighbours; the auditor says so. A relation is a set of unordered pairs of
two different states: (epsilon, delta)-differential privacy of a pair is about both orders, so symmetry is
implied, and a state is always private from itself, so a reflexive pair says nothing and is dropped. The order
in which pairs are named is kept.

Three ways to make one besides naming pairs. *All states with a label* are neighbours of each other: the usual
question where a few initial states carry a label of their own. *Hamming distance* of names: where a state is
named after a database, such as ``0110`` or ``x=0,y=1``, neighbours are databases that differ in few entries.
A name with a comma is compared field by field and one without character by character; names with different
numbers of fields are not neighbours.

For Hamming distance at most d, names are hashed with each choice of d fields left out: two names that agree
on the rest are within d. That is n times (fields choose d) steps and the number of pairs, where comparing all
names would be n squared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ParameterError

Pair = tuple[str, str]

MOST_PAIRS = 5_000_000  # beyond that a relation is surely not what its author had in mind
_MOST_MASKS = 100_000


@dataclass(frozen=True)
class Relation:
    """Unordered pairs of different states, each once; ``pairs`` names them as they were first named."""

    pairs: tuple[Pair, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    @classmethod
    def of(cls, chain: LabelledMarkovChain, pairs: Iterable[tuple[str, str]]) -> Relation:
        """A relation from pairs of names; repeated, reversed and reflexive ones are dropped.

        Raises: ParameterError where there is no such state, or too many pairs.
        """
        kept: dict[frozenset[str], Pair] = {}
        for pair in pairs:
            if isinstance(pair, str) or len(pair) != 2:
                raise ParameterError(f"{pair!r} is not a pair of two states")
            s, t = pair
            chain.index(s), chain.index(t)
            if s != t:
                kept.setdefault(frozenset((s, t)), (s, t))
                _check_size(len(kept))
        return cls(tuple(kept.values()))

    @classmethod
    def with_label(cls, chain: LabelledMarkovChain, label: str) -> Relation:
        """All pairs of states with one label. Raises: ParameterError where no state has it."""
        members = states_with_label(chain, label)
        _check_size(len(members) * (len(members) - 1) // 2)
        return cls(tuple(combinations(members, 2)))

    @classmethod
    def by_hamming(cls, chain: LabelledMarkovChain, distance: int = 1, label: str | None = None) -> Relation:
        """All pairs of states whose names differ in at most ``distance`` fields; of one label, if given.

        Raises: ParameterError.
        """
        if distance < 1:
            raise ParameterError(f"a Hamming distance of {distance}; it must be at least 1")
        names = chain.states if label is None else states_with_label(chain, label)
        by_length: dict[tuple[bool, int], list[tuple[int, tuple[str, ...]]]] = {}
        for i, name in enumerate(names):
            fields = _fields(name)
            by_length.setdefault(("," in name, len(fields)), []).append((i, fields))
        found: set[tuple[int, int]] = set()
        for (_, length), members in by_length.items():
            for pair in _close_pairs(members, length, min(distance, length)):
                found.add(pair)
                _check_size(len(found))
        return cls(tuple((names[i], names[j]) for i, j in sorted(found)))

    def union(self, other: Relation) -> Relation:
        """The pairs of both, those of this one first."""
        kept: dict[frozenset[str], Pair] = {}
        for pair in (*self.pairs, *other.pairs):
            kept.setdefault(frozenset(pair), pair)
        return Relation(tuple(kept.values()))


def states_with_label(chain: LabelledMarkovChain, label: str) -> tuple[str, ...]:
    """The states that carry a label. Raises: ParameterError, with the labels that there are, if none does."""
    members = chain.states_by_label.get(label)
    if members is None:
        known = sorted(chain.states_by_label)
        listed = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        raise ParameterError(f"no state has the label '{label}'; this chain has {listed}")
    return tuple(chain.states[i] for i in members)


def _fields(name: str) -> tuple[str, ...]:
    return tuple(name.split(",")) if "," in name else tuple(name)


def _close_pairs(
    members: list[tuple[int, tuple[str, ...]]], length: int, distance: int
) -> Iterator[tuple[int, int]]:
    """The pairs of members whose fields differ in at most ``distance`` places; a pair may come repeatedly."""
    if comb(length, distance) > _MOST_MASKS:
        raise ParameterError(
            f"names of {length} fields within Hamming distance {distance} are too many combinations; "
            "give the pairs in a file"
        )
    for left_out in combinations(range(length), distance):
        gaps = set(left_out)
        groups: dict[tuple[str, ...], list[int]] = {}
        for i, fields in members:
            groups.setdefault(tuple(x for k, x in enumerate(fields) if k not in gaps), []).append(i)
        for group in groups.values():
            yield from combinations(group, 2)


def _check_size(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise ParameterError(f"the relation has more than {MOST_PAIRS} pairs")
