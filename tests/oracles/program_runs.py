"""What programs do, the naive ways, in floating point: run them often, or follow all that may happen.

* `frequencies` runs an expanded program many times at once: a variable is an array with a value for each run,
  and a statement acts on the runs that have come to it. Finite values are floats here, so programs that are
  judged by it had better compute with halves.
* `distribution` is the meaning of a program without real noise: a statement turns a distribution on stores
  into another one. Values are exact, weights are floats; discrete noise is cut off where it is negligible,
  and a loop where next to nothing is left in it.
* `worst_set` tries all sets of outputs.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bdist.dipc.program import (
    Assign,
    Binary,
    Call,
    Choose,
    Declared,
    DiscreteLaplace,
    Epsilon,
    Exit,
    ExponentialMechanism,
    Expression,
    Function,
    If,
    Laplace,
    Number,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
)
from tests.oracles.noise_events import NEGLIGIBLE, discrete_laplace

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Exact = int | Fraction | bool
Outcome = tuple[float, ...]  # an output; true is 1, false is 0
Draw = Assign | Laplace | DiscreteLaplace | ExponentialMechanism | Choose

OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


# --- running a program often -----------------------------------------------------------------------------


def frequencies(
    program: Program, point: Sequence[Fraction], epsilon: float, runs: int, seed: int
) -> dict[Outcome, float]:
    """How often each output was seen. Requires: an expanded program that ends."""
    everyone = np.arange(runs)
    start = {
        name: np.full(runs, float(value)) for name, value in zip(program.input_names, point, strict=True)
    }
    functions = {function.name: function for function in program.functions}
    all_runs = Runs(start, functions, epsilon, np.random.default_rng(seed), runs)
    all_runs.block(program.body, everyone)
    columns = []
    for output in program.outputs:
        if isinstance(output, Declared):
            columns.append(all_runs.store[output.name])
        else:
            steps = np.array([float(step) for step in output.steps])
            values = all_runs.store[output.variable.name]
            columns.append(steps[np.searchsorted(steps[:-1], values, side="left")])
    rows, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    return {tuple(row.tolist()): int(count) / runs for row, count in zip(rows, counts, strict=True)}


class Runs:
    """Many runs at once; ``who`` are always the numbers of the runs that are meant."""

    def __init__(
        self,
        store: dict[str, Floats],
        functions: Mapping[str, Function],
        epsilon: float,
        random: np.random.Generator,
        count: int,
    ) -> None:
        self.store = store
        self.functions = functions
        self.epsilon = epsilon
        self.random = random
        self.count = count

    def block(self, statements: Sequence[Statement], who: Numbers) -> Numbers:
        """Run a block; returns who did not exit."""
        for statement in statements:
            who = self.statement(statement, who)
        return who

    def statement(self, statement: Statement, who: Numbers) -> Numbers:
        left: list[Numbers] = []
        if isinstance(statement, Exit):
            return who[:0]
        if isinstance(statement, If):
            for condition, block in statement.branches:
                holds = self.value(condition, who) != 0
                left.append(self.block(block, who[holds]))
                who = who[~holds]
            return np.concatenate([*left, self.block(statement.otherwise, who)])
        if isinstance(statement, While):
            while who.size:
                holds = self.value(statement.condition, who) != 0
                left.append(who[~holds])
                who = self.block(statement.body, who[holds])
            return np.concatenate([*left, who])
        assert isinstance(statement, Draw)
        self.put(statement.target.name, who, self.drawn(statement, who))
        return who

    def put(self, name: str, who: Numbers, values: Floats) -> None:
        self.store.setdefault(name, np.full(self.count, math.nan))[who] = values

    def drawn(self, statement: Draw, who: Numbers) -> Floats:
        if isinstance(statement, Assign):
            return self.value(statement.value, who)
        if isinstance(statement, Laplace | DiscreteLaplace):
            scale, mean = self.value(statement.scale, who), self.value(statement.mean, who)
            if isinstance(statement, Laplace):
                return self.random.laplace(size=who.size) / scale + mean
            stop = 1 - np.exp(-scale)  # a difference of geometric numbers
            return self.random.geometric(stop) - self.random.geometric(stop) + mean
        if isinstance(statement, Choose):
            values = [self.value(value, who) for value, _ in statement.options]
            weights = [self.value(weight, who) for _, weight in statement.options]
        else:
            values = [self.value(candidate, who) for candidate in statement.candidates]
            weights = []
            for value in values:
                scored = Runs(dict(self.store), self.functions, self.epsilon, self.random, self.count)
                scored.store[statement.candidate] = np.full(self.count, math.nan)
                scored.put(statement.candidate, who, value)
                weights.append(np.exp(self.value(statement.scale, who) * scored.value(statement.score, who)))
        bounds = np.cumsum(weights, axis=0)
        picked = (self.random.random(who.size) * bounds[-1] >= bounds).sum(axis=0)
        found: Floats = np.array(values)[picked, np.arange(who.size)]
        return found

    def value(self, expression: Expression, who: Numbers) -> Floats:
        """The value for each of these runs; true is 1, false is 0."""
        if isinstance(expression, Number | Truth):
            return np.full(who.size, float(expression.value))
        if isinstance(expression, Epsilon):
            return np.full(who.size, self.epsilon)
        if isinstance(expression, Variable):
            return self.store[expression.name][who]
        if isinstance(expression, Unary):
            inner = self.value(expression.inner, who)
            return -inner if expression.operator == "-" else 1.0 - inner
        if isinstance(expression, Call):
            return self.called(expression, [self.value(argument, who) for argument in expression.arguments])
        left = self.value(expression.left, who)
        if expression.operator in ("and", "or"):
            asks = (left != 0) == (expression.operator == "and")
            left[asks] = self.value(expression.right, who[asks])
            return left
        right = self.value(expression.right, who)
        return np.asarray(OPERATORS[expression.operator](left, right), dtype=np.float64)

    def called(self, call: Call, arguments: Sequence[Floats]) -> Floats:
        if call.function == "exp":
            return np.exp(arguments[0])
        if call.function == "abs":
            return np.abs(arguments[0])
        if call.function in ("min", "max"):
            found: Floats = getattr(np, call.function)(arguments, axis=0)
            return found
        function = self.functions[call.function]
        if function.body is None:
            rows = {tuple(map(float, key)): float(value) for key, value in function.table}
            keys = zip(*(argument.tolist() for argument in arguments), strict=True)
            return np.array([rows[key] for key in keys], dtype=np.float64)
        size = arguments[0].size
        inner = Runs(
            dict(zip(function.parameters, arguments, strict=True)), self.functions, 0, self.random, size
        )
        return inner.value(function.body, np.arange(size))


# --- all that may happen ---------------------------------------------------------------------------------

Store = frozenset[tuple[str, Exact]]
Weights = dict[Store, float]


def distribution(program: Program, point: Sequence[Fraction], epsilon: float) -> dict[Outcome, float]:
    """The output distribution of an expanded program without real noise that ends."""
    meaning = Meaning(program, epsilon)
    start: Weights = {frozenset(zip(program.input_names, point, strict=True)): 1.0}
    left = meaning.block(program.body, start)
    found: dict[Outcome, float] = {}
    for store, weight in chain(left.items(), meaning.ended.items()):
        outcome = tuple(meaning.shown(dict(store)))
        found[outcome] = found.get(outcome, 0.0) + weight
    return found


class Meaning:
    """Statements as maps from distributions to distributions; runs that exit are put aside."""

    def __init__(self, program: Program, epsilon: float) -> None:
        self.program = program
        self.functions = {function.name: function for function in program.functions}
        self.epsilon = epsilon
        self.ended: Weights = {}

    def shown(self, store: Mapping[str, Exact]) -> Iterable[float]:
        for output in self.program.outputs:
            if isinstance(output, Declared):
                yield float(store[output.name])
            else:
                value = store[output.variable.name]
                yield float(next((step for step in output.steps[:-1] if value <= step), output.steps[-1]))

    def block(self, statements: Sequence[Statement], weights: Weights) -> Weights:
        for statement in statements:
            weights = self.statement(statement, weights)
        return weights

    def statement(self, statement: Statement, weights: Weights) -> Weights:
        found: Weights = {}
        if isinstance(statement, Exit):
            _add(self.ended, weights)
            return found
        if isinstance(statement, If):
            for condition, block in statement.branches:
                holds, weights = self.split(condition, weights)
                _add(found, self.block(block, holds))
            _add(found, self.block(statement.otherwise, weights))
            return found
        if isinstance(statement, While):
            while sum(weights.values()) > NEGLIGIBLE:
                weights, done = self.split(statement.condition, weights)
                _add(found, done)
                weights = self.block(statement.body, weights)
            return found
        assert isinstance(statement, Draw)
        for store, weight in weights.items():
            known = dict(store)
            for value, chance in self.options(statement, known):
                after = frozenset({**known, statement.target.name: value}.items())
                found[after] = found.get(after, 0.0) + weight * chance
        return found

    def split(self, condition: Expression, weights: Weights) -> tuple[Weights, Weights]:
        holds = {store: w for store, w in weights.items() if self.value(condition, dict(store))}
        return holds, {store: w for store, w in weights.items() if store not in holds}

    def options(self, statement: Draw, store: Mapping[str, Exact]) -> list[tuple[Exact, float]]:
        if isinstance(statement, Assign):
            return [(self.value(statement.value, store), 1.0)]
        if isinstance(statement, DiscreteLaplace):
            mean = self.value(statement.mean, store)
            rate = self.weight(statement.scale, store)
            return [(mean + number, chance) for number, chance in discrete_laplace(rate)]
        if isinstance(statement, Choose):
            listed = [(self.value(value, store), self.weight(w, store)) for value, w in statement.options]
        else:
            assert isinstance(statement, ExponentialMechanism)
            scale, listed = self.weight(statement.scale, store), []
            for candidate in statement.candidates:
                value = self.value(candidate, store)
                score = self.value(statement.score, {**store, statement.candidate: value})
                listed.append((value, math.exp(scale * score)))
        total = sum(weight for _, weight in listed)
        return [(value, weight / total) for value, weight in listed]

    def value(self, expression: Expression, store: Mapping[str, Exact]) -> Exact:
        if isinstance(expression, Number | Truth):
            return expression.value
        if isinstance(expression, Variable):
            return store[expression.name]
        if isinstance(expression, Unary):
            inner = self.value(expression.inner, store)
            return -inner if expression.operator == "-" else not inner
        if isinstance(expression, Call):
            return self.called(expression, [self.value(argument, store) for argument in expression.arguments])
        assert isinstance(expression, Binary)
        left = self.value(expression.left, store)
        if expression.operator in ("and", "or"):
            return self.value(expression.right, store) if left == (expression.operator == "and") else left
        right = self.value(expression.right, store)
        found: Exact = OPERATORS[expression.operator](Fraction(left), Fraction(right))
        return found

    def called(self, call: Call, arguments: Sequence[Exact]) -> Exact:
        if call.function == "abs":
            return abs(Fraction(arguments[0]))
        if call.function in ("min", "max"):
            values = [Fraction(argument) for argument in arguments]
            return min(values) if call.function == "min" else max(values)
        function = self.functions[call.function]
        if function.body is None:
            return dict(function.table)[tuple(map(Fraction, arguments))]
        return self.value(function.body, dict(zip(function.parameters, arguments, strict=True)))

    def weight(self, expression: Expression, store: Mapping[str, Exact]) -> float:
        """A function of epsilon."""
        if isinstance(expression, Epsilon):
            return self.epsilon
        if isinstance(expression, Unary):
            return -self.weight(expression.inner, store)
        if isinstance(expression, Call) and expression.function == "exp":
            return math.exp(self.weight(expression.arguments[0], store))
        if isinstance(expression, Binary):
            left, right = self.weight(expression.left, store), self.weight(expression.right, store)
            return float(OPERATORS[expression.operator](left, right))
        return float(self.value(expression, store))


def _add(total: Weights, more: Weights) -> None:
    for store, weight in more.items():
        total[store] = total.get(store, 0.0) + weight


# --- sets of outputs -------------------------------------------------------------------------------------


def worst_set(
    here: Mapping[Outcome, float], there: Mapping[Outcome, float], growth: float
) -> tuple[float, tuple[Outcome, ...]]:
    """The largest P(S) - growth P'(S) over all sets S of outputs, and the set."""
    outputs = sorted(here.keys() | there.keys())
    sets = chain.from_iterable(combinations(outputs, size) for size in range(len(outputs) + 1))

    def excess(chosen: tuple[Outcome, ...]) -> float:
        return sum(here.get(o, 0.0) - growth * there.get(o, 0.0) for o in chosen)

    return max((excess(chosen), chosen) for chosen in sets)
