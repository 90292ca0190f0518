"""Search for a wrong answer on random chains until told to stop; shrink what is found.

    python scripts/fuzz.py [--seconds N] [--seed K]

Every chain is solved by all methods: exact strategy iteration with two backends, exploration to exact values
and to a bracket, and fixed-point iteration. They must agree, and where there are few states the table must be
a fixed point of the naive operator of tests/oracles, which shares no code with the solvers, and lie above its
first iterates; certificates are checked as always. A failing chain is made smaller by dropping states as long
as it still fails, and is printed as an .lmc file.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bdist import BdistError, LabelledMarkovChain, distance_table
from bdist.chains.families import make_family
from bdist.chains.formats import lmc
from tests.oracles import naive

PRECISION = Fraction(1, 10**9)
MOST_STATES_FOR_THE_ORACLE = 7
ALPHAS = ("1", "5001/5000", "11/10", "3/2", "2", "3", "7")


def complaint(chain: LabelledMarkovChain, alpha: str) -> str | None:
    """What is wrong with the answers for a chain, or None."""
    try:
        table = distance_table(chain, alpha=alpha, method="strategy", backend="exact")
        equal = {
            "highs": distance_table(chain, alpha=alpha, method="strategy", backend="highs"),
            "explore": distance_table(chain, alpha=alpha, method="explore", precision=0),
        }
        around = {
            "iterate": distance_table(chain, alpha=alpha, method="iterate", tolerance="1/100", time_limit=5),
            "explore": distance_table(chain, alpha=alpha, method="explore", precision=PRECISION),
        }
    except BdistError as error:
        return f"{type(error).__name__}: {error}"
    for pair, found in table.items():
        for name, other in equal.items():
            if other[pair].value != found.value:
                return f"{name} disagrees at {pair}"
        for name, other in around.items():
            bracket = other[pair].bracket
            if not bracket.lower.value <= found.value <= bracket.upper.value:
                return f"{name} excludes the value at {pair}"
        if around["explore"][pair].bracket.width > PRECISION:
            return f"the bracket is too wide at {pair}"
    if len(chain) > MOST_STATES_FOR_THE_ORACLE:
        return None
    d = {
        (s, t): Fraction(0)
        if s == t
        else table[s, t].value
        if chain.label(s) == chain.label(t)
        else Fraction(1)
        for s in chain.states
        for t in chain.states
    }
    if naive.gamma(chain, Fraction(alpha), d) != d:
        return "not a fixed point"
    if any(x > d[pair] for pair, x in naive.kleene_exact_rounds(chain, Fraction(alpha), 4)[-1].items()):
        return "below an iterate from zero"
    return None


def smaller(chain: LabelledMarkovChain) -> Iterator[LabelledMarkovChain]:
    """The chains with one state less; what went there goes to the first state that is left."""
    for gone in chain.states:
        rows = {}
        for state in chain.states:
            if state != gone:
                row = chain.row(state)
                moved = row.pop(gone, Fraction(0))
                first = next(s for s in chain.states if s != gone)
                row[first] = row.get(first, Fraction(0)) + moved
                rows[state] = (chain.label(state), row)
        if rows:
            yield LabelledMarkovChain.from_rows(rows)


def main() -> int:
    """Search until time is up; 1 if something was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - no secret depends on it
    deadline, tried = time.monotonic() + options.seconds, 0
    while time.monotonic() < deadline:
        states = chance.choice([*range(2, 8), 10, 14])
        values: dict[str, str | int | Fraction] = {
            "states": states,
            "labels": chance.randint(1, min(3, states)),
            "degree": chance.randint(1, min(4, states)),
            "denominator": chance.choice([4, 6, 12, 20]),
            "seed": chance.randrange(2**32),
            "shape": chance.choice(["general", "acyclic"]),
        }
        chain, alpha = make_family("random", values), chance.choice(ALPHAS)
        tried += 1
        found = complaint(chain, alpha)
        if found is None:
            continue
        while True:
            candidates = ((c, complaint(c, alpha)) for c in smaller(chain))
            better = next(((c, why) for c, why in candidates if why is not None), None)
            if better is None:
                break
            chain, found = better
        print(f"alpha {alpha}: {found}\n{lmc.write(chain)}")
        return 1
    print(f"{tried} chains, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
