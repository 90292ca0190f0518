"""Words and rests, against slow and obvious ways to say the same: words one by one, rests written out.

The base table is compared with a sum over all words, and with the distance that it must not exceed. A rest is
compared with the same function in which every state is named.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import checker
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.checker.core.chain import Model, read_model
from bdist.checker.core.limits import Work
from bdist.checker.distances.chain import Chain
from bdist.checker.distances.document import Function
from bdist.checker.distances.lower import Lower, Table, Words
from tests.oracles.naive import kleene_exact_rounds
from tests.oracles.strategies import alphas, chains

ZERO, TINY = Fraction(0), Fraction(1, 10**30)

labelled_chains = chains(max_states=6, max_labels=3)
lengths = st.integers(0, 3)


def model_of(chain: LabelledMarkovChain) -> Model:
    return read_model(lmc.write(chain))


def probability(model: Model, i: str, word: tuple[str, ...]) -> Fraction:
    """P_i(word), path by path."""
    if not word:
        return Fraction(1)
    return sum(
        (p * probability(model, k, word[1:]) for k, p in model.rows[i].items() if model.labels[k] == word[0]),
        ZERO,
    )


def one_order(model: Model, alpha: Fraction, m: int, i: str, j: str) -> Fraction:
    every_word = product(sorted(set(model.labels.values())), repeat=m)
    return sum(
        (max(ZERO, probability(model, i, u) - alpha * probability(model, j, u)) for u in every_word), ZERO
    )


def base(model: Model, alpha: Fraction, m: int, symmetric: bool, i: str, j: str) -> Fraction:
    forward = one_order(model, alpha, m, i, j)
    return max(forward, one_order(model, alpha, m, j, i)) if symmetric else forward


def pairs(model: Model) -> list[tuple[str, str]]:
    return [
        (i, j) for i, j in product(model.labels, repeat=2) if i != j and model.labels[i] == model.labels[j]
    ]


def document(model: Model, alpha: Fraction, quantity: str, **members: Any) -> dict[str, Any]:
    first = next(iter(model.labels))
    nothing: dict[str, Any] = {"claims": [{"pair": [first, first], "lower": "0", "upper": "0"}]}
    nothing |= {"states": list(model.labels), "upper": [], "lower": []}
    head = {"format": "bdist-certificate", "version": 1, "quantity": quantity, "model": model.fingerprint()}
    return head | {"alpha": str(alpha)} | nothing | members


def words_of(model: Model, alpha: Fraction, m: int, symmetric: bool) -> Words:
    """The probabilities of words, where the states are numbered in the order of the model."""
    return Words(Chain(model, list(model.labels)), alpha, m, symmetric, Work())


# --- words ------------------------------------------------------------------------------------------


@given(labelled_chains, alphas(), lengths, st.booleans())
@settings(max_examples=30, deadline=None)
def test_the_base_table_is_the_sum_over_all_words(
    chain: LabelledMarkovChain, alpha: Fraction, m: int, symmetric: bool
) -> None:
    model = model_of(chain)
    words, number = words_of(model, alpha, m, symmetric), list(model.labels).index
    for i, j in pairs(model):
        assert Fraction(*words.base(number(i), number(j))) == base(model, alpha, m, symmetric, i, j)
        lengths = (k for k in range(1, m + 1) if base(model, alpha, k, symmetric, i, j) > 0)
        assert words.shortest(number(i), number(j), m) == next(lengths, None)


@given(chains(max_states=4, max_labels=2), alphas(), st.integers(0, 2))
@settings(max_examples=20, deadline=None)
def test_words_do_not_exceed_the_distance(chain: LabelledMarkovChain, alpha: Fraction, m: int) -> None:
    """Not even its m + 1 first approximations from below; the first of them sees the labels of the pair."""
    model = model_of(chain)
    below_distance = kleene_exact_rounds(chain, alpha, m + 1)[-1]
    words, number = words_of(model, alpha, m, True), list(model.labels).index
    for i, j in pairs(model):
        assert Fraction(*words.base(number(i), number(j))) <= below_distance[i, j]


@given(labelled_chains, alphas(), lengths, st.sampled_from(["bd", "ld"]))
@settings(max_examples=30, deadline=None)
def test_a_claim_without_a_record_is_proved_up_to_the_words(
    chain: LabelledMarkovChain, alpha: Fraction, m: int, quantity: str
) -> None:
    model = model_of(chain)
    for pair in pairs(model)[:4]:
        value = base(model, alpha, m, quantity == "bd", *pair)
        for claimed in (value, value + TINY):
            claim = {"pair": list(pair), "lower": str(claimed), "upper": "2"}
            text = json.dumps(document(model, alpha, quantity, words=m, claims=[claim]))
            if claimed == value:
                checker.check(lmc.write(chain), text)
            else:
                with pytest.raises(checker.Rejected) as caught:
                    checker.check(lmc.write(chain), text)
                assert caught.value.step == "claim-lower"


def test_probabilities_of_words_have_sum_one_and_may_be_long() -> None:
    """Words of 64 labels in a chain where each has many digits: the distance itself, up to 2^-64."""
    text = "lmc\ns [c] -> 1/2 s, 1/2 x\nt [c] -> 1/3 t, 2/3 x\nx [d] -> 1 x\n"
    words = words_of(read_model(text), Fraction(1), 64, False)
    # accept all words in which c is the label for at least one more step
    assert Fraction(*words.base(0, 1)) == Fraction(1, 6)  # 1/2 - 1/3


# --- rests ------------------------------------------------------------------------------------------

values = st.sampled_from([Fraction(k, 4) for k in range(5)]) | st.fractions(0, 1, max_denominator=12)


@st.composite
def functions(draw: st.DrawFn, model: Model) -> tuple[Function, dict[str, Fraction]]:
    """A function as a record has it, and its value at every state."""
    states = draw(st.lists(st.sampled_from(sorted(model.labels)), unique=True))
    labels = draw(st.lists(st.sampled_from(sorted(set(model.labels.values()))), unique=True))
    named, rest = {i: draw(values) for i in states}, {c: draw(values) for c in labels}
    over, number = lcm(*(x.denominator for x in (*named.values(), *rest.values()))), list(model.labels).index
    f = Function(
        over=over,
        f={number(i): int(x * over) for i, x in named.items()},
        rest={c: int(x * over) for c, x in rest.items()},
        pairs=[],
    )
    return f, {i: named.get(i, rest.get(c, ZERO)) for i, c in model.labels.items()}


@given(chains(max_states=7, max_labels=2), alphas(), st.booleans(), st.data())
@settings(max_examples=40, deadline=None)
def test_differences_are_tested_at_every_pair(
    chain: LabelledMarkovChain, alpha: Fraction, symmetric: bool, data: st.DataObject
) -> None:
    model = model_of(chain)
    f, whole = data.draw(functions(model))
    names = list(model.labels)
    bounds: dict[tuple[str, str], Fraction] = {}
    for i, j in pairs(model):
        bounds[i, j] = bounds[j, i] if symmetric and (j, i) in bounds else data.draw(values)
    lower = Lower(Chain(model, names), alpha, 0, symmetric, Work())
    table = Table(
        Chain(model, names), symmetric, lambda i, j: bounds[names[i], names[j]].as_integer_ratio(), Work()
    )
    changed = data.draw(st.lists(st.sampled_from(sorted(bounds)), unique=True)) if bounds else []
    excesses = set(lower.excesses(f, table))
    assert bool(excesses) == any(whole[i] - alpha * whole[j] > d for (i, j), d in bounds.items())
    assert all(whole[names[i]] - alpha * whole[names[j]] > bounds[names[i], names[j]] for i, j in excesses)
    for i, j in changed:  # and a table forgets what it has rounded or sorted
        bounds[i, j] = data.draw(values)
        if symmetric:
            bounds[j, i] = bounds[i, j]
        table.enter(table.key(names.index(i), names.index(j)), bounds[i, j].as_integer_ratio())
        assert any(lower.excesses(f, table)) == any(
            whole[i] - alpha * whole[j] > d for (i, j), d in bounds.items()
        )
    s, t = data.draw(st.sampled_from(list(product(names, repeat=2))))
    expected = sum(
        (x * (model.rows[s].get(i, ZERO) - alpha * model.rows[t].get(i, ZERO)) for i, x in whole.items()),
        ZERO,
    )
    above, below = lower.objective(f, names.index(s), names.index(t), {})
    assert Fraction(above, below * f.over) == expected


def test_rounded_numbers_settle_nothing_that_is_close() -> None:
    """Values and bounds that differ by less than the rounding, and agree exactly."""
    model = read_model("lmc\ns [c] -> 1 s\nt [c] -> 1 t\nu [c] -> 1 u\n")
    lower = Lower(Chain(model, ["s", "t", "u"]), Fraction(1), 0, True, Work())
    over = 3**100
    for bound, excess in ((over // 7, False), (over // 7 - 1, True)):
        lower.table.enter((0, 1), (bound, over))
        lower.table.enter((0, 2), (bound, over))
        for f in (
            Function(over, {0: over // 7}, {}, []),
            Function(over, {0: over // 7, 1: 0, 2: 0}, {}, []),
            Function(over, {1: over - over // 7, 2: over - over // 7}, {"c": over}, []),
        ):
            assert any(True for _ in lower.excesses(f, lower.table)) == excess
