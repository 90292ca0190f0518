"""Families of automata: parametrised generators, ordered as a reader would meet them.

Automata are written down as a ``.dipa`` file has them; only the ladder and random automata, which tests and
benchmarks make by the thousand, count the states themselves. To add one, write its generator, decorate it
with `family` and name it in the table at the end; everything else reads that table, and gives the generator
values within their ranges.

*The sparse vector technique*: which query is the first to exceed a threshold? The threshold gets noise once,
every query gets its own, and only the comparisons are published. However many queries there are, this costs
one epsilon (Dwork and Roth; the running example of Chadha, Sistla and Viswanathan, LICS 2021, and of their
talk): the cycle that says bot is free, and the weight counts the threshold once and the final query twice,

    weight = threshold + 2 query = 1/2 + 2 * 1/4 = 1    with the coefficients of the talk.

Around it are its relatives:

* ``sparse-vector-leaking-threshold`` publishes the noisy threshold as well, for which no budget suffices: the
  talk's example of how subtle this is.
* ``numeric-sparse`` publishes the query that exceeds the threshold, with fresh noise (insample', which has a
  coefficient of its own): threshold + 2 query + answer = 4/9 + 2 * 2/9 + 1/9 = 1 with Dwork and Roth's.
* ``sparse-vectors`` starts again with a fresh threshold after each top, so that budgets add up: blocks * 1.
* ``thresholds`` makes the query that exceeded the threshold the next one, without fresh noise: threshold +
  blocks * 2 query. Each stored value is at least the one before, so all cycles may say *below*. If the last
  one says *above*, it makes a leaking pair with the first: x is known from both sides.

*The two automata of the talk that leak*, whatever the coefficients:

* ``descending-order``: bot as long as the queries descend, top for the first pair in the wrong order. Each
  query is compared with the one before and stored in its place: a *leaking cycle*. Queries -1, -2, -3, -4,
  ... descend surely where epsilon is large, and -2, -1, -4, -3, ... hardly, at distance 1.
* ``below-then-above``: bot while the queries are below a threshold, then top while they are above, and stop
  at the first that is below again. x is known from below and from above: a *leaking pair*.

*The ladder*: automata with any number of transitions, private, with many components, as a benchmark asks for.
A rung draws a fresh threshold and then asks in two states, over and over, until a query falls on the other
side of it; that leads to the next rung.

    draw --true, x := insample--> left --stay--> right --stay--> left       (right and left are one component)
                                   |               |
                                   +----leave------+--> draw of the next rung

In even rungs queries stay *below* the threshold, in odd ones at least at it, so that cycles of both kinds
reach each other; since the assignment between them has guard true, none of it leaks. A rung has three states
and five transitions; what is left of the number asked for are states in front that draw and do not compare.
With r rungs and l states in front (transitions = 5 r + l, l from 1 to 5) the heaviest path leaves every rung,

    weight = l threshold + r (threshold + 2 query),

which is r + l / 2 with the default coefficients. A million transitions have 600,003 states.

*Random automata* for tests, benchmarks and fuzzing: the same parameters give the same automaton everywhere
(`bdist.family` says how), and the assumptions of the model hold by construction. The initial state assigns x
and goes on; every other state is an end, or takes what comes, or, if it reads an input, compares: with both
outcomes, or with one of them, where the other means that the automaton stops.

Drawn without care, nearly all states are in one large component, which assigns and compares, and leaks for
the plainest reason. So transitions lead to later states, but for the shares that stay where they are or go
anywhere. With the default shares somewhat more than half of the automata are private (of 1,000 with 8 states
587), and the others leak in every way there is. Coefficients are drawn from a few, so that weights tie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

from bdist.dipa.automaton import Automaton, ControlState, Guard, Noise, Output, Real, Transition
from bdist.dipa.text import read
from bdist.family import (
    SEED,
    ChoiceParameter,
    Draw,
    Family,
    IntegerParameter,
    RationalParameter,
    by_name,
    family,
    make_named,
)

TRUE, LESS, AT_LEAST = Guard.TRUE, Guard.LESS, Guard.AT_LEAST
STOP = ControlState("stop", False, Noise(Fraction(1)))  # nothing leaves it, so its noise does not matter

_LARGEST = Fraction(10**6)


def coefficient(name: str, default: Fraction, sample: str) -> RationalParameter:
    """The parameter for the scale coefficient d of some sample: its noise is Laplace of scale 1/(d eps)."""
    return RationalParameter(name, default, f"scale coefficient of the noise of {sample}", below=_LARGEST)


def _percent(name: str, default: int, of: str) -> IntegerParameter:
    return IntegerParameter(name, default, f"percent of {of}", least=0, most=100)


THRESHOLD = coefficient("threshold", Fraction(1, 2), "the threshold")
QUERY = coefficient("query", Fraction(1, 4), "a query")
ANSWER = coefficient("answer", Fraction(1, 9), "the answer that is published")
NUMERIC_QUERY = coefficient("query", Fraction(2, 9), "a query in the comparison")
BLOCKS = IntegerParameter("blocks", 2, "how often a query may exceed a threshold", least=1, most=300_000)
LAST = ChoiceParameter(
    "last",
    "below",
    "what repeats in the last block: queries below the threshold, as before, or above, which leaks",
    choices=("below", "above"),
)
TRANSITIONS = IntegerParameter("transitions", 12, "number of transitions, exactly", least=1, most=10_000_000)
STATES = IntegerParameter("states", 8, "number of states", least=1, most=500_000)
INPUTS = _percent("inputs", 70, "states that read an input")
ASSIGNMENTS = _percent("assignments", 15, "transitions that assign x")
REALS = _percent("reals", 10, "states that write a sample")
LOOPS = _percent("loops", 25, "transitions that stay in their state")
BACKWARD = _percent("backward", 10, "the other transitions that may go anywhere, not only on")

_OF_A_RUNG = 5

_COEFFICIENTS = tuple(Noise(Fraction(d)) for d in ("1/4", "1/2", "1/3", "1", "2"))
_OFFSETS = tuple(Fraction(mu) for mu in ("-1", "1/2", "3"))
_SYMBOLS = ("a", "b", "c")
_FARTHEST = 3  # states that a transition goes on, at most
_BOTH = (LESS, AT_LEAST)
_INPUT_GUARDS: tuple[tuple[Guard, ...], ...] = ((), (TRUE,), (LESS,), (AT_LEAST,), _BOTH, _BOTH, _BOTH, _BOTH)
_NON_INPUT_GUARDS: tuple[tuple[Guard, ...], ...] = ((), (TRUE,), (TRUE,), (TRUE,), (TRUE,))


# --- the sparse vector technique ------------------------------------------------------------------------


@family(
    "sparse-vector",
    "the sparse vector technique: the first query that exceeds a threshold; weight 1",
    *(THRESHOLD, QUERY),
)
def sparse_vector(threshold: Fraction, query: Fraction) -> Automaton:
    """The automaton of the talk: private, of weight threshold + 2 query."""
    return _one_block("sparse-vector", threshold, query, "bot")


@family(
    "sparse-vector-leaking-threshold",
    "sparse vector that publishes its noisy threshold; not private",
    *(THRESHOLD, QUERY),
)
def leaking_threshold(threshold: Fraction, query: Fraction) -> Automaton:
    """The same with the noisy threshold published: not private, whatever the coefficients."""
    return _one_block("sparse-vector-leaking-threshold", threshold, query, "insample")


def _one_block(name: str, threshold: Fraction, query: Fraction, first: str) -> Automaton:
    return read(f"""dipa {name}
        state q0 [{threshold}]
        state q1 input [{query}]
        state stop [1]
        q0 -> q1 true / {first} x := insample
        q1 -> q1 insample < x / bot
        q1 -> stop insample >= x / top""")


# --- the leaks of the talk --------------------------------------------------------------------------------


@family("descending-order", "bot while queries descend; not private: a leaking cycle", QUERY)
def descending_order(query: Fraction) -> Automaton:
    """Queries in descending order: not private, by a leaking cycle."""
    return read(f"""dipa descending-order
        state q0 input [{query}]
        state q1 input [{query}]
        state stop [1]
        q0 -> q1 true / bot x := insample
        q1 -> q1 insample < x / bot x := insample
        q1 -> stop insample >= x / top""")


@family(
    "below-then-above",
    "queries below a threshold, then above it; not private: a leaking pair",
    *(THRESHOLD, QUERY),
)
def below_then_above(threshold: Fraction, query: Fraction) -> Automaton:
    """Queries below a threshold, then above it: not private, by a leaking pair."""
    return read(f"""dipa below-then-above
        state q0 [{threshold}]
        state q1 input [{query}]
        state q2 input [{query}]
        state stop [1]
        q0 -> q1 true / bot x := insample
        q1 -> q1 insample < x / bot
        q1 -> q2 insample >= x / top
        q2 -> q2 insample >= x / top
        q2 -> stop insample < x / bot""")


# --- relatives of the sparse vector --------------------------------------------------------------------


@family(
    "numeric-sparse",
    "sparse vector that answers the query found, with fresh noise; weight 1",
    *(replace(THRESHOLD, default=Fraction(4, 9)), NUMERIC_QUERY, ANSWER),
)
def numeric_sparse(threshold: Fraction, query: Fraction, answer: Fraction) -> Automaton:
    """The first query that exceeds the threshold is answered, with fresh noise."""
    return read(f"""dipa numeric-sparse
        state q0 [{threshold}]
        state q1 input [{query}] [{answer}]
        state stop [1]
        q0 -> q1 true / bot x := insample
        q1 -> q1 insample < x / bot
        q1 -> stop insample >= x / insample'""")


