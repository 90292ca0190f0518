"""Formulas of dpCTL* on a Markov decision process: the check of a certificate, SPEC sections 7 and 8.

The document becomes typed records, or ``Malformed``. Then the parts are taken one after another, in the order
in which they end in the formula, and the claims about the formula as a whole in the end.

*A part* is a ``P`` or ``D``, or a path formula by itself. For ``P`` a claim needs the least and the largest
probability over all schedulers. For ``D``, those of both states may be enough, since a query scheduler is a
scheduler; if not, a tree follows the actions (``bounded.py``). With an ``until``, the values of the
certificate stand for these probabilities, cut off at 0 and 1; and with an action for each state that makes
the process a chain in which they are the solution, they are attained (``process.py``). Any other formula is
an ``until`` on a larger process (``general.py``).

A tree is an array of nodes that name each other by numbers, so that a sequence of queries may be as long as
it takes: nothing nests deeper the longer it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple

from ..core import Rejected
from ..core.limits import Allowance, Work
from ..core.numbers import comparison, size
from ..core.reading import (
    Fingerprint,
    Version,
    collector_paused,
    form,
    index_of_part,
    nullable,
    one_of,
    read_text,
    some,
    table_of_members,
)
from ..core.text import shown
from .bounded import LOST, WON, Nodes, Tree, TreeWalk, Vector
from .elimination import Solutions, check_solution, mean, probabilities
from .formulas import (
    ALWAYS,
    NOT,
    PROBABILITY,
    UNTIL,
    Formula,
    Knowledge,
    Numbers,
    Question,
    StateSet,
    check_different,
    check_state,
    compares,
    read_formula,
)
from .general import General
from .mdp import DecisionProcess, read_decision_process
from .powers import Bound
from .process import Process

DECISION_STEPS = (
    *("model", "neighbours", "formula", "parts", "values", "holds", "violated", "queries", "extremes"),
    "claims",
)

Actions = tuple[str, ...]
_OPPOSITE = {"<": ">=", "<=": ">", ">=": "<", ">": "<="}

Neighbours = dict[str, dict[str, None]]


class ProvedQueries(NamedTuple):
    """How likely a path formula is from a state, with these actions; the last is repeated for an until."""

    formula: tuple[object, ...]
    state: str
    actions: tuple[str, ...]
    probability: Fraction


class ProvedExtremes(NamedTuple):
    """The least and the largest probability of a path formula from a state, over all schedulers."""

    formula: tuple[object, ...]
    state: str
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class DecisionReport:
    """What an accepted certificate proves: in which states the formula holds, and in which it is violated.

    Of other states nothing is known. Besides, it may prove probabilities of path formulas. A formula is the
    array of the document as nested tuples, with rationals in place of their texts.
    """

    formula: tuple[object, ...]
    holds: tuple[str, ...]
    violated: tuple[str, ...]
    queries: tuple[ProvedQueries, ...]
    extremes: tuple[ProvedExtremes, ...]
    parts: int  # occurrences of P and D, and the formula itself if it is of paths
    neighbours: int  # pairs that are listed
    states: int  # of the model
    actions: int


def check_decision_process(
    model_text: str, certificate_text: str, allowed: Allowance | None = None
) -> DecisionReport:
    """Verify a certificate against the text of an ``.mdp`` model (without a byte order mark).

    Raises: as `distances.proof.check`.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_decision_process(model_text)
    certificate: _Certificate = read_text(certificate_text, _document, work)
    with collector_paused():
        _verify(model, certificate, work)
    paths = [
        (formula.path().as_tuple() if part.queries or part.extremes else (), part)
        for formula, part in zip(certificate.question.formula.claimed(), certificate.parts, strict=True)
    ]
    return DecisionReport(
        formula=certificate.question.formula.as_tuple(),
        holds=certificate.holds,
        violated=certificate.violated,
        queries=tuple(ProvedQueries(path, *query) for path, part in paths for query in part.queries),
        extremes=tuple(ProvedExtremes(path, *extreme) for path, part in paths for extreme in part.extremes),
        parts=len(paths),
        neighbours=len(certificate.question.neighbours),
        states=len(model.labels),
        actions=len(model.actions),
    )


