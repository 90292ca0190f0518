"""What every reader needs: numbers that are read once, and refusals that say where.

The same few probabilities occur again and again in a file, and reading one exactly costs more than everything
else that is done with its line, so those that were read are remembered.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from bdist.errors import FormatError, ModelError, ParameterError
from bdist.exact.reading import ROWS_BITS, parse_rational

ROUNDED = "decimals such as 0.333333 are rounded numbers; export or write exact fractions instead"

_LONGEST_FOUND = 40
_WORDS = re.compile(r"[^ \t\r\f\v]+")


class Numbers:
    """Exact numbers by their text, each parsed once; they are probabilities unless they may have a sign."""

    def __init__(self, *, signed: bool = False) -> None:
        self._signed = signed
        self._known: dict[str, Fraction] = {}
        self._bits = 0

    def __call__(self, text: str) -> Fraction:
        """The number that a text states.

        Raises: ParameterError where it is no number, a negative probability, or one of so many long ones that
        no chain has rows like that.
        """
        known = self._known.get(text)
        if known is None:
            known = parse_rational(text)
            if known < 0 and not self._signed:
                raise ParameterError(f"probability {shortened(text)} is negative")
            self._bits += known.numerator.bit_length() + known.denominator.bit_length()
            if self._bits > 2 * ROWS_BITS:
                raise ParameterError(f"the numbers up to here have more than {2 * ROWS_BITS} bits")
            self._known[text] = known
        return known

    def has_decimals(self) -> bool:
        """Whether some number was written as a decimal that a program may have rounded."""
        return any("." in text for text in self._known)


class Place:
    """A file, and how to refuse one of its lines."""

    def __init__(self, source: str | Path) -> None:
        self.source = source

    def refuse(self, message: str, line: int = 0, column: int = 0) -> NoReturn:
        """Raises: FormatError at that line."""
        raise FormatError(message, source=self.source, line=line, column=column)

    def refuse_process(self, line: int = 0) -> NoReturn:
        """Raises: FormatError: a decision process stands where a chain is asked for."""
        ask = f"bdist modelcheck {self.source} FORMULA"
        self.refuse(f"this is a Markov decision process, not a chain; ask: {ask}", line)

    def model_error(self, error: ModelError, line: int = 0, hint: str = "") -> ModelError:
        """The error of a model with the line that declares the state it is about, and a hint."""
        where = f"{self.source}:{line}" if line else f"{self.source}"
        return ModelError(f"{where}: {error}{f'; {hint}' if hint else ''}", state=error.state)


def words_of(line: str) -> list[str]:
    """The words of a line; unlike ``str.split``, only blanks of ASCII part them."""
    return _WORDS.findall(line)


def shortened(text: str) -> str:
    """A text that fits into a message."""
    return text if len(text) <= _LONGEST_FOUND else text[: _LONGEST_FOUND - 3] + "..."
