"""Certificates of privacy profiles: accepted ones for each feature, a rejected one for each step.

The certificates are made by `tests.oracles.profiles`, which knows the specification and no engine. What is
true is found by listing all words of labels.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Any

import pytest

from bdist import checker
from tests.certificates.hand_made import SPECIFICATIONS
from tests.certificates.test_mutations import numbers, replaced, restructured, variants
from tests.cli.runner import run_checker
from tests.oracles import profiles
from tests.oracles.profiles import Atom, Chain, chain

Document = dict[str, Any]


def check(model: Chain, document: Document) -> checker.ProfileReport:
    return checker.check_profile(model.text(), json.dumps(document))


def step_that_fails(model: Chain, document: Document) -> str:
    with pytest.raises(checker.Rejected) as caught:
        check(model, document)
    assert caught.value.step in checker.PROFILE_STEPS
    return caught.value.step


def malformed(model: Chain, document: Document) -> str:
    with pytest.raises(checker.Malformed) as caught:
        check(model, document)
    assert not isinstance(caught.value, checker.TooLarge)
    return str(caught.value)


def grid(step: int, bits: int, rounds: int, reach: int = 99) -> Document:
    """Cells at the powers of 1 + 2^-step."""
    ratio = str(1 + Fraction(1, 2**step))
    return {"ratio": ratio, "bits": bits, "rounds": rounds, "low": -reach, "high": reach}


def e(state: str) -> profiles.Vector:
    return {state: Fraction(1)}


# --- models, each with an accepted certificate --------------------------------------------------------------

SHORT = chain(  # two steps; b2 is reached from one side only
    {
        "s": ("start", {"a1": "1/2", "a2": "1/2"}),
        "t": ("start", {"a1": "1/3", "b2": "2/3"}),
        "a1": ("x", {"u": "1/4", "v": "3/4"}),
        "a2": ("x", {"u": "2/3", "v": "1/3"}),
        "b2": ("x", {"u": "1/5", "w": "4/5"}),
        "u": ("u", {"u": 1}),
        "v": ("v", {"v": 1}),
        "w": ("w", {"w": 1}),
    }
)
RETRY = chain(
    {
        "s": ("start", {"ws": "1/2", "a": "3/10", "b": "1/5"}),
        "t": ("start", {"wt": "1/2", "a": "1/5", "b": "3/10"}),
        "ws": ("wait", {"ws": "1/2", "a": "3/10", "b": "1/5"}),
        "wt": ("wait", {"wt": "1/2", "a": "1/5", "b": "3/10"}),
        "a": ("a", {"a": 1}),
        "b": ("b", {"b": 1}),
    }
)
COINS = chain(
    {
        "sh": ("h", {"sh": "51/100", "st": "49/100"}),
        "st": ("t", {"sh": "51/100", "st": "49/100"}),
        "th": ("h", {"th": "49/100", "tt": "51/100"}),
        "tt": ("t", {"th": "49/100", "tt": "51/100"}),
    }
)


def exact(model: Chain, s: str, t: str, length: int) -> Document:
    nodes = profiles.nodes_from(e(s), e(t), profiles.steps_of_states(model))
    return profiles.document(
        model, (s, t), nodes, profiles.atoms_claim(profiles.true_atoms(model, s, t, length))
    )


def short() -> Document:
    return exact(SHORT, "s", "t", 4)


def retry() -> Document:
    """Four beliefs; the one of waiting is entered with 1/2 and stays with 1/2, which makes a weight of 1."""
    nodes = [
        {"a": [["s", 1]], "b": [["t", 1]], "next": [["wait", 1], ["a", 2], ["b", 3]]},
        {"a": [["ws", 1]], "b": [["wt", 1]], "next": [["wait", 1], ["a", 2], ["b", 3]]},
        {"a": [["a", 1]], "b": [["a", 1]]},
        {"a": [["b", 1]], "b": [["b", 1]]},
    ]
    claim = {"atoms": [["3/5", "2/5"], ["2/5", "3/5"]]}
    return profiles.document(RETRY, ("s", "t"), nodes, claim, visits=[[1, [["1", "1"]]]])


def coins() -> Document:
    """One open leaf; in the long run the frequency of heads tells which coin it is."""
    nodes = [{"a": [["sh", 1]], "b": [["th", 1]]}]
    types = {
        "classes": [[[["sh", "51/100"], ["st", "49/100"]]], [[["th", "49/100"], ["tt", "51/100"]]]],
        "words": [["h"]],
        "reach": [[["sh", "1"], ["st", "1"]], [["th", "1"], ["tt", "1"]]],
    }
    claim = {"atoms": [["1", "0"], ["0", "1"]]}
    return profiles.document(COINS, ("sh", "th"), nodes, claim, types=types)


MIXED = chain(  # m is half u and half v, in all that follows; and w is u under another label
    {
        "s": ("start", {"u": "1/8", "v": "5/8", "w": "1/4"}),
        "t": ("start", {"m": "3/4", "v": "1/4"}),
        "u": ("x", {"y": "1/4", "z": "3/4"}),
        "v": ("x", {"y": "3/4", "z": "1/4"}),
        "m": ("x", {"y": "1/2", "z": "1/2"}),
        "w": ("w", {"y": "1/4", "z": "3/4"}),
        "y": ("y", {"y": 1}),
        "z": ("z", {"z": 1}),
    }
)
FUTURES = {
    "one": {"w": {"u": "1"}},
    "mixed": {"m": {"u": "1/2", "v": "1/2"}, "w": {"u": "1"}},
    "negative": {"v": {"m": "2", "u": "-1"}, "w": {"u": "1"}},
}


def with_futures(name: str, deepest: int = 9) -> tuple[Chain, Document]:
    futures = {i: {k: Fraction(x) for k, x in entry.items()} for i, entry in FUTURES[name].items()}
    step = profiles.steps_of_states(MIXED, futures)
    nodes = profiles.nodes_from(e("s"), e("t"), step, deepest)
    weights = profiles.path_weights(nodes, step)
    claim = {
        bound: profiles.written(profiles.list_of(nodes, weights, bound == "pessimistic"))
        for bound in ("optimistic", "pessimistic")
    }
    entries = [[i, [[k, x] for k, x in entry.items()]] for i, entry in FUTURES[name].items()]
    return MIXED, profiles.document(MIXED, ("s", "t"), nodes, claim, futures=entries)


def randomised_response(k: int, p: Fraction) -> Chain:
    """k answers, each of which tells the truth with probability p."""
    described: dict[str, tuple[str, dict[str, Any]]] = {}
    for i in range(k + 1):
        for letter, yes in (("s", p), ("t", 1 - p)):
            for answer in ("yes", "no") if i else ("start",):
                after = {f"{letter}{i + 1}yes": yes, f"{letter}{i + 1}no": 1 - yes} if i < k else {"end": 1}
                described[f"{letter}{i}{answer}"] = (answer, after)
    described["end"] = ("end", {"end": 1})
    return chain(described)


def responses_on_grid(k: int, p: Fraction, cells: Document) -> tuple[Chain, Document]:
    model = randomised_response(k, p)
    step, pair = profiles.steps_of_states(model), ("s0start", "t0start")
    nodes = profiles.nodes_from(e(pair[0]), e(pair[1]), step)
    low, high = (
        profiles.list_of(nodes, profiles.grid_weights(nodes, step, cells, up), up) for up in (False, True)
    )
    claim = {
        "optimistic": profiles.written(profiles.claim_below(low)),
        "pessimistic": profiles.written(profiles.claim_above(high)),
    }
    return model, profiles.document(model, pair, nodes, claim, grid=cells)


def atoms_of(claim: Any) -> list[Atom]:
    return [(Fraction(p), Fraction(q)) for p, q in claim]


# --- accepted -----------------------------------------------------------------------------------------------


def test_a_finite_chain_without_cycles() -> None:
    report = check(SHORT, short())
    assert report.pair == ("s", "t")
    assert report.claim.exact
    assert {report.grid, report.futures, report.types} == {False}
    # by hand: x u, x v, x w
    assert set(atoms_of(short()["claim"]["atoms"])) == {
        (Fraction(11, 24), Fraction(13, 60)),
        (Fraction(13, 24), Fraction(1, 4)),
        (Fraction(0), Fraction(8, 15)),
    }


def test_a_cycle_with_visits() -> None:
    report = check(RETRY, retry())
    assert report.nodes == 4
    assert report.claim.exact
    # vectors count up to a factor: weights are probabilities
    check(RETRY, changed(retry(), put("nodes", 1, "a", 0, 1, 7)))


def test_types_tell_two_coins_apart_at_once() -> None:
    assert check(COINS, coins()).types
    without = coins()
    del without["types"]
    assert step_that_fails(COINS, without) == "claim"
    check(COINS, without | {"claim": {"optimistic": [["1", "1"]], "pessimistic": [["1", "0"], ["0", "1"]]}})


@pytest.mark.parametrize("name", FUTURES)
def test_futures(name: str) -> None:
    model, document = with_futures(name)
    assert check(model, document).futures
    truth = profiles.true_atoms(model, "s", "t", 4)
    check(model, document | {"claim": profiles.atoms_claim(truth)})
    assert any(n < 0 for node in document["nodes"] for _, n in node["a"]) == (name == "negative")
    _, early = with_futures(name, deepest=1)  # open leaves, where no entry may be negative to tell them apart
    check(model, early)
    assert is_true(early, truth)
    assert step_that_fails(model, early | {"claim": profiles.atoms_claim(truth)}) == "claim"
    del document["futures"]
    assert step_that_fails(model, document) in ("node", "next")


def test_different_labels_are_told_apart_at_once() -> None:
    claim = {"atoms": [["1", "0"], ["0", "1"]]}
    document = profiles.document(RETRY, ("s", "ws"), [], claim)
    assert check(RETRY, document).nodes == 0
    check(RETRY, document | {"grid": grid(3, 10, 1)})
    assert step_that_fails(RETRY, document | {"pair": ["s", "t"]}) == "root"


def test_equal_states() -> None:
    document = profiles.document(
        RETRY, ("s", "s"), [{"a": [["s", 1]], "b": [["s", 1]]}], {"atoms": [["1", "1"]]}
    )
    check(RETRY, document)


def test_open_leaves_leave_a_gap() -> None:
    nodes = profiles.nodes_from(e("s"), e("t"), profiles.steps_of_states(SHORT), deepest=1)
    weights = profiles.path_weights(nodes, profiles.steps_of_states(SHORT))
    low, high = (profiles.list_of(nodes, weights, up) for up in (False, True))
    assert profiles.value(low, Fraction(1)) < profiles.value(high, Fraction(1))
    lists = {"optimistic": profiles.written(low), "pessimistic": profiles.written(high)}
    check(SHORT, profiles.document(SHORT, ("s", "t"), nodes, lists))
    for name, other in (("optimistic", high), ("pessimistic", low)):
        forged = profiles.document(SHORT, ("s", "t"), nodes, {**lists, name: profiles.written(other)})
        assert step_that_fails(SHORT, forged) == "claim"


@pytest.mark.parametrize(
    ("step", "bits", "reach"),
    [(2, 40, 99), (4, 40, 99), (5, 12, 99), (3, 300, 99), (4, 40, 20), (4, 40, 3), (4, 40, 0)],
)
def test_randomised_response_on_a_grid(step: int, bits: int, reach: int) -> None:
    k, p = 6, Fraction(3, 5)
    model, document = responses_on_grid(k, p, grid(step, bits, 20, reach))
    report = check(model, document)
    assert report.grid
    binomial = [
        (comb(k, n) * p**n * (1 - p) ** (k - n), comb(k, n) * p ** (k - n) * (1 - p) ** n)
        for n in range(k + 1)
    ]
    low, high = report.claim.optimistic, report.claim.pessimistic
    for alpha in [Fraction(n, 10) for n in range(0, 130, 3)] + profiles.ratios(binomial):
        truth = profiles.value(binomial, alpha)
        assert profiles.value(low, alpha) <= truth <= profiles.value(high, alpha)
    for name, other in (("optimistic", high), ("pessimistic", low)):
        forged = replaced(document, ("claim", name), profiles.written(other))
        assert step_that_fails(model, forged) == "claim"


def test_a_grid_that_stops_too_early_and_one_with_cycles() -> None:
    for model, nodes in ((RETRY, retry()["nodes"]), (SHORT, short()["nodes"])):
        step = profiles.steps_of_states(model)
        for rounds in (1, 2, 9):
            cells = grid(4, 20, rounds, 1 + 2 * rounds)
            low, high = (
                profiles.list_of(nodes, profiles.grid_weights(nodes, step, cells, up), up)
                for up in (False, True)
            )
            claim = {
                "optimistic": profiles.written(profiles.claim_below(low)),
                "pessimistic": profiles.written(profiles.claim_above(high)),
            }
            check(model, profiles.document(model, ("s", "t"), nodes, claim, grid=cells))


def test_a_chord_does_not_cut_off_a_corner() -> None:
    """Rounding brings O below 1 - alpha; then max(O, 1 - alpha) has a corner that A must not cut off."""
    model, document = responses_on_grid(1, Fraction(3, 5), grid(3, 5, 9))
    # O has the atoms (19, 13)/32 and (12, 20)/32; it meets 1 - alpha at 13/19
    assert profiles.ratios(atoms_of(document["claim"]["optimistic"])) == [Fraction(13, 19), Fraction(19, 13)]
    check(model, document)
    early = Fraction(13, 19) - Fraction(1, 100)
    forged = profiles.with_sums_one([(early, 1 - early), (Fraction(19, 13), Fraction(0))])
    assert profiles.value(forged, Fraction(13, 19)) > 1 - Fraction(13, 19)
    claim = {**document["claim"], "optimistic": profiles.written(forged)}
    assert step_that_fails(model, document | {"claim": claim}) == "claim"


# --- rejected, at each step ---------------------------------------------------------------------------------

Change = Callable[[Document], None]


def changed(document: Document, change: Change) -> Document:
    document = copy.deepcopy(document)
    change(document)
    return document


def put(*path: Any) -> Change:
    """Put the last of these at the place that the others lead to."""
    *steps, last, value = path

    def change(document: Document) -> None:
        at: Any = document
        for step in steps:
            at = at[step]
        at[last] = value

    return change


def take(*path: Any) -> Change:
    *steps, last = path

    def change(document: Document) -> None:
        at: Any = document
        for step in steps:
            at = at[step]
        del at[last]

    return change


REJECTED = [
    ("model", "retry", put("model", "0" * 64)),
    ("future", "mixed", put("futures", 0, 0, "nobody")),
    ("future", "mixed", put("futures", 0, 1, 0, 0, "nobody")),
    ("future", "mixed", put("futures", 0, 1, 0, 0, "m")),
    ("future", "mixed", put("futures", 0, 1, 0, 0, "w")),
    ("future", "mixed", put("futures", 0, 1, 0, 1, "1/3")),
    ("future", "mixed", put("futures", 0, 1, [["u", "1/3"], ["v", "2/3"]])),
    ("future", "mixed", put("futures", 0, 1, [["u", "1/2"], ["v", "1/2"], ["z", "1"], ["y", "-1"]])),
    ("future", "mixed", put("futures", 1, 1, [["z", "1"]])),
    ("root", "retry", put("nodes", 0, "a", [["t", 1]])),
    ("root", "retry", put("nodes", 0, "a", [["s", 2]])),
    ("root", "retry", put("pair", ["s", "nobody"])),
    ("root", "retry", put("pair", ["t", "s"])),
    ("root", "retry", put("pair", ["s", "ws"])),
    ("root", "retry", put("nodes", [])),
    ("node", "retry", put("nodes", 2, "a", [["a", -1]])),
    ("node", "retry", put("nodes", 2, "a", [["nobody", 1]])),
    ("node", "retry", put("nodes", 2, {"a": [], "b": []})),
    ("node", "retry", put("nodes", 1, "a", [])),
    ("node", "retry", put("nodes", 2, "a", [["a", 1], ["b", -1]])),
    ("node", "mixed", put("nodes", 1, "a", [["m", 1]])),
    ("next", "retry", take("nodes", 1, "next", 0)),
    ("next", "retry", put("nodes", 1, "next", 0, 0, "start")),
    ("next", "retry", put("nodes", 1, "next", 0, 1, 0)),
    ("next", "retry", put("nodes", 1, "next", 0, 1, 4)),
    ("next", "retry", put("nodes", 1, "next", 0, 1, -1)),
    ("next", "retry", put("nodes", 1, "next", 1, 1, 3)),
    ("next", "retry", put("nodes", 2, "b", [])),
    ("next", "retry", put("nodes", 2, "a", [["a", 1], ["b", 1]])),
    ("order", "retry", take("visits")),
    ("order", "retry", put("visits", [[0, [["1", "1"]]]])),
    ("visits", "retry", put("visits", [[1, [["1", "1/2"]]]])),
    ("visits", "retry", put("visits", [[1, [["2", "2"]]]])),
    ("visits", "retry", put("visits", [[1, [["1", "1"], ["2", "2"]]]])),
    ("visits", "retry", put("visits", [[1, [["1", "1"], ["2", "3"]]]])),
    ("visits", "retry", put("visits", [[1, [["1", "1"], ["0", "1"]]]])),
    ("visits", "retry", put("visits", [[1, [["1", "1"]]], [2, [["1", "1"]]]])),
    ("visits", "retry", put("visits", [[1, [["1", "1"]]], [4, [["1", "1"]]]])),
    ("type-class", "coins", put("types", "classes", 0, 0, 0, 1, "1/2")),
    ("type-class", "coins", put("types", "classes", 0, 0, [["sh", "1"]])),
    ("type-class", "coins", put("types", "classes", 0, 0, [])),
    ("type-class", "coins", put("types", "classes", 0, 0, [["sh", "50/100"], ["st", "50/100"]])),
    ("type-class", "coins", put("types", "classes", 1, [[["sh", "51/100"], ["st", "49/100"]]])),
    ("type-class", "coins", put("types", "classes", 1, 0, 0, 0, "nobody")),
    (
        "type-class",
        "coins",
        put("types", "classes", [[[["sh", "51/200"], ["st", "49/200"], ["th", "49/200"], ["tt", "51/200"]]]]),
    ),
    ("type-rest", "coins", take("types", "classes", 1)),
    ("type-rest", "coins", put("types", "classes", [])),
    ("type-words", "coins", put("types", "words", [])),
    ("type-words", "coins", put("types", "words", [[], ["nothing"], ["h", "t"]])),
    ("type-reach", "coins", put("types", "reach", 0, [["sh", "1"]])),
    ("type-reach", "coins", take("types", "reach", 0)),
    ("type-reach", "coins", put("types", "reach", 0, [["sh", "1"], ["st", "1"], ["tt", "1"]])),
    ("type-reach", "coins", put("types", "reach", 0, [["sh", "1"], ["st", "1"], ["nobody", "1"]])),
    ("claim", "retry", put("claim", {"atoms": [["1", "0"], ["0", "1"]]})),
    ("claim", "retry", put("claim", {"atoms": [["1", "1"]]})),
    ("claim", "retry", put("claim", {"atoms": [["3/5", "2/5"], ["2/5", "3/5"], ["0", "0"]]})),
    ("claim", "retry", put("claim", {"atoms": [["3/5", "2/5"], ["2/5", "2/5"]]})),
    ("claim", "retry", put("claim", {"atoms": [["3/5", "2/5"], ["1/5", "3/5"]]})),
    ("claim", "retry", put("claim", {"atoms": [["3/5", "2/5"], ["3/5", "3/5"], ["-1/5", "0"]]})),
    ("claim", "retry", put("claim", {"atoms": [["6001/10000", "2/5"], ["3999/10000", "3/5"]]})),
    ("claim", "retry", put("claim", {"atoms": [["5999/10000", "2/5"], ["4001/10000", "3/5"]]})),
    ("future", "mixed", put("futures", 0, 1, [])),
]


def accepted() -> dict[str, tuple[Chain, Document]]:
    return {
        "short": (SHORT, short()),
        "retry": (RETRY, retry()),
        "coins": (COINS, coins()),
        "mixed": with_futures("mixed"),
        "negative": with_futures("negative", deepest=1),
        "grid": responses_on_grid(3, Fraction(2, 3), grid(3, 20, 5)),
    }


@pytest.mark.parametrize(("step", "name", "change"), REJECTED)
def test_a_step_that_fails(step: str, name: str, change: Change) -> None:
    model, document = accepted()[name]
    check(model, document)
    assert step_that_fails(model, changed(document, change)) == step


def test_a_cycle_that_nothing_enters_has_no_weight() -> None:
    """Two nodes that feed each other, and leak: what comes back is less than what is said to be there."""
    document = retry()
    document["nodes"] += [
        {"a": [["ws", 2]], "b": [["wt", 2]], "next": [["wait", 5], ["a", 2], ["b", 3]]},
        {"a": [["ws", 1]], "b": [["wt", 1]], "next": [["wait", 4], ["a", 2], ["b", 3]]},
    ]
    document["visits"] += [[4, [["1", "1"]]], [5, [["1", "1"]]]]
    assert step_that_fails(RETRY, document) == "visits"


def test_all_steps_are_specified_and_fail_somewhere() -> None:
    text = (SPECIFICATIONS / "traces" / "SPEC.md").read_text(encoding="utf-8")
    for step in checker.PROFILE_STEPS:
        assert f"`{step}`:" in text
    assert {step for step, _, _ in REJECTED} == set(checker.PROFILE_STEPS)


# --- malformed and too large --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "change", "begins"),
    [
        ("retry", put("more", 1), "the document: unknown member more"),
        ("retry", take("claim"), "the document: the member claim is missing"),
        ("retry", put("format", "bdist-certificate"), "format: "),
        ("retry", put("version", 2), "version: "),
        ("retry", put("nodes", 1, "a", 0, 1, 0), "nodes[1].a[0][1]: expected an integer other than 0"),
        ("retry", put("nodes", 1, "a", 0, 1, True), "nodes[1].a[0][1]: "),
        ("retry", put("nodes", 1, "a", 0, 0, 5), "nodes[1].a[0][0]: "),
        ("retry", put("nodes", 1, "a", [["ws", 1], ["ws", 2]]), "nodes[1].a[1]: a second entry"),
        ("retry", put("nodes", 1, "next", 0, 0, "a"), "nodes[1].next[1]: a second entry"),
        ("retry", put("nodes", 1, "leaf", True), "nodes[1]: unknown member leaf"),
        ("retry", put("visits", [[1, []]]), "visits[0][1]: "),
        ("retry", put("visits", [[1, [["1", "1"]]], [1, [["1", "1"]]]]), "visits[1]: a second entry"),
        ("retry", put("grid", grid(3, 20, 3)), "visits: there is a grid"),
        ("retry", put("claim", {}), "claim: expected atoms, or optimistic and pessimistic"),
        ("retry", put("claim", {"optimistic": [["1", "1"]]}), "claim: expected atoms, or"),
        ("retry", put("claim", "optimistic", [["1", "1"]]), "claim: expected atoms, or"),
        ("retry", put("claim", []), "claim: "),
        ("retry", put("claim", "atoms", []), "claim.atoms: "),
        ("retry", put("claim", "atoms", None), "claim.atoms: expected an array; found null"),
        ("retry", put("claim", "alpha", "2"), "claim: unknown member alpha"),
        ("mixed", put("futures", 1, 0, "m"), "futures[1]: a second entry"),
        ("mixed", put("futures", 0, 1, 1, 0, "u"), "futures[0][1][1]: a second entry"),
        ("coins", put("types", "classes", [[]]), "types.classes[0]: "),
        ("coins", put("types", None), "types: "),
        ("grid", put("grid", "ratio", "1"), "grid.ratio: it is not greater than 1"),
        ("grid", put("grid", "low", 1), "grid.low: "),
        ("grid", put("grid", "high", -1), "grid.high: "),
        ("grid", put("grid", "bits", 4097), "grid.bits: "),
        ("grid", put("grid", "rounds", 0), "grid.rounds: "),
    ],
)
def test_malformed_documents(name: str, change: Change, begins: str) -> None:
    model, document = accepted()[name]
    assert malformed(model, changed(document, change)).startswith(begins)


def test_a_grid_may_be_too_fine() -> None:
    """The ratio 3/2 is far away from 1 in steps of 2^-40."""
    document = retry()
    del document["visits"]
    with pytest.raises(checker.TooLarge):
        check(RETRY, document | {"grid": grid(40, 20, 5)})


def test_a_grid_may_have_too_few_bits() -> None:
    """With one bit a third is rounded up to a half: three of them grow without end."""
    described: dict[str, tuple[str, dict[str, Any]]] = {}
    for i in "st":
        described[i] = ("x", {i: "1/3", f"{i}1": "1/3", f"{i}2": "1/3"})
        described |= {f"{i}1": ("y", {i: 1}), f"{i}2": ("z", {i: 1})}
    model, out = chain(described), [["x", 1], ["y", 2], ["z", 3]]
    nodes = [{"a": [["s", 1]], "b": [["t", 1]], "next": out} for _ in range(2)]
    nodes += [{"a": [[f"s{i}", 1]], "b": [[f"t{i}", 1]], "next": [["x", 1]]} for i in (1, 2)]
    claim = {"atoms": [["1", "0"], ["0", "1"]]}
    document = profiles.document(model, ("s", "t"), nodes, claim, grid=grid(3, 1, 1000))
    with pytest.raises(checker.TooLarge, match="grow beyond"):
        check(model, document)


def test_the_work_is_limited_by_the_caller() -> None:
    with pytest.raises(checker.TooLarge):
        checker.check_profile(RETRY.text(), json.dumps(retry()), checker.Allowance(memory=1000))


# --- nothing false is accepted ------------------------------------------------------------------------------


def random_chain(seed: int, layers: int = 3, width: int = 2) -> Chain:
    """Two states side by side in each layer, with labels by chance, and an end."""
    dice = random.Random(seed)  # noqa: S311
    described: dict[str, tuple[str, dict[str, Any]]] = {"s": ("start", {}), "t": ("start", {})}
    names = [["s", "t"], *([f"n{i}{j}" for j in range(width + 1)] for i in range(layers)), ["end"]]
    for before, after in pairwise(names):
        for state in before:
            parts = [dice.choice([0, 1, 1, 2, 3]) for _ in after]
            parts[0] += not any(parts)
            row = {j: Fraction(n, sum(parts)) for j, n in zip(after, parts, strict=True) if n}
            described[state] = (described[state][0] if state in described else dice.choice("xy"), row)
    described["end"] = ("end", {"end": 1})
    return chain(described)


def is_true(document: Document, truth: list[Atom]) -> bool:
    claim = document["claim"]
    low = atoms_of(claim.get("optimistic", claim.get("atoms")))
    high = atoms_of(claim.get("pessimistic", claim.get("atoms")))
    points = sorted({Fraction(0), *profiles.ratios(low), *profiles.ratios(high), *profiles.ratios(truth)})
    points += [(x + y) / 2 for x, y in pairwise(points)] + [points[-1] + 1]
    return all(
        profiles.value(low, alpha) <= profiles.value(truth, alpha) <= profiles.value(high, alpha)
        for alpha in points
    )


def random_document(seed: int) -> tuple[Chain, Document, list[Atom]]:
    model = random_chain(seed)
    truth = profiles.true_atoms(model, "s", "t", 6)
    step = profiles.steps_of_states(model)
    deepest = 10 if seed % 2 else 2
    nodes = profiles.nodes_from(e("s"), e("t"), step, deepest)
    more: Document = {}
    weights = profiles.path_weights(nodes, step)
    low, high = (profiles.list_of(nodes, weights, up) for up in (False, True))
    if seed % 3 == 2:
        more["grid"] = grid(2 + seed % 4, 8 + seed % 20, 1 + seed % 6, seed % 9)
        low, high = (
            profiles.list_of(nodes, profiles.grid_weights(nodes, step, more["grid"], up), up)
            for up in (False, True)
        )
    claim: Document = {
        "optimistic": profiles.written(profiles.claim_below(low)),
        "pessimistic": profiles.written(profiles.claim_above(high)),
    }
    if deepest > 4 and not more:
        claim = profiles.atoms_claim(truth)
    return model, profiles.document(model, ("s", "t"), nodes, claim, **more), truth


@pytest.mark.parametrize("seed", range(60))
def test_random_chains_agree_with_brute_force(seed: int) -> None:
    model, document, truth = random_document(seed)
    assert is_true(document, truth)
    check(model, document)


def outcome(model: Chain, document: Document) -> str:
    try:
        check(model, document)
    except checker.Rejected as error:
        return error.step
    except checker.Malformed:
        return "malformed"
    return "accepted"


def subjects() -> dict[str, tuple[Chain, Document, list[Atom]]]:
    """Accepted certificates, and what is true."""
    found = {f"random {seed}": random_document(seed) for seed in range(10)}
    for name, (model, document) in accepted().items():
        s, t = document["pair"]
        truth = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
        if name == "retry":
            truth = [(Fraction(3, 5), Fraction(2, 5)), (Fraction(2, 5), Fraction(3, 5))]
        elif name != "coins":
            truth = profiles.true_atoms(model, s, t, 6)
        found[name] = (model, document, truth)
    return found


@pytest.mark.parametrize("name", subjects())
def test_no_change_makes_a_falsehood_pass(name: str) -> None:
    model, document, truth = subjects()[name]
    outcomes: Counter[str] = Counter()
    changes = list(restructured(document))
    for place in numbers(document):
        value: Any = document
        for step in place:
            value = value[step]
        changes += [replaced(document, place, other) for other in variants(value)]
    for other in random.Random(name).sample(changes, min(len(changes), 400)):  # noqa: S311
        if other["pair"] == document["pair"]:
            found = outcome(model, other)
            outcomes[found] += 1
            assert found != "accepted" or is_true(other, truth), other
    assert outcomes["accepted"] < sum(outcomes.values())


# --- the command --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "retry",
            [
                "accepted: the privacy-loss distribution of (s, t) is (3/5, 2/5), (2/5, 3/5)",
                "checked: 4 nodes",
            ],
        ),
        (
            "coins",
            [
                "accepted: the privacy-loss distribution of (sh, th) is (1, 0), (0, 1)",
                "checked: 1 nodes, types",
            ],
        ),
        ("grid", None),
    ],
)
def test_the_command_tells_profiles_by_their_format(
    name: str, lines: list[str] | None, tmp_path: Path
) -> None:
    model, document = accepted()[name]
    (tmp_path / "model.lmc").write_text(model.text(), encoding="utf-8")
    for members in (list(document.items()), list(document.items())[::-1]):  # format first, and format last
        (tmp_path / "proof.json").write_text(json.dumps(dict(members)), encoding="utf-8")
        done = run_checker(Path(checker.__file__).parent, tmp_path / "model.lmc", tmp_path / "proof.json")
        assert (done.returncode, done.stderr) == (0, "")
        assert lines is None or done.stdout.splitlines() == lines
    document["model"] = "0" * 64
    (tmp_path / "proof.json").write_text(json.dumps(document), encoding="utf-8")
    done = run_checker(Path(checker.__file__).parent, tmp_path / "model.lmc", tmp_path / "proof.json")
    assert done.returncode == 1
    assert done.stdout.startswith("rejected at model: ")
