"""``bdist pufferfish``: what the observations of a hidden Markov model tell about its secrets.

The command reads words, asks one of several questions, and shows the answer: as text, as JSON, the losses as
a picture. The text has the verdict first, then the numbers that it rests on. In JSON rationals are strings,
and an infinite ratio is "inf".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, log
from pathlib import Path
from typing import TYPE_CHECKING

from bdist.budget import Budget
from bdist.chains.drawings.plots import arrange, check_plot_path, write_figure
from bdist.chains.formats import lmc
from bdist.chains.relation import parse_pairs
from bdist.cli.models import assignments
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
from bdist.errors import ParameterError
from bdist.exact.epsilon import log_text, log_up, rational_beside
from bdist.exact.rationals import (
    as_rational,
    counted,
    decimal_cut,
    decimal_down,
    decimal_up,
    exact_text,
    log_approx,
    rational_text,
)
from bdist.printing import named
from bdist.pufferfish import answers
from bdist.pufferfish import text as hmm
from bdist.pufferfish.answers import (
    BACKENDS,
    Decision,
    Growth,
    LengthLoss,
    Loss,
    Ratio,
    Refinement,
    Witness,
    WordCheck,
)
from bdist.pufferfish.certificate import point_texts, ratio_text
from bdist.pufferfish.closed_forms import Formula, Row, Table, tabulate
from bdist.pufferfish.delta import Deltas, true_deltas
from bdist.pufferfish.later import read_steps, secrets_at
from bdist.pufferfish.model import Pair
from bdist.pufferfish.question import Question, ask
from bdist.pufferfish.sampling import CONFIDENCE, Estimate, estimate
from bdist.pufferfish.text import load_hidden_model
from bdist.pufferfish.vulnerability import Bracket, Channel, Gain, read_channel, read_gain
from bdist.pufferfish.window import watched_after
from bdist.report import LIMIT_REACHED, VIOLATED, Report
from bdist.results import Answer
from bdist.text.files import write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "pufferfish"
HELP = (
    "Decide Pufferfish privacy of a hidden Markov model, for all words up to a length and all values of its "
    "parameters; or find the least epsilon, certify a word, refine an interval, find the least delta, tell "
    "words as formulas, what guessing gains, and what a tester would see."
)
EXAMPLE = "Example: bdist pufferfish instances/pufferfish/above-threshold.hmm --length 1..11"


def command(
    file: Path = model_argument("The model, an .hmm file.", ".hmm"),
    scenario: str | None = option("NAME", "Which scenario of the file, if it has several."),
    epsilon: str | None = option("E", "Decide for this epsilon: a number, or 'ln q' or 'n ln q', exact."),
    length: str | None = option("K|1..K|any", "Words of which length count."),
    pairs: str | None = option(
        "A:B,...",
        "Compare these, in both directions, in place of the scenario's: states, initial "
        "distributions or secrets.",
    ),
    directed: bool = flag("--directed", "With --pairs: only from the first of a pair to the second."),
    step: str | None = option(
        "I|1..I", "The secrets are the states at these steps, counted from 1, after --start."
    ),
    start: str | None = option("NAME", "With --step: the state or initial distribution in which runs begin."),
    after: int | None = option(
        "N", "The observer begins to watch after N steps: words begin with observation N + 1."
    ),
    unfolded: Path | None = option(
        "OUT", "With --step or --after: write the model that the certificate speaks of, an .hmm file."
    ),
    words: str | None = option(
        "all|common", "Which words count: all, or only those that both sides can show."
    ),
    at: str | None = option("P=1/2,...", "Values for all parameters."),
    optimise: bool = flag(
        "--optimise", "Find the least epsilon at each length, even if the file gives an epsilon to decide."
    ),
    word: str | None = option(
        "'O1 O2 ...'",
        "Is this word a counterexample? Its exact probabilities; formulas, if parameters have no values.",
    ),
    table: bool = flag("--table", "The exact probability of every word of these lengths, as formulas."),
    latex: bool = flag("--latex", "With --table or --word: the formulas in LaTeX."),
    bracket: str | None = option("LOW..HIGH", "Refine an interval for the least epsilon."),
    precision: str | None = option(
        "Q", "With --bracket: how narrow the interval must become. [default: 1/1000]"
    ),
    true_delta: bool = flag("--true-delta", "The least delta at epsilon, for sets of words, with an attack."),
    delta: str | None = option("D", "Decide (epsilon, D)-Pufferfish privacy; implies --true-delta."),
    chain: Path | None = option(
        "OUT", "With --true-delta: write the chain that the certificate speaks of, an .lmc file."
    ),
    channel: bool = flag(
        "--channel", "Bayes vulnerability and min-capacity of what so many observations tell, exactly."
    ),
    prior: str | None = option(
        "S=1/2,...",
        "With --channel: how likely each secret is; if not given, as the scenario says, or uniform.",
    ),
    tries: int | None = option("K", "With --channel: the chance to guess right in K tries."),
    gain: Path | None = option(
        "FILE", 'With --channel: what guesses gain, JSON such as {"guess": {"secret": "1/2"}}.'
    ),
    sample: int | None = option(
        "N", "Sample N words of each side, as a tester would: an interval for the ratio of the worst."
    ),
    seed: int | None = option("S", "With --sample: the seed; 1 if not given."),
    backend: str | None = option(
        "|".join(BACKENDS),
        "What decides; if z3 finds no counterexample, nothing is proved. [default: search]",
    ),
    plot: Path | None = option("OUT", "Draw epsilon against the length there: a .png or .svg file."),
    certificate: CertificateOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, answer one of several questions, print."""
    wants_delta = true_delta or delta is not None
    given = {
        "--word": word is not None,
        "--table": table,
        "--bracket": bracket is not None,
        "--true-delta": wants_delta,
        "--channel": channel,
        "--sample": sample is not None,
    }
    asked = [
        name for name, is_given in {**given, "--optimise": optimise or plot is not None}.items() if is_given
    ]
    if len(asked) > 1:
        raise ParameterError(f"{' and '.join(asked)} are different questions; ask one at a time")
    _check_applies(
        asked,
        epsilon=epsilon,
        length=length,
        precision=precision,
        backend=backend,
        words=words,
        directed=directed or None,
        certificate=certificate,
    )
    for name, is_given, needed, is_there in (
        ("--chain", chain is not None, "--true-delta", wants_delta),
        ("--latex", latex, "--table or --word", table or word is not None),
        ("--step", step is not None, "--start", start is not None),
        ("--start", start is not None, "--step", step is not None),
        ("--unfolded", unfolded is not None, "--step or --after", step is not None or after is not None),
        ("--prior", prior is not None, "--channel", channel),
        ("--tries", tries is not None, "--channel", channel),
        ("--gain", gain is not None, "--channel", channel),
        ("--seed", seed is not None, "--sample", sample is not None),
    ):
        if is_given and not is_there:
            raise ParameterError(f"{name} is for {needed}; give that as well")
    if plot is not None:
        check_plot_path(plot)
    most = None if delta is None else as_rational(delta, "--delta")
    if most is not None and not 0 <= most < 1:
        raise ParameterError(f"--delta {delta} must be at least 0 and below 1")
    model = load_hidden_model(file)
    named_pairs = None if pairs is None else parse_pairs(pairs)
    values = None if at is None else assignments("--at", at.split(","), "a parameter")
    if step is not None and start is not None:
        model = secrets_at(
            model, start, read_steps(step), scenario, pairs=named_pairs, directed=directed, at=values
        )
        scenario, named_pairs, directed, values = None, None, False, None
    if after is not None:
        model = watched_after(model, after, scenario, pairs=named_pairs, directed=directed, at=values)
        scenario, named_pairs, directed, values = None, None, False, None
    if unfolded is not None:
        write_text(unfolded, hmm.write(model))
    question = ask(
        model,
        scenario,
        pairs=named_pairs,
        directed=directed,
        words=words,
        lengths=length,
        epsilon=epsilon,
        at=values,
    )
    with interruptible() as budget:
        if table or (word is not None and (latex or question.is_parametric)):
            if certificate is not None:
                raise ParameterError("there is no certificate for formulas; give values for the parameters")
            found = tabulate(question, None if word is None else [_observations(word)])
            report = table_report(found, latex)
        elif channel:
            report = _channel(question, prior, tries, gain, budget)
        elif sample is not None:
            seen = estimate(question, sample, 1 if seed is None else seed)
            report = sample_report(seen, answers.optimise(question, budget))
        elif word is not None:
            check = answers.certify(question, _observations(word))
            write_certificate(certificate, check.certificate)
            report = word_report(check)
        elif bracket is not None:
            report = _bracket(question, bracket, precision or "1/1000", budget, certificate)
        elif wants_delta:
            report = _delta(question, most, budget, chain, certificate)
        elif question.epsilon is None or optimise or plot is not None:
            if backend is not None:
                raise ParameterError("--backend is for deciding an epsilon; give one with --epsilon")
            loss = answers.optimise(question, budget)
            write_certificate(certificate, loss.certificate)
            if plot is not None:
                write_figure(plot, lambda axes: _draw(axes, loss, title_of(question)))
            report = loss_report(loss)
        else:
            decision = answers.decide(question, budget, backend or "search")
            write_certificate(certificate, decision.certificate)
            report = decision_report(decision)
    print_report(report, json)


