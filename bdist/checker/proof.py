"""The proof: every inequality of SPEC section 3, and nothing else.

The checker is handed a table U for which it verifies Γ(U) ≤ U, so that U is above the least fixed point bd_α
or ld_α, and a table L with a reason, in ranks, why L is below it. The certificate brings everything that one
would have to search for: couplings, which bound a linear program from above, and potentials, which bound it
from below. What remains is to add, multiply and compare. SPEC section 4 shows that the inequalities suffice;
this module only has to state each of them correctly. Below, a comment with a formula stands at the line that
tests it, in the notation of the specification. Three parts are modules of their own: ``quotient.py`` for the
partition, ``couplings.py``, and ``trees.py`` for lv_α and tv_α.

A table is a dictionary under ordered pairs. For bd_α a record is entered under both orders of its pair, for
the other quantities under its own order and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from math import lcm

from .couplings import check_coupling, cost, upper_table
from .digits import brief, comparison
from .document import (
    TREE_QUANTITIES,
    Certificate,
    Claim,
    Coupling,
    Leaf,
    LowerRecord,
    Pair,
    Tree,
    UpperRecord,
)
from .model import Model, shown
from .quotient import Classes, quotient
from .steps import Rejected
from .trees import Bounds, check_trees

ZERO, ONE = Fraction(0), Fraction(1)

Row = dict[str, Fraction]
Values = dict[Pair, Fraction]
Table = dict[
    str, dict[str, tuple[int, int]]
]  # d(i,j) = x/y, for states with the same label, is (x, y) at [i][j]


def verify(model: Model, certificate: Certificate) -> None:
    """Return if the certificate proves its claims about the model. Raises: Rejected."""
    _check_model(model, certificate)
    _check_alpha(certificate)
    partition = certificate.partition or ()
    classes = Classes(model, partition)
    _verify_in_quotient(quotient(model, partition, classes), classes, certificate)


def _verify_in_quotient(model: Model, classes: Classes, certificate: Certificate) -> None:
    """All steps after the partition: from here on the model is the quotient."""
    alpha, symmetric = certificate.alpha, certificate.quantity == "bd"
    pairs = [(classes.first(s), classes.first(t)) for s, t in (claim.pair for claim in certificate.claims)]
    _check_pairs(model, pairs, certificate)
    upper = _values(certificate.upper, symmetric)
    _check_upper(model, alpha, certificate.upper, upper)
    _check_lower(model, alpha, certificate.lower, symmetric)
    if certificate.quantity in TREE_QUANTITIES:
        bounds = check_trees(model, alpha, certificate.trees, upper_table(model, upper))
        lower, upper = _proved_by_trees(bounds, both_orders=certificate.quantity == "tv")
    else:
        lower = _values(certificate.lower, symmetric)
    for number, (claim, pair) in enumerate(zip(certificate.claims, pairs, strict=True)):
        _check_claim(model, number, claim, pair, lower, upper)


def _check_model(model: Model, certificate: Certificate) -> None:
    found = model.fingerprint()
    if certificate.model != found:
        raise Rejected("model", f"the certificate is for the model {certificate.model}, and this is {found}")


def _check_alpha(certificate: Certificate) -> None:
    if not certificate.alpha >= 1:  # α ≥ 1
        raise Rejected("alpha", f"alpha is too small, {comparison(certificate.alpha, '<', ONE)}")


def _check_pairs(model: Model, claimed: Sequence[Pair], certificate: Certificate) -> None:
    what = "the model" if certificate.partition is None else "the quotient"
    _check_names(model, claimed, "claims", what)
    _check_names(model, map(_states_in, certificate.upper), "upper", what)
    _check_names(model, map(_states_in, certificate.lower), "lower", what)
    _check_names(model, map(_states_in_tree, certificate.trees), "trees", what)
    symmetric = certificate.quantity == "bd"
    _check_record_pairs(model, certificate.upper, "upper", symmetric)
    _check_record_pairs(model, certificate.lower, "lower", symmetric)


def _check_names(model: Model, groups: Iterable[Iterable[str]], kind: str, what: str) -> None:
    for number, states in enumerate(groups):
        for state in states:
            if state not in model.labels:
                raise Rejected("pairs", f"{kind}[{number}] names {shown(state)}, not a state of {what}")


def _check_record_pairs(
    model: Model, records: Sequence[UpperRecord | LowerRecord], kind: str, symmetric: bool
) -> None:
    seen: dict[Pair | frozenset[str], int] = {}
    for number, record in enumerate(records):
        s, t = record.pair
        if s == t:
            raise Rejected("pairs", f"{_title(kind, number, record)} is a pair of equal states")
        if model.labels[s] != model.labels[t]:
            labels = f"{shown(model.labels[s])} and {shown(model.labels[t])}"
            raise Rejected("pairs", f"{_title(kind, number, record)} has different labels, {labels}")
        first = seen.setdefault(frozenset((s, t)) if symmetric else (s, t), number)
        if first != number:
            raise Rejected("pairs", f"{_title(kind, number, record)} is the pair of {kind}[{first}] again")


def _states_in(record: UpperRecord | LowerRecord) -> Iterator[str]:
    yield from record.pair
    if isinstance(record, LowerRecord):
        yield from record.f
        yield from record.g
        return
    for _, coupling in _couplings(record):
        yield from _states_in_coupling(coupling)


def _states_in_tree(tree: Tree) -> Iterator[str]:
    yield from tree.pair
    for node in tree.nodes:
        if isinstance(node, Leaf):
            yield from _states_in_coupling(node.coupling)


def _states_in_coupling(coupling: Coupling) -> Iterator[str]:
    for pair in coupling.w:
        yield from pair
    yield from coupling.b


# --- upper bounds ---------------------------------------------------------------------------------


def _check_upper(model: Model, alpha: Fraction, records: Sequence[UpperRecord], values: Values) -> None:
    for number, record in enumerate(records):
        if not record.value >= 0:  # u ≥ 0
            title, numbers = _title("upper", number, record), comparison(record.value, "<", ZERO)
            raise Rejected("upper-value", f"{title}: the value is negative, {numbers}")

    upper = upper_table(model, values)  # U
    for number, record in enumerate(records):
        for direction, coupling in _couplings(record):
            title = f"{_title('upper', number, record)}, {direction}"
            mu, nu = (model.vectors[state] for state in _oriented(record.pair, direction))
            # w, b ≥ 0 and Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i)
            check_coupling("upper-coupling", title, coupling, mu, nu, alpha)
            costs = cost(coupling, upper)
            if not costs <= record.value:  # Σ_{i,j} w(i,j) U(i,j) + Σ_i b(i) ≤ u
                numbers = comparison(costs, ">", record.value)
                raise Rejected("upper-cost", f"{title}: the cost exceeds the value, {numbers}")


def _couplings(record: UpperRecord) -> list[tuple[str, Coupling]]:
    """The coupling of each direction that counts: for bd both, otherwise forward."""
    both = [("forward", record.forward), ("backward", record.backward)]
    return [(direction, coupling) for direction, coupling in both if coupling is not None]


# --- lower bounds ---------------------------------------------------------------------------------


def _check_lower(model: Model, alpha: Fraction, records: Sequence[LowerRecord], symmetric: bool) -> None:
    for number, record in enumerate(records):
        if not record.value >= 0:  # v ≥ 0
            title, numbers = _title("lower", number, record), comparison(record.value, "<", ZERO)
            raise Rejected("lower-value", f"{title}: the value is negative, {numbers}")

    lower: Table = {}  # L
    for record in records:
        _enter(lower, record.pair, record.value, symmetric)
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
            _enter(reached, record.pair, ONE, symmetric)


def _enter(table: Table, pair: Pair, value: Fraction, symmetric: bool) -> None:
    s, t = pair
    table.setdefault(s, {})[t] = value.as_integer_ratio()
    if symmetric:
        table.setdefault(t, {})[s] = value.as_integer_ratio()


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
    mu, nu = (model.rows[state] for state in _oriented(record.pair, record.direction))
    total = ZERO
    for i, x in f.items():
        if i in mu or i in nu:
            total += x * (mu.get(i, ZERO) - alpha * nu.get(i, ZERO))
    return total


# --- claims ---------------------------------------------------------------------------------------


def _proved_by_trees(trees: dict[Pair, Bounds], both_orders: bool) -> tuple[Values, Values]:
    """What the trees prove from below and above: about lv_α, or with both orders of a pair about tv_α."""
    lower = {pair: bounds.lower for pair, bounds in trees.items()}
    upper = {pair: bounds.upper for pair, bounds in trees.items()}
    if not both_orders:
        return lower, upper
    pairs = {*trees, *((t, s) for s, t in trees)}
    return (
        # the tree of [s,t] or that of [t,s] has a lower value ≥ x; each proves 0 where it is not there
        {(s, t): max(lower.get((s, t), ZERO), lower.get((t, s), ZERO)) for s, t in pairs},
        # the tree of [s,t] and that of [t,s] have an upper value ≤ y; each proves 1 where it is not there
        {(s, t): max(upper.get((s, t), ONE), upper.get((t, s), ONE)) for s, t in pairs},
    )


def _check_claim(model: Model, number: int, claim: Claim, pair: Pair, lower: Values, upper: Values) -> None:
    """A claim, with its pair in the quotient, against what is proved from below and from above."""
    s, t = pair
    title = f"claims[{number}] on ({shown(claim.pair[0])}, {shown(claim.pair[1])})"

    proved = ONE if model.labels[s] != model.labels[t] else max(ZERO, lower.get((s, t), ZERO))
    if not claim.lower <= proved:  # x ≤ 0, or ℓ(s) ≠ ℓ(t) and x ≤ 1, or x ≤ the record's or the tree's value
        numbers = comparison(claim.lower, ">", proved)
        raise Rejected("claim-lower", f"{title}: the lower bound exceeds what is proved, {numbers}")

    proved = ZERO if s == t else min(ONE, upper.get((s, t), ONE))
    if not claim.upper >= proved:  # y ≥ 1, or s = t and y ≥ 0, or y ≥ the record's or the tree's value
        numbers = comparison(claim.upper, "<", proved)
        raise Rejected("claim-upper", f"{title}: the upper bound is below what is proved, {numbers}")


# --- shared ---------------------------------------------------------------------------------------


def _oriented(pair: Pair, direction: str) -> Pair:
    """The states whose rows are μ and ν: for the pair [s, t] they are s and t forward, t and s backward."""
    s, t = pair
    return (s, t) if direction == "forward" else (t, s)


def _values(records: Sequence[UpperRecord | LowerRecord], symmetric: bool) -> Values:
    """The records' values, each under its pair (s, t) and, if that is the same pair, under (t, s)."""
    table: Values = {}
    for record in records:
        s, t = record.pair
        table[s, t] = record.value
        if symmetric:
            table[t, s] = record.value
    return table


def _title(kind: str, number: int, record: UpperRecord | LowerRecord) -> str:
    return f"{kind}[{number}] ({shown(record.pair[0])}, {shown(record.pair[1])})"
