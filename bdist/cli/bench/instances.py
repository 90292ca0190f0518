"""One's own instances: a file and two states, a folder of files that all have these, or a list.

A list is a CSV file with a header. Its columns are ``file`` (beside the list, or with its folders), ``s``,
``t``, and, where they are not the same for all and given with the command, ``alpha`` and ``theta``. An empty
theta asks about the exact distance, as families are asked about.

Every model is read before anything is measured, since a study takes long and a mistake in its last line would
be found at its end: a state that is not there, states with different labels (their distance is 1, and nobody
has anything to do). What the options of other commands leave open (labels that are seen, constants of a
program) is settled by `bdist convert` first.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.formats import FORMATS, load
from bdist.cli.bench.plan import Instance
from bdist.distances.compute import Skew
from bdist.errors import FormatError, ParameterError
from bdist.exact.rationals import as_rational
from bdist.text.files import SMALL_BYTES, read_text

_NEEDED, _OPTIONAL = ("file", "s", "t"), ("alpha", "theta")
_SUFFIXES = frozenset(suffix for form in FORMATS for suffix in form.suffixes) - {".json"}  # often another's
_FINGERPRINT = 16  # characters of it that a table shows


@dataclass(frozen=True)
class Common:
    """What the command says of all instances; ``thetas`` may be none, or several."""

    pair: tuple[str, str] | None
    alpha: str | None
    thetas: tuple[str, ...]


def read_instances(path: Path, common: Common) -> tuple[Instance, ...]:
    """The instances that a path stands for. Raises: ParameterError, FormatError; as `load`."""
    if path.is_dir():
        files = sorted(each for each in path.iterdir() if each.suffix.lower() in _SUFFIXES)
        if not files:
            raise ParameterError(
                f"{path} has no models; there is no file with {', '.join(sorted(_SUFFIXES))}"
            )
        found = [_asked(str(file), file, common) for file in files]
    elif path.suffix.lower() == ".csv":
        if common.pair is not None:
            raise ParameterError(f"{path} says which states are meant; leave S and T out")
        found = list(_listed(path, common))
    else:
        found = [_asked(str(path), path, common)]
    instances = tuple(instance for some in found for instance in some)
    seen: set[tuple[object, ...]] = set()
    for each in instances:
        key = (each.path, each.pair, each.alpha, each.theta)
        if key in seen:
            raise ParameterError(f"{each.title} is there twice with the same alpha and threshold")
        seen.add(key)
    return instances


def _listed(path: Path, common: Common) -> Iterator[list[Instance]]:
    rows = csv.reader(io.StringIO(read_text(path, limit=SMALL_BYTES)), strict=True)
    try:
        header = [name.strip() for name in next(rows, [])]
        wrong = [name for name in header if name not in (*_NEEDED, *_OPTIONAL)]
        missing = [name for name in _NEEDED if name not in header]
        if wrong or missing or len(set(header)) < len(header):
            columns = f"{', '.join(_NEEDED)} and, if you like, {' and '.join(_OPTIONAL)}"
            raise FormatError(f"the first line must name the columns {columns}", source=path, line=1)
        empty = True
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            line = rows.line_num
            if len(row) != len(header):
                message = f"there are {len(row)} values for {len(header)} columns"
                raise FormatError(message, source=path, line=line)
            empty = False
            yield _row(path, line, dict(zip(header, (cell.strip() for cell in row), strict=True)), common)
    except csv.Error as error:
        raise FormatError(f"this is not CSV: {error}", source=path, line=rows.line_num) from None
    if empty:
        raise FormatError("there is no instance in it", source=path)


def _row(path: Path, line: int, row: dict[str, str], common: Common) -> list[Instance]:
    try:
        thetas = (row["theta"],) if row.get("theta") else common.thetas
        alpha = row.get("alpha") or common.alpha
        return _asked(row["file"], path.parent / row["file"], Common((row["s"], row["t"]), alpha, thetas))
    except ParameterError as error:
        raise FormatError(str(error), source=path, line=line) from None


def _asked(name: str, path: Path, common: Common) -> list[Instance]:
    """One file, with each of the thresholds."""
    if common.pair is None:
        raise ParameterError(f"which two states of {path}? name them: bdist bench {path} S T")
    if common.alpha is None:
        raise ParameterError(f"{path} needs an alpha; give --alpha")
    alpha = Skew.of(common.alpha, None).alpha
    thetas: list[Fraction | None] = [as_rational(theta, "theta") for theta in common.thetas]
    chain = load(path)
    _check_pair(name, chain, common.pair)
    model = fingerprint(chain)[:_FINGERPRINT]
    return [
        Instance(name, path.resolve(), common.pair, alpha, theta, len(chain), model)
        for theta in thetas or [None]
    ]


def _check_pair(name: str, chain: LabelledMarkovChain, pair: tuple[str, str]) -> None:
    try:
        labels = [chain.label(state) for state in pair]
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None
    if pair[0] == pair[1]:
        raise ParameterError(f"{name}: the distance of {pair[0]} to itself is 0; name two states")
    if labels[0] != labels[1]:
        raise ParameterError(f"{name}: {pair[0]} and {pair[1]} have different labels; their distance is 1")
