"""Programs in the PRISM language, and models in JANI, built by Storm.

    dtmc
    const int N;
    module walk
      x : [0..N] init 0;
      [] x<N -> 1/3 : (x'=x+1) + 2/3 : (x'=0);
      [] x=N -> true;
    endmodule
    label "done" = x=N;

Storm (the Python package stormpy, the extra ``storm``) parses and explores the program in exact rational
arithmetic. A constant that the program leaves undefined is given with the option ``constants``, and labels
that it does not have with ``formulas``. States are named by the values of their variables, such as
``b=true,x=0``; only states that can be reached from the initial ones exist. Where several commands of one
module are enabled, each is as likely as the others, as the language has it for DTMCs. In a Markov decision
process (``mdp``) they are choices; `choices` says what becomes of a state that lacks one.

Labels also come from a file of properties (`labels_in`), which is where the case studies of PRISM have them:

    label "safe" = x<N;                  the label safe, as it says
    "late": P=? [ F x=N & retries>2 ]    a property that reaches for states: they get the label late

JANI is the exchange format of several tools, a program as well, as JSON; its labels are the variables that
are transient and boolean. Constants and names are as above; it takes no further labels.

Initial states may be many (``init ... endinit``). A state without a command, a deadlock, stays, with a note
that says so, unless such states are refused. What Storm would pass over in silence is refused: a variable
that leaves its range, and a command whose probabilities do not sum to 1.

Storm runs in a process of its own (`answer`): it prints as it likes, and some programs end it. The model
comes back as ``.drn``, which our own reader reads.

    {"program": text, "constants": {name: value}, "formulas": {name: expression},
     "listed": {name: expression, where the program has no such label}, "kinds": ["DTMC", "MDP"],
     "language": "PRISM" or "JANI"}
    {"drn": text, "names": [...], "labels": [...]}, or one of
    {"kind": the type of a program that is none of these}, {"refusal": text}, {"error": Storm's message}
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import JANI, ReadOptions, numbered_states
from bdist.chains.formats.drn import CHAIN, PROCESS, ExplicitModel
from bdist.chains.formats.propositions import DEADLOCK, IGNORED, chain_of, note_deadlocks
from bdist.errors import BackendError, FormatError, ModelError, ParameterError, by_caller
from bdist.exact.rationals import parse_rational, rational_text
from bdist.printing import beginning, one_line
from bdist.text.files import read_text
from bdist.text.scanner import Place

_CONSTANTS_SHOWN = 8
_UNSET = "constants without a value: "


class _Refusal(Exception):
    """A constant or label that was asked for and cannot be."""


class _OtherKind(Exception):
    """The program is of no type that was asked for."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The reply to a request."""
    from stormpy.exceptions import StormError

    try:
        return build(request)
    except _Refusal as refusal:
        return {"refusal": str(refusal)}
    except _OtherKind as kind:
        return {"kind": str(kind)}
    except StormError as error:
        return {"error": error.message}
    except (RuntimeError, TypeError, ValueError) as error:  # what the bindings make of Storm's exceptions
        return {"error": str(error)}


def build(request: dict[str, Any]) -> dict[str, Any]:
    """Parse, instantiate and explore the program of a request."""
    import stormpy

    with tempfile.TemporaryDirectory(prefix="bdist-storm-") as folder:
        if request["language"] == JANI.name:
            program = _jani_model(stormpy, Path(folder) / "model.jani", request)
        else:
            program = _program(stormpy, Path(folder) / "program.prism", request)
        options = stormpy.BuilderOptions()
        options.set_build_state_valuations()
        options.set_build_all_labels()
        options.set_exploration_checks()
        if program.model_type.name == "MDP":
            options.set_build_choice_labels()
        model = stormpy.build_model[stormpy.Rational](program, options=options)
        target = Path(folder) / "model.drn"
        stormpy.io.export_to_drn(model, target)
        text = target.read_text(encoding="utf-8")
    labels = sorted(model.labeling.get_labels())
    # in JANI labels are variables, too, and so are places
    hidden = [*labels, "_loc_"] if request["language"] == JANI.name else []
    return {"drn": text, "names": valuation_names(model.state_valuations, hidden), "labels": labels}


