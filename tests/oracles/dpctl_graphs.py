"""LTL on processes whose actions lead to one state each: then a scheduler is a run, and a run is a scheduler.

So the most probability of a formula is 1 where some run satisfies it and 0 elsewhere, and the least is 1
where all do. Runs are sought in the graph of states with types (`dpctl_ltl`: the formulas of the closure that
hold of a run). A type at a state follows from the type at the next state. A path through that graph has the
types of its run if and only if, for every f U g, it comes again and again to a type without f U g or with g;
so a run is sought that leads to a strongly connected component which has such a type for every until. No
rests, no guesses, no end components.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

from bdist.dpctl.formulas import Formula, Next, Until

from .dpctl_ltl import Type, closure, type_of

Node = tuple[str, Type]


def satisfiable(
    graph: Mapping[str, Sequence[str]], labels: Mapping[str, AbstractSet[str]], formula: Formula
) -> set[str]:
    """The states from which some run satisfies a formula without P and D."""
    closed = closure(formula)
    asked: set[Formula] = {f.inner for f in closed if isinstance(f, Next)}
    for f in closed:
        if isinstance(f, Until) and f.bound != 0:
            asked.add(f if f.bound is None else Until(f.left, f.right, f.bound - 1))
    laters = [frozenset(some) for size in range(len(asked) + 1) for some in combinations(asked, size)]
    nodes = {(s, type_of(closed, labels[s], later)) for s in graph for later in laters}
    by_state: dict[str, list[Type]] = {s: [kind for t, kind in nodes if t == s] for s in graph}
    before: dict[Node, set[Node]] = {node: set() for node in nodes}
    for s, targets in graph.items():
        for t in targets:
            for kind in by_state[t]:
                before[t, kind].add((s, type_of(closed, labels[s], kind)))
    untils = [f for f in closed if isinstance(f, Until) and f.bound is None]
    done = [{(s, kind) for s, kind in nodes if f not in kind or f.right in kind} for f in untils]
    # those from which a run stays in the set and comes to each of ``done`` again and again, whatever it did
    left = nodes
    while True:
        kept = left
        for goal in [nodes, *done]:
            kept = _leading(before, kept, goal & kept)
        if kept == left:
            break
        left = kept
    return {s for s, kind in left if formula in kind}


def _leading(before: Mapping[Node, AbstractSet[Node]], inside: set[Node], goal: set[Node]) -> set[Node]:
    """The nodes with a way of one step or more through a set to a goal in it."""
    found: set[Node] = set()
    waiting = list(goal)
    while waiting:
        for node in before[waiting.pop()] & inside - found:
            found.add(node)
            waiting.append(node)
    return found
