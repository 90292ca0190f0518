"""All runs of a program on one input, as a finite graph (section 6.2 of the paper).

Statements nest; runs do not. So the body is laid out once as steps (`Flow`): do something and go on, decide
and go to one of two places, or stop. Before each step only those variables are kept that some later step
reads: runs that differ in nothing else are then one state, without which a loop with a scratch variable would
have many times the states.

A state is a place in the program, the values of the variables that still matter, the samples drawn, and the
event assumed so far. Deterministic steps are taken at once; a state becomes a node of the graph only at the
start, at the head of a ``while``, and after a random choice of a finite value. Edges carry the weights of
these choices. There are finitely many nodes as long as finite variables take finitely many values, which a
counter that grows in a loop does not: hence a limit.

In a program without random choices of finite values and without ``while`` there is one node for each input,
and all inputs are followed together: an input is read where it is used first, and there runs part by its
value. Those that meet again, up to the names of samples of one scale, go on as one (`Onward`). After k
queries of a sparse vector they differ in how often each answer was given, not in the order.

Comparisons of noise branch with weight 1 and extend the event, so all nodes of a cycle have the same event,
and the probability of the event is multiplied in where runs end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from bdist.budget import Budget
from bdist.dipc import program as syntax
from bdist.dipc.events import NOTHING, Event, Part, Sample, outcomes, parts_of
from bdist.dipc.exponentials import ClosedForm, exponential
from bdist.dipc.program import (
    Exact,
    Expression,
    Place,
    Program,
    Statement,
    statements_in,
    tidy,
    variable_of,
    variables_in,
)
from bdist.dipc.values import COMPARE, Evaluator, Finite, Linear, NoisyComparison, Unread, Value, length
from bdist.errors import InternalError, UnsupportedModel
from bdist.exact.rationals import rational_text

# --- the program as steps ---


Simple = syntax.Assign | syntax.Laplace | syntax.DiscreteLaplace | syntax.ExponentialMechanism | syntax.Choose

STOP = 0  # the step at which a run ends


@dataclass
class Do:
    """A statement, and the step after it."""

    statement: Simple
    after: int


@dataclass
class Decide:
    """A condition, and the steps where it is true and where it is false; and the ``while`` that it is of."""

    condition: Expression
    yes: int
    no: int
    loop: syntax.While | None = None


@dataclass(frozen=True)
class Flow:
    """The steps; number 0 is the end. ``live`` has the variables that matter before each.

    Certificates name samples, and places where ways meet, by the ``numbers`` of their statements, by
    identity; ``kept`` has the variables that matter where ways meet.
    """

    steps: tuple[Do | Decide | None, ...]
    start: int
    live: tuple[frozenset[str], ...]
    numbers: Mapping[int, int]
    kept: tuple[tuple[str, ...], ...]


def flow_of(program: Program) -> Flow:
    """The steps of an expanded program."""
    steps: list[Do | Decide | None] = [None]
    start = _lay_out(program.body, STOP, steps)
    live = _live(steps, frozenset(map(variable_of, program.outputs)))
    written = list(statements_in(program.body))
    draws = [statement for statement in written if isinstance(statement, syntax.Noise)]
    meeting = [statement for statement in written if isinstance(statement, _MEETING)]
    numbers = {id(statement): n for listed in (draws, meeting) for n, statement in enumerate(listed)}
    kept: list[tuple[str, ...]] = [()] * len(meeting)
    for step, names in zip(steps, live, strict=True):
        statement = None if step is None else step.statement if isinstance(step, Do) else step.loop
        if isinstance(statement, _MEETING):
            kept[numbers[id(statement)]] = tuple(sorted(names))
    return Flow(tuple(steps), start, live, numbers, tuple(kept))


_MEETING = syntax.While | syntax.Choose | syntax.ExponentialMechanism


def _lay_out(body: Sequence[Statement], after: int, steps: list[Do | Decide | None]) -> int:
    """Where a sequence of statements begins, if it goes on at ``after``; the last one is laid out first."""
    for statement in reversed(body):
        if isinstance(statement, syntax.Exit):
            after = STOP
        elif isinstance(statement, syntax.If):
            no = _lay_out(statement.otherwise, after, steps)
            for condition, block in reversed(statement.branches):
                yes = _lay_out(block, after, steps)
                steps.append(Decide(condition, yes, no))
                no = len(steps) - 1
            after = no
        elif isinstance(statement, syntax.While):
            head = Decide(statement.condition, STOP, after, statement)
            steps.append(head)
            place = len(steps) - 1
            head.yes = _lay_out(statement.body, place, steps)
            after = place
        elif isinstance(statement, syntax.For):
            raise TypeError("loops with a counter are unrolled before")
        else:
            steps.append(Do(statement, after))
            after = len(steps) - 1
    return after


def _live(steps: Sequence[Do | Decide | None], shown: frozenset[str]) -> tuple[frozenset[str], ...]:
    """The least solution of: what a step reads, and what later steps do unless it is assigned here."""
    live = [frozenset[str]() for _ in steps]
    live[STOP] = shown
    changed = True
    while changed:
        changed = False
        for number, step in enumerate(steps):
            if step is None:
                continue
            if isinstance(step, Do):
                found = (live[step.after] - {step.statement.target.name}) | frozenset(_reads(step.statement))
            else:
                found = live[step.yes] | live[step.no] | frozenset(variables_in(step.condition))
            if found != live[number]:
                live[number], changed = found, True
    return tuple(live)


def _reads(statement: Simple) -> Iterator[str]:
    if isinstance(statement, syntax.Assign):
        read = [statement.value]
    elif isinstance(statement, syntax.Noise):
        read = [statement.scale, statement.mean]
    elif isinstance(statement, syntax.Choose):
        read = [part for option in statement.options for part in option]
    else:
        read = [statement.scale, *statement.candidates]
        yield from (name for name in variables_in(statement.score) if name != statement.candidate)
    for expression in read:
        yield from variables_in(expression)


# --- runs ---


Shown = tuple[Finite, ...]  # an output

MOST_NODES = 100_000
MOST_KEPT_BITS = 1_000  # of a value that a variable keeps


@dataclass(frozen=True)
class Choice:
    """The weights of a random choice, one for each option, and whether they are known to be positive."""

    weights: tuple[ClosedForm, ...]
    certain: bool
    place: Place


Edge = tuple[int, int] | None  # the choice and the option, None for weight 1
Named = tuple[object, ...]  # a state at the head of a ``while``, as certificates write it


@dataclass
class RunGraph:
    """Nodes by number, 0 the start: edges with their targets, and ends.

    ``heads`` are the nodes at the head of a ``while``, with what certificates call them.
    """

    edges: list[list[tuple[Edge, int]]] = field(default_factory=list)
    ends: list[list[tuple[Shown, tuple[Part, ...]]]] = field(default_factory=list)
    heads: dict[int, Named] = field(default_factory=dict)


class _Run(NamedTuple):
    """Where a run is: a step, the values of variables, the samples drawn, and what is assumed of them."""

    place: int
    store: Mapping[str, Value]
    samples: tuple[Sample, ...]
    event: Event


@dataclass(frozen=True)
class Onward:
    """What comes after a state that runs share: other states, an input that is ``read``, or ends."""

    states: tuple[object, ...] = ()
    read: str | None = None
    values: dict[Fraction, object] = field(default_factory=dict)  # the states by the values of that input
    ends: tuple[tuple[Shown, tuple[Part, ...]], ...] = ()


class Explorer:
    """Explores a program, input by input; choices are numbered over all of them."""

    def __init__(self, program: Program, evaluator: Evaluator, budget: Budget) -> None:
        self._flow = flow_of(program)
        self._outputs = program.outputs
        self._evaluator = evaluator
        self._budget = budget
        self.kept = self._flow.kept
        self.choices: list[Choice] = []
        self._choice_numbers: dict[object, int] = {}
        self._shared: dict[object, tuple[_Run, Onward | None]] = {}
        self._start = self._share(_Run(self._flow.start, {}, (), NOTHING))

    def explore(self, values: Mapping[str, Fraction]) -> RunGraph:
        """The graph of all runs on an input.

        Raises: ProgramError where a run does what it must not; UnsupportedModel where there are too many.
        """
        if not self.kept:
            return RunGraph([[]], [list(self._ends_on(values))])
        graph, nodes = RunGraph(), list[_Run]()
        numbers: dict[object, int] = {}

        def number_of(run: _Run) -> int:
            """The node of a run, with the variables that still matter."""
            live = self._flow.live[run.place]
            store = {name: value for name, value in run.store.items() if name in live}
            key = (run.place, frozenset(store.items()), run.samples, run.event)
            number = numbers.setdefault(key, len(nodes))
            if number == len(nodes):
                if number > MOST_NODES:
                    many = f"the program has more than {MOST_NODES} states on one input"
                    raise UnsupportedModel(f"{many}; does a variable grow in a loop?")
                nodes.append(run._replace(store=store))
                graph.edges.append([])
                graph.ends.append([])
            return number

        number_of(_Run(self._flow.start, {name: tidy(value) for name, value in values.items()}, (), NOTHING))
        for number, run in enumerate(nodes):  # which grow meanwhile
            self._budget.check()
            for weight, target in self._follow(run, graph.ends[number]):
                graph.edges[number].append((weight, number_of(target)))
        graph.heads = {number: name for number, run in enumerate(nodes) if (name := self._name(run))}
        return graph

    def _name(self, run: _Run) -> Named | None:
        """The number of the ``while``, the values of what is kept there, and what is assumed to be < 0."""
        step = self._flow.steps[run.place]
        if not isinstance(step, Decide) or step.loop is None:
            return None
        number = self._flow.numbers[id(step.loop)]

        def form(entries: Iterable[tuple[int, Exact]], constant: Exact) -> Named:
            terms = ((run.samples[sample], c) for sample, c in entries)
            named = ((s.draw, rational_text(s.scale), rational_text(Fraction(c))) for s, c in terms)
            return rational_text(Fraction(constant)), tuple(named)

        def value(found: Value) -> object:
            if isinstance(found, Linear):
                return form(found.entries, found.constant)
            return found if isinstance(found, bool) else rational_text(Fraction(found))

        values = tuple(value(run.store[name]) for name in self._flow.kept[number])
        assumed = (form([(sample, -c) for sample, c in d], -constant) for d, constant in run.event)
        return number, values, tuple(sorted(assumed, key=repr))

    def _follow(self, start: _Run, ends: list[tuple[Shown, tuple[Part, ...]]]) -> Iterator[tuple[Edge, _Run]]:
        """The next nodes, with their weights; runs that end on the way are noted."""
        pending = [start]
        leaves = True  # a state at the head of a loop has to be left before it is met again
        while pending:
            run = pending.pop()
            step = self._flow.steps[run.place]
            if step is None:
                ends += self._ends(run)
            elif isinstance(step, Decide):
                if step.loop is not None and not leaves:
                    yield None, run
                    continue
                leaves = False
                for truth, event in self._truths(step.condition, run, run.event):
                    place = step.yes if truth else step.no
                    pending.append(run._replace(place=place, event=event))
            elif isinstance(step.statement, syntax.Choose | syntax.ExponentialMechanism):
                number, options = self._choice(step.statement, run)
                for option, values in enumerate(options):
                    for value, event in values:
                        store = {**run.store, step.statement.target.name: value}
                        yield (number, option), _Run(step.after, store, run.samples, event)
            else:
                pending += self._done(step, run)
            leaves = False

    # --- all inputs together ---

    def _ends_on(self, values: Mapping[str, Fraction]) -> Iterator[tuple[Shown, tuple[Part, ...]]]:
        waiting = [self._start]
        while waiting:
            key = waiting.pop()
            run, onward = self._shared[key]
            if onward is None:
                onward = self._onward(run)
                self._shared[key] = run, onward
            yield from onward.ends
            waiting += onward.states
            if onward.read is not None:
                value = values[onward.read]
                if value not in onward.values:
                    store = {**run.store, onward.read: tidy(value)}
                    onward.values[value] = self._share(run._replace(store=store))
                waiting.append(onward.values[value])

    def _onward(self, start: _Run) -> Onward:
        """From a state to where an input is read, or more than one way goes on, or to the end."""
        self._budget.check()
        run = start
        while True:
            step = self._flow.steps[run.place]
            try:
                if step is None:
                    for output in self._outputs:
                        if variable_of(output) not in run.store:
                            raise Unread(variable_of(output))
                    return Onward(ends=tuple(self._ends(run)))
                if isinstance(step, Decide):
                    truths = list(self._truths(step.condition, run, run.event))
                    ways = [
                        run._replace(place=step.yes if truth else step.no, event=event)
                        for truth, event in truths
                    ]
                else:
                    ways = list(self._done(step, run))
            except Unread as unread:
                if run is start:
                    return Onward(read=unread.name)
                ways = [run]
            if len(ways) > 1 or ways[0] is run:
                return Onward(states=tuple(map(self._share, ways)))
            run = ways[0]

    def _share(self, run: _Run) -> object:
        """The key of a state: what matters later on, with samples numbered by what is said about them."""
        live = self._flow.live[run.place]
        store = {name: value for name, value in sorted(run.store.items()) if name in live}
        said: dict[int, list[object]] = {}
        for direction, constant in run.event:
            for sample, c in direction:
                others = sorted((run.samples[other].scale, d) for other, d in direction if other != sample)
                said.setdefault(sample, []).append((c, constant, others))
        for name, value in store.items():
            if isinstance(value, Linear):
                for sample, factor in value.entries:
                    said.setdefault(sample, []).append((name, factor, value.constant))
        order = sorted(
            said,
            key=lambda sample: (
                run.samples[sample].is_integer,
                run.samples[sample].scale,
                sorted(map(repr, said[sample])),
            ),
        )
        place = {sample: number for number, sample in enumerate(order)}

        def renamed(entries: Sequence[tuple[int, Any]]) -> tuple[tuple[int, Any], ...]:
            return tuple(sorted((place[sample], c) for sample, c in entries))

        for name, value in store.items():
            if isinstance(value, Linear):
                store[name] = Linear(renamed(value.entries), value.constant)
        samples = tuple(replace(run.samples[sample], draw=0) for sample in order)
        event = frozenset((renamed(direction), constant) for direction, constant in run.event)
        key = (run.place, tuple(store.items()), samples, event)
        self._shared.setdefault(key, (_Run(run.place, store, samples, event), None))
        return key

    # --- statements ---

    def _done(self, step: Do, run: _Run) -> Iterator[_Run]:
        statement: Simple = step.statement
        name = statement.target.name
        if isinstance(statement, syntax.Assign):
            for value, event in self._values(statement.value, run):
                if length(value) > MOST_KEPT_BITS:
                    raise UnsupportedModel(
                        f"a value of {name} takes more than {MOST_KEPT_BITS} bits; does it grow in a loop?"
                    )
                yield _Run(step.after, {**run.store, name: value}, run.samples, event)
        elif isinstance(statement, syntax.Noise):
            whole = isinstance(statement, syntax.DiscreteLaplace)
            scale = self._evaluator.scale(statement.scale, run.store)
            mean = self._evaluator.value(statement.mean, run.store)
            if whole and not isinstance(mean, Linear) and Fraction(mean).denominator != 1:
                raise self._evaluator.refusal(
                    statement.place, f"the mean of DLap is {mean}, which is no integer"
                )
            drawn = Linear(((len(run.samples), 1),), 0) + mean
            sample = Sample(whole, scale, self._flow.numbers[id(statement)])
            yield _Run(step.after, {**run.store, name: drawn}, (*run.samples, sample), run.event)
        else:
            raise InternalError("a random choice of a finite value makes nodes")

    def _values(self, expression: Expression, run: _Run) -> list[tuple[Value, Event]]:
        """What an expression may be, with what is assumed then."""
        try:
            return [(self._evaluator.value(expression, run.store), run.event)]
        except NoisyComparison:
            return list(self._truths(expression, run, run.event))

    def _choice(
        self, statement: syntax.Choose | syntax.ExponentialMechanism, run: _Run
    ) -> tuple[int, list[list[tuple[Value, Event]]]]:
        """The number of a choice with these weights, and what each option may be."""
        if isinstance(statement, syntax.Choose):
            options = [self._values(value, run) for value, _ in statement.options]
            weights = tuple(self._evaluator.exponential(weight, run.store) for _, weight in statement.options)
        else:
            scale = self._evaluator.scale(statement.scale, run.store)
            options = [self._values(candidate, run) for candidate in statement.candidates]
            scores = [  # finite, so no Boolean candidate occurs in them
                self._evaluator.finite(statement.score, {**run.store, statement.candidate: values[0][0]})
                for values in options
            ]
            weights = tuple(exponential(Fraction(scale * score)) for score in scores)
        key = tuple((weight.unit, weight.key) for weight in weights)
        number = self._choice_numbers.get(key)
        if number is None:
            number = self._choice_numbers[key] = len(self.choices)
            certain = isinstance(statement, syntax.ExponentialMechanism)
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
        if isinstance(condition, syntax.Unary):
            for truth, assumed in self._truths(condition.inner, run, event):
                yield not truth, assumed
        elif isinstance(condition, syntax.Binary) and condition.operator in ("and", "or"):
            decides = condition.operator == "or"
            for truth, assumed in self._truths(condition.left, run, event):
                if truth == decides:
                    yield truth, assumed
                else:
                    yield from self._truths(condition.right, run, assumed)
        elif isinstance(condition, syntax.Binary):
            try:
                left = self._evaluator.value(condition.left, run.store)
                right = self._evaluator.value(condition.right, run.store)
            except NoisyComparison:  # Booleans are compared, of which one is a comparison of noise
                for first, assumed in self._truths(condition.left, run, event):
                    for second, both in self._truths(condition.right, run, assumed):
                        yield COMPARE[condition.operator](first, second), both
                return
            form = Linear((), 0) + left - right
            yield from outcomes(form, condition.operator, event, run.samples)
        else:
            raise InternalError("a comparison of noise stands in an expression without comparisons")

    # --- ends ---

    def _ends(self, run: _Run) -> list[tuple[Shown, tuple[Part, ...]]]:
        """What is shown at the end, by where discretised outputs lie."""
        found: list[tuple[Shown, Event]] = [((), run.event)]
        for output in self._outputs:
            value = run.store[variable_of(output)]
            if isinstance(output, syntax.Declared):
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
                for is_above, lies in outcomes(form - step, ">", assumed, samples):
                    if is_above:
                        above.append(lies)
                    else:
                        yield tidy(step), lies
            left = above
        for assumed in left:
            yield tidy(steps[-1]), assumed
