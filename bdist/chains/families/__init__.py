"""Families of chains: parametrised generators, ordered as a reader would meet them.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a `Family`
and name it here; everything else reads this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import (
    dining,
    figure_one,
    geometric,
    layered,
    random_chain,
    response,
    subsampling,
    survey,
    traps,
)
from bdist.family import Family, Value, by_name, named_family

FAMILIES: Mapping[str, Family[LabelledMarkovChain]] = by_name(
    (
        figure_one.FAMILY,
        dining.FAMILY,
        survey.FAMILY,
        survey.DOUBLE_FAMILY,
        response.FAMILY,
        geometric.FAMILY,
        subsampling.FAMILY,
        random_chain.FAMILY,
        layered.FAMILY,
        traps.ERRATUM_FAMILY,
        traps.MONOTONE_FAMILY,
        traps.OUTSIDE_FAMILY,
    )
)


def make_family(name: str, values: Mapping[str, Value] | None = None) -> LabelledMarkovChain:
    """The chain of a family by name.

    Values are text, as typed, or numbers; what is not given is default.
    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return named_family(name, FAMILIES, "chains").make(**(values or {}))
