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
from dataclasses import dataclass
from math import lcm, prod

from bdist.budget import Budget
from bdist.dipc.events import Part, likelihood_of
from bdist.dipc.exploration import Choice, Edge, Explorer, Named, RunGraph, Shown
from bdist.dipc.exponentials import ONE, ZERO, ClosedForm, ExponentialPolynomial, cleared
from bdist.dipc.positivity import Negative, Proof, Undecided, decide, is_strict
from bdist.dipc.program import Interval, Point, Program
from bdist.dipc.values import Evaluator
from bdist.errors import InternalError, ModelError, ProgramError, UnsupportedModel
from bdist.exact.linear import strongly_connected_components


@dataclass(frozen=True)
class Distributions:
    """For every input its outputs with their probabilities, by number; equal functions have one number.

    For the certificate there is also how often the states at the head of a ``while`` are visited, which
    variables are ``kept`` where ways meet, and what shows that the weights of choices are not negative.
    """

    ratios: tuple[ClosedForm, ...]
    table: Mapping[Point, Mapping[Shown, int]]
    states: int
    visits: Mapping[Point, Mapping[Named, int]]
    kept: tuple[tuple[str, ...], ...]
    weights: tuple[tuple[ExponentialPolynomial, Proof], ...]


def distributions_of(
    program: Program, inputs: Sequence[Point], interval: Interval, budget: Budget
) -> Distributions:
    """The distributions on these inputs. Requires: an expanded, checked program.

    Raises: ModelError where some run does what it must not; UnsupportedModel; Stopped.
    """
    evaluator = Evaluator({function.name: function for function in program.functions}, program.source)
    explorer = Explorer(program, evaluator, budget)
    graphs = {}
    for point in inputs:
        try:
            graphs[point] = explorer.explore(dict(zip(program.input_names, point, strict=True)))
        except ProgramError as error:
            raise ModelError(f"{error}, on the input {shown_point(point)}") from None
    parts = {part for graph in graphs.values() for ends in graph.ends for _, found in ends for part in found}
    likelihoods = {}
    for part in parts:
        budget.check()
        likelihoods[part] = likelihood_of(part)
    drawn = [weight.unit for choice in explorer.choices for weight in choice.weights]
    unit = lcm(*drawn, *(likelihood.unit for likelihood in likelihoods.values()))
    proofs: list[tuple[ExponentialPolynomial, Proof]] = []
    shares: dict[Edge, _Share] = {None: _SURE}
    for number, choice in enumerate(explorer.choices):
        for option, share in enumerate(_shares(choice, unit, interval, evaluator, budget, proofs)):
            shares[number, option] = share
    solver = _Solver(shares, {part: value.on(unit) for part, value in likelihoods.items()}, budget)
    solved = {point: solver.solve(point, graph) for point, graph in graphs.items()}
    return Distributions(
        tuple(solver.ratios),
        table={point: row for point, (row, _) in solved.items()},
        states=sum(len(graph.edges) for graph in graphs.values()),
        visits={point: visits for point, (_, visits) in solved.items()},
        kept=explorer.kept,
        weights=tuple(proofs),
    )


def shown_point(point: Sequence[object]) -> str:
    """An input or an output for a message."""
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in point]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


@dataclass(frozen=True)
class _Share:
    """The probability of an option, and whether it is positive for every epsilon of the interval."""

    value: ClosedForm
    sure: bool


_SURE = _Share(ONE, True)


