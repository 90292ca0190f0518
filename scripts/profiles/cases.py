"""What is measured: chains with two states each, in series of growing size.

A case knows the mechanism behind its chain where there is one that an accountant can be told about, and the
true delta in closed form where there is a formula: the sum over the number of truthful answers, of which
randomised response is made.

* *responses*: one question asked k times, answered truthfully with probability 51/100;
* *coins*: the same with another probability for each answer, 1/2 + i/20000, so that likelihood ratios do not
  repeat; and two coins of 51/100 and 49/100 that are tossed for ever;
* *geometric*: a count with noise, truncated;
* *surveys*: n questions, each answered truthfully with probability 3/4, with one start state for each vector
  of true answers; two vectors that differ in one answer, and two that differ in all;
* *diners*: dining cryptographers; did the first pay or the second?
* *models*: files of a folder, of the case studies of PRISM. They have no states that anybody would compare.
  So the first state that has two successors of one label that are not bisimilar is found, breadth first, and
  these two successors are compared: what the first choice that matters lets an observer learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import comb
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import make_family, truncated_noise
from bdist.chains.formats import load
from bdist.chains.quotient import bisimulation_classes
from bdist.errors import BdistError

SECTIONS = ("responses", "coins", "geometric", "surveys", "diners", "models", "audit")
TRUTH = Fraction(51, 100)
SURVEY_TRUTH = Fraction(3, 4)
DIFFERENT_COINS = "different coins"
ENDLESS_COINS = "two coins for ever"
_MODEL_NAMES = ("brp", "crowds", "egl", "herman")

Pair = tuple[str, str]
NamedRow = tuple[str, str, dict[str, Fraction]]


@dataclass(frozen=True)
class Responses:
    """Independent randomised responses; each entry is a probability to be truthful and how often it is."""

    truths: tuple[tuple[Fraction, int], ...]

    def delta(self, alpha: Fraction) -> Fraction | None:
        """The true delta at alpha, in either order, where there is one probability only."""
        if len(self.truths) != 1:
            return None
        truth, times = self.truths[0]
        p, q, bottom = truth.numerator, truth.denominator - truth.numerator, truth.denominator**times
        u, v = alpha.numerator, alpha.denominator
        found = sum(
            comb(times, i) * max(0, v * p**i * q ** (times - i) - u * q**i * p ** (times - i))
            for i in range(times + 1)
        )
        return Fraction(found, v * bottom)


@dataclass(frozen=True)
class Outputs:
    """One release: the probabilities of its outputs from either state."""

    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]

    def delta(self, alpha: Fraction) -> Fraction:
        """The true delta at alpha, in the worse order."""
        both = list(zip(self.first, self.second, strict=True))
        return max(
            sum((max(Fraction(0), p - alpha * q) for p, q in both), Fraction(0)),
            sum((max(Fraction(0), q - alpha * p) for p, q in both), Fraction(0)),
        )


Mechanism = Responses | Outputs


@dataclass(frozen=True)
class Case:
    """Two states of a chain, which is made when its turn comes.

    ``series`` names those of which it is one, by growing size: who fails at a smaller one is not asked about
    a larger one. ``told`` says whether an accountant is asked about the mechanism.
    """

    section: str
    series: str
    title: str
    pair: Pair
    chain: Callable[[], LabelledMarkovChain]
    mechanism: Mechanism | None = None
    told: bool = True


def all_cases(sections: Sequence[str], quick: bool, models: Path | None) -> list[Case]:
    """The cases of some sections in the order of the page; ``quick`` takes toys.

    Raises: BdistError where a model cannot be read.
    """
    made: dict[str, Callable[[bool], Iterable[Case]]] = {
        "responses": _responses,
        "coins": _coins,
        "geometric": _geometric,
        "surveys": _surveys,
        "diners": _diners,
    }
    found = [case for name in made if name in sections for case in made[name](quick)]
    if "models" in sections and models is not None:
        found += _models(models)
    return found


def _responses(quick: bool) -> Iterator[Case]:
    for k in (3, 5) if quick else (10, 20, 50, 100, 200, 500, 1000):
        mechanism = Responses(((TRUTH, k),))
        yield Case("responses", "responses", response_title(k), ("yes", "no"), partial(_asked, k), mechanism)


def response_title(times: int) -> str:
    """What the case of randomised response with so many answers is called."""
    return f"randomised response, {times}-fold"


def _asked(times: int) -> LabelledMarkovChain:
    return make_family("randomised-response", {"truth": TRUTH, "questions": times})


def _coins(quick: bool) -> Iterator[Case]:
    count = 5 if quick else 1000
    truths = tuple(Fraction(1, 2) + Fraction(i, 20_000) for i in range(1, count + 1))
    mechanism = Responses(tuple((truth, 1) for truth in truths))
    yield Case(
        *("coins", DIFFERENT_COINS, f"{count:,} {DIFFERENT_COINS}", ("s", "t")),
        partial(different_coins, truths),
        mechanism,
    )
    yield Case("coins", ENDLESS_COINS, ENDLESS_COINS, ("s.heads", "t.heads"), endless_coins)


def different_coins(truths: Sequence[Fraction]) -> LabelledMarkovChain:
    """Coins that are tossed in turn; each shows heads from ``s`` as often as tails from ``t``."""
    rows: list[NamedRow] = []
    last = len(truths)
    for side in ("s", "t"):
        for i, truth in enumerate(truths, 1):
            heads = truth if side == "s" else 1 - truth
            prefix = "" if i == last else f"{side}."
            row = {f"{prefix}{i}.heads": heads, f"{prefix}{i}.tails": 1 - heads}
            if i == 1:
                rows.append((side, "start", row))
            else:
                rows += [(f"{side}.{i - 1}.{face}", face, row) for face in ("heads", "tails")]
    rows += [(f"{last}.{face}", face, {"end": Fraction(1)}) for face in ("heads", "tails")]
    return LabelledMarkovChain.from_rows([*rows, ("end", "end", {"end": Fraction(1)})], name="coins")


def endless_coins() -> LabelledMarkovChain:
    """A coin of 51/100 and one of 49/100, tossed for ever: in the long run everything is told."""
    rows: list[NamedRow] = []
    for side, heads in (("s", TRUTH), ("t", 1 - TRUTH)):
        row = {f"{side}.heads": heads, f"{side}.tails": 1 - heads}
        rows += [(f"{side}.{face}", face, row) for face in ("heads", "tails")]
    return LabelledMarkovChain.from_rows(rows, name="coins")


def _geometric(quick: bool) -> Iterator[Case]:
    for largest in (3,) if quick else (10, 50, 200):
        first, second = truncated_noise(largest, Fraction(1, 2))[:2]
        mechanism = Outputs(tuple(first), tuple(second))
        yield Case(
            *("geometric", "geometric", f"geometric, counts to {largest}", ("count0", "count1")),
            partial(make_family, "geometric", {"largest": largest}),
            mechanism,
        )


def _surveys(quick: bool) -> Iterator[Case]:
    for words, differ in (("one answer differs", 1), ("all differ", None)):
        for n in (2,) if quick else range(3, 9):
            times = differ or n
            pair = ("0" * n, "1" * times + "0" * (n - times))
            mechanism = Responses(((SURVEY_TRUTH, times),))
            yield Case(
                *("surveys", f"surveys, {words}", f"survey of {n} questions, {words}", pair),
                partial(survey, n),
                mechanism,
                differ is None,  # one coin is one coin, however many questions there are
            )


def survey(questions: int) -> LabelledMarkovChain:
    """A start state for each vector of true answers, such as ``0110``; 2^n (2n + 1) states."""
    rows: list[NamedRow] = []
    for answers in product((0, 1), repeat=questions):
        name = "".join(map(str, answers))
        for i in range(questions + 1):
            for said in ("start",) if i == 0 else ("yes", "no"):
                state = name if i == 0 else f"{name}.{i}.{said}"
                row = {state: Fraction(1)}
                if i < questions:
                    yes = SURVEY_TRUTH if answers[i] else 1 - SURVEY_TRUTH
                    row = {f"{name}.{i + 1}.yes": yes, f"{name}.{i + 1}.no": 1 - yes}
                rows.append((state, said, row))
    return LabelledMarkovChain.from_rows(rows, name=f"survey-{questions}")


def survey_neighbours(questions: int) -> list[Pair]:
    """The pairs of start states of a survey that differ in one answer, n 2^(n-1) of them."""
    vectors = ["".join(answers) for answers in product("01", repeat=questions)]
    return [(v, v[:i] + "1" + v[i + 1 :]) for v in vectors for i, answer in enumerate(v) if answer == "0"]


def _diners(quick: bool) -> Iterator[Case]:
    for diners in (2, 3) if quick else range(2, 9):
        yield Case(
            *("diners", "diners", f"{diners} diners", ("s0", "s1")),
            partial(make_family, "dining-cryptographers", {"diners": diners}),
        )


def _models(folder: Path) -> Iterator[Case]:
    """The models of a folder that can be read and have two states to compare, by name."""
    for file in sorted(folder.rglob("*.tra")):
        if not any(name in file.stem for name in _MODEL_NAMES):
            continue
        try:
            chain = load(file)
        except BdistError:  # such as rows of rounded decimals that do not sum to 1
            continue
        pair = first_choice(chain)
        if pair is not None:
            title = f"{file.parent.name}/{file.stem}: {pair[0]}, {pair[1]}"
            yield Case("models", title, title, pair, partial(_same, chain))


def _same(chain: LabelledMarkovChain) -> LabelledMarkovChain:
    return chain


def first_choice(chain: LabelledMarkovChain) -> Pair | None:
    """Two successors of one state, of one label and not bisimilar; the first, breadth first; None if none."""
    class_of = {i: n for n, states in enumerate(bisimulation_classes(chain)) for i in states}
    queue, known = [0], {0}
    for state in queue:
        targets = [target for target, _ in chain.rows[state]]
        for a, b in combinations(targets, 2):
            if chain.labels[a] == chain.labels[b] and class_of[a] != class_of[b]:
                return chain.states[a], chain.states[b]
        for target in targets:
            if target not in known:
                known.add(target)
                queue.append(target)
    return None
