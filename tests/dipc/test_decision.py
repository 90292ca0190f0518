"""Decisions: committed programs and their expected values, privacy with a delta, and edges."""

from __future__ import annotations

import json
import math
import tomllib
from fractions import Fraction
from random import Random

import pytest
from flint import arb

from bdist import checker, dipc
from bdist.checker.core.text import BadModel
from bdist.dipc.adjacency import Neighbours
from bdist.dipc.decision import Decision, decide, probabilities, tight
from bdist.dipc.expansion import expanded
from bdist.dipc.program import Interval, Program
from bdist.dipc.text import read
from bdist.errors import CertificateRejected, ProgramError, UnsupportedError
from bdist.exact.rationals import to_fmpq
from bdist.results import Answer, Bound, Evidence
from tests.cli.runner import ROOT
from tests.oracles.program_runs import distribution, worst_set

# --- committed programs ---


FOLDER = ROOT / "instances" / "dipc"
EXPECTED = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))["program"]


@pytest.mark.parametrize("expected", EXPECTED, ids=[entry["model"] for entry in EXPECTED])
def test_verdict(expected: dict[str, object]) -> None:
    program = dipc.load(FOLDER / str(expected["model"]))
    found = dipc.decide(program)
    assert found.answer is Answer(expected["answer"])
    assert (found.violation is None) == (found.answer is Answer.HOLDS)


@pytest.mark.parametrize(
    "expected", [entry for entry in EXPECTED if "pair" in entry], ids=lambda entry: str(entry["model"])
)
def test_known_counterexample(expected: dict[str, list[list[str]]]) -> None:
    """P > e^(t eps) P', in balls, for the inputs, the output and the epsilon that the file names."""
    program = dipc.load(FOLDER / str(expected["model"]))
    epsilon = Fraction(str(expected["epsilon"]))
    output = tuple(Fraction(str(value)) for value in expected["output"])
    balls = []
    for point in expected["pair"]:
        forms = dipc.probabilities(program, point)
        balls.append(forms[output].ball(epsilon) if output in forms else None)
    first, second = balls
    assert first is not None
    grown = arb(to_fmpq(program.claim.factor * epsilon)).exp()
    assert first > (grown * second if second is not None else 0)


@pytest.mark.parametrize(
    "expected", [entry for entry in EXPECTED if "tight" in entry], ids=lambda entry: str(entry["model"])
)
def test_smallest_factor(expected: dict[str, str]) -> None:
    found = dipc.tight(dipc.load(FOLDER / expected["model"]), precision="1/1000")
    tight = Fraction(expected["tight"])
    assert found.upper == Bound(tight, Evidence.CERTIFIED)
    assert found.lower == Bound(tight - Fraction(1, 1000), Evidence.CERTIFIED)


# --- with a delta ---


POINTS = [Fraction(n, 2) for n in (3, 4, 6, 8, 12)]


def random_mechanism(random: Random) -> Program:
    """Noise without reals on one input of three values, shown in at most five ways."""
    rate = random.choice(["eps", "3/2*eps", "2*eps"])
    score = random.choice(["-abs(v - x)", "v*x", "-v"])
    weights = ", ".join(
        f"{v}: {random.choice(['1', '2', 'exp(eps)', 'exp(eps*x)', 'eps + x'])}" for v in range(1, 4)
    )
    body = random.choice(
        [
            f"z ~ DLap({rate}, x); o := z;",
            f"z ~ DLap({rate}, 2*x); w ~ DLap(eps, 0);"
            f"if z > w {{ o := 0; }} else {{ o ~ choose {{{weights}}}; }}",
            f"o ~ Exp({rate}, v in {{0, 1, 2, 3}}: {score});",
            f"o ~ choose {{{weights}}}; if x == 1 {{ o ~ Exp({rate}, v in {{0, o}}: v); }}",
        ]
    )
    shown = "disc(o, -1 < 0 < 1 < 2 < 3)"
    return read(f"domain {{0 .. 2}}; input x; output {shown}; adjacent linf 1; {body}")


def worst(program: Program, factor: Fraction, epsilon: Fraction) -> float:
    """The least delta at one epsilon: over all pairs, and all sets of outputs."""
    flat = expanded(program)
    neighbours = Neighbours(flat)
    classes = {point: number for number, point in enumerate(neighbours.inputs)}
    pairs = neighbours.compared(classes).values()
    at = {point: distribution(flat, point, float(epsilon)) for pair in pairs for point in pair}
    growth = math.exp(factor * epsilon)
    return max(worst_set(at[here], at[there], growth)[0] for here, there in pairs)


