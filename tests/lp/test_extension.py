"""Extensions of functions to a whole label: by the kernel, by NumPy, and against what the constraints say."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from bdist.lp.batch import Presence, compiled_module, kernel_state
from bdist.lp.extension import EXTENDED, OBSTRUCTED, ROWS_MISSING, Extended, Grid, Rows, extend

ALPHAS = (Fraction(1), Fraction(11, 10), Fraction(3))
COMPILED = kernel_state().presence is Presence.COMPILED
needs_kernel = pytest.mark.skipif(not COMPILED, reason="no kernel")


def distances(source: random.Random, size: int, *, symmetric: bool) -> list[list[Fraction]]:
    """A table with many ties, zeros and ones."""
    table = [[Fraction(source.choice([0, 0, 1, 2, 3, 8, 8]), 8) for _ in range(size)] for _ in range(size)]
    for i in range(size):
        table[i][i] = Fraction(0)
        for j in range(i if symmetric else 0):
            table[i][j] = table[j][i]
    return table


def rows_of(words: list[list[Fraction]], known: list[list[Fraction]], missing: tuple[int, ...] = ()) -> Rows:
    size = len(words)
    index = np.full(size, -1, dtype=np.int32)
    kept = [k for k in range(size) if k not in missing]
    index[kept] = np.arange(len(kept))
    both = [np.array([[float(x) for x in table[k]] for k in kept]) for table in (words, known)]
    back = [np.array([[float(table[i][k]) for i in range(size)] for k in kept]) for table in (words, known)]
    return Rows(index, both[0], back[0], both[1], back[1])


def feasible_inside(
    source: random.Random, known: list[list[Fraction]], inside: list[int], alpha: Fraction
) -> list[Fraction]:
    """A function on some states that keeps their own constraints."""
    f = {k: Fraction(source.randint(0, 16), 16) for k in inside}
    for _ in inside:
        for i in inside:
            for j in inside:
                if i != j:
                    f[i] = min(f[i], known[i][j] + alpha * f[j])
    return [f[k] for k in inside]


def extends(known: list[list[Fraction]], inside: list[int], f: list[Fraction], alpha: Fraction) -> bool:
    """Whether the least extension is one, by the longest paths."""
    size = len(known)
    least = {k: Fraction(0) for k in range(size) if k not in inside} | dict(zip(inside, f, strict=True))
    for _ in range(size):
        for k in set(range(size)).difference(inside):
            pushes = ((least[i] - known[i][k]) / alpha for i in range(size) if i != k)
            least[k] = max(least[k], *pushes)
    return all(least[i] - alpha * least[j] <= known[i][j] for i in range(size) for j in range(size) if i != j)


def whole(found: Extended, size: int) -> list[Fraction]:
    f = [Fraction(found.value)] * size
    for k, x in zip(found.named, found.values, strict=True):
        f[k] = Fraction(x)
    return f


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_kernel), False])
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("symmetric", [True, False])
def test_a_function_extends_exactly_if_the_least_extension_does(
    monkeypatch: pytest.MonkeyPatch, compiled: bool, alpha: Fraction, symmetric: bool
) -> None:
    if not compiled:
        monkeypatch.setenv("BDIST_KERNEL", "off")
    source = random.Random(f"{alpha} {symmetric}")  # noqa: S311
    seen = set()
    for _ in range(150):
        size = source.randint(3, 9)
        known = distances(source, size, symmetric=symmetric)
        words = [[x if source.random() < 0.5 else Fraction(0) for x in row] for row in known]
        if symmetric:
            words = [[min(words[i][j], words[j][i]) for j in range(size)] for i in range(size)]
        inside = source.sample(range(size), source.randint(1, size - 1))
        f = feasible_inside(source, known, inside, alpha)
        functions = [(inside, [float(x) for x in f])]
        (plain,) = extend(rows_of(words, known), functions, float(alpha), -1e-12, None, 1)
        assert plain.status == (EXTENDED if extends(known, inside, f, alpha) else OBSTRUCTED)
        seen.add(plain.status)
        if plain.status == OBSTRUCTED:
            assert plain.named
            assert not set(plain.named) & set(inside)
            continue
        (exact,) = extend(rows_of(words, known), functions, float(alpha), 0.0, Grid.of(alpha), 1)
        if exact.status != EXTENDED:
            continue  # a tie, within what floats can tell
        g = whole(exact, size)
        assert all((x * 2**50).denominator == 1 and 0 <= x <= 1 for x in g)
        needs = set(exact.needs)
        for i in range(size):
            for j in range(size):
                if i != j:
                    taken = g[i] - alpha * g[j]
                    assert taken <= known[i][j]
                    assert taken <= words[i][j] or (i, j) in needs
    assert seen == {EXTENDED, OBSTRUCTED}


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_kernel), False])
@pytest.mark.parametrize("exponent", [4, 6, 13, 15, 18, 30, 400])
def test_functions_on_the_grid_keep_all_constraints_at_a_huge_alpha(
    monkeypatch: pytest.MonkeyPatch, compiled: bool, exponent: int
) -> None:
    if not compiled:
        monkeypatch.setenv("BDIST_KERNEL", "off")
    alpha = Fraction(10**exponent)
    source = random.Random(exponent)  # noqa: S311
    extended = 0
    for _ in range(50):
        known = distances(source, 6, symmetric=True)
        inside = source.sample(range(6), 3)
        functions = [(inside, [float(x) for x in feasible_inside(source, known, inside, alpha)])]
        near = float(min(alpha, Fraction(10**300)))
        (found,) = extend(rows_of(known, known), functions, near, 0.0, Grid.of(alpha), 1)
        if found.status == EXTENDED:
            extended += 1
            g = whole(found, 6)
            assert all((x * 2**50).denominator == 1 and 0 <= x <= 1 for x in g)
            assert all(g[i] - alpha * g[j] <= known[i][j] for i in range(6) for j in range(6) if i != j)
    assert extended > 10


def test_rows_that_are_missing_are_asked_for() -> None:
    zero, one = Fraction(0), Fraction(1)
    far = [[zero if i == j else one for j in range(4)] for i in range(4)]
    near = [row[:] for row in far]
    near[2][3] = near[3][2] = zero  # an exception at 2 binds 3
    near[0][2] = near[2][0] = zero
    (inside,) = extend(rows_of(far, far, missing=(1,)), [([0, 1], [1.0, 0.0])], 1.0, 0.0, None, 1)
    assert (inside.status, inside.named) == (ROWS_MISSING, [1])
    near[1][3] = near[3][1] = zero
    (outside,) = extend(rows_of(near, near, missing=(2, 3)), [([0, 1], [1.0, 0.5])], 1.0, 0.0, None, 1)
    assert outside.status == ROWS_MISSING
    assert set(outside.named) <= {2, 3}


@needs_kernel
def test_the_kernel_refuses_what_does_not_fit() -> None:
    kernel = compiled_module().extend
    row = np.zeros(2)
    index = np.array([0, -1], dtype=np.int32)
    offsets, places, values = np.array([0, 1]), np.array([0], dtype=np.int32), np.array([1.0])
    good = (row, row, row, row, index, offsets, places, values, 1.0, 0.0, 0, 0, 1)
    assert kernel(*good)[0].tolist() == [EXTENDED]
    for position, bad in (
        (0, np.zeros(3)),
        (4, np.array([1, -1], dtype=np.int32)),
        (5, np.array([0, 2])),
        (5, np.array([1, 0])),
        (6, np.array([2], dtype=np.int32)),
        (7, np.array([1.0, 2.0])),
        (10, -1),
        (11, 63),
    ):
        with pytest.raises(ValueError, match=r"."):
            kernel(*good[:position], bad, *good[position + 1 :])
