"""How answers about hidden Markov models are shown: the verdict first, then the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from bdist.cli.reports import attack_report, headline
from bdist.exact.display import counted, decimal_cut, decimal_down, decimal_up, exact_text
from bdist.exact.epsilon import log_text, log_up
from bdist.exact.reading import rational_text
from bdist.printing import named
from bdist.pufferfish.delta import Deltas
from bdist.pufferfish.findings import Decision, Growth, LengthLoss, Loss, Ratio, Witness, WordCheck
from bdist.pufferfish.model import Pair
from bdist.pufferfish.question import Question
from bdist.pufferfish.refinement import Refinement
from bdist.results import Answer, Evidence

_MOST_ROWS = 16
_LONGEST_RATIO = 24
_MOST_OBSERVATIONS = 24
_DIGITS = 7
_NO_EPSILON = "no epsilon will do"


def title_of(question: Question) -> str:
    """What was asked about: the model and the scenario."""
    parts = [named(question.model.name or "the model")]
    return ", ".join([*parts, *([named(question.scenario)] if question.scenario else [])])


def decision_report(decision: Decision) -> str:
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
    return "\n".join([*lines, *_work_lines(decision.stats)])


def loss_report(loss: Loss) -> str:
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
    if loss.limit is not None and loss.growth is None:
        lines.append(f"  limit     {loss.limit}")
    return "\n".join([*lines, *_work_lines(loss.stats)])


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
        line = f"  epsilon   at least {_epsilon(worst.lower)}, at most {_epsilon_up(loss.upper)}"
    else:
        line = f"  epsilon   at least {_epsilon(worst.lower)}"
    if len(loss.lengths) > 1:
        line += f"  at length {worst.length}"
    return [line, *_witness_lines(worst.witness)]


def word_report(check: WordCheck) -> str:
    """A word under the pair where it tells most, and under how many others it counts."""
    question = check.question
    if not check.witnesses:
        sides = "both sides" if question.words.value == "common" else "the first side"
        return f"{title_of(question)}: the word counts under no pair, as it is not possible on {sides}"
    best, epsilon = check.witnesses[0], question.epsilon
    verdict = "its ratio"
    if epsilon is not None:
        article = "a" if check.answer is Answer.VIOLATED else "no"
        verdict = f"it is {article} counterexample to epsilon = {epsilon.text}"
    lines = [f"{title_of(question)}: {verdict}        certified"]
    lines += _witness_lines(best)
    others = [f"{_ratio(w.ratio)} for {named(w.pair)}" for w in check.witnesses[1:4]]
    if others:
        more = len(check.witnesses) - 1 - len(others)
        lines.append(f"  others    {', '.join(others)}{f' and {more} more' if more else ''}")
    return "\n".join(lines)


def refinement_report(question: Question, found: Refinement, ends: tuple[Fraction, Fraction]) -> str:
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
    return "\n".join(lines)


def deltas_report(found: Deltas, most: Fraction | None) -> str:
    """The least delta of each pair, the largest with its attack."""
    question = found.question
    epsilon = "" if question.epsilon is None else question.epsilon.text
    lines = [f"{title_of(question)}: the least delta at epsilon = {epsilon}, for {_scope(question)}"]
    if most is not None:
        lines[0] = f"{title_of(question)}: {_delta_verdict(found, epsilon, most)}"
    ordered = sorted(found.pairs, key=lambda p: p.found.bracket.upper.value, reverse=True)
    for pair in ordered[:_MOST_ROWS]:
        name = f"{named(pair.pair.first)} {'-' if pair.both else '->'} {named(pair.pair.second)}"
        lines.append(f"  delta     {headline(name, pair.found.bracket, pair.found.distance.limit)}")
    if len(ordered) > _MOST_ROWS:
        lines.append(f"            and {len(ordered) - _MOST_ROWS} more pairs (all of them with --json)")
    if ordered[0].found.attack is not None:
        lines += attack_report(ordered[0].found.attack)
    chain = found.unfolded.chain
    lines.append(f"  proof     about the chain of the model, with {len(chain)} states; --chain OUT writes it")
    return "\n".join(lines)


def _delta_verdict(found: Deltas, epsilon: str, most: Fraction) -> str:
    """A verdict on delta. At a rational epsilon a violation rests on an attack, not on a certificate."""
    answer = found.answer(most)
    verdict = {Answer.HOLDS: "holds", Answer.VIOLATED: "is violated", Answer.UNKNOWN: "is not decided"}
    worst = max((pair.found.bracket.lower for pair in found.pairs), key=lambda bound: bound.value)
    strength = (
        "certified" if answer is Answer.HOLDS or worst.evidence is Evidence.CERTIFIED else "by an attack"
    )
    privacy = f"({epsilon}, {rational_text(most)})-Pufferfish privacy"
    text = f"{privacy} {verdict[answer]}, for {_scope(found.question)}"
    return text if answer is Answer.UNKNOWN else f"{text}        {strength}"


def _scope(question: Question) -> str:
    """For which words, pairs and parameter values."""
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
    """How many pairs, those in both directions counted once."""
    directed = set(pairs)
    both = sum(Pair(pair.second, pair.first, pair.prior) in directed for pair in directed) // 2
    single = len(directed) - 2 * both
    parts = [f"{both} pair{'' if both == 1 else 's'}"] if both else []
    parts += [f"{single} pair{'' if single == 1 else 's'} in one direction"] if single else []
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
    return [
        f"  unbounded {_word(parts)}",
        f"            between {named(growth.pair)}: the ratio grows at least like {_base(growth.factor)}^n, "
        f"so {_NO_EPSILON}",
    ]


def _base(factor: Fraction) -> str:
    return _short(factor) if factor.denominator == 1 else f"({_short(factor)})"


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
        loss = (
            _short(one.lower)
            if one.exact
            else f"{_short(one.lower)} to {_short(one.upper) if one.bounded else '?'}"
        )
        word = "" if one.witness is None else _word(one.witness.word, 8)
        rows.append((str(one.length), loss, _row_epsilon(one), word))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = [
        "  " + "  ".join(c.rjust(n) for c, n in zip(row, widths, strict=False)) + f"  {row[3]}"
        for row in rows
    ]
    if len(changed) > len(shown):
        lines.insert(
            -1, f"  ... {len(changed) - len(shown)} more lengths at which it grows (all of them with --json)"
        )
    last = lengths[-1].length
    if changed[-1].length != last:
        lines.append(f"  and no change up to length {last}")
    return lines


def _row_epsilon(one: LengthLoss) -> str:
    """The least epsilon of one length, what bounds it from above, or that nothing does so far."""
    if one.exact:
        return _epsilon_decimal(one.upper)
    return f"<= {_epsilon_up(one.upper)}" if one.bounded else "?"


def _work_lines(stats: Mapping[str, int | float | str]) -> list[str]:
    lines = []
    if "check_seconds" in stats:
        lines.append(
            f"  proof     {counted(int(stats.get('nodes', 0)), 'vector pair')}, "
            f"checked in {stats['check_seconds']:.2g} s"
        )
    if "solver_seconds" in stats:
        lines.append(
            f"  work      z3: {counted(int(stats['scripts']), 'script')}, {stats['solver_seconds']:.2g} s"
        )
    else:
        lines.append(f"  work      {stats['seconds']:.2g} s")
    return lines


def _decision_place(decision: Decision) -> str:
    epsilon = decision.epsilon
    text = epsilon.text
    if epsilon.alpha is not None and epsilon.alpha > 1:
        return _epsilon(epsilon.alpha)
    value = epsilon.value or Fraction(0)
    return text if len(text) <= 12 else decimal_cut(value, _DIGITS)


def _epsilon(ratio: Ratio) -> str:
    """ln of a ratio with some digits of its value, or that there is none."""
    if ratio is None:
        return f"infinite: {_NO_EPSILON}"
    if ratio <= 1:
        return "0"
    shown = f"ln({_short(ratio)})" if ratio.denominator > 1 else f"ln {_short(ratio)}"
    return f"{shown} = {_epsilon_decimal(ratio)}"


def _epsilon_decimal(ratio: Ratio) -> str:
    """ln of a ratio, cut."""
    if ratio is None:
        return "infinite"
    return "0" if ratio <= 1 else log_text(ratio, _DIGITS)


def _epsilon_up(ratio: Ratio) -> str:
    """ln of a ratio that bounds from above, rounded up."""
    if ratio is None:
        return "infinite"
    return "0" if ratio <= 1 else decimal_up(log_up(ratio), _DIGITS)


def _ratio(ratio: Ratio) -> str:
    if ratio is not None and ratio.denominator == 1:
        return _short(ratio)
    return "infinite" if ratio is None else exact_text(ratio, _DIGITS)


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
