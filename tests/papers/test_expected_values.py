"""Every value in instances/*/expected.toml, by both methods and several backends, exactly."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist import Evidence, PrivacyLoss, distance, kantorovich, load, profile
from tests.oracles import traces

INSTANCES = Path(__file__).parents[2] / "instances"
VALUES = [
    pytest.param(
        folder.parent, entry, id=f"{folder.parent.name}/{entry['model']}@{entry['alpha']}:{entry['pair'][0]}"
    )
    for folder in sorted(INSTANCES.glob("*/expected.toml"))
    for entry in tomllib.loads(folder.read_text(encoding="utf-8")).get("value", [])  # none for automata
]
PROFILES = [
    pytest.param(folder.parent, entry, id=f"{folder.parent.name}/{entry['model']}:{entry['pair'][0]}")
    for folder in sorted(INSTANCES.glob("*/expected.toml"))
    for entry in tomllib.loads(folder.read_text(encoding="utf-8")).get("profile", [])
]


def test_there_are_published_values() -> None:
    assert len(VALUES) > 20
    assert len(PROFILES) > 3


@pytest.mark.parametrize(("folder", "entry"), PROFILES)
def test_the_privacy_loss_distribution_is_the_one_expected(folder: Path, entry: dict[str, Any]) -> None:
    chain, (s, t) = load(folder / entry["model"]), entry["pair"]
    expected = PrivacyLoss.of(entry["atoms"])
    found = profile(chain, s, t)
    assert found.exact
    assert found.optimistic == expected
    assert found.evidence is Evidence.CERTIFIED
    assert profile(chain, t, s).optimistic == expected.swapped()
    words = [traces.words(chain, state, len(chain) + 1) for state in (s, t)]
    listed = [(words[0].get(w, Fraction(0)), words[1].get(w, Fraction(0))) for w in {**words[0], **words[1]}]
    assert PrivacyLoss.of(listed) == expected


@pytest.mark.parametrize(("folder", "entry"), VALUES)
def test_strategy_iteration_finds_the_value(folder: Path, entry: dict[str, str]) -> None:
    chain = load(folder / entry["model"])
    found = distance(chain, *entry["pair"], alpha=entry["alpha"], quantity=entry["quantity"])
    assert found.value == Fraction(entry["value"])


@pytest.mark.parametrize(("folder", "entry"), VALUES)
def test_fixed_point_iteration_closes_in_on_the_value(folder: Path, entry: dict[str, str]) -> None:
    """On the acyclic instances, which are all but the random one, it reaches it."""
    chain, value = load(folder / entry["model"]), Fraction(entry["value"])
    found = distance(chain, *entry["pair"], alpha=entry["alpha"], method="iterate")
    assert found.bracket.lower.value <= value <= found.bracket.upper.value
    assert found.bracket.width <= Fraction(1, 10**9)
    if folder.name != "random":
        assert found.value == value


@pytest.mark.parametrize("backend", ["highs", "pulp", "exact"])
def test_two_diners_with_every_backend(backend: str) -> None:
    chain = load(INSTANCES / "dining-cryptographers" / "two.lmc")
    assert distance(chain, "s0", "s1", alpha="1.0002", backend=backend).value == Fraction(1, 2500)


def test_the_printed_dual_overestimates_the_distance_itself() -> None:
    """Lemma 3 as printed gives 27/100 where Definition 12 gives 13/50: the lift of bd at the rows of q0 and
    q1.
    """
    chain = load(INSTANCES / "lemma-three-erratum" / "chain.lmc")
    middle = ["q2", "q3", "q4", "q5", "q6"]
    d = {(a, b): distance(chain, a, b, alpha=2).value for a in middle for b in middle}
    values = {
        form: kantorovich(chain.row("q0"), chain.row("q1"), d, 2, form=form).value
        for form in ("primal", "dual", "printed")
    }
    assert values == {"primal": Fraction(13, 50), "dual": Fraction(13, 50), "printed": Fraction(27, 100)}


@pytest.mark.parametrize("epsilon", ["0.0002", "1/2000", "0"])
def test_a_bound_for_epsilon_is_computed_at_an_alpha_not_above_it(epsilon: str) -> None:
    chain = load(INSTANCES / "dining-cryptographers" / "two.lmc")
    found = distance(chain, "s0", "s1", epsilon=epsilon)
    assert found.value == Fraction(1, 2500)
    assert found.epsilon == epsilon
    assert found.alpha_is_exact == (epsilon == "0")
