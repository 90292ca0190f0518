"""The fixture ``require_private``, as a test-suite uses it: pytest is run in pytest, on files of its own."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import bdist

pytest_plugins = ["pytester"]

SUITE = """
import pytest

from bdist import NotPrivate

def survey(rng, given):
    return given if rng.flip("1/2") else rng.choose([0, 1])

def endless(rng, given):
    while rng.flip():
        given += 1
    return given

ABOUT = {"inputs": [0, 1]}

def test_holds(require_private):
    assert require_private(survey, epsilon="ln 3", **ABOUT).holds_for == 0

def test_violated(require_private):
    require_private(survey, epsilon="ln 2", delta="1/5", **ABOUT)

def test_unknown(require_private):
    require_private(endless, epsilon="ln 2", delta="1/2", draws=20, **ABOUT)

def test_unknown_is_expected(require_private):
    require_private(endless, epsilon="ln 2", delta="1/2", draws=20, unknown="xfail", **ABOUT)

def test_violated_is_not_expected(require_private):
    require_private(survey, epsilon="ln 2", unknown="xfail", **ABOUT)

def test_caught(require_private):
    with pytest.raises(NotPrivate, match="VIOLATED"):
        require_private(survey, epsilon="ln 2", **ABOUT)

def test_misspelt(require_private):
    require_private(survey, epsilon="ln 3", unknown="pass", **ABOUT)
"""


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Pytest in a process of its own, so that no module of bdist is loaded; a warning is an error."""
    pytester.makeconftest('pytest_plugins = ["bdist.pytest_plugin"]')
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error", *options)


def test_a_failure_says_what_leaks_and_the_record_says_it_all(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_privacy=SUITE)
    done = run(pytester, "--junit-xml=found.xml", "--bdist-reports=reports")
    done.assert_outcomes(passed=2, failed=4, xfailed=1)
    done.stdout.fnmatch_lines(
        [
            "E * (ln 2, 1/5)-differential privacy of survey: VIOLATED by one pair of neighbours",
            "E * attack    say '0' when *",
            "E * report    reports/*/1/report.html",
            "*ParameterError: unknown is 'pass'; it must be one of fail, xfail",
        ]
    )
    assert "library.py" not in done.stdout.str()
    cases = {case.get("name", ""): case for case in ElementTree.parse("found.xml").iter("testcase")}  # noqa: S314

    violated = cases["test_violated"]
    told = {entry.get("name", ""): entry.get("value", "") for entry in violated.iter("property")}
    folder = Path(told["bdist.certificates"])
    assert told == {
        "bdist.answer": "violated",
        "bdist.name": "survey",
        "bdist.model_sha256": told["bdist.model_sha256"],
        "bdist.epsilon": "ln 2",
        "bdist.delta": "1/5",
        "bdist.runs": "1",
        "bdist.holds_for_delta": "1/4",  # 3/4 - 2 * 1/4
        "bdist.worst_pair": "0 ~ 1",
        "bdist.worst_pair_delta_at_least": "1/4",
        "bdist.report": str(folder.parent / "report.html"),
        "bdist.certificates": str(folder),
    }
    assert ">VIOLATED<" in Path(told["bdist.report"]).read_text(encoding="utf-8")
    model = bdist.load(folder / "model.lmc")
    proofs = [path for path in folder.iterdir() if path.suffix == ".json"]
    assert proofs
    for proof in proofs:
        bdist.check(model, proof)
    assert "attack    say '0' when" in violated.findall("failure")[0].get("message", "")

    unknown = cases["test_unknown"].findall("failure")[0].get("message", "")
    assert "allow for more draws" in unknown
    expected = cases["test_unknown_is_expected"].findall("skipped")[0]
    assert expected.get("type") == "pytest.xfail"
    assert "allow for more draws" in expected.get("message", "")
    assert len({entry.get("value") for entry in cases["test_holds"].iter("property")}) > 5


def test_an_earlier_run_leaves_nothing_in_a_later_one(pytester: pytest.Pytester) -> None:
    def kept(suite: str) -> set[Path]:
        pytester.makepyfile(test_privacy=suite)
        run(pytester, "--bdist-reports=reports").assert_outcomes(failed=1)
        return {path.relative_to(pytester.path) for path in pytester.path.glob("reports/*/*/certificates/*")}

    suite = SUITE.partition("def test_unknown(")[0].replace("def test_holds", "def holds")
    before, after = kept(suite), kept(suite.replace('"1/2"', '"11/20"'))
    assert {path.name for path in before & after} == {"model.lmc"}
    assert len(after) == len(before) == 2


def test_a_suite_that_does_not_use_it_loads_none_of_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import sys

        def test_nothing(pytestconfig):
            assert pytestconfig.pluginmanager.has_plugin("bdist.pytest_plugin")
            loaded = {name for name in sys.modules if name.split(".")[0] in ("bdist", "flint", "numpy")}
            assert loaded == {"bdist", "bdist.pytest_plugin"}
    """)
    run(pytester).assert_outcomes(passed=1)