def _verify(model: DecisionProcess, certificate: _Certificate, work: Work) -> None:
    question = certificate.question
    question.check(model.fingerprint(), model.labels)
    neighbours: Neighbours = {}
    work.keep(2 * len(question.neighbours), 0)
    for s, t in question.neighbours:
        neighbours.setdefault(s, {})[t] = None
        neighbours.setdefault(t, {})[s] = None
    formula = question.formula
    if not formula.is_state_formula and (certificate.holds or certificate.violated):
        raise Rejected("formula", "holds or violated is not empty, and the formula is not a state formula")
    parts = formula.claimed()
    if len(parts) != len(certificate.parts):
        counts = f"{len(certificate.parts)} parts, and the formula has {len(parts)}"
        raise Rejected("parts", f"the certificate has {counts}")
    process = Process.of(model, work)
    knowledge = Knowledge(model.labels, work)
    for number, (occurrence, part) in enumerate(zip(parts, certificate.parts, strict=True)):
        if part != _NOTHING:  # of nothing, nothing has to be proved
            with work.forgotten():
                place = f"parts[{number}]"
                _PartCheck(process, occurrence, knowledge, neighbours, part, place, work).check()
        true, false = process.set_of(part.holds), process.set_of(name for name, _ in part.violated)
        knowledge.learn(occurrence, true, false)
    _check_claims(process, certificate, knowledge)


def _check_claims(process: Process, certificate: _Certificate, knowledge: Knowledge) -> None:
    if not certificate.question.formula.is_state_formula:
        return
    known = knowledge.known(certificate.question.formula)
    claims = {"holds": (certificate.holds, known.true), "violated": (certificate.violated, known.false)}
    places: dict[str, str] = {}
    for kind, (states, inside) in claims.items():
        for number, name in enumerate(states):
            place = f"{kind}[{number}]"
            check_state("claims", place, name, process.number)
            if name in places:
                raise Rejected("claims", f"{place} names {shown(name)}, as {places[name]} does")
            places[name] = place
            if not inside[process.number[name]]:
                what = "true" if kind == "holds" else "false"
                raise Rejected("claims", f"{place}, of {shown(name)}: the formula is not known to be {what}")


# --- the document -------------------------------------------------------------------------------------------


class _Witness(NamedTuple):
    """A neighbour, and actions after which the two are apart."""

    neighbour: str
    actions: Actions


class _Part(NamedTuple):
    """What is claimed of one ``P`` or ``D``, or of the formula itself, with the reasons."""

    upper: Numbers | None
    lower: Numbers | None
    most: Actions | None
    least: Actions | None
    repeated: tuple[tuple[str, tuple[Numbers, ...]], ...]
    trees: tuple[tuple[str, str, Annotated[Tree, _tree]], ...]
    holds: tuple[str, ...]
    violated: tuple[tuple[str, _Witness | None], ...]
    queries: tuple[tuple[str, Actions, Fraction], ...]
    extremes: tuple[tuple[str, Fraction, Fraction], ...]


class _Certificate(NamedTuple):
    """A certificate as it is written; nothing in it is known to be true."""

    format: Annotated[str, one_of("bdist-dpctl-mdp-certificate")]
    version: Version
    model: Fingerprint
    neighbours: tuple[tuple[str, str], ...]
    formula: Annotated[Formula, read_formula]
    parts: tuple[_Part, ...]
    holds: tuple[str, ...]
    violated: tuple[str, ...]

    @property
    def question(self) -> Question:
        """What it is about."""
        return Question(self.model, self.neighbours, self.formula)


@contextmanager
def _step(name: str) -> Iterator[None]:
    """What is rejected within is rejected at this step."""
    try:
        yield
    except Rejected as wrong:
        raise Rejected(name, wrong.reason) from None


_NOTHING = _Part(None, None, None, None, *((),) * 6)
_tree = some(nullable(table_of_members(index_of_part)))
_document = form(_Certificate)


# --- one part -----------------------------------------------------------------------------------------------


class _End(NamedTuple):
    """The least or the largest probability from a state, or a bound of it, and whether it is attained."""

    value: Fraction
    attained: bool


