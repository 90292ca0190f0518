"""The backend `sat-bits`: the formula with bounded denominators, in bits, for a SAT solver.

Every distance is D / T and every weight of a coupling W / U, with integers D and W and denominators T and U
that are chosen beforehand. The formula then is a statement about integers, its products W D included, and
CaDiCaL decides it. A model is an exact table with exact couplings, and proves bd <= theta. That there is no
model proves nothing: the table may need other denominators. So the answer is HOLDS or UNKNOWN, never
VIOLATED. Rounds with more bits follow one another until one succeeds or the schedule ends.

*Direct couplings.* A state with c_i > 0 must send c_i out or pay for it, one with c_j < 0 can take in |c_j| /
alpha; states in between only matter where a detour is cheaper than the direct arc, which is rare. Without
detours a term is an ordinary transport problem, rows c_i, columns |c_j| / alpha. All of the smaller side is
sent (d <= 1, so it never pays not to): then sum b is a constant, and where the larger side is one state the
weights are, too. The vertices are integer combinations of the margins, so with U a common denominator of
those no table is missed for want of a finer U. This comes first; most questions never see the rest.

*Detours.* With the reach "near" (the states of the supports and noted detours, see `formula`) or "labels"
arcs are added that lie on a path that may undercut a direct arc, going by the bounds that are known for each
distance: in two dining cryptographers 72 arcs of 1568. Flow along a path grows by alpha an arc and ends in a
state with c_j < 0 (if it ended in b, b at its beginning would be cheaper). So b_i <= c_i, and no weight
exceeds sum |c_j| / alpha. A vertex now has denominators with factors such as alpha^2 - 1, hence the choice of
U in `_weight_unit`.

*What it costs* (`circuits` has the arithmetic). Nearly all clauses are the products: bits of W times bits of
D an arc, a full adder each. Everything is an inequality, so one-sided adders do, which halves the clauses. A
chain of 4 states has 100 to 1500 clauses; two dining cryptographers at alpha = 5001/5000 and theta = 1/2500,
their distance, have 26000 and take a second. Detours cost ten times as much as direct arcs and may not
finish; neither may proofs of unsatisfiability, so each round has only its share of the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import fmpq

from bdist.budget import Budget, Stopped
from bdist.distances.pairs import Direction
from bdist.distances.run import UpperEvidence
from bdist.errors import ParameterError
from bdist.exact.rationals import ONE, ZERO, to_fmpq
from bdist.results import Answer
from bdist.thresholds.circuits import Circuit, Number, Sense, Sum, constant, decode, solve_cnf
from bdist.thresholds.formula import (
    Coupling,
    Formula,
    FormulaTooLarge,
    Inequality,
    Term,
    evidence_of,
    formula_of,
)
from bdist.thresholds.question import Finding, Options, Question, Stats, ask_solver, new_stats

Arc = tuple[int, int]
Place = tuple[int, Direction]

_SPARE_BITS = 2
_BITS_FOR_FACTORS = 8
_BITS_FOR_POWERS = 12
_MOST_CLAUSES = 2_000_000
REACHES = ("direct", "near", "labels")
SCHEDULE = (
    (6, "direct"),
    (10, "direct"),
    (14, "direct"),
    (6, "near"),
    (6, "labels"),
    (18, "direct"),
    (10, "near"),
    (10, "labels"),
)
MOST_BITS = 64
_SECONDS_A_ROUND = 30.0


@dataclass(frozen=True)
class Plan:
    """Which arcs the couplings may use, a list a term, in the inequalities that the query then depends on."""

    formula: Formula
    arcs: Mapping[Place, tuple[list[Arc], ...]]


@dataclass(frozen=True)
class Grid:
    """The denominators of a round: ``values`` of all distances, ``weights`` of each inequality's coupling."""

    values: int
    weights: Mapping[Place, int]