def _shares(
    choice: Choice,
    unit: int,
    interval: Interval,
    evaluator: Evaluator,
    budget: Budget,
    proofs: list[tuple[ExponentialPolynomial, Proof]],
) -> list[_Share]:
    """The probabilities of the options of a choice; adds the proofs that weights are not negative.

    Raises: ModelError where the weights are none; UnsupportedModel where that is not decided.
    """
    weights = [weight.on(unit) for weight in choice.weights]
    total = sum(weights, start=ZERO)
    if choice.certain:
        return [_Share(weight / total, True) for weight in weights]
    sure = []
    for value, what in [*((weight, "a weight") for weight in weights), (total, "the sum of the weights")]:
        f = cleared([value])
        found = decide(f, interval, budget) if value else None
        if isinstance(found, Negative):
            raise evaluator.refusal(choice.place, f"{what} is negative at eps = {found.epsilon}")
        if isinstance(found, Undecided):
            raise UnsupportedModel(f"it is not shown that {what} of a choice is positive for all epsilon")
        sure.append(found is not None and is_strict(f, found, interval))
        if found is not None and any(c < 0 for _, polynomial in f.terms for c in polynomial.coeffs()):
            proofs.append((f, found))
    if not total:
        raise evaluator.refusal(choice.place, "the sum of the weights is 0")
    if not sure.pop():
        raise UnsupportedModel(
            "it is not shown that the sum of the weights of a choice is positive for all epsilon"
        )
    return [_Share(weight / total, positive) for weight, positive in zip(weights, sure, strict=True)]


_Ways = Sequence[Sequence[tuple[_Share, int]]]  # by node, to its successors


