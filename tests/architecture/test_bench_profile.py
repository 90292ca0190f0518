"""The study of privacy profiles: its chains are what they are called, and a quick run stores what it says.

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

from bdist.chains.families import make_family
from bdist.traces.compute import compute_profile

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "bench_profile.py"


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return import_module("profiles.cases")


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(11, 10), Fraction(2)])
def test_the_formulas_are_those_of_the_chains(cases: ModuleType, alpha: Fraction) -> None:
    with_formula = 0
    for case in cases.all_cases(cases.SECTIONS, True, None):
        expected = None if case.mechanism is None else case.mechanism.delta(alpha)
        if expected is not None:
            with_formula += 1
            assert compute_profile(case.chain(), case.pair).delta(alpha=alpha).upper.value == expected
    assert with_formula == 5


def test_different_coins_that_are_equal_are_randomised_response(cases: ModuleType) -> None:
    coins = compute_profile(cases.different_coins([cases.TRUTH] * 4), ("s", "t"))
    asked = make_family("randomised-response", {"truth": cases.TRUTH, "questions": 4})
    assert coins.pessimistic == compute_profile(asked, ("yes", "no")).pessimistic


def test_surveys_have_as_many_states_and_neighbours_as_they_should(cases: ModuleType) -> None:
    chain, neighbours = cases.survey(3), cases.survey_neighbours(3)
    assert len(chain) == 8 * 7
    assert len(neighbours) == len(set(neighbours)) == 12
    assert {name for pair in neighbours for name in pair} <= set(chain.states)


def test_the_first_choice_is_between_states_that_an_observer_can_tell_apart_later(cases: ModuleType) -> None:
    assert cases.first_choice(make_family("dining-cryptographers", {"diners": 3})) is not None
    assert cases.first_choice(make_family("figure-one")) is None


def test_a_quick_run_stores_page_and_table(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, str(SCRIPT), "--quick", "--output", str(tmp_path), "--step", "1e-4"),
            *("--section", "geometric", "--section", "diners", "--section", "audit"),
            *("--baseline", str(ROOT)),  # as an older version: itself
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"profile.md", "profile.csv"}
    with (tmp_path / "profile.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    rivals = [row for row in rows if row["engine"] == "dp_accounting"]
    assert [(row["case"], row["engine"]) for row in rows if row not in rivals] == [
        *(("geometric, counts to 3", engine) for engine in ("bdist", "older")),
        *(("2 diners", engine) for engine in ("bdist", "older")),
        *(("3 diners", engine) for engine in ("bdist", "older")),
        ("4 neighbours", "bdist"),
    ]
    assert [row["side"] for row in rivals] == ["above", "below"]
    assert {row["status"] for row in rivals} <= {"measured", "not installed"}
    for row in rows:
        if row not in rivals:
            assert row["status"] == "measured"
            assert float(row["seconds"]) > 0
    assert {row["width_ln2"] for row in rows if row["engine"] == "older"} == {"0.0"}
    assert rows[-1]["reason"] == "holds, delta 0"
    page = (tmp_path / "profile.md").read_text(encoding="utf-8")
    assert page == done.stdout
    assert "--section audit --baseline FOLDER`" in page
    assert str(tmp_path) not in page
    assert str(ROOT) not in page


def test_what_git_does_not_know_is_said(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, str(SCRIPT), "--quick", "--output", str(tmp_path)),
            *("--section", "geometric", "--baseline", "no-such-commit"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "--baseline none leaves it out" in done.stderr
    assert list(tmp_path.iterdir()) == []
