"""An independent checker of bdist's certificates: what one has to read, and trust, to believe a result.

A certificate says: in this model, the distance of these two states lies between these two rationals. It was
found with floating-point solvers, heuristics and thousands of lines of code. None of that has to be trusted,
because the certificate carries the reason, and this folder follows the reason in exact arithmetic. Whoever
doubts a result of bdist needs to trust Python's integers, its JSON parser and SHA-256, the argument in
section 4 of ``certificates/SPEC.md``, and the files here:

* ``core/``: the limits with the count of the work (``limits.py``), numbers as text and over one denominator
  (``numbers.py``), what the texts of all models have in common (``text.py``), the model of a chain
  (``chain.py``), and JSON that is read by the types of its records (``reading.py``);
* ``distances/``: certificates of bd and ld. ``document.py`` has the records, ``chain.py`` partitions and
  clocks, ``lower.py`` the lower bounds, and ``proof.py`` the upper ones and the order of the steps. It solves
  nothing and searches nothing;
* ``traces/``: certificates of whole privacy profiles, specified in ``traces/SPEC.md``. ``graph.py`` has the
  beliefs of an observer and the steps between them, ``weights.py`` and ``grid.py`` their weights, exact or
  rounded, ``types.py`` what is seen in the long run, and ``proof.py`` the two lists of atoms and the claim;
* ``dipa/``, ``dipc/``, ``pufferfish/``, ``dpctl/``: one folder a theory, with a reader of its model and a
  check of its certificates each; their specifications are ``SPEC.md`` in the folders of bdist of the same
  names. For programs the check computes every distribution itself, and for formulas it follows the
  elimination of the operators: there the second computation is the proof, and the code is as long as that
  takes.

The folder imports the standard library and itself, nothing of bdist, and nothing random or parallel. It can
be copied anywhere and run alone, without installed packages:

    python -I -S path/to/checker MODEL.lmc CERTIFICATE.json
    python -I -S path/to/checker MODEL.dipa CERTIFICATE.json
    python -I -S path/to/checker MODEL.hmm CERTIFICATE.json
    python -I -S path/to/checker MODEL.mdp CERTIFICATE.json
    python -I -S path/to/checker MODEL.dip CERTIFICATE.json

A certificate of an ``.lmc`` model says by its ``format`` whether it is about distances, about a profile or
about a formula. From Python, ``check``, ``check_profile``, ``check_formula``, ``check_enclosure``,
``check_automaton``, ``check_hidden_model``,
``check_decision_process`` and ``check_program`` do the same on two texts. No float
takes part.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .core import Malformed, Rejected, TooLarge
from .core.limits import CERTIFICATE_BYTES, MODEL_BYTES, Allowance
from .core.numbers import brief, rational_text
from .core.reading import format_of
from .core.text import BadModel, shown
from .files import Unreadable, read_file

if TYPE_CHECKING:
    from .dipa.proof import AUTOMATON_STEPS, AutomatonReport, check_automaton
    from .dipc.proof import PROGRAM_STEPS, ProgramReport, check_program
    from .distances.document import Claim
    from .distances.proof import STEPS, Report, check
    from .dpctl import is_enclosure_certificate, is_formula_certificate
    from .dpctl.chains import FORMULA_STEPS, FormulaReport, check_formula
    from .dpctl.enclosures import ENCLOSURE_STEPS, EnclosureReport, check_enclosure
    from .dpctl.processes import (
        DECISION_STEPS,
        DecisionReport,
        ProvedExtremes,
        ProvedQueries,
        check_decision_process,
    )
    from .pufferfish.proof import (
        HIDDEN_MODEL_STEPS,
        HiddenModelReport,
        ProvedGrowth,
        ProvedWord,
        check_hidden_model,
    )
    from .traces.proof import PROFILE_STEPS, ProfileReport, check_profile

__all__ = [
    "AUTOMATON_STEPS",
    "CERTIFICATE_BYTES",
    "DECISION_STEPS",
    "ENCLOSURE_STEPS",
    "FORMULA_STEPS",
    "HIDDEN_MODEL_STEPS",
    "MODEL_BYTES",
    "PROFILE_STEPS",
    "PROGRAM_STEPS",
    "STEPS",
    "Allowance",
    "AutomatonReport",
    "BadModel",
    "Claim",
    "DecisionReport",
    "EnclosureReport",
    "FormulaReport",
    "HiddenModelReport",
    "Malformed",
    "ProfileReport",
    "ProgramReport",
    "ProvedExtremes",
    "ProvedGrowth",
    "ProvedQueries",
    "ProvedWord",
    "Rejected",
    "Report",
    "TooLarge",
    "Unreadable",
    "brief",
    "check",
    "check_automaton",
    "check_decision_process",
    "check_enclosure",
    "check_formula",
    "check_hidden_model",
    "check_profile",
    "check_program",
    "format_of",
    "is_enclosure_certificate",
    "is_formula_certificate",
    "rational_text",
    "read_file",
    "shown",
]

_HOMES = {
    "dipa.proof": ("AUTOMATON_STEPS", "AutomatonReport", "check_automaton"),
    "dipc.proof": ("PROGRAM_STEPS", "ProgramReport", "check_program"),
    "distances.document": ("Claim",),
    "distances.proof": ("STEPS", "Report", "check"),
    "dpctl": ("is_enclosure_certificate", "is_formula_certificate"),
    "dpctl.chains": ("FORMULA_STEPS", "FormulaReport", "check_formula"),
    "dpctl.enclosures": ("ENCLOSURE_STEPS", "EnclosureReport", "check_enclosure"),
    "dpctl.processes": (
        *("DECISION_STEPS", "DecisionReport", "ProvedExtremes", "ProvedQueries", "check_decision_process"),
    ),
    "pufferfish.proof": (
        *("HIDDEN_MODEL_STEPS", "HiddenModelReport", "ProvedGrowth", "ProvedWord", "check_hidden_model"),
    ),
    "traces.proof": ("PROFILE_STEPS", "ProfileReport", "check_profile"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a check of one theory loads none of the others

    def __getattr__(name: str) -> object:
        """Load the check of a theory when it is first used."""
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"the checker has no '{name}'")
        value: object = getattr(import_module(f".{home}", __name__), name)
        globals()[name] = value
        return value
