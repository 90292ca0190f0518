"""The theories, beside chains: the one place that knows them all.

A theory is a folder: its model and its text, its engine, its certificate with the specification, its
families, and its command. Whoever works on models or certificates of any kind (`check`, `convert`, `show`,
`validate`, `make`, the entry of the command line) reads this table, and loads of a theory what it needs, when
it needs it. To add one, add a folder, its counterpart in `bdist.checker`, and a line here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theory:
    """A folder of this package, the subcommand that asks its question, and the files that it reads."""

    name: str
    command: str
    suffix: str
    model: str


THEORIES = (
    Theory("dipa", "dipa", ".dipa", "an automaton"),
    Theory("dipc", "dipc", ".dip", "a program"),
    Theory("pufferfish", "pufferfish", ".hmm", "a hidden Markov model"),
    Theory("dpctl", "modelcheck", ".mdp", "a Markov decision process"),
)
