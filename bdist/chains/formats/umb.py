"""UMB, the unified Markov binary: the exchange format of Storm, PRISM and Modest.

A ``.umb`` file is a compressed archive of tables (states to choices, choices to branches, branches to targets
and probabilities) with an index in JSON. It is read and written by the package umbi (the extra ``umb``), and
probabilities that it has as rationals stay what they are. Doubles are taken for the decimals that Python
prints, like those of a ``.tra`` file: a row that does not sum to 1 is refused, or repaired on request.

Atomic propositions are labels as in the other explicit formats (`propositions`). Where the file says what
values the variables have in a state, and no two states agree in all, states are called so: ``x=3,done=true``.
Markov chains are read; other models are refused by name.

A stranger's archive may unpack to anything, so its size is looked at first, and umbi works in a process of
its own. What comes back are tables of numbers, which are not trusted further than those of a text.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.formats import ReadOptions, Writing, numbered_names_loss, numbered_states
from bdist.chains.formats.propositions import INITIAL, chain_of, propositions_of, spell
from bdist.chains.formats.rounding import repaired_rows, rounding_hint
from bdist.errors import BackendError, ModelError, ParameterError, UnsupportedError
from bdist.printing import beginning, one_line
from bdist.text.scanner import Numbers, Place

_TERM_BITS = 64  # of a numerator with its sign, and of a denominator, as umbi 0.2.5 writes them
MISSING = "UMB files are read and written with umbi; install it with: pip install 'bdist[umb]'"
UNPACKED_BYTES = 2**30


def load(path: Path, options: ReadOptions) -> LabelledMarkovChain:
    """Read a file. Raises: FormatError, ModelError, ParameterError, BackendError."""
    if find_spec("umbi") is None:
        raise BackendError(MISSING)
    place = Place(path)
    _check_size(path, place)
    from bdist.processes import call  # takes longer to load than most model files

    budget = Budget.for_answer(options.time_limit)
    try:
        tables = call(tables_of, str(path.resolve()), budget, name="umbi").result
    except Stopped:
        raise BackendError(f"{path}: umbi did not read it: {budget.exhausted()}") from None
    except BackendError as error:
        raise type(error)(f"{path}: {one_line(str(error))}") from None
    if "error" in tables:
        place.refuse(f"not a UMB file: {beginning(tables['error'])}")
    if tables["players"] == 1:
        place.refuse_process()
    if tables["players"] != 0 or tables["time"] != "discrete":
        place.refuse(f"a model of {tables['players']} players in {tables['time']} time is no Markov chain")
    return _chain(tables, options, place)


def tables_of(path: str) -> dict[str, Any]:
    """The tables of a file as lists, in the process of umbi; or an error."""
    import umbi.umb

    try:
        umb = umbi.umb.read(path)
        umb.validate()
        system, aps = umb.index.transition_system, (umb.annotations or {}).get("aps", {})
        described = (umb.index.annotations or {}).get("aps", {}) if umb.index.annotations else {}
        return {
            "players": system.num_players,
            "time": str(getattr(system.time, "value", system.time)),
            "initial": list(umb.state_is_initial),
            "choices": None if umb.state_to_choices is None else list(umb.state_to_choices),
            "branches": list(umb.choice_to_branches),
            "targets": list(umb.branch_to_target),
            "probabilities": None if umb.branch_to_probability is None else list(umb.branch_to_probability),
            "labels": {_alias(described, key): list(values["states"]) for key, values in aps.items()},
            "values": (umb.valuations or {}).get("states"),
        }
    except Exception as error:  # whatever a stranger's archive leads to
        return {"error": f"{type(error).__name__}: {error}"}


def _alias(described: Any, key: str) -> str:
    return str(getattr(described.get(key), "alias", None) or key)


def write(chain: LabelledMarkovChain) -> Writing:
    """The chain as the bytes of a ``.umb`` file; the first state is the initial one.

    Raises: BackendError; UnsupportedError where a probability is longer than umbi writes.
    """
    if find_spec("umbi") is None:
        raise BackendError(MISSING)
    import umbi.ats

    for state, row in zip(chain.states, chain.rows, strict=True):
        for _, p in row:
            if p.numerator.bit_length() >= _TERM_BITS or p.denominator.bit_length() > _TERM_BITS:
                raise UnsupportedError(
                    f"state '{state}' has a probability with more than {_TERM_BITS} bits, which umbi does "
                    "not write; write another format"
                )
    model = umbi.ats.ExplicitAts()
    model.num_initial_states = 1
    for row in chain.rows:
        choice = model.add_state_choice(state=model.add_state())
        for target, probability in row:
            choice.add_branch(target=target, prob=probability)
    model.set_initial_states([0])
    sets = {label: frozenset(propositions_of(label)) for label in chain.states_by_label}
    for k, name in enumerate(sorted(frozenset().union(*sets.values()))):
        # what it is called in the archive is part of a path there; the alias is its name
        proposition = model.add_ap_annotation(name=f"label{k}", alias=spell(name))
        proposition.set_state_values([name in sets[label] for label in chain.labels])
    with tempfile.TemporaryDirectory(prefix="bdist-umb-") as folder:
        made = Path(folder) / "model.umb"
        umbi.ats.write(model, made)
        return Writing({".umb": made.read_bytes()}, numbered_names_loss(chain))


def _check_size(path: Path, place: Place) -> None:
    """Raises: FormatError where it is no archive, or one that unpacks to too much."""
    try:
        with tarfile.open(path, "r:*") as archive:
            total = 0
            for member in archive:
                total += member.size
                if total > UNPACKED_BYTES:
                    place.refuse(f"it unpacks to more than {UNPACKED_BYTES} bytes")
    except (tarfile.TarError, EOFError, ValueError, OSError) as error:
        place.refuse(f"not a UMB file, which is a compressed archive: {beginning(str(error))}")


def _chain(tables: dict[str, Any], options: ReadOptions, place: Place) -> LabelledMarkovChain:
    count, numbers = len(tables["initial"]), Numbers()
    choices = tables["choices"] or list(range(count + 1))
    if tables["probabilities"] is None or len(choices) != count + 1:
        place.refuse("its tables do not fit together, or have no probabilities")
    rows: list[Row] = []
    for state, (first, end) in enumerate(pairwise(choices)):
        if end - first > 1:
            place.refuse(f"state {state} has {end - first} choices; this is no Markov chain")
        try:
            rows.append(_row(tables, first, count, numbers) if end > first else ())
        except (ParameterError, IndexError, TypeError) as error:
            place.refuse(f"state {state}: {beginning(str(error))}")
    labels: list[set[str]] = [{INITIAL} if first else set() for first in tables["initial"]]
    for name, states in tables["labels"].items():
        for names, holds in zip(labels, states, strict=True):
            if holds:
                names.add(name)
    rows = repaired_rows(rows, numbers, options, place.source)
    known = {INITIAL, *tables["labels"]}
    states = _names(tables["values"], count)
    try:
        return chain_of(rows, labels, states, options, known, place.source)
    except ModelError as error:
        raise place.model_error(error, 0, rounding_hint(numbers, options.repair)) from None


def _row(tables: dict[str, Any], choice: int, count: int, numbers: Numbers) -> Row:
    row: dict[int, Fraction] = {}
    for branch in range(tables["branches"][choice], tables["branches"][choice + 1]):
        target, value = tables["targets"][branch], tables["probabilities"][branch]
        if not 0 <= target < count:
            raise ParameterError(f"it goes to state {target} of {count}")
        if not isinstance(value, float | int | Fraction):
            raise ParameterError("its probabilities are intervals")
        probability = numbers(repr(value)) if isinstance(value, float) else Fraction(value)
        row[target] = row.get(target, Fraction(0)) + probability
    return tuple(sorted((j, p) for j, p in row.items() if p))


def _names(values: Sequence[dict[str, Any]] | None, count: int) -> tuple[str, ...]:
    """The names of states by the values of their variables, or by number."""
    named = tuple(",".join(f"{k}={str(v).lower()}" for k, v in state.items()) for state in values or ())
    return named if len(set(named)) == count and all(named) else numbered_states(count)
