"""Vector pairs of a hidden Markov model in its cleared form, and what an observation makes of them.

*The cleared form* (SPEC section 1). Both sides of a pair are multiplied by the same denominators, so ratios
stay what they are, and what is left are polynomials. Where a certificate speaks of one point, every formula
is evaluated there first. What remains is a model without parameters, whose denominators are 1; ``per_step``
is the factor by which the specification multiplies a step of it all the same, as bounds on growth depend on
that.

*Live states.* Where only common words count, models have symbols that one side alone can show, and states
that show nothing else; they carry weight that no word will ever use, and would have to be compared all the
same. They are found by what can be reached from both sides of a pair, and left out.

*Systems.* A vector pair (α, β) says how likely a word is, followed by each state, on both sides. The proofs
do four things with such pairs: follow an observation, scale, compare two pairs, and bound one side by the
other. They do them with numbers where there are no parameters, or their values are given, and with
polynomials otherwise. A ``System`` is one of the two, with integers in all places, so that nothing is said
twice; what differs is how entries are multiplied, added up and compared. Vectors are dictionaries from
states, by number, to what is not 0; a number or a polynomial is false if it is 0.

Most of the time of a check goes into ``System.steps``, where a node is a vector pair of integers of some
thousand bits. They are what the specification says, divided by their greatest common divisor.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any, Generic, NamedTuple, TypeVar

from ..core import Rejected
from ..core.limits import Work
from ..core.numbers import brief, size
from ..core.text import shown
from .document import PairName, Point
from .model import Case, HiddenModel, State
from .polynomials import (
    Box,
    Exponents,
    Formula,
    Polynomial,
    RationalPolynomial,
    add,
    at_least_zero,
    cleared,
    constant,
    longest,
    multiply,
    times,
    value_at,
)

# --- the cleared form ---


_K = TypeVar("_K")
Side = dict[int, Polynomial]
_Key = frozenset[tuple[Exponents, Fraction]]


def specialised(model: HiddenModel, at: Point, work: Work) -> tuple[HiddenModel, Fraction]:
    """The model at one point, and Δ_O Δ_P there. Raises: Rejected, TooLarge."""
    point = _read_point(model, at)
    values: dict[int, Formula] = {}

    def evaluated(formula: Formula) -> Formula:
        found = values.get(id(formula))
        if found is None:
            below = value_at(formula.den, point, work)
            if not below:
                raise Rejected("at", "a denominator of the model is 0 there")
            above = value_at(formula.num, point, work)
            work.reduce(size(above) + size(below))
            found = values[id(formula)] = Formula(constant(above / below, 0), {(): Fraction(1)})
        return found

    def row(entries: dict[_K, Formula]) -> dict[_K, Formula]:
        found = {key: evaluated(formula) for key, formula in entries.items()}
        return {key: formula for key, formula in found.items() if formula.num}

    states = [
        State(name, row(observed), None if next_states is None else row(next_states))
        for name, observed, next_states in model.states
    ]
    initials = {name: row(entries) for name, entries in model.initials.items()}
    priors = {
        name: tuple(Case(state, secrets, evaluated(formula)) for state, secrets, formula in cases)
        for name, cases in model.priors.items()
    }
    per_step = Fraction(1)
    observed = _denominators(p for state in model.states for p in state.observed.values())
    rows = _denominators(p for state in model.states for p in (state.row or {}).values())
    for den in (*observed.values(), *rows.values()):
        factor = value_at(den, point, work)
        work.reduce(size(per_step) + size(factor))
        per_step *= factor
    return HiddenModel((), tuple(states), initials, priors), per_step


def _read_point(model: HiddenModel, at: Point) -> list[Fraction]:
    """The values of the parameters in their order, which must be in the interior. Raises: Rejected."""
    ranges = {name: (low, high) for name, low, high in model.parameters}
    for name, value in at.items():
        if name not in ranges:
            raise Rejected("at", f"{shown(name)} is not a parameter of the model")
        if not ranges[name][0] < value < ranges[name][1]:
            raise Rejected("at", f"{name} = {brief(value)} is not in the interior of its range")
    for name in ranges:
        if name not in at:
            raise Rejected("at", f"the parameter {name} has no value")
    return [at[name] for name in ranges]


def _cleared(
    model: HiddenModel, tables: Sequence[Mapping[_K, Formula]], work: Work
) -> tuple[list[dict[_K, Polynomial]], int]:
    """Formulas times the product of all their different denominators, and times one positive integer, which
    makes all coefficients integers; and that integer. A formula that stands often is made once.
    """
    formulas = {id(formula): formula for table in tables for formula in table.values()}
    denominators = _denominators(formulas.values())
    one = constant(Fraction(1), len(model.parameters))
    others: dict[_Key, RationalPolynomial] = {}
    for key in denominators:
        others[key] = one
        for factor in (den for other, den in denominators.items() if other != key):
            others[key] = multiply(others[key], factor, work)
    found = (multiply(num, others[frozenset(den.items())], work) for num, den in formulas.values())
    integral, scale = cleared(list(found), work)
    known = dict(zip(formulas, integral, strict=True))
    return [{key: known[id(formula)] for key, formula in table.items()} for table in tables], scale


def _denominators(formulas: Iterable[Formula]) -> dict[_Key, RationalPolynomial]:
    """The different denominators; those that are the same object are looked at once."""
    objects = {id(formula.den): formula.den for formula in formulas}
    return {frozenset(den.items()): den for den in objects.values()}


def _root(model: HiddenModel, index: int, pair: PairName, work: Work) -> list[Side]:
    """The root of a pair, not yet scaled. Raises: Rejected, TooLarge."""
    sides = _secrets(model, index, pair, work) if len(pair) == 3 else _starts(model, index, pair, work)
    work.keep(sum(map(len, sides)), 0)  # a short list of pairs, each of large distributions, takes a lot
    return sides


def _starts(model: HiddenModel, index: int, pair: PairName, work: Work) -> list[Side]:
    sides = []
    for name in pair:
        side = model.initials.get(name)
        if side is None:
            if name not in model.numbers:
                raise Rejected("pairs", f"pairs[{index}]: {shown(name)} is no state or initial distribution")
            one = constant(Fraction(1), len(model.parameters))
            side = {model.numbers[name]: Formula(one, one)}
        sides.append(side)
    work.spend(sum(map(len, sides)))
    return _cleared(model, sides, work)[0]


def _secrets(model: HiddenModel, index: int, pair: PairName, work: Work) -> list[Side]:
    """Two secrets under a prior: each conditioned on itself, times the probabilities of both."""
    *secrets, prior = pair
    cases = model.priors.get(prior)
    if cases is None:
        raise Rejected("pairs", f"pairs[{index}]: {shown(prior)} is no prior of the model")
    (probabilities,), _ = _cleared(model, [{k: case.formula for k, case in enumerate(cases)}], work)
    sides, totals = [], []
    for secret in secrets:
        side: Side = {}
        total: Polynomial = {}
        for number, case in enumerate(cases):
            if secret in case.secrets:
                side[case.state] = add(side.get(case.state, {}), probabilities[number], work)
                total = add(total, probabilities[number], work)
        if not total:
            problem = f"the secret {shown(secret)} has probability 0 under {shown(prior)}"
            raise Rejected("pairs", f"pairs[{index}]: {problem}")
        sides.append(side)
        totals.append(total)
    return [
        {state: multiply(p, total, work) for state, p in side.items() if p}
        for side, total in zip(sides, reversed(totals), strict=True)
    ]


# --- live states ---


def _live_states(
    observed: Sequence[dict[str, Polynomial]], rows: Sequence[Side], roots: Sequence[list[Side]], work: Work
) -> set[int]:
    """The states that show something that both sides of some pair can show. Raises: TooLarge."""
    reached: dict[tuple[int, ...], set[str]] = {}

    def shown_from(side: Side) -> set[str]:
        """All observations of the states that can be reached from those of a side."""
        start = tuple(sorted(side))
        if start in reached:
            return reached[start]
        found: set[str] = set()
        seen, stack = set(start), list(start)
        while stack:
            state = stack.pop()
            work.spend(1 + len(rows[state]) + len(observed[state]))
            found |= observed[state].keys()
            new = rows[state].keys() - seen
            seen |= new
            stack += new
        work.keep(len(start) + len(found), 0)
        reached[start] = found
        return found

    shared: set[str] = set()
    for alpha, beta in roots:
        first, second = shown_from(alpha), shown_from(beta)
        work.spend(len(alpha) + len(beta) + min(len(first), len(second)))
        shared |= first & second
    work.release(sum(len(start) + len(found) for start, found in reached.items()), 0)
    return {state for state, seen in enumerate(observed) if not shared.isdisjoint(seen)}


# --- systems ---


E = TypeVar("E")  # int or Polynomial
Vector = dict[int, E]


class VectorPair(NamedTuple, Generic[E]):
    """The two sides."""

    alpha: Vector[E]
    beta: Vector[E]


class Step(NamedTuple, Generic[E]):
    """What an observation makes of a vector pair: its values, and the child, which is scaled."""

    a: E
    b: E
    child: VectorPair[E]


class System(ABC, Generic[E]):
    """A model in the cleared form, with integer coefficients."""

    def __init__(
        self,
        observed: Sequence[Mapping[str, E]],
        rows: Sequence[Mapping[int, E]],
        roots: Iterable[Sequence[Vector[E]]],
        work: Work,
        box: Box = (),
    ) -> None:
        """A state that halts has an empty row; the box is that of the parameters, if there are any."""
        self.observed, self.rows, self.work, self.box = observed, rows, work, box
        self.roots = [self.scaled(VectorPair(alpha, beta)) for alpha, beta in roots]

    def steps(self, pair: VectorPair[E], with_children: bool) -> Iterator[tuple[str, Step[E]]]:
        """All observations that states of a vector pair show. Raises: TooLarge."""
        alpha, beta = (self._spread(vector) for vector in pair)
        for observation in {**alpha, **beta}:
            seen = VectorPair(alpha.get(observation, {}), beta.get(observation, {}))
            yield observation, self._step(seen, with_children)

    def step(self, pair: VectorPair[E], observation: str, with_child: bool = True) -> Step[E]:
        """What one observation makes of a vector pair. Raises: TooLarge."""
        alpha, beta = (self.seen(vector, observation) for vector in pair)
        return self._step(VectorPair(alpha, beta), with_child)

    def _step(self, seen: VectorPair[E], with_child: bool) -> Step[E]:
        child: VectorPair[E] = VectorPair({}, {})
        if with_child:
            child = self.scaled(VectorPair(self.moved(seen.alpha), self.moved(seen.beta)))
        return Step(self._sum(seen.alpha.values()), self._sum(seen.beta.values()), child)

    def _spread(self, vector: Vector[E]) -> dict[str, Vector[E]]:
        """The entries times O(s, o), for each observation that their states show."""
        self._spend(vector, sum(len(self.observed[s]) for s in vector))
        found: dict[str, Vector[E]] = {}
        product = self._product
        for s, x in vector.items():
            for observation, p in self.observed[s].items():
                found.setdefault(observation, {})[s] = product(x, p)
        return found

    def seen(self, vector: Vector[E], observation: str) -> Vector[E]:
        """The entries times O(s, o), for one observation. Raises: TooLarge."""
        self._spend(vector, len(vector))
        shown_by = self.observed
        return {
            s: self._product(x, shown_by[s][observation])
            for s, x in vector.items()
            if observation in shown_by[s]
        }

    def moved(self, vector: Vector[E]) -> Vector[E]:
        """The vector times P. Raises: TooLarge."""
        rows, product = self.rows, self._product
        self._spend(vector, sum(len(rows[s]) for s in vector))
        parts: dict[int, list[E]] = {}
        for s, x in vector.items():
            for t, p in rows[s].items():
                parts.setdefault(t, []).append(product(x, p))
        return {t: x for t, part in parts.items() if (x := self._sum(part))}

    def combined(self, terms: Iterable[tuple[int, Vector[E]]]) -> Vector[E]:
        """The sum of vectors, each times an integer. Raises: TooLarge."""
        parts: dict[int, list[E]] = {}
        for factor, vector in terms:
            number = self.number(factor)
            bits = max(map(int.bit_length, self._coefficients(VectorPair(vector, {}))), default=0)
            self.work.spend(1 + 2 * len(vector), bits, factor.bit_length())
            for s, x in vector.items():
                parts.setdefault(s, []).append(self._product(x, number))
        return {s: x for s, part in parts.items() if (x := self._sum(part))}

    def scaled(self, pair: VectorPair[E]) -> VectorPair[E]:
        """The pair divided by the greatest common divisor of all coefficients. Raises: TooLarge."""
        numbers = self._coefficients(pair)
        bits = max(map(int.bit_length, numbers), default=0)
        self.work.spend(4 * len(numbers), bits, bits)
        common = gcd(*numbers)
        if common <= 1:
            return pair
        self.work.spend(len(numbers), bits, common.bit_length())
        alpha, beta = ({s: self._divided(x, common) for s, x in vector.items()} for vector in pair)
        return VectorPair(alpha, beta)

    def extent(self, pair: VectorPair[E]) -> tuple[int, int]:
        """How many numbers a pair has, and at most how many bits each."""
        numbers = self._coefficients(pair)
        return len(numbers), max(map(int.bit_length, numbers), default=0)

    @abstractmethod
    def covers(self, node: VectorPair[E], child: VectorPair[E], factor: Fraction | None) -> bool:
        """Whether the node dominates the child: SPEC section 3.1, covered."""

    @abstractmethod
    def bounds(self, c: Fraction, b: E, a: E, boxes: Sequence[Box] = ()) -> bool:
        """Whether c b − a ≥ 0 on these boxes, or on the box of the model where there are none."""

    @abstractmethod
    def number(self, value: int) -> E:
        """An integer as an entry."""

    @abstractmethod
    def at_most_zero(self, entry: E) -> bool:
        """Whether an entry is ≤ 0 on the box of the model."""

    def total(self, vector: Vector[E]) -> E:
        """The sum of all entries. Raises: TooLarge."""
        return self._sum(vector.values())

    @abstractmethod
    def _product(self, left: E, right: E) -> E: ...

    @abstractmethod
    def _sum(self, entries: Iterable[E]) -> E: ...

    @abstractmethod
    def _divided(self, entry: E, by: int) -> E: ...

    @abstractmethod
    def _coefficients(self, pair: VectorPair[E]) -> list[int]: ...

    @abstractmethod
    def _spend(self, vector: Vector[E], products: int) -> None:
        """Count so many products of entries, where each is not counted by itself."""


class NumberSystem(System[int]):
    """A model without parameters, or at one point."""

    def number(self, value: int) -> int:
        """The integer itself."""
        return value

    def at_most_zero(self, entry: int) -> bool:
        """Whether it is."""
        return entry <= 0

    def _product(self, left: int, right: int) -> int:
        return left * right

    def _sum(self, entries: Iterable[int]) -> int:
        return sum(entries)

    def _divided(self, entry: int, by: int) -> int:
        return entry // by

    def _coefficients(self, pair: VectorPair[int]) -> list[int]:
        return [*pair.alpha.values(), *pair.beta.values()]

    def _spend(self, vector: Vector[int], products: int) -> None:
        self.work.spend(products, max(map(int.bit_length, vector.values()), default=0), self._longest)

    @cached_property
    def _longest(self) -> int:
        numbers = [p for seen in self.observed for p in seen.values()]
        numbers += [p for row in self.rows for p in row.values()]
        return max(numbers, default=0).bit_length()

    def covers(self, node: VectorPair[int], child: VectorPair[int], factor: Fraction | None) -> bool:
        """Whether α ≤ λ α* and λ β* ≤ β, by comparing quotients where λ is left open."""
        p, q = (0, 1) if factor is None else factor.as_integer_ratio()
        vectors: list[Vector[int]] = [*node, *child]
        bits = max(max(vector.values(), default=0).bit_length() for vector in vectors)
        self.work.spend(2 * sum(map(len, vectors)), bits, max(bits, p.bit_length(), q.bit_length()))
        for s, x in child.alpha.items():
            above = node.alpha.get(s, 0)
            if q * x > p * above:
                if factor is not None or not above:
                    return False
                p, q = x, above  # without a factor it is the least that will do, the largest quotient
        below = child.beta
        return all(p * y <= q * below.get(s, 0) for s, y in node.beta.items())

    def bounds(self, c: Fraction, b: int, a: int, boxes: Sequence[Box] = ()) -> bool:
        """Whether c b ≥ a."""
        p, q = c.as_integer_ratio()
        self.work.spend(2, max(a, b).bit_length(), max(p.bit_length(), q.bit_length()))
        return p * b >= q * a


class PolynomialSystem(System[Polynomial]):
    """A model with parameters, on the box of their ranges."""

    def number(self, value: int) -> Polynomial:
        """A constant."""
        return {(0,) * len(self.box): value} if value else {}

    def at_most_zero(self, entry: Polynomial) -> bool:
        """Whether the coefficients of the negated polynomial say so."""
        return at_least_zero(times(-1, entry), self.box, self.work)

    def _product(self, left: Polynomial, right: Polynomial) -> Polynomial:
        return multiply(left, right, self.work)

    def _sum(self, entries: Iterable[Polynomial]) -> Polynomial:
        found: Polynomial = {}
        for entry in entries:
            found = add(found, entry, self.work)
        return found

    def _divided(self, entry: Polynomial, by: int) -> Polynomial:
        return {exponents: c // by for exponents, c in entry.items()}

    def _coefficients(self, pair: VectorPair[Polynomial]) -> list[int]:
        return [c for vector in pair for polynomial in vector.values() for c in polynomial.values()]

    def _spend(self, vector: Vector[Polynomial], products: int) -> None:
        """Nothing: a product of polynomials counts itself."""

    def covers(
        self, node: VectorPair[Polynomial], child: VectorPair[Polynomial], factor: Fraction | None
    ) -> bool:
        """Whether λ α* − α ≥ 0 and β − λ β* ≥ 0 on the box, or whether the pairs are proportional."""
        if factor is None:
            return self._proportional(node, child)
        return all(self.bounds(factor, node.alpha.get(s, {}), x) for s, x in child.alpha.items()) and all(
            self.bounds(1 / factor, child.beta.get(s, {}), y) for s, y in node.beta.items()
        )

    def bounds(self, c: Fraction, b: Polynomial, a: Polynomial, boxes: Sequence[Box] = ()) -> bool:
        """Whether c b − a ≥ 0 on the boxes."""
        p, q = c.as_integer_ratio()
        self.work.spend(2 * (len(a) + len(b)), longest([a, b]), max(p.bit_length(), q.bit_length()))
        difference = add(times(p, b) if p else {}, times(-q, a), self.work)
        return all(at_least_zero(difference, box, self.work) for box in boxes or (self.box,))

    def _proportional(self, node: VectorPair[Polynomial], child: VectorPair[Polynomial]) -> bool:
        """Whether all quotients of entries at the same place are the same."""
        if any(first.keys() != second.keys() for first, second in zip(node, child, strict=True)):
            return False
        places = [(first[s], second[s]) for first, second in zip(node, child, strict=True) for s in first]
        first, second = min(places, key=lambda place: len(place[0]) + len(place[1]))
        return all(multiply(x, second, self.work) == multiply(other, first, self.work) for x, other in places)


def system_of(
    model: HiddenModel, pairs: Sequence[PairName], common: bool, work: Work
) -> tuple[System[Any], int]:
    """The system of a model with the roots of these pairs, without states that are not live; and by how much
    a step of it is larger than in the cleared form. Raises: Rejected, TooLarge.
    """
    observed, one_scale = _cleared(model, [state.observed for state in model.states], work)
    rows, other_scale = _cleared(model, [state.row or {} for state in model.states], work)
    roots = [_root(model, index, pair, work) for index, pair in enumerate(pairs)]
    if common:
        live = _live_states(observed, rows, roots, work)
        rows = [_within(row, live) for row in rows]
        roots = [[_within(side, live) for side in root] for root in roots]
    scale = one_scale * other_scale
    if model.parameters:
        return PolynomialSystem(observed, rows, roots, work, model.box), scale
    return NumberSystem(_numbers(observed), _numbers(rows), map(_numbers, roots), work), scale


def _within(side: Side, live: set[int]) -> Side:
    return {state: entry for state, entry in side.items() if state in live}


def _numbers(tables: Sequence[Mapping[_K, Polynomial]]) -> list[dict[_K, int]]:
    return [{key: polynomial[()] for key, polynomial in table.items()} for table in tables]
