"""The proof: every inequality of SPEC section 3, and nothing else.

The checker is handed a table U for which it verifies Γ(U) ≤ U, so that U is above the least fixed point bd_α,
and a table L with a reason, in ranks, why L is below it. The certificate brings everything that one would
have to search for: couplings, which bound a linear program from above, and potentials, which bound it from
below. What remains is to add, multiply and compare. SPEC section 4 shows that the inequalities suffice; this
module only has to state each of them correctly. Below, a comment with a formula stands at the line that tests
it, in the notation of the specification.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from math import lcm

from .digits import brief, comparison
from .document import Certificate, Coupling, LowerRecord, Pair, UpperRecord
from .model import Model, shown

STEPS = (
    "model",
    "alpha",
    "pairs",
    "upper-value",
    "upper-coupling",
    "upper-cost",
    "lower-value",
    "lower-f",
    "lower-objective",
    "lower-g",
    "lower-escape",
    "claim-lower",
    "claim-upper",
)

ZERO, ONE = Fraction(0), Fraction(1)

Row = dict[str, Fraction]
Table = dict[
    str, dict[str, tuple[int, int]]
]  # d(i,j) = x/y, for states with the same label, is (x, y) at [i][j]


class Rejected(Exception):
    """A well-formed certificate does not prove its claims: the step of SPEC section 3 that fails, and why."""

    def __init__(self, step: str, reason: str) -> None:
        self.step = step
        self.reason = reason
        super().__init__(f"rejected at {step}: {reason}")


def verify(model: Model, certificate: Certificate) -> None:
    """Return if the certificate proves its claims about the model. Raises: Rejected."""
    _check_model(model, certificate)
    _check_alpha(certificate)
    _check_pairs(model, certificate)
    _check_upper(model, certificate.alpha, certificate.upper)
    _check_lower(model, certificate.alpha, certificate.lower)
    _check_claims(model, certificate)


def _check_model(model: Model, certificate: Certificate) -> None:
    found = model.fingerprint()
    if certificate.model != found:
        raise Rejected("model", f"the certificate is for the model {certificate.model}, and this is {found}")


def _check_alpha(certificate: Certificate) -> None:
    if not certificate.alpha >= 1:  # α ≥ 1
        raise Rejected("alpha", f"alpha is too small, {comparison(certificate.alpha, '<', ONE)}")


def _check_pairs(model: Model, certificate: Certificate) -> None:
    for number, claim in enumerate(certificate.claims):
        _check_names(model, claim.pair, "claims", number)
    _check_record_pairs(model, certificate.upper, "upper")
    _check_record_pairs(model, certificate.lower, "lower")


def _check_record_pairs(model: Model, records: Sequence[UpperRecord | LowerRecord], kind: str) -> None:
    seen: dict[frozenset[str], int] = {}
    for number, record in enumerate(records):
        _check_names(model, _states_in(record), kind, number)
        s, t = record.pair
        if s == t:
            raise Rejected("pairs", f"{_title(kind, number, record)} is a pair of equal states")
        if model.labels[s] != model.labels[t]:
            labels = f"{shown(model.labels[s])} and {shown(model.labels[t])}"
            raise Rejected("pairs", f"{_title(kind, number, record)} has different labels, {labels}")
        first = seen.setdefault(frozenset((s, t)), number)
        if first != number:
            raise Rejected("pairs", f"{_title(kind, number, record)} is the pair of {kind}[{first}] again")


def _check_names(model: Model, states: Iterable[str], kind: str, number: int) -> None:
    for state in states:
        if state not in model.labels:
            raise Rejected("pairs", f"{kind}[{number}] names {shown(state)}, not a state of the model")


def _states_in(record: UpperRecord | LowerRecord) -> Iterator[str]:
    yield from record.pair
    if isinstance(record, LowerRecord):
        yield from record.f
        yield from record.g
        return
    for coupling in (record.forward, record.backward):
        for pair in coupling.w:
            yield from pair
        yield from coupling.b


# --- upper bounds ---------------------------------------------------------------------------------


def _check_upper(model: Model, alpha: Fraction, records: Sequence[UpperRecord]) -> None:
    for number, record in enumerate(records):
        if not record.value >= 0:  # u ≥ 0
            title, numbers = _title("upper", number, record), comparison(record.value, "<", ZERO)
            raise Rejected("upper-value", f"{title}: the value is negative, {numbers}")

    recorded = _values(records)

    def upper(i: str, j: str) -> Fraction:
        """U(i, j)."""
        if i == j:
            return ZERO
        if model.labels[i] != model.labels[j]:
            return ONE
        return recorded.get((i, j), ONE)

    for number, record in enumerate(records):
        for direction, coupling in (("forward", record.forward), ("backward", record.backward)):
            title = f"{_title('upper', number, record)}, {direction}"
            mu, nu = _oriented(model, record.pair, direction)
            _check_coupling(title, coupling, mu, nu, alpha)
            cost = sum((x * upper(i, j) for (i, j), x in coupling.w.items()), ZERO)
            cost += sum(coupling.b.values(), ZERO)
            if not cost <= record.value:  # Σ_{i,j} w(i,j) U(i,j) + Σ_i b(i) ≤ u
                numbers = comparison(cost, ">", record.value)
                raise Rejected("upper-cost", f"{title}: the cost exceeds the value, {numbers}")


def _check_coupling(title: str, coupling: Coupling, mu: Row, nu: Row, alpha: Fraction) -> None:
    left: defaultdict[str, Fraction] = defaultdict(Fraction)  # Σ_j w(i,j) + b(i) − α Σ_j w(j,i), by i
    for (i, j), x in coupling.w.items():
        if not x >= 0:  # w ≥ 0
            place = f"{title}: w({shown(i)}, {shown(j)})"
            raise Rejected("upper-coupling", f"{place} is {comparison(x, '<', ZERO)}")
        left[i] += x
        left[j] -= alpha * x
    for i, x in coupling.b.items():
        if not x >= 0:  # b ≥ 0
            raise Rejected("upper-coupling", f"{title}: b({shown(i)}) is {comparison(x, '<', ZERO)}")
        left[i] += x
    for i in [*left, *mu, *nu]:  # at every other state both sides are 0
        right = mu.get(i, ZERO) - alpha * nu.get(i, ZERO)
        if not left[i] >= right:  # Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i)
            numbers = comparison(left[i], "<", right)
            raise Rejected(
                "upper-coupling", f"{title}, state {shown(i)}: the left side is too small, {numbers}"
            )


# --- lower bounds ---------------------------------------------------------------------------------


def _check_lower(model: Model, alpha: Fraction, records: Sequence[LowerRecord]) -> None:
    for number, record in enumerate(records):
        if not record.value >= 0:  # v ≥ 0
            title, numbers = _title("lower", number, record), comparison(record.value, "<", ZERO)
            raise Rejected("lower-value", f"{title}: the value is negative, {numbers}")

    lower: Table = {}  # L
    for record in records:
        _enter(lower, record.pair, record.value)
    for number, record in enumerate(records):
        title = _title("lower", number, record)
        _check_potential("lower-f", title, record.f, lower, model, alpha)
        reward = _reward(model, record, record.f, alpha)
        if not reward >= record.value:  # Σ_i f_i (μ(i) − α ν(i)) ≥ v
            numbers = comparison(reward, "<", record.value)
            raise Rejected(
                "lower-objective", f"{title}: the objective of f falls short of the value, {numbers}"
            )

    reached: Table = {}  # R_k; it grows with k, so the records are taken rank by rank
    by_rank = sorted(enumerate(records), key=lambda item: item[1].rank)
    for _, group in groupby(by_rank, key=lambda item: item[1].rank):
        of_rank_k = list(group)
        for number, record in of_rank_k:
            title = _title("lower", number, record)
            _check_potential("lower-g", title, record.g, reached, model, alpha)
            escape = _reward(model, record, record.g, alpha)
            if not escape > 0:  # Σ_i g_i (μ(i) − α ν(i)) > 0
                numbers = comparison(escape, "<=", ZERO)
                raise Rejected("lower-escape", f"{title}: the objective of g is not positive, {numbers}")
        for _, record in of_rank_k:
            _enter(reached, record.pair, ONE)


def _enter(table: Table, pair: Pair, value: Fraction) -> None:
    s, t = pair
    table.setdefault(s, {})[t] = table.setdefault(t, {})[s] = value.as_integer_ratio()


def _check_potential(step: str, title: str, f: Row, table: Table, model: Model, alpha: Fraction) -> None:
    """0 ≤ f ≤ 1 and f_i − α f_j ≤ d(i,j) for all i, j with the same label; f is 0 where it names no value.

    This is the loop that costs time, so it runs on integers: with f = h/m for one denominator m, and α = p/q,
    the inequality is q h_i − p h_j ≤ d(i,j) q m. Requires: d ≥ 0, so that a left side ≤ 0 needs no look at d.
    That holds for all pairs with f_i = 0, and for i = j because α ≥ 1.
    """
    letter = step[-1]  # f or g
    for i, x in f.items():
        if not 0 <= x <= 1:  # 0 ≤ f_i ≤ 1
            raise Rejected(step, f"{title}: {letter}({shown(i)}) = {brief(x)} is not between 0 and 1")
    p, q = alpha.as_integer_ratio()
    m = lcm(*(x.denominator for x in f.values()))
    qm = q * m
    h = {i: x.numerator * (m // x.denominator) for i, x in f.items()}
    ph = {j: p * h_j for j, h_j in h.items()}
    for i, h_i in h.items():
        qh_i, d_i = q * h_i, table.get(i, {})
        for j in model.peers[i]:  # every state with the label of i, whether f names it or not
            left = qh_i - ph.get(j, 0)
            if left <= 0:
                continue
            above, below = d_i.get(j, (0, 1))  # d(i,j) = above / below
            if not left * below <= above * qm:  # f_i − α f_j ≤ d(i,j)
                numbers = comparison(Fraction(left, qm), ">", Fraction(above, below))
                what = f"{letter}({shown(i)}) − α {letter}({shown(j)})"
                raise Rejected(step, f"{title}: {what} exceeds its bound, {numbers}")


def _reward(model: Model, record: LowerRecord, f: Row, alpha: Fraction) -> Fraction:
    """Σ_i f_i (μ(i) − α ν(i)), for the record's direction."""
    mu, nu = _oriented(model, record.pair, record.direction)
    total = ZERO
    for i, x in f.items():
        if i in mu or i in nu:
            total += x * (mu.get(i, ZERO) - alpha * nu.get(i, ZERO))
    return total