def grid_of(plan: Plan, theta: Fraction, bits: int, budget: Budget) -> Grid:
    """Denominators of about ``bits`` bits that express much of what is given. Raises: Stopped."""
    formula = plan.formula
    given = {*formula.fixed.values(), *(x.leak for both in formula.inequalities.values() for x in both)}
    values = 1
    for denominator in (theta.denominator, *sorted({int(x.q) for x in given})):
        if lcm(values, denominator).bit_length() <= bits + _SPARE_BITS:
            values = lcm(values, denominator)
    while values.bit_length() <= bits:
        values *= 2
    weights = {}
    for inequality in formula.open_inequalities:
        budget.check()
        place = inequality.pair, inequality.direction
        if place in plan.arcs:
            direct = plan.arcs[place] == tuple(map(direct_arcs, inequality.terms))
            weights[place] = _weight_unit(inequality.terms, formula.space.alpha, bits, direct)
    return Grid(values, weights)


def _weight_unit(terms: Sequence[Term], alpha: fmpq, bits: int, direct: bool) -> int:
    """A denominator for the weights of an inequality.

    Without detours: among the margins' own denominators and a power of two, the one on which most can be
    sent, and the smallest of those. With detours a vertex solves equations such as x + y = c, alpha x +
    alpha^2 y = c', so it is multiplied by p, p + q and p - q (alpha = p/q), and given enough bits by powers
    of two.
    """
    rows = {int(c.q) for term in terms for c in term.coefficients if c > 0}
    columns = {int((c / alpha).q) for term in terms for c in term.coefficients if c < 0}
    own = {*rows, *columns, lcm(*rows), lcm(*columns), lcm(*rows, *columns)}
    most = 1 << bits + _SPARE_BITS
    unit = max(
        {1 << bits, *(x for x in own if x <= most)},
        key=lambda unit: (sum((_kept(term, alpha, unit) for term in terms), ZERO), -unit),
    )
    if direct:
        return unit
    p, q = int(alpha.p), int(alpha.q)
    if lcm(unit, p) <= most:
        unit = lcm(unit, p)
    for factor in (p, p + q, p - q, q) if bits >= _BITS_FOR_FACTORS else ():
        if factor and unit * factor <= most:
            unit *= factor
    while bits >= _BITS_FOR_POWERS and unit < 1 << bits:
        unit *= 2
    return unit


def _kept(term: Term, alpha: fmpq, unit: int) -> fmpq:
    """How much of a term's margins is left when they are rounded down to a grid."""
    rows, columns = margins(term, alpha, unit)
    return fmpq(sum(rows.values()) + sum(columns.values()), unit)


def margins(term: Term, alpha: fmpq, unit: int) -> tuple[dict[int, int], dict[int, int]]:
    """What each state must send (c > 0) or can take in (c < 0), in whole units, rounded down."""
    signed = list(zip(term.states, term.coefficients, strict=True))
    rows = {i: _floor(c * unit) for i, c in signed if c > 0}
    columns = {j: _floor(-c * unit / alpha) for j, c in signed if c < 0}
    return rows, columns


def plan_of(formula: Formula, budget: Budget, *, detours: bool) -> Plan:
    """The arcs of every inequality that the query depends on, if couplings use no others. Raises: Stopped."""
    routes = _Routes(formula)
    arcs: dict[Place, tuple[list[Arc], ...]] = {}
    waiting, seen = [formula.query], {formula.query, *formula.fixed}
    while waiting:
        for inequality in formula.inequalities[waiting.pop()]:
            budget.check()
            chosen = tuple((routes.useful if detours else direct_arcs)(term) for term in inequality.terms)
            arcs[inequality.pair, inequality.direction] = chosen
            met = {formula.space.number[arc] for of_term in chosen for arc in of_term} - seen
            seen |= met
            waiting += sorted(met)
    return Plan(formula, arcs)


def direct_arcs(term: Term) -> list[Arc]:
    """From every state with c > 0 to every state with c < 0."""
    signed = list(zip(term.states, term.coefficients, strict=True))
    return [(i, j) for i, c in signed if c > 0 for j, other in signed if other < 0]


