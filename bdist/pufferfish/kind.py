"""Hidden Markov models, as one kind of model among others, and what a certificate of one proves, in words."""

from __future__ import annotations

from fractions import Fraction

from bdist import checker
from bdist.exact.rationals import counted, exact_text, rational_text
from bdist.printing import named_word
from bdist.pufferfish import text
from bdist.pufferfish.certificate import point_texts, ratio_text
from bdist.pufferfish.families import HIDDEN_MODELS
from bdist.pufferfish.model import HiddenMarkovModel, fingerprint
from bdist.report import Report
from bdist.theories import ModelKind


def _sizes(model: HiddenMarkovModel) -> dict[str, int]:
    return {"states": len(model.states), "observations": len(model.observations)}


KIND = ModelKind(
    "hidden Markov model", text.SUFFIX, HiddenMarkovModel, HIDDEN_MODELS, text.write, fingerprint, _sizes
)


_LONGEST_LIST = 20


check = checker.check_hidden_model


def proved(report: checker.HiddenModelReport) -> Report:
    """Bounds on the loss by length, words and blocks."""
    return Report("\n".join(_lines(report)), _document(report))


def _lines(report: checker.HiddenModelReport) -> list[str]:
    """Bounds that differ from the one before, words that attain none of them, and blocks that grow."""
    claims: list[str] = []
    before: object = ()
    for length, bound in enumerate(report.bounds, start=1):
        reached = report.reached(length)
        if (bound, reached) != before:
            claims.append(f"from length {length} on: the loss {_loss_text(bound, reached)}")
        before = (bound, reached)
    if report.bounds:
        claims.append(f"that is up to length {len(report.bounds)}")
    if report.beyond is not None:
        claims.append(f"beyond: the loss is at most {exact_text(report.beyond)}")
    if report.always is not None:
        claims.append(f"at every length: the loss is at most {exact_text(report.always)}")
    for word in report.lower:
        length = len(word.word)
        if length > len(report.bounds) or word.ratio != report.bounds[length - 1]:
            ratio = "infinite" if word.ratio is None else exact_text(word.ratio)
            claims.append(f"the word {named_word(word.word)} has the ratio {ratio}")
    for growth in report.growth:
        parts = (named_word(growth.prefix), f"({named_word(growth.block)})^n", named_word(growth.suffix))
        claims.append(f"the ratios of {' '.join(filter(None, parts))} are unbounded")
    lines = [f"accepted  {claim}" for claim in claims[:_LONGEST_LIST]]
    if len(claims) > _LONGEST_LIST:
        lines.append(f"accepted  {counted(len(claims) - _LONGEST_LIST, 'more claim')}")
    counts = f"{counted(report.nodes, 'node')}, {report.covered} covered, {report.closed} closed"
    if report.always is not None:
        counts += f", {counted(report.vectors, 'vector')} of an invariant"
    return [*lines, f"          {counted(len(report.pairs), 'pair')}, {report.words} words, {counts} checked"]


def _loss_text(bound: Fraction | None, reached: bool) -> str:
    if bound is None:
        return "is infinite" if reached else "is not bounded"
    return f"{'=' if reached else 'is at most'} {exact_text(bound)}"


def _document(report: checker.HiddenModelReport) -> dict[str, object]:
    return {
        "accepted": True,
        "words": report.words,
        "at": point_texts(report.at),
        "pairs": [list(pair) for pair in report.pairs],
        "bounds": [ratio_text(bound) for bound in report.bounds],
        "beyond": None if report.beyond is None else rational_text(report.beyond),
        "always": None if report.always is None else rational_text(report.always),
        "lower": [
            {"pair": word.pair, "word": list(word.word), "ratio": ratio_text(word.ratio)}
            for word in report.lower
        ],
        "growth": [
            {"pair": g.pair, "prefix": list(g.prefix), "block": list(g.block), "suffix": list(g.suffix)}
            for g in report.growth
        ],
        "nodes": report.nodes,
    }
