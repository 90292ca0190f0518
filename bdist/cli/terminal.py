"""The terminal: guarded streams, the options that subcommands share, text, JSON, errors and progress.

While a command runs, both streams are wrapped. What is written is spelled out where it must be
(`bdist.printing`), whoever wrote it and whatever name was forgotten on the way; a reporter that formats names
itself keeps them short and on one line, this is the last resort. A character that the encoding of the stream
does not have is spelled out, too, rather than an error. The wrapper hides the bytes below, which typer would
otherwise write to on its own where it takes an encoding for a mistake.

A stream that fails is told apart: a pipe whose reader has gone (``| head``) is no mistake of anybody and ends
the command quietly; a full disk loses the answer, and that is said and has its own exit code. Python flushes
both streams again when it exits, and complains in its own words; a stream that has failed is led to
``/dev/null`` before that.

A descriptor of the three that is closed when the command starts is opened on ``/dev/null``: otherwise the
first file that is opened, a journal, would be standard output.
"""

from __future__ import annotations

import csv
import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, TextIO, cast

import typer

from bdist.budget import Budget
from bdist.certificates import Document
from bdist.cli.colour import is_coloured, painted, painted_error
from bdist.cli.limits import command_budget, give_up, handled
from bdist.cli.standard_input import from_dash
from bdist.cli.ticker import Ticker, current
from bdist.errors import BdistError, OutputError, ParameterError
from bdist.exact.rationals import decimal_down, decimal_up
from bdist.printing import lines, message_text, one_line
from bdist.report import Report, json_text
from bdist.text.files import write_text

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from bdist.distances.run import Progress

_SAFE = frozenset({"encoding", "errors", "closed", "isatty", "fileno", "writable"})


class _Guarded:
    """A text stream that spells out what it is given."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self.stream, self._name = stream, name

    def __getattr__(self, name: str) -> object:
        if name not in _SAFE:  # above all not ``buffer``, the bytes below
            raise AttributeError(name)
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        with self._delivered():
            self.stream.write(lines(text))
        return len(text)

    def show(self, text: str, paint: Callable[[str], str]) -> None:
        """Write text of ours in colours, which are put on when nothing in it can steer the terminal."""
        with self._delivered():
            self.stream.write(paint(lines(text)))

    def pass_on(self, text: str) -> None:
        """Write text that must arrive as it is, for a program that reads it."""
        with self._delivered():
            self.stream.write(text)

    def writelines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.write(text)

    def flush(self) -> None:
        with self._delivered():
            self.stream.flush()

    @contextmanager
    def _delivered(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"cannot write to {self._name}: {error.strerror or error}") from None


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Both streams wrapped, as long as a command runs."""
    _open_closed_descriptors()
    before = sys.stdout, sys.stderr
    try:
        sys.stdout = _guard(before[0], "standard output")
        sys.stderr = _guard(before[1], "standard error")
        yield
    finally:
        sys.stdout, sys.stderr = before


def bare(stream: TextIO) -> TextIO:
    """The stream below a wrapped one, for a progress bar, which steers the terminal and prints no names."""
    return stream.stream if isinstance(stream, _Guarded) else stream


def say(text: str) -> None:
    """An answer, or a part of it, on standard output, in colours where these are wanted."""
    _shown(sys.stdout, f"{text}\n", painted)


def print_model(text: str) -> None:
    """The text of a model on standard output, as it is where no terminal shows it."""
    _Printed.anything = True
    out: TextIO | _Guarded | None = sys.stdout
    if isinstance(out, _Guarded) and not out.stream.isatty():
        out.pass_on(text)
    elif out is not None:
        out.write(text)


def complain(message: str, is_error: bool = False) -> None:
    """A line on standard error, if anybody can be told at all."""
    with suppress(OSError, OutputError, ValueError):
        if is_error:
            _shown(sys.stderr, "bdist:", painted_error)
            sys.stderr.write(f" {message}\n")
        else:
            sys.stderr.write(f"bdist: {message}\n")
        sys.stderr.flush()


def _shown(stream: TextIO, text: str, paint: Callable[[str], str]) -> None:
    if isinstance(stream, _Guarded) and is_coloured(stream.stream):
        stream.show(text, paint)
    elif stream is not None:
        stream.write(text)


