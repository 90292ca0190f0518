"""The search through all words, layer by layer, in a model without parameters, or with values for them.

The vector pairs of all words of length d are layer d. Words are never enumerated: pairs that agree up to a
factor are one (*merged*), a pair that another dominates is *covered* by it, and a pair with alpha <= c beta
is *closed*, since no continuation has a ratio above c. All pairs of initial distributions that are compared
start in layer 0 together and may cover each other, so that asking for 42 of them costs little more than
one.

*Which c closes a pair* depends on the question. Deciding whether the loss is at most c closes with that c,
and stops at the first word above it. Optimising wants the loss of every length, and may close a pair only
with what is lost at every later length anyway. Where words of any length are asked for, only the largest loss
of all is wanted, and the largest ratio met so far closes.

*Beam search.* In most models where all words count, the vector pairs are soon such that alpha <= c beta for a
c that is not above the loss that other words have already shown. For that the search must know, before it has
come there, what is lost at every later length. A beam search finds out: of each layer it follows only a few
vector pairs, half of them with the largest ratio so far, half of them with the largest entry
alpha(s)/beta(s), which is what the ratio could still become. Its ratios are exact, but they need not be the
largest. Where the two sides of a pair never share a state nothing can be closed, and there is no use for it.

Every bound that the search finds is exact, and is attained: what is kept are pairs of real words. What it
records (`layers`) is what the certificate says and the checker follows.

*Beyond.* If in the end nothing is left that would have to be followed, because all is closed, or because
every pair is covered by one that was met at an earlier length, then the bounds hold for words of every
length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from bdist.budget import Budget
from bdist.errors import InternalError
from bdist.exact.epsilon import Epsilon
from bdist.pufferfish.certificate import WordProof
from bdist.pufferfish.frontier import cover_from, reduce_layer
from bdist.pufferfish.layers import (
    Child,
    Cover,
    Exploration,
    Layer,
    Node,
    Return,
    Trace,
    unsettled,
    upper_proof,
)
from bdist.pufferfish.model import Pair, Words
from bdist.pufferfish.question import Question
from bdist.pufferfish.vectors import NumberModel, VectorPair, closing_constant, covering_factor, is_closed

MOST_NODES = 200_000  # of one layer; beyond it a search has lost its way

NumberNode = Node[VectorPair]
NumberLayer = Layer[VectorPair]


@dataclass(frozen=True, slots=True)
class Best:
    """The largest ratio at one length (None where it is infinite) and its word; no node where none counts."""

    ratio: Fraction | None
    node: NumberNode | None
    observation: int

    @staticmethod
    def none() -> Best:
        """What is known where no word counts."""
        return Best(Fraction(0), None, -1)

    def word(self) -> tuple[int, ...]:
        """The observations of a word with this ratio; none where no word counts."""
        return () if self.node is None else (*self.node.word(), self.observation)

    def beats(self, other: Best) -> bool:
        """Whether its ratio is larger."""
        if other.ratio is None:
            return False
        return self.ratio is None or self.ratio > other.ratio


@dataclass
class NumberTrace(Trace[VectorPair]):
    """A trace in numbers, with the largest ratio at each length."""

    best: list[Best] = field(default_factory=list)


Closing = Callable[[int], Fraction | None]
Verdict = Callable[[int, Best], bool]


def search(
    cleared: NumberModel,
    pairs: Sequence[Pair],
    most: int,
    words: Words,
    budget: Budget,
    closing: Closing = lambda depth: None,
    enough: Verdict = lambda length, best: False,
    endless: bool = False,
    most_nodes: int = MOST_NODES,
) -> NumberTrace:
    """Follow all words up to a length.

    ``closing`` gives for a depth the constant with which a pair there may be closed; ``enough`` is asked
    after each length whether to stop. With ``endless`` the search also stops where nothing new can come. No
    layer may have more candidates than ``most_nodes``.
    """
    trace = NumberTrace([_first_layer(cleared, pairs, words, closing(0))])
    for length in range(1, most + 1):
        layer = trace.layers[-1]
        best, candidates, origins = _grown(cleared, layer, words, budget, most_nodes)
        if candidates is None:
            trace.limit = budget.exhausted() or f"layer {length} has more than {most_nodes} vector pairs"
            return trace
        trace.best.append(best)
        if enough(length, best):
            return trace
        if length == most or endless:
            _try_to_end(trace, candidates, origins, words, closing(length))
            if length == most or trace.returns is not None:
                return trace
        trace.layers.append(_layer(candidates, origins, layer, words, closing(length)))
    return trace


def _first_layer(
    cleared: NumberModel, pairs: Sequence[Pair], words: Words, constant: Fraction | None
) -> NumberLayer:
    roots = [(cleared.root(pair), (position, -1)) for position, pair in enumerate(pairs)]
    counted = [(root, origin) for root, origin in roots if root.alpha and (root.beta or words is Words.ALL)]
    return _layer([r for r, _ in counted], [o for _, o in counted], None, words, constant)


def _layer(
    candidates: list[VectorPair],
    origins: list[Child],
    before: NumberLayer | None,
    words: Words,
    constant: Fraction | None,
) -> NumberLayer:
    """Close, cover and keep candidates, in this order."""
    layer = NumberLayer()
    open_positions: list[int] = []
    for position, vectors in enumerate(candidates):
        if constant is not None and is_closed(vectors, constant):
            layer.closed.append((origins[position], closing_constant(vectors) or Fraction(0)))
        else:
            open_positions.append(position)
    reduction = reduce_layer([candidates[position] for position in open_positions], words)
    place: dict[int, int] = {}
    for kept in reduction.kept:
        place[kept] = len(layer.nodes)
        layer.follow(candidates[open_positions[kept]], origins[open_positions[kept]], before)
    layer.covered = [
        Cover(origins[open_positions[position]], candidates[open_positions[position]], place[by])
        for position, by in reduction.covered_by.items()
    ]
    return layer


def _grown(
    cleared: NumberModel, layer: NumberLayer, words: Words, budget: Budget, most_nodes: int
) -> tuple[Best, list[VectorPair] | None, list[Child]]:
    """The best ratio one observation further, and all children that must be accounted for."""
    best = Best.none()
    candidates: list[VectorPair] = []
    origins: list[Child] = []
    above, below = 0, 1
    for position, node in enumerate(layer.nodes):
        if budget.exhausted() or len(candidates) > most_nodes:
            return best, None, origins
        for step in cleared.steps(node.vectors):
            if not step.second and words is Words.COMMON:
                continue
            if step.first * below > above * step.second:
                above, below = step.first, step.second
                best = Best(Fraction(above, below) if below else None, node, step.observation)
            if step.child.alpha and (step.child.beta or words is Words.ALL):
                candidates.append(step.child)
                origins.append((position, step.observation))
    return best, candidates, origins


def _try_to_end(
    trace: NumberTrace,
    candidates: list[VectorPair],
    origins: list[Child],
    words: Words,
    constant: Fraction | None,
) -> None:
    """Account for all children by closing them or by nodes of earlier layers, if that is possible."""
    ends: list[tuple[Child, Fraction]] = []
    returns: list[Return[VectorPair]] = []
    earlier = [
        (layer, position, node.vectors)
        for layer in range(len(trace.layers) - 1, max(len(trace.layers) - 5, -1), -1)
        for position, node in enumerate(trace.layers[layer].nodes)
    ]
    vectors = [entry[2] for entry in earlier]
    for origin, candidate in zip(origins, candidates, strict=True):
        if constant is not None and is_closed(candidate, constant):
            ends.append((origin, closing_constant(candidate) or Fraction(0)))
            continue
        by = cover_from(vectors, candidate, words)
        if by is None:
            return
        returns.append(Return(origin, candidate, earlier[by][:2]))
    trace.returns, trace.ends = returns, ends


# --- beam search ---


WIDTH = 24


def incumbent_words(
    cleared: NumberModel, pairs: Sequence[Pair], most: int, words: Words, budget: Budget
) -> list[Best]:
    """For each length up to some length the best word that was found."""
    beam = [NumberNode(cleared.root(pair), None, -1, number) for number, pair in enumerate(pairs)]
    found: list[Best] = []
    while beam and len(found) < most and not budget.exhausted():
        above, below = 0, 1
        best = Best.none()
        children: dict[object, NumberNode] = {}
        for node in beam:
            for step in cleared.steps(node.vectors):
                if not step.second and words is Words.COMMON:
                    continue
                if step.first * below > above * step.second:
                    above, below = step.first, step.second
                    best = Best(Fraction(above, below) if below else None, node, step.observation)
                if step.child.alpha and step.child.beta:
                    child = NumberNode(step.child, node, step.observation, node.root)
                    children.setdefault(step.child.key, child)
        found.append(best)
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


def sides_can_meet(cleared: NumberModel, pairs: Sequence[Pair]) -> bool:
    """Whether some state can be reached from both sides of one pair."""
    for pair in pairs:
        root = cleared.root(pair)
        if cleared.reached(root.alpha) & cleared.reached(root.beta):
            return True
    return False


def _promising(children: list[NumberNode]) -> list[NumberNode]:
    if len(children) <= WIDTH:
        return children
    by_sum = sorted(children, key=lambda node: _ratio(node.vectors), reverse=True)
    by_entry = sorted(children, key=lambda node: _largest_entry(node.vectors), reverse=True)
    chosen = {id(node): node for node in (*by_sum[: WIDTH // 2], *by_entry[: WIDTH // 2])}
    return list(chosen.values())


def _ratio(vectors: VectorPair) -> Fraction:
    return Fraction(sum(vectors.alpha.values()), sum(vectors.beta.values()))


def _largest_entry(vectors: VectorPair) -> float:
    return max(
        (_quotient(value, vectors.beta[state]) if state in vectors.beta else float("inf"))
        for state, value in vectors.alpha.items()
    )


def _quotient(above: int, below: int) -> float:
    try:
        return above / below
    except OverflowError:
        return float("inf")


# --- deciding and optimising ---


ENDLESS = 200  # observations after which a search without end gives up
_SLACKS = (Fraction(0), Fraction(1, 2**30), Fraction(1, 2**20), Fraction(1, 2**10), Fraction(1))


def decide_numbers(question: Question, epsilon: Epsilon, budget: Budget) -> Exploration:
    """Look for a word above e^epsilon among those that count, or prove that there is none."""
    cleared, least = question.cleared(), question.lengths.least
    constant = epsilon.alpha_down()
    trace = search(
        cleared,
        question.pairs,
        question.lengths.most or ENDLESS,
        question.words,
        budget,
        closing=lambda depth: constant,
        enough=lambda length, best: length >= least and not epsilon.allows(best.ratio),
        endless=least == 1,  # what returns to a length that does not count says nothing
    )
    found = _exploration(cleared, trace, trace.best, question)
    last = trace.best[-1] if trace.best else Best.none()
    if len(trace.best) >= least and not epsilon.allows(last.ratio):
        return Exploration(found.upper, found.words, found.limit, found.nodes, found.words[len(trace.best)])
    return found


def promising_words(question: Question, most: int, budget: Budget) -> dict[int, WordProof]:
    """Good words of the lengths up to one, found quickly; they need not be the worst."""
    cleared = question.cleared()
    found = incumbent_words(cleared, question.pairs, most, question.words, budget)
    best = {length: word for length, word in enumerate(found, start=1) if word.node is not None}
    return {length: _word_proof(cleared, word, question) for length, word in best.items()}


def optimise_numbers(question: Question, budget: Budget, most_nodes: int = MOST_NODES) -> Exploration:
    """The loss at each length, or where there is no last one, the largest of all."""
    cleared, most = question.cleared(), question.lengths.most
    lengths = most or ENDLESS
    incumbents: list[Best] = []
    if sides_can_meet(cleared, question.pairs):
        incumbents = incumbent_words(cleared, question.pairs, min(lengths, ENDLESS), question.words, budget)
    if most is None:
        return _optimise_all(question, cleared, incumbents, budget)
    closing = lost_later(incumbents, lengths)
    trace = search(
        cleared,
        question.pairs,
        lengths,
        question.words,
        budget,
        closing=lambda depth: closing[depth],
        most_nodes=most_nodes,
    )
    return _exploration(cleared, trace, _better(incumbents, trace.best), question)


def _optimise_all(
    question: Question, cleared: NumberModel, incumbents: list[Best], budget: Budget
) -> Exploration:
    """The largest loss of all lengths. Where it is approached and never attained, a bound just above it."""
    ratios = [best.ratio for best in incumbents]
    largest = None if None in ratios else max((r for r in ratios if r is not None), default=Fraction(0))
    found: Exploration | None = None
    for slack in _SLACKS if largest else (Fraction(0),):
        constant = None if largest is None else largest * (1 + slack)
        trace = search(
            cleared,
            question.pairs,
            ENDLESS,
            question.words,
            budget,
            closing=lambda depth, constant=constant: constant,  # type: ignore[misc]
            endless=True,
        )
        found = _exploration(cleared, trace, _better(incumbents, trace.best), question)
        if found.limit is None or budget.exhausted():
            break
    if found is None:
        raise InternalError("no search was made")
    worst = max(range(len(incumbents)), key=lambda k: (ratios[k] is None, ratios[k] or 0), default=None)
    if worst is None or incumbents[worst].node is None:
        return found
    return replace(found, words={worst + 1: _word_proof(cleared, incumbents[worst], question), **found.words})


def _better(incumbents: Sequence[Best], found: Sequence[Best]) -> list[Best]:
    return [
        incumbents[k] if k < len(incumbents) and incumbents[k].beats(best) else best
        for k, best in enumerate(found)
    ]


def _exploration(
    cleared: NumberModel, trace: NumberTrace, best: Sequence[Best], question: Question
) -> Exploration:
    observations = cleared.model.observations
    bounds = _bounds(trace, best)
    factor = covering_factor if question.has_free_parameters else lambda covered, by: None
    upper = upper_proof(trace, observations, bounds, factor=factor)
    words = {
        length: _word_proof(cleared, found, question)
        for length, found in enumerate(best, start=1)
        if found.node is not None
    }
    limit = trace.limit or (unsettled(upper) if question.lengths.most is None else None)
    return Exploration(upper, words, limit, trace.size())


def _word_proof(cleared: NumberModel, best: Best, question: Question) -> WordProof:
    """Requires: there is a word."""
    if best.node is None:
        raise InternalError("there is no word to prove something with")
    word = tuple(cleared.model.observations[o] for o in best.word())
    return WordProof(best.node.root, word, best.ratio, question.any_point())


def _bounds(trace: NumberTrace, best: Sequence[Best]) -> tuple[Fraction | None, ...]:
    """For each length its best ratio, or what was closed before it, if that is more."""
    bounds: list[Fraction | None] = []
    closed = Fraction(0)
    for found, layer in zip(best, trace.layers, strict=False):
        closed = max([closed, *(constant for _, constant in layer.closed)])
        bounds.append(None if found.ratio is None else max(found.ratio, closed))
    return tuple(bounds)
