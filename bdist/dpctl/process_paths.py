"""A path formula on a Markov decision process: its most and its least probability, from every state.

Bounded formulas have nodes (`rests`), on which sequences of queries act; an until has the values of policy
iteration (`reachability`). States and actions are numbered in the order of their names, as in a certificate.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from bdist.budget import Budget
from bdist.dpctl.formulas import And, Atom, Formula, Not, Truth, Until, is_state_formula
from bdist.dpctl.printer import text_of
from bdist.dpctl.reachability import complement, largest_until, least_until, until_in
from bdist.dpctl.rests import Nodes, Successors, is_bounded, nodes_of
from bdist.errors import InternalError, UnsupportedError
from bdist.formats.propositions import propositions_of
from bdist.models.mdp import MarkovDecisionProcess
from bdist.rationals.fast import ONE, ZERO, fast


class PathValues:
    """A path formula on a process: the most and the least probability, and nodes where it is bounded."""

    def __init__(self, process: MarkovDecisionProcess, formula: Formula, budget: Budget) -> None:
        self.names = sorted(process.states)
        self.actions = tuple(sorted(process.actions))
        number = {name: k for k, name in enumerate(self.names)}
        order = [process.actions.index(action) for action in self.actions]
        propositions = [
            frozenset(propositions_of(process.labels[process.index(name)])) for name in self.names
        ]
        self.rows: list[list[Successors]] = [
            [
                [(number[process.states[t]], fast(p)) for t, p in process.rows[process.index(name)][action]]
                for action in order
            ]
            for name in self.names
        ]
        self._budget = budget

        def satisfies(part: Formula, state: int) -> bool:
            return _satisfies(part, propositions[state])

        self.nodes: Nodes | None = None
        self.negated = isinstance(formula, Not) and not is_bounded(formula)
        self.until = formula.inner if isinstance(formula, Not) and self.negated else formula
        self.upper: list[fmpq] | None = None
        self.lower: list[fmpq] | None = None
        everywhere = range(len(self.names))
        if is_bounded(formula):
            self.nodes = nodes_of(formula, everywhere, self.rows, satisfies)
            self.high = [self.nodes.high[self.nodes.starts[s]] for s in everywhere]
            self.low = [self.nodes.low[self.nodes.starts[s]] for s in everywhere]
            return
        until = self.until
        if not isinstance(until, Until) or not (
            is_state_formula(until.left) and is_state_formula(until.right)
        ):
            raise UnsupportedError(
                f"'{text_of(formula)}': on processes a path formula is bounded (X, U<=k), or one until of "
                "propositions, or not that"
            )
        self.left = [satisfies(until.left, s) for s in everywhere]
        self.right = [satisfies(until.right, s) for s in everywhere]
        self.upper, self.most = largest_until(self.rows, self.left, self.right, budget)
        self.lower, self.least = least_until(self.rows, self.left, self.right, budget)
        self.high = complement(self.lower) if self.negated else self.upper
        self.low = complement(self.upper) if self.negated else self.lower

    def bounded_nodes(self) -> Nodes:
        """The nodes. Requires: the formula is bounded."""
        if self.nodes is None:
            raise InternalError("only bounded formulas have nodes")
        return self.nodes

    def completed(self, states: Sequence[int], actions: Sequence[int]) -> tuple[int, ...]:
        """A sequence of actions that goes on until a bounded formula is decided from these states."""
        nodes = self.bounded_nodes()
        vector = dict.fromkeys((nodes.starts[state] for state in states), ONE)
        done: list[int] = []
        while any(nodes.won[node] is None for node in vector):
            done.append(actions[len(done)] if len(done) < len(actions) else 0)
            vector = nodes.after(vector, done[-1])
        return tuple(done)

    def won(self, state: int, actions: Sequence[int]) -> fmpq:
        """The probability of a bounded formula under a sequence of actions."""
        nodes = self.bounded_nodes()
        vector = {nodes.starts[state]: ONE}
        for action in actions:
            vector = nodes.after(vector, action)
        return sum((value for node, value in vector.items() if nodes.won[node]), ZERO)

    def repeated(self, action: int) -> tuple[list[fmpq], list[fmpq]]:
        """The solution of the until where one action is taken always, and the values of the formula."""
        solution = until_in(self.rows, [action] * len(self.rows), self.left, self.right, self._budget)
        return solution, complement(solution) if self.negated else solution


def _satisfies(formula: Formula, propositions: frozenset[str]) -> bool:
    if isinstance(formula, Truth):
        return True
    if isinstance(formula, Atom):
        return formula.name in propositions
    if isinstance(formula, Not):
        return not _satisfies(formula.inner, propositions)
    if isinstance(formula, And):
        return _satisfies(formula.left, propositions) and _satisfies(formula.right, propositions)
    raise UnsupportedError(f"'{text_of(formula)}': on processes P and D stand outside only")
