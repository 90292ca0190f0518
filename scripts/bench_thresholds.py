"""The full comparison of the threshold backends, with its results stored beside this script.

    python scripts/bench_thresholds.py [--time-limit SECONDS] [--seeds N] [--family NAME] [--backend NAME]
                                       [--sizes N [N ...]] [--resume] [--output FOLDER]

The study of `bdist bench`, with larger sizes and more patience: hours at worst, since a cell may take as long
as the limit, several minutes if only complete backends are asked. Beside the backends stands the naive loop,
with one HiGHS model for each pair and direction that is kept from round to round. Writes thresholds.csv (a
line a cell, as soon as it is measured), thresholds.md (the table, the machine and the command),
thresholds.svg (time against size) and cactus.svg (answers against time) to scripts/results. Ctrl-C stores
what is done, and ``--resume`` goes on with it. The times of a busy machine are worth nothing: run it alone.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path

from studies import stop_on_interrupt, typed_command

from bdist import BdistError
from bdist.budget import Budget
from bdist.chains.drawings.plots import check_plot_path
from bdist.cli.bench.figures import plot_cactus, plot_growth
from bdist.cli.bench.machine import Machine
from bdist.cli.bench.plan import COLUMNS, SERIES, Plan
from bdist.cli.bench.rows import Rows
from bdist.cli.bench.study import Study, run_study
from bdist.cli.bench.table import table_text

SIZES = {
    "randomised-response": (1, 2, 4, 8, 12, 16),
    "random": (4, 6, 8, 10, 12, 16),
    "dining-cryptographers": (2, 3, 4),
}
LIMIT = 60.0
SEEDS = 3


def main() -> None:
    """Measure, print and store."""
    arguments = _arguments()
    families = tuple(arguments.family or SERIES)
    sizes = dict.fromkeys(families, tuple(arguments.sizes)) if arguments.sizes else SIZES
    backends = tuple(arguments.backend or COLUMNS)
    folder: Path = arguments.output
    try:
        plan = Plan(families, backends, sizes=sizes, seeds=arguments.seeds, limit=arguments.time_limit)
        check_plot_path(folder / "thresholds.svg")
        folder.mkdir(parents=True, exist_ok=True)
        machine, table = Machine.this(), folder / "thresholds.csv"
        if not arguments.resume:
            table.unlink(missing_ok=True)
        rows = Rows.resume(table, plan, machine)
    except BdistError as error:
        sys.exit(f"{Path(__file__).name}: {error}")
    with closing(rows):
        study = run_study(plan, Budget(stop=stop_on_interrupt()), _show, rows)
    page = page_text(study, machine, typed_command(Path(__file__).name))
    (folder / "thresholds.md").write_text(page, encoding="utf-8")
    plot_growth(study, folder / "thresholds.svg")
    plot_cactus(study, folder / "cactus.svg")
    print(table_text(study, machine))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--time-limit", type=float, default=LIMIT, help=f"seconds a cell (default {LIMIT:g})")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"random chains a size (default {SEEDS})")
    parser.add_argument("--family", action="append", help="a family, repeatable (default: all)")
    parser.add_argument("--backend", action="append", help="a backend, repeatable (default: all)")
    parser.add_argument("--sizes", type=int, nargs="+", help="sizes in place of those of the study")
    parser.add_argument("--resume", action="store_true", help="go on with the thresholds.csv that is there")
    results = Path(__file__).parent / "results"
    parser.add_argument(
        "--output", type=Path, default=results, help="where to write (default scripts/results)"
    )
    return parser.parse_args()


def page_text(study: Study, machine: Machine, command: str) -> str:
    """The study as a page: the command that made it, the table and the figures."""
    limit = f"{study.plan.limit:g} s a cell"
    return "\n".join(
        [
            "# Threshold backends compared",
            "",
            f"Made by `{command}`, {limit}. The question is bd_α(s, t) ≤ θ.",
            "",
            "![time against size, a line for each backend](thresholds.svg)",
            "",
            "![questions answered against time, a line for each backend](cactus.svg)",
            "",
            "```text",
            table_text(study, machine),
            "```",
            "",
        ]
    )


def _show(done: int, total: int, now: str) -> None:
    print(f"{done}/{total}  {now}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
