"""An attack in words, as far as a person wants to read it, and as a JSON object.

The probabilities are those of the prefixes that are listed. Where the proof accepts more than can be listed,
that is said: with the others both probabilities are larger, and only the proof says by how much.
"""

from __future__ import annotations

from bdist.exact.display import decimal_down, decimal_up
from bdist.exact.reading import rational_text
from bdist.printing import named, named_word
from bdist.traces.attack import Attack

INCOMPLETE = "the proof accepts others as well, too many to list; the numbers are of those listed"

_MOST_PREFIXES = 5


def attack_lines(attack: Attack) -> list[str]:
    """What the attacker watches for, and how likely that is from each of the two states, rounded soundly."""
    words = [named_word(prefix) for prefix in attack.prefixes[:_MOST_PREFIXES]]
    more = len(attack.prefixes) - len(words)
    first, second = map(named, attack.pair)
    lines = [f"say '{first}' when the labels begin with: {words[0] if words else 'nothing'}"]
    lines += [f"or: {text}" for text in words[1:]]
    if more:
        lines.append(f"or {more} more")
    low, high = decimal_down(attack.first), decimal_up(attack.second)
    lines.append(f"probability at least {low} from {first}, at most {high} from {second}")
    return lines if attack.complete else [*lines, INCOMPLETE]


def attack_json(attack: Attack) -> dict[str, object]:
    """An attack as a JSON object, in the form that `bdist attack --replay` reads."""
    return {
        "pair": list(attack.pair),
        "prefixes": [list(prefix) for prefix in attack.prefixes],
        "probabilities": [rational_text(attack.first), rational_text(attack.second)],
        "complete": attack.complete,
    }
