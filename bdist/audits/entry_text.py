"""Entries as plain data, for a line of a journal and for what a worker of a cluster sends.

Whatever is read back is a stranger's: it becomes a `Received`, which no ledger takes. Only `recheck` makes
an entry of it, by checking the certificate and evaluating the attack here. Texts that will be shown are
stripped of what would steer a terminal, and lengths are limited before anything is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bdist.audits.entries import Entry
from bdist.printing import one_line

MOST_PREFIXES = 10_000
LONGEST_ATTACK = 1_000_000  # labels in all prefixes together
LONGEST_REASON = 1000  # characters


class Malformed(Exception):
    """What is wrong with data that should be an entry."""


@dataclass(frozen=True)
class Received:
    """What somebody says that he has proved: a certificate, the prefixes of an attack, and how it went."""

    certificate: str
    attacked: object
    prefixes: tuple[tuple[str, ...], ...] | None
    limit: str | None
    allowed: float | None
    seconds: float


def entry_document(entry: Entry) -> dict[str, object]:
    """An entry as data for JSON; its claims are left out, since nobody would believe them."""
    attack = entry.attack
    return {
        "certificate": entry.certificate,
        "attack": None
        if attack is None
        else {
            "pair": list(attack.pair),
            "prefixes": [list(prefix) for prefix in attack.prefixes],
        },
        "limit": entry.limit,
        "allowed": entry.allowed,
        "seconds": entry.seconds,
    }


def read_entry(document: object) -> Received:
    """What `entry_document` has made, or somebody else. Raises: Malformed."""
    if not isinstance(document, dict):
        raise Malformed("the entry is not an object")
    certificate, attack = document.get("certificate"), document.get("attack")
    allowed, seconds = document.get("allowed"), document.get("seconds")
    if not isinstance(certificate, str):
        raise Malformed("the entry has no certificate")
    limit = read_reason(document.get("limit"), "the entry's limit")
    if not (allowed is None or _is_number(allowed)) or seconds is None or not _is_number(seconds):
        raise Malformed("the entry's times are not numbers")
    if not (attack is None or isinstance(attack, dict)):
        raise Malformed("the entry's attack is not an object")
    pair = None if attack is None else attack.get("pair")
    prefixes = None if attack is None else _prefixes(attack.get("prefixes"))
    return Received(certificate, pair, prefixes, limit, allowed, float(seconds))


def read_reason(value: object, what: str) -> str | None:
    """A text that says why, in one line, or None. Raises: Malformed."""
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_REASON:
        raise Malformed(f"{what} is not a text")
    return one_line(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def _prefixes(value: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or len(value) > MOST_PREFIXES:
        raise Malformed(f"the attack is not a list of at most {MOST_PREFIXES} prefixes")
    if not all(isinstance(prefix, list) and all(isinstance(x, str) for x in prefix) for prefix in value):
        raise Malformed("the attack's prefixes are not lists of labels")
    if sum(map(len, value)) > LONGEST_ATTACK:
        raise Malformed(f"the attack has more than {LONGEST_ATTACK} labels")
    return tuple(tuple(prefix) for prefix in value)
