"""A test of labels that counts: every label has points, and the sum decides.

The likelihood ratio of a word is the product of what its labels contribute, so its logarithm is a sum, and
"accept when the ratio exceeds alpha" is a threshold on that sum. Where all contributions are powers of one
number, their exponents are the points and nothing is rounded: k-fold randomised response is a count of the
yes. Otherwise points are logarithms in units of a cell, rounded: a test that is a little worse than the best
one, and whose probabilities are exact all the same.

What a label contributes may depend on what was read before. So a test has states, as an automaton has, and a
label leads to a state with some points; a label that a state does not list is read over. The test ends where
a label leads to END, or after a number of labels, and accepts if the sum reaches the threshold. Often one
state is enough: where all words are of one length, what all labels of a position have in common makes no
difference and is left out, and then what remains may depend on the label alone.

*Exact probabilities.* The sums that are possible in a state of the chain, with their probabilities, are one
polynomial with integer coefficients over one denominator; a label shifts it. FLINT multiplies a thousand
coefficients of a thousand digits in no time. The work is counted, in words of coefficients, and where it
would be too much there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import floor, gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpz_poly

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ParameterError
from bdist.exact.rationals import counted, log_approx
from bdist.printing import named
from bdist.report import OneLine
from bdist.traces.automaton import ACCEPT, END, REJECT, Step, acyclic_order, all_of_it, labels_text

if TYPE_CHECKING:
    from bdist.chains.drawings.diagram import Diagram, NotDrawn

MOST_WORK = 150_000_000
MOST_LENGTH, MOST_POINTS = 1_000_000, 100_000

_LABELS_TOLD = 12
_EUCLID_STEPS = 40
_ROOT_BITS = 4096
_NAMES = {ACCEPT: "accept", REJECT: "reject", END: "end"}

Way = tuple[str, int, int]
"""A label, the next state or ACCEPT, REJECT or END, and the points."""


@dataclass(frozen=True, repr=False)
class Counting(OneLine):
    """``states[k]`` lists the labels that count there; state 0 is the first, ``length`` labels the most."""

    states: tuple[tuple[Way, ...], ...]
    length: int
    threshold: int

    @cached_property
    def rows(self) -> tuple[dict[str, tuple[int, int]], ...]:
        """The ways of each state, by label."""
        return tuple({label: (target, points) for label, target, points in row} for row in self.states)

    @property
    def longest(self) -> int:
        """How many labels are read at most."""
        return self.length

    @cached_property
    def plain(self) -> dict[str, int] | None:
        """The points by label, without those of 0, where nothing else counts; None otherwise."""
        if len(self.states) > 1 or any(target for _, target, _ in self.states[0]):
            return None
        found = {label: points for label, _, points in self.states[0] if points}
        return found if all(points > 0 for points in found.values()) else None

    def reader(self) -> Callable[[str], bool | None]:
        """What reads a run: to be called with one label after the other, until it says whether it accepts."""
        rows, threshold = self.rows, self.threshold
        left, at, total = self.length, 0, 0
        early = self.plain is not None

        def read(label: str) -> bool | None:
            nonlocal left, at, total
            left -= 1
            at, points = rows[at].get(label, (at, 0))
            total += points
            if at in (ACCEPT, REJECT):
                return at == ACCEPT
            if early and total >= threshold:
                return True
            return total >= threshold if at == END or not left else None

        return read

    def probabilities(self, chain: LabelledMarkovChain, states: Iterable[str]) -> list[Fraction] | None:
        """How likely the test accepts the labels from each state; None where that is too much work.

        Raises: ParameterError where the chain has no such state.
        """
        found = []
        for state in states:
            sums = sums_of(self.rows, self.length, chain, state)
            if sums is None:
                return None
            found.append(sums.at_least(self.threshold))
        return found

    # --- telling ---

    def words(self, name: str, told: int = 0) -> list[str]:
        """What somebody does who uses the test, in lines; ``name`` is what he says then."""
        plain = self.plain
        if plain is None or len(plain) > _LABELS_TOLD:
            points = f"at least {counted(self.threshold, 'point')} in all"
            by = f"a test of {counted(len(self.states), 'state')} that reads at most {self._labels}"
            return [f"say '{name}' if the labels have {points}, counted by {by}", all_of_it(*self._sizes)]
        if set(plain.values()) == {1}:
            labels = " or ".join(map(named, plain))
            times = counted(self.threshold, "time")
            return [f"say '{name}' if {labels} is counted at least {times} in the first {self._labels}"]
        each = ", ".join(f"{named(label)} {points}" for label, points in plain.items())
        points = counted(self.threshold, "point")
        return [
            f"say '{name}' if the first {self._labels} have at least {points} in all: {each}, any other 0"
        ]

    @property
    def _labels(self) -> str:
        return counted(self.length, "label")

    def document(self) -> dict[str, object]:
        """The test as a JSON object, as `of_document` reads it."""
        return {
            "kind": "counting",
            "states": [
                {label: [_NAMES.get(target, target), points] for label, target, points in row}
                for row in self.states
            ],
            "length": self.length,
            "threshold": self.threshold,
        }

    @classmethod
    def of_document(cls, document: Mapping[str, object]) -> Counting:
        """A test from a stranger. Raises: ParameterError where it is none."""
        states, length, threshold = (document.get(name) for name in ("states", "length", "threshold"))
        if not isinstance(states, list) or not states or not all(isinstance(row, dict) for row in states):
            raise ParameterError("a counting test has 'states', an array of objects")
        if not _is_between(length, 1, MOST_LENGTH):
            raise ParameterError(f"a counting test has a 'length' from 1 to {MOST_LENGTH}")
        largest = MOST_POINTS * MOST_LENGTH
        if not _is_between(threshold, -largest, largest):
            raise ParameterError(f"a counting test has a 'threshold' from {-largest} to {largest}")
        made = tuple(
            tuple((label, *_way(way, len(states))) for label, way in sorted(row.items())) for row in states
        )
        return cls(made, int(str(length)), int(str(threshold)))

    def picture(self, name: str) -> Diagram | NotDrawn:
        """The test drawn: boxes are its states, then the sum, then where it says the name."""
        from bdist.chains.drawings.diagram import ArrowText, BoxText, Mark, diagram

        last = len(self.states)
        boxes = [BoxText(f"step {k}" if last > 1 else "count", "reads a label") for k in range(1, last + 1)]
        boxes += [BoxText("sum", "of the points"), BoxText(f"say '{name}'", "accepted")]
        boxes += [BoxText("give up", "not accepted")] if self._rejects else []
        ends = {END: last, ACCEPT: last + 1, REJECT: last + 2}
        arrows = []
        for (q, target), by_points in self._arrows.items():
            short = "; ".join(f"{labels_text(labels)}: {points}" for points, labels in by_points.items())
            full = "; ".join(f"{' or '.join(labels)}: {points}" for points, labels in by_points.items())
            arrows.append(ArrowText(q, ends.get(target, target), short, full))
        if not self._ends:
            arrows += [ArrowText(q, last, f"after {self._labels}") for q in range(last)]
        arrows.append(ArrowText(last, last + 1, f"at least {self.threshold}"))
        caption = f"a test that adds up points over {self._labels} at most"
        accepted = Mark("here the test accepts", frozenset([last + 1]), frozenset())
        return diagram(boxes, arrows, caption, accepted)

    @cached_property
    def _arrows(self) -> dict[tuple[int, int], dict[int, list[str]]]:
        """By state and target the labels, by their points."""
        found: dict[tuple[int, int], dict[int, list[str]]] = {}
        for q, row in enumerate(self.states):
            for label, target, points in row:
                found.setdefault((q, target), {}).setdefault(points, []).append(label)
        return found

    @property
    def _ends(self) -> bool:
        return any(target == END for _, target in self._arrows)

    @property
    def _rejects(self) -> bool:
        return any(target == REJECT for _, target in self._arrows)

    @property
    def _sizes(self) -> tuple[int, int]:
        """How many boxes and arrows there are in the picture."""
        states = len(self.states)
        return states + 2 + self._rejects, len(self._arrows) + 1 + (0 if self._ends else states)


def _is_between(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _way(way: object, states: int) -> tuple[int, int]:
    if isinstance(way, list) and len(way) == 2 and _is_between(way[1], -MOST_POINTS, MOST_POINTS):
        for target, name in _NAMES.items():
            if way[0] == name:
                return target, way[1]
        if _is_between(way[0], 0, states - 1):
            return way[0], way[1]
    raise ParameterError("a label of a counting test has [next state, 'accept', 'reject' or 'end', points]")


# --- sums, and how likely they are ---


@dataclass(frozen=True)
class Sums:
    """The probabilities of all sums from ``low`` on, and of acceptance without one, times a denominator."""

    accepted: int
    low: int
    numerators: tuple[int, ...]
    denominator: int

    def at_least(self, threshold: int) -> Fraction:
        """The probability that the sum reaches a threshold."""
        reached = self.numerators[max(0, threshold - self.low) :]
        return Fraction(self.accepted + sum(reached), self.denominator)

    def tails(self, low: int, high: int) -> list[int]:
        """The numerators of `at_least` at the thresholds from ``low`` to ``high``."""
        found = list(accumulate(reversed(self.numerators), initial=self.accepted))[::-1]
        return [
            found[min(max(0, threshold - self.low), len(found) - 1)] for threshold in range(low, high + 1)
        ]


def best_threshold(first: Sums, second: Sums, alpha: Fraction) -> int:
    """The threshold with the largest difference of probabilities, the second one times alpha."""
    low = min(first.low, second.low)
    high = max(sums.low + len(sums.numerators) for sums in (first, second))
    times = second.denominator * alpha.denominator
    less = alpha.numerator * first.denominator
    pairs = zip(first.tails(low, high), second.tails(low, high), strict=True)
    gains = [p * times - less * q for p, q in pairs]
    best = max(gains)
    return low + max(k for k, gain in enumerate(gains) if gain == best)


_Laurent = tuple[int, fmpz_poly]
"""A polynomial and the power of its first coefficient."""

_Read = tuple[int, int, int]
"""The state of a test, or its decision, and the state of the chain, after a label; and the points for it."""

_EACH = 20  # coefficients that are as much work as a step with none


def sums_of(
    rows: Sequence[Mapping[str, tuple[int, int]]],
    length: int,
    chain: LabelledMarkovChain,
    state: str,
    most_work: int = MOST_WORK,
) -> Sums | None:
    """The sums of a test's points over the labels from a state; None where that is too much work."""
    labels, integer_rows = chain.labels, chain.integer_rows
    accepted, denominator, work = 0, 1, 0
    ended: _Laurent | None = None
    # once its label is read, a state is as good as any other with the same row
    alike: dict[object, int] = {}

    def read(i: int, at: int) -> _Read:
        target, points = rows[at].get(labels[i], (at, 0))
        row = integer_rows[i]
        return target, alike.setdefault((row.targets, row.numerators, row.denominator), i), points

    def enter(where: _Read, part: _Laurent, into: dict[tuple[int, int], _Laurent]) -> None:
        nonlocal accepted, ended
        target, i, points = where
        moved = (part[0] + points, part[1])
        if target == ACCEPT:
            accepted += int(moved[1](1))
        elif target == END:
            ended = _sum(ended, moved)
        elif target != REJECT:
            into[i, target] = _sum(into.get((i, target)), moved)

    following: dict[tuple[int, int], list[tuple[_Read, int]]] = {}

    def ways(i: int, at: int) -> list[tuple[_Read, int]]:
        """Where a state of the chain goes, and with which numerators."""
        known = following.get((i, at))
        if known is None:
            found: dict[_Read, int] = {}
            for j, numerator in zip(integer_rows[i].targets, integer_rows[i].numerators, strict=True):
                where = read(j, at)
                found[where] = found.get(where, 0) + numerator
            known = following[i, at] = list(found.items())
        return known

    level: dict[tuple[int, int], _Laurent] = {}
    enter(read(chain.index(state), 0), (0, fmpz_poly([1])), level)
    for _ in range(length - 1):
        if not level:
            break
        scale = lcm(*(integer_rows[i].denominator for i, _ in level))
        words = denominator.bit_length() // 64 + 1
        work += sum(len(ways(*key)) * (int(part[1].length()) + _EACH) for key, part in level.items()) * words
        if work > most_work:
            return None
        denominator *= scale
        accepted *= scale
        ended = None if ended is None else (ended[0], ended[1] * scale)
        after: dict[tuple[int, int], _Laurent] = {}
        for (i, at), (low, part) in level.items():
            times = scale // integer_rows[i].denominator
            for where, numerator in ways(i, at):
                enter(where, (low, part * (numerator * times)), after)
        level = after
    for left in level.values():
        ended = _sum(ended, left)
    low, total = ended or (0, fmpz_poly([0]))
    return Sums(accepted, low, tuple(map(int, total.coeffs())), denominator)


