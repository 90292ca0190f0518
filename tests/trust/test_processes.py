"""Calls into processes of their own: large arguments, limits, and children that go wrong.

Children that die, are killed, print into their answer or send half of one are told in one clear line each.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from bdist import Relation, processes
from bdist.audits import pool as pools
from bdist.audits.audit import AuditSettings, run_audit
from bdist.budget import Budget, Stopped
from bdist.chains.families import make_family
from bdist.distances.compute import Skew
from bdist.errors import BackendDied, BackendError, ParameterError
from bdist.processes import Worker, call
from bdist.thresholds.by_milp import MixedProgram, search_with_highs

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def total(numbers: list[int]) -> int:
    print("c SAT solver")  # noqa: T201 - what a solver might do
    return sum(numbers)


def killed(_: None) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed_by_a_signal_without_a_name(_: None) -> None:
    os.kill(os.getpid(), 40)


def gone(_: None) -> None:
    os._exit(7)


def gone_without_a_word(_: None) -> None:
    os._exit(0)


def refused(_: None) -> None:
    raise ValueError("first line\nsecond line " + "x" * 1000)


def test_an_argument_larger_than_a_pipe_and_a_child_that_prints() -> None:
    numbers = list(range(500_000))
    reply = call(total, numbers, Budget(), folder=HERE)
    assert reply.result == sum(numbers)
    assert reply.peak_memory > 0


def test_a_used_up_budget_stops_it() -> None:
    with pytest.raises(Stopped):
        call(time.sleep, 60, Budget(0.5), folder=HERE)


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (killed, BackendDied, "the process of Solver was killed by SIGKILL"),
        (killed_by_a_signal_without_a_name, BackendDied, "the process of Solver was killed by signal 40"),
        (gone, BackendError, "the process of Solver failed: it ended with code 7"),
        (gone_without_a_word, BackendError, "the process of Solver failed: it gave no answer"),
        (refused, BackendError, "the process of Solver failed: second line " + "x" * 288),
    ],
)
def test_a_child_that_ends(fault: Callable[[None], None], kind: type[BackendError], message: str) -> None:
    with pytest.raises(BackendError) as caught:
        call(fault, None, Budget(), name="Solver", folder=HERE)
    assert (type(caught.value), str(caught.value)) == (kind, message)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (b"Welcome to the solver!\n", "it gave an answer that cannot be read"),
        (pickle.dumps(processes.Reply([1, 2, 3], 1))[:-4], "it gave an answer that cannot be read"),
        (pickle.dumps("something else"), "it gave an answer that is none of ours"),
        (b"", "it gave no answer"),
    ],
)
def test_a_child_that_answers_with_something_else(
    output: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import sys; sys.stdout.buffer.write({output!r})"
    monkeypatch.setattr(processes, "_BEGINNING", code)
    with pytest.raises(BackendError, match=f"the process of Solver failed: {message}") as caught:
        call(gone, None, Budget(), name="Solver", folder=HERE)
    assert "\n" not in str(caught.value)


def test_a_worker_stays_and_starts_again_where_it_must() -> None:
    worker = Worker(HERE)
    try:
        numbers = list(range(500_000))
        assert worker.call(total, numbers, Budget()).result == sum(numbers)
        first = worker.pid
        with pytest.raises(BackendError, match=r"the process of Solver failed: second line x{288}$"):
            worker.call(refused, None, Budget(), name="Solver")
        assert worker.call(total, [1], Budget()).result == 1
        assert worker.pid == first  # a function that raises costs no process
        for fault, message in [(killed, "was killed by SIGKILL"), (gone, "failed: it ended with code 7")]:
            with pytest.raises(BackendError, match=message):
                worker.call(fault, None, Budget())
            assert worker.pid is None
        with pytest.raises(Stopped):
            worker.call(time.sleep, 60, Budget(0.5))
        assert worker.pid is None
        assert worker.call(total, [2], Budget()).result == 2
    finally:
        worker.close()
    with pytest.raises(ParameterError, match="'time' is not a module of bdist"):
        Worker().call(time.sleep, 1, Budget())


def keeps_processes(_: None) -> tuple[dict[str, int], dict[str, int], int]:
    processes.keep_processes()
    problem = MixedProgram([0.0], [1.0], [True], [[(0, -1.0)]], [-1.0])
    assert call(search_with_highs, problem, Budget()).result == (1.0,)
    first = processes.kept_processes()
    assert call(search_with_highs, problem, Budget()).result == (1.0,)
    return first, processes.kept_processes(), os.getpid()


def test_what_a_kept_process_has_loaded_is_there_for_the_next_call() -> None:
    first, second, own = call(keeps_processes, None, Budget(), folder=ROOT).result
    assert first == second
    assert set(first) == {"bdist.thresholds.by_milp"}
    assert own not in first.values()
    assert processes.kept_processes() == {}  # it is for a process that asks for it


def test_an_interpreter_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(BackendError, match=r"cannot start a process of .*: No such file or directory"):
        call(gone, None, Budget(), folder=HERE)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("pipe.send_bytes(b'Welcome!'); time.sleep(600)", "its process sent a message that cannot be read"),
        ("pipe.send('Welcome!'); time.sleep(600)", "its process sent a message that cannot be read"),
        ("pipe.close(); time.sleep(600)", "its process hung up"),
        ("sys.exit('no such luck')", "its process failed: no such luck"),
        ("os.kill(os.getpid(), 9)", "its process was ended by SIGKILL"),
    ],
)
def test_a_helper_that_misbehaves_leaves_its_pair_unknown(
    behaviour: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    beginning = "import os, sys, time; from multiprocessing.connection import Connection; "
    code = f"{beginning}pipe = Connection(int(sys.argv[6])); pipe.recv_bytes(); {behaviour}"
    monkeypatch.setattr(processes, "_BEGINNING", code)
    monkeypatch.setattr(pools, "_LAST_SECONDS", 0.1)
    chain = make_family("randomised-response", {})
    settings = AuditSettings(jobs=1, memory_limit=1 << 40)
    found = run_audit(chain, Relation((("yes", "no"),)), Skew.of("2", None), Fraction(0), settings)
    assert found.findings[0].limit == reason
