"""Limits: what is too large to check, and how the work of a check is counted.

Certificates and models come from strangers, and a short text can ask for a lot: ``"words": 64`` names more
words than there is memory, and a hundred thousand brackets overflow a stack. So there are the limits of SPEC
section 5. Beyond them a certificate is *too large to check*, which is not a verdict, and never an acceptance.
Size, depth and digits of a text are looked at before anything is made of it (`check_text`). Whatever may take
more than time and memory in proportion to the texts is counted before it is done (`Work`), in steps and bytes
that the texts buy. A limit on seconds would make the verdict depend on the machine; whoever has no more time
can end a check with a function that is called now and then, and raises an exception of its own (`Allowance`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from . import TooLarge

MODEL_BYTES = 2**30
MODEL_DIGITS = 100_000  # of an integer in a model
LARGEST_EXPONENT = 1_000  # 1e999999999 is a short text and a long number
ROW_BITS = 332_000  # of the common denominator of a row: those of a number of 100,000 digits
ROWS_BITS = 2**31  # of all rows, each over its common denominator

CERTIFICATE_BYTES = 2**28
DEEPEST = 64  # arrays and objects within each other
MOST_PARTS = 10_000_000  # arrays, objects and members
MOST_DIGITS = 1_000_000  # of an integer in a certificate

STEPS, STEPS_A_CHARACTER, MOST_STEPS = 10**8, 300, 4 * 10**9
BYTES, BYTES_A_CHARACTER, MOST_BYTES = 2**27, 1_000, 2**32
PIECE = 1024  # bits
NUMBER = 128  # bytes, without its digits
STEPS_BETWEEN_LOOKS = 200_000

_LONG = 500  # digits, from where on it counts how many they are
_DIGITS_AS_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_NO_MARKS = bytes(set(range(256)) - set(b'[]{}"'))


@dataclass(frozen=True)
class Allowance:
    """What the caller of a check allows it: bytes of memory, and time as long as ``ask`` does not raise."""

    memory: int | None = None
    ask: Callable[[], None] | None = None


class Work:
    """The steps that a check may still take, and the bytes that it may still keep."""

    def __init__(self, characters: int = 0, allowed: Allowance | None = None) -> None:
        """What texts with so many characters buy, or the caller allows."""
        memory, self._ask = (allowed.memory, allowed.ask) if allowed else (None, None)
        bought = MOST_STEPS if memory else STEPS + STEPS_A_CHARACTER * characters
        self._steps = self._most_steps = min(bought, MOST_STEPS)
        self._bytes = self._most_bytes = memory or min(BYTES + BYTES_A_CHARACTER * characters, MOST_BYTES)
        self._look_at = self._steps - STEPS_BETWEEN_LOOKS if self._ask else 0

    def spend(self, operations: int, bits: int = 0, by: int = 0) -> None:
        """Count operations on a number of so many bits and another one. Raises: TooLarge."""
        self._steps -= operations * (1 + bits // PIECE) * (1 + by // PIECE)
        if self._steps < self._look_at:
            if self._steps < 0:
                raise TooLarge(f"the check takes more than {self._most_steps} steps")
            if self._ask is not None:
                self._ask()
            self._look_at = max(0, self._steps - STEPS_BETWEEN_LOOKS)

    def reduce(self, bits: int) -> None:
        """Count the search for a common divisor of two numbers of so many bits. Raises: TooLarge."""
        self.spend(4, bits, bits)

    def keep(self, numbers: int, bits: int) -> None:
        """Say that numbers of so many bits will stay in memory. Raises: TooLarge."""
        self._bytes -= numbers * (NUMBER + bits // 8)
        if self._bytes < 0:
            raise TooLarge(f"the check takes more than {self._most_bytes} bytes of memory")

    def release(self, numbers: int, bits: int) -> None:
        """Say that such numbers that were kept are forgotten."""
        self._bytes += numbers * (NUMBER + bits // 8)

    def hold(self, numbers: int, bits: int) -> None:
        """Say that numbers of so many bits will be in memory for a while. Raises: TooLarge."""
        self.keep(numbers, bits)
        self.release(numbers, bits)

    @contextmanager
    def forgotten(self) -> Iterator[None]:
        """All that is kept within is forgotten in the end."""
        before = self._bytes
        yield
        self._bytes = before


def check_text(text: str, work: Work) -> bool:
    """Size, depth and digits of a certificate, in time and memory in proportion to it. Raises: TooLarge.

    Returns whether there may be a number that is too long for Python's own reader of integers.
    """
    parts, limit = sum(map(text.count, "[{:")), "and at most {} are read"  # those in names too: it is a bound
    for found, what, most in (
        (len(text), "characters", CERTIFICATE_BYTES),
        (parts, "arrays, objects and members", MOST_PARTS),
    ):
        if found > most:
            raise TooLarge(f"the text has {found} {what}, {limit.format(most)}")
    data = text.encode("utf-8", "surrogatepass")
    long = b"0" * _LONG in data.translate(_DIGITS_AS_ZEROS)
    for number in re.finditer(rb"[0-9]++", data) if long else ():
        digits = number.end() - number.start()
        if digits > MOST_DIGITS:
            raise TooLarge(f"a number has {digits} digits, {limit.format(MOST_DIGITS)}")
        if digits >= _LONG:
            work.reduce(10 * digits // 3)
    # without escapes a quote begins or ends a string; what is left is the brackets outside of strings
    marks = data.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, delete=_NO_MARKS)
    brackets = re.sub(b'"[^"]*+"', b"", marks.replace(b'""', b""))
    for _ in range(8):  # each time the innermost pairs go, and mostly nothing is left then
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    depth = 0
    for bracket in brackets:
        depth += 1 if bracket in b"[{" else -1
        if depth > DEEPEST:
            raise TooLarge(f"nested too deeply, more than {DEEPEST} arrays and objects in each other")
        if depth < 0:
            break  # and no reader of JSON gets beyond this bracket
    return long
