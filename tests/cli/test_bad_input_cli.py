"""Bad input as a user meets it: exit code 4, one line on standard error, nothing on standard output, soon.

Every case is a real process, with a limit on its time that a hang or a search without end would reach.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bdist.checker.core.chain import read_model
from tests.cli.runner import ROOT

SECONDS = 600
GIGABYTES = 3
FORKED = "lmc\n" + "".join(
    f"s{i} [{'pq'[i % 2]}] -> 1/3 s{(i + 1) % 6}, 2/3 s{(i + 2) % 6}\n" for i in range(6)
)


def refusal(*command: str) -> str:
    """What a command says that must end with exit code 4, without what it says first: who is speaking."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
        preexec_fn=_limit_memory,
    )
    assert (done.returncode, done.stdout) == (4, ""), done.stderr[-1000:]
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith("\n")
    assert len(done.stderr) < 1500
    return done.stderr.removeprefix("bdist: ").rstrip("\n")


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES * 2**30, GIGABYTES * 2**30))


def delta(model: Path) -> str:
    return refusal("-m", "bdist", "delta", str(model), "s0", "s2", "--alpha", "11/10")


def check(model: Path, certificate: Path) -> str:
    return refusal("-m", "bdist", "check", str(model), str(certificate))


def check_alone(model: Path, certificate: Path) -> str:
    return refusal("-I", "-S", str(ROOT / "bdist" / "checker"), str(model), str(certificate))


@pytest.fixture
def forked(tmp_path: Path) -> Path:
    path = tmp_path / "forked.lmc"
    path.write_text(FORKED, encoding="utf-8")
    return path


MODELS: dict[str, tuple[bytes, str]] = {
    "truncated": (FORKED.encode()[:-4], ":7:22: expected the name of the target state"),
    "binary": (b"\x7fELF\x02\x01\x01" + bytes(100), ": is a binary file, not text: byte 7 is zero"),
    "not-utf-8": (b"lmc\ns0 [\xe9] -> 1 s0\n", ":2: not UTF-8 text: byte 8 is 0xe9"),
    "nan": (FORKED.replace("1/3", "NaN").encode(), ":2:11: 'NaN' is not a number"),
    "1e400": (FORKED.replace("1/3", "1e400").encode(), ":2: the row of state 's0' sums to more than 1000000"),
    "huge": (FORKED.replace("1/3", "1e999999999").encode(), "has an exponent beyond 1000"),
    "twice": ((FORKED + "s0 [p] -> 1 s0\n").encode(), ":8:1: state 's0' is declared twice"),
    "terminal": (b"lmc\n\xc2\x9b2J\xe2\x80\xa8 [a] -> 1 s0\n", r":2:1: expected a state name"),
    "backslashes": (b'lmc\n"' + b"\\" * 10_000_000, "expected a closing double quote on the same line"),
    "commas": (b"lmc\ns0 [a] -> 1 s0" + b"," * 10_000_000, ":2:16: expected a probability"),
    "name": (b"lmc\ns0 [a] -> 1 " + b"x" * 10_000_000, "which is not declared"),
}


@pytest.mark.parametrize("kind", MODELS)
def test_a_bad_model(tmp_path: Path, kind: str) -> None:
    content, message = MODELS[kind]
    path = tmp_path / "model.lmc"
    path.write_bytes(content)
    found = delta(path)
    assert found.startswith(f"{path}:")
    assert message in found


def test_a_line_of_ten_megabytes_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "long.lmc"
    count = 100_000
    row = ", ".join(f"1/{count} s{k:090d}" for k in range(count))
    path.write_text(f"lmc\ns0 [a] -> {row}, 1/2", encoding="utf-8")
    assert path.stat().st_size > 10_000_000
    assert f":2:{path.stat().st_size - 3}: expected the name of the target state" in delta(path)


