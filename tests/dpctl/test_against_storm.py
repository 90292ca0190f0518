"""The least and the most probability over all schedulers, against Storm's exact model checking of MDPs."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import stormpy

from bdist import dpctl
from bdist.dpctl.formats import load_decision_process, save_decision_process
from bdist.dpctl.mdp import MarkovDecisionProcess
from tests.dpctl.test_processes import random_process

PATHS = {
    "F b": 'F "b"',
    "a U b": '"a" U "b"',
    "(a | b) U (b & !a)": '("a" | "b") U ("b" & !"a")',
    "G a": 'G "a"',
    "F<=3 b": 'F<=3 "b"',
    "a U<=2 b": '"a" U<=2 "b"',
    "X b": 'X "b"',
    "G F a": 'G F "a"',
    "F G (a & X b)": 'F G ("a" & X "b")',
    "(G F a) & !(G F b)": '(G F "a") & !(G F "b")',
    "G (!a | F b)": 'G (!"a" | F "b")',
    "(X a) U (b & X G F b)": '(X "a") U ("b" & X G F "b")',
    "(F G a) | (G F b) | G<=2 b": '(F G "a") | (G F "b") | ("b" & X "b" & X X "b")',
}


def storm_values(model: Any, question: str) -> list[Fraction]:
    (asked,) = stormpy.parse_properties(question)
    found = stormpy.model_checking(model, asked, only_initial_states=False)
    return [Fraction(str(found.get_value(state.id))) for state in model.states]


@pytest.mark.parametrize("seed", range(6))
def test_extremes_are_those_of_storm(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)  # noqa: S311
    process: MarkovDecisionProcess = random_process(draw)
    path = tmp_path / "m.drn"
    save_decision_process(process, path)
    assert load_decision_process(path).rows == process.rows
    model = stormpy.build_model_from_drn[stormpy.Rational](path)
    for ours, theirs in PATHS.items():
        found = dpctl.extremes(process, ours)
        assert [found.low[s] for s in process.states] == storm_values(model, f"Pmin=? [{theirs}]"), ours
        assert [found.high[s] for s in process.states] == storm_values(model, f"Pmax=? [{theirs}]"), ours
