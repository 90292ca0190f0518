"""The verified checker: a program whose source is proved in Coq, and extracted (the folder ``proofs``).

It is not installed with the package. Whoever has built it with ``proofs/build.sh`` has it in
``proofs/_build``, or puts it as ``bdist-verified`` on the path of programs. It reads the plain form of a
model and a certificate (``plain.py``). That it accepts what the checker in Python accepts, and rejects what
that one rejects, is tested; where they differ one of them is wrong, and nothing is accepted.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from bdist.budget import Budget, Stopped, Unchecked
from bdist.errors import BackendError, InternalError
from bdist.processes import run_program

NAME = "bdist-verified"
BUILT = Path(__file__).resolve().parents[2] / "proofs" / "_build" / NAME
HOW = f"take {NAME} from a release, or build it with proofs/build.sh of the source, and put it on the path"


def find_program() -> Path | None:
    """The program, where it is built or installed."""
    found = shutil.which(NAME)
    path = BUILT if found is None else Path(found)
    return path if path.is_absolute() and path.is_file() else None


def accepts(plain: str, budget: Budget) -> bool:
    """Whether the program accepts a plain form. Raises: BackendError where it does not decide; Stopped."""
    program = find_program()
    if program is None:
        raise BackendError(f"there is no verified checker here; {HOW}")
    code, _, errors = run_program(program, plain.encode("ascii"), budget)
    if code not in (0, 1):
        raise BackendError(f"the verified checker failed: {errors.decode(errors='replace')[:300].strip()}")
    return code == 0


def check(plain: str, budget: Budget) -> None:
    """Return where the program accepts a plain form of texts that the checker in Python has accepted.

    Raises: InternalError where it rejects them; BackendError where it does not decide; Unchecked where the
    budget ends first.
    """
    try:
        if not accepts(plain, budget):
            raise InternalError("the verified checker rejects what the checker in Python accepts")
    except Stopped:
        raise Unchecked from None
