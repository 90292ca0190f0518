"""Upper bounds: couplings.

If Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i) at every state i, with w, b ≥ 0, then
Σ_i f_i (μ(i) − α ν(i)) ≤ Σ w(i,j) U(i,j) + Σ b(i) for every f with 0 ≤ f ≤ 1 and f_i − α f_j ≤ U(i,j).
So a table U that is not below the right side is a pre-fixed point, and the distance is below it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

from ..core import Rejected
from ..core.digits import comparison
from ..core.limits import Work
from ..core.vectors import least_common_multiple
from .document import Coupling, Pair, UpperRecord
from .quotient import Chain

Ratio = tuple[int, int]  # x/y is (x, y), with y > 0, and not always in lowest terms


def check_upper(
    chain: Chain, alpha: Fraction, records: Sequence[UpperRecord], symmetric: bool, work: Work
) -> dict[Pair, Ratio]:
    """The values of the records, once they are proved. Raises: Rejected, TooLarge."""
    values: dict[Pair, Ratio] = {}
    for number, ((s, t), over, value, _) in enumerate(records):
        if not value >= 0:  # u ≥ 0
            numbers = comparison(Fraction(value, over), "<", Fraction(0))
            title = f"upper[{number}] ({chain.shown(s, t)})"
            raise Rejected("upper-value", f"{title}: the value is negative, {numbers}")
        values[s, t] = value, over
        if symmetric:
            values[t, s] = value, over
    for number, ((s, t), over, value, couplings) in enumerate(records):
        for coupling, rows in zip(couplings, ((s, t), (t, s)), strict=False):
            try:
                _check_coupling(chain, alpha, coupling, over, rows, work)
                _check_cost(chain, coupling, over, value, values, work)
            except Rejected as rejected:
                direction = "forward" if coupling is couplings[0] else "backward"
                title = f"upper[{number}] ({chain.shown(s, t)}), {direction}"
                raise Rejected(rejected.step, f"{title}{rejected.reason}") from None
    return values


def _check_coupling(
    chain: Chain, alpha: Fraction, coupling: Coupling, m: int, rows: Pair, work: Work
) -> None:
    """The inequalities above, with m for the denominator of w and b.

    They are tested on integers: with α = p/q, and r, t for the denominators of μ and ν, both sides are
    multiplied by q m r t.
    """
    w, b = coupling
    (p, q), (r, t) = alpha.as_integer_ratio(), (chain.overs[s] for s in rows)
    mu, nu = (chain.rows[s] for s in rows)
    terms, bits = len(w) + len(b) + len(mu) + len(nu), max(w[2::3] + b[1::2] + [m]).bit_length()
    work.spend(terms, bits, (p * r * t).bit_length())
    work.hold(terms, bits + (p * r * t).bit_length())
    rt = r * t
    slack: defaultdict[int, int] = defaultdict(int)
    for i, j, x in zip(w[::3], w[1::3], w[2::3], strict=True):  # Σ_j w(i,j) − α Σ_j w(j,i)
        if x < 0:  # w ≥ 0
            place = f"w({chain.shown(i, j)}) is {comparison(Fraction(x, m), '<', Fraction(0))}"
            raise Rejected("upper-coupling", f": {place}")
        x *= rt
        slack[i] += q * x
        slack[j] -= p * x
    for i, x in zip(b[::2], b[1::2], strict=True):  # + b(i)
        if x < 0:  # b ≥ 0
            place = f"b({chain.shown(i)}) is {comparison(Fraction(x, m), '<', Fraction(0))}"
            raise Rejected("upper-coupling", f": {place}")
        slack[i] += q * x * rt
    before = q * m * t
    for i, x in mu.items():  # − μ(i)
        slack[i] -= before * x
    before = p * m * r
    for i, x in nu.items():  # + α ν(i)
        slack[i] += before * x
    if min(slack.values()) < 0:  # at every state that is not in it, both sides are 0
        i = next(i for i, x in slack.items() if x < 0)
        right = Fraction(mu.get(i, 0), r) - alpha * Fraction(nu.get(i, 0), t)
        numbers = comparison(Fraction(slack[i], q * m * rt) + right, "<", right)
        what = f"state {chain.shown(i)}: the left side is too small, {numbers}"
        raise Rejected("upper-coupling", f", {what}")


def _check_cost(
    chain: Chain, coupling: Coupling, m: int, value: int, values: dict[Pair, Ratio], work: Work
) -> None:
    """Σ_{i,j} w(i,j) U(i,j) + Σ_i b(i) ≤ u, with m for the denominator of w, b and u."""
    w, b = coupling
    unit = sum(b[1::2])  # of all that is multiplied by 1
    priced: list[tuple[int, int, int]] = []
    for i, j, x in zip(w[::3], w[1::3], w[2::3], strict=True):
        if i != j:  # U(i,i) = 0
            found = values.get((i, j)) if chain.labels[i] == chain.labels[j] else None
            if found is None:
                unit += x
            else:
                priced.append((x, *found))
    bits = max((max(x, y, z) for x, y, z in priced), default=0).bit_length()
    bits = max(bits, unit.bit_length(), value.bit_length())
    work.spend(len(priced), bits, bits)
    sums: dict[int, int] = {}  # Σ w(i,j) U(i,j), by the denominator of U(i,j)
    for x, above, below in priced:
        sums[below] = sums.get(below, 0) + x * above
    d = least_common_multiple(sums.keys(), work)
    work.hold(len(sums), d.bit_length() + bits)
    work.spend(len(sums) + 1, d.bit_length(), d.bit_length() + 2 * bits)
    total = d * unit + sum(x * (d // below) for below, x in sums.items())
    if not total <= d * value:
        numbers = comparison(Fraction(total, d * m), ">", Fraction(value, m))
        raise Rejected("upper-cost", f": the cost exceeds the value, {numbers}")
