"""How the decision about automata grows: ladders of up to a million transitions, read, decided and checked.

    python scripts/bench_dipa.py [--most N] [--output FILE]

All sizes are measured in one run, in processor time. The exponent of growth is fitted by least squares to the
logarithms; 1 is linear. The result is a table in Markdown.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import TypeVar

from bdist.dipa import text as dipa
from bdist.dipa.decision import Structure, certify_privacy, find_violation, vouch, weigh
from bdist.dipa.families import make_automaton

T = TypeVar("T")
PHASES = ("read", "decide", "certificate", "check")


def measured(work: Callable[[], T]) -> tuple[T, float]:
    """What some work returns, and the processor time that it took."""
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def row(transitions: int) -> list[float]:
    """The seconds of each phase for one ladder."""
    text = dipa.write(make_automaton("automaton-ladder", {"transitions": str(transitions)}))
    automaton, reading = measured(lambda: dipa.read(text))

    def decision() -> tuple[Structure, object]:
        structure = Structure(automaton)
        if find_violation(structure) is not None:
            raise SystemExit("a ladder is private; the decision is wrong")
        return structure, weigh(structure)

    (structure, _), deciding = measured(decision)
    certificate, certifying = measured(lambda: certify_privacy(structure, weigh(structure)))
    _, checking = measured(lambda: vouch(automaton, certificate))
    return [reading, deciding, certifying, checking]


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of a line through the logarithms."""
    x, y = [log(n) for n in sizes], [log(max(s, 1e-9)) for s in seconds]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum(
        (a - mean_x) ** 2 for a in x
    )


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Measure the decision about automata.")
    parser.add_argument("--most", type=int, default=1_000_000, help="the largest number of transitions")
    parser.add_argument("--output", type=Path, help="write the table there")
    options = parser.parse_args()
    sizes = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= options.most]
    rows = {}
    for size in sizes:
        rows[size] = row(size)
        print(f"{size}: " + ", ".join(f"{p} {s:.2f} s" for p, s in zip(PHASES, rows[size], strict=True)))
    lines = [
        "# Deciding automata: growth",
        "",
        f"`python scripts/bench_dipa.py --most {options.most}`, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, processor seconds in one run. Ladders are private, with two components for "
        "five transitions.",
        "",
        "| transitions | " + " | ".join(PHASES) + " |",
        "| ---: |" + " ---: |" * len(PHASES),
        *(f"| {n:,} | " + " | ".join(f"{s:.2f}" for s in rows[n]) + " |" for n in sizes),
        "| exponent | "
        + " | ".join(f"{exponent(sizes, [rows[n][k] for n in sizes]):.2f}" for k in range(len(PHASES)))
        + " |",
    ]
    text = "\n".join(lines) + "\n"
    if options.output is not None:
        options.output.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
