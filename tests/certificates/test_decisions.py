"""Certificates of dpCTL* formulas on Markov decision processes: files, the reader, and random processes.

Files are as for formulas on chains: ``accepted/decisions``, ``rejected/decisions`` and
``malformed/decisions``. A file's name ends in the process it is about, ``models/*.mdp``; a rejected file's
begins with the step that must fail. Random processes are compared with the semantics: all sequences of
actions and all paths for bounded formulas, all choices of an action for each state for ``until``.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bdist import checker
from bdist.checker import decision_model, decision_nodes
from bdist.checker.decision_model import read_decision_process
from bdist.checker.formula_document import Privacy
from bdist.checker.formula_powers import Bound, Part
from bdist.checker.limits import Work

HERE = Path(__file__).parent
SPECIFICATION = Path(checker.__file__).parents[1] / "certificates" / "SPEC-DPCTL.md"
Formula = list[Any]


def files(folder: str) -> list[Path]:
    return sorted((HERE / folder / "decisions").glob("*.json"))


def model_path(certificate: Path) -> Path:
    return HERE / "models" / f"{certificate.stem.split('--')[-1]}.mdp"


def check(path: Path) -> checker.DecisionReport:
    model = model_path(path).read_text(encoding="utf-8")
    return checker.check_decision_process(model, path.read_text(encoding="utf-8"))


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", files("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    report = check(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert list(report.holds) == document["holds"]
    assert list(report.violated) == [state for state, _ in document["violated"]]
    assert (report.neighbours, report.states, report.actions) == (len(document["neighbours"]), 5, 2)
    assert report.formula[0] == document["formula"][0]


@pytest.mark.parametrize("path", files("rejected"), ids=lambda path: path.stem)
def test_rejects(path: Path) -> None:
    with pytest.raises(checker.Rejected) as caught:
        check(path)
    assert caught.value.step == path.stem.split("--")[0]
    assert caught.value.reason.isprintable()


@pytest.mark.parametrize(
    ("stem", "reason"),
    [
        ("formula--nested--cross", "there is a P or D within the formula"),
        ("values--loop-that-avoids--loop", "lower[2], of s: 1/2 > 0, where the goal can be avoided"),
        ("values--upper-below-mean--loop", "upper[3], of v: 1/2 < 2/3, the mean after an action"),
        ("holds--action-missing--cross", "trees[1] has no tree for the action b"),
        ("holds--leaf-above--cross", "trees[1].b: at this leaf more than d may be left"),
        ("holds--least-below--cross", "holds[1], of s: the least value is 1/10 < 1/5"),
        ("violated--close--cross", "violated[0], of s and t: the probabilities 1/10 and 1/5 are close"),
        ("violated--both--cross", "violated[1], of s: holds lists it as well"),
        ("violated--open--cross", "violated[0], of s: after 0 actions from s the formula is still open"),
        ("violated--until-loop-of-one--loop", "violated[0], of s: solution[2], a copy of s: 1 != 0, from"),
    ],
)
def test_says_what_is_violated(stem: str, reason: str) -> None:
    with pytest.raises(checker.Rejected) as caught:
        check(HERE / "rejected" / "decisions" / f"{stem}.json")
    assert caught.value.reason.startswith(reason)


def test_every_step_of_the_specification_has_a_rejected_file() -> None:
    section = SPECIFICATION.read_text(encoding="utf-8").split("\n## 8.")[1].split("\n## 9.")[0]
    steps = re.findall(r"^\* `([a-z-]+)`:", section, flags=re.MULTILINE)
    assert tuple(steps) == checker.DECISION_STEPS
    assert {path.stem.split("--")[0] for path in files("rejected")} == set(steps)


# where each malformed file is malformed: the beginning of the message
PLACES = {
    "array--cross": "the document: expected an object with format, version, model, neighbou",
    "choices-array--loop": "violated[0][1].choices: expected null or an object with actions or sta",
    "choices-number--loop": "violated[0][1].choices.s: expected an action; found the integer 1",
    "delta-negative--cross": "formula[2]: a number below 0",
    "format-of-chains--cross": 'format: expected "bdist-dpctl-mdp-certificate"; found the string "bdis',
    "formula-null--cross": "formula: expected an array; found null",
    "holds-null--cross": "holds: expected an array; found null",
    "holds-number--cross": "holds[0]: expected the name of a state; found the integer 1",
    "lower-string--cross": 'lower: expected an array; found the string "0"',
    "member-missing--cross": "the document: the member trees is missing",
    "member-unknown--cross": "the document: unknown member solutions",
    "model-short--cross": 'model: expected a string of 64 hexadecimal digits; found the string "0',
    "neighbours-flat--cross": 'neighbours[0]: expected an array of 2; found the string "s"',
    "not-json--cross": "not JSON at line 1, column 1: Expecting value",
    "tree-array--cross": "trees[0][2].a: expected null or an object with actions or states; foun",
    "tree-member-twice--cross": "trees[0][2]: a member stands twice",
    "tree-too-deep--cross": "too large to check: nested too deeply, more than 64 arrays and objects",
    "trees-of-two--cross": "trees[0]: expected an array of 3; found an array of 2",
    "upper-integer--cross": 'upper[0]: expected a rational such as "1/2", as a string; found the in',
    "version-2--cross": "version: expected the integer 1; found the integer 2",
    "violated-flat--cross": 'violated[0]: expected an array of 2; found the string "s"',
    "witness-action-number--cross": "violated[0][1].actions[0]: expected an action; found the integer 1",
    "witness-null--cross": "violated[0][1]: expected an object with neighbour, actions, solution;",
    "witness-of-d-with-p--cross": "violated[0][1]: unknown member neighbour",
    "witness-of-p-with-d--cross": "violated[0][1]: unknown member choices",
    "witness-solution-flat--cross": 'violated[0][1].solution: expected an array; found the string "0"',
}


@pytest.mark.parametrize("path", files("malformed"), ids=lambda path: path.stem)
def test_refuses_malformed(path: Path) -> None:
    with pytest.raises(checker.Malformed) as caught:
        check(path)
    assert str(caught.value).startswith(PLACES[path.stem])
    assert str(caught.value).isprintable()


def test_every_place_has_its_file() -> None:
    assert {path.stem for path in files("malformed")} == set(PLACES)


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
    command = [sys.executable, "-I", "-S", str(folder), str(model_path(path)), str(path)]
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
    monkeypatch.setattr(decision_model, "MOST_ENTRIES", 11)
    text = "mdp\nactions a, b, c\ns [x]\nt [x]\ns * -> 1/2 s, 1/2 t\nt * -> 1/2 s, 1/2 t\n"
    with pytest.raises(checker.BadModel, match="line 4: the rows up to here have more than 11 entries"):
        read_decision_process(text)


# --- random processes ---------------------------------------------------------------------------------

ACTIONS = "ab"
Rows = dict[str, list[list[Fraction]]]  # by actions and states


def random_process(source: random.Random, count: int) -> tuple[str, Rows, list[str]]:
    lines, rows, labels = ["mdp", "actions b, a"], {a: [] for a in ACTIONS}, []  # type: list[str], Rows, list[str]
    for s in range(count):
        labels.append(source.choice("pqr"))
        lines.append(f"s{s} [{labels[-1]}]")
        for a in ACTIONS:
            cuts = sorted(source.randint(0, 3) for _ in range(count - 1))
            parts = [y - x for x, y in zip([0, *cuts], [*cuts, 3], strict=True)]
            source.shuffle(parts)
            rows[a].append([Fraction(n, 3) for n in parts])
            lines.append(f"s{s} {a} -> " + ", ".join(f"{n}/3 s{t}" for t, n in enumerate(parts)))
    return "\n".join(lines), rows, labels


def random_bounded(source: random.Random, depth: int) -> Formula:
    if depth == 0:
        return source.choice([["true"], ["atom", "p"], ["atom", "q"]])
    kind = source.choice(["not", "and", "next", "within"])
    parts = [random_bounded(source, depth - 1) for _ in range(1 if kind in ("not", "next") else 2)]
    return [kind, *([source.randint(0, 2)] if kind == "within" else []), *parts]


def horizon(f: Formula) -> int:
    inner = max((horizon(part) for part in f[1:] if isinstance(part, list)), default=0)
    return inner + (1 if f[0] == "next" else f[1] if f[0] == "within" else 0)


def true_of(f: Formula, word: str) -> bool:
    if f[0] == "atom":
        return bool(word[0] == f[1])
    if f[0] == "not":
        return not true_of(f[1], word)
    if f[0] == "and":
        return true_of(f[1], word) and true_of(f[2], word)
    if f[0] == "next":
        return true_of(f[1], word[1:])
    if f[0] == "within":
        return any(
            true_of(f[3], word[i:]) and all(true_of(f[2], word[j:]) for j in range(i))
            for i in range(f[1] + 1)
        )
    return True


def document(model: str, **members: Any) -> str:
    empty: dict[str, Any] = {"upper": None, "lower": None, "trees": [], "holds": [], "violated": []}
    fingerprint = read_decision_process(model).fingerprint()
    head = {"format": "bdist-dpctl-mdp-certificate", "version": 1, "model": fingerprint}
    return json.dumps({**head, "neighbours": [["s0", "s1"]], **empty, **members})


def accepted(model: str, **members: Any) -> bool:
    try:
        checker.check_decision_process(model, document(model, **members))
    except checker.Rejected:
        return False
    return True


def full_tree(depth: int) -> dict[str, Any] | None:
    return {a: full_tree(depth - 1) for a in ACTIONS} if depth else None


@pytest.mark.parametrize("seed", range(20))
def test_bounded_formulas_by_paths(seed: int) -> None:
    source = random.Random(seed)  # noqa: S311
    model, rows, labels = random_process(source, 3)
    f = random_bounded(source, 2)
    steps = horizon(f)

    def likely(path: tuple[int, ...], actions: str) -> Fraction:
        if not actions:
            return Fraction(true_of(f, "".join(labels[s] for s in path)))
        row = rows[actions[0]][path[-1]]
        return sum((p * likely((*path, t), actions[1:]) for t, p in enumerate(row) if p), Fraction(0))

    def best(path: tuple[int, ...], largest: bool) -> Fraction:
        if len(path) > steps:
            return likely(path, "")
        means = [
            sum((p * best((*path, t), largest) for t, p in enumerate(rows[a][path[-1]]) if p), Fraction(0))
            for a in ACTIONS
        ]
        return max(means) if largest else min(means)

    most, least = best((0,), True), best((0,), False)
    witness = [["s0", {"choices": None, "solution": None}]]
    assert accepted(model, formula=["P", "<=", str(most), f], holds=["s0"])
    assert accepted(model, formula=["P", "<", str(most), f], violated=witness)
    assert not accepted(model, formula=["P", "<", str(most), f], holds=["s0"])
    assert accepted(model, formula=["P", ">=", str(least), f], holds=["s0"])
    assert accepted(model, formula=["P", ">", str(least), f], violated=witness)
    assert not accepted(model, formula=["P", ">", str(least), f], holds=["s0"])

    base = Fraction(source.choice(["1", "3/2", "2"]))
    apart = {}
    for actions in map("".join, product(ACTIONS, repeat=steps)):
        p, q = likely((0,), actions), likely((1,), actions)
        apart[actions] = max(p - base * q, q - base * p)
    worst = max(apart, key=lambda actions: apart[actions])
    delta = max(apart[worst], Fraction(0))
    tree = full_tree(steps)
    trees = [["s0", "s1", tree], ["s1", "s0", tree]]
    shown = [["s0", {"neighbour": "s1", "actions": list(worst), "solution": None}]]
    private = ["D", ["ln", str(base)], str(delta), f]
    assert accepted(model, formula=private, trees=trees, holds=["s0", "s1"])
    assert not accepted(model, formula=private, violated=shown)
    if delta > 0:
        closer = ["D", ["ln", str(base)], str(delta - min(delta, Fraction(1, 1000))), f]
        assert not accepted(model, formula=closer, trees=trees, holds=["s0"])
        assert accepted(model, formula=closer, violated=shown)


def solved(rows: list[list[Fraction]], through: list[bool], to: list[bool]) -> list[Fraction]:
    """The probabilities of an until on a chain, by elimination."""
    count = len(rows)
    reaching = set(filter(to.__getitem__, range(count)))
    for _ in range(count):
        reaching |= {s for s in range(count) if through[s] and any(rows[s][t] for t in reaching)}
    system = []
    for s in range(count):
        inner = s in reaching and not to[s]
        system.append([Fraction(s == t) - (rows[s][t] if inner else 0) for t in range(count)])
        system[-1].append(Fraction(to[s]))
    for i in range(count):
        pivot = next(j for j in range(i, count) if system[j][i])
        system[i], system[pivot] = system[pivot], system[i]
        system[i] = [x / system[i][i] for x in system[i]]
        for j in range(count):
            if j != i:
                system[j] = [x - system[j][i] * y for x, y in zip(system[j], system[i], strict=True)]
    return [row[-1] for row in system]


@pytest.mark.parametrize("seed", range(20))
def test_until_by_all_choices(seed: int) -> None:
    source = random.Random(seed)  # noqa: S311
    model, rows, labels = random_process(source, 4)
    through, to = [label != "r" for label in labels], [label == "p" for label in labels]
    f = ["until", ["not", ["atom", "r"]], ["atom", "p"]]
    found = {
        choice: solved([rows[a][s] for s, a in enumerate(choice)], through, to)
        for choice in map("".join, product(ACTIONS, repeat=4))
    }
    upper = [max(values) for values in zip(*found.values(), strict=True)]
    lower = [min(values) for values in zip(*found.values(), strict=True)]
    texts = {"upper": list(map(str, upper)), "lower": list(map(str, lower))}
    s = source.randrange(4)
    choice = max(found, key=lambda choice: found[choice][s])
    choices = {f"s{t}": a for t, a in enumerate(choice)}
    witness = [[f"s{s}", {"choices": choices, "solution": list(map(str, found[choice]))}]]
    for g, signs, at in ((f, ("<=", "<"), upper[s]), (["not", f], (">=", ">"), 1 - upper[s])):
        assert accepted(model, formula=["P", signs[0], str(at), g], holds=[f"s{s}"], **texts)
        assert not accepted(model, formula=["P", signs[1], str(at), g], holds=[f"s{s}"], **texts)
        assert accepted(model, formula=["P", signs[1], str(at), g], violated=witness)
        assert not accepted(model, formula=["P", signs[0], str(at), g], violated=witness)
    assert accepted(model, formula=["P", ">=", str(lower[s]), f], holds=[f"s{s}"], **texts)
    # whatever is claimed below the most, or above the least, is no value
    for name, step in (("upper", Fraction(-1, 7)), ("lower", Fraction(1, 7))):
        raised = [*map(Fraction, texts[name])]
        raised[s] += step
        assert not accepted(model, **{**texts, name: list(map(str, raised)), "formula": ["P", ">=", "0", f]})
    for _ in range(10):
        guess = [Fraction(source.randint(0, 6), 6) for _ in range(4)]
        numbers = list(map(str, guess))
        if accepted(model, formula=["P", ">=", "0", f], lower=numbers):
            assert all(x <= y for x, y in zip(guess, lower, strict=True))
        if accepted(model, formula=["P", ">=", "0", f], upper=numbers):
            assert all(x >= y for x, y in zip(guess, upper, strict=True))


def test_an_action_may_be_called_as_all_others_are_in_trees() -> None:
    rows = "s0 [q]\ns1 [q]\nn [q]\ny [p]\nn {0} -> 1 n\ny {0} -> 1 y\n"
    moves = [f"s{s} {{{i}}} -> 1 {'y' if (i == 1) else 'n'}\n" for s in (0, 1) for i in (1, 2)]
    text = "mdp\nactions {1}, {2}\n" + rows.replace("{0}", "*") + "".join(moves)
    f = ["D", "0", "0", ["next", ["atom", "p"]]]
    for second, enough in (("b", True), ('"*"', False)):
        model = text.format("", "a", second)
        trees = [["s0", "s1", {"*": None}], ["s1", "s0", {"*": None}]]
        assert accepted(model, formula=f, trees=trees, holds=["s0"]) == enough
        trees = [[s, t, {second.strip('"'): None, "a": None}] for s, t, _ in trees]
        assert accepted(model, formula=f, trees=trees, holds=["s0"])


# --- limits and powers --------------------------------------------------------------------------------


def test_many_steps_and_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = "mdp\nactions a\ns0 [q]\ns1 [p]\ns0 a -> 1/2 s0, 1/2 s1\ns1 a -> 1 s0\n"
    often = ["within", 300, ["within", 3, ["true"], ["atom", "q"]], ["next", ["next", ["atom", "p"]]]]
    assert accepted(model, formula=["P", ">=", "1/2", often], holds=["s0"])
    long = ["P", ">=", "1/2", ["within", 9000, ["atom", "q"], ["atom", "p"]]]
    monkeypatch.setattr(decision_nodes, "MOST_NODES", 1000)
    with pytest.raises(checker.TooLarge, match="more than 1000 nodes"):
        checker.check_decision_process(model, document(model, formula=long, holds=["s0"]))


def test_sums_of_parts_are_decided_at_powers_of_e() -> None:
    def part(*numbers: str) -> Part:
        alpha, beta, low, high = map(Fraction, numbers)
        return Part(alpha, beta, low, high)

    def holds(exponent: str, delta: str, *parts: Part) -> bool:
        return Bound(Privacy(None, Fraction(exponent), Fraction(delta)), Work()).holds_for_parts(parts)

    assert holds("1", "0", part("2718281828459045/1000000000000000", "1", "1", "1"))
    assert not holds("1", "0", part("2718281828459046/1000000000000000", "1", "1", "1"))
    # nothing is left of the second part, and the first is exactly d, or above
    assert holds("1", "1/3", part("1/3", "0", "1/2", "1"), part("1", "1", "0", "1"))
    assert not holds("1", "1/4", part("1/3", "0", "1/2", "1"), part("1", "1", "0", "1"))
    assert not holds("1000000", "1/4", part("1/3", "0", "1/2", "1"), part("1", "1", "0", "1"))
    assert holds("1000000", "0", part("1", "1/1000", "1/1000", "1"))
    assert holds("0", "1/2", part("1", "1/2", "0", "1"))
    assert holds("1", "0")