# --- claims ---------------------------------------------------------------------------------------


def _check_claims(model: Model, certificate: Certificate) -> None:
    lower = _values(certificate.lower)
    upper = _values(certificate.upper)
    for number, claim in enumerate(certificate.claims):
        s, t = claim.pair
        title = f"claims[{number}] on ({shown(s)}, {shown(t)})"

        proved = ONE if model.labels[s] != model.labels[t] else lower.get((s, t), ZERO)
        if not claim.lower <= proved:  # x ≤ 0, or ℓ(s) ≠ ℓ(t) and x ≤ 1, or x ≤ the value of the lower record
            numbers = comparison(claim.lower, ">", proved)
            raise Rejected("claim-lower", f"{title}: the lower bound exceeds what is proved, {numbers}")

        proved = ZERO if s == t else min(ONE, upper.get((s, t), ONE))
        if not claim.upper >= proved:  # y ≥ 1, or s = t and y ≥ 0, or y ≥ the value of the upper record
            numbers = comparison(claim.upper, "<", proved)
            raise Rejected("claim-upper", f"{title}: the upper bound is below what is proved, {numbers}")


# --- shared ---------------------------------------------------------------------------------------


def _oriented(model: Model, pair: Pair, direction: str) -> tuple[Row, Row]:
    """μ and ν: for the pair [s, t] the rows of s and t forward, of t and s backward."""
    s, t = pair if direction == "forward" else (pair[1], pair[0])
    return model.rows[s], model.rows[t]


def _values(records: Sequence[UpperRecord | LowerRecord]) -> dict[Pair, Fraction]:
    """The records' values, each under (s, t) and under (t, s)."""
    table: dict[Pair, Fraction] = {}
    for record in records:
        s, t = record.pair
        table[s, t] = table[t, s] = record.value
    return table


def _title(kind: str, number: int, record: UpperRecord | LowerRecord) -> str:
    return f"{kind}[{number}] ({shown(record.pair[0])}, {shown(record.pair[1])})"
