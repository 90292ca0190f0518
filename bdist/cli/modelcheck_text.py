"""What the reports of ``bdist modelcheck`` on chains and on processes have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import typer

from bdist.cli.terminal import print_json
from bdist.rationals.display import decimal_down, decimal_up, exact_text
from bdist.rationals.logarithm import log_text
from bdist.rationals.reading import rational_text

VIOLATED = 1
MOST_STATES = 12
DIGITS = 7


def print_answer(json: bool, document: Mapping[str, object], report: str) -> None:
    """One of the two."""
    if json:
        print_json(document)
    else:
        typer.echo(report)


def listed(states: Sequence[str]) -> str:
    """States, the first of them where they are many."""
    more = len(states) - MOST_STATES
    return ", ".join(states[:MOST_STATES]) + (f" and {more} more" if more > 0 else "")


def epsilon_line(ratio: Fraction | None, delta: Fraction) -> str:
    """The smallest epsilon at a delta, from e^epsilon; None where none will do."""
    if ratio is None:
        return f"  epsilon   none will do at delta = {rational_text(delta)}"
    shown = "0" if ratio == 1 else f"ln({rational_text(ratio)}) = {log_text(ratio, DIGITS)}"
    return f"  epsilon   {shown}, at delta = {rational_text(delta)}, exact"


def bracket_text(ends: tuple[Fraction, Fraction]) -> str:
    """A number, or the two that it is between."""
    low, high = ends
    if low == high:
        return exact_text(high, DIGITS)
    return f"in [{decimal_down(low, DIGITS)}, {decimal_up(high, DIGITS)}]"
