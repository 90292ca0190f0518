"""Certificates of distances, made by hand: what accepted ones prove, and texts that are no file.

The models in ``models/`` are small enough that the distances in their comments can be followed on paper. The
rejected and malformed ones are in ``test_hand_made.py``, with those of the theories.
"""

from __future__ import annotations

import contextlib
import gc
import json
from fractions import Fraction
from pathlib import Path

import pytest

from bdist import checker
from tests.certificates.hand_made import DISTANCES


def fork(**members: object) -> str:
    """The accepted certificate of fork.lmc as a text, with other members."""
    return json.dumps(DISTANCES.accepted("exact--fork") | members)


@pytest.mark.parametrize("path", DISTANCES.files("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    report = DISTANCES.check(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert report.quantity == document["quantity"]
    assert report.alpha == Fraction(document["alpha"])
    assert report.upper_records == len(document["upper"])
    assert report.lower_records == len(document["lower"])
    assert report.partition == ("partition" in document)
    claims = [(list(claim.pair), claim.lower, claim.upper) for claim in report.claims]
    assert claims == [
        (claim["pair"], Fraction(claim["lower"]), Fraction(claim["upper"])) for claim in document["claims"]
    ]


@pytest.mark.parametrize("text", ["[" * 200_000, '{"claims":' * 200_000, '{"upper": [' * 100_000])
def test_refuses_deep_nesting(text: str) -> None:
    with pytest.raises(checker.Malformed, match="nested too deeply"):
        checker.check(DISTANCES.model_of("fork"), text)


def test_names_the_place_of_a_nested_value_without_walking_into_it() -> None:
    nested: object = []
    for _ in range(60):
        nested = [nested]
    with pytest.raises(checker.Malformed, match=r"^alpha: .* found an array of 1$"):
        checker.check(DISTANCES.model_of("fork"), fork(alpha=nested))


def test_reads_numbers_of_a_hundred_thousand_digits() -> None:
    many = "7" * 100_000
    claim = {"pair": ["a", "b"], "lower": f"-{many}/3", "upper": f"1{many}/{many}"}
    (accepted,) = checker.check(DISTANCES.model_of("fork"), fork(claims=[claim])).claims
    sevens = 7 * (10**100_000 - 1) // 9
    assert accepted.lower == Fraction(-sevens, 3)
    assert accepted.upper == Fraction(10**100_000 + sevens, sevens)
    assert checker.rational_text(accepted.lower) == f"-{many}/3"


def test_shortens_long_numbers_in_a_reason() -> None:
    third = "3" * 9000
    claim = {"pair": ["a", "b"], "lower": f"{third}/1{'0' * 9000}", "upper": "1"}
    with pytest.raises(checker.Rejected) as caught:
        checker.check(DISTANCES.model_of("fork"), fork(claims=[claim]))
    assert caught.value.step == "claim-lower"
    assert "0.333333333333... > 1/5" in caught.value.reason
    assert len(caught.value.reason) < 200


def test_accepts_and_refuses_long_ranks() -> None:
    lower = json.loads(fork())["lower"]
    text = fork().replace('"rank": 1', f'"rank": {"9" * 5000}')
    assert checker.check(DISTANCES.model_of("fork"), text).lower_records == len(lower)
    with pytest.raises(checker.Malformed, match=r"lower\[0\]\.rank: expected an integer of at least 1"):
        checker.check(DISTANCES.model_of("fork"), text.replace('"rank": ', '"rank": -'))


def test_unreadable_model_is_reported_before_the_certificate() -> None:
    with pytest.raises(checker.BadModel, match="line 1: "):
        checker.check("", "")


@pytest.mark.parametrize("text", [fork(), fork(claims=[]), "{"])
def test_leaves_the_collector_of_garbage_as_it_was(text: str) -> None:
    """Reading pauses it, as that is half of the time for a long certificate."""
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            with contextlib.suppress(checker.Malformed):
                checker.check(DISTANCES.model_of("fork"), text)
            assert gc.isenabled() == enabled
        finally:
            gc.enable()
