"""The benchmark's bookkeeping: cases, ratios, what is not finished, not tried or failed, and contradictions.

Processes are replaced by a table of outcomes where their number or their time would matter; one small study
is run for real. Times are never compared.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist import BackendError, InternalError, ParameterError
from bdist.budget import Budget, Stopped
from bdist.chains.drawings.plots import check_plot_path
from bdist.cli import bench
from bdist.cli.bench import (
    RECORD,
    SERIES,
    Case,
    Cell,
    Machine,
    Plan,
    Status,
    Study,
    csv_text,
    decide_cell,
    duration,
    json_document,
    plot_study,
    read_sizes,
    record,
    run_study,
    settle,
    table_text,
)
from bdist.errors import BackendDied
from bdist.processes import Reply
from bdist.thresholds.decide import BACKENDS

MACHINE = Machine("a processor", 2, "System", "Python 3", {"highspy": "1"}, 0.25)
HALF = Fraction(1, 2)

Behaviour = Callable[[Cell], Cell]


def by_table(monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour, value: Fraction | None = HALF) -> None:
    """Let cells behave as told, without processes; every distance is ``value``."""

    def fake_call(function: Callable[..., Any], argument: Any, budget: Budget) -> Reply[Any]:
        if function is settle:
            series, size, wanted, _ = argument
            seeds = range(1, wanted + 1) if series.pair is None else [None]
            reason = None if value is not None else "the exact distance is not known: too slow"
            case = Case(series, size, None, ("s", "t"), value, 5, 3, reason)
            return Reply(tuple(replace(case, seed=seed) for seed in seeds), 1)
        assert function is decide_cell
        return Reply(behaviour(argument[0]), 1)

    monkeypatch.setattr(bench, "call", fake_call)


def holds_in(cell: Cell, seconds: float) -> Cell:
    work = {"linear_programs": 7}
    return replace(cell, status=Status.HOLDS, seconds=seconds, runs=3, stats=work, peak_memory=1000)


def by_place(study: Study) -> dict[tuple[int, int | None, str, str], Cell]:
    return {(x.case.size, x.case.seed, x.question, x.backend): x for x in study.cells}


def test_ratios_are_to_strategy_in_the_same_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def behaviour(cell: Cell) -> Cell:
        return holds_in(cell, (2 if cell.theta == HALF else 1) * (1 if cell.backend == "strategy" else 5))

    by_table(monkeypatch, behaviour)
    plan = Plan(("randomised-response",), ("sat-lp", "milp"), sizes={"randomised-response": (2, 1)})
    study = run_study(plan, Budget())
    assert plan.columns == ("strategy", "sat-lp", "milp")
    assert len(study.cells) == study.total == 12
    assert not study.interrupted
    assert [cell.case.size for cell in study.cells] == [1] * 6 + [2] * 6
    assert all(cell.ratio == (1 if cell.backend == "strategy" else 5) for cell in study.cells)
    assert {cell.theta for cell in study.cells} == {HALF, HALF + Fraction(1, 64)}


def test_larger_sizes_are_shown_as_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def behaviour(cell: Cell) -> Cell:
        size, seed = cell.case.size, cell.case.seed
        slow = cell.backend == "milp" and (size >= 5 or (size == 4 and seed == 1))
        late = replace(cell, status=Status.NOT_FINISHED, reason="time limit")
        return late if slow else holds_in(cell, 1)

    by_table(monkeypatch, behaviour)
    plan = Plan(("random",), ("milp",), ("value",), {"random": (4, 5, 6)}, seeds=2)
    study = run_study(plan, Budget())
    assert len(study.cells) == study.total == 12
    cells = by_place(study)
    assert cells[4, 1, "value", "milp"].status is Status.NOT_FINISHED
    assert cells[4, 2, "value", "milp"].status is Status.HOLDS
    assert cells[5, 2, "value", "milp"].status is Status.NOT_FINISHED  # one of size 4 finished
    assert cells[6, 1, "value", "milp"].status is Status.NOT_TRIED
    assert cells[6, 1, "value", "milp"].reason == "smaller size did not finish"
    assert cells[6, 1, "value", "strategy"].ratio == 1
    text = table_text(study, MACHINE)
    assert ">10 s    >10x" in text
    assert "not tried milp (smaller size did not finish)" in text


def test_failures_are_shown_with_their_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def behaviour(cell: Cell) -> Cell:
        if cell.backend == "milp":
            raise BackendDied("killed by SIGKILL")
        if cell.backend == "smt":
            return replace(cell, status=Status.FAILED, reason="needs Z3")
        if cell.backend == "sat-lp":
            return replace(cell, status=Status.UNKNOWN, seconds=2.0, runs=1, reason="no idea")
        return holds_in(cell, 0.001)

    by_table(monkeypatch, behaviour)
    backends = ("strategy", "milp", "sat-lp", "smt")
    sizes = {"randomised-response": (1,)}
    study = run_study(Plan(("randomised-response",), backends, ("value",), sizes), Budget())
    found = {cell.backend: (cell.status, cell.reason) for cell in study.cells}
    assert found["milp"] == (Status.FAILED, "killed by SIGKILL")
    assert found["smt"] == (Status.FAILED, "needs Z3")
    text = table_text(study, MACHINE)
    assert "failed    milp (killed by SIGKILL)" in text
    assert "?2.00 s   2000x" in text
    assert "unknown   sat-lp (no idea)" in text


@pytest.mark.parametrize(("question", "wrong"), [("value", Status.VIOLATED), ("below", Status.HOLDS)])
def test_contradictory_answers_are_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, question: str, wrong: Status
) -> None:
    right = Status.HOLDS if wrong is Status.VIOLATED else Status.VIOLATED

    def behaviour(cell: Cell) -> Cell:
        return replace(cell, status=right if cell.backend == "strategy" else wrong, seconds=1.0, runs=1)

    by_table(monkeypatch, behaviour)
    plan = Plan(("randomised-response",), ("sat-lp",), (question,))
    with pytest.raises(InternalError, match=f"sat-lp certified '{wrong.value}'"):
        run_study(plan, Budget())


def test_a_rejected_certificate_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    by_table(monkeypatch, lambda cell: replace(cell, status=Status.BUG, reason="rejected"))
    with pytest.raises(InternalError, match="rejected"):
        run_study(Plan(("randomised-response",)), Budget())


def test_an_unknown_distance_is_shown_and_larger_sizes_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    by_table(monkeypatch, lambda cell: holds_in(cell, 1), value=None)
    plan = Plan(("randomised-response",), ("sat-lp",), ("value",), {"randomised-response": (1, 2)})
    study = run_study(plan, Budget())
    assert {cell.status for cell in study.cells} == {Status.NOT_TRIED}
    assert [cell.reason for cell in study.cells] == ["the exact distance is not known: too slow"] * 2 + [
        "the exact distance is not known: smaller size did not finish"
    ] * 2
    assert "not tried strategy, sat-lp (the exact distance is not known: too slow)" in table_text(
        study, MACHINE
    )


def test_an_interrupted_study_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    user, ticks = Budget(), list[int]()

    def behaviour(cell: Cell) -> Cell:
        if cell.backend == "sat-lp":
            user.stop.set()
            raise Stopped
        return holds_in(cell, 1)

    by_table(monkeypatch, behaviour)
    study = run_study(
        Plan(("randomised-response",), ("sat-lp",)), user, lambda done, total, now: ticks.append(done)
    )
    assert study.interrupted
    assert len(study.cells) == 1
    assert f"interrupted after 1 of {study.total} cells" in table_text(study, MACHINE)
    assert ticks[-1] == 1
    nothing = replace(study, cells=[])
    plot_study(nothing, tmp_path / "empty.png")
    assert csv_text(nothing).startswith("family,")


def test_plans_are_checked() -> None:
    for wrong, message in [
        ({"families": ("dining",)}, "no family 'dining'; did you mean dining-cryptographers?.*randomised"),
        ({"backends": ("magic",)}, f"no threshold backend 'magic'.*{', '.join(BACKENDS)}"),
        ({"questions": ("beside",)}, "no question 'beside'; choose above, value, below"),
        ({"limit": 0.0}, "positive number of seconds"),
        ({"step": Fraction(2)}, "strictly between 0 and 1"),
        ({"seeds": 0}, "at least 1"),
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


def test_random_cases_have_a_distance_strictly_inside_and_do_not_change() -> None:
    cases = settle((SERIES["random"][0], 3, 2, 10.0))
    assert cases == settle((SERIES["random"][0], 3, 2, 10.0))
    assert [case.seed for case in cases] == [2, 3]  # the chain of seed 1 has no such pair
    assert all(case.value is not None and 0 < case.value < 1 for case in cases)
    nothing = settle((SERIES["random"][0], 1, 1, 10.0))
    assert nothing[0].reason is not None
    assert nothing[0].reason.startswith("no seed has two states")


def test_a_cell_is_decided_by_its_backend_alone() -> None:
    case = settle((SERIES["randomised-response"][0], 2, 1, 10.0))[0]
    assert case.value == Fraction(11, 16)
    below = decide_cell((Cell(case, "below", Fraction(5, 8), "sat-lp"), 10.0))
    assert below.status is Status.VIOLATED
    assert below.runs == 3
    alone = decide_cell((Cell(case, "below", Fraction(5, 8), "milp"), 20.0))
    assert alone.status is Status.UNKNOWN
    assert alone.reason == "no solution in floating point, which proves nothing"


def test_a_cell_whose_solver_is_not_installed_has_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "z3.py").write_text("raise ImportError('hidden by a test')\n")
    monkeypatch.syspath_prepend(tmp_path)
    case = Case(SERIES["randomised-response"][0], 1, None, ("yes", "no"), Fraction(3, 8))
    outcome = decide_cell((Cell(case, "above", HALF, "smt"), 30.0))
    assert outcome.status is Status.FAILED
    assert outcome.reason == "the backend smt needs Z3; install it with: pip install 'bdist[smt]'"


def test_reports_agree_with_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    by_table(monkeypatch, lambda cell: holds_in(cell, 0.5))
    study = run_study(Plan(("random",), ("sat-lp",), sizes={"random": (4,)}, seeds=2), Budget())
    rows = list(csv.DictReader(io.StringIO(csv_text(study))))
    assert len(rows) == len(study.cells) == 8
    assert tuple(rows[0]) == (*RECORD, "time_limit")
    assert rows[0]["family"] == "random"
    assert rows[0]["parameters"] == "states=4 labels=2 degree=3 seed=1"
    assert rows[0]["value"] == "1/2"
    assert rows[0]["linear_programs"] == "7"
    document = json_document(study, MACHINE)
    assert document["cells"] == [{**record(cell), "stats": dict(cell.stats)} for cell in study.cells]
    assert all(len(line) <= 120 for line in table_text(study, MACHINE).splitlines())
    first, second = tmp_path / "one.svg", tmp_path / "two.svg"
    plot_study(study, first)
    plot_study(study, second)
    assert first.read_text() == second.read_text()
    assert str(tmp_path) not in first.read_text()


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
