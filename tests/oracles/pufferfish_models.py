"""Hypothesis strategies for small hidden Markov models with a scenario, small enough to look at every word.

Two to four states, some of which halt; two or three observations while a run goes on, up to two at its end.
Rows are sparse, and in some models observations as well, so that many words are impossible, on one side or on
both; in others every state shows everything, and ratios are finite. Sides of pairs are states, initial
distributions, and secrets under one or two priors; a pair counts in both directions or in one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from bdist.pufferfish.model import (
    Case,
    HiddenMarkovModel,
    HiddenState,
    Initial,
    Neighbours,
    Pair,
    Prior,
    Range,
    Scenario,
)
from bdist.pufferfish.polynomials import Entry, Polynomial, Quotient
from tests.oracles.hidden_models import distributions
from tests.oracles.pufferfish_words import directed

GOING = ("a", "b", "c")
LAST = ("x", "y")
SECRETS = ("ill", "well")
RANGES = ((Fraction(0), Fraction(1)), (Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 10), Fraction(3)))

Shares = Callable[[int], list[Entry]]


@dataclass(frozen=True)
class Asked:
    """A model with one scenario, and the pairs that it asks about."""

    model: HiddenMarkovModel
    pairs: tuple[Pair, ...]


@st.composite
def small_models(
    draw: st.DrawFn, parameters: int = 0, halting: bool | None = None, max_states: int = 4
) -> Asked:
    """A model with a scenario; with halting states, without, or either; shrinks to few and equal entries."""
    letters = ("p", "q")[:parameters]
    ranges = tuple(Range(name, *draw(st.sampled_from(RANGES))) for name in letters)
    small = [number for number, each in enumerate(ranges) if each.high <= 1]
    count = draw(st.integers(2, max_states))
    ends = set()
    if halting is not False:
        ends = draw(st.sets(st.integers(0, count - 1), min_size=int(bool(halting)), max_size=count - 1))

    def shares(many: int) -> list[Entry]:
        if parameters:
            return draw(distributions(many, parameters, small))
        weights = draw(st.lists(st.integers(1, 4), min_size=many, max_size=many))
        return [Fraction(weight, sum(weights)) for weight in weights]

    def some(items: Sequence[int], most: int = 3) -> list[int]:
        return sorted(draw(st.sets(st.sampled_from(items), min_size=1, max_size=most)))

    def row() -> tuple[tuple[int, Entry], ...]:
        targets = some(range(count))
        return tuple(zip(targets, shares(len(targets)), strict=True))

    everything = draw(st.booleans())
    alphabet = GOING[: draw(st.integers(2, 3))]
    states = []
    for number in range(count):
        names = LAST if number in ends else alphabet
        shown = list(names) if everything else [names[index] for index in some(range(len(names)))]
        entries = tuple(zip(shown, shares(len(shown)), strict=True))
        states.append(HiddenState(f"s{number}", entries, None if number in ends else row()))
    initials = tuple(Initial(name, row()) for name in ("A", "B")[: draw(st.integers(0, 2))])
    sides = [state.name for state in states] + [initial.name for initial in initials]
    possible = [(one, two) for number, one in enumerate(sides) for two in sides[number + 1 :]]
    chosen = draw(st.lists(st.sampled_from(possible), min_size=1, max_size=2, unique=True))
    priors: tuple[Prior, ...] = ()
    if draw(st.booleans()):
        chosen.append(SECRETS)
        priors = tuple(
            Prior(name, _cases(draw, count, shares))
            for name in ("believed", "feared")[: draw(st.integers(1, 2))]
        )
    neighbours = tuple(Neighbours(*pair, draw(st.booleans())) for pair in chosen)
    scenario = Scenario("asked", neighbours, priors)
    model = HiddenMarkovModel(tuple(states), ranges, initials, (scenario,))
    return Asked(model, tuple(directed(scenario, SECRETS)))


def _cases(draw: st.DrawFn, count: int, shares: Shares) -> tuple[Case, ...]:
    """Every secret is true somewhere; both may be, or none."""
    kinds = st.sampled_from([(), ("ill",), ("well",), SECRETS])
    others = draw(st.lists(st.tuples(st.integers(0, count - 1), kinds), max_size=2))
    both = [(draw(st.integers(0, count - 1)), (secret,)) for secret in SECRETS]
    cases = list(dict.fromkeys([*both, *others]))
    return tuple(Case(*case, share) for case, share in zip(cases, shares(len(cases)), strict=True))


@st.composite
def points(draw: st.DrawFn, model: HiddenMarkovModel) -> dict[str, Fraction]:
    """Values of all parameters, inside of their ranges."""
    parts = st.integers(1, 11)
    return {
        each.name: each.low + (each.high - each.low) * Fraction(draw(parts), 12) for each in model.parameters
    }


def one_parameter(low: int, high: int, first: dict[int, Fraction], second: dict[int, Fraction]) -> Asked:
    """Two states that halt, with these polynomials in p as the probability of x, and y for the rest."""

    def entry(terms: dict[int, Fraction]) -> Quotient:
        kept = tuple(((power,), value) for power, value in sorted(terms.items()) if value)
        return Quotient(Polynomial(kept), Polynomial((((0,), Fraction(1)),)))

    def state(name: str, shown: dict[int, Fraction]) -> HiddenState:
        rest = {power: -value for power, value in shown.items()}
        rest[0] = rest.get(0, Fraction(0)) + 1
        return HiddenState(name, (("x", entry(shown)), ("y", entry(rest))), None)

    model = HiddenMarkovModel(
        (state("one", first), state("two", second)),
        (Range("p", Fraction(low), Fraction(high)),),
        scenarios=(Scenario("asked", (Neighbours("one", "two", False),)),),
    )
    return Asked(model, (Pair("one", "two"),))


# x has the ratio 3p / (p^2 + 2), which is largest, 3 / sqrt 8 = 1.0606..., at p = sqrt 2;
# y has 3 / (2 + p), which is less than 1
INSIDE = one_parameter(1, 2, {1: Fraction(1, 2)}, {2: Fraction(1, 6), 0: Fraction(1, 3)})

# words that both can show: none, as one halts with what the other never begins with
NOTHING_IN_COMMON = Asked(
    HiddenMarkovModel(
        (
            HiddenState("s0", (("x", Fraction(1)),), None),
            HiddenState("s1", (("a", Fraction(1)),), ((0, Fraction(1)),)),
        ),
        scenarios=(Scenario("asked", (Neighbours("s0", "s1", False),)),),
    ),
    (Pair("s0", "s1"),),
)
