"""Formulas on all chains between two: against chains drawn between them, and on subsampling majority."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import pairwise, product

import pytest

from bdist import LabelledMarkovChain, checker, dpctl
from bdist.chains.formats import lmc
from bdist.chains.subsampling import subsampling_as_published, subsampling_majority
from bdist.dpctl.enclosures import check_enclosure, enclosed_probabilities
from bdist.dpctl.mdp import MarkovDecisionProcess, Row
from bdist.errors import ModelError, ParameterError, UnsupportedError
from bdist.results import Answer

HOLDS, VIOLATED, UNKNOWN = Answer.HOLDS, Answer.VIOLATED, Answer.UNKNOWN
PAIR = [("s0", "s1")]
FORMULAS = (
    "D[eps=ln 2] (X a)",
    "D[eps=1/2, delta=1/10] (F<=2 b)",
    "D[eps=0, delta=1/5] (a U b)",
    "D[eps=ln 3/2] (G !b)",
    "P>=1/2 [F b]",
    "P<1/3 [X X a]",
    "!D[eps=0] (X a) & a",
    "P>1/4 [X a] | D[eps=ln 2] (X b)",
)


def nudged(draw: random.Random, chain: LabelledMarkovChain, width: int) -> LabelledMarkovChain:
    """The chain with some probability moved from one entry of every row to another."""
    rows = []
    for row in chain.rows:
        entries = [p for _, p in row]
        if len(row) > 1 and draw.random() < 0.8:
            i, j = draw.sample(range(len(row)), 2)
            moved = entries[i] * Fraction(draw.randint(0, width), 100)
            entries[i], entries[j] = entries[i] - moved, entries[j] + moved
        rows.append(tuple((target, p) for (target, _), p in zip(row, entries, strict=True)))
    return LabelledMarkovChain(chain.states, chain.labels, tuple(rows))


def random_chain(draw: random.Random) -> LabelledMarkovChain:
    rows = []
    for _ in range(4):
        targets = sorted(draw.sample(range(4), draw.randint(1, 4)))
        weights = [draw.randint(1, 5) for _ in targets]
        rows.append(tuple((t, Fraction(w, sum(weights))) for t, w in zip(targets, weights, strict=True)))
    labels = ("a", "a", draw.choice(["b", "a,b"]), "{}")
    return LabelledMarkovChain(tuple(f"s{k}" for k in range(4)), labels, tuple(rows))


def between(
    draw: random.Random, lower: LabelledMarkovChain, upper: LabelledMarkovChain
) -> LabelledMarkovChain:
    """A chain whose rows are within the ends, entry by entry: drawn in the box, until the sum can be 1."""
    rows = []
    for one, other in zip(lower.rows, upper.rows, strict=True):
        ends = [(min(p, q), max(p, q)) for (_, p), (_, q) in zip(one, other, strict=True)]
        while True:
            values = [low + (high - low) * Fraction(draw.randint(0, 4), 4) for low, high in ends]
            last = draw.randrange(len(ends))
            values[last] += 1 - sum(values)
            if ends[last][0] <= values[last] <= ends[last][1]:
                break
        rows.append(tuple((target, p) for (target, _), p in zip(one, values, strict=True)))
    return LabelledMarkovChain(lower.states, lower.labels, tuple(rows))


@pytest.mark.parametrize("seed", range(8))
def test_an_answer_is_that_of_every_chain_between(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    lower = random_chain(draw)
    upper = nudged(draw, nudged(draw, lower, 30 if seed % 3 else 3), 20 if seed % 3 else 3)
    chains = [lower, upper, *(between(draw, lower, upper) for _ in range(4))]
    for formula in FORMULAS:
        found = check_enclosure(lower, upper, formula, PAIR)
        satisfied = [dpctl.check(chain, formula, PAIR).satisfied for chain in chains]
        for state in lower.states:
            inside = [state in states for states in satisfied]
            if found.answers[state] is HOLDS:
                assert all(inside)
            elif found.answers[state] is VIOLATED:
                assert not any(inside)
            assert (state in found.failures) == (found.answers[state] is not HOLDS)
    for path in ("F b", "a U<=3 b", "G a", "X X a"):
        bounds = enclosed_probabilities(lower, upper, path)
        for chain in chains:
            values = dpctl.probabilities(chain, path).values
            assert all(bounds.low[s] <= values[s] <= bounds.high[s] for s in chain.states)


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_that_encloses_itself_is_checked_as_such(seed: int) -> None:
    chain = random_chain(random.Random(seed))  # noqa: S311
    for formula in FORMULAS:
        found = check_enclosure(chain, chain, formula, PAIR)
        satisfied = dpctl.check(chain, formula, PAIR).satisfied
        assert {state for state, answer in found.answers.items() if answer is HOLDS} == satisfied
        assert UNKNOWN not in found.answers.values()


def test_it_is_not_enough_that_both_chains_satisfy_a_formula() -> None:
    """Of two independent coins, each between 3/10 and 1/2, the truth may be 3/10 and 1/2."""
    text = "lmc\ns0 [a] -> {p} yes, {q} no\ns1 [a] -> {p} yes, {q} no\nyes [b] -> 1 yes\nno [c] -> 1 no\n"
    lower, upper = lmc.read(text.format(p="3/10", q="7/10")), lmc.read(text.format(p="1/2", q="1/2"))
    for chain in (lower, upper):
        assert dpctl.check(chain, "D[eps=0] (X b)", PAIR).answer(["s0", "s1"]) is HOLDS
    found = check_enclosure(lower, upper, "D[eps=0] (X b)", PAIR)
    assert found.answer(["s0", "s1"]) is UNKNOWN
    interval = (Fraction(3, 10), Fraction(1, 2))
    assert found.failures["s0"].neighbour == "s1"
    assert found.failures["s0"].intervals == (interval, interval)
    assert check_enclosure(lower, upper, "D[eps=0, delta=1/5] (X b)", PAIR).answer(["s0"]) is HOLDS
    assert check_enclosure(lower, upper, "D[eps=ln 5/3] (X b)", PAIR).answer(["s0"]) is HOLDS
    assert check_enclosure(lower, upper, "D[eps=ln 1.66] (X b)", PAIR).answer(["s0"]) is UNKNOWN
    assert check_enclosure(lower, upper, "P>1/2 [X b]").answer(["s0"]) is VIOLATED
    assert check_enclosure(lower, upper, "P>=1/2 [X b]").answer(["s0"]) is UNKNOWN
    assert check_enclosure(lower, upper, "P>=1 [a | b]").answer(["s0", "yes"]) is HOLDS


def vertices(lower: LabelledMarkovChain, upper: LabelledMarkovChain) -> list[list[Row]]:
    """Of each state, all rows between with all entries but one at an end."""
    every = []
    for one, other in zip(lower.rows, upper.rows, strict=True):
        ends = [sorted({p, q}) for (_, p), (_, q) in zip(one, other, strict=True)]
        found = {one}
        for slack in range(len(one)):
            for chosen in product(*ends[:slack], [Fraction(0)], *ends[slack + 1 :]):
                values = list(chosen)
                values[slack] = Fraction(1 - sum(values))
                if ends[slack][0] <= values[slack] <= ends[slack][-1]:
                    found.add(tuple((t, p) for (t, _), p in zip(one, values, strict=True)))
        every.append(sorted(found))
    return every


@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_the_extremes_of_the_process_of_all_vertices(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    lower = random_chain(draw)
    upper = nudged(draw, nudged(draw, lower, 30), 20)
    rows = vertices(lower, upper)
    most = max(map(len, rows))
    process = MarkovDecisionProcess(
        lower.states,
        lower.labels,
        tuple(f"v{k}" for k in range(most)),
        tuple(tuple(own[min(k, len(own) - 1)] for k in range(most)) for own in rows),
    )
    for path in ("F b", "X (a & X a)", "G F b | F G a", "(F b) & F<=2 (a & X a)"):
        found = enclosed_probabilities(lower, upper, path)
        expected = dpctl.extremes(process, path)
        assert (found.low, found.high) == (expected.low, expected.high)


def test_changed_certificates_are_rejected() -> None:
    lower, upper = (subsampling_majority(side=side) for side in ("lower", "upper"))
    pairs = list(pairwise(DATASETS))
    found = check_enclosure(lower, upper, "D[eps=.25, delta=.01] (F out1) | P<0.001 [F out0]", pairs)
    text, original = lmc.write(lower), json.loads(found.certificate.to_json())
    report = checker.check_enclosure(text, json.dumps(original))
    assert {"rrr", "rrb"} <= set(report.holds)
    assert set(report.violated) == {"rbb", "bbb"}
    rejected = 0
    for part, (most, least) in enumerate(original["parts"]):
        for side, values in enumerate((most, least)):
            for node, value in enumerate(values):
                changed = json.loads(json.dumps(original))
                wrong = Fraction(value) + (Fraction(1, 50) if side else Fraction(-1, 50))
                changed["parts"][part][side][node] = str(wrong)
                with pytest.raises(checker.Rejected):
                    checker.check_enclosure(text, json.dumps(changed))
                rejected += 1
    assert rejected > 20
    for member, value in (
        ("holds", ["rrr", "bbb"]),
        ("violated", ["rrr"]),
        ("parts", []),
        ("model", "0" * 64),
    ):
        with pytest.raises(checker.Rejected):
            checker.check_enclosure(text, json.dumps({**original, member: value}))
    for other in ("lmc\ns [a] -> 1 s\n", lmc.write(upper).replace("[out1]", "[out2]")):
        with pytest.raises(checker.Rejected, match="other"):
            checker.check_enclosure(text, json.dumps({**original, "other": other}))
    with pytest.raises(checker.Malformed, match="other"):
        checker.check_enclosure(text, json.dumps({**original, "other": "lmc\ns [a] -> 1/2 s\n"}))


def chain(text: str) -> LabelledMarkovChain:
    return lmc.read(f"lmc\n{text}")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("s [a] -> 1 s", "state 't' is in one chain and not in the other"),
        (
            "s [a] -> 1/2 s, 1/2 t\nt [c] -> 1 t",
            "state 't' has the label 'b' in one chain and 'c' in the other",
        ),
        ("s [a] -> 1 t\nt [b] -> 1 t", "state 's' goes to 's' in one chain and not in the other"),
    ],
)
def test_chains_that_enclose_nothing(other: str, message: str) -> None:
    one = chain("s [a] -> 1/2 s, 1/2 t\nt [b] -> 1 t")
    with pytest.raises(ModelError, match=message):
        check_enclosure(one, chain(other), "P>=1 [F a]")


def test_what_is_not_offered_is_refused() -> None:
    one = chain("s [a] -> 1/2 s, 1/2 t\nt [b] -> 1 t")
    with pytest.raises(UnsupportedError, match="on an enclosure P and D stand outside only"):
        check_enclosure(one, one, "P>=1/2 [F P>=1 [X b]]")
    with pytest.raises(UnsupportedError, match="on an enclosure P and D stand outside only"):
        enclosed_probabilities(one, one, "X P>=1 [X b]")
    with pytest.raises(ParameterError, match="speaks of runs, not of states"):
        check_enclosure(one, one, "F b")
    with pytest.raises(ParameterError, match="no state has the proposition 'c'"):
        check_enclosure(one, one, "P>=1 [F c]")
    with pytest.raises(ParameterError, match="there is no state 'u'"):
        check_enclosure(one, one, "D[eps=0] (F b)", [("s", "u")])


# --- subsampling majority ---------------------------------------------------------------------------------

DATASETS = ("rrr", "rrb", "rbb", "bbb")
BOTH = "D[eps={0}, delta={1}] (F out0) & D[eps={0}, delta={1}] (F out1)"


@pytest.mark.parametrize(
    ("samples", "epsilon", "delta", "answer"),
    [
        (4, "1", "1/10", HOLDS),  # the epsilon and the delta of the mechanism itself
        (4, "1/2", "1/100", HOLDS),
        (4, "1/4", "1/100", VIOLATED),
        (4, "1", "0", VIOLATED),  # from rrr, the answer 0 is impossible
        (20, "1", "1/10", HOLDS),
        (20, "0", "1/100", VIOLATED),
    ],
)
def test_subsampling_majority(samples: int, epsilon: str, delta: str, answer: Answer) -> None:
    """Section 6 of Liu, Wang and Zhang: D(F 0) and D(F 1). The two chains are rounded outward."""
    lower, upper = (subsampling_majority(samples, side=side) for side in ("lower", "upper"))
    assert lower != upper
    found = check_enclosure(lower, upper, BOTH.format(epsilon, delta), pairwise(DATASETS))
    assert found.answer(DATASETS) is answer


def test_subsampling_as_published() -> None:
    """Rate and samples by the formulas of Algorithm 1; floats tell what the enclosure must be near to."""
    epsilon, delta = 20.0, 0.1
    rate = epsilon / (64 * math.log(1 / delta))
    samples = math.ceil(math.log(3 / delta) / rate**2)
    none, one_blue = (1 - rate) ** 2, rate * (1 - rate)
    majority = {"rrr": 1.0, "rrb": 1 - rate * none, "bbb": (1 - rate) ** 3}
    majority["rbb"] = (1 - rate) * none + rate * (none + 2 * one_blue)
    expected = {}
    for name, p in majority.items():
        total = 0.0
        for count in range((samples + 1) // 2, samples + 1):
            x = math.log(1 / delta) - epsilon * ((2 * count - samples) / (4 * samples * rate) - 1)
            answers = math.exp(-x) / 2 if x >= 0 else 1 - math.exp(x) / 2
            total += math.comb(samples, count) * p**count * (1 - p) ** (samples - count) * answers
        expected[name] = total
    lower, upper = (
        subsampling_as_published(epsilon=20, delta="1/10", buckets=500, side=side)
        for side in ("lower", "upper")
    )
    bounds = enclosed_probabilities(lower, upper, "F out1")
    for name, value in expected.items():
        assert float(bounds.high[name] - bounds.low[name]) < 1e-9
        assert math.isclose(float(bounds.low[name]), value, rel_tol=1e-9)
    found = check_enclosure(lower, upper, BOTH.format(20, "1/10"), pairwise(DATASETS))
    assert found.answer(DATASETS) is HOLDS
    # at epsilon 4 an answer is almost certain: silence stays possible in both chains
    few = [subsampling_as_published(buckets=4, side=side) for side in ("lower", "upper")]
    assert check_enclosure(few[0], few[1], "P>0 [F bot] | out1 | out0 | answers").answer(DATASETS) is HOLDS


def test_subsampling_at_the_edge_is_not_decided() -> None:
    """The smallest delta at epsilon 0, F out1, rrr and rrb, to 13 digits: no rational is it."""
    lower, upper = (subsampling_majority(side=side) for side in ("lower", "upper"))
    bounds = enclosed_probabilities(lower, upper, "F out1")
    least = bounds.low["rrr"] - bounds.high["rrb"]
    most = bounds.high["rrr"] - bounds.low["rrb"]
    assert 0 < most - least < Fraction(1, 10**11)
    edge = [("rrr", "rrb")]
    for delta, answer in ((least - most, VIOLATED), (Fraction(0), UNKNOWN), (most - least, HOLDS)):
        formula = f"D[eps=0, delta={(least + most) / 2 + delta}] (F out1)"
        assert check_enclosure(lower, upper, formula, edge).answer(["rrr", "rrb"]) is answer
