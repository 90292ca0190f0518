"""The output distribution of a program on an input, as sums of functions of ε.

*Instructions.* Blocks become tests and jumps, so that a run has one number for where it is, and may come back
there: the only jumps backwards lead to the head of a ``while``.

*Runs.* A state of a run is where it is, the values of its variables, linear forms of samples for those that
are real or integer, and the event: the comparisons that hold. Runs are followed until ways may meet, at a
draw from finitely many values, at the head of a ``while``, and at the end; there, what comes to the same
state is added up. Which variables are kept there is read from the certificate. It is not believed: what was
not kept has no value any more, and a run that reads it is refused.

*Mass.* What comes to a state is passed on along its steps, the states that stand first in the text first. At
the head of a ``while`` the certificate says how often a state is visited, all times together; that is passed
on, once, and compared with what has come in the end. So there is no system to solve: the visits v satisfy
v = in + v q, where q are the probabilities to get from one head to another, and in is what comes from the
beginning. From each state there is a way to an end of steps that are positive for every ε of the interval.
Then q^n tends to 0, I − q is regular, and there is one such v.

*Values* are exact rationals, truth values, linear forms of samples, and for scales and weights exponential
polynomials of ε. Each is held to its use here: what is added is a number, what is compared can be, a variable
that is read has a value. What also depends on values is a division by zero, a table without the arguments, a
number that should be whole. A program with such a run is one that nothing is certified about, and ``Unfit``
says so. A comparison of samples that the run has not decided yet raises ``Split``.

*Programs whose only draws are those of noise* are not followed input by input. An input is read where it is
used first, and there runs part by its value. Where they have come to the same place, with the same values of
what may still be used and the same event, up to the names of samples that have the same scale, they go on as
one: the 729 inputs of six queries meet in a few hundred states. What a state comes to depends on nothing
else, and an event has the same probability whatever its samples are called.

A comparison that is not decided splits a run in two, and both ways have the weight 1. Only at the end the
mass that arrives is multiplied by the probability of the event there. The conditional probabilities of the
comparisons along a way are P(C_1)/1, P(C_2)/P(C_1), ..., and their product is that of the last event; so
nothing is ever divided by a probability of samples. Within a loop no sample is drawn and an event only
grows, so the states that lead back to each other have the same event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from ..core import Rejected, TooLarge
from ..core.limits import PIECE, Work
from ..core.numbers import brief, size
from .document import Output, Point, State
from .events import ALWAYS, CERTAIN, Event, Events, Linear, Split, holds
from .exponentials import EPSILON, ZERO, Exponential, NormalForm, Quotient, add_quotients
from .program import Disc, Program
from .text import BUILT_IN, COMPARISONS, Expression, Function, Statement

# --- instructions ---


class Instruction(NamedTuple):
    """What is done, with its parts; a test goes on at ``target`` if it fails, a jump goes there."""

    what: str
    parts: tuple[Any, ...]
    line: int
    target: int = -1
    number: int = -1  # of a sample among those that are drawn, of a place where ways meet among those


_SAMPLING = ("Lap", "DLap")
_MEETING = ("while", "Exp", "choose")


def compile_program(program: Program) -> list[Instruction]:
    """The instructions; the last one is the end, where the outputs are read."""
    found: list[Instruction] = []
    _append(program.body, found)
    end = len(found)
    for kinds in (_SAMPLING, _MEETING):
        places = [place for place in range(end) if found[place].what in kinds]
        for number, place in enumerate(places):
            found[place] = found[place]._replace(number=number)
    leaving = [one._replace(what="jump", target=end) if one.what == "exit" else one for one in found]
    return [*leaving, Instruction("end", (), 0)]


def _append(block: tuple[Statement, ...], found: list[Instruction]) -> None:
    for statement in block:
        what, *parts = statement
        here, line = len(found), statement.line
        if what == "while":
            found.append(Instruction(what, (parts[0],), line))
            _append(parts[1], found)
            found.append(Instruction("jump", (), line, here))
            found[here] = found[here]._replace(target=len(found))
        elif what == "if":
            _append_if(parts[0], parts[1], line, found)
        else:
            found.append(Instruction(what, tuple(parts), line))


def _append_if(
    cases: tuple[Any, ...], otherwise: tuple[Statement, ...], line: int, found: list[Instruction]
) -> None:
    jumps = []
    for test, block in cases:
        here = len(found)
        found.append(Instruction("test", (test,), line))
        _append(block, found)
        jumps.append(len(found))
        found.append(Instruction("jump", (), line))
        found[here] = found[here]._replace(target=len(found))
    _append(otherwise, found)
    for jump in jumps:
        found[jump] = found[jump]._replace(target=len(found))


# --- values of expressions ---


Value = Fraction | bool | Linear
Store = Mapping[str, Value]


class Unfit(Exception):
    """What a program does that makes it one that nothing is certified about."""

    step = "program"


class Unread(Unfit):
    """A variable is used, and has no value; it may be an input that was not read yet."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is used, and has no value")
        self.name = name