def _program(stormpy: Any, path: Path, request: dict[str, Any]) -> Any:
    path.write_text(request["program"], encoding="utf-8")
    program = stormpy.parse_prism_program(path, simplify=False)
    if program.model_type.name not in request["kinds"]:
        raise _OtherKind(program.model_type.name)
    if request["formulas"] or request["listed"]:
        there = {label.name for label in program.labels}
        for name in request["formulas"]:
            if name in there:
                raise _Refusal(f"the program has a label '{name}' already")
        listed = {name: text for name, text in request["listed"].items() if name not in there}
        formulas = {**listed, **request["formulas"]}
        added = "".join(f'label "{name}" = {text};\n' for name, text in formulas.items())
        path.write_text(f"{request['program']}\n{added}", encoding="utf-8")
        program = stormpy.parse_prism_program(path, simplify=False)
    return _instantiated(stormpy, program, request["constants"])


def _instantiated(stormpy: Any, program: Any, given: dict[str, str]) -> Any:
    undefined = {constant.name: constant for constant in program.constants if not constant.defined}
    listed = ", ".join(sorted(undefined)[:_CONSTANTS_SHOWN]) or "none"
    for name in given:
        if name not in undefined:
            raise _Refusal(f"there is no undefined constant '{name}'; the program has {listed}")
    missing = sorted(undefined.keys() - given.keys())
    if missing:
        raise _Refusal(f"{_UNSET}{', '.join(missing[:_CONSTANTS_SHOWN])}")
    values = {name: _value(stormpy, undefined[name], text) for name, text in given.items()}
    return stormpy.instantiate_constants(program, values)[0] if values else program


def _jani_model(stormpy: Any, path: Path, request: dict[str, Any]) -> Any:
    path.write_text(request["program"], encoding="utf-8")
    model, _ = stormpy.parse_jani_model(str(path))
    if model.model_type.name not in request["kinds"]:
        raise _OtherKind(model.model_type.name)
    return _instantiated(stormpy, model, request["constants"])


def _value(stormpy: Any, constant: Any, text: str) -> Any:
    if constant.type.is_boolean:
        if text not in ("true", "false"):
            raise _Refusal(f"constant {constant.name} is {text}; it must be true or false")
        return text == "true"
    if text in ("true", "false"):
        raise _Refusal(f"constant {constant.name} is {text}; it must be a number")
    if constant.type.is_integer:
        if "/" in text:
            raise _Refusal(f"constant {constant.name} is {text}; it must be an integer")
        return int(text)
    return stormpy.Rational(text)


def valuation_names(valuations: Any, hidden: Sequence[str] = ()) -> list[str]:
    """States by the values of their variables, or none where there are no variables.

    Variables that begin like one of the ``hidden`` are left out, unless states have one name then.
    """
    columns, shown = [], []
    for variable in valuations.get_all_variables():
        values = valuations.get_values_states(variable)
        columns.append([f"{variable.name}={str(value).lower()}" for value in values])
        if not variable.name.startswith(tuple(hidden)):
            shown.append(columns[-1])
    names, short = ([",".join(row) for row in zip(*each, strict=True)] for each in (columns, shown))
    return short if len(set(short)) == len(names) else names


MISSING = "PRISM programs are read through Storm; install it with: pip install 'bdist[storm]'"

_LONGEST_COMPLAINT = 300
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PARSE_ERROR = re.compile(r"Parsing error at ([0-9]+):([0-9]+): *(.*?), here:", re.DOTALL)


def load(path: Path, options: ReadOptions) -> LabelledMarkovChain:
    """Build a program's chain. Raises: FormatError, ModelError, ParameterError, BackendError."""
    return chain_from(Built(path, options, (CHAIN,)), options)


class Built:
    """What Storm has made of a program of one of some kinds."""

    def __init__(self, path: Path, options: ReadOptions, kinds: Sequence[str]) -> None:
        constants = {name: _constant(name, value) for name, value in options.constants.items()}
        found = {} if options.properties is None else labels_in(options.properties, options)
        for name, expression in options.formulas.items():
            _check_formula(name, expression)
        text = read_text(path)
        if find_spec("stormpy") is None:
            raise BackendError(MISSING)
        wanted = [kind.upper() for kind in kinds]
        request = {
            "program": text,
            "constants": constants,
            "formulas": dict(options.formulas),
            "listed": found,
            "language": JANI.name if path.suffix.lower() in JANI.suffixes else "PRISM",
        }
        reply = _build({**request, "kinds": wanted}, path, Budget.for_answer(options.time_limit))
        self.place = Place(path)
        if "refusal" in reply:
            ask = by_caller("--const N=5,p=1/2", 'ReadOptions(constants={"N": "5", "p": "1/2"})')
            hint = f" ({ask})" if reply["refusal"].startswith(_UNSET) else ""
            raise ParameterError(f"{path}: {reply['refusal']}{hint}")
        if "kind" in reply:
            if reply["kind"].lower() == PROCESS:
                self.place.refuse_process()
            listed = " or ".join(wanted)
            self.place.refuse(f"this is a program of type {reply['kind']}; only {listed} is read")
        if "error" in reply:
            raise _error(str(reply["error"]), path, text.count("\n") + 1)
        self.model = ExplicitModel(reply["drn"], path, kinds)
        labels = self.model.labels
        self.states = tuple(reply["names"]) if reply["names"] else numbered_states(len(labels))
        # Storm has given them a self-loop
        self.deadlocks = [x for x, names in zip(self.states, labels, strict=True) if DEADLOCK in names]
        self.known = set(reply["labels"]) - (set() if self.deadlocks else {DEADLOCK})


