"""The probability that linear comparisons of independent Laplace samples hold, as a function of ε.

Real samples have mean 0 and the densities (a ε / 2) e^(−a ε |x|). In z = ε x the ε is gone from them, and
stands in the comparisons in place of 1; so it is one more variable, over which nothing is integrated. The
integrand is a sum of terms c · z^p · e^(λ z) with linear forms λ, on cells of linear comparisons. Integrate
over one variable after the other. On a cell, split by which lower bound of the variable is the largest, and
which upper bound the least; then the integral is the antiderivative at one minus that at the other, and both
are sums of such terms again. In the end ε alone is left, and the terms are c ε^j e^(k ε).

Integer samples have the probabilities (1 − e^(−a ε)) / (1 + e^(−a ε)) · e^(−a ε |n|). Everything is the same
with sums for integrals, if v^p w^v, with w = e^(λ ε), has an antidifference G: w^(v+1) G(v + 1) − w^v G(v) =
v^p w^v. It has, with powers of 1/(w − 1) in it, the *poles* of a term. Bounds are integers as long as the
coefficient of the variable is ±1. Other comparisons of integer samples are brought to that form first: a
sample is written as m z + r, for each remainder r from 0 to m − 1, with m such that the coefficients in a
comparison become equal, and go away when it is divided by them. z ≥ 0 is where m z + r ≥ 0.

Only the factors that a variable is in are multiplied when it is eliminated. So a tree of comparisons (a
threshold and many queries, or a maximum) is never split into more cells than it has constants; cycles are.

Why nothing diverges: on each cell of the beginning the exponent is −Σ a_i |z_i|, which falls along every ray
of the cell. The antiderivative is taken at points of the closed cell, so its exponent falls along every ray
of what is left of it. An integral without an upper bound has such a ray, so its λ is negative there.

*Cells* are the points that satisfy some linear inequalities. A constraint is a tuple of integers c, one for
each variable and one more, and says

    c_1 z_1 + ... + c_n z_n + c_(n+1) E < 0         (real variables; E is a multiple of ε, and positive)
    c_1 z_1 + ... + c_n z_n + c_(n+1)   ≤ 0         (integer variables)

so scaling ε scales real cells, and the same formula serves for all ε. Among reals < and ≤ are the same, up
to sets of measure 0: a cell whose inequalities hold together only at its boundary is empty. Empty cells must
be found: on one, an integral over a variable without a bound may diverge. That is decided by taking out one
variable after the other, each lower bound of it below each upper one (Fourier and Motzkin), until 0 < 0 comes
out or nothing is left. Of constraints in the same direction the tightest is kept; so comparisons of two
variables, which most are, never become more than there are pairs. For integers it decides whether there are
rational points; elimination is done with coefficients ±1 only, and then a cell with a rational point has an
integer one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, gcd, lcm, perm, prod
from typing import Any, NamedTuple

from ..core import TooLarge
from ..core.limits import Work
from .exponentials import ONE, Exponential, Quotient, add_quotients

MOST_REMAINDERS = 1_000  # of all samples of a set of comparisons together

# --- cells ---


Constraint = tuple[int, ...]
Cell = tuple[Constraint, ...]  # sorted, and none follows from the others

_Number = int | Fraction


class Space:
    """So many variables, all real or all integer; remembers which cells are empty."""

    def __init__(self, variables: int, integer: bool, work: Work) -> None:
        self.variables = variables
        self.integer = integer
        self._work = work
        self._irredundant = cache(self._find_irredundant)

    def constraint(self, numbers: Sequence[_Number]) -> Constraint | bool:
        """The constraint with these coefficients; or whether it holds, if no variable is in it."""
        scale = 1
        for number in numbers:
            scale = scale * number.denominator // gcd(scale, number.denominator)
        whole = [number.numerator * (scale // number.denominator) for number in numbers]
        if not any(whole[:-1]):
            return whole[-1] <= 0 if self.integer else whole[-1] < 0
        if self.integer:
            common = gcd(*whole[:-1])
            return (*(c // common for c in whole[:-1]), -(-whole[-1] // common))
        common = gcd(*whole)
        return tuple(c // common for c in whole)

    def opposite(self, constraint: Constraint) -> Constraint:
        """The constraint that holds where this one does not."""
        *most, last = (-c for c in constraint)
        return (*most, last + 1) if self.integer else (*most, last)

    def reduce(self, constraints: Iterable[Constraint]) -> Cell | None:
        """The cell of these constraints without those that follow from others, or None if it is empty.

        Raises: TooLarge.
        """
        return self._irredundant(frozenset(constraints))

    def _find_irredundant(self, constraints: frozenset[Constraint]) -> Cell | None:
        """The constraints that do not follow from the others."""
        self._work.keep(len(constraints) * (self.variables + 1) + 1, 0)
        if not self.feasible(tuple(constraints)):
            return None
        kept = sorted(constraints)
        for constraint in list(kept):
            others = [c for c in kept if c is not constraint]
            if not self.feasible((*others, self.opposite(constraint))):
                kept = others
        return tuple(kept)

    def feasible(self, constraints: tuple[Constraint, ...]) -> bool:
        """Whether all hold at some point, for reals at one of the interior. Raises: TooLarge."""
        left = set(range(self.variables))
        rows = _tightest(constraints)
        while rows:
            below, above, rest = min(
                (_sides(rows, i) for i in left), key=lambda sides: len(sides[0]) * len(sides[1])
            )
            self._work.spend((len(below) * len(above) + len(rows) + 1) * (self.variables + 1))
            made = [
                tuple(x * -low[0] + y * high[0] for x, y in zip(high[1], low[1], strict=True))
                for low in below
                for high in above
            ]
            for row in made:
                if not any(row[:-1]) and (row[-1] > 0 or (row[-1] == 0 and not self.integer)):
                    return False
            rows = _tightest([*rest, *(row for row in made if any(row[:-1]))])
            left = {i for i in left if any(row[i] for row in rows)}
        return True


def _sides(
    rows: list[Constraint], variable: int
) -> tuple[list[tuple[int, Constraint]], list[tuple[int, Constraint]], list[Constraint]]:
    """The constraints that bound a variable from below and from above, with its coefficient, and others."""
    signed = [(row[variable], row) for row in rows]
    rest = [row for c, row in signed if not c]
    return [pair for pair in signed if pair[0] < 0], [pair for pair in signed if pair[0] > 0], rest


def _tightest(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Of constraints in the same direction the tightest, with coefficients in lowest terms."""
    found: dict[tuple[int, ...], tuple[Fraction, Constraint]] = {}
    for row in constraints:
        common = gcd(*row[:-1])
        direction, bound = tuple(c // common for c in row[:-1]), Fraction(row[-1], common)
        if direction not in found or bound > found[direction][0]:
            scale = bound.denominator
            found[direction] = bound, (*(c * scale for c in direction), bound.numerator)
    return [row for _, row in found.values()]


# --- integrals ---


Form = tuple[_Number, ...]  # coefficients of the variables, and of E (of 1, for integers)
Poles = tuple[tuple[_Number, int], ...]  # s and m stand for 1 / (1 − e^(−s E))^m
Terms = dict["Term", Fraction]
Factor = dict[Cell, Terms]  # the sum, over the cells in which a point is, of their terms
Part = tuple[Fraction, int, int, int]  # c v^p w^i / (w − 1)^m of an antiderivative, without its e^(λ v)


class Term(NamedTuple):
    """e^(form), times powers of the variables and of E, times poles."""

    form: Form
    powers: tuple[int, ...]
    poles: Poles = ()


class Elimination:
    """The probability that Σ c_i x_i + c < 0 (≤ 0 for integers) for all comparisons (c_1, ..., c_n, c).

    Kept are the factors that are still to be multiplied, and integrated over the variables that are left.
    """

    def __init__(
        self,
        scales: Sequence[Fraction],
        comparisons: Iterable[Sequence[Fraction | int]],
        integer: bool,
        work: Work,
        remainders: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        """Requires: the samples have the scales a_i ε with a_i > 0 and mean 0.

        With ``remainders``, an m and an r for each sample, samples are integers that leave r, divided by m.
        """
        self._work, self._integer = work, integer
        n = len(scales)
        self._remainders = remainders or [(1, 0)] * n
        self._space = Space(n, integer, work)
        rows = [self._on_remainders([Fraction(c) for c in row]) for row in comparisons]
        common = lcm(*(a.denominator for a in scales))
        finer = 1 if integer else lcm(*(row[-1].denominator for row in rows))
        self._unit = common * finer  # E = ε / unit; for integers exponents are multiples of ε / unit
        self._rates = [int(a * common) for a in scales]
        self._powers: tuple[int, ...] = (0,) * (n + 1)
        self._one: Terms = {Term(self._powers, self._powers): Fraction(1)}
        self._power = cache(self._find_power)
        self._factors: list[Factor] = [self._density(i) for i in range(n)]
        for row in rows:
            constraint = self._space.constraint((*row[:-1], row[-1] * finer))
            if constraint is False:
                self._factors.append({})
            elif constraint is not True:
                self._factors.append({(constraint,): self._one})

    def _on_remainders(self, row: list[Fraction]) -> list[Fraction]:
        """A comparison of samples m z + r as one of the z."""
        constant = row[-1] + sum(c * r for c, (_, r) in zip(row, self._remainders, strict=False))
        return [*(c * m for c, (m, _) in zip(row, self._remainders, strict=False)), constant]

    def probability(self) -> Quotient:
        """What is left when all variables are gone. Raises: TooLarge."""
        left = set(range(self._space.variables))
        while left:
            variable = min(left, key=self._cost)
            left.remove(variable)
            mine = [factor for factor in self._factors if _mentions(factor, variable)]
            self._factors = [factor for factor in self._factors if not _mentions(factor, variable)]
            self._factors.append(self._eliminate(variable, mine))
        terms = self._one
        for factor in self._factors:
            terms = self._multiply(terms, factor.get((), {}))
        return self._sum_up(terms) if self._integer else Quotient(self._function(terms))

    def _cost(self, variable: int) -> tuple[bool, int, int]:
        """How many variables would stand in the product of the factors of a variable, and its cells.

        Integer variables with coefficients other than ±1 come last: they may be alone by then.
        """
        others: set[int] = set()
        cells = 1
        for factor in self._factors:
            if _mentions(factor, variable):
                others.update(i for cell in factor for c in cell for i, x in enumerate(c[:-1]) if x)
                cells *= len(factor)
        uneven = any(
            abs(c[variable]) > 1 for factor in self._factors for cell in factor for c in cell if self._integer
        )
        return uneven, len(others), cells

    def _density(self, variable: int) -> Factor:
        """The density of a sample on both sides of 0; what integers are normalised by comes in the end."""
        rate = self._rates[variable]
        m, r = self._remainders[variable]
        up = tuple(int(i == variable) for i in range(self._space.variables + 1))
        down = tuple(-x for x in up)
        rising = (*(rate * m * x for x in up[:-1]), rate * r)
        # integers: z ≤ −1 and z ≥ 0
        left = (*up[:-1], 1) if self._integer else up
        weight = Fraction(1) if self._integer else Fraction(rate, 2)
        return {
            (left,): {Term(rising, self._powers): weight},
            (down,): {Term(tuple(-x for x in rising), self._powers): weight},
        }

    def _eliminate(self, variable: int, factors: list[Factor]) -> Factor:
        """The integral of the product of these factors over a variable."""
        product: Factor = {(): self._one}
        for factor in sorted(factors, key=len):
            product = self._product(product, factor)
        found: Factor = {}
        for cell, terms in product.items():
            bounds = [(c[variable], self._bound(c, variable)) for c in cell if c[variable]]
            below: list[Any] = [form for c, form in bounds if c < 0] or [None]
            above: list[Any] = [form for c, form in bounds if c > 0] or [None]
            rest = [c for c in cell if not c[variable]]
            for i, low in enumerate(below):
                for j, high in enumerate(above):
                    # Where low is the largest of the lower bounds, high the least of the upper ones, and low
                    # below high. Of equal integer bounds the first counts, so that the parts are disjoint.
                    negative = [(_minus(other, low), k < i) for k, other in enumerate(below) if k != i]
                    negative += [(_minus(high, other), k < j) for k, other in enumerate(above) if k != j]
                    if low is not None and high is not None:
                        negative.append((_minus(low, high), False))
                    part = self._cell(rest, negative)
                    if part is not None:
                        self._integrate(terms, variable, low, high, found.setdefault(part, {}))
        return {
            cell: clean
            for cell, terms in found.items()
            if (clean := {key: c for key, c in terms.items() if c})
        }

    def _cell(self, rest: list[Constraint], negative: list[tuple[Form, bool]]) -> Cell | None:
        """The part of a cell where these forms are negative, integers at most 0 or at most −1; or None."""
        wanted = list(rest)
        for form, strict in negative:
            constraint = self._space.constraint((*form[:-1], form[-1] + int(strict and self._integer)))
            if constraint is False:
                return None
            if constraint is not True:
                wanted.append(constraint)
        return self._space.reduce(wanted)

    def _bound(self, constraint: Constraint, variable: int) -> Form:
        """The bound that a constraint is of a variable, as a form of the others."""
        by = -constraint[variable]
        if self._integer and abs(by) != 1:
            raise TooLarge("comparisons of integer samples with factors that remainders do not make 1 or -1")
        return tuple(0 if i == variable else _quotient(c, by) for i, c in enumerate(constraint))

    def _integrate(
        self, terms: Terms, variable: int, low: Form | None, high: Form | None, total: Terms
    ) -> None:
        """Add the integral of terms from one bound to another, or the sum with both bounds included."""
        if high is not None and self._integer:
            high = (*high[:-1], high[-1] + 1)
        for term, c in terms.items():
            rate = term.form[variable]
            if (high is None and rate >= 0) or (low is None and rate <= 0):
                raise TooLarge("an integral that is not known to converge")
            for end, sign in ((high, 1), (low, -1)):
                if end is not None:
                    self._substitute(term, sign * c, variable, end, total)

    def _substitute(self, term: Term, c: Fraction, variable: int, end: Form, total: Terms) -> None:
        """Add c times the antiderivative of a term, where the variable is a form of the others."""
        rate, power = term.form[variable], term.powers[variable]
        parts = antidifference(rate == 0, power) if self._integer else antiderivative(rate, power)
        there = tuple(
            0 if i == variable else x + rate * y for i, (x, y) in enumerate(zip(term.form, end, strict=True))
        )
        others = tuple(0 if i == variable else p for i, p in enumerate(term.powers))
        for coefficient, p, shift, pole in parts:
            where, sign, poles = there, 1, term.poles
            if self._integer and rate:
                # w^i / (w − 1)^m with w = e^(rate): w − 1 is e^(rate) (1 − e^(−rate)), or −(1 − e^(rate))
                where = (*there[:-1], there[-1] + rate * (shift - pole if rate > 0 else shift))
                sign = 1 if rate > 0 or pole % 2 == 0 else -1
                poles = _add_poles(poles, ((max(rate, -rate), pole),))
            expanded = self._power(end, p)
            self._work.spend(len(expanded) * 4)
            for monomial, weight in expanded.items():
                key = Term(where, tuple(map(int.__add__, others, monomial)), poles)
                total[key] = total.get(key, 0) + sign * c * coefficient * weight

    def _find_power(self, form: Form, power: int) -> dict[tuple[int, ...], Fraction]:
        """A power of a linear form as a polynomial; for integers E is 1."""
        if not power:
            return {self._powers: Fraction(1)}
        found: dict[tuple[int, ...], Fraction] = {}
        for monomial, c in self._power(form, power - 1).items():
            for i, x in enumerate(form):
                if x:
                    constant = self._integer and i == len(form) - 1
                    key = monomial if constant else (*monomial[:i], monomial[i] + 1, *monomial[i + 1 :])
                    found[key] = found.get(key, Fraction(0)) + c * x
        self._work.spend(len(found) * len(form))
        return found

    def _product(self, left: Factor, right: Factor) -> Factor:
        found: Factor = {}
        for cell, terms in left.items():
            for other, theirs in right.items():
                both = self._space.reduce((*cell, *other))
                if both is not None:
                    total = found.setdefault(both, {})
                    for key, c in self._multiply(terms, theirs).items():
                        total[key] = total.get(key, 0) + c
        return found

    def _multiply(self, left: Terms, right: Terms) -> Terms:
        self._work.spend(4 * len(left) * len(right))
        found: Terms = {}
        for (form, powers, poles), c in left.items():
            for (form2, powers2, poles2), c2 in right.items():
                key = Term(
                    tuple([x + y for x, y in zip(form, form2, strict=True)]),
                    tuple(map(int.__add__, powers, powers2)),
                    _add_poles(poles, poles2),
                )
                found[key] = found.get(key, 0) + c * c2
        return found

    def _function(self, terms: Terms) -> Exponential:
        """Terms in E alone as a function of ε."""
        found: dict[tuple[Fraction, int], Fraction] = {}
        for (form, powers, _), c in terms.items():
            key = (Fraction(form[-1]) / self._unit, powers[-1])
            found[key] = found.get(key, Fraction(0)) + c / self._unit ** powers[-1]
        return Exponential.of({key: c for key, c in found.items() if c})

    def _sum_up(self, terms: Terms) -> Quotient:
        """Terms with poles over one denominator, times what normalises the samples."""
        most: dict[_Number, int] = {}
        for _, _, poles in terms:
            for s, m in poles:
                most[s] = max(m, most.get(s, 0))
        groups: dict[Poles, Terms] = {}
        for (form, powers, poles), c in terms.items():
            groups.setdefault(poles, {})[Term(form, powers)] = c
        total = Exponential({})
        for poles, group in groups.items():
            missing = dict(most)
            for s, m in poles:
                missing[s] -= m
            part = self._function(group)
            for s, m in missing.items():
                part = part.times(self._one_plus(-1, s).power(m, self._work), self._work)
            total = total.plus(part, self._work)
        found = Quotient(total)
        for rate in self._rates:
            if most.get(rate, 0):  # a factor of the samples cancels a pole
                most[rate] -= 1
            else:
                found = found.times(Quotient(self._one_plus(-1, rate)), self._work)
            found = found.times(Quotient.ratio(ONE, self._one_plus(1, rate), self._work), self._work)
        for s, m in most.items():
            pole = Quotient.ratio(ONE, self._one_plus(-1, s), self._work)
            for _ in range(m):
                found = found.times(pole, self._work)
        return found

    def _one_plus(self, sign: int, s: _Number) -> Exponential:
        """1 ± e^(−s E)."""
        return Exponential.of({(Fraction(0), 0): Fraction(1), (Fraction(-s) / self._unit, 0): Fraction(sign)})


def likelihood(
    scales: Sequence[Fraction], comparisons: Sequence[Sequence[Fraction | int]], integer: bool, work: Work
) -> Quotient:
    """The probability that comparisons Σ c_i x_i + c < 0, of integers ≤ 0, hold. Raises: TooLarge."""
    if not integer:
        return Elimination(scales, comparisons, integer, work).probability()
    moduli = _moduli(len(scales), comparisons)
    found = []
    for remainders in product(*map(range, moduli)):
        pairs = list(zip(moduli, remainders, strict=True))
        found.append(Elimination(scales, comparisons, integer, work, pairs).probability())
    return found[0] if len(found) == 1 else add_quotients(found, work)


def _moduli(samples: int, comparisons: Sequence[Sequence[Fraction | int]]) -> list[int]:
    """An m for each sample, so that |c_i| m_i are equal in each comparison; all 1 if that takes many."""
    moduli = [1] * samples
    uneven = True
    while uneven:
        uneven = False
        for row in comparisons:
            sizes = [abs(int(c)) * m for c, m in zip(row[:-1], moduli, strict=True)]
            common = lcm(*filter(None, sizes))
            if len(set(sizes) - {0}) > 1:
                uneven = True
                moduli = [m * common // (s or common) for m, s in zip(moduli, sizes, strict=True)]
        if prod(moduli) > MOST_REMAINDERS:
            return [1] * samples
    return moduli


def antiderivative(rate: _Number, power: int) -> list[Part]:
    """Of z^p e^(λ z), without its e^(λ z): Σ (−1)^i p!/(p − i)! z^(p − i) / λ^(i+1), or z^(p+1)/(p + 1)."""
    if rate == 0:
        return [(Fraction(1, power + 1), power + 1, 0, 0)]
    return [
        (Fraction((-1) ** i * perm(power, i)) / Fraction(rate) ** (i + 1), power - i, 0, 0)
        for i in range(power + 1)
    ]


@cache
def antidifference(flat: bool, power: int) -> list[Part]:
    """G with w G(v + 1) − G(v) = v^p, and w = 1 if flat: with T G = w G(v + 1) − G(v),

    T v^p = (w − 1) v^p + w Σ_{i<p} C(p, i) v^i, so that G_p = (v^p − w Σ_{i<p} C(p, i) G_i) / (w − 1); and
    if w = 1, T v^(p+1) = (p + 1) v^p + Σ_{i<p} C(p + 1, i) v^i, so that G_p is the same with p + 1 for w − 1.
    """
    parts: dict[tuple[int, int, int], Fraction] = {}
    top = power + 1 if flat else power
    own = Fraction(1, power + 1) if flat else Fraction(1)
    parts[top, 0, 0 if flat else 1] = own
    for i in range(power):
        for c, p, shift, pole in antidifference(flat, i):
            key = (p, shift, pole) if flat else (p, shift + 1, pole + 1)
            parts[key] = parts.get(key, Fraction(0)) - own * comb(top, i) * c
    return [(c, *key) for key, c in parts.items() if c]


def _mentions(factor: Factor, variable: int) -> bool:
    return any(c[variable] for cell in factor for c in cell)


def _minus(left: Form, right: Form) -> Form:
    return tuple(x - y for x, y in zip(left, right, strict=True))


def _quotient(above: int, below: int) -> _Number:
    return above // below if above % below == 0 else Fraction(above, below)


def _add_poles(left: Poles, right: Poles) -> Poles:
    if not left or not right:
        return tuple((s, m) for s, m in left or right if m)
    found = dict(left)
    for s, m in right:
        found[s] = found.get(s, 0) + m
    return tuple(sorted((s, m) for s, m in found.items() if m))
