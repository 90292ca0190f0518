"""Mechanisms as plain Python functions, run over all outcomes of their randomness.

    def survey(rng, answer):
        if rng.flip("1/2"):
            return answer
        return rng.choose(["yes", "no"])

    bdist.require_private(survey, inputs=["yes", "no"], epsilon="ln 3")

The function takes its randomness from the argument ``rng`` and from nowhere else. It is called again and
again, each time with other outcomes prescribed for its draws (`Rng`), until all sequences of outcomes have
occurred: a *run* is one of them, its probability the product of the probabilities of its outcomes. So real
code is audited as it is, exhaustively and not by sampling.

*What an observer sees* is the sequence of values that are shown (``rng.show``), and at last the value that is
returned: its text, `shown_text`. Time is not seen unless it is shown: whoever fears a clock puts an
``rng.show("tick")`` where time passes.

*The chain.* Only the probabilities of these sequences matter for the true delta, so the chain is made from
them and not from the runs: the sequences of an input form a tree of prefixes, in which a prefix goes to a
longer one with its conditional probability. From the leaves upwards, prefixes with the same last value and
the same future become one state, for all inputs together. The trace measure of an input's state is then that
of its sequences, behind the label ``start`` and with the label ``end`` for ever after: by induction on the
length of a prefix, the products of conditional probabilities telescope. No two sequences are confused: the
value before ``end`` is what was returned, and all before it was shown. (Where nothing is ever returned but
None, that is left out.) No state but the inputs has a bisimilar one.

*Loops that end with probability 1* have runs of any length. With ``draws=N`` a run is cut off at its draw
N + 1, and what it would have shown is not known. The probability of being cut off, the *remainder* of an
input, is a number that is known exactly. The chain takes the worst for granted: cut off runs of an input show
a label that no other input has, `Mechanism.chain`. Let p be the true distribution on sequences from s, q the
one from t, p' and q' their parts that were run to the end, and r and u the remainders. For every event E,

    p(E) - alpha q(E) <= p'(E) + r - alpha q'(E)      and      >= p'(E) - alpha q'(E) - alpha u.

With L the supremum of p'(E) - alpha q'(E) over all E, the true lv_alpha(s, t) is between L - alpha u and
L + r. The chain has L + r exactly: its best event takes the label of the runs of s that were cut off, which
has probability r from s and 0 from t, and leaves out that of t. So what is proved of the chain from above is
true of the mechanism, and off every lower bound r + alpha u is to be taken (`bdist.audits.remainder`).

*What is detected.* Whatever else the function depends on (a clock, another source of randomness, a counter
that it keeps) shows in runs that come out differently when they are repeated. All runs of an input are
therefore made once more after the last of them, each on a fresh copy of the input, and compared; and the
first run of each input after those of all others. Probabilities that do not sum to 1, and an ``rng`` that is
used when its run has ended, tell of something that is kept, too. What cannot be seen that way is a change
that the first run makes for good and only others notice, what is rare, and what is settled when Python
starts, such as the order of a set of texts.

What else was tried: to make states of draws, and not of what is shown, needs the state of a Python function
(its locals, its place), which nobody can compare exactly. Threads or generators as coroutines save replay,
and forbid ``rng`` in helper functions or make every call slower than a replay.
"""

from __future__ import annotations

import copy
import secrets
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import lcm, prod
from numbers import Rational
from operator import index
from typing import Any, NoReturn

from bdist.chains.build import unique_names
from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.conversions import Reader, number_reader
from bdist.chains.relation import Relation
from bdist.errors import BdistError, InternalError, ModelError, ParameterError
from bdist.exact.rationals import as_rational, counted, decimal_down, rational_text
from bdist.printing import beginning, message_text
from bdist.report import OneLine, titled
from bdist.text.scanner import is_unshown

MOST_RUNS = 1_000_000
MOST_DRAWS = 10_000  # of a run where no other bound is given; beyond it, the run is an error
_OUTCOMES_SHOWN = 12

