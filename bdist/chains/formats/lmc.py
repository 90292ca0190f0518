"""The ``.lmc`` format: one state a line.

    # comment to the end of the line
    lmc two-dining-cryptographers          # keyword, optional name
    s0 [start] -> 0.49 h0, 51/100 t0       # state [label] -> probability target, probability target
    h0 [flip]  -> 1/2 "heads twice",       # a line that ends in a comma goes on in the next
                  1/2 t0

Names and labels are ``[A-Za-z0-9_.'+-]+`` or any text in double quotes, where ``\\"`` stands for a quote and
``\\\\`` for a backslash, and a backslash before anything else for itself. Probabilities are ``p/q``, decimals
or ``1e-4``, read exactly. A target may be declared later; the order of declaration is the order of the
states.

The checker has a second reader of its own; a test holds the two against each other.
"""

from __future__ import annotations

import re
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.formats import ReadOptions
from bdist.errors import ModelError, ParameterError
from bdist.exact.reading import rational_text
from bdist.text.files import read_text
from bdist.text.scanner import Scanner, Target, name_text

# possessive, so that a line of 10 MB leaves no million places to come back to
_PLAIN = re.compile(
    r"([A-Za-z0-9_.'+-]++) \[([A-Za-z0-9_.'+-]++)\] -> "
    r"([0-9.eE+/-]++ [A-Za-z0-9_.'+-]++(?:, [0-9.eE+/-]++ [A-Za-z0-9_.'+-]++)*+)"
)


def read(text: str, source: str | Path = "<text>") -> LabelledMarkovChain:
    """Parse ``.lmc`` text. Raises: FormatError with line and column; ModelError naming the state."""
    return _Reader(text, source).chain()


def write(chain: LabelledMarkovChain) -> str:
    """The chain as ``.lmc`` text; reading it back gives an equal chain of the same name."""
    lines = ["lmc" + (f" {name_text(chain.name)}" if chain.name else "")]
    names = [name_text(state) for state in chain.states]
    for state, label, row in zip(names, chain.labels, chain.rows, strict=True):
        targets = ", ".join(f"{rational_text(p)} {names[j]}" for j, p in row)
        lines.append(f"{state} [{name_text(label)}] -> {targets}")
    return "\n".join(lines) + "\n"


def load(path: Path, _: ReadOptions) -> LabelledMarkovChain:
    """Read a file. Raises: as `read`."""
    return read(read_text(path), path)


class _Reader(Scanner):
    """The states of one file, resolved when all are declared."""

    def chain(self) -> LabelledMarkovChain:
        name = self.header("lmc")
        states: list[str] = []
        labels: list[str] = []
        targets: list[list[Target]] = []
        for line, column in self.statements():
            state, label, row = self._plain_state() or self._state()
            self.declare(state, line, column)
            states.append(state)
            labels.append(label)
            targets.append(row)
        if not states:
            self.fail("a state such as: s0 [label] -> 1 s0")
        positions = {state: i for i, state in enumerate(states)}
        rows = tuple(
            self._resolved(state, row, positions) for state, row in zip(states, targets, strict=True)
        )
        try:
            return LabelledMarkovChain(tuple(states), tuple(labels), rows, name)
        except ModelError as error:
            raise self.model_error(error) from None

    def _plain_state(self) -> tuple[str, str, list[Target]] | None:
        """A state that takes one line without quotes and comments, as nearly all do, at a third of the cost.

        None where it is not plain, or where something about it is to be refused.
        """
        plain = _PLAIN.fullmatch(self.text(), self.position)
        if plain is None:
            return None
        row: list[Target] = []
        column = plain.start(3) + 1
        for entry in plain[3].split(", "):
            number, name = entry.split(" ")
            try:
                probability = self.number(number)
            except ParameterError:
                return None
            row.append(Target(name, probability, self.line + 1, column + len(number) + 1))
            column += len(entry) + 2
        if len({target.name for target in row}) < len(row):
            return None
        self.position = plain.end()
        return plain[1], plain[2], row

    def _state(self) -> tuple[str, str, list[Target]]:
        state = self.name("a state name")
        label = self.bracketed_label()
        self.symbol("->", "'->' and the row")
        return state, label, list(self.row(labelled=False))

    def _resolved(self, state: str, row: list[Target], positions: dict[str, int]) -> Row:
        self.check_targets(state, row)
        return tuple(sorted((positions[t.name], t.probability) for t in row if t.probability))
