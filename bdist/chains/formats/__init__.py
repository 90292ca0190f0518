"""File formats of chains: what one is, the table of them, and reading and writing by suffix.

A format is data: its name, its suffixes, the options that it understands, whether it is written, and the
module here that reads and writes it, which is loaded when a file asks for it. An option that a format has no
use for is refused rather than ignored: whoever writes ``--const N=5`` for a file without constants has
another file in mind. To add a format, write a module and a line in the table.

Models of other theories have formats of their own in their folders; a file of one of these is told by its
suffix, and the refusal names the command that reads it. Some formats here may hold a Markov decision process
instead (`bdist.dpctl.formats`).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Protocol

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import FormatError, ParameterError, UnsupportedError
from bdist.report import OneLine
from bdist.text.files import write_files
from bdist.text.scanner import Place
from bdist.theories import THEORIES


@dataclass(frozen=True, repr=False)
class ReadOptions(OneLine):
    """How to read a file that leaves something open.

    * ``labels``: the atomic propositions that an observer sees, by default all except init and deadlock.
    * ``constants``: values for the constants that a PRISM program leaves undefined, as text, read exactly.
    * ``formulas``: further labels of a PRISM program, {name: expression}.
    * ``properties``: a file of PRISM properties whose labels are taken as well.
    * ``deadlocks``: whether a state without a transition stays ("loop") or is refused ("refuse").
    * ``repair``: what becomes of rows of rounded decimals ("simplest" or "normalise"); None refuses them.
    * ``sink``: where a decision process goes under an action that a state does not have.
    * ``time_limit``: for Storm, in seconds.
    * ``notes``: is called with each line that a reader of the answer must know.
    """

    labels: tuple[str, ...] | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    formulas: Mapping[str, str] = field(default_factory=dict)
    sink: str | None = None
    time_limit: float | None = None
    properties: Path | None = None
    deadlocks: str = "loop"
    repair: str | None = None
    notes: Callable[[str], None] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        allowed = {"deadlocks": ("loop", "refuse"), "repair": (None, "simplest", "normalise")}
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                listed = " or ".join(value for value in values if value)
                raise ParameterError(f"{name} is '{getattr(self, name)}'; it must be {listed}")

    def given(self) -> tuple[str, ...]:
        """The names of the options that ask for something."""
        default, asked = ReadOptions(), [x.name for x in fields(self) if x.compare]
        return tuple(name for name in asked if getattr(self, name) != getattr(default, name))

    def note(self, source: str | Path, text: str) -> None:
        """Tell what a reader of the answer must know about a file."""
        if self.notes is not None:
            self.notes(f"{source}: {text}")

    def check(self, path: Path, name: str, understood: Set[str]) -> None:
        """Raises: UnsupportedError for an option that files of this kind do not use."""
        for option in self.given():
            if option not in understood:
                use = f"understands {', '.join(sorted(understood))}" if understood else "has no options"
                raise UnsupportedError(f"{path}: {option} is not an option of {name} files, which {use}")


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Without the collector of cyclic garbage: a reader makes millions of objects, all of which stay, and
    looking through them again and again takes more than half of its time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True)
class Writing:
    """A model in some format: the text of each file by its suffix, and what the format cannot hold."""

    texts: Mapping[str, str | bytes]
    losses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A file format; ``options`` names the fields of ReadOptions that its reader understands.

    Its module has ``load(path, options)`` and, where it is written, ``write(chain)``, which returns the text,
    or a `Writing` where there are several or something is lost. One that holds more than chains has nothing
    to write.
    """

    name: str
    module: str
    suffixes: tuple[str, ...]
    options: frozenset[str] = frozenset()
    is_written: bool = True

    def load(self, path: Path, options: ReadOptions) -> LabelledMarkovChain:
        """Read a file. Raises: UnsupportedError for an option that the format does not use; as the reader."""
        options.check(path, self.name, self.options)
        with collector_at_rest():
            chain: LabelledMarkovChain = import_module(f"{__name__}.{self.module}").load(path, options)
        return chain

    def write(self, chain: LabelledMarkovChain) -> Writing:
        """The texts of the files. Requires: the format is written."""
        written: Writing | str = import_module(f"{__name__}.{self.module}").write(chain)
        return Writing({self.suffixes[0]: written}) if isinstance(written, str) else written


