"""Certificates of privacy profiles, written in the simplest way; and what is true, by listing all words.

Nothing here shares code with the checker or the engine. Fractions everywhere, a dictionary for everything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import gcd, lcm
from typing import Any

Number = Fraction
Atom = tuple[Fraction, Fraction]
Vector = dict[Any, Fraction]
ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class Chain:
    """A chain by its labels and rows."""

    labels: dict[str, str]
    rows: dict[str, dict[str, Fraction]]

    def text(self) -> str:
        lines = (
            f"{s} [{self.labels[s]}] -> " + ", ".join(f"{p} {j}" for j, p in row.items())
            for s, row in self.rows.items()
        )
        return "\n".join(["lmc", *lines, ""])

    def fingerprint(self) -> str:
        form = [
            [s, self.labels[s], [[j, str(p)] for j, p in sorted(self.rows[s].items()) if p]]
            for s in sorted(self.labels)
        ]
        return hashlib.sha256(json.dumps(form, separators=(",", ":")).encode()).hexdigest()


def chain(described: Mapping[str, tuple[str, Mapping[str, str | int]]]) -> Chain:
    return Chain(
        {s: label for s, (label, _) in described.items()},
        {s: {j: Fraction(p) for j, p in row.items()} for s, (_, row) in described.items()},
    )


# --- the truth ----------------------------------------------------------------------------------------------


def word_probabilities(model: Chain, state: str, length: int) -> dict[tuple[str, ...], Fraction]:
    """The probability of each word of labels, the state's own first; by walking every path."""
    found: dict[tuple[tuple[str, ...], str], Fraction] = {((model.labels[state],), state): ONE}
    for _ in range(length - 1):
        after: dict[tuple[tuple[str, ...], str], Fraction] = {}
        for (word, i), x in found.items():
            for j, p in model.rows[i].items():
                key = ((*word, model.labels[j]), j)
                after[key] = after.get(key, ZERO) + x * p
        found = after
    words: dict[tuple[str, ...], Fraction] = {}
    for (word, _), x in found.items():
        words[word] = words.get(word, ZERO) + x
    return words


def true_atoms(model: Chain, s: str, t: str, length: int) -> list[Atom]:
    """An atom for each word of a length; the whole distribution where nothing is learned after that."""
    p, q = (word_probabilities(model, i, length) for i in (s, t))
    return [(p.get(w, ZERO), q.get(w, ZERO)) for w in p | q]


def value(atoms: Iterable[Atom], alpha: Fraction) -> Fraction:
    return sum((max(ZERO, p - alpha * q) for p, q in atoms), ZERO)


def ratios(atoms: Iterable[Atom]) -> list[Fraction]:
    return sorted({p / q for p, q in atoms if q})


def merged(atoms: Iterable[Atom]) -> list[Atom]:
    """One atom for each ratio."""
    found: dict[Fraction | None, Atom] = {}
    for p, q in atoms:
        if p or q:
            key = p / q if q else None
            x, y = found.get(key, (ZERO, ZERO))
            found[key] = (x + p, y + q)
    return list(found.values())


# --- graphs -------------------------------------------------------------------------------------------------

Steps = Callable[[Vector], dict[str, Vector]]  # v X_c for each label c, without zeros


def steps_of_states(model: Chain, futures: Mapping[str, Mapping[str, Fraction]] | None = None) -> Steps:
    """A step of the chain, after which states with an entry are replaced by their combinations."""

    def step(v: Vector) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        for i, x in v.items():
            for j, p in model.rows[i].items():
                part = found.setdefault(model.labels[j], {})
                for k, y in (futures or {}).get(j, {j: ONE}).items():
                    part[k] = part.get(k, ZERO) + x * p * y
        nonzero = {c: {k: x for k, x in part.items() if x} for c, part in found.items()}
        return {c: part for c, part in nonzero.items() if part}

    return step


