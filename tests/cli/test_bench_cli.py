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
    document = json.loads(done.stdout)
    assert document["backends"] == ["strategy", "sat-lp"]
    assert document["time_limit"] == 3000
    assert document["interrupted"] is False
    assert document["total"] == len(document["cells"]) == 2
    assert set(document["machine"]) == {"cpu", "cores", "system", "python", "packages"}
    assert set(document["starts"]) == {"strategy", "sat-lp"}
    assert all(seconds > 0 for seconds in document["starts"].values())
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


def test_own_models_and_a_file_to_go_on_with(tmp_path: Path) -> None:
    model, table = ROOT / "instances" / "figure-one" / "chain.lmc", tmp_path / "out.csv"
    instances = tmp_path / "list.csv"
    instances.write_text(f"file,s,t,theta\n{model},s0,s1,1/5\n")
    asked = (
        str(instances),
        "--alpha",
        "1",
        "--backend",
        "naive",
        "--csv",
        str(table),
        "--cell-limit",
        "3000",
    )
    done = bench(*asked)
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if "s0 s1" in line)
    assert line.split()[-7:-4] == ["1/5", *line.split()[-6:-4]]
    assert "~" in line
    first = table.read_text()
    assert [row.split(",")[14] for row in first.splitlines()[1:]] == ["holds", "numerical"]
    again = bench(*asked)
    assert again.returncode == 2
    assert "is there already; go on with it (--resume)" in again.stderr
    pictures = ("--cactus", str(tmp_path / "cactus.svg"), "--scatter", str(tmp_path / "scatter.png"))
    again = bench(*asked, "--resume", "--jobs", "2", *pictures)
    assert again.returncode == 0, again.stderr
    assert "resumed   2 of 2 cells are from an earlier run" in again.stdout
    assert line in again.stdout.splitlines()
    assert table.read_text() == first
    assert "</svg>" in (tmp_path / "cactus.svg").read_text()
    assert (tmp_path / "scatter.png").read_bytes().startswith(b"\x89PNG")


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
                count += f"TMPDIR={folder}\0".encode() in environ.read_bytes()
            except OSError:
                continue
        return count

    folder, table = tmp_path / "temporary", tmp_path / "out.csv"
    folder.mkdir()
    arguments = ["--family", "dining-cryptographers", "--sizes", "2", "--backend", "smt", "--at", "value"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bdist", "bench", *arguments, "--cell-limit", "1000", "--csv", str(table)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 600
    # the program, the workers for the distance, strategy iteration and SMT, and Z3
    while (alive() < 5 or "strategy" not in table.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 3, stderr
    assert "stopping with what is proved so far" in stderr
    assert "interrupted after 1 of 4 cells" in stdout
    while alive() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert alive() == 0
    assert list(folder.iterdir()) == []
    assert len(table.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chain.lmc", "s0"], "which is the other state? FILE S T names two"),
        (["no-such.lmc", "s0", "s1", "--alpha", "1"], "no-such.lmc"),
        (["instances/figure-one", "--alpha", "1"], "which two states of "),
        (["instances/figure-one/chain.lmc", "s0", "s1"], "needs an alpha; give --alpha"),
        (["instances", "s0", "s1", "--alpha", "1"], "instances has no models"),
        (["--theta", "1/5"], "--theta is about your own models; name a FILE"),
        (["chain.lmc", "s0", "s1", "--theta", "1/5", "--at", "above"], "--at is about the exact distance"),
        (["chain.lmc", "s0", "s1", "--sizes", "4"], "--sizes is about families; leave FILE out"),
        (["--resume"], "--resume goes on with the file of --csv; name it"),
        (["--scatter", "x.svg"], "name them, as in --scatter-backends strategy,milp"),
        (["--scatter", "x.svg", "--scatter-backends", "smt,cvc5"], "'cvc5' is not measured; strategy, "),
        (["--scatter-backends", "smt,milp"], "--scatter-backends is about a picture; give --scatter as well"),
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
    assert done.returncode == (4 if "no-such.lmc" in arguments else 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_help() -> None:
    done = bench("--help")
    assert done.returncode == 0
    assert "Example: bdist bench" in " ".join(done.stdout.split())
    assert all(option in done.stdout for option in ("--json", "--csv", "--plot", "--cell-limit", "--at"))
