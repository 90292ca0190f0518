"""The attack behind a lower bound: a test that somebody who sees the labels can use.

Who wants to tell s from t does best to say "it was s" exactly when the likelihood ratio of what he saw
exceeds alpha (Neyman and Pearson). With the probabilities p and q of that from s and from t, p - alpha q is
the true delta in this order; and for any other test it is a lower bound. Here that rule is turned into a test
over labels, out of the graph of beliefs that a profile was computed with.

* As an *automaton* (`automaton`): its states are a belief together with the likelihood ratio so far, looked
  at only where both answers are still possible. Beliefs from which every end is accepted, or every end is
  not, are decided at once: bounds on what the ratio can still gain or lose, in floating point with a margin,
  say which. Then equal states are merged. A list of prefixes is one view of it, where that is short.
* As a *count* (`counting`), where there would be more than a few states: in k-fold randomised response about
  k^2 / 2 pairs of belief and ratio come down to "yes at least so many times". The same form serves chains
  that never stop leaking, where no finite automaton is best: two coins of different bias are told apart by
  counting over some hundred tosses.

However a test was found, its probabilities are computed again, exactly, from the chain itself, and they are
what is told. So a slip of the search can cost advantage, never truth.

*Replayed* by chance, for the sceptic: the chain is run many times, and what is accepted is counted. Rows are
sampled exactly, by a uniform integer below the row's common denominator; nothing is rounded. The interval
around a frequency is Hoeffding's: with N runs the true probability is within sqrt(ln(2/(1-confidence)) /
(2N)) of it with at least the stated confidence, for every N and every probability. It is a little wider than
the best known intervals and needs no tables.

A test that goes round may read for long. A run that is undecided after so many labels counts as not
accepted, and how many these were is part of the answer: the interval is then one of being accepted within
that many labels. How many runs are made is settled beforehand, from the length of the test alone: to stop
when there is enough, or when time is up, would make the interval a lie.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, islice
from math import inf, log, sqrt
from typing import TYPE_CHECKING, TypeAlias

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ParameterError
from bdist.exact.linear import strongly_connected_components
from bdist.exact.rationals import decimal_down, decimal_up, log_approx, rational_text, short_text
from bdist.printing import listed, named
from bdist.report import OneLine
from bdist.traces.automaton import ACCEPT, ALL_OF_IT, END, REJECT, Automaton, Prefix, Step
from bdist.traces.beliefs import Graph, Limits, cut_endless, explore_all

if TYPE_CHECKING:
    from bdist.chains.drawings.diagram import Diagram, NotDrawn
    from bdist.distances.compute import Skew
    from bdist.traces.counting import Counting, Scoring
    from bdist.traces.profile import Profile

Test: TypeAlias = "Automaton | Counting"

MOST_STATES = 20_000  # pairs of belief and ratio that are looked at
MANY_STEPS = 64  # beliefs, from which on counting is tried first
_CELLS = (2_000, 200)
_HORIZONS = (10, 30, 100, 300, 1000)  # labels that are read of a chain that goes on leaking
_NEAR = Fraction(99, 100)  # of the best advantage will do
_WHOLE_BELIEFS, _WHOLE_WORK = 300, 1_000_000
_MARGIN = 1e-9
_ROUNDS = 60  # of looking for the extremes of a cycle, before they count as infinite
_LABELS_TOLD = 8


@dataclass(frozen=True, repr=False)
class Attack(OneLine):
    """A test, with its exact probabilities of acceptance from the two states of ``pair``.

    ``leaning`` has labels that speak for the first state, and labels that speak against it: wherever the
    search read them, they were never less likely, or never more likely, from the first state than from the
    second, given what was read before.
    """

    pair: tuple[str, str]
    first: Fraction
    second: Fraction
    test: Test
    leaning: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @classmethod
    def of(
        cls,
        chain: LabelledMarkovChain,
        pair: tuple[str, str],
        test: Test,
        leaning: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
    ) -> Attack | None:
        """A test with its probabilities on a chain; None where it takes too much work to compute them.

        Raises: ParameterError where the chain has no such states.
        """
        found = test.probabilities(chain, pair)
        return None if found is None else cls(pair, found[0], found[1], test, leaning)

    @property
    def prefixes(self) -> tuple[Prefix, ...] | None:
        """The accepted prefixes, sorted; None where they are more than MOST_PREFIXES, or it is a count."""
        return self.test.prefixes if isinstance(self.test, Automaton) else None

    def advantage(self, alpha: Fraction) -> Fraction:
        """first - alpha second: a lower bound on lv_alpha of the pair."""
        return self.first - alpha * self.second

    def words(self, told: int = 0) -> list[str]:
        """What somebody does who uses the test, in lines.

        A test that is not short is told as prefixes where there are at most ``told`` of them.
        """
        name = named(self.pair[0])
        lines = self.test.words(name, told)
        parts = [
            f"{how}: {listed(labels, _LABELS_TOLD)}"
            for how, labels in zip((f"speaking for {name}", "against"), self.leaning, strict=True)
            if labels
        ]
        if not parts or not lines[-1].startswith(ALL_OF_IT):
            return lines
        return [*lines[:-1], "; ".join(parts), lines[-1]]

    def report_lines(self) -> list[str]:
        """What the attacker watches for, and how likely that is from either state, rounded soundly."""
        first, second = map(named, self.pair)
        low, high = decimal_down(self.first), decimal_up(self.second)
        lines = [*self.words(), f"probability at least {low} from {first}, at most {high} from {second}"]
        return [f"  attack    {lines[0]}", *(f"            {line}" for line in lines[1:])]

    def document(self, skew: Skew | None = None) -> dict[str, object]:
        """The attack as a JSON object, in the form that `read_test` reads; with its advantage at a skew."""
        prefixes = self.prefixes
        found: dict[str, object] = {
            "pair": list(self.pair),
            "probabilities": [rational_text(self.first), rational_text(self.second)],
            "test": self.test.document(),
            "prefixes": None if prefixes is None else [list(prefix) for prefix in prefixes],
        }
        if skew is not None:
            advantage = rational_text(self.advantage(skew.attack_alpha))
            found |= {"alpha": rational_text(skew.attack_alpha), "advantage": advantage}
        return found

    def _essence(self) -> str:
        first, second = (named(state, 40) for state in self.pair)
        likely = f"{short_text(self.first)} from {first}, {short_text(self.second)} from {second}"
        return f"a test with probability {likely}"

    def _repr_svg_(self) -> str | None:
        """The test as a drawing, for a notebook; none where it is too large for one."""
        from bdist.chains.drawings.diagram import NotDrawn
        from bdist.chains.drawings.pictures import svg_file

        picture, (first, second) = self.picture(), map(named, self.pair)
        if isinstance(picture, NotDrawn):
            return None
        return svg_file(picture, title=f"a test that tells {first} from {second}")

    def picture(self) -> Diagram | NotDrawn:
        """The test as a diagram, for `bdist.chains.drawings.pictures`, or why it is not drawn."""
        return self.test.picture(named(self.pair[0], 16))


def read_test(document: Mapping[str, object]) -> Test | None:
    """The test of an attack's JSON object, or of its prefixes where it has none; None if it accepts nothing.

    Requires: the prefixes, if they count, are lists of labels.
    Raises: ParameterError where it is no test.
    """
    test = document.get("test")
    if test is None:
        prefixes = document.get("prefixes")
        return Automaton.of_prefixes(prefixes) if isinstance(prefixes, list) else None
    if not isinstance(test, dict):
        raise ParameterError("a test is an object with a 'kind'")
    if test.get("kind") == "automaton":
        return Automaton.of_document(test)
    if test.get("kind") == "counting":
        from bdist.traces.counting import Counting  # when first used

        return Counting.of_document(test)
    raise ParameterError("the 'kind' of a test is 'automaton' or 'counting'")


def event_probability(chain: LabelledMarkovChain, state: str, prefixes: Iterable[Sequence[str]]) -> Fraction:
    """The exact probability that the labels shown from a state begin with one of the prefixes.

    Raises: ParameterError where a prefix is empty or one is a prefix of another, or they are too many.
    """
    test = Automaton.of_prefixes(prefixes)
    found = [Fraction(0)] if test is None else test.probabilities(chain, [state])
    if found is None:
        raise ParameterError("the attack has too many prefixes for its probability to be computed")
    return found[0]


# --- from a graph of beliefs ---


def attack_of(
    graph: Graph | None, chain: LabelledMarkovChain, pair: tuple[str, str], alpha: Fraction | None
) -> Attack | None:
    """The test that accepts where the likelihood ratio of the first state to the second exceeds alpha.

    ``graph`` is that of a profile of the pair, in either order (None where their labels differ). An open
    belief counts as its masses; where there are some, and few beliefs in all, a count over some time is tried
    as well, since they may go on leaking for ever. Without an alpha the test accepts what the second state
    cannot show at all.
    Ensures: the probabilities are exact and the advantage is positive; None where nothing exceeds alpha, or
    what does could not be told within a limit of work.
    Raises: ParameterError where the graph is not of these states.
    """
    first, second = map(chain.label, pair)
    if first != second:
        test = Automaton.least([{first: ACCEPT}])
        return None if test is None else _gaining(Attack.of(chain, pair, test), alpha)
    if graph is None or graph.is_closed(0):
        return None
    steps = _steps(graph, pair)
    found = _best_of_steps(steps, chain, pair, alpha) if steps else None
    if not _is_open(graph) or (found is not None and _gain(found, alpha) >= _NEAR):
        return found
    whole = Graph.of(graph.directions.futures, pair, one_scale=False)
    if explore_all(whole, Limits(_WHOLE_BELIEFS, _WHOLE_WORK, lambda: None)) is not None:
        return found
    steps = _steps(whole, pair)
    attacks = [found, None if alpha is None else _counted_for_long(steps, chain, pair, alpha)]
    if found is None:
        cut_endless(whole)
        steps = _steps(whole, pair)
        attacks.append(_best_of_steps(steps, chain, pair, alpha) if steps else None)
    gaining = [attack for attack in attacks if attack is not None]
    return max(gaining, key=lambda attack: _gain(attack, alpha), default=None)


def best_attack(profile: Profile, chain: LabelledMarkovChain, alpha: Fraction) -> Attack | None:
    """The better one of the attacks in both orders of a profile's pair; None where neither has one."""
    first, second = profile.pair
    found = [attack_of(profile.graph, chain, pair, alpha) for pair in ((first, second), (second, first))]
    attacks = [attack for attack in found if attack is not None]
    return max(attacks, key=lambda attack: attack.advantage(alpha), default=None)


