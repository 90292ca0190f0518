"""File formats, one module each, chosen by suffix.

`load` and `save` are for chains, `load_decision_process` and `save_decision_process` for Markov decision
processes. Some formats hold both: `load_model` and `save_model` take what there is. Automata have a format of
their own, `dipa`, with `load_automaton`, hidden Markov models have `hmm`, with `load_hidden_model`, and
probabilistic programs have `dip`, with `load_program`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bdist.errors import FormatError, UnsupportedError
from bdist.files import write_texts
from bdist.formats import chain_json, dip, dipa, drn, hmm, lmc, mdp, prism, tlmc, tra
from bdist.formats.description import Format, ReadOptions, Writing
from bdist.formats.process_formats import PROCESS_FORMATS, Model, ProcessFormat
from bdist.formats.reading import Place
from bdist.models.chain import LabelledMarkovChain
from bdist.models.mdp import MarkovDecisionProcess

FORMATS: tuple[Format, ...] = (
    *(lmc.FORMAT, tlmc.FORMAT, chain_json.FORMAT, tra.FORMAT, drn.FORMAT, prism.FORMAT),
)

_BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}
_PROCESSES_BY_SUFFIX = {suffix: known for known in PROCESS_FORMATS for suffix in known.suffixes}


def load(path: str | Path, options: ReadOptions | None = None) -> LabelledMarkovChain:
    """Read a model file, its format chosen by its suffix.

    Raises: FormatError where the file cannot be read or does not follow its format; ModelError where it is no
    Markov chain; UnsupportedError for an option that the format does not use; ParameterError for an option
    that does not fit the file; BackendError where a package that the format needs is not installed.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == dipa.SUFFIX:
        raise FormatError(f"this is an automaton, not a chain; ask: bdist dipa {path}", source=path)
    if suffix == dip.SUFFIX:
        raise FormatError(f"this is a program, not a chain; ask: bdist dipc {path}", source=path)
    if suffix == hmm.SUFFIX:
        message = f"this is a hidden Markov model, not a chain; ask: bdist pufferfish {path}"
        raise FormatError(message, source=path)
    if suffix == mdp.SUFFIX:
        Place(path).refuse_process()
    known = _BY_SUFFIX.get(suffix)
    if known is None:
        listed = ", ".join(sorted(_BY_SUFFIX))
        raise FormatError(f"no reader for the suffix '{path.suffix}'; known are {listed}", source=path)
    return known.load(path, ReadOptions() if options is None else options)


def load_decision_process(path: str | Path, options: ReadOptions | None = None) -> MarkovDecisionProcess:
    """Read a Markov decision process: ``.mdp``, ``.drn``, or a PRISM program. Raises: as `load`."""
    path = Path(path)
    known = _process_format(path)
    if known is None:
        listed = ", ".join(sorted(_PROCESSES_BY_SUFFIX))
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


def save(chain: LabelledMarkovChain, path: str | Path) -> tuple[str, ...]:
    """Write a chain, its format chosen by the suffix; a ``.tra`` file gets its ``.lab`` file beside it.

    Ensures: reading it back gives the chain, but for what the result says, one line each, that the format
    cannot hold; labels and probabilities always come back.
    Raises: UnsupportedError where the format is not written; ParameterError where the file cannot be,
    OutputError where the disk is full or fails. Then none of the files is changed.
    """
    path = Path(path)
    return _save(writer_of(path)(chain), path)


def save_decision_process(process: MarkovDecisionProcess, path: str | Path) -> tuple[str, ...]:
    """Write a decision process as ``.mdp`` or ``.drn``. Ensures, Raises: as `save`."""
    path = Path(path)
    known = _process_format(path)
    if known is None or known.write is None:
        listed = ", ".join(sorted(s for s, f in _PROCESSES_BY_SUFFIX.items() if f.write is not None))
        message = f"{path}: no writer of decision processes for the suffix '{path.suffix}'"
        raise UnsupportedError(f"{message}; written are {listed}")
    return _save(known.write(process), path)


def save_model(model: Model, path: str | Path) -> tuple[str, ...]:
    """Write a chain or a decision process. Ensures, Raises: as `save`."""
    if isinstance(model, MarkovDecisionProcess):
        return save_decision_process(model, path)
    if Path(path).suffix.lower() == mdp.SUFFIX:
        raise UnsupportedError(f"{path}: {mdp.SUFFIX} files hold decision processes, and this is a chain")
    return save(model, path)


def written_suffixes() -> tuple[str, ...]:
    """The suffixes of all formats in which a chain or a decision process is written, sorted."""
    chains = {suffix for suffix, known in _BY_SUFFIX.items() if known.write is not None}
    return tuple(sorted(chains | {s for s, known in _PROCESSES_BY_SUFFIX.items() if known.write is not None}))


def _process_format(path: Path) -> ProcessFormat | None:
    return _PROCESSES_BY_SUFFIX.get(path.suffix.lower())


def _save(writing: Writing, path: Path) -> tuple[str, ...]:
    write_texts(
        {
            path if suffix == path.suffix.lower() else path.with_suffix(suffix): text
            for suffix, text in writing.texts.items()
        }
    )
    return writing.losses


def writer_of(path: str | Path) -> Callable[[LabelledMarkovChain], Writing]:
    """The function that writes the format of a suffix. Raises: UnsupportedError where there is none."""
    path = Path(path)
    known = _BY_SUFFIX.get(path.suffix.lower())
    if known is None or known.write is None:
        listed = ", ".join(sorted(s for s, f in _BY_SUFFIX.items() if f.write is not None))
        raise UnsupportedError(f"{path}: no writer for the suffix '{path.suffix}'; written are {listed}")
    return known.write
