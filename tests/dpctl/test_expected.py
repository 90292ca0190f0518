"""The formulas of the paper on its models: every row of instances/dpctl/expected.toml."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, load
from bdist.dpctl import check, check_process, parse, probabilities, text_of, tight
from bdist.dpctl.enclosures import check_enclosure
from bdist.dpctl.formats import load_decision_process
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.results import Answer

FOLDER = Path(__file__).parents[2] / "instances" / "dpctl"
ROWS: dict[str, list[dict[str, Any]]] = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))


def question(row: dict[str, Any]) -> tuple[LabelledMarkovChain, list[tuple[str, str]]]:
    return load(FOLDER / row["model"]), [(one, other) for one, other in row["neighbours"]]


def test_rows_are_complete_and_speak_of_the_papers_models() -> None:
    assert list(ROWS) == ["satisfied", "tight", "process", "enclosed"]
    common = {"model", "neighbours", "source"}
    own = {"satisfied": {"formula", "states"}, "tight": {"path", "probabilities", "ratio", "delta"}}
    for kind, fields in own.items():
        models = {row["model"] for row in ROWS[kind]}
        assert models == {"survey.lmc", "double-survey.lmc", "geometric-five.lmc"}
        assert all(set(row) - {"published"} == common | fields for row in ROWS[kind])
    for row in ROWS["process"]:
        assert set(row) - {"published"} == {"models", "holds", "violated", "source"}
    for row in ROWS["enclosed"]:
        assert set(row) - {"published"} == {"models", "neighbours", "formula", "holds", "violated", "source"}


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
    assert found.delta.exact
    assert found.delta.upper.value == Fraction(row["delta"])


@cache
def process_of(file: str, sink: str | None) -> MarkovDecisionProcess:
    return load_decision_process(FOLDER / file, ReadOptions(sink=sink))


@pytest.mark.parametrize("row", ROWS["process"], ids=lambda row: row["holds"])
def test_processes_of_families_and_of_programs(row: dict[str, Any]) -> None:
    for model in row["models"]:
        process = process_of(model["file"], model.get("sink"))
        one, other = model["neighbours"]
        for formula, answer in ((row["holds"], Answer.HOLDS), (row["violated"], Answer.VIOLATED)):
            found = check_process(process, formula, [(one, other)])
            assert found.answers[one] is found.answers[other] is answer


@pytest.mark.parametrize("row", ROWS["enclosed"], ids=lambda row: row["formula"])
def test_all_chains_between_two(row: dict[str, Any]) -> None:
    lower, upper = (load(FOLDER / model) for model in row["models"])
    pairs = [(one, other) for one, other in row["neighbours"]]
    found = check_enclosure(lower, upper, row["formula"], pairs).answers
    asked = {state for pair in pairs for state in pair}
    for answer, field in ((Answer.HOLDS, "holds"), (Answer.VIOLATED, "violated")):
        assert {state for state in asked if found[state] is answer} == set(row[field])


def test_the_program_of_above_threshold_is_the_process_of_the_family() -> None:
    """State by state and row by row; the program calls its states and actions otherwise."""
    program, family = (
        process_of("above-threshold-two.prism", None),
        process_of("above-threshold-two.mdp", None),
    )

    def name(state: str) -> str:
        value = dict(part.split("=") for part in state.split(","))
        copy = ("top", "bottom")[int(value["c"])]
        return {
            "0": f"{copy}.t{value['t']}.r{value['r']}",
            "1": f"{copy}.noisy{value['t']}.r{value['r']}",
            "2": f"{copy}.noisy{value['t']}.below",
            "3": "above",
        }[value["phase"]]

    assert {name(state) for state in program.states} == set(family.states)
    assert tuple(action.removeprefix("q") for action in program.actions) == family.actions
    for state, label in zip(program.states, program.labels, strict=True):
        assert label == family.labels[family.index(name(state))]
        for action in program.actions:
            row = {name(target): p for target, p in program.row(state, action).items()}
            assert row == family.row(name(state), action.removeprefix("q"))
