"""What is too large to check: neither accepted nor rejected, and found out before time or memory is gone.

The limits are those of SPEC section 5. Where a limit is large, the tests make it small; what they compare is
the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import checker
from bdist.chains import chain as chain_module
from bdist.chains.formats import lmc
from bdist.checker import TooLarge
from bdist.checker.core import limits
from bdist.checker.core import text as model_text
from bdist.checker.core.chain import read_model
from bdist.checker.core.limits import Work, check_text
from bdist.checker.core.text import BadModel
from bdist.errors import InputError
from bdist.exact import rationals
from bdist.text import files
from tests.certificates.hand_made import DISTANCES
from tests.oracles.readers import read_by_both

HERE = Path(__file__).parent
SPECIFICATION = Path(checker.__file__).parents[1] / "certificates" / "SPEC.md"

# two labels and branching: 2^m words of m labels from every state
FORKED = "lmc\n" + "".join(
    f"s{i} [{'pq'[i % 2]}] -> 1/3 s{(i + 1) % 6}, 2/3 s{(i + 2) % 6}\n" for i in range(6)
)
SAME_LABEL = "lmc\ns0 [p] -> 1/3 s0, 2/3 s2\ns2 [p] -> 1/7 s0, 6/7 s2\n"


def document(model: str, **members: Any) -> str:
    """A certificate that claims nothing about s0 and s2, with other members."""
    claims = [{"pair": ["s0", "s2"], "lower": "0", "upper": "1"}]
    made = {"format": "bdist-certificate", "version": 1, "quantity": "bd", "alpha": "11/10"}
    made |= {
        "model": read_model(model).fingerprint(),
        "claims": claims,
        "states": [],
        "upper": [],
        "lower": [],
    }
    return json.dumps(made | members)


# --- the two readers of models ------------------------------------------------------------------------


def test_both_readers_of_models_have_the_limits_of_the_specification() -> None:
    assert limits.MODEL_BYTES == files.MODEL_BYTES == 2**30
    assert limits.CERTIFICATE_BYTES == files.CERTIFICATE_BYTES == 2**28
    assert limits.MODEL_DIGITS == rationals.MOST_DIGITS == 100_000
    assert limits.LARGEST_EXPONENT == rationals.LARGEST_EXPONENT == 1000
    assert limits.ROW_BITS == rationals.ROW_BITS == 332_000
    assert limits.ROWS_BITS == rationals.ROWS_BITS == 2**31
    section = SPECIFICATION.read_text(encoding="utf-8").split("## 5.")[1]
    for text in [
        *["at most 2^30 bytes", "100,000 digits", "1000 in absolute value", "332,000 bits", "2^31"],
        *["at most 2^28 bytes", f"{limits.DEEPEST} deep", f"{limits.MOST_PARTS:,} times"],
        *[f"{limits.MOST_DIGITS:,} digits", "10^8 + 300 c steps", "2^27 + 1000 c bytes"],
        *["4·10^9 steps", "2^32 bytes", f"to {limits.PIECE} bits", f"{limits.NUMBER} bytes"],
    ]:
        assert text in section, text


def accepted_by_both(text: str) -> bool:
    """Whether both readers take a text, or neither does."""
    return read_by_both(text.encode())


@pytest.mark.parametrize(
    ("number", "accepted"),
    [
        ("1." + "0" * 99_999, True),
        ("1." + "0" * 100_000, False),
        ("+" + "0" * 99_999 + "1", True),
        ("0" * 100_000 + "1", False),
        (f"1{'0' * 99_999}/1{'0' * 99_999}", True),
        (f"1/1{'0' * 100_000}", False),
        (f"1{'0' * 100_000}/1", False),
        ("1" + "0" * 1000 + "e-1000", True),
        ("0." + "0" * 999 + "1e1000", True),
        ("0." + "0" * 1000 + "1e1001", False),
        ("1e-999999999999", False),
        ("1e400", False),
        ("NaN", False),
        ("Infinity", False),
        ("9" * 200_000 + "x", False),  # in one pass; going back for each digit would take ten minutes
        ("1" * 200_000 + "/", False),
    ],
    ids=lambda value: value[:6] if isinstance(value, str) else None,
)
def test_numbers_at_and_beyond_the_limits(number: str, accepted: bool) -> None:
    assert accepted_by_both(f"lmc\ns [a] -> {number} s\n") == accepted


@pytest.mark.parametrize(("power", "accepted"), [(331_999, True), (332_000, False)])
def test_a_denominator_at_and_beyond_the_limit(power: int, accepted: bool) -> None:
    below, rest = (checker.rational_text(Fraction(x)) for x in (2**power, 2**power - 1))
    text = f"lmc\ns [a] -> 1/{below} s, {rest}/{below} t\nt [a] -> 1 t\n"
    assert accepted_by_both(text) == accepted


def test_the_common_denominator_counts_and_not_the_denominators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_text, "ROW_BITS", 12)
    monkeypatch.setattr(rationals, "ROW_BITS", 12)
    for prime, bits in [(31, 12), (53, 12), (59, 13)]:
        assert (7 * 11 * prime).bit_length() == bits
        row = f"1/7 s, 1/11 t, 1/{prime} u, {1 - Fraction(1, 7) - Fraction(1, 11) - Fraction(1, prime)} v"
        text = f"lmc\ns [a] -> {row}\nt [a] -> 1 t\nu [a] -> 1 u\nv [a] -> 1 v\n"
        assert accepted_by_both(text) == (bits == 12)


@given(st.lists(st.lists(st.integers(1, 40), min_size=1, max_size=4), min_size=1, max_size=3), st.data())
@settings(max_examples=30, deadline=None)
def test_the_bits_of_all_rows_are_counted_alike(weights: list[list[int]], data: st.DataObject) -> None:
    lines, bits = [], 0
    for number, row in enumerate(weights):
        entries = [Fraction(w, sum(row)) for w in row]
        denominator = max(x.denominator for x in entries)
        while any(denominator % x.denominator for x in entries):
            denominator += 1
        bits += len(row) * denominator.bit_length()
        targets = ", ".join(f"{x} t{k}" for k, x in enumerate(entries))
        lines.append(f"s{number} [a] -> {targets}, 0 t0z")
    lines += [f"t{k} [a] -> 1 t{k}" for k in (*range(4), "0z")]  # each has one entry over 1
    bits += 5
    most = data.draw(st.sampled_from([bits - 1, bits]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_text, "ROWS_BITS", most)
        patch.setattr(chain_module, "ROWS_BITS", most)
        assert accepted_by_both("lmc\n" + "\n".join(lines)) == (most == bits)


def test_a_long_name_is_shortened_in_the_refusal() -> None:
    for text in (
        f"lmc\ns [a] -> 1 {'x' * 10**6}",
        f'lmc\n"{"é" * 10**6}" [a] -> 1/2 s',
        "lmc " + "\\" * 10**6,
    ):
        with pytest.raises(BadModel) as caught:
            read_model(text)
        assert len(str(caught.value)) < 2000
        with pytest.raises(InputError) as ours:
            lmc.read(text)
        assert len(str(ours.value)) < 2000


# --- the text of a certificate -------------------------------------------------------------------------


def refused(text: str, reason: str, model: str = FORKED) -> None:
    with pytest.raises(TooLarge, match=f"^too large to check: {reason}"):
        checker.check(model, text)


def test_size_parts_and_digits_are_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    refused("1" * 1_000_001, "a number has 1000001 digits, and at most 1000000 are read")
    refused('"' + "1" * 1_000_001, "a number has 1000001 digits")
    refused("[" * 10_000_001, "the text has 10000001 arrays, objects and members")
    monkeypatch.setattr(limits, "CERTIFICATE_BYTES", 10)
    refused(" " * 11, "the text has 11 characters, and at most 10 are read")
    with pytest.raises(checker.Malformed, match="not JSON"):
        checker.check(FORKED, " " * 10)
    monkeypatch.setattr(model_text, "MODEL_BYTES", 10)
    with pytest.raises(BadModel, match="characters, and at most 10 are read"):
        checker.check(FORKED, "")


def test_a_number_of_a_million_digits_is_read() -> None:
    nines = "9" * 1_000_000  # the conversion is subquadratic, and a message does not convert back
    assert checker.check(FORKED, document(FORKED, claims=[claim("-" + nines, "1")])).upper_records == 0
    with pytest.raises(checker.Rejected, match=r"claim-lower: .* about 10\^(999999|1000000) > 0"):
        checker.check(FORKED, document(FORKED, claims=[claim(nines, "1")]))


def claim(lower: str, upper: str) -> dict[str, object]:
    return {"pair": ["s0", "s2"], "lower": lower, "upper": upper}


_awkward = st.text(st.sampled_from('[]{}"\\:,aé'), max_size=6)
_json = st.recursive(
    _awkward | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_awkward, inner, max_size=3),
    max_leaves=8,
)


@given(_json, st.booleans())
@settings(max_examples=40, deadline=None)
def test_depth_is_that_of_the_brackets_outside_of_strings(value: object, compact: bool) -> None:
    text = json.dumps(value, separators=(",", ":") if compact else None, ensure_ascii=compact)
    check_text("[" * 50 + text + "]" * 50, Work())
    deep = "".join('[{"]}":' for _ in range(41)) + text + "}]" * 41
    with pytest.raises(TooLarge, match="nested too deeply"):
        check_text(deep, Work())
    with pytest.raises(TooLarge, match="nested too deeply"):
        check_text(f'["[{{",{text},' + "[" * 100, Work())


@pytest.mark.parametrize(
    "text", ["]" * 10**6 + "[" * 200, "[}" * 10**5, '"' + "[" * 60, "\ud800[", '"\\"[[[[']
)
def test_what_is_not_balanced_is_left_to_the_reader_of_json(text: str) -> None:
    check_text(text, Work())
    with pytest.raises(checker.Malformed, match="not JSON"):
        checker.check(FORKED, text)


# --- the work of a check --------------------------------------------------------------------------------


def test_work_is_counted_before_it_is_done() -> None:
    work = Work()
    work.spend(limits.STEPS - 4)
    work.spend(1, 1023, 1023)
    work.spend(1, 1024, 0)
    work.spend(1)
    with pytest.raises(TooLarge, match=r"^too large to check: the check takes more than 100000000 steps$"):
        work.spend(1)
    with pytest.raises(TooLarge):
        Work().spend(1, 1024 * 9_999, 1024 * 10_000)
    work = Work()
    work.hold(2**20, 0)
    work.keep(2**20 - 1, 0)
    work.hold(1, 0)
    with pytest.raises(TooLarge, match=r"more than 134217728 bytes of memory$"):
        work.hold(1, 8)
    work = Work()
    work.keep(2**20, 0)
    work.release(1, 8)
    work.keep(1, 8)


def test_longer_texts_buy_more() -> None:
    with pytest.raises(TooLarge, match="more than 100300000 steps"):
        Work(1000).spend(100_300_001)
    with pytest.raises(TooLarge, match="more than 4000000000 steps"):
        Work(10**9).spend(4 * 10**9 + 1)
    with pytest.raises(TooLarge, match=f"more than {2**27 + 10**6} bytes"):
        Work(1000).keep(1, 2**31)
    with pytest.raises(TooLarge, match=f"more than {2**32} bytes"):
        Work(10**9).keep(1, 2**36)


@pytest.mark.parametrize("quantity", ["bd", "ld"])
def test_words_that_are_too_many_are_refused(quantity: str) -> None:
    """64 labels of a chain that forks: 2^64 words."""
    refused(document(FORKED, words=64, quantity=quantity), "the check takes more than")
    assert checker.check(FORKED, document(FORKED, words=10, quantity=quantity)).lower_records == 0


STATES = [f"s{k}" for k in range(6)]


def long_records(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Records that multiply a long numerator by values over many different denominators."""
    monkeypatch.setattr(limits, "BYTES", 6_000)
    monkeypatch.setattr(limits, "BYTES_A_CHARACTER", 0)
    pairs = [(0, 2), (0, 4), (2, 4), (1, 3), (1, 5), (3, 5)]
    nothing = [[], [k for state in range(6) for k in (state, 11)]]
    upper = [
        {"pair": pair, "over": 10**300 + k, "value": 10**305, "forward": nothing, "backward": nothing}
        for k, pair in enumerate(pairs)
    ]
    upper[0]["forward"] = [
        [k for i, j in pairs for k in (i, j, 10**300)],
        [k for i in range(6) for k in (i, 10**302)],
    ]
    return FORKED, document(FORKED, states=STATES, upper=upper)


