"""What `bdist` answers, held against the oracle: the ways to ask, and the first of them that disagrees.

Exact answers must be equal. A bracket must hold the oracle's value, be certified, and be as narrow as was
asked. The quotient is compared with the oracle on a quotient of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from bdist import BdistError, Distance, LabelledMarkovChain, distance, distance_table
from tests.oracles import supports
from tests.oracles.traps import Trap

NINE_DIGITS = Fraction(1, 10**9)
COARSE = Fraction(1, 50)


@dataclass(frozen=True)
class Way:
    """One way to ask: how, for which quantity, for all pairs or for one."""

    quantity: str
    all_pairs: bool
    arguments: Mapping[str, object] = field(default_factory=dict)
    width: Fraction = Fraction(0)
    quotient: bool = False

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.quantity} of {'all pairs' if self.all_pairs else 'the pair'}, {given or 'by default'}"


EXPLORE = {"method": "explore", "precision": 0}
WITHIN = {"precision": NINE_DIGITS}
FIRST = Way("bd", True, EXPLORE)
WAYS = (
    FIRST,
    Way("bd", False, width=NINE_DIGITS),
    Way("ld", True, EXPLORE),
    Way("bd", False, WITHIN, NINE_DIGITS),
    Way("bd", False, EXPLORE),
    Way("bd", False, {"quotient": True, "precision": 0}, quotient=True),
    Way("bd", True, {"method": "strategy"}),
    Way("ld", False, WITHIN, NINE_DIGITS),
    Way("bd", True, {"method": "explore", **WITHIN}, NINE_DIGITS),
    Way("ld", False, {"quotient": True, "precision": 0}, quotient=True),
    Way("bd", False, {"method": "iterate", "tolerance": COARSE}, COARSE),
    Way("ld", True, {"method": "strategy"}),
    Way("bd", True, width=NINE_DIGITS),
    Way("ld", False, width=NINE_DIGITS),
)


class Truth:
    """The oracle's tables of a trap, each computed when it is first asked for."""

    def __init__(self, trap: Trap) -> None:
        self._trap = trap
        self._tables: dict[tuple[str, bool], supports.Table] = {}

    @cached_property
    def _quotient(self) -> tuple[LabelledMarkovChain, dict[str, str]]:
        return supports.quotient(self._trap.chain)

    def value(self, quantity: str, s: str, t: str, *, quotient: bool = False) -> Fraction:
        """bd or ld of two states with one label, of the chain or of its quotient."""
        chain = self._trap.chain
        if quotient:
            chain, classes = self._quotient
            s, t = classes[s], classes[t]
        if s == t:
            return Fraction(0)
        if (quantity, quotient) not in self._tables:
            self._tables[quantity, quotient] = supports.distances(chain, self._trap.alpha, quantity)
        return self._tables[quantity, quotient][s, t]


def disagreement(trap: Trap, ways: Iterable[Way] = WAYS) -> str | None:
    """The first way whose answer is not what the oracle says, in words; None where all agree."""
    truth = Truth(trap)
    for way in ways:
        try:
            found = _asked(trap, way)
        except BdistError as error:
            return f"{way}: {type(error).__name__}: {error}"
        for (s, t), answer in found.items():
            value = truth.value(way.quantity, s, t, quotient=way.quotient)
            complaint = _complaint(answer, value, way.width)
            if complaint:
                return f"{way}: {s}, {t} at alpha {trap.alpha}: {complaint}; the oracle has {value}"
    return None


def _asked(trap: Trap, way: Way) -> Mapping[tuple[str, str], Distance]:
    arguments: dict[str, object] = {"alpha": trap.alpha, "quantity": way.quantity, **way.arguments}
    if way.all_pairs:
        return distance_table(trap.chain, **arguments)  # type: ignore[arg-type]
    return {trap.pair: distance(trap.chain, *trap.pair, **arguments)}  # type: ignore[arg-type]


def _complaint(answer: Distance, value: Fraction, width: Fraction) -> str | None:
    low, high = answer.bracket.lower.value, answer.bracket.upper.value
    if not low <= value <= high:
        return f"found [{low}, {high}]"
    if not answer.bracket.certified:
        return "not certified"
    if high - low > width:
        return f"a bracket of width {float(high - low):.1e} ({answer.limit or 'no limit was reached'})"
    return None
