"""Every exception that bdist raises on purpose.

All of them descend from ``BdistError``, so a program that calls the library needs one ``except``. The tree
says whose move it is: ``InputError`` is the caller's, ``UnsupportedError`` a combination we do not offer
(``UnsupportedModel`` a model that we do not decide), ``BackendError`` a solver's, ``OutputError`` the disk's,
``CertificateError`` a proof's, ``InternalError`` ours. A message names the object, the value found and
the value required, in one line.

A message that says what to write instead says it in the language of whoever asked: an option to somebody who
typed a command, a keyword argument to a program. One place knows which it is: the entry of the command line
(`speaking_of_options`). Most messages speak of "the tolerance" and are right in both; the others ask
`parameter` for the name of one, or give both sentences to `by_caller`. Processes that are started for a part
of the work are asked by nobody, and their messages name neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bdist.printing import lines, message_text


class _Caller:
    types_options = False


@contextmanager
def speaking_of_options() -> Iterator[None]:
    """While a command runs: messages speak of options."""
    before, _Caller.types_options = _Caller.types_options, True
    try:
        yield
    finally:
        _Caller.types_options = before


def by_caller(typed: str, called: str) -> str:
    """What to tell whoever typed a command, or whoever called a function."""
    return typed if _Caller.types_options else called


def parameter(name: str, typed: str = "", called: str = "") -> str:
    """A parameter as the caller writes it, with a value or alone: ``--alpha 1.5``, or ``alpha='1.5'``."""
    option = f"--{name.replace('_', '-')}"
    return by_caller(f"{option} {typed}".rstrip(), f"{name}={called}" if called else name)


class BdistError(Exception):
    """Anything that bdist refuses or fails to do.

    The message may quote what was handed in, whatever it is, in one line of a length that can be read: what
    would break the line or steer a terminal is spelled out, and the middle of a message that is too long is
    left out (`bdist.printing`).
    """

    exit_code = 70  # of a command that it ends

    def __init__(self, message: str = "") -> None:
        super().__init__(message_text(message))


class InputError(BdistError):
    """What was handed in is wrong: a file, a model or a parameter."""

    exit_code = 4


class FormatError(InputError):
    """A file or text does not follow its format; says where and what was expected."""

    def __init__(
        self, message: str, *, source: str | Path | None = None, line: int = 0, column: int = 0
    ) -> None:
        self.source, self.line, self.column = str(source) if source is not None else "<text>", line, column
        place = (self.source, line, column if line else 0)
        super().__init__(f"{':'.join(str(part) for part in place if part)}: {message}")


class ModelError(InputError):
    """A model is not what its type demands, such as a row that does not sum to one; names the state."""

    def __init__(self, message: str, *, state: str | None = None) -> None:
        self.state = state
        super().__init__(message)


class ProgramError(ModelError):
    """A program breaks a rule of its language; says where and names the rule."""

    def __init__(self, message: str, *, source: str = "", line: int = 0, column: int = 0) -> None:
        self.source = source
        self.line = line
        self.column = column
        place = f"{source or '<program>'}:{line}:{column}" if line else source
        super().__init__(f"{place}: {message}" if place else message)


class ParameterError(InputError):
    """A parameter is outside its range, of a refused type, or names something that is not there."""

    exit_code = 2


class UnsupportedError(BdistError):
    """A combination of options that is well formed and not offered; says what is."""

    exit_code = 2


class UnsupportedModel(UnsupportedError):
    """A model that is read and understood, and outside of what is decided; names the rule that it breaks."""

    exit_code = 4


class BackendError(BdistError):
    """A solver is missing, failed, or answered with a status that we do not know."""

    exit_code = 5


class BackendDied(BackendError):
    """The process of a solver ended before it answered; what was proved without it still stands."""


class OutputError(BdistError):
    """What was found cannot be delivered: the disk is full or fails."""


class CertificateError(BdistError):
    """A certificate cannot be accepted."""


class CertificateSyntaxError(CertificateError):
    """A certificate is not a document of the specified form."""

    exit_code = 4


class CertificateTooLarge(CertificateSyntaxError):
    """Checking a certificate would take more time or memory than the checker allows itself."""


class CertificateRejected(CertificateError):
    """A well-formed certificate does not prove its claim; names the step of the check that failed."""

    exit_code = 1

    def __init__(self, step: str, reason: str) -> None:
        self.step = step
        self.reason = reason
        super().__init__(f"rejected at {step}: {reason}")


class NotExact(BdistError):
    """An exact value was asked of a result that is only a bracket, or that is not certified."""


class NotPrivate(BdistError):
    """A relation was required to be private and is not, or is not known to be.

    The message has the attack, in several lines; ``audit`` is the `bdist.Audit` that it is about.
    """

    def __init__(self, message: str, audit: Any = None) -> None:
        self.audit = audit
        Exception.__init__(self, lines(message))


class InternalError(BdistError):
    """An answer of ours failed its own exact re-check. It is never returned; please report it."""
