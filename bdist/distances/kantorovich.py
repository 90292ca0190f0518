"""The skewed Kantorovich lifting K_alpha, from a distance on states to one on distributions.

With c = mu - alpha nu, the directed program and its dual are

    primal    max sum f_i c_i                     0 <= f <= 1,  f_i - alpha f_j <= d(i,j)
    dual      min sum omega_ij d(i,j) + sum beta_i
              omega, beta >= 0,  sum_j omega_ij + beta_i - alpha sum_j omega_ji >= c_i

and K_alpha(d)(mu, nu) is the larger of the program and its mirror image with mu and nu exchanged (Definition
10 of Chistikov, Murawski and Purser).

The paper's Lemma 3 states the dual without beta, the multiplier of f <= 1, and in other variables:

    printed   min sum omega_ij d(i,j)
              sum_j omega_ij + tau_i - gamma_i = mu_i,  sum_i omega_ij + (tau_j - gamma_j)/alpha <= nu_j

with everything in [0,1]. That is *not* equal to the primal in general: with mu = a, nu = (b+c)/2, d(a,b) = 1,
d(a,c) = d(b,c) = 0 and alpha = 11/10 the primal and the dual are 1/22, the printed form 1/2. The printed form
can only be larger. It is offered for comparison; every distance in this package uses the primal and its true
dual. tau and gamma of a dual solution are derived: tau_i - gamma_i = mu_i - beta_i - sum_j omega_ij, split by
sign.

This module is the readable, general form, for any symmetric d and without any pruning. The solver of `lift`
is the fast one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from bdist.errors import InternalError, ParameterError
from bdist.exact.rationals import ONE, ZERO, as_rational, rational_text, to_fmpq, to_fraction
from bdist.lp import Engine, engine_named, solve
from bdist.lp.program import LinearProgram
from bdist.report import Answered, OneLine

FORMS = ("primal", "dual", "printed")

Numbers = Mapping[str, Fraction | int | str]


@dataclass(frozen=True, repr=False)
class Transport(OneLine):
    """A dual solution, its positive entries: omega, beta, and the paper's tau and gamma."""

    omega: Mapping[tuple[str, str], Fraction]
    beta: Mapping[str, Fraction]
    tau: Mapping[str, Fraction]
    gamma: Mapping[str, Fraction]


@dataclass(frozen=True, repr=False)
class DirectedKantorovich(OneLine):
    """One of the two programs: its value, an optimal f (None if printed) and an optimal transport."""

    value: Fraction
    f: Mapping[str, Fraction] | None
    transport: Transport


@dataclass(frozen=True, repr=False)
class Kantorovich(Answered):
    """Both programs: forward from mu to nu, backward from nu to mu; the value is the larger one."""

    form: str
    alpha: Fraction
    forward: DirectedKantorovich
    backward: DirectedKantorovich

    @property
    def value(self) -> Fraction:
        """K_alpha(d)(mu, nu) in the chosen form, exactly."""
        return max(self.forward.value, self.backward.value)


def kantorovich(
    mu: Numbers,
    nu: Numbers,
    d: Mapping[tuple[str, str], Fraction | int | str],
    alpha: Fraction | int | str,
    *,
    form: str = "primal",
    backend: str = "highs",
) -> Kantorovich:
    """The skewed Kantorovich distance of two distributions, exactly, in one of three forms.

    Requires: mu and nu sum to 1; d gives a number in [0,1] for every two states in one order or the other,
    the same if in both (d(i,i) never matters); all numbers are Fraction, int or str. The states are those
    named by mu, nu or d.
    Ensures: the primal and the dual form agree with ==; the printed form is at least as large.
    Raises: ParameterError.
    """
    if form not in FORMS:
        raise ParameterError(f"there is no form '{form}'; choose one of {', '.join(FORMS)}")
    engine = engine_named(backend)
    skew = as_rational(alpha, "alpha")
    if skew < 1:
        raise ParameterError(f"alpha = {rational_text(skew)} is below 1; alpha = e^epsilon is at least 1")
    states = tuple(dict.fromkeys([*mu, *nu, *(state for pair in d for state in pair)]))
    problem = _Problem(
        states,
        to_fmpq(skew),
        _distribution(mu, "mu", states),
        _distribution(nu, "nu", states),
        _table(d, states),
    )
    mirrored = _Problem(states, problem.alpha, problem.nu, problem.mu, problem.d)
    solver = {"primal": _primal, "dual": _dual, "printed": _printed}[form]
    return Kantorovich(form, skew, solver(problem, engine), solver(mirrored, engine))


@dataclass(frozen=True)
class _Problem:
    states: tuple[str, ...]
    alpha: fmpq
    mu: Sequence[fmpq]
    nu: Sequence[fmpq]
    d: Mapping[tuple[int, int], fmpq]

    @property
    def objective(self) -> list[fmpq]:
        return [m - self.alpha * n for m, n in zip(self.mu, self.nu, strict=True)]

    def transport(self, omega: Mapping[tuple[int, int], fmpq], beta: Sequence[fmpq]) -> Transport:
        names = self.states
        route = [m - b for m, b in zip(self.mu, beta, strict=True)]
        for (i, _), weight in omega.items():
            route[i] -= weight
        return Transport(
            {(names[i], names[j]): to_fraction(x) for (i, j), x in omega.items() if x},
            {names[i]: to_fraction(x) for i, x in enumerate(beta) if x},
            {names[i]: to_fraction(x) for i, x in enumerate(route) if x > 0},
            {names[i]: to_fraction(-x) for i, x in enumerate(route) if x < 0},
        )

    def function(self, values: Sequence[fmpq]) -> dict[str, Fraction]:
        return {name: to_fraction(x) for name, x in zip(self.states, values, strict=True)}