class _Solver:
    """Distributions from graphs; equal sums of equal products are computed once."""

    def __init__(
        self, shares: Mapping[Edge, _Share], likelihoods: Mapping[Part, ClosedForm], budget: Budget
    ) -> None:
        self._shares = shares
        self._likelihoods = likelihoods
        self._budget = budget
        self.ratios: list[ClosedForm] = []
        self._numbers: dict[object, int] = {}
        self._sums: dict[tuple[int, ...], int | None] = {}
        self._events: dict[tuple[Part, ...], int] = {}
        self._names: dict[int, tuple[int, tuple[Part, ...]]] = {}
        self._whole: set[tuple[int, ...]] = set()

    def solve(self, point: Point, graph: RunGraph) -> tuple[dict[Shown, int], dict[Named, int]]:
        """The outputs with their probabilities, and the heads of loops with their visits, by number."""
        ways = [[(self._shares[edge], target) for edge, target in edges] for edges in graph.edges]
        _require_end(point, ways, [node for node, ends in enumerate(graph.ends) if ends])
        visits = self._visits(ways)
        by_output: dict[Shown, list[tuple[int, tuple[Part, ...]]]] = {}
        for node, ends in enumerate(graph.ends):
            for shown, parts in ends:
                by_output.setdefault(shown, []).append((node, parts))
        summed = ((shown, self._summed(visits, reached)) for shown, reached in by_output.items())
        found = {shown: number for shown, number in summed if number is not None}
        numbers = tuple(sorted(found.values()))
        if numbers not in self._whole:
            if sum((self.ratios[number] for number in numbers), start=ZERO) != ONE:
                raise InternalError(f"the probabilities on the input {shown_point(point)} do not sum to 1")
            self._whole.add(numbers)
        loops: dict[Named, ClosedForm] = {}
        for node, name in graph.heads.items():
            loops[name] = loops.get(name, ZERO) + visits[node]
        row = {shown: found[shown] for shown in sorted(found, key=repr)}
        return row, {name: self._number(value) for name, value in loops.items() if value}

    def _summed(
        self, visits: Sequence[ClosedForm], ends: Sequence[tuple[int, tuple[Part, ...]]]
    ) -> int | None:
        """The number of the sum of what ends in these ways, unless that is 0."""
        if any(visits[node] is not ONE for node, _ in ends):
            return self._total(visits[node] * self._likelihood(parts) for node, parts in ends)
        key = tuple(sorted(self._named(parts) for _, parts in ends))
        if key not in self._sums:
            self._sums[key] = self._total(self._likelihood(parts) for _, parts in ends)
        return self._sums[key]

    def _total(self, values: Iterable[ClosedForm]) -> int | None:
        self._budget.check()
        total = sum(values, start=ZERO)
        return self._number(total) if total else None

    def _named(self, parts: tuple[Part, ...]) -> int:
        """A number for an event. The same object comes on many inputs, and is looked at once."""
        known = self._names.get(id(parts))
        if known is None:
            number = self._events.setdefault(parts, len(self._events))
            known = self._names[id(parts)] = number, parts  # which keeps the object, and its identity
        return known[0]

    def _likelihood(self, parts: Sequence[Part]) -> ClosedForm:
        return prod((self._likelihoods[part] for part in parts), start=ONE)

    def _number(self, value: ClosedForm) -> int:
        number = self._numbers.setdefault(value.key, len(self.ratios))
        if number == len(self.ratios):
            self.ratios.append(value)
        return number

    def _visits(self, ways: _Ways) -> list[ClosedForm]:
        """How often each node is visited: in a graph without cycles its probability, events left aside."""
        visits = [ONE, *[ZERO] * (len(ways) - 1)]
        successors = [[target for _, target in edges] for edges in ways]
        for component in reversed(strongly_connected_components(successors)):
            if not any(visits[node] for node in component):
                continue
            if len(component) > 1 or component[0] in successors[component[0]]:
                self._solve_cycle(ways, list(component), visits)
            inside = set(component)
            for node in component:
                for share, target in ways[node]:
                    if target not in inside and visits[node]:
                        mass = visits[node] if share is _SURE else visits[node] * share.value
                        visits[target] = visits[target] + mass if visits[target] else mass
        return visits

    def _solve_cycle(self, edges: _Ways, component: Sequence[int], visits: list[ClosedForm]) -> None:
        """visits = inflow + visits . weights on a component, solved by elimination of its nodes.

        A node that is eliminated passes what it gets on to its successors, with the self-loop summed up; in
        the reverse order its visits follow from those of its predecessors. Of the nodes left, the one with
        the fewest ways through it comes first, which keeps loops that are long and thin cheap.
        """
        inside = set(component)
        ways: dict[int, dict[int, ClosedForm]] = {node: {} for node in component}  # node to successor
        back: dict[int, set[int]] = {node: set() for node in component}
        for node in component:
            for share, target in edges[node]:
                if target in inside and share.value:
                    ways[node][target] = ways[node].get(target, ZERO) + share.value
                    back[target].add(node)
        inflow = {node: visits[node] for node in component}
        done: list[tuple[int, ClosedForm, dict[int, ClosedForm]]] = []
        while ways:
            self._budget.check()
            # Take a node out: what comes to it goes on along its ways, each divided by 1 - its self-loop.
            node = min(ways, key=lambda n: (len(back[n]) * len(ways[n]), n))
            onward = ways.pop(node)
            stays = ONE - onward.pop(node, ZERO)
            if not stays:
                raise InternalError("a loop from which an end can be reached has a singular system")
            entries = {source: ways[source].pop(node) for source in back.pop(node) if source != node}
            for target in onward:
                back[target].discard(node)
            shares = {target: weight / stays for target, weight in onward.items()}
            for target, passed in shares.items():
                if inflow[node]:
                    inflow[target] = inflow[target] + inflow[node] * passed
                for source, weight in entries.items():
                    ways[source][target] = ways[source].get(target, ZERO) + weight * passed
                    back[target].add(source)
            done.append((node, stays, entries))
        # Backwards, the visits of a node follow from its inflow and from the nodes that were left then.
        for node, stays, entries in reversed(done):
            entering = (visits[source] * weight for source, weight in entries.items())
            visits[node] = sum(entering, start=inflow[node]) / stays


def _require_end(point: Point, ways: _Ways, ends: Iterable[int]) -> None:
    """From every node that is met, an end can be reached; by choices that no epsilon forbids."""
    possible = [[target for share, target in edges if share.value] for edges in ways]
    surely = [[target for share, target in edges if share.sure] for edges in ways]
    met = _reached([0], possible)
    if not met <= _reached(ends, _reversed(possible)):
        raise ModelError(
            f"on the input {shown_point(point)} the program may run for ever: in some state of a "
            "loop no end can be reached"
        )
    if not met <= _reached(ends, _reversed(surely)):
        raise UnsupportedModel(
            f"on the input {shown_point(point)} it is not shown that the program ends for every epsilon: "
            "weights of a choice become 0"
        )


def _reversed(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    into: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            into[target].append(node)
    return into


def _reached(starts: Iterable[int], successors: Sequence[Sequence[int]]) -> set[int]:
    found = set(starts)
    queue = list(found)
    while queue:
        for node in successors[queue.pop()]:
            if node not in found:
                found.add(node)
                queue.append(node)
    return found