@family(
    "sparse-vectors",
    "sparse vectors in sequence, each with a fresh threshold; weight blocks",
    *(BLOCKS, THRESHOLD, QUERY),
)
def sparse_vectors(blocks: int, threshold: Fraction, query: Fraction) -> Automaton:
    """Sparse vectors in sequence, with fresh thresholds: private, of weight blocks (threshold + 2 query)."""
    states, arrows = ["dipa sparse-vectors"], []
    for block in range(blocks):
        after = f"draw{block + 1}" if block < blocks - 1 else "stop"
        states += [f"state draw{block} [{threshold}]", f"state ask{block} input [{query}]"]
        arrows += [
            f"draw{block} -> ask{block} true / next x := insample",
            f"ask{block} -> ask{block} insample < x / bot",
            f"ask{block} -> {after} insample >= x / top",
        ]
    return read("\n".join([*states, "state stop [1]", *arrows]))


@family(
    "thresholds",
    "the query that exceeds a threshold is the next threshold; private while all repeat below",
    *(BLOCKS, THRESHOLD, QUERY, LAST),
)
def thresholds(blocks: int, threshold: Fraction, query: Fraction, last: str) -> Automaton:
    """Each query that exceeds the threshold is the next one: private iff ``last`` is below or there is only
    one block, and then of weight threshold + 2 blocks query.
    """
    states = ["dipa thresholds", f"state draw [{threshold}]"]
    states += [f"state ask{block} input [{query}]" for block in range(blocks)]
    arrows = ["draw -> ask0 true / next x := insample"]
    for block in range(blocks):
        is_last = block == blocks - 1
        stay, leave = (">=", "<") if last == "above" and is_last else ("<", ">=")
        onward = "stop" if is_last else f"ask{block + 1}"
        store = "" if is_last else " x := insample"
        arrows.append(f"ask{block} -> ask{block} insample {stay} x / bot")
        arrows.append(f"ask{block} -> {onward} insample {leave} x / top{store}")
    return read("\n".join([*states, "state stop [1]", *arrows]))


