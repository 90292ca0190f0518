"""The claims about a formula on a decision process: where it holds or is violated, SPEC-DPCTL section 8.

For ``P`` a claim needs the least and the largest probability over all schedulers. For ``D``, those of both
states may be enough, since a query scheduler is a scheduler; if not, a tree follows the actions of a query
scheduler, with a vector of nodes for each of the two states. What is won from a node later is the same for
both, whatever it is: so a leaf is tested node by node.

With an ``until``, the values of the certificate stand for these probabilities, cut off at 0 and 1. A
violation is then shown by one action for good, or one for each state, which makes the process a chain.
"""

from __future__ import annotations

from fractions import Fraction

from .decision_document import (
    DecisionCertificate,
    Numbers,
    PrivacyWitness,
    ProbabilityWitness,
    Tree,
    Witness,
)
from .decision_nodes import LOST, WON, Nodes, Vector
from .decision_process import Process, check_lower, check_upper
from .digits import comparison, size
from .formula_chain import check_solution
from .formula_document import NOT, UNTIL, Formula
from .formula_powers import Bound, Part
from .limits import Work
from .model import shown
from .steps import Rejected

_OTHERS = "*"  # in a tree, all actions that it does not name
_OPPOSITE = {"<": ">=", "<=": ">", ">=": "<", ">": "<="}


