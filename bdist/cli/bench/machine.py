"""What times depend on: the machine and the versions of the solvers.

Seconds are worth little without them, so they are always there. The machine is described by what decides
speed; its name and its paths are nobody's business.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import wrap

_PACKAGES = ("bdist", "python-flint", "highspy", "PuLP", "python-sat", "z3-solver", "numpy")


@dataclass(frozen=True)
class Machine:
    """A machine, and the packages that are installed on it."""

    cpu: str
    cores: int
    system: str
    python: str
    packages: Mapping[str, str]

    @classmethod
    def this(cls) -> Machine:
        """The machine at hand."""
        return cls(
            _cpu_model() or platform.processor() or platform.machine(),
            os.cpu_count() or 1,
            f"{platform.system()} {platform.machine()}",
            f"{platform.python_implementation()} {platform.python_version()}",
            {name: _version(name) for name in _PACKAGES},
        )

    @property
    def mark(self) -> str:
        """A few characters that differ where anything of it does."""
        return hashlib.sha256(repr(list(vars(self).items())).encode()).hexdigest()[:8]

    def lines(self) -> list[str]:
        """The description for a person to read."""
        packages = ", ".join(f"{name} {number}" for name, number in self.packages.items())
        return [
            *paragraph("machine", f"{self.cpu}, {self.cores} cores, {self.system}, {self.python}"),
            *paragraph("packages", packages),
        ]


def paragraph(head: str, text: str) -> list[str]:
    """A line of a legend, and as many more as it takes."""
    return wrap(text, 116, initial_indent=f"{head:<9} ", subsequent_indent=" " * 10, break_long_words=False)


def duration(seconds: float) -> str:
    """A time in three digits and its unit."""
    number, unit = (1000 * seconds, "ms") if seconds < 1 else (seconds, "s")
    digits = 2 if number < (0.995 if unit == "ms" else 9.995) else 1 if number < 99.95 else 0
    return f"{number:.{digits}f} {unit}"


def _cpu_model() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
