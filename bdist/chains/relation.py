"""Which states are neighbours: the pairs between which privacy is asked for.

A chain does not know which of its states stand for neighbouring databases; the auditor says so. A relation is
a set of unordered pairs of two different states: (epsilon, delta)-differential privacy of a pair is about
both orders, and a state is always private from itself. The order in which pairs are named is kept.

Three ways to make one besides naming pairs. *All states with a label* are neighbours of each other. *Hamming
distance* of names: where a state is named after a database, such as ``0110`` or ``x=0,y=1``, neighbours
differ in few entries; a name with a comma is compared field by field and one without character by character.
For distance at most d, names are hashed with each choice of d fields left out: two names that agree on the
rest are within d. That is n times (fields choose d) steps, where comparing all names would be n squared.

A relation file has one pair of neighbours a line, names as in ``.lmc`` files. That a state exists is for the
chain to say, but the line is known here, so the reader is given the chain and its refusals name the line.

    # comment to the end of the line
    s0 s1
    s0 ~ "two heads"          # the sign between them may be there

On a command line the same pairs are written ``s0:s1,s1:"two heads"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import FormatError, ParameterError
from bdist.report import OneLine
from bdist.text.files import read_text
from bdist.text.scanner import name_text, unquoted

Pair = tuple[str, str]

MOST_PAIRS = 5_000_000  # beyond that a relation is surely not what its author had in mind
_MOST_MASKS = 100_000


@dataclass(frozen=True, repr=False)
class Relation(OneLine):
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

    def within(self, steps: int) -> Relation:
        """The pairs that so many steps of this relation connect, the nearest first: for group privacy.

        Raises: ParameterError where there are too many pairs.
        """
        neighbours: dict[str, list[str]] = {}
        for s, t in self.pairs:
            neighbours.setdefault(s, []).append(t)
            neighbours.setdefault(t, []).append(s)
        kept = {frozenset(pair): pair for pair in self.pairs}
        further: list[tuple[int, Pair]] = []
        for s in neighbours if steps > 1 else ():
            reached, level = {s}, [s]
            for distance in range(1, steps + 1):
                level = list(dict.fromkeys(t for u in level for t in neighbours[u] if t not in reached))
                reached.update(level)
                for t in level:
                    if frozenset((s, t)) not in kept:
                        kept[frozenset((s, t))] = (s, t)
                        further.append((distance, (s, t)))
                        _check_size(len(kept))
        further.sort(key=lambda found: found[0])
        return Relation((*self.pairs, *(pair for _, pair in further)))

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


_NAME = r"""(?:[A-Za-z0-9_.'+-]++|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")"""
_LINE = re.compile(rf"[ \t\r]*(?:(?P<s>{_NAME})(?:[ \t]*~[ \t]*|[ \t]+)(?P<t>{_NAME})[ \t\r]*)?(?:#.*)?")
_INLINE = re.compile(rf"[ \t]*(?P<s>{_NAME})[ \t]*[:~][ \t]*(?P<t>{_NAME})[ \t]*(?P<end>,|\Z)")


def load_relation(path: str | Path, chain: LabelledMarkovChain) -> Relation:
    """Read a relation file for a chain. Raises: FormatError with the line."""
    return read_relation(read_text(path), chain, path)


def read_relation(text: str, chain: LabelledMarkovChain, source: str | Path = "<text>") -> Relation:
    """Parse the text of a relation file for a chain. Raises: FormatError with the line."""
    try:
        return Relation.of(chain, _pairs(text, chain, source))
    except ParameterError as error:
        raise FormatError(str(error), source=source) from None


def write_relation(pairs: Iterable[Pair]) -> str:
    """The text of a relation file; reading it back gives the same pairs."""
    return "".join(f"{name_text(s)} {name_text(t)}\n" for s, t in pairs)


def parse_pairs(text: str) -> Iterator[Pair]:
    """Pairs as they are written on a command line, ``s0:s1,s1:s2``. Raises: ParameterError."""
    position = 0
    while True:
        match = _INLINE.match(text, position)
        if match is None:
            raise ParameterError(
                "expected pairs such as s0:s1,s1:s2, names with commas in double quotes, at "
                f"'{text[position:][:40]}'"
            )
        yield _meant(match["s"]), _meant(match["t"])
        position = match.end()
        if not match["end"]:
            return


def _pairs(text: str, chain: LabelledMarkovChain, source: str | Path) -> Iterator[Pair]:
    for number, line in enumerate(text.split("\n"), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise FormatError(
                "expected two states such as: s0 s1, names with commas in double quotes; "
                f"found '{line.strip()[:40]}'",
                source=source,
                line=number,
            )
        if match["s"] is None:
            continue
        pair = (_meant(match["s"]), _meant(match["t"]))
        try:
            chain.index(pair[0]), chain.index(pair[1])
        except ParameterError as error:
            raise FormatError(str(error), source=source, line=number) from None
        yield pair


def _meant(name: str) -> str:
    return unquoted(name[1:-1]) if name.startswith('"') else name
