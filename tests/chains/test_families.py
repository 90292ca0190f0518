"""Families: the table and its refusals, and each family against what its paper says of it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import (
    FAMILIES,
    dining_cryptographers,
    double_survey,
    figure_one,
    geometric_mechanism,
    lemma_three_erratum,
    make_family,
    not_monotone,
    outside_states,
    randomised_response,
    survey,
)
from bdist.errors import ParameterError
from bdist.family import ChoiceParameter, IntegerParameter, RationalParameter, Value


def test_order_and_names() -> None:
    assert list(FAMILIES) == [
        "figure-one",
        "dining-cryptographers",
        "survey",
        "double-survey",
        "randomised-response",
        "geometric",
        "subsampling-majority",
        "subsampling-as-published",
        "random",
        "layered",
        "lemma-three-erratum",
        "not-monotone",
        "outside-states",
    ]


def test_values_as_typed() -> None:
    made = make_family("dining-cryptographers", {"diners": "3", "bias": "0.25", "presentation": "stepwise"})
    assert made == dining_cryptographers(3, Fraction(1, 4), "stepwise")
    assert made == make_family(
        "dining-cryptographers", {"diners": 3, "bias": Fraction(1, 4), "presentation": "stepwise"}
    )


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        (
            "dinning",
            {},
            r"there is no family .*'dinning'; did you mean dining-cryptographers\? there are figure-",
        ),
        ("zzz", {}, r"there is no family .*'zzz'; there are figure-one, dining"),
        (
            "geometric",
            {"rato": "1/2"},
            r"no parameter 'rato'; did you mean ratio\? there are largest, ratio$",
        ),
        ("geometric", {"self": "1"}, r"family geometric has no parameter 'self'"),
        ("figure-one", {"n": 1}, r"family figure-one has no parameter 'n'; there are none"),
        ("geometric", {"ratio": "1"}, "parameter ratio is 1; it must be strictly between 0 and 1"),
        ("geometric", {"ratio": "half"}, "parameter ratio: 'half' is not a number"),
        ("geometric", {"ratio": "1/0"}, "parameter ratio: '1/0' has denominator zero"),
        ("geometric", {"largest": "2.5"}, "parameter largest is '2.5'; it must be an integer from 1 to 200"),
        ("geometric", {"largest": "9" * 5000}, r"parameter largest is 9{37}\.\.\.; it must be an integer"),
        ("geometric", {"largest": Fraction(2)}, "parameter largest is the Fraction 2; it must be an integer"),
        ("geometric", {"largest": True}, "parameter largest is the bool True; it must be an integer"),
        ("dining-cryptographers", {"presentation": "fast"}, "is 'fast'; it must be merged or stepwise"),
        ("dining-cryptographers", {"presentation": 3}, "is the int 3; it must be merged or stepwise"),
        ("random", {"degree": "5", "denominator": "4"}, "degree is 5; it must be at most denominator"),
    ],
)
def test_refusals_say_what_there_is(name: str, values: dict[str, Value], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        make_family(name, values)
    assert "\n" not in str(caught.value)


def test_a_float_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"parameter ratio is the float 0\.5"):
        FAMILIES["geometric"].make(ratio=0.5)  # type: ignore[arg-type]


def test_ranges_can_be_shown() -> None:
    described = {p.name: p.range for f in FAMILIES.values() for p in f.parameters}
    assert described["diners"] == "an integer from 2 to 100"
    assert described["bias"] == "strictly between 0 and 1"
    assert described["shape"] == "general or acyclic"


def test_text_may_carry_blanks_and_a_sign() -> None:
    assert IntegerParameter("n", 1, "", least=-9, most=9).read(" +3 ") == 3
    assert RationalParameter("r", Fraction(1, 2), "").read(" 1/4 ") == Fraction(1, 4)
    assert ChoiceParameter("c", "a", "", choices=("a", "b")).read(" b ") == "b"


def test_figure_one() -> None:
    chain = figure_one()
    assert chain.states == ("s0", "s1", "s2", "s3")
    assert chain.row("s0") == {"s2": Fraction("0.4"), "s3": Fraction("0.6")}
    assert chain.row("s1") == {"s2": Fraction("0.6"), "s3": Fraction("0.4")}
    assert chain.row("s2") == {"s2": 1}
    assert chain.row("s3") == {"s3": 1}
    assert chain.label("s0") == chain.label("s1")
    assert len(set(chain.labels)) == 3


def test_lemma_three_erratum() -> None:
    chain = lemma_three_erratum()
    tenths = {
        "q0": {"q3": 1, "q4": 7, "q5": 1, "q6": 1},
        "q1": {"q2": 7, "q3": 2, "q5": 1},
        "q2": {"q7": 9, "q8": 1},
        "q3": {"q7": 7, "q8": 3},
        "q4": {"q7": 4, "q8": 6},
        "q5": {"q7": 6, "q8": 4},
        "q6": {"q8": 10},
        "q7": {"q7": 10},
        "q8": {"q8": 10},
    }
    assert {s: chain.row(s) for s in chain.states} == {
        state: {target: Fraction(part, 10) for target, part in row.items()} for state, row in tenths.items()
    }
    assert chain.labels == ("start",) * 2 + ("mid",) * 5 + ("left", "right")


def test_not_monotone() -> None:
    chain = not_monotone()
    assert chain.row("s") == {"i": Fraction(1, 3), "j": Fraction(2, 3)}
    assert chain.row("t") == {"j": 1}
    assert [chain.row(mid)["x"] for mid in "ikj"] == [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)]
    assert dict(zip(chain.states, chain.labels, strict=True)) == {
        **dict.fromkeys("st", "start"),
        **dict.fromkeys("ikj", "mid"),
        "x": "left",
        "y": "right",
    }


def test_outside_states() -> None:
    chain = outside_states()
    assert chain.row("s") == {"i": Fraction(1, 2), "j": Fraction(1, 2)}
    assert chain.row("t") == {"i": 1}
    assert {mid: [20 * chain.row(mid)[end] for end in "xyz"] for mid in "ijkl"} == {
        "i": [7, 5, 8],
        "j": [1, 1, 18],
        "k": [6, 7, 7],
        "l": [2, 4, 14],
    }
    assert {chain.label(mid) for mid in "ijkl"} == {"mid"}
    assert len({chain.label(end) for end in "xyz"}) == 3


PRESENTATIONS = ("merged", "stepwise")
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
def test_sizes_of_the_paper(diners: int, presentation: str, states: int) -> None:
    assert len(dining_cryptographers(diners, Fraction(49, 100), presentation)) == states


@given(st.integers(2, 9), biases)
def test_size_grows_with_the_square_of_the_diners(diners: int, bias: Fraction) -> None:
    assert len(dining_cryptographers(diners, bias, "merged")) == 8 * diners**2 - 7 * diners + 1
    assert len(dining_cryptographers(diners, bias, "stepwise")) == 8 * diners**2 - 5 * diners + 1


@given(st.integers(2, 6), biases, st.sampled_from(PRESENTATIONS))
def test_every_state_is_reachable_from_a_start(diners: int, bias: Fraction, presentation: str) -> None:
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
def test_the_announcements_reveal_that_somebody_paid(diners: int, bias: Fraction, presentation: str) -> None:
    chain = dining_cryptographers(diners, bias, presentation)
    for payer in range(diners):
        distribution = traces(chain, f"s{payer}")
        assert sum(distribution.values()) == 1
        assert all(trace.count("differ") % 2 == 1 for trace in distribution)
        assert all(trace.count("differ") + trace.count("agree") == diners for trace in distribution)


@pytest.mark.parametrize("presentation", PRESENTATIONS)
@pytest.mark.parametrize("diners", [2, 3, 4])
def test_fair_coins_do_not_reveal_who(diners: int, presentation: str) -> None:
    chain = dining_cryptographers(diners, Fraction(1, 2), presentation)
    for one, other in combinations(range(diners), 2):
        assert traces(chain, f"s{one}") == traces(chain, f"s{other}")


@pytest.mark.parametrize("presentation", PRESENTATIONS)
def test_true_delta_of_the_paper(presentation: str) -> None:
    chain = dining_cryptographers(2, Fraction(49, 100), presentation)
    delta = true_delta(traces(chain, "s0"), traces(chain, "s1"), Fraction("1.0002"))
    assert delta == Fraction("0.00030004")  # Chistikov, Murawski, Purser 2018, section 4


NO_PROBABILITIES = (Fraction(0), Fraction(1), Fraction(3, 2), Fraction(-1, 2))


@pytest.mark.parametrize(
    ("name", "parameter", "value", "range_"),
    [
        *(("dining-cryptographers", "diners", k, "an integer from 2 to 100") for k in (1, 0, -3, 101)),
        *(
            (name, parameter, p, "strictly between 0 and 1")
            for name, parameter in (
                ("dining-cryptographers", "bias"),
                ("randomised-response", "truth"),
                ("geometric", "ratio"),
                ("survey", "truth"),
                ("double-survey", "truth"),
            )
            for p in NO_PROBABILITIES
        ),
        ("randomised-response", "questions", 0, "an integer from 1"),
        *(("geometric", "largest", k, "an integer from 1 to 200") for k in (0, 201)),
    ],
)
def test_parameters_are_checked(name: str, parameter: str, value: Value, range_: str) -> None:
    with pytest.raises(ParameterError, match=rf"parameter {parameter} is .*; it must be {range_}"):
        make_family(name, {parameter: value})


proper = st.fractions(min_value=0, max_value=1, max_denominator=50).filter(lambda p: 0 < p < 1)


def test_one_question_by_hand() -> None:
    chain = randomised_response()
    assert chain.states == ("yes", "no", "says-yes", "says-no", "end")
    assert chain.labels == ("start", "start", "says-yes", "says-no", "end")
    assert chain.row("yes") == {"says-yes": Fraction(3, 4), "says-no": Fraction(1, 4)}
    assert chain.row("no") == {"says-yes": Fraction(1, 4), "says-no": Fraction(3, 4)}
    assert chain.row("says-yes") == {"end": 1}
    assert chain.row("end") == {"end": 1}


def test_two_questions_remember_the_truth_until_the_last_answer() -> None:
    chain = randomised_response(Fraction(2, 3), 2)
    assert chain.row("no") == {"no.1.says-no": Fraction(2, 3), "no.1.says-yes": Fraction(1, 3)}
    assert chain.row("no.1.says-yes") == {"says-no": Fraction(2, 3), "says-yes": Fraction(1, 3)}
    assert chain.row("yes.1.says-yes") == {"says-yes": Fraction(2, 3), "says-no": Fraction(1, 3)}
    assert chain.label("no.1.says-yes") == "says-yes"


@given(proper, st.integers(1, 20))
def test_size_of_randomised_response(truth: Fraction, questions: int) -> None:
    assert len(randomised_response(truth, questions)) == 4 * questions + 1


def test_four_counts_by_hand() -> None:
    chain = geometric_mechanism(3, Fraction(1, 2))
    assert chain.states == tuple(f"{kind}{i}" for kind in ("count", "out") for i in range(4))
    assert list(chain.row("count0").values()) == [Fraction(k, 12) for k in (8, 2, 1, 1)]
    assert list(chain.row("count1").values()) == [Fraction(k, 6) for k in (2, 2, 1, 1)]
    assert list(chain.row("count3").values()) == [Fraction(k, 12) for k in (1, 1, 2, 8)]
    assert chain.row("out2") == {"out2": 1}
    assert set(chain.labels[:4]) == {"start"}
    assert chain.labels[4:] == ("out0", "out1", "out2", "out3")


@given(st.integers(1, 12), proper)
def test_neighbouring_counts_differ_by_the_ratio_at_the_ends_and_never_by_more(
    largest: int, ratio: Fraction
) -> None:
    chain = geometric_mechanism(largest, ratio)
    assert len(chain) == 2 * (largest + 1)
    for count in range(largest):
        here, there = chain.row(f"count{count}"), chain.row(f"count{count + 1}")
        quotients = [here[out] / there[out] for out in here]
        assert max(quotients) == quotients[0] == 1 / ratio
        assert min(quotients) == quotients[-1] == ratio


def test_the_survey_by_hand() -> None:
    chain = survey()
    assert chain.states == ("plus", "minus", "s", "t", "sink")
    assert chain.labels == ("diagnosis", "diagnosis", "out1", "out0", "sink")
    assert chain.row("plus") == {"s": Fraction(3, 4), "t": Fraction(1, 4)}
    assert chain.row("minus") == {"s": Fraction(1, 4), "t": Fraction(3, 4)}
    assert chain.row("s") == chain.row("t") == chain.row("sink") == {"sink": 1}


@given(proper)
def test_surveys_are_coins_of_their_own(truth: Fraction) -> None:
    """A truthful coin, or a fair one: every answer, first or second, is that of one survey."""
    once, twice = survey(truth), double_survey(truth)
    assert once.row("plus")["s"] == once.row("minus")["t"] == truth + (1 - truth) / 2
    for diagnosis in ("plus", "minus"):
        answers = once.row(diagnosis)
        assert twice.row(diagnosis) == {f"{diagnosis}.{answer}": p for answer, p in answers.items()}
        for answer in answers:
            assert twice.row(f"{diagnosis}.{answer}") == answers
            assert twice.label(f"{diagnosis}.{answer}") == once.label(answer)
    assert [once.row(state) for state in ("s", "t")] == [twice.row(state) for state in ("s", "t")]
