"""Answers about formulas as documents that a stranger can check: SPEC.md defines them.

Part I is for chains: which states satisfy a formula, or how likely it is, with the solutions of linear
systems. Part II is for decision processes: the claims about each P and D, with schedulers, trees of queries
and values as reasons. What we write ourselves is checked before it is shown (`vouch`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from bdist import checker
from bdist.budget import Budget
from bdist.certificates import Document, array_text, document_text
from bdist.certificates.checking import vouched
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.dpctl import text as mdp
from bdist.dpctl.formulas import Formula, document_of
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.queries import Tree, TreeNode
from bdist.exact.rationals import to_fraction
from bdist.exact.reading import rational_text

CHAIN_FORMAT = "bdist-dpctl-certificate"
PROCESS_FORMAT = "bdist-dpctl-mdp-certificate"
VERSION = 1

Names = tuple[str, ...]


@dataclass(frozen=True)
class ChainCertificate(Document):
    """Which states of a chain satisfy a formula, or how likely it is, and solutions of linear systems."""

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula
    solutions: tuple[tuple[fmpq, ...], ...]
    satisfied: tuple[str, ...] | None = None
    probabilities: tuple[tuple[str, Fraction], ...] | None = None

    def to_json(self) -> str:
        """The document of SPEC.md; one solution a line."""
        probabilities = None
        if self.probabilities is not None:
            probabilities = [[state, rational_text(value)] for state, value in self.probabilities]
        solutions = ([rational_text(to_fraction(x)) for x in solution] for solution in self.solutions)
        members = {
            "solutions": array_text(solutions),
            "satisfied": json.dumps(self.satisfied),
            "probabilities": json.dumps(probabilities),
        }
        return _document(CHAIN_FORMAT, self.model, self.neighbours, self.formula, members)


@dataclass(frozen=True)
class PartClaims:
    """What is claimed of one P or D, or of a path formula by itself, with the reasons.

    ``violated`` has states with a neighbour and actions for D, and with None for P.
    """

    upper: tuple[Fraction, ...] | None = None
    lower: tuple[Fraction, ...] | None = None
    most: Names | None = None
    least: Names | None = None
    repeated: tuple[tuple[str, tuple[Fraction, ...]], ...] = ()
    trees: tuple[tuple[str, str, Tree], ...] = ()
    holds: Names = ()
    violated: tuple[tuple[str, tuple[str, Names] | None], ...] = ()
    queries: tuple[tuple[str, Names, Fraction], ...] = ()
    extremes: tuple[tuple[str, Fraction, Fraction], ...] = ()


@dataclass(frozen=True)
class ProcessCertificate(Document):
    """In which states of a process a formula holds, and in which it is violated, with the reasons."""

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula
    actions: Names
    parts: tuple[PartClaims, ...]
    holds: Names = ()
    violated: Names = ()

    def to_json(self) -> str:
        """The document of SPEC.md; one part a line."""
        members = {
            "parts": array_text(map(self._part, self.parts)),
            "holds": json.dumps(self.holds),
            "violated": json.dumps(self.violated),
        }
        return _document(PROCESS_FORMAT, self.model, self.neighbours, self.formula, members)

    def _part(self, part: PartClaims) -> dict[str, object]:
        return {
            "upper": None if part.upper is None else _texts(part.upper),
            "lower": None if part.lower is None else _texts(part.lower),
            "most": None if part.most is None else list(part.most),
            "least": None if part.least is None else list(part.least),
            "repeated": [[action, _texts(solution)] for action, solution in part.repeated],
            "trees": [[s, t, [self._node(node) for node in tree]] for s, t, tree in part.trees],
            "holds": list(part.holds),
            "violated": [[state, _witness(told)] for state, told in part.violated],
            "queries": [[state, list(actions), rational_text(p)] for state, actions, p in part.queries],
            "extremes": [[state, *_texts((low, high))] for state, low, high in part.extremes],
        }

    def _node(self, node: TreeNode) -> dict[str, int] | None:
        """A node by the names of actions; what most actions have in common stands once, under *."""
        if node is None:
            return None
        groups: dict[int, list[int]] = {}
        for action, number in node.items():
            groups.setdefault(number, []).append(action)
        common, members = max(groups.items(), key=lambda group: len(group[1]))
        if len(members) == 1 or "*" in self.actions:
            return {self.actions[action]: number for action, number in sorted(node.items())}
        shown = {self.actions[action]: number for action, number in sorted(node.items()) if number != common}
        return {**shown, "*": common}


def vouch(
    model: LabelledMarkovChain | MarkovDecisionProcess,
    certificate: ChainCertificate | ProcessCertificate,
    start: float,
    budget: Budget | None,
) -> dict[str, float]:
    """Check a certificate that we made ourselves; for how long it was sought, from a start on, and checked.

    Raises: as `bdist.certificates.checking.vouched`.
    """
    searched, text = time.monotonic(), certificate.to_json()
    if isinstance(model, MarkovDecisionProcess):
        vouched(checker.check_decision_process, "model.mdp", mdp.write(model), text, budget)
    else:
        vouched(checker.check_formula, "model.lmc", lmc.write(model), text, budget)
    return {
        "seconds": round(searched - start, 6),
        "check_seconds": round(time.monotonic() - searched, 6),
    }


def _document(
    form: str, model: str, neighbours: Sequence[tuple[str, str]], formula: Formula, members: Mapping[str, str]
) -> str:
    """The text of a document: what all have, and what this one has."""
    shared = {
        "format": json.dumps(form),
        "version": json.dumps(VERSION),
        "model": json.dumps(model),
        "neighbours": json.dumps(neighbours),
        "formula": json.dumps(document_of(formula)),
    }
    return document_text({**shared, **members})


def _texts(values: Sequence[Fraction]) -> list[str]:
    return [rational_text(value) for value in values]


def _witness(told: tuple[str, Names] | None) -> dict[str, object] | None:
    return None if told is None else {"neighbour": told[0], "actions": list(told[1])}
