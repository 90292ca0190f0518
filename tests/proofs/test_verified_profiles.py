"""The verified checker of privacy profiles and the one in Python give one verdict.

The changes of all accepted documents are some 50,000; here are a few hundred of them.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import bdist
from bdist import checker
from bdist.budget import Budget
from bdist.certificates.plain import plain_profile
from bdist.certificates.verified import accepts, find_program
from bdist.chains.families import make_family
from bdist.chains.formats import lmc
from tests.certificates.test_mutations import all_changes
from tests.certificates.test_profile_checker import COINS, SHORT, coins, short, subjects
from tests.cli.runner import run_bdist

CHANGES = 400  # of all documents


@pytest.fixture(autouse=True, scope="module")
def program() -> None:
    """The program has to be there, where everything has to be."""
    if find_program() is None and not os.environ.get("BDIST_REQUIRE_EVERYTHING"):
        pytest.skip("the verified checker is not built: proofs/build.sh")


def made(family: str, values: dict[str, Any], s: str, t: str) -> tuple[str, Any]:
    chain = make_family(family, values)
    certificate = bdist.profile(chain, s, t).certificate
    assert certificate is not None
    return lmc.write(chain), json.loads(certificate.to_json())


def documents() -> list[tuple[str, Any]]:
    """Trees, loops with weights, open leaves, types, grids, futures, and states with different labels."""
    apart = {**short(), "pair": ["s", "u"], "nodes": [], "claim": {"atoms": [["1", "0"], ["0", "1"]]}}
    return [
        *((model.text(), document) for model, document, _ in subjects().values()),
        (SHORT.text(), apart),
        made("dining-cryptographers", {"diners": 3}, "s0", "s1"),
        made("random", {"states": 9, "labels": 2, "seed": 5, "shape": "acyclic"}, "s0", "s1"),
        made("random", {"states": 6, "labels": 2, "seed": 3}, "s0", "s1"),
        made("randomised-response", {"questions": 5}, "yes", "no"),
    ]


def by_python(model: str, certificate: str) -> bool | None:
    try:
        checker.check_profile(model, certificate)
    except checker.Malformed:
        return None
    except checker.Rejected as rejected:
        return None if rejected.step == "model" else False
    return True


def verdict(model: str, text: str) -> bool:
    return accepts(plain_profile(model, text), Budget())


def test_accepted_documents() -> None:
    parts = set()
    for model, document in documents():
        assert verdict(model, json.dumps(document))
        parts |= document.keys()
    assert parts >= {"futures", "visits", "types", "grid"}


def test_one_verdict_on_changed_documents() -> None:
    every = [(model, changed) for model, document in documents() for _, changed in all_changes(document)]
    seen = set()
    for model, changed in random.Random(22).sample(every, CHANGES):  # noqa: S311 - a sample
        text = json.dumps(changed)
        expected = by_python(model, text)
        if expected is not None:
            assert verdict(model, text) == expected, text
            seen.add(expected)
    assert seen == {True, False}


def test_the_command(tmp_path: Path) -> None:
    (model, certificate) = (tmp_path / name for name in ("chain.lmc", "out.json"))
    for chain, document in ((SHORT, short()), (COINS, coins())):
        model.write_text(chain.text(), encoding="utf-8")
        certificate.write_text(json.dumps(document), encoding="utf-8")
        done = run_bdist("check", "--verified", str(model), str(certificate))
        assert done.returncode == 0, done.stdout
        assert "the verified checker accepts it, too" in done.stdout
