"""Reading files of strangers: text, or one refusal that says what is wrong; and so for every theory."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from bdist.chains.formats import load
from bdist.checker.files import Unreadable, read_file
from bdist.dipa import text as dipa
from bdist.dipc import text as dip
from bdist.dpctl import text as mdp
from bdist.errors import FormatError
from bdist.pufferfish import text as hmm
from bdist.text.files import read_text
from bdist.theories import THEORIES, Theory

INSTANCES = Path(__file__).parents[2] / "instances"
LOADERS: dict[str, Callable[[str | Path], object]] = {
    "dipa": dipa.load_automaton,
    "dipc": dip.load_program,
    "pufferfish": hmm.load_hidden_model,
    "dpctl": mdp.load_decision_process,
}


def refusal(path: Path, limit: int = 2**20) -> str:
    """What both readers say about a file that they refuse, bdist's without the path."""
    with pytest.raises(FormatError) as caught:
        read_text(path, limit=limit)
    with pytest.raises(Unreadable) as alone:
        read_file(str(path), "utf-8-sig", limit)
    for message in (str(caught.value), str(alone.value)):
        assert message.isprintable()
    assert str(alone.value).startswith(f"{path}: ")
    return str(caught.value).removeprefix(f"{path}")


def test_text_comes_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("a\r\né\r😀".encode())
    assert read_text(path) == read_file(str(path), "utf-8", 2**20) == "a\r\né\r😀"
    path.write_bytes(b"\xef\xbb\xbfa")
    assert read_text(path) == read_file(str(path), "utf-8-sig", 2**20) == "a"
    assert read_text(path, "utf-8") == "\ufeffa"
    path.write_bytes(b"")
    assert read_text(path) == ""


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"x" * 1000)
    assert read_text(path, limit=1000) == read_file(str(path), "utf-8", 1000) == "x" * 1000
    assert refusal(path, limit=999) == ": has 1000 bytes; at most 999 are read"


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    assert refusal(tmp_path) == ": cannot be read: Is a directory"
    assert refusal(tmp_path / "none") == ": cannot be read: No such file or directory"
    assert refusal(tmp_path / "none" / "below") == ": cannot be read: No such file or directory"
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").startswith(": cannot be read: it is a pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert refusal(tmp_path / "zero") == ": cannot be read: it is a device"
    (tmp_path / "loop").symlink_to("loop")
    assert "symbolic link" in refusal(tmp_path / "loop")
    with pytest.raises(FormatError, match="null"):
        read_text("a\0b")


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert refusal(Path("socket")).startswith(": cannot be read: ")


@pytest.mark.parametrize("change", ["grow", "shrink", "rewrite"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    path = tmp_path / "growing"
    look = os.fstat

    def look_and_change(descriptor: int) -> os.stat_result:
        found = look(descriptor)
        if change == "grow":
            with path.open("a", encoding="utf-8") as file:
                file.write("more\n")
        elif change == "shrink":
            os.truncate(path, 2)
        else:
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1))
        return found

    path.write_text("lmc\ns [a] -> 1 s\n", encoding="utf-8")
    monkeypatch.setattr(os, "fstat", look_and_change)
    with pytest.raises(FormatError, match=r"changed while it was read \(\d+ bytes when it was opened"):
        read_text(path)
    with pytest.raises(Unreadable, match="changed while it was read"):
        read_file(str(path), "utf-8", 2**20)


def test_what_is_no_text_is_refused_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "text"
    for data, message in [
        (b"lmc\ns \xff\n", ":2: not UTF-8 text: byte 6 is 0xff"),
        (b"\xe4", ":1: not UTF-8 text: byte 0 is 0xe4"),
        (b"\xff\xfel\0m\0c\0", ": is UTF-16 text; save it as UTF-8"),
        (b"\xfe\xff\0l\0m\0c", ": is UTF-16 text; save it as UTF-8"),
    ]:
        path.write_bytes(data)
        assert refusal(path) == message
    path.write_bytes(b"\x7fELF\x02\x01\x01\0\0")
    with pytest.raises(FormatError, match=r": is a binary file, not text: byte 7 is zero$"):
        read_text(path)
    path.write_bytes(b"\xed\xa0\x80")  # half of a surrogate pair is no UTF-8
    assert refusal(path) == ":1: not UTF-8 text: byte 0 is 0xed"


# --- the models of theories ----------------------------------------------------------------------------


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
def test_a_model_is_read_from_every_text_file(theory: Theory, tmp_path: Path) -> None:
    example, *_ = sorted((INSTANCES / theory.name).glob(f"*{theory.suffix}"))
    model, text = LOADERS[theory.name](example), example.read_text(encoding="utf-8")
    path = tmp_path / f"a{theory.suffix}"
    for data in (b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), text.rstrip("\n").encode()):
        path.write_bytes(data)
        assert LOADERS[theory.name](path) == LOADERS[theory.name](str(path)) == model


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
def test_what_is_no_model_is_refused_with_its_file(theory: Theory, tmp_path: Path) -> None:
    path = tmp_path / f"a{theory.suffix}"
    for data, message in [
        (b"\x89PNG\x00\x1a", "binary file"),
        (b"dipa \xff", "not UTF-8 text"),
        ("hmm".encode("utf-16"), "UTF-16"),
        (
            b"",
            "expected a declaration such as domain"
            if theory.name == "dipc"
            else "the file is empty; it must",
        ),
    ]:
        path.write_bytes(data)
        with pytest.raises(FormatError, match=message) as caught:
            LOADERS[theory.name](path)
        assert str(caught.value).startswith(str(path))
    with pytest.raises(FormatError, match="cannot be read"):
        LOADERS[theory.name](tmp_path / f"none{theory.suffix}")


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
def test_the_reader_of_chains_says_which_command_reads_a_model(theory: Theory, tmp_path: Path) -> None:
    path = tmp_path / f"a{theory.suffix.upper()}"
    with pytest.raises(FormatError) as caught:
        load(path)
    formula = " FORMULA" if theory.name == "dpctl" else ""
    expected = f"{path}: this is {theory.model}, not a chain; ask: bdist {theory.command} {path}{formula}"
    assert str(caught.value) == expected
