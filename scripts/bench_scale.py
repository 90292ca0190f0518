"""How far bdist scales, as ratios to the naive way within one run; results are stored beside this script.

    python scripts/bench_scale.py [--section NAME] [--quick] [--time-limit SECONDS] [--naive-limit SECONDS]
                                  [--jobs N] [--output FOLDER]

Five sections, all of them unless ``--section`` (repeatable) says otherwise:

* random: all pairs of random chains of 20 to 160 states, against Gamma iterated with one HiGHS model a
  program (`scale.naive`), which is extrapolated where it would take more than ``--naive-limit`` seconds;
* dining: one query for 2 to 8 dining cryptographers, exact, with the exponent of its growth;
* query: one query on a random chain of 1,000 states;
* layered: one query on a chain of 100,000 states, from a file;
* start: the smallest query as a process.

Every case is measured in a process of its own and ended at ``--time-limit``. Writes scale.md (tables, the
machine and the command), scale.csv (a line a case) and scale.svg (time against pairs) to scripts/results.
``--quick`` takes toy sizes and seconds, and writes to a temporary folder unless ``--output`` is given. Ctrl-C
stores what is done. The times of a busy machine are worth nothing: run it alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from scale.plot import plot_study
from scale.report import csv_text, markdown_text
from scale.study import SECTIONS, Plan, run_study
from studies import stop_on_interrupt, typed_command

from bdist import BdistError
from bdist.chains.drawings.plots import check_plot_path
from bdist.cli.bench import Machine

NAME = "bench_scale.py"
QUICK_NAIVE_LIMIT = 0.5


def main() -> None:
    """Measure, print and store."""
    arguments = _arguments()
    plan = _plan(arguments)
    try:
        check_plot_path(Path("scale.svg"))
    except BdistError as error:
        sys.exit(f"{NAME}: {error}")
    folder = _folder(arguments)
    machine = Machine.this()
    study = run_study(plan, stop_on_interrupt(), _show)
    page = markdown_text(study, machine, typed_command(NAME), "scale.svg")
    (folder / "scale.csv").write_text(csv_text(study), encoding="utf-8")
    (folder / "scale.md").write_text(page, encoding="utf-8")
    plot_study(study, folder / "scale.svg")
    print(page)
    if arguments.output is None and plan.quick:
        print(f"{NAME}: stored in {folder}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    defaults = Plan()
    parser.add_argument(
        "--section", action="append", choices=SECTIONS, help="only this one, repeatable (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="toy sizes, seconds")
    parser.add_argument(
        "--time-limit",
        type=float,
        default=defaults.time_limit,
        help=f"seconds a case (default {defaults.time_limit:g})",
    )
    parser.add_argument(
        "--naive-limit",
        type=float,
        help=f"seconds after which the naive way is extrapolated (default {defaults.naive_limit:g}; "
        f"{QUICK_NAIVE_LIMIT:g} with --quick)",
    )
    parser.add_argument("--jobs", type=int, help="threads of bdist (default: all cores)")
    parser.add_argument("--output", type=Path, help="where to write (default scripts/results)")
    return parser.parse_args()


def _plan(arguments: argparse.Namespace) -> Plan:
    limit = arguments.naive_limit
    if limit is None:
        limit = QUICK_NAIVE_LIMIT if arguments.quick else Plan.naive_limit
    sections = tuple(arguments.section or SECTIONS)
    return Plan(sections, arguments.quick, arguments.time_limit, limit, arguments.jobs)


def _folder(arguments: argparse.Namespace) -> Path:
    """Where to write; toys do not take the place of results."""
    if arguments.output is None and arguments.quick:
        return Path(tempfile.mkdtemp(prefix="bdist-scale-"))
    folder: Path = arguments.output or Path(__file__).parent / "results"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _show(number: int, total: int, title: str) -> None:
    print(f"{number}/{total}  {title}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
