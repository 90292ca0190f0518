"""What a study asks: the chains, families or one's own files, the questions about them, and who is asked.

A *series* is a family with everything fixed but its size. The dining cryptographers are what the paper is
about: layered, acyclic, many pairs, with couplings that the bias makes nearly balanced (49/100) or not (1/3).
Random chains have cycles, so that their distances have large denominators; several seeds show how much
instances of one size differ. Repeated randomised response is the easy end.

Whoever has models brings them: an *instance* is a file, two of its states and an alpha (`instances`).

A *question* is a threshold. It is the exact distance ("value", the hardest question: nothing but the best
couplings prove it), a little more ("above") or a little less ("below"); or it is a number that the user has
given ("given"), and then the exact distance is not looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import FAMILIES, make_family
from bdist.chains.formats import load
from bdist.errors import ParameterError
from bdist.exact.rationals import rational_text
from bdist.family import Value
from bdist.text.scanner import suggestion
from bdist.thresholds.decide import BACKENDS, backend_named

REFERENCE = "strategy"
NAIVE = "naive"
COLUMNS = (*BACKENDS, NAIVE)
QUESTIONS = ("above", "value", "below")
GIVEN = "given"


@dataclass(frozen=True)
class Group:
    """Cases that belong together: a section of the table, a row of panels in a figure."""

    title: str
    size_name: str
    heading: str


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

    @property
    def group(self) -> Group:
        """Its section."""
        pair = "" if self.pair is None else f"{self.pair[0]} and {self.pair[1]}, "
        about = f"{self.title}, by {self.size_name} ({pair}alpha {rational_text(self.alpha)})"
        return Group(self.title, self.size_name, about)

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
class Member:
    """A chain of a series."""

    series: Series
    size: int
    seed: int | None = None

    @property
    def group(self) -> Group:
        """Its section."""
        return self.series.group

    @property
    def alpha(self) -> Fraction:
        """The skew."""
        return self.series.alpha

    @property
    def name(self) -> str:
        """Which one of its group it is."""
        return f"{self.size}" if self.seed is None else f"{self.size} #{self.seed}"

    @property
    def title(self) -> str:
        """Which one it is, in words."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"{self.series.title}, {self.series.size_name} {self.size}{seed}"

    def chain(self) -> LabelledMarkovChain:
        """Make it."""
        return make_family(self.series.family, self.series.values(self.size, self.seed))

    def identity(self) -> dict[str, str]:
        """What a line of a CSV file says of it."""
        values = self.series.values(self.size, self.seed)
        parameters = " ".join(f"{name}={value}" for name, value in values.items())
        seed = "" if self.seed is None else f"{self.seed}"
        return {
            "family": self.series.family,
            "parameters": parameters,
            "size": f"{self.size}",
            "seed": seed,
            "alpha": rational_text(self.alpha),
        }


@dataclass(frozen=True)
class Instance:
    """A file as the user named it, two of its states, alpha, and the threshold where one is given.

    ``model`` is the beginning of the fingerprint of the chain that the file had when the study began.
    """

    file: str
    path: Path
    pair: tuple[str, str]
    alpha: Fraction
    theta: Fraction | None
    states: int
    model: str

    @property
    def group(self) -> Group:
        """Its section: all instances of one alpha."""
        title = f"instances at alpha {rational_text(self.alpha)}"
        return Group(title, "states", title)

    @property
    def size(self) -> int:
        """The states of the chain."""
        return self.states

    @property
    def name(self) -> str:
        """Which one of its group it is."""
        return " ".join((self.file, *self.pair))

    @property
    def title(self) -> str:
        """Which one it is, in words."""
        return self.name

    def chain(self) -> LabelledMarkovChain:
        """Read the file."""
        return load(self.path)

    def identity(self) -> dict[str, str]:
        """What a line of a CSV file says of it."""
        return {
            "file": self.file,
            "model": self.model,
            "pair": " ".join(self.pair),
            "alpha": rational_text(self.alpha),
        }