class Evaluator:
    """Evaluates expressions with the functions of a program."""

    def __init__(self, functions: Mapping[str, Function], events: Events, work: Work) -> None:
        self._functions = functions
        self._events = events
        self._work = work
        self._tables: dict[str, dict[Point, Fraction]] = {
            name: dict(function.body[1])
            for name, function in functions.items()
            if function.body[0] == "table"
        }

    def value(self, expression: Expression, store: Store, event: Event) -> Value:
        """The value. Raises: Unfit; Split where the event does not decide a comparison; TooLarge."""
        tag = expression[0]
        if tag in ("number", "truth"):
            found: Value = expression[1]
            return found
        self._work.spend(8)
        if tag == "var":
            if expression[1] not in store:
                raise Unread(expression[1])
            return store[expression[1]]
        if tag == "call":
            return self._call(expression[1], expression[2:], store, event)
        if tag == "eps":
            raise Unfit("eps stands outside of scales and weights")
        if tag == "not":
            return not self.truth(expression[1], store, event)
        if tag in ("and", "or"):
            left = self.truth(expression[1], store, event)
            return left if left == (tag == "or") else self.truth(expression[2], store, event)
        operands = [self.value(part, store, event) for part in expression[1:]]
        if tag in COMPARISONS:
            return self.compare(operands[0], tag, operands[1], event)
        if any(isinstance(operand, bool) for operand in operands):
            raise Unfit(f"an operand of {tag} is a Boolean")
        if len(operands) == 1:
            return self._arithmetic(Fraction(-1), "*", operands[0])
        return self._arithmetic(operands[0], tag, operands[1])

    def truth(self, expression: Expression, store: Store, event: Event) -> bool:
        """The value of an expression that is Boolean. Raises: as `value`."""
        found = self.value(expression, store, event)
        if not isinstance(found, bool):
            raise Unfit("a condition, or an operand of not, and, or, is no Boolean")
        return found

    def number(self, expression: Expression, store: Store, event: Event) -> Fraction:
        """The value of an expression that is finite. Raises: as `value`."""
        found = self.value(expression, store, event)
        if not isinstance(found, Fraction):
            raise Unfit("an expression that should be a number is none")
        return found

    def compare(self, left: Value, sign: str, right: Value, event: Event) -> bool:
        """Whether two values stand in a relation. Raises: Unfit, Split, TooLarge."""
        if isinstance(left, bool) or isinstance(right, bool):
            if not (isinstance(left, bool) and isinstance(right, bool) and sign in ("==", "!=")):
                raise Unfit("a Boolean is compared with something else, or by its size")
            return (left == right) == (sign == "==")
        difference = self._arithmetic(left, "-", right, exact=False)
        if isinstance(difference, Linear):
            return self._events.decide(difference, sign, event)
        return holds(difference, sign)

    def _arithmetic(self, left: Value, sign: str, right: Value, exact: bool = True) -> Fraction | Linear:
        """A sum, difference, product or quotient; ``exact``: an integer meets whole numbers only."""
        if sign == "/":
            if isinstance(right, Linear) or (isinstance(left, Linear) and left.integer):
                raise Unfit("a division by a sample, or of an integer")
            if not right:
                raise Unfit("there is a division by zero")
            left, sign, right = 1 / Fraction(right), "*", left
        form = next((side for side in (left, right) if isinstance(side, Linear)), None)
        if form is None:
            one, other = Fraction(left), Fraction(right)  # type: ignore[arg-type]
            self._count(one, other)
            return one * other if sign == "*" else one + other if sign == "+" else one - other
        for side in (left, right):
            self._work.spend(4 * len(side.parts) + 4 if isinstance(side, Linear) else 4)
            if isinstance(side, Linear):
                if side.integer != form.integer:
                    raise Unfit("a real and an integer meet")
            elif exact and form.integer and Fraction(side).denominator != 1:
                raise Unfit(f"an integer meets {brief(Fraction(side))}, which is not a whole number")
        if sign == "*":
            factor = right if form is left else left
            if isinstance(factor, Linear):
                raise Unfit("two values that are not finite are multiplied")
            self._work.reduce(size(Fraction(factor)) + size(form.constant))
            return form.times(Fraction(factor))
        one_form, other_form = _linear(left, form.integer), _linear(right, form.integer)
        return one_form.plus(other_form if sign == "+" else other_form.times(Fraction(-1)))

    def _call(self, name: str, arguments: tuple[Expression, ...], store: Store, event: Event) -> Value:
        if name == "exp":
            raise Unfit("exp stands outside of weights")
        numbers = [self.number(argument, store, event) for argument in arguments]
        if name in BUILT_IN:
            return abs(numbers[0]) if name == "abs" else min(numbers) if name == "min" else max(numbers)
        function = self._functions[name]
        if name not in self._tables:
            return self.value(function.body, dict(zip(function.parameters, numbers, strict=True)), event)
        found = self._tables[name].get(tuple(numbers))
        if found is None:
            listed = ", ".join(map(brief, numbers))
            raise Unfit(f"the table of {name} has no row for ({listed})")
        return found

    def _count(self, left: Fraction, right: Fraction) -> None:
        bits = size(left) + size(right)
        if bits > PIECE:
            self._work.reduce(bits)
            if bits > PIECE * PIECE:
                raise TooLarge(f"a number with more than {PIECE * PIECE} bits")

    # --- functions of ε ---

    def weight(self, expression: Expression, store: Store, event: Event) -> Exponential:
        """The value of a weight. Raises: Unfit, TooLarge."""
        tag = expression[0]
        if tag == "eps":
            return EPSILON
        if tag == "call" and expression[1] == "exp":
            return Exponential.of({(self._multiple(expression[2], store, event), 0): Fraction(1)})
        if tag not in ("+", "-", "*", "/"):
            return Exponential.number(self.number(expression, store, event))
        left = self.weight(expression[1], store, event)
        if len(expression) == 2:
            return left.negated()
        if tag == "/":
            divisor = self.number(expression[2], store, event)
            if not divisor:
                raise Unfit("there is a division by zero")
            return left.times(Exponential.number(1 / divisor), self._work)
        right = self.weight(expression[2], store, event)
        if tag == "*":
            return left.times(right, self._work)
        return left.plus(right if tag == "+" else right.negated(), self._work)

    def scale(self, expression: Expression, store: Store, event: Event) -> Fraction:
        """The c of a scale c·eps. Raises: Unfit, TooLarge."""
        found = self._multiple(expression, store, event)
        if found <= 0:
            raise Unfit("a scale is not a positive multiple of eps")
        return found

    def _multiple(self, expression: Expression, store: Store, event: Event) -> Fraction:
        """The c, if the weight is c·eps."""
        function = self.weight(expression, store, event)
        if not function.terms.keys() <= {(0, 1)}:
            raise Unfit("a scale, or the exponent of exp, is not a multiple of eps")
        return Fraction(function.terms.get((0, 1), 0), function.denominator)


