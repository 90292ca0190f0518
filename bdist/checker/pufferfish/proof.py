"""Losses of hidden Markov models: the check of a certificate as a whole, SPEC sections 2 and 3.

``model.py`` reads the model, with ``polynomials.py`` for what depends on parameters. ``systems.py`` makes
polynomials of the model, or numbers, and follows them along observations. ``upper.py`` follows the proof of
upper bounds by length, ``invariant.py`` that of one for all lengths, ``lower.py`` that of lower bounds, and
that there are none above. With chains they share the reading of
JSON, the limits and the exceptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..core import check_fingerprint
from ..core.limits import Allowance, Work
from ..core.reading import collector_paused
from .document import LowerWord, Repetition, read_hidden_certificate
from .invariant import verify_invariant
from .lower import verify_growth, verify_words
from .model import read_hidden_model
from .systems import specialised, system_of
from .upper import verify_upper

HIDDEN_MODEL_STEPS = (
    *("model", "at", "pairs", "layers", "covered", "closed", "bounds", "beyond"),
    *("invariant", "word", "growth"),
)


# what is claimed of a word, or of a block that is repeated, is what is proved in the end
ProvedWord = LowerWord
ProvedGrowth = Repetition


@dataclass(frozen=True)
class HiddenModelReport:
    """What an accepted certificate proves about a hidden Markov model.

    The loss of all listed pairs at the length k is at most ``bounds[k - 1]``, where None is no bound; it is
    at most ``beyond`` at all lengths beyond, and at most ``always`` at every length, if these are not None.
    Each word has its ratio.
    """

    words: str  # which count: "all" or "common"
    at: dict[str, Fraction] | None  # the parameter values that all is about; None for all of them
    pairs: tuple[tuple[str, ...], ...]
    bounds: tuple[Fraction | None, ...]  # empty where the certificate has no upper bounds
    beyond: Fraction | None
    always: Fraction | None
    lower: tuple[ProvedWord, ...]
    growth: tuple[ProvedGrowth, ...]
    nodes: int
    covered: int
    closed: int
    vectors: int

    def reached(self, length: int) -> bool:
        """Whether the bound at a length is the loss: a word has that ratio, or the bound is 0."""
        bound = self.bounds[length - 1]
        ratios = [word.ratio for word in self.lower if len(word.word) == length]
        return bound in ratios or bound == 0


def check_hidden_model(
    model_text: str, certificate_text: str, allowed: Allowance | None = None
) -> HiddenModelReport:
    """Verify a certificate against the text of an ``.hmm`` model (without a byte order mark).

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it or the model is beyond the limits; Rejected
    where it is one, and does not prove what it claims.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    with collector_paused():
        model = read_hidden_model(model_text, work)
        certificate = read_hidden_certificate(certificate_text, work)
        check_fingerprint(certificate.model, model.fingerprint())
        per_step, common = Fraction(1), certificate.words == "common"
        if certificate.at is not None:
            model, per_step = specialised(model, certificate.at, work)
        system, scale = system_of(model, certificate.pairs, common, work)
        upper = certificate.upper
        if upper is not None:
            verify_upper(model, upper, common, system)
        if certificate.invariant is not None:
            verify_invariant(model, certificate.invariant, common, system, per_step / scale)
        verify_words(model, certificate.lower, common, system)
        verify_growth(model, certificate.growth, common, system, per_step / scale)
    layers = () if upper is None else upper.layers
    invariant = certificate.invariant
    return HiddenModelReport(
        words=certificate.words,
        at=certificate.at,
        pairs=certificate.pairs,
        bounds=() if upper is None else upper.bounds,
        beyond=None if upper is None else upper.beyond,
        always=None if invariant is None else invariant.bound,
        lower=certificate.lower,
        growth=certificate.growth,
        nodes=sum(len(layer.nodes) for layer in layers),
        covered=sum(len(layer.covered) for layer in layers),
        closed=sum(len(layer.closed) for layer in layers),
        vectors=0 if invariant is None else len(invariant.vectors),
    )
