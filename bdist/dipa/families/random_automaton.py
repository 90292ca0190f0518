"""Random automata for tests, benchmarks and fuzzing, reproducible from their parameters.

The same parameters give the same automaton, on every machine and every Python (`draws` says how), and it is
always one: the assumptions of the model hold by construction. The initial state assigns x and goes on; every
other state is an end, or takes what comes, or, if it reads an input, compares: with both outcomes, or with
one of them, where the other means that the automaton stops.

Most automata that are drawn without care are alike: nearly all of their states are in one large component,
which assigns and compares, and leaks for the plainest reason. So transitions lead to later states, but for
the shares that stay where they are or go anywhere; with few of the latter there are many small components
with paths between them. With the default shares somewhat more than half of the automata are private (of 1,000
with 8 states 587), and the others leak in every way there is. Coefficients are drawn from a few, so that
weights tie.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Output, Real, Transition
from bdist.dipa.families.automata import AT_LEAST, LESS, TRUE
from bdist.draws import SEED, Draw
from bdist.family import Family, IntegerParameter

STATES = IntegerParameter("states", 8, "number of states", least=1, most=500_000)
INPUTS = IntegerParameter("inputs", 70, "percent of states that read an input", least=0, most=100)
ASSIGNMENTS = IntegerParameter("assignments", 15, "percent of transitions that assign x", least=0, most=100)
REALS = IntegerParameter("reals", 10, "percent of states that write a sample", least=0, most=100)
LOOPS = IntegerParameter("loops", 25, "percent of transitions that stay in their state", least=0, most=100)
BACKWARD = IntegerParameter(
    "backward", 10, "percent of the other transitions that may go anywhere, not only on", least=0, most=100
)

_COEFFICIENTS = tuple(Noise(Fraction(d)) for d in ("1/4", "1/2", "1/3", "1", "2"))
_OFFSETS = tuple(Fraction(mu) for mu in ("-1", "1/2", "3"))
_SYMBOLS = ("a", "b", "c")
_FARTHEST = 3  # states that a transition goes on, at most
_BOTH = (LESS, AT_LEAST)
_ASKING: tuple[tuple[Guard, ...], ...] = ((), (TRUE,), (LESS,), (AT_LEAST,), _BOTH, _BOTH, _BOTH, _BOTH)
_QUIET: tuple[tuple[Guard, ...], ...] = ((), (TRUE,), (TRUE,), (TRUE,), (TRUE,))


def random_automaton(
    states: int = STATES.default,
    seed: int = SEED.default,
    inputs: int = INPUTS.default,
    assignments: int = ASSIGNMENTS.default,
    reals: int = REALS.default,
    loops: int = LOOPS.default,
    backward: int = BACKWARD.default,
) -> Automaton:
    """A random automaton with states q0, q1, ... and symbols a, b, c, a function of its parameters alone.

    Raises: ParameterError.
    """
    states, draw = STATES.read(states), Draw(SEED.read(seed))
    inputs, assignments, reals = INPUTS.read(inputs), ASSIGNMENTS.read(assignments), REALS.read(reals)
    loops, backward = LOOPS.read(loops), BACKWARD.read(backward)

    def happens(percent: int) -> bool:
        return draw.below(100) < percent

    def target(number: int) -> int:
        if number > 0 and happens(loops):
            return number
        if number == states - 1 or (number > 0 and happens(backward)):
            return draw.below(states)
        return number + 1 + draw.below(min(states - 1 - number, _FARTHEST))

    declared: list[ControlState] = []
    moves: list[Transition] = []
    for number in range(states):
        reads_input = happens(inputs)
        shapes = _ASKING if reads_input else _QUIET
        guards = (TRUE,) if number == 0 else shapes[draw.below(len(shapes))]
        outputs = _outputs(draw, len(guards), happens(reals))
        moves += [
            Transition(number, target(number), guard, output, number == 0 or happens(assignments))
            for guard, output in zip(guards, outputs, strict=True)
        ]
        second = _noise(draw) if Real.SECOND in outputs else None
        declared.append(ControlState(f"q{number}", reads_input, _noise(draw), second))
    return Automaton(tuple(declared), tuple(moves), 0, f"random-automaton-{seed}")


def _outputs(draw: Draw, count: int, one_is_real: bool) -> list[Output]:
    """Different symbols for the transitions of a state, one of them replaced by a sample if wanted."""
    outputs: list[Output] = [_SYMBOLS[place] for place in draw.shuffled([*range(len(_SYMBOLS))])[:count]]
    if outputs and one_is_real:
        outputs[draw.below(count)] = (Real.SAMPLE, Real.SECOND)[draw.below(2)]
    return outputs


def _noise(draw: Draw) -> Noise:
    noise = _COEFFICIENTS[draw.below(len(_COEFFICIENTS))]
    return Noise(noise.d, _OFFSETS[draw.below(len(_OFFSETS))]) if draw.below(4) == 0 else noise


FAMILY = Family(
    "random-automaton",
    "random automata, reproducible from their seed",
    (STATES, SEED, INPUTS, ASSIGNMENTS, REALS, LOOPS, BACKWARD),
    random_automaton,
)
