"""The ``.dip`` format: probabilistic programs, and the privacy that is asked of them.

    program svt;                       # optional
    domain {-1 .. 1};                  # the values of the inputs
    input q[2];                        # q[1] and q[2]
    output o[2];
    adjacent linf 1;                   # neighbours: no entry changes by more than 1
    claim eps;                         # or 1/2*eps, delta exp(-eps)/100; this is what is left out, too
    epsilon in (0, inf);               # the same

    rT ~ Lap(1/2*eps, 0);              # density (eps/4) e^(-eps/2 |x|)
    for i in 1..2 {
      o[i] := 0;
    }
    for i in 1..2 {
      r ~ Lap(1/4*eps, q[i]);
      if r >= rT {
        o[i] := 1;
        exit;
      }
    }

The grammar and what it means are in section 1 of SPEC-DIPC, which the checker reads by, too. Besides what is
above there are DLap, Exp and choose, outputs such as ``disc(r, -1 < 0 < 1)``, functions as expressions or
tables, listed pairs of neighbours, ``while``, ``else``.

Reading ends with a `Program` as it was written. That it follows the grammar and that its declarations make
sense is checked here; loops are unrolled by `program_expansion`, and the rules for variables are held by
`program_kinds`, each with the line and column of the text.

`text_of` writes a program back: one layout, as few parentheses as the grammar allows.
"""

from __future__ import annotations

from pathlib import Path

from bdist.dipc.declarations import check_declarations
from bdist.dipc.layout import text_of
from bdist.dipc.program import Claim, Expression, Interval, Program
from bdist.dipc.statements import ProgramReader
from bdist.dipc.tokens import MOST_CHARACTERS
from bdist.text.files import read_text

__all__ = ["SUFFIX", "load_program", "read", "read_claim", "read_delta", "read_interval", "text_of"]

SUFFIX = ".dip"

_MOST_BYTES = 4 * MOST_CHARACTERS  # of UTF-8; comments may have them all


def load_program(path: str | Path) -> Program:
    """Read a ``.dip`` file.

    Raises: FormatError where it cannot be read or does not follow the grammar, ProgramError where a
    declaration makes no sense, both with line and column.
    """
    return read(read_text(path, limit=_MOST_BYTES), path)


def read(text: str, source: Path | str | None = None) -> Program:
    """Parse ``.dip`` text; ``source`` is what messages call it.

    Raises: FormatError where it does not follow the grammar, ProgramError where a declaration makes no sense.
    """
    program = ProgramReader(text, "<text>" if source is None else source).program()
    check_declarations(program)
    return program


def read_claim(text: str, source: str) -> Claim:
    """A claim such as ``1/2*eps, delta 1/1000``; ``source`` is what messages call it. Raises: as `read`."""
    return ProgramReader(text, source).claim()


def read_delta(text: str, source: str) -> Expression:
    """A delta such as ``exp(-eps)/100``; ``source`` is what messages call it. Raises: as `read`."""
    return ProgramReader(text, source).delta()


def read_interval(text: str, source: str) -> Interval:
    """An interval such as ``(0, 2]``; ``source`` is what messages call it. Raises: FormatError."""
    return ProgramReader(text, source).interval()
