"""A decision about an automaton as a document that a stranger can check.

`SPEC.md` beside this file defines it. A certificate names its automaton by fingerprint. For a private one it
lists the strongly connected components in topological order and what each can still spend, which is all that
the checker needs to see, in one pass over the transitions, that nothing leaks and that the weight is right.
For one that is not it holds the way through the automaton that breaks privacy. A transition is named by its
source and its guard, which by determinacy is enough.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from bdist import checker
from bdist.budget import Budget
from bdist.certificates import Document, array_text, document_text
from bdist.certificates.checking import vouched
from bdist.dipa import text as dipa
from bdist.dipa.automaton import Automaton, TransitionName
from bdist.exact.reading import rational_text

FORMAT = "bdist-dipa-certificate"
VERSION = 1


@dataclass(frozen=True)
class PrivacyProof:
    """The components in topological order, what each can still spend, and a path that spends most."""

    weight: Fraction
    components: tuple[tuple[str, ...], ...]
    left: tuple[Fraction, ...]
    path: tuple[TransitionName, ...]


@dataclass(frozen=True)
class LeakProof:
    """The parts of a `Violation`, with transitions named."""

    kind: str
    rising: bool
    prefix: tuple[TransitionName, ...]
    first: tuple[TransitionName, ...]
    between: tuple[TransitionName, ...]
    second: tuple[TransitionName, ...]


@dataclass(frozen=True)
class DipaCertificate(Document):
    """A proof that the automaton with that fingerprint is private with some weight, or that it is not."""

    model: str
    proof: PrivacyProof | LeakProof

    def to_json(self) -> str:
        """The document of SPEC.md section 2; one component or transition a line."""
        proof = self.proof
        head: dict[str, object] = {"format": FORMAT, "version": VERSION, "model": self.model}
        head["private"] = isinstance(proof, PrivacyProof)
        if isinstance(proof, PrivacyProof):
            head["weight"] = rational_text(proof.weight)
            lists: dict[str, Iterable[object]] = {
                "components": proof.components,
                "left": map(rational_text, proof.left),
                "path": proof.path,
            }
        else:
            head |= {"kind": proof.kind, "rising": proof.rising}
            lists = {
                "prefix": proof.prefix,
                "first": proof.first,
                "between": proof.between,
                "second": proof.second,
            }
        members = {name: json.dumps(value) for name, value in head.items()}
        members |= {name: array_text(items) for name, items in lists.items()}
        return document_text(members)


def vouch(
    automaton: Automaton, certificate: DipaCertificate, budget: Budget | None = None
) -> checker.AutomatonReport:
    """What the independent checker finds proved by a certificate that we made ourselves.

    Raises: as `bdist.certificates.checking.vouched`.
    """
    return vouched(
        checker.check_automaton, "model.dipa", dipa.write(automaton), certificate.to_json(), budget
    )
