"""The JSON of the same commands, member by member; a member that is not listed here is a failure."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.sentences.events import event_of_document
from tests.sentences.sentences import Reading


def _only(document: dict[str, Any], *names: str) -> None:
    assert set(document) == set(names), set(document) ^ set(names)


def _between(document: dict[str, Any], low: Fraction, high: Fraction) -> None:
    """The members lower and upper enclose what is between two numbers, and exact says whether they agree."""
    lower, upper = Fraction(document["lower"]), Fraction(document["upper"])
    assert 0 <= lower <= high, document
    assert low <= upper <= 1, document
    if "exact" in document:
        assert document["exact"] == (lower == upper)


def _evidence(document: dict[str, Any]) -> None:
    _only(document, "lower", "upper")
    assert set(document.values()) <= {"certified", "exact"}


def attack_member(reading: Reading, attack: dict[str, Any] | None, *more: str) -> None:
    """Its probabilities are those of its test and of its prefixes, and it tells as much as it says."""
    if attack is None:
        return
    _only(attack, "pair", "probabilities", "test", "prefixes", *more)
    assert set(attack["pair"]) == set(reading.truth.pair)
    p, q = (Fraction(text) for text in attack["probabilities"])
    event = event_of_document(attack["test"])
    assert [p, q] == [event.probability(reading.truth.chain, state) for state in attack["pair"]]
    if attack["prefixes"] is not None and len(attack["prefixes"]) <= 60:
        found = [reading.truth.probability(state, attack["prefixes"]) for state in attack["pair"]]
        assert [p, q] == found
    if "advantage" in more:
        assert Fraction(attack["advantage"]) == p - reading.alpha * q
        assert Fraction(attack["alpha"]) == reading.alpha
        assert attack["simulation"] == []


def _is_attained(document: dict[str, Any], alpha: Fraction) -> None:
    """An attack gains something. (Where the search was cut short it may gain more than the lower end: it is
    looked for by itself, and no part of the certificate.)
    """
    attack = document["attack"]
    if attack is not None:
        p, q = (Fraction(text) for text in attack["probabilities"])
        assert p - alpha * q > 0
        if document["exact"]:
            assert p - alpha * q <= Fraction(document["lower"])


def attack(reading: Reading, document: dict[str, Any], code: int) -> None:
    bracket = ("lower", "upper", "exact", "evidence", "limit", "attack")
    _only(document, "answer", "pair", "alpha", "reason", "drawing", *bracket)
    assert document["drawing"] is None
    _between(document, reading.delta, reading.delta)
    _evidence(document["evidence"])
    attack_member(reading, document["attack"], "alpha", "advantage", "simulation")
    _is_attained(document, reading.alpha)
    answer = "found" if document["attack"] else "none" if document["upper"] == "0" else "unknown"
    assert document["answer"] == answer
    assert code == (3 if answer == "unknown" else 0)
    assert (document["reason"] is not None) == (answer == "unknown")
    assert document["limit"] is None or not document["exact"]


def delta(reading: Reading, document: dict[str, Any], code: int) -> None:
    bracket = ("lower", "upper", "exact", "evidence", "limit")
    _only(document, "quantity", "pair", "alpha", "epsilon", "alpha_is_exact", "stats", "true_delta", *bracket)
    assert Fraction(document["alpha"]) == reading.alpha
    truth = reading.truth.bd(reading.alpha) if document["quantity"] == "bd" else (reading.delta,) * 2
    _between(document, *truth)
    _evidence(document["evidence"])
    assert code == (3 if document["limit"] else 0)
    assert all(value >= 0 for value in document["stats"].values() if not isinstance(value, str))
    if document["true_delta"] is not None:
        _only(document["true_delta"], "attack", *bracket)
        _between(document["true_delta"], reading.delta, reading.delta)
        attack_member(reading, document["true_delta"]["attack"])
        _is_attained(document["true_delta"], reading.alpha)


def _proof(proof: dict[str, Any] | None, low: Fraction, high: Fraction) -> None:
    if proof is not None:
        _only(proof, "pair", "lower", "upper", "certificate")
        _between(proof, low, high)


def audit(reading: Reading, document: dict[str, Any], code: int) -> None:
    names = ("epsilon", "alpha", "attack_alpha", "delta", "holds_for_delta", "limit", "note")
    _only(document, "answer", "model", "runs", "seconds", "pairs", *names)
    assert (document["runs"], document["note"]) == (1, None)
    assert Fraction(document["holds_for_delta"]) >= reading.delta
    answer = document["answer"]
    assert code == {"holds": 0, "violated": 1, "unknown": 3}[answer]
    (pair,) = document["pairs"]
    _only(pair, "pair", "answer", "true_delta", "bd", "ld", "tv", "attack", "limit", "reason", "seconds")
    assert pair["answer"] == answer
    assert (pair["reason"] is not None) == (answer == "unknown")
    _only(pair["true_delta"], "lower", "upper", "exact", "evidence")
    _between(pair["true_delta"], reading.delta, reading.delta)
    lower, upper = (Fraction(pair["true_delta"][end]) for end in ("lower", "upper"))
    assert answer == (
        "holds" if upper <= reading.theta else "violated" if lower > reading.theta else "unknown"
    )
    _proof(pair["bd"], *reading.truth.bd(reading.alpha))
    _proof(pair["tv"], reading.delta, reading.delta)
    for proof in pair["ld"]:
        _proof(proof, Fraction(0), reading.truth.bd(reading.alpha)[1])
    attack_member(reading, pair["attack"])


def curve(reading: Reading, document: dict[str, Any], code: int) -> None:
    _only(document, "pair", "exact", "limit", "points")
    assert code == (3 if document["limit"] else 0)
    for point in document["points"]:
        rates = ("true_positive", "false_positive")
        _only(point, "epsilon", "lower", "upper", "worse_order", "evidence", "alpha_down", "alpha_up", *rates)
        low, high = reading.truth.between(Fraction(point["epsilon"]))
        _between({name: point[name] for name in ("lower", "upper")}, low, high)
        _evidence(point["evidence"])
        assert Fraction(point["alpha_down"]) <= Fraction(point["alpha_up"])
        assert point["worse_order"] in ("forward", "backward", "both")
        _tangent(reading, *(Fraction(point[rate]) for rate in rates))


def _tangent(reading: Reading, right: Fraction, wrong: Fraction) -> None:
    """The two rates of a test prove a lower bound of the true delta at every alpha."""
    for alpha in (Fraction(1), Fraction(5, 4), Fraction(3), Fraction(1000)):
        assert right - alpha * wrong <= reading.truth.delta(alpha)


def epsilon(reading: Reading, document: dict[str, Any], code: int) -> None:
    alphas = ("lower_alpha", "upper_alpha", "lower_epsilon", "upper_epsilon")
    _only(document, "pair", "delta", "possible", "exact", "closed_form", "attack", "limit", *alphas)
    assert code == (3 if document["limit"] else 0)
    low, high = document["lower_alpha"], document["upper_alpha"]
    if document["attack"] is not None:
        _only(document["attack"], "pair", "true_positive", "false_positive", "exact")
        right, wrong = (Fraction(document["attack"][name]) for name in ("true_positive", "false_positive"))
        _tangent(reading, right, wrong)
        first = document["attack"]["pair"][0]
        assert right - 2 * wrong <= reading.truth.ordered(first, Fraction(2))
    if document["possible"] is False:
        assert reading.truth.delta(Fraction(10**9)) > reading.theta
        assert low is None
        return
    assert document["possible"] == (None if high is None else True)
    assert document["exact"] == (low == high)
    assert (document["closed_form"] is not None) == document["exact"]
    if Fraction(low) > 1:
        assert reading.truth.delta(Fraction(low) * (1 - Fraction(1, 10**9))) > reading.theta
    if high is not None:
        assert reading.truth.delta(Fraction(high)) <= reading.theta


def profile(reading: Reading, document: dict[str, Any], code: int) -> None:
    sides = ("atoms",) if document["exact"] else ("optimistic", "pessimistic")
    asked = ("points", "least_epsilon", "renyi", "zcdp")
    known = ("pair", "model", "runs", "exact", "evidence", "width", "limit", "stats")
    _only(document, *known, *sides, *asked, "total_variation", "max_divergence")
    assert document["evidence"] == "certified"
    assert code == 0 or document["limit"]
    losses = [[(Fraction(a["s"]), Fraction(a["t"])) for a in document[side]] for side in sides]
    for atoms in losses:
        assert sum(s for s, _ in atoms) == sum(t for _, t in atoms) == 1
    one, other = reading.truth.pair
    for alpha in (Fraction(1), Fraction(11, 10), Fraction(2), Fraction(9), Fraction(1000)):
        forward = [sum(max(Fraction(0), s - alpha * t) for s, t in atoms) for atoms in losses]
        backward = [sum(max(Fraction(0), t - alpha * s) for s, t in atoms) for atoms in losses]
        assert forward[0] <= reading.truth.ordered(one, alpha) <= forward[-1]
        assert backward[0] <= reading.truth.ordered(other, alpha) <= backward[-1]
    (point,) = document["points"]
    assert Fraction(point["alpha"]) == reading.alpha
    _between({name: point[name] for name in ("lower", "upper", "exact")}, reading.delta, reading.delta)
    for name, state in (("forward", one), ("backward", other)):
        truth = reading.truth.ordered(state, reading.alpha)
        assert Fraction(point[name]["lower"]) <= truth <= Fraction(point[name]["upper"])
        _tangent(reading, *(Fraction(point[name][rate]) for rate in ("true_positive", "false_positive")))
    truth = reading.truth.delta(Fraction(1))
    _between({name: document["total_variation"][name] for name in ("lower", "upper")}, truth, truth)
    (least,) = document["least_epsilon"]
    if least["upper_alpha"] != "inf":
        assert reading.truth.delta(Fraction(least["upper_alpha"])) <= reading.theta
    assert set(document["max_divergence"]) == {"forward", "backward", "worse"}
    (moment,) = document["renyi"]
    assert moment["moment"] is None or Fraction(moment["moment"]) == reading.truth.moment


def threshold(reading: Reading, document: dict[str, Any], code: int) -> None:
    numbers = ("alpha", "theta", "lower", "upper")
    _only(document, "answer", "quantity", "pair", "reason", "hint", "evidence", "stats", *numbers)
    assert code == {"holds": 0, "violated": 1, "unknown": 3}[document["answer"]]
    low, high = reading.truth.bd(reading.alpha)
    _between({name: document[name] for name in ("lower", "upper")}, low, high)
    if document["answer"] == "unknown":
        assert document["reason"]
        assert document["evidence"] in (None, "numerical")
    else:
        assert document["evidence"] == "certified"
        assert (low <= reading.theta) if document["answer"] == "holds" else (high > reading.theta)
