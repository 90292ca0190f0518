"""Binary search and exact recovery."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from bdist import Distance, LabelledMarkovChain, distance, load
from bdist.budget import Budget
from bdist.chains.families import make_family
from bdist.distances.compute import Skew
from bdist.distances.pairs import PairSpace
from bdist.results import Answer
from bdist.thresholds.by_game import strategy_session
from bdist.thresholds.question import Finding, Options, Question
from bdist.thresholds.search import Step, search, search_distance
from tests.oracles.strategies import alphas, chains
from tests.papers.test_expected_values import INSTANCES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("backend", ["strategy", "sat-lp"])
def test_two_diners_are_recovered(backend: str) -> None:
    """(milp recovers them too, in a minute and more; it is tested on smaller chains below.)"""
    chain = load(INSTANCES / "dining-cryptographers" / "two.lmc")
    found = distance(chain, "s0", "s1", alpha="1.0002", method="search", backend=backend)
    assert found.value == Fraction(1, 2500)
    assert found.stats["finished_by"] == backend


@pytest.mark.parametrize("backend", ["strategy", "sat-lp"])
def test_three_diners_are_recovered(backend: str) -> None:
    chain = load(INSTANCES / "dining-cryptographers" / "three.lmc")
    found = distance(chain, "s0", "s1", alpha="1.0002", method="search", backend=backend)
    assert found.value == Fraction(99, 125000)


@pytest.mark.parametrize(
    ("backend", "family", "s", "t", "value"),
    [("smt", "lemma-three-erratum", "q0", "q1", "13/50"), ("milp", "outside-states", "s", "t", "23/120")],
)
def test_hinting_backends_recover_exact_values(backend: str, family: str, s: str, t: str, value: str) -> None:
    """On the second the narrow formula steers wrongly, and the wide one must be tried."""
    found = distance(make_family(family), s, t, alpha=2, method="search", backend=backend)
    assert found.value == Fraction(value)
    assert found.stats["finished_by"] == backend


@pytest.mark.parametrize("backend", ["strategy", "sat-lp"])
@given(chains(max_states=6), alphas())
@settings(max_examples=30, deadline=None)
def test_search_finds_what_strategy_iteration_finds(
    backend: str, chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    assume(len(chain) > 1)
    searched = distance(chain, "s0", "s1", alpha=alpha, method="search", backend=backend)
    assert searched.value == distance(chain, "s0", "s1", alpha=alpha).value


class _HalfTruths:
    """Tells the truth through strategy iteration, but withholds every proof of a violation."""

    def __init__(self, question: Question, _: Options) -> None:
        self._truth = strategy_session(question, Options())

    def decide(self, theta: Fraction) -> Finding:
        finding = self._truth.decide(theta)
        if finding.answer is Answer.VIOLATED:
            return Finding(Answer.UNKNOWN, reason="withheld", hint=Answer.VIOLATED)
        return finding


class _Misleading:
    """Claims, without proof, that every threshold is violated."""

    def __init__(self, *_: object) -> None:
        pass

    def decide(self, theta: Fraction) -> Finding:
        return Finding(Answer.UNKNOWN, reason="it says so", hint=Answer.VIOLATED)


def _question() -> tuple[Question, Fraction]:
    chain = make_family("random", {"states": 6, "labels": 2, "seed": 3})
    i, j = next(m for m in chain.states_by_label.values() if len(m) > 1)[:2]
    space = PairSpace(chain, Fraction(11, 10), [(i, j)])
    value = distance(chain, chain.states[i], chain.states[j], alpha="11/10").value
    return Question(space, space.number[i, j], Budget()), value


def test_a_candidate_is_recovered_from_hints_alone() -> None:
    question, value = _question()
    steps: list[Step] = []
    work = search(question, _HalfTruths, Options(), steps.append)
    assert work.bounds == (value, value)
    assert not work.fell_back
    assert any(step.is_candidate for step in steps)
    assert all(step.lower <= value <= step.upper for step in steps)
    assert work.denominator_bound_bits >= value.denominator.bit_length()


def test_misleading_hints_end_in_strategy_iteration() -> None:
    question, value = _question()
    work = search(question, _Misleading, Options())
    assert work.fell_back
    assert work.bounds == (value, value)


def _limited(backend: str, seconds: float) -> Distance:
    chain = load(INSTANCES / "dining-cryptographers" / "three.lmc")
    return search_distance(chain, ("s0", "s1"), Skew(Fraction(5001, 5000)), backend, Budget(seconds))


def test_a_limit_leaves_a_certified_bracket() -> None:
    found = _limited("smt", 1.0)
    assert found.limit == "time limit of 1 s reached"
    assert found.bracket.lower.value <= Fraction(99, 125000) <= found.bracket.upper.value


def _children(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "--ppid", str(pid), "-o", "pid="],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    return [int(line) for line in listed.stdout.split()]


@pytest.mark.parametrize("command", [["delta", "--method", "search"], ["threshold", "--theta", "1/5000"]])
def test_killing_the_backend_leaves_a_bracket_and_code_three(command: list[str]) -> None:
    model = str(INSTANCES / "dining-cryptographers" / "three.lmc")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "bdist",
            command[0],
            model,
            "s0",
            "s1",
            "--alpha",
            "1.0002",
            *command[1:],
            "--backend",
            "smt",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    victims: list[int] = []
    for _ in range(6000):
        time.sleep(0.1)
        victims = _children(process.pid)
        if victims:
            break
    assert victims
    time.sleep(0.5)
    killed: list[int] = []
    while not killed:
        for victim in _children(process.pid):
            with suppress(ProcessLookupError):  # one call of the solver has ended, the next one is to come
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)
    stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == 3, stderr
    assert "killed by SIGKILL" in stdout
    assert "Traceback" not in stderr
