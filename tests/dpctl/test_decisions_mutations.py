"""Mutations of certificates about decision processes: no change makes a false claim pass.

Whatever is done to a certificate, what is accepted afterwards has to be true. The truth is known here, as
the processes are small: for each state the values of the formulas, by hand. So each accepted file is changed
in its numbers, names and lists, one at a time, and every claim of what still passes is compared.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist import checker

HERE = Path(__file__).parents[1] / "certificates"
NEXT_P, TO_GOAL = ["next", ["atom", "p"]], ["until", ["true"], ["atom", "goal"]]

# of models/cross.mdp and models/loop.mdp, by hand: the least and the most, and with single actions
EXTREMES = {
    "cross": {"n": "0 0", "s": "1/10 9/10", "t": "1/5 4/5", "y": "1 1", "z": "0 0"},
    "loop": {"g": "1 1", "o": "0 0", "s": "0 1/2", "v": "1/3 2/3", "w": "1 1"},
}
SINGLE = {
    "cross": {"n": "0 0", "s": "9/10 1/10", "t": "4/5 1/5", "y": "1 1", "z": "0 0"},
    "loop": {"g": "1 1", "o": "0 0", "s": "1/2 0", "v": "1/3 2/3", "w": "1 1"},
}
LABELS = {
    "cross": {"n": "q", "s": "start", "t": "start", "y": "p", "z": ""},
    "loop": {"g": "goal", "o": "", "s": "start", "v": "start", "w": "start"},
}
# the likelihood of other formulas is not known here; what is claimed about them must not change
KNOWN = {"cross": NEXT_P, "loop": TO_GOAL}
MOST = 120  # changes of one file, out of up to 700
VALUES = ["0", "1", "1/2", "-1", "2/3", "s", "t", "w", "a", "b", "<=", ">", "true", "next", "until"]


def numbers(text: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, text.split()))


def extremes_of(model: str, path: Any) -> dict[str, tuple[Fraction, ...]] | None:
    if path == KNOWN[model]:
        return {s: numbers(text) for s, text in EXTREMES[model].items()}
    if path == ["not", KNOWN[model]]:
        return {s: tuple(1 - x for x in reversed(numbers(text))) for s, text in EXTREMES[model].items()}
    return None


def single_of(model: str, path: Any, state: str, action: str) -> Fraction:
    value = numbers(SINGLE[model][state])["ab".index(action)]
    return 1 - value if path[0] == "not" else value


def truth(model: str, formula: Any, neighbours: list[list[str]], state: str) -> bool | None:
    """Whether a state satisfies a formula; None where this test does not know."""
    kind = formula[0]
    if kind in ("true", "atom"):
        return kind == "true" or bool(formula[1] == LABELS[model][state])
    if kind == "not":
        inner = truth(model, formula[1], neighbours, state)
        return None if inner is None else not inner
    if kind == "and":
        both = [truth(model, part, neighbours, state) for part in formula[1:]]
        return False if False in both else None if None in both else True
    path = formula[3]
    values = extremes_of(model, path)
    if values is None:
        return None
    if kind == "P":
        low, high = values[state]
        q = Fraction(formula[2])
        return {"<": high < q, "<=": high <= q, ">=": low >= q, ">": low > q}[formula[1]]
    if not isinstance(formula[1], list):
        return None
    base, d = Fraction(formula[1][1]), Fraction(formula[2])
    close = [
        single_of(model, path, x, a) <= base * single_of(model, path, y, a) + d
        for pair in neighbours
        if state in pair
        for x, y in (pair, pair[::-1])
        for a in "ab"
    ]
    if not all(close):
        return False
    # on cross.mdp the first action decides; on loop.mdp others than single actions might tell them apart
    return True if model == "cross" else None


def changed(value: Any) -> Iterator[Any]:
    """A document with one thing changed."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name not in ("format", "version", "model"):
                yield from ({**value, name: other} for other in changed(member))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1 :]] for other in changed(item))
            yield [*value[:place], *value[place + 1 :]]
            yield [*value, item]
    elif isinstance(value, str):
        yield from (other for other in VALUES if other != value)
        yield None
    elif value is None:
        yield from ([], {"*": 1}, ["1", "1", "1", "1", "1"], ["a", "a", "a", "a", "a"])
    else:
        yield from (value + 1, value - 1, None)


@pytest.mark.parametrize(
    "path", sorted((HERE / "accepted" / "decisions").glob("*.json")), ids=lambda p: p.stem
)
def test_what_passes_is_true(path: Path) -> None:
    model = path.stem.split("--")[-1]
    text = (HERE / "models" / f"{model}.mdp").read_text(encoding="utf-8")
    original = json.loads(path.read_text(encoding="utf-8"))
    passed = 0
    mutants = list(changed(original))
    chosen = random.Random(path.stem).sample(mutants, min(MOST, len(mutants)))  # noqa: S311
    for document in (original, *chosen):
        try:
            report = checker.check_decision_process(text, json.dumps(document))
        except (checker.Malformed, checker.Rejected):
            continue
        passed += 1
        formula, neighbours = document["formula"], document["neighbours"]
        for states, verdict in ((report.holds, True), (report.violated, False)):
            for state in states:
                assert truth(model, formula, neighbours, state) in (verdict, None)
        for proved in report.extremes:
            values = extremes_of(model, json.loads(json.dumps(proved.formula, default=str)))
            assert values is None or values[proved.state] == (proved.low, proved.high)
        for query in report.queries:
            path_formula = json.loads(json.dumps(query.formula, default=str))
            if extremes_of(model, path_formula) is not None and query.state in SINGLE[model]:
                first = single_of(model, path_formula, query.state, (*query.actions, "a")[0])
                assert query.probability == first
    assert passed > 0
