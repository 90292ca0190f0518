"""What a described test accepts, by naive means: the words of an attack, or its JSON, read back.

An event reads labels one by one. It knows nothing of how the package stores tests: prefixes and rows are
followed as sets of places in their patterns, counts are counts. Probabilities are computed by following all
of the chain's mass for as many labels as the event reads, or by plain elimination where it may go round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from bdist.chains.chain import LabelledMarkovChain

Place = Hashable
ALL_OF_IT = (  # to somebody who typed a command, or to a program
    r"all of it: (?:bdist attack with (?:--draw or )?--json|(?:\.picture\(\) or )?\.document\(\))"
)


@dataclass(frozen=True)
class Event:
    """From a place with a label to another place, or True or False; ``length`` labels at most, if so many."""

    start: Place
    after: Callable[[Any, str], Place | bool]
    length: int | None

    def accepts(self, labels: Sequence[str]) -> bool | None:
        """Whether labels are accepted; None where they do not decide it."""
        place: Any = self.start
        for label in labels:
            place = self.after(place, label)
            if isinstance(place, bool):
                return place
        return None

    def probability(self, chain: LabelledMarkovChain, state: str) -> Fraction:
        """How likely it is from a state."""
        if self.length is not None:
            return self._followed(chain, chain.index(state))
        return self._eliminated(chain, chain.index(state))

    def _followed(self, chain: LabelledMarkovChain, start: int) -> Fraction:
        scale = lcm(*(p.denominator for row in chain.rows for _, p in row))
        rows = [[(j, int(p * scale)) for j, p in row] for row in chain.rows]
        here: dict[tuple[int, Any], int] = {(start, self.start): 1}
        accepted, denominator = 0, 1
        while here:
            read: dict[tuple[int, Any], int] = {}
            for (i, place), mass in here.items():
                after = self.after(place, chain.labels[i])
                if after is True:
                    accepted += mass
                elif after is not False:
                    read[i, after] = read.get((i, after), 0) + mass
            here = {}
            accepted, denominator = accepted * scale, denominator * scale
            for (i, place), mass in read.items():
                for j, times in rows[i]:
                    here[j, place] = here.get((j, place), 0) + mass * times
        return Fraction(accepted, denominator)

    def _eliminated(self, chain: LabelledMarkovChain, start: int) -> Fraction:
        """The least solution of the equations, one for each state of the chain and place."""
        first = (start, self.start)
        equations: dict[Any, dict[Any, Fraction]] = {}
        waiting = [first]
        while waiting:
            key = waiting.pop()
            if key in equations:
                continue
            i, place = key
            after = self.after(place, chain.labels[i])
            row: dict[Any, Fraction] = {}
            if after is True:
                row[True] = Fraction(1)
            elif after is not False:
                for j, p in chain.rows[i]:
                    row[j, after] = row.get((j, after), Fraction(0)) + p
                    waiting.append((j, after))
            equations[key] = row
        live = {True}
        while more := {key for key, row in equations.items() if key not in live and live & row.keys()}:
            live |= more
        rows = {k: {t: p for t, p in row.items() if t in live} for k, row in equations.items() if k in live}
        for key in [k for k in rows if k != first]:
            row = rows.pop(key)
            loop = row.pop(key, Fraction(0))
            for other in rows.values():
                times = other.pop(key, Fraction(0))
                for target, p in row.items():
                    if times:
                        other[target] = other.get(target, Fraction(0)) + times * p / (1 - loop)
        row = rows.get(first, {})
        return row.get(True, Fraction(0)) / (1 - row.get(first, Fraction(0)))


# --- words ---

Part = tuple[frozenset[str], int, int | None]
"""Labels, how often at least, and how often at most."""


def _labels(text: str) -> frozenset[str]:
    return frozenset(text.split(" or "))


def _part(text: str) -> Part:
    if text.startswith("any number of "):
        return _labels(text.removeprefix("any number of ")), 0, None
    match = re.fullmatch(r"(?:([0-9]+) to )?([0-9]+) times? (.+)", text)
    if match:
        return _labels(match[3]), int(match[1] or match[2]), int(match[2])
    return _labels(text), 1, 1


def _pattern(text: str) -> tuple[Part, ...]:
    if ", then " in text or re.match(r"any number of |[0-9]+ times? ", text):
        return tuple(map(_part, text.split(", then ")))
    return tuple((frozenset([label]), 1, 1) for label in text.split(" "))


def one_of(patterns: Sequence[tuple[Part, ...]]) -> Event:
    """The labels begin with one of some patterns. A place is a set of (pattern, part, how often)."""

    def closed(places: set[tuple[int, int, int]]) -> frozenset[tuple[int, int, int]] | bool:
        waiting, found = list(places), set()
        while waiting:
            k, part, count = waiting.pop()
            if part == len(patterns[k]):
                return True
            found.add((k, part, count))
            if count >= patterns[k][part][1]:
                waiting.append((k, part + 1, 0))
        return frozenset(found) or False

    def after(place: frozenset[tuple[int, int, int]], label: str) -> Place | bool:
        moved = set()
        for k, part, count in place:
            labels, least, most = patterns[k][part]
            if label in labels and (most is None or count < most):
                moved.add((k, part, count + 1 if most is not None else max(count, least)))
        return closed(moved)

    start = closed({(k, 0, 0) for k in range(len(patterns))})
    loops = any(most is None for pattern in patterns for _, _, most in pattern)
    longest = max(sum(most or 0 for _, _, most in pattern) for pattern in patterns)
    return Event(start, after, None if loops else longest)


def counted(points: dict[str, int], length: int, threshold: int) -> Event:
    """The points of the first labels add up to a threshold."""

    def after(place: tuple[int, int], label: str) -> Place | bool:
        read, total = place[0] + 1, place[1] + points.get(label, 0)
        return total >= threshold if read == length else (read, total)

    return Event((0, 0), after, length)


def led(up: frozenset[str], down: frozenset[str], lead: int, trail: int) -> Event:
    """After the first label some labels are so many times more frequent than others, before the reverse."""

    def after(place: int | None, label: str) -> Place | bool:
        if place is None:
            return 0
        now = place + (label in up) - (label in down)
        return True if now == lead else False if now == -trail else now

    return Event(None, after, None)


def stepped(steps: dict[int, dict[str, int | bool]]) -> Event:
    """Numbered steps from 1 on; at a label that is not named it gives up."""
    return Event(1, lambda place, label: steps[place].get(label, False), None)


def event_of(lines: Sequence[str]) -> Event | None:
    """The event that an attack's words describe; None where they only say how large it is.

    Raises: AssertionError where nobody taught this module the words.
    """
    first, *more = lines
    match = re.fullmatch(r"say '(\S+)' when the labels begin with: (.+)", first)
    if match:
        assert all(line.startswith("or: ") for line in more), more
        texts = [match[2], *(line.removeprefix("or: ") for line in more)]
        if any(re.search(r" \.\.\. \([0-9]+ more\)$", text) for text in texts):
            return None
        return one_of(list(map(_pattern, texts)))
    match = re.fullmatch(
        r"say '\S+' if (.+) is counted at least ([0-9]+) times? in the first ([0-9]+) labels?", first
    )
    if match:
        assert not more
        return counted(dict.fromkeys(_labels(match[1]), 1), int(match[3]), int(match[2]))
    match = re.fullmatch(
        r"say '\S+' if the first ([0-9]+) labels? have at least ([0-9]+) points? in all: (.+), any other 0",
        first,
    )
    if match:
        assert not more
        pairs = (part.rsplit(" ", 1) for part in match[3].split(", "))
        return counted({label: int(number) for label, number in pairs}, int(match[1]), int(match[2]))
    often = r"(.+) ([0-9]+) times? more often than (.+)"
    match = re.fullmatch(rf"say '\S+' once the labels after the first have shown {often}", first)
    if match:
        (line,) = more
        back = re.fullmatch(rf"give up once they have shown {often}", line)
        assert back, line
        assert (back[1], back[3]) == (match[3], match[1]), line
        return led(_labels(match[1]), _labels(match[3]), int(match[2]), int(back[2]))
    match = re.fullmatch(
        r"say '(\S+)' by these steps, from step 1 on; give up at any label that is not named:", first
    )
    if match:
        return stepped({k: _step(line, k, match[1]) for k, line in enumerate(more, 1)})
    sizes = (
        r"say '\S+' when the labels begin with one of (?:[0-9]+|more than 1000) prefixes "
        r"of at most [0-9]+ labels?",
        r"say '\S+' when the labels begin with one of infinitely many prefixes, "
        r"told by an automaton of [0-9]+ states",
        r"say '\S+' if the labels have at least -?[0-9]+ points? in all, counted by a test of [0-9]+ states? "
        r"that reads at most [0-9]+ labels?",
    )
    assert any(re.fullmatch(size, first) for size in sizes), f"nobody taught this test the words: {first!r}"
    assert re.fullmatch(ALL_OF_IT, more[-1]), more
    assert all(re.fullmatch(r"(?:speaking for \S+|against): .+", line) for line in more[:-1]), more
    return None


def _step(line: str, number: int, name: str) -> dict[str, int | bool]:
    head, _, rest = line.partition(". ")
    assert head == str(number), line
    found: dict[str, int | bool] = {}
    for clause in rest.split("; "):
        match = re.fullmatch(r"on (.+) (?:(stay)|go to ([0-9]+)|say '(\S+)')", clause)
        assert match, clause
        assert match[4] in (None, name)
        for label in _labels(match[1]):
            found[label] = number if match[2] else int(match[3]) if match[3] else True
    return found


# --- JSON ---


def event_of_document(test: dict[str, Any]) -> Event:
    """The event of the member ``test`` of an attack."""
    if test["kind"] == "automaton":
        rows = test["states"]

        def after(place: int, label: str) -> Place | bool:
            target = rows[place].get(label, False)
            return True if target == "accept" else target

        return Event(0, after, None)
    assert test["kind"] == "counting"

    def count(place: tuple[int, int, int], label: str) -> Place | bool:
        at, read, total = place
        target, points = test["states"][at].get(label, (at, 0))
        if target in ("accept", "reject"):
            return bool(target == "accept")
        total += points
        if target == "end" or read + 1 == test["length"]:
            return bool(total >= test["threshold"])
        return target, read + 1, total

    return Event((0, 0, 0), count, test["length"])
