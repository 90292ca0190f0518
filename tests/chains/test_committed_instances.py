"""The folder ``instances/``: models are what the families give, expectations speak of what is there."""

from __future__ import annotations

import runpy
import tomllib
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import FAMILIES
from bdist.chains.formats import load
from bdist.chains.relation import read_relation
from bdist.dipa.families import AUTOMATA
from bdist.dipa.text import load_automaton
from bdist.dipc.adjacency import Neighbours
from bdist.dipc.expansion import expanded
from bdist.dipc.families import PROGRAMS
from bdist.dipc.rules import kinds_of
from bdist.dipc.text import load_program
from bdist.dpctl.families import DECISION_PROCESSES
from bdist.dpctl.text import load_decision_process
from bdist.exact.rationals import parse_rational
from bdist.pufferfish.families import HIDDEN_MODELS
from bdist.pufferfish.model import Pair
from bdist.pufferfish.text import load_hidden_model
from tests.oracles.hidden_models import ratio_of

ROOT = Path(__file__).resolve().parents[2]
INSTANCES = ROOT / "instances"
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "make_instances.py"))
GENERATED: dict[str, str] = SCRIPT["generated_files"]()
MODELS = sorted(INSTANCES.glob("*/*.lmc"))
AUTOMATON_MODELS = sorted(INSTANCES.glob("dipa/*.dipa"))
EXPECTED_OF_AUTOMATA = INSTANCES / "dipa" / "expected.toml"
HIDDEN = sorted(INSTANCES.glob("pufferfish/*.hmm"))
EXPECTED_OF_HIDDEN = INSTANCES / "pufferfish" / "expected.toml"
LOSSES: list[dict[str, Any]]
RATIOS: list[dict[str, Any]]
LOSSES, RATIOS = tomllib.loads(EXPECTED_OF_HIDDEN.read_text(encoding="utf-8")).values()
EXPECTED_OF_FORMULAS = INSTANCES / "dpctl" / "expected.toml"
PROGRAM_FILES = sorted(INSTANCES.glob("dipc/*.dip"))
EXPECTED_OF_PROGRAMS = INSTANCES / "dipc" / "expected.toml"
OTHERS = {EXPECTED_OF_AUTOMATA, EXPECTED_OF_HIDDEN, EXPECTED_OF_FORMULAS, EXPECTED_OF_PROGRAMS}
EXPECTED = sorted(set(INSTANCES.glob("*/expected.toml")) - OTHERS)
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
    elsewhere = {"survey", "double-survey", "subsampling-majority"}  # in the folder of formulas
    elsewhere.add("subsampling-as-published")
    folders = {*FAMILIES, "dipa", "pufferfish", "dpctl", "dipc"} - elsewhere
    assert {path.split("/")[0] for path in GENERATED} == folders
    assert {recipe.family for recipe in SCRIPT["RECIPES"]} == {
        *FAMILIES,
        *AUTOMATA,
        *HIDDEN_MODELS,
        *DECISION_PROCESSES,
        *PROGRAMS,
    }


@pytest.mark.parametrize("path", sorted(INSTANCES.glob("dpctl/*.mdp")), ids=relative)
def test_decision_process_loads(path: Path) -> None:
    process = load_decision_process(path)
    for neighbours in INSTANCES.glob(f"dpctl/{path.stem}.neighbours"):
        assert read_relation(neighbours.read_text(), process.under(process.actions[0]), neighbours).pairs


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


@pytest.mark.parametrize("path", PROGRAM_FILES, ids=relative)
def test_program_loads_and_follows_the_rules(path: Path) -> None:
    assert kinds_of(expanded(load_program(path)))


