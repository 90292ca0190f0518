"""Attacks: what their tests accept, how probable that is, what is said of it, and that it can be seen."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bdist import LabelledMarkovChain, ParameterError
from bdist.chains.drawings.diagram import Diagram, NotDrawn
from bdist.chains.drawings.pictures import svg_file, write_picture
from bdist.chains.families import make_family
from bdist.exact.rationals import to_fraction
from bdist.traces import attack as attacks
from bdist.traces.attack import (
    Attack,
    Frequency,
    attack_of,
    event_probability,
    read_test,
    simulate,
    usual_runs,
)
from bdist.traces.automaton import ACCEPT, REJECT, Automaton
from bdist.traces.beliefs import Futures, Graph, Limits, cut_endless, explore_all, explore_best
from bdist.traces.compute import gaps_at
from bdist.traces.counting import Counting, common_root
from bdist.traces.loss import PrivacyLoss
from bdist.traces.weights import NoFiniteWeights, weigh
from tests.oracles import traces
from tests.oracles.strategies import alphas, chains
from tests.sentences.events import Event, event_of, event_of_document

Pair = tuple[str, str]


def whole_graph(chain: LabelledMarkovChain, pair: Pair, most: int = 400) -> Graph:
    graph = Graph.of(Futures.of(chain, pair), pair, one_scale=False)
    explore_all(graph, Limits(most, 4000, lambda: None))
    cut_endless(graph)
    return graph


def best_graph(chain: LabelledMarkovChain, pair: Pair, alpha: Fraction, most: int = 120) -> Graph:
    graph = Graph.of(Futures.of(chain, pair), pair, one_scale=True)
    explore_best(graph, gaps_at(graph, (alpha,)), Limits(most, 4000, lambda: None), 1e-6)
    cut_endless(graph)
    return graph


def lower_of(graph: Graph, alpha: Fraction, turned: bool) -> Fraction:
    """What the graph proves from below."""
    below, _ = weigh(graph, 10**6, lambda: None).atoms()
    loss = PrivacyLoss.of((to_fraction(p), to_fraction(q)) for p, q in below.values())
    return (loss.swapped() if turned else loss).delta(alpha)


def hold(chain: LabelledMarkovChain, attack: Attack) -> Event | None:
    """All that an attack says is the same: its numbers, its words, its JSON, and what is read back."""
    said = [line[12:] for line in attack.report_lines()]
    assert attack.report_lines()[0].startswith("  attack    say '")
    assert all(line.startswith(" " * 12) for line in attack.report_lines()[1:])
    assert said[-1].startswith("probability at least ")
    event = event_of(said[:-1])
    document = json.loads(json.dumps(attack.document()))
    assert list(document) == ["pair", "probabilities", "test", "prefixes"]
    for meant in (event, event_of_document(document["test"])):
        if meant is not None:
            assert [meant.probability(chain, state) for state in attack.pair] == [attack.first, attack.second]
    test = read_test(document)
    assert test == attack.test
    assert Attack.of(chain, attack.pair, attack.test) == Attack(
        attack.pair, attack.first, attack.second, attack.test
    )
    if attack.prefixes is not None:
        assert read_test({"prefixes": document["prefixes"]}) == attack.test
    return event


@given(chains(max_states=5), alphas(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_test_attains_what_the_graph_proves(
    chain: LabelledMarkovChain, alpha: Fraction, one_scale: bool
) -> None:
    assume(len(chain) > 1)
    assume(chain.label("s0") == chain.label("s1"))
    graph = best_graph(chain, ("s0", "s1"), alpha) if one_scale else whole_graph(chain, ("s0", "s1"), 60)
    try:
        lowers = [lower_of(graph, alpha, turned) for turned in (False, True)]
    except NoFiniteWeights:
        assume(False)
    for pair, lower in zip((("s0", "s1"), ("s1", "s0")), lowers, strict=True):
        attack = attack_of(graph, chain, pair, alpha)
        if attack is None:
            assert lower == 0
            continue
        hold(chain, attack)
        assert attack.pair == pair
        if isinstance(attack.test, Automaton) or not attacks._is_open(graph):
            assert attack.advantage(alpha) == lower
        assert attack.advantage(alpha) >= lower
        if attack.prefixes is not None and max(map(len, attack.prefixes)) <= 6:
            longest = max(map(len, attack.prefixes))
            for state, probability in zip(attack.pair, (attack.first, attack.second), strict=True):
                by_listing = sum(
                    p
                    for word, p in traces.words(chain, state, longest).items()
                    if any(word[: len(prefix)] == prefix for prefix in attack.prefixes)
                )
                assert by_listing == probability


def test_states_with_different_labels() -> None:
    chain = LabelledMarkovChain.from_rows({"s": ("a", {"s": 1}), "t": ("b", {"t": 1})})
    attack = attack_of(None, chain, ("s", "t"), Fraction(2))
    assert attack is not None
    assert attack.prefixes == (("a",),)
    assert [attack.first, attack.second] == [Fraction(1), Fraction(0)]
    with pytest.raises(ParameterError, match="no state"):
        attack_of(None, chain, ("s", "u"), Fraction(2))


def test_a_graph_that_was_not_explored_is_no_excuse() -> None:
    """The long run may prove everything before a belief is expanded: then the test is looked for here."""
    chain = LabelledMarkovChain.from_rows(
        {"s": ("a", {"u": 1}), "t": ("a", {"v": 1}), "u": ("b", {"u": 1}), "v": ("c", {"v": 1})}
    )
    graph = Graph.of(Futures.of(chain, ("s", "t")), ("s", "t"), one_scale=True)
    attack = attack_of(graph, chain, ("s", "t"), Fraction(2))
    assert attack is not None
    assert attack.prefixes == (("a", "b"),)


def test_a_graph_of_other_states_is_refused() -> None:
    chain = make_family("dining-cryptographers", {"diners": 3, "bias": "1/4"})
    graph = whole_graph(chain, ("s0", "s1"))
    with pytest.raises(ParameterError, match="not of the states"):
        attack_of(graph, chain, ("s0", "s2"), Fraction(1))


# --- words ---


def waiting(stay: tuple[str, str], ends: tuple[str, str]) -> LabelledMarkovChain:
    """From s and t: wait with some probability, then end in a (else in b)."""
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for side, w, p in zip("st", map(Fraction, stay), map(Fraction, ends), strict=True):
        row = {f"w{side}": w, "a": (1 - w) * p, "b": (1 - w) * (1 - p)}
        rows |= {side: ("start", row), f"w{side}": ("wait", row)}
    rows |= {end: (end, {end: Fraction(1)}) for end in "ab"}
    return LabelledMarkovChain.from_rows(rows)


def coins(first: str, second: str) -> LabelledMarkovChain:
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for tails, heads, p in (("s", "h", Fraction(first)), ("t", "k", Fraction(second))):
        rows |= {
            state: (label, {tails: 1 - p, heads: p}) for state, label in ((tails, "tails"), (heads, "heads"))
        }
    return LabelledMarkovChain.from_rows(rows)


def response(questions: int, truth: str = "3/4") -> LabelledMarkovChain:
    return make_family("randomised-response", {"questions": questions, "truth": truth})


def found(
    chain: LabelledMarkovChain, pair: Pair, alpha: Fraction | int, *, one_scale: bool = False
) -> Attack:
    value = Fraction(alpha)
    graph = best_graph(chain, pair, value, 400) if one_scale else whole_graph(chain, pair, 2000)
    attack = attack_of(graph, chain, pair, value)
    assert attack is not None
    assert attack.advantage(value) > 0
    return attack


def test_a_few_prefixes_are_listed() -> None:
    chain = make_family("dining-cryptographers", {"diners": 4, "bias": "1/4"})
    attack = found(chain, ("s0", "s1"), 1)
    assert attack.words() == [
        "say 's0' when the labels begin with: start agree agree agree",
        "or: start differ agree",
        "or: start differ differ differ",
    ]
    hold(chain, attack)


def test_a_loop_is_waited_through() -> None:
    chain = waiting(("1/2", "1/2"), ("3/5", "2/5"))
    attack = found(chain, ("s", "t"), Fraction(11, 10))
    assert attack.words() == ["say 's' when the labels begin with: start, then any number of wait, then a"]
    assert attack.advantage(Fraction(11, 10)) == Fraction(4, 25)
    assert attack.prefixes is None
    assert attack.document()["prefixes"] is None
    hold(chain, attack)


def test_a_label_is_counted_until_another_comes() -> None:
    chain = waiting(("9/10", "8/10"), ("1/2", "1/3"))
    attack = found(chain, ("s", "t"), 2)
    assert attack.words() == [
        "say 's' when the labels begin with: start, then 9 to 14 times wait, then a",
        "or: start, then 15 times wait",
    ]
    hold(chain, attack)
    other = found(waiting(("99/100", "98/100"), ("1/2", "1/3")), ("t", "s"), 2)
    assert other.words() == ["say 't' when the labels begin with: start, then 0 to 28 times wait, then b"]


@pytest.mark.parametrize("questions", [5, 8, 100])
@pytest.mark.parametrize("pair", [("yes", "no"), ("no", "yes")])
def test_randomised_response_is_a_count(questions: int, pair: Pair) -> None:
    chain = response(questions)
    alpha = Fraction(2)
    attack = found(chain, pair, alpha)
    graph = whole_graph(chain, ("yes", "no"), 2000)
    assert attack.advantage(alpha) == lower_of(graph, alpha, pair[0] == "no")
    assert isinstance(attack.test, Counting)
    label, least = f"says-{pair[0]}", questions // 2 + 1
    assert attack.words() == [
        f"say '{pair[0]}' if {label} is counted at least {least} times in the first {questions + 1} labels"
    ]
    hold(chain, attack)


def test_a_thousand_answers_are_counted() -> None:
    chain = response(1000, "13/25")
    attack = found(chain, ("yes", "no"), Fraction(11, 10))
    assert attack.words() == ["say 'yes' if says-yes is counted at least 501 times in the first 1001 labels"]
    p = Fraction(13, 25)
    row = [1]
    for _ in range(1000):  # the binomial coefficients
        row = [a + b for a, b in zip([0, *row], [*row, 0], strict=True)]
    tail = sum(row[k] * p.numerator**k * 12 ** (1000 - k) for k in range(501, 1001))
    assert attack.first == Fraction(tail, 25**1000)


def releases(rows: tuple[dict[str, str], dict[str, str]], number: int) -> LabelledMarkovChain:
    """From s and t so many outcomes, one after the other, independent of each other."""
    made: dict[str, tuple[str, dict[str, Fraction]]] = {"end": ("end", {"end": Fraction(1)})}
    for side, row in zip("st", rows, strict=True):
        for depth in range(number + 1):
            after = {f"{side}{depth + 1}{label}": Fraction(p) for label, p in row.items()}
            for label in row if depth else ["start"]:
                here = f"{side}{depth}{label}" if depth else side
                made[here] = (label, after if depth < number else {"end": Fraction(1)})
    return LabelledMarkovChain.from_rows(made)


def test_labels_with_different_points() -> None:
    """Outcomes whose ratios are 1/4, 1 and 4; then three of which two contribute the same."""
    chain = releases(
        ({"low": "1/8", "middle": "3/8", "high": "1/2"}, {"low": "1/2", "middle": "3/8", "high": "1/8"}), 4
    )
    attack = found(chain, ("s", "t"), 5)
    assert attack.words() == [
        "say 's' if the first 5 labels have at least 6 points in all: high 2, middle 1, any other 0"
    ]
    hold(chain, attack)
    chain = releases(
        ({"low": "1/8", "middle": "3/8", "high": "1/2"}, {"low": "1/16", "middle": "3/16", "high": "3/4"}), 4
    )
    attack = found(chain, ("s", "t"), 2)
    assert attack.words() == ["say 's' if low or middle is counted at least 3 times in the first 5 labels"]
    hold(chain, attack)


def test_two_coins_are_told_apart_by_counting() -> None:
    chain = coins("1/2", "1/3")
    attack = found(chain, ("s", "t"), 2)
    assert attack.words() == ["say 's' if heads is counted at least 126 times in the first 300 labels"]
    assert attack.advantage(Fraction(2)) > Fraction(99, 100)
    hold(chain, attack)


def test_a_lead_is_waited_for() -> None:
    """Coins whose ratios are inverse to each other: Wald's sequential test, cut where the search ended."""
    chain = coins("3/5", "2/5")
    graph = best_graph(chain, ("s", "t"), Fraction(1), 12)
    steps = attacks._steps(graph, ("s", "t"))
    test, _ = attacks._automaton(steps, "tails", Fraction(1))
    assert test is not None
    attack = Attack.of(chain, ("s", "t"), test)
    assert attack is not None
    first, second = attack.words()
    assert first.startswith("say 's' once the labels after the first have shown heads ")
    assert second.startswith("give up once they have shown tails ")
    hold(chain, attack)


