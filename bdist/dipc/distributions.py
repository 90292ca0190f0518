"""The output distributions of a program on all its inputs, as functions of epsilon, exactly.

First all inputs are explored and their events integrated, then the unit D is known in which all exponents are
integers, then the graphs are solved: the weight of a node is the sum over the edges into it, component by
component in topological order. A cycle is a linear system over the field Q(x, y), solved by
eliminating its nodes, the one with the fewest ways through it first.

That a program ends with probability 1 is seen in the graph: from every node an end can be reached, by choices
whose weights are positive for every epsilon of the interval. The sum of each distribution is then 1
identically, which is verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import lcm

from bdist.budget import Budget
from bdist.dipc.events import Likelihoods, Part, integral_of
from bdist.dipc.exploration import Choice, Explorer, Named, RunGraph, Shown, flow_of
from bdist.dipc.exponentials import (
    ONE_RATIO,
    ZERO_RATIO,
    ExponentialPolynomial,
    Ratio,
    in_ring,
    normal_form,
    units_of,
)
from bdist.dipc.positivity import Negative, Proof, Undecided, decide, is_strict
from bdist.dipc.program import Interval, Point, Program
from bdist.dipc.values import Evaluator
from bdist.errors import InternalError, ModelError, ProgramError, UnsupportedError
from bdist.exact.linear import strongly_connected_components


@dataclass(frozen=True)
class Distributions:
    """For every input its outputs with their probabilities, by number; equal functions have one number.

    For the certificate there is also how often the states at the head of a ``while`` are visited, which
    variables are ``kept`` where ways meet, and what shows that the weights of choices are not negative.
    """

    unit: int
    ratios: tuple[Ratio, ...]
    table: Mapping[Point, Mapping[Shown, int]]
    states: int
    visits: Mapping[Point, Mapping[Named, int]]
    kept: tuple[tuple[str, ...], ...]
    weights: tuple[tuple[ExponentialPolynomial, Proof], ...]

    def in_unit(self, unit: int) -> Distributions:
        """The same in a multiple of the unit."""
        factor = unit // self.unit
        if factor == 1:
            return self
        return replace(self, unit=unit, ratios=tuple(value.refined(factor) for value in self.ratios))


def distributions_of(
    program: Program, inputs: Sequence[Point], interval: Interval, budget: Budget
) -> Distributions:
    """The distributions on these inputs. Requires: an expanded, checked program.

    Raises: ModelError where some run does what it must not; UnsupportedError; Stopped.
    """
    evaluator = Evaluator({function.name: function for function in program.functions}, program.source)
    flow = flow_of(program)
    explorer = Explorer(flow, program.outputs, evaluator, budget)
    graphs = {}
    for point in inputs:
        try:
            graphs[point] = explorer.explore(dict(zip(program.input_names, point, strict=True)))
        except ProgramError as error:
            raise ModelError(f"{error}, on the input {shown_point(point)}") from None
    parts = {part for graph in graphs.values() for ends in graph.ends for _, found in ends for part in found}
    integrals = {}
    for part in parts:
        budget.check()
        integrals[part] = integral_of(part)
    unit = reduce(lcm, (integral.unit for integral in integrals.values()), 1)
    for choice in explorer.choices:
        unit = reduce(lcm, map(units_of, choice.weights), unit)
    proofs: list[tuple[ExponentialPolynomial, Proof]] = []
    shares = [_shares(choice, unit, interval, evaluator, budget, proofs) for choice in explorer.choices]
    solver = _Solver(shares, Likelihoods(unit, integrals), budget)
    solved = {point: solver.solve(point, graph) for point, graph in graphs.items()}
    return Distributions(
        unit,
        tuple(solver.ratios),
        table={point: row for point, (row, _) in solved.items()},
        states=sum(len(graph.edges) for graph in graphs.values()),
        visits={point: visits for point, (_, visits) in solved.items()},
        kept=flow.kept,
        weights=tuple(proofs),
    )


def shown_point(point: Sequence[object]) -> str:
    """An input or an output for a message."""
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in point]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


@dataclass(frozen=True)
class _Share:
    """The probability of an option, and whether it is positive for every epsilon of the interval."""

    value: Ratio
    sure: bool


def _shares(
    choice: Choice,
    unit: int,
    interval: Interval,
    evaluator: Evaluator,
    budget: Budget,
    proofs: list[tuple[ExponentialPolynomial, Proof]],
) -> list[_Share]:
    """The probabilities of the options of a choice; adds the proofs that weights are not negative.

    Raises: ModelError where the weights are none; UnsupportedError where that is not decided.
    """
    weights = [in_ring(weight, unit) for weight in choice.weights]
    total = reduce(Ratio.__add__, weights)
    if choice.certain:
        return [_Share(weight / total, True) for weight in weights]
    sure = []
    for value, what in [*((weight, "a weight") for weight in weights), (total, "the sum of the weights")]:
        f = normal_form(value.numerator, unit)
        found = decide(f, interval, budget) if value else None
        if isinstance(found, Negative):
            raise evaluator.refusal(choice.place, f"{what} is negative at eps = {found.epsilon}")
        if isinstance(found, Undecided):
            raise UnsupportedError(f"it is not shown that {what} of a choice is positive for all epsilon")
        sure.append(found is not None and is_strict(f, found, interval))
        if found is not None and any(c < 0 for _, polynomial in f.terms for c in polynomial.coeffs()):
            proofs.append((f, found))
    if not total:
        raise evaluator.refusal(choice.place, "the sum of the weights is 0")
    if not sure.pop():
        raise UnsupportedError(
            "it is not shown that the sum of the weights of a choice is positive for all epsilon"
        )
    return [_Share(weight / total, positive) for weight, positive in zip(weights, sure, strict=True)]


class _Solver:
    """Distributions from graphs; equal sums of equal products are computed once."""

    def __init__(self, shares: Sequence[Sequence[_Share]], likelihoods: Likelihoods, budget: Budget) -> None:
        self._shares = shares
        self._likelihoods = likelihoods
        self._budget = budget
        self.ratios: list[Ratio] = []
        self._numbers: dict[object, int] = {}
        self._sums: dict[object, Ratio] = {}

    def solve(self, point: Point, graph: RunGraph) -> tuple[dict[Shown, int], dict[Named, int]]:
        """The outputs with their probabilities, and the heads of loops with their visits, by number."""
        self._require_end(point, graph)
        visits = self._visits(graph)
        by_output: dict[Shown, list[tuple[int, tuple[Part, ...]]]] = {}
        for node, ends in enumerate(graph.ends):
            for shown, parts in ends:
                by_output.setdefault(shown, []).append((node, parts))
        found: dict[Shown, Ratio] = {}
        for shown, reached in by_output.items():
            found[shown] = self._summed(visits, reached)
        total = reduce(Ratio.__add__, found.values(), ZERO_RATIO)
        if total.numerator != total.denominator or total.shift:
            raise InternalError(f"the probabilities on the input {shown_point(point)} do not sum to 1")
        loops: dict[Named, Ratio] = {}
        for node, name in graph.heads.items():
            loops[name] = loops.get(name, ZERO_RATIO) + visits[node]
        row = {shown: self._number(value) for shown, value in sorted(found.items(), key=repr) if value}
        return row, {name: self._number(value) for name, value in loops.items() if value}

    def _summed(self, visits: Sequence[Ratio], ends: Sequence[tuple[int, tuple[Part, ...]]]) -> Ratio:
        self._budget.check()
        if all(visits[node] is ONE_RATIO for node, _ in ends):
            key = tuple(sorted((repr(parts) for _, parts in ends)))
            if key not in self._sums:
                self._sums[key] = reduce(
                    Ratio.__add__, (self._likelihoods.of(parts) for _, parts in ends), ZERO_RATIO
                )
            return self._sums[key]
        total = ZERO_RATIO
        for node, parts in ends:
            total = total + visits[node] * self._likelihoods.of(parts)
        return total

    def _number(self, value: Ratio) -> int:
        """One number for equal functions."""
        key = (
            value.shift,
            tuple((exponents, str(c)) for exponents, c in value.numerator.terms()),
            tuple((exponents, str(c)) for exponents, c in value.denominator.terms()),
        )
        if key not in self._numbers:
            self._numbers[key] = len(self.ratios)
            self.ratios.append(value)
        return self._numbers[key]

    def _require_end(self, point: Point, graph: RunGraph) -> None:
        """From every node that is met, an end can be reached; by choices that no epsilon forbids."""
        into: list[list[int]] = [[] for _ in graph.edges]
        surely_into: list[list[int]] = [[] for _ in graph.edges]
        out: list[list[int]] = [[] for _ in graph.edges]
        for node, edges in enumerate(graph.edges):
            for edge, target in edges:
                if self._weight(edge):
                    into[target].append(node)
                    out[node].append(target)
                if self._is_sure(edge):
                    surely_into[target].append(node)
        met = _reached([0], out)
        ends = [node for node, found in enumerate(graph.ends) if found]
        if not met <= _reached(ends, into):
            raise ModelError(
                f"on the input {shown_point(point)} the program may run for ever: in some state of a "
                "loop no end can be reached"
            )
        if not met <= _reached(ends, surely_into):
            raise UnsupportedError(
                f"on the input {shown_point(point)} it is not shown that the program ends for every epsilon: "
                "weights of a choice become 0"
            )

    def _weight(self, edge: tuple[int, int] | None) -> Ratio:
        return ONE_RATIO if edge is None else self._shares[edge[0]][edge[1]].value

    def _is_sure(self, edge: tuple[int, int] | None) -> bool:
        return edge is None or self._shares[edge[0]][edge[1]].sure

    def _visits(self, graph: RunGraph) -> list[Ratio]:
        """How often each node is visited: in a graph without cycles its probability, events left aside."""
        visits = [ZERO_RATIO] * len(graph.edges)
        visits[0] = ONE_RATIO
        if len(graph.edges) == 1 and not graph.edges[0]:
            return visits
        successors = [[target for _, target in edges] for edges in graph.edges]
        for component in reversed(strongly_connected_components(successors)):
            inside = set(component)
            if not any(visits[node] for node in component):
                continue
            if len(component) > 1 or component[0] in successors[component[0]]:
                self._solve_cycle(graph, list(component), visits)
            for node in component:
                for edge, target in graph.edges[node]:
                    if target not in inside and visits[node]:
                        share = visits[node] if edge is None else visits[node] * self._weight(edge)
                        visits[target] = visits[target] + share if visits[target] else share
        return visits

    def _solve_cycle(self, graph: RunGraph, component: Sequence[int], visits: list[Ratio]) -> None:
        """visits = inflow + visits . weights on a component, solved by elimination of its nodes.

        A node that is eliminated passes what it gets on to its successors, with the self-loop summed up; in
        the reverse order its visits follow from those of its predecessors. Of the nodes left, the one with
        the fewest ways through it comes first, which keeps loops that are long and thin cheap.
        """
        inside = set(component)
        ways: dict[int, dict[int, Ratio]] = {node: {} for node in component}  # node to successor
        back: dict[int, set[int]] = {node: set() for node in component}
        for node in component:
            for edge, target in graph.edges[node]:
                weight = self._weight(edge)
                if target in inside and weight:
                    ways[node][target] = ways[node].get(target, ZERO_RATIO) + weight
                    back[target].add(node)
        inflow = {node: visits[node] for node in component}
        done: list[tuple[int, Ratio, dict[int, Ratio]]] = []
        while ways:
            self._budget.check()
            # Take a node out: what comes to it goes on along its ways, each divided by 1 - its self-loop.
            node = min(ways, key=lambda n: (len(back[n]) * len(ways[n]), n))
            onward = ways.pop(node)
            stays = ONE_RATIO - onward.pop(node, ZERO_RATIO)
            if not stays:
                raise InternalError("a loop from which an end can be reached has a singular system")
            entries = {source: ways[source].pop(node) for source in back.pop(node) if source != node}
            for target in onward:
                back[target].discard(node)
            shares = {target: weight / stays for target, weight in onward.items()}
            for target, share in shares.items():
                if inflow[node]:
                    inflow[target] = inflow[target] + inflow[node] * share
                for source, weight in entries.items():
                    ways[source][target] = ways[source].get(target, ZERO_RATIO) + weight * share
                    back[target].add(source)
            done.append((node, stays, entries))
        # Backwards, the visits of a node follow from its inflow and from the nodes that were left then.
        for node, stays, entries in reversed(done):
            total = inflow[node]
            for source, weight in entries.items():
                total = total + visits[source] * weight
            visits[node] = total / stays


def _reached(starts: Iterable[int], successors: Sequence[Sequence[int]]) -> set[int]:
    """The nodes that can be reached from these."""
    found = set(starts)
    queue = list(found)
    while queue:
        for node in successors[queue.pop()]:
            if node not in found:
                found.add(node)
                queue.append(node)
    return found
