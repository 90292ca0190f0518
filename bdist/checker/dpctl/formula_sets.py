r"""Which states satisfy a formula, and how likely a path formula is, SPEC-DPCTL sections 1 and 3.

A set of states is a string of bytes, one for each state. State formulas are evaluated by recursion. For a
path formula, its maximal state subformulas come first. Then its other parts are taken in the order in which
they end in the text, with a stack of sets of the current chain: an operator takes its operands from the top,
and leaves what it becomes. When the chain changes, so does everything on the stack; the sets of state
subformulas that have not come yet belong to the model, and are translated by origins when they come.

The propositions of a label are read here, too: ``{}`` has none, ``a,"b,c"`` is a list, and ``"{}"`` in quotes
is the one proposition ``{}``. A label that is nothing of that kind is its own proposition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from ..core.chain import Model
from ..core.digits import size
from ..core.limits import Work
from ..core.steps import Rejected
from .formula_chain import (
    Chain,
    StateSet,
    Step,
    eliminate_next,
    eliminate_until,
    eliminate_within,
    first_chain,
    forget,
)
from .formula_document import (
    AND,
    ATOM,
    NEXT,
    NOT,
    PRIVACY,
    PROBABILITY,
    TRUE,
    UNTIL,
    Formula,
    FormulaCertificate,
)
from .formula_powers import Bound

_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*+)"', re.DOTALL)
_ITEM = re.compile(r'"(?:[^"\\]|\\["\\])*+"|[^,"\\]++', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\])')
_NOTHING = "{}"


def propositions(label: str) -> frozenset[str]:
    """What a label says that holds."""
    if label == _NOTHING:
        return frozenset()
    if names := _listed(label):
        return frozenset(names)
    content = _unquoted(label)
    return frozenset([label if content is None or not _has_meaning(content) else content])


def _has_meaning(label: str) -> bool:
    """Whether a label stands for anything but itself."""
    if label == _NOTHING or _listed(label):
        return True
    content = _unquoted(label)
    return content is not None and _has_meaning(content)


def _listed(label: str) -> list[str]:
    """The names in a label that is a list of two or more, or none."""
    names, position = [], 0
    while (item := _ITEM.match(label, position)) is not None:
        content = _unquoted(item[0])
        names.append(item[0] if content is None else content)
        position = item.end()
        if position == len(label):
            break
        if label[position] != ",":
            return []
        position += 1
    else:
        return []
    ordered = all(before < after for before, after in pairwise(names))
    return names if len(names) > 1 and ordered and ",".join(map(_written, names)) == label else []


def _written(name: str) -> str:
    if name in ("", _NOTHING) or any(mark in name for mark in ',"\\'):
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return name


def _unquoted(text: str) -> str | None:
    match = _QUOTED.fullmatch(text)
    return None if match is None else _ESCAPE.sub(r"\1", match[1])


class Evaluation:
    """The evaluation of one certificate's formula, which takes its solutions one after another."""

    def __init__(self, model: Model, certificate: FormulaCertificate, work: Work) -> None:
        self.names = tuple(sorted(model.labels))
        number = {name: i for i, name in enumerate(self.names)}
        self._labels = [model.labels[name] for name in self.names]
        self._propositions = {label: propositions(label) for label in set(self._labels)}
        self._neighbours = [(number[s], number[t]) for s, t in certificate.neighbours]
        self._solutions = certificate.solutions
        self._used = 0
        self._chain = first_chain(model, work)
        self._work = work

    def satisfying(self, formula: Formula) -> StateSet:
        """The states that satisfy a state formula. Raises: Rejected, TooLarge."""
        self._work.spend(len(self.names))
        self._work.keep(1 + len(self.names) // 128, 0)
        if formula.kind == TRUE:
            return b"\1" * len(self.names)
        if formula.kind == ATOM:
            having = {label for label, found in self._propositions.items() if formula.atom in found}
            return bytes(label in having for label in self._labels)
        if formula.kind == NOT:
            return _complement(self.satisfying(formula.parts[0]))
        if formula.kind == AND:
            first = self.satisfying(formula.parts[0])
            return _common(first, self.satisfying(formula.parts[1]))
        likely = self.probabilities(formula.parts[0])
        if formula.kind == PROBABILITY:
            return self._compared(likely, formula.sign, formula.threshold)
        return self._private(likely, formula)

    def probabilities(self, formula: Formula) -> list[Fraction]:
        """How likely a path formula is, for all states of the model. Raises: Rejected, TooLarge."""
        chain, found = self._eliminated(formula)
        total = [Fraction(0)] * len(self.names)
        for origin, weight, inside in zip(chain.origins, chain.weights, found, strict=True):
            if inside:
                self._work.reduce(size(total[origin]) + size(weight))
                total[origin] += weight
        forget(chain, self._work)
        return total

    def check_all_used(self) -> None:
        """That the formula has taken every solution. Raises: Rejected."""
        given = len(self._solutions)
        if self._used < given:
            raise Rejected("solution", f"there are {given} solutions, and the formula takes {self._used}")

    def _eliminated(self, formula: Formula) -> tuple[Chain, StateSet]:
        known = {id(part): self.satisfying(part) for part in _state_parts(formula)}
        chain, left = self._chain, formula.operators
        stack: list[StateSet] = []
        for part in _parts(formula):
            self._work.spend(1 + len(chain.origins))
            self._work.hold(1 + (len(stack) + 2) * len(chain.origins) // 128, 0)
            if part.is_state_formula:
                model_set = known[id(part)]
                stack.append(bytes(model_set[origin] for origin in chain.origins))
            elif part.kind == NOT:
                stack.append(_complement(stack.pop()))
            elif part.kind == AND:
                second = stack.pop()
                stack.append(_common(stack.pop(), second))
            else:
                left -= 1
                step = self._eliminate(chain, part, stack, left == 0)
                self._work.spend(len(stack) * len(step.parents))
                self._work.hold(1 + len(stack) * len(step.parents) // 128, 0)
                stack = [bytes(map(old.__getitem__, step.parents)) for old in stack]
                stack.append(step.holds)
                chain = step.chain
        return chain, stack[0]

    def _eliminate(self, chain: Chain, operator: Formula, stack: list[StateSet], last: bool) -> Step:
        to = stack.pop()
        if operator.kind == NEXT:
            return eliminate_next(chain, to, last, self._work)
        through = stack.pop()
        if operator.kind == UNTIL:
            place = f"solutions[{self._used}]"
            if self._used == len(self._solutions):
                raise Rejected("solution", f"the formula takes {place}, and there is none")
            solution = self._solutions[self._used]
            self._used += 1
            return eliminate_until(chain, through, to, solution, place, last, self._work)
        return eliminate_within(chain, operator.most, through, to, last, self._work)

    def _compared(self, likely: list[Fraction], sign: str, threshold: Fraction) -> StateSet:
        longest = max(map(size, likely))
        self._work.spend(2 * len(likely), longest, size(threshold))
        if sign == "<":
            return bytes(p < threshold for p in likely)
        if sign == "<=":
            return bytes(p <= threshold for p in likely)
        if sign == ">=":
            return bytes(p >= threshold for p in likely)
        return bytes(p > threshold for p in likely)

    def _private(self, likely: list[Fraction], formula: Formula) -> StateSet:
        if formula.privacy is None:
            raise ValueError(f"{formula.kind} instead of {PRIVACY}")
        bound = Bound(formula.privacy, self._work)
        found = bytearray(b"\1" * len(likely))
        for s, t in self._neighbours:
            if (found[s] or found[t]) and not (
                bound.holds(likely[s], likely[t]) and bound.holds(likely[t], likely[s])
            ):
                found[s] = found[t] = 0
        return bytes(found)


def _state_parts(formula: Formula) -> Iterator[Formula]:
    """The maximal state subformulas, from left to right."""
    return (part for part in _parts(formula) if part.is_state_formula)


def _parts(formula: Formula) -> Iterator[Formula]:
    """The formula down to its maximal state subformulas, in the order in which they end in the text."""
    if not formula.is_state_formula:
        for part in formula.parts:
            yield from _parts(part)
    yield formula


def _complement(states: StateSet) -> StateSet:
    return states.translate(_SWAP)


def _common(first: StateSet, second: StateSet) -> StateSet:
    return bytes(map(int.__and__, first, second))


_SWAP = bytes.maketrans(b"\0\1", b"\1\0")
