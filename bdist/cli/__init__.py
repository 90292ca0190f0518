"""The command line: one module a subcommand, argument reading and printing, no mathematics.

Exit codes: 0 answered or holds, 1 violated or rejected, 2 usage, 3 unknown or limit reached, 4 bad input, 5
backend, 70 anything that was not planned. A command that a signal ended without an answer has 128 and the
number of the signal, 141 where the reader of a pipe has gone. So 1 is an answer, and nothing that merely went
wrong can be mistaken for one.

What goes wrong is told in a line on standard error. With ``--json`` it is told on standard output as well, as
one JSON object with an ``error``, so that a program which reads one stream has an object in every case; where
the answer is already there (an audit whose report cannot be written), it stays alone.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any

import typer

from bdist.budget import Stopped
from bdist.cli.colour import choose
from bdist.cli.limits import Interrupted, TimeUp, give_up, handled, limited, ticking, time_is_up
from bdist.cli.standard_input import keeping_input
from bdist.cli.terminal import complain, guarded_streams, print_error, printing, silence
from bdist.cli.ticker import ticker_running
from bdist.errors import BdistError, InternalError, OutputError, speaking_of_options
from bdist.printing import lines, message_text
from bdist.report import LIMIT_REACHED
from bdist.theories import THEORIES

UNPLANNED = 70
PIPE_CLOSED = 141  # 128 and SIGPIPE, as a shell has it
_REPORT = "please report it with the command and the model"
_ClickException: Any = typer.BadParameter.__mro__[2]  # of the click that this typer brings along


_HOMES = {theory.command: f"bdist.{theory.name}.command" for theory in THEORIES}
SUBCOMMANDS = {  # each a module of this package, or the command of a theory; with what it is for, in short
    "delta": "How private are two states at one epsilon?",
    "profile": "How private are two states at every epsilon?",
    "attack": "Which event tells two states apart best?",
    "epsilon": "What is the least epsilon for a delta?",
    "curve": "A table or picture of delta over a range of epsilon.",
    "threshold": "Is the distance of two states at most theta?",
    "check": "Is a certificate a proof about a model?",
    "table": "The distances of all pairs of states.",
    "kantorovich": "One step of the distance, with its solutions.",
    "audit": "Is a mechanism private for all neighbouring inputs?",
    **{theory.command: theory.question for theory in THEORIES},
    "show": "What is in a model file? List it, draw it.",
    "convert": "Write a model in another format.",
    "validate": "Is a file a model in its format?",
    "make": "Make a model of a family, or list the families.",
    "quotient": "Merge states that nothing tells apart.",
    "bench": "Compare the backends of threshold.",
    "doctor": "What is installed, and does it work?",
    "completion": "The script that completes words in a shell.",
}
ALIASES = {theory.alias: theory.command for theory in THEORIES if theory.alias is not None}
_HELP_NAMES = {"help_option_names": ["-h", "--help"]}
CHECKING = {"delta", "profile", "attack", "epsilon", "curve", "threshold", "check", "table", *_HOMES}
# those that check a proof in this process
UNLIMITED = {"completion"}  # which is done at once


def new_app(arguments: Sequence[str]) -> typer.Typer:
    """The application, with the one subcommand that the arguments name; with all where they name none.

    What the other subcommands import takes longer than most answers.
    """
    app = typer.Typer(
        name="bdist",
        help="How private a probabilistic system is, exactly and with a proof.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=_HELP_NAMES,
        epilog="Exit codes: 0 answered or holds, 1 violated or rejected, 2 usage, 3 unknown or limit "
        "reached, 4 bad input, 5 backend failed, 70 anything else that went wrong.",
    )
    app.callback()(_root)
    named = ALIASES.get(arguments[0], arguments[0]) if arguments else None
    for name in (named,) if named in SUBCOMMANDS else SUBCOMMANDS:
        module = import_module(_HOMES.get(name, f"bdist.cli.{name}"))
        command = module.command
        if name not in UNLIMITED:
            command = limited(command, checks=name in CHECKING)
        spelling = arguments[0] if name == named else name
        names = [name, *(alias for alias, of in ALIASES.items() if of == name)]
        also = "".join(f" Also called: bdist {other}." for other in names if other != spelling)
        app.command(
            spelling,
            help=module.HELP + also,
            short_help=SUBCOMMANDS[name] + "".join(f" ({other})" for other in names[1:]),
            epilog=module.EXAMPLE,
            context_settings=_HELP_NAMES,
        )(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from bdist import __version__

        typer.echo(f"bdist {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "-V", "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and exit the process."""
    with guarded_streams():
        try:
            with handled(give_up):
                code = _outcome(sys.argv[1:])
        except KeyboardInterrupt as interrupt:  # one more, while the first was being answered
            complain("interrupted")
            code = _signal_code(interrupt)
        silence()
    sys.exit(code)


def _outcome(arguments: Sequence[str]) -> int:
    """Run a command, and say what went wrong, if anything did, in one line; the exit code."""
    choose(None)
    try:
        with speaking_of_options(), ticking(), printing(), keeping_input(), ticker_running(complain):
            code = _invoked(arguments)
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        return PIPE_CLOSED
    except BaseException as error:  # whatever it is, it is no answer, and must not look like one
        code, message = _verdict(error)
        return _told(error, message, code, arguments)
    return code


def _verdict(error: BaseException) -> tuple[int, str]:
    """The exit code of what went wrong, and one line about it."""
    if isinstance(error, TimeUp | Stopped):
        return LIMIT_REACHED, str(error) or time_is_up()
    if isinstance(error, BdistError):
        ours = f"; {_REPORT}" if isinstance(error, InternalError) else ""
        return error.exit_code, f"{message_text(error)}{ours}"
    if isinstance(error, KeyboardInterrupt):
        return _signal_code(error), "interrupted"
    if isinstance(error, MemoryError):
        return UNPLANNED, f"out of memory; where the model is small, {_REPORT}"
    return UNPLANNED, f"{message_text(f'{type(error).__name__}: {error}')}; {_REPORT}{_traceback(error)}"


def _told(error: BaseException, message: str, code: int, arguments: Sequence[str]) -> int:
    """Say it on standard error and, where a JSON object was asked for, on standard output; the exit code."""
    complain(message, is_error=True)
    if "--json" in arguments:
        with suppress(OSError, OutputError):
            print_error(error, message, code)
    return code


def _invoked(arguments: Sequence[str]) -> int:
    """Run a command as typer does, which would give exit code 1 to much that is no answer."""
    command = typer.main.get_command(new_app(arguments))
    try:
        with command.make_context("bdist", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except _ClickException as error:
        error.message = lines(error.message)
        error.show()
        if "--json" in arguments:
            print_error(error, error.format_message(), int(error.exit_code))
        return int(error.exit_code)
    return 0


def _signal_code(interrupt: KeyboardInterrupt) -> int:
    return 128 + (interrupt.number if isinstance(interrupt, Interrupted) else int(signal.SIGINT))


def _traceback(error: BaseException) -> str:
    """Save the traceback and say where it is, if that is possible."""
    try:
        handle, path = tempfile.mkstemp(prefix="bdist-error-", suffix=".txt")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(traceback.format_exception(error))
    except Exception:
        return ""
    return f" (the traceback is in {path})"
