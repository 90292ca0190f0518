"""The names of the steps, and the exceptions: a text that is no certificate, a proof that fails at a step."""

from __future__ import annotations

STEPS = (
    "model",
    "alpha",
    "partition",
    "pairs",
    "upper-value",
    "upper-coupling",
    "upper-cost",
    "lower-value",
    "lower-f",
    "lower-objective",
    "lower-g",
    "lower-escape",
    "tree-pair",
    "tree-split",
    "tree-leaf",
    "claim-lower",
    "claim-upper",
)


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