def test_steps_are_numbered() -> None:
    """Two loops, one within the other's reach: no row, and few states."""
    test = Automaton.least(
        [
            {"go": 1, "no": REJECT},
            {"x": 1, "y": 2, "z": ACCEPT, "no": REJECT},
            {"x": 1, "y": 2, "w": ACCEPT, "no": REJECT},
        ]
    )
    assert test is not None
    assert test.words("s") == [
        "say 's' by these steps, from step 1 on; give up at any label that is not named:",
        "1. on go go to 2",
        "2. on x stay; on y go to 3; on z say 's'",
        "3. on w say 's'; on x go to 2; on y stay",
    ]
    event = event_of(test.words("s"))
    assert event is not None
    for word in (
        ["go", "z"],
        ["go", "x", "y", "z"],
        ["go", "y", "y", "w"],
        ["go", "y", "x", "w"],
        ["x"],
        ["go"],
    ):
        read = test.reader()
        said: bool | None = None
        for label in word:
            said = read(label)
            if said is not None:
                break
        assert said == event.accepts(word)


def uneven(releases: int) -> LabelledMarkovChain:
    """Releases with different coins, whose ratios have nothing in common."""
    rows: dict[str, tuple[str, dict[str, Fraction]]] = {}
    for side in "st":
        for k in range(releases + 1):
            p = Fraction(30 + 7 * k % 40, 100) if side == "s" else Fraction(50 + 11 * k % 31, 101)
            here = [side] if k == 0 else [f"{side}{k}yes", f"{side}{k}no"]
            for state in here:
                label = "start" if k == 0 else state.removeprefix(f"{side}{k}")
                after = {f"{side}{k + 1}yes": p, f"{side}{k + 1}no": 1 - p}
                rows[state] = (label, after if k < releases else {"end": Fraction(1)})
    rows["end"] = ("end", {"end": Fraction(1)})
    return LabelledMarkovChain.from_rows(rows)


