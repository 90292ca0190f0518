"""What a certificate means by "this hidden Markov model": SHA-256 of the canonical form in SPEC-PUFFERFISH.

As for chains and automata, the checker builds the same text from the file by itself, and a test holds the two
against each other. The name of the model, the order of its parts, the way in which numbers are written, which
ends belong to a range, and what a scenario asks do not count; the priors do.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction

from bdist.exact.polynomials import Entry, Polynomial
from bdist.exact.reading import rational_text
from bdist.pufferfish.model import HiddenMarkovModel

_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def fingerprint(model: HiddenMarkovModel) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    return hashlib.sha256(canonical_form(model).encode("ascii")).hexdigest()


def canonical_form(model: HiddenMarkovModel) -> str:
    """The canonical text: equal for two models iff they have the same parameters, states, initial
    distributions and priors, by name.
    """

    def formula(entry: Entry) -> object:
        if isinstance(entry, Fraction):
            return rational_text(entry)
        return [_terms(entry.numerator), _terms(entry.denominator)]

    def row(entries: tuple[tuple[int, Entry], ...]) -> list[list[object]]:
        named = [(model.states[target].name, entry) for target, entry in entries]
        return [[name, formula(entry)] for name, entry in sorted(named, key=lambda item: item[0])]

    parameters = sorted([p.name, rational_text(p.low), rational_text(p.high)] for p in model.parameters)
    states = [
        [
            state.name,
            [[o, formula(e)] for o, e in sorted(state.observations, key=lambda item: item[0])],
            None if state.row is None else row(state.row),
        ]
        for state in sorted(model.states, key=lambda state: state.name)
    ]
    initials = [[i.name, row(i.row)] for i in sorted(model.initials, key=lambda i: i.name)]
    priors = [
        [
            name,
            [
                [model.states[case.state].name, list(case.secrets), formula(case.probability)]
                for case in sorted(prior.cases, key=lambda c: (model.states[c.state].name, c.secrets))
                if case.probability != 0
            ],
        ]
        for name, prior in sorted(model.priors.items())
    ]
    return _ENCODER.encode(["hmm", parameters, states, initials, priors])


def _terms(polynomial: Polynomial) -> list[list[object]]:
    return [[list(exponents), rational_text(value)] for exponents, value in polynomial.terms]
