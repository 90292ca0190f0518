"""A hidden Markov model as a labelled Markov chain, for all that chains can be asked.

A state of the chain is a state of the model together with what it shows, and its label is that observation;
both sides of each pair begin in a state of their own with one label, and a run that halts goes to an end
that repeats a label of its own. The traces of the chain are then the words of the model, with the same
probabilities. So the distances of chains bound the delta of (epsilon, delta)-Pufferfish privacy, and the
true delta (`bdist.traces.true_delta`) is the least one there is. Words are cut after a number of
observations, if one is given, by counting them in the state.

The chain has a state for each state and observation that can be reached: it is as large as the paper of the
models says, which is why the search for ratios works on the model itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import UnsupportedError
from bdist.pufferfish.cleared import ClearedModel
from bdist.pufferfish.model import Pair

MOST_STATES = 200_000

_Key = tuple[
    int, str, int
]  # a state, what it shows, and how many observations came before (0 if not counted)


@dataclass(frozen=True)
class UnfoldedModel:
    """The chain, and for each side of a pair, with its prior, the state in which it begins."""

    chain: LabelledMarkovChain
    starts: dict[tuple[str, str | None], str]

    def states_of(self, pair: Pair) -> tuple[str, str]:
        """The two states of the chain that a pair compares."""
        return self.starts[pair.first, pair.prior], self.starts[pair.second, pair.prior]


def unfold(cleared: ClearedModel, pairs: Sequence[Pair], most: int | None) -> UnfoldedModel:
    """The chain of a model, with a beginning for each side of the pairs, cut after ``most`` observations.

    Raises: UnsupportedError where it would have more than MOST_STATES states.
    """
    return _Unfolder(cleared, most).unfolded(pairs)


class _Unfolder:
    def __init__(self, cleared: ClearedModel, most: int | None) -> None:
        self._cleared = cleared
        self._most = most
        observations = set(cleared.model.observations)
        self._begin, self._end = (_unlike(name, observations) for name in ("begin", "end"))
        self._names: dict[_Key, str] = {}
        self._taken = {self._end}
        self._rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
        self._open: list[_Key] = []

    def unfolded(self, pairs: Sequence[Pair]) -> UnfoldedModel:
        starts: dict[tuple[str, str | None], str] = {}
        for pair in pairs:
            for side in (pair.first, pair.second):
                if (side, pair.prior) in starts:
                    continue
                name = self._new_name(f"{side} under {pair.prior}" if pair.prior is not None else side)
                distribution = self._cleared.distribution(side, pair.prior)
                self._rows[name] = self._begin, self._shown(distribution, 0)
                starts[side, pair.prior] = name
        while self._open:
            key = self._open.pop()
            self._expand(key)
            if len(self._rows) > MOST_STATES:
                raise UnsupportedError(f"the chain of the model has more than {MOST_STATES} states")
        if any(self._end in row for _, row in self._rows.values()):
            self._rows[self._end] = self._end, {self._end: Fraction(1)}
        triples = [(state, label, row) for state, (label, row) in self._rows.items()]
        chain = LabelledMarkovChain.from_rows(triples, name=self._cleared.model.name)
        return UnfoldedModel(chain, starts)

    def _expand(self, key: _Key) -> None:
        state, observation, before = key
        row = self._cleared.model.states[state].row
        if row is None or (self._most is not None and before + 1 >= self._most):
            self._rows[self._names[key]] = observation, {self._end: Fraction(1)}
            return
        next_states = {target: self._cleared.number(entry) for target, entry in row}
        shown = self._shown(next_states, 0 if self._most is None else before + 1)
        self._rows[self._names[key]] = observation, shown

    def _shown(self, distribution: dict[int, Fraction], before: int) -> dict[str, Fraction]:
        """Where a run goes that is in a state drawn from the distribution: that state and what it shows."""
        row: dict[str, Fraction] = {}
        for state, weight in distribution.items():
            for observation, entry in self._cleared.model.states[state].observations:
                probability = weight * self._cleared.number(entry)
                if not probability:
                    continue
                key = (state, observation, before)
                if key not in self._names:
                    counted = "" if self._most is None else f"@{before + 1}"
                    shown = f"{self._cleared.model.states[state].name}:{observation}{counted}"
                    self._names[key] = self._new_name(shown)
                    self._open.append(key)
                row[self._names[key]] = probability
        return row

    def _new_name(self, wanted: str) -> str:
        name = _unlike(wanted, self._taken)
        self._taken.add(name)
        return name


def _unlike(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    return name
