"""The graph of an automaton: what is reached, what lies on cycles, and what may be repeated.

A transition is *critical* if it lies on no cycle, that is if it leads from one strongly connected component
to another; a run takes each critical transition at most once, and the others as often as it likes. Everything
that is decided about an automaton is decided about its components and the transitions between them. A
component is an *L-cycle* if a comparison ``insample < x`` lies on a cycle of it, and a *G-cycle* if one with
``>=`` does.

Only what the initial state reaches counts. Components are numbered in topological order: a transition never
leads to a smaller number. All of this is linear in the automaton (Tarjan's algorithm, iterative).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from bdist.dipa.automaton import Automaton, Guard, Real
from bdist.exact.linear import strongly_connected_components


class Structure:
    """Components and cycles of the reachable part of an automaton.

    ``component[q]`` is the number of a state's component, -1 where the state is not reached; ``members`` are
    the states by component; ``cyclic[t]`` says whether a transition is reached and lies on a cycle, and
    ``reached`` lists the transitions that are reached.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        transitions = automaton.transitions
        successors: list[list[int]] = [[] for _ in automaton.states]
        for transition in transitions:
            successors[transition.source].append(transition.target)
        found = _reached(successors, automaton.initial)
        parts = strongly_connected_components([succ if found[q] else [] for q, succ in enumerate(successors)])
        self.members: list[list[int]] = []
        self.component = [-1] * len(automaton.states)
        for part in reversed(parts):  # the algorithm completes a component after all that it leads to
            if found[part[0]]:
                for state in part:
                    self.component[state] = len(self.members)
                self.members.append(list(part))
        self.reached = [t for t, transition in enumerate(transitions) if found[transition.source]]
        component = self.component
        self.cyclic = [False] * len(transitions)
        for t in self.reached:
            transition = transitions[t]
            self.cyclic[t] = component[transition.source] == component[transition.target]

    def components_with(self, wanted: Callable[[int], bool]) -> dict[int, int]:
        """The components with a transition of some kind on a cycle, each with the first such transition."""
        component, transitions = self.component, self.automaton.transitions
        first: dict[int, int] = {}
        for t in self.reached:
            if self.cyclic[t] and wanted(t):
                first.setdefault(component[transitions[t].source], t)
        return first

    def guarded(self, guard: Guard) -> dict[int, int]:
        """The L-cycles or G-cycles: components with that guard on a cycle, and a transition that has it."""
        transitions = self.automaton.transitions
        return self.components_with(lambda t: transitions[t].guard is guard)

    def discloses(self, t: int) -> bool:
        """Whether a transition writes a sample that depends on an input."""
        transition = self.automaton.transitions[t]
        reads = self.automaton.states[transition.source].reads_input
        return reads and isinstance(transition.output, Real)

    def path(self, start: int, end: int, within: int | None = None) -> list[int]:
        """A shortest path of transitions from a state to a state, inside one component if that is given.

        Requires: there is one.
        """
        if start == end:
            return []
        trail = Search(self, [start], within=within)
        return trail.path_to(end)

    def cycle_through(self, first: int, second: int | None = None) -> list[int]:
        """A cycle that begins with one transition and passes another. Requires: both in one component."""
        transitions = self.automaton.transitions
        here = self.component[transitions[first].source]
        stops = [first] if second is None or second == first else [first, second]
        cycle: list[int] = []
        for stop, following in zip(stops, [*stops[1:], stops[0]], strict=True):
            cycle.append(stop)
            cycle += self.path(transitions[stop].target, transitions[following].source, here)
        return cycle


class Search:
    """A breadth-first search along allowed transitions from some states, with the ways back."""

    def __init__(
        self,
        structure: Structure,
        starts: Iterable[int],
        allowed: Sequence[bool] | None = None,
        within: int | None = None,
    ) -> None:
        self._transitions = structure.automaton.transitions
        outgoing, component = structure.automaton.outgoing, structure.component
        self.came_by: dict[int, int] = {}  # the transition by which a state was found; -1 for a start
        waiting: deque[int] = deque()
        for start in starts:
            if start not in self.came_by:
                self.came_by[start] = -1
                waiting.append(start)
        while waiting:
            for t in outgoing[waiting.popleft()]:
                target = self._transitions[t].target
                if target in self.came_by or (allowed is not None and not allowed[t]):
                    continue
                if within is not None and component[target] != within:
                    continue
                self.came_by[target] = t
                waiting.append(target)

    def __contains__(self, state: int) -> bool:
        return state in self.came_by

    def path_to(self, state: int) -> list[int]:
        """The transitions from a start to a state. Requires: it was found."""
        path: list[int] = []
        while (t := self.came_by[state]) >= 0:
            path.append(t)
            state = self._transitions[t].source
        return path[::-1]

    def start_of(self, state: int) -> int:
        """The start from which a state was found."""
        while (t := self.came_by[state]) >= 0:
            state = self._transitions[t].source
        return state


def _reached(successors: list[list[int]], initial: int) -> list[bool]:
    found = [False] * len(successors)
    found[initial] = True
    waiting = [initial]
    while waiting:
        for target in successors[waiting.pop()]:
            if not found[target]:
                found[target] = True
                waiting.append(target)
    return found
