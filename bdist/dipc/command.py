"""``bdist dipc``: is a program private, for every epsilon? And what is printed: text and JSON."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import typer

from bdist.budget import Budget, Stopped
from bdist.chains.drawings.plots import check_plot_path
from bdist.cli.terminal import (
    CertificateOut,
    Json,
    argument,
    flag,
    interruptible,
    model_argument,
    option,
    print_report,
    refuse_ignored,
    write_certificate,
)
from bdist.dipc.certificate import values_document
from bdist.dipc.decision import LARGEST, PRECISION, Decision, Tight, Violation, decide, probabilities, tight
from bdist.dipc.distributions import shown_point
from bdist.dipc.exploration import Shown
from bdist.dipc.exponentials import ClosedForm
from bdist.dipc.losses import losses
from bdist.dipc.privacy import interval_at
from bdist.dipc.program import Interval, Number, Program
from bdist.dipc.rules import well_formed
from bdist.dipc.text import expression_text, load_program, read_claim, read_interval, write
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon, rational_beside
from bdist.exact.rationals import as_rational, counted, decimal_cut, decimal_down, decimal_up, rational_text
from bdist.printing import listed, named
from bdist.report import LIMIT_REACHED, Report
from bdist.results import Answer

NAME = "dipc"
HELP = "Decide whether a program with noise is private for every epsilon; if not, show how."
EXAMPLE = "Example: bdist dipc instances/dipc/svt-three.dip"


def command(
    file: Path = model_argument("The program, a .dip file.", ".dip"),
    out: str | None = argument("out=VALUES", "With --probability: this output only.", default=None),
    claim: str | None = option(
        "CLAIM", "Ask this in place of the program's claim: '1/2*eps', or '1/2*eps, delta 1/1000'."
    ),
    interval: str | None = option("I", "The epsilons to ask about, such as '(0, 2]' or '(1, inf)'."),
    epsilon: str | None = option(
        "Q",
        "Ask about this epsilon alone: p/q, a decimal, or 'ln q', which is asked as a narrow interval "
        "around it.",
    ),
    wants_tight: bool = flag(
        "--tight", "The smallest factor of eps for which the claim holds, from both sides."
    ),
    precision: str | None = option("Q", f"With --tight: the width at which to stop. [default: {PRECISION}]"),
    probability: str | None = option(
        "in=VALUES",
        "Print the probabilities of the outputs on this input, as functions of eps: in=0,1",
    ),
    latex: bool = flag("--latex", "Print closed forms in LaTeX."),
    print_: bool = flag("--print", "Print the program in its canonical form, and decide nothing."),
    plot: Path | None = option("OUT", "Draw the privacy loss against epsilon (.png or .svg)."),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, decide, show."""
    if plot is not None:
        check_plot_path(plot)
    if out is not None and probability is None:
        raise ParameterError(f"'{out}' goes with --probability in=...")
    answered = {"--plot": plot, "--certificate": certificate}
    if print_:
        others = {"--probability": probability, "--tight": wants_tight, "--latex": latex, "--json": json}
        refuse_ignored("--print", {**others, **answered})
    elif probability is not None:
        others = {"--tight": wants_tight, "--claim": claim, "--interval": interval}
        refuse_ignored("--probability", {**others, **answered})
        if epsilon is not None and Epsilon.of(epsilon).value is None:
            raise ParameterError(
                f"--epsilon '{epsilon}' is irrational, and closed forms are evaluated at rationals; "
                f"write {rational_text(rational_beside(epsilon))}"
            )
    elif wants_tight:
        refuse_ignored("--tight", {"--latex": latex, "--plot": plot})
    if not wants_tight:
        refuse_ignored("a question other than --tight", {"--precision": precision})
    program = _asked(load_program(file), claim, interval, epsilon)
    title = named(program.name or file.stem)
    if print_:
        well_formed(program)
        typer.echo(write(program), nl=False)
        return
    with interruptible() as budget:
        if probability is not None:
            report = _probabilities(program, title, probability, out, latex, budget)
        elif wants_tight:
            report = _tight(
                program, title, as_rational(precision or str(PRECISION), "--precision"), certificate, budget
            )
        else:
            found = decide(program, budget=budget)
            write_certificate(certificate, found.certificate)
            if plot is not None:
                _draw(program, plot, title, budget)
            report = _decision_report(title, found, latex, epsilon)
    print_report(report, json)


def _asked(program: Program, claim: str | None, interval: str | None, epsilon: str | None) -> Program:
    if claim is not None:
        program = replace(program, claim=read_claim(claim, "--claim"))
    if interval is not None:
        if epsilon is not None:
            raise ParameterError("ask about one --epsilon or about an --interval, not about both")
        program = replace(program, interval=read_interval(interval, "--interval"))
    if epsilon is not None:
        program = replace(program, interval=interval_at(epsilon))
    return program


