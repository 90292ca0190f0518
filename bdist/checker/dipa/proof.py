"""Decisions about automata: every condition of SPEC.md section 3 (in ``bdist/dipa``), and nothing else.

``automaton.py`` reads the model; with chains they share the reading of JSON, the limits and the exceptions.
The certificate becomes a typed record, or ``Malformed``: its form is that of SPEC.md section 2, which for
some kinds of leaks says that a part is empty, or a single transition.

*That an automaton is private with a weight* (section 3.1). The claim lists the components in order. With
that, and that each is strongly connected, a transition lies on a cycle if and only if both of its ends are in
one component. What must not be there is then a matter of looking at transitions and of spreading along some
of them, from all places where a stretch may begin at once. The weight is a longest path in an acyclic graph:
``left`` is a potential, which bounds every path from above, and the path of the claim attains it. Nothing is
added up along it, as sums of many fractions are long; the path goes, where it costs anything, along
transitions at which the potential is tight. All of that is linear in the texts, but for the numbers in
``left``, each of which is compared at every transition into and out of its component; that is counted as
work.

*That it is not private* (section 3.2). The way begins in the initial state and has four parts, of which the
kind of the leak says what they are: cycles, or single transitions that write their samples. Each part is
followed through the automaton and then looked at, so the time is that of reading the claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple

from ..core import Rejected, check_fingerprint, reading
from ..core.limits import Allowance, Work
from ..core.numbers import brief, comparison, size
from ..core.reading import Fingerprint, Some, Version
from ..core.text import shown
from .automaton import AT_LEAST, LESS, SAMPLE, SECOND, TRUE, Automaton, Transition, read_automaton

AUTOMATON_STEPS = (
    *("model", "components", "order", "connected"),
    *("leaking-cycle", "disclosing-cycle", "leaking-pair"),
    *("disclosed-store", "disclosed-sample", "late-disclosure"),
    *("left", "weight", "path"),
    *("prefix", "first", "between", "second"),
)

LEAKING_CYCLE, LEAKING_PAIR, DISCLOSING_CYCLE = "leaking cycle", "leaking pair", "disclosing cycle"
DISCLOSED_STORE, DISCLOSED_SAMPLE = "disclosed store", "disclosed sample"
LATE_DISCLOSURE = "late disclosure"

_NOWHERE = -1  # the component of a state that is not reached
_LENGTHS = {  # by the kind of a leak, how many transitions some of its parts have
    LEAKING_CYCLE: {"between": 0, "second": 0},
    LEAKING_PAIR: {},
    DISCLOSING_CYCLE: {"between": 0, "second": 0},
    DISCLOSED_STORE: {"first": 1},
    DISCLOSED_SAMPLE: {"first": 1},
    LATE_DISCLOSURE: {"second": 1},
}

TransitionName = tuple[str, str]  # the state that it leaves, and its guard
Path = tuple[tuple[str, Annotated[str, reading.one_of(TRUE, LESS, AT_LEAST)]], ...]
Way = list[Transition]
Format = Annotated[str, reading.one_of("bdist-dipa-certificate")]


@dataclass(frozen=True)
class AutomatonReport:
    """What an accepted certificate proves about an automaton.

    With a weight: it is (weight · ε)-differentially private for every ε > 0, and no path costs more than the
    weight, and one as much. Without: for no ε > 0 is it private to any degree, by a leak of that kind.
    """

    weight: Fraction | None
    leak: str | None
    transitions: int  # of the automaton

    @property
    def private(self) -> bool:
        """Whether the automaton is private."""
        return self.weight is not None


def check_automaton(
    model_text: str, certificate_text: str, allowed: Allowance | None = None
) -> AutomatonReport:
    """Verify a certificate against the text of a ``.dipa`` model (without a byte order mark).

    Raises: as `distances.proof.check`.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    with reading.collector_paused():
        automaton = read_automaton(model_text)
        claim = reading.read_text(certificate_text, _claim, work)
        check_fingerprint(claim.model, automaton.fingerprint())
        if isinstance(claim, PrivacyClaim):
            _verify_privacy(automaton, claim, work)
            return AutomatonReport(claim.weight, None, len(automaton.transitions))
        _verify_leak(automaton, claim)
        return AutomatonReport(None, claim.kind, len(automaton.transitions))


