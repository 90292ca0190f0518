"""The partition: that its classes are bisimilar states, and the chain in which each of them is one state.

A state may be merged with another where both have one label and, for every class, the same probability of
going there. Then they induce the same measure on sequences of labels. A state that the partition does not
name is a class of its own. A class goes by the name of the state that stands first in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..core.chain import Model, shown
from ..core.digits import comparison
from ..core.steps import Rejected

ZERO = Fraction(0)

Row = dict[str, Fraction]


class Classes:
    """The classes of a partition, each by its first state. Raises: Rejected where they are no partition."""

    def __init__(self, model: Model, partition: Sequence[Sequence[str]]) -> None:
        self._first: dict[str, str] = {}  # for the states that the partition names
        for number, states in enumerate(partition):
            for state in states:
                if state not in model.labels:
                    raise Rejected(
                        "partition", f"partition[{number}] names {shown(state)}, not a state of the model"
                    )
                if state in self._first:  # no state stands twice
                    raise Rejected("partition", f"partition[{number}] names {shown(state)} again")
                self._first[state] = states[0]

    def first(self, state: str) -> str:
        """The first state of the class of a state (or of a name that is no state: that name)."""
        return self._first.get(state, state)

    def lumped(self, row: Row) -> Row:
        """The probabilities of going to the classes: μ(C) under the first state of C, where it is not 0."""
        sums: Row = {}
        for i, p in row.items():
            c = self.first(i)
            sums[c] = sums.get(c, ZERO) + p
        return sums


def quotient(model: Model, partition: Sequence[Sequence[str]], classes: Classes) -> Model:
    """The quotient chain. Raises: Rejected where the partition is no bisimulation."""
    if not partition:
        return model
    for number, (s, *others) in enumerate(partition):
        row = classes.lumped(model.rows[s])
        for t in others:
            title = f"partition[{number}], {shown(s)} and {shown(t)}"
            if model.labels[s] != model.labels[t]:  # ℓ(s) = ℓ(t)
                labels = f"{shown(model.labels[s])} and {shown(model.labels[t])}"
                raise Rejected("partition", f"{title}: different labels, {labels}")
            other = classes.lumped(model.rows[t])
            if row != other:  # μ_s(C) = μ_t(C) for every class C; neither row lists a zero
                c = next(c for c in [*row, *other] if row.get(c, ZERO) != other.get(c, ZERO))
                numbers = comparison(row.get(c, ZERO), "!=", other.get(c, ZERO))
                raise Rejected("partition", f"{title}: not equally likely to go to {shown(c)}, {numbers}")
    kept = [state for state in model.labels if classes.first(state) == state]
    return Model({s: model.labels[s] for s in kept}, {s: classes.lumped(model.rows[s]) for s in kept})
