"""The claims about one part of a formula on a decision process, SPEC-DPCTL section 8.

A part is a ``P`` or ``D``, or a path formula by itself. For ``P`` a claim needs the least and the largest
probability over all schedulers. For ``D``, those of both states may be enough, since a query scheduler is a
scheduler; if not, a tree follows the actions (``decision_trees.py``).

With an ``until``, the values of the certificate stand for these probabilities, cut off at 0 and 1; and with
an action for each state that makes the process a chain in which they are the solution, they are attained.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..core.chain import shown
from ..core.digits import comparison, size
from ..core.limits import Work
from ..core.steps import Rejected
from .decision_document import Actions, Numbers, Part, Tree
from .decision_known import Leaves, path_of, until_of
from .decision_nodes import LOST, WON, Nodes, Vector
from .decision_process import Process, check_lower, check_upper
from .decision_trees import TreeWalk
from .formula_chain import check_solution
from .formula_document import NOT, PROBABILITY, Formula
from .formula_powers import Bound

_OPPOSITE = {"<": ">=", "<=": ">", ">=": "<", ">": "<="}

Neighbours = dict[str, dict[str, None]]


class PartCheck:
    """One part, with the sets that its path formula is made of."""

    def __init__(
        self,
        process: Process,
        formula: Formula,
        leaves: Leaves,
        neighbours: Neighbours,
        part: Part,
        place: str,
        work: Work,
    ) -> None:
        """Check the values. Raises: Rejected, TooLarge."""
        self._process = process
        self._formula = formula
        self._neighbours = neighbours
        self._part = part
        self._place = place
        self._work = work
        path = path_of(formula)
        until = until_of(path)
        self._negated = until is not None and path.kind == NOT
        self._sets = None if until is None else tuple(leaves[id(side)] for side in until.parts)
        self._nodes = Nodes(process, path, leaves, work) if until is None else None
        self._repeated: dict[str, Numbers] = {}
        self._check_values()
        privacy = formula.privacy
        self._bound = None if privacy is None else Bound(privacy, work)
        self._trees: dict[tuple[str, str], tuple[str, Tree]] = {}
        self._tested: set[tuple[str, str]] = set()

    # --- values ---------------------------------------------------------------------------------------

    def _check_values(self) -> None:
        part = self._part
        if self._sets is None:
            given = {"upper": part.upper, "lower": part.lower, "most": part.most, "least": part.least}
            for name, values in given.items():
                if values is not None:
                    raise Rejected("values", f"{self._place}.{name} is not null, and there is no until")
            if part.repeated:
                raise Rejected("values", f"{self._place}.repeated is not empty, and there is no until")
            return
        through, to = self._sets
        if part.upper is not None:
            check_upper(self._process, through, to, part.upper, f"{self._place}.upper", self._work)
        if part.lower is not None:
            check_lower(self._process, through, to, part.lower, f"{self._place}.lower", self._work)
        self._check_attained("most", part.most, "upper", part.upper)
        self._check_attained("least", part.least, "lower", part.lower)
        for place, (action, solution) in enumerate(part.repeated):
            where = f"{self._place}.repeated[{place}]"
            if action in self._repeated:
                raise Rejected("values", f"{where} is of {shown(action)}, which stands there before")
            choices = self._numbers((action,), "values", where) * len(self._process.names)
            self._check_solution(choices, solution, f"{where}[1]")
            self._work.keep(1, 0)
            self._repeated[action] = solution

    def _check_attained(self, name: str, actions: Actions | None, of: str, values: Numbers | None) -> None:
        if actions is None:
            return
        where = f"{self._place}.{name}"
        if values is None:
            raise Rejected("values", f"{where} is not null, and {of} is")
        if len(actions) != len(self._process.names):
            found = f"{len(actions)} actions, and the model has {len(self._process.names)} states"
            raise Rejected("values", f"{where} has {found}")
        self._check_solution(self._numbers(actions, "values", where), values, f"{where}: {of}")

    def _check_solution(self, choices: list[int], solution: Numbers, place: str) -> None:
        """That this is the solution of the ``until`` where these actions are taken."""
        through, to = self._sets or (b"", b"")
        try:
            check_solution(self._process.chain(choices), through, to, solution, place, self._work)
        except Rejected as wrong:
            raise Rejected("values", wrong.reason) from None

    def _numbers(self, actions: Actions, step: str, where: str) -> list[int]:
        """Actions by their numbers."""
        self._work.spend(len(actions))
        for action in actions:
            if action not in self._process.actions:
                raise Rejected(step, f"{where}: {shown(action)} is not an action of the model")
        return [self._process.actions[action] for action in actions]

    def _high(self, name: str) -> tuple[Fraction, bool]:
        """The largest probability from a state, or a bound of it, and whether it is attained."""
        s = self._process.number[name]
        if self._nodes is not None:
            return self._nodes.high(self._nodes.of_state(s)), True
        if self._negated:
            least, attained = self._least(s)
            return 1 - least, attained
        return self._most(s)

    def _low(self, name: str) -> tuple[Fraction, bool]:
        """The least, likewise."""
        s = self._process.number[name]
        if self._nodes is not None:
            return self._nodes.low(self._nodes.of_state(s)), True
        if self._negated:
            most, attained = self._most(s)
            return 1 - most, attained
        return self._least(s)

    def _most(self, s: int) -> tuple[Fraction, bool]:
        upper = self._part.upper
        return Fraction(1) if upper is None else min(upper[s], Fraction(1)), self._part.most is not None

    def _least(self, s: int) -> tuple[Fraction, bool]:
        lower = self._part.lower
        return Fraction(0) if lower is None else max(lower[s], Fraction(0)), self._part.least is not None

    def _compared(self, name: str) -> tuple[Fraction, bool]:
        """Of a ``P``, what is compared with its threshold."""
        return self._high(name) if self._formula.sign in ("<", "<=") else self._low(name)

    def _with_actions(self, name: str, actions: Actions, step: str, where: str) -> Fraction:
        """How likely the path formula is from a state, with these actions."""
        numbers = self._numbers(actions, step, where)
        s = self._process.number[name]
        if self._nodes is None:
            if len(actions) != 1:
                raise Rejected(step, f"{where}: there are {len(actions)} actions, and an until takes one")
            if actions[0] not in self._repeated:
                raise Rejected(step, f"{where}: repeated has no solution for {shown(actions[0])}")
            value = self._repeated[actions[0]][s]
            return 1 - value if self._negated else value
        vector: Vector = {self._nodes.of_state(s): Fraction(1)}
        for action in numbers:
            vector = self._nodes.step(vector, action)
        if any(number not in (WON, LOST) for number in vector):
            what = f"after {len(actions)} actions from {shown(name)} the formula is still open"
            raise Rejected(step, f"{where}: {what}")
        return vector.get(WON, Fraction(0))

    # --- holds ----------------------------------------------------------------------------------------

    def check_holds(self) -> None:
        """The step ``holds``. Raises: Rejected, TooLarge."""
        self._take_trees()
        self._check_names("holds", self._part.holds)
        for place, name in enumerate(self._part.holds):
            where = f"{self._place}.holds[{place}], of {shown(name)}"
            if self._bound is None:
                self._check_probability(name, where)
                continue
            for other in self._neighbours.get(name, {}):
                if other != name:
                    self._check_order(self._bound, name, other, where)
                    self._check_order(self._bound, other, name, where)

    def _take_trees(self) -> None:
        if self._part.trees and (self._bound is None or self._nodes is None):
            raise Rejected("holds", f"{self._place} has trees, and is not D of a bounded formula")
        for number, (s, t, tree) in enumerate(self._part.trees):
            place = f"{self._place}.trees[{number}]"
            for name in (s, t):
                if name not in self._process.number:
                    raise Rejected("holds", f"{place} names {shown(name)}, not a state of the model")
            if (s, t) in self._trees:
                raise Rejected("holds", f"{place} is of the same states as {self._trees[s, t][0]}")
            self._work.keep(1, 0)
            self._trees[s, t] = place, tree

    def _check_probability(self, name: str, where: str) -> None:
        sign, q = self._formula.sign, self._formula.threshold
        value, _ = self._compared(name)
        self._work.spend(2, size(value), size(q))
        if not _compares(value, sign, q):
            what = "largest" if sign in ("<", "<=") else "least"
            raise Rejected("holds", f"{where}: the {what} value is {comparison(value, _OPPOSITE[sign], q)}")

    def _check_order(self, bound: Bound, x: str, y: str, where: str) -> None:
        """That p_x ≤ e^ε p_y + d for every query scheduler."""
        self._work.spend(1)
        if (x, y) in self._tested:
            return
        self._work.keep(1, 0)
        self._tested.add((x, y))
        if bound.holds(self._high(x)[0], self._low(y)[0]):
            return
        if self._nodes is None or (x, y) not in self._trees:
            what = f"values are not close, in the order {shown(x)}, {shown(y)}"
            missing = "" if self._nodes is None else ", and there is no tree"
            raise Rejected("holds", f"{where}: {what}{missing}")
        place, tree = self._trees[x, y]
        walk = TreeWalk(tree, self._process.actions, self._nodes, bound, f"{place}[2]", self._work)
        first, second = (self._nodes.of_state(self._process.number[name]) for name in (x, y))
        walk.check(first, second)

    # --- violated -------------------------------------------------------------------------------------

    def check_violated(self) -> None:
        """The step ``violated``. Raises: Rejected, TooLarge."""
        self._check_names("violated", (name for name, _ in self._part.violated))
        holding = set(self._part.holds)
        for place, (s, witness) in enumerate(self._part.violated):
            where = f"{self._place}.violated[{place}], of {shown(s)}"
            if s in holding:
                raise Rejected("violated", f"{where}: holds lists it as well")
            if self._bound is None:
                if witness is not None:
                    raise Rejected("violated", f"{where}: there is a witness, and it is not D")
                self._check_exceeded(s, where)
                continue
            if witness is None:
                raise Rejected("violated", f"{where}: there is no witness")
            t = witness.neighbour
            if t != s and t not in self._neighbours.get(s, {}):
                raise Rejected("violated", f"{where}: {shown(t)} is not a neighbour")
            p, q = (self._with_actions(name, witness.actions, "violated", where) for name in (s, t))
            if self._bound.holds(p, q) and self._bound.holds(q, p):
                found = f"{comparison(p, 'and', q)} are close"
                raise Rejected("violated", f"{where} and {shown(t)}: the probabilities {found}")

    def _check_exceeded(self, s: str, where: str) -> None:
        sign, q = self._formula.sign, self._formula.threshold
        value, attained = self._compared(s)
        if not attained:
            name = "most" if (sign in ("<", "<=")) != self._negated else "least"
            raise Rejected("violated", f"{where}: the value need not be attained, as {name} is null")
        self._work.spend(2, size(value), size(q))
        if _compares(value, sign, q):
            raise Rejected("violated", f"{where}: {comparison(value, sign, q)}, as the formula says")

    # --- values that are claimed ----------------------------------------------------------------------

    def check_queries(self) -> None:
        """The step ``queries``. Raises: Rejected, TooLarge."""
        for place, (name, actions, claimed) in enumerate(self._part.queries):
            where = f"{self._place}.queries[{place}]"
            self._check_state("queries", where, name)
            self._check_equal("queries", where, claimed, self._with_actions(name, actions, "queries", where))

    def check_extremes(self) -> None:
        """The step ``extremes``. Raises: Rejected, TooLarge."""
        for place, (name, *claimed) in enumerate(self._part.extremes):
            where = f"{self._place}.extremes[{place}]"
            self._check_state("extremes", where, name)
            found = self._low(name), self._high(name)
            for kind, number, (value, attained) in zip(("least", "largest"), claimed, found, strict=True):
                if not attained:
                    raise Rejected("extremes", f"{where}: the {kind} value need not be attained")
                self._check_equal("extremes", f"{where}, the {kind} value", number, value)

    def _check_state(self, step: str, where: str, name: str) -> None:
        if name not in self._process.number:
            raise Rejected(step, f"{where} names {shown(name)}, not a state of the model")

    def _check_equal(self, step: str, where: str, claimed: Fraction, found: Fraction) -> None:
        self._work.spend(2, size(claimed), size(found))
        if claimed != found:
            raise Rejected(step, f"{where}: {comparison(claimed, '!=', found)}")

    def _check_names(self, step: str, claimed: Iterable[str]) -> None:
        """That the part is P or D if there are any, and all are states of the model, each once."""
        places: dict[str, int] = {}
        for place, name in enumerate(claimed):
            where = f"{self._place}.{step}"
            if self._bound is None and self._formula.kind != PROBABILITY:
                raise Rejected(step, f"{where} is not empty, and the part is neither P nor D")
            self._check_state(step, f"{where}[{place}]", name)
            if name in places:
                raise Rejected(step, f"{where}[{place}] names {shown(name)}, as {step}[{places[name]}] does")
            places[name] = place


def _compares(value: Fraction, sign: str, q: Fraction) -> bool:
    if sign == "<":
        return value < q
    if sign == "<=":
        return value <= q
    return value >= q if sign == ">=" else value > q
