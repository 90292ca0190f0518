"""``bdist dipc`` as a user types it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from bdist.dipc import text as dip
from tests.cli.runner import answer_of, refusal_of, run_bdist, run_process, run_signalled

SVT = """program sparse;
domain {-1, 0, 1};
input q[2];
output o[2];
adjacent linf 1;
o[1] := 0;
o[2] := 0;
rT ~ Lap(1/2*eps, 0);
for i in 1..2 {
  r ~ Lap(1/4*eps, q[i]);
  if r >= rT { o[i] := 1; exit; }
}
"""
NOISY_MAXIMUM = """domain {-1, 0, 1};
input q[2];
output disc(m, -1 < 0 < 1);
adjacent linf 1;
m ~ Lap(eps/2, q[1]);
r ~ Lap(eps/2, q[2]);
if r > m { m := r; }
"""
COIN = """program coin;
domain {0, 1};
input a;
output o;
adjacent linf 1;
b ~ choose {true: exp(eps), false: 1};
if b { o := a; } else { o := 1 - a; }
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("svt", SVT), ("maximum", NOISY_MAXIMUM), ("coin", COIN)):
        (tmp_path / f"{name}.dip").write_text(text, encoding="utf-8")
    return tmp_path


def asked(*arguments: str | Path, code: int = 0) -> str:
    return answer_of("dipc", *map(str, arguments), code=code)


def refused(*arguments: str | Path, code: int) -> str:
    return refusal_of("dipc", *map(str, arguments), code=code)


def test_a_private_program_with_its_certificate(files: Path) -> None:
    proof = files / "proof.json"
    lines = asked(files / "svt.dip", "--certificate", proof).splitlines()
    assert lines[0] == "sparse is eps-differentially private for every eps > 0        certified"
    assert lines[1] == "  program   9 inputs, 40 ordered pairs of neighbours, 3 outputs, 9 states"
    checked = run_bdist("check", str(files / "svt.dip"), str(proof))
    assert checked.returncode == 0, checked.stderr
    assert "accepted" in checked.stdout
    document = json.loads(proof.read_text(encoding="utf-8"))
    document["factor"] = "49/100"
    proof.write_text(json.dumps(document), encoding="utf-8")
    assert run_bdist("check", str(files / "svt.dip"), str(proof)).returncode == 1


def test_a_program_that_is_not_private_has_inputs_output_epsilon_and_both_probabilities(files: Path) -> None:
    lines = asked(files / "maximum.dip", "--claim", "3/4*eps", code=1).splitlines()
    assert lines[:8] == [
        "maximum is not 3/4 eps-differentially private for every eps > 0        certified",
        "  inputs    (q[1], q[2]) = (-1, -1) and (0, 0)",
        "  output    -1",
        "  at        eps = 1",
        "  P         1 / 4",
        "            in [0.25, 0.25]",
        "  P'        1 / (4 e^eps)",
        "            in [0.09196986, 0.09196987]",
    ]
    assert lines[8] == (
        "  note      outputs are discretised; the program that shows the values themselves is not, either"
    )
    held = asked(files / "maximum.dip")
    assert "this says nothing about the program that shows the values themselves" in held


def test_a_violation_as_json(files: Path) -> None:
    document = json.loads(asked(files / "maximum.dip", "--claim", "1/2*eps", "--json", code=1))
    assert document["answer"] == "violated"
    assert document["claim"]["factor"] == "1/2"
    assert document["violation"]["input"] == ["-1", "-1"]
    assert document["violation"]["other"]["numerator"] == [["-1", ["1/4"]]]
    assert document["violation"]["other"]["latex"] == r"\frac{1}{4\,e^{\varepsilon}}"


def test_the_smallest_factor_from_both_sides(files: Path) -> None:
    lines = asked(files / "svt.dip", "--tight").splitlines()
    assert lines[0] == "sparse: the smallest factor of eps        certified"
    assert lines[1] == "  factor    in (4999/10000 = 0.4999, 1/2 = 0.5]"
    assert lines[2] == "  holds     with 1/2 eps"
    document = json.loads(asked(files / "svt.dip", "--tight", "--precision", "1/100", "--json"))
    assert (document["violated"], document["holds"]) == ("49/100", "1/2")
    assert document["lower"]["answer"] == "violated"


def test_where_no_factor_will_do(files: Path) -> None:
    text = COIN.replace("exp(eps)", "2")
    (files / "fixed.dip").write_text(text, encoding="utf-8")
    lines = asked(files / "fixed.dip", "--tight").splitlines()
    assert lines[0] == "coin: no factor of eps will do: adjacent inputs are told apart even as eps goes to 0"
    assert asked(files / "fixed.dip", "--interval", "[1, inf)").startswith(
        "coin is eps-differentially private"
    )


def test_one_epsilon_and_an_interval(files: Path) -> None:
    first = asked(files / "coin.dip", "--claim", "1/2*eps, delta 3/10", "--epsilon", "1").splitlines()[0]
    assert first == "coin is (1/2 eps, 3/10)-differentially private for eps = 1        certified"
    text = asked(files / "coin.dip", "--claim", "0*eps, delta 3/10", "--epsilon", "1", code=1)
    first = text.splitlines()[0]
    assert first == "coin is not (0 eps, 3/10)-differentially private for eps = 1        certified"
    first = asked(files / "svt.dip", "--claim", "1/4*eps, delta 1/5", "--interval", "(0, 2]").splitlines()[0]
    assert first == "sparse is (1/4 eps, 1/5)-differentially private for every eps in (0, 2]        certified"


