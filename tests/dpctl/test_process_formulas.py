"""Compound and nested formulas of dpCTL* on random processes, against the definitions.

The oracle below lists things: all histories for the best scheduler of a bounded formula, all sequences of
queries, all choices of an action for each state for an until. What cannot be decided by listing, D of an
until, has the three values that the documentation promises: violated if a single query, repeated, tells two
neighbours apart, true by Proposition 2, and unknown otherwise.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from bdist import LabelledMarkovChain, dpctl
from bdist.budget import Budget, StopSign
from bdist.chains.formats.propositions import propositions_of
from bdist.dpctl.formulas import (
    And,
    Atom,
    Comparison,
    Formula,
    Next,
    Not,
    Private,
    Probability,
    Truth,
    Until,
    is_state_formula,
)
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.exact.epsilon import Epsilon
from bdist.results import Answer
from tests.dpctl.test_processes import horizon, random_process

PAIRS = [("s0", "s1"), ("s1", "s2")]
Value = bool | None
ANSWERS = {True: Answer.HOLDS, False: Answer.VIOLATED, None: Answer.UNKNOWN}


class Oracle:
    """The three values of state formulas, by states."""

    def __init__(self, process: MarkovDecisionProcess, pairs: list[tuple[str, str]]) -> None:
        self.process = process
        self.states = range(len(process.states))
        numbers = [(process.index(s), process.index(t)) for s, t in pairs]
        self.known: dict[Formula, list[Value]] = {}
        self.chains: dict[tuple[Formula, tuple[int, ...]], list[Fraction]] = {}
        self.pairs = [*numbers, *((t, s) for s, t in numbers)]

    def values(self, formula: Formula) -> list[Value]:
        if formula not in self.known:
            self.known[formula] = self.evaluated(formula)
        return self.known[formula]

    def evaluated(self, formula: Formula) -> list[Value]:
        if isinstance(formula, Truth):
            return [True for _ in self.states]
        if isinstance(formula, Atom):
            return [formula.name in propositions_of(label) for label in self.process.labels]
        if isinstance(formula, Not):
            return [None if value is None else not value for value in self.values(formula.inner)]
        if isinstance(formula, And):
            both = zip(self.values(formula.left), self.values(formula.right), strict=True)
            return [False if False in two else None if None in two else True for two in both]
        assert isinstance(formula, Private | Probability)
        path = self.with_sets(formula.inner)
        if path is None:
            return [None for _ in self.states]
        if isinstance(formula, Private):
            return [self.private(formula, path, s) for s in self.states]
        low, high = self.extremes(path)
        compare = {
            Comparison.LESS: lambda s: high[s] < formula.bound,
            Comparison.AT_MOST: lambda s: high[s] <= formula.bound,
            Comparison.AT_LEAST: lambda s: low[s] >= formula.bound,
            Comparison.MORE: lambda s: low[s] > formula.bound,
        }
        return [compare[formula.comparison](s) for s in self.states]

    def with_sets(self, formula: Formula) -> Formula | None:
        """The formula with a proposition for each state in place of state formulas: 0, 1, 2 or none."""
        if is_state_formula(formula):
            values = self.values(formula)
            if None in values:
                return None
            members = [Not(Atom(str(s))) for s in self.states if values[s]]
            inside: Formula = Truth()
            for member in members:
                inside = And(inside, member)
            return Not(inside)
        if isinstance(formula, Not | Next):
            inner = self.with_sets(formula.inner)
            return None if inner is None else type(formula)(inner)
        assert isinstance(formula, And | Until)
        left, right = self.with_sets(formula.left), self.with_sets(formula.right)
        if left is None or right is None:
            return None
        return And(left, right) if isinstance(formula, And) else Until(left, right, formula.bound)

    def extremes(self, path: Formula) -> tuple[list[Fraction], list[Fraction]]:
        if self.is_until(path):
            choices = product(range(len(self.process.actions)), repeat=len(self.states))
            found = list(zip(*(self.on_chain(path, choice) for choice in choices), strict=True))
            return [min(values) for values in found], [max(values) for values in found]
        steps = horizon(path)

        def best(run: tuple[int, ...], largest: bool) -> Fraction:
            if len(run) > steps:
                return Fraction(true_of(path, run))
            means = [
                sum((p * best((*run, t), largest) for t, p in row), Fraction(0))
                for row in self.process.rows[run[-1]]
            ]
            return max(means) if largest else min(means)

        return [best((s,), False) for s in self.states], [best((s,), True) for s in self.states]

    def private(self, formula: Private, path: Formula, state: int) -> Value:
        alpha, d = formula.epsilon.alpha_down(), formula.delta
        ordered = [pair for pair in self.pairs if state in pair]
        if not self.is_until(path):
            sequences = product(range(len(self.process.actions)), repeat=horizon(path))
            found = [[likely(self.process, path, s, actions) for s in self.states] for actions in sequences]
            return all(values[s] <= alpha * values[t] + d for values in found for s, t in ordered)
        single = [self.on_chain(path, [a] * len(self.states)) for a in range(len(self.process.actions))]
        if any(values[s] > alpha * values[t] + d for values in single for s, t in ordered):
            return False
        low, high = self.extremes(path)
        return True if all(high[s] <= alpha * low[t] + d for s, t in ordered) else None

    def is_until(self, path: Formula) -> bool:
        until = path.inner if isinstance(path, Not) else path
        return isinstance(until, Until) and until.bound is None

    def on_chain(self, path: Formula, choice: Sequence[int]) -> list[Fraction]:
        key = path, tuple(choice)
        if key not in self.chains:
            rows = tuple(self.process.rows[s][choice[s]] for s in self.states)
            names = self.process.states
            chain = LabelledMarkovChain(names, tuple(str(s) for s in self.states), rows)
            values = dpctl.probabilities(chain, path).values
            self.chains[key] = [values[name] for name in names]
        return self.chains[key]


def likely(process: MarkovDecisionProcess, path: Formula, start: int, actions: Sequence[int]) -> Fraction:
    runs = [((start,), Fraction(1))]  # type: list[tuple[tuple[int, ...], Fraction]]
    for action in actions:
        runs = [((*run, t), p * q) for run, p in runs for t, q in process.rows[run[-1]][action]]
    return sum((p for run, p in runs if true_of(path, run)), Fraction(0))


@cache
def true_of(formula: Formula, run: tuple[int, ...]) -> bool:
    if isinstance(formula, Truth):
        return True
    if isinstance(formula, Atom):
        return formula.name == str(run[0])
    if isinstance(formula, Not):
        return not true_of(formula.inner, run)
    if isinstance(formula, And):
        return true_of(formula.left, run) and true_of(formula.right, run)
    if isinstance(formula, Next):
        return true_of(formula.inner, run[1:])
    assert isinstance(formula, Until)
    assert formula.bound is not None
    for steps in range(formula.bound + 1):
        if true_of(formula.right, run[steps:]):
            return True
        if not true_of(formula.left, run[steps:]):
            return False
    return False


def random_state_formula(draw: random.Random, depth: int) -> Formula:
    kind = draw.randint(0, 5)
    if depth == 0 or kind == 0:
        return Atom(draw.choice("ab"))
    if kind == 1:
        return Not(random_state_formula(draw, depth - 1))
    if kind == 2:
        return And(random_state_formula(draw, depth - 1), random_state_formula(draw, depth - 1))
    path = random_path(draw, depth - 1)
    if kind == 3:
        bound = draw.choice([Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)])
        return Probability(draw.choice(list(Comparison)), bound, path)
    alpha = draw.choice([Fraction(1), Fraction(2), Fraction(4)])
    return Private(Epsilon(None, alpha), draw.choice([Fraction(0), Fraction(1, 4)]), path)


def random_path(draw: random.Random, depth: int) -> Formula:
    one, two = random_state_formula(draw, depth), random_state_formula(draw, depth)
    forms: list[Formula] = [Next(one), Next(And(one, Next(two))), Until(one, two, 2)]
    forms += [Not(Until(one, Next(two), 1)), Until(one, two), Not(Until(one, two))]
    return draw.choice(forms)


def random_crossing(draw: random.Random) -> MarkovDecisionProcess:
    """Two states that look the same, a goal and a trap: what one action favours the other need not."""
    one, rows = Fraction(1), []
    for state in ("s0", "s1"):
        moves = {}
        for action in ("u", "v"):
            weights = [draw.randint(1, 5) for _ in range(3)]
            targets = (draw.choice(["s0", "s1"]), "s2", "s3")
            moves[action] = {t: Fraction(w, sum(weights)) for t, w in zip(targets, weights, strict=True)}
        rows.append((state, "a", moves))
    for state, label in (("s2", "b"), ("s3", "c")):
        rows.append((state, label, {action: {state: one} for action in ("u", "v")}))
    return MarkovDecisionProcess.from_rows(["u", "v"], rows)


def random_with_an_until(draw: random.Random) -> Formula:
    """D of an until, which is unknown now and then, by itself or inside."""
    before: list[Formula] = [Truth(), Atom("a"), Not(And(Not(Atom("a")), random_state_formula(draw, 1)))]
    until = Until(draw.choice(before), Atom("b"))
    alpha, delta = draw.choice([Fraction(1), Fraction(3, 2), Fraction(2)]), Fraction(draw.randint(0, 4), 12)
    path: list[Formula] = [until, Not(until)]
    private = Private(Epsilon(None, alpha), delta, draw.choice(path))
    other = random_state_formula(draw, 2)
    nested = Probability(Comparison.AT_LEAST, Fraction(1, 3), Next(private))
    forms: list[Formula] = [And(private, other), Not(And(Not(private), other)), nested, And(nested, other)]
    return draw.choice(forms)


def assert_as_by_definition(
    process: MarkovDecisionProcess, formula: Formula, pairs: list[tuple[str, str]]
) -> set[Answer]:
    oracle = Oracle(process, pairs)
    expected = dict(zip(process.states, oracle.values(formula), strict=True))
    checked = dpctl.check_process(process, formula, pairs)  # which checks its certificate, too
    assert checked.answers == {state: ANSWERS[value] for state, value in expected.items()}
    assert set(checked.witnesses) == {state for state, value in expected.items() if value is False}
    assert set(checked.reasons) == {state for state, value in expected.items() if value is None}
    for state, witness in checked.witnesses.items():
        assert oracle.values(witness.part)[process.index(state)] is False
    return set(checked.answers.values())


@pytest.mark.parametrize("seed", range(50))
def test_compound_formulas_have_the_values_of_the_definitions(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    process, formula = random_process(draw), random_state_formula(draw, 4)
    while isinstance(formula, Atom):
        formula = random_state_formula(draw, 4)
    assert_as_by_definition(process, formula, PAIRS)


def test_formulas_that_are_not_always_decided() -> None:
    answers = []
    for seed in range(40):
        draw = random.Random(seed)  # noqa: S311
        process, formula = random_crossing(draw), random_with_an_until(draw)
        answers.append(assert_as_by_definition(process, formula, PAIRS[:1]))
    assert sum(Answer.UNKNOWN in found for found in answers) >= 5
    assert sum(Answer.HOLDS in found for found in answers) >= 5
    assert sum(Answer.VIOLATED in found for found in answers) >= 5


def test_a_failure_names_the_part_the_neighbour_and_the_queries() -> None:
    process = random_process(random.Random(3))  # noqa: S311
    checked = dpctl.check_process(process, "D[eps=ln 100] (X a) & !b & !!P>=1 [X X a]", PAIRS)
    assert dpctl.text_of(checked.witnesses["s1"].part) in ("!b", "D[eps=ln 100, delta=0] (X a)")
    strict = dpctl.check_process(process, "true & D[eps=0] (X a)", PAIRS)
    assert Answer.VIOLATED in strict.answers.values()
    for state, witness in strict.witnesses.items():
        assert dpctl.text_of(witness.part) == "D[eps=0, delta=0] (X a)"
        assert witness.neighbour in {s for pair in PAIRS if state in pair for s in pair} - {state}
        assert (len(witness.actions), len(witness.probabilities)) == (1, 2)


def test_what_is_not_decided_inside_is_not_decided_outside() -> None:
    process = random_process(random.Random(1))  # noqa: S311
    checked = dpctl.check_process(process, "P>=1/2 [X D[eps=0] (G F a)]", PAIRS)
    assert set(checked.answers.values()) == {Answer.UNKNOWN}
    expected = "'D[eps=0, delta=0] (G F a)', inside of another formula, is not decided in s0: 'G F a': on"
    assert checked.reasons["s2"].startswith(expected)
    either = dpctl.check_process(process, "(a | b | c) | P>=1/2 [X D[eps=0] (G F a)]", PAIRS)
    assert set(either.answers.values()) == {Answer.HOLDS}
    neither = dpctl.check_process(process, "!(a | b | c) & P>=1/2 [X D[eps=0] (G F a)]", PAIRS)
    assert set(neither.answers.values()) == {Answer.VIOLATED}


def test_an_exhausted_budget_leaves_everything_unknown() -> None:
    stop = StopSign()
    stop.set()
    process = random_process(random.Random(1))  # noqa: S311
    checked = dpctl.check_process(process, "D[eps=0] (X a) | P>=1/2 [F b]", PAIRS, budget=Budget(stop=stop))
    unknown = [state for state, answer in checked.answers.items() if answer is Answer.UNKNOWN]
    assert len(unknown) == 3
    assert checked.reason == "interrupted"


# --- long sequences of queries ---------------------------------------------------------------------------


def waiting_game() -> MarkovDecisionProcess:
    """After each ``ask`` p comes with 1/3 from one state, with 1/2 from the other; ``wait`` does nothing."""
    third, half, one = Fraction(1, 3), Fraction(1, 2), Fraction(1)
    rows = [
        ("yes", "p", {"ask": {"yes": one}, "wait": {"yes": one}}),
        ("slow", "q", {"ask": {"yes": third, "slow": 1 - third}, "wait": {"slow": one}}),
        ("quick", "q", {"ask": {"yes": half, "quick": half}, "wait": {"quick": one}}),
    ]
    return MarkovDecisionProcess.from_rows(["ask", "wait"], rows)


def test_sequences_of_hundreds_of_queries() -> None:
    """Of 2^400 sequences those with two ``ask`` are the worst, at any two times: 4/9 - 1/4."""
    process, pairs, steps = waiting_game(), [("slow", "quick")], 400
    for delta, answer in (("7/36", Answer.HOLDS), ("7/37", Answer.VIOLATED)):
        checked = dpctl.check_process(process, f"D[eps=0, delta={delta}] (F<={steps} p)", pairs)
        assert checked.answer(["slow", "quick"]) is answer
        if answer is Answer.HOLDS:
            longest = max(len(tree) for _, _, tree in checked.certificate.parts[0].trees)
            assert steps < longest < 6 * steps
        else:
            actions = checked.witnesses["slow"].actions
            assert (len(actions), actions.count("ask")) == (steps, 2)


def test_what_is_tight_over_long_sequences() -> None:
    best = dpctl.tight_process(waiting_game(), "D[eps=0] (F<=60 p)", [("slow", "quick")])
    assert best.delta == (Fraction(7, 36), Fraction(7, 36))
    assert best.delta_at is not None
    assert best.delta_at.actions.count("ask") == 2
    assert best.ratio == Fraction(3, 2)  # one ``ask``
    assert best.certificate is not None
