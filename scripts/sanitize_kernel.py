"""The kernel under the sanitizers of the compiler.

    python scripts/sanitize_kernel.py [--rounds N] [--seed N]

Builds the driver `kernel_stress.cpp` twice, with -fsanitize=address,undefined and with -fsanitize=thread, and
runs both. Any report ends the driver, and then this script, with a non-zero exit code. The compiler is $CXX,
or g++, or clang++. The driver checks the answers too, so this is also the longest test that the kernel gets:
thirty thousand programs under each sanitizer by default, in about a minute.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNEL = ROOT / "bdist" / "lp" / "kernel"
DRIVER = Path(__file__).with_name("kernel_stress.cpp")
SANITIZERS = ("address,undefined", "thread")
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


def main() -> None:
    """Build and run the driver under every sanitizer."""
    arguments = _arguments()
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        sys.exit("sanitize_kernel.py: there is no C++ compiler; set CXX")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for sanitizer in SANITIZERS:
            program = Path(folder) / "kernel_stress"
            flags = ["-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"]
            flags += [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-D_GLIBCXX_ASSERTIONS"]
            build = [compiler, *flags, f"-I{KERNEL}", str(DRIVER), "-o", str(program), "-pthread"]
            if subprocess.run(build, check=False).returncode != 0:
                sys.exit(f"sanitize_kernel.py: the driver does not compile with -fsanitize={sanitizer}")
            run = [str(program), str(arguments.rounds), str(arguments.seed)]
            done = subprocess.run(run, env={**os.environ, **OPTIONS}, check=False)
            print(f"-fsanitize={sanitizer}: {'clean' if done.returncode == 0 else 'FAILED'}")
            failed |= done.returncode != 0
    sys.exit(1 if failed else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=60, help="480 programs each (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="of the random programs (default 1)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
