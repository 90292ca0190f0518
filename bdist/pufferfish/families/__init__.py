"""Families of hidden Markov models: parametrised generators, ordered as a reader would meet them.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a `Family`
and name it here; everything else reads this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from bdist.family import Family, Value, by_name, named_family
from bdist.pufferfish.families import above_threshold, hidden_geometric, noisy_max, random_hidden
from bdist.pufferfish.model import HiddenMarkovModel

HIDDEN_MODELS: Mapping[str, Family[HiddenMarkovModel]] = by_name(
    (
        hidden_geometric.FAMILY,
        noisy_max.FAMILY,
        above_threshold.FAMILY,
        random_hidden.FAMILY,
    )
)


def make_hidden_model(name: str, values: Mapping[str, Value] | None = None) -> HiddenMarkovModel:
    """The hidden Markov model of a family by name.

    Values are text, as typed, or numbers; what is not given is default.
    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return named_family(name, HIDDEN_MODELS, "hidden Markov models").make(**(values or {}))
