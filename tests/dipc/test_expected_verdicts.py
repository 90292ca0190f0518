"""Every committed program has the verdict that its expected values say, and its counterexample is one."""

from __future__ import annotations

import tomllib
from fractions import Fraction

import pytest
from flint import arb

from bdist import dipc
from bdist.exact.fast import fast
from bdist.results import Answer
from tests.cli.runner import ROOT

FOLDER = ROOT / "instances" / "dipc"
EXPECTED = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))["program"]


@pytest.mark.parametrize("expected", EXPECTED, ids=[entry["model"] for entry in EXPECTED])
def test_verdict(expected: dict[str, object]) -> None:
    program = dipc.load(FOLDER / str(expected["model"]))
    found = dipc.decide(program)
    assert found.answer is Answer(expected["answer"])
    assert (found.violation is None) == (found.answer is Answer.HOLDS)


@pytest.mark.parametrize(
    "expected", [entry for entry in EXPECTED if "pair" in entry], ids=lambda entry: str(entry["model"])
)
def test_known_counterexample(expected: dict[str, list[list[str]]]) -> None:
    """P > e^(t eps) P', in balls, for the inputs, the output and the epsilon that the file names."""
    program = dipc.load(FOLDER / str(expected["model"]))
    epsilon = Fraction(str(expected["epsilon"]))
    output = tuple(Fraction(str(value)) for value in expected["output"])
    balls = []
    for point in expected["pair"]:
        forms = dipc.probabilities(program, point)
        balls.append(forms[output].ball(epsilon) if output in forms else None)
    first, second = balls
    assert first is not None
    grown = arb(fast(program.claim.factor * epsilon)).exp()
    assert first > (grown * second if second is not None else 0)


@pytest.mark.parametrize(
    "expected", [entry for entry in EXPECTED if "tight" in entry], ids=lambda entry: str(entry["model"])
)
def test_smallest_factor(expected: dict[str, str]) -> None:
    low, high = dipc.tight(dipc.load(FOLDER / expected["model"]), precision="1/1000").bracket
    tight = Fraction(expected["tight"])
    assert high == tight
    assert low == tight - Fraction(1, 1000)
