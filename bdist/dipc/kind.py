"""Programs, as one kind of model among others."""

from __future__ import annotations

from bdist.dipc import text
from bdist.dipc.expansion import expanded, fingerprint
from bdist.dipc.families import PROGRAMS
from bdist.dipc.program import Program
from bdist.kinds import ModelKind


def _sizes(program: Program) -> dict[str, int]:
    """The inputs and outputs that there are when arrays are written out."""
    whole = expanded(program)
    return {"inputs": len(whole.inputs), "outputs": len(whole.outputs)}


KIND = ModelKind("program", text.SUFFIX, Program, PROGRAMS, text.write, fingerprint, _sizes)