# --- the document --------------------------------------------------------------------------------------


class PrivacyClaim(NamedTuple):
    """The automaton is private with this weight; ``left`` has one number for each component."""

    format: Format
    version: Version
    model: Fingerprint
    private: bool
    weight: Fraction
    components: tuple[Some[str], ...]
    left: tuple[Fraction, ...]
    path: Path


class LeakClaim(NamedTuple):
    """The automaton is not private: a way through it, in parts, that a leak of that kind has."""

    format: Format
    version: Version
    model: Fingerprint
    private: bool
    kind: Annotated[str, reading.one_of(*_LENGTHS)]
    rising: bool
    prefix: Path
    first: Path
    between: Path
    second: Path


_privacy, _leak = reading.form(PrivacyClaim), reading.form(LeakClaim)


def _claim(value: object) -> PrivacyClaim | LeakClaim:
    if not isinstance(value, dict) or value.get("private") is not False:
        privacy: PrivacyClaim = _privacy(value)
        if len(privacy.left) != len(privacy.components):
            reading.refuse("there is not one number in left for each of the components")
        return privacy
    leak: LeakClaim = _leak(value)
    if leak.kind in (LEAKING_CYCLE, DISCLOSING_CYCLE) and not leak.rising:
        reading.refuse(f"rising is false, and the kind is {leak.kind}")
    for part, length in _LENGTHS[leak.kind].items():
        if len(getattr(leak, part)) != length:
            reading.refuse(f"{part} has not the length {length}, and the kind is {leak.kind}")
    return leak


# --- private -------------------------------------------------------------------------------------------


def _verify_privacy(automaton: Automaton, claim: PrivacyClaim, work: Work) -> None:
    component = _components(automaton, claim)
    _check_order(automaton, component)
    _check_connected(automaton, claim, component)
    repeatable = [
        move for move in automaton.transitions if component[move.source] == component[move.target] != _NOWHERE
    ]
    _check_cycles(automaton, component, repeatable)
    for rising in (True, False):
        _check_stretches(automaton, component, repeatable, rising)
    critical = [
        move for move in automaton.transitions if _NOWHERE != component[move.source] != component[move.target]
    ]
    _Weights(automaton, claim, component, work).check(critical)


def _components(automaton: Automaton, claim: PrivacyClaim) -> list[int]:
    """For each state the number of its component."""
    component = [_NOWHERE] * len(automaton.states)
    for number, names in enumerate(claim.components):
        for name in names:
            state = automaton.numbers.get(name)
            if state is None:
                problem = f"names {shown(name)}, not a state of the automaton"
                raise Rejected("components", f"components[{number}] {problem}")
            if component[state] != _NOWHERE:
                problem = f"names {shown(name)}, as components[{component[state]}] does"
                raise Rejected("components", f"components[{number}] {problem}")
            component[state] = number
    reached = _spread([automaton.initial], [[move.target for move in moves] for moves in automaton.outgoing])
    for state, number in enumerate(component):
        if reached[state] and number == _NOWHERE:
            problem = "is in no component, and is reached"
            raise Rejected("components", f"{automaton.shown(state)} {problem}")
        if not reached[state] and number != _NOWHERE:
            problem = f"names {automaton.shown(state)}, which is not reached"
            raise Rejected("components", f"components[{number}] {problem}")
    return component


def _check_order(automaton: Automaton, component: list[int]) -> None:
    """No transition leads to an earlier component; from those that are reached none leads elsewhere."""
    for move in automaton.transitions:
        before, after = component[move.source], component[move.target]
        if after < before:
            way = f"{_named(automaton, move)} leads from components[{before}] to components[{after}]"
            raise Rejected("order", f"{way}, which stands before it")


