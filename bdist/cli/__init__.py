"""The command line: one module a subcommand, argument reading and printing, no mathematics.

Exit codes: 0 answered or holds, 1 violated or rejected, 2 usage, 3 unknown or limit reached, 4 bad input, 5
backend, 70 internal.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from bdist.budget import Stopped
from bdist.cli.clock import TimeUp, limited, ticking, time_is_up
from bdist.cli.terminal import LIMIT_REACHED, exit_code_of
from bdist.errors import BdistError

SUBCOMMANDS = (
    *("delta", "attack", "epsilon", "curve", "threshold", "check", "table", "kantorovich"),
    *("audit", "dipa", "dipc", "pufferfish", "modelcheck", "show", "convert", "validate", "make", "quotient"),
    *("bench", "doctor"),
)  # each a module of this package
CHECKING = (
    *("delta", "attack", "epsilon", "curve", "threshold", "check", "table"),
    *("dipa", "dipc", "pufferfish", "modelcheck"),
)  # those that check a proof in this process


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
        epilog="Exit codes: 0 answered or holds, 1 violated or rejected, 2 usage, 3 unknown or limit "
        "reached, 4 bad input, 5 backend failed, 70 internal error.",
    )
    app.callback()(_root)
    asked = [name for name in SUBCOMMANDS if arguments and arguments[0] == name]
    for name in asked or SUBCOMMANDS:
        module = import_module(f"bdist.cli.{name}")
        app.command(module.NAME, help=module.HELP, epilog=module.EXAMPLE)(
            limited(module.command, checks=name in CHECKING)
        )
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from bdist import __version__

        typer.echo(f"bdist {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and exit the process."""
    try:
        with ticking():
            new_app(sys.argv[1:])()
    except (TimeUp, Stopped) as error:
        reason = str(error) or time_is_up()
        sys.stderr.write(f"bdist: {reason}\n")
        sys.exit(LIMIT_REACHED)
    except BdistError as error:
        sys.stderr.write(f"bdist: {error}\n")
        sys.exit(exit_code_of(error))
    except KeyboardInterrupt:
        sys.stderr.write("bdist: interrupted\n")
        sys.exit(130)
