"""Model checking of chains and decision processes beside Storm, exact, and the published claims beside ours.

    python scripts/bench_dpctl.py [--states N] [--output FILE]

*Chains.* Lanes of small rooms: within a room a run wanders, and then it goes on to the next one, so every
component is small and the numbers stay short for formulas that look ahead a little. A tangle: random rows,
few goals, one component, so that values are quotients of hundreds of digits. And a small chain for a
conjunction of bounded formulas. *Processes* have random rows under three actions. Storm, where stormpy is
installed, solves the same questions in its exact mode; models are handed to it as DRN files, and reading them
is not counted on either side. All values are compared. *Claims* are those of Liu, Wang and Zhang, as
instances/dpctl/expected.toml lists them, and those of their section 8 about above threshold. All that is in
a table is measured in one run, in wall time.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

from bdist import LabelledMarkovChain, dpctl, load, save
from bdist.chains.families import make_family
from bdist.dpctl.families import above_threshold_process, neighbours
from bdist.dpctl.formats import save_decision_process
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.results import Statistics

ROOM = 20
QUESTIONS = (
    ("X X even", 'P=? [X X "even"]'),
    ("even U odd", 'P=? ["even" U "odd"]'),
    ("F<=8 odd", 'P=? [F<=8 "odd"]'),
    ("F<=20 goal", 'P=? [F<=20 "goal"]'),
    ("(X even) & (even U (X odd))", ""),
)
PROCESS_QUESTIONS = (
    ("G F a", 'G F "a"'),
    ("(G F a) & (F G !b)", '(G F "a") & (F G !"b")'),
    ("a U (b & X (c U (a & X b)))", '"a" U ("b" & X ("c" U ("a" & X "b")))'),
    ("G (!a | X !a | X X !a)", 'G (!"a" | (X !"a") | (X X !"a"))'),
    ("G (!a | F<=3 b)", 'G (!"a" | "b" | X ("b" | X ("b" | X "b")))'),
)
WORST = [("top.t4.r0", "bottom.t4.r1")]  # of all neighbours those that need the largest delta
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


def tangle(states: int, seed: int = 1) -> LabelledMarkovChain:
    """Every state goes to three others; one in fifty is a goal (c), one in twenty ends the attempt (b)."""
    draw = random.Random(seed)  # noqa: S311 - a benchmark
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for state in range(states):
        targets = draw.sample(range(states), 3)
        weights = [draw.randrange(1, 4) for _ in targets]
        row = {f"s{t}": Fraction(w, sum(weights)) for t, w in zip(targets, weights, strict=True)}
        rows[f"s{state}"] = draw.choices("abc", [93, 5, 2])[0], row
    return LabelledMarkovChain.from_rows(rows, name="tangle")


def sorted_rooms() -> LabelledMarkovChain:
    """Twenty states with ten labels."""
    draw = random.Random(3)  # noqa: S311 - a benchmark
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for state in range(20):
        targets = draw.sample(range(20), 3)
        rows[f"s{state}"] = f"a{state % 10}", {f"s{t}": Fraction(1, 3) for t in targets}
    return LabelledMarkovChain.from_rows(rows, name="rooms")


def random_process(states: int, seed: int = 1) -> MarkovDecisionProcess:
    """Three actions, each of which leads to up to three states, two of them near."""
    draw = random.Random(seed)  # noqa: S311 - a benchmark
    listed = []
    for state in range(states):
        rows = {}
        for action in "uvw":
            near = [(state + draw.randrange(1, reach)) % states for reach in (6, 12)]
            targets = {*near, draw.randrange(states)}
            rows[action] = {f"s{t}": Fraction(1, len(targets)) for t in targets}
        listed.append((f"s{state}", draw.choice("abc"), rows))
    return MarkovDecisionProcess.from_rows("uvw", listed)


class Storm:
    """A model in Storm's exact mode; where stormpy is not installed, nothing is compared."""

    def __init__(self, model: LabelledMarkovChain | MarkovDecisionProcess) -> None:
        self.model: Any = None
        with suppress(ImportError), tempfile.TemporaryDirectory() as folder:
            import stormpy

            path = Path(folder) / "model.drn"
            if isinstance(model, LabelledMarkovChain):
                save(model, path)
            else:
                save_decision_process(model, path)
            self.model = stormpy.build_model_from_drn[stormpy.Rational](str(path))
        self.states = model.states

    def seconds(self, question: str, ours: Mapping[str, Fraction]) -> float | None:
        """How long it takes, after a comparison of all values; None where it is not asked."""
        if self.model is None or not question:
            return None
        import stormpy

        (parsed,) = stormpy.parse_properties(question)
        began = time.monotonic()
        result = stormpy.model_checking(self.model, parsed, only_initial_states=False)
        seconds = time.monotonic() - began
        for number, state in enumerate(self.states):
            if Fraction(str(result.get_value(number))) != ours[state]:
                raise SystemExit(f"Storm has {result.get_value(number)} in {state}, and we {ours[state]}")
        return seconds


