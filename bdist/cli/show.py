"""``bdist show``: what is in a model file, in numbers, as a list, and as a picture.

The numbers are what one wants to know before asking anything: sizes say what a question will cost, components
where a chain goes round, classes how much of it is there twice, and denominators how long exact answers may
become. All of it is linear in the size of the chain, up to the logarithm of the quotient.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.drawings.diagram import DrawnChain, NotDrawn, subject_of
from bdist.chains.drawings.pictures import check_picture_path, listing, write_picture
from bdist.chains.quotient import bisimulation_classes
from bdist.chains.structure import components
from bdist.cli.models import Model, reads_any_model
from bdist.cli.terminal import Json, option, print_report
from bdist.errors import UnsupportedError
from bdist.exact.rationals import counted, rational_text
from bdist.printing import LONGEST_IN_A_BOX, listed, named, path_text, printable, shortened
from bdist.report import Report
from bdist.theories import kind_of

NAME = "show"
HELP = (
    "Say what is in a model file: sizes, labels, components, bisimilar states; list and draw it. Of a Markov "
    "decision process: sizes, labels, where there is something to choose; list it."
)
EXAMPLE = "Example: bdist show instances/dining-cryptographers/two.lmc --draw two.svg"

LISTED_STATES = 40
LISTED_TRANSITIONS = 120
_NAMES_SHOWN = 8
_DENOMINATORS_SHOWN = 3
_LONGEST_NUMBER = 90  # in bits; longer denominators are described


@reads_any_model
def command(
    model: Model,
    draw: Path | None = option("OUT", "Draw it there: an .svg file, a .dot file, or a .png with Graphviz."),
    from_: list[str] | None = option(
        "STATE", "List and draw only what this state can reach; may be repeated.", "--from"
    ),
    json: Json = False,
) -> None:
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
    numbers = numbers_of(chain)
    parts = [numbers.text, _list(subject, roots)]
    if draw is not None and isinstance(subject, DrawnChain):
        parts.append(f"{path_text(draw)}: {subject.caption}")
    drawn = subject.caption if isinstance(subject, DrawnChain) and draw is not None else None
    drawing = {"drawing": None if draw is None else str(draw), "drawn": drawn}
    return Report("\n\n".join(parts), {**numbers.document, **drawing})


def numbers_of(chain: LabelledMarkovChain) -> Report:
    """What can be counted in a chain, a line each."""
    shape, classes, known_as = components(chain), bisimulation_classes(chain), fingerprint(chain)
    transitions = sum(map(len, chain.rows))
    by_label = {label: len(members) for label, members in chain.states_by_label.items()}
    labels = dict(sorted(by_label.items(), key=lambda entry: -entry[1]))
    sizes = sorted(map(len, shape.members), reverse=True)
    bottom = [_names(chain, part) for part in sorted(shape.bottom, key=len, reverse=True)]
    merged = [_names(chain, members) for members in classes if len(members) > 1]
    denominators = _largest_denominators(chain)
    title = f"{printable(shortened(chain.name, 60))}: " if chain.name else ""
    counts = [(len(chain), "state"), (transitions, "transition"), (len(labels), "label")]
    ends = _some([_braced(part) for part in bottom])
    cycles = "none but absorbing states" if shape.acyclic else "there are some, so runs can go round"
    lines = {
        "labels": _some([f"{_named(label)} {count}" for label, count in labels.items()]),
        "components": f"{len(sizes)}, each of one state",
        "bottom": f"{counted(len(bottom), 'component')} that no run leaves: {ends}",
        "cycles": cycles,
        "bisimilar": "no two states",
        "denominators": _denominators_text(denominators),
        "fingerprint": known_as,
    }
    if sizes[0] > 1:
        large = _some([str(size) for size in sizes if size > 1])
        lines["components"] = f"{len(sizes)}; those of more than one state have {large} states"
    if merged:
        known = counted(len(classes), "class", "classes")
        lines["bisimilar"] = f"{known}: {sum(map(len, merged))} states merge into {len(merged)}"
    document = {
        "name": chain.name,
        "fingerprint": known_as,
        "states": len(chain),
        "transitions": transitions,
        "labels": labels,
        "components": {"number": len(sizes), "sizes": sizes, "bottom": bottom},
        "acyclic": shape.acyclic,
        "bisimulation": {"classes": len(classes), "merged": merged},
        "denominators": [
            {"denominator": rational_text(Fraction(q)), "transition": list(pair)} for q, pair in denominators
        ],
    }
    head = title + ", ".join(counted(number, what) for number, what in counts)
    return Report("\n".join([head, *(f"  {what:<12}  {text}" for what, text in lines.items())]), document)


def _names(chain: LabelledMarkovChain, members: Sequence[int]) -> list[str]:
    return [chain.states[i] for i in members]


def _largest_denominators(chain: LabelledMarkovChain) -> list[tuple[int, tuple[str, str]]]:
    """The largest that probabilities have in lowest terms, each with the first transition that has it."""
    first: dict[int, tuple[str, str]] = {}
    for i, row in enumerate(chain.rows):
        for j, p in row:
            first.setdefault(p.denominator, (chain.states[i], chain.states[j]))
    return sorted(first.items(), reverse=True)[:_DENOMINATORS_SHOWN]


def _denominators_text(denominators: Sequence[tuple[int, tuple[str, str]]]) -> str:
    parts = []
    for q, (source, target) in denominators:
        if q > 1:
            digits = rational_text(Fraction(q))
            text = digits if q.bit_length() <= _LONGEST_NUMBER else f"a number of {len(digits)} digits"
            parts.append(f"{text} ({_named(source)} -> {_named(target)})")
    return f"largest {', '.join(parts)}" if parts else "none: every step is certain"


def _list(subject: DrawnChain | NotDrawn, roots: Sequence[str]) -> str:
    hint = "" if roots else "; --from STATE lists what a state can reach"
    if isinstance(subject, NotDrawn):
        return f"not listed: {subject.reason}{hint}"
    chain = subject.chain
    transitions = sum(map(len, chain.rows))
    if len(chain) > LISTED_STATES or transitions > LISTED_TRANSITIONS:
        sizes = f"{counted(len(chain), 'state')} and {counted(transitions, 'transition')}"
        limits = f"at most {LISTED_STATES} and {LISTED_TRANSITIONS} are listed"
        return f"not listed: {sizes}; {limits}{hint}"
    heading = f"{subject.caption}\n" if subject.chain is not subject.original else ""
    return heading + listing(subject)


def _braced(part: Sequence[str]) -> str:
    shown = [_named(state) for state in part[:_NAMES_SHOWN]]
    if len(part) > _NAMES_SHOWN:
        shown.append(f"{len(part) - _NAMES_SHOWN} more")
    return shown[0] if len(shown) == 1 else "{" + ", ".join(shown) + "}"


def _some(texts: Sequence[str]) -> str:
    return listed(texts, _NAMES_SHOWN, str)


def _named(name: str) -> str:
    return named(name, LONGEST_IN_A_BOX)
