"""A decision about an automaton as a document that a stranger can check; `SPEC-DIPA.md` defines it.

A certificate names its automaton by fingerprint. For a private one it lists the strongly connected components
in topological order and what each can still spend, which is all that the checker needs to see, in one pass
over the transitions, that nothing leaks and that the weight is right. For one that is not it holds the way
through the automaton that breaks privacy. A transition is named by its source and its guard, which by
determinacy is enough.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from bdist.dipa.automaton import Automaton, Guard
from bdist.dipa.structure import Structure
from bdist.dipa.violations import Violation
from bdist.dipa.weight import Weight
from bdist.exact.reading import rational_text
from bdist.text.writing import write_text

FORMAT = "bdist-dipa-certificate"
VERSION = 1
GUARD_SIGNS = {Guard.TRUE: "true", Guard.LESS: "<", Guard.AT_LEAST: ">="}

TransitionName = tuple[str, str]


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
class DipaCertificate:
    """A proof that the automaton with that fingerprint is private with some weight, or that it is not."""

    model: str
    proof: PrivacyProof | LeakProof

    def to_json(self) -> str:
        """The document of SPEC-DIPA.md; one component or transition a line."""
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
        parts = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
        parts += [_section(name, items) for name, items in lists.items()]
        return "{\n" + ",\n".join(parts) + "\n}\n"

    def write(self, path: str | Path) -> None:
        """Write the document to a file. Raises: as `bdist.text.writing.write_text`."""
        write_text(path, self.to_json())


def privacy_proof(structure: Structure, weight: Weight) -> PrivacyProof:
    """The proof that an automaton is private."""
    names = [state.name for state in structure.automaton.states]
    return PrivacyProof(
        weight.value,
        tuple(tuple(names[q] for q in members) for members in structure.members),
        weight.left,
        _named(structure.automaton, weight.path),
    )


def leak_proof(automaton: Automaton, violation: Violation) -> LeakProof:
    """The proof that an automaton is not private."""
    parts = (violation.prefix, violation.first, violation.between, violation.second)
    return LeakProof(violation.kind.value, violation.rising, *(_named(automaton, part) for part in parts))


def _named(automaton: Automaton, transitions: Iterable[int]) -> tuple[TransitionName, ...]:
    chosen = (automaton.transitions[t] for t in transitions)
    return tuple((automaton.states[t.source].name, GUARD_SIGNS[t.guard]) for t in chosen)


def _section(name: str, items: Iterable[object]) -> str:
    body = ",\n".join("    " + json.dumps(item) for item in items)
    return f'  "{name}": [\n{body}\n  ]' if body else f'  "{name}": []'
