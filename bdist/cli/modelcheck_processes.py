"""``bdist modelcheck`` on Markov decision processes: answers, sequences of queries, what is tight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import typer

from bdist.budget import Budget
from bdist.cli.terminal import LIMIT_REACHED, print_json, write_file
from bdist.dpctl.formulas import Formula, is_state_formula
from bdist.dpctl.printer import text_of
from bdist.dpctl.processes import (
    Extremes,
    ProcessChecked,
    ProcessTight,
    ProcessWitness,
    check_process,
    extremes,
    tight_process,
)
from bdist.errors import ParameterError
from bdist.models.mdp import MarkovDecisionProcess
from bdist.models.relation import Relation
from bdist.rationals.display import decimal_down, decimal_up, exact_text
from bdist.rationals.reading import rational_text
from bdist.results import Answer

VIOLATED = 1
_MOST_STATES = 12
_DIGITS = 7


def answer_process(
    process: MarkovDecisionProcess,
    formula: Formula,
    neighbours: Relation,
    asked: Sequence[str],
    title: str,
    wants_tight: bool,
    budget: Budget,
    certificate: Path | None,
    json: bool,
) -> None:
    """Answer a question about a process and print it."""
    if wants_tight:
        if not neighbours.pairs:
            raise ParameterError("--tight is about neighbours; say which they are, with --pairs s:t for one")
        pairs = [pair for pair in neighbours if set(pair) & set(asked)]
        best = tight_process(process, formula, pairs, budget=budget)
        if certificate is not None and best.certificate is not None:
            write_file(certificate, best.certificate.to_json())
        _print(json, _tight_json(best), _tight_report(title, best))
        return
    if not is_state_formula(formula):
        found = extremes(process, formula, budget=budget)
        _print(json, _extremes_json(formula, found, asked), _extremes_report(title, formula, found, asked))
        return
    checked = check_process(process, formula, neighbours, budget=budget)
    if certificate is not None:
        write_file(certificate, checked.certificate.to_json())
    _print(json, _checked_json(checked, asked), _checked_report(title, checked, asked))
    answer = checked.answer(asked)
    if answer is not Answer.HOLDS:
        raise typer.Exit(VIOLATED if answer is Answer.VIOLATED else LIMIT_REACHED)


def _print(json: bool, document: Mapping[str, object], report: str) -> None:
    if json:
        print_json(document)
    else:
        typer.echo(report)


def _checked_report(title: str, found: ProcessChecked, asked: Sequence[str]) -> str:
    verdict = {Answer.HOLDS: "holds", Answer.VIOLATED: "is violated", Answer.UNKNOWN: "is not decided"}
    answer = found.answer(asked)
    certified = "" if answer is Answer.UNKNOWN else "        certified"
    lines = [f"{title}: {text_of(found.formula)} {verdict[answer]}{certified}"]
    for kind, name in ((Answer.HOLDS, "holds in"), (Answer.UNKNOWN, "unknown")):
        states = [state for state in asked if found.answers[state] is kind]
        if states:
            lines.append(f"  {name:<9} {_listed(states)}")
    fails = [state for state in asked if found.answers[state] is Answer.VIOLATED]
    for state in fails[:_MOST_STATES]:
        lines += _witness_lines(state, found.witnesses[state])
    if len(fails) > _MOST_STATES:
        lines.append(f"            and in {len(fails) - _MOST_STATES} more states (all of them with --json)")
    if answer is Answer.UNKNOWN:
        lines.append(f"  reason    {found.reason}")
    stats = found.stats
    sizes = f"{stats['states']} states, {stats['actions']} actions"
    lines.append(f"  proof     {sizes}, checked in {stats['check_seconds']:.2g} s")
    return "\n".join([*lines, f"  work      {stats['seconds']:.2g} s"])


def _witness_lines(state: str, witness: ProcessWitness) -> list[str]:
    values = [exact_text(p, _DIGITS) for p in witness.probabilities]
    if witness.neighbour is None:
        return [f"  fails in  {state}: some scheduler has probability {values[0]}"]
    return [
        f"  fails in  {state}: queries {' '.join(witness.actions)}",
        f"            probability {values[0]}, and {values[1]} from its neighbour {witness.neighbour}",
    ]


def _extremes_report(title: str, formula: Formula, found: Extremes, asked: Sequence[str]) -> str:
    what = f"the least and the most probability of {text_of(formula)}, over all schedulers"
    lines = [f"{title}: {what}"]
    for state in asked[:_MOST_STATES]:
        low, high = exact_text(found.low[state], _DIGITS), exact_text(found.high[state], _DIGITS)
        lines.append(f"  {state:<9} {low} to {high}")
    if len(asked) > _MOST_STATES:
        lines.append(f"            and {len(asked) - _MOST_STATES} more states (all of them with --json)")
    return "\n".join(lines)


def _tight_report(title: str, best: ProcessTight) -> str:
    certified = "" if best.certificate is None else "        certified"
    lines = [f"{title}: the smallest delta of {text_of(best.formula)}{certified}"]
    if best.delta is not None:
        lines.append(f"  delta     {_bracket(best.delta)}, over all sequences of queries")
        if best.at is not None and best.probabilities is not None:
            first, second = (exact_text(p, _DIGITS) for p in best.probabilities)
            lines.append(f"  queries   {' '.join(best.actions)}")
            lines.append(f"  between   {best.at[0]} with probability {first}, and {best.at[1]} with {second}")
    lines.append(f"  coarse    {_bracket(best.delta_by_extremes)}, by Proposition 2")
    return "\n".join(lines)


def _bracket(ends: tuple[Fraction, Fraction]) -> str:
    low, high = (max(end, Fraction(0)) for end in ends)
    if low == high:
        return exact_text(high, _DIGITS)
    return f"in [{decimal_down(low, _DIGITS)}, {decimal_up(high, _DIGITS)}]"


def _listed(states: Sequence[str]) -> str:
    more = len(states) - _MOST_STATES
    return ", ".join(states[:_MOST_STATES]) + (f" and {more} more" if more > 0 else "")


def _checked_json(found: ProcessChecked, asked: Sequence[str]) -> dict[str, object]:
    return {
        "formula": text_of(found.formula),
        "answer": found.answer(asked).value,
        "answers": {state: found.answers[state].value for state in asked},
        "witnesses": {
            state: {
                "neighbour": witness.neighbour,
                "actions": list(witness.actions),
                "probabilities": [rational_text(p) for p in witness.probabilities],
            }
            for state, witness in found.witnesses.items()
            if state in set(asked)
        },
        "reason": found.reason,
        "stats": dict(found.stats),
    }


def _extremes_json(formula: Formula, found: Extremes, asked: Sequence[str]) -> dict[str, object]:
    return {
        "formula": text_of(formula),
        "extremes": {s: [rational_text(found.low[s]), rational_text(found.high[s])] for s in asked},
    }


def _tight_json(best: ProcessTight) -> dict[str, object]:
    return {
        "formula": text_of(best.formula),
        "delta": None if best.delta is None else [rational_text(end) for end in best.delta],
        "between": None if best.at is None else list(best.at),
        "actions": list(best.actions),
        "delta_by_extremes": [rational_text(end) for end in best.delta_by_extremes],
    }
