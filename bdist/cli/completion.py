"""``bdist completion``: what a shell completes when somebody presses Tab.

The script for a shell is a few lines, which ask this command again with the words that are typed so far. So
what is completed is always what this version knows: subcommands, options, the choices of an option, families
and their parameters, the states of the model that is named. Where it has nothing to say, the shell completes
names of files. Only the subcommand in the line is loaded, which keeps Tab short.

The completion that typer brings was decided against: it knows neither the choices, which are texts here with
messages of their own, nor families and states, and loads every subcommand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from bdist.chains.formats import LMC, load
from bdist.cli.terminal import argument
from bdist.errors import BdistError, ParameterError
from bdist.text.scanner import suggestion
from bdist.theories import all_kinds

NAME = "completion"
HELP = (
    "Print the script with which a shell completes bdist's subcommands, options, choices, families, states "
    "and files."
)
EXAMPLE = (
    "Example: source <(bdist completion bash). For all later shells, put that line into ~/.bashrc, or "
    "'source <(bdist completion zsh)' into ~/.zshrc below compinit; for fish, write the script to "
    "~/.config/fish/completions/bdist.fish."
)

SCRIPTS = {
    "bash": """\
_bdist() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(bdist completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o bashdefault -o default -F _bdist bdist
""",
    "zsh": """\
#compdef bdist
_bdist() {
    local -a found open
    found=("${(@f)$(bdist completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    open=(${(M)found:#*=})
    found=(${found:#*=})
    if (( ${#open} + ${#found} == 0 )); then
        _files
        return
    fi
    compadd -S '' -a open
    compadd -a found
}
if [[ "${funcstack[1]}" == "_bdist" ]]; then
    _bdist "$@"
else
    compdef _bdist bdist
fi
""",
    "fish": """\
function __bdist_words
    set -l words (commandline -opc) (commandline -ct)
    bdist completion words -- $words[2..-1] 2>/dev/null
end
complete -c bdist -a '(__bdist_words)'
""",
}
_ASKED_BY_A_SCRIPT = "words"
_CHOICE = re.compile(r"[a-z][a-z0-9-]*")
_PLAIN = re.compile(r"[\w.+-]+")  # names that no shell needs quotes for
_MOST_BYTES = 2**20  # of a model that is read for its states


def command(
    shell: str = argument("bash|zsh|fish", "The shell."),
    words: list[str] | None = argument(
        "WORDS", "For the scripts, as 'bdist completion words -- WORDS': what is typed so far.", default=None
    ),
) -> None:
    """Print the script of a shell, or, for such a script, what the last of some words may become."""
    if shell == _ASKED_BY_A_SCRIPT:
        for found in candidates(words or [""]):
            typer.echo(found)
    elif shell not in SCRIPTS:
        raise ParameterError(f"there is no completion for '{shell}'; {suggestion(shell, SCRIPTS)}")
    elif words:
        raise ParameterError(f"'{words[0]}' is one word too many; write: bdist completion {shell}")
    else:
        typer.echo(SCRIPTS[shell], nl=False)


def candidates(words: Sequence[str]) -> list[str]:
    """What the last of the words behind ``bdist`` may become; nothing where it is the name of a file."""
    from bdist.cli import ALIASES, SUBCOMMANDS, new_app  # which loads this module

    *before, current = words
    if not before:
        if current.startswith("-"):
            return _beginning(current, ("--help", "--version"))
        return _beginning(current, (*SUBCOMMANDS, *(ALIASES if current else ())))
    group: Any = typer.main.get_command(new_app(before))
    known = group.commands.get(before[0])
    if known is None:
        return []
    if current == "=":  # bash makes three words of --method=strategy
        before, current = [*before, "="], ""
    if before[-1] == "=":
        before.pop()
    options = {name: p for p in known.params for name in (*p.opts, *p.secondary_opts) if name[0] == "-"}
    asked = options.get(before[-1])
    if asked is not None and not asked.is_flag:
        return _beginning(current, _values(asked, before))
    name, equals, value = current.partition("=")
    if equals and name in options and not options[name].is_flag:
        return [f"{name}={found}" for found in _beginning(value, _values(options[name], before))]
    if current.startswith("-"):
        return _beginning(current, (*options, "--help"))
    given = _arguments(before[1:], options)
    open_ = [p for p in known.params if p.param_type_name == "argument"]
    return _beginning(current, _values(open_[len(given)], before)) if len(given) < len(open_) else []


def _arguments(words: Sequence[str], options: dict[str, Any]) -> list[str]:
    """The words that are neither options nor values of options."""
    found, is_value = [], False
    for word in words:
        if not is_value and word[:1] != "-":
            found.append(word)
        is_value = not is_value and word in options and not options[word].is_flag
    return found


def _values(parameter: Any, before: Sequence[str]) -> Iterable[str]:
    """What a parameter may be: choices, families, their parameters, or the states of the model."""
    metavar: str = parameter.metavar or ""
    if metavar == "FAMILY":
        return [name for kind in all_kinds() for name in kind.families]
    if metavar == "NAME=VALUE":
        families = {name: family for kind in all_kinds() for name, family in kind.families.items()}
        family = next((families[word] for word in before if word in families), None)
        return [] if family is None else [f"{p.name}=" for p in family.parameters]
    if metavar in ("S", "T", "STATE"):
        return _states(before)
    choices = metavar.split("|")
    return [choice for choice in choices if _CHOICE.fullmatch(choice)] if len(choices) > 1 else []


def _states(words: Sequence[str]) -> list[str]:
    """The states of the first file among the words that is a chain and small."""
    for path in map(Path, words[1:]):
        with suppress(BdistError, OSError):
            if path.suffix == LMC.suffixes[0] and path.stat().st_size <= _MOST_BYTES:
                return [state for state in load(path).states if _PLAIN.fullmatch(state)]
    return []


def _beginning(text: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(text)]
