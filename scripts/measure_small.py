"""How long an exact, certified answer takes on small chains, and what the time goes into.

    python scripts/measure_small.py [--seeds N]

Random chains with 8 states, 2 labels, out-degree 3 at alpha 11/10, all pairs, and the dining cryptographers.
The ratio beside each time is to the first row of the same run.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from functools import partial

from bdist import distance, distance_table
from bdist.chains.families import make_family


def best_of(task: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10, help="how many random chains (default 10)")
    seeds = range(1, parser.parse_args().seeds + 1)
    print(f"Python {platform.python_version()} on {platform.machine()}")
    chains = [make_family("random", {"states": 8, "labels": 2, "degree": 3, "seed": seed}) for seed in seeds]
    rows: list[tuple[str, float]] = []
    for backend in ("auto", "exact", "highs"):
        times = [best_of(partial(distance_table, chain, alpha="11/10", backend=backend)) for chain in chains]
        rows.append((f"8 states, all pairs, {backend}: worst of {len(chains)}", max(times)))
    for diners, presentation in ((2, "merged"), (2, "stepwise"), (3, "merged"), (3, "stepwise")):
        chain = make_family("dining-cryptographers", {"diners": diners, "presentation": presentation})
        rows.append(
            (
                f"{diners} diners, {presentation}",
                best_of(partial(distance, chain, "s0", "s1", alpha="1.0002")),
            )
        )
    for name, seconds in rows:
        print(f"{name:42} {seconds:8.3f} s  {seconds / rows[0][1]:6.2f}x")


if __name__ == "__main__":
    main()
