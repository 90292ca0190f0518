"""Clocks: which chains have one, and that no distance changes by it."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import bdist
from bdist.certificates.document import Certificate
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import randomised_response
from bdist.chains.structure import read_clock
from bdist.distances import compute
from tests.oracles.naive import kleene_exact

ONE = Fraction(1)


def rounds(seed: int) -> LabelledMarkovChain:
    """A few layers whose labels say nothing of the layer, equal rows, and what begins anew at the end."""
    draw = Random(seed)  # noqa: S311
    layers = [
        [f"{layer}.{place}" for place in range(draw.randint(2, 4))] for layer in range(draw.randint(1, 3))
    ]
    rows: list[tuple[str, str, dict[str, Fraction]]] = []
    for layer, states in enumerate(layers):
        below = layers[layer - 1] if layer else ["end"]
        options = [_row(draw, below) for _ in range(2)]
        rows += [(state, draw.choice("ab"), draw.choice(options)) for state in states]
    rows.append(("end", "end", {"end": ONE} if draw.random() < 0.5 else _row(draw, layers[-1])))
    return LabelledMarkovChain.from_rows(rows)


def _row(draw: Random, targets: list[str]) -> dict[str, Fraction]:
    weights = [draw.randint(0, 3) for _ in targets]
    weights[draw.randrange(len(weights))] += 1
    return {k: Fraction(w, sum(weights)) for k, w in zip(targets, weights, strict=True) if w}


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("method", ["strategy", "explore"])
def test_no_distance_changes(seed: int, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = rounds(seed)
    alpha = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2)][seed % 4]
    timed = {q: bdist.distance_table(chain, alpha=alpha, quantity=q, method=method) for q in ("bd", "ld")}
    monkeypatch.setattr(compute, "read_clock", lambda _: None)
    for quantity, table in timed.items():
        plain = bdist.distance_table(chain, alpha=alpha, quantity=quantity, method=method)
        assert {pair: d.value for pair, d in table.items()} == {pair: d.value for pair, d in plain.items()}


FEW_STATES = [seed for seed in range(50) if rounds(seed).rows[-1][0][1] == 1 and len(rounds(seed)) <= 9]


@pytest.mark.parametrize("seed", FEW_STATES)
def test_the_values_are_those_of_the_plain_operator(seed: int) -> None:
    chain = rounds(seed)
    expected = kleene_exact(chain, Fraction(3, 2), limit=200)
    table = bdist.distance_table(chain, alpha=Fraction(3, 2))
    assert {pair: found.value for pair, found in table.items()} == {pair: expected[pair] for pair in table}


def test_the_ends_are_the_labels_on_cycles() -> None:
    chain = randomised_response(truth=Fraction(3, 4), questions=3)
    clock = read_clock(chain)
    assert clock is not None
    assert clock.ends == ("end",)
    assert clock.chain.labels[chain.index("yes")] == "start@4"
    assert clock.chain.labels[chain.index("end")] == "end@0"


@pytest.mark.parametrize(
    "rows",
    [
        {"s": "t e", "t": "e", "e": "e"},  # two numbers
        {"s": "s t", "t": "e", "e": "e"},  # a cycle with the label of the others
        {"s": "e", "t": "e", "e": "e"},  # one number for each label
    ],
)
def test_no_clock(rows: dict[str, str]) -> None:
    made = [
        (state, "end" if state == "e" else "a", dict.fromkeys(to.split(), Fraction(1, len(to.split()))))
        for state, to in rows.items()
    ]
    assert read_clock(LabelledMarkovChain.from_rows(made)) is None


def test_states_with_one_label_and_other_numbers_are_told_apart() -> None:
    chain = LabelledMarkovChain.from_rows(
        [("s", "a", {"t": ONE}), ("t", "a", {"e": ONE}), ("e", "end", {"e": ONE})]
    )
    found = bdist.distance(chain, "s", "t", alpha="1000")
    assert found.value == 1
    assert isinstance(found.certificate, Certificate)
    assert found.certificate.clock == ("end",)
