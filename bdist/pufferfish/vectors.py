"""The model with its denominators cleared, and the vector pairs to which words lead.

What an observer can still learn after some observations depends on two vectors, the weight that each state
has under either side of a pair, and on nothing else; and of the two vectors together only up to a positive
factor. Ratios of probabilities do not change if both are multiplied by the same number either. So all
observation probabilities are multiplied by one common denominator and all transition probabilities by
another, and the two sides of a pair start from vectors that are cleared together. Vectors are dictionaries
that leave out the zeros.

*Numbers.* Where parameters have values, or there are none, what is left are integers (`NumberModel`), and a
pair (alpha, beta) is kept without a common divisor, as SPEC asks, so it does not matter how the clearing was
done.

*Domination* is what keeps the search small. If alpha <= lambda alpha* and lambda beta* <= beta for some
lambda > 0, then for every continuation, which is a vector g >= 0, the ratio alpha g / beta g is at most
alpha* g / beta* g: whatever follows, (alpha*, beta*) is at least as bad. Such a lambda exists iff the largest
alpha/alpha* is at most the least beta/beta*. Being *closed* under c, alpha <= c beta, bounds every
continuation by c at once. Both are tested with products of integers; quotients would be made for nothing.

*Polynomials.* With parameters what is left are polynomials (`PolynomialModel`). For secrets under a prior the
normalising constants N change sides, so that nothing is ever divided:

    W_S / N_S  over  W_T / N_T    is    N_T W_S  over  N_S W_T.

The checker computes the same polynomials (SPEC section 1, cleared form), and a proof by Bernstein
coefficients is about those, so nothing is cancelled here beyond a common integer. Two pairs are merged if
they are the same when what their entries have in common is divided out (`PolynomialPair.key`).

*Live states.* Where only common words count, models have symbols that one side alone can show, and states
that show nothing else. They carry weight that no word will ever use, and that would keep one vector pair from
dominating another: without them the search for the worst noisy max of twelve queries is six times as fast. A
word that counts has only observations that are *shared* by its pair, shown by states that can be reached from
both sides; a state that shows nothing shared is not live, and is left out (SPEC section 1).

*One word* is followed by the forward algorithm. This is what certifies a counterexample that somebody brings
along, from a statistical tester say: the two probabilities either are that far apart or they are not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, Generic, Protocol, TypeVar

from bdist.errors import ParameterError
from bdist.exact.polynomials import Element, Entry, Quotient, entry_at, entry_text, value_at
from bdist.exact.rationals import to_fmpq
from bdist.exact.reading import rational_text
from bdist.pufferfish.model import HiddenMarkovModel, Pair, Words
from bdist.text.scanner import resembling

Key = tuple[object, ...]
Point = Mapping[str, Fraction]


class Arithmetic(Protocol):
    """What numbers and polynomials have in common."""

    def __add__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...


E = TypeVar("E", bound=Arithmetic)  # int or Element
Rows = tuple[tuple[tuple[int, E], ...], ...]  # for each state what it has, by number


@dataclass(frozen=True)
class AnyPair(Generic[E]):
    """Two vectors by state, of what is not 0."""

    alpha: dict[int, E]
    beta: dict[int, E]


P = TypeVar("P", "VectorPair", "PolynomialPair")


@dataclass(frozen=True, slots=True)
class Step(Generic[E, P]):
    """What an observation does to a vector pair: its value on both sides, and the pair that follows."""

    observation: int
    first: E
    second: E
    child: P


@dataclass(frozen=True)
class ClearedModel(ABC, Generic[E, P]):
    """Emissions and rows without denominators: each is the probability times a common denominator.

    ``live`` are the states that are followed; None for all of them.
    """

    model: HiddenMarkovModel
    live: frozenset[int] | None = None

    @cached_property
    @abstractmethod
    def emissions(self) -> Rows[E]:
        """For each state the observations that it shows, by number, with their weights."""

    @cached_property
    def rows(self) -> Rows[E]:
        """For each state where it goes, with weights; empty where it halts."""
        rows = self._all_rows()
        return tuple(tuple((t, x) for t, x in row if self._is_live(t)) for row in rows)

    def root(self, pair: Pair) -> P:
        """The vector pair with which the runs of a pair begin. Raises: ParameterError."""
        sides = self._sides(pair)
        first, second = ({s: x for s, x in side.items() if self._is_live(s)} for side in sides)
        return self._scaled(first, second)

    def steps(self, pair: AnyPair[E]) -> Iterator[Step[E, P]]:
        """One step for each observation that the first side can show, in the order of observations."""
        first, second = self._shown(pair.alpha), self._shown(pair.beta)
        for observation in sorted(first):
            alpha, beta = first[observation], second.get(observation, {})
            after = self._moved(alpha)
            child = self._scaled(after, self._moved(beta) if after else {})
            yield Step(observation, self.total(alpha), self.total(beta), child)

    def moved(self, vector: dict[int, E], observation: int) -> dict[int, E]:
        """One side after an observation, not scaled."""
        return self._moved(self._shown(vector).get(observation, {}))

    def value(self, vector: dict[int, E], observation: int) -> E:
        """The weight with which one side shows an observation."""
        return self.total(self._shown(vector).get(observation, {}))

    def reached(self, start: Iterable[int]) -> set[int]:
        """The states that can be reached from these."""
        seen, stack = set(start), list(start)
        while stack:
            new = {target for target, _ in self.rows[stack.pop()]} - seen
            seen |= new
            stack += new
        return seen

    def live_states(self, words: Words, pairs: Sequence[Pair]) -> frozenset[int] | None:
        """The live states for some pairs; None where that is all of them."""
        if words is Words.ALL:
            return None
        known: dict[frozenset[int], set[int]] = {}

        def shown_from(side: Iterable[int]) -> set[int]:
            start = frozenset(side)
            if start not in known:
                known[start] = {o for state in self.reached(start) for o, _ in self.emissions[state]}
            return known[start]

        shared: set[int] = set()
        for root in map(self.root, pairs):
            shared |= shown_from(root.alpha) & shown_from(root.beta)
        return frozenset(s for s, row in enumerate(self.emissions) if any(o in shared for o, _ in row))

    def _is_live(self, state: int) -> bool:
        return self.live is None or state in self.live

    def _shown(self, vector: dict[int, E]) -> dict[int, dict[int, E]]:
        """The vector split by what is observed."""
        result: dict[int, dict[int, E]] = {}
        for state, value in vector.items():
            for observation, weight in self.emissions[state]:
                result.setdefault(observation, {})[state] = value * weight
        return result

    def _moved(self, vector: dict[int, E]) -> dict[int, E]:
        """The vector after one move along the rows."""
        result: dict[int, E] = {}
        for state, value in vector.items():
            for target, weight in self.rows[state]:
                product = value * weight
                result[target] = result[target] + product if target in result else product
        return result

    @abstractmethod
    def total(self, vector: dict[int, E]) -> E:
        """The sum of all entries."""

    @abstractmethod
    def _all_rows(self) -> Rows[E]:
        """The rows with all states, live or not."""

    @abstractmethod
    def _sides(self, pair: Pair) -> tuple[dict[int, E], dict[int, E]]:
        """The two sides of a pair, cleared together."""

    @abstractmethod
    def _scaled(self, alpha: dict[int, E], beta: dict[int, E]) -> P:
        """The pair up to a positive factor, without a common divisor."""


# --- numbers ---


Vector = dict[int, int]


class VectorPair(AnyPair[int]):
    """Two vectors of positive integers by state, without a common divisor."""

    @property
    def key(self) -> Key:
        """What two equal pairs have in common."""
        return tuple(sorted(self.alpha.items())), tuple(sorted(self.beta.items()))


def scaled(alpha: Vector, beta: Vector) -> VectorPair:
    """The pair without a common divisor."""
    divisor = gcd(*alpha.values(), *beta.values())
    if divisor > 1:
        alpha = {state: value // divisor for state, value in alpha.items()}
        beta = {state: value // divisor for state, value in beta.items()}
    return VectorPair(alpha, beta)


def dominates(stronger: VectorPair, weaker: VectorPair) -> bool:
    """Whether some lambda > 0 has weaker.alpha <= lambda stronger.alpha, lambda stronger.beta <= weaker.beta.

    Requires: weaker.alpha is not 0.
    """
    least = _largest_quotient(weaker.alpha, stronger.alpha)
    if least is None:
        return False
    above, below = least
    return all(above * value <= weaker.beta.get(state, 0) * below for state, value in stronger.beta.items())


def _largest_quotient(vector: Vector, by: Vector) -> tuple[int, int] | None:
    """The largest vector/by as a numerator and a denominator; None where it is infinite."""
    above, below = 0, 1
    for state, value in vector.items():
        divisor = by.get(state)
        if divisor is None:
            return None
        if value * below > above * divisor:
            above, below = value, divisor
    return above, below


def covering_factor(weaker: VectorPair, stronger: VectorPair) -> Fraction:
    """The least lambda with weaker.alpha <= lambda stronger.alpha. Requires: the stronger dominates."""
    return Fraction(*(_largest_quotient(weaker.alpha, stronger.alpha) or (0, 1)))


def closing_constant(pair: VectorPair) -> Fraction | None:
    """The least c with alpha <= c beta; None where there is none."""
    found = _largest_quotient(pair.alpha, pair.beta)
    return None if found is None else Fraction(*found)


def is_closed(pair: VectorPair, constant: Fraction) -> bool:
    """Whether alpha <= constant * beta."""
    above, below = constant.numerator, constant.denominator
    return all(value * below <= above * pair.beta.get(state, 0) for state, value in pair.alpha.items())


@dataclass(frozen=True)
class NumberModel(ClearedModel[int, VectorPair]):
    """Emissions and rows as integers. Requires: the point gives a value to every parameter."""

    point: Point | None = None

    @cached_property
    def observation_numbers(self) -> dict[str, int]:
        """The observations by name."""
        return {name: number for number, name in enumerate(self.model.observations)}

    @cached_property
    def emissions(self) -> Rows[int]:
        """For each state the observations that it shows, by number, with their weights."""
        return _over_one_denominator(self._emitted)[0]

    def total(self, vector: Vector) -> int:
        """The sum of all entries."""
        return sum(vector.values())

    @cached_property
    def weight_of_one(self) -> Fraction:
        """By how much an observation and a move weigh more here than in the cleared form of SPEC.

        That is the common denominators, over the values of the denominators that are polynomials.
        """
        weight = Fraction(_over_one_denominator(self._emitted)[1] * _over_one_denominator(self._moves)[1])
        emitted = [entry for state in self.model.states for _, entry in state.observations]
        moved = [entry for state in self.model.states for _, entry in state.row or ()]
        for entries in (emitted, moved):
            for below in {entry.denominator for entry in entries if isinstance(entry, Quotient)}:
                point = [(self.point or {})[name] for name in self.model.ring.names]
                weight /= value_at(self.model.ring.element(below), point)
        return weight

    @cached_property
    def _emitted(self) -> list[list[tuple[int, Fraction]]]:
        numbers = self.observation_numbers
        return [
            [(numbers[o], self.number(entry)) for o, entry in state.observations]
            for state in self.model.states
        ]

    @cached_property
    def _moves(self) -> list[list[tuple[int, Fraction]]]:
        return [[(t, self.number(entry)) for t, entry in state.row or ()] for state in self.model.states]

    def _all_rows(self) -> Rows[int]:
        return _over_one_denominator(self._moves)[0]

    def _sides(self, pair: Pair) -> tuple[Vector, Vector]:
        sides = [self.distribution(side, pair.prior) for side in (pair.first, pair.second)]
        first, second = _over_one_denominator([list(side.items()) for side in sides])[0]
        return dict(first), dict(second)

    def _scaled(self, alpha: Vector, beta: Vector) -> VectorPair:
        return scaled(alpha, beta)

    def distribution(self, side: str, prior: str | None = None) -> dict[int, Fraction]:
        """The initial distribution that a side of a pair names.

        Raises: ParameterError where it names none, or the secret has probability 0.
        """
        if prior is not None:
            weights: dict[int, Fraction] = {}
            for case in self.model.priors[prior].cases:
                if side in case.secrets:
                    weights[case.state] = weights.get(case.state, Fraction(0)) + self.number(case.probability)
            total = sum(weights.values())
            if not total:
                raise ParameterError(f"the secret '{side}' has probability 0 under the prior '{prior}'")
            return {state: weight / total for state, weight in weights.items() if weight}
        initial = self.model.initials_by_name.get(side)
        if initial is not None:
            return {state: self.number(entry) for state, entry in initial.row}
        return {self.model.index(side): Fraction(1)}

    def number(self, entry: Entry) -> Fraction:
        """The value of an entry. Raises: ParameterError where its denominator is 0 at the point."""
        if isinstance(entry, Fraction):
            return entry
        point = self.point or {}
        value = entry_at(entry, self.model.ring, point)
        if value is None:
            shown = entry_text(entry, self.model.ring.names)
            where = ", ".join(f"{name} = {rational_text(x)}" for name, x in point.items())
            raise ParameterError(f"the entry {shown} has denominator 0 at {where}")
        return value


def _over_one_denominator(
    rows: Sequence[Sequence[tuple[int, Fraction]]],
) -> tuple[Rows[int], int]:
    """The numerators over a common denominator, and that."""
    common = lcm(*{value.denominator for row in rows for _, value in row})
    numerators = tuple(
        tuple((target, value.numerator * (common // value.denominator)) for target, value in row if value)
        for row in rows
    )
    return numerators, common


# --- the probabilities of one word ---


def probabilities(
    model: HiddenMarkovModel, pair: Pair, word: Sequence[str], at: Point | None = None
) -> tuple[Fraction, Fraction]:
    """Pr(word | first) and Pr(word | second), with parameters at these values.

    Raises: ParameterError where an observation is unknown.
    """
    check_word(model, word)
    cleared = NumberModel(model, point=at)
    return (
        _probability(cleared, cleared.distribution(pair.first, pair.prior), word),
        _probability(cleared, cleared.distribution(pair.second, pair.prior), word),
    )


def _probability(cleared: NumberModel, start: dict[int, Fraction], word: Sequence[str]) -> Fraction:
    states = cleared.model.states
    weights, shown = dict(start), dict(start)
    for position, observation in enumerate(word):
        if position:
            weights = {}
            for number, weight in shown.items():
                for target, entry in states[number].row or ():
                    weights[target] = weights.get(target, Fraction(0)) + weight * cleared.number(entry)
        shown = {}
        for number, weight in weights.items():
            emitted = dict(states[number].observations).get(observation)
            if emitted is not None and weight:
                shown[number] = weight * cleared.number(emitted)
    return sum(shown.values(), Fraction(0))


def check_word(model: HiddenMarkovModel, word: Sequence[str]) -> None:
    """Raises: ParameterError where the word is empty or has an observation that the model has not."""
    if not word:
        raise ParameterError("the word is empty; it needs at least one observation")
    for observation in word:
        if observation not in model.observations:
            known = resembling(observation, model.observations)
            raise ParameterError(f"the model never shows '{observation}'{known}")


# --- polynomials ---


PolynomialVector = dict[int, Element]


class PolynomialPair(AnyPair[Element]):
    """Two vectors of polynomials by state, whose coefficients are integers without a common divisor."""

    @cached_property
    def key(self) -> Key:
        """Equal for two pairs iff they are proportional, by a quotient of polynomials."""
        return reduced_key([*_tagged(0, self.alpha), *_tagged(1, self.beta)])


@dataclass(frozen=True)
class PolynomialModel(ClearedModel[Element, PolynomialPair]):
    """Emissions and rows as polynomials in the parameters."""

    @cached_property
    def emissions(self) -> Rows[Element]:
        """For each state the observations that it shows, by number."""
        numbers = {name: number for number, name in enumerate(self.model.observations)}
        return self._cleared(
            [[(numbers[o], p) for o, p in state.observations] for state in self.model.states]
        )

    def _all_rows(self) -> Rows[Element]:
        return self._cleared([state.row or () for state in self.model.states])

    def _sides(self, pair: Pair) -> tuple[PolynomialVector, PolynomialVector]:
        if pair.prior is not None:
            return self._conditioned(pair.first, pair.second, pair.prior)
        starts = self._start(pair.first), self._start(pair.second)
        common = self._denominators([entry for start in starts for _, entry in start])
        first, second = ({s: self._over(common, entry) for s, entry in start} for start in starts)
        return first, second

    def _scaled(self, alpha: PolynomialVector, beta: PolynomialVector) -> PolynomialPair:
        """Times the positive rational that makes all coefficients integers without a common divisor."""
        entries = (*alpha.values(), *beta.values())
        coefficients = [c for element in entries for c in element.coeffs()]
        below = lcm(*(int(c.q) for c in coefficients))
        above = gcd(*(int(c.p) * (below // int(c.q)) for c in coefficients))
        factor = to_fmpq(Fraction(below, above or 1))
        return PolynomialPair(
            {state: element * factor for state, element in alpha.items()},
            {state: element * factor for state, element in beta.items()},
        )

    def total(self, vector: PolynomialVector) -> Element:
        """The sum of all entries."""
        result = self.model.ring.constant(0)
        for element in vector.values():
            result = result + element
        return result

    def _start(self, side: str) -> Sequence[tuple[int, Entry]]:
        initial = self.model.initials_by_name.get(side)
        return ((self.model.index(side), Fraction(1)),) if initial is None else initial.row

    def _conditioned(self, first: str, second: str, prior: str) -> tuple[PolynomialVector, PolynomialVector]:
        cases = self.model.priors[prior].cases
        common = self._denominators([case.probability for case in cases])
        weights: dict[str, PolynomialVector] = {first: {}, second: {}}
        for case in cases:
            for secret in {first, second} & set(case.secrets) if case.probability != 0 else ():
                entry, vector = self._over(common, case.probability), weights[secret]
                vector[case.state] = vector[case.state] + entry if case.state in vector else entry
        totals = {secret: self.total(vector) for secret, vector in weights.items()}
        return (
            {state: totals[second] * entry for state, entry in weights[first].items()},
            {state: totals[first] * entry for state, entry in weights[second].items()},
        )

    def _cleared(self, rows: Sequence[Sequence[tuple[int, Entry]]]) -> Rows[Element]:
        common = self._denominators([entry for row in rows for _, entry in row])
        return tuple(tuple((target, self._over(common, entry)) for target, entry in row) for row in rows)

    def _denominators(self, entries: Iterable[Entry]) -> list[Element]:
        """The distinct denominators."""
        found: list[Element] = []
        for entry in entries:
            _, below = self.model.ring.fraction_of(entry)
            if not below.is_one() and below not in found:
                found.append(below)
        return found

    def _over(self, common: Sequence[Element], entry: Entry) -> Element:
        """An entry times the product of the denominators, one of which is its own."""
        above, below = self.model.ring.fraction_of(entry)
        own = below.is_one()
        for denominator in common:
            if not own and denominator == below:
                own = True
            else:
                above = above * denominator
        return above


def reduced(elements: Sequence[Element]) -> list[Element]:
    """Polynomials, not all 0, divided by all that they have in common, and the first by a sign.

    Requires: there is at least one that is not 0.
    """
    common = elements[0] * 0
    for element in elements:
        common = common.gcd(element)
        if common.is_constant() and not common.is_zero():
            break
    divided = [element / common if not element.is_zero() else element for element in elements]
    leading = next(element.leading_coefficient() for element in divided if not element.is_zero())
    return [element / leading for element in divided]


def reduced_key(tagged: Sequence[tuple[tuple[int, int], Element]]) -> Key:
    """Equal for two lists of polynomials iff they are proportional."""
    divided = reduced([element for _, element in tagged])
    return tuple((tag, terms(element)) for (tag, _), element in zip(tagged, divided, strict=True))


def terms(element: Element) -> Key:
    """A polynomial as something that can be hashed."""
    found: Mapping[tuple[int, ...], object] = element.to_dict()
    return tuple(sorted((tuple(map(int, e)), str(c)) for e, c in found.items()))


def _tagged(side: int, vector: PolynomialVector) -> list[tuple[tuple[int, int], Element]]:
    return [((side, state), vector[state]) for state in sorted(vector)]
