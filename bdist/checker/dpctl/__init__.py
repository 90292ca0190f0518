"""Formulas of dpCTL* on chains and on Markov decision processes: ``SPEC.md`` in bdist's folder of this name.

* ``chains.py`` checks a certificate about a chain, ``enclosures.py`` one about all chains between two, and
  ``processes.py`` one about a decision process;
* ``formulas.py`` has the formulas, their reading from JSON, and what is known of them from what is known of
  their ``P`` and ``D``; ``powers.py`` decides p <= e^eps q + d, the one comparison with a number that is not
  rational;
* ``elimination.py`` takes the temporal operators out of a path formula on a chain;
* ``mdp.py`` reads a decision process, ``process.py`` has it by numbers, with the values of an ``until``;
  ``bounded.py`` has what can be won with a bounded formula, and the trees of queries, ``general.py`` from
  where a formula with several untils can be won.
"""

from __future__ import annotations

from ..core.reading import format_of

FORMULA_FORMAT = "bdist-dpctl-certificate"
ENCLOSURE_FORMAT = "bdist-dpctl-enclosure-certificate"


def is_formula_certificate(text: str) -> bool:
    """Whether the text of a certificate says, by its ``format``, that it is about a formula on chains."""
    return format_of(text) in (FORMULA_FORMAT, ENCLOSURE_FORMAT)


def is_enclosure_certificate(text: str) -> bool:
    """Whether it is about a formula on all chains between two."""
    return format_of(text) == ENCLOSURE_FORMAT
