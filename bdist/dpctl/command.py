"""``bdist modelcheck``: which states of a model satisfy a formula of dpCTL*, and why others do not.

The formula and the options say which question it is; the library answers it (`chains`, `processes`,
`enclosures`). Answers about chains, about decision processes and about all chains between two say the same
things: where a formula holds, where it fails and why, what is tight. They are worded alike here, and each
rests on a certificate that was checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.formats import load
from bdist.chains.relation import Relation
from bdist.cli.models import Hamming, Model, Pairs, RelationFile, WithLabel, reads_any_model, relation_of
from bdist.cli.terminal import (
    CertificateOut,
    Json,
    argument,
    flag,
    interruptible,
    option,
    print_report,
    write_certificate,
)
from bdist.dpctl.answers import (
    Checked,
    EnclosureCertificate,
    Failure,
    FormulaCertificate,
    Interval,
    ProcessCertificate,
)
from bdist.dpctl.chains import Apart, Tight, check, probabilities
from bdist.dpctl.chains import tight as tight_parameters
from bdist.dpctl.enclosures import check_enclosure, enclosed_probabilities
from bdist.dpctl.formulas import (
    Formula,
    Next,
    Private,
    Probability,
    Until,
    is_state_formula,
    mentions_privacy,
    operands_of,
    subformulas,
    text_of,
)
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.parser import parse
from bdist.dpctl.processes import ProcessTight, check_process, extremes, tight_process
from bdist.errors import ParameterError
from bdist.exact.epsilon import log_text
from bdist.exact.rationals import counted, decimal_down, decimal_up, exact_text, rational_text
from bdist.printing import listed, named, named_word, path_text
from bdist.report import LIMIT_REACHED, Report
from bdist.results import Answer, Bracket, Statistics

NAME = "modelcheck"
HELP = (
    "Check a formula of dpCTL* on a Markov chain, or on a Markov decision process (.mdp, .drn, or a PRISM "
    "program), exactly: temporal "
    "logic with D[eps=E, delta=D] (path), "
    "which says that a path formula is about as likely from all neighbours. A path formula by itself is "
    "answered with its probabilities; on a process, with the least and the most over all schedulers."
)
EXAMPLE = (
    "Example: bdist modelcheck instances/dpctl/survey.lmc 'D[eps=ln 3] (X out1)' --pairs plus:minus. "
    "Operators: ! & | => <=>, X F G U W R, U<=k F<=k G<=k X^k, P>=q [path], forall a in {out0, out1}: "
    "formula; propositions are the labels of states."
)


@reads_any_model
def command(
    model: Model,
    formula: str = argument("FORMULA", "The formula, in quotes."),
    pairs: Pairs = None,
    relation: RelationFile = None,
    with_label: WithLabel = None,
    hamming: Hamming = None,
    state: list[str] | None = option(
        "STATE",
        "Ask about this state; may be repeated. [default: those that have neighbours, or all]",
    ),
    tight: bool = flag(
        "--tight",
        "For D[...] (...): the smallest epsilon at its delta, and delta at its epsilon; for an until on "
        "a process, the delta that Proposition 2 gives.",
    ),
    enclosure: Path | None = option(
        "OTHER",
        "Ask about every chain whose probabilities lie between those of FILE and of this file, such as "
        "a mechanism with irrational ones: it holds for all of these chains, or is violated by all of them.",
    ),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, check, print."""
    parsed = parse(formula)
    if enclosure is not None and tight:
        raise ParameterError("there is no --tight for an enclosure, whose answer comes from bounds")
    read = model.load_any() if enclosure is None else model.load()
    process = read if isinstance(read, MarkovDecisionProcess) else None
    chain = read.under(read.actions[0]) if isinstance(read, MarkovDecisionProcess) else read
    neighbours = Relation(())
    if not (relation is None and pairs is None and with_label is None and hamming is None):
        neighbours, _ = relation_of(chain, relation, pairs, with_label, hamming)
    question = _Question(parsed, neighbours, _asked(chain, neighbours, state), tight)
    title = named((chain.name if process is None else process.name) or model.path.name)
    with interruptible() as budget:
        try:
            if enclosure is not None:
                other = load(enclosure, model.options)
                title = f"between {path_text(model.path.name)} and {path_text(enclosure.name)}"
                found = _answer_enclosure(chain, other, title, question, budget)
            elif process is not None:
                found = _answer_process(process, title, question, budget)
            else:
                found = _answer_chain(chain, title, question, budget)
        except Stopped:
            reason, about = budget.exhausted(), text_of(parsed)
            document = {"formula": about, "answer": "unknown", "reason": reason}
            text = f"{title}: {about}: unknown\n  reason    {reason}"
            print_report(Report(text, document, LIMIT_REACHED), json)
            return
    write_certificate(certificate, found.certificate)
    report = found.report
    if mentions_privacy(parsed) and (enclosure is None or is_state_formula(parsed)):
        report = _with_states_alone(report, question, chain.states)
    print_report(report, json)


