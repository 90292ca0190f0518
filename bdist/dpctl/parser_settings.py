"""The numbers in a formula: what stands between P or D and the path formula.

All are exact, and what makes no sense is refused where it stands: a negative epsilon, a delta or a bound of P
that is no probability. ``P=1`` and ``P=0`` are read, as that is how one says almost surely and almost never;
other equations are two inequalities, and are to be written so.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial

from bdist.dpctl.formulas import Comparison
from bdist.dpctl.parser_text import Cursor
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.exact.reading import parse_rational

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[^\s,\[\]()#\"]+")
_SETTING = re.compile(r"[^\s,\[\]#\"]+")
_COMPARISON = re.compile(r"<=|>=|<|>|=")


def read_privacy(cursor: Cursor) -> tuple[Epsilon, Fraction]:
    """What follows D: ``[eps=E, delta=d]``, both optional. Raises: FormatError."""
    cursor.expect("[", "'[', as in D[eps=ln 3, delta=0]")
    epsilon, delta, given = Epsilon.of(0), Fraction(0), set[str]()
    while not cursor.takes("]"):
        if given:
            cursor.expect(",", "',' or ']'")
        start = cursor.offset
        setting = cursor.match(_WORD)
        setting = "eps" if setting == "epsilon" else setting
        if setting not in ("eps", "delta"):
            cursor.offset = start
            cursor.fail("eps or delta")
        if setting in given:
            cursor.refuse(f"{setting} is given twice", start)
        given.add(setting)
        cursor.expect("=", f"'=' after {setting}")
        place = cursor.offset
        words = list(iter(partial(cursor.match, _SETTING), None))
        if not words:
            cursor.fail("a number such as 1/2" + (" or ln 3" if setting == "eps" else ""))
        text = " ".join(words)
        try:
            if setting == "eps":
                epsilon = Epsilon.of(text)
            else:
                delta = parse_rational(text)
        except ParameterError as error:
            cursor.refuse(str(error), place)
        if not 0 <= delta <= 1:
            cursor.refuse(f"delta is {text}; it must be from 0 to 1", place)
    return epsilon, delta


def read_comparison(cursor: Cursor) -> tuple[Comparison, Fraction]:
    """What follows P: ``>=q`` and the like. Raises: FormatError."""
    start = cursor.offset
    sign = cursor.match(_COMPARISON)
    if sign is None:
        cursor.fail("<, <=, >=, > or = after P")
    place = cursor.offset
    text = cursor.match(_NUMBER)
    if text is None:
        cursor.fail("a probability such as 1/2")
    try:
        bound = parse_rational(text)
    except ParameterError as error:
        cursor.refuse(str(error), place)
    if not 0 <= bound <= 1:
        cursor.refuse(f"the bound of P is {text}; it must be from 0 to 1", place)
    if sign == "=" and bound not in (0, 1):
        cursor.refuse("P= is read with 0 and with 1; write P>=q [f] & P<=q [f]", start)
    if sign == "=":
        sign = ">=" if bound == 1 else "<="
    return Comparison(sign), bound
