"""Search for a wrong answer on unkind chains until told to stop; shrink what is found.

    python scripts/fuzz.py [--seconds N] [--seed K] [--kind NAME ...]

The chains are those of `tests.oracles.traps`, made so that whatever an engine leaves out matters, and random
ones of the family `random`. Each is asked for bd and ld in all ways there are (`tests.oracles.comparison`):
by exploration, by strategy iteration with two backends, by iteration, by default, exactly and to a bracket,
for one pair and for all, and on the quotient. Every answer must be that of an exact oracle, which shares no
code with the solvers; certificates are checked as always. A failing chain is made smaller by dropping states
as long as it still fails, and is printed as an .lmc file with the pair and the alpha.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bdist import LabelledMarkovChain
from bdist.chains.families import make_family
from bdist.chains.formats import lmc
from tests.oracles import traps
from tests.oracles.comparison import WAYS, Way, disagreement
from tests.oracles.supports import pairs_of
from tests.oracles.traps import Trap

ALL_WAYS = (*WAYS, Way("bd", True, {"method": "strategy", "backend": "exact"}))
FAMILY = "family random"


def smaller(trap: Trap) -> Iterator[Trap]:
    """The traps with one state less; what went there goes to the first state that is left."""
    for gone in trap.chain.states:
        rows = {}
        for state in trap.chain.states:
            if state != gone:
                row = trap.chain.row(state)
                moved = row.pop(gone, Fraction(0))
                first = next(s for s in trap.chain.states if s != gone)
                row[first] = row.get(first, Fraction(0)) + moved
                rows[state] = (trap.chain.label(state), {t: p for t, p in row.items() if p})
        chain = LabelledMarkovChain.from_rows(rows) if rows else None
        pair = trap.pair if gone not in trap.pair else next(iter(pairs_of(chain)), None) if chain else None
        if chain is not None and pair is not None:
            yield Trap(trap.name, chain, pair, trap.alpha)


def from_family(seed: int) -> Iterator[Trap]:
    """Chains of the family `random` without end, up to 14 states."""
    draw = random.Random(seed)  # noqa: S311 - no secret depends on it
    while True:
        states = draw.choice([*range(2, 8), 10, 14])
        values: dict[str, str | int | Fraction] = {
            "states": states,
            "labels": draw.randint(1, min(3, states)),
            "degree": draw.randint(1, min(4, states)),
            "denominator": draw.choice([4, 6, 12, 20]),
            "seed": draw.randrange(2**32),
            "shape": draw.choice(["general", "acyclic"]),
        }
        chain = make_family("random", values)
        pairs = list(pairs_of(chain))
        if pairs:
            yield Trap(FAMILY, chain, draw.choice(pairs), draw.choice((*traps.ALPHAS, "7")))


def both(seed: int) -> Iterator[Trap]:
    """The two sources; one of the family after each three traps."""
    made, random_chains = traps.traps(seed), from_family(seed)
    while True:
        yield from (next(made), next(made), next(made), next(random_chains))


def main() -> int:
    """Search until time is up; 1 if something was found."""
    kinds = sorted({FAMILY, *(make.__name__ for make in traps.MAKERS)})
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kind", action="append", choices=kinds, help="only these, repeatable (default: all)"
    )
    options = parser.parse_args()
    deadline, tried = time.monotonic() + options.seconds, Counter[str]()
    for trap in both(options.seed):
        if time.monotonic() > deadline:
            break
        if options.kind and trap.name not in options.kind:
            continue
        tried[trap.name] += 1
        found = disagreement(trap, ALL_WAYS)
        if found is None:
            continue
        while True:
            candidates = ((t, disagreement(t, ALL_WAYS)) for t in smaller(trap))
            better = next(((t, why) for t, why in candidates if why is not None), None)
            if better is None:
                break
            trap, found = better
        print(f"{trap.name}, {' '.join(trap.pair)}, alpha {trap.alpha}: {found}\n{lmc.write(trap.chain)}")
        return 1
    counts = ", ".join(f"{name} {count}" for name, count in sorted(tried.items()))
    print(f"{tried.total()} chains, nothing found ({counts})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
