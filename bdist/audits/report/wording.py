"""What all parts of a report share: what it is about, and how names, numbers and tables are written.

A number that is exact is written with "=", a bound with its sign and rounded away from what it bounds; the
exact fraction is in the tooltip, and beside the number where it is short. Names of states, labels and files
stand in ``<bdi>``, so that one written from right to left, or one that pretends to be, stays in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from math import log

from bdist.audits.findings import Audit, Finding
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.markup import Content, Markup, confined, element, isolated, joined
from bdist.exact.rationals import decimal_cut, decimal_down, decimal_up, rational_text
from bdist.printing import shortened
from bdist.results import Answer
from bdist.traces.profile import Profile

SYMBOLS = {Answer.HOLDS: "✓", Answer.VIOLATED: "✗", Answer.UNKNOWN: "?"}
DIGITS = 6
_SHORT_FRACTION = 16
_LONGEST_TOOLTIP = 240
_LONGEST_NAME = 48
_HASH_DIGITS = 12


@dataclass(frozen=True)
class Facts:
    """An audit with what surrounds it.

    ``certificates`` is the folder in which the certificates of the audit were saved, if they were;
    ``profile`` belongs to the worst pair; ``made`` is the time of the run, in UTC.
    """

    audit: Audit
    chain: LabelledMarkovChain
    model_file: str
    relation: str
    command: str
    profile: Profile | None
    certificates: str | None
    made: datetime

    @cached_property
    def worst(self) -> Finding | None:
        """The finding that comes first, if there is any."""
        return self.audit.findings[0] if self.audit.findings else None

    @cached_property
    def attacked(self) -> Finding | None:
        """The worst finding; where that has no attack, the one with the largest lower end that has."""
        if self.worst is None or self.worst.attack is not None:
            return self.worst
        with_attack = [finding for finding in self.audit.findings if finding.attack is not None]
        return max(with_attack, key=lambda finding: finding.delta.lower.value, default=self.worst)

    @property
    def epsilon_approx(self) -> float:
        """Epsilon in floating point, for a place in a figure."""
        return log(self.audit.alpha)

    @property
    def alpha_is_exact(self) -> bool:
        """Whether alpha is e^epsilon, and not a rational just below."""
        return self.audit.alpha == self.audit.attack_alpha

    @property
    def title(self) -> str:
        """What the model is called: by its own name, or by the file's."""
        return self.audit.name or self.model_file


def name(text: str, longest: int = _LONGEST_NAME) -> Markup:
    """A name of the model, isolated from what stands around it, shortened where it is long."""
    shown = shortened(text, longest)
    full = None if shown == text else isolated(shortened(text, _LONGEST_TOOLTIP))
    return element("bdi", confined(shown) if text else "\u00a0", class_="name", title=full)


def names(texts: Sequence[str], most: int) -> Markup:
    """Some names, separated by commas, and how many there are beyond."""
    shown = joined([joined(", " if k else None, name(text)) for k, text in enumerate(texts[:most])])
    return joined(shown, f" and {len(texts) - most} more" if len(texts) > most else None)


def pair(states: tuple[str, str], between: str = " and ") -> Markup:
    """Two states."""
    return joined(name(states[0]), between, name(states[1]))


def prose(text: str) -> Markup:
    """Text of ours with every e^ε in it set as it is printed."""
    power = joined("e", element("sup", "ε"))
    return joined([joined(power if k else None, part) for k, part in enumerate(text.split("e^ε"))])


def exact(value: Fraction, digits: int = DIGITS) -> Markup:
    """An exact value: the fraction where that is short, and the decimal, with a mark where it is cut."""
    decimal = _exact_decimal(value, digits)
    fraction = rational_text(value)
    if fraction == decimal:
        return _number(fraction, value)
    if len(fraction) > _SHORT_FRACTION:
        return _number(decimal, value)
    return element("span", element("span", fraction), " = ", element("span", decimal), class_="number")


def at_least(value: Fraction, digits: int = DIGITS) -> Markup:
    """A lower bound, rounded down."""
    return _number(decimal_down(value, digits), value)


def at_most(value: Fraction, digits: int = DIGITS) -> Markup:
    """An upper bound, rounded up."""
    return _number(decimal_up(value, digits), value)


