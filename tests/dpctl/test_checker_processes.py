"""Certificates of dpCTL* formulas on Markov decision processes: files, mutations of them, and the reader.

Rejected and malformed files are in ``tests/certificates/test_hand_made.py``, random processes in
``test_checker_random.py``.

Whatever is done to a certificate, what is accepted afterwards has to be true. The truth is known for these
files, as the processes are small: for each state the values of the formulas, by hand. So each accepted file
is changed in its numbers, names and lists, one at a time, and every claim of what still passes is compared.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist import checker
from bdist.checker.dpctl import mdp as checker_mdp
from bdist.checker.dpctl.mdp import read_decision_process
from tests.certificates.hand_made import PROCESSES
from tests.cli.runner import CHECKER, run_checker

Formula = list[Any]


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PROCESSES.files("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    report = PROCESSES.check(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert [list(report.holds), list(report.violated)] == [document["holds"], document["violated"]]
    assert report.parts == len(document["parts"])
    claimed = [claim for part in document["parts"] for claim in part["extremes"]]
    assert [[s, str(low), str(high)] for _, s, low, high in report.extremes] == claimed
    claimed = [claim for part in document["parts"] for claim in part["queries"]]
    assert [[s, list(actions), str(p)] for _, s, actions, p in report.queries] == claimed
    assert (report.neighbours, report.states, report.actions) == (len(document["neighbours"]), 5, 2)
    assert report.formula[0] == document["formula"][0]


@pytest.mark.parametrize(
    ("certificate", "code", "lines"),
    [
        (
            "accepted/until-d--loop",
            0,
            [
                'accepted: about the formula ["D", ["ln", "3"], "0", ["until", ["true"], ["atom", "goal"]]]',
                "accepted: it holds in v, g, o",
                "accepted: it is violated in s",
                "checked: a decision process with 5 states and 2 actions, 2 pairs of neighbours",
            ],
        ),
        (
            "accepted/tight--cross",
            0,
            [
                'accepted: about the formula ["and", ["D", ["ln", "1"], "1/10", ["next", ["atom", "p"]]], '
                '["D", ["ln", "2"], "0", ["next", ["atom", "p"]]]]',
                "accepted: it holds in s, t",
                'accepted: from s, ["next", ["atom", "p"]] has the probability 9/10, with the actions a',
                'accepted: from t, ["next", ["atom", "p"]] has the probability 4/5, with the actions a',
                'accepted: from t, ["next", ["atom", "p"]] has the probability 1/5, with the actions b',
                'accepted: from s, ["next", ["atom", "p"]] has the probability 1/10, with the actions b',
                "checked: a decision process with 5 states and 2 actions, 1 pairs of neighbours",
            ],
        ),
        (
            "accepted/path-nested--cross",
            0,
            [
                'accepted: about the formula ["next", ["P", ">=", "1/5", ["next", ["atom", "p"]]]]',
                'accepted: from s, ["next", ["P", ">=", "1/5", ["next", ["atom", "p"]]]] has a probability '
                "of 1/10 to 9/10, over all schedulers",
                "checked: a decision process with 5 states and 2 actions, 1 pairs of neighbours",
            ],
        ),
        (
            "accepted/nothing-claimed--cross",
            0,
            [
                'accepted: about the formula ["D", "0", "0", ["next", ["atom", "p"]]]',
                "accepted: nothing is claimed",
                "checked: a decision process with 5 states and 2 actions, 1 pairs of neighbours",
            ],
        ),
        (
            "rejected/neighbours--unknown--cross",
            1,
            ["rejected at neighbours: neighbours[1] names q, not a state of the model"],
        ),
        ("malformed/not-json--cross", 4, []),
    ],
)
def test_the_command_knows_decision_processes(certificate: str, code: int, lines: list[str]) -> None:
    verdict, name = certificate.split("/")
    path = PROCESSES.folder(verdict) / f"{name}.json"
    done = run_checker(CHECKER, PROCESSES.model_path(path), path)
    assert (done.returncode, done.stdout.splitlines()) == (code, lines)


# --- the reader ---------------------------------------------------------------------------------------


def test_the_canonical_form() -> None:
    text = """
mdp "a name"   # comment
actions b, "*",
  a
