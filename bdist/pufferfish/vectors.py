"""The model with its denominators cleared, and the vector pairs to which words lead.

What an observer can still learn after some observations depends on two vectors, the weight that each state
has under either side of a pair, and on nothing else; and of the two vectors together only up to a positive
factor. Ratios of probabilities do not change if both are multiplied by the same number either. So all
observation probabilities are multiplied by one common denominator and all transition probabilities by
another, and the two sides of a pair start from vectors that are cleared together. Vectors are dictionaries
that leave out the zeros.

*Numbers.* Where parameters have values, or there are none, what is left are integers (`ClearedModel`), and a
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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from bdist.errors import ParameterError
from bdist.exact.fast import fast
from bdist.exact.polynomials import Element, Entry, Quotient, entry_at, entry_text, value_at
from bdist.exact.reading import rational_text
from bdist.pufferfish.model import HiddenMarkovModel, Pair, Words, resembling

# --- vector pairs in numbers ---


Vector = dict[int, int]


@dataclass(frozen=True, slots=True)
class VectorPair:
    """Two vectors of positive integers by state, without a common divisor."""

    alpha: Vector
    beta: Vector

    @property
    def key(self) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
        """What two equal pairs have in common."""
        return tuple(sorted(self.alpha.items())), tuple(sorted(self.beta.items()))


def scaled(alpha: Vector, beta: Vector) -> VectorPair:
    """The pair without a common divisor."""
    divisor = gcd(*alpha.values(), *beta.values())
    if divisor > 1:
        alpha = {state: value // divisor for state, value in alpha.items()}
        beta = {state: value // divisor for state, value in beta.items()}
    return VectorPair(alpha, beta)


def scaled_fractions(alpha: dict[int, Fraction], beta: dict[int, Fraction]) -> VectorPair:
    """The pair as integers without a common divisor; zeros are left out."""
    common = 1
    for value in (*alpha.values(), *beta.values()):
        common = common * value.denominator // gcd(common, value.denominator)
    return scaled(_over(common, alpha), _over(common, beta))


def _over(common: int, vector: dict[int, Fraction]) -> Vector:
    return {s: value.numerator * (common // value.denominator) for s, value in vector.items() if value}


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


def pushed(vector: Iterable[tuple[int, int]], rows: tuple[tuple[tuple[int, int], ...], ...]) -> Vector:
    """The vector after one move along the rows."""
    result: Vector = {}
    for state, value in vector:
        for target, probability in rows[state]:
            result[target] = result.get(target, 0) + value * probability
    return result


# --- the model in numbers ---


IntegerRow = tuple[tuple[int, int], ...]
Point = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Step:
    """What an observation does to a vector pair: its value on both sides, and the pair that follows."""

    observation: int
    first: int
    second: int
    child: VectorPair


@dataclass(frozen=True)
class ClearedModel:
    """Emissions and rows as integers: each is the probability times a common denominator.

    Requires: the point gives a value to every parameter.
    """

    model: HiddenMarkovModel
    point: Point | None = None
    live: frozenset[int] | None = None  # the states that are followed; None for all of them

    @cached_property
    def observation_numbers(self) -> dict[str, int]:
        """The observations by name."""
        return {name: number for number, name in enumerate(self.model.observations)}

    @cached_property
    def emissions(self) -> tuple[IntegerRow, ...]:
        """For each state the observations that it shows, by number, with their weights."""
        return _over_one_denominator(self._emitted)[0]

    @cached_property
    def rows(self) -> tuple[IntegerRow, ...]:
        """For each state where it goes, with weights; empty where it halts."""
        rows = _over_one_denominator(self._moves)[0]
        if self.live is None:
            return rows
        return tuple(tuple((t, x) for t, x in row if t in self.live) for row in rows)

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

    def root(self, pair: Pair) -> VectorPair:
        """The vector pair with which the runs of a pair begin. Raises: ParameterError."""
        first, second = (self.distribution(side, pair.prior) for side in (pair.first, pair.second))
        if self.live is not None:
            first, second = ({s: x for s, x in side.items() if s in self.live} for side in (first, second))
        return scaled_fractions(first, second)

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

    def steps(self, pair: VectorPair) -> Iterator[Step]:
        """One step for each observation that the first side can show, in the order of observations."""
        first, second = self._shown(pair.alpha), self._shown(pair.beta)
        for observation in sorted(first):
            alpha, beta = first[observation], second.get(observation, {})
            child = VectorPair({}, {})
            pushed_alpha = pushed(alpha.items(), self.rows)
            if pushed_alpha:
                child = scaled(pushed_alpha, pushed(beta.items(), self.rows))
            yield Step(observation, sum(alpha.values()), sum(beta.values()), child)

    def moved(self, vector: Vector, observation: int) -> Vector:
        """One side after an observation, not scaled."""
        return pushed(self._shown(vector).get(observation, {}).items(), self.rows)

    def value(self, vector: Vector, observation: int) -> int:
        """The weight with which one side shows an observation."""
        return sum(self._shown(vector).get(observation, {}).values())

    def _shown(self, vector: Vector) -> dict[int, Vector]:
        """The vector split by what is observed."""
        result: dict[int, Vector] = {}
        for state, value in vector.items():
            for observation, weight in self.emissions[state]:
                result.setdefault(observation, {})[state] = value * weight
        return result


def _over_one_denominator(
    rows: Sequence[Sequence[tuple[int, Fraction]]],
) -> tuple[tuple[IntegerRow, ...], int]:
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
    cleared = ClearedModel(model, at)
    return (
        _probability(cleared, cleared.distribution(pair.first, pair.prior), word),
        _probability(cleared, cleared.distribution(pair.second, pair.prior), word),
    )


def _probability(cleared: ClearedModel, start: dict[int, Fraction], word: Sequence[str]) -> Fraction:
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


# --- the model in polynomials ---


PolynomialVector = dict[int, Element]
Key = tuple[object, ...]


@dataclass(frozen=True)
class PolynomialPair:
    """Two vectors of polynomials that are not 0, by state."""

    alpha: PolynomialVector
    beta: PolynomialVector

    @cached_property
    def key(self) -> Key:
        """Equal for two pairs iff they are proportional, by a quotient of polynomials."""
        return reduced_key([*_tagged(0, self.alpha), *_tagged(1, self.beta)])


@dataclass(frozen=True)
class PolynomialStep:
    """What an observation does to a vector pair: its value on both sides, and the pair that follows."""

    observation: int
    first: Element
    second: Element
    child: PolynomialPair


@dataclass(frozen=True)
class PolynomialModel:
    """Emissions and rows as polynomials: each is the probability times a common denominator."""

    model: HiddenMarkovModel
    live: frozenset[int] | None = None  # the states that are followed; None for all of them

    @cached_property
    def emissions(self) -> tuple[tuple[tuple[int, Element], ...], ...]:
        """For each state the observations that it shows, by number."""
        numbers = {name: number for number, name in enumerate(self.model.observations)}
        return self._cleared(
            [[(numbers[o], p) for o, p in state.observations] for state in self.model.states]
        )

    @cached_property
    def rows(self) -> tuple[tuple[tuple[int, Element], ...], ...]:
        """For each state where it goes; empty where it halts."""
        rows = self._cleared([state.row or () for state in self.model.states])
        return tuple(tuple((t, entry) for t, entry in row if self._is_live(t)) for row in rows)

    def root(self, pair: Pair) -> PolynomialPair:
        """The vector pair with which the runs of a pair begin."""
        if pair.prior is not None:
            first, second = self._conditioned(pair.first, pair.second, pair.prior)
        else:
            starts = self._start(pair.first), self._start(pair.second)
            common = self._denominators([entry for start in starts for _, entry in start])
            first, second = ({s: self._over(common, entry) for s, entry in start} for start in starts)
        return scaled_polynomials(
            *({s: entry for s, entry in side.items() if self._is_live(s)} for side in (first, second))
        )

    def _is_live(self, state: int) -> bool:
        return self.live is None or state in self.live

    def steps(self, pair: PolynomialPair) -> Iterator[PolynomialStep]:
        """One step for each observation that the first side can show, in the order of observations."""
        first, second = self._shown(pair.alpha), self._shown(pair.beta)
        for observation in sorted(first):
            alpha, beta = first[observation], second.get(observation, {})
            child = PolynomialPair({}, {})
            pushed = self._pushed(alpha)
            if pushed:
                child = scaled_polynomials(pushed, self._pushed(beta))
            yield PolynomialStep(observation, self.total(alpha), self.total(beta), child)

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

    def _cleared(
        self, rows: Sequence[Sequence[tuple[int, Entry]]]
    ) -> tuple[tuple[tuple[int, Element], ...], ...]:
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

    def _shown(self, vector: PolynomialVector) -> dict[int, PolynomialVector]:
        result: dict[int, PolynomialVector] = {}
        for state, element in vector.items():
            for observation, weight in self.emissions[state]:
                result.setdefault(observation, {})[state] = element * weight
        return result

    def _pushed(self, vector: PolynomialVector) -> PolynomialVector:
        result: PolynomialVector = {}
        for state, element in vector.items():
            for target, probability in self.rows[state]:
                product = element * probability
                result[target] = result[target] + product if target in result else product
        return result


def scaled_polynomials(alpha: PolynomialVector, beta: PolynomialVector) -> PolynomialPair:
    """The pair times the positive rational that makes all coefficients integers without a common divisor."""
    coefficients = [c for vector in (alpha, beta) for element in vector.values() for c in element.coeffs()]
    below = lcm(*(int(c.q) for c in coefficients))
    above = gcd(*(int(c.p) * (below // int(c.q)) for c in coefficients))
    factor = fast(Fraction(below, above or 1))
    return PolynomialPair(
        {state: element * factor for state, element in alpha.items()},
        {state: element * factor for state, element in beta.items()},
    )


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


# --- live states ---


def live_states(
    words: Words,
    sides: Iterable[tuple[Iterable[int], Iterable[int]]],
    targets: Sequence[Sequence[int]],
    shown: Sequence[frozenset[str]],
) -> frozenset[int] | None:
    """The live states, for the supports of both sides of each pair; None where that is all of them.

    ``targets`` and ``shown`` say where each state goes, and what it shows.
    """
    if words is Words.ALL:
        return None
    known: dict[frozenset[int], frozenset[str]] = {}

    def shown_from(start: frozenset[int]) -> frozenset[str]:
        if start not in known:
            seen, stack = set(start), list(start)
            while stack:
                new = set(targets[stack.pop()]) - seen
                seen |= new
                stack += new
            known[start] = frozenset().union(*(shown[state] for state in seen))
        return known[start]

    shared: set[str] = set()
    for first, second in sides:
        shared |= shown_from(frozenset(first)) & shown_from(frozenset(second))
    return frozenset(state for state, seen in enumerate(shown) if not shared.isdisjoint(seen))