class _Question(NamedTuple):
    """A formula, the neighbours, the states that are asked about, and whether for the tight parameters."""

    formula: Formula
    neighbours: Relation
    asked: Sequence[str]
    tight: bool


class _Found(NamedTuple):
    """What was found, and its proof where there is one of its own."""

    report: Report
    certificate: FormulaCertificate | None = None


def _asked(chain: LabelledMarkovChain, neighbours: Relation, states: list[str] | None) -> list[str]:
    if states:
        for state in states:
            chain.index(state)
        return list(dict.fromkeys(states))
    related = dict.fromkeys(state for pair in neighbours for state in pair)
    return list(related) or list(chain.states)


# --- chains ------------------------------------------------------------------------------------------------


def _answer_chain(chain: LabelledMarkovChain, title: str, question: _Question, budget: Budget) -> _Found:
    formula, neighbours, asked, wants_tight = question
    if wants_tight:
        best = tight_parameters(chain, formula, neighbours, states=asked, budget=budget)
        return _Found(_report_tight(title, best), best.found.certificate)
    if not is_state_formula(formula):
        likely = probabilities(chain, formula, neighbours, budget=budget)
        lines = [f"{title}: the probability of {text_of(formula)}        exact, certified"]
        lines += _by_state({state: exact_text(likely.values[state]) for state in asked})
        values = {state: rational_text(likely.values[state]) for state in asked}
        document: dict[str, object] = {"formula": text_of(formula), "probabilities": values}
        return _Found(_report(lines, document, likely.stats), likely.certificate)
    found = check(chain, formula, neighbours, budget=budget)
    answer = found.answer(asked)
    document = {
        "formula": text_of(formula),
        "answer": answer.value,
        "asked": list(asked),
        "satisfied": sorted(found.satisfied),
        "failures": [
            {"state": state, **_part_json(why), "probabilities": _texts(why.probabilities)}
            for state, why in found.failures.items()
            if state in set(asked)
        ],
    }
    lines = _verdict(title, found, asked, "certified")
    return _Found(_report(lines, document, found.stats, answer.exit_code), found.certificate)


def _report_tight(title: str, best: Tight) -> Report:
    formula = best.formula
    lines = [f"{title}: the tight parameters of {text_of(formula)}        certified"]
    lines.append(_epsilon_line(best.ratio, formula.delta))
    exact = ", exact" if best.delta.exact else ""
    lines.append(f"  delta     {_bracket(_ends(best.delta))}, at epsilon = {formula.epsilon.text}{exact}")
    where = best.ratio_at or best.delta_at
    if where is not None:
        lines.append(_between_line(where, (best.found.values[where[0]], best.found.values[where[1]])))
    lines.append("  note      D is about one event; 'bdist delta' is about all sets of outputs")
    document = {
        "formula": text_of(formula),
        "epsilon": _epsilon_text(best.ratio),
        "epsilon_between": best.ratio_at,
        "delta": _texts(_ends(best.delta)),
        "delta_between": best.delta_at,
    }
    return _report(lines, document, best.found.stats)


# --- decision processes ------------------------------------------------------------------------------------


def _answer_process(
    process: MarkovDecisionProcess, title: str, question: _Question, budget: Budget
) -> _Found:
    formula, neighbours, asked, wants_tight = question
    if wants_tight:
        best = tight_process(process, formula, neighbours, states=asked, budget=budget)
        return _Found(_report_process_tight(title, best), best.certificate)
    if not is_state_formula(formula):
        likely = extremes(process, formula, neighbours, budget=budget)
        what = f"the least and the most probability of {text_of(formula)}, over all schedulers"
        ends = {state: (likely.low[state], likely.high[state]) for state in asked}
        lines = [f"{title}: {what}        exact, certified"]
        shown = {s: [exact_text(end, _DIGITS) for end in pair] for s, pair in ends.items()}
        lines += _by_state({state: " to ".join(pair) for state, pair in shown.items()})
        values = {state: _texts(pair) for state, pair in ends.items()}
        document: dict[str, object] = {"formula": text_of(formula), "extremes": values}
        return _Found(_report(lines, document, likely.stats), likely.certificate)
    found = check_process(process, formula, neighbours, budget=budget)
    answer, reasons = found.answer(asked), found.reasons
    lines = _verdict(title, found, asked, "" if answer is Answer.UNKNOWN else "certified")
    unknown = [state for state in asked if state in reasons]
    if unknown:
        lines.append(f"  unknown   {listed(unknown, _MOST_STATES)}")
        lines.append(f"  reason    {reasons[unknown[0]]}")
    document = {
        "formula": text_of(formula),
        "answer": answer.value,
        "answers": {state: found.answers[state].value for state in asked},
        "witnesses": {
            state: {**_part_json(why), "actions": why.actions, "probabilities": _texts(why.probabilities)}
            for state, why in found.witnesses.items()
            if state in set(asked)
        },
        "reasons": {state: reasons[state] for state in unknown},
    }
    return _Found(_report(lines, document, found.stats, answer.exit_code), found.certificate)


