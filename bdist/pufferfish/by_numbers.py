"""Deciding and optimising in models without parameters, or with values for them.

Deciding whether the loss is at most c closes every vector pair with alpha <= c beta, and stops at the first
word above c. Optimising wants the loss of every length, and may close a pair only with what is lost at
every later length anyway. Where words of any length are asked for, only the largest loss of all is wanted,
and the largest ratio met so far closes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from bdist.budget import Budget
from bdist.errors import InternalError
from bdist.exact.epsilon import Epsilon
from bdist.pufferfish.certificate import UpperProof, WordProof
from bdist.pufferfish.cleared import ClearedModel
from bdist.pufferfish.exploration import Exploration, beyond, layer_proofs
from bdist.pufferfish.incumbents import incumbent_words, lost_later, sides_can_meet
from bdist.pufferfish.numbers import covering_factor
from bdist.pufferfish.question import Question
from bdist.pufferfish.search import MOST_NODES, search
from bdist.pufferfish.traces import Best, Trace

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
    question: Question, cleared: ClearedModel, incumbents: list[Best], budget: Budget
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
    cleared: ClearedModel, trace: Trace, best: Sequence[Best], question: Question
) -> Exploration:
    observations = cleared.model.observations
    bounds = _bounds(trace, best)
    upper = None
    if bounds:
        factor = covering_factor if question.has_free_parameters else lambda covered, by: None
        layers = layer_proofs(trace, observations, len(bounds), factor)
        upper = UpperProof(bounds, beyond(trace, bounds), layers)
        if upper.beyond is None:
            upper = UpperProof(bounds, None, layers[: len(bounds)])
    words = {
        length: _word_proof(cleared, found, question)
        for length, found in enumerate(best, start=1)
        if found.node is not None
    }
    limit = trace.limit
    if limit is None and question.lengths.most is None and (upper is None or upper.beyond is None):
        limit = f"words of up to {len(bounds)} observations do not settle those of any length"
    return Exploration(upper, words, limit, sum(len(layer.nodes) for layer in trace.layers))


def _word_proof(cleared: ClearedModel, best: Best, question: Question) -> WordProof:
    """Requires: there is a word."""
    if best.node is None:
        raise InternalError("there is no word to prove something with")
    word = tuple(cleared.model.observations[o] for o in best.word())
    return WordProof(best.node.root, word, best.ratio, question.any_point())


def _bounds(trace: Trace, best: Sequence[Best]) -> tuple[Fraction | None, ...]:
    """For each length its best ratio, or what was closed before it, if that is more."""
    bounds: list[Fraction | None] = []
    closed = Fraction(0)
    for found, layer in zip(best, trace.layers, strict=False):
        closed = max([closed, *(constant for _, constant in layer.closed)])
        bounds.append(None if found.ratio is None else max(found.ratio, closed))
    return tuple(bounds)
