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
from typing import Any, Generic, TypeVar

from bdist.errors import ParameterError
from bdist.exact.rationals import rational_text, to_fmpq
from bdist.pufferfish.model import HiddenMarkovModel, HiddenState, Pair, Words
from bdist.pufferfish.polynomials import Element, Entry, Quotient, entry_at, entry_text, value_at
from bdist.text.scanner import resembling

Key = tuple[object, ...]
Point = Mapping[str, Fraction]


T = TypeVar("T")
E = TypeVar("E", bound=Any)  # int or Element
Rows = tuple[tuple[tuple[int, E], ...], ...]  # for each state what it has, by number


@dataclass(frozen=True)
class AnyPair(Generic[E]):
    """Two vectors by state, of what is not 0."""

    alpha: dict[int, E]
    beta: dict[int, E]


P = TypeVar("P", bound=AnyPair[Any])


@dataclass(frozen=True, slots=True)
class Step(Generic[E, P]):
    """What an observation does to a vector pair: its value on both sides, and the pair that follows."""

    observation: str
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
    def observation_numbers(self) -> dict[str, int]:
        """The observations by name."""
        return {name: number for number, name in enumerate(self.model.observations)}

    @cached_property
    def emissions(self) -> Rows[E]:
        """For each state the observations that it shows, by number, with their weights."""
        numbers = self.observation_numbers
        return self._cleared(
            [[(numbers[o], entry) for o, entry in state.observations] for state in self.model.states]
        )

    @cached_property
    def rows(self) -> Rows[E]:
        """For each state where it goes, with weights; empty where it halts."""
        rows = self._cleared([state.row or () for state in self.model.states])
        return tuple(tuple((t, x) for t, x in row if self._is_live(t)) for row in rows)

    def root(self, pair: Pair) -> P:
        """The vector pair with which the runs of a pair begin.

        Raises: ParameterError where a side names nothing, or a secret of probability 0.
        """
        sides: Iterable[dict[int, E]]
        if pair.prior is None:
            sides = map(dict, self._cleared([self.model.start(side) for side in (pair.first, pair.second)]))
        else:
            sides = self._conditioned(pair, pair.prior)
        first, second = ({s: x for s, x in side.items() if self._is_live(s)} for side in sides)
        return self._scaled(first, second)

    def _conditioned(self, pair: Pair, prior: str) -> tuple[dict[int, E], dict[int, E]]:
        """The two sides of a pair of secrets, cleared with all cases of the prior; norms change sides."""
        cases = self.model.priors[prior].cases
        sides = (pair.first, pair.second)
        given = [[case for case in cases if side in case.secrets] for side in sides]
        rows = self._cleared([[(case.state, case.probability) for case in part] for part in (*given, cases)])
        first, second = (summed(row) for row in rows[:2])
        norms = self.total(first), self.total(second)
        for side, norm in zip(sides, norms, strict=True):
            if not norm:
                raise ParameterError(f"the secret '{side}' has probability 0 under the prior '{prior}'")
        return {s: x * norms[1] for s, x in first.items()}, {s: x * norms[0] for s, x in second.items()}

    def steps(self, pair: AnyPair[E]) -> Iterator[Step[E, P]]:
        """One step for each observation that the first side can show, in the order of observations."""
        first, second = self._shown(pair.alpha), self._shown(pair.beta)
        for observation in sorted(first):
            alpha, beta = first[observation], second.get(observation, {})
            after = self._moved(alpha)
            child = self._scaled(after, self._moved(beta) if after else {})
            name = self.model.observations[observation]
            yield Step(name, self.total(alpha), self.total(beta), child)

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
        result: dict[int, dict[int, E]] = {}
        for state, value in vector.items():
            for observation, weight in self.emissions[state]:
                result.setdefault(observation, {})[state] = value * weight
        return result

    def _moved(self, vector: dict[int, E]) -> dict[int, E]:
        """The vector after one move along the rows."""
        return summed(
            (target, value * weight) for state, value in vector.items() for target, weight in self.rows[state]
        )

    @abstractmethod
    def total(self, vector: dict[int, E]) -> E:
        """The sum of all entries."""

    @abstractmethod
    def _cleared(self, rows: Sequence[Sequence[tuple[int, Entry]]]) -> Rows[E]:
        """Entries times one common denominator, without those that are 0."""

    @abstractmethod
    def _scaled(self, alpha: dict[int, E], beta: dict[int, E]) -> P:
        """The pair up to a positive factor, without a common divisor."""


def summed(entries: Iterable[tuple[int, E]]) -> dict[int, E]:
    """A vector from entries, those of one state added up."""
    result: dict[int, E] = {}
    for state, value in entries:
        result[state] = result[state] + value if state in result else value
    return result


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
    least = largest_quotient(weaker.alpha, stronger.alpha)
    if least is None:
        return False
    above, below = least
    return all(above * value <= weaker.beta.get(state, 0) * below for state, value in stronger.beta.items())


