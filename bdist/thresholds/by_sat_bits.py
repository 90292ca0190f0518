"""The backend `sat-bits`: the formula with bounded denominators, in bits, for a SAT solver.

Every distance is D / T and every weight of a coupling W / U, with integers D and W and denominators T and U
that are chosen beforehand. The formula then is a statement about integers, its products W D included, and
CaDiCaL decides it. A model is an exact table with exact couplings, and proves bd <= theta. That there is no
model proves nothing: the table may need other denominators. So the answer is HOLDS or UNKNOWN, never
VIOLATED. Rounds with more bits follow one another until one succeeds or the schedule ends.

*Direct couplings.* A state with c_i > 0 must send c_i out or pay for it, one with c_j < 0 can take in |c_j| /
alpha; states in between only matter where a detour is cheaper than the direct arc, which is rare. Without
detours a term is an ordinary transport problem, rows c_i, columns |c_j| / alpha. Three things follow. All of
the smaller side is sent (d <= 1, so it never pays not to): then sum b is a constant, b disappears, and where
the larger side is one state the weights are constants, too. The vertices of a transport problem are integer
combinations of its margins, so with U a common denominator of those no table is missed for want of a finer U.
And alpha has gone from the constraints. This comes first; most questions never see the rest.

*Detours.* With the reach "supports" or "labels" (see `formula`) arcs are added that lie on a path that may
undercut a direct arc, going by the bounds that are known for each distance: in two dining cryptographers 72
arcs of 1568. Flow along a path grows by alpha an arc and ends in a state with c_j < 0 (if it ended in b, b at
its beginning would be cheaper). So b_i <= c_i, and no weight exceeds sum |c_j| / alpha. A vertex now has
denominators with factors such as alpha^2 - 1, hence the choice of U in `_weight_unit`.

*What it costs* (`circuits` has the arithmetic). Nearly all clauses are the products: bits of W times bits of
D an arc, a full adder each. Everything is an inequality, so one-sided adders do, which halves the clauses; b
is a constant where it can be; finer grids for W than the margins' only make it slower.

A chain of 4 states has 100 to 1500 clauses and takes a fraction of a second, most of it the start of the
solver's process; two dining cryptographers at alpha = 5001/5000 and theta = 1/2500, their distance, have
26000 clauses and take a second. Detours cost ten times as much as direct arcs and may not finish; neither
may proofs of unsatisfiability, so each round has only its share of the time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget, Stopped
from bdist.distances.run import UpperEvidence
from bdist.errors import ParameterError
from bdist.processes import call
from bdist.results import Answer
from bdist.thresholds.bits_encoder import Encoder, TooLarge
from bdist.thresholds.bits_plan import Plan, grid_of, plan_of
from bdist.thresholds.cadical import solve_cnf
from bdist.thresholds.formula import evidence_of, formula_of
from bdist.thresholds.question import Backend, Finding, Options, Question, Session

REACHES = ("direct", "supports", "labels")
SCHEDULE = (
    (6, "direct"),
    (10, "direct"),
    (14, "direct"),
    (6, "supports"),
    (6, "labels"),
    (18, "direct"),
    (10, "supports"),
    (10, "labels"),
)
MOST_BITS = 64
_SECONDS_A_ROUND = 30.0


@dataclass
class _Tally:
    """What the rounds of one decision came to."""

    rounds: int = 0
    stopped: int = 0
    too_large: int = 0
    variables: int = 0
    clauses: int = 0
    values: int = 1
    weights: int = 1
    most_values: int = 1
    most_weights: int = 1
    solver_seconds: float = 0.0
    peak_memory: int = 0

    def enter(self, encoder: Encoder) -> None:
        """Count a round that goes to the solver."""
        self.rounds += 1
        self.variables, self.clauses = encoder.circuit.variables, len(encoder.circuit.clauses)
        self.values, self.weights = encoder.grid.values, max(encoder.grid.weights.values(), default=1)
        self.most_values = max(self.most_values, self.values)
        self.most_weights = max(self.most_weights, self.weights)

    def stats(self) -> dict[str, int | float | str]:
        """For a finding; sizes are those of the last round."""
        return {
            "rounds": self.rounds,
            "variables": self.variables,
            "clauses": self.clauses,
            "t_bits": self.values.bit_length(),
            "wd_bits": self.weights.bit_length(),
            "solver_seconds": round(self.solver_seconds, 6),
            "peak_memory": self.peak_memory,
        }

    def reason(self) -> str:
        """Why the answer is UNKNOWN."""
        tried = (
            f"no certificate with denominators up to {self.most_values} (distances) "
            f"and {self.most_weights} (couplings)"
        )
        notes = [
            *([f"{self.stopped} of {self.rounds} rounds ran out of their time"] if self.stopped else []),
            *([f"{self.too_large} more were too large to try"] if self.too_large else []),
            "this is not a proof that bd > theta",
        ]
        return f"{tried} ({'; '.join(notes)})"


class BitsSession:
    """The backend at work on one pair of states."""

    def __init__(self, question: Question, options: Options) -> None:
        if options.bits is not None and not 1 <= options.bits <= MOST_BITS:
            raise ParameterError(f"bits is {options.bits}; it must be between 1 and {MOST_BITS}")
        self._question = question
        self._options = options
        self._plans: dict[str, Plan] = {}
        self._known: UpperEvidence | None = None

    def decide(self, theta: Fraction) -> Finding:
        """HOLDS with a table and couplings, on the first grid that has them; UNKNOWN where none has.

        Raises: Stopped, BackendError.
        """
        tally = _Tally()
        formula = self._plan("direct").formula
        if self._known is None and formula.query in formula.fixed:
            self._known = evidence_of(formula, {}, {})
        if self._known is not None and self._known.bound(formula.query) <= theta:
            return Finding(Answer.HOLDS, upper=self._known, stats=tally.stats())
        if formula.query in formula.fixed:
            value = f"the distance is {formula.fixed[formula.query]}, which is above theta"
            reason = f"{value}; sat-bits certifies upper bounds only"
            return Finding(Answer.UNKNOWN, reason=reason, hint=Answer.VIOLATED, stats=tally.stats())
        for bits, plan, share in self._rounds():
            self._known = self._round(bits, plan, theta, share, tally) or self._known
            if self._known is not None and self._known.bound(formula.query) <= theta:
                return Finding(Answer.HOLDS, upper=self._known, stats=tally.stats())
        return Finding(Answer.UNKNOWN, reason=tally.reason(), stats=tally.stats())

    def _rounds(self) -> Iterator[tuple[int, Plan, Budget]]:
        """Bits, plan and budget of each round; a reach that adds no arcs to a smaller one is left out."""
        bits = self._options.bits
        schedule = SCHEDULE if bits is None else tuple((bits, reach) for reach in REACHES)
        for number, (width, reach) in enumerate(schedule):
            plan = self._plan(reach)
            smaller = REACHES[: REACHES.index(reach)]
            if all(self._plan(other).arcs != plan.arcs for other in smaller):
                yield width, plan, self._share(len(schedule) - number)

    def _share(self, rounds_left: int) -> Budget:
        """Half of the time that is left, and all of it in the end; without a time limit, a fixed time."""
        whole = self._question.budget
        if self._options.bits is not None:
            return whole
        remaining = whole.remaining()
        if remaining is None:
            return Budget(_SECONDS_A_ROUND, whole.stop)
        return Budget(remaining / min(rounds_left, 2), whole.stop)

    def _plan(self, reach: str) -> Plan:
        if reach not in self._plans:
            breadth = "labels" if reach == "labels" else "supports"
            formula = formula_of(self._question, breadth)
            self._plans[reach] = plan_of(formula, self._question.budget, detours=reach != "direct")
        return self._plans[reach]

    def _round(
        self, bits: int, plan: Plan, theta: Fraction, share: Budget, tally: _Tally
    ) -> UpperEvidence | None:
        """The evidence that one grid has, if any."""
        whole = self._question.budget
        encoder = Encoder(plan, grid_of(plan, theta, bits, whole))
        try:
            encoder.encode(theta, whole)
        except TooLarge:
            tally.too_large += 1
            return None
        tally.enter(encoder)
        if self._options.dimacs is not None:
            encoder.circuit.write_dimacs(self._options.dimacs, encoder.legend(theta))
        started = time.monotonic()
        try:
            reply = call(solve_cnf, encoder.circuit.clauses, share)
        except Stopped:
            whole.check()
            tally.stopped += 1
            return None
        finally:
            tally.solver_seconds += time.monotonic() - started
        tally.peak_memory = max(tally.peak_memory, reply.peak_memory)
        return None if reply.result is None else encoder.evidence(reply.result)


def open_session(question: Question, options: Options) -> Session:
    """A session of this backend. Raises: ParameterError where ``options.bits`` is out of range."""
    return BitsSession(question, options)


BACKEND = Backend(
    "sat-bits",
    "bounded denominators, bit by bit, by CaDiCaL; certifies HOLDS",
    complete=False,
    open=open_session,
)
