"""The study of scale: its naive iteration is right, and a quick run stores what it promises.

No time is ever compared.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import bdist
from bdist.chains.families import random_chain

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
METHODS = ("naive", "float", "certified", "exact")


@pytest.fixture
def naive(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return import_module("scale.naive")


@pytest.mark.parametrize("alpha", ["1", "11/10"])
def test_the_naive_iteration_agrees_with_the_table(naive: ModuleType, alpha: str) -> None:
    chain = random_chain(states=6, labels=2, seed=4)
    table = bdist.distance_table(chain, alpha=alpha, method="strategy")
    iteration = naive.NaiveIteration(chain, float(Fraction(alpha)))
    sweeps, values = iteration.solve()
    assert sweeps > 1
    assert [(chain.states[i], chain.states[j]) for i, j in iteration.pairs] == list(table)
    exact = [float(distance.value) for distance in table.values()]
    assert values.tolist() == pytest.approx(exact, rel=0, abs=1e-8)
    assert any(0 < value < 1 for value in exact)


def test_a_quick_run_stores_page_table_and_figure(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, str(SCRIPTS / "bench_scale.py"), "--quick", "--output", str(tmp_path)),
            *("--section", "start", "--section", "random"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"scale.md", "scale.csv", "scale.svg"}
    with (tmp_path / "scale.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["section"], row["method"], row["size"]) for row in rows] == [
        *(("random", method, "8") for method in METHODS),
        ("start", "process", ""),
    ]
    assert {row["status"] for row in rows} <= {"measured", "extrapolated"}
    for row in rows:
        assert float(row["seconds"]) > 0
        assert int(row["peak_memory"]) > 10**6
        if row["off_by"]:
            assert float(row["off_by"]) < 1e-8
    page = (tmp_path / "scale.md").read_text(encoding="utf-8")
    assert page == done.stdout.removesuffix("\n")
    assert "`python scripts/bench_scale.py --quick --section start --section random`" in page
    assert str(tmp_path) not in page
    assert "</svg>" in (tmp_path / "scale.svg").read_text(encoding="utf-8")
    assert done.stderr.splitlines()[0] == "1/5  random 8 naive, alpha 1.1"