def _check_applies(asked: Sequence[str], **given: object) -> None:
    """Refuse what the question does not use; ``asked`` has its option. Raises: ParameterError."""
    unused = {
        "": ("precision",),
        "--bracket": ("epsilon", "backend"),
        "--word": ("length", "precision", "backend"),
    }
    unused |= {"--true-delta": ("precision", "backend"), "--optimise": ("epsilon", "precision", "backend")}
    told = ("epsilon", "precision", "backend", "certificate")
    unused |= {"--table": told, "--sample": told, "--channel": (*told, "words", "directed")}
    question = next(iter(asked), "")
    for name in unused[question]:
        if name == "precision" and given[name] is not None:
            raise ParameterError("--precision is for --bracket LOW..HIGH; leave it out, or give that as well")
        refuse_ignored(question, {f"--{name}": given[name]})


def _bracket(
    question: Question, text: str, precision: str, budget: Budget, certificate: Path | None
) -> Report:
    low, dots, high = text.partition("..")
    if not dots:
        raise ParameterError(f"--bracket {text} is not an interval; write two numbers, such as 1.21..1.28")
    if certificate is not None:
        raise ParameterError("--bracket makes several certificates; ask again with --epsilon for one of them")
    ends = rational_beside(low), rational_beside(high, up=True)
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


