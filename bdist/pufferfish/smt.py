"""The backend `z3`: an SMT solver looks for the word, as FAIER has it, and for parameter values.

Without parameters the question at one length is linear: a variable for the pair, one for each observation
of the word, and the weights of both sides as sums of earlier ones, each chosen by *if-then-else* on the
observation (Algorithm 1 of Liu, Wang and Zhang, but with all pairs in one script and with numbers in place
of products of variables). With parameters, FAIER leaves the products to the solver, which gives up on three
of them; here words are followed by polynomials, expanded, and the solver gets one inequality a word in the
parameters alone.

A word that Z3 finds is followed exactly, and certified like any other. Where it finds none there is no
proof that anybody could check, so the answer is UNKNOWN, with a hint. It is the second opinion in tests and
in the benchmark.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from bdist.budget import Budget, Stopped
from bdist.errors import BackendError
from bdist.lp.smt import SmtOutcome, SmtStatus, solve_scripts
from bdist.processes import call
from bdist.pufferfish.answers import Decision, certified_violation
from bdist.pufferfish.certificate import WordProof
from bdist.pufferfish.model import Words
from bdist.pufferfish.parametric_search import PolynomialSearch, Value
from bdist.pufferfish.polynomials import Box, Element, plain
from bdist.pufferfish.question import Question, longest_run
from bdist.pufferfish.vectors import NumberModel, probabilities
from bdist.results import Answer

MISSING = "the backend z3 needs Z3; install it with: pip install 'bdist[smt]'"


def decide_by_z3(question: Question, budget: Budget) -> Decision:
    """Look for a word above e^epsilon, length by length. Raises: BackendError where Z3 is not installed.

    Requires: the question has a last length.
    """
    start, epsilon = time.monotonic(), question.decided_epsilon()
    constant = epsilon.alpha_down()
    batches = (
        _parametric_batches(question, constant, budget)
        if question.is_parametric
        else _linear_batches(question, constant)
    )
    solving, scripts = 0.0, 0
    reason: str | None = None
    try:
        for texts, word_of in batches:
            began = time.monotonic()
            outcome = (
                call(solve_scripts, tuple(texts), budget).result if texts else SmtOutcome(SmtStatus.UNSAT, {})
            )
            solving, scripts = solving + time.monotonic() - began, scripts + len(texts)
            if outcome.status is SmtStatus.UNKNOWN:
                reason = f"Z3 gives up: {outcome.reason}"
                break
            if outcome.status is SmtStatus.SAT:
                word = word_of(outcome.values)
                if not epsilon.allows(word.ratio):
                    return certified_violation(question, word, start)
                reason = "Z3's word has a ratio between e^epsilon and the rational just below it"
                break
    except Stopped:
        reason = budget.exhausted()
    except BackendError as error:
        raise BackendError(MISSING) from error if "Z3" in str(error) else None
    stats = {"seconds": round(time.monotonic() - start, 6), "solver_seconds": round(solving, 6)}
    return Decision(
        question,
        Answer.UNKNOWN,
        {**stats, "scripts": scripts},
        reason=reason or "Z3 finds no word, and gives no proof",
        hint=Answer.HOLDS if reason is None else None,
    )


# the scripts about the words of one length, and the word that values of their variables say
_Batch = tuple[list[str], Callable[[dict[str, Fraction]], WordProof]]


def _linear_batches(question: Question, constant: Fraction) -> Iterator[_Batch]:
    cleared, model = question.cleared(), question.model
    most = min(x for x in (question.lengths.most, longest_run(model)) if x is not None)

    def word_of(values: dict[str, Fraction], length: int) -> WordProof:
        word = tuple(model.observations[int(values[f"w{k}"])] for k in range(length))
        number = int(values.get("pair", Fraction(0)))
        first, second = probabilities(model, question.pairs[number], word, question.at)
        return WordProof(number, word, first / second if second else None, question.any_point())

    for length in range(question.lengths.least, most + 1):
        yield [linear_script(question, cleared, length, constant)], partial(word_of, length=length)


def _parametric_batches(question: Question, constant: Fraction, budget: Budget) -> Iterator[_Batch]:
    """A script for each word, in polynomials, with a variable that says which word it is."""
    search = PolynomialSearch(question, budget)

    def word_of(values: dict[str, Fraction], words: Sequence[Value]) -> WordProof:
        middle = enumerate((low + high) / 2 for low, high in search.box)
        point = [values.get(f"x{k}", default) for k, default in middle]
        return search.word_at(words[int(values["word"])], point)

    for length, words in enumerate(search.values_by_length(), start=1):
        if length >= question.lengths.least:
            scripts = [_polynomial_script(k, word, constant, search.box) for k, word in enumerate(words)]
            yield scripts, partial(word_of, words=words)


def linear_script(question: Question, cleared: NumberModel, length: int, constant: Fraction) -> str:
    """Is there a pair and a word of that length with Pr(word | first) > constant Pr(word | second)?"""
    lines = ["(set-logic QF_LRA)", "(declare-const pair Real)", _one_of("pair", range(len(question.pairs)))]
    roots = [cleared.root(pair) for pair in question.pairs]
    for k in range(length):
        numbers = range(len(question.model.observations))
        lines += [f"(declare-const w{k} Real)", _one_of(f"w{k}", numbers)]
    for side in "ab":
        starts = [root.alpha if side == "a" else root.beta for root in roots]
        weights = {
            state: _chosen("pair", {k: str(start.get(state, 0)) for k, start in enumerate(starts)})
            for state in range(len(question.model.states))
        }
        for k in range(length):
            shown: dict[int, str] = {}
            for state, weight in weights.items():
                if weight == "0":
                    continue
                cases = {o: f"(* {probability} {weight})" for o, probability in cleared.emissions[state]}
                name = f"{side}{k}_{state}"
                lines += [f"(declare-const {name} Real)", f"(assert (= {name} {_chosen(f'w{k}', cases)}))"]
                shown[state] = name
            arriving: dict[int, list[str]] = {}
            for state, name in shown.items():
                for target, probability in cleared.rows[state]:
                    arriving.setdefault(target, []).append(f"(* {probability} {name})")
            weights = {target: _sum(parts) for target, parts in arriving.items()}
        lines += [f"(declare-const {side} Real)", f"(assert (= {side} {_sum(list(shown.values()))}))"]
    lines.append(f"(assert (> a (* {_number(constant)} b)))")
    if question.words is Words.COMMON:
        lines.append("(assert (> b 0))")
    return "\n".join([*lines, ""])


def _polynomial_script(number: int, value: Value, constant: Fraction, box: Box) -> str:
    lines = ["(set-logic QF_NRA)", "(declare-const word Real)", f"(assert (= word {number}))"]
    for k, (low, high) in enumerate(box):
        lines += [
            f"(declare-const x{k} Real)",
            f"(assert (and (< {_number(low)} x{k}) (< x{k} {_number(high)})))",
        ]
    first, second = map(_polynomial, (value.grown.step.first, value.grown.step.second))
    lines.append(f"(assert (> {first} (* {_number(constant)} {second})))")
    return "\n".join([*lines, ""])


def _polynomial(element: Element) -> str:
    parts = []
    for exponents, value in plain(element).terms:
        factors = [f"x{k}" for k, exponent in enumerate(exponents) for _ in range(exponent)]
        parts.append(f"(* {' '.join([_number(value), *factors])})" if factors else _number(value))
    return _sum(parts)


def _chosen(variable: str, cases: dict[int, str]) -> str:
    """The case whose number a variable has; 0 where there is none."""
    text = "0"
    for number, case in cases.items():
        if case != "0":
            text = f"(ite (= {variable} {number}) {case} {text})"
    return text


def _one_of(variable: str, numbers: range) -> str:
    return f"(assert (or {' '.join(f'(= {variable} {number})' for number in numbers)}))"


def _sum(parts: list[str]) -> str:
    return "0" if not parts else parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"


def _number(value: Fraction) -> str:
    text = (
        f"(/ {abs(value.numerator)} {value.denominator})"
        if value.denominator > 1
        else str(abs(value.numerator))
    )
    return f"(- {text})" if value < 0 else text
