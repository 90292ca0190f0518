"""Noisy max: which of n queries has the largest answer, after noise on each of them.

Algorithms 2 and 3 of Liu, Wang and Zhang (Verifying Pufferfish privacy in hidden Markov models), with answers
0, 1, 2 and the truncated geometric noise of ratio 1/2. The *naive* variant answers with the first query of
the largest noisy value, the *improved* one with any of them, drawn uniformly.

There are two *presentations*. The ``table`` is the paper's Fig. 2: a state for every vector of answers, which
shows ``start``, and then an index. The paper's noisy vectors in between are summed up here, as nobody sees
them; that leaves 3^n states, and a pair for any two neighbours, of which there are 7^n and a few. So n is at
most 4. ``factorised`` is for more (`noisy_max_factorised`).

Neighbours are vectors in which *any* number of queries differ, each by at most 1 and in either direction, or
those in which exactly *one* query differs, by 1. The paper means the former, to judge by its numbers, and it
matters: the loss of three naive queries is 8 with any and 2 with one, that of improved ones 24/7 and 40/21.

Three improved queries come with the paper's examples on priors: two people have diseases A, B and C, each
with probability pA, pB and pC, and the queries count them. John's secret is whether he has A.

* ``independent``: John and the other are ill independently of each other.
* ``independent-as-printed`` (Example 6.2): the same prior, but conditioned on a count of A that is not 2
  (he is not ill) or not 0 (he is), which is less than John's entry tells.
* ``contagious`` (Example 6.3): both of them have A, or none. The paper leaves its priors without their
  normalisation; here conditioning provides it.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

from bdist.chains.families import truncated_noise
from bdist.errors import ParameterError
from bdist.exact.epsilon import Epsilon
from bdist.family import ChoiceParameter, Family, IntegerParameter
from bdist.pufferfish.families.hidden import Believed, Drawn, always, binomial, prior, put_together
from bdist.pufferfish.families.noisy_max_factorised import factorised_noisy_max
from bdist.pufferfish.model import HiddenMarkovModel, Lengths, Neighbours, Scenario

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


def hidden_noisy_max(
    queries: int = QUERIES.default,
    variant: str = VARIANT.default,
    presentation: str = PRESENTATION.default,
    neighbours: str = NEIGHBOURS.default,
) -> HiddenMarkovModel:
    """Noisy max on that many queries, with the scenario ``neighbours`` and perhaps those on priors.

    Raises: ParameterError, also where a table would be too large.
    """
    queries, variant = QUERIES.read(queries), VARIANT.read(variant)
    presentation, neighbours = PRESENTATION.read(presentation), NEIGHBOURS.read(neighbours)
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
    states = [
        Drawn(
            _state(vector),
            always("start"),
            dict(zip(indices, answer_probabilities(vector, naive), strict=True)),
        )
        for vector in vectors
    ]
    states += [Drawn(index, always(index)) for index in indices]
    pairs = tuple(
        Neighbours(_state(vector), _state(other))
        for vector in vectors
        for other in vectors
        if vector < other and _are_neighbours(vector, other, one)
    )
    epsilon, twice = Epsilon(None, Fraction(2)), Lengths(2, 2)
    scenarios = [Scenario("neighbours", pairs, epsilon=epsilon, lengths=twice)]
    with_priors = queries == 3 and not naive
    if with_priors:
        scenarios += [
            Scenario(
                name, (pair,), (prior(people, cases, states, _DISEASES),), epsilon=epsilon, lengths=twice
            )
            for name, pair, people, cases in (
                ("independent", Neighbours("c", "nc"), "people", _cases(_JOHN)),
                (
                    "independent-as-printed",
                    Neighbours("not-zero", "not-two"),
                    "people-as-printed",
                    _cases(_PRINTED),
                ),
                ("contagious", Neighbours("c", "nc"), "family", _cases(_FAMILY)),
            )
        ]
    name = f"noisy-max-{'naive' if naive else 'improved'}-{queries}"
    return put_together(name, states, scenarios, _DISEASES if with_priors else ())


def _state(vector: Answers) -> str:
    return "q" + "".join(map(str, vector))


def _are_neighbours(vector: Answers, other: Answers, one: bool) -> bool:
    apart = [abs(here - there) for here, there in zip(vector, other, strict=True)]
    return max(apart) <= 1 and (not one or sum(apart) == 1)


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
        Believed(f"{formula}*{binomial(b, 2, 'pB')}*{binomial(c, 2, 'pC')}", _state((a, b, c)), secrets)
        for a, formula, secrets in belief
        for b, c in product(range(3), repeat=2)
    ]


FAMILY = Family(
    "hidden-noisy-max",
    "noisy max on queries with answers 0 to 2: neighbours, and priors for three improved ones",
    (QUERIES, VARIANT, PRESENTATION, NEIGHBOURS),
    hidden_noisy_max,
)
