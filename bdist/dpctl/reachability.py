"""The most and the least probability of an until over all schedulers of a process, exactly.

Policy iteration. For the most probability it begins with choices that lead towards the goal wherever there
is a way, and changes a choice only where another is strictly better; when nothing changes, the values are a
solution of the optimality equation that is attained, so they are the least one, and right. For the least
probability the states from which the goal can be avoided are found first, on the graph, and set to 0;
outside of them the solution is unique, so any fixed point will do. Each round is one sparse linear system,
solved exactly (`bdist.exact.linear`).
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from bdist.budget import Budget
from bdist.dpctl.elimination import Eliminator, Marks
from bdist.dpctl.rests import Successors
from bdist.exact.fast import ONE, ZERO

Rows = Sequence[Sequence[Successors]]
Choices = list[int]


def until_in(rows: Rows, choices: Sequence[int], left: Marks, right: Marks, budget: Budget) -> list[fmpq]:
    """The probability of the until in the chain that these choices make."""
    chain = [dict(rows[state][action]) for state, action in enumerate(choices)]
    eliminator = Eliminator(chain, budget)
    eliminator.until(left, right, last=True)
    return eliminator.solutions[0]


def largest_until(rows: Rows, left: Marks, right: Marks, budget: Budget) -> tuple[list[fmpq], Choices]:
    """The most probability from each state, and choices that attain it."""
    choices = _toward(rows, left, right)
    while True:
        values = until_in(rows, choices, left, right, budget)
        if not _improve(rows, choices, values, left, right, 1):
            return values, choices


def least_until(rows: Rows, left: Marks, right: Marks, budget: Budget) -> tuple[list[fmpq], Choices]:
    """The least probability from each state, and choices that attain it."""
    avoiding, choices = avoiding_states(rows, left, right)
    inside = [marked and not avoided for marked, avoided in zip(left, avoiding, strict=True)]
    while True:
        values = until_in(rows, choices, inside, right, budget)
        if not _improve(rows, choices, values, inside, right, -1):
            return values, choices


def avoiding_states(rows: Rows, left: Marks, right: Marks) -> tuple[Marks, Choices]:
    """The largest set of states from which ``right`` can be avoided, and choices that stay in it."""
    inside = [not marked for marked in right]
    choices = [0] * len(rows)
    changed = True
    while changed:
        changed = False
        for state, actions in enumerate(rows):
            if not inside[state] or not left[state]:
                continue
            stay = next((a for a, row in enumerate(actions) if all(inside[t] for t, _ in row)), None)
            if stay is None:
                inside[state], changed = False, True
            else:
                choices[state] = stay
    return inside, choices


def _toward(rows: Rows, left: Marks, right: Marks) -> Choices:
    """Choices that come closer to ``right`` through ``left`` with positive probability, where they can."""
    choices = [0] * len(rows)
    found = list(right)
    changed = True
    while changed:
        changed = False
        for state, actions in enumerate(rows):
            if found[state] or not left[state]:
                continue
            for action, row in enumerate(actions):
                if any(found[t] for t, _ in row):
                    choices[state], found[state], changed = action, True, True
                    break
    return choices


def _improve(rows: Rows, choices: Choices, values: list[fmpq], left: Marks, right: Marks, sign: int) -> bool:
    """Change choices where another one is strictly better; whether one was changed."""
    changed = False
    for state, actions in enumerate(rows):
        if right[state] or not left[state]:
            continue
        best = values[state]
        for action, row in enumerate(actions):
            value = ZERO
            for target, p in row:
                value += p * values[target]
            if (value - best) * sign > 0:
                best, choices[state], changed = value, action, True
    return changed


def complement(values: Sequence[fmpq]) -> list[fmpq]:
    """1 minus each value."""
    return [ONE - value for value in values]
