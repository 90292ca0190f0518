"""The house rules that a machine can check."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import bdist
from bdist.thresholds.decide import BACKENDS
from bdist.thresholds.question import BACKEND_NAMES, DEFAULT_BACKEND

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "bdist").rglob("*.py"))


def test_imports_point_down_only() -> None:
    script = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([script, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 kept, 0 broken" in done.stdout


def test_modules_are_small_and_open_with_an_essay() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(('"""', 'r"""')), path
        assert text.count("\n") <= 400, f"{path} has outgrown one idea"


def test_every_public_name_is_there_when_it_is_asked_for() -> None:
    assert set(bdist._HOME_OF) == set(bdist.__all__) <= set(dir(bdist))
    for name in bdist.__all__:
        assert getattr(bdist, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'distances_table'"):
        bdist.distances_table  # type: ignore[attr-defined]  # noqa: B018


def test_the_small_query_loads_no_threshold_backend() -> None:
    code = (
        "import sys; from bdist.cli import new_app; new_app(['delta']); "
        "print([m for m in sys.modules if m.startswith(('bdist.thresholds.by_', 'bdist.audits'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_names_of_the_threshold_backends_are_those_of_the_registry() -> None:
    assert tuple(BACKENDS) == BACKEND_NAMES
    assert DEFAULT_BACKEND in BACKENDS


def test_importing_the_package_loads_no_heavy_engine() -> None:
    heavy = ("highspy", "pulp", "numpy", "rich.progress")
    code = f"import bdist, bdist.cli, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_readme_shows_what_the_program_prints() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```text\n(bd\(s0.*?)```", readme, re.DOTALL)
    assert shown is not None
    command = ["delta", "instances/dining-cryptographers/two.lmc", "s0", "s1", "--alpha", "1.0002"]
    done = subprocess.run(
        [sys.executable, "-m", "bdist", *command], cwd=ROOT, capture_output=True, text=True, check=True
    )

    def without_seconds(text: str) -> str:
        return re.sub(r"[0-9.e-]+ s\b", "N s", text)

    assert without_seconds(done.stdout) == without_seconds(shown[1])


def test_the_library_example_of_the_readme_runs(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert example is not None
    code = example[1].replace('"out.json"', repr(str(tmp_path / "out.json")))
    done = subprocess.run(
        [sys.executable, "-c", code + "\nprint(found.value, lift.value)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1/2500 1/3\n"
