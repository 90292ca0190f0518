"""Functions on the states of a label, written briefly: some states by name, one value for the rest.

The f and g of a lower bound are defined on every state of the labels involved. Nearly all states of a label
share one value, so a certificate lists the others and says once what the rest has (SPEC, ``f_rest``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from flint import fmpq

from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.explore.extension import Extension
from bdist.exact.rationals import ONE, ZERO, simplest_between, to_fmpq, to_fraction


@dataclass
class Potential:
    """Values by state, and by label for the states that are not listed; 0 elsewhere."""

    listed: dict[int, fmpq] = field(default_factory=dict)
    rest: dict[str, fmpq] = field(default_factory=dict)

    def add(self, members: tuple[int, ...], values: Mapping[int, fmpq], chain: LabelledMarkovChain) -> None:
        """Add the values on one label; 0 at members without one."""
        counts = Counter(values.get(k, ZERO) for k in members)
        rest = max(counts, key=lambda x: (counts[x], -x))
        if rest:
            self.rest[chain.labels[members[0]]] = rest
        self.listed.update({k: values.get(k, ZERO) for k in members if values.get(k, ZERO) != rest})

    def extend(
        self,
        members: tuple[int, ...],
        inside: Mapping[int, fmpq],
        extension: Extension,
        chain: LabelledMarkovChain,
    ) -> fmpq:
        """Add values on the states inside and an extension to the others; returns the value of the rest."""
        rest = between(*extension.rest)
        if rest:
            self.rest[chain.labels[members[0]]] = rest
        for k, x in (*inside.items(), *((k, exactly(x)) for k, x in extension.listed.items())):
            if x != rest:
                self.listed[k] = x
        return rest

    def entries(self, chain: LabelledMarkovChain) -> tuple[tuple[str, Fraction], ...]:
        """The listed values by name."""
        return tuple((chain.states[k], to_fraction(x)) for k, x in sorted(self.listed.items()))

    def rests(self) -> tuple[tuple[str, Fraction], ...]:
        """The values of the rest by label."""
        return tuple((label, to_fraction(x)) for label, x in sorted(self.rest.items()))


def between(low: float, high: float) -> fmpq:
    """A short number between two floats; 0 or 1 where it fits."""
    if low <= 0.0:
        return ZERO
    if high >= 1.0:
        return ONE
    simplest = simplest_between(Fraction(low), Fraction(high))
    return exactly(low) if simplest is None else to_fmpq(simplest)


def exactly(value: float) -> fmpq:
    """The number that a float is."""
    return fmpq(*value.as_integer_ratio())
