"""A second checker of certificates of distances, written from ``certificates/SPEC.md`` and nothing else.

Every number is a Fraction, every constraint is looked at for all pairs of states, nothing is kept from one
stage to the next but the table, and nothing is clever. It expects a document of the form of section 2, as
``json.loads`` returns it, and a chain as two dictionaries. It shares no code with the checker or with bdist.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

ZERO, ONE = Fraction(0), Fraction(1)
Labels = Mapping[str, str]
Rows = Mapping[str, Mapping[str, Fraction]]
Pair = tuple[str, str]
Table = Callable[[str, str], Fraction]


class _Failed(Exception):
    """The step that fails."""


def _demand(step: str, holds: bool) -> None:
    if not holds:
        raise _Failed(step)


def judged(labels: Labels, rows: Rows, document: Any) -> str:
    """``accepted``, or the step of section 3 that fails first here."""
    try:
        _verify(labels, rows, document)
    except _Failed as failed:
        return str(failed)
    return "accepted"


def fingerprint(labels: Labels, rows: Rows) -> str:
    """The fingerprint of section 1."""
    form = [
        [s, labels[s], [[i, str(p)] for i, p in sorted(rows[s].items()) if p]]  # str: p/q, or p
        for s in sorted(labels)
    ]
    return hashlib.sha256(json.dumps(form, separators=(",", ":")).encode("ascii")).hexdigest()


def _verify(labels: Labels, rows: Rows, document: Any) -> None:
    alpha, symmetric = Fraction(document["alpha"]), document["quantity"] == "bd"
    _demand("model", document["model"] == fingerprint(labels, rows))
    _demand("alpha", alpha >= 1)
    labels, rows, first = _quotient(labels, rows, document.get("partition", []), "partition")
    labels = _timed(labels, rows, document["clock"]) if "clock" in document else labels
    claims = [[first.get(s, s) for s in claim["pair"]] for claim in document["claims"]]
    fewer, fewer_rows, merged = _quotient(labels, rows, document.get("merged", []), "merged")
    _check_pairs(labels, claims, document, symmetric)
    _demand("pairs", set(document["states"]) <= set(fewer))
    words, states = document.get("words", 0), document["states"]
    values = _Proof(labels, rows, alpha, words, symmetric, states).check_upper(document["upper"])
    proof = _Proof(fewer, fewer_rows, alpha, words, symmetric, states)
    for stage in document["lower"]:
        proof.check_stage(stage["functions"], stage["escapes"])
    for (s, t), claim in zip(claims, document["claims"], strict=True):
        x, y = Fraction(claim["lower"]), Fraction(claim["upper"])
        _demand("claim-lower", x <= proof.known(merged.get(s, s), merged.get(t, t)) or x <= 0)
        _demand("claim-upper", y >= 1 or (s == t and y >= 0) or values.get(proof.key(s, t), ONE) <= y)


def _quotient(
    labels: Labels, rows: Rows, partition: list[list[str]], step: str
) -> tuple[Labels, Rows, dict[str, str]]:
    first: dict[str, str] = {}
    for states in partition:
        for s in states:
            _demand(step, s in labels and s not in first)
            first[s] = states[0]
    kept = [s for s in labels if first.get(s, s) == s]

    def into(s: str, c: str) -> Fraction:
        return sum((p for i, p in rows[s].items() if first.get(i, i) == c), ZERO)

    for s, t in first.items():
        _demand(step, labels[s] == labels[t] and all(into(s, c) == into(t, c) for c in kept))
    return {s: labels[s] for s in kept}, {s: {c: into(s, c) for c in kept} for s in kept}, first


def _timed(labels: Labels, rows: Rows, clock: list[str]) -> Labels:
    _demand("clock", set(clock) <= set(labels.values()))
    h = {s: 0 for s in labels if labels[s] in clock}
    for _ in labels:  # in each round the states with the next number
        for s in labels:
            after = {h.get(i) for i, p in rows[s].items() if p}
            if s not in h and len(after) == 1 and None not in after:
                h[s] = max(x for x in after if x is not None) + 1
    _demand("clock", len(h) == len(labels))
    return {s: f"{label}@{h[s]}" for s, label in labels.items()}


def _check_pairs(labels: Labels, claims: list[list[str]], document: Any, symmetric: bool) -> None:
    states = document["states"]
    _demand("pairs", {*states, *(s for pair in claims for s in pair)} <= set(labels))
    recorded = [tuple(record["pair"]) for record in document["upper"]]
    numbers, pairs = [s for pair in recorded for s in pair], list(recorded)
    for record in document["upper"]:
        for w, b in (record[name] for name in ("forward", "backward") if name in record):
            numbers += w[::3] + w[1::3] + b[::2]
    for f in (f for stage in document["lower"] for f in (*stage["functions"], *stage["escapes"])):
        width = 2 if "rank" in f else 3
        pairs += zip(f["pairs"][::width], f["pairs"][1::width], strict=True)
        numbers += f["f"][::2] + f["pairs"][::width] + f["pairs"][1::width]
        _demand("pairs", set(f["rest"]) <= set(labels.values()))
    _demand("pairs", all(0 <= n < len(states) for n in numbers))
    _demand("pairs", all(s != t and labels[states[s]] == labels[states[t]] for s, t in pairs))
    unordered = [tuple(sorted(pair)) if symmetric else pair for pair in recorded]
    _demand("pairs", len(set(unordered)) == len(unordered))


class _Proof:
    """Upper records or stages, on the chain that they are about."""

    def __init__(
        self, labels: Labels, rows: Rows, alpha: Fraction, words: int, symmetric: bool, states: list[str]
    ) -> None:
        self.labels, self.rows, self.alpha, self.words = labels, rows, alpha, words
        self.symmetric, self.states = symmetric, states
        self.given: dict[Pair, Fraction] = {}  # the largest number of a pair up to here

    def key(self, i: str, j: str) -> Pair:
        return (min(i, j), max(i, j)) if self.symmetric else (i, j)

    def gap(self, f: Mapping[str, Fraction], s: str, t: str) -> Fraction:
        """Σ_i f_i (μ_s(i) − α μ_t(i))."""
        return sum((f[i] * (self.mu(s, i) - self.alpha * self.mu(t, i)) for i in self.labels), ZERO)

    def mu(self, s: str, i: str) -> Fraction:
        return self.rows[s].get(i, ZERO)

    def named(self, flat: list[int], over: int, width: int) -> dict[Any, Fraction]:
        """The numbers of a flat array under the state or the states that stand before each."""
        entries = (flat[k : k + width] for k in range(0, len(flat), width))
        return {tuple(self.states[i] for i in entry[:-1]): Fraction(entry[-1], over) for entry in entries}

    def check_upper(self, records: list[Any]) -> dict[Pair, Fraction]:
        names = [(self.states[r["pair"][0]], self.states[r["pair"][1]]) for r in records]
        values = {self.key(*p): Fraction(r["value"], r["over"]) for p, r in zip(names, records, strict=True)}

        def upper(i: str, j: str) -> Fraction:
            same = self.labels[i] == self.labels[j]
            return ZERO if i == j else values.get(self.key(i, j), ONE) if same else ONE

        for (s, t), record in zip(names, records, strict=True):
            value = values[self.key(s, t)]
            _demand("upper-value", value >= 0)
            for x, y, direction in ((s, t, "forward"), (t, s, "backward"))[: 2 if self.symmetric else 1]:
                w = self.named(record[direction][0], record["over"], 3)
                b = self.named(record[direction][1], record["over"], 2)
                _demand("upper-coupling", all(n >= 0 for n in (*w.values(), *b.values())))
                for k in self.labels:
                    out = sum((n for (i, _), n in w.items() if i == k), b.get((k,), ZERO))
                    into = sum((n for (_, j), n in w.items() if j == k), ZERO)
                    right = self.mu(x, k) - self.alpha * self.mu(y, k)
                    _demand("upper-coupling", out - self.alpha * into >= right)
                cost = sum((n * upper(i, j) for (i, j), n in w.items()), sum(b.values(), ZERO))
                _demand("upper-cost", cost <= value)
        return values

    def after(self, i: str, m: int) -> dict[tuple[str, ...], Fraction]:
        """P_i for the words of m labels."""
        if m == 0:
            return {(): ONE}
        found: dict[tuple[str, ...], Fraction] = {}
        for k, p in self.rows[i].items():
            for u, x in self.after(k, m - 1).items() if p else ():
                word = (self.labels[k], *u)
                found[word] = found.get(word, ZERO) + p * x
        return found

    def gain(self, i: str, j: str, m: int) -> Fraction:
        """B→_m(i,j)."""
        one, other = self.after(i, m), self.after(j, m)
        return sum((max(ZERO, x - self.alpha * other.get(u, ZERO)) for u, x in one.items()), ZERO)

    def base(self, i: str, j: str, m: int) -> Fraction:
        """B(i,j), for words of m labels."""
        return max(self.gain(i, j, m), self.gain(j, i, m)) if self.symmetric else self.gain(i, j, m)

    def known(self, i: str, j: str) -> Fraction:
        """K(i,j)."""
        if i == j or self.labels[i] != self.labels[j]:
            return ZERO if i == j else ONE
        key = self.key(i, j)
        return self.given[key] if key in self.given else self.base(i, j, self.words)

    def function(self, step: str, f: Any) -> dict[str, Fraction]:
        _demand(step, all(0 <= n <= f["over"] for n in (*f["f"][1::2], *f["rest"].values())))
        rest = {i: Fraction(f["rest"].get(label, 0), f["over"]) for i, label in self.labels.items()}
        return rest | {i: x for (i,), x in self.named(f["f"], f["over"], 2).items()}

    def feasible(self, f: Mapping[str, Fraction], d: Table) -> bool:
        same = ((i, j) for i, j in product(self.labels, repeat=2) if self.labels[i] == self.labels[j])
        return all(f[i] - self.alpha * f[j] <= d(i, j) for i, j in same)

    def check_stage(self, functions: list[Any], escapes: list[Any]) -> None:
        entries = []
        for number, f in enumerate(functions):
            for k in range(0, len(f["pairs"]), 3):
                s, t, v = f["pairs"][k : k + 3]
                entries.append((number, self.states[s], self.states[t], Fraction(v, f["over"])))
        keys = {self.key(s, t) for _, s, t, _ in entries}
        largest = {p: max(v for _, s, t, v in entries if self.key(s, t) == p) for p in keys}
        new = {p: v for p, v in largest.items() if p not in self.given or self.given[p] < v}
        leader = {
            p: next((s, t) for _, s, t, v in entries if (self.key(s, t), v) == (p, new[p])) for p in new
        }
        fs = [self.function("lower-f", f) for f in functions]

        def lower(i: str, j: str) -> Fraction:
            return new[self.key(i, j)] if self.key(i, j) in new else self.known(i, j)

        _demand("lower-f", all(self.feasible(f, lower) for f in fs))
        _demand("lower-objective", all(v >= 0 and self.gap(fs[n], s, t) >= v for n, s, t, v in entries))
        if not all(self.feasible(f, self.known) for f in fs):
            self.check_escapes(escapes, leader)
        self.given |= new

    def check_escapes(self, escapes: list[Any], leader: Mapping[Pair, Pair]) -> None:
        named = [[self.states[i] for i in g["pairs"]] for g in escapes]
        listed = [list(zip(flat[::2], flat[1::2], strict=True)) for flat in named]
        first: dict[Pair, int] = {}
        for number, pairs in enumerate(listed):
            for s, t in pairs:
                first.setdefault(self.key(s, t), number)
        lengths = range(1, self.words + 1)
        shortest = {p: next((m for m in lengths if self.base(*p, m) > 0), None) for p in leader}
        rank = {p: escapes[first[p]]["rank"] for p in leader if p in first}
        _demand("lower-rank", all(p in rank or shortest[p] is not None for p in leader))
        for m in lengths:  # T(m − 1) + 1, for all pairs of this length
            shorter = [rank[q] for q in leader if (shortest[q] or m) < m]
            rank |= {p: max(shorter, default=0) + 1 for p in leader if shortest[p] == m and p not in first}
        for p, (s, t) in leader.items():
            _demand("lower-words", p in first or self.gain(s, t, shortest[p] or 0) > 0)
        for number, g in enumerate(escapes):
            k, values = g["rank"], self.function("lower-g", g)

            def room(i: str, j: str, k: int = k) -> Fraction:
                p = self.key(i, j)
                return (ONE if rank[p] < k else ZERO) if p in rank else ONE if self.known(i, j) > 0 else ZERO

            _demand("lower-g", self.feasible(values, room))
            for p, (s, t) in leader.items():
                if first.get(p) == number:
                    _demand("lower-escape", (s, t) in listed[number] and self.gap(values, s, t) > 0)
