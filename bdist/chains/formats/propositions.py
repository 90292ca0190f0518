r"""Sets of atomic propositions as labels, and labels as sets of atomic propositions.

PRISM and Storm attach a *set* of named propositions to a state; a labelled Markov chain has one label a
state. What an observer sees is the whole set, so the set becomes the label, written as a text:

    no proposition at all          {}
    one                            its name: heads
    more                           the names sorted and joined by commas: end,heads

Extraordinary names must not be confused with sets: in a list, a name that holds a comma, a double quote or a
backslash, is empty or reads ``{}``, stands in double quotes (``\"`` for a quote, ``\\`` for a backslash), and
so does a name that stands alone and would read like one of the other forms. Every text is then the label of
exactly one set, and every set has exactly one text: `label_of` and `propositions_of` are inverse to each
other. To escape commas in names whatever the size of the set will not do: a label ``b,a`` of an ``.lmc``
file, which is that of no set, would come back from a ``.tra`` file as ``b\,a``.

The explicit formats quote names without a way to escape the quote, have no empty names, and give ``init`` and
``deadlock`` a meaning of their own. A name is therefore *spelled* in a file with ``%22`` for a double quote,
``%25`` for a percent sign, ``%`` for the empty name, and ``%69nit`` and ``%64eadlock`` for a proposition that
has the bad luck to be called so. Any other percent sign stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from fractions import Fraction
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.formats import ReadOptions
from bdist.errors import FormatError, ModelError, ParameterError, by_caller, parameter
from bdist.printing import beginning, named
from bdist.text.scanner import quoted, unquoted

INITIAL, DEADLOCK = "init", "deadlock"
IGNORED = frozenset({INITIAL, DEADLOCK})  # what every model of PRISM and Storm has, and no observer sees

_NONE = "{}"
_AWKWARD = re.compile(r'[,"\\]')
_ITEM = re.compile(r'"((?:[^"\\]|\\["\\])*)"|([^,"\\]+)')
_SPELLINGS = {"": "%", "init": "%69nit", "deadlock": "%64eadlock"}
_MEANINGS = {spelling: name for name, spelling in _SPELLINGS.items()}
_NAMES_SHOWN = 8


def label_of(propositions: Iterable[str]) -> str:
    """The label that stands for a set of propositions."""
    names = sorted(set(propositions))
    if not names:
        return _NONE
    if len(names) == 1:
        return quoted(names[0]) if _propositions_read(names[0]) is not None else names[0]
    return ",".join(quoted(x) if x in ("", _NONE) or _AWKWARD.search(x) else x for x in names)


def propositions_of(label: str) -> tuple[str, ...]:
    """The set of propositions that a label stands for, sorted; inverse to `label_of`."""
    read = _propositions_read(label)
    return (label,) if read is None else read


def spell(proposition: str) -> str:
    """A proposition as it is written in an explicit file: not empty, without double quotes, not init."""
    body = proposition.replace("%", "%25").replace('"', "%22")
    return _SPELLINGS.get(body, body)


def unspell(text: str) -> str:
    """The proposition that a name in an explicit file means; inverse to `spell`."""
    return _MEANINGS.get(text, text.replace("%22", '"').replace("%25", "%"))


def chain_of(
    rows: Sequence[Row],
    spelled: Sequence[Set[str]],
    states: Sequence[str],
    options: ReadOptions,
    known: Iterable[str],
    source: str | Path,
) -> LabelledMarkovChain:
    """The chain whose states are labelled with those of their propositions that count.

    ``spelled`` are the propositions of each state as the file spells them, ``known`` all that the file has.
    A state without a transition stays, with the proposition deadlock, unless such states are refused.
    Raises: ParameterError where one that shall count is not known; ModelError, with the state, where a state
    has no transition and must have one, or its row is no distribution; FormatError where two spellings mean
    the same.
    """
    ends = [i for i, row in enumerate(rows) if not row]
    if ends:
        note_deadlocks([states[i] for i in ends], options, source, "has no transition")
        spelled = [{*names, DEADLOCK} if not row else names for names, row in zip(spelled, rows, strict=True)]
        rows = [row or ((i, Fraction(1)),) for i, row in enumerate(rows)]
        known = {*known, DEADLOCK}
    return LabelledMarkovChain(tuple(states), labels_of(spelled, options, known, source), tuple(rows))


def note_deadlocks(ends: Sequence[str], options: ReadOptions, source: str | Path, lacks: str) -> None:
    """Tell how many states stay because they have nowhere to go. Raises: ModelError where they must not."""
    if options.deadlocks == "refuse":
        what = f"state '{beginning(ends[0])}' {lacks} (a deadlock)"
        stays = parameter("deadlocks", "loop", "'loop'")
        raise ModelError(f"{what}; {stays} lets it stay", state=ends[0])
    what = "1 state stays" if len(ends) == 1 else f"{len(ends)} states stay"
    more = "" if len(ends) == 1 else ", ..."
    options.note(
        source,
        f"{what} for ever, as PRISM and Storm have it for deadlocks ({named(ends[0])}{more}); "
        + parameter("deadlocks", "refuse", "'refuse'")
        + " does not allow it",
    )


def labels_of(
    spelled: Sequence[Set[str]], options: ReadOptions, known: Iterable[str], source: str | Path
) -> tuple[str, ...]:
    """The label of each state: those of its propositions that count. Arguments and errors: as `chain_of`."""
    there = sorted(known)
    if options.labels is None and IGNORED.issuperset(there):
        what = f"it has no labels but {' and '.join(there)}" if there else "it has no labels"
        ask = f"name some, with {by_caller('--label', 'formulas')}"
        if DEADLOCK in there:
            ask = parameter("labels", "deadlock", "('deadlock',)") + " shows where runs end"
        options.note(source, f"{what}, so that all states look alike; {ask}")
    counted = frozenset(there) - IGNORED if options.labels is None else frozenset(options.labels)
    for name in sorted(counted.difference(there)):
        listed = ", ".join(there[:_NAMES_SHOWN]) + (", ..." if len(there) > _NAMES_SHOWN else "")
        raise ParameterError(f"{source}: there is no label '{name}'; it has {listed or 'none'}")
    if len({unspell(name) for name in counted}) < len(counted):
        raise FormatError("two labels are the same once %22 and %25 are read as characters", source=source)
    texts: dict[frozenset[str], str] = {}
    labels = []
    for names in spelled:
        seen = counted.intersection(names)
        label = texts.get(seen)
        if label is None:
            label = texts[seen] = label_of(map(unspell, seen))
        labels.append(label)
    return tuple(labels)


def _propositions_read(label: str) -> tuple[str, ...] | None:
    """The set that a label spells out; None where it is the bare name of one proposition.

    Only what `label_of` writes is read, so that no two texts mean the same set.
    """
    if label == _NONE:
        return ()
    names: list[str] = []
    position = 0
    while True:
        item = _ITEM.match(label, position)
        if item is None:
            return None
        names.append(item[2] if item[1] is None else unquoted(item[1]))
        position = item.end()
        if position == len(label):
            break
        if label[position] != ",":
            return None
        position += 1
    if len(names) == 1:
        # In quotes, and only because the name would read like something else without them.
        return (names[0],) if label.startswith('"') and _propositions_read(names[0]) is not None else None
    return tuple(names) if label == label_of(names) else None
