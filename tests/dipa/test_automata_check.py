"""Decisions about automata, checked as users and sceptics do: from a program, the command line, and alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import bdist
from bdist import checker
from bdist.chains.formats import ReadOptions
from bdist.checker.core import limits
from bdist.checker.dipa.automaton import read_automaton
from bdist.dipa import text as dipa
from bdist.dipa.certificate import DipaCertificate, PrivacyProof
from bdist.dipa.checking import check, vouch
from bdist.dipa.decision import decide
from bdist.dipa.families import make_automaton
from bdist.errors import (
    CertificateRejected,
    CertificateSyntaxError,
    FormatError,
    InternalError,
    UnsupportedError,
)
from tests.cli.runner import run_bdist

HERE = Path(__file__).parent
SOURCE = Path(checker.__file__).parent
SPECIFICATION = SOURCE.parent / "certificates" / "SPEC-DIPA.md"
SVT, PAIR = HERE / "models" / "svt.dipa", HERE / "models" / "pair.dipa"
PRIVATE = HERE / "accepted" / "automata" / "private--svt.json"
LEAK = HERE / "accepted" / "automata" / "leaking-pair--pair.json"
REJECTED = HERE / "rejected" / "automata" / "weight--too-small--svt.json"
MALFORMED = HERE / "malformed" / "automata" / "weight-integer--svt.json"
CHAIN, OF_THE_CHAIN = HERE / "models" / "fork.lmc", HERE / "accepted" / "exact--fork.json"


def private_proof() -> tuple[DipaCertificate, PrivacyProof]:
    certificate = decide(dipa.load_automaton(SVT)).certificate
    assert isinstance(certificate.proof, PrivacyProof)
    return certificate, certificate.proof


# --- from a program -----------------------------------------------------------------------------------------


def test_checks_automata_and_certificates_as_data_and_as_files(tmp_path: Path) -> None:
    automaton = dipa.load_automaton(SVT)
    certificate = decide(automaton).certificate
    written = tmp_path / "proof.json"
    certificate.write(written)
    for model in (automaton, SVT, str(SVT)):
        for proof in (certificate, written, str(written), PRIVATE):
            assert check(model, proof) == checker.AutomatonReport(Fraction(1), None, 3)


def test_two_file_names_are_enough_for_the_library() -> None:
    assert bdist.check(SVT, PRIVATE) == checker.AutomatonReport(Fraction(1), None, 3)
    report = bdist.check(str(PAIR), str(LEAK))
    assert isinstance(report, checker.AutomatonReport)
    assert (report.private, report.weight, report.leak) == (False, None, "leaking pair")


@pytest.mark.parametrize(
    ("model", "certificate", "error", "message"),
    [
        (SVT, REJECTED, CertificateRejected, "rejected at weight: "),
        (SVT, MALFORMED, CertificateSyntaxError, f"{MALFORMED}: weight: expected a rational"),
        (SVT, OF_THE_CHAIN, CertificateSyntaxError, f"{OF_THE_CHAIN}: the document: unknown member quantity"),
        (CHAIN, PRIVATE, FormatError, f"{CHAIN}: line "),
        (SVT, HERE / "none.json", FormatError, f"{HERE / 'none.json'}: cannot be read"),
        (HERE / "none.dipa", PRIVATE, FormatError, f"{HERE / 'none.dipa'}: cannot be read"),
    ],
    ids=["rejected", "malformed", "certificate of a chain", "chain", "no certificate", "no model"],
)
def test_errors_are_ours(model: Path, certificate: Path, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        check(model, certificate)
    assert str(caught.value).startswith(message)


def test_a_chain_and_the_certificate_of_an_automaton() -> None:
    with pytest.raises(CertificateSyntaxError, match="unknown member private"):
        bdist.check(CHAIN, PRIVATE)


@pytest.mark.parametrize(
    "options", [ReadOptions(("a",)), ReadOptions(constants={"N": "1"}), ReadOptions(formulas={"a": "x=1"})]
)
def test_an_automaton_has_no_options_of_reading(options: ReadOptions) -> None:
    with pytest.raises(UnsupportedError, match=r"is not an option of \.dipa files"):
        bdist.check(SVT, PRIVATE, options)


def test_an_answer_that_fails_its_check_is_withheld_with_a_reproducer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    automaton = dipa.load_automaton(SVT)
    certificate, proof = private_proof()
    vouch(automaton, certificate)
    assert list(tmp_path.iterdir()) == []
    wrong = replace(certificate, proof=replace(proof, weight=Fraction(1, 2)))
    with pytest.raises(InternalError, match=r"withheld: rejected at weight: .* model and certificate are in"):
        vouch(automaton, wrong)
    (folder,) = tmp_path.iterdir()
    with pytest.raises(CertificateRejected, match="rejected at weight"):
        check(folder / "model.dipa", folder / "certificate.json")
    assert dipa.load_automaton(folder / "model.dipa") == automaton


def test_a_large_automaton_that_is_all_one_path() -> None:
    """Longer than a stack is deep: no search recurses."""
    automaton = make_automaton("automaton-ladder", {"transitions": 20_000})
    report = check(automaton, decide(automaton).certificate)
    assert (report.weight, report.transitions) == (Fraction(8003, 2), 20_000)


# --- limits -------------------------------------------------------------------------------------------------


def test_the_limits_are_those_of_the_specification() -> None:
    section = " ".join(SPECIFICATION.read_text(encoding="utf-8").split("\n## 5.")[1].split())
    for text in ("at most 2^30 bytes", "100,000 digits", "1000 in absolute value", "2^32 bits"):
        assert text in section, text
    for text in ("2^28 bytes", f"depth of {limits.DEEPEST}", f"{limits.MOST_PARTS:,} characters", "10^8"):
        assert text in section, text


def test_a_long_number_at_many_transitions_is_too_large_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left in the last component is compared at every transition that leads there."""
    automaton = make_automaton("automaton-ladder", {"transitions": 5})
    document = json.loads(decide(automaton).certificate.to_json())
    document["left"][-1] = f"1/{10**4000}"
    text = json.dumps(document)
    with pytest.raises(checker.Rejected, match="rejected at left"):
        checker.check_automaton(dipa.write(automaton), text)
    monkeypatch.setattr(limits, "STEPS", 100)
    monkeypatch.setattr(limits, "STEPS_A_CHARACTER", 0)
    with pytest.raises(checker.TooLarge, match="the check takes more than 100 steps"):
        checker.check_automaton(dipa.write(automaton), text)