def _probabilities(
    program: Program, title: str, wanted: str, out: str | None, latex: bool, budget: Budget
) -> Report:
    point = tuple(map(Fraction, _values(wanted, "in", "--probability")))
    try:
        found = probabilities(program, point, budget=budget)
    except Stopped:
        _give_up(budget)
    lines = [f"{title}: the probabilities of the outputs on the input {shown_point(point)}, exact"]
    if out is not None:
        shown = _values(out, "out", "the output")
        if len(shown) != len(program.outputs) and found and len(shown) != len(next(iter(found))):
            raise ParameterError(f"{out} has {len(shown)} values, and an output has {len(next(iter(found)))}")
        found = {key: form for key, form in found.items() if key == shown}
        if not found:
            lines.append(f"  {out.partition('=')[2]:<9} 0")
    interval = program.interval
    at = interval.low if interval.low == interval.high else None
    width = max((len(shown_point(shown)) for shown in found), default=0)
    for shown, form in found.items():
        value = ""
        if at is not None:
            low, high = form.enclosure(at, _DIGITS)
            value = f"    in [{low}, {high}] at eps = {rational_text(at)}"
        text = form.latex() if latex else form.text()
        lines.append(f"  {shown_point(shown):<{max(width, 9)}} {text}{value}")
    outputs = [
        {"output": values_document(shown), "probability": _form_document(form, at)}
        for shown, form in found.items()
    ]
    return Report("\n".join(lines), {"input": values_document(point), "outputs": outputs})


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


def _tight(
    program: Program, title: str, precision: Fraction, certificate: Path | None, budget: Budget
) -> Report:
    try:
        found = tight(program, precision=precision, budget=budget)
    except Stopped:
        _give_up(budget)
    write_certificate(certificate, None if found.holds is None else found.holds.certificate)
    return _tight_report(title, found)


def _draw(program: Program, path: Path, title: str, budget: Budget) -> None:
    from bdist.dipc.losses import write_loss_plot

    try:
        write_loss_plot(losses(program, budget=budget), path, title=title)
    except Stopped:
        typer.echo("bdist: the time was up before the plot was drawn", err=True)


def _give_up(budget: Budget) -> NoReturn:
    raise Stopped(f"nothing was found: {budget.exhausted() or 'stopped'}")


# --- reports ---


_MOST_OUTPUTS = 12
_LONGEST = 400
_DIGITS = 7


def _decision_report(title: str, found: Decision, latex: bool, epsilon: str | None) -> Report:
    privacy, span = privacy_text(found.program), interval_text(found.question.interval)
    if found.answer is Answer.UNKNOWN:
        lines = [f"{title}: it is not decided whether it is {privacy} for {span}"]
        lines.append(f"  reason    {found.reason}")
    else:
        verb = "is" if found.answer is Answer.HOLDS else "is not"
        lines = [f"{title} {verb} {privacy} for {span}        certified"]
    if found.violation is not None:
        lines += _violation_lines(found.program, found.violation, latex)
    if found.discretised and found.answer is not Answer.UNKNOWN:
        carries = "the program that shows the values themselves is not, either"
        keeps = "this says nothing about the program that shows the values themselves"
        note = carries if found.answer is Answer.VIOLATED else keeps
        lines.append(f"  note      outputs are discretised; {note}")
    if epsilon is not None and "ln" in epsilon:
        beside = "; a counterexample beside it need not be one at it" if found.violation else ""
        lines.append(f"  note      {epsilon.strip()} is irrational, and lies in this interval{beside}")
    text = "\n".join([*lines, *_work_lines(found)])
    return Report(text, _decision_document(found), found.answer.exit_code)


def _work_lines(found: Decision) -> list[str]:
    stats, lines = found.stats, []
    if "inputs" in stats:
        neighbours = ("ordered pair of neighbours", "ordered pairs of neighbours")
        nouns = {"inputs": ("input",), "pairs": neighbours, "outputs": ("output",), "states": ("state",)}
        sizes = ", ".join(counted(int(stats[name]), *noun) for name, noun in nouns.items())
        lines.append(f"  program   {sizes}")
    if "check_seconds" in stats:
        kinds = [
            f"{stats[name]} by {how}"
            for name, how in (("chains", "derivatives"), ("covers", "boxes"), ("factorisations", "factors"))
            if stats[name]
        ]
        proved = counted(int(stats["inequalities"]), "inequality", "inequalities") + (
            f" ({', '.join(kinds)})" if kinds else ""
        )
        if found.violation is not None:
            proved = f"the counterexample and {proved}" if stats["inequalities"] else "the counterexample"
        lines.append(f"  proof     {proved}, checked in {stats['check_seconds']:.2g} s")
    if "seconds" in stats:
        lines.append(f"  work      {stats['seconds']:.2g} s")
    return lines


def privacy_text(program: Program) -> str:
    """What is claimed, in words."""
    factor = program.claim.factor
    budget = "eps" if factor == 1 else f"{rational_text(factor)} eps"
    if program.claim.delta == Number(Fraction(0)):
        return f"{budget}-differentially private"
    return f"({budget}, {expression_text(program.claim.delta)})-differentially private"