def _gain(attack: Attack, alpha: Fraction | None) -> Fraction:
    if alpha is None:
        return attack.first if attack.second == 0 else Fraction(0)
    return attack.advantage(alpha)


def _gaining(attack: Attack | None, alpha: Fraction | None) -> Attack | None:
    return None if attack is None or _gain(attack, alpha) <= 0 else attack


def _is_open(graph: Graph) -> bool:
    return any(v not in graph.edges and not graph.is_closed(v) for v in range(len(graph.nodes)))


def _best_of_steps(
    steps: list[list[Step]], chain: LabelledMarkovChain, pair: tuple[str, str], alpha: Fraction | None
) -> Attack | None:
    """The automaton, or a count where that says the same in fewer words or the automaton is too large."""
    label = chain.label(pair[0])
    if alpha is not None and len(steps) > MANY_STEPS:
        counted = _counted(_plain(steps, label), chain, pair, alpha, steps)
        if counted is not None:
            return counted
    test, visited = _automaton(steps, label, alpha)
    if visited is not None:
        if test is None:
            return None
        found = _gaining(Attack.of(chain, pair, test, _leaning(steps, visited)), alpha)
        if found is None or alpha is None or test.is_short:
            return found
        counted = _counted(_plain(steps, label), chain, pair, alpha, steps)
        same = counted is not None and (counted.first, counted.second) == (found.first, found.second)
        return counted if same else found
    if alpha is None:
        return None
    for cells in _CELLS:
        counted = _counted(_scoring(steps, label, cells=cells), chain, pair, alpha, steps)
        if counted is not None:
            return counted
    return _counted_for_long(steps, chain, pair, alpha)


