"""The verified checker and the one in Python give one verdict, on whatever certificate.

Where they differ, one of them is wrong. What one of them proves about its verdicts is in the folder `proofs`.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bdist import checker
from bdist.budget import Budget
from bdist.certificates.plain import plain_distances
from bdist.certificates.verified import accepts, find_program
from tests.certificates.hand_made import DISTANCES, FORMULAS
from tests.certificates.test_mutations import all_changes
from tests.cli.runner import run_bdist

FILES = [*DISTANCES.files("accepted"), *DISTANCES.files("rejected")]
EACH_KIND = 250  # of the changes of all files


@pytest.fixture(autouse=True, scope="module")
def program() -> None:
    """The program has to be there, where everything has to be."""
    if find_program() is None and not os.environ.get("BDIST_REQUIRE_EVERYTHING"):
        pytest.skip("the verified checker is not built: proofs/build.sh")


def verdict(model: str, certificate: str) -> bool:
    return accepts(plain_distances(model, certificate), Budget())


def by_python(model: str, certificate: str) -> bool | None:
    """Whether it is accepted; None where it never comes to a check."""
    try:
        checker.check(model, certificate)
    except checker.Malformed:
        return None
    except checker.Rejected as rejected:
        return None if rejected.step == "model" else False
    return True


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_one_verdict(path: Path) -> None:
    model, certificate = DISTANCES.model_of(path), path.read_text(encoding="utf-8")
    expected = by_python(model, certificate)
    if expected is None:
        with pytest.raises(checker.Rejected, match="model"):
            verdict(model, certificate)
    else:
        assert verdict(model, certificate) == expected


def changes() -> Iterator[tuple[str, str, Any]]:
    """The kind of a change, the model, and the changed certificate."""
    for path in DISTANCES.files("accepted"):
        document, model = json.loads(path.read_text(encoding="utf-8")), DISTANCES.model_of(path)
        yield from ((kind, model, changed) for kind, changed in all_changes(document))


@pytest.mark.parametrize("kind", ["structure", "number"])
def test_one_verdict_on_changed_certificates(kind: str) -> None:
    every = [(model, changed) for of, model, changed in changes() if of == kind]
    seen = set()
    for model, changed in random.Random(22).sample(every, EACH_KIND):  # noqa: S311 - a sample
        text = json.dumps(changed)
        expected = by_python(model, text)
        if expected is not None:
            assert verdict(model, text) == expected, text
            seen.add(expected)
    assert seen == {True, False}


def test_numbers_out_of_range_are_refused() -> None:
    """Whatever stands in the plain form, the program decides."""
    path = DISTANCES.folder("accepted") / "clock--steps.json"
    words = plain_distances(DISTANCES.model_of(path), path.read_text(encoding="utf-8")).split()
    assert accepts(" ".join(words), Budget())
    for place in range(len(words)):
        for other in ("-1", str(2**62), str(2**200)):
            accepts(" ".join((*words[:place], other, *words[place + 1 :])), Budget())
        assert not accepts(" ".join(words[:place]), Budget())
    assert not accepts(" ".join((*words, "0")), Budget())


def test_a_state_that_is_none_is_not_the_last_one() -> None:
    path = DISTANCES.folder("accepted") / "exact--fork.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for number in (-1, len(document["states"]), 2**62):
        document["lower"][0]["functions"][0]["f"][0] = number
        assert not verdict(DISTANCES.model_of(path), json.dumps(document))


def test_the_command() -> None:
    path = DISTANCES.folder("accepted") / "exact--fork.json"
    done = run_bdist("check", "--verified", str(DISTANCES.model_path(path)), str(path))
    assert done.returncode == 0
    assert "the verified checker accepts it, too" in done.stdout


def test_a_kind_that_it_does_not_know() -> None:
    certificate = FORMULAS.files("accepted")[0]
    done = run_bdist("check", "--verified", str(FORMULAS.model_path(certificate)), str(certificate))
    assert done.returncode == 3
    assert "does not know certificates like this" in done.stdout


def test_doctor_asks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that accepts everything is broken."""
    assert "verified  checker works" in run_bdist("doctor").stdout
    credulous = tmp_path / "bdist-verified"
    credulous.write_text("#!/bin/sh\nexit 0\n", encoding="ascii")
    credulous.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "verified  checker broken: it answers wrongly" in run_bdist("doctor").stdout
