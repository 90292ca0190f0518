"""The benchmark's bookkeeping: cases, ratios, what is not finished, not tried or failed, and contradictions.

Workers are replaced by a table of outcomes where their number or their time would matter; a few cells are
decided for real. Times are never compared.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist import BackendError, FormatError, InternalError, ParameterError, distance_table
from bdist.budget import Budget, Stopped
from bdist.chains.drawings.plots import check_plot_path, own_style
from bdist.chains.families import random_chain
from bdist.cli.bench import figures, read_sizes, workers
from bdist.cli.bench.cells import Case, Cell, Status
from bdist.cli.bench.figures import plot_cactus, plot_growth, plot_scatter
from bdist.cli.bench.instances import Common, read_instances
from bdist.cli.bench.machine import Machine, duration
from bdist.cli.bench.naive import NaiveIteration
from bdist.cli.bench.plan import QUESTIONS, SERIES, Instance, Member, Plan, Series
from bdist.cli.bench.rows import HEADER, Rows, json_document, record
from bdist.cli.bench.study import Study, run_study
from bdist.cli.bench.table import table_text
from bdist.cli.bench.workers import Crew, decide_cell, settle
from bdist.errors import BackendDied, BdistError
from bdist.processes import Reply, Worker, call

MACHINE = Machine("a processor", 2, "System", "Python 3", {"highspy": "1"})
HALF = Fraction(1, 2)
ROOT = Path(__file__).parents[2]
FIGURE_ONE = ROOT / "instances" / "figure-one" / "chain.lmc"

Behaviour = Callable[[Cell], Cell]


class TableCrew(Crew):
    """Cells that behave as told, without processes; every distance is ``value``."""

    def __init__(self, behaviour: Behaviour, value: Fraction | None = HALF) -> None:
        super().__init__()
        self._behaviour, self._value = behaviour, value
        self.decided: list[Cell] = []

    def starts(self) -> dict[str, float]:
        return {"strategy": 0.5}

    def settle_series(
        self, series: Series, size: int, seeds: int, limit: float, user: Budget
    ) -> tuple[Case, ...]:
        reason = None if self._value is not None else "the exact distance is not known: too slow"
        wanted = range(1, seeds + 1) if series.pair is None else [None]
        return tuple(
            Case(Member(series, size, seed), ("s", "t"), self._value, 5, 3, reason) for seed in wanted
        )

    def settle_instance(self, instance: Instance, limit: float, user: Budget) -> Case:
        return Case(instance, instance.pair, self._value, instance.states, 3)

    def decide(self, cell: Cell, limit: float, user: Budget) -> Cell:
        self.decided.append(cell)
        return self._behaviour(cell)


def holds_in(cell: Cell, seconds: float) -> Cell:
    if cell.backend == "naive":
        numbers = {"value_approx": 0.5}
        return replace(cell, status=Status.NUMERICAL, seconds=seconds, runs=1, stats=numbers, reason="floats")
    work = {"linear_programs": 7}
    return replace(cell, status=Status.HOLDS, seconds=seconds, runs=3, stats=work, peak_memory=1000)


def one_second(cell: Cell) -> Cell:
    return holds_in(cell, 1.0)


def study_of(plan: Plan, behaviour: Behaviour, value: Fraction | None = HALF) -> Study:
    return run_study(plan, Budget(), crew=TableCrew(behaviour, value))


def by_place(study: Study) -> dict[tuple[str, str, str], Cell]:
    return {(x.case.origin.name, x.question, x.backend): x for x in study.cells}


def test_ratios_are_to_strategy_in_the_same_line() -> None:
    def behaviour(cell: Cell) -> Cell:
        return holds_in(cell, (2 if cell.theta == HALF else 1) * (1 if cell.backend == "strategy" else 5))

    plan = Plan(("randomised-response",), ("sat-lp", "milp"), sizes={"randomised-response": (2, 1)}, jobs=3)
    study = study_of(plan, behaviour)
    assert plan.columns == ("strategy", "sat-lp", "milp")
    assert len(study.cells) == study.total == 12
    assert not study.interrupted
    assert [cell.case.origin.size for cell in study.cells] == [1] * 6 + [2] * 6  # in order, however many jobs
    assert [cell.backend for cell in study.cells] == list(plan.columns) * 4
    assert all(cell.ratio == (1 if cell.backend == "strategy" else 5) for cell in study.cells)
    assert {cell.theta for cell in study.cells} == {HALF, HALF + Fraction(1, 64)}
    text = table_text(study, MACHINE)
    assert "cells     up to 3 at a time, which disturb each other" in text
    assert "start-up  strategy 500 ms (process, libraries" in text


def test_larger_sizes_are_shown_as_not_tried() -> None:
    def behaviour(cell: Cell) -> Cell:
        assert isinstance(cell.case.origin, Member)
        size, seed = cell.case.origin.size, cell.case.origin.seed
        slow = cell.backend == "milp" and (size >= 5 or (size == 4 and seed == 1))
        late = replace(cell, status=Status.NOT_FINISHED, reason="time limit")
        return late if slow else holds_in(cell, 1)

    plan = Plan(("random",), ("milp",), ("value",), {"random": (4, 5, 6)}, seeds=2)
    study = study_of(plan, behaviour)
    assert len(study.cells) == study.total == 12
    cells = by_place(study)
    assert cells["4 #1", "value", "milp"].status is Status.NOT_FINISHED
    assert cells["4 #2", "value", "milp"].status is Status.HOLDS
    assert cells["5 #2", "value", "milp"].status is Status.NOT_FINISHED  # one of size 4 finished
    assert cells["6 #1", "value", "milp"].status is Status.NOT_TRIED
    assert cells["6 #1", "value", "milp"].reason == "smaller size did not finish"
    assert cells["6 #1", "value", "strategy"].ratio == 1
    text = table_text(study, MACHINE)
    assert ">10 s    >10x" in text
    assert "not tried milp (smaller size did not finish)" in text


def test_failures_and_numbers_are_shown_for_what_they_are() -> None:
    def behaviour(cell: Cell) -> Cell:
        if cell.backend == "milp":
            raise BackendDied("killed by SIGKILL")
        if cell.backend == "smt":
            return replace(cell, status=Status.FAILED, reason="needs Z3")
        if cell.backend == "sat-lp":
            return replace(cell, status=Status.UNKNOWN, seconds=2.0, runs=1, reason="no idea")
        return holds_in(cell, 0.001)

    backends = ("strategy", "milp", "sat-lp", "smt", "naive")
    sizes = {"randomised-response": (1,)}
    study = study_of(Plan(("randomised-response",), backends, ("value",), sizes), behaviour)
    found = {cell.backend: (cell.status, cell.reason) for cell in study.cells}
    assert found["milp"] == (Status.FAILED, "killed by SIGKILL")
    assert found["smt"] == (Status.FAILED, "needs Z3")
    assert not found["naive"][0].certified
    text = table_text(study, MACHINE)
    assert "failed    milp (killed by SIGKILL)" in text
    assert "?2.00 s   2000x" in text
    assert "unknown   sat-lp (no idea)" in text
    assert "~1.0 ms    1.0x" in text
    assert "its answers (~) are numbers, and certify nothing" in " ".join(text.split())


@pytest.mark.parametrize(("question", "wrong"), [("value", Status.VIOLATED), ("below", Status.HOLDS)])
def test_contradictory_answers_are_an_internal_error(question: str, wrong: Status) -> None:
    right = Status.HOLDS if wrong is Status.VIOLATED else Status.VIOLATED

    def behaviour(cell: Cell) -> Cell:
        return replace(cell, status=right if cell.backend == "strategy" else wrong, seconds=1.0, runs=1)

    plan = Plan(("randomised-response",), ("sat-lp",), (question,))
    with pytest.raises(InternalError, match=f"sat-lp certified '{wrong.value}' where strategy iteration"):
        study_of(plan, behaviour)


def test_backends_that_disagree_without_a_known_distance_are_an_internal_error() -> None:
    def behaviour(cell: Cell) -> Cell:
        return (
            replace(holds_in(cell, 1), status=Status.VIOLATED) if cell.backend == "smt" else one_second(cell)
        )

    plan = Plan(backends=("naive", "smt"), instances=figure_one("1/3"), jobs=2)
    with pytest.raises(InternalError, match=r"certified '.*' where .* certified '.*'.*s0 s1, theta 1/3"):
        study_of(plan, behaviour)


def test_a_rejected_certificate_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match="rejected"):
        study_of(
            Plan(("randomised-response",)), lambda cell: replace(cell, status=Status.BUG, reason="rejected")
        )


def test_an_unknown_distance_is_shown_and_larger_sizes_are_not_tried() -> None:
    plan = Plan(("randomised-response",), ("sat-lp",), ("value",), {"randomised-response": (1, 2)})
    study = study_of(plan, one_second, value=None)
    assert {cell.status for cell in study.cells} == {Status.NOT_TRIED}
    assert [cell.reason for cell in study.cells] == ["the exact distance is not known: too slow"] * 2 + [
        "the exact distance is not known: smaller size did not finish"
    ] * 2
    assert "not tried strategy, sat-lp (the exact distance is not known: too slow)" in table_text(
        study, MACHINE
    )


def test_an_interrupted_study_keeps_what_is_done(tmp_path: Path) -> None:
    user, ticks = Budget(), list[int]()

    def behaviour(cell: Cell) -> Cell:
        if cell.backend == "sat-lp":
            user.stop.set()
            raise Stopped
        return one_second(cell)

    plan = Plan(("randomised-response",), ("sat-lp",))
    study = run_study(plan, user, lambda done, total, now: ticks.append(done), crew=TableCrew(behaviour))
    assert study.interrupted
    assert len(study.cells) == 1
    assert f"interrupted after 1 of {study.total} cells" in table_text(study, MACHINE)
    assert ticks[-1] == 1
    nothing = replace(study, cells=[])
    plot_growth(nothing, tmp_path / "empty.png")
    plot_cactus(nothing, tmp_path / "empty.png")
    plot_scatter(nothing, tmp_path / "empty.png", ("strategy", "sat-lp"))


def test_plans_are_checked() -> None:
    for wrong, message in [
        ({"families": ("dining",)}, "no family 'dining'; did you mean dining-cryptographers?.*randomised"),
        ({"backends": ("magic",)}, "no threshold backend 'magic'"),
        ({"questions": ("beside",)}, f"no question 'beside'; choose {', '.join(QUESTIONS)}"),
        ({"limit": 0.0}, "positive number of seconds"),
        ({"step": Fraction(2)}, "strictly between 0 and 1"),
        ({"seeds": 0}, "at least 1"),
        ({"jobs": 0}, "at least 1"),
        ({"sizes": {"dining-cryptographers": (1,)}}, "diners is 1; it must be an integer from 2"),
    ]:
        with pytest.raises(ParameterError, match=message):
            Plan(**wrong)  # type: ignore[arg-type]


def test_sizes_are_numbers_and_ranges() -> None:
    assert read_sizes("2-4, 7") == (2, 3, 4, 7)
    for text, message in [("4-2", "not a range"), ("", "not a list"), ("0-9999999", "not a range")]:
        with pytest.raises(ParameterError, match=message):
            read_sizes(text)


def test_thresholds_stay_strictly_inside() -> None:
    step, theta = Fraction(1, 64), Plan().theta
    assert theta("above", HALF) == HALF + step
    assert theta("below", HALF) == HALF - step
    assert theta("value", HALF) == HALF
    assert theta("above", Fraction(255, 256)) == Fraction(511, 512)
    assert theta("below", Fraction(1, 2500)) == Fraction(1, 5000)


# --- one's own instances ---


def figure_one(*thetas: str) -> tuple[Instance, ...]:
    return read_instances(FIGURE_ONE, Common(("s0", "s1"), "1", thetas))


def test_a_list_names_files_beside_it_and_the_command_fills_what_it_leaves_open(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "one.lmc").write_text(FIGURE_ONE.read_text())
    table = tmp_path / "list.csv"
    table.write_text("file, s, t, theta, alpha\nmodels/one.lmc,s0,s1,1/5,2\n\nmodels/one.lmc,s0,s1,,\n")
    found = read_instances(table, Common(None, "1.5", ("1/2", "0.25")))
    assert [(x.file, x.pair, x.alpha, x.theta) for x in found] == [
        ("models/one.lmc", ("s0", "s1"), Fraction(2), Fraction(1, 5)),
        ("models/one.lmc", ("s0", "s1"), Fraction(3, 2), HALF),
        ("models/one.lmc", ("s0", "s1"), Fraction(3, 2), Fraction(1, 4)),
    ]
    folder = read_instances(tmp_path / "models", Common(("s0", "s1"), "1", ()))
    assert [(Path(x.file).name, x.theta, x.states) for x in folder] == [("one.lmc", None, 4)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,s\n", r":1: .*must name the columns file, s, t and, if you like, alpha and theta"),
        ("file,s,t\n", "there is no instance in it"),
        ("file,s,t\none.lmc,s0\n", ":2: .*there are 2 values for 3 columns"),
        ("file,s,t\none.lmc,s0,s1\none.lmc,s0,zero\n", ":3: .*there is no state 'zero'"),
        ("file,s,t,alpha\none.lmc,s0,s1,1/2\n", ":2: .*alpha = 1/2 is below 1"),
        ("file,s,t\none.lmc,s0,s0\n", ":2: .*the distance of s0 to itself is 0"),
        ("file,s,t\none.lmc,s0,s2\n", ":2: .*s0 and s2 have different labels; their distance is 1"),
        ("file,s,t,theta\none.lmc,s0,s1,half\n", ":2: .*theta"),
        ("file,s,t\none.lmc,s0,s1\n./one.lmc,s0,s1\n", "is there twice"),
        ("file,s,t\nnone.lmc,s0,s1\n", "none.lmc.*cannot be read"),
    ],
)
def test_a_list_is_refused_before_anything_is_measured(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "one.lmc").write_text(FIGURE_ONE.read_text())
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(BdistError, match=message):
        read_instances(tmp_path / "list.csv", Common(None, "1", ()))


def test_a_file_that_changes_during_the_study_is_not_measured(tmp_path: Path) -> None:
    model = tmp_path / "one.lmc"
    model.write_text(FIGURE_ONE.read_text())
    (instance,) = read_instances(model, Common(("s0", "s1"), "1", ("1/5",)))
    model.write_text(FIGURE_ONE.read_text().replace("s1", "s9"))
    cell = decide_cell((Cell(Case(instance, ("s0", "s1")), "given", HALF, "strategy"), 10.0))
    assert cell.status is Status.FAILED
    assert cell.reason == f"{model} has changed since the study began"


# --- the file that a study goes on with ---


def stored(
    path: Path, plan: Plan, behaviour: Behaviour, machine: Machine = MACHINE
) -> tuple[Study, list[Cell]]:
    """A study that goes on with a file, and the cells that were measured for it."""
    crew, rows = TableCrew(behaviour), Rows.resume(path, plan, machine)
    try:
        return run_study(plan, Budget(), keeper=rows, crew=crew), crew.decided
    finally:
        rows.close()


def test_a_killed_study_loses_only_the_line_that_was_being_written(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    plan = Plan(backends=("sat-lp", "naive"), instances=figure_one("1/5", "1/2"))
    whole, measured = stored(path, plan, one_second)
    assert len(measured) == 6
    text = path.read_text()
    path.write_text(text[: text.rindex("\n", 0, -1) - 20])  # in the middle of the line before the last
    again, measured = stored(path, plan, lambda cell: holds_in(cell, 2.0))
    assert [cell.backend for cell in measured] == ["sat-lp", "naive"]
    assert again.reused == 4
    assert again.cells[:4] == whole.cells[:4]
    assert [cell.seconds for cell in again.cells] == [1.0] * 4 + [2.0] * 2
    assert "resumed   4 of 6 cells are from an earlier run" in table_text(again, MACHINE)
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["theta"], row["backend"]) for row in rows] == [
        (theta, backend) for theta in ("1/5", "1/2") for backend in plan.columns
    ]
    path.write_text(text[:10])  # in the middle of the header
    assert len(stored(path, plan, one_second)[1]) == 6


def test_another_limit_measures_again_what_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"

    def behaviour(cell: Cell) -> Cell:
        if cell.backend == "smt":
            return replace(cell, status=Status.NOT_FINISHED, reason="time limit")
        if cell.backend == "milp":
            return replace(cell, status=Status.FAILED, reason="not installed")
        return holds_in(cell, 4.0)

    plan = Plan(backends=("smt", "milp"), instances=figure_one("1/5"), limit=10.0)
    stored(path, plan, behaviour)
    assert [x.backend for x in stored(path, plan, behaviour)[1]] == [
        "milp"
    ]  # what failed is always tried again
    shorter, measured = stored(path, replace(plan, limit=3.0), behaviour)
    assert [x.backend for x in measured] == ["milp"]
    assert [x.status for x in shorter.cells] == [Status.NOT_FINISHED, Status.NOT_FINISHED, Status.FAILED]
    longer, measured = stored(path, replace(plan, limit=20.0), one_second)
    assert [x.backend for x in measured] == ["smt", "milp"]
    assert [x.seconds for x in longer.cells] == [4.0, 1.0, 1.0]
    more = replace(plan, backends=("smt", "milp", "naive"), instances=figure_one("1/5", "1/2"), limit=20.0)
    wider, measured = stored(path, more, one_second)
    assert (len(measured), wider.reused) == (5, 3)


def test_the_file_of_another_study_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    plan = Plan(backends=("sat-lp",), instances=figure_one("1/5"))
    stored(path, plan, one_second)
    before = path.read_text()
    family = Plan(("random",), ("sat-lp",))
    other = (replace(plan.instances[0], model="0" * 16),)
    for wrong, machine, message in [
        (
            replace(plan, backends=("smt",)),
            MACHINE,
            ":3: this is of another study, which asked sat-lp; name another",
        ),
        (replace(plan, instances=figure_one("1/2")), MACHINE, ":2: this is of another study, with theta 1/5"),
        (replace(plan, instances=figure_one()), MACHINE, ":2: this is of another study, with theta 1/5"),
        (replace(plan, instances=other), MACHINE, "chain.lmc was before it was changed"),
        (family, MACHINE, ":2: this is of another study, about .*chain.lmc, s0 s1, alpha 1;"),
        (plan, replace(MACHINE, cpu="another"), "on another machine or with other versions"),
    ]:
        with pytest.raises(FormatError, match=message):
            stored(path, wrong, one_second, machine)
    with pytest.raises(ParameterError, match=r"is there already; go on with it \(--resume\)"):
        Rows.create(path, plan, MACHINE)
    assert path.read_text() == before
    sizes = tmp_path / "sizes.csv"
    stored(sizes, Plan(("random",), ("sat-lp",), sizes={"random": (4, 5)}), one_second)
    with pytest.raises(FormatError, match="another study, about random, size 5, alpha 11/10"):
        stored(sizes, Plan(("random",), ("sat-lp",), sizes={"random": (4,)}), one_second)
    wider = Plan(("random",), ("sat-lp",), sizes={"random": (4, 5)}, step=Fraction(1, 8))
    with pytest.raises(FormatError, match="with theta 33/64 where this one has 5/8"):
        stored(sizes, wider, one_second)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(BdistError, match="this is not a table that 'bdist bench --csv' has written"):
        stored(path, plan, one_second)
    path.write_text(before.replace(",holds,1.0,", ",holds,soon,", 1))
    with pytest.raises(BdistError, match=r":2: this line is not one of 'bdist bench'"):
        stored(path, plan, one_second)


# --- what is really decided ---


def test_random_cases_have_a_distance_strictly_inside_and_do_not_change() -> None:
    cases = settle((SERIES["random"][0], 3, 2, 10.0))
    assert cases == settle((SERIES["random"][0], 3, 2, 10.0))
    assert [case.origin.name for case in cases] == ["3 #2", "3 #3"]  # the chain of seed 1 has no such pair
    assert all(case.value is not None and 0 < case.value < 1 for case in cases)
    nothing = settle((SERIES["random"][0], 1, 1, 10.0))
    assert nothing[0].reason is not None
    assert nothing[0].reason.startswith("no seed has two states")


def test_a_cell_is_decided_by_its_backend_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_BRIEF_SECONDS", 1000.0)  # however busy the machine is
    case = settle((SERIES["randomised-response"][0], 2, 1, 10.0))[0]
    assert case.value == Fraction(11, 16)
    below = decide_cell((Cell(case, "below", Fraction(5, 8), "sat-lp"), 10.0))
    assert below.status is Status.VIOLATED
    assert below.runs == 3
    alone = decide_cell((Cell(case, "below", Fraction(5, 8), "milp"), 20.0))
    assert alone.status is Status.UNKNOWN
    assert alone.reason == "no solution in floating point, which proves nothing"
    number = decide_cell((Cell(case, "value", case.value, "naive"), 20.0))
    assert number.status is Status.NUMERICAL
    assert number.stats["value_approx"] == pytest.approx(11 / 16, rel=0, abs=1e-8)
    late = decide_cell((Cell(case, "value", case.value, "naive"), 1e-9))
    assert late.status is Status.NOT_FINISHED


def test_a_cell_whose_solver_is_not_installed_has_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "z3.py").write_text("raise ImportError('hidden by a test')\n")
    monkeypatch.syspath_prepend(tmp_path)
    case = Case(Member(SERIES["randomised-response"][0], 1), ("yes", "no"), Fraction(3, 8))
    crew = Crew()
    try:
        outcome = crew.decide(Cell(case, "above", HALF, "smt"), 30.0, Budget())
    finally:
        crew.close()
    assert outcome.status is Status.FAILED
    assert outcome.reason == "the backend smt needs Z3; install it with: pip install 'bdist[smt]'"
    assert crew.starts() == {}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The columns of the workers that are started."""
    columns: list[str] = []
    warm = Crew._warm

    def noted(crew: Crew, column: str, user: Budget) -> Worker:
        columns.append(column)
        return warm(crew, column, user)

    monkeypatch.setattr(Crew, "_warm", noted)
    return columns


