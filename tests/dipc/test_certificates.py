"""Certificates of programs, made by hand: accepted, and changed in every place.

The closed forms in them were worked out on paper, and so were those of ``DISTRIBUTIONS`` below, in floating
point. Accepted files are changed, one thing at a time: what is accepted then must still be true.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, combinations
from math import exp, inf
from pathlib import Path
from typing import Any

import pytest

import bdist
from bdist import checker
from bdist.checker.core import limits
from bdist.checker.dipc.proof import ProgramReport
from tests.certificates.hand_made import PROGRAMS, Document
from tests.cli.runner import run_bdist

HERE = Path(__file__).parent
Distribution = dict[str, float]  # from outputs, as JSON texts


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PROGRAMS.files("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    report = checker.check_program(PROGRAMS.model_of(path), text)
    document = json.loads(text)
    assert report.holds == (document["answer"] == "holds")
    assert report.factor == Fraction(document["factor"])
    assert report.delta == tuple((Fraction(k), tuple(map(Fraction, row))) for k, row in document["delta"])
    low, high, *belong = document["interval"]
    assert report.epsilons == (Fraction(low), None if high is None else Fraction(high), *belong)
    assert (report.counterexample is None) == report.holds
    assert report.inputs == len(document["table"])
    assert report.pairs == (2 if report.holds else 1)
    assert is_true(path.stem.split("--")[-1], document)


# --- changes ------------------------------------------------------------------------------------------


def laplace(x: float) -> float:
    """P(noise ≤ x) for the density e^(−|x|)/2."""
    return exp(x) / 2 if x < 0 else 1 - exp(-x) / 2


def _two(first: str, p: float, second: str) -> Distribution:
    return {first: p, second: 1 - p}


def _svt(x: int, e: float) -> Distribution:
    above = 1 - (2 / 3 * exp(-e / 4) - 1 / 6 * exp(-e / 2)) if x else 1 / 2
    return _two('["1"]', above, '["0"]')


def _response(x: int, p: float) -> Distribution:
    return _two(f'["{x}"]', p, f'["{1 - x}"]')


DISTRIBUTIONS: dict[str, Callable[[int, float], Distribution]] = {
    "response": lambda x, e: _response(x, 1 / (1 + exp(-e))),
    "noisy": lambda x, e: _two("[true]", laplace(e * (1 / 2 - x)), "[false]"),
    "svt": _svt,
    "integer": lambda x, e: _two("[true]", 1 / (1 + exp(e if x else -e)), "[false]"),
    "mechanism": lambda x, e: _response(x, 1 / (1 + exp(-e / 2))),
    "again": lambda x, e: _response(x, 1 / (1 + exp(-e))),
    "flips": lambda x, e: _response(x, 1 / (2 + exp(e))),
    "leaky": lambda x, e: _response(x, 101 / 200),
    "steps": lambda x, e: {
        '["0"]': laplace(-e * x),
        '["1"]': laplace(e * (1 - x)) - laplace(-e * x),
        '["2"]': 1 - laplace(e * (1 - x)),
    },
    "taper": lambda x, e: _response(x, 1 / 2 + e / 4),
    "wait": lambda x, e: {'["0"]': 1.0},
    "apart": lambda x, e: {"[true]" if x == 3 else "[false]": 1.0},
}


def is_true(model: str, document: Document) -> bool:
    """Whether what a document claims holds, in floating point, at some ε of the interval."""
    low, high, *_ = document["interval"]
    first, last = float(Fraction(low)), inf if high is None else float(Fraction(high))
    if document["answer"] == "violated":
        u, v, outputs, e = document["counterexample"]
        at = float(Fraction(e))
        sets = [[json.dumps(output) for output in outputs]]
        return (
            first <= at <= last
            and excess(model, document, (float(Fraction(u[0])), float(Fraction(v[0]))), at, sets) > 0
        )
    every = [json.dumps(output) for _, row, _ in document["table"] for output, _ in row]
    sets = [list(s) for s in chain.from_iterable(combinations(set(every), n) for n in range(4))]
    points = [first + (min(last, first + 12) - first) * i / 40 for i in range(1, 40)] + [
        first + 1e-3,
        first + 1e-2,
    ]
    return all(
        excess(model, document, pair, e, sets) <= 1e-9
        for e in points
        if first < e <= last
        for pair in ((0.0, 1.0), (1.0, 0.0))
    )


def excess(
    model: str, document: Document, pair: tuple[float, float], e: float, sets: list[list[str]]
) -> float:
    """The most by which the privacy is violated, over sets of outputs."""
    p, q = (DISTRIBUTIONS[model](int(x), e) for x in pair)
    factor = exp(float(Fraction(document["factor"])) * e)
    delta = sum(
        float(Fraction(c)) * e**j * exp(float(Fraction(k)) * e)
        for k, row in document["delta"]
        for j, c in enumerate(row)
    )
    return max(sum(p.get(o, 0) - factor * q.get(o, 0) for o in s) for s in sets) - delta


def changes(value: Any) -> Iterator[Any]:
    """The value with one thing changed, in each place and in a few ways."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, str):
        try:
            number = Fraction(value)
        except ValueError:
            yield {"holds": "violated", "chain": "point", "cover": "chain"}.get(value, value + "0")
        else:
            yield from (str(number + 1), str(-number), str(number / 2))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield value[:i] + value[i + 1 :]
            yield [*value[: i + 1], *value[i:]]
            for changed in changes(part):
                yield [*value[:i], changed, *value[i + 1 :]]
        if value:
            yield value[::-1]
    elif isinstance(value, dict):
        for name, part in value.items():
            for changed in changes(part):
                yield {**value, name: changed}


