"""What all checks share: limits, numbers, the texts of models and the model of a chain, JSON of a given form.

Here are the ways in which a check ends without a proof: a text that is no certificate, and a step that fails.
"""

from __future__ import annotations


class Malformed(Exception):
    """The text is not a certificate document; the message says where, as in ``upper[3].forward.w[0]``."""


class TooLarge(Malformed):
    """The certificate is beyond the limits of SPEC section 5: it is not checked, so it proves nothing."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"too large to check: {reason}")


class Rejected(Exception):
    """A well-formed certificate does not prove its claims: the step of SPEC section 3 that fails, and why."""

    def __init__(self, step: str, reason: str) -> None:
        self.step = step
        self.reason = reason
        super().__init__(f"rejected at {step}: {reason}")


def demand(step: str, holds: bool, reason: str) -> None:
    """That what a step asks for holds. Raises: Rejected."""
    if not holds:
        raise Rejected(step, reason)


def check_fingerprint(claimed: str, found: str, what: str = "model") -> None:
    """That a certificate is for the model, or program, that is there. Raises: Rejected, at that step."""
    demand(what, claimed == found, f"the certificate is for the {what} {claimed}, and this is {found}")