def _sum(one: _Laurent | None, other: _Laurent) -> _Laurent:
    if one is None:
        return other
    low = min(one[0], other[0])
    return low, _shifted(one, low) + _shifted(other, low)


def _shifted(part: _Laurent, low: int) -> fmpz_poly:
    return part[1].left_shift(part[0] - low) if part[0] > low else part[1]


# --- tests from likelihood ratios ---


@dataclass(frozen=True)
class Scoring:
    """Points for labels, without a threshold yet; ``exact`` where the sum says the likelihood ratio."""

    states: tuple[tuple[Way, ...], ...]
    length: int
    exact: bool

    @property
    def is_plain(self) -> bool:
        """Whether the points depend on the label alone."""
        return len(self.states) == 1

    def test(
        self, chain: LabelledMarkovChain, pair: tuple[str, str], alpha: Fraction
    ) -> tuple[Counting, Fraction, Fraction] | None:
        """The test with the best threshold and its probabilities; None where that is too much work."""
        rows = Counting(self.states, self.length, 0).rows
        first = sums_of(rows, self.length, chain, pair[0])
        second = None if first is None else sums_of(rows, self.length, chain, pair[1])
        if first is None or second is None:
            return None
        threshold = best_threshold(first, second, alpha)
        test = Counting(self.states, self.length, threshold)
        return test, first.at_least(threshold), second.at_least(threshold)


