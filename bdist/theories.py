"""The theories, beside chains: the one place that knows them all, and what each of them brings.

A theory is a folder: its model and its text, its engine, its certificate with the specification, its
families, and its command. Whoever works on models or certificates of any kind (`check`, `convert`, `show`,
`validate`, `make`, the entry of the command line) reads this table, and loads of a theory what it needs, when
it needs it, by the names that these modules have in every folder:

* ``command``: the subcommand, with NAME, HELP, EXAMPLE and ``command``;
* ``kind``: KIND, a `ModelKind`; ``check``, the independent check of a
  certificate; and ``proved``, what its report says, in words;
* ``formats``, where its models share file formats with chains: ``load_model``, ``save_model`` and
  ``written_suffixes`` for both.

To add one, add a folder with these, its counterpart in `bdist.checker`, and a line here.

Chains are a kind of model as well, with a module ``kind``. A chain is drawn and listed by `bdist show`
itself, which has options for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from bdist.family import Family
    from bdist.report import Report


@dataclass(frozen=True)
class Theory:
    """A folder of this package, the subcommand that asks its question, and the files that it reads.

    ``question`` is what the subcommand answers, and ``alias`` another name of it. ``shares_formats``: a file
    of some formats may hold a chain or a model of this theory, so that commands for chains take these, too.
    ``judges_chains``: its certificates may be about a chain; ``kind`` then has ``is_about_a_chain`` and
    ``check_chain`` as well.
    """

    name: str
    command: str
    suffix: str
    model: str
    question: str
    alias: str | None = None
    shares_formats: bool = False
    judges_chains: bool = False


THEORIES = (
    Theory(
        "dipa", "dipa", ".dipa", "an automaton", "Is an automaton private, for every epsilon?", "automaton"
    ),
    Theory("dipc", "dipc", ".dip", "a program", "Is a program with noise private?", "program"),
    Theory(
        *("pufferfish", "pufferfish", ".hmm", "a hidden Markov model"),
        *("What does a hidden Markov model tell about secrets?", "hmm"),
    ),
    Theory(
        *("dpctl", "modelcheck", ".mdp", "a Markov decision process"),
        "Which states satisfy a formula of dpCTL*?",
        shares_formats=True,
        judges_chains=True,
    ),
)


Model = TypeVar("Model")


@dataclass(frozen=True)
class ModelKind(Generic[Model]):
    """What a kind of model is called, the suffix of its files, its families, and what can be done with any.

    ``sizes`` counts by what is counted, and ``made`` names those counts that are told of a member of a
    family, by default all. ``describe`` is what `bdist show` prints, None where it does not take such models.
    """

    name: str
    suffix: str
    type: type[Model]
    families: Mapping[str, Family[Model]]
    write: Callable[[Model], str]
    fingerprint: Callable[[Model], str]
    sizes: Callable[[Model], dict[str, int]]
    made: tuple[str, ...] = ()
    describe: Callable[[Model], Report] | None = None

    def listed(self, model: Model) -> str:
        """The sizes of a model in one line."""
        return sizes_text(self.sizes(model))


def sizes_text(sizes: Mapping[str, int]) -> str:
    """Counts in one line."""
    return ", ".join(f"{count} {what}" for what, count in sizes.items())


def all_kinds() -> Iterator[ModelKind[Any]]:
    """Chains first, then one kind a theory, in the order of the registry, each loaded when it is its turn."""
    for folder in ("chains", *(theory.name for theory in THEORIES)):
        kind: ModelKind[Any] = import_module(f"bdist.{folder}.kind").KIND
        yield kind


def kind_with(family: str) -> ModelKind[Any]:
    """The kind that has a family of this name. Raises: ParameterError with the names that are near."""
    kinds = list(all_kinds())
    for kind in kinds:
        if family in kind.families:
            return kind
    from bdist.errors import ParameterError
    from bdist.text.scanner import suggestion

    known = [name for kind in kinds for name in kind.families]
    raise ParameterError(f"there is no family '{family}'; {suggestion(family, known)}")


def kind_of(model: object) -> ModelKind[Any]:
    """The kind that a model is of. Requires: there is one."""
    return next(kind for kind in all_kinds() if isinstance(model, kind.type))
