"""Bisimilarity against its definition, and what the quotient keeps and improves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bdist
from bdist import LabelledMarkovChain, ParameterError
from bdist.chains.chain import Row
from bdist.chains.families import make_family
from bdist.chains.quotient import _Arrows, bisimulation_classes, quotient
from tests.oracles.strategies import alphas, chains

Partition = tuple[tuple[int, ...], ...]


def naive_classes(chain: LabelledMarkovChain) -> Partition:
    """Definition 8 from above: split by label, then by exact class probabilities until nothing changes."""
    partition = _grouped(dict(enumerate(chain.labels)))
    while True:
        signatures: dict[int, Hashable] = {}
        for number, members in enumerate(partition):
            for i in members:
                row = dict(chain.rows[i])
                masses = tuple(sum((row.get(j, Fraction(0)) for j in c), Fraction(0)) for c in partition)
                signatures[i] = (number, masses)
        finer = _grouped(signatures)
        if len(finer) == len(partition):
            return partition
        partition = finer


def _grouped(signatures: dict[int, Hashable]) -> Partition:
    groups: dict[Hashable, list[int]] = {}
    for i in sorted(signatures):
        groups.setdefault(signatures[i], []).append(i)
    return tuple(tuple(members) for members in groups.values())


def is_bisimulation(chain: LabelledMarkovChain, partition: Partition) -> bool:
    """Definition 8, verified in one pass over the transitions."""
    number = {i: k for k, members in enumerate(partition) for i in members}

    def behaviour(i: int) -> tuple[str, dict[int, Fraction]]:
        masses: dict[int, Fraction] = {}
        for j, p in chain.rows[i]:
            masses[number[j]] = masses.get(number[j], Fraction(0)) + p
        return chain.labels[i], masses

    return all(behaviour(i) == behaviour(members[0]) for members in partition for i in members)


def words(chain: LabelledMarkovChain, state: str, length: int) -> dict[tuple[str, ...], Fraction]:
    """The distribution on the first ``length`` labels seen from a state."""
    reached: dict[tuple[tuple[str, ...], int], Fraction] = {((), chain.index(state)): Fraction(1)}
    for _ in range(length):
        following: dict[tuple[tuple[str, ...], int], Fraction] = {}
        for (word, i), mass in reached.items():
            for j, p in chain.rows[i]:
                place = ((*word, chain.labels[i]), j)
                following[place] = following.get(place, Fraction(0)) + mass * p
        reached = following
    found: dict[tuple[str, ...], Fraction] = {}
    for (word, _), mass in reached.items():
        found[word] = found.get(word, Fraction(0)) + mass
    return found


@st.composite
def copied(draw: st.DrawFn, max_states: int = 4) -> tuple[LabelledMarkovChain, tuple[int, ...]]:
    """A chain whose states come in up to three copies, and of which state of a smaller chain each is one.

    Every copy goes to each state of the smaller chain with its probability, shared anyhow among the copies.
    """
    base = draw(chains(max_states=max_states))
    counts = [draw(st.integers(1, 3)) for _ in range(len(base))]
    of = draw(st.permutations([i for i, count in enumerate(counts) for _ in range(count)]))
    rows: list[Row] = []
    for i in of:
        row: list[tuple[int, Fraction]] = []
        for j, p in base.rows[i]:
            copies = [k for k, original in enumerate(of) if original == j]
            shares = [draw(st.integers(0, 3)) for _ in copies]
            shares[0] += not any(shares)
            row += [(k, p * x / sum(shares)) for k, x in zip(copies, shares, strict=True) if x]
        rows.append(tuple(sorted(row)))
    states = tuple(f"c{k}" for k in range(len(of)))
    labels = tuple(base.labels[i] for i in of)
    return LabelledMarkovChain(states, labels, tuple(rows)), tuple(of)


@given(
    chains(max_states=10, max_labels=3)
    | chains(max_states=9, max_denominator=2, max_degree=2)
    | chains(max_states=10, acyclic=True, shared_labels=True)
)
@settings(max_examples=100, deadline=None)
def test_classes_are_those_of_the_definition(chain: LabelledMarkovChain) -> None:
    assert bisimulation_classes(chain) == naive_classes(chain)


@given(copied())
@settings(max_examples=40, deadline=None)
def test_copies_merge(made: tuple[LabelledMarkovChain, tuple[int, ...]]) -> None:
    chain, of = made
    classes = bisimulation_classes(chain)
    assert classes == naive_classes(chain)
    number = {i: k for k, members in enumerate(classes) for i in members}
    assert all(number[k] == number[of.index(i)] for k, i in enumerate(of))


@given(copied())
@settings(max_examples=40, deadline=None)
def test_the_parts_of_a_quotient_fit_together(made: tuple[LabelledMarkovChain, tuple[int, ...]]) -> None:
    chain, _ = made
    found = quotient(chain)
    assert found.original is chain
    assert quotient(found.chain).chain is found.chain
    assert found.chain.states == tuple(members[0] for members in found.classes)
    assert sorted(s for members in found.classes for s in members) == sorted(chain.states)
    assert list(found.chain.states) == sorted(found.chain.states, key=chain.index)
    for members in found.classes:
        assert list(members) == sorted(members, key=chain.index)
        assert all(found.of(state) == members[0] for state in members)
        assert found.chain.label(members[0]) == chain.label(members[0])
        for state in members:
            masses: dict[str, Fraction] = {}
            for target, p in chain.row(state).items():
                masses[found.of(target)] = masses.get(found.of(target), Fraction(0)) + p
            assert found.chain.row(members[0]) == masses


@given(copied(max_states=3))
@settings(max_examples=40, deadline=None)
def test_label_sequences_keep_their_probabilities(made: tuple[LabelledMarkovChain, tuple[int, ...]]) -> None:
    chain, _ = made
    found = quotient(chain)
    for state in chain.states:
        assert words(chain, state, 4) == words(found.chain, found.of(state), 4)


@given(copied(max_states=3).map(lambda made: made[0]) | chains(max_states=5), alphas(), st.data())
@settings(max_examples=30, deadline=None)
def test_the_distance_of_the_quotient_is_never_larger(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    found = quotient(chain)
    s, t = (data.draw(st.sampled_from(chain.states)) for _ in "st")
    merged = bdist.distance(found.chain, found.of(s), found.of(t), alpha=alpha).value
    drawn = bdist.distance(chain, s, t, alpha=alpha).value
    assert merged <= drawn
    if alpha == 1:  # a pseudometric: bisimilar states are at distance 0 and may replace each other
        assert merged == drawn


def test_figure_one_has_no_bisimilar_states() -> None:
    chain = make_family("figure-one")
    found = quotient(chain)
    assert found.chain is chain
    assert found.classes == tuple((state,) for state in chain.states)


def test_one_label_is_one_class() -> None:
    chain = make_family("random", {"states": 50, "labels": 1})
    found = quotient(chain)
    assert found.chain == LabelledMarkovChain.from_rows({"s0": (chain.labels[0], {"s0": 1})})
    assert found.chain.name == "random-1-quotient"
    assert found.classes == (chain.states,)


def test_weights_with_different_denominators_are_compared_exactly() -> None:
    huge = 10**40
    chain = LabelledMarkovChain.from_rows(
        {
            "halves": ("a", {"x": "1/2", "y": "1/2"}),
            "thirds": ("a", {"x": "1/3", "z": "1/6", "y": "1/2"}),
            "nearly": ("a", {"x": Fraction(huge + 1, 2 * huge), "y": Fraction(huge - 1, 2 * huge)}),
            "x": ("x", {"x": 1}),
            "y": ("y", {"y": 1}),
            "z": ("x", {"z": 1}),
        }
    )
    found = quotient(chain)
    assert found.classes == (("halves", "thirds"), ("nearly",), ("x", "z"), ("y",))
    assert found.chain.row("halves") == {"x": Fraction(1, 2), "y": Fraction(1, 2)}
    with pytest.raises(ParameterError, match=r"no state 'halfs'.*halves"):
        found.of("halfs")


@pytest.mark.parametrize(
    ("diners", "presentation", "states", "classes"),
    [
        (2, "merged", 19, 7),
        (2, "stepwise", 23, 9),
        (3, "merged", 52, 14),
        (3, "stepwise", 58, 18),
        (4, "merged", 101, 27),
        (4, "stepwise", 109, 33),
    ],
)
def test_sizes_of_dining_cryptographers(diners: int, presentation: str, states: int, classes: int) -> None:
    chain = make_family("dining-cryptographers", {"diners": diners, "presentation": presentation})
    found = quotient(chain)
    assert (len(chain), len(found.chain)) == (states, classes)
    assert tuple(tuple(map(chain.index, members)) for members in found.classes) == naive_classes(chain)


@pytest.mark.parametrize(
    ("diners", "presentation", "alpha", "value"),
    [
        (2, "merged", "5001/5000", "7501/25000000"),  # the true delta
        (2, "merged", "101/100", "0"),
        (2, "stepwise", "5001/5000", "99022401/250000000000"),
        (2, "stepwise", "101/100", "22801/100000000"),
        (2, "stepwise", "21/20", "0"),
        (3, "merged", "5001/5000", "86528378587649/125025000000000000"),
    ],
)
def test_distances_of_dining_cryptographers(diners: int, presentation: str, alpha: str, value: str) -> None:
    values: dict[str, int | str] = {"diners": diners, "bias": "49/100", "presentation": presentation}
    found = quotient(make_family("dining-cryptographers", values))
    distance = bdist.distance(found.chain, found.of("s0"), found.of("s1"), alpha=alpha)
    assert distance.value == Fraction(value)


@pytest.mark.parametrize("shape", ["one mark", "fibonacci word", "random"])
def test_a_state_is_in_few_splitters(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound behind O(m log n), counted; without the smaller half the first takes n / 2 a state."""
    size = 987
    if shape == "random":
        chain = make_family("random", {"states": size})
    else:
        word, following = "a", "ab"
        while len(following) <= size:
            word, following = following, following + word
        chain = cycle(word if shape == "fibonacci word" else "b" + "a" * (size - 1))
    counts = [0] * size

    def counting(arrows: _Arrows, splitter: Sequence[int]) -> dict[int, int]:
        for i in splitter:
            counts[i] += 1
        return original(arrows, splitter)

    original = _Arrows.weights_into
    monkeypatch.setattr(_Arrows, "weights_into", counting)
    assert len(bisimulation_classes(chain)) == size
    assert max(counts) <= log2(size) + 1


