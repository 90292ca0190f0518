"""A decision about an automaton as a document that a stranger can check.

`SPEC.md` beside this file defines it. A certificate names its automaton by fingerprint. For a private one it
lists the strongly connected components in topological order and what each can still spend, which is all that
the checker needs to see, in one pass over the transitions, that nothing leaks and that the weight is right.
For one that is not it holds the way through the automaton that breaks privacy. A transition is named by its
source and its guard, which by determinacy is enough.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bdist import checker
from bdist.budget import Budget
from bdist.certificates import Document, array_text, document_text
from bdist.certificates.checking import vouched
from bdist.dipa import text as dipa
from bdist.dipa.automaton import Automaton

FORMAT = "bdist-dipa-certificate"
VERSION = 1


@dataclass(frozen=True)
class DipaCertificate(Document):
    """A proof that the automaton with that fingerprint is private with some weight, or that it is not.

    ``members`` are those of SPEC.md section 2 beyond the first three; tuples are written an item a line.
    """

    model: str
    members: Mapping[str, object]

    def to_json(self) -> str:
        """The document; one component or transition a line."""
        head = {"format": FORMAT, "version": VERSION, "model": self.model}
        return document_text(
            {
                name: array_text(value) if isinstance(value, tuple) else json.dumps(value)
                for name, value in {**head, **self.members}.items()
            }
        )


def vouch(
    automaton: Automaton, certificate: DipaCertificate, budget: Budget | None = None
) -> checker.AutomatonReport:
    """What the independent checker finds proved by a certificate that we made ourselves.

    Raises: as `bdist.certificates.checking.vouched`.
    """
    return vouched(
        checker.check_automaton, "model.dipa", dipa.write(automaton), certificate.to_json(), budget
    )
