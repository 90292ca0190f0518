"""All runs of a program on one input, as a finite graph (section 6.2 of the paper).

A state is a place in the program, the values of the variables that still matter, the samples drawn, and the
event assumed so far. Deterministic steps are taken at once; a state becomes a node of the graph only at the
start, at the head of a ``while``, and after a random choice of a finite value. Edges carry the weights of
these choices. There are finitely many nodes as long as finite variables take finitely many values, which a
counter that grows in a loop does not: hence a limit.

Comparisons of noise branch with weight 1 and extend the event, so all nodes of a cycle have the same event,
and the probability of the event is multiplied in where runs end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from flint import fmpq

from bdist.budget import Budget
from bdist.dipc.calculus import tidy
from bdist.dipc.events import NOTHING, Event, Part, Sample, outcomes, parts_of
from bdist.dipc.exponentials import ExpSum
from bdist.dipc.flow import Decide, Do, Flow, Simple
from bdist.dipc.program import (
    Assign,
    Binary,
    Choose,
    Declared,
    DiscreteLaplace,
    ExponentialMechanism,
    Expression,
    Laplace,
    Output,
    Unary,
)
from bdist.dipc.program import Place as Position
from bdist.dipc.values import COMPARE, Evaluator, Finite, Linear, NoisyComparison, Value, length
from bdist.errors import InternalError, UnsupportedError

Point = tuple[Fraction, ...]
Shown = tuple[Finite, ...]  # an output

MOST_NODES = 100_000
MOST_BITS = 1_000  # of a value that a variable keeps


@dataclass(frozen=True)
class Choice:
    """The weights of a random choice, one for each option, and whether they are known to be positive."""

    weights: tuple[ExpSum, ...]
    certain: bool
    place: Position


@dataclass
class RunGraph:
    """Nodes by number, 0 the start: edges (choice and option, or None for weight 1, target), and ends."""

    edges: list[list[tuple[tuple[int, int] | None, int]]] = field(default_factory=list)
    ends: list[list[tuple[Shown, tuple[Part, ...]]]] = field(default_factory=list)


@dataclass(frozen=True)
class _State:
    place: int
    store: frozenset[tuple[str, Value]]
    samples: tuple[Sample, ...]
    event: Event


@dataclass
class _Run:
    """A run that is being followed: the parts of a state, loose."""

    place: int
    store: dict[str, Value]
    samples: tuple[Sample, ...]
    event: Event


class Explorer:
    """Explores a program, input by input; choices are numbered over all of them."""

    def __init__(self, flow: Flow, outputs: tuple[Output, ...], evaluator: Evaluator, budget: Budget) -> None:
        self._flow = flow
        self._outputs = outputs
        self._evaluator = evaluator
        self._budget = budget
        self.choices: list[Choice] = []
        self._choice_numbers: dict[object, int] = {}

    def explore(self, values: Mapping[str, Fraction]) -> RunGraph:
        """The graph of all runs on an input.

        Raises: ProgramError where a run does what it must not; UnsupportedError where there are too many.
        """
        graph = RunGraph()
        store: dict[str, Value] = {name: tidy(value) for name, value in values.items()}
        start = self._state(_Run(self._flow.start, store, (), NOTHING))
        numbers = {start: 0}
        queue = [start]
        while queue:
            self._budget.check()
            state = queue.pop()
            number = numbers[state]
            while len(graph.edges) <= len(numbers):
                graph.edges.append([])
                graph.ends.append([])
            for weight, target in self._follow(state, graph.ends[number]):
                known = numbers.get(target)
                if known is None:
                    known = numbers[target] = len(numbers)
                    queue.append(target)
                    if known > MOST_NODES:
                        raise UnsupportedError(
                            f"the program has more than {MOST_NODES} states on one input; does a variable "
                            "grow in a loop?"
                        )
                graph.edges[number].append((weight, known))
        del graph.edges[len(numbers) :], graph.ends[len(numbers) :]
        return graph

    def _state(self, run: _Run) -> _State:
        live = self._flow.live[run.place]
        kept = frozenset((name, value) for name, value in run.store.items() if name in live)
        return _State(run.place, kept, run.samples, run.event)

    def _follow(
        self, state: _State, ends: list[tuple[Shown, tuple[Part, ...]]]
    ) -> Iterator[tuple[tuple[int, int] | None, _State]]:
        """The next nodes, with their weights; runs that end on the way are noted."""
        pending = [_Run(state.place, dict(state.store), state.samples, state.event)]
        leaves = True  # a state at the head of a loop has to be left before it is met again
        while pending:
            run = pending.pop()
            step = self._flow.steps[run.place]
            if step is None:
                ends += self._ends(run)
            elif isinstance(step, Decide):
                if step.loops and not leaves:
                    yield None, self._state(run)
                    continue
                leaves = False
                for truth, event in self._truths(step.condition, run, run.event):
                    place = step.yes if truth else step.no
                    pending.append(_Run(place, dict(run.store), run.samples, event))
            elif isinstance(step.statement, Choose | ExponentialMechanism):
                number, options = self._choice(step.statement, run)
                for option, values in enumerate(options):
                    for value, event in values:
                        store = {**run.store, step.statement.target.name: value}
                        yield (number, option), self._state(_Run(step.after, store, run.samples, event))
            else:
                pending += self._done(step, run)
            leaves = False

    # --- statements ---

    def _done(self, step: Do, run: _Run) -> Iterator[_Run]:
        statement: Simple = step.statement
        name = statement.target.name
        if isinstance(statement, Assign):
            for value, event in self._values(statement.value, run):
                if length(value) > MOST_BITS:
                    raise UnsupportedError(
                        f"a value of {name} takes more than {MOST_BITS} bits; does it grow in a loop?"
                    )
                yield _Run(step.after, {**run.store, name: value}, run.samples, event)
        elif isinstance(statement, Laplace | DiscreteLaplace):
            whole = isinstance(statement, DiscreteLaplace)
            scale = self._evaluator.scale(statement.scale, run.store)
            mean = self._evaluator.value(statement.mean, run.store)
            if whole and not isinstance(mean, Linear) and Fraction(mean).denominator != 1:
                raise self._evaluator.refusal(
                    statement.place, f"the mean of DLap is {mean}, which is no integer"
                )
            drawn = Linear(((len(run.samples), 1),), 0).plus(mean)
            yield _Run(
                step.after, {**run.store, name: drawn}, (*run.samples, Sample(whole, scale)), run.event
            )
        else:
            raise InternalError("a random choice of a finite value makes nodes")

    def _values(self, expression: Expression, run: _Run) -> list[tuple[Value, Event]]:
        """What an expression may be, with what is assumed then."""
        try:
            return [(self._evaluator.value(expression, run.store), run.event)]
        except NoisyComparison:
            return list(self._truths(expression, run, run.event))

    def _choice(
        self, statement: Choose | ExponentialMechanism, run: _Run
    ) -> tuple[int, list[list[tuple[Value, Event]]]]:
        """The number of a choice with these weights, and what each option may be."""
        if isinstance(statement, Choose):
            options = [self._values(value, run) for value, _ in statement.options]
            weights = tuple(self._evaluator.exponential(weight, run.store) for _, weight in statement.options)
        else:
            scale = self._evaluator.scale(statement.scale, run.store)
            options = [self._values(candidate, run) for candidate in statement.candidates]
            scores = [  # finite, so no Boolean candidate occurs in them
                self._evaluator.finite(statement.score, {**run.store, statement.candidate: values[0][0]})
                for values in options
            ]
            weights = tuple(_power_of_e(scale * score) for score in scores)
        key = tuple(frozenset((k, j, str(c)) for (k, j), c in weight.items()) for weight in weights)
        number = self._choice_numbers.get(key)
        if number is None:
            number = self._choice_numbers[key] = len(self.choices)
            certain = isinstance(statement, ExponentialMechanism)
            self.choices.append(Choice(weights, certain, statement.place))
        return number, options

    # --- comparisons ---

    def _truths(self, condition: Expression, run: _Run, event: Event) -> Iterator[tuple[bool, Event]]:
        """What a condition may be, with what is assumed then."""
        try:
            yield bool(self._evaluator.value(condition, run.store)), event
        except NoisyComparison:
            yield from self._noisy(condition, run, event)

    def _noisy(self, condition: Expression, run: _Run, event: Event) -> Iterator[tuple[bool, Event]]:
        if isinstance(condition, Unary):
            for truth, assumed in self._truths(condition.inner, run, event):
                yield not truth, assumed
        elif isinstance(condition, Binary) and condition.operator in ("and", "or"):
            decides = condition.operator == "or"
            for truth, assumed in self._truths(condition.left, run, event):
                if truth == decides:
                    yield truth, assumed
                else:
                    yield from self._truths(condition.right, run, assumed)
        elif isinstance(condition, Binary):
            try:
                left = self._evaluator.value(condition.left, run.store)
                right = self._evaluator.value(condition.right, run.store)
            except NoisyComparison:  # Booleans are compared, of which one is a comparison of noise
                for first, assumed in self._truths(condition.left, run, event):
                    for second, both in self._truths(condition.right, run, assumed):
                        yield COMPARE[condition.operator](first, second), both
                return
            form = Linear((), 0).plus(left).plus(right, -1)
            yield from outcomes(form, condition.operator, event, run.samples)
        else:
            raise InternalError("a comparison of noise stands in an expression without comparisons")

    # --- ends ---

    def _ends(self, run: _Run) -> list[tuple[Shown, tuple[Part, ...]]]:
        """What is shown at the end, by where discretised outputs lie."""
        found: list[tuple[Shown, Event]] = [((), run.event)]
        for output in self._outputs:
            name = output.name if isinstance(output, Declared) else output.variable.name
            value = run.store[name]
            if isinstance(output, Declared):
                if isinstance(value, Linear):
                    raise InternalError("noise is shown as it is")
                found = [((*shown, value), event) for shown, event in found]
                continue
            form = value if isinstance(value, Linear) else Linear((), value)
            found = [
                ((*shown, step), lies)
                for shown, event in found
                for step, lies in self._discretised(form, output.steps, event, run.samples)
            ]
        return [(shown, tuple(parts_of(event, run.samples))) for shown, event in found]

    def _discretised(
        self, form: Linear, steps: tuple[Fraction, ...], event: Event, samples: tuple[Sample, ...]
    ) -> Iterator[tuple[Finite, Event]]:
        """The step that stands for a value: the first it is not above, or the last."""
        left = [event]
        for step in steps[:-1]:
            above = []
            for assumed in left:
                for is_above, lies in outcomes(form.plus(-step), ">", assumed, samples):
                    if is_above:
                        above.append(lies)
                    else:
                        yield tidy(step), lies
            left = above
        for assumed in left:
            yield tidy(steps[-1]), assumed


def _power_of_e(rate: Fraction) -> ExpSum:
    return {(Fraction(rate), 0): fmpq(1)}
