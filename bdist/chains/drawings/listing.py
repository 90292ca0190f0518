"""A chain as text: the states by layers with their transitions, aligned in columns.

For terminals, and for readers who cannot use a picture. A layer holds the states that are that many steps
away from the roots; a transition that does not lead to the next layer says where it leads instead. Names that
would steer a terminal or turn the direction of writing are spelled out.
"""

from __future__ import annotations

from bdist.chains.drawings.subject import Subject
from bdist.chains.drawings.wording import probability_text
from bdist.printing import columns, printable, shortened

_LONGEST = 40


def listing(subject: Subject) -> str:
    """The drawing as lines of text: layer, state, label, then a probability and a target a line."""
    chain = subject.chain
    level = {i: depth for depth, layer in enumerate(subject.layers) for i in layer}
    rows = [("layer", "state", "label", "goes to", "")]
    for depth, layer in enumerate(subject.layers):
        for place, i in enumerate(layer):
            head = (str(depth) if place == 0 else "", _named(chain.states[i]), f"[{_named(chain.labels[i])}]")
            for number, (j, p) in enumerate(chain.rows[i]):
                target = _named(chain.states[j]) + _direction(i, j, level)
                rows.append((*(head if number == 0 else ("", "", "")), probability_text(p), target))
    widths = [max(columns(row[k]) for row in rows) for k in range(4)]
    return "\n".join(_aligned(row, widths) for row in rows)


def _direction(source: int, target: int, level: dict[int, int]) -> str:
    """What an arrow in a picture would show: where a transition goes that does not go to the next layer."""
    if source == target:
        return " (itself)"
    if level[target] == level[source]:
        return " (same layer)"
    return f" (back to layer {level[target]})" if level[target] < level[source] else ""


def _named(name: str) -> str:
    return printable(shortened(name, _LONGEST))


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [cell + " " * (width - columns(cell)) for cell, width in zip(row, [*widths, 0], strict=True)]
    return "  ".join(cells).rstrip()
