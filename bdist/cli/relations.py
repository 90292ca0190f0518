"""Which states are neighbours, as options of a subcommand.

Several ways may be given, and their pairs are taken together; with --hamming, --with-label says among which
states and makes no pairs of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.relation import Relation, load_relation, parse_pairs
from bdist.cli.terminal import option
from bdist.errors import ParameterError

RelationFile = Annotated[Path | None, option("FILE", "The neighbours: two states a line.", default=...)]
Pairs = Annotated[str | None, option("S:T,...", "Neighbours, such as s0:s1,s1:s2.", default=...)]
WithLabel = Annotated[
    str | None,
    option(
        "LABEL",
        "All states with this label are neighbours; with --hamming, only these are looked at.",
        default=...,
    ),
]
Hamming = Annotated[
    int | None,
    option(
        "D",
        "Neighbours have names that differ in at most D fields (between commas), or else characters.",
        default=...,
    ),
]


def relation_of(
    chain: LabelledMarkovChain, file: Path | None, pairs: str | None, label: str | None, hamming: int | None
) -> tuple[Relation, str]:
    """The relation that the options ask for, and how it was asked for.

    Raises: ParameterError where none is given or a state is not there; FormatError for a file.
    """
    parts: list[tuple[Relation, str]] = []
    if file is not None:
        parts.append((load_relation(file, chain), f"the pairs in {file}"))
    if pairs is not None:
        parts.append((Relation.of(chain, parse_pairs(pairs)), f"the pairs {pairs}"))
    if hamming is not None:
        among = "" if label is None else f" and the label {label}"
        found = Relation.by_hamming(chain, hamming, label)
        parts.append((found, f"states with names within Hamming distance {hamming}{among}"))
    elif label is not None:
        parts.append((Relation.with_label(chain, label), f"all states with the label {label}"))
    if not parts:
        raise ParameterError(
            "say which states are neighbours: --pairs s0:s1, --relation FILE, --with-label L or --hamming D"
        )
    relation = parts[0][0]
    for other, _ in parts[1:]:
        relation = relation.union(other)
    asked = "; ".join(text for _, text in parts)
    if not relation.pairs:
        raise ParameterError(f"no two different states are neighbours by {asked}; there is nothing to ask")
    return relation, asked
