"""Files are there whole or not at all, never through a link, and devices stay devices."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from bdist import OutputError, ParameterError, load, save
from bdist.text.files import write_files, write_text
from tests.cli.runner import ROOT, run_process

CHAIN = load(ROOT / "instances/geometric/four-counts.lmc")


def fail_at(monkeypatch: pytest.MonkeyPatch, name: str, number: int = 1, code: int = errno.ENOSPC) -> None:
    """Let the n-th call of a function of ``os`` fail."""
    original, calls = getattr(os, name), 0

    def failing(*arguments: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            raise OSError(code, os.strerror(code))
        return original(*arguments, **more)

    monkeypatch.setattr(os, name, failing)


@pytest.mark.parametrize("name", ["fsync", "replace", "open"])
def test_a_file_that_cannot_be_written_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / "out.json"
    path.write_text("before", encoding="utf-8")
    fail_at(monkeypatch, name)
    with pytest.raises(OutputError, match=r"cannot write .*out.json: No space left on device"):
        write_text(path, "after")
    assert path.read_text(encoding="utf-8") == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["out.json"]


@pytest.mark.parametrize("number", [1, 2])
def test_of_two_files_that_belong_together_none_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    save(CHAIN, tmp_path / "chain.tra")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    fail_at(monkeypatch, "fsync", number)
    with pytest.raises(OutputError):
        save(load(ROOT / "instances/dining-cryptographers/two.lmc"), tmp_path / "chain.tra")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_link_is_replaced_and_what_it_points_to_is_not_touched(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link.json"
    target.write_text("mine", encoding="utf-8")
    link.symlink_to(target)
    write_text(link, "new")
    assert target.read_text(encoding="utf-8") == "mine"
    assert link.read_text(encoding="utf-8") == "new"
    assert not link.is_symlink()


def test_permissions_are_kept_and_new_ones_follow_the_umask(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch(mode=0o600)
    before = os.umask(0o027)
    try:
        write_files({old: "x", new: "y"})
    finally:
        os.umask(before)
    assert [stat.S_IMODE(file.stat().st_mode) for file in (old, new)] == [0o600, 0o640]


def test_a_folder_a_missing_folder_and_a_null_character_are_the_callers(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "x", tmp_path / "a\0b"):
        with pytest.raises(ParameterError, match="cannot write"):
            write_text(path, "x")
    with pytest.raises(ParameterError, match="not text"):
        write_text(tmp_path / "x", "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_and_a_device_are_written_to(tmp_path: Path) -> None:
    write_text("/dev/null", "x")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_text(pipe, ("a", "b"))
    reader.join(60)
    assert read == ["ab"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_is_a_file_like_any_other(tmp_path: Path) -> None:
    done = run_process("make", "figure-one", "-o", "/dev/stdout")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("lmc ")
    with (tmp_path / "out").open("w") as out:  # the stream leads to a file, and the device stays one
        command = [sys.executable, "-m", "bdist", "make", "figure-one", "-o", "/dev/stdout"]
        subprocess.run(command, stdout=out, check=True, cwd=ROOT)
    assert (tmp_path / "out").read_text(encoding="utf-8") == done.stdout