def _plain(steps: list[list[Step]], label: str) -> Scoring | None:
    """Points that depend on the label alone, and say the likelihood ratio."""
    scoring = _scoring(steps, label)
    return scoring if scoring is not None and scoring.is_plain and scoring.exact else None


def _scoring(
    steps: list[list[Step]], label: str, length: int | None = None, cells: int = 0
) -> Scoring | None:
    from bdist.traces.counting import scoring_of  # when first used

    return scoring_of(steps, label, length, cells=cells)


def _counted(
    scoring: Scoring | None,
    chain: LabelledMarkovChain,
    pair: tuple[str, str],
    alpha: Fraction,
    steps: list[list[Step]],
) -> Attack | None:
    """The attack with the best threshold on points; None where that is too much work or gains nothing."""
    found = None if scoring is None else scoring.test(chain, pair, alpha)
    if found is None:
        return None
    test, first, second = found
    return _gaining(Attack(pair, first, second, test, _leaning(steps, range(len(steps)))), alpha)


def _counted_for_long(
    steps: list[list[Step]], chain: LabelledMarkovChain, pair: tuple[str, str], alpha: Fraction
) -> Attack | None:
    """The count over the fewest labels that comes near to the best over any number of them."""
    found: list[Attack] = []
    for length in _HORIZONS:
        scoring = _scoring(steps, chain.label(pair[0]), length, cells=_CELLS[0])
        counted = _counted(scoring, chain, pair, alpha, steps)
        if counted is not None:
            found.append(counted)
        if (found and counted is None) or (counted is not None and counted.advantage(alpha) >= _NEAR):
            break
    if not found:
        return None
    enough = _NEAR * max(attack.advantage(alpha) for attack in found)
    return next(attack for attack in found if attack.advantage(alpha) >= enough)


