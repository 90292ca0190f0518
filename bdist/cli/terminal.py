"""What the subcommands share: exit codes, options, JSON, progress, a budget that signals end."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bdist.budget import Budget
from bdist.cli.clock import command_budget
from bdist.cli.signals import give_up, handled
from bdist.cli.streams import bare, complain
from bdist.distances.compute import DEFAULT_TOLERANCE, METHODS, Settings
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
from bdist.exact.reading import as_rational, rational_text
from bdist.lp import ENGINES
from bdist.results import Distance

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

LIMIT_REACHED = 3
DEFAULT_TOLERANCE_TEXT = decimal_down(DEFAULT_TOLERANCE)

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
TableMethod = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="|".join(METHODS),
        help="explore: floats propose, rationals prove; strategy: rationals only; iterate: from both sides.",
    ),
]
Backend = Annotated[
    str,
    typer.Option(
        "--backend", metavar="|".join(ENGINES), help="Who proposes LP bases; the answer is the same."
    ),
]
Tolerance = Annotated[
    str, typer.Option("--tolerance", metavar="Q", help="With --method iterate: the width at which to stop.")
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


def print_json(document: object) -> None:
    """One JSON object on standard output."""
    typer.echo(json.dumps(document, indent=2))


def distance_json(distance: Distance) -> dict[str, object]:
    """A distance as a JSON object."""
    bracket = distance.bracket
    return {
        "quantity": distance.quantity,
        "pair": list(distance.pair),
        "alpha": rational_text(distance.alpha),
        "epsilon": distance.epsilon,
        "alpha_is_exact": distance.alpha_is_exact,
        "lower": rational_text(bracket.lower.value),
        "upper": rational_text(bracket.upper.value),
        "exact": bracket.exact,
        "evidence": {"lower": bracket.lower.evidence.value, "upper": bracket.upper.evidence.value},
        "limit": distance.limit,
        "stats": dict(distance.stats),
    }


def power_text(epsilon: str | None) -> str:
    """e to the power of an epsilon as it was written."""
    plain = epsilon is not None and epsilon.replace(".", "").isdecimal()
    return f"e^{epsilon}" if plain else f"e^({epsilon})"


def alpha_text(distance: Distance) -> str:
    """How the skew is named in print: the alpha that was used and, for an epsilon, how it relates to it."""
    alpha = rational_text(distance.alpha)
    if distance.epsilon is None:
        return f"alpha {alpha}"
    if distance.alpha_is_exact:
        return f"epsilon {distance.epsilon} (alpha {alpha})"
    return f"alpha {alpha} (just below {power_text(distance.epsilon)})"


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
def settings_of(
    method: str,
    backend: str,
    tolerance: str,
    quotient: bool = False,
    precision: str | None = None,
    jobs: int | None = None,
) -> Iterator[Settings]:
    """Settings for one computation, with progress on a terminal; interruptible."""
    width = as_rational(tolerance, "--tolerance")
    narrow = None if precision is None else as_rational(precision, "--precision")
    with interruptible() as budget, _progress() as watcher:
        yield Settings(method, backend, width, budget, watcher, quotient, narrow, jobs, uncertified=True)


class _Line:
    """A status line on the terminal, refreshed at most ten times a second."""

    def __init__(self, task: TaskID, bar: Bar) -> None:
        self._task, self._bar = task, bar
        self._next = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.1
        bounds = f"{decimal_down(progress.lower, 6)} <= bd <= {decimal_up(progress.upper, 6)}"
        self._bar.update(
            self._task,
            description=f"round {progress.round}, {progress.phase}",
            completed=progress.done,
            total=progress.total,
            bounds=bounds,
        )


@contextmanager
def _progress() -> Iterator[_Line | None]:
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
