"""Families of automata: parametrised generators, ordered as a reader would meet them.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a `Family`
and name it here; everything else reads this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from bdist.dipa.automaton import Automaton
from bdist.dipa.families import ladder, leaking, random_automaton, sparse_vector
from bdist.family import Family, Value, by_name, named_family

AUTOMATA: Mapping[str, Family[Automaton]] = by_name(
    (
        sparse_vector.SPARSE_FAMILY,
        sparse_vector.LEAKING_FAMILY,
        leaking.DESCENDING_FAMILY,
        leaking.PAIR_FAMILY,
        sparse_vector.NUMERIC_FAMILY,
        sparse_vector.BLOCKS_FAMILY,
        sparse_vector.THRESHOLDS_FAMILY,
        random_automaton.FAMILY,
        ladder.FAMILY,
    )
)


def make_automaton(name: str, values: Mapping[str, Value] | None = None) -> Automaton:
    """The automaton of a family by name.

    Values are text, as typed, or numbers; what is not given is default.
    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return named_family(name, AUTOMATA, "automata").make(**(values or {}))
