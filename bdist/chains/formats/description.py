"""What the registry knows of a file format, and what a caller may ask of a reader.

A format is data: its name, its suffixes, the function that reads it, the function that writes it if there is
one, and the options that it understands. An option that a format has no use for is refused rather than
ignored: whoever writes ``--const N=5`` for a file without constants has another file in mind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import UnsupportedError


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file that leaves something open.

    ``labels`` are the atomic propositions that an observer sees, by default all but init and deadlock;
    ``constants`` are values for the constants that a PRISM program leaves undefined, as text that is read
    exactly; ``formulas`` are further labels of a PRISM program, {name: expression}; ``sink`` is the state to
    which a decision process goes under an action that a state does not have (`choices`); ``time_limit`` is
    for Storm, in seconds.
    """

    labels: tuple[str, ...] | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    formulas: Mapping[str, str] = field(default_factory=dict)
    sink: str | None = None
    time_limit: float | None = None

    def given(self) -> tuple[str, ...]:
        """The names of the options that ask for something."""
        asked = {
            "labels": self.labels is not None,
            "constants": bool(self.constants),
            "formulas": bool(self.formulas),
            "sink": self.sink is not None,
            "time_limit": self.time_limit is not None,
        }
        return tuple(name for name, is_given in asked.items() if is_given)

    def check(self, path: Path, name: str, understood: Set[str]) -> None:
        """Raises: UnsupportedError for an option that files of this kind do not use."""
        for option in self.given():
            if option not in understood:
                use = f"understands {', '.join(sorted(understood))}" if understood else "has no options"
                raise UnsupportedError(f"{path}: {option} is not an option of {name} files, which {use}")


@dataclass(frozen=True)
class Writing:
    """A model in some format: the text of each file by its suffix, and what the format cannot hold."""

    texts: Mapping[str, str]
    losses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A file format; ``options`` names the fields of ReadOptions that its reader understands.

    ``write`` is None where the format holds more than chains, so that there is nothing to write.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, ReadOptions], LabelledMarkovChain]
    write: Callable[[LabelledMarkovChain], Writing] | None = None
    options: frozenset[str] = frozenset()

    def load(self, path: Path, options: ReadOptions) -> LabelledMarkovChain:
        """Read a file. Raises: UnsupportedError for an option that the format does not use; as the reader."""
        options.check(path, self.name, self.options)
        return self.read(path, options)


class Named(Protocol):
    """A model whose states have names, and that may have one itself."""

    @property
    def name(self) -> str:
        """The name, or nothing."""
        ...

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the states."""
        ...


def numbered_names_loss(model: Named, kind: str = "chain") -> tuple[str, ...]:
    """The loss of names in formats whose states are numbers, as one line; none where nothing is lost."""
    lost = []
    if model.states != numbered_states(len(model.states)):
        lost.append("state names, which become s0, s1, ... in the same order")
    if model.name:
        lost.append(f"the name of the {kind}")
    return (f"not kept: {', and '.join(lost)}",) if lost else ()


def numbered_states(count: int) -> tuple[str, ...]:
    """The names s0, s1, ... of states that have none."""
    return tuple(f"s{i}" for i in range(count))
