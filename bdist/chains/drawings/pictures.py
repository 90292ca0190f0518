"""Drawings in files: SVG, which needs nothing, and PNG, which Graphviz paints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bdist.chains.drawings.graphviz import PaintedArrow, PaintedBox, dot_program, paint_png
from bdist.chains.drawings.subject import Subject
from bdist.chains.drawings.svg import Mark, svg_file
from bdist.chains.drawings.wording import probability_text
from bdist.errors import BackendError, ParameterError
from bdist.printing import printable, shortened
from bdist.text.writing import write_bytes

PICTURE_SUFFIXES = (".svg", ".png")


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


def write_picture(path: Path, subject: Subject, marks: Sequence[Mark] = (), *, title: str) -> None:
    """Draw a chain into a file, as its suffix says.

    Raises: ParameterError where the suffix is another or the file cannot be written, BackendError where a PNG
    file is asked for and ``dot`` is missing or fails.
    """
    check_picture_path(path)
    if path.suffix.lower() == ".png":
        data = _painted(subject, marks)
    else:
        data = svg_file(subject, marks, title=title).encode("utf-8")
    write_bytes(path, [data])


def _program() -> str:
    program = dot_program()
    if program is None:
        raise BackendError(
            "dot, which paints .png files, is not on the path; install Graphviz, or draw to .svg"
        )
    return program


def _painted(subject: Subject, marks: Sequence[Mark]) -> bytes:
    chain = subject.chain
    boxes = [
        PaintedBox(
            (printable(shortened(state)), printable(shortened(label))),
            any(i in mark.states for mark in marks),
        )
        for i, (state, label) in enumerate(zip(chain.states, chain.labels, strict=True))
    ]
    arrows = [
        PaintedArrow(i, j, probability_text(p), any((i, j) in mark.transitions for mark in marks))
        for i, row in enumerate(chain.rows)
        for j, p in row
    ]
    return paint_png(_program(), boxes, arrows)
