"""Files of Markov decision processes, and of models that may be chains as well, chosen by suffix.

`load_decision_process` and `save_decision_process` are for processes, `load_model` and `save_model` take what
there is. Of the formats, ``.mdp`` holds nothing but processes, while a ``.drn`` file and a PRISM program may
hold a chain, and say so themselves. So a format reads in two ways: what there is, and a process only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bdist.chains import formats as chain_formats
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import DRN, PRISM, ReadOptions, Writing, load, save, store
from bdist.dpctl import drn_files as drn_processes
from bdist.dpctl import prism_files
from bdist.dpctl import text as mdp
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.errors import FormatError, UnsupportedError
from bdist.text.files import read_text

Model = LabelledMarkovChain | MarkovDecisionProcess


@dataclass(frozen=True)
class ProcessFormat:
    """A format of decision processes; ``options`` names the fields of ReadOptions that it understands."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, ReadOptions], Model]
    read_process: Callable[[Path, ReadOptions], MarkovDecisionProcess]
    write: Callable[[MarkovDecisionProcess], Writing] | None = None
    options: frozenset[str] = frozenset()

    def load(self, path: Path, options: ReadOptions) -> Model:
        """Read what the file holds. Raises: UnsupportedError for an option of others; as the reader."""
        options.check(path, self.name, self.options)
        return self.read(path, options)

    def load_process(self, path: Path, options: ReadOptions) -> MarkovDecisionProcess:
        """Read a process. Raises: FormatError where it is a chain; as `load`."""
        options.check(path, self.name, self.options)
        return self.read_process(path, options)


PROCESS_FORMATS = (
    ProcessFormat(
        name=mdp.SUFFIX,
        suffixes=(mdp.SUFFIX,),
        read=lambda path, _: mdp.load_decision_process(path),
        read_process=lambda path, _: mdp.load_decision_process(path),
        write=lambda process: Writing({mdp.SUFFIX: mdp.write(process)}),
    ),
    ProcessFormat(
        name=DRN.name,
        suffixes=DRN.suffixes,
        read=lambda path, options: drn_processes.read_model(read_text(path), path, options),
        read_process=lambda path, options: drn_processes.read_process(read_text(path), path, options),
        write=drn_processes.write_process,
        options=drn_processes.OPTIONS,
    ),
    ProcessFormat(
        name=PRISM.name,
        suffixes=PRISM.suffixes,
        read=prism_files.read_model,
        read_process=prism_files.read_process,
        options=prism_files.OPTIONS,
    ),
)

_BY_SUFFIX = {suffix: known for known in PROCESS_FORMATS for suffix in known.suffixes}


def load_decision_process(path: str | Path, options: ReadOptions | None = None) -> MarkovDecisionProcess:
    """Read a Markov decision process: ``.mdp``, ``.drn``, or a PRISM program. Raises: as `load`."""
    path = Path(path)
    known = _process_format(path)
    if known is None:
        listed = ", ".join(sorted(_BY_SUFFIX))
        message = f"no reader of decision processes for the suffix '{path.suffix}'; known are {listed}"
        raise FormatError(message, source=path)
    return known.load_process(path, ReadOptions() if options is None else options)


def load_model(path: str | Path, options: ReadOptions | None = None) -> Model:
    """Read a chain or a Markov decision process, whichever the file holds. Raises: as `load`."""
    path = Path(path)
    known = _process_format(path)
    if known is None:
        return load(path, options)
    return known.load(path, ReadOptions() if options is None else options)


def save_decision_process(process: MarkovDecisionProcess, path: str | Path) -> tuple[str, ...]:
    """Write a decision process as ``.mdp`` or ``.drn``. Ensures, Raises: as `save`."""
    path = Path(path)
    known = _process_format(path)
    if known is None or known.write is None:
        listed = ", ".join(sorted(s for s, f in _BY_SUFFIX.items() if f.write is not None))
        message = f"{path}: no writer of decision processes for the suffix '{path.suffix}'"
        raise UnsupportedError(f"{message}; written are {listed}")
    return store(known.write(process), path)


def save_model(model: Model, path: str | Path) -> tuple[str, ...]:
    """Write a chain or a decision process. Ensures, Raises: as `save`."""
    if isinstance(model, MarkovDecisionProcess):
        return save_decision_process(model, path)
    if Path(path).suffix.lower() == mdp.SUFFIX:
        raise UnsupportedError(f"{path}: {mdp.SUFFIX} files hold decision processes, and this is a chain")
    return save(model, path)


def written_suffixes() -> tuple[str, ...]:
    """The suffixes of all formats in which a chain or a decision process is written, sorted."""
    processes = {suffix for suffix, known in _BY_SUFFIX.items() if known.write is not None}
    return tuple(sorted({*chain_formats.written_suffixes(), *processes}))


def _process_format(path: Path) -> ProcessFormat | None:
    return _BY_SUFFIX.get(path.suffix.lower())