# --- random automata --------------------------------------------------------------------------------------


@family(
    "random-automaton",
    "random automata, reproducible from their seed",
    *(STATES, SEED, INPUTS, ASSIGNMENTS, REALS, LOOPS, BACKWARD),
)
def random_automaton(
    states: int, seed: int, inputs: int, assignments: int, reals: int, loops: int, backward: int
) -> Automaton:
    """A random automaton with states q0, q1, ... and symbols a, b, c, a function of its parameters alone."""
    draw = Draw(seed)

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
        shapes = _INPUT_GUARDS if reads_input else _NON_INPUT_GUARDS
        guards = (TRUE,) if number == 0 else shapes[draw.below(len(shapes))]
        outputs = _random_outputs(draw, len(guards), happens(reals))
        moves += [
            Transition(number, target(number), guard, output, number == 0 or happens(assignments))
            for guard, output in zip(guards, outputs, strict=True)
        ]
        second = _random_noise(draw) if Real.SECOND in outputs else None
        declared.append(ControlState(f"q{number}", reads_input, _random_noise(draw), second))
    return Automaton(tuple(declared), tuple(moves), 0, f"random-automaton-{seed}")


def _random_outputs(draw: Draw, count: int, one_is_real: bool) -> list[Output]:
    """Different symbols for the transitions of a state, one of them replaced by a sample if wanted."""
    outputs: list[Output] = [_SYMBOLS[place] for place in draw.shuffled([*range(len(_SYMBOLS))])[:count]]
    if outputs and one_is_real:
        outputs[draw.below(count)] = (Real.SAMPLE, Real.SECOND)[draw.below(2)]
    return outputs


