"""Bad input: whatever a file holds, a reader accepts it or refuses it in one line, and does nothing else.

The readers and what is demanded of them are in ``tests/oracles/readers.py``; ``scripts/fuzz_readers.py`` does
the same for longer, guided by coverage. The limits on size, depth and work have tests of their own, in
``tests/certificates/test_limits.py`` and ``tests/text/test_reading_files.py``.
"""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bdist import distance
from bdist.chains.formats import lmc
from tests.oracles.readers import SEPARATOR, Reader, all_readers

READERS = {reader.name: reader for reader in all_readers()}
FAST = [name for name, reader in READERS.items() if not reader.slow]
SLOW = [name for name, reader in READERS.items() if reader.slow]

NASTY_NUMBERS = (
    *(b"NaN", b"nan", b"Infinity", b"-1", b"1e400", b"1e-400", b"1e999999999", b"-0", b"1/0", b"0/0"),
    *(b"1e", b"9" * 5000, b"0." + b"3" * 5000, b"1/" + b"7" * 5000, b"9" * 100_001, b"1.5.2", b"0x10"),
    *(b"1_0", b"1e1000", b"18446744073709551616", "٣".encode(), "½".encode(), b"true", b"null", b'"1"'),
    *(b"64", b"-64", b"2.5"),
)
PIECES = (
    *(b"\0", b"\xff", b"\xed\xa0\x80", b"\r", b"\n", b"\t", b" ", b"\x1b[2J", b"\x7f", b"\xc2\x85"),
    *(b"\xe2\x80\xa8", b'"', b"\\", b'\\"', b"[", b"]", b"{", b"}", b"[[[[[[[[", b",", b",\n", b":", b"->"),
    *(b"#", b"/", b"'", b"-", b"[" * 2000, b'{"a":' * 2000, b'"' * 999, b"\\" * 999, b"x" * 2000),
    *(b"\xef\xbb\xbf", SEPARATOR, b"lmc\n", b"s0", b"s0 [a] -> 1 s0\n", b'"words": 64,', b"0 0 1\n"),
    *(b"state 0\n", b"@model\n", b"init", b"endmodule", b"hmm\n", b"parameter p in (0, 1)\n", b"p^64"),
    *(b"(1 - p)", b"\nscenario\npair s t\n", b" [a, b]", b"mdp\nactions a\n", b"s * -> 1 s\n"),
    *(b"forall k in 0..9: ", b"X^k ", b"F<=10000 ", b"(((((((((", b"eps=ln ", b'["not", '),
    *(b'["within", 10000, ["true"], ["true"]]', b'"*": 2147483647', b"mdp\n", b"sink s0\n"),
    *(b"s0 * -> 1 s0\n", b"\taction a\n", b"__NOLABEL__", b"for i in 1..99999 { ", b"while true { "),
    *(b" := ", b"~ Lap(eps, 0);", b"} else {", b"[i]", b"*eps", b"exp(", b"MDP"),
)
_NUMBER = re.compile(rb"[0-9]+(?:[./][0-9]+)?(?:e-?[0-9]+)?")


@cache
def seeds_of(name: str) -> list[bytes]:
    """The valid inputs of a reader, the short ones."""
    return [seed for seed in READERS[name].seeds() if len(seed) < 5000]


@st.composite
def mutations(draw: st.DrawFn, name: str) -> bytes:
    """A valid input with a few things done to it."""
    seeds = st.sampled_from(seeds_of(name))
    data = draw(seeds)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 2, 5, 20, 200])))
        kind = draw(
            st.sampled_from(["number", "number", "cut", "drop", "repeat", "insert", "splice", "number-of"])
        )
        if kind == "number":
            numbers = list(_NUMBER.finditer(data))
            if numbers:
                start, end = draw(st.sampled_from(numbers)).span()
                data = data[:start] + draw(st.sampled_from(NASTY_NUMBERS)) + data[end:]
        elif kind == "number-of":  # a number of the same input, so that sizes and counts go wrong by little
            numbers = list(_NUMBER.finditer(data))
            if numbers:
                start, end = draw(st.sampled_from(numbers)).span()
                data = data[:start] + draw(st.sampled_from(numbers))[0] + data[end:]
        elif kind == "cut":
            data = data[:start]
        elif kind == "drop":
            data = data[:start] + data[end:]
        elif kind == "repeat":
            data = data[:end] + data[start:end] * draw(st.sampled_from([1, 2, 50])) + data[end:]
        elif kind == "insert":
            data = data[:start] + draw(st.sampled_from(PIECES)) + data[end:]
        else:
            other = draw(seeds)
            data = data[:start] + other[draw(st.integers(0, len(other))) :]
    return data


@pytest.mark.parametrize("name", READERS)
def test_valid_files_are_accepted(name: str) -> None:
    """Fuzzing would be in vain if it began with what is refused at once."""
    accepted = [READERS[name].read(seed) for seed in seeds_of(name)]
    assert any(accepted)
    assert all(accepted) or "certificate" in name  # of which some are meant to be rejected


@pytest.mark.parametrize("name", FAST)
@given(data=st.data())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_a_changed_file_is_read_or_refused(name: str, data: st.DataObject) -> None:
    READERS[name].read(data.draw(mutations(name)))


@pytest.mark.parametrize("name", SLOW)
@given(data=st.data())
@settings(
    max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_a_changed_file_is_read_or_refused_by_a_slow_reader(name: str, data: st.DataObject) -> None:
    READERS[name].read(data.draw(mutations(name)))


@pytest.mark.parametrize("name", FAST)
@given(
    data=st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
@settings(max_examples=10, deadline=None)
def test_noise_is_read_or_refused(name: str, data: bytes) -> None:
    READERS[name].read(data)


def test_the_registered_formats_are_among_the_readers() -> None:
    assert {
        "lmc",
        "both-lmc",
        "both-hmm",
        "both-mdp",
        "dip",
        "drn-mdp",
        "prism-mdp",
        "certificate",
        "automaton-certificate",
        "program-certificate",
        "hidden-certificate",
        "formula-certificate",
        "decision-certificate",
        "formula",
        "relation",
        "attack",
        "number",
    } <= set(READERS)
    assert all(isinstance(reader, Reader) and seeds_of(name) for name, reader in READERS.items())


@pytest.mark.parametrize("alpha", ["11/10", "1e400"])
def test_numbers_beyond_floats_are_no_obstacle(alpha: str) -> None:
    """Floats only propose; where they cannot even hold a number, the answer is the same."""
    rest = "0." + "9" * 400
    text = f"""lmc
s [a] -> 1e-400 s, {rest} x
t [a] -> 1e-400 t, {rest} x
u [a] -> 1 u
v [a] -> 1/3 u, 1/3 s, 1/3 t
w [a] -> 1/3 u, 1/3 t, 1/3 w
x [b] -> 1 x
"""
    chain = lmc.read(text)
    exact = distance(chain, "v", "w", alpha=alpha, method="strategy", backend="exact")
    assert distance(chain, "v", "w", alpha=alpha, method="explore", precision=0).value == exact.value
    bracket = distance(chain, "v", "w", alpha=alpha, method="explore", precision="1e-6").bracket
    assert bracket.lower.value <= exact.value <= bracket.upper.value
