"""Families of Markov decision processes: parametrised generators, ordered as a reader would meet them.

A family is what a paper's example becomes when its numbers are made parameters. To add one, write a function
that makes a member, decorate it with `family`, and name it in the table at the end; everything else reads
that table. Both are from Liu, Wang and Zhang (Model checking differentially private properties).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from bdist.chains.families import truncated_noise
from bdist.chains.relation import Pair
from bdist.dpctl.mdp import MarkovDecisionProcess
from bdist.family import Family, IntegerParameter, RationalParameter, by_name, family, make_named

# ----------------------------------------------------------------------------------------------------------
# The interactive survey, Fig. 5 of the paper.
#
# As in the survey (`survey`), a surveyee is asked for her diagnosis and answers truly with some probability
# only. Here the surveyor chooses how accurate the answer shall be: the action ``L`` asks for a true answer
# with probability 3/4, as in the survey, and ``H`` with 4/5. So the answer is (ln 3, 0)-differentially
# private under one and (ln 4, 0) under the other, and ln 4 is what the process can promise for every query.
#
# The states are those of the survey: ``plus`` and ``minus`` are the diagnosis, ``s`` and ``t`` the answers,
# with the propositions ``out1`` and ``out0``. What the paper's figure leaves out goes to ``sink``.


LOW = RationalParameter("low", Fraction(3, 4), "probability of a true answer under the action L")
HIGH = RationalParameter("high", Fraction(4, 5), "probability of a true answer under the action H")


@family(
    "interactive-survey",
    "a survey question whose accuracy is the surveyor's choice, actions L and H; compare plus, minus",
    *(LOW, HIGH),
)
def interactive_survey(low: Fraction, high: Fraction) -> MarkovDecisionProcess:
    """One answer, of the accuracy that is asked for; 5 states; compare ``plus`` and ``minus``."""
    accuracy = {"L": low, "H": high}
    to_sink = {"sink": Fraction(1)}
    over = dict.fromkeys(accuracy, to_sink)
    return MarkovDecisionProcess.from_rows(
        accuracy,
        [
            ("plus", "diagnosis", {action: {"s": p, "t": 1 - p} for action, p in accuracy.items()}),
            ("minus", "diagnosis", {action: {"s": 1 - p, "t": p} for action, p in accuracy.items()}),
            ("s", "out1", over),
            ("t", "out0", over),
            ("sink", "sink", over),
        ],
        name="interactive-survey",
    )


# ----------------------------------------------------------------------------------------------------------
# Above threshold as a Markov decision process: the analyst chooses the queries as she goes.
#
# Algorithm 3 and Fig. 6 of the paper, section 7.1. A threshold gets noise once. Every query gets noise of
# its own; while its noisy result is below the noisy threshold the answer is ``bot``, and at the first that
# is not it is ``top``, which ends the run. Two copies, top and bottom, stand for two neighbouring data
# sets. An action such as ``12`` says that the next query counts 1 in the top copy and 2 in the bottom one;
# as queries have sensitivity 1, the two differ by at most 1. (A largest count of 10 and more needs a point:
# ``9.10``.) Under one sequence of actions, a query scheduler, the two copies are asked the same queries.
#
# States, propositions, and steps; each takes one step of time, and actions count only after ``bot``:
#
#     top.t3.r5       start   threshold 3, first query 5; then noise on the threshold
#     top.noisy2.r5   asked   noisy threshold 2, query 5; then noise on the query
#     top.noisy2.below  bot   then the action chooses the next query: top.noisy2.r4, ...
#     above           top     for ever
#
# and ``bottom`` likewise. So the paper's (X^k bot) top, which says that query k + 1 is the first above the
# threshold, is ``X X top`` for k = 0, ``X X (bot & X X top)`` for k = 1, and ``X X (bot & X X (bot & X X
# top))`` for k = 2. (As ``above`` is for ever, the ``bot`` in it matters.) The paper has a state for every
# noisy result; here those that answer the same and go on alike are one, and none is below a noisy threshold
# of 0.
#
# The tables of the paper's Algorithm 3 have slips: in the second row of the queries the first entry is 1/3,
# not 2/3 (the row would sum to 4/3), and rows of the threshold are garbled. The truncated geometric
# mechanism (`geometric`), which the text names, is what is meant.


COPIES = ("top", "bottom")
LARGEST = IntegerParameter("largest", 5, "largest threshold and count; both are 0 to this", least=1, most=30)
THRESHOLD = RationalParameter("threshold", Fraction(1, 4), "ratio of the noise on the threshold")
QUERY = RationalParameter("query", Fraction(1, 2), "ratio of the noise on each query")

_ABOVE = "above"

_State = tuple[str, str, dict[str, dict[str, Fraction]]]


@family(
    "above-threshold-process",
    "above threshold with queries as actions, two copies; compare top.t3.r5, bottom.t3.r4 and the like",
    *(LARGEST, THRESHOLD, QUERY),
)
def above_threshold_process(largest: int, threshold: Fraction, query: Fraction) -> MarkovDecisionProcess:
    """The two copies; compare what `neighbours` lists."""
    actions = _actions(largest)
    thresholds, queries = truncated_noise(largest, threshold), truncated_noise(largest, query)
    states = []
    for side, copy in enumerate(COPIES):
        states += _copy(copy, {action: pair[side] for action, pair in actions.items()}, thresholds, queries)
    for_ever = {_ABOVE: Fraction(1)}
    states.append((_ABOVE, "top", dict.fromkeys(actions, for_ever)))
    return MarkovDecisionProcess.from_rows(actions, states, name="above-threshold")


def neighbours(largest: int = LARGEST.default) -> tuple[Pair, ...]:
    """The paper's neighbours: first states of the two copies, of one threshold, with counts that differ by at
    most 1. They are symmetric, and every state is its own neighbour besides.
    """
    top, bottom = COPIES
    return tuple(
        (f"{top}.t{i}.r{m}", f"{bottom}.t{i}.r{n}")
        for i in range(largest + 1)
        for m, n in _actions(largest).values()
    )


def _actions(largest: int) -> dict[str, tuple[int, int]]:
    """The counts of the next query in the two copies, by the name of the action."""
    point = "" if largest < 10 else "."
    counts = range(largest + 1)
    return {f"{m}{point}{n}": (m, n) for m in counts for n in counts if abs(m - n) <= 1}


def _copy(
    copy: str, asked: dict[str, int], threshold: list[list[Fraction]], query: list[list[Fraction]]
) -> list[_State]:
    """The states of a copy, in which the action a asks for the count ``asked[a]``."""
    counts = range(len(threshold))
    states = []
    for i in counts:
        for j in counts:
            row = {f"{copy}.noisy{k}.r{j}": threshold[i][k] for k in counts}
            states.append((f"{copy}.t{i}.r{j}", "start", dict.fromkeys(asked, row)))
    for k in counts:
        for j in counts:
            below = sum(query[j][:k], start=Fraction(0))
            row = {_ABOVE: 1 - below} | ({f"{copy}.noisy{k}.below": below} if k else {})
            states.append((f"{copy}.noisy{k}.r{j}", "asked", dict.fromkeys(asked, row)))
    for k in counts[1:]:
        rows = {action: {f"{copy}.noisy{k}.r{j}": Fraction(1)} for action, j in asked.items()}
        states.append((f"{copy}.noisy{k}.below", "bot", rows))
    return states


# The table.

DECISION_PROCESSES: Mapping[str, Family[MarkovDecisionProcess]] = by_name(
    (interactive_survey, above_threshold_process)
)
make_decision_process = partial(make_named, DECISION_PROCESSES, "Markov decision processes")