Seen = tuple[str, bool]  # a value by its text, and whether it is a text
Trace = tuple[Seen, ...]

_NOTHING: Seen = ("None", False)
_NEIGHBOURS = "it must be 'all', 'hamming', pairs of inputs, or a function of two"


class _Stop(BaseException):
    """Ends a run from within; no ``except Exception`` in a mechanism shall catch it."""


class _Stale(BaseException):
    """The ``rng`` of a run that has ended was used."""


class Rng:
    """The randomness of a mechanism, and what it shows: outcomes are prescribed, and the first of the
    possible ones where nothing is prescribed any more.

    Probabilities are Fraction, int or str, as everywhere; outcomes of probability 0 do not occur.
    """

    def __init__(self, prescribed: Sequence[int], number: Reader, most_draws: int) -> None:
        self._prescribed, self._number, self._most = prescribed, number, most_draws
        self.path: list[tuple[int, int]] = []  # at each draw, which of how many outcomes
        self.outcomes: list[Any] = []
        self.weights: list[Fraction] = []
        self.shown: list[Seen] = []
        self.is_cut = self.is_different = False  # too many draws; not the draws that there were before
        self.is_over = False  # the run has ended

    def choose(self, outcomes: Mapping[Any, Any] | Iterable[Any]) -> Any:
        """One of {outcome: probability}, or of a list, all of which are equally likely."""
        if isinstance(outcomes, Mapping) and outcomes:
            weights = [self._number(p, f"probability of {outcome!r}") for outcome, p in outcomes.items()]
            total = sum(weights, Fraction(0))
            if total != 1 or min(weights) < 0:
                shown = ", ".join(
                    f"{x!r}: {rational_text(p)}" for x, p in zip(outcomes, weights, strict=True)
                )
                ill = (
                    "and one is negative" if total == 1 else f"which sum to {rational_text(total)}, not to 1"
                )
                raise ParameterError(f"choose has the probabilities {beginning(shown)}, {ill}")
            return self._draw_weighted(zip(outcomes, weights, strict=True))
        listed = list(outcomes)
        if not listed:
            raise ParameterError("choose has nothing to choose from")
        return self._draw(listed, None)

    def flip(self, probability: Any = "1/2") -> bool:
        """True with this probability."""
        p = self._number(probability, "probability of True")
        if not 0 <= p <= 1:
            raise ParameterError(f"flip has the probability {rational_text(p)}, which is not from 0 to 1")
        return bool(self._draw_weighted(((True, p), (False, 1 - p))))

    def uniform(self, count: int) -> int:
        """One of 0, 1, ..., count - 1, all equally likely."""
        if not 1 <= index(count) <= sys.maxsize:
            raise ParameterError(f"uniform({count}): the count must be from 1 to {sys.maxsize}")
        return int(self._draw(range(index(count)), None))

    def geometric(self, ratio: Any, low: int, high: int) -> int:
        """Two-sided geometric noise, clamped to low .. high, where low <= 0 <= high.

        Without clamping, k has the probability (1 - ratio) / (1 + ratio) times ratio to the power of |k|;
        what is beyond an end is added to it. So ``count + rng.geometric(ratio, -count, most - count)`` is the
        truncated geometric mechanism for counts from 0 to most, with epsilon = -ln(ratio).
        """
        r = self._number(ratio, "ratio")
        low, high = index(low), index(high)  # integers of NumPy overflow in powers
        if not 0 <= r < 1 or not low <= 0 <= high or high - low >= MOST_RUNS:
            given = f"geometric({rational_text(r)}, {low}, {high})"
            what = f"low <= 0 <= high, and fewer than {MOST_RUNS} apart"
            raise ParameterError(f"{given}: the ratio must be from 0 to below 1, {what}")
        return int(self._draw_weighted(_geometric(r, low, high)))

    def permutation(self, items: Iterable[Any]) -> list[Any]:
        """The items in an order that is drawn, all orders equally likely."""
        left, drawn = list(items), []
        while len(left) > 1:
            # equal integers or texts need not be told apart, which leaves far fewer runs
            places: dict[Any, list[int]] = {}
            for at, item in enumerate(left):
                is_plain = type(item) in (int, bool, str)
                places.setdefault((type(item), item) if is_plain else at, []).append(at)
            weights = [(same[0], Fraction(len(same), len(left))) for same in places.values()]
            drawn.append(left.pop(self._draw_weighted(weights)))
        return drawn + left

    def show(self, value: Any) -> None:
        """Let the observer see a value. Raises: ParameterError where `shown_text` does not tell it apart."""
        if self.is_over:
            raise _Stale
        self.shown.append((shown_text(value), _is_text(value)))

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        """What is drawn from a copy, also in another process, would be no draw of this run."""
        raise TypeError("rng is not copied or pickled; draw where the mechanism runs")

    def _draw_weighted(self, weighted: Iterable[tuple[Any, Fraction]]) -> Any:
        outcomes, weights = zip(*(entry for entry in weighted if entry[1]), strict=True)
        return self._draw(outcomes, weights)

    def _draw(self, outcomes: Sequence[Any], weights: Sequence[Fraction] | None) -> Any:
        """One of some outcomes, with these probabilities or, with None, all equally likely."""
        if self.is_over:
            raise _Stale
        at = len(self.path)
        drawn = self._prescribed[at] if at < len(self._prescribed) else 0
        self.is_cut = self.is_cut or at >= self._most
        self.is_different = self.is_different or drawn >= len(outcomes)
        if self.is_cut or self.is_different:
            raise _Stop
        self.path.append((drawn, len(outcomes)))
        self.outcomes.append(outcomes[drawn])
        self.weights.append(Fraction(1, len(outcomes)) if weights is None else weights[drawn])
        return outcomes[drawn]


