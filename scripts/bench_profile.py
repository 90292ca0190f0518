"""Privacy profiles: what they take, beside Google's accountant and an older engine, in one run.

    python scripts/bench_profile.py [--section NAME] [--quick] [--models FOLDER] [--baseline COMMIT]
                                    [--step H] [--time-limit SECONDS] [--rival-limit SECONDS]
                                    [--output FOLDER]

Three engines get the same questions (`profiles.cases` says which):

* *bdist*, from these sources: the whole profile, so delta for every epsilon and both orders, with its check;
* the *older* engine, of the commit ``--baseline`` (or a folder that has its package; ``none`` to leave it
  out): `bdist.true_delta` at epsilon = 0 and at ln 2, with its checks. It is the last one that unfolded
  traces, and had to be asked again for every epsilon;
* *dp_accounting*, where there is a mechanism that it can be told about: its lists of losses, rounded up and
  rounded down to each ``--step``. It knows no chains, so it is told what the chain was made from; for what
  is none of its mechanisms there is nothing to ask.

Every measurement has a process to itself, one at a time. bdist may take ``--time-limit`` seconds for a
question, dp_accounting and each epsilon of the older engine ``--rival-limit``. Who does not finish in time is
shown with what is known by then or with none, and is not asked about larger ones of the same series.

What is compared is also checked. Where there is a formula, bdist must agree with it: equal for exact answers,
which those for up to 100 responses must be, and within the bracket otherwise. The brackets of the older
engine and of bdist must meet. If not, the run ends with an error and stores nothing.

Writes profile.md (tables, the machine and the command) and profile.csv (a line a measurement) to
scripts/results, in about five minutes; files of ``--models``, which are not part of the project, take some
more. ``--quick`` takes toys and seconds, and writes to a temporary folder unless ``--output`` is given.
Ctrl-C stores what is done. The times of a busy machine are worth little, the ratios some: run it alone.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from profiles.cases import DIFFERENT_COINS, ENDLESS_COINS, SECTIONS, Case, all_cases, response_title
from profiles.engines import (
    ALPHAS,
    AccountantFigures,
    AccountantTask,
    AuditFigures,
    AuditTask,
    ProfileFigures,
    ProfileTask,
    closed_form,
    measure_accountant,
    measure_audit,
    measure_profile,
)
from studies import exported_commit, stop_on_interrupt, typed_command

from bdist import BdistError, save
from bdist.budget import Budget, Stopped, StopSign, lateness
from bdist.cli.bench.machine import Machine, duration
from bdist.errors import BackendDied, BackendError
from bdist.processes import call

NAME = "bench_profile.py"
ROOT = Path(__file__).resolve().parents[1]
BASELINE, NO_BASELINE = "ca6071d", "none"
STEPS = (1e-4, 1e-5)
TIME_LIMIT, RIVAL_LIMIT = 30.0, 20.0
EXACT_RESPONSES = 100
NARROW = Fraction(1, 10**6)  # what bdist and the older engine are content with
ABOUT = 1.25


class Status(StrEnum):
    """How a measurement ended."""

    MEASURED = "measured"
    WIDE = "stopped early"
    TIME_LIMIT = "time limit"
    SKIPPED = "not tried"
    FAILED = "failed"
    MISSING = "not installed"


@dataclass(frozen=True)
class Older:
    """The older engine on one case: seconds, or its limit, and brackets at all alphas, in the worse order."""

    status: Status
    seconds: float | None = None
    brackets: tuple[tuple[Fraction, Fraction], ...] = ()
    reason: str | None = None

    @property
    def width(self) -> Fraction:
        """That of its widest bracket."""
        return max((upper - lower for lower, upper in self.brackets), default=Fraction(1))


@dataclass(frozen=True)
class Accountant:
    """dp_accounting on one case, with one step, rounded to one side."""

    status: Status
    step: float
    pessimistic: bool
    figures: AccountantFigures | None = None
    reason: str | None = None

    def errors(self, ours: ProfileFigures) -> tuple[float, float] | None:
        """How far it is off on its own side at most, and how far it is on the wrong side, over the epsilons.

        Where ours is a bracket, its end on the other side of theirs counts.
        """
        if self.figures is None:
            return None
        found = [Fraction(0)]
        for alpha, delta in zip(ALPHAS, self.figures.deltas_approx, strict=True):
            lower, upper = ours.worse(alpha)
            found.append(Fraction(delta) - lower if self.pessimistic else upper - Fraction(delta))
        return float(max(found)), float(-min(found))


@dataclass(frozen=True)
class Line:
    """All engines on one case; ``ours`` is None where it did not finish, for that reason."""

    case: Case
    states: int
    ours: ProfileFigures | None
    reason: str | None
    older: Older | None
    accountants: tuple[Accountant, ...]


@dataclass(frozen=True)
class Plan:
    """What to measure, with which rivals and how much patience, in seconds."""

    sections: tuple[str, ...]
    quick: bool
    models: Path | None
    baseline: str
    steps: tuple[float, ...]
    time_limit: float
    rival_limit: float


@dataclass
class Study:
    """What was measured."""

    plan: Plan
    lines: list[Line] = field(default_factory=list)
    audit: AuditFigures | None = None
    interrupted: bool = False

    def line(self, title: str) -> Line | None:
        """The line of a case, if it was measured."""
        return next((line for line in self.lines if line.case.title == title), None)


# --- measuring ---


@dataclass
class _Runner:
    plan: Plan
    folder: Path
    older_folder: Path | None
    stop: StopSign
    failed: set[tuple[str, str]] = field(default_factory=set)

    def line(self, case: Case) -> Line:
        """Ask all engines. Raises: SystemExit where they do not agree."""
        chain = case.chain()
        file = self.folder / "model.lmc"
        save(chain, file)
        ours, reason = self._ours(case, file)
        older = self._older(case, file)
        accountants = tuple(
            self._accountant(case, step, pessimistic)
            for step in self.plan.steps
            for pessimistic in (True, False)
            if case.mechanism is not None and case.told
        )
        if ours is not None:
            _check_closed_form(case, ours)
            _check_older(case, ours, older)
        return Line(case, len(chain), ours, reason, older, accountants)

    def _ours(self, case: Case, file: Path) -> tuple[ProfileFigures | None, str | None]:
        task = ProfileTask(file, case.pair, self.plan.time_limit)
        # a run that ends at its limit is late by a little, and some short ones may come before the last
        patience = lateness(self.plan.time_limit) + 10
        try:
            return call(
                measure_profile, task, Budget(patience, self.stop), folder=ROOT / "scripts"
            ).result, None
        except Stopped:
            return None, f"none in {self.plan.time_limit:g} s"
        except (BackendDied, BackendError) as error:
            return None, str(error)

    def _older(self, case: Case, file: Path) -> Older | None:
        if self.older_folder is None:
            return None
        key = (case.series, "older")
        if key in self.failed:
            return Older(Status.SKIPPED)
        found = ask_older(self.older_folder, file, case.pair, self.plan.rival_limit)
        if found.status is not Status.MEASURED:
            self.failed.add(key)
        return found

    def _accountant(self, case: Case, step: float, pessimistic: bool) -> Accountant:
        assert case.mechanism is not None  # noqa: S101 - nothing is asked otherwise
        key = (case.series, f"{step} {pessimistic}")
        if key in self.failed:
            return Accountant(Status.SKIPPED, step, pessimistic)
        task = AccountantTask(case.mechanism, step, pessimistic)
        budget = Budget(self.plan.rival_limit + 5, self.stop)  # it must load, which is not counted
        try:
            figures = call(measure_accountant, task, budget, folder=ROOT / "scripts").result
        except Stopped:
            self.failed.add(key)
            reason = f"none in {self.plan.rival_limit:g} s"
            return Accountant(Status.TIME_LIMIT, step, pessimistic, reason=reason)
        except (BackendDied, BackendError) as error:
            self.failed.add(key)
            missing = "No module named 'dp_accounting'" in str(error)
            return Accountant(
                Status.MISSING if missing else Status.FAILED, step, pessimistic, reason=str(error)
            )
        return Accountant(Status.MEASURED, step, pessimistic, figures)


def ask_older(folder: Path, file: Path, pair: tuple[str, str], limit: float) -> Older:
    """The true delta at all alphas by the version of bdist in a folder."""
    driver = ROOT / "scripts" / "profiles" / "older.py"
    arguments = [str(folder.resolve()), str(file), *pair, str(limit), *map(str, ALPHAS)]
    try:
        done = subprocess.run(
            [sys.executable, "-E", "-P", str(driver), *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=len(ALPHAS) * lateness(limit) + 10,
        )
    except subprocess.TimeoutExpired:
        return Older(Status.TIME_LIMIT, len(ALPHAS) * limit, reason=f"none in {len(ALPHAS) * limit:g} s")
    if done.returncode != 0:
        return Older(Status.FAILED, reason=(done.stderr.strip().splitlines() or ["it ended"])[-1])
    found = json.loads(done.stdout)
    brackets = []
    for ends in found["brackets"]:
        lower, upper = (Fraction(int(above, 16), int(below, 16)) for above, below in ends)
        brackets.append((lower, upper))
    older = Older(Status.MEASURED, found["seconds"], tuple(brackets))
    return older if older.width <= NARROW else replace(older, status=Status.WIDE)


def _check_closed_form(case: Case, ours: ProfileFigures) -> None:
    for point in ours.points:
        exact = closed_form(case.mechanism, point.alpha)
        if exact is None:
            continue
        lower, upper = ours.worse(point.alpha)
        if not lower <= exact <= upper:
            sys.exit(f"{NAME}: {case.title}: the bracket at alpha {point.alpha} does not hold the true delta")
        must_be_exact = any(case.title == response_title(k) for k in range(1, EXACT_RESPONSES + 1))
        if must_be_exact and point.width:
            sys.exit(f"{NAME}: {case.title}: the answer at alpha {point.alpha} is not exact")


def _check_older(case: Case, ours: ProfileFigures, older: Older | None) -> None:
    for alpha, (low, high) in zip(ALPHAS, () if older is None else older.brackets, strict=False):
        lower, upper = ours.worse(alpha)
        if not (low <= upper and lower <= high):
            sys.exit(f"{NAME}: {case.title}: the bracket of the older engine does not meet that of bdist")


def run_study(plan: Plan, stop: StopSign, folder: Path) -> Study:
    """Measure one case after another, until all are done or ``stop`` is set."""
    study = Study(plan)
    cases = all_cases(plan.sections, plan.quick, plan.models)
    older_folder: Path | None = None
    if plan.baseline != NO_BASELINE:
        given, hint = Path(plan.baseline), f"; --baseline {NO_BASELINE} leaves it out"
        if (given / "bdist").is_dir():
            older_folder = given
        else:
            older_folder = exported_commit(NAME, plan.baseline, folder, "bdist", hint=hint)
    runner = _Runner(plan, folder, older_folder, stop)
    for number, case in enumerate(cases, 1):
        print(f"{number}/{len(cases)}  {case.title}", file=sys.stderr, flush=True)
        line = runner.line(case)
        if stop.is_set():
            break
        study.lines.append(line)
    if "audit" in plan.sections and not stop.is_set():
        print("audit of a survey", file=sys.stderr, flush=True)
        task = AuditTask(2 if plan.quick else 5, "ln 3")
        try:
            study.audit = call(
                measure_audit, task, Budget(plan.time_limit, stop), folder=ROOT / "scripts"
            ).result
        except (Stopped, BackendDied, BackendError) as error:
            print(f"{NAME}: the audit did not finish: {error}", file=sys.stderr)
    study.interrupted = stop.is_set()
    return study


# --- the page ---

OURS_TEXT = """\
*states* of the chain and *beliefs* of the graph that proves the answer; *solve* and *check* are parts of the
time from the chain in memory to the checked profile. The *width* of the bracket of δ is 0 where it is exact:
at ε = 0, where both orders agree, and at ε = ln 2 in the order that was asked and in the other. All of them
are of one profile, which bounds every other ε as well. *older* is the engine of {baseline}, which is asked at
ε = 0 and then at ln 2, for the worse order; *its width* is that of its wider bracket. The *ratio* is its time
over that of bdist, and at least so much (>) where it reached its limit, {limit:g} s for each ε or 50,000
leaves, before its bracket was as narrow as 1e-6. It spends up to a part of its limit on bounds by ld before
it unfolds, so a part of its time is the limit's: 50 responses take it 6 s with 10 s, 18 s with 40 s.
*–*: not tried, as it did not finish a smaller one."""

RIVAL_TEXT = """\
dp_accounting {version} is told the mechanism that the chain was made from, and bdist the chain. *bdist* is
the whole time of the first table, and *width* its largest width there. *step* is the interval of the grid of
losses, 1e-4 by default. *time* is that of the pessimistic list, δ at both ε included, and the *ratio* that
time over that of bdist. *above* is how much its upper bound exceeds the true δ, and *below* how much its
lower bound falls short, at the worse of ε = 0 and ε = ln 2; *wrong by* is how far a bound is on the wrong
side at one of them: nothing bounds its errors of floating point. Different coins are composed pairwise."""


def page(study: Study, machine: Machine, command: str) -> str:
    """The study as Markdown."""
    plan = study.plan
    baseline = "no other version" if plan.baseline == NO_BASELINE else _baseline_name(plan.baseline)
    parts = [
        "# Privacy profiles",
        f"Made by `{command}`, at most {plan.time_limit:g} s a case for bdist and {plan.rival_limit:g} s "
        "for the others. Medians of up to five runs where they are fast.",
    ]
    if study.interrupted:
        parts.append("Interrupted: what follows is what was done by then.")
    parts += [
        "## What was promised",
        *_promises(study),
        "## Profiles, and the engine before them",
        _table(OURS_HEAD, map(_ours_cells, study.lines)),
        OURS_TEXT.format(baseline=baseline, limit=plan.rival_limit),
        *_limits(study.lines),
    ]
    rivals = [cells for line in study.lines for cells in _rival_cells(line)]
    if rivals:
        parts += [
            "## Google's accountant",
            _table(RIVAL_HEAD, rivals),
            RIVAL_TEXT.format(version=_version("dp-accounting")),
        ]
    packages = ", ".join(f"{name} {_version(name)}" for name in ("python-flint", "numpy", "dp-accounting"))
    parts.append(f"{machine.cpu}, {machine.cores} cores, {machine.system}, {machine.python}, {packages}.")
    return "\n\n".join(parts) + "\n"


@dataclass(frozen=True)
class _Promise:
    text: str
    title: str
    seconds: float
    width: Fraction


PROMISES = (
    _Promise("20-fold response, exact, in about 0.1 s", response_title(20), 0.1, Fraction(0)),
    _Promise("100-fold response, exact, in about 1 s", response_title(100), 1.0, Fraction(0)),
    _Promise(
        "1000-fold response within 1e-9, both orders, in 5 s", response_title(1000), 5.0, Fraction(1, 10**9)
    ),
    _Promise(
        "a thousand different coins within 1e-6 in 30 s", f"1,000 {DIFFERENT_COINS}", 30.0, Fraction(1, 10**6)
    ),
    _Promise("two coins for ever, δ = 1 exactly, at once", ENDLESS_COINS, 0.1, Fraction(0)),
)
AUDIT_SECONDS = 5.0


def _promises(study: Study) -> Iterator[str]:
    rows = []
    for promise in PROMISES:
        line = study.line(promise.title)
        if line is None:
            continue
        if line.ours is None:
            rows.append([promise.text, line.reason or "", "", "MISSED"])
            continue
        width = max(point.width for point in line.ours.points)
        held = line.ours.seconds <= promise.seconds * ABOUT and width <= promise.width
        if promise.title == ENDLESS_COINS:
            held = held and min(line.ours.worse(Fraction(1))) == 1
        rows.append([promise.text, duration(line.ours.seconds), _small(width), "held" if held else "MISSED"])
    audit = study.audit
    if audit is not None:
        toy = "" if audit.pairs == 80 else " (a toy)"
        held = audit.seconds <= AUDIT_SECONDS * ABOUT and audit.answer == "holds" and audit.holds_for == 0
        rows.append(
            [
                f"audit of the {audit.pairs} neighbours of a survey at ln 3: holds, δ = 0, in 5 s{toy}",
                duration(audit.seconds),
                f"{audit.answer}, δ = {audit.holds_for}",
                "held" if held else "MISSED",
            ]
        )
    if rows:
        yield _table(("what", "time", "width", "verdict"), rows)
        yield "Solve and check together, with Python and the chain loaded; *about* means at most 1.25 times."
    else:
        yield "Nothing of it was measured."


OURS_HEAD = (
    *("case", "states", "beliefs", "method", "solve", "check", "width at 0", "at ln 2", "other order"),
    *("older", "its width", "ratio"),
)


def _ours_cells(line: Line) -> list[str]:
    ours = line.ours
    if ours is None:
        cells = [line.case.title, f"{line.states:,}", "", line.reason or "", *[""] * 5]
    else:
        at_zero, _, forward, backward = ours.points
        cells = [
            *(line.case.title, f"{ours.states:,}", f"{ours.beliefs:,}", ours.method),
            *(duration(ours.solve), duration(ours.check)),
            *(_small(point.width) for point in (at_zero, forward, backward)),
        ]
    return [*cells, *_older_cells(line)]


def _older_cells(line: Line) -> list[str]:
    older, ours = line.older, line.ours
    if older is None:
        return ["", "", ""]
    if older.status is Status.SKIPPED:
        return ["–", "", ""]
    if older.seconds is None:
        return [older.status.value, "", ""]
    ratio = "" if ours is None else _ratio(older.seconds / ours.seconds)
    mark = "" if older.status is Status.MEASURED else ">"
    if older.status is Status.TIME_LIMIT:
        return [older.reason or "", "", ratio and mark + ratio]
    return [mark + duration(older.seconds), _small(older.width), ratio and mark + ratio]


RIVAL_HEAD = ("case", "bdist", "width", "step", "time", "ratio", "above", "below")


def _rival_cells(line: Line) -> Iterator[list[str]]:
    ours = line.ours
    if ours is None:
        return
    width = max(point.width for point in ours.points)
    for upper in (found for found in line.accountants if found.pessimistic):
        lower = next(x for x in line.accountants if x.step == upper.step and not x.pessimistic)
        time = "–" if upper.status is Status.SKIPPED else upper.status.value
        if upper.status is Status.TIME_LIMIT:
            time = upper.reason or ""
        ratio = ""
        if upper.figures is not None:
            time, ratio = duration(upper.figures.seconds), _ratio(upper.figures.seconds / ours.seconds)
        errors = [_errors(side, ours) for side in (upper, lower)]
        yield [
            line.case.title,
            duration(ours.seconds),
            _small(width),
            f"{upper.step:g}",
            time,
            ratio,
            *errors,
        ]


def _limits(lines: Iterable[Line]) -> Iterator[str]:
    """Why answers are not exact."""
    reasons: dict[str, list[str]] = {}
    for line in lines:
        if line.ours is not None and line.ours.limit is not None:
            reasons.setdefault(line.ours.limit, []).append(line.case.title)
        if line.older is not None and line.older.status is Status.FAILED:
            reasons.setdefault(f"the older engine: {line.older.reason}", []).append(line.case.title)
    if reasons:
        yield "\n".join(f"* {', '.join(titles)}: {reason}." for reason, titles in reasons.items())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _small(width: Fraction) -> str:
    return "0" if width == 0 else f"{float(width):.1e}"


def _errors(side: Accountant, ours: ProfileFigures) -> str:
    errors = side.errors(ours)
    if errors is None:
        return (side.reason or "") if side.status is Status.TIME_LIMIT else ""
    off, wrong = (f"{x:.1e}" if x else "0" for x in errors)
    return off if wrong == "0" else f"{off}, wrong by {wrong}"


def _ratio(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _baseline_name(baseline: str) -> str:
    return "another version" if Path(baseline).is_dir() else f"commit {baseline}"


COLUMNS = (
    *("section", "case", "engine", "step", "side", "status", "states", "beliefs", "method", "seconds"),
    *("solve_seconds", "check_seconds", "width_0", "width_ln2", "width_ln2_other_order"),
    *("delta_0_approx", "delta_ln2_approx", "error", "wrong_side", "reason"),
)


def csv_text(study: Study) -> str:
    """A line for each measurement."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for line in study.lines:
        base = {"section": line.case.section, "case": line.case.title, "states": line.states}
        for row in _csv_rows(line):
            writer.writerow({**base, **row})
    if study.audit is not None:
        audit = study.audit
        case, reason = f"{audit.pairs} neighbours", f"{audit.answer}, delta {audit.holds_for}"
        row = {"section": "audit", "case": case, "engine": "bdist", "status": Status.MEASURED}
        writer.writerow({**row, "seconds": f"{audit.seconds:.6f}", "reason": reason})
    return stream.getvalue()


