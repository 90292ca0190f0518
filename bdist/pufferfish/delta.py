"""(epsilon, delta)-Pufferfish privacy: the least delta for each pair, through chains and their distances.

A ratio is about single words. With a delta, an observer may bet on a set of words, and what counts is the
most that Pr(W | A) - e^epsilon Pr(W | B) can be, over all sets W. For the chain of the model that is lv, in
one direction, and tv in both; `bdist.distances` brackets it from both sides, with a proof and an attack.
The proof is about the chain, so whoever wants to check it needs the chain as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.distances.compute import Skew
from bdist.errors import ParameterError, UnsupportedError
from bdist.pufferfish.model import Pair, Words
from bdist.pufferfish.question import Question, longest_run
from bdist.pufferfish.unfolding import UnfoldedModel, unfold
from bdist.results import Answer
from bdist.traces.true_delta import TraceDistance, TraceSettings, compute_trace_distance


@dataclass(frozen=True)
class PairDelta:
    """The true delta of a pair, in both directions or in its own, as a bracket, with the attack."""

    pair: Pair
    both: bool
    found: TraceDistance


@dataclass(frozen=True)
class Deltas:
    """The true delta of each pair of a question, and the chain that the certificates speak of."""

    question: Question
    unfolded: UnfoldedModel
    pairs: tuple[PairDelta, ...]

    @property
    def worst(self) -> PairDelta:
        """The pair with the largest upper bound."""
        return max(self.pairs, key=lambda delta: delta.found.bracket.upper.value)

    def answer(self, most: Fraction) -> Answer:
        """Whether all deltas are at most a given one."""
        if any(pair.found.bracket.lower.value > most for pair in self.pairs):
            return Answer.VIOLATED
        within = all(pair.found.bracket.upper.value <= most for pair in self.pairs)
        return Answer.HOLDS if within else Answer.UNKNOWN


def true_deltas(question: Question, budget: Budget | None = None) -> Deltas:
    """The least delta for each pair at the epsilon of the question, certified from both sides.

    Raises: ParameterError without an epsilon, or where parameters have no values; UnsupportedError where only
    common words count, as that is a matter of single words.
    """
    if question.epsilon is None:
        raise ParameterError("the scenario has no epsilon; give one")
    if question.is_parametric:
        names = ", ".join(parameter.name for parameter in question.model.parameters)
        raise ParameterError(f"delta depends on {names}; give values for all of them")
    if question.words is Words.COMMON:
        raise UnsupportedError(
            "delta is about sets of words, in which those that only one side can show count as well; "
            "ask with words all"
        )
    cleared, most = question.cleared(), question.lengths.most
    longest = longest_run(question.model)
    cut = None if most is None or (longest is not None and longest <= most) else most
    unfolded = unfold(cleared, question.pairs, cut)
    epsilon = question.epsilon
    skew = Skew.of(epsilon.alpha, None) if epsilon.alpha is not None else Skew.of(None, epsilon.value)
    limits = TraceSettings(budget=budget or Budget())
    found = []
    for pair, both in _orders(question.pairs):
        quantity = "tv" if both else "lv"
        states = unfolded.states_of(pair)
        trace = compute_trace_distance(unfolded.chain, states, skew, quantity, limits)
        found.append(PairDelta(pair, both, trace))
    return Deltas(question, unfolded, tuple(found))


def _orders(pairs: tuple[Pair, ...]) -> list[tuple[Pair, bool]]:
    """The pairs, those in both directions once."""
    result: dict[Pair, bool] = {}
    for pair in pairs:
        mirrored = Pair(pair.second, pair.first, pair.prior)
        if mirrored in result:
            result[mirrored] = True
        else:
            result[pair] = False
    return list(result.items())
