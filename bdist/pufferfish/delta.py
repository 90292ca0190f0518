"""(epsilon, delta)-Pufferfish privacy: the least delta for each pair, through chains and their distances.

A ratio is about single words. With a delta, an observer may bet on a set of words, and what counts is the
most that Pr(W | A) - e^epsilon Pr(W | B) can be, over all sets W. The model is *unfolded* into a labelled
Markov chain, for which that is lv, in one direction, and tv in both; `bdist.traces` brackets it from both
sides, with a proof and an attack. The proof is about the chain, so whoever wants to check it needs the chain
as well.

A state of the chain is a state of the model together with what it shows, and its label is that observation;
both sides of each pair begin in a state of their own with one label, and a run that halts goes to an end
that repeats a label of its own. The traces of the chain are then the words of the model, with the same
probabilities. Words are cut after a number of observations, if one is given, by counting them in the state.
The chain has a state for each state and observation that can be reached: it is as large as the paper of the
models says, which is why the search for ratios works on the model itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Skew
from bdist.errors import ParameterError, UnsupportedError
from bdist.pufferfish.model import Pair, Words
from bdist.pufferfish.question import Question, longest_run
from bdist.pufferfish.vectors import NumberModel
from bdist.report import OneLine
from bdist.results import Answer
from bdist.traces.answers import TraceDistance, compute_trace_distance
from bdist.traces.compute import ProfileSettings


@dataclass(frozen=True, repr=False)
class PairDelta(OneLine):
    """The true delta of a pair, in both directions or in its own, as a bracket, with the attack."""

    pair: Pair
    both: bool
    found: TraceDistance


@dataclass(frozen=True, repr=False)
class Deltas(OneLine):
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
    limits = ProfileSettings(budget=budget or Budget())
    both: dict[Pair, bool] = {}  # whether a pair is there in the other direction as well
    for pair in question.pairs:
        if pair.mirrored in both:
            both[pair.mirrored] = True
        else:
            both[pair] = False
    found = []
    for pair, is_both in both.items():
        states = unfolded.states_of(pair)
        trace = compute_trace_distance(unfolded.chain, states, skew, "tv" if is_both else "lv", limits)
        found.append(PairDelta(pair, is_both, trace))
    return Deltas(question, unfolded, tuple(found))


# --- the chain of a model ---


MOST_STATES = 200_000

# a state, what it shows, and how many observations came before (0 if not counted)
_Key = tuple[int, str, int]


@dataclass(frozen=True, repr=False)
class UnfoldedModel(OneLine):
    """The chain, and for each side of a pair, with its prior, the state in which it begins."""

    chain: LabelledMarkovChain
    starts: dict[tuple[str, str | None], str]

    def states_of(self, pair: Pair) -> tuple[str, str]:
        """The two states of the chain that a pair compares."""
        return self.starts[pair.first, pair.prior], self.starts[pair.second, pair.prior]


def unfold(cleared: NumberModel, pairs: Sequence[Pair], most: int | None) -> UnfoldedModel:
    """The chain of a model, with a beginning for each side of the pairs, cut after ``most`` observations.

    Raises: UnsupportedError where it would have more than MOST_STATES states.
    """
    model = cleared.model
    begin, end = (_unlike(name, model.observations) for name in ("begin", "end"))
    taken, names, waiting = {end}, dict[_Key, str](), list[_Key]()
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    starts: dict[tuple[str, str | None], str] = {}

    def new_name(wanted: str) -> str:
        name = _unlike(wanted, taken)
        taken.add(name)
        return name

    def shown(distribution: dict[int, Fraction], before: int) -> dict[str, Fraction]:
        """Where a run goes that is in a state drawn from the distribution: that state and what it shows."""
        row: dict[str, Fraction] = {}
        for state, weight in distribution.items():
            for observation, entry in model.states[state].observations:
                probability = weight * cleared.number(entry)
                if not probability:
                    continue
                key = (state, observation, before)
                if key not in names:
                    counted = "" if most is None else f"@{before + 1}"
                    names[key] = new_name(f"{model.states[state].name}:{observation}{counted}")
                    waiting.append(key)
                row[names[key]] = probability
        return row

    for pair in pairs:
        for side in (pair.first, pair.second):
            if (side, pair.prior) not in starts:
                name = new_name(side if pair.prior is None else f"{side} under {pair.prior}")
                rows[name] = begin, shown(cleared.distribution(side, pair.prior), 0)
                starts[side, pair.prior] = name
    while waiting:
        key = waiting.pop()
        state, observation, before = key
        row = model.states[state].row
        if row is None or (most is not None and before + 1 >= most):
            rows[names[key]] = observation, {end: Fraction(1)}
        else:
            following = {target: cleared.number(entry) for target, entry in row}
            rows[names[key]] = observation, shown(following, 0 if most is None else before + 1)
        if len(rows) > MOST_STATES:
            raise UnsupportedError(f"the chain of the model has more than {MOST_STATES} states")
    if any(end in row for _, row in rows.values()):
        rows[end] = end, {end: Fraction(1)}
    triples = [(state, label, row) for state, (label, row) in rows.items()]
    return UnfoldedModel(LabelledMarkovChain.from_rows(triples, name=model.name), starts)


def _unlike(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "'"
    return name
