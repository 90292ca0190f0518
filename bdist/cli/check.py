"""``bdist check``: does this certificate prove what it claims about this model?"""

from __future__ import annotations

import json as json_module
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from bdist.checker import (
    AutomatonReport,
    DecisionReport,
    FormulaReport,
    HiddenModelReport,
    ProgramReport,
    ProvedExtremes,
    ProvedQueries,
    Report,
)
from bdist.cli.models import Model, reads_any_model
from bdist.cli.terminal import Json, interruptible, print_json
from bdist.errors import CertificateRejected
from bdist.exact.display import counted, exact_text
from bdist.exact.reading import rational_text
from bdist.printing import message_text, named, named_word, path_text
from bdist.proofs import AnyReport, check

NAME = "check"
HELP = (
    "Check a certificate against a model file, with exact arithmetic only; trusts nothing that made it. "
    "The checker reads .lmc itself, .dipa (an automaton), .hmm (a hidden Markov model), .mdp (a decision "
    "process) and .dip (a program); any other format is translated by bdist's reader first."
)
EXAMPLE = (
    "Example: bdist check chain.lmc out.json. "
    "The same check without bdist: python -I -S path/to/bdist/checker chain.lmc out.json "
    "(for another format, let 'bdist convert' write an .lmc file, and read that)."
)

_LONGEST_LIST = 20

CertificateFiles = Annotated[
    list[Path],
    typer.Argument(metavar="CERT...", help="The certificate, a JSON file; or several.", show_default=False),
]


@reads_any_model
def command(model: Model, certificates: CertificateFiles, json: Json = False) -> None:
    """Check, print, and exit with 0 (all accepted) or 1 (one rejected)."""
    documents: list[dict[str, object]] = []
    for path in certificates:
        try:
            with interruptible() as budget:
                report = check(model.path, path, model.options, budget)
        except CertificateRejected as error:
            documents.append({"accepted": False, "step": error.step, "reason": error.reason})
            lines = [f"rejected at {error.step}: {message_text(error.reason)}"]
        else:
            documents.append(_document(report))
            lines = _lines(report)
        if not json:
            typer.echo("\n".join([*([f"{path_text(path)}:"] if len(certificates) > 1 else []), *lines]))
    if json:
        several = [
            {"file": str(path), **document} for path, document in zip(certificates, documents, strict=True)
        ]
        print_json(documents[0] if len(documents) == 1 else {"certificates": several})
    if not all(document["accepted"] for document in documents):
        raise typer.Exit(1)


def _document(report: AnyReport) -> dict[str, object]:
    if isinstance(report, HiddenModelReport):
        return _hidden_model_document(report)
    if isinstance(report, FormulaReport):
        return _formula_document(report)
    if isinstance(report, DecisionReport):
        return _decision_document(report)
    if isinstance(report, ProgramReport):
        return _program_document(report)
    if isinstance(report, AutomatonReport):
        return {
            "accepted": True,
            "private": report.private,
            "weight": None if report.weight is None else rational_text(report.weight),
            "leak": report.leak,
            "transitions": report.transitions,
        }
    return {
        "accepted": True,
        "quantity": report.quantity,
        "alpha": rational_text(report.alpha),
        "claims": [
            {"pair": list(c.pair), "lower": rational_text(c.lower), "upper": rational_text(c.upper)}
            for c in report.claims
        ],
        "of_the_quotient": _of_the_quotient(report),
        "upper_records": report.upper_records,
        "lower_records": report.lower_records,
        "trees": report.trees,
    }


def _lines(report: AnyReport) -> list[str]:
    if isinstance(report, HiddenModelReport):
        return _hidden_model_lines(report)
    if isinstance(report, FormulaReport):
        return _formula_lines(report)
    if isinstance(report, DecisionReport):
        return _decision_lines(report)
    if isinstance(report, ProgramReport):
        return _program_lines(report)
    if isinstance(report, AutomatonReport):
        return _automaton_lines(report)
    alpha, lines = rational_text(report.alpha), []
    for claim in report.claims[:_LONGEST_LIST]:
        where = " of the quotient" if _of_the_quotient(report) else ""
        name = f"{report.quantity}({named(claim.pair[0])}, {named(claim.pair[1])}){where} at alpha {alpha}"
        if claim.lower == claim.upper:
            lines.append(f"accepted  {name} = {exact_text(claim.upper)}")
        else:
            lines.append(f"accepted  {rational_text(claim.lower)} <= {name} <= {rational_text(claim.upper)}")
    if len(report.claims) > _LONGEST_LIST:
        lines.append(f"accepted  {counted(len(report.claims) - _LONGEST_LIST, 'more claim')}")
    trees = f"{counted(report.trees, 'tree')}, " if report.trees else ""
    records = f"{report.upper_records} upper and {counted(report.lower_records, 'lower record')}"
    return [*lines, f"          {trees}{records} checked"]


