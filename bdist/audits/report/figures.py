"""The two figures of a report, drawn as SVG without any other package, each with the same as a table.

*delta against epsilon for the worst pair.* The steps are the envelopes of `Curve`, and what is between them
is where the true delta is proved to lie. The point that was asked for is marked; where it lies so far up that
the curve would be flattened, a mark on the upper edge says so instead. The same numbers are in a table below,
for those who cannot see the figure and for those who want to copy them, and it is whole; the figure ends
where the curve has come down to its axis. Round numbers on its axes are computed exactly, so that a tick says
what it stands at.

*The chain*, with the states that the attack passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from bdist.audits.report import wording
from bdist.audits.report.attack import Passage, passage
from bdist.audits.report.facts import Facts
from bdist.chains.drawings.markup import Markup, element, isolated, joined
from bdist.chains.drawings.pictures import Mark, svg_element
from bdist.chains.drawings.subject import NotDrawn, Subject, subject_of
from bdist.exact.display import decimal_cut, decimal_down, decimal_up
from bdist.exact.reading import rational_text
from bdist.printing import shortened
from bdist.traces.attack import Attack, Prefix
from bdist.traces.curve import Curve, Point

_ROUND = (Fraction(1), Fraction(2), Fraction(5))
_WIDTH, _HEIGHT = 760.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 84.0, 18.0, 26.0, 50.0
_HEADROOM = Fraction(107, 100)
_FARTHEST = 3  # a point asked for is drawn in its place up to that many times the highest bound
_FLAT = 200  # times less than the highest bound is as good as 0
_DIGITS = 7


def ticks(low: Fraction, high: Fraction, most: int) -> list[Fraction]:
    """At most that many multiples of 1, 2 or 5 times a power of ten, from ``low`` to ``high``.

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


def tick_text(value: Fraction) -> str:
    """A tick in decimals, which end because it is round."""
    return decimal_down(value)


@dataclass(frozen=True)
class _Scale:
    """From epsilon and delta to places in the figure."""

    first: Fraction
    last: Fraction
    highest: Fraction

    def x(self, epsilon: Fraction | float) -> float:
        share = (float(epsilon) - float(self.first)) / float(self.last - self.first)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, delta: Fraction) -> float:
        return _TOP + (1 - float(delta / self.highest)) * (_HEIGHT - _TOP - _BOTTOM)


def curve_section(facts: Facts) -> Markup | None:
    """The figure, its legend and its data; nothing where there is no curve."""
    curve = facts.curve
    if curve is None:
        return None
    drawn = _telling(curve, facts.epsilon_approx)
    return element(
        "section",
        element("h2", "δ against ε", id="curve"),
        element(
            "p",
            "How much privacy there is between ",
            wording.pair(curve.pair),
            " at other ε: the true δ is proved to lie in the shaded region. Every mark is computed, the "
            "upper ones with a checked certificate; between two marks the bounds hold because the true δ "
            "falls as ε grows.",
        ),
        _limit(curve),
        element(
            "figure",
            wording.scroller(_svg(facts, drawn), "Curve of δ against ε"),
            element("figcaption", _legend(facts, drawn), _beyond(curve, drawn)),
        ),
        element(
            "details",
            element("summary", f"The {wording.plural(len(curve.points), 'point')} as a table"),
            _curve_table(curve),
        ),
        aria_labelledby="curve",
    )


def _limit(curve: Curve) -> Markup | None:
    if curve.limit is None:
        return None
    return element("p", f"The curve was cut short ({curve.limit}); its bounds hold all the same.")


def _telling(curve: Curve, asked_approx: float) -> Curve:
    """The curve up to where it is as good as 0, past the epsilon that was asked for."""
    highest = max(point.upper.value for point in curve.points)
    for number, point in enumerate(curve.points, 1):
        flat = curve.upper_at(point.epsilon) * _FLAT <= highest
        if number > 1 and flat and float(point.epsilon) > asked_approx:
            return replace(curve, points=curve.points[:number])
    return curve


def _beyond(curve: Curve, drawn: Curve) -> Markup | None:
    if len(drawn.points) == len(curve.points):
        return None
    last = drawn.points[-1].epsilon
    end = f"Not drawn: beyond ε = {_plain(last)} the true δ is at most "
    return element("p", end, wording.at_most(drawn.upper_at(last)), ".")


def _svg(facts: Facts, curve: Curve) -> Markup:
    scale = _scale(facts, curve)
    ends = "; ".join(_in_words(point) for point in (curve.points[0], curve.points[-1]))
    one, other = (isolated(shortened(state)) for state in curve.pair)
    return element(
        "svg",
        element("title", f"True δ between {one} and {other} against ε", id="curve-title"),
        element("desc", f"{ends}. The table below has all points.", id="curve-desc"),
        _axes(scale),
        _region(curve, scale),
        [_marks(point, scale) for point in curve.points],
        _asked(facts, scale),
        class_="curve",
        role="img",
        aria_labelledby="curve-title curve-desc",
        viewBox=f"0 0 {_WIDTH:g} {_HEIGHT:g}",
        width=f"{_WIDTH:g}",
        height=f"{_HEIGHT:g}",
    )