def test_a_large_automaton_is_described_and_its_leaning_is_true() -> None:
    chain = uneven(7)
    attack = found(chain, ("s", "t"), Fraction(3, 2))
    assert isinstance(attack.test, Automaton)
    assert attack.prefixes is not None
    assert attack.words() == [
        f"say 's' when the labels begin with one of {len(attack.prefixes)} prefixes of at most 8 labels",
        "speaking for s: no; against: yes",
        "all of it: .picture() or .document()",
    ]
    assert hold(chain, attack) is None
    for prefix in attack.prefixes:
        for length in range(1, len(prefix)):
            p, q = (event_probability(chain, state, [prefix[:length]]) for state in ("s", "t"))
            u, v = (event_probability(chain, state, [prefix[: length + 1]]) for state in ("s", "t"))
            assert (u * q >= v * p) if prefix[length] == "no" else (u * q <= v * p)


def test_points_are_rounded_where_ratios_have_nothing_in_common() -> None:
    chain = uneven(24)
    alpha = Fraction(2)
    graph = whole_graph(chain, ("s", "t"), 2000)
    attack = attack_of(graph, chain, ("s", "t"), alpha)
    assert attack is not None
    assert isinstance(attack.test, Counting)
    assert attack.words()[0].endswith("counted by a test of 25 states that reads at most 25 labels")
    assert hold(chain, attack) is None
    steps = attacks._steps(graph, ("s", "t"))
    test, visited = attacks._automaton(steps, "start", alpha)
    assert (test, visited) == (None, None)  # an automaton would be too large


