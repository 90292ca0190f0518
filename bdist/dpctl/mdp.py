"""Markov decision processes: what a mechanism does when an analyst may choose the next query.

All actions are enabled in every state (a *reactive* process, as in Liu, Wang and Zhang, Model checking
differentially private properties, section 7): an action is a query, and a query can always be asked. For each
action a state has a row of exact probabilities. Transitions that a drawing leaves out go to a sink, which a
file must name; nothing is added silently. Labels are sets of propositions, as in chains
(`bdist.chains.formats.propositions`).

A *scheduler* chooses the next action by all that has happened; a *query scheduler* only by how many steps
were made, so it is a sequence of actions, the same for two neighbours.

What a certificate means by "this process" is its `fingerprint`, SHA-256 of a canonical text that the checker
builds from the file itself (SPEC, section 6):

    ["mdp",ACTIONS,[[NAME,LABEL,[ROW,...]],...]]

with the actions sorted, the states sorted by name, and for each state a row for each action in that order,
itself ``[[TARGET,PROBABILITY],...]`` sorted by target. The name of the process, the order of its parts, and
whether a row was written for one action, for all, or by the sink do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ModelError, ParameterError
from bdist.exact.rationals import ROW_BITS, ROWS_BITS, counted, rational_text, sum_over_one_denominator
from bdist.printing import beginning
from bdist.report import OneLine, titled
from bdist.text.files import json_text, sha256_of
from bdist.text.scanner import check_characters

Row = tuple[tuple[int, Fraction], ...]

MOST_ENTRIES = 20_000_000  # of all rows, one for each state and action, as the checker has it
MOST_LETTERS = 2**30  # in the names of their targets, likewise

_LONGEST_SHOWN = 60


@dataclass(frozen=True, repr=False)
class MarkovDecisionProcess(OneLine):
    """States, labels, actions, and ``rows[state][action]``, each (target, probability > 0) by target.

    Two processes are equal if all that is, in order; the name is a caption and does not count.
    Raises: ModelError, naming the state, where a row is no probability distribution or a name is unusable.
    """

    states: tuple[str, ...]
    labels: tuple[str, ...]
    actions: tuple[str, ...]
    rows: tuple[tuple[Row, ...], ...]
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.states or not self.actions:
            raise ModelError("a Markov decision process needs at least one state and one action")
        if not len(self.states) == len(self.labels) == len(self.rows):
            raise ModelError("the numbers of states, labels and rows must agree")
        for kind, names in (("state", self.states), ("action", self.actions)):
            for name, count in Counter(names).items():
                if count > 1:
                    raise ModelError(f"{kind} '{name}' is declared twice", state=name)
        for text in (*self.states, *self.labels, *self.actions, self.name):
            check_characters(text)
        bits = entries = letters = 0
        for state, rows in zip(self.states, self.rows, strict=True):
            if len(rows) != len(self.actions):
                raise ModelError(
                    f"state '{state}' has {len(rows)} rows for {len(self.actions)} actions", state=state
                )
            sizes: dict[Row, int] = {}  # most states have one row for all actions
            for action, row in zip(self.actions, rows, strict=True):
                if row not in sizes:
                    what = f"the row of state '{state}' under action '{action}'"
                    sizes[row] = row_bits(row, len(self.states), what, state)
                bits += sizes[row]
                entries += len(row)
                letters += sum(len(self.states[target]) for target, _ in row)
            for count, most, what in (
                (entries, MOST_ENTRIES, f"more than {MOST_ENTRIES} entries"),
                (letters, MOST_LETTERS, f"names of more than {MOST_LETTERS} characters"),
                (bits, ROWS_BITS, f"more than {ROWS_BITS} bits over common denominators"),
            ):
                if count > most:
                    raise ModelError(f"the rows up to those of state '{state}' have {what}", state=state)

    @classmethod
    def from_rows(
        cls,
        actions: Iterable[str],
        states: Iterable[tuple[str, str, Mapping[str, Mapping[str, Fraction]]]],
        name: str = "",
    ) -> MarkovDecisionProcess:
        """A process from (state, label, {action: {target: probability}}), zeros left out.

        Raises: ModelError where a target or the row of an action is missing, or as the constructor.
        """
        named, listed = tuple(actions), list(states)
        numbers = {state: number for number, (state, _, _) in enumerate(listed)}
        every = []
        for state, _, by_action in listed:
            made: dict[int, Row] = {}  # rows that are one object stay one
            rows = []
            for action in named:
                if action not in by_action:
                    raise ModelError(f"state '{state}' has no row for action '{action}'", state=state)
                row = by_action[action]
                if id(row) not in made:
                    for target in row:
                        if target not in numbers:
                            what = f"state '{state}' goes to '{target}', which is not there"
                            raise ModelError(what, state=state)
                    made[id(row)] = tuple(sorted((numbers[t], p) for t, p in row.items() if p))
                rows.append(made[id(row)])
            every.append(tuple(rows))
        labels = tuple(label for _, label, _ in listed)
        return cls(tuple(state for state, _, _ in listed), labels, named, tuple(every), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.states, self.labels, self.actions, self.rows, self.name)

    def _essence(self) -> str:
        sizes = (counted(len(self.states), "state"), counted(len(self.actions), "action"))
        return titled(self.name, *sizes)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The states by name."""
        return {state: number for number, state in enumerate(self.states)}

    def index(self, state: str) -> int:
        """The number of a state. Raises: ParameterError where there is none of that name."""
        if state not in self.numbers:
            raise ParameterError(f"there is no state '{state}'")
        return self.numbers[state]

    def row(self, state: str, action: str) -> dict[str, Fraction]:
        """Where an action leads from a state. Raises: ParameterError where one of them is not there."""
        entries = self.rows[self.index(state)][self._action(action)]
        return {self.states[target]: probability for target, probability in entries}

    def under(self, action: str) -> LabelledMarkovChain:
        """The chain in which that action is taken always. Raises: ParameterError where there is none such."""
        number = self._action(action)
        rows = tuple(by_action[number] for by_action in self.rows)
        return LabelledMarkovChain(self.states, self.labels, rows, f"{self.name} under {action}")

    def _action(self, action: str) -> int:
        if action not in self.actions:
            raise ParameterError(f"there is no action '{action}'")
        return self.actions.index(action)


