"""How the library behaves at a prompt and in a notebook, whatever is in a result.

Names that are as bad as a chain allows, and fractions of hundreds of digits, go through every question. What
a class does not say itself is told by its fields, which are given anything here.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import bdist
from bdist import dipa, dipc, dpctl, pufferfish
from bdist.report import OneLine
from tests.cli.runner import answer_of, run_bdist

LONGEST = 200
ROOT = Path(__file__).parents[2]
INSTANCES = ROOT / "instances"
OPTION = re.compile(r"(?:^|[ (])--[a-z]")
S, T = "<script>alert(1)</script>" + "s" * 300, '"\u202e\u4e2d' + "t" * 300
HUGE = Fraction(10**400 + 1, 3 * 10**400)
NASTY = bdist.LabelledMarkovChain.from_rows(
    {
        S: ("start<b>", {"end": HUGE, T: 1 - HUGE}),
        T: ("start<b>", {"end": HUGE / 2, T: 1 - HUGE / 2}),
        "end": ("end", {"end": 1}),
    },
    name="n" * 500,
)
PAIR = (S, T)
SHOWN: dict[str, Callable[[], Any]] = {
    "chain": lambda: NASTY,
    "distance": lambda: bdist.distance(NASTY, *PAIR, alpha=HUGE + 1),
    "certificate": lambda: bdist.distance(NASTY, *PAIR, alpha=HUGE + 1).certificate,
    "true delta": lambda: bdist.true_delta(NASTY, *PAIR, alpha="1.1", max_beliefs=20),
    "attack": lambda: bdist.attack(NASTY, *PAIR, alpha=1),
    "a test": lambda: bdist.attack(NASTY, *PAIR, alpha=1).attack,
    "profile": lambda: bdist.profile(NASTY, *PAIR, max_beliefs=20),
    "its proof": lambda: bdist.profile(NASTY, *PAIR, max_beliefs=20).certificate,
    "loss": lambda: bdist.profile(NASTY, *PAIR, max_beliefs=20).optimistic,
    "tradeoff": lambda: bdist.profile(NASTY, *PAIR, max_beliefs=20).tradeoff(),
    "renyi": lambda: bdist.profile(NASTY, *PAIR, max_beliefs=20).renyi(2),
    "epsilon": lambda: bdist.least_epsilon(NASTY, *PAIR, delta="0.4"),
    "curve": lambda: bdist.curve(NASTY, *PAIR, epsilon=(0, 1), points=3),
    "point": lambda: bdist.curve(NASTY, *PAIR, epsilon=(0, 1), points=3).points[1],
    "threshold": lambda: bdist.threshold(NASTY, *PAIR, alpha=2, theta=HUGE),
    "table": lambda: bdist.distance_table(NASTY, alpha=HUGE + 1),
    "quotient": lambda: bdist.quotient(NASTY),
    "audit": lambda: bdist.audit(NASTY, [PAIR], epsilon=HUGE, delta=HUGE, jobs=1, distances=True),
    "finding": lambda: bdist.audit(NASTY, [PAIR], epsilon=0, jobs=1).findings[0],
    "proof": lambda: bdist.audit(NASTY, [PAIR], epsilon=0, jobs=1, distances=True).findings[0].bd,
    "relation": lambda: bdist.Relation.of(NASTY, [PAIR]),
    "kantorovich": lambda: bdist.kantorovich({S: 1}, {T: 1}, {PAIR: HUGE}, 1 + HUGE),
    "mechanism": lambda: bdist.mechanism(lambda rng, x: x, inputs=["\n" * 300, "\x1b[2J"]),
    "automaton": lambda: dipa.load(INSTANCES / "dipa/sparse-vector.dipa"),
    "weight": lambda: dipa.decide(dipa.load(INSTANCES / "dipa/sparse-vector.dipa")),
    "program": lambda: dipc.load(INSTANCES / "dipc/svt-two.dip"),
    "decision": lambda: dipc.decide(dipc.load(INSTANCES / "dipc/svt-two.dip")),
    "closed form": lambda: dipc.probabilities(dipc.load(INSTANCES / "dipc/svt-two.dip"), (1, 1))[0, 1],
    "hidden": lambda: pufferfish.load(INSTANCES / "pufferfish/above-threshold.hmm"),
    "loss of words": lambda: pufferfish.optimise(
        pufferfish.load(INSTANCES / "pufferfish/above-threshold.hmm"), lengths="1..3"
    ),
    "word": lambda: pufferfish.certify(
        pufferfish.load(INSTANCES / "pufferfish/above-threshold.hmm"), ["start", "01"]
    ),
    "process": lambda: bdist.make("interactive-survey"),
    "formula": lambda: dpctl.check(NASTY, f"P >= 1/2 [{'X ' * 40}end]"),
    "likelihood": lambda: dpctl.probabilities(NASTY, "F end"),
}


@pytest.mark.parametrize("what", SHOWN)
def test_whatever_is_in_it_is_one_short_line(what: str) -> None:
    shown = repr(SHOWN[what]())
    assert shown.isprintable(), shown
    assert len(shown) <= LONGEST
    assert "\u202e" not in shown
    assert shown.endswith(")")


def _classes() -> list[type[OneLine]]:
    for name in ("dipa", "dipc", "pufferfish", "dpctl"):
        import_module(f"bdist.{name}.command")
    found, left = [], [OneLine]
    while left:
        found += [kind for kind in left if kind not in found]
        left = [below for kind in left for below in kind.__subclasses__()]
    return found


def test_a_class_that_says_nothing_itself_is_told_by_its_fields() -> None:
    bad = [HUGE, "\x1b[2J" * 100, ("x\ny",) * 3, {S: T}, [NASTY] * 1000, frozenset({S}), None, 1e300, NASTY]
    silent = [k for k in _classes() if k._essence is OneLine._essence and not isabstract(k)]
    assert len(silent) > 20
    for kind in silent:
        names = getattr(kind, "__dataclass_fields__", {})
        for shift in range(len(bad)):
            made = object.__new__(kind)
            for number, name in enumerate(names):
                object.__setattr__(made, name, bad[(number + shift) % len(bad)])
            assert repr(made).isprintable()
            assert len(repr(made)) <= LONGEST


def test_every_public_result_and_model_is_such_a_class() -> None:
    plain = {"Skew", "ReadOptions"}
    for package in (bdist, dipa, dipc, pufferfish, dpctl):
        for name in package.__all__:
            kind = getattr(package, name)
            if hasattr(kind, "__dataclass_fields__") and name not in plain:
                assert kind.__repr__ is OneLine.__repr__, name


def test_a_result_is_the_object_that_the_command_prints() -> None:
    def same(found: Any, *command: str, ignored: tuple[str, ...] = ()) -> None:
        here, there = json.loads(found.to_json()), json.loads(answer_of(*command, "--json"))
        for document in (here, there):
            for name in ("stats", "seconds", *ignored):
                document.pop(name, None)
        assert here == there

    path = "instances/randomised-response/one-question.lmc"
    chain, pair = bdist.load(INSTANCES.parent / path), ("yes", "no")
    asked = (path, *pair)
    two = ("--alpha", "2")
    same(bdist.distance(chain, *pair, alpha=2), "delta", *asked, *two, "--no-true-delta")
    same(bdist.true_delta(chain, *pair, alpha=2), "delta", *asked, *two, "--no-bd")
    same(bdist.threshold(chain, *pair, alpha=2, theta="1/2"), "threshold", *asked, *two, "--theta", "1/2")
    same(bdist.least_epsilon(chain, *pair, delta=0), "epsilon", *asked, "--delta", "0")
    curve = bdist.curve(chain, *pair, epsilon=(0, 1), points=3)
    same(curve, "curve", *asked, "--epsilon", "0..1", "--points", "3")
    found = json.loads(bdist.attack(chain, *pair, alpha=2).to_json())
    told = json.loads(answer_of("attack", *asked, *two, "--runs", "0", "--json"))
    assert told.pop("drawing") is None
    assert told["attack"].pop("simulation") == []
    assert found == told
    profile = json.loads(bdist.profile(chain, *pair).to_json())
    whole = json.loads(answer_of("profile", *asked, "--json"))
    assert {name: whole[name] for name in profile if name != "stats"} == {
        name: value for name, value in profile.items() if name != "stats"
    }


def test_bounds_are_of_one_kind() -> None:
    finding = bdist.audit(NASTY, [PAIR], epsilon=0, jobs=1, distances=True).findings[0]
    profile = bdist.profile(NASTY, *PAIR)
    epsilon = bdist.least_epsilon(NASTY, *PAIR, delta=0)
    assert finding.bd is not None
    assert finding.tv is not None
    for end in (finding.delta.upper, finding.bd.upper, finding.tv.lower, *filter(None, finding.ld)):
        bound = end.upper if isinstance(end, bdist.Bracket) else end
        assert isinstance(bound, bdist.Bound)
        assert bound.evidence is bdist.Evidence.CERTIFIED
    for found in (profile.max_divergence(), profile.renyi(2), profile.zcdp(), epsilon):
        assert isinstance(found.upper, bdist.Bound | None)
        assert isinstance(found.lower, bdist.Bound | None)


def test_messages_below_the_command_line_name_options_only_to_those_who_type_them() -> None:
    pages = {  # which are about commands, or pytest's
        "bdist/audits/report/document.py",
        "bdist/pytest_plugin.py",
        "bdist/traces/page.py",
    }
    for path in sorted((ROOT / "bdist").rglob("*.py")):
        place = path.relative_to(ROOT)
        if {"cli", "checker"} & set(place.parts) or path.name == "command.py" or str(place) in pages:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        spared: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "by_caller":
                spared |= set(map(id, ast.walk(node)))
            if isinstance(node, ast.Expr):  # a docstring
                spared.add(id(node.value))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spared:
                assert not OPTION.search(node.value), f"{place}:{node.lineno}"


@pytest.mark.parametrize(
    ("ask", "command", "called", "typed"),
    [
        (
            lambda path: bdist.distance(NASTY, *PAIR),
            ("delta", "PATH", "s", "t"),
            "give exactly one of alpha and epsilon, such as alpha='1.0002' or epsilon='0.5'",
            "give exactly one of --alpha and --epsilon, such as --alpha 1.0002 or --epsilon 0.5",
        ),
        (
            lambda path: bdist.load(path),
            ("validate", "PATH"),
            "or have them repaired: repair='simplest' or repair='normalise'",
            "or have them repaired: --repair simplest or --repair normalise",
        ),
        (
            lambda path: dpctl.check(NASTY, "D[eps=1] (X end)"),
            ("modelcheck", "instances/dpctl/survey.lmc", "D[eps=1] (X out1)"),
            "say which states are, as with pairs=[('s', 't')]",
            "say which states are, as with --pairs s:t",
        ),
    ],
)
def test_what_to_write_instead_is_said_in_the_language_of_who_asked(
    ask: Callable[[Path], object], command: tuple[str, ...], called: str, typed: str, tmp_path: Path
) -> None:
    path = tmp_path / "rounded.drn"
    rows = "state 0 init\n\taction 0\n\t\t0 : 0.333333\n\t\t1 : 0.666666\nstate 1\n\taction 0\n\t\t1 : 1\n"
    path.write_text(f"@type: DTMC\n@parameters\n\n@reward_models\n\n@nr_states\n2\n@model\n{rows}")
    for _ in range(2):  # a command that ran leaves nothing behind
        with pytest.raises(bdist.BdistError) as caught:
            ask(path)
        assert called in str(caught.value)
        done = run_bdist(*(str(path) if word == "PATH" else word for word in command))
        assert typed in done.stderr


def test_the_examples_in_docstrings_are_true() -> None:
    tried = 0
    for home in bdist._HOMES:
        module = import_module(home)
        found = doctest.testmod(module, extraglobs={"bdist": bdist, "Fraction": Fraction, "F": Fraction})
        assert found.failed == 0
        tried += found.attempted
    assert tried > 10


def test_data_frames_have_exact_ends_and_floats_outside_of_them() -> None:
    table = bdist.distance_table(NASTY, alpha=1).to_pandas()
    audit = bdist.audit(NASTY, [PAIR], epsilon=0, delta="1/2", jobs=1)
    curve = bdist.curve(NASTY, *PAIR, epsilon=(0, 1), points=3).to_pandas()
    assert list(audit.to_pandas()["answer"]) == [audit.answer.value]
    for frame in (table, audit.to_pandas(), curve):
        assert len(frame)
        for row in frame.itertuples():
            assert Fraction(row.lower_approx) <= row.lower <= row.upper <= Fraction(row.upper_approx)
    missing = mock.patch.dict(sys.modules, {"pandas": None})
    with (
        missing,
        pytest.raises(bdist.BackendError, match="pandas, which makes data frames, is not installed"),
    ):
        audit.to_pandas()


def test_notebooks_get_pictures_and_tables_with_names_escaped() -> None:
    audit = bdist.audit(NASTY, [PAIR], epsilon=0, jobs=1)
    table = bdist.distance_table(NASTY, alpha=1)
    profile = bdist.profile(NASTY, *PAIR)
    pages = [audit._repr_html_(), table._repr_html_(), profile.optimistic._repr_html_()]
    attack = bdist.attack(NASTY, *PAIR, alpha=1)
    pictures = [NASTY._repr_svg_(), profile._repr_svg_(), attack._repr_svg_()]
    for text in (*pages, *pictures):
        assert text is not None
        assert "<script" not in text
        assert "\u202e" not in text
    assert "violated" in pages[0]
    large = bdist.make("randomised-response", questions=40)
    assert len(large) > 80
    assert large._repr_svg_() is None


def test_dp_accountings_names_round_up_and_take_its_floats() -> None:
    profile = bdist.profile(bdist.make("randomised-response"), "yes", "no")
    for given, written in ((0.1, "0.1"), (0.3, "0.3"), (1, "1"), ("ln 2", "ln 2")):
        exact = profile.delta(epsilon=written).upper.value
        found = profile.get_delta_for_epsilon(given)
        assert Fraction(found) >= exact
        assert found == pytest.approx(float(exact), rel=1e-12)
    found = profile.get_epsilon_for_delta(0.1)
    least = profile.epsilon(delta="0.1").upper
    assert least is not None
    assert Fraction(found) >= least.value
    apart = bdist.Profile.of(("s", "t"), bdist.PrivacyLoss.of([(1, 0), (0, 1)]))
    assert apart.get_epsilon_for_delta(0.5) == float("inf")
    with pytest.raises(bdist.ParameterError, match="is not a number"):
        profile.get_delta_for_epsilon(float("nan"))