# --- the tables ---


def row_of(what: str, stats: Statistics, storm: float | None) -> str:
    """A line: seconds of the search, of the check, of Storm, and the ratio of search and check to Storm."""
    search, check = float(stats["seconds"]), float(stats["check_seconds"])
    other, ratio = ("-", "-") if storm is None else (f"{storm:.3f}", f"{(search + check) / storm:.2g}")
    line = f"| {what} | {search:.3f} | {check:.3f} | {other} | {ratio} |"
    print(line, flush=True)
    return line


def quoted(formula: str) -> str:
    """A formula in a cell of a table."""
    return "`" + formula.replace("|", "\\|") + "`"


def chain_rows(states: int) -> Iterator[str]:
    """Path formulas on chains."""
    lane = lanes(states)
    cases = [(lane, ours, theirs) for ours, theirs in QUESTIONS]
    cases += [(tangle(size), "a U c", 'P=? ["a" U "c"]') for size in (200, 400)]
    for count in (2, 4, 6, 8):
        both = [("F<=8", f"a{k}") for k in range(count)]
        ours = " & ".join(f"{head} {name}" for head, name in both)
        theirs = " & ".join(f'({head} "{name}")' for head, name in both)
        cases.append((sorted_rooms(), ours, f"P=? [{theirs}]"))
    storms: dict[int, Storm] = {}
    for chain, ours, theirs in cases:
        storm = storms.setdefault(id(chain), Storm(chain))
        found = dpctl.probabilities(chain, ours)
        seconds = storm.seconds(theirs, found.values)
        yield row_of(f"{chain.name}, {len(chain)} states | {quoted(ours)}", found.stats, seconds)
    private = dpctl.check(lane, PRIVATE, [("s0", "s2")])
    yield row_of(f"{lane.name}, {len(lane)} states | `{PRIVATE}`", private.stats, None)


def process_rows() -> Iterator[str]:
    """The least and the most probability of path formulas on processes; Storm is asked twice."""
    for size in (20, 60, 150):
        process = random_process(size)
        storm = Storm(process)
        for ours, theirs in PROCESS_QUESTIONS:
            found = dpctl.extremes(process, ours)
            both = [
                storm.seconds(f"P{kind}=? [{theirs}]", values)
                for kind, values in (("max", found.high), ("min", found.low))
            ]
            seconds = None if both[0] is None or both[1] is None else both[0] + both[1]
            yield row_of(f"{size} states | {quoted(ours)}", found.stats, seconds)


