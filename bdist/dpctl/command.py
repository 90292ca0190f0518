"""``bdist modelcheck``: which states of a chain satisfy a formula of dpCTL*, and why others do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from bdist.budget import Budget, Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import load
from bdist.chains.relation import Relation
from bdist.cli.models import Model, reads_any_model
from bdist.cli.relations import Hamming, Pairs, RelationFile, WithLabel, relation_of
from bdist.cli.terminal import LIMIT_REACHED, CertificateOut, Json, interruptible
from bdist.dpctl.answers import Checked, Failure, Probabilities, Tight, check, probabilities, tight
from bdist.dpctl.command_enclosures import answer_enclosure
from bdist.dpctl.command_processes import answer_process
from bdist.dpctl.formulas import Formula, Private, is_state_formula
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.dpctl.parser import parse
from bdist.dpctl.printer import text_of
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
from bdist.errors import ParameterError
from bdist.exact.display import exact_text
from bdist.exact.reading import rational_text
from bdist.printing import named
from bdist.results import Answer
from bdist.text.writing import write_text

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
    asked = _asked(chain, neighbours, state)
    title = named((chain.name if process is None else process.name) or model.path.name)
    with interruptible() as budget:
        try:
            if enclosure is not None:
                other = load(enclosure, model.options)
                names = model.path.name, enclosure.name
                answer_enclosure(chain, other, names, parsed, neighbours, asked, budget, write_process, json)
                return
            if process is not None:
                answer_process(process, parsed, neighbours, asked, title, tight, budget, certificate, json)
                return
            _answer(chain, parsed, neighbours, asked, title, tight, budget, certificate, json)
        except Stopped:
            stopped = {"formula": text_of(parsed), "answer": "unknown", "reason": budget.exhausted()}
            print_answer(
                json, stopped, f"{title}: {text_of(parsed)}: unknown\n  reason    {budget.exhausted()}"
            )
            raise typer.Exit(LIMIT_REACHED) from None


def _answer(
    chain: LabelledMarkovChain,
    formula: Formula,
    neighbours: Relation,
    asked: Sequence[str],
    title: str,
    wants_tight: bool,
    budget: Budget,
    certificate: Path | None,
    json: bool,
) -> None:
    alone = states_alone(formula, neighbours, chain.states, asked)
    if wants_tight:
        best = tight(chain, formula, neighbours, states=asked, budget=budget)
        _write(certificate, best.found.certificate.to_json())
        print_answer(json, _tight_json(best), _tight_report(title, best), alone)
        return
    if not is_state_formula(formula):
        likely = probabilities(chain, formula, neighbours, budget=budget)
        _write(certificate, likely.certificate.to_json())
        report = _probabilities_report(title, likely, asked)
        print_answer(json, _probabilities_json(likely, asked), report, alone)
        return
    found = check(chain, formula, neighbours, budget=budget)
    _write(certificate, found.certificate.to_json())
    print_answer(json, _checked_json(found, asked), _checked_report(title, found, asked), alone)
    if found.answer(asked) is Answer.VIOLATED:
        raise typer.Exit(VIOLATED)


def _asked(chain: LabelledMarkovChain, neighbours: Relation, states: list[str] | None) -> list[str]:
    """The states that are asked about."""
    if states:
        for state in states:
            chain.index(state)
        return list(dict.fromkeys(states))
    related = dict.fromkeys(state for pair in neighbours for state in pair)
    return list(related) or list(chain.states)


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        write_text(path, text)


def _checked_report(title: str, found: Checked, asked: Sequence[str]) -> str:
    holds = [state for state in asked if state in found.satisfied]
    fails = [state for state in asked if state not in found.satisfied]
    verdict = "holds" if not fails else "is violated"
    lines = [f"{title}: {text_of(found.formula)} {verdict}        certified"]
    if holds:
        lines.append(f"  holds in  {listed(holds)}")
    for state in fails[:MOST_STATES]:
        lines += _failure_lines(found.failures[state], found.formula)
    if len(fails) > MOST_STATES:
        lines.append(f"            and in {len(fails) - MOST_STATES} more states (all of them with --json)")
    return "\n".join([*lines, *_work(found.stats)])


def _failure_lines(failure: Failure, formula: Formula) -> list[str]:
    part = "" if failure.part == formula else f": {text_of(failure.part)}"
    head = f"  fails in  {named(failure.state)}{part}"
    if failure.neighbour is not None:
        here, there = (exact_text(p, DIGITS) for p in failure.probabilities)
        return [
            head,
            f"            probability {here}, and {there} from its neighbour {named(failure.neighbour)}",
        ]
    if failure.probabilities:
        return [head, f"            probability {exact_text(failure.probabilities[0], DIGITS)}"]
    return [head]


def _probabilities_report(title: str, found: Probabilities, asked: Sequence[str]) -> str:
    lines = [f"{title}: the probability of {text_of(found.formula)}        exact, certified"]
    lines += [f"  {named(state):<9} {exact_text(found.values[state])}" for state in asked[:MOST_STATES]]
    if len(asked) > MOST_STATES:
        lines.append(f"            and {len(asked) - MOST_STATES} more states (all of them with --json)")
    return "\n".join([*lines, *_work(found.stats)])


def _tight_report(title: str, best: Tight) -> str:
    formula: Private = best.formula
    low, high = best.delta
    lines = [f"{title}: the tight parameters of {text_of(formula)}        certified"]
    lines.append(epsilon_line(best.ratio, formula.delta))
    exact = ", exact" if low == high else ""
    lines.append(f"  delta     {bracket_text(best.delta)}, at epsilon = {formula.epsilon.text}{exact}")
    where = best.ratio_at or best.delta_at
    if where is not None:
        first, second = (exact_text(best.found.values[state], DIGITS) for state in where)
        lines.append(
            f"  between   {named(where[0])} with probability {first}, and {named(where[1])} with {second}"
        )
    lines.append("  note      D is about one event; 'bdist delta' is about all sets of outputs")
    return "\n".join([*lines, *_work(best.found.stats)])


def _work(stats: Mapping[str, int | float | str]) -> list[str]:
    return [
        f"  proof     {stats['systems']} linear systems on {stats['states']} states, "
        f"checked in {stats['check_seconds']:.2g} s",
        f"  work      {stats['seconds']:.2g} s",
    ]


def _checked_json(found: Checked, asked: Sequence[str]) -> dict[str, object]:
    return {
        "formula": text_of(found.formula),
        "answer": found.answer(asked).value,
        "asked": list(asked),
        "satisfied": sorted(found.satisfied),
        "failures": [
            {
                "state": failure.state,
                "part": text_of(failure.part),
                "neighbour": failure.neighbour,
                "probabilities": [rational_text(p) for p in failure.probabilities],
            }
            for state, failure in found.failures.items()
            if state in set(asked)
        ],
        "stats": dict(found.stats),
    }


def _probabilities_json(found: Probabilities, asked: Sequence[str]) -> dict[str, object]:
    return {
        "formula": text_of(found.formula),
        "probabilities": {state: rational_text(found.values[state]) for state in asked},
        "stats": dict(found.stats),
    }


def _tight_json(best: Tight) -> dict[str, object]:
    return {
        "formula": text_of(best.formula),
        "epsilon": None if best.ratio is None else f"ln {rational_text(best.ratio)}",
        "epsilon_between": None if best.ratio_at is None else list(best.ratio_at),
        "delta": [rational_text(end) for end in best.delta],
        "delta_between": None if best.delta_at is None else list(best.delta_at),
        "stats": dict(best.found.stats),
    }