def _channel(
    question: Question, prior: str | None, tries: int | None, gain: Path | None, budget: Budget
) -> Report:
    if tries is not None and tries < 1:
        raise ParameterError(f"--tries {tries} must be at least 1")
    given = None if prior is None else assignments("--prior", prior.split(","), "a secret")
    found = read_channel(question, given, budget)
    return channel_report(found, tries or 1, None if gain is None else read_gain(gain))


def _observations(text: str) -> list[str]:
    """The observations of a word, separated by blanks or commas; longer names in double quotes."""
    parts: list[str] = []
    for k, piece in enumerate(text.split('"')):
        parts += [piece] if k % 2 else piece.replace(",", " ").split()
    return parts


# --- text ---


_MOST_ROWS = 16
_LONGEST_RATIO = 24
_MOST_OBSERVATIONS = 24
_DIGITS = 7
_NO_EPSILON = "no epsilon will do"


def title_of(question: Question) -> str:
    """What was asked about: the model and the scenario."""
    title = named(question.model.name or "the model")
    return f"{title}, {named(question.scenario)}" if question.scenario else title


def decision_report(decision: Decision) -> Report:
    """A decision with its witness, or with what is proved."""
    question, epsilon = decision.question, decision.epsilon
    title = f"{title_of(question)}: epsilon = {epsilon.text}"
    if decision.answer is Answer.HOLDS:
        lines = [f"{title} holds        certified"]
        lines.append(f"  loss      at most {_ratio(decision.bound)}, for {_scope(question)}")
    elif decision.answer is Answer.VIOLATED:
        lines = [f"{title} is violated        certified", *_witness_lines(decision.witness)]
    else:
        lines = [f"{title}: unknown", f"  reason    {decision.reason}"]
        if decision.hint is not None:
            lines.append(f"  hint      it {decision.hint.value}, without a proof")
        if decision.holds_up_to >= question.lengths.least:
            lines.append(f"  proved    it holds for words of up to {decision.holds_up_to} observations")
        if decision.bound is not None:
            lines.append(
                f"  loss      at most {_ratio(decision.bound)}, so epsilon = "
                f"{_epsilon_decimal(decision.bound, up=True)} holds, certified"
            )
    document = {
        **_question_json(question),
        "answer": decision.answer.value,
        "bound": None
        if decision.answer is Answer.UNKNOWN and decision.bound is None
        else ratio_text(decision.bound),
        "witness": _witness_json(decision.witness),
        "reason": decision.reason,
        "hint": None if decision.hint is None else decision.hint.value,
        "holds_up_to": decision.holds_up_to or None,
        "stats": dict(decision.stats),
    }
    text = "\n".join([*lines, *_work_lines(decision.stats)])
    return Report(text, document, decision.answer.exit_code)


def loss_report(loss: Loss) -> Report:
    """The least epsilon and its word; then length by length, and what becomes of it."""
    question = loss.question
    endless = question.lengths.most is None
    if endless and loss.growth is not None:
        lines = [f"{title_of(question)}: {_NO_EPSILON}, for {_scope(question)}        certified"]
    else:
        strength = "exact, certified" if loss.exact else "certified"
        lines = [f"{title_of(question)}: the least epsilon, for {_scope(question)}        {strength}"]
        lines += _worst_lines(loss)
    if loss.growth is not None:
        lines += _growth_lines(loss.growth)
    if not endless or loss.growth is not None:
        lines += _rows(loss.lengths)
    cut_short = loss.limit is not None and loss.growth is None
    if cut_short:
        lines.append(f"  limit     {loss.limit}")
    text = "\n".join([*lines, *_work_lines(loss.stats)])
    return Report(text, _loss_json(loss), LIMIT_REACHED if cut_short else 0)


