"""What bdist writes: states by number, one record a line, and optional members only where they are used."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from flint import fmpq

from bdist import check, load
from bdist.certificates.document import Certificate, Claim, Function, Potential, Stage, UpperRecord
from bdist.chains.chain import fingerprint

HIDDEN = Path(__file__).parent / "models" / "hidden.lmc"
ONE, QUARTER = Fraction(1), Fraction(1, 4)


def certificate() -> Certificate:
    """Of 1/4 at (a, c), as m and n differ from o in the next label."""
    chain = load(HIDDEN)
    a, c, o = (chain.index(name) for name in ("a", "c", "o"))
    f = Potential.of({o: fmpq(0)}, {"r": fmpq(1, 4)})
    stage = Stage((Function(f, ((a, c, 1),)),))
    claim = Claim(("a", "c"), QUARTER, ONE)
    return Certificate(fingerprint(chain), "bd", ONE, (claim,), (), (stage,), chain.states, words=1)


def test_states_are_numbered_as_they_are_used() -> None:
    document = json.loads(certificate().to_json())
    names = ["format", "version", "quantity", "model", "alpha", "words", "claims", "states", "upper", "lower"]
    assert list(document) == names
    assert (document["version"], document["words"]) == (1, 1)
    (stage,) = document["lower"]
    (function,) = stage["functions"]
    a, c, o = (document["states"].index(name) for name in ("a", "c", "o"))
    assert len(document["states"]) == 3
    assert function == {"over": 4, "f": [o, 0], "rest": {"r": 1}, "pairs": [a, c, 1]}
    assert stage["escapes"] == []


def test_what_is_written_is_proved() -> None:
    (claim,) = check(HIDDEN, certificate()).claims
    assert (claim.pair, claim.lower) == (("a", "c"), QUARTER)


def test_a_record_has_one_denominator() -> None:
    record = UpperRecord.of((0, 1), fmpq(1, 2), [({(0, 1): fmpq(1, 3)}, {2: fmpq(3, 4)})])
    assert (record.over, record.value) == (12, 6)
    assert (record.couplings[0].w, record.couplings[0].b) == (((0, 1, 4),), ((2, 9),))


def test_numbers_may_be_long() -> None:
    long = 10**6000 + 1
    record = UpperRecord((0, 1), long, 1, ())
    text = replace(certificate(), upper=(record,)).to_json()
    assert f'"over": 1{"0" * 5999}1,' in text


def test_sections_are_one_record_a_line() -> None:
    empty = replace(certificate(), lower=(), words=0, partition=(("m", "n"),))
    assert empty.to_json().splitlines() == [
        *["{", '  "format": "bdist-certificate",', '  "version": 1,', '  "quantity": "bd",'],
        *[f'  "model": "{empty.model}",', '  "alpha": "1",', '  "partition": [', '    ["m", "n"]', "  ],"],
        *['  "claims": [', '    {"pair": ["a", "c"], "lower": "1/4", "upper": "1"}', "  ],"],
        *['  "states": [],', '  "upper": [],', '  "lower": []', "}"],
    ]
