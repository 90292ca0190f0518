"""The chain drawn, with the states that the attack passes, and the same as a table."""

from __future__ import annotations

from collections.abc import Sequence

from bdist.audits.report import wording
from bdist.audits.report.facts import Facts
from bdist.audits.report.traces import Passage, passage
from bdist.chains.drawings.markup import Markup, element, isolated, joined
from bdist.chains.drawings.pictures import Mark, svg_element
from bdist.chains.drawings.subject import NotDrawn, Subject, subject_of
from bdist.exact.reading import rational_text
from bdist.printing import shortened
from bdist.traces.attack import Attack, Prefix


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
    marks = [] if attack is None else _marks(facts, subject, attack, traced)
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
            wording.scroller(_table(subject), "Table of states and transitions"),
        ),
        aria_labelledby="chain",
    )


def _marks(facts: Facts, subject: Subject, attack: Attack, traced: Sequence[Prefix]) -> list[Mark]:
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


def _table(subject: Subject) -> Markup:
    chain = subject.chain
    heads = [element("th", text, scope="col") for text in ("State", "Label", "Goes to")]
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
    return element(
        "table",
        element("caption", "The states and their transitions, in the order of their distance from the first"),
        element("thead", element("tr", heads)),
        element("tbody", rows),
    )