def _worst_lines(loss: Loss) -> list[str]:
    """The largest loss so far with its word; it bounds from below only, where lengths are missing."""
    worst = loss.worst
    if worst is None:
        return ["  nothing is proved"]
    if worst.witness is None:
        return ["  epsilon   0: no word counts" if loss.complete else "  no word counts so far"]
    if worst.lower is None or (loss.complete and worst.lower == loss.upper):
        line = f"  epsilon   {_epsilon(worst.lower)}"
    elif loss.complete and loss.upper is not None:
        line = (
            f"  epsilon   at least {_epsilon(worst.lower)}, at most {_epsilon_decimal(loss.upper, up=True)}"
        )
    else:
        line = f"  epsilon   at least {_epsilon(worst.lower)}"
    if len(loss.lengths) > 1:
        line += f"  at length {worst.length}"
    return [line, *_witness_lines(worst.witness)]


def word_report(check: WordCheck) -> Report:
    """A word under the pair where it tells most, and under how many others it counts."""
    question, epsilon, violated = check.question, check.question.epsilon, check.answer is Answer.VIOLATED
    if not check.witnesses:
        sides = "both sides" if question.words.value == "common" else "the first side"
        head = f"the word counts under no pair, as it is not possible on {sides}"
    elif epsilon is None:
        head = "its ratio        certified"
    else:
        article = "a" if violated else "no"
        head = f"it is {article} counterexample to epsilon = {epsilon.text}        certified"
    lines = [f"{title_of(question)}: {head}", *_witness_lines(next(iter(check.witnesses), None))]
    others = [f"{_ratio(w.ratio)} for {named(w.pair)}" for w in check.witnesses[1:4]]
    if others:
        more = len(check.witnesses) - 1 - len(others)
        lines.append(f"  others    {', '.join(others)}{f' and {more} more' if more else ''}")
    document = {
        **_question_json(question),
        "answer": None if check.answer is None else check.answer.value,
        "word": list(check.word),
        "witnesses": [_witness_json(witness) for witness in check.witnesses],
    }
    return Report("\n".join(lines), document, VIOLATED if violated else 0)


def refinement_report(question: Question, found: Refinement, ends: tuple[Fraction, Fraction]) -> Report:
    """The interval, and the decisions that made it."""
    title = f"{title_of(question)}: the least epsilon, for {_scope(question)}"
    if found.exact is not None:
        head = f"is {_epsilon(found.exact)}        exact, certified"
    elif found.upper is not None:
        low, high = decimal_down(found.lower, _DIGITS), decimal_up(found.upper, _DIGITS)
        head = f"is in [{low}, {high}]        certified"
    else:
        head = f"is at least {decimal_down(found.lower, _DIGITS)}        certified"
    lines = [f"{title}, {head}"]
    lines += [f"  {d.answer.value:<9} at epsilon {_decision_place(d)}" for d in found.decisions]
    inside = found.upper is not None and ends[0] <= found.upper and found.lower <= ends[1]
    if found.limit is None and not inside:
        lines.append("  note      that is outside of the interval given")
    if found.violated is not None:
        lines += _witness_lines(found.violated.witness)
    if found.limit is not None:
        lines.append(f"  limit     {found.limit}")
    document = {
        **_question_json(question),
        "lower": decimal_down(found.lower, 17),
        "upper": None if found.upper is None else decimal_up(found.upper, 17),
        "exact": None if found.exact is None else f"ln {rational_text(found.exact)}",
        "decisions": [
            {"epsilon": d.epsilon.text, "answer": d.answer.value, "bound": ratio_text(d.bound)}
            for d in found.decisions
        ],
        "witness": None if found.violated is None else _witness_json(found.violated.witness),
        "limit": found.limit,
    }
    return Report("\n".join(lines), document, LIMIT_REACHED if found.limit is not None else 0)


def table_report(found: Table, latex: bool = False) -> Report:
    """Words with both probabilities and their ratio, under each pair."""
    question = found.question
    title = f"{title_of(question)}: the probability of words, {_pairs(question.pairs)}        exact"
    lines = [] if latex else [title]
    for pair in dict.fromkeys(row.pair for row in found.rows):
        rows = [row for row in found.rows if row.pair == pair]
        lines += _latex_rows(pair, rows) if latex else _formula_rows(pair, rows)
    if not found.rows:
        lines.append("% no word can be shown" if latex else "  no word can be shown")
    document = {
        **_question_json(question),
        "words": [
            {
                "pair": _pair_json(row.pair),
                "word": list(row.word),
                "probabilities": [str(row.first), str(row.second)],
                "ratio": None if row.ratio is None else str(row.ratio),
                "latex": {
                    "probabilities": [row.first.latex, row.second.latex],
                    "ratio": None if row.ratio is None else row.ratio.latex,
                },
            }
            for row in found.rows
        ],
    }
    return Report("\n".join(lines), document, 0)