class SystemRng(Rng):
    """The same draws from the randomness of the operating system, with exactly these probabilities: what a
    mechanism that was audited is run with. What it shows is in ``shown``.
    """

    def __init__(self, floats: str | None = None) -> None:
        super().__init__((), number_reader(floats), 0)

    def _draw(self, outcomes: Sequence[Any], weights: Sequence[Fraction] | None) -> Any:
        if weights is None:
            return outcomes[secrets.randbelow(len(outcomes))]
        over = lcm(*(p.denominator for p in weights))
        left = secrets.randbelow(over)
        for outcome, p in zip(outcomes, weights, strict=True):
            left -= p.numerator * (over // p.denominator)
            if left < 0:
                return outcome
        raise InternalError("the probabilities of a draw do not sum to 1")


@lru_cache
def _geometric(ratio: Fraction, low: int, high: int) -> list[tuple[int, Fraction]]:
    if low == high:
        return [(low, Fraction(1))]
    within = {k: (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(low, high + 1)}
    tails = {end: ratio ** abs(end) / (1 + ratio) for end in (low, high)}
    return [(k, p) for k, p in {**within, **tails}.items() if p]


def shown_text(value: Any) -> str:
    """What an observer sees of a value: a text as it is, anything else much as Python prints it.

    Only values of types whose text tells them apart are shown: None, numbers, texts, bytes, members of an
    enumeration, and tuples, lists and dicts of these. Texts are made here and not by the ``__repr__`` of a
    class, which may hide a difference, or make one where there is none, as the addresses of objects do.
    Raises: ParameterError for another one, and for a text that no label can be.
    """
    if not _is_text(value):
        return _text_within(value)
    text = str.__str__(value)
    if is_unshown(text):
        what = f"the text {beginning(ascii(text))} is shown, and no label holds such a character"
        raise ParameterError(f"{what}; show it without, or in a tuple, where it is spelled out")
    return text


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Enum)


def _text_within(value: Any) -> str:
    """The text of a value, as it is within others: texts in quotes."""
    kind = type(value)
    if isinstance(value, Enum):
        return f"{kind.__qualname__}.{value.name}"
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, Rational):
        return rational_text(as_rational(value, "what is shown"))
    for plain in (float, str, bytes):
        if isinstance(value, plain):
            return plain.__repr__(value)
    name = "" if kind in (tuple, list, dict) else kind.__qualname__  # a namedtuple, a Counter
    if isinstance(value, dict):
        entries = (f"{_text_within(key)}: {_text_within(x)}" for key, x in dict.items(value))
        return f"{name}{{{', '.join(entries)}}}"
    if isinstance(value, tuple | list):
        inner = ", ".join(map(_text_within, value))
        if isinstance(value, list):
            return f"{name}[{inner}]"
        return f"{name}({inner},)" if len(value) == 1 else f"{name}({inner})"
    shown = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    kinds = "texts, bytes, integers, fractions, floats, None, members of an Enum"
    raise ParameterError(
        f"a value of the type {shown} is shown; shown are {kinds}, and tuples, lists and dicts of these"
    )


