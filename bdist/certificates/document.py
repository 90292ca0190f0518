"""A certificate as data, and as the JSON document that SPEC.md defines.

Claims, the upper part and the lower part are separate, and nothing in them repeats the model: a certificate
names its model by fingerprint and is meaningless without the file. Records have states by number and values
as numerators over a denominator of their own, so that a certificate of ten thousand pairs is a few megabytes
of integers, which a checker reads and computes with as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import fmpq, fmpz

from bdist.certificates import Document, array_text, document_text, lines_text
from bdist.exact.rationals import counted, rational_text, short_text

FORMAT = "bdist-certificate"
VERSION = 1

Pair = tuple[str, str]

_LONG = 14_000  # bits, fewer than the digits at which Python refuses


@dataclass(frozen=True)
class Coupling:
    """Weights w on ordered pairs of states and leaks b on states, as numerators."""

    w: tuple[tuple[int, int, int], ...]
    b: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class UpperRecord:
    """An upper bound at a pair, with a coupling for each direction that counts."""

    pair: tuple[int, int]
    over: int
    value: int
    couplings: tuple[Coupling, ...]

    @classmethod
    def of(
        cls,
        pair: tuple[int, int],
        value: fmpq,
        couplings: Iterable[tuple[Mapping[tuple[int, int], fmpq], Mapping[int, fmpq]]],
    ) -> UpperRecord:
        """A record of rational numbers."""
        sides = tuple(couplings)
        over = common_denominator([value, *(x for w, b in sides for x in (*w.values(), *b.values()))])
        return cls(
            pair,
            over,
            numerator(value, over),
            tuple(
                Coupling(
                    tuple((i, j, numerator(x, over)) for (i, j), x in w.items()),
                    tuple((i, numerator(x, over)) for i, x in b.items()),
                )
                for w, b in sides
            ),
        )


@dataclass(frozen=True)
class Potential:
    """A function on states: named values, and by label one for the others; 0 elsewhere. All numerators."""

    over: int
    named: tuple[tuple[int, int], ...]
    rest: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, named: Mapping[int, fmpq], rest: Mapping[str, fmpq], *more: fmpq) -> Potential:
        """A function of rational numbers, over a denominator that does for ``more`` of them as well."""
        over = common_denominator([*named.values(), *rest.values(), *more])
        return cls(
            over,
            tuple((i, numerator(x, over)) for i, x in named.items()),
            tuple((label, numerator(x, over)) for label, x in rest.items() if x),
        )


@dataclass(frozen=True)
class Function:
    """A function with the directed pairs for which it proves a lower bound, and those bounds."""

    f: Potential
    pairs: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Escape:
    """Why pairs of a circular stage are positive: a function g, of some rank."""

    rank: int
    g: Potential
    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Stage:
    """Functions that lean on earlier stages and on each other; in the second case with escapes."""

    functions: tuple[Function, ...]
    escapes: tuple[Escape, ...] = ()


@dataclass(frozen=True)
class Claim:
    """lower <= distance of the pair <= upper."""

    pair: Pair
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True, repr=False)
class Certificate(Document):
    """A proof of its claims about the model with that fingerprint.

    Records have states by their position in ``names``. With a ``partition`` (its classes of two or more
    states) they speak of the quotient. With a ``clock`` (the labels that mark an end) labels say how many
    steps are left until one. With ``merged`` (such classes again) the lower part is about a further quotient,
    whose distances are at most as large. It may use what ``words`` of that many labels tell about every pair
    for which it has no number.
    """

    model: str
    quantity: str
    alpha: Fraction
    claims: tuple[Claim, ...]
    upper: tuple[UpperRecord, ...]
    lower: tuple[Stage, ...]
    names: tuple[str, ...] = ()
    partition: tuple[tuple[str, ...], ...] | None = None
    words: int = 0
    clock: tuple[str, ...] | None = None
    merged: tuple[tuple[str, ...], ...] | None = None

    @property
    def functions(self) -> int:
        """How many functions the lower part has."""
        return sum(len(stage.functions) for stage in self.lower)

    def to_json(self) -> str:
        """The document of SPEC.md, one record a line."""
        head: dict[str, object] = {
            "format": FORMAT,
            "version": VERSION,
            "quantity": self.quantity,
            "model": self.model,
            "alpha": rational_text(self.alpha),
        }
        if self.words > 0:
            head["words"] = self.words
        members = {name: json.dumps(value) for name, value in head.items()}
        if self.partition is not None:
            members["partition"] = array_text(map(list, self.partition))
        if self.clock is not None:
            members["clock"] = json.dumps(list(self.clock))
        if self.merged:
            members["merged"] = array_text(map(list, self.merged))
        members["claims"] = array_text(map(_claim, self.claims))
        used = sorted(set(self._states()))
        number = {state: position for position, state in enumerate(used)}.__getitem__
        members["states"] = json.dumps([self.names[state] for state in used])
        members["upper"] = lines_text(_upper(record, number) for record in self.upper)
        members["lower"] = lines_text(_stage(stage, number) for stage in self.lower)
        return document_text(members)

    def _states(self) -> Iterator[int]:
        for record in self.upper:
            yield from record.pair
            for coupling in record.couplings:
                yield from (k for i, j, _ in coupling.w for k in (i, j))
                yield from (i for i, _ in coupling.b)
        for stage in self.lower:
            for function in stage.functions:
                yield from (i for i, _ in function.f.named)
                yield from (k for i, j, _ in function.pairs for k in (i, j))
            for escape in stage.escapes:
                yield from (i for i, _ in escape.g.named)
                yield from (k for pair in escape.pairs for k in pair)

    def _essence(self) -> str:
        where = f"{self.quantity} at alpha {short_text(self.alpha)}"
        claims, upper = counted(len(self.claims), "claim"), counted(len(self.upper), "upper record")
        return f"{where}: {claims}, {upper}, {counted(self.functions, 'lower record')}"


def common_denominator(values: Iterable[fmpq]) -> int:
    """The least common multiple of denominators."""
    return lcm(*{int(x.q) for x in values})


def numerator(value: fmpq, over: int) -> int:
    """The numerator over a multiple of the denominator."""
    return int(value.p) * (over // int(value.q))


def _claim(claim: Claim) -> dict[str, object]:
    return {
        "pair": list(claim.pair),
        "lower": rational_text(claim.lower),
        "upper": rational_text(claim.upper),
    }


def _upper(record: UpperRecord, number: Callable[[int], int]) -> str:
    sides = ", ".join(
        f'"{side}": [{_flat((number(i), number(j), x) for i, j, x in coupling.w)}, '
        f"{_flat((number(i), x) for i, x in coupling.b)}]"
        for side, coupling in zip(("forward", "backward"), record.couplings, strict=False)
    )
    pair = _flat([map(number, record.pair)])
    return f'{{"pair": {pair}, "over": {_digits(record.over)}, "value": {_digits(record.value)}, {sides}}}'


def _stage(stage: Stage, number: Callable[[int], int]) -> str:
    functions = ",\n      ".join(
        f"{{{_potential(function.f, number)}, "
        f'"pairs": {_flat((number(i), number(j), x) for i, j, x in function.pairs)}}}'
        for function in stage.functions
    )
    escapes = ",\n      ".join(
        f'{{"rank": {escape.rank}, {_potential(escape.g, number)}, '
        f'"pairs": {_flat(map(number, pair) for pair in escape.pairs)}}}'
        for escape in stage.escapes
    )
    return f'{{"functions": [{functions}], "escapes": [{escapes}]}}'


def _potential(f: Potential, number: Callable[[int], int]) -> str:
    rest = "{" + ", ".join(f"{json.dumps(label)}: {_digits(x)}" for label, x in f.rest) + "}"
    return f'"over": {_digits(f.over)}, "f": {_flat((number(i), x) for i, x in f.named)}, "rest": {rest}'


def _flat(rows: Iterable[Iterable[int]]) -> str:
    return "[" + ", ".join(_digits(x) for row in rows for x in row) + "]"


def _digits(x: int) -> str:
    """The digits of an integer, however many: Python itself stops at some thousands."""
    return str(x) if x.bit_length() < _LONG else str(fmpz(x))
