"""The folder ``instances/``: models are what the families give, expectations speak of what is there."""

from __future__ import annotations

import runpy
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist.families import AUTOMATA, FAMILIES
from bdist.formats import load
from bdist.formats.dipa import load_automaton
from bdist.models.chain import LabelledMarkovChain
from bdist.rationals.reading import parse_rational

ROOT = Path(__file__).resolve().parents[2]
INSTANCES = ROOT / "instances"
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "make_instances.py"))
GENERATED: dict[str, str] = SCRIPT["generated_files"]()
MODELS = sorted(INSTANCES.glob("*/*.lmc"))
AUTOMATON_MODELS = sorted(INSTANCES.glob("dipa/*.dipa"))
EXPECTED_OF_AUTOMATA = INSTANCES / "dipa" / "expected.toml"
EXPECTED = sorted(set(INSTANCES.glob("*/expected.toml")) - {EXPECTED_OF_AUTOMATA})
ONE_STEP = "one step, distinct labels: sum of positive parts"


def expectations(path: Path) -> list[dict[str, Any]]:
    return list(tomllib.loads(path.read_text(encoding="utf-8"))["value"])


def positive_parts(chain: LabelledMarkovChain, one: str, other: str, alpha: Fraction) -> Fraction:
    here, there = chain.row(one), chain.row(other)
    assert len({chain.label(target) for target in {*here, *there}}) == len({*here, *there})
    zero = Fraction(0)
    return sum((max(p - alpha * there.get(target, zero), zero) for target, p in here.items()), zero)


def relative(path: Path) -> str:
    return path.relative_to(INSTANCES).as_posix()


@pytest.mark.parametrize("path", GENERATED)
def test_committed_file_is_the_generated_one(path: str) -> None:
    assert (INSTANCES / path).read_bytes() == GENERATED[path].encode()


def test_there_is_an_instance_of_every_family() -> None:
    assert {path.split("/")[0] for path in GENERATED} == {*FAMILIES, "dipa"}
    assert {recipe.family for recipe in SCRIPT["RECIPES"]} == {*FAMILIES, *AUTOMATA}


@pytest.mark.parametrize("path", MODELS, ids=relative)
def test_model_loads(path: Path) -> None:
    assert len(load(path)) > 0


@pytest.mark.parametrize("path", AUTOMATON_MODELS, ids=relative)
def test_automaton_loads(path: Path) -> None:
    assert load_automaton(path).transitions


def test_every_automaton_has_one_expectation() -> None:
    entries = tomllib.loads(EXPECTED_OF_AUTOMATA.read_text(encoding="utf-8"))["automaton"]
    assert sorted(entry["model"] for entry in entries) == [path.name for path in AUTOMATON_MODELS]
    for entry in entries:
        assert set(entry) == {"model", "private", "weight" if entry["private"] else "violation", "source"}
        assert entry["source"]
        assert parse_rational(entry["weight"]) > 0 if entry["private"] else entry["violation"]


def test_the_script_writes_checks_and_is_idempotent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--folder", str(tmp_path)]
    assert SCRIPT["main"](["--check", *arguments]) == 1
    assert SCRIPT["main"](arguments) == 0
    assert SCRIPT["main"](["--check", *arguments]) == 0
    changed = tmp_path / "figure-one" / "chain.lmc"
    changed.write_text(changed.read_text().replace("2/5", "4/10"))
    capsys.readouterr()
    assert SCRIPT["main"](["--check", *arguments]) == 1
    assert capsys.readouterr().err.startswith("out of date: figure-one/chain.lmc;")
    assert SCRIPT["main"](arguments) == 0
    assert SCRIPT["main"](["--check", *arguments]) == 0


@pytest.mark.parametrize("path", EXPECTED, ids=relative)
def test_expectations_are_well_formed(path: Path) -> None:
    values = expectations(path)
    assert values
    for value in values:
        assert set(value) == {"model", "pair", "alpha", "quantity", "value", "source"}
        assert (path.parent / value["model"]).is_file()
        chain = load(path.parent / value["model"])
        one, other = value["pair"]
        assert chain.index(one) != chain.index(other)
        assert parse_rational(value["alpha"]) >= 1
        assert 0 <= parse_rational(value["value"]) <= 1
        assert value["quantity"]
        assert value["source"]


def test_no_value_is_stated_twice() -> None:
    keys = [
        (relative(path.parent), value["model"], *sorted(value["pair"]), value["alpha"], value["quantity"])
        for path in EXPECTED
        for value in expectations(path)
    ]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("path", "value"),
    [(path, v) for path in EXPECTED for v in expectations(path) if v["source"].startswith(ONE_STEP)],
)
def test_one_step_values_are_sums_of_positive_parts(path: Path, value: dict[str, Any]) -> None:
    chain = load(path.parent / value["model"])
    one, other = value["pair"]
    alpha = parse_rational(value["alpha"])
    directions = positive_parts(chain, one, other, alpha), positive_parts(chain, other, one, alpha)
    assert max(directions) == parse_rational(value["value"])
