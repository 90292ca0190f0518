"""All of LTL on a Markov decision process: from where a path formula can be made almost surely true.

The most probability of any path formula is that of reaching a *winning* node, so it is an until (`paths`) on
a larger process, and its proof is the same. What is larger is the past: a node is a state with the *rest*
after it, as for bounded formulas.

**Rests.** A formula is made positive: negation stands at sets of states only, and the dual of `U` is `R`
(release). A rest is a positive Boolean combination of *obligations*: temporal formulas, and sets of states
that the next state is in or not. It is written as its least sets of obligations, any of which is enough, so
combinations that are equal as Boolean functions are equal, and there are finitely many rests. After a state,
g U h becomes h, or g and again g U h; g R h becomes h, and g or again g R h.

**Acceptance** (Esparza, Kretinsky and Sickert, One theorem to rule them all, LICS 2018). Guess which U happen
again and again (X), and which R hold for ever from some point on (Y). If the guess about X is right, g U h
with it in X means the same as "g until h, or for ever" (W), and one that is not in X never happens in the
end; so formulas have to be watched for failing only. If the guess about Y is right, an R in Y is true in the
end, and others mean "h until g happens with it, which it does" (M), so formulas have to be watched for coming
true only. The formula holds of a run if and only if for some guess (1) a rest of it, with X, never fails;
(2) each of X, with Y, comes true again and again; (3) each of Y, with X, does not fail any more from some
point on. Each of these is watched by a rest of its own, which begins anew when it has failed or come true.
So no automaton is determinised: states are tuples of rests. SPEC.md, section 9, has the proof.

**Winning nodes.** For every guess there is a graph of nodes with these watchers. An end component (states,
with actions that stay in them and connect them) in which no watcher of (1) and (3) begins anew, and each of
(2) does somewhere, is won by the scheduler that takes all its actions again and again. Every run of a
scheduler ends in an end component (de Alfaro 1997), and if the formula holds of it, in such a one.

2^k guesses for k operators U and R, and as many rests as there are Boolean functions of obligations, are the
worst case; formulas that people write have a handful of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations
from typing import TypeAlias

from bdist.budget import Budget
from bdist.dpctl.elimination import Marks
from bdist.dpctl.formulas import And, Formula, Next, Not, Until, is_state_formula, operands_of
from bdist.errors import InternalError, UnsupportedError
from bdist.exact.linear import strongly_connected_components

MOST_GUESSED = 10  # operators U and R, of which each may happen or not
MOST_OBLIGATIONS = 8192  # in one rest, counted in all of its sets
MOST_SETS = 1024  # among which the least ones are sought
MOST_WATCHED = 200_000  # nodes of the graph of one guess

Rest: TypeAlias = "frozenset[frozenset[Obligation]]"  # the least sets, of which one is enough

TRUE: Rest = frozenset([frozenset()])
FALSE: Rest = frozenset()


@dataclass(frozen=True, slots=True)
class Obligation:
    """What has to be true of a run from its next state on.

    ``kind`` is "in" or "out" (of the set with the number ``steps``), "X", one of "U", "W", "M", "R", or "U<="
    and its dual "R<=" with so many ``steps``.
    """

    kind: str
    steps: int = 0
    left: Rest = FALSE
    right: Rest = FALSE


def both(*rests: Rest) -> Rest:
    """All of the rests. Raises: UnsupportedError where that is too long."""
    found = TRUE
    for rest in rests:
        found = _least(one | other for one in found for other in rest)
    return found


def either(*rests: Rest) -> Rest:
    """One of the rests. Raises: as `both`."""
    return _least(chain(*rests))


def _least(sets: Iterable[frozenset[Obligation]]) -> Rest:
    found: list[frozenset[Obligation]] = []
    different = set(sets)
    if len(different) > MOST_SETS:
        raise UnsupportedError("the formula has rests that are too long")
    for candidate in sorted(different, key=len):
        if not any(smaller <= candidate for smaller in found):
            found.append(candidate)
    if sum(map(len, found)) > MOST_OBLIGATIONS:
        raise UnsupportedError("the formula has rests that are too long")
    return frozenset(found)


class Rests:
    """The rests of one formula, or of its negation: what it becomes after each state.

    A *letter* says which of the sets that the formula speaks of a state is in.
    """

    def __init__(
        self, formula: Formula, marks_of: Callable[[Formula], Marks], states: int, *, negated: bool = False
    ) -> None:
        self._numbers: dict[tuple[bool | None, ...], int] = {}
        self._alone: dict[Obligation, Rest] = {}
        self._marks_of = marks_of
        self.formula = self._positive(formula, negated=negated)
        sets = list(self._numbers)
        self.letters = [tuple(bool(marks[state]) for marks in sets) for state in range(states)]
        self._after = cache(self._new_after)
        self.turned = cache(self._turned)

    def after(self, rest: Rest, letter: tuple[bool, ...]) -> Rest:
        """What remains to be true after a state with this letter."""
        return self._after(rest, letter)

    def only(self, due: Obligation) -> Rest:
        """The rest that is one obligation. Equal ones are one object, so that comparing them is not deep."""
        return self._alone.setdefault(due, frozenset([frozenset([due])]))

    def ordered(self, obligations: Iterable[Obligation]) -> list[Obligation]:
        """In the order in which they were met: their texts may be too long to sort by."""
        wanted = set(obligations)
        return [due for due in self._alone if due in wanted]

    def _positive(self, formula: Formula, *, negated: bool) -> Rest:
        """A formula, or the negation of one, with negations at sets only."""
        if is_state_formula(formula):
            marks = tuple(self._marks_of(formula))
            if all(marks) or not any(marks):
                return TRUE if bool(marks and marks[0]) is not negated else FALSE
            number = self._numbers.setdefault(marks, len(self._numbers))
            return self.only(Obligation("out" if negated else "in", number))
        if isinstance(formula, Not):
            return self._positive(formula.inner, negated=not negated)
        inner = [self._positive(part, negated=negated) for part in operands_of(formula)]
        match formula:
            case And():
                return either(*inner) if negated else both(*inner)
            case Next():
                return self.only(Obligation("X", 0, inner[0]))
            case Until(bound=None):
                return self.only(Obligation("R" if negated else "U", 0, *inner))
            case Until(bound=int(bound)):
                return self.only(Obligation("R<=" if negated else "U<=", bound, *inner))
        raise InternalError(f"{type(formula).__name__} is no path operator")

    def _new_after(self, rest: Rest, letter: tuple[bool, ...]) -> Rest:
        return either(*(both(*(self._step(due, letter) for due in sets)) for sets in rest))

    def _step(self, due: Obligation, letter: tuple[bool, ...]) -> Rest:
        if due.kind in ("in", "out"):
            return TRUE if letter[due.steps] is (due.kind == "in") else FALSE
        if due.kind == "X":
            return due.left
        left, right = self.after(due.left, letter), self.after(due.right, letter)
        if due.kind in ("U<=", "R<="):
            later = self.only(replace(due, steps=due.steps - 1)) if due.steps else None
            if due.kind == "U<=":
                return right if later is None else either(right, both(left, later))
            return right if later is None else both(right, either(left, later))
        if due.kind in ("U", "W"):
            return either(right, both(left, self.only(due)))
        return both(right, either(left, self.only(due)))

    # --- guesses ---

    def guesses(self) -> Iterator[Guess]:
        """What may happen again and again, and what may hold for ever.

        Raises: UnsupportedError where there are too many operators.
        """
        operators = self._operators()
        if len(operators) > MOST_GUESSED:
            raise UnsupportedError(
                f"the formula has {len(operators)} operators that may happen again and again or hold for "
                f"ever; at most {MOST_GUESSED} can be decided"
            )
        for size in range(len(operators) + 1):
            for chosen in combinations(operators, size):
                yield Guess(
                    frozenset(each for each in chosen if each.kind == "U"),
                    frozenset(each for each in chosen if each.kind == "R"),
                )

    def _operators(self) -> list[Obligation]:
        """All U and R of the formula; each is looked at once, as the same one may occur very often."""
        seen: set[Obligation] = set()
        waiting = [self.formula]
        while waiting:
            new = {due for sets in waiting.pop() for due in sets} - seen
            seen |= new
            for due in new:
                waiting += (due.left, due.right)
        return self.ordered(due for due in seen if due.kind in ("U", "R"))

    def _turned(self, rest: Rest, guess: Guess, side: str) -> Rest:
        """A rest that can only fail (side "safe"), or only come true ("live"), if the guess is right."""
        return either(*(both(*(self._turned_one(due, guess, side) for due in sets)) for sets in rest))

    def _turned_one(self, due: Obligation, guess: Guess, side: str) -> Rest:
        if due.kind in ("in", "out"):
            return self.only(due)
        left, right = self.turned(due.left, guess, side), self.turned(due.right, guess, side)
        kind = due.kind
        if side == "safe" and kind == "U":
            if due not in guess.again:
                return FALSE
            kind = "W"
        if side == "live" and kind == "R":
            if due in guess.for_ever:
                return TRUE
            kind = "M"
        return self.only(Obligation(kind, due.steps, left, right))


@dataclass(frozen=True)
class Guess:
    """Which U happen again and again, and which R hold for ever from some point on."""

    again: frozenset[Obligation]
    for_ever: frozenset[Obligation]


# --- end components ----------------------------------------------------------------------------------------

Node = tuple[int, Rest]  # a state, and the rest after it
Follow = Callable[[int], Sequence[Sequence[int]]]  # of a state, the sets of targets that actions lead to


def winning_nodes(rests: Rests, follow: Follow, budget: Budget) -> set[Node]:
    """Nodes from which the formula can be made almost surely true; every run that satisfies it meets one.

    Raises: UnsupportedError where there are too many; Stopped.
    """
    found: set[Node] = set()
    for guess in rests.guesses():
        found |= _Watched(rests, guess, follow, budget).winning()
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """A node with its watchers, and which of them have just begun anew.

    ``failing`` are those that must not fail: of the rest itself, and of what holds for ever. ``coming`` are
    those that must come true again and again.
    """

    state: int
    rest: Rest
    failing: tuple[Rest, ...]
    coming: tuple[Rest, ...]
    failed: bool = False
    came: frozenset[int] = frozenset()


class _Watched:
    """The graph of one guess."""

    def __init__(self, rests: Rests, guess: Guess, follow: Follow, budget: Budget) -> None:
        self._rests, self._guess, self._follow, self._budget = rests, guess, follow, budget
        self._lasting = [
            rests.turned(rests.only(due), guess, "safe") for due in rests.ordered(guess.for_ever)
        ]
        self._often = [rests.turned(rests.only(due), guess, "live") for due in rests.ordered(guess.again)]
        # "for ever" and "at some point": false R g, and true U g
        self._held = [rests.only(Obligation("R", 0, FALSE, rest)) for rest in self._lasting]
        self._sought = [rests.only(Obligation("U", 0, TRUE, rest)) for rest in self._often]
        self._places: list[_Place] = []
        self._moves: list[list[list[int]]] = []  # of each place, the sets of places that actions lead to

    def winning(self) -> set[Node]:
        """The nodes in end components that are won with this guess."""
        self._explore()
        found = {(place.state, TRUE) for place in self._places if place.rest == TRUE}
        inside = [place for place in range(len(self._places)) if not self._places[place].failed]
        for component in end_components(self._moves, inside, self._budget):
            came = frozenset[int]().union(*(self._places[place].came for place in component))
            if len(came) == len(self._sought):
                found |= {(self._places[place].state, self._places[place].rest) for place in component}
        return found

    def _explore(self) -> None:
        rests = self._rests
        number: dict[_Place, int] = {}

        def place_of(place: _Place) -> int:
            if place not in number:
                number[place] = len(self._places)
                self._places.append(place)
                if len(self._places) > MOST_WATCHED:
                    raise UnsupportedError(f"the formula needs more than {MOST_WATCHED} nodes for a guess")
            return number[place]

        safe = rests.turned(rests.formula, self._guess, "safe")
        start = _Place(-1, rests.formula, (safe, *self._held), tuple(self._sought))
        for state in range(len(rests.letters)):
            place_of(self._moved(start, state))
        for place in self._places:  # which grows meanwhile
            self._budget.check()
            memory: dict[int, int] = {}
            rows = []
            for targets in () if place.rest in (TRUE, FALSE) else self._follow(place.state):
                for target in targets:
                    if target not in memory:
                        memory[target] = place_of(self._moved(place, target))
                rows.append([memory[target] for target in targets])
            self._moves.append(rows)

    def _moved(self, place: _Place, state: int) -> _Place:
        """The place at the next state, where watchers that failed or came true begin anew."""
        after, letter = self._rests.after, self._rests.letters[state]
        rest = after(place.rest, letter)
        anew = (self._rests.turned(rest, self._guess, "safe"), *self._held)
        failing = [after(watcher, letter) for watcher in place.failing]
        coming = [after(watcher, letter) for watcher in place.coming]
        came = frozenset(k for k, watcher in enumerate(coming) if watcher == TRUE)
        return _Place(
            state,
            rest,
            tuple(new if watcher == FALSE else watcher for watcher, new in zip(failing, anew, strict=True)),
            tuple(
                new if watcher == TRUE else watcher for watcher, new in zip(coming, self._sought, strict=True)
            ),
            FALSE in failing,
            came,
        )


def end_components(
    moves: Sequence[Sequence[Sequence[int]]], inside: Iterable[int], budget: Budget
) -> list[list[int]]:
    """The maximal end components within a set: each node has an action that stays, and all are connected."""
    waiting, found = [list(inside)], []
    while waiting:
        nodes = waiting.pop()
        budget.check()
        within = set(nodes)
        rows = {}
        for node in nodes:
            rows[node] = [row for row in moves[node] if within.issuperset(row)]
        local = {node: k for k, node in enumerate(nodes)}
        edges = [sorted({local[t] for row in rows[node] for t in row}) for node in nodes]
        parts = strongly_connected_components(edges)
        if len(parts) == 1 and all(rows.values()):
            found.append(nodes)
            continue
        for part in parts:
            members = [nodes[k] for k in part]
            if all(not rows[node] for node in members):
                continue  # nothing stays
            if len(parts) > 1 or len(members) < len(nodes):
                waiting.append(members)
            else:
                waiting.append([node for node in members if rows[node]])
    return found