def _check_connected(automaton: Automaton, claim: PrivacyClaim, component: list[int]) -> None:
    """Inside a component every state is reached from the first one, and reaches it."""
    following: list[list[int]] = [[] for _ in automaton.states]
    preceding: list[list[int]] = [[] for _ in automaton.states]
    for source, target, *_ in automaton.transitions:
        if component[source] == component[target]:
            following[source].append(target)
            preceding[target].append(source)
    firsts = [automaton.numbers[names[0]] for names in claim.components]
    for neighbours, problem in (
        (following, "there is no way inside it from {} to {}"),
        (preceding, "there is no way inside it to {} from {}"),
    ):
        found = _spread(firsts, neighbours)
        for state, number in enumerate(component):
            if number != _NOWHERE and not found[state]:
                ends = problem.format(automaton.shown(firsts[number]), automaton.shown(state))
                raise Rejected("connected", f"components[{number}]: {ends}")


def _check_cycles(automaton: Automaton, component: list[int], repeatable: list[Transition]) -> None:
    """No component stores and compares, and none writes a sample that depends on an input."""
    storing = {component[move.source]: move for move in repeatable if move.assigns}
    for move in repeatable:
        number = component[move.source]
        if move.guard != TRUE and number in storing:
            others = f"{_named(automaton, storing[number])} stores, and {_named(automaton, move)} compares"
            raise Rejected(_step(LEAKING_CYCLE), f"components[{number}]: {others}")
    for move in repeatable:
        if _writes_a_sample(automaton, move):
            problem = f"{_named(automaton, move)} reads an input and writes a sample"
            raise Rejected(_step(DISCLOSING_CYCLE), f"components[{component[move.source]}]: {problem}")


def _check_stretches(
    automaton: Automaton, component: list[int], repeatable: list[Transition], rising: bool
) -> None:
    """Along stores that are all under ``>=`` no bound is followed by a lower one; or the mirror image."""
    low, high = (LESS, AT_LEAST) if rising else (AT_LEAST, LESS)
    neighbours = [
        [move.target for move in moves if not move.assigns or move.guard == high]
        for moves in automaton.outgoing
    ]
    ending = {component[move.source] for move in repeatable if move.guard == high}

    def check_end(kind: str, beginning: str, starts: Iterable[int]) -> bytearray:
        """No cycle with the guard ``high`` is found from there; the result is what is found."""
        found = _spread(starts, neighbours)
        for state, number in enumerate(component):
            if found[state] and number in ending:
                way = f"a way with stores under {high} only leads from {beginning}"
                problem = f"{way} to a cycle with the guard {high} in components[{number}]"
                raise Rejected(_step(kind), problem)
        return found

    cycle = f"a cycle with the guard {low}"
    on_cycles = {component[move.source] for move in repeatable if move.guard == low}
    in_cycles = (state for state, number in enumerate(component) if number in on_cycles)
    after_cycles = check_end(LEAKING_PAIR, cycle, in_cycles)
    written = [
        move for move in automaton.transitions if move.output == SAMPLE and component[move.source] != _NOWHERE
    ]
    stored = (move.target for move in written if move.assigns)
    check_end(DISCLOSED_STORE, "a store that writes its sample", stored)
    compared = (move.target for move in written if not move.assigns and move.guard == low)
    check_end(DISCLOSED_SAMPLE, f"a sample with the guard {low} that is written", compared)
    for move in written:
        if move.guard == high and after_cycles[move.source]:
            way = f"a way with stores under {high} only leads from {cycle}"
            problem = f"{way} to {_named(automaton, move)}, which writes its sample"
            raise Rejected(_step(LATE_DISCLOSURE), problem)


