"""Nothing lost, and nothing believed: journals that are cut off, damaged, forged, foreign or in use."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import Answer, FormatError, ParameterError, Relation, load
from bdist.audits import journal as journals
from bdist.audits.audit import AuditSettings, run_audit
from bdist.audits.entries import Examiner
from bdist.audits.findings import Audit, Proof
from bdist.audits.journal import Journal, Subject
from bdist.audits.workbench import Workbench
from bdist.chains.chain import fingerprint
from bdist.distances.compute import Skew

ROOT = Path(__file__).parents[2]
CHAIN = load(ROOT / "instances/geometric/four-counts.lmc")
RELATION = Relation.of(CHAIN, [(f"count{i}", f"count{i + 1}") for i in range(3)])
SKEW = Skew.of(None, "1/2")
DELTA = Fraction(1, 10)


def run(journal: Path, *, resume: bool = False, warnings: list[str] | None = None, **more: Any) -> Audit:
    warn = None if warnings is None else warnings.append
    return run_audit(
        CHAIN, RELATION, SKEW, DELTA, AuditSettings(jobs=1, journal=journal, resume=resume, warn=warn, **more)
    )


def facts(found: Audit) -> list[object]:
    """What is found and proved, in whatever certificate: a resumed audit groups pairs its own way."""

    def claim(proof: Proof | None) -> object:
        return None if proof is None else replace(proof, certificate="")

    return [
        (f.pair, f.answer, f.delta, claim(f.bd), [*map(claim, f.ld)], claim(f.tv), f.attack)
        for f in found.findings
    ]


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Audit]:
    path = tmp_path_factory.mktemp("journal") / "complete.jsonl"
    found = run(path)
    return path.read_bytes(), found


def computed(path: Path, monkeypatch: pytest.MonkeyPatch, **more: Any) -> tuple[Audit, list[str], list[str]]:
    """Resume, and say which quantities were computed anew and what was reported."""
    anew: list[str] = []
    entries = Workbench.entries

    def counted(self: Any, task: Any, stop: Any) -> Any:
        for entry in entries(self, task, stop):
            anew.append(entry.quantity)
            yield entry

    monkeypatch.setattr(Workbench, "entries", counted)
    warnings: list[str] = []
    found = run(path, resume=True, warnings=warnings, **more)
    return found, anew, warnings


def test_a_journal_is_json_lines_with_checksums(complete: tuple[bytes, Audit]) -> None:
    lines = complete[0].decode("ascii").splitlines()
    assert len(lines) == 1 + 2 + 3  # what it is about, bd and ld of all pairs, tv of each
    for line in lines:
        document = json.loads(line)
        text = json.dumps(document["entry"], separators=(",", ":"))
        assert document["checksum"] == hashlib.sha256(text.encode("ascii")).hexdigest()


def test_a_resumed_audit_computes_nothing_again(
    complete: tuple[bytes, Audit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(complete[0])
    found, anew, warnings = computed(path, monkeypatch)
    assert facts(found) == facts(complete[1])
    assert (anew, warnings) == ([], [])
    assert path.read_bytes() == complete[0]


@pytest.mark.parametrize("number", range(1, 6))
def test_a_damaged_line_is_reported_and_its_pairs_computed_again(
    complete: tuple[bytes, Audit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    lines = complete[0].splitlines(keepends=True)
    place = len(lines[number]) // 2
    lines[number] = lines[number][:place] + b"~" + lines[number][place + 1 :]
    path = tmp_path / "journal"
    path.write_bytes(b"".join(lines))
    found, anew, warnings = computed(path, monkeypatch)
    assert facts(found) == facts(complete[1])
    assert anew == [["bd", "bd"], ["ld", "ld"], ["tv"], ["tv"], ["tv"]][number - 1]  # one pair, then two
    assert warnings == [f"{path}:{number + 1}: the checksum does not match; its pairs are computed again"]
    again, anew, _ = computed(path, monkeypatch)
    assert (facts(again), anew) == (facts(complete[1]), [])


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.99])
def test_a_journal_that_was_cut_off_goes_on(
    complete: tuple[bytes, Audit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: float
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(complete[0][: int(len(complete[0]) * kept)])
    found, anew, warnings = computed(path, monkeypatch)
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
    complete: tuple[bytes, Audit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lower_the_claims(entry: dict[str, Any]) -> None:
        certificate = json.loads(entry["certificate"])
        for claim in certificate["claims"]:
            claim["upper"] = claim["lower"] = "0"
        entry["certificate"] = json.dumps(certificate)

    def boast(entry: dict[str, Any]) -> None:
        entry["attack"]["pair"] = ["count0", "count3"]
        entry["attack"]["probabilities"] = ["1", "0"]

    lines = complete[0].splitlines(keepends=True)
    lines[1] = forged(lines[1], lower_the_claims)
    lines[3] = forged(lines[3], boast)
    path = tmp_path / "journal"
    path.write_bytes(b"".join(lines))
    found, anew, warnings = computed(path, monkeypatch)
    assert "bd" in anew
    assert "rejected at" in warnings[0]
    assert [f.answer for f in found.findings] == [f.answer for f in complete[1].findings]
    assert [f.delta.upper for f in found.findings] == [f.delta.upper for f in complete[1].findings]


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
        lambda entry: entry.update(attack=None),
        lambda entry: entry["attack"].update(prefixes=[]),
        lambda entry: entry["attack"].update(prefixes=[[*entry["attack"]["prefixes"][0], "start"]]),
        lambda entry: entry["attack"].update(prefixes=[["start", "out3"]], complete=False),
        lambda entry: entry["attack"].update(pair=["count1", "count2"]),
        lambda entry: entry["attack"].update(pair=[["count0"], {}]),
        lambda entry: entry.update(attack={"pair": 3, "prefixes": [], "complete": True}),
        lambda entry: entry.update(attack={"pair": ["count0", "count1"], "prefixes": [], "complete": True}),
        lambda entry: entry.update(attack={"pair": ["count0", "x"], "prefixes": [["a"]], "complete": True}),
        lambda entry: entry.update(
            attack={"pair": ["count0", "count1"], "prefixes": [["a"] * 10_001] * 100, "complete": True}
        ),
    ],
)
def test_entries_of_another_form_are_damage(
    complete: tuple[bytes, Audit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    lines = complete[0].splitlines(keepends=True)
    lines[3] = forged(lines[3], change)
    path = tmp_path / "journal"
    path.write_bytes(b"".join(lines))
    found, anew, warnings = computed(path, monkeypatch)
    assert (len(warnings), anew) == (1, ["tv"])
    assert "\n" not in warnings[0]
    assert facts(found) == facts(complete[1])


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
    subject = Subject(fingerprint(CHAIN), SKEW.alpha, SKEW.attack_alpha)
    try:
        journal, entries = Journal.resume(path, subject, Examiner(CHAIN, SKEW))
    except FormatError:
        return
    journal.close()
    known = {proof.certificate for finding in expected.findings for proof in finding.proofs}
    assert {hashlib.sha256(entry.certificate.encode()).hexdigest() for entry in entries} <= known


def test_a_line_that_is_too_long_is_not_held_in_memory(
    complete: tuple[bytes, Audit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = max(map(len, complete[0].splitlines()))
    monkeypatch.setattr(journals, "LONGEST_LINE", longest + 1)
    lines = complete[0].splitlines(keepends=True)
    path = tmp_path / "journal"
    path.write_bytes(b"".join([*lines[:2], b"x" * (5 * longest) + b"\n", *lines[2:]]))
    found, anew, warnings = computed(path, monkeypatch)
    assert facts(found) == facts(complete[1])
    assert anew == []
    assert warnings == [f"{path}:3: the line is too long; its pairs are computed again"]


def test_a_journal_of_another_audit_is_refused(complete: tuple[bytes, Audit], tmp_path: Path) -> None:
    path = tmp_path / "journal"
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


def test_a_journal_is_not_overwritten_and_not_shared(complete: tuple[bytes, Audit], tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(complete[0])
    with pytest.raises(ParameterError, match="is there already"):
        run(path)
    with pytest.raises(ParameterError, match="cannot open"):
        run(tmp_path / "none", resume=True)
    with pytest.raises(ParameterError, match="cannot write"):
        run(tmp_path / "no" / "folder")
    subject = Subject(fingerprint(CHAIN), SKEW.alpha, SKEW.attack_alpha)
    journal, _ = Journal.resume(path, subject, Examiner(CHAIN, SKEW))
    with pytest.raises(ParameterError, match="in use by another audit"):
        run(path, resume=True)
    journal.close()


def test_another_delta_uses_what_is_there_and_a_larger_limit_tries_again(tmp_path: Path) -> None:
    chain = load(ROOT / "instances/random/eight-states.lmc")
    relation = Relation.of(chain, [("s0", "s3")])
    skew, path = Skew.of("11/10", None), tmp_path / "journal"
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
settings = auditing.AuditSettings(jobs=1, journal=Path(sys.argv[1]), resume=sys.argv[2] == "resume")
found = auditing.run_audit(chain, relation, Skew.of(None, "1/1000"), Fraction(1, 10), settings)
print(found.answer.value, len(found.findings))
"""


def test_kill_minus_nine_loses_only_what_was_in_flight(tmp_path: Path) -> None:
    path = tmp_path / "journal"
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
