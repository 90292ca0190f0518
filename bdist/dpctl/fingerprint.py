"""What a certificate means by "this Markov decision process": SHA-256 of the canonical form in SPEC-DPCTL.

As for chains (`fingerprint`), a certificate is bound to a text that the checker builds from the file itself:

    ["mdp",ACTIONS,[[NAME,LABEL,[ROW,...]],...]]

with the actions sorted, the states sorted by name, and for each state a row for each action in that order,
itself ``[[TARGET,PROBABILITY],...]`` sorted by target. The name of the process, the order of its parts, and
whether a row was written for one action, for all, or by the sink do not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from bdist.dpctl.mdp import MarkovDecisionProcess, Row
from bdist.exact.reading import rational_text

_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def canonical_form(process: MarkovDecisionProcess) -> str:
    """The canonical text: equal for two processes iff they have the same states, labels, actions and rows."""
    return "".join(_parts(process))


def fingerprint(process: MarkovDecisionProcess) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    digest = hashlib.sha256()
    for part in _parts(process):
        digest.update(part.encode("ascii"))
    return digest.hexdigest()


def _parts(process: MarkovDecisionProcess) -> Iterator[str]:
    """The canonical form, a state at a time."""
    states = process.states
    order = sorted(range(len(process.actions)), key=process.actions.__getitem__)
    before = f'["mdp",{_ENCODER.encode([process.actions[number] for number in order])},['
    for number in sorted(range(len(states)), key=states.__getitem__):
        texts: dict[Row, str] = {}  # most states have one row for all actions
        for row in process.rows[number]:
            if row not in texts:
                texts[row] = _ENCODER.encode(sorted([states[j], rational_text(p)] for j, p in row))
        rows = ",".join(texts[process.rows[number][action]] for action in order)
        head = f"{_ENCODER.encode(states[number])},{_ENCODER.encode(process.labels[number])}"
        yield f"{before}[{head},[{rows}]]"
        before = ","
    yield "]]"
