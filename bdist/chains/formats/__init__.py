"""File formats, one module each, chosen by suffix.

`load` and `save` are for chains. Models of other theories have formats of their own in their folders; a file
of one of these is told by its suffix, and the refusal names the command that reads it. Some formats here may
hold a Markov decision process instead (`bdist.dpctl.formats`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import chain_json, drn, lmc, prism, tlmc, tra
from bdist.chains.formats.description import Format, ReadOptions, Writing
from bdist.errors import FormatError, UnsupportedError
from bdist.text.scanner import Place
from bdist.text.writing import write_texts
from bdist.theories import THEORIES

FORMATS: tuple[Format, ...] = (
    *(lmc.FORMAT, tlmc.FORMAT, chain_json.FORMAT, tra.FORMAT, drn.FORMAT, prism.FORMAT),
)

_BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}


def load(path: str | Path, options: ReadOptions | None = None) -> LabelledMarkovChain:
    """Read a model file, its format chosen by its suffix.

    Raises: FormatError where the file cannot be read or does not follow its format; ModelError where it is no
    Markov chain; UnsupportedError for an option that the format does not use; ParameterError for an option
    that does not fit the file; BackendError where a package that the format needs is not installed.
    """
    path = Path(path)
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
    return store(writer_of(path)(chain), path)


def written_suffixes() -> tuple[str, ...]:
    """The suffixes of all formats in which a chain is written, sorted."""
    return tuple(sorted(suffix for suffix, known in _BY_SUFFIX.items() if known.write is not None))


def store(writing: Writing, path: Path) -> tuple[str, ...]:
    """Write the files of a model, all or none, and return what they cannot hold. Raises: as `save`."""
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
