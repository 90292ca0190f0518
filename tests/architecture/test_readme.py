"""What the README shows is what the program does, and the reference lists what the parser knows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```sh\n(?:[^\n]* && )?(bdist [^\n]*)\n```\n\n```text\n(.*?)```", README, re.DOTALL)


def without_seconds(text: str) -> str:
    return re.sub(r"[0-9.e-]+ s\b", "N s", text)


def test_the_readme_shows_commands() -> None:
    shown = [command.split()[1] for command, _ in SHOWN]
    assert shown == [
        "delta",
        "profile",
        "audit",
        *["dipa"] * 2,
        *["dipc"] * 2,
        *["pufferfish"] * 2,
        *["modelcheck"] * 3,
    ]


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[shlex.join(c.split()[1:3]) for c, _ in SHOWN])
def test_the_readme_shows_what_the_program_prints(command: str, output: str, tmp_path: Path) -> None:
    os.symlink(ROOT / "instances", tmp_path / "instances")
    typed = [sys.executable, "-m", "bdist", *shlex.split(command)[1:]]
    done = subprocess.run(typed, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert without_seconds(done.stdout) == without_seconds(output)


def test_the_audit_of_the_readme_leaves_a_report_and_proofs(tmp_path: Path) -> None:
    os.symlink(ROOT / "instances", tmp_path / "instances")
    [audit] = [command for command, _ in SHOWN if command.startswith("bdist audit")]
    typed = [sys.executable, "-m", "bdist", *shlex.split(audit)[1:]]
    assert subprocess.run(typed, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    assert "VIOLATED" in (tmp_path / "audit.html").read_text(encoding="utf-8")
    proofs = sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "proofs").glob("*.json"))
    check = [sys.executable, "-m", "bdist", "check", "proofs/model.lmc", *proofs]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.removesuffix(":") for line in done.stdout.splitlines() if line.endswith(":")] == proofs


def test_the_library_example_of_the_readme_runs(tmp_path: Path) -> None:
    example = re.search(r"```python\n(import.*?)```", README, re.DOTALL)
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


def test_the_reference_of_the_command_line_is_up_to_date() -> None:
    script = [sys.executable, "scripts/make_cli_reference.py", "--check"]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
