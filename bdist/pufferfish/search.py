"""The search through all words, layer by layer.

The vector pairs of all words of length d are layer d. Words are never enumerated: pairs that agree up to a
factor are one (*merged*), a pair that another dominates is *covered* by it, and a pair with alpha <= c beta
is *closed*, since no continuation has a ratio above c. All pairs of initial distributions that are compared
start in layer 0 together and may cover each other, so that asking for 42 of them costs little more than
one.

A search that follows numbers and one that follows polynomials (`parametric_search`) differ in how a vector
pair is closed and covered; how layers follow each other, and what they leave behind for the certificate and
the checker, is the same (`LayeredSearch`). The rest of this file is about numbers: models without parameters,
or with values for them.

*Which c closes a pair* depends on the question. Deciding whether the loss is at most c closes with that c,
and stops at the first word above it. Optimising wants the loss of every length, and may close a pair only
with what is lost at every later length anyway. Where words of any length are asked for, one bound for all of
them is wanted, and `bdist.pufferfish.invariant` looks for it; here is what is proved length by length.

*Which pairs are kept.* Of the candidates of a layer, one that is dominated by another
(`bdist.pufferfish.vectors`) need not be followed. What is kept is found in two passes. Candidates come in
the order of their ratios so far, and each is dropped if a kept one dominates it; then the kept ones are
looked at from the weakest on, as a later one may dominate an earlier one. Domination is transitive, so
whoever is dropped points in the end at one that is kept. A layer may have thousands of candidates, and
comparing each with each in exact arithmetic would be the whole cost of the search. So floats propose: the
vectors are arrays, and one line of NumPy finds those of the kept that seem to dominate a candidate; integers
then decide. A float that underflows only hides a domination. Combinations of kept pairs could answer for
more (a linear program for each candidate), as they do where one c is enough for all lengths; within a layer
they were tried, and on the models at hand nearly nothing more is dropped.

*Beam search.* In most models where all words count, the vector pairs are soon such that alpha <= c beta for a
c that is not above the loss that other words have already shown. For that the search must know, before it has
come there, what is lost at every later length. A beam search finds out: of each layer it follows only a few
vector pairs, half of them with the largest ratio so far, half of them with the largest entry
alpha(s)/beta(s), which is what the ratio could still become. Its ratios are exact, but they need not be the
largest. Where the two sides of a pair never share a state nothing can be closed, and there is no use for it.

Every bound that the search finds is exact, and is attained: what is kept are pairs of real words.

*Beyond.* With parameters without values, words of any length are settled here: if in the end nothing is left
that would have to be followed, because all is closed, or because every pair is covered by one that was met at
an earlier length, then the bounds hold for words of every length.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Generic

import numpy as np
import numpy.typing as npt

from bdist.budget import Budget
from bdist.exact.epsilon import Epsilon
from bdist.pufferfish.certificate import ChildName, InvariantProof, LayerProof, Tree, UpperProof, WordProof
from bdist.pufferfish.invariant import Invariants
from bdist.pufferfish.model import Words
from bdist.pufferfish.question import Question
from bdist.pufferfish.vectors import (
    ClearedModel,
    E,
    NumberModel,
    P,
    Step,
    Vector,
    VectorPair,
    dominates,
    largest_quotient,
)

# --- layers ---


Candidates = list[tuple[ChildName, P]]
Closing = Callable[[int], Fraction | None]


@dataclass(frozen=True)
class Node(Generic[P]):
    """A vector pair that is followed, and the word that leads to it: the node before, and an observation."""

    vectors: P
    parent: Node[P] | None
    position: int  # of the node before; that of the pair where there is none
    observation: str = ""

    @property
    def child(self) -> ChildName:
        """As a certificate names it."""
        return self.position if self.parent is None else (self.position, self.observation)

    def path(self) -> tuple[int, tuple[str, ...]]:
        """The position of the pair with which its word begins, and the word."""
        backwards: list[str] = []
        node: Node[P] = self
        while node.parent is not None:
            backwards.append(node.observation)
            node = node.parent
        return node.position, tuple(reversed(backwards))


@dataclass(frozen=True, slots=True)
class Grown(Generic[E, P]):
    """A node, by its position, and one step from it that counts."""

    position: int
    node: Node[P]
    step: Step[E, P]

    def path(self) -> tuple[int, tuple[str, ...]]:
        """The position of the pair with which its word begins, and the word."""
        pair, word = self.node.path()
        return pair, (*word, self.step.observation)


@dataclass
class Layer(Generic[P]):
    """What became of the children of the layer before: followed, covered by a node, closed.

    A cover has the factor by which the node covers the child, where a certificate needs it.
    """

    nodes: list[Node[P]] = field(default_factory=list)
    covered: list[tuple[ChildName, int | tuple[int, int], Fraction | None]] = field(default_factory=list)
    closed: list[tuple[ChildName, Fraction]] = field(default_factory=list)

    def proof(self) -> LayerProof:
        """As a certificate has it."""
        return LayerProof(tuple(node.child for node in self.nodes), tuple(self.covered), tuple(self.closed))


@dataclass(frozen=True)
class Exploration:
    """Bounds for the lengths 1, 2, ... with their proof, and for some lengths the best word that was found.

    ``invariant`` bounds all lengths at once. ``violation`` is a word whose ratio is too large, where a search
    was asked to look for one.
    """

    upper: UpperProof | None
    words: Mapping[int, WordProof]
    limit: str | None
    nodes: int
    violation: WordProof | None = None
    invariant: InvariantProof | None = None


class LayeredSearch(ABC, Generic[E, P]):
    """All layers so far. ``limit`` says why the search ended before the last length, if it did.

    ``end`` closes the last layer, where something does: its children that a node of an earlier layer covers,
    named by layer and position, and those that are closed.
    """

    def __init__(
        self, question: Question, model: ClearedModel[E, P], budget: Budget, most_nodes: int
    ) -> None:
        self.question, self.budget = question, budget
        self.model: ClearedModel[E, P] = model
        self.layers: list[Layer[P]] = []
        self.end: Layer[P] | None = None
        self.limit: str | None = None
        self._most_nodes = most_nodes

    @abstractmethod
    def close(self, pair: P, constant: Fraction) -> Fraction | None:
        """A constant, at most the given one, with which the pair is closed; None where it is not."""

    @abstractmethod
    def reduce(self, candidates: Sequence[P]) -> tuple[Iterable[int], dict[int, int]]:
        """The positions of those to keep, in order, and for each other one the position that covers it."""

    def factor(self, covered: P, by: P) -> Fraction | None:
        """The lambda with which a pair covers another, where a certificate needs it."""
        return None

    def earlier(self, candidate: P) -> tuple[tuple[int, int], P] | None:
        """A node of an earlier layer that covers a candidate, with its place."""
        return None  # in numbers, where words of any length are settled in another way

    def follow(self, most: int, closing: Closing, endless: bool) -> Iterator[tuple[int, list[Grown[E, P]]]]:
        """Each length up to the last one with all steps that lead to it; the next layer follows from these.

        ``closing`` gives for a depth the constant with which a pair there may be closed. With ``endless`` the
        search also ends where nothing new can come.
        """
        roots: Candidates[P] = [(k, self.model.root(pair)) for k, pair in enumerate(self.question.pairs)]
        self.layers = [self._covered(*self._closed(roots, closing(0)))]
        for length in range(1, most + 1):
            grown = self._grown()
            if grown is None:
                return
            yield length, grown
            children: Candidates[P] = [
                ((one.position, one.step.observation), one.step.child) for one in grown
            ]
            layer, left = self._closed(children, closing(length))
            if length == most or endless:
                self.end = self._returned(layer, left)
                if length == most or self.end is not None:
                    return
            self.layers.append(self._covered(layer, left))

    def _counts(self, pair: P) -> bool:
        return bool(pair.alpha) and (bool(pair.beta) or self.question.words is Words.ALL)

    def _grown(self) -> list[Grown[E, P]] | None:
        """All steps that count from the last layer; None where a limit is reached."""
        found: list[Grown[E, P]] = []
        children = 0
        for position, node in enumerate(self.layers[-1].nodes):
            self.limit = self.budget.exhausted()
            if self.limit is None and children > self._most_nodes:
                self.limit = f"layer {len(self.layers)} has more than {self._most_nodes} vector pairs"
            if self.limit is not None:
                return None
            for step in counted_steps(self.model, node, self.question.words):
                children += self._counts(step.child)
                found.append(Grown(position, node, step))
        return found

    def _closed(self, children: Candidates[P], constant: Fraction | None) -> tuple[Layer[P], Candidates[P]]:
        """A layer with those children that can be closed, and the others that count."""
        layer: Layer[P] = Layer()
        left: Candidates[P] = []
        for child, pair in children:
            if not self._counts(pair):
                continue
            closed = None if constant is None else self.close(pair, constant)
            if closed is None:
                left.append((child, pair))
            else:
                layer.closed.append((child, closed))
        return layer, left

    def _covered(self, layer: Layer[P], left: Candidates[P]) -> Layer[P]:
        """The layer with what is left: nodes, and what they cover."""
        kept, covered_by = self.reduce([pair for _, pair in left])
        place: dict[int, int] = {}
        for position in kept:
            place[position] = len(layer.nodes)
            child, pair = left[position]
            if isinstance(child, int):
                layer.nodes.append(Node(pair, None, child))
            else:
                layer.nodes.append(Node(pair, self.layers[-1].nodes[child[0]], *child))
        for position, by in covered_by.items():
            child, pair = left[position]
            layer.covered.append((child, place[by], self.factor(pair, left[by][1])))
        return layer

    def _returned(self, layer: Layer[P], left: Candidates[P]) -> Layer[P] | None:
        """The layer with what is left, all of it covered by nodes of earlier layers; None if it is not."""
        covered: list[tuple[ChildName, int | tuple[int, int], Fraction | None]] = []
        for child, pair in left:
            found = self.earlier(pair)
            if found is None:
                return None
            place, by = found
            covered.append((child, place, self.factor(pair, by)))
        return Layer([], covered, layer.closed)

    # --- in the words of a certificate ---

    def exploration(
        self,
        bounds: Sequence[Fraction | None],
        words: Mapping[int, WordProof],
        trees: Sequence[tuple[int, int, str, Tree]] = (),
        unproved: str | None = None,
    ) -> Exploration:
        """What was found. Without a last length, an end that settles nothing is a limit as well."""
        upper = self._upper(bounds, trees) if bounds else None
        limit = unproved or self.limit
        if limit is None and self.question.lengths.most is None and (upper is None or upper.beyond is None):
            limit = f"words of up to {len(bounds)} observations do not settle those of any length"
        return Exploration(upper, words, limit, sum(len(layer.nodes) for layer in self.layers))

    def _upper(
        self, bounds: Sequence[Fraction | None], trees: Sequence[tuple[int, int, str, Tree]]
    ) -> UpperProof:
        """The bounds for the lengths 1, 2, ..., and for all further ones where the last layer is closed.

        What bounds those is what was closed, and the bounds of the lengths to which the last layer returns.
        """
        layers, beyond = self.layers[: len(bounds)], None
        if self.end is not None:
            places = [by for _, by, _ in self.end.covered if isinstance(by, tuple)]
            further = bounds[min((layer for layer, _ in places), default=len(bounds)) :]
            closed = [constant for layer in (*self.layers, self.end) for _, constant in layer.closed]
            if None not in further:
                layers.append(self.end)
                beyond = max([*closed, *filter(None, further)], default=Fraction(0))
        return UpperProof(tuple(bounds), beyond, tuple(layer.proof() for layer in layers), tuple(trees))


def ratio_order(ratio: Fraction | None) -> tuple[int, Fraction]:
    """What sorts ratios; an infinite one is the largest."""
    return (1, Fraction(0)) if ratio is None else (0, ratio)


def counted_steps(model: ClearedModel[E, P], node: Node[P], words: Words) -> Iterator[Step[E, P]]:
    """The steps from a node that count."""
    return (step for step in model.steps(node.vectors) if words is Words.ALL or step.second)


# --- layers in numbers ---


MOST_NODES = 200_000  # of one layer; beyond it a search has lost its way

NumberNode = Node[VectorPair]


@dataclass(frozen=True, slots=True)
class Best:
    """The largest ratio at one length (None where it is infinite) and its word; no node where none counts."""

    ratio: Fraction | None = Fraction(0)
    node: NumberNode | None = None
    observation: str = ""

    def beats(self, other: Best) -> bool:
        """Whether its ratio is larger."""
        if other.ratio is None:
            return False
        return self.ratio is None or self.ratio > other.ratio


def _largest(steps: Iterable[tuple[NumberNode, Step[int, VectorPair]]]) -> Best:
    """The first of the largest ratios; quotients are made for the result alone."""
    above, below, best = 0, 1, Best()
    for node, step in steps:
        if step.first * below > above * step.second:
            above, below = step.first, step.second
            best = Best(None, node, step.observation)
    return replace(best, ratio=Fraction(above, below)) if below else best


class NumberSearch(LayeredSearch[int, VectorPair]):
    """Layers of vector pairs of integers, with the largest ratio at each length."""

    def __init__(
        self, question: Question, cleared: NumberModel, budget: Budget, most_nodes: int = MOST_NODES
    ) -> None:
        super().__init__(question, cleared, budget, most_nodes)
        self.best: list[Best] = []

    def run(
        self,
        most: int,
        closing: Closing = lambda depth: None,
        enough: Callable[[int, Best], bool] = lambda length, best: False,
    ) -> None:
        """Follow all words up to a length, or until ``enough`` says so of a length and its best word."""
        for length, grown in self.follow(most, closing, endless=False):
            self.best.append(_largest((g.node, g.step) for g in grown))
            if enough(length, self.best[-1]):
                return

    def close(self, pair: VectorPair, constant: Fraction) -> Fraction | None:
        """The least c with alpha <= c beta, if that is not above the constant given."""
        found = largest_quotient(pair.alpha, pair.beta)
        if found is None or found[0] * constant.denominator > constant.numerator * found[1]:
            return None
        return Fraction(*found)

    def reduce(self, candidates: Sequence[VectorPair]) -> tuple[Iterable[int], dict[int, int]]:
        """Those that no other one dominates."""
        return reduce_layer(candidates, self.question.words)

    def factor(self, covered: VectorPair, by: VectorPair) -> Fraction | None:
        """The least lambda; the checker wants it where it has polynomials, all of them constant."""
        if not self.question.has_free_parameters:
            return None
        return Fraction(*(largest_quotient(covered.alpha, by.alpha) or (0, 1)))

    def found(self, incumbents: Sequence[Best] = ()) -> Exploration:
        """What was found, where other words were known before."""
        best = [
            incumbents[k] if k < len(incumbents) and incumbents[k].beats(one) else one
            for k, one in enumerate(self.best)
        ]
        return self.exploration(self._bounds(best), self.word_proofs(best))

    def word_proofs(self, best: Sequence[Best]) -> dict[int, WordProof]:
        """The words of the lengths 1, 2, ... where there are any."""
        found = {}
        for length, one in enumerate(best, start=1):
            if one.node is not None:
                pair, word = one.node.path()
                at = self.question.any_point()
                found[length] = WordProof(pair, (*word, one.observation), one.ratio, at)
        return found

    def _bounds(self, best: Sequence[Best]) -> list[Fraction | None]:
        """For each length its best ratio, or what was closed before it, if that is more."""
        bounds: list[Fraction | None] = []
        closed = Fraction(0)
        for one, layer in zip(best, self.layers, strict=False):
            closed = max([closed, *(constant for _, constant in layer.closed)])
            bounds.append(None if one.ratio is None else max(one.ratio, closed))
        return bounds


# --- which pairs are kept ---


Floats = npt.NDArray[np.float64]

_SLACK = 1 + 1e-9
_FIRST_LOOK = 64


def reduce_layer(candidates: Sequence[VectorPair], words: Words) -> tuple[list[int], dict[int, int]]:
    """Keep candidates such that every other one is dominated by one that is kept.

    Where only common words count, one covers another only if their second sides are nonzero in the same
    states: SPEC section 4 says why.
    """
    covered_by: dict[int, int] = {}
    first_of: dict[object, int] = {}
    groups: dict[object, list[int]] = {}
    for position, pair in enumerate(candidates):
        twin = first_of.setdefault(pair.key, position)
        if twin != position:
            covered_by[position] = twin
            continue
        group = frozenset(pair.beta) if words is Words.COMMON else None
        groups.setdefault(group, []).append(position)
    kept: list[int] = []
    for members in groups.values():
        kept += _reduce_group(candidates, members, covered_by)
    for position in list(covered_by):
        last = covered_by[position]
        while last in covered_by:
            last = covered_by[last]
        covered_by[position] = last
    return sorted(kept), covered_by


def _reduce_group(
    candidates: Sequence[VectorPair], members: list[int], covered_by: dict[int, int]
) -> list[int]:
    if len(members) == 1:
        return members
    ordered = sorted(members, key=lambda position: _rank_approx(candidates[position]), reverse=True)
    floats = _FloatPairs([candidates[position] for position in ordered])
    alive = _Kept(floats)
    for number, position in enumerate(ordered):
        by = alive.dominator(number)
        if by is None:
            alive.add(number)
        else:
            covered_by[position] = ordered[by]
    strong = _Kept(floats)
    for number in reversed(alive.numbers):
        by = strong.dominator(number)
        if by is None:
            strong.add(number)
        else:
            covered_by[ordered[number]] = ordered[by]
    return [ordered[number] for number in strong.numbers]


def _rank_approx(pair: VectorPair) -> float:
    return _quotient_approx(sum(pair.alpha.values()), sum(pair.beta.values()))


def _quotient_approx(above: int, below: int) -> float:
    try:
        return above / below
    except (OverflowError, ZeroDivisionError):
        return float("inf")


class _FloatPairs:
    """Pairs of one group as floats, over their largest entries, and as integers."""

    def __init__(self, pairs: list[VectorPair]) -> None:
        self.pairs = pairs
        largest = [max((*pair.alpha.values(), *pair.beta.values())) for pair in pairs]
        self.alpha = _as_floats([pair.alpha for pair in pairs], largest)
        self.beta = _as_floats([pair.beta for pair in pairs], largest)
        with np.errstate(divide="ignore", over="ignore"):
            self.inverse = 1 / self.alpha  # infinite where alpha is 0


class _Kept:
    """Those of the pairs that are kept, in rows side by side, so that one pair is compared with all at once.

    The first of them are the most likely to dominate, so they are looked at alone first.
    """

    def __init__(self, floats: _FloatPairs) -> None:
        self.numbers: list[int] = []
        self._floats = floats
        self._inverse = np.empty_like(floats.inverse)
        self._beta = np.empty_like(floats.beta)

    def add(self, number: int) -> None:
        """Keep a pair."""
        row = len(self.numbers)
        self._inverse[row], self._beta[row] = self._floats.inverse[number], self._floats.beta[number]
        self.numbers.append(number)

    def dominator(self, number: int) -> int | None:
        """One of those kept that dominates the pair of that number, or None."""
        alpha, bound = self._floats.alpha[number], self._floats.beta[number] * _SLACK
        there = np.flatnonzero(alpha)
        start, end = 0, _FIRST_LOOK
        while start < len(self.numbers):
            inverse, beta = self._inverse[start : min(end, len(self.numbers))], self._beta
            least = (alpha[there] * inverse[:, there]).max(axis=1, initial=0)
            with np.errstate(invalid="ignore"):  # infinite times 0: it does not dominate, as nan is not less
                seems = (least[:, None] * beta[start : start + len(least)] <= bound).all(axis=1)
            for row in np.flatnonzero(seems):
                by = self.numbers[start + int(row)]
                if dominates(self._floats.pairs[by], self._floats.pairs[number]):
                    return by
            start, end = end, len(self.numbers)
        return None


def _as_floats(vectors: list[Vector], largest: list[int]) -> Floats:
    columns = {
        state: column for column, state in enumerate(sorted({s for vector in vectors for s in vector}))
    }
    result: Floats = np.zeros((len(vectors), len(columns)))
    for line, (vector, most) in enumerate(zip(vectors, largest, strict=True)):
        for state, value in vector.items():
            result[line, columns[state]] = value / most
    return result


# --- beam search ---


WIDTH = 24


def beam_search(question: Question, cleared: NumberModel, most: int, budget: Budget) -> list[Best]:
    """For each length up to some length the best word that was found."""
    beam = [NumberNode(cleared.root(pair), None, number) for number, pair in enumerate(question.pairs)]
    found: list[Best] = []
    while beam and len(found) < most and not budget.exhausted():
        steps = [(node, step) for node in beam for step in counted_steps(cleared, node, question.words)]
        found.append(_largest(steps))
        children: dict[object, NumberNode] = {}
        for node, step in steps:
            if step.child.alpha and step.child.beta:
                children.setdefault(step.child.key, NumberNode(step.child, node, 0, step.observation))
        beam = _promising(list(children.values()))
    return found


def lost_later(found: Sequence[Best], most: int) -> list[Fraction | None]:
    """For each depth up to a length the least ratio at the lengths above; None where all are infinite."""
    ratios = [best.ratio for best in found] + [Fraction(0)] * (most - len(found))
    result: list[Fraction | None] = [None]
    for ratio in reversed(ratios):
        last = result[-1]
        result.append(last if ratio is None else ratio if last is None else min(ratio, last))
    return result[::-1]


def _promising(children: list[NumberNode]) -> list[NumberNode]:
    if len(children) <= WIDTH:
        return children
    # exactly: where ratios approach a limit, floats do not tell the largest, and no search would end
    by_sum = sorted(children, key=lambda node: _ratio(node.vectors), reverse=True)
    by_entry = sorted(children, key=lambda node: _largest_entry_approx(node.vectors), reverse=True)
    chosen = {id(node): node for node in (*by_sum[: WIDTH // 2], *by_entry[: WIDTH // 2])}
    return list(chosen.values())


def _ratio(vectors: VectorPair) -> Fraction:
    return Fraction(sum(vectors.alpha.values()), sum(vectors.beta.values()))


def _largest_entry_approx(vectors: VectorPair) -> float:
    return max(_quotient_approx(value, vectors.beta.get(state, 0)) for state, value in vectors.alpha.items())


# --- deciding and optimising ---


LONGEST_PROBE = 200  # observations of words that are tried, where words of any length count
_FEW_NODES = 2_000  # of a layer, where single lengths are bounded because all of them could not be
_CLOSE = 1 + Fraction(1, 100)  # a bound this close to a ratio is as good as the loss


def decide_numbers(question: Question, epsilon: Epsilon, budget: Budget) -> Exploration:
    """Look for a word above e^epsilon among those that count, or prove that there is none."""
    if question.lengths.most is None:
        return _decide_all(question, epsilon, budget)
    found = _decide_layers(question, epsilon, budget, MOST_NODES)
    if found.violation is None and found.limit is not None:
        # a bound at all lengths is one at these; a word that is too long for them says nothing
        invariant = Invariants(question, question.cleared(), budget).decide(epsilon.alpha_down()).proof
        found = replace(found, invariant=invariant)
    return found


def _decide_layers(question: Question, epsilon: Epsilon, budget: Budget, most_nodes: int) -> Exploration:
    least, constant = question.lengths.least, epsilon.alpha_down()
    search = NumberSearch(question, question.cleared(), budget, most_nodes)

    def is_violation(length: int, best: Best) -> bool:
        return length >= least and not epsilon.allows(best.ratio)

    search.run(question.lengths.most or LONGEST_PROBE, lambda depth: constant, is_violation)
    found, last = search.found(), len(search.best)
    if last and is_violation(last, search.best[-1]):
        return replace(found, violation=found.words[last])
    return found


def _decide_all(question: Question, epsilon: Epsilon, budget: Budget) -> Exploration:
    """By vectors that no observation leads out of; failing that, by words, and then length by length."""
    cleared, constant = question.cleared(), epsilon.alpha_down()
    invariants = Invariants(question, cleared, budget)
    decided = invariants.decide(constant)
    if decided.proof is not None:
        return Exploration(None, {}, None, len(decided.proof.vectors), invariant=decided.proof)
    violation = decided.word
    if violation is not None and epsilon.allows(violation.ratio):
        violation = None  # it is between the constant, which is rounded down, and e^epsilon
    if violation is None:
        tried = NumberSearch(question, cleared, budget).word_proofs(
            beam_search(question, cleared, LONGEST_PROBE, budget)
        )
        violation = next((tried[k] for k in sorted(tried) if not epsilon.allows(tried[k].ratio)), None)
    if violation is not None:
        return Exploration(None, {}, None, 0, violation)
    best = max(tried.values(), key=lambda proof: ratio_order(proof.ratio), default=None)
    bounded = invariants.least(Fraction(0) if best is None or best.ratio is None else best.ratio)
    if bounded.word is not None and not epsilon.allows(bounded.word.ratio):
        return Exploration(None, {}, None, 0, bounded.word)
    if bounded.proof is not None and epsilon.allows(bounded.proof.bound):
        return Exploration(None, {}, None, len(bounded.proof.vectors), invariant=bounded.proof)
    found = _decide_layers(question, epsilon, budget, _FEW_NODES)
    limit = found.limit or "no bound of all lengths was found that is small enough, and no word above it"
    return replace(found, words=tried, invariant=bounded.proof, limit=limit)


def promising_words(question: Question, most: int, budget: Budget) -> dict[int, WordProof]:
    """Good words of the lengths up to one, found quickly; they need not be the worst."""
    cleared = question.cleared()
    return NumberSearch(question, cleared, budget).word_proofs(beam_search(question, cleared, most, budget))


def optimise_numbers(question: Question, budget: Budget, most_nodes: int = MOST_NODES) -> Exploration:
    """The loss at each length, or where there is no last one, the largest of all."""
    cleared, most = question.cleared(), question.lengths.most
    if most is None:
        return _optimise_all(question, cleared, budget)
    incumbents: list[Best] = []
    roots = map(cleared.root, question.pairs)
    if any(cleared.reached(root.alpha) & cleared.reached(root.beta) for root in roots):
        incumbents = beam_search(question, cleared, min(most, LONGEST_PROBE), budget)
    closing = lost_later(incumbents, most)
    search = NumberSearch(question, cleared, budget, most_nodes)
    search.run(most, lambda depth: closing[depth])
    found = search.found(incumbents)
    if found.limit is None:
        return found
    largest = max((word.ratio for word in found.words.values()), key=ratio_order, default=Fraction(0))
    if largest is None:
        return found
    return replace(found, invariant=Invariants(question, cleared, budget).least(largest).proof)


def _optimise_all(question: Question, cleared: NumberModel, budget: Budget) -> Exploration:
    """The largest loss of all lengths. Where it is approached and never attained, a bound just above it."""
    proofs = NumberSearch(question, cleared, budget).word_proofs(
        beam_search(question, cleared, LONGEST_PROBE, budget)
    )
    worst = max(proofs.values(), key=lambda proof: ratio_order(proof.ratio), default=None)
    if worst is not None and worst.ratio is None:
        return Exploration(None, {len(worst.word): worst}, None, 0)
    ratio = Fraction(0) if worst is None or worst.ratio is None else worst.ratio
    bounded = Invariants(question, cleared, budget).least(ratio)
    if bounded.word is not None:
        worst = bounded.word
        if worst.ratio is None:
            return Exploration(None, {len(worst.word): worst}, None, 0)
        ratio = worst.ratio
    words = {} if worst is None else {len(worst.word): worst}
    if bounded.proof is None:
        return Exploration(None, words, budget.exhausted() or "no bound of all lengths was found", 0)
    close = bounded.proof.bound <= ratio * _CLOSE
    limit = None if close else budget.exhausted() or "no smaller bound of all lengths was found"
    return Exploration(None, words, limit, len(bounded.proof.vectors), invariant=bounded.proof)
