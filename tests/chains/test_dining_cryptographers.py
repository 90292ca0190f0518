"""Dining cryptographers: sizes, rows derived by hand, and the paper's true delta from enumerated traces."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import Presentation, dining_cryptographers
from bdist.errors import ParameterError

PRESENTATIONS: tuple[Presentation, ...] = ("merged", "stepwise")
Traces = dict[tuple[str, ...], Fraction]

biases = st.fractions(min_value=0, max_value=1, max_denominator=100).filter(lambda p: 0 < p < 1)


def traces(chain: LabelledMarkovChain, start: str) -> Traces:
    """The distribution on label sequences from ``start`` up to the state ``end``."""
    found: Traces = {}
    pending: list[tuple[str, tuple[str, ...], Fraction]] = [(start, (), Fraction(1))]
    while pending:
        state, seen, probability = pending.pop()
        seen = (*seen, chain.label(state))
        if state == "end":
            found[seen] = found.get(seen, Fraction(0)) + probability
        else:
            pending += [(target, seen, probability * p) for target, p in chain.row(state).items()]
    return found


def true_delta(one: Traces, other: Traces, alpha: Fraction) -> Fraction:
    """tv_alpha of Definition 7, for distributions on finitely many traces."""
    zero = Fraction(0)

    def directed(a: Traces, b: Traces) -> Fraction:
        return sum((max(p - alpha * b.get(w, zero), zero) for w, p in a.items()), zero)

    return max(directed(one, other), directed(other, one))


@pytest.mark.parametrize(
    ("diners", "presentation", "states"),
    [(2, "merged", 19), (3, "merged", 52), (2, "stepwise", 23), (3, "stepwise", 58)],
)
def test_sizes_of_the_paper(diners: int, presentation: Presentation, states: int) -> None:
    assert len(dining_cryptographers(diners, Fraction(49, 100), presentation)) == states


@given(st.integers(2, 9), biases)
def test_size_grows_with_the_square_of_the_diners(diners: int, bias: Fraction) -> None:
    assert len(dining_cryptographers(diners, bias, "merged")) == 8 * diners**2 - 7 * diners + 1
    assert len(dining_cryptographers(diners, bias, "stepwise")) == 8 * diners**2 - 5 * diners + 1


@given(st.integers(2, 6), biases, st.sampled_from(PRESENTATIONS))
def test_every_state_is_reachable_from_a_start(
    diners: int, bias: Fraction, presentation: Presentation
) -> None:
    chain = dining_cryptographers(diners, bias, presentation)
    assert chain.states[:diners] == tuple(f"s{i}" for i in range(diners))
    assert [s for s in chain.states if chain.label(s) == "start"] == [f"s{i}" for i in range(diners)]
    reached = set(range(diners))
    pending = list(reached)
    while pending:
        new = {j for j, _ in chain.rows[pending.pop()]} - reached
        reached |= new
        pending += new
    assert len(reached) == len(chain)


def test_merged_rows_of_two_diners_by_hand() -> None:
    chain = dining_cryptographers(2, Fraction(49, 100), "merged")
    hh, ht, tt = Fraction(2401, 10000), Fraction(2499, 10000), Fraction(2601, 10000)
    # Diner 0 pays and announces whether his coins are equal: HH and TT give true.
    assert chain.row("s0") == {
        "p0.HH.0.differ": hh,
        "p0.HT.0.agree": ht,
        "p0.TH.0.agree": ht,
        "p0.TT.0.differ": tt,
    }
    assert chain.row("s1") == {
        "p1.HH.0.agree": hh,
        "p1.HT.0.differ": ht,
        "p1.TH.0.differ": ht,
        "p1.TT.0.agree": tt,
    }
    # Diner 1 closes the ring: his flip is the first one again.
    assert chain.row("p0.HT.0.agree") == {"p0.HH.1.differ": 1}
    assert chain.row("p1.HT.0.differ") == {"p1.HH.1.agree": 1}
    assert chain.row("p1.TT.0.agree") == {"p1.TT.1.differ": 1}
    assert chain.row("p0.HH.1.differ") == {"end": 1}
    assert chain.row("end") == {"end": 1}
    assert chain.label("p0.HT.0.agree") == "agree"


def test_stepwise_rows_of_two_diners_by_hand() -> None:
    chain = dining_cryptographers(2, Fraction(49, 100), "stepwise")
    heads, tails = Fraction(49, 100), Fraction(51, 100)
    assert chain.row("s1") == {"p1.H": heads, "p1.T": tails}
    assert chain.label("p1.H") == "flip"
    assert chain.row("p1.H") == {"p1.HH.0.agree": heads, "p1.HT.0.differ": tails}


@given(st.integers(2, 5), biases, st.sampled_from(PRESENTATIONS))
def test_the_announcements_reveal_that_somebody_paid(
    diners: int, bias: Fraction, presentation: Presentation
) -> None:
    chain = dining_cryptographers(diners, bias, presentation)
    for payer in range(diners):
        distribution = traces(chain, f"s{payer}")
        assert sum(distribution.values()) == 1
        assert all(trace.count("differ") % 2 == 1 for trace in distribution)
        assert all(trace.count("differ") + trace.count("agree") == diners for trace in distribution)


@pytest.mark.parametrize("presentation", PRESENTATIONS)
@pytest.mark.parametrize("diners", [2, 3, 4])
def test_fair_coins_do_not_reveal_who(diners: int, presentation: Presentation) -> None:
    chain = dining_cryptographers(diners, Fraction(1, 2), presentation)
    for one, other in combinations(range(diners), 2):
        assert traces(chain, f"s{one}") == traces(chain, f"s{other}")


@pytest.mark.parametrize("presentation", PRESENTATIONS)
def test_true_delta_of_the_paper(presentation: Presentation) -> None:
    chain = dining_cryptographers(2, Fraction(49, 100), presentation)
    delta = true_delta(traces(chain, "s0"), traces(chain, "s1"), Fraction("1.0002"))
    assert delta == Fraction("0.00030004")  # Chistikov, Murawski, Purser 2018, section 4


@pytest.mark.parametrize("diners", [1, 0, -3, 101])
def test_number_of_diners_is_checked(diners: int) -> None:
    with pytest.raises(ParameterError, match=r"diners is .*; it must be an integer from 2 to 100"):
        dining_cryptographers(diners)


@pytest.mark.parametrize("bias", [Fraction(0), Fraction(1), Fraction(3, 2), Fraction(-1, 2)])
def test_bias_is_checked(bias: Fraction) -> None:
    with pytest.raises(ParameterError, match=r"bias is .*; it must be strictly between 0 and 1"):
        dining_cryptographers(2, bias)
