"""Builds what is released, and uses it as a stranger would:   python scripts/check_distribution.py

A package can be broken while every test in the checkout passes: a file that nobody listed, a module that is
found only because the current folder is looked at, a kernel that was not compiled. So here

* the source distribution is built, and must hold exactly the files that git tracks;
* from it, unpacked and far from any repository, the wheel is built, and the source distribution once
  more, which must come out the same to the byte;
* the wheel must hold what is needed to use bdist, and neither tests nor sources in C++;
* it is installed into an empty virtual environment, and used there, far from the checkout.

The last part alone looks at the bdist that is installed for this interpreter. The release workflow runs it
for the wheels of every platform:   python scripts/check_distribution.py --installed

Needs the extra `release`, a compiler, and an index of packages. Takes about a minute and a half.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
MADE = "PKG-INFO"  # the only file of a source distribution that is not in the repository
ASKED = ("delta", "two.lmc", "s0", "s1", "--alpha", "1.0002", "--certificate", "two.json")
ANSWERED = (
    "= 7501/25000000 = 0.00030004        exact, certified",
    "= 1/2500 = 0.0004        exact, certified",
)
SUITE = """
def survey(rng, given):
    return given if rng.flip("1/2") else rng.choose([0, 1])

def test_private(require_private):
    require_private(survey, inputs=[0, 1], epsilon="ln 3")

def test_not_private(require_private):
    require_private(survey, inputs=[0, 1], epsilon="ln 2")
"""


def main() -> None:
    """Read the arguments, check, and say what was checked."""
    parser = argparse.ArgumentParser(description="Builds, installs and uses what is released.")
    parser.add_argument("--installed", action="store_true", help="check the bdist that is installed here")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep source distribution and wheel there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bdist-distribution-") as folder:
        if options.installed:
            check_installed(Path(folder))
        else:
            check_built(Path(folder), options.keep)


def check_built(folder: Path, keep: Path | None) -> None:
    """Source distribution, wheel, and the wheel installed. Raises: SystemExit with what is wrong."""
    made = folder / "dist"
    archive = build("--sdist", ROOT, made)
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "unpacked", filter="data")
    [source] = (folder / "unpacked").iterdir()
    check_source(source)
    again = build("--sdist", source, folder / "again")
    if again.read_bytes() != archive.read_bytes():
        fail("the source distribution that is built from the source distribution is another")
    wheel = build("--wheel", source, made)
    check_wheel(wheel, source)
    python("-m", "twine", "check", "--strict", archive, wheel)
    venv.create(folder / "empty", with_pip=True)
    inside = folder / "empty" / "bin" / "python"
    run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, "pytest")
    print(run(inside, "-P", Path(__file__).resolve(), "--installed"), end="")
    if keep is not None:
        shutil.copytree(made, keep, dirs_exist_ok=True)
    print(f"{archive.name} and {wheel.name} are complete")


def build(what: str, source: Path, target: Path) -> Path:
    """Build a distribution and return its file."""
    before = set(target.glob("*"))
    python("-m", "build", what, "--outdir", target, source)
    [made] = set(target.glob("*")) - before
    return made


def check_source(source: Path) -> None:
    """That what was packed is what git tracks; a tree without git has nothing to compare with."""
    packed = files(source) - {MADE}
    if not (ROOT / ".git").exists():
        print("this tree is no repository: whether the source distribution has all files is not checked")
        return
    listed = run("git", "-C", ROOT, "ls-files", "-z")
    compare("the source distribution", packed, {name for name in listed.split("\0") if name})


def check_wheel(wheel: Path, source: Path) -> None:
    """That the wheel has the package, its kernel and its papers, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
        [entry_points] = [name for name in packed if name.endswith(".dist-info/entry_points.txt")]
        told = archive.read(entry_points).decode()
    kernels = {name for name in packed if name.startswith("bdist/lp/_kernel.") and name.endswith(".so")}
    papers = {name for name in packed if ".dist-info/" in name}
    kernel_sources = "bdist/lp/kernel/"
    wanted = {name for name in files(source) if name.startswith("bdist/") and kernel_sources not in name}
    compare("the wheel", packed - kernels - papers, wanted)
    if len(kernels) != 1:
        fail(f"the wheel has {len(kernels)} compiled kernels")
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in papers):
        fail("the wheel has no licence")
    if told.split() != ["[console_scripts]", "bdist", "=", "bdist.cli:main"]:
        fail(f"the wheel has the entry points {told}")


