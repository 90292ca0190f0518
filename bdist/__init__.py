"""bdist: exact, certified privacy distances of labelled Markov chains.

The public names are loaded when they are first used, so that a program pays only for what it asks: importing
everything takes three times as long as answering a small query.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bdist.audits.findings import Audit, Finding
    from bdist.certificates.document import Certificate
    from bdist.chains.chain import LabelledMarkovChain
    from bdist.chains.conversions import (
        from_labelled_transitions,
        from_networkx,
        to_networkx,
        to_scipy_approx,
    )
    from bdist.chains.formats import ReadOptions, load, save
    from bdist.chains.relation import Relation
    from bdist.distances.compute import DistanceTable
    from bdist.distances.kantorovich import Kantorovich, kantorovich
    from bdist.errors import (
        BackendError,
        BdistError,
        CertificateError,
        FormatError,
        InputError,
        InternalError,
        ModelError,
        NotExact,
        NotPrivate,
        OutputError,
        ParameterError,
        UnsupportedError,
    )
    from bdist.library import (
        audit,
        curve,
        distance,
        distance_table,
        least_epsilon,
        require_private,
        threshold,
        true_delta,
    )
    from bdist.proofs import check
    from bdist.results import Answer, Bound, Bracket, Distance, Evidence, Verdict

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Audit",
    "BackendError",
    "BdistError",
    "Bound",
    "Bracket",
    "Certificate",
    "CertificateError",
    "Distance",
    "DistanceTable",
    "Evidence",
    "Finding",
    "FormatError",
    "InputError",
    "InternalError",
    "Kantorovich",
    "LabelledMarkovChain",
    "ModelError",
    "NotExact",
    "NotPrivate",
    "OutputError",
    "ParameterError",
    "ReadOptions",
    "Relation",
    "UnsupportedError",
    "Verdict",
    "audit",
    "check",
    "curve",
    "distance",
    "distance_table",
    "from_labelled_transitions",
    "from_networkx",
    "kantorovich",
    "least_epsilon",
    "load",
    "require_private",
    "save",
    "threshold",
    "to_networkx",
    "to_scipy_approx",
    "true_delta",
]

_HOMES = {
    "bdist.audits.findings": ("Audit", "Finding"),
    "bdist.proofs": ("check",),
    "bdist.certificates.document": ("Certificate",),
    "bdist.distances.compute": ("DistanceTable",),
    "bdist.distances.kantorovich": ("Kantorovich", "kantorovich"),
    "bdist.errors": (
        *("BackendError", "BdistError", "CertificateError", "FormatError", "InputError", "InternalError"),
        *("ModelError", "NotExact", "NotPrivate", "OutputError", "ParameterError", "UnsupportedError"),
    ),
    "bdist.chains.formats": ("ReadOptions", "load", "save"),
    "bdist.library": (
        *("audit", "curve", "distance", "distance_table", "least_epsilon", "require_private", "threshold"),
        "true_delta",
    ),
    "bdist.chains.chain": ("LabelledMarkovChain",),
    "bdist.chains.conversions": (
        *("from_labelled_transitions", "from_networkx", "to_networkx", "to_scipy_approx"),
    ),
    "bdist.chains.relation": ("Relation",),
    "bdist.results": ("Answer", "Bound", "Bracket", "Distance", "Evidence", "Verdict"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


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
