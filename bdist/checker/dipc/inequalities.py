"""F ≥ 0, or F > 0, on an interval of ε: the four proofs of SPEC-DIPC section 3, and a search of our own.

A proof that is written down says how it goes, and is followed. For the weights of ``choose`` there is none
in a certificate; there, the checker looks itself for a proof that they are not negative, in the ways that a
proof may go: all coefficients are positive, a chain of derivatives, or a cover with points of its own.
"""

from __future__ import annotations

from fractions import Fraction

from ..core.digits import size
from ..core.limits import Work
from .document import Interval, Proof
from .enclosures import Signs, shifted
from .exponentials import ONE, Exponential, NormalForm

_FARTHEST = 16  # powers of two at which a search looks for the end of a cover
_MOST_POWER = 1000  # of a factor


class NotShown(Exception):
    """Why a proof does not show what it should."""


class Prover:
    """Verifies proofs on one interval, and remembers what it found itself."""

    def __init__(self, interval: Interval, work: Work) -> None:
        self.interval = interval
        self._work = work
        self._found: dict[NormalForm, bool] = {}

    def verify(self, function: Exponential, proof: Proof, strict: bool) -> None:
        """Follow a proof that F ≥ 0 on the interval, or F > 0 if strict. Raises: NotShown, TooLarge."""
        if proof.kind == "factors":
            self._factors(function, proof, strict)
        elif proof.kind == "point":
            self._point(function, strict)
        elif not function:
            raise NotShown("the function is 0")
        elif proof.kind == "chain":
            self._chain(function, strict)
        else:
            self._cover(function, proof.points)

    def _point(self, function: Exponential, strict: bool) -> None:
        q = self.interval.point
        if q is None:
            raise NotShown("a point is no proof on an interval that is none")
        sign = Signs(function, self._work).at(q) if function else 0
        if sign < 0 or (sign == 0 and (strict or not self._vanishes(function, q))):
            raise NotShown("it is not positive at the point")

    def _vanishes(self, function: Exponential, q: Fraction) -> bool:
        """Whether all polynomials of F are 0 at q."""
        rows = function.polynomials.values()
        self._work.spend(4 * len(function.terms), size(q) * max(map(len, rows), default=0), function.bits)
        return not any(sum(c * q**j for j, c in enumerate(row)) for row in rows)

    def _chain(self, function: Exponential, strict: bool) -> None:
        interval = self.interval
        rows = list(function.polynomials.values())
        if len(rows) > 1:
            if not chain(function, self._work):
                raise NotShown("a derivative in the chain is negative at 0")
            return  # F > 0 for all ε > 0
        moved = shifted(rows[0], interval.low, self._work)  # all derivatives there, up to factorials
        belongs = interval.has_low
        if min(moved) < 0 and interval.high is not None:
            downwards = shifted(rows[0], interval.high, self._work)
            moved = [c if j % 2 == 0 else -c for j, c in enumerate(downwards)]
            belongs = interval.has_high
        if min(moved) < 0:
            raise NotShown("a derivative of the polynomial is negative at the low end")
        if strict and not moved[0] and (belongs or interval.point is not None):
            raise NotShown("it is 0 at an end")

    def _cover(self, function: Exponential, points: tuple[Fraction, ...]) -> None:
        signs, interval = Signs(function, self._work), self.interval
        first, last = points[0], points[-1]
        if first <= 0:
            raise NotShown("the cover does not begin above 0")
        if interval.low > 0:
            if first > interval.low:
                raise NotShown("the cover begins above the low end")
        elif not signs.positive_up_to(first):
            raise NotShown("it is not shown to be positive from 0 to the first point")
        if interval.high is not None:
            if last < interval.high:
                raise NotShown("the cover ends below the high end")
        elif not signs.positive_from(last):
            raise NotShown("its leading term does not outweigh the others from the last point on")
        if not signs.positive_between(first, last, points[1:-1]):
            raise NotShown("it is not shown to be positive between the points")

    def _factors(self, function: Exponential, proof: Proof, strict: bool) -> None:
        product = ONE
        for factor, power, reason in proof.factors:
            if power > _MOST_POWER:
                raise NotShown(f"a power above {_MOST_POWER}")
            product = product.times(factor.power(power, self._work), self._work)
            if power % 2 == 0:
                if strict:
                    raise NotShown("a factor with an even power may be 0")
            elif reason is None:
                raise NotShown("a factor with an odd power has no proof")
            else:
                self.verify(factor, reason, strict)
        if product.normal_form != function.normal_form:
            raise NotShown("the product of the factors is something else")

    # --- what nobody has proved ---

    def positive(self, function: Exponential) -> bool:
        """Whether a proof that F > 0 on the interval is found. Raises: TooLarge."""
        if not function:
            return False
        if min(function.terms.values()) > 0:
            return True
        key = function.normal_form
        if key not in self._found:
            self._work.keep(len(key[1]), function.bits)
            self._found[key] = self._search(function.normalised)
        return self._found[key]

    def nonnegative(self, function: Exponential) -> bool:
        """Whether a proof that F ≥ 0 is found, for a polynomial even where F may be 0. Raises: TooLarge."""
        low, high = self.interval.low, self.interval.high
        if self.positive(function):
            return True
        if len(function.polynomials) != 1:
            return False
        if high is None:
            return min(shifted(next(iter(function.polynomials.values())), low, self._work)) >= 0
        return Signs(function, self._work).positive_between(low, high, strict=False)

    def _search(self, function: Exponential) -> bool:
        for proof in (Proof("chain"), Proof("point")):
            try:
                self.verify(function, proof, strict=True)
            except NotShown:
                continue
            return True
        signs, interval = Signs(function, self._work), self.interval
        low, high = interval.low, interval.high
        if high is None:
            # the leading term outweighs the others from some point on, or else it is negative
            starts = (low + 2**i for i in range(_FARTHEST))
            high = next((start for start in starts if signs.positive_from(start)), None)
            if high is None:
                return False
        return signs.positive_between(low, high) if low > 0 else signs.positive_up_to(high)


def chain(function: Exponential, work: Work) -> bool:
    """Whether F and all that follows are ≥ 0 at 0: divide by e^(k ε) for the least k, and differentiate."""
    terms = dict(function.terms)
    while terms:
        if sum(c for (_, j), c in terms.items() if j == 0) < 0:
            return False
        low = min(k for k, _ in terms)
        widest = max(max(k for k, _ in terms) - low, function.grid).bit_length()
        work.spend(2 * len(terms), max(map(int.bit_length, terms.values())), widest)
        found: dict[tuple[int, int], int] = {}
        for (k, j), c in terms.items():
            if k != low:
                found[k - low, j] = found.get((k - low, j), 0) + c * (k - low)
            if j:
                found[k - low, j - 1] = found.get((k - low, j - 1), 0) + c * j * function.grid
        terms = {key: c for key, c in found.items() if c}
    return True
