"""The ``.tlmc`` format: chains whose labels are on the transitions, translated to labels on the states.

    # comment to the end of the line
    tlmc channel                           # keyword, optional name
    s0 -> 1/2 [send] s1, 1/2 [wait] s0     # state -> probability [label] target, ...
    s1 -> 1 [done] s1

Everything else is as in ``.lmc``: names, quotes, numbers, comments, lines that go on after a comma. There is
no writer: the translation is an ordinary chain, and the other formats hold it.

In a transition-labelled chain every state s has a distribution p(s) over pairs (a, t): with probability
p(s)(a, t) the chain emits the label a and goes to t. What an observer of s sees is the word of emitted
labels; nu_s is its measure on infinite words, given by nu_s(C_w), the probability that the word begins with
w. The paper says that such chains are easily accommodated, and this is how:

* every state s stays, with one neutral label that all of them share: it is where a run may begin;
* for every pair (a, t) that occurs in a row there is a state "t, entered by a", labelled a;
* s, and every "s, entered by ...", go to "t, entered by a" with probability p(s)(a, t).

*What it preserves.* Write nu'_s for the trace measure of s in the translation and # for the neutral label.
Claim: nu'_s(C_#w) = nu_s(C_w) for every word w, and nu'_s gives 0 to words that do not begin with #. By
induction on the length of w, with both sides 1 for the empty word. All states "s, entered by ..." have the
row of s, so their traces differ from those of s in the first label only; let m_t(w) be the probability that a
run in the translation that stands in any copy of t emits w from the next step on. Then
m_s(a w) = sum over t of p(s)(a, t) m_t(w), since exactly the states "t, entered by a" carry the label a, and
nu_s(C_aw) = sum over t of p(s)(a, t) nu_t(C_w) by definition; so m_s = nu_s, and nu'_s(C_#w) = m_s(w). The
cylinders generate the events, and w -> #w is a bijection of words. Hence every event has the same probability
on both sides, and the true delta (tv_alpha, and lv_alpha of each order) between two original states is the
same number for every alpha. Consequently bd_alpha and ld_alpha of the translation bound it, with all that
bdist proves about them.

*What bd_alpha is.* Since copies of t have the same row, bd_alpha("t, entered by a", "u, entered by a") does
not depend on a: it is bd_alpha(t, u). So bd_alpha of the translation solves the equation that one would write
down for transition labels, d(s, t) = the skewed lift of (1 if the labels differ, else d of the targets) at
p(s) and p(t), over the pairs (a, t) that occur.

The alternative, one state for each *transition* with the label of that transition, has as many states as
there are transitions; here it is one for each label that enters a state, often one a state. But a state that
many labels enter is copied that often, with its row, so that a file of some thousand transitions can ask for
millions: n states, each with transitions to all, and a label of their own for each of the n*n, make n^3. Past
ten times the given transitions, and a million, that is refused.

Names: "t, entered by a" is called ``t#a``, with ``\\#`` for a ``#`` and ``\\\\`` for a backslash in t, so
that no two of them are equal, and with as many ``#`` at the end as it takes for none to be the name of an
original state. The neutral label is ``start``, likewise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

from bdist.chains.chain import LabelledMarkovChain, Row
from bdist.chains.formats import ReadOptions
from bdist.errors import ModelError
from bdist.text.files import read_text
from bdist.text.scanner import Scanner, Target

NEUTRAL = "start"

MOST_TRANSITIONS = 1_000_000
MOST_GROWTH = 10

LabelledRow = Iterable[tuple[Fraction, str, str]]


def state_labelled(rows: Mapping[str, LabelledRow], *, name: str = "") -> LabelledMarkovChain:
    """The translation of a transition-labelled chain, {state: [(probability, label, target), ...]}.

    A probability of 0 is no transition. Entries of one row with the same label and target are refused.
    Ensures: the original states come first, in order and with their names; the true delta between two of them
    is that of the given chain.
    Raises: ModelError.
    """
    states = list(rows)
    known = set(states)
    entered: dict[tuple[str, str], int] = {}
    own_rows: dict[str, Row] = {}
    for state, row in rows.items():
        entries: dict[int, Fraction] = {}
        for probability, label, target in row:
            if target not in known:
                raise ModelError(f"state '{state}' goes to '{target}', which is not a state", state=state)
            if not probability:
                continue
            place = entered.setdefault((target, label), len(states) + len(entered))
            if place in entries:
                raise ModelError(f"state '{state}' goes to '{target}' by label '{label}' twice", state=state)
            entries[place] = probability
        own_rows[state] = tuple(sorted(entries.items()))
    given = sum(map(len, own_rows.values()))
    made = given + sum(len(own_rows[target]) for target, _ in entered)
    if made > max(MOST_TRANSITIONS, MOST_GROWTH * given):
        sizes = f"{len(states) + len(entered)} states and {made} transitions from {given}"
        raise ModelError(
            f"with its labels on states the chain would have {sizes}; give states fewer incoming labels"
        )
    neutral = NEUTRAL
    while any(label == neutral for _, label in entered):
        neutral += "#"
    return LabelledMarkovChain(
        (*states, *_names(entered, known)),
        (*(neutral for _ in states), *(label for _, label in entered)),
        (*own_rows.values(), *(own_rows[target] for target, _ in entered)),
        name,
    )


def _names(entered: Iterable[tuple[str, str]], known: set[str]) -> list[str]:
    names = []
    for target, label in entered:
        escaped = target.replace("\\", "\\\\").replace("#", "\\#")
        names.append(f"{escaped}#{label}")
    end = ""
    while any(name + end in known for name in names):
        end += "#"
    return [name + end for name in names]


def read(text: str, source: str | Path = "<text>") -> LabelledMarkovChain:
    """Parse and translate ``.tlmc`` text. Raises: FormatError with line and column; ModelError."""
    scanner = Scanner(text, source)
    name = scanner.header("tlmc")
    rows: dict[str, list[Target]] = {}
    for line, column in scanner.statements():
        state = scanner.name("a state name")
        scanner.declare(state, line, column)
        scanner.symbol("->", "'->' and the row")
        rows[state] = list(scanner.row(labelled=True))
    if not rows:
        scanner.fail("a state such as: s0 -> 1 [label] s0")
    for state, row in rows.items():
        scanner.check_targets(state, row)
    try:
        return state_labelled(
            {state: [(t.probability, t.label, t.name) for t in row] for state, row in rows.items()}, name=name
        )
    except ModelError as error:
        raise scanner.model_error(error) from None


def load(path: Path, _: ReadOptions) -> LabelledMarkovChain:
    """Read a file. Raises: as `read`."""
    return read(read_text(path), path)
