"""Families of every kind of model: what the table of any theory promises, and what `bdist make` does with it.

What a single family makes is held against its paper in the folder of its theory.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bdist.chains.families import make_family
from bdist.chains.formats import lmc
from bdist.dipa import text as dipa
from bdist.dipa.families import make_automaton
from bdist.dipc import text as dip
from bdist.dipc.families import make_program
from bdist.dpctl import text as mdp
from bdist.dpctl.families import make_decision_process
from bdist.errors import ParameterError
from bdist.family import Family
from bdist.pufferfish import text as hmm
from bdist.pufferfish.families import make_hidden_model
from bdist.theories import ModelKind, all_kinds
from tests.cli.runner import document_of
from tests.cli.runner import run_bdist as bdist

KINDS: dict[str, ModelKind[Any]] = {kind.name: kind for kind in all_kinds()}
READERS: dict[str, Callable[[str], Any]] = {
    "chain": lmc.read,
    "automaton": dipa.read,
    "program": dip.read,
    "hidden Markov model": hmm.read,
    "Markov decision process": mdp.read,
}
EVERY_FAMILY = [
    pytest.param(kind, family, id=name) for kind in KINDS.values() for name, family in kind.families.items()
]


def test_names_are_those_of_the_families_and_no_two_have_the_same() -> None:
    assert list(KINDS) == list(READERS)
    for kind in KINDS.values():
        assert all(name == family.name for name, family in kind.families.items())
    names = Counter(name for kind in KINDS.values() for name in kind.families)
    assert set(names.values()) == {1}


@pytest.mark.parametrize(("kind", "family"), EVERY_FAMILY)
def test_every_family_makes_its_default_and_the_format_keeps_it(
    kind: ModelKind[Any], family: Family[Any]
) -> None:
    model = family.make()
    text = kind.write(model)
    assert READERS[kind.name](text) == model
    assert '"' not in text or kind.suffix == mdp.SUFFIX  # names need no quotes, but those of actions may


@pytest.mark.parametrize(("kind", "family"), EVERY_FAMILY)
def test_registered_parameters_are_those_of_the_generator(kind: ModelKind[Any], family: Family[Any]) -> None:
    assert list(inspect.signature(family.generator).parameters) == list(family.defaults)
    for parameter in family.parameters:
        assert parameter.read(parameter.default) == parameter.default
        assert parameter.read(str(parameter.default)) == parameter.default
        assert "\n" not in parameter.help
    assert "\n" not in family.summary


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (make_family, "chains"),
        (make_automaton, "automata"),
        (make_program, "programs"),
        (make_hidden_model, "hidden Markov models"),
        (make_decision_process, "Markov decision processes"),
    ],
)
def test_a_family_of_another_kind_is_refused(make: Callable[[str], Any], kind: str) -> None:
    other = "svt" if kind == "chains" else "geometric"
    with pytest.raises(ParameterError, match=f"there is no family of {kind} '{other}'"):
        make(other)


# --- on the command line -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values", "sizes"),
    [
        ("figure-one", {}, "4 states, 3 labels"),
        ("sparse-vectors", {"blocks": 3}, "7 states, 9 transitions"),
        ("svt", {"queries": 2}, "2 inputs, 2 outputs"),
        ("hidden-noisy-max", {"queries": 2}, "11 states, 3 observations"),
        ("above-threshold-process", {"largest": 2}, "41 states, 7 actions"),
    ],
)
def test_make_writes_and_tells_a_model_of_every_kind(
    name: str, values: dict[str, int], sizes: str, tmp_path: Path
) -> None:
    kind = next(kind for kind in KINDS.values() if name in kind.families)
    model = kind.families[name].make(**values)
    chosen = [word for key, value in values.items() for word in ("--param", f"{key}={value}")]
    out = tmp_path / f"a{kind.suffix}"
    done = bdist("make", name, *chosen, "-o", str(out))
    assert (done.returncode, done.stdout) == (0, f"{out}: {sizes}\n")
    assert READERS[kind.name](out.read_text(encoding="utf-8")) == model
    facts = json.loads(bdist("make", name, *chosen, "--json").stdout)
    assert (facts["model"], facts["fingerprint"]) == (kind.write(model), kind.fingerprint(model))
    assert ", ".join(f"{facts[what]} {what}" for what in kind.made or kind.sizes(model)) == sizes
    for other in KINDS.values():
        if other is not kind:
            refused = bdist("make", name, "-o", str(tmp_path / f"b{other.suffix}"))
            assert refused.returncode == 2
            expected = f"the family {name} is written as {kind.suffix}, not {other.suffix}"
            assert expected in refused.stderr
    assert list(tmp_path.iterdir()) == [out]


def test_make_lists_the_families_of_every_kind() -> None:
    listed = document_of(bdist("make", "--json"))
    kinds = {name: kind.name for kind in KINDS.values() for name in kind.families}
    assert {name: entry["makes"] for name, entry in listed.items()} == kinds
    text = bdist("make").stdout
    assert all(f"{name} ({kind}): " in text for name, kind in kinds.items() if kind != "chain")


def test_make_suggests_a_family(tmp_path: Path) -> None:
    unknown = bdist("make", "no-such-family", "-o", str(tmp_path / "a.dipa"))
    assert (unknown.returncode, "there is no family 'no-such-family'; " in unknown.stderr) == (2, True)
