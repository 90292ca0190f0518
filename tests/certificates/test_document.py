"""What bdist writes: words and rests where they are used, and nothing of them elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from bdist import check, load
from bdist.certificates.document import Certificate, Claim, LowerRecord
from bdist.chains.chain import fingerprint

HIDDEN = Path(__file__).parent / "models" / "hidden.lmc"
ONE, QUARTER = Fraction(1), Fraction(1, 4)


def certificate() -> Certificate:
    """Of 1/4 at (a, c), as m and n differ from o in the next label."""
    record = LowerRecord(
        pair=("a", "c"),
        value=QUARTER,
        direction="forward",
        f=(("o", Fraction(0)),),
        g=(("o", Fraction(0)),),
        rank=1,
        f_rest=(("r", QUARTER),),
        g_rest=(("r", ONE),),
    )
    claim = Claim(("a", "c"), QUARTER, ONE)
    return Certificate(fingerprint(load(HIDDEN)), "bd", ONE, (claim,), (), (record,), words=1)


def test_words_and_rests_are_written() -> None:
    document = json.loads(certificate().to_json())
    assert list(document) == [
        "format",
        "version",
        "quantity",
        "model",
        "alpha",
        "words",
        "claims",
        "upper",
        "lower",
    ]
    assert (document["version"], document["words"]) == (1, 1)
    (record,) = document["lower"]
    assert list(record) == ["pair", "value", "direction", "f", "g", "rank", "f_rest", "g_rest"]
    assert (record["f_rest"], record["g_rest"]) == ([["r", "1/4"]], [["r", "1"]])


def test_what_is_written_is_proved() -> None:
    (claim,) = check(HIDDEN, certificate()).claims
    assert (claim.pair, claim.lower) == (("a", "c"), QUARTER)


def test_words_and_rests_are_left_out_where_they_are_not_used() -> None:
    with_both = certificate()
    (record,) = with_both.lower
    for f_rest, g_rest, words in [((), (), 0), ((), (), 3), (record.f_rest, (), 0), ((), record.g_rest, 0)]:
        changed = replace(with_both, lower=(replace(record, f_rest=f_rest, g_rest=g_rest),), words=words)
        document = json.loads(changed.to_json())
        assert document["version"] == 1
        assert document.get("words", 0) == words
        assert ("words" in document) == (words > 0)
        (written,) = document["lower"]
        assert ("f_rest" in written, "g_rest" in written) == (bool(f_rest), bool(g_rest))


def test_sections_are_one_record_a_line() -> None:
    empty = replace(certificate(), lower=(), words=0, partition=(("m", "n"),))
    assert empty.to_json().splitlines() == [
        *["{", '  "format": "bdist-certificate",', '  "version": 1,', '  "quantity": "bd",'],
        *[f'  "model": "{empty.model}",', '  "alpha": "1",', '  "partition": [', '    ["m", "n"]', "  ],"],
        *['  "claims": [', '    {"pair": ["a", "c"], "lower": "1/4", "upper": "1"}', "  ],"],
        *['  "upper": [],', '  "lower": []', "}"],
    ]