def _report_process_tight(title: str, best: ProcessTight) -> Report:
    formula, at = best.formula, f"at epsilon = {best.formula.epsilon.text}"
    certified = "" if best.certificate is None else "        certified"
    lines = [f"{title}: the tight parameters of {text_of(formula)}{certified}"]
    document: dict[str, object] = {"formula": text_of(formula)}
    if best.delta is not None:
        lines.append(_epsilon_line(best.ratio, formula.delta))
        if best.ratio_at != best.delta_at:
            lines += _apart_lines(best.ratio_at)
        lines.append(f"  delta     {_bracket(_ends(best.delta))}, {at}, over all sequences of queries")
        lines += _apart_lines(best.delta_at)
        document |= {
            "epsilon": _epsilon_text(best.ratio),
            "epsilon_at": _apart_json(best.ratio_at),
            "delta": _texts(_ends(best.delta)),
            "delta_at": _apart_json(best.delta_at),
        }
    lines.append(f"  coarse    delta {_bracket(_ends(best.delta_by_extremes))}, {at}, by Proposition 2")
    document["delta_by_extremes"] = _texts(_ends(best.delta_by_extremes))
    document["certified"] = best.certificate is not None
    return _report(lines, document, best.stats)


def _apart_lines(apart: Apart | None) -> list[str]:
    if apart is None:
        return []
    return [f"  queries   {_queries(apart.actions)}", _between_line(apart.pair, apart.probabilities)]


def _apart_json(apart: Apart | None) -> dict[str, object] | None:
    if apart is None:
        return None
    return {"between": apart.pair, "actions": apart.actions, "probabilities": _texts(apart.probabilities)}


# --- all chains between two --------------------------------------------------------------------------------


def _answer_enclosure(
    lower: LabelledMarkovChain,
    upper: LabelledMarkovChain,
    title: str,
    question: _Question,
    budget: Budget,
) -> _Found:
    formula, neighbours, asked, _ = question
    document: dict[str, object] = {"formula": text_of(formula), "other": fingerprint(upper)}
    if not is_state_formula(formula):
        likely = enclosed_probabilities(lower, upper, formula, budget=budget)
        bounds = {state: (likely.low[state], likely.high[state]) for state in asked}
        lines = [f"{title}: bounds on the probability of {text_of(formula)}        certified"]
        lines += _by_state({state: _bracket(pair, _DIGITS_OF_BOUNDS) for state, pair in bounds.items()})
        document["bounds"] = {state: _texts(pair) for state, pair in bounds.items()}
        return _Found(_report(lines, document, likely.stats), likely.certificate)
    found = check_enclosure(lower, upper, formula, neighbours, budget=budget)
    answer = found.answer(asked)
    lines = _verdict(title, found, asked, "" if answer is Answer.UNKNOWN else "certified")
    lines += _failing(found, asked, Answer.UNKNOWN, "unknown ")
    if answer is Answer.UNKNOWN:
        lines.append(f"  reason    {next(iter(found.reasons.values()))}")
    document |= {
        "answer": answer.value,
        "answers": {state: found.answers[state].value for state in asked},
        "reasons": {
            state: {**_part_json(why), "bounds": [_texts(pair) for pair in why.intervals]}
            for state, why in ((state, found.failures.get(state)) for state in asked)
            if why is not None
        },
    }
    return _Found(_report(lines, document, found.stats, answer.exit_code), found.certificate)


# --- states without neighbours ---------------------------------------------------------------------------


def _with_states_alone(report: Report, question: _Question, states: Sequence[str]) -> Report:
    """A report that also names the states without neighbours in which a D of the formula is asked.

    Outside of path formulas that is in the states that are asked about, inside in any state.
    """
    related = {state for pair in question.neighbours for state in pair}
    where = states if _is_nested(question.formula) else question.asked
    alone = [state for state in where if state not in related]
    note = "\n  note      without neighbours, so that a D holds of itself: " + listed(alone, _MOST_STATES)
    document = {**report.document, "without_neighbours": alone}
    return Report(report.text + (note if alone else ""), document, report.exit_code)


