"""Deciding and optimising in models with parameters: for all their values at once.

The search goes by layers, as with numbers (`search`), with polynomials in place of integers. Proportional
pairs are merged; in a decision about c, pairs with c beta - alpha >= 0 on the box are closed. The values of
a length, a pair of polynomials (a, b) for each node and observation, are bounded together: the largest
ratio that can be found is a lower bound, and c b - a >= 0 for all of them, shown by Bernstein coefficients on
a tree of boxes, an upper one. Where the supremum is rational and is taken at a corner, or where a box has
been cut, both agree, and the loss is exact; otherwise c is raised a little at a time, until all can be shown.

*The supremum of a quotient on a box.* Floats look for it, on a grid and then by descent along the axes; the
place is rounded to the simplest numbers nearby, and to the edge of the box where it is close to it. Suprema
of privacy losses are nearly always at corners, as p comes to 0 or 1, and there the value is exact once the
numerator and the denominator have lost what they have in common.

What was tried: handing the inequalities to Z3 as they come (it gives up on three parameters of degree two),
and expanded (it takes half a second where this takes milliseconds); that is the backend `smt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from bdist.budget import Budget
from bdist.exact.epsilon import Epsilon
from bdist.exact.rationals import simplest_between, to_fmpq
from bdist.pufferfish.certificate import InvariantProof, Tree, WordProof
from bdist.pufferfish.model import Lengths
from bdist.pufferfish.polynomials import (
    Box,
    Cut,
    Element,
    Negative,
    cover_nonnegative,
    least_coefficient,
    plain,
    value_at,
)
from bdist.pufferfish.question import Question
from bdist.pufferfish.search import Exploration, Grown, LayeredSearch, ratio_order
from bdist.pufferfish.vectors import Key, PolynomialPair, reduced, terms

ENDLESS = 20  # observations; degrees grow with every one
MOST_NODES = 20_000
_RAISES = (*(Fraction(1, 2**k) for k in (44, 36, 28, 20, 12, 6, 2)), Fraction(1), Fraction(15))
_FURTHER = tuple(Fraction(4**k) for k in range(3, 16))
_PROBE = 4  # lengths whose losses are found, where all of them are asked for
_MARGINS = (Fraction(0), *(Fraction(1, 2**k) for k in (20, 10, 7, 5, 3, 1)), Fraction(1))
_IMPROVEMENTS = 12
_CLEARLY = Fraction(1, 2**40)

Ratio = Fraction | None


@dataclass(frozen=True)
class Value:
    """A step from a node, and its values without what they have in common."""

    grown: Grown[Element, PolynomialPair]
    above: Element
    below: Element

    def key(self) -> Key:
        """Equal where the ratio is the same function."""
        return terms(self.above), terms(self.below)


Found = tuple[Value, "Place"]  # where its ratio is large


class PolynomialSearch(LayeredSearch[Element, PolynomialPair]):
    """One search through all words, by layers."""

    def __init__(self, question: Question, budget: Budget) -> None:
        super().__init__(question, question.polynomial_model(), budget, MOST_NODES)
        self.box: Box = question.model.box
        self._names = question.model.ring.names
        self._middle = tuple((low + high) / 2 for low, high in self.box)
        self._trees: list[tuple[int, int, str, Tree]] = []
        self._bounds: list[Ratio] = []
        self._words: dict[int, WordProof] = {}
        self._unproved: str | None = None
        self._places: dict[Key, tuple[tuple[int, int], PolynomialPair]] = {}  # of the nodes of all layers
        self._indexed = 0  # of the layers

    def close(self, pair: PolynomialPair, constant: Fraction) -> Fraction | None:
        """The constant, if all coefficients of constant * beta - alpha are at least 0 on the box."""
        if not pair.alpha.keys() <= pair.beta.keys():
            return None
        is_closed = all(
            least_coefficient(pair.beta[state] * to_fmpq(constant) - element, self.box) >= 0
            for state, element in pair.alpha.items()
        )
        return constant if is_closed else None

    def reduce(self, candidates: Sequence[PolynomialPair]) -> tuple[Iterable[int], dict[int, int]]:
        """The first of those that are proportional."""
        first: dict[Key, int] = {}
        merged = {k: first.setdefault(pair.key, k) for k, pair in enumerate(candidates)}
        return first.values(), {k: by for k, by in merged.items() if by != k}

    def earlier(self, candidate: PolynomialPair) -> tuple[tuple[int, int], PolynomialPair] | None:
        """A node of an earlier layer that is proportional."""
        for layer in range(self._indexed, len(self.layers)):
            for position, node in enumerate(self.layers[layer].nodes):
                self._places.setdefault(node.vectors.key, ((layer, position), node.vectors))
        self._indexed = len(self.layers)
        return self._places.get(candidate.key)

    def _values(self, constant: Fraction | None) -> Iterator[tuple[int, list[Value]]]:
        """The values of all words, length by length; pairs are closed with the constant."""
        most = self.question.lengths.most or ENDLESS
        for length, grown in self.follow(most, lambda depth: constant, endless=True):
            yield length, [Value(one, *reduced([one.step.first, one.step.second])) for one in grown]

    def values_by_length(self) -> Iterator[list[Value]]:
        """The values of all words, length by length, each function once; without any proof."""
        for _, values in self._values(None):
            yield _distinct(values)

    def word_at(self, value: Value, point: Sequence[Fraction]) -> WordProof:
        """The word of a value with its ratio at a point inside the box."""
        place = place_at(value.above, value.below, self.box, point)
        return self._word_proof(value, place or Place(tuple(point), Fraction(0), inside=True))

    def decide(self, epsilon: Epsilon) -> Exploration:
        """Look for a word and parameter values above e^epsilon, or prove that there are none."""
        constant = epsilon.alpha_down()
        for length, values in self._values(constant):
            if length < self.question.lengths.least:
                self._bounds.append(None)
                continue
            violation = self._violation(values, constant, epsilon)
            if violation is not None:
                nodes = sum(len(layer.nodes) for layer in self.layers)
                return Exploration(None, {}, None, nodes, violation)
            if self._unproved is not None:
                break
            self._bounds.append(constant)
        return self._exploration()

    def optimise(self) -> Exploration:
        """The loss at each length, from both sides."""
        for length, values in self._values(None):
            counts = length >= self.question.lengths.least
            self._bounds.append(self._loss(values, length) if counts else None)
        return self._exploration()

    def _violation(self, values: Sequence[Value], constant: Fraction, epsilon: Epsilon) -> WordProof | None:
        """A word above e^epsilon with values of the parameters; otherwise trees, or what is not proved."""
        layer = len(self._bounds)
        for value in values:
            if value.below.is_zero():
                return self._at_inner_point(value, self._middle, epsilon)
            cover = self._cover(value, constant)
            if cover is None:
                continue
            if isinstance(cover, Cut):
                self._add_tree(layer, value, cover)
                continue
            near = [cover.point] if isinstance(cover, Negative) else []
            best = best_place(value.above, value.below, self.box)
            for point in near if best is None else [*near, best.point]:
                found = self._at_inner_point(value, point, epsilon)
                if found is not None:
                    return found
            word = f"the word {' '.join(value.grown.path()[1])}, whose ratio comes too close to the bound"
            self._unproved = f"neither proved nor refuted for {word}"
        return None

    def _loss(self, values: Sequence[Value], length: int) -> Ratio:
        """The loss at a length: the best word is noted, and the bound that is proved is returned."""
        distinct = _distinct(values)
        if not distinct:
            return Fraction(0)
        best = self._best(distinct)
        if best is None:
            self._unproved = f"no place was found at which a word of length {length} has a ratio"
            return None
        for _ in range(_IMPROVEMENTS):
            proved, better = self._prove(distinct, best)
            if better is None:
                break
            best = better
        self._words[length] = self._word_proof(*best)
        if proved is None:
            if best[1].ratio is not None and self._unproved is None:
                self._unproved = f"better places were found again and again at length {length}"
            return None
        layer = len(self._bounds)
        for value in values:
            cover = self._cover(value, proved)
            if isinstance(cover, Cut):
                self._add_tree(layer, value, cover)
            elif cover is not None:
                self._unproved = f"no bound is proved at length {length}"
                return None
        return proved

    def _prove(self, values: Sequence[Value], best: Found) -> tuple[Ratio, Found | None]:
        """A bound for all values, as close to the best ratio as can be proved; or a better place."""
        ratio = best[1].ratio
        if ratio is None:
            return None, None
        bound = ratio
        for value in values:
            for raised in (bound, *(ratio * (1 + raise_) for raise_ in _RAISES)):
                if raised < bound:
                    continue
                cover = self._cover(value, raised)
                if isinstance(cover, Negative):
                    better = place_at(value.above, value.below, self.box, cover.point)
                    # where the supremum is irrational, places get better without end
                    enough = ratio * (1 + _CLEARLY)
                    if better is not None and (better.ratio is None or better.ratio > enough):
                        return None, (value, better)
                if cover is None or isinstance(cover, Cut):
                    bound = raised
                    break
            else:
                self._unproved = f"no bound is proved for the word {' '.join(value.grown.path()[1])}"
                return None, None
        return bound, None

    def _best(self, values: Sequence[Value]) -> Found | None:
        found: Found | None = None
        for value in values:
            place: Place | None = Place(self._middle, None, inside=True)
            if not value.below.is_zero():
                place = best_place(value.above, value.below, self.box)
            if place is not None and place.beats(None if found is None else found[1]):
                found = value, place
        return found

    def _at_inner_point(self, value: Value, point: Sequence[Fraction], epsilon: Epsilon) -> WordProof | None:
        """The word with inner values of the parameters, near a point, where its ratio is above e^epsilon."""
        for inner in (self._middle, *inner_points(point, self.box)):
            place = place_at(value.above, value.below, self.box, inner)
            if place is not None and not epsilon.allows(place.ratio):
                return self._word_proof(value, place)
        return None

    def _cover(self, value: Value, constant: Fraction) -> object:
        step = value.grown.step
        return cover_nonnegative(
            step.second * to_fmpq(constant) - step.first, self.box, self.budget.exhausted
        )

    def _add_tree(self, layer: int, value: Value, cover: Cut | None) -> None:
        grown = value.grown
        self._trees.append((layer, grown.position, grown.step.observation, self._tree(cover)))

    def _tree(self, cover: Cut | None) -> Tree:
        if cover is None:
            return None
        return self._names[cover.axis], cover.at, self._tree(cover.below), self._tree(cover.above)

    def _word_proof(self, value: Value, place: Place) -> WordProof:
        toward = None
        if not place.inside:
            sides = zip(self._names, self._middle, place.point, strict=True)
            toward = {name: middle - x for name, middle, x in sides}
        return WordProof(
            *value.grown.path(), place.ratio, dict(zip(self._names, place.point, strict=True)), toward
        )

    def _exploration(self) -> Exploration:
        trees = [tree for tree in self._trees if tree[0] < len(self._bounds)]
        unproved = self._unproved and (self.budget.exhausted() or self._unproved)
        found = self.exploration(self._bounds, self._words, trees, unproved)
        if found.limit is None:
            return found
        least = max((word.ratio for word in self._words.values() if word.ratio), default=Fraction(1))
        return replace(found, invariant=self.root_bound(least))

    def root_bound(self, least: Ratio) -> InvariantProof | None:
        """A c with alpha <= c beta in all roots, which bounds all lengths; None if none of some will do."""
        roots = [root for root in map(self.model.root, self.question.pairs) if self._counts(root)]
        least = least or Fraction(1)
        for raised in (least, *(least * (1 + raise_) for raise_ in (*_RAISES, *_FURTHER))):
            if all(self.close(root, raised) is not None for root in roots):
                return InvariantProof(raised, (), (), ((),) * len(self.question.pairs), ())
        return None


def _distinct(values: Sequence[Value]) -> list[Value]:
    return list({value.key(): value for value in values}.values())


def optimise_polynomials(question: Question, budget: Budget) -> Exploration:
    """The loss at each length; where words of any length count, the largest of all from both sides.

    Then the losses of the first lengths are found, and a bound just above them is tried for all: what it
    closes need not be followed. A word that breaks it is a better one.
    """
    if question.lengths.most is not None:
        return PolynomialSearch(question, budget).optimise()
    first = PolynomialSearch(replace(question, lengths=Lengths(1, _PROBE)), budget).optimise()
    worst = max(first.words.values(), key=lambda word: ratio_order(word.ratio), default=None)
    if worst is None or worst.ratio is None:
        return first if worst is not None else PolynomialSearch(question, budget).optimise()
    found, words = first, dict(first.words)
    for raised in _MARGINS:
        constant = (worst.ratio or Fraction(0)) * (1 + raised)
        found = PolynomialSearch(question, budget).decide(Epsilon(None, constant))
        if found.violation is not None and found.violation.ratio is not None:
            worst = found.violation
            words[len(worst.word)] = worst
        elif found.upper is not None and found.upper.beyond is not None:
            return replace(found, words=words)
        if budget.exhausted():
            break
    limit = budget.exhausted() or found.limit or "no bound of all lengths was found"
    invariant = first.invariant or PolynomialSearch(question, budget).root_bound(worst.ratio)
    return replace(first, words=words, limit=limit, invariant=invariant)


# --- the supremum of a quotient ---


Floats = npt.NDArray[np.float64]

_GRID = {1: 33, 2: 13, 3: 7, 4: 5}
_ROUNDS = 60
_NEAR_EDGE = 1e-4
_SHRINK = 0.7


@dataclass(frozen=True)
class Place:
    """A point of the closed box, and the ratio there, or its limit there; None is an infinite one.

    ``inside`` says whether it is an inner point, where the ratio is attained.
    """

    point: tuple[Fraction, ...]
    ratio: Fraction | None
    inside: bool

    def beats(self, other: Place | None) -> bool:
        """Whether its ratio is larger, or it is as large and attained."""
        if other is None:
            return True
        if self.ratio == other.ratio:
            return self.inside and not other.inside
        return other.ratio is not None and (self.ratio is None or self.ratio > other.ratio)


def best_place(above: Element, below: Element, box: Box) -> Place | None:
    """A place where above/below is large, hopefully its supremum. None where no place was found.

    Requires: both are nowhere negative on the box and have nothing in common; below is not 0.
    """
    found: Place | None = None
    for point in _candidates(above, below, box):
        place = place_at(above, below, box, point)
        if place is not None and place.beats(found):
            found = place
    return found


def place_at(above: Element, below: Element, box: Box, point: Sequence[Fraction]) -> Place | None:
    """The ratio at a point; None where it is 0/0 there."""
    inside = all(low < x < high for x, (low, high) in zip(point, box, strict=True))
    top, bottom = value_at(above, point), value_at(below, point)
    if bottom:
        return Place(tuple(point), top / bottom, inside)
    return Place(tuple(point), None, inside) if top else None


def inner_points(point: Sequence[Fraction], box: Box) -> Iterator[tuple[Fraction, ...]]:
    """Simple inner points that come closer and closer to a point of the closed box."""
    middle = [(low + high) / 2 for low, high in box]
    for k in range(1, 60):
        near = [x + (m - x) / 2**k for x, m in zip(point, middle, strict=True)]
        yield tuple(
            _simple_near(x, (high - low) / 2 ** (k + 4), low, high)
            for x, (low, high) in zip(near, box, strict=True)
        )


def _candidates(above: Element, below: Element, box: Box) -> Iterator[tuple[Fraction, ...]]:
    yield tuple((low + high) / 2 for low, high in box)
    if len(box) <= 8:
        yield from product(*box)
    for approx in _maxima_approx(above, below, box):
        yield _rounded(approx, box, to_edges=True)
        yield _rounded(approx, box, to_edges=False)


def _maxima_approx(above: Element, below: Element, box: Box) -> list[list[float]]:
    """Local maxima of the quotient in floats, from the best points of a grid."""
    lows = np.array([float(low) for low, _ in box])
    widths = np.array([float(high - low) for low, high in box])
    top, bottom = (_evaluated_approx(element, len(box)) for element in (above, below))

    def ratios(points: Floats) -> Floats:
        places = lows + widths * points
        with np.errstate(divide="ignore", invalid="ignore"):
            values = top(places) / bottom(places)
        return np.nan_to_num(values, nan=0.0, posinf=1e300)

    axis = np.linspace(0, 1, _GRID.get(len(box), 3))
    axis[0], axis[-1] = 1e-6, 1 - 1e-6
    grid = np.array(list(product(axis, repeat=len(box))))
    order = np.argsort(ratios(grid))[::-1][:4]
    return [(lows + widths * _ascended_approx(grid[k], ratios)).tolist() for k in order]


def _ascended_approx(start: Floats, ratios: Callable[[Floats], Floats]) -> Floats:
    """Pattern search: a step along every axis, either way; shorter steps when none is better."""
    point, step = start.copy(), 0.25
    moves = np.vstack([np.eye(len(start)), -np.eye(len(start))])
    best = float(ratios(point[None, :])[0])
    for _ in range(_ROUNDS):
        tried = np.clip(point + step * moves, 1e-9, 1 - 1e-9)
        values = ratios(tried)
        k = int(np.argmax(values))
        if values[k] > best:
            best, point = float(values[k]), tried[k]
        else:
            step *= _SHRINK**2
    return point


def _evaluated_approx(element: Element, parameters: int) -> Callable[[Floats], Floats]:
    """A polynomial in floats, on many points at once."""
    found = plain(element).terms
    exponents = np.array([e for e, _ in found], dtype=np.float64).reshape(len(found), parameters)
    values = np.array([_as_float(value) for _, value in found])
    return lambda points: np.asarray(np.prod(points[:, None, :] ** exponents[None, :, :], axis=2) @ values)


def _as_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return 1e300


def _rounded(approx: Sequence[float], box: Box, *, to_edges: bool) -> tuple[Fraction, ...]:
    point = []
    for x, (low, high) in zip(approx, box, strict=True):
        width = high - low
        exact = Fraction(x)
        if to_edges and exact - low < width * Fraction(_NEAR_EDGE):
            point.append(low)
        elif to_edges and high - exact < width * Fraction(_NEAR_EDGE):
            point.append(high)
        else:
            precision = Fraction(1, 10**4) if to_edges else Fraction(1, 10**8)
            point.append(_simple_near(exact, width * precision, low, high))
    return tuple(point)


def _simple_near(x: Fraction, distance: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """The simplest fraction near x and strictly inside the range."""
    left, right = max(x - distance, low), min(x + distance, high)
    if left < 0 < right:
        return Fraction(0)
    sign = -1 if right <= 0 else 1
    ends = sorted((sign * left, sign * right))
    open_ends = {sign * low, sign * high}
    found = simplest_between(*ends, open_low=ends[0] in open_ends, open_high=ends[1] in open_ends)
    return x if found is None else sign * found
