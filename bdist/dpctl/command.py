"""``bdist modelcheck``: which states of a model satisfy a formula of dpCTL*, and why others do not.

The formula and the options say which question it is; the library answers it (`chains`, `processes`,
`enclosures`), and `reports` has the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import load
from bdist.chains.relation import Relation
from bdist.cli.models import Model, reads_any_model
from bdist.cli.relations import Hamming, Pairs, RelationFile, WithLabel, relation_of
from bdist.cli.terminal import LIMIT_REACHED, CertificateOut, Json, interruptible, print_report
from bdist.dpctl.certificate import ChainCertificate, ProcessCertificate
from bdist.dpctl.chains import check, probabilities
from bdist.dpctl.chains import tight as tight_parameters
from bdist.dpctl.enclosures import check_enclosure, enclosed_extremes
from bdist.dpctl.formats import save_decision_process
from bdist.dpctl.formulas import Formula, is_state_formula, text_of
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.parser import parse
from bdist.dpctl.processes import check_process, extremes, tight_process
from bdist.dpctl.reports import (
    listed,
    report_bounds,
    report_checked,
    report_enclosure,
    report_extremes,
    report_probabilities,
    report_process_checked,
    report_process_tight,
    report_tight,
    states_alone,
)
from bdist.errors import ParameterError
from bdist.printing import named, path_text
from bdist.report import Report
from bdist.results import Answer

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

FormulaText = Annotated[
    str, typer.Argument(metavar="FORMULA", help="The formula, in quotes.", show_default=False)
]
States = Annotated[
    list[str] | None,
    typer.Option(
        "--state",
        metavar="STATE",
        help="Ask about this state; may be repeated. [default: those that have neighbours, or all]",
        show_default=False,
    ),
]
ShowTight = Annotated[
    bool,
    typer.Option(
        "--tight",
        help="For D[...] (...): the smallest epsilon at its delta, and delta at its epsilon; for an until on "
        "a process, the delta that Proposition 2 gives.",
    ),
]
Enclosure = Annotated[
    Path | None,
    typer.Option(
        "--enclosure",
        metavar="OTHER",
        help="Ask about every chain whose probabilities lie between those of FILE and of this file, such as "
        "a mechanism with irrational ones: holds means of all of them, violated of none.",
        show_default=False,
    ),
]
WriteProcess = Annotated[
    Path | None,
    typer.Option(
        "--write-process",
        metavar="OUT",
        help="With --enclosure: write the decision process whose extremes decide it, as .mdp or .drn.",
        show_default=False,
    ),
]


@reads_any_model
def command(
    model: Model,
    formula: FormulaText,
    pairs: Pairs = None,
    relation: RelationFile = None,
    with_label: WithLabel = None,
    hamming: Hamming = None,
    state: States = None,
    tight: ShowTight = False,
    enclosure: Enclosure = None,
    write_process: WriteProcess = None,
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, check, print."""
    parsed = parse(formula)
    if enclosure is None and write_process is not None:
        raise ParameterError("--write-process is of use with --enclosure only")
    if enclosure is not None and (tight or certificate is not None):
        option = "--tight" if tight else "--certificate"
        raise ParameterError(f"there is no {option} for an enclosure, whose answer comes from bounds")
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
                found = _answer_enclosure(chain, other, title, question, budget, write_process)
            elif process is not None:
                found = _answer_process(process, title, question, budget)
            else:
                found = _answer_chain(chain, title, question, budget)
        except Stopped:
            reason = budget.exhausted()
            stopped = {"formula": text_of(parsed), "answer": "unknown", "reason": reason}
            told = f"{title}: {text_of(parsed)}: unknown\n  reason    {reason}"
            print_report(Report(told, stopped, LIMIT_REACHED), json)
            return
        if certificate is not None and found.certificate is not None:
            found.certificate.write(certificate)
        asks_bounds = enclosure is not None and not is_state_formula(parsed)
        alone = None if asks_bounds else states_alone(parsed, neighbours, chain.states, question.asked)
        print_report(replace(_with_note(found.report, alone), exit_code=found.answer.exit_code), json)


class _Question(NamedTuple):
    """A formula, the neighbours, the states that are asked about, and whether for the tight parameters."""

    formula: Formula
    neighbours: Relation
    asked: Sequence[str]
    tight: bool


class _Found(NamedTuple):
    """What was found, and the answer where it is a verdict; a number is no bad news, so it counts as one."""

    report: Report
    certificate: ChainCertificate | ProcessCertificate | None = None
    answer: Answer = Answer.HOLDS


def _answer_chain(chain: LabelledMarkovChain, title: str, question: _Question, budget: Budget) -> _Found:
    formula, neighbours, asked, wants_tight = question
    if wants_tight:
        best = tight_parameters(chain, formula, neighbours, states=asked, budget=budget)
        return _Found(report_tight(title, best), best.found.certificate)
    if not is_state_formula(formula):
        likely = probabilities(chain, formula, neighbours, budget=budget)
        return _Found(report_probabilities(title, likely, asked), likely.certificate)
    found = check(chain, formula, neighbours, budget=budget)
    return _Found(report_checked(title, found, asked), found.certificate, found.answer(asked))


def _answer_process(
    process: MarkovDecisionProcess, title: str, question: _Question, budget: Budget
) -> _Found:
    formula, neighbours, asked, wants_tight = question
    if wants_tight:
        best = tight_process(process, formula, neighbours, states=asked, budget=budget)
        return _Found(report_process_tight(title, best), best.certificate)
    if not is_state_formula(formula):
        likely = extremes(process, formula, neighbours, budget=budget)
        return _Found(report_extremes(title, likely, asked), likely.certificate)
    found = check_process(process, formula, neighbours, budget=budget)
    return _Found(report_process_checked(title, found, asked), found.certificate, found.answer(asked))


def _answer_enclosure(
    lower: LabelledMarkovChain,
    upper: LabelledMarkovChain,
    title: str,
    question: _Question,
    budget: Budget,
    output: Path | None,
) -> _Found:
    formula, neighbours, asked, _ = question
    if is_state_formula(formula):
        found = check_enclosure(lower, upper, formula, neighbours, budget=budget)
        process, report = found.process, report_enclosure(title, found, asked, output)
        answer = found.answer(asked)
    else:
        bounds, process = enclosed_extremes(lower, upper, formula, budget=budget)
        report, answer = report_bounds(title, bounds, process, asked, output), Answer.HOLDS
    if output is not None:
        save_decision_process(process, output)
    return _Found(report, answer=answer)


def _asked(chain: LabelledMarkovChain, neighbours: Relation, states: list[str] | None) -> list[str]:
    """The states that are asked about."""
    if states:
        for state in states:
            chain.index(state)
        return list(dict.fromkeys(states))
    related = dict.fromkeys(state for pair in neighbours for state in pair)
    return list(related) or list(chain.states)


def _with_note(report: Report, alone: Sequence[str] | None) -> Report:
    """A report with the states of which a D says nothing; None where there is no D."""
    if alone is None:
        return report
    note = f"\n  note      without neighbours, so that a D holds of itself: {listed(alone)}" if alone else ""
    return Report(report.text + note, {**report.document, "without_neighbours": list(alone)})