def many_pairs(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Functions that name a state and leave all others of its label to a rest."""
    monkeypatch.setattr(limits, "BYTES", 1_000)
    monkeypatch.setattr(limits, "BYTES_A_CHARACTER", 0)
    f = {"over": 1000, "f": [0, 1, 1, 1], "rest": {}, "pairs": [1, 3, 0]}
    return FORKED, document(FORKED, states=STATES, words=2, lower=[{"functions": [f], "escapes": []}])


@pytest.mark.parametrize("attempt", [long_records, many_pairs])
def test_other_ways_to_ask_for_too_much(
    attempt: Callable[[pytest.MonkeyPatch], tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, certificate = attempt(monkeypatch)
    refused(certificate, "the check takes more than", model)


@pytest.mark.parametrize("limit", ["STEPS", "BYTES"])
@pytest.mark.parametrize("folder", ["accepted", "rejected"])
def test_a_limit_changes_no_verdict(folder: str, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With less and less to spend, a certificate becomes too large, and nothing else."""
    refusals = 0
    for path in DISTANCES.files(folder):
        model = DISTANCES.model_of(path)
        for budget in (0, 3, 10, 30, 100, 1000):
            monkeypatch.setattr(limits, limit, budget)
            monkeypatch.setattr(limits, f"{limit}_A_CHARACTER", 0)
            try:
                checker.check(model, path.read_text(encoding="utf-8"))
                assert folder == "accepted"
            except checker.Rejected:
                assert folder == "rejected"
            except TooLarge:
                refusals += 1
    assert refusals > 100
