"""``bdist bench`` as a user types it, on the smallest chains; no time is ever compared."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.runner import ROOT, run_bdist


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_bdist("bench", *arguments)


def test_json_csv_and_figure(tmp_path: Path) -> None:
    table, figure = tmp_path / "out.csv", tmp_path / "out.png"
    done = bench(
        *("--family", "random", "--sizes", "4", "--seeds", "1"),
        *("--backend", "sat-lp", "--at", "below", "--cell-limit", "3000"),
        *("--json", "--csv", str(table), "--plot", str(figure)),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert document["backends"] == ["strategy", "sat-lp"]
    assert document["time_limit"] == 3000
    assert document["interrupted"] is False
    assert document["total"] == len(document["cells"]) == 2
    assert set(document["machine"]) == {"cpu", "cores", "system", "python", "packages", "process_seconds"}
    for cell in document["cells"]:
        assert cell["status"] == "violated"
        assert cell["seconds"] > 0
        assert cell["peak_memory"] > 10**6
        assert cell["linear_programs"] is not None
        if cell["backend"] == "strategy":
            assert cell["ratio"] == 1
        else:
            assert cell["clauses"] is not None
            assert cell["variables"] == cell["pairs"]
    with table.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["family"], row["backend"], row["theta"]) for row in rows] == [
        (cell["family"], cell["backend"], cell["theta"]) for cell in document["cells"]
    ]
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_what_did_not_finish_is_shown() -> None:
    slow = bench(
        *("--family", "random", "--sizes", "10", "--seeds", "1", "--backend", "smt", "--at", "value"),
        *("--cell-limit", "1"),
    )
    assert slow.returncode == 0, slow.stderr
    assert slow.stdout.splitlines()[2].split()[-4:-1] == ["1.0x", ">1", "s"]
    assert "machine  " in slow.stdout


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_control_c_shows_what_is_done_and_leaves_nothing_running(tmp_path: Path) -> None:
    def alive() -> int:
        """How many processes know of this test's folder."""
        count = 0
        for environ in Path("/proc").glob("[0-9]*/environ"):
            try:
                count += f"TMPDIR={tmp_path}\0".encode() in environ.read_bytes()
            except OSError:
                continue
        return count

    arguments = ["--family", "dining-cryptographers", "--sizes", "2", "--backend", "smt", "--at", "value"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bdist", "bench", *arguments, "--cell-limit", "1000"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 600
    while alive() < 3 and time.monotonic() < deadline:  # the program, the cell and Z3
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 3, stderr
    assert "stopping with what is proved so far" in stderr
    assert "interrupted after 1 of 4 cells" in stdout
    while alive() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert alive() == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--family", "dining"], "there are randomised-response, random, dining-cryptographers"),
        (["--backend", "magic"], "no threshold backend 'magic'; choose one of strategy, "),
        (["--sizes", "2-"], "--sizes '2-' is not a list such as 2-4 or 4,6,8"),
        (["--sizes", "1"], "parameter diners is 1"),
        (["--plot", "figure.pdf"], "the name must end in .png or .svg"),
        (["--csv", "no/such/folder/x.csv"], "cannot write no/such/folder/x.csv"),
    ],
)
def test_wrong_input_is_one_line_and_a_code(arguments: list[str], message: str) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_help() -> None:
    done = bench("--help")
    assert done.returncode == 0
    assert "Example: bdist bench" in " ".join(done.stdout.split())
    assert all(option in done.stdout for option in ("--json", "--csv", "--plot", "--cell-limit", "--at"))
