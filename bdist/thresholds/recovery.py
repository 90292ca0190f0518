"""`--method search`: the distance of two states by threshold calls, as a result with its certificate."""

from __future__ import annotations

import time

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Settings, Skew, answer_of, compute_distance, proof_of
from bdist.distances.pairs import PairSpace
from bdist.results import Distance
from bdist.thresholds.decide import backend_named, certificate_of
from bdist.thresholds.question import Options, Question
from bdist.thresholds.search import Watcher, search


def search_distance(
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    skew: Skew,
    backend: str,
    budget: Budget,
    options: Options | None = None,
    watcher: Watcher | None = None,
) -> Distance:
    """The distance of one pair by binary search and exact recovery (Theorem 3 of the paper).

    Raises: ParameterError, BackendError where an engine is not installed, InternalError.
    """
    engine = backend_named(backend)
    i, j = chain.index(pair[0]), chain.index(pair[1])
    try:
        space = PairSpace(chain, skew.alpha, [(i, j)], budget=budget)
    except Stopped:
        return compute_distance(chain, pair, skew, "bd", Settings(budget=budget))  # what is known at once
    number = space.number.get((i, j))
    if number is None:  # nothing to search for
        return compute_distance(chain, pair, skew, "bd", Settings(budget=budget))
    work = search(Question(space, number, budget), engine, options or Options(), watcher)
    solved = budget.elapsed()
    certificate = certificate_of(chain, skew, pair, number, work.upper, work.lower)
    checking = time.monotonic()
    proof = proof_of(chain, certificate, budget, uncertified=True)
    stats: dict[str, int | float | str] = {
        "method": "search",
        "backend": backend,
        "pairs": len(space),
        "threshold_calls": work.calls,
        "candidates": work.candidates,
        "denominator_bound_bits": work.denominator_bound_bits,
        "finished_by": "strategy" if work.fell_back else backend,
        "upper_records": len(certificate.upper),
        "lower_records": len(certificate.lower),
        "seconds": round(solved, 6),
        "check_seconds": round(time.monotonic() - checking, 6),
    }
    return answer_of(certificate.claims[0], skew, proof, stats, work.limit)
