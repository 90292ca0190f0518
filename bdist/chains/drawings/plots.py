"""Figures with axes, drawn by Matplotlib: what all of them share.

Matplotlib is loaded only here, when a picture is asked for, and draws without a display; the suffix of the
file decides between PNG and SVG. With a fixed hash salt and without a date, the same figure gives the same
file. Matplotlib reads a ``matplotlibrc`` of the current folder, which may be a stranger's, before the user's
own; figures are drawn in its own defaults (`own_style`), so that neither steers what they show.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bdist.errors import BackendError, ParameterError
from bdist.text.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_SUFFIXES = (".png", ".svg")


def check_plot_path(path: Path) -> None:
    """Whether a figure can be drawn there, as far as that can be told before there is one.

    Raises: ParameterError where the suffix is not one of PLOT_SUFFIXES, BackendError where matplotlib is not
    installed.
    """
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise ParameterError(
            f"cannot plot to '{path.name}'; the name must end in {' or '.join(PLOT_SUFFIXES)}"
        )
    check_matplotlib()


def check_matplotlib() -> None:
    """Raises: BackendError where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401 - only whether it is there
    except ImportError:
        raise BackendError(
            "matplotlib, which draws the plots, is not installed; pip install 'bdist[plot]'"
        ) from None


def write_figure(path: Path, draw: Callable[[Axes], None]) -> None:
    """Draw one pair of axes into a PNG or SVG file. Raises: as `check_plot_path` and `write_bytes`."""
    check_plot_path(path)
    with own_style({"svg.fonttype": "none"}):
        axes = own_axes()
        draw(axes)
        store_figure(path, cast("Figure", axes.figure), dpi=160)


def own_axes() -> Axes:
    """The axes of a figure of its own, which no window shows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def store_figure(path: Path, figure: Figure, dpi: int) -> None:
    """Write a figure of Matplotlib into a PNG or SVG file. Raises: as `bdist.text.files.write_bytes`."""
    form = path.suffix.lower().removeprefix(".")
    metadata: dict[str, Any] = {"Date": None} if form == "svg" else {}
    drawn = io.BytesIO()
    figure.savefig(drawn, format=form, dpi=dpi, metadata=metadata)
    write_bytes(path, [drawn.getvalue()])


@contextmanager
def own_style(settings: Mapping[str, Any]) -> Iterator[None]:
    """Matplotlib's defaults and some settings, whatever files of settings there are."""
    import matplotlib as mpl

    chosen: Any = {"svg.hashsalt": "bdist", **settings}  # its names are a type of their own in some versions
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(chosen)
        yield


def arrange(axes: Axes) -> None:
    """A light grid behind what is drawn, no box around it."""
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
