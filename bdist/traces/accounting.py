"""Exchange with Google's dp_accounting, the library that most accountants of differential privacy use.

Theirs is a list of masses p_k, floats, at the losses k h for a step h, and a mass at infinity. It stands for
the function

    H(alpha) = infinity + sum_k max(0, p_k (1 - alpha e^(-k h)))

and says of itself whether that is a pessimistic estimate (an upper bound of delta) or not (a lower bound).
Their masses are floats and ours are rationals, so a bound must be rounded on the way, and it is rounded to
the side that it is on:

* to theirs, pessimistic: an atom is split on the two neighbouring losses, which keeps both of its masses
  ("connect the dots"), and masses are rounded up to floats. H rises with every p_k, so H is at least our
  delta, for every alpha >= 0;
* to theirs, optimistic: an atom is moved to the loss at or below its own, and masses are rounded down;
* from theirs, pessimistic: p_k is rounded up and q_k = p_k e^(-k h) down, to multiples of 2^-256; what is
  missing from a sum of 1 is put at infinity, and what exceeds it is cut off at the low ratios;
* from theirs, optimistic: the other way round, and what exceeds a sum of 1 is taken away from H.

"Theirs" is the function H of the floats that the object holds. What dp_accounting computes from them, in
floating point and with Fourier transforms, has errors of its own, about 1e-12, that nobody bounds.

They have two lists, one for each order of the pair: REMOVE is our forward order, ADD the backward one.

dp_accounting offers no way to read the list of one of its objects, so private names are used; a version in
which they are gone is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import Any

from flint import arb, ctx

from bdist.errors import BackendError, ParameterError
from bdist.exact.rationals import float_down, float_up, point_value, to_fmpq
from bdist.traces.loss import PrivacyLoss, without_excess

DEFAULT_STEP = 1e-4
MOST_POINTS = 5_000_000
_PRECISION = 192
_MASS_BITS = 256
_MASS_UNIT = 1 << _MASS_BITS
_MISSING = "dp_accounting is not installed; pip install 'bdist[accounting]'"
_OTHER_VERSION = "this version of dp_accounting keeps its distributions in a way that bdist does not know"


class Adjacency(StrEnum):
    """Which of the two lists of dp_accounting is meant: forward is REMOVE, backward is ADD."""

    REMOVE = "remove"
    ADD = "add"


def to_dp_accounting(loss: PrivacyLoss, *, pessimistic: bool = True, step: float = DEFAULT_STEP) -> Any:
    """The distribution as a `PrivacyLossDistribution` of dp_accounting, rounded to one side, in both orders.

    Of a `Profile` give ``profile.pessimistic`` with ``pessimistic=True``, or ``profile.optimistic`` with
    ``pessimistic=False``.
    Ensures: for every alpha >= 0 and in both orders, its function H is at least (at most) our delta.
    Raises: BackendError where dp_accounting is not installed, ParameterError where the step is not a positive
    float or so small that losses would be at more than MOST_POINTS multiples of it.
    """
    if not (isinstance(step, float) and isfinite(step) and step > 0):
        raise ParameterError(f"the step {step!r} between two losses must be a positive float, such as 1e-4")
    theirs = _their_module()
    forward, backward = (_rounded(side, pessimistic, step) for side in (loss, loss.swapped()))
    return theirs.PrivacyLossDistribution.create_from_rounded_probability(
        forward[0],
        forward[1],
        step,
        pessimistic_estimate=pessimistic,
        rounded_probability_mass_function_add=backward[0],
        infinity_mass_add=backward[1],
        symmetric=False,
    )


def from_dp_accounting(distribution: Any, adjacency: Adjacency = Adjacency.REMOVE) -> PrivacyLoss:
    """One list of a `PrivacyLossDistribution` of dp_accounting, as a distribution of ours.

    Ensures: where theirs is a pessimistic estimate, our delta is at least min(1, H), or rather the greatest
    convex function below that, for every alpha >= 0; where it is an optimistic one, at most max(H, 1 - alpha)
    (no distribution is below 1 - alpha).
    Raises: BackendError where dp_accounting is not installed or of a version that we cannot read,
    ParameterError where the object is none of theirs or holds what is no probability.
    """
    theirs = _their_module()
    if not isinstance(distribution, theirs.PrivacyLossDistribution):
        raise ParameterError(
            f"a {type(distribution).__name__} is no PrivacyLossDistribution of dp_accounting"
        )
    try:
        pmf = (
            distribution._pmf_remove if Adjacency(adjacency) is Adjacency.REMOVE else distribution._pmf_add
        ).to_dense_pmf()
        masses = [float(mass) for mass in pmf._probs]
        infinite, first = float(pmf._infinity_mass), int(pmf._lower_loss)
        step, pessimistic = float(pmf._discretization), bool(pmf._pessimistic_estimate)
    except AttributeError:
        raise BackendError(_OTHER_VERSION) from None
    except ValueError:
        raise ParameterError(f"'{adjacency}' is no list of dp_accounting; there are remove and add") from None
    if not all(map(isfinite, [*masses, infinite, step])):
        raise ParameterError("a mass of this distribution of dp_accounting is not finite")
    atoms = [
        (_fixed(infinite, pessimistic), Fraction(0)),
        *_atoms(masses, first, Fraction(step), pessimistic),
    ]
    return _above(atoms) if pessimistic else _below(atoms)


def _their_module() -> Any:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise BackendError(_MISSING) from None
    return privacy_loss_distribution


def _rounded(loss: PrivacyLoss, pessimistic: bool, step: float) -> tuple[Mapping[int, float], float]:
    """Masses by multiple of the step, and the mass at infinity, as floats on the sound side."""
    found: dict[int, Fraction] = {}
    size = arb(to_fmpq(Fraction(step)))
    with ctx.workprec(_PRECISION):
        for atom in loss.atoms:
            if atom.s and atom.t:
                for index, mass in _placed(atom.s, atom.t, size, pessimistic):
                    found[index] = found.get(index, Fraction(0)) + mass
    if not found:
        found[0] = Fraction(0)  # dp_accounting wants one
    if max(found) - min(found) > MOST_POINTS:
        raise ParameterError(
            f"losses span more than {MOST_POINTS} steps of {step}; give a larger step to dp_accounting"
        )
    rounded = float_up if pessimistic else float_down
    return {index: rounded(found[index]) for index in sorted(found)}, rounded(loss.infinite_mass)


def _placed(p: Fraction, q: Fraction, size: arb, pessimistic: bool) -> list[tuple[int, Fraction]]:
    """The mass of s at multiples of the step, rounded to the sound side."""
    ratio = p / q
    if ratio == 1:
        return [(0, p)]
    loss = arb(to_fmpq(ratio - 1)).log1p()
    place = loss / size
    low, high = floor(point_value(place.lower())), ceil(point_value(place.upper()))
    if not pessimistic:
        return [(low, p)]
    # As in `composition`: between e^(low h) and e^(high h) of t goes up w, and of s goes up w e^(d - x).
    above, distance = loss - low * size, (high - low) * size
    share = above.expm1() / distance.expm1() * (distance - above).exp()
    up = min(Fraction(1), point_value(share.upper()))
    down = min(Fraction(1), 1 - point_value(share.lower()))
    return [(low, p * down), (high, p * up)]


Atoms = list[tuple[Fraction, Fraction]]


def _atoms(masses: list[float], first: int, step: Fraction, pessimistic: bool) -> Atoms:
    """Their masses p and q = p e^(-loss), by decreasing loss, over 2^_MASS_BITS; p may be below 0.

    For an upper bound p is rounded up and q down, for a lower one the other way.
    """
    atoms = []
    with ctx.workprec(_PRECISION):
        size = arb(to_fmpq(step))
        for index in range(len(masses) - 1, -1, -1):
            mass = masses[index]
            if mass:
                q = arb(mass) * (-(first + index) * size).exp()  # a float is a ball of radius 0
                end = (q.lower() if pessimistic else q.upper()) if mass > 0 else arb(0)
                mantissa, exponent = end.man_exp()
                scaled = _shifted(int(mantissa), int(exponent) + _MASS_BITS, up=not pessimistic)
                atoms.append((_fixed(mass, pessimistic), Fraction(scaled, _MASS_UNIT)))
    return atoms


def _fixed(mass: float, up: bool) -> Fraction:
    above, below = mass.as_integer_ratio()
    scaled = -((-above << _MASS_BITS) // below) if up else (above << _MASS_BITS) // below
    return Fraction(scaled, _MASS_UNIT)


def _shifted(value: int, shift: int, *, up: bool) -> int:
    """value 2^shift, rounded to an integer."""
    if shift >= 0:
        return value << shift
    return -(-value >> -shift) if up else value >> -shift


def _above(signed: Atoms) -> PrivacyLoss:
    """A distribution that dominates theirs.

    Fourier transforms leave masses a little below 0, without which H is larger; and a little above 0 at very
    low losses, where e^(-loss) makes the sum of q exceed 1 by far, and H be below 1 - alpha. No delta is, so
    the larger of the two is what is claimed: `PrivacyLoss.below` finds it.
    """
    atoms = [(p, q) for p, q in signed if p > 0]
    missing = 1 - sum((p for p, _ in atoms), Fraction(0))
    return PrivacyLoss.below(without_excess([(max(Fraction(0), missing), Fraction(0)), *atoms]))


def _below(signed: Atoms) -> PrivacyLoss:
    """A distribution that theirs dominates.

    What is below 0 takes at most its mass from H, at every alpha; and where the sum of p is above 1, so much
    must be taken away that it is not. So a constant is subtracted.
    """
    atoms = [(p, q) for p, q in signed if p > 0]
    debt = -sum((p for p, _ in signed if p < 0), Fraction(0))
    excess = sum((p for p, _ in atoms), Fraction(0)) - 1
    return PrivacyLoss.below(_lowered(atoms, max(debt, excess)))


def _lowered(atoms: Atoms, constant: Fraction) -> Atoms:
    """Atoms of the function max(0, h - constant), from those of h, by decreasing ratio.

    Requires: constant >= 0. h reaches the constant at one alpha. Above it nothing is left, and below it the
    lines of h are lower by the constant: the atoms of larger ratios become one of the ratio alpha.
    """
    p, q = -constant, Fraction(0)
    for index, (next_p, next_q) in enumerate(atoms):
        if p >= 0 and p * next_q >= next_p * q:
            return [(p, q), *atoms[index:]]
        p, q = p + next_p, q + next_q
    return [(p, q)] if p > 0 else []