def _steps(graph: Graph, pair: tuple[str, str]) -> list[list[Step]]:
    """The inner beliefs that are reached, the root first: labels, where they lead, and ratios.

    The ratio of an edge is that of its two probabilities, so that the product along a path is the likelihood
    ratio of its labels.
    """
    turned = _is_turned(graph, pair)
    if 0 not in graph.edges:
        return []
    number = {0: 0}
    order = [0]
    made: list[list[Step]] = []
    for u in order:  # grows while it is read
        row: list[Step] = []
        for edge in graph.flow(u):
            g, h = (edge.h, edge.g) if turned else (edge.g, edge.h)
            if not g or not h:
                row.append((edge.label, ACCEPT if g else REJECT, Fraction(1)))
                continue
            target = END
            if edge.child in graph.edges:
                known = number.get(edge.child)
                if known is None:
                    known = number[edge.child] = len(order)
                    order.append(edge.child)
                target = known
            row.append((edge.label, target, g / h))
        made.append(row)
    return made


def _is_turned(graph: Graph, pair: tuple[str, str]) -> bool:
    """Whether the graph is of the pair in the other order. Raises: ParameterError where it is of neither."""
    futures, root = graph.directions.futures, graph.nodes[0]
    vectors = [graph.directions.vectors[side] for side in (root.a, root.b)]
    if all(state in futures.number or state in futures.others for state in pair):
        wanted = [((futures.at(state), 1),) for state in pair]
        if vectors in (wanted, wanted[::-1]):
            return vectors != wanted
    raise ParameterError(f"the graph is not of the states {pair[0]} and {pair[1]}")


def _automaton(
    steps: list[list[Step]], label: str, alpha: Fraction | None
) -> tuple[Automaton | None, set[int] | None]:
    """The test over pairs of step and ratio, and the steps that it looks at.

    The first is None where nothing is accepted, the second where there are too many pairs.
    """
    low, high = _extremes(steps, -1), _extremes(steps, 1)
    bar_approx = inf if alpha is None else log_approx(alpha)
    number: dict[tuple[int, int, int], int] = {}
    entered: list[tuple[int, Fraction]] = []

    def meet(k: int, ratio: Fraction) -> int:
        """The state for a step and a ratio, or the decision, where it is the same for all that follows."""
        at_approx = log_approx(ratio)
        if at_approx + low[k] > bar_approx + _MARGIN or (alpha is None and low[k] == inf):
            return ACCEPT
        if at_approx + high[k] < bar_approx - _MARGIN:
            return REJECT
        key = (k, ratio.numerator, ratio.denominator)
        known = number.get(key)
        if known is None:
            known = number[key] = len(entered) + 1
            entered.append((k, ratio))
        return known

    states = [{label: meet(0, Fraction(1))}]
    for k, ratio in entered:  # grows while it is read
        if len(entered) > MOST_STATES:
            return None, None
        row: dict[str, int] = {}
        for following, target, factor in steps[k]:
            if target in (ACCEPT, REJECT):
                row[following] = target
                continue
            after = ratio if alpha is None else ratio * factor
            if target == END:
                row[following] = ACCEPT if alpha is not None and after > alpha else REJECT
            else:
                row[following] = meet(target, after)
        states.append(row)
    return Automaton.least(states), {k for k, _ in entered}