def _csv_rows(line: Line) -> Iterator[dict[str, object]]:
    ours, older = line.ours, line.older
    if ours is None:
        yield {"engine": "bdist", "status": Status.FAILED, "reason": line.reason}
    else:
        at_zero, _, forward, backward = ours.points
        yield {
            "engine": "bdist",
            "status": Status.MEASURED,
            "beliefs": ours.beliefs,
            "method": ours.method,
            "seconds": f"{ours.seconds:.6f}",
            "solve_seconds": f"{ours.solve:.6f}",
            "check_seconds": f"{ours.check:.6f}",
            "width_0": float(at_zero.width),
            "width_ln2": float(forward.width),
            "width_ln2_other_order": float(backward.width),
            "delta_0_approx": float(at_zero.upper),
            "delta_ln2_approx": float(ours.worse(Fraction(2))[1]),
            "reason": ours.limit,
        }
    if older is not None:
        widths = [upper - lower for lower, upper in older.brackets]
        known = older.status in (Status.MEASURED, Status.WIDE)
        yield {
            "engine": "older",
            "status": older.status,
            "seconds": "" if older.seconds is None else f"{older.seconds:.6f}",
            "width_0": float(widths[0]) if known else "",
            "width_ln2": float(widths[1]) if known else "",
            "delta_0_approx": float(older.brackets[0][1]) if known else "",
            "delta_ln2_approx": float(older.brackets[1][1]) if known else "",
            "reason": older.reason,
        }
    for found in line.accountants:
        errors = (None if ours is None else found.errors(ours)) or ("", "")
        deltas = ("", "") if found.figures is None else found.figures.deltas_approx
        yield {
            "engine": "dp_accounting",
            "step": f"{found.step:g}",
            "side": "above" if found.pessimistic else "below",
            "status": found.status,
            "seconds": "" if found.figures is None else f"{found.figures.seconds:.6f}",
            "delta_0_approx": deltas[0],
            "delta_ln2_approx": deltas[1],
            "error": errors[0],
            "wrong_side": errors[1],
            "reason": found.reason,
        }


