"""Transition matrices from wherever they come: nested sequences, NumPy arrays, SciPy's sparse matrices.

Each becomes the same thing: for every row the entries that are there, with their columns. Neither package is
imported here: an object of theirs can only exist where they are loaded already, and is known by what it
offers. An entry that a sparse matrix stores twice is refused and not added up, since adding floats rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from bdist.errors import ModelError

Entries = list[tuple[int, Any]]


def matrix_entries(matrix: Any, states: Sequence[str] | None) -> list[Entries]:
    """The entries of each row of a square matrix, (column, value) by increasing column; zeros may be missing.

    ``states`` names the rows, for messages.
    Raises: ModelError where it is not square.
    """
    if hasattr(matrix, "to_numpy"):  # a data frame
        matrix = matrix.to_numpy()
    shape = getattr(matrix, "shape", None)
    if shape is None:
        return _nested_entries(matrix, states)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ModelError(f"the matrix has the shape {'x'.join(map(str, shape))}; it must be square")
    rows: list[Entries] = [[] for _ in range(shape[0])]
    for i, j, value in _sparse(matrix) if hasattr(matrix, "tocoo") else _dense(matrix):
        rows[i].append((j, value))
    for i, row in enumerate(rows):
        row.sort(key=lambda entry: entry[0])
        for (first, _), (second, _) in pairwise(row):
            if first == second:
                raise ModelError(f"row {i} of the matrix stores column {first} twice; sum duplicates first")
    return rows


def _sparse(matrix: Any) -> Iterator[tuple[int, int, Any]]:
    entries = matrix.tocoo()
    yield from zip(entries.row.tolist(), entries.col.tolist(), entries.data, strict=True)


def _dense(matrix: Any) -> Iterator[tuple[int, int, Any]]:
    rows, columns = (matrix != 0).nonzero()
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        yield i, j, matrix[i, j]


def _nested_entries(matrix: Any, states: Sequence[str] | None) -> list[Entries]:
    count = len(matrix)
    for i, row in enumerate(matrix):
        if len(row) != count:
            state = states[i] if states is not None and i < len(states) else f"s{i}"
            raise ModelError(
                f"the row of state '{state}' has {len(row)} entries for {count} states", state=state
            )
    return [list(enumerate(row)) for row in matrix]
