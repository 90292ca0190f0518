"""A program as a list of instructions, with the variables that are still needed at each.

Blocks become tests and jumps, so that a run has one number for where it is, and may come back there: the
only jumps backwards lead to the instruction ``loop`` at the head of a ``while``. What a run remembers of its
variables where ways may meet are those that some way onwards reads before it assigns them; two runs that
differ in others are the same from there on, and are counted once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.limits import Work
from .expansion import Program
from .expressions import Expression
from .text import Statement


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
