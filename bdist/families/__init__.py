"""Families: parametrised generators of models, one module each or a few together, and their registries.

A family is what a paper's example becomes when its numbers are made parameters. There are two kinds, with the
same parameters and the same ``make``: families of labelled Markov chains, in ``FAMILIES``, and families of
differentially private automata, in ``AUTOMATA``. No name is in both. The registries are ordered as a reader
would meet them: the papers' own examples, mechanisms everybody knows, random members, and the traps. To add
one, write its module with a ``Family`` in it and name it here; everything else reads the registries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bdist.errors import ParameterError
from bdist.families import (
    dining,
    figure_one,
    geometric,
    ladder,
    layered,
    leaking,
    random_automaton,
    random_chain,
    response,
    sparse_vector,
    traps,
)
from bdist.families.parameters import Family, Made, Parameter, Value, suggestion
from bdist.models.automaton import Automaton
from bdist.models.chain import LabelledMarkovChain

__all__ = ["AUTOMATA", "FAMILIES", "Family", "Parameter", "Value", "make_automaton", "make_family"]


def _by_name(families: Iterable[Family[Made]]) -> Mapping[str, Family[Made]]:
    return MappingProxyType({family.name: family for family in families})


FAMILIES: Mapping[str, Family[LabelledMarkovChain]] = _by_name(
    (
        figure_one.FAMILY,
        dining.FAMILY,
        response.FAMILY,
        geometric.FAMILY,
        random_chain.FAMILY,
        layered.FAMILY,
        traps.ERRATUM_FAMILY,
        traps.MONOTONE_FAMILY,
        traps.OUTSIDE_FAMILY,
    )
)

AUTOMATA: Mapping[str, Family[Automaton]] = _by_name(
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


def make_family(name: str, values: Mapping[str, Value] | None = None) -> LabelledMarkovChain:
    """The chain of a family by name; values are text, as typed, or numbers, and what is not given is default.

    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    if name in AUTOMATA:
        raise ParameterError(f"{name} is a family of automata, not of chains")
    return _family(name, FAMILIES).make(**(values or {}))


def make_automaton(name: str, values: Mapping[str, Value] | None = None) -> Automaton:
    """The automaton of a family by name; values are as for `make_family`.

    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    if name in FAMILIES:
        raise ParameterError(f"{name} is a family of chains, not of automata")
    return _family(name, AUTOMATA).make(**(values or {}))


def _family(name: str, families: Mapping[str, Family[Made]]) -> Family[Made]:
    found = families.get(name)
    if found is None:
        raise ParameterError(f"there is no family '{name}'; {suggestion(name, [*FAMILIES, *AUTOMATA])}")
    return found
