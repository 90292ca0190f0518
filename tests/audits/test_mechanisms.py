"""From a Python function to verdict, attack and report; and what runs that are cut off do to a verdict."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bdist
from bdist import Answer, NotPrivate, ParameterError
from bdist.audits.findings import summary
from bdist.chains.mechanism import Rng, mechanism
from tests.oracles import mechanisms as oracle

BITS = list(product((0, 1), repeat=5))
INPUTS = ("left", "right")


def survey(rng: Any, given: tuple[int, ...]) -> None:  # randomised response
    for answer in given:
        rng.show(answer if rng.flip("3/4") else 1 - answer)


def k_ary(rng: Any, value: int) -> Any:  # one of five answers
    return value if rng.flip("1/3") else rng.uniform(5)


def noisy_max(rng: Any, counts: tuple[int, ...]) -> int:  # with noise that is truncated
    noisy = [count + rng.geometric("1/2", -4, 4) for count in counts]
    return noisy.index(max(noisy))


def password(rng: Any, secret: str) -> str:  # stops at the first wrong letter, and so tells by its time
    for guessed, right in zip(rng.choose(["aaa", "aba", "bbb"]), secret, strict=True):
        rng.show("tick")
        if guessed != right:
            return "denied"
    return "granted"


def shuffled(rng: Any, given: tuple[int, ...]) -> Any:  # randomised, and then shuffled
    return rng.permutation([answer if rng.flip() else rng.uniform(2) for answer in given])


def _close(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) <= 1


FIVE: list[tuple[Any, dict[str, Any], str, Fraction | None]] = [
    # with the true delta of the worst pair, where it is computed by hand
    (survey, {"inputs": BITS, "neighbours": "hamming"}, "ln 2", Fraction(1, 4)),
    (k_ary, {"inputs": range(5)}, "ln 2", Fraction(7, 15) - 2 * Fraction(2, 15)),
    (noisy_max, {"inputs": list(product((0, 1), repeat=2)), "neighbours": _close}, "ln 2", None),
    (password, {"inputs": ["aba", "bbb"]}, "0", Fraction(1, 3)),
    (shuffled, {"inputs": list(product((0, 1), repeat=3)), "neighbours": "hamming"}, "ln 2", None),
]


def _seen(made: Any, given_input: Any) -> dict[tuple[str, ...], Fraction]:
    """The distribution on what is seen, by walking the chain of a mechanism."""
    found: dict[tuple[str, ...], Fraction] = {}

    def walk(state: str, seen: tuple[str, ...], p: Fraction) -> None:
        row = made.chain.row(state)
        if state in row:
            found[seen] = found.get(seen, Fraction(0)) + p
            return
        for target, q in row.items():
            walk(target, (*seen, made.chain.label(target)), p * q)

    walk(made.state(given_input), (), Fraction(1))
    return found


@pytest.mark.parametrize(
    ("function", "about", "epsilon", "worst"), FIVE, ids=lambda value: getattr(value, "__name__", None)
)
def test_from_a_function_to_verdict_attack_and_report(
    tmp_path: Path,
    function: Any,
    about: dict[str, Any],
    epsilon: str,
    worst: Fraction | None,
) -> None:
    alpha = Fraction(1) if epsilon == "0" else Fraction(epsilon.removeprefix("ln "))
    made = mechanism(function, **about)
    seen: dict[str, Any] = {made.state(x): _seen(made, x) for x in made.inputs}
    brute = max(oracle.delta(seen[s], seen[t], alpha) for s, t in made.relation)
    assert worst is None or brute == worst
    report = tmp_path / "report.html"
    found = bdist.audit(function, epsilon=epsilon, report=report, **about)
    assert found.findings[0].delta.upper.value == found.findings[0].delta.lower.value == brute > 0
    assert "Verdict: " in report.read_text(encoding="utf-8")
    assert bdist.load(tmp_path / "report-model.lmc") == made.chain
    assert bdist.require_private(made, epsilon=epsilon, delta=brute).answer is Answer.HOLDS
    with pytest.raises(NotPrivate, match="attack    say ") as refused:
        bdist.require_private(function, epsilon=epsilon, delta=brute / 2, **about)
    assert str(refused.value) == str(refused.value.audit)


def test_a_report_leaves_a_model_of_its_name_alone(tmp_path: Path) -> None:
    mine = "# written by hand\nlmc\ns [a] -> 1 s\nt [a] -> 1 t\n"
    (tmp_path / "mine.lmc").write_text(mine, encoding="utf-8")
    found = bdist.audit(bdist.load(tmp_path / "mine.lmc"), [("s", "t")], epsilon=0, jobs=1)
    found.write_report(tmp_path / "mine.html")
    assert (tmp_path / "mine.lmc").read_text(encoding="utf-8") == mine
    assert bdist.load(tmp_path / "mine-model.lmc") == found.chain
    page = (tmp_path / "mine.html").read_text(encoding="utf-8")
    assert "mine-model.lmc" in page
    assert "audit.write_certificates(" in page
    assert "the best test never says" in page


def test_a_mechanism_is_shown_by_its_name_and_sizes() -> None:
    assert (
        repr(mechanism(_constant, inputs=BITS)) == f"Mechanism(_constant: {len(BITS)} inputs, neighbours all)"
    )
    near = mechanism(_constant, inputs=[0, 1, 2], neighbours=[(0, 1)])
    assert repr(near) == "Mechanism(_constant: 3 inputs, neighbours 1 pair)"


@settings(max_examples=100, deadline=None)
@given(
    oracle.trees(INPUTS),
    st.integers(1, 3),
    st.sampled_from([1, 2]),
    st.integers(0, 8),
    st.sampled_from([1, 2]),
)
def test_verdicts_on_runs_that_are_cut_off_are_sound(
    tree: Any, draws: int, runs: int, eighths: int, alpha: int
) -> None:
    for side in range(draws):  # so that some runs are longer than that
        tree = ("flip", Fraction(1, 2 + side), tree, ("return", side))
    tree = ("uniform", [tree, ("return", "a")])
    made = mechanism(oracle.function(tree), inputs=INPUTS, draws=draws)
    assert made.remainders
    delta = Fraction(min(eighths, 7), 8)
    found = bdist.audit(made, alpha=alpha, delta=delta, compose=runs)
    one, other = (_repeated(oracle.distribution(tree, x), runs) for x in INPUTS)
    true = oracle.delta(one, other, Fraction(alpha))
    bracket = found.findings[0].delta
    assert bracket.lower.value <= true <= bracket.upper.value
    if found.answer is Answer.HOLDS:
        assert true <= delta
    if found.answer is Answer.VIOLATED:
        assert true > delta
    assert found.note is not None
    assert found.note in summary(found)


def _repeated(seen: oracle.Distribution, runs: int) -> oracle.Distribution:
    found: oracle.Distribution = {(): Fraction(1)}
    for _ in range(runs):
        found = {(*x, y): p * q for x, p in found.items() for y, q in seen.items()}
    return found


def test_what_is_cut_off_widens_the_bracket_by_as_much_as_it_must() -> None:
    def count(rng: Rng, start: int) -> int:
        while rng.flip():
            start += 1
        return start

    lost = Fraction(1, 2**20)
    found = bdist.audit(count, inputs=[0, 1], draws=20, epsilon="ln 2", delta="1/4")
    bracket = found.findings[0].delta
    # from 0 the count is 0 with probability 1/2, and from 1 never; above it, half as likely from 0
    assert found.answer is Answer.VIOLATED
    assert bracket.upper.value == Fraction(1, 2) + lost
    assert bracket.lower.value == Fraction(1, 2) + lost - 3 * lost
    close = bdist.audit(count, inputs=[0, 1], draws=20, epsilon="ln 2", delta="1/2")
    assert close.answer is Answer.UNKNOWN
    assert "allow for more draws" in (close.findings[0].reason or "")


def _constant(_rng: Rng, _given: Any) -> int:
    return 0


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((_constant,), {}, "a mechanism needs inputs"),
        ((_constant, [("a", "b")]), {"inputs": BITS}, "a relation is of a chain"),
        ((_constant,), {"inputs": np.array([]), "neighbours": []}, "a mechanism needs inputs"),
        ((_constant,), {"inputs": [0, 1], "report": "page.lmc"}, "is a page, and not a model"),
        ((7,), {}, "an audit is of a chain or a function, not of a int"),
        ((mechanism(_constant, inputs=BITS),), {"draws": 7}, "the mechanism has draws already"),
        ((mechanism(_constant, inputs=BITS[:2]).chain,), {}, "which states are neighbours"),
        ((mechanism(_constant, inputs=BITS[:2]).chain, []), {"inputs": [1]}, "inputs is of a mechanism"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: Any, named: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bdist.require_private(*arguments, epsilon="ln 2", **named)
