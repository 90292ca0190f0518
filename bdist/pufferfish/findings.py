"""What a question about a hidden Markov model is answered with.

A *ratio* is Pr(w | A) / Pr(w | B) for a word w and a pair (A, B); None stands for an infinite one. The
*loss* at a length is the supremum of the ratios of all words that count, over all pairs and parameter
values, and the least epsilon there is its logarithm. Every bound here is part of the certificate, which was
checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from bdist.exact.epsilon import Epsilon
from bdist.pufferfish.certificate import GrowthProof, Point, PufferfishCertificate
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Pair
from bdist.pufferfish.question import Question
from bdist.pufferfish.words import probabilities
from bdist.results import Answer

Ratio = Fraction | None
Statistics = Mapping[str, int | float | str]


@dataclass(frozen=True)
class Witness:
    """A word with its ratio. Both probabilities are exact, at the parameter values ``at`` if there are any.

    With ``limit`` the ratio is not attained: it is what the ratios come to as parameters go to ``at``, which
    is at the edge of their ranges, from the inside along that direction; then there are no probabilities.
    """

    model: HiddenMarkovModel = field(repr=False)
    pair: Pair
    word: tuple[str, ...]
    ratio: Ratio
    at: Point | None = None
    limit: Point | None = None

    @cached_property
    def probabilities(self) -> tuple[Fraction, Fraction] | None:
        """Pr(word | first) and Pr(word | second); None where the ratio is a limit."""
        return None if self.limit else probabilities(self.model, self.pair, self.word, self.at)


@dataclass(frozen=True)
class WordCheck:
    """A word under the pairs under which it counts, the largest ratio first, each certified."""

    question: Question
    word: tuple[str, ...]
    witnesses: tuple[Witness, ...]
    certificate: PufferfishCertificate

    @property
    def answer(self) -> Answer | None:
        """Whether the word violates the epsilon of the question; None where it has none."""
        if self.question.epsilon is None:
            return None
        allowed = all(self.question.epsilon.allows(witness.ratio) for witness in self.witnesses)
        return Answer.HOLDS if allowed else Answer.VIOLATED


@dataclass(frozen=True)
class LengthLoss:
    """The loss at one length, from both sides, and a word that attains the lower one, if any word counts.

    ``bounded`` is False where nothing is proved from above; ``upper`` is then None as well.
    """

    length: int
    lower: Ratio
    upper: Ratio
    witness: Witness | None
    bounded: bool = True

    @property
    def exact(self) -> bool:
        """Whether both sides agree."""
        return self.bounded and self.lower == self.upper


@dataclass(frozen=True)
class Growth:
    """prefix block^n suffix has ratios that grow beyond all bounds, by ``factor`` a round at least."""

    pair: Pair
    prefix: tuple[str, ...]
    block: tuple[str, ...]
    suffix: tuple[str, ...]
    factor: Fraction

    @staticmethod
    def of(proof: GrowthProof, pair: Pair) -> Growth:
        """What a proof of growth says."""
        return Growth(pair, proof.prefix, proof.block, proof.suffix, proof.up / proof.down)


@dataclass(frozen=True)
class Loss:
    """The losses at all lengths of a question; ``beyond`` bounds those at all further lengths, if anything.

    Where words of any length are asked for, the lengths are some: those that were searched, and that of the
    worst word that was found.

    ``limit`` says why lengths are missing or one has no bound, if that is so. Where the supremum over
    parameters is irrational, both sides of a length are close and never agree.
    """

    question: Question
    lengths: tuple[LengthLoss, ...]
    beyond: Fraction | None
    growth: Growth | None
    certificate: PufferfishCertificate
    limit: str | None
    stats: Statistics

    @property
    def worst(self) -> LengthLoss | None:
        """The length with the largest loss so far, the first of them."""
        found: LengthLoss | None = None
        for loss in self.lengths:
            if found is None or (
                found.lower is not None and (loss.lower is None or loss.lower > found.lower)
            ):
                found = loss
        return found

    @property
    def upper(self) -> Ratio:
        """A bound of the loss at all lengths that were asked for; None where there is none."""
        if any(not loss.bounded or loss.upper is None for loss in self.lengths) or not self.complete:
            return None
        bounds = [loss.upper for loss in self.lengths if loss.upper is not None]
        if self._needs_beyond and self.beyond is not None:
            bounds.append(self.beyond)
        return max(bounds, default=Fraction(0))

    @property
    def exact(self) -> bool:
        """Whether the loss of each length that was asked for is known, or of all lengths together."""
        if not self.complete or self.worst is None:
            return False
        if self.question.lengths.most is None:
            return self.worst.lower == self.upper and (self.upper is not None or self.worst.exact)
        return all(loss.exact for loss in self.lengths)

    @property
    def complete(self) -> bool:
        """Whether all lengths that were asked for are bounded, one by one or by ``beyond``."""
        return not self._needs_beyond or self.beyond is not None

    @property
    def _needs_beyond(self) -> bool:
        asked: Lengths = self.question.lengths
        last = self.lengths[-1].length if self.lengths else 0
        return asked.most is None or last < asked.most


@dataclass(frozen=True)
class Decision:
    """Whether all words of a question have ratios of at most e^epsilon.

    HOLDS and VIOLATED carry the certificate that proves them, and VIOLATED a witness. UNKNOWN has a reason;
    ``hint`` is then what an uncertified backend believes, and ``holds_up_to`` the length up to which it is
    proved to hold.
    """

    question: Question
    answer: Answer
    epsilon: Epsilon
    bound: Ratio
    witness: Witness | None
    certificate: PufferfishCertificate | None
    reason: str | None
    stats: Statistics
    hint: Answer | None = None
    holds_up_to: int = 0

    def __bool__(self) -> bool:
        raise TypeError("a decision may be UNKNOWN; compare decision.answer with Answer.HOLDS")
