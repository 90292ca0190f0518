"""A test of labels as an automaton: it reads one label after the other and accepts, gives up, or reads on.

State 0 reads the first label. A state lists the labels with which the test goes on or accepts; at any other
label it gives up. Whatever follows an accepted prefix does not matter.

*Made small.* The states of a search are merged where they accept the same (Hopcroft's algorithm on partial
automata). Before that a state from which nothing is accepted is given up at once, and one from which nothing
is given up accepts at once: so the test decides as early as it can. The second is about the labels that were
listed as possible; labels that cannot come are not asked for.

*Exact probabilities* are those of reaching acceptance in the product of chain and automaton: a sparse linear
system with one unknown for each pair of states that is reached and can still accept. Without loops it is
solved by substitution. This shares nothing with the search that found the test.

*In words.* A few prefixes are listed. A row of states, each with one way on and perhaps a loop, is one
sentence. So is a label that is counted while others may end it, and so is a line that is walked up and down:
there the lead of some labels over others is counted until it is large enough (Wald's sequential test). Up to
eight states are numbered steps. A larger automaton is described by its size, and is to be looked at as a
picture or as JSON: nobody follows three hundred prefixes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from flint import fmpq

from bdist.chains.chain import LabelledMarkovChain
from bdist.errors import InternalError, ParameterError, by_caller
from bdist.exact.linear import solve_affine, strongly_connected_components
from bdist.exact.rationals import ONE, ZERO, counted, to_fmpq, to_fraction
from bdist.printing import MOST_LABELS, listed, named, named_word
from bdist.report import OneLine

if TYPE_CHECKING:
    from bdist.chains.drawings.diagram import Diagram, NotDrawn

Prefix = tuple[str, ...]
Transitions = tuple[tuple[str, int], ...]

Step = tuple[str, int, Fraction]
"""A label, the next step or ACCEPT, REJECT or END, and what it contributes to the likelihood ratio.

