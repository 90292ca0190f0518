"""The privacy of programs: the check of a certificate as a whole, SPEC-DIPC section 3.

``program_text.py`` and ``program_expansion.py`` read the program, ``program_kinds.py`` its rules, and
``program_document.py`` the certificate. ``program_code.py``, ``program_values.py`` and ``program_runs.py``
follow the program on its inputs, ``program_loops.py`` and ``program_systems.py`` where it comes back to
itself; ``program_events.py``, ``program_integrals.py`` and ``program_cells.py`` compute the probabilities of
comparisons of samples. Numbers are those of ``program_exponentials.py``. ``program_inequalities.py`` follows
the proofs, with ``program_enclosures.py`` for signs, and ``program_adjacency.py`` knows which inputs have to
be compared.

No float takes part and no library: e^ε is enclosed with integers, so this kind of certificate, too, is
checked with the standard library alone. The modules are loaded when the first program is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..core.chain import BadModel
from ..core.digits import brief
from ..core.limits import Allowance, Work
from ..core.reading import collector_paused
from ..core.steps import Rejected

if TYPE_CHECKING:
    from .document import ProgramCertificate

PROGRAM_STEPS = (
    *("program", "claim", "table", "denominators", "inequalities"),
    *("privacy", "counterexample"),
)


@dataclass(frozen=True)
class ProgramReport:
    """What an accepted certificate proves about a program.

    It is (factor · ε, delta(ε))-differentially private for every ε of the interval, or it is not, as the
    counterexample shows: two inputs, outputs and an ε. An exponential polynomial is given as its terms
    (k, (c_0, c_1, ...)), which are Σ_j c_j ε^j e^(k ε).
    """

    holds: bool
    factor: Fraction
    delta: tuple[tuple[Fraction, tuple[Fraction, ...]], ...]
    low: Fraction
    high: Fraction | None  # None is ∞
    has_low: bool
    has_high: bool
    counterexample: (
        tuple[tuple[Fraction, ...], tuple[Fraction, ...], tuple[tuple[Fraction | str, ...], ...], Fraction]
        | None
    )
    inputs: int
    pairs: int  # ordered pairs of adjacent inputs that were compared
    probabilities: int
    inequalities: int

    @property
    def interval(self) -> str:
        """The interval of ε, as one writes it."""
        high = "inf" if self.high is None else brief(self.high)
        return f"{'[' if self.has_low else '('}{brief(self.low)}, {high}{']' if self.has_high else ')'}"


def check_program(model_text: str, certificate_text: str, allowed: Allowance | None = None) -> ProgramReport:
    """Verify a certificate against the text of a ``.dip`` program (without a byte order mark).

    Raises: BadModel where the program cannot be read or breaks a rule; Malformed where the certificate is
    not a document of the specified form, and TooLarge, which is a kind of it, where it or the program is
    beyond the limits; Rejected where it is one, and does not prove what it claims.
    """
    from .document import read_program_certificate
    from .expansion import read_program
    from .steps import verify

    work = Work(len(model_text) + len(certificate_text), allowed)
    with collector_paused():
        try:
            program = read_program(model_text, work)
        except RecursionError:  # a hundred brackets with all operators in each of them
            raise BadModel("the program is nested too deeply") from None
        certificate = read_program_certificate(certificate_text, work)
        found = program.fingerprint()
        if certificate.program != found:
            problem = f"the certificate is for the program {certificate.program}, and this is {found}"
            raise Rejected("program", problem)
        pairs = verify(program, certificate, work)
        return _report(certificate, pairs)


def _report(certificate: ProgramCertificate, pairs: int) -> ProgramReport:
    interval, shown = certificate.interval, certificate.counterexample
    delta = certificate.delta
    return ProgramReport(
        holds=certificate.holds,
        factor=certificate.factor,
        delta=tuple(
            (Fraction(k, delta.grid), tuple(Fraction(c, delta.denominator) for c in row))
            for k, row in delta.polynomials.items()
        ),
        low=interval.low,
        high=interval.high,
        has_low=interval.has_low,
        has_high=interval.has_high,
        counterexample=None
        if shown is None
        else (shown.input, shown.neighbour, shown.outputs, shown.epsilon),
        inputs=len(certificate.table),
        pairs=pairs,
        probabilities=len(certificate.probabilities),
        inequalities=len(certificate.inequalities),
    )
