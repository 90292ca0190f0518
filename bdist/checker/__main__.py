"""The command: ``python -I -S path/to/checker MODEL CERT`` or ``python -m bdist.checker MODEL CERT``.

Exit code 0 means that every claim is proved, and nothing else does: 1 is a rejected certificate, 2 wrong
usage, 4 a file that cannot be read, does not follow its format or is too large to check. Python runs a folder
without making a package of it, so in that case the folder is imported here under a private name.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import AutomatonReport, Claim, Report

USAGE = "usage: python -I -S path/to/checker MODEL.lmc CERTIFICATE.json (or MODEL.dipa, an automaton)"
AUTOMATON = ".dipa"
ACCEPTED, REJECTED, WRONG_USAGE, UNREADABLE = 0, 1, 2, 4
MOST_CLAIMS = 20
MOST_BITS = 332_000  # of a number that is printed: from 100,000 digits on that takes longer than the check


def main(arguments: list[str]) -> int:
    """Check one certificate, print the outcome, and return the exit code."""
    if len(arguments) != 2:
        print(USAGE, file=sys.stderr)
        return WRONG_USAGE
    model, certificate = arguments
    checker = _package()
    is_automaton = Path(model).suffix.lower() == AUTOMATON
    check = checker.check_automaton if is_automaton else checker.check
    try:
        # bdist reads model files with or without a byte order mark; JSON has none
        report = check(
            checker.read_file(model, "utf-8-sig", checker.MODEL_BYTES),
            checker.read_file(certificate, "utf-8", checker.CERTIFICATE_BYTES),
        )
    except checker.Rejected as rejected:
        print(rejected)
        return REJECTED
    except checker.TooLarge as error:
        print(f"{certificate}: {error}", file=sys.stderr)
        return UNREADABLE
    except checker.Malformed as error:
        print(f"{certificate}: malformed certificate: {error}", file=sys.stderr)
        return UNREADABLE
    except checker.BadModel as error:
        print(f"{model}: unreadable model: {error}", file=sys.stderr)
        return UNREADABLE
    except checker.Unreadable as error:
        print(error, file=sys.stderr)
        return UNREADABLE
    for line in _automaton_lines(report, checker) if is_automaton else _lines(report, checker):
        print(line)
    return ACCEPTED


def _automaton_lines(report: AutomatonReport, checker: ModuleType) -> list[str]:
    found = f"not private for any bound: {report.leak}"
    if report.weight is not None:
        weight = _number(report.weight, checker)
        found = f"private with the weight {weight}, times epsilon, for every epsilon"
    return [f"accepted: {found}", f"checked: an automaton with {report.transitions} transitions"]


def _lines(report: Report, checker: ModuleType) -> list[str]:
    lines = [_line(report, claim, checker) for claim in report.claims[:MOST_CLAIMS]]
    if len(report.claims) > MOST_CLAIMS:
        lines.append(f"accepted: {len(report.claims) - MOST_CLAIMS} more claims")
    records = f"{report.upper_records} upper and {report.lower_records} lower records"
    lines.append(f"checked: {f'{report.trees} trees, ' if report.quantity in ('lv', 'tv') else ''}{records}")
    return lines


def _line(report: Report, claim: Claim, checker: ModuleType) -> str:
    lower, upper, alpha = (_number(value, checker) for value in (claim.lower, claim.upper, report.alpha))
    s, t = (checker.shown(state) for state in claim.pair)
    distance, where = f"{report.quantity}({s}, {t})", f"at alpha {alpha}"
    if report.partition and report.quantity in ("bd", "ld"):
        distance += " of the quotient"
    if claim.lower == claim.upper:
        return f"accepted: {distance} {where} = {lower}"
    return f"accepted: {lower} <= {distance} <= {upper} {where}"


def _number(value: Fraction, checker: ModuleType) -> str:
    longest = max(value.numerator.bit_length(), value.denominator.bit_length())
    return str(checker.rational_text(value) if longest <= MOST_BITS else checker.brief(value))


def _package() -> ModuleType:
    """This module's package, or the folder imported as one where this module belongs to none."""
    if __package__:
        return importlib.import_module(__package__)
    name, folder = "_bdist_checker_alone", Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {folder}")
    package = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    return package


if __name__ == "__main__":
    # a name that the terminal cannot show comes out escaped, not as a traceback
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
