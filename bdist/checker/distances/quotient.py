"""The chain that the proof is about: the model, its classes if there is a partition, its clock if any.

*Partition.* A state may be merged with another where both have one label and, for every class, the same
probability of going there; then they induce the same measure on sequences of labels. A state that the
partition does not name is a class of its own, and a class goes by the name of the state that stands first in
it. From there on the model is the chain in which each class is one state.
``merged`` is such a partition again, for the lower part alone: distances do not grow in a quotient.

*Clock.* Where the number of steps that are left until a label of the clock is a matter of the state, the
label may say it: two states with different numbers are told apart for certain.

*Chain.* The states as integers, those of the certificate's ``states`` first, in that order, so that a number
in a record is a state; rows as integers over one denominator each.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..core import Rejected, demand
from ..core.chain import Model
from ..core.digits import comparison
from ..core.limits import Work
from ..core.text import Row, shown

ZERO = Fraction(0)


class Chain:
    """A labelled Markov chain on the states 0, 1, ...; μ_s(i) is ``rows[s][i] / overs[s]``, or 0."""

    def __init__(self, model: Model, first: Sequence[str]) -> None:
        """The states of ``first`` come first. Requires: these are different states of the model."""
        self.names = list(dict.fromkeys((*first, *model.labels)))
        self.number = {name: number for number, name in enumerate(self.names)}
        self.labels = [model.labels[name] for name in self.names]
        vectors = [model.vectors[name] for name in self.names]
        self.overs = [vector.denominator for vector in vectors]
        self.rows = [{self.number[name]: x for name, x in vector.numerators.items()} for vector in vectors]
        self.group: dict[str, list[int]] = {}  # the states of a label
        self.place: list[int] = []  # of a state among those of its label
        for state, label in enumerate(self.labels):
            peers = self.group.setdefault(label, [])
            self.place.append(len(peers))
            peers.append(state)

    def shown(self, *states: int) -> str:
        """States for a message."""
        return ", ".join(shown(self.names[state]) for state in states)


def classes(model: Model, partition: Sequence[Sequence[str]], step: str) -> dict[str, str]:
    """The first state of the class of each state that the partition names. Raises: Rejected."""
    first: dict[str, str] = {}
    for number, states in enumerate(partition):
        for state in states:
            name = f"{step}[{number}] names {shown(state)}"
            demand(step, state in model.labels, f"{name}, not a state of the model")
            demand(step, state not in first, f"{name} again")
            first[state] = states[0]
    return first


def quotient(model: Model, partition: Sequence[Sequence[str]], first: dict[str, str], step: str) -> Model:
    """The quotient chain. Raises: Rejected where the partition is no bisimulation."""
    if not partition:
        return model
    for number, (s, *others) in enumerate(partition):
        row = _lumped(model.rows[s], first)
        for t in others:
            title = f"{step}[{number}], {shown(s)} and {shown(t)}"
            one, two = model.labels[s], model.labels[t]  # ℓ(s) = ℓ(t)
            demand(step, one == two, f"{title}: different labels, {shown(one)} and {shown(two)}")
            other = _lumped(model.rows[t], first)
            if row != other:  # μ_s(C) = μ_t(C) for every class C; neither row lists a zero
                c = next(c for c in [*row, *other] if row.get(c, ZERO) != other.get(c, ZERO))
                numbers = comparison(row.get(c, ZERO), "!=", other.get(c, ZERO))
                raise Rejected(step, f"{title}: not equally likely to go to {shown(c)}, {numbers}")
    kept = [state for state in model.labels if first.get(state, state) == state]
    return Model({s: model.labels[s] for s in kept}, {s: _lumped(model.rows[s], first) for s in kept})


def _lumped(row: Row, first: dict[str, str]) -> Row:
    """The probabilities of going to the classes: μ(C) under the first state of C, where it is not 0."""
    sums: Row = {}
    for i, p in row.items():
        c = first.get(i, i)
        sums[c] = sums.get(c, ZERO) + p
    return sums


def timed(model: Model, ends: Sequence[str], work: Work) -> Model:
    """The chain whose labels also say how many steps are left until a label of ``ends``.

    Raises: Rejected where that is not a matter of the state; TooLarge.
    """
    if not ends:
        return model
    for label in ends:
        what = f"clock names {shown(label)}, not a label of the model"
        demand("clock", label in model.states_of, what)
    work.spend(2 * sum(map(len, model.rows.values())))
    left = {state: 0 for label in ends for state in model.states_of[label]}  # h
    open_targets = {state: len(row) for state, row in model.rows.items()}
    before: dict[str, list[str]] = {}
    for state, row in model.rows.items():
        for i in row:
            before.setdefault(i, []).append(state)
    done = list(left)
    for i in done:  # it grows by the states of which the last target is done
        for state in before.get(i, ()):
            open_targets[state] -= 1
            if open_targets[state] == 0 and state not in left:
                first, *others = sorted({left[k] for k in model.rows[state]})
                if others:  # h(i) = h(s) - 1 for every successor i of s
                    steps = f"{first + 1} and {others[0] + 1}"
                    raise Rejected("clock", f"state {shown(state)} has {steps} steps left")
                left[state] = first + 1
                done.append(state)
    for state in model.labels:
        demand("clock", state in left, f"from {shown(state)} a path passes no label of the clock for ever")
    return Model({state: f"{label}@{left[state]}" for state, label in model.labels.items()}, model.rows)
