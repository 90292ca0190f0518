"""How long the bisimulation quotient takes on large chains, and how large it is.

    python scripts/measure_quotient.py [--states N] [--shape NAME]

Five shapes, each at N/8, N/4, N/2 and N states (default 100,000); four transitions a state, one in cycles:

* layers: layers of many copies of the same ten states, equal in label; what a state is shows at the end only;
* random: two labels and random rows over one denominator; no two states are bisimilar;
* mixed: the same with a denominator of its own for every row;
* ring: one marked state in a cycle; each state is told apart by its distance from the mark, one at a time;
* fibonacci: a cycle that spells a Fibonacci word, on which Hopcroft's algorithm needs its n log n
  (Castiglione, Restivo and Sciortino, 2008). Its size is the largest Fibonacci number that fits.

Columns: states, transitions, classes, then processor seconds for the whole quotient and for the refinement
alone, once the integer rows are there. The ratio beside each is to the smallest chain of the same shape, in
the same run; twice the states should take a little more than twice the time.
"""

from __future__ import annotations

import argparse
import platform
import random
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.quotient import bisimulation_classes, quotient

KINDS = 10
DEGREE = 4
WIDTH = 1000


def chain_of(labels: list[str], rows: list[Row]) -> LabelledMarkovChain:
    """A chain of states s0, s1, ..."""
    return LabelledMarkovChain(tuple(f"s{i}" for i in range(len(rows))), tuple(labels), tuple(rows))


def layers(size: int) -> LabelledMarkovChain:
    """Layers of WIDTH states; state c of a layer is of kind c % KINDS, and goes to copies drawn at random of
    kinds that its own kind determines.
    """
    draw = random.Random(1)  # noqa: S311 - reproducible, not secret
    labels: list[str] = []
    rows: list[Row] = []
    parts = [Fraction(p, 10) for p in (1, 2, 3, 4)]
    for i in range(size):
        kind = i % KINDS
        start = i - i % WIDTH + WIDTH
        if start >= size:
            labels.append(f"end{kind}")
            rows.append(((i, Fraction(1)),))
            continue
        copies = min(WIDTH, size - start) // KINDS
        kinds = [(kind + step) % KINDS for step in range(1, DEGREE + 1)]
        targets = [start + draw.randrange(copies) * KINDS + k for k in kinds]
        labels.append("step")
        rows.append(tuple(sorted(zip(targets, parts, strict=True))))
    return chain_of(labels, rows)


def _random(size: int, denominator: Callable[[random.Random], int]) -> LabelledMarkovChain:
    draw = random.Random(1)  # noqa: S311 - reproducible, not secret
    labels = [draw.choice("ab") for _ in range(size)]
    rows: list[Row] = []
    for _ in range(size):
        total = denominator(draw)
        cuts = [0, *sorted(draw.sample(range(1, total), DEGREE - 1)), total]
        targets = sorted(draw.sample(range(size), DEGREE))
        rows.append(tuple((j, Fraction(cuts[k + 1] - cuts[k], total)) for k, j in enumerate(targets)))
    return chain_of(labels, rows)


def one_denominator(size: int) -> LabelledMarkovChain:
    """A random chain with probabilities in hundredths."""
    return _random(size, lambda _: 100)


def mixed_denominators(size: int) -> LabelledMarkovChain:
    """A random chain with a random denominator of six digits for every row."""
    return _random(size, lambda draw: draw.randrange(100_000, 1_000_000))


def _cycle(labels: list[str]) -> LabelledMarkovChain:
    rows: list[Row] = [(((i + 1) % len(labels), Fraction(1)),) for i in range(len(labels))]
    return chain_of(labels, rows)


def ring(size: int) -> LabelledMarkovChain:
    """A cycle with one marked state."""
    return _cycle(["mark", *["plain"] * (size - 1)])


def fibonacci(size: int) -> LabelledMarkovChain:
    """A cycle that spells the longest Fibonacci word of at most ``size`` letters."""
    word, following = "a", "ab"
    while len(following) <= size:
        word, following = following, following + word
    return _cycle(list(word))


SHAPES: dict[str, Callable[[int], LabelledMarkovChain]] = {
    "layers": layers,
    "random": one_denominator,
    "mixed": mixed_denominators,
    "ring": ring,
    "fibonacci": fibonacci,
}


def seconds(task: Callable[[], object]) -> float:
    """The processor time of one run."""
    start = time.process_time()
    task()
    return time.process_time() - start


def measure(name: str, sizes: list[int]) -> None:
    """Print one line a size."""
    smallest: tuple[float, float] | None = None
    for size in sizes:
        chain = SHAPES[name](size)
        whole = seconds(partial(quotient, chain))
        refining = seconds(partial(bisimulation_classes, chain))
        smallest = smallest or (whole, refining)
        transitions = sum(map(len, chain.rows))
        times = [
            f"{t:8.2f} s {t / least:6.2f}x" for t, least in zip((whole, refining), smallest, strict=True)
        ]
        print(
            f"{name:10} {len(chain):8} {transitions:11} {len(bisimulation_classes(chain)):8}",
            *times,
            flush=True,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--states", type=int, default=100_000, help="states of the largest (default 100000)")
    parser.add_argument("--shape", choices=SHAPES, help="only this shape")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()} on {platform.machine()}")
    print(
        f"{'shape':10} {'states':>8} {'transitions':>11} {'classes':>8} {'quotient':>18} {'refinement':>18}"
    )
    for name in [arguments.shape] if arguments.shape else SHAPES:
        measure(name, [arguments.states // parts for parts in (8, 4, 2, 1)])


if __name__ == "__main__":
    main()
