"""Families: parametrised generators of models, one module each or a few together, and their registries.

A family is what a paper's example becomes when its numbers are made parameters. There are five kinds, with
the same parameters and the same ``make``: families of labelled Markov chains, in ``FAMILIES``, of
differentially private automata, in ``AUTOMATA``, of hidden Markov models, in ``HIDDEN_MODELS``, of Markov
decision processes, in ``DECISION_PROCESSES``, and of probabilistic programs, in ``PROGRAMS``. No name is in
two of them. The registries are ordered as a reader would meet them: the papers' own examples, mechanisms
everybody knows, random members, and the traps. To add one, write its module with a ``Family`` in it and name
it here; everything else reads the registries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bdist.errors import ParameterError
from bdist.families import (
    above_threshold,
    above_threshold_process,
    count_programs,
    dining,
    figure_one,
    geometric,
    hidden_geometric,
    interactive_survey,
    ladder,
    layered,
    leaking,
    noisy_max,
    noisy_max_programs,
    random_automaton,
    random_chain,
    random_hidden,
    response,
    response_programs,
    sparse_vector,
    sparse_vector_programs,
    subsampling,
    survey,
    traps,
)
from bdist.families.parameters import Family, Made, Parameter, Value, suggestion
from bdist.models.automaton import Automaton
from bdist.models.chain import LabelledMarkovChain
from bdist.models.hmm import HiddenMarkovModel
from bdist.models.mdp import MarkovDecisionProcess
from bdist.models.program import Program

__all__ = [
    "AUTOMATA",
    "DECISION_PROCESSES",
    "FAMILIES",
    "HIDDEN_MODELS",
    "PROGRAMS",
    "Family",
    "Parameter",
    "Value",
    "make_automaton",
    "make_decision_process",
    "make_family",
    "make_hidden_model",
    "make_program",
]


def _by_name(families: Iterable[Family[Made]]) -> Mapping[str, Family[Made]]:
    return MappingProxyType({family.name: family for family in families})


FAMILIES: Mapping[str, Family[LabelledMarkovChain]] = _by_name(
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

HIDDEN_MODELS: Mapping[str, Family[HiddenMarkovModel]] = _by_name(
    (
        hidden_geometric.FAMILY,
        noisy_max.FAMILY,
        above_threshold.FAMILY,
        random_hidden.FAMILY,
    )
)

DECISION_PROCESSES: Mapping[str, Family[MarkovDecisionProcess]] = _by_name(
    (
        interactive_survey.FAMILY,
        above_threshold_process.FAMILY,
    )
)

PROGRAMS: Mapping[str, Family[Program]] = _by_name(
    (
        sparse_vector_programs.SVT_FAMILY,
        sparse_vector_programs.SVT2_FAMILY,
        sparse_vector_programs.SVT3_FAMILY,
        sparse_vector_programs.SVT4_FAMILY,
        sparse_vector_programs.SVT5_FAMILY,
        sparse_vector_programs.SVT6_FAMILY,
        sparse_vector_programs.DISCRETE_FAMILY,
        noisy_max_programs.NMAX1_FAMILY,
        noisy_max_programs.NMAX2_FAMILY,
        noisy_max_programs.NMAX3_FAMILY,
        noisy_max_programs.NMAX4_FAMILY,
        response_programs.RAND1_FAMILY,
        response_programs.RAND2_FAMILY,
        response_programs.LEAKY_FAMILY,
        count_programs.HISTOGRAM_FAMILY,
        count_programs.SUM_FAMILY,
        count_programs.DISCRETE_FAMILY,
        count_programs.GEOMETRIC_FAMILY,
        count_programs.EXPONENTIAL_FAMILY,
    )
)

_KINDS: tuple[tuple[str, Mapping[str, Family[object]]], ...] = (
    ("chains", FAMILIES),
    ("automata", AUTOMATA),
    ("hidden Markov models", HIDDEN_MODELS),
    ("Markov decision processes", DECISION_PROCESSES),
    ("programs", PROGRAMS),
)


def make_family(name: str, values: Mapping[str, Value] | None = None) -> LabelledMarkovChain:
    """The chain of a family by name; values are text, as typed, or numbers, and what is not given is default.

    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return _family(name, FAMILIES, "chains").make(**(values or {}))


def make_automaton(name: str, values: Mapping[str, Value] | None = None) -> Automaton:
    """The automaton of a family by name; values are as for `make_family`.

    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return _family(name, AUTOMATA, "automata").make(**(values or {}))


def make_hidden_model(name: str, values: Mapping[str, Value] | None = None) -> HiddenMarkovModel:
    """The hidden Markov model of a family by name; values are as for `make_family`.

    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return _family(name, HIDDEN_MODELS, "hidden Markov models").make(**(values or {}))


def make_decision_process(name: str, values: Mapping[str, Value] | None = None) -> MarkovDecisionProcess:
    """The Markov decision process of a family by name; values are as for `make_family`.

    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return _family(name, DECISION_PROCESSES, "Markov decision processes").make(**(values or {}))


def make_program(name: str, values: Mapping[str, Value] | None = None) -> Program:
    """The program of a family by name; values are as for `make_family`.

    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return _family(name, PROGRAMS, "programs").make(**(values or {}))


def _family(name: str, families: Mapping[str, Family[Made]], wanted: str) -> Family[Made]:
    found = families.get(name)
    if found is not None:
        return found
    for kind, others in _KINDS:
        if name in others:
            raise ParameterError(f"{name} is a family of {kind}, not of {wanted}")
    known = [known for _, others in _KINDS for known in others]
    raise ParameterError(f"there is no family '{name}'; {suggestion(name, known)}")
