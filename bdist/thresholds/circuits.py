"""Arithmetic on bit vectors, as clauses for a SAT solver.

A `Circuit` collects clauses. A `Number` is a list of literals, least significant bit first, never negative,
with the largest value that it can have; no operation overflows: a result is as wide as its largest possible
value. What constants decide is folded away, so an encoder may write its formulas plainly.

Sums are the one primitive; products and multiples are sums of shifted bits. A `Sum` collects weighted bits
and then compresses them column by column with full adders, as Wallace's and Dadda's multipliers do. Each full
adder makes one bit disappear, so a sum of products has no carry chains in between.

*One-sided circuits.* To require x y + z <= t one need not know x y + z: a number that is at least as large
will do. With `Sense.AT_LEAST` (and dually `AT_MOST`) a full adder only promises 2 carry + sum >= a + b + c.
That is 7 clauses instead of 14, none of them a parity, and a partial product takes 1 (or 2) instead of 3.
Every model of the exact circuit is one of the one-sided circuit, so nothing is lost by it. The product of
8 x 8 bits has 176 new variables and 424 clauses from above, 496 from below; exactly it would have 920.
Canonical signed digits would save 3 % of the clauses, but subtract, and a one-sided sum cannot.

CaDiCaL solves the whole CNF at once, through python-sat (`solve_cnf`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain, zip_longest
from pathlib import Path

from bdist.text.files import write_text

TRUE = 1
FALSE = -1


@dataclass(frozen=True)
class Number:
    """A nonnegative integer, known or not, and its largest value."""

    bits: list[int]
    most: int


class Sense(Enum):
    """What a sum promises: not to be below what is added up, or not above it."""

    AT_LEAST = ">="
    AT_MOST = "<="


class Circuit:
    """Clauses under construction. Variable 1 is true, so that the constants are literals."""

    def __init__(self) -> None:
        self.variables = 1
        self.clauses: list[list[int]] = [[TRUE]]

    def new(self) -> int:
        """A literal that nothing is known of."""
        self.variables += 1
        return self.variables

    def require(self, *literals: int) -> None:
        """Add a clause; false literals are left out, and so is a clause with a true one."""
        if TRUE not in literals:
            self.clauses.append([x for x in literals if x != FALSE] or [FALSE])

    def fresh(self, most: int) -> Number:
        """An unknown number from 0 to ``most``."""
        number = Number([self.new() for _ in range(most.bit_length())], most)
        self.require_at_most_constant(number, most)
        return number

    def require_at_most(self, a: Number, b: Number) -> None:
        """Require a <= b: the carries of b + not a + 1, each only implying its majority."""
        pairs = list(zip_longest(a.bits, b.bits, fillvalue=FALSE))
        if not pairs:
            return
        carry = TRUE
        for x, y in pairs[:-1]:
            carry = self._implies_majority(-x, y, carry)
        x, y = pairs[-1]
        for u, v in ((-x, y), (-x, carry), (y, carry)):
            self.require(u, v)

    def _implies_majority(self, a: int, b: int, c: int) -> int:
        a, b, c = sorted((a, b, c), key=abs)
        if abs(b) == TRUE:  # two constants agree, or the third decides
            return a if a == b else c
        y = self.new()
        self.require(-y, a, b)
        self.require(-y, a, c)
        if a != FALSE:
            self.require(-y, b, c)
        return y

    def require_at_most_constant(self, a: Number, most: int) -> None:
        """Require a <= most, without new variables: where most has a 0, a 1 needs a 0 above where most has a
        1.
        """
        if most < 0:
            self.require()
        if most < 0 or most >= (1 << len(a.bits)) - 1:
            return
        for k, bit in enumerate(a.bits):
            if not most >> k & 1:
                self.require(-bit, *(-a.bits[j] for j in range(k + 1, len(a.bits)) if most >> j & 1))

    def require_at_least_constant(self, a: Number, least: int) -> None:
        """Require a >= least."""
        if least > 0:
            largest = (1 << len(a.bits)) - 1
            self.require_at_most_constant(Number([-bit for bit in a.bits], largest), largest - least)

    def write_dimacs(self, path: Path, comments: Iterable[str] = ()) -> None:
        """Write the clauses as a DIMACS file, the comments (one line each) first."""
        said = (f"c {line}\n" for comment in comments for line in comment.splitlines() or [""])
        head = [f"p cnf {self.variables} {len(self.clauses)}\n"]
        clauses = (f"{' '.join(map(str, clause))} 0\n" for clause in self.clauses)
        write_text(path, chain(said, head, clauses))


class Sum:
    """Weighted bits and an integer that are to be added up; ``most`` is the largest value of all of it."""

    def __init__(self, circuit: Circuit, sense: Sense) -> None:
        self.circuit = circuit
        self.sense = sense
        self.most = 0
        self._constant = 0
        self._columns: dict[int, list[int]] = {}

    def add_constant(self, value: int) -> None:
        """Add a nonnegative integer."""
        self._constant += value
        self.most += value

    def add(self, number: Number, factor: int = 1) -> None:
        """Add ``factor``, a nonnegative integer, times a number."""
        self.most += factor * number.most
        for shift in range(factor.bit_length()):
            if factor >> shift & 1:
                for k, bit in enumerate(number.bits):
                    self._put(shift + k, bit)

    def add_product(self, a: Number, b: Number) -> None:
        """Add the product of two numbers."""
        self.most += a.most * b.most
        for k, x in enumerate(a.bits):
            for m, y in enumerate(b.bits):
                self._put(k + m, self._partial_product(x, y))

    def _partial_product(self, a: int, b: int) -> int:
        """A literal that is implied by a and b, or implies them."""
        if FALSE in (a, b):
            return FALSE
        if TRUE in (a, b):
            return b if a == TRUE else a
        y = self.circuit.new()
        self.circuit.clauses += [[y, -a, -b]] if self.sense is Sense.AT_LEAST else [[-y, a], [-y, b]]
        return y

    def _put(self, weight: int, bit: int) -> None:
        if bit == TRUE:
            self._constant += 1 << weight
        elif bit != FALSE:
            self._columns.setdefault(weight, []).append(bit)

    def number(self) -> Number:
        """The sum as a number, by column compression."""
        width = self.most.bit_length()
        waiting = [deque(self._columns.get(weight, ())) for weight in range(width + 1)]
        result = []
        for weight in range(width):
            column = waiting[weight]
            if self._constant >> weight & 1:
                column.append(TRUE)
            while len(column) > 1:
                third = column[2] if len(column) > 2 else FALSE
                low, high = self._full_adder(column.popleft(), column.popleft(), third)
                if third != FALSE:
                    column.popleft()
                column.append(low)
                waiting[weight + 1].append(high)
            result.append(column[0] if column else FALSE)
        for carry in waiting[width]:
            self.circuit.require(-carry)
        return Number(result, self.most)

    def _full_adder(self, a: int, b: int, c: int) -> tuple[int, int]:
        """(sum, carry): 2 carry + sum is not below a + b + c, or not above it; only c may be false."""
        if c == FALSE and TRUE in (a, b):
            x = b if a == TRUE else a
            return -x, x
        low, high = self.circuit.new(), self.circuit.new()
        if self.sense is Sense.AT_MOST:
            self._require_at_most(low, high, a, b, c)
        else:  # 3 - (2 high + low) <= 3 - (a + b + c)
            self._require_at_most(-low, -high, -a, -b, -c)
        return low, high

    def _require_at_most(self, low: int, high: int, a: int, b: int, c: int) -> None:
        """2 high + low <= a + b + c, at most one of the three being constant."""
        circuit = self.circuit
        a, b, c = sorted((a, b, c), key=lambda x: abs(x) != TRUE)
        if a == FALSE:
            circuit.clauses += [[-high, b], [-high, c], [-low, b, c], [-low, -high]]
            return
        for u, v in ((a, b), (a, c), (b, c)):
            circuit.require(-high, u, v)
        circuit.require(-low, a, b, c)
        for u in (a, b, c):
            circuit.require(-low, -high, u)


def constant(value: int) -> Number:
    """A nonnegative integer as a number."""
    return Number([TRUE if value >> k & 1 else FALSE for k in range(value.bit_length())], value)


def decode(number: Number, model: Sequence[int]) -> int:
    """The value of a number in a model; ``model[k]`` is the literal of variable k + 1, as solvers give it.

    A variable beyond the model stands in no clause and may have any value: 0 is taken.
    """
    return sum(
        1 << k
        for k, x in enumerate(number.bits)
        if (model[abs(x) - 1] == x if abs(x) <= len(model) else x < 0)
    )


def solve_cnf(clauses: Sequence[Sequence[int]]) -> list[int] | None:
    """A satisfying assignment as a list of literals, or None where there is none.

    Requires: literals are nonzero integers as in DIMACS.
    """
    from pysat.solvers import Cadical195  # imported when first used

    with Cadical195(bootstrap_with=clauses) as solver:
        return solver.get_model() if solver.solve() else None
