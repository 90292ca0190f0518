"""Families of programs: parametrised generators, ordered as a reader would meet them.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a `Family`
and name it here; everything else reads this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from bdist.dipc.families import count_programs, noisy_max_programs, response_programs, sparse_vector_programs
from bdist.dipc.program import Program
from bdist.family import Family, Value, by_name, named_family

PROGRAMS: Mapping[str, Family[Program]] = by_name(
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


def make_program(name: str, values: Mapping[str, Value] | None = None) -> Program:
    """The program of a family by name.

    Values are text, as typed, or numbers; what is not given is default.
    Raises: ParameterError where the family or a parameter is unknown, or a value is out of range.
    """
    return named_family(name, PROGRAMS, "programs").make(**(values or {}))
