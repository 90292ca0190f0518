"""What the reports of ``bdist modelcheck`` on chains and on processes have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import typer

from bdist.chains.relation import Relation
from bdist.cli.terminal import print_json
from bdist.dpctl.formulas import Formula, Next, Private, Probability, Until
from bdist.dpctl.syntax import mentions_privacy, operands_of
from bdist.exact.display import decimal_down, decimal_up, exact_text
from bdist.exact.epsilon import log_text
from bdist.exact.reading import rational_text
from bdist.printing import named

VIOLATED = 1
MOST_STATES = 12
DIGITS = 7


def print_answer(
    json: bool, document: Mapping[str, object], report: str, alone: Sequence[str] | None = None
) -> None:
    """One of the two, with the states of which a D says nothing; None where there is no D."""
    if json:
        print_json(document if alone is None else {**document, "without_neighbours": list(alone)})
        return
    typer.echo(report)
    if alone:
        typer.echo(f"  note      without neighbours, so that a D holds of itself: {listed(alone)}")


def states_alone(
    formula: Formula, neighbours: Relation, states: Sequence[str], asked: Sequence[str]
) -> list[str] | None:
    """The states without neighbours in which a D of the formula is asked; None where there is no D.

    Outside of path formulas that is in the states that are asked about, inside in any state.
    """
    if not mentions_privacy(formula):
        return None
    related = {state for pair in neighbours for state in pair}
    where = states if _is_nested(formula) else asked
    return [state for state in where if state not in related]


def _is_nested(formula: Formula) -> bool:
    """Whether a D stands inside of a path formula."""
    if isinstance(formula, Private | Probability | Until | Next):
        return any(map(mentions_privacy, operands_of(formula)))
    return any(map(_is_nested, operands_of(formula)))


def listed(states: Sequence[str]) -> str:
    """States, the first of them where they are many."""
    more = len(states) - MOST_STATES
    return ", ".join(map(named, states[:MOST_STATES])) + (f" and {more} more" if more > 0 else "")


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
