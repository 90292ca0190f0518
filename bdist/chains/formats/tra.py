"""PRISM's explicit files: transitions in ``m.tra``, labels beside it in ``m.lab``.

    13 20         states, transitions               0="init" 1="deadlock" 2="end" 3="six"
    0 1 1/2       source, target, probability       0: 0
    0 2 1/2                                         12: 2 3

What is accepted: the form that ``prism -exportmodel m.tra,lab`` writes (PRISM's manual, appendix "Explicit
Model Files"), comment lines, initial states as ``- 0`` and names of actions (which are not used) included,
probabilities as decimals or, from ``prism -exact``, as fractions; and Storm's explicit form, which begins
with ``dtmc`` in place of the counts. States have numbers only and are called s0, s1, ..., unless PRISM has
written beside them, in ``m.sta``, what values the variables have: ``(x,done)``, and then ``0:(3,true)``,
which is called ``x=3,done=true``. The set of a state's labels becomes its label (`propositions`), init and
deadlock left out.

What is refused by name: MDPs (three counts, or a choice in every line), interval chains, the row form
(``-exportrows``), MRMC's form (``STATES``), whose numbering begins at 1, and a missing ``.lab`` file: without
labels every distance would be 0.

Labels are read in PRISM's form, above, or in Storm's: ``#DECLARATION``, a line with all labels, ``#END``, and
then ``12 end six``. A state that is not listed has no label. Where the first line declares nothing and is
about a state already, labels go by their numbers (or by whatever stands there), except that 0 and 1 are
``init`` and ``deadlock``, which is how PRISM always numbers these two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.formats import ReadOptions, Writing, numbered_names_loss, numbered_states
from bdist.chains.formats.propositions import INITIAL, chain_of, propositions_of, spell
from bdist.chains.formats.rounding import repaired_rows, rounding_hint
from bdist.errors import ModelError, ParameterError
from bdist.exact.rationals import rational_text
from bdist.printing import beginning
from bdist.text.files import read_text
from bdist.text.scanner import Numbers, Place, words_of

_NUMBER = re.compile(r"[0-9]{1,15}")
_STATE_LINE = re.compile(r"[ \t]*[0-9]{1,15}[ \t]*:")
_NUMBERED = (("0", "init"), ("1", "deadlock"))
_VALUES = re.compile(r"([0-9]{1,15}):\(([^()]*)\)")
_DECLARED = re.compile(r'[ \t]*([0-9]{1,15})="([^"]+)"')


def read_labels(text: str, count: int, place: Place) -> tuple[list[set[str]], set[str]]:
    """The labels of each of ``count`` states as they are spelled, and all that are declared.

    Raises: FormatError with the line.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if _is_content(line)]
    if not lines:
        place.refuse("the file is empty; it must begin by declaring its labels")
    first, *rest = lines
    is_storm = words_of(first[1])[0] == "#DECLARATION"
    is_bare = _STATE_LINE.match(first[1]) is not None
    if is_storm:
        end = next((k for k, (_, line) in enumerate(rest) if words_of(line)[0] == "#END"), None)
        if end is None:
            place.refuse("the declaration of labels has no #END")
        names = {word: word for _, line in rest[:end] for word in words_of(line)}
        rest = rest[end + 1 :]
    elif is_bare:
        names, rest = dict(_NUMBERED), lines
    else:
        names = _declared(first[1].rstrip("\r"), first[0], place)
    found: list[set[str]] = [set() for _ in range(count)]
    listed: set[int] = set()
    for number, line in rest:
        if is_storm:
            state, *words = words_of(line)
        else:
            state, colon, labels = line.partition(":")
            if not colon:
                place.refuse(f"expected: state: label label; found '{beginning(line.strip())}'", number)
            words = words_of(labels)
        index = _state_number(state.strip(), count, listed, number, place)
        for word in words:
            name = names.setdefault(word, word) if is_bare else names.get(word)
            if name is None:
                place.refuse(f"label {beginning(word)} of state {index} is not declared", number)
            found[index].add(name)
    return found, set(names.values())


def read_values(text: str, count: int, place: Place) -> tuple[str, ...]:
    """The names of ``count`` states by the values of their variables. Raises: FormatError with the line."""
    lines = [(k, line.strip(" \t\r")) for k, line in enumerate(text.split("\n"), 1)]
    (first, header), *rest = [entry for entry in lines if entry[1]] or [(0, "")]
    if not (header.startswith("(") and header.endswith(")")):
        place.refuse(f"expected the variables, as in (x,done); found '{beginning(header)}'", first)
    variables = header[1:-1].split(",")
    names: dict[str, int] = {}
    for number, line in rest:
        match = _VALUES.fullmatch(line)
        values = match[2].split(",") if match is not None else []
        if match is None or int(match[1]) != len(names) or len(values) != len(variables):
            what = f"expected state {len(names)} and {len(variables)} values, as in 0:(3,true)"
            place.refuse(f"{what}; found '{beginning(line)}'", number)
        name = ",".join(f"{x}={value}" for x, value in zip(variables, values, strict=True))
        if name in names:
            place.refuse(f"two states have the values {beginning(name)}", number)
        names[name] = len(names)
    if len(names) != count:
        place.refuse(f"it has the values of {len(names)} states, and there are {count}")
    return tuple(names)