def interval_text(interval: Interval) -> str:
    """For which epsilon, in words."""
    low = rational_text(interval.low)
    if interval.low == interval.high:
        return f"eps = {low}"
    if interval.high is None:
        return (
            "every eps > 0" if interval.low == 0 else f"every eps {'>=' if interval.has_low else '>'} {low}"
        )
    left, right = "[" if interval.has_low else "(", "]" if interval.has_high else ")"
    return f"every eps in {left}{low}, {rational_text(interval.high)}{right}"


def _violation_lines(program: Program, found: Violation, latex: bool) -> list[str]:
    names = shown_point(program.input_names)
    outputs = listed(found.outputs, _MOST_OUTPUTS, shown_point)
    lines = [
        f"  inputs    {names} = {shown_point(found.point)} and {shown_point(found.neighbour)}",
        f"  output    {outputs}" if len(found.outputs) == 1 else f"  outputs   {{{outputs}}}",
        f"  at        eps = {rational_text(found.epsilon)}",
    ]
    for name, form in (("P", found.probability), ("P'", found.other)):
        low, high = form.enclosure(found.epsilon, _DIGITS)
        lines.append(f"  {name:<9} {_form_text(form, latex)}")
        lines.append(f"            in [{low}, {high}]")
    return lines


def _form_text(form: ClosedForm, latex: bool) -> str:
    text = form.latex() if latex else form.text()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... (all of it with --json)"


def _decision_document(found: Decision) -> dict[str, object]:
    interval, violation = found.question.interval, found.violation
    return {
        "answer": found.answer.value,
        "claim": {
            "factor": rational_text(found.question.factor),
            "delta": expression_text(found.program.claim.delta),
            "interval": {
                "low": rational_text(interval.low),
                "high": None if interval.high is None else rational_text(interval.high),
                "has_low": interval.has_low,
                "has_high": interval.has_high,
            },
        },
        "violation": None
        if violation is None
        else {
            "input": values_document(violation.point),
            "neighbour": values_document(violation.neighbour),
            "outputs": [values_document(output) for output in violation.outputs],
            "epsilon": rational_text(violation.epsilon),
            "probability": _form_document(violation.probability, violation.epsilon),
            "other": _form_document(violation.other, violation.epsilon),
        },
        "discretised": found.discretised,
        "reason": found.reason,
        "stats": dict(found.stats),
    }


def _form_document(form: ClosedForm, at: Fraction | None) -> dict[str, object]:
    document = {**form.document(), "latex": form.latex()}
    if at is not None:
        document["enclosure"] = list(form.enclosure(at, 17))
    return document


# --- tight factors ---


def _tight_report(title: str, found: Tight) -> Report:
    low, high = (None if end is None else end.value for end in (found.lower, found.upper))
    head = f"{title}: the smallest factor of eps        certified"
    if found.impossible is not None:
        lines = [f"{title}: no factor of eps will do: {found.impossible}"]
    elif high is None:
        text = "none was found" if low is None else f"above {_factor_text(low)}"
        tried = f"; factors up to {rational_text(LARGEST)} were tried" if found.reason is None else ""
        head = f"{title}: no factor of eps was found for which the claim holds"
        lines = [head, f"  factor    {text}{tried}"]
    elif low is None:
        text = f"at most {_factor_text(high)}" if high else "0, as the claim holds even then"
        lines = [head, f"  factor    {text}"]
    else:
        lines = [head, f"  factor    in ({_factor_text(low)}, {_factor_text(high)}]"]
        lines.append(f"  holds     with {rational_text(high)} eps")
    if found.violated is not None and found.violated.violation is not None:
        violation = found.violated.violation
        points = f"{shown_point(violation.point)} and {shown_point(violation.neighbour)}"
        outputs = ", ".join(shown_point(output) for output in violation.outputs[:_MOST_OUTPUTS])
        factor, at = rational_text(low or Fraction(0)), rational_text(violation.epsilon)
        lines.append(f"  violated  with {factor} eps, at eps = {at}")
        lines.append(f"            by the inputs {points}, output {outputs}")
    if found.reason is not None:
        lines.append(f"  reason    {found.reason}")
    document = {
        "violated": None if low is None else rational_text(low),
        "holds": None if high is None else rational_text(high),
        "decimals": [
            None if low is None else decimal_down(low, 17),
            None if high is None else decimal_up(high, 17),
        ],
        "lower": None if found.violated is None else _decision_document(found.violated),
        "impossible": found.impossible,
        "reason": found.reason,
    }
    return Report("\n".join(lines), document, 0 if found.reason is None else LIMIT_REACHED)


def _factor_text(value: Fraction) -> str:
    text = rational_text(value)
    return text if value.denominator == 1 else f"{text} = {decimal_cut(value, _DIGITS)}"
