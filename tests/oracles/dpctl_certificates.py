"""Certificates of formulas, made as SPEC.md of dpctl says, section 3: fractions, matrices, no shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from bdist.checker.core.chain import read_model

Formula = list[Any]
Copy = tuple[int, Any, Fraction]  # a state, a mark and w


def is_state_formula(f: Formula) -> bool:
    if f[0] in ("not", "and"):
        return all(map(is_state_formula, f[1:]))
    return f[0] not in ("next", "until", "within")


class Maker:
    """For a model with bare labels: sets, probabilities and the solutions on the way."""

    def __init__(self, model: str, neighbours: list[tuple[str, str]]) -> None:
        read = read_model(model)
        self.fingerprint = read.fingerprint()
        self.names = sorted(read.labels)
        self.labels = [read.labels[name] for name in self.names]
        self.matrix = [[read.rows[s].get(t, Fraction(0)) for t in self.names] for s in self.names]
        self.neighbours = neighbours
        self.solutions: list[list[Fraction]] = []

    def document(self, formula: Formula) -> dict[str, Any]:
        self.solutions = []
        state_formula = is_state_formula(formula)
        found = list(map(Fraction, self.sat(formula))) if state_formula else self.likely(formula)
        claims = [[name, str(p)] for name, p in zip(self.names, found, strict=True)]
        return {
            "format": "bdist-dpctl-certificate",
            "version": 1,
            "model": self.fingerprint,
            "neighbours": [list(pair) for pair in self.neighbours],
            "formula": formula,
            "solutions": [[str(x) for x in solution] for solution in self.solutions],
            "satisfied": [name for name, p in claims if p == "1"] if state_formula else None,
            "probabilities": None if state_formula else claims,
        }

    def sat(self, f: Formula) -> list[bool]:
        match f:
            case ["true"]:
                return [True] * len(self.names)
            case ["atom", name]:
                return [label == name for label in self.labels]
            case ["not", g]:
                return [not value for value in self.sat(g)]
            case ["and", g, h]:
                return [a and b for a, b in zip(self.sat(g), self.sat(h), strict=True)]
            case ["P", sign, q, g]:
                tests: dict[str, Callable[[Fraction], bool]] = {
                    "<": lambda p: p < Fraction(q),
                    "<=": lambda p: p <= Fraction(q),
                    ">=": lambda p: p >= Fraction(q),
                    ">": lambda p: p > Fraction(q),
                }
                return [tests[sign](p) for p in self.likely(g)]
        _, e, d, g = f
        # with a rational exponent: close enough for these tests, in which nothing comes close to equality
        a = Fraction(e[1]) if e[0] == "ln" else sum(power(Fraction(e), i) for i in range(60))
        p = dict(zip(self.names, self.likely(g), strict=True))
        pairs = self.neighbours + [(t, s) for s, t in self.neighbours]
        bad = {s for s, t in pairs if p[s] > a * p[t] + Fraction(d) or p[t] > a * p[s] + Fraction(d)}
        return [name not in bad for name in self.names]

    def likely(self, f: Formula) -> list[Fraction]:
        sets = {id(g): self.sat(g) for g in ends(f) if is_state_formula(g)}
        matrix, origins = self.matrix, list(range(len(self.names)))
        weights = [Fraction(1)] * len(origins)
        done: dict[int, list[bool]] = {}
        for g in ends(f):
            operands = [done[id(part)] for part in g[1:] if isinstance(part, list) and id(part) in done]
            if is_state_formula(g):
                done[id(g)] = [sets[id(g)][o] for o in origins]
            elif g[0] == "not":
                done[id(g)] = [not value for value in operands[0]]
            elif g[0] == "and":
                done[id(g)] = [a and b for a, b in zip(*operands, strict=True)]
            else:
                copies, new = self.eliminate(g, matrix, operands)
                done = {key: [old[r] for r, _, _ in copies] for key, old in done.items()}
                done[id(g)] = [mark not in ("-", "inf") for _, mark, _ in copies]
                matrix = [[new(a, b) for b in copies] for a in copies]
                assert all(sum(row) == 1 for row in matrix)
                weights = [weights[r] * w for r, _, w in copies]
                origins = [origins[r] for r, _, _ in copies]
        return [
            sum(
                (w for w, o, x in zip(weights, origins, done[id(f)], strict=True) if x and o == s),
                Fraction(0),
            )
            for s in range(len(self.names))
        ]

    def eliminate(
        self, g: Formula, p: list[list[Fraction]], sets: list[list[bool]]
    ) -> tuple[list[Copy], Callable[[Copy, Copy], Fraction]]:
        n = len(p)
        one, zero = Fraction(1), Fraction(0)
        if g[0] == "next":
            inside = sets[0]
            x = [sum((p[r][t] for t in range(n) if inside[t]), zero) for r in range(n)]

            def after_next(a: Copy, b: Copy) -> Fraction:
                fits = inside[b[0]] == (a[1] == "+")
                return p[a[0]][b[0]] * b[2] / a[2] if fits else zero

            return two(x), after_next
        through, to = sets
        free = [to[r] or not through[r] for r in range(n)]
        if g[0] == "until":
            x = until(p, through, to)
            self.solutions.append(x)

            def after_until(a: Copy, b: Copy) -> Fraction:
                if free[a[0]]:
                    return p[a[0]][b[0]] * b[2]
                return p[a[0]][b[0]] * b[2] / a[2] if a[1] == b[1] else zero

            return two(x), after_until
        k = g[1]
        h = [[one if to[r] else zero for r in range(n)]]
        for _ in range(k):
            h.append(
                [zero if free[r] else sum((p[r][t] * h[-1][t] for t in range(n)), zero) for r in range(n)]
            )
        copies: list[Copy] = []
        for r in range(n):
            marks: list[Copy] = [(r, d, h[d][r]) for d in range(k + 1)]
            marks.append((r, "inf", one - sum((w for _, _, w in marks), zero)))
            copies += [copy for copy in marks if copy[2] > 0]

        def after_within(a: Copy, b: Copy) -> Fraction:
            if free[a[0]]:
                return p[a[0]][b[0]] * b[2]
            fits = b[1] in (k, "inf") if a[1] == "inf" else b[1] == a[1] - 1
            return p[a[0]][b[0]] * b[2] / a[2] if fits else zero

        return copies, after_within


def power(e: Fraction, i: int) -> Fraction:
    return Fraction(1) if i == 0 else power(e, i - 1) * e / i


def ends(f: Formula) -> Iterator[Formula]:
    if not is_state_formula(f):
        for part in f[1:]:
            if isinstance(part, list):
                yield from ends(part)
    yield f


def two(x: list[Fraction]) -> list[Copy]:
    every = [(r, mark, w) for r, value in enumerate(x) for mark, w in (("+", value), ("-", 1 - value))]
    return [copy for copy in every if copy[2] > 0]


def until(p: list[list[Fraction]], through: list[bool], to: list[bool]) -> list[Fraction]:
    """The least solution, by elimination among the states that have a way."""
    n = len(p)
    way = list(to)
    for _ in range(n):
        way = [way[r] or (through[r] and any(p[r][t] > 0 and way[t] for t in range(n))) for r in range(n)]
    some = [r for r in range(n) if way[r] and not to[r]]
    rows = [
        [Fraction(r == t) - p[r][t] for t in some] + [sum((p[r][t] for t in range(n) if to[t]), Fraction(0))]
        for r in some
    ]
    for i in range(len(some)):
        pivot = next(j for j in range(i, len(some)) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(len(some)):
            if j != i and rows[j][i]:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    solved = {r: rows[i][-1] for i, r in enumerate(some)}
    return [Fraction(1) if to[r] else solved.get(r, Fraction(0)) for r in range(n)]
