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
twice in the proofs. Vectors are dictionaries from states, by number, to what is not 0; a number or a
polynomial is false if it is 0.

Most of the time of a check goes into ``NumberSystem.step``, where a node is a vector pair of integers of
some thousand bits. They are what the specification says, divided by their greatest common divisor.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Generic, NamedTuple, TypeVar

from ..core import Rejected
from ..core.digits import brief, size
from ..core.limits import Work
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
    add_product,
    at_least_zero,
    cleared,
    constant,
    longest,
    multiply,
    primitive,
    product,
    times,
    value_at,
)

# --- the cleared form ---


Side = dict[int, RationalPolynomial]
_Key = frozenset[tuple[Exponents, Fraction]]


class ClearedModel(NamedTuple):
    """What states show, with O(s, o), their rows, with P(s, t), and the sides of all pairs.

    A state that halts has an empty row.
    """

    observed: list[dict[str, RationalPolynomial]]
    rows: list[Side]
    roots: list[tuple[Side, Side]]


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

    def row(entries: dict[int, Formula]) -> dict[int, Formula]:
        found = {number: evaluated(formula) for number, formula in entries.items()}
        return {number: formula for number, formula in found.items() if formula.num}

    states = []
    for name, observed, next_states in model.states:
        seen = {o: evaluated(formula) for o, formula in observed.items()}
        present = {o: formula for o, formula in seen.items() if formula.num}
        states.append(State(name, present, None if next_states is None else row(next_states)))
    initials = {name: row(entries) for name, entries in model.initials.items()}
    priors = {
        name: tuple(Case(state, secrets, evaluated(formula)) for state, secrets, formula in cases)
        for name, cases in model.priors.items()
    }
    per_step = Fraction(1)
    for formulas in (_observation_formulas(model), _row_formulas(model)):
        for den in _different(formulas).values():
            factor = value_at(den, point, work)
            work.reduce(size(per_step) + size(factor))
            per_step *= factor
    return HiddenModel((), tuple(states), initials, priors), per_step


def _read_point(model: HiddenModel, at: Point) -> list[Fraction]:
    """The values of the parameters in their order, which must be in the interior. Raises: Rejected."""
    for name, value in at.items():
        if not any(name == parameter.name for parameter in model.parameters):
            raise Rejected("at", f"{shown(name)} is not a parameter of the model")
        _, low, high = next(parameter for parameter in model.parameters if parameter.name == name)
        if not low < value < high:
            raise Rejected("at", f"{name} = {brief(value)} is not in the interior of its range")
    for parameter in model.parameters:
        if parameter.name not in at:
            raise Rejected("at", f"the parameter {parameter.name} has no value")
    return [at[parameter.name] for parameter in model.parameters]


def clear(model: HiddenModel, pairs: Sequence[PairName], work: Work) -> ClearedModel:
    """The cleared form, with the sides of these pairs. Raises: Rejected, TooLarge."""
    observing = _Clearing(model, _observation_formulas(model), work)
    moving = _Clearing(model, _row_formulas(model), work)
    return ClearedModel(
        observed=[{o: observing.of(p) for o, p in state.observed.items()} for state in model.states],
        rows=[moving.row(state.row or {}) for state in model.states],
        roots=[_kept(_root(model, index, pair, work), work) for index, pair in enumerate(pairs)],
    )


def _kept(root: tuple[Side, Side], work: Work) -> tuple[Side, Side]:
    """Count a root: a short list of pairs, each of large distributions, takes a lot of memory."""
    work.keep(sum(map(len, root)), 0)
    return root


def _root(model: HiddenModel, index: int, pair: PairName, work: Work) -> tuple[Side, Side]:
    """The root of a pair, not yet scaled."""
    if len(pair) == 3:
        return _secrets(model, index, pair, work)
    sides = []
    for name in pair:
        side = model.initials.get(name)
        if side is None:
            if name not in model.numbers:
                raise Rejected("pairs", f"pairs[{index}]: {shown(name)} is no state or initial distribution")
            one = constant(Fraction(1), len(model.parameters))
            side = {model.numbers[name]: Formula(one, one)}
        sides.append(side)
    clearing = _Clearing(model, [formula for side in sides for formula in side.values()], work)
    work.spend(sum(map(len, sides)))
    first, second = map(clearing.row, sides)
    return first, second


