"""What is released says one version everywhere, and what is pinned satisfies what is asked for."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import bdist

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_one_version_and_one_date() -> None:
    assert "version" not in SETTINGS["project"]  # it is read from bdist/__init__.py
    assert version("bdist") == bdist.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [bdist.__version__]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+) \((unreleased|\d{4}-\d{2}-\d{2})\)$", changes, re.MULTILINE)
    assert newest is not None
    assert newest[1] == bdist.__version__
    released = re.findall(r"^date-released: (.*)$", citation, re.MULTILINE)
    assert released == ([] if newest[2] == "unreleased" else [newest[2]])


def test_constraints_pin_all_that_is_asked_for() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    project = SETTINGS["project"]
    asked = [
        *SETTINGS["build-system"]["requires"],
        *project["dependencies"],
        *(text for extra in project["optional-dependencies"].values() for text in extra),
    ]
    for requirement in map(Requirement, asked):
        pinned = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(pinned, prereleases=True), requirement
