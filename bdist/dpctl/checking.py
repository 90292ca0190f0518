"""Running the independent checker on answers about formulas."""

from __future__ import annotations

from bdist import checker
from bdist.budget import Budget
from bdist.certificates.checking import vouched
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.dpctl import text as mdp
from bdist.dpctl.certificate import DpctlCertificate
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.process_certificate import ProcessCertificate


def vouch(
    chain: LabelledMarkovChain, certificate: DpctlCertificate, budget: Budget | None = None
) -> checker.FormulaReport:
    """Check a certificate that we made ourselves. Raises: as `bdist.certificates.checking.vouched`."""
    return vouched(checker.check_formula, "model.lmc", lmc.write(chain), certificate.to_json(), budget)


def vouch_process(
    process: MarkovDecisionProcess, certificate: ProcessCertificate, budget: Budget | None = None
) -> checker.DecisionReport:
    """Check a certificate about a process that we made ourselves. Raises: as `vouch`."""
    text = certificate.to_json()
    return vouched(checker.check_decision_process, "model.mdp", mdp.write(process), text, budget)
