"""General path formulas on a decision process: nodes, and from which of them a formula can be won for sure.
SPEC section 8.

*Formulas.* Obligations are kept in a table, each once, with a number. A set of obligations is an integer with
a bit for each, and a formula the sorted tuple of its minimal sets; so equal formulas are equal tuples.

*Nodes* are numbered as they are met, and made a process of their own, on which the values of a certificate
are those of an ``until`` whose goal is the set W of the specification. W is found here and not read: for each
guess the places are followed, and end components are what is left when states and rows that leave are taken
away, again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from ..core import TooLarge
from ..core.limits import Work
from .formulas import AND, NEXT, NOT, UNTIL, Formula, Leaves, StateSet
from .process import Process

MOST_NODES = 2_000_000
MOST_OPERATORS = 12
MOST_OBLIGATIONS = 16_384
MOST_SETS = 1024

Rest = tuple[int, ...]  # sets of obligations as bits, in increasing order; one of them is enough
TRUE: Rest = (0,)
FALSE: Rest = ()
_IN, _OUT = "in", "out"
_DUAL = {"U": "R", "R": "U", "U<=": "R<=", "R<=": "U<="}


class _Obligation(NamedTuple):
    """``kind`` is in or out of the set with that number, X, U, W, M, R, or U<= and R<= with so many steps."""

    kind: str
    number: int = 0
    left: Rest = FALSE
    right: Rest = FALSE


class _Guess(NamedTuple):
    """The numbers of obligations: which U are true again and again, which R from some point on for ever."""

    again: frozenset[int]
    in_the_end: frozenset[int]


class Formulas:
    """The table of obligations of one path formula, and what formulas are after states."""

    def __init__(self, leaves: Leaves, work: Work) -> None:
        self._leaves = leaves
        self._work = work
        self._table: list[_Obligation] = []
        self._numbers: dict[_Obligation, int] = {}
        self._sets: dict[StateSet, int] = {}
        for inside in leaves.values():
            work.spend(1 + len(inside) // 8)
            self._sets.setdefault(inside, len(self._sets))
        work.spend(len(self._sets) * max(map(len, self._sets)))
        found: dict[tuple[int, ...], int] = {}
        self.sorts = [found.setdefault(column, len(found)) for column in zip(*self._sets, strict=True)]
        self._members = list(found)  # of each sort of states, in which sets they are
        self._after: dict[tuple[Rest, int], Rest] = {}
        self._turned: dict[tuple[Rest, _Guess, bool], Rest] = {}

    def only(self, kind: str, number: int, left: Rest, right: Rest) -> Rest:
        """The formula that is one obligation."""
        due = _Obligation(kind, number, left, right)
        if due not in self._numbers:
            self._work.keep(4 + len(left) + len(right), len(self._table))
            self._numbers[due] = len(self._table)
            self._table.append(due)
        return (1 << self._numbers[due],)

    def both(self, first: Rest, second: Rest) -> Rest:
        """The conjunction. Raises: TooLarge."""
        self._work.spend(1 + len(first) * len(second), len(self._table))
        return self._minimal(a | b for a, b in product(first, second))

    def either(self, first: Rest, second: Rest) -> Rest:
        """The disjunction. Raises: TooLarge."""
        return self._minimal((*first, *second))

    def _minimal(self, sets: Iterable[int]) -> Rest:
        different = sorted(set(sets), key=int.bit_count)
        if len(different) > MOST_SETS:
            raise TooLarge(f"a formula has more than {MOST_SETS} sets of obligations")
        kept: list[int] = []
        for one in different:
            self._work.spend(1 + len(kept), len(self._table))
            if all(smaller & one != smaller for smaller in kept):
                kept.append(one)
        if sum(map(int.bit_count, kept)) > MOST_OBLIGATIONS:
            raise TooLarge(f"a formula has more than {MOST_OBLIGATIONS} obligations")
        return tuple(sorted(kept))

    def _obligations(self, one: int) -> Iterator[int]:
        """The numbers in a set."""
        while one:
            lowest = one & -one
            yield lowest.bit_length() - 1
            one ^= lowest

    def positive(self, formula: Formula, negated: bool) -> Rest:
        """A path formula, or its negation, in positive form."""
        if formula.is_state_formula:
            inside = self._leaves[id(formula)]
            if 0 not in inside or 1 not in inside:
                return TRUE if (inside[0] == 1) != negated else FALSE
            return self.only(_OUT if negated else _IN, self._sets[inside], FALSE, FALSE)
        if formula.kind == NOT:
            return self.positive(formula.parts[0], not negated)
        parts = [self.positive(part, negated) for part in formula.parts]
        if formula.kind == AND:
            return self.either(*parts) if negated else self.both(*parts)
        if formula.kind == NEXT:
            return self.only("X", 0, parts[0], FALSE)
        kind, steps = ("U", 0) if formula.kind == UNTIL else ("U<=", formula.data[0])
        return self.only(_DUAL[kind] if negated else kind, steps, *parts)

    def after(self, rest: Rest, sort: int) -> Rest:
        """What a formula is after a state of a sort."""
        key = rest, sort
        if key not in self._after:
            found = FALSE
            for one in rest:
                every = TRUE
                for number in self._obligations(one):
                    every = self.both(every, self._step(number, sort))
                found = self.either(found, every)
            self._work.keep(2 + len(found), len(self._table))
            self._after[key] = found
        return self._after[key]

    def _step(self, number: int, sort: int) -> Rest:
        kind, steps, left, right = self._table[number]
        if kind in (_IN, _OUT):
            return TRUE if self._members[sort][steps] == (kind == _IN) else FALSE
        if kind == "X":
            return left
        before, now = self.after(left, sort), self.after(right, sort)
        strong = kind in ("U", "W", "U<=")  # the right side is enough; of the others it is needed
        if kind in ("U<=", "R<="):
            if steps == 0:
                return now
            again = self.only(kind, steps - 1, left, right)
        else:
            again = (1 << number,)
        if strong:
            return self.either(now, self.both(before, again))
        return self.both(now, self.either(before, again))

    # --- guesses ---

    def guesses(self, formula: Rest) -> Iterator[_Guess]:
        """All of them. Raises: TooLarge."""
        operators: dict[int, str] = {}
        waiting = [formula]
        seen: set[int] = set()
        while waiting:
            for one in waiting.pop():
                for number in self._obligations(one):
                    self._work.spend(1)
                    if number not in seen:
                        seen.add(number)
                        due = self._table[number]
                        waiting += (due.left, due.right)
                        if due.kind in ("U", "R"):
                            operators[number] = due.kind
        if len(operators) > MOST_OPERATORS:
            raise TooLarge(f"the formula has {len(operators)} operators U and R of which there are guesses")
        for chosen in product((False, True), repeat=len(operators)):
            taken = [number for number, is_taken in zip(operators, chosen, strict=True) if is_taken]
            again = frozenset(number for number in taken if operators[number] == "U")
            yield _Guess(again, frozenset(taken) - again)

    def turned(self, rest: Rest, guess: _Guess, live: bool) -> Rest:
        """The formula with X, which can only fail; ``live``: with Y, which can only come true."""
        key = rest, guess, live
        if key not in self._turned:
            found = FALSE
            for one in rest:
                every = TRUE
                for number in self._obligations(one):
                    every = self.both(every, self._turned_one(number, guess, live))
                found = self.either(found, every)
            self._work.keep(2 + len(found), len(self._table))
            self._turned[key] = found
        return self._turned[key]

    def _turned_one(self, number: int, guess: _Guess, live: bool) -> Rest:
        kind, steps, left, right = self._table[number]
        if kind in (_IN, _OUT):
            return (1 << number,)
        if live and kind == "R":
            if number in guess.in_the_end:
                return TRUE
            kind = "M"
        if not live and kind == "U":
            if number not in guess.again:
                return FALSE
            kind = "W"
        return self.only(kind, steps, self.turned(left, guess, live), self.turned(right, guess, live))

    def watched(self, number: int, guess: _Guess, live: bool) -> Rest:
        """What a watcher of one obligation of a guess begins with."""
        inner = self.turned((1 << number,), guess, live)
        return self.only("U", 0, TRUE, inner) if live else self.only("R", 0, FALSE, inner)


class General:
    """The nodes of a general formula as a process, and the set W of the formula and of its negation."""

    def __init__(self, process: Process, path: Formula, leaves: Leaves, work: Work) -> None:
        """Raises: TooLarge."""
        self._process, self._work = process, work
        formulas = [Formulas(leaves, work) for _ in range(2)]
        roots = [
            formula.positive(path, negated) for formula, negated in zip(formulas, (False, True), strict=True)
        ]
        nodes = self._nodes(formulas, roots)
        sets: list[StateSet] = []
        for side in range(2):
            won = _winning(process, formulas[side], roots[side], work)
            sets.append(bytes((node[0], node[1 + side]) in won for node in nodes))
        self.won, self.lost = sets

    def _nodes(self, formulas: list[Formulas], roots: list[Rest]) -> list[tuple[int, Rest, Rest]]:
        """All nodes with both rests; the process that they make is ``self.process``."""
        work, old = self._work, self._process
        number: dict[tuple[int, Rest], int] = {}
        nodes: list[tuple[int, Rest, Rest]] = []

        def node(s: int, rests: Sequence[Rest]) -> int:
            found = [f.after(rest, f.sorts[s]) for f, rest in zip(formulas, rests, strict=True)]
            work.spend(8)
            key = s, found[0]
            if key not in number:
                work.keep(8, 0)
                number[key] = len(nodes)
                nodes.append((s, found[0], found[1]))
                if len(nodes) > MOST_NODES:
                    raise TooLarge(f"the formula has more than {MOST_NODES} nodes")
            return number[key]

        for s in range(len(old.names)):
            node(s, roots)
        rows: list[list[dict[int, int]]] = [[] for _ in old.rows]
        sums: list[list[int]] = [[] for _ in old.rows]
        for place, (s, *rests) in enumerate(nodes):  # which grow meanwhile
            made: dict[int, dict[int, int]] = {}
            for a, (by_state, totals) in enumerate(zip(old.rows, old.sums, strict=True)):
                row, total = by_state[s], totals[s]
                if id(row) not in made:
                    if rests[0] in (TRUE, FALSE):
                        made[id(row)] = {place: total}
                    else:
                        made[id(row)] = {node(t, rests): row[t] for t in sorted(row)}
                    work.keep(2 + len(row), max(totals[s].bit_length(), 1))
                work.spend(2)
                work.keep(2, 0)
                rows[a].append(made[id(row)])
                sums[a].append(total)
        names = tuple(old.names[s] for s, _, _ in nodes)
        self.process = Process(names, old.actions, rows, sums, work, "nodes")
        return nodes


class _Place(NamedTuple):
    """A node with what has become of the watchers, and which of them fail or come true here."""

    state: int
    rest: Rest
    failing: tuple[Rest, ...]
    coming: tuple[Rest, ...]
    fails: bool = False
    comes: int = 0  # bits


def _winning(process: Process, formulas: Formulas, root: Rest, work: Work) -> set[tuple[int, Rest]]:
    """The set W. Raises: TooLarge."""
    found: set[tuple[int, Rest]] = set()
    for guess in formulas.guesses(root):
        with work.forgotten():
            places, rows = _places(process, formulas, root, guess, work)
            every = (1 << len(guess.again)) - 1
            for place in places:
                if place.rest == TRUE:
                    found.add((place.state, place.rest))
            for component in _end_components(places, rows, work):
                comes = 0
                for number in component:
                    comes |= places[number].comes
                if comes == every:
                    found |= {(places[number].state, places[number].rest) for number in component}
    work.keep(len(found), 0)
    return found


def _places(
    process: Process, formulas: Formulas, root: Rest, guess: _Guess, work: Work
) -> tuple[list[_Place], list[list[list[int]]]]:
    """The places of a guess, and of each the rows that its actions have, as lists of places."""
    lasting = tuple(formulas.watched(y, guess, False) for y in sorted(guess.in_the_end))
    often = tuple(formulas.watched(x, guess, True) for x in sorted(guess.again))
    number: dict[_Place, int] = {}
    places: list[_Place] = []

    def moved(place: _Place, s: int) -> int:
        """The place at the next state."""
        sort = formulas.sorts[s]
        work.spend(8 + 4 * (len(place.failing) + len(place.coming)))
        rest = formulas.after(place.rest, sort)
        begin = (formulas.turned(rest, guess, False), *lasting)
        failing = [formulas.after(watcher, sort) for watcher in place.failing]
        coming = [formulas.after(watcher, sort) for watcher in place.coming]
        new = _Place(
            s,
            rest,
            tuple(b if watcher == FALSE else watcher for b, watcher in zip(begin, failing, strict=True)),
            tuple(b if watcher == TRUE else watcher for b, watcher in zip(often, coming, strict=True)),
            FALSE in failing,
            sum(1 << k for k, watcher in enumerate(coming) if watcher == TRUE),
        )
        if new not in number:
            work.keep(8 + len(failing) + len(coming), 0)
            number[new] = len(places)
            places.append(new)
            if len(places) > MOST_NODES:
                raise TooLarge(f"a guess has more than {MOST_NODES} places")
        return number[new]

    start = _Place(-1, root, (formulas.turned(root, guess, False), *lasting), often)
    for s in range(len(process.names)):
        moved(start, s)
    rows: list[list[list[int]]] = []
    for place in places:  # which grow meanwhile
        own: list[list[int]] = []
        if place.rest not in (TRUE, FALSE):
            for row, _ in process.different_rows(place.state):
                work.keep(1 + len(row), 0)
                own.append([moved(place, t) for t in row])
        rows.append(own)
    return places, rows


def _end_components(places: list[_Place], rows: list[list[list[int]]], work: Work) -> Iterator[list[int]]:
    """The largest end components without a failing watcher."""
    waiting = [[number for number, place in enumerate(places) if not place.fails]]
    while waiting:
        inside = waiting.pop()
        members = set(inside)
        # rows that leave go, and places without rows, until nothing changes
        staying: dict[int, list[list[int]]] = {}
        while True:
            work.spend(sum(1 + sum(map(len, rows[number])) for number in members))
            staying = {n: [row for row in rows[n] if members.issuperset(row)] for n in members}
            left = {n for n in members if staying[n]}
            if left == members:
                break
            members = left
        if not members:
            continue
        parts = _connected({n: {t for row in staying[n] for t in row} for n in members}, work)
        if len(parts) == 1:
            yield parts[0]
        else:
            waiting += parts


def _connected(edges: dict[int, set[int]], work: Work) -> list[list[int]]:
    """The strongly connected components, by two searches (Kosaraju and Sharir)."""
    work.spend(4 * sum(1 + len(targets) for targets in edges.values()))
    order: list[int] = []
    seen: set[int] = set()
    for root in edges:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(edges[root]))]
        while path:
            here, targets = path[-1]
            following = next((t for t in targets if t not in seen), None)
            if following is None:
                order.append(here)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(edges[following])))
    before: dict[int, list[int]] = {n: [] for n in edges}
    for n, after_n in edges.items():
        for t in after_n:
            before[t].append(n)
    found: list[list[int]] = []
    taken: set[int] = set()
    for root in reversed(order):
        if root in taken:
            continue
        taken.add(root)
        component: list[int] = []
        stack = [root]
        while stack:
            here = stack.pop()
            component.append(here)
            for n in before[here]:
                if n not in taken:
                    taken.add(n)
                    stack.append(n)
        found.append(component)
    return found
