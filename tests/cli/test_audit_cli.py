"""``bdist audit`` as a user types it."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest

from tests.cli.runner import ROOT, run_bdist, run_checker, run_signalled

GEOMETRIC = str(ROOT / "instances/geometric/four-counts.lmc")
RESPONSE = str(ROOT / "instances/randomised-response/one-question.lmc")


def test_a_private_relation(tmp_path: Path) -> None:
    done = run_bdist("audit", GEOMETRIC, "--with-label", "start", "--alpha", "8", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "(ln(8), 0)-differential privacy of geometric: HOLDS for all 6 pairs of neighbours        certified\n"
    )
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []  # the journal is not needed any more


def test_a_violated_relation_names_the_worst_pair_and_its_attack(tmp_path: Path) -> None:
    pairs = "count0:count1,count0:count3"
    done = run_bdist("audit", GEOMETRIC, "--pairs", pairs, "--epsilon", "ln 2", cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "(ln 2, 0)-differential privacy of geometric: VIOLATED by 1 of 2 pairs of neighbours"
    assert lines[1] == "  worst     count0 ~ count3: true delta = 1/2 = 0.5        exact, certified"
    assert lines[2] == "  holds     at this epsilon for delta = 1/2 and for no smaller one"
    assert lines[3].startswith("  attack    say 'count0' when the labels begin with: start out0")


def test_json_and_certificates_that_the_lone_checker_accepts(tmp_path: Path) -> None:
    done = run_bdist(
        *("audit", RESPONSE, "--pairs", "yes:no", "--epsilon", "ln 2", "--delta", "1/4"),
        *("--distances", "--certificates", "proofs/all", "--json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["answer"] == "holds"
    checker = tmp_path / "checker"
    shutil.copytree(ROOT / "bdist/checker", checker)
    folder = tmp_path / "proofs/all"
    for quantity, words in (
        ("bd", "accepted: bd(yes, no) at alpha 2 = 1/4"),
        ("tv", "(yes, no)"),  # the whole distribution
    ):
        proof = folder / f"{document['pairs'][0][quantity]['certificate']}.json"
        checked = run_checker(checker, folder / "model.lmc", proof)
        assert checked.returncode == 0
        assert checked.stdout.startswith("accepted")
        assert words in checked.stdout
    assert document["runs"] == 1
    assert len(list(folder.glob("*.json"))) == 3


def test_the_table_has_distances_only_where_they_are_asked_for(tmp_path: Path) -> None:
    command = ("audit", RESPONSE, "--pairs", "yes:no", "--epsilon", "ln 2", "--delta", "1/4")
    plain, more = (run_bdist(*command, *options, cwd=tmp_path) for options in ((), ("--distances",)))
    assert (plain.returncode, more.returncode) == (0, 0)
    assert plain.stdout.splitlines()[3:5] == [
        "    pair      verdict  true delta",
        "    yes ~ no  holds    0.25",
    ]
    assert more.stdout.splitlines()[3:5] == [
        "    pair      verdict  true delta  bd    ld",
        "    yes ~ no  holds    0.25        0.25  0.25, 0.25",
    ]
    assert "  work      1 certificate, " in plain.stdout
    assert "  work      3 certificates, " in more.stdout


def test_several_runs(tmp_path: Path) -> None:
    command = ("audit", RESPONSE, "--pairs", "yes:no", "--epsilon", "ln 2", "--delta", "1/4")
    once = run_bdist(*command, "--compose", "1", cwd=tmp_path)
    assert once.returncode == 0
    assert once.stdout.splitlines()[:-1] == run_bdist(*command, cwd=tmp_path).stdout.splitlines()[:-1]
    thrice = run_bdist(*command, "--compose", "3", cwd=tmp_path)
    assert thrice.returncode == 1
    assert thrice.stdout.splitlines()[:3] == [
        "(ln 2, 1/4)-differential privacy of 3 runs of randomised-response: VIOLATED by one pair of "
        "neighbours",
        "  worst     yes ~ no: true delta = 17/32 = 0.53125        exact",
        "  holds     at this epsilon for delta = 17/32 and for no smaller one",
    ]
    document = json.loads(run_bdist(*command, "--compose", "3", "--json", cwd=tmp_path).stdout)
    assert (document["runs"], document["answer"]) == (3, "violated")
    [pair] = document["pairs"]
    assert pair["true_delta"]["evidence"] == {"lower": "exact", "upper": "exact"}
    held = run_bdist(*command[:-1], "17/32", "--compose", "3", cwd=tmp_path)
    assert held.returncode == 0
    assert "certified profiles of one run" in held.stdout.splitlines()[0]
    assert list(tmp_path.iterdir()) == []


def test_runs_have_journals_of_their_own(tmp_path: Path) -> None:
    chain = str(ROOT / "instances/random/eight-states.lmc")
    command = ("audit", chain, "--pairs", "s0:s3", "--alpha", "11/10", "--delta", "1/4")
    for runs in ("1", "2"):
        done = run_bdist(*command, "--pair-time-limit", "0.001", "--compose", runs, cwd=tmp_path)
        assert done.returncode == 3, done.stderr
    first, second = sorted(tmp_path.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    subjects = [path.read_text(encoding="ascii").splitlines()[0] for path in (first, second)]
    assert [json.loads(line)["entry"]["runs"] for line in subjects] == [1, 2]
    options = ("--compose", "2", "--journal", first.name, "--resume")
    refused = run_bdist(*command, *options, cwd=tmp_path)
    assert refused.returncode == 4
    assert "the journal is of another number of runs: its runs is 1, this audit's is 2" in refused.stderr


def test_groups(tmp_path: Path) -> None:
    path = "count0:count1,count1:count2,count2:count3"
    command = ("audit", GEOMETRIC, "--pairs", path, "--epsilon", "ln 2", "--json")
    for group, number, code in ((1, 3, 0), (2, 5, 1), (3, 6, 1), (9, 6, 1)):
        done = run_bdist(*command, "--group", str(group), cwd=tmp_path)
        assert done.returncode == code
        assert len(json.loads(done.stdout)["pairs"]) == number
    report = ("--group", "2", "--report", "out.html")
    assert run_bdist(*command, *report, cwd=tmp_path).returncode == 1
    assert "neighbours of neighbours, up to 2 steps" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_relations_from_files_labels_and_names(tmp_path: Path) -> None:
    relation = tmp_path / "neighbours.txt"
    relation.write_text("# neighbours\ncount0 count1\ncount2 ~ count1\n", encoding="utf-8")
    options = ("--epsilon", "ln 2", "--json")
    by_file = run_bdist("audit", GEOMETRIC, "--relation", str(relation), *options, cwd=tmp_path)
    assert by_file.returncode == 0
    assert len(json.loads(by_file.stdout)["pairs"]) == 2
    by_name = run_bdist("audit", GEOMETRIC, "--hamming", "1", "--with-label", "start", *options, cwd=tmp_path)
    assert len(json.loads(by_name.stdout)["pairs"]) == 6


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "say which states are neighbours: --pairs s0:s1"),
        (["--pairs", "count0"], 2, "expected pairs such as s0:s1,s1:s2"),
        (["--pairs", "count0:count9"], 2, "there is no state 'count9'"),
        (["--with-label", "begin"], 2, "no state has the label 'begin'"),
        (["--hamming", "0"], 2, "Hamming distance of 0"),
        (["--relation", "none.txt"], 4, "none.txt: cannot be read"),
        (["--pairs", "count0:count1", "--delta", "-1"], 2, "delta = -1 must be at least 0 and below 1"),
        (["--pairs", "count0:count1", "--delta", "x"], 2, "--delta: 'x' is not a number"),
        (["--pairs", "count0:count1", "--pair-time-limit", "0"], 2, "a time limit of 0 s"),
        (["--pairs", "count0:count1", "--memory-limit", "lots"], 2, "'lots' is not a size"),
        (["--pairs", "count0:count1", "--distances", "--compose", "2"], 2, "distances are about one run"),
        (["--pairs", "count0:count1", "--resume"], 2, "there is no journal four-counts.audit-"),
        (["--pairs", "count0:count1", "--report", "no/such/folder.html"], 2, "its folder is not there"),
        (["--pairs", "count0:count1", "--cluster", "nonsense"], 5, "no cluster answers at 'nonsense'"),
    ],
)
def test_mistakes_get_one_line_and_leave_nothing_behind(
    tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    done = run_bdist("audit", GEOMETRIC, "--epsilon", "1", *arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_limits_leave_an_answer_and_a_journal_to_go_on_with(tmp_path: Path) -> None:
    chain = str(ROOT / "instances/random/eight-states.lmc")
    command = ("audit", chain, "--pairs", "s0:s3", "--alpha", "11/10", "--delta", "1/4")
    first = run_bdist(*command, "--pair-time-limit", "0.001", cwd=tmp_path)
    assert first.returncode == 3
    assert "UNKNOWN for one pair of neighbours" in first.stdout
    assert "reason    time limit of 0.001 s a pair reached" in first.stdout
    [journal] = tmp_path.glob("*.jsonl")
    assert f"what is proved is kept in {journal.name}; --resume goes on with it" in first.stderr
    again = run_bdist(*command, cwd=tmp_path)
    assert again.returncode == 2
    assert f"{journal.name} is there already; go on with it (--resume)" in again.stderr
    resumed = run_bdist(*command, "--resume", cwd=tmp_path)
    assert resumed.returncode == 1, resumed.stderr
    assert not journal.exists()


def test_control_c_keeps_what_is_proved(tmp_path: Path) -> None:
    made = run_bdist(
        *("make", "dining-cryptographers", "--param", "diners=6", "--param", "bias=49/100"),
        *("-o", str(tmp_path / "six.lmc")),
    )
    assert made.returncode == 0, made.stderr
    command = ["audit", "six.lmc", "--with-label", "start", "--epsilon", "1/1000", "--jobs", "1"]
    done = run_signalled(signal.SIGINT, 200, *command, "--journal", "j", cwd=tmp_path)
    assert "stopping with what is proved so far" in done.stderr
    assert "what is proved is kept in j; --resume goes on with it" in done.stderr
    assert done.returncode in (1, 3), done.stderr
    assert "interrupted" in done.stdout
    lines = (tmp_path / "j").read_text(encoding="ascii").splitlines()
    assert json.loads(lines[0])["entry"]["format"] == "bdist-audit-journal"


def test_a_report_is_written_and_escapes_what_the_model_says(tmp_path: Path) -> None:
    model = tmp_path / "odd.lmc"
    model.write_text(
        'lmc "<b>odd</b>"\n'
        '"<script>alert(1)</script>" ["start&"] -> 3/4 yes, 1/4 no\n'
        't ["start&"] -> 1/4 yes, 3/4 no\n'
        'yes ["<img src=x>"] -> 1 yes\nno [no] -> 1 no\n',
        encoding="utf-8",
    )
    done = run_bdist(
        *("audit", "odd.lmc", "--with-label", "start&", "--epsilon", "ln 2", "--report", "out.html"),
        cwd=tmp_path,
    )
    assert done.returncode == 1, done.stderr
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "VIOLATED" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    for raw in ("<script>alert", "<b>odd", "<img src=x"):
        assert raw not in page
