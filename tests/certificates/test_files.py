"""Certificates made by hand, each with its verdict: ``accepted/``, ``rejected/`` and ``malformed/``.

A file's name ends in the model it is about; a rejected file's begins with the step that must fail. The models
in ``models/`` are small enough that the distances in their comments can be followed on paper.
"""

from __future__ import annotations

import contextlib
import gc
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from bdist import checker
from tests.certificates.certificate_files import CertificateFiles

HERE = Path(__file__).parent
SPECIFICATION = Path(checker.__file__).parents[1] / "certificates" / "SPEC.md"


FILES = CertificateFiles(HERE, ".lmc", checker.check)


def fork(**members: object) -> str:
    """The accepted certificate of fork.lmc as a text, with other members."""
    document = json.loads((HERE / "accepted" / "exact--fork.json").read_text(encoding="utf-8"))
    return json.dumps(document | members)


def fork_model() -> str:
    return (HERE / "models" / "fork.lmc").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES.all("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    report = FILES.check(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert report.quantity == document["quantity"]
    assert report.alpha == Fraction(document["alpha"])
    assert report.upper_records == len(document["upper"])
    assert report.lower_records == len(document["lower"])
    assert report.trees == len(document.get("trees", []))
    assert report.partition == ("partition" in document)
    claims = [(list(claim.pair), claim.lower, claim.upper) for claim in report.claims]
    assert claims == [
        (claim["pair"], Fraction(claim["lower"]), Fraction(claim["upper"])) for claim in document["claims"]
    ]


@pytest.mark.parametrize("path", FILES.all("rejected"), ids=lambda path: path.stem)
def test_rejects(path: Path) -> None:
    FILES.assert_rejected(path)


@pytest.mark.parametrize(
    ("stem", "reason"),
    [
        ("alpha--below-one--fork", "alpha is too small, 999/1000 < 1"),
        (
            "upper-value--negative-supports-itself--loops",
            "upper[0] (s, t): the value is negative, -5 < 0",
        ),
        (
            "upper-coupling--alpha-forgotten--fork",
            "upper[0] (a, b), forward, state x: the left side is too small, -48/125 < -8/25",
        ),
        (
            "upper-cost--below-a-loop--relay",
            "upper[1] (s, t), forward: the cost exceeds the value, 9/50 > 4/25",
        ),
        (
            "lower-f--unnamed-state-in-neither-row--hidden",
            "lower[2] (a, c): f(m) − α f(n) exceeds its bound, 1/4 > 0",
        ),
        (
            "lower-objective--alpha-forgotten--fork",
            "lower[0] (a, b): the objective of f falls short of the value, 3/25 < 1/5",
        ),
        (
            "lower-g--cycle-of-two-pairs--loops",
            "lower[1] (u2, v2): g(u) − α g(v) exceeds its bound, 1 > 0",
        ),
        (
            "lower-escape--constant-g--loops",
            "lower[0] (s, t): the objective of g is not positive, 0 <= 0",
        ),
        (
            "claim-lower--second-claim--fork",
            "claims[1] on (b, a): the lower bound exceeds what is proved, 1 > 1/5",
        ),
        (
            "partition--other-probabilities-of-the-third--merge",
            "partition[1], s and t: not equally likely to go to i, 3/4 != 1/4",
        ),
        ("partition--mixed-labels--merge", "partition[0], x and y: different labels, p and q"),
        ("partition--unknown-state--merge", "partition[2] names nobody, not a state of the model"),
        ("pairs--record-of-a-merged-state--merge", "upper[0] names u, not a state of the quotient"),
        (
            "upper-cost--ld-record-of-the-other-order--lopsided",
            "upper[1] (s, t), forward: the cost exceeds the value, 1 > 0",
        ),
        ("tree-pair--twice--fork", "trees[2] (a, b) is the pair of trees[0] again"),
        (
            "tree-split--label-missing--fork",
            "trees[0] (a, b), node 0: there is no entry for the label q",
        ),
        (
            "tree-split--points-backwards--relay",
            "trees[0] (s, t), node 1: the entry for go names 0, not one of the nodes after this one, "
            "of which the last is 4",
        ),
        (
            "tree-split--factor-zero--fork",
            "trees[0] (a, b), node 0: the factor of p is 0, which is not positive",
        ),
        (
            "tree-split--b-differs-the-second-time--ways",
            "trees[0] (s, t), node 2: at the label end, b is not 1/2 times the b of node 3, "
            "which an earlier entry names",
        ),
        ("tree-split--unnamed-node--fork", "trees[0] (a, b): no entry that counts names node 3"),
        (
            "tree-leaf--coupling-too-small--fork",
            "trees[0] (a, b), node 2, state y: the left side is too small, 19999/100000 < 1/5",
        ),
        ("pairs--unknown-half-surrogate--fork", 'claims[0] names "\\ud800", not a state of the model'),
        ("pairs--unknown-label-in-f-rest--fork", "lower[0] names x, not a label of the model"),
        ("pairs--unknown-label-in-g-rest--merge", "lower[0] names P, not a label of the quotient"),
        (
            "lower-f--rest-below-zero--fork",
            "lower[0] (a, b): f is -1 at the rest of the label p, which is not between 0 and 1",
        ),
        (
            "lower-f--rest-at-an-unnamed-state--hidden",
            "lower[1] (a, c): f(n) − α f(o) exceeds its bound, 1/4 > 0",
        ),
        (
            "lower-f--above-the-rest-at-an-unnamed-state--hidden",
            "lower[2] (a, c): f(m) − α f(n) exceeds its bound, 1/8 > 0",
        ),
        (
            "lower-f--steeper-than-words--relay",
            "lower[0] (s, t): f(a) − α f(b) exceeds its bound, 20001/100000 > 1/5",
        ),
        (
            "lower-g--words-and-a-record-of-higher-rank--relay",
            "lower[0] (s, t): g(a) − α g(b) exceeds its bound, 1 > 0",
        ),
        (
            "claim-lower--above-words--relay",
            "claims[0] on (s, t): the lower bound exceeds what is proved, 10001/100000 > 1/10",
        ),
    ],
)
def test_says_what_is_violated(stem: str, reason: str) -> None:
    assert FILES.reason(stem) == reason


def test_every_step_of_the_specification_has_a_rejected_file() -> None:
    section = SPECIFICATION.read_text(encoding="utf-8").split("## 3.")[1].split("## 4.")[0]
    # each stands at the beginning of an item, or of a remark in brackets; those of claims stand twice
    steps = dict.fromkeys(re.findall(r"(?:^\* |\()`([a-z-]+)`", section, flags=re.MULTILINE))
    assert tuple(steps) == checker.STEPS
    assert {path.stem.split("--")[0] for path in FILES.all("rejected")} == set(steps)


# where each malformed file is malformed: the beginning of the message
PLACES = {
    "alpha-arabic-digits": "alpha: expected a rational",
    "alpha-blank": "alpha: expected a rational",
    "alpha-decimal": "alpha: expected a rational",
    "alpha-denominator-negative": "alpha: expected a rational",
    "alpha-denominator-zero": "alpha: the denominator is zero",
    "alpha-empty": "alpha: expected a rational",
    "alpha-float": "alpha: expected a rational",
    "alpha-integer": "alpha: expected a rational",
    "alpha-nan": "alpha: expected a rational",
    "alpha-newline": "alpha: expected a rational",
    "alpha-null": "alpha: expected a rational",
    "alpha-plus": "alpha: expected a rational",
    "alpha-underscore": "alpha: expected a rational",
    "array": "the document: expected an object",
    "b-twice": "upper[0].forward.b[1]: a second entry",
    "bd-with-no-trees": "the document: there is a member trees, and the quantity is bd",
    "bd-with-trees": "the document: there is a member trees, and the quantity is bd",
    "bd-without-backward": "upper[0]: the member backward is missing",
    "byte-order-mark": "not JSON at line 1, column 1",
    "claim-array": "claims[0]: expected an object with pair, lower, upper",
    "claims-none": "claims: there is none",
    "claims-object": "claims: expected an array",
    "comment": "not JSON at line 1, column 3",
    "direction-unknown": 'lower[0].direction: expected "forward" or "backward"; found the string "Forward"',
    "empty": "not JSON at line 1, column 1",
    "f-bool": "lower[0].f[0][1]: expected a rational",
    "f-object": "lower[0].f: expected an array",
    "f-rest-denominator-zero": "lower[0].f_rest[0][1]: the denominator is zero",
    "f-rest-label-number": "lower[0].f_rest[0][0]: expected a label; found the integer 1",
    "f-rest-member-twice": "lower[0]: the member f_rest stands twice",
    "f-rest-object": "lower[0].f_rest: expected an array; found an object",
    "f-rest-twice": "lower[0].f_rest[1]: a second entry for the same key",
    "f-twice": "lower[0].f[1]: a second entry",
    "format-wrong": 'format: expected "bdist-certificate"',
    "g-rest-null": "lower[0].g_rest: expected an array; found null",
    "g-rest-three-elements": "lower[0].g_rest[0]: expected an array of 2; found an array of 3",
    "g-rest-twice": "lower[0].g_rest[2]: a second entry for the same key",
    "g-rest-value-integer": "lower[0].g_rest[0][1]: expected a rational",
    "g-twice": "lower[0].g[1]: a second entry",
    "half-surrogate-in-member": 'the document: unknown member "\\udc00"',
    "ld-direction-backward": 'lower[0].direction: expected "forward"; found the string "backward"',
    "ld-with-backward": "upper[0]: unknown member backward",
    "ld-with-trees": "the document: there is a member trees, and the quantity is ld",
    "leaf-b-twice": "trees[0].nodes[2].b[1]: a second entry for the same key",
    "leaf-null": "trees[0].nodes[1].leaf: expected true or false; found null",
    "leaf-number": "trees[0].nodes[1].leaf: expected true or false; found the integer 0",
    "leaf-string": 'trees[0].nodes[2].leaf: expected true or false; found the string "true"',
    "leaf-w-twice": "trees[0].nodes[1].w[1]: a second entry for the same key",
    "leaf-without-b": "trees[0].nodes[1]: the member b is missing",
    "lower-string": "lower: expected an array",
    "lv-lower-null": "lower: expected an array; found null",
    "lv-trees-missing": "the document: the member trees is missing, and the quantity is lv",
    "lv-with-backward": "upper[0]: unknown member backward",
    "lv-with-lower": "lower: expected an empty array, as the quantity is lv; found an array of 1",
    "lv-with-words": "the document: there is a member words, and the quantity is lv",
    "member-missing": "the document: the member quantity is missing",
    "member-missing-in-coupling": "upper[0].forward: the member w is missing",
    "member-twice": "the document: the member alpha stands twice",
    "member-twice-escaped": "the document: the member alpha stands twice",
    "member-twice-in-record": "upper[0]: the member value stands twice",
    "member-unknown": "the document: unknown member note",
    "member-unknown-in-claim": "claims[0]: unknown member comment",
    "model-newline": "model: expected a string of 64 hexadecimal digits",
    "model-number": "model: expected a string of 64 hexadecimal digits",
    "model-short": "model: expected a string of 64 hexadecimal digits",
    "node-empty": "trees[0].nodes[0]: the member leaf is missing",
    "node-leaf-and-split": "trees[0].nodes[1]: unknown member leaf",
    "node-null": "trees[0].nodes[0]: expected an object with split, or with leaf, w, b; found null",
    "node-split-and-leaf": "trees[0].nodes[0]: unknown member leaf",
    "not-json": "not JSON at line 1, column 1",
    "null": "the document: expected an object",
    "pair-of-numbers": "claims[0].pair[0]: expected the name of a state; found the integer 0",
    "pair-of-three": "claims[0].pair: expected an array of 2; found an array of 3",
    "pair-string": "claims[0].pair: expected an array of 2",
    "partition-class-empty": "partition[0]: expected an array of two or more states; found an array of 0",
    "partition-class-of-one": "partition[0]: expected an array of two or more states; found an array of 1",
    "partition-class-string": 'partition[0]: expected an array; found the string "ab"',
    "partition-null": "partition: expected an array; found null",
    "partition-object": "partition: expected an array; found an object",
    "partition-state-number": "partition[0][1]: expected the name of a state; found the integer 1",
    "partition-twice": "the document: the member partition stands twice",
    "quantity-null": 'quantity: expected "bd" or "ld" or "lv" or "tv"; found null',
    "quantity-unknown": 'quantity: expected "bd"',
    "rank-exponent": "lower[0].rank: expected an integer",
    "rank-float": "lower[0].rank: expected an integer",
    "rank-minus-zero": "lower[0].rank: expected an integer of at least 1; found the integer 0",
    "rank-string": "lower[0].rank: expected an integer",
    "rank-true": "lower[0].rank: expected an integer of at least 1; found true",
    "rank-zero": "lower[0].rank: expected an integer",
    "split-factor-denominator-zero": "trees[0].nodes[0].split[1][2]: the denominator is zero",
    "split-factor-integer": "trees[0].nodes[0].split[0][2]: expected a rational",
    "split-label-number": "trees[0].nodes[0].split[0][0]: expected a label; found the integer 0",
    "split-label-twice": "trees[0].nodes[0].split[2]: a second entry for the same key",
    "split-node-float": "trees[0].nodes[0].split[0][1]: expected an integer, the number of a node",
    "split-node-string": "trees[0].nodes[0].split[0][1]: expected an integer, the number of a node",
    "split-node-true": "trees[0].nodes[0].split[0][1]: expected an integer, the number of a node; found true",
    "split-object": "trees[0].nodes[0].split: expected an array; found an object",
    "split-two-elements": "trees[0].nodes[0].split[0]: expected an array of 3; found an array of 2",
    "trailing-text": "not JSON at line 17, column 1",
    "tree-array": "trees[0]: expected an object with pair, nodes; found an array of 3",
    "tree-member-unknown": "trees[0]: unknown member depth",
    "tree-nodes-missing": "trees[0]: the member nodes is missing",
    "tree-nodes-none": "trees[0].nodes: there is none, and there must be at least one",
    "trees-null": "the document: there is a member trees, and the quantity is bd",
    "trees-object": "trees: expected an array; found an object",
    "truncated": "not JSON at line 15",
    "tv-trees-missing": "the document: the member trees is missing, and the quantity is tv",
    "tv-with-lower": "lower: expected an empty array, as the quantity is tv; found an array of 1",
    "tv-with-words-0": "the document: there is a member words, and the quantity is tv",
    "upper-null": "upper: expected an array; found null",
    "upper-with-f-rest": "upper[0]: unknown member f_rest",
    "version-2": "version: expected the integer 1; found the integer 2",
    "version-float": "version: expected the integer 1",
    "version-infinity": "version: expected the integer 1",
    "version-string": "version: expected the integer 1",
    "version-true": "version: expected the integer 1; found true",
    "w-twice": "upper[0].forward.w[1]: a second entry",
    "w-two-elements": "upper[0].forward.w[0]: expected an array of 3; found an array of 2",
    "words-65": "words: expected an integer between 0 and 64; found the integer 65",
    "words-array": "words: expected an integer between 0 and 64",
    "words-float": "words: expected an integer between 0 and 64; found a number that is no integer",
    "words-huge": "words: expected an integer between 0 and 64",
    "words-negative": "words: expected an integer between 0 and 64; found the integer -1",
    "words-null": "words: expected an integer between 0 and 64; found null",
    "words-string": "words: expected an integer between 0 and 64",
    "words-true": "words: expected an integer between 0 and 64; found true",
    "words-twice": "the document: the member words stands twice",
}


@pytest.mark.parametrize("path", FILES.all("malformed"), ids=lambda path: path.stem)
def test_refuses_malformed(path: Path) -> None:
    FILES.assert_malformed(path, {f"{stem}--fork": place for stem, place in PLACES.items()})


def test_every_place_has_its_file() -> None:
    assert {path.stem for path in FILES.all("malformed")} == {f"{stem}--fork" for stem in PLACES}


@pytest.mark.parametrize("text", ["[" * 200_000, '{"claims":' * 200_000, '{"upper": [' * 100_000])
def test_refuses_deep_nesting(text: str) -> None:
    with pytest.raises(checker.Malformed, match="nested too deeply"):
        checker.check(fork_model(), text)


def test_names_the_place_of_a_nested_value_without_walking_into_it() -> None:
    nested: object = []
    for _ in range(60):
        nested = [nested]
    with pytest.raises(checker.Malformed, match=r"^alpha: .* found an array of 1$"):
        checker.check(fork_model(), fork(alpha=nested))


def test_reads_numbers_of_a_hundred_thousand_digits() -> None:
    many = "7" * 100_000
    claim = {"pair": ["a", "b"], "lower": f"-{many}/3", "upper": f"1{many}/{many}"}
    (accepted,) = checker.check(fork_model(), fork(claims=[claim])).claims
    sevens = 7 * (10**100_000 - 1) // 9
    assert accepted.lower == Fraction(-sevens, 3)
    assert accepted.upper == Fraction(10**100_000 + sevens, sevens)
    assert checker.rational_text(accepted.lower) == f"-{many}/3"


def test_shortens_long_numbers_in_a_reason() -> None:
    third = "3" * 9000
    claim = {"pair": ["a", "b"], "lower": f"{third}/1{'0' * 9000}", "upper": "1"}
    with pytest.raises(checker.Rejected) as caught:
        checker.check(fork_model(), fork(claims=[claim]))
    assert caught.value.step == "claim-lower"
    assert "0.333333333333... > 1/5" in caught.value.reason
    assert len(caught.value.reason) < 200


def test_accepts_and_refuses_long_ranks() -> None:
    lower = json.loads(fork())["lower"]
    text = fork().replace('"rank": 1', f'"rank": {"9" * 5000}')
    assert checker.check(fork_model(), text).lower_records == len(lower)
    with pytest.raises(checker.Malformed, match=r"lower\[0\]\.rank: expected an integer of at least 1"):
        checker.check(fork_model(), text.replace('"rank": ', '"rank": -'))


def test_unreadable_model_is_reported_before_the_certificate() -> None:
    with pytest.raises(checker.BadModel, match="line 1: "):
        checker.check("", "")


@pytest.mark.parametrize("text", [fork(), fork(claims=[]), "{"])
def test_leaves_the_collector_of_garbage_as_it_was(text: str) -> None:
    """Reading pauses it, as that is half of the time for a long certificate."""
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            with contextlib.suppress(checker.Malformed):
                checker.check(fork_model(), text)
            assert gc.isenabled() == enabled
        finally:
            gc.enable()