def _secrets(model: HiddenModel, index: int, pair: PairName, work: Work) -> tuple[Side, Side]:
    """Two secrets under a prior: each conditioned on itself, times the probabilities of both."""
    *secrets, prior = pair
    cases = model.priors.get(prior)
    if cases is None:
        raise Rejected("pairs", f"pairs[{index}]: {shown(prior)} is no prior of the model")
    clearing = _Clearing(model, [case.formula for case in cases], work)
    sides, totals = [], []
    for secret in secrets:
        side: Side = {}
        total: RationalPolynomial = {}
        for case in cases:
            if secret in case.secrets:
                found = clearing.of(case.formula)
                side[case.state] = add(side.get(case.state, {}), found, work)
                total = add(total, found, work)
        if not total:
            problem = f"the secret {shown(secret)} has probability 0 under {shown(prior)}"
            raise Rejected("pairs", f"pairs[{index}]: {problem}")
        sides.append(side)
        totals.append(total)
    first, second = (
        {state: multiply(p, total, work) for state, p in side.items() if p}
        for side, total in zip(sides, reversed(totals), strict=True)
    )
    return first, second


class _Clearing:
    """Formulas of one set, times the product of their different denominators."""

    def __init__(self, model: HiddenModel, formulas: Iterable[Formula], work: Work) -> None:
        self._work = work
        self._one = constant(Fraction(1), len(model.parameters))
        self._different = _different(formulas)
        self._others: dict[_Key, RationalPolynomial] = {}
        self._known: dict[int, RationalPolynomial] = {}

    def of(self, formula: Formula) -> RationalPolynomial:
        """One of the formulas in the cleared form."""
        found = self._known.get(id(formula))
        if found is None:
            if formula.den == self._one and len(self._different) == 1:
                found = formula.num
            else:
                found = multiply(formula.num, self._other_denominators(formula.den), self._work)
            self._known[id(formula)] = found
        return found

    def row(self, entries: dict[int, Formula]) -> Side:
        """A row, or a distribution, in the cleared form."""
        return {state: self.of(formula) for state, formula in entries.items()}

    def _other_denominators(self, den: RationalPolynomial) -> RationalPolynomial:
        key = frozenset(den.items())
        if key not in self._others:
            factors = (other for different, other in self._different.items() if different != key)
            self._others[key] = product(factors, self._one, self._work)
        return self._others[key]


def _observation_formulas(model: HiddenModel) -> Iterable[Formula]:
    return (formula for state in model.states for formula in state.observed.values())


def _row_formulas(model: HiddenModel) -> Iterable[Formula]:
    return (formula for state in model.states for formula in (state.row or {}).values())


def _different(formulas: Iterable[Formula]) -> dict[_Key, RationalPolynomial]:
    """The different denominators; those that are the same object are looked at once."""
    objects = {id(formula.den): formula.den for formula in formulas}
    return {frozenset(den.items()): den for den in objects.values()}


# --- live states ---


def live_part(model: ClearedModel, work: Work) -> ClearedModel:
    """The model without states that show nothing that both sides of some pair can show. Raises: TooLarge."""
    reached: dict[tuple[int, ...], set[str]] = {}

    def shown_from(side: Side) -> set[str]:
        start = tuple(sorted(side))
        if start not in reached:
            found = reached[start] = _shown_from(model, start, work)
            work.keep(len(start) + len(found), 0)
        return reached[start]

    shared: set[str] = set()
    for alpha, beta in model.roots:
        first, second = shown_from(alpha), shown_from(beta)
        work.spend(len(alpha) + len(beta) + min(len(first), len(second)))
        shared |= first & second
    work.release(sum(len(start) + len(found) for start, found in reached.items()), 0)
    live = {state for state, seen in enumerate(model.observed) if not shared.isdisjoint(seen)}

    def kept(side: Side) -> Side:
        return {state: entry for state, entry in side.items() if state in live}

    return ClearedModel(
        model.observed, [kept(row) for row in model.rows], [(kept(a), kept(b)) for a, b in model.roots]
    )


def _shown_from(model: ClearedModel, start: tuple[int, ...], work: Work) -> set[str]:
    """All observations of the states that can be reached from these."""
    found: set[str] = set()
    seen, stack = set(start), list(start)
    while stack:
        state = stack.pop()
        work.spend(1 + len(model.rows[state]) + len(model.observed[state]))
        found |= model.observed[state].keys()
        new = model.rows[state].keys() - seen
        seen |= new
        stack += new
    return found


# --- systems ---


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
        """Whether the node dominates the child: SPEC section 3.1, covered."""

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
