"""The formats of Markov decision processes, as data; `bdist.formats` chooses one by its suffix.

Of these, ``.mdp`` holds nothing else, while a ``.drn`` file and a PRISM program may hold a chain, and say so
themselves. So a format reads in two ways: what there is, and a process only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bdist.formats import drn, drn_processes, mdp, prism
from bdist.formats.description import ReadOptions, Writing
from bdist.formats.files import read_text
from bdist.models.chain import LabelledMarkovChain
from bdist.models.mdp import MarkovDecisionProcess

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
        name=drn.FORMAT.name,
        suffixes=drn.FORMAT.suffixes,
        read=lambda path, options: drn_processes.read_model(read_text(path), path, options),
        read_process=lambda path, options: drn_processes.read_process(read_text(path), path, options),
        write=drn_processes.write_process,
        options=drn_processes.OPTIONS,
    ),
    ProcessFormat(
        name=prism.FORMAT.name,
        suffixes=prism.FORMAT.suffixes,
        read=prism.read_model,
        read_process=prism.read_process,
        options=prism.PROCESS_OPTIONS,
    ),
)
