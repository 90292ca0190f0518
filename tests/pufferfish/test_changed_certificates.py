"""Certificates of hidden Markov models that bdist writes, changed one thing at a time.

Whatever is still accepted is true: an oracle follows all words up to a few observations through the whole
model, at some parameter values, and knows neither layers nor live states. A bound that some word reaches
cannot be lowered, and no ratio changed.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bdist import checker
from bdist.pufferfish import text as hmm
from bdist.pufferfish.answers import decide, optimise
from bdist.pufferfish.families import make_hidden_model
from bdist.pufferfish.model import HiddenMarkovModel
from bdist.pufferfish.question import ask
from tests.oracles.hidden_models import start_of, value_of, word_probability

MODELS = Path(__file__).parent / "models"
INSTANCES = Path(__file__).parents[2] / "instances" / "pufferfish"

Document = dict[str, Any]
Point = Mapping[str, Fraction]
Vector = dict[int, Fraction]
NOWHERE: Point = {}
LITTLE = Fraction(1, 10**9)
MOST_CHANGES = 26  # of a certificate, drawn from all of them
LONGEST = 5  # observations of words that the oracle follows
MOST_NODES = 3_000  # of the tree of words that it follows


@cache
def example(name: str) -> HiddenMarkovModel:
    """A model by hand or from instances/, or a random one."""
    if name.startswith("random"):
        _, seed, halting = name.split()
        values = {"states": 3, "denominator": 6, "seed": int(seed), "halting": int(halting)}
        return make_hidden_model("hidden-random", values)
    folder = INSTANCES if (INSTANCES / f"{name}.hmm").exists() else MODELS
    return hmm.read((folder / f"{name}.hmm").read_text(encoding="utf-8"))


class Case(NamedTuple):
    """A model, and what is asked of it."""

    model: str
    scenario: str | None = None
    options: Document | None = None
    decided: bool = False


CASES: dict[str, Case] = {
    "neighbours": Case("geometric", "neighbours"),
    "contagious": Case("geometric", "contagious"),
    "independent": Case("geometric", "independent"),
    "as printed": Case("geometric", "independent-as-printed"),
    "decided": Case("geometric", "independent", decided=True),
    "violated": Case("geometric", "contagious", decided=True),
    "at a point": Case("geometric", "contagious", {"at": {"p": "1/3"}}),
    **{f"above 1..{n}": Case("above-threshold", "neighbours", {"lengths": f"1..{n}"}) for n in (1, 4)},
    "two days": Case("disease", "two-days"),
    "two days, decided": Case("disease", "two-days", decided=True),
    "one day": Case("disease", "one-day"),
    "for ever": Case("disease", "two-days", {"at": {"r": "9/10"}, "lengths": "any"}),
    **{
        f"random {seed} {halting} {words}": Case(
            f"random {seed} {halting}", "starts", {"lengths": "1..3", "words": words}
        )
        for seed, halting, words in product((1, 4), (0, 40), ("all", "common"))
    },
    "growth": Case("stay", "stay", {"lengths": "1..3"}),
    "a tree": Case("dip", None, {"pairs": [("s", "t")], "lengths": "1..2"}),
    "dead states": Case("lost", None, {"pairs": [("A", "e")], "words": "common", "lengths": "1..3"}),
    "two pairs": Case(
        "lost", None, {"pairs": [("A", "e"), ("c", "t")], "words": "common", "lengths": "1..3"}
    ),
    "infinite": Case("survey", "one", {"lengths": "1..2"}),
    "covered": Case("coin", None, {"pairs": [("a", "b"), ("b", "a")], "lengths": "1..3"}),
    "all lengths": Case("flip", None, {"lengths": "any"}),
    "all lengths, alike": Case("alike", None, {"lengths": "any"}),
    "all lengths, approached": Case("drift", None, {"lengths": "any"}),
    "all lengths, common": Case("mask", None, {"pairs": [("A", "B")], "words": "common", "lengths": "any"}),
    "all lengths, decided": Case("drift", None, {"lengths": "any", "epsilon": "ln 3.7"}, decided=True),
}


@cache
def text_of(name: str) -> str:
    return hmm.write(example(name))


@cache
def certificate(name: str) -> str:
    """What bdist writes."""
    case = CASES[name]
    question = ask(example(case.model), case.scenario, **(case.options or {}))
    found = decide(question).certificate if case.decided else optimise(question).certificate
    assert found is not None
    return found.to_json()


def outcome(name: str, document: Document) -> str:
    """The verdict of the checker, and for a rejected certificate the step."""
    try:
        checker.check_hidden_model(text_of(name), json.dumps(document))
    except checker.Rejected as rejected:
        return rejected.step
    except checker.Malformed:
        return "malformed"
    return "accepted"


# --- the oracle ---------------------------------------------------------------------------------------


def points_of(model: HiddenMarkovModel) -> list[Point]:
    """Some parameter values, a few of them close to the ends of the ranges."""
    ways = (Fraction(1, 1000), Fraction(1, 3), Fraction(1, 2), Fraction(999, 1000))
    axes = [[(p.name, p.low + (p.high - p.low) * part) for part in ways] for p in model.parameters]
    return [dict(values) for values in product(*axes)]


class Followed:
    """A model at one point, from the definition of the probability of a word."""

    def __init__(self, model: HiddenMarkovModel, at: Point) -> None:
        self.model, self.at = model, at
        self.shown = [
            {o: value_of(entry, model, at) for o, entry in state.observations} for state in model.states
        ]
        self.rows = [
            {t: value_of(entry, model, at) for t, entry in state.row or ()} for state in model.states
        ]

    def seen(self, vector: Vector) -> dict[str, Vector]:
        """By observation, how likely it is shown now, in each state."""
        found: dict[str, Vector] = {}
        for state, x in vector.items():
            for observation, p in self.shown[state].items():
                if x * p:
                    found.setdefault(observation, {})[state] = x * p
        return found

    def moved(self, vector: Vector) -> Vector:
        """One step on."""
        found: Vector = {}
        for state, x in vector.items():
            for target, p in self.rows[state].items():
                found[target] = found.get(target, Fraction(0)) + x * p
        return found

    def losses(self, pair: Sequence[str], common: bool) -> list[Fraction | None]:
        """The loss of one pair at the first few lengths, by following all words; None is infinite."""
        first, second, *prior = pair
        root, other = (
            start_of(self.model, side, prior[0] if prior else None, self.at) for side in (first, second)
        )
        layer, followed = [(root, other)], 0
        found: list[Fraction | None] = []
        while len(found) < LONGEST and followed < MOST_NODES:
            worst: Fraction | None = Fraction(0)
            following = []
            for alpha, beta in layer:
                above, below = self.seen(alpha), self.seen(beta)
                for observation, seen in above.items():
                    a, b = sum(seen.values()), sum(below.get(observation, {}).values())
                    if not b and common:
                        continue
                    worst = None if not b or worst is None else max(worst, a / b)
                    following.append((self.moved(seen), self.moved(below.get(observation, {}))))
            found.append(worst)
            layer = following
            followed += len(layer)
        return found


@cache
def pair_losses(
    name: str, pair: tuple[str, ...], common: bool, at: tuple[tuple[str, Fraction], ...]
) -> list[Fraction | None]:
    return Followed(example(name), dict(at)).losses(pair, common)


def point_of(document: Mapping[str, str] | None) -> Point:
    return NOWHERE if document is None else {name: Fraction(value) for name, value in document.items()}


def check_truth(name: str, document: Document) -> None:
    """Whatever the certificate says is true, as far as the oracle looks."""
    model, common = example(name), document["words"] == "common"
    points = [point_of(document["at"])] if document["at"] is not None else points_of(model)
    if document["upper"] is not None:
        bounds, beyond = document["upper"]["bounds"], document["upper"]["beyond"]
        for at in points:
            for pair in document["pairs"]:
                losses = pair_losses(name, tuple(pair), common, tuple(sorted(at.items())))
                for length, loss in enumerate(losses):
                    bound = bounds[length] if length < len(bounds) else beyond
                    if bound is not None and bound != "inf":
                        assert loss is not None, (pair, length, at)
                        assert loss <= Fraction(bound), (pair, length, at)
    if document["invariant"] is not None:
        for at in points:
            for pair in document["pairs"]:
                for loss in pair_losses(name, tuple(pair), common, tuple(sorted(at.items()))):
                    assert loss is not None, (pair, at)
                    assert loss <= Fraction(document["invariant"]["bound"]), (pair, at)
    for word in document["lower"]:
        check_ratio(model, document, word, common)
    for growth in document["growth"]:
        check_growth(model, document, growth, common)


def check_ratio(model: HiddenMarkovModel, document: Document, word: Document, common: bool) -> None:
    """The ratio of a word, or where it leads to: values close by are close to it."""
    first, second, *prior = document["pairs"][word["pair"]]
    at = point_of(document["at"] if word["at"] is None else word["at"])
    step = Fraction(0) if word["toward"] is None else Fraction(1, 10**12)
    at = {name: x + step * Fraction((word["toward"] or {}).get(name, 0)) for name, x in at.items()}
    if not at and model.parameters:
        at = points_of(model)[0]
    a, b = (
        word_probability(model, start_of(model, side, prior[0] if prior else None, at), word["word"], at)
        for side in (first, second)
    )
    assert a or b
    assert not common or (a and b)
    claimed = None if word["ratio"] == "inf" else Fraction(word["ratio"])
    if not step:
        assert claimed == (a / b if b else None)
    elif claimed is None:
        assert not b or a / b > 1000
    else:
        assert abs(a / b - claimed) < Fraction(1, 1000)


def check_growth(model: HiddenMarkovModel, document: Document, growth: Document, common: bool) -> None:
    """Words with more and more rounds of the block keep to what the two vectors promise."""
    assert not model.parameters  # so that there are no denominators to think of
    followed, numbers = Followed(model, NOWHERE), {state.name: n for n, state in enumerate(model.states)}
    pair = [start_of(model, side, None, NOWHERE) for side in document["pairs"][growth["pair"]]]
    alpha, beta = pair
    for observation in growth["prefix"]:
        alpha, beta = (followed.moved(followed.seen(side).get(observation, {})) for side in (alpha, beta))
    v, w = ({numbers[s]: Fraction(x) for s, x in growth[side].items()} for side in ("below", "above"))
    least = min(alpha[s] / x for s, x in v.items())
    least *= word_probability(model, v, growth["suffix"], NOWHERE)
    assert least > 0
    up, down = Fraction(growth["up"]), Fraction(growth["down"])
    assert up > down > 0
    most = max((beta[s] / w[s] for s in beta if s in w), default=Fraction(0))
    most *= word_probability(model, w, growth["suffix"], NOWHERE)
    for rounds in range(5):
        word = [*growth["prefix"], *growth["block"] * rounds, *growth["suffix"]]
        a, b = (word_probability(model, side, word, NOWHERE) for side in pair)
        assert a >= least * up**rounds
        assert b <= most * down**rounds
        assert b or not common


# --- changes ------------------------------------------------------------------------------------------


def changes(document: Document, model: HiddenMarkovModel) -> Iterator[Document]:
    """Documents that differ from one in a single respect, and mostly have its form."""

    def changed(*place: str | int, to: Any) -> Document:
        found = copy.deepcopy(document)
        inner: Any = found
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = to
        return found

    yield changed("words", to="all" if document["words"] == "common" else "common")
    yield from (changed("pairs", to=pairs) for pairs in _changed_pairs(document["pairs"]))
    for at in _changed_points(document["at"], model):
        yield changed("at", to=at)
    if document["upper"] is not None:
        for upper in _changed_uppers(document["upper"], model):
            yield changed("upper", to=upper)
    if document["invariant"] is not None:
        for invariant in _changed_invariants(document["invariant"], model):
            yield changed("invariant", to=invariant)
    for place, word in enumerate(document["lower"]):
        yield changed("lower", to=_with(document["lower"], place, []))
        for other in _changed_words(word, len(document["pairs"]), model):
            yield changed("lower", place, to=other)
    for place, growth in enumerate(document["growth"]):
        for other in _changed_growths(growth, model):
            yield changed("growth", place, to=other)


def _with(items: list[Any], place: int, others: list[Any]) -> list[Any]:
    return [*items[:place], *others, *items[place + 1 :]]


def _changed_numbers(number: str) -> Iterator[str]:
    if number == "inf":
        yield from ("1000000", "1", "0")
        return
    value = Fraction(number)
    for other in (value + 1, value - LITTLE, value + LITTLE, value * 2, value * Fraction(9, 10), 1 - value):
        yield str(other)
    yield from ("inf", "0")


def _changed_pairs(pairs: list[Any]) -> Iterator[list[Any]]:
    for place, (first, second, *prior) in enumerate(pairs):
        yield _with(pairs, place, [[second, first, *prior]])
        yield _with(pairs, place, [[first, first, *prior]])
        yield _with(pairs, place, [])
        yield _with(pairs, place, [pairs[place]] * 2)
    yield pairs[::-1]


def _changed_points(at: Any, model: HiddenMarkovModel) -> Iterator[Any]:
    if at is not None:
        yield None
    for point in points_of(model):
        yield {name: str(value) for name, value in point.items()}
    for parameter in model.parameters:
        yield {p.name: str(p.low if p == parameter else (p.low + p.high) / 2) for p in model.parameters}


def _changed_uppers(upper: Document, model: HiddenMarkovModel) -> Iterator[Any]:
    yield None
    bounds, beyond, layers, trees = (upper[part] for part in ("bounds", "beyond", "layers", "trees"))
    for place, bound in enumerate(bounds):
        for value in _changed_numbers(bound):
            yield {**upper, "bounds": _with(bounds, place, [value])}
    if beyond is None:
        yield {**upper, "beyond": "1000", "layers": [*layers, {"nodes": [], "covered": [], "closed": []}]}
        yield {**upper, "bounds": bounds[:-1], "layers": layers[:-1]}
        yield {**upper, "bounds": bounds[:-1], "beyond": bounds[-1]}
    else:
        yield from ({**upper, "beyond": value} for value in _changed_numbers(beyond))
        yield {**upper, "beyond": None, "layers": layers[:-1]}
    for place, layer in enumerate(layers):
        for other in _changed_layers(layer, place, upper):
            yield {**upper, "layers": _with(layers, place, [other])}
        for later in range(place + 1, len(layers)):
            yield {**upper, "layers": _with(_with(layers, place, [layers[later]]), later, [layer])}
    for place, (layer, node, observation, tree) in enumerate(trees):
        yield {**upper, "trees": _with(trees, place, [])}
        for other in _changed_trees(tree):
            yield {**upper, "trees": _with(trees, place, [[layer, node, observation, other]])}
        yield {**upper, "trees": _with(trees, place, [[layer, node + 1, observation, tree]])}
    if not trees and model.parameters:
        half = [model.parameters[0].name, "1/2", None, None]
        yield {**upper, "trees": [[0, 0, model.observations[0], half]]}


def _changed_invariants(invariant: Document, model: HiddenMarkovModel) -> Iterator[Any]:
    yield None
    yield from ({**invariant, "bound": value} for value in _changed_numbers(invariant["bound"]))
    vectors, second, roots, steps = (invariant[part] for part in ("vectors", "second", "roots", "steps"))
    for place, vector in enumerate(vectors):
        for state in model.states:
            for value in _changed_numbers(vector.get(state.name, "0")):
                yield {**invariant, "vectors": _with(vectors, place, [{**vector, state.name: value}])}
    for place, states in enumerate(second):
        for state in model.states:
            other = [s for s in states if s != state.name] + [state.name] * (state.name not in states)
            yield {**invariant, "second": _with(second, place, [other])}
    for place, combination in enumerate(roots):
        for changed in _changed_combinations(combination, len(vectors)):
            yield {**invariant, "roots": _with(roots, place, [changed])}
    for place, named in enumerate(steps):
        for at, (observation, combination) in enumerate(named):
            for changed in _changed_combinations(combination, len(vectors)):
                step = _with(named, at, [[observation, changed]])
                yield {**invariant, "steps": _with(steps, place, [step])}
            for another in model.observations:
                step = _with(named, at, [[another, combination]])
                yield {**invariant, "steps": _with(steps, place, [step])}


def _changed_combinations(combination: list[Any], vectors: int) -> Iterator[list[Any]]:
    for place, (index, multiplier) in enumerate(combination):
        yield _with(combination, place, [])
        yield _with(combination, place, [[(index + 1) % vectors, multiplier]])
        for value in _changed_numbers(multiplier):
            yield _with(combination, place, [[index, value]])


def _changed_layers(layer: Document, number: int, upper: Document) -> Iterator[Document]:
    nodes, covered, closed = (layer[part] for part in ("nodes", "covered", "closed"))
    last = number == len(upper["bounds"])
    others: list[Any] = list(range(min(3, len(nodes) + 1)))
    if last:
        others = [[k, i] for k in range(number) for i in range(min(2, len(upper["layers"][k]["nodes"])))]
    bounds = [*upper["bounds"][number:][:2], *([upper["beyond"]] if upper["beyond"] else []), "1"]
    everything = [*nodes, *(entry[0] for entry in covered), *(entry[0] for entry in closed)]
    for child in everything:
        rest = {part: [entry for entry in layer[part] if entry[0] != child] for part in ("covered", "closed")}
        rest["nodes"] = [node for node in nodes if node != child]
        yield rest
        yield {**rest, "nodes": [*rest["nodes"], child]}
        for by in others:
            yield {**rest, "covered": [*rest["covered"], [child, by]]}
            yield {**rest, "covered": [*rest["covered"], [child, by, "1"]]}
        for bound in bounds:
            yield {**rest, "closed": [*rest["closed"], [child, bound]]}
    for place, (child, by, *factor) in enumerate(covered):
        values = [*_changed_numbers(factor[0])] if factor else ["1", "1/2", "2"]
        for value in values:
            yield {**layer, "covered": _with(covered, place, [[child, by, value]])}
        if factor:
            yield {**layer, "covered": _with(covered, place, [[child, by]])}
    for place, (child, bound) in enumerate(closed):
        for value in _changed_numbers(bound):
            yield {**layer, "closed": _with(closed, place, [[child, value]])}
    yield {**layer, "nodes": nodes[::-1]}


def _changed_trees(tree: Any) -> Iterator[Any]:
    if tree is None:
        return
    parameter, at, left, right = tree
    yield None
    yield [parameter, at, right, left]
    for value in (Fraction(at) + Fraction(1, 50), Fraction(at) - Fraction(1, 50), Fraction(at) / 2):
        yield [parameter, str(value), left, right]
    yield from ([parameter, at, other, right] for other in _changed_trees(left))
    yield from ([parameter, at, left, other] for other in _changed_trees(right))


def _changed_words(word: Document, pairs: int, model: HiddenMarkovModel) -> Iterator[Document]:
    for ratio in _changed_numbers(word["ratio"]):
        yield {**word, "ratio": ratio}
    for pair in {0, 1, pairs - 1, pairs} - {word["pair"]}:
        yield {**word, "pair": pair}
    shown = word["word"]
    for place in range(len(shown)):
        yield {**word, "word": _with(shown, place, [])}
        yield {**word, "word": _with(shown, place, [shown[place]] * 2)}
        for observation in model.observations[:3]:
            yield {**word, "word": _with(shown, place, [observation])}
    yield {**word, "at": None, "toward": None}
    for point in _changed_points(word["at"], model):
        yield {**word, "at": point}
        yield {**word, "at": point, "toward": None}
    if word["toward"] is not None:
        yield {**word, "toward": {name: str(-Fraction(x)) for name, x in word["toward"].items()}}


def _changed_growths(growth: Document, model: HiddenMarkovModel) -> Iterator[Document]:
    for part in ("up", "down"):
        yield from ({**growth, part: value} for value in _changed_numbers(growth[part]))
    for part in ("below", "above"):
        for state, value in growth[part].items():
            yield {**growth, part: {s: x for s, x in growth[part].items() if s != state}}
            for other in _changed_numbers(value):
                yield {**growth, part: {**growth[part], state: other}}
        for state in model.states:
            if state.name not in growth[part]:
                yield {**growth, part: {**growth[part], state.name: "1"}}
    yield {**growth, "below": growth["above"], "above": growth["below"]}
    yield {**growth, "pair": 1 - growth["pair"]}
    for part in ("prefix", "block", "suffix"):
        shown = growth[part]
        yield from ({**growth, part: [*shown, o]} for o in model.observations)
        yield from ({**growth, part: [o]} for o in model.observations)
        yield {**growth, part: shown * 2}
        yield {**growth, part: shown[1:]}


# --- tests --------------------------------------------------------------------------------------------


def some_changes(document: Document, case: str) -> list[Document]:
    """As many in the layers, or the vectors, as elsewhere, drawn in the same way every time."""
    every = [other for other in changes(document, example(CASES[case].model)) if other != document]
    layers = [(other["upper"] and other["upper"]["layers"], other["invariant"]) for other in every]
    kept = document["upper"] and document["upper"]["layers"], document["invariant"]
    elsewhere = [other for other, inner in zip(every, layers, strict=True) if inner == kept]
    inside = [other for other, inner in zip(every, layers, strict=True) if inner != kept]
    dice = random.Random(case)  # noqa: S311 (nothing is kept secret)
    return [
        other
        for part in (elsewhere, inside)
        for other in dice.sample(part, min(MOST_CHANGES // 2, len(part)))
    ]


@pytest.mark.parametrize("case", CASES)
def test_what_is_accepted_after_a_change_is_true(case: str) -> None:
    name, text = CASES[case].model, certificate(case)
    document = json.loads(text)
    assert outcome(name, document) == "accepted"
    check_truth(name, document)
    found: Counter[str] = Counter()
    for other in some_changes(document, case):
        verdict = outcome(name, other)
        found[verdict] += 1
        if verdict == "accepted":
            check_truth(name, other)
    assert found.total() - found["accepted"] - found["malformed"] >= 5, found
    assert found["accepted"] > 0, found


@pytest.mark.parametrize("case", CASES)
def test_no_bound_that_is_reached_is_lowered_and_no_ratio_changed(case: str) -> None:
    name, text = CASES[case].model, certificate(case)
    document, reached = json.loads(text), 0
    report = checker.check_hidden_model(text_of(name), text)
    for length, bound in enumerate(report.bounds, start=1):
        if not report.reached(length):
            continue
        reached += 1
        for less in [10**9] if bound is None else [bound - LITTLE, bound * Fraction(9, 10) - LITTLE]:
            other = copy.deepcopy(document)
            other["upper"]["bounds"][length - 1] = str(less)
            assert outcome(name, other) in {"bounds", "closed", "beyond"}
    ratios = [Fraction(word["ratio"]) for word in document["lower"] if word["ratio"] != "inf"]
    if report.always is not None and report.always in ratios:
        reached += 1
        for less in (report.always - LITTLE, report.always * Fraction(9, 10)):
            other = copy.deepcopy(document)
            other["invariant"]["bound"] = str(less)
            assert outcome(name, other) == "invariant"
    assert reached > 0 or CASES[case].decided or report.always is not None
    for place, word in enumerate(document["lower"]):
        for ratio in [*_changed_numbers(word["ratio"])][:3]:
            if ratio != word["ratio"]:
                other = copy.deepcopy(document)
                other["lower"][place]["ratio"] = ratio
                assert outcome(name, other) == "word"
