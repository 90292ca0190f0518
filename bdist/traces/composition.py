"""Products of privacy-loss distributions: exact while they are short, then on a grid, rounded to both sides.

Two independent releases have the product of their likelihood ratios, so atoms (p, q) and (p', q') make the
atom (p p', q q'). A thousand releases of a coin would make 2^1000 atoms; but equal ratios are one atom, and a
thousand times the same coin is 1,001 of them. Three ways lead there.

*Powers as polynomials.* Write the ratios as products of powers of coprime numbers (`_coprime_base`). Then
equal ratios are equal vectors of exponents, and in a basis of the lattice that these span (`_coordinates`)
the k-fold product is the k-th power of one polynomial for s and of one for t. FLINT raises them. The number
of terms is bounded before: by the multisets of k atoms, and by the box of exponents.

*Pairs.* Any two lists, atom by atom. Ratios are compared by a residue modulo a large prime first, which
multiplies as they do, and merged only after an exact comparison.

*The grid.* Ratios are moved to the powers e^(h k) of a step h that is a power of two, and a product is then a
convolution. The *upper* side splits an atom on two neighbouring grid ratios g <= p/q <= G, so that both
masses are kept: q_hi = (p - g q) / (G - g), p_hi = G q_hi. An observer who is told which half he is in knows
more, so delta can only rise, at every alpha and in both orders; and a product of two distributions that
dominate is one that dominates. The *lower* side adds the atoms of a cell: an observer who cannot tell them
apart knows less. Errors are of second order in h on both sides.

Masses on the grid are integers over 2^BITS. On the upper side p is rounded up and q down, on the lower side
the other way. max(0, p - alpha q) is monotone in both, so a rounded convolution bounds the ideal one index by
index, where the ideal p is rho^k times the ideal q. Tails of less mass than what is lost to rounding anyway
are cut off: on the upper side p moves to ratio infinity and q to ratio 0, on the lower side they are added to
the last cell.

The step grows with the number c of factors that a product holds: of K factors in all it then adds
K/c h^2/8 to the variance of the loss, so h ~ sqrt(c) makes all levels count the same, with the same number of
points. Where many different factors are multiplied, the lowest level costs most, and the cube root is better.
This only decides how narrow the bracket is; no choice of h can make a bound wrong.

Where the grid begins does not matter, and its unit may be any number. For factors whose ratios are one of
them times powers of one number (two outcomes always are), the unit is that number (`_positions`), and nothing
is rounded but the masses. 1,000 times randomised response is exact in a tenth of a second; 100,000 times, too
long to be written down, takes as long on the grid, and the sides differ by 1e-21. 1,000 different coins take
twelve seconds for both sides, which then differ by 4e-7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, floor, gcd, log, log1p, log2, prod, sqrt

from flint import Ordering, arb, ctx, fmpz, fmpz_mat, fmpz_mpoly_ctx, fmpz_poly

from bdist.errors import ParameterError, UnsupportedError
from bdist.exact.rationals import point_value
from bdist.traces.loss import Factors, Masses, PrivacyLoss

MOST_ATOMS = 20_000
MOST_BITS = 2**26  # of all numbers of an exact product together: 8 MB
MOST_PAIRS = 250_000
BITS = 128  # after the point, of masses on the grid
POINTS = 24_000  # on the grid, about
_MOST_POINTS = 4 * POINTS
_ENDS = 9  # standard deviations that a tail of weight 2^-64 begins at
_TAIL_BITS = 54
_MOST_POLYNOMIAL_ATOMS = 3_000
_FEW_ATOMS = 64  # whose ratios may be made of any number of coprime factors; those of more, of few
_FEW_PRIMES = 6
_PRECISION = BITS + 64
_RESIDUE = 2**127 - 1
_ONE = 1 << BITS
_HALF = Fraction(1, 2)
_LARGEST_FACTORS_OF_ONE_KIND = 8


def exact_composition(factors: Factors) -> PrivacyLoss | None:
    """The distribution of independent releases, each so many times; None where it is too long.

    Raises: ParameterError where there is no factor or a number of times below 1.
    """
    _check_factors(factors)
    found: Masses | None = None
    for loss, times in factors:
        power = exact_power(loss.masses(), times)
        if power is None:
            return None
        found = power if found is None else exact_product(found, power)
        if found is None:
            return None
    return None if found is None else PrivacyLoss._arranged(found)


def bounded_composition(factors: Factors, *, up: bool) -> PrivacyLoss:
    """The composition where it is short, else one rounded to one side. Raises: as `exact_composition`."""
    exact = exact_composition(factors)
    return exact if exact is not None else rounded_composition(factors, up=up)


def rounded_composition(factors: Factors, *, up: bool) -> PrivacyLoss:
    """The composition on a grid (`grid_product`), rounded to one side."""
    _check_factors(factors)
    found = grid_product([(loss.masses(), times) for loss, times in factors], up=up)
    pairs = [
        (Fraction(p, found.denominator), Fraction(q, found.denominator))
        for p, q in zip(found.s, found.t, strict=True)
        if p or q
    ]
    return PrivacyLoss.above(pairs) if up else PrivacyLoss.below(pairs)


def required_composition(factors: Factors) -> PrivacyLoss:
    """As `exact_composition`. Raises: UnsupportedError as well, where it is too long."""
    found = exact_composition(factors)
    if found is None:
        raise UnsupportedError(
            f"this composition has more than {MOST_ATOMS} different ratios or too long numbers; its "
            "distribution is offered from both sides: compose_up, compose_down, or compose of a Profile"
        )
    return found


def _check_factors(factors: Factors) -> None:
    if not factors:
        raise ParameterError("a composition needs at least one release")
    for _, times in factors:
        if isinstance(times, bool) or not isinstance(times, int) or times < 1:
            raise ParameterError(f"composed {times!r} times; give an integer of at least 1")


# --- exact ----------------------------------------------------------------------------------------------


def exact_product(first: Masses, second: Masses) -> Masses | None:
    """The product of two lists, equal ratios merged; None where it would be long.

    Requires: both sums of each are the denominator. Ensures: at most MOST_ATOMS atoms of a positive finite
    ratio, of MOST_BITS together.
    """
    one, other = _finite(first), _finite(second)
    denominator = first.denominator * second.denominator
    pairs = len(one) * len(other)
    if pairs > MOST_PAIRS or min(pairs, MOST_ATOMS) * 2 * denominator.bit_length() > MOST_BITS:
        return None
    found: dict[int, list[tuple[int, int]]] = {}
    residues = [_residue(q, t) for q, t in other]
    for p, r in one:
        residue = _residue(p, r)
        for (q, t), factor in zip(other, residues, strict=True):
            _add(found.setdefault(residue * factor % _RESIDUE, []), p * q, r * t)
    atoms = [atom for bucket in found.values() for atom in bucket]
    return None if len(atoms) > MOST_ATOMS else _with_ends(denominator, atoms)


def exact_power(base: Masses, times: int) -> Masses | None:
    """The product of a list with itself, so many times; None where it would be long.

    Requires: both sums are the denominator, times >= 1. Ensures: as `exact_product`.
    """
    if times == 1:
        return base
    finite = _finite(base)
    bits = times * base.denominator.bit_length()
    if len(finite) <= _MOST_POLYNOMIAL_ATOMS and 2 * bits * min(len(finite), 2) <= MOST_BITS:
        lattice = _lattice([_reduced(finite)]) if finite else _Lattice([[]], [])
        if lattice is not None:
            return _polynomial_power(base.denominator, finite, lattice.places[0], times)
    if times == 2:
        return exact_product(base, base)
    half = exact_power(base, times // 2)
    square = None if half is None else exact_product(half, half)
    if square is None or times % 2 == 0:
        return square
    return exact_product(square, base)


def _finite(masses: Masses) -> list[tuple[int, int]]:
    return [(p, q) for p, q in zip(masses.s, masses.t, strict=True) if p and q]


def _with_ends(denominator: int, atoms: list[tuple[int, int]]) -> Masses:
    """The atoms, and what is missing from both sums: one side never sees it, as one factor never does."""
    s, t = [p for p, _ in atoms], [q for _, q in atoms]
    return Masses(denominator, [*s, denominator - sum(s), 0], [*t, 0, denominator - sum(t)])


def _residue(p: int, q: int) -> int:
    """p / q modulo a prime; 0 where that divides q, which only makes more ratios be compared."""
    return p * pow(q, -1, _RESIDUE) % _RESIDUE if q % _RESIDUE else 0


def _add(bucket: list[tuple[int, int]], p: int, q: int) -> None:
    for index, (s, t) in enumerate(bucket):
        if p * t == q * s:
            bucket[index] = (s + p, t + q)
            return
    bucket.append((p, q))


def _polynomial_power(
    denominator: int, atoms: list[tuple[int, int]], places: list[tuple[int, ...]], times: int
) -> Masses | None:
    if not atoms:
        return _with_ends(denominator**times, [])
    spans = [max(column) for column in zip(*places, strict=True)]
    terms = min(comb(len(atoms) + times - 1, times), prod(times * span + 1 for span in spans))
    if terms > MOST_ATOMS or terms * 2 * times * denominator.bit_length() > MOST_BITS:
        return None
    ring = fmpz_mpoly_ctx.get(("x", max(len(spans), 1)), Ordering.lex)
    padded = [place or (0,) for place in places]
    s, t = (
        (ring.from_dict({place: atom[side] for place, atom in zip(padded, atoms, strict=True)}) ** times)
        for side in (0, 1)
    )
    second = t.to_dict()
    powers = [(int(value), int(second[place])) for place, value in s.to_dict().items()]
    return _with_ends(denominator**times, powers)


def _reduced(atoms: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(p // (common := gcd(p, q)), q // common) for p, q in atoms]


@dataclass(frozen=True)
class _Lattice:
    """For each ratio of each group its coordinates, and for each coordinate a ratio that generates it."""

    places: list[list[tuple[int, ...]]]
    generators: list[tuple[int, int]]


def _lattice(groups: Sequence[list[tuple[int, int]]]) -> _Lattice | None:
    """Where ratios are in the lattice that the quotients of ratios of one group span.

    Requires: ratios in lowest terms, at least one in each group.
    Ensures: for each ratio a vector of integers >= 0, and for each coordinate a generator g, with
    ratio / ratio' = product of g^(difference of coordinates) within a group, in one way only; so products of
    equally many of each group are equal exactly where the sums of their vectors are. None where many ratios
    are made of many coprime factors.
    """
    few = sum(map(len, groups)) <= _FEW_ATOMS
    numbers = [number for group in groups for ratio in group for number in ratio]
    base = _coprime_base(numbers, None if few else _FEW_PRIMES)
    if base is None:
        return None
    differences = []
    for group in groups:
        rows = [
            [_divided(above, prime)[1] - _divided(below, prime)[1] for prime in base]
            for above, below in group
        ]
        differences.append([[x - y for x, y in zip(row, rows[0], strict=True)] for row in rows])
    if not base:
        return _Lattice([[() for _ in group] for group in groups], [])
    # The Hermite normal form is an echelon form of the lattice, so coordinates are read off at its pivots.
    form = fmpz_mat([row for rows in differences for row in rows]).hnf().tolist()
    echelon = [[int(x) for x in row] for row in form if any(row)]
    generators = [
        (
            prod(prime**x for prime, x in zip(base, row, strict=True) if x > 0),
            prod(prime**-x for prime, x in zip(base, row, strict=True) if x < 0),
        )
        for row in echelon
    ]
    return _Lattice([_coordinates(rows, echelon) for rows in differences], generators)


def _coordinates(rows: list[list[int]], echelon: list[list[int]]) -> list[tuple[int, ...]]:
    pivots = [next(index for index, x in enumerate(row) if x) for row in echelon]
    places: list[list[int]] = []
    for row in rows:
        rest, place = list(row), []
        for pivot, step in zip(pivots, echelon, strict=True):
            times = rest[pivot] // step[pivot]
            rest = [x - times * y for x, y in zip(rest, step, strict=True)]
            place.append(times)
        places.append(place)
    least = [min(column) for column in zip(*places, strict=True)]
    return [tuple(x - y for x, y in zip(place, least, strict=True)) for place in places]


def _coprime_base(numbers: Sequence[int], most: int | None = None) -> list[int] | None:
    """Numbers above 1 without common divisors, of which all given ones are products of powers.

    None where there are more than ``most`` on the way.
    """
    base: set[int] = set()
    waiting = {number for number in numbers if number > 1}
    while waiting:
        number = waiting.pop()
        if number in base:
            continue
        for member in base:
            common = int(fmpz(number).gcd(member))
            if common > 1:
                base.discard(member)
                waiting.update(part for part in (number // common, member // common, common) if part > 1)
                break
        else:
            base.add(number)
            if most is not None and len(base) > most:
                return None
    return sorted(base)


def _divided(number: int, factor: int) -> tuple[int, int]:
    """What is left of a number without a factor, and how often that divided it; by squares, as it may be
    often.
    """
    if number % factor:
        return number, 0
    rest, twice = _divided(number, factor * factor)
    return (rest, 2 * twice) if rest % factor else (rest // factor, 2 * twice + 1)


# --- the grid -------------------------------------------------------------------------------------------


def grid_product(factors: Sequence[tuple[Masses, int]], *, up: bool) -> Masses:
    """A bound of a product of powers, on a grid of ratios.

    Requires: both sums of each factor are its denominator; exponents of at least 1.
    Ensures: h(alpha) = sum max(0, s - alpha t) over the result is an upper bound, or with ``up`` False a
    lower one, of lv_alpha of the product for every alpha >= 0; on the upper side the sum of s is at least 1
    and that of t at most 1, on the lower side the other way.
    """
    total = sum(times for _, times in factors)
    with ctx.workprec(_PRECISION):
        unit, placed = _positions([masses for masses, _ in factors])
        plan = _Plan(
            total,
            _step_of(factors) - log2(float(unit.mid())),
            placed[0].places is not None,
            len(factors) > _LARGEST_FACTORS_OF_ONE_KIND,
            unit,
            up,
        )
        lines = [
            (plan.power(factor, times), times) for factor, (_, times) in zip(placed, factors, strict=True)
        ]
        while len(lines) > 1:
            # by pairs of equal size, so that few products are large
            lines.sort(key=lambda item: item[1])
            merged = [
                (plan.product(one, other, a + b), a + b)
                for (one, a), (other, b) in zip(lines[::2], lines[1::2], strict=False)
            ]
            lines = merged + lines[len(lines) - len(lines) % 2 :]
        line = lines[0][0]
    return Masses(_ONE, [*line.s, line.top], [*line.t, 0])


@dataclass(frozen=True)
class _Factor:
    """The atoms of a positive finite ratio, the mass at infinity, and where the ratios are in the unit.

    ``places`` are exact, and None where ratios are not powers of one number; then ``losses`` enclose them.
    """

    denominator: int
    atoms: list[tuple[int, int]]
    infinite: int
    places: list[int] | None
    losses: list[arb]


def _positions(factors: Sequence[Masses]) -> tuple[arb, list[_Factor]]:
    """The unit of the grid, as a logarithm, and the factors with their atoms in it.

    What the grid must be is a set of ratios with one quotient; where it begins does not matter, as only
    quotients of neighbours enter. So if the ratios of each factor are one of them times powers of one number,
    that number is the unit and nothing needs to be rounded. Two outcomes are always like that.
    """
    finite = [_finite(masses) for masses in factors]
    infinite = [sum(p for p, q in zip(masses.s, masses.t, strict=True) if not q) for masses in factors]
    unit = arb(1)
    places: list[list[int] | None] = [None] * len(factors)
    if all(finite) and sum(map(len, finite)) <= _MOST_POLYNOMIAL_ATOMS:
        lattice = _lattice([_reduced(atoms) for atoms in finite])
        if lattice is not None and len(lattice.generators) == 1:
            above, below = lattice.generators[0]
            unit = (arb(above - below) / below).log1p()
            places = [[place[0] for place in group] for group in lattice.places]
            if above < below:
                unit = -unit
                places = [[max(group) - place for place in group] for group in places if group is not None]
    return unit, [
        _Factor(
            masses.denominator,
            atoms,
            top,
            group,
            [] if group is not None else [(arb(p - q) / q).log1p() for p, q in atoms],
        )
        for masses, atoms, top, group in zip(factors, finite, infinite, places, strict=True)
    ]


@dataclass(frozen=True)
class _Line:
    """Masses over 2^BITS at ratios c e^(2^step u k), k = first, first + 1, ..., with the unit u and any c.

    ``top`` is the mass of s at infinity.

    What is missing of t is at ratio 0.
    """

    step: int
    first: int
    s: list[int]
    t: list[int]
    top: int


@dataclass(frozen=True)
class _Plan:
    """How fine the grid is for products of how many factors, and which side is wanted."""

    total: int
    final_approx: float  # log2 of the step at the end, in units
    whole: bool  # whether all ratios are at multiples of the unit
    varied: bool
    unit: arb
    up: bool

    def step(self, count: int) -> int:
        """The exponent of the step for a product of so many factors."""
        shrink = log2(self.total / count) / (3 if self.varied else 2)
        step = floor(self.final_approx - shrink)
        return max(0, step) if self.whole else step

    def size(self, step: int) -> arb:
        """The logarithm of the quotient of two neighbours on the grid."""
        return self.unit * arb(2) ** step

    @property
    def tail(self) -> int:
        """The mass that may be cut off at an end of one product."""
        return (_ONE >> _TAIL_BITS) // self.total

    def power(self, base: _Factor, times: int) -> _Line:
        """The line of a power: squares, and one more factor where the exponent has a bit."""
        line = self.placed(base, self.step(1))
        count = 1
        for bit in bin(times)[3:]:
            count *= 2
            line = self.product(line, line, count)
            if bit == "1":
                count += 1
                line = self.product(line, self.placed(base, line.step), count)
        return line

    def product(self, one: _Line, other: _Line, count: int) -> _Line:
        """The convolution of two lines, its tails cut off, on the grid for so many factors."""
        step = max(one.step, other.step)
        one, other = self._coarser(one, step), self._coarser(other, step)
        s = self._convolved(one.s, other.s, self.up)
        t = self._convolved(one.t, other.t, not self.up)
        ends = one.top * (sum(other.s) + other.top) + sum(one.s) * other.top
        line = _Line(step, one.first + other.first, s, t, _shifted(ends, self.up))
        line = self._cut(line)
        wanted = self.step(count)
        while len(line.s) > _MOST_POINTS or line.step < wanted:
            line = self._coarser(line, line.step + 1)
        return line

    @staticmethod
    def _convolved(one: list[int], other: list[int], up: bool) -> list[int]:
        first = fmpz_poly(one)
        raw = (first * (first if one is other else fmpz_poly(other))).coeffs()
        extra = _ONE - 1 if up else 0
        found = [(int(x) + extra) >> BITS for x in raw]
        return found + [0] * (len(one) + len(other) - 1 - len(found))  # FLINT drops zeros at the end

    def _cut(self, line: _Line) -> _Line:
        start, stop = self._ends(line.s, line.t)
        return _Line(line.step, line.first + start, *self._kept(line.s, line.t, line.top, start, stop))

    def _ends(self, s: list[int], t: list[int]) -> tuple[int, int]:
        """What to keep: above it is no more of s, and below it no more of t, than a tail may have."""
        stop, mass = len(s), 0
        while stop > 1 and mass + s[stop - 1] <= self.tail:
            stop -= 1
            mass += s[stop]
        start, mass = 0, 0
        while start < stop - 1 and mass + t[start] <= self.tail:
            mass += t[start]
            start += 1
        return start, stop

    def _kept(
        self, s: list[int], t: list[int], top: int, start: int, stop: int
    ) -> tuple[list[int], list[int], int]:
        """Both lists between the ends, and the mass at infinity, after the tails were cut off."""
        kept_s, kept_t = s[start:stop], t[start:stop]
        if self.up:
            return kept_s, kept_t, top + sum(s[:start]) + sum(s[stop:])
        for kept, whole in ((kept_s, s), (kept_t, t)):
            kept[-1] += sum(whole[stop:])
            kept[0] += sum(whole[:start])
        return kept_s, kept_t, top

    def _coarser(self, line: _Line, step: int) -> _Line:
        while line.step < step:
            line = self._twice_as_coarse(line)
        return line

    def _twice_as_coarse(self, line: _Line) -> _Line:
        """Every second grid ratio: the others are split on their neighbours, or added to the one below.

        With rho = e^h the ratio rho^(2k+1) is between rho^(2k) and rho^(2k+2): of t the share 1 / (1 + rho)
        goes up, and of s the share rho / (1 + rho).
        """
        s, t, first = line.s, line.t, line.first
        if first % 2:
            s, t, first = [0, *s], [0, *t], first - 1
        if len(s) % 2:
            s, t = [*s, 0], [*t, 0]
        if not self.up:
            s = [x + y for x, y in zip(s[::2], s[1::2], strict=True)]
            t = [x + y for x, y in zip(t[::2], t[1::2], strict=True)]
            return _Line(line.step + 1, first // 2, s, t, line.top)
        low, high = _fixed(1 / (1 + self.size(line.step).exp()))
        mask = _ONE - 1
        new_s, new_t = [*s[::2], 0], [*t[::2], 0]
        for index, (p, q) in enumerate(zip(s[1::2], t[1::2], strict=True)):
            new_s[index] += (p * high + mask) >> BITS
            new_s[index + 1] += (p * (_ONE - low) + mask) >> BITS
            new_t[index] += (q * (_ONE - high)) >> BITS
            new_t[index + 1] += (q * low) >> BITS
        return _Line(line.step + 1, first // 2, new_s, new_t, line.top)

    def placed(self, factor: _Factor, step: int) -> _Line:
        """The line of a list of atoms."""
        scale = factor.denominator
        s: dict[int, int] = {}
        t: dict[int, int] = {}
        for number, (p, q) in enumerate(factor.atoms):
            mass_s, mass_t = _scaled(p, scale, self.up), _scaled(q, scale, not self.up)
            for index, of_s, of_t in self._shares(factor, number, step):
                s[index] = s.get(index, 0) + _shifted(mass_s * of_s, self.up)
                t[index] = t.get(index, 0) + _shifted(mass_t * of_t, not self.up)
        top = _scaled(factor.infinite, scale, self.up)
        places = sorted(s) or [0]
        ends = self._ends([s.get(k, 0) for k in places], [t.get(k, 0) for k in places])
        first, last = places[ends[0]], places[ends[1] - 1]
        if last - first >= _MOST_POINTS:
            return self.placed(factor, step + ((last - first) // _MOST_POINTS).bit_length())
        kept = self._kept([s.get(k, 0) for k in places], [t.get(k, 0) for k in places], top, *ends)
        dense_s, dense_t = [0] * (last - first + 1), [0] * (last - first + 1)
        for k, p, q in zip(places[slice(*ends)], kept[0], kept[1], strict=True):
            dense_s[k - first], dense_t[k - first] = p, q
        return _Line(step, first, dense_s, dense_t, kept[2])

    def _shares(self, factor: _Factor, number: int, step: int) -> Iterator[tuple[int, int, int]]:
        """Indices and the shares, over 2^BITS, of s and t that go there, rounded as the side wants.

        With the logarithm x of the ratio above that of the lower grid ratio and the distance d of the two,
        the share of t that goes up is w = (e^x - 1) / (e^d - 1), and that of s is w e^(d - x).
        """
        size = self.size(step)
        if factor.places is not None:
            place = arb(factor.places[number]) / arb(2) ** step
            loss = factor.places[number] * self.unit
        else:
            loss = factor.losses[number]
            place = loss / size
        if not self.up:
            yield floor(point_value(place.mid()) + _HALF), _ONE, _ONE
            return
        low, high = (floor(point_value(end)) for end in (place.lower(), place.upper()))
        if place == low:  # a ball is equal to a number only where it is that number
            yield low, _ONE, _ONE
            return
        # where the enclosure holds an integer, low < high: the cell is wider and holds the ratio for sure
        above, distance = loss - low * size, (high + 1 - low) * size
        share = above.expm1() / distance.expm1()
        t_low, t_high = _fixed(share)
        s_low, s_high = _fixed(share * (distance - above).exp())
        yield low, _ONE - s_low, _ONE - t_high
        yield high + 1, s_high, t_low


def _shifted(value: int, up: bool) -> int:
    return -(-value >> BITS) if up else value >> BITS


def _scaled(value: int, denominator: int, up: bool) -> int:
    return -((-value << BITS) // denominator) if up else (value << BITS) // denominator


def _fixed(value: arb) -> tuple[int, int]:
    """Both ends of an enclosure of a number from 0 to 1, over 2^BITS."""
    low, high = point_value(value.lower()) * _ONE, point_value(value.upper()) * _ONE
    return max(0, floor(low)), min(_ONE, ceil(high))


def _step_of(factors: Sequence[tuple[Masses, int]]) -> float:
    """log2 of the step for which a product has about POINTS points; only an estimate is needed."""
    whole = middle = variance = 0.0
    for masses, times in factors:
        scale = masses.denominator
        losses = [(p / scale, q / scale, _loss_approx(p, q)) for p, q in _finite(masses)]
        if not losses:
            continue
        whole += times * (max(x for _, _, x in losses) - min(x for _, _, x in losses))
        moments = []
        for side in (0, 1):
            weight = sum(atom[side] for atom in losses) or 1.0
            mean = sum(atom[side] * atom[2] for atom in losses) / weight
            moments.append((mean, sum(atom[side] * (atom[2] - mean) ** 2 for atom in losses) / weight))
        middle += times * abs(moments[0][0] - moments[1][0])
        variance += times * max(moments[0][1], moments[1][1])
    width = min(whole, middle + 2 * _ENDS * sqrt(variance))
    return log2(max(width, 1e-30) / POINTS)


def _loss_approx(p: int, q: int) -> float:
    return log1p((p - q) / q) if abs(p - q) < q // 2 else log(p) - log(q)