def _extremes(steps: list[list[Step]], sign: int) -> list[float]:
    """For each step the largest (sign 1) or least (sign -1) logarithm of what can still come, in floats.

    Within a component that goes round, values are improved until they stay; where they do not, they are
    infinite.
    """
    ends = {ACCEPT: inf, REJECT: -inf, END: 0.0}
    ways = [
        [
            (target, 0.0 if target in (ACCEPT, REJECT) else sign * log_approx(ratio))
            for _, target, ratio in row
        ]
        for row in steps
    ]
    value = [-inf] * len(steps)

    def best(k: int) -> float:
        return max(more + (value[t] if t >= 0 else sign * ends[t]) for t, more in ways[k])

    for component in strongly_connected_components([[t for t, _ in row if t >= 0] for row in ways]):
        for _ in range(min(len(component), _ROUNDS) + 1):
            moved = False
            for k in component:
                after = best(k)
                if after > value[k] + _MARGIN:
                    value[k], moved = after, True
            if not moved:
                break
        else:
            for k in component:
                value[k] = inf
    return [sign * v for v in value]


def _leaning(steps: list[list[Step]], visited: Iterable[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels that never lower the likelihood ratio and somewhere raise it, and the other way round."""
    signs: dict[str, set[int]] = {}
    for k in visited:
        for label, target, ratio in steps[k]:
            sign = {ACCEPT: 1, REJECT: -1}.get(target, (ratio > 1) - (ratio < 1))
            signs.setdefault(label, set()).add(sign)
    for_, against = (
        tuple(sorted(label for label, seen in signs.items() if sign in seen and -sign not in seen))
        for sign in (1, -1)
    )
    return for_, against


CONFIDENCE = 0.99
RUNS = 10_000
LONGEST_RUN = 1_000  # labels that are read of a run whose test goes round
_LABELS = 1_000_000  # that are read in all, about, where nobody said how many runs to make
_FEWEST_RUNS = 100


@dataclass(frozen=True, repr=False)
class Frequency(OneLine):
    """How often a test accepted in a number of runs, and how often it was ``undecided`` after ``length``
    labels; None where it decides every run.
    """

    hits: int
    runs: int
    undecided: int = 0
    length: int | None = None

    @property
    def estimate_approx(self) -> float:
        """The relative frequency."""
        return self.hits / self.runs

    @property
    def interval_approx(self) -> tuple[float, float]:
        """Hoeffding's interval."""
        radius = sqrt(log(2 / (1 - CONFIDENCE)) / (2 * self.runs))
        return max(0.0, self.estimate_approx - radius), min(1.0, self.estimate_approx + radius)


def usual_runs(test: Test) -> int:
    """How many runs are made of a test where nobody says how many: fewer where it reads many labels."""
    longest = test.longest
    return RUNS if longest is None else min(RUNS, max(_FEWEST_RUNS, _LABELS // longest))


def simulate(chain: LabelledMarkovChain, state: str, test: Test, runs: int, seed: int) -> Frequency:
    """Run the chain from a state and count how often the test accepts its labels.

    Requires: runs >= 1. The same seed gives the same runs.
    """
    if runs < 1:
        raise ParameterError(f"the number of runs is {runs}; it must be at least 1")
    length = LONGEST_RUN if test.longest is None else None
    chance = random.Random(f"{seed}/{state}")  # noqa: S311 - no secret depends on it
    hits = undecided = 0
    for walk in islice(_walks(chain, chain.index(state), chance), runs):
        read = test.reader()
        accepted = next((said for said in map(read, islice(walk, length)) if said is not None), None)
        hits += accepted is True
        undecided += accepted is None
    return Frequency(hits, runs, undecided, length)


def _walks(chain: LabelledMarkovChain, start: int, chance: random.Random) -> Iterator[Iterator[str]]:
    """The labels of one run after the other."""
    labels, rows = chain.labels, chain.integer_rows
    cumulative: dict[int, list[int]] = {}

    def walk() -> Iterator[str]:
        state = start
        while True:
            yield labels[state]
            row = rows[state]
            if state not in cumulative:
                cumulative[state] = list(accumulate(row.numerators))
            state = row.targets[bisect_right(cumulative[state], chance.randrange(row.denominator))]

    while True:
        yield walk()
