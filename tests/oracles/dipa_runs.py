"""Path probabilities of automata the naive ways, in floating point: run often, or nest integrals.

`frequency` runs the automaton and counts. `quadrature` says what a path probability is, in a recursion over
its steps: given the stored value, a step that does not store has the probability that its sample is where it
must be; a step that stores is an integral over its sample. Each integral is one call of QUADPACK between
neighbouring points where the integrand may have a kink, and nested integrals are nested calls; so the cost is
exponential in the number of stored samples, and two are enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad

from bdist.dipa.automaton import Automaton, Guard, Noise, Real
from bdist.dipa.probability import Step

INFINITY = math.inf
NEGLIGIBLE = 40.0  # the density beyond that many scales from the mean is below e^-40 of its height


class Sample(NamedTuple):
    """A sample by rate and mean, and where it must fall."""

    rate: float
    mean: float
    low: float
    high: float

    def density(self, z: float) -> float:
        return self.rate / 2 * math.exp(-self.rate * abs(z - self.mean))

    def mass(self, low: float, high: float) -> float:
        """The probability of an interval; by symmetry, tails are always looked at from the right."""
        if low >= high:
            return 0.0
        if high <= self.mean:
            low, high = 2 * self.mean - high, 2 * self.mean - low
        return self._tail(low) - self._tail(high)

    def _tail(self, z: float) -> float:
        if z <= self.mean:
            return 1 - math.exp(-self.rate * (self.mean - z)) / 2
        return math.exp(-self.rate * (z - self.mean)) / 2


class Leg(NamedTuple):
    """A step in floating point: the sample that is compared, and the second one if it is disclosed."""

    first: Sample
    second: Sample | None
    guard: Guard
    assigns: bool


def legs(automaton: Automaton, path: Sequence[Step], epsilon: Fraction) -> list[Leg]:
    """The steps of a path in floating point."""
    result = []
    for step in path:
        transition = automaton.transitions[step.transition]
        state = automaton.states[transition.source]
        low, high = step.interval or (None, None)
        ends = (-INFINITY if low is None else float(low), INFINITY if high is None else float(high))
        anywhere = (-INFINITY, INFINITY)

        def sample(noise: Noise, ends: tuple[float, float], step: Step = step) -> Sample:
            return Sample(float(noise.d * epsilon), float(noise.mu + (step.input or 0)), *ends)

        second = None
        if transition.output is Real.SECOND:
            assert state.second is not None
            second = sample(state.second, ends)
        first = sample(state.noise, ends if transition.output is Real.SAMPLE else anywhere)
        result.append(Leg(first, second, transition.guard, transition.assigns))
    return result


def frequency(
    automaton: Automaton, path: Sequence[Step], epsilon: Fraction, *, runs: int, seed: int
) -> float:
    """How often independent runs on these inputs take the path and disclose samples in the intervals."""
    random = np.random.default_rng(seed)
    stored = np.zeros(runs)
    alive = np.ones(runs, dtype=bool)
    for leg in legs(automaton, path, epsilon):
        drawn = random.laplace(leg.first.mean, 1 / leg.first.rate, runs)
        alive &= (drawn >= leg.first.low) & (drawn <= leg.first.high)
        if leg.guard is Guard.LESS:
            alive &= drawn < stored
        if leg.guard is Guard.AT_LEAST:
            alive &= drawn >= stored
        if leg.second is not None:
            other = random.laplace(leg.second.mean, 1 / leg.second.rate, runs)
            alive &= (other >= leg.second.low) & (other <= leg.second.high)
        if leg.assigns:
            stored = drawn
    return float(np.mean(alive))


def quadrature(automaton: Automaton, path: Sequence[Step], epsilon: Fraction) -> float:
    """The probability of a path, to about nine digits."""
    steps = legs(automaton, path, epsilon)
    kinks = sorted({z for leg in steps for z in (leg.first.mean, leg.first.low, leg.first.high)})

    def rest(number: int, x: float) -> float:
        """The probability of the steps from this number on, if x is stored."""
        if number == len(steps):
            return 1.0
        leg = steps[number]
        first, second = leg.first, leg.second
        constant = 1.0 if second is None else second.mass(second.low, second.high)
        low = max(first.low, x) if leg.guard is Guard.AT_LEAST else first.low
        high = min(first.high, x) if leg.guard is Guard.LESS else first.high
        if not leg.assigns:
            return constant * first.mass(low, high) * rest(number + 1, x)
        low = max(low, first.mean - NEGLIGIBLE / first.rate)
        high = min(high, first.mean + NEGLIGIBLE / first.rate)
        if low >= high:
            return 0.0
        points = [low, *(z for z in kinks if low < z < high), high]
        return constant * sum(
            float(quad(lambda z: first.density(z) * rest(number + 1, z), a, b, epsabs=1e-13, epsrel=1e-9)[0])
            for a, b in pairwise(points)
        )

    return rest(0, 0.0)
