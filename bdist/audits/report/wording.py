"""Names and numbers on a page: never more than is known, and never more than fits.

A number that is exact is written with "=", a bound with its sign and rounded away from what it bounds; the
exact fraction is in the tooltip, and beside the number where it is short. Names of states, labels and files
stand in ``<bdi>``, so that one written from right to left, or one that pretends to be, stays in its place.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.chains.drawings.markup import Content, Markup, confined, element, isolated, joined
from bdist.exact.display import decimal_cut, decimal_down, decimal_up
from bdist.exact.reading import rational_text
from bdist.printing import shortened
from bdist.results import Answer

SYMBOLS = {Answer.HOLDS: "✓", Answer.VIOLATED: "✗", Answer.UNKNOWN: "?"}
DIGITS = 6
_SHORT_FRACTION = 16
_LONGEST_TOOLTIP = 240
_LONGEST_NAME = 48
_HASH_DIGITS = 12


def name(text: str, longest: int = _LONGEST_NAME) -> Markup:
    """A name of the model, isolated from what stands around it, shortened where it is long."""
    shown = shortened(text, longest)
    full = None if shown == text else isolated(shortened(text, _LONGEST_TOOLTIP))
    return element("bdi", confined(shown) if text else "\u00a0", class_="name", title=full)


def names(texts: list[str], most: int) -> Markup:
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


def heads(*texts: Content, kind: str | None = None) -> list[Markup]:
    """The headings of columns."""
    return [element("th", text, scope="col", class_=kind) for text in texts]


def table(caption: Content, headings: list[Markup], rows: list[Markup], **attributes: str) -> Markup:
    """A table with its caption, the headings of its columns, and its rows."""
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", headings)),
        element("tbody", rows),
        **attributes,
    )


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