def primitive(v: Vector) -> dict[Any, int]:
    m = lcm(*(x.denominator for x in v.values()))
    numbers = {i: int(x * m) for i, x in v.items()}
    common = gcd(*numbers.values())
    return {i: x // common for i, x in numbers.items()}


def is_closed(a: Mapping[Any, int], b: Mapping[Any, int]) -> bool:
    if not a or not b:
        return True
    i = next(iter(a))
    return a.keys() == b.keys() and all(x * b[i] == a[i] * b[j] for j, x in a.items())


def nodes_from(a: Vector, b: Vector, step: Steps, deepest: int = 10**6) -> list[dict[str, Any]]:
    """All beliefs that are reached, as nodes; leaves where they are closed or too deep."""
    found: dict[Any, dict[str, Any]] = {}

    def visit(a: Vector, b: Vector, depth: int) -> Any:
        pa, pb = primitive(a) if a else {}, primitive(b) if b else {}
        key = (frozenset(pa.items()), frozenset(pb.items()))
        if key in found:
            return key
        node = found[key] = {"a": [[i, x] for i, x in pa.items()], "b": [[i, x] for i, x in pb.items()]}
        if not is_closed(pa, pb) and depth < deepest:
            # the vectors as they stand in the node, so that their own factors do not matter
            after_a, after_b = (step({i: Fraction(x) for i, x in v.items()}) for v in (pa, pb))
            node["next"] = [
                [c, visit(after_a.get(c, {}), after_b.get(c, {}), depth + 1)]
                for c in sorted(after_a | after_b)
            ]
        finished.append(key)
        return key

    finished: list[Any] = []
    visit(a, b, 0)
    number = {key: n for n, key in enumerate(reversed(finished))}  # what leads to a node comes before it
    nodes = [found[key] for key in reversed(finished)]
    for node in nodes:
        if "next" in node:
            node["next"] = [[c, number[key]] for c, key in node["next"]]
    return nodes


def document(
    model: Chain, pair: Sequence[str], nodes: Sequence[Any], claim: Any, **more: Any
) -> dict[str, Any]:
    return {
        "format": "bdist-profile",
        "version": 1,
        "model": model.fingerprint(),
        "pair": list(pair),
        "nodes": list(nodes),
        "claim": claim,
        **more,
    }


def written(atoms: Iterable[Atom]) -> list[list[str]]:
    return [[str(p), str(q)] for p, q in atoms]


def atoms_claim(atoms: Iterable[Atom]) -> dict[str, Any]:
    return {"atoms": written(merged(atoms))}


# --- what a graph without cycles proves, path by path -------------------------------------------------------


def scales(nodes: Sequence[Any], step: Steps, u: int) -> list[tuple[int, Fraction, Fraction]]:
    """The edges of an inner node: the node that one leads to, g and h."""
    found = []
    for letter_steps in [[step({i: Fraction(x) for i, x in nodes[u][side]}) for side in "ab"]]:
        for c, k in nodes[u]["next"]:
            factors = []
            for after, side in zip(letter_steps, "ab", strict=True):
                child = nodes[k][side]
                factors.append(after[c][child[0][0]] / child[0][1] if child else ZERO)
            found.append((k, factors[0], factors[1]))
    return found


def path_weights(nodes: Sequence[Any], step: Steps) -> dict[int, list[Atom]]:
    """For each leaf the weight of every path that leads there."""
    leaves: dict[int, list[Atom]] = {}

    def walk(v: int, x: Fraction, y: Fraction) -> None:
        if "next" not in nodes[v]:
            leaves.setdefault(v, []).append((x, y))
            return
        for k, g, h in scales(nodes, step, v):
            walk(k, x * g, y * h)

    walk(0, ONE, ONE)
    return leaves


def total(vector: Iterable[Sequence[Any]]) -> int:
    return sum(n for _, n in vector)


def list_of(nodes: Sequence[Any], weights: Mapping[int, Iterable[Atom]], pessimistic: bool) -> list[Atom]:
    """The optimistic or the pessimistic list for the weights of the nodes, without types."""
    found: list[Atom] = []
    for v, pairs in weights.items():
        a, b = dict(nodes[v]["a"]), dict(nodes[v]["b"])
        p, q = (total(nodes[v][side]) for side in "ab")
        shares = [(p, q)]
        if pessimistic and ("next" in nodes[v] or not is_closed(a, b)):
            shares = [(a.get(i, 0), b.get(i, 0)) for i in a | b]
            if any(x < 0 or y < 0 for x, y in shares):
                shares = [(p, 0), (0, q)]
        found += [(x * p, y * q) for (x, y), (p, q) in product(pairs, shares)]
    return [atom for atom in found if any(atom)]


# --- the grid, cell by cell ---------------------------------------------------------------------------------


def floor_log(rho: Fraction, r: Fraction) -> int:
    """The largest k with rho^k <= r."""
    k = 0
    while rho ** (k + 1) <= r:
        k += 1
    while rho**k > r:
        k -= 1
    return k


def down(x: Fraction, bits: int) -> Fraction:
    return Fraction(x.numerator * 2**bits // x.denominator, 2**bits)


def up(x: Fraction, bits: int) -> Fraction:
    return -down(-x, bits)


def grid_weights(
    nodes: Sequence[Any], step: Steps, grid: Mapping[str, Any], pessimistic: bool
) -> dict[int, list[Atom]]:
    """What the nodes hold in the end, as weights for their vectors as they stand."""
    rho, bits = Fraction(grid["ratio"]), grid["bits"]
    round_x, round_y = (up, down) if pessimistic else (down, up)
    mass = [[Fraction(max(1, total(node[side]))) for side in "ab"] for node in nodes]
    held: dict[int, dict[int, Atom]] = {0: {0: (ONE, ONE)}}
    ended: dict[int, list[Atom]] = {}
    for _ in range(grid["rounds"]):
        after = {v: dict(cells) for v, cells in held.items() if "next" not in nodes[v]}
        sums: dict[int, dict[int, Atom]] = {}
        for u, cells in held.items():
            for v, g, h in scales(nodes, step, u) if "next" in nodes[u] else ():
                g, h = g * mass[v][0] / mass[u][0], h * mass[v][1] / mass[u][1]
                k = floor_log(rho, g / h) if g and h else 0
                if not g or not h:
                    pieces = [(0, g, h)]
                elif not pessimistic:
                    pieces = [(k + ((g / h) ** 2 > rho ** (2 * k + 1)), g, h)]
                elif g / h == rho**k:
                    pieces = [(k, g, h)]
                else:
                    c = (g - h * rho**k) / (rho ** (k + 1) - rho**k)
                    pieces = [(k, (h - c) * rho**k, h - c), (k + 1, c * rho ** (k + 1), c)]
                for j, of_g, of_h in pieces:
                    for cell, (x, y) in cells.items():
                        old = sums.setdefault(v, {}).get(cell + j, (ZERO, ZERO))
                        moved = x * round_x(of_g, bits), y * round_y(of_h, bits)
                        sums[v][cell + j] = (old[0] + moved[0], old[1] + moved[1])
        for v, arrived in sums.items():
            for cell, (x, y) in arrived.items():
                x, y, into = round_x(x, bits), round_y(y, bits), cell
                if "next" in nodes[v] and not grid["low"] <= cell <= grid["high"]:
                    if pessimistic:
                        ended.setdefault(v, []).extend([(x, ZERO), (ZERO, y)])
                        continue
                    into = grid["low"] if cell < 0 else grid["high"]
                old = after.setdefault(v, {}).get(into, (ZERO, ZERO))
                after[v][into] = (old[0] + x, old[1] + y)
        held = after
    return {
        v: [(x / mass[v][0], y / mass[v][1]) for x, y in [*held.get(v, {}).values(), *ended.get(v, [])]]
        for v in held | ended
    }


def with_sums_one(points: Sequence[tuple[Fraction, Fraction]]) -> list[Atom]:
    """The list whose function is 1 at 0, the lower hull of these points, and constant after the last."""

    def slope(one: tuple[Fraction, Fraction], two: tuple[Fraction, Fraction]) -> Fraction:
        return (two[1] - one[1]) / (two[0] - one[0])

    hull: list[tuple[Fraction, Fraction]] = [(ZERO, ONE)]
    for alpha, f in sorted(points):
        if alpha == 0 or f > hull[-1][1]:
            continue
        while len(hull) > 1 and slope(hull[-2], hull[-1]) >= slope(hull[-2], (alpha, f)):
            hull.pop()
        hull.append((alpha, f))
    slopes = [-ONE]
    slopes += [slope(*pair) for pair in pairwise(hull)]
    slopes.append(ZERO)
    atoms = [
        (alpha * (m1 - m0), m1 - m0) for (alpha, _), (m0, m1) in zip(hull, pairwise(slopes), strict=True)
    ]
    return [atom for atom in [*atoms, (hull[-1][1], ZERO)] if any(atom)]


def claim_above(pessimistic: Sequence[Atom]) -> list[Atom]:
    """A list with sums 1 that is as low as min(1, P) allows."""
    return with_sums_one([(r, min(ONE, value(pessimistic, r))) for r in ratios(pessimistic)])


def claim_below(optimistic: Sequence[Atom]) -> list[Atom]:
    """The list with sums 1 of max(O, 1 - alpha)."""

    def f(alpha: Fraction) -> Fraction:
        return max(value(optimistic, alpha), 1 - alpha)

    corners = ratios(optimistic)
    for low, high in zip([ZERO, *corners], [*corners, corners[-1] + 2], strict=True):
        d0, d1 = (value(optimistic, x) - (1 - x) for x in (low, high))
        if d0 < 0 < d1:  # where O, linear in between, meets 1 - alpha
            corners.append(low + (high - low) * -d0 / (d1 - d0))
    return with_sums_one([(alpha, f(alpha)) for alpha in corners])
