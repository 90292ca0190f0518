"""Makes constraints.txt anew:   python scripts/make_constraints.py

The file has one version of every package that bdist needs, directly or not, with all extras, to build and
to test: the newest that go together, as pip resolves them, for the Python that runs this. So the continuous
integration tests the same today and in a year, and a failure of a test is a change of ours. A second job
there goes without, and notices what the newest versions break. Run it with the oldest Python that we
support: the newest versions of some packages need a newer one.

Nothing is installed. Needs an index of packages. Lock files with hashes for every platform (uv, pip-tools)
were not worth a further tool: what is released has ranges of versions, and not these.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "constraints.txt"
TOOLS = ("pip", "cmake", "ninja")  # pip itself, and what scikit-build-core asks for where a machine lacks it
HEAD = """\
# One version of each package: what .ci/run installs. Made anew by `python scripts/make_constraints.py`.
# To install what was tested: python -m pip install -c constraints.txt '.[test]'
# Python {python} on {system} {machine}.
"""


def main() -> None:
    """Resolve and write."""
    with (ROOT / "pyproject.toml").open("rb") as stream:
        settings = tomllib.load(stream)
    extras = ",".join(sorted(settings["project"]["optional-dependencies"]))
    asked = [f"{ROOT}[{extras}]", *settings["build-system"]["requires"], *TOOLS]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        resolve = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
        done = subprocess.run([*resolve, "--report", report, *asked], check=False)
        if done.returncode:
            sys.exit("make_constraints: pip could not resolve")
        found = [entry["metadata"] for entry in json.loads(report.read_text(encoding="utf-8"))["install"]]
    pins = {entry["name"].lower().replace("_", "-"): entry["version"] for entry in found}
    pins.pop(settings["project"]["name"])
    head = HEAD.format(
        python=".".join(platform.python_version_tuple()[:2]),
        system=platform.system(),
        machine=platform.machine(),
    )
    TARGET.write_text(head + "".join(f"{name}=={pins[name]}\n" for name in sorted(pins)), encoding="utf-8")
    print(f"{TARGET.name}: {len(pins)} packages")


if __name__ == "__main__":
    main()
