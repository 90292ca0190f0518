"""Formulas on all chains between two: against chains drawn between them, and on subsampling majority."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest

from bdist import LabelledMarkovChain, dpctl
from bdist.chains.families import subsampling_majority
from bdist.chains.formats import lmc
from bdist.dpctl.enclosures import MOST_FREE, check_enclosure, enclosed_extremes, enclosure_process
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
        bounds, _ = enclosed_extremes(lower, upper, path)
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


def test_the_process_has_the_vertices_of_all_rows() -> None:
    """By hand: all entries but one are at an end, and the last one is within its interval."""
    row = "s0 [a] -> {} s0, {} x, {} y\nx [b] -> 1 x\ny [c] -> 1 y\n"
    lower = lmc.read("lmc\n" + row.format("2/10", "4/10", "4/10"))
    upper = lmc.read("lmc\n" + row.format("4/10", "2/10", "4/10"))
    two = enclosure_process(lower, upper)  # the third entry is exact, so two rows are all
    assert two.actions == ("v0", "v1")
    assert set(two.rows[0]) == {lower.rows[0], upper.rows[0]}
    assert two.rows[1] == (lower.rows[1], lower.rows[1])
    upper = lmc.read("lmc\n" + row.format("4/10", "3/10", "3/10"))
    found = {tuple(p for _, p in row) for row in enclosure_process(lower, upper).rows[0]}
    tenths = {(2, 4, 4), (4, 3, 3), (3, 3, 4), (3, 4, 3)}
    assert found == {tuple(Fraction(k, 10) for k in vertex) for vertex in tenths}


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
        enclosed_extremes(one, one, "X D[eps=0] (X b)")
    with pytest.raises(ParameterError, match="speaks of runs, not of states"):
        check_enclosure(one, one, "F b")
    with pytest.raises(ParameterError, match="no state has the proposition 'c'"):
        check_enclosure(one, one, "P>=1 [F c]")
    with pytest.raises(ParameterError, match="there is no state 'u'"):
        check_enclosure(one, one, "D[eps=0] (F b)", [("s", "u")])
    width = MOST_FREE + 2
    rest = "".join(f"t{k} [b] -> 1 t{k}\n" for k in range(width))
    rows = [
        "s [a] -> " + ", ".join(f"{k + shift}/{sum(range(shift, width + shift))} t{k}" for k in range(width))
        for shift in (1, 2)
    ]
    with pytest.raises(UnsupportedError, match=f"differ in {width} entries; at most {MOST_FREE}"):
        enclosure_process(chain(f"{rows[0]}\n{rest}"), chain(f"{rows[1]}\n{rest}"))


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
    assert (len(found.process.states), len(found.process.actions)) == (len(lower), 2)


def test_subsampling_at_the_edge_is_not_decided() -> None:
    """The smallest delta at epsilon 0, F out1, rrr and rrb, to 13 digits: no rational is it."""
    lower, upper = (subsampling_majority(side=side) for side in ("lower", "upper"))
    bounds, _ = enclosed_extremes(lower, upper, "F out1")
    least = bounds.low["rrr"] - bounds.high["rrb"]
    most = bounds.high["rrr"] - bounds.low["rrb"]
    assert 0 < most - least < Fraction(1, 10**11)
    edge = [("rrr", "rrb")]
    for delta, answer in ((least - most, VIOLATED), (Fraction(0), UNKNOWN), (most - least, HOLDS)):
        formula = f"D[eps=0, delta={(least + most) / 2 + delta}] (F out1)"
        assert check_enclosure(lower, upper, formula, edge).answer(["rrr", "rrb"]) is answer
