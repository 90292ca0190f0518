"""The output distribution of a program on an input, as sums of functions of ε.

*Instructions.* Blocks become tests and jumps, so that a run has one number for where it is, and may come back
there: the only jumps backwards lead to the instruction ``loop`` at the head of a ``while``. What a run
remembers of its variables where ways may meet are those that some way onwards reads before it assigns them;
two runs that differ in others are the same from there on, and are counted once.

*Runs.* A state of a run is where it is, the values of the variables that are still needed, linear forms of
samples for those that are real or integer, and the event: the comparisons that hold. Runs are followed until
ways may meet, at a draw from finitely many values, at the head of a loop, and at the end; there a state is a
node of a graph. What arrives at each node is the business of ``loops.py``.

A comparison that is not decided splits a run in two, and both ways have the weight 1. Only at the end the
mass that arrives is multiplied by the probability of the event there. The conditional probabilities of the
comparisons along a way are P(C_1)/1, P(C_2)/P(C_1), ..., and their product is that of the last event; so
nothing is ever divided by a probability of samples. Within a loop no sample is drawn and an event only
grows, so the states that lead back to each other have the same event.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from ..core.digits import brief
from ..core.limits import Work
from .document import Output
from .events import ALWAYS, CERTAIN, Event, Events, Linear, Split
from .exponentials import ZERO, Exponential, Quotient
from .loops import Step, masses
from .program import Program
from .signs import Prover
from .text import Expression, Statement
from .values import Evaluator, Store, Unfit, Value

# --- instructions ---


class Instruction(NamedTuple):
    """What is done, with its parts; a test goes on at ``target`` if it fails, a jump goes there."""

    what: str
    parts: tuple[Any, ...]
    line: int
    target: int = -1


class Code(NamedTuple):
    """The instructions of a program, and for each the variables that are needed there."""

    instructions: list[Instruction]
    needed: list[tuple[str, ...]]


def compile_program(program: Program, work: Work) -> Code:
    """The instructions; the last one is the end, where the outputs are read. Raises: TooLarge."""
    instructions: list[Instruction] = []
    _append(program.body, instructions)
    end = len(instructions)
    for place, instruction in enumerate(instructions):
        if instruction.what == "exit":
            instructions[place] = instruction._replace(what="jump", target=end)
    instructions.append(Instruction("end", (), 0))
    return Code(instructions, _needed(instructions, [name for name, _ in program.outputs], work))


def _append(block: tuple[Statement, ...], found: list[Instruction]) -> None:
    for what, parts, line in block:
        if what == "while":
            head = len(found)
            found.append(Instruction("loop", (), line))
            found.append(Instruction("test", (parts[0],), line))
            _append(parts[1], found)
            found.append(Instruction("jump", (), line, head))
            found[head + 1] = found[head + 1]._replace(target=len(found))
        elif what == "if":
            _append_if(parts[0], parts[1], line, found)
        else:
            found.append(Instruction(what, parts, line))


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


def _needed(instructions: list[Instruction], outputs: list[str], work: Work) -> list[tuple[str, ...]]:
    """The variables that are read on some way from each instruction before they are assigned."""
    names: dict[str, int] = {}
    reads, writes = [], []
    for instruction in instructions:
        mask = 0
        for name in outputs if instruction.what == "end" else _names(instruction):
            mask |= 1 << names.setdefault(name, len(names))
        assigned = instruction.parts[0] if instruction.what in _ASSIGNING else None
        reads.append(mask)
        writes.append(0 if assigned is None else 1 << names.setdefault(assigned, len(names)))
    count = len(instructions)
    work.keep(3 * count, len(names))
    needed = [0] * (count + 1)
    changed = True
    while changed:
        work.spend(4 * count, len(names))
        changed = False
        for place in range(count - 1, -1, -1):
            instruction = instructions[place]
            after = 0 if instruction.what == "jump" else needed[place + 1]
            if instruction.target >= 0:
                after |= needed[instruction.target]
            before = reads[place] | (after & ~writes[place])
            if before != needed[place]:
                needed[place], changed = before, True
    listed = list(names)
    return [
        tuple(name for bit, name in enumerate(listed) if mask >> bit & 1)
        if instruction.what in _MEETING
        else ()
        for mask, instruction in zip(needed[:count], instructions, strict=True)
    ]


_ASSIGNING = ("assign", "Lap", "DLap", "Exp", "choose")
_MEETING = ("loop", "Exp", "choose", "end")


def _names(instruction: Instruction) -> list[str]:
    """The variables that an instruction reads."""
    what, parts = instruction.what, instruction.parts
    found: list[str] = []
    if what == "Exp":
        _, scale, candidate, candidates, score = parts
        _collect(score, found)
        found = [name for name in found if name != candidate]
        for part in (scale, *candidates):
            _collect(part, found)
    elif what == "choose":
        for chance in parts[1]:
            for part in chance:
                _collect(part, found)
    else:
        for part in parts if what == "test" else parts[1:]:
            _collect(part, found)
    return found


def _collect(expression: Expression, found: list[str]) -> None:
    if expression[0] == "var":
        found.append(expression[1])
    else:
        for part in expression[1:]:
            if isinstance(part, tuple):
                _collect(part, found)


# --- runs ---


_T = TypeVar("_T")


class Chance(NamedTuple):
    """A value that is drawn, with its probability."""

    value: Value
    weight: Quotient
    positive: bool


class _Node(NamedTuple):
    place: int
    store: dict[str, Value]
    event: Event
    output: Output | None


class Runs:
    """Follows a program on its inputs."""

    def __init__(self, program: Program, code: Code, prover: Prover, work: Work) -> None:
        self._program, self._code, self._prover, self._work = program, code, prover, work
        self.events = Events(work)
        self._evaluator = Evaluator(program.functions, self.events, work)
        self._drawn: dict[object, list[Chance]] = {}

    def distribution(self, point: tuple[Fraction, ...]) -> dict[Output, list[tuple[Quotient, Event]]]:
        """For each output the masses that arrive, and the events with whose probability they count.

        Raises: Unfit, TooLarge.
        """
        store: dict[str, Value] = dict(zip(self._program.inputs, point, strict=True))
        nodes, steps, first = self._explore(store)
        arrived = masses(steps, first, self._work)
        found: dict[Output, list[tuple[Quotient, Event]]] = {}
        for number, node in enumerate(nodes):
            if node.output is not None and arrived[number]:
                found.setdefault(node.output, []).append((arrived[number], node.event))
        return found

    # --- the graph ---

    def _explore(self, store: dict[str, Value]) -> tuple[list[_Node], list[list[Step]], list[Step]]:
        """All nodes with their steps, and the steps of the beginning."""
        nodes: list[_Node] = []
        numbers: dict[object, int] = {}

        def arrive(ways: list[_Node], weight: Quotient, positive: bool) -> list[Step]:
            found = []
            for way in ways:
                key = (way.place, tuple(way.store.values()), way.output, way.event)
                number = numbers.get(key)
                if number is None:
                    number = numbers[key] = len(nodes)
                    nodes.append(way)
                    self._work.keep(4 + len(way.store) + len(way.event), 0)
                found.append(Step(number, weight, positive))
            return found

        first = arrive(self._follow(0, store, ALWAYS), CERTAIN, True)
        steps: list[list[Step]] = []
        while len(steps) < len(nodes):
            node = nodes[len(steps)]
            mine: list[Step] = []
            if node.output is None:
                instruction = self._code.instructions[node.place]
                if instruction.what == "loop":
                    mine = arrive(self._follow(node.place + 1, dict(node.store), node.event), CERTAIN, True)
                else:
                    for event, chances in self._chances(node, instruction):
                        for chance in chances:
                            after = {**node.store, instruction.parts[0]: chance.value}
                            ways = self._follow(node.place + 1, after, event)
                            mine += arrive(ways, chance.weight, chance.positive)
            steps.append(mine)
        return nodes, steps, first

    def _follow(self, place: int, store: dict[str, Value], event: Event) -> list[_Node]:
        """The nodes that a run comes to next."""
        found: list[_Node] = []
        waiting = [(place, store, event)]
        while waiting:
            place, store, event = waiting.pop()
            while True:
                instruction = self._code.instructions[place]
                self._work.spend(10)
                try:
                    if instruction.what in ("loop", "Exp", "choose", "end"):
                        found += self._arrivals(place, store, event)
                        break
                    place, store, event = self._step(place, instruction, store, event)
                except Split as split:
                    waiting += [(place, dict(store), finer) for finer in reversed(split.events)]
                    break
                except Unfit as unfit:
                    raise Unfit(f"line {instruction.line}: {unfit}") from None
        return found

    def _step(
        self, place: int, instruction: Instruction, store: dict[str, Value], event: Event
    ) -> tuple[int, dict[str, Value], Event]:
        """One instruction, which changes the store."""
        what, parts, _, target = instruction
        if what == "jump":
            return target, store, event
        if what == "test":
            return (place + 1 if self._evaluator.value(parts[0], store, event) else target), store, event
        if what == "assign":
            value = self._evaluator.value(parts[1], store, event)
        else:
            scale = self._evaluator.scale(parts[1], store, event)
            mean = self._evaluator.value(parts[2], store, event)
            value = self._draw(place, scale, mean, what == "DLap")
        store[parts[0]] = value
        return place + 1, store, event

    def _draw(self, place: int, scale: Fraction, mean: Value, integer: bool) -> Linear:
        if not isinstance(mean, Linear):
            mean = Linear(integer, Fraction(mean))
        if integer and mean.constant.denominator != 1:
            raise Unfit(f"the mean {brief(mean.constant)} of an integer is not a whole number")
        self._work.spend(4 * len(mean.parts) + 4)
        return mean.plus(self.events.sample(place, scale, integer))

    def _arrivals(self, place: int, store: Store, event: Event) -> list[_Node]:
        if place < len(self._code.instructions) - 1:
            return [_Node(place, {name: store[name] for name in self._code.needed[place]}, event, None)]
        ends = self._outcomes(lambda finer: self._output(store, finer), event)
        return [_Node(place, {}, finer, output) for output, finer in ends]

    def _output(self, store: Store, event: Event) -> Output:
        return tuple(self._shown(store[name], steps, event) for name, steps in self._program.outputs)

    def _shown(self, value: Value, steps: tuple[Fraction, ...] | None, event: Event) -> Fraction | str:
        if steps is not None:
            below = (step for step in steps[:-1] if self._evaluator.compare(value, "<=", step, event))
            return next(below, steps[-1])
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, Fraction):
            raise Unfit("an output is not finite")
        return value

    def _outcomes(self, compute: Callable[[Event], _T], event: Event) -> list[tuple[_T, Event]]:
        """What is computed, for each of the finer events that it takes."""
        found, waiting = [], [event]
        while waiting:
            event = waiting.pop()
            try:
                found.append((compute(event), event))
            except Split as split:
                waiting += reversed(split.events)
        return found

    # --- draws of finitely many values ---

    def _chances(self, node: _Node, instruction: Instruction) -> list[tuple[Event, list[Chance]]]:
        try:
            draw = self._exponential if instruction.what == "Exp" else self._choice
            pairs = self._outcomes(lambda event: draw(instruction, node.store, event), node.event)
        except Unfit as unfit:
            raise Unfit(f"line {instruction.line}: {unfit}") from None
        return [(event, self._weighed(instruction, drawn)) for drawn, event in pairs]

    def _choice(
        self, instruction: Instruction, store: Store, event: Event
    ) -> list[tuple[Value, Exponential]]:
        evaluator = self._evaluator
        return [
            (evaluator.value(value, store, event), evaluator.weight(weight, store, event))
            for value, weight in instruction.parts[1]
        ]

    def _exponential(
        self, instruction: Instruction, store: Store, event: Event
    ) -> list[tuple[Value, Exponential]]:
        """Weights e^(c f(v) ε), for the scale c."""
        _, scale, candidate, candidates, score = instruction.parts
        c = self._evaluator.scale(scale, store, event)
        found = []
        for expression in candidates:
            value = self._evaluator.value(expression, store, event)
            rate = c * self._evaluator.number(score, {**store, candidate: value}, event)
            found.append((value, Exponential.of({(rate, 0): Fraction(1)})))
        return found

    def _weighed(self, instruction: Instruction, drawn: list[tuple[Value, Exponential]]) -> list[Chance]:
        """Probabilities from weights, once they are known to be what weights have to be."""
        key = tuple(
            (isinstance(value, bool), value, weight.grid, weight.denominator, frozenset(weight.terms.items()))
            for value, weight in drawn
        )  # in Python true is 1, and a choice of the one is none of the other
        known = self._drawn.get((instruction.what, key))
        if known is not None:
            return known
        total, sure = ZERO, []
        for _, weight in drawn:
            sure.append(bool(weight) and self._prover.positive(weight))
            if weight and not sure[-1] and not self._prover.nonnegative(weight):
                raise Unfit(
                    f"line {instruction.line}: a weight is not shown to be at least 0 on the interval"
                )
            total = total.plus(weight, self._work)
        if not any(sure) and not self._prover.positive(total):
            raise Unfit(f"line {instruction.line}: the sum of the weights is not shown to be positive")
        found = [
            Chance(value, Quotient.ratio(weight, total, self._work), positive)
            for (value, weight), positive in zip(drawn, sure, strict=True)
            if weight
        ]
        self._work.keep(sum(len(weight.terms) for _, weight in drawn), total.bits)
        self._drawn[instruction.what, key] = found
        return found
