"""Files of Markov decision processes, and of models that may be chains as well, chosen by suffix.

`load_decision_process` and `save_decision_process` are for processes, `load_model` and `save_model` take what
there is. ``.mdp`` (`bdist.dpctl.text`) holds nothing but processes; Storm's explicit ``.drn`` files and PRISM
programs, which Storm builds, may hold a chain, and say so themselves.

**Their choices and our actions.** In models of PRISM and Storm a state has some choices, each perhaps with
the name of an action; which actions can be taken differs from state to state. Ours are *reactive*
(`bdist.dpctl.mdp`): a query can always be asked. What lies between is filled in by these rules:

* The actions are the names of choices that some state has, in the order in which they are met.
* A state without any choice, a deadlock, stays under every action, as PRISM and Storm have it, unless there
  is a sink, or deadlocks are refused.
* A state without a choice for some action goes to the *sink* under it, which whoever reads the file must
  name (``--sink NAME``, ``ReadOptions(sink=...)``). If there is no state of that name, and something goes
  there, it is added, the last one, with the label ``{}`` and for ever. Without a sink a missing action is an
  error that says where.
* A state with one choice in all, without a name, does the same under every action: nothing depends on the
  query there. Where this is so in all states of the model there is one action, called step.
* Any other choice without a name is an error, and so are two choices of one state for the same action, unless
  they are equal. (In PRISM: name the commands, and make their guards exclude each other. Two modules that
  move by themselves have choices without names, too.)

Decided against: a self-loop for a missing action, which is a model of its own like any other, and names such
as ``choice0`` by position, under which "the same query for both neighbours" means nothing.

**Names in .drn files.** A file of a process begins with ``@type: MDP`` and has, for each state,

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
one. Where a model was exported without labels, Storm writes the numbers of the choices in their place, which
are names like others here. A name ends at the first blank. So it is *spelled* with ``%20`` for a blank,
``%25`` for a percent sign, ``%`` for the empty name, and ``%5F_NOLABEL__`` for an action of that name. Any
other percent sign stands for itself. What is written has every action in every state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from bdist.chains import formats as chain_formats
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import (
    DRN,
    PRISM,
    ReadOptions,
    Writing,
    load,
    numbered_names_loss,
    numbered_states,
    save,
    store,
)
from bdist.chains.formats.drn import CHAIN, PROCESS, ExplicitModel, state_lines
from bdist.chains.formats.prism import Built, chain_from
from bdist.chains.formats.propositions import label_of, labels_of, note_deadlocks
from bdist.dpctl import text as mdp
from bdist.dpctl.mdp import MarkovDecisionProcess, Row, check_size, row_bits
from bdist.errors import (
    FormatError,
    InternalError,
    ModelError,
    ParameterError,
    UnsupportedError,
    parameter,
)
from bdist.exact.rationals import rational_text
from bdist.printing import beginning
from bdist.text.files import read_text
from bdist.text.scanner import Place

Model = LabelledMarkovChain | MarkovDecisionProcess
Kinds = tuple[str, ...]  # what may be in a file, as Storm calls it: CHAIN, PROCESS, or either

ANY: Kinds = (CHAIN, PROCESS)
ONLY_ACTION = "step"  # of a process in which no choice has a name


def _name_a_sink() -> str:
    ask = parameter("sink", "NAME", "'NAME'")
    return f"name a sink for missing actions, with {ask} (a new state, if there is none of that name)"


# --- choices as actions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    """A row, the name of its action or None, and the line where it stands."""

    action: str | None
    row: Row
    line: int = 0


def process_of(
    states: Sequence[str],
    labels: Sequence[str],
    choices: Sequence[Sequence[Choice]],
    options: ReadOptions,
    place: Place,
    lines: Sequence[int] = (),
    hint: str = "",
) -> MarkovDecisionProcess:
    """The process of these choices, by the rules above.

    ``lines`` are those of the states, if they have some; ``hint`` is said of rows that do not sum to 1.

    Raises: FormatError with the line where a choice has no name that it needs, or one that another has;
    ModelError, naming the state, where an action is missing and there is no sink, or a row is none.
    """
    sink = options.sink
    choices = _with_loops(states, choices, options, place)
    actions = tuple(dict.fromkeys(c.action for own in choices for c in own if c.action is not None))
    if not actions and all(len(own) == 1 for own in choices):
        actions = (ONLY_ACTION,)
    if not actions:
        place.refuse("no choice has a name, so that there are no actions; name them")
    found = [_by_action(state, own, place) for state, own in zip(states, choices, strict=True)]
    for state, own in zip(states, choices, strict=True):
        for choice in own:
            under = "" if choice.action is None else f" under action '{beginning(choice.action)}'"
            try:
                row_bits(choice.row, len(states), f"the row of state '{beginning(state)}'{under}", state)
            except ModelError as error:
                raise place.model_error(error, choice.line, hint) from None
    named, texts = list(states), list(labels)
    try:
        check_size(len(named), len(actions))
        short = [None not in by_action and len(by_action) < len(actions) for by_action in found]
        if any(short):
            at = short.index(True)
            if sink is None:
                raise _missing(states[at], actions, found[at])
            where = "a state of the model"
            if sink not in states:
                where = "a new state, which stays, with the label {}"
                named.append(sink)
                texts.append(label_of(()))
                found.append({})
            lacking = f"{sum(short)} of {len(states)} states go there under actions that they lack"
            options.note(place.source, f"the sink '{beginning(sink)}' is {where}; {lacking}")
        to_sink = () if sink is None or sink not in named else ((named.index(sink), Fraction(1)),)
        rows = []
        for by_action in found:
            other = by_action.get(None, to_sink)
            rows.append(tuple(by_action.get(action, other) for action in actions))
        return MarkovDecisionProcess(tuple(named), tuple(texts), actions, tuple(rows))
    except ModelError as error:
        line = lines[states.index(error.state)] if lines and error.state in states else 0
        raise place.model_error(error, line) from None


def _with_loops(
    states: Sequence[str], choices: Sequence[Sequence[Choice]], options: ReadOptions, place: Place
) -> Sequence[Sequence[Choice]]:
    """The choices, with a self-loop for states that have none, where nothing else is said of missing actions.

    Raises: ModelError where such states are refused.
    """
    ends = [state for state, own in zip(states, choices, strict=True) if not own]
    if not ends or options.sink is not None:
        return choices
    try:
        note_deadlocks(ends, options, place.source, "has no choice")
    except ModelError as error:
        raise place.model_error(error) from None
    return [own or [Choice(None, ((i, Fraction(1)),))] for i, own in enumerate(choices)]


def _by_action(state: str, choices: Sequence[Choice], place: Place) -> dict[str | None, Row]:
    """The rows of a state by action; that of the only choice, without a name, under None."""
    found: dict[str | None, Row] = {}
    for choice in choices:
        if choice.action is None and len(choices) > 1:
            what = f"state '{beginning(state)}' has {len(choices)} choices, of which one has no name"
            place.refuse(f"{what}; name its action, as in PRISM's [name] guard -> update", choice.line)
        if found.get(choice.action, choice.row) != choice.row:
            action = f"the action '{beginning(choice.action or '')}'"
            what = f"state '{beginning(state)}' has two choices for {action}"
            place.refuse(f"{what}; an action leads to one row", choice.line)
        found[choice.action] = choice.row
    return found


def _missing(state: str, actions: Sequence[str], own: Mapping[str | None, Row]) -> ModelError:
    first = next(action for action in actions if action not in own)
    why = "" if own else " (it has no choice at all, a deadlock)"
    what = f"state '{beginning(state)}' has no action '{beginning(first)}'{why}"
    return ModelError(f"{what}; every action must be there in every state: {_name_a_sink()}", state=state)


# --- .drn files -------------------------------------------------------------------------------------------

_UNNAMED = "__NOLABEL__"
_SPELLINGS = {"": "%", _UNNAMED: "%5F_NOLABEL__"}
_MEANINGS = {spelling: name for name, spelling in _SPELLINGS.items()}


def read_drn(text: str, source: str | Path, options: ReadOptions, kinds: Kinds = ANY) -> Model:
    """Parse ``.drn`` text of a chain or a process, if it may be one.

    Raises: FormatError with the line; ModelError naming the state; ParameterError for a sink of a chain.
    """
    model = ExplicitModel(text, source, kinds)
    model.repair(options)
    states = numbered_states(len(model.labels))
    if model.kind == CHAIN:
        _refuse_sink(source, options)
        return model.chain(states, options)
    labels = labels_of(model.labels, options, model.known_labels(), source)
    place, lines, hint = Place(source), model.line_of, model.rounding_hint()
    return process_of(states, labels, _choices_of(model), options, place, lines, hint)


def write_drn(process: MarkovDecisionProcess) -> Writing:
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


def spell_action(action: str) -> str:
    """An action as it is written in a file: not empty, without blanks."""
    body = action.replace("%", "%25").replace(" ", "%20")
    return _SPELLINGS.get(body, body)


def unspell_action(text: str) -> str:
    """The action that a name in a file means; inverse to `spell_action`."""
    return _MEANINGS.get(text, text.replace("%20", " ").replace("%25", "%"))


def _choices_of(model: ExplicitModel) -> list[list[Choice]]:
    rows = iter(model.sorted_rows())
    return [
        [Choice(None if name == _UNNAMED else unspell_action(name), next(rows), line) for name, line in own]
        for own in model.actions
    ]


def _refuse_sink(source: str | Path, options: ReadOptions) -> None:
    """Raises: ParameterError where a chain is read with a sink."""
    if options.sink is not None:
        raise ParameterError(f"{source}: a sink is for decision processes, and this is a chain")


# --- PRISM programs ---------------------------------------------------------------------------------------


def _read_prism(path: Path, options: ReadOptions, kinds: Kinds) -> Model:
    """Build a program's chain or process. Raises: as `read_drn`; BackendError."""
    built = Built(path, options, kinds)
    if built.model.kind == CHAIN:
        _refuse_sink(path, options)
        return chain_from(built, options)
    labels = labels_of(built.model.labels, options, built.known, built.place.source)
    ends = set(built.deadlocks)
    choices = [
        [] if state in ends else [replace(choice, line=0) for choice in own]  # the lines are those of Storm
        for state, own in zip(built.states, _choices_of(built.model), strict=True)
    ]
    return process_of(built.states, labels, choices, options, built.place)


