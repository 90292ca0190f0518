"""Words and rests, against slow and obvious ways to say the same: words one by one, rests written out.

The base table is compared with a sum over all words, and with the distance that it must not exceed. A rest is
compared with the same function in which every state is named.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bdist import checker
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.checker.core.chain import Model, read_model
from bdist.checker.core.limits import Work
from bdist.checker.distances.document import Potential
from bdist.checker.distances.lower import (
    NIL,
    UNIT,
    Ratio,
    Scaled,
    Table,
    base_table,
    check_differences,
    objective,
)
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
    nothing = {"claims": [{"pair": [first, first], "lower": "0", "upper": "0"}], "upper": [], "lower": []}
    head = {"format": "bdist-certificate", "version": 1, "quantity": quantity, "model": model.fingerprint()}
    return head | {"alpha": str(alpha)} | nothing | members


# --- words ------------------------------------------------------------------------------------------


@given(labelled_chains, alphas(), lengths, st.booleans())
@settings(max_examples=30, deadline=None)
def test_the_base_table_is_the_sum_over_all_words(
    chain: LabelledMarkovChain, alpha: Fraction, m: int, symmetric: bool
) -> None:
    model = model_of(chain)
    table = base_table(model, alpha, m, symmetric, Work())
    for i, j in pairs(model):
        assert Fraction(*table.at(i, j)) == base(model, alpha, m, symmetric, i, j)


@given(chains(max_states=4, max_labels=2), alphas(), st.integers(0, 2))
@settings(max_examples=20, deadline=None)
def test_words_do_not_exceed_the_distance(chain: LabelledMarkovChain, alpha: Fraction, m: int) -> None:
    """Not even its m + 1 first approximations from below; the first of them sees the labels of the pair."""
    model = model_of(chain)
    below_distance = kleene_exact_rounds(chain, alpha, m + 1)[-1]
    table = base_table(model, alpha, m, True, Work())
    for i, j in pairs(model):
        assert Fraction(*table.at(i, j)) <= below_distance[i, j]


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
    table = base_table(read_model(text), Fraction(1), 64, False, Work())
    # accept all words in which c is the label for at least one more step
    assert Fraction(*table.at("s", "t")) == Fraction(1, 2) - Fraction(1, 3)
    assert table.at("s", "t") == (1, 6)


# --- rests ------------------------------------------------------------------------------------------

values = st.sampled_from([Fraction(k, 4) for k in range(5)]) | st.fractions(0, 1, max_denominator=12)


@st.composite
def potentials(draw: st.DrawFn, model: Model) -> Potential:
    states = draw(st.lists(st.sampled_from(sorted(model.labels)), unique=True))
    labels = draw(st.lists(st.sampled_from(sorted(set(model.labels.values()))), unique=True))
    return Potential({i: draw(values) for i in states}, {c: draw(values) for c in labels})


def complete(model: Model, f: Potential) -> dict[str, Fraction]:
    return {i: f.named.get(i, f.rest.get(c, ZERO)) for i, c in model.labels.items()}


@given(chains(max_states=7, max_labels=2), alphas(), st.booleans(), st.data())
@settings(max_examples=30, deadline=None)
def test_differences_are_tested_at_every_pair(
    chain: LabelledMarkovChain, alpha: Fraction, symmetric: bool, data: st.DataObject
) -> None:
    model = model_of(chain)
    f = data.draw(potentials(model))
    bounds: dict[tuple[str, str], Fraction] = {}
    for i, j in pairs(model):
        bounds[i, j] = bounds[j, i] if symmetric and (j, i) in bounds else data.draw(values)
    table = Table(model, symmetric, lambda i, j: bounds[i, j].as_integer_ratio(), Work())
    whole = complete(model, f)
    holds = all(whole[i] - alpha * whole[j] <= bounds[i, j] for i, j in bounds)
    scaled = Scaled.of(f, Work())
    if holds:
        check_differences("lower-f", "it", scaled, table, model, alpha)
    else:
        with pytest.raises(checker.Rejected):
            check_differences("lower-f", "it", scaled, table, model, alpha)
    s, t = data.draw(st.sampled_from(list(product(model.labels, repeat=2))))
    expected = sum(
        (x * (model.rows[s].get(i, ZERO) - alpha * model.rows[t].get(i, ZERO)) for i, x in whole.items()),
        ZERO,
    )
    rows = model.vectors[s], model.vectors[t]
    assert Fraction(*objective(scaled, *rows, model, alpha, Work())) == expected


def test_a_table_forgets_an_order_when_a_number_changes() -> None:
    model = read_model("lmc\n" + "".join(f"s{k} [c] -> 1 s{k}\n" for k in range(4)))
    numbers: dict[tuple[str, str], Ratio] = {("s0", "s1"): (1, 3), ("s0", "s2"): UNIT, ("s2", "s0"): UNIT}
    for symmetric in (False, True):
        table = Table(model, symmetric, lambda i, j: numbers.get((i, j), NIL), Work())
        assert table.rising_from("s0") == ["s3", "s1", "s2"]
        table.enter("s0", "s3", (1, 2))
        assert table.rising_from("s0") == ["s1", "s3", "s2"]
        assert table.at("s3", "s0") == ((1, 2) if symmetric else NIL)
        table.enter("s2", "s0", (1, 4))
        assert table.rising_to("s0") == (["s2", "s1", "s3"] if symmetric else ["s1", "s3", "s2"])
        assert table.rising_from("s0") == (["s2", "s1", "s3"] if symmetric else ["s1", "s3", "s2"])


def entries(f: dict[str, Fraction]) -> list[list[str]]:
    return [[key, str(x)] for key, x in f.items()]


@st.composite
def records(draw: st.DrawFn, model: Model, quantity: str) -> list[dict[str, Any]]:
    """Lower records on some pairs, of which few prove anything, but some do."""
    candidates = [(i, j) for i, j in pairs(model) if quantity == "ld" or i < j]
    chosen = draw(st.lists(st.sampled_from(candidates), unique=True, max_size=3)) if candidates else []
    made = []
    for pair in chosen:
        f, g = draw(potentials(model)), draw(potentials(model))
        direction = draw(st.sampled_from(["forward", "backward"] if quantity == "bd" else ["forward"]))
        value = draw(st.just(ZERO) | st.just(ZERO) | values)
        record = {
            "pair": list(pair),
            "value": str(value),
            "direction": direction,
            "rank": draw(st.integers(1, 3)),
        }
        rests = {"f_rest": entries(f.rest), "g_rest": entries(g.rest)}
        made.append(record | {"f": entries(f.named), "g": entries(g.named)} | rests)
    return made


def expanded(model: Model, record: dict[str, Any], letter: str) -> list[list[str]]:
    """All states, each with its value."""
    named: dict[str, str] = dict(record[letter])
    rest: dict[str, str] = dict(record[f"{letter}_rest"])
    return [[i, named.get(i, rest.get(c, "0"))] for i, c in model.labels.items()]


def verdict(model: str, certificate: dict[str, Any]) -> str:
    try:
        checker.check(model, json.dumps(certificate))
    except checker.Rejected as rejected:
        return rejected.step
    return "accepted"


@given(chains(max_states=6, max_labels=2), alphas(), lengths, st.sampled_from(["bd", "ld"]), st.data())
@settings(max_examples=30, deadline=None)
def test_a_rest_means_that_value_at_every_unnamed_state(
    chain: LabelledMarkovChain, alpha: Fraction, m: int, quantity: str, data: st.DataObject
) -> None:
    text, model = lmc.write(chain), model_of(chain)
    lower = data.draw(records(model, quantity))
    written_out = [
        {key: value for key, value in record.items() if not key.endswith("_rest")}
        | {letter: expanded(model, record, letter) for letter in "fg"}
        for record in lower
    ]
    short = document(model, alpha, quantity, words=m, lower=lower)
    long = document(model, alpha, quantity, words=m, lower=written_out)
    found = verdict(text, short)
    event(found)
    assert found == verdict(text, long)
