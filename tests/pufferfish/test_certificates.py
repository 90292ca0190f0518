"""Certificates of hidden Markov models, made by hand: what they prove, and changes of single numbers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from bdist import checker
from bdist.checker.core import limits
from bdist.checker.core.limits import Work
from bdist.checker.pufferfish.model import read_hidden_model
from tests.certificates.hand_made import HIDDEN_MODELS


def number(text: str) -> Fraction | None:
    return None if text == "inf" else Fraction(text)


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", HIDDEN_MODELS.files("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    report = checker.check_hidden_model(HIDDEN_MODELS.model_of(path), text)
    document = json.loads(text)
    upper = document["upper"] or {"bounds": [], "beyond": None, "layers": []}
    assert (report.words, report.pairs) == (document["words"], tuple(map(tuple, document["pairs"])))
    assert report.at == (
        None if document["at"] is None else {p: Fraction(x) for p, x in document["at"].items()}
    )
    assert report.bounds == tuple(map(number, upper["bounds"]))
    assert report.beyond == (None if upper["beyond"] is None else Fraction(upper["beyond"]))
    assert [(w.pair, list(w.word), w.ratio) for w in report.lower] == [
        (w["pair"], w["word"], number(w["ratio"])) for w in document["lower"]
    ]
    assert [(list(g.prefix), list(g.block), list(g.suffix)) for g in report.growth] == [
        (g["prefix"], g["block"], g["suffix"]) for g in document["growth"]
    ]
    for part, count in (("nodes", report.nodes), ("covered", report.covered), ("closed", report.closed)):
        assert count == sum(len(layer[part]) for layer in upper["layers"])
    invariant = document["invariant"] or {"bound": None, "vectors": []}
    assert report.always == (None if invariant["bound"] is None else Fraction(invariant["bound"]))
    assert report.vectors == len(invariant["vectors"])


# --- numbers that may be changed -----------------------------------------------------------------------


def test_a_bound_is_the_least_that_is_accepted() -> None:
    """Every bound of these files is the loss, so that a little less is refused, and more is not."""
    for stem in ("exact--flip", "exact--coin", "not-covered--mask"):
        document, model = HIDDEN_MODELS.accepted(stem), HIDDEN_MODELS.model_of(stem.split("--")[-1])
        for place, bound in enumerate(document["upper"]["bounds"]):
            for change, wanted in ((-Fraction(1, 10**6), {"bounds", "closed"}), (1, {"accepted", "beyond"})):
                document["upper"]["bounds"][place] = str(Fraction(bound) + change)
                assert HIDDEN_MODELS.outcome(model, document) in wanted
            document["upper"]["bounds"][place] = bound


def test_the_factor_of_a_cover_may_be_any_that_dominates() -> None:
    document, model = HIDDEN_MODELS.accepted("with-a-factor--flip"), HIDDEN_MODELS.model_of("flip")
    for factor, wanted in [
        *[("1/3", "accepted"), ("3", "accepted"), ("1", "accepted")],
        *[("333/1000", "covered"), ("3001/1000", "covered")],
    ]:
        document["upper"]["layers"][1]["covered"][0][2] = factor
        assert HIDDEN_MODELS.outcome(model, document) == wanted


def test_an_invariant_is_about_probabilities_and_a_larger_cone_is_one_as_well() -> None:
    """Of both numbers there is a least one: what a step makes of a vector, and what a root is."""
    document, model = HIDDEN_MODELS.accepted("invariant-tight--drift"), HIDDEN_MODELS.model_of("drift")
    invariant = document["invariant"]
    for place in (invariant["roots"][0], invariant["steps"][0][0][1]):
        (exact,) = place
        for multiplier in (
            Fraction(exact[1]) * 2,
            Fraction(exact[1]) / 2,
        ):  # not more, as -29 then is too low
            place[:] = [[0, str(multiplier)]]
            assert HIDDEN_MODELS.outcome(model, document) == "invariant"
        place[:] = [exact]
    document["invariant"]["vectors"][0]["s1"] = "-28"
    assert HIDDEN_MODELS.outcome(model, document) == "invariant"
    document, model = HIDDEN_MODELS.accepted("invariant-common--mask"), HIDDEN_MODELS.model_of("mask")
    document["invariant"]["second"][1] = ["u", "t2"]  # asks for words that need not be asked for
    assert HIDDEN_MODELS.outcome(model, document) == "accepted"
    document["invariant"]["bound"] = "26/10"
    assert HIDDEN_MODELS.outcome(model, document) == "accepted"


def test_growth_depends_on_the_cleared_form() -> None:
    """At p = 2/3 the denominator of c is 1/3, which multiplies up and down, and every round again."""
    document, model = HIDDEN_MODELS.accepted("growth-at--coin"), HIDDEN_MODELS.model_of("coin")
    (growth,) = document["growth"]
    growth.update(block=["x", "x"], up=str(Fraction(2, 9) ** 2), down=str(Fraction(5, 27) ** 2))
    assert HIDDEN_MODELS.outcome(model, document) == "accepted"
    growth.update(up=str(Fraction(2, 9) ** 2 + Fraction(1, 10**9)))
    assert HIDDEN_MODELS.outcome(model, document) == "growth"


def test_a_lower_word_shares_nothing_it_should_not() -> None:
    """Words that begin alike are followed once, unless their pairs or their points differ."""
    document = HIDDEN_MODELS.accepted("exact--coin")
    word, _, at_two_thirds, _ = document["lower"]
    document["pairs"].append(["b", "a"])
    document["upper"] = None
    turned = {**at_two_thirds, "word": ["x", "x"], "ratio": "1/2", "pair": 1}
    again = {**at_two_thirds, "word": ["x", "x"]}
    document["lower"] = [again, turned, again, {**word, "word": ["x", "x"]}, again]
    assert HIDDEN_MODELS.outcome(HIDDEN_MODELS.model_of("coin"), document) == "accepted"
    document["lower"][4] = {**again, "pair": 1}
    assert HIDDEN_MODELS.outcome(HIDDEN_MODELS.model_of("coin"), document) == "word"


# --- live states ----------------------------------------------------------------------------------------


def test_a_dead_state_is_left_out_with_common_words_only() -> None:
    """The same proof, of bounds that claim nothing: only the words that count, and the pairs, are others."""
    document, model = HIDDEN_MODELS.accepted("dead-states-left-out--lost"), HIDDEN_MODELS.model_of("lost")
    document |= {"lower": [], "upper": {**document["upper"], "bounds": ["inf", "inf"], "beyond": None}}
    del document["upper"]["layers"][2]
    assert HIDDEN_MODELS.outcome(model, document) == "accepted"
    assert HIDDEN_MODELS.outcome(model, document | {"words": "all"}) == "covered"
    document["upper"]["layers"][0]["closed"] = [[1, "inf"]]
    for other, wanted in (("e", "accepted"), ("a", "accepted"), ("b", "covered"), ("h", "covered")):
        assert HIDDEN_MODELS.outcome(model, document | {"pairs": [["A", "e"], ["A", other]]}) == wanted, other


def test_a_dead_state_may_be_named_above_but_not_below() -> None:
    document, model = HIDDEN_MODELS.accepted("growth-past-a-dead-state--lost"), HIDDEN_MODELS.model_of("lost")
    growth = document["growth"][0]
    for changes, wanted in (
        ({"above": {"t": "1", "h": "1/1000"}}, "accepted"),
        ({"above": {"t": "1", "g": "9"}}, "accepted"),
        ({"below": {"c": "1", "h": "1"}}, "growth"),
        ({"above": {"h": "1"}}, "growth"),
        ({"down": "249/1000"}, "growth"),
    ):
        assert HIDDEN_MODELS.outcome(model, document | {"growth": [growth | changes]}) == wanted, changes


# --- work -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", ["exact--flip", "exact--coin", "secrets--survey", "growth--stay"])
def test_the_work_is_counted(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of proof takes steps: with too few the same certificate is too large to check."""
    model, document = HIDDEN_MODELS.model_of(stem.split("--")[-1]), HIDDEN_MODELS.accepted(stem)
    monkeypatch.setattr(limits, "STEPS_A_CHARACTER", 0)
    taken = 0
    for steps in (2**k for k in range(24)):
        monkeypatch.setattr(limits, "STEPS", steps)
        try:
            checker.check_hidden_model(model, json.dumps(document))
            break
        except checker.TooLarge:
            taken = steps
    assert taken >= 32


