"""Dining cryptographers with biased coins (Chaum, 1988; Fig. 2 of Chistikov, Murawski and Purser).

Diners sit in a ring and each adjacent pair flips a coin that both of them see. Every diner announces whether
the two coins he sees differ; the one who paid announces the opposite. So the number of *differ* is odd
exactly if one of them paid, and with fair coins nobody learns who. With heads of probability p != 1/2 a
little is learnt, and the start states s0, s1, ... (payer 0, 1, ...) are to be compared.

The program hides everything but the announcements, and leaves open what one step is. Two presentations are
offered, because the bisimilarity distance, unlike the true delta, depends on it:

* *merged*: one step is one announcement; the first step resolves the first flip and diner 0's flip together.
  8n^2 - 7n + 1 states.
* *stepwise*: the first flip is a silent step of its own, labelled ``flip``. 2n states more.

A state after an announcement carries five variables: payer, first flip, last flip, diner, and the
announcement, which is its label. The state ``p0.HT.1.differ`` reads: diner 0 paid, the first flip was heads
and the last tails, diner 1 has just announced *differ*. Only reachable states are made: diner 0's
announcement is a function of the flips, and the last diner's flip is the first one again. (Merging further,
such as forgetting the payer after the last announcement, would be a quotient, whose distance may be smaller.)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from bdist.chains.chain import LabelledMarkovChain
from bdist.family import ChoiceParameter, Family, IntegerParameter, RationalParameter

Presentation = Literal["merged", "stepwise"]

DINERS = IntegerParameter("diners", 2, "number of cryptographers at the table", least=2, most=100)
BIAS = RationalParameter("bias", Fraction(49, 100), "probability of heads, of every coin")
PRESENTATION = ChoiceParameter(
    "presentation",
    "merged",
    "whether the first flip is merged into the first announcement or is a step of its own",
    choices=("merged", "stepwise"),
)


@dataclass(frozen=True)
class _Announced:
    """The machine just after diner ``diner`` made his announcement."""

    payer: int
    first: str
    last: str
    diner: int
    announcement: str

    def __str__(self) -> str:
        return f"p{self.payer}.{self.first}{self.last}.{self.diner}.{self.announcement}"


def dining_cryptographers(
    diners: int = DINERS.default,
    bias: Fraction = BIAS.default,
    presentation: Presentation = "merged",
) -> LabelledMarkovChain:
    """The chain of Fig. 2; start states s0, s1, ... by payer.

    Requires: at least two diners; 0 < bias < 1.
    Raises: ParameterError.
    """
    diners, bias = DINERS.read(diners), BIAS.read(bias)
    stepwise = PRESENTATION.read(presentation) == "stepwise"
    coin = {"H": bias, "T": 1 - bias}

    def announce(payer: int, first: str, previous: str, diner: int) -> dict[_Announced, Fraction]:
        """One turn of the loop, lines 4 to 13."""
        flips = coin if diner < diners - 1 else {first: Fraction(1)}
        return {
            _Announced(payer, first, this, diner, _announcement(diner == payer, previous, this)): probability
            for this, probability in flips.items()
        }

    starts: list[tuple[str, str, dict[str, Fraction]]] = []
    others: list[tuple[str, str, dict[str, Fraction]]] = []
    for payer in range(diners):
        opening = {first: announce(payer, first, first, 0) for first in coin}
        layer = [state for row in opening.values() for state in row]
        if stepwise:
            starts.append((f"s{payer}", "start", {f"p{payer}.{first}": coin[first] for first in coin}))
            others += [(f"p{payer}.{first}", "flip", _by_name(row)) for first, row in opening.items()]
        else:
            both = {s: coin[first] * p for first, row in opening.items() for s, p in row.items()}
            starts.append((f"s{payer}", "start", _by_name(both)))
        for diner in range(1, diners):
            following = {state: announce(payer, state.first, state.last, diner) for state in layer}
            others += [(str(state), state.announcement, _by_name(row)) for state, row in following.items()]
            layer = list(dict.fromkeys(state for row in following.values() for state in row))
        others += [(str(state), state.announcement, {"end": Fraction(1)}) for state in layer]
    end = ("end", "end", {"end": Fraction(1)})
    return LabelledMarkovChain.from_rows(
        [*starts, *others, end], name=f"{diners}-diners-{'stepwise' if stepwise else 'merged'}"
    )


def _announcement(paying: bool, previous: str, this: str) -> str:
    """Lines 9 to 12: announce(true) is *differ*, announce(false) is *agree*."""
    truth = (previous == this) if paying else (previous != this)
    return "differ" if truth else "agree"


def _by_name(row: dict[_Announced, Fraction]) -> dict[str, Fraction]:
    return {str(state): probability for state, probability in row.items()}


FAMILY = Family(
    "dining-cryptographers",
    "dining cryptographers with biased coins; compare s0, s1, ... (who paid)",
    (DINERS, BIAS, PRESENTATION),
    dining_cryptographers,
)