@dataclass(frozen=True)
class _Run:
    """One run: the outcomes of its draws, what was shown and returned, or that it was cut off."""

    path: tuple[tuple[int, int], ...]
    probability: Fraction
    trace: Trace | None  # None where it was cut off
    is_different: bool
    outcomes: tuple[Any, ...] = field(compare=False)  # for messages


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(OneLine):
    """A function ``function(rng, input)`` with the inputs and neighbours that an audit is about.

    ``neighbours`` are "all" pairs of inputs, those that "hamming" distance 1 makes (inputs that are sequences
    of the same length and differ in one place), pairs of inputs, or a function of two inputs that says
    whether they are. Runs with more than ``draws`` draws are cut off; without a bound they are an error.
    ``runs`` is how many there may be, of each input.
    """

    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    neighbours: str | Callable[[Any, Any], Any] | Sequence[tuple[Any, Any]] = "all"
    draws: int | None = None
    runs: int = MOST_RUNS
    floats: str | None = None

    def __post_init__(self) -> None:
        if not self.inputs:
            raise ParameterError("a mechanism needs inputs=[...], those that it is audited for")
        for what, number in (("draws", self.draws), ("runs", self.runs)):
            if number is not None and not (type(number) is int and number >= 1):
                raise ParameterError(f"{what} = {number!r} must be an integer, at least 1")
        for i, given in enumerate(self.inputs):
            if self._place(given) != i:
                raise ParameterError(f"the input {beginning(repr(given))} stands twice")

    def _essence(self) -> str:
        near = self.neighbours
        if callable(near):
            near = str(getattr(near, "__name__", "a function"))
        elif not isinstance(near, str):
            near = counted(len(near), "pair")
        return titled(self.name, counted(len(self.inputs), "input"), f"neighbours {near}")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The function itself."""
        return self.function(*arguments, **named)

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(getattr(self.function, "__name__", "mechanism"))

    def state(self, given: Any) -> str:
        """The name of an input's state in the chain. Raises: ParameterError where it is no input."""
        place = self._place(given)
        if place is None:
            raise ParameterError(f"{beginning(repr(given))} is no input of {self.name}")
        return self._states[place]

    def _place(self, given: Any) -> int | None:
        try:
            return next((i for i, known in enumerate(self.inputs) if known is given or known == given), None)
        except ValueError:  # arrays answer == with an array
            told = f"and one of the type {type(given).__name__} cannot be; give texts, numbers or tuples"
            raise ParameterError(f"inputs are compared by ==, {told}") from None

    @cached_property
    def _states(self) -> tuple[str, ...]:
        return unique_names(self.inputs)

    @cached_property
    def _number(self) -> Reader:
        return lru_cache(typed=True)(number_reader(self.floats))  # 1, 1.0 and True are different

    @cached_property
    def relation(self) -> Relation:
        """The neighbours, as states of the chain. Raises: ParameterError."""
        return Relation.of(self.chain, [(self.state(a), self.state(b)) for a, b in self._pairs()])

    def _pairs(self) -> Iterable[tuple[Any, Any]]:
        if isinstance(self.neighbours, str):
            if self.neighbours not in ("all", "hamming"):
                given = f"neighbours is '{self.neighbours}'"
                raise ParameterError(f"{given}; {_NEIGHBOURS}")
            if self.neighbours == "hamming" and not all(hasattr(given, "__len__") for given in self.inputs):
                raise ParameterError("neighbours is 'hamming', and some inputs are no sequences")
            is_near: Callable[[Any, Any], Any] = _differ_once if self.neighbours == "hamming" else _any_two
        elif callable(self.neighbours):
            is_near = self.neighbours
        else:
            for pair in self.neighbours:
                if not isinstance(pair, tuple | list) or len(pair) != 2:
                    raise ParameterError(
                        f"neighbours has {beginning(repr(pair))}, which is no pair of inputs"
                    )
            return self.neighbours
        return ((a, b) for a, b in combinations(self.inputs, 2) if is_near(a, b) or is_near(b, a))

    @cached_property
    def remainders(self) -> Mapping[str, Fraction]:
        """By the states of the inputs, the probability that a run is cut off, where that can be."""
        lost = {
            state: seen.get(None, Fraction(0)) for state, seen in zip(self._states, self._seen, strict=True)
        }
        return {state: remainder for state, remainder in lost.items() if remainder}

    @cached_property
    def _seen(self) -> tuple[dict[Trace | None, Fraction], ...]:
        """For each input the distribution on what is seen; under None, the probability of being cut off."""
        found = [_distribution(self, given) for given in self.inputs]
        for given, (_, first) in zip(reversed(self.inputs), reversed(found), strict=True):
            _check_again(self, given, first)
        return tuple(seen for seen, _ in found)

    @cached_property
    def chain(self) -> LabelledMarkovChain:
        """The chain that has, from the state of each input, the distribution on what is seen (see above).

        Ensures: lv_alpha of two inputs is at least that of the mechanism, and at most their remainders r and
        alpha u larger; without remainders it is the same.
        Raises: ModelError, with the run, where the function raises, is not deterministic but for ``rng``, or
        has too many runs.
        """
        return _chain_of(self)


