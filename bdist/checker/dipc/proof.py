"""The privacy of programs: the check of a certificate as a whole, SPEC.md section 3, step by step.

For programs the second computation is the proof: this check follows the program on every input and computes
every output distribution again, with code of its own, integrals and sums included, and then compares. What it
does not search for, and takes from the certificate, are the proofs of the inequalities (those that weights
are not negative among them), how often the states of loops are visited, and the counterexample. To read it:

* ``text.py`` and ``program.py`` read the program, ``document.py`` the certificate;
* ``runs.py`` follows the program on its inputs;
* ``adjacency.py`` says what has to be compared;
* ``events.py`` and ``integrals.py`` compute the probabilities of comparisons of samples;
* ``exponentials.py`` has the numbers, and ``signs.py`` follows the proofs that they are nowhere negative.

No float takes part and no library: e^ε is enclosed with integers, so this kind of certificate, too, is
checked with the standard library alone.

Probabilities are named by indices, and most pairs of inputs have the same pairs of indices as others: of the
99,384 comparisons of a sparse vector with five queries, 2,065 are different. So what is compared are pairs
of indices, each once, and where δ is not 0 pairs of rows; ``adjacency.py`` finds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from ..core import Rejected, TooLarge, check_fingerprint
from ..core.limits import Allowance, Work
from ..core.numbers import brief
from ..core.reading import collector_paused
from ..core.text import BadModel
from .adjacency import Adjacency
from .document import (
    Counterexample,
    Interval,
    Output,
    Point,
    ProgramCertificate,
    read_program_certificate,
)
from .events import CERTAIN
from .exponentials import ONE, ZERO, Exponential, NormalForm, Quotient, add_quotients
from .program import Program, read_program
from .runs import Runs, Unfit
from .signs import NotShown, Prover, Signs

PROGRAM_STEPS = (
    *("program", "claim", "inequalities", "denominators", "table"),
    *("privacy", "counterexample"),
)


@dataclass(frozen=True)
class ProgramReport:
    """What an accepted certificate proves about a program.

    It is (factor · ε, delta(ε))-differentially private for every ε of the interval, or it is not, as the
    counterexample shows: two inputs, outputs and an ε. An exponential polynomial is given as its terms
    (k, (c_0, c_1, ...)), which are Σ_j c_j ε^j e^(k ε).
    """

    holds: bool
    factor: Fraction
    delta: tuple[tuple[Fraction, tuple[Fraction, ...]], ...]
    epsilons: Interval
    counterexample: Counterexample | None
    inputs: int
    pairs: int  # ordered pairs of adjacent inputs that were compared
    probabilities: int
    inequalities: int

    @property
    def interval(self) -> str:
        """The interval of ε, as one writes it."""
        return str(self.epsilons)


def check_program(model_text: str, certificate_text: str, allowed: Allowance | None = None) -> ProgramReport:
    """Verify a certificate against the text of a ``.dip`` program (without a byte order mark).

    Raises: BadModel where the program cannot be read or breaks a rule; Malformed where the certificate is
    not a document of the specified form, and TooLarge, which is a kind of it, where it or the program is
    beyond the limits; Rejected where it is one, and does not prove what it claims.
    """
    work = Work(len(model_text) + len(certificate_text), allowed)
    with collector_paused():
        try:
            program = read_program(model_text, work)
        except RecursionError:  # a hundred brackets with all operators in each of them
            raise BadModel("the program is nested too deeply") from None
        certificate = read_program_certificate(certificate_text, work)
        check_fingerprint(certificate.program, program.fingerprint(), "program")
        pairs = _Check(program, certificate, work).verify()
        return _report(certificate, pairs)


def _report(certificate: ProgramCertificate, pairs: int) -> ProgramReport:
    delta = certificate.delta
    named = {index for _, outputs, _ in certificate.table for _, index in outputs}
    visits = {index for _, _, states in certificate.table for index in states.values()}
    return ProgramReport(
        holds=certificate.holds,
        factor=certificate.factor,
        delta=tuple(
            (Fraction(k, delta.grid), tuple(Fraction(c, delta.denominator) for c in row))
            for k, row in delta.polynomials.items()
        ),
        epsilons=certificate.interval,
        counterexample=certificate.counterexample,
        inputs=len(certificate.table),
        pairs=pairs,
        probabilities=len(certificate.probabilities) - len(visits - named),
        inequalities=len(certificate.inequalities),
    )


# --- the steps ---


Pair = tuple[int | None, int | None]  # indices of P(u, o) and P(u', o); None is the probability 0

_MOST_FREE = 20  # outputs of a pair of inputs of which it is not known on which side they are


def shown_point(point: Iterable[object]) -> str:
    """An input or output for a message."""
    return f"({', '.join(x if isinstance(x, str) else brief(x) for x in point)})"  # type: ignore[arg-type]


class _Check:
    def __init__(self, program: Program, certificate: ProgramCertificate, work: Work) -> None:
        self._program, self._certificate, self._work = program, certificate, work
        self._adjacency = Adjacency(program, work)
        self._table: dict[Point, dict[Output, int]] = {}
        self._shown: dict[NormalForm, bool] = {}  # what is ≥ 0 on the interval, and whether it is > 0

    def verify(self) -> int:
        """All steps but the fingerprint, and how many ordered pairs were compared.

        Raises: Rejected, TooLarge.
        """
        self._claim()
        self._check_inequalities()
        self._check_denominators()
        self._check_table()
        if self._certificate.holds:
            return self._privacy()
        return self._counterexample()

    def _claim(self) -> None:
        interval = self._certificate.interval
        if self._certificate.factor < 0:
            raise Rejected("claim", f"the factor {brief(self._certificate.factor)} is negative")
        if interval.low < 0 or (interval.has_low and interval.low == 0):
            raise Rejected("claim", "the interval is not one of positive numbers")
        if interval.high is None:
            if interval.has_high:
                raise Rejected("claim", "the interval includes infinity")
        elif interval.high < interval.low or (
            interval.high == interval.low and not (interval.has_low and interval.has_high)
        ):
            raise Rejected("claim", "the interval is empty")

    # --- inequalities ---

    def _check_inequalities(self) -> None:
        prover = Prover(self._certificate.interval, self._work)
        for i, (function, proof) in enumerate(self._certificate.inequalities):
            try:
                positive = prover.verify(function, proof)
            except NotShown as problem:
                raise Rejected("inequalities", f"inequalities[{i}] >= 0 is not shown: {problem}") from None
            if _is_normal(function):
                form = function.normal_form
                self._shown[form] = positive or self._shown.get(form, False)

    def _check_denominators(self) -> None:
        for i, (_, below) in enumerate(self._certificate.probabilities):
            problem = ""
            if not below:
                problem = "is 0"
            elif not below.is_one and below.normal_form not in self._shown:
                problem = "is not 1, and its normal form is not among the inequalities"
            elif not below.is_one and not self._shown[below.normal_form]:
                problem = "is shown to be >= 0, and not to be > 0"
            if problem:
                raise Rejected("denominators", f"the denominator of probabilities[{i}] {problem}")

    # --- the table ---

    def _check_table(self) -> None:
        count = len(self._certificate.probabilities)
        for point, outputs, visits in self._certificate.table:
            if point in self._table:
                raise Rejected("table", f"the input {shown_point(point)} stands twice")
            if not self._adjacency.is_input(point):
                raise Rejected("table", f"{shown_point(point)} is not an input of the program")
            row = self._table[point] = dict(outputs)
            if len(row) < len(outputs):
                raise Rejected("table", f"an output of {shown_point(point)} stands twice")
            beyond = next((index for index in (*row.values(), *visits.values()) if index >= count), None)
            if beyond is not None:
                raise Rejected("table", f"there is no probability with the index {beyond}")
        self._check_inputs()
        self._check_distributions()

    def _check_inputs(self) -> None:
        """That the inputs are those that the answer needs."""
        shown = self._certificate.counterexample
        if shown is not None:
            for point in (shown.input, shown.neighbour):
                if point not in self._table:
                    raise Rejected("table", f"the input {shown_point(point)} is missing")
            return
        count = 0
        for point in self._adjacency.inputs():
            count += 1
            if point not in self._table:
                raise Rejected("table", f"the input {shown_point(point)} is missing")
        if count < len(self._table):
            raise Rejected("table", "there is an input without a neighbour")

    def _check_distributions(self) -> None:
        """That the rows are the distributions of the program's outputs."""
        runs = Runs(self._program, self._certificate.kept, self._shown, self._work)
        sums: dict[object, Quotient] = {}  # of masses with the probabilities of their events
        same: dict[tuple[int, int], bool] = {}  # whether a sum, by its identity, is a listed probability
        whole: set[frozenset[tuple[int, int]]] = set()
        for point, _, visits in self._certificate.table:
            row = self._table[point]
            claimed = {state: self._certificate.probabilities[index] for state, index in visits.items()}
            try:
                found = runs.distribution(point, claimed)
            except Unfit as unfit:
                raise Rejected(unfit.step, f"on the input {shown_point(point)}, {unfit}") from None
            totals: list[Quotient] = []
            for output, parts in found.items():
                likely = [runs.events.probability(event) for _, event in parts]
                plain = all(mass is CERTAIN for mass, _ in parts)
                key = tuple(sorted(map(id, likely))) if plain else (point, output)
                total = sums.get(key)
                if total is None:
                    weighed = [p.times(mass, self._work) for p, (mass, _) in zip(likely, parts, strict=True)]
                    total = sums[key] = add_quotients(weighed, self._work)
                totals.append(total)
                self._compare(point, output, total, row.get(output), same)
            for output in row.keys() - found.keys():
                if self._certificate.probabilities[row[output]][0]:
                    what = f"the output {shown_point(output)} of {shown_point(point)}"
                    raise Rejected("table", f"{what} has the probability 0, and another one in the table")
            counted = frozenset(Counter(map(id, totals)).items())
            if counted not in whole:
                if not add_quotients(totals, self._work).same_as(ONE, ONE, self._work):
                    raise Rejected("table", f"the probabilities of {shown_point(point)} do not sum up to 1")
                whole.add(counted)

    def _compare(
        self,
        point: Point,
        output: Output,
        total: Quotient,
        index: int | None,
        same: dict[tuple[int, int], bool],
    ) -> None:
        if index is None:
            agree = not total
        else:
            key = (id(total), index)
            if key not in same:
                above, below = self._certificate.probabilities[index]
                same[key] = total.same_as(above, below, self._work)
            agree = same[key]
        if not agree:
            what = f"the output {shown_point(output)} of {shown_point(point)}"
            listed = "no probability" if index is None else f"probabilities[{index}]"
            raise Rejected("table", f"{what} has another probability than {listed}")

    # --- the answers ---

    def _known(self, function: Exponential) -> bool:
        """Whether a function is 0, or its normal form is shown to be ≥ 0."""
        return not function or function.normal_form in self._shown

    def _cleared(self, parts: list[tuple[Exponential, Exponential]]) -> Exponential:
        """Σ N_i / M_i, multiplied by the product of all different M_i that are not 1."""
        different = {below.identity: below for _, below in parts if not below.is_one}
        total = ZERO
        for above, own in parts:
            for key, below in different.items():
                if key != own.identity:
                    above = above.times(below, self._work)
            total = total.plus(above, self._work)
        return total

    def _difference(self, pair: Pair, sign: int) -> list[tuple[Exponential, Exponential]]:
        """±D_o = ±(P(u, o) − e^(t ε) P(u', o)) as a sum of quotients."""
        found = []
        for index, side in zip(pair, (sign, -sign), strict=True):
            if index is not None:
                above, below = self._certificate.probabilities[index]
                above = above if side == sign else above.shifted(self._certificate.factor)
                found.append((above if side > 0 else above.negated(), below))
        return found

    def _privacy(self) -> int:
        if self._certificate.delta:
            self._check_rows()
        else:
            self._check_outputs()
        return self._adjacency.count()

    def _check_outputs(self) -> None:
        """That P(u, o) ≤ e^(t ε) P(u', o) where P(u, o) is not 0."""
        outputs: dict[Output, dict[Point, int]] = {}
        for point, row in self._table.items():
            for output, index in row.items():
                outputs.setdefault(output, {})[point] = index
        shown: set[Pair] = set()
        for output, indices in outputs.items():
            for first, second, point, neighbour in self._adjacency.compared(indices):
                if (first, second) in shown:
                    continue
                if not self._known(self._cleared(self._difference((first, second), -1))):
                    where = f"the inputs {shown_point(point)} and {shown_point(neighbour)}"
                    missing = "the inequality is not listed"
                    raise Rejected("privacy", f"for {where}, output {shown_point(output)}: {missing}")
                shown.add((first, second))

    def _check_rows(self) -> None:
        """The same for sets of outputs, for each pair of rows of adjacent inputs."""
        numbers: dict[frozenset[tuple[Output, int]], int] = {}
        rows = {
            point: numbers.setdefault(frozenset(row.items()), len(numbers))
            for point, row in self._table.items()
        }
        shown = set()
        for _, _, point, neighbour in self._adjacency.compared(rows):
            here, there = self._table[point], self._table[neighbour]
            outputs = here.keys() | there.keys()
            self._work.spend(4 * len(outputs))
            group = tuple(sorted(((here.get(output), there.get(output)) for output in outputs), key=_order))
            if group not in shown:
                self._check_group(group, point, neighbour)
                shown.add(group)

    def _check_group(self, group: tuple[Pair, ...], point: Point, neighbour: Point) -> None:
        """P(u, S) ≤ e^(t ε) P(u', S) + δ for the sets S of outputs that may be the worst ones."""
        always: list[Pair] = []
        free: list[Pair] = []
        for pair in group:
            if self._known(self._cleared(self._difference(pair, -1))):
                continue
            listed = self._cleared(self._difference(pair, 1)).normal_form in self._shown
            (always if listed else free).append(pair)
        if len(free) > _MOST_FREE:
            raise TooLarge(f"2^{len(free)} sets of outputs to compare")
        delta = (self._certificate.delta, ONE)
        for size in range(len(free) + 1):
            for chosen in combinations(free, size):
                parts = [delta]
                for pair in (*always, *chosen):
                    parts += self._difference(pair, -1)
                if not self._known(self._cleared(parts)):
                    where = f"the inputs {shown_point(point)} and {shown_point(neighbour)}"
                    what = f"the inequality of a set of {len(always) + size} outputs is not listed"
                    raise Rejected("privacy", f"for {where}: {what}")

    def _counterexample(self) -> int:
        shown = self._certificate.counterexample
        if shown is None:
            raise Rejected("counterexample", "there is none")
        if not self._adjacency.adjacent(shown.input, shown.neighbour):
            raise Rejected("counterexample", "the two inputs are not adjacent")
        if not self._certificate.interval.holds(shown.epsilon):
            raise Rejected("counterexample", f"epsilon {brief(shown.epsilon)} is not in the interval")
        if len(set(shown.outputs)) < len(shown.outputs):
            raise Rejected("counterexample", "an output stands twice")
        first, second = self._table[shown.input], self._table[shown.neighbour]
        parts = [(self._certificate.delta.negated(), ONE)]
        for output in shown.outputs:
            parts += self._difference((first.get(output), second.get(output)), 1)
        function = self._cleared(parts)
        if not function or Signs(function, self._work).at(shown.epsilon) <= 0:
            raise Rejected("counterexample", "the privacy is not shown to be violated at that epsilon")
        return 1


def _is_normal(function: Exponential) -> bool:
    normal = function.normalised
    return function.denominator == 1 and (function.grid, function.terms) == (normal.grid, normal.terms)


def _order(pair: Pair) -> tuple[int, int]:
    return tuple(-1 if index is None else index for index in pair)  # type: ignore[return-value]
