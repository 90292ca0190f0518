"""bdist: exact, certified privacy distances of labelled Markov chains.

The public names are loaded when they are first used, so that a program pays only for what it asks: importing
everything takes three times as long as answering a small query. They are written twice, once for whoever
checks types and once for the loader; a test compares the two.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if sys.platform == "win32":
    raise ImportError(
        "bdist does not run on Windows, which has other signals and processes; use the Windows Subsystem "
        "for Linux, or check a certificate with python -I -S path/to/bdist/checker MODEL CERTIFICATE"
    )

if TYPE_CHECKING:
    from bdist.audits.findings import Audit as Audit
    from bdist.audits.findings import Finding as Finding
    from bdist.certificates.document import Certificate as Certificate
    from bdist.certificates.merged import ProvedQuotient as ProvedQuotient
    from bdist.chains.build import build as build
    from bdist.chains.chain import LabelledMarkovChain as LabelledMarkovChain
    from bdist.chains.conversions import from_labelled_transitions as from_labelled_transitions
    from bdist.chains.conversions import from_networkx as from_networkx
    from bdist.chains.conversions import from_stormpy as from_stormpy
    from bdist.chains.conversions import to_networkx as to_networkx
    from bdist.chains.conversions import to_scipy_approx as to_scipy_approx
    from bdist.chains.conversions import to_stormpy as to_stormpy
    from bdist.chains.formats import ReadOptions as ReadOptions
    from bdist.chains.formats import load as load
    from bdist.chains.formats import save as save
    from bdist.chains.mechanism import Mechanism as Mechanism
    from bdist.chains.mechanism import SystemRng as SystemRng
    from bdist.chains.mechanism import mechanism as mechanism
    from bdist.chains.relation import Relation as Relation
    from bdist.distances.compute import DistanceTable as DistanceTable
    from bdist.distances.kantorovich import Kantorovich as Kantorovich
    from bdist.distances.kantorovich import kantorovich as kantorovich
    from bdist.errors import BackendError as BackendError
    from bdist.errors import BdistError as BdistError
    from bdist.errors import CertificateError as CertificateError
    from bdist.errors import FormatError as FormatError
    from bdist.errors import InputError as InputError
    from bdist.errors import InternalError as InternalError
    from bdist.errors import ModelError as ModelError
    from bdist.errors import NotExact as NotExact
    from bdist.errors import NotPrivate as NotPrivate
    from bdist.errors import OutputError as OutputError
    from bdist.errors import ParameterError as ParameterError
    from bdist.errors import UnsupportedError as UnsupportedError
    from bdist.errors import UnsupportedModel as UnsupportedModel
    from bdist.library import attack as attack
    from bdist.library import audit as audit
    from bdist.library import curve as curve
    from bdist.library import distance as distance
    from bdist.library import distance_table as distance_table
    from bdist.library import least_epsilon as least_epsilon
    from bdist.library import make as make
    from bdist.library import profile as profile
    from bdist.library import quotient as quotient
    from bdist.library import require_private as require_private
    from bdist.library import threshold as threshold
    from bdist.library import true_delta as true_delta
    from bdist.proofs import check as check
    from bdist.queries import Backend as Backend
    from bdist.queries import Method as Method
    from bdist.queries import Quantity as Quantity
    from bdist.results import Answer as Answer
    from bdist.results import Bound as Bound
    from bdist.results import Bracket as Bracket
    from bdist.results import Distance as Distance
    from bdist.results import Evidence as Evidence
    from bdist.results import Verdict as Verdict
    from bdist.traces.accounting import from_dp_accounting as from_dp_accounting
    from bdist.traces.answers import BestAttack as BestAttack
    from bdist.traces.answers import Curve as Curve
    from bdist.traces.answers import EpsilonBracket as EpsilonBracket
    from bdist.traces.answers import TraceDistance as TraceDistance
    from bdist.traces.attack import Attack as Attack
    from bdist.traces.loss import PrivacyLoss as PrivacyLoss
    from bdist.traces.plot import plot_profiles as plot_profiles
    from bdist.traces.profile import Order as Order
    from bdist.traces.profile import Profile as Profile

__version__ = "0.1.0"

_HOMES = {
    "bdist.audits.findings": "Audit Finding",
    "bdist.certificates.document": "Certificate",
    "bdist.certificates.merged": "ProvedQuotient",
    "bdist.chains.build": "build",
    "bdist.chains.chain": "LabelledMarkovChain",
    "bdist.chains.conversions": "from_labelled_transitions from_networkx from_stormpy to_networkx "
    "to_scipy_approx to_stormpy",
    "bdist.chains.formats": "ReadOptions load save",
    "bdist.chains.mechanism": "Mechanism SystemRng mechanism",
    "bdist.chains.relation": "Relation",
    "bdist.distances.compute": "DistanceTable",
    "bdist.distances.kantorovich": "Kantorovich kantorovich",
    "bdist.errors": "BackendError BdistError CertificateError FormatError InputError InternalError "
    "ModelError NotExact NotPrivate OutputError ParameterError UnsupportedError "
    "UnsupportedModel",
    "bdist.library": "attack audit curve distance distance_table least_epsilon make profile quotient "
    "require_private threshold true_delta",
    "bdist.proofs": "check",
    "bdist.queries": "Backend Method Quantity",
    "bdist.results": "Answer Bound Bracket Distance Evidence Verdict",
    "bdist.traces.accounting": "from_dp_accounting",
    "bdist.traces.answers": "BestAttack Curve EpsilonBracket TraceDistance",
    "bdist.traces.attack": "Attack",
    "bdist.traces.loss": "PrivacyLoss",
    "bdist.traces.plot": "plot_profiles",
    "bdist.traces.profile": "Order Profile",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)


if not TYPE_CHECKING:  # a type checker shall go on to refuse names that are not there

    def __getattr__(name: str) -> object:
        """Load a public name when it is first used."""
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'bdist' has no attribute '{name}'")
        value: object = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """All public names, loaded or not."""
    return sorted({*globals(), *__all__})
