"""Relation files: one pair of neighbours a line.

    # comment to the end of the line
    s0 s1
    s0 ~ "two heads"          # the sign between them may be there

Names are written as in ``.lmc`` files. That a state exists is for the chain to say, but the line is known
here, so the reader is given the chain and its refusals name the line. On a command line the same pairs are
written ``s0:s1,s1:"two heads"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats.lmc import spelled
from bdist.chains.relation import Pair, Relation
from bdist.errors import FormatError, ParameterError
from bdist.text.files import read_text

_NAME = r"""(?:[A-Za-z0-9_.'+-]++|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")"""
_LINE = re.compile(rf"[ \t\r]*(?:(?P<s>{_NAME})(?:[ \t]*~[ \t]*|[ \t]+)(?P<t>{_NAME})[ \t\r]*)?(?:#.*)?")
_INLINE = re.compile(rf"[ \t]*(?P<s>{_NAME})[ \t]*[:~][ \t]*(?P<t>{_NAME})[ \t]*(?P<end>,|\Z)")


def load_relation(path: str | Path, chain: LabelledMarkovChain) -> Relation:
    """Read a relation file for a chain. Raises: FormatError with the line."""
    return read(read_text(path), chain, path)


def read(text: str, chain: LabelledMarkovChain, source: str | Path = "<text>") -> Relation:
    """Parse the text of a relation file for a chain. Raises: FormatError with the line."""
    try:
        return Relation.of(chain, _pairs(text, chain, source))
    except ParameterError as error:
        raise FormatError(str(error), source=source) from None


def write(pairs: Iterable[Pair]) -> str:
    """The text of a relation file; reading it back gives the same pairs."""
    return "".join(f"{spelled(s)} {spelled(t)}\n" for s, t in pairs)


def parse_pairs(text: str) -> Iterator[Pair]:
    """Pairs as they are written on a command line, ``s0:s1,s1:s2``. Raises: ParameterError."""
    position = 0
    while True:
        match = _INLINE.match(text, position)
        if match is None:
            raise ParameterError(
                f"expected pairs such as s0:s1,s1:s2, odd names in double quotes, at '{text[position:][:40]}'"
            )
        yield _plain(match["s"]), _plain(match["t"])
        position = match.end()
        if not match["end"]:
            return


def _pairs(text: str, chain: LabelledMarkovChain, source: str | Path) -> Iterator[Pair]:
    for number, line in enumerate(text.split("\n"), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise FormatError(
                f"expected two states such as: s0 s1; found '{line.strip()[:40]}'", source=source, line=number
            )
        if match["s"] is None:
            continue
        pair = (_plain(match["s"]), _plain(match["t"]))
        try:
            chain.index(pair[0]), chain.index(pair[1])
        except ParameterError as error:
            raise FormatError(str(error), source=source, line=number) from None
        yield pair


def _plain(name: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", name[1:-1]) if name.startswith('"') else name
