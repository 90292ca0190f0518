"""``bdist pufferfish`` as a user types it."""

from __future__ import annotations

import json
import signal
from fractions import Fraction
from pathlib import Path

import pytest

from bdist.checker.pufferfish.proof import HiddenModelReport, ProvedWord
from bdist.pufferfish import optimise
from bdist.pufferfish import text as hmm
from bdist.pufferfish.answers import LengthLoss
from bdist.pufferfish.command import _rows
from bdist.pufferfish.kind import _lines as _hidden_model_lines
from tests.cli.runner import CHECKER, ROOT, answer_of, run_bdist, run_checker, run_process, run_signalled

MODELS = ROOT / "instances" / "pufferfish"
GEOMETRIC, NOISY, THRESHOLD, DISEASE = (
    str(MODELS / f"{name}.hmm") for name in ("geometric", "noisy-max-improved", "above-threshold", "disease")
)


def asked(*arguments: str, code: int = 0, command: str = "pufferfish") -> str:
    return answer_of(command, *arguments, code=code)


def test_a_scenario_that_holds_for_all_parameters() -> None:
    lines = asked(NOISY, "--scenario", "independent-as-printed").splitlines()
    assert lines[0] == ("noisy-max-improved-3, independent-as-printed: epsilon = ln 2 holds        certified")
    scope = "all words of length 2, 1 pair, all pA in (0, 1), pB in (0, 1), pC in (0, 1)"
    assert lines[1] == f"  loss      at most 2, for {scope}"


def test_a_scenario_that_is_violated_has_a_word_and_values_and_both_probabilities() -> None:
    document = json.loads(asked(NOISY, "--scenario", "contagious", "--json", code=1))
    witness = document["witness"]
    assert (document["answer"], document["bound"]) == ("violated", "287/107")
    assert witness["word"] == ["start", "answer1"]
    assert witness["at"] == {"pA": "1/2", "pB": "1/2", "pC": "1/2"}
    assert witness["probabilities"] == ["287/576", "107/576"]
    text = asked(NOISY, "--scenario", "contagious", code=1)
    assert "epsilon = ln 2 is violated        certified" in text
    assert "  ratio     287/107 = 2.682242... at pA = 1/2, pB = 1/2, pC = 1/2" in text
    assert "  between   c / nc under family" in text


def test_the_least_epsilon_may_be_a_limit() -> None:
    text = asked(NOISY, "--scenario", "independent", "--optimise")
    assert "  epsilon   ln(40/21) = 0.644357" in text
    assert "  ratio     40/21 = 1.904761..., in the limit as pA -> 0, pB -> 1, pC -> 1" in text
    assert "exact, certified" in text


def test_no_epsilon_will_do() -> None:
    text = asked(THRESHOLD, "--optimise", "--length", "any")
    assert text.startswith("above-threshold, neighbours: no epsilon will do, for common words of any length")
    assert "  unbounded start 12 bot (12 bot)^n 10 T" in text
    document = json.loads(asked(THRESHOLD, "--optimise", "--length", "any", "--json"))
    assert document["unbounded"]["block"] == ["12", "bot"]
    assert document["unbounded"]["factor"] == "2"
    violated = json.loads(asked(THRESHOLD, "--length", "any", "--epsilon", "100", "--json", code=1))
    assert len(violated["witness"]["word"]) > 200


def test_a_word_of_a_tester_is_certified_or_refuted() -> None:
    text = asked(THRESHOLD, "--word", "start 01 bot 12 bot 12 bot 12 bot 21 T", code=1)
    assert text.startswith("above-threshold, neighbours: it is a counterexample to epsilon = ln 16")
    assert "  ratio     20\n" in text
    spurious = asked(THRESHOLD, "--epsilon", "3", "--word", "start,01,bot,12,bot,12,bot,12,bot,01,T")
    assert spurious.startswith("above-threshold, neighbours: it is no counterexample to epsilon = 3")
    assert "  ratio     64/11 = 5.818181..." in spurious
    nothing = asked(THRESHOLD, "--word", "start T")
    assert "the word counts under no pair" in nothing
    at = asked(GEOMETRIC, "--scenario", "independent", "--at", "p=1/3", "--word", "out0", "--json")
    assert json.loads(at)["witnesses"][0]["ratio"] == "2"