def scoring_of(
    steps: Sequence[Sequence[Step]], first: str, length: int | None = None, cells: int = 0
) -> Scoring | None:
    """Points for the labels of some steps, the label ``first`` before them; None where they say nothing.

    With a ``length`` so many labels are read at most; it is needed where steps go round. Points are exponents
    of a common root or, with ``cells``, rounded to about so many cells in all; None where neither will do.
    """
    depths = _depths(steps)
    longest = _longest(steps)
    if longest is None and length is None:
        return None
    # where all words have one length, what all labels of a position contribute may be divided out
    common: list[Fraction] = [Fraction(1)] * len(steps)
    even = depths is not None or all(target >= 0 for row in steps for _, target, _ in row)
    if even:
        least: dict[int, Fraction] = {}
        for k, row in enumerate(steps):
            depth = 0 if depths is None else depths[k]
            smallest = min(ratio for _, _, ratio in row)
            least[depth] = min(smallest, least.get(depth, smallest))
        common = [least[0 if depths is None else depths[k]] for k in range(len(steps))]
    relative = [
        [(label, target, ratio / common[k]) for label, target, ratio in row] for k, row in enumerate(steps)
    ]
    most = min(n for n in (longest, length) if n is not None)
    pointed = _exact_points(relative)
    exact = pointed is not None
    if pointed is None:
        pointed = _rounded_points(relative, most, cells) if cells else None
    if pointed is None:
        return None
    plain = _plain(pointed) if even else None
    if plain is not None:
        return Scoring((plain,), most, exact)
    moved = [
        tuple((label, target + 1 if target >= 0 else target, points) for label, target, points in row)
        for row in pointed
    ]
    return Scoring((((first, 1, 0),), *moved), most, exact)