class _Routes:
    """Which arcs may be worth a detour, going by bounds on the distances that hold in every solution."""

    def __init__(self, formula: Formula) -> None:
        self._alpha = formula.space.alpha
        self._number = formula.space.number
        self._least, self._most = dict(formula.fixed), dict(formula.fixed)
        for inequality in formula.open_inequalities:
            pair = inequality.pair
            known = formula.question.known(*formula.space.pairs[pair])
            self._least[pair] = max(self._least.get(pair, ZERO), inequality.leak, known)
            self._most[pair] = max(self._most.get(pair, ZERO), uncoupled(inequality))

    def useful(self, term: Term) -> list[Arc]:
        """The direct arcs, and all arcs on paths that may cost less than the direct arc.

        A path costs d(first arc) + alpha d(second) + alpha^2 d(third) ... a unit sent, and fills up its last
        state more than the direct arc does. One that cannot cost less is never needed.
        """
        direct = direct_arcs(term)
        found: set[Arc] = set()
        for sink in {j for _, j in direct}:
            onward = self._onward(term.states, sink)
            for source in {i for i, _ in direct}:
                found |= self._detours(term.states, source, sink, onward)
        return direct if found <= set(direct) else sorted({*direct, *found})

    def _onward(self, states: tuple[int, ...], sink: int) -> dict[int, fmpq]:
        """The least that a unit can cost from each state to the sink."""
        least = {i: ZERO if i == sink else self._least[self._number[i, sink]] for i in states}
        changed = True
        while changed:
            changed = False
            for i in states:
                for j in states:
                    if i not in (j, sink):
                        through = self._least[self._number[i, j]] + self._alpha * least[j]
                        if through < least[i]:
                            least[i], changed = through, True
        return least

    def _detours(self, states: tuple[int, ...], source: int, sink: int, onward: dict[int, fmpq]) -> set[Arc]:
        limit = self._most[self._number[source, sink]]
        found: set[Arc] = set()
        reached, grown = {source: ZERO}, ONE
        for _ in states[1:]:
            following: dict[int, fmpq] = {}
            for i, so_far in reached.items():
                for j in states:
                    if j in (i, source) or i == sink:
                        continue
                    cost = so_far + grown * self._least[self._number[i, j]]
                    if cost + grown * self._alpha * onward[j] < limit:
                        found.add((i, j))
                        following[j] = min(cost, following.get(j, cost))
            reached, grown = following, grown * self._alpha
        return found


def flow_bounds(term: Term, arcs: list[Arc], alpha: fmpq, unit: int) -> dict[Arc, int]:
    """The most that an arc needs to carry: what sinks take, less where no flow comes in or goes on."""
    rows, columns = margins(term, alpha, unit)
    passed = _floor(sum((-c for c in term.coefficients if c < 0), ZERO) * unit / alpha)
    tails, heads = {i for i, _ in arcs}, {j for _, j in arcs}
    return {
        (i, j): min(
            passed, passed if i in heads else rows.get(i, 0), passed if j in tails else columns.get(j, 0)
        )
        for i, j in arcs
    }


def uncoupled(inequality: Inequality) -> fmpq:
    """The cost of an inequality with w = 0: an upper bound for it at every table."""
    return inequality.leak + sum(map(positive_part, inequality.terms), ZERO)


def positive_part(term: Term) -> fmpq:
    """What a term demands in all."""
    return sum((c for c in term.coefficients if c > 0), ZERO)


def _floor(x: fmpq) -> int:
    return int(x.floor())


def _ceiling(x: fmpq) -> int:
    return int(x.ceil())


class TooLarge(Exception):
    """A CNF would exceed what is worth handing to a solver; counted, and the next round is tried."""


