"""Names of states, labels, families and parameters: how a file writes one, and how an unknown one is refused.

Names are written as `bdist.text.scanner` reads them. Who types a wrong one is told what is near: the list of
all would not do for a chain of a million states, and for five families it is the better help.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from bdist.errors import ParameterError
from bdist.text.scanner import BARE


def name_text(name: str, reserved: Collection[str] = ()) -> str:
    """A name as files have it: bare where it can be and no reserved word, in double quotes otherwise."""
    return name if BARE.fullmatch(name) and name not in reserved else quoted(name)


def quoted(name: str) -> str:
    """A name in double quotes, in which a backslash stands before quotes and backslashes."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def resembling(wanted: str, names: Sequence[str]) -> str:
    """The end of a message that refuses a name: the one it resembles most, if any."""
    near = get_close_matches(wanted, names, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def suggestion(wanted: str, names: Iterable[str]) -> str:
    """The end of a message that refuses ``wanted``: the name it resembles most, if any, and all there are."""
    known = list(names)
    near = get_close_matches(wanted, known, n=1, cutoff=0.4)
    meant = f"did you mean {near[0]}? " if near else ""
    return f"{meant}there are {', '.join(known)}" if known else "there are none"


def unknown_state(wanted: object, states: Sequence[str], model: str) -> ParameterError:
    """The refusal of a state that a model has not, with the three names nearest to it, or the first five."""
    near = get_close_matches(str(wanted), states, n=3, cutoff=0.5) or states[:5]
    listed = ", ".join(near) + (", ..." if len(states) > len(near) else "")
    return ParameterError(f"there is no state '{wanted}'; this {model} has {listed}")
