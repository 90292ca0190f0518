"""Figures of profiles for pages, drawn as SVG without any other package.

*delta against epsilon.* One line a profile; where a profile is open, the region between its two sides, in
which the true delta is proved to lie.

*The trade-off* of the two errors of a test, as statisticians draw it: how often the best test says "first"
when it was the first (up) against how often it does when it was the second (to the right). A test that knows
nothing is on the diagonal. (epsilon, delta)-differential privacy says that no test is above the line of slope
e^epsilon that starts at delta on the left edge: the line that touches the curve is the profile's delta.

Round numbers on axes are computed exactly, so that a tick says what it stands at; everything else is placed
in floating point, to a tenth of a pixel. Colours are variables of `figures.css`, so that a figure follows its
page into the dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files

from bdist.chains.drawings.markup import Content, Markup, element
from bdist.exact.display import decimal_down
from bdist.traces.loss import Vertex
from bdist.traces.plot import Line

_ROUND = (Fraction(1), Fraction(2), Fraction(5))
_HEADROOM = Fraction(107, 100)
_NEAR = 0.4  # pixels: vertices of a drawing that are nearer than that are one


def style_sheet() -> str:
    """The style sheet of figures, for a page that holds some."""
    return files("bdist.traces").joinpath("figures.css").read_text(encoding="utf-8")


def ticks(low: Fraction, high: Fraction, most: int) -> list[Fraction]:
    """At most that many multiples of 1, 2 or 5 times a power of ten, from ``low`` to ``high``, which have
    decimals that end.

    Requires: low < high, most >= 2.
    """
    power = Fraction(1)
    while power * most > high - low:
        power /= 10
    while True:
        for factor in _ROUND:
            step = factor * power
            first, last = -(-low // step), high // step
            if last - first + 1 <= most:
                return [step * k for k in range(int(first), int(last) + 1)]
        power *= 10


@dataclass(frozen=True)
class Frame:
    """From numbers to places in a figure: the size, the margins, and what the axes run over."""

    width: float
    height: float
    last: Fraction  # of the horizontal axis, from 0
    highest: Fraction  # of the vertical one, from 0
    left: float = 84.0
    right: float = 18.0
    top: float = 26.0
    bottom: float = 50.0

    def x(self, value: Fraction | float) -> float:
        """The place of a number on the horizontal axis."""
        return self.left + float(value) / float(self.last) * (self.width - self.left - self.right)

    def y(self, value: Fraction | float) -> float:
        """The place of a number on the vertical axis."""
        return self.top + (1 - float(value) / float(self.highest)) * (self.height - self.top - self.bottom)

    def points(self, xs: Iterable[Fraction | float], ys: Iterable[Fraction | float]) -> str:
        """A polyline, without the points that nobody could tell from the one before."""
        kept: list[tuple[float, float]] = []
        held: tuple[float, float] | None = None
        for x, y in zip(xs, ys, strict=True):
            held = (self.x(x), self.y(y))
            if not kept or abs(held[0] - kept[-1][0]) + abs(held[1] - kept[-1][1]) >= _NEAR:
                kept.append(held)
                held = None
        if held is not None:
            kept.append(held)
        return " ".join(f"{place(x)},{place(y)}" for x, y in kept)

    def svg(self, *content: Content, name: str, title: str, description: str, kind: str = "") -> Markup:
        """The figure as an element, with a text for those who do not see it."""
        return element(
            "svg",
            element("title", title, id=f"{name}-title"),
            element("desc", description, id=f"{name}-desc"),
            content,
            class_=f"curve {kind}".strip(),
            id=name,
            role="img",
            aria_labelledby=f"{name}-title {name}-desc",
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            width=f"{self.width:g}",
            height=f"{self.height:g}",
        )

    def axes(self, across: str, up: str, numbers: tuple[int, int] = (9, 6)) -> list[Markup]:
        """Both axes with their ticks, and lines across at those of the vertical one."""
        start, end = place(self.left), place(self.width - self.right)
        bottom = self.height - self.bottom
        made = []
        for value in ticks(Fraction(0), self.highest, numbers[1]):
            y = place(self.y(value))
            made.append(element("line", class_="grid", x1=start, x2=end, y1=y, y2=y))
            made.append(
                element(
                    "text", decimal_down(value), class_="tick end", x=place(self.left - 8), y=y, dy="0.35em"
                )
            )
        for value in ticks(Fraction(0), self.last, numbers[0]):
            x = place(self.x(value))
            made.append(element("line", class_="axis", x1=x, x2=x, y1=place(bottom), y2=place(bottom + 5)))
            made.append(element("text", decimal_down(value), class_="tick middle", x=x, y=place(bottom + 20)))
        middle = (self.left + self.width - self.right) / 2
        made += [
            element("line", class_="axis", x1=start, x2=end, y1=place(bottom), y2=place(bottom)),
            element("line", class_="axis", x1=start, x2=start, y1=place(self.top), y2=place(bottom)),
            element("text", across, class_="name middle", x=place(middle), y=place(self.height - 8)),
            element(
                "text", up, class_="name start", x=place(8 if len(up) > 1 else self.left - 4), y=place(16)
            ),
        ]
        return made


def delta_frame(
    lines: Sequence[Line], also: Sequence[Fraction] = (), width: float = 760.0, height: float = 380.0
) -> Frame:
    """A frame in which all of the lines have room, and these deltas."""
    last = max(line.epsilon_approx[-1] for line in lines)
    highest = max([Fraction(max(line.upper_approx)) for line in lines] + list(also))
    return Frame(width, height, Fraction(last), (highest or Fraction(1)) * _HEADROOM)


def delta_line(frame: Frame, line: Line) -> list[Markup]:
    """A line, with the region between its two sides where it is open."""
    xs = line.epsilon_approx
    upper = frame.points(xs, line.upper_approx)
    drawn = element("polyline", class_="upper", points=upper)
    if line.exact:
        return [drawn]
    back = frame.points(list(reversed(xs)), list(reversed(line.lower_approx)))
    return [
        element("polygon", class_="region", points=f"{upper} {back}"),
        element("polyline", class_="lower", points=frame.points(xs, line.lower_approx)),
        drawn,
    ]


def tradeoff_frame(side: float = 380.0) -> Frame:
    """A square frame for two probabilities."""
    return Frame(side, side, Fraction(1), Fraction(1), left=60.0, right=18.0, top=30.0, bottom=48.0)


def tradeoff_lines(frame: Frame, optimistic: Sequence[Vertex], pessimistic: Sequence[Vertex]) -> list[Markup]:
    """The best tests, by vertices of false and true positives from (0, 0) to (1, 1), from both sides."""

    def path(vertices: Iterable[Vertex]) -> str:
        listed = list(vertices)
        return frame.points([x for x, _ in listed], [y for _, y in listed])

    upper = path(pessimistic)
    diagonal = path([(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))])
    made = [element("polyline", class_="diagonal", points=diagonal)]
    if tuple(optimistic) != tuple(pessimistic):
        made += [
            element("polygon", class_="region", points=f"{upper} {path(reversed(optimistic))}"),
            element("polyline", class_="lower", points=path(optimistic)),
        ]
    return [*made, element("polyline", class_="upper", points=upper)]


def line_of_slope(frame: Frame, slope: float, start: Fraction | float) -> dict[str, str]:
    """The ends of the line from ``start`` on the left edge upwards, as attributes of a ``line``.

    Requires: a frame of two probabilities, a slope of at least 1 and a start from 0 to 1.
    """
    first = float(start)
    across = min(1.0, (1.0 - first) / slope)
    return {
        "x1": place(frame.x(0)),
        "y1": place(frame.y(first)),
        "x2": place(frame.x(across)),
        "y2": place(frame.y(min(1.0, first + slope * across))),
    }


def place(value: float) -> str:
    """A coordinate, to a tenth."""
    return f"{round(value, 1):g}"
