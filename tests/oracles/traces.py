"""The true delta by brute force: list all traces of a bounded length, take every trace that pays.

For a chain whose absorbing states have one label for ever, the labels after ``depth`` steps add nothing, and
lv_alpha(s,t) is the sum over all words w of that length of max(0, nu_s(C_w) - alpha nu_t(C_w)): the best
event collects exactly the words that pay.
"""

from __future__ import annotations

from fractions import Fraction

from bdist.chains.chain import LabelledMarkovChain

Word = tuple[str, ...]


def words(chain: LabelledMarkovChain, state: str, length: int) -> dict[Word, Fraction]:
    """The probability of each word of labels of a length, from a state; by walking every path."""
    found: dict[Word, Fraction] = {}

    def walk(at: str, seen: Word, probability: Fraction) -> None:
        seen = (*seen, chain.label(at))
        if len(seen) == length:
            found[seen] = found.get(seen, Fraction(0)) + probability
            return
        for target, p in chain.row(at).items():
            walk(target, seen, probability * p)

    walk(state, (), Fraction(1))
    return found


def lv(chain: LabelledMarkovChain, s: str, t: str, alpha: Fraction, length: int) -> Fraction:
    """lv_alpha on events about the first ``length`` labels."""
    first, second = words(chain, s, length), words(chain, t, length)
    return sum(
        (max(Fraction(0), p - alpha * second.get(w, Fraction(0))) for w, p in first.items()), Fraction(0)
    )
