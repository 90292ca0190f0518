"""What the subcommands share: exit codes, options, JSON, progress, a budget that signals end."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from bdist import __version__
from bdist.budget import Budget
from bdist.cli.limits import command_budget, give_up, handled
from bdist.cli.streams import bare, complain
from bdist.distances.run import Progress
from bdist.errors import (
    BackendError,
    BdistError,
    CertificateRejected,
    CertificateSyntaxError,
    InputError,
    InternalError,
    OutputError,
    ParameterError,
    UnsupportedError,
)
from bdist.exact.display import decimal_down, decimal_up
from bdist.printing import message_text
from bdist.report import SCHEMA, Report
from bdist.text.writing import write_text

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="The chain: .lmc, .tlmc, .json, .tra (with its .lab), .drn, or a PRISM program (.pm, .prism).",
        show_default=False,
    ),
]
FirstState = Annotated[str, typer.Argument(metavar="S", help="A state, by name.", show_default=False)]
SecondState = Annotated[str, typer.Argument(metavar="T", help="Another state, by name.", show_default=False)]
Alpha = Annotated[
    str | None,
    typer.Option(
        "--alpha", metavar="A", help="The skew alpha = e^epsilon, at least 1: p/q or a decimal, read exactly."
    ),
]
Epsilon = Annotated[
    str | None,
    typer.Option(
        "--epsilon",
        metavar="E",
        help="Epsilon, at least 0: p/q, a decimal, or 'ln q' (exact); alpha is rounded to the sound side.",
    ),
]
Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="Q",
        help="A certified bracket of this width will do; 0 demands the exact value. "
        "[default: exact, or 1e-9 where that would be long]",
        show_default=False,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="Threads of the kernel. [default: BDIST_JOBS, or all cores]",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
CertificateOut = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="OUT",
        help="Write the certificate there, for 'bdist check' or any other checker.",
    ),
]


def exit_code_of(error: BdistError) -> int:
    """The exit code of the documented list for an error."""
    codes: list[tuple[type[BdistError], int]] = [
        (ParameterError, 2),
        (UnsupportedError, 2),
        (InputError, 4),
        (CertificateSyntaxError, 4),
        (CertificateRejected, 1),
        (BackendError, 5),
        (OutputError, 70),
        (InternalError, 70),
    ]
    return next((code for kind, code in codes if isinstance(error, kind)), 70)


class _Printed:
    anything = False


def print_report(report: Report, as_json: bool) -> None:
    """Print an answer in the form that was asked for. Raises: typer.Exit with its code, if that is not 0."""
    if as_json:
        print_json(report.document)
    else:
        typer.echo(report.text)
    if report.exit_code:
        raise typer.Exit(report.exit_code)


class Proof(Protocol):
    """A certificate of any kind."""

    def to_json(self) -> str:
        """Its document."""


def check_writable(path: Path | None, model: Path) -> None:
    """Refuse, before the work and not after it, the model itself and a file whose folder is not there.

    Raises: ParameterError.
    """
    if path is None:
        return
    if not path.absolute().parent.is_dir():
        raise ParameterError(f"cannot write {path}: its folder is not there")
    if path.exists() and model.exists() and path.samefile(model):
        raise ParameterError(f"cannot write {path}: it is the model; name another file")


def write_certificate(path: Path | None, certificate: Proof | None) -> None:
    """Write a certificate where one was asked for and there is one. Raises: as `write_text`."""
    if path is not None and certificate is not None:
        write_text(path, certificate.to_json())


def print_json(document: Mapping[str, object]) -> None:
    """One JSON object on standard output, under the versions of the tool and of the schema."""
    _Printed.anything = True
    typer.echo(json.dumps({"bdist": __version__, "schema": SCHEMA, **document}, indent=2))


@contextmanager
def printing() -> Iterator[None]:
    """Around a command: nothing is printed yet."""
    _Printed.anything = False
    yield


def print_error(error: BaseException, message: str, code: int) -> None:
    """What went wrong as the one JSON object on standard output, unless the answer is there already."""
    if not _Printed.anything:
        print_json(error_document(error, message, code))


def error_document(error: BaseException, message: str | None = None, code: int = 70) -> dict[str, object]:
    """What went wrong as a part of a JSON object: the same for every command."""
    found: dict[str, object] = {
        "kind": type(error).__name__,
        "message": message_text(error) if message is None else message,
        "exit_code": exit_code_of(error) if isinstance(error, BdistError) else code,
    }
    where = {name: getattr(error, name, None) for name in ("source", "line", "column")}
    return {"error": found | {name: value for name, value in where.items() if value}}


@contextmanager
def interruptible(most: float | None = None) -> Iterator[Budget]:
    """What is left of the command's time, for one computation, and no more than ``most`` seconds of it.

    Ctrl-C asks for the answer so far, and a second one ends the program.
    """
    budget = command_budget(most=most)

    def on_signal(number: int) -> None:
        if budget.stop.is_set():
            give_up(number)
        budget.stop.set()
        with suppress(RuntimeError):  # the signal came in the middle of another message
            complain("stopping with what is proved so far (Ctrl-C again to give up)")

    with handled(on_signal):
        yield budget


class _Line:
    """A status line on the terminal, refreshed at most ten times a second."""

    def __init__(self, task: TaskID, bar: Bar) -> None:
        self._task, self._bar = task, bar
        self._next = 0.0

    def __call__(self, now_at: Progress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.1
        bounds = f"{decimal_down(now_at.lower, 6)} <= bd <= {decimal_up(now_at.upper, 6)}"
        self._bar.update(
            self._task,
            description=f"round {now_at.round}, {now_at.phase}",
            completed=now_at.done,
            total=now_at.total,
            bounds=bounds,
        )


@contextmanager
def progress() -> Iterator[Callable[[Progress], None] | None]:
    """Who shows on a terminal how far the computation of a distance is; None where there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[bounds]}"),
        TimeElapsedColumn(),
    )
    with RichProgress(*columns, console=Console(file=bare(sys.stderr)), transient=True) as bar:
        yield _Line(bar.add_task("starting", total=None, bounds=""), bar)