def _declared(line: str, number: int, place: Place) -> dict[str, str]:
    names: dict[str, str] = {}
    seen: set[str] = set()
    position, end = 0, len(line.rstrip())
    while position < end:
        match = _DECLARED.match(line, position)
        if match is None:
            found = beginning(line[position : position + 80].strip())
            place.refuse(
                f'expected labels to be declared as in 0="init" 2="heads"; found \'{found}\'', number
            )
        if match[1] in names or match[2] in seen:
            place.refuse(f'label {match[1]}="{beginning(match[2])}" is declared twice', number)
        names[match[1]] = match[2]
        seen.add(match[2])
        position = match.end()
    return names


def _state_number(text: str, count: int, listed: set[int], line: int, place: Place) -> int:
    if not _NUMBER.fullmatch(text):
        place.refuse(f"'{beginning(text)}' is not the number of a state", line)
    index = int(text)
    if index >= count:
        place.refuse(f"state {index} is labelled, and there are {count} states", line)
    if index in listed:
        place.refuse(f"state {index} is labelled twice", line)
    listed.add(index)
    return index


def _is_content(line: str) -> bool:
    words = words_of(line.strip())
    return bool(words) and (not words[0].startswith("#") or words[0] in ("#DECLARATION", "#END"))


_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KIND = re.compile(r"# Transitions \((\w+)\)")
_BUILT_IN = ("init", "deadlock")
_SURELY_A_RATE = Fraction(11, 10)


def read(
    transitions: str, labels: str, source: str | Path, options: ReadOptions, values: str | None = None
) -> LabelledMarkovChain:
    """Parse the texts of a ``.tra``, its ``.lab`` and perhaps its ``.sta`` file.

    Raises: FormatError with the line; ModelError.
    """
    reader = _Transitions(transitions, source)
    rows = repaired_rows(reader.rows(), reader.number, options, source)
    beside = Place(_labels_path(Path(source)))
    propositions, known = read_labels(labels, len(rows), beside)
    states = numbered_states(len(rows))
    if values is not None:
        states = read_values(values, len(rows), Place(Path(source).with_suffix(".sta")))
    try:
        return chain_of(rows, propositions, states, options, known, beside.source)
    except ModelError as error:
        if error.state is None:  # it is about a label
            raise beside.model_error(error) from None
        at = states.index(error.state)
        raise Place(source).model_error(
            error, reader.line_of.get(at, 0), _hint(rows[at], reader.number, options.repair)
        ) from None


def write(chain: LabelledMarkovChain) -> Writing:
    """The chain as the texts of a ``.tra`` and a ``.lab`` file; the first state is PRISM's initial state."""
    lines = [f"{len(chain)} {sum(map(len, chain.rows))}"]
    for i, row in enumerate(chain.rows):
        lines += [f"{i} {j} {rational_text(p)}" for j, p in row]
    sets = {label: [spell(name) for name in propositions_of(label)] for label in chain.states_by_label}
    names = sorted({name for spelled in sets.values() for name in spelled})
    number = {name: k for k, name in enumerate((*_BUILT_IN, *names))}
    header = " ".join(f'{k}="{name}"' for name, k in number.items())
    members = [
        ([number[INITIAL]] if i == 0 else []) + [number[name] for name in sets[label]]
        for i, label in enumerate(chain.labels)
    ]
    labelled = [f"{i}: {' '.join(map(str, ks))}" for i, ks in enumerate(members) if ks]
    losses = numbered_names_loss(chain)
    odd = next((name for name in names if not _IDENTIFIER.fullmatch(name)), None)
    if odd is not None:
        losses += (f"PRISM reads only labels that are identifiers, and '{beginning(odd)}' is none",)
    texts = {".tra": "\n".join(lines) + "\n", ".lab": "\n".join([header, *labelled]) + "\n"}
    return Writing(texts, losses)


def load(path: Path, options: ReadOptions) -> LabelledMarkovChain:
    """Read a file and the labels beside it. Raises: as `read`; FormatError where these are missing."""
    transitions = read_text(path)
    labels = _labels_path(path)
    if not labels.exists():
        Place(path).refuse(f"there is no {labels.name} beside it; without labels all states look alike")
    values = path.with_suffix(".sta")
    return read(transitions, read_text(labels), path, options, read_text(values) if values.exists() else None)


def _labels_path(path: Path) -> Path:
    return path.with_suffix(".lab")