def chain_from(built: Built, options: ReadOptions) -> LabelledMarkovChain:
    """The chain that was built. Raises: ModelError, FormatError, ParameterError."""
    rows, labels = built.model.sorted_rows(), built.model.labels
    try:
        if built.deadlocks:
            note_deadlocks(built.deadlocks, options, built.place.source, "has no enabled command")
        return chain_of(rows, labels, built.states, options, built.known, built.place.source)
    except ModelError as error:
        raise built.place.model_error(error) from None


_COMMENT = re.compile(r"//[^\n]*")
_LABEL = re.compile(r'\blabel\s+"([A-Za-z_]\w*)"\s*=\s*([^;"]+);')
_GOAL = re.compile(r'"([A-Za-z_]\w*)"\s*:\s*P[^\[\]"]*\[\s*F\s+([^\[\]"]+)\]')
_TEMPORAL = re.compile(r"\b[FGXUWRPSEA]\b")


def labels_in(path: Path, options: ReadOptions) -> dict[str, str]:
    """The labels that a file of PRISM properties defines, {name: expression}.

    Raises: FormatError where it cannot be read; ParameterError for an expression that is none.
    """
    text = _COMMENT.sub("", read_text(path))
    found = {name: " ".join(expression.split()) for name, expression in _LABEL.findall(text)}
    for name, expression in _GOAL.findall(text):
        if not _TEMPORAL.search(expression):
            found.setdefault(name, " ".join(expression.split()))
    for name, expression in found.items():
        _check_formula(name, expression)
    if not found:
        options.note(path, 'it defines no label, and no property in it has the form "name": P=? [ F x=1 ]')
    return found


def _constant(name: str, value: str) -> str:
    """A constant's value as Storm is given it: true, false, or an exact number."""
    if not _IDENTIFIER.fullmatch(name):
        raise ParameterError(f"constant '{beginning(name)}' is not an identifier")
    text = value.strip()
    if text in ("true", "false"):
        return text
    try:
        return rational_text(parse_rational(text))
    except ParameterError as error:
        raise ParameterError(f"constant {name}: {error}") from None


def _check_formula(name: str, expression: str) -> None:
    if not _IDENTIFIER.fullmatch(name) or name in IGNORED:
        raise ParameterError(f"label '{beginning(name)}' must be an identifier other than init and deadlock")
    if not expression.strip() or any(sign in expression for sign in (";", "\n", "\r", "//")):
        raise ParameterError(f"label {name}: '{beginning(expression)}' is not one expression such as x=1")


def _build(request: dict[str, Any], path: Path, budget: Budget) -> dict[str, Any]:
    """Ask Storm, in a process of its own. Raises: BackendError where that process ends without an answer."""
    from bdist.processes import call  # takes longer to load than most model files

    try:
        return call(answer, request, budget, name="Storm").result
    except Stopped:
        raise BackendError(f"{path}: Storm did not build the model: {budget.exhausted()}") from None
    except BackendError as error:
        cause = "; a division by zero in the program does that" if "SIGFPE" in str(error) else ""
        raise type(error)(f"{path}: {one_line(str(error))}{cause}") from None


def _error(message: str, path: Path, lines: int) -> FormatError | ParameterError:
    """Storm's complaint in one line, with the place where it names one."""
    parse = _PARSE_ERROR.search(message)
    if parse is None:
        complaint = " ".join(message.partition("Exception: ")[2].split() or message.split())
        return FormatError(f"Storm refuses it: {complaint[:_LONGEST_COMPLAINT]}", source=path)
    line, column, complaint = int(parse[1]), int(parse[2]), " ".join(parse[3].split())
    if line > lines:  # the labels of ``formulas`` are put behind the program
        what = by_caller("a --label", "a label of formulas")
        return ParameterError(f"{path}: {what} is not understood: {complaint}")
    return FormatError(f"not a PRISM program: {complaint}", source=path, line=line, column=column)
