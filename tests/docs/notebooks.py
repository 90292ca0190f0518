"""The notebooks of the documentation, run by a kernel as a reader would, and compared with what they show.

Texts have to be the same, seconds aside. Of a picture only the kind is compared: matplotlib draws a little
differently from version to version.

    python -m tests.docs.notebooks [--check]

runs all of them and writes what comes out; with --check, as in CI, it only says where that differs.
It is no test of the suite: two kernels, matplotlib and dp_accounting take as long as all pages together.
"""

from __future__ import annotations

import argparse
import copy
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.cli.runner import ROOT
from tests.docs.blocks import without_seconds

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def read(path: Path) -> Any:
    """A notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def run(stored: Any, folder: Path) -> Any:
    """The notebook as it comes out of a kernel that works in a folder. Raises: CellExecutionError."""
    notebook = copy.deepcopy(stored)
    here = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=here).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it was run
    return notebook


def shown(cell: Any) -> list[Any]:
    """What a cell shows: texts without seconds, and the kinds of its pictures."""
    found: list[Any] = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":  # it comes in pieces, as it happens
            printed = output.text
            if found and found[-1][0] == output.name:
                printed = found.pop()[1] + printed
            found.append((output.name, printed))
        else:
            data = output.get("data", {})
            kept = {kind: without_seconds(data[kind]) for kind in data if kind.startswith("text/")}
            found.append((output.output_type, sorted(data), kept))
    return found


def main() -> int:
    """Write the notebooks, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only say where they show something else")
    only_check = parser.parse_args().check
    differ = False
    for path in NOTEBOOKS:
        stored = read(path)
        with tempfile.TemporaryDirectory() as folder:
            again = run(stored, Path(folder))
        if not only_check:
            nbformat.write(again, path)
            continue
        for before, after in zip(stored.cells, again.cells, strict=True):
            if shown(before) != shown(after):
                differ = True
                print(f"{path.name}: this cell shows something else:\n{before.source}")
                print(f"stored: {shown(before)}\nnow:    {shown(after)}")
    if differ:
        print("python -m tests.docs.notebooks writes what they show now")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
