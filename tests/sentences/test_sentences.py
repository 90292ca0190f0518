"""Is every sentence true? Random chains whose truth is known, commands that are cut short or are not.

Each command is run in this process and everything that it says is read, as text and as JSON (`sentences`,
`members`). A run is cut short after a number of looks at its budget, never by the clock: the clock is not
asked at all.
"""

from __future__ import annotations

import itertools
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bdist.budget import Budget
from bdist.chains.formats import lmc
from bdist.traces import attack
from tests.cli.runner import document_of, run_bdist
from tests.sentences import members, sentences
from tests.sentences.sentences import Claim, Reading
from tests.sentences.truth import Truth, truths

FEW = st.sampled_from([0, 1, 2, 4, 8, 16, 40])
ALPHAS = st.sampled_from([Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(5)])
THETAS = st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 6), Fraction(1, 2), Fraction(99, 100)])
MANY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

Members = Callable[[Reading, dict[str, Any], int], None]


@contextmanager
def looks(most: int | None) -> Iterator[None]:
    """Every budget is used up after so many looks at budgets, or never.

    Tests that count read a hundred labels at most: whoever follows all words has to read them, too.
    """
    count = itertools.count(1)

    def exhausted(self: Budget) -> str | None:
        return f"limit of {most} looks reached" if most is not None and next(count) > most else None

    with mock.patch.object(Budget, "exhausted", exhausted), mock.patch.object(attack, "_HORIZONS", (10, 100)):
        yield


def _run(truth: Truth, most: int | None, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """One run, in a folder of its own, since audits keep journals."""
    with tempfile.TemporaryDirectory() as folder, looks(most):
        path = Path(folder) / "chain.lmc"
        path.write_text(lmc.write(truth.chain), encoding="utf-8")
        return run_bdist(arguments[0], str(path), *arguments[1:], cwd=Path(folder))


def hold(
    truth: Truth,
    most: int | None,
    arguments: list[str],
    reading: Callable[[], Reading],
    taught: list[tuple[str, Claim]],
    expected: Members,
) -> tuple[Reading, int]:
    """Run a command twice, as text and as JSON, and hold all that it says against the truth."""
    most = 40 if most is None and truth.endless else most
    text, document = (_run(truth, most, [*arguments, *more]) for more in ([], ["--json"]))
    assert text.returncode in (0, 1, 3), text.stderr
    said = reading()
    said.read(text.stdout.splitlines(), taught)
    expected(reading(), document_of(document), document.returncode)
    assert text.returncode == document.returncode
    return said, text.returncode


@given(truths(), ALPHAS, st.none() | FEW)
@MANY
def test_attack(truth: Truth, alpha: Fraction, most: int | None) -> None:
    arguments = ["attack", *truth.pair, "--alpha", str(alpha), "--runs", "0"]
    said, code = hold(truth, most, arguments, lambda: Reading(truth, alpha), sentences.ATTACK, members.attack)
    assert code == (3 if said.said.get("answer") == "unknown" else 0)


@given(truths(), ALPHAS, st.none() | FEW, st.sampled_from(["bd", "tv"]))
@MANY
def test_delta(truth: Truth, alpha: Fraction, most: int | None, quantity: str) -> None:
    arguments = ["delta", *truth.pair, "--alpha", str(alpha), "--quantity", quantity]
    hold(truth, most, arguments, lambda: Reading(truth, alpha), sentences.DELTA, members.delta)


@given(truths(), ALPHAS, THETAS, st.none() | FEW, st.booleans())
@MANY
def test_audit(truth: Truth, alpha: Fraction, theta: Fraction, most: int | None, distances: bool) -> None:
    pair = ["--pairs", ":".join(truth.pair)]
    arguments = ["audit", *pair, "--alpha", str(alpha), "--delta", str(theta), "--jobs", "1"]
    arguments += ["--distances"] if distances else []
    said, code = hold(
        truth, most, arguments, lambda: Reading(truth, alpha, theta), sentences.AUDIT, members.audit
    )
    assert code == {"holds": 0, "violated": 1, "unknown": 3}[str(said.said["answer"])]


@given(truths(), st.none() | FEW)
@MANY
def test_curve(truth: Truth, most: int | None) -> None:
    arguments = ["curve", *truth.pair, "--epsilon", "0..1", "--points", "3"]
    said, code = hold(truth, most, arguments, lambda: Reading(truth), sentences.CURVE, members.curve)
    assert code == (3 if said.said.get("limit") else 0)


@given(truths(), ALPHAS, THETAS, st.none() | FEW)
@MANY
def test_profile(truth: Truth, alpha: Fraction, theta: Fraction, most: int | None) -> None:
    arguments = [
        "profile",
        *truth.pair,
        "--alpha",
        str(alpha),
        "--delta",
        str(theta),
        "--renyi",
        "2",
        "--zcdp",
    ]
    hold(truth, most, arguments, lambda: Reading(truth, alpha, theta), sentences.PROFILE, members.profile)


@given(truths(), THETAS, st.none() | FEW)
@MANY
def test_epsilon(truth: Truth, theta: Fraction, most: int | None) -> None:
    arguments = ["epsilon", *truth.pair, "--delta", str(theta)]
    said, code = hold(
        truth, most, arguments, lambda: Reading(truth, theta=theta), sentences.EPSILON, members.epsilon
    )
    assert code == (3 if said.said.get("limit") else 0)


@given(truths(), ALPHAS, THETAS, st.none() | FEW)
@MANY
def test_threshold(truth: Truth, alpha: Fraction, theta: Fraction, most: int | None) -> None:
    arguments = ["threshold", *truth.pair, "--alpha", str(alpha), "--theta", str(theta)]
    said, code = hold(
        truth, most, arguments, lambda: Reading(truth, alpha, theta), sentences.THRESHOLD, members.threshold
    )
    assert code == {"holds": 0, "violated": 1, "unknown": 3}[str(said.said["answer"])]


def test_a_sentence_that_nobody_taught_is_a_failure() -> None:
    truth = Truth(None, ("s", "t"), lambda alpha: Fraction(0))  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="nobody taught this test the sentence: 'all is well'"):
        Reading(truth).read(["all is well"], sentences.ATTACK)


def test_what_describes_a_number() -> None:
    third = Fraction(1, 3)
    assert sentences.describes("1/3 = 0.333...", third)
    assert not sentences.describes("1/3 = 0.334...", third)
    assert not sentences.describes("1/3 = 0.333", third)
    assert sentences.describes("-17/10 = -1.7", Fraction(-17, 10))
    assert not sentences.describes("-17/10 = 1.7", Fraction(-17, 10))
    assert sentences.describes("3.33e-8... (a fraction of 12 digits)", third / 10**7)
