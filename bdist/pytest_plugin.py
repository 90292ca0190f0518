"""Privacy as a test: the fixture ``require_private`` of pytest.

    pytest_plugins = ["bdist.pytest_plugin"]  # in conftest.py

    def test_the_survey_is_private(require_private):
        require_private(survey, inputs=answers, neighbours="hamming", epsilon="ln 3")

It asks `bdist.require_private`, and leaves what was found where a continuous integration looks for it. A test
fails with the verdict, the worst pair and the attack as its message, and nothing of bdist's own code around
it. Verdict, parameters and what is proved become properties of the test, which pytest writes into a JUnit
file (``--junit-xml``), of tests that pass as well. With ``--bdist-reports DIR`` each audit leaves a folder
there: the report, the model and all certificates, for `bdist check` on another machine.

UNKNOWN is a failure, with its reason: what was not proved must not pass. A test that knows its question to be
too large says ``unknown="xfail"``, and is reported as expected to fail where the answer is UNKNOWN; VIOLATED
fails all the same, which a mark on the test could not tell apart.

A suite asks for the plugin in its conftest.py, or with ``-p bdist.pytest_plugin``. It is not announced as an
entry point: pytest would load it for every project in the same environment, rewrite all modules of bdist for
its assertions, and warn where bdist is installed as editable, which it cannot rewrite. Nothing else of bdist
is imported before a test calls the fixture.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fractions import Fraction

    from bdist.audits.findings import Audit

_LONGEST_FOLDER = 80  # characters of a test's name in that of its folder
_LONGEST_FRACTION = 60
_CHOICES = ("fail", "xfail")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of the command line."""
    parser.getgroup("bdist", "privacy audits with bdist").addoption(
        "--bdist-reports",
        metavar="DIR",
        help="Keep the report, the model and the certificates of every require_private in a folder.",
    )


@pytest.fixture
def require_private(request: pytest.FixtureRequest) -> RequirePrivate:
    """`bdist.require_private`, which fails the test where privacy is violated or not proved."""
    return RequirePrivate(request.node)


class RequirePrivate:
    """The fixture's value: call it as `bdist.require_private`."""

    def __init__(self, test: pytest.Item) -> None:
        self._test = test
        self._start = test.config.invocation_params.dir  # a test may change the current folder
        reports: str | None = test.config.getoption("bdist_reports")
        self._reports = None if reports is None else self._start / reports
        self._asked = 0

    def __call__(self, *about: Any, unknown: str = "fail", **question: Any) -> Audit:
        """Audit, record what was found, and return it where privacy is proved.

        Parameters are those of `bdist.require_private`; with ``unknown="xfail"`` an answer that is UNKNOWN is
        an expected failure.
        Raises: as `bdist.require_private`.
        """
        __tracebackhide__ = True
        import bdist
        from bdist.results import Answer

        if unknown not in _CHOICES:
            raise bdist.ParameterError(f"unknown is '{unknown}'; it must be one of {', '.join(_CHOICES)}")
        folder = self._next_folder()
        if folder is not None:
            question = {"report": folder / "report.html", "certificates": folder / "certificates", **question}
        try:
            found = bdist.require_private(*about, **question)
        except bdist.NotPrivate as error:
            self._record(error.audit, question)
            if question.get("report") is not None:
                error.add_note(f"  report    {self._told(question['report'])}")
            if error.audit.answer is Answer.UNKNOWN and unknown == "xfail":
                pytest.xfail("\n".join((str(error), *getattr(error, "__notes__", ()))))
            raise error.with_traceback(None) from None  # the test's own lines will do
        self._record(found, question)
        return found

    def _next_folder(self) -> Path | None:
        """Where reports are kept, an empty folder for the next audit of this test, the same in every run."""
        from bdist.text.files import make_folder

        if self._reports is None:
            return None
        self._asked += 1
        name = self._test.nodeid
        plain = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.")[-_LONGEST_FOLDER:]
        apart = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
        folder: Path = self._reports / f"{plain}-{apart}" / str(self._asked)
        make_folder(folder)
        for old in (*folder.glob("report.*"), *folder.glob("certificates/*")):
            old.unlink()
        return folder

    def _told(self, path: str | Path) -> str:
        """A path from where pytest was started, if it leads down: right on other machines, too."""
        whole = Path(path).absolute()
        return str(whole.relative_to(self._start) if whole.is_relative_to(self._start) else whole)

    def _record(self, found: Audit, question: dict[str, Any]) -> None:
        """Leave the findings in the test's properties.

        Not by the fixture record_property, which warns of a schema of JUnit files that has none, and a
        warning may be an error.
        """
        from bdist.printing import named

        properties = {
            "answer": found.answer.value,
            "name": named(found.name),
            "model_sha256": found.model,
            "epsilon": found.epsilon_text,
            "delta": _number_text(found.delta),
            "runs": str(found.runs),
            "holds_for_delta": _number_text(found.holds_for),
        }
        if found.findings:
            worst = found.findings[0]
            properties["worst_pair"] = " ~ ".join(map(named, worst.pair))
            properties["worst_pair_delta_at_least"] = _number_text(worst.delta.lower.value, down=True)
        for name in ("report", "certificates"):
            if question.get(name) is not None:
                properties[name] = self._told(question[name])
        self._test.user_properties += [(f"bdist.{name}", value) for name, value in properties.items()]


def _number_text(value: Fraction, down: bool = False) -> str:
    """A rational as it is, or as a decimal that is rounded to the safe side where it is long."""
    from bdist.exact.rationals import decimal_down, decimal_up, rational_text

    text = rational_text(value)
    if len(text) <= _LONGEST_FRACTION:
        return text
    return decimal_down(value) if down else decimal_up(value)
