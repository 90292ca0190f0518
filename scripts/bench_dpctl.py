"""Model checking of chains with thousands of states: exact, with the check of the certificate, beside Storm.

    python scripts/bench_dpctl.py [--states N] [--output FILE]

The chains are lanes of small rooms: within a room a run wanders, and then it goes on to the next one, so
every component is small and the numbers stay short for formulas that look ahead a little. Storm, where
stormpy is installed, solves the same questions in its exact mode; the chain is handed to it as a DRN file,
and reading it is not counted on either side. All that is in the table is measured in one run, in wall time.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from bdist import LabelledMarkovChain, dpctl, save

ROOM = 20
QUESTIONS = (
    ("X X even", 'P=? [X X "even"]'),
    ("even U odd", 'P=? ["even" U "odd"]'),
    ("F<=8 odd", 'P=? [F<=8 "odd"]'),
    ("F<=20 goal", 'P=? [F<=20 "goal"]'),
    ("(X even) & (even U (X odd))", ""),
)
PRIVATE = "D[eps=ln 3] (X even) & P>=1/100 [F<=5 odd]"


def lanes(states: int, seed: int = 1) -> LabelledMarkovChain:
    """Rooms of 20 states, of which each goes to two in its room and one in the next."""
    draw = random.Random(seed)  # noqa: S311 - a benchmark
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for state in range(states - 2):
        room = state - state % ROOM
        inside = [min(room + draw.randrange(ROOM), states - 1) for _ in range(2)]
        onward = min(room + ROOM + draw.randrange(ROOM), states - 1 - draw.randrange(2))
        row: dict[str, Fraction] = {}
        for target in (*inside, onward):
            row[f"s{target}"] = row.get(f"s{target}", Fraction(0)) + Fraction(1, 3)
        rows[f"s{state}"] = "odd" if state % 2 else "even", row
    for state, label in ((states - 2, "trap"), (states - 1, "goal")):
        rows[f"s{state}"] = label, {f"s{state}": Fraction(1)}
    return LabelledMarkovChain.from_rows(rows, name="lanes")


def storm_model(chain: LabelledMarkovChain) -> Any:
    """The chain in Storm, exact; None where stormpy is not installed."""
    try:
        import stormpy
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.drn"
        save(chain, path)
        return stormpy.build_model_from_drn[stormpy.Rational](str(path))


def storm_seconds(model: Any, formula: str, chain: LabelledMarkovChain, ours: Mapping[str, Fraction]) -> str:
    """Seconds of Storm's exact engine, after a comparison of all values; or that it is not there."""
    if model is None or not formula:
        return "-"
    import stormpy

    (parsed,) = stormpy.parse_properties(formula)
    began = time.monotonic()
    result = stormpy.model_checking(model, parsed.get_raw_formula(), only_initial_states=False)
    seconds = time.monotonic() - began
    for state, value in zip(chain.states, result.get_value_vector(), strict=True):
        if Fraction(str(value)) != ours[state]:
            raise SystemExit(f"Storm has {value} for {formula} in {state}, and we {ours[state]}")
    return f"{seconds:.2f}"


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Measure model checking of chains.")
    parser.add_argument("--states", type=int, default=10_000, help="how many states the chain has")
    parser.add_argument("--output", type=Path, help="write the page there")
    options = parser.parse_args()
    chain = lanes(options.states)
    storm = storm_model(chain)
    rows = []
    for formula, other in QUESTIONS:
        found = dpctl.probabilities(chain, formula)
        seconds, check = (f"{found.stats[key]:.2f}" for key in ("seconds", "check_seconds"))
        rows.append((formula, seconds, check, storm_seconds(storm, other, chain, found.values)))
        print(*rows[-1], sep=" | ", flush=True)
    private = dpctl.check(chain, PRIVATE, [("s0", "s2")])
    rows.append((PRIVATE, f"{private.stats['seconds']:.2f}", f"{private.stats['check_seconds']:.2f}", "-"))
    lines = [
        "# Model checking dpCTL* on chains",
        "",
        f"`python scripts/bench_dpctl.py --states {options.states}`, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, seconds in one run; every value is exact, for all {options.states} states, "
        "and equal to Storm's where that has one. A dash: Storm has no such formula, or is not installed.",
        "",
        "| formula | bdist | check of the certificate | Storm, exact |",
        "| --- | ---: | ---: | ---: |",
        *("| " + " | ".join(f"`{row[0]}`" if k == 0 else row[k] for k in range(4)) + " |" for row in rows),
    ]
    text = "\n".join(lines) + "\n"
    if options.output is not None:
        options.output.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