def _depths(steps: Sequence[Sequence[Step]]) -> list[int] | None:
    """How many labels lead to each step, where that is one number and all words end at one length."""
    depth = {0: 0}
    order = [0]
    ends = set()
    for k in order:  # grows while it is read
        for _, target, _ in steps[k]:
            if target in (ACCEPT, REJECT):
                return None
            if target == END:
                ends.add(depth[k])
            elif target not in depth:
                depth[target] = depth[k] + 1
                order.append(target)
            elif depth[target] != depth[k] + 1:
                return None
    return [depth[k] for k in range(len(steps))] if len(ends) == 1 else None


def _longest(steps: Sequence[Sequence[Step]]) -> int | None:
    """How many labels are read at most, the first one included; None where steps go round."""
    successors = [[target for _, target, _ in row if target >= 0] for row in steps]
    order = acyclic_order(successors)
    if order is None:
        return None
    length = [0] * len(steps)
    for k in order:
        length[k] = 1 + max((length[target] for target in successors[k]), default=0)
    return 1 + length[0]


def _ratios(relative: Iterable[Iterable[Step]]) -> set[Fraction]:
    return {ratio for row in relative for _, target, ratio in row if target not in (ACCEPT, REJECT)}


def _exact_points(relative: Sequence[Sequence[Step]]) -> list[list[Way]] | None:
    """Exponents of a number of which all ratios are powers; None where there is none, or all are 1."""
    ratios = _ratios(relative)
    root = common_root(ratios)
    if root is None:
        return None
    unit = log_approx(root)
    points = {ratio: round(log_approx(ratio) / unit) for ratio in ratios}
    if any(root**exponent != ratio for ratio, exponent in points.items()):
        return None
    return _pointed(relative, points)


