"""The process in which Storm builds a PRISM program: a request comes in, a reply goes out, both plain data.

    {"program": text, "constants": {name: value}, "formulas": {name: expression}, "kinds": ["DTMC", "MDP"]}
    {"drn": text, "names": [...], "labels": [...]}, or one of
    {"kind": the type of a program that is none of these}, {"refusal": text}, {"error": Storm's message}

`prism` has `answer` called in a process of its own: Storm prints as it likes, and a crash ends that process
and no other.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

_CONSTANTS_SHOWN = 8


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
        program = _program(stormpy, Path(folder) / "program.prism", request)
        options = stormpy.BuilderOptions()
        options.set_build_state_valuations()
        options.set_build_all_labels()
        options.set_exploration_checks()
        if program.model_type == stormpy.io.PrismModelType.MDP:
            options.set_build_choice_labels()
        model = stormpy.build_model[stormpy.Rational](program, options=options)
        target = Path(folder) / "model.drn"
        stormpy.io.export_to_drn(model, target)
        text = target.read_text(encoding="utf-8")
    labels = [label.name for label in program.labels]
    return {"drn": text, "names": _names(model), "labels": labels}


def _program(stormpy: Any, path: Path, request: dict[str, Any]) -> Any:
    path.write_text(request["program"], encoding="utf-8")
    program = stormpy.parse_prism_program(path, simplify=False)
    if program.model_type.name not in request["kinds"]:
        raise _OtherKind(program.model_type.name)
    if request["formulas"]:
        there = {label.name for label in program.labels}
        for name in request["formulas"]:
            if name in there:
                raise _Refusal(f"the program has a label '{name}' already")
        added = "".join(f'label "{name}" = {text};\n' for name, text in request["formulas"].items())
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
        raise _Refusal(
            f"constants without a value: {', '.join(missing[:_CONSTANTS_SHOWN])} (--const N=5,p=1/2)"
        )
    values = {name: _value(stormpy, undefined[name], text) for name, text in given.items()}
    return stormpy.instantiate_constants(program, values)[0] if values else program


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


def _names(model: Any) -> list[str]:
    """States by the values of their variables, or none where there are no variables."""
    valuations = model.state_valuations
    columns = []
    for variable in valuations.get_all_variables():
        values = valuations.get_values_states(variable)
        columns.append([f"{variable.name}={str(value).lower()}" for value in values])
    return [",".join(row) for row in zip(*columns, strict=True)]
