"""``bdist attack``: the event that tells two states apart, and a replay of it.

Three answers. *Found*: an event, and how far from the best one it can be at most. *None*: it is proved that
no event does, because the true delta is 0. *Unknown*: the search was cut short before it found one, which
says nothing; it comes with the bracket on the true delta and with the reason.
"""

from __future__ import annotations

import json as json_module
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from bdist.chains.chain import LabelledMarkovChain
from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    Alpha,
    Epsilon,
    FirstState,
    Json,
    SecondState,
    interruptible,
    print_report,
)
from bdist.distances.compute import Skew
from bdist.errors import FormatError
from bdist.exact.display import counted, decimal_down, decimal_up, exact_text
from bdist.exact.reading import rational_text
from bdist.printing import named, named_word
from bdist.queries import TraceQuery
from bdist.report import LIMIT_REACHED, Report
from bdist.results import power_text
from bdist.text.files import SMALL_BYTES, read_text
from bdist.traces.attack import INCOMPLETE, Attack, event_probability
from bdist.traces.simulation import CONFIDENCE, Frequency, simulate
from bdist.traces.true_delta import TraceDistance

NAME = "attack"
HELP = (
    "Find the event that tells two states apart best, with its exact probabilities, and see it happen; where "
    "the search is cut short, the best that was found. Exit code 3: none was found, and none is excluded."
)
EXAMPLE = "Example: bdist attack instances/dining-cryptographers/two.lmc s0 s1 --alpha 1.0002 --seed 1"

_MOST_PREFIXES = 40
_DIGITS = 4  # of a simulated probability
_LONGEST_PREFIX = 10_000  # labels of an attack from a file
_MOST_LABELS = 1_000_000

