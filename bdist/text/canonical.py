"""Fingerprints: SHA-256 of the canonical text of a model, by which a certificate names it.

A theory says in its specification what the canonical text of a model is: JSON in ASCII without blanks, with
states in the order of their names. It may come in parts, so that a large one is never in memory as a whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

json_text = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def sha256_of(parts: Iterable[str]) -> str:
    """SHA-256 of a text that comes in parts, in hexadecimal."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8"))
    return digest.hexdigest()
