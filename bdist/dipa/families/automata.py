"""What the families of automata share: putting one together by names, and the parameter for a coefficient.

The families write their automata down as one draws them, states and arrows by name. Only those that can have
a million transitions count the states themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Output, Transition
from bdist.family import RationalParameter

TRUE, LESS, AT_LEAST = Guard.TRUE, Guard.LESS, Guard.AT_LEAST
STOP = ControlState("stop", False, Noise(Fraction(1)))  # nothing leaves it, so its noise does not matter

_LARGEST = Fraction(10**6)


@dataclass(frozen=True)
class Arrow:
    """A transition by the names of its states."""

    source: str
    target: str
    guard: Guard
    output: Output
    assigns: bool = False


def coefficient(name: str, default: Fraction, sample: str) -> RationalParameter:
    """The parameter for the scale coefficient d of some sample: its noise is Laplace of scale 1/(d eps)."""
    return RationalParameter(name, default, f"scale coefficient of the noise of {sample}", below=_LARGEST)


def quiet(name: str, d: Fraction) -> ControlState:
    """A state that reads no input."""
    return ControlState(name, False, Noise(d))


def asking(name: str, d: Fraction, second: Fraction | None = None) -> ControlState:
    """A state that reads an input; ``second`` is the coefficient of insample', where it is written."""
    return ControlState(name, True, Noise(d), None if second is None else Noise(second))


def put_together(name: str, states: Iterable[ControlState], arrows: Iterable[Arrow]) -> Automaton:
    """The automaton of these states, of which the first is initial, and arrows.

    Requires: every arrow joins states that are there.
    """
    declared = tuple(states)
    numbers = {state.name: number for number, state in enumerate(declared)}
    moves = tuple(
        Transition(numbers[arrow.source], numbers[arrow.target], arrow.guard, arrow.output, arrow.assigns)
        for arrow in arrows
    )
    return Automaton(declared, moves, 0, name)
