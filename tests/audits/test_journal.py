"""Nothing lost, and nothing believed: journals that are cut off, damaged, forged, foreign or in use."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bdist
from bdist import Answer, FormatError, ParameterError, Relation, load
from bdist.audits import journal as journals
from bdist.audits.audit import AuditSettings, run_audit
from bdist.audits.entries import EntryChecker, Malformed, TaskRunner, read_entry
from bdist.audits.findings import Audit, Proof
from bdist.audits.journal import Header, Journal
from bdist.chains.chain import fingerprint
from bdist.chains.formats.lmc import read as read_lmc
from bdist.distances.compute import Skew
from bdist.traces.attack import Attack

ROOT = Path(__file__).parents[2]
CHAIN = load(ROOT / "instances/geometric/four-counts.lmc")
RELATION = Relation.of(CHAIN, [(f"count{i}", f"count{i + 1}") for i in range(3)])
SKEW = Skew.of(None, "1/2")
DELTA = Fraction(1, 10)


def run(journal: Path, *, resume: bool = False, warnings: list[str] | None = None, **more: Any) -> Audit:
    warn = None if warnings is None else warnings.append
    return run_audit(
        *(CHAIN, RELATION, SKEW, DELTA),
        AuditSettings(jobs=1, journal=journal, resume=resume, warn=warn, **{"distances": True, **more}),
    )


def facts(found: Audit) -> list[object]:
    """What is found and proved, in whatever certificate: a resumed audit groups pairs its own way."""

    def claim(proof: Proof | None) -> object:
        return None if proof is None else replace(proof, certificate="")

    return [
        (
            f.pair,
            f.answer,
            f.delta,
            claim(f.bd),
            [*map(claim, f.ld)],
            claim(f.tv),
            f.attack and f.attack.document(),
        )
        for f in found.findings
    ]


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Audit]:
    path = tmp_path_factory.mktemp("journal") / "complete.jsonl"
    found = run(path)
    return path.read_bytes(), found


Resumed = tuple[Audit, list[str], list[str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def resumed(path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Resumed]:
    """Resume from a journal of some lines, or from the one that is there; what was computed anew and said."""

    def resume(*lines: bytes) -> Resumed:
        anew: list[str] = []
        warnings: list[str] = []
        entries = TaskRunner.entries

        def counted(self: Any, task: Any, stop: Any) -> Any:
            for entry in entries(self, task, stop):
                anew.append(entry.quantity)
                yield entry

        if lines:
            path.write_bytes(b"".join(lines))
        with monkeypatch.context() as patched:
            patched.setattr(TaskRunner, "entries", counted)
            return run(path, resume=True, warnings=warnings), anew, warnings

    return resume


def test_a_journal_is_json_lines_with_checksums(complete: tuple[bytes, Audit]) -> None:
    lines = complete[0].decode("ascii").splitlines()
    assert len(lines) == 1 + 3 + 2  # what it is about, tv of each pair, bd and ld of all
    for line in lines:
        document = json.loads(line)
        text = json.dumps(document["entry"], separators=(",", ":"))
        assert document["checksum"] == hashlib.sha256(text.encode("ascii")).hexdigest()


def test_a_resumed_audit_computes_nothing_again(
    complete: tuple[bytes, Audit], path: Path, resumed: Callable[..., Resumed]
) -> None:
    found, anew, warnings = resumed(complete[0])
    assert facts(found) == facts(complete[1])
    assert (anew, warnings) == ([], [])
    assert path.read_bytes() == complete[0]


@pytest.mark.parametrize("number", range(1, 6))
def test_a_damaged_line_is_reported_and_its_pairs_computed_again(
    complete: tuple[bytes, Audit], path: Path, resumed: Callable[..., Resumed], number: int
) -> None:
    lines = complete[0].splitlines(keepends=True)
    place = len(lines[number]) // 2
    lines[number] = lines[number][:place] + b"~" + lines[number][place + 1 :]
    found, anew, warnings = resumed(*lines)
    assert facts(found) == facts(complete[1])
    assert anew == [["tv"], ["tv"], ["tv"], ["bd", "bd"], ["ld", "ld"]][number - 1]  # one pair, then two
    assert warnings == [f"{path}:{number + 1}: the checksum does not match; its pairs are computed again"]
    again, anew, _ = resumed()
    assert (facts(again), anew) == (facts(complete[1]), [])


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.99])
def test_a_journal_that_was_cut_off_goes_on(
    complete: tuple[bytes, Audit], path: Path, resumed: Callable[..., Resumed], kept: float
) -> None:
    found, anew, warnings = resumed(complete[0][: int(len(complete[0]) * kept)])
    assert facts(found) == facts(complete[1])
    assert anew
    assert "the line is cut off" in warnings[0]
    assert json.loads(path.read_text(encoding="ascii").splitlines()[-1])


def forged(line: bytes, change: Any) -> bytes:
    """A line with a changed entry and a checksum that holds."""
    entry = json.loads(line)["entry"]
    change(entry)
    return journals._line(entry).encode("ascii") + b"\n"


def test_a_forger_who_knows_checksums_gains_nothing(
    complete: tuple[bytes, Audit], resumed: Callable[..., Resumed]
) -> None:
    def lower_the_claims(entry: dict[str, Any]) -> None:
        certificate = json.loads(entry["certificate"])
        for claim in certificate["claims"]:
            claim["upper"] = claim["lower"] = "0"
        entry["certificate"] = json.dumps(certificate)

    lines = complete[0].splitlines(keepends=True)
    lines[4] = forged(lines[4], lower_the_claims)
    found, anew, warnings = resumed(*lines)
    assert anew == ["bd", "bd"]
    assert "rejected at" in warnings[0]
    assert facts(found) == facts(complete[1])


def claiming(**claim: Any) -> Any:
    """The certificate with another claim."""
    return certifying(lambda certificate: certificate.update(claim=claim))


def certifying(change: Any) -> Any:
    def changed(entry: dict[str, Any]) -> None:
        certificate = json.loads(entry["certificate"])
        change(certificate)
        entry["certificate"] = json.dumps(certificate)

    return changed


def of_another_model(entry: dict[str, Any]) -> None:
    """An honest proof of a chain with the same states in which nothing leaks."""
    text = "".join(f"{s} [start] -> 1/2 out0, 1/2 out1\n" for s in ("count0", "count1"))
    other = read_lmc("lmc\n" + text + "out0 [out0] -> 1 out0\nout1 [out1] -> 1 out1\n")
    certificate = bdist.profile(other, "count0", "count1").certificate
    assert certificate is not None
    entry["certificate"] = certificate.to_json()


def claiming_nothing_leaks(certificate: dict[str, Any]) -> None:
    certificate["nodes"] = certificate["nodes"][:1]
    del certificate["nodes"][0]["next"]
    certificate["claim"] = {"atoms": [["1", "1"]]}


PROFILES = {
    "nothing leaks": claiming(atoms=[["1", "1"]]),
    "everything leaks": claiming(atoms=[["0", "1"], ["1", "0"]]),
    "a little less leaks": claiming(atoms=[["2/5", "3/5"], ["3/5", "2/5"]]),
    "masses above 1": claiming(atoms=[["2/3", "4/3"], ["4/3", "2/3"]]),
    "sides exchanged": claiming(
        optimistic=[["0", "1"], ["1", "0"]], pessimistic=[["1/3", "2/3"], ["2/3", "1/3"]]
    ),
    "too low from above": claiming(optimistic=[["1", "1"]], pessimistic=[["1", "1"]]),
    "too high from below": claiming(
        optimistic=[["0", "1"], ["1", "0"]], pessimistic=[["0", "1"], ["1", "0"]]
    ),
    "one alpha, true": claiming(alpha="3/2", forward=["1/6", "1/6"], backward=["1/6", "1/6"]),
    "one alpha, false": claiming(alpha="3/2", forward=["0", "0"], backward=["0", "0"]),
    "no atoms": claiming(atoms=[]),
    "no claim": claiming(),
    "the belief of another pair": certifying(
        lambda certificate: certificate["nodes"][0].update(b=certificate["nodes"][0]["a"])
    ),
    "the name of another pair": certifying(lambda certificate: certificate.update(pair=["count0", "count3"])),
    "the same state twice": certifying(lambda certificate: certificate.update(pair=["count0", "count0"])),
    "no graph": certifying(claiming_nothing_leaks),
    "another model": of_another_model,
    "another model's fingerprint": certifying(lambda certificate: certificate.update(model="0" * 64)),
}


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("keep_attack", [True, False])
def test_a_forged_profile_gains_nothing(
    complete: tuple[bytes, Audit], resumed: Callable[..., Resumed], name: str, keep_attack: bool
) -> None:
    def change(entry: dict[str, Any]) -> None:
        PROFILES[name](entry)
        entry["attack"] = entry["attack"] if keep_attack else None

    lines = complete[0].splitlines(keepends=True)
    lines[1] = forged(lines[1], change)
    found, anew, warnings = resumed(*lines)
    assert (anew, len(warnings)) == (["tv"], 1), warnings
    assert facts(found) == facts(complete[1])


def test_honest_profiles_on_the_lines_of_others_are_what_they_are(
    complete: tuple[bytes, Audit], resumed: Callable[..., Resumed]
) -> None:
    """One pair's certificate in place of another's: the attack does not fit, and the pair is computed."""
    lines = complete[0].splitlines(keepends=True)
    other = json.loads(lines[2])["entry"]
    for attack, complaint in (("own", "not about the pair of the certificate"), ("other", None)):

        def exchange(entry: dict[str, Any], attack: str = attack) -> None:
            entry["certificate"] = other["certificate"]
            entry["attack"] = entry["attack"] if attack == "own" else other["attack"]

        found, anew, warnings = resumed(lines[0], forged(lines[1], exchange), *lines[2:])
        assert anew == ["tv"]
        assert [complaint in warning for warning in warnings if complaint] == ([True] if complaint else [])
        assert facts(found) == facts(complete[1])


def test_an_attack_is_told_with_its_own_probabilities_in_either_order(
    complete: tuple[bytes, Audit], resumed: Callable[..., Resumed]
) -> None:
    def boast(entry: dict[str, Any]) -> None:
        entry["attack"].update(probabilities=["1", "0"], prefixes=[["start"]])

    def swap(entry: dict[str, Any]) -> None:
        s, t = entry["attack"]["pair"]
        best = {"count0": "out0", "count1": "out3"}
        test = {"kind": "automaton", "states": [{"start": 1}, {best.get(t, "out3"): "accept"}]}
        entry["attack"].update(pair=[t, s], test=test)

    lines = complete[0].splitlines(keepends=True)
    found, anew, warnings = resumed(lines[0], forged(lines[1], boast), *lines[2:])
    assert (anew, warnings) == ([], [])
    assert facts(found) == facts(complete[1])
    found, _, _ = resumed(lines[0], forged(lines[1], swap), *lines[2:])
    for finding in found.findings:
        attack = finding.attack
        assert attack is not None
        assert set(attack.pair) == set(finding.pair)
        assert 0 < attack.advantage(SKEW.attack_alpha) <= finding.delta.upper.value
        assert Attack.of(CHAIN, attack.pair, attack.test) == replace(attack, leaning=((), ()))


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry.pop("certificate"),
        lambda entry: entry.update(certificate=7),
        lambda entry: entry.update(certificate="{}"),
        lambda entry: entry.update(certificate="[" * 100_000),
        lambda entry: entry.update(limit=["x"]),
        lambda entry: entry.update(seconds="long"),
        lambda entry: entry.update(seconds=-1),
        lambda entry: entry.update(allowed=True),
        lambda entry: entry.update(attack=[]),
        lambda entry: entry.update(attack={}),
        lambda entry: entry["attack"].pop("test"),  # its prefixes alone do not count
        lambda entry: entry["attack"].update(test=None, prefixes=[3]),
        lambda entry: entry["attack"].update(test=[]),
        lambda entry: entry["attack"].update(test={}),
        lambda entry: entry["attack"].update(test={"kind": "magic"}),
        lambda entry: entry["attack"].update(test={"kind": "automaton"}),
        lambda entry: entry["attack"].update(test={"kind": "automaton", "states": []}),
        lambda entry: entry["attack"].update(test={"kind": "automaton", "states": [{"start": 9}]}),
        lambda entry: entry["attack"].update(test={"kind": "automaton", "states": [{"start": 0}]}),
        lambda entry: entry["attack"].update(test={"kind": "automaton", "states": [{"start": "accept"}]}),
        lambda entry: entry["attack"].update(test={"kind": "automaton", "states": [{"none": "accept"}]}),
        lambda entry: entry["attack"].update(test={"kind": "counting"}),
        lambda entry: entry["attack"].update(
            test={"kind": "counting", "states": [{}], "length": 1, "threshold": 0}
        ),
        lambda entry: entry["attack"].update(
            test={"kind": "counting", "states": [{"start": [0, 1]}], "length": 10**9, "threshold": 0}
        ),
        lambda entry: entry["attack"]["test"]["states"][-1].update(out3="accept", out2="accept"),
        lambda entry: entry["attack"].update(pair=list(reversed(entry["attack"]["pair"]))),
        lambda entry: entry["attack"].update(pair=["count1", "count2"]),
        lambda entry: entry["attack"].update(pair=["count0", "count0"]),
        lambda entry: entry["attack"].update(pair=[["count0"], {}]),
        lambda entry: entry["attack"].update(pair=3),
        lambda entry: entry["attack"].update(pair=None),
        lambda entry: entry["attack"].update(more="x" * 10_000_001),
    ],
)
def test_entries_of_another_form_are_damage(
    complete: tuple[bytes, Audit], resumed: Callable[..., Resumed], change: Any
) -> None:
    lines = complete[0].splitlines(keepends=True)
    lines[1] = forged(lines[1], change)
    found, anew, warnings = resumed(*lines)
    assert (len(warnings), anew) == (1, ["tv"])
    assert "\n" not in warnings[0]
    assert facts(found) == facts(complete[1])


def test_an_attack_that_is_nested_as_deeply_as_can_be_read_is_damage() -> None:
    for depth in range(500, 2000):
        text = '{"certificate": "", "seconds": 0, "attack": {"x": ' + "[" * depth + "]" * depth + "}}"
        try:
            document = json.loads(text)
        except RecursionError:
            return
        with suppress(Malformed):
            read_entry(document)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 10**6), st.integers(0, 60))
def test_no_bytes_bring_the_resumer_down(
    complete: tuple[bytes, Audit],
    tmp_path_factory: pytest.TempPathFactory,
    noise: bytes,
    where: int,
    removed: int,
) -> None:
    data, expected = complete
    place = where % len(data)
    path = tmp_path_factory.mktemp("noise") / "journal"
    path.write_bytes(data[:place] + noise + data[place + removed :])
    header = Header(fingerprint(CHAIN), SKEW.alpha, SKEW.attack_alpha)
    try:
        journal, entries = Journal.resume(path, header, EntryChecker(CHAIN, SKEW))
    except FormatError:
        return
    journal.close()
    known = {proof.certificate for finding in expected.findings for proof in finding.proofs}
    assert {hashlib.sha256(entry.certificate.encode()).hexdigest() for entry in entries} <= known


def test_a_line_that_is_too_long_is_not_held_in_memory(
    complete: tuple[bytes, Audit],
    path: Path,
    resumed: Callable[..., Resumed],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    longest = max(map(len, complete[0].splitlines()))
    monkeypatch.setattr(journals, "LONGEST_LINE", longest + 1)
    lines = complete[0].splitlines(keepends=True)
    found, anew, warnings = resumed(*lines[:2], b"x" * (5 * longest) + b"\n", *lines[2:])
    assert facts(found) == facts(complete[1])
    assert anew == []
    assert warnings == [f"{path}:3: the line is too long; its pairs are computed again"]


def test_a_journal_of_another_audit_is_refused(complete: tuple[bytes, Audit], path: Path) -> None:
    path.write_bytes(complete[0])
    with pytest.raises(FormatError, match="of another epsilon: its alpha is"):
        run_audit(CHAIN, RELATION, Skew.of(None, "1"), DELTA, AuditSettings(journal=path, resume=True))
    other = load(ROOT / "instances/dining-cryptographers/two.lmc")
    pairs = Relation.of(other, [("s0", "s1")])
    with pytest.raises(FormatError, match="of another model"):
        run_audit(other, pairs, SKEW, DELTA, AuditSettings(journal=path, resume=True))
    for text in ("hello\n", "{}\n", "{", "\n"):
        path.write_text(text, encoding="ascii")
        if text == "{":  # the very beginning of a journal
            assert run(path, resume=True).answer is complete[1].answer
            continue
        with pytest.raises(FormatError, match="not a journal"):
            run(path, resume=True)


def test_a_journal_of_another_number_of_runs_is_refused(
    complete: tuple[bytes, Audit], path: Path, tmp_path: Path
) -> None:
    """Its profiles are narrow at the epsilon of one run, and its attacks are on one run."""
    path.write_bytes(complete[0])
    with pytest.raises(FormatError, match="of another number of runs: its runs is 1, this audit's is 3"):
        run(path, resume=True, runs=3, distances=False)
    thrice = run(tmp_path / "thrice", runs=3, distances=False)
    with pytest.raises(FormatError, match="of another number of runs"):
        run(tmp_path / "thrice", resume=True)
    again = run(tmp_path / "thrice", resume=True, runs=3, distances=False)
    assert facts(again) == facts(thrice)
    assert all(finding.attack is None for finding in again.findings)


def test_distances_that_were_not_asked_for_are_had_later(
    complete: tuple[bytes, Audit], path: Path, resumed: Callable[..., Resumed]
) -> None:
    run(path, distances=False)
    assert path.read_bytes().count(b"\n") == 1 + 3
    found, anew, _ = resumed()
    assert sorted(anew) == ["bd", "bd", "ld", "ld"]
    assert facts(found) == facts(complete[1])


def test_attacks_are_told_of_what_the_delta_of_this_audit_does_not_allow(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def audited(delta: Fraction, *, resume: bool = True) -> Audit:
        chosen = AuditSettings(jobs=1, journal=path, resume=resume)
        return run_audit(CHAIN, RELATION, SKEW, delta, chosen)

    assert all(finding.attack is None for finding in audited(Fraction(1, 2), resume=False).findings)
    violated = audited(DELTA)
    assert violated.answer is Answer.VIOLATED
    for finding in violated.findings:
        assert finding.attack is not None
        assert finding.attack.advantage(SKEW.attack_alpha) > DELTA
    monkeypatch.setattr(TaskRunner, "entries", None)  # nothing is computed from here on
    assert facts(audited(DELTA)) == facts(violated)
    assert all(finding.attack is None for finding in audited(Fraction(1, 2)).findings)


def test_a_journal_is_not_overwritten_and_not_shared(
    complete: tuple[bytes, Audit], path: Path, tmp_path: Path
) -> None:
    path.write_bytes(complete[0])
    with pytest.raises(ParameterError, match="is there already"):
        run(path)
    with pytest.raises(ParameterError, match="there is no journal"):
        run(tmp_path / "none", resume=True)
    with pytest.raises(ParameterError, match="cannot open"):
        run(tmp_path, resume=True)
    with pytest.raises(ParameterError, match="cannot write"):
        run(tmp_path / "no" / "folder")
    header = Header(fingerprint(CHAIN), SKEW.alpha, SKEW.attack_alpha)
    journal, _ = Journal.resume(path, header, EntryChecker(CHAIN, SKEW))
    with pytest.raises(ParameterError, match="in use by another audit"):
        run(path, resume=True)
    journal.close()


def test_another_delta_uses_what_is_there_and_a_larger_limit_tries_again(path: Path) -> None:
    chain = load(ROOT / "instances/random/eight-states.lmc")
    relation = Relation.of(chain, [("s0", "s3")])
    skew = Skew.of("11/10", None)
    small = AuditSettings(jobs=1, journal=path, pair_time_limit=0.001)
    first = run_audit(chain, relation, skew, Fraction(0), small)
    assert first.findings[0].limit is not None
    bracket = first.findings[0].delta
    again = AuditSettings(jobs=1, journal=path, resume=True, pair_time_limit=0.001)
    known = run_audit(chain, relation, skew, bracket.upper.value, again)
    assert known.answer is Answer.HOLDS
    assert known.findings[0].delta == bracket
    larger = AuditSettings(jobs=1, journal=path, resume=True)
    open_question = (bracket.lower.value + bracket.upper.value) / 2
    better = run_audit(chain, relation, skew, open_question, larger)
    assert better.findings[0].delta.width < bracket.width


SCRIPT = """
import sys
from pathlib import Path
from bdist import Relation
from bdist.audits import audit as auditing
from bdist.distances.compute import Skew
from bdist.chains.families import make_family
from fractions import Fraction

auditing.ONE_TABLE = 0
auditing.GROUP = 1
chain = make_family("dining-cryptographers", {"diners": "4", "bias": "49/100"})
relation = Relation.with_label(chain, chain.labels[0])
settings = auditing.AuditSettings(
    jobs=1, journal=Path(sys.argv[1]), resume=sys.argv[2] == "resume", distances=True
)
found = auditing.run_audit(chain, relation, Skew.of(None, "1/1000"), Fraction(1, 10), settings)
print(found.answer.value, len(found.findings))
"""


def test_kill_minus_nine_loses_only_what_was_in_flight(path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(path), "new"], cwd=ROOT)
    while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < 4):
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = path.read_bytes()
    assert before.count(b"\n") >= 4
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path), "resume"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "holds 6\n"
    whole = before[: before.rfind(b"\n") + 1]
    assert path.read_bytes().startswith(whole)  # what was there was used and not written again
    certificates = [json.loads(line)["entry"].get("certificate") for line in path.read_bytes().splitlines()]
    made = [text for text in certificates if text is not None]
    assert len(made) == len(set(made)) == 18
