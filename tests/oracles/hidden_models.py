"""Hypothesis strategies for hidden Markov models, the ways in which one may be written down, and their runs.

The models have everything that the format knows: states that halt and states that go on, initial
distributions, scenarios with priors, secrets and pairs of all kinds, names that are a trial for any format;
with parameters also polynomials and quotients, whose denominators are positive on the ranges, as entries.
Entries are few, so that they coincide.

A text of a model is spelled as freely as the format allows: blanks, comments, quotes that are not needed,
lines that go on, numbers as products and decimals, entries that are 0. It is made part by part from the
grammar, and shares nothing with the writer or the reader.

Ratios of words are computed by definition, along all runs at once, at given parameter values.

All shrink towards little: one state, plain names, probability 1, single blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

from bdist.exact.epsilon import Epsilon
from bdist.pufferfish.model import (
    Case,
    HiddenMarkovModel,
    HiddenState,
    Initial,
    Lengths,
    Neighbours,
    Pair,
    Prior,
    Range,
    Scenario,
    Words,
)
from bdist.pufferfish.polynomials import Entry, Polynomial, Quotient

AWKWARD = (
    *(
        "parameter",
        "initial",
        "scenario",
        "prior",
        "pair",
        "words",
        "epsilon",
        "length",
        "hmm",
        "p",
        "q",
        "in",
    ),
    *("->", "-", "+", "a->", ">", "1", "1/2", "1-p", "(1-p)", "ln", "any", "all", "1..2", "", " ", "a b"),
    *(
        'say "hi"',
        "\\",
        '\\"',
        "\\n",
        '"',
        "#",
        "# x",
        "[x]",
        ",",
        "'",
        "naïve \u2028 日本",
        "\u00a0",
        "\x85",
    ),
)
BARE = re.compile(r"[A-Za-z0-9_.'+-]+")
OTHERS = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc")), max_size=6)
NAMES = st.sampled_from(("a", "b", "s0", "s1")) | st.sampled_from(AWKWARD) | OTHERS
NUMBERS = tuple(Fraction(n) for n in ("1", "1/2", "2", "1/3", "7/5"))
RANGES = (
    (Fraction(0), Fraction(1)),
    (Fraction(1, 4), Fraction(1, 2)),
    (Fraction(1, 10), Fraction(3)),
)

Terms = dict[tuple[int, ...], Fraction]


def _product(left: Terms, right: Terms) -> Terms:
    result: Terms = {}
    for one, a in left.items():
        for two, b in right.items():
            key = tuple(i + j for i, j in zip(one, two, strict=True))
            result[key] = result.get(key, Fraction(0)) + a * b
    return {key: value for key, value in result.items() if value}


def _entry(above: Terms, below: Terms) -> Entry:
    """The normal form of a quotient with a denominator whose coefficients are positive."""
    if all(not any(key) for key in below):
        (divisor,) = below.values()
        above = {key: value / divisor for key, value in above.items()}
        below = {next(iter(below)): Fraction(1)}
        if all(not any(key) for key in above):
            return next(iter(above.values()))
    leading = below[max(below)]
    return Quotient(
        *(Polynomial(tuple(sorted((k, v / leading) for k, v in part.items()))) for part in (above, below))
    )


@st.composite
def distributions(draw: st.DrawFn, count: int, parameters: int, small: Sequence[int]) -> list[Entry]:
    """So many entries that sum to 1 for all parameter values; those with small numbers are at most 1."""
    constant = (0,) * parameters
    if count == 2 and small and draw(st.booleans()):
        axis = draw(st.sampled_from(small))
        power = tuple(int(i == axis) for i in range(parameters))
        one = {constant: Fraction(1)}
        return [_entry({power: Fraction(1)}, one), _entry({**one, power: Fraction(-1)}, one)]
    weights: list[Terms] = []
    for _ in range(count):
        weight = {constant: draw(st.sampled_from(NUMBERS))}
        if parameters and draw(st.booleans()):
            axis = draw(st.integers(0, parameters - 1))
            power = tuple(draw(st.integers(1, 2)) if i == axis else 0 for i in range(parameters))
            weight = {power: draw(st.sampled_from(NUMBERS)), **(weight if draw(st.booleans()) else {})}
        weights.append(weight)
    total: Terms = {}
    for weight in weights:
        for key, value in weight.items():
            total[key] = total.get(key, Fraction(0)) + value
    return [Fraction(1)] if count == 1 else [_entry(weight, total) for weight in weights]


@st.composite
def hidden_models(
    draw: st.DrawFn, parametric: bool = False, max_states: int = 4, names: st.SearchStrategy[str] = NAMES
) -> HiddenMarkovModel:
    """A valid model with at most that many states, with parameters p and q if it is parametric."""
    letters = draw(st.sampled_from((("p",), ("q", "p"), ("p", "q")))) if parametric else ()
    ranges = tuple(
        Range(name, *draw(st.sampled_from(RANGES)), draw(st.booleans()), draw(st.booleans()))
        for name in letters
    )
    order = sorted(letters)
    small = [order.index(parameter.name) for parameter in ranges if parameter.high <= 1]
    chosen = draw(st.lists(names, min_size=1, max_size=max_states + 4, unique=True))
    count = draw(st.integers(1, min(len(chosen), max_states)))
    others = chosen[count:]
    secrets = others[: draw(st.integers(0, len(others)))]
    starts = others[len(secrets) :]
    seen = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    last = seen[draw(st.integers(1, len(seen) - 1)) :]
    going = seen[: len(seen) - len(last)]

    def shares(items: Sequence[object]) -> list[Entry]:
        return draw(distributions(len(items), len(letters), small))

    def some(items: Sequence[int]) -> list[int]:
        return draw(st.lists(st.sampled_from(items), min_size=1, max_size=3, unique=True))

    def row() -> tuple[tuple[int, Entry], ...]:
        targets = some(range(count))
        return tuple(zip(targets, shares(targets), strict=True))

    states = []
    for name in chosen[:count]:
        halts = draw(st.booleans())
        shown = draw(st.lists(st.sampled_from(last if halts else going), min_size=1, max_size=3, unique=True))
        observations = tuple(zip(shown, shares(shown), strict=True))
        states.append(HiddenState(name, observations, None if halts else row()))
    initials = tuple(Initial(name, row()) for name in starts)
    scenarios = []
    prior_names = iter(draw(st.lists(names, min_size=4, max_size=4, unique=True)))
    for title in draw(st.lists(names, max_size=2, unique=True)):
        priors: tuple[Prior, ...] = ()
        pairs: list[tuple[str, str]] = [*pairwise((*chosen[:count], *starts))]
        if len(secrets) >= 2 and draw(st.booleans()):
            cases: list[tuple[int, tuple[str, ...]]] = [
                (state, (secret,)) for state, secret in enumerate(secrets[:count])
            ]
            cases += [(0, (secret,)) for secret in secrets[count:]]
            cases += [(0, tuple(sorted(secrets[:2])))] + ([(0, ())] if draw(st.booleans()) else [])
            priors = tuple(
                Prior(name, tuple(Case(*case, e) for case, e in zip(cases, shares(cases), strict=True)))
                for name in (next(prior_names) for _ in range(draw(st.integers(1, 2))))
            )
            pairs += pairwise(secrets)
        if pairs:
            neighbours = draw(
                st.lists(st.tuples(st.sampled_from(pairs), st.booleans()), min_size=1, max_size=3)
            )
            scenarios.append(
                Scenario(
                    title,
                    tuple(Neighbours(*pair, both) for pair, both in neighbours),
                    priors,
                    draw(st.sampled_from(Words)),
                    draw(st.sampled_from((None, *map(Epsilon.of, ("0", "1/2", "ln 2", "ln 3/2", "7"))))),
                    draw(st.sampled_from((None, Lengths(), Lengths(1, 1), Lengths(2, 11)))),
                )
            )
    return HiddenMarkovModel(tuple(states), ranges, initials, tuple(scenarios), draw(names))


# --- texts -----------------------------------------------------------------------------------------------


@st.composite
def texts_of(draw: st.DrawFn, model: HiddenMarkovModel) -> str:
    """A text of the model, in some way that the grammar of ``.hmm`` allows."""
    blanks = st.sampled_from((" ", "  ", "\t", " \r "))
    ring = sorted(parameter.name for parameter in model.parameters)

    def name(text: str) -> str:
        if BARE.fullmatch(text) and draw(st.booleans()):
            return text
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def comma() -> str:
        return draw(st.sampled_from((", ", ",", " ,\t", ",\n  ", ", # go on\n\n# here\n")))

    def number(value: Fraction) -> str:
        ways = [f"{value.numerator * 3}/{value.denominator * 3}", str(value)]
        if (value * 1000).denominator == 1:
            ways += [f"{(value * 1000).numerator}e-3", str(float(value))]
        return draw(st.sampled_from(ways))

    def polynomial(terms: Polynomial) -> str:
        gap = draw(st.sampled_from(("", " ", "\t")))
        parts = []
        for exponents, value in draw(st.permutations(terms.terms)):
            powers = [f"{x}^{e}" for x, e in zip(ring, exponents, strict=True) if e]
            parts.append("*".join([f"({number(value)})", *powers]))
        return f"({gap}" + f"{gap}+{gap}".join(parts) + f"{gap})"

    def share(entry: Entry, target: str) -> str:
        if isinstance(entry, Fraction):
            formula = draw(st.sampled_from((number(entry), f"2*( {number(entry)} )/2", f"+{number(entry)}")))
        else:
            formula = f"{polynomial(entry.numerator)}/{polynomial(entry.denominator)}"
        spelled = name(target)
        return formula + ("" if spelled[0] == '"' and draw(st.booleans()) else draw(blanks)) + spelled

    def row(entries: Sequence[tuple[int, Entry]]) -> str:
        parts = [share(entry, model.states[target].name) for target, entry in entries]
        missing = sorted(set(range(len(model.states))) - {target for target, _ in entries})
        with_zero: bool = draw(st.booleans())
        if missing and with_zero:
            zero = draw(st.sampled_from(("0", "0.0", "(1 - 1)", "0/7")))
            zero += f" {name(model.states[missing[0]].name)}"
            parts.insert(draw(st.integers(0, len(parts))), zero)
        return joined(parts)

    def joined(parts: list[str]) -> str:
        return parts[0] + "".join(comma() + part for part in parts[1:])

    def state(of: HiddenState) -> str:
        if len(of.observations) == 1 and of.observations[0][1] == 1 and draw(st.booleans()):
            shown = name(of.observations[0][0])
        else:
            shown = joined([share(entry, observation) for observation, entry in of.observations])
        arrow = "" if of.row is None else f"{draw(st.sampled_from(('->', ' -> ')))}{row(of.row)}"
        gap = draw(st.sampled_from(("", " ")))
        return f"{name(of.name)}{draw(st.sampled_from(('', ' ')))}[{gap}{shown}{gap}]{arrow}"

    def case(of: Case) -> str:
        secrets = draw(st.permutations(of.secrets))
        listed = f" [{joined([name(secret) for secret in secrets])}]" if secrets else ""
        return share(of.probability, model.states[of.state].name) + listed

    def block(of: Scenario) -> Iterator[str]:
        yield f"scenario {name(of.name)}" if of.name or draw(st.booleans()) else "scenario"
        lines = [
            [f"prior {name(prior.name)} -> {joined(list(map(case, prior.cases)))}" for prior in of.priors]
        ]
        arrows = (" ", " -> ")
        lines.append([f"pair {name(n.first)}{arrows[not n.both]}{name(n.second)}" for n in of.neighbours])
        lines.append([f"words {of.words.value}"] if of.words is Words.COMMON or draw(st.booleans()) else [])
        lines.append([] if of.epsilon is None else [f"epsilon {of.epsilon.text}"])
        lines.append([] if of.lengths is None else [f"length {of.lengths.text.replace('..', ' .. ')}"])
        for group in draw(st.permutations(lines)):
            yield from group

    lines = [f"hmm {name(model.name)}" if model.name or draw(st.booleans()) else "hmm"]
    for parameter in model.parameters:
        ends = f"{number(parameter.low)}{comma()}{number(parameter.high)}"
        left, right = "(["[parameter.has_low], ")]"[parameter.has_high]
        lines.append(f"parameter {parameter.name} in{draw(st.sampled_from(('', ' ')))}{left}{ends} {right}")
    states = [state(of) for of in model.states]
    starts = [f"initial {name(start.name)} -> {row(start.row)}" for start in model.initials]
    while states or starts:
        lines.append((states if not starts or (states and draw(st.booleans())) else starts).pop(0))
    for scenario in model.scenarios:
        lines += block(scenario)
    line_ends = st.sampled_from(("\n", "\r\n", " \n", "# s [x]\n", ' # "\n', "\n\n \t\n# x\n"))
    begins = st.sampled_from(("", "", " ", "\t"))
    text = "".join(draw(begins) + line + draw(line_ends) for line in lines)
    return draw(st.sampled_from(("", "\n", "# first\n\n"))) + text


# --- runs ------------------------------------------------------------------------------------------------

Point = Mapping[str, Fraction]


def value_of(entry: Entry, model: HiddenMarkovModel, at: Point) -> Fraction:
    """The value of an entry at a point."""
    if isinstance(entry, Fraction):
        return entry
    names = sorted(parameter.name for parameter in model.parameters)

    def polynomial(of: Polynomial) -> Fraction:
        result = Fraction(0)
        for exponents, value in of.terms:
            for name, exponent in zip(names, exponents, strict=True):
                value *= at[name] ** exponent
            result += value
        return result

    return polynomial(entry.numerator) / polynomial(entry.denominator)


def start_of(model: HiddenMarkovModel, side: str, prior: str | None, at: Point) -> dict[int, Fraction]:
    """The distribution that a side of a pair means."""
    if prior is None:
        for number, state in enumerate(model.states):
            if state.name == side:
                return {number: Fraction(1)}
        (row,) = (initial.row for initial in model.initials if initial.name == side)
        return {state: value_of(entry, model, at) for state, entry in row}
    (cases,) = (p.cases for scenario in model.scenarios for p in scenario.priors if p.name == prior)
    weights: dict[int, Fraction] = {}
    for case in cases:
        if side in case.secrets:
            weights[case.state] = weights.get(case.state, Fraction(0)) + value_of(case.probability, model, at)
    total = sum(weights.values())
    return {state: weight / total for state, weight in weights.items()}


def word_probability(
    model: HiddenMarkovModel, start: Mapping[int, Fraction], word: Sequence[str], at: Point
) -> Fraction:
    """How likely a run shows a word first."""
    if not word:
        return sum(start.values(), start=Fraction(0))
    after: dict[int, Fraction] = {}
    halted = Fraction(0)
    for number, weight in start.items():
        state = model.states[number]
        shown = weight * value_of(dict(state.observations).get(word[0], Fraction(0)), model, at)
        if shown and state.row is None:
            halted += shown if len(word) == 1 else 0
        elif shown:
            for target, entry in state.row or ():
                after[target] = after.get(target, Fraction(0)) + shown * value_of(entry, model, at)
    return halted + word_probability(model, after, word[1:], at)


def ratio_of(model: HiddenMarkovModel, pair: Pair, word: Sequence[str], at: Point) -> Fraction | None:
    """Pr(word | first) / Pr(word | second); None where it is infinite or neither shows the word."""
    above, below = (
        word_probability(model, start_of(model, side, pair.prior, at), word, at)
        for side in (pair.first, pair.second)
    )
    return None if below == 0 else above / below
