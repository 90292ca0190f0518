"""How far bdist scales: seconds, memory and growth, beside a naive loop and another commit in one run.

    python scripts/bench_scale.py [--section NAME ...] [--against COMMIT] [--models FOLDER] [--quick]
                                  [--time-limit SECONDS] [--jobs N] [--output FOLDER]

Measures surveys, randomised response, dining cryptographers, geometric noise, tables and single queries of
random chains, a layered chain of 100,000 states and the models of a folder (`scale.cases`), unless
``--section`` (repeatable) says otherwise. Each measurement is a process of its own and ended at
``--time-limit``; a series ends with the first case that does not finish.

``--against`` takes the package of a commit to a temporary folder and asks it the same. Where its kernel has
the sources of the one that is installed here, that one serves both; otherwise it is built by pip. A folder
that has a package will do as well.

Writes scale.md (tables, targets with PASS or MISS, the machine and the command), scale.csv (a line a
measurement) and scale.svg (seconds against states) to scripts/results; ends with 1 where answers exclude each
other. ``--quick`` takes toy sizes, and writes to a temporary folder unless ``--output`` is given. Ctrl-C
stores what is done. The times of a busy machine are worth nothing: run it alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scale.cases import NAIVE, SECTIONS, WAYS, Case, all_cases
from scale.report import AGAINST, OURS, Line, Status, Study, csv_text, markdown_text, plot_study
from studies import other_version, stop_on_interrupt, this_version, typed_command

from bdist import BdistError
from bdist.budget import StopSign
from bdist.chains.drawings.plots import check_plot_path
from bdist.chains.formats import lmc
from bdist.cli.bench.machine import Machine

NAME = "bench_scale.py"
WORKER = Path(__file__).parent / "scale" / "worker.py"
LAST_WORDS = 300  # characters of what a failed process said


def main() -> int:
    """Measure, print and store; 1 where answers exclude each other."""
    arguments = _arguments()
    try:
        check_plot_path(Path("scale.svg"))
        cases = all_cases(tuple(arguments.section or SECTIONS), arguments.quick, arguments.models)
    except BdistError as error:
        sys.exit(f"{NAME}: {error}")
    output = _output(arguments)
    stop, machine = stop_on_interrupt(), Machine.this()
    with tempfile.TemporaryDirectory(prefix="bdist-scale-") as folder:
        versions, against = {OURS: this_version(Path(folder) / "ours")}, None
        if arguments.against:
            versions[AGAINST], against = other_version(NAME, arguments.against, Path(folder))
        runner = Runner(versions, Path(folder) / "model.lmc", arguments.time_limit, arguments.jobs, stop)
        lines = []
        for number, case in enumerate(cases, 1):
            print(f"{number}/{len(cases)}  {case.title}", file=sys.stderr, flush=True)
            lines += runner.measure(case)
            if stop.is_set():
                break
    study = Study(tuple(lines), arguments.time_limit, against, stop.is_set(), arguments.quick)
    page = markdown_text(study, machine, typed_command(NAME), arguments.jobs)
    (output / "scale.csv").write_text(csv_text(study), encoding="utf-8")
    (output / "scale.md").write_text(page, encoding="utf-8")
    plot_study(study, output / "scale.svg")
    print(page)
    return 1 if any(study.disagreements()) else 0


@dataclass
class Runner:
    """Measures cases by all versions, in processes; ``ended``: the series that are over, for whom."""

    versions: dict[str, Path]
    file: Path
    limit: float
    jobs: int | None
    stop: StopSign
    ended: set[tuple[str, str, str]] = field(default_factory=set)

    def measure(self, case: Case) -> list[Line]:
        """One case: every way by every version, and the naive loop."""
        asked = [(version, way) for way in case.ways for version in self.versions]
        asked += [(OURS, NAIVE)] if case.naive else []
        waiting = [who for who in asked if (case.series, *who) not in self.ended]
        lines = {}
        if waiting:
            chain = case.chain()
            pair = case.pair(chain)
            self.file.write_text(lmc.write(chain), encoding="utf-8")
            size = {"states": len(chain)}
            for who in waiting:
                found = self._line(case, pair, size, *who)
                if self.stop.is_set():
                    break
                lines[who] = found
                if found.status is not Status.MEASURED:
                    self.ended.add((case.series, *who))
        if self.stop.is_set():
            return list(lines.values())
        return [lines.get(who) or Line(case, *who, Status.NOT_ASKED) for who in asked]

    def _line(
        self, case: Case, pair: tuple[str, str] | None, size: dict[str, int], version: str, way: str
    ) -> Line:
        arguments = {**WAYS.get(way, {}), **({} if self.jobs is None else {"jobs": self.jobs})}
        task = {"file": str(self.file), "pair": pair, "alpha": case.alpha, "way": way, "arguments": arguments}
        began = time.monotonic()
        with subprocess.Popen(
            [sys.executable, str(WORKER), str(self.versions[version])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for this process only
        ) as process:
            words: str | None = json.dumps(task)
            while True:
                try:
                    output, errors = process.communicate(words, timeout=0.2)
                    break
                except subprocess.TimeoutExpired:
                    words = None
                if self.stop.is_set() or time.monotonic() - began > self.limit:
                    process.kill()
                    reason = f"not finished in {self.limit:g} s"
                    return Line(case, version, way, Status.TIME_LIMIT, size, reason)
        if process.returncode != 0:
            said = (errors.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
            return Line(case, version, way, Status.FAILED, size, said[-LAST_WORDS:])
        figures: dict[str, Any] = json.loads(output.splitlines()[-1])
        return Line(case, version, way, Status.MEASURED, figures, figures.get("limit") or "")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--section", action="append", choices=SECTIONS, help="only this one, repeatable (default: all)"
    )
    parser.add_argument(
        "--against", metavar="COMMIT", help="or a folder: another version, asked in the same run"
    )
    parser.add_argument("--models", type=Path, metavar="FOLDER", help="with the case studies of PRISM")
    parser.add_argument("--quick", action="store_true", help="toy sizes, seconds")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds a process (default 300)")
    parser.add_argument("--jobs", type=int, help="threads of bdist (default: all cores)")
    parser.add_argument("--output", type=Path, help="where to write (default scripts/results)")
    return parser.parse_args()


def _output(arguments: argparse.Namespace) -> Path:
    """Where to write; toys do not take the place of results."""
    if arguments.output is None and arguments.quick:
        folder = Path(tempfile.mkdtemp(prefix="bdist-scale-"))
        print(f"{NAME}: storing in {folder}", file=sys.stderr)
        return folder
    folder = arguments.output or Path(__file__).parent / "results"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    sys.exit(main())