class _Weights:
    """What critical transitions cost, and what the claim says can still be spent."""

    def __init__(self, automaton: Automaton, claim: PrivacyClaim, component: list[int], work: Work) -> None:
        self._automaton, self._claim, self._component, self._work = automaton, claim, component, work
        self._left = [(value.numerator, value.denominator) for value in claim.left]
        self._sizes = [above.bit_length() + below.bit_length() for above, below in self._left]

    def check(self, critical: list[Transition]) -> None:
        """The steps left, weight and path."""
        claim, component = self._claim, self._component
        for number, value in enumerate(claim.left):
            if value < 0:
                raise Rejected("left", f"left[{number}] is {brief(value)}, which is negative")
        for move in critical:
            if self._excess(move) > 0:
                raise Rejected("left", f"{self._what(move)} exceed left[{component[move.source]}]")
        whole = claim.left[component[self._automaton.initial]]
        if claim.weight != whole:
            numbers = comparison(claim.weight, "!=", whole)
            raise Rejected("weight", f"the weight is not what is left at the beginning, {numbers}")
        self._check_path()

    def _check_path(self) -> None:
        """The path costs the weight: what is left at its end is nothing, and nowhere less than it cost."""
        component = self._component
        way, end = _follow(self._automaton, self._automaton.initial, self._claim.path, "path")
        for move in way:
            if component[move.source] != component[move.target] and self._excess(move) < 0:
                raise Rejected("path", f"{self._what(move)} are less than left[{component[move.source]}]")
        rest = self._claim.left[component[end]]
        if rest != 0:
            problem = f"the path ends in {self._automaton.shown(end)}, where {brief(rest)} is left"
            raise Rejected("path", problem)

    def _excess(self, move: Transition) -> int:
        """The sign of cost + left after − left before, without a search for common divisors."""
        source, target = self._component[move.source], self._component[move.target]
        cost, over = self._cost(move)
        (before, before_over), (after, after_over) = self._left[source], self._left[target]
        bits = cost.bit_length() + over.bit_length() + self._sizes[source] + self._sizes[target]
        self._work.spend(5, bits, bits)
        return (cost * after_over + after * over) * before_over - before * (over * after_over)

    def _cost(self, move: Transition) -> tuple[int, int]:
        """What a critical transition costs, in multiples of ε: numerator and denominator."""
        state = self._automaton.states[move.source]
        moved = 0 if move.output == SAMPLE else 1
        d = state.noise.d
        cost, over = d.numerator * (moved + state.reads_input), d.denominator
        if move.output == SECOND and state.reads_input and state.second is not None:
            other = state.second.d
            self._work.spend(3, size(d), size(other))
            cost, over = cost * other.denominator + other.numerator * over, over * other.denominator
        return cost, over

    def _what(self, move: Transition) -> str:
        target = self._component[move.target]
        cost, after = brief(Fraction(*self._cost(move))), brief(self._claim.left[target])
        return f"the cost {cost} of {_named(self._automaton, move)} and left[{target}] = {after}"


# --- not private ---------------------------------------------------------------------------------------


def _verify_leak(automaton: Automaton, claim: LeakClaim) -> None:
    low, high = (LESS, AT_LEAST) if claim.rising else (AT_LEAST, LESS)
    _, here = _follow(automaton, automaton.initial, claim.prefix, "prefix")
    first, here = _follow(automaton, here, claim.first, "first")
    _check_first(automaton, claim.kind, first, low)
    if claim.kind in (LEAKING_CYCLE, DISCLOSING_CYCLE):
        return  # the other parts are empty
    between, here = _follow(automaton, here, claim.between, "between")
    for number, move in enumerate(between):
        allowed = not move.assigns or move.guard == high
        _demand(allowed, "between", f"between[{number}] stores under {move.guard}, not under {high}")
    second, _ = _follow(automaton, here, claim.second, "second")
    _check_second(automaton, claim.kind, second, high)