class _Transitions:
    """The rows of a ``.tra`` file by the number of the state, and the first line of each."""

    def __init__(self, text: str, source: str | Path) -> None:
        self.number = Numbers()
        self.line_of: dict[int, int] = {}
        self._rows: dict[int, dict[int, Fraction]] = {}
        self._states: dict[str, int] = {}
        self._place = Place(source)
        highest = -1
        lines = self._lines(text)
        line, header = next(lines, (0, [""]))
        if not line:
            self._place.refuse("the file is empty; it must begin with the numbers of states and transitions")
        counts = self._counts(line, header)
        count = 0
        for line, words in lines:
            if words[0] != "-":  # an initial state
                highest = max(highest, self._transition(line, words, counts))
                count += 1
        if counts is not None and count != counts[1]:
            self._place.refuse(f"the header counts {counts[1]} transitions, and there are {count}")
        # A large number in a short file must not make a large table.
        self.count = highest + 1 if counts is None else counts[0]
        if self.count > count + 1:  # so that a chain that reaches them all has too few transitions
            self._place.refuse(f"{self.count} states and {count} transitions: most states cannot be reached")
        if self.count == 0:
            self._place.refuse("there is no state")

    def rows(self) -> list[Row]:
        """The rows of all states, in order."""
        return [
            tuple(sorted((j, p) for j, p in self._rows.get(i, {}).items() if p)) for i in range(self.count)
        ]

    def _lines(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """The words of every line that is neither blank nor a comment, with its number."""
        for number, line in enumerate(text.split("\n"), 1):
            words = words_of(line)
            if not words:
                continue
            if not words[0].startswith("#"):
                yield number, words
                continue
            kind = _KIND.match(line)
            if kind is not None and kind[1] != "DTMC":
                self._place.refuse(f"this is a model of type {kind[1]}, not a DTMC", number)

    def _counts(self, line: int, words: list[str]) -> tuple[int, int] | None:
        """The numbers of states and transitions; None in Storm's form, which does not say."""
        found = beginning(" ".join(words))
        if len(words) == 1 and words[0].lower() == "dtmc":
            return None
        if len(words) == 1 and words[0].lower() in ("mdp", "ctmc", "ma"):
            self._place.refuse(f"this is a model of type {words[0].upper()}, not a DTMC", line)
        if words[0] == "STATES":
            self._place.refuse("this is MRMC's form, which counts from 1; export in PRISM's own form", line)
        are_numbers = all(_NUMBER.fullmatch(word) for word in words)
        if are_numbers and len(words) in (3, 4):
            self._place.refuse(f"this is an MDP, with {len(words)} counts in its header, not a DTMC", line)
        if not are_numbers or len(words) != 2:
            self._place.refuse(f"expected the numbers of states and transitions; found '{found}'", line)
        return int(words[0]), int(words[1])

    def _transition(self, line: int, words: list[str], counts: tuple[int, int] | None) -> int:
        """Enter one transition; the larger of its two states."""
        states = self._states  # words that are numbers of states: nearly all lines have nothing new
        source = states.get(words[0]) if len(words) == 3 else None
        target = None if source is None else states.get(words[1])
        if source is None or target is None:
            self._check_words(line, words, counts)
            source, target = (states.setdefault(word, int(word)) for word in words[:2])
        try:
            probability = self.number(words[2])
        except ParameterError as error:
            self._check_words(line, words, counts)
            self._place.refuse(str(error), line)
        row = self._rows.setdefault(source, {})
        if not row:
            self.line_of[source] = line
        if target in row:
            self._place.refuse(f"the transition from {source} to {target} stands twice", line)
        row[target] = probability
        return source if source > target else target

    def _check_words(self, line: int, words: list[str], counts: tuple[int, int] | None) -> None:
        if len(words) > 1 and ":" in words[1]:
            self._place.refuse("this is PRISM's row form; export without -exportrows", line)
        if not 3 <= len(words) <= 4:
            found = beginning(" ".join(words))
            self._place.refuse(f"expected: source target probability; found '{found}'", line)
        if words[2].startswith("["):
            self._place.refuse("this is an interval Markov chain; its probabilities are not fixed", line)
        if len(words) == 4 and not _IDENTIFIER.fullmatch(words[3]):
            self._place.refuse("four numbers are a choice of an MDP; expected three in a DTMC", line)
        for word in words[:2]:
            if not _NUMBER.fullmatch(word):
                self._place.refuse(f"'{beginning(word)}' is not the number of a state", line)
            if counts is not None and int(word) >= counts[0]:
                self._place.refuse(f"there is no state {word}; the header counts {counts[0]} states", line)


def _hint(row: Row, number: Numbers, repair: str | None) -> str:
    """What may have happened to a row that does not sum to 1."""
    total = sum((p for _, p in row), Fraction(0))
    if total > _SURELY_A_RATE:
        return "the rates of a CTMC are no probabilities"
    return rounding_hint(number, repair) if row and total != 1 else ""
