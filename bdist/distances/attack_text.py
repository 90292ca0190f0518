"""An attack in words, as far as a person wants to read it, and as a JSON object."""

from __future__ import annotations

from bdist.distances.attack import Attack
from bdist.printing import named, named_word
from bdist.rationals.display import decimal_down, decimal_up
from bdist.rationals.reading import rational_text

_MOST_PREFIXES = 5


def attack_lines(attack: Attack) -> list[str]:
    """What the attacker watches for, and how likely that is from each of the two states, rounded soundly."""
    words = [named_word(prefix) for prefix in attack.prefixes[:_MOST_PREFIXES]]
    more = len(attack.prefixes) - len(words)
    first, second = map(named, attack.pair)
    lines = [f"say '{first}' when the labels begin with: {words[0] if words else 'nothing'}"]
    lines += [f"or: {text}" for text in words[1:]]
    if more:
        others = "" if attack.complete else ", or others that the proof accepts and that are too many to list"
        lines.append(f"or {more} more{others}")
    low, high = decimal_down(attack.first), decimal_up(attack.second)
    lines.append(f"probability at least {low} from {first}, at most {high} from {second}")
    return lines


def attack_json(attack: Attack) -> dict[str, object]:
    """An attack as a JSON object, in the form that `bdist attack --replay` reads."""
    return {
        "pair": list(attack.pair),
        "prefixes": [list(prefix) for prefix in attack.prefixes],
        "probabilities": [rational_text(attack.first), rational_text(attack.second)],
    }