def _linear(value: Value, integer: bool) -> Linear:
    return value if isinstance(value, Linear) else Linear(integer, Fraction(value))


# --- runs ---


class Arrival(NamedTuple):
    """Where a run has come: to a place where ways meet, with what is kept, or to the end, with its output."""

    place: int
    store: dict[str, Value]
    output: Output
    event: Event


class _Shared(NamedTuple):
    """Where runs are that differ in nothing that comes after: what is used later on, and the event."""

    place: int
    store: tuple[tuple[str, Value, bool], ...]  # with whether it is Boolean: in Python true is 1
    event: Event

    def values(self) -> dict[str, Value]:
        return {name: value for name, value, _ in self.store}


@dataclass(frozen=True)
class _Onward:
    """What comes after: the states, by the ``values`` of an input that is ``read``; or the output."""

    states: list[_Shared] = field(default_factory=list)
    read: str | None = None
    values: dict[Fraction, _Shared] = field(default_factory=dict)
    output: Output | None = None


class OtherVisits(Unfit):
    """A state of a loop is not visited as often as the certificate says."""

    step = "table"


@dataclass(eq=False)
class _Node:
    """A state in which ways meet."""

    arrival: Arrival
    visits: tuple[Exponential, Exponential] | None  # that a certificate claims, at the head of a while
    coming: list[Quotient] = field(default_factory=list)  # and not passed on, but at the head of a while
    before: list[_Node] = field(default_factory=list)  # from which steps lead here that no ε excludes


