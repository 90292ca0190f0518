"""``bdist modelcheck`` on Markov decision processes: answers, sequences of queries, what is tight."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from bdist.budget import Budget
from bdist.chains.relation import Relation
from bdist.cli.terminal import LIMIT_REACHED
from bdist.dpctl.formulas import Formula, is_state_formula
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.printer import text_of
from bdist.dpctl.process_certificate import ProcessCertificate
from bdist.dpctl.process_parts import ProcessWitness
from bdist.dpctl.process_tight import Apart, ProcessTight, tight_process
from bdist.dpctl.processes import Extremes, ProcessChecked, Statistics, check_process, extremes
from bdist.dpctl.wording import (
    DIGITS,
    MOST_STATES,
    VIOLATED,
    bracket_text,
    epsilon_line,
    listed,
    print_answer,
    states_alone,
)
from bdist.exact.display import exact_text
from bdist.exact.reading import rational_text
from bdist.printing import named, named_word
from bdist.results import Answer
from bdist.text.writing import write_text


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
    alone = states_alone(formula, neighbours, process.states, asked)
    if wants_tight:
        best = tight_process(process, formula, neighbours, states=asked, budget=budget)
        _write(certificate, best.certificate)
        print_answer(json, _tight_json(best), _tight_report(title, best), alone)
        return
    if not is_state_formula(formula):
        found = extremes(process, formula, neighbours, budget=budget)
        _write(certificate, found.certificate)
        print_answer(json, _extremes_json(found, asked), _extremes_report(title, found, asked), alone)
        return
    checked = check_process(process, formula, neighbours, budget=budget)
    _write(certificate, checked.certificate)
    print_answer(json, _checked_json(checked, asked), _checked_report(title, checked, asked), alone)
    answer = checked.answer(asked)
    if answer is not Answer.HOLDS:
        raise typer.Exit(VIOLATED if answer is Answer.VIOLATED else LIMIT_REACHED)


def _write(path: Path | None, certificate: ProcessCertificate | None) -> None:
    if path is not None and certificate is not None:
        write_text(path, certificate.to_json())


def _checked_report(title: str, found: ProcessChecked, asked: Sequence[str]) -> str:
    verdict = {Answer.HOLDS: "holds", Answer.VIOLATED: "is violated", Answer.UNKNOWN: "is not decided"}
    answer = found.answer(asked)
    certified = "" if answer is Answer.UNKNOWN else "        certified"
    lines = [f"{title}: {text_of(found.formula)} {verdict[answer]}{certified}"]
    holds, fails, unknown = (
        [state for state in asked if found.answers[state] is kind]
        for kind in (Answer.HOLDS, Answer.VIOLATED, Answer.UNKNOWN)
    )
    if holds:
        lines.append(f"  holds in  {listed(holds)}")
    for state in fails[:MOST_STATES]:
        lines += _witness_lines(state, found.witnesses[state], found.formula)
    if len(fails) > MOST_STATES:
        lines.append(f"            and in {len(fails) - MOST_STATES} more states (all of them with --json)")
    if unknown:
        lines.append(f"  unknown   {listed(unknown)}")
        lines.append(f"  reason    {found.reasons[unknown[0]]}")
    return "\n".join([*lines, *_work(found.stats)])


def _witness_lines(state: str, witness: ProcessWitness, formula: Formula) -> list[str]:
    part = "" if witness.part == formula else f": {text_of(witness.part)}"
    lines = [f"  fails in  {named(state)}{part}"]
    values = [exact_text(p, DIGITS) for p in witness.probabilities]
    if witness.neighbour is not None:
        lines.append(f"            queries {named_word(witness.actions)}")
        neighbour = f"its neighbour {named(witness.neighbour)}"
        lines.append(f"            probability {values[0]}, and {values[1]} from {neighbour}")
    elif values:
        lines.append(f"            some scheduler has probability {values[0]}")
    return lines


def _extremes_report(title: str, found: Extremes, asked: Sequence[str]) -> str:
    what = f"the least and the most probability of {text_of(found.formula)}, over all schedulers"
    lines = [f"{title}: {what}        exact, certified"]
    for state in asked[:MOST_STATES]:
        low, high = exact_text(found.low[state], DIGITS), exact_text(found.high[state], DIGITS)
        lines.append(f"  {named(state):<9} {low} to {high}")
    if len(asked) > MOST_STATES:
        lines.append(f"            and {len(asked) - MOST_STATES} more states (all of them with --json)")
    return "\n".join([*lines, *_work(found.stats)])


def _tight_report(title: str, best: ProcessTight) -> str:
    certified = "" if best.certificate is None else "        certified"
    formula = best.formula
    lines = [f"{title}: the tight parameters of {text_of(formula)}{certified}"]
    at = f"at epsilon = {formula.epsilon.text}"
    if best.delta is not None:
        lines.append(epsilon_line(best.ratio, formula.delta))
        if best.ratio_at != best.delta_at:
            lines += _apart_lines(best.ratio_at)
        lines.append(f"  delta     {bracket_text(best.delta)}, {at}, over all sequences of queries")
        lines += _apart_lines(best.delta_at)
    lines.append(f"  coarse    delta {bracket_text(best.delta_by_extremes)}, {at}, by Proposition 2")
    return "\n".join([*lines, *_work(best.stats)])


def _apart_lines(apart: Apart | None) -> list[str]:
    if apart is None:
        return []
    first, second = (exact_text(p, DIGITS) for p in apart.probabilities)
    s, t = map(named, apart.pair)
    return [
        f"  queries   {named_word(apart.actions)}",
        f"  between   {s} with probability {first}, and {t} with {second}",
    ]


def _work(stats: Statistics) -> list[str]:
    lines = [f"  work      {stats['seconds']:.2g} s"]
    if "check_seconds" in stats:
        parts = "1 part" if stats["parts"] == 1 else f"{stats['parts']} parts"
        sizes = f"{parts}, {stats['states']} states, {stats['actions']} actions"
        lines.insert(0, f"  proof     {sizes}, checked in {stats['check_seconds']:.2g} s")
    return lines


def _checked_json(found: ProcessChecked, asked: Sequence[str]) -> dict[str, object]:
    return {
        "formula": text_of(found.formula),
        "answer": found.answer(asked).value,
        "answers": {state: found.answers[state].value for state in asked},
        "witnesses": {
            state: {
                "part": text_of(witness.part),
                "neighbour": witness.neighbour,
                "actions": list(witness.actions),
                "probabilities": [rational_text(p) for p in witness.probabilities],
            }
            for state, witness in found.witnesses.items()
            if state in set(asked)
        },
        "reasons": {state: found.reasons[state] for state in asked if state in found.reasons},
        "stats": dict(found.stats),
    }


def _extremes_json(found: Extremes, asked: Sequence[str]) -> dict[str, object]:
    return {
        "formula": text_of(found.formula),
        "extremes": {s: [rational_text(found.low[s]), rational_text(found.high[s])] for s in asked},
        "stats": dict(found.stats),
    }


def _tight_json(best: ProcessTight) -> dict[str, object]:
    document: dict[str, object] = {"formula": text_of(best.formula)}
    if best.delta is not None:
        document |= {
            "epsilon": None if best.ratio is None else f"ln {rational_text(best.ratio)}",
            "epsilon_at": _apart_json(best.ratio_at),
            "delta": [rational_text(end) for end in best.delta],
            "delta_at": _apart_json(best.delta_at),
        }
    document["delta_by_extremes"] = [rational_text(end) for end in best.delta_by_extremes]
    return {**document, "certified": best.certificate is not None, "stats": dict(best.stats)}


def _apart_json(apart: Apart | None) -> dict[str, object] | None:
    if apart is None:
        return None
    return {
        "between": list(apart.pair),
        "actions": list(apart.actions),
        "probabilities": [rational_text(p) for p in apart.probabilities],
    }
