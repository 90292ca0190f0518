"""The command: ``python -I -S path/to/checker MODEL CERT...`` or ``python -m bdist.checker MODEL CERT...``.

Exit code 0 means that every claim of every certificate is proved, and nothing else does: 1 is a rejected
certificate, 2 wrong usage, 4 a file that cannot be read, does not follow its format or is too large to check,
70 anything that was not planned, such as too little memory or an answer that cannot be printed (141 where the
reader of a pipe has gone, 130 after Ctrl-C).

For one certificate every claim is printed, up to a limit. For several it is one line each, behind the name of
the file: the first claim, and how many more there are, or why it is rejected. All are checked, also behind
one that is rejected or unreadable; then the exit code is 1 if any is rejected, and else 4.

Python runs a folder without making a package of it, so in that case the folder is imported here under a
private name.

Names and messages may quote what a stranger wrote. Whatever is printed is spelled out where it would steer a
terminal, turn the direction of writing, break the line or stay unseen.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

if TYPE_CHECKING:
    from . import (
        AutomatonReport,
        Claim,
        DecisionReport,
        EnclosureReport,
        FormulaReport,
        HiddenModelReport,
        ProfileReport,
        ProgramReport,
        ProvedWord,
        Report,
    )

_T = TypeVar("_T")

USAGE = (
    "usage: python -I -S path/to/checker [--memory-limit BYTES] MODEL.lmc CERTIFICATE.json... "
    "(or MODEL.dipa, an automaton, MODEL.hmm, a hidden Markov model, MODEL.mdp, a decision process, or "
    "MODEL.dip, a program)"
)
ACCEPTED, REJECTED, WRONG_USAGE, UNREADABLE, UNPLANNED = 0, 1, 2, 4, 70
PIPE_CLOSED, INTERRUPTED = 141, 130
MOST_LISTED = 20  # claims, states, outputs, or observations of a word
MOST_BITS = 332_000  # of a number that is printed: from 100,000 digits on that takes longer than the check


_UNSEEN = re.compile(
    "[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


def run(arguments: list[str]) -> int:
    """As `main`, and whatever happens is no proof and no rejection."""
    try:
        code = main(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        code = PIPE_CLOSED
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BaseException as error:  # whatever it is, it must not look like an answer
        code = UNPLANNED
        with contextlib.suppress(OSError):
            _say(f"nothing is decided: {type(error).__name__}: {str(error)[:1000]}", sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # Python would try again on its way out, and change the exit code
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


def main(arguments: list[str]) -> int:
    """Check certificates of one model, print the outcomes, and return the exit code: that of the worst."""
    memory = None
    if len(arguments) > 2 and arguments[0] == "--memory-limit" and arguments[1].isdecimal():
        memory, arguments = int(arguments[1]), arguments[2:]
    if len(arguments) < 2 or memory == 0 or any(word.startswith("--") for word in arguments):
        print(USAGE, file=sys.stderr)
        return WRONG_USAGE
    model, *certificates = arguments
    checker = _package()
    try:
        # bdist reads model files with or without a byte order mark; JSON has none
        model_text = checker.read_file(model, "utf-8-sig", checker.MODEL_BYTES)
        codes = []
        for certificate in certificates:
            code, lines = _checked(checker, model, model_text, certificate, memory)
            codes.append(code)
            if len(certificates) > 1 and lines:
                more = sum(line.startswith("accepted: ") for line in lines[1:])
                lines = [f"{certificate}: {lines[0]}{f'; and {more} more' if more else ''}"]
            for line in lines:
                _say(line)
            sys.stdout.flush()  # each as soon as it is checked
    except checker.BadModel as error:
        _say(f"{model}: unreadable model: {error}", sys.stderr)
        return UNREADABLE
    except checker.Unreadable as error:
        _say(error, sys.stderr)
        return UNREADABLE
    return next((code for code in (REJECTED, UNREADABLE) if code in codes), ACCEPTED)


def _checked(
    checker: ModuleType, model: str, model_text: str, certificate: str, memory: int | None
) -> tuple[int, list[str]]:
    """The exit code of one certificate, and what is said about it; what is not decided is said at once."""
    try:
        text = checker.read_file(certificate, "utf-8", checker.CERTIFICATE_BYTES)
        check, lines = _kind(Path(model).suffix.lower(), checker.format_of, text)
        return ACCEPTED, lines(getattr(checker, check)(model_text, text, checker.Allowance(memory)), checker)
    except checker.Rejected as rejected:
        return REJECTED, [str(rejected)]
    except checker.TooLarge as error:
        _say(f"{certificate}: {error}", sys.stderr)
    except checker.Malformed as error:
        _say(f"{certificate}: malformed certificate: {error}", sys.stderr)
    except checker.Unreadable as error:
        _say(error, sys.stderr)
    return UNREADABLE, []


def _say(text: object, stream: TextIO | None = None) -> None:
    """Print a line in which every character shows, and does nothing else."""
    characters = (c if c.isprintable() and not _UNSEEN.match(c) else ascii(c)[1:-1] for c in str(text))
    print("".join(characters), file=stream or sys.stdout)


def _accepted(claims: Sequence[_T], say: Callable[[_T], str]) -> list[str]:
    """The first claims, a line each, and how many more there are."""
    lines = [f"accepted: {say(claim)}" for claim in claims[:MOST_LISTED]]
    more = len(claims) - MOST_LISTED
    return [*lines, f"accepted: {more} more claims"] if more > 0 else lines


def _listed(items: Sequence[_T], say: Callable[[_T], str], between: str = ", ") -> str:
    """The first items in a line, and how many more there are."""
    listed = between.join(say(item) for item in items[:MOST_LISTED])
    more = len(items) - MOST_LISTED
    return f"{listed} and {more} more" if more > 0 else listed


def _automaton_lines(report: AutomatonReport, checker: ModuleType) -> list[str]:
    found = f"not private for any bound: {report.leak}"
    if report.weight is not None:
        weight = _number(report.weight, checker)
        found = f"private with the weight {weight}, times epsilon, for every epsilon"
    return [f"accepted: {found}", f"checked: an automaton with {report.transitions} transitions"]


def _formula_lines(report: FormulaReport, checker: ModuleType) -> list[str]:
    """What is proved about a formula: the states that satisfy it, or its probabilities."""
    found = [f"about the formula {_formula(report.formula, checker)}"]
    if report.satisfied is not None:
        count = f"{len(report.satisfied)} of {report.states} states satisfy the formula"
        found.append(f"{count}{': ' if report.satisfied else ''}{_states(report.satisfied, checker)}")

    def claimed(claim: tuple[str, Fraction]) -> str:
        state, probability = claim
        return f"the formula has the probability {_number(probability, checker)} from {checker.shown(state)}"

    lines = [*(f"accepted: {text}" for text in found), *_accepted(report.probabilities or (), claimed)]
    return [*lines, f"checked: a chain with {report.states} states, {report.neighbours} pairs of neighbours"]


def _enclosure_lines(report: EnclosureReport, checker: ModuleType) -> list[str]:
    """What is proved about a formula in all chains between the model and another one."""
    lines = [f"accepted: about the formula {_formula(report.formula, checker)}"]
    lines.append(f"accepted: in all chains between the model and that with the fingerprint {report.other}")
    for states, verdict in ((report.holds, "it holds in"), (report.violated, "it is violated in")):
        if states:
            lines.append(f"accepted: {verdict} {_states(states, checker)}")
    for state, low, high in (report.probabilities or ())[:MOST_LISTED]:
        between = f"{_number(low, checker)} and {_number(high, checker)}"
        lines.append(f"accepted: its probability from {checker.shown(state)} is between {between}")
    if report.probabilities is not None and len(report.probabilities) > MOST_LISTED:
        lines.append(f"accepted: and so on for {len(report.probabilities) - MOST_LISTED} more states")
    return [*lines, f"checked: chains of {report.states} states, {report.neighbours} pairs of neighbours"]


def _decision_lines(report: DecisionReport, checker: ModuleType) -> list[str]:
    """What is proved about a formula on a decision process."""
    lines = [f"accepted: about the formula {_formula(report.formula, checker)}"]
    if report.holds:
        lines.append(f"accepted: it holds in {_states(report.holds, checker)}")
    if report.violated:
        lines.append(f"accepted: it is violated in {_states(report.violated, checker)}")

    def claimed(claim: Any) -> str:
        about = f"from {checker.shown(claim.state)}, {_formula(claim.formula, checker)}"
        if isinstance(claim, checker.ProvedExtremes):
            low, high = _number(claim.low, checker), _number(claim.high, checker)
            return f"{about} has a probability of {low} to {high}, over all schedulers"
        value, actions = _number(claim.probability, checker), _word(claim.actions, checker)
        return f"{about} has the probability {value}, with the actions {actions}"

    lines += _accepted([*report.extremes, *report.queries], claimed)
    if len(lines) == 1:
        lines.append("accepted: nothing is claimed")
    size = f"{report.states} states and {report.actions} actions"
    return [*lines, f"checked: a decision process with {size}, {report.neighbours} pairs of neighbours"]


def _program_lines(report: ProgramReport, checker: ModuleType) -> list[str]:
    """What is proved about a program: that it is private, or where it is not."""
    factor, delta = _number(report.factor, checker), _function(report.delta, checker)
    privacy = f"({factor} epsilon, {delta})-differentially private"
    sizes = f"{report.probabilities} probabilities, {report.inequalities} inequalities"
    if report.counterexample is None:
        found = f"{privacy} for every epsilon in {report.interval}"
        sizes = f"{report.inputs} inputs, {report.pairs} pairs of neighbours, {sizes}"
    else:
        point, neighbour, outputs, epsilon = report.counterexample
        listed = _listed(outputs, lambda output: _tuple(output, checker))
        inputs = f"inputs {_tuple(point, checker)} and {_tuple(neighbour, checker)}"
        where = f"at epsilon {_number(epsilon, checker)}: {inputs}, outputs {listed}"
        found = f"not {privacy} {where}"
    return [f"accepted: {found}", f"checked: {sizes}"]


def _tuple(values: tuple[Fraction | str, ...], checker: ModuleType) -> str:
    shown = (value if isinstance(value, str) else _number(value, checker) for value in values)
    return f"({', '.join(shown)})"


def _function(terms: tuple[tuple[Fraction, tuple[Fraction, ...]], ...], checker: ModuleType) -> str:
    """An exponential polynomial, as one writes it."""
    found = []
    for k, coefficients in terms:
        for j, c in enumerate(coefficients):
            if c:
                power = "" if j == 0 else " epsilon" if j == 1 else f" epsilon^{j}"
                found.append(
                    f"{_number(c, checker)}{power}{f' e^({_number(k, checker)} epsilon)' if k else ''}"
                )
    return " + ".join(found) or "0"


def _states(states: tuple[str, ...], checker: ModuleType) -> str:
    return _listed(states, checker.shown)


def _formula(part: object, checker: ModuleType) -> str:
    """A formula as the array that it is in the certificate."""
    if isinstance(part, tuple):
        return f"[{', '.join(_formula(item, checker) for item in part)}]"
    return f'"{_number(part, checker)}"' if isinstance(part, Fraction) else json.dumps(part)


def _hidden_model_lines(report: HiddenModelReport, checker: ModuleType) -> list[str]:
    """What is proved about a hidden Markov model: bounds, words that are not at one of them, and blocks."""
    found = _bound_lines(report, checker)
    for word in report.lower:
        length = len(word.word)
        at_bound = length <= len(report.bounds) and report.bounds[length - 1] == word.ratio
        if not (at_bound and word.ratio is not None):
            found.append(f"word {_word(word.word, checker)} has the ratio {_ratio(word, checker)}")
    for growth in report.growth:
        parts = [growth.prefix, growth.block, growth.suffix]
        before, block, after = (_word(part, checker) for part in parts)
        found.append(f"the ratios are unbounded: {before} ({block})* {after}".replace(":  (", ": ("))
    values = (f"{name} = {_number(value, checker)}" for name, value in sorted((report.at or {}).items()))
    where = "".join(f", {value}" for value in values)
    nodes = f"{report.nodes} nodes, {report.covered} covered, {report.closed} closed"
    if report.always is not None:
        nodes += f", {report.vectors} vectors of an invariant"
    return [
        *_accepted(found, str),
        f"checked: {len(report.pairs)} pairs, {report.words} words{where}; {nodes}",
    ]


def _bound_lines(report: HiddenModelReport, checker: ModuleType) -> list[str]:
    """The bounds, those of lengths side by side that are the same in one line."""
    said: list[tuple[str, int, int]] = []
    for length, bound in enumerate(report.bounds, start=1):
        if bound is None:
            text = "is infinite" if report.reached(length) else "is not bounded here"
        else:
            text = f"{'=' if report.reached(length) else 'is at most'} {_number(bound, checker)}"
        if said and said[-1][0] == text:
            said[-1] = (text, said[-1][1], length)
        else:
            said.append((text, length, length))
    lines = [
        f"the loss of words of length {first if first == last else f'{first} to {last}'} {text}"
        for text, first, last in said
    ]
    if report.beyond is not None:
        beyond = _number(report.beyond, checker)
        lines.append(f"the loss of words of length {len(report.bounds) + 1} or more is at most {beyond}")
    if report.always is not None:
        lines.append(f"the loss of words of any length is at most {_number(report.always, checker)}")
    return lines


def _word(word: tuple[str, ...], checker: ModuleType) -> str:
    return _listed(word, checker.shown, " ")


def _ratio(word: ProvedWord, checker: ModuleType) -> str:
    ratio = "inf" if word.ratio is None else _number(word.ratio, checker)
    if word.at is None:
        return ratio
    point = ", ".join(f"{name} = {_number(value, checker)}" for name, value in sorted(word.at.items()))
    return f"{ratio} {'at' if word.toward is None else 'towards'} {point}"


def _lines(report: Report, checker: ModuleType) -> list[str]:
    lines = _accepted(report.claims, lambda claim: _line(report, claim, checker))
    records = f"{report.upper_records} upper and {report.lower_records} lower records"
    lines.append(f"checked: {records}")
    return lines


def _line(report: Report, claim: Claim, checker: ModuleType) -> str:
    lower, upper, alpha = (_number(value, checker) for value in (claim.lower, claim.upper, report.alpha))
    s, t = (checker.shown(state) for state in claim.pair)
    distance, where = f"{report.quantity}({s}, {t})", f"at alpha {alpha}"
    if report.partition and report.quantity in ("bd", "ld"):
        distance += " of the quotient"
    if claim.lower == claim.upper:
        return f"{distance} {where} = {lower}"
    return f"{lower} <= {distance} <= {upper} {where}"


def _profile_lines(report: ProfileReport, checker: ModuleType) -> list[str]:
    """What is proved about a profile: its atoms, or lists below and above it."""
    s, t = (checker.shown(state) for state in report.pair)
    claim = report.claim

    def listed(atoms: Sequence[tuple[Fraction, Fraction]]) -> str:
        return _listed(atoms, lambda atom: f"({', '.join(_number(x, checker) for x in atom)})")

    if claim.exact:
        found = [f"the privacy-loss distribution of ({s}, {t}) is {listed(claim.optimistic)}"]
    else:
        found = [
            f"lv({s}, {t}) is at least that of the atoms {listed(claim.optimistic)}, for every alpha >= 0",
            f"lv({s}, {t}) is at most that of the atoms {listed(claim.pessimistic)}, for every alpha >= 0",
        ]
    parts = [name for name in ("futures", "types", "grid") if getattr(report, name)]
    return [*_accepted(found, str), f"checked: {', '.join([f'{report.nodes} nodes', *parts])}"]


def _number(value: Fraction, checker: ModuleType) -> str:
    longest = max(value.numerator.bit_length(), value.denominator.bit_length())
    return str(checker.rational_text(value) if longest <= MOST_BITS else checker.brief(value))


# by the suffix of the model: the check, which is loaded when it is asked for, and what is said of its report
_KINDS: dict[str, tuple[str, Callable[..., list[str]]]] = {
    ".dipa": ("check_automaton", _automaton_lines),
    ".hmm": ("check_hidden_model", _hidden_model_lines),
    ".mdp": ("check_decision_process", _decision_lines),
    ".dip": ("check_program", _program_lines),
}
# by the format of the certificate, where the model is a chain; other ones are refused by the first
_CHAIN_FORMATS: dict[str | None, tuple[str, Callable[..., list[str]]]] = {
    "bdist-certificate": ("check", _lines),
    "bdist-profile": ("check_profile", _profile_lines),
    "bdist-dpctl-certificate": ("check_formula", _formula_lines),
    "bdist-dpctl-enclosure-certificate": ("check_enclosure", _enclosure_lines),
}


def _kind(
    suffix: str, format_of: Callable[[str], str | None], text: str
) -> tuple[str, Callable[..., list[str]]]:
    """The check that a model and a certificate ask for, and what is said of its report."""
    if suffix in _KINDS:
        return _KINDS[suffix]
    return _CHAIN_FORMATS.get(format_of(text), _CHAIN_FORMATS["bdist-certificate"])


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
    sys.exit(run(sys.argv[1:]))
