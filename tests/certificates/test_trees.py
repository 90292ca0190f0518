"""Trees and partitions on random chains, against what can be computed word by word.

The certificates are built here, by code that shares nothing with bdist, for trees of every word up to some
length. What they must prove is computed a second time, from the probabilities of words alone.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from bdist import checker
from bdist.checker.core.chain import Model, read_model

Vector = dict[str, Fraction]
ZERO, TINY = Fraction(0), Fraction(1, 10**30)


def step(model: Model, vector: Vector) -> dict[str, Vector]:
    """The vector after one step, cut by labels."""
    parts: dict[str, Vector] = {}
    for i, x in vector.items():
        for j, p in model.rows[i].items():
            part = parts.setdefault(model.labels[j], {})
            part[j] = part.get(j, ZERO) + x * p
    return parts


def words(model: Model, a: Vector, b: Vector, length: int) -> Iterator[tuple[Vector, Vector]]:
    """The two vectors after every word of this length that the first of them can produce."""
    if length == 0:
        yield a, b
        return
    next_b = step(model, b)
    for label, part in step(model, a).items():
        yield from words(model, part, next_b.get(label, {}), length - 1)


def gained(model: Model, pair: tuple[str, str], alpha: Fraction, length: int) -> tuple[Fraction, Fraction]:
    """What an attacker gains who sees labels only, or the last state too, after this many steps.

    They are the bounds that a tree of all words proves where its leaves have no w.
    """
    ends = list(words(model, {pair[0]: Fraction(1)}, {pair[1]: Fraction(1)}, length))
    by_labels = sum((max(ZERO, sum(a.values()) - alpha * sum(b.values())) for a, b in ends), ZERO)
    by_states = sum((max(ZERO, x - alpha * b.get(i, ZERO)) for a, b in ends for i, x in a.items()), ZERO)
    return by_labels, by_states


def tree(model: Model, pair: tuple[str, str], alpha: Fraction, length: int, dice: random.Random) -> Any:
    """A tree of all words of a length, with random factors, in which multiples of a node are that node."""
    nodes: list[Any] = []
    waiting: list[tuple[Vector, Vector, int]] = [({pair[0]: Fraction(1)}, {pair[1]: Fraction(1)}, 0)]
    place: dict[object, int] = {}
    for n, (a, b, depth) in enumerate(waiting):  # it grows behind
        if depth == length:
            rest = [(i, x - alpha * b.get(i, ZERO)) for i, x in a.items()]
            accepts = sum(a.values()) > alpha * sum(b.values())
            nodes.append({"leaf": accepts, "w": [], "b": [[i, str(x)] for i, x in rest if x > 0]})
            continue
        entries = []
        next_b = step(model, b)
        for label, part in step(model, a).items():
            other, size = next_b.get(label, {}), sum(part.values())
            shape = (depth, *(frozenset((i, x / size) for i, x in v.items()) for v in (part, other)))
            if shape not in place:
                q = Fraction(dice.randint(1, 9), dice.randint(1, 9))
                place[shape] = len(waiting)
                waiting.append(
                    ({i: x / q for i, x in part.items()}, {i: x / q for i, x in other.items()}, depth + 1)
                )
            k = place[shape]
            assert k > n
            entries.append([label, k, str(size / sum(waiting[k][0].values()))])
        dice.shuffle(entries)
        nodes.append({"split": entries})
    return {"pair": list(pair), "nodes": nodes}


def chain(dice: random.Random, states: int, labels: int, merged: int = 0) -> tuple[str, list[list[str]]]:
    """A random chain as a text, in which some states are copies of others, and the classes of copies."""
    names = [f"s{i}" for i in range(states)]
    copies = {name: [name] for name in names}
    for i in range(merged):
        copies[dice.choice(names)].append(f"c{i}")
    label = {name: f"l{i % labels}" for i, name in enumerate(names)}
    weights = {name: {j: dice.randint(1, 3) for j in dice.sample(names, min(2, states))} for name in names}
    lines = ["lmc"]
    for name in names:
        total = sum(weights[name].values())
        for copy in copies[name]:
            row: dict[str, Fraction] = {}
            for j, weight in weights[name].items():  # a share to each copy of j, another in each copy
                shares = [dice.randint(0, 2) for _ in copies[j]]
                shares[dice.randrange(len(shares))] += 1
                for target, share in zip(copies[j], shares, strict=True):
                    row[target] = Fraction(weight * share, total * sum(shares))
            lines.append(f"{copy} [{label[name]}] -> {', '.join(f'{p} {j}' for j, p in row.items())}")
    return "\n".join(lines), [group for group in copies.values() if len(group) > 1]


def certificate(model: Model, **members: Any) -> dict[str, Any]:
    document = {"format": "bdist-certificate", "version": 1, "model": model.fingerprint()}
    return document | {"upper": [], "lower": []} | members


def claim(pair: tuple[str, str], bounds: tuple[Fraction, Fraction]) -> dict[str, Any]:
    return {"pair": list(pair), "lower": str(bounds[0]), "upper": str(bounds[1])}


def assert_proves_exactly(text: str, document: dict[str, Any]) -> None:
    """The only claim is accepted as it is, and rejected as soon as one of its bounds is sharper."""
    assert checker.check(text, json.dumps(document)).trees == len(document["trees"])
    (stated,) = document["claims"]
    for side, sign in (("lower", 1), ("upper", -1)):
        sharper = stated | {side: str(Fraction(stated[side]) + sign * TINY)}
        with pytest.raises(checker.Rejected) as caught:
            checker.check(text, json.dumps(document | {"claims": [sharper]}))
        assert caught.value.step == f"claim-{side}"


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(5, 4)])
@pytest.mark.parametrize("seed", range(10))
def test_trees_of_all_words(seed: int, alpha: Fraction) -> None:
    dice = random.Random(seed)  # noqa: S311
    text, _ = chain(dice, states=6, labels=2)
    model = read_model(text)
    there, back = ("s0", "s2"), ("s2", "s0")
    trees = [tree(model, pair, alpha, 4, dice) for pair in (there, back)]
    bounds = [gained(model, pair, alpha, 4) for pair in (there, back)]
    for proof, pair, proved in zip(trees, (there, back), bounds, strict=True):
        lv = certificate(model, quantity="lv", alpha=str(alpha), claims=[claim(pair, proved)], trees=[proof])
        assert_proves_exactly(text, lv)
    both = (max(low for low, _ in bounds), max(high for _, high in bounds))
    tv = certificate(model, quantity="tv", alpha=str(alpha), claims=[claim(there, both)], trees=trees)
    assert_proves_exactly(text, tv)


@pytest.mark.parametrize("seed", range(10))
def test_trees_in_the_quotient_speak_of_the_model(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    alpha = Fraction(6, 5)
    text, partition = chain(dice, states=4, labels=2, merged=4)
    model = read_model(text)
    for group in partition:
        dice.shuffle(group)
    first = {state: group[0] for group in partition for state in group}
    kept = [state for state in model.labels if first.get(state, state) == state]
    small = Model({s: model.labels[s] for s in kept}, {s: {} for s in kept})
    for s in kept:
        for i, p in model.rows[s].items():
            small.rows[s][first.get(i, i)] = small.rows[s].get(first.get(i, i), ZERO) + p
    pair = ("s0", "s2")
    proof = tree(small, (first.get("s0", "s0"), first.get("s2", "s2")), alpha, 4, dice)
    # labels alone tell as much in the model as in the quotient; the last states may tell more
    low, high = gained(model, pair, alpha, 4)
    proved = (low, gained(small, (first.get("s0", "s0"), first.get("s2", "s2")), alpha, 4)[1])
    assert proved[1] <= high
    document = certificate(
        model,
        quantity="lv",
        alpha=str(alpha),
        partition=partition,
        claims=[claim(pair, proved)],
        trees=[proof],
    )
    assert_proves_exactly(text, document)


def bisimulation(model: Model, partition: list[list[str]]) -> bool:
    """The definition, pair by pair and class by class."""
    listed = [state for group in partition for state in group]
    classes = partition + [[state] for state in model.labels if state not in listed]
    return len(listed) == len(set(listed)) and all(
        model.labels[s] == model.labels[t]
        and all(
            sum(model.rows[s].get(i, ZERO) for i in c) == sum(model.rows[t].get(i, ZERO) for i in c)
            for c in classes
        )
        for group in partition
        for s in group
        for t in group
    )


@pytest.mark.parametrize("seed", range(40))
def test_partitions_that_are_no_bisimulations_are_rejected(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    text, partition = chain(dice, states=3, labels=2, merged=4)
    model = read_model(text)
    outcomes = []
    for _ in range(20):
        groups = [list(group) for group in partition]
        for _ in range(dice.randint(0, 2)):  # move a state, or name one more
            group = dice.choice(groups)
            group[dice.randrange(len(group))] = dice.choice(list(model.labels))
        if dice.random() < 0.3:
            groups.pop(dice.randrange(len(groups)))
        claims = [claim(("s0", "s0"), (ZERO, ZERO))]
        document = certificate(model, quantity="bd", alpha="1", partition=groups, claims=claims)
        outcomes.append(bisimulation(model, groups))
        if outcomes[-1]:
            checker.check(text, json.dumps(document))
            continue
        with pytest.raises(checker.Rejected) as caught:
            checker.check(text, json.dumps(document))
        assert caught.value.step == "partition"
    assert True in outcomes


def test_a_long_tree_needs_no_stack() -> None:
    """Ten thousand times around a loop, and each time a part leaves for one shared node."""
    depth = 10_000
    text = "lmc\ns [go] -> 1/2 s, 1/2 x\nt [go] -> 1/2 t, 1/2 y\nx [end] -> 1 x\ny [end] -> 1 y\n"
    loops = [{"split": [["go", n + 1, "1/2"], ["end", depth + 1, "1/2"]]} for n in range(depth)]
    ends = [{"leaf": False, "w": [["s", "t", "1"]], "b": []}, {"leaf": True, "w": [["x", "y", "1"]], "b": []}]
    zero = {"pair": ["x", "y"], "value": "0", "forward": {"w": [["x", "y", "1"]], "b": []}}
    left = Fraction(1, 2**depth)
    document = certificate(
        read_model(text),
        quantity="lv",
        alpha="1",
        upper=[zero],
        claims=[{"pair": ["s", "t"], "lower": "0", "upper": checker.rational_text(left)}],
        trees=[{"pair": ["s", "t"], "nodes": loops + ends}],
    )
    assert checker.check(text, json.dumps(document)).trees == 1
    document["claims"] = [{"pair": ["s", "t"], "lower": "0", "upper": checker.rational_text(left / 2)}]
    with pytest.raises(checker.Rejected) as caught:
        checker.check(text, json.dumps(document))
    assert caught.value.step == "claim-upper"
