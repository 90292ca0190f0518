"""Certificates of hidden Markov models, put together at random by what stands here and none of bdist.

Nodes, covers and bounds are drawn, and most are no proof. Where the checker accepts one all the same, every
word is followed through the whole model, with parameters at some points, and no ratio may be above its bound.
Many models have observations that only some states show, and states that show nothing else: with common words
some are not live, and the checker leaves them out. What is live is said here once more, to name the children
that a certificate must name; the words that are followed know nothing of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from bdist.checker.core.limits import Work
from bdist.checker.pufferfish.model import read_hidden_model
from tests.certificates.hand_made import HIDDEN_MODELS, Document

Vector = dict[int, Fraction]


# formulas that sum to 1, with what they are at a value of p; one of them vanishes at 1/2
HALVES: list[tuple[str, Callable[[Fraction], Fraction]]] = [
    *[("p", lambda p: p), ("1-p", lambda p: 1 - p)],
    *[("1/2", lambda p: Fraction(1, 2)), ("1/2", lambda p: Fraction(1, 2))],
    *[("p/2", lambda p: p / 2), ("(1 - p/2)", lambda p: 1 - p / 2)],
    *[("p/(1+p)", lambda p: p / (1 + p)), ("1/(p + 1)", lambda p: 1 / (1 + p))],
    *[("1", lambda p: Fraction(1)), ("0", lambda p: Fraction(0))],
    *[("1/4", lambda p: Fraction(1, 4)), ("3/4", lambda p: Fraction(3, 4))],
    *[("(2*p-1)^2", lambda p: (2 * p - 1) ** 2), ("(1 - (2*p - 1)^2)", lambda p: 1 - (2 * p - 1) ** 2)],
]
PARAMETER = "parameter p in (1/4, 3/4)"
POINTS = [Fraction(n, 32) for n in (9, 13, 16, 19, 23)]
STATES = 5
# what each state may show and where it may lead, so that s0 comes to s2, which shows what s1 never does
APART: list[tuple[str, list[tuple[int, ...]]]] = [
    ("xy", [(0, 2), (4, 2), (2, 4), (0, 4)]),
    ("xy", [(1, 3), (4, 3), (3, 4), (1, 4)]),
    ("uU", [(2, 4), (2, 0), (2,)]),
    ("vV", [(3, 4), (3, 1), (3,)]),
    ("xy", [(4,)]),
]


class RandomModel:
    """Five states, each with two observations or one and two next states or one; some without parameter."""

    def __init__(self, dice: random.Random, with_parameter: bool) -> None:
        self._dice, self.with_parameter = dice, with_parameter
        self._choices: list[tuple[list[tuple[str, int]], list[tuple[str, int]]]] = []
        self._values: dict[Fraction, list[tuple[dict[str, Fraction], Vector]]] = {}
        lines = ["hmm random", PARAMETER] if with_parameter else ["hmm random"]
        hides, strays = dice.random() < 0.6, dice.random() < 0.3
        for state in range(STATES):
            names, targets = dice.sample("xyz", 2), dice.sample(range(STATES), 2)
            if hides:
                shown_there, ways = APART[state]
                names, targets = dice.sample(shown_there, 2), list(dice.choice(ways))
            if strays and dice.random() < 0.3:
                names, targets = dice.sample("xyuv", 2), dice.sample(range(STATES), 2)
            observed = self._halves(names)
            following = (
                self._halves([f"s{t}" for t in targets]) if len(targets) == 2 else [(f"s{targets[0]}", 8)]
            )
            self._choices.append((observed, following))
            shown, row = (
                ", ".join(f"{HALVES[k][0]} {name}" for name, k in part) for part in (observed, following)
            )
            lines.append(f"s{state} [{shown}] -> {row}")
        self.text = "\n".join(lines)
        self.fingerprint = read_hidden_model(self.text, Work()).fingerprint()
        self.observations = sorted({name for observed, _ in self._choices for name, _ in observed})

    def _halves(self, names: list[str]) -> list[tuple[str, int]]:
        pair = self._dice.choice([0, 2, 4, 6, 8, 10, 12] if self.with_parameter else [2, 8, 10, 10])
        turned = self._dice.random() < 0.5
        return list(zip(names, (pair + turned, pair + 1 - turned), strict=True))

    # --- probabilities, from their definition

    def shown(self, state: int, p: Fraction) -> dict[str, Fraction]:
        """The observations of a state."""
        return self._at(p)[state][0]

    def row(self, state: int, p: Fraction) -> Vector:
        """The next states of a state."""
        return self._at(p)[state][1]

    def _at(self, p: Fraction) -> list[tuple[dict[str, Fraction], Vector]]:
        if p not in self._values:
            self._values[p] = [
                (
                    {name: HALVES[k][1](p) for name, k in observed if HALVES[k][1](p)},
                    {int(name[1:]): HALVES[k][1](p) for name, k in following if HALVES[k][1](p)},
                )
                for observed, following in self._choices
            ]
        return self._values[p]

    def seen(self, vector: Vector, observation: str, p: Fraction) -> Vector:
        """How likely each state shows this now."""
        shown = {s: self.shown(s, p) for s in vector}
        return {s: x * shown[s][observation] for s, x in vector.items() if observation in shown[s]}

    def after(self, vector: Vector, word: Sequence[str], p: Fraction) -> Vector:
        """How likely a run shows a word and comes to each state."""
        for observation in word:
            found: Vector = {}
            for s, x in self.seen(vector, observation, p).items():
                for t, q in self.row(s, p).items():
                    found[t] = found.get(t, Fraction(0)) + x * q
            vector = found
        return vector

    def value(self, vector: Vector, word: Sequence[str], p: Fraction) -> Fraction:
        """How likely a run shows a word first."""
        seen = self.seen(self.after(vector, word[:-1], p), word[-1], p)
        return sum(seen.values(), Fraction(0))

    def losses(
        self, pairs: list[tuple[int, int]], lengths: int, common: bool, p: Fraction
    ) -> list[Fraction | None]:
        """The loss at each length, by enumeration of all words; None if it is infinite."""
        worst: list[Fraction | None] = [Fraction(0)] * lengths

        def follow(length: int, alpha: Vector, beta: Vector) -> None:
            for observation in self.observations:
                a, b = (sum(self.seen(side, observation, p).values(), Fraction(0)) for side in (alpha, beta))
                known = worst[length]
                if b and known is not None:
                    worst[length] = max(known, a / b)
                elif a and not b and not common:
                    worst[length] = None
                if a and (b or not common) and length + 1 < lengths:
                    follow(length + 1, *(self.after(side, [observation], p) for side in (alpha, beta)))

        for s, t in pairs:
            follow(0, {s: Fraction(1)}, {t: Fraction(1)})
        return worst

    def points(self, at: Fraction | None) -> list[Fraction]:
        """Where a certificate is compared with the truth."""
        return POINTS if self.with_parameter and at is None else [at or GENERIC]

    # --- what a certificate must name

    def live(self, pairs: list[tuple[int, int]], common: bool, p: Fraction) -> set[int]:
        """The live states: all, or those that show what both sides of a pair can show."""
        if not common:
            return set(range(STATES))
        shared: set[str] = set()
        for pair in pairs:
            first, second = ({o for s in self._reached(side, p) for o in self.shown(s, p)} for side in pair)
            shared |= first & second
        return {s for s in range(STATES) if shared & self.shown(s, p).keys()}

    def _reached(self, start: int, p: Fraction) -> set[int]:
        found = {start}
        for _ in range(STATES):
            found |= {t for s in found for t in self.row(s, p)}
        return found

    def support(self, start: int, word: Sequence[str], live: set[int], p: Fraction) -> set[int]:
        """The states where a word may lead, without those that are not live."""
        states = {start} & live
        for o in word:
            states = {t for s in states if o in self.shown(s, p) for t in self.row(s, p)} & live
        return states


GENERIC = POINTS[1]  # where no formula is 0 that is not 0 everywhere


def random_certificate(
    model: RandomModel,
    dice: random.Random,
    pairs: list[tuple[int, int]],
    common: bool,
    lengths: int,
    at: Fraction | None,
) -> Document:
    """A certificate that names the right children, and says about them what it likes."""
    point = GENERIC if at is None else at
    live = model.live(pairs, common, point)

    def counts(root: int, word: tuple[str, ...]) -> bool:
        alpha, beta = (model.support(side, word, live, point) for side in pairs[root])
        return bool(alpha and (beta or not common))

    layers: list[Document] = []
    follow_up = dice.random() < 0.5
    children: list[tuple[Any, tuple[int, tuple[str, ...]]]] = [
        (index, (index, ())) for index in range(len(pairs)) if counts(index, ())
    ]
    for number_of_layer in range(lengths + follow_up):
        last = number_of_layer == lengths
        layer: Document = {"nodes": [], "covered": [], "closed": []}
        kept: list[tuple[int, tuple[str, ...]]] = []
        for name, place in children:
            kind = dice.random()
            if (not kept or kind < 0.45) and not last:
                layer["nodes"].append(name)
                kept.append(place)
            elif kind < 0.9 and (layers or kept):
                by: Any = dice.randrange(len(kept)) if kept else 0
                if last:
                    before = dice.randrange(len(layers))
                    by = [before, dice.randrange(max(1, len(layers[before]["nodes"])))]
                factor = [dice.choice(["1", "1", "1/2", "2", "4", "1/4"])] if dice.random() < 0.3 else []
                layer["covered"].append([name, by, *factor])
            else:
                layer["closed"].append([name, dice.choice(["1", "3/2", "2", "3", "4"])])
        layers.append(layer)
        children = [
            ([index, o], (root, (*word, o)))
            for index, (root, word) in enumerate(kept)
            for o in model.observations
            if counts(root, (*word, o))
        ]
    points = model.points(at)
    losses = [model.losses(pairs, lengths + 1, common, p) for p in points]
    bounds = [_random_bound(dice, found) for found in zip(*losses, strict=True)]
    upper = {
        "bounds": bounds[:lengths],
        "beyond": dice.choice([bound for bound in [*bounds, "1"] if bound != "inf"]) if follow_up else None,
        "layers": layers,
        "trees": [],
    }
    return certificate(model, pairs, common, at) | {"upper": upper}


def _random_bound(dice: random.Random, losses: Sequence[Fraction | None]) -> str:
    """A bound that is true as far as is known here, most of the time, and mostly not by much."""
    most = Fraction(0)
    for loss in losses:
        if loss is None:
            return "inf"
        most = max(most, loss)
    return str(most * Fraction(dice.choice(["1", "11/10", "2", "3", "4", "9/10"])))


def certificate(
    model: RandomModel, pairs: list[tuple[int, int]], common: bool, at: Fraction | None
) -> Document:
    """A certificate that says nothing yet."""
    return {
        "format": "bdist-pufferfish-certificate",
        "version": 1,
        "model": model.fingerprint,
        "words": "common" if common else "all",
        "at": None if at is None else {"p": str(at)},
        "pairs": [[f"s{s}", f"s{t}"] for s, t in pairs],
        "upper": None,
        "invariant": None,
        "lower": [],
        "growth": [],
    }


def random_models(
    count: int, what: str, with_parameter: bool
) -> Iterator[tuple[random.Random, RandomModel, list[tuple[int, int]], Fraction | None]]:
    """Models with pairs, and perhaps a point."""
    for seed in range(count):
        dice = random.Random(f"{seed} {what} {with_parameter}")  # noqa: S311 (nothing is kept secret)
        model = RandomModel(dice, with_parameter)
        pairs = [(0, 1), dice.choice([(2, 3), (0, 2), (1, 0)])][: dice.choice([1, 1, 2])]
        at = dice.choice([None, POINTS[2], POINTS[4]]) if with_parameter else None
        yield dice, model, pairs, at


@pytest.mark.parametrize("with_parameter", [False, True])
@pytest.mark.parametrize("common", [False, True])
def test_what_is_accepted_is_true(with_parameter: bool, common: bool) -> None:
    verdicts: Counter[str] = Counter()
    dead = 0
    count = 150 if with_parameter else 200
    for dice, model, pairs, at in random_models(count, f"upper {common}", with_parameter):
        lengths = dice.choice([1, 2, 2, 3])
        document = random_certificate(model, dice, pairs, common, lengths, at)
        verdict = HIDDEN_MODELS.outcome(model.text, document)
        assert verdict != "malformed"
        verdicts[verdict] += 1
        if verdict != "accepted":
            continue
        live = model.live(pairs, common, GENERIC if at is None else at)
        dead += len(live) < STATES and any(layer["covered"] for layer in document["upper"]["layers"])
        bounds = document["upper"]["bounds"]
        if document["upper"]["beyond"] is not None:
            bounds = [*bounds, *[document["upper"]["beyond"]] * 2]
        for p in model.points(at):
            for loss, bound in zip(model.losses(pairs, len(bounds), common, p), bounds, strict=True):
                if bound != "inf":
                    assert loss is not None, (model.text, document, p)
                    assert loss <= Fraction(bound), (model.text, document, p)
    assert "layers" not in verdicts  # the children are named as they should be
    assert verdicts["accepted"] >= 5, verdicts
    assert verdicts["covered"] >= 5, verdicts
    assert dead >= 3 * common, dead


@pytest.mark.parametrize("with_parameter", [False, True])
def test_a_word_has_its_ratio_if_it_counts(with_parameter: bool) -> None:
    """Words that do not count are rejected, where they lead to states that are not live as well."""
    kinds: Counter[tuple[bool, bool]] = Counter()
    for dice, model, pairs, at in random_models(100, "words", with_parameter):
        common = dice.random() < 0.7
        document = certificate(model, pairs, common, at)
        point = dice.choice(POINTS) if at is None else at
        word = [dice.choice(model.observations) for _ in range(dice.choice([1, 2, 3]))]
        a, b = (model.value({side: Fraction(1)}, word, point) for side in pairs[0])
        named = {"p": str(point)} if with_parameter and at is None else None
        lower = {"pair": 0, "word": word, "at": named, "toward": None}
        document["lower"] = [lower | {"ratio": str(a / b) if b else "inf"}]
        wanted = bool(a and b) if common else bool(a or b)
        kinds[common, wanted] += 1
        assert (HIDDEN_MODELS.outcome(model.text, document) == "accepted") is wanted
        if wanted and b:
            document["lower"] = [lower | {"ratio": str(a / b + Fraction(1, 10**9))}]
            assert HIDDEN_MODELS.outcome(model.text, document) == "word"
    assert min(kinds.values()) >= 5, kinds


def _tried_below(
    model: RandomModel, dice: random.Random, states: set[int], block: list[str]
) -> tuple[Vector, Fraction]:
    """A vector in some of the states, and by how much a round makes it larger, at least."""
    v = {s: Fraction(dice.choice([1, 1, 2])) for s in sorted(states) if dice.random() < 0.6}
    after = model.after(v, block, GENERIC)
    return v, min((after.get(s, Fraction(0)) / x for s, x in v.items()), default=Fraction(0))


def _tried_above(
    model: RandomModel, dice: random.Random, states: set[int], block: list[str]
) -> tuple[Vector, Fraction]:
    """A vector in the states and perhaps in others, and by how much a round makes it larger, at most."""
    named = states | {s for s in range(STATES) if dice.random() < 0.3}
    w = {s: Fraction(dice.choice([1, 1, 2, 4, 16])) for s in sorted(named)}
    after = model.after(w, block, GENERIC)
    down = max((y / w[s] for s, y in after.items() if s in w), default=Fraction(0))
    return w, max(down, Fraction(1, 100))


@pytest.mark.parametrize("common", [False, True])
def test_growth_that_is_accepted_is_true(common: bool) -> None:
    """Ratios of repeated blocks, in the whole model, are at least what the two vectors of a proof promise."""
    verdicts: Counter[str] = Counter()
    for dice, model, pairs, _ in random_models(60, f"growth {common}", False):
        start, other = ({side: Fraction(1)} for side in pairs[0])
        for block, suffix in product([["x"], ["y"], ["x", "y"]], [["x"], ["y"]]):
            prefix = dice.choice([[], ["x"], ["y"]])
            alpha, beta = (model.after(side, prefix, GENERIC) for side in (start, other))
            live = model.live(pairs, common, GENERIC)
            v, up = max(
                (_tried_below(model, dice, set(alpha) & live, block) for _ in range(8)),
                key=lambda tried: tried[1],
            )
            w, down = min(
                (_tried_above(model, dice, set(beta) & live, block) for _ in range(8)),
                key=lambda tried: tried[1],
            )
            if dice.random() < 0.2:
                up *= Fraction(11, 10)
            document = certificate(model, pairs, common, None)
            repetition = {"pair": 0, "prefix": prefix, "block": block, "suffix": suffix}
            vectors = {
                name: {f"s{s}": str(x) for s, x in x.items()} for name, x in (("below", v), ("above", w))
            }
            document["growth"] = [{**repetition, **vectors, "up": str(up), "down": str(down)}]
            verdict = HIDDEN_MODELS.outcome(model.text, document)
            assert verdict != "malformed"
            verdicts[verdict] += 1
            if verdict != "accepted":
                continue
            verdicts["dead"] += bool(set(beta) - live)
            least = min(alpha[s] / x for s, x in v.items()) * model.value(v, suffix, GENERIC)
            most = max((x / w[s] for s, x in beta.items() if s in live), default=Fraction(0))
            most *= model.value(w, suffix, GENERIC)
            for rounds in range(5):
                word = [*prefix, *block * rounds, *suffix]
                a, b = (model.value(side, word, GENERIC) for side in (start, other))
                assert a >= least * up**rounds > 0
                if common:
                    assert 0 < b <= most * down**rounds
                else:
                    assert b <= most * down**rounds
    assert verdicts["accepted"] >= 20, verdicts
    assert verdicts["growth"] >= 20, verdicts
    assert verdicts["dead"] >= 3 * common, verdicts
