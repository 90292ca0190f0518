"""Storm's explicit files of Markov decision processes: ``.drn`` with ``@type: MDP``.

    @type: MDP
    @parameters

    @reward_models

    @nr_states
    2
    @nr_choices
    3
    @model
    state 0 init asked
        action low [0]
                0 : 1/4
                1 : 3/4
        action high
                1 : 1
    state 1 answered
        action __NOLABEL__
                1 : 1

The names of the actions are what Storm calls choice labels, ``__NOLABEL__`` is its word for a choice without
one, and `choices` says what becomes of both. Where a model was exported without labels, Storm writes the
numbers of the choices in their place; these are names like others here, so that a state with fewer choices
than another one lacks the last of them.

In these files a name ends at the first blank. So it is *spelled* with ``%20`` for a blank, ``%25`` for a
percent sign, ``%`` for the empty name, and ``%5F_NOLABEL__`` for an action that has the bad luck to be called
so. Any other percent sign stands for itself. What is written has every action in every state.
"""

from __future__ import annotations

from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, Writing, numbered_names_loss, numbered_states
from bdist.chains.formats.drn import CHAIN, PROCESS, ExplicitModel, state_lines
from bdist.chains.formats.propositions import labels_of
from bdist.dpctl.choices import Choice, process_of
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.errors import ParameterError
from bdist.exact.reading import rational_text
from bdist.text.places import Place

OPTIONS = frozenset({"labels", "sink"})

_UNNAMED = "__NOLABEL__"
_SPELLINGS = {"": "%", _UNNAMED: "%5F_NOLABEL__"}
_MEANINGS = {spelling: name for name, spelling in _SPELLINGS.items()}


def read_process(text: str, source: str | Path, options: ReadOptions) -> MarkovDecisionProcess:
    """Parse ``.drn`` text of a process. Raises: FormatError with the line; ModelError naming the state."""
    return _process(ExplicitModel(text, source, (PROCESS,)), source, options)


def read_model(
    text: str, source: str | Path, options: ReadOptions
) -> LabelledMarkovChain | MarkovDecisionProcess:
    """Parse ``.drn`` text of a chain or a process. Raises: as `read_process`; ParameterError for a sink of a
    chain.
    """
    model = ExplicitModel(text, source, (CHAIN, PROCESS))
    if model.kind == PROCESS:
        return _process(model, source, options)
    refuse_sink(source, options)
    return model.chain(numbered_states(len(model.labels)), options)


def write_process(process: MarkovDecisionProcess) -> Writing:
    """The process as ``.drn`` text; the first state is Storm's initial state."""
    count = len(process.states)
    lines = ["@type: MDP", "@parameters", "", "@reward_models", ""]
    lines += ["@nr_states", f"{count}", "@nr_choices", f"{count * len(process.actions)}", "@model"]
    actions = [f"\taction {spell_action(action)}" for action in process.actions]
    for state, rows in zip(state_lines(process.labels), process.rows, strict=True):
        lines.append(state)
        for action, row in zip(actions, rows, strict=True):
            lines.append(action)
            lines += [f"\t\t{j} : {rational_text(p)}" for j, p in row]
    return Writing({".drn": "\n".join(lines) + "\n"}, numbered_names_loss(process, "process"))


def choices_of(model: ExplicitModel) -> list[list[Choice]]:
    """The choices of each state of an explicit process."""
    rows = iter(model.sorted_rows())
    return [
        [Choice(None if name == _UNNAMED else unspell_action(name), next(rows), line) for name, line in own]
        for own in model.actions
    ]


def refuse_sink(source: str | Path, options: ReadOptions) -> None:
    """Raises: ParameterError where a chain is read with a sink."""
    if options.sink is not None:
        raise ParameterError(f"{source}: a sink is for decision processes, and this is a chain")


def spell_action(action: str) -> str:
    """An action as it is written in a file: not empty, without blanks."""
    body = action.replace("%", "%25").replace(" ", "%20")
    return _SPELLINGS.get(body, body)


def unspell_action(text: str) -> str:
    """The action that a name in a file means; inverse to `spell_action`."""
    return _MEANINGS.get(text, text.replace("%20", " ").replace("%25", "%"))


def _process(model: ExplicitModel, source: str | Path, options: ReadOptions) -> MarkovDecisionProcess:
    states = numbered_states(len(model.labels))
    labels = labels_of(model.labels, options, model.known_labels(), source)
    place = Place(source)
    return process_of(
        states, labels, choices_of(model), options.sink, place, model.line_of, model.rounding_hint()
    )