def silence() -> None:
    """Lead the streams that cannot be written to into nothing, so that Python does not try again."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, OutputError, ValueError):
            with suppress(OSError, ValueError):
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, stream.fileno())
                os.close(nothing)


def _guard(stream: TextIO | None, name: str) -> TextIO:
    if stream is None:
        return cast("TextIO", None)
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    return cast("TextIO", _Guarded(stream, name))


def _open_closed_descriptors() -> None:
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one


def option(metavar: str | None, text: str, *names: str, default: Any = None, **more: Any) -> Any:
    """An option, as the default of the parameter that it is called after where no other names are given.

    With the default ``...`` it must be given, or is part of the type of several parameters.
    """
    return typer.Option(default, *names, metavar=metavar, help=text, **more)


def flag(names: str, text: str, default: Any = False) -> Any:
    """An option without a value; ``names`` are ``--on``, or ``--on/--no-on``."""
    return typer.Option(default, names, help=text)


def argument(metavar: str, text: str, default: Any = ..., **more: Any) -> Any:
    """An argument of a command, which must be given where it has no default."""
    return typer.Argument(default, metavar=metavar, help=text, show_default=False, **more)


def model_argument(text: str, suffix: str | None = None) -> Any:
    """The argument FILE, a model; for ``-`` it comes from standard input, in the format of the suffix."""
    return argument("FILE", f"{text} - is standard input.", callback=from_dash("model", suffix))


ModelFile = Annotated[
    Path,
    model_argument(
        "The chain: .lmc, .tlmc, .json, .tra (with its .lab), .drn, .umb, .jani, or a PRISM program "
        "(.pm, .prism)."
    ),
]
FirstState = Annotated[str, argument("S", "A state, by name.")]
SecondState = Annotated[str, argument("T", "Another state, by name.")]
Alpha = Annotated[
    str | None,
    option("A", "The skew alpha = e^epsilon, at least 1: p/q or a decimal, read exactly.", default=...),
]
Epsilon = Annotated[
    str | None,
    option(
        "E",
        "Epsilon, at least 0: p/q, a decimal, or 'ln q' (exact); alpha is rounded to the sound side.",
        default=...,
    ),
]
Precision = Annotated[
    str | None,
    option(
        "Q",
        "A certified bracket of this width will do; 0 demands the exact value. "
        "[default: exact, or 1e-9 where that would be long]",
        default=...,
    ),
]
Jobs = Annotated[
    int | None, option("N", "Threads of the kernel. [default: BDIST_JOBS, or all cores]", min=1, default=...)
]
Json = Annotated[bool, flag("--json", "Print one JSON object instead of text.", default=...)]
CertificateOut = Annotated[
    Path | None,
    option("OUT", "Write the certificate to this file, for 'bdist check' or any other checker.", default=...),
]


class _Printed:
    anything = False


def print_report(report: Report, as_json: bool) -> None:
    """Print an answer in the form that was asked for. Raises: typer.Exit with its code, if that is not 0."""
    if as_json:
        print_json(report.document)
    else:
        say(report.text)
    if report.exit_code:
        raise typer.Exit(report.exit_code)


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


def refuse_ignored(question: str, given: Mapping[str, object]) -> None:
    """Refuse options that do nothing where this is asked; those that were not typed are None or False.

    Raises: ParameterError.
    """
    for name, value in given.items():
        if value is not None and value is not False:
            raise ParameterError(f"{name} does nothing with {question}; leave out one of the two")


def check_plot(path: Path | None, log: bool) -> None:
    """Refuse, before the work, a picture that cannot be drawn. Raises: as `check_plot_path`."""
    if path is not None:
        from bdist.chains.drawings.plots import check_plot_path

        check_plot_path(path)
    elif log:
        raise ParameterError("--log is about the picture; give --plot as well")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, the names of the columns first."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def columns(rows: Sequence[Sequence[str]], margin: int) -> list[str]:
    """Rows as lines with aligned columns; a row with only a first cell does not count for their widths."""
    whole = [row for row in rows if any(row[1:])]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [f"{' ' * margin}{line}".rstrip() for line in lines]


def write_certificate(path: Path | None, certificate: Document | None) -> None:
    """Write a certificate where one was asked for and there is one. Raises: as `write_text`."""
    if path is not None and certificate is not None:
        write_text(path, certificate.to_json())


def print_json(document: Mapping[str, object]) -> None:
    """One JSON object on standard output, under the versions of the tool and of the schema."""
    _Printed.anything = True
    typer.echo(json_text(document))


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
        "exit_code": error.exit_code if isinstance(error, BdistError) else code,
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


@contextmanager
def status_line(
    columns: Callable[[ModuleType], tuple[str | ProgressColumn, ...]], first: str = "starting", **fields: Any
) -> Iterator[Callable[..., None] | None]:
    """What says how far a command is: a line on the terminal that is refreshed, or a plain one now and then.

    ``columns`` are made of the classes of `rich.progress`, and refer to the task's ``fields``. None where
    nobody could read it.
    """
    ticker = current()
    if sys.stderr is None:
        yield None
        return
    if not sys.stderr.isatty():
        try:
            yield partial(_note_progress, ticker)
        finally:
            ticker.doing = ""
        return
    from rich import progress as rich
    from rich.console import Console

    with rich.Progress(*columns(rich), console=Console(file=bare(sys.stderr)), transient=True) as bar:
        ticker.has_bar = True
        try:
            yield partial(bar.update, bar.add_task(first, total=None, **fields))
        finally:
            ticker.has_bar = False


def _note_progress(
    ticker: Ticker, description: str = "", completed: int = 0, total: int | None = None, **fields: str
) -> None:
    """What the next plain line will say."""
    counts = f"{completed} of {total}" if total else ""
    ticker.doing = one_line(", ".join(filter(None, (description, counts, *fields.values()))))


@contextmanager
def progress() -> Iterator[Callable[[Progress], None] | None]:
    """Who shows how far the computation of a distance is, if anybody can read it."""
    refreshed = 0.0

    def show(now_at: Progress) -> None:
        nonlocal refreshed
        if update is None or time.monotonic() < refreshed + 0.1:  # at most ten times a second
            return
        refreshed = time.monotonic()
        bounds = f"{decimal_down(now_at.lower, 6)} <= bd <= {decimal_up(now_at.upper, 6)}"
        what = f"round {now_at.round}, {now_at.phase}"
        update(description=what, completed=now_at.done, total=now_at.total, bounds=bounds)

    with status_line(
        lambda rich: (
            *("{task.description}", rich.BarColumn(bar_width=20), rich.MofNCompleteColumn()),
            *("{task.fields[bounds]}", rich.TimeElapsedColumn()),
        ),
        bounds="",
    ) as update:
        yield None if update is None else show