sink sink
"sink" * -> 1 sink
y ["l,m"]
sink [x]
y "*" -> 0.5 y, 1/2 "sink", 0 y2
y2 [x]
"""
    to_sink = '[["sink","1"]]'
    expected = (
        '["mdp",["*","a","b"],['
        f'["sink","x",[{to_sink},{to_sink},{to_sink}]],'
        f'["y","l,m",[[["sink","1/2"],["y","1/2"]],{to_sink},{to_sink}]],'
        f'["y2","x",[{to_sink},{to_sink},{to_sink}]]]]'
    )
    model = read_decision_process(text)
    assert "".join(model.canonical_parts()) == expected
    assert model.fingerprint() == hashlib.sha256(expected.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the keyword 'mdp' and perhaps a name; found the end of the line"),
        ("lmc", "line 1: expected the keyword 'mdp' and perhaps a name; found lmc"),
        ('"mdp"', 'line 1: expected the keyword \'mdp\' and perhaps a name; found "\\"mdp\\""'),
        ("mdp a b", "line 1: expected the end of the statement; found b"),
        ("mdp\nactions a\n", "line 3: the file ends without actions, or without a state"),
        ("mdp\ns [x]", "line 2: the file ends without actions, or without a state"),
        ("mdp\nactions a\nactions b", "line 3: actions are declared twice"),
        ("mdp\nactions a, b,\n a", "line 3: action a is declared twice"),
        ("mdp\nactions", "line 2: expected a name; found the end of the line"),
        ("mdp\nactions *", 'line 2: expected a name; found "*"'),
        ("mdp\nactions a b", "line 2: expected the end of the statement; found b"),
        ("mdp\nactions a,", "line 2: expected a name; found the end of the line"),
        ("mdp\nactions a\nsink t\ns [x]", "line 3: the state t is not declared"),
        ("mdp\nactions a\nsink s\nsink s\ns [x]", "line 4: a sink is declared twice"),
        ("mdp\nactions a\nsink a -> 1 sink", 'line 3: expected the end of the statement; found "-> 1 sink"'),
        ("mdp\nactions a\ns [x]\ns [x]", "line 4: state s is declared twice"),
        ("mdp\nactions a\ns [x] -> 1 s", 'line 3: expected the end of the statement; found "-> 1 s"'),
        ("mdp\nactions a\ns [x", 'line 3: expected an action; found "[x"'),
        ("mdp\nactions a\ns []", 'line 3: expected an action; found "[]"'),
        ("mdp\nactions a\ns [x]", "line 3: state s has no transition for a, and there is no sink"),
        ("mdp\ns [x]\ns a -> 1 s\nactions a", "line 3: a transition stands before the actions"),
        ("mdp\nactions a\ns [x]\ns b -> 1 s", "line 4: the action b is not declared"),
        ("mdp\nactions a\ns [x]\ns -> 1 s", "line 4: the action - is not declared"),
        ("mdp\nactions a\ns [x]\ns a", "line 4: expected ->; found the end of the line"),
        ("mdp\nactions a\ns [x]\ns a -> 1 s\ns a -> 1 s", "line 5: state s has two transitions for a"),
        ("mdp\nactions a\ns [x]\ns * -> 1 s\ns * -> 1 s", "line 5: state s has two transitions for *"),
        ("mdp\nactions a\ns [x]\ns a -> 1 t", "line 4: the state t is not declared"),
        ("mdp\nactions a\ns [x]\ns a -> 1 s, 0 t", "line 4: the state t is not declared"),
        ("mdp\nactions a\ns [x]\nr a -> 1 s", "line 4: the state r is not declared"),
        ("mdp\nactions a\ns [x]\ns a -> 1/2 s, 1/2 s", "line 4: the target s stands twice in one row"),
        ("mdp\nactions a\ns [x]\ns a -> 1/2 s", "line 4: the row of state s and action a sums to 1/2, not"),
        ("mdp\nactions a\ns [x]\ns * -> 2 s", "line 4: the row of state s and action * sums to 2, not to 1"),
        ("mdp\nactions a\ns [x]\ns a -> -1 s", "line 4: the probability -1 is negative"),
        ("mdp\nactions a\ns [x]\ns a -> one s", "line 4: one "),
        ("mdp\nactions a\ns [x]\ns a -> 1 s s", "line 4: expected the end of the statement; found s"),
        ('mdp\nactions a\ns ["x]', 'line 3: expected an action; found "[\\"x]"'),
        ("mdp\nactions a\ns {x}", 'line 3: expected an action; found "{x}"'),
        ("mdp\nactions a\ns/t [x]", 'line 3: expected an action; found "/t [x]"'),
        ('mdp\nactions a\n"\x01" [x]', "line 3: the name "),
    ],
)
def test_the_reader_refuses(text: str, message: str) -> None:
    with pytest.raises(checker.BadModel) as caught:
        read_decision_process(text)
    assert str(caught.value).startswith(message)
    assert str(caught.value).isprintable()


def test_a_short_text_may_not_stand_for_too_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker_mdp, "MOST_ENTRIES", 11)
    text = "mdp\nactions a, b, c\ns [x]\nt [x]\ns * -> 1/2 s, 1/2 t\nt * -> 1/2 s, 1/2 t\n"
    with pytest.raises(checker.BadModel, match="line 4: the rows up to here have more than 11 entries"):
        read_decision_process(text)


# --- mutations ----------------------------------------------------------------------------------------

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
MOST = 60  # changes of one file, out of up to 700
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


@pytest.mark.parametrize("path", PROCESSES.files("accepted"), ids=lambda path: path.stem)
def test_what_passes_is_true(path: Path) -> None:
    model = path.stem.split("--")[-1]
    text = PROCESSES.model_of(model)
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