def claim_rows() -> Iterator[str]:
    """What the paper says, and what is found."""
    folder = Path(__file__).parents[1] / "instances" / "dpctl"
    listed = tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))
    for row in (row for row in listed["satisfied"] if "published" in row):
        pairs = [(one, other) for one, other in row["neighbours"]]
        found = dpctl.check(load(folder / row["model"]), row["formula"], pairs)
        answer = found.answer(state for pair in pairs for state in pair).value
        yield f"| {row['model']} | `{row['formula']}` | {row['published']} | {answer} |"
    for row in (row for row in listed["tight"] if "published" in row):
        pairs = [(one, other) for one, other in row["neighbours"]]
        best = dpctl.tight(load(folder / row["model"]), f"D[] ({row['path']})", pairs)
        ours = f"least epsilon ln {best.ratio} at delta 0, least delta {best.delta.upper.value} at epsilon 0"
        yield f"| {row['model']} | `{row['path']}` | {row['published']} | {ours} |"
    process, near = above_threshold_process(), [("top.t3.r5", "bottom.t3.r4")]
    for head, pairs, published in (
        ("D[eps=0, delta=0.17]", near, "verified, for t3 r5 and t3 r4"),
        ("D[eps=1, delta=0.74]", list(neighbours(5)), "verified, for all neighbours"),
    ):
        formula = f"{head} (X X top) & (forall k in 0..: {head} (X^k (bot & X X top)))"
        answer = dpctl.check_process(process, formula, pairs).answer(s for pair in pairs for s in pair).value
        yield f"| above threshold, 155 states | `{formula}` | {published} | {answer} |"
    teams = [("rrr", "rrb"), ("rrb", "rbb"), ("rbb", "bbb")]
    for epsilon in (4, 2):
        lower, upper = (
            make_family("subsampling-as-published", {"epsilon": epsilon, "side": side})
            for side in ("lower", "upper")
        )
        formula = " & ".join(f"D[eps={epsilon}, delta=1/10] (F {out})" for out in ("out0", "out1"))
        verdict = dpctl.check_enclosure(lower, upper, formula, teams)
        answer = verdict.answer(state for pair in teams for state in pair).value
        ours = f"{answer}, certified: {verdict.stats['seconds']} s, check {verdict.stats['check_seconds']} s"
        rule = "the formula by which the mechanism is private; no numbers"
        yield f"| subsampling majority, rate and samples of Algorithm 1 | `{formula}` | {rule} | {ours} |"
    asked = "D[eps=0] (X X (bot & X X top))"
    for pairs, where in ((near, "t3 r5 and t3 r4"), (WORST, "t4 r0 and t4 r1")):
        least = dpctl.tight_process(process, asked, pairs)
        ours = f"{float(least.delta_by_extremes.upper.value):.4f} by the extremes"
        ours += (
            "" if least.delta is None else f", {float(least.delta.upper.value):.4f} over sequences of queries"
        )
        yield f"| above threshold, {where} | `{asked}`, least delta | an instance of the above | {ours} |"


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Measure model checking, and compare it with the paper.")
    parser.add_argument("--states", type=int, default=10_000, help="how many states the lanes have")
    parser.add_argument("--output", type=Path, help="write the page there")
    options = parser.parse_args()
    heads = "bdist | check of the certificate | Storm, exact | ratio"
    lines = [
        "# Model checking dpCTL*",
        "",
        f"`python scripts/bench_dpctl.py --states {options.states}`, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, seconds in one run; every value is exact, for all states, and equal "
        "to Storm's where that was asked. The ratio is that of search and check together to Storm, without "
        "certificates. A dash: Storm has no such formula, or is not installed.",
        "",
        "## Chains",
        "",
        f"| chain | formula | {heads} |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        *chain_rows(options.states),
        "",
        "## Decision processes, three actions: least and most probability",
        "",
        f"| process | formula | {heads} |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        *process_rows(),
        "",
        "## Published and ours",
        "",
        "Liu, Wang and Zhang, Model checking differentially private properties, sections 6 to 8.",
        "",
        "| model | formula | published | ours |",
        "| --- | --- | --- | --- |",
        *claim_rows(),
    ]
    text = "\n".join(lines) + "\n"
    if options.output is not None:
        options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
