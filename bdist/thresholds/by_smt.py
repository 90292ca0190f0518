"""Backend `smt`: the threshold formula to a solver for nonlinear real arithmetic, as the paper suggests.

The formula is written as an SMT-LIB script: a value for each free pair, a weight for each arc, a leak for
each state that demands, one inequality a state and one a pair and direction, the products w_ij d(i,j) left as
they are. Z3 answers "sat" with rational values, which are a certificate once checked; where it hits on an
irrational solution, the values near it are taken as a proposal (`evidence_from_table`). "unsat" is the word
of a solver without a proof: a hint. The script is the same for every solver that reads SMT-LIB;
`--smt2 FILE` writes it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from importlib.util import find_spec

from flint import fmpq

from bdist.budget import Budget
from bdist.distances.pairs import Direction
from bdist.distances.run import UpperEvidence
from bdist.errors import BackendError, InternalError
from bdist.exact.rationals import ONE, ZERO, to_fmpq
from bdist.lp.smt import MISSING, SmtStatus, solve_script
from bdist.results import Answer
from bdist.text.files import write_text
from bdist.thresholds.formula import (
    Coupling,
    Formula,
    Inequality,
    evidence_from_table,
    evidence_of,
    formulas_of,
)
from bdist.thresholds.question import Finding, Options, Question, Stats, ask_solver, new_stats


class SmtSession:
    """The backend at work on one pair of states. Raises: BackendError where Z3 is not installed."""

    def __init__(self, question: Question, options: Options) -> None:
        if find_spec("z3") is None:
            raise BackendError(MISSING)
        self._question = question
        self._export = options.smt2

    def decide(self, theta: Fraction) -> Finding:
        """HOLDS with what Z3 found, or with couplings near it; UNKNOWN otherwise.

        Raises: Stopped, BackendError.
        """
        stats = new_stats()
        for formula in formulas_of(self._question):
            script = script_of(formula, theta, self._question.budget)
            if self._export is not None:
                write_text(self._export, script)
            outcome = ask_solver(solve_script, script, self._question.budget, stats)
            stats |= {"variables": script.count("(declare-const"), "assertions": script.count("(assert")}
            if outcome.status is SmtStatus.UNKNOWN:
                reason = f"Z3 gives up: {outcome.reason}"
                return Finding(Answer.UNKNOWN, reason=reason, stats=stats)
            if outcome.status is SmtStatus.SAT:
                evidence = _evidence(formula, outcome.values, theta, stats)
                if evidence is not None:
                    return Finding(Answer.HOLDS, upper=evidence, stats=stats)
                reason = "Z3's solution is not rational, and what is near it does not prove the threshold"
                return Finding(Answer.UNKNOWN, reason=reason, hint=Answer.HOLDS, stats=stats)
        reason = "Z3 says unsat, without a proof"
        return Finding(Answer.UNKNOWN, reason=reason, hint=Answer.VIOLATED, stats=stats)


def script_of(formula: Formula, theta: Fraction, budget: Budget) -> str:
    """The formula at a threshold as an SMT-LIB 2 script. Raises: Stopped."""
    lines = [
        "; BD-THRESHOLD: is there a table with d(query) <= theta that Gamma does not raise?",
        "(set-logic QF_NRA)",
    ]
    for pair in formula.free:
        lines += [f"(declare-const d{pair} Real)", f"(assert (and (<= 0 d{pair}) (<= d{pair} 1)))"]
    lines.append(f"(assert (<= {_value(formula, formula.query)} {_number(to_fmpq(theta))}))")
    for inequality in formula.open_inequalities:
        budget.check()
        lines += _assertions(formula, inequality)
    return "\n".join([*lines, ""])


def _assertions(formula: Formula, inequality: Inequality) -> list[str]:
    lines: list[str] = []
    cost = [_number(inequality.leak)]
    alpha = _number(formula.space.alpha)
    for term in inequality.terms:
        sent: dict[int, list[str]] = {i: [] for i in term.states}
        received: dict[int, list[str]] = {i: [] for i in term.states}
        for i, j in term.arcs():
            pair = formula.space.number[i, j]
            if formula.fixed.get(pair, ZERO) >= ONE:
                continue  # an arc at distance 1 is no better than a leak
            w = _weight(inequality, i, j)
            lines += [f"(declare-const {w} Real)", f"(assert (and (<= 0 {w}) (<= {w} 1)))"]
            sent[i].append(w)
            received[j].append(w)
            cost.append(f"(* {w} {_value(formula, pair)})")
        for i, c in zip(term.states, term.coefficients, strict=True):
            if c > 0:
                b = _leak(inequality, i)
                lines += [f"(declare-const {b} Real)", f"(assert (<= 0 {b}))"]
                sent[i].append(b)
                cost.append(b)
            lines.append(f"(assert (>= {_sum(sent[i])} (+ {_number(c)} (* {alpha} {_sum(received[i])}))))")
    return [*lines, f"(assert (<= {_sum(cost)} d{inequality.pair}))"]


def _evidence(
    formula: Formula, values: dict[str, Fraction], theta: Fraction, stats: Stats
) -> UpperEvidence | None:
    """The solver's solution; where it does not satisfy the formula exactly, couplings that are near it."""

    def read(name: str) -> fmpq:
        return to_fmpq(values.get(name, Fraction(0)))

    couplings: dict[tuple[int, Direction], Coupling] = {}
    for inequality in formula.open_inequalities:
        arcs = [arc for term in inequality.terms for arc in term.arcs()]
        states = [i for term in inequality.terms for i in term.states]
        couplings[inequality.pair, inequality.direction] = Coupling(
            {(i, j): read(_weight(inequality, i, j)) for i, j in arcs},
            {i: read(_leak(inequality, i)) for i in states},
        )
    table = {pair: read(f"d{pair}") for pair in formula.free}
    try:
        return evidence_of(formula, table, couplings)
    except InternalError:
        return evidence_from_table(formula, table, theta, stats)


def _weight(inequality: Inequality, i: int, j: int) -> str:
    return f"w{inequality.pair}.{int(inequality.direction)}.{i}.{j}"


def _leak(inequality: Inequality, i: int) -> str:
    return f"b{inequality.pair}.{int(inequality.direction)}.{i}"


def _value(formula: Formula, pair: int) -> str:
    return _number(formula.fixed[pair]) if pair in formula.fixed else f"d{pair}"


def _number(x: fmpq) -> str:
    if x < 0:
        return f"(- {_number(-x)})"
    return f"{x.p}.0" if x.q == 1 else f"(/ {x.p} {x.q})"


def _sum(terms: Iterable[str]) -> str:
    listed = list(terms)
    return "0.0" if not listed else listed[0] if len(listed) == 1 else f"(+ {' '.join(listed)})"
