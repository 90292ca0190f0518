"""Rows of rounded decimals: what each way of repair makes of them, and what neither touches."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, load, save
from bdist.chains.formats.rounding import WAYS, repaired
from bdist.errors import ModelError, ParameterError
from bdist.text.scanner import Numbers
from tests.cli.runner import run_bdist

weights = st.lists(st.integers(1, 40), min_size=2, max_size=6)


def _printed(p: Fraction, digits: int) -> str:
    """As PRISM prints it: significant digits, zeros at the end left out."""
    return f"{float(p):.{digits}g}"


@settings(max_examples=200)
@given(weights, st.sampled_from([10, 12, 15]))
def test_simple_fractions_come_back(weights: list[int], digits: int) -> None:
    row = [Fraction(w, sum(weights)) for w in weights]
    numbers = Numbers()
    read = tuple((j, numbers(_printed(p, digits))) for j, p in enumerate(row))
    found = repaired([read], numbers, "simplest")
    if sum(p for _, p in read) == 1:
        assert found.rows == [read]
        assert not found.changed
    elif max(len(text) for text in numbers.decimals()) >= digits:  # else nobody can tell how many there were
        assert [p for _, p in found.rows[0]] == row


@settings(max_examples=200)
@given(st.lists(weights, min_size=1, max_size=3), st.sampled_from([3, 6, 12]), st.sampled_from(WAYS))
def test_what_is_changed_stays_within_the_last_digit(rows: list[list[int]], digits: int, way: str) -> None:
    numbers = Numbers()
    read = [
        tuple((j, numbers(_printed(Fraction(w, sum(row)), digits))) for j, w in enumerate(row))
        for row in rows
    ]
    found = repaired(read, numbers, way)
    changes = [
        abs(p - q)
        for old, new in zip(read, found.rows, strict=True)
        for (_, p), (_, q) in zip(old, new, strict=True)
    ]
    assert max(changes) == found.largest
    assert found.changed == sum(old != new for old, new in zip(read, found.rows, strict=True))
    decimals = [text.replace(".", "").lstrip("0") for text in numbers.decimals()]
    shortest = min(digits, max(map(len, decimals), default=0))
    assert found.largest <= Fraction(6, 10**shortest)
    for old, new in zip(read, found.rows, strict=True):
        assert sum(p for _, p in new) == 1 or new == old


def _file(tmp_path: Path, *entries: str) -> Path:
    path = tmp_path / "m.tra"
    rows = "".join(f"0 {j} {entry}\n" for j, entry in enumerate(entries))
    loops = "".join(f"{j} {j} 1\n" for j in range(1, len(entries)))
    path.write_text(f"{len(entries)} {2 * len(entries) - 1}\n{rows}{loops}", encoding="utf-8")
    path.with_suffix(".lab").write_text('0="init" 1="deadlock" 2="a"\n0: 2\n', encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("entries", "simplest", "normalised"),
    [
        (["0.333333"] * 3, ["1/3"] * 3, ["1/3"] * 3),
        (["0.666666", "0.333333"], ["2/3", "1/3"], ["666666/999999", "1/3"]),
        (
            ["0.1", "0.3", "0.599999"],
            ["1/10", "3/10", "3/5"],
            ["100000/999999", "300000/999999", "599999/999999"],
        ),
        (["0.3333", "1/3", "1/3"], ["1/3"] * 3, ["9999/29999", "10000/29999", "10000/29999"]),
        (["0.25", "0.75"], ["1/4", "3/4"], ["1/4", "3/4"]),
        (["1e-7", "0.9999999"], ["1/10000000", "9999999/10000000"], ["1/10000000", "9999999/10000000"]),
        (["0.5", "0.4999"], ["1/2", "1/2"], ["5000/9999", "4999/9999"]),
        (["0.3", "0.4"], None, None),
    ],
)
def test_repairs(
    entries: list[str], simplest: list[str] | None, normalised: list[str] | None, tmp_path: Path
) -> None:
    path = _file(tmp_path, *entries)
    for way, expected in (("simplest", simplest), ("normalise", normalised)):
        options = ReadOptions(repair=way)
        if expected is None:
            with pytest.raises(
                ModelError, match=f"not to 1; .*repair='{way}' (finds no|leaves it)"
            ) as caught:
                load(path, options)
            assert "have them repaired" not in str(caught.value)
        else:
            assert load(path, options).row("s0") == {f"s{j}": Fraction(p) for j, p in enumerate(expected)}


def test_without_repair_the_refusal_names_it_and_with_it_a_note_tells_the_change(tmp_path: Path) -> None:
    path, out = _file(tmp_path, *["0.333333"] * 3), tmp_path / "exact.drn"
    done = run_bdist("convert", str(path), str(out))
    assert done.returncode == 4
    assert "--repair simplest or --repair normalise" in done.stderr
    done = run_bdist("convert", str(path), str(out), "--repair", "simplest")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "1 row of rounded decimals made to sum to 1 (--repair simplest); no probability is" in done.stderr
    assert "by more than 3.33333333334e-7" in done.stderr
    assert load(out) == LabelledMarkovChain.from_rows(
        {
            "s0": ("a", {"s0": "1/3", "s1": "1/3", "s2": "1/3"}),
            "s1": ("{}", {"s1": 1}),
            "s2": ("{}", {"s2": 1}),
        }
    )
    again = tmp_path / "again.tra"
    save(load(out), again)
    assert load(again) == load(out)


def test_ways_that_there_are_not() -> None:
    with pytest.raises(ParameterError, match="repair is 'guess'; it must be simplest or normalise"):
        ReadOptions(repair="guess")
    with pytest.raises(ParameterError, match="deadlocks is 'maybe'; it must be loop or refuse"):
        ReadOptions(deadlocks="maybe")