def is_whole(value: Fraction, digits: int = DIGITS) -> bool:
    """Whether a bound is shown as it is, and not rounded."""
    return Fraction(decimal_up(value, digits)) == value


def between(lower: Fraction, upper: Fraction) -> Markup:
    """What is known of a quantity: "= x", or its two bounds."""
    if lower == upper:
        return joined("= ", _number(_exact_decimal(upper), upper))
    return joined("≥ ", at_least(lower), element("br"), "≤ ", at_most(upper))


def fraction(value: Fraction, longest: int = 60) -> Markup:
    """A fraction in full; where it is very long, its beginning and its length, the rest on request."""
    text = rational_text(value)
    if len(text) <= longest:
        return element("span", text, class_="number")
    digits = element("code", text, class_="digits")
    summary = element("summary", f"{_exact_decimal(value, 12)} (a fraction of {len(text) - 1} digits)")
    return element("details", summary, digits, class_="inline")


def verdict(answer: Answer) -> Markup:
    """A verdict in words, with its sign."""
    sign = element("span", SYMBOLS[answer], aria_hidden="true")
    return element("span", sign, f" {answer.value.upper()}", class_=f"badge {answer.value}")


def section(anchor: str, heading: Content, *content: Content, class_: str | None = None) -> Markup:
    """A part of the page that can be jumped to."""
    head = element("h2", heading, id=anchor)
    return element("section", head, content, class_=class_, aria_labelledby=anchor)


def figure(drawn: Markup, label: str, caption: Content) -> Markup:
    """A drawing with what is said of it below."""
    return element("figure", scroller(drawn, label), element("figcaption", caption))


Column = tuple[Content, str | None]


def number_column(*heading: Content) -> Column:
    """A column of numbers, which end at one line."""
    return heading, "number"


def table(caption: Content, columns: Sequence[Column], rows: Iterable[Sequence[Content] | Markup]) -> Markup:
    """A table: the heading and the class of each column, and rows, whose first cells name them."""
    kinds = [kind for _, kind in columns]
    heads = [element("th", heading, scope="col", class_=kind) for heading, kind in columns]
    return table_of(caption, heads, [row if isinstance(row, Markup) else _row(row, kinds) for row in rows])


def _row(cells: Sequence[Content], kinds: Sequence[str | None]) -> Markup:
    first, *others = zip(cells, kinds, strict=True)
    rest = [element("td", cell, class_=kind) for cell, kind in others]
    return element("tr", element("th", first[0], scope="row", class_=first[1]), rest)


def table_of(caption: Content, heads: Sequence[Markup], rows: Sequence[Markup], **attributes: str) -> Markup:
    """A table whose heads and rows are elements already."""
    above = element("thead", element("tr", heads))
    return element("table", element("caption", caption), above, element("tbody", rows), **attributes)


def facts_table(caption: Markup, rows: list[tuple[Content, Content]]) -> Markup:
    """A table of two columns: what something is, and its value."""
    lines = [element("tr", element("th", what, scope="row"), element("td", value)) for what, value in rows]
    return element("table", caption, element("tbody", lines), class_="facts")


def scroller(content: Content, label: str) -> Markup:
    """What may be wider than the page: scrolled within its own frame, also by keyboard."""
    return element("div", content, class_="scroll", role="region", tabindex="0", aria_label=label)


def short_hash(sha256: str) -> str:
    """The beginning of a hash, enough to tell hashes apart by eye."""
    return sha256[:_HASH_DIGITS]


def plural(number: int, what: str, ending: str = "s") -> str:
    """A number of things, in words."""
    return f"{number:,} {what}{'' if number == 1 else ending}"


def _number(text: str, value: Fraction) -> Markup:
    fraction = rational_text(value)
    tooltip = None if fraction == text else shortened(fraction, _LONGEST_TOOLTIP)
    return element("span", text, class_="number", title=tooltip)


def _exact_decimal(value: Fraction, digits: int = DIGITS) -> str:
    """The decimal where it ends, cut and marked where it does not; with its sign."""
    sign = "−" if value < 0 else ""
    return f"{sign}{decimal_cut(abs(value), digits, '…')}"
