"""A profile as one HTML page to explore: a slider for epsilon, and what it means to an attacker.

Its figures are SVG, drawn without any other package, and serve the report of an audit as well.

*delta against epsilon.* One line a profile; where a profile is open, the region between its two sides, in
which the true delta is proved to lie.

*The trade-off* of the two errors of a test, as statisticians draw it: how often the best test says "first"
when it was the first (up) against how often it does when it was the second (to the right). A test that knows
nothing is on the diagonal. (epsilon, delta)-differential privacy says that no test is above the line of slope
e^epsilon that starts at delta on the left edge: the line that touches the curve is the profile's delta.

Round numbers on axes are computed exactly, so that a tick says what it stands at; everything else is placed
in floating point, to a tenth of a pixel. Colours are variables of `page.css`, so that a figure follows its
page into the dark.

*The slider* moves over a list of positions: evenly spaced epsilons, the breakpoints of the profile, and the
points that were asked for. For each of them delta, the two rates of the best test, in both orders and from
both sides, are computed here, in exact arithmetic, and written into the page as text: a lower bound rounded
down, an upper bound rounded up, an exact number as a fraction where that is short. The script in the page
shows these texts and computes nothing with floats but the places of marks. The one thing that it computes,
what an observer believes after the test, for a prior that the reader chooses, it computes with integers and
rounds outwards.

What is the same in every body is `page.html`, with places for the rest. What is put there goes through
`markup.joined`, which escapes all that is not markup. Without scripts the figures and the table are left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from math import log
from string import Template

from bdist.chains.drawings.markup import (
    Content,
    Markup,
    confined,
    element,
    isolated,
    joined,
    page,
    raw_element,
    resource,
    visible,
)
from bdist.distances.compute import Skew
from bdist.exact.rationals import counted, decimal_cut, decimal_down, decimal_up, rational_text
from bdist.printing import shortened
from bdist.results import Evidence
from bdist.traces.answers import OrderedPoint, Point, largest_gap, points_of
from bdist.traces.loss import Vertex
from bdist.traces.plot import Line, line_of, telling_epsilon_approx
from bdist.traces.profile import BOTH_ORDERS, Order, Profile
from bdist.traces.wording import (
    epsilon_text,
    formula_text,
    least_text,
    number_text,
    shortened_rows,
    told_orders,
)

_ROUND = (Fraction(1), Fraction(2), Fraction(5))
_HEADROOM = Fraction(107, 100)
_COLOURS_ALONE = (  # of a figure without a page, on a ground of its own
    ".curve { --region: #d5e3f0; --upper: #0b4f8a; --lower: #5b87ad; --soft: #56606a; --ink: #1a1f24;"
    " --rule: #e3e7ea; --paper: #ffffff; font-family: sans-serif; max-width: 100%; }\n"
    ".curve .ground { fill: var(--paper); }"
)
_NEAR = 0.4  # pixels: vertices of a drawing that are nearer than that are one


def style_sheet() -> str:
    """The style sheet of figures, for a page that holds some."""
    return resource("bdist.traces", "figures.css")


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

    def svg(
        self,
        *content: Content,
        name: str,
        title: str,
        description: str,
        kind: str = "",
        xmlns: str | None = None,
    ) -> Markup:
        """The figure as an element, with a text for those who do not see it."""
        return element(
            "svg",
            element("title", title, id=f"{name}-title"),
            element("desc", description, id=f"{name}-desc"),
            content,
            xmlns=xmlns,
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


def curve_svg(profile: Profile, epsilon: tuple[Fraction, Fraction] | None = None) -> str:
    """The curve of a profile as an SVG picture that stands alone, over a range or as far as it tells."""
    ends = (0.0, telling_epsilon_approx([profile])) if epsilon is None else tuple(map(float, epsilon))
    first, last = ends[0], max(ends[1], ends[0] + 1e-6)
    line = line_of(profile, "", first, last)
    frame = delta_frame([line], width=560.0, height=300.0)
    pair = " and ".join(isolated(shortened(state)) for state in profile.pair)
    title = f"true δ between {pair} against ε"
    return frame.svg(
        raw_element("style", f"{_COLOURS_ALONE}\n{style_sheet()}"),
        element("rect", class_="ground", width="100%", height="100%"),
        frame.axes("ε", "δ"),
        delta_line(frame, line),
        name="curve",
        title=title,
        description=title,
        xmlns="http://www.w3.org/2000/svg",
    )


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


_STEPS = 160
_MOST_KINKS = 60
_MOST_CHIPS = 7
_LONGEST_CHIP = 12
_DIGITS = 9
_SHORT_FRACTION = 18
_LONGEST_NAME = 32
_ELLIPSIS = "…"


@dataclass(frozen=True)
class ShownProfile:
    """A profile, what its pair is called beside others, and of how many runs it is."""

    title: str
    profile: Profile
    runs: int = 1


def page_html(exhibits: Sequence[ShownProfile], *, title: str, asked: Sequence[Skew] = ()) -> str:
    """The page as the text of an HTML file; it opens at the first point that was asked for.

    Requires: at least one profile.
    """
    return _Page(exhibits, title, asked).html()


class _Page:
    def __init__(self, exhibits: Sequence[ShownProfile], title: str, asked: Sequence[Skew]) -> None:
        self.exhibits, self.title, self.asked = exhibits, title, asked
        last = telling_epsilon_approx([exhibit.profile for exhibit in exhibits])
        last = max([last, *(1.1 * log(skew.alpha) for skew in asked)])
        self.last = Fraction(decimal_up(Fraction(last), 2))
        self.lines = [line_of(exhibit.profile, exhibit.title, 0.0, float(self.last)) for exhibit in exhibits]
        self.delta_frame = delta_frame(self.lines, width=600.0, height=380.0)
        self.square = tradeoff_frame(380.0)

    def html(self) -> str:
        several = len(self.exhibits) > 1
        parts: dict[str, Content] = {
            "version": version("bdist"),
            "heading": f"{len(self.exhibits)} pairs of states"
            if several
            else _pair(self.exhibits[0].profile),
            "strengths": [
                element("p", _strength(each, several), class_="strength") for each in self.exhibits
            ],
            "choice": self._choice() if several else None,
            "delta_figure": self._delta_figure(),
            "delta_caption": self._delta_caption(),
            "tradeoff_figure": self._tradeoff_figure(),
            "tables": [self._table(exhibit) for exhibit in self.exhibits],
            "data": raw_element("script", _json(self._data()), type="application/json", id="data"),
        }
        body = Markup(_BODY.substitute({name: joined(content) for name, content in parts.items()}))
        style, script = (
            style_sheet() + resource("bdist.traces", "page.css"),
            resource("bdist.traces", "page.js"),
        )
        return page(isolated(shortened(self.title, 80)), style, script, body)

    # --- what stands on the page ---

    def _choice(self) -> Markup:
        options = [
            element("option", visible(confined(shortened(exhibit.title, 60))), value=number)
            for number, exhibit in enumerate(self.exhibits)
        ]
        return element("p", element("label", "Pair ", element("select", options, id="pair")))

    def _delta_caption(self) -> Content:
        if len(self.exhibits) > 1:
            items = [
                element(
                    "li",
                    element("span", class_=f"key line-{number}"),
                    " ",
                    element("bdi", confined(shortened(exhibit.title, 60))),
                )
                for number, exhibit in enumerate(self.exhibits)
            ]
            return element("ul", items, class_="legend")
        if self.exhibits[0].profile.exact:
            return "The worse of the two orders, exact at every ε."
        return "The worse of the two orders; the true δ is proved to lie in the shaded region."

    def _delta_figure(self) -> Markup:
        frame = self.delta_frame
        bottom = frame.height - frame.bottom
        marks = element(
            "g",
            element("line", class_="mark", id="delta-mark", x1=0, x2=0, y1=frame.top, y2=bottom),
            element("circle", class_="dot", id="delta-lower", r="5"),
            element("circle", class_="dot", id="delta-upper", r="5"),
            class_="scripted-only",
        )
        variation = decimal_up(max(e.profile.total_variation.upper.value for e in self.exhibits), 6)
        return frame.svg(
            frame.axes("ε", "δ", (7, 6)),
            [
                element("g", delta_line(frame, line), class_=f"line line-{number}")
                for number, line in enumerate(self.lines)
            ],
            [self._ordered_lines(number) for number in range(len(self.exhibits))],
            marks,
            name="delta-figure",
            title="The true δ against ε",
            description=f"It falls from at most {variation} at ε = 0. The table has numbers.",
        )

    def _ordered_lines(self, number: int) -> list[Markup]:
        """The lines of each order alone, which are shown when that order is chosen."""
        return [
            element(
                "g",
                delta_line(
                    self.delta_frame,
                    line_of(self.exhibits[number].profile, "", 0.0, float(self.last), [order]),
                ),
                id=f"ordered-{number}-{order.value}",
                class_="ordered away",
            )
            for order in BOTH_ORDERS
        ]

    def _tradeoff_figure(self) -> Markup:
        frame = self.square
        groups = []
        for number, exhibit in enumerate(self.exhibits):
            for order in BOTH_ORDERS:
                curve = exhibit.profile.tradeoff(order)
                hidden = "" if (number, order) == (0, Order.FORWARD) else " away"
                groups.append(
                    element(
                        "g",
                        tradeoff_lines(frame, curve.optimistic, curve.pessimistic),
                        id=f"tradeoff-{number}-{order.value}",
                        class_=f"tradeoff{hidden}",
                    )
                )
        marks = element(
            "g",
            element("line", class_="tangent", id="tangent"),
            element("circle", class_="dot", id="test-dot", r="5"),
            class_="scripted-only",
        )
        return frame.svg(
            frame.axes("false positives", "true positives", (6, 6)),
            groups,
            marks,
            name="tradeoff-figure",
            title="The trade-off between the two errors of a test",
            description="True positives of the best test against its false positives.",
            kind="square",
        )

    def _table(self, exhibit: ShownProfile) -> Markup:
        profile = exhibit.profile
        heading = element("h2", "The profile of ", _pair(profile), _runs(exhibit))
        parts = _exact_tables(profile) if profile.exact else [self._open_table(profile)]
        return element("div", heading, _measures(profile), [_scroller(part, "Table") for part in parts])

    def _open_table(self, profile: Profile) -> Markup:
        places = [decimal_down(self.last * k / 8, 3) for k in range(9)]
        points = points_of(profile, [Skew.of(None, place) for place in places])
        rows = []
        for place, point in zip(places, points, strict=True):
            cells = [
                text
                for side in (point.forward, point.backward)
                for text in (
                    decimal_down(side.delta.lower.value, _DIGITS),
                    decimal_up(side.delta.upper.value, _DIGITS),
                )
            ]
            rows.append(_row(decimal_down(Fraction(place)), cells))
        heads = [
            text
            for order in BOTH_ORDERS
            for text in (joined(_order(profile, order), ": at least"), joined("at most"))
        ]
        return _table_of("The true δ from both sides, rounded outwards", ["ε", *heads], rows)

    # --- what the script reads ---

    def _data(self) -> dict[str, object]:
        frame, square = self.delta_frame, self.square
        return {
            "exhibits": [self._exhibit(exhibit.profile) for exhibit in self.exhibits],
            "delta": [
                [round(float(x), 2) for x in (frame.x(0), frame.x(1), frame.y(0), frame.y(1))],
                [frame.left, frame.width - frame.right],
            ],
            "square": [round(float(x), 2) for x in (square.x(0), square.x(1), square.y(0), square.y(1))],
        }

    def _exhibit(self, profile: Profile) -> dict[str, object]:
        skews = self._positions(profile)
        asked = {(skew.alpha, skew.epsilon) for skew in self.asked}
        places = [k for k, skew in enumerate(skews) if (skew.alpha, skew.epsilon) in asked]
        middle = min(range(len(skews)), key=lambda k: abs(log(skews[k].alpha) - float(self.last) / 4))
        kinks = [k for k, skew in enumerate(skews) if skew.epsilon is None]
        chips = [0, *places, *(kinks[:: max(1, -(-len(kinks) // _MOST_CHIPS))])]
        return {
            "names": [visible(confined(shortened(state, _LONGEST_NAME))) for state in profile.pair],
            "exact": profile.exact,
            "start": places[0] if places else middle,
            "chips": [[k, _chip(skews[k])] for k in sorted(set(chips))],
            "positions": [_position(point, profile.exact) for point in points_of(profile, skews)],
        }

    def _positions(self, profile: Profile) -> list[Skew]:
        """Where the slider can be, by increasing epsilon: even steps, breakpoints, what was asked for."""
        step = self.last / _STEPS
        even = [decimal_down(step * k, 4) for k in range(_STEPS + 1)]
        kinks = sorted(
            {
                piece.start
                for side in profile.sides()
                for loss in side
                for piece in loss.pieces()
                if piece.start > 1 and log(piece.start) <= self.last
            }
        )
        kinks = kinks if len(kinks) <= _MOST_KINKS else []
        skews = [Skew.of(None, epsilon) for epsilon in even]
        skews += [Skew(alpha) for alpha in kinks]
        skews += [skew for skew in self.asked if skew.epsilon is not None or skew.alpha not in kinks]
        by_place = {(skew.alpha, skew.epsilon): skew for skew in skews}
        return sorted(by_place.values(), key=lambda skew: (skew.alpha, skew.epsilon or ""))


# --- one position ---


def _position(point: Point, exact: bool) -> list[object]:
    skew = point.skew
    order = 0 if point.of(Order.WORSE) is point.forward else 1
    return [
        skew.epsilon or _marked(epsilon_text(skew.alpha)),
        round(log(skew.alpha), 6),
        number_text(skew.alpha) if skew.exact else decimal_down(skew.alpha, 8) + _ELLIPSIS,
        decimal_up(skew.attack_alpha, _DIGITS),
        order,
        *(_side(side, exact) for side in (point.forward, point.backward)),
        _side(OrderedPoint(point.worse, point.of(Order.WORSE).test), exact),
    ]


def _chip(skew: Skew) -> str:
    """A name for a button: the closed form where it is short, and else a few decimals."""
    if skew.epsilon is not None:
        return skew.epsilon
    form, _, decimals = epsilon_text(skew.alpha).rpartition(" = ")
    return form if form and len(form) <= _LONGEST_CHIP else f"{decimals[:6]}{_ELLIPSIS}"


def _side(side: OrderedPoint, exact: bool) -> list[object]:
    low, high, test = side.delta.lower.value, side.delta.upper.value, side.test
    return [
        _between(low, high),
        _between_privacy(low, high),
        round(float(low), 9),
        round(float(high), 9),
        _rate(test.true_positive, exact, "≥ "),
        _rate(test.false_positive, exact, "≤ "),
        _rate(1 - test.true_positive, exact, "≤ "),
        _rate(1 - test.false_positive, exact, "≥ "),
        [decimal_down(test.true_positive, _DIGITS), decimal_up(test.true_positive, _DIGITS)],
        [decimal_down(test.false_positive, _DIGITS), decimal_up(test.false_positive, _DIGITS)],
    ]


def _between(low: Fraction, high: Fraction) -> str:
    if low == high:
        return f"= {_value(high)}"
    lower, upper = decimal_down(low, _DIGITS), decimal_up(high, _DIGITS)
    common = _common(lower, upper)
    return f"= {common}{_ELLIPSIS}" if common else f"between {lower} and {upper}"


def _common(lower: str, upper: str) -> str:
    """The digits that both ends share, where these are enough to stand for a number between them."""
    if "e" in lower + upper:
        return ""
    shared = 0
    while shared < min(len(lower), len(upper)) and lower[shared] == upper[shared]:
        shared += 1
    text = lower[:shared]
    return text if len(text.lstrip("0.")) >= 6 else ""


def _between_privacy(low: Fraction, high: Fraction) -> list[str]:
    """The delta for which privacy holds, rounded up, and the one below which it does not, rounded down."""
    if low == high and len(rational_text(high)) <= _SHORT_FRACTION:
        return [rational_text(high)] * 2
    return [decimal_up(high, _DIGITS), decimal_down(low, _DIGITS)]


def _rate(value: Fraction, exact: bool, sign: str) -> str:
    if exact or value == (0 if sign == "≤ " else 1):
        return _value(value)
    return sign + (decimal_down(value, 6) if sign == "≥ " else decimal_up(value, 6))


def _value(value: Fraction) -> str:
    """An exact number: its fraction where that is short, and its decimals, marked where they are cut."""
    fraction, decimal = rational_text(value), decimal_cut(value, 8, _ELLIPSIS)
    short = len(fraction) <= _SHORT_FRACTION and fraction != decimal
    return f"{fraction} = {decimal}" if short else decimal


# --- parts of the page ---


def _strength(exhibit: ShownProfile, several: bool) -> Markup:
    profile = exhibit.profile
    what = joined(element("bdi", confined(shortened(exhibit.title, 60))), ": ") if several else joined("")
    runs = f" for {exhibit.runs} independent runs" if exhibit.runs > 1 else ""
    if profile.evidence is Evidence.UNCHECKED:
        return joined(what, f"Not certified: {profile.limit}. Nothing here is proved.")
    proof = "computed in exact arithmetic"
    if profile.evidence is Evidence.CERTIFIED:
        proof = "proved by a certificate that was checked"
    if profile.exact:
        return joined(what, f"Exact{runs}, {proof}.")
    gap = decimal_up(largest_gap(profile), 3)
    text = f"Known from both sides{runs}, at most {gap} apart, {proof}; not exact: {profile.limit}."
    return joined(what, text)


def _measures(profile: Profile) -> Markup:
    variation = profile.total_variation
    low, high = variation.lower.value, variation.upper.value
    value = _value(high) if low == high else f"{decimal_down(low, _DIGITS)} to {decimal_up(high, _DIGITS)}"
    rows: list[tuple[str, Content]] = [("Total variation, δ at ε = 0", value)]
    losses = [_marked(least_text(profile.max_divergence(order), _DIGITS, "∞")) for order in BOTH_ORDERS]
    what: Content = f"{losses[0]}, in both orders"
    if losses[0] != losses[1]:
        first, second = (_order(profile, order) for order in BOTH_ORDERS)
        what = joined(first, f": {losses[0]}; ", second, f": {losses[1]}")
    rows.append(("Largest loss, the least ε for δ = 0", what))
    return element(
        "dl",
        [element("div", element("dt", term), element("dd", text)) for term, text in rows],
        class_="measures",
    )


def _exact_tables(profile: Profile) -> list[Markup]:
    orders = told_orders(profile)
    also = ", and the same the other way round" if len(orders) == 1 else ""
    made = []
    for order, loss in orders:
        rows = []
        for piece, left_out in shortened_rows(loss.pieces(), 24):
            if piece is None:
                text = f"{counted(left_out, 'more piece')}, in --csv and --json"
                rows.append(element("tr", element("td", text, colspan="3", class_="soft")))
                continue
            end = "∞" if piece.end is None else _marked(epsilon_text(piece.end))
            formula = _marked(formula_text(piece, "e^ε")).replace(" - ", " − ")
            rows.append(_row(_marked(epsilon_text(piece.start)), [end, _set_power(formula)]))
        caption = joined(_order(profile, order), also)
        made.append(_table_of(caption, ["ε from", "to", "δ ="], rows))
    return made


def _set_power(text: str) -> Markup:
    parts = text.split("e^ε")
    return joined([joined(_power() if k else None, part) for k, part in enumerate(parts)])


def _power() -> Markup:
    return joined("e", element("sup", "ε"))


def _marked(text: str) -> str:
    return text.replace("...", _ELLIPSIS)


def _row(first: str, cells: Iterable[Content]) -> Markup:
    return element(
        "tr",
        element("th", first, scope="row", class_="number"),
        [element("td", cell, class_="number") for cell in cells],
    )


def _table_of(caption: Content, heads: Sequence[Content], rows: Sequence[Markup]) -> Markup:
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", [element("th", head, scope="col") for head in heads])),
        element("tbody", rows),
    )


def _scroller(content: Content, label: str) -> Markup:
    return element("div", content, class_="scroll", role="region", tabindex="0", aria_label=label)


def _name(state: str) -> Markup:
    return element("bdi", confined(shortened(state, 48)), class_="name")


def _pair(profile: Profile) -> Markup:
    return joined(_name(profile.pair[0]), " and ", _name(profile.pair[1]))


def _order(profile: Profile, order: Order) -> Markup:
    first, second = profile.pair if order is Order.FORWARD else profile.pair[::-1]
    return joined(_name(first), " over ", _name(second))


def _runs(exhibit: ShownProfile) -> str:
    return f", {exhibit.runs} independent runs" if exhibit.runs > 1 else ""


# what stands still on the page; its line breaks are for whoever reads the file
_BODY = Template(re.sub(r"\n *", "", resource("bdist.traces", "page.html")))


def _json(data: object) -> str:
    """JSON that cannot end the element in which it stands."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
