"""The cleared form of a hidden Markov model: polynomials in place of quotients, SPEC-PUFFERFISH section 1.

Both sides of a pair are multiplied by the same denominators, so ratios stay what they are, and what is left
are polynomials. Where a certificate speaks of one point, every formula is evaluated there first. What
remains is a model without parameters, whose denominators are 1; ``per_step`` is the factor by which the
specification multiplies a step of it all the same, as bounds on growth depend on that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..core.chain import shown
from ..core.digits import brief, size
from ..core.limits import Work
from ..core.steps import Rejected
from .document import PairName, Point
from .formulas import Formula
from .model import Case, HiddenModel, State
from .polynomials import Exponents, RationalPolynomial, add, constant, multiply, product, value_at

Side = dict[int, RationalPolynomial]
_Key = frozenset[tuple[Exponents, Fraction]]


class ClearedModel(NamedTuple):
    """What states show, with O(s, o), their rows, with P(s, t), and the sides of all pairs.

    A state that halts has an empty row.
    """

    observed: list[dict[str, RationalPolynomial]]
    rows: list[Side]
    roots: list[tuple[Side, Side]]


def specialised(model: HiddenModel, at: Point, work: Work) -> tuple[HiddenModel, Fraction]:
    """The model at one point, and Δ_O Δ_P there. Raises: Rejected, TooLarge."""
    point = _read_point(model, at)
    values: dict[int, Formula] = {}

    def evaluated(formula: Formula) -> Formula:
        found = values.get(id(formula))
        if found is None:
            below = value_at(formula.den, point, work)
            if not below:
                raise Rejected("at", "a denominator of the model is 0 there")
            above = value_at(formula.num, point, work)
            work.reduce(size(above) + size(below))
            found = values[id(formula)] = Formula(constant(above / below, 0), {(): Fraction(1)})
        return found

    def row(entries: dict[int, Formula]) -> dict[int, Formula]:
        found = {number: evaluated(formula) for number, formula in entries.items()}
        return {number: formula for number, formula in found.items() if formula.num}

    states = []
    for name, observed, next_states in model.states:
        seen = {o: evaluated(formula) for o, formula in observed.items()}
        present = {o: formula for o, formula in seen.items() if formula.num}
        states.append(State(name, present, None if next_states is None else row(next_states)))
    initials = {name: row(entries) for name, entries in model.initials.items()}
    priors = {
        name: tuple(Case(state, secrets, evaluated(formula)) for state, secrets, formula in cases)
        for name, cases in model.priors.items()
    }
    per_step = Fraction(1)
    for formulas in (_observation_formulas(model), _row_formulas(model)):
        for den in _different(formulas).values():
            factor = value_at(den, point, work)
            work.reduce(size(per_step) + size(factor))
            per_step *= factor
    return HiddenModel((), tuple(states), initials, priors), per_step


def _read_point(model: HiddenModel, at: Point) -> list[Fraction]:
    """The values of the parameters in their order, which must be in the interior. Raises: Rejected."""
    for name, value in at.items():
        if not any(name == parameter.name for parameter in model.parameters):
            raise Rejected("at", f"{shown(name)} is not a parameter of the model")
        _, low, high = next(parameter for parameter in model.parameters if parameter.name == name)
        if not low < value < high:
            raise Rejected("at", f"{name} = {brief(value)} is not in the interior of its range")
    for parameter in model.parameters:
        if parameter.name not in at:
            raise Rejected("at", f"the parameter {parameter.name} has no value")
    return [at[parameter.name] for parameter in model.parameters]


def clear(model: HiddenModel, pairs: Sequence[PairName], work: Work) -> ClearedModel:
    """The cleared form, with the sides of these pairs. Raises: Rejected, TooLarge."""
    observing = _Clearing(model, _observation_formulas(model), work)
    moving = _Clearing(model, _row_formulas(model), work)
    return ClearedModel(
        observed=[{o: observing.of(p) for o, p in state.observed.items()} for state in model.states],
        rows=[moving.row(state.row or {}) for state in model.states],
        roots=[_kept(_root(model, index, pair, work), work) for index, pair in enumerate(pairs)],
    )


def _kept(root: tuple[Side, Side], work: Work) -> tuple[Side, Side]:
    """Count a root: a short list of pairs, each of large distributions, takes a lot of memory."""
    work.keep(sum(map(len, root)), 0)
    return root


def _root(model: HiddenModel, index: int, pair: PairName, work: Work) -> tuple[Side, Side]:
    """The root of a pair, not yet scaled."""
    if len(pair) == 3:
        return _secrets(model, index, pair, work)
    sides = []
    for name in pair:
        side = model.initials.get(name)
        if side is None:
            if name not in model.numbers:
                raise Rejected("pairs", f"pairs[{index}]: {shown(name)} is no state or initial distribution")
            one = constant(Fraction(1), len(model.parameters))
            side = {model.numbers[name]: Formula(one, one)}
        sides.append(side)
    clearing = _Clearing(model, [formula for side in sides for formula in side.values()], work)
    work.spend(sum(map(len, sides)))
    first, second = map(clearing.row, sides)
    return first, second


def _secrets(model: HiddenModel, index: int, pair: PairName, work: Work) -> tuple[Side, Side]:
    """Two secrets under a prior: each conditioned on itself, times the probabilities of both."""
    *secrets, prior = pair
    cases = model.priors.get(prior)
    if cases is None:
        raise Rejected("pairs", f"pairs[{index}]: {shown(prior)} is no prior of the model")
    clearing = _Clearing(model, [case.formula for case in cases], work)
    sides, totals = [], []
    for secret in secrets:
        side: Side = {}
        total: RationalPolynomial = {}
        for case in cases:
            if secret in case.secrets:
                found = clearing.of(case.formula)
                side[case.state] = add(side.get(case.state, {}), found, work)
                total = add(total, found, work)
        if not total:
            problem = f"the secret {shown(secret)} has probability 0 under {shown(prior)}"
            raise Rejected("pairs", f"pairs[{index}]: {problem}")
        sides.append(side)
        totals.append(total)
    first, second = (
        {state: multiply(p, total, work) for state, p in side.items() if p}
        for side, total in zip(sides, reversed(totals), strict=True)
    )
    return first, second


class _Clearing:
    """Formulas of one set, times the product of their different denominators."""

    def __init__(self, model: HiddenModel, formulas: Iterable[Formula], work: Work) -> None:
        self._work = work
        self._one = constant(Fraction(1), len(model.parameters))
        self._different = _different(formulas)
        self._others: dict[_Key, RationalPolynomial] = {}
        self._known: dict[int, RationalPolynomial] = {}

    def of(self, formula: Formula) -> RationalPolynomial:
        """One of the formulas in the cleared form."""
        found = self._known.get(id(formula))
        if found is None:
            if formula.den == self._one and len(self._different) == 1:
                found = formula.num
            else:
                found = multiply(formula.num, self._other_denominators(formula.den), self._work)
            self._known[id(formula)] = found
        return found

    def row(self, entries: dict[int, Formula]) -> Side:
        """A row, or a distribution, in the cleared form."""
        return {state: self.of(formula) for state, formula in entries.items()}

    def _other_denominators(self, den: RationalPolynomial) -> RationalPolynomial:
        key = frozenset(den.items())
        if key not in self._others:
            factors = (other for different, other in self._different.items() if different != key)
            self._others[key] = product(factors, self._one, self._work)
        return self._others[key]


def _observation_formulas(model: HiddenModel) -> Iterable[Formula]:
    return (formula for state in model.states for formula in state.observed.values())


def _row_formulas(model: HiddenModel) -> Iterable[Formula]:
    return (formula for state in model.states for formula in (state.row or {}).values())


def _different(formulas: Iterable[Formula]) -> dict[_Key, RationalPolynomial]:
    """The different denominators; those that are the same object are looked at once."""
    objects = {id(formula.den): formula.den for formula in formulas}
    return {frozenset(den.items()): den for den in objects.values()}
