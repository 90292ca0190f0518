"""Labelled Markov chains (Definition 1 of Chistikov, Murawski and Purser).

A chain is data: named states in the order of declaration, one label a state, and for every state a row of
exact probabilities. It is checked once, when it is made, and never changed after; nothing is repaired
silently. A row that sums to 999/1000 is a mistake that its author wants to hear of, and scaling it to 1 would
make every "exact" answer below exact about another chain.

Rows are stored as ``Fraction`` for users and, beside that, as integers over one denominator a row; that view
is made on demand and cached.

A certificate names its chain by a *fingerprint*. It must not be bound to a file's bytes (a comment or a blank
is not the model) nor carry the model itself (then it would prove something about its own copy). It is bound
to a canonical form: states sorted by name, each with its label and its row sorted by target, rationals in
lowest terms, as JSON without blanks in ASCII. Names of chains, order of declaration and zero entries do not
count. The checker builds the same form from the file by itself; certificates/SPEC.md is the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from operator import lt
from types import MappingProxyType
from typing import Any

from bdist.errors import ModelError, ParameterError
from bdist.exact.rationals import (
    ROW_BITS,
    ROWS_BITS,
    as_rational,
    counted,
    decimal_cut,
    rational_text,
    sum_over_one_denominator,
)
from bdist.report import OneLine, titled
from bdist.text.files import json_text, sha256_of
from bdist.text.scanner import check_characters, unknown_state

Row = tuple[tuple[int, Fraction], ...]

_LONGEST_SHOWN = 60
_LARGEST_SHOWN = 1_000_000


@dataclass(frozen=True)
class IntegerRow:
    """One row over its common denominator: ``targets[k]`` has probability ``numerators[k] / denominator``."""

    targets: tuple[int, ...]
    numerators: tuple[int, ...]
    denominator: int


@dataclass(frozen=True, repr=False)
class LabelledMarkovChain(OneLine):
    """States, labels and rows; ``rows[i]`` lists (target index, probability > 0) by increasing target.

    Make one with ``from_rows``, ``from_matrix`` or ``bdist.load``. Two chains are equal if states, labels and
    rows are, in order; the name is a caption and does not count.
    Raises: ModelError, naming the state, where a row is not a probability distribution or a name is unusable.
    """

    states: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[Row, ...]
    name: str = ""

    def __post_init__(self) -> None:
        if not self.states:
            raise ModelError("a chain needs at least one state")
        if not len(self.states) == len(self.labels) == len(self.rows):
            counts = f"{len(self.states)} states, {len(self.labels)} labels and {len(self.rows)} rows"
            raise ModelError(f"{counts}; the numbers must agree")
        _check_names(self.states, self.labels, self.name)
        bits, count = 0, len(self.states)
        # A file states few probabilities many times, and its reader makes one object of each: rows of the
        # same objects are distributions if one is. The rows keep these objects alive.
        known: dict[tuple[int, ...], int] = {}
        for state, row in zip(self.states, self.rows, strict=True):
            targets, key = [j for j, _ in row], tuple([id(p) for _, p in row])
            length = known.get(key)
            if length is None or targets[-1] >= count or not all(map(lt, [-1, *targets], targets)):
                length = known[key] = _check_row(state, row, self.states)
            bits += len(row) * length
            if bits > ROWS_BITS:
                raise ModelError(
                    f"the rows up to that of state '{state}' have more than {ROWS_BITS} bits over common "
                    "denominators",
                    state=state,
                )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelledMarkovChain):
            return NotImplemented
        return (self.states, self.labels, self.rows) == (other.states, other.labels, other.rows)

    def __hash__(self) -> int:
        return hash((self.states, self.labels, self.rows))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without the views that are made on demand, and checked again where it arrives."""
        return type(self), (self.states, self.labels, self.rows, self.name)

    def _essence(self) -> str:
        sizes = (counted(len(self.states), "state"), counted(len(self.states_by_label), "label"))
        return titled(self.name, *sizes)

    def _repr_svg_(self) -> str | None:
        """The drawing of `bdist show --draw`, for a notebook; none where the chain is too large for one."""
        from bdist.chains.drawings.diagram import MOST_STATES, NotDrawn, subject_of
        from bdist.chains.drawings.pictures import svg_file

        if len(self) > MOST_STATES:  # nobody asked to merge its bisimilar states
            return None
        subject = subject_of(self)
        title = self.name or "a labelled Markov chain"
        return None if isinstance(subject, NotDrawn) else svg_file(subject, title=title)

    def __len__(self) -> int:
        return len(self.states)

    @classmethod
    def from_rows(
        cls,
        rows: Mapping[str, tuple[str, Any]] | Iterable[tuple[str, str, Any]],
        *,
        name: str = "",
        floats: str | None = None,
    ) -> LabelledMarkovChain:
        """A chain from ``{state: (label, {target: probability})}`` or from triples (state, label, {target:
        probability}).

        Probabilities are Fraction, int or str; a float is refused, unless ``floats`` says how to read it:
        "shortest", "simplest" or "exact" (`bdist.chains.conversions`). A probability of 0 is no transition.
        Raises: ModelError, ParameterError.
        """
        number = _number_reader(floats)
        triples = (
            [(s, label, row) for s, (label, row) in rows.items()] if isinstance(rows, Mapping) else list(rows)
        )
        states = tuple(state for state, _, _ in triples)
        index = {state: i for i, state in enumerate(states)}
        made: list[Row] = []
        for state, _, row in triples:
            entries: list[tuple[int, Fraction]] = []
            for target, value in row.items():
                if target not in index:
                    raise ModelError(f"state '{state}' goes to '{target}', which is not a state", state=state)
                probability = number(value, f"probability of '{state}' -> '{target}'")
                if probability != 0:
                    entries.append((index[target], probability))
            made.append(tuple(sorted(entries)))
        return cls(states, tuple(label for _, label, _ in triples), tuple(made), name)

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        labels: Sequence[str],
        states: Sequence[str] | None = None,
        *,
        name: str = "",
        floats: str | None = None,
    ) -> LabelledMarkovChain:
        """A chain from a square matrix; states are s0, s1, ... unless named.

        The matrix is a sequence of sequences, a NumPy array, or a sparse matrix of SciPy, of Fraction, int or
        str; a float is refused, unless ``floats`` says how to read it: "shortest", "simplest" or "exact"
        (`bdist.chains.conversions`).
        Raises: ModelError, ParameterError.
        """
        from bdist.chains.conversions import matrix_entries  # loaded where there is a matrix

        number = _number_reader(floats)
        entries = matrix_entries(matrix, states)
        names = tuple(states) if states is not None else tuple(f"s{i}" for i in range(len(entries)))
        if not len(names) == len(labels) == len(entries):
            raise ModelError(
                f"{len(entries)} rows, {len(names)} states and {len(labels)} labels; the numbers must agree"
            )
        made: list[Row] = []
        for state, row in zip(names, entries, strict=True):
            values = [(j, number(x, f"probability of '{state}' -> '{names[j]}'")) for j, x in row]
            made.append(tuple((j, x) for j, x in values if x != 0))
        return cls(names, tuple(labels), tuple(made), name)

    def index(self, state: str) -> int:
        """The position of a state.

        Raises: ParameterError, with the nearest names, where there is no such state.
        """
        try:
            return self._positions[state]
        except (KeyError, TypeError):
            pass
        raise unknown_state(state, self.states, "chain")

    def row(self, state: str) -> dict[str, Fraction]:
        """The row of a state by names: {target: probability}."""
        return {self.states[j]: p for j, p in self.rows[self.index(state)]}

    def label(self, state: str) -> str:
        """The label of a state."""
        return self.labels[self.index(state)]

    def reachable(self, states: Iterable[int]) -> Iterator[int]:
        """What some states (by position) can reach, themselves included, as it is found."""
        reached = set(states)
        waiting = list(reached)
        yield from waiting
        while waiting:
            for j, _ in self.rows[waiting.pop()]:
                if j not in reached:
                    reached.add(j)
                    waiting.append(j)
                    yield j

    def restricted_to_reachable(self, states: Iterable[int]) -> LabelledMarkovChain:
        """The chain on what some states (by position) can reach, themselves included, in the same order."""
        kept = sorted(self.reachable(states))
        place = {i: k for k, i in enumerate(kept)}
        return LabelledMarkovChain(
            tuple(self.states[i] for i in kept),
            tuple(self.labels[i] for i in kept),
            tuple(tuple((place[j], p) for j, p in self.rows[i]) for i in kept),
            self.name,
        )

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {state: i for i, state in enumerate(self.states)}

    @cached_property
    def states_by_label(self) -> Mapping[str, tuple[int, ...]]:
        """Positions of the states that carry each label, in order."""
        groups: dict[str, list[int]] = {}
        for i, label in enumerate(self.labels):
            groups.setdefault(label, []).append(i)
        return MappingProxyType({label: tuple(members) for label, members in groups.items()})

    @cached_property
    def integer_rows(self) -> tuple[IntegerRow, ...]:
        """Every row as integers over the least common denominator of that row."""
        made = []
        for row in self.rows:
            denominator = lcm(*(p.denominator for _, p in row))
            numerators = tuple(p.numerator * (denominator // p.denominator) for _, p in row)
            made.append(IntegerRow(tuple(j for j, _ in row), numerators, denominator))
        return tuple(made)


def _number_reader(floats: str | None) -> Callable[[object, str], Fraction]:
    if floats is None:
        return exact_number
    from bdist.chains.conversions import number_reader  # loaded where there are floats

    return number_reader(floats)


def exact_number(value: object, what: str) -> Fraction:
    """As `as_rational`, for the probabilities of a chain, where a float has one more way out.

    Raises: ParameterError.
    """
    try:
        return as_rational(value, what)
    except ParameterError as error:
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise
        raise ParameterError(f"{error}; or say how floats are to be read, as floats='simplest'") from None


def _check_names(states: tuple[str, ...], labels: tuple[str, ...], name: str) -> None:
    texts = {*states, *labels, name}
    if len(set(states)) == len(states) and all(isinstance(x, str) and x.isprintable() for x in texts):
        return
    seen: set[str] = set()
    for state in states:
        if state in seen:
            raise ModelError(f"state '{state}' is declared twice", state=state)
        seen.add(state)
    for kind, text in [
        *(("state name", s) for s in states),
        *(("label", x) for x in labels),
        ("chain name", name),
    ]:
        if not isinstance(text, str):
            raise ModelError(f"{kind} {text!r} is a {type(text).__name__}; names and labels are str")
        check_characters(text, kind)


def _check_row(state: str, row: Row, states: tuple[str, ...]) -> int:
    """The bits of the row's common denominator. Raises: ModelError where it is no distribution."""
    previous = -1
    for target, probability in row:
        if not 0 <= target < len(states):
            raise ModelError(f"state '{state}' goes to state number {target} of {len(states)}", state=state)
        if target <= previous:
            raise ModelError(
                f"the row of state '{state}' names '{states[target]}' twice or out of order", state=state
            )
        if probability <= 0:
            text = f"-{_shown(-probability)}" if probability else "0"
            raise ModelError(
                f"state '{state}' goes to '{states[target]}' with probability {text}, not positive",
                state=state,
            )
        previous = target
    found = sum_over_one_denominator([probability for _, probability in row])
    if found is None:
        what = f"a common denominator of more than {ROW_BITS} bits"
        raise ModelError(f"the row of state '{state}' has {what}", state=state)
    total, denominator = found
    if total != denominator:
        shown = _shown(Fraction(total, denominator))
        raise ModelError(f"the row of state '{state}' sums to {shown}, not to 1", state=state)
    return denominator.bit_length()


def _shown(value: Fraction) -> str:
    """A positive number that fits into a message."""
    text = rational_text(value)
    if len(text) <= _LONGEST_SHOWN:
        return text
    return decimal_cut(value) if value < _LARGEST_SHOWN else f"more than {_LARGEST_SHOWN}"


def canonical_form(chain: LabelledMarkovChain) -> str:
    """The canonical text: equal for two chains iff their states, labels and probabilities are."""
    document = sorted(
        [state, label, sorted([chain.states[j], rational_text(p)] for j, p in row)]
        for state, label, row in zip(chain.states, chain.labels, chain.rows, strict=True)
    )
    return json_text(document)


def fingerprint(chain: LabelledMarkovChain) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    return sha256_of([canonical_form(chain)])
