"""Certificates made by hand, and what each of them must meet: one table of the kinds, for all theories.

A folder of certificates has three parts. ``accepted/`` holds proofs that are right. A file in ``rejected/``
has a name that begins with the step that must fail; for some of them ``rejected/reasons.txt`` says what the
checker must answer, to the letter. ``malformed/places.txt`` says of each malformed file how the message
begins. The name of a file ends in the model that it is about, which lies in ``models/``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from bdist import checker

TESTS = Path(__file__).parents[1]
SPECIFICATIONS = Path(checker.__file__).parents[1]

Document = dict[str, Any]
Report = TypeVar("Report")


@dataclass(frozen=True)
class HandMade(Generic[Report]):
    """The certificates of one kind: where they lie, what checks them, and where its steps are specified."""

    theory: str  # the folder below tests/, and below bdist/ that of the specification
    suffix: str  # of the models
    check_texts: Callable[[str, str], Report]  # of a model and of a certificate
    steps: tuple[str, ...]
    section: tuple[str, str] = ("\n## 3.", "\n## 4.")  # of the specification, that lists the steps: its ends
    step: str = r"^\* `([a-z-]+)`(?: \([^)]*\))?:"  # how that section names one
    part: str = ""  # of the folders, where a theory has two kinds of certificates

    def folder(self, verdict: str) -> Path:
        """Where the certificates with a verdict lie."""
        return TESTS / self.theory / verdict / self.part

    def files(self, verdict: str) -> list[Path]:
        """The certificates with a verdict."""
        return sorted(self.folder(verdict).glob("*.json"))

    def model_path(self, certificate: str | Path) -> Path:
        """The model that a certificate is about, by its name or by that of the model alone."""
        name = Path(certificate).stem.split("--")[-1]
        return TESTS / self.theory / "models" / f"{name}{self.suffix}"

    def model_of(self, certificate: str | Path) -> str:
        """The text of that model."""
        return self.model_path(certificate).read_text(encoding="utf-8")

    def accepted(self, stem: str) -> Document:
        """An accepted certificate."""
        found: Document = json.loads((self.folder("accepted") / f"{stem}.json").read_text(encoding="utf-8"))
        return found

    def check(self, certificate: Path) -> Report:
        """What the checker says about a file and its model."""
        return self.check_texts(self.model_of(certificate), certificate.read_text(encoding="utf-8"))

    def outcome(self, model: str, certificate: str | Document) -> str:
        """The verdict of the checker on the text of a model and a certificate; the step of a rejected one."""
        text = certificate if isinstance(certificate, str) else json.dumps(certificate)
        try:
            self.check_texts(model, text)
        except checker.Rejected as rejected:
            return rejected.step
        except checker.Malformed:
            return "malformed"
        return "accepted"

    def messages(self, verdict: str, name: str) -> dict[str, str]:
        """The lines of a file beside the certificates: the stem of a certificate, a colon, a message."""
        lines = (self.folder(verdict) / name).read_text(encoding="utf-8").splitlines()
        return dict(line.split(": ", 1) for line in lines)

    def specified_steps(self) -> tuple[str, ...]:
        """The steps that the specification lists, in its order; some stand there twice."""
        text = (SPECIFICATIONS / self.theory / "SPEC.md").read_text(encoding="utf-8")
        section = text.split(self.section[0])[1].split(self.section[1])[0]
        return tuple(dict.fromkeys(re.findall(self.step, section, flags=re.MULTILINE)))


# a step of chains stands at the beginning of an item, or of a remark in brackets
DISTANCES = HandMade("certificates", ".lmc", checker.check, checker.STEPS, step=r"(?:^\* |\()`([a-z-]+)`")
AUTOMATA = HandMade("dipa", ".dipa", checker.check_automaton, checker.AUTOMATON_STEPS)
PROGRAMS = HandMade(
    "dipc", ".dip", checker.check_program, checker.PROGRAM_STEPS, section=("\n## 3.", "\n**Normal form**")
)
HIDDEN_MODELS = HandMade("pufferfish", ".hmm", checker.check_hidden_model, checker.HIDDEN_MODEL_STEPS)
FORMULAS = HandMade("dpctl", ".lmc", checker.check_formula, checker.FORMULA_STEPS, part="chains")
PROCESSES = HandMade(
    "dpctl",
    ".mdp",
    checker.check_decision_process,
    checker.DECISION_STEPS,
    section=("\n## 8.", "\n## 9."),
    part="processes",
)
KINDS: tuple[HandMade[Any], ...] = (DISTANCES, AUTOMATA, PROGRAMS, HIDDEN_MODELS, FORMULAS, PROCESSES)
