"""The questions that can be asked of a hidden Markov model, answered with certificates that were checked.

A *ratio* is Pr(w | A) / Pr(w | B) for a word w and a pair (A, B); None stands for an infinite one. The
*loss* at a length is the supremum of the ratios of all words that count, over all pairs and parameter
values, and the least epsilon there is its logarithm.

Every answer goes the same way: a search, in numbers or in polynomials, proposes; what it claims is written
down as a certificate; the independent checker reads it; and only then is it an answer.

*An interval of a statistical tester.* Section 7.3 of Liu, Wang and Zhang halves it by decisions. A decision
tells more than yes or no here: a violation comes with a word, whose ratio is the next lower bound, and a
proof with the bound that it proves, which is the next upper one. So the interval usually closes after a few
decisions, to one number.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from bdist.budget import Budget, Unchecked
from bdist.errors import InternalError, ParameterError
from bdist.exact.epsilon import Epsilon, log_down, log_up
from bdist.printing import beginning, named_word
from bdist.pufferfish.certificate import (
    GrowthProof,
    InvariantProof,
    Point,
    PufferfishCertificate,
    UpperProof,
    WordProof,
    vouch,
)
from bdist.pufferfish.growth import find_growth
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Pair, Words, fingerprint
from bdist.pufferfish.parametric_search import PolynomialSearch, optimise_polynomials
from bdist.pufferfish.question import LONGEST, Question, longest_run
from bdist.pufferfish.search import (
    Exploration,
    decide_numbers,
    optimise_numbers,
    promising_words,
    ratio_order,
)
from bdist.pufferfish.vectors import check_word, probabilities
from bdist.report import OneLine, short, titled
from bdist.results import Answer

BACKENDS = ("search", "z3")
_LABELS_SHOWN = 8  # of a word at a prompt
DEFAULT_PRECISION = Fraction(1, 1000)  # of an interval that is refined

# --- what is answered ---


Ratio = Fraction | None
Statistics = Mapping[str, int | float | str]


@dataclass(frozen=True, repr=False)
class Witness(OneLine):
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


@dataclass(frozen=True, repr=False)
class WordCheck(OneLine):
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

    def _essence(self) -> str:
        ratios = f"largest ratio {short(self.witnesses[0].ratio)}" if self.witnesses else "it does not count"
        answer = "" if self.answer is None else f", {self.answer.value}"
        return f"{named_word(self.word[:_LABELS_SHOWN])}: {ratios}{answer}"


@dataclass(frozen=True, repr=False)
class LengthLoss(OneLine):
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


@dataclass(frozen=True, repr=False)
class Growth(OneLine):
    """prefix block^n suffix has ratios that grow beyond all bounds, by ``factor`` a round at least."""

    pair: Pair
    prefix: tuple[str, ...]
    block: tuple[str, ...]
    suffix: tuple[str, ...]
    factor: Fraction


@dataclass(frozen=True, repr=False)
class Loss(OneLine):
    """The losses at all lengths of a question; ``beyond`` bounds those at all further lengths, if anything.

    Where words of any length are asked for, the lengths are some: those that were searched, and that of the
    worst word that was found; often that alone, where one bound was proved for all lengths at once.

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
        return max(self.lengths, key=lambda loss: ratio_order(loss.lower), default=None)

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
        return not self._needs_beyond and all(loss.exact for loss in self.lengths)

    @property
    def complete(self) -> bool:
        """Whether all lengths that were asked for are bounded, one by one or by ``beyond``."""
        return not self._needs_beyond or self.beyond is not None

    @property
    def _needs_beyond(self) -> bool:
        asked: Lengths = self.question.lengths
        last = self.lengths[-1].length if self.lengths else 0
        return asked.most is None or last < asked.most

    def _essence(self) -> str:
        worst = self.worst
        if worst is None:
            return titled(self.question.model.name, "no word was found")
        sign = "=" if self.exact else ">="
        found = f"e^epsilon {sign} {short(worst.lower)} at length {worst.length}"
        return titled(self.question.model.name, f"{found}{', and it grows' if self.growth else ''}")