def test_ratios_next_to_one_have_no_common_root() -> None:
    """Their logarithms vanish, or would ask for powers that nobody can write down."""
    near = Fraction(2**60 + 1, 2**60)
    assert common_root({Fraction(2), near}) is None
    assert common_root({Fraction(2), 1 + Fraction(1, 10**9)}) is None
    assert common_root({Fraction(4), Fraction(1, 8), Fraction(1)}) == 2


def test_a_point_more_or_less_is_worse() -> None:
    chain = response(9)
    attack = found(chain, ("yes", "no"), 2)
    assert isinstance(attack.test, Counting)
    for more in (-1, 1):
        other = Attack.of(
            chain, attack.pair, Counting(attack.test.states, attack.test.length, attack.test.threshold + more)
        )
        assert other is not None
        assert other.advantage(Fraction(2)) < attack.advantage(Fraction(2))


def test_what_the_other_state_cannot_show() -> None:
    """Without an alpha the test accepts what has probability 0 from the second state."""
    chain = waiting(("1/2", "1/3"), ("1/2", "0"))
    graph = whole_graph(chain, ("s", "t"))
    attack = attack_of(graph, chain, ("s", "t"), None)
    assert attack is not None
    assert [attack.first, attack.second] == [Fraction(1, 2), Fraction(0)]
    assert attack.words() == ["say 's' when the labels begin with: start, then any number of wait, then a"]
    assert attack_of(graph, chain, ("t", "s"), None) is None