_RESPONSE = Series(
    *("randomised-response", "randomised response", "questions", (1, 2, 4, 8)),
    fixed=(("truth", Fraction(3, 4)),),
    alpha=Fraction(3, 2),
    pair=("yes", "no"),
)
_RANDOM = Series(
    *("random", "random chains, 2 labels, degree 3", "states", (4, 6, 8)),
    fixed=(("labels", 2), ("degree", 3)),
    alpha=Fraction(11, 10),
)
_DINING = tuple(
    Series(
        *("dining-cryptographers", f"dining cryptographers, bias {bias}", "diners", (2, 3)),
        fixed=(("bias", bias),),
        alpha=alpha,
        pair=("s0", "s1"),
    )
    for bias, alpha in ((Fraction(49, 100), Fraction(5001, 5000)), (Fraction(1, 3), Fraction(11, 10)))
)
SERIES: Mapping[str, tuple[Series, ...]] = MappingProxyType(
    {series[0].family: series for series in ((_RESPONSE,), (_RANDOM,), _DINING)}
)


@dataclass(frozen=True)
class Plan:
    """What to measure; ``limit`` is in seconds a cell, ``step`` how far above and below the exact distance.

    Where there are ``instances``, no family is asked about. ``sizes`` are those of a family, where they are
    not its usual ones. ``jobs`` cells are measured at a time.
    Raises: ParameterError.
    """

    families: tuple[str, ...] = tuple(SERIES)
    backends: tuple[str, ...] = COLUMNS
    questions: tuple[str, ...] = ("above", "value")
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    seeds: int = 3
    limit: float = 10.0
    step: Fraction = Fraction(1, 64)
    instances: tuple[Instance, ...] = ()
    jobs: int = 1

    def __post_init__(self) -> None:
        for name in self.backends:
            if name != NAIVE:
                backend_named(name)
        for question in self.questions:
            if question not in QUESTIONS:
                raise ParameterError(f"there is no question '{question}'; choose {', '.join(QUESTIONS)}")
        if not 0 < self.limit < float("inf"):
            raise ParameterError(f"the time limit {self.limit:g} must be a positive number of seconds")
        if not 0 < self.step < 1:
            raise ParameterError(f"the step {self.step} must be strictly between 0 and 1")
        if self.seeds < 1:
            raise ParameterError(f"the number of seeds is {self.seeds}; it must be at least 1")
        if self.jobs < 1:
            raise ParameterError(f"the number of jobs is {self.jobs}; it must be at least 1")
        for family in self.families:
            if family not in SERIES:
                raise ParameterError(f"the benchmark has no family '{family}'; {suggestion(family, SERIES)}")
        for series, size in self.members():
            series.check(size)

    def members(self) -> Iterator[tuple[Series, int]]:
        """The series of the plan with their sizes, in increasing order."""
        for family in () if self.instances else self.families:
            for series in SERIES[family]:
                for size in sorted(set(self.sizes.get(family, series.sizes))):
                    yield series, size

    @property
    def columns(self) -> tuple[str, ...]:
        """The backends in the order in which they are asked; the reference is always there and first."""
        return REFERENCE, *(name for name in dict.fromkeys(self.backends) if name != REFERENCE)

    def questions_about(self, origin: Member | Instance) -> tuple[str, ...]:
        """What is asked about a chain."""
        return (GIVEN,) if isinstance(origin, Instance) and origin.theta is not None else self.questions

    def cells_of(self, origin: Member | Instance) -> int:
        """How many cells a chain is."""
        return len(self.questions_about(origin)) * len(self.columns)

    def theta(self, question: str, value: Fraction) -> Fraction:
        """The threshold of a question; never as far as 0 or 1, if the distance is neither."""
        away = {
            "above": min(self.step, (1 - value) / 2),
            "value": Fraction(0),
            "below": -min(self.step, value / 2),
        }
        return value + away[question]