def _check_first(automaton: Automaton, kind: str, first: Way, low: str) -> None:
    """The cycle that leaks by itself, or what bounds the stored value from below."""
    if kind == LEAKING_CYCLE:
        _check_cycle(automaton, "first", first)
        _demand(any(move.assigns for move in first), "first", "no transition of the cycle stores")
        _demand(any(move.guard != TRUE for move in first), "first", "no transition of the cycle compares")
    elif kind == DISCLOSING_CYCLE:
        _check_cycle(automaton, "first", first)
        writes = any(_writes_a_sample(automaton, move) for move in first)
        _demand(writes, "first", "no transition of the cycle reads an input and writes a sample")
    elif kind in (LEAKING_PAIR, LATE_DISCLOSURE):
        _check_comparing_cycle(automaton, "first", first, low)
    else:
        (move,) = first
        _demand(move.output == SAMPLE, "first", "the transition does not write insample")
        if kind == DISCLOSED_STORE:
            _demand(move.assigns, "first", "the transition does not store")
        else:
            _demand(not move.assigns, "first", "the transition stores")
            _demand(move.guard == low, "first", f"the guard of the transition is {move.guard}, not {low}")


def _check_second(automaton: Automaton, kind: str, second: Way, high: str) -> None:
    """What bounds it from above, and lower."""
    if kind != LATE_DISCLOSURE:
        _check_comparing_cycle(automaton, "second", second, high)
        return
    (move,) = second
    _demand(move.output == SAMPLE, "second", "the transition does not write insample")
    _demand(move.guard == high, "second", f"the guard of the transition is {move.guard}, not {high}")


def _check_comparing_cycle(automaton: Automaton, step: str, way: Way, guard: str) -> None:
    """A cycle that compares by this guard, always with the same stored value."""
    _check_cycle(automaton, step, way)
    compares = any(move.guard == guard for move in way)
    _demand(compares, step, f"no transition of the cycle has the guard {guard}")
    _demand(not any(move.assigns for move in way), step, "a transition of the cycle stores")


def _check_cycle(automaton: Automaton, step: str, way: Way) -> None:
    _demand(len(way) > 0, step, "there is no cycle")
    start, end = way[0].source, way[-1].target
    _demand(start == end, step, f"not a cycle: from {automaton.shown(start)} to {automaton.shown(end)}")


def _writes_a_sample(automaton: Automaton, move: Transition) -> bool:
    """Whether a transition reads an input and writes a sample, which depends on it."""
    return automaton.states[move.source].reads_input and isinstance(move.output, int)


def _demand(holds: bool, step: str, problem: str) -> None:
    if not holds:
        raise Rejected(step, problem)


# --- ways through an automaton -------------------------------------------------------------------------


def _follow(
    automaton: Automaton, start: int, names: Sequence[TransitionName], step: str
) -> tuple[list[Transition], int]:
    """The transitions of a path that begins in a state, and the state where it ends. Raises: Rejected."""
    here, way = start, []
    for number, (source, guard) in enumerate(names):
        if source != automaton.states[here].name:
            problem = f"leaves {shown(source)}, and the way has come to {automaton.shown(here)}"
            raise Rejected(step, f"{step}[{number}] {problem}")
        for transition in automaton.outgoing[here]:
            if transition.guard == guard:
                way.append(transition)
                here = transition.target
                break
        else:
            raise Rejected(step, f"{step}[{number}]: no transition of {shown(source)} has the guard {guard}")
    return way, here


def _spread(starts: Iterable[int], neighbours: Sequence[Iterable[int]]) -> bytearray:
    """By state, whether it is one of the starts or can be reached from one."""
    found = bytearray(len(neighbours))
    waiting = []
    for start in starts:
        if not found[start]:
            found[start] = True
            waiting.append(start)
    while waiting:
        for neighbour in neighbours[waiting.pop()]:
            if not found[neighbour]:
                found[neighbour] = True
                waiting.append(neighbour)
    return found


def _named(automaton: Automaton, move: Transition) -> str:
    return f"({automaton.shown(move.source)}, {move.guard})"


def _step(kind: str) -> str:
    return kind.replace(" ", "-")
