"""A changed certificate is refused, or still true. Never accepted and false.

Every number of real certificates is changed in several ways, one at a time. Where the checker accepts the
result all the same, everything that it then asserts, about the claims and about every record, is compared
with the exact distances. The same is done with these certificates rewritten with rests. The accepted files
made by hand are changed too, also in their structure: records and entries left out or doubled, pairs turned
around.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path as File
from typing import Any

import pytest

from bdist import LabelledMarkovChain, checker, distance_table
from bdist.chains.families import make_family
from bdist.chains.formats import lmc
from tests.certificates.hand_made import DISTANCES

Path = tuple[Any, ...]

CASES = [
    pytest.param("random", {"states": 6, "labels": 2, "seed": 3}, "11/10", id="random-general"),
    pytest.param(
        "random", {"states": 5, "labels": 1, "seed": 7, "denominator": 4}, "2", id="random-one-label"
    ),
    pytest.param(
        "random", {"states": 6, "labels": 2, "seed": 5, "denominator": 3}, "1", id="random-alpha-one"
    ),
    pytest.param("lemma-three-erratum", {}, "2", id="erratum"),
    pytest.param("outside-states", {}, "2", id="outside"),
    pytest.param("figure-one", {}, "1", id="figure-one"),
]


def as_written(document: Any, text: str) -> Any:
    return document


def with_rests(document: Any, text: str) -> Any:
    """The same proof with rests: what most states of a label have, and the states with another value."""
    chain = lmc.read(text)
    changed = copy.deepcopy(document)
    for stage in changed["lower"]:
        for f in (*stage["functions"], *stage["escapes"]):
            named = {document["states"][i]: x for i, x in zip(f["f"][::2], f["f"][1::2], strict=True)}
            values = {s: named.get(s, f["rest"].get(chain.label(s), 0)) for s in chain.states}
            by_label: dict[str, list[int]] = {}
            for s, x in values.items():
                by_label.setdefault(chain.label(s), []).append(x)
            rest = {label: Counter(found).most_common(1)[0][0] for label, found in by_label.items()}
            others = [s for s, x in values.items() if x != rest[chain.label(s)]]
            changed["states"] += [s for s in others if s not in changed["states"]]
            f["rest"] = {label: x for label, x in rest.items() if x}
            f["f"] = [x for s in others for x in (changed["states"].index(s), values[s])]
    return changed


both_forms = pytest.mark.parametrize("rewritten", [as_written, with_rests])
Rewrite = Callable[[Any, str], Any]


def numbers(document: Any, path: Path = ()) -> Iterator[Path]:
    """The places of all numbers in a document."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key not in ("format", "version", "quantity", "model", "pair", "states"):
                yield from numbers(value, (*path, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from numbers(value, (*path, index))
    elif isinstance(document, int) or (document[:1].isdigit() and document.replace("/", "").isdigit()):
        yield path


def replaced(document: Any, path: Path, value: Any) -> Any:
    """The document with another value at a place; what is not on the way there is shared."""
    if not path:
        return value
    changed = copy.copy(document)
    changed[path[0]] = replaced(document[path[0]], path[1:], value)
    return changed


def variants(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
        return
    if isinstance(value, int):
        yield from {1, value - 1, value + 1, 10**6} - {value}
        return
    x = Fraction(value)
    for other in (x / 2, 2 * x, x - Fraction(1, 10**6), x + Fraction(1, 10**6), Fraction(0), Fraction(1), -x):
        if other != x:
            yield str(other)


def all_changes(document: Any) -> Iterator[tuple[str, Any]]:
    """Every change of the structure of a document and of its numbers, with the kind of the change."""
    yield from (("structure", changed) for changed in restructured(document))
    for place in numbers(document):
        value = document
        for step in place:
            value = value[step]
        yield from (("number", replaced(document, place, other)) for other in variants(value))


def assert_true(document: Any, truth: dict[frozenset[str], Fraction]) -> None:
    for claim in document["claims"]:
        assert Fraction(claim["lower"]) <= truth[frozenset(claim["pair"])] <= Fraction(claim["upper"])
    states = document["states"]
    for record in document["upper"]:
        pair = frozenset(states[i] for i in record["pair"])
        assert truth[pair] <= Fraction(record["value"], record["over"])
    for f in (f for stage in document["lower"] for f in stage["functions"]):
        for i, j, number in zip(f["pairs"][::3], f["pairs"][1::3], f["pairs"][2::3], strict=True):
            assert truth[frozenset((states[i], states[j]))] >= Fraction(number, f["over"])


def certified(
    family: str, values: dict[str, int], alpha: str, rewritten: Rewrite
) -> tuple[str, Any, dict[frozenset[str], Fraction]]:
    """The text of a chain, the certificate of all its distances, and these."""
    chain = make_family(family, values)
    table = distance_table(chain, alpha=alpha)
    text = lmc.write(chain)
    document = rewritten(json.loads(next(iter(table.values())).certificate.to_json()), text)
    return text, document, {frozenset(pair): found.value for pair, found in table.items()}


@both_forms
@pytest.mark.parametrize(("family", "values", "alpha"), CASES)
def test_no_single_change_makes_a_falsehood_pass(
    family: str, values: dict[str, int], alpha: str, rewritten: Rewrite
) -> None:
    text, document, truth = certified(family, values, alpha, rewritten)
    checker.check(text, json.dumps(document))
    outcomes: Counter[str] = Counter()
    for path in numbers(document):
        value = document
        for step in path:
            value = value[step]
        for other in variants(value):
            changed = replaced(document, path, other)
            try:
                checker.check(text, json.dumps(changed))
            except checker.Rejected as error:
                outcomes[error.step] += 1
            except checker.Malformed:
                outcomes["malformed"] += 1
            else:
                outcomes["still true"] += 1
                if path != ("alpha",):
                    assert_true(changed, truth)
    assert outcomes["still true"] < sum(outcomes.values()) / 2


@both_forms
@pytest.mark.parametrize(("family", "values", "alpha"), CASES)
def test_a_sharpened_claim_is_rejected(
    family: str, values: dict[str, int], alpha: str, rewritten: Rewrite
) -> None:
    """The bounds are exact, so a sharper claim is false, also when the record is sharpened along with it."""
    text, document, _ = certified(family, values, alpha, rewritten)
    tiny = Fraction(1, 10**12)
    for index, claim in enumerate(document["claims"]):
        for side, sign in (("upper", -1), ("lower", 1)):
            forged = str(Fraction(claim[side]) + sign * tiny)
            alone = replaced(document, ("claims", index, side), forged)
            with pytest.raises(checker.Rejected) as caught:
                checker.check(text, json.dumps(alone))
            assert caught.value.step == f"claim-{side}"
            along = copy.deepcopy(alone)
            pair, factor = {along["states"].index(state) for state in claim["pair"]}, 10**12
            for record in along["upper"] if side == "upper" else ():
                if set(record["pair"]) == pair:
                    record["over"] *= factor
                    record["value"] = record["value"] * factor - record["over"] // factor
                    for w, b in (record["forward"], record["backward"]):
                        w[2::3], b[1::2] = [x * factor for x in w[2::3]], [x * factor for x in b[1::2]]
            for f in (f for stage in along["lower"] for f in stage["functions"]) if side == "lower" else ():
                f["over"] *= factor
                f["f"][1::2] = [x * factor for x in f["f"][1::2]]
                f["rest"] = {label: x * factor for label, x in f["rest"].items()}
                for k in range(0, len(f["pairs"]), 3):
                    forged_here = set(f["pairs"][k : k + 2]) == pair
                    f["pairs"][k + 2] = f["pairs"][k + 2] * factor + forged_here * (f["over"] // factor)
            with pytest.raises(checker.Rejected):
                checker.check(text, json.dumps(along))


def two_loops() -> LabelledMarkovChain:
    """Two states that stay put with one half and leave to the same place: bisimilar, at distance 0."""
    return LabelledMarkovChain.from_rows(
        {
            "a": ("loop", {"a": "1/2", "end": "1/2"}),
            "b": ("loop", {"b": "1/2", "end": "1/2"}),
            "end": ("end", {"end": 1}),
        }
    )


def test_a_proof_for_another_chain_or_alpha_is_rejected() -> None:
    chain = two_loops()
    certificate = distance_table(chain, alpha=2)["a", "b"].certificate
    other = lmc.write(chain).replace("a [loop] -> 1/2 a, 1/2 end", "a [loop] -> 1/4 a, 3/4 end")
    with pytest.raises(checker.Rejected) as caught:
        checker.check(other, certificate.to_json())
    assert caught.value.step == "model"
    with pytest.raises(checker.Rejected) as caught:
        checker.check(lmc.write(chain), certificate.to_json().replace('"alpha": "2"', '"alpha": "1/2"'))
    assert caught.value.step == "alpha"


# --- the files made by hand -------------------------------------------------------------------------

ACCEPTED = DISTANCES.files("accepted")
Key = tuple[str, str, str, bool, str, str]


def known(model: str, document: Any) -> Iterator[tuple[Key, Fraction, Fraction]]:
    """What the claims of a document are about, and their bounds."""
    quantity, quotient = (
        document["quantity"],
        document["quantity"] in ("bd", "ld") and "partition" in document,
    )
    for claim in document["claims"]:
        s, t = claim["pair"]
        key = (model, quantity, document["alpha"], quotient, s, t)
        yield key, Fraction(claim["lower"]), Fraction(claim["upper"])


@cache
def truth_of_accepted_files() -> dict[Key, tuple[Fraction, Fraction]]:
    """The sharpest bounds, exact in most places, that the accepted files prove."""
    truth: dict[Key, tuple[Fraction, Fraction]] = {}
    for path in ACCEPTED:
        document = json.loads(path.read_text(encoding="utf-8"))
        for key, x, y in known(path.stem.split("--")[-1], document):
            lower, upper = truth.get(key, (x, y))
            truth[key] = (max(lower, x), min(upper, y))
    return truth


def restructured(document: Any, path: Path = ()) -> Iterator[Any]:
    """The document with an element of an array left out or repeated, or two neighbours exchanged."""
    value = document
    for step in path:
        value = value[step]
    if isinstance(value, dict):
        for key in value:
            yield from restructured(document, (*path, key))
    if isinstance(value, list):
        for index in range(len(value)):
            yield replaced(document, path, value[:index] + value[index + 1 :])
            yield replaced(document, path, [*value[:index], value[index], *value[index:]])
            if index > 0:
                before = value[: index - 1]
                yield replaced(document, path, [*before, value[index], value[index - 1], *value[index + 1 :]])
            yield from restructured(document, (*path, index))


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_no_change_of_a_file_makes_a_falsehood_pass(path: File) -> None:
    name = path.stem.split("--")[-1]
    text = DISTANCES.model_of(name)
    document, truth = json.loads(path.read_text(encoding="utf-8")), truth_of_accepted_files()
    changes = list(restructured(document))
    for place in numbers(document):
        value = document
        for step in place:
            value = value[step]
        changes += [replaced(document, place, other) for other in variants(value)]
    for changed in changes:
        try:
            checker.check(text, json.dumps(changed))
        except (checker.Rejected, checker.Malformed):
            continue
        for key, x, y in known(name, changed):
            lower, upper = truth.get(key, (Fraction(0), Fraction(1)))
            assert x <= upper, (key, changed)
            assert y >= lower, (key, changed)
