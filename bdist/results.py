"""What a question is answered with. A result states its own strength.

Two ends, each with its evidence:

* CERTIFIED: the certificate that comes with the result was checked by the independent checker, in this
  process;
* EXACT: computed in exact arithmetic, without a certificate;
* UNCHECKED: there is a certificate, and its check did not end in time or was too much work;
* NUMERICAL: floating point, no more than a hint.

A yes-or-no question is answered with a `Verdict`: HOLDS, VIOLATED or UNKNOWN. The first two come with a
checked certificate; UNKNOWN comes with a reason, and is an answer.

`Distance.value` exists only where both ends agree and are certified. "Exact" is about arithmetic: it says
that the number is bd_alpha of the chain as given. How far bd_alpha is from the true delta is another
question, about semantics, and no field of these types claims anything about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from bdist.certificates import Document
from bdist.errors import NotExact
from bdist.exact.rationals import decimal_down, decimal_up, exact_text, rational_text
from bdist.report import LIMIT_REACHED, VIOLATED

Statistics = Mapping[str, int | float | str]


class Evidence(Enum):
    """How strong a bound is."""

    CERTIFIED = "certified"
    EXACT = "exact"
    UNCHECKED = "unchecked"
    NUMERICAL = "numerical"


@dataclass(frozen=True)
class Bound:
    """A number and the evidence for it."""

    value: Fraction
    evidence: Evidence


@dataclass(frozen=True)
class Bracket:
    """A quantity lies between two bounds."""

    lower: Bound
    upper: Bound

    @property
    def width(self) -> Fraction:
        """The distance between the bounds."""
        return self.upper.value - self.lower.value

    @property
    def exact(self) -> bool:
        """Whether the bounds agree, and both are certified or computed in exact arithmetic."""
        strong = (Evidence.CERTIFIED, Evidence.EXACT)
        return self.width == 0 and self.lower.evidence in strong and self.upper.evidence in strong

    @property
    def unchecked(self) -> bool:
        """Whether an end rests on a certificate that was not checked."""
        return Evidence.UNCHECKED in (self.lower.evidence, self.upper.evidence)

    @property
    def certified(self) -> bool:
        """Whether both ends are part of a checked certificate."""
        return self.lower.evidence is self.upper.evidence is Evidence.CERTIFIED

    def headline(self, name: str, limit: str | None) -> str:
        """The quantity of this name as one line, with how strong that is; ``limit`` is what cut it short."""
        between = f"{decimal_down(self.lower.value)} <= {name} <= {decimal_up(self.upper.value)}"
        value = f"{name} = {exact_text(self.upper.value)}"
        if self.unchecked:
            return f"{value if self.width == 0 else between}        not certified: {limit}"
        if self.exact:
            return f"{value}        exact{', certified' if self.certified else ''}"
        why = f"; {limit}" if limit else ""
        return f"{between}        {'certified' if self.certified else 'proved'} bracket{why}"

    def document(self) -> dict[str, object]:
        """Both ends as members of a JSON object."""
        return {
            "lower": rational_text(self.lower.value),
            "upper": rational_text(self.upper.value),
            "exact": self.exact,
            "evidence": {"lower": self.lower.evidence.value, "upper": self.upper.evidence.value},
        }


@dataclass(frozen=True)
class Distance:
    """A distance between two states of a chain.

    ``alpha`` is the rational at which it was computed; ``epsilon`` the text that it came from, if any, and
    ``alpha_is_exact`` whether alpha equals e^epsilon. ``limit`` says what cut the computation short, if
    anything did. ``quotient`` says that this is the distance in the bisimulation quotient of the chain.
    """

    quantity: str
    pair: tuple[str, str]
    alpha: Fraction
    bracket: Bracket
    certificate: Document
    stats: Statistics
    limit: str | None = None
    epsilon: str | None = None
    alpha_is_exact: bool = field(default=True)
    quotient: bool = False

    @property
    def value(self) -> Fraction:
        """The exact, certified distance. Raises: NotExact where this is only a bracket."""
        if not (self.bracket.exact and self.bracket.certified):
            low, high = decimal_down(self.bracket.lower.value), decimal_up(self.bracket.upper.value)
            why = f" ({self.limit})" if self.limit else ""
            raise NotExact(
                f"{self.quantity}{self.pair} is known only to lie in [{low}, {high}]{why}; "
                "use .bracket.lower.value and .bracket.upper.value"
            )
        return self.bracket.lower.value

    @property
    def skew_text(self) -> str:
        """The skew in words: the alpha that was used and, for an epsilon, how it relates to it."""
        alpha = rational_text(self.alpha)
        if self.epsilon is None:
            return f"alpha {alpha}"
        if self.alpha_is_exact:
            return f"epsilon {self.epsilon} (alpha {alpha})"
        return f"alpha {alpha} (just below {power_text(self.epsilon)})"

    def document(self) -> dict[str, object]:
        """The distance as a JSON object, without its certificate."""
        return {
            "quantity": self.quantity,
            "pair": list(self.pair),
            "alpha": rational_text(self.alpha),
            "epsilon": self.epsilon,
            "alpha_is_exact": self.alpha_is_exact,
            **self.bracket.document(),
            "limit": self.limit,
            "stats": dict(self.stats),
        }


def power_text(epsilon: str | None) -> str:
    """e to the power of an epsilon as it was written."""
    plain = epsilon is not None and epsilon.replace(".", "").isdecimal()
    return f"e^{epsilon}" if plain else f"e^({epsilon})"


class Answer(Enum):
    """What a verdict says."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"

    @property
    def exit_code(self) -> int:
        """What a command ends with that was asked for a verdict."""
        return {Answer.HOLDS: 0, Answer.VIOLATED: VIOLATED, Answer.UNKNOWN: LIMIT_REACHED}[self]


@dataclass(frozen=True)
class Verdict:
    """Whether distance <= theta for a pair of states.

    HOLDS and VIOLATED carry the certificate that proves them. ``reason`` says why an answer is UNKNOWN, or
    how it came about. ``hint`` is what floating point or an uncertified solver believes, where that is all
    there is.
    """

    answer: Answer
    quantity: str
    pair: tuple[str, str]
    alpha: Fraction
    theta: Fraction
    bracket: Bracket
    certificate: Document | None
    reason: str | None
    hint: Answer | None
    stats: Statistics

    @property
    def evidence(self) -> Evidence | None:
        """CERTIFIED for an answer, NUMERICAL where only a hint is left, None where there is nothing."""
        if self.answer is not Answer.UNKNOWN:
            return Evidence.CERTIFIED
        return Evidence.NUMERICAL if self.hint is not None else None

    def __bool__(self) -> bool:
        raise TypeError("a verdict may be UNKNOWN; compare verdict.answer with Answer.HOLDS")