LMC = Format(".lmc", "lmc", (".lmc",))
TLMC = Format(".tlmc", "tlmc", (".tlmc",), is_written=False)
JSON = Format(".json", "chain_json", (".json",))
_EXPLICIT = frozenset({"labels", "deadlocks", "repair"})
TRA = Format(".tra", "tra", (".tra",), _EXPLICIT)
DRN = Format(".drn", "drn", (".drn",), _EXPLICIT)
PRISM = Format(
    "PRISM",
    "prism",
    (".pm", ".prism", ".nm", ".sm"),
    frozenset({"labels", "constants", "formulas", "properties", "deadlocks", "time_limit"}),
    is_written=False,
)
JANI = Format("JANI", "prism", (".jani",), PRISM.options - {"formulas", "properties"}, is_written=False)
UMB = Format(".umb", "umb", (".umb",), _EXPLICIT | {"time_limit"})
FORMATS = (LMC, TLMC, JSON, TRA, DRN, PRISM, JANI, UMB)

_BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}


def load(path: str | Path, options: ReadOptions | None = None) -> LabelledMarkovChain:
    """Read a model file, its format chosen by its suffix.

    Raises: FormatError where the file cannot be read or does not follow its format; ModelError where it is no
    Markov chain; UnsupportedError for an option that the format does not use; ParameterError for an option
    that does not fit the file; BackendError where a package that the format needs is not installed.
    """
    path = path if isinstance(path, Path) else Path(path)  # a path may know a name for messages
    suffix = path.suffix.lower()
    for theory in THEORIES:
        if suffix == theory.suffix:
            if theory.name == "dpctl":
                Place(path).refuse_process()
            message = f"this is {theory.model}, not a chain; ask: bdist {theory.command} {path}"
            raise FormatError(message, source=path)
    known = _BY_SUFFIX.get(suffix)
    if known is None:
        listed = ", ".join(sorted(_BY_SUFFIX))
        raise FormatError(f"no reader for the suffix '{path.suffix}'; known are {listed}", source=path)
    return known.load(path, ReadOptions() if options is None else options)


def save(chain: LabelledMarkovChain, path: str | Path) -> tuple[str, ...]:
    """Write a chain, its format chosen by the suffix; a ``.tra`` file gets its ``.lab`` file beside it.

    Ensures: reading it back gives the chain, but for what the result says, one line each, that the format
    cannot hold; labels and probabilities always come back.
    Raises: UnsupportedError where the format is not written; ParameterError where the file cannot be,
    OutputError where the disk is full or fails. Then none of the files is changed.
    """
    path = Path(path)
    return store(written_format(path).write(chain), path)


def written_suffixes() -> tuple[str, ...]:
    """The suffixes of all formats in which a chain is written, sorted."""
    return tuple(sorted(suffix for suffix, known in _BY_SUFFIX.items() if known.is_written))


def store(writing: Writing, path: Path) -> tuple[str, ...]:
    """Write the files of a model, all or none, and return what they cannot hold. Raises: as `save`."""
    write_files(
        {
            path if suffix == path.suffix.lower() else path.with_suffix(suffix): text
            for suffix, text in writing.texts.items()
        }
    )
    return writing.losses


def written_format(path: str | Path) -> Format:
    """The format in which a chain is written there. Raises: UnsupportedError where there is none."""
    path = Path(path)
    known = _BY_SUFFIX.get(path.suffix.lower())
    if known is None or not known.is_written:
        listed = ", ".join(written_suffixes())
        raise UnsupportedError(f"{path}: no writer for the suffix '{path.suffix}'; written are {listed}")
    return known


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
