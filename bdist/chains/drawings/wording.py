"""Names and numbers short enough for a box or an arrow, and how wide they will be.

A renderer of ours does not know the fonts of its reader, so widths are estimated, in a typewriter face, where
all common ones agree to a few per cent: 0.6 of the size a character, nothing for marks that combine with the
one before, and nearly twice that for the wide characters of East Asia. The estimate is rounded up a little: a
box that is too wide is less ugly than a text that leaves it.

A long name is cut in the middle (`bdist.printing`). A long probability is cut after some digits, never
rounded, and the cut is marked.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from bdist.exact.display import decimal_cut
from bdist.exact.reading import rational_text
from bdist.printing import advance

LONGEST_PROBABILITY = 11
_DIGITS = 5
_ELLIPSIS = "\u2026"
_ADVANCE = 0.61  # of a typewriter face, in sizes of the font


def text_width(text: str, size: float) -> float:
    """About how wide a text is in a typewriter face of a size, rounded up to whole units."""
    return float(ceil(sum(map(advance, text)) * _ADVANCE * size))


def probability_text(probability: Fraction) -> str:
    """A probability as a fraction, or as a decimal that is cut, and marked as cut, where that is long."""
    fraction = rational_text(probability)
    if len(fraction) <= LONGEST_PROBABILITY:
        return fraction
    return decimal_cut(probability, _DIGITS, _ELLIPSIS)
