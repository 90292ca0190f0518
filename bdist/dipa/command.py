"""``bdist dipa``: is an automaton private, for every epsilon and inputs of any length?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby
from pathlib import Path

from bdist.cli.terminal import (
    CertificateOut,
    Json,
    flag,
    interruptible,
    model_argument,
    option,
    print_report,
    refuse_ignored,
    write_certificate,
)
from bdist.dipa.automaton import Automaton, Guard, Real
from bdist.dipa.decision import Decision, Kind, Violation, cost, decide
from bdist.dipa.probability import Enclosure, Step
from bdist.dipa.text import load_automaton
from bdist.dipa.witness import MOST_REPETITIONS, Witness, witness_for
from bdist.errors import ParameterError
from bdist.exact.epsilon import rational_beside
from bdist.exact.rationals import as_rational, counted, decimal_down, decimal_up, rational_text
from bdist.printing import named
from bdist.report import Report

NAME = "dipa"
HELP = "Decide whether an automaton is private for every epsilon, on inputs of any length; if not, show how."
EXAMPLE = "Example: bdist dipa instances/dipa/sparse-vector.dipa"

WITNESS_SECONDS = 10.0
_MOST_STEPS = 12
_DIGITS = 6
_WEIGHT_STEPS = 20


def command(
    file: Path = model_argument("The automaton, a .dipa file.", ".dipa"),
    epsilon: str | None = option(
        "E", "The epsilon at which a leak is shown: p/q, a decimal, or 'ln q'. [default: 1]"
    ),
    ratio: str | None = option(
        "R", "Repeat the cycles of a leak until its ratio is this large. [default: 1000]"
    ),
    witness: bool = flag(
        "--witness/--no-witness", "Show a leak with numbers, not just as a path.", default=True
    ),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, decide, show."""
    if not witness:
        refuse_ignored("--no-witness", {"--epsilon": epsilon, "--ratio": ratio})
    epsilon = epsilon or "1"
    at, wanted = rational_beside(epsilon), as_rational(ratio or "1000", "--ratio")
    if at <= 0:
        raise ParameterError(f"--epsilon {epsilon} must be positive")
    automaton = load_automaton(file)
    with interruptible() as budget:
        decision = decide(automaton, budget=budget)
    shown: tuple[Witness, ...] = ()
    if decision.violation is not None and witness:
        with interruptible(WITNESS_SECONDS) as budget:
            shown = witness_for(automaton, decision.violation, at, wanted, budget)
    write_certificate(certificate, decision.certificate)
    text = _text(decision, shown, wanted, epsilon)
    print_report(Report(text, _document(decision, shown), decision.answer.exit_code), json)


def _text(decision: Decision, shown: Sequence[Witness], wanted: Fraction, epsilon: str) -> str:
    automaton, weight, violation = decision.automaton, decision.weight, decision.violation
    title = named(automaton.name) if automaton.name else "the automaton"
    lines: list[str] = []
    if weight is not None:
        factor = "" if weight.value == 1 else f"{rational_text(weight.value)} "
        privacy = f"{factor}epsilon-differentially private for every epsilon"
        lines = [f"{title} is private: {privacy}        certified"]
        lines += _steps(
            "weight",
            weight.critical,
            _WEIGHT_STEPS,
            lambda t: f"{rational_text(cost(automaton, t))} at {_arrow(automaton, t)}",
        )
    if violation is not None:
        lines = [f"{title} is not private for any bound: {violation.kind.value}        certified"]
        lines += _violation_lines(automaton, violation)
        lines += _witness_lines(automaton, shown, wanted, epsilon)
    stats = decision.stats
    lines.append(
        f"  proof     {counted(int(stats['components']), 'component')} of "
        f"{counted(int(stats['reached']), 'transition')}, "
        f"checked in {stats['check_seconds']:.2g} s"
    )
    lines.append(f"  work      {stats['seconds']:.2g} s")
    return "\n".join(lines)


def _steps(word: str, transitions: Sequence[int], most: int, text: Callable[[int], str]) -> list[str]:
    """A line a transition, the first behind a word, and how many more there are."""
    lines = [f"  {word if k == 0 else '':<10}{text(t)}" for k, t in enumerate(transitions[:most])]
    more = len(transitions) - most
    return lines + ([f"            and {more} more (all of them with --json)"] if more > 0 else [])


def _violation_lines(automaton: Automaton, violation: Violation) -> list[str]:
    is_early = violation.kind in (Kind.DISCLOSED_STORE, Kind.DISCLOSED_SAMPLE)
    is_late = violation.kind is Kind.LATE_DISCLOSURE
    parts = (
        ("reached", violation.prefix),
        ("tells" if is_early else "cycle", violation.first),
        ("then", violation.between),
        ("tells" if is_late else "cycle", violation.second),
    )
    arrow = partial(_arrow, automaton)
    return [line for word, part in parts for line in _steps(word, part, _MOST_STEPS, arrow)]