def confirm(program: Program, found: Decision, factor: Fraction, delta: float) -> None:
    """A violation is one, by the oracle's numbers."""
    assert found.violation is not None
    violation = found.violation
    flat = expanded(program)
    sums = []
    for point in (violation.point, violation.neighbour):
        at = distribution(flat, point, float(violation.epsilon))
        sums.append(sum(at.get(tuple(map(float, shown)), 0.0) for shown in violation.outputs))
    assert sums[0] == pytest.approx(float(violation.probability.ball(violation.epsilon)), abs=1e-9)
    assert sums[1] == pytest.approx(float(violation.other.ball(violation.epsilon)), abs=1e-9)
    assert sums[0] > math.exp(factor * violation.epsilon) * sums[1] + delta - 1e-9


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 7, 9])
def test_single_epsilon(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    program = random_mechanism(random)
    epsilon = random.choice([Fraction(3, 2), Fraction(2), Fraction(3)])
    factor = random.choice([Fraction(0), Fraction(1, 2), Fraction(1)])
    least = worst(program, factor, epsilon)
    for share in (Fraction(1, 2), Fraction(99, 100), Fraction(101, 100)):
        delta = Fraction(least).limit_denominator(10**6) * share
        if abs(float(delta) - least) < 1e-8:
            continue
        found = decide(program, factor=factor, delta=delta, epsilon=epsilon)
        assert (found.answer is Answer.HOLDS) == (least < delta)
        assert found.answer is not Answer.UNKNOWN
        if found.answer is Answer.VIOLATED:
            confirm(program, found, factor, float(delta))


@pytest.mark.parametrize("seed", [100, 101, 103, 104, 105, 106])
def test_intervals(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    program = random_mechanism(random)
    factor = random.choice([Fraction(0), Fraction(1, 2), Fraction(1)])
    delta = Fraction(random.randint(1, 12), 20)
    interval = random.choice([Interval(), Interval(Fraction(1, 2), Fraction(3), True, True)])
    points = [at for at in POINTS if interval.high is None or interval.low <= at <= interval.high]
    least = max(worst(program, factor, at) for at in points)
    found = decide(program, factor=factor, delta=delta, interval=interval)
    if found.answer is Answer.HOLDS:
        assert least < float(delta) + 1e-9
    else:
        assert found.answer is Answer.VIOLATED
        confirm(program, found, factor, float(delta))
    if least > float(delta) + 1e-9:
        assert found.answer is Answer.VIOLATED


def test_a_delta_that_is_exactly_enough() -> None:
    """For the threshold 1/2 and t = 0, delta = 1 - e^(-eps/2): equality for every epsilon."""
    text = """domain {0, 1}; input x; output o; adjacent linf 1; claim 0*eps, delta %s;
    r ~ Lap(eps, x); o := r > 1/2;"""
    assert decide(read(text % "1 - exp(-1/2*eps)")).answer is Answer.HOLDS
    assert decide(read(text % "1 - exp(-1/2*eps) + exp(-9*eps)/1000")).answer is Answer.HOLDS
    found = decide(read(text % "(1 - exp(-1/2*eps))*(1 - exp(-9*eps)/1000)"))
    assert found.answer is Answer.VIOLATED
    assert decide(read(text % "1 - exp(-1/2*eps)"), factor=Fraction(1, 100)).answer is Answer.HOLDS


def test_the_set_is_what_counts_and_not_the_output() -> None:
    """Each of n outputs exceeds by 1/n of what all together do."""
    text = """domain {0, 1}; input x; output o; adjacent linf 1; claim 0*eps;
    b ~ choose {x: exp(eps), 1 - x: 1};
    c ~ choose {1: 1, 2: 1, 3: 1, 4: 1};
    o := (2*b - 1)*c;"""
    program, at = read(text), Fraction(1)
    single = probabilities(program, (Fraction(1),))[(1,)].ball(at)
    other = probabilities(program, (Fraction(0),))[(1,)].ball(at)
    excess = Fraction(float(single - other)).limit_denominator(10**9)
    for times, answer in ((1, Answer.VIOLATED), (3, Answer.VIOLATED), (5, Answer.HOLDS)):
        found = decide(program, delta=times * excess, epsilon=at)
        assert found.answer is answer
        if answer is Answer.VIOLATED:
            assert found.violation is not None
            assert len(found.violation.outputs) == 4


@pytest.mark.parametrize(
    ("delta", "interval", "message"),
    [
        ("-1/100", "(0, inf)", "delta is below 0 at eps = "),
        ("2", "(0, inf)", "delta is above 1 at eps = "),
        ("eps", "(0, 2]", "delta is above 1 at eps = "),
        ("eps - 1", "(0, 2]", "delta is below 0 at eps = "),
        ("exp(eps)/2", "(0, 1]", "delta is above 1 at eps = "),
        ("exp(-eps) - 1/2", "(0, 1]", "delta is below 0 at eps = "),
    ],
)
def test_a_delta_that_is_no_probability_is_refused(delta: str, interval: str, message: str) -> None:
    """Beyond 1 every program would be private, and below 0 none: refused in a program and in the library."""
    text = """domain {0, 1}; input x; output o; adjacent linf 1;%s
    r ~ Lap(eps, x); o := r > 1/2;"""
    program = read(text % "")
    with pytest.raises(ProgramError, match=f"^delta:1:[0-9]+: {message}"):
        decide(program, delta=delta, interval=interval)
    with pytest.raises(ProgramError, match=message):
        tight(program, delta=delta, interval=interval)
    own = read(text % f" claim eps, delta {delta}; epsilon in {interval};", "own.dip")
    with pytest.raises(ProgramError, match=f"^own.dip:1:[0-9]+: {message}"):
        decide(own)


@pytest.mark.parametrize(
    ("delta", "interval"),
    [("1", "(0, inf)"), ("eps", "(0, 1]"), ("1 - exp(-eps)", "(0, inf)"), ("exp(-eps)", "(0, inf)")],
)
def test_a_delta_that_reaches_an_end_of_its_range_is_answered(delta: str, interval: str) -> None:
    text = "domain {0, 1}; input x; output o; adjacent linf 1; r ~ Lap(eps, x); o := r > 1/2;"
    assert decide(read(text), delta=delta, interval=interval).answer is Answer.HOLDS


# --- zeros at the ends of an interval, and values that grow ---


FADING = """domain {0, 1}; input x; output o; adjacent linf 1;
claim 0*eps, delta 1; epsilon in (0, 3];
o ~ choose {x: 3 - eps, 1 - x: 1};
"""
GROWING = """domain {0, 1}; input x; output o; adjacent linf 1;
a := x; b := 0;
while b == 0 { a := a/2 + 1; b ~ choose {0: 1, 1: 1}; }
if a > 1 { o := 1; } else { o := 0; }
"""


def test_a_weight_may_be_zero_at_the_upper_end() -> None:
    """A polynomial that is positive below an end is shown to be so from there downwards."""
    found = dipc.decide(dipc.read(FADING))
    assert found.answer is Answer.HOLDS
    assert found.stats["covers"] == 0


def test_a_zero_at_an_end_that_belongs_is_not_positive() -> None:
    """P = (3 - eps) / (4 - eps) is 0 at 3: there, a denominator 3 - eps would be one of 0."""
    assert found_at("(0, 3]") is Answer.VIOLATED
    assert found_at("(0, 2]") is Answer.VIOLATED
    certificate = dipc.decide(dipc.read(FADING)).certificate
    assert certificate is not None
    beyond = FADING.replace("(0, 3]", "(0, 4)")
    with pytest.raises(CertificateRejected):
        dipc.check(dipc.read(beyond.replace("3 - eps", "2 - eps")), certificate)
    checker.check_program(beyond, certificate.to_json())  # its own interval counts, not the program's


def found_at(interval: str) -> Answer:
    return dipc.decide(dipc.read(FADING), factor=0, delta="1/4", interval=interval).answer


def test_a_value_that_grows_in_a_loop_is_refused_soon() -> None:
    with pytest.raises(
        UnsupportedError, match=r"^a value of a takes more than 1000 bits; does it grow in a loop"
    ):
        dipc.decide(dipc.read(GROWING))


COINS = """domain {0, 1}; input x; output out; adjacent linf 1;
b ~ choose {true: 1, false: 1};
y ~ choose {1: 1, 0: 1};
if y > 0 and y <= 1 { out := x; } else { out := 0; }
"""


def test_the_checker_tells_true_from_one() -> None:
    """Equal in Python, different as values: a choice of Booleans is not the choice of numbers before it."""
    found = dipc.decide(dipc.read(COINS))
    assert found.answer is Answer.VIOLATED
    assert found.certificate is not None
    always = {"probabilities": [[[["0", ["1"]]], [["0", ["1"]]]]]}
    rows = [[["0"], [[["0"], 0]], []], [["1"], [[["0"], 0]], []]]
    forged = {**found.certificate.document, **always, "factor": "0", "answer": "holds", "table": rows}
    with pytest.raises(checker.Rejected, match="table"):
        checker.check_program(COINS, json.dumps({**forged, "counterexample": None}))


@pytest.mark.parametrize("exponent", ["1" + "0" * 400, "1/1" + "0" * 400])
def test_exponents_of_any_length_end_in_an_answer_of_the_checker(exponent: str) -> None:
    certificate = dipc.decide(dipc.read(FADING)).certificate
    assert certificate is not None
    terms = sorted([["0", ["1"]], [exponent, ["1"]], ["1", ["1"]]], key=lambda term: Fraction(str(term[0])))
    document = {**certificate.document, "inequalities": [[terms, ["cover", ["1"]]]]}
    with pytest.raises((checker.Rejected, checker.TooLarge)):
        checker.check_program(FADING, json.dumps(document))


def test_brackets_with_all_operators_in_them_are_read_or_refused() -> None:
    deep = "true or true and 1 < 1 + 1 * (" * 99 + "-" * 99 + "1" + ")" * 99
    with pytest.raises((BadModel, checker.Malformed)):
        checker.check_program(f"domain {{0, 1}}; input x; output y; adjacent linf 1;\ny := {deep};\n", "{}")


FLIP = "go ~ choose {true: 1, false: 1};"


@pytest.mark.parametrize(
    "body",
    [
        f"r ~ Lap(eps, q); n := 0; while go {{ if r < n {{ o := 1; }} n := 1 - n; {FLIP} }}",
        f"r ~ Lap(eps, q); s ~ Lap(2*eps, 0); while go {{ {FLIP} if go and r + s < 1 {{ o := 1; }} }}",
        "r ~ DLap(eps, q); n := 0; while r != n and n < 3 { n := n + 1; } o := n;",
        f"c ~ choose {{1: 1, 2: 1}}; r ~ Lap(c*eps, q); while go {{ if r < 1/2 {{ o := 1; }} {FLIP} }}",
        f"while go {{ b := true; while b {{ o := 1 - o; b ~ choose {{true: 1, false: eps}}; }} {FLIP} }}",
        f"r ~ Lap(eps, q); go ~ choose {{r < 0: 1, r < 1: 1, true: 2}}; while go {{ o := 1; {FLIP} }}",
        "v := 0; while v < 2 { v ~ Exp(eps, w in {0, 1, 2}: -abs(w - q)); } o := v;",
        f"r ~ Lap(eps, q); b := r < 0; s ~ Lap(eps, 0); while go {{ if b {{ o := 1; }} {FLIP} }}",
        f"r ~ DLap(eps, q); if r <= 5 {{ o := 1; }} if r <= 3 {{ o := 2; }} if r <= 4 {{ o := o; }}"
        f"while go {{ {FLIP} if r == 2 {{ o := 3; }} }}",
        f"r ~ Lap(eps, q); s ~ Lap(eps, 0); t ~ Lap(eps, 1); if r < s {{ if s < t {{ o := 1; }} }}"
        f"while go {{ if r < t {{ o := 2; }} {FLIP} }}",
        f"r ~ Lap(eps, q); x := r/3 - 1/2; while go {{ if 2*x < 1 {{ o := 1; }} {FLIP} }}",
    ],
)
def test_states_of_loops_have_the_same_names_for_the_checker(body: str) -> None:
    """Values, forms of samples and comparisons of them, in states in which a loop begins again."""
    head = "domain {0, 1}; input q; output o; adjacent linf 1; claim 3*eps; go := true; o := 0; "
    assert dipc.decide(dipc.read(head + body)).certificate is not None