# --- automata ---


@st.composite
def automata(draw: st.DrawFn) -> list[dict[str, int]]:
    size = draw(st.integers(1, 7))
    targets = st.integers(-2, size - 1)
    return [dict.fromkeys("abc", REJECT) | {x: draw(targets) for x in "abc"} for _ in range(size)]


@given(automata())
@settings(max_examples=200, deadline=None)
def test_the_least_automaton_accepts_the_same_and_no_two_states_agree(raw: list[dict[str, int]]) -> None:
    least = Automaton.least(raw)

    def accepts(rows: list[dict[str, int]], word: str, at: int = 0) -> bool:
        """Whether acceptance is certain, with whatever follows, or reached."""
        for label in word:
            at = rows[at].get(label, REJECT)
            if at < 0:
                return at == ACCEPT
        return False

    words = [""]
    for _ in range(6):
        words += [word + label for word in words if len(word) == len(words[-1]) for label in "abc"]
    if least is None:
        assert not any(accepts(raw, word) for word in words)
        return
    rows = list(map(dict, least.states))
    assert len(rows) <= len(raw)
    for word in words:
        if accepts(raw, word):
            assert accepts(rows, word)
    # what it accepts early is accepted by all that can follow and be decided
    for word in words:
        if accepts(rows, word) and not accepts(raw, word):
            longer = [other for other in words if other.startswith(word)]
            at = 0
            for label in word:
                at = raw[at][label]
            assert at >= 0
            assert not any(_gives_up(raw, other) for other in longer)
    seen = set()
    for q in range(len(rows)):
        told = tuple(accepts(rows, word, q) for word in words if len(word) <= 5)
        assert told not in seen or len(rows) > 6
        seen.add(told)


def _gives_up(raw: list[dict[str, int]], word: str) -> bool:
    at = 0
    for label in word:
        at = raw[at][label]
        if at < 0:
            return at == REJECT
    return False


def test_prefixes_must_not_overlap() -> None:
    chain = make_family("figure-one")
    label = chain.label("s0")
    with pytest.raises(ParameterError, match="list only one"):
        event_probability(chain, "s0", [(label,), (label, "x")])
    with pytest.raises(ParameterError, match="list only one"):
        event_probability(chain, "s0", [(label, "x"), (label,)])
    with pytest.raises(ParameterError, match="empty"):
        event_probability(chain, "s0", [()])
    assert event_probability(chain, "s0", []) == 0
    assert event_probability(chain, "s0", [("nothing",)]) == 0
    assert event_probability(chain, "s0", [(label,)]) == 1


