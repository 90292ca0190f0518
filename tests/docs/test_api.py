"""The pages of the API have every public name once."""

from __future__ import annotations

import re

import bdist
from bdist.theories import THEORIES
from tests.cli.runner import ROOT

PAGES = sorted((ROOT / "docs" / "reference" / "api").glob("*.md"))


def test_every_public_name_is_on_a_page_once() -> None:
    shown = [
        name
        for page in PAGES
        for name in re.findall(r"^::: bdist\.(\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(shown) == sorted([*bdist.__all__, *(theory.name for theory in THEORIES)])
