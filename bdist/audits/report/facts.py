"""What a report is about: the audit, the chain, and the circumstances of the run.

The parts of a report all read from here, so that the answer to "which pair is the worst" or "what is epsilon
called" is given once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from math import log

from bdist.audits.findings import Audit, Finding
from bdist.chains.chain import LabelledMarkovChain
from bdist.exact.reading import rational_text
from bdist.results import Answer
from bdist.traces.curve import Curve


@dataclass(frozen=True)
class Facts:
    """An audit with what surrounds it.

    ``certificates`` is the folder in which the certificates of the audit were saved, if they were; ``curve``
    belongs to the worst pair.
    """

    audit: Audit
    chain: LabelledMarkovChain
    model_file: str
    relation: str
    command: str
    curve: Curve | None
    certificates: str | None
    made: datetime
    version: str

    @cached_property
    def worst(self) -> Finding | None:
        """The finding that comes first, if there is any."""
        return self.audit.findings[0] if self.audit.findings else None

    @cached_property
    def attacked(self) -> Finding | None:
        """The worst finding; where that has no attack, the one with the largest lower end that has."""
        worst = self.worst
        if worst is None or worst.attack is not None:
            return worst
        with_attack = [finding for finding in self.audit.findings if finding.attack is not None]
        return max(with_attack, key=lambda finding: finding.delta.lower.value, default=worst)

    @cached_property
    def largest_upper(self) -> Fraction:
        """The least delta for which privacy is proved between all pairs."""
        return max((finding.delta.upper.value for finding in self.audit.findings), default=Fraction(0))

    def count(self, answer: Answer) -> int:
        """How many pairs have an answer."""
        return sum(finding.answer is answer for finding in self.audit.findings)

    @property
    def epsilon(self) -> str:
        """What epsilon is called: as it was given, or as the logarithm of alpha."""
        given = self.audit.epsilon
        return given if given is not None else f"ln({rational_text(self.audit.alpha)})"

    @property
    def epsilon_approx(self) -> float:
        """Epsilon in floating point, for a place in a figure."""
        return log(self.audit.alpha)

    @property
    def alpha_is_exact(self) -> bool:
        """Whether alpha is e^epsilon, and not a rational just below."""
        return self.audit.alpha == self.audit.attack_alpha

    @property
    def title(self) -> str:
        """What the model is called: by its own name, or by the file's."""
        return self.audit.name or self.model_file