def check_installed(folder: Path) -> None:
    """That the installed bdist answers, proves, is checked, and tests; all of it far from the checkout."""
    if ROOT in Path(sys.prefix).resolve().parents:
        fail("the environment lies in the checkout")
    shutil.copy(ROOT / "instances" / "dining-cryptographers" / "two.lmc", folder)
    where, number, stated = python(
        "-c",
        "import bdist, importlib.metadata as m; print(bdist.__file__, bdist.__version__, m.version('bdist'))",
        at=folder,
    ).split()
    home = Path(where).resolve().parent
    if home.is_relative_to(ROOT):
        fail(f"bdist is found in the checkout, {home}")
    command = Path(sys.executable).with_name("bdist")
    if run(command, "--version", at=folder).split() != ["bdist", number] or number != stated:
        fail(f"versions differ: {number}, {stated}")
    examined = json.loads(run(command, "doctor", "--json", at=folder))
    if (examined["kernel"]["state"], examined["kernel"]["works"]) != ("compiled", True):
        fail(f"the kernel is {examined['kernel']}")
    answer = run(command, *ASKED, at=folder)
    if not all(line in answer for line in ANSWERED):
        fail(f"a wrong answer:\n{answer}")
    for checker in (("-I", "-S", home / "checker"), ("-m", "bdist.checker")):
        if "accepted" not in python(*checker, "two.lmc", "two.json", at=folder):
            fail(f"{checker[-1]} does not accept")
    (folder / "test_privacy.py").write_text(SUITE, encoding="utf-8")
    options = ("-q", "-W", "error", "-p", "no:cacheprovider", "-p", "bdist.pytest_plugin")
    tested = python("-m", "pytest", *options, "--bdist-reports=reports", at=folder, code=1)
    if "1 failed, 1 passed" not in tested or len(list(folder.glob("reports/*/1/report.html"))) != 2:
        fail(f"the fixture does not work:\n{tested}")
    print(f"bdist {number} is installed in {home} and works")


def files(folder: Path) -> set[str]:
    """The files of a folder, by their paths in it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def compare(what: str, found: set[str], wanted: set[str]) -> None:
    """Name what is missing, and what is too much. Raises: SystemExit where anything is."""
    for complaint, names in (("lacks", wanted - found), ("should not have", found - wanted)):
        if names:
            fail(f"{what} {complaint} {', '.join(sorted(names)[:10])} ({len(names)} in all)")


def python(*arguments: str | Path, at: Path = ROOT, code: int = 0) -> str:
    """Run this interpreter; it does not look for modules in the current folder unless it must."""
    return run(sys.executable, *arguments, at=at, code=code)


def run(*words: str | Path, at: Path = ROOT, code: int = 0) -> str:
    """Run a program and return what it prints. Raises: SystemExit where it ends with another code."""
    hidden = ("PYTHONPATH", "BDIST_KERNEL", "PYTEST_ADDOPTS")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        list(map(str, words)), cwd=at, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != code:
        said = f"{done.stdout}{done.stderr}"[-5000:]
        fail(f"{' '.join(map(str, words))} ended with {done.returncode} and not {code}:\n{said}")
    return done.stdout


def fail(message: str) -> NoReturn:
    """End with a message and exit code 1."""
    sys.exit(f"check_distribution: {message}")


if __name__ == "__main__":
    main()
