"""What must hold of a hidden Markov model: SPEC-PUFFERFISH section 1, with messages for its author.

A distribution with parameters must be one for all their values: every entry nowhere negative on the ranges,
which Bernstein coefficients show, and the sum equal to 1 as a polynomial identity. A prior that sums to 1 for
some p only is refused with what it sums to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NoReturn

from bdist.errors import ModelError
from bdist.exact.bernstein import shown_nonnegative
from bdist.exact.formulas import LETTERS, MOST_PARAMETERS, beyond_limits
from bdist.exact.polynomials import Entry, added, entry_text, plain, polynomial_text
from bdist.exact.reading import rational_text, sum_over_one_denominator
from bdist.pufferfish.model import HiddenMarkovModel, Prior, Scenario, resembling


def check_model(model: HiddenMarkovModel) -> None:
    """Raises: ModelError; its ``state`` is the state, or the kind and name of what else is wrong."""
    _check_parameters(model)
    if not model.states:
        raise ModelError("a hidden Markov model needs at least one state")
    _check_names(model)
    for state in model.states:
        place = f"state '{state.name}'"
        _refuse_twice([o for o, _ in state.observations], f"{place} shows", state.name)
        _check_distribution(
            model, [e for _, e in state.observations], f"the observations of {place}", state.name
        )
        if state.row is not None:
            _check_row(model, state.row, f"the row of {place}", state.name)
    for initial in model.initials:
        _check_row(
            model, initial.row, f"the initial distribution '{initial.name}'", f"initial {initial.name}"
        )
    _check_end_is_seen(model)
    for scenario in model.scenarios:
        for prior in scenario.priors:
            _check_prior(model, prior)
        _check_scenario(model, scenario)


def _check_parameters(model: HiddenMarkovModel) -> None:
    if len(model.parameters) > MOST_PARAMETERS:
        raise ModelError(f"there are {len(model.parameters)} parameters; at most {MOST_PARAMETERS} are read")
    _refuse_twice([parameter.name for parameter in model.parameters], "the model declares parameter", "")
    for parameter in model.parameters:
        key = f"parameter {parameter.name}"
        if not LETTERS.fullmatch(parameter.name):
            raise ModelError(
                f"the parameter name '{parameter.name}' must be letters, digits and _", state=key
            )
        if not parameter.low < parameter.high:
            ends = f"{rational_text(parameter.low)} to {rational_text(parameter.high)}"
            raise ModelError(f"the range of parameter '{parameter.name}' is empty: {ends}", state=key)


def _check_names(model: HiddenMarkovModel) -> None:
    kinds: dict[str, str] = {}
    secrets = {s for prior in model.priors.values() for case in prior.cases for s in case.secrets}
    scenario_priors = [prior.name for scenario in model.scenarios for prior in scenario.priors]
    for kind, names in (
        ("state", [state.name for state in model.states]),
        ("initial distribution", [initial.name for initial in model.initials]),
        ("secret", sorted(secrets)),
    ):
        for name in names:
            _check_text(kind, name)
            if name in kinds:
                what = f"twice: as {kinds[name]} and as {kind}" if kinds[name] != kind else "twice"
                key = name if kind != "initial distribution" else f"initial {name}"
                raise ModelError(f"{kind} '{name}' is declared {what}", state=key)
            kinds[name] = kind
    for observation in model.observations:
        _check_text("observation", observation)
    for scenario in model.scenarios:
        _check_text("scenario", scenario.name)
    for name in scenario_priors:
        _check_text("prior", name)
    _check_text("model name", model.name)
    _refuse_twice(scenario_priors, "the model declares prior", "")
    _refuse_twice([scenario.name for scenario in model.scenarios], "the model declares scenario", "")


def _check_text(kind: str, text: str) -> None:
    if any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise ModelError(f"{kind} {text!r} holds a control character or half of a surrogate pair")


def _check_row(model: HiddenMarkovModel, row: Sequence[tuple[int, Entry]], what: str, key: str) -> None:
    for target, _ in row:
        if not 0 <= target < len(model.states):
            raise ModelError(f"{what} names state number {target} of {len(model.states)}", state=key)
    _refuse_twice([model.states[target].name for target, _ in row], f"{what} names", key)
    _check_distribution(model, [entry for _, entry in row], what, key)


def _check_prior(model: HiddenMarkovModel, prior: Prior) -> None:
    what, key = f"the prior '{prior.name}'", f"prior {prior.name}"
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for case in prior.cases:
        if not 0 <= case.state < len(model.states):
            raise ModelError(f"{what} names state number {case.state} of {len(model.states)}", state=key)
        if list(case.secrets) != sorted(set(case.secrets)):
            raise ModelError(
                f"{what} has a case whose secrets are not sorted, or one is there twice", state=key
            )
        if (case.state, case.secrets) in seen:
            name = model.states[case.state].name
            raise ModelError(f"{what} has two cases with state '{name}' and the same secrets", state=key)
        seen.add((case.state, case.secrets))
    possible = [case.probability for case in prior.cases if case.probability != 0]
    _check_distribution(model, possible, what, key)


def _check_scenario(model: HiddenMarkovModel, scenario: Scenario) -> None:
    what, key = (
        f"scenario '{scenario.name}'" if scenario.name else "the scenario",
        f"scenario {scenario.name}",
    )
    if not scenario.neighbours:
        raise ModelError(f"{what} has no pair; write: pair A B", state=key)
    secrets = {s for prior in scenario.priors for case in prior.cases for s in case.secrets}
    starts = [*model.numbers, *model.initials_by_name]
    for neighbours in scenario.neighbours:
        sides = (neighbours.first, neighbours.second)
        for side in sides:
            if side not in starts and side not in secrets:
                known = resembling(side, [*starts, *secrets])
                raise ModelError(
                    f"{what} compares '{side}', which is no state, initial distribution or secret{known}",
                    state=key,
                )
        if (sides[0] in secrets) != (sides[1] in secrets):
            raise ModelError(f"{what} compares a secret with a start: '{sides[0]}', '{sides[1]}'", state=key)
        if sides[0] == sides[1]:
            raise ModelError(f"{what} compares '{sides[0]}' with itself", state=key)
        for prior in scenario.priors if sides[0] in secrets else ():
            for side in sides:
                if not any(side in case.secrets and case.probability != 0 for case in prior.cases):
                    raise ModelError(
                        f"the secret '{side}' has probability 0 under the prior '{prior.name}', so nothing "
                        "can be conditioned on it",
                        state=f"prior {prior.name}",
                    )
    lengths = scenario.lengths
    if lengths is not None and not (
        lengths.least >= 1 and (lengths.most is None or lengths.least <= lengths.most)
    ):
        raise ModelError(f"{what} asks for words of length {lengths.text}", state=key)
    if lengths is not None and lengths.most is None and lengths.least > 1:
        raise ModelError(
            f"{what} asks for words of any length, from {lengths.least} on; begin with 1", state=key
        )


def _check_end_is_seen(model: HiddenMarkovModel) -> None:
    shown = {o: state.name for state in model.states if state.row is not None for o, _ in state.observations}
    for state in model.states:
        for observation, _ in state.observations if state.row is None else ():
            if observation in shown:
                raise ModelError(
                    f"state '{state.name}' halts and shows '{observation}', as state '{shown[observation]}' "
                    "does, which goes on; an observer must see that a run has ended",
                    state=state.name,
                )


def _check_distribution(model: HiddenMarkovModel, entries: list[Entry], what: str, key: str) -> None:
    """Raises: ModelError where an entry may be negative or the sum is not 1."""
    numbers = [entry for entry in entries if isinstance(entry, Fraction)]
    for entry in entries:
        if entry == 0:
            raise ModelError(f"{what} lists an entry with probability 0; leave it out", state=key)
        if isinstance(entry, Fraction) and entry < 0:
            raise ModelError(f"{what} has the negative probability {rational_text(entry)}", state=key)
        if not isinstance(entry, Fraction):
            _check_entry(model, entry, what, key)
    if len(numbers) == len(entries):
        found = sum_over_one_denominator(numbers)
        if found is None:
            raise ModelError(f"{what} has too long a common denominator", state=key)
        if found[0] != found[1]:
            raise ModelError(f"{what} sums to {rational_text(Fraction(*found))}, not to 1", state=key)
        return
    above, below = model.ring.constant(0), model.ring.constant(1)
    for entry in entries:
        above, below = added((above, below), model.ring.fraction_of(entry))
        excess = beyond_limits((above, below))
        if excess:
            raise ModelError(f"{what} sums to a formula with {excess}", state=key)
    if above != below:
        names = model.ring.names
        text = polynomial_text(plain(above), names)
        if not below.is_constant():
            text = f"({text})/({polynomial_text(plain(below), names)})"
        _refuse_sum(model, text, what, key)


def _refuse_sum(model: HiddenMarkovModel, text: str, what: str, key: str) -> NoReturn:
    shown = text if len(text) <= 80 else text[:77] + "..."
    every = ", ".join(model.ring.names)
    raise ModelError(f"{what} sums to {shown}, which is not 1 for every {every}", state=key)


def _check_entry(model: HiddenMarkovModel, entry: Entry, what: str, key: str) -> None:
    above, below = model.ring.fraction_of(entry)
    for part, name in ((below, "denominator"), (above, "numerator")):
        if not shown_nonnegative(part, model.box):
            shown = entry_text(entry, model.ring.names)
            ranges = ", ".join(
                f"{x} in [{rational_text(low)}, {rational_text(high)}]"
                for x, (low, high) in zip(model.ring.names, model.box, strict=True)
            )
            raise ModelError(
                f"{what} has the entry {shown if len(shown) <= 80 else shown[:77] + '...'}, whose {name} "
                f"is negative, or not shown to be at least 0, for {ranges}",
                state=key,
            )


def _refuse_twice(names: Iterable[str], what: str, key: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"{what} '{name}' twice", state=key)
        seen.add(name)