def _formula_rows(pair: Pair, rows: Sequence[Row]) -> list[str]:
    head = ("word", f"under {named(pair.first)}", f"under {named(pair.second)}", "ratio")
    cells = [
        (" ".join(map(named, row.word)), str(row.first), str(row.second), _ratio_text(row.ratio))
        for row in rows
    ]
    widths = [max(len(cell[k]) for cell in (head, *cells)) for k in range(4)]
    lines = [f"  between {named(pair)}"]
    return lines + [
        "    " + "  ".join(c.ljust(n) for c, n in zip(cell, widths, strict=True)).rstrip()
        for cell in (head, *cells)
    ]


def _ratio_text(ratio: Formula | None) -> str:
    return "infinite" if ratio is None else str(ratio)


def _latex_rows(pair: Pair, rows: Sequence[Row]) -> list[str]:
    def text(of: str) -> str:
        return "".join(f"\\{c}" if c in "#$%&_{}" else c for c in of)

    first, second = text(pair.first), text(pair.second)
    lines = [r"\begin{tabular}{llll}", rf"word & under {first} & under {second} & ratio \\ \hline"]
    for row in rows:
        ratio = r"\infty" if row.ratio is None else row.ratio.latex
        word = text(" ".join(row.word))
        lines.append(rf"{word} & ${row.first.latex}$ & ${row.second.latex}$ & ${ratio}$ \\")
    return [*lines, r"\end{tabular}"]


def channel_report(found: Channel, tries: int = 1, gain: Gain | None = None) -> Report:
    """What a guess gains by looking; both ends where the search was cut short."""
    question, capacity, after, before = (
        found.question,
        found.capacity,
        found.after(tries),
        found.before(tries),
    )
    seen = f"{counted(found.length, 'observation')} {'tells' if found.length == 1 else 'tell'}"
    where = "" if question.at is None else f", {_values(question.at)}"
    strength = "exact" if found.limit is None else "bounds"
    prior = ", ".join(
        f"{named(s)} {rational_text(p)}" for s, p in zip(found.secrets, found.prior, strict=True)
    )
    chance = "to guess right" if tries == 1 else f"to guess right in {tries} tries"
    head = f"what {seen} about {counted(len(found.secrets), 'secret')}{where}"
    lines = [
        f"{title_of(question)}: {head}        {strength}",
        f"  prior     {prior}",
        f"  chance    {chance}: {_short(before)} before, {_interval(after)} after",
        f"  capacity  looking multiplies the chance of one guess by {_interval(capacity)} at most, "
        f"whatever the prior: {_bits(capacity)} bits",
    ]
    rewards = None
    if gain is not None:
        rewards = found.gain_before(gain), found.gain_after(gain)
        lines.append(f"  gain      {_short(rewards[0])} before, {_interval(rewards[1])} after")
    if found.limit is not None:
        lines.append(f"  limit     {found.limit}")
    document = {
        **_question_json(question),
        "length": found.length,
        "secrets": list(found.secrets),
        "prior": [rational_text(p) for p in found.prior],
        "tries": tries,
        "before": rational_text(before),
        "after": _interval_json(after),
        "capacity": _interval_json(capacity),
        "gain": None
        if rewards is None
        else {"before": rational_text(rewards[0]), "after": _interval_json(rewards[1])},
        "columns": len(found.coarse),
        "limit": found.limit,
    }
    return Report("\n".join(lines), document, LIMIT_REACHED if found.limit is not None else 0)


def _interval(found: Bracket) -> str:
    if found.exact is not None:
        return exact_text(found.exact, _DIGITS) if found.exact.denominator > 1 else _short(found.exact)
    return f"from {decimal_down(found.low, _DIGITS)} to {decimal_up(found.high, _DIGITS)}"


def _interval_json(found: Bracket) -> list[str]:
    return [rational_text(found.low), rational_text(found.high)]


def _bits(found: Bracket) -> str:
    if found.exact == 1:
        return "0"
    low, high = (f"{log_approx(end) / log(2):.4f}" for end in (found.low, found.high))
    return f"about {low}" if low == high else f"about {low} to {high}"


def sample_report(found: Estimate, loss: Loss) -> Report:
    """The word that a tester finds with its interval, and what is true and proved beside it."""
    question, (first, second) = found.question, found.probabilities
    high = "no end" if found.high_approx == inf else f"{found.high_approx:.4g}"
    inside = found.ratio is not None and found.low_approx <= found.ratio <= found.high_approx
    lines = [
        f"{title_of(question)}: a tester's estimate, for {_scope(question)}",
        f"  word      {_word(found.word)}",
        f"  between   {named(found.pair)}",
        f"  seen      {found.first} and {found.second} times in {found.runs} fresh runs of each side, "
        f"seed {found.seed}",
        f"  ratio     with {CONFIDENCE:.0%} confidence from {found.low_approx:.4g} to {high}",
        f"  exactly   {_ratio(found.ratio)}, {exact_text(first, _DIGITS)} and {exact_text(second, _DIGITS)}",
        f"  loss      {_proved_loss(loss)}",
    ]
    document = {
        **_question_json(question),
        "word": list(found.word),
        "pair": _pair_json(found.pair),
        "runs": found.runs,
        "seed": found.seed,
        "seen": [found.first, found.second],
        "confidence": CONFIDENCE,
        "interval": [found.low_approx, None if found.high_approx == inf else found.high_approx],
        "ratio": ratio_text(found.ratio),
        "probabilities": [rational_text(first), rational_text(second)],
        "inside": inside,
        "loss": {
            "lower": ratio_text(None if loss.worst is None else loss.worst.lower),
            "upper": None if loss.upper is None else rational_text(loss.upper),
        },
    }
    return Report("\n".join(lines), document, 0)