# --- by suffix --------------------------------------------------------------------------------------------


_Reader = Callable[[Path, ReadOptions, Kinds], Model]

# by suffix what the format is called, the fields of ReadOptions that it understands, and its reader
_READERS: dict[str, tuple[str, frozenset[str], _Reader]] = {
    mdp.SUFFIX: (mdp.SUFFIX, frozenset(), lambda path, _options, _kinds: mdp.load_decision_process(path)),
    **dict.fromkeys(
        DRN.suffixes,
        (
            DRN.name,
            DRN.options | {"sink"},
            lambda path, options, kinds: read_drn(read_text(path), path, options, kinds),
        ),
    ),
    **dict.fromkeys(PRISM.suffixes, (PRISM.name, PRISM.options | {"sink"}, _read_prism)),
}
_WRITERS: dict[str, Callable[[MarkovDecisionProcess], Writing]] = {
    mdp.SUFFIX: lambda process: Writing({mdp.SUFFIX: mdp.write(process)}),
    **dict.fromkeys(DRN.suffixes, write_drn),
}


def load_decision_process(path: str | Path, options: ReadOptions | None = None) -> MarkovDecisionProcess:
    """Read a Markov decision process: ``.mdp``, ``.drn``, or a PRISM program. Raises: as `load`."""
    path = path if isinstance(path, Path) else Path(path)  # a path may know a name for messages
    if path.suffix.lower() not in _READERS:
        listed = ", ".join(sorted(_READERS))
        message = f"no reader of decision processes for the suffix '{path.suffix}'; known are {listed}"
        raise FormatError(message, source=path)
    found = _load(path, options, (PROCESS,))
    if not isinstance(found, MarkovDecisionProcess):
        raise InternalError(f"a reader of processes has read a {type(found).__name__}")
    return found


