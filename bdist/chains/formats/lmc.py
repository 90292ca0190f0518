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

Large files have lines without quotes and comments, written by a program. A line of that shape is taken apart
by one regular expression, its names become numbers at once, and nothing else is kept of it: a third of the
time, and half of the memory. Where something about it is to be refused, it is read again as any other line,
which knows all places.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions
from bdist.errors import InternalError, ModelError, ParameterError
from bdist.exact.rationals import rational_text
from bdist.text.files import read_text
from bdist.text.scanner import Scanner, Target, name_text

# possessive, so that a line of 10 MB leaves no million places to come back to
_PLAIN = re.compile(
    r"([A-Za-z0-9_.'+-]++) \[([A-Za-z0-9_.'+-]++)\] -> "
    r"([0-9.eE+/-]++ [A-Za-z0-9_.'+-]++(?:, [0-9.eE+/-]++ [A-Za-z0-9_.'+-]++)*+)"
)


def read(text: str, source: str | Path = "<text>") -> LabelledMarkovChain:
    """Parse ``.lmc`` text. Raises: FormatError with line and column; ModelError naming the state."""
    scanner = Scanner(text, source)
    name = scanner.header("lmc")
    numbers: dict[str, int] = {}  # states in the order in which they are met, as targets or declared
    declared: list[int] = []
    labels: list[str] = []
    same: dict[str, str] = {}  # one object for each label
    rows: list[list[tuple[int, Fraction]]] = []
    while scanner.next_statement():
        line, column = scanner.line + 1, scanner.position + 1
        found = _plain_state(scanner, numbers)
        if found is None:
            state, label, targets = _state(scanner)
            row = [(numbers.setdefault(t.name, len(numbers)), t.probability) for t in targets]
            found = state, label, row
        scanner.declare(found[0], line, column)
        declared.append(numbers.setdefault(found[0], len(numbers)))
        labels.append(same.setdefault(found[1], found[1]))
        rows.append(found[2])
        scanner.end_of_line()
    if not declared:
        scanner.fail("a state such as: s0 [label] -> 1 s0")
    states = tuple(map(str, scanner.declared_at))
    if len(numbers) > len(states):
        _refuse_undeclared(scanner)
    place = [0] * len(states)
    for i, number in enumerate(declared):
        place[number] = i
    made = tuple([tuple(sorted([(place[j], p) for j, p in row if p])) for row in rows])
    try:
        return LabelledMarkovChain(states, tuple(labels), made, name)
    except ModelError as error:
        raise scanner.model_error(error) from None


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


def _plain_state(
    scanner: Scanner, numbers: dict[str, int]
) -> tuple[str, str, list[tuple[int, Fraction]]] | None:
    """A state that takes one line without quotes and comments, its targets by their numbers.

    None where it is not plain, or where something about it is to be refused.
    """
    plain = _PLAIN.fullmatch(scanner.text(), scanner.position)
    if plain is None:
        return None
    row: list[tuple[int, Fraction]] = []
    state, label, entries = plain.groups()
    words = entries.replace(",", "").split(" ")
    try:
        for text, name in zip(words[::2], words[1::2], strict=True):
            row.append((numbers.setdefault(name, len(numbers)), scanner.number(text)))
    except ParameterError:
        return None
    if len(dict(row)) < len(row):
        return None
    scanner.position = plain.end()
    return state, label, row


def _refuse_undeclared(scanner: Scanner) -> NoReturn:
    """Read once more, with all places, up to the first target that is not declared. Raises: FormatError."""
    for state, line in scanner.declared_at.items():
        scanner.line, scanner.position = line - 1, 0
        scanner.skip_blank()
        scanner.check_targets(str(state), _state(scanner)[2])
    raise InternalError("a target that is not declared was not found again")


def _state(scanner: Scanner) -> tuple[str, str, list[Target]]:
    state = scanner.name("a state name")
    label = scanner.bracketed_label()
    scanner.symbol("->", "'->' and the row")
    return state, label, list(scanner.row(labelled=False))
