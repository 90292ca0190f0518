"""Arithmetic on bit vectors, as clauses for a SAT solver.

A `Circuit` collects clauses. A gate returns the literal of its output; what constants decide is folded away,
and a gate that was made before is returned again, so an encoder may write its formulas plainly. A number is a
list of literals, least significant bit first, never negative, and no operation overflows: a result is as wide
as its largest possible value.

Sums are the one primitive; products and multiples are sums of shifted bits. A `Sum` collects weighted bits
and then compresses them column by column with full adders, as Wallace's and Dadda's multipliers do, those
that arrived first being taken first. Each full adder makes one bit disappear, in whatever order, so it is
as small as any, and a sum of products has no carry chains in between.

*One-sided circuits.* To require x y + z <= t one need not know x y + z: a number that is at least as large
will do. With `Sense.AT_LEAST` (and dually `AT_MOST`) a full adder only promises 2 carry + sum >= a + b + c.
That is 7 clauses instead of 14, none of them a parity, and a partial product takes 1 (or 2) instead of 3.
Every model of the exact circuit is one of the one-sided circuit, so nothing is lost by it. Only an inequality
between two sums may be built so; `require_at_most` compares.

Measured: the product of 8 x 8 bits has 176 new variables and 920 clauses exactly, 424 clauses from above, 496
from below. Shift-and-add, an adder a row, has exactly as many: what column compression changes is the depth,
not the size. Multiples are sums of plain shifts: canonical signed digits saved 3 % of the clauses of the
threshold formulas, but subtract, and a one-sided sum cannot.

CaDiCaL solves the whole CNF at once, through python-sat (`solve_cnf`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import chain, product, zip_longest
from pathlib import Path

from bdist.text.writing import write_text

Vector = list[int]

TRUE = 1
FALSE = -1


class Sense(Enum):
    """What the vector of a sum promises: to be the sum, or only not to be below or above it."""

    EXACT = "="
    AT_LEAST = ">="
    AT_MOST = "<="


class Circuit:
    """Clauses under construction. Variable 1 is true, so that the constants are literals."""

    def __init__(self) -> None:
        self.variables = 1
        self.clauses: list[list[int]] = [[TRUE]]
        self._gates: dict[tuple[str, int, int, int], int] = {}

    def new(self) -> int:
        """A literal that nothing is known of."""
        self.variables += 1
        return self.variables

    def require(self, *literals: int) -> None:
        """Add a clause; false literals are left out, and so is a clause with a true one."""
        if TRUE not in literals:
            self.clauses.append([x for x in literals if x != FALSE] or [FALSE])

    def both(self, a: int, b: int) -> int:
        """a and b."""
        folded = _fold_and(a, b)
        if folded is not None:
            return folded
        key = ("and", min(a, b), max(a, b), 0)
        if key not in self._gates:
            y = self._gates[key] = self.new()
            self.clauses += [[-y, a], [-y, b], [y, -a, -b]]
        return self._gates[key]

    def either(self, a: int, b: int) -> int:
        """a or b."""
        return -self.both(-a, -b)

    def parity(self, a: int, b: int, c: int = FALSE) -> int:
        """Whether an odd number of the literals is true."""
        inputs: set[int] = set()
        flip = False
        for x in (a, b, c):
            flip ^= (x < 0) != (abs(x) == TRUE)
            inputs ^= {abs(x)} - {TRUE}
        y = self._parity_of(sorted(inputs))
        return -y if flip else y

    def _parity_of(self, inputs: list[int]) -> int:
        if len(inputs) < 2:
            return inputs[0] if inputs else FALSE
        key = ("xor", inputs[0], inputs[1], inputs[2] if len(inputs) == 3 else 0)
        if key not in self._gates:
            y = self._gates[key] = self.new()
            self.clauses += _even_clauses([*inputs, y])
        return self._gates[key]

    def majority(self, a: int, b: int, c: int) -> int:
        """Whether at least two of the literals are true."""
        a, b, c = sorted((a, b, c), key=abs)
        if a == -b:
            return c
        if b == -c:
            return a
        if a == b or b == c:
            return b
        if abs(a) == TRUE:
            return self.either(b, c) if a == TRUE else self.both(b, c)
        sign = 1 if a > 0 else -1  # the majority of the opposites is the opposite
        a, b, c = sign * a, sign * b, sign * c
        key = ("maj", a, b, c)
        if key not in self._gates:
            y = self._gates[key] = self.new()
            for u, v in ((a, b), (a, c), (b, c)):
                self.clauses += [[-y, u, v], [y, -u, -v]]
        return sign * self._gates[key]

    def partial_product(self, a: int, b: int, sense: Sense) -> int:
        """A literal that is a and b, or is implied by it, or implies it."""
        if sense is Sense.EXACT:
            return self.both(a, b)
        folded = _fold_and(a, b)
        if folded is not None:
            return folded
        key = (sense.value, min(a, b), max(a, b), 0)
        if key not in self._gates:
            y = self._gates[key] = self.new()
            self.clauses += [[y, -a, -b]] if sense is Sense.AT_LEAST else [[-y, a], [-y, b]]
        return self._gates[key]

    def full_adder(self, a: int, b: int, c: int, sense: Sense = Sense.EXACT) -> tuple[int, int]:
        """(sum, carry): 2 carry + sum is a + b + c, or not below it, or not above it."""
        if sense is Sense.EXACT or sum(abs(x) == TRUE for x in (a, b, c)) >= 2:
            return self.parity(a, b, c), self.majority(a, b, c)
        low, high = self.new(), self.new()
        if sense is Sense.AT_MOST:
            self._require_at_most_sum(low, high, a, b, c)
        else:  # 3 - (2 high + low) <= 3 - (a + b + c)
            self._require_at_most_sum(-low, -high, -a, -b, -c)
        return low, high

    def _require_at_most_sum(self, low: int, high: int, a: int, b: int, c: int) -> None:
        """2 high + low <= a + b + c, at most one of the three being constant."""
        a, b, c = sorted((a, b, c), key=lambda x: abs(x) != TRUE)
        if a == FALSE:
            self.clauses += [[-high, b], [-high, c], [-low, b, c], [-low, -high]]
            return
        for u, v in ((a, b), (a, c), (b, c)):
            self.require(-high, u, v)
        self.require(-low, a, b, c)
        for u in (a, b, c):
            self.require(-low, -high, u)

    def fresh(self, most: int) -> Vector:
        """An unknown number from 0 to ``most``."""
        vector = [self.new() for _ in range(most.bit_length())]
        self.require_at_most_constant(vector, most)
        return vector

    def require_at_most(self, a: Sequence[int], b: Sequence[int]) -> None:
        """Require a <= b: the carries of b + not a + 1, each only implying its majority."""
        pairs = _aligned(a, b)
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
        if abs(b) == TRUE:
            return self.majority(a, b, c)
        y = self.new()
        self.require(-y, a, b)
        self.require(-y, a, c)
        if a != FALSE:
            self.require(-y, b, c)
        return y

    def require_at_most_constant(self, a: Sequence[int], most: int) -> None:
        """Require a <= most, without new variables: where most has a 0, a 1 needs a 0 above where most has a
        1.
        """
        if most < 0:
            self.require()
        if most < 0 or most >= _largest(a):
            return
        for k, bit in enumerate(a):
            if not most >> k & 1:
                self.require(-bit, *(-a[j] for j in range(k + 1, len(a)) if most >> j & 1))

    def require_at_least_constant(self, a: Sequence[int], least: int) -> None:
        """Require a >= least."""
        if least > 0:
            self.require_at_most_constant([-bit for bit in a], (1 << len(a)) - 1 - least)

    def write_dimacs(self, path: Path, comments: Iterable[str] = ()) -> None:
        """Write the clauses as a DIMACS file, the comments (one line each) first."""
        said = (f"c {line}\n" for comment in comments for line in comment.splitlines() or [""])
        head = [f"p cnf {self.variables} {len(self.clauses)}\n"]
        clauses = (f"{' '.join(map(str, clause))} 0\n" for clause in self.clauses)
        write_text(path, chain(said, head, clauses))


class Sum:
    """Weighted bits and an integer that are to be added up; ``most`` is the largest value of all of it."""

    def __init__(self, circuit: Circuit, sense: Sense = Sense.EXACT) -> None:
        self.circuit = circuit
        self.sense = sense
        self.most = 0
        self._constant = 0
        self._columns: dict[int, list[int]] = {}

    def add_constant(self, value: int) -> None:
        """Add a nonnegative integer."""
        self._constant += value
        self.most += value

    def add(self, vector: Sequence[int], factor: int = 1, most: int | None = None) -> None:
        """Add ``factor`` (a nonnegative integer) times a vector that is known to be at most ``most``."""
        self.most += factor * (_largest(vector) if most is None else most)
        for shift in range(factor.bit_length()):
            if factor >> shift & 1:
                for k, bit in enumerate(vector):
                    self._put(shift + k, bit)

    def add_product(self, a: Sequence[int], b: Sequence[int], most: int | None = None) -> None:
        """Add the product of two vectors, which is known to be at most ``most``."""
        self.most += _largest(a) * _largest(b) if most is None else most
        for k, x in enumerate(a):
            for m, y in enumerate(b):
                self._put(k + m, self.circuit.partial_product(x, y, self.sense))

    def _put(self, weight: int, bit: int) -> None:
        if bit == TRUE:
            self._constant += 1 << weight
        elif bit != FALSE:
            self._columns.setdefault(weight, []).append(bit)

    def vector(self) -> Vector:
        """The sum as a vector, by column compression."""
        width = self.most.bit_length()
        waiting = [deque(self._columns.get(weight, ())) for weight in range(width + 1)]
        result = []
        for weight in range(width):
            column = waiting[weight]
            if self._constant >> weight & 1:
                column.append(TRUE)
            while len(column) > 1:
                third = column[2] if len(column) > 2 else FALSE
                low, high = self.circuit.full_adder(column.popleft(), column.popleft(), third, self.sense)
                if third != FALSE:
                    column.popleft()
                column += [low] if low != FALSE else []
                waiting[weight + 1] += [high] if high != FALSE else []
            result.append(column[0] if column else FALSE)
        for carry in waiting[width]:
            self.circuit.require(-carry)
        return result


def constant(value: int) -> Vector:
    """The vector of a nonnegative integer."""
    return [TRUE if value >> k & 1 else FALSE for k in range(value.bit_length())]


def decode(vector: Sequence[int], model: Sequence[int]) -> int:
    """The value of a vector in a model; ``model[k]`` is the literal of variable k + 1, as solvers give it.

    A variable beyond the model stands in no clause and may have any value: 0 is taken.
    """
    return sum(
        1 << k for k, x in enumerate(vector) if (model[abs(x) - 1] == x if abs(x) <= len(model) else x < 0)
    )


def _largest(vector: Sequence[int]) -> int:
    return (1 << len(vector)) - 1


def _aligned(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip_longest(a, b, fillvalue=FALSE))


def _fold_and(a: int, b: int) -> int | None:
    """a and b where that needs no gate."""
    if FALSE in (a, b) or a == -b:
        return FALSE
    if a in (TRUE, b):
        return b
    return a if b == TRUE else None


def _even_clauses(inputs: Sequence[int]) -> list[list[int]]:
    """The clauses that say that an even number of the literals is true: each forbids one odd choice."""
    return [
        [-x if chosen else x for x, chosen in zip(inputs, choice, strict=True)]
        for choice in product((False, True), repeat=len(inputs))
        if sum(choice) % 2
    ]


def solve_cnf(clauses: Sequence[Sequence[int]]) -> list[int] | None:
    """A satisfying assignment as a list of literals, or None where there is none.

    Requires: literals are nonzero integers as in DIMACS.
    """
    from pysat.solvers import Cadical195  # imported when first used

    with Cadical195(bootstrap_with=clauses) as solver:
        return solver.get_model() if solver.solve() else None
