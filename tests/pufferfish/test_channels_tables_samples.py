"""Channels, formulas of words, sampled words, secrets at later steps, against the enumeration of words."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import pufferfish
from bdist.errors import ParameterError
from bdist.pufferfish import vulnerability
from bdist.pufferfish.model import HiddenMarkovModel, Pair
from tests.cli.runner import ROOT, answer_of, run_bdist
from tests.oracles import pufferfish_words as oracle
from tests.oracles.hidden_models import value_of
from tests.oracles.pufferfish_models import Asked, points, small_models

GEOMETRIC, DISEASE = (str(ROOT / "instances" / "pufferfish" / f"{n}.hmm") for n in ("geometric", "disease"))
HALF = Fraction(1, 2)
THIRD = {"p": "1/3"}


# --- the channel -----------------------------------------------------------------------------------------


def seen_in(model: HiddenMarkovModel, sides: list[str], length: int) -> list[list[Fraction]]:
    """For all that can be seen in so many observations, whole runs that halt before among them, the chance
    under each side; by enumeration.
    """
    ends = {o for state in model.states if state.row is None for o, _ in state.observations}
    columns = []
    for k in range(1, length + 1):
        for word in product(model.observations, repeat=k):
            if k == length or word[-1] in ends:
                column = [oracle.look(model, Pair(side, side), word).first for side in sides]
                if any(column):
                    columns.append(column)
    return columns


@settings(max_examples=25, deadline=None)
@given(small_models(max_states=3), st.integers(1, 3), st.data())
def test_a_channel_is_that_of_all_words(asked: Asked, length: int, data: st.DataObject) -> None:
    sides = [state.name for state in asked.model.states]
    pairs = [(sides[0], side) for side in sides[1:]]
    weights = [data.draw(st.integers(1, 4)) for _ in sides]
    prior = {side: Fraction(weight, sum(weights)) for side, weight in zip(sides, weights, strict=True)}
    found = pufferfish.channel(asked.model, pairs=pairs, lengths=length, prior=prior)
    assert list(found.secrets) == sides
    columns = seen_in(asked.model, sides, length)
    assert found.capacity.exact == sum(max(column) for column in columns)
    joint = [[p * x for p, x in zip(prior.values(), column, strict=True)] for column in columns]
    for tries in (1, 2):
        assert found.before(tries) == sum(sorted(prior.values())[-tries:])
        assert found.after(tries).exact == sum(sum(sorted(row)[-tries:]) for row in joint)
    gain = {"first": {sides[0]: Fraction(1)}, "not it": dict.fromkeys(sides[1:], HALF)}
    gains = [[row.get(side, Fraction(0)) for side in sides] for row in gain.values()]
    expected = sum(max(sum(g * x for g, x in zip(row, w, strict=True)) for row in gains) for w in joint)
    assert found.gain_after(gain).exact == expected
    assert found.gain_before(gain) == max(prior[sides[0]], (1 - prior[sides[0]]) / 2)


def test_a_search_that_is_cut_short_leaves_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    model, at = pufferfish.load(DISEASE), {"r": "1/10"}
    whole = pufferfish.channel(model, "two-days", lengths=6, at=at)
    monkeypatch.setattr(vulnerability, "MOST_BELIEFS", 3)
    cut = pufferfish.channel(model, "two-days", lengths=6, at=at)
    assert whole.limit is None
    assert whole.capacity.exact is not None
    assert cut.limit == "after 3 observations there are more than 3 beliefs"
    assert cut.capacity.low < whole.capacity.exact < cut.capacity.high
    assert cut.after().low <= whole.after().low <= cut.after().high


def test_the_prior_of_a_channel() -> None:
    model = pufferfish.load(DISEASE)
    found = pufferfish.channel(model, "one-day", lengths=1, at={"r": "1/2"})
    assert dict(zip(found.secrets, found.prior, strict=True)) == {"c": Fraction(1, 6), "nc": Fraction(5, 6)}
    for given_prior, problem in (
        ({"c": "1/2"}, "the prior is no distribution"),
        ({"x": 1}, "the prior names 'x'; the secrets are c, nc"),
    ):
        with pytest.raises(ParameterError, match=problem):
            pufferfish.channel(model, "one-day", lengths=1, at={"r": "1/2"}, prior=given_prior)
    with pytest.raises(ParameterError, match="depends on the parameters"):
        pufferfish.channel(model, "two-days")


# --- formulas --------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(small_models(parameters=2, max_states=3), st.data())
def test_a_formula_is_the_probability_wherever_it_is_looked_at(asked: Asked, data: st.DataObject) -> None:
    found = pufferfish.table(asked.model, lengths="1..2")
    listed = {(row.pair, row.word): row for row in found.rows}
    at = data.draw(points(asked.model))
    for pair in {row.pair for row in found.rows}:
        for length in (1, 2):
            for word in product(asked.model.observations, repeat=length):
                seen, row = oracle.look(asked.model, pair, word, at), listed.get((pair, word))
                if row is None:
                    assert not seen.first
                    assert not seen.second
                    continue
                assert formula_at(row.first, at) == seen.first
                assert formula_at(row.second, at) == seen.second
                if row.ratio is not None and seen.second:
                    assert formula_at(row.ratio, at) == seen.ratio


def formula_at(formula: pufferfish.Formula, at: dict[str, Fraction]) -> Fraction:
    """By what it prints, read as Python reads it, with exact numbers."""
    text = re.sub(r"[0-9]+", r"number(\g<0>)", str(formula)).replace("^", "**")
    return Fraction(eval(text, {"__builtins__": {}, "number": Fraction}, at))  # noqa: S307 (our own text)


def test_the_table_of_the_paper() -> None:
    """Table 1 of Liu, Wang and Zhang, for the prior as they print it."""
    rows = pufferfish.table(pufferfish.load(GEOMETRIC), "independent-as-printed").rows
    assert [(row.word, str(row.first), str(row.second)) for row in rows] == [
        (("out0",), "(p^2 - 4*p + 4)/6", "(4 - 3*p)/(12 - 6*p)"),
        (("out1",), "(1 + 2*p - 2*p^2)/6", "(4 - 3*p)/(12 - 6*p)"),
        (("out2",), "(p^2 + 2*p + 1)/6", "2/(6 - 3*p)"),
    ]
    assert rows[2].second.latex == r"\frac{2}{6 - 3 p}"
    text = answer_of("pufferfish", GEOMETRIC, "--scenario", "independent-as-printed", "--table")
    assert "    out2  (p^2 + 2*p + 1)/6    2/(6 - 3*p)           (2 + 3*p - p^3)/4" in text
    latex = answer_of("pufferfish", GEOMETRIC, "--scenario", "independent-as-printed", "--table", "--latex")
    assert r"out2 & $\frac{p^{2} + 2 p + 1}{6}$ & $\frac{2}{6 - 3 p}$" in latex


def test_a_word_of_a_model_with_parameters_is_a_formula() -> None:
    document = json.loads(
        answer_of("pufferfish", DISEASE, "--scenario", "one-day", "--word", "no yes", "--json")
    )
    (row,) = document["words"]
    assert (row["word"], row["probabilities"]) == (["no", "yes"], ["(3 - 2*r)/16", "9/40"])
    assert (row["ratio"], row["latex"]["ratio"]) == ("(15 - 10*r)/18", r"\frac{15 - 10 r}{18}")


# --- samples ---------------------------------------------------------------------------------------------


def test_a_tester_finds_the_worst_word_and_its_interval_holds_the_ratio() -> None:
    model = pufferfish.load(GEOMETRIC)
    found = pufferfish.sample(model, 20_000, "contagious", at=THIRD)
    assert (found.pair.first, *found.word) in {("c", "out2"), ("nc", "out0")}
    assert found.ratio == 4
    assert found.low_approx < 4 < found.high_approx
    assert found.low_approx > 3
    assert found == pufferfish.sample(model, 20_000, "contagious", at=THIRD)
    other = pufferfish.sample(model, 20_000, "contagious", seed=2, at=THIRD)
    assert (other.first, other.second) != (found.first, found.second)


@settings(max_examples=15, deadline=None)
@given(small_models(max_states=3), st.sampled_from(["all", "common"]))
def test_what_is_sampled_can_be_shown(asked: Asked, words: str) -> None:
    try:
        found = pufferfish.sample(asked.model, 40, lengths="1..3", words=words)
    except ParameterError as error:
        assert "no word was seen that counts" in str(error)  # noqa: PT017 (either may happen)
        return
    seen = oracle.look(asked.model, found.pair, found.word)
    assert (seen.first, seen.second) == found.probabilities
    assert seen.counts(words)
    assert 1 <= len(found.word) <= 3
    assert found.first <= found.runs


def test_the_proof_stands_beside_the_estimate() -> None:
    text = answer_of(
        "pufferfish",
        DISEASE,
        "--scenario",
        "two-days",
        "--at",
        "r=1/2",
        "--length",
        "1..2",
        "--sample",
        "4000",
    )
    assert "  exactly   5, 3/8 = 0.375 and 3/40 = 0.075" in text
    assert "  loss      5, certified: no word has a larger ratio" in text


# --- options ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--latex"], "--latex is for --table or --word"),
        (["--seed", "3"], "--seed is for --sample"),
        (["--tries", "2"], "--tries is for --channel"),
        (["--channel", "--words", "all"], "--channel"),
        (["--table", "--epsilon", "1"], "--table"),
        (["--table", "--channel"], "--table and --channel are different questions"),
        (["--channel", "--tries", "0"], "--tries 0 must be at least 1"),
        (["--sample", "1"], "1 runs are too few"),
        (["--table", "--length", "any"], "a table of words needs their length"),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[str], problem: str) -> None:
    done = run_bdist("pufferfish", GEOMETRIC, "--scenario", "neighbours", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr


def test_a_gain_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "gain.json"
    path.write_text('{"low": {"count0": 1, "count1": "1/2"}, "high": {"count2": 1, "count1": 0.5}}')
    found = json.loads(
        answer_of(
            "pufferfish", GEOMETRIC, "--scenario", "neighbours", "--channel", "--gain", str(path), "--json"
        )
    )
    assert found["capacity"] == ["5/3", "5/3"]
    assert found["gain"] == {"before": "1/2", "after": ["2/3", "2/3"]}
    path.write_text('{"low": {"nobody": 1}}')
    done = run_bdist("pufferfish", GEOMETRIC, "--scenario", "neighbours", "--channel", "--gain", str(path))
    assert done.returncode == 2
    assert "the guess 'low' names the secret 'nobody'; there are count0, count1, count2" in done.stderr


def test_a_pair_means_the_same_in_the_library_and_on_the_command_line() -> None:
    """Both directions, and with ``directed`` only the one written; here they have different losses."""
    model = pufferfish.load(DISEASE)
    for directed in (False, True):
        found = pufferfish.optimise(
            model, "two-days", pairs=[("ill", "well")], directed=directed, lengths=2, at={"r": "1/10"}
        )
        words = [
            "--scenario",
            "two-days",
            "--pairs",
            "ill:well",
            "--length",
            "2",
            "--at",
            "r=1/10",
            "--optimise",
        ]
        document = json.loads(
            answer_of("pufferfish", DISEASE, *words, *["--directed"][: int(directed)], "--json")
        )
        assert found.worst is not None
        assert document["lengths"][0]["upper"] == str(found.worst.upper)
        assert document["pairs_compared"] == len(found.question.pairs) == 2 - directed


# --- secrets at later steps ------------------------------------------------------------------------------


def given_a_state_at(
    model: HiddenMarkovModel, start: dict[int, Fraction], step: int, state: int, word: tuple[str, ...]
) -> Fraction:
    """The probability of a word given the state at a step, by looking at all paths of hidden states."""
    length = max(len(word), step)
    joint = there = Fraction(0)
    for path in product(range(len(model.states)), repeat=length):
        weight = start.get(path[0], Fraction(0))
        for here, after in pairwise(path):
            weight *= value_of(dict(model.states[here].row or ()).get(after, Fraction(0)), model, {})
        if path[step - 1] != state:
            continue
        there += weight
        for here, observation in zip(path, word, strict=False):
            weight *= value_of(dict(model.states[here].observations).get(observation, Fraction(0)), model, {})
        joint += weight
    return joint / there


@settings(max_examples=15, deadline=None)
@given(small_models(max_states=3, halting=False), st.integers(1, 3), st.data())
def test_the_state_at_a_step_is_a_start_of_the_unfolded_model(
    asked: Asked, step: int, data: st.DataObject
) -> None:
    model = asked.model
    start = data.draw(st.sampled_from([state.name for state in model.states]))
    try:
        unfolded = pufferfish.secrets_at(model, start, [step], "asked")
    except ParameterError as error:
        assert "no two states to compare are possible" in str(error)  # noqa: PT017 (either may happen)
        return
    (scenario,) = unfolded.scenarios
    for neighbours in scenario.neighbours:
        for length in (1, 2, 3):
            word = tuple(data.draw(st.sampled_from(model.observations)) for _ in range(length))
            seen = oracle.look(unfolded, Pair(neighbours.first, neighbours.second), word)
            begin = {model.numbers[start]: Fraction(1)}
            expected = [
                given_a_state_at(model, begin, step, model.numbers[side.rsplit("@", 1)[0]], word)
                for side in (neighbours.first, neighbours.second)
            ]
            assert [seen.first, seen.second] == expected


def test_steps_on_the_command_line(tmp_path: Path) -> None:
    out, proof = tmp_path / "unfolded.hmm", tmp_path / "proof.json"
    words = ["--scenario", "two-days", "--step", "1..3", "--start", "well", "--at", "r=1/2", "--optimise"]
    written = ["--unfolded", str(out), "--certificate", str(proof)]
    text = answer_of("pufferfish", DISEASE, *words, "--length", "any", *written)
    assert "disease, later: the least epsilon, for all words of any length, 2 pairs" in text
    assert answer_of("check", str(out), str(proof)).startswith(
        "accepted  at every length: the loss is at most"
    )
    for options, problem in (
        (["--step", "2"], "--step is for --start"),
        (["--step", "0", "--start", "well"], "the steps '0' are not of the form I or 1..I"),
        (["--step", "2", "--start", "wel"], "'wel' is neither a state nor an initial distribution"),
        (["--step", "1", "--start", "well"], "no two states to compare are possible"),
        (["--step", "2", "--start", "well", "--pairs", "well:c"], "'c' is no state"),
    ):
        done = run_bdist("pufferfish", DISEASE, "--scenario", "two-days", "--at", "r=1/2", *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr
    done = run_bdist("pufferfish", DISEASE, "--scenario", "two-days", "--step", "2", "--start", "well")
    assert "secrets at later steps need values for all parameters" in done.stderr


# --- observers who begin to watch later ------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(
    small_models(parameters=1, max_states=3, halting=False), st.integers(1, 3), st.integers(1, 2), st.data()
)
def test_a_word_of_who_watches_later_sums_over_what_was_missed(
    asked: Asked, steps: int, length: int, data: st.DataObject
) -> None:
    """Its probability is that of all longer words that end with it, from the beginning of the run."""
    model = asked.model
    at = data.draw(points(model))
    moved = pufferfish.watched_after(model, steps, "asked", at=at)
    word = tuple(data.draw(st.sampled_from(model.observations)) for _ in range(length))
    assert [scenario.name for scenario in moved.scenarios] == [f"asked after {steps}"]
    old, new = (each.pairs_of(each.scenarios[0]) for each in (model, moved))
    assert len(old) == len(new)
    for pair in old:
        here = pair
        if pair.prior is None:
            here = Pair(f"{pair.first}+{steps}", f"{pair.second}+{steps}")
        assert here in new
        missed = product(model.observations, repeat=steps)
        whole = [oracle.look(model, pair, (*before, *word), at) for before in missed]
        seen = oracle.look(moved, here, word)
        assert (seen.first, seen.second) == (sum(w.first for w in whole), sum(w.second for w in whole))


def test_watching_later_on_the_command_line(tmp_path: Path) -> None:
    out, proof = tmp_path / "moved.hmm", tmp_path / "proof.json"
    asked = ["pufferfish", DISEASE, "--scenario", "one-day", "--at", "r=1/2"]
    written = ["--unfolded", str(out), "--certificate", str(proof)]
    text = answer_of(*asked, "--after", "1", "--word", "yes", *written)
    assert text.startswith("disease, one-day after 1: it is no counterexample to epsilon = ln 3")
    assert "ratio     5/3 = 1.666666..." in text  # (1/2) / (9/10 * 1/4 + 1/10 * 3/4)
    assert answer_of("check", str(out), str(proof)).startswith("accepted  the word yes has the ratio 5/3")
    both = answer_of(*asked, "--step", "2", "--start", "well", "--after", "1", "--optimise", "--length", "1")
    assert "ratio     3" in both  # the secret is the state that is watched first
    for options, problem in (
        (["--after", "0"], "the steps before watching are 0; they must be from 1 to 1000"),
        (["--unfolded", "x.hmm"], "--unfolded is for --step or --after; give that as well"),
    ):
        done = run_bdist(*asked, *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr
    done = run_bdist("pufferfish", DISEASE, "--scenario", "two-days", "--after", "1")
    assert "an observer who begins to watch later needs values for all parameters" in done.stderr
    halting = str(Path(DISEASE).parent / "noisy-max-naive.hmm")
    done = run_bdist("pufferfish", halting, "--scenario", "neighbours", "--after", "2")
    assert "a run may halt after 2 observations, so nobody can begin to watch it after 2 steps" in done.stderr