def test_sets_of_states_that_do_not_repeat_soon_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cycles of 2, 3, 5, 7, 11 and 13 states: a set repeats after 30,030 rounds, and all show x."""
    lines, entries = ["hmm cycles", "a [x] -> 1 a"], []
    for length in (2, 3, 5, 7, 11, 13):
        entries.append(f"1/6 c{length}.0")
        names = [f"c{length}.{k}" for k in range(length)]
        lines += [f"{name} [1/2 x, 1/2 y] -> 1 {names[k - 1]}" for k, name in enumerate(names)]
    model = "\n".join([*lines, f"initial B -> {', '.join(entries)}"])
    states = [line.split()[0] for line in lines[2:]]
    document = HIDDEN_MODELS.accepted("growth--stay") | {
        "model": read_hidden_model(model, Work()).fingerprint(),
        "words": "common",
        "pairs": [["a", "B"]],
    }
    growth = {"pair": 0, "prefix": [], "block": ["x"], "suffix": ["x"], "below": {"a": "1"}}
    growth |= {"above": dict.fromkeys(states, "1"), "up": "1", "down": "1/2"}
    document["growth"] = [growth]
    monkeypatch.setattr(limits, "STEPS_A_CHARACTER", 0)
    monkeypatch.setattr(limits, "STEPS", 3 * 10**5)
    with pytest.raises(checker.TooLarge):
        checker.check_hidden_model(model, json.dumps(document))
    document["words"] = "all"
    assert HIDDEN_MODELS.outcome(model, document) == "accepted"


def test_many_pairs_of_large_distributions_are_too_large() -> None:
    """A few characters name a pair, and its sides may have as many entries as the model has."""
    states = [f"s{n}" for n in range(600)]
    row = ", ".join(f"1/600 {state}" for state in states)
    lines = ["hmm wide", *(f"{state} [x] -> 1 {state}" for state in states)]
    model = "\n".join([*lines, f"initial A -> {row}", f"initial B -> {row}"])
    document = HIDDEN_MODELS.accepted("nothing-to-prove--flip")
    document["model"] = read_hidden_model(model, Work()).fingerprint()
    document |= {"pairs": [["A", "B"]] * 1200, "lower": [], "upper": None}
    with pytest.raises(checker.TooLarge, match="bytes of memory"):
        checker.check_hidden_model(model, json.dumps(document))
    document["pairs"] = [["A", "B"]]
    assert HIDDEN_MODELS.outcome(model, document) == "accepted"


def test_what_many_sides_can_show_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """With common words, what each side can show is kept until the live states are known."""
    shown = ", ".join(f"1/500 o{n}" for n in range(500))
    states = [f"s{n}" for n in range(500)]
    model = "\n".join(["hmm tall", f"hub [{shown}] -> 1 hub", *(f"{state} [x] -> 1 hub" for state in states)])
    document = HIDDEN_MODELS.accepted("nothing-to-prove--flip")
    document["model"] = read_hidden_model(model, Work()).fingerprint()
    document |= {"pairs": [["s0", state] for state in states], "lower": [], "upper": None, "words": "common"}
    assert HIDDEN_MODELS.outcome(model, document) == "accepted"
    monkeypatch.setattr(limits, "BYTES", 2**23)
    monkeypatch.setattr(limits, "BYTES_A_CHARACTER", 0)
    with pytest.raises(checker.TooLarge, match="bytes of memory"):
        checker.check_hidden_model(model, json.dumps(document))
    assert HIDDEN_MODELS.outcome(model, document | {"words": "all"}) == "accepted"
