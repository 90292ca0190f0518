"""Rows of rounded decimals, made exact where whoever reads a file asks for it (``--repair``).

PRISM exports probabilities with a fixed number of digits, 12 by default: thirds become 0.333333333333 and
their row sums to 0.999999999999. Such a row is refused, since nobody but the author of the file knows what
was meant; `repaired` makes a distribution of it in one of two ways, and says what it has changed most.

* *simplest*: every probability becomes the fraction of least denominator that is written with the same
  digits, up to one unit in the last of them. 0.037037037037 becomes 1/27. What is then still missing to a sum
  of 1 goes to the largest probability, if that stays within its last digit, too.
* *normalise*: every probability is divided by the sum of the row.

Rows that sum to 1 stay as they are, and so do probabilities that the file writes as fractions, unless a row
is normalised. What rounding cannot explain is not repaired: a row may be off by no more than one unit in the
last digit of each of its decimals.

*The last digit.* A program that prints 12 significant digits leaves out zeros at the end: 0.1 means
0.100000000000. So the number of significant digits is that of the longest decimal in the file, and at most
15, which is what floats of 64 bits carry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path

from bdist.chains.chain import Row
from bdist.chains.formats import ReadOptions
from bdist.errors import parameter
from bdist.exact.rationals import counted, decimal_up, simplest_between
from bdist.text.scanner import Numbers

WAYS = ("simplest", "normalise")
MOST_DIGITS = 15  # significant digits that a float carries


def rounding_hint(numbers: Numbers, way: str | None) -> str:
    """What to say of a row that does not sum to 1, or that the repair has left so."""
    if not numbers.decimals():
        return ""
    if way is None:
        both = " or ".join(map(_asked, WAYS))
        what = "decimals such as 0.333333 are rounded numbers; export or write exact fractions"
        return f"{what}, or have them repaired: {both}"
    if way == "simplest":
        return f"{_asked(way)} finds no fractions with these digits that sum to 1"
    return f"rounding in the last digits does not explain that, so {_asked(way)} leaves it"


def _asked(way: str) -> str:
    return parameter("repair", way, repr(way))


def repaired_rows(rows: list[Row], numbers: Numbers, options: ReadOptions, source: str | Path) -> list[Row]:
    """The rows, made exact where the options ask for it, with a note about what was changed."""
    if options.repair is None:
        return rows
    found = repaired(rows, numbers, options.repair)
    if found.changed:
        options.note(source, found.text(options.repair))
    return found.rows


@dataclass(frozen=True)
class Repair:
    """Repaired rows, how many there are, and the largest change of a probability."""

    rows: list[Row]
    changed: int
    largest: Fraction

    def text(self, way: str) -> str:
        """What was done, for whoever reads the file."""
        what = f"{counted(self.changed, 'row')} of rounded decimals made to sum to 1 ({_asked(way)})"
        return f"{what}; no probability is changed by more than {decimal_up(self.largest)}"


def repaired(rows: Sequence[Row], numbers: Numbers, way: str) -> Repair:
    """The rows, those made exact that rounding keeps from a sum of 1, as ``way`` says.

    Requires: the rows were read by ``numbers``, and ``way`` is one of `WAYS`.
    """
    unit = _last_digits(numbers.decimals())
    found, changed, largest = list(rows), 0, Fraction(0)
    for i, row in enumerate(rows):
        sum_ = sum((p for _, p in row), Fraction(0))
        if sum_ == 1 or not row or abs(sum_ - 1) > sum(unit(p) for _, p in row):
            continue
        new = _simplest(row, unit) if way == "simplest" else tuple((j, p / sum_) for j, p in row)
        if new is None:
            continue
        changed += 1
        largest = max(largest, *(abs(p - q) for (_, p), (_, q) in zip(row, new, strict=True)))
        found[i] = new
    return Repair(found, changed, largest)


def _simplest(row: Row, unit: Callable[[Fraction], Fraction]) -> Row | None:
    """The row with the simplest fractions; None where they leave too much to a sum of 1."""
    new = [_simplest_near(p, unit(p)) for _, p in row]
    largest = max(range(len(row)), key=lambda k: row[k][1])
    given = row[largest][1]
    moved = new[largest] + 1 - sum(new, Fraction(0))
    if abs(moved - given) > unit(given):
        return None
    new[largest] = moved
    return tuple((j, p) for (j, _), p in zip(row, new, strict=True))


def _simplest_near(value: Fraction, unit: Fraction) -> Fraction:
    found = simplest_between(value - unit, value + unit, open_low=True) if unit else value
    return value if found is None else found


def _last_digits(decimals: Mapping[str, Fraction]) -> Callable[[Fraction], Fraction]:
    """One unit in the last digit of a number by its value; 0 for one that is not written as a decimal."""
    mantissas = (text.lower().partition("e")[0].replace(".", "").lstrip("0") for text in decimals)
    digits = min(MOST_DIGITS, max(map(len, mantissas), default=0))
    values = set(decimals.values()) - {0}

    def unit(value: Fraction) -> Fraction:
        if value not in values:
            return Fraction(0)
        # the least power of ten that is above it
        exponent = len(str(int(value))) if value >= 1 else 1 - len(str(ceil(1 / value) - 1))
        return Fraction(10) ** (exponent - digits)

    return unit
