"""Exponential polynomials, the numbers of this theory: Σ c ε^j e^(k ε), and quotients of them.

The probabilities of a program are functions of ε, made of its powers and of e^(k ε) with rational k. As ε
and e^(ε/D) are algebraically independent functions, two sums of such terms are the same function if and only
if they have the same terms; so equality is that of dictionaries, and no computer algebra is needed.

An `Exponential` keeps its exponents k as integers over one ``grid`` D, and its coefficients as integers over
one denominator: a dictionary {(k D, j): c}. Dictionaries with fractions as keys and values would be simpler,
and ten times as slow. It is never changed once it is made. The exact rational arithmetic of python-flint
would be faster still; then the checker would have to be believed together with a library of a million lines.

A `Quotient` is an exponential polynomial over a product of others, which are kept as factors: sums of
probabilities then have a common denominator without a search for common divisors, of which there is none
here. Equality is by multiplying crosswise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from ..core import TooLarge
from ..core.limits import PIECE, Work

Key = tuple[int, int]  # (k D, j)
NormalForm = tuple[int, tuple[tuple[Key, int], ...]]

COMMON_BITS = 20_000  # of the common denominator of the exponents of a function, and of its coefficients
_LONG = 128  # bits of a denominator from which on it is worth a search for common divisors


class Exponential:
    """Σ c/denominator · ε^j · e^(k/grid · ε) over the terms {(k, j): c}, none of which has c = 0."""

    def __init__(self, terms: dict[Key, int], grid: int = 1, denominator: int = 1) -> None:
        self.terms = terms
        self.grid = grid
        self.denominator = denominator

    def __bool__(self) -> bool:
        return bool(self.terms)

    @staticmethod
    def of(terms: Mapping[tuple[Fraction, int], Fraction]) -> Exponential:
        """The sum of c ε^j e^(k ε) over {(k, j): c}, with any rationals."""
        grid = common_multiple(k.denominator for k, _ in terms)
        denominator = common_multiple(c.denominator for c in terms.values())
        found = {
            (k.numerator * (grid // k.denominator), j): c.numerator * (denominator // c.denominator)
            for (k, j), c in terms.items()
            if c
        }
        return Exponential(found, grid, denominator)

    @staticmethod
    def number(value: Fraction | int) -> Exponential:
        """A constant."""
        return Exponential({(0, 0): value.numerator} if value else {}, 1, value.denominator)

    @cached_property
    def bits(self) -> int:
        """The bits of the longest coefficient, or 0 where that is short and makes no difference."""
        longest = max(map(int.bit_length, self.terms.values()), default=0)
        longest = max(longest, self.denominator.bit_length())
        return longest if longest >= PIECE else 0

    def on(self, grid: int) -> dict[Key, int]:
        """The terms on a finer grid, a multiple of this one's."""
        if grid == self.grid:
            return self.terms
        finer = grid // self.grid
        return {(k * finer, j): c for (k, j), c in self.terms.items()}

    def plus(self, other: Exponential, work: Work) -> Exponential:
        """The sum. Raises: TooLarge."""
        if not self.terms or not other.terms:
            return self if self.terms else other
        work.spend(len(self.terms) + len(other.terms), self.bits, other.bits)
        grid = common_multiple((self.grid, other.grid))
        denominator = common_multiple((self.denominator, other.denominator))
        mine, theirs = denominator // self.denominator, denominator // other.denominator
        found = {key: c * mine for key, c in self.on(grid).items()}
        for key, c in other.on(grid).items():
            total = found.get(key, 0) + c * theirs
            if total:
                found[key] = total
            else:
                del found[key]
        return Exponential(found, grid, denominator)

    def negated(self) -> Exponential:
        """The sum times −1."""
        return Exponential({key: -c for key, c in self.terms.items()}, self.grid, self.denominator)

    def minus(self, other: Exponential, work: Work) -> Exponential:
        """The difference. Raises: TooLarge."""
        return self.plus(other.negated(), work)

    def times(self, other: Exponential, work: Work) -> Exponential:
        """The product. Raises: TooLarge."""
        if self.is_one:
            return other
        if other.is_one:
            return self
        work.spend(len(self.terms) * len(other.terms) + 1, self.bits, other.bits)
        grid = common_multiple((self.grid, other.grid))
        found: dict[Key, int] = {}
        theirs = other.on(grid).items()
        for (k, j), c in self.on(grid).items():
            for (k2, j2), c2 in theirs:
                key = (k + k2, j + j2)
                found[key] = found.get(key, 0) + c * c2
        found = {key: c for key, c in found.items() if c}
        product = Exponential(found, grid, self.denominator * other.denominator)
        return product if product.denominator.bit_length() < _LONG else product.reduced(work)

    def power(self, exponent: int, work: Work) -> Exponential:
        """The product with itself, so many times. Raises: TooLarge."""
        found = ONE
        for bit in bin(exponent)[2:]:
            found = found.times(found, work)
            if bit == "1":
                found = found.times(self, work)
        return found

    def shifted(self, k: Fraction) -> Exponential:
        """The sum times e^(k ε)."""
        grid = common_multiple((self.grid, k.denominator))
        by = k.numerator * (grid // k.denominator)
        return Exponential({(e + by, j): c for (e, j), c in self.on(grid).items()}, grid, self.denominator)

    def reduced(self, work: Work) -> Exponential:
        """The same, with coefficients in lowest terms. Raises: TooLarge."""
        work.spend(4 * len(self.terms), self.bits, self.bits)
        common = gcd(self.denominator, *self.terms.values())
        if common == 1:
            return self
        terms = {key: c // common for key, c in self.terms.items()}
        return Exponential(terms, self.grid, self.denominator // common)

    @cached_property
    def is_one(self) -> bool:
        """Whether this is the constant 1, in the form in which constants are made."""
        return self.denominator == 1 and self.terms == {(0, 0): 1}

    def same_as(self, other: Exponential, work: Work) -> bool:
        """Whether both are the same function. Raises: TooLarge."""
        return not self.minus(other, work)

    @cached_property
    def identity(self) -> tuple[object, ...]:
        """What two functions of a document have in common if and only if they are the same."""
        return self.grid, self.denominator, tuple(sorted(self.terms.items()))

    @cached_property
    def polynomials(self) -> dict[int, list[int]]:
        """For each k, in increasing order, the coefficients of its polynomial in ε, without denominators."""
        found: dict[int, list[int]] = {}
        for (k, j), c in sorted(self.terms.items()):
            row = found.setdefault(k, [])
            row.extend([0] * (j - len(row)))
            row.append(c)
        return found

    @cached_property
    def normal_form(self) -> NormalForm:
        """SPEC.md section 3, as something to look up: it is 0 if there are no terms in it."""
        return self.normalised.grid, tuple(sorted(self.normalised.terms.items()))

    @cached_property
    def normalised(self) -> Exponential:
        """Divided by e^(k ε) for the least k, by the highest power of ε, and by the content.

        What it is divided by is positive for every ε > 0, so the sign stays.
        """
        if not self.terms:
            return ZERO
        low = min(k for k, _ in self.terms)
        least = min(j for _, j in self.terms)
        common = gcd(*self.terms.values())
        coarser = gcd(self.grid, *(k - low for k, _ in self.terms))
        terms = {((k - low) // coarser, j - least): c // common for (k, j), c in self.terms.items()}
        return Exponential(terms, self.grid // coarser)


def common_multiple(numbers: Iterable[int]) -> int:
    """The least common multiple. Raises: TooLarge."""
    found = 1
    for number in numbers:
        if found % number:
            found = lcm(found, number)
            if found.bit_length() > COMMON_BITS:
                raise TooLarge(
                    f"a function of epsilon with a common denominator of more than {COMMON_BITS} bits"
                )
    return found


ZERO = Exponential({})
ONE = Exponential({(0, 0): 1})
EPSILON = Exponential({(0, 1): 1})

Factors = dict[NormalForm, tuple[Exponential, int]]  # a normalised exponential polynomial, and its power


class Quotient:
    """An exponential polynomial over a product of powers of normalised ones."""

    def __init__(self, numerator: Exponential, factors: Factors | None = None) -> None:
        self.numerator = numerator
        self.factors: Factors = factors or {}

    def __bool__(self) -> bool:
        return bool(self.numerator)

    @staticmethod
    def ratio(above: Exponential, below: Exponential, work: Work) -> Quotient:
        """above / below. Requires: below is not 0. Raises: TooLarge."""
        # below = c ε^j e^(k ε) · factor: the number and the e^(k ε) go into the numerator, an ε^j cannot. The
        # normal form of ε is that of 1, which no factor is.
        low, least = (min(part) for part in zip(*below.terms, strict=True))
        number = Fraction(below.denominator, gcd(*below.terms.values()))
        scale = Exponential.number(number).shifted(Fraction(-low, below.grid))
        factors = ((below.normalised, 1), (EPSILON, least))
        return Quotient(
            above.times(scale, work),
            {factor.normal_form: (factor, m) for factor, m in factors if m and not factor.is_one},
        )

    def times(self, other: Quotient, work: Work) -> Quotient:
        """The product. Raises: TooLarge."""
        if not other.factors and other.numerator.is_one:
            return self
        factors = dict(self.factors)
        for key, (factor, power) in other.factors.items():
            factors[key] = (factor, power + factors.get(key, (factor, 0))[1])
        return Quotient(self.numerator.times(other.numerator, work), factors)

    def same_as(self, above: Exponential, below: Exponential, work: Work) -> bool:
        """Whether this is above / below as a function. Requires: below is not 0. Raises: TooLarge."""
        mine = self.numerator.times(below, work)
        return mine.same_as(above.times(multiplied(self.factors.values(), work), work), work)


def multiplied(factors: Iterable[tuple[Exponential, int]], work: Work) -> Exponential:
    """A product of powers. Raises: TooLarge."""
    found = ONE
    for factor, power in factors:
        found = found.times(factor.power(power, work), work)
    return found


def add_quotients(parts: Sequence[Quotient], work: Work) -> Quotient:
    """The sum, over the least common denominator that the factors show. Raises: TooLarge."""
    if len(parts) == 1:
        return parts[0]
    parts = [part for part in parts if part]
    factors: Factors = {}
    for part in parts:
        for key, (factor, power) in part.factors.items():
            if power > factors.get(key, (factor, 0))[1]:
                factors[key] = (factor, power)
    total = ZERO
    for part in parts:
        missing = [
            (factor, power - part.factors.get(key, (factor, 0))[1])
            for key, (factor, power) in factors.items()
        ]
        total = total.plus(part.numerator.times(multiplied(missing, work), work), work)
    return Quotient(total, factors)
