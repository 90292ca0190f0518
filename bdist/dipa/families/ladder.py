"""Automata with any number of transitions, private, with many components: what a benchmark asks for.

A rung draws a fresh threshold and then asks in two states, over and over, until a query falls on the other
side of it; that leads to the next rung.

    draw --true, x := insample--> left --stay--> right --stay--> left       (right and left are one component)
                                   |               |
                                   +----leave------+--> draw of the next rung

In even rungs queries stay *below* the threshold, in odd ones at least at it, so that cycles of both kinds
reach each other in both orders; since the assignment between them has guard true, none of it leaks. A rung
has three states and five transitions. What is left of the number asked for are states that draw and do not
compare, in front of the first rung; the first of them assigns x, as the initial state must. With r rungs and
l states in front, where transitions = 5 r + l and l is 1 to 5, the heaviest path leaves every rung once,

    weight = l threshold + r (threshold + 2 query),

which is r + l / 2 with the default coefficients. A million transitions have 600,003 states.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.dipa.automaton import Automaton, ControlState, Noise, Transition
from bdist.dipa.families.automata import AT_LEAST, LESS, STOP, TRUE
from bdist.dipa.families.sparse_vector import QUERY, THRESHOLD
from bdist.family import Family, IntegerParameter

TRANSITIONS = IntegerParameter("transitions", 12, "number of transitions, exactly", least=1, most=10_000_000)

_OF_A_RUNG = 5


def automaton_ladder(
    transitions: int = TRANSITIONS.default,
    threshold: Fraction = THRESHOLD.default,
    query: Fraction = QUERY.default,
) -> Automaton:
    """A ladder with that many transitions.

    Requires: at least one transition; positive coefficients. Raises: ParameterError.
    """
    transitions = TRANSITIONS.read(transitions)
    drawing, asking = Noise(THRESHOLD.read(threshold)), Noise(QUERY.read(query))
    rungs, rest = divmod(transitions - 1, _OF_A_RUNG)
    states = [ControlState(f"front{k}", False, drawing) for k in range(rest + 1)]
    moves = [Transition(k, k + 1, TRUE, "next", assigns=k == 0) for k in range(rest + 1)]
    for rung in range(rungs):
        draw = len(states)
        left, right, following = draw + 1, draw + 2, draw + 3
        stay, leave = (LESS, AT_LEAST) if rung % 2 == 0 else (AT_LEAST, LESS)
        states += [
            ControlState(f"draw{rung}", False, drawing),
            ControlState(f"left{rung}", True, asking),
            ControlState(f"right{rung}", True, asking),
        ]
        moves += [
            Transition(draw, left, TRUE, "next", assigns=True),
            Transition(left, right, stay, "bot", assigns=False),
            Transition(left, following, leave, "top", assigns=False),
            Transition(right, left, stay, "bot", assigns=False),
            Transition(right, following, leave, "top", assigns=False),
        ]
    return Automaton((*states, STOP), tuple(moves), 0, f"ladder-{transitions}")


FAMILY = Family(
    "automaton-ladder",
    "private automata of any size with many components, for benchmarks",
    (TRANSITIONS, THRESHOLD, QUERY),
    automaton_ladder,
)
