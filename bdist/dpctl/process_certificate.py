"""The answer about a Markov decision process as a document that a stranger can check: SPEC-DPCTL, part II."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bdist.dpctl.formulas import Formula
from bdist.dpctl.printer import document_of
from bdist.dpctl.queries import Tree, TreeNode
from bdist.exact.reading import rational_text
from bdist.text.writing import write_text

FORMAT = "bdist-dpctl-mdp-certificate"
VERSION = 1

Names = tuple[str, ...]


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
class ProcessCertificate:
    """In which states of a process a formula holds, and in which it is violated, with the reasons."""

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula
    actions: Names
    parts: tuple[PartClaims, ...]
    holds: Names = ()
    violated: Names = ()

    def to_json(self) -> str:
        """The document of SPEC-DPCTL; one part a line."""
        parts = ",\n".join("    " + json.dumps(self._part(part)) for part in self.parts)
        members = [
            f'"format": {json.dumps(FORMAT)}',
            f'"version": {VERSION}',
            f'"model": {json.dumps(self.model)}',
            f'"neighbours": {json.dumps([list(pair) for pair in self.neighbours])}',
            f'"formula": {json.dumps(document_of(self.formula))}',
            f'"parts": [\n{parts}\n  ]' if parts else '"parts": []',
            f'"holds": {json.dumps(list(self.holds))}',
            f'"violated": {json.dumps(list(self.violated))}',
        ]
        return "{\n  " + ",\n  ".join(members) + "\n}\n"

    def write(self, path: str | Path) -> None:
        """Write the document to a file. Raises: as `bdist.text.writing.write_text`."""
        write_text(path, self.to_json())

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


def _texts(values: Sequence[Fraction]) -> list[str]:
    return [rational_text(value) for value in values]


def _witness(told: tuple[str, Names] | None) -> dict[str, object] | None:
    return None if told is None else {"neighbour": told[0], "actions": list(told[1])}