def _proved_loss(loss: Loss) -> str:
    """The largest loss of all words that were asked about, as far as it is proved."""
    lower = Fraction(0) if loss.worst is None else loss.worst.lower
    if loss.growth is not None or lower is None:
        return f"{_short(lower)} at least, certified" if lower is not None else "infinite, certified"
    if lower == loss.upper:
        return f"{_ratio(lower)}, certified: no word has a larger ratio"
    upper = "" if loss.upper is None else f", at most {decimal_up(loss.upper, _DIGITS)}"
    return f"at least {_short(lower)}{upper}, certified"


def deltas_report(found: Deltas, most: Fraction | None) -> Report:
    """The least delta of each pair, the largest with its attack; or a verdict on one.

    Both ends of every bracket are certified.
    """
    question, chain = found.question, found.unfolded.chain
    epsilon = "" if question.epsilon is None else question.epsilon.text
    answer = None if most is None else found.answer(most)
    if most is None or answer is None:
        head = f"the least delta at epsilon = {epsilon}, for {_scope(question)}"
        code = LIMIT_REACHED if any(pair.found.distance.limit for pair in found.pairs) else 0
    else:
        verdict = {Answer.HOLDS: "holds", Answer.VIOLATED: "is violated", Answer.UNKNOWN: "is not decided"}
        strength = "" if answer is Answer.UNKNOWN else "        certified"
        privacy = f"({epsilon}, {rational_text(most)})-Pufferfish privacy"
        head = f"{privacy} {verdict[answer]}, for {_scope(question)}{strength}"
        code = answer.exit_code
    lines = [f"{title_of(question)}: {head}"]
    ordered = sorted(found.pairs, key=lambda p: p.found.bracket.upper.value, reverse=True)
    for pair in ordered[:_MOST_ROWS]:
        name = f"{named(pair.pair.first)} {'-' if pair.both else '->'} {named(pair.pair.second)}"
        lines.append(f"  delta     {pair.found.bracket.headline(name, pair.found.distance.limit)}")
    if len(ordered) > _MOST_ROWS:
        lines.append(f"            and {len(ordered) - _MOST_ROWS} more pairs (all of them with --json)")
    if ordered[0].found.attack is not None:
        lines += ordered[0].found.attack.report_lines()
    lines.append(f"  proof     about the chain of the model, with {len(chain)} states; --chain OUT writes it")
    document = {
        **_question_json(question),
        "delta": None if most is None else rational_text(most),
        "answer": None if answer is None else answer.value,
        "chain_states": len(chain),
        "pairs": [
            {"pair": _pair_json(p.pair), "both_directions": p.both, "true_delta": p.found.document()}
            for p in found.pairs
        ],
    }
    return Report("\n".join(lines), document, code)


def _scope(question: Question) -> str:
    lengths = question.lengths
    if lengths.most is None:
        words = "words of any length"
    elif lengths.least == lengths.most:
        words = f"words of length {lengths.most}"
    else:
        words = f"words of {lengths.least} to {lengths.most} observations"
    parts = [("common " if question.words.value == "common" else "all ") + words]
    parts.append(_pairs(question.pairs))
    if question.at is not None:
        parts.append(_values(question.at))
    elif question.model.parameters:
        ranges = [
            f"{p.name} in {'[' if p.has_low else '('}{rational_text(p.low)}, {rational_text(p.high)}"
            f"{']' if p.has_high else ')'}"
            for p in question.model.parameters
        ]
        parts.append(f"all {', '.join(ranges)}")
    return ", ".join(parts)


def _pairs(pairs: Sequence[Pair]) -> str:
    directed = set(pairs)
    both = sum(pair.mirrored in directed for pair in directed) // 2
    single = len(directed) - 2 * both
    parts = [counted(both, "pair")] if both else []
    parts += [f"{counted(single, 'pair')} in one direction"] if single else []
    return " and ".join(parts)


