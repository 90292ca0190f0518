"""A decision process by numbers, with the values of an ``until`` over all schedulers, SPEC section 8.

States and actions are numbered in the order of their names. A row is kept as integers
over their sum; equal rows of a state are one in memory, so that it is seen at once which actions do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain as joined

from ..core import Rejected
from ..core.limits import Work
from ..core.numbers import comparison, size
from ..core.text import shown
from .elimination import Chain, Row, integer_row, mean
from .formulas import Numbers, StateSet
from .mdp import DecisionProcess


class Process:
    """The process by numbers: ``rows[a][s]`` and ``sums[a][s]`` for action a and state s."""

    def __init__(
        self,
        names: tuple[str, ...],
        actions: dict[str, int],
        rows: list[list[Row]],
        sums: list[list[int]],
        work: Work,
        kind: str = "states",
    ) -> None:
        """``names`` are those of states of the model; of one of these, several nodes may be."""
        self.kind = kind
        self.names, self.actions, self.rows, self.sums = names, actions, rows, sums
        self.number = {name: i for i, name in enumerate(names)}
        self._following: dict[int, tuple[int, ...]] = {}
        self._work = work

    @staticmethod
    def of(model: DecisionProcess, work: Work) -> Process:
        """The process whose states are those of the model."""
        names = tuple(sorted(model.labels))
        number = {name: i for i, name in enumerate(names)}
        actions = {name: a for a, name in enumerate(model.actions)}
        rows: list[list[Row]] = [[] for _ in model.actions]
        sums: list[list[int]] = [[] for _ in model.actions]
        for name in names:
            made: dict[int, tuple[Row, int]] = {}
            equal: dict[tuple[tuple[str, Fraction], ...], tuple[Row, int]] = {}
            for a, row in enumerate(model.rows[name]):
                work.keep(2, 0)
                if id(row) not in made:
                    key = tuple(sorted(row.items()))
                    if key not in equal:
                        equal[key] = integer_row(row, number, work)
                    made[id(row)] = equal[key]
                rows[a].append(made[id(row)][0])
                sums[a].append(made[id(row)][1])
        return Process(names, actions, rows, sums, work)

    def following(self, s: int) -> tuple[int, ...]:
        """The states that some action leads to from a state."""
        if s not in self._following:
            self._work.spend(sum(len(rows[s]) for rows in self.rows))
            found = tuple(dict.fromkeys(joined.from_iterable(rows[s] for rows in self.rows)))
            self._work.keep(1 + len(found), 0)
            self._following[s] = found
        return self._following[s]

    def chain(self, choices: list[int]) -> Chain:
        """The chain with an action for each state."""
        self._work.spend(len(choices))
        rows = [self.rows[a][s] for s, a in enumerate(choices)]
        return Chain.of(rows, [self.sums[a][s] for s, a in enumerate(choices)], self.names)

    def set_of(self, names: Iterable[str]) -> StateSet:
        """A set of states. Requires: they are of the process."""
        self._work.spend(len(self.names))
        found = bytearray(len(self.names))
        for name in names:
            found[self.number[name]] = 1
        return bytes(found)

    def different_rows(self, s: int) -> Iterator[tuple[Row, int]]:
        """The rows of a state with their sums, those that actions share once."""
        seen: set[int] = set()
        for rows, sums in zip(self.rows, self.sums, strict=True):
            self._work.spend(1)
            if id(rows[s]) not in seen:
                seen.add(id(rows[s]))
                yield rows[s], sums[s]

    def check_ends(
        self, through: StateSet, to: StateSet, values: Numbers, place: str, *, is_upper: bool
    ) -> None:
        """That no scheduler makes the ``until`` more likely than upper values, or less than lower ones.

        Raises: Rejected, TooLarge.
        """
        if len(values) != len(self.names):
            found = f"{len(values)} numbers, and there are {len(self.names)} {self.kind}"
            raise Rejected("values", f"{place} has {found}")
        avoiding = b"" if is_upper else self._avoiding(through, to)
        side, sign = ("<", 1) if is_upper else (">", -1)

        def check(s: int, above: int, below: int, why: str) -> None:
            """That a value is not on the wrong side of a bound."""
            value = values[s]
            self._work.spend(2, max(above.bit_length(), below.bit_length()), size(value))
            if sign * above * value.denominator > sign * value.numerator * below:
                found = comparison(value, side, Fraction(above, below))
                raise Rejected("values", f"{place}[{s}], of {shown(self.names[s])}: {found}{why}")

        for s in range(len(values)):
            if is_upper:
                check(s, 0, 1, "")
            if to[s]:
                check(s, 1, 1, ", and it is a goal" if is_upper else "")
            elif not is_upper and avoiding[s]:
                check(s, 0, 1, ", where the goal can be avoided")
            elif not is_upper or through[s]:
                for row, total in self.different_rows(s):
                    check(s, *mean(row, total, values, self._work), ", the mean after an action")

    def _avoiding(self, through: StateSet, to: StateSet) -> bytearray:
        """The set Z, from which choices of actions avoid the goal for good."""
        before: list[list[int]] = [[] for _ in self.names]  # rows that lead to a state
        row_of: list[int] = []  # the state that a row is of
        staying = [0] * len(self.names)  # how many rows of a state lead into the set only
        for s in range(len(self.names)):
            if through[s] and not to[s]:
                for row, _ in self.different_rows(s):
                    self._work.spend(2 * len(row))
                    self._work.keep(1 + len(row), 0)
                    for t in row:
                        before[t].append(len(row_of))
                    row_of.append(s)
                    staying[s] += 1
        found = bytearray(1 - inside for inside in to)
        leaving = bytearray(len(row_of))
        waiting = [s for s, inside in enumerate(to) if inside]
        while waiting:
            for number in before[waiting.pop()]:
                if not leaving[number]:
                    leaving[number] = 1
                    s = row_of[number]
                    staying[s] -= 1
                    if not staying[s]:
                        found[s] = 0
                        waiting.append(s)
        return found
