"""How a command ends before its work is done: a time limit, Ctrl-C, SIGTERM and SIGHUP.

**The time limit** holds from the first moment of a command to its last.

What a user limits is the command, not a part of it: reading a file, building a model in Storm, encoding a
formula, solving, checking. Most of that asks its `Budget`, which counts from the start of the command. Some
of it cannot, such as a reader of files or a drawing, and some of it may forget to. So the limit is also an
alarm of the operating system, set as soon as the option is read: shortly after the limit it raises `TimeUp`
wherever the program is. By then everything that can answer in part has done so; what is left has nothing to
tell but that the time is up. State that was interrupted in the middle of a step is never printed.

What neither reaches is one call into a library that computes for long without returning. The large ones,
solvers and Storm, run in processes of their own for that reason.

**Signals.** Asked to end, a command gives what it has. A cluster's scheduler sends SIGTERM before it takes a
machine away, a terminal that is closed sends SIGHUP, and both deserve what Ctrl-C gets: the bracket or the
verdict so far, and temporary folders and helper processes gone. While a budget is under way, the first signal
sets its stop sign and the second one gives up. At any other time (a model is being read, an answer printed) a
signal raises `Interrupted`, a KeyboardInterrupt, so that everything is tidied up on the way out; the exit
code is 128 and the number of the signal, as a shell has it.

A signal that was ignored when the command started stays ignored: that is what nohup does with SIGHUP.
"""

from __future__ import annotations

import inspect
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from bdist.budget import Budget, lateness
from bdist.cli.colour import Color
from bdist.errors import ParameterError

_LATE_FACTOR, _LATE_SECONDS = 1.15, 1.5  # after the limit, when even a check has been given up


class TimeUp(BaseException):
    """The time limit of a command is over; not an `Exception`, so that nobody takes it for an answer."""


class _Clock:
    began = 0.0
    limit: float | None = None
    memory: int | None = None


@contextmanager
def ticking() -> Iterator[None]:
    """Around a command: its time counts from here, and its alarm, if one is set, ends with it."""
    _Clock.began, _Clock.limit, _Clock.memory = time.monotonic(), None, None
    try:
        yield
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)


def limited(command: Callable[..., None], *, checks: bool) -> Callable[..., None]:
    """A subcommand with what all have behind its options: ``--time-limit``, ``--color``, and
    ``--memory-limit`` if it checks proofs.
    """
    options = {"time_limit": TimeLimit} | ({"memory_limit": MemoryLimit} if checks else {}) | {"color": Color}

    @wraps(command)
    def wrapper(**arguments: Any) -> None:  # limits and colours are set by their callbacks
        for name, value in arguments.items():
            if name != "output" and isinstance(value, Path) and str(value) == "-":
                raise ParameterError(
                    f"--{name.replace('_', '-')} -: the answer is on standard output; name a file, or write "
                    "/dev/stdout to have both there"
                )
        command(**{name: value for name, value in arguments.items() if name not in options})

    return with_options(wrapper, inspect.signature(command, eval_str=True).parameters.values(), options)


def with_options(
    command: Callable[..., None], parameters: Iterable[inspect.Parameter], options: Mapping[str, object]
) -> Callable[..., None]:
    """A function that typer reads as one with these parameters, and these options behind them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    every = [
        *parameters,
        *(inspect.Parameter(name, kind, default=None, annotation=type_) for name, type_ in options.items()),
    ]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in every}
    return command


def set_limit(seconds: float | None) -> float | None:
    """Set the alarm, as soon as the option is read. Raises: ParameterError."""
    if seconds is None:
        return None
    Budget.for_answer(seconds)  # which says what is wrong with it
    _Clock.limit = seconds
    if hasattr(signal, "setitimer"):  # not on every system; there only what asks its budget is limited
        signal.signal(signal.SIGALRM, _ring)
        late = max(_LATE_FACTOR * seconds, seconds + _LATE_SECONDS) - (time.monotonic() - _Clock.began)
        signal.setitimer(signal.ITIMER_REAL, max(late, 0.001))
    return seconds


def set_memory(size: str | None) -> str | None:
    """Note what a check may take, as soon as the option is read. Raises: ParameterError."""
    if size is not None:
        from bdist.processes import parse_size  # only where it is asked for

        _Clock.memory = parse_size(size)
    return size


MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory for the check of the proof, such as 8G. [default: as much as the length of the proof "
        "justifies, at most 4 GiB]",
        callback=set_memory,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="For the whole command, including the check of the proof. It stops with what is proved so far "
        "and exit code 3.",
        callback=set_limit,
        is_eager=True,  # the first thing that is done may be to wait for standard input
    ),
]


def command_budget(most: float | None = None) -> Budget:
    """What is left of the command's time, and no more than ``most`` seconds of it."""
    budget = Budget.for_answer(_Clock.limit, None, _Clock.began if _Clock.limit is not None else None)
    budget.memory = _Clock.memory
    if _Clock.limit is not None:
        budget.stop.deadline = _Clock.began + lateness(_Clock.limit)
    left = budget.remaining()
    if most is None or (left is not None and left <= most):
        return budget
    return Budget(most, budget.stop, memory=_Clock.memory)


def _ring(number: int, frame: FrameType | None) -> None:
    raise TimeUp


def time_is_up() -> str:
    """What to say where there is nothing else to tell."""
    return f"UNKNOWN: the time limit of {_Clock.limit or 0:g} s was reached before there was an answer"


SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # not every system has all of them


class Interrupted(KeyboardInterrupt):
    """A signal asked the command to end."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


def give_up(number: int) -> None:
    """Raises: Interrupted."""
    raise Interrupted(number)


@contextmanager
def handled(handler: Callable[[int], None]) -> Iterator[None]:
    """Call a function with the number of each signal that comes meanwhile and was not ignored before."""
    if threading.current_thread() is not threading.main_thread():  # which alone may say so
        yield
        return

    def on_signal(number: int, frame: FrameType | None) -> None:
        handler(number)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    ours = [number for number, then in before.items() if then not in (signal.SIG_IGN, None)]
    try:
        for number in ours:
            signal.signal(number, on_signal)
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