class Runs:
    """Follows a program on its inputs."""

    def __init__(
        self,
        program: Program,
        kept: tuple[tuple[str, ...], ...],
        shown: Mapping[NormalForm, bool],
        work: Work,
    ) -> None:
        """``shown``: functions that are ≥ 0 on the interval, and whether they are > 0. Raises: Rejected."""
        self._program, self._kept, self._shown, self._work = program, kept, shown, work
        self._code = compile_program(program)
        self._end = len(self._code) - 1
        self.events = Events(work)
        self._evaluator = Evaluator(program.functions, self.events, work)
        self._shares: dict[object, list[tuple[Quotient, bool]]] = {}
        meeting = sum(instruction.what in _MEETING for instruction in self._code)
        if len(kept) != meeting:
            raise Rejected("program", f"there are {meeting} places where ways meet, and {len(kept)} in kept")
        self._only_noise = not meeting
        self._inputs = {name: place for place, name in enumerate(program.inputs)}
        self._live = live_variables(self._code, program.outputs) if self._only_noise else []
        self._shared: dict[_Shared, _Onward] = {}

    def distribution(
        self, point: Point, visits: Mapping[State, tuple[Exponential, Exponential]]
    ) -> dict[Output, list[tuple[Quotient, Event]]]:
        """For each output the masses that arrive, and the events with whose probability they count.

        Raises: Unfit, TooLarge; OtherVisits where those of a state of a loop are missing, or others.
        """
        if self._only_noise:
            return self._ends(point)
        nodes: dict[object, _Node] = {}
        waiting: dict[int, list[_Node]] = {}

        def arrive(arrival: Arrival, mass: Quotient, source: _Node | None) -> None:
            values = tuple(map(_told_apart, arrival.store.values()))
            key = (arrival.place, values, arrival.output, arrival.event)
            node = nodes.get(key)
            if node is None:
                self._work.keep(4 + len(values) + len(arrival.event), 0)
                node = nodes[key] = _Node(arrival, self._claimed(arrival, visits))
            if arrival.place < self._end and not node.coming:
                waiting.setdefault(arrival.place, []).append(node)
            node.coming.append(mass)
            if source is not None:
                node.before.append(source)

        store: dict[str, Value] = dict(zip(self._program.inputs, point, strict=True))
        for arrival in self._follow(0, store, ALWAYS):
            arrive(arrival, CERTAIN, None)
        while waiting:
            place = min(waiting)
            node = waiting[place].pop()
            if not waiting[place]:
                del waiting[place]
            if node.visits is None:
                mass, node.coming = add_quotients(node.coming, self._work), []
            else:
                mass = Quotient.ratio(*node.visits, self._work)
            for arrivals, share, positive in self._steps(node.arrival):
                for arrival in arrivals:
                    arrive(arrival, mass.times(share, self._work), node if positive else None)
        self._check_loops(list(nodes.values()))
        found: dict[Output, list[tuple[Quotient, Event]]] = {}
        for node in nodes.values():
            if node.arrival.place == self._end:
                total = add_quotients(node.coming, self._work)
                if total:
                    found.setdefault(node.arrival.output, []).append((total, node.arrival.event))
        return found

    # --- programs whose only draws are those of noise ---

    def _ends(self, point: Point) -> dict[Output, list[tuple[Quotient, Event]]]:
        """The events with which runs end on an input, by output."""
        found: dict[Output, list[tuple[Quotient, Event]]] = {}
        waiting = [_Shared(0, (), ALWAYS)]
        while waiting:
            shared = waiting.pop()
            self._work.spend(10)
            onward = self._shared.get(shared)
            if onward is None:
                onward = self._shared[shared] = self._go_on(shared)
            if onward.read is not None:
                value = point[self._inputs[onward.read]]
                if value not in onward.values:
                    store = {**shared.values(), onward.read: value}
                    onward.values[value] = self._share(shared.place, store, shared.event)
                waiting.append(onward.values[value])
            elif onward.output is not None:
                found.setdefault(onward.output, []).append((CERTAIN, shared.event))
            waiting += onward.states
        return found

    def _go_on(self, shared: _Shared) -> _Onward:
        """From a state to where an input is read, a comparison is not decided, or the end."""
        place, store, event = shared.place, shared.values(), shared.event
        while True:
            instruction = self._code[place]
            self._work.spend(10)
            try:
                if place == self._end:
                    output = self._output(store, event)
                    if place == shared.place:
                        return _Onward(output=output)
                    break
                place = self._step(place, instruction, store, event)
            except Split as split:
                return _Onward(states=[self._share(place, store, finer) for finer in split.events])
            except Unread as unread:
                if unread.name not in self._inputs:
                    raise Unfit(f"line {instruction.line}: {unread}") from None
                if place == shared.place:
                    return _Onward(read=unread.name)
                break
            except Unfit as unfit:
                raise Unfit(f"line {instruction.line}: {unfit}") from None
        return _Onward(states=[self._share(place, store, event)])

    def _share(self, place: int, store: Store, event: Event) -> _Shared:
        """A state without what is not used any more, and with other names of samples.

        Samples of one scale are numbered in the order of what is said about them. Whatever the order, the
        state is the same up to names, so that outputs have the same probabilities from there on.
        """
        kept = {name: value for name, value in sorted(store.items()) if name in self._live[place]}
        said: dict[int, list[Any]] = {}
        for parts, constant in event:
            for sample, c in parts:
                others = sorted((self.events.kind(other), x) for other, x in parts if other != sample)
                said.setdefault(sample, []).append(("", c, constant, others))
        for name, value in kept.items():
            if isinstance(value, Linear):
                for sample, factor in value.parts:
                    said.setdefault(sample, []).append((name, factor, value.constant, []))
        names: dict[int, int] = {}
        counts: dict[tuple[bool, Fraction], int] = {}
        kind = self.events.kind
        for sample in sorted(said, key=lambda sample: (kind(sample), sorted(said[sample]), sample)):
            integer, scale = kind(sample)
            number = counts.get((integer, scale), 0)
            counts[integer, scale] = number + 1
            names[sample] = self.events.sample(number, scale, integer).parts[0][0]
        self._work.spend(20 * (len(kept) + len(event) + 1))
        self._work.keep(8 + 2 * len(kept) + 4 * len(event), 0)
        renamed = []
        for name, value in kept.items():
            if isinstance(value, Linear):
                value = value._replace(parts=_renamed(value.parts, names))
            renamed.append((name, value, isinstance(value, bool)))
        forms = frozenset((_renamed(parts, names), constant) for parts, constant in event)
        return _Shared(place, tuple(renamed), forms)

    def _unused(self, scale: Fraction, integer: bool, store: Store, event: Event) -> int:
        """The first number for a sample of a scale that has none in a state."""
        used = {sample for parts, _ in event for sample, _ in parts}
        for value in store.values():
            if isinstance(value, Linear):
                used.update(sample for sample, _ in value.parts)
        number = 0
        while self.events.sample(number, scale, integer).parts[0][0] in used:
            number += 1
        self._work.spend(4 * (len(used) + number + 1))
        return number

    def _claimed(
        self, arrival: Arrival, visits: Mapping[State, tuple[Exponential, Exponential]]
    ) -> tuple[Exponential, Exponential] | None:
        """How often a state is visited, if it is at the head of a while."""
        instruction = self._code[arrival.place]
        if instruction.what != "while":
            return None
        values = tuple(
            self.events.named(value.constant, value.parts)
            if isinstance(value, Linear)
            else _told_apart(value)
            for value in arrival.store.values()
        )
        forms = frozenset(self.events.named(constant, parts) for parts, constant in arrival.event)
        claimed = visits.get((instruction.number, values, forms))
        if claimed is None:
            raise OtherVisits(f"line {instruction.line}: a state of a loop is not listed")
        return claimed

    def _check_loops(self, nodes: list[_Node]) -> None:
        """That runs leave the loops for every ε, and that their states are visited as often as claimed."""
        waiting = [node for node in nodes if node.arrival.place == self._end]
        ending = set(waiting)
        while waiting:
            for node in waiting.pop().before:
                if node not in ending:
                    ending.add(node)
                    waiting.append(node)
        heads = [(node, node.visits) for node in nodes if node.visits is not None]
        if not all(node in ending for node, _ in heads):
            raise Unfit("a run may stay in a loop for ever, with positive probability")
        for node, visits in heads:
            if not add_quotients(node.coming, self._work).same_as(*visits, self._work):
                line = self._code[node.arrival.place].line
                raise OtherVisits(f"line {line}: a state of a loop is visited another number of times")

    # --- steps ---

    def _steps(self, arrival: Arrival) -> Iterator[tuple[list[Arrival], Quotient, bool]]:
        """Where a run comes next, with the probability, and whether that is positive for every ε."""
        place, store, _, event = arrival
        instruction = self._code[place]
        if instruction.what == "while":
            yield self._follow(place, dict(store), event, leaves=True), CERTAIN, True
            return
        try:
            options, weights = self._drawn(instruction, store, event)
            shares = self._weighed(weights)
        except Unfit as unfit:
            raise Unfit(f"line {instruction.line}: {unfit}") from None
        target = instruction.parts[0][1]
        for values, (share, positive) in zip(options, shares, strict=True):
            if share:
                for value, finer in values:
                    yield self._follow(place + 1, {**store, target: value}, finer), share, positive

    def _follow(
        self, place: int, store: dict[str, Value], event: Event, leaves: bool = False
    ) -> list[Arrival]:
        """Where a run comes next; ``leaves``: from the head of a while, at which it would otherwise be."""
        found: list[Arrival] = []
        waiting = [(place, store, event, leaves)]
        while waiting:
            place, store, event, leaves = waiting.pop()
            while True:
                instruction = self._code[place]
                self._work.spend(10)
                try:
                    if place == self._end:
                        found.append(Arrival(place, {}, self._output(store, event), event))
                        break
                    if instruction.what in _MEETING and not leaves:
                        found.append(Arrival(place, self._kept_of(instruction, store), (), event))
                        break
                    place = self._step(place, instruction, store, event)
                    leaves = False
                except Split as split:
                    waiting += [(place, dict(store), finer, leaves) for finer in reversed(split.events)]
                    break
                except Unfit as unfit:
                    raise Unfit(f"line {instruction.line}: {unfit}") from None
        return found

    def _step(self, place: int, instruction: Instruction, store: dict[str, Value], event: Event) -> int:
        """One instruction, which changes the store: where it goes on."""
        what, parts = instruction.what, instruction.parts
        if what == "jump":
            return instruction.target
        if what in ("test", "while"):
            return place + 1 if self._evaluator.truth(parts[0], store, event) else instruction.target
        if what == "assign":
            value = self._evaluator.value(parts[1], store, event)
        else:
            scale = self._evaluator.scale(parts[1], store, event)
            mean = self._evaluator.value(parts[2], store, event)
            number, integer = instruction.number, what == "DLap"
            if self._only_noise:
                number = self._unused(scale, integer, store, event)
            value = self._sample(number, scale, mean, integer)
        store[parts[0][1]] = value
        return place + 1

    def _sample(self, number: int, scale: Fraction, mean: Value, integer: bool) -> Linear:
        if isinstance(mean, Fraction):
            mean = Linear(integer, mean)
        if not isinstance(mean, Linear) or mean.integer != integer:
            raise Unfit("the mean of a sample is of another kind")
        if integer and mean.constant.denominator != 1:
            raise Unfit(f"the mean {brief(mean.constant)} of an integer is not a whole number")
        self._work.spend(4 * len(mean.parts) + 4)
        return mean.plus(self.events.sample(number, scale, integer))

    def _kept_of(self, instruction: Instruction, store: Store) -> dict[str, Value]:
        kept = self._kept[instruction.number]
        missing = next((name for name in kept if name not in store), None)
        if missing is not None:
            raise Unfit(f"{missing} is kept, and has no value")
        return {name: store[name] for name in kept}

    def _output(self, store: Store, event: Event) -> Output:
        return tuple(self._shown_value(output, store, event) for output in self._program.outputs)

    def _shown_value(self, output: str | Disc, store: Store, event: Event) -> Fraction | str:
        variable = ("var", output) if isinstance(output, str) else output[1]
        value = self._evaluator.value(variable, store, event)
        if not isinstance(output, str):
            steps = output[2]
            below = (step for step in steps[:-1] if self._evaluator.compare(value, "<=", step, event))
            return next(below, steps[-1])
        if isinstance(value, Linear):
            raise Unfit("an output is not finite")
        return str(value).lower() if isinstance(value, bool) else value

    # --- draws of finitely many values ---

    def _drawn(
        self, instruction: Instruction, store: Store, event: Event
    ) -> tuple[list[list[tuple[Value, Event]]], list[Exponential]]:
        """The values that may be drawn, by what else has to hold for them, and their weights."""
        evaluate, parts = self._evaluator, instruction.parts
        try:
            if instruction.what == "choose":
                options = [self._outcomes(value, store, event) for value, _ in parts[1]]
                return options, [evaluate.weight(weight, store, event) for _, weight in parts[1]]
            _, scale, candidate, candidates, score = parts
            options = [self._outcomes(value, store, event) for value in candidates]
            c, weights = evaluate.scale(scale, store, event), []
            for values in options:
                # where there are several they are Booleans, of which a score, a number, cannot make use
                rate = c * evaluate.number(score, {**store, candidate: values[0][0]}, event)
                weights.append(Exponential.of({(rate, 0): Fraction(1)}))
        except Split:
            raise Unfit("a comparison of samples stands in a weight") from None
        return options, weights

    def _outcomes(self, expression: Expression, store: Store, event: Event) -> list[tuple[Value, Event]]:
        """The values of an expression that is finite or Boolean, for each of the finer events it takes."""
        found, waiting = [], [event]
        while waiting:
            event = waiting.pop()
            try:
                found.append((self._evaluator.value(expression, store, event), event))
            except Split as split:
                waiting += reversed(split.events)
        if any(isinstance(value, Linear) for value, _ in found):
            raise Unfit("a value that is drawn is neither finite nor Boolean")
        return found

    def _weighed(self, weights: list[Exponential]) -> list[tuple[Quotient, bool]]:
        """Probabilities from weights that are shown to be what weights have to be; which are positive."""
        key = tuple(weight.identity for weight in weights)
        known = self._shares.get(key)
        if known is None:
            total, signs = ZERO, [self._is_positive(weight) for weight in weights]
            if None in signs:
                raise Unfit("a weight is not shown to be at least 0 on the interval")
            for weight in weights:
                total = total.plus(weight, self._work)
            if not any(signs) and not self._is_positive(total):
                raise Unfit("the sum of the weights is not shown to be positive")
            known = [
                (Quotient.ratio(weight, total, self._work), bool(sign))
                for weight, sign in zip(weights, signs, strict=True)
            ]
            self._work.keep(sum(len(weight.terms) for weight in weights), total.bits)
            self._shares[key] = known
        return known

    def _is_positive(self, function: Exponential) -> bool | None:
        """Whether a function is > 0 on the interval, or only ≥ 0; None if neither is shown."""
        if not function:
            return False
        return min(function.terms.values()) > 0 or self._shown.get(function.normal_form)


