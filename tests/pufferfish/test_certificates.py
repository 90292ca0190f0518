"""Certificates of hidden Markov models, made by hand: accepted, rejected and malformed.

They are files, as for chains: ``accepted/hidden``, ``rejected/hidden`` and ``malformed/hidden``. A file's
name ends in the model it is about, ``models/*.hmm``; a rejected file's begins with the step that must fail.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist import checker
from bdist.checker.core import limits
from bdist.checker.core.limits import Work
from bdist.checker.pufferfish.model import read_hidden_model
from tests.certificates.certificate_files import CertificateFiles

CERTIFICATES = Path(__file__).parents[1] / "certificates"
SPECIFICATION = Path(checker.__file__).parents[1] / "pufferfish" / "SPEC.md"

Document = dict[str, Any]


FILES = CertificateFiles(CERTIFICATES, ".hmm", checker.check_hidden_model, "hidden")


def model_text(name: str) -> str:
    return (CERTIFICATES / "models" / f"{name}.hmm").read_text(encoding="utf-8")


def accepted(stem: str) -> Document:
    text = (CERTIFICATES / "accepted" / "hidden" / f"{stem}.json").read_text(encoding="utf-8")
    found: Document = json.loads(text)
    return found


def outcome(model: str, document: Document) -> str:
    return FILES.outcome(model, json.dumps(document))


def number(text: str) -> Fraction | None:
    return None if text == "inf" else Fraction(text)


# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES.all("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    report = checker.check_hidden_model(FILES.model_of(path), text)
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


@pytest.mark.parametrize("path", FILES.all("rejected"), ids=lambda path: path.stem)
def test_rejects(path: Path) -> None:
    FILES.assert_rejected(path)


def test_every_step_of_the_specification_has_a_rejected_file() -> None:
    FILES.assert_every_step_fails(SPECIFICATION, 3, checker.HIDDEN_MODEL_STEPS)


@pytest.mark.parametrize(
    ("stem", "reason"),
    [
        ("at--denominator-zero--hole", "a denominator of the model is 0 there"),
        ("pairs--probability-zero-there--hole", "pairs[0]: the secret S has probability 0 under th"),
        ("layers--child-missing--flip", "layers[1] does not name the child of the node 0 by y"),
        ("layers--root-missing--flip", "layers[0] does not name the pair 1"),
        ("layers--nodes-beyond--flip", "layers[2] has nodes, and is beyond all lengths"),
        ("covered--not-dominated--flip", "layers[1].covered[0]: the child is not dominated by the node"),
        (
            "covered--other-support-with-common--mask",
            "layers[1].covered[0]: the second sides are not 0 in the same states",
        ),
        ("covered--by-its-own-layer--flip", "layers[2].covered[0]: there is no node 0 in layers[2]"),
        (
            "covered--not-proportional--coin",
            "layers[1].covered[0]: the child is not proportional to the node",
        ),
        ("closed--exceeded--flip", "layers[1].closed[0]: in the state a the bound 299/100 is exceeded"),
        (
            "closed--inf-and-beyond--apart",
            "layers[0].closed[0]: the bound inf is above that of a length to come, 100",
        ),
        (
            "bounds--too-small-later--flip",
            "layers[1].nodes[0] by x: its ratio is above 299/100, the bound of the length 2",
        ),
        ("bounds--cut-outside-of-a-part--dip", "trees[0]: the cut p = 3/4 is not inside of the box"),
        (
            "beyond--back-to-the-root--stay",
            "the bound 2 of the length 1 is above 1, and words come back to layers[0]",
        ),
        (
            "word--points-outside--coin",
            "lower[0]: p = 3/4 is an end of its range, and toward does not lead inside",
        ),
        ("word--vanishes-along-the-line--hole", "lower[1]: the word does not occur on either side"),
        (
            "layers--second-side-is-dead--apart",
            "layers[0].nodes[0]: the pair 0 is no child, or one that counts for nothing",
        ),
        (
            "covered--live-for-another-pair--lost",
            "layers[1].covered[0]: the child is not dominated by the node",
        ),
        ("growth--below-in-a-dead-state--lost", "growth[0]: below names g, where the first side is 0"),
        (
            "growth--above-misses-a-state--stay",
            "growth[1]: above does not name c, where the second side is not 0",
        ),
        (
            "growth--suffix-only-sometimes--stay",
            "growth[0]: the suffix does not occur on the second side after 1 rounds",
        ),
    ],
)
def test_says_what_is_violated(stem: str, reason: str) -> None:
    assert FILES.reason(stem) == reason


# where each malformed file is malformed: the beginning of the message
PLACES = {
    "array--flip": "the document: expected an object with format, version, model, words, at, pairs",
    "at-array--flip": "at: expected an object of rationals; found an array of 0",
    "at-number--coin": "at.p: expected a rational",
    "at-twice--coin": "at: the member p stands twice",
    "beyond-inf--flip": "upper.beyond: expected a rational",
    "bounds-infinity--flip": "upper.bounds[0]: expected a rational",
    "bounds-none--flip": "upper.bounds: there is none, and there must be at least one",
    "bounds-null--flip": "upper.bounds[0]: expected a rational",
    "bounds-number--flip": "upper.bounds[0]: expected a rational",
    "child-as-root--flip": "upper.layers[1].nodes[0]: expected an array of 2; found the integer 0",
    "child-long--flip": "upper.layers[1].nodes[0][0]: expected an integer from 0 to 2^31 - 1",
    "child-negative--flip": "upper.layers[1].nodes[0][0]: expected an integer from 0 to 2^31 - 1",
    "child-observation-number--flip": "upper.layers[1].nodes[0][1]: expected a name; found the integer 0",
    "child-of-three--flip": "upper.layers[1].nodes[0]: expected an array of 2; found an array of 3",
    "child-true--flip": "upper.layers[1].nodes[0][0]: expected an integer from 0 to 2^31 - 1; found true",
    "closed-bound-decimal--flip": "upper.layers[1].closed[0][1]: expected a rational",
    "closed-of-one--flip": "upper.layers[1].closed[0]: expected an array of 2; found an array of 1",
    "covered-by-index-beyond--flip": "upper.layers[2].covered[0][1]: expected an array of 2",
    "covered-by-place-too-early--flip": "upper.layers[1].covered[0][1]: expected an integer from 0 to",
    "covered-factor-inf--flip": "upper.layers[1].covered[0][2]: expected a rational",
    "covered-factor-null--flip": "upper.layers[1].covered[0][2]: expected a rational",
    "covered-of-four--flip": "upper.layers[1].covered[0]: expected an array of 2 or 3; found an array of 4",
    "format-of-chains--flip": 'format: expected "bdist-pufferfish-certificate"',
    "growth-above-twice--stay": "growth[0].above: the member b stands twice",
    "growth-below-array--stay": "growth[0].below: expected an object of rationals; found an array of 1",
    "growth-block-empty--stay": "growth[0].block: expected an array of one or more observations",
    "growth-prefix-null--stay": "growth[0].prefix: expected an array; found null",
    "growth-suffix-empty--stay": "growth[0].suffix: expected an array of one or more observations",
    "growth-up-inf--stay": "growth[0].up: expected a rational",
    "layer-member-unknown--flip": "upper.layers[0]: unknown member open",
    "layers-too-few--flip": "upper.layers: expected an array of 3; found an array of 2",
    "layers-too-many--flip": "upper.layers: expected an array of 2; found an array of 3",
    "member-missing--flip": "the document: the member growth is missing",
    "member-twice--flip": "the document: the member at stands twice",
    "member-unknown--flip": "the document: unknown member note",
    "model-short--flip": 'model: expected a string of 64 hexadecimal digits; found the string "abc"',
    "not-json--flip": "not JSON at line 2, column 1",
    "pairs-none--flip": "pairs: there is none, and there must be at least one",
    "pairs-of-four--flip": "pairs[0]: expected an array of two names, or of two secrets and a prior",
    "pairs-of-numbers--flip": "pairs[0][0]: expected a name; found the integer 0",
    "pairs-of-one--flip": "pairs[0]: expected an array of two names, or of two secrets and a prior",
    "root-as-child--flip": "upper.layers[0].nodes[0]: expected an integer from 0 to 2^31 - 1",
    "tree-inside--dip": 'upper.trees[0][3][3]: expected an array of 4; found the string "p"',
    "tree-of-three--dip": "upper.trees[0][3]: expected an array of 4; found an array of 3",
    "tree-parameter-number--dip": "upper.trees[0][3][0]: expected a name; found the integer 0",
    "trees-object--dip": "upper.trees: expected an array; found an object",
    "upper-array--flip": "upper: expected an object with bounds, beyond, layers, trees",
    "upper-member-missing--flip": "upper: the member trees is missing",
    "version-2--flip": "version: expected the integer 1; found the integer 2",
    "version-true--flip": "version: expected the integer 1; found true",
    "word-at-missing--flip": "lower[0]: the member at is missing",
    "word-empty--flip": "lower[0].word: expected an array of one or more observations",
    "word-pair-name--flip": 'lower[0].pair: expected an integer from 0 to 2^31 - 1; found the string "a"',
    "word-ratio-denominator-zero--flip": "lower[0].ratio: the denominator is zero",
    "word-string--flip": 'lower[0].word: expected an array; found the string "x"',
    "word-toward-array--coin": "lower[0].toward: expected an object of rationals; found an array of 1",
    "words-some--flip": 'words: expected "all" or "common"; found the string "some"',
}


@pytest.mark.parametrize("path", FILES.all("malformed"), ids=lambda path: path.stem)
def test_refuses_malformed(path: Path) -> None:
    FILES.assert_malformed(path, PLACES)


def test_every_place_has_its_file() -> None:
    assert {path.stem for path in FILES.all("malformed")} == set(PLACES)


# --- numbers that may be changed -----------------------------------------------------------------------


def test_a_bound_is_the_least_that_is_accepted() -> None:
    """Every bound of these files is the loss, so that a little less is refused, and more is not."""
    for stem in ("exact--flip", "exact--coin", "not-covered--mask"):
        document, model = accepted(stem), model_text(stem.split("--")[-1])
        for place, bound in enumerate(document["upper"]["bounds"]):
            for change, wanted in ((-Fraction(1, 10**6), {"bounds", "closed"}), (1, {"accepted", "beyond"})):
                document["upper"]["bounds"][place] = str(Fraction(bound) + change)
                assert outcome(model, document) in wanted
            document["upper"]["bounds"][place] = bound


def test_the_factor_of_a_cover_may_be_any_that_dominates() -> None:
    document, model = accepted("with-a-factor--flip"), model_text("flip")
    for factor, wanted in [
        *[("1/3", "accepted"), ("3", "accepted"), ("1", "accepted")],
        *[("333/1000", "covered"), ("3001/1000", "covered")],
    ]:
        document["upper"]["layers"][1]["covered"][0][2] = factor
        assert outcome(model, document) == wanted


def test_growth_depends_on_the_cleared_form() -> None:
    """At p = 2/3 the denominator of c is 1/3, which multiplies up and down, and every round again."""
    document, model = accepted("growth-at--coin"), model_text("coin")
    (growth,) = document["growth"]
    growth.update(block=["x", "x"], up=str(Fraction(2, 9) ** 2), down=str(Fraction(5, 27) ** 2))
    assert outcome(model, document) == "accepted"
    growth.update(up=str(Fraction(2, 9) ** 2 + Fraction(1, 10**9)))
    assert outcome(model, document) == "growth"


def test_a_lower_word_shares_nothing_it_should_not() -> None:
    """Words that begin alike are followed once, unless their pairs or their points differ."""
    document = accepted("exact--coin")
    word, _, at_two_thirds, _ = document["lower"]
    document["pairs"].append(["b", "a"])
    document["upper"] = None
    turned = {**at_two_thirds, "word": ["x", "x"], "ratio": "1/2", "pair": 1}
    again = {**at_two_thirds, "word": ["x", "x"]}
    document["lower"] = [again, turned, again, {**word, "word": ["x", "x"]}, again]
    assert outcome(model_text("coin"), document) == "accepted"
    document["lower"][4] = {**again, "pair": 1}
    assert outcome(model_text("coin"), document) == "word"


# --- live states ----------------------------------------------------------------------------------------


def test_a_dead_state_is_left_out_with_common_words_only() -> None:
    """The same proof, of bounds that claim nothing: only the words that count, and the pairs, are others."""
    document, model = accepted("dead-states-left-out--lost"), model_text("lost")
    document |= {"lower": [], "upper": {**document["upper"], "bounds": ["inf", "inf"], "beyond": None}}
    del document["upper"]["layers"][2]
    assert outcome(model, document) == "accepted"
    assert outcome(model, document | {"words": "all"}) == "covered"
    document["upper"]["layers"][0]["closed"] = [[1, "inf"]]
    for other, wanted in (("e", "accepted"), ("a", "accepted"), ("b", "covered"), ("h", "covered")):
        assert outcome(model, document | {"pairs": [["A", "e"], ["A", other]]}) == wanted, other


def test_a_dead_state_may_be_named_above_but_not_below() -> None:
    document, model = accepted("growth-past-a-dead-state--lost"), model_text("lost")
    growth = document["growth"][0]
    for changes, wanted in (
        ({"above": {"t": "1", "h": "1/1000"}}, "accepted"),
        ({"above": {"t": "1", "g": "9"}}, "accepted"),
        ({"below": {"c": "1", "h": "1"}}, "growth"),
        ({"above": {"h": "1"}}, "growth"),
        ({"down": "249/1000"}, "growth"),
    ):
        assert outcome(model, document | {"growth": [growth | changes]}) == wanted, changes


# --- work -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", ["exact--flip", "exact--coin", "secrets--survey", "growth--stay"])
def test_the_work_is_counted(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of proof takes steps: with too few the same certificate is too large to check."""
    model, document = model_text(stem.split("--")[-1]), accepted(stem)
    monkeypatch.setattr(limits, "STEPS_A_CHARACTER", 0)
    taken = 0
    for steps in (2**k for k in range(24)):
        monkeypatch.setattr(limits, "STEPS", steps)
        try:
            assert outcome(model, document) == "accepted"
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
    document = accepted("growth--stay") | {
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
        outcome(model, document)
    document["words"] = "all"
    assert outcome(model, document) == "accepted"


def test_many_pairs_of_large_distributions_are_too_large() -> None:
    """A few characters name a pair, and its sides may have as many entries as the model has."""
    states = [f"s{n}" for n in range(600)]
    row = ", ".join(f"1/600 {state}" for state in states)
    lines = ["hmm wide", *(f"{state} [x] -> 1 {state}" for state in states)]
    model = "\n".join([*lines, f"initial A -> {row}", f"initial B -> {row}"])
    document = accepted("nothing-to-prove--flip")
    document["model"] = read_hidden_model(model, Work()).fingerprint()
    document |= {"pairs": [["A", "B"]] * 1200, "lower": [], "upper": None}
    with pytest.raises(checker.TooLarge, match="bytes of memory"):
        outcome(model, document)
    document["pairs"] = [["A", "B"]]
    assert outcome(model, document) == "accepted"


def test_what_many_sides_can_show_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """With common words, what each side can show is kept until the live states are known."""
    shown = ", ".join(f"1/500 o{n}" for n in range(500))
    states = [f"s{n}" for n in range(500)]
    model = "\n".join(["hmm tall", f"hub [{shown}] -> 1 hub", *(f"{state} [x] -> 1 hub" for state in states)])
    document = accepted("nothing-to-prove--flip")
    document["model"] = read_hidden_model(model, Work()).fingerprint()
    document |= {"pairs": [["s0", state] for state in states], "lower": [], "upper": None, "words": "common"}
    assert outcome(model, document) == "accepted"
    monkeypatch.setattr(limits, "BYTES", 2**23)
    monkeypatch.setattr(limits, "BYTES_A_CHARACTER", 0)
    with pytest.raises(checker.TooLarge, match="bytes of memory"):
        outcome(model, document)
    assert outcome(model, document | {"words": "all"}) == "accepted"
