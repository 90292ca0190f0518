"""The answer about a formula as a document that a stranger can check: SPEC-DPCTL defines it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from flint import fmpq

from bdist.dpctl.formulas import Formula
from bdist.dpctl.printer import document_of
from bdist.exact.fast import slow
from bdist.exact.reading import rational_text
from bdist.text.writing import write_text

FORMAT = "bdist-dpctl-certificate"
VERSION = 1


@dataclass(frozen=True)
class DpctlCertificate:
    """Which states of a chain satisfy a formula, or how likely it is, and solutions of linear systems."""

    model: str
    neighbours: tuple[tuple[str, str], ...]
    formula: Formula
    solutions: tuple[tuple[fmpq, ...], ...]
    satisfied: tuple[str, ...] | None = None
    probabilities: tuple[tuple[str, Fraction], ...] | None = None

    def to_json(self) -> str:
        """The document of SPEC-DPCTL; one solution a line."""
        probabilities = None
        if self.probabilities is not None:
            probabilities = [[state, rational_text(value)] for state, value in self.probabilities]
        parts = [
            f'"format": {json.dumps(FORMAT)}',
            f'"version": {VERSION}',
            f'"model": {json.dumps(self.model)}',
            f'"neighbours": {json.dumps(list(self.neighbours))}',
            f'"formula": {json.dumps(document_of(self.formula))}',
            f'"solutions": {_lines([[rational_text(slow(x)) for x in xs] for xs in self.solutions])}',
            f'"satisfied": {json.dumps(None if self.satisfied is None else list(self.satisfied))}',
            f'"probabilities": {json.dumps(probabilities)}',
        ]
        return "{\n  " + ",\n  ".join(parts) + "\n}\n"

    def write(self, path: str | Path) -> None:
        """Write the document to a file. Raises: as `bdist.text.writing.write_text`."""
        write_text(path, self.to_json())


def _lines(items: Sequence[object]) -> str:
    if not items:
        return "[]"
    return "[\n" + ",\n".join("    " + json.dumps(item) for item in items) + "\n  ]"
