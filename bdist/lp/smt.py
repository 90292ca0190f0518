"""Z3 on scripts in SMT-LIB 2, for formulas over the reals: nonlinear ones, unless a script says otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from bdist.errors import BackendError

MISSING = "the backend smt needs Z3; install it with: pip install 'bdist[smt]'"

_LOGIC = re.compile(r"\(set-logic (QF_[A-Z]+)\)")


class SmtStatus(Enum):
    """What the solver says."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class SmtOutcome:
    """The solver's answer; with SAT the values of the declared constants, with UNKNOWN its reason.

    An algebraic value that is not rational is cut to a rational nearby; whoever uses it checks it anyway.
    """

    status: SmtStatus
    values: dict[str, Fraction]
    reason: str = ""


def solve_script(script: str) -> SmtOutcome:
    """Run Z3 on a script of declarations and assertions, in the logic that it names.

    Raises: BackendError where Z3 is not installed.
    """
    try:
        import z3
    except ImportError:
        raise BackendError(MISSING) from None
    logic = _LOGIC.search(script)
    solver = z3.SolverFor("QF_NRA" if logic is None else logic[1])
    solver.from_string(script)
    answer = solver.check()
    if answer == z3.unsat:
        return SmtOutcome(SmtStatus.UNSAT, {})
    if answer != z3.sat:
        return SmtOutcome(SmtStatus.UNKNOWN, {}, str(solver.reason_unknown()))
    model = solver.model()
    values = {}
    for declaration in model.decls():
        value = model[declaration]
        if z3.is_algebraic_value(value):
            value = value.approx(40)
        values[declaration.name()] = Fraction(
            int(value.numerator_as_long()), int(value.denominator_as_long())
        )
    return SmtOutcome(SmtStatus.SAT, values)


def solve_scripts(scripts: tuple[str, ...]) -> SmtOutcome:
    """Run Z3 on scripts, one after the other, up to the first that is satisfiable or not decided.

    Raises: BackendError where Z3 is not installed.
    """
    for script in scripts:
        outcome = solve_script(script)
        if outcome.status is not SmtStatus.UNSAT:
            return outcome
    return SmtOutcome(SmtStatus.UNSAT, {})