def _witness_lines(witness: Witness | None) -> list[str]:
    if witness is None:
        return []
    lines = [f"  word      {_word(witness.word)}", f"  between   {named(witness.pair)}"]
    if witness.limit is not None:
        return [*lines, f"  ratio     {_ratio(witness.ratio)}, in the limit as {_limit(witness)}"]
    lines.append(
        f"  ratio     {_ratio(witness.ratio)}" + ("" if witness.at is None else f" at {_values(witness.at)}")
    )
    if witness.probabilities is not None:
        first, second = witness.probabilities
        lines.append(f"            {exact_text(first, _DIGITS)} under {named(witness.pair.first)},")
        lines.append(f"            {exact_text(second, _DIGITS)} under {named(witness.pair.second)}")
    return lines


def _growth_lines(growth: Growth) -> list[str]:
    parts = [*growth.prefix, f"({_word(growth.block)})^n", *growth.suffix]
    factor = _short(growth.factor) if growth.factor.denominator == 1 else f"({_short(growth.factor)})"
    return [
        f"  unbounded {_word(parts)}",
        f"            between {named(growth.pair)}: the ratio grows at least like {factor}^n, "
        f"so {_NO_EPSILON}",
    ]


def _rows(lengths: Sequence[LengthLoss]) -> list[str]:
    """A row for each length at which the loss changes, if there is more than one."""
    if len(lengths) < 2:
        return []
    changed = [
        one
        for k, one in enumerate(lengths)
        if k == 0 or (one.lower, one.upper) != (lengths[k - 1].lower, lengths[k - 1].upper)
    ]
    shown = changed if len(changed) <= _MOST_ROWS else [*changed[: _MOST_ROWS - 2], changed[-1]]
    rows = [("length", "loss", "epsilon", "word")]
    for one in shown:
        loss, epsilon = f"{_short(one.lower)} to ?", "?"
        if one.exact:
            loss, epsilon = _short(one.lower), _epsilon_decimal(one.upper)
        elif one.bounded:
            loss = f"{_short(one.lower)} to {_short(one.upper)}"
            epsilon = f"<= {_epsilon_decimal(one.upper, up=True)}"
        word = "" if one.witness is None else _word(one.witness.word, 8)
        rows.append((str(one.length), loss, epsilon, word))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = [
        "  " + "  ".join(c.rjust(n) for c, n in zip(row, widths, strict=False)) + f"  {row[3]}"
        for row in rows
    ]
    if len(changed) > len(shown):
        lines.insert(
            -1, f"  ... {len(changed) - len(shown)} more lengths at which it grows (all of them with --json)"
        )
    if changed[-1].length != lengths[-1].length:
        lines.append(f"  and no change up to length {lengths[-1].length}")
    return lines


def _work_lines(stats: Mapping[str, int | float | str]) -> list[str]:
    lines = []
    if "check_seconds" in stats:
        kept = int(stats.get("nodes", 0)), "vector pair"
        if "vectors" in stats:
            kept = int(stats["vectors"]), "vector"
        lines.append(f"  proof     {counted(*kept)}, checked in {stats['check_seconds']:.2g} s")
    if "solver_seconds" in stats:
        lines.append(
            f"  work      z3: {counted(int(stats['scripts']), 'script')}, {stats['solver_seconds']:.2g} s"
        )
    else:
        lines.append(f"  work      {stats['seconds']:.2g} s")
    return lines


def _decision_place(decision: Decision) -> str:
    epsilon = decision.epsilon
    if epsilon.alpha is not None and epsilon.alpha > 1:
        return _epsilon(epsilon.alpha)
    return epsilon.text if len(epsilon.text) <= 12 else decimal_cut(epsilon.value or Fraction(0), _DIGITS)


def _epsilon(ratio: Ratio) -> str:
    """ln of a ratio with some digits of its value, or that there is none."""
    if ratio is None:
        return f"infinite: {_NO_EPSILON}"
    if ratio <= 1:
        return "0"
    shown = f"ln({_short(ratio)})" if ratio.denominator > 1 else f"ln {_short(ratio)}"
    return f"{shown} = {_epsilon_decimal(ratio)}"


def _epsilon_decimal(ratio: Ratio, *, up: bool = False) -> str:
    """ln of a ratio, cut; rounded up where it bounds from above."""
    if ratio is None:
        return "infinite"
    if ratio <= 1:
        return "0"
    return decimal_up(log_up(ratio), _DIGITS) if up else log_text(ratio, _DIGITS)


def _ratio(ratio: Ratio) -> str:
    return _short(ratio) if ratio is None or ratio.denominator == 1 else exact_text(ratio, _DIGITS)


def _short(ratio: Ratio) -> str:
    """A ratio exactly where it is short, otherwise its first digits, cut."""
    if ratio is None:
        return "infinite"
    text = rational_text(ratio)
    if len(text) <= _LONGEST_RATIO:
        return text
    whole = ratio.numerator // ratio.denominator
    if whole < 10**_DIGITS:
        return decimal_cut(ratio, _DIGITS)
    digits = rational_text(Fraction(whole))
    return f"{digits[0]}.{digits[1:_DIGITS]}...e{len(digits) - 1}"


