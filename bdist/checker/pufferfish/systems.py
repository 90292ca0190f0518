"""Vector pairs of a hidden Markov model, and what an observation makes of them.

A vector pair (α, β) says how likely a word is, followed by each state, on both sides. The proofs do four
things with such pairs: follow an observation, scale, compare two pairs, and bound one side by the other.
They do them with numbers where there are no parameters, or their values are given, and with polynomials
otherwise. A ``System`` is one of the two, with integers in all places, so that nothing is said twice in the
proofs. Vectors are dictionaries from states, by number, to what is not 0; a number or a polynomial is false
if it is 0.

Most of the time of a check goes into ``NumberSystem.step``, where a node is a vector pair of integers of
some thousand bits. They are what the specification says, divided by their greatest common divisor.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Generic, NamedTuple, TypeVar

from ..core.limits import Work
from .boxes import Box, at_least_zero
from .clearing import ClearedModel
from .polynomials import (
    Polynomial,
    RationalPolynomial,
    add,
    add_product,
    cleared,
    longest,
    multiply,
    primitive,
    times,
)

_K = TypeVar("_K")
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

    has_parameters: bool

    def __init__(
        self, observed: list[dict[str, E]], rows: list[Vector[E]], roots: list[VectorPair[E]], work: Work
    ) -> None:
        """A state that halts has an empty row; the roots are scaled."""
        self.observed, self.rows, self.roots, self.work = observed, rows, roots, work

    def steps(self, pair: VectorPair[E], with_children: bool) -> Iterator[tuple[str, Step[E]]]:
        """All observations that states of a vector pair show. Raises: TooLarge."""
        alpha, beta = (self.spread(vector) for vector in pair)
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
        return Step(self.total(seen.alpha), self.total(seen.beta), child)

    @abstractmethod
    def spread(self, vector: Vector[E]) -> dict[str, Vector[E]]:
        """The entries times O(s, o), for each observation that their states show."""

    @abstractmethod
    def seen(self, vector: Vector[E], observation: str) -> Vector[E]:
        """The entries times O(s, o), for one observation."""

    @abstractmethod
    def moved(self, vector: Vector[E]) -> Vector[E]:
        """The vector times P."""

    @abstractmethod
    def total(self, vector: Vector[E]) -> E:
        """The sum of the entries."""

    @abstractmethod
    def scaled(self, pair: VectorPair[E]) -> VectorPair[E]:
        """The pair divided by the greatest common divisor of all coefficients."""

    @abstractmethod
    def extent(self, pair: VectorPair[E]) -> tuple[int, int]:
        """How many numbers a pair has, and at most how many bits each."""

    @abstractmethod
    def covers(self, node: VectorPair[E], child: VectorPair[E], factor: Fraction | None) -> bool:
        """Whether the node dominates the child: SPEC-PUFFERFISH section 3.1, covered."""

    @abstractmethod
    def bounds(self, c: Fraction, b: E, a: E, boxes: Sequence[Box] = ()) -> bool:
        """Whether c b − a ≥ 0 on these boxes, or on the box of the model where there are none."""


class NumberSystem(System[int]):
    """A model without parameters, or at one point."""

    has_parameters = False

    def spread(self, vector: Vector[int]) -> dict[str, Vector[int]]:
        """The entries times O(s, o), by observation."""
        self._spend(vector, sum(len(self.observed[s]) for s in vector))
        found: dict[str, Vector[int]] = {}
        for s, x in vector.items():
            for observation, p in self.observed[s].items():
                found.setdefault(observation, {})[s] = x * p
        return found

    def seen(self, vector: Vector[int], observation: str) -> Vector[int]:
        """The entries times O(s, o), where a state shows the observation."""
        self._spend(vector, len(vector))
        observed = self.observed
        return {s: x * observed[s][observation] for s, x in vector.items() if observation in observed[s]}

    def moved(self, vector: Vector[int]) -> Vector[int]:
        """The vector times P."""
        rows = self.rows
        self._spend(vector, sum(len(rows[s]) for s in vector))
        found: Vector[int] = {}
        for s, x in vector.items():
            for t, p in rows[s].items():
                found[t] = found.get(t, 0) + x * p
        return found

    def total(self, vector: Vector[int]) -> int:
        """The sum of the entries."""
        return sum(vector.values())

    def scaled(self, pair: VectorPair[int]) -> VectorPair[int]:
        """Divided by the greatest common divisor."""
        numbers = [*pair.alpha.values(), *pair.beta.values()]
        bits = max(numbers, default=0).bit_length()
        self.work.spend(4 * len(numbers), bits, bits)
        common = gcd(*numbers)
        if common <= 1:
            return pair
        alpha, beta = ({s: x // common for s, x in vector.items()} for vector in pair)
        return VectorPair(alpha, beta)

    def extent(self, pair: VectorPair[int]) -> tuple[int, int]:
        """How many numbers, and of how many bits."""
        numbers = [*pair.alpha.values(), *pair.beta.values()]
        return len(numbers), max(numbers, default=0).bit_length()

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

    def _spend(self, vector: Vector[int], operations: int) -> None:
        self.work.spend(operations, max(vector.values(), default=0).bit_length(), self._longest)

    @cached_property
    def _longest(self) -> int:
        """The bits of the longest number in the model."""
        observed = max((p for shown in self.observed for p in shown.values()), default=0)
        return max(observed, max((p for row in self.rows for p in row.values()), default=0)).bit_length()


class PolynomialSystem(System[Polynomial]):
    """A model with parameters, on the box of their ranges."""

    has_parameters = True

    def __init__(
        self,
        observed: list[dict[str, Polynomial]],
        rows: list[Vector[Polynomial]],
        roots: list[VectorPair[Polynomial]],
        box: Box,
        work: Work,
    ) -> None:
        super().__init__(observed, rows, roots, work)
        self.box = box

    def spread(self, vector: Vector[Polynomial]) -> dict[str, Vector[Polynomial]]:
        """The entries times O(s, o), by observation."""
        found: dict[str, Vector[Polynomial]] = {}
        for s, x in vector.items():
            for observation, p in self.observed[s].items():
                found.setdefault(observation, {})[s] = multiply(x, p, self.work)
        return found

    def seen(self, vector: Vector[Polynomial], observation: str) -> Vector[Polynomial]:
        """The entries times O(s, o), where a state shows the observation."""
        found = {}
        for s, x in vector.items():
            p = self.observed[s].get(observation)
            if p is not None:
                found[s] = multiply(x, p, self.work)
        return found

    def moved(self, vector: Vector[Polynomial]) -> Vector[Polynomial]:
        """The vector times P."""
        sums: Vector[Polynomial] = {}
        for s, x in vector.items():
            for t, p in self.rows[s].items():
                add_product(sums.setdefault(t, {}), x, p, self.work)
        found = {t: {e: c for e, c in x.items() if c} for t, x in sums.items()}
        return {t: x for t, x in found.items() if x}

    def total(self, vector: Vector[Polynomial]) -> Polynomial:
        """The sum of the entries."""
        found: Polynomial = {}
        for x in vector.values():
            found = add(found, x, self.work)
        return found

    def scaled(self, pair: VectorPair[Polynomial]) -> VectorPair[Polynomial]:
        """Divided by the greatest common divisor."""
        alpha, beta = primitive(pair, self.work)
        return VectorPair(alpha, beta)

    def extent(self, pair: VectorPair[Polynomial]) -> tuple[int, int]:
        """How many numbers, and of how many bits."""
        polynomials = [*pair.alpha.values(), *pair.beta.values()]
        return sum(map(len, polynomials)), longest(polynomials)

    def covers(
        self, node: VectorPair[Polynomial], child: VectorPair[Polynomial], factor: Fraction | None
    ) -> bool:
        """Whether λ α* − α ≥ 0 and β − λ β* ≥ 0 on the box, or whether the pairs are proportional."""
        if factor is None:
            return self._proportional(node, child)
        p, q = factor.as_integer_ratio()
        return all(self._less(q, child.alpha[s], p, node.alpha.get(s, {})) for s in child.alpha) and all(
            self._less(p, node.beta[s], q, child.beta.get(s, {})) for s in node.beta
        )

    def bounds(self, c: Fraction, b: Polynomial, a: Polynomial, boxes: Sequence[Box] = ()) -> bool:
        """Whether c b − a ≥ 0 on the boxes."""
        p, q = c.as_integer_ratio()
        difference = self._difference(p, b, q, a)
        return all(at_least_zero(difference, box, self.work) for box in boxes or (self.box,))

    def _less(self, q: int, left: Polynomial, p: int, right: Polynomial) -> bool:
        """Whether p · right − q · left ≥ 0 on the box of the model."""
        return at_least_zero(self._difference(p, right, q, left), self.box, self.work)

    def _difference(self, p: int, left: Polynomial, q: int, right: Polynomial) -> Polynomial:
        """p · left − q · right, where p and q are at least 0."""
        bits = longest([left, right])
        self.work.spend(2 * (len(left) + len(right)), bits, max(p.bit_length(), q.bit_length()))
        first = times(p, left) if p else {}
        return add(first, times(-q, right), self.work)

    def _proportional(self, node: VectorPair[Polynomial], child: VectorPair[Polynomial]) -> bool:
        """Whether all quotients of entries at the same place are the same."""
        if any(first.keys() != second.keys() for first, second in zip(node, child, strict=True)):
            return False
        places = [(first[s], second[s]) for first, second in zip(node, child, strict=True) for s in first]
        first, second = min(places, key=lambda place: len(place[0]) + len(place[1]))
        return all(multiply(x, second, self.work) == multiply(other, first, self.work) for x, other in places)


def number_system(model: ClearedModel, work: Work) -> tuple[NumberSystem, int]:
    """The system of a model without parameters, and by how much a step is larger than in the model."""
    observed, one_scale = _integers(model.observed, work)
    rows, other_scale = _integers(model.rows, work)
    system = NumberSystem(_numbers(observed), _numbers(rows), [], work)
    for root in model.roots:
        (alpha, beta), _ = _integers(root, work)
        system.roots.append(system.scaled(VectorPair(*_numbers([alpha, beta]))))
    return system, one_scale * other_scale


def polynomial_system(model: ClearedModel, box: Box, work: Work) -> PolynomialSystem:
    """The system of a model with parameters."""
    observed, _ = _integers(model.observed, work)
    rows, _ = _integers(model.rows, work)
    system = PolynomialSystem(observed, rows, [], box, work)
    for root in model.roots:
        (alpha, beta), _ = _integers(root, work)
        system.roots.append(system.scaled(VectorPair(alpha, beta)))
    return system


def _integers(
    tables: Sequence[Mapping[_K, RationalPolynomial]], work: Work
) -> tuple[list[dict[_K, Polynomial]], int]:
    """Tables times one positive integer, which makes all coefficients integers, and that integer."""
    found, scale = cleared([polynomial for table in tables for polynomial in table.values()], work)
    entries = iter(found)
    return [{key: next(entries) for key in table} for table in tables], scale


def _numbers(tables: Sequence[Mapping[_K, Polynomial]]) -> list[dict[_K, int]]:
    """Polynomials without parameters as numbers."""
    return [{key: polynomial[()] for key, polynomial in table.items()} for table in tables]
