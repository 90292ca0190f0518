"""Differentially private automata (DiPA): programs that read a stream of real query answers.

An automaton has finitely many control states and one storage variable x. In each step it draws two samples,
``insample`` and ``insample'``, from Laplace distributions whose parameters belong to the state: scale
coefficient d and mean offset mu give the density (d eps / 2) exp(-d eps |z - mu - a|), where a is the number
that is read from the input in an *input* state, and 0 in the others. It then compares insample with x, moves
along the transition whose guard holds, writes that transition's output (a symbol, or one of the samples), and
may store insample in x. If no guard holds, it stops.

The model and its assumptions are those of Chadha, Sistla and Viswanathan (LICS 2021, and their talk on it):

* *initialisation*: the initial state has one transition, with guard true, that assigns x;
* *determinacy*: guards of one state exclude each other, so a state with a true guard has no other transition,
  and there is at most one ``<`` and one ``>=``;
* *output distinction*: two transitions of one state have different outputs, and not both a sample; so the
  outputs tell the path;
* a state that reads no input compares nothing: its guard is true.

Like a chain, an automaton is data: it is checked once, when it is made, and a violated assumption is named
with the state. Automata can be large (a million transitions are decided in seconds), so states are numbers
within and names only at the door.

*The fingerprint* is what a certificate means by "this automaton": bound neither to the bytes of a file nor to
a copy of its own, but to the SHA-256 of a canonical form that the checker builds by itself (SPEC.md section
1). The name of the automaton, the order of states and transitions, and the way in which numbers are written
do not count. A million transitions take a few seconds; the form is hashed as it is made, and never kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from bdist.errors import ModelError
from bdist.exact.rationals import ROW_BITS, counted, rational_text
from bdist.report import OneLine, titled
from bdist.text.files import json_text, sha256_of
from bdist.text.scanner import check_characters, unknown_state


class Guard(Enum):
    """When a transition is taken: always, or by comparison of insample with x."""

    TRUE = "true"
    LESS = "insample < x"
    AT_LEAST = "insample >= x"


class Real(Enum):
    """An output that is a sample and not a symbol."""

    SAMPLE = "insample"
    SECOND = "insample'"

    def __str__(self) -> str:
        return self.value


Output = str | Real
TransitionName = tuple[str, str]  # the state that it leaves and the sign of its guard: by determinacy enough

GUARD_SIGNS = {Guard.TRUE: "true", Guard.LESS: "<", Guard.AT_LEAST: ">="}
_SAMPLES = {Real.SAMPLE: 1, Real.SECOND: 2}


@dataclass(frozen=True, slots=True, repr=False)
class Noise(OneLine):
    """A Laplace distribution: scale coefficient d > 0 and mean offset mu."""

    d: Fraction
    mu: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, repr=False)
class ControlState(OneLine):
    """A control state: whether it reads an input, and the noise of both samples.

    The noise of insample' is None where no transition of the state writes it.
    """

    name: str
    reads_input: bool
    noise: Noise
    second: Noise | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Transition(OneLine):
    """From a state to a state, both by number."""

    source: int
    target: int
    guard: Guard
    output: Output
    assigns: bool


@dataclass(frozen=True, repr=False)
class Automaton(OneLine):
    """States, transitions and the number of the initial state.

    Two automata are equal if states, transitions and initial state are, in order; the name is a caption.
    Raises: ModelError, naming the state, where an assumption of the model does not hold.
    """

    states: tuple[ControlState, ...]
    transitions: tuple[Transition, ...]
    initial: int = 0
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _check_states(self.states)
        _check_name("automaton name", self.name)
        if not 0 <= self.initial < len(self.states):
            raise ModelError(f"the initial state has number {self.initial} of {len(self.states)}")
        for transition in self.transitions:
            if not (0 <= transition.source < len(self.states) and 0 <= transition.target < len(self.states)):
                raise ModelError(
                    f"a transition goes from state number {transition.source} to {transition.target} "
                    f"of {len(self.states)}"
                )
        for state, numbers in zip(self.states, self.outgoing, strict=True):
            _check_transitions(state, [self.transitions[number] for number in numbers])
        self._check_initial()
        _ = self.common_denominator  # refused here where it is too long

    def _essence(self) -> str:
        sizes = (counted(len(self.states), "state"), counted(len(self.transitions), "transition"))
        return titled(self.name, *sizes)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.states, self.transitions, self.initial, self.name)

    @cached_property
    def common_denominator(self) -> int:
        """The least common denominator of all scale coefficients.

        It keeps sums of coefficients short; those of a stranger may have a different prime below each.
        """
        common = 1
        for noise in self._noises.values():
            common = lcm(common, noise.d.denominator)
            if common.bit_length() > ROW_BITS:
                raise ModelError(f"the coefficients have a common denominator of more than {ROW_BITS} bits")
        return common

    @cached_property
    def coefficients(self) -> dict[int, int]:
        """The scale coefficients in parts of the common denominator, by the identity of their noise."""
        unit = self.common_denominator
        return {key: n.d.numerator * (unit // n.d.denominator) for key, n in self._noises.items()}

    @cached_property
    def _noises(self) -> dict[int, Noise]:
        """By identity, of which there are few."""
        noises = (noise for state in self.states for noise in (state.noise, state.second))
        return {id(noise): noise for noise in noises if noise is not None}

    @cached_property
    def outgoing(self) -> tuple[tuple[int, ...], ...]:
        """For each state the numbers of its transitions, in order."""
        lists: list[list[int]] = [[] for _ in self.states]
        for number, transition in enumerate(self.transitions):
            lists[transition.source].append(number)
        return tuple(map(tuple, lists))

    def index(self, name: str) -> int:
        """The number of a state. Raises: ParameterError, with the nearest names, where there is none."""
        number = self._numbers.get(name)
        if number is None:
            raise unknown_state(name, [state.name for state in self.states], "automaton")
        return number

    def transition_names(self, numbers: Iterable[int]) -> tuple[TransitionName, ...]:
        """Transitions by the name of their source and the sign of their guard, as certificates name them."""
        chosen = (self.transitions[t] for t in numbers)
        return tuple((self.states[t.source].name, GUARD_SIGNS[t.guard]) for t in chosen)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {state.name: number for number, state in enumerate(self.states)}

    def _check_initial(self) -> None:
        state, moves = self.states[self.initial], self.outgoing[self.initial]
        first = self.transitions[moves[0]] if len(moves) == 1 else None
        problem = ""
        if first is None:
            problem = f"the initial state '{state.name}' has {len(moves)} transitions, not one"
        elif first.guard is not Guard.TRUE or not first.assigns:
            where = f"the transition of the initial state '{state.name}'"
            problem = f"{where} must have the guard true and assign x"
        if problem:
            raise ModelError(f"initialisation: {problem}", state=state.name)


def _check_states(states: tuple[ControlState, ...]) -> None:
    if not states:
        raise ModelError("an automaton needs at least one state")
    seen: set[str] = set()
    for state in states:
        _check_name("state name", state.name)
        if state.name in seen:
            raise ModelError(f"state '{state.name}' is declared twice", state=state.name)
        seen.add(state.name)
        for noise in (state.noise, state.second):
            if noise is not None and noise.d <= 0:
                raise ModelError(
                    f"state '{state.name}' has scale coefficient {rational_text(noise.d)}, not positive",
                    state=state.name,
                )


def _check_transitions(state: ControlState, transitions: list[Transition]) -> None:
    if len(transitions) == 1:
        only = transitions[0]
        if only.guard is Guard.TRUE and isinstance(only.output, str) and only.output.isprintable():
            return  # as in most states of most automata that do not compare
    guards = [transition.guard for transition in transitions]
    outputs = [transition.output for transition in transitions]
    problem = ""
    if len(guards) > 1 and (Guard.TRUE in guards or len(set(guards)) < len(guards)):
        listed = ", ".join(guard.value for guard in guards[:4])
        problem = f"determinacy: the guards of state '{state.name}' do not exclude each other: {listed}"
    elif len(outputs) == 2 and (outputs[0] == outputs[1] or all(isinstance(o, Real) for o in outputs)):
        what = f"the outputs of state '{state.name}' do not tell its transitions apart"
        problem = f"output distinction: {what}: {' and '.join(map(str, outputs))}"
    elif not state.reads_input and any(guard is not Guard.TRUE for guard in guards):
        problem = f"state '{state.name}' reads no input and compares; without input the guard is true"
    elif state.second is None and Real.SECOND in outputs:
        problem = f"state '{state.name}' writes insample', whose noise is not given"
    if problem:
        raise ModelError(problem, state=state.name)
    for output in outputs:
        if isinstance(output, str):
            _check_name("output", output)


def _check_name(kind: str, text: str) -> None:
    if not isinstance(text, str):
        raise ModelError(f"{kind} {text!r} is a {type(text).__name__}; names and symbols are str")
    check_characters(text, kind)


def fingerprint(automaton: Automaton) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    return sha256_of(canonical_parts(automaton))


def canonical_parts(automaton: Automaton) -> Iterator[str]:
    """The canonical form, a state at a time: equal for two automata iff they have the same states, with the
    same noise and the same transitions, by name, and the same initial state.
    """
    states, transitions = automaton.states, automaton.transitions
    before = f'["dipa",{json_text(states[automaton.initial].name)},['
    for number in sorted(range(len(states)), key=lambda number: states[number].name):
        state = states[number]
        moves = sorted(
            (
                [GUARD_SIGNS[move.guard], _output(move.output), move.assigns, states[move.target].name]
                for move in map(transitions.__getitem__, automaton.outgoing[number])
            ),
            key=lambda move: str(move[0]),
        )
        yield before + json_text(
            [state.name, state.reads_input, _noise(state.noise), _noise(state.second), moves]
        )
        before = ","
    yield "]]"


def _noise(noise: Noise | None) -> list[str] | None:
    return None if noise is None else [rational_text(noise.d), rational_text(noise.mu)]


def _output(output: Output) -> str | int:
    return _SAMPLES[output] if isinstance(output, Real) else output
