"""``bdist pufferfish``: what the observations of a hidden Markov model tell about its secrets."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from bdist.budget import Budget
from bdist.chains.drawings.plots import check_plot_path
from bdist.chains.formats import lmc
from bdist.chains.relation import parse_pairs
from bdist.cli.models import assignments
from bdist.cli.terminal import CertificateOut, Json, interruptible, print_report, write_certificate
from bdist.errors import ParameterError
from bdist.exact.reading import as_rational
from bdist.pufferfish import answers
from bdist.pufferfish.answers import BACKENDS
from bdist.pufferfish.delta import true_deltas
from bdist.pufferfish.question import Question, ask
from bdist.pufferfish.reports import (
    decision_report,
    deltas_report,
    loss_report,
    refinement_report,
    title_of,
    word_report,
    write_loss_plot,
)
from bdist.pufferfish.text import load_hidden_model
from bdist.report import Report
from bdist.text.writing import write_text

NAME = "pufferfish"
HELP = (
    "Decide Pufferfish privacy of a hidden Markov model, for all words up to a length and all values of its "
    "parameters; or find the least epsilon, certify a word, refine an interval, find the least delta."
)
EXAMPLE = "Example: bdist pufferfish instances/pufferfish/above-threshold.hmm --length 1..11"


def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The model, an .hmm file.", show_default=False)
    ],
    scenario: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which scenario of the file, if it has several.")
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(metavar="E", help="Decide for this epsilon: a number, or 'ln q' or 'n ln q', exact."),
    ] = None,
    length: Annotated[
        str | None, typer.Option(metavar="K|1..K|any", help="Words of which length count.")
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="A:B,...",
            help="Compare these, in both directions, in place of the scenario's: states, initial "
            "distributions or secrets.",
        ),
    ] = None,
    directed: Annotated[
        bool, typer.Option("--directed", help="With --pairs: only from the first of a pair to the second.")
    ] = False,
    words: Annotated[
        str | None,
        typer.Option(
            metavar="all|common", help="Which words count: all, or only those that both sides can show."
        ),
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="P=1/2,...", help="Values for all parameters.")] = None,
    optimise: Annotated[
        bool,
        typer.Option(
            "--optimise", help="Find the least epsilon at each length, also where the file has one."
        ),
    ] = False,
    word: Annotated[
        str | None,
        typer.Option(metavar="'O1 O2 ...'", help="Is this word a counterexample? Its exact probabilities."),
    ] = None,
    bracket: Annotated[
        str | None, typer.Option(metavar="LOW..HIGH", help="Refine an interval for the least epsilon.")
    ] = None,
    precision: Annotated[
        str, typer.Option(metavar="Q", help="With --bracket: how narrow the interval must become.")
    ] = "1/1000",
    true_delta: Annotated[
        bool,
        typer.Option("--true-delta", help="The least delta at epsilon, for sets of words, with an attack."),
    ] = False,
    delta: Annotated[
        str | None,
        typer.Option(metavar="D", help="Decide (epsilon, D)-Pufferfish privacy; implies --true-delta."),
    ] = None,
    chain: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT",
            help="With --true-delta: write the chain that the certificate speaks of, an .lmc file.",
        ),
    ] = None,
    backend: Annotated[
        str,
        typer.Option(metavar="|".join(BACKENDS), help="Who decides; what z3 does not refute has no proof."),
    ] = "search",
    plot: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Draw epsilon against the length there: a .png or .svg file."),
    ] = None,
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, answer one of five questions, print."""
    wants_delta = true_delta or delta is not None
    _check_combination(
        {"--word": word is not None, "--bracket": bracket is not None, "--true-delta": wants_delta}
        | {"--optimise": optimise or plot is not None}
    )
    if chain is not None and not wants_delta:
        raise ParameterError("--chain is about the chain of --true-delta; give that as well")
    if plot is not None:
        check_plot_path(plot)
    most = None if delta is None else _probability(delta)
    model = load_hidden_model(file)
    question = ask(
        model,
        scenario,
        pairs=None if pairs is None else parse_pairs(pairs),
        directed=directed,
        words=words,
        lengths=length,
        epsilon=epsilon,
        at=None if at is None else assignments("--at", at.split(","), "a parameter"),
    )
    with interruptible() as budget:
        if word is not None:
            report = _word(question, word, certificate)
        elif bracket is not None:
            report = _bracket(question, bracket, precision, budget, certificate)
        elif wants_delta:
            report = _delta(question, most, budget, chain, certificate)
        elif question.epsilon is None or optimise or plot is not None:
            report = _optimise(question, budget, plot, certificate)
        else:
            decision = answers.decide(question, budget, backend)
            write_certificate(certificate, decision.certificate)
            report = decision_report(decision)
    print_report(report, json)


def _optimise(question: Question, budget: Budget, plot: Path | None, certificate: Path | None) -> Report:
    loss = answers.optimise(question, budget)
    write_certificate(certificate, loss.certificate)
    if plot is not None:
        write_loss_plot(loss, plot, title=title_of(question))
    return loss_report(loss)


def _word(question: Question, text: str, certificate: Path | None) -> Report:
    check = answers.certify(question, _observations(text))
    write_certificate(certificate, check.certificate)
    return word_report(check)


def _bracket(
    question: Question, text: str, precision: str, budget: Budget, certificate: Path | None
) -> Report:
    low, dots, high = text.partition("..")
    if not dots:
        raise ParameterError(f"--bracket {text} is not an interval; write two numbers, such as 1.21..1.28")
    if certificate is not None:
        raise ParameterError("--bracket makes several certificates; ask again with --epsilon for one of them")
    ends = as_rational(low, "--bracket"), as_rational(high, "--bracket")
    found = answers.refine(question, *ends, as_rational(precision, "--precision"), budget)
    return refinement_report(question, found, ends)


def _delta(
    question: Question, most: Fraction | None, budget: Budget, chain: Path | None, certificate: Path | None
) -> Report:
    found = true_deltas(question, budget)
    if chain is not None:
        write_text(chain, lmc.write(found.unfolded.chain))
    if certificate is not None and len(found.pairs) != 1:
        raise ParameterError(f"--certificate is for one pair, and there are {len(found.pairs)}; use --pairs")
    write_certificate(certificate, found.pairs[0].found.distance.certificate)
    return deltas_report(found, most)


def _check_combination(given: dict[str, bool]) -> None:
    """Raises: ParameterError where two different questions are asked at once."""
    asked = [name for name, is_given in given.items() if is_given]
    if len(asked) > 1:
        raise ParameterError(f"{' and '.join(asked)} are different questions; ask one at a time")


def _probability(text: str) -> Fraction:
    value = as_rational(text, "--delta")
    if not 0 <= value < 1:
        raise ParameterError(f"--delta {text} must be at least 0 and below 1")
    return value


def _observations(text: str) -> list[str]:
    """The observations of a word, separated by blanks or commas; longer names in double quotes."""
    parts: list[str] = []
    for k, piece in enumerate(text.split('"')):
        parts += [piece] if k % 2 else piece.replace(",", " ").split()
    return parts
