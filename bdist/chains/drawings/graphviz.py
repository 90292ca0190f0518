"""Graphviz as one who knows where to put things, and as one who can paint a PNG file.

``dot`` is a program of others that reads a language of its own, so it runs in a process of its own, with a
time limit, and gets as little as possible. For a layout that is nothing but numbers: boxes are called n0, n1,
and so on, their sizes are given, and a label on an arrow is a row of zeros as long as the text that will
stand there (``Courier`` has one width in every version of Graphviz, with or without fonts). Its answer is
checked as what it is, a text from outside. Where anything about it fails, there is a layout of our own.

A PNG file is painted by ``dot`` itself, so there it must get the texts. They are quoted as its grammar asks,
backslashes and ampersands included, which dot would otherwise read as commands and as entities.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from math import ceil, isfinite

from bdist.chains.drawings.diagram import Diagram, Mark
from bdist.chains.drawings.layout import Layout, Plan, Point, Route
from bdist.errors import BackendError
from bdist.printing import printable, shortened

POINTS_PER_INCH = 72
SECONDS = 10.0
_LABEL_FONT = 14.0  # larger than what will stand there, so that lines keep away
_COURIER = 0.6  # the advance of Courier, in sizes of the font


_THICK = ', color="#0b4f8a", penwidth=2.4'


def dot_program() -> str | None:
    """Where ``dot`` is, if it is on the path; a folder that is named relative to the current one is no place.

    The current folder may be a stranger's, with a ``dot`` of his in it.
    """
    folders = [entry for entry in os.get_exec_path() if os.path.isabs(entry)]
    return shutil.which("dot", path=os.pathsep.join(folders)) if folders else None


def graphviz_layout(plan: Plan, program: str, *, downwards: bool) -> Layout | None:
    """The layout that dot finds; None where it finds none in time, or gives an answer that is not one."""
    answer = _answer(program, "-Tjson0", _source_of(plan, downwards))
    return None if answer is None else _read(answer, plan)


def paint_png(program: str, drawn: Diagram, marks: Sequence[Mark]) -> bytes:
    """A picture by dot. Raises: BackendError where it paints none, or not in time."""
    painted = _answer(program, "-Tpng", painting_source(drawn, marks))
    if painted is None or not painted.startswith(b"\x89PNG"):
        raise BackendError(f"dot painted no picture within {SECONDS:g} s; an .svg file needs no dot")
    return painted


def painting_source(drawn: Diagram, marks: Sequence[Mark]) -> str:
    """A diagram with its texts in the dot language; what is marked is drawn with thick lines."""
    lines = [
        "digraph {",
        'graph [rankdir=LR, dpi=144, bgcolor="white", nodesep=0.22, ranksep=0.32];',
        'node [shape=box, style="rounded,filled", fillcolor="#f4f6f8", color="#5b6670", '
        'fontname="DejaVu Sans Mono", fontsize=12];',
        'edge [color="#5b6670", fontname="DejaVu Sans Mono", fontsize=10, arrowsize=0.7];',
    ]
    for k, box in enumerate(drawn.boxes):
        thick = _THICK if any(k in mark.states for mark in marks) else ""
        lines.append(f"n{k} [label={_quoted(shortened(box.name), shortened(box.below))}{thick}];")
    for arrow in drawn.arrows:
        ends = (arrow.source, arrow.target)
        thick = _THICK if any(ends in mark.transitions for mark in marks) else ""
        lines.append(f"n{arrow.source} -> n{arrow.target} [label={_quoted(arrow.text)}{thick}];")
    return "\n".join([*lines, "}"])


def _quoted(*lines: str) -> str:
    """A string of the dot language that shows some lines as they are, or spelled out."""
    shown = map(printable, lines)
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in shown]
    return '"' + "\\n".join(escaped) + '"'


def _answer(program: str, form: str, source: str) -> bytes | None:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; the source is quoted above
            [program, form],
            input=source.encode("utf-8"),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _source_of(plan: Plan, downwards: bool) -> str:
    lines = [
        "digraph {",
        f"rankdir={'TB' if downwards else 'LR'}; nodesep=0.22; ranksep=0.5;",
        'node [shape=box, fixedsize=true, label=""];',
        f'edge [dir=none, fontname="Courier", fontsize={_LABEL_FONT:g}];',
    ]
    for k, size in enumerate(plan.boxes):
        width, height = (side / POINTS_PER_INCH for side in (size.width, size.height))
        lines.append(f"n{k} [width={width:.4f}, height={height:.4f}];")
    lines.append("{rank=source; " + " ".join(f"n{k};" for k in plan.layers[0]) + "}")
    for number, arrow in enumerate(plan.arrows):
        zeros = "0" * max(1, ceil(arrow.label.width / (_COURIER * _LABEL_FONT)))
        lines.append(f'n{arrow.source} -> n{arrow.target} [id="{number}", label="{zeros}"];')
    return "\n".join([*lines, "}"])


def _read(answer: bytes, plan: Plan) -> Layout | None:
    """The places in dot's answer; None where one is missing or no number."""
    try:
        document = json.loads(answer)
        boxes: dict[int, Point] = {
            int(node["name"][1:]): _points(node["pos"])[0] for node in document["objects"] if "pos" in node
        }
        routes: dict[int, Route] = {}
        for edge in document["edges"]:
            routes[int(edge["id"])] = Route(_points(edge["pos"]), _points(edge["lp"])[0])
        return Layout(
            tuple(boxes[k] for k in range(len(plan.boxes))),
            tuple(routes[k] for k in range(len(plan.arrows))),
        )
    except (KeyError, ValueError, TypeError, IndexError):
        return None


def _points(text: str) -> tuple[Point, ...]:
    """Points of dot, whose heights grow upwards. Raises: ValueError."""
    made = []
    for pair in text.split():
        x, y = (float(number) for number in pair.split(","))
        if not (isfinite(x) and isfinite(y)):
            raise ValueError(pair)
        made.append((x, -y))
    if len(made) % 3 != 1:
        raise ValueError(text)
    return tuple(made)
