"""Storm's explicit files, ``.drn``: a Markov chain or a decision process in one file, with exact values.

    @type: DTMC
    @parameters

    @reward_models

    @nr_states
    2
    @nr_choices
    2
    @model
    state 0 init heads "two words"
        action 0
                0 : 1/2
                1 : 1/2
    state 1
        action 0
                1 : 1

What is accepted: discrete-time Markov chains as Storm writes them (its documentation, "DRN input format"),
with rewards and names of actions, which are not used, with placeholders, fractions and decimals; and Markov
decision processes (``@type: MDP``), for which see `bdist.dpctl.formats`. Other models are refused by name.
States have numbers only and are called s0, s1, ...; the set of a state's labels becomes its label
(`propositions`), init and deadlock left out. In front of the labels, ``[...]`` holds rewards, as it does for
Storm, which then cannot read back a label of that shape that it wrote itself.

What is written has no ``@value_type``, which older versions do not know, and marks the first state as the
initial one, which Storm asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.formats import ReadOptions, Writing, numbered_names_loss, numbered_states
from bdist.chains.formats.propositions import INITIAL, chain_of, propositions_of, spell
from bdist.chains.formats.rounding import repaired_rows, rounding_hint
from bdist.errors import ModelError, ParameterError
from bdist.exact.rationals import rational_text
from bdist.printing import beginning
from bdist.text.files import read_text
from bdist.text.scanner import Numbers, Place

_BARE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:=<>+-]*")
_STATE = re.compile(r"state ([0-9]{1,15})(?=[ \t]|$)[ \t]*(\[[^\]]*\])?")
_LABEL = re.compile(r'[ \t]*(?:"([^"]+)"(?=[ \t"]|$)|([^ \t"]+)(?=[ \t]|$))')
_TRANSITION = re.compile(r"([0-9]{1,15}) *: *([^ ]+)")
_PLACEHOLDER = re.compile(r"(\$[^ :]+) *: *([^ ]+)")
_ACTION = re.compile(r"action +([^ \t]+)(?:[ \t]+\[[^\]]*\])?")
_NUMBER = re.compile(r"[0-9]{1,15}")
_VALUES = ("rational", "double")

CHAIN, PROCESS = "dtmc", "mdp"


def read(text: str, source: str | Path, options: ReadOptions) -> LabelledMarkovChain:
    """Parse ``.drn`` text. Raises: FormatError with the line; ModelError naming the state."""
    model = ExplicitModel(text, source)
    model.repair(options)
    return model.chain(numbered_states(len(model.rows)), options)


def write(chain: LabelledMarkovChain) -> Writing:
    """The chain as ``.drn`` text; the first state is Storm's initial state."""
    count = len(chain)
    lines = ["@type: DTMC", "@parameters", "", "@reward_models", ""]
    lines += ["@nr_states", f"{count}", "@nr_choices", f"{count}", "@model"]
    for state, row in zip(state_lines(chain.labels), chain.rows, strict=True):
        lines.append(state)
        lines.append("\taction 0")
        lines += [f"\t\t{j} : {rational_text(p)}" for j, p in row]
    return Writing({".drn": "\n".join(lines) + "\n"}, numbered_names_loss(chain))


def state_lines(labels: Sequence[str]) -> list[str]:
    """The line that begins each state, by the labels; the first one is the initial one."""
    texts = {
        label: "".join(
            f" {name}" if _BARE.fullmatch(name) else f' "{name}"'
            for name in map(spell, propositions_of(label))
        )
        for label in set(labels)
    }
    return [f"state {i}{f' {INITIAL}' if i == 0 else ''}{texts[label]}" for i, label in enumerate(labels)]


def load(path: Path, options: ReadOptions) -> LabelledMarkovChain:
    """Read a file. Raises: as `read`."""
    return read(read_text(path), path, options)


