"""The probabilities of words and their ratios as formulas in the parameters of a model.

A table of a paper says what every observation tells under each secret, as a polynomial or a quotient in the
parameters of the prior. Here the forward algorithm is run with quotients of polynomials, reduced at each
step, and the results are made to look as one would write them: numerator and denominator with integer
coefficients and nothing in common, the denominator positive in the middle of the ranges. With values for all
parameters, or without parameters, the formulas are numbers.

These are equations between functions, for which there is no certificate. Each is compared, at a point inside
of the ranges, with the probability that is computed there from the numbers of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from bdist.errors import InternalError, ParameterError
from bdist.pufferfish.model import HiddenMarkovModel, Pair, Words
from bdist.pufferfish.polynomials import Element, Entry, plain, value_at
from bdist.pufferfish.question import Question
from bdist.pufferfish.vectors import check_word, probabilities
from bdist.report import OneLine

MOST_WORDS = 1_000

Fractional = tuple[Element, Element]


@dataclass(frozen=True, repr=False)
class Formula(OneLine):
    """A quotient of two polynomials with integer coefficients and nothing in common, by its terms."""

    names: tuple[str, ...]
    numerator: tuple[tuple[tuple[int, ...], int], ...]
    denominator: tuple[tuple[tuple[int, ...], int], ...]

    @classmethod
    def number(cls, value: Fraction) -> Formula:
        """One without parameters."""
        return cls((), (((), value.numerator),) if value else (), (((), value.denominator),))

    @classmethod
    def of(cls, fraction: Fractional, model: HiddenMarkovModel) -> Formula:
        """A quotient of two polynomials in the parameters of a model."""
        names, middle = model.ring.names, [(low + high) / 2 for low, high in model.box]
        reduced = _reduced(*fraction)
        above, below = (dict(plain(part).terms) for part in reduced)
        scale = Fraction(
            lcm(*(c.denominator for part in (above, below) for c in part.values())),
            gcd(*(c.numerator for part in (above, below) for c in part.values())),
        )
        if value_at(reduced[1], middle) < 0:
            scale = -scale
        parts = ({e: int(c * scale) for e, c in part.items()} for part in (above, below))
        return cls(names, *map(_ordered, parts))

    @property
    def is_zero(self) -> bool:
        """Whether it is 0."""
        return not self.numerator

    def _essence(self) -> str:
        return str(self)

    def __str__(self) -> str:
        """As a model file would have it."""
        above, below = (self._text(part) for part in (self.numerator, self.denominator))
        if below == "1":
            return above
        if len(self.numerator) > 1:
            above = f"({above})"
        simple = len(self.denominator) == 1 and not any(self.denominator[0][0])
        return f"{above}/{below}" if simple else f"{above}/({below})"

    def _text(self, terms: Sequence[tuple[tuple[int, ...], int]]) -> str:
        text = ""
        for exponents, c in terms:
            powers = [f"{n}^{e}" if e > 1 else n for n, e in zip(self.names, exponents, strict=True) if e]
            factors = [str(abs(c)), *powers] if abs(c) != 1 or not powers else powers
            sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
            text += sign + "*".join(factors)
        return text or "0"

    @property
    def latex(self) -> str:
        """For a paper, in mathematical mode."""
        above, below = (self._latex(part) for part in (self.numerator, self.denominator))
        return above if below == "1" else rf"\frac{{{above}}}{{{below}}}"

    def _latex(self, terms: Sequence[tuple[tuple[int, ...], int]]) -> str:
        text = ""
        for exponents, c in terms:
            powers = "".join(
                _latex_name(n) + (f"^{{{e}}}" if e > 1 else "")
                for n, e in zip(self.names, exponents, strict=True)
                if e
            )
            factor = str(abs(c)) if abs(c) != 1 or not powers else ""
            sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
            text += f"{sign}{factor}{' ' if factor and powers else ''}{powers}"
        return text or "0"


def _ordered(terms: dict[tuple[int, ...], int]) -> tuple[tuple[tuple[int, ...], int], ...]:
    """The largest exponents first, unless that begins with a minus."""
    found = sorted(terms.items(), reverse=True)
    return tuple(reversed(found) if found and found[0][1] < 0 else found)


def _latex_name(name: str) -> str:
    return name if len(name) == 1 else r"\mathit{" + name.replace("_", r"\_") + "}"


@dataclass(frozen=True, repr=False)
class Row(OneLine):
    """A word under a pair: both probabilities and their ratio, which is None where the second one is 0."""

    pair: Pair
    word: tuple[str, ...]
    first: Formula
    second: Formula
    ratio: Formula | None


@dataclass(frozen=True, repr=False)
class Table(OneLine):
    """Words under pairs, each pair in one direction, in the order of observations."""

    question: Question
    rows: tuple[Row, ...]


def tabulate(question: Question, words: Sequence[Sequence[str]] | None = None) -> Table:
    """The formulas of these words, or of all words of the lengths asked for that can be shown.

    Raises: ParameterError where a word has an unknown observation, or all words are too many.
    """
    for word in words or ():
        check_word(question.model, word)
    pairs = [
        pair for number, pair in enumerate(question.pairs) if pair.mirrored not in question.pairs[:number]
    ]
    rows = []
    for pair in pairs:
        for word in _all_words(question, pair) if words is None else map(tuple, words):
            rows.append(_row(question, pair, word))
            if len(rows) > MOST_WORDS:
                raise ParameterError(f"there are more than {MOST_WORDS} words; ask for shorter ones")
    return Table(question, tuple(row for row in rows if not (row.first.is_zero and row.second.is_zero)))


def _row(question: Question, pair: Pair, word: tuple[str, ...]) -> Row:
    model = question.model
    if not question.is_parametric:
        point = question.at or question.any_point()
        first, second = probabilities(model, pair, word, point)
        ratio = Formula.number(first / second) if second else None
        return Row(pair, word, Formula.number(first), Formula.number(second), ratio)
    one, two = (_probability(model, side, pair.prior, word) for side in (pair.first, pair.second))
    _compare(model, pair, word, (one, two))
    quotient = None if two[0].is_zero() else Formula.of((one[0] * two[1], one[1] * two[0]), model)
    return Row(pair, word, Formula.of(one, model), Formula.of(two, model), quotient)


def _compare(model: HiddenMarkovModel, pair: Pair, word: tuple[str, ...], both: Sequence[Fractional]) -> None:
    """At a point, with the probabilities in numbers. Raises: InternalError."""
    for share in (Fraction(3, 7), Fraction(2, 5), Fraction(5, 11)):
        at = {p.name: p.low + (p.high - p.low) * share for p in model.parameters}
        point = [at[name] for name in model.ring.names]
        if any(not value_at(below, point) for _, below in both):
            continue
        try:
            expected = probabilities(model, pair, word, at)
        except ParameterError:  # a denominator of the model, or of a secret, is 0 there
            continue
        if tuple(value_at(above, point) / value_at(below, point) for above, below in both) != expected:
            raise InternalError(f"the formula of the word {' '.join(word)} is not its probability")
        return


def _probability(model: HiddenMarkovModel, side: str, prior: str | None, word: Sequence[str]) -> Fractional:
    """The forward algorithm, in reduced quotients."""
    ring = model.ring
    zero, one = ring.constant(0), ring.constant(1)

    def total(parts: Iterator[Fractional]) -> Fractional:
        above, below = zero, one
        for a, b in parts:
            above, below = _reduced(above * b + a * below, below * b)
        return above, below

    def entry(of: Entry, weight: Fractional) -> Fractional:
        a, b = ring.fraction_of(of)
        return _reduced(a * weight[0], b * weight[1])

    weights: dict[int, Fractional] = {}

    def spread(to: Iterator[tuple[int, Fractional]]) -> dict[int, Fractional]:
        found: dict[int, list[Fractional]] = {}
        for state, weight in to:
            if not weight[0].is_zero():
                found.setdefault(state, []).append(weight)
        return {state: total(iter(parts)) for state, parts in found.items()}

    if prior is None:
        weights = spread((state, entry(e, (one, one))) for state, e in model.start(side))
    else:
        cases = [case for case in model.priors[prior].cases if side in case.secrets]
        above, below = total(ring.fraction_of(case.probability) for case in cases)
        weights = spread((case.state, entry(case.probability, (below, above))) for case in cases)
    for position, observation in enumerate(word):
        if position:
            weights = spread(
                (target, entry(e, weight))
                for state, weight in weights.items()
                for target, e in model.states[state].row or ()
            )
        weights = spread(
            (state, entry(e, weight))
            for state, weight in weights.items()
            for shown, e in model.states[state].observations
            if shown == observation
        )
    return total(iter(weights.values()))


def _reduced(above: Element, below: Element) -> Fractional:
    """The quotient without what both have in common."""
    if above.is_zero():
        return above, below * 0 + 1
    common = above.gcd(below)
    if not common.is_constant():
        above, below = above / common, below / common
    return above, below


def _all_words(question: Question, pair: Pair) -> Iterator[tuple[str, ...]]:
    """Those of the lengths asked for that a side can show, short ones first, by what states are possible."""
    model, lengths = question.model, question.lengths
    if lengths.most is None:
        raise ParameterError("a table of words needs their length; give one")
    sides = [_support(model, side, pair.prior) for side in (pair.first, pair.second)]
    layer: list[tuple[tuple[str, ...], list[set[int]]]] = [((), sides)]
    for length in range(1, lengths.most + 1):
        following = []
        for word, states in layer:
            for observation in model.observations:
                showing = [
                    {s for s in side if any(o == observation for o, _ in model.states[s].observations)}
                    for side in states
                ]
                counts = all(showing) if question.words is Words.COMMON else any(showing)
                if not counts:
                    continue
                if length >= lengths.least:
                    yield (*word, observation)
                after = [{t for s in side for t, _ in model.states[s].row or ()} for side in showing]
                following.append(((*word, observation), after))
        layer = following


def _support(model: HiddenMarkovModel, side: str, prior: str | None) -> set[int]:
    if prior is None:
        return {state for state, _ in model.start(side)}
    return {case.state for case in model.priors[prior].cases if side in case.secrets}
