"""Chains with labels on the transitions: their translation has the same traces, by brute force."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import LabelledMarkovChain, ModelError, ParameterError, distance, load
from bdist.chains.conversions import from_labelled_transitions
from bdist.chains.formats.tlmc import state_labelled
from tests.oracles.strategies import alphas, distributions
from tests.oracles.traces import Word, words

Rows = dict[str, list[tuple[Fraction, str, str]]]

CHANNEL: Rows = {
    "s": [(Fraction(1, 2), "send", "t"), (Fraction(1, 2), "wait", "s")],
    "t": [(Fraction(1, 3), "send", "t"), (Fraction(2, 3), "done", "t")],
}


@st.composite
def transition_labelled(draw: st.DrawFn) -> Rows:
    n, labels = draw(st.integers(1, 4)), ("a", "b", "start")[: draw(st.integers(1, 3))]
    names = draw(st.sampled_from([("s", "t", "u", "v"), ("x", "x#a", "x\\#a", "x#a#"), ("#", "##", "", "a")]))
    pairs = [(label, target) for target in range(n) for label in labels]
    rows: Rows = {}
    for state in range(n):
        row = draw(distributions(len(pairs), 3, 6))
        rows[names[state]] = [
            (p, label, names[target]) for p, (label, target) in zip(row, pairs, strict=True) if p
        ]
    return rows


def emitted(rows: Rows, state: str, length: int) -> dict[Word, Fraction]:
    """The probability of each word of transition labels of a length; by walking every path."""
    if length == 0:
        return {(): Fraction(1)}
    found: dict[Word, Fraction] = {}
    for p, label, target in rows[state]:
        for word, q in emitted(rows, target, length - 1).items():
            found[label, *word] = found.get((label, *word), Fraction(0)) + p * q
    return found


def true_delta_up_to(rows: Rows, s: str, t: str, alpha: Fraction, length: int) -> Fraction:
    first, second = emitted(rows, s, length), emitted(rows, t, length)
    return sum(
        (max(Fraction(0), p - alpha * second.get(w, Fraction(0))) for w, p in first.items()), Fraction(0)
    )


@given(transition_labelled(), st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_every_word_is_as_likely_as_before(rows: Rows, length: int) -> None:
    chain = state_labelled(rows)
    assert chain.states[: len(rows)] == tuple(rows)
    (neutral,) = {chain.label(state) for state in rows}
    assert neutral not in {label for row in rows.values() for _, label, _ in row}
    for state in rows:
        expected = {(neutral, *word): p for word, p in emitted(rows, state, length).items()}
        assert words(chain, state, length + 1) == expected


@given(transition_labelled())
@settings(max_examples=30, deadline=None)
def test_copies_of_a_state_have_its_row_and_the_label_that_enters_it(rows: Rows) -> None:
    chain = state_labelled(rows)
    entered = dict.fromkeys((target, label) for row in rows.values() for _, label, target in row)
    assert len(chain) == len(rows) + len(entered)
    for place, (target, label) in enumerate(entered, start=len(rows)):
        assert chain.labels[place] == label
        assert chain.rows[place] == chain.rows[chain.index(target)]


@given(transition_labelled(), alphas())
@settings(max_examples=12, deadline=None)
def test_bd_bounds_the_true_delta_of_the_transition_labels(rows: Rows, alpha: Fraction) -> None:
    chain = state_labelled(rows)
    s, t = next(iter(rows)), list(rows)[-1]
    bound = distance(chain, s, t, alpha=alpha).bracket.upper.value
    for length in range(4):
        assert true_delta_up_to(rows, s, t, alpha, length) <= bound
        assert true_delta_up_to(rows, t, s, alpha, length) <= bound


def test_the_file_format(tmp_path: Path) -> None:
    path = tmp_path / "channel.tlmc"
    path.write_text(
        "# labels are on the transitions\n"
        "tlmc channel\n"
        "s -> 1/2 [send] t, # and go on\n"
        '     0.5 ["wait"] s, 0 [never] t\n'
        "t -> 1/3 [send] t, 2/3 [done] t\n"
    )
    chain = load(path)
    assert chain == state_labelled(CHANNEL)
    assert chain.name == "channel"
    assert chain.states == ("s", "t", "t#send", "s#wait", "t#done")
    assert chain.labels == ("start", "start", "send", "wait", "done")


def test_from_python() -> None:
    rows: dict[str, list[tuple[Any, str, str]]] = {
        "s": [("1/2", "send", "t"), (0.5, "wait", "s")],
        "t": [(1, "done", "t")],
    }
    chain = from_labelled_transitions(rows, name="n", floats="exact")
    assert chain.row("s") == {"t#send": Fraction(1, 2), "s#wait": Fraction(1, 2)}
    assert isinstance(chain, LabelledMarkovChain)
    with pytest.raises(ParameterError, match="is the float"):
        from_labelled_transitions(rows)
    with pytest.raises(ModelError, match="goes to 'u', which is not a state"):
        from_labelled_transitions({"s": [(1, "a", "u")]})
    with pytest.raises(ModelError, match="goes to 's' by label 'a' twice"):
        from_labelled_transitions({"s": [("1/2", "a", "s"), ("1/2", "a", "s")]})
    with pytest.raises(ModelError, match="row of state 's' sums to 1/2"):
        from_labelled_transitions({"s": [("1/2", "a", "s")]})
