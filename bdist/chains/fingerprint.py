"""What a certificate means by "this model".

A certificate must not be bound to a file's bytes (a comment or a blank is not the model) nor carry the model
itself (then it would prove something about its own copy). It is bound to a canonical form: states sorted by
name, each with its label and its row sorted by target, rationals in lowest terms, as JSON without blanks in
ASCII. Names of chains, order of declaration and zero entries do not count. The checker builds the same form
from the file by itself; certificates/SPEC.md is the definition.
"""

from __future__ import annotations

import hashlib
import json

from bdist.chains.chain import LabelledMarkovChain
from bdist.exact.reading import rational_text


def canonical_form(chain: LabelledMarkovChain) -> str:
    """The canonical text: equal for two chains iff their states, labels and probabilities are."""
    document = sorted(
        [state, label, sorted([chain.states[j], rational_text(p)] for j, p in row)]
        for state, label, row in zip(chain.states, chain.labels, chain.rows, strict=True)
    )
    return json.dumps(document, ensure_ascii=True, separators=(",", ":"))


def fingerprint(chain: LabelledMarkovChain) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    return hashlib.sha256(canonical_form(chain).encode("ascii")).hexdigest()