def _random_noise(draw: Draw) -> Noise:
    noise = _COEFFICIENTS[draw.below(len(_COEFFICIENTS))]
    return Noise(noise.d, _OFFSETS[draw.below(len(_OFFSETS))]) if draw.below(4) == 0 else noise


# --- the ladder -------------------------------------------------------------------------------------------


@family(
    "automaton-ladder",
    "private automata of any size with many components, for benchmarks",
    *(TRANSITIONS, THRESHOLD, QUERY),
)
def automaton_ladder(transitions: int, threshold: Fraction, query: Fraction) -> Automaton:
    """A ladder with that many transitions."""
    drawing, comparing = Noise(threshold), Noise(query)
    rungs, rest = divmod(transitions - 1, _OF_A_RUNG)
    states = [ControlState(f"front{k}", False, drawing) for k in range(rest + 1)]
    moves = [Transition(k, k + 1, TRUE, "next", assigns=k == 0) for k in range(rest + 1)]
    for rung in range(rungs):
        draw = len(states)
        left, right, following = draw + 1, draw + 2, draw + 3
        stay, leave = (LESS, AT_LEAST) if rung % 2 == 0 else (AT_LEAST, LESS)
        states += [
            ControlState(f"draw{rung}", False, drawing),
            ControlState(f"left{rung}", True, comparing),
            ControlState(f"right{rung}", True, comparing),
        ]
        moves += [
            Transition(draw, left, TRUE, "next", assigns=True),
            Transition(left, right, stay, "bot", assigns=False),
            Transition(left, following, leave, "top", assigns=False),
            Transition(right, left, stay, "bot", assigns=False),
            Transition(right, following, leave, "top", assigns=False),
        ]
    return Automaton((*states, STOP), tuple(moves), 0, f"ladder-{transitions}")


# --- all of them ---

AUTOMATA: Mapping[str, Family[Automaton]] = by_name(
    (
        *(sparse_vector, leaking_threshold, descending_order, below_then_above, numeric_sparse),
        *(sparse_vectors, thresholds, random_automaton, automaton_ladder),
    )
)
make_automaton = partial(make_named, AUTOMATA, "automata")
