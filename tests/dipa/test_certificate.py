"""Certificates of automata: made by hand, by bdist, changed in every place, and malformed.

Those made by hand are files, as for chains, in ``accepted``, ``rejected`` and ``malformed``. A file's name
ends in the automaton it is about, ``models/*.dipa``; a rejected file's begins with the step that must fail.
Those of bdist are for its families and for random automata, of which an oracle knows whether they are
private. All are changed, one thing at a time, and then accepted if and only if a second and naive checker
says that they are still a proof.

Then as users and sceptics check them: from a program, on the command line, and with the checker alone.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bdist
from bdist import checker
from bdist.chains.formats import ReadOptions
from bdist.checker.core import limits
from bdist.checker.dipa.automaton import read_automaton
from bdist.dipa import text as dipa
from bdist.dipa.automaton import Automaton
from bdist.dipa.decision import Structure, certify_privacy, decide, vouch, weigh
from bdist.dipa.families import AUTOMATA, make_automaton
from bdist.errors import (
    CertificateRejected,
    CertificateSyntaxError,
    FormatError,
    InternalError,
    UnsupportedError,
)
from bdist.results import Answer
from tests.certificates.hand_made import AUTOMATA as BY_HAND
from tests.certificates.hand_made import DISTANCES, Document
from tests.cli.runner import document_of, run_bdist, run_checker
from tests.oracles.dipa_automata import automata, layered_automata
from tests.oracles.dipa_decision import violations, weight
from tests.oracles.dipa_proofs import proves

HERE = Path(__file__).parent
SOURCE = Path(checker.__file__).parent
GUARDS = ("true", "<", ">=")
KINDS = (
    *("leaking cycle", "leaking pair", "disclosing cycle"),
    *("disclosed store", "disclosed sample", "late disclosure"),
)
PARTS = ("prefix", "first", "between", "second")
SVT, PAIR = HERE / "models" / "svt.dipa", HERE / "models" / "pair.dipa"
PRIVATE = HERE / "accepted" / "private--svt.json"
LEAK = HERE / "accepted" / "leaking-pair--pair.json"
REJECTED = HERE / "rejected" / "weight--too-small--svt.json"
MALFORMED = HERE / "malformed" / "weight-integer--svt.json"
OF_THE_CHAIN = DISTANCES.folder("accepted") / "exact--fork.json"
CHAIN = DISTANCES.model_path(OF_THE_CHAIN)


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", BY_HAND.files("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    report = BY_HAND.check(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    claimed = Fraction(document["weight"]) if document["private"] else None
    assert (report.private, report.weight) == (document["private"], claimed)
    assert report.leak == document.get("kind")
    assert report.transitions == BY_HAND.model_of(path).count(" / ")


def mirrored(text: str) -> str:
    """The same program on the negatives of all numbers."""
    return text.replace("insample < x", "insample ?? x").replace(">=", "<").replace("??", ">=")


@pytest.mark.parametrize(
    "path", [*BY_HAND.files("accepted"), *BY_HAND.files("rejected")], ids=lambda path: path.stem
)
def test_the_mirror_image_has_the_same_verdict(path: Path) -> None:
    model, text = BY_HAND.model_of(path), path.read_text(encoding="utf-8")
    document = json.loads(text.replace('"<"', '"?"').replace('">="', '"<"').replace('"?"', '">="'))
    if not document.get("kind", "cycle").endswith("cycle"):
        document["rising"] = not document["rising"]
    if document["model"] == read_automaton(model).fingerprint():
        document["model"] = read_automaton(mirrored(model)).fingerprint()
    assert BY_HAND.outcome(mirrored(model), json.dumps(document)) == BY_HAND.outcome(model, text)


# --- what bdist writes --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", AUTOMATA)
def test_the_families_have_certificates(name: str) -> None:
    automaton = make_automaton(name)
    report = vouch(automaton, decide(automaton).certificate)
    assert report.private == (not violations(automaton))
    assert report.weight == (weight(automaton) if report.private else None)


@given(layered_automata() | automata(max_states=4))
@settings(max_examples=60, deadline=None)
def test_every_automaton_has_a_certificate_of_the_truth(automaton: Automaton) -> None:
    decision = decide(automaton)
    document = json.loads(decision.certificate.to_json())
    assert proves(automaton, document)
    report = vouch(automaton, decision.certificate)
    found = {kind.replace("-", " ") for kind in violations(automaton)}
    assert report.private == (decision.answer is Answer.HOLDS) == (not found)
    assert report.weight == decision.value
    if report.private:
        assert report.weight == weight(automaton)
    else:
        assert report.leak in found


@given(layered_automata() | automata(max_states=4))
@settings(max_examples=60, deadline=None)
def test_a_leak_cannot_be_passed_off_as_private(automaton: Automaton) -> None:
    """With the right components, costs and path: all that is wrong is what the automaton does."""
    structure = Structure(automaton)
    forged = certify_privacy(structure, weigh(structure)).to_json()
    assert BY_HAND.outcome(dipa.write(automaton), forged) in (violations(automaton) or {"accepted"})


# --- changes ------------------------------------------------------------------------------------------


def changes(document: Document, names: list[str]) -> Iterator[Document]:
    """Documents that differ from one in a single respect, and have its form."""

    def changed(**members: Any) -> Document:
        return copy.deepcopy({**document, **members})

    if not document["private"]:
        for kind in KINDS:
            yield changed(kind=kind)
        yield changed(rising=not document["rising"])
        for part in PARTS:
            for way in _changed_ways(document[part], names):
                yield changed(**{part: way})
        for before, after in pairwise(PARTS):
            both = document[before] + document[after]
            for cut in range(len(both) + 1):
                yield changed(**{before: both[:cut], after: both[cut:]})
        return
    for value in _changed_numbers(document["weight"]):
        yield changed(weight=value)
    for place, number in enumerate(document["left"]):
        for value in _changed_numbers(number):
            yield changed(left=_with(document["left"], place, [value]))
            yield changed(left=_with(document["left"], place, [value]), weight=value)
    for way in _changed_ways(document["path"], names):
        yield changed(path=way)
    for components, left in _changed_components(document["components"], document["left"], names):
        yield changed(components=components, left=left)


def _with(items: list[Any], place: int, others: list[Any]) -> list[Any]:
    return [*items[:place], *others, *items[place + 1 :]]


def _changed_numbers(number: str) -> Iterator[str]:
    value = Fraction(number)
    for other in (value + 1, value - 1, value + Fraction(1, 1000), value - Fraction(1, 1000), value * 2):
        yield str(other)


def _changed_ways(way: list[Any], names: list[str]) -> Iterator[list[Any]]:
    for place, (source, guard) in enumerate(way):
        yield _with(way, place, [])
        yield _with(way, place, [way[place]] * 2)
        yield way[:place]
        yield way[place:] + way[:place]
        yield from (_with(way, place, [[source, other]]) for other in GUARDS if other != guard)
        yield from (_with(way, place, [[other, guard]]) for other in names if other != source)
    yield from ([*way, [name, guard]] for name in names for guard in GUARDS)


def _changed_components(
    components: list[list[str]], left: list[str], names: list[str]
) -> Iterator[tuple[list[list[str]], list[str]]]:
    for place, (members, value) in enumerate(zip(components, left, strict=True)):
        yield _with(components, place, []), _with(left, place, [])
        yield _with(components, place, [members[::-1]]), left
        for name in names:
            yield _with(components, place, [[*members, name]]), left
            yield [*components, [name]], [*left, value]
        for cut in range(1, len(members)):
            yield _with(components, place, [members[:cut], members[cut:]]), _with(left, place, [value] * 2)
        for other in range(place + 1, len(components)):
            swapped, numbers = copy.copy(components), copy.copy(left)
            swapped[place], swapped[other] = swapped[other], swapped[place]
            yield swapped, left
            numbers[place], numbers[other] = numbers[other], numbers[place]
            yield swapped, numbers
            merged = _with(components, place, [members + components[other]])
            yield _with(merged, other, []), _with(left, other, [])
        for member in members:
            rest = [name for name in members if name != member]
            if rest:
                yield _with(components, place, [rest]), left
            for other in range(len(components)):
                if other != place:
                    moved = _with(components, other, [[*components[other], member]])
                    yield (
                        _with(moved, place, [rest] if rest else []),
                        left if rest else _with(left, place, []),
                    )


def has_form(document: Document) -> bool:
    """Whether a changed leak still has the form that its kind asks for."""
    if document["private"]:
        return True
    kind, lengths = document["kind"], {part: len(document[part]) for part in PARTS}
    if kind in ("leaking cycle", "disclosing cycle"):
        return bool(document["rising"]) and lengths["between"] == lengths["second"] == 0
    if kind in ("disclosed store", "disclosed sample"):
        return lengths["first"] == 1
    return kind == "leaking pair" or lengths["second"] == 1


def verdicts_agree(automaton: Automaton, text: str, document: Document) -> str:
    """What became of a document, by the checker; the naive checker must say the same."""
    found = BY_HAND.outcome(text, json.dumps(document))
    if not has_form(document):
        assert found == "malformed"
    else:
        assert (found == "accepted") == proves(automaton, document), (found, document)
    return found


@pytest.mark.parametrize("path", BY_HAND.files("accepted"), ids=lambda path: path.stem)
def test_a_changed_certificate_is_accepted_only_if_it_is_still_a_proof(path: Path) -> None:
    text = BY_HAND.model_of(path)
    automaton = dipa.read(text)
    names = [state.name for state in automaton.states]
    if len(names) > 5:
        names = names[:3]  # to put in the place of others
    document = json.loads(path.read_text(encoding="utf-8"))
    every = list(changes(document, names))
    found = Counter(verdicts_agree(automaton, text, changed) for changed in every[:: 1 + len(every) // 200])
    assert found.total() - found["accepted"] - found["malformed"] > found["accepted"] > 0


@given(layered_automata(), st.data())
@settings(max_examples=40, deadline=None)
def test_changed_certificates_of_random_automata(automaton: Automaton, data: st.DataObject) -> None:
    text = dipa.write(automaton)
    document = json.loads(decide(automaton).certificate.to_json())
    names = [state.name for state in automaton.states]
    every = list(changes(document, names))
    for place in data.draw(st.lists(st.integers(0, len(every) - 1), min_size=5, max_size=25)):
        verdicts_agree(automaton, text, every[place])


# --- from a program -----------------------------------------------------------------------------------------


def test_a_certificate_that_was_written_is_the_one_that_was_made(tmp_path: Path) -> None:
    automaton = dipa.load_automaton(SVT)
    certificate = decide(automaton).certificate
    written = tmp_path / "proof.json"
    certificate.write(written)
    assert vouch(automaton, certificate) == bdist.check(SVT, written) == bdist.check(str(SVT), str(PRIVATE))


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
        (
            SVT,
            OF_THE_CHAIN,
            CertificateSyntaxError,
            f"{OF_THE_CHAIN}: the document: the member private is missing",
        ),
        (SVT, HERE / "none.json", FormatError, f"{HERE / 'none.json'}: cannot be read"),
        (HERE / "none.dipa", PRIVATE, FormatError, f"{HERE / 'none.dipa'}: cannot be read"),
    ],
    ids=["rejected", "malformed", "certificate of a chain", "no certificate", "no model"],
)
def test_errors_are_ours(model: Path, certificate: Path, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        bdist.check(model, certificate)
    assert str(caught.value).startswith(message)


def test_a_chain_and_the_certificate_of_an_automaton() -> None:
    with pytest.raises(CertificateSyntaxError, match="the member quantity is missing"):
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
    certificate = decide(automaton).certificate
    vouch(automaton, certificate)
    assert list(tmp_path.iterdir()) == []
    wrong = replace(certificate, members={**certificate.members, "weight": "1/2"})
    with pytest.raises(InternalError, match=r"withheld: rejected at weight: .* model and certificate are in"):
        vouch(automaton, wrong)
    (folder,) = tmp_path.iterdir()
    with pytest.raises(CertificateRejected, match="rejected at weight"):
        bdist.check(folder / "model.dipa", folder / "certificate.json")
    assert dipa.load_automaton(folder / "model.dipa") == automaton


def test_a_large_automaton_that_is_all_one_path() -> None:
    """Longer than a stack is deep: no search recurses."""
    automaton = make_automaton("automaton-ladder", {"transitions": 5_000})
    report = vouch(automaton, decide(automaton).certificate)
    assert (report.weight, report.transitions) == (Fraction(2003, 2), 5_000)


# --- limits -------------------------------------------------------------------------------------------------


def test_the_limits_are_those_of_the_specification() -> None:
    section = " ".join(
        (SOURCE.parent / "dipa" / "SPEC.md").read_text(encoding="utf-8").split("\n## 5.")[1].split()
    )
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
        for path in BY_HAND.files(folder):
            for budget in (0, 10, 100, 1000):
                monkeypatch.setattr(limits, "STEPS", budget)
                try:
                    BY_HAND.check(path)
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


@pytest.mark.parametrize(
    ("model", "certificate", "code", "line"),
    [
        (SVT, PRIVATE, 0, "accepted: private with the weight 1, times epsilon, for every epsilon"),
        (PAIR, LEAK, 0, "accepted: not private for any bound: leaking pair"),
        (SVT, REJECTED, 1, "rejected at weight: the weight is not what is left at the beginning"),
        (SVT, LEAK, 1, "rejected at model: "),
        (SVT, MALFORMED, 4, f"{MALFORMED}: malformed certificate: weight: expected a rational"),
        (SVT, OF_THE_CHAIN, 4, f"{OF_THE_CHAIN}: malformed certificate: the document: the member private"),
        (
            CHAIN,
            PRIVATE,
            4,
            f"{PRIVATE}: malformed certificate: the document: the member quantity is missing",
        ),
        (SVT, HERE / "none.json", 4, f"{HERE / 'none.json'}: cannot be read"),
    ],
    ids=["private", "leak", "rejected", "other model", "malformed", "of a chain", "for a chain", "missing"],
)
def test_alone(alone: Path, model: Path, certificate: Path, code: int, line: str) -> None:
    done = run_checker(alone, model, certificate)
    assert done.returncode == code
    said, silent = (done.stderr, done.stdout) if code == 4 else (done.stdout, done.stderr)
    assert said.startswith(line)
    assert silent == ""
    assert len(said.splitlines()) == (2 if code == 0 else 1)


def test_alone_with_another_spelling_of_the_suffix_and_a_broken_model(alone: Path, tmp_path: Path) -> None:
    model = tmp_path / "MODEL.DIPA"
    model.write_bytes(b"\xef\xbb\xbf" + SVT.read_bytes().replace(b"\n", b"\r\n"))
    assert (
        run_checker(alone, model, PRIVATE).stdout.splitlines()[1]
        == "checked: an automaton with 3 transitions"
    )
    model.write_bytes(SVT.read_bytes().replace(b"/ top", b"/ bot"))
    done = run_checker(alone, model, PRIVATE)
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
    assert document_of(done) == {
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
    for path in BY_HAND.files("accepted"):
        document = json.loads(path.read_text(encoding="utf-8"))
        assert document["model"] == read_automaton(BY_HAND.model_of(path)).fingerprint()
