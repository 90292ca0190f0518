"""The proof: every inequality of SPEC section 3, and nothing else.

The checker is handed a table U for which it verifies Γ(U) ≤ U, so that U is above the least fixed point bd_α
or ld_α, and a table L with a reason why L is below it. The certificate brings everything that one would have
to search for: couplings, which bound a linear program from above, and functions, which bound it from below.
Where it brings no lower bound, L is what the next labels alone tell. What remains is to add, multiply and
compare. SPEC section 4 shows that the inequalities suffice; the modules here only have to state each of them
correctly. A comment with a formula stands at the line that tests it, in the notation of the specification.
``chain.py`` has partitions and clocks, ``lower.py`` the lower bounds, and the rest is here.

*Upper bounds* are couplings. If Σ_j w(i,j) + b(i) − α Σ_j w(j,i) ≥ μ(i) − α ν(i) at every state i, with
w, b ≥ 0, then Σ_i f_i (μ(i) − α ν(i)) ≤ Σ w(i,j) U(i,j) + Σ b(i) for every f with 0 ≤ f ≤ 1 and
f_i − α f_j ≤ U(i,j). So a table U that is not below the right side is a pre-fixed point, and the distance is
below it. A record's value counts for bd_α in both orders of its pair, for ld_α in its own order and no other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..core import Rejected, check_fingerprint, demand
from ..core.chain import Model, read_model
from ..core.limits import Allowance, Work
from ..core.numbers import brief, comparison, least_common_multiple, size
from ..core.text import shown
from .chain import Chain, quotient, timed
from .document import Certificate, Claim, Coupling, Escape, Function, Pair, UpperRecord, read_certificate
from .lower import ONE, Lower, Ratio

STEPS = (
    *("model", "alpha", "partition", "clock", "merged", "pairs"),
    *("upper-value", "upper-coupling", "upper-cost"),
    *("lower-f", "lower-objective", "lower-rank", "lower-words", "lower-g", "lower-escape"),
    *("claim-lower", "claim-upper"),
)


@dataclass(frozen=True)
class Report:
    """What an accepted certificate proves, and how large the proof is.

    With a partition the claims speak of the quotient chain, in which each class is one state.
    """

    quantity: str
    alpha: Fraction
    claims: tuple[Claim, ...]
    upper_records: int
    lower_records: int  # the functions of all stages
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
        lower_records=sum(len(stage.functions) for stage in certificate.lower),
        partition=certificate.partition is not None,
    )


def verify(model: Model, certificate: Certificate, work: Work) -> None:
    """Return if the certificate proves its claims about the model. Raises: Rejected, TooLarge."""
    check_fingerprint(certificate.model, model.fingerprint())
    alpha, symmetric = certificate.alpha, certificate.quantity == "bd"
    demand("alpha", alpha >= 1, f"alpha is too small, {comparison(alpha, '<', Fraction(1))}")
    model, first = quotient(model, certificate.partition or (), "partition")
    model = timed(model, certificate.clock, work)
    below, merged = quotient(model, certificate.merged, "merged")
    pairs = [(first.get(s, s), first.get(t, t)) for s, t in (claim.pair for claim in certificate.claims)]
    chain = _check_pairs(model, pairs, certificate, symmetric)
    upper = _check_upper(chain, alpha, certificate.upper, symmetric, work)
    _check_names(below, certificate.states, "states", "the chain of the lower part")
    lower = Lower(Chain(below, certificate.states), alpha, certificate.words, symmetric, work)
    for number, stage in enumerate(certificate.lower):
        lower.add(f"lower[{number}]", stage)
    for number, (claim, (s, t)) in enumerate(zip(certificate.claims, pairs, strict=True)):
        low = high = Fraction(s != t)  # what is proved: 0 where s = t, and 1 where the labels differ
        if s != t and model.labels[s] == model.labels[t]:
            low = lower.at(merged.get(s, s), merged.get(t, t))
            high = Fraction(*upper.get((chain.number[s], chain.number[t]), (1, 1)))
        _check_claim(number, claim, low, high, work)


def _check_claim(number: int, claim: Claim, low: Fraction, high: Fraction, work: Work) -> None:
    """A claim against L(s,t) and against the value that is proved from above."""
    title = f"claims[{number}] on ({', '.join(map(shown, claim.pair))})"
    work.spend(2, size(claim.lower) + size(claim.upper), size(low) + size(high))
    if not (claim.lower <= low or claim.lower <= 0):  # x ≤ L(s,t), or x ≤ 0
        numbers = comparison(claim.lower, ">", low)
        raise Rejected("claim-lower", f"{title}: the lower bound exceeds what is proved, {numbers}")
    if not (claim.upper >= high or claim.upper >= 1):  # y ≥ 1, or y ≥ 0 and s = t, or y ≥ the value
        numbers = comparison(claim.upper, "<", high)
        raise Rejected("claim-upper", f"{title}: the upper bound is below what is proved, {numbers}")


# --- pairs ------------------------------------------------------------------------------------------------


def _check_pairs(
    model: Model, claimed: Sequence[tuple[str, str]], certificate: Certificate, symmetric: bool
) -> Chain:
    """The chain in which the numbers of the records are states, once all that they name exists."""
    what, count = "the model" if certificate.partition is None else "the quotient", len(certificate.states)
    for number, names in enumerate(claimed):
        _check_names(model, names, f"claims[{number}]", what)
    _check_names(model, certificate.states, "states", what)
    chain = Chain(model, certificate.states)
    seen: dict[Pair, int] = {}
    for number, record in enumerate(certificate.upper):
        title, (s, t) = f"upper[{number}]", record.pair
        for w, b in filter(None, (record.forward, record.backward)):
            _check_states(w[::3] + w[1::3] + b[::2], title, count)
        _check_pair(chain, s, t, title, count)
        earlier = seen.setdefault((t, s) if symmetric and t < s else (s, t), number)
        if earlier != number:
            raise Rejected("pairs", f"{title} ({chain.shown(s, t)}) is the pair of upper[{earlier}] again")
    for title, function in _functions_in(certificate):
        _check_states(function.f, title, count)
        for label in function.rest:
            demand("pairs", label in chain.group, f"{title} names {shown(label)}, not a label of {what}")
        for s, t, _ in function.pairs:
            _check_pair(chain, s, t, title, count)
    return chain


def _functions_in(certificate: Certificate) -> Iterator[tuple[str, Function | Escape]]:
    for number, stage in enumerate(certificate.lower):
        for place, function in enumerate(stage.functions):
            yield f"lower[{number}].functions[{place}]", function
        for place, escape in enumerate(stage.escapes):
            yield f"lower[{number}].escapes[{place}]", escape


def _check_names(model: Model, names: Iterable[str], title: str, what: str) -> None:
    for name in names:
        if name not in model.labels:
            raise Rejected("pairs", f"{title} names {shown(name)}, not a state of {what}")


def _check_states(states: Iterable[int], title: str, count: int) -> None:
    """That the numbers of states are positions in ``states``: a negative one is none, and no Python index."""
    for state in states:
        if not 0 <= state < count:
            number = brief(Fraction(state))
            raise Rejected("pairs", f"{title} names the state {number}, and there are {count} in states")


def _check_pair(chain: Chain, s: int, t: int, title: str, count: int) -> None:
    """Two different states with the same label."""
    _check_states((s, t), title, count)
    if s == t or chain.labels[s] != chain.labels[t]:
        labels = f"different labels, {shown(chain.labels[s])} and {shown(chain.labels[t])}"
        what = "is a pair of equal states" if s == t else f"has {labels}"
        raise Rejected("pairs", f"{title} ({chain.shown(s, t)}) {what}")


# --- upper bounds -----------------------------------------------------------------------------------------


def _check_upper(
    chain: Chain, alpha: Fraction, records: Sequence[UpperRecord], symmetric: bool, work: Work
) -> dict[Pair, Ratio]:
    """The values of the records, once they are proved. Raises: Rejected, TooLarge."""
    values: dict[Pair, Ratio] = {}
    for number, ((s, t), over, value, *_) in enumerate(records):
        if not value >= 0:  # u ≥ 0
            numbers = comparison(Fraction(value, over), "<", Fraction(0))
            title = f"upper[{number}] ({chain.shown(s, t)})"
            raise Rejected("upper-value", f"{title}: the value is negative, {numbers}")
        values[s, t] = value, over
        if symmetric:
            values[t, s] = value, over
    longest = max((x.bit_length() for value in values.values() for x in value), default=0)
    for number, ((s, t), over, value, forward, backward) in enumerate(records):
        for direction, coupling, rows in (("forward", forward, (s, t)), ("backward", backward, (t, s))):
            try:
                if coupling is not None:
                    _check_coupling(chain, alpha, coupling, (value, over), rows, values, longest, work)
            except Rejected as rejected:
                title = f"upper[{number}] ({chain.shown(s, t)}), {direction}"
                raise Rejected(rejected.step, f"{title}{rejected.reason}") from None
    return values


def _check_coupling(
    chain: Chain,
    alpha: Fraction,
    coupling: Coupling,
    value: Ratio,
    rows: Pair,
    values: dict[Pair, Ratio],
    longest: int,
    work: Work,
) -> None:
    """The inequality of couplings, and Σ_{i,j} w(i,j) U(i,j) + Σ_i b(i) ≤ u, tested on integers.

    With α = p/q, r and t for the denominators of μ and ν, and m for that of w, b and u, both sides of the
    first are multiplied by q m r t. No number in U has more than ``longest`` bits.
    """
    (w, b), (u, m), (p, q) = coupling, value, alpha.as_integer_ratio()
    (mu, nu), (r, t) = (chain.rows[s] for s in rows), (chain.overs[s] for s in rows)
    numbers, q_rt, p_rt = [*w[2::3], *b[1::2]], q * r * t, p * r * t
    terms, bits = len(numbers) + len(mu) + len(nu), max(*numbers, u, m).bit_length()
    work.spend(terms, bits, p_rt.bit_length())
    work.spend(len(w) // 3, bits, longest)
    work.hold(terms, bits + p_rt.bit_length())
    if min(numbers, default=0) < 0:  # w, b ≥ 0
        least = comparison(Fraction(min(numbers), m), "<", Fraction(0))
        raise Rejected("upper-coupling", f": a number is negative, {least}")
    slack: defaultdict[int, int] = defaultdict(int)
    sums: defaultdict[int, int] = defaultdict(int)  # Σ w(i,j) U(i,j), by the denominator of U(i,j)
    for i, j, x in zip(w[::3], w[1::3], w[2::3], strict=True):
        slack[i] += q_rt * x  # Σ_j w(i,j) − α Σ_j w(j,i)
        slack[j] -= p_rt * x
        if i != j:  # U(i,i) = 0; where the labels differ, and where there is no record, it is 1
            above, below = values.get((i, j), ONE)
            sums[below] += x * above
    for i, x in zip(b[::2], b[1::2], strict=True):  # + b(i)
        slack[i] += q_rt * x
        sums[1] += x
    of_mu, of_nu = q * m * t, p * m * r
    for i, x in mu.items():  # − μ(i)
        slack[i] -= of_mu * x
    for i, x in nu.items():  # + α ν(i)
        slack[i] += of_nu * x
    if min(slack.values()) < 0:  # at every state that is not in it, both sides are 0
        i = next(i for i, x in slack.items() if x < 0)
        right = Fraction(mu.get(i, 0), r) - alpha * Fraction(nu.get(i, 0), t)
        found = comparison(Fraction(slack[i], m * q_rt) + right, "<", right)
        raise Rejected("upper-coupling", f", state {chain.shown(i)}: the left side is too small, {found}")
    d = least_common_multiple(sums.keys(), work)
    work.hold(len(sums), d.bit_length() + bits + longest)
    work.spend(len(sums) + 1, d.bit_length(), d.bit_length() + bits + longest)
    cost = sum(x * (d // below) for below, x in sums.items())
    if not cost <= d * u:
        found = comparison(Fraction(cost, d * m), ">", Fraction(u, m))
        raise Rejected("upper-cost", f": the cost exceeds the value, {found}")