Replay = Annotated[
    Path | None,
    typer.Option(
        "--replay", metavar="FILE", help="Replay this attack (JSON with 'prefixes') instead of finding one."
    ),
]
Runs = Annotated[
    int, typer.Option("--runs", min=0, help="How many runs to simulate from each state; 0 for none.")
]
Seed = Annotated[int, typer.Option("--seed", help="The seed of the simulation.")]


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    replay: Replay = None,
    runs: Runs = 10_000,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Find or read the attack, evaluate it exactly, replay it by chance."""
    skew = Skew.of(alpha, epsilon)
    chain = model.load()
    if replay is not None:
        given = _read(chain, (s, t), replay)
        seen = _simulated(chain, given, runs, seed)
        document = _attack_json(given, skew, seen)
        del document["complete"]  # of an event that is given nobody knows what it is a part of
        text = "\n".join(_event_lines(given, skew, seen))
        print_report(Report(text, {"answer": "replayed", "attack": document}), json)
        return
    with interruptible() as budget:
        found = TraceQuery(skew).answer(chain, (s, t), budget, uncertified=False)
    seen = [] if found.attack is None else _simulated(chain, found.attack, runs, seed)
    code = LIMIT_REACHED if _answer(found) == _UNKNOWN else 0
    text = "\n".join(_found_lines(found, skew, seen))
    print_report(Report(text, _found_json(found, skew, seen), code), json)


_FOUND, _NONE, _UNKNOWN = "found", "none", "unknown"


def _answer(found: TraceDistance) -> str:
    """Whether an event was found, there is none, or neither is known: only an upper end of 0 excludes one."""
    if found.attack is not None:
        return _FOUND
    return _NONE if found.bracket.upper.value == 0 else _UNKNOWN


def _reason(found: TraceDistance, skew: Skew) -> str:
    """Why nothing is known."""
    if found.distance.limit is not None:
        return found.distance.limit
    ends = f"{rational_text(skew.alpha)}, just below {power_text(skew.epsilon)}, but not at"
    return f"an event tells them apart at alpha {ends} {rational_text(skew.attack_alpha)}, just above"


def _found_json(found: TraceDistance, skew: Skew, seen: list[Frequency]) -> dict[str, object]:
    answer, attack = _answer(found), found.attack
    return {
        "answer": answer,
        "pair": list(found.distance.pair),
        "alpha": rational_text(skew.attack_alpha),
        **found.document(),
        "reason": _reason(found, skew) if answer == _UNKNOWN else None,
        "attack": None if attack is None else _attack_json(attack, skew, seen),
    }


def _found_lines(found: TraceDistance, skew: Skew, seen: list[Frequency]) -> list[str]:
    (first, second), bracket = map(named, found.distance.pair), found.bracket
    alpha = rational_text(skew.attack_alpha)
    if found.attack is not None:
        return [*_event_lines(found.attack, skew, seen), _best(found, found.attack, skew)]
    if bracket.upper.value == 0:
        return [f"no event tells {first} and {second} apart at alpha {alpha}: the true delta is 0, certified"]
    high = decimal_up(bracket.upper.value)
    return [
        f"unknown whether an event tells {first} and {second} apart at alpha {alpha}",
        f"  known     {decimal_down(bracket.lower.value)} <= true delta <= {high}",
        f"  reason    {_reason(found, skew)}",
    ]


def _best(found: TraceDistance, attack: Attack, skew: Skew) -> str:
    """How much better another event can be."""
    upper = found.bracket.upper.value
    if attack.advantage(skew.attack_alpha) == upper:
        return "no event has a larger advantage, certified"
    why = f"; {found.distance.limit}" if found.distance.limit else ""
    return f"no event has an advantage above {decimal_up(upper)}, certified{why}"


def _simulated(chain: LabelledMarkovChain, attack: Attack, runs: int, seed: int) -> list[Frequency]:
    return [simulate(chain, state, attack.prefixes, runs, seed) for state in attack.pair] if runs else []


def _attack_json(attack: Attack, skew: Skew, seen: list[Frequency]) -> dict[str, object]:
    simulated = [
        {"hits": f.hits, "runs": f.runs, "interval": list(f.interval_approx), "confidence": CONFIDENCE}
        for f in seen
    ]
    advantage = rational_text(attack.advantage(skew.attack_alpha))
    extra = {"alpha": rational_text(skew.attack_alpha), "advantage": advantage, "simulation": simulated}
    return attack.document() | extra


def _read(chain: LabelledMarkovChain, pair: tuple[str, str], path: Path) -> Attack:
    try:
        document = json_module.loads(read_text(path, limit=SMALL_BYTES))
    except ValueError as error:
        raise FormatError(f"not JSON: {error}", source=path) from None
    except RecursionError:
        raise FormatError("nested too deeply for an attack", source=path) from None
    document = document.get("attack", document) if isinstance(document, dict) else document
    prefixes = document.get("prefixes") if isinstance(document, dict) else None
    if not isinstance(prefixes, list) or not all(
        isinstance(prefix, list) and all(isinstance(label, str) for label in prefix) for prefix in prefixes
    ):
        raise FormatError("expected an object with 'prefixes', an array of arrays of labels", source=path)
    if not prefixes:
        raise FormatError("'prefixes' is empty, an event that never happens; there is no attack", source=path)
    longest, total = max(map(len, prefixes)), sum(map(len, prefixes))
    if longest > _LONGEST_PREFIX or total > _MOST_LABELS:
        limits = f"at most {_LONGEST_PREFIX} and {_MOST_LABELS} are read"
        raise FormatError(f"a prefix has {longest} labels, all have {total}; {limits}", source=path)
    if any(ord(c) < 32 or ord(c) == 127 for prefix in prefixes for label in prefix for c in label):
        raise FormatError("a label holds a control character, which no label of a chain does", source=path)
    words = tuple(tuple(prefix) for prefix in prefixes)
    first, second = (event_probability(chain, state, words) for state in pair)
    return Attack(pair, words, first, second)


def _event_lines(attack: Attack, skew: Skew, frequencies: list[Frequency]) -> list[str]:
    first, second = map(named, attack.pair)
    number = len(attack.prefixes)
    which = "this prefix" if number == 1 else f"one of {counted(number, 'prefix', 'prefixes')}"
    lines = [f"say '{first}' when the labels begin with {which}:"]
    lines += [f"  {named_word(prefix)}" for prefix in attack.prefixes[:_MOST_PREFIXES]]
    if len(attack.prefixes) > _MOST_PREFIXES:
        lines.append(f"  and {len(attack.prefixes) - _MOST_PREFIXES} more (in the list of --json)")
    lines.append(f"probability from {first}: {exact_text(attack.first)}")
    lines.append(f"probability from {second}: {exact_text(attack.second)}")
    alpha = rational_text(skew.attack_alpha)
    advantage = attack.advantage(skew.attack_alpha)
    lines.append(f"advantage at alpha {alpha}: {exact_text(advantage)}        exact")
    if not attack.complete:
        lines.append(INCOMPLETE)
    for state, frequency in zip(attack.pair, frequencies, strict=False):
        low, high = (Fraction(end) for end in frequency.interval_approx)
        lines.append(
            f"replayed {counted(frequency.runs, 'time')} from {named(state)}: it happened "
            f"{counted(frequency.hits, 'time')}, so with {CONFIDENCE:.0%} confidence its probability is in "
            f"[{decimal_down(low, _DIGITS)}, {decimal_up(high, _DIGITS)}]"
        )
    return lines
