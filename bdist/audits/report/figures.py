"""The figures of a report, drawn as SVG without any other package, each with the same as a table.

*The privacy profile of the worst pair*: delta against epsilon, and the trade-off between the two errors of a
test (`bdist.traces.page`). What was asked for is marked in both: the point (epsilon, delta), and the line
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
from bdist.audits.report.attack import passage
from bdist.audits.report.wording import Facts
from bdist.chains.drawings.diagram import DrawnChain, Mark, NotDrawn, subject_of
from bdist.chains.drawings.markup import Content, Markup, element, isolated, joined
from bdist.chains.drawings.pictures import svg_element
from bdist.distances.compute import Skew
from bdist.exact.rationals import decimal_cut, decimal_down, decimal_up, rational_text
from bdist.printing import shortened
from bdist.traces.answers import Point, largest_gap, points_of
from bdist.traces.attack import Attack
from bdist.traces.automaton import Prefix
from bdist.traces.page import (
    Frame,
    delta_frame,
    delta_line,
    line_of_slope,
    place,
    tradeoff_frame,
    tradeoff_lines,
)
from bdist.traces.plot import Line, line_of, telling_epsilon_approx
from bdist.traces.profile import Order, Profile

_LONGEST_EPSILON = 16  # characters of it beside its point; the legend has more
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
    return wording.section(
        "profile",
        "Privacy profile",
        element(
            "p",
            "How much privacy there is between ",
            wording.pair(profile.pair),
            " at every ε, and what a test can do that guesses which of the two it was. ",
            _strength(profile),
        ),
        element(
            "div",
            wording.figure(
                _delta_figure(facts, profile, line), "Curve of δ against ε", _legend(facts, profile)
            ),
            wording.figure(
                _tradeoff_figure(facts, profile, here),
                "Trade-off of a test",
                _tradeoff_caption(profile, here),
            ),
            class_="curves",
        ),
        element(
            "details",
            element("summary", "The profile as a table"),
            _profile_table(profile, Fraction(decimal_up(Fraction(last), 2))),
        ),
    )


def _strength(profile: Profile) -> str:
    if profile.exact:
        return "The curve is exact, with a checked certificate."
    gap = decimal_up(largest_gap(profile), 3)
    return (
        f"The true δ is proved to lie in the shaded region, at most {gap} wide, with a checked certificate "
        f"(not exact: {profile.limit})."
    )


def _delta_figure(facts: Facts, profile: Profile, line: Line) -> Markup:
    highest = Fraction(max(line.upper_approx))
    asked = facts.audit.delta
    also = [asked] if asked <= _FARTHEST * highest or highest == 0 else []
    frame = delta_frame([line], also, 600.0, 380.0)
    one, other = (isolated(shortened(state)) for state in profile.pair)
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
    delta = decimal_cut(facts.audit.delta, _DIGITS, "…")
    epsilon = shortened(facts.audit.epsilon_text, _LONGEST_EPSILON)
    text = f"asked for: ε = {epsilon}, δ = {delta}{', above this figure' if above else ''}"
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
    rates: list[Content] = [
        "is right with probability ",
        wording.at_least(test.true_positive),
        " and wrong with ",
        wording.at_most(test.false_positive),
    ]
    if test.true_positive == 0:
        rates = ["never says ", wording.name(first)]
    return joined(
        "Up: how often the best test says ",
        wording.name(first),
        " rightly; to the right: how often it does when it was ",
        wording.name(second),
        ". The dashed line is what was asked for: privacy holds if the curve is nowhere above it. At this ε "
        "the best test ",
        *rates,
        ".",
    )


def _legend(facts: Facts, profile: Profile) -> Markup:
    def key(shape: Markup) -> Markup:
        return element("svg", shape, class_="curve key", width="18", height="14", aria_hidden="true")

    diamond = element("polygon", class_="asked", points="9,0.5 15.5,7 9,13.5 2.5,7")
    shown = (element("polyline", class_="upper", points="0,7 18,7"), "the true δ, exact")
    if not profile.exact:
        region = element("rect", class_="region", x="0", y="1", width="18", height="12")
        shown = (region, "the true δ lies here")
    asked = joined(
        "asked for: ε = ", wording.name(facts.audit.epsilon_text), ", δ = ", wording.exact(facts.audit.delta)
    )
    entries = [element("li", key(sign), " ", text) for sign, text in (shown, (diamond, asked))]
    return element("ul", entries, class_="legend")


def _profile_table(profile: Profile, last: Fraction) -> Markup:
    rows = []
    for k in range(_ROWS + 1):
        epsilon = decimal_down(last * k / _ROWS, 3)
        worse = profile.at(Skew.of(None, epsilon))
        lower, upper = worse.lower.value, worse.upper.value
        rows.append([epsilon, wording.at_least(lower, _DIGITS), wording.at_most(upper, _DIGITS)])
    caption = "The true δ of the worse order, rounded outwards; 'bdist profile' has it at every ε."
    return wording.table(caption, list(map(wording.number_column, ("ε", "δ at least", "δ at most"))), rows)


def chain_section(facts: Facts, traced: Sequence[Prefix]) -> Markup:
    """The figure; ``traced`` are the prefixes whose way is emphasised, of the attack that is shown."""
    finding = facts.attacked
    roots = () if finding is None else tuple(dict.fromkeys(finding.pair))
    subject = subject_of(facts.chain, roots)
    if isinstance(subject, NotDrawn):
        reason = element("p", f"The chain is not drawn: {subject.reason}.")
        return wording.section("chain", "The chain", reason)
    attack = None if finding is None else finding.attack
    marks = [] if attack is None else _passed_marks(facts, subject, attack, traced)
    drawn = svg_element(subject, marks, title=f"The chain {isolated(shortened(facts.title))}", name="chain")
    return wording.section(
        "chain",
        "The chain",
        element(
            "p",
            "Every box is a state: its name, which nobody outside sees, and below it the label that an "
            "observer sees. Arrows carry probabilities.",
        ),
        wording.figure(drawn, "Drawing of the chain", f"Shown: {subject.caption}."),
        element(
            "details",
            element("summary", "The same as a table"),
            wording.scroller(_chain_table(subject), "Table of states and transitions"),
        ),
    )


def _passed_marks(facts: Facts, subject: DrawnChain, attack: Attack, traced: Sequence[Prefix]) -> list[Mark]:
    """What runs from one state pass, what runs from the other pass, and what both do; in the numbers of the
    drawing, where states that are not drawn drop out.
    """
    names = facts.chain.states
    place = {i: subject.drawn_as[name] for i, name in enumerate(names) if name in subject.drawn_as}
    passed = []
    for state in attack.pair:
        states, transitions = passage(facts.chain, state, traced)
        drawn = frozenset((place[i], place[j]) for i, j in transitions if i in place and j in place)
        passed.append((frozenset(place[i] for i in states if i in place), drawn))
    (one, one_way), (other, other_way) = passed
    first, second = (isolated(shortened(state)) for state in attack.pair)
    return [
        Mark(f"passed from {first} while the labels are accepted", one - other, one_way - other_way),
        Mark(f"passed from {second} while the labels are accepted", other - one, other_way - one_way),
        Mark("passed from both", one & other, one_way & other_way),
    ]


def _chain_table(subject: DrawnChain) -> Markup:
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
        rows.append([wording.name(chain.states[i]), wording.name(chain.labels[i]), targets])
    caption = "The states and their transitions, in the order of their distance from the first"
    return wording.table(caption, [("State", None), ("Label", None), ("Goes to", None)], rows)
