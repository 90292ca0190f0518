"""Chains on which short cuts go wrong: made to be small, and unkind to an engine that leaves things out.

An engine that computes bd fast leaves something out: states outside the supports, states that look like
others, pairs that are waiting for each other. Each maker here builds chains where one of these matters.

* `copies`: few behaviours and many states: rows that are equal, and rows that are bisimilar but not equal;
* `outside`, `crowds`: states that no row in question leads to, and that lower a distance all the same. THE
  TRAP below is 1/5 without its outside states at alpha 2, 23/120 with both, and 1/5 with either alone. Dense
  rows over few ends make more of this kind. They stand below random layers, and their ends lead back to the
  starts, so that conflicts depend on each other in cycles;
* `rings`: THE TRAP twice, each above the other;
* `surveys`, `diners`: mechanisms with many states of few labels, hardly any of which is ever needed;
* `layers`: chains with a clock, and almost with one: a label that occurs in two layers, an arc that skips
  one or leads back;
* `unseen`: the same words with the same probabilities, up to alpha, from states that are at a distance;
* `extremes`: pairs at distance 1 that no word up to a length tells, where matching labels is not transitive,
  next to pairs at 0;
* `general`: random chains with small denominators, for all else.

Probabilities are ratios of small numbers, so that programs tie. All makers take a random generator and
nothing else, and `traps` draws from them in turn for as long as one likes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import make_family

ALPHAS = ("1", "1.0002", "1.1", "3/2", "2", "3")
THE_TRAP = ((7, 5, 8), (1, 1, 18), (6, 7, 7), (2, 4, 14))  # i, j, k, l to x, y, z, over 20, at alpha 2

Rows = dict[str, tuple[str, dict[str, Fraction]]]
Made = tuple[Rows, tuple[str, str]]


@dataclass(frozen=True)
class Trap:
    """A chain, a pair of its states that matters, and a skew."""

    name: str
    chain: LabelledMarkovChain
    pair: tuple[str, str]
    alpha: str


def traps(seed: int) -> Iterator[Trap]:
    """Traps without end, of every kind in turn; a function of the seed."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    while True:
        for make in MAKERS:
            name = make.__name__
            rows, pair = make(draw)
            alpha = draw.choice(ALPHAS if make is not crowds else ALPHAS[2:])
            if make in (outside, rings) and draw.random() < 0.8:
                alpha = "2"  # that of THE TRAP
            yield Trap(name, LabelledMarkovChain.from_rows(rows, name=name), pair, alpha)


def shares(draw: random.Random, targets: Sequence[str], bottom: int) -> dict[str, Fraction]:
    """A random distribution on all of some targets, as multiples of 1/bottom. Requires: bottom suffices."""
    cuts = [0, *sorted(draw.sample(range(1, bottom), len(targets) - 1)), bottom]
    return {t: Fraction(cuts[n + 1] - cuts[n], bottom) for n, t in enumerate(targets)}


def some(draw: random.Random, targets: Sequence[str], most: int) -> list[str]:
    """One to ``most`` of the targets."""
    return draw.sample(targets, min(len(targets), draw.randint(1, most)))


def copies(draw: random.Random) -> Made:
    """A few behaviours, each of many states: copies with equal rows, and with bisimilar ones."""
    if draw.random() < 0.6:
        base = _crowd(draw, 5, 2)
    else:
        names = [str(n) for n in range(draw.randint(3, 5))]
        bottom = draw.choice([4, 6, 12])
        base = {s: (draw.choice("ab"), shares(draw, some(draw, names, 3), bottom)) for s in names}
        base[names[-1]] = "c", base[names[-1]][1]  # something to see
    return _with_pair(draw, doubled(draw, base, most=len(base) + 5))


