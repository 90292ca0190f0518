"""The formulas of the paper on its chains: every row of instances/dpctl/expected.toml."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist.dpctl import check, parse, probabilities, text_of, tight
from bdist.formats import load
from bdist.models.chain import LabelledMarkovChain

FOLDER = Path(__file__).parents[2] / "instances" / "dpctl"
ROWS: dict[str, list[dict[str, Any]]] = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))


def question(row: dict[str, Any]) -> tuple[LabelledMarkovChain, list[tuple[str, str]]]:
    return load(FOLDER / row["model"]), [(one, other) for one, other in row["neighbours"]]


def test_rows_are_complete_and_speak_of_the_papers_models() -> None:
    assert list(ROWS) == ["satisfied", "tight"]
    common = {"model", "neighbours", "source"}
    own = {"satisfied": {"formula", "states"}, "tight": {"path", "probabilities", "ratio", "delta"}}
    for kind, rows in ROWS.items():
        assert {row["model"] for row in rows} == {"survey.lmc", "double-survey.lmc", "geometric-five.lmc"}
        assert all(set(row) - {"published"} == common | own[kind] for row in rows)


@pytest.mark.parametrize("row", ROWS["satisfied"], ids=lambda row: f"{row['model']}: {row['formula']}")
def test_which_states_satisfy_the_formula(row: dict[str, Any]) -> None:
    chain, pairs = question(row)
    assert check(chain, row["formula"], pairs).satisfied == set(row["states"])
    assert parse(text_of(parse(row["formula"]))) == parse(row["formula"])


@pytest.mark.parametrize("row", ROWS["tight"], ids=lambda row: f"{row['model']}: {row['path']}")
def test_what_is_tight(row: dict[str, Any]) -> None:
    chain, pairs = question(row)
    values = probabilities(chain, row["path"], pairs).values
    assert {state: values[state] for state in row["probabilities"]} == {
        state: Fraction(value) for state, value in row["probabilities"].items()
    }
    found = tight(chain, f"D[] ({row['path']})", pairs)
    assert found.ratio == Fraction(row["ratio"])
    assert found.delta == (Fraction(row["delta"]),) * 2