def test_closed_forms(files: Path) -> None:
    lines = asked(files / "svt.dip", "--probability", "in=1,1").splitlines()
    assert lines == [
        "sparse: the probabilities of the outputs on the input (1, 1), exact",
        "  (0, 0)    (14 + 3 eps) / (48 e^(eps/2))",
        "  (0, 1)    (-22 - 3 eps + 32 e^(eps/4)) / (48 e^(eps/2))",
        "  (1, 0)    (1 - 4 e^(eps/4) + 6 e^(eps/2)) / (6 e^(eps/2))",
    ]
    one = asked(files / "svt.dip", "--probability", "in=1,1", "out=0,1", "--latex").splitlines()
    assert one[1:] == [
        r"  (0, 1)    \frac{-22 - 3\,\varepsilon + 32\,e^{\varepsilon/4}}{48\,e^{\varepsilon/2}}"
    ]
    at = asked(files / "coin.dip", "--probability", "in=0", "out=1", "--epsilon", "2").splitlines()
    assert at[1] == "  1         1 / (1 + e^eps)    in [0.1192029, 0.119203] at eps = 2"
    none = asked(files / "svt.dip", "--probability", "in=1,1", "out=1,1").splitlines()
    assert none[1:] == ["  1,1       0"]
    document = json.loads(asked(files / "svt.dip", "--probability", "in=1,1", "out=0,0", "--json"))
    assert document["outputs"][0]["probability"]["numerator"] == [["-1/2", ["7/24", "1/16"]]]


def test_the_program_is_printed_back(files: Path) -> None:
    text = asked(files / "svt.dip", "--print")
    assert dip.read(text) == dip.read(SVT)
    assert text == dip.write(dip.read(SVT))


def test_a_plot(files: Path) -> None:
    asked(files / "coin.dip", "--plot", files / "loss.svg")
    assert "largest ln(P / P" in (files / "loss.svg").read_text(encoding="utf-8")
    asked(files / "coin.dip", "--claim", "1/2*eps, delta 1", "--plot", files / "delta.svg")
    assert "δ that is claimed" in (files / "delta.svg").read_text(encoding="utf-8")


def test_what_is_refused(files: Path) -> None:
    svt = files / "svt.dip"
    assert "expected" in refused(svt, "--claim", "1/4*eps, delta = 1", code=4)
    assert "epsilon = 0 must be positive" in refused(svt, "--epsilon", "0", code=2)
    assert "not about both" in refused(svt, "--epsilon", "1", "--interval", "(0, 1)", code=2)
    assert "is not an input" in refused(svt, "--probability", "in=5,5", code=2)
    assert "in=VALUES" in refused(svt, "--probability", "1,1", code=2)
    assert "goes with --probability" in refused(svt, "out=1,1", code=2)
    assert "must end in .png or .svg" in refused(svt, "--plot", "loss.pdf", code=2)
    assert "ask: bdist dipc" in run_bdist("delta", str(svt), "a", "b", "--alpha", "2").stderr
    bad = files / "bad.dip"
    bad.write_text(SVT.replace("r >= rT", "r >= x"), encoding="utf-8")
    assert f"{bad}:11:11: " in refused(bad, code=4)
    bad.write_text(COIN.replace("exp(eps)", "1 - eps"), encoding="utf-8")
    assert "is negative at eps" in refused(bad, code=4)
    bad.write_text(COIN.replace("a; }", "1/a; }"), encoding="utf-8")
    assert "division by zero, on the input 0" in refused(bad, code=4)
    bad.write_text(COIN.replace("if b", "while a == 1 { a := 1; }\nif b"), encoding="utf-8")
    assert "may run for ever" in refused(bad, code=4)
    bad.write_text(COIN.replace("if b", "while a >= 0 { a := a + 1; }\nif b"), encoding="utf-8")
    assert "more than 100000 states on one input" in refused(bad, code=4)


def test_a_time_limit_and_an_interrupt_leave_the_answer_unknown(tmp_path: Path) -> None:
    large = tmp_path / "large.dip"
    large.write_text(SVT.replace("2", "6").replace("1/6", "1/2").replace("o[1] := 0;\no[6] := 0;", _zeros(6)))
    text = asked(large, "--time-limit", "0.001", code=3)
    assert "it is not decided whether it is eps-differentially private" in text
    assert "  reason    time limit of 0.001 s reached" in text
    done = run_signalled(signal.SIGINT, 50, "dipc", str(large))
    assert done.returncode == 3, done.stderr
    assert "  reason    interrupted" in done.stdout


def _zeros(count: int) -> str:
    return f"for i in 1..{count} {{ o[i] := 0; }}"


def test_it_starts_fast_and_alone(files: Path) -> None:
    done = run_process("dipc", str(files / "coin.dip"))
    assert done.returncode == 0
    assert done.stdout.startswith("coin is eps-differentially private")


def test_errors_in_a_claim_point_at_the_claim(files: Path) -> None:
    coin = files / "coin.dip"
    for claim, message in (
        ("eps, delta -1/100", "--claim:1:14: delta is below 0 at eps = "),
        ("eps, delta 2", "--claim:1:12: delta is above 1 at eps = "),
        ("eps, delta x", "--claim:1:12: 'x' is no variable of delta"),
        ("eps, delta 1/0", "--claim:1:13: division by zero"),
        ("-1*eps", "--claim:1:3: the claim is t * eps"),
    ):
        assert refused(coin, "--claim", claim, code=4).startswith(f"bdist: {message}")


def test_what_was_checked_of_a_violation_is_the_counterexample() -> None:
    """All inequalities that were proved before it was found are not in its certificate."""
    text = asked("instances/dipc/nmax3-three.dip", code=1)
    assert "  proof     the counterexample, checked in " in text
    document = json.loads(asked("instances/dipc/nmax3-three.dip", "--json", code=1))
    assert document["stats"]["inequalities"] == 0
