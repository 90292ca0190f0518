"""One bound of the loss at all lengths, by vectors that no observation leads out of.

At a fixed c the ratios of all words are at most c if and only if the vector v = alpha - c beta, which every
observation maps linearly, never comes to a positive value. So words of any length are settled by a cone: some
vectors, each of value at most 0 by every observation, such that what an observation makes of one of them is
at most a combination of them with multipliers >= 0, and so are the vectors with which the pairs begin
(SPEC 3.2). What is componentwise at most 0 is covered by nothing at all.

*How the vectors are found.* From the roots on, breadth first, successors that the vectors so far do not cover
become vectors themselves. One small linear program decides that for each successor; HiGHS keeps the vectors
as columns of one model, and gets a new right-hand side each time, in a quarter of a millisecond. Its
multipliers are taken as the rationals that they are and the cover is checked; where rounding breaks it,
because it is tight, the basis is solved exactly. A cover that does not hold exactly is none.

*Exact and rounded.* The vectors of real words have numbers that grow with the word. Where c is just the loss
there is no room, and they are kept as they are: then a positive value is that of a word, which violates c.
Where there is room, an entry is rounded up to a float. The larger vector answers for the exact one, and only
if it has a value of at most 0 is it of any use; whether a word is to blame is looked up exactly.

*What no word tells apart.* Bisimilar states, and more generally vectors that have the value 0 by every word,
make differences that never fade, and no vector alone covers them. They are a linear space: the complement of
what the words span, found by elimination. A basis of it, with both signs, is put among the vectors. So
states need not be merged, and less than bisimilarity is needed.

*Which c.* At the loss itself, where a word attains it, the cone often has few vectors, and the loss is
exact. Where the loss is approached and never attained, it often is a simple number just above the largest
ratio found. Beyond that, more room takes fewer vectors. The c with which alpha <= c beta in each root takes
none, so where there is one a loss is never without a bound. What is left open is halved as far as the vectors
allow; a word that is met on the way is a better one.

What it takes: of 110 random models with up to six states all were settled, the slowest in two seconds of
processor time; chains that stay where they are with probability 9/10 and have sparse rows take hundreds of
vectors from five states on, and thousands near the loss from eight on, so that bounds are wide there. To
make vectors a little larger, so that they cover more of what is to come, was tried: what is won is lost in
the next step.

Where only common words count, a vector has with it the states in which the second side may be, and covers
only what the second side cannot show more of (SPEC 3.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, inf, lcm, nextafter, sqrt
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from bdist.budget import Budget
from bdist.exact.rationals import ZERO, simplest_between, to_fmpq, to_fraction
from bdist.lp.highs import new_highs
from bdist.pufferfish.certificate import Combination, InvariantProof, WordProof
from bdist.pufferfish.model import Words
from bdist.pufferfish.question import Question
from bdist.pufferfish.vectors import NumberModel, largest_quotient, probabilities, summed

MOST_VECTORS = 600
_MOST_EXACT = 120  # vectors with numbers that grow
_MOST_STATES = 60  # of models in which vectors are looked for that no word tells apart
_PRIME = 2**61 - 1
_LEAST = 2.0**-90  # a rounded entry, beside one of 1
_ROOM = (
    *(Fraction(1, 2**k) for k in (30, 20, 10)),
    *(Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(2), Fraction(10), Fraction(10**3)),
    Fraction(10**6),
)
_NARROW = 1 + Fraction(1, 2**10)  # an interval this narrow is not halved any more
_HALVINGS = 12

Exact = dict[int, fmpq]
Multipliers = dict[int, fmpq]


@dataclass(frozen=True)
class Bounded:
    """What was found of all lengths: a bound with its proof, if any, and a better word, if one was met."""

    proof: InvariantProof | None
    word: WordProof | None = None


@dataclass
class _Vector:
    """A vector, where it comes from, and what answers for each of its successors."""

    entries: Exact
    second: frozenset[int] | None  # where the second side may be; None where every word counts
    pair: int = -1
    word: tuple[str, ...] = ()
    steps: dict[int, Multipliers] = field(default_factory=dict)


class _Interval:
    """Where the largest loss is: a word has ``low``, a proof its bound; below that, nothing was found."""

    def __init__(self, ratio: Fraction) -> None:
        self.low, self._failed = ratio, ratio
        self.proof: InvariantProof | None = None
        self.word: WordProof | None = None

    @property
    def is_infinite(self) -> bool:
        """Whether a word has an infinite ratio."""
        return self.word is not None and self.word.ratio is None

    def close_by(self) -> Iterator[tuple[Fraction, bool]]:
        """The ratio itself, and the simplest number just above, which a loss often is that is approached."""
        yield self.low, True
        near = _simplest(self.low, self.low * (1 + _ROOM[0]))
        yield near, True
        yield near, False

    def learn(self, constant: Fraction, found: Bounded) -> None:
        """What came of a constant."""
        if found.word is not None:
            self.word = found.word
            self.low = self.low if found.word.ratio is None else max(self.low, found.word.ratio)
        if found.proof is not None:
            self.proof = found.proof
        else:
            self._failed = max(self._failed, constant, self.low)

    def middle(self) -> Fraction | None:
        """A simple number in the middle, by size, of what is open; None where that is narrow."""
        if self.proof is None or not self._failed or self.proof.bound <= self._failed * _NARROW:
            return None
        between = Fraction(sqrt(self.proof.bound / self._failed)) * self._failed
        return _simplest(between, min(between * _NARROW, self.proof.bound))


class _Violated(Exception):
    """A vector has a positive value, by this word."""

    def __init__(self, pair: int, word: tuple[str, ...]) -> None:
        super().__init__()
        self.pair, self.word = pair, word


class Invariants:
    """Bounds at all lengths for the pairs of one question. Requires: not parametric."""

    def __init__(self, question: Question, cleared: NumberModel, budget: Budget) -> None:
        self.question, self.cleared, self.budget = question, cleared, budget
        self._roots = [cleared.root(pair) for pair in question.pairs]

    @cached_property
    def trivial(self) -> Fraction | None:
        """The least c with alpha <= c beta in all roots; None where there is none."""
        largest = Fraction(0)
        for root in self._roots:
            if not root.beta and self.question.words is Words.COMMON:
                continue
            found = largest_quotient(root.alpha, root.beta)
            if found is None:
                return None
            largest = max(largest, Fraction(*found))
        return largest

    def decide(self, constant: Fraction) -> Bounded:
        """A proof that no ratio is above this constant, or a word whose ratio is, or neither."""
        found = self.at(constant, exact=True)
        return self.at(constant, exact=False) if found == Bounded(None) else found

    def least(self, ratio: Fraction) -> Bounded:
        """A bound as small as can be found, and a word that is better than the one known.

        Requires: some word has that ratio, or it is 0.
        """
        interval = _Interval(ratio)
        for constant, exact in interval.close_by():
            if self._is_enough(interval, constant):
                break
            interval.learn(constant, self.at(constant, exact))
        for room in _ROOM:
            constant = _simplest(interval.low * (1 + room / 2), interval.low * (1 + room))
            if self._is_enough(interval, constant):
                break
            interval.learn(constant, self.at(constant, exact=False))
        if interval.proof is None and not interval.is_infinite and self.trivial is not None:
            interval.proof = self._proof(self.trivial, [], [{} for _ in self._roots])
        for _ in range(_HALVINGS):
            middle = interval.middle()
            if middle is None or self.budget.exhausted():
                break
            interval.learn(middle, self.at(middle, exact=False))
        return Bounded(interval.proof, interval.word)

    def _is_enough(self, interval: _Interval, constant: Fraction) -> bool:
        """Whether there is a proof, or none with that much can be of use."""
        if interval.proof is not None or interval.is_infinite or self.budget.exhausted():
            return True
        return self.trivial is not None and constant >= self.trivial

    def at(self, constant: Fraction, exact: bool) -> Bounded:
        """A proof that no ratio is above this constant, or a word whose ratio is, or neither."""
        c = to_fmpq(constant)
        roots = [
            summed(
                [*((s, fmpq(x)) for s, x in root.alpha.items()), *((s, -c * x) for s, x in root.beta.items())]
            )
            for root in self._roots
        ]
        if all(x <= 0 for root in roots for x in root.values()):
            return Bounded(self._proof(constant, [], [{} for _ in roots]))
        search = _Search(self.cleared, self.question.words, self._alike, exact)
        try:
            named = search.run(
                [(root, frozenset(pair.beta)) for root, pair in zip(roots, self._roots, strict=True)],
                self.budget,
            )
        except _Violated as violated:
            return Bounded(None, self._violation(violated, constant))
        return Bounded(None if named is None else self._proof(constant, search.vectors, named))

    def _violation(self, violated: _Violated, constant: Fraction) -> WordProof | None:
        """The word, if it is to blame and not the rounding."""
        pair = self.question.pairs[violated.pair]
        first, second = probabilities(self.question.model, pair, violated.word, self.question.at)
        if first == 0 or (second == 0 and self.question.words is Words.COMMON):
            return None
        ratio = first / second if second else None
        if ratio is not None and ratio <= constant:
            return None
        return WordProof(violated.pair, violated.word, ratio, self.question.any_point())

    @cached_property
    def _alike(self) -> dict[int, Exact]:
        """A basis of the vectors that have the value 0 by every word; each by a state where it alone is 1."""
        count = len(self.cleared.model.states)
        if count > _MOST_STATES or _rank_is_full(self.cleared):
            return {}
        words = _span(self.cleared)
        free = [state for state in range(count) if state not in words]
        return {
            state: {state: fmpq(1), **{pivot: -row[state] for pivot, row in words.items() if row[state]}}
            for state in free
        }

    def _proof(
        self, constant: Fraction, vectors: Sequence[_Vector], roots: Sequence[Multipliers]
    ) -> InvariantProof:
        """As a certificate has it, with the vectors that are needed alone."""
        needed: dict[int, int] = {}
        stack = [index for named in reversed(roots) for index in named]
        while stack:
            index = stack.pop()
            if index not in needed:
                needed[index] = len(needed)
                stack += [by for named in vectors[index].steps.values() for by in named]
        states, names = self.cleared.model.states, self.cleared.model.observations
        chosen, step = [vectors[index] for index in needed], to_fmpq(self.cleared.weight_of_one)

        def combination(named: Multipliers, over: fmpq) -> Combination:
            return tuple(sorted((needed[index], to_fraction(m / over)) for index, m in named.items()))

        return InvariantProof(
            bound=constant,
            vectors=tuple(
                {states[s].name: to_fraction(x) for s, x in sorted(vector.entries.items())}
                for vector in chosen
            ),
            second=tuple(
                tuple(states[s].name for s in sorted(vector.second))
                for vector in chosen
                if vector.second is not None
            ),
            roots=tuple(combination(named, fmpq(1)) for named in roots),
            steps=tuple(
                tuple(
                    (names[o], combination(named, step)) for o, named in sorted(vector.steps.items()) if named
                )
                for vector in chosen
            ),
        )


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    return simplest_between(low, high) or high


def _rank_is_full(cleared: NumberModel) -> bool:
    """Whether words span everything modulo a prime: if so, they do. That is cheap."""
    count = len(cleared.model.states)
    shown: dict[int, list[int]] = {}
    for state, emitted in enumerate(cleared.emissions):
        for observation, weight in emitted:
            shown.setdefault(observation, [0] * count)[state] = weight % _PRIME
    rows: dict[int, list[int]] = {}  # by the place of their leading 1
    queue = list(shown.values())
    while queue and len(rows) < count:
        word = queue.pop()
        for place in range(count):
            if word[place] and place in rows:
                factor = word[place]
                word = [(x - factor * y) % _PRIME for x, y in zip(word, rows[place], strict=True)]
        leading = next((place for place, x in enumerate(word) if x), None)
        if leading is None:
            continue
        inverse = pow(word[leading], -1, _PRIME)
        rows[leading] = new = [x * inverse % _PRIME for x in word]
        before = [sum(y * new[t] for t, y in row) % _PRIME for row in cleared.rows]
        queue += [
            [w * x % _PRIME for w, x in zip(weights, before, strict=True)] for weights in shown.values()
        ]
    return len(rows) == count


def _span(cleared: NumberModel) -> dict[int, Exact]:
    """A reduced basis of what the words span, as rows by the state of their leading 1, zeros included."""
    count = len(cleared.model.states)
    shown: dict[int, list[fmpq]] = {}
    for state, emitted in enumerate(cleared.emissions):
        for observation, weight in emitted:
            shown.setdefault(observation, [ZERO] * count)[state] = fmpq(weight)
    rows: dict[int, list[fmpq]] = {}
    queue = list(shown.values())
    while queue:
        word = queue.pop()
        for pivot, row in rows.items():
            if word[pivot]:
                factor = word[pivot]
                word = [x - factor * y for x, y in zip(word, row, strict=True)]
        leading = next((state for state, x in enumerate(word) if x), None)
        if leading is None:
            continue
        new = [x / word[leading] for x in word]
        for pivot, row in rows.items():
            if row[leading]:
                factor = row[leading]
                rows[pivot] = [x - factor * y for x, y in zip(row, new, strict=True)]
        rows[leading] = new
        before = [sum((y * new[t] for t, y in row if new[t]), ZERO) for row in cleared.rows]
        queue += [[w * x for w, x in zip(weights, before, strict=True)] for weights in shown.values()]
    return {pivot: dict(enumerate(row)) for pivot, row in rows.items()}


# --- one search, at one c ---


class _Search:
    def __init__(self, cleared: NumberModel, words: Words, alike: Mapping[int, Exact], exact: bool) -> None:
        self.vectors: list[_Vector] = []
        self._cleared, self._exact = cleared, exact
        self._count = len(cleared.model.states)
        everywhere = frozenset(range(self._count)) if words is Words.COMMON else None
        self._common = words is Words.COMMON
        self._cones: dict[frozenset[int] | None, _Cone] = {}
        self._alike = dict.fromkeys(alike, 0)
        for state, entries in alike.items():
            self._alike[state] = len(self.vectors)
            self.vectors.append(_Vector(entries, everywhere))
            self.vectors.append(_Vector({s: -x for s, x in entries.items()}, everywhere))
        for vector in self.vectors:
            vector.steps = {o: self._of_alike(after) for o, after in self._moved(vector.entries).items()}
        self._free = len(self.vectors)

    def _of_alike(self, entries: Exact) -> Multipliers:
        """A vector that no word tells from 0, by the basis of these: its coordinates can be read off."""
        return {
            index + (entries[state] < 0): abs(entries[state])
            for state, index in self._alike.items()
            if entries.get(state)
        }

    def run(self, roots: Sequence[tuple[Exact, frozenset[int]]], budget: Budget) -> list[Multipliers] | None:
        """What answers for the roots, where all successors are covered; None where a limit is reached.

        Raises: _Violated.
        """
        named: list[Multipliers] = []
        for number, (root, second) in enumerate(roots):
            named.append(self._covered(root, second if self._common else None, number, ()))
        most = self._free + (_MOST_EXACT if self._exact else MOST_VECTORS)
        position = self._free
        while position < len(self.vectors):
            if len(self.vectors) > most or budget.exhausted():
                return None
            vector = self.vectors[position]
            position += 1
            for observation, after in self._moved(vector.entries).items():
                follow = None if vector.second is None else self._second(vector.second, observation)
                word = (*vector.word, self._cleared.model.observations[observation])
                vector.steps[observation] = self._covered(after, follow, vector.pair, word)
        return named

    def _covered(
        self, entries: Exact, second: frozenset[int] | None, pair: int, word: tuple[str, ...]
    ) -> Multipliers:
        """What answers for a vector: those that there are, or itself as a new one. Raises: _Violated."""
        entries = {s: x for s, x in entries.items() if x}
        if (second is not None and not second) or all(x < 0 for x in entries.values()):
            return {}
        cone = self._cones.get(second)
        if cone is None:
            cone = self._cones[second] = _Cone(self._count, self.vectors, self._free, second)
        found = cone.cover(entries)
        if found is not None:
            return found
        scale = max(abs(x) for x in entries.values())
        if self._exact:
            scale = fmpq(
                gcd(*(int(x.p) for x in entries.values())), lcm(*(int(x.q) for x in entries.values()))
            )
        new = _Vector({s: x / scale for s, x in entries.items()}, second, pair, word)
        if not self._exact:
            new.entries = {s: _rounded_up(x) for s, x in new.entries.items()}
        self._check_values(new)
        self.vectors.append(new)
        return {len(self.vectors) - 1: scale}

    def _check_values(self, vector: _Vector) -> None:
        for observation, seen in self._shown(vector.entries).items():
            if sum(seen.values(), ZERO) > 0 and self._possible(vector.second, observation):
                name = self._cleared.model.observations[observation]
                raise _Violated(vector.pair, (*vector.word, name))

    def _possible(self, second: frozenset[int] | None, observation: int) -> bool:
        if second is None:
            return True
        return any(o == observation for state in second for o, _ in self._cleared.emissions[state])

    def _second(self, states: frozenset[int], observation: int) -> frozenset[int]:
        """Where the second side may be after an observation."""
        showing = [s for s in states if any(o == observation for o, _ in self._cleared.emissions[s])]
        return frozenset(target for state in showing for target, _ in self._cleared.rows[state])

    def _shown(self, entries: Exact) -> dict[int, Exact]:
        shown: dict[int, Exact] = {}
        for state, x in entries.items():
            for observation, weight in self._cleared.emissions[state]:
                shown.setdefault(observation, {})[state] = x * weight
        return shown

    def _moved(self, entries: Exact) -> dict[int, Exact]:
        """What each observation makes of a vector."""
        rows = self._cleared.rows
        return {
            observation: summed((t, x * y) for s, x in seen.items() for t, y in rows[s])
            for observation, seen in sorted(self._shown(entries).items())
        }


def _rounded_up(value: fmpq) -> fmpq:
    """A float at least as large, whose digits are few."""
    number = int(value.p) / int(value.q)
    if abs(number) < _LEAST:
        return fmpq(0) if value <= 0 else to_fmpq(Fraction(_LEAST))
    rounded = to_fmpq(Fraction(number))
    return rounded if rounded >= value else to_fmpq(Fraction(nextafter(number, inf)))


class _Cone:
    """The vectors that may answer for others with the same second states, as columns of one program."""

    def __init__(
        self, count: int, vectors: Sequence[_Vector], free: int, second: frozenset[int] | None
    ) -> None:
        self._vectors, self._free, self._second, self._count = vectors, free, second, count
        self._known = 0  # of the vectors
        self._columns: list[int] = []  # their positions
        self._sizes: list[fmpq] = []  # and their largest entries
        self._highs = new_highs(presolve="off", threads=1, primal_feasibility_tolerance=1e-10)
        empty: Any = np.array([], dtype=np.int32), np.array([])
        for _ in range(count):
            self._highs.addRow(-inf, inf, 0, *empty)
        self._rows = np.arange(count, dtype=np.int32)
        self._no_limit = np.full(count, inf)

    def cover(self, entries: Exact) -> Multipliers | None:
        """Multipliers >= 0 of vectors whose sum is in every state at least this; None if none is found."""
        self._extend()
        if not self._columns:
            return None
        scale = max(abs(x) for x in entries.values())
        wanted = np.zeros(self._count)
        for state, x in entries.items():
            wanted[state] = _ratio_approx(x, scale)
        self._highs.changeRowsBounds(self._count, self._rows, wanted, self._no_limit)
        self._highs.run()
        if self._highs.modelStatusToString(self._highs.getModelStatus()) != "Optimal":
            return None
        values = self._highs.getSolution().col_value
        proposed = {k: to_fmpq(Fraction(x)) for k, x in enumerate(values) if x > 0}
        found = {self._columns[k]: m * scale / self._sizes[k] for k, m in proposed.items()}
        return found if self._covers(found, entries) else self._solved(entries)

    def _extend(self) -> None:
        """Columns for vectors that are new."""
        for position in range(self._known, len(self._vectors)):
            vector = self._vectors[position]
            if self._second is not None and vector.second is not None and not self._second <= vector.second:
                continue
            size = max(abs(x) for x in vector.entries.values())
            states = np.array(list(vector.entries), dtype=np.int32)
            column = np.array([_ratio_approx(x, size) for x in vector.entries.values()])
            cost = 1e-3 if position < self._free else 1.0
            self._highs.addCol(cost, 0.0, inf, len(states), states, column)
            self._columns.append(position)
            self._sizes.append(size)
        self._known = len(self._vectors)

    def _covers(self, multipliers: Multipliers, entries: Exact) -> bool:
        total = summed(
            (s, m * x) for k, m in multipliers.items() for s, x in self._vectors[k].entries.items()
        )
        return all(total.get(s, ZERO) >= x for s, x in entries.items()) and all(
            x >= 0 or s in entries for s, x in total.items()
        )

    def _solved(self, entries: Exact) -> Multipliers | None:
        """The multipliers of the basis at which HiGHS stopped, exactly, if they are a cover."""
        import highspy

        basis = self._highs.getBasis()
        if not basis.valid:
            return None
        basic = highspy.HighsBasisStatus.kBasic
        columns = [self._columns[k] for k, status in enumerate(basis.col_status) if status == basic]
        tight = [state for state, status in enumerate(basis.row_status) if status != basic]
        if not columns or len(columns) != len(tight):
            return None
        matrix = fmpq_mat(
            len(tight),
            len(columns),
            [self._vectors[k].entries.get(s, ZERO) for s in tight for k in columns],
        )
        try:
            solved = matrix.solve(fmpq_mat(len(tight), 1, [entries.get(s, ZERO) for s in tight]))
        except ZeroDivisionError:
            return None
        found = {k: solved[row, 0] for row, k in enumerate(columns) if solved[row, 0]}
        if any(m < 0 for m in found.values()) or not self._covers(found, entries):
            return None
        return found


def _ratio_approx(value: fmpq, size: fmpq) -> float:
    """The quotient as a float, also where both are beyond what a float holds."""
    quotient = value / size
    return int(quotient.p) / int(quotient.q)