class _PartCheck:
    """One part, with the sets that its path formula is made of."""

    def __init__(
        self,
        process: Process,
        formula: Formula,
        knowledge: Knowledge,
        neighbours: Neighbours,
        part: _Part,
        place: str,
        work: Work,
    ) -> None:
        """The rest of the step ``parts``. Raises: Rejected, TooLarge."""
        self._process = process
        self._formula = formula
        self._neighbours = neighbours
        self._part = part
        self._place = place
        self._work = work
        path = formula.path()
        until = path.parts[0] if path.kind == NOT else path
        is_until = until.kind == UNTIL and all(side.is_state_formula for side in until.parts)
        is_bounded = all(inner.kind != UNTIL for inner in path.path_parts())
        leaves = knowledge.leaves(path)
        if leaves is None:
            why = "a state formula in its path formula is not known everywhere"
            raise Rejected("parts", f"{place} is not empty, and {why}")
        self._path, self._leaves = path, leaves
        self._negated = is_until and path.kind == NOT
        self._sets = [leaves[id(side)] for side in until.parts] if is_until else None
        self._nodes = Nodes(process, path, leaves, work) if is_bounded else None
        self._general = None if is_until or is_bounded else General(process, path, leaves, work)
        self._repeated: dict[str, list[Fraction]] = {}
        self._bound = None if formula.privacy is None else Bound(formula.privacy, work)
        self._trees: dict[tuple[str, str], tuple[str, Tree]] = {}
        self._tested: set[tuple[str, str]] = set()

    def check(self) -> None:
        """The steps from ``values`` to ``extremes``. Raises: Rejected, TooLarge."""
        if self._formula.kind == ALWAYS:
            self._check_later()
        elif self._nodes is not None:
            self._refuse_values()
        elif self._sets is not None:
            self._check_until(*self._sets)
        elif self._general is not None:
            self._check_general(self._general)
        self._check_repeated()
        self._check_holds()
        self._check_violated()
        self._check_queries()
        self._check_extremes()

    # --- values --------------------------------------------------------------------------------------

    def _refuse_values(self) -> None:
        for name in ("upper", "lower", "most", "least", "repeated"):
            if getattr(self._part, name) != getattr(_NOTHING, name):
                what = "empty" if name == "repeated" else "null"
                raise Rejected("values", f"{self._place}.{name} is not {what}, and there is no until")

    def _check_later(self) -> None:
        """That the values bound the probabilities of the formula at every later point, from both sides."""
        part, nodes, process = self._part, self._nodes, self._process
        if nodes is None:
            raise Rejected("values", f"{self._place} is D* of a formula that is not bounded")
        for name in ("most", "least", "repeated", "trees", "violated", "queries", "extremes"):
            if getattr(part, name) != getattr(_NOTHING, name):
                raise Rejected("values", f"{self._place}.{name} is not empty, and it is D*")
        ends = [
            (nodes.low(node), nodes.high(node)) for node in map(nodes.of_state, range(len(process.names)))
        ]
        for end, values, sign in (("upper", part.upper, 1), ("lower", part.lower, -1)):
            if values is None:
                continue
            place = f"{self._place}.{end}"
            if len(values) != len(ends):
                raise Rejected(
                    "values", f"{place} has {len(values)} numbers, and there are {len(ends)} states"
                )
            for s, value in enumerate(values):
                bounds = [ends[s][end == "upper"]]
                for row, total in process.different_rows(s):
                    bounds.append(Fraction(*mean(row, total, values, self._work)))
                for bound in bounds:
                    self._work.spend(2, size(value), size(bound))
                    if sign * (value - bound) < 0:
                        where = f"{place}[{s}], of {shown(process.names[s])}"
                        beyond = comparison(value, "<" if sign > 0 else ">", bound)
                        raise Rejected("values", f"{where}: {beyond}, now or after an action")

    def _check_until(self, through: StateSet, to: StateSet) -> None:
        part = self._part
        for end, values in (("upper", part.upper), ("lower", part.lower)):
            if values is not None:
                place = f"{self._place}.{end}"
                self._process.check_ends(through, to, values, place, is_upper=end == "upper")
        self._check_choices("upper", part.upper, part.most, "most", self._process, through, to)
        self._check_choices("lower", part.lower, part.least, "least", self._process, through, to)

    def _check_general(self, general: General) -> None:
        """The same for reaching the set W of the formula, and that of its negation with 1 minus values."""
        part, nodes = self._part, general.process
        everywhere = b"\1" * len(nodes.names)
        opposite = None
        if part.lower is not None:
            self._work.spend(len(part.lower), max(map(size, part.lower), default=0))
            opposite = tuple(1 - value for value in part.lower)
        for end, values, goal in (("upper", part.upper, general.won), ("lower", opposite, general.lost)):
            if values is not None:
                minus = "1 minus " if end == "lower" else ""
                nodes.check_ends(everywhere, goal, values, f"{minus}{self._place}.{end}", is_upper=True)
        self._check_choices("upper", part.upper, part.most, "most", nodes, everywhere, general.won)
        self._check_choices("lower", opposite, part.least, "least", nodes, everywhere, general.lost)

    def _check_choices(
        self,
        end: str,
        values: Numbers | None,
        actions: Actions | None,
        name: str,
        process: Process,
        through: StateSet,
        to: StateSet,
    ) -> None:
        """That with these actions the values are those of the ``until``, so that they are attained."""
        if actions is None:
            return
        where = f"{self._place}.{name}"
        if values is None:
            raise Rejected("values", f"{where} is not null, and {end} is")
        if len(actions) != len(process.names):
            found = f"{len(actions)} actions, and there are {len(process.names)} {process.kind}"
            raise Rejected("values", f"{where} has {found}")
        choices = self._numbers(actions, "values", where)
        with _step("values"):
            check_solution(process.chain(choices), through, to, values, f"{where}: {end}", self._work)

    def _check_repeated(self) -> None:
        for place, (action, given) in enumerate(self._part.repeated):
            where = f"{self._place}.repeated[{place}]"
            if action in self._repeated:
                raise Rejected("values", f"{where} is of {shown(action)}, which stands there before")
            choices = self._numbers((action,), "values", where) * len(self._process.names)
            solutions = Solutions(given, f"{where}[1]")
            with _step("values"):
                chain = self._process.chain(choices)
                likely = probabilities(chain, self._path, self._leaves, solutions, self._work)
                solutions.check_used()
            self._work.keep(len(likely), max(map(size, likely)))
            self._repeated[action] = likely

    def _numbers(self, actions: Actions, step: str, where: str) -> list[int]:
        self._work.spend(len(actions))
        for action in actions:
            if action not in self._process.actions:
                raise Rejected(step, f"{where}: {shown(action)} is not an action of the model")
        return [self._process.actions[action] for action in actions]

    def _ends(self, name: str) -> tuple[_End, _End]:
        """The least and the largest probability of the path formula from a state."""
        s, part = self._process.number[name], self._part
        if self._nodes is not None and self._formula.kind != ALWAYS:
            node = self._nodes.of_state(s)
            return _End(self._nodes.low(node), True), _End(self._nodes.high(node), True)
        # the nodes of the states are numbered as these are
        low = Fraction(0) if part.lower is None else max(part.lower[s], Fraction(0))
        high = Fraction(1) if part.upper is None else min(part.upper[s], Fraction(1))
        least, most = _End(low, part.least is not None), _End(high, part.most is not None)
        if self._negated:
            return _End(1 - most.value, most.attained), _End(1 - least.value, least.attained)
        return least, most

    def _with_actions(self, name: str, actions: Actions, step: str, where: str) -> Fraction:
        """How likely the path formula is from a state, with these actions."""
        numbers = self._numbers(actions, step, where)
        s = self._process.number[name]
        if self._nodes is None:
            if len(actions) != 1:
                raise Rejected(step, f"{where}: there are {len(actions)} actions, and one is repeated")
            if actions[0] not in self._repeated:
                raise Rejected(step, f"{where}: repeated has no solution for {shown(actions[0])}")
            return self._repeated[actions[0]][s]
        vector: Vector = {self._nodes.of_state(s): Fraction(1)}
        for action in numbers:
            vector = self._nodes.step(vector, action)
        if any(number not in (WON, LOST) for number in vector):
            what = f"after {len(actions)} actions from {shown(name)} the formula is still open"
            raise Rejected(step, f"{where}: {what}")
        return vector.get(WON, Fraction(0))

    # --- holds ---------------------------------------------------------------------------------------

    def _check_holds(self) -> None:
        self._take_trees()
        self._check_names("holds", self._part.holds)
        for place, name in enumerate(self._part.holds):
            where = f"{self._place}.holds[{place}], of {shown(name)}"
            if self._bound is None:
                end, sign, q, kind = self._compared(name)
                if not compares(end.value, sign, q):
                    found = comparison(end.value, _OPPOSITE[sign], q)
                    raise Rejected("holds", f"{where}: the {kind} value is {found}")
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
                check_state("holds", place, name, self._process.number)
            if (s, t) in self._trees:
                raise Rejected("holds", f"{place} is of the same states as {self._trees[s, t][0]}")
            self._work.keep(1, 0)
            self._trees[s, t] = place, tree

    def _compared(self, name: str) -> tuple[_End, str, Fraction, str]:
        """Of a ``P``, what is compared with its threshold, the sign, the threshold, and which end it is."""
        sign, q = self._formula.data
        least, largest = self._ends(name)
        end, kind = (largest, "largest") if sign in ("<", "<=") else (least, "least")
        self._work.spend(2, size(end.value), size(q))
        return end, sign, q, kind

    def _check_order(self, bound: Bound, x: str, y: str, where: str) -> None:
        """That p_x ≤ e^ε p_y + d for every query scheduler."""
        self._work.spend(1)
        if (x, y) in self._tested:
            return
        self._work.keep(1, 0)
        self._tested.add((x, y))
        if bound.holds(self._ends(x)[1].value, self._ends(y)[0].value):
            return
        if self._nodes is None or (x, y) not in self._trees:
            what = f"values are not close, in the order {shown(x)}, {shown(y)}"
            missing = "" if self._nodes is None else ", and there is no tree"
            raise Rejected("holds", f"{where}: {what}{missing}")
        place, tree = self._trees[x, y]
        walk = TreeWalk(tree, self._process.actions, self._nodes, bound, f"{place}[2]", self._work)
        first, second = (self._nodes.of_state(self._process.number[name]) for name in (x, y))
        walk.check(first, second)

    # --- violated ------------------------------------------------------------------------------------

    def _check_violated(self) -> None:
        self._check_names("violated", [name for name, _ in self._part.violated])
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
        end, sign, q, kind = self._compared(s)
        if not end.attained:
            name = "most" if (kind == "largest") != self._negated else "least"
            raise Rejected("violated", f"{where}: the value need not be attained, as {name} is null")
        if compares(end.value, sign, q):
            raise Rejected("violated", f"{where}: {comparison(end.value, sign, q)}, as the formula says")

    # --- values that are claimed ---------------------------------------------------------------------

    def _check_queries(self) -> None:
        for place, (name, actions, claimed) in enumerate(self._part.queries):
            where = f"{self._place}.queries[{place}]"
            check_state("queries", where, name, self._process.number)
            self._check_equal("queries", where, claimed, self._with_actions(name, actions, "queries", where))

    def _check_extremes(self) -> None:
        for place, (name, *claimed) in enumerate(self._part.extremes):
            where = f"{self._place}.extremes[{place}]"
            check_state("extremes", where, name, self._process.number)
            for kind, number, end in zip(("least", "largest"), claimed, self._ends(name), strict=True):
                if not end.attained:
                    raise Rejected("extremes", f"{where}: the {kind} value need not be attained")
                self._check_equal("extremes", f"{where}, the {kind} value", number, end.value)

    def _check_equal(self, step: str, where: str, claimed: Fraction, found: Fraction) -> None:
        self._work.spend(2, size(claimed), size(found))
        if claimed != found:
            raise Rejected(step, f"{where}: {comparison(claimed, '!=', found)}")

    def _check_names(self, step: str, claimed: Sequence[str]) -> None:
        """That the part is P or D if there are any, and all are states of the model, each once."""
        if claimed and self._bound is None and self._formula.kind != PROBABILITY:
            what = "is not empty, and the part is neither P nor D"
            raise Rejected(step, f"{self._place}.{step} {what}")
        check_different(step, claimed, self._process.number, f"{self._place}.")