def cycle(word: str) -> LabelledMarkovChain:
    """A cycle whose labels spell a word."""
    rows = tuple((((i + 1) % len(word), Fraction(1)),) for i in range(len(word)))
    return LabelledMarkovChain(tuple(f"s{i}" for i in range(len(word))), tuple(word), rows)


@pytest.mark.parametrize("marks", [1, 4, 1000])
def test_four_thousand_states_in_a_ring(marks: int) -> None:
    size = 4_000
    period = size // marks
    classes = bisimulation_classes(cycle(("b" + "a" * (period - 1)) * marks))
    assert classes == tuple(tuple(range(i, size, period)) for i in range(period))


def test_four_thousand_states_in_layers() -> None:
    """State i is of kind i % 4; it goes to two copies in the next layer, of kinds that its own determines."""
    size, width = 4_000, 200
    labels: list[str] = []
    rows: list[Row] = []
    for i in range(size):
        below = i - i % width + width
        if below == size:
            labels.append(f"end{i % 4}")
            rows.append(((i, Fraction(1)),))
            continue
        labels.append("step")
        one = below + (7 * i) % width // 4 * 4 + i % 4
        other = below + (11 * i) % width // 4 * 4 + (i + 1) % 4
        rows.append(tuple(sorted([(one, Fraction(1, 3)), (other, Fraction(2, 3))])))
    chain = LabelledMarkovChain(tuple(f"s{i}" for i in range(size)), tuple(labels), tuple(rows))
    classes = bisimulation_classes(chain)
    assert len(classes) == 4 * size // width
    assert all(len(members) == width // 4 for members in classes)
    assert is_bisimulation(chain, classes)


def test_four_thousand_random_states() -> None:
    chain = make_family("random", {"states": 2_000, "labels": 2, "degree": 4, "denominator": 1000})
    doubled = LabelledMarkovChain(
        tuple(f"{state}{suffix}" for suffix in "ab" for state in chain.states),
        chain.labels * 2,
        tuple(
            tuple(sorted((j + len(chain) * ((i + j + half) % 2), p) for j, p in row))
            for half in range(2)
            for i, row in enumerate(chain.rows)
        ),
    )
    assert len(doubled) == 4_000
    assert bisimulation_classes(doubled) == tuple((i, i + len(chain)) for i in range(len(chain)))
