"""Families of Markov decision processes: parametrised generators, ordered as a reader would meet them.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a `Family`
and name it here; everything else reads this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from bdist.dpctl.families import above_threshold_process, interactive_survey
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.family import Family, Value, by_name, named_family

DECISION_PROCESSES: Mapping[str, Family[MarkovDecisionProcess]] = by_name(
    (
        interactive_survey.FAMILY,
        above_threshold_process.FAMILY,
    )
)


def make_decision_process(name: str, values: Mapping[str, Value] | None = None) -> MarkovDecisionProcess:
    """The decision process of a family by name.

    Values are text, as typed, or numbers; what is not given is default.
    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return named_family(name, DECISION_PROCESSES, "Markov decision processes").make(**(values or {}))