class Encoder:
    """The formula on a grid, as a CNF, and what a model of it says."""

    def __init__(self, plan: Plan, grid: Grid) -> None:
        self.plan = plan
        self.grid = grid
        self.circuit = Circuit()
        self.distances: dict[int, Number] = {}
        self.weights: dict[Place, dict[Arc, Number]] = {}
        self._space = plan.formula.space
        self._alpha = plan.formula.space.alpha
        self._waiting: list[int] = []

    def encode(self, theta: Fraction, budget: Budget) -> None:
        """Add the clauses of d(query) <= theta and of all inequalities of the plan.

        Raises: Stopped, TooLarge.
        """
        query = self._distance(self.plan.formula.query)
        self.circuit.require_at_most_constant(query, _floor(to_fmpq(theta) * self.grid.values))
        while self._waiting:
            for inequality in self.plan.formula.inequalities[self._waiting.pop()]:
                budget.check()
                if len(self.circuit.clauses) > _MOST_CLAUSES:
                    raise TooLarge
                self._inequality(inequality)

    def _distance(self, pair: int) -> Number:
        """The numerator of a pair's value; that of a free pair is met for the first time here."""
        fixed, both = self.plan.formula.fixed, self.plan.formula.inequalities[pair]
        if pair not in self.distances:
            if pair in fixed:
                self.distances[pair] = constant(_ceiling(fixed[pair] * self.grid.values))
            else:
                most = _ceiling(max(map(uncoupled, both)) * self.grid.values)
                number = self.distances[pair] = self.circuit.fresh(most)
                least = _ceiling(max(x.leak for x in both) * self.grid.values)
                self.circuit.require_at_least_constant(number, least)
                self._waiting.append(pair)
        return self.distances[pair]

    def _inequality(self, inequality: Inequality) -> None:
        """leak + sum w d + sum b <= d(pair), times both denominators."""
        place = inequality.pair, inequality.direction
        unit, weights = self.grid.weights[place], self.weights.setdefault(place, {})
        cost, allowed = Sum(self.circuit, Sense.AT_LEAST), Sum(self.circuit, Sense.AT_MOST)
        constant_cost = inequality.leak
        for term, arcs in zip(inequality.terms, self.plan.arcs[place], strict=True):
            if arcs == direct_arcs(term):
                constant_cost += self._transport(term, unit, cost, weights)
            else:
                constant_cost += self._flow(term, arcs, unit, cost, weights)
        cost.add_constant(_ceiling(constant_cost * unit * self.grid.values))
        allowed.add(self._distance(inequality.pair), unit)
        self.circuit.require_at_most(cost.number(), allowed.number())

    def _transport(self, term: Term, unit: int, cost: Sum, weights: dict[Arc, Number]) -> fmpq:
        """Clauses of a term without detours; its sum w d is added to ``cost``, its sum b is returned.

        The smaller side is sent completely. So each sum over it is bounded below, and above unless exceeding
        it is harmless, as for rows; each sum over the other side is bounded above.
        """
        rows, columns = margins(term, self._alpha, unit)
        sent = min(sum(rows.values()), sum(columns.values()))
        by_rows = sent == sum(rows.values())
        forced = len(columns if by_rows else rows) == 1
        out: dict[int, list[Number]] = {i: [] for i in rows}
        into: dict[int, list[Number]] = {j: [] for j in columns}
        for i, j in direct_arcs(term):
            most = min(rows[i], columns[j])
            weight = constant(most) if forced else self.circuit.fresh(most)
            self._use((i, j), weight, cost, weights)
            out[i].append(weight)
            into[j].append(weight)
        if not forced:
            for i, parts in out.items():
                self._bound(parts, rows[i], at_least=by_rows, at_most=not by_rows)
            for j, parts in into.items():
                self._bound(parts, columns[j], at_least=not by_rows, at_most=True)
        return positive_part(term) - fmpq(sent, unit)

    def _bound(self, parts: list[Number], limit: int, at_least: bool, at_most: bool) -> None:
        below, above = Sum(self.circuit, Sense.AT_MOST), Sum(self.circuit, Sense.AT_LEAST)
        for part in parts:
            below.add(part)
            above.add(part)
        if at_least:
            self.circuit.require_at_least_constant(below.number(), limit)
        if at_most and above.most > limit:
            self.circuit.require_at_most_constant(above.number(), limit)

    def _flow(self, term: Term, arcs: list[Arc], unit: int, cost: Sum, weights: dict[Arc, Number]) -> fmpq:
        """Clauses of a term with detours; its cost is added to ``cost`` but for a constant: that is returned.

        For every state: q (out + b) >= q c + p in, where alpha = p/q. b_i is a number on the grid and the
        part of c_i that the grid cannot express.
        """
        p, q = int(self._alpha.p), int(self._alpha.q)
        coefficients = dict(zip(term.states, term.coefficients, strict=True))
        most = flow_bounds(term, arcs, self._alpha, unit)
        given = {i: Sum(self.circuit, Sense.AT_MOST) for i in term.states}
        due = {i: Sum(self.circuit, Sense.AT_LEAST) for i in term.states}
        for i, j in arcs:
            weight = self.circuit.fresh(most[i, j])
            self._use((i, j), weight, cost, weights)
            given[i].add(weight, q)
            due[j].add(weight, p)
        rest = ZERO
        for i, c in coefficients.items():
            if c > 0:
                need = _floor(c * unit)
                rest += c - fmpq(need, unit)
                unpaid = self.circuit.fresh(need)
                cost.add(unpaid, self.grid.values)
                given[i].add(unpaid, q)
                due[i].add_constant(q * need)
            else:
                given[i].add_constant(_floor(-c * q * unit))
            self.circuit.require_at_most(due[i].number(), given[i].number())
        return rest

    def _use(self, arc: Arc, weight: Number, cost: Sum, weights: dict[Arc, Number]) -> None:
        cost.add_product(weight, self._distance(self._space.number[arc]))
        weights[arc] = weight

    def evidence(self, model: list[int]) -> UpperEvidence:
        """What a model says; b is what the weights leave to pay.

        Free pairs outside the plan go without coupling.
        """
        values = {
            pair: fmpq(decode(self.distances[pair], model), self.grid.values)
            if pair in self.distances
            else max(map(uncoupled, self.plan.formula.inequalities[pair]))
            for pair in self.plan.formula.free
        }
        couplings = {}
        for inequality in self.plan.formula.open_inequalities:
            place = inequality.pair, inequality.direction
            w = {
                arc: fmpq(decode(weight, model), self.grid.weights[place])
                for arc, weight in self.weights.get(place, {}).items()
            }
            couplings[place] = Coupling(w, _unpaid(inequality, w, self._alpha))
        return evidence_of(self.plan.formula, values, couplings)

    def legend(self, theta: Fraction) -> Iterator[str]:
        """What the CNF encodes and where, for the reader of a DIMACS file."""
        names, pairs = self._space.chain.states, self._space.pairs
        query = " ".join(names[i] for i in pairs[self.plan.formula.query])
        yield f"bdist sat-bits: is bd({query}) <= {theta} at alpha = {self._alpha}?"
        yield "satisfiable: yes; unsatisfiable: there is no certificate on this grid, which proves nothing"
        yield f"distances are D / {self.grid.values}; bits least significant first; variable 1 is true"
        for pair, number in self.distances.items():
            yield f"D {' '.join(names[i] for i in pairs[pair])}: {_listed(number)}"
        for (pair, direction), weights in self.weights.items():
            yield (
                f"coupling of {' '.join(names[i] for i in pairs[pair])}, {direction.name.lower()}, "
                f"weights are W / {self.grid.weights[pair, direction]}"
            )
            for (i, j), weight in weights.items():
                yield f"W {names[i]} {names[j]}: {_listed(weight)}"


