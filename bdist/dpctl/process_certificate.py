"""The answer about a Markov decision process as a document that a stranger can check: SPEC-DPCTL, part II."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bdist.dpctl.formulas import Formula
from bdist.dpctl.printer import document_of
from bdist.dpctl.queries import Tree
from bdist.rationals.reading import rational_text

FORMAT = "bdist-dpctl-mdp-certificate"
VERSION = 1


@dataclass(frozen=True)
class ProcessCertificate:
    """In which states of a process a formula holds, and in which it is violated, with the reasons."""

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula
    actions: tuple[str, ...]
    upper: tuple[Fraction, ...] | None
    lower: tuple[Fraction, ...] | None
    trees: tuple[tuple[str, str, Tree], ...]
    holds: tuple[str, ...]
    violated: tuple[tuple[str, Mapping[str, object]], ...]

    def to_json(self) -> str:
        """The document of SPEC-DPCTL."""
        parts = {
            "format": FORMAT,
            "version": VERSION,
            "model": self.model,
            "neighbours": [list(pair) for pair in self.neighbours],
            "formula": document_of(self.formula),
            "upper": _rationals(self.upper),
            "lower": _rationals(self.lower),
            "trees": [[s, t, self._tree(tree)] for s, t, tree in self.trees],
            "holds": list(self.holds),
            "violated": [[state, dict(witness)] for state, witness in self.violated],
        }
        body = ",\n  ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in parts.items())
        return "{\n  " + body + "\n}\n"

    def write(self, path: str | Path) -> None:
        """Write the document to a file."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    def _tree(self, tree: Tree) -> object:
        """A tree by the names of actions; what most actions have in common stands once, under *."""
        if tree is None:
            return None
        groups: dict[int, list[int]] = {}
        for action, child in tree.items():
            groups.setdefault(id(child), []).append(action)
        common = max(groups.values(), key=len)
        if len(common) == 1 or "*" in self.actions:
            return {self.actions[action]: self._tree(child) for action, child in tree.items()}
        shown = {
            self.actions[action]: self._tree(child) for action, child in tree.items() if action not in common
        }
        return {**shown, "*": self._tree(tree[common[0]])}


def rationals(values: Sequence[Fraction]) -> list[str]:
    """Rationals as texts."""
    return [rational_text(value) for value in values]


def _rationals(values: Sequence[Fraction] | None) -> list[str] | None:
    return None if values is None else rationals(values)
