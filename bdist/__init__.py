"""bdist: exact, certified privacy distances of labelled Markov chains."""

from bdist.certificates.checking import check
from bdist.certificates.document import Certificate
from bdist.distances.compute import DistanceTable, distance, distance_table
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
from bdist.models.chain import LabelledMarkovChain
from bdist.results import Bound, Bracket, Distance, Evidence

__version__ = "0.1.0"

__all__ = [
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
    "check",
    "distance",
    "distance_table",
    "kantorovich",
    "load",
]
