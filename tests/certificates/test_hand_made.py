"""Certificates made by hand, of every kind: each has the verdict of its folder, and the message beside it.

What an accepted certificate proves is compared with its document in the folder of its theory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bdist import checker
from tests.certificates.hand_made import KINDS, HandMade

Kind = HandMade[Any]


def each_file(verdict: str) -> list[Any]:
    return [
        pytest.param(kind, path, id=f"{kind.theory}-{kind.part}-{path.stem}")
        for kind in KINDS
        for path in kind.files(verdict)
    ]


@pytest.mark.parametrize(("kind", "path"), each_file("rejected"))
def test_rejects(kind: Kind, path: Path) -> None:
    with pytest.raises(checker.Rejected) as caught:
        kind.check(path)
    assert caught.value.step == path.stem.split("--")[0]
    assert str(caught.value) == f"rejected at {caught.value.step}: {caught.value.reason}"
    assert caught.value.reason.isprintable()
    assert caught.value.reason == kind.messages("rejected", "reasons.txt").get(path.stem, caught.value.reason)


@pytest.mark.parametrize(("kind", "path"), each_file("malformed"))
def test_refuses_malformed(kind: Kind, path: Path) -> None:
    with pytest.raises(checker.Malformed) as caught:
        kind.check(path)
    assert str(caught.value).startswith(kind.messages("malformed", "places.txt")[path.stem])
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.theory}-{kind.part}")
def test_every_message_has_its_file(kind: Kind) -> None:
    assert set(kind.messages("rejected", "reasons.txt")) <= {path.stem for path in kind.files("rejected")}
    assert set(kind.messages("malformed", "places.txt")) == {path.stem for path in kind.files("malformed")}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.theory}-{kind.part}")
def test_every_step_of_the_specification_has_a_rejected_file(kind: Kind) -> None:
    assert kind.specified_steps() == kind.steps
    assert {path.stem.split("--")[0] for path in kind.files("rejected")} == set(kind.steps)
