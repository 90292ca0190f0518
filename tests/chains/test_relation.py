"""Which states are neighbours, from pairs, labels, names and files."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bdist import FormatError, LabelledMarkovChain, ParameterError, Relation
from bdist.chains.relation import load_relation, parse_pairs, read_relation, write_relation


def chain_of(*names: str, label: str = "start") -> LabelledMarkovChain:
    return LabelledMarkovChain.from_rows({name: (label, {name: 1}) for name in names})


CHAIN = chain_of("a", "b", "c", 'two "words"')


def test_symmetry_is_implied_and_reflexive_pairs_are_dropped() -> None:
    relation = Relation.of(CHAIN, [("b", "a"), ("a", "a"), ("a", "b"), ("c", "a"), ("b", "a")])
    assert relation.pairs == (("b", "a"), ("c", "a"))


def test_unknown_states_and_odd_pairs_are_refused() -> None:
    with pytest.raises(ParameterError, match="no state 'd'"):
        Relation.of(CHAIN, [("a", "d")])
    with pytest.raises(ParameterError, match="not a pair"):
        Relation.of(CHAIN, [("a", "b", "c")])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="'ab' is not a pair"):
        Relation.of(CHAIN, ["ab"])  # type: ignore[list-item]


def test_all_states_with_a_label() -> None:
    chain = LabelledMarkovChain.from_rows(
        {"a": ("x", {"a": 1}), "b": ("y", {"b": 1}), "c": ("x", {"c": 1}), "d": ("x", {"d": 1})}
    )
    assert Relation.with_label(chain, "x").pairs == (("a", "c"), ("a", "d"), ("c", "d"))
    assert Relation.with_label(chain, "y").pairs == ()
    with pytest.raises(ParameterError, match="no state has the label 'z'; this chain has x, y"):
        Relation.with_label(chain, "z")


def hamming(one: str, other: str) -> int | None:
    if ("," in one) != ("," in other):
        return None
    first, second = (name.split(",") if "," in one else list(name) for name in (one, other))
    if len(first) != len(second):
        return None
    return sum(x != y for x, y in zip(first, second, strict=True))


@given(
    st.lists(st.text("01,", min_size=1, max_size=5), min_size=1, max_size=9, unique=True), st.integers(1, 3)
)
def test_hamming_distance_is_that_of_the_definition(names: list[str], distance: int) -> None:
    found = set(Relation.by_hamming(chain_of(*names), distance))
    expected = set()
    for pair in combinations(names, 2):
        apart = hamming(*pair)
        if apart is not None and apart <= distance:
            expected.add(pair)
    assert found == expected


def test_hamming_distance_by_fields_and_among_one_label() -> None:
    rows = {"x=0,y=10": "start", "x=0,y=7": "start", "x=1,y=10": "start", "x=1,y=7": "end"}
    chain = LabelledMarkovChain.from_rows({name: (label, {name: 1}) for name, label in rows.items()})
    assert Relation.by_hamming(chain, 1, "start").pairs == (
        ("x=0,y=10", "x=0,y=7"),
        ("x=0,y=10", "x=1,y=10"),
    )
    assert len(Relation.by_hamming(chain, 1)) == 4
    assert len(Relation.by_hamming(chain, 2)) == 6
    with pytest.raises(ParameterError, match="at least 1"):
        Relation.by_hamming(chain, 0)


def test_a_union_keeps_the_order_and_drops_what_is_there() -> None:
    one, other = Relation((("a", "b"), ("c", "a"))), Relation((("b", "a"), ("b", "c")))
    assert one.union(other).pairs == (("a", "b"), ("c", "a"), ("b", "c"))


def test_files_round_trip(tmp_path: Path) -> None:
    relation = Relation((("a", "b"), ("c", 'two "words"')))
    path = tmp_path / "relation.txt"
    path.write_text(write_relation(relation), encoding="utf-8")
    assert load_relation(path, CHAIN) == relation


def test_files_have_comments_blank_lines_and_tildes() -> None:
    text = '# neighbours\n\n a ~ b # first\r\nb "two \\"words\\""\n'
    assert read_relation(text, CHAIN).pairs == (("a", "b"), ("b", 'two "words"'))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", ":1: expected two states such as: s0 s1, names with commas in double quotes; found 'a'"),
        ("a b\na b c", ":2: expected two states"),
        ("a b\n\nc d", ":3: there is no state 'd'"),
        ('a "b', ":1: expected two states"),
    ],
)
def test_bad_files_are_refused_with_their_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_relation(text, CHAIN, "file")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pairs_on_a_command_line() -> None:
    assert list(parse_pairs("a:b, b:c")) == [("a", "b"), ("b", "c")]
    assert list(parse_pairs('"two \\"words\\"":a,a:"x:y,z"')) == [('two "words"', "a"), ("a", "x:y,z")]
    for wrong in ("", "a", "a:b,", "a:b:c", "a b", '"a:b'):
        with pytest.raises(ParameterError, match="expected pairs such as s0:s1"):
            list(parse_pairs(wrong))
