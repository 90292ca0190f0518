"""Families: parametrised generators of labelled Markov chains, one module each, and the registry of them.

A family is what a paper's example becomes when its numbers are made parameters. The registry is ordered as a
reader would meet them: the paper's own examples, two mechanisms everybody knows, random chains, and the
traps. To add one, write its module with a ``FAMILY`` in it and name it here; everything else reads
``FAMILIES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bdist.errors import ParameterError
from bdist.families import dining, figure_one, geometric, layered, random_chain, response, traps
from bdist.families.parameters import Family, Parameter, Value, suggestion
from bdist.models.chain import LabelledMarkovChain

__all__ = ["FAMILIES", "Family", "Parameter", "Value", "make_family"]

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        family.name: family
        for family in (
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
    }
)


def make_family(name: str, values: Mapping[str, Value] | None = None) -> LabelledMarkovChain:
    """The chain of a family by name; values are text, as typed, or numbers, and what is not given is default.

    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    family = FAMILIES.get(name)
    if family is None:
        raise ParameterError(f"there is no family '{name}'; {suggestion(name, FAMILIES)}")
    return family.make(**(values or {}))