def load_model(path: str | Path, options: ReadOptions | None = None) -> Model:
    """Read a chain or a Markov decision process, whichever the file holds. Raises: as `load`."""
    path = path if isinstance(path, Path) else Path(path)  # a path may know a name for messages
    return _load(path, options, ANY) if path.suffix.lower() in _READERS else load(path, options)


def save_decision_process(process: MarkovDecisionProcess, path: str | Path) -> tuple[str, ...]:
    """Write a decision process as ``.mdp`` or ``.drn``. Ensures, Raises: as `save`."""
    path = Path(path)
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        message = f"{path}: no writer of decision processes for the suffix '{path.suffix}'"
        raise UnsupportedError(f"{message}; written are {', '.join(sorted(_WRITERS))}")
    return store(write(process), path)


def save_model(model: Model, path: str | Path) -> tuple[str, ...]:
    """Write a chain or a decision process. Ensures, Raises: as `save`."""
    if isinstance(model, MarkovDecisionProcess):
        return save_decision_process(model, path)
    if Path(path).suffix.lower() == mdp.SUFFIX:
        raise UnsupportedError(f"{path}: {mdp.SUFFIX} files hold decision processes, and this is a chain")
    return save(model, path)


def written_suffixes() -> tuple[str, ...]:
    """The suffixes of all formats in which a chain or a decision process is written, sorted."""
    return tuple(sorted({*chain_formats.written_suffixes(), *_WRITERS}))


def _load(path: Path, options: ReadOptions | None, kinds: Kinds) -> Model:
    """What a file holds. Raises: UnsupportedError for an option of other formats; as the reader."""
    options = ReadOptions() if options is None else options
    name, understood, read = _READERS[path.suffix.lower()]
    options.check(path, name, understood)
    return read(path, options, kinds)