def live_variables(code: list[Instruction], outputs: Sequence[str | Disc]) -> list[set[str]]:
    """Before each instruction, what may still be used. Requires: jumps lead forward only."""
    found: list[set[str]] = [set() for _ in code]
    found[-1] = {output if isinstance(output, str) else output[1][1] for output in outputs}
    for place in range(len(code) - 2, -1, -1):
        what, parts, _, target, _ = code[place]
        if what == "jump":
            found[place] = found[target]
        elif what == "test":
            found[place] = found[place + 1] | found[target] | set(_used(parts[0]))
        else:
            found[place] = (found[place + 1] - {parts[0][1]}).union(*map(_used, parts[1:]))
    return found


def _used(expression: Expression) -> Iterator[str]:
    if expression[0] == "var":
        yield expression[1]
    else:
        for part in expression[1:]:
            if isinstance(part, tuple):
                yield from _used(part)


_Coefficient = TypeVar("_Coefficient", int, Fraction)


def _renamed(
    parts: tuple[tuple[int, _Coefficient], ...], names: Mapping[int, int]
) -> tuple[tuple[int, _Coefficient], ...]:
    return tuple(sorted((names[sample], c) for sample, c in parts))


def _told_apart(value: Value) -> Any:
    """A value for comparisons: in Python true is 1."""
    return str(value).lower() if isinstance(value, bool) else value
