"""File formats, one module each, chosen by suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bdist.errors import FormatError
from bdist.formats import lmc
from bdist.formats.files import read_text
from bdist.models.chain import LabelledMarkovChain

_READERS: dict[str, Callable[[str, str | Path], LabelledMarkovChain]] = {".lmc": lmc.read}


def load(path: str | Path) -> LabelledMarkovChain:
    """Read a model file, its format chosen by its suffix.

    Raises: FormatError where the file cannot be read or does not follow its format; ModelError where it is no
    Markov chain.
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(_READERS))
        raise FormatError(f"no reader for the suffix '{path.suffix}'; known are {known}", source=path)
    return reader(read_text(path), path)
