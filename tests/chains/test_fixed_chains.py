"""The families without parameters, row by row as their sources state them."""

from __future__ import annotations

from fractions import Fraction

from bdist.chains.families import figure_one, lemma_three_erratum, not_monotone, outside_states


def test_figure_one() -> None:
    chain = figure_one()
    assert chain.states == ("s0", "s1", "s2", "s3")
    assert chain.row("s0") == {"s2": Fraction("0.4"), "s3": Fraction("0.6")}
    assert chain.row("s1") == {"s2": Fraction("0.6"), "s3": Fraction("0.4")}
    assert chain.row("s2") == {"s2": 1}
    assert chain.row("s3") == {"s3": 1}
    assert chain.label("s0") == chain.label("s1")
    assert len(set(chain.labels)) == 3


def test_lemma_three_erratum() -> None:
    chain = lemma_three_erratum()
    tenths = {
        "q0": {"q3": 1, "q4": 7, "q5": 1, "q6": 1},
        "q1": {"q2": 7, "q3": 2, "q5": 1},
        "q2": {"q7": 9, "q8": 1},
        "q3": {"q7": 7, "q8": 3},
        "q4": {"q7": 4, "q8": 6},
        "q5": {"q7": 6, "q8": 4},
        "q6": {"q8": 10},
        "q7": {"q7": 10},
        "q8": {"q8": 10},
    }
    assert {s: chain.row(s) for s in chain.states} == {
        state: {target: Fraction(part, 10) for target, part in row.items()} for state, row in tenths.items()
    }
    assert chain.labels == ("start",) * 2 + ("mid",) * 5 + ("left", "right")


def test_not_monotone() -> None:
    chain = not_monotone()
    assert chain.row("s") == {"i": Fraction(1, 3), "j": Fraction(2, 3)}
    assert chain.row("t") == {"j": 1}
    assert [chain.row(mid)["x"] for mid in "ikj"] == [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)]
    assert dict(zip(chain.states, chain.labels, strict=True)) == {
        **dict.fromkeys("st", "start"),
        **dict.fromkeys("ikj", "mid"),
        "x": "left",
        "y": "right",
    }


def test_outside_states() -> None:
    chain = outside_states()
    assert chain.row("s") == {"i": Fraction(1, 2), "j": Fraction(1, 2)}
    assert chain.row("t") == {"i": 1}
    assert {mid: [20 * chain.row(mid)[end] for end in "xyz"] for mid in "ijkl"} == {
        "i": [7, 5, 8],
        "j": [1, 1, 18],
        "k": [6, 7, 7],
        "l": [2, 4, 14],
    }
    assert {chain.label(mid) for mid in "ijkl"} == {"mid"}
    assert len({chain.label(end) for end in "xyz"}) == 3
