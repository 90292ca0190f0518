"""Exact lower bounds from an exact fixed point: the stages of a certificate, or what stands in their way.

This replays the plan of floating point (`functions`) in rationals, lowest first: the value of f on the states
inside is a vertex that the proposed basis names, and its extension is one that floats find with a margin, so
that only the constraints that are nearly tight are compared exactly. Where distances tie, there is no
margin; then the extension is computed in rationals throughout. What a function leans on beyond the words is
noted, and proved in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, frexp, ldexp

import numpy as np
from flint import fmpq

from bdist.certificates.document import Potential, Stage
from bdist.distances.explore.exact_game import ExactGame, Part
from bdist.distances.explore.functions import Conflict, Planner
from bdist.distances.explore.functions import Part as Planned
from bdist.distances.explore.stages import Proved, stages_of
from bdist.distances.lift import ArcProgram, Lifter
from bdist.distances.lift import Slot as Start
from bdist.errors import InternalError
from bdist.exact.rationals import ONE, ZERO, to_fraction
from bdist.lp import engine_named
from bdist.lp.batch import PLACES
from bdist.lp.extension import EXTENDED, extend
from bdist.lp.program import Optimum

_MARGIN = 1e-11  # slack that is asked for where floats decide
_NEAR = 1e-9  # constraints with more slack than this in floats are not looked at


@dataclass(frozen=True)
class _Proof:
    """The function of a pair in rationals, named values and rests, with what floats had planned for it."""

    planned: tuple[Planned, ...]
    named: dict[int, fmpq]
    rests: dict[str, fmpq]
    leans: set[int]


class ExactProof:
    """Records from an exact game."""

    def __init__(self, exact: ExactGame, planner: Planner) -> None:
        self._exact, self._planner = exact, planner
        self._plan = planner.plan
        self._game = exact.proposal.game
        self._space = self._game.space
        self._words = self._game.words
        self._alpha = self._space.alpha
        self._lifter = Lifter(
            self._space, engine_named(self._game.engine), self._game.run.tally, self._words.bound
        )
        self._proofs: dict[int, _Proof] = {}
        self.conflicts: dict[int, Conflict] = {}
        self.missing: set[int] = set()  # pairs that functions lean on after all, and that have none

    def stages(self, queries: Iterable[int]) -> list[Stage]:
        """The stages that prove the queries by the planner's functions, where there are no conflicts and no
        function is missing. What was proved before stays, as far as functions are what they were.
        """
        self._plan = self._planner.plan
        self.conflicts = {}
        wanted = {query for query in queries if self._above_words(query)}
        self.missing = wanted - self._plan.pairs.keys()  # nearer to the words than floats could tell
        waiting = self._plan.closure(wanted & self._plan.pairs.keys())
        proved: dict[int, _Proof] = {}
        while waiting:
            for pair in waiting:
                self._game.run.pulse("proof", len(proved), len(self._space))
                proof = self._proof(pair)
                if proof is not None:
                    proved[pair] = proof
            further = {pair for proof in proved.values() for pair in proof.leans} - proved.keys()
            waiting = [pair for pair in sorted(further) if pair in self._plan.pairs]
            self.missing |= further.difference(waiting)
            if self.conflicts:
                break
        if self.conflicts or self.missing:
            return []
        values, ends = self._exact.values, self._plan.proposal.ends
        return stages_of(
            self._plan,
            {
                pair: Proved(Potential.of(proof.named, proof.rests, values[pair]), {ends(pair): values[pair]})
                for pair, proof in proved.items()
            },
            {pair: proof.leans for pair, proof in proved.items()},
        )

    def _above_words(self, pair: int) -> bool:
        return self._exact.values[pair] > self._words.bound(*self._space.pairs[pair])

    def _proof(self, pair: int) -> _Proof | None:
        """The function of a pair, and which pairs it leans on; None where there is a conflict."""
        slots = self._plan.proposal.slots(pair)
        planned = tuple(self._plan.parts[slot] for slot in slots)
        earlier = self._proofs.get(pair)
        if earlier is not None and all(a is b for a, b in zip(earlier.planned, planned, strict=True)):
            return earlier
        leans: set[int] = set()
        named: dict[int, fmpq] = {}
        rests: dict[str, fmpq] = {}
        labels = self._space.chain.labels
        for part in self._exact.parts[pair][self._plan.proposal.direction(pair)]:
            label = labels[part.block.members[0]]
            if part.slot is None:
                if part.value > 0:
                    rests[label] = ONE
                continue
            found = self._proposed(part, self._plan.parts[part.slot]) or self._searched(pair, part)
            if found is None:
                return None
            values, rest, needs = found
            leans |= needs
            if rest:
                rests[label] = rest
            named.update({k: x for k, x in values.items() if x != rest})
        self._proofs[pair] = _Proof(planned, named, rests, leans)
        return self._proofs[pair]

    def _proposed(self, part: Part, planned: Planned) -> tuple[dict[int, fmpq], fmpq, set[int]] | None:
        """The function that floats propose, if it holds."""
        members = part.block.members
        f = part.f
        if planned.wide is not None:
            places, tight = self._planner.basis(planned)
            start = Start(planned.inside, tuple(PLACES[kind] for kind in places), tuple(tight))
            program, optimum = self._solve(part, planned.inside, start)
            if optimum.value != part.value:
                return None
            f = dict(zip(program.inside, optimum.point, strict=True))
        place = self._planner.distances.place(members)
        task = [([place[k] for k in f], [float(to_fraction(x)) for x in f.values()])]
        for margin in (_MARGIN, 0.0):
            rows = self._planner.distances.of(members, f)
            result = extend(rows, task, self._game.alpha, margin, None, 1)[0]
            if result.status != EXTENDED:
                continue
            rest = _short_between(*result.rest)
            values = dict(f)
            for k, x in zip(result.named, result.values, strict=True):
                values.setdefault(members[k], fmpq(*x.as_integer_ratio()))
            needs = self._needs(members, values, rest)
            if needs is not None:
                return values, rest, needs
        return None

    def _searched(self, pair: int, part: Part) -> tuple[dict[int, fmpq], fmpq, set[int]] | None:
        """The same in rationals throughout; None where there is a conflict, which is noted."""
        f = part.f
        slot = part.slot or 0
        while True:
            extension, path = self._lifter.extend(f, part.block.members, self._exact.values)
            if path is None:
                values = f | extension
                needs = self._needs(part.block.members, values, ZERO)
                if needs is None:
                    raise InternalError("a function that extends needs distances that are not there")
                return values, ZERO, needs
            program, optimum = self._solve(part, (*f, *path), None)
            if optimum.value < part.value:
                arcs = tuple(arc for arc, w in zip(program.arcs, optimum.row_multipliers, strict=True) if w)
                inside = self._game.inside(slot)
                outside = dict.fromkeys(k for arc in arcs for k in arc if k not in inside)
                self.conflicts[slot] = Conflict(pair, arcs, tuple(outside))
                return None
            f = dict(zip(program.inside, optimum.point, strict=True))

    def _solve(self, part: Part, inside: tuple[int, ...], start: Start | None) -> tuple[ArcProgram, Optimum]:
        return self._lifter.solve_inside(inside, part.block.coefficients, self._exact.values, start)

    def _needs(self, members: tuple[int, ...], values: Mapping[int, fmpq], rest: fmpq) -> set[int] | None:
        """The pairs that a function leans on beyond the words; None where it breaks a constraint."""
        states = list(values)
        rows = self._planner.distances.of(members, states)
        place = self._planner.distances.place(members)
        at = np.array([place[k] for k in states])
        named = np.zeros(len(members), dtype=bool)
        named[at] = True
        f = np.full(len(members), float(to_fraction(rest)))
        f[at] = [float(to_fraction(x)) for x in values.values()]
        alpha = self._game.alpha
        index = rows.index[at]
        given = f[at, None] - alpha * f
        near = (given > -_NEAR) & (given > rows.words[index] - _NEAR)
        near &= np.array([x > 0 for x in values.values()])[:, None]  # where f_i = 0 nothing is taken
        near[np.arange(len(at)), at] = False
        skewed = {k: self._alpha * x for k, x in values.items()}
        others = self._alpha * rest
        found: set[int] = set()
        first, second = (place.tolist() for place in np.nonzero(near))
        for a, k in zip(first, second, strict=True):
            i, j = states[a], members[k]
            if not self._holds(i, j, values[i] - skewed.get(j, others), found):
                return None
        if not rest:
            return found
        taken = f - alpha * f[at, None]
        near = (taken > -_NEAR) & (taken > rows.words_in[index] - _NEAR) & ~named
        first, second = (place.tolist() for place in np.nonzero(near))
        for a, k in zip(first, second, strict=True):
            i, j = members[k], states[a]
            if not self._holds(i, j, rest - skewed[j], found):
                return None
        return found

    def _holds(self, i: int, j: int, taken: fmpq, needs: set[int]) -> bool:
        """Whether what f takes of a pair is at most what is known of it; noted if words are not enough."""
        if taken <= 0 or taken <= self._words.bound(i, j):
            return True
        number = self._space.number.get((i, j))
        if number is None or taken > self._exact.values[number]:
            return False
        needs.add(number)
        return True


def _short_between(low: float, high: float) -> fmpq:
    """A number with few binary places between two floats; 0 or 1 where it fits."""
    if low <= 0.0:
        return ZERO
    if high >= 1.0:
        return ONE
    places = 1 - frexp(high - low)[1] if high > low else 0
    value = ceil(ldexp(low, places))
    fits = ldexp(value, -places) <= high
    return fmpq(value, 1 << places) if fits else fmpq(*low.as_integer_ratio())
