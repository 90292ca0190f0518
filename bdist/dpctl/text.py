r"""The ``.mdp`` format: Markov decision processes, one row of a state and an action a line.

    # comment to the end of the line
    mdp interactive-survey              # keyword, optional name
    actions L, H                        # once, before the first row
    sink over                           # optional: where rows that are left out go, with probability 1
    plus [diagnosis]                    # state [label]
    yes  [out1]
    no   [out0]
    over ["{}"]                         # a label of no propositions
    plus L -> 3/4 yes, 1/4 no           # state action -> probability target, probability target
    plus H -> 4/5 yes,                  # a line that ends in a comma goes on in the next
              1/5 no
    over * -> 1 over                    # * is for all actions of the state that have no row of their own

Names, labels, quotes, comments and probabilities are those of `lmc`. The word ``actions`` or ``sink``,
without quotes, begins a statement of that kind unless ``[`` follows it, and ``"*"`` in quotes is the name of
an action. States may be declared after they are mentioned; the order of declaration is the order of the
states, and that of ``actions`` the order of the actions.

Nothing is added silently: a state and action without a row is an error unless the file has a ``sink``. A
``*`` that is left with no action is allowed, so that rows can be added one by one, but its row must be one
all the same. The writer writes all rows and no sink, and one ``*`` for a state whose actions do all the same.

The grammar is in SPEC.md, section 6; the checker has a second reader of its own.

Decided against: rows in the statement of the state (a state with sixteen actions is no line), and a default
sink (what a drawing leaves out, its author should say).
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from bdist.dpctl.mdp import MarkovDecisionProcess, Row, check_size, row_bits
from bdist.errors import ModelError
from bdist.exact.rationals import rational_text
from bdist.text.files import read_text
from bdist.text.scanner import END_OF_LINE, Target, WordScanner, name_text

SUFFIX = ".mdp"

_ALL = "*"
_WORDS = ("actions", "sink")
_STATEMENT = "a state such as: s0 [label], or a row such as: s0 a -> 1/2 s0, 1/2 s1"


def load_decision_process(path: str | Path) -> MarkovDecisionProcess:
    """Read a ``.mdp`` file.

    Raises: FormatError where it cannot be read or does not follow the format, with line and column;
    ModelError with the line of the row that is none.
    """
    return read(read_text(path), path)


def read(text: str, source: str | Path = "<text>") -> MarkovDecisionProcess:
    """Parse ``.mdp`` text. Raises: FormatError with line and column; ModelError with the line of the row."""
    return _Reader(text, source).process()


def write(process: MarkovDecisionProcess) -> str:
    """The process as ``.mdp`` text; reading it back gives an equal process of the same name."""
    names = [name_text(state) for state in process.states]
    actions = [name_text(action) for action in process.actions]
    lines = ["mdp" + (f" {name_text(process.name)}" if process.name else ""), "actions " + ", ".join(actions)]
    lines += [f"{name} [{name_text(label)}]" for name, label in zip(names, process.labels, strict=True)]
    for name, rows in zip(names, process.rows, strict=True):
        first = f'"{name}"' if name in _WORDS else name
        shared = all(row == rows[0] for row in rows)
        for action, row in [(_ALL, rows[0])] if shared else zip(actions, rows, strict=True):
            targets = ", ".join(f"{rational_text(p)} {names[j]}" for j, p in row)
            lines.append(f"{first} {action} -> {targets}")
    return "\n".join(lines) + "\n"


class _Reader(WordScanner):
    """The statements of one file, resolved when all are read."""

    def __init__(self, text: str, source: str | Path) -> None:
        super().__init__(text, source)
        self._labels: dict[str, str] = {}
        self._actions: dict[str, None] | None = None
        self._sink: tuple[str, int, int] | None = None
        # of a state and an action (None is ``*``) the line and the column of the state, and the row
        self._rows: dict[tuple[str, str | None], tuple[int, int, list[Target]]] = {}

    def process(self) -> MarkovDecisionProcess:
        name = self.header("mdp")
        for line, column in self.statements():
            self._statement(line, column)
        if self._actions is None:
            self.fail("the actions, as in: actions a, b")
        if not self._labels:
            self.fail("a state such as: s0 [label]")
        if self._sink is not None and self._sink[0] not in self._labels:
            self.place.refuse(f"the sink '{self._sink[0]}' is not declared", *self._sink[1:])
        rows = self._resolved_rows()
        try:
            check_size(len(self._labels), len(self._actions))
        except ModelError as error:
            raise self.place.model_error(error) from None
        try:
            return MarkovDecisionProcess(
                tuple(self._labels),
                tuple(self._labels.values()),
                tuple(self._actions),
                tuple(
                    tuple(_row_of(rows, state, action) for action in self._actions) for state in self._labels
                ),
                name,
            )
        except ModelError as error:
            raise self.model_error(error) from None

    def _statement(self, line: int, column: int) -> None:
        word = self.word()
        name = self.name(_STATEMENT)
        if self.sees("["):
            label = self.bracketed_label()
            self.declare(name, line, column)
            self._labels[name] = label
        elif word == "actions":
            self._read_actions(line, column)
        elif word == "sink":
            if self._sink is not None:
                self.place.refuse("there is a sink already", line, column)
            at, sink = self.placed_name("the name of the sink, or '[' and the label of a state 'sink'")
            self._sink = (sink, self.line + 1, at)
            self._refuse_row(word)
        else:
            self._read_row(name, line, column)

    def _read_actions(self, line: int, column: int) -> None:
        if self._actions is not None:
            self.place.refuse("the actions are declared twice", line, column)
        self._actions = {}
        while True:
            at, action = self.placed_name("the name of an action")
            if action in self._actions:
                self.refuse(f"action '{action}' is declared twice", at)
            self._actions[action] = None
            if not self.takes_comma("another action"):
                break
        self._refuse_row("actions")

    def _refuse_row(self, word: str) -> None:
        """Raises: FormatError where the line goes on as the row of a state that has the name of a word."""
        if self.sees("->"):
            self.refuse(
                f"'{word}' begins a statement of its own; a row of such a state begins with \"{word}\""
            )
        self.end(END_OF_LINE)

    def _read_row(self, state: str, line: int, column: int) -> None:
        if self._actions is None:
            self.place.refuse("the actions stand before all rows, as in: actions a, b", line, column)
        if self.sees(_ALL):
            at, action = self.position + 1, None
            self.position += 1
        else:
            what = f"'[' and the label of state '{state}', or an action and its row, as in: s0 a -> 1 s0"
            at, action = self.placed_name(what)
        if action is not None and action not in self._actions:
            self.refuse(f"there is no action '{action}'", at)
        if (state, action) in self._rows:
            by = "all actions" if action is None else f"action '{action}'"
            self.refuse(f"state '{state}' has a row for {by} already", at)
        self.symbol("->", "'->' with a blank before it, and the row")
        self._rows[state, action] = line, column, list(self.row(labelled=False))

    def _resolved_rows(self) -> dict[tuple[str | None, str | None], Row]:
        """Every row of the file, also a ``*`` that is left with no action; that of the sink under None."""
        numbers = {state: number for number, state in enumerate(self._labels)}
        found: dict[tuple[str | None, str | None], Row] = {}
        if self._sink is not None:
            found[None, None] = ((numbers[self._sink[0]], Fraction(1)),)
        for (state, action), (line, column, targets) in self._rows.items():
            if state not in numbers:
                self.place.refuse(f"state '{state}' is not declared", line, column)
            self.check_targets(state, targets)
            row = tuple(sorted((numbers[t.name], t.probability) for t in targets if t.probability))
            try:
                row_bits(row, len(numbers), f"the row of state '{state}'", state)
            except ModelError as error:
                raise self.place.model_error(error, line) from None
            found[state, action] = row
        return found


def _row_of(rows: dict[tuple[str | None, str | None], Row], state: str, action: str) -> Row:
    for place in ((state, action), (state, None), (None, None)):
        if place in rows:
            return rows[place]
    message = f"state '{state}' has no row for action '{action}', and there is no sink"
    raise ModelError(f"{message}; write 'sink NAME' for where such rows go", state=state)
