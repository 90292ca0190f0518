"""Certificates made by hand, as files: ``accepted``, ``rejected`` and ``malformed``, in a theory's folder.

A file's name ends in the model it is about, in ``models``; a rejected file's begins with the step that must
fail. What every theory asks of its files is written here once: the verdicts, that each step of its
specification is seen to fail, and that each malformed file is refused at its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import pytest

from bdist import checker

R = TypeVar("R")


@dataclass(frozen=True)
class CertificateFiles(Generic[R]):
    """The files of a theory, the suffix of its models, its check, and a folder within each verdict."""

    folder: Path
    suffix: str
    check_texts: Callable[[str, str], R]
    inside: str = ""

    def all(self, verdict: str) -> list[Path]:
        """All files with a verdict."""
        return sorted((self.folder / verdict / self.inside).glob("*.json"))

    def model_path(self, certificate: Path) -> Path:
        """The model that a certificate is about."""
        return self.folder / "models" / f"{certificate.stem.split('--')[-1]}{self.suffix}"

    def model_of(self, certificate: Path) -> str:
        """The text of that model."""
        return self.model_path(certificate).read_text(encoding="utf-8")

    def check(self, certificate: Path) -> R:
        """What the checker says of a file."""
        return self.check_texts(self.model_of(certificate), certificate.read_text(encoding="utf-8"))

    def outcome(self, model: str, certificate: str) -> str:
        """The verdict of the checker, and for a rejected certificate the step.

        Raises: TooLarge, which is no verdict.
        """
        try:
            self.check_texts(model, certificate)
        except checker.Rejected as rejected:
            return rejected.step
        except checker.TooLarge:
            raise
        except checker.Malformed:
            return "malformed"
        return "accepted"

    def reason(self, stem: str) -> str:
        """Why a rejected file is rejected."""
        with pytest.raises(checker.Rejected) as caught:
            self.check(self.folder / "rejected" / self.inside / f"{stem}.json")
        return caught.value.reason

    def assert_rejected(self, certificate: Path) -> None:
        """At the step that its name says, with a reason that can be printed."""
        with pytest.raises(checker.Rejected) as caught:
            self.check(certificate)
        step, reason = caught.value.step, caught.value.reason
        assert step == certificate.stem.split("--")[0]
        assert str(caught.value) == f"rejected at {step}: {reason}"
        assert reason.isprintable()

    def assert_malformed(self, certificate: Path, places: Mapping[str, str]) -> None:
        """Where it is malformed is the beginning of the message."""
        with pytest.raises(checker.Malformed) as caught:
            self.check(certificate)
        assert str(caught.value).startswith(places[certificate.stem])
        assert str(caught.value).isprintable()

    def assert_every_step_fails(self, specification: Path, section: int, steps: tuple[str, ...]) -> None:
        """The steps of the checker are those of a section of the specification, and each fails in a file."""
        text = specification.read_text(encoding="utf-8")
        text = text.split(f"\n## {section}.")[1].split(f"\n## {section + 1}.")[0]
        assert tuple(re.findall(r"^\* `([a-z-]+)`:", text, flags=re.MULTILINE)) == steps
        assert {path.stem.split("--")[0] for path in self.all("rejected")} == set(steps)