class ExplicitModel:
    """The rows and labels of a ``.drn`` file, and the line of each state.

    ``kind`` is one of the kinds that are asked for. A chain has one row a state. A process has one a choice,
    and ``actions`` has for each state the names of its choices, as they are spelled, with their lines.
    """

    def __init__(self, text: str, source: str | Path, kinds: Sequence[str] = (CHAIN,)) -> None:
        self.kind = ""
        self.rows: list[dict[int, Fraction]] = []
        self.actions: list[list[tuple[str, int]]] = []
        self.labels: list[set[str]] = []
        self.line_of: list[int] = []
        self._kinds = kinds
        self._has_action = False
        self._number = Numbers()
        self._repair: str | None = None
        self._values: dict[str, Fraction] = {}
        self._choices: int | None = None
        self._place = Place(source)
        self._lines = [line.strip(" \t\r") for line in text.split("\n")]
        self._line = 0
        count = self._header()
        for index in range(self._line, len(self._lines)):
            self._line = index + 1
            line = self._lines[index]
            if line and not line.startswith("//"):
                self._body(line, count)
        if len(self.labels) != count:
            self._place.refuse(f"@nr_states says {count}, and there are {len(self.labels)} states")
        if self.kind == PROCESS and self._choices not in (None, len(self.rows)):
            self._place.refuse(f"@nr_choices says {self._choices}, and there are {len(self.rows)} choices")

    def chain(self, states: tuple[str, ...], options: ReadOptions) -> LabelledMarkovChain:
        """The chain, its states called so. Raises: ParameterError, ModelError."""
        try:
            return chain_of(
                self.sorted_rows(), self.labels, states, options, self.known_labels(), self._place.source
            )
        except ModelError as error:
            if error.state is None:
                raise self._place.model_error(error) from None
            at = states.index(error.state)
            is_rounded = self.rows[at] and sum(self.rows[at].values()) != 1
            hint = self.rounding_hint() if is_rounded else ""
            raise self._place.model_error(error, self.line_of[at], hint) from None

    def repair(self, options: ReadOptions) -> None:
        """Make rows of rounded decimals exact, where that is asked for, and tell what was changed."""
        self._repair = options.repair
        if options.repair is not None:
            found = repaired_rows(self.sorted_rows(), self._number, options, self._place.source)
            self.rows = [dict(row) for row in found]

    def rounding_hint(self) -> str:
        """What to say of a row that does not sum to 1."""
        return rounding_hint(self._number, self._repair)

    def sorted_rows(self) -> list[Row]:
        """The rows as a chain has them."""
        return [tuple(sorted((j, p) for j, p in row.items() if p)) for row in self.rows]

    def known_labels(self) -> set[str]:
        """All labels that some state has."""
        return set().union(*self.labels)

    def _header(self) -> int:
        """Read up to ``@model``; the number of states."""
        counts: dict[str, int] = {}
        seen: set[str] = set()
        while True:
            line = self._next("the section @model")
            if not line or line.startswith("//"):
                continue
            name, _, value = line.partition(":")
            if name in seen:
                self._refuse(f"section {name} stands twice")
            seen.add(name)
            if name == "@type":
                self._read_kind(value.strip())
            elif name == "@value_type":
                if value.strip().lower() not in _VALUES:
                    found, wanted = beginning(value.strip()), " or ".join(_VALUES)
                    self._refuse(f"this is a model with @value_type: {found}; only {wanted} is read")
            elif name in ("@nr_states", "@nr_choices"):
                found = self._next(f"the number of {name}")
                if not _NUMBER.fullmatch(found):
                    self._refuse(f"expected a number; found '{beginning(found)}'")
                counts[name] = int(found)
            elif line in ("@parameters", "@reward_models"):
                given = self._next(f"the line of {line}")
                if given and line == "@parameters":
                    self._refuse(f"this is a parametric model, in {beginning(given)}; instantiate it first")
            elif line == "@placeholders":
                self._placeholders()
            elif line == "@model":
                break
            else:
                self._refuse(f"expected a section such as @type: DTMC; found '{beginning(line)}'")
        for name in ("@type", "@nr_states"):
            if name not in seen:
                self._refuse(f"section {name} is missing")
        self._choices = counts.get("@nr_choices")
        if self.kind == CHAIN and self._choices not in (None, counts["@nr_states"]):
            self._refuse("there are not as many choices as states; this is no Markov chain")
        return counts["@nr_states"]

    def _read_kind(self, kind: str) -> None:
        self.kind = kind.lower()
        if self.kind == PROCESS and PROCESS not in self._kinds:
            self._place.refuse_process(self._line)
        if self.kind not in self._kinds:
            wanted = " or ".join(self._kinds)
            self._refuse(f"this is a model with @type: {beginning(kind)}; only {wanted} is read")

    def _placeholders(self) -> None:
        while self._line < len(self._lines) and not self._lines[self._line].startswith("@"):
            line = self._next("a placeholder")
            match = _PLACEHOLDER.fullmatch(line)
            if line and match is None:
                self._refuse(f"expected a placeholder such as $p : 1/3; found '{beginning(line)}'")
            if match is not None:
                self._values[match[1]] = self._probability(match[2])

    def _body(self, line: str, count: int) -> None:
        transition = _TRANSITION.fullmatch(line)
        if transition is not None and self.labels:
            if self.kind == PROCESS and not self.actions[-1]:
                self._refuse(f"expected an action of state {len(self.labels) - 1}; found a transition")
            target, row = int(transition[1]), self.rows[-1]
            if target >= count:
                self._refuse(f"there is no state {target}; @nr_states says {count}")
            if target in row:
                self._refuse(f"the transition from {len(self.labels) - 1} to {target} stands twice")
            row[target] = self._probability(transition[2])
        elif line.startswith("action ") and self.labels:
            self._action(line)
        elif line.startswith("state "):
            self._state(line)
        else:
            self._refuse(f"expected a state, an action or a transition; found '{beginning(line)}'")

    def _action(self, line: str) -> None:
        if self.kind == CHAIN:
            if self._has_action:
                self._refuse(f"state {len(self.labels) - 1} has a second action; this is an MDP, not a DTMC")
            self._has_action = True
            return
        match = _ACTION.fullmatch(line)
        if match is None:
            self._refuse(f"expected an action and its name, which has no blanks; found '{beginning(line)}'")
        self.actions[-1].append((match[1], self._line))
        self.rows.append({})

    def _state(self, line: str) -> None:
        match = _STATE.match(line)
        if match is None or int(match[1]) != len(self.labels):
            self._refuse(f"expected state {len(self.labels)}; found '{beginning(line)}'")
        names: set[str] = set()
        position = match.end()
        while position < len(line):
            label = _LABEL.match(line, position)
            if label is None:
                self._refuse(f"expected labels; found '{beginning(line[position:].strip())}'")
            names.add(label[1] or label[2])
            position = label.end()
        self._has_action = False
        if self.kind == CHAIN:
            self.rows.append({})
        else:
            self.actions.append([])
        self.labels.append(names)
        self.line_of.append(self._line)

    def _probability(self, text: str) -> Fraction:
        if text.startswith("$"):
            value = self._values.get(text)
            if value is None:
                self._refuse(f"placeholder {beginning(text)} is not defined")
            return value
        try:
            return self._number(text)
        except ParameterError as error:
            self._refuse(str(error))

    def _next(self, expected: str) -> str:
        if self._line >= len(self._lines):
            self._refuse(f"expected {expected}; found the end of the file")
        self._line += 1
        return self._lines[self._line - 1]

    def _refuse(self, message: str) -> NoReturn:
        self._place.refuse(message, self._line)