def test_a_worker_that_has_answered_is_asked_again(started: list[str]) -> None:
    case = Case(Member(SERIES["randomised-response"][0], 2), ("yes", "no"), Fraction(11, 16))
    crew = Crew()
    try:
        for theta, status in [(Fraction(3, 4), Status.HOLDS), (Fraction(5, 8), Status.UNKNOWN)] * 2:
            found = crew.decide(Cell(case, "given", theta, "milp"), 30.0, Budget())
            assert found.status is status
            assert found.peak_memory is not None
            assert found.peak_memory > 10**6
    finally:
        crew.close()
    assert started == ["milp"] * 2  # one that did not know is ended
    assert set(crew.starts()) == {"milp"}


def test_workers_last_for_the_whole_study(started: list[str]) -> None:
    plan = Plan(("randomised-response",), ("strategy",), sizes={"randomised-response": (1, 2, 3)})
    study = run_study(plan, Budget())
    assert [cell.status for cell in study.cells] == [Status.HOLDS] * 6
    assert sorted(started) == ["strategy", "the exact distance"]


@pytest.mark.parametrize("column", ["milp", "sat-bits", "smt"])
def test_the_first_question_starts_the_solver(monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    """Else its start would be in the time of the first cell."""
    called: list[Callable[..., Any]] = []

    def noted(function: Callable[..., Any], problem: object, budget: Budget) -> Reply[Any]:
        called.append(function)
        return call(function, problem, budget)

    monkeypatch.setattr(workers, "keep_processes", lambda: None)
    monkeypatch.setattr("bdist.thresholds.question.call", noted)
    workers.warm_up(column)
    assert called


def loaded_late(column: str) -> list[str]:
    """The modules that a warm worker loads when it decides about a chain that is not small."""
    workers.warm_up(column)
    before = set(sys.modules)
    for member, theta in [
        (Member(SERIES["random"][0], 16, 2), Fraction(99, 100)),
        (Member(SERIES["dining-cryptographers"][1], 2), Fraction(9, 10)),
    ]:
        cell = decide_cell((Cell(Case(member, ("s0", "s1")), "given", theta, column), 100.0))
        assert cell.status.certified
    return sorted(set(sys.modules) - before)


@pytest.mark.parametrize("column", ["strategy", "sat-lp"])
def test_nothing_is_loaded_on_the_clock(column: str) -> None:
    assert call(loaded_late, column, Budget(), folder=ROOT).result == []


@pytest.mark.parametrize("alpha", ["1", "11/10"])
def test_the_naive_iteration_agrees_with_the_table(alpha: str) -> None:
    chain = random_chain(states=6, labels=2, seed=4)
    table = distance_table(chain, alpha=alpha, method="strategy")
    iteration = NaiveIteration(chain, float(Fraction(alpha)))
    values = iteration.solve()
    assert iteration.sweeps > 1
    assert iteration.presolve in ("on", "off")
    assert [(chain.states[i], chain.states[j]) for i, j in iteration.pairs] == list(table)
    exact = [float(distance.value) for distance in table.values()]
    assert values.tolist() == pytest.approx(exact, rel=0, abs=1e-8)
    assert any(0 < value < 1 for value in exact)


# --- reports ---


def test_reports_agree_with_each_other(tmp_path: Path) -> None:
    plan = Plan(("random",), ("sat-lp", "naive"), sizes={"random": (4,)}, seeds=2)
    path = tmp_path / "out.csv"
    study, _ = stored(path, plan, lambda cell: holds_in(cell, 0.5))
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(study.cells) == 12
    assert tuple(rows[0]) == HEADER
    assert rows[0]["family"] == "random"
    assert rows[0]["parameters"] == "states=4 labels=2 degree=3 seed=1"
    assert rows[0]["value"] == "1/2"
    assert rows[0]["linear_programs"] == "7"
    assert rows[2]["value_approx"] == "0.5"
    document = json_document(study, MACHINE)
    assert document["cells"] == [
        {**record(cell), "ratio": cell.ratio, "stats": dict(cell.stats)} for cell in study.cells
    ]
    assert all(len(line) <= 120 for line in table_text(study, MACHINE).splitlines())
    for draw in (plot_growth, plot_cactus, lambda x, out: plot_scatter(x, out, ("strategy", "naive"))):
        first, second = tmp_path / "one.svg", tmp_path / "two.svg"
        draw(study, first)
        draw(study, second)
        assert first.read_text() == second.read_text()
        assert str(tmp_path) not in first.read_text()


def test_a_cactus_counts_answers_and_a_scatter_counts_everything() -> None:
    def behaviour(cell: Cell) -> Cell:
        if cell.backend == "milp" and cell.theta == HALF:
            return replace(cell, status=Status.UNKNOWN, seconds=0.5, runs=1)
        return holds_in(cell, 2.0 if cell.backend == "milp" else 1.0)

    plan = Plan(backends=("milp",), instances=figure_one("1/5", "1/2", "3/4"))
    study = study_of(plan, behaviour)
    with own_style({}):
        cactus = figures._cactus(study)
        scatter = figures._scatter(study, "strategy", "milp")
    assert [text.get_text() for text in cactus.legends[0].get_texts()] == ["strategy: 3 of 3", "milp: 2 of 3"]
    assert scatter.axes[0].get_title(loc="left").splitlines() == [
        "both answer 2: strategy is faster in 2, milp in 0",
        "only strategy answers 1, only milp 0, neither 0",
    ]


def test_figures_are_refused_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match=r"'x.pdf'; the name must end in .png or .svg"):
        check_plot_path(Path("x.pdf"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BackendError, match=r"pip install 'bdist\[plot\]'"):
        check_plot_path(Path("x.png"))


def test_durations_have_three_digits() -> None:
    times = [0.00012, 0.0123, 0.1234, 0.9994, 1.234, 12.34, 123.4]
    assert [duration(x) for x in times] == [
        "0.12 ms", "12.3 ms", "123 ms", "999 ms", "1.23 s", "12.3 s", "123 s",
    ]  # fmt: skip


def test_the_machine_is_described_without_names_and_paths() -> None:
    machine = Machine.this()
    assert machine.cores >= 1
    assert machine.packages["highspy"] != "not installed"
    assert "/" not in " ".join(machine.lines()).replace("bdist/", "")
    assert machine.mark == Machine.this().mark != MACHINE.mark
