"""Hypothesis strategies for automata, and for the ways in which one may be written down.

The automata have everything that the model knows: states that read and states that do not, ends, single
guards and both, symbols and both samples as outputs, noise of insample' that nobody writes, stores anywhere,
an initial state in the middle, and names that are a trial for any format. Numbers are few, so that they
coincide.

A text of an automaton is spelled as freely as the format allows: blanks, comments, quotes that are not
needed, offsets left out, decimals, states and transitions mixed in any order that keeps that of each. It is
made part by part from the grammar, and shares nothing with the writer or the reader.

All shrink towards little: one state, plain names, d = 1, single blanks.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Output, Real, Transition
from bdist.dipa.families import random_automaton

AWKWARD = (
    *(
        "state",
        "initial",
        "input",
        "true",
        "insample",
        "insample'",
        "x",
        "dipa",
        "->",
        "-",
        "q0->",
        ">",
        ":=",
    ),
    *("", " ", "a b", 'say "hi"', "\\", '\\"', "\\n", '"', "#", "# x", "/", "[1]", ",", "'", "a/b", "1/2"),
    *("naïve \u2028 日本", "\u00a0", "\x85", "<", ">=", "insample < x", "x := insample", "😀", "\u202e"),
)
BARE = re.compile(r"[A-Za-z0-9_.'+-]+")
OTHERS = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc")), max_size=6)
NAMES = st.sampled_from(("a", "b", "q0", "bot", "top")) | st.sampled_from(AWKWARD) | OTHERS
COEFFICIENTS = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 4), Fraction(2, 9), Fraction(7, 5)])
OFFSETS = st.just(Fraction(0)) | st.fractions(min_value=-3, max_value=3, max_denominator=20)
NOISES = st.builds(Noise, COEFFICIENTS, OFFSETS)
TRUE, LESS, AT_LEAST = Guard.TRUE, Guard.LESS, Guard.AT_LEAST
GUARDS: tuple[tuple[Guard, ...], ...] = (
    *((), (TRUE,), (LESS,), (AT_LEAST,)),
    *((LESS, AT_LEAST), (AT_LEAST, LESS)),
)


@st.composite
def automata(draw: st.DrawFn, max_states: int = 5, names: st.SearchStrategy[str] = NAMES) -> Automaton:
    """A valid automaton with at most that many states."""
    chosen = draw(st.lists(names, min_size=1, max_size=max_states, unique=True))
    initial = draw(st.integers(0, len(chosen) - 1))
    states: list[ControlState] = []
    moves: list[Transition] = []
    for number, name in enumerate(chosen):
        reads_input = draw(st.booleans())
        guards = (
            (TRUE,) if number == initial else draw(st.sampled_from(GUARDS if reads_input else GUARDS[:2]))
        )
        outputs = draw(_outputs(len(guards), names))
        for guard, output in zip(guards, outputs, strict=True):
            target = draw(st.integers(0, len(chosen) - 1))
            moves.append(Transition(number, target, guard, output, number == initial or draw(st.booleans())))
        is_given = Real.SECOND in outputs or draw(st.booleans())
        states.append(ControlState(name, reads_input, draw(NOISES), draw(NOISES) if is_given else None))
    return Automaton(tuple(states), tuple(draw(st.permutations(moves))), initial, draw(names))


def layered_automata(max_states: int = 6) -> st.SearchStrategy[Automaton]:
    """Automata whose transitions lead forwards more often than back, so that many are private."""
    return st.builds(
        random_automaton,
        states=st.integers(1, max_states),
        seed=st.integers(0, 10**6),
        assignments=st.sampled_from([15, 30]),
        reals=st.sampled_from([10, 60]),
        loops=st.sampled_from([25, 60]),
        backward=st.sampled_from([0, 10, 40]),
    )


@st.composite
def _outputs(draw: st.DrawFn, count: int, names: st.SearchStrategy[str]) -> list[Output]:
    outputs: list[Output] = [*draw(st.lists(names, min_size=count, max_size=count, unique=True))]
    has_sample: bool = draw(st.booleans())
    if outputs and has_sample:
        outputs[draw(st.integers(0, count - 1))] = draw(st.sampled_from(list(Real)))
    return outputs


@st.composite
def texts_of(draw: st.DrawFn, automaton: Automaton) -> str:
    """A text of the automaton, in some way that the grammar of ``.dipa`` allows."""
    blanks = st.sampled_from((" ", "  ", "\t", " \r "))

    def parts(*words: str) -> str:
        """Words and marks with blanks between them; without, where that is allowed and drawn."""
        line = words[0]
        for before, word in pairwise(words):
            run_together = BARE.match(word) and BARE.fullmatch(before[-1])
            line += draw(blanks) if run_together or draw(st.booleans()) else ""
            line += word
        return line

    def name(text: str, *taken: str) -> str:
        if BARE.fullmatch(text) and text not in taken and draw(st.booleans()):
            return text
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def number(value: Fraction) -> str:
        scaled = value * 1000
        ways = [f"{value.numerator * 3}/{value.denominator * 3}", str(value)]
        if scaled.denominator == 1:
            ways += [f"{scaled.numerator}e-3", f"{'-' if value < 0 else '+'}{float(abs(value))}"]
        return draw(st.sampled_from(ways))

    def noise(of: Noise) -> list[str]:
        if of.mu == 0 and draw(st.booleans()):
            return ["[", number(of.d), "]"]
        return ["[", number(of.d), ",", number(of.mu), "]"]

    def state_line(position: int) -> str:
        state = automaton.states[position]
        words = ["state", name(state.name)]
        if position == automaton.initial and (position > 0 or draw(st.booleans())):
            words.append("initial")
        words += ["input"] if state.reads_input else []
        return parts(*words, *noise(state.noise), *([] if state.second is None else noise(state.second)))

    def transition_line(move: Transition) -> str:
        source = name(automaton.states[move.source].name, "state")
        target = name(automaton.states[move.target].name)
        guard = {TRUE: ["true"], LESS: ["insample", "<", "x"], AT_LEAST: ["insample", ">=", "x"]}[move.guard]
        output = (
            move.output.value if isinstance(move.output, Real) else name(move.output, "insample", "insample'")
        )
        assignment = ["x", ":=", "insample"] if move.assigns else []
        return parts(source + " ", "->", target, *guard, "/", output, *assignment)

    states = [state_line(position) for position in range(len(automaton.states))]
    moves = [transition_line(move) for move in automaton.transitions]
    header = parts("dipa", name(automaton.name)) if automaton.name or draw(st.booleans()) else "dipa"
    lines = [header]
    while states or moves:
        lines.append((states if not moves or (states and draw(st.booleans())) else moves).pop(0))
    ends = st.sampled_from(("\n", "\r\n", " \n", "# state q [1]\n", ' # "\n', "\n\n \t\n# x\n"))
    begins = st.sampled_from(("", "", " ", "\t"))
    text = "".join(draw(begins) + line + draw(ends) for line in lines)
    return draw(st.sampled_from(("", "\n", "# first\n\n"))) + text