def test_a_test_that_goes_round_for_ever_accepts_nothing_by_that() -> None:
    """A chain that never leaves the loop: the system has a solution, and it is 0."""
    chain = LabelledMarkovChain.from_rows({"s": ("a", {"s": 1})})
    test = Automaton.least([{"a": 0, "b": ACCEPT, "c": REJECT}])
    assert test is not None
    assert test.probabilities(chain, ["s"]) == [Fraction(0)]


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (3, "with a 'kind'"),
        ({"kind": "guess"}, "'automaton' or 'counting'"),
        ({"kind": "automaton", "states": []}, "an array of objects"),
        ({"kind": "automaton", "states": [3]}, "is an object of labels"),
        ({"kind": "automaton", "states": [{"a": 7}]}, "the number of a state"),
        ({"kind": "automaton", "states": [{"a": True}]}, "the number of a state"),
        ({"kind": "counting", "states": [3]}, "an array of objects"),
        ({"kind": "counting", "states": [{}], "length": 0}, "'length' from 1"),
        ({"kind": "counting", "states": [{}], "length": 1, "threshold": "1"}, "'threshold'"),
        ({"kind": "counting", "states": [{"a": [1, 1]}], "length": 1, "threshold": 1}, "has \\[next state"),
        (
            {"kind": "counting", "states": [{"a": [0, 10**9]}], "length": 1, "threshold": 1},
            "has \\[next state",
        ),
    ],
)
def test_what_is_no_test(test: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_test({"test": test})


def test_a_count_that_is_too_much_work_is_none() -> None:
    chain = LabelledMarkovChain.from_rows(
        {"s": ("a", {"s": "1/3", "t": "2/3"}), "t": ("b", {"s": "1/7", "t": "6/7"})}
    )
    test = Counting(((("a", 0, 1),),), 1_000_000, 1)
    assert Attack.of(chain, ("s", "t"), test) is None


# --- pictures ---


def test_a_test_is_drawn(tmp_path: Path) -> None:
    loop = found(waiting(("1/2", "1/2"), ("3/5", "2/5")), ("s", "t"), 1)
    picture = loop.picture()
    assert isinstance(picture, Diagram)
    assert [box.name for box in picture.boxes] == ["step 1", "step 2", "say 's'"]
    assert {(a.source, a.target, a.text) for a in picture.arrows} == {
        (0, 1, "start"),
        (1, 1, "wait"),
        (1, 2, "a"),
    }
    root = ElementTree.fromstring(svg_file(picture, title="x"))  # noqa: S314 - our own text
    assert len([e for e in root.iter() if (e.get("class") or "").startswith("state ")]) == 3
    count = found(response(6), ("yes", "no"), 2).picture()
    assert isinstance(count, Diagram)
    assert [a.text for a in count.arrows] == ["says-no: 0; says-yes: 1", "after 7 labels", "at least 4"]
    write_picture(tmp_path / "count.dot", count, title="x")
    assert "at least 4" in (tmp_path / "count.dot").read_text()
    points = found(uneven(24), ("s", "t"), 2).picture()
    assert isinstance(points, Diagram)
    assert len(points.boxes) == 27
    large = Automaton.least([{"a": k + 1, "b": REJECT} for k in range(90)] + [{"a": ACCEPT, "b": REJECT}])
    assert large is not None
    assert isinstance(large.picture("s"), NotDrawn)


# --- simulation ---


def test_a_simulation_sees_the_probability() -> None:
    cases = [
        (make_family("dining-cryptographers", {"diners": 3, "bias": "1/4"}), ("s0", "s1"), Fraction(1)),
        (response(9), ("yes", "no"), Fraction(2)),
        (waiting(("1/2", "1/2"), ("3/5", "2/5")), ("s", "t"), Fraction(1)),
    ]
    for chain, pair, alpha in cases:
        attack = found(chain, pair, alpha)
        for state, probability in zip(attack.pair, (attack.first, attack.second), strict=True):
            frequency = simulate(chain, state, attack.test, 5_000, seed=7)
            low, high = frequency.interval_approx
            assert low <= probability <= high
            assert frequency == simulate(chain, state, attack.test, 5_000, seed=7)
            assert frequency.undecided == 0


def test_a_run_that_is_not_decided_is_counted_as_such() -> None:
    chain = waiting(("99999/100000", "99999/100000"), ("1", "0"))
    attack = found(chain, ("s", "t"), 1)
    frequency = simulate(chain, "s", attack.test, 20, seed=1)
    assert frequency.undecided > 0
    assert frequency.hits + frequency.undecided == 20
    assert frequency.length == 1000


def test_a_long_test_is_run_less_often() -> None:
    assert usual_runs(Counting(((),), 10, 1)) == 10_000
    assert usual_runs(Counting(((),), 1_000, 1)) == 1_000
    assert usual_runs(Counting(((),), 1_000_000, 1)) == 100


def test_intervals_stay_within_zero_and_one() -> None:
    assert Frequency(0, 10).interval_approx[0] == 0
    assert Frequency(10, 10).interval_approx[1] == 1
    test = Automaton.of_prefixes([("start",)])
    assert test is not None
    with pytest.raises(ParameterError, match="at least 1"):
        simulate(make_family("figure-one"), "s0", test, 0, 1)