def test_the_interval_of_a_tester_is_refined_to_one_number() -> None:
    text = asked(NOISY, "--scenario", "neighbours", "--bracket", "1.21..1.28")
    assert ", is ln(24/7) = 1.232143...        exact, certified" in text.splitlines()[0]
    outside = asked(NOISY, "--scenario", "neighbours", "--bracket", "0.5..1")
    assert "that is outside of the interval given" in outside
    document = json.loads(asked(NOISY, "--scenario", "neighbours", "--bracket", "1.21..1.28", "--json"))
    assert document["exact"] == "ln 24/7"


def test_delta_through_the_chain_of_the_model(tmp_path: Path) -> None:
    chain, proof = tmp_path / "chain.lmc", tmp_path / "proof.json"
    question = (GEOMETRIC, "--scenario", "contagious", "--at", "p=1/3", "--epsilon", "ln 2")
    files = ("--chain", str(chain), "--certificate", str(proof))
    text = asked(*question, "--delta", "1/4", *files, code=1)
    assert "(ln 2, 1/4)-Pufferfish privacy is violated" in text
    assert text.splitlines()[0].endswith("        certified")
    assert "  delta     c - nc = 1/3 = 0.333333333333...        exact, certified" in text
    rational = asked(*question[:-1], "1/2", "--delta", "1/4", code=1)
    assert rational.splitlines()[0].endswith("        certified")
    assert "        certified bracket" in rational
    assert "the privacy-loss distribution of (" in asked(str(chain), str(proof), command="check")
    assert "Pufferfish privacy holds" in asked(*question, "--delta", "1/3")
    document = json.loads(asked(*question, "--true-delta", "--json"))
    assert document["pairs"][0]["true_delta"]["upper"] == "1/3"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((GEOMETRIC, "--scenario", "independent"), 0),
        ((GEOMETRIC, "--scenario", "contagious"), 1),
        ((THRESHOLD, "--optimise", "--length", "1..7"), 0),
        ((THRESHOLD, "--word", "start 12 bot"), 0),
        ((DISEASE, "--scenario", "two-days", "--optimise"), 0),
        ((DISEASE, "--scenario", "two-days", "--optimise", "--length", "any", "--at", "r=1/5"), 0),
    ],
)
def test_certificates_pass_both_checkers(arguments: tuple[str, ...], code: int, tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    asked(*arguments, "--certificate", proof, code=code)
    assert asked(arguments[0], proof, command="check").startswith("accepted  ")
    assert json.loads(asked(arguments[0], proof, "--json", command="check"))["accepted"] is True
    done = run_checker(CHECKER, arguments[0], proof)
    assert (done.returncode, done.stdout[:9]) == (0, "accepted:")
    forged = json.loads(Path(proof).read_text(encoding="utf-8"))
    forged["model"] = "0" * 64
    Path(proof).write_text(json.dumps(forged), encoding="utf-8")
    assert asked(arguments[0], proof, command="check", code=1).startswith("rejected at model")


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_a_plot(suffix: str, tmp_path: Path) -> None:
    picture = tmp_path / f"loss.{suffix}"
    asked(THRESHOLD, "--length", "1..7", "--plot", str(picture))
    head = picture.read_bytes()[:300]
    assert head.startswith(b"\x89PNG") or b"<svg" in head or b"<?xml" in head
    if suffix == "svg":
        text = picture.read_text(encoding="utf-8")
        assert "unbounded" in text
        assert "length of the word" in text


def test_the_second_opinion_of_z3() -> None:
    text = asked(GEOMETRIC, "--scenario", "independent", "--backend", "z3", code=3)
    assert "hint      it holds, without a proof" in text
    assert "is violated        certified" in asked(
        GEOMETRIC, "--scenario", "contagious", "--backend", "z3", code=1
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((GEOMETRIC,), 2, "the model has 4 scenarios; name one of 'neighbours', 'contagious'"),
        ((GEOMETRIC, "--scenario", "contagius"), 2, "there is no scenario 'contagius'"),
        (
            (GEOMETRIC, "--scenario", "contagious", "--at", "p=2"),
            2,
            "p = 2 must lie strictly between 0 and 1",
        ),
        ((GEOMETRIC, "--scenario", "contagious", "--at", "q=1/2"), 2, "the model has no parameter 'q'"),
        ((GEOMETRIC, "--scenario", "contagious", "--at", "p"), 2, "--at 'p' must be a parameter"),
        ((GEOMETRIC, "--scenario", "contagious", "--length", "3..1"), 2, "not of the form K, 1..K or any"),
        ((GEOMETRIC, "--scenario", "contagious", "--length", "0"), 2, "must be a whole number from 1"),
        ((GEOMETRIC, "--scenario", "contagious", "--epsilon", "-1"), 2, "epsilon = -1 is negative"),
        ((GEOMETRIC, "--scenario", "contagious", "--words", "some"), 2, "it must be all or common"),
        ((GEOMETRIC, "--scenario", "contagious", "--word", "outt", "--at", "p=1/2"), 2, "did you mean 'out"),
        ((GEOMETRIC, "--pairs", "count0:count9"), 2, "'count9' is neither a state nor"),
        ((GEOMETRIC, "--pairs", "count0:count0"), 2, "compares 'count0' with itself"),
        ((GEOMETRIC, "--scenario", "neighbours", "--directed"), 2, "directed is about pairs that are given"),
        ((THRESHOLD, "--true-delta"), 2, "ask with words all"),
        ((THRESHOLD, "--delta", "1"), 2, "--delta 1 must be at least 0 and below 1"),
        ((THRESHOLD, "--word", "start", "--bracket", "1..2"), 2, "different questions; ask one at a time"),
        ((THRESHOLD, "--bracket", "1.2"), 2, "is not an interval"),
        ((THRESHOLD, "--chain", "x.lmc"), 2, "--chain is for --true-delta"),
        ((THRESHOLD, "--backend", "z4"), 2, "there is no backend 'z4'"),
        ((THRESHOLD, "--plot", "x.pdf"), 2, "the name must end in .png or .svg"),
        (("nowhere.hmm",), 4, "nowhere.hmm: cannot be read"),
        ((str(ROOT / "instances" / "figure-one" / "chain.lmc"),), 4, "expected the keyword 'hmm'"),
    ],
)
def test_wrong_questions_are_refused_in_one_line(arguments: tuple[str, ...], code: int, message: str) -> None:
    done = run_bdist("pufferfish", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("bdist: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_a_process_prints_and_exits_as_the_others_do() -> None:
    held = run_process("pufferfish", GEOMETRIC, "--scenario", "independent")
    assert (held.returncode, held.stderr) == (0, "")
    assert "epsilon = ln 2 holds        certified" in held.stdout
    done = run_process("pufferfish", GEOMETRIC, "--scenario", "contagius")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("bdist: there is no scenario 'contagius'")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prior t -> (1-p)^2 s [no], p h [yes]", "the prior 't' sums to p^2-p+1, which is not 1 for every p"),
        (
            "prior t -> (1-p) s [no], p h [no], 0 h [yes]",
            "the secret 'yes' has probability 0 under the prior",
        ),
        (
            "prior t -> 2*p s [no], (1-2*p) h [yes]",
            "whose numerator is negative, or not shown to be at least 0",
        ),
        ("prior t -> p/(p-p) s [no], (1-p) h [yes]", "a division by zero"),
        ("prior t -> q s [no], (1-q) h [yes]", "'q' is not a parameter"),
    ],
)
def test_inconsistent_priors_are_refused_with_the_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.hmm"
    path.write_text(
        f"hmm\nparameter p in (0, 1)\ns [x] -> 1 h\nh [y]\nscenario a\n  {text}\n  pair no yes\n",
        encoding="utf-8",
    )
    done = run_bdist("pufferfish", str(path))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"bdist: {path}:6")
    assert message in done.stderr