def _is_nested(formula: Formula) -> bool:
    """Whether a D stands inside of a path formula."""
    outer = (part for part in subformulas(formula) if isinstance(part, Private | Probability | Until | Next))
    return any(mentions_privacy(inner) for part in outer for inner in operands_of(part))


# --- wording -----------------------------------------------------------------------------------------------

_MOST_STATES = 12
_DIGITS = 7
_DIGITS_OF_BOUNDS = 13  # the two ends are often close

_VERDICTS = {Answer.HOLDS: "holds", Answer.VIOLATED: "is violated", Answer.UNKNOWN: "is not decided"}


def _report(
    lines: list[str], document: Mapping[str, object], stats: Statistics, exit_code: int = 0
) -> Report:
    """What was found, with the size of the proof, where there is one, and what it took."""
    sizes = counted(int(stats["states"]), "state")
    if "systems" in stats:
        sizes = f"{counted(int(stats['systems']), 'linear system')} on {sizes}"
    elif "nodes" in stats:
        sizes = f"bounds at {counted(int(stats['nodes']), 'node')} for all rows between the two, {sizes}"
    elif "parts" in stats:
        sizes = f"{counted(int(stats['parts']), 'part')}, {sizes}, {counted(int(stats['actions']), 'action')}"
    if "check_seconds" in stats:
        lines.append(f"  proof     {sizes}, checked in {stats['check_seconds']:.2g} s")
    lines.append(f"  work      {stats['seconds']:.2g} s")
    return Report("\n".join(lines), {**document, "stats": dict(stats)}, exit_code)


def _verdict(title: str, found: Checked[Any], asked: Sequence[str], evidence: str) -> list[str]:
    """Whether a formula holds in the states that are asked about, where it does, and why not elsewhere."""
    verdict = f"{title}: {text_of(found.formula)} {_VERDICTS[found.answer(asked)]}"
    lines = [f"{verdict}        {evidence}" if evidence else verdict]
    holds = [state for state in asked if found.answers[state] is Answer.HOLDS]
    if holds:
        lines.append(f"  holds in  {listed(holds, _MOST_STATES)}")
    return lines + _failing(found, asked, Answer.VIOLATED, "fails in")


def _failing(found: Checked[Any], asked: Sequence[str], answer: Answer, words: str) -> list[str]:
    """The states with an answer, with the part of the formula that it is about where that is not all of it,
    and with what shows it: probabilities from the state and from its neighbour, or the one, or none.
    """
    lines = []
    states = [state for state in asked if found.answers[state] is answer]
    is_exact = not isinstance(found.certificate, EnclosureCertificate)
    is_process = isinstance(found.certificate, ProcessCertificate)
    for state in states[:_MOST_STATES]:
        why = found.failures[state]
        part = "" if why.part == found.formula else f": {text_of(why.part)}"
        lines.append(f"  {words}  {named(state)}{part}")
        values = [_bracket(ends, _DIGITS if is_exact else _DIGITS_OF_BOUNDS) for ends in why.intervals]
        if is_process and why.neighbour is not None:
            lines.append(f"            queries {_queries(why.actions)}")
        if why.neighbour is not None:
            other = f"and {values[1]} from its neighbour {named(why.neighbour)}"
            lines.append(f"            probability {values[0]}, {other}")
        elif values:
            lines.append(f"            {'some scheduler has ' if is_process else ''}probability {values[0]}")
    return lines + _left_out("and in", states)


def _queries(actions: Sequence[str]) -> str:
    return named_word(actions) or "none: the first state decides"


def _by_state(texts: Mapping[str, str]) -> list[str]:
    lines = [f"  {named(state):<9} {texts[state]}" for state in list(texts)[:_MOST_STATES]]
    return lines + _left_out("and", list(texts))


def _left_out(words: str, states: Sequence[str]) -> list[str]:
    more = len(states) - _MOST_STATES
    return [f"            {words} {more} more states (all of them with --json)"] if more > 0 else []


def _part_json(why: Failure) -> dict[str, object]:
    return {"part": text_of(why.part), "neighbour": why.neighbour}


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


def _ends(bracket: Bracket) -> Interval:
    return bracket.lower.value, bracket.upper.value


def _bracket(ends: Interval, digits: int = _DIGITS) -> str:
    """A number, or the two that it is between."""
    low, high = ends
    if low == high:
        return exact_text(high, digits)
    return f"in [{decimal_down(low, digits)}, {decimal_up(high, digits)}]"


def _texts(values: Sequence[Fraction]) -> list[str]:
    return [rational_text(value) for value in values]
