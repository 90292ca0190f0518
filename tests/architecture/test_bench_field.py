"""The script that asks about the standard case studies, on a small model with the name of one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bdist

ROOT = Path(__file__).parents[2]


def test_a_model_is_asked_about_and_repaired_where_it_must_be(tmp_path: Path) -> None:
    model = tmp_path / "explicit" / "leadersmall-3-3.tra"
    model.parent.mkdir()
    model.write_text("3 6\n0 0 0.333333\n0 1 0.333333\n0 2 0.333333\n1 0 1/2\n1 2 1/2\n2 2 1\n")
    model.with_suffix(".lab").write_text('0="init" 1="deadlock" 2="elected"\n0: 0\n2: 2\n')
    page = tmp_path / "field.md"
    script = [sys.executable, "scripts/bench_field.py", str(tmp_path), "--output", str(page)]
    subprocess.run(script, cwd=ROOT, capture_output=True, check=True)
    [row] = [line.split(" | ") for line in page.read_text().splitlines() if "leader" in line]
    chain = bdist.load(model, bdist.ReadOptions(repair="simplest"))
    distances = [
        str(bdist.distance(chain, "s0", "s1", alpha="11/10", quantity=quantity).value)
        for quantity in ("tv", "bd")
    ]
    told = ["| leader 3-3, .tra `--repair simplest`", "3, 6", "3", *distances, "1 of 1 exact"]
    assert [cell.partition(" (")[0] for cell in row] == told