@dataclass(frozen=True, repr=False)
class Decision(OneLine):
    """Whether all words of a question have ratios of at most e^epsilon.

    HOLDS and VIOLATED carry the certificate that proves them, and VIOLATED a witness. UNKNOWN has a reason;
    ``hint`` is then what an uncertified backend believes, ``holds_up_to`` the length up to which it is
    proved to hold, and ``bound`` a larger loss that is proved not to be exceeded, or None.
    """

    question: Question
    answer: Answer
    stats: Statistics
    bound: Ratio = None
    witness: Witness | None = None
    certificate: PufferfishCertificate | None = None
    reason: str | None = None
    hint: Answer | None = None
    holds_up_to: int = 0

    @property
    def epsilon(self) -> Epsilon:
        """The epsilon of the question."""
        return self.question.decided_epsilon()

    def _essence(self) -> str:
        epsilon = self.question.epsilon
        at = "" if epsilon is None else f" at epsilon {beginning(epsilon.text)}"
        return titled(self.question.model.name, f"{self.answer.value}{at}")

    def __bool__(self) -> bool:
        raise TypeError("a decision may be UNKNOWN; compare decision.answer with Answer.HOLDS")


@dataclass(frozen=True, repr=False)
class Refinement(OneLine):
    """The least epsilon is above ``lower`` = ln of the violated ratio's word, and at most ``upper``.

    ``decisions`` are all that were made, in order; the last violation and the last proof are the evidence.
    """

    decisions: tuple[Decision, ...] = ()
    limit: str | None = None

    @cached_property
    def violated(self) -> Decision | None:
        """The last violation."""
        return next((d for d in reversed(self.decisions) if d.answer is Answer.VIOLATED), None)

    @cached_property
    def proved(self) -> Decision | None:
        """The last proof."""
        return next((d for d in reversed(self.decisions) if d.answer is Answer.HOLDS), None)

    @cached_property
    def lower(self) -> Fraction:
        """ln of the largest finite ratio of a violation, rounded down."""
        ratios = [d.bound for d in self.decisions if d.answer is Answer.VIOLATED and d.bound is not None]
        return log_down(ratios[-1]) if ratios else Fraction(0)

    @cached_property
    def upper(self) -> Fraction | None:
        """ln of the bound of the last proof, rounded up."""
        if self.proved is None or self.proved.bound is None:
            return None
        return log_up(max(self.proved.bound, Fraction(1)))

    @property
    def exact(self) -> Fraction | None:
        """The ratio whose logarithm is the least epsilon, if a word attains the bound of the proof."""
        if self.violated is None or self.proved is None:
            return None
        return self.proved.bound if self.violated.bound == self.proved.bound else None


# --- how it is answered ---


_PROBE = 16  # observations within which a block that can be repeated shows itself
_FEW_NODES = 2_000  # of a layer, where the losses of some lengths are told beside a proof that they grow
_GROWTH_WORDS = 3  # of the largest lengths
_PATIENCE = 4  # lengths without growth after which it is taken to have ended


def decide(question: Question, budget: Budget | None = None, backend: str = "search") -> Decision:
    """Whether all words that count have ratios of at most e^epsilon, for all pairs and parameter values.

    Raises: ParameterError where the question has no epsilon, or there is no such backend; BackendError where
    it is not installed; InternalError, UnsupportedError as `vouch`.
    """
    start, limits = time.monotonic(), budget or Budget()
    if backend not in BACKENDS:
        raise ParameterError(f"there is no backend '{backend}'; there are {', '.join(BACKENDS)}")
    if backend == "z3":
        from bdist.pufferfish.smt import decide_by_z3

        return decide_by_z3(question, limits)
    try:
        return _decided(question, start, limits)
    except Unchecked as error:
        return Decision(question, Answer.UNKNOWN, {"seconds": _since(start)}, reason=str(error))


