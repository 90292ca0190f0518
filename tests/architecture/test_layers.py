"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import bdist
from bdist.queries import Backend
from bdist.theories import THEORIES
from bdist.thresholds.decide import BACKENDS
from bdist.thresholds.question import DEFAULT_BACKEND

ROOT = Path(__file__).parents[2]
TWO = ROOT / "instances" / "dining-cryptographers" / "two.lmc"
MODULES = sorted((ROOT / "bdist").rglob("*.py"))


def test_imports_point_down_only() -> None:
    script = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([script, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 kept, 0 broken" in done.stdout


def test_modules_open_with_an_essay() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(('"""', 'r"""')), path


def test_every_public_name_is_there_when_it_is_asked_for() -> None:
    typed = {  # what a type checker reads
        alias.name: node.module
        for node in ast.walk(ast.parse(Path(bdist.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bdist.")
        for alias in node.names
    }
    assert typed == bdist._HOME_OF
    assert set(typed) == set(bdist.__all__) <= set(dir(bdist))
    for name in bdist.__all__:
        assert getattr(bdist, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'distances_table'"):
        bdist.distances_table  # type: ignore[attr-defined]  # noqa: B018


def test_the_small_query_loads_little_and_no_other_theory() -> None:
    code = (
        "import sys\n"
        "from bdist.cli import main\n"
        f"sys.argv = ['bdist', 'delta', {str(TWO)!r}, 's0', 's1', '--alpha', '1.0002', '--json']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*(m for m in sys.modules if m.split('.')[0] == 'bdist'), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    others = {*(theory.name for theory in THEORIES), "thresholds", "audits"}
    assert not [module for module in loaded if others.intersection(module.split("."))]
    assert 20 < len(loaded) <= 72


def test_the_names_of_the_threshold_backends_are_those_of_the_registry() -> None:
    assert tuple(BACKENDS) == tuple(Backend)
    assert DEFAULT_BACKEND in BACKENDS


def test_importing_the_package_loads_no_heavy_engine() -> None:
    heavy = ("highspy", "pulp", "numpy", "rich.progress")
    code = f"import bdist, bdist.cli, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