def check_size(states: int, actions: int) -> None:
    """Before rows are made that no file holds. Raises: ModelError where there would be too many of them."""
    if states * actions > MOST_ENTRIES:
        raise ModelError(f"{states} states with {actions} actions have more than {MOST_ENTRIES} rows")


def row_bits(row: Row, states: int, what: str, state: str) -> int:
    """The bits of a row over its common denominator. Raises: ModelError about ``what``, a row of a state."""
    targets = [target for target, _ in row]
    total = sum_over_one_denominator([probability for _, probability in row])
    if any(not 0 <= target < states for target in targets) or targets != sorted(set(targets)):
        problem = "names a state that is not there, twice, or out of order"
    elif any(probability <= 0 for _, probability in row):
        problem = "has a probability that is not positive"
    elif total is None:
        problem = f"has a common denominator of more than {ROW_BITS} bits"
    elif total[0] != total[1]:
        text = rational_text(Fraction(*total))
        problem = f"sums to {beginning(text, _LONGEST_SHOWN)}, not to 1"
    else:
        return len(row) * total[1].bit_length()
    raise ModelError(f"{what} {problem}", state=state)


def fingerprint(process: MarkovDecisionProcess) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    return sha256_of(_parts(process))


def _parts(process: MarkovDecisionProcess) -> Iterator[str]:
    """The canonical form, a state at a time."""
    states = process.states
    order = sorted(range(len(process.actions)), key=process.actions.__getitem__)
    before = f'["mdp",{json_text([process.actions[number] for number in order])},['
    for number in sorted(range(len(states)), key=states.__getitem__):
        texts: dict[Row, str] = {}  # most states have one row for all actions
        for row in process.rows[number]:
            if row not in texts:
                texts[row] = json_text(sorted([states[j], rational_text(p)] for j, p in row))
        rows = ",".join(texts[process.rows[number][action]] for action in order)
        head = f"{json_text(states[number])},{json_text(process.labels[number])}"
        yield f"{before}[{head},[{rows}]]"
        before = ","
    yield "]]"
