"""A leak, seen: two adjacent inputs and an output whose probabilities are further and further apart.

A violation says that privacy fails for every bound; a witness shows it failing for one. It is a path through
the automaton on which the cycles of the violation are repeated n times, and two input sequences that differ
by at most 1 in each place. In the *consistent* run the inputs fit the guards on the cycles, in the *opposed*
run they contradict them, so that the outputs are less likely, by a factor that grows geometrically with n.

How the inputs are chosen. A *level* follows the stored value: the mean with which x was last stored. Steps
that both runs share read inputs that make their guards likely. On the cycles of a pair a sample that must be
below x has mean level - 1/2 in one run and level + 1/2 in the other, and one that must be above, the other
way round. As n grows only the best x counts: the probability behaves like the n-th power of the largest value
over x of the product of the step's probabilities, and that is larger, for every x, in the consistent run. A
disclosed value is asked to lie within 1/8 of the level, which pins x as a cycle would. On a disclosing cycle
the runs read numbers that differ by 1, and the output is asked to be below the mean of one of them.

A leaking cycle stores again on every round, and shifting everything by 1 would change nothing. So samples are
taken in disjoint pairs: a stored value and the next sample that is compared with it contend for one level,
half above and half below it in one run and the other way round in the other. Other comparisons are made
likely by a distance of several standard deviations. The pairs are nearly independent, and each contributes
its factor. (The talk's evenly spaced inputs were tried: where the noise is wider than the spacing, the
quotient hardly grows.)

The probabilities are enclosures between rationals (`probability`); the quotient that is reported is that of
the smaller end of one and the larger end of the other. Nothing here has to be believed for the verdict, which
rests on the certificate; and every number can be recomputed from the path and the two inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget, Stopped
from bdist.dipa.automaton import Automaton, ControlState, Guard, Real, Transition
from bdist.dipa.decision import Kind, Violation
from bdist.dipa.probability import Enclosure, Step, path_probability
from bdist.errors import ParameterError
from bdist.report import OneLine

MOST_REPETITIONS = 4096
_HALF = Fraction(1, 2)
_NEAR = Fraction(1, 8)
_FAR_SCALES = 4  # how far, in units of 1 / (d eps), an input is put to make a guard likely


@dataclass(frozen=True, repr=False)
class Witness(OneLine):
    """The same path on two adjacent inputs, with its probability on each."""

    repetitions: int
    epsilon: Fraction
    consistent: tuple[Step, ...]
    opposed: tuple[Step, ...]
    likely: Enclosure
    unlikely: Enclosure

    @property
    def ratio(self) -> Fraction:
        """A lower bound on the quotient of the two probabilities. Requires: the smaller one is positive."""
        return self.likely.lower.value / self.unlikely.upper.value


def witnesses(
    automaton: Automaton,
    violation: Violation,
    epsilon: Fraction,
    budget: Budget | None = None,
) -> Iterator[Witness]:
    """Witnesses with 1, 2, 4, ... repetitions of the cycles, until the budget is used up.

    Raises: ParameterError where epsilon is not positive.
    """
    if epsilon <= 0:
        raise ParameterError(f"epsilon = {epsilon} must be positive")
    limit = budget or Budget()
    for doublings in range(MOST_REPETITIONS.bit_length()):
        runs = _Runs(automaton, epsilon)
        runs.walk(violation, 1 << doublings)
        try:
            likely = path_probability(automaton, runs.consistent, epsilon, budget=limit)
            unlikely = path_probability(automaton, runs.opposed, epsilon, budget=limit)
            limit.check()
        except Stopped:
            return
        consistent, opposed = tuple(runs.consistent), tuple(runs.opposed)
        yield Witness(1 << doublings, epsilon, consistent, opposed, likely, unlikely)


def witness_for(
    automaton: Automaton,
    violation: Violation,
    epsilon: Fraction,
    ratio: Fraction,
    budget: Budget | None = None,
) -> tuple[Witness, ...]:
    """Witnesses up to the first whose quotient is at least ``ratio``, or as far as the budget reached."""
    made: list[Witness] = []
    for witness in witnesses(automaton, violation, epsilon, budget):
        made.append(witness)
        if witness.ratio >= ratio:
            break
    return tuple(made)


class _Runs:
    """Two runs along one path, step by step; ``level`` is the mean of the stored value in the first."""

    def __init__(self, automaton: Automaton, epsilon: Fraction) -> None:
        self._automaton, self._epsilon = automaton, epsilon
        self.consistent: list[Step] = []
        self.opposed: list[Step] = []
        self._level = Fraction(0)

    def walk(self, violation: Violation, repetitions: int) -> None:
        """The whole path, with so many repetitions of each cycle."""
        kind = violation.kind
        self._shared(violation.prefix, keep_level=False)
        if kind is Kind.LEAKING_CYCLE:
            self._pairs(violation.first * repetitions)
        elif kind is Kind.DISCLOSING_CYCLE:
            for _ in range(repetitions):
                self._disclosing_round(violation.first)
        elif kind in (Kind.DISCLOSED_STORE, Kind.DISCLOSED_SAMPLE):
            self._pinned(violation.first[0])
        else:
            self._cycle(violation.first * repetitions)
        self._shared(violation.between, keep_level=True)
        if kind is Kind.LATE_DISCLOSURE:
            self._pinned(violation.second[0])
        else:
            self._cycle(violation.second * repetitions)

    def _shared(self, transitions: Sequence[int], *, keep_level: bool) -> None:
        """Steps that are the same in both runs, with inputs that make their guards likely.

        Where the level is to be kept, stores have it as their mean, so that the cycles before and after
        contend for the same values.
        """
        for t in transitions:
            transition = self._automaton.transitions[t]
            mean = self._level if transition.assigns and keep_level else self._likely_mean(transition)
            self._step(t, mean, mean)

    def _cycle(self, transitions: Sequence[int]) -> None:
        """Rounds without stores: samples that are compared have means on the right or on the wrong side."""
        for t in transitions:
            side = _side(self._automaton.transitions[t].guard) * _HALF
            self._step(t, self._level + side, self._level - side)

    def _pinned(self, t: int) -> None:
        """A step whose sample is disclosed, close to the level."""
        self._step(t, self._level, self._level, (self._level - _NEAR, self._level + _NEAR))

    def _pairs(self, transitions: Sequence[int]) -> None:
        """The rounds of a leaking cycle: stored values and samples compared with them, in disjoint pairs."""
        means = [self._level] * len(transitions)
        offsets = [Fraction(0)] * len(transitions)  # of the consistent run; the other has the opposite
        stored, taken = -1, False  # the step that stored x last, -1 before the cycle; is it in a pair?
        for i, t in enumerate(transitions):
            transition = self._automaton.transitions[t]
            side = _side(transition.guard)
            paired = side != 0 and not taken
            if paired:
                means[i], offsets[i], taken = self._level, side * _HALF, True
                if stored >= 0 and self._state(transitions[stored]).reads_input:
                    offsets[stored] = -side * _HALF
            else:
                means[i] = self._likely_mean(transition)
            if transition.assigns:
                state = self._state(t)
                self._level = means[i] if state.reads_input else state.noise.mu
                stored, taken = i, paired
        for t, mean, offset in zip(transitions, means, offsets, strict=True):
            self._step(t, mean + offset, mean - offset)

    def _state(self, t: int) -> ControlState:
        return self._automaton.states[self._automaton.transitions[t].source]

    def _disclosing_round(self, cycle: Sequence[int]) -> None:
        for k, t in enumerate(cycle):
            transition = self._automaton.transitions[t]
            mean = self._likely_mean(transition)
            if k:
                self._step(t, mean, mean)
                continue
            state, offset = self._state(t), Fraction(0)
            if transition.output is Real.SECOND and state.second is not None:
                offset = state.second.mu - state.noise.mu
            # the further run reads a number that is further from what the guard wants less of
            away = Fraction(-1 if _side(transition.guard) > 0 else 1)
            end = mean + offset
            interval = (None, end) if away > 0 else (end, None)
            self._step(t, mean, mean + away, interval)

    def _likely_mean(self, transition: Transition) -> Fraction:
        """A mean that makes the guard hold with high probability."""
        scale = _FAR_SCALES / (self._automaton.states[transition.source].noise.d * self._epsilon)
        far = Fraction(round(scale) + 1)
        return self._level + _side(transition.guard) * far

    def _step(
        self,
        t: int,
        mean: Fraction,
        other: Fraction,
        interval: tuple[Fraction | None, Fraction | None] | None = None,
    ) -> None:
        """One step in both runs; means are of insample, and fixed where no input is read."""
        transition = self._automaton.transitions[t]
        state = self._state(t)
        if isinstance(transition.output, Real) and interval is None:
            interval = (None, None)
        inputs: tuple[Fraction | None, Fraction | None] = (None, None)
        if state.reads_input:
            inputs = (mean - state.noise.mu, other - state.noise.mu)
        else:
            mean = state.noise.mu
        self.consistent.append(Step(t, inputs[0], interval))
        self.opposed.append(Step(t, inputs[1], interval))
        if transition.assigns:
            self._level = mean


def _side(guard: Guard) -> int:
    """Where a sample must be, relative to x: -1 below, 1 above, 0 anywhere."""
    return {Guard.TRUE: 0, Guard.LESS: -1, Guard.AT_LEAST: 1}[guard]
