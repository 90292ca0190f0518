"""What the long studies share: the command that was typed, Ctrl-C that stores what is done, other commits."""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

from bdist.budget import StopSign

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ("--quick", "--resume")
KERNEL = Path("bdist", "lp")  # with the compiled kernel, and the folder of its sources


def typed_command(script: str) -> str:
    """What was typed, without where anything lies: no output, and FOLDER for folders."""
    kept: list[str] = []
    waiting = ""  # an option whose value comes next
    for token in sys.argv[1:]:
        name, equals, value = token.partition("=")
        if waiting:
            name, value, waiting = waiting, token, ""
        elif name.startswith("--") and not equals and name not in FLAGS:
            waiting = name
            continue
        if name != "--output":
            hidden = "FOLDER" if name == "--models" or Path(value).is_dir() else value
            kept += [name, hidden] if name not in FLAGS else [name]
    return shlex.join(["python", f"scripts/{script}", *kept])


def stop_on_interrupt() -> StopSign:
    """What Ctrl-C sets; a second one ends the program."""
    stop = StopSign()

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    signal.signal(signal.SIGINT, on_interrupt)
    return stop


def exported_commit(script: str, commit: str, folder: Path, *parts: str, hint: str = "") -> Path:
    """What a commit has of some files and folders, by default all, in a folder of its own.

    Raises: SystemExit, with the hint, where git does not know it.
    """
    archive, target = folder / "commit.tar", folder / "commit"
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", f"--output={archive}", commit, *parts]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"{script}: cannot run git: {error.strerror}{hint}")
    if done.returncode != 0:
        sys.exit(f"{script}: git has no {commit}{hint}")
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    return target


def this_version(folder: Path) -> Path:
    """A copy of the package at hand, with the kernel that an editable installation keeps elsewhere."""
    shutil.copytree(ROOT / "bdist", folder / "bdist")
    compiled = compiled_kernel()
    if compiled is not None:
        shutil.copy(compiled, folder / KERNEL)
    return folder


def compiled_kernel() -> Path | None:
    """Where the compiled kernel is, if there is one."""
    spec = find_spec("bdist.lp._kernel")
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def other_version(script: str, commit: str, folder: Path) -> tuple[Path, str]:
    """The package of a commit with its kernel, in a folder of its own; and what it is, in words.

    A folder that has a package is taken as it is. Raises: SystemExit where git does not know the commit.
    """
    if Path(commit, "bdist").is_dir():
        return Path(commit), "the version of a folder"
    source = exported_commit(script, commit, folder)
    show = ["git", "-C", str(ROOT), "log", "-1", "--format=%h", commit]
    name = f"commit {subprocess.run(show, capture_output=True, text=True, check=True).stdout.strip()}"
    compiled = compiled_kernel()
    if compiled is not None and _kernel_sources(source) == _kernel_sources(ROOT):
        shutil.copy(compiled, source / KERNEL)
        return source, f"{name} with the kernel of this one, whose sources are the same"
    target = folder / "installed"
    build = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(target),
        str(source),
    ]
    built = subprocess.run(build, capture_output=True, check=False).returncode == 0
    if built and any((target / KERNEL).glob("_kernel*")):
        return target, f"{name} with its own kernel"
    return source, f"{name} without a kernel, which could not be built"


def _kernel_sources(root: Path) -> dict[str, bytes]:
    files = [root / "CMakeLists.txt", *sorted((root / KERNEL / "kernel").glob("*"))]
    return {file.name: file.read_bytes() for file in files}
