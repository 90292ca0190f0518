"""Hidden Markov models, as one kind of model among others."""

from __future__ import annotations

from bdist.kinds import ModelKind
from bdist.pufferfish import text
from bdist.pufferfish.families import HIDDEN_MODELS
from bdist.pufferfish.model import HiddenMarkovModel, fingerprint


def _sizes(model: HiddenMarkovModel) -> dict[str, int]:
    return {"states": len(model.states), "observations": len(model.observations)}


KIND = ModelKind(
    "hidden Markov model", text.SUFFIX, HiddenMarkovModel, HIDDEN_MODELS, text.write, fingerprint, _sizes
)
