"""The choices of a decision process of PRISM or Storm, as rows of ours: every action in every state.

In their models a state has some choices, each perhaps with the name of an action; which actions can be taken
differs from state to state. Ours are *reactive* (`bdist.dpctl.mdp`): an action is a query, and a query can
always be asked. What lies between is filled in by these rules and no others:

* The actions are the names of choices that some state has, in the order in which they are met. A PRISM
  program may have further actions, that no state it can reach enables; they are not there.
* A state without a choice for some action goes to the *sink* under it, which whoever reads the file must
  name (``--sink NAME``, ``ReadOptions(sink=...)``). If there is no state of that name, and something goes
  there, it is added, the last one, with the label ``{}`` and for ever; if there is one, it is that one, and
  stays what it is. Without a sink a missing action is an error that says where.
* A state with one choice in all, without a name, does the same under every action: ``[] x=1 -> true;`` says
  that there is nothing to choose, and nothing depends on the query there.
* Any other choice without a name is an error, and so are two choices of one state for the same action: who
  would decide between them? (In PRISM: name the commands, and make their guards exclude each other. Two
  modules that move by themselves have choices without names, too.)

Decided against: a self-loop for a missing action, which is a model of its own like any other, and names such
as ``choice0`` by position, under which "the same query for both neighbours" means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bdist.chains.formats.propositions import label_of
from bdist.dpctl.mdp import MarkovDecisionProcess, Row, check_size, checked_row
from bdist.errors import ModelError
from bdist.text.scanner import Place, shortened

NAME_A_SINK = "name a sink for missing actions, with --sink NAME (a new state, if there is none of that name)"


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
    sink: str | None,
    place: Place,
    lines: Sequence[int] = (),
    hint: str = "",
) -> MarkovDecisionProcess:
    """The process of these choices, by the rules above.

    ``lines`` are those of the states, if they have some; ``hint`` is said of rows that do not sum to 1.

    Raises: FormatError with the line where a choice has no name that it needs, or one that another has;
    ModelError, naming the state, where an action is missing and there is no sink, or a row is none.
    """
    actions = tuple(dict.fromkeys(c.action for own in choices for c in own if c.action is not None))
    if not actions:
        place.refuse("no choice has a name, so that there are no actions; name them, or make it a chain")
    found = [_by_action(state, own, place) for state, own in zip(states, choices, strict=True)]
    for state, own in zip(states, choices, strict=True):
        for choice in own:
            _check_row(state, choice, len(states), place, hint)
    named, texts = list(states), list(labels)
    try:
        check_size(len(named), len(actions))
        short = [None not in by_action and len(by_action) < len(actions) for by_action in found]
        if any(short):
            at = short.index(True)
            if sink is None:
                raise _missing(states[at], actions, found[at])
            if sink not in states:
                named.append(sink)
                texts.append(label_of(()))
                found.append({})
        to_sink = () if sink is None or sink not in named else ((named.index(sink), Fraction(1)),)
        rows = []
        for by_action in found:
            other = by_action.get(None, to_sink)
            rows.append(tuple(by_action.get(action, other) for action in actions))
        return MarkovDecisionProcess(tuple(named), tuple(texts), actions, tuple(rows))
    except ModelError as error:
        line = lines[states.index(error.state)] if lines and error.state in states else 0
        raise place.model_error(error, line) from None


def _by_action(state: str, choices: Sequence[Choice], place: Place) -> dict[str | None, Row]:
    """The rows of a state by action; that of the only choice, without a name, under None."""
    found: dict[str | None, Row] = {}
    for choice in choices:
        if choice.action is None and len(choices) > 1:
            what = f"state '{shortened(state)}' has {len(choices)} choices, of which one has no name"
            place.refuse(f"{what}; name its action, as in PRISM's [name] guard -> update", choice.line)
        if choice.action in found:
            action = f"the action '{shortened(choice.action or '')}'"
            what = f"state '{shortened(state)}' has two choices for {action}"
            place.refuse(f"{what}; an action leads to one row", choice.line)
        found[choice.action] = choice.row
    return found


def _missing(state: str, actions: Sequence[str], own: Mapping[str | None, Row]) -> ModelError:
    first = next(action for action in actions if action not in own)
    why = "" if own else " (it has no choice at all, a deadlock)"
    what = f"state '{shortened(state)}' has no action '{shortened(first)}'{why}"
    return ModelError(f"{what}; every action must be there in every state: {NAME_A_SINK}", state=state)


def _check_row(state: str, choice: Choice, states: int, place: Place, hint: str) -> None:
    found = checked_row(choice.row, states)
    if isinstance(found, str):
        under = "" if choice.action is None else f" under action '{shortened(choice.action)}'"
        error = ModelError(f"the row of state '{shortened(state)}'{under} {found}", state=state)
        raise place.model_error(error, choice.line, hint)