def doubled(draw: random.Random, base: Rows, most: int) -> Rows:
    """Bisimilar to the chain given: states have copies, up to ``most`` states in all.

    Half of the copies have the row of the first; the others split their shares between copies of targets.
    """
    copied = {s: [s] for s in base}
    extra = draw.randint(1, max(1, most - len(base)))
    for n in range(extra):
        s = draw.choice(list(base))
        copied[s].append(f"{s}~{n}")
    rows: Rows = {}
    for s, (label, row) in base.items():
        first = {draw.choice(copied[t]): p for t, p in row.items()}
        for place, name in enumerate(copied[s]):
            mine = first
            if place > 0 and draw.random() < 0.5:
                mine = {}
                for t, p in row.items():
                    for part in (p / 3, 2 * p / 3):
                        chosen = draw.choice(copied[t])
                        mine[chosen] = mine.get(chosen, Fraction(0)) + part
            rows[name] = label, mine
    return rows


def outside(draw: random.Random) -> Made:
    """THE TRAP, once or twice, perhaps nudged; where it is there twice, each has a part of the other."""
    rows: Rows = {}
    groups = draw.choice([1, 2])
    for g in range(groups):
        order = draw.sample(range(3), 3)
        for mid, weights in zip("ijkl", THE_TRAP, strict=True):
            numbers = [weights[place] for place in order]
            if draw.random() < 0.2 and max(numbers) > 2:
                largest = numbers.index(max(numbers))
                numbers[largest], numbers[largest - 1] = numbers[largest] - 1, numbers[largest - 1] + 1
            rows[f"{mid}{g}"] = "mid", {e: Fraction(n, 20) for e, n in zip("xyz", numbers, strict=True)}
        rows[f"s{g}"] = "start", {f"i{g}": Fraction(1, 2), f"j{g}": Fraction(1, 2)}
        rows[f"t{g}"] = "start", {f"i{g}": Fraction(1)}
    if groups == 2 and draw.random() < 0.5:
        rows["s1"] = "start", {"i1": Fraction(1, 4), "j1": Fraction(1, 4), "i0": Fraction(1, 2)}
        rows["t1"] = "start", {"i1": Fraction(1, 2), "j0": Fraction(1, 2)}
    _lead_back(draw, rows, "xyz", [s for s in rows if s[0] in "st"])
    return _below_layers(draw, rows, ["s0", "t0"])


def crowds(draw: random.Random) -> Made:
    """More of it: as soon as a few states have dense rows over few ends, every other chain is a trap."""
    rows = _crowd(draw, draw.randint(5, 7), draw.choice([2, 2, 3]))
    return _below_layers(draw, rows, ["s", "t"])