def test_a_time_limit_leaves_what_is_proved() -> None:
    text = asked(
        DISEASE, "--scenario", "two-days", "--optimise", "--length", "1..60", "--time-limit", "1", code=3
    )
    assert "  limit     time limit of 1 s reached" in text
    assert "exact" not in text.splitlines()[0]
    assert text.splitlines()[1].startswith("  epsilon   at least ln(")
    assert "\n       2  " in text


def test_control_c_leaves_what_is_proved() -> None:
    command = ["pufferfish", DISEASE, "--scenario", "two-days", "--optimise", "--length", "1..60"]
    done = run_signalled(signal.SIGINT, 50, *command)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "stopping with what is proved so far" in done.stderr
    assert "  limit     interrupted" in done.stdout


def test_a_length_without_a_bound_is_not_passed_over() -> None:
    """A bound that holds at length 1 must not seem to hold at lengths for which there is none."""
    word = ProvedWord(0, ("a", "b", "b"), None, None, None)
    report = HiddenModelReport(
        "all",
        None,
        (("s", "t"),),
        (Fraction(2), None, None, Fraction(3)),
        None,
        None,
        (word,),
        (),
        1,
        0,
        0,
        0,
    )
    claims = [line for line in _hidden_model_lines(report) if "from length" in line]
    assert claims == [
        "accepted  from length 1 on: the loss is at most 2",
        "accepted  from length 2 on: the loss is not bounded",
        "accepted  from length 3 on: the loss is infinite",
        "accepted  from length 4 on: the loss is at most 3",
    ]