def largest_quotient(vector: Vector, by: Vector) -> tuple[int, int] | None:
    """The largest vector/by as a numerator and a denominator; None where it is infinite."""
    above, below = 0, 1
    for state, value in vector.items():
        divisor = by.get(state)
        if divisor is None:
            return None
        if value * below > above * divisor:
            above, below = value, divisor
    return above, below


@dataclass(frozen=True)
class NumberModel(ClearedModel[int, VectorPair]):
    """Emissions and rows as integers. Requires: the point gives a value to every parameter."""

    point: Point | None = None

    def total(self, vector: Vector) -> int:
        """The sum of all entries."""
        return sum(vector.values())

    @cached_property
    def weight_of_one(self) -> Fraction:
        """By how much an observation and a move weigh more here than in the cleared form of SPEC.

        That is the common denominators, over the values of the denominators that are polynomials.
        """
        weight = Fraction(1)
        emitted = [entry for state in self.model.states for _, entry in state.observations]
        moved = [entry for state in self.model.states for _, entry in state.row or ()]
        for entries in (emitted, moved):
            weight *= lcm(*{self.number(entry).denominator for entry in entries})
            for below in {entry.denominator for entry in entries if isinstance(entry, Quotient)}:
                point = [(self.point or {})[name] for name in self.model.ring.names]
                weight /= value_at(self.model.ring.element(below), point)
        return weight

    def _cleared(self, rows: Sequence[Sequence[tuple[int, Entry]]]) -> Rows[int]:
        values = [[(target, self.number(entry)) for target, entry in row] for row in rows]
        common = lcm(*{value.denominator for row in values for _, value in row})
        return tuple(
            tuple((target, value.numerator * (common // value.denominator)) for target, value in row if value)
            for row in values
        )

    def _scaled(self, alpha: Vector, beta: Vector) -> VectorPair:
        return scaled(alpha, beta)

    def distribution(self, side: str, prior: str | None = None) -> dict[int, Fraction]:
        """The initial distribution that a side of a pair names.

        Raises: ParameterError where it names none, or the secret has probability 0.
        """
        if prior is None:
            return {state: self.number(entry) for state, entry in self.model.start(side)}
        weights, _ = self._conditioned(Pair(side, side), prior)
        norm = sum(weights.values())
        return {state: Fraction(weight, norm) for state, weight in weights.items()}

    def states(self) -> tuple[HiddenState, ...]:
        """The states with numbers in place of formulas."""
        return tuple(
            HiddenState(
                state.name,
                self.numbers(state.observations),
                None if state.row is None else self.numbers(state.row),
            )
            for state in self.model.states
        )

    def numbers(self, entries: Iterable[tuple[T, Entry]]) -> tuple[tuple[T, Fraction], ...]:
        """Entries as numbers, without those that are 0 at the point."""
        return tuple((key, value) for key, entry in entries if (value := self.number(entry)))

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


def _probability(cleared: NumberModel, weights: dict[int, Fraction], word: Sequence[str]) -> Fraction:
    states = cleared.model.states
    for position, observation in enumerate(word):
        if position:
            weights = summed(
                (target, weight * cleared.number(entry))
                for state, weight in weights.items()
                for target, entry in states[state].row or ()
            )
        weights = {
            state: weight * cleared.number(entry)
            for state, weight in weights.items()
            for shown, entry in states[state].observations
            if shown == observation
        }
    return sum(weights.values(), Fraction(0))


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
        sides = (self.alpha, self.beta)
        places = [(side, state) for side in (0, 1) for state in sorted(sides[side])]
        divided = reduced([sides[side][state] for side, state in places])
        return tuple((place, terms(element)) for place, element in zip(places, divided, strict=True))


@dataclass(frozen=True)
class PolynomialModel(ClearedModel[Element, PolynomialPair]):
    """Emissions and rows as polynomials in the parameters."""

    def _cleared(self, rows: Sequence[Sequence[tuple[int, Entry]]]) -> Rows[Element]:
        """Entries times the product of all different denominators."""
        quotients = [[(target, *self.model.ring.fraction_of(entry)) for target, entry in row] for row in rows]
        different: list[Element] = []
        for _, _, below in (entry for row in quotients for entry in row):
            if not below.is_one() and below not in different:
                different.append(below)

        def times_others(above: Element, below: Element) -> Element:
            for denominator in different:
                if denominator != below:
                    above = above * denominator
            return above

        return tuple(
            tuple((target, times_others(above, below)) for target, above, below in row if above)
            for row in quotients
        )

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
        return sum(vector.values(), self.model.ring.constant(0))


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


def terms(element: Element) -> Key:
    """A polynomial as something that can be hashed."""
    found: Mapping[tuple[int, ...], object] = element.to_dict()
    return tuple(sorted((tuple(map(int, e)), str(c)) for e, c in found.items()))
