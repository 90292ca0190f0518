"""Certificates of dpCTL* formulas on random Markov decision processes, against the semantics.

All sequences of actions and all paths for bounded formulas, all choices of an action for each state for
``until``. Besides: deep trees, limits, and sums of parts at powers of e.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from bdist import checker
from bdist.checker.core import limits
from bdist.checker.core.limits import Work
from bdist.checker.dpctl import bounded
from bdist.checker.dpctl.formulas import Privacy
from bdist.checker.dpctl.mdp import read_decision_process
from bdist.checker.dpctl.powers import Bound, Term

Formula = list[Any]

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


def part(**members: Any) -> dict[str, Any]:
    values = dict.fromkeys(("upper", "lower", "most", "least"))
    lists = {name: [] for name in ("repeated", "trees", "holds", "violated", "queries", "extremes")}  # type: dict[str, list[Any]]
    return {**values, **lists, **members}


def document(model: str, formula: Formula, parts: list[Any], **claims: Any) -> str:
    """A certificate; the parts of a formula are written by the test."""
    fingerprint = read_decision_process(model).fingerprint()
    head = {"format": "bdist-dpctl-mdp-certificate", "version": 1, "model": fingerprint}
    body = {"neighbours": [["s0", "s1"]], "formula": formula, "parts": parts}
    return json.dumps({**head, **body, "holds": [], "violated": [], **claims})


def accepted(model: str, formula: Formula, **members: Any) -> bool:
    """Whether claims about a formula that has one part are accepted."""
    try:
        checker.check_decision_process(model, document(model, formula, [part(**members)]))
    except checker.Rejected:
        return False
    return True


def full_tree(depth: int) -> list[Any]:
    """All sequences of this length, with one node for each number of steps."""
    return [*(dict.fromkeys(ACTIONS, i + 1) for i in range(depth)), None]


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
    witness = [["s0", None]]
    assert accepted(model, formula=["P", "<=", str(most), f], holds=["s0"])
    assert accepted(model, formula=["P", "<", str(most), f], violated=witness)
    assert not accepted(model, formula=["P", "<", str(most), f], holds=["s0"])
    assert accepted(model, formula=["P", ">=", str(least), f], holds=["s0"])
    assert accepted(model, formula=["P", ">", str(least), f], violated=witness)
    assert not accepted(model, formula=["P", ">", str(least), f], holds=["s0"])
    if f[0] in ("next", "within"):  # others may be state formulas
        assert accepted(model, formula=f, extremes=[["s0", str(least), str(most)]])
        if least < most:
            assert not accepted(model, formula=f, extremes=[["s0", str(most), str(most)]])
            assert not accepted(model, formula=f, extremes=[["s0", str(least), str(least)]])

    base = Fraction(source.choice(["1", "3/2", "2"]))
    apart = {}
    for actions in map("".join, product(ACTIONS, repeat=steps)):
        p, q = likely((0,), actions), likely((1,), actions)
        apart[actions] = max(p - base * q, q - base * p)
    worst = max(apart, key=lambda actions: apart[actions])
    delta = max(apart[worst], Fraction(0))
    tree = full_tree(steps)
    trees = [["s0", "s1", tree], ["s1", "s0", tree]]
    shown = [["s0", {"neighbour": "s1", "actions": list(worst)}]]
    private = ["D", ["ln", str(base)], str(delta), f]
    queries: list[Any] = [[f"s{s}", list(worst), str(likely((s,), worst))] for s in (0, 1, 2)]
    assert accepted(model, formula=private, queries=queries)
    wrong = [*queries[:2], ["s2", list(worst), str(Fraction(queries[2][2]) + Fraction(1, 7))]]
    assert not accepted(model, formula=private, queries=wrong)
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
    # a choice that is best, or worst, from one state may be another from others; there is one for all
    most = next(choice for choice in found if found[choice] == upper)
    least = next(choice for choice in found if found[choice] == lower)
    attained = {**texts, "most": list(most), "least": list(least)}
    witness = [[f"s{s}", None]]
    for g, signs, at in ((f, ("<=", "<"), upper[s]), (["not", f], (">=", ">"), 1 - upper[s])):
        assert accepted(model, formula=["P", signs[0], str(at), g], holds=[f"s{s}"], **texts)
        assert not accepted(model, formula=["P", signs[1], str(at), g], holds=[f"s{s}"], **texts)
        assert accepted(model, formula=["P", signs[1], str(at), g], violated=witness, **attained)
        assert not accepted(model, formula=["P", signs[1], str(at), g], violated=witness, **texts)
        assert not accepted(model, formula=["P", signs[0], str(at), g], violated=witness, **attained)
    assert accepted(model, formula=f, extremes=[[f"s{s}", str(lower[s]), str(upper[s])]], **attained)
    turned = [[f"s{s}", str(1 - upper[s]), str(1 - lower[s])]]
    assert accepted(model, formula=["not", f], extremes=turned, **attained)
    for choice, values in found.items():
        assert accepted(model, formula=f, **{**texts, "most": list(choice)}) == (values == upper)
        assert accepted(model, formula=f, **{**texts, "least": list(choice)}) == (values == lower)
    assert accepted(model, formula=["P", ">=", str(lower[s]), f], holds=[f"s{s}"], **texts)
    # whatever is claimed below the most, or above the least, is no value
    for name, step in (("upper", Fraction(-1, 7)), ("lower", Fraction(1, 7))):
        raised = [*map(Fraction, texts[name])]
        raised[s] += step
        assert not accepted(model, ["P", ">=", "0", f], **{**texts, name: list(map(str, raised))})
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
        trees = [["s0", "s1", [{"*": 1}, None]], ["s1", "s0", [{"*": 1}, None]]]
        assert accepted(model, formula=f, trees=trees, holds=["s0"]) == enough
        trees = [[s, t, [{second.strip('"'): 1, "a": 1}, None]] for s, t, _ in trees]
        assert accepted(model, formula=f, trees=trees, holds=["s0"])


# --- trees ----------------------------------------------------------------------------------------------


LADDER = """mdp
actions a, b
s0 [q]
s1 [q]
yes [p]
yes * -> 1 yes
s0 a -> 1/3 yes, 2/3 s0
s1 a -> 1/2 yes, 1/2 s1
s0 b -> 1 s0
s1 b -> 1 s1
"""


def ladder_tree(steps: int, needed: int) -> list[Any]:
    """All sequences with less than so many a, by how many a there were: as if it were a table."""
    number = {(i, m): i * needed + m for i in range(steps) for m in range(needed)}
    leaf = steps * needed
    return [
        *({"a": number.get((i + 1, m + 1), leaf), "*": number.get((i + 1, m), leaf)} for i, m in number),
        None,
    ]


@pytest.mark.parametrize("steps", [10, 400])
def test_a_tree_may_be_deep_and_its_nodes_shared(steps: int) -> None:
    """p comes with 1/3 or 1/2 after each a. The difference is largest after two: 4/9 - 1/4."""
    f = ["within", steps, ["true"], ["atom", "p"]]
    exact, closer = (["D", ["ln", "1"], delta, f] for delta in ("7/36", "6999/36000"))
    trees = [["s1", "s0", ladder_tree(steps, 5)], ["s0", "s1", ladder_tree(steps, 5)]]
    assert accepted(LADDER, formula=exact, trees=trees, holds=["s0"])
    assert not accepted(LADDER, formula=closer, trees=trees, holds=["s0"])
    assert not accepted(LADDER, formula=exact, trees=trees[:1], holds=["s0"])
    early = [["s1", "s0", ladder_tree(steps, 3)], trees[1]]
    assert not accepted(LADDER, formula=exact, trees=early, holds=["s0"])
    changed = json.loads(json.dumps(trees))
    changed[0][2][-2]["a"] -= 1
    assert not accepted(LADDER, formula=exact, trees=changed, holds=["s0"])


def test_a_tree_of_too_many_sequences_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short text may stand for 2^60 beginnings that all lead to different vectors."""
    monkeypatch.setattr(limits, "STEPS", 100_000)
    model = LADDER.replace("s0 b -> 1 s0", "s0 b -> 1/7 yes, 6/7 s1").replace("s1 b -> 1 s1", "s1 b -> 1 s0")
    trees = [[s, t, full_tree(60)] for s, t in (("s0", "s1"), ("s1", "s0"))]
    f = ["within", 60, ["true"], ["atom", "p"]]
    with pytest.raises(checker.TooLarge, match=r"the check takes more than [0-9]+ steps"):
        accepted(model, formula=["D", ["ln", "1"], "1/1000", f], trees=trees, holds=["s0"])


# --- limits and powers --------------------------------------------------------------------------------


def test_many_steps_and_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = "mdp\nactions a\ns0 [q]\ns1 [p]\ns0 a -> 1/2 s0, 1/2 s1\ns1 a -> 1 s0\n"
    often = ["within", 300, ["within", 3, ["true"], ["atom", "q"]], ["next", ["next", ["atom", "p"]]]]
    assert accepted(model, formula=["P", ">=", "1/2", often], holds=["s0"])
    long = ["P", ">=", "1/2", ["within", 9000, ["atom", "q"], ["atom", "p"]]]
    monkeypatch.setattr(bounded, "MOST_NODES", 1000)
    with pytest.raises(checker.TooLarge, match="more than 1000 nodes"):
        checker.check_decision_process(model, document(model, long, [part(holds=["s0"])]))


def test_sums_of_parts_are_decided_at_powers_of_e() -> None:
    def part(*numbers: str) -> Term:
        alpha, beta, low, high = map(Fraction, numbers)
        return Term(alpha, beta, low, high)

    def holds(exponent: str, delta: str, *parts: Term) -> bool:
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
