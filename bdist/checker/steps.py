"""The names of the steps, and the exception that names the one that failed."""

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


class Rejected(Exception):
    """A well-formed certificate does not prove its claims: the step of SPEC section 3 that fails, and why."""

    def __init__(self, step: str, reason: str) -> None:
        self.step = step
        self.reason = reason
        super().__init__(f"rejected at {step}: {reason}")
