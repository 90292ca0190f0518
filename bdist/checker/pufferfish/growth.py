"""That ratios are unbounded: a block of observations that can be repeated. SPEC-PUFFERFISH section 3.3.

After a prefix, each round of the block multiplies what is left of the first side by at least ``up``, and
what is left of the second by at most ``down``, which is less. The certificate names the two vectors that
say so: one below the first side, which a round makes ``up`` times as large, at least, and one above the
second side. No eigenvalue is computed, and no limit taken. Where words must occur on both sides, the states
that the second side may be in are followed until they repeat; as there may be many such sets, each is
counted as work.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NoReturn

from ..core.chain import shown
from ..core.digits import brief, size
from ..core.steps import Rejected
from ..core.vectors import common_denominator, scaled
from .document import Repetition
from .model import HiddenModel
from .systems import NumberSystem, PolynomialSystem, Vector


def verify_growth(
    model: HiddenModel,
    growth: Sequence[Repetition],
    common: bool,
    system: NumberSystem | PolynomialSystem,
    per_step: Fraction,
) -> None:
    """Return if the ratios of every repetition are unbounded. Raises: Rejected, TooLarge.

    A step of the system, times ``per_step``, is one of the specification.
    """
    for number, repetition in enumerate(growth):
        place = f"growth[{number}]"
        if isinstance(system, PolynomialSystem):
            raise Rejected("growth", f"{place}: there are parameters without values")
        if repetition.pair >= len(system.roots):
            raise Rejected("growth", f"{place}: there is no pair {repetition.pair}")
        _Growth(model, repetition, place, common, system).check(per_step)


class _Growth:
    """One repetition."""

    def __init__(
        self, model: HiddenModel, repetition: Repetition, place: str, common: bool, system: NumberSystem
    ) -> None:
        self._model, self._repetition, self._place = model, repetition, place
        self._common, self._system = common, system

    def check(self, per_step: Fraction) -> None:
        """The step growth."""
        repetition, system = self._repetition, self._system
        pair = system.roots[repetition.pair]
        for observation in repetition.prefix:
            pair = system.step(pair, observation).child
        if not repetition.up > repetition.down > 0:
            self._fail(
                f"up = {brief(repetition.up)} and down = {brief(repetition.down)} are no bounds of growth"
            )
        below = self._vector("below", repetition.below)
        above = self._vector("above", repetition.above)
        if not below:
            self._fail("below is empty")
        for state in below:
            if state not in pair.alpha:
                self._fail(f"below names {self._name(state)}, where the first side is 0")
        for state in pair.beta:
            if state not in above:
                self._fail(f"above does not name {self._name(state)}, where the second side is not 0")
        self._check_rounds(below, above, per_step)
        if not self._occurs(frozenset(below)):
            self._fail("the suffix does not occur after below")
        if self._common:
            self._check_occurs(frozenset(pair.beta))

    def _vector(self, what: str, named: dict[str, Fraction]) -> Vector[int]:
        """A vector of the certificate, times a positive number."""
        for name, value in named.items():
            if name not in self._model.numbers:
                self._fail(f"{what} names {shown(name)}, not a state of the model")
            if value <= 0:
                self._fail(f"{what} is {brief(value)} in {shown(name)}, and must be positive")
        numbers = {self._model.numbers[name]: value for name, value in named.items()}
        return scaled(numbers, common_denominator(numbers.values(), self._system.work))

    def _check_rounds(self, below: Vector[int], above: Vector[int], per_step: Fraction) -> None:
        """That a round makes the one at least ``up`` times as large, and the other at most ``down`` times."""
        work, length = self._system.work, len(self._repetition.block)
        work.reduce(length * size(per_step))
        p, q = (per_step**length).as_integer_ratio()
        up, over = self._repetition.up.as_integer_ratio()
        after = self._round(below)
        bits = max(p, q, up, over, *after.values()).bit_length()
        work.spend(4 * len(below), bits, bits)
        for state, x in below.items():
            if after.get(state, 0) * p * over < up * x * q:
                self._fail(f"below in {self._name(state)}: a round makes it less than up times as large")
        down, over = self._repetition.down.as_integer_ratio()
        after = self._round(above)
        bits = max(p, q, down, over, *after.values(), *above.values()).bit_length()
        work.spend(4 * len(after), bits, bits)
        for state, x in after.items():
            if x * p * over > down * above.get(state, 0) * q:
                self._fail(f"above in {self._name(state)}: a round makes it more than down times as large")

    def _round(self, vector: Vector[int]) -> Vector[int]:
        """The vector times M, not scaled."""
        for observation in self._repetition.block:
            vector = self._system.moved(self._system.seen(vector, observation))
        return vector

    # --- which words occur, from the states alone ---

    def _check_occurs(self, states: frozenset[int]) -> None:
        """That the word occurs on the second side after any number of rounds."""
        before: set[frozenset[int]] = set()
        while states not in before:
            self._system.work.keep(1 + len(states), 0)
            before.add(states)
            if not self._occurs(states):
                rounds = f"after {len(before) - 1} rounds" if len(before) > 1 else "before the first round"
                self._fail(f"the suffix does not occur on the second side {rounds}")
            for observation in self._repetition.block:
                states = self._next(self._showing(states, observation))

    def _occurs(self, states: frozenset[int]) -> bool:
        """Whether the suffix has a value that is not 0."""
        *beginning, last = self._repetition.suffix
        for observation in beginning:
            states = self._next(self._showing(states, observation))
        return bool(self._showing(states, last))

    def _showing(self, states: frozenset[int], observation: str) -> frozenset[int]:
        self._system.work.spend(1 + len(states))
        return frozenset(state for state in states if observation in self._system.observed[state])

    def _next(self, states: frozenset[int]) -> frozenset[int]:
        rows = self._system.rows
        self._system.work.spend(sum(len(rows[state]) for state in states))
        return frozenset(target for state in states for target in rows[state])

    def _name(self, state: int) -> str:
        return shown(self._model.states[state].name)

    def _fail(self, problem: str) -> NoReturn:
        raise Rejected("growth", f"{self._place}: {problem}")
