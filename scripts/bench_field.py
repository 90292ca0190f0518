"""The standard case studies of probabilistic model checking, asked as a user asks.

    python scripts/bench_field.py FOLDER [--limit SECONDS] [--only TEXT] [--output FILE.md]

FOLDER has the models as they are passed around: PRISM programs with their properties (``prism/brp/brp.pm``),
explicit files exported by PRISM (``explicit``) and by Storm (``exact``); what is not there is left out. Every
question is a command of its own, in a process of its own, with the time limit: show, quotient, delta with the
true delta alone, delta with bd, and table where there are few pairs. Where a command refuses a file and names
an option, it is asked again with that option, and the option is told.

Two states are asked about: the first one, and the first one after it that has its label and is not bisimilar
to it. Where every such state is bisimilar, another label is taken, the one with the most states first. Where
there is no such pair at all, that is the answer.

Columns: states and transitions, classes of bisimilar states, the true delta and bd at alpha 11/10 (exact, or
the width of the certified bracket), the pairs of a table, and for each question processor seconds and
megabytes. "limit" beside a bracket says that the time was up; "none in time" that nothing was known by then.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.report import LIMIT_REACHED

ROOT = Path(__file__).parents[1]
ALPHA = "11/10"
MOST_PAIRS = 1000  # of a table


@dataclass(frozen=True)
class Case:
    """A model file, what it is called, and the options with which it is read."""

    name: str
    file: str
    options: tuple[str, ...] = ()


def program(name: str, folder: str, file: str, constants: str = "", properties: str = "") -> Case:
    """A PRISM program with its constants and its file of properties."""
    options = ("--const", constants) if constants else ()
    more = ("--properties", f"prism/{folder}/{properties}") if properties else ()
    return Case(name, f"prism/{folder}/{file}", (*options, *more))


ENDS = ("--labels", "deadlock")  # where runs end is all that these have
CASES = (
    program("brp 16-2", "brp", "brp.pm", "N=16,MAX=2", "p1.pctl"),
    program("brp 32-2", "brp", "brp.pm", "N=32,MAX=2", "p1.pctl"),
    program("crowds 3-5", "crowds", "crowds.pm", "TotalRuns=3,CrowdSize=5", "positive.pctl"),
    program("egl 5-2", "egl", "egl.pm", "N=5,L=2"),
    program("haddad 20", "haddad_monmege", "haddad_monmege.pm", "N=20,p=0.7"),
    *(program(f"herman {n}", "herman", f"herman{n}.pm") for n in (3, 5, 7, 9)),
    *(
        program(f"leader {n}-{k}", "leader_sync", f"leader_sync{n}_{k}.pm")
        for n, k in ((3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (4, 4), (5, 2))
    ),
    program("nand 20-1", "nand", "nand.pm", "N=20,K=1", "reliable.pctl"),
    *(Case(f"brp {x}, .tra", f"explicit/brp-brp{x}.tra", ENDS) for x in ("16-2", "32-2")),
    Case("crowds 3-5, .tra", "explicit/crowds-03-05.tra", ENDS),
    *(Case(f"herman {n}, .tra", f"explicit/hermansmall-herman{n}.tra") for n in (3, 5, 7, 9)),
    *(
        Case(f"leader {x}, .tra", f"explicit/leader{'large' if x == '4-4' else 'small'}-{x}.tra")
        for x in ("3-2", "3-3", "3-4", "4-2", "4-3", "4-4", "5-2")
    ),
    *(
        Case(f"{x}, exact .tra", f"exact/{x}.tra")
        for x in ("brp16-2", "crowds3-5", "egl5-2", "haddad20", "leader3-3", "leader4-3")
    ),
)


@dataclass(frozen=True)
class Done:
    """How a command ended: its exit code, its object, its last words, processor seconds and megabytes."""

    code: int
    document: dict[str, Any]
    complaint: str
    seconds: float
    megabytes: int


def ask(command: str, case: Case, folder: Path, limit: float, *words: str) -> Done:
    """Run one command on a case."""
    options = [str(folder / word) if word.startswith("prism/") else word for word in case.options]
    arguments = [str(folder / case.file), *words, *options, "--time-limit", str(limit), "--json"]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        line = [sys.executable, "-m", "bdist", command, *arguments]
        process = subprocess.Popen(line, stdout=out, stderr=err, cwd=ROOT)
        megabytes = pid = 0
        while not pid:  # what wait4 tells of memory begins with what this process holds
            megabytes = max(megabytes, held_at_most(process.pid))
            time.sleep(0.02)
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        printed, complaint = out.read().decode(), err.read().decode(errors="replace")
    document = json.loads(printed) if printed.startswith("{") else {}
    return Done(process.returncode, document, complaint, used.ru_utime + used.ru_stime, megabytes)


def held_at_most(process: int) -> int:
    """The most megabytes that a process has held so far, 0 where it is gone."""
    with suppress(OSError, StopIteration):
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
        return int(next(x for x in status.splitlines() if x.startswith("VmHWM:")).split()[1]) // 1024
    return 0


def two_states(chain: LabelledMarkovChain) -> tuple[str, str] | None:
    """The states that are asked about, in a quotient; None where no two states have one label."""
    groups = sorted(chain.states_by_label.values(), key=lambda group: (0 not in group, -len(group)))
    return next(((chain.states[x[0]], chain.states[x[1]]) for x in groups if len(x) > 1), None)


def measured(case: Case, folder: Path, limit: float) -> list[str]:
    """The row of a case."""
    show = ask("show", case, folder, limit)
    if show.code == 4 and "--repair simplest" in show.complaint:
        case = replace(
            case, name=f"{case.name} `--repair simplest`", options=(*case.options, "--repair", "simplest")
        )
        show = ask("show", case, folder, limit)
    if show.code:
        return [case.name, without_answer(show), *[""] * 4]
    quotient = ask("quotient", case, folder, limit)
    merged = lmc.read(quotient.document["model"])
    pair = two_states(merged)
    sizes = f"{show.document['states']}, {show.document['transitions']}"
    row = [case.name, f"{sizes} {cost(show)}", f"{quotient.document['classes']} {cost(quotient)}"]
    if pair is None:
        return [*row, "0: all states of a label are bisimilar", "0", ""]
    alpha = ("--alpha", ALPHA)
    row.append(bracket(ask("delta", case, folder, limit, *pair, *alpha, "--quantity", "tv")))
    row.append(bracket(ask("delta", case, folder, limit, *pair, *alpha, "--quantity", "bd")))
    counts = [len(members) for members in merged.states_by_label.values()]
    pairs = sum(n * (n - 1) // 2 for n in counts)
    if pairs > MOST_PAIRS:
        return [*row, f"not asked: {pairs} pairs"]
    table = ask("table", case, folder, limit, *alpha, "--quotient")
    found = table.document.get("distances", [])
    exact = sum(distance["exact"] for distance in found)
    what = f"{exact} of {len(found)} exact" if found else without_answer(table)
    return [*row, f"{what} {cost(table)}"]


def without_answer(done: Done) -> str:
    """How a command ended that told nothing."""
    return "none in time" if done.code == LIMIT_REACHED else f"code {done.code}"


def bracket(done: Done) -> str:
    """What is known of a distance, and what it took."""
    known = done.document
    if "lower" not in known:
        return f"{without_answer(done)} {cost(done)}"
    lower, upper = Fraction(known["lower"]), Fraction(known["upper"])
    if lower == upper:
        text = known["lower"] if len(known["lower"]) <= 12 else f"{float(lower):.6g}..., exact"
    else:
        text = f"width {float(upper - lower):.1g}"
    return f"{text}{', limit' if done.code == LIMIT_REACHED else ''} {cost(done)}"


def cost(done: Done) -> str:
    """Seconds and megabytes."""
    return f"({done.seconds:.1f} s, {done.megabytes} MB)"


def main() -> None:
    """Ask all questions about all models that are there, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each command")
    parser.add_argument("--only", default="", help="models whose name begins so")
    parser.add_argument("--output", type=Path, default=ROOT / "scripts" / "results" / "field.md")
    given = parser.parse_args()
    deltas = [f"true delta at {ALPHA}", f"bd at {ALPHA}"]
    heads = ["model", "states, transitions", "classes", *deltas, "table of the quotient"]
    lines = [
        "# The standard case studies",
        "",
        f"`python scripts/bench_field.py FOLDER --limit {given.limit:g}`, Python "
        f"{platform.python_version()} on {platform.machine()}. In brackets: processor seconds and megabytes "
        "of each command, from reading the file to the check of the proof. Numbers are exact, or widths of "
        "certified brackets.",
        "",
        f"| {' | '.join(heads)} |",
        f"| {' | '.join('---' for _ in heads)} |",
    ]
    folder = given.folder.resolve()
    for case in CASES:
        if case.name.startswith(given.only) and (folder / case.file).exists():
            row = measured(case, folder, given.limit)
            print(" | ".join(row), flush=True)
            lines.append(f"| {' | '.join(row)} |")
    given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
