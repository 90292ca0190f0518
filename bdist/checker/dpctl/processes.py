"""Formulas of dpCTL* on a Markov decision process: the check of a certificate, SPEC sections 7 and 8.

The document becomes typed records, or ``Malformed``. Then the parts are taken one after another, in the order
in which they end in the formula, and the claims about the formula as a whole in the end.

*A part* is a ``P`` or ``D``, or a path formula by itself. For ``P`` a claim needs the least and the largest
probability over all schedulers. For ``D``, those of both states may be enough, since a query scheduler is a
scheduler; if not, a tree follows the actions (``bounded.py``). With an ``until``, the values of the
certificate stand for these probabilities, cut off at 0 and 1; and with an action for each state that makes
the process a chain in which they are the solution, they are attained (``process.py``).

*The formula.* A certificate may leave open whether a ``P`` or ``D`` is true in a state, so there are three
values, and the tables are those of Kleene. They are kept as two sets of states, where a formula is known to
be true, and where it is known to be false. A path formula is made of sets: it can be used if of each of its
maximal state subformulas the two are all states.

A tree is an array of nodes that name each other by numbers, so that a sequence of queries may be as long as
it takes: nothing nests deeper the longer it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from sys import intern
from typing import NamedTuple

from ..core import Rejected
from ..core.digits import comparison, size
from ..core.limits import Allowance, Work
from ..core.reading import (
    JsonObject,
    array,
    at,
    collector_paused,
    each,
    fail,
    index_of_part,
    list_of,
    members,
    named,
    nullable,
    pair_of,
    rational,
    read_text,
    refuse,
    state,
    triple_of,
)
from ..core.text import shown
from .bounded import LOST, WON, Leaves, Nodes, Tree, TreeNode, TreeWalk, Vector
from .elimination import check_solution
from .formulas import (
    AND,
    ATOM,
    HEAD,
    NOT,
    PRIVACY,
    PROBABILITY,
    UNTIL,
    Formula,
    Question,
    StateSet,
    check_different,
    check_state,
    compares,
    complement,
    intersection,
    read_numbers,
    read_question,
    read_states,
)
from .mdp import DecisionProcess, read_decision_process
from .powers import Bound
from .process import Process, check_lower, check_upper

DECISION_FORMAT = "bdist-dpctl-mdp-certificate"
DECISION_STEPS = (
    *("model", "neighbours", "formula", "parts", "values", "holds", "violated", "queries", "extremes"),
    "claims",
)
_MEMBERS = (*HEAD, "parts", "holds", "violated")
_PART = ("upper", "lower", "most", "least", "repeated", "trees", "holds", "violated", "queries", "extremes")

Numbers = tuple[Fraction, ...]
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

    Raises: BadModel where the model cannot be read; Malformed where the certificate is not a document of the
    specified form, and TooLarge, which is a kind of it, where it is beyond the limits; Rejected where it is
    one, and does not prove what it claims.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    model = read_decision_process(model_text)
    certificate = _read_certificate(certificate_text, work)
    with collector_paused():
        _verify(model, certificate, work)
    paths = [
        (_path_of(formula).as_tuple() if part.queries or part.extremes else (), part)
        for formula, part in zip(_parts_of(certificate.question.formula), certificate.parts, strict=True)
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
    parts = _parts_of(formula)
    if len(parts) != len(certificate.parts):
        counts = f"{len(certificate.parts)} parts, and the formula has {len(parts)}"
        raise Rejected("parts", f"the certificate has {counts}")
    process = Process(model, work)
    knowledge = _Knowledge(process, work)
    for number, (occurrence, part) in enumerate(zip(parts, certificate.parts, strict=True)):
        if not part.is_empty():  # of one that is, nothing has to be proved
            with work.forgotten():
                _check_part(process, occurrence, part, f"parts[{number}]", knowledge, neighbours, work)
        knowledge.learn(occurrence, part.holds, tuple(name for name, _ in part.violated))
    _check_claims(process, certificate, knowledge)


def _check_part(
    process: Process,
    occurrence: Formula,
    part: _Part,
    place: str,
    knowledge: _Knowledge,
    neighbours: Neighbours,
    work: Work,
) -> None:
    path = _path_of(occurrence)
    if not _is_bounded(path) and _until_of(path) is None:
        why = "neither bounded, nor an until of state formulas, nor not of one"
        raise Rejected("parts", f"{place} is not empty, and its path formula is {why}")
    leaves = knowledge.leaves(path)
    if leaves is None:
        why = "a state formula in its path formula is not known everywhere"
        raise Rejected("parts", f"{place} is not empty, and {why}")
    check = _PartCheck(process, occurrence, leaves, neighbours, part, place, work)  # checks the values
    check.check_holds()
    check.check_violated()
    check.check_queries()
    check.check_extremes()


def _check_claims(process: Process, certificate: _Certificate, knowledge: _Knowledge) -> None:
    """The claims about the formula as a whole."""
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


@dataclass(frozen=True)
class _Witness:
    """A neighbour, and actions after which the two are apart."""

    neighbour: str
    actions: Actions


@dataclass(frozen=True)
class _Part:
    """What is claimed of one ``P`` or ``D``, or of the formula itself, with the reasons."""

    upper: Numbers | None
    lower: Numbers | None
    most: Actions | None
    least: Actions | None
    repeated: tuple[tuple[str, Numbers], ...]
    trees: tuple[tuple[str, str, Tree], ...]
    holds: tuple[str, ...]
    violated: tuple[tuple[str, _Witness | None], ...]
    queries: tuple[tuple[str, Actions, Fraction], ...]
    extremes: tuple[tuple[str, Fraction, Fraction], ...]

    def is_empty(self) -> bool:
        """Whether nothing is said."""
        values = (self.upper, self.lower, self.most, self.least)
        lists = (self.repeated, self.trees, self.holds, self.violated, self.queries, self.extremes)
        return all(given is None for given in values) and not any(lists)


@dataclass(frozen=True)
class _Certificate:
    """A certificate as it is written; nothing in it is known to be true."""

    question: Question
    parts: tuple[_Part, ...]
    holds: tuple[str, ...]
    violated: tuple[str, ...]


def _read_certificate(text: str, work: Work) -> _Certificate:
    """The certificate in a JSON text. Raises: Malformed, TooLarge."""
    return read_text(text, _certificate, work)


def _certificate(value: object) -> _Certificate:
    *head, parts, holds, violated = members(value, _MEMBERS)
    return _Certificate(
        question=read_question(DECISION_FORMAT, head),
        parts=at(".parts", list_of(_part), parts),
        holds=at(".holds", read_states, holds),
        violated=at(".violated", read_states, violated),
    )


_action = named("an action")
_actions = list_of(_action)


def _part(value: object) -> _Part:
    found = members(value, _PART)
    upper, lower, most, least, repeated, trees, holds, violated, queries, extremes = found
    return _Part(
        upper=at(".upper", nullable(read_numbers), upper),
        lower=at(".lower", nullable(read_numbers), lower),
        most=at(".most", nullable(_actions), most),
        least=at(".least", nullable(_actions), least),
        repeated=at(".repeated", list_of(pair_of(_action, read_numbers)), repeated),
        trees=at(".trees", list_of(triple_of(state, state, _tree)), trees),
        holds=at(".holds", read_states, holds),
        violated=at(".violated", list_of(pair_of(state, nullable(_witness))), violated),
        queries=at(".queries", list_of(triple_of(state, _actions, rational)), queries),
        extremes=at(".extremes", list_of(triple_of(state, rational, rational)), extremes),
    )


def _tree(value: object) -> Tree:
    if not array(value):
        fail("an array with a root", value)
    return each(value, _node)


def _node(value: object) -> TreeNode:
    if value is None:
        return None
    if not isinstance(value, JsonObject):
        fail("null or an object with actions", value)
    found: dict[str, int] = {}
    for name, number in value:
        if name in found:
            refuse("a member stands twice")
        found[intern(name)] = at(f".{shown(name)}", index_of_part, number)
    return found


def _witness(value: object) -> _Witness:
    neighbour, actions = members(value, ("neighbour", "actions"))
    return _Witness(at(".neighbour", state, neighbour), at(".actions", _actions, actions))


# --- what is known ------------------------------------------------------------------------------------------


class _Known(NamedTuple):
    """Where a state formula is known to be true, and where it is known to be false."""

    true: StateSet
    false: StateSet


def _parts_of(formula: Formula) -> list[Formula]:
    """The occurrences of ``P`` and ``D`` in the order in which they end; last, a formula that is of paths."""
    found = [part for part in _ending(formula) if part.kind in (PROBABILITY, PRIVACY)]
    return found if formula.is_state_formula else [*found, formula]


def _ending(formula: Formula) -> Iterator[Formula]:
    """All subformulas, in the order in which they end; they do not nest deeply."""
    for part in formula.parts:
        yield from _ending(part)
    yield formula


def _path_of(part: Formula) -> Formula:
    """The path formula of a part."""
    return part.parts[0] if part.kind in (PROBABILITY, PRIVACY) else part


def _until_of(path: Formula) -> Formula | None:
    """The ``until`` that a path formula is, or is ``not`` of; None if it is bounded, or none of these."""
    until = path.parts[0] if path.kind == NOT else path
    return until if until.kind == UNTIL and all(part.is_state_formula for part in until.parts) else None


def _is_bounded(path: Formula) -> bool:
    """Whether no ``until`` stands outside of ``P`` and ``D``."""
    return path.is_state_formula or (path.kind != UNTIL and all(map(_is_bounded, path.parts)))


class _Knowledge:
    """What is known of the parts so far, and of the formulas that consist of them."""

    def __init__(self, process: Process, work: Work) -> None:
        self._process = process
        self._work = work
        self._parts: dict[int, _Known] = {}

    def learn(self, part: Formula, true: tuple[str, ...], false: tuple[str, ...]) -> None:
        """Note where a ``P`` or ``D`` is true and false."""
        count = len(self._process.names)
        self._work.keep(2 + count // 64, 0)
        self._work.spend(2 * count)
        sets = bytearray(count), bytearray(count)
        for states, found in zip((true, false), sets, strict=True):
            for name in states:
                found[self._process.number[name]] = 1
        self._parts[id(part)] = _Known(bytes(sets[0]), bytes(sets[1]))

    def known(self, formula: Formula) -> _Known:
        """What is known of a state formula. Raises: TooLarge."""
        process = self._process
        self._work.spend(2 * len(process.names))
        if formula.kind in (PROBABILITY, PRIVACY):
            return self._parts[id(formula)]
        if formula.kind == ATOM:
            true = bytes(formula.atom in process.propositions[label] for label in process.labels)
            return _Known(true, complement(true))
        inner = [self.known(part) for part in formula.parts]
        if formula.kind == NOT:
            return _Known(inner[0].false, inner[0].true)
        if formula.kind == AND:
            left, right = inner
            return _Known(
                intersection(left.true, right.true),
                bytes(map(int.__or__, left.false, right.false)),
            )
        return _Known(b"\1" * len(process.names), bytes(len(process.names)))

    def leaves(self, path: Formula) -> Leaves | None:
        """The sets that a path formula is made of; None if one of them is not known in every state."""
        found: Leaves = {}
        waiting = [path]
        while waiting:
            formula = waiting.pop()
            if not formula.is_state_formula:
                waiting.extend(formula.parts)
                continue
            known = self.known(formula)
            if complement(known.true) != known.false:
                return None
            self._work.keep(1 + len(known.true) // 128, 0)
            found[id(formula)] = known.true
        return found


# --- one part -----------------------------------------------------------------------------------------------


class _PartCheck:
    """One part, with the sets that its path formula is made of."""

    def __init__(
        self,
        process: Process,
        formula: Formula,
        leaves: Leaves,
        neighbours: Neighbours,
        part: _Part,
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
        path = _path_of(formula)
        until = _until_of(path)
        self._negated = until is not None and path.kind == NOT
        self._sets = None if until is None else tuple(leaves[id(side)] for side in until.parts)
        self._nodes = Nodes(process, path, leaves, work) if until is None else None
        self._repeated: dict[str, Numbers] = {}
        self._check_values()
        privacy = formula.privacy
        self._bound = None if privacy is None else Bound(privacy, work)
        self._trees: dict[tuple[str, str], tuple[str, Tree]] = {}
        self._tested: set[tuple[str, str]] = set()

    # --- values --------------------------------------------------------------------------------------

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

    # --- holds ---------------------------------------------------------------------------------------

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
                check_state("holds", place, name, self._process.number)
            if (s, t) in self._trees:
                raise Rejected("holds", f"{place} is of the same states as {self._trees[s, t][0]}")
            self._work.keep(1, 0)
            self._trees[s, t] = place, tree

    def _check_probability(self, name: str, where: str) -> None:
        sign, q = self._formula.sign, self._formula.threshold
        value, _ = self._compared(name)
        self._work.spend(2, size(value), size(q))
        if not compares(value, sign, q):
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

    # --- violated ------------------------------------------------------------------------------------

    def check_violated(self) -> None:
        """The step ``violated``. Raises: Rejected, TooLarge."""
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
        sign, q = self._formula.sign, self._formula.threshold
        value, attained = self._compared(s)
        if not attained:
            name = "most" if (sign in ("<", "<=")) != self._negated else "least"
            raise Rejected("violated", f"{where}: the value need not be attained, as {name} is null")
        self._work.spend(2, size(value), size(q))
        if compares(value, sign, q):
            raise Rejected("violated", f"{where}: {comparison(value, sign, q)}, as the formula says")

    # --- values that are claimed ---------------------------------------------------------------------

    def check_queries(self) -> None:
        """The step ``queries``. Raises: Rejected, TooLarge."""
        for place, (name, actions, claimed) in enumerate(self._part.queries):
            where = f"{self._place}.queries[{place}]"
            check_state("queries", where, name, self._process.number)
            self._check_equal("queries", where, claimed, self._with_actions(name, actions, "queries", where))

    def check_extremes(self) -> None:
        """The step ``extremes``. Raises: Rejected, TooLarge."""
        for place, (name, *claimed) in enumerate(self._part.extremes):
            where = f"{self._place}.extremes[{place}]"
            check_state("extremes", where, name, self._process.number)
            found = self._low(name), self._high(name)
            for kind, number, (value, attained) in zip(("least", "largest"), claimed, found, strict=True):
                if not attained:
                    raise Rejected("extremes", f"{where}: the {kind} value need not be attained")
                self._check_equal("extremes", f"{where}, the {kind} value", number, value)

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
