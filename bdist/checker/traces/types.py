"""What is seen in the long run: section 5 of the SPEC.

A chain ends almost surely in a set that it does not leave, and there every word of labels has a frequency.
Sets whose frequencies differ are told apart, so an open leaf is worth at least what is gained by waiting for
the type of the set. The certificate brings the sets with their stationary vectors π, and the probabilities
r_τ(i) of ending in a set of the type τ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ..core import Rejected, demand
from ..core.chain import Model
from ..core.limits import Work
from ..core.text import Row, shown
from ..core.vectors import common_denominator, scaled
from .document import Integers, Types
from .graph import Rows


def check_types(model: Model, types: Types, work: Work) -> tuple[int, list[Integers]]:
    """The r_τ as integers over one denominator. Raises: Rejected, TooLarge."""
    rows = Rows({i: {(model.labels[j], j): p for j, p in row.items()} for i, row in model.rows.items()}, work)
    sets = [(type_, pi) for type_, pis in enumerate(types.classes) for pi in pis]
    owner: dict[str, int] = {}  # the type of the states that are in a set
    seen: dict[tuple[Fraction, ...], int] = {}
    for type_, pi in sets:
        for i, x in pi.items():
            if i not in model.labels or i in owner or not x > 0:  # disjoint sets of states; π > 0
                what = "is not a state of the model, is in another set too, or has a π that is not positive"
                raise Rejected("type-class", f"type {type_}: {shown(i)} {what}")
            owner[i] = type_
        m = _check_set(f"type {type_}, the set of {_first(pi)}", model, rows, pi, work)
        frequencies = tuple(_frequency(rows, model, scaled(pi, m), m, w, work) for w in types.words)
        other = seen.setdefault(frequencies, type_)  # different, for a word with different π(w)
        demand(
            "type-words", other == type_, f"no word tells the set of {_first(pi)} from one of type {other}"
        )
    # every state of the model reaches one of the sets
    reaching = len(_reaching(model.rows, owner, work))
    demand("type-rest", reaching == len(model.rows), "there is a state that reaches none of the sets")
    arrays, count = len(types.reach), len(types.classes)  # one array for each type
    demand("type-reach", arrays == count, f"there are {count} types and {arrays} arrays")
    m = common_denominator([x for r in types.reach for x in r.values()], work)
    return m, [_check_reach(type_, r, m, model, owner, work) for type_, r in enumerate(types.reach)]


def _first(pi: Mapping[str, Fraction]) -> str:
    return shown(next(iter(pi), ""))


def _check_set(title: str, model: Model, rows: Rows, pi: Row, work: Work) -> int:
    """That a set is one that is not left, with its stationary vector; the denominator of that."""
    within = {i: {j: p for j, p in model.rows[i].items() if j in pi} for i in pi}
    stays = all(len(within[i]) == len(model.rows[i]) for i in pi)  # no row leaves the set
    demand("type-class", stays, f"{title}: there is a row that leaves it")
    one = list(pi)[:1]
    turned: dict[str, dict[str, Fraction]] = {i: {} for i in pi}
    for i, row in within.items():
        for j, p in row.items():
            turned[j][i] = p
    # every state of it reaches every other: all reach one of them, and that one reaches all
    joined = all(len(_reaching(graph, one, work)) == len(pi) for graph in (within, turned))
    demand("type-class", joined, f"{title}: there is a state that does not reach all others")
    m = common_denominator(pi.values(), work)
    numbers = scaled(pi, m)
    demand("type-class", sum(numbers.values()) == m, f"{title}: π does not sum to 1")  # Σ π = 1
    scale, parts = rows.step(numbers)
    after = {i: x for part in parts.values() for i, x in part.items()}
    still = after == {i: scale * x for i, x in numbers.items()}  # π P = π
    demand("type-class", still, f"{title}: π is not stationary")
    return m


def _reaching(rows: Mapping[str, Iterable[str]], targets: Iterable[str], work: Work) -> set[str]:
    """The states from which a path leads to the targets."""
    before: dict[str, list[str]] = {}
    for i, row in rows.items():
        for j in row:
            before.setdefault(j, []).append(i)
    found = set(targets)
    waiting = list(found)
    while waiting:
        new = [i for i in before.get(waiting.pop(), ()) if i not in found]
        found.update(new)
        waiting += new
    work.spend(len(rows) + sum(map(len, before.values())))
    return found


def _frequency(
    rows: Rows, model: Model, pi: Mapping[str, int], m: int, word: Sequence[str], work: Work
) -> Fraction:
    """π(w) = Σ_i π(i) P_i(w), where P_i(w) is the probability that the labels from i begin with w."""
    v: Integers = {i: x for i, x in pi.items() if not word or model.labels[i] == word[0]}
    for c in word[1:]:
        scale, parts = rows.step(v)
        m, v = m * scale, parts.get(c, {})
    work.reduce(m.bit_length())
    return Fraction(sum(v.values()), m)


def _check_reach(
    type_: int, reach: Row, m: int, model: Model, owner: Mapping[str, int], work: Work
) -> Integers:
    r = scaled(reach, m)
    fits = all(i in model.labels and x >= 0 for i, x in r.items())  # r_τ(i) ≥ 0, at states of the model
    demand("type-reach", fits, f"type {type_}: a value is negative, or not at a state of the model")
    for i, vector in model.vectors.items():
        # r_τ is 1 on the sets of τ and 0 on those of other types
        fits = i not in owner or r.get(i, 0) == (m if owner[i] == type_ else 0)
        value = f"type {type_}: the value at {shown(i)}"
        demand("type-reach", fits, f"{value}, which is in a set, is wrong")
        work.spend(1 + len(vector.numerators), m.bit_length(), vector.denominator.bit_length())
        # r_τ(i) = Σ_j μ_i(j) r_τ(j)
        mean = sum(p * r.get(j, 0) for j, p in vector.numerators.items())
        demand("type-reach", mean == r.get(i, 0) * vector.denominator, f"{value} is not that of its row")
    return r
