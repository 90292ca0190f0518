"""What the commands for all models ask of a kind of model: families, text, fingerprint, sizes, a description.

Chains are one kind, and every theory brings another, as ``KIND`` in a module ``kind`` of its folder
(`bdist.theories` lists the folders). `make`, `show`, `convert` and `validate` work on kinds and know none by
name. The same module has what `bdist check` needs of a theory. A chain is drawn and listed by `bdist show`
itself, which has options for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, TypeVar

from bdist.family import Family
from bdist.report import Report
from bdist.theories import THEORIES

Model = TypeVar("Model")


@dataclass(frozen=True)
class ModelKind(Generic[Model]):
    """A kind of model: what it is called, the suffix of its files, and what can be done with any of it.

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


def kind_of(model: object) -> ModelKind[Any]:
    """The kind that a model is of. Requires: there is one."""
    return next(kind for kind in all_kinds() if isinstance(model, kind.type))
