"""The attack behind a lower bound: a set of label prefixes that a distinguisher accepts.

An attacker sees the labels that the chain shows and says "it was s" as soon as they begin with one of the
prefixes. The probability of that is p from s and q from t, and p - alpha q is a lower bound on the true
delta, whatever else is true. The prefixes are read off an unfolding's accepted leaves and minimised: where
everything that can follow a prefix is accepted, the prefix itself is. None is a prefix of another.

The same event bounds other alphas: p - alpha' q for every alpha'. So one attack says for every delta up to
which alpha it breaks (alpha, delta). Even where the event is not known, a bound at one alpha says something
at every larger one (`carried_lower`).

In words and as a JSON object the probabilities are those of the prefixes that are listed. Where the proof
accepts more than can be listed, that is said: with the others both probabilities are larger, and only the
proof says by how much.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from sys import float_info

from flint import fmpq

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import ParameterError
from bdist.exact.display import decimal_down, decimal_up
from bdist.exact.rationals import ZERO, to_fmpq, to_fraction
from bdist.exact.reading import rational_text
from bdist.printing import named, named_word
from bdist.results import Bound, Evidence
from bdist.traces.unfolding import Unfolding

Prefix = tuple[str, ...]
MOST_PREFIXES = 1000
INCOMPLETE = "the proof accepts others as well, too many to list; the numbers are of those listed"

_MOST_SHOWN = 5


@dataclass(frozen=True)
class Attack:
    """An event, given by prefixes, with its exact probabilities from the two states.

    It attains the lower bound that it came from if it is ``complete``; otherwise there were too many prefixes
    to list, and the probabilities are of those that are listed.
    Raises: ParameterError where there is no prefix: that event never happens, and is no attack.
    """

    pair: tuple[str, str]
    prefixes: tuple[Prefix, ...]
    first: Fraction
    second: Fraction
    complete: bool = True

    def __post_init__(self) -> None:
        if not self.prefixes:
            raise ParameterError("an attack without prefixes is an event that never happens")

    def advantage(self, alpha: Fraction) -> Fraction:
        """first - alpha second: a lower bound on lv_alpha of the pair."""
        return self.first - alpha * self.second

    def report_lines(self) -> list[str]:
        """What the attacker watches for, and how likely that is from either state, rounded soundly."""
        words = [named_word(prefix) for prefix in self.prefixes[:_MOST_SHOWN]]
        more = len(self.prefixes) - len(words)
        first, second = map(named, self.pair)
        lines = [f"say '{first}' when the labels begin with: {words[0]}"]
        lines += [f"or: {text}" for text in words[1:]]
        if more:
            lines.append(f"or {more} more")
        low, high = decimal_down(self.first), decimal_up(self.second)
        lines.append(f"probability at least {low} from {first}, at most {high} from {second}")
        if not self.complete:
            lines.append(INCOMPLETE)
        return [f"  attack    {lines[0]}", *(f"            {line}" for line in lines[1:])]

    def document(self) -> dict[str, object]:
        """The attack as a JSON object, in the form that `bdist attack --replay` reads."""
        return {
            "pair": list(self.pair),
            "prefixes": [list(prefix) for prefix in self.prefixes],
            "probabilities": [rational_text(self.first), rational_text(self.second)],
            "complete": self.complete,
        }


def attack_of(unfolding: Unfolding, chain: LabelledMarkovChain, pair: tuple[str, str]) -> Attack:
    """The attack of an unfolding, for a pair of states of a chain with the same traces as the unfolding's.

    Ensures: at most MOST_PREFIXES prefixes, those with the largest advantage; the probabilities are of what
    is listed.
    """
    prefixes, complete = _accepted_prefixes(unfolding)
    first, second = (event_probability(chain, state, prefixes) for state in pair)
    return Attack(pair, prefixes, first, second, complete)


def event_probability(chain: LabelledMarkovChain, state: str, prefixes: Iterable[Sequence[str]]) -> Fraction:
    """The exact probability that the labels shown from a state begin with one of the prefixes.

    Raises: ParameterError where a prefix is empty or one is a prefix of another.
    """
    trie: dict[str, object] = {}
    for prefix in prefixes:
        _insert(trie, prefix)
    start = chain.index(state)
    total = ZERO
    waiting: list[tuple[object, dict[int, fmpq]]] = [(trie.get(chain.labels[start]), {start: fmpq(1)})]
    rows = chain.rows
    while waiting:
        branch, vector = waiting.pop()
        if branch is _ACCEPTED:
            total += sum(vector.values(), ZERO)
        elif isinstance(branch, dict):
            following: dict[str, dict[int, fmpq]] = {}
            for i, x in vector.items():
                for j, p in rows[i]:
                    part = following.setdefault(chain.labels[j], {})
                    part[j] = part.get(j, ZERO) + x * to_fmpq(p)
            waiting += [(branch[label], part) for label, part in following.items() if label in branch]
    return to_fraction(total)


_ACCEPTED = object()


def _insert(trie: dict[str, object], prefix: Sequence[str]) -> None:
    if not prefix:
        raise ParameterError("an attack's prefix is empty; it must begin with the label of the state")
    branch = trie
    for label in prefix[:-1]:
        below = branch.setdefault(label, {})
        if not isinstance(below, dict):
            raise ParameterError(
                f"the attack lists a prefix of {' '.join(prefix)} as well; list only one of them"
            )
        branch = below
    if prefix[-1] in branch:
        raise ParameterError(
            f"the attack lists {' '.join(prefix)} and what it begins, or twice; list only one of them"
        )
    branch[prefix[-1]] = _ACCEPTED


def _accepted_prefixes(unfolding: Unfolding) -> tuple[tuple[Prefix, ...], bool]:
    """The accepted prefixes, as many as are wanted, and whether these are all.

    Merged nodes stand for many words, so there may be too many to list. The walk is depth first, towards the
    larger gain: a queue that always took the best unfinished prefix would finish none, because each step
    splits the gain.
    """
    whole, gains = _wholly_accepted(unfolding), _gains_approx(unfolding)
    found: list[Prefix] = []
    waiting: list[tuple[int, Prefix]] = [(0, (unfolding.chain.labels[unfolding.pair[0]],))]
    while waiting and len(found) < MOST_PREFIXES:
        number, prefix = waiting.pop()
        if whole[number]:
            found.append(prefix)
            continue
        useful = [entry for entry in unfolding.nodes[number].children or () if gains[entry[1]] > 0]
        useful.sort(key=lambda entry: float(entry[2]) * gains[entry[1]])
        waiting += [(child, (*prefix, label)) for label, child, _ in useful]
    return tuple(sorted(found)), not waiting


def _wholly_accepted(unfolding: Unfolding) -> list[bool]:
    """Which nodes accept everything that can follow, from either state."""
    whole = [False] * len(unfolding.nodes)
    for number in unfolding.bottom_up():
        node = unfolding.nodes[number]
        if node.children is None:
            whole[number] = node.accepts
        else:
            whole[number] = not node.second_escapes and all(whole[child] for _, child, _ in node.children)
    return whole


def _gains_approx(unfolding: Unfolding) -> list[float]:
    """What the accepted leaves below each node are worth; positive where there is one, however small."""
    gains = [0.0] * len(unfolding.nodes)
    for number in unfolding.bottom_up():
        node = unfolding.nodes[number]
        if node.children is None:
            gains[number] = max(float(node.gain), float_info.min) if node.accepts else 0.0
        elif any(gains[child] for _, child, _ in node.children):
            total = sum(float(factor) * gains[child] for _, child, factor in node.children)
            gains[number] = max(total, float_info.min)
    return gains


def carried_lower(bound: Bound, alpha: Fraction, above: Fraction) -> Bound:
    """A lower bound on tv or lv at ``alpha``, carried over to a larger one.

    An event with p - alpha q >= v has q <= (1 - v) / alpha, because p <= 1; so at ``above`` its advantage is
    at least v - (above - alpha) (1 - v) / alpha. Nothing of the event itself has to be known.
    Requires: above >= alpha.
    """
    if above == alpha:
        return bound
    value = bound.value - (above - alpha) * (1 - bound.value) / alpha
    return Bound(max(Fraction(0), value), Evidence.EXACT)
