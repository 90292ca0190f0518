"""Deciding and optimising in models with parameters: for all their values at once.

The search goes by layers, as with numbers (`search`), with polynomials in place of integers. Proportional
pairs are merged; in a decision about c, pairs with c beta - alpha >= 0 on the box are closed. The values of
a length, a pair of polynomials (a, b) for each node and observation, are bounded together: the largest
ratio that can be found (`suprema`) is a lower bound, and c b - a >= 0 for all of them, shown by Bernstein
coefficients on a tree of boxes, an upper one. Where the supremum is rational and is taken at a corner, or
where a box has been cut, both agree, and the loss is exact; otherwise c is raised a little at a time, until
all can be shown.

What was tried: handing the inequalities to Z3 as they come (it gives up on three parameters of degree two),
and expanded (it takes half a second where this takes milliseconds); that is the backend `smt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.exact.bernstein import Box, Cut, Negative, cover_nonnegative, least_coefficient
from bdist.exact.epsilon import Epsilon
from bdist.exact.polynomials import Element
from bdist.exact.rationals import to_fmpq
from bdist.pufferfish.certificate import Tree, WordProof
from bdist.pufferfish.layers import Child, Cover, Exploration, Layer, Node, Trace, unsettled, upper_proof
from bdist.pufferfish.model import Words
from bdist.pufferfish.question import Question
from bdist.pufferfish.suprema import Place, best_place, inner_points, place_at
from bdist.pufferfish.vectors import Key, PolynomialPair, reduced, terms

ENDLESS = 20  # observations; degrees grow with every one
MOST_NODES = 20_000
_RAISES = (*(Fraction(1, 2**k) for k in (44, 36, 28, 20, 12, 6, 2)), Fraction(1), Fraction(15))
_IMPROVEMENTS = 12
_CLEARLY = Fraction(1, 2**40)

Ratio = Fraction | None
PolynomialNode = Node[PolynomialPair]
PolynomialLayer = Layer[PolynomialPair]
PolynomialTrace = Trace[PolynomialPair]


@dataclass(frozen=True)
class Value:
    """The values of one observation at a node, and without what they have in common."""

    node: PolynomialNode
    position: int
    observation: int
    first: Element
    second: Element
    reduced_first: Element
    reduced_second: Element

    def key(self) -> Key:
        """Equal where the ratio is the same function."""
        return terms(self.reduced_first), terms(self.reduced_second)


@dataclass(frozen=True)
class Found:
    """A value and a place where its ratio is large."""

    value: Value
    place: Place


class PolynomialSearch:
    """One search through all words, by layers."""

    def __init__(self, question: Question, budget: Budget) -> None:
        self._question = question
        self._budget = budget
        self._model = question.polynomial_model()
        self.box: Box = question.model.box
        self._names = question.model.ring.names
        self._trees: list[tuple[int, int, str, Tree]] = []
        self._bounds: list[Ratio] = []
        self._words: dict[int, WordProof] = {}
        self._unproved: str | None = None

    def values_by_length(self) -> Iterator[list[Value]]:
        """The values of all words, length by length, each function once; without any proof."""
        trace = PolynomialTrace([self._first_layer(None)])
        for length in range(1, (self._question.lengths.most or ENDLESS) + 1):
            grown = self._grown(trace)
            if grown is None:
                return
            values, children, origins = grown
            yield list({value.key(): value for value in values}.values())
            if self._last(trace, length, children, origins, None):
                return

    def word_at(self, value: Value, point: Sequence[Fraction]) -> WordProof:
        """The word of a value with its ratio at a point inside the box."""
        place = place_at(value.reduced_first, value.reduced_second, self.box, point)
        return self._word_proof(Found(value, place or Place(tuple(point), Fraction(0), inside=True)))

    def decide(self, epsilon: Epsilon) -> Exploration:
        """Look for a word and parameter values above e^epsilon, or prove that there are none."""
        constant = epsilon.alpha_down()
        trace = PolynomialTrace([self._first_layer(constant)])
        for length in range(1, (self._question.lengths.most or ENDLESS) + 1):
            grown = self._grown(trace)
            if grown is None:
                break
            values, children, origins = grown
            if length >= self._question.lengths.least:
                violation = self._violation(values, constant, epsilon)
                if violation is not None:
                    return Exploration(None, {}, None, trace.size(), violation)
                if self._unproved is not None:
                    break
                self._bounds.append(constant)
            else:
                self._bounds.append(None)
            if self._last(trace, length, children, origins, constant):
                break
        return self._exploration(trace)

    def optimise(self) -> Exploration:
        """The loss at each length, from both sides."""
        trace = PolynomialTrace([self._first_layer(None)])
        for length in range(1, (self._question.lengths.most or ENDLESS) + 1):
            grown = self._grown(trace)
            if grown is None:
                break
            values, children, origins = grown
            counts = length >= self._question.lengths.least
            self._bounds.append(self._loss(values, length) if counts else None)
            if self._last(trace, length, children, origins, None):
                break
        return self._exploration(trace)

    def _last(
        self,
        trace: PolynomialTrace,
        length: int,
        children: list[PolynomialPair],
        origins: list[Child],
        constant: Fraction | None,
    ) -> bool:
        """Whether nothing more is to be followed; otherwise there is a next layer."""
        closed = [constant is not None and self._is_closed(pair, constant) for pair in children]
        if all(closed):
            ends = [(origin, constant or Fraction(0)) for origin in origins]
            trace.returns, trace.ends = [], ends
            return True
        if length == (self._question.lengths.most or ENDLESS):
            return True
        trace.layers.append(self._layer(trace.layers[-1], children, origins, constant))
        return False

    def _first_layer(self, constant: Fraction | None) -> PolynomialLayer:
        roots = [(self._model.root(pair), (k, -1)) for k, pair in enumerate(self._question.pairs)]
        every = self._question.words is Words.ALL
        counted = [(root, origin) for root, origin in roots if root.alpha and (root.beta or every)]
        return self._layer(None, [root for root, _ in counted], [origin for _, origin in counted], constant)

    def _layer(
        self,
        before: PolynomialLayer | None,
        children: Sequence[PolynomialPair],
        origins: Sequence[Child],
        constant: Fraction | None,
    ) -> PolynomialLayer:
        layer = PolynomialLayer()
        places: dict[Key, int] = {}
        for pair, origin in zip(children, origins, strict=True):
            if constant is not None and self._is_closed(pair, constant):
                layer.closed.append((origin, constant))
                continue
            place = places.setdefault(pair.key, len(layer.nodes))
            if place < len(layer.nodes):
                layer.covered.append(Cover(origin, pair, place))
                continue
            layer.follow(pair, origin, before)
        return layer

    def _is_closed(self, pair: PolynomialPair, constant: Fraction) -> bool:
        if not pair.alpha.keys() <= pair.beta.keys():
            return False
        return all(
            least_coefficient(pair.beta[state] * to_fmpq(constant) - element, self.box) >= 0
            for state, element in pair.alpha.items()
        )

    def _grown(self, trace: PolynomialTrace) -> tuple[list[Value], list[PolynomialPair], list[Child]] | None:
        """The values one observation further, and the children; None where a limit is reached."""
        values: list[Value] = []
        children: list[PolynomialPair] = []
        origins: list[Child] = []
        common_only = self._question.words is Words.COMMON
        for position, node in enumerate(trace.layers[-1].nodes):
            trace.limit = self._budget.exhausted()
            if trace.limit is None and len(children) > MOST_NODES:
                trace.limit = f"layer {len(trace.layers)} has more than {MOST_NODES} vector pairs"
            if trace.limit is not None:
                return None
            for step in self._model.steps(node.vectors):
                if step.second.is_zero() and common_only:
                    continue
                first, second = reduced([step.first, step.second])
                values.append(Value(node, position, step.observation, step.first, step.second, first, second))
                if step.child.alpha and (step.child.beta or not common_only):
                    children.append(step.child)
                    origins.append((position, step.observation))
        return values, children, origins

    def _violation(self, values: Sequence[Value], constant: Fraction, epsilon: Epsilon) -> WordProof | None:
        """A word above e^epsilon with values of the parameters; otherwise trees, or what is not proved."""
        layer = len(self._bounds)
        for value in values:
            if value.second.is_zero():
                return self._at_inner_point(value, self._middle(), epsilon)
            cover = self._cover(value, constant)
            if cover is None:
                continue
            if isinstance(cover, Cut):
                self._add_tree(layer, value, cover)
                continue
            near = [cover.point] if isinstance(cover, Negative) else []
            best = best_place(value.reduced_first, value.reduced_second, self.box)
            for point in near if best is None else [*near, best.point]:
                found = self._at_inner_point(value, point, epsilon)
                if found is not None:
                    return found
            self._unproved = (
                f"neither proved nor refuted for the word {' '.join(self._word(value))}, "
                "whose ratio comes too close to the bound"
            )
        return None

    def _loss(self, values: Sequence[Value], length: int) -> Ratio:
        """The loss at a length: the best word is noted, and the bound that is proved is returned."""
        distinct = list({value.key(): value for value in values}.values())
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
        self._words[length] = self._word_proof(best)
        if proved is None:
            if best.place.ratio is not None and self._unproved is None:
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
        ratio = best.place.ratio
        if ratio is None:
            return None, None
        bound = ratio
        for value in values:
            for raised in (bound, *(ratio * (1 + raise_) for raise_ in _RAISES)):
                if raised < bound:
                    continue
                cover = self._cover(value, raised)
                if isinstance(cover, Negative):
                    better = self._place_near(value, cover.point)
                    if better is not None and _is_clearly_larger(better.place.ratio, ratio):
                        return None, better
                if cover is None or isinstance(cover, Cut):
                    bound = raised
                    break
            else:
                self._unproved = f"no bound is proved for the word {' '.join(self._word(value))}"
                return None, None
        return bound, None

    def _best(self, values: Sequence[Value]) -> Found | None:
        found: Found | None = None
        for value in values:
            place: Place | None
            if value.second.is_zero():
                place = Place(self._middle(), None, inside=True)
            else:
                place = best_place(value.reduced_first, value.reduced_second, self.box)
            if place is not None and place.beats(None if found is None else found.place):
                found = Found(value, place)
        return found

    def _place_near(self, value: Value, point: Sequence[Fraction]) -> Found | None:
        place = place_at(value.reduced_first, value.reduced_second, self.box, point)
        return None if place is None else Found(value, place)

    def _at_inner_point(self, value: Value, point: Sequence[Fraction], epsilon: Epsilon) -> WordProof | None:
        """The word with inner values of the parameters, near a point, where its ratio is above e^epsilon."""
        for inner in (self._middle(), *inner_points(point, self.box)):
            place = place_at(value.reduced_first, value.reduced_second, self.box, inner)
            if place is not None and not epsilon.allows(place.ratio):
                return self._word_proof(Found(value, place))
        return None

    def _cover(self, value: Value, constant: Fraction) -> object:
        difference = value.second * to_fmpq(constant) - value.first
        return cover_nonnegative(difference, self.box, self._budget.exhausted)

    def _add_tree(self, layer: int, value: Value, cover: Cut | None) -> None:
        observation = self._question.model.observations[value.observation]
        self._trees.append((layer, value.position, observation, self._tree(cover)))

    def _tree(self, cover: Cut | None) -> Tree:
        if cover is None:
            return None
        return self._names[cover.axis], cover.at, self._tree(cover.below), self._tree(cover.above)

    def _word(self, value: Value) -> tuple[str, ...]:
        observations = self._question.model.observations
        return tuple(observations[o] for o in (*value.node.word(), value.observation))

    def _word_proof(self, found: Found) -> WordProof:
        point = dict(zip(self._names, found.place.point, strict=True))
        toward = None
        if not found.place.inside:
            middle = dict(zip(self._names, self._middle(), strict=True))
            toward = {name: middle[name] - x for name, x in point.items()}
        word = self._word(found.value)
        return WordProof(found.value.node.root, word, found.place.ratio, point, toward)

    def _middle(self) -> tuple[Fraction, ...]:
        return tuple((low + high) / 2 for low, high in self.box)

    def _exploration(self, trace: PolynomialTrace) -> Exploration:
        trees = [tree for tree in self._trees if tree[0] < len(self._bounds)]
        upper = upper_proof(trace, self._question.model.observations, self._bounds, trees)
        limit = trace.limit
        if self._unproved is not None:
            limit = self._budget.exhausted() or self._unproved
        if limit is None and self._question.lengths.most is None:
            limit = unsettled(upper)
        return Exploration(upper, self._words, limit, trace.size())


def _is_clearly_larger(ratio: Ratio, than: Fraction) -> bool:
    """Whether it is worth to begin again: where the supremum is irrational, places get better without end."""
    return ratio is None or ratio > than * (1 + _CLEARLY)
