"""The library's front door: what a program calls, with parameters as a program has them.

States are named; numbers are Fraction, int or str and mean exactly what they say; exactly one of ``alpha``
(at least 1) and ``epsilon`` (at least 0, or "ln q") is given. For an epsilon everything is computed at a
rational alpha just below e^epsilon, where a distance bounds the true delta at epsilon. With a ``time_limit``
(seconds) the answer is what is proved by then. Every certificate in an answer has been checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

from bdist.audits.audit import AuditSettings, Progress, run_audit
from bdist.audits.cluster import tls_of
from bdist.audits.findings import Audit
from bdist.audits.summary import summary
from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.relation import Relation
from bdist.distances.compute import (
    DEFAULT_TOLERANCE,
    SEARCH,
    DistanceTable,
    Exactish,
    Settings,
    Skew,
    compute_distance,
    compute_table,
)
from bdist.errors import NotPrivate, ParameterError
from bdist.exact.reading import as_rational
from bdist.lp import DEFAULT_ENGINE
from bdist.processes import parse_size
from bdist.results import Answer, Distance, Verdict
from bdist.thresholds.decide import decide_threshold
from bdist.thresholds.question import DEFAULT_BACKEND, Options
from bdist.thresholds.search import search_distance
from bdist.traces.curve import DEFAULT_POINTS, Curve, CurveSettings, compute_curve
from bdist.traces.epsilon import EpsilonBracket, EpsilonSettings, compute_epsilon
from bdist.traces.true_delta import (
    DEFAULT_MAX_LEAVES,
    TRACE_QUANTITIES,
    TRACE_TOLERANCE,
    TraceDistance,
    TraceSettings,
    compute_trace_distance,
)


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
    tolerance: Exactish = DEFAULT_TOLERANCE,
    time_limit: float | None = None,
    quotient: bool = False,
    jobs: int | None = None,
) -> Distance:
    """The skewed bisimilarity distance of two states (Definition 12 of Chistikov, Murawski and Purser).

    ``method`` is explore (floats propose, rationals prove), strategy (rationals only), auto (one of these),
    iterate (a bracket within ``tolerance``) or search (binary search on thresholds). ``backend`` is an LP
    engine, or with search a threshold backend. ``precision`` is the width of a certified bracket that will
    do: 0 demands the exact value, and without it large problems are answered within 1e-9. ``jobs`` threads
    are used, by default all cores.
    Ensures: the certificate was checked; where ``time_limit`` was reached, the bracket is what was proved,
    and ``limit`` says so.
    Raises: ParameterError, BackendError, InternalError.
    """
    skew = Skew.of(alpha, epsilon)
    if quantity in TRACE_QUANTITIES:
        traces = TraceSettings(budget=Budget.for_answer(time_limit), uncertified=True)
        return compute_trace_distance(chain, (s, t), skew, quantity, traces).distance
    if method == SEARCH:
        if quantity != "bd":
            raise ParameterError(f"the method search computes bd, not '{quantity}'")
        return search_distance(chain, (s, t), skew, backend or DEFAULT_BACKEND, Budget.for_answer(time_limit))
    settings = _settings(method, backend, precision, tolerance, time_limit, quotient, jobs)
    return compute_distance(chain, (s, t), skew, quantity, settings)


def true_delta(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    quantity: str = "tv",
    tolerance: Exactish = TRACE_TOLERANCE,
    time_limit: float | None = None,
    max_leaves: int = DEFAULT_MAX_LEAVES,
    quotient: bool = True,
) -> TraceDistance:
    """The least delta of (epsilon, delta)-differential privacy between two states, with an attack.

    ``quantity`` is tv (the pair's worse order) or lv (s over t only). Stops at equality, at ``tolerance``,
    ``time_limit`` or ``max_leaves``.
    Ensures: the certificate in ``.distance`` was checked; ``.bracket`` is what is known at e^epsilon;
    ``.attack`` attains its lower end, unless it has too many prefixes to list (``.attack.complete``).
    Raises: ParameterError, InternalError.
    """
    if quantity not in TRACE_QUANTITIES:
        raise ParameterError(f"true_delta computes {' or '.join(TRACE_QUANTITIES)}, not '{quantity}'")
    width = as_rational(tolerance, "tolerance")
    if width < 0:
        raise ParameterError(f"tolerance = {width} is negative")
    settings = TraceSettings(width, Budget.for_answer(time_limit), max_leaves, quotient, uncertified=True)
    return compute_trace_distance(chain, (s, t), Skew.of(alpha, epsilon), quantity, settings)


def least_epsilon(
    chain: LabelledMarkovChain, s: str, t: str, *, delta: Exactish, time_limit: float | None = None
) -> EpsilonBracket:
    """The least epsilon for which two states are (epsilon, delta)-differentially private, from both sides.

    Ensures: the upper end has a checked certificate, the lower end an attack; no finite epsilon is an answer.
    Raises: ParameterError, InternalError.
    """
    return compute_epsilon(chain, (s, t), delta, EpsilonSettings(budget=Budget.for_answer(time_limit)))


def curve(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    epsilon: tuple[Exactish, Exactish],
    points: int = DEFAULT_POINTS,
    quantity: str = "tv",
    time_limit: float | None = None,
) -> Curve:
    """The true delta of two states against epsilon over a range: certified points, and sound in between.

    Raises: ParameterError, InternalError.
    """
    settings = CurveSettings(points=points, budget=Budget.for_answer(time_limit))
    return compute_curve(chain, (s, t), epsilon, quantity, settings)


def distance_table(
    chain: LabelledMarkovChain,
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    quantity: str = "bd",
    method: str = "auto",
    backend: str | None = None,
    precision: Exactish | None = None,
    tolerance: Exactish = DEFAULT_TOLERANCE,
    time_limit: float | None = None,
    jobs: int | None = None,
) -> DistanceTable:
    """The distances of all pairs of states with the same label, with one certificate for all.

    Parameters, Ensures, Raises: as `distance`, without the method search.
    """
    settings = _settings(method, backend, precision, tolerance, time_limit, False, jobs)
    return compute_table(chain, Skew.of(alpha, epsilon), quantity, settings)


def threshold(
    chain: LabelledMarkovChain,
    s: str,
    t: str,
    *,
    theta: Exactish,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    backend: str = DEFAULT_BACKEND,
    time_limit: float | None = None,
    options: Options | None = None,
    confirm: bool = True,
) -> Verdict:
    """Whether bd_alpha(s, t) <= theta (the problem BD-THRESHOLD of Chistikov, Murawski and Purser).

    ``confirm`` lets strategy iteration certify what an incomplete backend can only hint at.
    Ensures: HOLDS and VIOLATED carry a certificate that has been checked; UNKNOWN carries the reason.
    Raises: ParameterError, BackendError where an engine is not installed or fails, InternalError.
    """
    value: Fraction = as_rational(theta, "theta")
    skew = Skew.of(alpha, epsilon)
    return decide_threshold(
        chain, (s, t), skew, value, backend, Budget.for_answer(time_limit), options, confirm
    )


def audit(
    chain: LabelledMarkovChain,
    relation: Relation | Iterable[tuple[str, str]],
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    delta: Exactish = 0,
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
) -> Audit:
    """Whether all neighbours are (epsilon, delta)-differentially private, pair by pair, the worst first.

    ``relation`` is a `Relation` or pairs of states. ``time_limit`` is for all of it, ``pair_time_limit``
    and ``memory_limit`` (bytes, or a text such as "2G") are for one pair. ``jobs`` processes share the work,
    or the Dask cluster at an address; with files in PEM for who signs for it and for our own certificate and
    key, the connection is encrypted. With a ``journal`` results are on disk as they come, and ``resume`` goes
    on from there.
    Ensures: HOLDS and VIOLATED rest on certificates and attacks that were checked; UNKNOWN has a reason.
    Raises: ParameterError, BackendError, FormatError where a journal is of another audit.
    """
    pairs = relation if isinstance(relation, Relation) else Relation.of(chain, relation)
    settings = AuditSettings(
        jobs,
        pair_time_limit,
        None if memory_limit is None else parse_size(memory_limit),
        cluster,
        None if journal is None else Path(journal),
        resume,
        Budget.for_answer(time_limit),
        watcher=progress,
        warn=warn,
        tls=tls_of(cluster, cluster_ca, cluster_cert, cluster_key),
    )
    return run_audit(chain, pairs, Skew.of(alpha, epsilon), as_rational(delta, "delta"), settings)


def require_private(
    chain: LabelledMarkovChain,
    relation: Relation | Iterable[tuple[str, str]],
    *,
    alpha: Exactish | None = None,
    epsilon: Exactish | None = None,
    delta: Exactish = 0,
    jobs: int | None = None,
    time_limit: float | None = None,
    pair_time_limit: float | None = None,
    memory_limit: int | str | None = None,
) -> Audit:
    """The audit of a relation that is private, for a test-suite.

    Raises: NotPrivate, with the worst pair and the attack in its message, where privacy is violated or cannot
    be proved within the limits; as `audit` otherwise.
    """
    found = audit(
        chain,
        relation,
        alpha=alpha,
        epsilon=epsilon,
        delta=delta,
        jobs=jobs,
        time_limit=time_limit,
        pair_time_limit=pair_time_limit,
        memory_limit=memory_limit,
    )
    if found.answer is not Answer.HOLDS:
        raise NotPrivate(summary(found))
    return found


def _settings(
    method: str,
    backend: str | None,
    precision: Exactish | None,
    tolerance: Exactish,
    time_limit: float | None,
    quotient: bool,
    jobs: int | None,
) -> Settings:
    return Settings(
        method,
        backend or DEFAULT_ENGINE,
        as_rational(tolerance, "tolerance"),
        Budget.for_answer(time_limit),
        quotient=quotient,
        precision=None if precision is None else as_rational(precision, "precision"),
        jobs=jobs,
        uncertified=True,
    )