def rings(draw: random.Random) -> Made:
    """THE TRAP twice; the ends of each lead to the starts of the other, so conflicts wait for each other.

    The first ends are two, with one label, for different starts: how far the states in the middle are apart
    depends on them, so on the other trap, and so on the trap itself.
    """
    rows: Rows = {}
    for g in (0, 1):
        starts = {"s": ("i", "j"), "t": ("i",), "u": draw.choice([("j",), ("k", "j"), ("l",)])}
        ends = {f"{e}{g}": e for e in ("x", "x'", "y", "z")}
        order = draw.sample(range(3), 3)
        for mid, weights in zip("ijkl", THE_TRAP, strict=True):
            x = draw.choice([f"x{g}", f"x{g}", f"x'{g}"])
            numbers = (weights[place] for place in order)
            row = {e: Fraction(n, 20) for e, n in zip((x, f"y{g}", f"z{g}"), numbers, strict=True)}
            rows[f"{mid}{g}"] = f"mid{g}", row
        for name, targets in starts.items():
            rows[f"{name}{g}"] = f"start{g}", {f"{m}{g}": Fraction(1, len(targets)) for m in targets}
        back = draw.choice([Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
        above = [f"{name}{1 - g}" for name in draw.sample("stu", 3)]
        for (name, e), up in zip(ends.items(), [*above, above[0]], strict=True):
            rows[name] = f"{e[0]}{g}", {up: back, name: 1 - back}
    return rows, draw.choice([("s0", "t0"), ("s1", "t1"), ("x0", "x'0")])


def _crowd(draw: random.Random, size: int, ends: int) -> Rows:
    """Starts above a crowd of states, whose ends may lead back to the starts."""
    letters, bottom = "xyz"[:ends], 20
    rows: Rows = {f"m{n}": ("mid", shares(draw, letters, bottom)) for n in range(size)}
    starts, mids = ["s", "t", "u", "v"], list(rows)
    if draw.random() < 0.3:  # a second crowd above the first, with its label or one of its own
        label = draw.choice(["mid", "high"])
        high = [f"h{n}" for n in range(3)]
        for name in high:
            rows[name] = label, shares(draw, some(draw, mids, 2), 4)
        mids = high
    for name in starts:
        rows[name] = "start", shares(draw, some(draw, mids, 2), draw.choice([2, 4]))
    _lead_back(draw, rows, letters, starts)
    return rows


def _lead_back(draw: random.Random, rows: Rows, letters: Sequence[str], starts: Sequence[str]) -> None:
    """Add ends for the letters: for ever there, or now and then back up.

    Where they lead back, an end may become two with the same label, and rows that led to it go to either.
    """
    back = draw.choice([Fraction(0), Fraction(1, 2), Fraction(3, 4)])
    for e in letters:
        names = [e]
        if back and draw.random() < 0.3:
            names.append(f"{e}'")
            for name, (label, row) in list(rows.items()):
                if e in row and draw.random() < 0.5:
                    rows[name] = label, {names[1] if t == e else t: p for t, p in row.items()}
        for name in names:
            up = {t: back * p for t, p in shares(draw, some(draw, starts, 2), 4).items()} if back else {}
            rows[name] = e, {name: 1 - back, **up}


def _below_layers(draw: random.Random, rows: Rows, pair: Sequence[str]) -> Made:
    """Perhaps with states above the starts, and then these are asked for."""
    starts = [s for s, (label, _) in rows.items() if label == "start"]
    top = [f"top{n}" for n in range(draw.choice([0, 0, 2, 3]))]
    for name in top:
        rows[name] = "top", shares(draw, some(draw, starts, 2), 4)
    return rows, (top[0], top[1]) if top else (pair[0], pair[1])


def surveys(draw: random.Random) -> Made:
    """Questions answered through a coin; start states for all vectors of answers, or two of the longer."""
    questions = draw.choice([1, 2, 2, 3])
    vectors = ["".join(word) for word in product("01", repeat=questions)]
    if questions == 3:
        vectors = draw.sample(vectors, 2)
    truths = [Fraction(*draw.choice([(3, 4), (3, 4), (2, 3), (3, 5)])) for _ in range(questions)]
    return survey(vectors, truths), (vectors[0], vectors[-1])


def survey(vectors: Sequence[str], truths: Sequence[Fraction]) -> Rows:
    """A start state for each vector of answers; the n-th is given truthfully with probability truths[n]."""
    rows: Rows = {}
    for v in vectors:
        before = [(v, "start")]
        for n, (answer, truth) in enumerate(zip(v, truths, strict=True)):
            yes = truth if answer == "1" else 1 - truth
            after = [(f"{v}.{n}.{said}", said) for said in ("yes", "no")]
            for name, label in before:
                rows[name] = label, {after[0][0]: yes, after[1][0]: 1 - yes}
            before = after
        for name, label in before:  # all has been said
            rows[name] = label, {name: Fraction(1)}
    return rows


def diners(draw: random.Random) -> Made:
    """Two cryptographers."""
    shape = draw.choice(["merged", "stepwise"])
    bias = draw.choice(["1/3", "2/5", "49/100"])
    values: dict[str, str | int | Fraction] = {"diners": 2, "presentation": shape, "bias": bias}
    chain = make_family("dining-cryptographers", values)
    return {s: (chain.label(s), chain.row(s)) for s in chain.states}, ("s0", "s1")


def layers(draw: random.Random) -> Made:
    """Layers with labels of their own, or with the same labels and perhaps an arc that does not fit."""
    depth, width, bottom = draw.randint(2, 4), draw.randint(2, 3), draw.choice([4, 6, 12])
    own, spoilt = draw.random() < 0.4, draw.random() < 0.6
    names = [[f"{layer}.{n}" for n in range(width)] for layer in range(depth)]
    rows: Rows = {}
    for layer, row in enumerate(names):
        for n, name in enumerate(row):
            label = "abc"[n] if layer + 1 == depth else draw.choice("ab")
            below = shares(draw, some(draw, names[layer + 1], 2), bottom) if layer + 1 < depth else {}
            rows[name] = f"{layer}{label}" if own else label, below or {name: Fraction(1)}
    if spoilt:  # from somewhere, a part of the way goes anywhere
        name = draw.choice(list(rows))
        label, row_of = rows[name]
        target, part = draw.choice(list(rows)), draw.choice([Fraction(1, 3), Fraction(1, 2)])
        moved = {t: (1 - part) * p for t, p in row_of.items()}
        moved[target] = moved.get(target, Fraction(0)) + part
        rows[name] = label, moved
    return _with_pair(draw, rows)


def unseen(draw: random.Random) -> Made:
    """s and t say every word alike, or within a ratio that alpha forgives, and are told apart by bd."""
    letters = ["x", "y", "z"][: draw.randint(2, 3)]
    bottom = draw.choice([8, 12, 20])
    hidden = [shares(draw, letters, bottom) for _ in range(draw.randint(2, 3))]
    weights = shares(draw, [str(n) for n in range(len(hidden))], 4)
    mixed = {e: sum((weights[str(n)] * h[e] for n, h in enumerate(hidden)), Fraction(0)) for e in letters}
    if draw.random() < 0.3:  # a ratio just within some alpha
        tilt = min(mixed[letters[0]], Fraction(1, 60))
        mixed[letters[0]], mixed[letters[1]] = mixed[letters[0]] - tilt / 2, mixed[letters[1]] + tilt / 2
    rows: Rows = {
        "s": ("start", {f"m{n}": p for n, p in ((int(key), p) for key, p in weights.items())}),
        "t": ("start", {"mixed": Fraction(1)}),
        "mixed": ("mid", mixed),
        **{f"m{n}": ("mid", h) for n, h in enumerate(hidden)},
    }
    if draw.random() < 0.5:  # more of them, outside
        rows["other"] = "mid", shares(draw, letters, bottom)
    loops = draw.random() < 0.6
    for e in letters:
        up = {t: p / 2 for t, p in shares(draw, some(draw, ["s", "t"], 2), 4).items()} if loops else {}
        rows[e] = e, {e: Fraction(1, 2) if loops else Fraction(1), **up}
    return rows, ("s", "t")


def extremes(draw: random.Random) -> Made:
    """Rings of different lengths that a label is read on, states that enter several, and copies of both."""
    rows: Rows = {}
    entries: list[str] = []
    for number, length in enumerate(draw.sample([1, 2, 3, 4], 3)):
        ring = [f"r{number}.{n}" for n in range(length)]
        for n, name in enumerate(ring):
            rows[name] = "b" if n == length - 1 and length > 1 else "a", {ring[(n + 1) % length]: Fraction(1)}
        entries.append(draw.choice(ring))
    for n in range(draw.randint(2, 3)):
        rows[f"fork{n}"] = "a", shares(draw, some(draw, [*entries, "fork0"], 3), 6)
    if draw.random() < 0.5:
        rows["copy"] = rows["fork0"]
    return rows, draw.choice([("fork0", "fork1"), ("fork0", "fork1"), _with_pair(draw, rows)[1]])


def general(draw: random.Random) -> Made:
    """A random chain."""
    names = [str(n) for n in range(draw.randint(5, 9))]
    labels, bottom = "abc"[: draw.randint(1, 3)], draw.choice([4, 6, 12])
    rows: Rows = {s: (draw.choice(labels), shares(draw, some(draw, names, 3), bottom)) for s in names}
    rows[names[-1]] = "end", rows[names[-1]][1]
    return _with_pair(draw, rows)


def _with_pair(draw: random.Random, rows: Rows) -> Made:
    """A pair of different states with one label; where there is none, a copy of a state makes one."""
    names = list(rows)
    pairs = [(s, t) for n, s in enumerate(names) for t in names[n + 1 :] if rows[s][0] == rows[t][0]]
    if not pairs:
        rows["again"] = rows[names[0]]
        pairs = [(names[0], "again")]
    return rows, draw.choice(pairs)


# in the order of `traps`; those that catch most come more than once
MAKERS: tuple[Callable[[random.Random], Made], ...] = (
    *(crowds, copies, outside, layers, rings, unseen, surveys, general),
    *(outside, copies, crowds, layers, rings, extremes, outside, unseen, rings, diners),
)
