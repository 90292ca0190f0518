"""The proof: every inequality of SPEC section 3, and nothing else.

The checker is handed a table U for which it verifies Γ(U) ≤ U, so that U is above the least fixed point bd_α
or ld_α, and a table L with a reason why L is below it. The certificate brings everything that one would have
to search for: couplings, which bound a linear program from above, and functions, which bound it from below.
Where it brings no lower bound, L is what the next labels alone tell. What remains is to add, multiply and
compare. SPEC section 4 shows that the inequalities suffice; the modules here only have to state each of them
correctly. A comment with a formula stands at the line that tests it, in the notation of the specification.
In the order of the steps: ``quotient.py``, ``upper.py``, ``lower.py`` with ``tables.py``, and here the rest.

A record's value counts for bd_α in both orders of its pair, for ld_α in its own order and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain as joined

from ..core import Rejected, check_fingerprint, demand
from ..core.chain import Model, read_model
from ..core.digits import brief, comparison, size
from ..core.limits import Allowance, Work
from ..core.text import shown
from .document import Certificate, Claim, Function, Names, Pair, UpperRecord, read_certificate
from .lower import Lower
from .quotient import Chain, classes, quotient, timed
from .upper import check_upper

ZERO, ONE = Fraction(0), Fraction(1)

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
    demand("alpha", alpha >= 1, f"alpha is too small, {comparison(alpha, '<', ONE)}")
    partition = certificate.partition or ()
    first = classes(model, partition, "partition")
    model = timed(quotient(model, partition, first, "partition"), certificate.clock, work)
    merged = classes(model, certificate.merged, "merged")
    below = quotient(model, certificate.merged, merged, "merged")
    pairs = [(first.get(s, s), first.get(t, t)) for s, t in (claim.pair for claim in certificate.claims)]
    chain = _check_pairs(model, pairs, certificate, symmetric)
    upper = check_upper(chain, alpha, certificate.upper, symmetric, work)
    _check_names(below, certificate.states, "states", "the chain of the lower part")
    fewer = Chain(below, certificate.states)
    lower = Lower(fewer, alpha, certificate.words, symmetric, work)
    for number, stage in enumerate(certificate.lower):
        lower.add(f"lower[{number}]", stage)
    for number, (claim, names) in enumerate(zip(certificate.claims, pairs, strict=True)):
        s, t = (chain.number[name] for name in names)
        if s == t:
            low, high = ZERO, ZERO
        elif chain.labels[s] != chain.labels[t]:
            low, high = ONE, ONE
        else:
            i, j = (fewer.number[merged.get(name, name)] for name in names)
            low = ZERO if i == j else Fraction(*lower.table.at(i, j))
            high = Fraction(*upper.get((s, t), (1, 1)))
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


# --- pairs ----------------------------------------------------------------------------------------


def _check_pairs(model: Model, claimed: Sequence[Names], certificate: Certificate, symmetric: bool) -> Chain:
    """The chain in which the numbers of the records are states, once all that they name exists."""
    what = "the model" if certificate.partition is None else "the quotient"
    for number, names in enumerate(claimed):
        _check_names(model, names, f"claims[{number}]", what)
    _check_names(model, certificate.states, "states", what)
    chain = Chain(model, certificate.states)
    seen: dict[Pair, int] = {}
    for number, record in enumerate(certificate.upper):
        title, (s, t) = f"upper[{number}]", record.pair
        _check_states(_states_in(record), title, len(certificate.states))
        _check_pair(chain, record.pair, title)
        earlier = seen.setdefault((t, s) if symmetric and t < s else (s, t), number)
        if earlier != number:
            raise Rejected("pairs", f"{title} ({chain.shown(s, t)}) is the pair of upper[{earlier}] again")
    for title, function in _functions_in(certificate):
        _check_states([*function.named, *joined(*function.pairs)], title, len(certificate.states))
        for label in function.rest:
            demand("pairs", label in chain.group, f"{title} names {shown(label)}, not a label of {what}")
        for pair in function.pairs:
            _check_pair(chain, pair, title)
    return chain


def _functions_in(certificate: Certificate) -> Iterator[tuple[str, Function]]:
    for number, stage in enumerate(certificate.lower):
        for kind, functions in (("functions", stage.functions), ("escapes", stage.escapes)):
            for place, function in enumerate(functions):
                yield f"lower[{number}].{kind}[{place}]", function


def _states_in(record: UpperRecord) -> list[int]:
    found = [*record.pair]
    for w, b in record.couplings:
        found += w[::3] + w[1::3] + b[::2]
    return found


def _check_names(model: Model, names: Iterable[str], title: str, what: str) -> None:
    for name in names:
        demand("pairs", name in model.labels, f"{title} names {shown(name)}, not a state of {what}")


def _check_states(states: Sequence[int], title: str, count: int) -> None:
    """That the numbers of states are positions in ``states``: a negative one is none, and no Python index."""
    if min(states) < 0 or max(states) >= count:
        state = next(state for state in states if not 0 <= state < count)
        number = brief(Fraction(state))
        raise Rejected("pairs", f"{title} names the state {number}, and there are {count} in states")


def _check_pair(chain: Chain, pair: Pair, title: str) -> None:
    """Two different states with the same label."""
    one, two = (chain.labels[state] for state in pair)
    if pair[0] == pair[1] or one != two:
        labels = f"different labels, {shown(one)} and {shown(two)}"
        what = f"has {labels}" if one != two else "is a pair of equal states"
        raise Rejected("pairs", f"{title} ({chain.shown(*pair)}) {what}")