# --- the command line ---


def main() -> None:
    """Measure, print and store."""
    plan, output = _arguments()
    folder = _folder(plan, output)
    stop = stop_on_interrupt()
    machine = Machine.this()
    with tempfile.TemporaryDirectory(prefix="bdist-profile-") as working:
        try:
            study = run_study(plan, stop, Path(working))
        except BdistError as error:
            sys.exit(f"{NAME}: {error}")
    text = page(study, machine, typed_command(NAME))
    (folder / "profile.csv").write_text(csv_text(study), encoding="utf-8")
    (folder / "profile.md").write_text(text, encoding="utf-8")
    print(text, end="")
    if output is None and plan.quick:
        print(f"{NAME}: stored in {folder}", file=sys.stderr)


def _arguments() -> tuple[Plan, Path | None]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--section", action="append", choices=SECTIONS, help="only this one, repeatable (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="toy sizes, seconds")
    parser.add_argument("--models", type=Path, help="a folder with .tra files of PRISM's case studies")
    parser.add_argument(
        "--baseline",
        default=BASELINE,
        help=f"the commit of the older engine, or a folder that has it, or '{NO_BASELINE}' "
        f"(default {BASELINE})",
    )
    parser.add_argument(
        "--step", type=float, action="append", help="of dp_accounting, repeatable (default 1e-4 and 1e-5)"
    )
    parser.add_argument(
        "--time-limit", type=float, default=TIME_LIMIT, help=f"seconds for bdist (default {TIME_LIMIT:g})"
    )
    parser.add_argument(
        "--rival-limit",
        type=float,
        default=RIVAL_LIMIT,
        help=f"seconds for each of the others (default {RIVAL_LIMIT:g})",
    )
    parser.add_argument("--output", type=Path, help="where to write (default scripts/results)")
    given = parser.parse_args()
    if given.models is not None and not given.models.is_dir():
        parser.error(f"there is no folder {given.models}")
    plan = Plan(
        tuple(given.section or SECTIONS),
        given.quick,
        given.models,
        given.baseline,
        tuple(given.step or STEPS),
        given.time_limit,
        given.rival_limit,
    )
    return plan, given.output


def _folder(plan: Plan, output: Path | None) -> Path:
    """Where to write; toys do not take the place of results."""
    if output is None and plan.quick:
        return Path(tempfile.mkdtemp(prefix="bdist-profile-"))
    folder = output or Path(__file__).parent / "results"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    main()