class Claims:
    """The claims of one certificate."""

    def __init__(self, process: Process, certificate: DecisionCertificate, work: Work) -> None:
        """Check the values. Raises: Rejected, TooLarge."""
        self._process = process
        self._certificate = certificate
        self._work = work
        self._formula = certificate.formula
        path = self._formula.parts[0]
        self._negated = path.kind == NOT and path.parts[0].kind == UNTIL
        self._until = path.parts[0] if self._negated else path if path.kind == UNTIL else None
        self._nodes = Nodes(process, path, work) if self._until is None else None
        self._check_values()
        privacy = self._formula.privacy
        self._bound = None if privacy is None else Bound(privacy, work)
        self._neighbours: dict[str, dict[str, None]] = {}
        work.keep(2 * len(certificate.neighbours), 0)
        for s, t in certificate.neighbours:
            self._neighbours.setdefault(s, {})[t] = None
            self._neighbours.setdefault(t, {})[s] = None
        self._trees: dict[tuple[str, str], tuple[str, Tree | None]] = {}
        self._tested: dict[tuple[str, str], bool] = {}

    # --- values ---------------------------------------------------------------------------------------

    def _check_values(self) -> None:
        given = {"upper": self._certificate.upper, "lower": self._certificate.lower}
        if self._until is None:
            for name, values in given.items():
                if values is not None:
                    raise Rejected("values", f"{name} is not null, and the formula has no until")
            return
        through, to = self._sets(self._until)
        if given["upper"] is not None:
            check_upper(self._process, through, to, given["upper"], self._work)
        if given["lower"] is not None:
            check_lower(self._process, through, to, given["lower"], self._work)

    def _sets(self, until: Formula) -> tuple[bytes, bytes]:
        through, to = (self._process.satisfying(part) for part in until.parts)
        return through, to

    def _high(self, name: str) -> Fraction:
        s = self._process.number[name]
        if self._nodes is not None:
            return self._nodes.high(self._nodes.of_state(s))
        return 1 - self._least(s) if self._negated else self._most(s)

    def _low(self, name: str) -> Fraction:
        s = self._process.number[name]
        if self._nodes is not None:
            return self._nodes.low(self._nodes.of_state(s))
        return 1 - self._most(s) if self._negated else self._least(s)

    def _most(self, s: int) -> Fraction:
        upper = self._certificate.upper
        return Fraction(1) if upper is None else min(upper[s], Fraction(1))

    def _least(self, s: int) -> Fraction:
        lower = self._certificate.lower
        return Fraction(0) if lower is None else max(lower[s], Fraction(0))

    # --- holds ----------------------------------------------------------------------------------------

    def check_holds(self) -> None:
        """The step ``holds``. Raises: Rejected, TooLarge."""
        self._take_trees()
        self._check_names("holds", self._certificate.holds)
        for place, name in enumerate(self._certificate.holds):
            where = f"holds[{place}], of {shown(name)}"
            if self._bound is None:
                self._check_probability(name, where)
                continue
            for other in self._neighbours.get(name, {}):
                if other != name:
                    self._check_order(name, other, where)
                    self._check_order(other, name, where)

    def _take_trees(self) -> None:
        if self._certificate.trees and (self._bound is None or self._nodes is None):
            raise Rejected("holds", "there are trees, and the formula is not D of a bounded one")
        for place, (s, t, tree) in enumerate(self._certificate.trees):
            for name in (s, t):
                if name not in self._process.number:
                    what = f"trees[{place}] names {shown(name)}, not a state of the model"
                    raise Rejected("holds", what)
            if (s, t) in self._trees:
                raise Rejected("holds", f"trees[{place}] is of the same states as {self._trees[s, t][0]}")
            self._work.keep(1, 0)
            self._trees[s, t] = f"trees[{place}]", tree

    def _check_probability(self, name: str, where: str) -> None:
        sign, q = self._formula.sign, self._formula.threshold
        value = self._high(name) if sign in ("<", "<=") else self._low(name)
        self._work.spend(2, size(value), size(q))
        if not _compares(value, sign, q):
            what = "largest" if sign in ("<", "<=") else "least"
            raise Rejected("holds", f"{where}: the {what} value is {comparison(value, _OPPOSITE[sign], q)}")

    def _check_order(self, x: str, y: str, where: str) -> None:
        """That p_x ≤ e^ε p_y + d for every query scheduler."""
        bound = self._bound
        if bound is None or (x, y) in self._tested:
            return
        self._work.keep(1, 0)
        self._tested[x, y] = True
        if bound.holds(self._high(x), self._low(y)):
            return
        if self._nodes is None or (x, y) not in self._trees:
            what = f"values are not close, in the order {shown(x)}, {shown(y)}"
            raise Rejected(
                "holds", f"{where}: {what}{'' if self._nodes is None else ', and there is no tree'}"
            )
        place, tree = self._trees[x, y]
        alpha, beta = ({self._nodes.of_state(self._process.number[name]): Fraction(1)} for name in (x, y))
        self._check_tree(self._nodes, bound, tree, (alpha, beta), place)

    def _check_tree(
        self, nodes: Nodes, bound: Bound, tree: Tree | None, vectors: tuple[Vector, Vector], place: str
    ) -> None:
        self._work.spend(1 + sum(map(len, vectors)))
        if tree is None:
            alpha, beta = vectors
            zero = Fraction(0)
            parts = [
                Part(alpha.get(n, zero), beta.get(n, zero), nodes.low(n), nodes.high(n))
                for n in dict.fromkeys((*alpha, *beta))
            ]
            if not bound.holds_for_parts(parts):
                raise Rejected("holds", f"{place}: at this leaf more than d may be left")
            return
        others = None if _OTHERS in self._process.actions else _OTHERS
        for action in tree.after:
            if action not in self._process.actions and action != others:
                raise Rejected("holds", f"{place} has {shown(action)}, not an action of the model")
        tested: set[tuple[frozenset[tuple[int, Fraction]], ...]] = set()  # by the member for all others
        kept = 0
        for action, number in self._process.actions.items():
            name = action if action in tree.after or others is None else others
            if name not in tree.after:
                raise Rejected("holds", f"{place} has no tree for the action {shown(action)}")
            after = nodes.step(vectors[0], number), nodes.step(vectors[1], number)
            if name != action:
                self._work.spend(2 * sum(map(len, after)))
                key = tuple(frozenset(vector.items()) for vector in after)
                if key in tested:
                    continue
                tested.add(key)
                kept += sum(map(len, after))
                self._work.keep(sum(map(len, after)), 0)
            self._check_tree(nodes, bound, tree.after[name], after, f"{place}.{shown(action)}")
        self._work.release(kept, 0)

    # --- violated -------------------------------------------------------------------------------------

    def check_violated(self) -> None:
        """The step ``violated``. Raises: Rejected, TooLarge."""
        names = tuple(name for name, _ in self._certificate.violated)
        self._check_names("violated", names)
        holding = set(self._certificate.holds)
        for place, (name, witness) in enumerate(self._certificate.violated):
            where = f"violated[{place}], of {shown(name)}"
            if name in holding:
                raise Rejected("violated", f"{where}: holds lists it as well")
            if isinstance(witness, PrivacyWitness):
                self._check_apart(name, witness, where)
            else:
                self._check_exceeded(name, witness, where)

    def _check_apart(self, s: str, witness: PrivacyWitness, where: str) -> None:
        t = witness.neighbour
        if t != s and t not in self._neighbours.get(s, {}):
            raise Rejected("violated", f"{where}: {shown(t)} is not a neighbour")
        for action in witness.actions:
            if action not in self._process.actions:
                raise Rejected("violated", f"{where}: {shown(action)} is not an action of the model")
        actions = [self._process.actions[action] for action in witness.actions]
        if self._nodes is not None:
            if witness.solution is not None:
                raise Rejected("violated", f"{where}: there is a solution, and the formula has no until")
            p, q = (self._after_all(self._nodes, name, actions, where) for name in (s, t))
        else:
            if len(actions) != 1:
                raise Rejected("violated", f"{where}: there are {len(actions)} actions, and it takes one")
            x = self._solved(actions * len(self._process.names), witness, where)
            p, q = (x[self._process.number[name]] for name in (s, t))
        bound = self._bound
        if bound is None or (bound.holds(p, q) and bound.holds(q, p)):
            found = f"{comparison(p, 'and', q)} are close"
            raise Rejected("violated", f"{where} and {shown(t)}: the probabilities {found}")

    def _after_all(self, nodes: Nodes, name: str, actions: list[int], where: str) -> Fraction:
        """How likely the formula is from a state, with these actions."""
        vector: Vector = {nodes.of_state(self._process.number[name]): Fraction(1)}
        for action in actions:
            vector = nodes.step(vector, action)
        if any(number not in (WON, LOST) for number in vector):
            what = f"after {len(actions)} actions from {shown(name)} the formula is still open"
            raise Rejected("violated", f"{where}: {what}")
        return vector.get(WON, Fraction(0))

    def _check_exceeded(self, s: str, witness: ProbabilityWitness, where: str) -> None:
        sign, q = self._formula.sign, self._formula.threshold
        if self._nodes is not None:
            if witness.choices is not None or witness.solution is not None:
                what = "there are choices or a solution, and the formula has no until"
                raise Rejected("violated", f"{where}: {what}")
            value = self._high(s) if sign in ("<", "<=") else self._low(s)
        else:
            x = self._solved(self._choices(witness, where), witness, where)
            value = x[self._process.number[s]]
        self._work.spend(2, size(value), size(q))
        if _compares(value, sign, q):
            raise Rejected("violated", f"{where}: {comparison(value, sign, q)}, as the formula says")

    def _choices(self, witness: ProbabilityWitness, where: str) -> list[int]:
        if witness.choices is None:
            raise Rejected("violated", f"{where}: there are no choices, and the formula has an until")
        for name, action in witness.choices.items():
            if name not in self._process.number:
                raise Rejected("violated", f"{where}: {shown(name)} is not a state of the model")
            if action not in self._process.actions:
                raise Rejected("violated", f"{where}: {shown(action)} is not an action of the model")
        for name in self._process.names:
            if name not in witness.choices:
                raise Rejected("violated", f"{where}: there is no choice for {shown(name)}")
        return [self._process.actions[witness.choices[name]] for name in self._process.names]

    def _solved(self, choices: list[int], witness: Witness, where: str) -> Numbers:
        """The probabilities of the formula, with an until, where these actions are taken."""
        solution = witness.solution
        if solution is None or self._until is None:
            raise Rejected("violated", f"{where}: there is no solution, and the formula has an until")
        through, to = self._sets(self._until)
        try:
            check_solution(self._process.chain(choices), through, to, solution, "solution", self._work)
        except Rejected as wrong:
            raise Rejected("violated", f"{where}: {wrong.reason}") from None
        return tuple(1 - x for x in solution) if self._negated else solution

    def _check_names(self, step: str, claimed: tuple[str, ...]) -> None:
        """That all are states of the model, each once."""
        places: dict[str, int] = {}
        for place, name in enumerate(claimed):
            if name not in self._process.number:
                raise Rejected(step, f"{step}[{place}] names {shown(name)}, not a state of the model")
            if name in places:
                raise Rejected(step, f"{step}[{place}] names {shown(name)}, as {step}[{places[name]}] does")
            places[name] = place


def _compares(value: Fraction, sign: str, q: Fraction) -> bool:
    if sign == "<":
        return value < q
    if sign == "<=":
        return value <= q
    return value >= q if sign == ">=" else value > q
