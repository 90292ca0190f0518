"""Certificates of dpCTL* formulas on Markov decision processes: files, mutations of them, and the reader.

Files are as for formulas on chains: ``accepted/decisions``, ``rejected/decisions`` and
``malformed/decisions``. A file's name ends in the process it is about, ``models/*.mdp``; a rejected file's
begins with the step that must fail. Random processes are in ``test_checker_random.py``.

Whatever is done to a certificate, what is accepted afterwards has to be true. The truth is known for these
files, as the processes are small: for each state the values of the formulas, by hand. So each accepted file
is changed in its numbers, names and lists, one at a time, and every claim of what still passes is compared.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist import checker
from bdist.checker.dpctl import mdp as checker_mdp
from bdist.checker.dpctl.mdp import read_decision_process
from tests.certificates.certificate_files import CertificateFiles

HERE = Path(__file__).parents[1] / "certificates"
SPECIFICATION = Path(checker.__file__).parents[1] / "dpctl" / "SPEC.md"
Formula = list[Any]


FILES = CertificateFiles(HERE, ".mdp", checker.check_decision_process, "decisions")


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES.all("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    report = FILES.check(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert [list(report.holds), list(report.violated)] == [document["holds"], document["violated"]]
    assert report.parts == len(document["parts"])
    claimed = [claim for part in document["parts"] for claim in part["extremes"]]
    assert [[s, str(low), str(high)] for _, s, low, high in report.extremes] == claimed
    claimed = [claim for part in document["parts"] for claim in part["queries"]]
    assert [[s, list(actions), str(p)] for _, s, actions, p in report.queries] == claimed
    assert (report.neighbours, report.states, report.actions) == (len(document["neighbours"]), 5, 2)
    assert report.formula[0] == document["formula"][0]


@pytest.mark.parametrize("path", FILES.all("rejected"), ids=lambda path: path.stem)
def test_rejects(path: Path) -> None:
    FILES.assert_rejected(path)


@pytest.mark.parametrize(
    ("stem", "reason"),
    [
        (
            "parts--nested-not-known--cross",
            "parts[1] is not empty, and a state formula in its path formula is not known",
        ),
        (
            "parts--next-of-until--loop",
            "parts[0] is not empty, and its path formula is neither bounded, nor an unti",
        ),
        ("values--loop-that-avoids--loop", "parts[0].lower[2], of s: 1/2 > 0, where the goal can be avoided"),
        ("values--upper-below-mean--loop", "parts[0].upper[3], of v: 1/2 < 2/3, the mean after an action"),
        (
            "values--most-loop-of-one--loop",
            "parts[0].most: upper[2], a copy of s: 1 != 0, from where no way leads to a ",
        ),
        ("holds--action-missing--cross", "parts[0].trees[1][2][0] has no node for the action b"),
        ("holds--leaf-above--cross", "parts[0].trees[1][2][2]: at this leaf more than d may be left"),
        (
            "holds--node-backwards--cross",
            "parts[0].trees[0][2][1].b is 0, not the number of a later node, of which th",
        ),
        ("holds--least-below--cross", "parts[0].holds[1], of s: the least value is 1/10 < 1/5"),
        (
            "violated--close--cross",
            "parts[0].violated[0], of s and t: the probabilities 1/10 and 1/5 are close",
        ),
        ("violated--both--cross", "parts[0].violated[1], of s: holds lists it as well"),
        (
            "violated--open--cross",
            "parts[0].violated[0], of s: after 0 actions from s the formula is still ope",
        ),
        (
            "violated--not-attained--loop",
            "parts[0].violated[0], of v: the value need not be attained, as most is null",
        ),
        ("queries--value--cross", "parts[0].queries[1]: 9/10 != 4/5"),
        ("extremes--high--loop", "parts[0].extremes[0], the largest value: 1 != 2/3"),
        ("claims--unknown-and-true--cross", "holds[0], of s: the formula is not known to be true"),
    ],
)
def test_says_what_is_violated(stem: str, reason: str) -> None:
    assert FILES.reason(stem).startswith(reason)


def test_every_step_of_the_specification_has_a_rejected_file() -> None:
    FILES.assert_every_step_fails(SPECIFICATION, 8, checker.DECISION_STEPS)


# where each malformed file is malformed: the beginning of the message
PLACES = {
    "array--cross": "the document: expected an object with format, version, model, neighbou",
    "delta-negative--cross": "formula[2]: a number below 0",
    "extremes-high-null--cross": 'parts[0].extremes[0][2]: expected a rational such as "1/2", as a strin',
    "extremes-low-float--cross": 'parts[0].extremes[0][1]: expected a rational such as "1/2", as a strin',
    "extremes-of-two--cross": "parts[0].extremes[0]: expected an array of 3; found an array of 2",
    "format-of-chains--cross": 'format: expected "bdist-dpctl-mdp-certificate"; found the string "bdis',
    "formula-null--cross": "formula: expected an array; found null",
    "holds-null--cross": "holds: expected an array; found null",
    "holds-number--cross": "holds[0]: expected the name of a state; found the integer 1",
    "least-number--loop": "parts[0].least[0]: expected an action; found the integer 1",
    "lower-string--cross": 'parts[0].lower: expected an array; found the string "0"',
    "member-missing--cross": "the document: the member parts is missing",
    "member-unknown--cross": "the document: unknown member solutions",
    "model-short--cross": 'model: expected a string of 64 hexadecimal digits; found the string "f',
    "most-object--loop": "parts[0].most: expected an array; found an object",
    "neighbours-flat--cross": 'neighbours[0]: expected an array of 2; found the string "s"',
    "not-json--cross": "not JSON at line 1, column 1: Expecting value",
    "part-array--cross": "parts[0]: expected an object with upper, lower, most, least, repeated,",
    "part-holds-null--cross": "parts[0].holds: expected an array; found null",
    "part-holds-number--cross": "parts[0].holds[0]: expected the name of a state; found the integer 1",
    "part-member-missing--cross": "parts[0]: the member trees is missing",
    "part-member-unknown--cross": "parts[0]: unknown member solution",
    "part-null--cross": "parts[0]: expected an object with upper, lower, most, least, repeated,",
    "parts-object--cross": "parts: expected an array; found an object",
    "queries-actions-string--cross": 'parts[0].queries[0][1]: expected an array; found the string "a"',
    "queries-of-two--cross": "parts[0].queries[0]: expected an array of 3; found an array of 2",
    "queries-value-integer--cross": 'parts[0].queries[0][2]: expected a rational such as "1/2", as a string',
    "repeated-action-null--loop": "parts[0].repeated[0][0]: expected an action; found null",
    "repeated-flat--loop": 'parts[0].repeated[0]: expected an array of 2; found the string "a"',
    "repeated-solution-null--loop": "parts[0].repeated[0][1]: expected an array; found null",
    "tree-empty--cross": "parts[0].trees[0][2]: expected an array with a root; found an array of",
    "tree-index-float--cross": 'parts[0].trees[0][2][0]."*": expected an integer from 0 to 2^31 - 1; f',
    "tree-index-huge--cross": 'parts[0].trees[0][2][0]."*": expected an integer from 0 to 2^31 - 1; f',
    "tree-index-negative--cross": 'parts[0].trees[0][2][0]."*": expected an integer from 0 to 2^31 - 1; f',
    "tree-index-null--cross": 'parts[0].trees[0][2][0]."*": expected an integer from 0 to 2^31 - 1; f',
    "tree-index-of-5000-digits--cross": 'parts[0].trees[0][2][0]."*": expected an integer from 0 to 2^31 - 1',
    "tree-index-string--cross": 'parts[0].trees[0][2][0]."*": expected an integer from 0 to 2^31 - 1; f',
    "tree-index-true--cross": 'parts[0].trees[0][2][0]."*": expected an integer from 0 to 2^31 - 1; f',
    "tree-member-twice--cross": "parts[0].trees[0][2][0]: a member stands twice",
    "tree-nested--cross": 'parts[0].trees[0][2][0]."*": expected an integer from 0 to 2^31 - 1; f',
    "tree-node-array--cross": "parts[0].trees[0][2][0]: expected null or an object with actions; foun",
    "tree-node-number--cross": "parts[0].trees[0][2][0]: expected null or an object with actions; foun",
    "tree-null--cross": "parts[0].trees[0][2]: expected an array; found null",
    "tree-object--cross": "parts[0].trees[0][2]: expected an array; found an object",
    "trees-of-two--cross": "parts[0].trees[0]: expected an array of 3; found an array of 2",
    "upper-integer--cross": 'parts[0].upper[0]: expected a rational such as "1/2", as a string; fou',
    "version-2--cross": "version: expected the integer 1; found the integer 2",
    "violated-flat--cross": 'parts[0].violated[0]: expected an array of 2; found the string "s"',
    "violated-of-pairs--cross": "violated[0]: expected the name of a state; found an array of 2",
    "violated-of-three--cross": "parts[0].violated[0]: expected an array of 2; found an array of 3",
    "witness-action-number--cross": "parts[0].violated[0][1].actions[0]: expected an action; found the inte",
    "witness-array--cross": "parts[0].violated[0][1]: expected an object with neighbour, actions; f",
    "witness-neighbour-null--cross": "parts[0].violated[0][1].neighbour: expected the name of a state; found",
    "witness-solution--cross": "parts[0].violated[0][1]: unknown member solution",
}


@pytest.mark.parametrize("path", FILES.all("malformed"), ids=lambda path: path.stem)
def test_refuses_malformed(path: Path) -> None:
    FILES.assert_malformed(path, PLACES)


def test_every_place_has_its_file() -> None:
    assert {path.stem for path in FILES.all("malformed")} == set(PLACES)


@pytest.mark.parametrize(
    ("certificate", "code", "lines"),
    [
        (
            "accepted/decisions/until-d--loop",
            0,
            [
                'accepted: about the formula ["D", ["ln", "3"], "0", ["until", ["true"], ["atom", "goal"]]]',
                "accepted: it holds in v, g, o",
                "accepted: it is violated in s",
                "checked: a decision process with 5 states and 2 actions, 2 pairs of neighbours",
            ],
        ),
        (
            "accepted/decisions/tight--cross",
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
            "accepted/decisions/path-nested--cross",
            0,
            [
                'accepted: about the formula ["next", ["P", ">=", "1/5", ["next", ["atom", "p"]]]]',
                'accepted: from s, ["next", ["P", ">=", "1/5", ["next", ["atom", "p"]]]] has a probability '
                "of 1/10 to 9/10, over all schedulers",
                "checked: a decision process with 5 states and 2 actions, 1 pairs of neighbours",
            ],
        ),
        (
            "accepted/decisions/nothing-claimed--cross",
            0,
            [
                'accepted: about the formula ["D", "0", "0", ["next", ["atom", "p"]]]',
                "accepted: nothing is claimed",
                "checked: a decision process with 5 states and 2 actions, 1 pairs of neighbours",
            ],
        ),
        (
            "rejected/decisions/neighbours--unknown--cross",
            1,
            ["rejected at neighbours: neighbours[1] names q, not a state of the model"],
        ),
        ("malformed/decisions/not-json--cross", 4, []),
    ],
)
def test_the_command_knows_decision_processes(certificate: str, code: int, lines: list[str]) -> None:
    path = HERE / f"{certificate}.json"
    folder = Path(checker.__file__).parent
    command = [sys.executable, "-I", "-S", str(folder), str(FILES.model_path(path)), str(path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout.splitlines()) == (code, lines)
    assert "Traceback" not in done.stderr


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
    assert model.canonical_form() == expected
    assert model.fingerprint() == hashlib.sha256(expected.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file does not begin with the keyword 'mdp'"),
        ("lmc", "line 1: the file does not begin with the keyword 'mdp'"),
        ('"mdp"', "line 1: the file does not begin with the keyword 'mdp'"),
        ("mdp a b", "line 1: expected the end of the line; found b"),
        ("mdp\nactions a\n", "line 3: the file ends without a state"),
        ("mdp\ns [x]", "line 2: the file declares no actions"),
        ("mdp\nactions a\nactions b", "line 3: actions are declared twice"),
        ("mdp\nactions a, b,\n a", "line 3: action a is declared twice"),
        ("mdp\nactions", "line 2: expected a name or a number at the end of the line"),
        ("mdp\nactions *", 'line 2: expected a name or a number; found "*"'),
        ("mdp\nactions a b", 'line 2: expected ","; found b'),
        ("mdp\nactions a,", "line 2: the file ends after a comma"),
        ("mdp\nactions a\nsink t\ns [x]", "line 3: the sink t is not declared"),
        ("mdp\nactions a\nsink s\nsink s\ns [x]", "line 4: a sink is declared twice"),
        ("mdp\nactions a\nsink a -> 1 sink", 'line 3: expected the end of the line; found "->"'),
        ("mdp\nactions a\ns [x]\ns [x]", "line 4: state s is declared twice"),
        ("mdp\nactions a\ns [x] -> 1 s", 'line 3: expected the end of the line; found "->"'),
        ("mdp\nactions a\ns [x", 'line 3: expected "]" at the end of the line'),
        ("mdp\nactions a\ns []", 'line 3: expected a name or a number; found "]"'),
        ("mdp\nactions a\ns [x]", "line 3: state s has no transition for a, and there is no sink"),
        ("mdp\ns [x]\ns a -> 1 s\nactions a", "line 3: a transition stands before the actions"),
        ("mdp\nactions a\ns [x]\ns b -> 1 s", "line 4: the action b is not declared"),
        ("mdp\nactions a\ns [x]\ns -> 1 s", 'line 4: expected a name or a number; found "->"'),
        ("mdp\nactions a\ns [x]\ns a", 'line 4: expected "->" at the end of the line'),
        ("mdp\nactions a\ns [x]\ns a -> 1 s\ns a -> 1 s", "line 5: state s has two transitions for a"),
        ("mdp\nactions a\ns [x]\ns * -> 1 s\ns * -> 1 s", "line 5: state s has two transitions for *"),
        ("mdp\nactions a\ns [x]\ns a -> 1 t", "line 4: the target t is not declared"),
        ("mdp\nactions a\ns [x]\ns a -> 1 s, 0 t", "line 4: the target t is not declared"),
        ("mdp\nactions a\ns [x]\nr a -> 1 s", "line 4: the state r is not declared"),
        ("mdp\nactions a\ns [x]\ns a -> 1/2 s, 1/2 s", "line 4: the target s stands twice in one row"),
        ("mdp\nactions a\ns [x]\ns a -> 1/2 s", "line 4: the row of state s and action a sums to 1/2, not"),
        ("mdp\nactions a\ns [x]\ns * -> 2 s", 'line 4: the row of state s and action "*" sums to 2, not'),
        ("mdp\nactions a\ns [x]\ns a -> -1 s", "line 4: the probability -1 is negative"),
        ("mdp\nactions a\ns [x]\ns a -> one s", "line 4: one "),
        ("mdp\nactions a\ns [x]\ns a -> 1 s s", 'line 4: expected ","; found s'),
        ('mdp\nactions a\ns ["x]', "line 3: expected a closing double quote"),
        ("mdp\nactions a\ns {x}", "line 3: expected a name, a number or one of [ ] , * ->"),
        ("mdp\nactions a\ns/t [x]", 'line 3: "s/t" is not a name'),
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


@pytest.mark.parametrize("path", FILES.all("accepted"), ids=lambda path: path.stem)
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