def _decided(question: Question, start: float, limits: Budget) -> Decision:
    epsilon, asked = question.decided_epsilon(), question.lengths.most
    found = (
        PolynomialSearch(question, limits).decide(epsilon)
        if question.is_parametric
        else decide_numbers(question, epsilon, limits)
    )
    violation = found.violation
    if violation is None and not question.is_parametric and asked is None and found.limit:
        violation = _repeated(question, found, epsilon)
    if violation is not None:
        return certified_violation(question, violation, start, found.nodes, limits)
    reason = found.limit or "the bounds that were proved do not decide it"
    if found.upper is None and found.invariant is None:
        stats: Statistics = {"seconds": _since(start), "nodes": found.nodes}
        return Decision(question, Answer.UNKNOWN, stats, reason=reason)
    always = None if found.invariant is None else found.invariant.bound
    if always is not None and epsilon.allows(always):
        certificate = _certificate(question, None, (), invariant=found.invariant)
        stats = _vouched(question, certificate, found.nodes, start, limits)
        return Decision(question, Answer.HOLDS, stats, always, certificate=certificate)
    certificate = _certificate(question, found.upper, (), invariant=found.invariant)
    stats = _vouched(question, certificate, found.nodes, start, limits)
    proved = 0 if found.upper is None else _lengths_within(found.upper, question.lengths, epsilon)
    if found.upper is not None and (proved is None or (asked is not None and proved >= asked)):
        bound = _largest(found.upper, question.lengths)
        return Decision(question, Answer.HOLDS, stats, bound, certificate=certificate)
    return Decision(
        question,
        Answer.UNKNOWN,
        stats,
        always,
        certificate=certificate,
        reason=reason,
        holds_up_to=proved or 0,
    )


def _repeated(question: Question, found: Exploration, epsilon: Epsilon) -> WordProof | None:
    """A word that repeats a block until its ratio is above e^epsilon, if there is a block that does that."""
    growth = _growth(question, found.words)
    rounds = 1
    while growth is not None and rounds * len(growth.block) <= LONGEST:
        word = growth.prefix + growth.block * rounds + growth.suffix
        first, second = probabilities(question.model, question.pairs[growth.pair], word, question.at)
        ratio = first / second if second else None
        if not epsilon.allows(ratio):
            return WordProof(growth.pair, word, ratio)
        rounds *= 2
    return None


def certified_violation(
    question: Question, word: WordProof, start: float, nodes: int = 0, budget: Budget | None = None
) -> Decision:
    """The decision that a word whose ratio is above e^epsilon makes, once its certificate is checked.

    Raises: Unchecked; InternalError, UnsupportedError as `vouch`.
    """
    epsilon = question.decided_epsilon()
    if epsilon.allows(word.ratio):
        raise InternalError(f"the word {' '.join(word.word)} is no violation of epsilon = {epsilon.text}")
    certificate = _certificate(question, None, (word,))
    stats = _vouched(question, certificate, nodes, start, budget)
    return Decision(question, Answer.VIOLATED, stats, word.ratio, _witness(question, word), certificate)


def optimise(question: Question, budget: Budget | None = None) -> Loss:
    """The loss at each length that was asked for, and whether it grows beyond all bounds.

    Where words of any length are asked for and the losses keep growing, a block that can be repeated is
    looked for. Where the check does not end in time, no length has a bound.
    Raises: InternalError, UnsupportedError as `vouch`.
    """
    start, limits = time.monotonic(), budget or Budget()
    try:
        return _optimised(question, start, limits)
    except Unchecked as error:
        nothing = _certificate(question, None, ())
        stats = _vouched(question, nothing, 0, start, None)
        return Loss(question, (), None, None, nothing, str(error), stats)