def _automaton_lines(report: AutomatonReport) -> list[str]:
    found = f"not private for any bound: {report.leak}"
    if report.weight is not None:
        found = f"private with the weight {exact_text(report.weight)}, times epsilon, for every epsilon"
    return [f"accepted  {found}", f"          {counted(report.transitions, 'transition')} checked"]


def _hidden_model_lines(report: HiddenModelReport) -> list[str]:
    """Bounds that differ from the one before, words that attain none of them, and blocks that grow."""
    claims: list[str] = []
    before: object = ()
    for length, bound in enumerate(report.bounds, start=1):
        reached = report.reached(length)
        if (bound, reached) != before:
            claims.append(f"from length {length} on: the loss {_loss_text(bound, reached)}")
        before = (bound, reached)
    if report.bounds:
        claims.append(f"that is up to length {len(report.bounds)}")
    if report.beyond is not None:
        claims.append(f"beyond: the loss is at most {exact_text(report.beyond)}")
    for word in report.lower:
        length = len(word.word)
        if length > len(report.bounds) or word.ratio != report.bounds[length - 1]:
            ratio = "infinite" if word.ratio is None else exact_text(word.ratio)
            claims.append(f"the word {named_word(word.word)} has the ratio {ratio}")
    for growth in report.growth:
        parts = (named_word(growth.prefix), f"({named_word(growth.block)})^n", named_word(growth.suffix))
        claims.append(f"the ratios of {' '.join(filter(None, parts))} are unbounded")
    lines = [f"accepted  {claim}" for claim in claims[:_LONGEST_LIST]]
    if len(claims) > _LONGEST_LIST:
        lines.append(f"accepted  {counted(len(claims) - _LONGEST_LIST, 'more claim')}")
    counts = f"{counted(report.nodes, 'node')}, {report.covered} covered, {report.closed} closed"
    return [*lines, f"          {counted(len(report.pairs), 'pair')}, {report.words} words, {counts} checked"]


def _loss_text(bound: Fraction | None, reached: bool) -> str:
    if bound is None:
        return "is infinite" if reached else "is not bounded"
    return f"{'=' if reached else 'is at most'} {exact_text(bound)}"


def _hidden_model_document(report: HiddenModelReport) -> dict[str, object]:
    def ratio(value: Fraction | None) -> str:
        return "inf" if value is None else rational_text(value)

    return {
        "accepted": True,
        "words": report.words,
        "at": None if report.at is None else {name: rational_text(x) for name, x in report.at.items()},
        "pairs": [list(pair) for pair in report.pairs],
        "bounds": [ratio(bound) for bound in report.bounds],
        "beyond": None if report.beyond is None else rational_text(report.beyond),
        "lower": [
            {"pair": word.pair, "word": list(word.word), "ratio": ratio(word.ratio)} for word in report.lower
        ],
        "growth": [
            {"pair": g.pair, "prefix": list(g.prefix), "block": list(g.block), "suffix": list(g.suffix)}
            for g in report.growth
        ],
        "nodes": report.nodes,
    }


def _formula_lines(report: FormulaReport) -> list[str]:
    """The formula as the certificate has it, and its states or probabilities."""
    lines = [f"accepted  about the formula {json_module.dumps(_array(report.formula))}"]
    if report.satisfied is not None:
        shown, more = report.satisfied[:_LONGEST_LIST], len(report.satisfied) - _LONGEST_LIST
        listed = ", ".join(map(named, shown)) + (f" and {more} more" if more > 0 else "")
        count = f"{len(report.satisfied)} of {counted(report.states, 'state')}"
        lines.append(f"          {count} satisfy it{': ' if listed else ''}{listed}")
    for state, value in (report.probabilities or ())[:_LONGEST_LIST]:
        lines.append(f"          its probability from {named(state)} is {exact_text(value)}")
    if len(report.probabilities or ()) > _LONGEST_LIST:
        lines.append(f"          and so on for {len(report.probabilities or ()) - _LONGEST_LIST} more states")
    sizes = f"{counted(report.states, 'state')}, {_neighbours(report.neighbours)}"
    return [*lines, f"          {sizes} checked"]


def _decision_lines(report: DecisionReport) -> list[str]:
    """The formula, and in which states of the process it holds and is violated."""
    lines = [f"accepted  about the formula {json_module.dumps(_array(report.formula))}"]
    for states, verdict in ((report.holds, "it holds in"), (report.violated, "it is violated in")):
        if states:
            more = len(states) - _LONGEST_LIST
            listed = ", ".join(map(named, states[:_LONGEST_LIST])) + (f" and {more} more" if more > 0 else "")
            lines.append(f"          {verdict} {listed}")
    claims: list[ProvedExtremes | ProvedQueries] = [*report.extremes, *report.queries]
    for claim in claims[:_LONGEST_LIST]:
        about = f"          from {named(claim.state)}, {json_module.dumps(_array(claim.formula))}"
        if isinstance(claim, ProvedExtremes):
            between = f"{exact_text(claim.low)} to {exact_text(claim.high)}"
            lines.append(f"{about} has a probability of {between}, over all schedulers")
        else:
            dots = " ..." if len(claim.actions) > _LONGEST_LIST else ""
            queries = " ".join(map(named, claim.actions[:_LONGEST_LIST])) + dots
            lines.append(f"{about} has the probability {exact_text(claim.probability)}, with {queries}")
    if len(claims) > _LONGEST_LIST:
        lines.append(f"          and {len(claims) - _LONGEST_LIST} more claims")
    sizes = f"{counted(report.states, 'state')}, {counted(report.actions, 'action')}"
    sizes = f"{sizes}, {_neighbours(report.neighbours)}"
    return [*lines, f"          {sizes} checked"]


