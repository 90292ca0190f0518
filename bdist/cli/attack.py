"""``bdist attack``: the event that tells two states apart, and a replay of it."""

from __future__ import annotations

import json as json_module
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    Alpha,
    Epsilon,
    FirstState,
    Json,
    SecondState,
    interruptible,
    print_json,
)
from bdist.distances.attack import Attack, event_probability
from bdist.distances.attack_text import attack_json
from bdist.distances.compute import Skew
from bdist.distances.simulation import CONFIDENCE, Frequency, simulate
from bdist.distances.true_delta import TraceSettings, compute_trace_distance
from bdist.errors import FormatError
from bdist.formats.files import SMALL_BYTES, read_text
from bdist.models.chain import LabelledMarkovChain
from bdist.printing import named, named_word
from bdist.rationals.display import exact_text
from bdist.rationals.reading import rational_text

NAME = "attack"
HELP = "Find the event that tells two states apart best, with its exact probabilities, and see it happen."
EXAMPLE = "Example: bdist attack instances/dining-cryptographers/two.lmc s0 s1 --alpha 1.0002 --seed 1"

_MOST_PREFIXES = 40
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
    attack = _read(chain, (s, t), replay) if replay is not None else _find(chain, (s, t), skew)
    if attack is None:
        if json:
            print_json({"attack": None})
        else:
            typer.echo(
                f"no event tells {named(s)} and {named(t)} apart at alpha {rational_text(skew.attack_alpha)}"
            )
        return
    advantage = attack.advantage(skew.attack_alpha)
    frequencies = (
        [simulate(chain, state, attack.prefixes, runs, seed) for state in attack.pair] if runs else []
    )
    if json:
        simulated = [
            {"hits": f.hits, "runs": f.runs, "interval": list(f.interval_approx), "confidence": CONFIDENCE}
            for f in frequencies
        ]
        alpha_text = rational_text(skew.attack_alpha)
        extra = {"alpha": alpha_text, "advantage": rational_text(advantage), "simulation": simulated}
        print_json({"attack": attack_json(attack) | extra})
        return
    typer.echo(_report(attack, skew, advantage, frequencies))


def _find(chain: LabelledMarkovChain, pair: tuple[str, str], skew: Skew) -> Attack | None:
    with interruptible() as budget:
        return compute_trace_distance(chain, pair, skew, "tv", TraceSettings(budget=budget)).attack


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
    longest, total = max(map(len, prefixes), default=0), sum(map(len, prefixes))
    if longest > _LONGEST_PREFIX or total > _MOST_LABELS:
        limits = f"at most {_LONGEST_PREFIX} and {_MOST_LABELS} are read"
        raise FormatError(f"a prefix has {longest} labels, all have {total}; {limits}", source=path)
    if any(ord(c) < 32 or ord(c) == 127 for prefix in prefixes for label in prefix for c in label):
        raise FormatError("a label holds a control character, which no label of a chain does", source=path)
    words = tuple(tuple(prefix) for prefix in prefixes)
    first, second = (event_probability(chain, state, words) for state in pair)
    return Attack(pair, words, first, second)


def _report(attack: Attack, skew: Skew, advantage: Fraction, frequencies: list[Frequency]) -> str:
    first, second = map(named, attack.pair)
    lines = [f"say '{first}' when the labels begin with one of {len(attack.prefixes)} prefixes:"]
    lines += [f"  {named_word(prefix)}" for prefix in attack.prefixes[:_MOST_PREFIXES]]
    if len(attack.prefixes) > _MOST_PREFIXES:
        lines.append(f"  and {len(attack.prefixes) - _MOST_PREFIXES} more (all of them with --json)")
    lines.append(f"probability from {first}: {exact_text(attack.first)}")
    lines.append(f"probability from {second}: {exact_text(attack.second)}")
    alpha = rational_text(skew.attack_alpha)
    sign = "-" if advantage < 0 else ""
    lines.append(f"advantage at alpha {alpha}: {sign}{exact_text(abs(advantage))}        exact")
    for state, frequency in zip(attack.pair, frequencies, strict=False):
        low, high = frequency.interval_approx
        lines.append(
            f"replayed {frequency.runs} times from {named(state)}: {frequency.hits} times it happened, "
            f"so with {CONFIDENCE:.0%} confidence its probability is in [{low:.4f}, {high:.4f}]"
        )
    return "\n".join(lines)
