"""What a certificate means by "this automaton".

As for chains (`fingerprint`), a certificate is bound neither to the bytes of a file nor to a copy of its own,
but to a canonical form that the checker builds by itself. It is a JSON document in ASCII, without blanks,

    ["dipa", INITIAL, [STATE, STATE, ...]]

with the name of the initial state and all states, sorted by name. A state is

    [NAME, READS_INPUT, NOISE, SECOND, [TRANSITION, ...]]

where READS_INPUT is true or false, NOISE is the pair [d, mu] of insample, SECOND that of insample', or null
where it is not given, and the transitions are those that leave the state, sorted by guard. A transition is

    [GUARD, OUTPUT, ASSIGNS, TARGET]

GUARD is the text "<", ">=" or "true", which is also the order in which they are sorted; ASSIGNS is true or
false, TARGET the name of a state. OUTPUT is a text where it is a symbol, and the number 1 or 2 where it is
insample or insample', so that a symbol of that spelling is another output.

Rationals are texts in lowest terms: the numerator with its sign, and if the denominator is not 1, a slash and
the denominator. Texts are sorted by code points. In JSON they stand in double quotes, in which a quote, a
backslash and everything outside of the printable ASCII characters is escaped, as Python's ``json.dumps`` does
it: ``\\"``, ``\\\\``, and ``\\uXXXX`` in lower-case hexadecimal digits, by surrogate pairs beyond U+FFFF.
(Names hold no control characters, so the short escapes such as ``\\n`` do not occur.)

The name of the automaton, the order of states and transitions, and the way in which numbers are written do
not count. A million transitions take a few seconds; the document is hashed as it is made, and never kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from bdist.dipa.automaton import Automaton, Guard, Noise, Output, Real
from bdist.exact.reading import rational_text

_GUARDS = {Guard.TRUE: "true", Guard.LESS: "<", Guard.AT_LEAST: ">="}
_SAMPLES = {Real.SAMPLE: 1, Real.SECOND: 2}
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def canonical_form(automaton: Automaton) -> str:
    """The canonical text: equal for two automata iff they have the same states, with the same noise and the
    same transitions, by name, and the same initial state.
    """
    return "".join(_parts(automaton))


def fingerprint(automaton: Automaton) -> str:
    """SHA-256 of the canonical form, in hexadecimal."""
    digest = hashlib.sha256()
    for part in _parts(automaton):
        digest.update(part.encode("ascii"))
    return digest.hexdigest()


def _parts(automaton: Automaton) -> Iterator[str]:
    """The canonical form, a state at a time."""
    states, transitions = automaton.states, automaton.transitions
    before = f'["dipa",{_ENCODER.encode(states[automaton.initial].name)},['
    for number in sorted(range(len(states)), key=lambda number: states[number].name):
        state = states[number]
        moves = sorted(
            (
                [_GUARDS[move.guard], _output(move.output), move.assigns, states[move.target].name]
                for move in map(transitions.__getitem__, automaton.outgoing[number])
            ),
            key=lambda move: str(move[0]),
        )
        yield before + _ENCODER.encode(
            [state.name, state.reads_input, _noise(state.noise), _noise(state.second), moves]
        )
        before = ","
    yield "]]"


def _noise(noise: Noise | None) -> list[str] | None:
    return None if noise is None else [rational_text(noise.d), rational_text(noise.mu)]


def _output(output: Output) -> str | int:
    return _SAMPLES[output] if isinstance(output, Real) else output
