"""How large a chain or a decision process is, in the words of ``bdist validate`` and ``bdist convert``."""

from __future__ import annotations

from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.mdp import fingerprint as process_fingerprint


def sizes_of(model: LabelledMarkovChain | MarkovDecisionProcess) -> dict[str, int]:
    """The numbers by what they count; the transitions of a process are those of all its actions."""
    if isinstance(model, MarkovDecisionProcess):
        return {
            "states": len(model.states),
            "actions": len(model.actions),
            "transitions": sum(len(row) for rows in model.rows for row in rows),
            "labels": len(set(model.labels)),
        }
    transitions = sum(map(len, model.rows))
    return {"states": len(model), "transitions": transitions, "labels": len(model.states_by_label)}


def listed(model: LabelledMarkovChain | MarkovDecisionProcess) -> str:
    """The numbers in one line."""
    return ", ".join(f"{count} {what}" for what, count in sizes_of(model).items())


def fingerprint_of(model: LabelledMarkovChain | MarkovDecisionProcess) -> str:
    """What a certificate calls the model."""
    return process_fingerprint(model) if isinstance(model, MarkovDecisionProcess) else fingerprint(model)
