"""Differential privacy of programs, decided for every epsilon.

    program = dipc.load("svt.dip")                    # or dipc.read(text)
    dipc.decide(program).answer                       # HOLDS, for all epsilon > 0, certified
    dipc.probabilities(program, (1, 1))[0, 1].text()  # (-22 - 3 eps + 32 e^(eps/4)) / (48 e^(eps/2))
    dipc.tight(program).upper.value                   # the smallest factor of epsilon, from both sides

The certificates that come with decisions are defined in ``SPEC.md`` of this folder.
"""

from __future__ import annotations

from bdist.dipc.certificate import DipcCertificate, check
from bdist.dipc.decision import Decision, Tight, Violation, decide, probabilities, tight
from bdist.dipc.exponentials import ClosedForm
from bdist.dipc.losses import Losses, losses
from bdist.dipc.text import load_program as load
from bdist.dipc.text import read

__all__ = [
    "ClosedForm",
    "Decision",
    "DipcCertificate",
    "Losses",
    "Tight",
    "Violation",
    "check",
    "decide",
    "load",
    "losses",
    "probabilities",
    "read",
    "tight",
]
