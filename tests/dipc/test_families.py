"""Families of programs: the paper's text, what their parameters change, and rules that all of them follow."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bdist.dipc import text as dip
from bdist.dipc.expansion import expanded, fingerprint
from bdist.dipc.families import PROGRAMS, make_program
from bdist.dipc.program import Kind, Program
from bdist.dipc.rules import kinds_of
from bdist.family import Value

SVT = """program svt;
domain {-1, 0, 1};
input q[2];
output o[2];
adjacent linf 1;
claim eps;
epsilon in (0, inf);

for i in 1..2 {
  o[i] := 0;
}
rT ~ Lap(1/2*eps, 0);
for i in 1..2 {
  r[i] ~ Lap(1/4*eps, q[i]);
  if r[i] >= rT {
    o[i] := 1;
    exit;
  }
}
"""
SMALL: dict[str, dict[str, Value]] = {
    "svt": {"queries": 1, "count": 3, "largest": 2},
    "svt2": {"queries": 4, "count": 1},
    "svt-discrete": {"count": 2},
    "nmax1": {"queries": 1},
    "nmax4": {"queries": 1, "largest": 2},
    "rand2": {"bits": 1, "truth": "2/3"},
    "noisy-histogram": {"bins": 1, "scale": "1/3"},
    "smart-sum": {"numbers": 7, "block": 3},
    "geometric-count": {"largest": 1},
    "leaky-response": {"leak": "1/7", "factor": "1/2"},
}


def svt(**values: Value) -> Program:
    return make_program("svt", values)


def test_order_and_names() -> None:
    assert list(PROGRAMS)[:6] == ["svt", "svt2", "svt3", "svt4", "svt5", "svt6"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_family_makes_programs_that_follow_the_rules(name: str) -> None:
    for values in ({}, SMALL.get(name, {})):
        program = make_program(name, values)
        assert dip.read(dip.write(program)) == program
        assert program.name == name.replace("-", "_")
        kinds = kinds_of(expanded(program))
        assert {kinds[name] for name in expanded(program).input_names} == {Kind.FINITE}


def test_the_paper_s_program() -> None:
    assert dip.write(svt(queries=2)) == SVT
    assert svt(queries=2, factor=Fraction(1, 2)).claim.factor == Fraction(1, 2)
    assert fingerprint(svt(queries=2, factor=Fraction(1, 2))) == fingerprint(
        svt(queries=2)
    )  # another question about it


def test_scales_share_the_budget() -> None:
    assert "Lap(1/12*eps, q[i])" in dip.write(svt(count=3))
    assert "if count >= 3 {" in dip.write(svt(count=3))
    two = dip.write(make_program("svt2", {"count": 2}))
    assert two.count("rT ~ Lap(1/4*eps, 0);") == 2
    assert "Lap(1/8*eps, q[i])" in two
    assert "Lap(3/4*eps, q[i])" in dip.write(make_program("svt4", {"count": 2}))


def test_partial_sums() -> None:
    text = dip.write(make_program("smart-sum", {"numbers": 6, "block": 3}))
    assert (
        text.split("\n\n")[1]
        == """z ~ Lap(eps, q[1]);
s1 := z;
z ~ Lap(eps, q[2]);
s2 := s1 + z;
z ~ Lap(eps, q[1] + q[2] + q[3]);
s3 := z;
z ~ Lap(eps, q[4]);
s4 := s3 + z;
z ~ Lap(eps, q[5]);
s5 := s4 + z;
z ~ Lap(eps, q[4] + q[5] + q[6]);
s6 := s3 + z;
"""
    )
