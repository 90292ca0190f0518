"""A chain, or any other diagram, drawn: as SVG in a page or a file, as PNG, for Graphviz, and as text.

*SVG* is one renderer for whatever layout there is. Boxes show a state's name and, below it, the label that an
observer sees; boxes of one label share a tint. Nothing is said by colour alone: what is emphasised has a line
of its own kind and an entry in the legend. Colours are variables of a style sheet, so that a drawing in a
page follows that page into dark mode and onto paper; a file of its own carries the sheet with it. Heads of
arrows are shapes and not SVG markers, because a marker does not take the colour of its line everywhere. Full
names and exact probabilities are in the tooltips, and a title and a description are for those who cannot see.

*PNG* is painted by Graphviz, from the text that a *.dot* file has. *Text* is for terminals, and for readers
who cannot use a picture: the states by layers with their transitions, aligned in columns. A transition that
does not lead to the next layer says where it leads instead.

A renderer of ours does not know the fonts of its reader, so widths are estimated, in a typewriter face: 0.6
of the size a character, nothing for marks that combine, nearly twice that for the wide characters of East
Asia; rounded up a little, as a box that is too wide is less ugly than a text that leaves it. A long name is
cut in the middle (`bdist.printing`). A long probability is cut, never rounded, and the cut is marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, hypot
from pathlib import Path

from bdist.chains.drawings.diagram import ArrowText, BoxText, Diagram, DrawnChain, Mark
from bdist.chains.drawings.layout import (
    Arrow,
    Frame,
    Layout,
    Plan,
    Point,
    Route,
    Size,
    dot_program,
    easiest_to_read,
    frame_of,
    graphviz_layout,
    layered_layout,
    paint_png,
    painting_source,
)
from bdist.chains.drawings.markup import Markup, element, isolated, joined, resource, visible
from bdist.errors import BackendError, ParameterError
from bdist.exact.rationals import decimal_cut, rational_text
from bdist.printing import advance, columns, printable, shortened
from bdist.text.files import write_bytes

PICTURE_SUFFIXES = (".svg", ".png", ".dot")
MOST_MARKS = 3
_TINTS = 6
_NAME, _LABEL, _PROBABILITY, _LEGEND = 13.0, 11.5, 11.0, 12.5  # sizes of the fonts, as in drawing.css
_BOX_HEIGHT, _BOX_PADDING = 42.0, 11.0
_MARGIN, _LEGEND_LINE = 12.0, 22.0
_HEAD_LENGTH, _HEAD_HALF = 8.0, 3.6
_LONGEST_TOOLTIP = 300
LONGEST_PROBABILITY = 11
_PROBABILITY_DIGITS = 5
_ELLIPSIS = "\u2026"
_ADVANCE = 0.61  # of a typewriter face, in sizes of the font
_LONGEST_CELL = 40


def style_sheet() -> str:
    """The style sheet of drawings, for a page that holds some."""
    return resource("bdist.chains.drawings", "drawing.css")


Drawable = DrawnChain | Diagram


def diagram_of(subject: DrawnChain) -> Diagram:
    """A chain as boxes and arrows."""
    chain = subject.chain
    boxes = tuple(
        BoxText(state, label, f"state {isolated(_cut(state))}, label {isolated(_cut(label))}")
        for state, label in zip(chain.states, chain.labels, strict=True)
    )
    names = [isolated(_cut(state)) for state in chain.states]
    arrows = tuple(
        ArrowText(i, j, probability_text(p), f"{names[i]} to {names[j]}: {_cut(rational_text(p))}")
        for i, row in enumerate(chain.rows)
        for j, p in row
    )
    description = f"A graph of {len(boxes)} states and {len(arrows)} transitions: {subject.caption}."
    return Diagram(boxes, arrows, tuple(map(tuple, subject.layers)), description, subject.caption)


def _diagram(drawn: Drawable) -> Diagram:
    return drawn if isinstance(drawn, Diagram) else diagram_of(drawn)


def svg_file(subject: Drawable, marks: Sequence[Mark] = (), *, title: str) -> str:
    """The drawing as the text of a file of its own."""
    written = svg_element(subject, marks, title=title, sheet=style_sheet())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'


def plan_of(subject: Drawable) -> Plan:
    """The sizes of everything that is to be placed."""
    drawn = _diagram(subject)
    boxes = []
    for box in drawn.boxes:
        widths = [text_width(visible(shortened(box.name)), _NAME)]
        widths.append(text_width(visible(shortened(box.below)), _LABEL))
        boxes.append(Size(max(*widths, 24.0) + 2 * _BOX_PADDING, _BOX_HEIGHT))
    arrows = tuple(
        Arrow(arrow.source, arrow.target, Size(text_width(arrow.text, _PROBABILITY) + 4, _PROBABILITY + 4))
        for arrow in drawn.arrows
    )
    return Plan(tuple(boxes), arrows, drawn.layers)


def layout_of(plan: Plan) -> Layout:
    """The places of everything: the best of what Graphviz finds, if it is there, and of what we find."""
    program = dot_program()
    found: list[Layout] = []
    for downwards in (False, True):
        if program is not None:
            answer = graphviz_layout(plan, program, downwards=downwards)
            found += [] if answer is None else [answer]
        found.append(layered_layout(plan, downwards=downwards))
    return easiest_to_read(plan, found)


def svg_element(
    subject: Drawable,
    marks: Sequence[Mark] = (),
    *,
    title: str,
    name: str = "drawing",
    sheet: str | None = None,
) -> Markup:
    """The drawing as an element of a page that has the style sheet, or with one; its ids begin with ``name``.

    Requires: at most MOST_MARKS marks.
    """
    drawn = _diagram(subject)
    marks = [*drawn.marks, *marks]
    plan = plan_of(drawn)
    layout = layout_of(plan)
    frame = frame_of(plan, layout)
    legend = [mark for mark in marks[:MOST_MARKS] if mark.states or mark.transitions]
    texts = [text_width(mark.meaning, _LEGEND) + 40 for mark in legend]
    width = max(frame.width, *texts, 40.0) + 2 * _MARGIN
    height = frame.height + 2 * _MARGIN + _LEGEND_LINE * len(legend)
    left, top = frame.left - _MARGIN - (width - frame.width - 2 * _MARGIN) / 2, frame.top - _MARGIN
    description = [drawn.description]
    for mark in legend:
        names = [isolated(shortened(drawn.boxes[i].name)) for i in sorted(mark.states)]
        description.append(f"{mark.meaning}: {', '.join(names)}.")
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", " ".join(description), id=f"{name}-desc"),
        None if sheet is None else element("style", sheet),
        element("rect", class_="paper", **_corner(left, top), width="100%", height="100%"),
        _arrows(drawn, plan, layout, marks),
        _boxes(drawn, plan, layout, marks),
        _legend(legend, marks, Frame(left, frame.bottom + _MARGIN, left + width, top + height)),
        xmlns=None if sheet is None else "http://www.w3.org/2000/svg",
        class_="drawing",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        viewBox=" ".join(map(_number, (left, top, width, height))),
        width=_number(width),
        height=_number(height),
    )


def _boxes(drawn: Diagram, plan: Plan, layout: Layout, marks: Sequence[Mark]) -> list[Markup]:
    tints = {below: k % _TINTS for k, below in enumerate(dict.fromkeys(box.below for box in drawn.boxes))}
    made = []
    for i, ((x, y), size) in enumerate(zip(layout.boxes, plan.boxes, strict=True)):
        box = drawn.boxes[i]
        marked = next((f" mark-{k}" for k, mark in enumerate(marks, 1) if i in mark.states), "")
        made.append(
            element(
                "g",
                element("title", box.tooltip or box.name),
                element("rect", class_="box", **_around((x, y), size), rx="7"),
                element("text", shortened(box.name), class_="name", **_corner(x, y - 8)),
                element("text", shortened(box.below), class_="label", **_corner(x, y + 9.5)),
                class_=f"state tint-{tints[box.below]}{marked}",
            )
        )
    return made


def _arrows(drawn: Diagram, plan: Plan, layout: Layout, marks: Sequence[Mark]) -> list[Markup]:
    """The lines first, those with emphasis above the others, and then all labels, above every line."""
    lines: list[tuple[bool, Markup]] = []
    labels = []
    for arrow, planned, route in zip(drawn.arrows, plan.arrows, layout.routes, strict=True):
        ends = (arrow.source, arrow.target)
        mark = next((k for k, mark in enumerate(marks, 1) if ends in mark.transitions), 0)
        tooltip = element("title", arrow.tooltip or arrow.text)
        kind = f"transition mark-{mark}" if mark else "transition"
        lines.append((mark > 0, element("g", tooltip, _line(route), class_=kind)))
        text = element("text", arrow.text, **_corner(*route.label), class_="probability")
        plate = None  # what keeps a line from running through its label
        if layout.labels_on_lines:
            plate = element("rect", class_="paper", **_around(route.label, planned.label))
        labels.append(element("g", tooltip, plate, text))
    lines.sort(key=lambda line: line[0])
    return [line for _, line in lines] + labels


def _corner(x: float, y: float) -> dict[str, str]:
    return {"x": _number(x), "y": _number(y)}


def _around(centre: Point, size: Size) -> dict[str, str]:
    corner = _corner(centre[0] - size.width / 2, centre[1] - size.height / 2)
    return {**corner, "width": _number(size.width), "height": _number(size.height)}


def _line(route: Route) -> Markup:
    """The curve of an arrow up to its head, and the head."""
    *before, last, tip = route.curve
    towards = next((p for p in (last, *reversed(before)) if p != tip), (tip[0] - 1, tip[1]))
    length = hypot(tip[0] - towards[0], tip[1] - towards[1])
    ahead = ((tip[0] - towards[0]) / length, (tip[1] - towards[1]) / length)

    def back(point: Point, by: float, aside: float = 0.0) -> Point:
        return point[0] - by * ahead[0] - aside * ahead[1], point[1] - by * ahead[1] + aside * ahead[0]

    short = _HEAD_LENGTH - 1
    curve = [*before, back(last, short), back(tip, short)]
    path = f"M{_pair(curve[0])} C" + " ".join(map(_pair, curve[1:]))
    corners = [tip, back(tip, _HEAD_LENGTH, _HEAD_HALF), back(tip, _HEAD_LENGTH, -_HEAD_HALF)]
    head = f"M{_pair(corners[0])} L{_pair(corners[1])} L{_pair(corners[2])} Z"
    return joined(element("path", class_="line", d=path), element("path", class_="head", d=head))


def _legend(shown: Sequence[Mark], marks: Sequence[Mark], frame: Frame) -> Markup:
    made = []
    for row, mark in enumerate(shown):
        y = frame.top + row * _LEGEND_LINE
        box = element(
            "rect", class_="box", **_corner(frame.left + _MARGIN, y), width="26", height="14", rx="4"
        )
        text = element("text", mark.meaning, **_corner(frame.left + _MARGIN + 36, y + 7.5))
        made.append(element("g", box, text, class_=f"mark-{marks.index(mark) + 1}"))
    return element("g", made, class_="legend")


def _cut(text: str) -> str:
    return shortened(text, _LONGEST_TOOLTIP)


def _pair(point: Point) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(value: float) -> str:
    """At most one decimal; never "-0"."""
    rounded = round(value, 1) + 0.0
    return f"{rounded:.0f}" if rounded == int(rounded) else f"{rounded:.1f}"


def check_picture_path(path: Path) -> None:
    """Whether a picture can be made there, as far as that can be told before there is one.

    Raises: ParameterError where the suffix is not one of PICTURE_SUFFIXES, BackendError where it is .png and
    there is no ``dot``.
    """
    if path.suffix.lower() not in PICTURE_SUFFIXES:
        raise ParameterError(
            f"cannot draw to '{path.name}'; the name must end in {' or '.join(PICTURE_SUFFIXES)}"
        )
    if path.suffix.lower() == ".png":
        _program()


def write_picture(path: Path, subject: Drawable, marks: Sequence[Mark] = (), *, title: str) -> None:
    """Draw a chain or a diagram into a file, as its suffix says.

    Raises: ParameterError where the suffix is another or the file cannot be written, BackendError where a PNG
    file is asked for and ``dot`` is missing or fails.
    """
    check_picture_path(path)
    drawn = _diagram(subject)
    all_marks = [*drawn.marks, *marks]
    match path.suffix.lower():
        case ".png":
            data = paint_png(_program(), drawn, all_marks)
        case ".dot":
            data = (painting_source(drawn, all_marks) + "\n").encode("utf-8")
        case _:
            data = svg_file(drawn, marks, title=title).encode("utf-8")
    write_bytes(path, [data])


def _program() -> str:
    program = dot_program()
    if program is None:
        raise BackendError(
            "dot, which paints .png files, is not on the path; install Graphviz, or draw to .svg"
        )
    return program


def listing(subject: DrawnChain) -> str:
    """The drawing as lines of text: layer, state, label, then a probability and a target a line."""
    chain = subject.chain
    level = {i: depth for depth, layer in enumerate(subject.layers) for i in layer}
    states, labels = _cells(chain.states), _cells(chain.labels)
    rows = [("layer", "state", "label", "goes to", "")]
    for depth, layer in enumerate(subject.layers):
        for place, i in enumerate(layer):
            head = (str(depth) if place == 0 else "", states[chain.states[i]], f"[{labels[chain.labels[i]]}]")
            for number, (j, p) in enumerate(chain.rows[i]):
                target = states[chain.states[j]] + _direction(i, j, level)
                rows.append((*(head if number == 0 else ("", "", "")), probability_text(p), target))
    widths = [max(columns(row[k]) for row in rows) for k in range(4)]
    return "\n".join(_aligned(row, widths) for row in rows)


def _direction(source: int, target: int, level: dict[int, int]) -> str:
    """What an arrow in a picture would show: where a transition goes that does not go to the next layer."""
    if source == target:
        return " (itself)"
    if level[target] == level[source]:
        return " (same layer)"
    return f" (back to layer {level[target]})" if level[target] < level[source] else ""


def _cells(names: Sequence[str]) -> dict[str, str]:
    """Names cut to the width of a cell, and whole where some would look alike then."""
    cut = {name: printable(shortened(name, _LONGEST_CELL)) for name in names}
    return cut if len(set(cut.values())) == len(cut) else {name: printable(name) for name in cut}


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [cell + " " * (width - columns(cell)) for cell, width in zip(row, [*widths, 0], strict=True)]
    return "  ".join(cells).rstrip()


def text_width(text: str, size: float) -> float:
    """About how wide a text is in a typewriter face of a size, rounded up to whole units."""
    return float(ceil(sum(map(advance, text)) * _ADVANCE * size))


def probability_text(probability: Fraction) -> str:
    """A probability as a fraction, or as a decimal that is cut, and marked as cut, where that is long."""
    fraction = rational_text(probability)
    if len(fraction) <= LONGEST_PROBABILITY:
        return fraction
    return decimal_cut(probability, _PROBABILITY_DIGITS, _ELLIPSIS)