def _word(word: Sequence[str], most: int = _MOST_OBSERVATIONS) -> str:
    if len(word) <= most:
        return " ".join(map(named, word))
    head, tail = word[: most - most // 3], word[-(most // 3) :]
    return f"{' '.join(map(named, head))} ... {' '.join(map(named, tail))}  ({len(word)} in all)"


def _values(point: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} = {rational_text(value)}" for name, value in point.items())


def _limit(witness: Witness) -> str:
    """Where the parameters go: those at the edge of their ranges move, the others may stay."""
    ranges = {p.name: (p.low, p.high) for p in witness.model.parameters}
    moving = [f"{n} -> {rational_text(x)}" for n, x in (witness.at or {}).items() if x in ranges[n]]
    staying = {n: x for n, x in (witness.at or {}).items() if x not in ranges[n]}
    return ", ".join(moving) + (f", with {_values(staying)}" if staying else "")


# --- JSON ---


def _loss_json(loss: Loss) -> dict[str, object]:
    growth = loss.growth
    return {
        **_question_json(loss.question),
        "lengths": [
            {
                "length": one.length,
                "lower": ratio_text(one.lower),
                "upper": ratio_text(one.upper) if one.bounded else None,
                "exact": one.exact,
                "witness": _witness_json(one.witness),
            }
            for one in loss.lengths
        ],
        "beyond": None if loss.beyond is None else rational_text(loss.beyond),
        "unbounded": None
        if growth is None
        else {
            "pair": _pair_json(growth.pair),
            "prefix": list(growth.prefix),
            "block": list(growth.block),
            "suffix": list(growth.suffix),
            "factor": rational_text(growth.factor),
        },
        "limit": loss.limit,
        "stats": dict(loss.stats),
    }


def _question_json(question: Question) -> dict[str, object]:
    return {
        "model": question.model.name,
        "scenario": question.scenario,
        "words": question.words.value,
        "length": question.lengths.text,
        "epsilon": None if question.epsilon is None else question.epsilon.text,
        "at": point_texts(question.at),
        "pairs_compared": len(question.pairs),
    }


def _witness_json(witness: Witness | None) -> dict[str, object] | None:
    if witness is None:
        return None
    both = witness.probabilities
    return {
        "word": list(witness.word),
        "pair": _pair_json(witness.pair),
        "ratio": ratio_text(witness.ratio),
        "probabilities": None if both is None else [rational_text(p) for p in both],
        "at": point_texts(witness.at),
        "in_the_limit_along": point_texts(witness.limit),
    }


def _pair_json(pair: Pair) -> dict[str, str | None]:
    return {"first": pair.first, "second": pair.second, "prior": pair.prior}


# --- the losses as a picture ---


_UPPER, _LOWER, _GREY = "#1f5582", "#b4501e", "#555555"


def _draw(axes: Axes, loss: Loss, title: str) -> None:
    told = [one for one in loss.lengths if one.lower is None or one.lower > 0]
    lower = [(one.length, _epsilon_approx(one.lower)) for one in told if one.lower is not None]
    upper = [
        (one.length, _epsilon_approx(one.upper)) for one in told if one.upper is not None and not one.exact
    ]
    marker = "o" if len(told) <= 60 else ""
    name = "least ε, exact" if all(one.exact for one in told) else "ε of the worst word found"
    axes.plot(
        [x for x, _ in lower],
        [y for _, y in lower],
        color=_LOWER,
        marker=marker,
        markersize=4.5,
        linewidth=1.2,
        label=name,
    )
    if upper:
        axes.plot(
            [x for x, _ in upper],
            [y for _, y in upper],
            color=_UPPER,
            linestyle="none",
            marker="_",
            label="proved upper bound",
        )
    if loss.question.epsilon is not None:
        bound = log(loss.question.epsilon.alpha_down())
        axes.axhline(bound, color=_GREY, linestyle="--", linewidth=1)
        axes.annotate(
            f"ε = {loss.question.epsilon.text}",
            (0.01, bound),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=9,
            color=_GREY,
        )
    infinite = [one.length for one in told if one.lower is None]
    notes = [f"infinite from length {k} on: a word is possible on one side only" for k in infinite[:1]]
    if loss.growth is not None:
        notes.append(f"unbounded: repeating “{' '.join(loss.growth.block)}” multiplies the ratio")
    for note in notes:
        axes.text(0.01, 0.96, note, transform=axes.transAxes, fontsize=9, color=_GREY, va="top")
    axes.set_xlabel("length of the word")
    axes.set_ylabel("ε")
    axes.set_title(title, fontsize=11)
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)
    arrange(axes)
    axes.legend(framealpha=1, edgecolor="white", loc="lower right", fontsize=9)


def _epsilon_approx(ratio: Ratio) -> float:
    """ln of a ratio, for the eye; ratios may be beyond what a float holds."""
    if ratio is None or ratio <= 1:
        return 0.0
    return log_approx(ratio)