def _witness_lines(
    automaton: Automaton, shown: Sequence[Witness], wanted: Fraction, epsilon: str
) -> list[str]:
    if not shown:
        return []
    last = shown[-1]
    at = rational_text(last.epsilon)
    if "ln" in epsilon:
        at = f"{decimal_down(last.epsilon)}, just below {epsilon.strip()}"
    lines = [f"  witness   two adjacent inputs with the same output, at epsilon {at}"]
    rows = [("repeated", "likely", "unlikely", "ratio at least")]
    rows += [
        (
            str(w.repetitions),
            decimal_down(w.likely.lower.value, _DIGITS),
            decimal_up(w.unlikely.upper.value, _DIGITS),
            decimal_down(w.ratio, _DIGITS),
        )
        for w in shown
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    lines += [
        "            " + "  ".join(c.rjust(n) for c, n in zip(row, widths, strict=True)) for row in rows
    ]
    lines.append(f"  input a   {_in_runs(_inputs(last.consistent), ', ')}")
    lines.append(f"  input b   {_in_runs(_inputs(last.opposed), ', ')}")
    outputs = [_output(automaton, step) for step in last.consistent]
    lines.append(f"  output    {_in_runs(outputs, ' ')}")
    if last.ratio < wanted:
        all_tried = last.repetitions == MOST_REPETITIONS
        why = "no more repetitions are tried" if all_tried else "the time was up"
        lines.append(f"            the ratio is not as large as asked for: {why}")
    return lines


def _arrow(automaton: Automaton, t: int) -> str:
    transition = automaton.transitions[t]
    source, target = (named(automaton.states[k].name) for k in (transition.source, transition.target))
    store = ", x := insample" if transition.assigns else ""
    guard = "" if transition.guard is Guard.TRUE else f"if {transition.guard.value}, "
    return f"{source} -> {target}  ({guard}output {transition.output}{store})"


def _inputs(path: Sequence[Step]) -> list[str]:
    return [rational_text(step.input) for step in path if step.input is not None]


def _in_runs(words: Sequence[str], between: str) -> str:
    """Words of which many in a row are the same, each run once with its length."""
    runs = [(word, len(list(group))) for word, group in groupby(words)]
    shown = [word if count == 1 else f"{word} ({count} times)" for word, count in runs[:_MOST_STEPS]]
    more = f" ... ({len(words)} in all)" if len(runs) > _MOST_STEPS else ""
    return between.join(shown) + more


def _output(automaton: Automaton, step: Step) -> str:
    output = automaton.transitions[step.transition].output
    if not isinstance(output, Real) or step.interval is None:
        return str(output)
    low, high = (None if end is None else rational_text(end) for end in step.interval)
    if low is None and high is None:
        return str(output)
    return f"{output} in [{'-oo' if low is None else low}, {'oo' if high is None else high}]"


def _document(decision: Decision, shown: Sequence[Witness]) -> dict[str, object]:
    automaton, weight, violation = decision.automaton, decision.weight, decision.violation
    return {
        "answer": decision.answer.value,
        "weight": None if weight is None else rational_text(weight.value),
        "path": None if weight is None else _transitions(automaton, weight.path),
        "violation": None
        if violation is None
        else {
            "kind": violation.kind.value,
            "rising": violation.rising,
            **{
                part: _transitions(automaton, getattr(violation, part))
                for part in ("prefix", "first", "between", "second")
            },
        },
        "witnesses": [_witness_document(automaton, witness) for witness in shown],
        "stats": dict(decision.stats),
    }


def _witness_document(automaton: Automaton, witness: Witness) -> dict[str, object]:
    return {
        "repetitions": witness.repetitions,
        "epsilon": rational_text(witness.epsilon),
        "ratio_at_least": decimal_down(witness.ratio, 17),
        "likely": _ends(witness.likely),
        "unlikely": _ends(witness.unlikely),
        "inputs": [_inputs(witness.consistent), _inputs(witness.opposed)],
        "outputs": [_output(automaton, step) for step in witness.consistent],
    }


def _ends(enclosure: Enclosure) -> list[str]:
    return [decimal_down(enclosure.lower.value, 17), decimal_up(enclosure.upper.value, 17)]


def _transitions(automaton: Automaton, transitions: Sequence[int]) -> list[dict[str, object]]:
    chosen = [automaton.transitions[t] for t in transitions]
    return [
        {
            "source": automaton.states[t.source].name,
            "target": automaton.states[t.target].name,
            "guard": t.guard.value,
            "output": str(t.output),
            "assigns": t.assigns,
        }
        for t in chosen
    ]
