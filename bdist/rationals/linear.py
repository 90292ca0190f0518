"""Exact solutions of sparse systems x = c + W x.

The systems come from the couplings of a game: one unknown a pair of states, a handful of nonzeros a row, and
a dependency graph that is mostly acyclic. So the unknowns are grouped into strongly connected components
(Tarjan's algorithm, iterative), and components are solved in the order in which Tarjan completes them, which
is reverse topological: everything a component depends on outside itself is then known. An acyclic unknown is
one dot product; a component of k unknowns is one dense k x k solve in FLINT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flint import fmpq, fmpq_mat

from bdist.rationals.fast import ONE


def solve_affine(weights: Sequence[Mapping[int, fmpq]], constants: Sequence[fmpq]) -> list[fmpq] | None:
    """The solution of x[p] = constants[p] + sum of weights[p][q] x[q]; None where there is no unique one."""
    solution: list[fmpq] = list(constants)
    for component in strongly_connected_components(weights):
        if len(component) == 1 and component[0] not in weights[component[0]]:
            p = component[0]
            for q, weight in weights[p].items():
                solution[p] += weight * solution[q]
        elif not _solve_component(weights, component, solution):
            return None
    return solution


def _solve_component(
    weights: Sequence[Mapping[int, fmpq]], component: list[int], solution: list[fmpq]
) -> bool:
    place = {p: k for k, p in enumerate(component)}
    size = len(component)
    matrix, right = fmpq_mat(size, size), fmpq_mat(size, 1)
    for k, p in enumerate(component):
        matrix[k, k] = ONE
        known = solution[p]
        for q, weight in weights[p].items():
            if q in place:
                matrix[k, place[q]] -= weight
            else:
                known += weight * solution[q]
        right[k, 0] = known
    try:
        solved = matrix.solve(right)
    except ZeroDivisionError:
        return False
    for k, p in enumerate(component):
        solution[p] = solved[k, 0]
    return True


def strongly_connected_components(successors: Sequence[Mapping[int, object]]) -> list[list[int]]:
    """The strongly connected components of a graph on 0..n-1, each after all components that it reaches."""
    count = len(successors)
    order = [-1] * count  # when a vertex was first met
    low = [0] * count
    on_stack = [False] * count
    stack: list[int] = []
    components: list[list[int]] = []
    clock = 0
    for root in range(count):
        if order[root] >= 0:
            continue
        path = [(root, iter(successors[root]))]
        order[root] = low[root] = clock
        clock += 1
        stack.append(root)
        on_stack[root] = True
        while path:
            vertex, rest = path[-1]
            for following in rest:
                if order[following] < 0:
                    order[following] = low[following] = clock
                    clock += 1
                    stack.append(following)
                    on_stack[following] = True
                    path.append((following, iter(successors[following])))
                    break
                if on_stack[following]:
                    low[vertex] = min(low[vertex], order[following])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[vertex])
                if low[vertex] == order[vertex]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack[member] = False
                        component.append(member)
                        if member == vertex:
                            break
                    components.append(component)
    return components
