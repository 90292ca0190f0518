"""How much memory a process holds, and sizes as people write them."""

from __future__ import annotations

import re
from pathlib import Path

from bdist.errors import ParameterError, UnsupportedError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)


def held_memory(process: int | str = "self") -> int:
    """The bytes of memory that a process holds now, 0 where it is gone.

    Raises: UnsupportedError on a system that does not tell.
    """
    try:
        fields = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except FileNotFoundError:
        if not Path("/proc/self/statm").exists():
            raise UnsupportedError("a memory limit needs /proc, which this system does not have") from None
        return 0
    except ProcessLookupError:
        return 0
    return int(fields[1]) * _page_size()


def parse_size(text: str | int) -> int:
    """Bytes from a number or a text such as 500M, 2G or 1.5GiB. Raises: ParameterError."""
    if isinstance(text, int) and not isinstance(text, bool):
        size = text
    else:
        match = _SIZE.fullmatch(str(text).strip())
        if match is None:
            raise ParameterError(f"'{str(text)[:40]}' is not a size; write bytes, or 500M, 2G, 1.5GiB")
        unit = match[2].lower()
        factor = 1024 ** "_kmgt".index(unit) if match[3] and unit else _UNITS[unit]
        size = int(float(match[1]) * factor)
    if size < 1:
        raise ParameterError(f"a size of {size} bytes; it must be positive")
    return size


def size_text(size: int) -> str:
    """A size for a message, such as 500 MB."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


def _page_size() -> int:
    import resource  # not on every system; those without it have no /proc either

    return resource.getpagesize()
