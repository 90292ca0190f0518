"""The true delta at some alphas by another version of bdist, in a process that knows that version only.

    python older.py FOLDER MODEL S T SECONDS ALPHA...

FOLDER has the other version's package. An installation may redirect ``import bdist`` to the sources at hand,
whatever the path of modules says; so all finders of modules but Python's own are dropped first. Only what
both versions have is called. Prints a line of JSON: the seconds for all alphas, and a bracket for each, its
ends as numerator and denominator in hexadecimal, since they may be long. SECONDS is the limit of each alpha.
"""

from __future__ import annotations

import json
import sys
import time
from fractions import Fraction
from pathlib import Path


def main(folder: str, file: str, s: str, t: str, limit: str, *alphas: str) -> None:
    """Measure and print."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type)]
    sys.path.insert(0, folder)
    import bdist

    if Path(bdist.__file__).resolve().parents[1] != Path(folder).resolve():
        raise SystemExit(f"bdist is not the one of {folder}")
    chain = bdist.load(file)
    bdist.true_delta(bdist.LabelledMarkovChain.from_rows({"x": ("x", {"x": 1})}), "x", "x", alpha=1)  # loads
    began = time.monotonic()
    brackets = [bdist.true_delta(chain, s, t, alpha=a, time_limit=float(limit)).bracket for a in alphas]
    seconds = time.monotonic() - began
    ends = [[_hexadecimal(end.value) for end in (each.lower, each.upper)] for each in brackets]
    print(json.dumps({"seconds": seconds, "brackets": ends}))


def _hexadecimal(value: Fraction) -> list[str]:
    return [hex(value.numerator), hex(value.denominator)]


if __name__ == "__main__":
    main(*sys.argv[1:])