def mechanism(
    function: Callable[..., Any] | None = None,
    *,
    inputs: Iterable[Any],
    neighbours: str | Callable[[Any, Any], Any] | Iterable[tuple[Any, Any]] = "all",
    draws: int | None = None,
    runs: int = MOST_RUNS,
    floats: str | None = None,
) -> Any:
    """A Python function ``function(rng, input)`` as a mechanism that can be audited; `Mechanism` says more.

    Without a function it is a decorator. Floats as probabilities are refused, unless ``floats`` says how to
    read them ("shortest", "simplest" or "exact").
    Raises: ParameterError.
    """
    if not isinstance(inputs, Iterable):
        raise ParameterError(f"inputs is a {type(inputs).__name__}; it must be a list, such as inputs=[0, 1]")
    if isinstance(neighbours, str) or callable(neighbours):
        near: str | Callable[[Any, Any], Any] | Sequence[tuple[Any, Any]] = neighbours
    elif isinstance(neighbours, Iterable):
        near = tuple(neighbours)
    else:
        raise ParameterError(f"neighbours is a {type(neighbours).__name__}; {_NEIGHBOURS}")

    def made(function: Any) -> Mechanism:
        if not callable(function):
            what = f"a {type(function).__name__} is no function"
            raise ParameterError(f"{what}; a mechanism is a function of rng and an input")
        return Mechanism(function, tuple(inputs), near, draws, runs, floats)

    return made if function is None else made(function)


def _any_two(_first: Any, _second: Any) -> bool:
    return True


def _differ_once(first: Any, second: Any) -> bool:
    return len(first) == len(second) and sum(x != y for x, y in zip(first, second, strict=True)) == 1


# --- all runs of an input ---------------------------------------------------------------------------------