Steps with one list each are what tests are made from; step 0 reads the second label.
"""

ACCEPT, REJECT, END = -1, -2, -3  # END: a step after which no more is read, so that the ratio decides
MOST_PREFIXES = 1000
MOST_UNKNOWNS = 400_000
ALL_OF_IT = "all of it: "

_PREFIXES_TOLD = 5
_STEPS_TOLD, _TRANSITIONS_TOLD = 8, 24
_LABELS_TOLD = 12


@dataclass(frozen=True, repr=False)
class Automaton(OneLine):
    """``states[k]`` lists labels, increasing, each with the next state or ACCEPT; state 0 is the first.

    Requires: every state is reached, and from every state one that accepts.
    """

    states: tuple[Transitions, ...]

    @classmethod
    def least(cls, states: Sequence[Mapping[str, int]]) -> Automaton | None:
        """The least automaton that decides as early as it can; None where nothing is accepted.

        ``states`` lists for each state the labels that are possible there, with the next state, ACCEPT or
        REJECT. State 0 reads at least one label.
        """
        decided = _decided(states)
        if decided is None:
            return None
        classes = _classes(decided)
        number: dict[int, int] = {}
        order: list[int] = [0]
        made: list[Transitions] = []
        number[classes[0]] = 0
        for q in order:  # grows while it is read
            row = []
            for label in sorted(decided[q]):
                target = decided[q][label]
                if target >= 0:
                    known = number.get(classes[target])
                    if known is None:
                        known = number[classes[target]] = len(order)
                        order.append(target)
                    target = known
                row.append((label, target))
            made.append(tuple(row))
        return cls(tuple(made))

    @classmethod
    def of_prefixes(cls, prefixes: Iterable[Sequence[str]]) -> Automaton | None:
        """The least automaton that accepts these prefixes, and no others; None where there are none.

        Raises: ParameterError where a prefix is empty or one is a prefix of another.
        """
        trie: list[dict[str, int]] = [{}]
        for prefix in prefixes:
            _insert(trie, prefix)
        if not trie[0]:
            return None
        for row in trie:  # whatever is not listed is possible
            row[_ANYTHING] = REJECT
        return cls.least(trie)

    @cached_property
    def rows(self) -> tuple[dict[str, int], ...]:
        """The transitions of each state, by label."""
        return tuple(map(dict, self.states))

    @cached_property
    def longest(self) -> int | None:
        """How many labels are read at most until the test accepts; None where it may go round."""
        return self._folded(lambda after: 1 + max(0 if n is None else n for n in after))

    @cached_property
    def number_of_prefixes(self) -> int | None:
        """How many prefixes are accepted; None where there are infinitely many."""
        return self._folded(lambda after: sum(1 if n is None else n for n in after))

    def _folded(self, value: Callable[[list[int | None]], int]) -> int | None:
        """The value of the first state, each made of those behind it (None: accepted); None for a cycle."""
        order = acyclic_order([[target for _, target in row if target >= 0] for row in self.states])
        if order is None:
            return None
        found: dict[int, int] = {}
        for q in order:
            found[q] = value([found.get(target) for _, target in self.states[q]])
        return found[0]

    @cached_property
    def prefixes(self) -> tuple[Prefix, ...] | None:
        """All accepted prefixes, sorted; None where there are more than MOST_PREFIXES."""
        number = self.number_of_prefixes
        if number is None or number > MOST_PREFIXES:
            return None
        found: list[Prefix] = []
        waiting: list[tuple[int, Prefix]] = [(0, ())]
        while waiting:
            q, prefix = waiting.pop()
            if q == ACCEPT:
                found.append(prefix)
            else:
                waiting += [(target, (*prefix, label)) for label, target in self.states[q]]
        return tuple(sorted(found))

    def reader(self) -> Callable[[str], bool | None]:
        """What reads a run: to be called with one label after the other, until it says whether it accepts."""
        rows, q = self.rows, 0

        def read(label: str) -> bool | None:
            nonlocal q
            q = rows[q].get(label, REJECT)
            return None if q >= 0 else q == ACCEPT

        return read

    # --- probabilities ---

    def probabilities(self, chain: LabelledMarkovChain, states: Iterable[str]) -> list[Fraction] | None:
        """How likely the test accepts the labels from each state; None where there is too much to solve.

        Raises: ParameterError where the chain has no such state.
        """
        starts = [(chain.index(state), 0) for state in states]
        rows, labels = self.rows, chain.labels
        number: dict[tuple[int, int], int] = {}
        entered: list[tuple[int, int]] = []

        def meet(i: int, q: int) -> int:
            """The unknown for "in state i, whose label is yet to be read in q", or what is decided there."""
            after = rows[q].get(labels[i], REJECT)
            if after < 0:
                return after
            known = number.get((i, after))
            if known is None:
                known = number[i, after] = len(entered)
                entered.append((i, after))
            return known

        first = [meet(*start) for start in starts]
        weights: list[dict[int, fmpq]] = []
        constants: list[fmpq] = []
        probabilities = {}
        for i, q in entered:  # grows while it is read
            if len(entered) > MOST_UNKNOWNS:
                return None
            if i not in probabilities:
                probabilities[i] = [(j, to_fmpq(p)) for j, p in chain.rows[i]]
            row: dict[int, fmpq] = {}
            constant = ZERO
            for j, p in probabilities[i]:
                target = meet(j, q)
                if target == ACCEPT:
                    constant += p
                elif target >= 0:
                    row[target] = row[target] + p if target in row else p
            weights.append(row)
            constants.append(constant)
        solution = _solved(weights, constants)
        return [to_fraction(ONE if k == ACCEPT else ZERO if k == REJECT else solution[k]) for k in first]

    # --- telling ---

    def words(self, name: str, told: int = 0) -> list[str]:
        """What somebody does who uses the test, in lines; ``name`` is what he says then.

        A test that is not short is told as prefixes where there are at most ``told`` of them.
        """
        say = f"say '{name}'"
        few = self.prefixes
        if few is not None and len(few) <= _PREFIXES_TOLD and max(map(len, few)) <= MOST_LABELS:
            return _listed(say, list(map(named_word, few)))
        if self._row is not None:
            return _listed(say, [", then ".join(self._row)])
        if self._run is not None:
            return _listed(say, self._run)
        if self._walk is not None:
            up, down, lead, trail = self._walk
            one, other = _either(up), _either(down)
            most, least = (f"{counted(number, 'time')} more often than" for number in (lead, trail))
            return [
                f"{say} once the labels after the first have shown {one} {most} {other}",
                f"give up once they have shown {other} {least} {one}",
            ]
        if len(self.states) <= _STEPS_TOLD and sum(map(len, self.states)) <= _TRANSITIONS_TOLD:
            lines = [f"{say} by these steps, from step 1 on; give up at any label that is not named:"]
            return lines + [f"{k}. {self._step(k - 1, say)}" for k in range(1, len(self.states) + 1)]
        if few is not None and len(few) <= max(told, _PREFIXES_TOLD):
            return _listed(say, list(map(named_word, few)))
        arrows = sum(len(self._ways(q)) for q in range(len(self.states)))
        return [f"{say} when the labels begin with {self._many()}", all_of_it(len(self.states) + 1, arrows)]

    def _many(self) -> str:
        """How many prefixes there are, and how long they are."""
        number, longest = self.number_of_prefixes, self.longest
        states = counted(len(self.states), "state")
        if number is None or longest is None:
            return f"one of infinitely many prefixes, told by an automaton of {states}"
        if number > MOST_PREFIXES:
            return f"one of more than {MOST_PREFIXES} prefixes of at most {counted(longest, 'label')}"
        return f"one of {number} prefixes of at most {counted(longest, 'label')}"

    @property
    def is_short(self) -> bool:
        """Whether a sentence or a few prefixes tell all of it."""
        few = self.number_of_prefixes is not None and self.number_of_prefixes <= _PREFIXES_TOLD
        return few or any(form is not None for form in (self._row, self._run, self._walk))

    @cached_property
    def _row(self) -> list[str] | None:
        """The states as parts of one sentence, where each has one way on, and perhaps a loop."""
        parts: list[str] = []
        at, seen = 0, 0
        while at != ACCEPT:
            ways = self._ways(at)
            loop = ways.pop(at, [])
            if len(ways) != 1 or max(len(loop), *map(len, ways.values())) > _LABELS_TOLD:
                return None
            seen += 1
            ((following, labels),) = ways.items()
            if ACCEPT < following < at:
                return None
            parts += [f"any number of {_either(loop)}"] if loop else []
            parts.append(_either(labels))
            at = following
        groups = [(part, len(list(same))) for part, same in groupby(parts)]
        shorter = [part if number == 1 else f"{number} times {part}" for part, number in groups]
        return shorter if seen == len(self.states) and len(shorter) <= MOST_LABELS else None

    @cached_property
    def _run(self) -> list[str] | None:
        """The first label, then some labels that are counted, and others that are accepted at some counts."""
        if len(self.states[0]) != 1:
            return None
        ((first, at),) = self.states[0]
        counting = [label for label, target in self.states[max(at, 0)] if target >= 0]
        ends: dict[str, list[int]] = {}
        order: list[int] = []
        while at >= 0:
            if at in order or not at:
                return None
            ways = self._ways(at)
            for label in ways.pop(ACCEPT, []):
                ends.setdefault(label, []).append(len(order))
            order.append(at)
            if len(ways) > 1 or (ways and list(ways.values()) != [counting]):
                return None
            at = next(iter(ways), REJECT)
        reached = [label for label in ends if label in counting]
        spans: dict[tuple[int, int], list[str]] = {}
        for label, counts in ends.items():
            if len(counts) != counts[-1] - counts[0] + 1:
                return None
            spans.setdefault((counts[0], counts[-1]), []).append(label)
        if not counting or len(order) + 1 != len(self.states) or reached not in ([], counting):
            return None
        if len(spans) > _PREFIXES_TOLD or max(map(len, [counting, *spans.values()])) > _LABELS_TOLD:
            return None
        made = []
        for (low, high), labels in sorted(spans.items()):
            ending = [label for label in labels if label not in reached]
            if ending:
                number = counted(high, "time") if low == high else f"{low} to {counted(high, 'time')}"
                made.append(f"{named(first)}, then {number} {_either(counting)}, then {_either(ending)}")
        if reached:
            made.append(f"{named(first)}, then {counted(len(order), 'time')} {_either(counting)}")
        return made

    @cached_property
    def _walk(self) -> tuple[list[str], list[str], int, int] | None:
        """Labels that go up a line and labels that go down, and how far its two ends are from the start.

        All but state 0 are on the line; it accepts beyond its upper end, and gives up beyond the lower one.
        """
        accepting = [q for q, row in enumerate(self.states) if any(target == ACCEPT for _, target in row)]
        if len(self.states[0]) != 1 or len(accepting) != 1 or len(self.states) < 3:
            return None
        above, at = ACCEPT, accepting[0]
        up, down = self._ways(at)[ACCEPT], [label for label, target in self.states[at] if target != ACCEPT]
        line: list[int] = []
        while at not in line:
            line.append(at)
            ways = self._ways(at)
            if ways.pop(above, None) != up or (ways and list(ways.values()) != [down]):
                return None
            if not ways:
                break
            above, at = at, next(iter(ways))
        ((_, start),) = self.states[0]
        if sorted([0, *line]) != list(range(len(self.states))) or not down:
            return None
        if max(len(up), len(down)) > _LABELS_TOLD:
            return None
        return up, down, line.index(start) + 1, len(line) - line.index(start)

    def _ways(self, q: int) -> dict[int, list[str]]:
        """The labels of a state by where they lead."""
        ways: dict[int, list[str]] = {}
        for label, target in self.states[q]:
            ways.setdefault(target, []).append(label)
        return ways

    def _step(self, q: int, say: str) -> str:
        parts = []
        for target, labels in self._ways(q).items():
            where = say if target == ACCEPT else "stay" if target == q else f"go to {target + 1}"
            parts.append(f"on {_either(labels)} {where}")
        return "; ".join(parts)

    def document(self) -> dict[str, object]:
        """The automaton as a JSON object, as `of_document` reads it."""
        return {
            "kind": "automaton",
            "states": [
                {label: "accept" if target == ACCEPT else target for label, target in row}
                for row in self.states
            ],
        }

    @classmethod
    def of_document(cls, document: Mapping[str, object]) -> Automaton | None:
        """An automaton from a stranger, made small; None where it accepts nothing.

        Raises: ParameterError where it is none.
        """
        listed_states = document.get("states")
        if not isinstance(listed_states, list) or not listed_states:
            raise ParameterError("an automaton has 'states', an array of objects")
        made: list[dict[str, int]] = []
        for row in listed_states:
            if not isinstance(row, dict):
                raise ParameterError("a state of an automaton is an object of labels and next states")
            made.append({_ANYTHING: REJECT})
            for label, target in row.items():
                made[-1][label] = _target(target, len(listed_states))
        return cls.least(made)

    def picture(self, name: str) -> Diagram | NotDrawn:
        """The automaton drawn: boxes are its steps, and the last is where it says the name."""
        from bdist.chains.drawings.diagram import ArrowText, BoxText, Mark, diagram

        last = len(self.states)
        boxes = [BoxText(f"step {k}", "reads a label") for k in range(1, last + 1)]
        boxes.append(BoxText(f"say '{name}'", "accepted"))
        arrows = []
        for q in range(last):
            for target, labels in self._ways(q).items():
                end = last if target == ACCEPT else target
                arrows.append(ArrowText(q, end, labels_text(labels), " or ".join(labels)))
        caption = f"a test of {counted(last, 'step')}; at a label that is not shown it gives up"
        return diagram(boxes, arrows, caption, Mark("here the test accepts", frozenset([last]), frozenset()))


def acyclic_order(successors: Sequence[Sequence[int]]) -> list[int] | None:
    """Nodes, each behind those that it leads to; None where there is a cycle."""
    components = strongly_connected_components(successors)
    if any(len(component) > 1 or component[0] in successors[component[0]] for component in components):
        return None
    return [component[0] for component in components]


def labels_text(labels: Sequence[str]) -> str:
    """Labels on an arrow."""
    return listed(labels, 3, lambda label: named(label, 24))


def all_of_it(boxes: int, arrows: int) -> str:
    """Where to see a test that is not told in full; one that is too large is not drawn."""
    from bdist.chains.drawings.diagram import MOST_STATES, MOST_TRANSITIONS

    if boxes <= MOST_STATES and arrows <= MOST_TRANSITIONS:
        return f"{ALL_OF_IT}{by_caller('bdist attack with --draw or --json', '.picture() or .document()')}"
    return f"{ALL_OF_IT}{by_caller('bdist attack with --json', '.document()')}"


def _listed(say: str, ways: Sequence[str]) -> list[str]:
    first, *others = ways
    return [f"{say} when the labels begin with: {first}", *(f"or: {way}" for way in others)]


def _either(labels: Sequence[str]) -> str:
    return " or ".join(map(named, labels))


def _target(target: object, states: int) -> int:
    if target == "accept":
        return ACCEPT
    if isinstance(target, bool) or not isinstance(target, int) or not 0 <= target < states:
        raise ParameterError("a label of an automaton leads to 'accept' or to the number of a state")
    return target


_ANYTHING = "\0"  # no label: what may come where a list is not known to be complete


def _insert(trie: list[dict[str, int]], prefix: Sequence[str]) -> None:
    if not prefix:
        raise ParameterError("an attack's prefix is empty; it must begin with the label of the state")
    q = 0
    for label in prefix[:-1]:
        after = trie[q].get(label)
        if after == ACCEPT:
            raise ParameterError(
                f"the attack lists a prefix of {' '.join(prefix)} as well; list only one of them"
            )
        if after is None:
            after = trie[q][label] = len(trie)
            trie.append({})
        q = after
    if prefix[-1] in trie[q]:
        raise ParameterError(
            f"the attack lists {' '.join(prefix)} and what it begins, or twice; list only one of them"
        )
    trie[q][prefix[-1]] = ACCEPT


def _decided(states: Sequence[Mapping[str, int]]) -> list[dict[str, int]] | None:
    """The transitions that do not give up, where a state that is decided is decided at once."""
    into: list[set[int]] = [set() for _ in states]
    accepting = []
    for q, row in enumerate(states):
        for target in row.values():
            if target >= 0:
                into[target].add(q)
        if ACCEPT in row.values():
            accepting.append(q)
    live = _closure(accepting, into)
    if 0 not in live:
        return None
    rejecting = [
        q
        for q in live
        if any(target == REJECT or (target >= 0 and target not in live) for target in states[q].values())
    ]
    open_ = _closure(rejecting, into)
    made: list[dict[str, int]] = []
    for q, row in enumerate(states):
        after: dict[str, int] = {}
        for label, target in row.items() if q in live else ():
            if target == ACCEPT or target in live:
                after[label] = target if target in open_ else ACCEPT
        made.append(after)
    return made


def _closure(found: Iterable[int], into: Sequence[Iterable[int]]) -> set[int]:
    """These states and all that lead to them."""
    reached = set(found)
    waiting = list(reached)
    while waiting:
        for q in into[waiting.pop()]:
            if q not in reached:
                reached.add(q)
                waiting.append(q)
    return reached


def _classes(states: Sequence[Mapping[str, int]]) -> list[int]:
    """For each state the number of its class of states that accept the same.

    Hopcroft's algorithm. ACCEPT is a class of its own, and so is giving up, which need not split anything
    because the others do.
    """
    into: list[dict[str, list[int]]] = [{} for _ in range(len(states) + 1)]
    for q, row in enumerate(states):
        for label, target in row.items():
            into[target].setdefault(label, []).append(q)  # ACCEPT is the last entry
    home = [0] * len(states)
    blocks: list[set[int]] = [set(range(len(states)))]
    waiting = {0, ACCEPT}  # blocks by which others are yet to be split
    while waiting:
        chosen = waiting.pop()
        by_label: dict[str, set[int]] = {}
        for q in [ACCEPT] if chosen == ACCEPT else blocks[chosen]:
            for label, sources in into[q].items():
                by_label.setdefault(label, set()).update(sources)
        for found in by_label.values():
            touched: dict[int, set[int]] = {}
            for q in found:
                touched.setdefault(home[q], set()).add(q)
            for block, part in touched.items():
                if len(part) == len(blocks[block]):
                    continue
                blocks[block] -= part
                new = len(blocks)
                blocks.append(part)
                for q in part:
                    home[q] = new
                is_smaller = len(part) <= len(blocks[block])
                waiting.add(new if block in waiting or is_smaller else block)
    return home


def _solved(weights: Sequence[dict[int, fmpq]], constants: Sequence[fmpq]) -> list[fmpq]:
    """The probabilities of acceptance: 0 where it cannot be reached, the others by a linear system."""
    into: list[list[int]] = [[] for _ in weights]
    for k, row in enumerate(weights):
        for target in row:
            into[target].append(k)
    live = sorted(_closure([k for k, constant in enumerate(constants) if constant], into))
    place = {k: number for number, k in enumerate(live)}
    rows = [{place[t]: p for t, p in weights[k].items() if t in place} for k in live]
    solution = solve_affine(rows, [constants[k] for k in live])
    if solution is None:  # pragma: no cover - every unknown leaks
        raise InternalError("the probabilities of a test have no unique solution")
    found = [ZERO] * len(weights)
    for k, value in zip(live, solution, strict=True):
        found[k] = value
    return found
