"""A profile in words, for the terminal and for pages: formulas, ends of intervals, which order is which.

Numbers are exact where they are short, and else cut and marked, as everywhere. e^epsilon stays a symbol:
between two breakpoints the exact statement is "delta = p - e^epsilon q", and no decimal of it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from bdist.exact.epsilon import log_text
from bdist.exact.rationals import decimal_cut, decimal_down, decimal_up, rational_text
from bdist.printing import named
from bdist.traces.answers import Stretch
from bdist.traces.loss import Piece, PrivacyLoss
from bdist.traces.profile import LeastEpsilon, Order, Profile

LONGEST_FRACTION = 20
MOST_ROWS = 9
_DIGITS = 10

Item = TypeVar("Item")


def number_text(value: Fraction) -> str:
    """A rational as it is, or its first decimals and a mark where it is long."""
    text = rational_text(value)
    return text if len(text) <= LONGEST_FRACTION else decimal_cut(value, _DIGITS)


def formula_text(piece: Piece, power: str = "e^epsilon") -> str:
    """delta on a piece: ``p - e^epsilon q``, or what is left of it where one of them is 0 or 1."""
    if piece.q == 0:
        return number_text(piece.p)
    factor = "" if piece.q == 1 else f" {number_text(piece.q)}"
    return f"{number_text(piece.p)} - {power}{factor}"


def epsilon_text(alpha: Fraction) -> str:
    """ln alpha: its closed form where that is short, and its first decimals."""
    if alpha == 1:
        return "0"
    decimals, form = log_text(alpha, _DIGITS), rational_text(alpha)
    return f"ln({form}) = {decimals}" if len(form) <= LONGEST_FRACTION else decimals


def short_epsilon_text(alpha: Fraction) -> str:
    """ln alpha by its closed form where that is short, and else by its first decimals."""
    return epsilon_text(alpha).split(" = ")[0]


def least_text(found: LeastEpsilon, digits: int = 12, infinity: str = "inf") -> str:
    """The least epsilon: its closed form, or its two ends."""
    if found.lower_alpha is None or found.lower is None:
        return "infinite"
    if found.exact:
        return epsilon_text(found.lower_alpha)
    upper = infinity if found.upper is None else decimal_up(found.upper.value, digits)
    return f"{decimal_down(found.lower.value, digits)} to {upper}"


def order_texts(pair: Sequence[str]) -> dict[Order, str]:
    """What the two orders are called; the names are made fit for their place by the caller."""
    first, second = pair
    return {Order.FORWARD: f"{first} over {second}", Order.BACKWARD: f"{second} over {first}"}


def title_text(pair: Sequence[str], model: str | None) -> str:
    """What a picture of a profile is called."""
    first, second = map(named, pair)
    return f"true δ between {first} and {second}{f' in {named(model)}' if model else ''}"


def told_orders(profile: Profile) -> list[tuple[Order, PrivacyLoss]]:
    """The orders of an exact profile, the first alone where both are the same at every epsilon."""
    (forward, _), (backward, _) = profile.sides()
    found = [(Order.FORWARD, forward), (Order.BACKWARD, backward)]
    return found[:1] if forward == backward else found


def worse_text(stretches: Sequence[Stretch], names: dict[Order, str]) -> str:
    """Which order is the worse, from epsilon = 0 on."""
    called = {**names, Order.WORSE: "the same in both orders"}
    if len(stretches) == 1:
        where = "" if stretches[0].order is Order.WORSE else ", at every epsilon"
        return f"{called[stretches[0].order]}{where}"
    parts = []
    for stretch, left_out in shortened_rows(stretches, 6):
        if stretch is None:
            parts.append(f"and so on, {left_out} times")
        elif stretch.end is None:
            parts.append(f"{called[stretch.order]} from there on")
        else:
            parts.append(f"{called[stretch.order]} up to epsilon {short_epsilon_text(stretch.end)}")
    return ", ".join(parts)


def shortened_rows(items: Sequence[Item], most: int = MOST_ROWS) -> list[tuple[Item | None, int]]:
    """Items each with 0; where there are many, the middle replaced by None and how many were left out."""
    if len(items) <= most:
        return [(item, 0) for item in items]
    last = most // 3
    first = most - last
    return [
        *((item, 0) for item in items[:first]),
        (None, len(items) - most),
        *((item, 0) for item in items[-last:]),
    ]