def _distribution(mechanism: Mechanism, given: Any) -> tuple[dict[Trace | None, Fraction], _Run]:
    """What is seen with which probability, and the first run."""
    found: list[_Run] = []
    reached = Fraction(0)
    for run in _all_runs(mechanism, given):
        found.append(run)
        reached += run.probability
        if len(found) > mechanism.runs:
            what = f"{_call_text(mechanism, given)} has more than {mechanism.runs} runs"
            so_far = f"those so far have the probability {decimal_down(reached)}"
            raise ModelError(f"{what}; {so_far}. Let it draw less, or allow for more with runs=N")
    # an odd number of runs lies between, or what changes at each call and back would not be noticed
    for run in found if len(found) % 2 else [found[-1], *found]:
        _check_again(mechanism, given, run)
    if reached != 1:
        raise _not_deterministic(mechanism, given, found[-1])
    seen: dict[Trace | None, Fraction] = {}
    for run in found:
        seen[run.trace] = seen.get(run.trace, Fraction(0)) + run.probability
    return seen, found[0]


def _check_again(mechanism: Mechanism, given: Any, run: _Run) -> None:
    if _run(mechanism, given, [drawn for drawn, _ in run.path]) != run:
        raise _not_deterministic(mechanism, given, run)


def _all_runs(mechanism: Mechanism, given: Any) -> Iterator[_Run]:
    """Every run once, depth-first: after each, the last draw that has another outcome takes its next one."""
    prescribed: list[int] = []
    while True:
        run = _run(mechanism, given, prescribed)
        if run.is_different or [drawn for drawn, _ in run.path[: len(prescribed)]] != prescribed:
            raise _not_deterministic(mechanism, given, run)
        yield run
        path = list(run.path)
        while path and path[-1][0] + 1 == path[-1][1]:
            path.pop()
        if not path:
            return
        prescribed = [drawn for drawn, _ in path]
        prescribed[-1] += 1


def _run(mechanism: Mechanism, given: Any, prescribed: Sequence[int]) -> _Run:
    rng = Rng(prescribed, mechanism._number, mechanism.draws or MOST_DRAWS)
    try:
        rng.show(mechanism.function(rng, copy.deepcopy(given)))
    except _Stop:
        pass
    except _Stale:
        what = f"{_call_text(mechanism, given)} uses the rng of a run that has ended"
        raise ModelError(f"{what}; take it from the argument, each time, and keep none") from None
    except (Exception, SystemExit) as error:
        if not (rng.is_cut or rng.is_different):  # what is made of being stopped does not count
            message = str(error) if isinstance(error, BdistError) else f"{type(error).__name__}: {error}"
            if isinstance(error, RecursionError) and mechanism.draws is None and rng.path:
                message += "; draws=N cuts runs off, and the verdict takes into account what is lost"
            called = f"{_call_text(mechanism, given)}{_after(rng.outcomes)}"
            raise ModelError(message_text(f"{called}: {message}")) from error
    finally:
        rng.is_over = True
    if rng.is_cut and mechanism.draws is None:
        what = f"{_call_text(mechanism, given)} has a run with more than {MOST_DRAWS} draws"
        raise ModelError(
            f"{what}; draws=N cuts runs off there, and the verdict takes into account what is lost"
        )
    # the product of hundreds of fractions as one fraction of two products
    probability = Fraction(prod(w.numerator for w in rng.weights), prod(w.denominator for w in rng.weights))
    return _Run(
        tuple(rng.path),
        probability,
        None if rng.is_cut else tuple(rng.shown),
        rng.is_different,
        tuple(rng.outcomes),
    )


def _call_text(mechanism: Mechanism, given: Any) -> str:
    return f"{mechanism.name}({beginning(repr(given))})"


def _after(outcomes: Sequence[Any]) -> str:
    shown = [beginning(repr(outcome)) for outcome in outcomes[-_OUTCOMES_SHOWN:]]
    more = "..., " if len(outcomes) > _OUTCOMES_SHOWN else ""
    return f" after the draws {more}{', '.join(shown)}" if outcomes else " before any draw"


def _not_deterministic(mechanism: Mechanism, given: Any, run: _Run) -> ModelError:
    what = f"{_call_text(mechanism, given)} does not do the same again{_after(run.outcomes)}"
    return ModelError(f"{what}: all that is random or changes must come from rng")


