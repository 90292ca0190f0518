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
from math import lcm

from ..core import Rejected, demand
from ..core.chain import Model
from ..core.limits import Work
from ..core.numbers import comparison, scaled
from ..core.text import Row, shown
from .document import Classes

ZERO = Fraction(0)


class Chain:
    """A labelled Markov chain on the states 0, 1, ...; μ_s(i) is ``rows[s][i] / overs[s]``, or 0."""

    def __init__(self, model: Model, first: Sequence[str]) -> None:
        """The states of ``first`` come first. Requires: these are different states of the model."""
        self.names = list(dict.fromkeys((*first, *model.labels)))
        self.number = {name: number for number, name in enumerate(self.names)}
        self.labels = [model.labels[name] for name in self.names]
        rows = [model.rows[name] for name in self.names]
        self.overs = [lcm(*[p.denominator for p in row.values()]) for row in rows]
        integers = map(scaled, rows, self.overs)
        self.rows = [{self.number[name]: x for name, x in row.items()} for row in integers]
        self.group: dict[str, list[int]] = {}  # the states of a label
        self.place: list[int] = []  # of a state among those of its label
        for state, label in enumerate(self.labels):
            peers = self.group.setdefault(label, [])
            self.place.append(len(peers))
            peers.append(state)

    def shown(self, *states: int) -> str:
        """States for a message."""
        return ", ".join(shown(self.names[state]) for state in states)


def quotient(model: Model, partition: Classes, step: str) -> tuple[Model, dict[str, str]]:
    """The quotient chain, and the first state of the class of each state that the partition names.

    Raises: Rejected where the partition is no bisimulation.
    """
    first: dict[str, str] = {}
    for number, states in enumerate(partition):
        for state in states:
            if state not in model.labels or state in first:
                what = " again" if state in first else ", not a state of the model"
                raise Rejected(step, f"{step}[{number}] names {shown(state)}{what}")
            first[state] = states[0]
    for number, (s, *others) in enumerate(partition):
        row = _lumped(model.rows[s], first)
        for t in others:
            one, two, other = model.labels[s], model.labels[t], _lumped(model.rows[t], first)
            if one == two and row == other:  # ℓ(s) = ℓ(t), and μ_s(C) = μ_t(C) for every class C
                continue
            what = f"different labels, {shown(one)} and {shown(two)}"
            if one == two:  # neither row lists a zero
                c = next(c for c in [*row, *other] if row.get(c, ZERO) != other.get(c, ZERO))
                numbers = comparison(row.get(c, ZERO), "!=", other.get(c, ZERO))
                what = f"not equally likely to go to {shown(c)}, {numbers}"
            raise Rejected(step, f"{step}[{number}], {shown(s)} and {shown(t)}: {what}")
    kept = [state for state in model.labels if first.get(state, state) == state] if partition else []
    rows = {s: _lumped(model.rows[s], first) for s in kept}
    return (Model({s: model.labels[s] for s in kept}, rows) if partition else model), first


def _lumped(row: Row, first: dict[str, str]) -> Row:
    """The probabilities of going to the classes: μ(C) under the first state of C, where it is not 0."""
    sums: Row = {}
    for i, p in row.items():
        c = first.get(i, i)
        sums[c] = sums[c] + p if c in sums else p
    return sums


def timed(model: Model, ends: Sequence[str], work: Work) -> Model:
    """The chain whose labels also say how many steps are left until a label of ``ends``.

    Raises: Rejected where that is not a matter of the state; TooLarge.
    """
    if not ends:
        return model
    found, passed = {*model.labels.values()}, {*ends}
    for label in ends:
        demand("clock", label in found, f"clock names {shown(label)}, not a label of the model")
    work.spend(2 * sum(map(len, model.rows.values())))
    left = {state: 0 for state, label in model.labels.items() if label in passed}  # h
    waiting = {state: len(row) for state, row in model.rows.items()}  # successors without a number
    before: dict[str, list[str]] = {}
    for state, row in model.rows.items():
        for i in row:
            before.setdefault(i, []).append(state)
    done = list(left)
    for i in done:  # it grows by the states of which the last successor is done
        for state in before.get(i, ()):
            waiting[state] -= 1
            if waiting[state] == 0 and state not in left:
                first, *others = sorted({left[k] for k in model.rows[state]})
                if others:  # h(i) = h(s) - 1 for every successor i of s
                    steps = f"{first + 1} and {others[0] + 1}"
                    raise Rejected("clock", f"state {shown(state)} has {steps} steps left")
                left[state] = first + 1
                done.append(state)
    for state in model.labels:
        demand("clock", state in left, f"from {shown(state)} a path passes no label of the clock for ever")
    return Model({state: f"{label}@{left[state]}" for state, label in model.labels.items()}, model.rows)
