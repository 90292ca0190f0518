"""Chains, as one kind of model among others."""

from __future__ import annotations

from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.families import FAMILIES
from bdist.chains.formats import LMC, lmc
from bdist.theories import ModelKind


def _sizes(chain: LabelledMarkovChain) -> dict[str, int]:
    transitions = sum(map(len, chain.rows))
    return {"states": len(chain), "transitions": transitions, "labels": len(chain.states_by_label)}


KIND = ModelKind(
    name="chain",
    suffix=LMC.suffixes[0],
    type=LabelledMarkovChain,
    families=FAMILIES,
    write=lmc.write,
    fingerprint=fingerprint,
    sizes=_sizes,
    made=("states", "labels"),
)
