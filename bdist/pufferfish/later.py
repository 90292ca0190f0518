"""Secrets at later times: the state at step i, by unfolding into a model whose secrets are at the beginning.

Of a time series one asks what the whole record tells about the state at some time, for every time: Pufferfish
privacy with the secrets "the state at step i is a" (Song, Wang, Chaudhuri, SIGMOD 2017). Observations before
that time count as well as those after it. So conditioning on the secret changes the past, and the past of a
Markov chain conditioned on its future is a Markov chain again, whose rows depend on the time:

    Pr(X_(t+1) = s' | X_t = s, X_i = a)  =  P(s, s') h_(t+1)(s') / h_t(s),    h_t(s) = Pr(X_i = a | X_t = s).

For each secret the states of the first steps are written once more, with these rows and the observations of
the states that they stand for; at step i the run enters the state a of the model itself, and goes on there.
The start, conditioned in the same way, is an initial distribution, named ``a@i``. Words keep their
probabilities, given the secret, so all that is asked of the unfolded model is asked of the secrets. It is a
model like any other: it can be written down, and its certificates are about it.

Steps are counted from 1: at step i a run shows the observation number i. For each secret at step i there are
i - 1 copies of the states that matter, so a range of steps takes a number of states that is quadratic in it.

Requires numbers: with parameters the rows would be quotients of high degree, so parameters need values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from bdist.errors import ParameterError
from bdist.exact.rationals import as_rational
from bdist.pufferfish.model import (
    HiddenMarkovModel,
    HiddenState,
    Initial,
    Neighbours,
    Scenario,
    Words,
)
from bdist.pufferfish.question import Value, point_of
from bdist.pufferfish.vectors import NumberModel, summed

MOST_STATES = 20_000

Weights = dict[int, Fraction]


def read_steps(text: str) -> range:
    """From ``3`` or ``1..5``. Raises: ParameterError."""
    parts = text.split("..")
    try:
        ends = [as_rational(part, "step") for part in parts]
    except ParameterError:
        ends = []
    if len(ends) not in (1, 2) or any(end.denominator != 1 for end in ends) or not 1 <= ends[0] <= ends[-1]:
        raise ParameterError(f"the steps '{text}' are not of the form I or 1..I, counted from 1")
    return range(int(ends[0]), int(ends[-1]) + 1)


def secrets_at(
    model: HiddenMarkovModel,
    start: str,
    steps: Iterable[int],
    scenario: str | None = None,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    directed: bool = False,
    at: Mapping[str, Value] | None = None,
) -> HiddenMarkovModel:
    """The unfolded model: one scenario that compares the states of each pair at each of these steps.

    ``start`` is a state or an initial distribution. Without pairs, all states that are possible at a step are
    compared with each other; with ``directed``, only the first of a pair with the second. Which words count,
    their lengths and epsilon are those of the scenario; if none is named, of the only one, if there is one.
    Raises: ParameterError where a state is unknown or none is left to compare, parameters have no values, or
    the unfolded model is too large.
    """
    if model.parameters and at is None:
        raise ParameterError("secrets at later steps need values for all parameters")
    if pairs is None and directed:
        raise ParameterError("directed is about pairs that are given, and none are")
    if start not in model.numbers and start not in model.initials_by_name:
        raise ParameterError(f"'{start}' is neither a state nor an initial distribution")
    named = None if pairs is None else list(pairs)
    like = model.scenario(scenario) if scenario is not None or len(model.scenarios) == 1 else None
    cleared = NumberModel(model, point=None if at is None else point_of(model, at))
    unfolding = _Unfolding(cleared, cleared.distribution(start))
    neighbours: list[Neighbours] = []
    for step in steps:
        possible = [model.states[s].name for s in sorted(unfolding.reached(step))]
        for first, second in combinations(possible, 2) if named is None else named:
            for name in (first, second):
                if name not in model.numbers:
                    raise ParameterError(f"'{name}' is no state; secrets at later steps are states")
            if first in possible and second in possible and first != second:
                one, two = (unfolding.secret(name, step) for name in (first, second))
                neighbours.append(Neighbours(one, two, not directed))
    if not neighbours:
        raise ParameterError(f"from '{start}' no two states to compare are possible at these steps")
    asked = Scenario("later", tuple(neighbours), (), Words.ALL, None, None)
    if like is not None:
        asked = replace(asked, words=like.words, epsilon=like.epsilon, lengths=like.lengths)
    initials = tuple(unfolding.initials.values())
    return HiddenMarkovModel(tuple(unfolding.states), (), initials, (asked,), model.name)


class _Unfolding:
    def __init__(self, cleared: NumberModel, start: Weights) -> None:
        self._states = cleared.states()
        self._rows = [dict(cleared.numbers(state.row or ())) for state in self._states]
        self.states = list(self._states)
        self.initials: dict[str, Initial] = {}
        self._layers = [start]  # where a run may be at step 1, 2, ...

    def reached(self, step: int) -> Weights:
        """Where a run may be at a step, with probabilities."""
        while len(self._layers) < step:
            self._layers.append(
                summed((t, x * p) for s, x in self._layers[-1].items() for t, p in self._rows[s].items())
            )
        return self._layers[step - 1]

    def secret(self, state: str, step: int) -> str:
        """The name of the start given that a run is in a state at a step, which is possible."""
        name = f"{state}@{step}"
        if name in self.initials:
            return name
        target = next(k for k, each in enumerate(self._states) if each.name == state)
        ahead: list[Weights] = [{target: Fraction(1)}]  # h at steps step, step - 1, ...
        for _ in range(step - 1):
            last = ahead[-1]
            before = {
                s: sum((p * last.get(t, Fraction(0)) for t, p in row.items()), Fraction(0))
                for s, row in enumerate(self._rows)
            }
            ahead.append({s: h for s, h in before.items() if h})
        ahead.reverse()
        number = {target: target}  # of the states of a step in the unfolded model
        for time in range(step - 1, 0, -1):
            here, after = ahead[time - 1], ahead[time]
            copies: dict[int, int] = {}
            for s in sorted(here.keys() & self.reached(time).keys()):
                row = tuple(
                    (number[t], p * after[t] / here[s]) for t, p in self._rows[s].items() if t in after
                )
                copies[s] = len(self.states)
                copy = HiddenState(
                    f"{self._states[s].name}@{time} before {name}", self.states[s].observations, row
                )
                self.states.append(copy)
                if len(self.states) > MOST_STATES:
                    raise ParameterError(f"unfolded there are more than {MOST_STATES} states; ask for less")
            number = copies
        weights = {s: x * ahead[0][s] for s, x in self._layers[0].items() if x and s in ahead[0]}
        total = sum(weights.values())
        self.initials[name] = Initial(name, tuple((number[s], x / total) for s, x in weights.items()))
        return name
