"""Names and numbers short enough for a box or an arrow, and how wide they will be.

A renderer of ours does not know the fonts of its reader, so widths are estimated, in a typewriter face, where
all common ones agree to a few per cent: 0.6 of the size a character, nothing for marks that combine with the
one before, and nearly twice that for the wide characters of East Asia. The estimate is rounded up a little: a
box that is too wide is less ugly than a text that leaves it.

A long name is cut in the middle, since generated names tend to differ at their ends. A long probability is
cut after some digits, never rounded, and the cut is marked.
"""

from __future__ import annotations

import json
import unicodedata
from fractions import Fraction
from math import ceil

from bdist.rationals.display import decimal_cut
from bdist.rationals.reading import rational_text

LONGEST_NAME = 24
LONGEST_PROBABILITY = 11
_DIGITS = 5
_ELLIPSIS = "\u2026"
_ADVANCE = 0.61  # of a typewriter face, in sizes of the font
_WIDE = 1.75  # the advance of a wide character in others


def text_width(text: str, size: float) -> float:
    """About how wide a text is in a typewriter face of a size, rounded up to whole units."""
    return float(ceil(sum(map(_columns, text)) * _ADVANCE * size))


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """A name, its middle left out where it is longer than that many columns."""
    if sum(map(_columns, name)) <= longest:
        return name
    half = (longest - 1) / 2
    return f"{_taken(name, half)}{_ELLIPSIS}{_taken(name[::-1], half)[::-1]}"


def probability_text(probability: Fraction) -> str:
    """A probability as a fraction, or as a decimal that is cut, and marked as cut, where that is long."""
    fraction = rational_text(probability)
    if len(fraction) <= LONGEST_PROBABILITY:
        return fraction
    return decimal_cut(probability, _DIGITS, _ELLIPSIS)


def printable(name: str) -> str:
    """A name for a terminal: what would steer it, or turn the direction of writing, is spelled out."""
    if name and name.isprintable():
        return name
    return json.dumps(name, ensure_ascii=not name.isprintable())


def columns(text: str) -> int:
    """How many columns of a terminal a text takes, about."""
    return sum(2 if _columns(character) > 1 else int(_columns(character)) for character in text)


def _taken(name: str, most: float) -> str:
    taken, room = 0, most
    for character in name:
        room -= _columns(character)
        if room < 0:
            break
        taken += 1
    return name[:taken]


def _columns(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    return _WIDE if unicodedata.east_asian_width(character) in ("W", "F") else 1.0
