"""Answers about hidden Markov models as JSON objects: rationals are strings, an infinite ratio is "inf"."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bdist.cli.reports import trace_json
from bdist.exact.display import decimal_down, decimal_up
from bdist.exact.reading import rational_text
from bdist.pufferfish.delta import Deltas
from bdist.pufferfish.findings import Decision, Loss, Ratio, Witness, WordCheck
from bdist.pufferfish.model import Pair
from bdist.pufferfish.question import Question
from bdist.pufferfish.refinement import Refinement
from bdist.results import Answer


def decision_json(decision: Decision) -> dict[str, object]:
    """A decision as a JSON object."""
    return {
        **_question_json(decision.question),
        "answer": decision.answer.value,
        "bound": _ratio_json(decision.bound) if decision.answer is not Answer.UNKNOWN else None,
        "witness": _witness_json(decision.witness),
        "reason": decision.reason,
        "hint": None if decision.hint is None else decision.hint.value,
        "holds_up_to": decision.holds_up_to or None,
        "stats": dict(decision.stats),
    }


def loss_json(loss: Loss) -> dict[str, object]:
    """The losses as a JSON object."""
    growth = loss.growth
    return {
        **_question_json(loss.question),
        "lengths": [
            {
                "length": one.length,
                "lower": _ratio_json(one.lower),
                "upper": _ratio_json(one.upper) if one.bounded else None,
                "exact": one.exact,
                "witness": _witness_json(one.witness),
            }
            for one in loss.lengths
        ],
        "beyond": None if loss.beyond is None else rational_text(loss.beyond),
        "unbounded": None
        if growth is None
        else {
            "pair": _pair_json(growth.pair),
            "prefix": list(growth.prefix),
            "block": list(growth.block),
            "suffix": list(growth.suffix),
            "factor": rational_text(growth.factor),
        },
        "limit": loss.limit,
        "stats": dict(loss.stats),
    }


def word_json(check: WordCheck) -> dict[str, object]:
    """A word as a JSON object."""
    return {
        **_question_json(check.question),
        "answer": None if check.answer is None else check.answer.value,
        "word": list(check.word),
        "witnesses": [_witness_json(witness) for witness in check.witnesses],
    }


def refinement_json(question: Question, found: Refinement) -> dict[str, object]:
    """A refined interval as a JSON object."""
    return {
        **_question_json(question),
        "lower": decimal_down(found.lower, 17),
        "upper": None if found.upper is None else decimal_up(found.upper, 17),
        "exact": None if found.exact is None else f"ln {rational_text(found.exact)}",
        "decisions": [
            {"epsilon": d.epsilon.text, "answer": d.answer.value, "bound": _ratio_json(d.bound)}
            for d in found.decisions
        ],
        "witness": None if found.violated is None else _witness_json(found.violated.witness),
        "limit": found.limit,
    }


def deltas_json(found: Deltas, most: Fraction | None) -> dict[str, object]:
    """The least deltas as a JSON object."""
    return {
        **_question_json(found.question),
        "delta": None if most is None else rational_text(most),
        "answer": None if most is None else found.answer(most).value,
        "chain_states": len(found.unfolded.chain),
        "pairs": [
            {"pair": _pair_json(p.pair), "both_directions": p.both, "true_delta": trace_json(p.found)}
            for p in found.pairs
        ],
    }


def _question_json(question: Question) -> dict[str, object]:
    return {
        "model": question.model.name,
        "scenario": question.scenario,
        "words": question.words.value,
        "length": question.lengths.text,
        "epsilon": None if question.epsilon is None else question.epsilon.text,
        "at": _point_json(question.at),
        "pairs_compared": len(question.pairs),
    }


def _witness_json(witness: Witness | None) -> dict[str, object] | None:
    if witness is None:
        return None
    both = witness.probabilities
    return {
        "word": list(witness.word),
        "pair": _pair_json(witness.pair),
        "ratio": _ratio_json(witness.ratio),
        "probabilities": None if both is None else [rational_text(p) for p in both],
        "at": _point_json(witness.at),
        "in_the_limit_along": _point_json(witness.limit),
    }


def _pair_json(pair: Pair) -> dict[str, str | None]:
    return {"first": pair.first, "second": pair.second, "prior": pair.prior}


def _point_json(point: Mapping[str, Fraction] | None) -> dict[str, str] | None:
    return None if point is None else {name: rational_text(value) for name, value in point.items()}


def _ratio_json(ratio: Ratio) -> str:
    return "inf" if ratio is None else rational_text(ratio)
