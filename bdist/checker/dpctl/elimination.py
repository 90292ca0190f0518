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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from math import gcd, lcm
from typing import NamedTuple

from ..core import Rejected, TooLarge
from ..core.chain import Model
from ..core.digits import comparison, size
from ..core.limits import Work
from ..core.text import shown
from ..core.vectors import scaled
from .formulas import StateSet

MOST_STATES = 2_000_000
MOST_ENTRIES = 20_000_000

Row = dict[int, int]
Mark = int
_NEVER: Mark = -1  # of a copy at which "within" does not hold; those of others are numbers of steps
_HOLDS: Mark = 1
_FAILS: Mark = 0


@dataclass(frozen=True)
class Chain:
    """States 0, 1, ..., with rows up to a factor, weights, and the number of the model's state as origin."""

    rows: tuple[Row, ...]
    sums: tuple[int, ...]
    weights: tuple[Fraction, ...]
    origins: tuple[int, ...]
    names: tuple[str, ...]  # of the states of the model
    kept: tuple[tuple[int, int], ...]  # how many numbers are in memory, and of how many bits

    def bits(self, r: int) -> int:
        """A bound on those of all entries of a row and of their sum."""
        return self.sums[r].bit_length()


class Step(NamedTuple):
    """What an elimination leads to: the new chain, of each of its states the old one, and where + stands."""

    chain: Chain
    parents: tuple[int, ...]
    holds: StateSet


class _Marks(NamedTuple):
    """The copies of all states, by their marks, with the probabilities; which of them may follow a copy."""

    copies: list[dict[Mark, Fraction]]
    follow: Callable[[int, Mark, int], tuple[Mark, ...] | None]  # by r, its mark and t; None for all


def first_chain(model: Model, work: Work) -> Chain:
    """The model itself, its states in the order of their names. It is kept for good."""
    names = sorted(model.labels)
    number = {name: i for i, name in enumerate(names)}
    rows: list[Row] = []
    sums: list[int] = []
    for name in names:
        row, below = integer_row(model.rows[name], number, work)
        work.keep(len(row) + 2, below.bit_length())
        rows.append(row)
        sums.append(below)
    _check_size(len(rows), sum(map(len, rows)))
    ones = tuple(repeat(Fraction(1), len(names)))
    return Chain(tuple(rows), tuple(sums), ones, tuple(range(len(names))), tuple(names), ())


def integer_row(row: dict[str, Fraction], number: dict[str, int], work: Work) -> tuple[Row, int]:
    """A row by the numbers of its targets, as integers, and their sum."""
    below = 1
    for p in row.values():
        work.reduce(max(below.bit_length(), p.denominator.bit_length()))
        below = lcm(below, p.denominator)
    return {number[t]: p for t, p in scaled(row, below).items()}, below


def eliminate_next(chain: Chain, inside: StateSet, last: bool, work: Work) -> Step:
    """The operator ``next`` of a set."""
    copies = []
    for r, row in enumerate(chain.rows):
        work.spend(len(row), chain.bits(r))
        work.reduce(chain.bits(r))
        copies.append(_two_copies(Fraction(sum(p for t, p in row.items() if inside[t]), chain.sums[r])))

    def follow(_: int, mark: Mark, t: int) -> tuple[Mark, ...] | None:
        return None if inside[t] == mark else ()

    return _split(chain, _Marks(copies, follow), last, work)


def eliminate_until(
    chain: Chain, through: StateSet, to: StateSet, x: tuple[Fraction, ...], place: str, last: bool, work: Work
) -> Step:
    """The operator ``until`` of two sets with a solution of the certificate. Raises: Rejected."""
    check_solution(chain, through, to, x, place, work)
    copies = [_two_copies(value) for value in x]

    def follow(r: int, mark: Mark, _: int) -> tuple[Mark, ...] | None:
        return (mark,) if through[r] and not to[r] else None

    return _split(chain, _Marks(copies, follow), last, work)


def check_solution(
    chain: Chain, through: StateSet, to: StateSet, x: tuple[Fraction, ...], place: str, work: Work
) -> None:
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


def mean(row: Row, total: int, x: tuple[Fraction, ...], work: Work) -> tuple[int, int]:
    """The mean of the numbers of the next states, as a numerator and a denominator."""
    below, longest = 1, 1
    for t in row:
        bits = x[t].denominator.bit_length()
        longest = max(longest, size(x[t]))
        work.spend(1, below.bit_length(), bits)
        if below % x[t].denominator:
            work.reduce(max(below.bit_length(), bits))
            below = lcm(below, x[t].denominator)
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
    unit = 1
    for total in chain.sums:
        work.reduce(max(unit.bit_length(), total.bit_length()))
        unit = lcm(unit, total)
    inner = [r for r in range(len(chain.rows)) if through[r] and not to[r]]
    away = {r: 1 for r in range(len(chain.rows)) if to[r]}
    so_far = dict(away)
    copies: list[dict[Mark, Fraction]] = [{} for _ in chain.rows]
    noted: list[tuple[int, int]] = []
    below = 1
    d = 0
    while True:
        if not last:
            noted.append((len(away), 2 * below.bit_length()))
            _note_distance(copies, away, below, d, work)
        if d == most or not away:
            break
        d += 1
        work.spend(1 + len(chain.rows), below.bit_length(), unit.bit_length())
        work.hold(4 * len(chain.rows), below.bit_length() + unit.bit_length())
        below *= unit
        away = dict(_one_step_farther(chain, inner, away, unit, work))
        so_far = {r: n * unit for r, n in so_far.items()}
        for r, n in away.items():
            so_far[r] = so_far.get(r, 0) + n
    for r in range(len(chain.rows)):
        work.reduce(below.bit_length())
        if last:
            copies[r] = _two_copies(Fraction(so_far.get(r, 0), below))
        elif so_far.get(r, 0) < below:
            copies[r][_NEVER] = Fraction(below - so_far.get(r, 0), below)
    farthest = d

    def follow(r: int, mark: Mark, _: int) -> tuple[Mark, ...] | None:
        if to[r] or not through[r]:
            return None
        return (farthest, _NEVER) if mark == _NEVER else (mark - 1,)

    step = _split(chain, _Marks(copies, follow), last, work, _NEVER)
    for numbers, bits in noted:
        work.release(numbers, bits)
    return step