def test_every_change_that_makes_a_claim_false_is_rejected() -> None:
    rng = random.Random(1)  # noqa: S311
    counts = {"accepted": 0, "refused": 0}
    for path in PROGRAMS.files("accepted"):
        name, document = path.stem.split("--")[-1], json.loads(path.read_text(encoding="utf-8"))
        model, changed = PROGRAMS.model_of(path), list(changes(document))
        for other in rng.sample(changed, min(30, len(changed))):
            if PROGRAMS.outcome(model, other) == "accepted":
                counts["accepted"] += 1
                assert is_true(name, other), other
            else:
                counts["refused"] += 1
    assert counts["refused"] > 400
    assert counts["accepted"] > 25  # such as rows in another order, and a larger denominator of nothing


@pytest.mark.parametrize("stem", [path.stem for path in PROGRAMS.files("accepted")])
def test_no_probability_can_be_changed(stem: str) -> None:
    """Coefficients and exponents of each probability, and number of visits, that the table names."""
    document, model = PROGRAMS.accepted(stem), PROGRAMS.model_of(stem.split("--")[-1])
    met = "never-met" not in stem  # all states of loops are, but one
    used = {
        index for _, row, visits in document["table"] for _, index in (*row, *visits[: None if met else 0])
    }
    for index in used:
        changed_ways = list(changes(document["probabilities"][index]))
        for changed in changed_ways[:: len(changed_ways) // 16 + 1]:
            other = copy.deepcopy(document)
            other["probabilities"][index] = changed
            if PROGRAMS.outcome(model, other) == "accepted":
                assert changed[::-1] == document["probabilities"][index] or all(
                    Fraction(a) == Fraction(b)
                    for a, b in zip(
                        _rationals(changed), _rationals(document["probabilities"][index]), strict=True
                    )
                )


def _rationals(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [text for part in value for text in _rationals(part)]


# --- as a user runs it --------------------------------------------------------------------------------


def test_the_library_and_the_command_line(tmp_path: Path) -> None:
    model, path = HERE / "models" / "noisy.dip", HERE / "accepted" / "by-factors--noisy.json"
    report = bdist.check(model, path)
    assert isinstance(report, ProgramReport)
    assert (report.holds, report.interval, report.inequalities) == (True, "(0, inf)", 2)
    done = run_bdist(*map(str, ("check", model, path)))
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "accepted  (1 epsilon, 0)-differentially private for every epsilon in (0, inf)",
        "          2 inputs, 2 pairs of neighbours, 2 probabilities, 2 inequalities checked",
    ]
    flips = HERE / "accepted" / "at-one--flips.json"
    found = json.loads(run_bdist(*map(str, ("check", "--json", HERE / "models" / "flips.dip", flips))).stdout)
    assert found["counterexample"] == {"input": ["0"], "neighbour": ["1"], "outputs": [["1"]], "epsilon": "1"}
    leaky = HERE / "accepted" / "with-delta--leaky.json"
    done = run_bdist(*map(str, ("check", HERE / "models" / "leaky.dip", leaky)))
    assert done.stdout.splitlines()[:2] == [
        "accepted  (0 epsilon, delta)-differentially private for every epsilon in (0, inf)",
        "          with delta = 1/100",
    ]
    rejected = HERE / "rejected" / "privacy--no-delta--leaky.json"
    done = run_bdist(*map(str, ("check", HERE / "models" / "leaky.dip", rejected)))
    assert (done.returncode, done.stdout[:19]) == (1, "rejected at privacy")


# --- limits -------------------------------------------------------------------------------------------


def test_too_large_is_not_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    document = PROGRAMS.accepted("by-chains--svt")
    monkeypatch.setattr(limits, "STEPS", 1000)
    monkeypatch.setattr(limits, "STEPS_A_CHARACTER", 0)
    with pytest.raises(checker.TooLarge, match="steps"):
        checker.check_program(PROGRAMS.model_of("svt"), json.dumps(document))


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ("n := 2; for i in 1..40 { n := n * n; } y := 0;", "bits|steps"),
        (
            "k ~ DLap(eps, 0); l ~ DLap(eps, 0); y := 0; if 2*k <= 3*l and 5*k >= l { y := 1; }",
            "factors that remainders do not make 1",
        ),
        (
            "for i in 1..18 { b[i] ~ choose {0: 1, 1: 1}; } y := "
            + " + ".join(f"b[{i}]" for i in range(1, 19))
            + ";",
            "steps|memory",
        ),
    ],
)
def test_programs_that_are_too_large(monkeypatch: pytest.MonkeyPatch, statements: str, why: str) -> None:
    from bdist.checker.core.limits import Work
    from bdist.checker.dipc.program import read_program

    monkeypatch.setattr(limits, "STEPS", 10**6)
    monkeypatch.setattr(limits, "BYTES", 2**23)
    text = f"domain {{0, 1}}; input x; output y; adjacent linf 1; {statements}"
    document = {
        **PROGRAMS.accepted("by-chains--response"),
        "program": read_program(text, Work()).fingerprint(),
        "kept": [["x", *(f"b[{i}]" for i in range(1, k))] for k in range(1, 19)] if "choose" in text else [],
    }
    with pytest.raises(checker.TooLarge, match=why):
        checker.check_program(text, json.dumps(document))


@pytest.mark.parametrize(
    "changed",
    [
        {"delta": [[f"1/{10**500 - i}", ["1"]] for i in range(50)]},
        {"inequalities": [[[["0", ["1"] * 1200], ["1", ["-1"] * 1200]], ["cover", ["1"]]]]},
        {"factor": "1" * 1_000_001},
    ],
)
def test_documents_that_are_too_large(changed: Document) -> None:
    document = {**PROGRAMS.accepted("by-chains--steps"), **changed}
    with pytest.raises(checker.TooLarge):
        checker.check_program(PROGRAMS.model_of("steps"), json.dumps(document))
