"""``bdist show``: what is in a model file, in numbers, as a list, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.drawings.pictures import check_picture_path, listing, write_picture
from bdist.chains.drawings.subject import NotDrawn, Subject, subject_of
from bdist.chains.structure import Summary, summarise
from bdist.cli.models import Model, reads_any_model
from bdist.cli.terminal import Json, print_report
from bdist.errors import UnsupportedError
from bdist.exact.reading import rational_text
from bdist.kinds import kind_of
from bdist.printing import listed, path_text, printable, shortened
from bdist.report import Report

NAME = "show"
HELP = (
    "Say what is in a model file: sizes, labels, components, bisimilar states; list and draw it. Of a Markov "
    "decision process: sizes, labels, where there is something to choose; list it."
)
EXAMPLE = "Example: bdist show instances/dining-cryptographers/two.lmc --draw two.svg"

LISTED_STATES = 40
LISTED_TRANSITIONS = 120
_NAMES_SHOWN = 8
_LONGEST_NUMBER = 90  # in bits; longer denominators are described

Draw = Annotated[
    Path | None,
    typer.Option("--draw", metavar="OUT", help="Draw it there: an .svg file, a .dot file, or a .png with Graphviz."),
]
From = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="STATE",
        help="List and draw only what this state can reach; may be repeated.",
        show_default=False,
    ),
]


@reads_any_model
def command(model: Model, draw: Draw = None, from_: From = None, json: Json = False) -> None:
    """Read the chain, count, draw, print."""
    if draw is not None:
        check_picture_path(draw)
    found = model.load_any()
    roots = from_ or []
    if isinstance(found, LabelledMarkovChain):
        print_report(_of_chain(found, model, draw, roots), json)
        return
    kind = kind_of(found)
    if draw is not None or roots:
        raise UnsupportedError(f"{model.path}: a {kind.name} is listed as it is, and not drawn")
    if kind.describe is None:
        raise UnsupportedError(f"{model.path}: a {kind.name} is not listed")
    print_report(kind.describe(found), json)


def _of_chain(chain: LabelledMarkovChain, model: Model, draw: Path | None, roots: Sequence[str]) -> Report:
    subject = subject_of(chain, roots, only_reachable=True)
    if draw is not None:
        if isinstance(subject, NotDrawn):
            hint = "" if roots else "; --from STATE draws what a state can reach"
            raise UnsupportedError(f"not drawn: {subject.reason}{hint}")
        write_picture(draw, subject, title=chain.name or model.path.name)
    summary = summarise(chain)
    parts = [_numbers(chain, summary), _list(subject, roots)]
    if draw is not None and isinstance(subject, Subject):
        parts.append(f"{path_text(draw)}: {subject.caption}")
    return Report("\n\n".join(parts), _document(chain, summary, draw, subject))


def _numbers(chain: LabelledMarkovChain, summary: Summary) -> str:
    """The numbers, a line each."""
    name = f"{printable(shortened(chain.name, 60))}: " if chain.name else ""
    sizes = [(summary.states, "state"), (summary.transitions, "transition"), (len(summary.labels), "label")]
    lines = [name + ", ".join(_count(number, what) for number, what in sizes)]
    labels = [f"{printable(shortened(label))} {count}" for label, count in summary.labels.items()]
    lines.append(f"  labels        {_some(labels)}")
    lines.append(f"  components    {_components(summary)}")
    ends = [_braced(part) for part in summary.bottom]
    lines.append(f"  bottom        {_count(len(ends), 'component')} that no run leaves: {_some(ends)}")
    cycles = "none but absorbing states" if summary.acyclic else "there are some, so runs can go round"
    lines.append(f"  cycles        {cycles}")
    lines.append(f"  bisimilar     {_classes(summary)}")
    lines.append(f"  denominators  {_denominators(summary)}")
    lines.append(f"  fingerprint   {fingerprint(chain)}")
    return "\n".join(lines)


def _list(subject: Subject | NotDrawn, roots: Sequence[str]) -> str:
    hint = "" if roots else "; --from STATE lists what a state can reach"
    if isinstance(subject, NotDrawn):
        return f"not listed: {subject.reason}{hint}"
    chain = subject.chain
    transitions = sum(map(len, chain.rows))
    if len(chain) > LISTED_STATES or transitions > LISTED_TRANSITIONS:
        sizes = f"{_count(len(chain), 'state')} and {_count(transitions, 'transition')}"
        limits = f"at most {LISTED_STATES} and {LISTED_TRANSITIONS} are listed"
        return f"not listed: {sizes}; {limits}{hint}"
    heading = f"{subject.caption}\n" if subject.chain is not subject.original else ""
    return heading + listing(subject)


def _document(
    chain: LabelledMarkovChain, summary: Summary, draw: Path | None, subject: Subject | NotDrawn
) -> dict[str, object]:
    return {
        "name": chain.name,
        "fingerprint": fingerprint(chain),
        "states": summary.states,
        "transitions": summary.transitions,
        "labels": dict(summary.labels),
        "components": {
            "number": len(summary.components),
            "sizes": [len(part) for part in summary.components],
            "bottom": [list(part) for part in summary.bottom],
        },
        "acyclic": summary.acyclic,
        "bisimulation": {
            "classes": summary.class_count,
            "merged": [list(members) for members in summary.classes],
        },
        "denominators": [
            {"denominator": rational_text(Fraction(q)), "transition": list(pair)}
            for q, pair in summary.denominators
        ],
        "drawing": None if draw is None else str(draw),
        "drawn": subject.caption if isinstance(subject, Subject) and draw is not None else None,
    }


def _components(summary: Summary) -> str:
    sizes = [len(part) for part in summary.components]
    if sizes[0] == 1:
        return f"{len(sizes)}, each of one state"
    large = [str(size) for size in sizes if size > 1]
    return f"{len(sizes)}; those of more than one state have {_some(large)} states"


def _classes(summary: Summary) -> str:
    if not summary.classes:
        return "no two states"
    merged = sum(map(len, summary.classes))
    return f"{summary.class_count} classes: {merged} states merge into {len(summary.classes)}"


def _denominators(summary: Summary) -> str:
    parts = []
    for q, (source, target) in summary.denominators:
        if q > 1:
            digits = rational_text(Fraction(q))
            text = digits if q.bit_length() <= _LONGEST_NUMBER else f"a number of {len(digits)} digits"
            parts.append(f"{text} ({printable(shortened(source))} -> {printable(shortened(target))})")
    return f"largest {', '.join(parts)}" if parts else "none: every step is certain"


def _braced(part: tuple[str, ...]) -> str:
    shown = _names(part)
    return shown[0] if len(shown) == 1 else "{" + ", ".join(shown) + "}"


def _names(members: Sequence[str]) -> list[str]:
    shown = [printable(shortened(state)) for state in members[:_NAMES_SHOWN]]
    return [*shown, f"{len(members) - _NAMES_SHOWN} more"] if len(members) > _NAMES_SHOWN else shown


def _some(texts: Sequence[str]) -> str:
    return listed(texts, _NAMES_SHOWN, str)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
