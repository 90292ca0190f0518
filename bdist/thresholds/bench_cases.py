"""What the benchmark asks about: chains of growing size, a pair of states in each, and its exact distance.

A *series* is a family with everything fixed but one number, its size. Three families are used, chosen for
what they stress. The dining cryptographers are what the paper is about: layered, acyclic, many pairs, and the
bias of the coins decides whether the couplings are nearly balanced (49/100, where distances are tiny) or far
from it (1/3). Random chains have cycles, so that their distances are solutions of linear systems with large
denominators; several seeds show how much instances of one size differ. Repeated randomised response is the
easy end: a formula that grows without becoming difficult.

A size becomes *cases* in a process of its own (`settle`), since the thresholds to ask are relative to the
exact distance and that costs a run of strategy iteration. In a random chain the pair is the first one, in
the order of the states, with the same label and a distance strictly between 0 and 1; a seed whose chain has
none is passed over. Nothing of this depends on the clock, except that a distance which is not found within
the limit is left unknown, and its case cannot be asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import FAMILIES, make_family
from bdist.distances.compute import Settings, Skew, compute_distance
from bdist.errors import ParameterError
from bdist.family import Value, suggestion

NOT_KNOWN = "the exact distance is not known"
_SEEDS_TRIED = 20  # for each one that is wanted


@dataclass(frozen=True)
class Series:
    """A family with everything fixed but its size; without a ``pair`` there are several seeds a size."""

    family: str
    title: str
    size_name: str
    sizes: tuple[int, ...]
    fixed: tuple[tuple[str, Value], ...]
    alpha: Fraction
    pair: tuple[str, str] | None = None

    def values(self, size: int, seed: int | None = None) -> dict[str, Value]:
        """The parameters of a member. A random chain cannot have more labels or targets than states."""
        values: dict[str, Value] = {self.size_name: size, **dict(self.fixed)}
        if seed is None:
            return values
        small = {name: min(size, x) for name, x in values.items() if isinstance(x, int)}
        return {**values, **small, "seed": seed}

    def check(self, size: int) -> None:
        """Raises: ParameterError where there is no member of that size."""
        parameter = next(p for p in FAMILIES[self.family].parameters if p.name == self.size_name)
        parameter.read(size)


@dataclass(frozen=True)
class Case:
    """A member of a series and a pair of its states.

    ``value`` is its exact distance, or None where it is not known, for the ``reason``.
    """

    series: Series
    size: int
    seed: int | None = None
    pair: tuple[str, str] | None = None
    value: Fraction | None = None
    states: int | None = None
    pairs: int | None = None
    reason: str | None = None

    @property
    def label(self) -> str:
        """The size and, where there are several of that size, which one."""
        return str(self.size) if self.seed is None else f"{self.size}, seed {self.seed}"

    @property
    def not_known(self) -> bool:
        """Whether the distance was too costly to find."""
        return self.reason is not None and self.reason.startswith(NOT_KNOWN)

    def chain(self) -> LabelledMarkovChain:
        """Make the chain."""
        return make_family(self.series.family, self.series.values(self.size, self.seed))


@dataclass(frozen=True)
class Draft:
    """A size of a series that is to become cases; ``limit`` in seconds for each."""

    series: Series
    size: int
    seeds: int
    limit: float


def settle(draft: Draft) -> tuple[Case, ...]:
    """The cases of a size, with their exact distances. Called in a process of its own."""
    if draft.series.pair is not None:
        return (_valued(Case(draft.series, draft.size, None, draft.series.pair), Budget(draft.limit)),)
    found: list[Case] = []
    for seed in range(1, _SEEDS_TRIED * draft.seeds + 1):
        case = _with_first_pair(Case(draft.series, draft.size, seed), Budget(draft.limit))
        if case is not None:
            found.append(case)
        if len(found) == draft.seeds:
            break
    nothing = "no seed has two states with the same label and a distance strictly between 0 and 1"
    return tuple(found) or (Case(draft.series, draft.size, reason=nothing),)


def _with_first_pair(case: Case, budget: Budget) -> Case | None:
    for pair in _same_label(case.chain()):
        valued = _valued(replace(case, pair=pair), budget)
        if valued.value is None or 0 < valued.value < 1:
            return valued
    return None


def _same_label(chain: LabelledMarkovChain) -> Iterator[tuple[str, str]]:
    for i, j in combinations(range(len(chain)), 2):
        if chain.labels[i] == chain.labels[j]:
            yield chain.states[i], chain.states[j]


def _valued(case: Case, budget: Budget) -> Case:
    chain, pair = case.chain(), case.pair
    if pair is None:
        raise ParameterError("a case without a pair has no value")
    found = compute_distance(chain, pair, Skew(case.series.alpha), "bd", Settings(budget=budget))
    case = replace(case, states=len(chain), pairs=int(found.stats["pairs"]))
    if found.limit is not None:
        return replace(case, reason=f"{NOT_KNOWN}: {found.limit}")
    return replace(case, value=found.value)


def _dining(bias: Fraction, alpha: Fraction) -> Series:
    title = f"dining cryptographers, bias {bias}"
    fixed: tuple[tuple[str, Value], ...] = (("bias", bias),)
    return Series("dining-cryptographers", title, "diners", (2, 3), fixed, alpha, ("s0", "s1"))


SERIES: Mapping[str, tuple[Series, ...]] = MappingProxyType(
    {
        "randomised-response": (
            Series(
                "randomised-response",
                "randomised response",
                "questions",
                (1, 2, 4, 8),
                (("truth", Fraction(3, 4)),),
                Fraction(3, 2),
                ("yes", "no"),
            ),
        ),
        "random": (
            Series(
                "random",
                "random chains, 2 labels, degree 3",
                "states",
                (4, 6, 8),
                (("labels", 2), ("degree", 3)),
                Fraction(11, 10),
            ),
        ),
        "dining-cryptographers": (
            _dining(Fraction(49, 100), Fraction(5001, 5000)),
            _dining(Fraction(1, 3), Fraction(11, 10)),
        ),
    }
)


def series_of(family: str) -> tuple[Series, ...]:
    """The series of a family. Raises: ParameterError with the families there are."""
    if family not in SERIES:
        raise ParameterError(f"the benchmark has no family '{family}'; {suggestion(family, SERIES)}")
    return SERIES[family]
