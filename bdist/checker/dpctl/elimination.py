"""The current chain of a path formula, and how temporal operators are eliminated from it, SPEC section 3.

An operator splits every state into copies, by what it says of the run from there on: whether it holds, or for
``within`` also after how many steps. All rows of the new chain are made by one rule. Which copies t′ may
follow a copy r′ is a matter of their marks; and the probability of t′ is proportional to P(r, t) w(t′), where
w is the probability of the mark of t′ at t. So a row is kept as positive integers, without a common divisor,
of which the probabilities are the parts of their sum, and what the specification divides by (x_r, 1 − x_r,
h_r(d)) is never computed. That the sum is that, is section 4.

The last operator of a formula needs no new rows: only the weights of its copies marked + are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from ..core import Rejected, TooLarge
from ..core.chain import Model
from ..core.limits import NUMBER, Work
from ..core.numbers import common_denominator, comparison, least_common_multiple, scaled, size
from ..core.text import shown
from .formulas import (
    AND,
    NEXT,
    NOT,
    TEMPORAL,
    UNTIL,
    Formula,
    Leaves,
    Numbers,
    StateSet,
    complement,
    intersection,
)

MOST_STATES = 2_000_000
MOST_ENTRIES = 20_000_000

Row = dict[int, int]
Mark = int
_FAILS: Mark = 0
_HOLDS: Mark = 1  # or more: for "within" after how many steps, and one


Copies = list[dict[Mark, Fraction]]  # of each state, by their marks, with the probabilities
Follow = Callable[[int, Mark, int], tuple[Mark, ...] | None]  # the marks at t after r and its mark; None: all


@dataclass(frozen=True)
class Chain:
    """States 0, 1, ..., with rows up to a factor, weights, and the number of the model's state as origin."""

    rows: tuple[Row, ...]
    sums: tuple[int, ...]
    weights: tuple[Fraction, ...]
    origins: tuple[int, ...]
    names: tuple[str, ...]  # of the states of the model
    kept: int = 0  # bits that it takes in memory; those of the model are kept for good

    @staticmethod
    def of(rows: list[Row], sums: list[int], names: tuple[str, ...]) -> Chain:
        """The chain whose states are those of the model."""
        return Chain(tuple(rows), tuple(sums), (Fraction(1),) * len(names), tuple(range(len(names))), names)

    def bits(self, r: int) -> int:
        """A bound on those of all entries of a row and of their sum."""
        return self.sums[r].bit_length()


class Step(NamedTuple):
    """What an elimination leads to: the new chain, of each of its states the old one, and where + stands."""

    chain: Chain
    parents: tuple[int, ...]
    holds: StateSet


class Solutions:
    """The solutions of a certificate, which the untils of its formula take one after another."""

    def __init__(self, given: Sequence[Numbers], place: str) -> None:
        self._given, self._place = given, place
        self._used = 0

    def take(self) -> tuple[Numbers, str]:
        """The next one, and where it stands. Raises: Rejected where there is none."""
        place = f"{self._place}[{self._used}]"
        if self._used == len(self._given):
            raise Rejected("solution", f"the formula takes {place}, and there is none")
        self._used += 1
        return self._given[self._used - 1], place

    def check_used(self) -> None:
        """That none is left. Raises: Rejected."""
        given = len(self._given)
        if self._used < given:
            raise Rejected("solution", f"there are {given} solutions, and the formula takes {self._used}")


def probabilities(
    chain: Chain, path: Formula, leaves: Leaves, solutions: Solutions, work: Work
) -> list[Fraction]:
    """How likely a path formula is from each state of the model. Raises: Rejected, TooLarge."""
    chain, found = _eliminated(chain, path, leaves, solutions, work)
    total = [Fraction(0)] * len(chain.names)
    for origin, weight, inside in zip(chain.origins, chain.weights, found, strict=True):
        if inside:
            work.reduce(size(total[origin]) + size(weight))
            total[origin] += weight
    forget(chain, work)
    return total


