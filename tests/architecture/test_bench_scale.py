"""The study of scale: its verdicts are those of its numbers, a quick run stores.

No time is ever compared.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"


def module(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return import_module(name)


def test_cases_have_targets_and_toys_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = module(monkeypatch, "scale.cases")
    toys = cases.all_cases(cases.SECTIONS, True, None)
    assert not any(case.seconds or case.ratios for case in toys)
    for case in toys:
        chain = case.chain()
        pair = case.pair(chain)
        assert pair is None or chain.label(pair[0]) == chain.label(pair[1])
    full = cases.all_cases(cases.SECTIONS, False, None)
    assert sum(len(case.seconds) + len(case.ratios) for case in full) == 18
    assert {way for case in (*toys, *full) for way in case.ways} < set(cases.WAYS)


def test_verdicts_ratios_and_disagreements(monkeypatch: pytest.MonkeyPatch) -> None:
    cases, report = module(monkeypatch, "scale.cases"), module(monkeypatch, "scale.report")
    case = next(case for case in cases.all_cases(("tables",), False, None) if "24 states" in case.title)
    found = {"seconds": 2.0, "certified": True, "width": 0.0, "bounds": [[0.5, 0.5]], "states": 24}
    ours = report.Line(case, report.OURS, "exact", report.Status.MEASURED, found)

    def page(naive: object, **changes: object) -> str:
        line = report.Line(case, report.OURS, "exact", report.Status.MEASURED, {**found, **changes})
        study = report.Study((line, naive), 7.0, None, False, False)
        assert study.ratio(ours, naive) is not None
        return "\n".join([*report._table(study, "tables"), *study.disagreements()])

    def naive(**figures: object) -> object:
        return report.Line(case, report.OURS, "naive", report.Status.MEASURED, figures)

    assert "5x PASS" in page(naive(seconds=10.0, bounds=[[0.5, 0.5]]))
    assert "5x MISS" in page(naive(seconds=9.0))
    assert "5x MISS" in page(naive(seconds=10.0), certified=False)
    assert "5x MISS" in page(naive(seconds=10.0), width=1e-8)
    unfinished = report.Line(case, report.OURS, "naive", report.Status.TIME_LIMIT, {"states": 24})
    assert "> 7 s | > 3.5x | 5x not known" in page(unfinished)
    assert "outside the bracket" not in page(naive(seconds=10.0, bounds=[[0.5000001, 0.5000001]]))
    assert "the naive loop lies 1.0e-01 outside the bracket" in page(naive(seconds=10.0, bounds=[[0.4, 0.4]]))


def test_a_quick_run_stores_page_table_and_figure(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, str(SCRIPTS / "bench_scale.py"), "--quick", "--output", str(tmp_path)),
            *("--section", "diners", "--section", "tables", "--against", str(ROOT)),  # itself
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"scale.md", "scale.csv", "scale.svg"}
    with (tmp_path / "scale.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    versions = ("bdist", "against")
    assert [(row["case"], row["version"], row["way"]) for row in rows] == [
        *(("2 diners", version, "default") for version in versions),
        ("2 diners", "bdist", "naive"),
        *(("8 states, 3 labels", version, way) for way in ("exact", "1e-9") for version in versions),
        ("8 states, 3 labels", "bdist", "naive"),
    ]
    for row in rows:
        assert row["status"] == "measured"
        assert float(row["seconds"]) > 0
        assert int(row["peak_memory"]) > 10**6
    page = (tmp_path / "scale.md").read_text(encoding="utf-8")
    assert page == done.stdout.removesuffix("\n")
    assert (
        "`python scripts/bench_scale.py --quick --section diners --section tables --against FOLDER`" in page
    )
    assert "None: all answers to a question meet." in page
    assert str(tmp_path) not in page
    assert str(ROOT) not in page
    assert "</svg>" in (tmp_path / "scale.svg").read_text(encoding="utf-8")
    assert done.stderr.splitlines()[0] == "1/2  2 diners"


def test_what_does_not_finish_is_shown_and_ends_its_series(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, str(SCRIPTS / "bench_scale.py"), "--output", str(tmp_path)),
            *("--section", "surveys", "--time-limit", "0.01"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "> 0.01 s" in done.stdout
    assert "not asked" in done.stdout
    assert "0.5 s MISS" in done.stdout