def _note_distance(
    copies: list[dict[Mark, Fraction]], away: dict[int, int], below: int, d: int, work: Work
) -> None:
    work.keep(len(away), 2 * below.bit_length())
    for r, n in away.items():
        work.reduce(below.bit_length())
        copies[r][d] = Fraction(n, below)


def _one_step_farther(
    chain: Chain, inner: list[int], away: dict[int, int], unit: int, work: Work
) -> Iterator[tuple[int, int]]:
    for r in inner:
        row, bits = chain.rows[r], chain.bits(r)
        work.spend(len(row))
        found = 0
        for t, p in row.items():
            if t in away:
                work.spend(2, away[t].bit_length(), bits)
                found += p * away[t]
        if found:
            work.spend(2, found.bit_length(), unit.bit_length())
            yield r, found * (unit // chain.sums[r])


def _two_copies(x: Fraction) -> dict[Mark, Fraction]:
    copies = {_HOLDS: x} if x > 0 else {}
    if x < 1:
        copies[_FAILS] = 1 - x
    return copies


def _split(chain: Chain, marks: _Marks, last: bool, work: Work, fails: Mark = _FAILS) -> Step:
    """The new chain; without rows if it is the last."""
    if last:
        fails = _FAILS
    count = sum(map(len, marks.copies))
    if not last:
        _check_size(count, 0)
    work.spend(count)
    weights: list[Fraction] = []
    parents: list[int] = []
    holds = bytearray()
    kept: list[tuple[int, int]] = []
    index: list[dict[Mark, int]] = []
    for r, copies in enumerate(marks.copies):
        numbers: dict[Mark, int] = {}
        for mark, w in copies.items():
            work.reduce(size(w) + size(chain.weights[r]))
            kept.append((2, size(w) + size(chain.weights[r])))
            work.keep(*kept[-1])
            numbers[mark] = len(parents)
            weights.append(chain.weights[r] * w)
            parents.append(r)
            holds.append(mark != fails)
        index.append(numbers)
    origins = tuple(chain.origins[r] for r in parents)
    if last:
        new = Chain((), (), tuple(weights), origins, chain.names, tuple(kept))
    else:
        rows, sums, rows_kept = _new_rows(chain, marks, index, work)
        new = Chain(rows, sums, tuple(weights), origins, chain.names, (*kept, *rows_kept))
    forget(chain, work)
    return Step(new, tuple(parents), bytes(holds))


def _new_rows(
    chain: Chain, marks: _Marks, index: list[dict[Mark, int]], work: Work
) -> tuple[tuple[Row, ...], tuple[int, ...], tuple[tuple[int, int], ...]]:
    rows: list[Row] = []
    sums: list[int] = []
    kept: list[tuple[int, int]] = []
    entries = 0
    for r, copies in enumerate(marks.copies):
        for mark in copies:
            targets: list[tuple[int, int, Fraction]] = []
            work.spend(2 * len(chain.rows[r]))
            for t, p in chain.rows[r].items():
                allowed = marks.follow(r, mark, t)
                there = index[t]
                after = there if allowed is None else [each for each in allowed if each in there]
                targets.extend((there[each], p, marks.copies[t][each]) for each in after)
            entries += len(targets)
            _check_size(len(rows), entries)
            row, bits = _scaled(targets, chain.bits(r), work)
            rows.append(row)
            sums.append(sum(row.values()))
            kept.append((len(row) + 2, bits))
    return tuple(rows), tuple(sums), tuple(kept)


def _scaled(targets: list[tuple[int, int, Fraction]], bits: int, work: Work) -> tuple[Row, int]:
    """The products of two numbers each, as integers without a common divisor."""
    below, longest = 1, 1
    for _, _, w in targets:
        work.spend(2, below.bit_length(), w.denominator.bit_length())
        longest = max(longest, w.denominator.bit_length())
        if below % w.denominator:
            work.reduce(max(below.bit_length(), w.denominator.bit_length()))
            below = lcm(below, w.denominator)
    bits += below.bit_length()  # w is at most 1
    work.keep(len(targets) + 2, bits)
    work.spend(3 * len(targets), bits, longest)
    row = {number: p * w.numerator * (below // w.denominator) for number, p, w in targets}
    common = 0
    for n in row.values():
        if common == 1:
            break
        work.reduce(bits)
        common = gcd(common, n)
    if common > 1:
        work.spend(len(row), bits, common.bit_length())
        row = {number: n // common for number, n in row.items()}
    return row, bits


def forget(chain: Chain, work: Work) -> None:
    """Give back the memory of a chain that is done with."""
    for numbers, bits in chain.kept:
        work.release(numbers, bits)


def _check_size(states: int, entries: int) -> None:
    if states > MOST_STATES:
        raise TooLarge(f"the current chain has more than {MOST_STATES} states")
    if entries > MOST_ENTRIES:
        raise TooLarge(f"the current chain has more than {MOST_ENTRIES} entries")
