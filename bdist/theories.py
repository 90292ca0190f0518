"""The theories, beside chains: the one place that knows them all.

A theory is a folder: its model and its text, its engine, its certificate with the specification, its
families, and its command. Whoever works on models or certificates of any kind (`check`, `convert`, `show`,
`validate`, `make`, the entry of the command line) reads this table, and loads of a theory what it needs, when
it needs it, by the names that these modules have in every folder:

* ``command``: the subcommand, with NAME, HELP, EXAMPLE and ``command``;
* ``kind``: KIND, what `bdist.kinds` asks of a kind of model; ``check``, the independent check of a
  certificate; and ``proved``, what its report says, in words;
* ``formats``, where its models share file formats with chains: ``load_model``, ``save_model`` and
  ``written_suffixes`` for both.

To add one, add a folder with these, its counterpart in `bdist.checker`, and a line here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theory:
    """A folder of this package, the subcommand that asks its question, and the files that it reads.

    ``shares_formats``: a file of some formats may hold a chain or a model of this theory, so that commands
    for chains take these, too. ``judges_chains``: its certificates may be about a chain; ``kind`` then has
    ``is_about_a_chain`` and ``check_chain`` as well.
    """

    name: str
    command: str
    suffix: str
    model: str
    shares_formats: bool = False
    judges_chains: bool = False


THEORIES = (
    Theory("dipa", "dipa", ".dipa", "an automaton"),
    Theory("dipc", "dipc", ".dip", "a program"),
    Theory("pufferfish", "pufferfish", ".hmm", "a hidden Markov model"),
    Theory("dpctl", "modelcheck", ".mdp", "a Markov decision process", True, True),
)
