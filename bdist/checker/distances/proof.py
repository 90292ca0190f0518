"""The proof: every inequality of SPEC section 3, and nothing else.

The checker is handed a table U for which it verifies Γ(U) ≤ U, so that U is above the least fixed point bd_α
or ld_α, and a table L with a reason, in ranks, why L is below it. The certificate brings everything that one
would have to search for: couplings, which bound a linear program from above, and potentials, which bound it
from below. Where it brings no lower bound, L is what the next labels alone tell. What remains is to add,
multiply and compare. SPEC section 4 shows that the inequalities suffice; this module only has to state each
of them correctly. Below, a comment with a formula stands at the line that tests it, in the notation of the
specification. Parts of it are modules of their own: ``couplings.py`` for upper bounds and ``lower.py`` for
lower ones.

The partition comes first. A state may be merged with another where both have one label and, for every class,
the same probability of going there; then they induce the same measure on sequences of labels. A state that
the partition does not name is a class of its own, and a class goes by the name of the state that stands first
in it. From there on the model is the chain in which each class is one state.

A record's value counts for bd_α in both orders of its pair, for ld_α in its own order and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, groupby
from typing import NamedTuple

from ..core import Rejected, check_fingerprint
from ..core.chain import Model, read_model
from ..core.digits import comparison, size
from ..core.limits import Allowance, Work
from ..core.text import Row, shown
from .couplings import Multipliers, check_coupling, cost, upper_table
from .document import (
    Certificate,
    Claim,
    Coupling,
    LowerRecord,
    Pair,
    Potential,
    UpperRecord,
    read_certificate,
)
from .lower import NIL, UNIT, Ratio, Scaled, Table, base_table, check_differences, check_range, objective

ZERO, ONE = Fraction(0), Fraction(1)

STEPS = (
    *("model", "alpha", "partition", "clock", "pairs"),
    *("upper-value", "upper-coupling", "upper-cost"),
    *("lower-value", "lower-f", "lower-objective", "lower-g", "lower-escape"),
    *("claim-lower", "claim-upper"),
)


class Classes:
    """The classes of a partition, each by its first state. Raises: Rejected where they are no partition."""

    def __init__(self, model: Model, partition: Sequence[Sequence[str]]) -> None:
        self._first: dict[str, str] = {}  # for the states that the partition names
        for number, states in enumerate(partition):
            for state in states:
                if state not in model.labels:
                    raise Rejected(
                        "partition", f"partition[{number}] names {shown(state)}, not a state of the model"
                    )
                if state in self._first:  # no state stands twice
                    raise Rejected("partition", f"partition[{number}] names {shown(state)} again")
                self._first[state] = states[0]

    def first(self, state: str) -> str:
        """The first state of the class of a state (or of a name that is no state: that name)."""
        return self._first.get(state, state)

    def lumped(self, row: Row) -> Row:
        """The probabilities of going to the classes: μ(C) under the first state of C, where it is not 0."""
        sums: Row = {}
        for i, p in row.items():
            c = self.first(i)
            sums[c] = sums.get(c, ZERO) + p
        return sums


def quotient(model: Model, partition: Sequence[Sequence[str]], classes: Classes) -> Model:
    """The quotient chain. Raises: Rejected where the partition is no bisimulation."""
    if not partition:
        return model
    for number, (s, *others) in enumerate(partition):
        row = classes.lumped(model.rows[s])
        for t in others:
            title = f"partition[{number}], {shown(s)} and {shown(t)}"
            if model.labels[s] != model.labels[t]:  # ℓ(s) = ℓ(t)
                labels = f"{shown(model.labels[s])} and {shown(model.labels[t])}"
                raise Rejected("partition", f"{title}: different labels, {labels}")
            other = classes.lumped(model.rows[t])
            if row != other:  # μ_s(C) = μ_t(C) for every class C; neither row lists a zero
                c = next(c for c in [*row, *other] if row.get(c, ZERO) != other.get(c, ZERO))
                numbers = comparison(row.get(c, ZERO), "!=", other.get(c, ZERO))
                raise Rejected("partition", f"{title}: not equally likely to go to {shown(c)}, {numbers}")
    kept = [state for state in model.labels if classes.first(state) == state]
    return Model({s: model.labels[s] for s in kept}, {s: classes.lumped(model.rows[s]) for s in kept})


def timed(model: Model, ends: Sequence[str], work: Work) -> Model:
    """The chain whose labels also say how many steps are left until a label of ``ends``.

    Raises: Rejected where that is not a matter of the state; TooLarge.
    """
    if not ends:
        return model
    for label in ends:
        if label not in model.states_of:
            raise Rejected("clock", f"clock names {shown(label)}, not a label of the model")
    work.spend(sum(map(len, model.rows.values())), 1, 1)
    left = {state: 0 for label in ends for state in model.states_of[label]}  # h
    begun: set[str] = set()
    for start in model.labels:
        waiting = [start]
        while waiting:  # the last one when all that it leads to is done
            state = waiting[-1]
            open_targets = [] if state in left else [i for i in model.rows[state] if i not in left]
            if open_targets:
                if state in begun:  # it leads to itself
                    raise Rejected("clock", f"a cycle through {shown(state)} passes no label of the clock")
                begun.add(state)
                waiting += open_targets
                continue
            waiting.pop()
            if state not in left:
                first, *others = sorted({left[i] for i in model.rows[state]})
                if others:  # h(i) = h(s) - 1 for every successor i of s
                    steps = f"{first + 1} and {others[0] + 1}"
                    raise Rejected("clock", f"state {shown(state)} has {steps} steps left")
                left[state] = first + 1
    return Model({state: f"{label}@{left[state]}" for state, label in model.labels.items()}, model.rows)


Values = dict[Pair, Fraction]


def verify(model: Model, certificate: Certificate, work: Work) -> None:
    """Return if the certificate proves its claims about the model. Raises: Rejected, TooLarge."""
    check_fingerprint(certificate.model, model.fingerprint())
    _check_alpha(certificate)
    partition = certificate.partition or ()
    classes = Classes(model, partition)
    lumped = quotient(model, partition, classes)
    _verify_in_quotient(timed(lumped, certificate.clock, work), classes, certificate, work)


def _verify_in_quotient(model: Model, classes: Classes, certificate: Certificate, work: Work) -> None:
    """All steps after the partition and the clock: from here on the model is what they make of it."""
    alpha, symmetric = certificate.alpha, certificate.quantity == "bd"
    pairs = [(classes.first(s), classes.first(t)) for s, t in (claim.pair for claim in certificate.claims)]
    _check_pairs(model, pairs, certificate)
    upper = _values(certificate.upper, symmetric)
    _check_upper(model, alpha, certificate.upper, upper, work)
    base = base_table(model, alpha, certificate.words, symmetric, work)
    table = _check_lower(model, alpha, certificate.lower, base, symmetric)
    lower = _proved_by_records(model, table, pairs)
    for number, (claim, pair) in enumerate(zip(certificate.claims, pairs, strict=True)):
        _check_claim(model, number, claim, pair, lower, upper, work)


def _check_alpha(certificate: Certificate) -> None:
    if not certificate.alpha >= 1:  # α ≥ 1
        raise Rejected("alpha", f"alpha is too small, {comparison(certificate.alpha, '<', ONE)}")


def _check_pairs(model: Model, claimed: Sequence[Pair], certificate: Certificate) -> None:
    what = "the model" if certificate.partition is None else "the quotient"
    _check_names(model, claimed, "claims", what)
    _check_names(model, map(_states_in, certificate.upper), "upper", what)
    _check_names(model, map(_states_in, certificate.lower), "lower", what)
    _check_labels(model, certificate.lower, what)
    symmetric = certificate.quantity == "bd"
    _check_record_pairs(model, certificate.upper, "upper", symmetric)
    _check_record_pairs(model, certificate.lower, "lower", symmetric)


def _check_names(model: Model, groups: Iterable[Iterable[str]], kind: str, what: str) -> None:
    for number, states in enumerate(groups):
        for state in states:
            if state not in model.labels:
                raise Rejected("pairs", f"{kind}[{number}] names {shown(state)}, not a state of {what}")


def _check_labels(model: Model, records: Sequence[LowerRecord], what: str) -> None:
    for number, record in enumerate(records):
        for label in (*record.f.rest, *record.g.rest):
            if label not in model.states_of:
                raise Rejected("pairs", f"lower[{number}] names {shown(label)}, not a label of {what}")


def _check_record_pairs(
    model: Model, records: Sequence[UpperRecord | LowerRecord], kind: str, symmetric: bool
) -> None:
    seen: dict[Pair | frozenset[str], int] = {}
    for number, record in enumerate(records):
        s, t = record.pair
        if s == t:
            raise Rejected("pairs", f"{_Title(kind, number, record.pair)} is a pair of equal states")
        if model.labels[s] != model.labels[t]:
            labels = f"{shown(model.labels[s])} and {shown(model.labels[t])}"
            raise Rejected("pairs", f"{_Title(kind, number, record.pair)} has different labels, {labels}")
        first = seen.setdefault(frozenset((s, t)) if symmetric else (s, t), number)
        if first != number:
            raise Rejected(
                "pairs", f"{_Title(kind, number, record.pair)} is the pair of {kind}[{first}] again"
            )


def _states_in(record: UpperRecord | LowerRecord) -> Iterable[str]:
    if isinstance(record, LowerRecord):
        return chain(record.pair, record.f.named, record.g.named)
    return chain(record.pair, *(_states_in_coupling(coupling) for _, coupling in _couplings(record)))


def _states_in_coupling(coupling: Coupling) -> Iterable[str]:
    return chain(chain.from_iterable(coupling.w), coupling.b)


# --- upper bounds ---------------------------------------------------------------------------------


def _check_upper(
    model: Model, alpha: Fraction, records: Sequence[UpperRecord], values: Values, work: Work
) -> None:
    _check_not_negative(records, "upper")  # u ≥ 0
    upper = upper_table(model, values)  # U
    for number, record in enumerate(records):
        for direction, coupling in _couplings(record):
            title = _Title("upper", number, record.pair, f", {direction}")
            mu, nu = (model.vectors[state] for state in _oriented(record.pair, direction))
            multipliers = Multipliers.of(coupling, work)
            # w, b ≥ 0 and Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i)
            check_coupling("upper-coupling", title, multipliers, mu, nu, alpha, work)
            costs = cost(multipliers, upper, work)
            work.spend(1, size(costs), size(record.value))
            if not costs <= record.value:  # Σ_{i,j} w(i,j) U(i,j) + Σ_i b(i) ≤ u
                numbers = comparison(costs, ">", record.value)
                raise Rejected("upper-cost", f"{title}: the cost exceeds the value, {numbers}")


def _couplings(record: UpperRecord) -> list[tuple[str, Coupling]]:
    """The coupling of each direction that counts: for bd both, otherwise forward."""
    both = [("forward", record.forward), ("backward", record.backward)]
    return [(direction, coupling) for direction, coupling in both if coupling is not None]


# --- lower bounds ---------------------------------------------------------------------------------


def _check_lower(
    model: Model, alpha: Fraction, records: Sequence[LowerRecord], base: Table, symmetric: bool
) -> Table:
    """L, for different states with the same label, once it is proved."""
    _check_not_negative(records, "lower")  # v ≥ 0
    work = base.work
    lower = Table(model, symmetric, base.at, work)  # L: B, except at the records
    for record in records:
        lower.enter(*record.pair, record.value.as_integer_ratio())
    for number, record in enumerate(records):
        title = _Title("lower", number, record.pair)
        above, below = _check_potential("lower-f", title, record, record.f, lower, model, alpha)
        x, y = record.value.as_integer_ratio()
        work.spend(1, below.bit_length(), size(record.value))
        if not above * y >= x * below:  # Σ_i f_i (μ(i) − α ν(i)) ≥ v
            numbers = comparison(Fraction(above, below), "<", record.value)
            raise Rejected(
                "lower-objective", f"{title}: the objective of f falls short of the value, {numbers}"
            )

    recorded = {pair for record in records for pair in _orders(record.pair, symmetric)}

    def reached_by_words(i: str, j: str) -> Ratio:
        return UNIT if (i, j) not in recorded and base.at(i, j)[0] > 0 else NIL

    # R_k: 1 where B > 0, except at the records; it grows with k, so they are taken rank by rank
    reached = Table(model, symmetric, reached_by_words, work)
    by_rank = sorted(enumerate(records), key=lambda item: item[1].rank)
    for _, group in groupby(by_rank, key=lambda item: item[1].rank):
        of_rank_k = list(group)
        for number, record in of_rank_k:
            title = _Title("lower", number, record.pair)
            above, below = _check_potential("lower-g", title, record, record.g, reached, model, alpha)
            if not above > 0:  # Σ_i g_i (μ(i) − α ν(i)) > 0
                numbers = comparison(Fraction(above, below), "<=", ZERO)
                raise Rejected("lower-escape", f"{title}: the objective of g is not positive, {numbers}")
        for _, record in of_rank_k:
            reached.enter(*record.pair, UNIT)
    return lower


def _check_potential(
    step: str, title: _Title, record: LowerRecord, f: Potential, table: Table, model: Model, alpha: Fraction
) -> Ratio:
    """That f is one for the table, and what its objective is."""
    check_range(step, title, f)  # 0 ≤ f ≤ 1
    scaled = Scaled.of(f, table.work)
    check_differences(step, title, scaled, table, model, alpha)  # f_i − α f_j ≤ d(i,j)
    mu, nu = (model.vectors[state] for state in _oriented(record.pair, record.direction))
    return objective(scaled, mu, nu, model, alpha, table.work)  # Σ_i f_i (μ(i) − α ν(i))


# --- claims ---------------------------------------------------------------------------------------


def _proved_by_records(model: Model, lower: Table, pairs: Iterable[Pair]) -> Values:
    """L at the claimed pairs, where it is not 0 or 1 by definition."""
    return {
        (s, t): Fraction(*lower.at(s, t)) for s, t in pairs if s != t and model.labels[s] == model.labels[t]
    }


def _check_claim(
    model: Model, number: int, claim: Claim, pair: Pair, lower: Values, upper: Values, work: Work
) -> None:
    """A claim, with its pair in the quotient, against what is proved from below and from above."""
    s, t = pair
    title = _Title("claims", number, claim.pair, between=" on ")

    proved = ONE if model.labels[s] != model.labels[t] else max(ZERO, lower.get((s, t), ZERO))
    work.spend(1, size(claim.lower), size(proved))
    if not claim.lower <= proved:  # x ≤ 0, or ℓ(s) ≠ ℓ(t) and x ≤ 1, or x ≤ L(s,t)
        numbers = comparison(claim.lower, ">", proved)
        raise Rejected("claim-lower", f"{title}: the lower bound exceeds what is proved, {numbers}")

    proved = ZERO if s == t else min(ONE, upper.get((s, t), ONE))
    work.spend(1, size(claim.upper), size(proved))
    if not claim.upper >= proved:  # y ≥ 1, or s = t and y ≥ 0, or y ≥ the record's value
        numbers = comparison(claim.upper, "<", proved)
        raise Rejected("claim-upper", f"{title}: the upper bound is below what is proved, {numbers}")


# --- shared ---------------------------------------------------------------------------------------


def _check_not_negative(records: Sequence[UpperRecord | LowerRecord], kind: str) -> None:
    for number, record in enumerate(records):
        if not record.value.numerator >= 0:
            title, numbers = _Title(kind, number, record.pair), comparison(record.value, "<", ZERO)
            raise Rejected(f"{kind}-value", f"{title}: the value is negative, {numbers}")


def _oriented(pair: Pair, direction: str) -> Pair:
    """The states whose rows are μ and ν: for the pair [s, t] they are s and t forward, t and s backward."""
    s, t = pair
    return (s, t) if direction == "forward" else (t, s)


def _values(records: Sequence[UpperRecord | LowerRecord], symmetric: bool) -> Values:
    """The records' values, each under its pair (s, t) and, if that is the same pair, under (t, s)."""
    return {pair: record.value for record in records for pair in _orders(record.pair, symmetric)}


