"""The privacy profile of two states, computed: which way is tried when, and how it ends in a certificate.

Four ways, from the one that answers most to the one that always answers something:

1. *Exact.* The graph of beliefs up to two scales, if it ends, and exact weights on it: the whole
   privacy-loss distribution. Where the graph closes only over a basis of futures (trace equivalence), that.
2. *On a grid.* The same graph, with ratios that do not repeat, or weights that are too many: bounds from both
   sides for all alphas.
3. *Types.* Parts of the graph that are never left and go on leaking become leaves, bounded by what the labels
   tell in the long run.
4. *Best first.* The graph up to one scale, expanded where it helps most, all the rest left open. With a
   ``focus``, the alphas that were asked for, only what matters there is expanded, and often nothing is left
   open.

All ends are brackets of the same form: an optimistic list of atoms and a pessimistic one, valid for every
alpha and for both orders. Without a focus they are told in full. With one, a long list is cut down to a few
atoms that have the same values at the focus, so that a certificate is not longer than its graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from flint import fmpq

from bdist import checker
from bdist.budget import Budget, Stopped, Unchecked
from bdist.certificates.checking import vouched
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.formats import lmc
from bdist.errors import UnsupportedError
from bdist.exact.rationals import to_fmpq, to_fraction
from bdist.results import Evidence, Statistics
from bdist.traces.beliefs import Futures, Graph, Limits, cut_endless, explore_all, explore_best
from bdist.traces.certificate import BeliefNode, PldClaim, ProfileCertificate, Types
from bdist.traces.loss import PrivacyLoss
from bdist.traces.profile import Profile
from bdist.traces.weights import Atoms, NoFiniteWeights, TooManyWeights, Weighing, weigh

if TYPE_CHECKING:
    from bdist.traces.grid import Grid

DEFAULT_BELIEFS = 20_000
PROFILE_WIDTH = Fraction(1, 10**6)
_MOST_WEIGHTS = 60_000
_WHOLE_WORK, _MOST_WORK = 500_000, 3_000_000  # products of whole numbers: half a second, and some
_CYCLIC_BELIEFS = 400  # beyond that cycles are unrolled, since their linear systems have long solutions
_FEW_WEIGHTS, _FEW_BELIEFS = 15_000, 1_500  # of a first try, where only one alpha was asked for
_MOST_ROUNDS, _REST = 5_000, 1e-13  # labels that are read on a grid, and what may be left then
_COARSE_CELLS, _LISTED_CELLS, _FEWEST_CELLS = 3_000, 8_000, 300
_MOST_CELL_ROUNDS = 100_000_000  # cells times nodes times rounds: some 20 s of checking
_LEAST_WIDTH, _HELPS = Fraction(1, 10**12), Fraction(4, 5)
SAMPLE_ALPHAS = tuple(Fraction(11, 10) ** k for k in range(22))  # up to about e^2
_MOST_LISTED = 60  # atoms of a list that is not cut down to its values at the focus


@dataclass(frozen=True)
class ProfileSettings:
    """When to stop: a width that will do, beliefs, the time. ``focus``: the alphas (at least 1) that count.

    ``futures`` are those of the chain, where they are known already. ``uncertified`` asks for an answer also
    where its check does not end in time, under that name; otherwise nothing is claimed then.
    """

    focus: tuple[Fraction, ...] = ()
    width: Fraction = PROFILE_WIDTH
    max_beliefs: int = DEFAULT_BELIEFS
    budget: Budget | None = None
    futures: Futures | None = None
    uncertified: bool = False


def compute_profile(
    chain: LabelledMarkovChain, pair: tuple[str, str], settings: ProfileSettings | None = None
) -> Profile:
    """The privacy profile of two states, from both sides, with a certificate that was checked.

    Requires: ``futures``, if given, are of this chain and know both states.
    Ensures: ``.limit`` says why it is not exact, if it is not. Where a limit was reached, the profile is what
    was proved by then.
    Raises: ParameterError where the chain has no such state, InternalError.
    """
    chosen = settings or ProfileSettings()
    budget = chosen.budget or Budget()
    found = _Search(chain, pair, chosen, budget).found()
    return _checked(chain, pair, found, budget, uncertified=chosen.uncertified)


@dataclass(frozen=True)
class _Found:
    """Lists of atoms with the graph that proves them, how they were found, and why they are not equal."""

    optimistic: PrivacyLoss
    pessimistic: PrivacyLoss
    certificate: ProfileCertificate
    method: str
    limit: str | None
    graph: Graph | None


@dataclass
class _Search:
    chain: LabelledMarkovChain
    pair: tuple[str, str]
    settings: ProfileSettings
    budget: Budget
    _types: Types | None = field(default=None, init=False)
    _types_known: bool = field(default=False, init=False)

    def found(self) -> _Found:
        """Try the ways in turn, and keep the best that was found."""
        if self.chain.label(self.pair[0]) != self.chain.label(self.pair[1]):
            apart = PrivacyLoss.of([(1, 0), (0, 1)])
            return self._result(apart, apart, (), "labels differ", None)
        futures = self.settings.futures or Futures.of(self.chain, self.pair)
        best: _Found | None = None
        for way in self._ways(futures):
            found = way()
            if found is not None and (best is None or self._width(found) < self._width(best)):
                best = found
            if best is None:
                continue
            whole = best.method == "grid" and not self.settings.focus  # nothing else knows all alphas as well
            if best.limit is None or self._is_narrow(best) or whole:
                break
        assert best is not None  # noqa: S101 - the last way always answers
        return best

    def _ways(self, futures: Futures) -> Iterable[Callable[[], _Found | None]]:
        keep = list(dict.fromkeys(futures.at(state) for state in self.pair))
        yield lambda: self._whole(futures)
        if self.budget.exhausted() is None:
            spanned = futures.spanned(keep)
            if spanned is not None:
                yield lambda: self._whole(spanned)
                yield lambda: self._best_first(spanned)
        yield lambda: self._best_first(futures)

    def _is_narrow(self, found: _Found) -> bool:
        return self._width(found) <= self.settings.width

    def _width(self, found: _Found) -> Fraction:
        """The largest difference between the sides, at the focus or, without one, over a range of alphas."""
        sides = [
            (found.optimistic, found.pessimistic),
            (found.optimistic.swapped(), found.pessimistic.swapped()),
        ]
        return max(
            high.delta(alpha) - low.delta(alpha)
            for low, high in sides
            for alpha in self.settings.focus or SAMPLE_ALPHAS
        )

    # --- the whole graph ---

    def _whole(self, futures: Futures) -> _Found | None:
        """Exact weights on the whole graph, or bounds on a grid; None where the graph has no end in sight."""
        first = bool(self.settings.focus)
        graph = Graph.of(futures, self.pair, one_scale=False)
        most = min(self.settings.max_beliefs, _FEW_BELIEFS) if first else self.settings.max_beliefs
        if explore_all(graph, Limits(most, _WHOLE_WORK, self.budget.exhausted)) is not None:
            return None
        endless = cut_endless(graph)
        try:
            weighing = weigh(graph, _FEW_WEIGHTS if first else _MOST_WEIGHTS, self.budget.check)
        except (TooManyWeights, NoFiniteWeights):
            return self._on_grid(graph)
        except Stopped:
            return None
        types = self._kinds() if endless else None
        return self._weighed(weighing, types, "beliefs", "beliefs that go on leaking for ever")

    def _on_grid(self, graph: Graph) -> _Found | None:
        """Bounds on a grid that is as fine as the width demands."""
        from bdist.traces.grid import (  # with NumPy, when first used
            MOST_CELLS,
            grid_of_cells,
            grid_of_common_root,
            is_layered,
            spread_approx,
        )

        spread = spread_approx(graph, _MOST_ROUNDS, _REST)
        common = grid_of_common_root(graph, spread)
        layered = is_layered(graph)
        nodes_a_round = max(1, len(graph.edges) // (spread.rounds if layered else 1))
        most = min(MOST_CELLS, max(_FEWEST_CELLS, _MOST_CELL_ROUNDS // (spread.rounds * nodes_a_round)))
        cells = min(_COARSE_CELLS, most)
        grid = common or grid_of_cells(spread, cells, layered=layered)
        best: _Found | None = None
        while True:
            try:
                found = self._grid_bounds(graph, grid)
            except Stopped:
                return best
            width = self._width(found)
            helps = best is None or width < _HELPS * self._width(best)
            best = found if best is None or width < self._width(best) else best
            if common is not None or width <= self.settings.width or cells >= most or not helps:
                return best
            # the error is of second order in the width of a cell
            times = min(max((float(width / max(self.settings.width, _LEAST_WIDTH)) * 1.3) ** 0.5, 1.3), 30.0)
            cells = min(most, int(cells * times))
            grid = grid_of_cells(spread, cells, layered=layered)

    def _grid_bounds(self, graph: Graph, grid: Grid) -> _Found:
        from bdist.traces.grid import bounds_on_grid, coarsened, is_layered

        cells = grid.high - grid.low
        losses = []
        for above in (False, True):
            atoms = bounds_on_grid(graph, grid, above=above, ask=self.budget.check)
            times = max(1, cells // _LISTED_CELLS)
            # a cell is rounded once a round, with what was rounded before, and a leaf gets some every round
            rounded = grid.rounds * (1 + len(graph.nodes) // grid.rounds)
            if not is_layered(graph):
                rounded *= grid.rounds
            made = coarsened(atoms, times, grid.ratio, above).pairs(grid, above, times * rounded)
            losses.append(PrivacyLoss.above(made) if above else PrivacyLoss.below(made))
        return self._result(
            losses[0],
            losses[1],
            nodes_of(graph, range(len(graph.nodes))),
            "grid",
            "ratios on a grid",
            graph=graph,
            grid=grid,
        )

    # --- best first ---

    def _best_first(self, futures: Futures) -> _Found | None:
        """What matters of the graph up to one scale; where that is much, without cycles."""
        most = self.settings.max_beliefs
        found = self._explored(futures, min(most, _CYCLIC_BELIEFS), by_depth=False)
        if found.limit is None or self._is_narrow(found) or most <= _CYCLIC_BELIEFS:
            return found
        further = self._explored(futures, most, by_depth=True)
        return min(found, further, key=self._width)

    def _explored(self, futures: Futures, most: int, *, by_depth: bool) -> _Found:
        graph = Graph.of(futures, self.pair, one_scale=True, by_depth=by_depth)
        # weights and their check take as long again as the search
        search = replace(self.budget, reserve=self.budget.reserve + (self.budget.remaining() or 0.0) / 2)
        reach = Limits(most, _MOST_WORK, search.exhausted)
        focus = self.settings.focus or SAMPLE_ALPHAS[::5]
        stopped = explore_best(graph, gaps_at(graph, focus), reach, float(self.settings.width) / 4)
        types = None if stopped is None else self._kinds()
        cut_endless(graph)
        weighing = weigh(graph, 10 * self.settings.max_beliefs, lambda: None)
        return self._weighed(weighing, types, "best first", stopped)

    def _kinds(self) -> Types | None:
        if not self._types_known:
            from bdist.traces.types import types_of

            self._types, self._types_known = types_of(self.chain), True
        return self._types

    def _weighed(self, weighing: Weighing, types: Types | None, method: str, why: str | None) -> _Found:
        graph = weighing.graph
        shares = [] if types is None else _type_shares(types, graph.directions.futures)
        below, above = weighing.atoms(shares)
        optimistic = _loss(below)
        pessimistic = optimistic if below == above else _loss(above)
        limit = None if optimistic == pessimistic else (why or "some beliefs are left open")
        order = _ordered(weighing)
        number = {v: k for k, v in enumerate(order)}
        visits = []
        for v in sorted(weighing.cyclic, key=number.__getitem__):
            left, right = graph.masses(v)
            weights = tuple(
                (to_fraction(left * y * n / d), to_fraction(right * y))
                for (n, d), y in weighing.at[v].items()
            )
            if weights:
                visits.append((number[v], weights))
        return self._result(
            optimistic,
            pessimistic,
            nodes_of(graph, order),
            method,
            limit,
            graph=graph,
            visits=tuple(visits),
            types=types,
        )

    def _result(
        self,
        optimistic: PrivacyLoss,
        pessimistic: PrivacyLoss,
        nodes: tuple[BeliefNode, ...],
        method: str,
        limit: str | None,
        *,
        graph: Graph | None = None,
        visits: tuple[tuple[int, tuple[tuple[Fraction, Fraction], ...]], ...] = (),
        types: Types | None = None,
        grid: Grid | None = None,
    ) -> _Found:
        focus = self.settings.focus
        if limit is not None and focus:
            optimistic, pessimistic = _cut_below(optimistic, focus), _cut_above(pessimistic, focus)
        claim = PldClaim(_pairs(optimistic), _pairs(pessimistic))
        certificate = ProfileCertificate(
            fingerprint(self.chain),
            self.pair,
            nodes,
            claim,
            () if graph is None else _combinations(graph.directions.futures),
            visits,
            types,
            grid,
        )
        return _Found(optimistic, pessimistic, certificate, method, limit, graph)


def gaps_at(graph: Graph, focus: Sequence[Fraction]) -> Callable[[int], float]:
    """What may still be gained at a node, at some alphas and in either order, for masses that sum to 1.

    It is 0 if and only if all differences a(i) - alpha b(i) have one sign, and all b(i) - alpha a(i).
    """
    alphas = [(alpha.numerator, alpha.denominator) for alpha in focus]

    def gap_approx(number: int) -> float:
        parts = graph.revealed(number)
        left, right = graph.masses(number)
        gap = Fraction(0)
        for u, v in alphas:
            forward = sum(max(0, a * v - u * b) for a, b in parts) - max(0, left * v - u * right)
            backward = sum(max(0, b * v - u * a) for a, b in parts) - max(0, right * v - u * left)
            gap = max(gap, Fraction(max(forward, backward), v))
        return float(gap / (left + right))

    return gap_approx


def nodes_of(graph: Graph, order: Iterable[int]) -> tuple[BeliefNode, ...]:
    """The nodes of a graph as a certificate has them, in the given order."""
    listed = list(order)
    number = {v: k for k, v in enumerate(listed)}
    names = graph.directions.futures.names
    made = []
    for v in listed:
        a, b = (tuple((names[i], x) for i, x in vector.items()) for vector in graph.vectors(v))
        edges = graph.edges.get(v)
        following = None if edges is None else tuple((e.label, number[e.child]) for e in edges)
        made.append(BeliefNode(a, b, following))
    return tuple(made)


def _type_shares(types: Types, futures: Futures) -> list[dict[int, fmpq]]:
    """For each type the probability of ending in it, by coordinate."""
    number = futures.number
    return [{number[i]: to_fmpq(r) for i, r in reach if i in number} for reach in types.reach]


def _ordered(weighing: Weighing) -> list[int]:
    """The root, then every node that has weights behind those that it has them from, leaves last."""
    graph = weighing.graph
    inner = [v for v in weighing.order if weighing.at.get(v)]
    order = [0, *(v for v in inner if v != 0)]
    known = set(order)
    reached = dict.fromkeys(e.child for v in order for e in graph.edges.get(v, ()) if e.child not in known)
    return [*order, *reached]


def _combinations(futures: Futures) -> tuple[tuple[str, tuple[tuple[str, Fraction], ...]], ...]:
    names = futures.names
    return tuple(
        (state, tuple((names[k], share) for k, share in row)) for state, row in futures.others.items()
    )


def _loss(atoms: Atoms) -> PrivacyLoss:
    return PrivacyLoss.of((to_fraction(p), to_fraction(q)) for p, q in atoms.values())


def _pairs(loss: PrivacyLoss) -> tuple[tuple[Fraction, Fraction], ...]:
    return tuple((atom.s, atom.t) for atom in loss.atoms)


def _kinks(focus: Sequence[Fraction]) -> list[Fraction]:
    """The alphas of the focus and, for the other order, their reciprocals, increasing."""
    return sorted({*focus, *(1 / alpha for alpha in focus)})


def _cut_below(loss: PrivacyLoss, focus: Sequence[Fraction]) -> PrivacyLoss:
    """A list below another one, with the same values at the focus: atoms between two kinks are added up."""
    if len(loss.atoms) <= _MOST_LISTED:
        return loss
    kinks = _kinks(focus)
    groups = [[Fraction(0), Fraction(0)] for _ in range(len(kinks) + 1)]
    for atom in loss.atoms:
        place = len(kinks) if atom.ratio is None else sum(kink < atom.ratio for kink in kinks)
        groups[place][0] += atom.s
        groups[place][1] += atom.t
    return PrivacyLoss.of((p, q) for p, q in groups)


def _cut_above(loss: PrivacyLoss, focus: Sequence[Fraction]) -> PrivacyLoss:
    """A list above another one, with the same values at the focus: the chords of its function.

    Up to its first positive ratio the function is a line that touches what is proved only there: it is kept
    whole, without a kink of ours on it.
    """
    if len(loss.atoms) <= _MOST_LISTED:
        return loss
    first = next(atom.ratio for atom in loss.atoms if atom.s)
    kinks = sorted({*_kinks(focus), *([] if first is None else [first])})
    points = [(Fraction(0), Fraction(1)), *((kink, loss.delta(kink)) for kink in kinks)]
    slopes = [(high - low) / (right - left) for (left, low), (right, high) in pairwise(points)]
    jumps = [after - before for before, after in pairwise([*slopes, Fraction(0)])]
    atoms = [(kink * jump, jump) for kink, jump in zip(kinks, jumps, strict=True)]
    return PrivacyLoss.of([(0, 1 + slopes[0]), *atoms, (points[-1][1], 0)])


def _checked(
    chain: LabelledMarkovChain, pair: tuple[str, str], found: _Found, budget: Budget, *, uncertified: bool
) -> Profile:
    """What was found, after its check; where that does not end in time, nothing, or it is said."""
    solved, checking = budget.elapsed(), time.monotonic()
    evidence, limit = Evidence.CERTIFIED, found.limit
    optimistic, pessimistic = found.optimistic, found.pessimistic
    certificate = found.certificate
    try:
        vouched(checker.check_profile, "model.lmc", lmc.write(chain), certificate.to_json(), budget)
    except (Unchecked, UnsupportedError) as error:
        limit = str(error)
        if uncertified:
            evidence = Evidence.UNCHECKED
        else:
            optimistic, pessimistic = PrivacyLoss.of([(1, 1)]), PrivacyLoss.of([(1, 0), (0, 1)])
            claim = PldClaim(_pairs(optimistic), _pairs(pessimistic))
            root = certificate.nodes[:1]
            nodes = tuple(BeliefNode(node.a, node.b) for node in root)
            certificate = ProfileCertificate(certificate.model, pair, nodes, claim, certificate.futures)
    stats: Statistics = {
        "method": found.method,
        "states": len(chain),
        "beliefs": len(found.certificate.nodes),
        "seconds": round(solved, 6),
        "check_seconds": round(time.monotonic() - checking, 6),
    }
    return Profile(pair, optimistic, pessimistic, certificate, limit, stats, evidence, found.graph)
