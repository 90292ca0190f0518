"""Noisy max, query by query: a word spells two neighbouring vectors of answers, and a search does the rest.

The table of `noisy_max` has 7^n pairs. Here there is one pair, ``top`` and ``bottom``, and neighbours are
words: two copies of the mechanism run side by side, as in Fig. 3 of Liu, Wang and Zhang, and a symbol such
as ``12`` says that the next query answers 1 in the top copy and 2 in the bottom one. Each copy draws the
answers of the queries uniformly; one whose answer is j in the top copy shows the symbols ``jl`` with equal
probabilities, which are the same for ``jl`` in the bottom copy where the answer is l, and what is left goes
to a symbol that the other copy never shows. Thus

    Pr(word | top) = constant(word) * P(answer | the vector that the word spells on top),

likewise for the bottom, and with the same constant: the ratio of a word is that of two neighbours. A search
over words that merges proportional vectors then looks at multisets of neighbours, not at sequences.

The answer is the index of the largest noisy value. Its maximum m is drawn uniformly beforehand, and hidden;
given m the queries are independent, and each of them passes or the run fails, in a state that shows, again,
what the other copy never does. Passing means, with noisy values v,

    naive:      v < m before the answer, v = m for the answer itself, v <= m after it;
    improved:   v = m for the answer itself, and for the others v < m, or v = m and the tie is lost.

In the improved variant ties are broken uniformly, which is to say by priorities that are drawn uniformly
from [0, 1]: a query with priority x wins against another one that ties with probability x. So x is drawn
beforehand and hidden as well, and the queries stay independent. Uniform numbers are not to be had in a
finite model, but n of them are enough: with t ties the answer wins with probability 1/(1 + t), the integral
of x^t, and a quadrature rule with n rational nodes and positive weights has this value exactly for all t <
n (`priorities`). Counting the ties in place of that was tried: it is as right, but vectors then compare by
the coefficients of polynomials in x, and no longer by their values, and hardly one dominates another. With
eight queries 4,778 vector pairs were left of a layer; now it is 7 for each query.

In the naive variant the place of the answer matters, so the word says it: ``answer`` stands before the
symbol of that query. In the improved one it does not, as neighbours may be permuted; the answer's query is
the first. A word is complete at its ``end``, after all queries, and all words of that length are complete.
If only one query may differ, a state also knows whether that was before it, is here or will be later, which
the symbols show as well. Whoever is a neighbour of a vector has that as a neighbour, so one direction is
enough.

Noise and passing take no states of their own: only pairs of symbols are seen in between. The number of
states is 54 n for naive and 18 n^2 for improved variants, and some; three times that if one query differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import cos, pi

from bdist.chains.families import truncated_noise
from bdist.exact.epsilon import Epsilon
from bdist.pufferfish.families.hidden import Drawn, always, put_together
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Neighbours, Scenario, Words

COPIES = ("top", "bottom")

_VALUES = range(3)
_NOISE = truncated_noise(2, Fraction(1, 2))

Row = dict[str, Fraction]


def pair_symbols(copy: str, value: int, difference: str = "any") -> dict[str, Fraction]:
    """What a query with that answer shows in a copy: pairs, and the rest by a symbol of the copy's own.

    The difference is ``any``, ``here`` (exactly 1), or something else (none).
    """
    apart, most = {"any": ((-1, 0, 1), 3), "here": ((-1, 1), 2)}.get(difference, ((0,), 1))
    others = [value + step for step in apart if value + step in _VALUES]
    pairs = [f"{value}{other}" if copy == "top" else f"{other}{value}" for other in others]
    return {**dict.fromkeys(pairs, Fraction(1, most)), copy: 1 - Fraction(len(pairs), most)}


def factorised_noisy_max(queries: int, naive: bool, one: bool) -> HiddenMarkovModel:
    """The model with the pair top, bottom; `noisy_max` has its parameters."""
    states = [Drawn("end", always("end"))]
    initials: dict[str, Row] = {}
    chosen = ((Fraction(0), Fraction(1)),) if naive else priorities(queries)
    for copy in COPIES:
        states.append(Drawn(f"{copy}.failed", always(f"{copy}.failed")))
        initials[copy] = {}
        for largest in _VALUES:
            for number, (priority, weight) in enumerate(chosen):
                run = _Run(copy, largest, number, priority, queries, naive, one)
                initials[copy] |= run.entry(None, weight / len(_VALUES))
                states += run.states()
    length = queries + (2 if naive else 1)
    scenario = Scenario(
        "neighbours",
        (Neighbours(*COPIES, both=False),),
        words=Words.COMMON,
        epsilon=Epsilon(None, Fraction(2)),
        lengths=Lengths(length, length),
    )
    name = f"noisy-max-{'naive' if naive else 'improved'}-{queries}-factorised"
    return put_together(name, states, [scenario], initials=initials)


@lru_cache
def priorities(queries: int) -> tuple[tuple[Fraction, Fraction], ...]:
    """Nodes and positive weights with sum of weight * node^t = 1/(1 + t) for all t below ``queries``.

    The nodes are those of Chebyshev, for which weights are positive, rounded to the coarsest grid of a power
    of two on which they still are.
    """
    grid = 2
    while True:
        angles = [(k + 0.5) * pi / queries for k in range(queries)]
        nodes = [Fraction(round((1 - cos(angle)) / 2 * grid), grid) for angle in angles]
        if len(set(nodes)) == queries:
            weights = [_integral_of_lagrange(nodes, k) for k in range(queries)]
            if min(weights) > 0:
                return tuple(zip(nodes, weights, strict=True))
        grid *= 2


def _integral_of_lagrange(nodes: list[Fraction], number: int) -> Fraction:
    """The integral over [0, 1] of the polynomial that is 1 at a node and 0 at all others."""
    coefficients, scale = [Fraction(1)], Fraction(1)
    for other, node in enumerate(nodes):
        if other != number:
            scale *= nodes[number] - node
            shifted = [Fraction(0), *coefficients]
            coefficients = [s - node * c for s, c in zip(shifted, [*coefficients, Fraction(0)], strict=True)]
    return sum(c / (power + 1) for power, c in enumerate(coefficients)) / scale


@dataclass(frozen=True)
class _Place:
    """Where a run is: at which query, in which role, and whether the one query that differs comes later, is
    here or past. The role ``mark`` stands before the role ``answer``.
    """

    position: int
    role: str
    difference: str = "any"


@dataclass(frozen=True)
class _Run:
    """The runs of a copy with the given largest noisy value and numbered priority of the answer."""

    copy: str
    largest: int
    number: int
    priority: Fraction
    queries: int
    naive: bool
    one: bool

    def states(self) -> Iterator[Drawn]:
        """All states, place by place from the first."""
        seen = dict.fromkeys(self._after(None))
        new = list(seen)
        while new:
            following = []
            for place in new:
                if place.role == "mark":
                    answer = replace(place, role="answer")
                    yield Drawn(self._name(place), always("answer"), self._values(answer, Fraction(1)))
                    following.append(answer)
                    continue
                for value in _VALUES:
                    shows = pair_symbols(self.copy, value, place.difference)
                    yield Drawn(self._name(place, value), shows, self._row(place, value))
                following += self._after(place)
            new = [place for place in dict.fromkeys(following) if place not in seen]
            seen |= dict.fromkeys(new)

    def entry(self, place: _Place | None, share: Fraction) -> Row:
        """A share of probability, on the states that follow a place, or on the first ones."""
        row: Row = {}
        places = self._after(place)
        for following in places:
            part = share / len(places)
            row |= (
                {self._name(following): part} if following.role == "mark" else self._values(following, part)
            )
        return row

    def _row(self, place: _Place, value: int) -> Row:
        passing = self._passing(place, value)
        row = {"end": passing} if place.position == self.queries else self.entry(place, passing)
        return {**row, f"{self.copy}.failed": 1 - passing}

    def _passing(self, place: _Place, value: int) -> Fraction:
        """How likely a query with that answer passes."""
        below, equal = sum(_NOISE[value][: self.largest], start=Fraction(0)), _NOISE[value][self.largest]
        shares = {"before": below, "answer": equal, "after": below + equal}
        return {**shares, "other": below + self.priority * equal}[place.role]

    def _after(self, place: _Place | None) -> list[_Place]:
        """The places that may follow, equally likely; the first ones after none."""
        position = 1 if place is None else place.position + 1
        if position > self.queries:
            return []
        more = position < self.queries
        if not self.naive:
            roles = ["answer" if place is None else "other"]
        elif place is None or place.role == "before":
            roles = [*(["before"] if more else []), "mark"]
        else:
            roles = ["after"]
        if not self.one:
            differences = ["any"]
        elif place is None or place.difference == "later":
            differences = [*(["later"] if more else []), "here"]
        else:
            differences = ["past"]
        return [_Place(position, role, difference) for role in roles for difference in differences]

    def _values(self, place: _Place, share: Fraction) -> Row:
        """A share of probability on the answers of a query."""
        return {self._name(place, value): share / len(_VALUES) for value in _VALUES}

    def _name(self, place: _Place, value: int | None = None) -> str:
        chosen = f"max{self.largest}" if self.naive else f"max{self.largest}.priority{self.number}"
        parts = [self.copy, chosen, f"q{place.position}", place.role]
        parts += [place.difference] if self.one else []
        return ".".join(parts + ([] if value is None else [f"is{value}"]))