# --- the chain of what is seen ----------------------------------------------------------------------------


def _chain_of(mechanism: Mechanism) -> LabelledMarkovChain:
    seen = mechanism._seen
    last = -1 if all(t is None or t[-1] == _NOTHING for traces in seen for t in traces) else None
    _check_texts(mechanism, last)
    shown = {text for traces in seen for trace in traces if trace is not None for text, _ in trace}
    start, end = (_unused(text, shown) for text in ("start", "end"))
    cut = "cut"
    while any(f"{cut}-{state}" in shown for state in mechanism._states):
        cut += "#"

    def labels(trace: Trace | None, state: str) -> tuple[str, ...]:
        if trace is None:
            return (f"{cut}-{state}",)
        return (*(text for text, _ in trace[:last]), end)

    classes = _Classes()
    roots = [
        classes.of_tree({labels(trace, state): p for trace, p in traces.items()})
        for state, traces in zip(mechanism._states, seen, strict=True)
    ]
    # a state for each input, and one for each class that they reach
    order = list(dict.fromkeys(reached for root in roots for reached in classes.reached(root)))
    place = {known: len(roots) + k for k, known in enumerate(order)}
    futures = [*roots, *(classes.futures[known] for known in order)]
    rows: list[Row] = []
    for k, future in enumerate(futures):
        rows.append(tuple(sorted((place[c], p) for c, p in future)) or ((k, Fraction(1)),))
    texts = [classes.labels[known] for known in order]
    names = unique_names([*mechanism._states, *texts])
    return LabelledMarkovChain(names, (*(start for _ in roots), *texts), tuple(rows), mechanism.name)


class _Classes:
    """Prefixes with the same last label and the same future, each class once.

    ``futures[c]`` lists the classes that follow c with their probabilities, none after the last label.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.futures: list[tuple[tuple[int, Fraction], ...]] = []
        self._known: dict[tuple[str, tuple[tuple[int, Fraction], ...]], int] = {}

    def of_tree(self, traces: Mapping[tuple[str, ...], Fraction]) -> tuple[tuple[int, Fraction], ...]:
        """The future at the root of a tree of traces."""
        labels, mass, children = [""], [Fraction(0)], [dict[str, int]()]
        for trace, probability in traces.items():
            node = 0
            for label in trace:
                below = children[node].get(label)
                if below is None:
                    below = children[node][label] = len(labels)
                    labels.append(label)
                    mass.append(Fraction(0))
                    children.append({})
                mass[below] += probability
                node = below
            mass[0] += probability
        class_of = [0] * len(labels)
        future: tuple[tuple[int, Fraction], ...] = ()
        for node in range(len(labels) - 1, -1, -1):  # what follows a node stands behind it
            future = tuple(sorted((class_of[c], mass[c] / mass[node]) for c in children[node].values()))
            if node:
                key = (labels[node], future)
                class_of[node] = self._known.setdefault(key, len(self.labels))
                if class_of[node] == len(self.labels):
                    self.labels.append(labels[node])
                    self.futures.append(future)
        return future

    def reached(self, future: Sequence[tuple[int, Fraction]]) -> Iterator[int]:
        """The classes from here on, the nearest first."""
        level = {known: None for known, _ in future}
        waiting = list(level)
        for known in waiting:
            yield known
            for following, _ in self.futures[known]:
                if following not in level:
                    level[following] = None
                    waiting.append(following)


def _check_texts(mechanism: Mechanism, last: int | None) -> None:
    kinds: dict[str, bool] = {}
    for traces in mechanism._seen:
        for trace in traces:
            for text, is_text in () if trace is None else trace[:last]:
                if kinds.setdefault(text, is_text) != is_text:
                    both = f"both the text '{beginning(text)}' and a value printed like it"
                    told = "which an observer tells apart; show them differently"
                    raise ModelError(f"{mechanism.name} shows {both}, {told}")


def _unused(text: str, shown: Collection[str]) -> str:
    while text in shown:
        text += "#"
    return text
