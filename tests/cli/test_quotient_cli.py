"""``bdist quotient`` as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings

import bdist
from bdist.certificates.merged import certificate_of_quotient, step_apart
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.quotient import quotient
from tests.cli.runner import refusal_of, run_bdist
from tests.oracles.strategies import chains

TWO = "instances/dining-cryptographers/two.lmc"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_bdist("quotient", *arguments)


def pairs_of_twins(count: int) -> str:
    """Twins x0 = y0, x1 = y1, ... with a label a pair, and two hermits."""
    twins = [f"{name}{k} [l{k}] -> 1 {name}{k}" for k in range(count) for name in "xy"]
    return "\n".join(["lmc", *twins, "hermit [h] -> 1 hermit", '"old hermit" [H] -> 1 hermit', ""])


def test_sizes_classes_and_a_file(tmp_path: Path) -> None:
    out = tmp_path / "merged.lmc"
    done = run(TWO, "-o", str(out))
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "states: 19, and 7 after merging those that are bisimilar"
    assert "  p0.HH.0.differ = p0.TT.0.differ = p1.HT.0.differ = p1.TH.0.differ" in lines
    assert lines[-1] == f"{out}: 7 states, 4 labels"
    assert len(lines) == 6
    merged = bdist.load(out)
    assert bdist.distance(merged, "s0", "s1", alpha="1.0002").value == Fraction(7501, 25000000)
    again = run(str(out))
    assert again.stdout == "states: 7, no two of them bisimilar\n"


def test_json_has_the_classes_and_the_model(tmp_path: Path) -> None:
    out = tmp_path / "merged.lmc"
    document = json.loads(run(TWO, "--json", "-o", str(out)).stdout)
    assert document["states"] == 19
    assert document["classes"] == 7
    assert [len(members) for members in document["merged"]] == [4, 4, 4, 4]
    assert document["output"] == str(out)
    assert document["model"] == out.read_text()
    assert document["fingerprint"] == fingerprint(bdist.load(out))
    assert json.loads(run(TWO, "--json").stdout)["output"] is None


def test_twenty_classes_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    path = tmp_path / "twins.lmc"
    path.write_text(pairs_of_twins(20))
    assert run(str(path)).stdout.splitlines() == [
        "states: 42, and 22 after merging those that are bisimilar",
        *(f"  x{k} = y{k}" for k in range(20)),
    ]
    path.write_text(pairs_of_twins(25))
    lines = run(str(path)).stdout.splitlines()
    assert lines[0] == "states: 52, and 27 after merging those that are bisimilar"
    assert lines[20:] == ["  x19 = y19", "  and 5 more classes with more than one member"]
    assert len(json.loads(run(str(path), "--json").stdout)["merged"]) == 25


def test_a_long_class_is_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "one-label.lmc"
    path.write_text("\n".join(["lmc", *(f"s{i} [a] -> 1 s{(i + 1) % 10}" for i in range(10)), ""]))
    assert run(str(path)).stdout.splitlines() == [
        "states: 10, and 1 after merging those that are bisimilar",
        "  s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 2 more",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.lmc"], 4, "none.lmc: cannot be read"),
        ([TWO, "-o", "no/such/folder/x.lmc"], 2, "cannot write"),
        ([TWO, "-o", TWO], 2, "it is the model; name another file"),
        ([TWO, "-o", "x.lmc", "--certificate", "x.lmc"], 2, "both go to x.lmc; name two files"),
        ([], 2, "Missing argument"),
    ],
)
def test_wrong_input_is_one_line_and_a_code(arguments: list[str], code: int, message: str) -> None:
    assert message in refusal_of("quotient", *arguments, code=code)


def test_the_partition_is_proved_for_any_checker(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    done = run(TWO, "--certificate", str(proof))
    assert f"  proof     {proof}: the partition and 12 claims bd = 0, checked\n" in done.stdout
    checker = [sys.executable, "-I", "-S", "bdist/checker", TWO, str(proof)]
    alone = subprocess.run(checker, capture_output=True, text=True, check=True)
    assert alone.stdout.count("accepted: ") == 12
    assert run_bdist("check", TWO, str(proof)).returncode == 0
    text = proof.read_text(encoding="utf-8")
    proof.write_text(text.replace('"p1.TT.0.agree"]', '"p1.TT.0.agree", "s0"]', 1), encoding="utf-8")
    assert run_bdist("check", TWO, str(proof)).returncode == 1
    nothing = run("instances/not-monotone/chain.lmc", "--certificate", str(tmp_path / "none.json"))
    assert "nothing was merged, and no certificate is written" in nothing.stdout
    assert not (tmp_path / "none.json").exists()


@settings(max_examples=50, deadline=None)
@given(chains(max_states=7, max_degree=2, max_denominator=2))
def test_every_partition_is_accepted_and_what_is_apart_has_a_step(chain: LabelledMarkovChain) -> None:
    found = quotient(chain)
    proof = certificate_of_quotient(found)
    assert (proof is None) == (len(found.chain) == len(chain))
    if proof is not None:
        assert {claim.pair for claim in bdist.check(chain, proof).claims} == {x.pair for x in proof.claims}
    classes = {state: set(members) for members in found.classes for state in members}
    for s, t in combinations(chain.states, 2):
        if chain.label(s) == chain.label(t):
            step = step_apart(found, s, t)
            assert (step is None) == (found.of(s) == found.of(t))
            if step is not None:
                for state, p in zip((s, t), step[1:], strict=True):
                    assert p == sum(q for target, q in chain.row(state).items() if target in classes[step[0]])
                assert step[1] != step[2]


def test_why_states_are_apart(tmp_path: Path) -> None:
    path = tmp_path / "m.lmc"
    # s and t say the same with the same probabilities, and are no bisimilar: s decides later
    path.write_text(
        "lmc\ns [a] -> 1 m\nt [a] -> 1/2 x, 1/2 y\nm [b] -> 1/2 c, 1/2 d\nx [b] -> 1 c\ny [b] -> 1 d\n"
        "c [c] -> 1 c\nd [d] -> 1 d\nu [a] -> 1/3 x, 2/3 y\n"
    )
    text = run(str(path), "--apart", "s:t,t:u,s:m,c:c").stdout
    assert (
        "s and t are apart: they go to the class of m with the probabilities 1 and 0\n  event     none: "
        in text
    )
    assert "t and u are apart: they go to the class of x with the probabilities 1/2 = 0.5 and 1/3" in text
    assert "probability at least 0.5 from t, at most 0.333333333334 from u" in text
    assert "s and m are apart: their labels are a and b" in text
    assert "c and c are merged" in text
    told = json.loads(run(str(path), "--apart", "t:u", "--json").stdout)["apart"]
    assert told[0]["step"] == {"class": "x", "probabilities": ["1/2", "1/3"]}
    assert told[0]["event"]["prefixes"] == [["a", "b", "c"]]


def test_a_table_of_the_quotient_and_what_alpha_one_does() -> None:
    assert "19 pairs" not in run_bdist("table", TWO, "--alpha", "1.0002").stdout
    merged = run_bdist("table", TWO, "--alpha", "1.0002", "--quotient").stdout
    assert " of the quotient at alpha 5001/5000, certified" in merged
    assert "bd(s0, s1) = 7501/25000000" in " ".join(merged.split())
    chain = bdist.load(TWO)
    for quantity in ("bd", "ld"):
        one = bdist.distance(chain, "s0", "s1", alpha=1, quantity=quantity)
        as_drawn = bdist.distance(chain, "s0", "s1", alpha=1, quantity=quantity, method="strategy")
        assert one.quotient
        assert not as_drawn.quotient
        assert one.value == as_drawn.value
    assert "of the quotient" not in run_bdist("delta", TWO, "s0", "s1", "--alpha", "1").stdout
