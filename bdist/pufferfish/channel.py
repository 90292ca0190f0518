"""What observations tell about secrets, in the terms of quantitative information flow, exactly.

A model with some secrets is a channel: a secret goes in, and what an observer sees in k observations comes
out. Tools of that field report, for a prior on the secrets, the *Bayes vulnerability* before and after, the
chance to guess the secret in one try, or in several; with rewards of one's own it is *g-vulnerability*; and
the *min-capacity*, by how much seeing can multiply that chance, whatever the prior is (Smith, FOSSACS 2009;
Alvim and others, The Science of Quantitative Information Flow, 2020):

    posterior       sum over w of  max over guesses g of  sum over x of  prior(x) gain(g, x) Pr(w | x)
    min-capacity    sum over w of  max over x of  Pr(w | x),    in bits by its logarithm.

All are sums over words of a function of the column Pr(w | .) that is convex and of degree 1. So columns that
are proportional may be added up, and so may words after which the weights of all hidden states under all
secrets are proportional: they have the same future. Words are followed layer by layer with equal ones merged,
in rationals; no number is rounded. A run that halts before k observations is a word of its own.

Where that takes too long, what is left is bounded from both sides. An observer who stops looking knows no
more, and one who is told the hidden state, after which the secret does not matter, knows no less.

There is no certificate for these numbers. That the columns add up to 1 for each secret is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from bdist.budget import Budget
from bdist.errors import InternalError, ParameterError
from bdist.exact.rationals import ZERO, as_rational, to_fmpq, to_fraction
from bdist.pufferfish.question import Question
from bdist.pufferfish.vectors import NumberModel, summed
from bdist.report import OneLine

MOST_BELIEFS = 50_000  # of a layer

Column = tuple[fmpq, ...]  # by secret
Gain = Mapping[str, Mapping[str, Fraction]]  # by guess and secret; what is left out is 0
_Vectors = tuple[dict[int, fmpq], ...]  # by secret


@dataclass(frozen=True)
class Bracket:
    """A number, or two ends of an interval that holds it."""

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> Fraction | None:
        """The number, if both ends agree."""
        return self.low if self.low == self.high else None


@dataclass(frozen=True, repr=False)
class Channel(OneLine):
    """The columns of what can be seen, proportional ones added up; and where the search was cut short, what
    an observer would see who stopped looking there (``coarse``), or is told the hidden state (``fine``).
    """

    question: Question
    length: int
    secrets: tuple[str, ...]
    prior: tuple[Fraction, ...]
    coarse: tuple[Column, ...]
    fine: tuple[Column, ...]
    limit: str | None = None

    @cached_property
    def capacity(self) -> Bracket:
        """By how much the chance to guess right is multiplied at most, over all priors: 2 to the min-capacity."""
        low, high = (sum((max(column) for column in part), ZERO) for part in (self.coarse, self.fine))
        return Bracket(to_fraction(low), to_fraction(high))

    def before(self, tries: int = 1) -> Fraction:
        """The chance to guess the secret in so many tries, without looking."""
        return sum(sorted(self.prior, reverse=True)[:tries], Fraction(0))

    def after(self, tries: int = 1) -> Bracket:
        """The same for an observer."""
        weights = [to_fmpq(p) for p in self.prior]

        def value(column: Column) -> fmpq:
            joint = sorted((p * x for p, x in zip(weights, column, strict=True)), reverse=True)
            return sum(joint[:tries], ZERO)

        return self._over(value)

    def gain_before(self, gain: Gain) -> Fraction:
        """The largest expected gain of a guess, without looking."""
        rows = self._gains(gain)
        return max(sum((g * p for g, p in zip(row, self.prior, strict=True)), Fraction(0)) for row in rows)

    def gain_after(self, gain: Gain) -> Bracket:
        """The expected gain of an observer who guesses best."""
        rows = [
            [to_fmpq(g * p) for g, p in zip(row, self.prior, strict=True)] for row in self._gains(gain)
        ]

        def value(column: Column) -> fmpq:
            return max(sum((g * x for g, x in zip(row, column, strict=True)), ZERO) for row in rows)

        return self._over(value)

    def _over(self, value: Callable[[Column], fmpq]) -> Bracket:
        low, high = (sum(map(value, part), ZERO) for part in (self.coarse, self.fine))
        return Bracket(to_fraction(low), to_fraction(high))

    def _gains(self, gain: Gain) -> list[list[Fraction]]:
        """By guess. Raises: ParameterError where there is no guess, or a secret that is none."""
        for guess, row in gain.items():
            for secret in row:
                if secret not in self.secrets:
                    known = ", ".join(self.secrets)
                    raise ParameterError(f"the guess '{guess}' names the secret '{secret}'; there are {known}")
        if not gain:
            raise ParameterError("the gain has no guess")
        return [[row.get(secret, Fraction(0)) for secret in self.secrets] for row in gain.values()]


def read_channel(
    question: Question, prior: Mapping[str, object] | None = None, budget: Budget | None = None
) -> Channel:
    """The channel from the sides of the question's pairs to what is seen in as many observations as asked for.

    The prior is what is given, or that of the scenario if its secrets exclude each other and are all that is
    possible, or else uniform. Raises: ParameterError where parameters have no values, no length is given,
    pairs are under different priors, or the prior is no distribution on the secrets.
    """
    length = question.lengths.most
    if length is None:
        raise ParameterError("a channel needs a length: how many observations are seen")
    if question.is_parametric:
        raise ParameterError("what a channel tells depends on the parameters; give values for all of them")
    names = {pair.prior for pair in question.pairs}
    if len(names) > 1:
        raise ParameterError("the pairs are under different priors; name those of one with pairs")
    secrets = tuple(dict.fromkeys(side for pair in question.pairs for side in (pair.first, pair.second)))
    cleared = NumberModel(question.model, point=question.at or question.any_point())
    (under,) = names
    weights = _prior(question, cleared, secrets, under, prior)
    starts = tuple(
        {s: to_fmpq(x) for s, x in cleared.distribution(secret, under).items()} for secret in secrets
    )
    search = _Columns(question, cleared)
    limit = search.run(starts, length, budget or Budget())
    found = Channel(question, length, secrets, weights, tuple(search.coarse()), tuple(search.fine()), limit)
    for part in (found.coarse, found.fine):
        if any(sum((column[k] for column in part), ZERO) != 1 for k in range(len(secrets))):
            raise InternalError("the columns of a channel do not add up to 1")
    return found


def _prior(
    question: Question,
    cleared: NumberModel,
    secrets: tuple[str, ...],
    under: str | None,
    given: Mapping[str, object] | None,
) -> tuple[Fraction, ...]:
    if given is not None:
        for name in given:
            if name not in secrets:
                raise ParameterError(f"the prior names '{name}'; the secrets are {', '.join(secrets)}")
        weights = tuple(as_rational(given.get(secret, 0), f"the prior of {secret}") for secret in secrets)
        if any(x < 0 for x in weights) or sum(weights) != 1:
            raise ParameterError("the prior is no distribution: its numbers must be >= 0 and add up to 1")
        return weights
    if under is not None:
        cases = question.model.priors[under].cases
        if all(len([s for s in case.secrets if s in secrets]) == 1 for case in cases if case.probability != 0):
            return tuple(
                sum((cleared.number(c.probability) for c in cases if secret in c.secrets), Fraction(0))
                for secret in secrets
            )
    return (Fraction(1, len(secrets)),) * len(secrets)


class _Columns:
    """The layers of words; a belief is the weights of all states under all secrets, adding up to 1."""

    def __init__(self, question: Question, cleared: NumberModel) -> None:
        states = question.model.states
        self._shown = [[(o, to_fmpq(cleared.number(e))) for o, e in state.observations] for state in states]
        self._rows = [
            None if state.row is None else [(t, to_fmpq(cleared.number(e))) for t, e in state.row]
            for state in states
        ]
        self._done: dict[Column, fmpq] = {}
        self._left: list[tuple[_Vectors, fmpq]] = []

    def run(self, starts: _Vectors, length: int, budget: Budget) -> str | None:
        """Follow all words up to a length. Returns why not, where a limit was reached."""
        layer: list[tuple[_Vectors, fmpq]] = [(starts, fmpq(1))]
        for depth in range(1, length + 1):
            following: dict[tuple[object, ...], tuple[_Vectors, fmpq]] = {}
            for number, (vectors, mass) in enumerate(layer):
                limit = budget.exhausted()
                if limit is None and len(following) > MOST_BELIEFS:
                    limit = f"after {depth} observations there are more than {MOST_BELIEFS} beliefs"
                if limit is not None:
                    self._left = [*layer[number:], *following.values()]
                    return limit
                for seen in self._seen(vectors):
                    if depth == length or all(self._rows[s] is None for vector in seen for s in vector):
                        self._add(tuple(sum(vector.values(), ZERO) for vector in seen), mass)
                        continue
                    after = tuple(
                        summed((t, x * p) for s, x in vector.items() for t, p in self._rows[s] or ())
                        for vector in seen
                    )
                    self._follow(following, after, mass)
            layer = list(following.values())
        return None

    def _seen(self, vectors: _Vectors) -> Iterator[_Vectors]:
        """For each observation the weights of those states that show it."""
        found: dict[str, tuple[dict[int, fmpq], ...]] = {}
        for secret, vector in enumerate(vectors):
            for state, x in vector.items():
                for observation, p in self._shown[state]:
                    if p:
                        parts = found.setdefault(observation, tuple({} for _ in vectors))
                        parts[secret][state] = x * p
        return iter(found.values())

    def _follow(
        self, following: dict[tuple[object, ...], tuple[_Vectors, fmpq]], after: _Vectors, mass: fmpq
    ) -> None:
        size = sum((x for vector in after for x in vector.values()), ZERO)
        scaled = tuple({s: x / size for s, x in vector.items() if x} for vector in after)
        key = tuple((s, k, int(x.p), int(x.q)) for k, vector in enumerate(scaled) for s, x in sorted(vector.items()))
        known = following.get(key)
        following[key] = (scaled, mass * size + (ZERO if known is None else known[1]))

    def _add(self, column: Column, mass: fmpq) -> None:
        size = sum(column, ZERO)
        key = tuple(x / size for x in column)
        self._done[key] = self._done.get(key, ZERO) + mass * size

    def coarse(self) -> Iterator[Column]:
        """All columns, where what is left is not looked at any more."""
        yield from self._whole()
        for vectors, mass in self._left:
            yield tuple(mass * sum(vector.values(), ZERO) for vector in vectors)

    def fine(self) -> Iterator[Column]:
        """All columns, where for what is left the hidden state is told."""
        yield from self._whole()
        for vectors, mass in self._left:
            for state in {s for vector in vectors for s in vector}:
                yield tuple(mass * vector.get(state, ZERO) for vector in vectors)

    def _whole(self) -> Iterator[Column]:
        for column, mass in self._done.items():
            yield tuple(mass * x for x in column)
