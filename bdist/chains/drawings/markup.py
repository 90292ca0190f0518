"""Markup that is escaped by construction, for SVG and for HTML.

A name in a model file may be ``<script>alert(1)</script>``, and a page that shows it must show it. Escaping
at every place where text enters a page works until one place is forgotten. So there is one way in: `element`
escapes every string that it is given, as content or as the value of an attribute, unless the string is
`Markup`, which only this module makes. What is pasted together by other means (``+``, f-strings) is a plain
string again and is escaped when it is used: a mistake shows as ``&lt;`` on the page and not as a hole in it.

A template engine was the alternative, and another package; its templates escape by a setting, and the
attributes only where their author wrote quotes.

Text in XML cannot hold every character, not even escaped. Those that it cannot hold, and the control
characters that no font shows, become U+FFFD. Characters that turn the direction of writing or stay unseen are
spelled out, as on a terminal (`bdist.printing`); only the isolates that `isolated` puts around a name in
attributes and titles are kept, as what ``<bdi>`` is in the text of a page: letters of a name may run from
right to left by themselves.

A *page* is complete in one file: its style sheet, its script and its figures are in it, and a policy in its
head forbids everything else, so that a browser would refuse to load from elsewhere, or to run, what a hostile
name might ask for, even if it were not escaped. The script and the style sheet are allowed by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from bdist.printing import INVISIBLE, spelled

_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_ALLOWED_IN_NAMES = re.compile("[A-Za-z][A-Za-z0-9:-]*")
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_ISOLATES = re.compile("[\u2066-\u2069]")
_VOID = frozenset({"br", "input", "link", "meta"})  # elements of HTML that have no end


class Markup(str):
    """Text that is markup already, and is not escaped again."""

    __slots__ = ()


Content = str | Iterable["Content"] | None
"""Text, markup, nothing, or several of them."""
Value = str | int | float | bool | None


def element(tag: str, *content: Content, **attributes: Value) -> Markup:
    """An element. ``class_`` stands for class, ``data_key`` for data-key, ``viewBox`` for itself.

    An attribute that is None or False is left out; True is an attribute without a value.
    """
    name = _checked(tag)
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*content)}</{name}>")


def joined(*content: Content) -> Markup:
    """Text and markup in a row, the text escaped."""
    return Markup("".join(_flat(content)))


def small_table(heads: Sequence[str], rows: Sequence[Sequence[Content]], more: int = 0) -> Markup:
    """A table for a notebook, and how many more rows there are."""
    made = [element("tr", [element("th", head) for head in heads])]
    made += [element("tr", [element("td", cell) for cell in row]) for row in rows]
    rest = element("p", f"and {more} more") if more > 0 else None
    return joined(element("table", made), rest)


def raw_element(tag: str, text: str, **attributes: Value) -> Markup:
    """A ``style`` or ``script`` element, whose text HTML takes as it is.

    Requires: the text is ours; it cannot end the element before its end.
    """
    if f"</{tag}" in text.lower():
        raise ValueError(f"the text of a {tag} element contains its end")
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{_checked(tag)}{written}>{text}</{tag}>")


def page(title: str, style: str, script: str, *body: Content) -> str:
    """An HTML page in one file, as a text; ``page.css`` stands before its style sheet.

    Requires: as `raw_element`, of the style sheet and of the script.
    """
    style = resource("bdist.chains.drawings", "page.css") + style
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"bdist {version('bdist')}"),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        raw_element("style", style),
    )
    shown = element("body", *body, raw_element("script", script))
    return f"<!DOCTYPE html>\n{element('html', head, shown, lang='en')}\n"


def resource(package: str, name: str) -> str:
    """The text of a file of ours, such as a style sheet."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def escape(text: str) -> Markup:
    """Text as markup, for content and for attributes alike."""
    return Markup(html.escape(visible(text), quote=True))


def visible(text: str) -> str:
    """Text as a page shows it: what it cannot hold is replaced, what would stay unseen spelled out."""
    return INVISIBLE.sub(_kept_or_spelled, _UNWRITABLE.sub("\ufffd", text))


def confined(text: str) -> str:
    """Text without the characters that could end the isolation in which it stands."""
    return _ISOLATES.sub("\ufffd", text)


def isolated(text: str) -> str:
    """Text that cannot change the direction of what stands around it, where no element can confine it."""
    return f"{_FIRST_STRONG_ISOLATE}{confined(text)}{_POP_ISOLATE}"


def _kept_or_spelled(found: re.Match[str]) -> str:
    return found[0] if found[0] in (_FIRST_STRONG_ISOLATE, _POP_ISOLATE) else spelled(found[0])


def _flat(content: Iterable[Content]) -> Iterable[str]:
    for part in content:
        if isinstance(part, Markup):
            yield part
        elif isinstance(part, str):
            yield escape(part)
        elif part is not None:
            yield from _flat(part)


def _attribute(key: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = _checked(key.rstrip("_").replace("_", "-"))
    if value is True:
        return f' {name}=""'
    return f' {name}="{escape(str(value))}"'


@cache
def _checked(name: str) -> str:
    if not _ALLOWED_IN_NAMES.fullmatch(name):
        raise ValueError(f"'{name}' is no name of an element or an attribute")
    return name