def _unpaid(inequality: Inequality, w: Mapping[Arc, fmpq], alpha: fmpq) -> dict[int, fmpq]:
    """The least b with which w is a coupling."""
    b = {i: c for term in inequality.terms for i, c in zip(term.states, term.coefficients, strict=True)}
    for (i, j), weight in w.items():
        b[i] -= weight
        b[j] += alpha * weight
    return {i: x for i, x in b.items() if x > 0}


def _listed(number: Number) -> str:
    return " ".join(map(str, number.bits)) or "0 throughout"


class _Rounds:
    """What the rounds of one decision came to; the sizes in ``stats`` are those of the last round."""

    def __init__(self) -> None:
        self.stopped = self.too_large = 0
        self.grids: list[tuple[int, int]] = []  # denominators of distances, and the largest of couplings
        sizes = dict.fromkeys(("rounds", "variables", "clauses"), 0)
        self.stats: Stats = {**sizes, "t_bits": 1, "wd_bits": 1, **new_stats()}

    def enter(self, encoder: Encoder) -> None:
        values, weights = encoder.grid.values, max(encoder.grid.weights.values(), default=1)
        self.grids.append((values, weights))
        self.stats |= {
            "rounds": len(self.grids),
            "variables": encoder.circuit.variables,
            "clauses": len(encoder.circuit.clauses),
            "t_bits": values.bit_length(),
            "wd_bits": weights.bit_length(),
        }

    def reason(self) -> str:
        """Why the answer is UNKNOWN."""
        values, weights = map(max, zip((1, 1), *self.grids, strict=True))
        notes = ["this is not a proof that bd > theta"]
        if self.too_large:
            notes.insert(0, f"{self.too_large} more were too large to try")
        if self.stopped:
            notes.insert(0, f"{self.stopped} of {len(self.grids)} rounds ran out of their time")
        tried = f"denominators up to {values} (distances) and {weights} (couplings)"
        return f"no certificate with {tried} ({'; '.join(notes)})"