def test_a_length_without_an_upper_bound_has_no_infinite_epsilon() -> None:
    """Nothing proved from above is a question mark, and a bound is marked as one."""
    lengths = [
        LengthLoss(1, Fraction(1), Fraction(1), None),
        LengthLoss(2, Fraction(2), None, None, bounded=False),
        LengthLoss(3, Fraction(2), Fraction(3), None),
        LengthLoss(4, None, None, None),
    ]
    assert [line.split()[-1] for line in _rows(lengths)[1:]] == ["0", "?", "1.098613", "infinite"]
    assert "<= 1.098613" in _rows(lengths)[3]


ONE_SIDED = "hmm\nleft [1/2 a, 1/2 b]\nright [1/4 a, 3/4 b]\n"


@pytest.mark.parametrize(
    ("pair", "directed", "loss", "compared"),
    [
        (("left", "right"), False, "2", 2),
        (("right", "left"), False, "2", 2),
        (("left", "right"), True, "2", 1),
        (("right", "left"), True, "3/2", 1),
    ],
)
def test_a_pair_means_both_directions_and_a_directed_one_its_own(
    tmp_path: Path, pair: tuple[str, str], directed: bool, loss: str, compared: int
) -> None:
    """The same on the command line and in the library: a is twice as likely left, b 3/2 times right."""
    path = tmp_path / "m.hmm"
    path.write_text(ONE_SIDED, encoding="utf-8")
    options = ["--directed"] if directed else []
    done = run_bdist("pufferfish", str(path), "--pairs", ":".join(pair), *options, "--optimise", "--json")
    shown = json.loads(done.stdout)
    found = optimise(hmm.read(ONE_SIDED), pairs=[pair], directed=directed)
    assert shown["pairs_compared"] == len(found.question.pairs) == compared
    assert found.upper == Fraction(loss)
    assert [one["upper"] for one in shown["lengths"]] == [loss]
