"""Observers who begin to watch later: a window of the word, by moving the beginning of runs some steps on.

A word need not be seen from its first observation on. Who begins to watch after n steps sees observations
n + 1, n + 2, ..., and the state at which they begin is distributed as pi P^n, where pi is the initial
distribution and P the rows: what was shown meanwhile is summed over, which is the same as not looking. So the
question is an ordinary one with other beginnings. A state or an initial distribution ``a`` becomes the
initial distribution ``a+n``; of a prior each case is moved with the secrets that are true in it, so a secret
is still about the beginning of the run, and conditioning on it is as before. A window in the middle of a
word, observations i to j, is n = i - 1 and length j - i + 1.

The model that comes out is like any other: it can be written down, and its certificates are about it.

A run that halts within the n steps would show nothing in the window, and no word stands for nothing. Such
models are refused. Requires numbers, as secrets at later steps do: parameters need values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from bdist.errors import ParameterError
from bdist.exact.rationals import counted
from bdist.pufferfish.model import (
    Case,
    HiddenMarkovModel,
    Initial,
    Neighbours,
    Prior,
    Scenario,
)
from bdist.pufferfish.question import Pairs, Value, ask
from bdist.pufferfish.vectors import NumberModel, summed

MOST_STEPS = 1000  # numbers grow with every step

Weights = dict[int, Fraction]


def watched_after(
    model: HiddenMarkovModel,
    steps: int,
    scenario: str | None = None,
    *,
    pairs: Pairs | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
) -> HiddenMarkovModel:
    """The model as it is for an observer who misses the first ``steps`` observations, with one scenario.

    With 3 steps the scenario ``nights`` is called ``nights after 3``. Which words count, their lengths
    and epsilon are as before; words begin where watching does.
    Raises: ParameterError where parameters have no values, or a run may halt before it is watched.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise ParameterError(f"the steps before watching are {steps}; they must be from 1 to {MOST_STEPS}")
    if model.parameters and not at:
        raise ParameterError("an observer who begins to watch later needs values for all parameters")
    question = ask(model, scenario, pairs=pairs, directed=directed, at=at)
    asked = Scenario("", ()) if pairs is not None and scenario is None else model.scenario(scenario)
    moving = _Moving(NumberModel(model, point=question.at), steps)
    names = {
        side: f"{side}+{steps}"
        for pair in question.pairs
        for side in (pair.first, pair.second)
        if pair.prior is None
    }
    initials = tuple(
        Initial(new, tuple(moving.moved(moving.cleared.distribution(old), f"'{old}'").items()))
        for old, new in names.items()
    )
    used = {pair.prior for pair in question.pairs}
    priors = tuple(moving.prior(prior) for name, prior in model.priors.items() if name in used)
    sides = dict.fromkeys(
        (pair.first, pair.second) if pair.prior else (names[pair.first], names[pair.second])
        for pair in question.pairs
    )
    place = {side: k for k, side in enumerate(sides)}
    neighbours = tuple(
        Neighbours(first, second, both=(second, first) in place)
        for (first, second), k in place.items()
        if place.get((second, first), k) >= k  # both directions are written once
    )
    name = f"{asked.name} after {steps}".lstrip()  # what is printed must not seem to be about whole words
    later = replace(asked, name=name, neighbours=neighbours, priors=priors)
    found = HiddenMarkovModel(moving.states, (), initials, (later,), model.name)
    if len(found.pairs_of(later)) != len(question.pairs):
        raise ParameterError("the pairs are asked of different priors; ask of one prior at a time")
    return found


class _Moving:
    def __init__(self, cleared: NumberModel, steps: int) -> None:
        self.cleared = cleared
        self.states = cleared.states()
        self._rows = [None if s.row is None else cleared.numbers(s.row) for s in self.states]
        self._steps = steps

    def moved(self, weights: Weights, what: str) -> Weights:
        """Where runs are after the steps. Raises: ParameterError where one may have halted."""
        for step in range(self._steps):
            entries: list[tuple[int, Fraction]] = []
            for s, x in weights.items():
                row = self._rows[s]
                if row is None:
                    halted = f"from {what} a run may halt after {counted(step + 1, 'observation')}"
                    raise ParameterError(
                        f"{halted}, so nobody can begin to watch it after {self._steps} steps"
                    )
                entries += [(t, x * p) for t, p in row]
            weights = summed(entries)
        return weights

    def prior(self, prior: Prior) -> Prior:
        """Each case where its runs are after the steps, with its secrets."""
        number = self.cleared.number
        by_secrets: dict[tuple[str, ...], Weights] = {}
        for case in prior.cases:
            if weight := number(case.probability):
                there = by_secrets.setdefault(case.secrets, {})
                there[case.state] = there.get(case.state, Fraction(0)) + weight
        what = f"the prior '{prior.name}'"
        return Prior(
            prior.name,
            tuple(
                Case(state, secrets, weight)
                for secrets, weights in by_secrets.items()
                for state, weight in self.moved(weights, what).items()
            ),
        )
