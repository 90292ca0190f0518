r"""The model file, read from scratch, and its fingerprint.

A certificate speaks about a model that it names by a fingerprint, so what the checker proves hangs on what
the checker reads. This reader shares no code with the rest of bdist. It cuts the text into statements
(``text.py``), and matches each against

    state '[' label ']' '->' probability target (',' probability target)*

where the first one is ``lmc`` and an optional name instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .digits import rational_text
from .text import Fingerprinted, Row, Statements, distribution, refuse_line, shown
from .vectors import Vector


@dataclass(frozen=True)
class Model(Fingerprinted):
    """A labelled Markov chain: ℓ(s) is ``labels[s]``, μ_s(i) is ``rows[s][i]``, or 0 where it is absent."""

    labels: dict[str, str]
    rows: dict[str, Row]

    @cached_property
    def states_of(self) -> dict[str, dict[str, None]]:
        """For each label all states that have it, as the keys of a dictionary."""
        groups: dict[str, dict[str, None]] = {}
        for state, label in self.labels.items():
            groups.setdefault(label, {})[state] = None
        return groups

    @cached_property
    def vectors(self) -> dict[str, Vector]:
        """The rows as integers over one denominator each."""
        return {state: Vector.of(row) for state, row in self.rows.items()}

    def _canonical_parts(self) -> Iterator[str]:
        """The form of SPEC section 1, a state at a time."""
        before = "["
        for state in sorted(self.labels):
            row = [[i, rational_text(p)] for i, p in sorted(self.rows[state].items())]
            text = json.dumps([state, self.labels[state], row], ensure_ascii=True, separators=(",", ":"))
            yield before + text
            before = ","
        yield "]"


def read_model(text: str) -> Model:
    """The model in an ``.lmc`` text. Raises: BadModel."""
    labels: dict[str, str] = {}
    rows: dict[str, Row] = {}
    named: dict[str, int] = {}  # targets, with the line that names them first
    rows_bits = 0
    tokens = Statements(text, ("[", "]", ",", "->"), "bits over common denominators")
    _read_caption(tokens)
    for first in tokens:
        first.expected("")
        next(tokens).expected("[")
        second = next(tokens).expected("")
        next(tokens).expected("]")
        next(tokens).expected("->")
        state, label, targets, line = first.name(), second.name(), tokens.row(), first.line
        if state in labels:
            refuse_line(line, f"state {shown(state)} is declared twice")
        labels[state] = label
        rows[state], bits = distribution(f"the row of state {shown(state)}", targets, line)
        rows_bits += len(rows[state]) * bits
        tokens.check_bits(rows_bits, line)
        for target in targets:
            named.setdefault(target.name, line)
    if not labels:
        refuse_line(text.count("\n") + 1, "the file ends without a state")
    for name, line in named.items():
        if name not in labels:
            refuse_line(line, f"the target {shown(name)} is not declared")
    return Model(labels, rows)


def _read_caption(tokens: Statements) -> None:
    """``lmc`` and an optional name, which is a caption and no part of the model."""
    caption = tokens.after_keyword("lmc")
    if caption.kind != "end":
        caption.name()
        after = next(tokens)
        if after.kind != "end":
            refuse_line(after.line, f"{shown(after.text)} stands after the name of the chain")
