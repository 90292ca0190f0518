"""``bdist dipc``: is a program private, for every epsilon?"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from bdist.budget import Budget, Stopped
from bdist.chains.drawings.plots import check_plot_path
from bdist.cli.terminal import LIMIT_REACHED, CertificateOut, Json, interruptible, print_json
from bdist.dipc.decision import decide, probabilities
from bdist.dipc.exploration import Shown
from bdist.dipc.losses import losses
from bdist.dipc.program import Interval, Program
from bdist.dipc.question import well_formed
from bdist.dipc.reports import (
    decision_document,
    decision_report,
    probability_documents,
    probability_report,
    tight_document,
    tight_report,
)
from bdist.dipc.text import load_program, read_claim, read_interval, text_of
from bdist.dipc.tightness import PRECISION, tight
from bdist.errors import ParameterError
from bdist.exact.reading import as_rational
from bdist.printing import named
from bdist.results import Answer
from bdist.text.writing import write_text

NAME = "dipc"
HELP = "Decide whether a program with noise is private for every epsilon; if not, show how."
EXAMPLE = "Example: bdist dipc instances/dipc/svt-three.dip"

VIOLATED = 1

ProgramFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="The program, a .dip file.", show_default=False)
]
WantedOutput = Annotated[
    str | None,
    typer.Argument(metavar="out=VALUES", help="With --probability: this output only.", show_default=False),
]
ClaimText = Annotated[
    str | None,
    typer.Option(
        "--claim",
        metavar="CLAIM",
        help="Ask this in place of the program's claim: '1/2*eps', or '1/2*eps, delta 1/1000'.",
    ),
]
IntervalText = Annotated[
    str | None,
    typer.Option(
        "--interval", metavar="I", help="The epsilons to ask about, such as '(0, 2]' or '(1, inf)'."
    ),
]
Epsilon = Annotated[
    str | None, typer.Option("--epsilon", metavar="Q", help="Ask about this epsilon alone; a rational.")
]
WantsTight = Annotated[
    bool,
    typer.Option("--tight", help="The smallest factor of eps for which the claim holds, from both sides."),
]
Precision = Annotated[
    str, typer.Option("--precision", metavar="Q", help="With --tight: how close the two sides shall come.")
]
WantedProbability = Annotated[
    str | None,
    typer.Option(
        "--probability",
        metavar="in=VALUES",
        help="Print the probabilities of the outputs on this input, as functions of eps: in=0,1",
    ),
]
Print = Annotated[
    bool, typer.Option("--print", help="Print the program in its canonical form, and decide nothing.")
]
Latex = Annotated[bool, typer.Option("--latex", help="Print closed forms in LaTeX.")]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="OUT", help="Draw the privacy loss against epsilon (.png or .svg)."),
]


def command(
    file: ProgramFile,
    out: WantedOutput = None,
    claim: ClaimText = None,
    interval: IntervalText = None,
    epsilon: Epsilon = None,
    wants_tight: WantsTight = False,
    precision: Precision = str(PRECISION),
    probability: WantedProbability = None,
    latex: Latex = False,
    print_: Print = False,
    plot: Plot = None,
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, decide, show."""
    if plot is not None:
        check_plot_path(plot)
    program = _asked(load_program(file), claim, interval, epsilon)
    title = named(program.name or file.stem)
    if print_:
        well_formed(program)
        typer.echo(text_of(program), nl=False)
        return
    if out is not None and probability is None:
        raise ParameterError(f"'{out}' goes with --probability in=...")
    with interruptible() as budget:
        if probability is not None:
            _show_probabilities(program, title, probability, out, latex, json, budget)
            return
        if wants_tight:
            _show_tight(program, title, as_rational(precision, "--precision"), certificate, json, budget)
            return
        found = decide(program, budget=budget)
        if certificate is not None and found.certificate is not None:
            write_text(certificate, found.certificate.to_json())
        if plot is not None:
            _draw(program, plot, title, budget)
    if json:
        print_json(decision_document(found))
    else:
        typer.echo(decision_report(title, found, latex))
    if found.answer is not Answer.HOLDS:
        raise typer.Exit(VIOLATED if found.answer is Answer.VIOLATED else LIMIT_REACHED)


def _asked(program: Program, claim: str | None, interval: str | None, epsilon: str | None) -> Program:
    """The program with the claim and the interval of the command line."""
    if claim is not None:
        program = replace(program, claim=read_claim(claim, "--claim"))
    if interval is not None:
        if epsilon is not None:
            raise ParameterError("ask about one --epsilon or about an --interval, not about both")
        program = replace(program, interval=read_interval(interval, "--interval"))
    if epsilon is not None:
        at = as_rational(epsilon, "--epsilon")
        if at <= 0:
            raise ParameterError(f"--epsilon {epsilon} must be positive")
        program = replace(program, interval=Interval(at, at, has_low=True, has_high=True))
    return program


def _show_probabilities(
    program: Program, title: str, wanted: str, out: str | None, latex: bool, json: bool, budget: Budget
) -> None:
    point = tuple(map(Fraction, _values(wanted, "in", "--probability")))
    try:
        found = probabilities(program, point, budget=budget)
    except Stopped:
        _give_up(budget)
    if out is not None:
        shown = _values(out, "out", "the output")
        if len(shown) != len(program.outputs) and found and len(shown) != len(next(iter(found))):
            raise ParameterError(f"{out} has {len(shown)} values, and an output has {len(next(iter(found)))}")
        found = {key: form for key, form in found.items() if key == shown}
    interval = program.interval
    at = interval.low if interval.low == interval.high else None
    if json:
        print_json(probability_documents(point, found, at))
    else:
        typer.echo(probability_report(title, point, found, latex, at, out))


def _values(text: str, name: str, what: str) -> Shown:
    """The numbers of ``in=0,1``."""
    head, sign, rest = text.partition("=")
    if not sign or head.strip() != name:
        raise ParameterError(f"{what} is {name}=VALUES, such as {name}=0,1; found '{text}'")
    words = {"true": True, "false": False}
    return tuple(
        words[part.strip()] if part.strip() in words else as_rational(part.strip(), what)
        for part in rest.strip().strip("()").split(",")
    )


def _show_tight(
    program: Program, title: str, precision: Fraction, certificate: Path | None, json: bool, budget: Budget
) -> None:
    try:
        found = tight(program, precision=precision, budget=budget)
    except Stopped:
        _give_up(budget)
    if certificate is not None and found.upper is not None and found.upper.certificate is not None:
        write_text(certificate, found.upper.certificate.to_json())
    if json:
        print_json(tight_document(found))
    else:
        typer.echo(tight_report(title, found))
    if found.reason is not None:
        raise typer.Exit(LIMIT_REACHED)


def _draw(program: Program, path: Path, title: str, budget: Budget) -> None:
    from bdist.dipc.loss_plot import write_loss_plot

    try:
        write_loss_plot(losses(program, budget=budget), path, title=title)
    except Stopped:
        typer.echo("bdist: the time was up before the plot was drawn", err=True)


def _give_up(budget: Budget) -> NoReturn:
    raise Stopped(f"nothing was found: {budget.exhausted() or 'stopped'}")