def _optimised(question: Question, start: float, limits: Budget) -> Loss:
    growth: GrowthProof | None = None
    if question.is_parametric:
        found = optimise_polynomials(question, limits)
    elif question.lengths.most is None:
        growth = _growth(question, promising_words(question, _PROBE, limits))
        if growth is None:
            found = optimise_numbers(question, limits)
        else:
            probe = replace(question, lengths=Lengths(1, _PROBE))
            found = replace(optimise_numbers(probe, limits, _FEW_NODES), limit="the losses are unbounded")
    else:
        found = optimise_numbers(question, limits)
        growth = _growth(question, found.words)
    words = [found.words[k] for k in sorted(found.words)]
    certificate = _certificate(
        question, found.upper, words, () if growth is None else (growth,), found.invariant
    )
    stats = _vouched(question, certificate, found.nodes, start, limits)
    bounds, after = ((), None) if found.upper is None else (found.upper.bounds, found.upper.beyond)
    if after is None and found.invariant is not None:
        after = found.invariant.bound
    bounded = dict(enumerate(bounds, start=1))
    counted = [k for k in bounded if k >= question.lengths.least]
    counted += [word_length for word_length in sorted(found.words) if word_length not in bounded]
    shown = None
    if growth is not None:
        parts, factor = (growth.prefix, growth.block, growth.suffix), growth.up / growth.down
        shown = Growth(question.pairs[growth.pair], *parts, factor)
    return Loss(
        question=question,
        lengths=tuple(_length_loss(question, k, bounded.get(k, after), found.words.get(k)) for k in counted),
        beyond=after,
        growth=shown,
        certificate=certificate,
        limit=found.limit,
        stats=stats,
    )


def certify(question: Question, word: Sequence[str]) -> WordCheck:
    """One word under every pair under which it counts, exactly, with a certificate.

    Raises: ParameterError where an observation is unknown, or parameters have no values.
    """
    check_word(question.model, word)
    if question.is_parametric:
        names = ", ".join(parameter.name for parameter in question.model.parameters)
        raise ParameterError(f"the probabilities of a word depend on {names}; give values for all of them")
    found: list[tuple[WordProof, Witness]] = []
    for number, pair in enumerate(question.pairs):
        first, second = probabilities(question.model, pair, word, question.at)
        if (first and second) or (first and question.words is Words.ALL):
            ratio = first / second if second else None
            witness = Witness(question.model, pair, tuple(word), ratio, question.at)
            found.append((WordProof(number, tuple(word), ratio, question.any_point()), witness))
    found.sort(key=lambda item: ratio_order(item[1].ratio), reverse=True)
    certificate = _certificate(question, None, [proof for proof, _ in found])
    vouch(question.model, certificate)
    return WordCheck(question, tuple(word), tuple(witness for _, witness in found), certificate)


def _growth(question: Question, found: Mapping[int, WordProof]) -> GrowthProof | None:
    """A block in the best words of the last lengths at which the loss grew, if it still does.

    A certificate of growth is about numbers, so there is none while parameters have no values; and nothing
    can be repeated where all runs halt.
    """
    if question.has_free_parameters or longest_run(question.model) is not None or not found:
        return None
    last = min(max(found), _PROBE)
    words = {length: word for length, word in found.items() if length <= last}
    grown = [
        words[k]
        for k in words
        if k - 1 in words and ratio_order(words[k].ratio) > ratio_order(words[k - 1].ratio)
    ]
    if not grown or len(grown[-1].word) < last - _PATIENCE or None in [word.ratio for word in grown]:
        return None
    candidates = list(reversed(grown[-_GROWTH_WORDS:]))
    return find_growth(question.cleared(), question.pairs, question.words, candidates)


def _lengths_within(upper: UpperProof, lengths: Lengths, epsilon: Epsilon) -> int | None:
    """The length up to which all bounds are within e^epsilon; None where that is so for all lengths."""
    for length, bound in enumerate(upper.bounds, start=1):
        if length >= lengths.least and not epsilon.allows(bound):
            return length - 1
    if upper.beyond is not None and epsilon.allows(upper.beyond):
        return None
    return len(upper.bounds)


def _largest(upper: UpperProof, lengths: Lengths) -> Ratio:
    counted = [*upper.bounds[lengths.least - 1 : lengths.most]]
    if upper.beyond is not None and (lengths.most is None or lengths.most > len(upper.bounds)):
        counted.append(upper.beyond)
    return max(counted, key=ratio_order, default=Fraction(0))


