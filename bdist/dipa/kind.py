"""Automata, as one kind of model among others."""

from __future__ import annotations

from bdist.dipa import text
from bdist.dipa.automaton import Automaton, fingerprint
from bdist.dipa.families import AUTOMATA
from bdist.kinds import ModelKind


def _sizes(automaton: Automaton) -> dict[str, int]:
    return {"states": len(automaton.states), "transitions": len(automaton.transitions)}


KIND = ModelKind("automaton", text.SUFFIX, Automaton, AUTOMATA, text.write, fingerprint, _sizes)
