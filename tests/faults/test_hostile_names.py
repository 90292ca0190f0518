"""Names that steer a terminal, turn the writing round or stay unseen: no command prints one as it is.

Every command that prints names is run on models whose states, labels, actions, observations and file names
are hostile, and long. JSON may hold them, in its own escapes; text may not, and must cut them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from bdist.errors import (
    BackendError,
    BdistError,
    InternalError,
    NotPrivate,
    OutputError,
    ParameterError,
    UnsupportedError,
)
from bdist.printing import is_plain, lines, message_text, named, one_line, printable
from tests.cli.runner import ROOT, run_bdist

EVIL = "\u009b31m\u202e\u2066\u200f\u200b\u2028\u2029\u3164\ufeff\U000e0041"
LONG = "x" * 300
S, T, U = (f"{EVIL}{name}{LONG}{name}" for name in "stu")
START, YES = f"start{EVIL}{LONG}", f"yes{EVIL}"
CHAIN = f"m{EVIL}.lmc"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def check_harmless(text: str) -> None:
    for character in text:
        kind = unicodedata.category(character)
        assert character == "\n" or kind not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn", "Co"), ascii(character)
        assert character not in EVIL.replace("3", "").replace("1", "").replace("m", ""), ascii(character)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile")
    s, t, u, start, yes = map(quoted, (S, T, U, START, YES))
    (made / CHAIN).write_text(
        f"lmc {quoted(EVIL)}\n{s} [{start}] -> 3/4 {u}, 1/4 no\n{t} [{start}] -> 1/4 {u}, 3/4 no\n"
        f"{u} [{yes}] -> 1 {u}\nno [no] -> 1 no\n",
        encoding="utf-8",
    )
    (made / f"a{EVIL}.dipa").write_text(
        f"dipa {quoted(EVIL)}\nstate {s} input [1, 0]\nstate {t} input [1, 0]\n"
        f"{s} -> {t} true / {yes} x := insample\n{t} -> {t} insample < x / {yes}\n"
        f"{t} -> {s} insample >= x / no\n",
        encoding="utf-8",
    )
    (made / f"h{EVIL}.hmm").write_text(
        f"hmm {quoted(EVIL)}\n{s} [3/4 {yes}, 1/4 no] -> 1 {s}\n{t} [1/4 {yes}, 3/4 no] -> 1 {t}\n"
        f"scenario {quoted(EVIL + 'q')}\n  pair {s} {t}\n  words all\n  epsilon ln 9\n  length 1..2\n",
        encoding="utf-8",
    )
    (made / f"p{EVIL}.mdp").write_text(
        f"mdp {quoted(EVIL)}\nactions {yes}, go\n{s} [{start}]\n{t} [{start}]\n{u} [{yes}]\nno [no]\n"
        f"{s} {yes} -> 3/4 {u}, 1/4 no\n{s} go -> 1/4 {u}, 3/4 no\n{t} * -> 1/2 {u}, 1/2 no\n"
        f"{u} * -> 1 {u}\nno * -> 1 no\n",
        encoding="utf-8",
    )
    (made / "pairs").write_text(f"{s} {t}\n", encoding="utf-8")
    return made


PROCESS = f"p{EVIL}.mdp"
AT = ("--alpha", "2")
ANSWERS = [
    ("delta", CHAIN, S, T, *AT, "--certificate", f"c{EVIL}.json"),
    ("check", CHAIN, f"c{EVIL}.json", f"c{EVIL}.json"),
    ("attack", CHAIN, S, T, *AT),
    ("attack", CHAIN, S, T, *AT, "--draw", f"e{EVIL}.svg"),
    ("attack", CHAIN, S, S, *AT),
    ("profile", CHAIN, S, T, "--at", "1/2", "--delta", "1/10"),
    ("epsilon", CHAIN, S, T, "--delta", "1/10"),
    ("curve", CHAIN, S, T, "--epsilon", "0..1", "--points", "3"),
    ("threshold", CHAIN, S, T, *AT, "--theta", "1/2"),
    ("table", CHAIN, *AT),
    ("kantorovich", CHAIN, S, T, *AT),
    ("audit", CHAIN, "--with-label", START, *AT, "--report", f"r{EVIL}.html", "--certificates", f"d{EVIL}"),
    ("audit", CHAIN, "--relation", "pairs", *AT),
    ("dipa", f"a{EVIL}.dipa"),
    ("pufferfish", f"h{EVIL}.hmm"),
    ("pufferfish", f"h{EVIL}.hmm", "--optimise"),
    ("pufferfish", f"h{EVIL}.hmm", "--word", "no no", "--epsilon", "ln 2"),
    ("modelcheck", CHAIN, f"D[eps=ln 2] (X {quoted(YES)})", "--relation", "pairs"),
    ("modelcheck", CHAIN, f"D[eps=ln 2] (X {quoted(YES)})", "--relation", "pairs", "--tight"),
    ("modelcheck", CHAIN, f"F {quoted(YES)}"),
    ("modelcheck", PROCESS, f"D[eps=ln 2] (X {quoted(YES)})", "--relation", "pairs"),
    ("modelcheck", PROCESS, f"D[eps=ln 2] (X {quoted(YES)})", "--relation", "pairs", "--tight"),
    ("modelcheck", PROCESS, f"F {quoted(YES)}"),
    ("show", CHAIN),
    ("show", PROCESS),
    ("show", CHAIN, "--from", S, "--draw", f"d{EVIL}.svg"),
    ("convert", CHAIN, f"o{EVIL}.tra"),
    ("convert", PROCESS, f"o{EVIL}.drn"),
    ("validate", CHAIN),
    ("quotient", CHAIN, "-o", f"q{EVIL}.lmc"),
    ("make", "figure-one", "-o", f"f{EVIL}.lmc"),
]
REFUSALS = [
    ("delta", CHAIN, f"{S}?", T, *AT),
    ("show", f"none{EVIL}.lmc"),
    ("show", f"none.{EVIL}"),
    ("check", CHAIN, f"none{EVIL}"),
    ("convert", CHAIN, f"o.{EVIL}"),
    ("audit", CHAIN, "--pairs", f"{EVIL}:{EVIL}", *AT),
    ("modelcheck", CHAIN, f"P=? [{EVIL}]"),
    ("make", f"no{EVIL}"),
    (f"no{EVIL}",),
    ("delta", f"--no{EVIL}"),
    ("delta", CHAIN, S, T, "--alpha", EVIL),
    ("delta", CHAIN, S, T, *AT, "--time-limit", EVIL),
]


@pytest.mark.parametrize(
    "arguments", [*ANSWERS, *REFUSALS], ids=lambda command: ascii(" ".join(command))[:40]
)
def test_no_command_prints_what_does_not_show(folder: Path, arguments: tuple[str, ...]) -> None:
    done = run_bdist(*arguments, cwd=folder)
    assert done.returncode in ((0, 1) if arguments in ANSWERS else (2, 4)), done.stderr
    check_harmless(done.stdout)
    check_harmless(done.stderr)
    assert done.stdout or done.stderr
    if arguments[0] not in ("show",) or arguments[1] != PROCESS:  # which lists the file as it is
        assert LONG not in done.stdout


def test_a_page_and_a_drawing_hold_no_such_character(folder: Path) -> None:
    done = run_bdist("audit", CHAIN, "--with-label", START, *AT, "--report", "page.html", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    done = run_bdist("show", CHAIN, "--draw", "drawing.svg", cwd=folder)
    assert done.returncode == 0, done.stderr
    for name in ("page.html", "drawing.svg"):
        text = (folder / name).read_text(encoding="utf-8")
        for character in set(EVIL) - set("31m\u2066") | set("\u202a\u2067"):
            assert character not in text, (name, ascii(character))


def test_the_checker_alone_prints_none(folder: Path) -> None:
    made = run_bdist("delta", CHAIN, S, T, *AT, "--certificate", "alone.json", cwd=folder)
    assert made.returncode == 0, made.stderr
    alone = [sys.executable, "-I", "-S", str(ROOT / "bdist/checker")]
    for files in ((CHAIN, "alone.json"), (CHAIN, f"none{EVIL}"), (CHAIN, CHAIN)):
        done = subprocess.run(
            [*alone, *files], cwd=folder, capture_output=True, encoding="utf-8", check=False
        )
        check_harmless(done.stdout)
        check_harmless(done.stderr)
        assert done.returncode in (0, 4)


def test_what_is_spelled_out_and_what_is_not() -> None:
    for text in ("count0", "ε日本", "naïve", "سلام", "a b", "{x}", "\\"):
        assert is_plain(text)
        assert printable(text) == one_line(text) == text
    assert printable("") == '""'
    assert printable('a"\u202e\\') == '"a\\"\\u202e\\\\"'
    assert one_line("a\nb\x9b\u2028") == "a\\nb\\x9b\\u2028"
    assert lines("a\nb\r\tc") == "a\nb\\r\\tc"
    assert len(named("y" * 1000)) == 79
    assert len(named("y" + "\u0301" * 10_000)) < 400  # marks without a width


@pytest.mark.parametrize("kind", [BackendError, OutputError, UnsupportedError, ParameterError, InternalError])
def test_every_error_spells_out_what_it_quotes(kind: type[BdistError]) -> None:
    message = str(kind(f"no '{EVIL}\n{'y' * 5000}'"))
    check_harmless(message)
    assert "\n" not in message
    assert len(message) < 1200
    check_harmless(str(NotPrivate(f"two\nlines of {EVIL}")))
    assert str(NotPrivate("two\nlines")) == "two\nlines"


def test_a_message_is_short_also_where_all_of_it_is_spelled_out() -> None:
    assert len(message_text("\udcff" * 2000)) < 1010
