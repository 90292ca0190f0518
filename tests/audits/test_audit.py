"""Whole relations: the verdict, what it rests on, and what limits and helpers do to it."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

import bdist
from bdist import (
    Answer,
    LabelledMarkovChain,
    NotPrivate,
    ParameterError,
    Relation,
    audit,
    load,
    require_private,
)
from bdist.audits import audit as auditing
from bdist.audits.audit import AuditSettings, Progress, run_audit
from bdist.audits.findings import Audit, Finding, Proof
from bdist.budget import Budget
from bdist.chains.families import make_family
from bdist.distances.compute import Skew
from bdist.processes import held_memory, parse_size, size_text
from tests.oracles import traces
from tests.oracles.strategies import chains

ROOT = Path(__file__).parents[2]
GEOMETRIC = load(ROOT / "instances/geometric/four-counts.lmc")
COUNTS = [(f"count{i}", f"count{i + 1}") for i in range(3)]
SKEW = Skew.of(None, "1/2")


def diners(number: int) -> LabelledMarkovChain:
    return make_family("dining-cryptographers", {"diners": str(number), "bias": "49/100"})


def without_certificates(finding: Finding) -> Finding:
    """A finding without how long it took and in which tables its proofs are."""

    def bare(proof: Proof | None) -> Proof | None:
        return None if proof is None else replace(proof, certificate="")

    first, second = map(bare, finding.ld)
    return replace(finding, bd=bare(finding.bd), ld=(first, second), tv=bare(finding.tv), seconds=0.0)


def facts(found: Audit) -> list[tuple[object, ...]]:
    """What an audit says, without how long it took."""
    return [
        (f.pair, f.answer, f.delta, f.bd, f.ld, f.tv, f.attack and f.attack.document())
        for f in found.findings
    ]


@settings(max_examples=25, deadline=None)
@given(chains(max_states=5, acyclic=True))
def test_the_verdict_is_that_of_brute_force(chain: LabelledMarkovChain) -> None:
    alpha, pairs = Fraction(3, 2), Relation.of(chain, [(s, t) for s in chain.states for t in chain.states])
    assume(len(pairs) > 0)
    length = len(chain) + 1
    truth = {
        (s, t): max(traces.lv(chain, s, t, alpha, length), traces.lv(chain, t, s, alpha, length))
        for s, t in pairs
    }
    below_one = sorted(value for value in truth.values() if value < 1)
    delta = below_one[len(below_one) // 2] if below_one else Fraction(0)
    found = audit(chain, pairs, alpha=alpha, delta=delta, jobs=1)
    for finding in found.findings:
        assert finding.delta.lower.value <= truth[finding.pair] <= finding.delta.upper.value
        if finding.answer is not Answer.UNKNOWN:
            assert (finding.answer is Answer.HOLDS) == (truth[finding.pair] <= delta)
    expected = {f.answer for f in found.findings}
    severity = [Answer.VIOLATED, Answer.UNKNOWN, Answer.HOLDS]
    assert found.answer is next((a for a in severity if a in expected), Answer.HOLDS)


def test_the_findings_are_those_of_single_queries() -> None:
    found = audit(GEOMETRIC, COUNTS, epsilon="1/2", delta="1/10", distances=True)
    assert found.answer is Answer.VIOLATED
    assert len(found.certificates) == 2 + len(COUNTS)  # one table of bd, one of ld, a profile for each pair
    for finding in found.findings:
        s, t = finding.pair
        assert finding.bd is not None
        assert finding.bd.upper.value == bdist.distance(GEOMETRIC, s, t, epsilon="1/2").value
        forward, backward = finding.ld
        assert forward is not None
        assert backward is not None
        for proof, order in ((forward, (s, t)), (backward, (t, s))):
            assert proof.pair == order
            assert proof.upper.value == bdist.distance(GEOMETRIC, *order, epsilon="1/2", quantity="ld").value
        single = bdist.true_delta(GEOMETRIC, s, t, epsilon="1/2")
        assert finding.delta == single.bracket
        assert finding.attack == single.attack


def test_distances_are_computed_only_where_they_are_asked_for() -> None:
    plain = audit(GEOMETRIC, COUNTS, epsilon="1/2", delta="1/10")
    more = audit(GEOMETRIC, COUNTS, epsilon="1/2", delta="1/10", distances=True)
    for finding in plain.findings:
        assert (finding.bd, finding.ld) == (None, (None, None))
        assert [proof.quantity for proof in finding.proofs] == ["tv"]
    assert len(plain.certificates) == len(COUNTS)
    assert {f.pair: (f.answer, f.delta, f.tv) for f in plain.findings} == {
        f.pair: (f.answer, f.delta, f.tv) for f in more.findings
    }


@pytest.mark.parametrize("distances", [False, True])
def test_every_certificate_can_be_checked_by_a_stranger(tmp_path: Path, distances: bool) -> None:
    found = audit(GEOMETRIC, COUNTS, epsilon="1/2", delta="1/10", distances=distances)
    named = {proof.certificate for finding in found.findings for proof in finding.proofs}
    assert named == set(found.certificates)
    for name in named:
        path = tmp_path / f"{name}.json"
        path.write_text(found.certificates[name], encoding="utf-8")
        bdist.check(GEOMETRIC, path)


def test_equality_with_delta_is_private_and_anything_less_is_not() -> None:
    chain = load(ROOT / "instances/randomised-response/one-question.lmc")
    assert audit(chain, [("yes", "no")], epsilon="ln 2", delta="1/4").answer is Answer.HOLDS
    below = audit(chain, [("yes", "no")], epsilon="ln 2", delta=Fraction(1, 4) - Fraction(1, 10**9))
    assert below.answer is Answer.VIOLATED
    assert below.holds_for == Fraction(1, 4)
    assert audit(chain, [("yes", "no")], epsilon="ln 3").answer is Answer.HOLDS


def test_states_with_different_labels_are_told_apart_at_once() -> None:
    found = audit(GEOMETRIC, [("count0", "out0")], epsilon=1, delta="1/2")
    assert found.answer is Answer.VIOLATED
    assert found.findings[0].delta.lower.value == 1
    assert found.findings[0].attack is not None


@pytest.mark.parametrize("ask", [audit, require_private])
def test_no_neighbours_no_audit(ask: Callable[..., object]) -> None:
    with pytest.raises(ParameterError, match="an audit of none would prove nothing"):
        ask(GEOMETRIC, [("count0", "count0")], epsilon=1)


def test_the_worst_pair_comes_first() -> None:
    pairs = [("count0", "count1"), ("count0", "count3"), ("count0", "count2"), ("count1", "count3")]
    found = audit(GEOMETRIC, pairs, epsilon="1/2", delta="1/5")
    uppers = [f.delta.upper.value for f in found.findings]
    assert uppers == sorted(uppers, reverse=True)
    assert found.findings[0].pair == ("count0", "count3")
    answers = [f.answer for f in found.findings]
    assert answers == sorted(answers, key=[Answer.VIOLATED, Answer.UNKNOWN, Answer.HOLDS].index)


def test_helpers_find_what_one_process_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = diners(3)
    relation = Relation.with_label(chain, chain.labels[0])
    alone = run_audit(chain, relation, SKEW, Fraction(0), AuditSettings(jobs=1, distances=True))
    monkeypatch.setattr(auditing, "LOCAL_SECONDS", 0.0)
    monkeypatch.setattr(auditing, "ONE_TABLE", 0)
    monkeypatch.setattr(auditing, "GROUP", 1)
    helped = run_audit(chain, relation, SKEW, Fraction(0), AuditSettings(jobs=2, distances=True))
    assert [without_certificates(f) for f in alone.findings] == [
        without_certificates(f) for f in helped.findings
    ]


@pytest.mark.parametrize("distances", [False, True])
def test_a_pair_that_runs_into_its_time_limit_is_unknown_with_its_bracket(distances: bool) -> None:
    chain = diners(5)
    relation = Relation.with_label(chain, chain.labels[0])
    steps: list[Progress] = []
    found = run_audit(
        chain,
        relation,
        Skew.of("10001/10000", None),
        Fraction(0),
        AuditSettings(pair_time_limit=1e-6, watcher=steps.append, distances=distances),
    )
    assert steps[-1].done == steps[-1].total == (3 if distances else 2) * len(relation)
    cut = [f for f in found.findings if f.limit == "time limit of 1e-06 s a pair reached"]
    assert cut
    for finding in found.findings:
        assert 0 <= finding.delta.lower.value <= finding.delta.upper.value <= 1
        assert (finding.reason is not None) == (finding.answer is Answer.UNKNOWN)


@pytest.mark.parametrize("distances", [False, True])
def test_a_pair_that_runs_into_its_memory_limit_is_unknown_and_the_run_goes_on(distances: bool) -> None:
    limited = AuditSettings(memory_limit=10**6, distances=distances)
    found = run_audit(GEOMETRIC, Relation.of(GEOMETRIC, COUNTS), SKEW, Fraction(1, 10), limited)
    assert [f.answer for f in found.findings] == [Answer.UNKNOWN] * 3
    for finding in found.findings:
        assert finding.reason == "memory limit of 1 MB reached"
        assert (finding.bd is not None) == distances  # the bounds that need no search


def test_an_interrupted_audit_says_so_and_keeps_what_is_proved() -> None:
    budget = Budget()
    budget.stop.set()
    found = run_audit(
        GEOMETRIC, Relation.of(GEOMETRIC, COUNTS), SKEW, Fraction(0), AuditSettings(budget=budget)
    )
    assert found.limit == "interrupted"
    assert found.answer is Answer.UNKNOWN
    assert {f.reason for f in found.findings} == {"interrupted"}


def test_a_helper_that_is_killed_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = diners(3)
    relation = Relation.with_label(chain, chain.labels[0])
    monkeypatch.setattr(auditing, "LOCAL_SECONDS", 0.0)
    expected = run_audit(chain, relation, SKEW, Fraction(0), AuditSettings(jobs=1))
    killed: list[int] = []
    over = threading.Event()

    def murder() -> None:
        while not (killed or over.is_set()):
            for child in children_of(os.getpid()):
                if b"bdist.audits.pool" in command_line(child):
                    os.kill(child, signal.SIGKILL)
                    killed.append(child)
                    return
            time.sleep(0.01)

    monkeypatch.setattr(auditing, "LOCAL_SECONDS", 1e-9)
    killer = threading.Thread(target=murder)
    killer.start()
    found = run_audit(chain, relation, SKEW, Fraction(0), AuditSettings(jobs=2))
    over.set()
    killer.join()
    assert killed
    for one, other in zip(expected.findings, found.findings, strict=True):
        assert (one.pair, one.answer, one.delta) == (other.pair, other.answer, other.delta)


def children_of(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(child) for child in text.split()]


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_require_private_raises_with_the_attack() -> None:
    chain = load(ROOT / "instances/randomised-response/one-question.lmc")
    assert bdist.require_private(chain, [("yes", "no")], epsilon="ln 3").answer is Answer.HOLDS
    with pytest.raises(NotPrivate) as caught:
        bdist.require_private(chain, [("yes", "no")], epsilon="ln 2", delta="0.1")
    assert "VIOLATED" in str(caught.value)
    assert "say 'yes' when the labels begin with: start says-yes" in str(caught.value)


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match="delta = 1 must be at least 0 and below 1"):
        audit(GEOMETRIC, COUNTS, epsilon=1, delta=1)
    with pytest.raises(ParameterError, match="time limit of 0 s"):
        audit(GEOMETRIC, COUNTS, epsilon=1, time_limit=0)
    for wrong in (0, -1):
        with pytest.raises(ParameterError, match=f"group = {wrong} must be at least 1"):
            audit(GEOMETRIC, COUNTS, epsilon=1, group=wrong)
        with pytest.raises(ParameterError, match=f"compose = {wrong} must be at least 1"):
            audit(GEOMETRIC, COUNTS, epsilon=1, compose=wrong)
    with pytest.raises(ParameterError, match="distances are about one run"):
        audit(GEOMETRIC, COUNTS, epsilon=1, compose=2, distances=True)
    with pytest.raises(ParameterError, match="name it"):
        audit(GEOMETRIC, COUNTS, epsilon=1, resume=True)
    with pytest.raises(ParameterError, match="exactly one of alpha and epsilon"):
        audit(GEOMETRIC, COUNTS)
    with pytest.raises(ParameterError, match="no state 'count9'"):
        audit(GEOMETRIC, [("count0", "count9")], epsilon=1)


def test_sizes_are_read_as_people_write_them() -> None:
    assert [parse_size(text) for text in ("12", "2G", "1.5 GiB", "500m", "3kb", 77)] == [
        *(12, 2 * 10**9, 3 * 2**29, 5 * 10**8, 3000, 77),
    ]
    for wrong in ("", "G", "-1", "1e9", "2 X", "0", 0, "9" * 30):
        with pytest.raises(ParameterError):
            parse_size(wrong)
    assert [size_text(n) for n in (10, 2000, 15 * 10**5, 2 * 10**9)] == ["10 bytes", "2 kB", "1.5 MB", "2 GB"]
    assert held_memory() > 10**6
    assert held_memory(2**22 + 1) == 0


def test_the_json_object_holds_all_of_it() -> None:
    found = audit(GEOMETRIC, COUNTS, epsilon="1/2", delta="1/10", distances=True)
    document = json.loads(found.to_json())
    assert document["runs"] == 1
    assert document["answer"] == "violated"
    assert [tuple(pair["pair"]) for pair in document["pairs"]] == [f.pair for f in found.findings]
    first = document["pairs"][0]
    assert Fraction(first["true_delta"]["upper"]) == found.findings[0].delta.upper.value
    for proof in (first["bd"], *first["ld"], first["tv"]):
        assert proof["certificate"] in found.certificates
    assert first["attack"]["test"]["kind"] == "automaton"
    assert first["attack"]["prefixes"]
    plain = json.loads(audit(GEOMETRIC, COUNTS, epsilon="1/2", delta="1/10").to_json())
    assert [(pair["bd"], pair["ld"]) for pair in plain["pairs"]] == [(None, [None, None])] * 3
    assert all(pair["tv"]["certificate"] for pair in plain["pairs"])