def _orders(pair: Pair, symmetric: bool) -> tuple[Pair, ...]:
    """The ordered pairs that a record is about."""
    s, t = pair
    return ((s, t), (t, s)) if symmetric else ((s, t),)


class _Title(NamedTuple):
    """The name of a record or claim in a message, put together where there is one to write."""

    kind: str
    number: int
    pair: Pair
    after: str = ""
    between: str = " "

    def __str__(self) -> str:
        s, t = (shown(state) for state in self.pair)
        return f"{self.kind}[{self.number}]{self.between}({s}, {t}){self.after}"


@dataclass(frozen=True)
class Report:
    """What an accepted certificate proves, and how many records the proof has.

    With a partition the claims speak of the quotient chain, in which each class is one state.
    """

    quantity: str
    alpha: Fraction
    claims: tuple[Claim, ...]
    upper_records: int
    lower_records: int
    partition: bool = False


def check(model_text: str, certificate_text: str, allowed: Allowance | None = None) -> Report:
    """Verify a certificate against the text of an ``.lmc`` model (without a byte order mark).

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it is beyond the limits; Rejected where it is
    one, and does not prove what it claims.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_model(model_text)
    certificate = read_certificate(certificate_text, work)
    verify(model, certificate, work)
    return Report(
        quantity=certificate.quantity,
        alpha=certificate.alpha,
        claims=certificate.claims,
        upper_records=len(certificate.upper),
        lower_records=len(certificate.lower),
        partition=certificate.partition is not None,
    )
