"""Lower bounds of the loss, each by a word: its ratio, at a point or in the limit towards one.

A word is followed from the root of its pair, observation by observation, and the two values that it comes
to have a quotient. With parameters, the certificate names a point, and where that is on the boundary of the
ranges a direction v into the interior. The ratio along ``at + t v`` is then a quotient of two polynomials
in t, and its limit for t → 0 depends on their lowest terms. The line is put into the model first, so that
all polynomials have the one variable t, or none that counts where the direction is 0. To stay with
integers, every entry is multiplied by the same power of a common denominator of the point and the
direction, which changes no ratio.

A certificate may have a word for each length, each a beginning of the next; what they share is followed
once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Generic, NamedTuple, TypeVar

from ..core.digits import brief, size
from ..core.limits import Work
from ..core.steps import Rejected
from ..core.vectors import least_common_multiple
from .document import Bound, LowerWord
from .model import HiddenModel
from .polynomials import Polynomial, add, longest, multiply
from .systems import E, NumberSystem, PolynomialSystem, System, VectorPair

_K = TypeVar("_K")

_LONGEST_TRAIL = 1_000  # observations of the last word that are remembered


class _Term(NamedTuple):
    """The lowest term of a polynomial in t."""

    exponent: int
    coefficient: int


def verify_words(
    model: HiddenModel, words: Sequence[LowerWord], common: bool, system: NumberSystem | PolynomialSystem
) -> None:
    """Return if every word has its ratio. Raises: Rejected, TooLarge."""
    for number, word in enumerate(words):
        if word.pair >= len(system.roots):
            raise Rejected("word", f"lower[{number}]: there is no pair {word.pair}")
    if isinstance(system, NumberSystem):
        _verify_numbers(words, common, system)
    else:
        _verify_on_lines(model, words, common, system)


def _verify_numbers(words: Sequence[LowerWord], common: bool, system: NumberSystem) -> None:
    trail = _Trail(system)
    for number, word in enumerate(words):
        place = f"lower[{number}]"
        if word.at is not None or word.toward is not None:
            raise Rejected("word", f"{place} names a point, and there are no parameters")
        a, b = (_Term(0, x) if x else None for x in trail.value(word.pair, word.word))
        _check_ratio(word, place, common, a, b)


def _verify_on_lines(
    model: HiddenModel, words: Sequence[LowerWord], common: bool, system: PolynomialSystem
) -> None:
    last, trail = None, _Trail(system)
    for number, word in enumerate(words):
        place = f"lower[{number}]"
        line = _read_line(model, word, place)
        if line != last:
            last, trail = line, _Trail(_along(system, line))
        a, b = map(_lowest, trail.value(word.pair, word.word))
        _check_ratio(word, place, common, a, b)


def _check_ratio(word: LowerWord, place: str, common: bool, a: _Term | None, b: _Term | None) -> None:
    """That the limit of a quotient is the ratio, from the lowest terms of both polynomials."""
    if a is None and b is None:
        raise Rejected("word", f"{place}: the word does not occur on either side")
    if common and (a is None or b is None):
        side = "first" if a is None else "second"
        raise Rejected("word", f"{place}: the word does not occur on the {side} side")
    ratio: Bound = Fraction(0)
    if a is not None:
        if b is None or a.exponent < b.exponent:
            ratio = None
        elif a.exponent == b.exponent:
            ratio = Fraction(a.coefficient, b.coefficient)
    if ratio != word.ratio:
        found, claimed = ("inf" if x is None else brief(x) for x in (ratio, word.ratio))
        raise Rejected("word", f"{place}: the ratio of the word is {found}, not {claimed}")


def _lowest(polynomial: Polynomial) -> _Term | None:
    if not polynomial:
        return None
    lowest = min(polynomial)
    return _Term(lowest[0], polynomial[lowest])


class _Trail(Generic[E]):
    """The vector pairs along the word that was followed last, as far as they are remembered."""

    def __init__(self, system: System[E]) -> None:
        self._system = system
        self._root = -1
        self._word: list[str] = []
        self._pairs: list[VectorPair[E]] = []  # after each observation

    def value(self, root: int, word: Sequence[str]) -> tuple[E, E]:
        """The value of a word that is not empty, from the root of a pair. Raises: TooLarge."""
        system, known = self._system, self._shared(root, word[:-1])
        pair = self._pairs[known - 1] if known else system.roots[root]
        for observation in word[known:-1]:
            pair = system.step(pair, observation).child
            if len(self._pairs) < _LONGEST_TRAIL:
                system.work.keep(*system.extent(pair))
                self._word.append(observation)
                self._pairs.append(pair)
        step = system.step(pair, word[-1], with_child=False)
        return step.a, step.b

    def _shared(self, root: int, word: Sequence[str]) -> int:
        """How many observations are those of the last word; what came after them is forgotten."""
        known = 0
        if root == self._root:
            while known < min(len(word), len(self._word)) and word[known] == self._word[known]:
                known += 1
        for pair in self._pairs[known:]:
            self._system.work.release(*self._system.extent(pair))
        del self._word[known:], self._pairs[known:]
        self._root = root
        return known


# --- lines ---


class _Line(NamedTuple):
    """The points ``at + t toward``, in the order of the parameters."""

    at: tuple[Fraction, ...]
    toward: tuple[Fraction, ...]


def _read_line(model: HiddenModel, word: LowerWord, place: str) -> _Line:
    """The line of a word, which begins in the interior or leads there. Raises: Rejected."""
    at, toward = word.at, word.toward
    if at is None:
        raise Rejected("word", f"{place} names no point, and there are parameters")
    names = [parameter.name for parameter in model.parameters]
    for point in (at, toward):
        if point is not None and point.keys() != set(names):
            raise Rejected("word", f"{place}: a point does not have a value for each parameter, and no other")
    for name, low, high in model.parameters:
        where = f"{place}: {name} = {brief(at[name])}"
        if not low <= at[name] <= high:
            raise Rejected("word", f"{where} is outside of its range")
        if low < at[name] < high:
            continue
        if toward is None:
            raise Rejected("word", f"{where} is an end of its range, and toward is null")
        if toward[name] == 0 or (toward[name] > 0) != (at[name] == low):
            raise Rejected("word", f"{where} is an end of its range, and toward does not lead inside")
    direction = toward or dict.fromkeys(names, Fraction(0))
    return _Line(tuple(at[name] for name in names), tuple(direction[name] for name in names))


def _along(system: PolynomialSystem, line: _Line) -> PolynomialSystem:
    """The model on a line: polynomials in t alone, each kind of them times one positive number."""
    substitution = _Substitution(line, system.work)
    roots = []
    for root in system.roots:
        alpha, beta = substitution.apply(root)
        roots.append(VectorPair(alpha, beta))
    observed, rows = substitution.apply(system.observed), substitution.apply(system.rows)
    return PolynomialSystem(observed, rows, roots, (), system.work)


class _Substitution:
    """A line in place of the parameters, as integers over one denominator."""

    def __init__(self, line: _Line, work: Work) -> None:
        self._work = work
        self._below = least_common_multiple([x.denominator for point in line for x in point], work)
        self._powers: list[list[Polynomial]] = []  # of each parameter, times those of the denominator
        for x, v in zip(*line, strict=True):
            work.spend(2, self._below.bit_length(), size(x) + size(v))
            numbers = (y.numerator * (self._below // y.denominator) for y in (x, v))
            base: Polynomial = {(exponent,): c for exponent, c in enumerate(numbers) if c}
            self._powers.append([{(0,): 1}, base])

    def apply(self, tables: Sequence[dict[_K, Polynomial]]) -> list[dict[_K, Polynomial]]:
        """All entries on the line, times the same positive number, without those that are 0 there."""
        exponents = (sum(e) for table in tables for polynomial in table.values() for e in polynomial)
        highest = max(exponents, default=0)
        found = []
        for table in tables:
            entries = {key: self._on_line(polynomial, highest) for key, polynomial in table.items()}
            found.append({key: polynomial for key, polynomial in entries.items() if polynomial})
        return found

    def _on_line(self, polynomial: Polynomial, highest: int) -> Polynomial:
        total: Polynomial = {}
        for exponents, c in polynomial.items():
            missing = highest - sum(exponents)
            self._work.spend(missing, missing * self._below.bit_length(), self._below.bit_length())
            term: Polynomial = {(0,): c * self._below**missing}
            for place, exponent in enumerate(exponents):
                if exponent:
                    term = multiply(term, self._power(place, exponent), self._work)
            total = add(total, term, self._work)
        return total

    def _power(self, place: int, exponent: int) -> Polynomial:
        known = self._powers[place]
        while len(known) <= exponent:
            known.append(multiply(known[-1], known[1], self._work))
            self._work.keep(len(known[-1]), longest([known[-1]]))
        return known[exponent]
