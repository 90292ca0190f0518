"""Families of hidden Markov models: parametrised generators, ordered as a reader would meet them.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a function
that makes a member, decorate it with `family`, and name it in the table at the end; everything else reads
that table. Each says in its function what it models, and what is known of it.

Families write their models down as one draws them, states and targets by name (`put_together`). Priors are
binomial for the most part: people who are ill independently of each other. They are stated as formulas, as in
a file, and become polynomials as they would there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, product
from math import comb, cos, pi, prod

from bdist.chains.families import RATIO, truncated_noise
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.family import (
    DENOMINATOR,
    SEED,
    ChoiceParameter,
    Draw,
    Family,
    IntegerParameter,
    RationalParameter,
    by_name,
    family,
    make_named,
)
from bdist.pufferfish.formulas import read_formula
from bdist.pufferfish.model import (
    Case,
    HiddenMarkovModel,
    HiddenState,
    Initial,
    Lengths,
    Neighbours,
    Prior,
    Range,
    Scenario,
    Words,
)
from bdist.pufferfish.polynomials import Entry, Ring


@dataclass(frozen=True)
class Drawn:
    """A state by names: what it shows, and its row, without which it halts; shares may be 0."""

    name: str
    shows: Mapping[str, Fraction]
    row: Mapping[str, Fraction] | None = None


Believed = tuple[str, str, tuple[str, ...]]  # a case: its formula, the state by name, the secrets in it


def put_together(
    name: str,
    states: Sequence[Drawn],
    scenarios: Iterable[Scenario],
    parameters: Iterable[str] = (),
    initials: Mapping[str, Mapping[str, Fraction]] | None = None,
) -> HiddenMarkovModel:
    """The model of these states; its parameters are between 0 and 1.

    Requires: every name is that of a state that is there.
    """
    numbers = {state.name: number for number, state in enumerate(states)}

    def entries(row: Mapping[str, Fraction]) -> tuple[tuple[int, Entry], ...]:
        return tuple((numbers[target], share) for target, share in row.items() if share)

    return HiddenMarkovModel(
        tuple(
            HiddenState(
                state.name,
                tuple((o, share) for o, share in state.shows.items() if share),
                None if state.row is None else entries(state.row),
            )
            for state in states
        ),
        tuple(Range(parameter, Fraction(0), Fraction(1)) for parameter in parameters),
        tuple(Initial(start, entries(row)) for start, row in (initials or {}).items()),
        tuple(scenarios),
        name,
    )


def on_a_prior(
    asked: Scenario,
    pair: Neighbours,
    name: str,
    cases: Iterable[Believed],
    states: Sequence[Drawn],
    *parameters: str,
) -> Scenario:
    """The scenario that asks for one pair of secrets under a prior on states, with these parameters."""
    numbers = {state.name: number for number, state in enumerate(states)}
    ring, box = Ring(tuple(sorted(parameters))), ((Fraction(0), Fraction(1)),) * len(parameters)
    made = tuple(
        Case(numbers[state], tuple(sorted(secrets)), read_formula(formula, ring, box))
        for formula, state, secrets in cases
    )
    return replace(asked, neighbours=(pair,), priors=(Prior(name, made),))


def always(observation: str) -> dict[str, Fraction]:
    """What a state shows that shows one thing."""
    return {observation: Fraction(1)}


def uniform(names: Iterable[str]) -> dict[str, Fraction]:
    """The uniform distribution."""
    listed = list(names)
    return dict.fromkeys(listed, Fraction(1, len(listed)))


def binomial(ill: int, people: int, parameter: str) -> str:
    """The probability that so many of the people are ill, each with the same probability, as a formula."""
    factors = [str(comb(people, ill))]
    factors += [f"{parameter}^{ill}"] if ill else []
    factors += [f"(1-{parameter})^{people - ill}"] if people > ill else []
    return "*".join(factors)


# --- the truncated geometric mechanism ---


LARGEST = IntegerParameter("largest", 2, "number of people; counts are 0 to this", least=1, most=30)


@family(
    "hidden-geometric",
    "truncated geometric mechanism with priors on who is ill: neighbours, contagious, independent",
    *(LARGEST, RATIO),
)
def hidden_geometric(largest: int, ratio: Fraction) -> HiddenMarkovModel:
    """The truncated geometric mechanism as a hidden Markov model, and what four observers know beforehand.

    Fig. 1c of Liu, Wang and Zhang (Verifying Pufferfish privacy in hidden Markov models): a state for every
    true count, which shows a noisy one and halts. `geometric` is the same mechanism as a chain. The scenarios
    are the examples of the paper's section 4, for any number of people instead of two:

    * ``neighbours`` (Example 4.2): counts that differ by 1, which is differential privacy; the loss is
      1/ratio.
    * ``contagious`` (Example 4.4): all people are ill, with probability p, or nobody is. John's secret, c or
      nc, decides between the extreme counts, and the loss is ratio^-largest, whatever p is.
    * ``independent``: each of the people is ill with probability p by itself, and what is conditioned on is
      John's own entry. The others are the same mixture on both sides, and the loss is that of ``neighbours``.
    * ``independent-as-printed`` (Example 4.5): the paper conditions on a count that is not 0, which is not
      what John's entry tells, and compares with no knowledge at all. The verdict happens to be the same.

    Polynomials of degree ``largest`` are multiplied out, so counts are few.
    """
    counts, noise = range(largest + 1), truncated_noise(largest, ratio)
    states = [Drawn(f"count{i}", {f"out{j}": noise[i][j] for j in counts}) for i in counts]
    relatives = [("1-p", "count0", ("nc",)), ("p", f"count{largest}", ("c",))]
    john = [(f"(1-p)*{binomial(i, largest - 1, 'p')}", f"count{i}", ("nc",)) for i in counts[:-1]]
    john += [(f"p*{binomial(i - 1, largest - 1, 'p')}", f"count{i}", ("c",)) for i in counts[1:]]
    printed = [
        (binomial(i, largest, "p"), f"count{i}", ("unknown", "not-zero") if i else ("unknown",))
        for i in counts
    ]
    pairs = tuple(Neighbours(f"count{i}", f"count{i + 1}") for i in counts[:-1])
    neighbours = Scenario("neighbours", pairs, epsilon=Epsilon(None, 1 / ratio), lengths=Lengths(1, 1))
    scenarios = [
        on_a_prior(replace(neighbours, name=name), pair, people, cases, states, "p")
        for name, pair, people, cases in (
            ("contagious", Neighbours("c", "nc"), "family", relatives),
            ("independent", Neighbours("c", "nc"), "people", john),
            ("independent-as-printed", Neighbours("unknown", "not-zero"), "people-as-printed", printed),
        )
    ]
    return put_together("hidden-geometric", states, [neighbours, *scenarios], ("p",))


# --- noisy max ---


QUERIES = IntegerParameter("queries", 3, "number of queries", least=1, most=40)
VARIANT = ChoiceParameter(
    "variant", "improved", "answer with the first of the largest, or with any of them", ("naive", "improved")
)
PRESENTATION = ChoiceParameter(
    "presentation", "table", "a state for every vector of answers, or query by query", ("table", "factorised")
)
NEIGHBOURS = ChoiceParameter(
    "neighbours", "any", "how many queries differ between neighbours", ("any", "one")
)

_MOST_IN_TABLE = 4
_NOISE = truncated_noise(2, Fraction(1, 2))
_DISEASES = ("pA", "pB", "pC")

Answers = tuple[int, ...]


@family(
    "hidden-noisy-max",
    "noisy max on queries with answers 0 to 2: neighbours, and priors for three improved ones",
    *(QUERIES, VARIANT, PRESENTATION, NEIGHBOURS),
)
def hidden_noisy_max(queries: int, variant: str, presentation: str, neighbours: str) -> HiddenMarkovModel:
    """Noisy max: which of n queries has the largest answer, after noise on each of them.

    Algorithms 2 and 3 of Liu, Wang and Zhang (Verifying Pufferfish privacy in hidden Markov models), with
    answers 0, 1, 2 and the truncated geometric noise of ratio 1/2. The *naive* variant answers with the first
    query of the largest noisy value, the *improved* one with any of them, drawn uniformly.

    There are two *presentations*. The ``table`` is the paper's Fig. 2: a state for every vector of answers,
    which shows ``start``, and then an index. The paper's noisy vectors in between are summed up here, as
    nobody sees them; that leaves 3^n states, and a pair for any two neighbours, of which there are 7^n and a
    few. So n is at most 4. ``factorised`` is for more (`factorised_noisy_max`).

    Neighbours are vectors in which *any* number of queries differ, each by at most 1 and in either direction,
    or those in which exactly *one* query differs, by 1. The paper means the former, to judge by its numbers,
    and it matters: the loss of three naive queries is 8 with any and 2 with one, that of improved ones 24/7
    and 40/21.

    Three improved queries come with the paper's examples on priors: two people have diseases A, B and C, each
    with probability pA, pB and pC, and the queries count them. John's secret is whether he has A.

    * ``independent``: John and the other are ill independently of each other.
    * ``independent-as-printed`` (Example 6.2): the same prior, but conditioned on a count of A that is not 2
      (he is not ill) or not 0 (he is), which is less than John's entry tells.
    * ``contagious`` (Example 6.3): both of them have A, or none. The paper leaves its priors without their
      normalisation; here conditioning provides it.

    Raises: ParameterError where a table would be too large.
    """
    if presentation == "factorised":
        return factorised_noisy_max(queries, variant == "naive", neighbours == "one")
    if queries > _MOST_IN_TABLE:
        raise ParameterError(
            f"parameter queries is {queries}; a table has at most {_MOST_IN_TABLE}; "
            "use presentation=factorised"
        )
    return _table(queries, variant == "naive", neighbours == "one")


def answer_probabilities(answers: Answers, naive: bool) -> list[Fraction]:
    """How likely each index is to be the answer, given the true answers of the queries."""
    found = [Fraction(0)] * len(answers)
    for noisy in product(range(3), repeat=len(answers)):
        likely = prod(
            (_NOISE[true][seen] for true, seen in zip(answers, noisy, strict=True)), start=Fraction(1)
        )
        winners = [index for index, seen in enumerate(noisy) if seen == max(noisy)]
        for index in winners[:1] if naive else winners:
            found[index] += likely / (1 if naive else len(winners))
    return found


def _table(queries: int, naive: bool, one: bool) -> HiddenMarkovModel:
    vectors = list(product(range(3), repeat=queries))
    indices = [f"answer{index}" for index in range(1, queries + 1)]
    states = []
    for vector in vectors:
        row = dict(zip(indices, answer_probabilities(vector, naive), strict=True))
        states.append(Drawn(_state(vector), always("start"), row))
    states += [Drawn(index, always(index)) for index in indices]
    pairs = []
    for vector, other in combinations(vectors, 2):
        apart = [abs(here - there) for here, there in zip(vector, other, strict=True)]
        if max(apart) <= 1 and (not one or sum(apart) == 1):
            pairs.append(Neighbours(_state(vector), _state(other)))
    neighbours = Scenario(
        "neighbours", tuple(pairs), epsilon=Epsilon(None, Fraction(2)), lengths=Lengths(2, 2)
    )
    scenarios = [neighbours]
    with_priors = queries == 3 and not naive
    if with_priors:
        scenarios += [
            on_a_prior(replace(neighbours, name=name), pair, people, _cases(belief), states, *_DISEASES)
            for name, pair, people, belief in (
                ("independent", Neighbours("c", "nc"), "people", _JOHN),
                ("independent-as-printed", Neighbours("not-zero", "not-two"), "people-as-printed", _PRINTED),
                ("contagious", Neighbours("c", "nc"), "family", _FAMILY),
            )
        ]
    name = f"noisy-max-{'naive' if naive else 'improved'}-{queries}"
    return put_together(name, states, scenarios, _DISEASES if with_priors else ())


def _state(vector: Answers) -> str:
    return "q" + "".join(map(str, vector))


# what is believed of disease A: the count, its probability, and the secrets
_Belief = tuple[tuple[int, str, tuple[str, ...]], ...]
_JOHN: _Belief = (
    (0, "(1-pA)*(1-pA)", ("nc",)),
    (1, "(1-pA)*pA", ("nc",)),
    (1, "pA*(1-pA)", ("c",)),
    (2, "pA*pA", ("c",)),
)
_PRINTED: _Belief = (
    (0, binomial(0, 2, "pA"), ("not-two",)),
    (1, binomial(1, 2, "pA"), ("not-two", "not-zero")),
    (2, binomial(2, 2, "pA"), ("not-zero",)),
)
_FAMILY: _Belief = ((0, "(1-pA)", ("nc",)), (2, "pA", ("c",)))


def _cases(belief: _Belief) -> list[Believed]:
    return [
        (f"{formula}*{binomial(b, 2, 'pB')}*{binomial(c, 2, 'pC')}", _state((a, b, c)), secrets)
        for a, formula, secrets in belief
        for b, c in product(range(3), repeat=2)
    ]


COPIES = ("top", "bottom")

_VALUES = range(3)

Row = dict[str, Fraction]


def pair_symbols(copy: str, value: int, own: str, difference: str = "any") -> dict[str, Fraction]:
    """What a query with that answer shows in a copy: pairs, and the rest by a symbol of the copy's own.

    The difference is ``any``, ``here`` (exactly 1), or something else (none).
    """
    apart, most = {"any": ((-1, 0, 1), 3), "here": ((-1, 1), 2)}.get(difference, ((0,), 1))
    others = [value + step for step in apart if value + step in _VALUES]
    pairs = [f"{value}{other}" if copy == "top" else f"{other}{value}" for other in others]
    return {**dict.fromkeys(pairs, Fraction(1, most)), own: 1 - Fraction(len(pairs), most)}


def factorised_noisy_max(queries: int, naive: bool, one: bool) -> HiddenMarkovModel:
    """Noisy max, query by query: a word spells two neighbouring vectors of answers, a search does the rest.

    The table of `hidden_noisy_max` has 7^n pairs. Here there is one pair, ``top`` and ``bottom``, and
    neighbours are words: two copies of the mechanism run side by side, as in Fig. 3 of Liu, Wang and Zhang,
    and a symbol such as ``12`` says that the next query answers 1 in the top copy and 2 in the bottom one.
    Each copy draws the answers of the queries uniformly; one whose answer is j in the top copy shows the
    symbols ``jl`` with equal probabilities, which are the same for ``jl`` in the bottom copy where the answer
    is l, and what is left goes to a symbol that the other copy never shows. Thus

        Pr(word | top) = constant(word) * P(answer | the vector that the word spells on top),

    likewise for the bottom, and with the same constant: the ratio of a word is that of two neighbours. A
    search over words that merges proportional vectors then looks at multisets of neighbours, not at
    sequences.

    The answer is the index of the largest noisy value. Its maximum m is drawn uniformly beforehand, and
    hidden; given m the queries are independent, and each of them passes or the run fails, in a state that
    shows, again, what the other copy never does. Passing means, with noisy values v,

        naive:      v < m before the answer, v = m for the answer itself, v <= m after it;
        improved:   v = m for the answer itself, and for the others v < m, or v = m and the tie is lost.

    In the improved variant ties are broken uniformly, which is to say by priorities that are drawn uniformly
    from [0, 1]: a query with priority x wins against another one that ties with probability x. So x is drawn
    beforehand and hidden as well, and the queries stay independent. Uniform numbers are not to be had in a
    finite model, but n of them are enough: with t ties the answer wins with probability 1/(1 + t), the
    integral of x^t, and a quadrature rule with n rational nodes and positive weights has this value exactly
    for all t < n (`priorities`). Counting the ties in place of that was tried: it is as right, but vectors
    then compare by the coefficients of polynomials in x, and no longer by their values, and hardly one
    dominates another. With eight queries 4,778 vector pairs were left of a layer; now it is 7 for each query.

    In the naive variant the place of the answer matters, so the word says it: ``answer`` stands before the
    symbol of that query. In the improved one it does not, as neighbours may be permuted; the answer's query
    is the first. A word is complete at its ``end``, after all queries, and all words of that length are
    complete. If only one query may differ, a state also knows whether that was before it, is here or will be
    later, which the symbols show as well. Whoever is a neighbour of a vector has that as a neighbour, so one
    direction is enough.

    Noise and passing take no states of their own: only pairs of symbols are seen in between. The number of
    states is 54 n for naive and 18 n^2 for improved variants, and some; three times that if one query
    differs.
    """
    states = [Drawn("end", always("end"))]
    initials: dict[str, Row] = {}
    chosen = ((Fraction(0), Fraction(1)),) if naive else priorities(queries)
    for copy in COPIES:
        states.append(Drawn(f"{copy}.failed", always(f"{copy}.failed")))
        initials[copy] = {}
        for largest in _VALUES:
            for number, (priority, weight) in enumerate(chosen):
                run = _Run(copy, largest, number, priority, queries, naive, one)
                initials[copy] |= run.entry(None, weight / len(_VALUES))
                states += run.states()
    length = queries + (2 if naive else 1)
    scenario = Scenario(
        "neighbours",
        (Neighbours(*COPIES, both=False),),
        words=Words.COMMON,
        epsilon=Epsilon(None, Fraction(2)),
        lengths=Lengths(length, length),
    )
    name = f"noisy-max-{'naive' if naive else 'improved'}-{queries}-factorised"
    return put_together(name, states, [scenario], initials=initials)


@lru_cache
def priorities(queries: int) -> tuple[tuple[Fraction, Fraction], ...]:
    """Nodes and positive weights with sum of weight * node^t = 1/(1 + t) for all t below ``queries``.

    The nodes are those of Chebyshev, for which weights are positive, rounded to the coarsest grid of a power
    of two on which they still are.
    """
    grid = 2
    while True:
        angles = [(k + 0.5) * pi / queries for k in range(queries)]
        nodes = [Fraction(round((1 - cos(angle)) / 2 * grid), grid) for angle in angles]
        if len(set(nodes)) == queries:
            weights = [_integral_of_lagrange(nodes, k) for k in range(queries)]
            if min(weights) > 0:
                return tuple(zip(nodes, weights, strict=True))
        grid *= 2


def _integral_of_lagrange(nodes: list[Fraction], number: int) -> Fraction:
    """The integral over [0, 1] of the polynomial that is 1 at a node and 0 at all others."""
    coefficients, scale = [Fraction(1)], Fraction(1)
    for other, node in enumerate(nodes):
        if other != number:
            scale *= nodes[number] - node
            shifted = [Fraction(0), *coefficients]
            coefficients = [s - node * c for s, c in zip(shifted, [*coefficients, Fraction(0)], strict=True)]
    return sum(c / (power + 1) for power, c in enumerate(coefficients)) / scale


@dataclass(frozen=True)
class _Place:
    """Where a run is: at which query, in which role, and whether the one query that differs comes later, is
    here or past. The role ``mark`` stands before the role ``answer``.
    """

    position: int
    role: str
    difference: str = "any"


@dataclass(frozen=True)
class _Run:
    """The runs of a copy with the given largest noisy value and numbered priority of the answer."""

    copy: str
    largest: int
    number: int
    priority: Fraction
    queries: int
    naive: bool
    one: bool

    def states(self) -> Iterator[Drawn]:
        """All states, place by place from the first. No place is reached in two numbers of steps."""
        places = self._after(None)
        while places:
            following: dict[_Place, None] = {}
            for place in places:
                if place.role == "mark":
                    answer = replace(place, role="answer")
                    yield Drawn(self._name(place), always("answer"), self._values(answer, Fraction(1)))
                    following[answer] = None
                    continue
                for value in _VALUES:
                    shows = pair_symbols(self.copy, value, self.copy, place.difference)
                    yield Drawn(self._name(place, value), shows, self._row(place, value))
                following |= dict.fromkeys(self._after(place))
            places = list(following)

    def entry(self, place: _Place | None, share: Fraction) -> Row:
        """A share of probability, on the states that follow a place, or on the first ones."""
        row: Row = {}
        places = self._after(place)
        for following in places:
            part = share / len(places)
            row |= (
                self._values(following, part) if following.role != "mark" else {self._name(following): part}
            )
        return row

    def _row(self, place: _Place, value: int) -> Row:
        below, equal = sum(_NOISE[value][: self.largest], start=Fraction(0)), _NOISE[value][self.largest]
        shares = {"before": below, "answer": equal, "after": below + equal}
        passing = shares.get(place.role, below + self.priority * equal)
        row = {"end": passing} if place.position == self.queries else self.entry(place, passing)
        return {**row, f"{self.copy}.failed": 1 - passing}

    def _after(self, place: _Place | None) -> list[_Place]:
        """The places that may follow, equally likely; the first ones after none."""
        position = 1 if place is None else place.position + 1
        if position > self.queries:
            return []
        more = position < self.queries
        if not self.naive:
            roles = ["answer" if place is None else "other"]
        elif place is None or place.role == "before":
            roles = [*(["before"] if more else []), "mark"]
        else:
            roles = ["after"]
        if not self.one:
            differences = ["any"]
        elif place is None or place.difference == "later":
            differences = [*(["later"] if more else []), "here"]
        else:
            differences = ["past"]
        return [_Place(position, role, difference) for role in roles for difference in differences]

    def _values(self, place: _Place, share: Fraction) -> Row:
        return {self._name(place, value): share / len(_VALUES) for value in _VALUES}

    def _name(self, place: _Place, value: int | None = None) -> str:
        chosen = f"max{self.largest}" if self.naive else f"max{self.largest}.priority{self.number}"
        parts = [self.copy, chosen, f"q{place.position}", place.role]
        parts += [place.difference] if self.one else []
        return ".".join(parts + ([] if value is None else [f"is{value}"]))


# --- above threshold ---


THRESHOLD = RationalParameter("threshold", Fraction(1, 4), "ratio of the noise on the threshold")
QUERY = RationalParameter("query", Fraction(1, 2), "ratio of the noise on each query")

_LONGEST = 11  # the paper's bound on the length of words


@family(
    "hidden-above-threshold",
    "above threshold on counts 0 to 2, two copies that words synchronise; not private for any epsilon",
    *(THRESHOLD, QUERY),
)
def hidden_above_threshold(threshold: Fraction, query: Fraction) -> HiddenMarkovModel:
    """Above threshold: the first of many queries that exceeds a threshold, with noise on both.

    Algorithm 4 of Liu, Wang and Zhang (Verifying Pufferfish privacy in hidden Markov models), in the manner
    of their Fig. 3. Counts and thresholds are 0, 1, 2. A noisy threshold is drawn once; then every query gets
    noise of its own, ``bot`` is shown while that is below the noisy threshold, and ``T`` at the first that is
    not, which ends the run. There are two copies, top and bottom, for two neighbouring data sets; a symbol
    such as ``12`` says that the next query counts 1 in the top copy and 2 in the bottom one. As
    `factorised_noisy_max` explains, the ratio of a word is that of the mechanism on the two sequences of
    counts that the word spells: a copy draws the next count uniformly, shows each pair that fits with
    probability 1/3, and symbols that the other copy never shows with what is left.

    A run begins in a state such as ``top.t2.r1``, with the threshold 2 and the count 1 of the first query.
    That count is part of the state, so the first pair of a word must be the pair of counts where its sides
    begin. The paper has a state for every noisy count; here those that show the same and go on alike are one.

    The continuous mechanism has the budget ln(1/threshold) + 2 ln(1/query), which is the scenario's epsilon,
    4 ln 2 with the paper's noise. The discrete one is not private at all. Let m > 1 queries count 1 on top
    and 2 on the bottom, but for the last, which counts 1 and 0: then ``bot`` m - 1 times and ``T`` has the
    ratio 2^m.
    """
    states = [Drawn("above", always("T"))]
    for copy in COPIES:
        states += _copy(copy, truncated_noise(2, threshold), truncated_noise(2, query))
    top, bottom = COPIES
    pairs = tuple(
        Neighbours(f"{top}.t{i}.r{j}", f"{bottom}.t{i}.r{k}")
        for i, j, k in product(_VALUES, repeat=3)
        if abs(j - k) <= 1
    )
    scenario = Scenario(
        "neighbours",
        pairs,
        words=Words.COMMON,
        epsilon=Epsilon(None, 1 / (threshold * query**2)),
        lengths=Lengths(1, _LONGEST),
    )
    return put_together("above-threshold", states, [scenario])


def _copy(copy: str, threshold: list[list[Fraction]], query: list[list[Fraction]]) -> list[Drawn]:
    """The states of a copy: the first ones, then those with a noisy threshold and a count, then ``bot``."""
    first, asked = [], []
    for i, j in product(_VALUES, repeat=2):
        row = {f"{copy}.noisy{k}.r{j}": threshold[i][k] for k in _VALUES}
        first.append(Drawn(f"{copy}.t{i}.r{j}", always("start"), row))
    for k, j in product(_VALUES, repeat=2):
        below = sum(query[j][:k], start=Fraction(0))
        row = {f"{copy}.noisy{k}.below": below, "above": 1 - below}
        # what is left over: the extreme counts have one neighbour only
        shows = pair_symbols(copy, j, f"{copy}.high" if j else f"{copy}.low")
        asked.append(Drawn(f"{copy}.noisy{k}.r{j}", shows, row))
    below_it = [
        Drawn(f"{copy}.noisy{k}.below", always("bot"), uniform(f"{copy}.noisy{k}.r{j}" for j in _VALUES))
        for k in _VALUES[1:]
    ]
    return [*first, *asked, *below_it]


# --- random models ---


STATES = IntegerParameter("states", 4, "number of states", least=1, most=10_000)
OBSERVATIONS = IntegerParameter("observations", 2, "number of observations", least=1, most=1_000)
DEGREE = IntegerParameter("degree", 2, "targets in a row", least=1, most=1_000)
HALTING = IntegerParameter("halting", 0, "percent of states that halt", least=0, most=100)
LENGTH = IntegerParameter("length", 5, "largest length of words in the scenario", least=1, most=10**6)

_STARTS = ("first", "second")


@family(
    "hidden-random",
    "random hidden Markov models, reproducible from their seed",
    *(STATES, OBSERVATIONS, DEGREE, DENOMINATOR, HALTING, LENGTH, SEED),
)
def random_hidden_model(
    states: int, observations: int, degree: int, denominator: int, halting: int, length: int, seed: int
) -> HiddenMarkovModel:
    """Random hidden Markov models for tests and benchmarks, reproducible from their parameters.

    The same parameters give the same model, on every machine and every Python (`draws` says how). A state
    that goes on shows every observation, so that all words have a positive probability and ratios are finite;
    a share of the states halts instead, and shows ``end``, which may make them infinite. The two initial
    distributions are on all states. Rows have a few targets, and all their numbers a common denominator.

    Raises: ParameterError where the denominator is too small for the number of parts.
    """
    degree, draw = min(degree, states), Draw(seed)
    for parts, what in ((observations, "observations"), (degree, "degree")):
        if parts > denominator:
            most = f"it must be at most denominator = {denominator}"
            raise ParameterError(f"parameter {what} is {parts}; {most}")

    def start() -> dict[str, Fraction]:
        weights = [1 + draw.below(denominator) for _ in range(states)]
        return {f"s{number}": Fraction(weight, sum(weights)) for number, weight in enumerate(weights)}

    drawn = []
    for number in range(states):
        if draw.below(100) < halting:
            drawn.append(Drawn(f"s{number}", always("end")))
            continue
        shows = draw.distribution([f"a{observation}" for observation in range(observations)], denominator)
        row = draw.distribution([f"s{t}" for t in draw.subset(states, degree)], denominator)
        drawn.append(Drawn(f"s{number}", dict(shows), dict(row)))
    scenario = Scenario("starts", (Neighbours(*_STARTS),), lengths=Lengths(1, length))
    initials = {name: start() for name in _STARTS}
    return put_together(f"hidden-random-{seed}", drawn, [scenario], initials=initials)


# --- chains that seldom move ---


STICKY_STATES = IntegerParameter("states", 5, "number of states", least=2, most=1_000)
STAY = RationalParameter("stay", Fraction(9, 10), "probability to stay")


@family("hidden-sticky", "a hidden chain that seldom moves, seen through noise", STICKY_STATES, STAY, LENGTH)
def hidden_sticky(states: int, stay: Fraction, length: int) -> HiddenMarkovModel:
    """A chain that stays where it is, or else goes to any other state, and shows ``high`` or ``low``.

    State number i of n shows ``high`` with probability (i + 1) / (n + 1). What does the record
    tell about the first state? The longer nothing changes the more, and never more than a bound: over words
    of any length the loss is approached by words that repeat one observation, and attained by none.
    """
    names = [f"s{number}" for number in range(states)]
    drawn = []
    for number, name in enumerate(names):
        high = Fraction(number + 1, states + 1)
        row = {other: stay if other == name else (1 - stay) / (states - 1) for other in names}
        drawn.append(Drawn(name, {"high": high, "low": 1 - high}, row))
    scenario = Scenario("ends", (Neighbours(names[0], names[-1]),), lengths=Lengths(1, length))
    return put_together(f"hidden-sticky-{states}", drawn, [scenario])


# --- satisfiability ---


VARIABLES = IntegerParameter("variables", 4, "number of variables", least=3, most=200)
CLAUSES = IntegerParameter("clauses", 10, "number of clauses of three literals", least=1, most=2_000)
SATISFIABLE = ChoiceParameter(
    "satisfiable", "yes", "whether an assignment makes all clauses true", ("yes", "no")
)

Clause = dict[int, bool]  # variables, and whether they stand there without a negation
_UNSATISFIABLE = 8  # clauses: all signs of the first three variables


@family(
    "hidden-sat",
    "a formula in three literals a clause: how large the loss is says whether it is satisfiable",
    *(VARIABLES, CLAUSES, SATISFIABLE, SEED),
)
def hidden_sat(variables: int, clauses: int, satisfiable: str, seed: int) -> HiddenMarkovModel:
    """The reduction by which Liu, Wang and Zhang show that the question is NP-hard (Theorem 5.2).

    A run draws a clause, which stays hidden, then shows an assignment, and at its end whether the clause was
    made true, through noise: ``top`` with 4/5 if so on side A and with 1/5 on side B, and with 1/2 on both
    if not. An assignment that makes k of m clauses true has a word of ratio (4k/5 + (m - k)/2) / (k/5 + (m -
    k)/2). The loss is therefore 4 if the formula is satisfiable, and below 4 if it is not.

    The formula is random around a planted assignment. Where it is not satisfiable, eight of the clauses have
    all signs of the first three variables; the planted assignment breaks one of them and no other clause, so
    that the loss is that of k = m - 1.

    Raises: ParameterError where there are too few clauses not to be satisfiable.
    """
    draw, formula = Draw(seed), list[Clause]()
    planted = [draw.below(2) == 1 for _ in range(variables)]
    if satisfiable == "no":
        if clauses < _UNSATISFIABLE:
            least = f"it must be at least {_UNSATISFIABLE} where satisfiable = no"
            raise ParameterError(f"parameter clauses is {clauses}; {least}")
        formula = [dict(enumerate(signs)) for signs in product((False, True), repeat=3)]
    while len(formula) < clauses:
        chosen = sorted(draw.subset(variables, 3))
        clause = {variable: draw.below(2) == 1 for variable in chosen}
        if any(planted[variable] == sign for variable, sign in clause.items()):
            formula.append(clause)
    return model_of_formula(f"hidden-sat-{seed}", variables, formula)


def model_of_formula(name: str, variables: int, formula: Sequence[Clause]) -> HiddenMarkovModel:
    """The reduction for one formula in conjunctive normal form, clauses of any size."""
    states = [
        state
        for side in ("A", "B")
        for i, c in enumerate(formula)
        for state in _read_by(side, i, c, variables)
    ]
    even = Fraction(1, len(formula))
    initials = {side: {f"{side}.{i}.open.0": even for i in range(len(formula))} for side in ("A", "B")}
    scenario = Scenario(
        "formula", (Neighbours("A", "B"),), lengths=Lengths(2 * variables + 1, 2 * variables + 1)
    )
    return put_together(name, states, [scenario], initials=initials)


def _read_by(side: str, number: int, clause: Clause, variables: int) -> Iterator[Drawn]:
    """The states of a clause on one side: open or made true so far, then what a variable is."""
    half, fifth = Fraction(1, 2), Fraction(1, 5)
    for variable, so_far in product(range(variables), ("open", "true")):
        here = f"{side}.{number}.{so_far}.{variable}"
        yield Drawn(here, always(f"x{variable}"), {f"{here}.{value}": half for value in ("no", "yes")})
        for value in ("no", "yes"):
            makes_true = clause.get(variable) == (value == "yes")
            after = "true" if makes_true else so_far
            shown = f"x{variable}.{value}"
            yield Drawn(f"{here}.{value}", always(shown), always(f"{side}.{number}.{after}.{variable + 1}"))
    top = 4 * fifth if side == "A" else fifth
    yield Drawn(f"{side}.{number}.open.{variables}", {"top": half, "bottom": half})
    yield Drawn(f"{side}.{number}.true.{variables}", {"top": top, "bottom": 1 - top})


# --- the table ---


HIDDEN_MODELS: Mapping[str, Family[HiddenMarkovModel]] = by_name(
    (
        hidden_geometric,
        hidden_noisy_max,
        hidden_above_threshold,
        random_hidden_model,
        hidden_sticky,
        hidden_sat,
    )
)
make_hidden_model = partial(make_named, HIDDEN_MODELS, "hidden Markov models")
