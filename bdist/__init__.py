"""bdist: exact, certified privacy distances of labelled Markov chains."""

from bdist.certificates.checking import check
from bdist.certificates.document import Certificate
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
    ParameterError,
    UnsupportedError,
)
from bdist.formats import load
from bdist.library import curve, distance, distance_table, least_epsilon, threshold, true_delta
from bdist.models.chain import LabelledMarkovChain
from bdist.results import Answer, Bound, Bracket, Distance, Evidence, Verdict

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "BackendError",
    "BdistError",
    "Bound",
    "Bracket",
    "Certificate",
    "CertificateError",
    "Distance",
    "DistanceTable",
    "Evidence",
    "FormatError",
    "InputError",
    "InternalError",
    "Kantorovich",
    "LabelledMarkovChain",
    "ModelError",
    "NotExact",
    "ParameterError",
    "UnsupportedError",
    "Verdict",
    "check",
    "curve",
    "distance",
    "distance_table",
    "kantorovich",
    "least_epsilon",
    "load",
    "threshold",
    "true_delta",
]
