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
    assert report.lower_records == sum(len(stage["functions"]) for stage in document["lower"])
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
    text = fork().replace('"rank": 1', f'"rank": {"9" * 5000}')
    assert checker.check(DISTANCES.model_of("fork"), text).lower_records == 1
    place = r"lower\[0\]\.escapes\[0\]\.rank"
    with pytest.raises(checker.Malformed, match=rf"{place}: expected an integer of at least 1"):
        checker.check(DISTANCES.model_of("fork"), text.replace('"rank": ', '"rank": -'))


def test_reads_records_of_many_digits() -> None:
    """Numerators and denominators of a record times a number of 10,000 digits: the same proof."""
    document, factor = DISTANCES.accepted("two-ranks--relay"), int("7" * 4_000) ** 3
    (stage,) = document["lower"]
    for record in document["upper"]:
        record["over"], record["value"] = record["over"] * factor, record["value"] * factor
        for name in ("forward", "backward"):
            w, b = record[name]
            w[2::3], b[1::2] = [x * factor for x in w[2::3]], [x * factor for x in b[1::2]]
    for width, functions in ((3, stage["functions"]), (2, stage["escapes"])):
        for f in functions:
            f["over"] *= factor
            f["f"][1::2] = [x * factor for x in f["f"][1::2]]
            if width == 3:
                f["pairs"][2::3] = [x * factor for x in f["pairs"][2::3]]
    assert checker.check(DISTANCES.model_of("relay"), long_json(document)).upper_records == 2
    stage["functions"][0]["pairs"][2] += 1
    with pytest.raises(checker.Rejected, match="the objective falls short") as caught:
        checker.check(DISTANCES.model_of("relay"), long_json(document))
    assert caught.value.step == "lower-objective"
    assert len(caught.value.reason) < 300


def long_json(value: object) -> str:
    """JSON with integers of any length, which Python does not write."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)}: {long_json(x)}' for key, x in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(long_json, value))}]"
    return checker.rational_text(Fraction(value)) if isinstance(value, int) else json.dumps(value)


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
