"""The library's front door: what a program calls, with parameters as a program has them.

States are named; numbers are Fraction, int or str and mean exactly what they say; exactly one of ``alpha``
(at least 1) and ``epsilon`` (at least 0, or "ln q") is given. For an epsilon everything is computed at a
rational alpha just below e^epsilon, where a distance bounds the true delta at epsilon. With a ``time_limit``
(seconds) the answer is what is proved by then. Every certificate in an answer has been checked. What may be
asked together, and what not, is said in `bdist.queries`, which the command line reads as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.relation import Relation
from bdist.distances.compute import DistanceTable, Exactish, Skew
from bdist.errors import NotPrivate, ParameterError
from bdist.exact.rationals import as_rational
from bdist.queries import (
    AttackQuery,
    AuditQuery,
    CurveQuery,
    EpsilonQuery,
    ProfileQuery,
    Quantity,
    QuotientQuery,
    ThresholdQuery,
    TraceQuery,
    chosen,
    distance_query,
    table_query,
)
from bdist.results import Answer, Distance, Verdict
from bdist.text.files import make_folder
from bdist.theories import kind_with
from bdist.traces.answers import TraceDistance
from bdist.traces.compute import DEFAULT_BELIEFS, PROFILE_WIDTH

if TYPE_CHECKING:
    from bdist.audits.audit import Progress
    from bdist.audits.findings import Audit
    from bdist.certificates.merged import ProvedQuotient
    from bdist.chains.mechanism import Mechanism
    from bdist.family import Value
    from bdist.thresholds.question import Options
    from bdist.traces.answers import BestAttack, Curve, EpsilonBracket
    from bdist.traces.profile import Profile

DEFAULT_POINTS = 25  # of a curve


def distance(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    quantity: str = "bd",
    method: str = "auto",
    backend: str | None = None,
    precision: Exactish | None = None,
    tolerance: Exactish | None = None,
    time_limit: float | None = None,
    quotient: bool = False,
    jobs: int | None = None,
) -> Distance:
    """The skewed bisimilarity distance of two states (Definition 12 of Chistikov, Murawski and Purser).

    ``method`` is explore (floats propose, rationals prove), strategy (rationals only), auto (one of these),
    iterate (a bracket within ``tolerance``, 1e-9) or search (binary search on thresholds). ``backend`` is an
    LP engine, or with search a threshold backend. ``precision`` is the width of a certified bracket that will
    do: 0 demands the exact value, and without it large problems are answered within 1e-9. ``jobs`` threads
    are used, by default all cores. ``quantity`` is bd, ld, or the true delta tv or lv, which takes none of
    these but ``tolerance``.
    Ensures: the certificate was checked; where ``time_limit`` was reached, the bracket is what was proved,
    and ``limit`` says so.
    Raises: ParameterError, BackendError, InternalError.

    >>> bdist.distance(bdist.make("dining-cryptographers"), "s0", "s1", alpha="1.0002")
    Distance(bd(s0, s1) = 1/2500, certified)
    """
    query = distance_query(
        alpha=alpha,
        epsilon=epsilon,
        quantity=quantity,
        method=method,
        backend=backend,
        precision=precision,
        tolerance=tolerance,
        quotient=quotient,
        jobs=jobs,
    )
    budget = Budget.for_answer(time_limit)
    if isinstance(query, TraceQuery):
        return query.answer(chain, (s, t), budget).distance
    return query.answer(chain, (s, t), budget)


def true_delta(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    quantity: str = "tv",
    tolerance: Exactish = PROFILE_WIDTH,
    time_limit: float | None = None,
    max_beliefs: int = DEFAULT_BELIEFS,
) -> TraceDistance:
    """The least delta of (epsilon, delta)-differential privacy between two states, with an attack.

    ``quantity`` is tv (the pair's worse order) or lv (s over t only). The search stops when both ends agree
    or are within ``tolerance`` (1e-6), or at ``time_limit`` or ``max_beliefs`` (20,000).
    Ensures: the certificate in ``.distance`` was checked; ``.bracket`` is what is known at e^epsilon;
    ``.attack``, if there is one, is a test with exact probabilities; ``.profile`` bounds every other epsilon.
    Raises: ParameterError, InternalError.

    >>> bdist.true_delta(bdist.make("dining-cryptographers"), "s0", "s1", alpha="1.0002").bracket.upper
    Bound(7501/25000000, certified)
    """
    query = TraceQuery(
        Skew.of(alpha, epsilon),
        chosen(Quantity, quantity, "quantity"),
        as_rational(tolerance, "tolerance"),
        max_beliefs,
    )
    return query.answer(chain, (s, t), Budget.for_answer(time_limit))


def profile(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    width: Exactish = PROFILE_WIDTH,
    max_beliefs: int = DEFAULT_BELIEFS,
    time_limit: float | None = None,
) -> Profile:
    """The privacy profile of two states: the true delta for every epsilon at once, in both orders.

    It is exact where the beliefs of an observer are finitely many up to scale. Otherwise it is known from
    both sides, ``width`` (1e-6) apart or, where a limit was reached, more. With an alpha or an epsilon the
    work goes where that one matters; what is said of others holds as well, and may be coarse.
    Ensures: the certificate was checked; where its check did not end in time, ``evidence`` says so.
    Raises: ParameterError, InternalError.

    >>> profile = bdist.profile(bdist.make("randomised-response"), "yes", "no")
    >>> profile.delta(epsilon="ln 2").upper.value, profile.epsilon(delta=0).closed_form
    (Fraction(1, 4), 'ln(3)')
    """
    query = ProfileQuery.of(alpha, epsilon, width, max_beliefs)
    return query.answer(chain, (s, t), Budget.for_answer(time_limit))


def least_epsilon(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    delta: Exactish,
    tolerance: Exactish | None = None,
    time_limit: float | None = None,
) -> EpsilonBracket:
    """The least epsilon for which two states are (epsilon, delta)-differentially private, from both sides.

    It is the logarithm of a rational, and found exactly wherever the profile is. Stops when the ends are
    within ``tolerance`` (1e-6) of each other.
    Ensures: both ends have a checked certificate; no finite epsilon is an answer.
    Raises: ParameterError, InternalError.

    >>> bdist.least_epsilon(bdist.make("randomised-response"), "yes", "no", delta=0).closed_form
    'ln(3)'
    """
    width = None if tolerance is None else as_rational(tolerance, "tolerance")
    query = EpsilonQuery(as_rational(delta, "delta"), width)
    return query.answer(chain, (s, t), Budget.for_answer(time_limit))


def attack(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    time_limit: float | None = None,
) -> BestAttack:
    """The test of labels that tells two states apart best, with exact probabilities, in the worse order.

    Ensures: ``.attack`` is None where ``.answer`` is NONE, proved, or UNKNOWN, with a ``.reason``. No test
    has an advantage above ``.bracket.upper.value``, certified.
    Raises: ParameterError, InternalError.

    >>> found = bdist.attack(bdist.make("dining-cryptographers"), "s0", "s1", alpha="1.0002")
    >>> found.answer.value, found.advantage <= found.bracket.upper.value
    ('found', True)
    """
    query = AttackQuery(Skew.of(alpha, epsilon))
    return query.answer(chain, (s, t), Budget.for_answer(time_limit))


def quotient(
    chain: LabelledMarkovChain, *, certificate: bool = True, time_limit: float | None = None
) -> ProvedQuotient:
    """The chain with its bisimilar states merged (Definition 8), and the proof that they are bisimilar.

    The true delta of two states stays, bd stays or falls. ``.chain`` is the quotient, ``.of(state)`` names a
    state's class, ``.merged`` has the classes of two or more, ``.step_apart(s, t)`` says why two states were
    not merged. Without ``certificate`` no proof is made.
    Ensures: the certificate was checked, or ``.unchecked`` says why not.

    >>> bdist.quotient(bdist.make("figure-one")).merged
    ()
    """
    return QuotientQuery(certificate).answer(chain, Budget.for_answer(time_limit))


def make(family: str, /, **parameters: Value) -> Any:
    """A member of a family by name: a chain, an automaton, a program, a hidden Markov model, or a decision
    process.

    What is not given has its default; ``bdist make`` lists the families and their parameters.
    Raises: ParameterError where there is no such family or parameter, or a value is out of range.

    >>> bdist.make("dining-cryptographers", diners=3, bias="1/3")
    LabelledMarkovChain(3-diners-merged: 52 states, 4 labels)
    """
    return kind_with(family).families[family].make(**parameters)


def curve(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    epsilon: tuple[Exactish, Exactish],
    points: int = DEFAULT_POINTS,
    time_limit: float | None = None,
) -> Curve:
    """The true delta of two states against epsilon: their profile at so many points of a range.

    Raises: ParameterError, InternalError.

    >>> found = bdist.curve(bdist.make("randomised-response"), "yes", "no", epsilon=(0, 1), points=3)
    >>> [point.worse.exact for point in found.points]
    [True, False, False]
    """
    return CurveQuery.of(epsilon, points).answer(chain, (s, t), Budget.for_answer(time_limit))


def distance_table(
    chain: LabelledMarkovChain,
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    quantity: str = "bd",
    method: str = "auto",
    backend: str | None = None,
    precision: Exactish | None = None,
    tolerance: Exactish | None = None,
    time_limit: float | None = None,
    quotient: bool = False,
    jobs: int | None = None,
) -> DistanceTable:
    """The distances of all pairs of states with the same label, with one certificate for all.

    Parameters, Ensures, Raises: as `distance`, without the method search.

    >>> table = bdist.distance_table(bdist.make("randomised-response"), epsilon="ln 2")
    >>> table["yes", "no"].value
    Fraction(1, 4)
    """
    query = table_query(
        alpha=alpha,
        epsilon=epsilon,
        quantity=quantity,
        method=method,
        backend=backend,
        precision=precision,
        tolerance=tolerance,
        quotient=quotient,
        jobs=jobs,
    )
    return query.answer_all(chain, Budget.for_answer(time_limit))


def threshold(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    theta: Exactish,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    backend: str = "strategy",
    time_limit: float | None = None,
    options: Options | None = None,
    confirm: bool = True,
) -> Verdict:
    """Whether bd_alpha(s, t) <= theta (the problem BD-THRESHOLD of Chistikov, Murawski and Purser).

    ``confirm`` lets strategy iteration certify what an incomplete backend can only hint at.
    Ensures: HOLDS and VIOLATED carry a certificate that has been checked; UNKNOWN carries the reason.
    Raises: ParameterError, BackendError where an engine is not installed or fails, InternalError.

    >>> bdist.threshold(bdist.make("randomised-response"), "yes", "no", alpha=2, theta="1/4").answer.value
    'holds'
    """
    query = ThresholdQuery.of(alpha, epsilon, theta, backend, options, confirm)
    return query.answer(chain, (s, t), Budget.for_answer(time_limit))


def audit(
    model: LabelledMarkovChain | Mechanism | Callable[..., Any],
    relation: Relation | Iterable[tuple[str, str]] | None = None,
    *,
    inputs: Iterable[Any] | None = None,
    neighbours: str | Callable[[Any, Any], Any] | Iterable[tuple[Any, Any]] | None = None,
    draws: int | None = None,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    delta: Exactish = 0,
    distances: bool = False,
    group: int = 1,
    compose: int = 1,
    jobs: int | None = None,
    time_limit: float | None = None,
    pair_time_limit: float | None = None,
    memory_limit: int | str | None = None,
    cluster: str | None = None,
    cluster_ca: str | Path | None = None,
    cluster_cert: str | Path | None = None,
    cluster_key: str | Path | None = None,
    journal: str | Path | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
    warn: Callable[[str], None] | None = None,
    certificates: str | Path | None = None,
    report: str | Path | None = None,
) -> Audit:
    """Whether all neighbours are (epsilon, delta)-differentially private, pair by pair, the worst first.

    ``model`` is a chain, and ``relation`` a `Relation` or pairs of its states. Or it is a mechanism, a
    function ``function(rng, input)``, and its ``inputs``, their ``neighbours`` and a bound on ``draws`` are
    given here as to `bdist.mechanism`, or were given there.
    With ``group`` K, states that K steps of the relation connect are neighbours, too. ``compose`` asks about
    so many independent runs, ``distances`` for bd and ld as well. ``time_limit`` is for all of it, but the
    runs of a mechanism are made in any case; ``pair_time_limit`` and ``memory_limit`` (bytes, or a text such
    as "2G") are for one pair. ``jobs`` processes share the work, or the Dask cluster at an address; with
    files in PEM for who signs for it and for our own certificate and key, the connection is encrypted. With a
    ``journal`` results are on disk as they come, and ``resume`` goes on from there. ``certificates`` is a
    folder for the chain and all certificates, ``report`` an HTML file to write; ``x.html`` has the chain
    beside it as ``x-model.lmc``.
    Ensures: HOLDS and VIOLATED rest on certificates and attacks that were checked; UNKNOWN has a reason.
    Raises: ParameterError, BackendError, FormatError where a journal is of another audit.

    >>> found = bdist.audit(bdist.make("randomised-response"), [("yes", "no")], epsilon="ln 3", jobs=1)
    >>> found, found.findings[0].delta.upper.value
    (Audit((ln 3, 0)-differential privacy: holds, 1 pair), Fraction(0, 1))
    """
    query = AuditQuery(
        Skew.of(alpha, epsilon),
        as_rational(delta, "delta"),
        jobs,
        pair_time_limit,
        memory_limit,
        cluster,
        cluster_ca,
        cluster_cert,
        cluster_key,
        distances,
        group,
        compose,
    )
    path = None if journal is None else Path(journal)
    if certificates is not None:
        make_folder(certificates)
    if report is not None:
        from bdist.audits.report.document import model_beside

        model_beside(Path(report))  # which refuses it before the work
    budget = Budget.for_answer(time_limit)
    chain, pairs, remainders = _subject(model, relation, inputs, neighbours, draws)
    found = query.answer(chain, pairs, budget, path, resume, progress, warn)
    if remainders:
        from bdist.audits.remainder import with_remainders

        found = with_remainders(found, remainders)
    if certificates is not None:
        found.write_certificates(certificates)
    if report is not None:
        found.write_report(report, certificates)
    return found


def _subject(
    model: LabelledMarkovChain | Mechanism | Callable[..., Any],
    relation: Relation | Iterable[tuple[str, str]] | None,
    inputs: Iterable[Any] | None,
    neighbours: str | Callable[[Any, Any], Any] | Iterable[tuple[Any, Any]] | None,
    draws: int | None,
) -> tuple[LabelledMarkovChain, Relation | Iterable[tuple[str, str]], Mapping[str, Fraction]]:
    """Chain, neighbours and remainders of what an audit is about. Raises: ParameterError."""
    given = [
        n for n, x in (("inputs", inputs), ("neighbours", neighbours), ("draws", draws)) if x is not None
    ]
    if isinstance(model, LabelledMarkovChain):
        if given:
            raise ParameterError(f"{given[0]} is of a mechanism, and this is a chain, which has a relation")
        if relation is None:
            raise ParameterError("which states are neighbours? give a relation, or pairs of states")
        return model, relation, {}
    from bdist.chains.mechanism import Mechanism, mechanism

    if relation is not None:
        raise ParameterError("a relation is of a chain, and this is a mechanism, which has neighbours")
    if isinstance(model, Mechanism):
        if given:
            raise ParameterError(f"the mechanism has {given[0]} already; give them to bdist.mechanism")
        asked = model
    elif callable(model):
        near = "all" if neighbours is None else neighbours
        given_inputs = () if inputs is None else inputs
        asked = mechanism(model, inputs=given_inputs, neighbours=near, draws=draws)
    else:
        raise ParameterError(f"an audit is of a chain or a function, not of a {type(model).__name__}")
    return asked.chain, asked.relation, asked.remainders


def require_private(
    model: LabelledMarkovChain | Mechanism | Callable[..., Any],
    relation: Relation | Iterable[tuple[str, str]] | None = None,
    *,
    inputs: Iterable[Any] | None = None,
    neighbours: str | Callable[[Any, Any], Any] | Iterable[tuple[Any, Any]] | None = None,
    draws: int | None = None,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    delta: Exactish = 0,
    distances: bool = False,
    group: int = 1,
    compose: int = 1,
    jobs: int | None = None,
    time_limit: float | None = None,
    pair_time_limit: float | None = None,
    memory_limit: int | str | None = None,
    certificates: str | Path | None = None,
    report: str | Path | None = None,
) -> Audit:
    """The audit of a chain or a mechanism that is private, for a test-suite; parameters as of `audit`.

    Raises: NotPrivate, with the worst pair and the attack in its message, where privacy is violated or cannot
    be proved within the limits; as `audit` otherwise.
    """
    found = audit(
        model,
        relation,
        inputs=inputs,
        neighbours=neighbours,
        draws=draws,
        alpha=alpha,
        epsilon=epsilon,
        delta=delta,
        distances=distances,
        group=group,
        compose=compose,
        jobs=jobs,
        time_limit=time_limit,
        pair_time_limit=pair_time_limit,
        memory_limit=memory_limit,
        certificates=certificates,
        report=report,
    )
    if found.answer is not Answer.HOLDS:
        from bdist.audits.findings import summary

        raise NotPrivate(summary(found), found)
    return found
