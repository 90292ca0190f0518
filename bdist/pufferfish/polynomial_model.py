"""A model with parameters, its denominators cleared: vector pairs of polynomials.

As `cleared` does with numbers, all observation probabilities are multiplied by one common denominator and
all transition probabilities by another, and what is left are polynomials. For secrets under a prior the
normalising constants N change sides, so that nothing is ever divided:

    W_S / N_S  over  W_T / N_T    is    N_T W_S  over  N_S W_T.

The checker computes the same polynomials (SPEC-PUFFERFISH section 1, cleared form), and a proof by
Bernstein coefficients is about those, so nothing is cancelled here beyond a common integer. Two pairs are
merged if they are the same when what their entries have in common is divided out (`PolynomialPair.key`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from bdist.exact.fast import fast
from bdist.exact.polynomials import Element, Entry
from bdist.pufferfish.model import HiddenMarkovModel, Pair

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
        return scaled(
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
                child = scaled(pushed, self._pushed(beta))
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


def scaled(alpha: PolynomialVector, beta: PolynomialVector) -> PolynomialPair:
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
