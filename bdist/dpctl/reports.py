"""What ``bdist modelcheck`` prints: every answer as text and as JSON.

Answers about chains, about decision processes and about all chains between two say the same things: where a
formula holds, where it fails and why, what is tight. They are worded alike here, and each report states what
it rests on: a certificate that was checked, or bounds that were.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from bdist.chains.relation import Relation
from bdist.dpctl.chains import Checked, Probabilities, Tight
from bdist.dpctl.enclosures import EnclosureChecked, EnclosureReason, Interval
from bdist.dpctl.formulas import (
    Formula,
    Next,
    Private,
    Probability,
    Until,
    mentions_privacy,
    operands_of,
    text_of,
)
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.processes import Apart, Extremes, ProcessChecked, ProcessTight, ProcessWitness
from bdist.exact.display import decimal_down, decimal_up, exact_text
from bdist.exact.epsilon import log_text
from bdist.exact.reading import rational_text
from bdist.printing import named, named_word, path_text, some_of
from bdist.report import Report
from bdist.results import Answer, Statistics

_MOST_STATES = 12
_DIGITS = 7
_DIGITS_OF_BOUNDS = 13  # the two ends are often close

_VERDICTS = {Answer.HOLDS: "holds", Answer.VIOLATED: "is violated", Answer.UNKNOWN: "is not decided"}


# --- chains ------------------------------------------------------------------------------------------------


def report_checked(title: str, found: Checked, asked: Sequence[str]) -> Report:
    """Which of the states satisfy a formula, and why others do not."""
    fails = [state for state in asked if state not in found.satisfied]
    lines = [_verdict(title, found.formula, found.answer(asked), "certified")]
    lines += _holding([state for state in asked if state in found.satisfied])
    for state in fails[:_MOST_STATES]:
        failure = found.failures[state]
        values = [exact_text(p, _DIGITS) for p in failure.probabilities]
        lines.append(_state_line("fails in", state, failure.part, found.formula))
        lines += _probability_line(values, failure.neighbour)
    lines += _left_out("and in", fails)
    document = {
        "formula": text_of(found.formula),
        "answer": found.answer(asked).value,
        "asked": list(asked),
        "satisfied": sorted(found.satisfied),
        "failures": [
            {
                "state": failure.state,
                "part": text_of(failure.part),
                "neighbour": failure.neighbour,
                "probabilities": _texts(failure.probabilities),
            }
            for state, failure in found.failures.items()
            if state in set(asked)
        ],
        "stats": dict(found.stats),
    }
    return Report("\n".join([*lines, *_chain_work(found.stats)]), document)


def report_probabilities(title: str, found: Probabilities, asked: Sequence[str]) -> Report:
    """How likely a path formula is."""
    lines = [f"{title}: the probability of {text_of(found.formula)}        exact, certified"]
    lines += [f"  {named(state):<9} {exact_text(found.values[state])}" for state in asked[:_MOST_STATES]]
    lines += _left_out("and", asked)
    document = {
        "formula": text_of(found.formula),
        "probabilities": {state: rational_text(found.values[state]) for state in asked},
        "stats": dict(found.stats),
    }
    return Report("\n".join([*lines, *_chain_work(found.stats)]), document)


def report_tight(title: str, best: Tight) -> Report:
    """The smallest parameters of a D, and between which states."""
    formula = best.formula
    lines = [f"{title}: the tight parameters of {text_of(formula)}        certified"]
    lines.append(_epsilon_line(best.ratio, formula.delta))
    exact = ", exact" if best.delta[0] == best.delta[1] else ""
    lines.append(f"  delta     {_bracket(best.delta)}, at epsilon = {formula.epsilon.text}{exact}")
    where = best.ratio_at or best.delta_at
    if where is not None:
        values = best.found.values[where[0]], best.found.values[where[1]]
        lines.append(_between_line(where, values))
    lines.append("  note      D is about one event; 'bdist delta' is about all sets of outputs")
    document = {
        "formula": text_of(formula),
        "epsilon": _epsilon_text(best.ratio),
        "epsilon_between": None if best.ratio_at is None else list(best.ratio_at),
        "delta": _texts(best.delta),
        "delta_between": None if best.delta_at is None else list(best.delta_at),
        "stats": dict(best.found.stats),
    }
    return Report("\n".join([*lines, *_chain_work(best.found.stats)]), document)


def _chain_work(stats: Statistics) -> list[str]:
    return [
        f"  proof     {stats['systems']} linear systems on {stats['states']} states, "
        f"checked in {stats['check_seconds']:.2g} s",
        f"  work      {stats['seconds']:.2g} s",
    ]


# --- decision processes ------------------------------------------------------------------------------------


def report_process_checked(title: str, found: ProcessChecked, asked: Sequence[str]) -> Report:
    """In which of the states a formula holds, with queries against it elsewhere, or why it is not known."""
    answer = found.answer(asked)
    holds, fails, unknown = (
        [state for state in asked if found.answers[state] is kind]
        for kind in (Answer.HOLDS, Answer.VIOLATED, Answer.UNKNOWN)
    )
    lines = [_verdict(title, found.formula, answer, "" if answer is Answer.UNKNOWN else "certified")]
    lines += _holding(holds)
    for state in fails[:_MOST_STATES]:
        lines += _witness_lines(state, found.witnesses[state], found.formula)
    lines += _left_out("and in", fails)
    if unknown:
        lines.append(f"  unknown   {listed(unknown)}")
        lines.append(f"  reason    {found.reasons[unknown[0]]}")
    document = {
        "formula": text_of(found.formula),
        "answer": answer.value,
        "answers": {state: found.answers[state].value for state in asked},
        "witnesses": {
            state: {
                "part": text_of(witness.part),
                "neighbour": witness.neighbour,
                "actions": list(witness.actions),
                "probabilities": _texts(witness.probabilities),
            }
            for state, witness in found.witnesses.items()
            if state in set(asked)
        },
        "reasons": {state: found.reasons[state] for state in asked if state in found.reasons},
        "stats": dict(found.stats),
    }
    return Report("\n".join([*lines, *_process_work(found.stats)]), document)


def _witness_lines(state: str, witness: ProcessWitness, formula: Formula) -> list[str]:
    lines = [_state_line("fails in", state, witness.part, formula)]
    values = [exact_text(p, _DIGITS) for p in witness.probabilities]
    if witness.neighbour is not None:
        lines.append(f"            queries {named_word(witness.actions)}")
        lines += _probability_line(values, witness.neighbour)
    elif values:
        lines.append(f"            some scheduler has probability {values[0]}")
    return lines


def report_extremes(title: str, found: Extremes, asked: Sequence[str]) -> Report:
    """The least and the most probability of a path formula."""
    what = f"the least and the most probability of {text_of(found.formula)}, over all schedulers"
    lines = [f"{title}: {what}        exact, certified"]
    for state in asked[:_MOST_STATES]:
        low, high = exact_text(found.low[state], _DIGITS), exact_text(found.high[state], _DIGITS)
        lines.append(f"  {named(state):<9} {low} to {high}")
    lines += _left_out("and", asked)
    document = {
        "formula": text_of(found.formula),
        "extremes": {state: _texts((found.low[state], found.high[state])) for state in asked},
        "stats": dict(found.stats),
    }
    return Report("\n".join([*lines, *_process_work(found.stats)]), document)


def report_process_tight(title: str, best: ProcessTight) -> Report:
    """The smallest parameters of a D, with the queries that need them."""
    formula, at = best.formula, f"at epsilon = {best.formula.epsilon.text}"
    certified = "" if best.certificate is None else "        certified"
    lines = [f"{title}: the tight parameters of {text_of(formula)}{certified}"]
    document: dict[str, object] = {"formula": text_of(formula)}
    if best.delta is not None:
        lines.append(_epsilon_line(best.ratio, formula.delta))
        if best.ratio_at != best.delta_at:
            lines += _apart_lines(best.ratio_at)
        lines.append(f"  delta     {_bracket(best.delta)}, {at}, over all sequences of queries")
        lines += _apart_lines(best.delta_at)
        document |= {
            "epsilon": _epsilon_text(best.ratio),
            "epsilon_at": _apart_json(best.ratio_at),
            "delta": _texts(best.delta),
            "delta_at": _apart_json(best.delta_at),
        }
    lines.append(f"  coarse    delta {_bracket(best.delta_by_extremes)}, {at}, by Proposition 2")
    document |= {
        "delta_by_extremes": _texts(best.delta_by_extremes),
        "certified": best.certificate is not None,
        "stats": dict(best.stats),
    }
    return Report("\n".join([*lines, *_process_work(best.stats)]), document)


def _apart_lines(apart: Apart | None) -> list[str]:
    if apart is None:
        return []
    return [f"  queries   {named_word(apart.actions)}", _between_line(apart.pair, apart.probabilities)]


def _apart_json(apart: Apart | None) -> dict[str, object] | None:
    if apart is None:
        return None
    return {
        "between": list(apart.pair),
        "actions": list(apart.actions),
        "probabilities": _texts(apart.probabilities),
    }


def _process_work(stats: Statistics) -> list[str]:
    lines = [f"  work      {stats['seconds']:.2g} s"]
    if "check_seconds" in stats:
        parts = "1 part" if stats["parts"] == 1 else f"{stats['parts']} parts"
        sizes = f"{parts}, {stats['states']} states, {stats['actions']} actions"
        lines.insert(0, f"  proof     {sizes}, checked in {stats['check_seconds']:.2g} s")
    return lines


# --- all chains between two --------------------------------------------------------------------------------


def report_enclosure(
    title: str, found: EnclosureChecked, asked: Sequence[str], output: Path | None
) -> Report:
    """Whether all chains between two satisfy a formula, or none; ``output`` has the process, if written."""
    answer = found.answer(asked)
    lines = [_verdict(title, found.formula, answer, "as enclosure, exact")]
    lines += _holding([state for state in asked if found.answers[state] is Answer.HOLDS])
    for kind, name in ((Answer.VIOLATED, "fails in"), (Answer.UNKNOWN, "unknown")):
        states = [state for state in asked if found.answers[state] is kind]
        for state in states[:_MOST_STATES]:
            reason = found.reasons[state]
            lines.append(_state_line(name, state, reason.part, found.formula))
            lines += _probability_line([_interval(pair) for pair in reason.intervals], reason.neighbour)
        if len(states) > _MOST_STATES:
            lines.append(f"            and in {len(states) - _MOST_STATES} more states (--json has them all)")
    if answer is Answer.UNKNOWN:
        lines.append("  reason    the two chains are too far apart: the bounds do not decide it")
    lines += [*_source_lines(found.process, output), f"  work      {found.stats['seconds']:.2g} s"]
    document = {
        "formula": text_of(found.formula),
        "answer": answer.value,
        "evidence": "enclosure",
        "answers": {state: found.answers[state].value for state in asked},
        "reasons": {state: _reason_json(found.reasons[state]) for state in asked if state in found.reasons},
        "stats": dict(found.stats),
    }
    return Report("\n".join(lines), document)


def _reason_json(reason: EnclosureReason) -> dict[str, object]:
    return {
        "part": text_of(reason.part),
        "neighbour": reason.neighbour,
        "bounds": [_texts(pair) for pair in reason.intervals],
    }


def report_bounds(
    title: str, found: Extremes, process: MarkovDecisionProcess, asked: Sequence[str], output: Path | None
) -> Report:
    """Bounds on the probability of a path formula in every chain between two."""
    bounds = {state: (found.low[state], found.high[state]) for state in asked}
    lines = [f"{title}: bounds on the probability of {text_of(found.formula)}        as enclosure, exact"]
    lines += [f"  {named(state):<9} {_interval(bounds[state])}" for state in asked[:_MOST_STATES]]
    lines += [*_left_out("and", asked), *_source_lines(process, output)]
    document = {
        "formula": text_of(found.formula),
        "bounds": {state: _texts(pair) for state, pair in bounds.items()},
    }
    return Report("\n".join(lines), document)


def _source_lines(process: MarkovDecisionProcess, output: Path | None) -> list[str]:
    sizes = f"{len(process.states)} states, {len(process.actions)} actions"
    where = "--write-process OUT writes it" if output is None else f"written to {path_text(output)}"
    return [
        f"  from      the extremes, certified, of a process of {sizes},",
        f"            the vertices of all rows between the two; {where}",
    ]


# --- states without neighbours -----------------------------------------------------------------------------


def states_alone(
    formula: Formula, neighbours: Relation, states: Sequence[str], asked: Sequence[str]
) -> list[str] | None:
    """The states without neighbours in which a D of the formula is asked; None where there is no D.

    Outside of path formulas that is in the states that are asked about, inside in any state.
    """
    if not mentions_privacy(formula):
        return None
    related = {state for pair in neighbours for state in pair}
    where = states if _is_nested(formula) else asked
    return [state for state in where if state not in related]


def _is_nested(formula: Formula) -> bool:
    """Whether a D stands inside of a path formula."""
    if isinstance(formula, Private | Probability | Until | Next):
        return any(map(mentions_privacy, operands_of(formula)))
    return any(map(_is_nested, operands_of(formula)))


# --- wording -----------------------------------------------------------------------------------------------


def listed(states: Sequence[str]) -> str:
    """States, the first of them where they are many."""
    return some_of(states, _MOST_STATES)


def _verdict(title: str, formula: Formula, answer: Answer, evidence: str) -> str:
    return f"{title}: {text_of(formula)} {_VERDICTS[answer]}" + (f"        {evidence}" if evidence else "")


def _holding(states: Sequence[str]) -> list[str]:
    return [f"  holds in  {listed(states)}"] if states else []


def _left_out(words: str, states: Sequence[str]) -> list[str]:
    more = len(states) - _MOST_STATES
    return [f"            {words} {more} more states (all of them with --json)"] if more > 0 else []


def _state_line(what: str, state: str, part: Formula, formula: Formula) -> str:
    """A state, with the part of the formula that it is about where that is not all of it."""
    return f"  {what:<9} {named(state)}" + ("" if part == formula else f": {text_of(part)}")


def _probability_line(values: Sequence[str], neighbour: str | None) -> list[str]:
    """Probabilities from a state and from its neighbour, or the one, or none."""
    if not values:
        return []
    other = f", and {values[1]} from its neighbour {named(neighbour)}" if neighbour is not None else ""
    return [f"            probability {values[0]}{other}"]


def _between_line(pair: tuple[str, str], probabilities: tuple[Fraction, Fraction]) -> str:
    (s, t), (p, q) = map(named, pair), (exact_text(p, _DIGITS) for p in probabilities)
    return f"  between   {s} with probability {p}, and {t} with {q}"


def _epsilon_line(ratio: Fraction | None, delta: Fraction) -> str:
    """The smallest epsilon at a delta, from e^epsilon; None where none will do."""
    if ratio is None:
        return f"  epsilon   none will do at delta = {rational_text(delta)}"
    shown = "0" if ratio == 1 else f"ln({rational_text(ratio)}) = {log_text(ratio, _DIGITS)}"
    return f"  epsilon   {shown}, at delta = {rational_text(delta)}, exact"


def _epsilon_text(ratio: Fraction | None) -> str | None:
    return None if ratio is None else f"ln {rational_text(ratio)}"


def _bracket(ends: Interval, digits: int = _DIGITS) -> str:
    """A number, or the two that it is between."""
    low, high = ends
    if low == high:
        return exact_text(high, digits)
    return f"in [{decimal_down(low, digits)}, {decimal_up(high, digits)}]"


def _interval(ends: Interval) -> str:
    return _bracket(ends, _DIGITS_OF_BOUNDS)


def _texts(values: Sequence[Fraction]) -> list[str]:
    return [rational_text(value) for value in values]
