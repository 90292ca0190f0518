"""Markov decision processes from programs in the PRISM language, which Storm builds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import PRISM, ReadOptions
from bdist.chains.formats.drn import CHAIN, PROCESS
from bdist.chains.formats.prism import Built, chain_from
from bdist.chains.formats.propositions import labels_of
from bdist.dpctl.choices import process_of
from bdist.dpctl.drn_files import choices_of, refuse_sink
from bdist.dpctl.mdp import MarkovDecisionProcess

OPTIONS = PRISM.options | {"sink"}


def read_process(path: Path, options: ReadOptions) -> MarkovDecisionProcess:
    """Build a program's decision process. Raises: FormatError, ModelError, ParameterError, BackendError."""
    return _process(Built(path, options, (PROCESS,)), options)


def read_model(path: Path, options: ReadOptions) -> LabelledMarkovChain | MarkovDecisionProcess:
    """Build a program's chain or process. Raises: as `read_process`; ParameterError for a sink of a chain."""
    built = Built(path, options, (CHAIN, PROCESS))
    if built.model.kind == PROCESS:
        return _process(built, options)
    refuse_sink(path, options)
    return chain_from(built, options)


def _process(built: Built, options: ReadOptions) -> MarkovDecisionProcess:
    built.require_labels()
    labels = labels_of(built.model.labels, options, built.known, built.place.source)
    choices = [
        [] if is_deadlock else [replace(choice, line=0) for choice in own]  # the lines are those of Storm
        for own, is_deadlock in zip(choices_of(built.model), built.deadlocks, strict=True)
    ]
    return process_of(built.states, labels, choices, options.sink, built.place)
