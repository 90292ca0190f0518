"""What a question is answered with. A result states its own strength.

Two ends, each with its evidence:

* CERTIFIED: the certificate that comes with the result was checked by the independent checker, in this
  process;
* EXACT: computed in exact arithmetic, without a certificate;
* UNCHECKED: there is a certificate, and its check did not end in time or was too much work;
* NUMERICAL: floating point, no more than a hint.

Whatever lies between two ends is told in one way: ``.lower`` and ``.upper`` are bounds, each with its
``.value`` and its ``.evidence``. Where an end may be infinite (an epsilon, a divergence) it is None then.

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
from bdist.exact.rationals import (
    decimal_down,
    decimal_up,
    exact_text,
    float_down,
    float_up,
    rational_text,
    short_text,
)
from bdist.printing import named
from bdist.report import LIMIT_REACHED, VIOLATED, Answered, OneLine, json_text

Statistics = Mapping[str, int | float | str]


class Evidence(Enum):
    """How strong a bound is.

    * CERTIFIED: part of a certificate that the independent checker has accepted.
    * EXACT: computed in exact arithmetic, without a certificate of its own.
    * UNCHECKED: part of a certificate whose check did not end in time. Conclude nothing from it.
    * NUMERICAL: what floating point or a solver without a proof believes.
    """

    CERTIFIED = "certified"
    EXACT = "exact"
    UNCHECKED = "unchecked"
    NUMERICAL = "numerical"


_SHORT_DIGITS = 7  # of the end of a bracket, at a prompt
_NAME_COLUMNS = 40  # of a state there


@dataclass(frozen=True, repr=False)
class Bound(OneLine):
    """A number, exact as it stands, and how strong the evidence is that it is a bound."""

    value: Fraction
    evidence: Evidence

    def _essence(self) -> str:
        return f"{short_text(self.value)}, {self.evidence.value}"


@dataclass(frozen=True, repr=False)
class Bracket(OneLine):
    """A quantity lies between two bounds, ``lower`` and ``upper``.

    >>> bracket = Bracket.of(Fraction(1, 3), Fraction(1, 2), Evidence.CERTIFIED)
    >>> bracket.lower.value, bracket.upper.value, bracket.exact
    (Fraction(1, 3), Fraction(1, 2), False)
    """

    lower: Bound
    upper: Bound

    @classmethod
    def of(cls, lower: Fraction, upper: Fraction, evidence: Evidence) -> Bracket:
        """A bracket with the same evidence for both ends."""
        return Bracket(Bound(lower, evidence), Bound(upper, evidence))

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

    def in_short(self, name: str) -> str:
        """As `headline`, in as few characters as a prompt has room for."""
        strength = "not certified" if self.unchecked else self.upper.evidence.value
        if self.width == 0:
            return f"{name} = {short_text(self.upper.value)}, {strength}"
        low, high = decimal_down(self.lower.value, _SHORT_DIGITS), decimal_up(self.upper.value, _SHORT_DIGITS)
        if self.lower.evidence is not self.upper.evidence and not self.unchecked:
            strength = f"{self.lower.evidence.value} and {strength}"
        return f"{low} <= {name} <= {high}, {strength}"

    def _essence(self) -> str:
        return self.in_short("it")

    def document(self) -> dict[str, object]:
        """Both ends as members of a JSON object."""
        return {
            "lower": rational_text(self.lower.value),
            "upper": rational_text(self.upper.value),
            "exact": self.exact,
            "evidence": {"lower": self.lower.evidence.value, "upper": self.upper.evidence.value},
        }


def columns_of(bracket: Bracket) -> dict[str, object]:
    """A bracket as the columns of a data frame: both ends, exactly and as floats rounded outwards."""
    low, high = bracket.lower, bracket.upper
    return {
        "lower": low.value,
        "upper": high.value,
        "lower_approx": float_down(low.value),
        "upper_approx": float_up(high.value),
        "exact": bracket.exact,
        "evidence": high.evidence.value,
    }


def pair_text(pair: tuple[str, str], between: str = ", ") -> str:
    """Two states in a few characters."""
    return between.join(named(state, _NAME_COLUMNS) for state in pair)


@dataclass(frozen=True, repr=False)
class Distance(Answered):
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

    def to_json(self) -> str:
        """What ``bdist delta --no-true-delta --json`` prints of it."""
        return json_text(self.document() | {"true_delta": None})

    def _essence(self) -> str:
        return self.bracket.in_short(f"{self.quantity}({pair_text(self.pair)})")


def power_text(epsilon: str | None) -> str:
    """e to the power of an epsilon as it was written."""
    plain = epsilon is not None and epsilon.replace(".", "").isdecimal()
    return f"e^{epsilon}" if plain else f"e^({epsilon})"


class Answer(Enum):
    """What a verdict says: HOLDS, VIOLATED or UNKNOWN. The first two are proved."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"

    @property
    def exit_code(self) -> int:
        """The exit code of a command with this answer: 0, 1 or 3."""
        return {Answer.HOLDS: 0, Answer.VIOLATED: VIOLATED, Answer.UNKNOWN: LIMIT_REACHED}[self]


@dataclass(frozen=True, repr=False)
class Verdict(Answered):
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

    def document(self) -> dict[str, object]:
        """The verdict as a JSON object, without its certificate."""
        return {
            "answer": self.answer.value,
            "quantity": self.quantity,
            "pair": list(self.pair),
            "alpha": rational_text(self.alpha),
            "theta": rational_text(self.theta),
            "lower": rational_text(self.bracket.lower.value),
            "upper": rational_text(self.bracket.upper.value),
            "reason": self.reason,
            "hint": None if self.hint is None else self.hint.value,
            "evidence": None if self.evidence is None else self.evidence.value,
            "stats": dict(self.stats),
        }

    def _essence(self) -> str:
        return f"{self.quantity}({pair_text(self.pair)}) <= {short_text(self.theta)}: {self.answer.value}"

    def __bool__(self) -> bool:
        raise TypeError("a verdict may be UNKNOWN; compare verdict.answer with Answer.HOLDS")
