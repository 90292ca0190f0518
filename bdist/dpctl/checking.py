"""Running the independent checker on answers about formulas."""

from __future__ import annotations

from bdist import checker
from bdist.certificates.checking import translated, withheld_unless_accepted
from bdist.dpctl.certificate import DpctlCertificate
from bdist.dpctl.process_certificate import ProcessCertificate
from bdist.errors import UnsupportedError
from bdist.formats import lmc, mdp
from bdist.models.chain import LabelledMarkovChain
from bdist.models.mdp import MarkovDecisionProcess


def vouch(chain: LabelledMarkovChain, certificate: DpctlCertificate) -> checker.FormulaReport:
    """Check a certificate that we made ourselves.

    Raises: InternalError, after saving a reproducer, where it does not hold; UnsupportedError where it is too
    long to be checked.
    """
    text = certificate.to_json()
    with (
        withheld_unless_accepted("model.lmc", lambda: lmc.write(chain), text),
        translated("certificate", "model"),
    ):
        return checker.check_formula(lmc.write(chain), text)


def vouch_process(process: MarkovDecisionProcess, certificate: ProcessCertificate) -> checker.DecisionReport:
    """Check a certificate about a process that we made ourselves.

    Raises: as `vouch`; UnsupportedError as well where the check takes more work than the checker does.
    """
    text, model = certificate.to_json(), mdp.write(process)
    with (
        withheld_unless_accepted("model.mdp", lambda: model, text),
        translated("certificate", "model"),
    ):
        try:
            return checker.check_decision_process(model, text)
        except checker.TooLarge as error:
            raise UnsupportedError(f"the proof is found, and withheld: {error}") from None