def _primal(problem: _Problem, engine: Engine) -> DirectedKantorovich:
    arcs = list(problem.d)
    rows = [((i, ONE), (j, -problem.alpha)) for i, j in arcs]
    program = LinearProgram(
        problem.objective, rows, [problem.d[arc] for arc in arcs], [ONE] * len(problem.states)
    )
    optimum = solve(program, engine)
    if optimum is None:
        raise InternalError("the primal Kantorovich program is feasible with f = 0 and was found not to be")
    omega = dict(zip(arcs, optimum.row_multipliers, strict=True))
    transport = problem.transport(omega, optimum.cap_multipliers)
    return DirectedKantorovich(to_fraction(optimum.value), problem.function(optimum.point), transport)


def _dual(problem: _Problem, engine: Engine) -> DirectedKantorovich:
    """The dual as a program of its own; its row multipliers are f.

    Our programs are boxed. If a box of side ``cap`` binds at the optimum, as its multipliers tell, the box is
    doubled.
    """
    arcs, count = list(problem.d), len(problem.states)
    rows: list[list[tuple[int, fmpq]]] = [[] for _ in range(count)]
    for column, (i, j) in enumerate(arcs):
        rows[i].append((column, -ONE))
        rows[j].append((column, problem.alpha))
    for i in range(count):
        rows[i].append((len(arcs) + i, -ONE))
    objective = [-problem.d[arc] for arc in arcs] + [-ONE] * count
    cap = ONE
    while True:
        program = LinearProgram(objective, rows, [-c for c in problem.objective], [cap] * len(objective))
        optimum = solve(program, engine)
        if optimum is not None and not any(optimum.cap_multipliers):
            break
        cap += cap
    omega = dict(zip(arcs, optimum.point, strict=False))
    transport = problem.transport(omega, optimum.point[len(arcs) :])
    return DirectedKantorovich(
        to_fraction(-optimum.value), problem.function(optimum.row_multipliers), transport
    )


def _printed(problem: _Problem, engine: Engine) -> DirectedKantorovich:
    """Lemma 3 to the letter: omega (omega_ii is free), then tau, then gamma, all in [0,1]."""
    count = len(problem.states)
    arcs = [(i, j) for i in range(count) for j in range(count)]
    tau, gamma = len(arcs), len(arcs) + count
    rows: list[list[tuple[int, fmpq]]] = []
    limits: list[fmpq] = []
    for i in range(count):
        row = [(i * count + j, ONE) for j in range(count)] + [(tau + i, ONE), (gamma + i, -ONE)]
        rows += [row, [(column, -entry) for column, entry in row]]  # an equation is two inequalities
        limits += [problem.mu[i], -problem.mu[i]]
        shrunk = ONE / problem.alpha
        rows.append([(k * count + i, ONE) for k in range(count)] + [(tau + i, shrunk), (gamma + i, -shrunk)])
        limits.append(problem.nu[i])
    objective = [-problem.d.get(arc, ZERO) for arc in arcs] + [ZERO] * (2 * count)
    optimum = solve(LinearProgram(objective, rows, limits, [ONE] * len(objective)), engine)
    if optimum is None:
        raise InternalError("the printed dual is feasible with the product coupling and was found not to be")
    names = problem.states
    transport = Transport(
        {(names[i], names[j]): to_fraction(x) for (i, j), x in zip(arcs, optimum.point, strict=False) if x},
        {},
        {name: to_fraction(x) for name, x in zip(names, optimum.point[tau:gamma], strict=True) if x},
        {name: to_fraction(x) for name, x in zip(names, optimum.point[gamma:], strict=True) if x},
    )
    return DirectedKantorovich(to_fraction(-optimum.value), None, transport)


def _distribution(given: Numbers, what: str, states: tuple[str, ...]) -> list[fmpq]:
    values = {state: as_rational(x, f"{what}({state})") for state, x in given.items()}
    for state, x in values.items():
        if x < 0:
            raise ParameterError(f"{what}({state}) = {rational_text(x)} is negative")
    total = sum(values.values(), Fraction(0))
    if total != 1:
        raise ParameterError(f"{what} sums to {rational_text(total)}, not to 1")
    return [to_fmpq(values.get(state, Fraction(0))) for state in states]


def _table(given: Mapping[tuple[str, str], Any], states: tuple[str, ...]) -> dict[tuple[int, int], fmpq]:
    """d on all ordered pairs of different states, checked to be complete, symmetric and within [0,1]."""
    read = {pair: as_rational(x, f"d{pair}") for pair, x in given.items()}
    table: dict[tuple[int, int], fmpq] = {}
    for i, first in enumerate(states):
        for j, second in enumerate(states):
            if i == j:
                continue
            value = read.get((first, second), read.get((second, first)))
            if value is None:
                raise ParameterError(
                    f"d({first}, {second}) is missing; d must cover every two states of mu, nu and d"
                )
            if not 0 <= value <= 1:
                raise ParameterError(f"d({first}, {second}) = {rational_text(value)} is outside [0, 1]")
            if read.get((second, first), value) != value:
                raise ParameterError(
                    f"d({first}, {second}) and d({second}, {first}) differ; d must be symmetric"
                )
            table[i, j] = to_fmpq(value)
    return table
