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
    found: list[tuple[str, str, list[Target]]] = []
    for line, column in scanner.statements():
        found.append(_plain_state(scanner) or _state(scanner))
        scanner.declare(found[-1][0], line, column)
    if not found:
        scanner.fail("a state such as: s0 [label] -> 1 s0")
    positions = {state: i for i, (state, _, _) in enumerate(found)}
    rows: list[Row] = []
    for state, _, targets in found:
        scanner.check_targets(state, targets)
        rows.append(tuple(sorted((positions[t.name], t.probability) for t in targets if t.probability)))
    labels = tuple(label for _, label, _ in found)
    try:
        return LabelledMarkovChain(tuple(positions), labels, tuple(rows), name)
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


def _plain_state(scanner: Scanner) -> tuple[str, str, list[Target]] | None:
    """A state that takes one line without quotes and comments, as nearly all do, at a third of the cost.

    None where it is not plain, or where something about it is to be refused.
    """
    plain = _PLAIN.fullmatch(scanner.text(), scanner.position)
    if plain is None:
        return None
    row: list[Target] = []
    column = plain.start(3) + 1
    for entry in plain[3].split(", "):
        number, name = entry.split(" ")
        try:
            probability = scanner.number(number)
        except ParameterError:
            return None
        row.append(Target(name, probability, scanner.line + 1, column + len(number) + 1))
        column += len(entry) + 2
    if len({target.name for target in row}) < len(row):
        return None
    scanner.position = plain.end()
    return plain[1], plain[2], row


def _state(scanner: Scanner) -> tuple[str, str, list[Target]]:
    state = scanner.name("a state name")
    label = scanner.bracketed_label()
    scanner.symbol("->", "'->' and the row")
    return state, label, list(scanner.row(labelled=False))