def _scale(facts: Facts, curve: Curve) -> _Scale:
    first, last = curve.points[0].epsilon, curve.points[-1].epsilon
    if first == last:
        last = first + 1
    highest = max(point.upper.value for point in curve.points)
    if highest == 0:
        highest = facts.audit.delta or Fraction(1)
    if facts.audit.delta <= _FARTHEST * highest:
        highest = max(highest, facts.audit.delta)
    return _Scale(first, last, highest * _HEADROOM)


def _axes(scale: _Scale) -> list[Markup]:
    left, bottom = _place(_LEFT), _place(_HEIGHT - _BOTTOM)
    made = []
    for value in ticks(Fraction(0), scale.highest, 6):
        y = _place(scale.y(value))
        made.append(element("line", class_="grid", x1=left, x2=_place(_WIDTH - _RIGHT), y1=y, y2=y))
        made.append(
            element("text", tick_text(value), class_="tick end", x=_place(_LEFT - 8), y=y, dy="0.35em")
        )
    for value in ticks(scale.first, scale.last, 9):
        x = _place(scale.x(value))
        made.append(element("line", class_="axis", x1=x, x2=x, y1=bottom, y2=_place(_HEIGHT - _BOTTOM + 5)))
        made.append(
            element("text", tick_text(value), class_="tick middle", x=x, y=_place(_HEIGHT - _BOTTOM + 20))
        )
    made.append(element("line", class_="axis", x1=left, x2=_place(_WIDTH - _RIGHT), y1=bottom, y2=bottom))
    made.append(element("line", class_="axis", x1=left, x2=left, y1=_place(_TOP), y2=bottom))
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    made.append(element("text", "ε", class_="name middle", x=_place(middle), y=_place(_HEIGHT - 8)))
    made.append(element("text", "δ", class_="name middle", x=_place(_LEFT), y=_place(_TOP - 10)))
    return made


def _region(curve: Curve, scale: _Scale) -> list[Markup]:
    """The shaded region, and the two lines that bound it."""
    upper: list[str] = []
    lower: list[str] = []
    for point, after in pairwise(curve.points):
        ends = (scale.x(point.epsilon), scale.x(after.epsilon))
        above, below = curve.upper_at(point.epsilon), curve.lower_at(after.epsilon)
        upper += [f"{_place(x)},{_place(scale.y(above))}" for x in ends]
        lower += [f"{_place(x)},{_place(scale.y(below))}" for x in ends]
    if not upper:
        return []
    return [
        element("polygon", class_="region", points=" ".join([*upper, *reversed(lower)])),
        element("polyline", class_="upper", points=" ".join(upper)),
        element("polyline", class_="lower", points=" ".join(lower)),
    ]


def _marks(point: Point, scale: _Scale) -> Markup:
    """A ring at the upper bound of a point and a dot at its lower one."""
    x = _place(scale.x(point.epsilon))
    return element(
        "g",
        element("title", _in_words(point)),
        element("circle", class_="ring", cx=x, cy=_place(scale.y(point.upper.value)), r="4"),
        element("circle", class_="dot", cx=x, cy=_place(scale.y(point.lower.value)), r="2.2"),
    )


def _in_words(point: Point) -> str:
    low, high = decimal_down(point.lower.value, _DIGITS), decimal_up(point.upper.value, _DIGITS)
    return f"at ε = {_plain(point.epsilon)} the true δ is between {low} and {high}"


def _asked(facts: Facts, scale: _Scale) -> Markup | None:
    """The point that was asked for: a diamond in its place, or an arrow at the edge if it is far above."""
    if not float(scale.first) <= facts.epsilon_approx <= float(scale.last):
        return None
    x = scale.x(facts.epsilon_approx)
    above = facts.audit.delta > scale.highest
    y = _TOP if above else scale.y(facts.audit.delta)
    shape = [(0, -7), (6, 4), (-6, 4)] if above else [(0, -6.5), (6.5, 0), (0, 6.5), (-6.5, 0)]
    corners = " ".join(f"{_place(x + a)},{_place(y + b)}" for a, b in shape)
    text = f"asked for: δ = {_short(facts.audit.delta)}{', above this figure' if above else ''}"
    on_the_right = x > (_LEFT + _WIDTH) / 2
    return element(
        "g",
        element(
            "line", class_="asked", x1=_place(x), x2=_place(x), y1=_place(_TOP), y2=_place(_HEIGHT - _BOTTOM)
        ),
        element("polygon", class_="asked", points=corners),
        element(
            "text",
            text,
            class_=f"note {'end' if on_the_right else 'start'}",
            x=_place(x - 12 if on_the_right else x + 12),
            y=_place(max(y - 9, _TOP - 12)),
        ),
    )


