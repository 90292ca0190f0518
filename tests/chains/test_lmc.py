"""The .lmc reader and writer."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bdist import FormatError, LabelledMarkovChain, ModelError, load
from bdist.chains.formats import lmc

EXAMPLE = """\
# comment to the end of the line
lmc two-dining-cryptographers          # keyword, optional name
s0 [start] -> 0.49 h0, 51/100 t0       # state [label] -> probability target, probability target
h0 [flip]  -> 1/2 "heads twice",       # a line that ends in a comma goes on in the next
              # a comment in between

              1/2 t0
t0["f#l,i]p"]->1e0 s0
"heads twice" ["a \\"quoted\\" \\\\ \\n label"] -> 0 s0, 1 t0
"""


def test_the_documented_example() -> None:
    chain = lmc.read(EXAMPLE)
    assert chain.name == "two-dining-cryptographers"
    assert chain.states == ("s0", "h0", "t0", "heads twice")
    assert chain.labels == ("start", "flip", "f#l,i]p", 'a "quoted" \\ \\n label')
    assert chain.row("s0") == {"h0": Fraction(49, 100), "t0": Fraction(51, 100)}
    assert chain.row("heads twice") == {"t0": 1}


def test_carriage_returns_and_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "chain.lmc"
    path.write_bytes(b"\xef\xbb\xbf" + EXAMPLE.replace("\n", "\r\n").encode())
    assert load(path) == lmc.read(EXAMPLE)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "", "empty"),
        ("# only a comment\n", "", "empty"),
        ("s [a] -> 1 s", ":1:1", "keyword 'lmc'"),
        ("lmc a b", ":1:7", "end of the line"),
        ("lmc\n", ":2:1", "expected a state"),
        ("lmc\ns [a] -> 1/0 s", ":2:10", "denominator zero"),
        ("lmc\ns [a] -> -1 s, 2 t", ":2:10", "negative"),
        ("lmc\ns [a] -> 1 t", ":2:12", "'t', which is not declared"),
        ("lmc\ns [a] -> 1 s\n s [b] -> 1 s", ":3:2", "declared twice"),
        ("lmc\ns [a] -> 1/2 s, 1/2 s", ":2:21", "twice in one row"),
        ("lmc\ns [a] -> 1 s,", ":2:14", "another probability"),
        ("lmc\ns [a] -> 1 s,\n# end", ":3:6", "another probability"),
        ("lmc\ns a -> 1 s", ":2:3", "the label"),
        ("lmc\ns [a -> 1 s", ":2:6", "']'"),
        ("lmc\ns [a] 1 s", ":2:7", "'->'"),
        ("lmc\ns [a] -> one s", ":2:10", "not a number"),
        ("lmc\ns [a] -> 1", ":2:11", "target state"),
        ('lmc\ns [a] -> 1 "s', ":2:12", "closing double quote"),
        ("lmc\ns [a] -> 1 s t", ":2:14", "end of the line"),
        ("lmc\nß [a] -> 1 ß", ":2:1", "state name"),
    ],
)
def test_a_refusal_says_where_and_what(text: str, place: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        lmc.read(text, "chain.lmc")
    assert str(caught.value).startswith(f"chain.lmc{place}: ")


def test_a_wrong_row_is_named_with_its_line_and_sum() -> None:
    with pytest.raises(ModelError, match=r"^chain.lmc:3: the row of state 't' sums to 99/100, not to 1$"):
        lmc.read("lmc\ns [a] -> 1 s\nt [a] -> 0.99 s", "chain.lmc")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        load(tmp_path / "none.lmc")
    with pytest.raises(FormatError, match="no reader"):
        load(tmp_path / "chain.txt")
    (tmp_path / "latin.lmc").write_bytes(b"lmc \xff")
    with pytest.raises(FormatError, match="UTF-8"):
        load(tmp_path / "latin.lmc")


NAMES = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc")), max_size=6)


@given(
    st.lists(NAMES, min_size=1, max_size=4, unique=True),
    st.lists(NAMES, min_size=4, max_size=4),
    NAMES,
    st.data(),
)
def test_what_is_written_is_read_back(
    states: list[str], labels: list[str], name: str, data: st.DataObject
) -> None:
    rows = []
    for _ in states:
        weights = data.draw(
            st.lists(st.integers(0, 9), min_size=len(states), max_size=len(states)).filter(any)
        )
        rows.append([Fraction(w, sum(weights)) for w in weights])
    chain = LabelledMarkovChain.from_matrix(rows, labels[: len(states)], states, name=name)
    again = lmc.read(lmc.write(chain))
    assert again == chain
    assert again.name == chain.name