class BitsSession:
    """The backend at work on one pair of states. Raises: ParameterError where its bits are out of range."""

    def __init__(self, question: Question, options: Options) -> None:
        if options.bits is not None and not 1 <= options.bits <= MOST_BITS:
            raise ParameterError(f"bits is {options.bits}; it must be between 1 and {MOST_BITS}")
        self._question = question
        self._options = options
        self._plans: dict[tuple[str, int], Plan] = {}
        self._known: UpperEvidence | None = None

    def decide(self, theta: Fraction) -> Finding:
        """HOLDS with a table and couplings, on the first grid that has them; UNKNOWN where none has.

        Raises: Stopped, BackendError.
        """
        rounds = _Rounds()
        formula = self._plan("direct").formula
        is_constant = formula.query in formula.fixed
        if self._known is None and is_constant:
            self._known = evidence_of(formula, {}, {})
        waiting = self._rounds(rounds)
        while self._known is None or self._known.bound(formula.query) > theta:
            if is_constant:
                value = f"the distance is {formula.fixed[formula.query]}, which is above theta"
                reason = f"{value}; sat-bits certifies upper bounds only"
                return Finding(Answer.UNKNOWN, reason=reason, hint=Answer.VIOLATED, stats=rounds.stats)
            following = next(waiting, None)
            if following is None:
                return Finding(Answer.UNKNOWN, reason=rounds.reason(), stats=rounds.stats)
            self._known = self._round(*following, theta, rounds) or self._known
        return Finding(Answer.HOLDS, upper=self._known, stats=rounds.stats)

    def _rounds(self, rounds: _Rounds) -> Iterator[tuple[int, Plan, Budget]]:
        """Bits, plan and budget of each round; a reach that adds no arcs to a smaller one is left out."""
        bits = self._options.bits
        schedule = SCHEDULE if bits is None else tuple((bits, reach) for reach in REACHES)
        for number, (width, reach) in enumerate(schedule):
            smaller = REACHES[: REACHES.index(reach)]
            try:
                plan = self._plan(reach)
            except FormulaTooLarge:
                rounds.too_large += 1
                continue
            if any(self._plan(other).arcs == plan.arcs for other in smaller):
                continue
            share = whole = self._question.budget
            if (
                bits is None
            ):  # half of the time that is left, all of it in the end; without a limit, a fixed time
                left = whole.remaining()
                rounds_left = min(len(schedule) - number, 2)
                share = Budget(_SECONDS_A_ROUND if left is None else left / rounds_left, whole.stop)
            yield width, plan, share

    def _plan(self, reach: str) -> Plan:
        key = reach, self._question.detour_count
        if key not in self._plans:
            formula = formula_of(self._question, exhaustive=reach == "labels")
            self._plans[key] = plan_of(formula, self._question.budget, detours=reach != "direct")
        return self._plans[key]

    def _round(
        self, bits: int, plan: Plan, share: Budget, theta: Fraction, rounds: _Rounds
    ) -> UpperEvidence | None:
        """The evidence that one grid has, if any."""
        whole = self._question.budget
        encoder = Encoder(plan, grid_of(plan, theta, bits, whole))
        try:
            encoder.encode(theta, whole)
        except TooLarge:
            rounds.too_large += 1
            return None
        rounds.enter(encoder)
        if self._options.dimacs is not None:
            encoder.circuit.write_dimacs(self._options.dimacs, encoder.legend(theta))
        try:
            model = ask_solver(solve_cnf, encoder.circuit.clauses, share, rounds.stats)
        except Stopped:
            whole.check()
            rounds.stopped += 1
            return None
        return None if model is None else encoder.evidence(model)
