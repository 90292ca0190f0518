"""What a subcommand is about: the model in FILE, how to read it, and which states are neighbours.

Nearly every subcommand takes a model, and some files leave something open: which labels an observer sees, the
constants of a PRISM program. A subcommand asks for a parameter ``model: Model`` and is decorated with
`reads_model`, which puts FILE in its place on the command line and the options behind the others. It calls
``model.load()`` when its own parameters are checked, so that a mistake in these is reported first.

A subcommand that can do something with a Markov decision process, too, is decorated with `reads_any_model`,
has an option more, ``--sink``, and calls ``model.load_any()``.

Neighbours can be given in several ways, and their pairs are taken together; with --hamming, --with-label says
among which states and makes no pairs of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, load
from bdist.chains.relation import Relation, load_relation, parse_pairs
from bdist.cli.limits import with_options
from bdist.cli.standard_input import from_dash
from bdist.cli.terminal import ModelFile, complain, model_argument, option
from bdist.errors import ParameterError
from bdist.printing import one_line

AnyModelFile = Annotated[
    Path,
    model_argument(
        "The chain: .lmc, .tlmc, .json, .tra (with its .lab), .umb, .jani; the decision process: .mdp; or "
        "either: .drn, or a PRISM program (.pm, .prism)."
    ),
]
Labels = Annotated[
    str | None,
    option(
        "A,B",
        "For explicit files (.tra, .drn, .umb) and programs (PRISM, .jani): the labels that an observer "
        "sees. "
        "[default: all except init and deadlock]",
        default=...,
    ),
]
Constants = Annotated[
    list[str] | None,
    option("N=5,P=1/2", "For PRISM programs: values of undefined constants, read exactly.", default=...),
]
Formulas = Annotated[
    list[str] | None,
    option(
        "NAME=EXPR",
        "For PRISM programs: a further label, where an expression such as x=1 holds; may be repeated.",
        default=...,
    ),
]
Sink = Annotated[
    str | None,
    option(
        "NAME",
        "For decision processes in .drn files and PRISM programs: where an action that a state does not "
        "have leads from it. If no state has this name, one is added that stays, with the label {}.",
        default=...,
    ),
]
Properties = Annotated[
    Path | None,
    option(
        "FILE",
        "For PRISM programs: a .pctl or .props file; its labels, and the goals x=1 of its properties "
        '"name": P=? [ F x=1 ], are labels.',
        default=...,
    ),
]
Deadlocks = Annotated[
    str | None,
    option(
        "loop|refuse",
        "For explicit files and programs: a state without a transition stays (loop, as PRISM and Storm have "
        "it, with a note), or is an error. [default: loop]",
        default=...,
    ),
]
Repair = Annotated[
    str | None,
    option(
        "simplest|normalise",
        "For explicit files: rows of rounded decimals become the simplest fractions with these digits, or "
        "are divided by their sum; the largest change is reported. [default: such rows are an error]",
        default=...,
    ),
]
_OPTIONS = {
    "labels": Labels,
    "const": Constants,
    "label": Formulas,
    "properties": Properties,
    "deadlocks": Deadlocks,
    "repair": Repair,
}


@dataclass(frozen=True)
class Model:
    """A model file that is not read yet."""

    path: Path
    options: ReadOptions

    def load(self) -> LabelledMarkovChain:
        """Read it. Raises: as `bdist.chains.formats.load`."""
        return load(self.path, self.options)

    def load_any(self) -> Any:
        """Read it, a chain or a decision process. Raises: as `bdist.proofs.load_model`."""
        from bdist.proofs import load_model  # not where a chain is asked for

        return load_model(self.path, self.options)


def reads_model(command: Callable[..., None]) -> Callable[..., None]:
    """A subcommand with a parameter ``model``, as one that takes FILE and the options of reading it."""
    return _reading(command, ModelFile, _OPTIONS)


def reads_any_model(command: Callable[..., None]) -> Callable[..., None]:
    """As `reads_model`, for a subcommand that takes decision processes as well."""
    return _reading(command, AnyModelFile, {**_OPTIONS, "sink": Sink})


def _reading(
    command: Callable[..., None], file_argument: object, options: Mapping[str, object]
) -> Callable[..., None]:
    @wraps(command)
    def wrapper(
        file: Path,
        labels: str | None,
        const: list[str] | None,
        label: list[str] | None,
        properties: Path | None,
        deadlocks: str | None,
        repair: str | None,
        sink: str | None = None,
        **others: Any,
    ) -> None:
        asked = read_options(labels, const or [], label or [])
        asked = replace(asked, properties=properties, deadlocks=deadlocks or "loop", repair=repair)
        command(model=Model(file, replace(asked, sink=sink, notes=_tell)), **others)

    parameters = inspect.signature(command, eval_str=True).parameters.values()
    named = [
        each.replace(name="file", annotation=file_argument) if each.name == "model" else each
        for each in parameters
    ]
    return with_options(wrapper, named, options)


def _tell(text: str) -> None:
    complain(one_line(text))


def read_options(labels: str | None, constants: list[str], formulas: list[str]) -> ReadOptions:
    """The options as they were typed. Raises: ParameterError."""
    wanted = None if labels is None else tuple(name.strip() for name in labels.split(","))
    if wanted is not None and not all(wanted):
        raise ParameterError(f"--labels '{labels}' has an empty name; write --labels a,b")
    values = [part for text in constants for part in text.split(",")]
    return ReadOptions(wanted, assignments("--const", values), assignments("--label", formulas))


def assignments(option: str, texts: list[str], left: str = "a name") -> dict[str, str]:
    """Names and values from texts such as N=5; ``left`` says what is named. Raises: ParameterError."""
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise ParameterError(f"{option} '{text}' must be {left}, '=' and a value")
        if name in values:
            raise ParameterError(f"{option} gives {name} twice")
        values[name] = value
    return values


RelationFile = Annotated[
    Path | None,
    option(
        "FILE",
        "The neighbours: two states a line.",
        default=...,
        callback=from_dash("list of neighbours", ".txt"),
    ),
]
Pairs = Annotated[str | None, option("S:T,...", "Neighbours, such as s0:s1,s1:s2.", default=...)]
WithLabel = Annotated[
    str | None,
    option(
        "LABEL",
        "All states with this label are neighbours; with --hamming, only these are looked at.",
        default=...,
    ),
]
Hamming = Annotated[
    int | None,
    option(
        "D",
        "Neighbours have names that differ in at most D fields (between commas), or else characters.",
        default=...,
    ),
]


def relation_of(
    chain: LabelledMarkovChain, file: Path | None, pairs: str | None, label: str | None, hamming: int | None
) -> tuple[Relation, str]:
    """The relation that the options ask for, and how it was asked for.

    Raises: ParameterError where none is given or a state is not there; FormatError for a file.
    """
    parts: list[tuple[Relation, str]] = []
    if file is not None:
        parts.append((load_relation(file, chain), f"the pairs in {file}"))
    if pairs is not None:
        parts.append((Relation.of(chain, parse_pairs(pairs)), f"the pairs {pairs}"))
    if hamming is not None:
        among = "" if label is None else f" and the label {label}"
        found = Relation.by_hamming(chain, hamming, label)
        parts.append((found, f"states with names within Hamming distance {hamming}{among}"))
    elif label is not None:
        parts.append((Relation.with_label(chain, label), f"all states with the label {label}"))
    if not parts:
        raise ParameterError(
            "say which states are neighbours: --pairs s0:s1, --relation FILE, --with-label L or --hamming D"
        )
    relation = parts[0][0]
    for other, _ in parts[1:]:
        relation = relation.union(other)
    asked = "; ".join(text for _, text in parts)
    if not relation.pairs:
        raise ParameterError(f"no two different states are neighbours by {asked}; there is nothing to ask")
    return relation, asked
