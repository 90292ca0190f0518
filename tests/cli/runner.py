"""The command line as a user types it: a real process from the root of the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_bdist(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run ``python -m bdist`` with arguments and return its output and exit code."""
    return subprocess.run(
        [sys.executable, "-m", "bdist", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
