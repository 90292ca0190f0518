"""Group privacy, several runs, and easy pairs before hard ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest

from bdist import Answer, LabelledMarkovChain, NotPrivate, Relation, audit, load, require_private
from bdist.audits.audit import AuditSettings, Progress, run_audit
from bdist.audits.entries import EASY_BELIEFS, Entry, Task, TaskRunner
from bdist.audits.findings import summary
from bdist.chains.families import make_family
from bdist.chains.formats.lmc import read
from bdist.distances.compute import Skew
from bdist.results import Evidence
from bdist.traces.compute import DEFAULT_BELIEFS
from bdist.traces.loss import PrivacyLoss

ROOT = Path(__file__).parents[2]
GEOMETRIC = load(ROOT / "instances/geometric/four-counts.lmc")
RESPONSE = load(ROOT / "instances/randomised-response/one-question.lmc")
YES_NO = [("yes", "no")]
STEPS = [(f"p{i}", f"p{i + 1}") for i in range(4)]


def path_chain() -> LabelledMarkovChain:
    """Five databases in a row; each is a coin, a little more biased than the one before."""
    rows = "".join(f"p{i} [start] -> {i + 2}/8 heads, {6 - i}/8 tails\n" for i in range(5))
    return read(f"lmc path\n{rows}heads [heads] -> 1 heads\ntails [tails] -> 1 tails\n")


# --- groups ---


def test_a_group_of_two_is_all_pairs_within_two_steps_the_nearest_first() -> None:
    relation = Relation.of(path_chain(), STEPS)
    assert relation.within(1) == relation
    two = relation.within(2)
    assert two.pairs == (*STEPS, ("p0", "p2"), ("p1", "p3"), ("p2", "p4"))
    three = relation.within(3)
    assert three.pairs == (*two.pairs, ("p0", "p3"), ("p1", "p4"))
    assert len(relation.within(4)) == len(relation.within(99)) == 10


def test_steps_go_along_the_relation_whatever_the_order_of_its_pairs() -> None:
    relation = Relation((("c", "b"), ("x", "y"), ("a", "b"), ("c", "d"), ("d", "a")))
    assert {frozenset(pair) for pair in relation.within(2)} == {
        *map(frozenset, relation),
        frozenset("ac"),
        frozenset("bd"),
    }
    assert relation.within(3) == relation.within(2)  # a ring, and a pair that nothing leads to


def test_a_group_is_audited_as_the_pairs_that_it_has() -> None:
    chain = path_chain()
    grouped = audit(chain, STEPS, alpha="3/2", delta="1/10", group=2)
    listed = audit(chain, Relation.of(chain, STEPS).within(2), alpha="3/2", delta="1/10")
    assert {f.pair: (f.answer, f.delta) for f in grouped.findings} == {
        f.pair: (f.answer, f.delta) for f in listed.findings
    }
    assert len(grouped.findings) == 7
    for finding in grouped.findings:
        heads = [Fraction(int(state[1]) + 2, 8) for state in finding.pair]
        ends = [
            max(p - Fraction(3, 2) * q, 0)
            for one, other in (heads, heads[::-1])
            for p, q in ((one, other), (1 - one, 1 - other))
        ]
        # an event or its complement: at alpha above 1 never both are worth saying
        assert finding.delta.upper.value == finding.delta.lower.value == max(ends)


def test_a_group_may_not_be_private_where_its_steps_are() -> None:
    options: dict[str, Any] = {"epsilon": "ln 2", "delta": 0}
    counts = [(f"count{i}", f"count{i + 1}") for i in range(3)]
    assert audit(GEOMETRIC, counts, **options).answer is Answer.HOLDS
    two = audit(GEOMETRIC, counts, **options, group=2)
    assert [f.pair for f in two.findings if f.answer is Answer.VIOLATED] == [
        ("count0", "count2"),
        ("count1", "count3"),
    ]
    assert audit(GEOMETRIC, counts, epsilon="ln 4", group=2).answer is Answer.HOLDS
    assert audit(GEOMETRIC, counts, epsilon="ln 4", group=3).answer is Answer.VIOLATED
    assert audit(GEOMETRIC, counts, epsilon="ln 8", group=3).answer is Answer.HOLDS


# --- runs ---


def test_one_run_is_the_audit_without_the_question() -> None:
    plain = audit(RESPONSE, YES_NO, epsilon="ln 2", delta="1/10")
    one = audit(RESPONSE, YES_NO, epsilon="ln 2", delta="1/10", compose=1)
    for first, second in zip(plain.findings, one.findings, strict=True):
        assert (first.answer, first.delta, first.tv) == (second.answer, second.delta, second.tv)
        assert first.attack == second.attack
    assert plain.runs == one.runs == 1
    assert one.document()["runs"] == 1
    assert "runs" not in summary(one)


@pytest.mark.parametrize("runs", [2, 3, 5])
@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(2), Fraction(3), Fraction(10)])
def test_several_runs_are_the_exact_product(runs: int, alpha: Fraction) -> None:
    answers = {"yes": (Fraction(3, 4), Fraction(1, 4)), "no": (Fraction(1, 4), Fraction(3, 4))}
    seen = list(product((0, 1), repeat=runs))
    truth = sum(
        max(Fraction(0), prod(answers["yes"][x] for x in w) - alpha * prod(answers["no"][x] for x in w))
        for w in seen
    )
    found = audit(RESPONSE, YES_NO, alpha=alpha, compose=runs)
    [finding] = found.findings
    assert (finding.delta.lower.value, finding.delta.upper.value) == (truth, truth)
    assert finding.delta.lower.evidence is finding.delta.upper.evidence is Evidence.EXACT
    assert finding.answer is (Answer.VIOLATED if truth else Answer.HOLDS)
    assert finding.attack is None  # it would be one on a single run
    assert (found.runs, found.document()["runs"]) == (runs, runs)
    assert f"-differential privacy of {runs} runs of randomised-response: " in summary(found)
    assert len(found.certificates) == 1


def test_three_runs_may_not_be_private_where_one_is() -> None:
    options: dict[str, Any] = {"epsilon": "ln 2", "delta": "1/4"}
    assert audit(RESPONSE, YES_NO, **options).answer is Answer.HOLDS
    three = audit(RESPONSE, YES_NO, **options, compose=3)
    assert three.answer is Answer.VIOLATED
    assert three.holds_for == Fraction(17, 32)
    assert audit(RESPONSE, YES_NO, epsilon="ln 27", compose=3).answer is Answer.HOLDS  # three times ln 3


def test_runs_and_groups_go_together() -> None:
    counts = [(f"count{i}", f"count{i + 1}") for i in range(3)]
    assert audit(GEOMETRIC, counts, epsilon="ln 16", group=2, compose=2).answer is Answer.HOLDS
    tight = audit(GEOMETRIC, counts, epsilon="ln 15", group=2, compose=2)
    assert tight.answer is Answer.VIOLATED
    assert len(tight.findings) == 5


def test_helpers_compose_as_one_process_does() -> None:
    relation, skew = Relation.of(RESPONSE, YES_NO), Skew.of("2", None)
    alone, helped = (
        run_audit(RESPONSE, relation, skew, Fraction(0), AuditSettings(runs=3, memory_limit=limit))
        for limit in (None, 4 * 10**9)
    )
    assert [(f.pair, f.delta) for f in alone.findings] == [(f.pair, f.delta) for f in helped.findings]


# --- for a test-suite ---


def test_require_private_asks_about_runs_and_groups() -> None:
    options: dict[str, Any] = {"epsilon": "ln 2", "delta": "1/4"}
    assert require_private(RESPONSE, YES_NO, **options).runs == 1
    assert require_private(RESPONSE, YES_NO, epsilon="ln 2", delta="17/32", compose=3).runs == 3
    with pytest.raises(NotPrivate, match=r"privacy of 3 runs of randomised-response: VIOLATED"):
        require_private(RESPONSE, YES_NO, **options, compose=3)
    counts = [(f"count{i}", f"count{i + 1}") for i in range(3)]
    assert len(require_private(GEOMETRIC, counts, epsilon="ln 2").findings) == 3
    assert len(require_private(GEOMETRIC, counts, epsilon="ln 4", group=2).findings) == 5
    with pytest.raises(NotPrivate, match="VIOLATED by 2 of 5 pairs"):
        require_private(GEOMETRIC, counts, epsilon="ln 2", group=2)
    found = require_private(GEOMETRIC, counts, epsilon="ln 2", distances=True)
    assert all(finding.bd is not None for finding in found.findings)


# --- easy pairs first ---


def mixed() -> tuple[LabelledMarkovChain, list[tuple[str, str]]]:
    """Random states, whose beliefs do not end, named before two coins, whose beliefs end at once."""
    hard = make_family("random", {"states": 6, "labels": 2, "seed": 3})
    rows = [*hard.rows]
    first = len(hard)
    labels = [*hard.labels, "start", "start", "heads", "tails"]
    half, third = Fraction(1, 2), Fraction(1, 3)
    rows += [
        ((first + 2, half), (first + 3, 1 - half)),
        ((first + 2, third), (first + 3, 1 - third)),
        ((first + 2, Fraction(1)),),
        ((first + 3, Fraction(1)),),
    ]
    states = (*hard.states, "fair", "unfair", "heads", "tails")
    chain = LabelledMarkovChain(states, tuple(labels), tuple(rows))
    same = [(s, t) for s in hard.states for t in hard.states if s < t and hard.label(s) == hard.label(t)]
    return chain, [*same[:2], ("fair", "unfair")]


def asked(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    tasks: list[Task] = []
    entries = TaskRunner.entries

    def counted(self: TaskRunner, task: Task, stop: Any) -> Iterator[Entry]:
        tasks.append(task)
        return entries(self, task, stop)

    monkeypatch.setattr(TaskRunner, "entries", counted)
    return tasks


@pytest.mark.parametrize(("delta", "hard"), [("7/10", ("s0", "s4")), ("3/10", ("s0", "s5"))])
def test_easy_pairs_are_settled_before_hard_ones(
    monkeypatch: pytest.MonkeyPatch, delta: str, hard: tuple[str, str]
) -> None:
    """With two beliefs each, every pair but one is settled at this delta; that one is named early."""
    chain, pairs = mixed()
    assert pairs == [("s0", "s4"), ("s0", "s5"), ("fair", "unfair")]
    tasks, steps = asked(monkeypatch), list[Progress]()
    monkeypatch.setattr("bdist.audits.audit.EASY_BELIEFS", 2)
    settings = AuditSettings(jobs=1, watcher=steps.append)
    found = run_audit(chain, Relation.of(chain, pairs), Skew.of("11/10", None), Fraction(delta), settings)
    assert found.count(Answer.UNKNOWN) == 0
    assert [(task.pairs, task.beliefs) for task in tasks] == [
        *(((pair,), 2) for pair in pairs),
        ((hard,), DEFAULT_BELIEFS),
    ]
    by_phase = {step.phase: step.holds + step.violated for step in steps}  # at the end of each
    assert by_phase == {"easy pairs": 2, "hard pairs": 3}
    assert steps[-1].done == steps[-1].total == 6


def test_what_is_easy_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = asked(monkeypatch)
    audit(RESPONSE, YES_NO, epsilon="ln 2", jobs=1)
    assert [(task.quantities, task.beliefs) for task in tasks] == [(("tv",), EASY_BELIEFS)]
    tasks.clear()
    audit(RESPONSE, YES_NO, epsilon="ln 2", jobs=1, distances=True)
    assert [task.quantities for task in tasks] == [("tv",), ("bd", "ld")]


def test_a_pair_that_used_up_its_time_with_few_beliefs_does_not_get_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain, pairs = mixed()
    tasks = asked(monkeypatch)
    found = audit(chain, pairs[:1], alpha="11/10", delta="7/10", jobs=1, pair_time_limit=1e-9)
    assert found.findings[0].reason == "time limit of 1e-09 s a pair reached"
    assert [task.beliefs for task in tasks] == [EASY_BELIEFS]


def test_a_delta_within_the_rounding_of_e_is_unknown_with_a_reason() -> None:
    [known] = audit(RESPONSE, YES_NO, epsilon="1/2").findings
    assert 0 < known.delta.lower.value < known.delta.upper.value
    middle = (known.delta.lower.value + known.delta.upper.value) / 2
    found = audit(RESPONSE, YES_NO, epsilon="1/2", delta=middle)
    assert found.answer is Answer.UNKNOWN
    assert found.findings[0].reason == "delta is too close to the true delta"


def test_the_losses_of_a_run_are_composed_and_not_its_bound() -> None:
    """delta of two runs is not twice the delta of one."""
    loss = PrivacyLoss.of([(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))])
    one, two = (
        audit(RESPONSE, YES_NO, alpha=2, compose=runs).findings[0].delta.upper.value for runs in (1, 2)
    )
    assert one == loss.delta(Fraction(2)) == Fraction(1, 4)
    assert two == Fraction(9, 16) - 2 * Fraction(1, 16)
