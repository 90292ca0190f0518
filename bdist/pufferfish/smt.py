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
from collections.abc import Iterator, Sequence
from fractions import Fraction

from bdist.budget import Budget, Stopped
from bdist.errors import BackendError
from bdist.exact.bernstein import Box
from bdist.exact.polynomials import Element, plain
from bdist.lp.smt import SmtOutcome, SmtStatus, solve_scripts
from bdist.processes import call
from bdist.pufferfish.answers import Decision, certified_violation
from bdist.pufferfish.certificate import WordProof
from bdist.pufferfish.model import Words
from bdist.pufferfish.parametric_search import PolynomialSearch, Value
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
    batches = _parametric_batches(question, budget) if question.is_parametric else _linear_batches(question)
    solving, scripts = 0.0, 0
    reason: str | None = None
    try:
        for batch in batches:
            began = time.monotonic()
            texts = batch.scripts(constant)
            outcome = call(solve_scripts, texts, budget).result if texts else SmtOutcome(SmtStatus.UNSAT, {})
            solving, scripts = solving + time.monotonic() - began, scripts + len(texts)
            if outcome.status is SmtStatus.UNKNOWN:
                reason = f"Z3 gives up: {outcome.reason}"
                break
            if outcome.status is SmtStatus.SAT:
                word = batch.word(outcome.values)
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


class _LinearBatch:
    """The question about all words of one length, in numbers."""

    def __init__(self, question: Question, cleared: NumberModel, length: int) -> None:
        self._question = question
        self._cleared = cleared
        self._length = length

    def scripts(self, constant: Fraction) -> tuple[str, ...]:
        """One script."""
        return (linear_script(self._question, self._cleared, self._length, constant),)

    def word(self, values: dict[str, Fraction]) -> WordProof:
        """The word and the pair that the solver chose."""
        observations = self._question.model.observations
        word = tuple(observations[int(values[f"w{k}"])] for k in range(self._length))
        number = int(values.get("pair", Fraction(0)))
        first, second = probabilities(
            self._question.model, self._question.pairs[number], word, self._question.at
        )
        return WordProof(number, word, first / second if second else None, self._question.any_point())


class _ParametricBatch:
    """The values of all words of one length, in polynomials."""

    def __init__(self, search: PolynomialSearch, values: Sequence[Value]) -> None:
        self._search = search
        self._values = values

    def scripts(self, constant: Fraction) -> tuple[str, ...]:
        """A script for each word, with a variable that says which word it is."""
        return tuple(
            _polynomial_script(number, value, constant, self._search.box)
            for number, value in enumerate(self._values)
        )

    def word(self, values: dict[str, Fraction]) -> WordProof:
        """The word of the script that has a solution, at that point."""
        middle = enumerate((low + high) / 2 for low, high in self._search.box)
        point = [values.get(f"x{k}", default) for k, default in middle]
        return self._search.word_at(self._values[int(values["word"])], point)


def _linear_batches(question: Question) -> Iterator[_LinearBatch]:
    cleared = question.cleared()
    longest = longest_run(question.model)
    most = min(x for x in (question.lengths.most, longest) if x is not None)
    for length in range(question.lengths.least, most + 1):
        yield _LinearBatch(question, cleared, length)


def _parametric_batches(question: Question, budget: Budget) -> Iterator[_ParametricBatch]:
    search = PolynomialSearch(question, budget)
    for length, values in enumerate(search.values_by_length(), start=1):
        if length >= question.lengths.least:
            yield _ParametricBatch(search, values)


def linear_script(question: Question, cleared: NumberModel, length: int, constant: Fraction) -> str:
    """Is there a pair and a word of that length with Pr(word | first) > constant Pr(word | second)?"""
    lines = ["(set-logic QF_LRA)", "(declare-const pair Real)", _one_of("pair", range(len(question.pairs)))]
    roots = [cleared.root(pair) for pair in question.pairs]
    states = range(len(question.model.states))
    for k in range(length):
        numbers = range(len(question.model.observations))
        lines += [f"(declare-const w{k} Real)", _one_of(f"w{k}", numbers)]
    for side in "ab":
        weights = {
            state: _chosen(
                "pair",
                {
                    k: str((root.alpha if side == "a" else root.beta).get(state, 0))
                    for k, root in enumerate(roots)
                },
            )
            for state in states
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
    first, second = (_polynomial(part) for part in (value.first, value.second))
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