def test_a_limit_changes_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """With less and less to spend, a certificate becomes too large, and nothing else."""
    monkeypatch.setattr(limits, "STEPS_A_CHARACTER", 0)
    refusals = 0
    for folder in ("accepted", "rejected"):
        for path in sorted((HERE / folder / "automata").glob("*.json")):
            model = (HERE / "models" / f"{path.stem.split('--')[-1]}.dipa").read_text(encoding="utf-8")
            for budget in (0, 10, 100, 1000):
                monkeypatch.setattr(limits, "STEPS", budget)
                try:
                    checker.check_automaton(model, path.read_text(encoding="utf-8"))
                    assert folder == "accepted"
                except checker.Rejected:
                    assert folder == "rejected"
                except checker.TooLarge:
                    refusals += 1
    assert refusals > 20


@pytest.mark.parametrize("text", ["[" * 100_000, '{"components": [' * 50_000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(checker.TooLarge, match="nested too deeply"):
        checker.check_automaton(SVT.read_text(encoding="utf-8"), text)


# --- the checker alone --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone") / "a copy"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run_alone(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", "-W", "error", str(folder), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=folder.parent, check=False)
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("model", "certificate", "code", "line"),
    [
        (SVT, PRIVATE, 0, "accepted: private with the weight 1, times epsilon, for every epsilon"),
        (PAIR, LEAK, 0, "accepted: not private for any bound: leaking pair"),
        (SVT, REJECTED, 1, "rejected at weight: the weight is not what is left at the beginning"),
        (SVT, LEAK, 1, "rejected at model: "),
        (SVT, MALFORMED, 4, f"{MALFORMED}: malformed certificate: weight: expected a rational"),
        (SVT, OF_THE_CHAIN, 4, f"{OF_THE_CHAIN}: malformed certificate: the document: unknown member"),
        (CHAIN, PRIVATE, 4, f"{PRIVATE}: malformed certificate: the document: unknown member private"),
        (SVT, HERE / "none.json", 4, f"{HERE / 'none.json'}: cannot be read"),
    ],
    ids=["private", "leak", "rejected", "other model", "malformed", "of a chain", "for a chain", "missing"],
)
def test_alone(alone: Path, model: Path, certificate: Path, code: int, line: str) -> None:
    done = run_alone(alone, model, certificate)
    assert done.returncode == code
    said, silent = (done.stderr, done.stdout) if code == 4 else (done.stdout, done.stderr)
    assert said.startswith(line)
    assert silent == ""
    assert len(said.splitlines()) == (2 if code == 0 else 1)


def test_alone_with_another_spelling_of_the_suffix_and_a_broken_model(alone: Path, tmp_path: Path) -> None:
    model = tmp_path / "MODEL.DIPA"
    model.write_bytes(b"\xef\xbb\xbf" + SVT.read_bytes().replace(b"\n", b"\r\n"))
    assert (
        run_alone(alone, model, PRIVATE).stdout.splitlines()[1] == "checked: an automaton with 3 transitions"
    )
    model.write_bytes(SVT.read_bytes().replace(b"/ top", b"/ bot"))
    done = run_alone(alone, model, PRIVATE)
    assert (done.returncode, done.stdout) == (4, "")
    problem = "state q1 has outputs that do not tell its transitions apart"
    assert done.stderr == f"{model}: unreadable model: line 5: {problem}\n"


# --- the command line ---------------------------------------------------------------------------------------


def test_check_on_the_command_line() -> None:
    done = run_bdist("check", str(SVT), str(PRIVATE), str(REJECTED))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        f"{PRIVATE}:",
        "accepted  private with the weight 1, times epsilon, for every epsilon",
        "          3 transitions checked",
        f"{REJECTED}:",
        "rejected at weight: the weight is not what is left at the beginning, 99999/100000 != 1",
    ]
    done = run_bdist("check", str(PAIR), str(LEAK), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "accepted": True,
        "private": False,
        "weight": None,
        "leak": "leaking pair",
        "transitions": 5,
    }


def test_options_for_chains_are_refused_on_the_command_line() -> None:
    done = run_bdist("check", str(SVT), str(PRIVATE), "--labels", "a")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"bdist: {SVT}: labels is not an option of .dipa files, which have no options\n"


def test_bad_input_on_the_command_line(tmp_path: Path) -> None:
    done = run_bdist("check", str(SVT), str(MALFORMED))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"bdist: {MALFORMED}: weight: expected a rational")
    model = tmp_path / "broken.dipa"
    model.write_text("dipa\nstate q0 [0]\n", encoding="utf-8")
    done = run_bdist("check", str(model), str(PRIVATE))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"bdist: {model}: line 2: the scale coefficient 0 is not positive\n"


def test_the_fingerprint_in_the_files_is_that_of_the_models() -> None:
    for path in sorted((HERE / "accepted" / "automata").glob("*.json")):
        model = (HERE / "models" / f"{path.stem.split('--')[-1]}.dipa").read_text(encoding="utf-8")
        assert json.loads(path.read_text(encoding="utf-8"))["model"] == read_automaton(model).fingerprint()