def _legend(facts: Facts, curve: Curve) -> Markup:
    def key(*shapes: Markup) -> Markup:
        return element("svg", shapes, class_="curve key", width="18", height="14", aria_hidden="true")

    diamond = element("polygon", class_="asked", points="9,0.5 15.5,7 9,13.5 2.5,7")
    entries = [
        (
            key(element("rect", class_="region", x="0", y="1", width="18", height="12")),
            "the true δ lies here",
        ),
        (
            key(element("circle", class_="ring", cx="9", cy="7", r="4")),
            f"at most, by {curve.quantity}, certified",
        ),
        (key(element("circle", class_="dot", cx="9", cy="7", r="2.2")), "at least, by an attack, exact"),
        (key(diamond), _asked_text(facts, curve)),
    ]
    return element("ul", [element("li", sign, " ", text) for sign, text in entries], class_="legend")


def _asked_text(facts: Facts, curve: Curve) -> Markup:
    asked = joined(
        "asked for: ε = ", wording.name(facts.audit.epsilon_text), ", δ = ", wording.exact(facts.audit.delta)
    )
    if float(curve.points[0].epsilon) <= facts.epsilon_approx <= float(curve.points[-1].epsilon):
        return asked
    return joined(asked, ", outside this figure")


def _curve_table(curve: Curve) -> Markup:
    heads = wording.heads("ε", "δ at least", "δ at most", kind="number")
    rows = [
        element(
            "tr",
            element("th", _plain(point.epsilon), scope="row", class_="number"),
            element("td", wording.at_least(curve.lower_at(point.epsilon), _DIGITS), class_="number"),
            element("td", wording.at_most(curve.upper_at(point.epsilon), _DIGITS), class_="number"),
        )
        for point in curve.points
    ]
    caption = "Between two rows: at least what the lower row says, at most what the upper row says."
    return wording.table(caption, heads, rows)


def _plain(value: Fraction) -> str:
    decimal = decimal_down(value)
    return decimal if Fraction(decimal) == value else rational_text(value)


def _short(value: Fraction) -> str:
    return decimal_cut(value, _DIGITS, "…")


def _place(value: float) -> str:
    return f"{round(value, 1):g}"


def chain_section(facts: Facts, traced: Sequence[Prefix]) -> Markup:
    """The figure; ``traced`` are the prefixes whose way is emphasised, of the attack that is shown."""
    finding = facts.attacked
    roots = () if finding is None else tuple(dict.fromkeys(finding.pair))
    subject = subject_of(facts.chain, roots)
    heading = element("h2", "The chain", id="chain")
    if isinstance(subject, NotDrawn):
        text = element("p", f"The chain is not drawn: {subject.reason}.")
        return element("section", heading, text, aria_labelledby="chain")
    attack = None if finding is None else finding.attack
    marks = [] if attack is None else _passed_marks(facts, subject, attack, traced)
    drawn = svg_element(subject, marks, title=f"The chain {isolated(shortened(facts.title))}", name="chain")
    return element(
        "section",
        heading,
        element(
            "p",
            "Every box is a state: its name, which nobody outside sees, and below it the label that an "
            "observer sees. Arrows carry probabilities.",
        ),
        element(
            "figure",
            wording.scroller(drawn, "Drawing of the chain"),
            element("figcaption", f"Shown: {subject.caption}."),
        ),
        element(
            "details",
            element("summary", "The same as a table"),
            wording.scroller(_chain_table(subject), "Table of states and transitions"),
        ),
        aria_labelledby="chain",
    )


def _passed_marks(facts: Facts, subject: Subject, attack: Attack, traced: Sequence[Prefix]) -> list[Mark]:
    """What runs from one state pass, what runs from the other pass, and what both do."""
    one, other = (_drawn(facts, subject, passage(facts.chain, state, traced)) for state in attack.pair)
    first, second = (isolated(shortened(state)) for state in attack.pair)
    both = Passage(one.states & other.states, one.transitions & other.transitions)
    return [
        Mark(
            f"passed from {first} while the labels are accepted",
            one.states - both.states,
            one.transitions - both.transitions,
        ),
        Mark(
            f"passed from {second} while the labels are accepted",
            other.states - both.states,
            other.transitions - both.transitions,
        ),
        Mark("passed from both", both.states, both.transitions),
    ]


def _drawn(facts: Facts, subject: Subject, passed: Passage) -> Passage:
    """A passage in the numbers of the drawing; states that are not drawn drop out."""
    states = facts.chain.states
    place = {i: subject.drawn_as[states[i]] for i in passed.states if states[i] in subject.drawn_as}
    return Passage(
        frozenset(place.values()),
        frozenset((place[i], place[j]) for i, j in passed.transitions if i in place and j in place),
    )


def _chain_table(subject: Subject) -> Markup:
    chain = subject.chain
    rows = []
    for i in (i for layer in subject.layers for i in layer):
        targets = [
            joined(
                ", " if k else None,
                element("span", shortened(rational_text(p), 40), class_="number"),
                " ",
                wording.name(chain.states[j]),
            )
            for k, (j, p) in enumerate(chain.rows[i])
        ]
        rows.append(
            element(
                "tr",
                element("th", wording.name(chain.states[i]), scope="row"),
                element("td", wording.name(chain.labels[i])),
                element("td", targets),
            )
        )
    caption = "The states and their transitions, in the order of their distance from the first"
    return wording.table(caption, wording.heads("State", "Label", "Goes to"), rows)
