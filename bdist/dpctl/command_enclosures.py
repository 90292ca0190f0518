"""``bdist modelcheck --enclosure``: answers about every chain between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.relation import Relation
from bdist.cli.terminal import LIMIT_REACHED
from bdist.dpctl.enclosures import (
    EnclosureChecked,
    EnclosureReason,
    Interval,
    check_enclosure,
    enclosed_extremes,
)
from bdist.dpctl.formats import save_decision_process
from bdist.dpctl.formulas import Formula, is_state_formula
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.printer import text_of
from bdist.dpctl.wording import MOST_STATES, VIOLATED, listed, print_answer, states_alone
from bdist.exact.display import decimal_down, decimal_up, exact_text
from bdist.exact.reading import rational_text
from bdist.printing import named, path_text
from bdist.results import Answer

_DIGITS = 13  # the two ends are often close

_VERDICTS = {Answer.HOLDS: "holds", Answer.VIOLATED: "is violated", Answer.UNKNOWN: "is not decided"}


def answer_enclosure(
    lower: LabelledMarkovChain,
    upper: LabelledMarkovChain,
    files: tuple[str, str],
    formula: Formula,
    neighbours: Relation,
    asked: Sequence[str],
    budget: Budget,
    output: Path | None,
    json: bool,
) -> None:
    """Answer a question about all chains between two and print it."""
    title = f"between {path_text(files[0])} and {path_text(files[1])}"
    if not is_state_formula(formula):
        found, process = enclosed_extremes(lower, upper, formula, budget=budget)
        _write(process, output)
        bounds = {state: (found.low[state], found.high[state]) for state in asked}
        print_answer(
            json, _bounds_json(formula, bounds), _bounds_report(title, formula, bounds, process, output)
        )
        return
    checked = check_enclosure(lower, upper, formula, neighbours, budget=budget)
    _write(checked.process, output)
    report = _checked_report(title, checked, asked, output)
    print_answer(
        json, _checked_json(checked, asked), report, states_alone(formula, neighbours, lower.states, asked)
    )
    answer = checked.answer(asked)
    if answer is not Answer.HOLDS:
        raise typer.Exit(VIOLATED if answer is Answer.VIOLATED else LIMIT_REACHED)


def _write(process: MarkovDecisionProcess, output: Path | None) -> None:
    if output is not None:
        save_decision_process(process, output)


def _checked_report(title: str, found: EnclosureChecked, asked: Sequence[str], output: Path | None) -> str:
    answer = found.answer(asked)
    lines = [f"{title}: {text_of(found.formula)} {_VERDICTS[answer]}        as enclosure, exact"]
    holds = [state for state in asked if found.answers[state] is Answer.HOLDS]
    if holds:
        lines.append(f"  holds in  {listed(holds)}")
    for kind, name in ((Answer.VIOLATED, "fails in"), (Answer.UNKNOWN, "unknown")):
        states = [state for state in asked if found.answers[state] is kind]
        for state in states[:MOST_STATES]:
            lines += _reason_lines(name, state, found.reasons[state], found.formula)
        if len(states) > MOST_STATES:
            lines.append(f"            and in {len(states) - MOST_STATES} more states (--json has them all)")
    if answer is Answer.UNKNOWN:
        lines.append("  reason    the two chains are too far apart: the bounds do not decide it")
    lines += _source_lines(found.process, output)
    return "\n".join([*lines, f"  work      {found.stats['seconds']:.2g} s"])


def _reason_lines(name: str, state: str, reason: EnclosureReason, formula: Formula) -> list[str]:
    part = "" if reason.part == formula else f": {text_of(reason.part)}"
    lines = [f"  {name:<9} {named(state)}{part}"]
    if reason.intervals:
        here, *there = map(_interval, reason.intervals)
        other = f", and {there[0]} from its neighbour {named(reason.neighbour)}" if there else ""
        lines.append(f"            probability {here}{other}")
    return lines


def _bounds_report(
    title: str,
    formula: Formula,
    bounds: Mapping[str, Interval],
    process: MarkovDecisionProcess,
    output: Path | None,
) -> str:
    lines = [f"{title}: bounds on the probability of {text_of(formula)}        as enclosure, exact"]
    lines += [f"  {named(state):<9} {_interval(pair)}" for state, pair in list(bounds.items())[:MOST_STATES]]
    if len(bounds) > MOST_STATES:
        lines.append(f"            and {len(bounds) - MOST_STATES} more states (all of them with --json)")
    return "\n".join([*lines, *_source_lines(process, output)])


def _source_lines(process: MarkovDecisionProcess, output: Path | None) -> list[str]:
    sizes = f"{len(process.states)} states, {len(process.actions)} actions"
    where = "--write-process OUT writes it" if output is None else f"written to {path_text(output)}"
    return [
        f"  from      the extremes, certified, of a process of {sizes},",
        f"            the vertices of all rows between the two; {where}",
    ]


def _interval(pair: Interval) -> str:
    low, high = pair
    if low == high:
        return exact_text(low, _DIGITS)
    return f"in [{decimal_down(low, _DIGITS)}, {decimal_up(high, _DIGITS)}]"


def _texts(pair: Interval) -> list[str]:
    return [rational_text(end) for end in pair]


def _bounds_json(formula: Formula, bounds: Mapping[str, Interval]) -> dict[str, object]:
    return {"formula": text_of(formula), "bounds": {state: _texts(pair) for state, pair in bounds.items()}}


def _checked_json(found: EnclosureChecked, asked: Sequence[str]) -> dict[str, object]:
    return {
        "formula": text_of(found.formula),
        "answer": found.answer(asked).value,
        "evidence": "enclosure",
        "answers": {state: found.answers[state].value for state in asked},
        "reasons": {
            state: {
                "part": text_of(found.reasons[state].part),
                "neighbour": found.reasons[state].neighbour,
                "bounds": [_texts(pair) for pair in found.reasons[state].intervals],
            }
            for state in asked
            if state in found.reasons
        },
        "stats": dict(found.stats),
    }
