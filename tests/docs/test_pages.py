"""Every command and every piece of Python in the documentation runs, and prints what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runner import ROOT
from tests.docs.blocks import Block, Page, blocks, same

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

# The blocks that are shown and not run, with the reason that the page gives.
NOT_RUN = [
    ("README.md", "installs the project"),
    ("README.md", "installs the project"),
    ("README.md", "runs all tests"),
    ("docs/how-to/check.md", "needs the verified checker"),
    ("docs/how-to/cluster.md", "needs a cluster"),
    ("docs/how-to/cluster.md", "needs a cluster"),
    ("docs/how-to/cluster.md", "needs a cluster"),
    ("docs/index.md", "installs the project"),
    ("docs/tutorial.md", "installs the project"),
]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    folder = Page(name(page), tmp_path)
    for block in blocks(page.read_text(encoding="utf-8")):
        folder.run(block)


def test_what_is_not_run_is_listed() -> None:
    found = [
        (name(page), block.not_run)
        for page in PAGES
        for block in blocks(page.read_text(encoding="utf-8"))
        if block.not_run is not None
    ]
    assert found == NOT_RUN


def test_the_examples_of_the_commands_run(tmp_path: Path) -> None:
    """Those of --help; not of check, whose files are the reader's, nor the long ones of bench and doctor."""
    page = Page("docs/reference/command-line.md", tmp_path)
    reference = (ROOT / page.name).read_text(encoding="utf-8")
    examples = re.findall(r"^Example: `(bdist (?!check |bench |doctor )[^`]*)`", reference, re.MULTILINE)
    assert len(examples) == reference.count("\nExample: `bdist ") - 3
    for example in examples:
        page.run(Block(0, "sh", example, None, None, output="...\n"))


def test_no_fence_escapes() -> None:
    """Every fence of every page is read as a block: as many opened as closed, all seen."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fences = len(re.findall(r"^ *```", text, re.MULTILINE))
        assert fences == 2 * len(blocks(text)), name(page)


def test_a_wrong_output_is_noticed(tmp_path: Path) -> None:
    shown = "one 0.5 s\n...\nlast\n"
    assert same("one 7e-05 s\nany\nthing\nlast\n", shown)
    assert not same("one 1 s\nany\nother\n", shown)
    page = Page("page", tmp_path)
    for wrong in (
        "```python\n1 + 1  # 3\n```",
        "```python\nprint(2)\n```\n\n```text\n3\n```",
        "```sh\nbdist doctor --no-such-option\n```",
        "```sh\necho 2\n```\n\n```text\n3\n```",
        "```sh\nfalse\n```",
        "```sh\ntrue  # exit code 1\n```",
        "```ruby\n1\n```",
    ):
        [block, *_] = blocks(wrong)
        with pytest.raises(AssertionError):
            page.run(block)


def test_links_of_the_readme_lead_somewhere() -> None:
    """Those of the pages are checked by the strict build."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)[^)]*\)", text) + re.findall(r'src="([^"]+)"', text)
    assert len(links) > 20
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("script", ["make_cli_reference.py", "make_docs_pictures.py"])
def test_what_is_made_for_the_documentation_is_up_to_date(script: str) -> None:
    command = [sys.executable, f"scripts/{script}", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