def _eliminated(
    chain: Chain, path: Formula, leaves: Leaves, solutions: Solutions, work: Work
) -> tuple[Chain, StateSet]:
    """The last chain of a path formula, and the set that the formula has become in it."""
    parts, stack = path.path_parts(), list[StateSet]()
    last = next((part for part in reversed(parts) if part.kind in TEMPORAL), None)
    for part in parts:
        work.spend(1 + len(chain.origins))
        work.hold(1 + (len(stack) + 2) * len(chain.origins) // 128, 0)
        if part.is_state_formula:
            stack.append(bytes(map(leaves[id(part)].__getitem__, chain.origins)))
        elif part.kind == NOT:
            stack.append(complement(stack.pop()))
        elif part.kind == AND:
            second = stack.pop()
            stack.append(intersection(stack.pop(), second))
        else:
            step = _eliminate(chain, part, stack, part is last, solutions, work)
            work.spend(len(stack) * len(step.parents))
            work.hold(1 + len(stack) * len(step.parents) // 128, 0)
            stack = [bytes(map(old.__getitem__, step.parents)) for old in stack]
            stack.append(step.holds)
            chain = step.chain
    return chain, stack[0]


def _eliminate(
    chain: Chain, operator: Formula, stack: list[StateSet], last: bool, solutions: Solutions, work: Work
) -> Step:
    to = stack.pop()
    if operator.kind == NEXT:
        return eliminate_next(chain, to, last, work)
    through = stack.pop()
    if operator.kind == UNTIL:
        solution, place = solutions.take()
        return eliminate_until(chain, through, to, solution, place, last, work)
    return eliminate_within(chain, operator.data[0], through, to, last, work)


def first_chain(model: Model, work: Work) -> Chain:
    """The model itself, its states in the order of their names."""
    names = tuple(sorted(model.labels))
    number = {name: i for i, name in enumerate(names)}
    rows, sums = map(list, zip(*(integer_row(model.rows[name], number, work) for name in names), strict=True))
    _check_size(len(rows), sum(map(len, rows)))
    return Chain.of(rows, sums, names)


def integer_row(row: dict[str, Fraction], number: dict[str, int], work: Work) -> tuple[Row, int]:
    """A row by the numbers of its targets, as integers, and their sum, to be kept; the model has limits."""
    m = lcm(*[p.denominator for p in row.values()])
    work.spend(len(row), m.bit_length(), m.bit_length())
    work.keep(len(row) + 2, m.bit_length())
    return {number[t]: p for t, p in scaled(row, m).items()}, m


def eliminate_next(chain: Chain, inside: StateSet, last: bool, work: Work) -> Step:
    """The operator ``next`` of a set."""
    copies = []
    for r, row in enumerate(chain.rows):
        work.spend(len(row), chain.bits(r))
        work.reduce(chain.bits(r))
        copies.append(_two_copies(Fraction(sum(p for t, p in row.items() if inside[t]), chain.sums[r])))

    def follow(_: int, mark: Mark, t: int) -> tuple[Mark, ...] | None:
        return None if inside[t] == mark else ()

    return _split(chain, copies, follow, last, work)


def eliminate_until(
    chain: Chain, through: StateSet, to: StateSet, x: Numbers, place: str, last: bool, work: Work
) -> Step:
    """The operator ``until`` of two sets with a solution of the certificate. Raises: Rejected."""
    check_solution(chain, through, to, x, place, work)
    copies = [_two_copies(value) for value in x]

    def follow(r: int, mark: Mark, _: int) -> tuple[Mark, ...] | None:
        return (mark,) if through[r] and not to[r] else None

    return _split(chain, copies, follow, last, work)


def check_solution(chain: Chain, through: StateSet, to: StateSet, x: Numbers, place: str, work: Work) -> None:
    """That this is the solution of an ``until``, at step ``solution``. Raises: Rejected, TooLarge."""
    if len(x) != len(chain.rows):
        found = f"{len(x)} numbers, and the current chain has {len(chain.rows)} states"
        raise Rejected("solution", f"{place} has {found}")
    reaching = _reaching(chain, through, to, work)
    for r, row in enumerate(chain.rows):
        above, below, why = 1, 1, "which is a goal"
        if not reaching[r]:
            above, why = 0, "from where no way leads to a goal"
        elif not to[r]:
            above, below = mean(row, chain.sums[r], x, work)
            why = "where that is the mean of the next states"
        work.spend(2, max(above.bit_length(), below.bit_length()), size(x[r]))
        if x[r].numerator * below != above * x[r].denominator:
            origin = shown(chain.names[chain.origins[r]])
            found = comparison(x[r], "!=", Fraction(above, below))
            raise Rejected("solution", f"{place}[{r}], a copy of {origin}: {found}, {why}")


def mean(row: Row, total: int, x: Mapping[int, Fraction] | Numbers, work: Work) -> tuple[int, int]:
    """The mean of the numbers of the next states, as a numerator and a denominator."""
    numbers = [x[t] for t in row]
    below, longest = common_denominator(numbers, work), max(map(size, numbers))
    bits = below.bit_length() + total.bit_length() + longest
    work.hold(4, bits)
    work.spend(4 * len(row), bits, max(longest, total.bit_length()))
    above = sum(p * x[t].numerator * (below // x[t].denominator) for t, p in row.items())
    return above, below * total


def _reaching(chain: Chain, through: StateSet, to: StateSet, work: Work) -> bytearray:
    """From where a way leads to the one set, on which all states before its end are in the other."""
    entries = sum(map(len, chain.rows))
    work.spend(2 * entries + len(chain.rows))
    work.hold(entries, 0)
    before: list[list[int]] = [[] for _ in chain.rows]
    for r, row in enumerate(chain.rows):
        if through[r]:
            for t in row:
                before[t].append(r)
    found = bytearray(to)
    waiting = [r for r, inside in enumerate(to) if inside]
    while waiting:
        for r in before[waiting.pop()]:
            if not found[r]:
                found[r] = 1
                waiting.append(r)
    return found


def eliminate_within(
    chain: Chain, most: int, through: StateSet, to: StateSet, last: bool, work: Work
) -> Step:
    """The operator ``within`` of two sets.

    h(d) is a vector of integers over unit^d. Where no state is d steps away, none is farther, and ``most``
    may as well be d: then no copy has that mark, and what follows a copy marked as never is so marked.
    """
    unit = least_common_multiple(chain.sums, work)
    away = {r: 1 for r in range(len(chain.rows)) if to[r]}  # the numerators of h(d)
    so_far = dict(away)
    copies: Copies = [{} for _ in chain.rows]
    kept, below, d = 0, 1, 0
    while True:
        if not last:
            kept += _kept(len(away), 2 * below.bit_length(), work)
            for r, n in away.items():
                work.reduce(below.bit_length())
                copies[r][_HOLDS + d] = Fraction(n, below)
        if d == most or not away:
            break
        d += 1
        work.spend(1 + len(chain.rows), below.bit_length(), unit.bit_length())
        work.hold(4 * len(chain.rows), below.bit_length() + unit.bit_length())
        before, below, away = away, below * unit, {}
        for r, row in enumerate(chain.rows):
            if through[r] and not to[r]:
                work.spend(4 * len(row), below.bit_length(), chain.bits(r))
                found = sum(p * before[t] for t, p in row.items() if t in before)
                if found:
                    away[r] = found * (unit // chain.sums[r])
        so_far = {r: so_far.get(r, 0) * unit + away.get(r, 0) for r in so_far.keys() | away.keys()}
    for r in range(len(chain.rows)):
        work.reduce(below.bit_length())
        if last:
            copies[r] = _two_copies(Fraction(so_far.get(r, 0), below))
        elif so_far.get(r, 0) < below:
            copies[r][_FAILS] = Fraction(below - so_far.get(r, 0), below)
    farthest = d

    def follow(r: int, mark: Mark, _: int) -> tuple[Mark, ...] | None:
        if to[r] or not through[r]:
            return None
        return (_HOLDS + farthest, _FAILS) if mark == _FAILS else (mark - 1,)

    step = _split(chain, copies, follow, last, work)
    work.release(1, kept)
    return step


def _two_copies(x: Fraction) -> dict[Mark, Fraction]:
    copies = {_HOLDS: x} if x > 0 else {}
    if x < 1:
        copies[_FAILS] = 1 - x
    return copies


def _split(chain: Chain, copies: Copies, follow: Follow, last: bool, work: Work) -> Step:
    """The new chain; without rows if it is the last."""
    if not last:
        _check_size(sum(map(len, copies)), 0)
    work.spend(sum(map(len, copies)))
    weights: list[Fraction] = []
    parents: list[int] = []
    holds = bytearray()
    places: list[dict[Mark, int]] = []
    kept = 0
    for r, marks in enumerate(copies):
        places.append({mark: len(parents) + k for k, mark in enumerate(marks)})
        for mark, w in marks.items():
            work.reduce(size(w) + size(chain.weights[r]))
            kept += _kept(2, size(w) + size(chain.weights[r]), work)
            weights.append(chain.weights[r] * w)
            parents.append(r)
            holds.append(mark != _FAILS)
    rows: list[Row] = []
    entries = 0
    for r, marks in enumerate(copies if not last else []):
        for mark in marks:
            work.spend(2 * len(chain.rows[r]))
            targets: dict[int, tuple[int, Fraction]] = {}
            for t, p in chain.rows[r].items():
                allowed = follow(r, mark, t)
                after = copies[t] if allowed is None else [each for each in allowed if each in copies[t]]
                targets.update((places[t][each], (p, copies[t][each])) for each in after)
            entries += len(targets)
            _check_size(len(rows), entries)
            row, bits = _scaled(targets, chain.bits(r), work)
            kept += _kept(len(row) + 2, bits, work)
            rows.append(row)
    origins = tuple(chain.origins[r] for r in parents)
    sums = tuple(sum(row.values()) for row in rows)
    new = Chain(tuple(rows), sums, tuple(weights), origins, chain.names, kept)
    forget(chain, work)
    return Step(new, tuple(parents), bytes(holds))


def _scaled(targets: dict[int, tuple[int, Fraction]], bits: int, work: Work) -> tuple[Row, int]:
    """The products of two numbers each, as integers without a common divisor, and a bound of their bits."""
    below = common_denominator([w for _, w in targets.values()], work)
    bits += below.bit_length()  # w is at most 1
    work.spend(3 * len(targets), bits, below.bit_length())
    row = {place: p * w.numerator * (below // w.denominator) for place, (p, w) in targets.items()}
    common = 0
    for n in row.values():
        if common == 1:
            return row, bits
        work.reduce(bits)
        common = gcd(common, n)
    work.spend(len(row), bits, common.bit_length())
    return {place: n // common for place, n in row.items()}, bits


def _kept(numbers: int, bits: int, work: Work) -> int:
    """Keep numbers of so many bits; what that takes, in bits, to be released as one number."""
    work.keep(numbers, bits)
    return numbers * (8 * NUMBER + bits)


def forget(chain: Chain, work: Work) -> None:
    """Give back the memory of a chain that is done with."""
    work.release(1, chain.kept)


def _check_size(states: int, entries: int) -> None:
    if states > MOST_STATES:
        raise TooLarge(f"the current chain has more than {MOST_STATES} states")
    if entries > MOST_ENTRIES:
        raise TooLarge(f"the current chain has more than {MOST_ENTRIES} entries")
