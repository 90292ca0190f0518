"""File formats, one module each, chosen by suffix.

`load` and `save` are for chains. Automata have a format of their own, `dipa`, with `load_automaton`, and
hidden Markov models have `hmm`, with `load_hidden_model`, and Markov decision processes `mdp`, with
`load_decision_process`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bdist.errors import FormatError, ParameterError, UnsupportedError
from bdist.formats import chain_json, dipa, drn, hmm, lmc, mdp, prism, tlmc, tra
from bdist.formats.description import Format, ReadOptions, Writing
from bdist.models.chain import LabelledMarkovChain

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
    if suffix == dipa.SUFFIX:
        raise FormatError(f"this is an automaton, not a chain; ask: bdist dipa {path}", source=path)
    if suffix == hmm.SUFFIX:
        message = f"this is a hidden Markov model, not a chain; ask: bdist pufferfish {path}"
        raise FormatError(message, source=path)
    if suffix == mdp.SUFFIX:
        message = f"this is a Markov decision process, not a chain; ask: bdist modelcheck {path} FORMULA"
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
    Raises: UnsupportedError where the format is not written; ParameterError where the file cannot be.
    """
    path = Path(path)
    writing = writer_of(path)(chain)
    for suffix, text in writing.texts.items():
        target = path if suffix == path.suffix.lower() else path.with_suffix(suffix)
        try:
            target.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise ParameterError(f"cannot write {target}: {error.strerror or error}") from None
    return writing.losses


def writer_of(path: str | Path) -> Callable[[LabelledMarkovChain], Writing]:
    """The function that writes the format of a suffix. Raises: UnsupportedError where there is none."""
    path = Path(path)
    known = _BY_SUFFIX.get(path.suffix.lower())
    if known is None or known.write is None:
        listed = ", ".join(sorted(s for s, f in _BY_SUFFIX.items() if f.write is not None))
        raise UnsupportedError(f"{path}: no writer for the suffix '{path.suffix}'; written are {listed}")
    return known.write
