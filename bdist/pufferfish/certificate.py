"""A statement about a hidden Markov model as a document that a stranger can check: SPEC defines it.

A certificate names its model by fingerprint, the pairs it speaks of and the words that count, and holds any
of four things: upper bounds of the loss with the layers of the search that prove them, one bound for all
lengths with vectors that no observation leads out of, words that prove lower bounds, and blocks of
observations that can be repeated. Every part is checked on its own.

As for chains (`bdist.certificates.checking`), the checker is handed the two texts that a stranger would hand
it, the model's and the certificate's, and its verdict is translated into our exceptions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bdist import checker
from bdist.budget import Budget
from bdist.certificates import Document, array_text, document_text, object_text
from bdist.certificates.checking import check_given, vouched
from bdist.exact.rationals import rational_text
from bdist.pufferfish import text as hmm
from bdist.pufferfish.model import HiddenMarkovModel, Pair, Words
from bdist.report import OneLine

FORMAT = "bdist-pufferfish-certificate"
VERSION = 1

Point = Mapping[str, Fraction]
ChildName = int | tuple[int, str]
Tree = tuple["str", Fraction, "Tree", "Tree"] | None


@dataclass(frozen=True, repr=False)
class LayerProof(OneLine):
    """The children that are followed, those that others answer for, and those that are closed."""

    nodes: tuple[ChildName, ...]
    covered: tuple[tuple[ChildName, int | tuple[int, int], Fraction | None], ...]
    closed: tuple[tuple[ChildName, Fraction | None], ...]


@dataclass(frozen=True, repr=False)
class UpperProof(OneLine):
    """Bounds for the lengths 1, 2, ... (None is infinite), and one for all lengths beyond, if there is
    one.
    """

    bounds: tuple[Fraction | None, ...]
    beyond: Fraction | None
    layers: tuple[LayerProof, ...]
    trees: tuple[tuple[int, int, str, Tree], ...] = ()


Combination = tuple[tuple[int, Fraction], ...]  # vectors by position, each with a multiplier


@dataclass(frozen=True, repr=False)
class InvariantProof(OneLine):
    """A bound at all lengths: vectors, and what answers for the pairs and for the successors of each vector.

    ``second`` are the states in which the second side may be, where only common words count.
    """

    bound: Fraction
    vectors: tuple[Mapping[str, Fraction], ...]
    second: tuple[tuple[str, ...], ...]
    roots: tuple[Combination, ...]
    steps: tuple[tuple[tuple[str, Combination], ...], ...]


@dataclass(frozen=True, repr=False)
class WordProof(OneLine):
    """A word with its ratio (None is infinite), at a point, or in the limit along a direction from it."""

    pair: int
    word: tuple[str, ...]
    ratio: Fraction | None
    at: Point | None = None
    toward: Point | None = None


@dataclass(frozen=True, repr=False)
class GrowthProof(OneLine):
    """A block whose repetition multiplies the first side by ``up`` at least, the second by ``down`` at
    most.
    """

    pair: int
    prefix: tuple[str, ...]
    block: tuple[str, ...]
    suffix: tuple[str, ...]
    below: Mapping[str, Fraction]
    above: Mapping[str, Fraction]
    up: Fraction
    down: Fraction


@dataclass(frozen=True, repr=False)
class PufferfishCertificate(Document):
    """What is proved about the model with that fingerprint, at a point of its parameters if one is given."""

    model: str
    words: Words
    pairs: tuple[Pair, ...]
    at: Point | None = None
    upper: UpperProof | None = None
    invariant: InvariantProof | None = None
    lower: tuple[WordProof, ...] = ()
    growth: tuple[GrowthProof, ...] = ()

    def to_json(self) -> str:
        """The document of SPEC; one layer or word a line."""
        return document_text(
            {
                "format": json.dumps(FORMAT),
                "version": json.dumps(VERSION),
                "model": json.dumps(self.model),
                "words": json.dumps(self.words.value),
                "at": json.dumps(point_texts(self.at)),
                "pairs": array_text(map(_pair, self.pairs)),
                "upper": "null" if self.upper is None else _upper(self.upper),
                "invariant": "null" if self.invariant is None else _invariant(self.invariant),
                "lower": array_text(map(_word, self.lower)),
                "growth": array_text(map(_growth, self.growth)),
            }
        )


def _pair(pair: Pair) -> list[str]:
    return [pair.first, pair.second] + ([] if pair.prior is None else [pair.prior])


def _upper(upper: UpperProof) -> str:
    members = {
        "bounds": json.dumps([ratio_text(bound) for bound in upper.bounds]),
        "beyond": json.dumps(None if upper.beyond is None else rational_text(upper.beyond)),
        "layers": array_text(map(_layer, upper.layers), 4),
        "trees": array_text(([d, node, o, _tree(tree)] for d, node, o, tree in upper.trees), 4),
    }
    return object_text(members, 2)


def _layer(layer: LayerProof) -> dict[str, object]:
    return {
        "nodes": list(layer.nodes),
        "covered": [
            [child, by] if factor is None else [child, by, rational_text(factor)]
            for child, by, factor in layer.covered
        ],
        "closed": [[child, ratio_text(bound)] for child, bound in layer.closed],
    }


def _tree(tree: Tree) -> object:
    if tree is None:
        return None
    parameter, at, left, right = tree
    return [parameter, rational_text(at), _tree(left), _tree(right)]


def _invariant(invariant: InvariantProof) -> str:
    steps = ([[o, _combination(named)] for o, named in part] for part in invariant.steps)
    members = {
        "bound": json.dumps(rational_text(invariant.bound)),
        "vectors": array_text(map(point_texts, invariant.vectors), 4),
        "second": array_text(map(list, invariant.second), 4),
        "roots": array_text(map(_combination, invariant.roots), 4),
        "steps": array_text(steps, 4),
    }
    return object_text(members, 2)


def _combination(combination: Combination) -> list[list[object]]:
    return [[index, rational_text(multiplier)] for index, multiplier in combination]


def _word(word: WordProof) -> dict[str, object]:
    points = {"at": point_texts(word.at), "toward": point_texts(word.toward)}
    return {**vars(word), "ratio": ratio_text(word.ratio), **points}


def _growth(growth: GrowthProof) -> dict[str, object]:
    vectors = {"below": point_texts(growth.below), "above": point_texts(growth.above)}
    return {**vars(growth), **vectors, "up": rational_text(growth.up), "down": rational_text(growth.down)}


def ratio_text(bound: Fraction | None) -> str:
    """A bound or a ratio as SPEC writes it; None is infinite."""
    return "inf" if bound is None else rational_text(bound)


def point_texts(point: Point | None) -> dict[str, str] | None:
    """A point as SPEC writes it."""
    return None if point is None else {name: rational_text(value) for name, value in point.items()}


# --- the independent checker ---


def check(
    model: HiddenMarkovModel | str | Path, certificate: PufferfishCertificate | str | Path
) -> checker.HiddenModelReport:
    """Check a certificate against a model; both may be files. Returns what is now proved.

    Raises: CertificateRejected with the failing step, CertificateSyntaxError, FormatError.
    """
    return check_given(checker.check_hidden_model, model, hmm.write, "model", certificate)


def vouch(
    model: HiddenMarkovModel, certificate: PufferfishCertificate, budget: Budget | None = None
) -> checker.HiddenModelReport:
    """Check a certificate that we made ourselves. Raises: as `bdist.certificates.checking.vouched`."""
    return vouched(checker.check_hidden_model, "model.hmm", hmm.write(model), certificate.to_json(), budget)
