"""Write docs/reference/command-line.md from the subcommands themselves; with --check, say if it is current.

    python scripts/make_cli_reference.py [--check]

The reference lists what the parser knows, so it cannot promise an option that is not there or leave one out.
Options that many commands have, with the same words, are described once. A test runs this with --check.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from bdist.cli import SUBCOMMANDS, new_app

REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "command-line.md"
MANY = 6  # commands that make an option a shared one


def reference() -> str:
    """The whole reference as Markdown."""
    app: Any = typer.main.get_command(new_app([]))
    counts = Counter(_row(option) for name in SUBCOMMANDS for option in _options(app.commands[name]))
    shared = [row for row, count in counts.items() if count >= MANY]
    parts = [
        "# The command line",
        "Made by `scripts/make_cli_reference.py` from the program itself.",
        f"{app.help}\n\n{app.epilog}",
        "| command | what it does |\n| --- | --- |\n"
        + "\n".join(
            f"| [`bdist {name}`](#bdist-{name}) | {question} |" for name, question in SUBCOMMANDS.items()
        ),
    ]
    parts += [_section(name, app.commands[name], shared) for name in SUBCOMMANDS]
    parts += [
        "## Shared options",
        "Options of many commands; each command names those that it has.",
        _table(shared),
    ]
    return "\n\n".join(parts) + "\n"


def _section(name: str, command: Any, shared: Sequence[str]) -> str:
    parts = [f"## bdist {name}", command.help]
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    options = _options(command)
    usage = " ".join(["bdist", name, *map(_usage, arguments), *(["[OPTIONS]"] if options else [])])
    parts.append(f"    {usage}")
    rows = [row for row in map(_row, [*arguments, *options]) if row not in shared]
    if rows:
        parts.append(_table(rows))
    others = [f"`{option.opts[0]}`" for option in options if _row(option) in shared]
    if others:
        parts.append(f"And of the [shared options](#shared-options): {', '.join(others)}.")
    example, _, remark = command.epilog.removeprefix("Example: ").partition(". ")
    parts += [f"Example: `{example}`", *([_escaped(remark)] if remark else [])]
    return "\n\n".join(parts)


def _options(command: Any) -> list[Any]:
    return [parameter for parameter in command.params if parameter.param_type_name == "option"]


def _table(rows: Sequence[str]) -> str:
    return "\n".join(["| | |", "| --- | --- |", *rows])


def _row(parameter: Any) -> str:
    return f"| {_spelling(parameter)} | {_escaped(parameter.help or '')}{_default(parameter)} |"


def _usage(argument: Any) -> str:
    name: str = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_usage(parameter)}`"
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    if parameter.is_flag:
        return f"`{names}`"
    return f"`{names} {parameter.metavar or 'N'}`"  # in code, a table of Python-Markdown takes | as it is


def _default(parameter: Any) -> str:
    default = parameter.default
    if default in (None, "", [], ()) or callable(default) or isinstance(default, bool) or parameter.required:
        return ""
    return f" Default: `{_escaped(str(default))}`."


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only say whether the file is up to date")
    text = reference()
    if not parser.parse_args().check:
        REFERENCE.write_text(text, encoding="utf-8")
        return 0
    if REFERENCE.exists() and REFERENCE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{REFERENCE.name} is not up to date; run python scripts/make_cli_reference.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