def test_every_program_has_one_expectation() -> None:
    entries = tomllib.loads(EXPECTED_OF_PROGRAMS.read_text(encoding="utf-8"))["program"]
    assert sorted(entry["model"] for entry in entries) == [path.name for path in PROGRAM_FILES]
    known = {"pair", "output", "epsilon"}
    for entry in entries:
        assert {"model", "answer", "source"} <= set(entry) <= {"model", "answer", "source", "tight"} | known
        assert entry["source"]
        assert entry["answer"] in ("holds", "violated")
        program = load_program(EXPECTED_OF_PROGRAMS.parent / entry["model"])
        if "tight" in entry:  # with delta, the smallest factor does not say all
            holds = parse_rational(entry["tight"]) <= program.claim.factor
            assert entry["answer"] == ("holds" if holds else "violated")
        assert (known <= set(entry)) == (entry["answer"] == "violated")
        if "pair" in entry:
            one, other = (tuple(map(parse_rational, point)) for point in entry["pair"])
            assert Neighbours(program).compared({one: 0, other: 1})[0, 1] == (one, other)
            assert len(entry["output"]) == len(expanded(program).outputs)
            assert parse_rational(entry["epsilon"]) > 0


@pytest.mark.parametrize("path", HIDDEN, ids=relative)
def test_hidden_model_loads(path: Path) -> None:
    assert load_hidden_model(path).scenarios


def test_every_scenario_has_one_loss_unless_its_file_repeats_another() -> None:
    stated = [(entry["model"], entry["scenario"]) for entry in LOSSES]
    assert len(stated) == len(set(stated))
    scenarios = {
        (path.name, scenario.name) for path in HIDDEN for scenario in load_hidden_model(path).scenarios
    }
    repeated = {
        ("noisy-max-improved-one.hmm", name) for model, name in stated if model == "noisy-max-improved.hmm"
    }
    assert scenarios == {*stated, *repeated}
    for entry in LOSSES:
        optional = {"toward", "published"} & set(entry)
        assert set(entry) == {"model", "scenario", "loss", "pair", "word", "source", *optional}
    for entry in RATIOS:
        optional = {"at", "published"} & set(entry)
        assert set(entry) == {"model", "pair", "word", "ratio", "source", *optional}


@pytest.mark.parametrize("entry", LOSSES, ids=lambda entry: f"{entry['model']}-{entry['scenario']}")
def test_the_word_of_a_loss_has_it_or_comes_close(entry: dict[str, Any]) -> None:
    """Near a point where parameters are at the ends of their ranges, which is 0 to 1 for all of them."""
    model = load_hidden_model(EXPECTED_OF_HIDDEN.parent / entry["model"])
    scenario, pair, loss = model.scenario(entry["scenario"]), Pair(*entry["pair"]), Fraction(entry["loss"])
    assert pair in model.pairs_of(scenario)
    assert scenario.lengths is not None
    assert scenario.lengths.least <= len(entry["word"]) <= (scenario.lengths.most or 0)
    toward = {name: Fraction(value) for name, value in entry.get("toward", {}).items()}
    tiny = Fraction(1, 10**6)
    near = {name: min(max(value, tiny), 1 - tiny) for name, value in toward.items()}
    ratio = ratio_of(model, pair, entry["word"], near)
    assert ratio is not None
    if near == toward:
        assert ratio == loss
    else:
        assert loss - Fraction(1, 1000) < ratio < loss


@pytest.mark.parametrize("entry", RATIOS, ids=lambda entry: f"{entry['model']}-{entry['ratio']}")
def test_a_word_has_its_ratio(entry: dict[str, Any]) -> None:
    model = load_hidden_model(EXPECTED_OF_HIDDEN.parent / entry["model"])
    at = {name: Fraction(value) for name, value in entry.get("at", {}).items()}
    assert ratio_of(model, Pair(*entry["pair"]), entry["word"], at) == Fraction(entry["ratio"])


def test_no_word_beats_the_losses_of_the_models_by_hand() -> None:
    """All words of disease.hmm, on a grid."""
    model = load_hidden_model(EXPECTED_OF_HIDDEN.parent / "disease.hmm")
    for entry in (entry for entry in LOSSES if entry["model"] == "disease.hmm"):
        scenario = model.scenario(entry["scenario"])
        assert scenario.lengths is not None
        assert scenario.lengths.most is not None
        for length, number in product(range(1, scenario.lengths.most + 1), range(1, 20)):
            for pair, word in product(model.pairs_of(scenario), product(model.observations, repeat=length)):
                ratio = ratio_of(model, pair, word, {"r": Fraction(number, 20)})
                assert ratio is not None
                assert ratio <= Fraction(entry["loss"])


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
