"""The supports of pairs and the components of graphs: compiled, portable, and by naive reckoning."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bdist import LabelledMarkovChain
from bdist.distances.explore.supports import (
    Components,
    PortableSupports,
    Supports,
    _ranks,
    _Rows,
    new_supports,
)
from bdist.distances.pairs import Direction, PairSpace
from bdist.exact.rationals import approximate, to_fmpq
from bdist.lp.batch import Presence, compiled_module, kernel_state

needs_kernel = pytest.mark.skipif(kernel_state().presence is not Presence.COMPILED, reason="no kernel")
HUGE = 10**40 + 7


def random_query(seed: int) -> tuple[LabelledMarkovChain, Fraction, bool]:
    """A chain with p = alpha q, exactly or nearly, at many places."""
    draw = random.Random(seed)  # noqa: S311
    alpha = draw.choice([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(10**40 + 9, 10**40)])
    size = draw.randint(2, 12)
    units = [Fraction(n) for n in (1, 1, 2, 3)] + [alpha, alpha * alpha, 1 + Fraction(1, HUGE)]
    rows = {}
    for k in range(size):
        targets = draw.sample(range(size), draw.randint(1, min(5, size)))
        shares = [draw.choice(units) for _ in targets]
        total = Fraction(8) if sum(shares) < 8 else sum(shares)
        row = {f"q{t}": share / total for t, share in zip(targets, shares, strict=True)}
        row[f"q{targets[0]}"] += 1 - sum(row.values())
        rows[f"q{k}"] = draw.choice("abc"), row
    return LabelledMarkovChain.from_rows(rows), alpha, draw.random() < 0.5


def both(chain: LabelledMarkovChain, alpha: Fraction, *, ordered: bool) -> Iterator[Supports]:
    yield new_supports(chain, to_fmpq(alpha), "kernel", ordered=ordered)
    yield PortableSupports(_Rows.of(chain, alpha), approximate(to_fmpq(alpha)), ordered=ordered)


def walk(supports: Supports, chain: LabelledMarkovChain) -> list[NDArray[Any]]:
    """All that is told when some pairs are named and explored, then what these name, and so on."""
    size = len(chain.states)
    grid = np.array(list(product(range(size), repeat=2)), dtype=np.int32)
    told: list[NDArray[Any]] = [supports.name(*grid[::5].T.copy())]
    explored, named = 0, int(told[0].max()) + 1
    while named > explored:
        told += supports.explore(np.arange(explored, named, dtype=np.int32)[::-1].copy())
        explored, named = named, named + len(told[-1])
    return [*told, supports.name(*grid.T.copy())]


@needs_kernel
@pytest.mark.parametrize("seed", range(40))
def test_compiled_and_portable_tell_the_same(seed: int) -> None:
    chain, alpha, ordered = random_query(seed)
    first, second = (walk(supports, chain) for supports in both(chain, alpha, ordered=ordered))
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()  # bit for bit, also the coefficients


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_kernel), False])
@pytest.mark.parametrize("seed", range(20))
def test_programs_are_the_mixed_labels_of_exact_objectives(seed: int, compiled: bool) -> None:
    chain, alpha, ordered = random_query(seed)
    supports = list(both(chain, alpha, ordered=ordered))[0 if compiled else 1]
    pairs = [
        (i, j)
        for i, j in product(range(len(chain.states)), repeat=2)
        if chain.labels[i] == chain.labels[j] and (i != j if ordered else i < j)
    ]
    space = PairSpace(chain, alpha, pairs, ordered=ordered, breadth="queries")
    numbers = supports.name(*np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy())
    assert numbers.tolist() == list(range(len(pairs)))
    constants, counts, sizes, inside, costs, arcs, first, second = (
        array.tolist() for array in supports.explore(numbers)
    )
    assert not first
    assert not second  # all are named
    task = program = state = arc = 0
    for pair in range(len(pairs)):
        for direction in Direction if not ordered else [Direction.FORWARD]:
            blocks = space.objective(pair, direction)
            mixed = [block.coefficients for block in blocks if block.mixed]
            gain = sum(c for b in blocks if not b.mixed for c in b.coefficients.values() if c > 0)
            assert constants[task] == pytest.approx(float(Fraction(str(gain))))
            assert counts[task] == len(mixed)
            task += 1
            for coefficients in mixed:
                size = sizes[program]
                assert inside[state : state + size] == list(coefficients)
                expected = [approximate(c) for c in coefficients.values()]
                assert costs[state : state + size] == pytest.approx(expected, abs=1e-15)
                names = [space.number.get((i, j), -1) for i, j in product(coefficients, repeat=2)]
                assert arcs[arc : arc + size * size] == names
                program, state, arc = program + 1, state + size, arc + size * size
    assert (task, program, state, arc) == (len(constants), len(sizes), len(inside), len(arcs))


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_kernel), False])
def test_signs_are_exact_where_floats_are_equal(compiled: bool) -> None:
    """Coefficients of 10^-40: no float can tell 1/2 from 1/2 + 10^-40, and one of them is 0 exactly."""
    tiny = Fraction(1, 10**40)
    half = Fraction(1, 2)
    rows = {
        "s": ("a", {"x": half + tiny, "y": half - tiny}),
        "t": ("a", {"x": half, "y": half}),
        "u": ("a", {"x": half + tiny, "z": half - tiny}),
        "x": ("b", {"x": Fraction(1)}),
        "y": ("b", {"y": Fraction(1)}),
        "z": ("c", {"z": Fraction(1)}),
    }
    chain = LabelledMarkovChain.from_rows(rows)
    supports = list(both(chain, Fraction(1), ordered=True))[0 if compiled else 1]
    numbers = supports.name(np.array([0, 0], dtype=np.int32), np.array([1, 2], dtype=np.int32))
    constants, counts, sizes, inside, costs, *_ = (a.tolist() for a in supports.explore(numbers))
    assert counts == [1, 0]  # a program of both signs; then y alone, as x is 0
    assert (sizes, inside) == ([2], [3, 4])
    assert costs == [0.0, 0.0]
    assert constants == [0.0, 0.5]


def test_ranks_are_those_of_exact_numbers() -> None:
    draw = random.Random(5)  # noqa: S311
    tiny = Fraction(1, 10**50)
    values = [Fraction(draw.randint(0, 4), 4) + draw.randint(-2, 2) * tiny for _ in range(80)]
    values += [Fraction(10**400), Fraction(10**400) + tiny]
    order = sorted(set(values))
    assert _ranks(values).tolist() == [order.index(x) for x in values]


@needs_kernel
def test_supports_refuse_what_does_not_fit() -> None:
    kernel = compiled_module().Supports
    whole = np.array([0, 0], dtype=np.int32)
    good = (np.array([0, 1, 2]), whole, np.ones(2), whole, whole, whole, 1.0, True)
    kernel(*good)
    for position, bad in (
        (0, np.array([0, 2])),
        (0, np.array([1, 1, 2])),
        (0, np.array([0, 3, 2])),
        (0, np.array([], dtype=np.int64)),
        (1, np.array([0, 2], dtype=np.int32)),
        (1, np.array([0, -1], dtype=np.int32)),
        (2, np.ones(3)),
        (3, np.zeros(1, dtype=np.int32)),
        (4, np.zeros(3, dtype=np.int32)),
    ):
        with pytest.raises(ValueError, match=r"."):
            kernel(*good[:position], bad, *good[position + 1 :])
    other: tuple[tuple[int, Any], ...] = (
        (0, whole),
        (1, np.array([0, 0])),
        (2, whole),
        (5, [0, 0]),
        (6, "1"),
    )
    for position, wrong in other:
        with pytest.raises(TypeError):
            kernel(*good[:position], wrong, *good[position + 1 :])
    supports = kernel(*good)
    one, two = np.zeros(1, dtype=np.int32), np.array([2], dtype=np.int32)
    for wrong in (
        lambda: supports.name(one, whole),
        lambda: supports.name(one, two),
        lambda: supports.explore(one),
    ):
        with pytest.raises(ValueError, match=r"."):
            wrong()
    for wrong in (lambda: supports.name(np.zeros(1), one), lambda: supports.explore(np.array([0]))):
        with pytest.raises(TypeError):
            wrong()
    assert supports.name(one, one + 1).tolist() == [0]  # nothing was named by what was refused


def reaches(successors: list[list[int]]) -> list[set[int]]:
    """Where each node leads in one step or more."""
    found = [set(ends) for ends in successors]
    for _ in successors:
        found = [ends.union(*(found[w] for w in ends)) for ends in found]
    return found


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_kernel), False])
def test_components_are_those_of_a_naive_closure(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    if not compiled:
        monkeypatch.setenv("BDIST_KERNEL", "off")
    draw = random.Random(7)  # noqa: S311
    for _ in range(60):
        size = draw.randint(0, 12)
        successors = [draw.choices(range(-1, size), k=draw.choice([0, 1, 1, 2, 3])) for _ in range(size)]
        starts = np.array([0, *np.cumsum([len(ends) for ends in successors])], dtype=np.int64)
        found = Components.of(starts, np.array([w for ends in successors for w in ends], dtype=np.int32))
        edges = [[w for w in ends if w >= 0] for ends in successors]
        reach = reaches(edges)
        for v, w in product(range(size), repeat=2):
            together = v == w or (w in reach[v] and v in reach[w])
            assert (found.component[v] == found.component[w]) == together
            if w in reach[v] and not together:
                assert found.component[v] > found.component[w]
        for v in range(size):
            members = {v} | {w for w in reach[v] if v in reach[w]}
            below = [int(found.level[w]) for u in members for w in edges[u] if w not in members]
            assert found.level[v] == 1 + max(below, default=-1)
            assert found.cyclic[v] == (v in reach[v])
        assert sorted(set(found.component.tolist())) == list(range(len(set(found.component.tolist()))))


@needs_kernel
def test_components_refuse_what_does_not_fit() -> None:
    components = compiled_module().components
    one = np.zeros(1, dtype=np.int32)
    for starts, targets in (
        (np.array([], dtype=np.int64), one[:0]),
        (np.array([1]), one),
        (np.array([0, 2]), one),
        (np.array([0, 2, 1]), one),
        (np.array([0, 1]), one + 1),
        (np.array([0, 1]), one - 2),
    ):
        with pytest.raises(ValueError, match=r"."):
            components(starts, targets)
    with pytest.raises(TypeError):
        components(one, one)
