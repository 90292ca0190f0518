"""What is measured: series of chains by growing size, how each is asked about, and what it should take.

* *surveys*: n questions, one start state for each vector of answers; the two vectors that differ in all;
* *responses*: k-fold randomised response, truth 3/4;
* *diners*: dining cryptographers, s0 and s1, at alpha 1.0002;
* *geometric*: truncated geometric noise, counts 0 and 1;
* *tables*: all pairs of random chains, degree 3;
* *queries*: one query on a random chain, 10 labels, degree 4;
* *layered*: one query on a chain of 100,000 states;
* *models*: files of a folder, and the first choice in them that matters (`profiles.cases`).

alpha is 11/10 where nothing else is said. The pairs of a random chain's query are among the first hundred
states of a label, sorted by what the next label alone tells about them: the first, and the one a quarter of
the way down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path

from profiles import cases as profiles

from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.families import make_family

SECTIONS = ("surveys", "responses", "diners", "geometric", "tables", "queries", "layered", "models")
NAIVE = "naive"
WAYS: Mapping[str, Mapping[str, object]] = {
    "default": {},
    "exact": {"precision": "0"},
    "1e-9": {"precision": "1e-9"},
    "quotient": {"quotient": True},
}
WANTED_MODELS = ("crowds3-5", "brp16-2", "herman7", "herman9")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """A chain, made when its turn comes, and a question. ``seconds``, ``ratios``: what a way should take,
    and how many times faster than the naive loop it should be. ``series``: who does not finish a case of it
    is not asked about a larger one.
    """

    section: str
    series: str
    title: str
    chain: Callable[[], LabelledMarkovChain]
    pair: Callable[[LabelledMarkovChain], Pair | None]
    ways: tuple[str, ...] = ("default",)
    alpha: str = "11/10"
    naive: bool = True
    seconds: Mapping[str, float] = field(default_factory=dict)
    ratios: Mapping[str, float] = field(default_factory=dict)


def all_cases(sections: tuple[str, ...], quick: bool, models: Path | None) -> list[Case]:
    """The cases of some sections, in the order of the page; ``quick`` takes toys, which have no targets.

    Raises: BdistError where a model cannot be read.
    """
    made: dict[str, Callable[[bool], Iterator[Case]]] = {
        "surveys": _surveys,
        "responses": _responses,
        "diners": _diners,
        "geometric": _geometric,
        "tables": _tables,
        "queries": _queries,
        "layered": _layered,
    }
    found = [case for name, cases in made.items() if name in sections for case in cases(quick)]
    if "models" in sections and models is not None:
        found += _models(models)
    return found


def _named(s: str, t: str) -> Callable[[LabelledMarkovChain], Pair]:
    return lambda chain: (s, t)


def _goal(goals: Mapping[int, float], size: int, way: str = "default") -> dict[str, float]:
    return {way: goals[size]} if size in goals else {}


def _surveys(quick: bool) -> Iterator[Case]:
    for n in (2,) if quick else range(3, 8):
        yield Case(
            *("surveys", "surveys", f"survey of {n} questions", partial(profiles.survey, n)),
            _named("0" * n, "1" * n),
            seconds=_goal({4: 0.5, 5: 1.0, 7: 5.0}, n),
        )


def _responses(quick: bool) -> Iterator[Case]:
    for k in (3,) if quick else (10, 20, 40, 50, 100, 200):
        yield Case(
            *("responses", "responses", f"randomised response, {k}-fold"),
            partial(make_family, "randomised-response", {"truth": Fraction(3, 4), "questions": k}),
            _named("yes", "no"),
            seconds=_goal({40: 0.5, 100: 1.5, 200: 4.0}, k),
        )


def _diners(quick: bool) -> Iterator[Case]:
    for n in (2,) if quick else range(2, 11):
        yield Case(
            *("diners", "diners", f"{n} diners"),
            partial(make_family, "dining-cryptographers", {"diners": n}),
            _named("s0", "s1"),
            alpha="1.0002",
            seconds=_goal({8: 3.0, 10: 8.0}, n),
        )


def _geometric(quick: bool) -> Iterator[Case]:
    for largest in (3,) if quick else (10, 50, 100, 200):
        yield Case(
            *("geometric", "geometric", f"geometric, counts to {largest}"),
            partial(make_family, "geometric", {"largest": largest}),
            _named("count0", "count1"),
        )


def _random(states: int, labels: int, degree: int) -> Callable[[], LabelledMarkovChain]:
    return partial(make_family, "random", {"states": states, "labels": labels, "degree": degree})


def _tables(quick: bool) -> Iterator[Case]:
    both = ("exact", "1e-9")
    goals = {24: {"exact": 5.0, "1e-9": 10.0}, 40: {"exact": 20.0, "1e-9": 30.0}}
    for n in (8,) if quick else (24, 40):
        title = f"{n} states, 3 labels"
        yield Case(
            *("tables", "3 labels", title, _random(n, 3, 3), lambda chain: None, both),
            ratios=goals.get(n, {}),
        )
    for n in () if quick else (60, 150, 300):
        yield Case(
            *("tables", "2 labels", f"{n} states, 2 labels", _random(n, 2, 3), lambda chain: None, ("1e-9",)),
            seconds=_goal({300: 20.0}, n, "1e-9"),
            ratios=_goal({60: 80.0}, n, "1e-9"),
        )


def _queries(quick: bool) -> Iterator[Case]:
    for n in (60,) if quick else (1000, 10_000):
        for part, title in ((0, "closest pair"), (4, "quartile")):
            yield Case(
                *("queries", f"random, {title}", f"{n:,} states, {title}", _random(n, 10, 4)),
                partial(_ranked_pair, label="l0", part=part),
                ("1e-9",),
                naive=False,
                seconds=_goal({1000: 3.0, 10_000: 90.0}, n, "1e-9"),
            )


def _layered(quick: bool) -> Iterator[Case]:
    layers, width = (20, 10) if quick else (2000, 50)
    chain = partial(make_family, "layered", {"layers": layers, "width": width, "labels": 4})
    for part, title in ((0, "closest pair"), (4, "quartile")):
        yield Case(
            *("layered", f"layered, {title}", f"{layers * width:,} states, {title}", chain),
            partial(_ranked_pair, label="0.a", part=part),
            ("1e-9",),
            naive=False,
        )


def _models(folder: Path) -> Iterator[Case]:
    for model in profiles.all_cases(("models",), False, folder):
        if any(name in model.title for name in WANTED_MODELS):
            yield Case(
                *("models", model.title, model.title, model.chain, _named(*model.pair)),
                ("default", "quotient"),
                naive=False,
                seconds={"default": 10.0, "quotient": 2.0},
            )


def _ranked_pair(chain: LabelledMarkovChain, label: str, part: int) -> Pair:
    """Of the pairs of a label, by what the next label tells: the first, or the one after 1/part of them."""
    group = chain.states_by_label[label]
    masses: dict[int, dict[str, Fraction]] = {i: {} for i in group}
    for i in group:
        for k, p in chain.rows[i]:
            masses[i][chain.labels[k]] = masses[i].get(chain.labels[k], Fraction(0)) + p
    ranked = sorted(
        (max(_excess(masses[i], masses[j]), _excess(masses[j], masses[i])), i, j)
        for i, j in combinations(group[:100], 2)
    )
    _, i, j = ranked[len(ranked) // part if part else 0]
    return chain.states[i], chain.states[j]


def _excess(first: Mapping[str, Fraction], second: Mapping[str, Fraction]) -> Fraction:
    alpha = Fraction(11, 10)
    return sum(
        (max(Fraction(0), p - alpha * second.get(label, 0)) for label, p in first.items()), Fraction(0)
    )