def _decision_document(report: DecisionReport) -> dict[str, object]:
    return {
        "accepted": True,
        "formula": _array(report.formula),
        "holds": list(report.holds),
        "violated": list(report.violated),
        "extremes": [
            {"formula": _array(path), "state": s, "low": rational_text(low), "high": rational_text(high)}
            for path, s, low, high in report.extremes
        ],
        "queries": [
            {"formula": _array(path), "state": s, "actions": list(actions), "probability": rational_text(p)}
            for path, s, actions, p in report.queries
        ],
        "parts": report.parts,
        "states": report.states,
        "actions": report.actions,
        "neighbours": report.neighbours,
    }


def _program_lines(report: ProgramReport) -> list[str]:
    """For which ε a program is private, or the counterexample."""
    delta = "0" if not report.delta else "delta"
    privacy = f"({exact_text(report.factor)} epsilon, {delta})-differentially private"
    probabilities = counted(report.probabilities, "probability", "probabilities")
    sizes = f"{probabilities}, {counted(report.inequalities, 'inequality', 'inequalities')} checked"
    lines = [f"accepted  {privacy} for every epsilon in {report.interval}"]
    if report.counterexample is None:
        sizes = f"{counted(report.inputs, 'input')}, {_neighbours(report.pairs)}, {sizes}"
    else:
        point, neighbour, outputs, epsilon = report.counterexample
        lines = [f"accepted  not {privacy} at epsilon {exact_text(epsilon)}"]
        lines.append(f"          inputs {_shown_tuple(point)} and {_shown_tuple(neighbour)}")
        more = len(outputs) - _LONGEST_LIST
        listed = ", ".join(map(_shown_tuple, outputs[:_LONGEST_LIST])) + (
            f" and {more} more" if more > 0 else ""
        )
        lines.append(f"          outputs {listed}")
    if report.delta:
        parts = (_shown_terms(k, row) for k, row in report.delta)
        lines.append(f"          with delta = {' + '.join(part for row in parts for part in row)}")
    return [*lines, f"          {sizes}"]


def _neighbours(number: int) -> str:
    return counted(number, "pair of neighbours", "pairs of neighbours")


def _shown_tuple(values: tuple[Fraction | str, ...]) -> str:
    return f"({', '.join(named(x) if isinstance(x, str) else rational_text(x) for x in values)})"


def _shown_terms(k: Fraction, row: tuple[Fraction, ...]) -> list[str]:
    """The terms c epsilon^j e^(k epsilon) of one k."""
    powers = [("" if j == 0 else " epsilon" if j == 1 else f" epsilon^{j}", c) for j, c in enumerate(row)]
    growth = f" e^({rational_text(k)} epsilon)" if k else ""
    return [f"{rational_text(c)}{power}{growth}" for power, c in powers if c]


def _program_document(report: ProgramReport) -> dict[str, object]:
    found: dict[str, object] = {
        "accepted": True,
        "holds": report.holds,
        "factor": rational_text(report.factor),
        "delta": [[rational_text(k), [rational_text(c) for c in row]] for k, row in report.delta],
        "interval": report.interval,
        "inputs": report.inputs,
        "pairs": report.pairs,
        "probabilities": report.probabilities,
        "inequalities": report.inequalities,
        "counterexample": None,
    }
    if report.counterexample is not None:
        point, neighbour, outputs, epsilon = report.counterexample
        found["counterexample"] = {
            "input": [rational_text(x) for x in point],
            "neighbour": [rational_text(x) for x in neighbour],
            "outputs": [
                [x if isinstance(x, str) else rational_text(x) for x in output] for output in outputs
            ],
            "epsilon": rational_text(epsilon),
        }
    return found


def _array(value: object) -> object:
    """A formula as the JSON array that it was."""
    if isinstance(value, tuple):
        return [_array(item) for item in value]
    return rational_text(value) if isinstance(value, Fraction) else value


def _formula_document(report: FormulaReport) -> dict[str, object]:
    likely = report.probabilities
    return {
        "accepted": True,
        "formula": _array(report.formula),
        "satisfied": None if report.satisfied is None else list(report.satisfied),
        "probabilities": None if likely is None else {s: rational_text(value) for s, value in likely},
        "states": report.states,
        "neighbours": report.neighbours,
    }


def _of_the_quotient(report: Report) -> bool:
    """Whether the claims speak of the quotient; lv and tv are the same there."""
    return report.partition and report.quantity in ("bd", "ld")
