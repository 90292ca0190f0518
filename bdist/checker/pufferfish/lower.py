"""Lower bounds of the loss: single words, and blocks of observations that can be repeated.

*Words.* A word is followed from the root of its pair, observation by observation, and the two values that it
comes to have a quotient. With parameters, the certificate names a point, and where that is on the boundary of
the ranges a direction v into the interior. The ratio along ``at + t v`` is then a quotient of two polynomials
in t, and its limit for t → 0 depends on their lowest terms. The line is put into the model first, so that
all polynomials have the one variable t, or none that counts where the direction is 0. To stay with
integers, every entry is multiplied by the same power of a common denominator of the point and the
direction, which changes no ratio. A certificate may have a word for each length, each a beginning of the
next; what they share is followed once.

*Growth* (SPEC section 3.4): that ratios are unbounded. After a prefix, each round of the block multiplies
what is left of the first side by at least ``up``, and what is left of the second by at most ``down``, which
is less. The certificate names the two vectors that say so: one below the first side, which a round makes
``up`` times as large, at least, and one above the second side. No eigenvalue is computed, and no limit taken.
Where words must occur on both sides, the states that the second side may be in are followed until they
repeat; as there may be many such sets, each is counted as work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from ..core import Rejected
from ..core.limits import Work
from ..core.numbers import brief, common_denominator, least_common_multiple, scaled, size
from ..core.text import shown
from .document import Bound, LowerWord, Repetition
from .model import HiddenModel
from .polynomials import Polynomial, add, longest, multiply
from .systems import E, PolynomialSystem, System, Vector, VectorPair

_K = TypeVar("_K")

_LONGEST_TRAIL = 1_000  # observations of the last word that are remembered


def verify_words(model: HiddenModel, words: Sequence[LowerWord], common: bool, system: System[Any]) -> None:
    """Return if every word has its ratio. Raises: Rejected, TooLarge."""
    last, trail = None, _Trail(system)
    for number, word in enumerate(words):
        place = f"lower[{number}]"
        if word.pair >= len(system.roots):
            raise Rejected("word", f"{place}: there is no pair {word.pair}")
        line = _read_line(model, word, place)
        if line is not None and line != last:
            last, trail = line, _Trail(_along(system, line))
        a, b = map(_lowest_term, trail.value(word.pair, word.word))
        if not a and not b:
            raise Rejected("word", f"{place}: the word does not occur on either side")
        if common and not (a and b):
            raise Rejected(
                "word", f"{place}: the word does not occur on the {'second' if a else 'first'} side"
            )
        ratio = _limit(a, b)
        if ratio != word.ratio:
            found, claimed = ("inf" if x is None else brief(x) for x in (ratio, word.ratio))
            raise Rejected("word", f"{place}: the ratio of the word is {found}, not {claimed}")


_Term = tuple[int, int]  # an exponent of t, and its coefficient


def _lowest_term(value: int | Polynomial) -> _Term | None:
    """The lowest term of a polynomial in t, or of a number; None for 0."""
    if isinstance(value, int):
        return (0, value) if value else None
    return min(((exponent, c) for (exponent,), c in value.items()), default=None)


def _limit(a: _Term | None, b: _Term | None) -> Bound:
    """The limit of a quotient for t → 0, from the lowest terms of both polynomials, of which one is not 0."""
    if a is None:
        return Fraction(0)
    if b is None or a[0] < b[0]:
        return None
    return Fraction(a[1], b[1]) if a[0] == b[0] else Fraction(0)


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


def _read_line(model: HiddenModel, word: LowerWord, place: str) -> _Line | None:
    """The line of a word, which begins in the interior or leads there; None without parameters.

    Raises: Rejected.
    """
    at, toward = word.at, word.toward
    if not model.parameters:
        if at is not None or toward is not None:
            raise Rejected("word", f"{place} names a point, and there are no parameters")
        return None
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


def _along(system: System[Polynomial], line: _Line) -> PolynomialSystem:
    """The model on a line: polynomials in t alone, each kind of them times one positive number."""
    substitution = _Substitution(line, system.work)
    observed, rows = substitution.apply(system.observed), substitution.apply(system.rows)
    return PolynomialSystem(observed, rows, map(substitution.apply, system.roots), system.work)


class _Substitution:
    """A line in place of the parameters, as integers over one denominator."""

    def __init__(self, line: _Line, work: Work) -> None:
        self._work = work
        below = least_common_multiple([x.denominator for point in line for x in point], work)
        self._powers: list[list[Polynomial]] = []  # of each parameter times the denominator, and of that
        for x, v in zip(*line, strict=True):
            work.spend(2, below.bit_length(), size(x) + size(v))
            numbers = (y.numerator * (below // y.denominator) for y in (x, v))
            base: Polynomial = {(exponent,): c for exponent, c in enumerate(numbers) if c}
            self._powers.append([{(0,): 1}, base])
        self._powers.append([{(0,): 1}, {(0,): below}])

    def apply(self, tables: Sequence[Mapping[_K, Polynomial]]) -> list[dict[_K, Polynomial]]:
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
            term: Polynomial = {(0,): c}
            for place, exponent in enumerate((*exponents, highest - sum(exponents))):
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


# --- blocks that can be repeated ---


def verify_growth(
    model: HiddenModel,
    growth: Sequence[Repetition],
    common: bool,
    system: System[Any],
    per_step: Fraction,
) -> None:
    """Return if the ratios of every repetition are unbounded. Raises: Rejected, TooLarge.

    A step of the system, times ``per_step``, is one of the specification.
    """
    for number, repetition in enumerate(growth):
        place = f"growth[{number}]"
        if isinstance(system, PolynomialSystem):
            raise Rejected("growth", f"{place}: there are parameters without values")
        if repetition.pair >= len(system.roots):
            raise Rejected("growth", f"{place}: there is no pair {repetition.pair}")
        _Growth(model, repetition, place, common, system).check(per_step)


class _Growth:
    def __init__(
        self, model: HiddenModel, repetition: Repetition, place: str, common: bool, system: System[int]
    ) -> None:
        self._model, self._repetition, self._place = model, repetition, place
        self._common, self._system = common, system

    def check(self, per_step: Fraction) -> None:
        """The step growth."""
        repetition, system = self._repetition, self._system
        pair = system.roots[repetition.pair]
        for observation in repetition.prefix:
            pair = system.step(pair, observation).child
        if not repetition.up > repetition.down > 0:
            self._fail(
                f"up = {brief(repetition.up)} and down = {brief(repetition.down)} are no bounds of growth"
            )
        below = self._vector("below", repetition.below)
        above = self._vector("above", repetition.above)
        if not below:
            self._fail("below is empty")
        for state in below.keys() - pair.alpha.keys():
            self._fail(f"below names {self._name(state)}, where the first side is 0")
        for state in pair.beta.keys() - above.keys():
            self._fail(f"above does not name {self._name(state)}, where the second side is not 0")
        self._check_rounds(below, above, per_step)
        if not self._occurs(frozenset(below)):
            self._fail("the suffix does not occur after below")
        if self._common:
            self._check_occurs(frozenset(pair.beta))

    def _vector(self, what: str, named: dict[str, Fraction]) -> Vector[int]:
        """A vector of the certificate, times a positive number."""
        for name, value in named.items():
            if name not in self._model.numbers:
                self._fail(f"{what} names {shown(name)}, not a state of the model")
            if value <= 0:
                self._fail(f"{what} is {brief(value)} in {shown(name)}, and must be positive")
        numbers = {self._model.numbers[name]: value for name, value in named.items()}
        return scaled(numbers, common_denominator(numbers.values(), self._system.work))

    def _check_rounds(self, below: Vector[int], above: Vector[int], per_step: Fraction) -> None:
        """That a round makes the one at least ``up`` times as large, and the other at most ``down`` times."""
        work, length = self._system.work, len(self._repetition.block)
        work.reduce(length * size(per_step))
        p, q = (per_step**length).as_integer_ratio()
        up, over = self._repetition.up.as_integer_ratio()
        after = self._round(below)
        bits = max(p, q, up, over, *after.values()).bit_length()
        work.spend(4 * len(below), bits, bits)
        for state, x in below.items():
            if after.get(state, 0) * p * over < up * x * q:
                self._fail(f"below in {self._name(state)}: a round makes it less than up times as large")
        down, over = self._repetition.down.as_integer_ratio()
        after = self._round(above)
        bits = max(p, q, down, over, *after.values(), *above.values()).bit_length()
        work.spend(4 * len(after), bits, bits)
        for state, x in after.items():
            if x * p * over > down * above.get(state, 0) * q:
                self._fail(f"above in {self._name(state)}: a round makes it more than down times as large")

    def _round(self, vector: Vector[int]) -> Vector[int]:
        for observation in self._repetition.block:
            vector = self._system.moved(self._system.seen(vector, observation))
        return vector

    # --- which words occur, from the states alone ---

    def _check_occurs(self, states: frozenset[int]) -> None:
        """That the word occurs on the second side after any number of rounds."""
        before: set[frozenset[int]] = set()
        while states not in before:
            self._system.work.keep(1 + len(states), 0)
            before.add(states)
            if not self._occurs(states):
                rounds = f"after {len(before) - 1} rounds" if len(before) > 1 else "before the first round"
                self._fail(f"the suffix does not occur on the second side {rounds}")
            states = self._after(states, self._repetition.block)

    def _occurs(self, states: frozenset[int]) -> bool:
        *beginning, last = self._repetition.suffix
        return any(last in self._system.observed[state] for state in self._after(states, beginning))

    def _after(self, states: frozenset[int], word: Sequence[str]) -> frozenset[int]:
        """The states in which a run may be that has shown a word."""
        observed, rows = self._system.observed, self._system.rows
        for observation in word:
            showing = [state for state in states if observation in observed[state]]
            self._system.work.spend(1 + len(states) + sum(len(rows[state]) for state in showing))
            states = frozenset(target for state in showing for target in rows[state])
        self._system.work.spend(1 + len(states))
        return states

    def _name(self, state: int) -> str:
        return shown(self._model.states[state].name)

    def _fail(self, problem: str) -> NoReturn:
        raise Rejected("growth", f"{self._place}: {problem}")
