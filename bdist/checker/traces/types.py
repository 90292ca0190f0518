"""What is seen in the long run: section 5 of the SPEC.

A chain ends almost surely in a set that it does not leave, and there every word of labels has a frequency.
Sets whose frequencies differ are told apart, so an open leaf is worth at least what is gained by waiting for
the type of the set. The certificate brings the sets with their stationary vectors π, and the probabilities
r_τ(i) of ending in a set of the type τ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from ..core import Rejected, demand
from ..core.chain import Model
from ..core.limits import Work
from ..core.numbers import common_denominator, scaled
from ..core.text import shown
from .document import Integers, Types
from .graph import Rows, mass

Reach = tuple[int, list[Integers]]  # the r_τ as integers, over one denominator


def check_types(model: Model, types: Types, work: Work) -> Reach:
    """The r_τ. Raises: Rejected, TooLarge."""
    rows = Rows({i: {(model.labels[j], j): p for j, p in row.items()} for i, row in model.rows.items()}, work)
    owner: dict[str, int] = {}  # the type of the states that are in a set
    seen: dict[tuple[Fraction, ...], int] = {}
    for type_, pi in [(type_, pi) for type_, sets in enumerate(types.classes) for pi in sets]:
        title = f"type {type_}, the set of {shown(next(iter(pi), ''))}"
        for i, x in pi.items():
            if i not in model.labels or i in owner or not x > 0:  # disjoint sets of states; π > 0
                what = "is not a state of the model, is in another set too, or has a π that is not positive"
                raise Rejected("type-class", f"type {type_}: {shown(i)} {what}")
            owner[i] = type_
        m = common_denominator(pi.values(), work)
        numbers = scaled(pi, m)
        _check_set(title, model, rows, numbers, m, work)
        frequencies = tuple(_frequency(rows, model, numbers, m, word, work) for word in types.words)
        other = seen.setdefault(frequencies, type_)  # different, for a word with different π(w)
        demand("type-words", other == type_, f"{title}: no word tells it from one of type {other}")
    before: dict[str, list[str]] = {i: [] for i in model.rows}
    for i, row in model.rows.items():
        for j in row:
            before[j].append(i)
    # every state of the model reaches one of the sets
    reaching = len(_reached(before, owner, work))
    demand("type-rest", reaching == len(model.rows), "there is a state that reaches none of the sets")
    arrays, count = len(types.reach), len(types.classes)  # one array for each type
    demand("type-reach", arrays == count, f"there are {count} types and {arrays} arrays")
    m = common_denominator([x for r in types.reach for x in r.values()], work)
    reach = [scaled(r, m) for r in types.reach]
    for type_, r in enumerate(reach):
        _check_reach(f"type {type_}", type_, r, m, model, owner, rows, work)
    return m, reach


def _check_set(title: str, model: Model, rows: Rows, pi: Integers, m: int, work: Work) -> None:
    """That a set with its π, times m, is one that is not left."""
    stays = all(j in pi for i in pi for j in model.rows[i])  # no row leaves the set
    demand("type-class", stays, f"{title}: there is a row that leaves it")
    demand("type-class", mass(pi) == m, f"{title}: π does not sum to 1")  # Σ π = 1
    scale, parts = rows.step(pi)
    after = {i: x for part in parts.values() for i, x in part.items()}
    still = after == {i: scale * x for i, x in pi.items()}  # π P = π
    demand("type-class", still, f"{title}: π is not stationary")
    # every state of it reaches every other: as π > 0 is stationary, each is reached from what it reaches, so
    # it is enough that one of them reaches all
    joined = len(_reached(model.rows, [*pi][:1], work)) == len(pi)
    demand("type-class", joined, f"{title}: there is a state that does not reach all others")


def _reached(after: Mapping[str, Iterable[str]], start: Iterable[str], work: Work) -> set[str]:
    """The states that paths lead to."""
    found = set(start)
    waiting = list(found)
    while waiting:
        new = {i for i in after[waiting.pop()] if i not in found}
        work.spend(1 + len(new))
        found |= new
        waiting += new
    return found


def _frequency(rows: Rows, model: Model, pi: Integers, m: int, word: tuple[str, ...], work: Work) -> Fraction:
    """π(w) = Σ_i π(i) P_i(w), where P_i(w) is the probability that the labels from i begin with w."""
    v: Integers = {i: x for i, x in pi.items() if not word or model.labels[i] == word[0]}
    for c in word[1:]:
        scale, parts = rows.step(v)
        m, v = m * scale, parts.get(c, {})
    work.reduce(m.bit_length())
    return Fraction(mass(v), m)


def _check_reach(
    title: str,
    type_: int,
    r: Integers,
    m: int,
    model: Model,
    owner: Mapping[str, int],
    rows: Rows,
    work: Work,
) -> None:
    fits = all(i in model.labels for i in r)  # names states of the model only
    demand("type-reach", fits, f"{title}: there is a value that is not at a state of the model")
    for i in model.labels:
        scale, parts = rows.step({i: 1})
        work.spend(1 + sum(map(len, parts.values())), m.bit_length(), scale.bit_length())
        mean = sum(p * r.get(j, 0) for part in parts.values() for j, p in part.items())
        # r_τ is 1 on the sets of τ and 0 on those of other types; r_τ(i) = Σ_j μ_i(j) r_τ(j)
        in_set = i not in owner or r.get(i, 0) == (m if owner[i] == type_ else 0)
        if not (in_set and mean == r.get(i, 0) * scale):
            what = "is not that of its row" if in_set else "which is in a set, is wrong"
            raise Rejected("type-reach", f"{title}: the value at {shown(i)} {what}")