def _rounded_points(relative: Sequence[Sequence[Step]], length: int, cells: int) -> list[list[Way]] | None:
    """Logarithms in units that make about so many cells over all labels; None where all are 0."""
    logs = {ratio: log_approx(ratio) for ratio in _ratios(relative)}
    span = max(logs.values(), default=0.0) - min(0.0, *logs.values()) if logs else 0.0
    if span == 0.0:
        return None
    unit = span * length / cells
    points = {ratio: round(value / unit) for ratio, value in logs.items()}
    divisor = gcd(*points.values())
    if not divisor:
        return None
    return _pointed(relative, {ratio: value // divisor for ratio, value in points.items()})


def _pointed(relative: Iterable[Iterable[Step]], points: Mapping[Fraction, int]) -> list[list[Way]]:
    return [[(label, target, points.get(ratio, 0)) for label, target, ratio in row] for row in relative]


def _plain(pointed: Iterable[Iterable[Way]]) -> tuple[Way, ...] | None:
    """The points by label, in one state, where a label has the same everywhere."""
    found: dict[str, int] = {}
    for row in pointed:
        for label, _, points in row:
            if found.setdefault(label, points) != points:
                return None
    return tuple((label, 0, points) for label, points in sorted(found.items()))


def common_root(ratios: set[Fraction]) -> Fraction | None:
    """A number of which all these ratios are powers, found by Euclid's algorithm on their logarithms."""
    root = Fraction(1)
    for ratio in ratios:
        one, other = root, max(ratio, 1 / ratio)
        for _ in range(_EUCLID_STEPS):
            if other == 1:
                break
            if one == 1:
                one, other = other, one
                continue
            one, other = max(one, other), min(one, other)
            bits = max(other.numerator, other.denominator).bit_length()
            if bits > _ROOT_BITS or log_approx(other) <= 0.0:  # so near to 1 that its logarithm is lost
                return None
            times = max(1, floor(log_approx(one) / log_approx(other) + 1e-9))
            if times * bits > 4 * _ROOT_BITS:
                return None
            one = one / other**times
            if one < 1:
                one = 1 / one
        else:
            return None
        root = one
    return root if root > 1 and log_approx(root) > 0.0 else None  # nearer to 1 floats cannot tell