def _certificate(
    question: Question,
    upper: UpperProof | None,
    words: Sequence[WordProof],
    growth: Sequence[GrowthProof] = (),
    invariant: InvariantProof | None = None,
) -> PufferfishCertificate:
    return PufferfishCertificate(
        model=fingerprint(question.model),
        words=question.words,
        pairs=question.pairs,
        at=question.at,
        upper=upper,
        invariant=invariant,
        lower=tuple(words),
        growth=tuple(growth),
    )


def _vouched(
    question: Question, certificate: PufferfishCertificate, nodes: int, start: float, budget: Budget | None
) -> Statistics:
    searched = time.monotonic()
    vouch(question.model, certificate, budget)
    return {
        "seconds": round(searched - start, 6),
        "check_seconds": _since(searched),
        ("vectors" if certificate.upper is None and certificate.invariant else "nodes"): nodes,
        "pairs": len(question.pairs),
    }


def _length_loss(question: Question, length: int, bound: Ratio, word: WordProof | None) -> LengthLoss:
    if word is None:
        return LengthLoss(length, Fraction(0), bound, None, bounded=bound is not None)
    bounded = bound is not None or word.ratio is None
    return LengthLoss(length, word.ratio, bound, _witness(question, word), bounded)


def _witness(question: Question, word: WordProof) -> Witness:
    pair, at = question.pairs[word.pair], (word.at if question.is_parametric else None) or question.at
    return Witness(question.model, pair, word.word, word.ratio, at, word.toward)


def _since(start: float) -> float:
    return round(time.monotonic() - start, 6)


# --- an interval of a tester ---


def refine(
    question: Question,
    low: Fraction,
    high: Fraction,
    precision: Fraction = DEFAULT_PRECISION,
    budget: Budget | None = None,
) -> Refinement:
    """Decide at both ends, and then in between until the interval is as narrow as asked for, or a point.

    Where the tester is wrong at an end, the interval is extended: an epsilon at the low end that holds is an
    upper bound, one at the high end that is violated a lower bound.
    Raises: ParameterError where the bounds are not 0 <= low < high.
    """
    if not 0 <= low < high or precision <= 0:
        raise ParameterError("the bracket must be 0 <= LOW < HIGH, and the precision positive")
    limits = budget or Budget()
    found = Refinement()
    for end in (low, high):
        if found.limit is None and (found.upper is None or end < found.upper):
            found = _refined(found, question, Epsilon.of(end), limits)
    at_violation = False
    while found.limit is None:
        if found.upper is not None and (found.exact is not None or found.upper - found.lower <= precision):
            break
        epsilon = _epsilon_of_violation(found) if not at_violation else None
        at_violation = epsilon is not None
        if epsilon is None and found.upper is None:
            epsilon = Epsilon.of(max(2 * found.lower, high))
        elif epsilon is None and found.upper is not None:
            epsilon = Epsilon.of((found.lower + found.upper) / 2)
        found = _refined(found, question, epsilon, limits, at_violation)
    return found


def _refined(
    found: Refinement, question: Question, epsilon: Epsilon | None, limits: Budget, at_violation: bool = False
) -> Refinement:
    """What one more decision tells. One that is not decided at the ratio of a word itself is no loss."""
    decision = decide(replace(question, epsilon=epsilon), limits)
    limit = None
    if decision.answer is Answer.UNKNOWN and not at_violation:
        limit = decision.reason
    if decision.answer is Answer.VIOLATED and decision.bound is None:
        limit = "a word is possible on one side only, so no epsilon will do"
    return Refinement((*found.decisions, decision), limit)


def _epsilon_of_violation(found: Refinement) -> Epsilon | None:
    """Where to decide next: at the ratio of the last violation, often the loss itself; None if that was done.

    Not twice in a row, as ratios may grow by less and less.
    """
    if found.violated is None:
        return None
    there = Epsilon(None, found.violated.bound)
    return there if all(decision.epsilon != there for decision in found.decisions) else None
