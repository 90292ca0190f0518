"""The figures of a report, drawn as SVG without any other package, each with the same as a table.

*The privacy profile of the worst pair*: delta against epsilon, and the trade-off between the two errors of a
test (`bdist.traces.figures`). What was asked for is marked in both: the point (epsilon, delta), and the line
of slope e^epsilon from delta upwards, above which no test may be. Where the asked delta lies so far up that
the curve would be flattened, a mark on the upper edge says so instead. The same numbers are in a table below,
for those who cannot see the figure and for those who want to copy them.

*The chain*, with the states that the attack passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp

from bdist.audits.report import wording
from bdist.audits.report.attack import Passage, passage
from bdist.audits.report.facts import Facts
from bdist.chains.drawings.diagram import Mark
from bdist.chains.drawings.markup import Markup, element, isolated, joined
from bdist.chains.drawings.pictures import svg_element
from bdist.chains.drawings.subject import NotDrawn, Subject, subject_of
from bdist.distances.compute import Skew
from bdist.exact.display import decimal_cut, decimal_down, decimal_up
from bdist.exact.reading import rational_text
from bdist.printing import shortened
from bdist.traces.attack import Attack
from bdist.traces.automaton import Prefix
from bdist.traces.figures import (
    Frame,
    delta_frame,
    delta_line,
    line_of_slope,
    place,
    tradeoff_frame,
    tradeoff_lines,
)
from bdist.traces.plot import Line, line_of, telling_epsilon_approx
from bdist.traces.points import Point, largest_gap, points_of
from bdist.traces.profile import Order, Profile

_FARTHEST = 3  # a point asked for is drawn in its place up to that many times the highest bound
_ROWS = 12
_DIGITS = 7


def profile_section(facts: Facts) -> Markup | None:
    """Both figures, their legends and their data; nothing where there is no profile."""
    profile = facts.profile
    if profile is None:
        return None
    last = max(telling_epsilon_approx([profile]), 1.25 * facts.epsilon_approx)
    line = line_of(profile, "", 0.0, last)
    asked = Skew(facts.audit.alpha, None, facts.alpha_is_exact, facts.audit.attack_alpha)
    (here,) = points_of(profile, [asked])
    return element(
        "section",
        element("h2", "Privacy profile", id="profile"),
        element(
            "p",
            "How much privacy there is between ",
            wording.pair(profile.pair),
            " at every ε, and what a test can do that guesses which of the two it was. ",
            _strength(profile),
        ),
        element(
            "div",
            element(
                "figure",
                wording.scroller(_delta_figure(facts, line), "Curve of δ against ε"),
                element("figcaption", _legend(facts, profile)),
            ),
            element(
                "figure",
                wording.scroller(_tradeoff_figure(facts, profile, here), "Trade-off of a test"),
                element("figcaption", _tradeoff_caption(profile, here)),
            ),
            class_="curves",
        ),
        element(
            "details",
            element("summary", "The profile as a table"),
            _profile_table(profile, Fraction(decimal_up(Fraction(last), 2))),
        ),
        aria_labelledby="profile",
    )


def _strength(profile: Profile) -> str:
    if profile.exact:
        return "The curve is exact, with a checked certificate."
    gap = decimal_up(largest_gap(profile), 3)
    return (
        f"The true δ is proved to lie in the shaded region, at most {gap} wide, with a checked certificate "
        f"(not exact: {profile.limit})."
    )


def _delta_figure(facts: Facts, line: Line) -> Markup:
    highest = Fraction(max(line.upper_approx))
    asked = facts.audit.delta
    also = [asked] if asked <= _FARTHEST * highest or highest == 0 else []
    frame = delta_frame([line], also, 600.0, 380.0)
    assert facts.profile is not None  # noqa: S101 - asked by the caller
    one, other = (isolated(shortened(state)) for state in facts.profile.pair)
    return frame.svg(
        frame.axes("ε", "δ", (7, 6)),
        element("g", delta_line(frame, line), class_="line"),
        _asked_point(facts, frame),
        name="curve",
        title=f"True δ between {one} and {other} against ε",
        description="The table below has the numbers.",
    )


def _asked_point(facts: Facts, frame: Frame) -> Markup:
    """The point that was asked for: a diamond in its place, or an arrow at the edge if it is far above."""
    x = frame.x(facts.epsilon_approx)
    above = facts.audit.delta > frame.highest
    y = frame.top if above else frame.y(facts.audit.delta)
    shape = [(0, -7), (6, 4), (-6, 4)] if above else [(0, -6.5), (6.5, 0), (0, 6.5), (-6.5, 0)]
    corners = " ".join(f"{place(x + a)},{place(y + b)}" for a, b in shape)
    text = f"asked for: δ = {_short(facts.audit.delta)}{', above this figure' if above else ''}"
    on_the_right = x > frame.width / 2
    bottom = frame.height - frame.bottom
    return element(
        "g",
        element("line", class_="asked", x1=place(x), x2=place(x), y1=place(frame.top), y2=place(bottom)),
        element("polygon", class_="asked", points=corners),
        element(
            "text",
            text,
            class_=f"note {'end' if on_the_right else 'start'}",
            x=place(x - 12 if on_the_right else x + 12),
            y=place(max(y - 9, frame.top - 12)),
        ),
    )


def _tradeoff_figure(facts: Facts, profile: Profile, here: Point) -> Markup:
    frame = tradeoff_frame(380.0)
    order = _worse(here)
    curve = profile.tradeoff(order)
    ends = line_of_slope(frame, exp(facts.epsilon_approx), facts.audit.delta)
    test = here.of(order).test
    return frame.svg(
        frame.axes("false positives", "true positives", (6, 6)),
        tradeoff_lines(frame, curve.optimistic, curve.pessimistic),
        element("line", class_="asked slope", **ends),
        element(
            "circle",
            class_="asked",
            cx=place(frame.x(test.false_positive)),
            cy=place(frame.y(test.true_positive)),
            r="4.5",
        ),
        name="tradeoff",
        title="The trade-off between the two errors of a test",
        description="True positives of the best test against its false positives, and the line that was "
        "asked for.",
    )


def _worse(point: Point) -> Order:
    return Order.BACKWARD if point.worse_order is Order.BACKWARD else Order.FORWARD


def _tradeoff_caption(profile: Profile, here: Point) -> Markup:
    order = _worse(here)
    first, second = profile.pair if order is Order.FORWARD else profile.pair[::-1]
    test = here.of(order).test
    return joined(
        "Up: how often the best test says ",
        wording.name(first),
        " rightly; to the right: how often it does when it was ",
        wording.name(second),
        ". The dashed line is what was asked for: privacy holds if the curve is nowhere above it. At this ε "
        "the best test is right with probability ",
        wording.at_least(test.true_positive),
        " and wrong with ",
        wording.at_most(test.false_positive),
        ".",
    )


def _legend(facts: Facts, profile: Profile) -> Markup:
    def key(*shapes: Markup) -> Markup:
        return element("svg", shapes, class_="curve key", width="18", height="14", aria_hidden="true")

    diamond = element("polygon", class_="asked", points="9,0.5 15.5,7 9,13.5 2.5,7")
    if profile.exact:
        shown = (key(element("polyline", class_="upper", points="0,7 18,7")), "the true δ, exact")
    else:
        shown = (
            key(element("rect", class_="region", x="0", y="1", width="18", height="12")),
            "the true δ lies here",
        )
    asked = joined(
        "asked for: ε = ", wording.name(facts.audit.epsilon_text), ", δ = ", wording.exact(facts.audit.delta)
    )
    entries = [shown, (key(diamond), asked)]
    return element("ul", [element("li", sign, " ", text) for sign, text in entries], class_="legend")


def _profile_table(profile: Profile, last: Fraction) -> Markup:
    heads = wording.heads("ε", "δ at least", "δ at most", kind="number")
    rows = []
    for k in range(_ROWS + 1):
        epsilon = decimal_down(last * k / _ROWS, 3)
        worse = profile.at(Skew.of(None, epsilon))
        rows.append(
            element(
                "tr",
                element("th", epsilon, scope="row", class_="number"),
                element("td", wording.at_least(worse.lower.value, _DIGITS), class_="number"),
                element("td", wording.at_most(worse.upper.value, _DIGITS), class_="number"),
            )
        )
    caption = "The true δ of the worse order, rounded outwards; 'bdist profile' has it at every ε."
    return wording.table(caption, heads, rows)


def _short(value: Fraction) -> str:
    return decimal_cut(value, _DIGITS, "…")


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