def test_what_is_no_file(tmp_path: Path, forked: Path) -> None:
    pipe, zero, large = tmp_path / "pipe.lmc", tmp_path / "zero.lmc", tmp_path / "large.lmc"
    os.mkfifo(pipe)
    zero.symlink_to("/dev/zero")
    with large.open("wb") as file:
        file.truncate(2**30 + 1)  # takes no place on the disk
    assert delta(pipe) == f"{pipe}: cannot be read: it is a pipe; save what it brings to a file first"
    assert delta(zero) == f"{zero}: cannot be read: it is a device"
    assert delta(large) == f"{large}: has 1073741825 bytes; at most 1073741824 are read"
    for path, message in [
        *[(pipe, "not a regular file"), (zero, "not a regular file"), (tmp_path, "Is a directory")],
        *[
            (tmp_path / "none", "No such file"),
            (large, "1073741825 bytes long, and at most 268435456 are read"),
        ],
    ]:
        assert message in check_alone(forked, path)
    assert "a pipe" in check(forked, pipe)


@contextmanager
def growing(path: Path) -> Iterator[None]:
    """While a process of its own goes on writing to a file."""
    writing = threading.Event()
    ended = threading.Event()

    def write() -> None:
        with path.open("ab", buffering=0) as file:
            while not ended.is_set():
                file.write(b"# more\n")
                writing.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert writing.wait(SECONDS)
        yield
    finally:
        ended.set()
        writer.join()


def test_a_file_that_grows(tmp_path: Path, forked: Path) -> None:
    path = tmp_path / "growing.lmc"
    path.write_text(FORKED + "# comment\n" * 2_000_000, encoding="utf-8")
    with growing(path):
        assert "changed while it was read" in delta(path)
        assert "changed while it was read" in check_alone(path, forked)


def certificate(**members: object) -> str:
    claims = [{"pair": ["s0", "s2"], "lower": "0", "upper": "1"}]
    document = {"format": "bdist-certificate", "version": 1, "quantity": "bd", "alpha": "11/10"}
    document |= {"model": read_model(FORKED).fingerprint(), "claims": claims}
    document |= {"states": [], "upper": [], "lower": []}
    return json.dumps(document | members)


CERTIFICATES: dict[str, tuple[str, str]] = {
    "words": (certificate(words=64), "too large to check: the check takes more than"),
    "nested": ("[" * 100_000, "too large to check: nested too deeply"),
    "nested-in-a-member": (certificate()[:-1] + ', "x": ' + '{"x":' * 100_000, "nested too deeply"),
    "brackets": (
        "[[],[]," + "[]," * 16_700_000,
        "arrays, objects and members, and at most 10000000 are read",
    ),
    "truncated": (certificate()[:-9], "not JSON at line 1"),
    "nan": (certificate().replace('"11/10"', "NaN"), "alpha: expected a rational"),
    "1e400": (certificate().replace('"11/10"', "1e400"), "alpha: expected a rational"),
    "digits": (certificate(alpha="9" * 2_000_000), "a number has 2000000 digits"),
}


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_a_bad_certificate(tmp_path: Path, forked: Path, kind: str) -> None:
    content, message = CERTIFICATES[kind]
    path = tmp_path / "certificate.json"
    path.write_text(content, encoding="utf-8")
    assert message in check_alone(forked, path)
    if kind in ("words", "nested"):  # the same through bdist, whose start takes longer
        assert message in check(forked, path)


def test_a_binary_certificate(tmp_path: Path, forked: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(certificate().encode() + b"\0")
    assert f"byte {len(certificate())} is zero" in check(forked, path)
    assert "malformed certificate: not JSON" in check_alone(forked, path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        (json.dumps({"prefixes": [["p"] * 10_001]}), "a prefix has 10001 labels"),
        (json.dumps({"prefixes": [["p\n"]]}), "control character"),
        ("3", "expected an object with a 'test' or with 'prefixes'"),
        (json.dumps({"test": {"kind": "guess"}}), "the 'kind' of a test"),
        (json.dumps({"test": {"kind": "automaton", "states": [{"p": 9}]}}), "to the number of a state"),
        (json.dumps({"test": {"kind": "automaton", "states": [{"\0": "accept"}]}}), "control character"),
    ],
)
def test_a_bad_attack(tmp_path: Path, forked: Path, content: str, message: str) -> None:
    path = tmp_path / "attack.json"
    path.write_text(content, encoding="utf-8")
    command = ["-m", "bdist", "attack", str(forked), "s0", "s2", "--alpha", "2", "--replay", str(path)]
    assert message in refusal(*command)
