"""The checker as a sceptic runs it: copied out of bdist, with the standard library and nothing else."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bdist import checker
from tests.cli.runner import run_checker

HERE = Path(__file__).parent
SOURCE = Path(checker.__file__).parent
HIDDEN = HERE.parent / "pufferfish"
FORK = HERE / "models" / "fork.lmc"
EXACT = HERE / "accepted" / "exact--fork.json"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone") / "a copy"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_accepts_an_exact_value(alone: Path) -> None:
    done = run_checker(alone, FORK, EXACT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "accepted: bd(a, b) at alpha 1 = 1/5\nchecked: 1 upper and 1 lower records\n"


def test_accepts_a_bracket(alone: Path) -> None:
    done = run_checker(alone, FORK, HERE / "accepted" / "bracket--fork.json")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "accepted: 1/6 <= bd(b, a) <= 1/4 at alpha 1"


def test_quotes_names_that_are_not_words(alone: Path) -> None:
    done = run_checker(alone, HERE / "models" / "names.lmc", HERE / "accepted" / "exact--names.json")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == r'accepted: bd("a \"b\" \\ # [é]", -+.) at alpha 1 = 1/5'


@pytest.mark.parametrize(
    ("model", "certificate", "lines"),
    [
        (
            "lopsided",
            "ld-exact",
            ["accepted: ld(s, t) at alpha 2 = 1/2", "accepted: ld(t, s) at alpha 2 = 0"],
        ),
        (
            "merge",
            "quotient-bd",
            [
                "accepted: bd(s, t) of the quotient at alpha 2 = 1/4",
                "accepted: bd(u, t) of the quotient at alpha 2 = 1/4",
            ],
        ),
        ("merge", "quotient-ld", ["accepted: ld(s, t) of the quotient at alpha 2 = 1/4"]),
        ("merge", "quotient-bracket", ["accepted: 0 <= bd(u, t) of the quotient <= 1/4 at alpha 2"]),
        (
            "hidden",
            "rest-and-words",
            [
                *["accepted: 1/4 <= bd(a, c) <= 1 at alpha 1", "accepted: 1/4 <= bd(c, b) <= 1 at alpha 1"],
                "checked: 0 upper and 1 lower records",
            ],
        ),
    ],
)
def test_names_the_quantity(alone: Path, model: str, certificate: str, lines: list[str]) -> None:
    done = run_checker(
        alone, HERE / "models" / f"{model}.lmc", HERE / "accepted" / f"{certificate}--{model}.json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[: len(lines)] == lines


@pytest.mark.parametrize(
    ("model", "certificate", "lines"),
    [
        (
            "flip",
            "exact",
            [
                "accepted: the loss of words of length 1 to 2 = 3",
                "accepted: the loss of words of length 3 or more is at most 3",
                "checked: 1 pairs, all words; 2 nodes, 3 covered, 0 closed",
            ],
        ),
        (
            "apart",
            "inf",
            [
                "accepted: the loss of words of length 1 is infinite",
                "accepted: the loss of words of length 2 is not bounded here",
                "accepted: word z has the ratio inf",
                "accepted: word x has the ratio 1/2",
                "accepted: word x end has the ratio 1/2",
                "checked: 1 pairs, all words; 0 nodes, 0 covered, 1 closed",
            ],
        ),
        (
            "dip",
            "tree",
            [
                "accepted: the loss of words of length 1 is at most 2",
                "accepted: word y has the ratio 50/37 towards p = 0",
                "accepted: word y y y has the ratio 125000/50653 towards p = 1",
                "accepted: word x has the ratio 25/13 at p = 1/2",
                "accepted: word x has the ratio 0 towards p = 0",
                "checked: 1 pairs, all words; 1 nodes, 0 covered, 0 closed",
            ],
        ),
        (
            "stay",
            "growth",
            [
                "accepted: the ratios are unbounded: (x x)* x",
                "accepted: the ratios are unbounded: y (x x y)* x x",
                "checked: 1 pairs, all words; 0 nodes, 0 covered, 0 closed",
            ],
        ),
        (
            "coin",
            "growth-at",
            [
                "accepted: the ratios are unbounded: (x)* y",
                "checked: 1 pairs, all words, p = 2/3; 0 nodes, 0 covered, 0 closed",
            ],
        ),
    ],
)
def test_says_what_is_proved_about_a_hidden_model(
    alone: Path, model: str, certificate: str, lines: list[str]
) -> None:
    done = run_checker(
        alone, HIDDEN / "models" / f"{model}.hmm", HIDDEN / "accepted" / f"{certificate}--{model}.json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == lines


def test_lists_twenty_words_of_a_hidden_model(alone: Path, tmp_path: Path) -> None:
    text = (HIDDEN / "accepted" / "closed-roots--flip.json").read_text(encoding="utf-8")
    document = json.loads(text)
    document["lower"] = [{**document["lower"][1], "word": ["x", "y"] * 15}] * 30
    certificate = tmp_path / "many.json"
    certificate.write_text(json.dumps(document), encoding="utf-8")
    done = run_checker(alone, HIDDEN / "models" / "flip.hmm", certificate)
    assert done.returncode == 0
    *_, word, more, _ = done.stdout.splitlines()
    assert len(done.stdout.splitlines()) == 22
    assert word == f"accepted: word{' x y' * 10} and 10 more has the ratio 9/7"
    assert more == "accepted: 12 more claims"


@pytest.mark.parametrize(
    ("certificate", "code"),
    [("rejected/bounds--too-small--flip", 1), ("malformed/array--flip", 4)],
)
def test_refuses_a_certificate_of_a_hidden_model(alone: Path, certificate: str, code: int) -> None:
    done = run_checker(alone, HIDDEN / "models" / "flip.hmm", HIDDEN / f"{certificate}.json")
    assert done.returncode == code
    assert len((done.stdout + done.stderr).splitlines()) == 1


@pytest.mark.parametrize(
    ("model", "certificate", "lines"),
    [
        (
            "svt",
            "by-chains",
            [
                "accepted: (1 epsilon, 0)-differentially private for every epsilon in (0, inf)",
                "checked: 2 inputs, 2 pairs of neighbours, 3 probabilities, 4 inequalities",
            ],
        ),
        (
            "leaky",
            "with-delta",
            [
                "accepted: (0 epsilon, 1/100)-differentially private for every epsilon in (0, inf)",
                "checked: 2 inputs, 2 pairs of neighbours, 2 probabilities, 1 inequalities",
            ],
        ),
        (
            "flips",
            "at-ten",
            [
                "accepted: not (1 epsilon, 0)-differentially private at epsilon 10: inputs (1) and (0), "
                "outputs (0)",
                "checked: 2 probabilities, 1 inequalities",
            ],
        ),
    ],
)
def test_says_what_is_proved_about_a_program(
    alone: Path, model: str, certificate: str, lines: list[str]
) -> None:
    folder = HERE.parent / "dipc"
    path = folder / "accepted" / f"{certificate}--{model}.json"
    done = run_checker(alone, folder / "models" / f"{model}.dip", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == lines


@pytest.mark.parametrize(("count", "lines"), [(20, 21), (21, 22), (500, 22)])
def test_lists_twenty_claims(alone: Path, tmp_path: Path, count: int, lines: int) -> None:
    document = json.loads(EXACT.read_text(encoding="utf-8"))
    document["claims"] *= count
    certificate = tmp_path / "many.json"
    certificate.write_text(json.dumps(document), encoding="utf-8")
    done = run_checker(alone, FORK, certificate)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == lines
    assert (f"accepted: {count - 20} more claims\n" in done.stdout) == (count > 20)


def test_reads_and_prints_long_numbers_under_the_lowest_limit(alone: Path, tmp_path: Path) -> None:
    certificate = tmp_path / "long.json"
    text = EXACT.read_text(encoding="utf-8").replace('"lower": "1/5"', f'"lower": "-1{"0" * 20_000}1/3"')
    certificate.write_text(text, encoding="utf-8")
    done = run_checker(alone, FORK, certificate, options=("-X", "int_max_str_digits=640"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"accepted: -1{'0' * 20_000}1/3 <= bd(a, b) <= 1/5 at alpha 1\n")


def test_rejects(alone: Path) -> None:
    done = run_checker(alone, FORK, HERE / "rejected" / "upper-cost--too-small--fork.json")
    assert (done.returncode, done.stderr) == (1, "")
    expected = "upper[0] (a, b), forward: the cost exceeds the value, 1/5 > 19999/100000"
    assert done.stdout == f"rejected at upper-cost: {expected}\n"


@pytest.mark.parametrize("stem", ["pairs--unknown-half-surrogate--fork", "pairs--unknown-in-g--fork"])
def test_a_name_cannot_break_the_output(alone: Path, stem: str) -> None:
    done = run_checker(alone, FORK, HERE / "rejected" / f"{stem}.json")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    "stem", ["rank-true", "not-json", "empty", "half-surrogate-in-member", "byte-order-mark"]
)
def test_malformed(alone: Path, stem: str) -> None:
    done = run_checker(alone, FORK, HERE / "malformed" / f"{stem}--fork.json")
    assert (done.returncode, done.stdout) == (4, "")
    assert "malformed certificate" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"", b"lmc\ns [a] -> 1/2 s\n", b"lmc\ns [a] -> 1e9999999 s\n"]
)
def test_unreadable_model(alone: Path, tmp_path: Path, content: bytes) -> None:
    model = tmp_path / "broken.lmc"
    model.write_bytes(content)
    done = run_checker(alone, model, EXACT)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"{model}: ")
    assert len(done.stderr.splitlines()) == 1


def test_missing_files(alone: Path, tmp_path: Path) -> None:
    for arguments in [(tmp_path / "none.lmc", EXACT), (FORK, tmp_path / "none.json"), (FORK, tmp_path)]:
        done = run_checker(alone, *arguments)
        assert (done.returncode, done.stdout) == (4, "")
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [(), ("--help",), (FORK,), (FORK, "--fast", EXACT)])
def test_usage(alone: Path, arguments: tuple[str | Path, ...]) -> None:
    done = run_checker(alone, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")


def test_several_certificates_are_a_line_each_and_the_worst_decides(alone: Path, tmp_path: Path) -> None:
    two = HERE / "accepted" / "bracket--fork.json"
    other = HERE / "accepted" / "exact--names.json"
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    done = run_checker(alone, FORK, EXACT, two)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{EXACT}: accepted: bd(a, b) at alpha 1 = 1/5",
        f"{two}: accepted: 1/6 <= bd(b, a) <= 1/4 at alpha 1",
    ]
    unread = run_checker(alone, FORK, broken, EXACT)
    assert (unread.returncode, len(unread.stdout.splitlines())) == (4, 1)
    assert unread.stderr.startswith(f"{broken}: malformed certificate: ")
    done = run_checker(alone, FORK, broken, other, EXACT)
    assert done.returncode == 1
    rejected, accepted = done.stdout.splitlines()
    assert rejected.startswith(f"{other}: rejected at model: ")
    assert accepted.startswith(f"{EXACT}: accepted: ")


def test_model_with_a_byte_order_mark_and_carriage_returns(alone: Path, tmp_path: Path) -> None:
    model = tmp_path / "windows.lmc"
    text = FORK.read_text(encoding="utf-8").replace("\n", "\r\n")
    model.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert run_checker(alone, model, EXACT).returncode == 0


def test_runs_as_a_module_of_bdist() -> None:
    command = [sys.executable, "-m", "bdist.checker", str(FORK), str(EXACT)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=SOURCE.parents[1], check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "accepted: bd(a, b) at alpha 1 = 1/5")


def test_imports_the_standard_library_and_itself_only() -> None:
    own = {path.stem for path in SOURCE.iterdir() if path.is_dir() or path.suffix == ".py"}
    # a folder that is run stands first in sys.path, so its modules must not hide standard ones
    assert not own & sys.stdlib_module_names
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                for name in node.names:
                    assert name.name.split(".")[0] in sys.stdlib_module_names, (path, name.name)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").split(".")[0] in sys.stdlib_module_names, (path, node.module)
            elif isinstance(node, ast.ImportFrom):
                inside = path.parent.relative_to(SOURCE).parts
                assert node.level <= len(inside) + 1, path  # nothing outside of the folder of the checker


def test_importing_it_alone_loads_nothing_of_bdist(alone: Path) -> None:
    script = f"""
import runpy, sys
sys.argv = ["checker", {str(FORK)!r}, {str(EXACT)!r}]
try:
    runpy.run_path({str(alone)!r}, run_name="__main__")
except SystemExit as end:
    assert end.code == 0, end.code
known = sys.stdlib_module_names | {{"_bdist_checker_alone", "__main__", "__mp_main__"}}
strangers = [name for name in sys.modules if name.split(".")[0] not in known]
assert strangers == [], strangers
"""
    command = [sys.executable, "-I", "-S", "-c", script]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
