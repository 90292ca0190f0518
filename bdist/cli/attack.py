"""``bdist attack``: the test that tells two states apart best, drawn, and replayed by chance.

Three answers. *Found*: a test, and how far from the best one it can be at most. *None*: it is proved that no
test does, because the true delta is 0. *Unknown*: the search was cut short before it found one, which says
nothing; it comes with the bracket on the true delta and with the reason.
"""

from __future__ import annotations

import json as json_module
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from bdist.chains.chain import LabelledMarkovChain
from bdist.cli.models import Model, reads_model
from bdist.cli.standard_input import from_dash
from bdist.cli.terminal import (
    Alpha,
    Epsilon,
    FirstState,
    Json,
    SecondState,
    interruptible,
    option,
    print_report,
    refuse_ignored,
)
from bdist.distances.compute import Skew
from bdist.errors import FormatError, ParameterError, UnsupportedError
from bdist.exact.rationals import counted, decimal_down, decimal_up, exact_text, rational_text
from bdist.printing import named, path_text
from bdist.queries import AttackQuery
from bdist.report import LIMIT_REACHED, Report
from bdist.text.files import SMALL_BYTES, read_text
from bdist.traces.answers import BestAttack
from bdist.traces.attack import (
    CONFIDENCE,
    Attack,
    Frequency,
    Test,
    read_test,
    simulate,
    usual_runs,
)

NAME = "attack"
HELP = (
    "Find the event that tells two states apart best: what to look for in the labels, in words or as a "
    "picture, with its exact probabilities and a simulation. If the search is cut short, this is the best "
    "event so far. Exit code 3: none was found, but there may be one."
)
EXAMPLE = "Example: bdist attack instances/dining-cryptographers/two.lmc s0 s1 --alpha 1.0002 --seed 1"

_PREFIXES_TOLD = 40
_DIGITS = 4  # of a simulated probability
_LONGEST_PREFIX = 10_000  # labels of an attack from a file
_MOST_LABELS = 1_000_000


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    replay: Path | None = option(
        "FILE",
        "Replay this attack (JSON with 'test' or 'prefixes') instead of finding one.",
        callback=from_dash("attack", ".json"),
    ),
    draw: Path | None = option(
        "OUT", "Draw the test there: an .svg file, a .dot file, or a .png with Graphviz."
    ),
    runs: int | None = option(
        "N",
        "How many runs to simulate from each state; 0 for none. "
        "[default: 10000, fewer where a test reads more than 100 labels]",
        min=0,
    ),
    seed: int | None = option(None, "The seed of the simulation. [default: 1]"),
    json: Json = False,
) -> None:
    """Find or read the attack, evaluate it exactly, draw it, replay it by chance."""
    query = AttackQuery(Skew.of(alpha, epsilon))
    skew = query.skew
    if runs == 0:
        refuse_ignored("--runs 0", {"--seed": seed})
    if draw is not None:
        from bdist.chains.drawings.pictures import check_picture_path

        check_picture_path(draw)
    chain = model.load()
    found, attack = None, None
    if replay is not None:
        attack = _read(chain, (s, t), replay)
    else:
        with interruptible() as budget:
            found = query.answer(chain, (s, t), budget)
        attack = found.attack
    seen = [] if attack is None else _simulated(chain, attack, runs, 1 if seed is None else seed)
    drawing = None if attack is None else draw
    _draw(attack, drawing)
    lines = [] if attack is None else _test_lines(attack, skew, seen)
    told = None if attack is None else _attack_json(attack, skew, seen)
    document: dict[str, object] = {"answer": "replayed", "attack": told}
    if found is not None:
        lines, document = [*lines, *_found_lines(found)], found.document() | {"attack": told}
    lines += [] if drawing is None else [f"{path_text(drawing)}: the test as a picture"]
    document["drawing"] = None if drawing is None else str(drawing)
    code = LIMIT_REACHED if document["answer"] == "unknown" else 0
    print_report(Report("\n".join(lines), document, code), json)


def _found_lines(found: BestAttack) -> list[str]:
    """What is known beside the test, or instead of one."""
    (first, second), bracket = map(named, found.pair), found.bracket
    alpha = rational_text(found.skew.attack_alpha)
    if found.attack is not None:
        if found.attack.advantage(found.skew.attack_alpha) == bracket.upper.value:
            return ["no event has a larger advantage, certified"]
        why = f"; {found.limit}" if found.limit else ""
        return [f"no event has an advantage above {decimal_up(bracket.upper.value)}, certified{why}"]
    if bracket.upper.value == 0:
        return [f"no event tells {first} and {second} apart at alpha {alpha}: the true delta is 0, certified"]
    high = decimal_up(bracket.upper.value)
    return [
        f"unknown whether an event tells {first} and {second} apart at alpha {alpha}",
        f"  known     {decimal_down(bracket.lower.value)} <= true delta <= {high}",
        f"  reason    {found.reason}",
    ]


def _simulated(chain: LabelledMarkovChain, attack: Attack, runs: int | None, seed: int) -> list[Frequency]:
    number = usual_runs(attack.test) if runs is None else runs
    return [simulate(chain, state, attack.test, number, seed) for state in attack.pair] if number else []


def _attack_json(attack: Attack, skew: Skew, seen: list[Frequency]) -> dict[str, object]:
    simulated = [
        {
            "hits": f.hits,
            "runs": f.runs,
            "undecided": f.undecided,
            "interval": list(f.interval_approx),
            "confidence": CONFIDENCE,
        }
        for f in seen
    ]
    return attack.document(skew) | {"simulation": simulated}


def _draw(attack: Attack | None, path: Path | None) -> None:
    """Draw the test, where that was asked for. Raises: UnsupportedError where it is too large."""
    if attack is None or path is None:
        return
    from bdist.chains.drawings.diagram import NotDrawn
    from bdist.chains.drawings.pictures import write_picture

    picture = attack.picture()
    if isinstance(picture, NotDrawn):
        raise UnsupportedError(f"the test is not drawn: {picture.reason}; --json has all of it")
    first, second = map(named, attack.pair)
    write_picture(path, picture, title=f"a test that tells {first} from {second}")


def _read(chain: LabelledMarkovChain, pair: tuple[str, str], path: Path) -> Attack:
    test = _read_test(path)
    if test is None:
        raise FormatError(
            "the test accepts nothing, an event that never happens; there is no attack", source=path
        )
    attack = Attack.of(chain, pair, test)
    if attack is None:
        raise UnsupportedError(f"{path_text(path)}: the test takes too much work to evaluate exactly")
    return attack


def _read_test(path: Path) -> Test | None:
    try:
        document = json_module.loads(read_text(path, limit=SMALL_BYTES))
    except ValueError as error:
        raise FormatError(f"not JSON: {error}", source=path) from None
    except RecursionError:
        raise FormatError("nested too deeply for an attack", source=path) from None
    document = document.get("attack", document) if isinstance(document, dict) else document
    if not isinstance(document, dict):
        raise FormatError("expected an object with a 'test' or with 'prefixes'", source=path)
    if document.get("test") is None:
        _check_prefixes(document, path)
        return read_test(document)
    try:
        test = read_test(document)
    except ParameterError as error:
        raise FormatError(str(error), source=path) from None
    if test is not None:
        _check_labels((entry[0] for row in test.states for entry in row), path)
    return test


def _check_prefixes(document: dict[str, Any], path: Path) -> None:
    prefixes = document.get("prefixes")
    if not isinstance(prefixes, list) or not all(
        isinstance(prefix, list) and all(isinstance(label, str) for label in prefix) for prefix in prefixes
    ):
        raise FormatError(
            "expected an object with a 'test' or with 'prefixes', an array of arrays of labels", source=path
        )
    if not prefixes:
        raise FormatError("'prefixes' is empty, an event that never happens; there is no attack", source=path)
    longest, total = max(map(len, prefixes)), sum(map(len, prefixes))
    if longest > _LONGEST_PREFIX or total > _MOST_LABELS:
        limits = f"at most {_LONGEST_PREFIX} and {_MOST_LABELS} are read"
        raise FormatError(f"a prefix has {longest} labels, all have {total}; {limits}", source=path)
    _check_labels((label for prefix in prefixes for label in prefix), path)


def _check_labels(labels: Iterable[str], path: Path) -> None:
    if any(ord(c) < 32 or ord(c) == 127 for label in labels for c in label):
        raise FormatError("a label holds a control character, which no label of a chain does", source=path)


def _test_lines(attack: Attack, skew: Skew, frequencies: list[Frequency]) -> list[str]:
    first, second = map(named, attack.pair)
    lines = attack.words(_PREFIXES_TOLD)
    lines.append(f"probability from {first}: {exact_text(attack.first)}")
    lines.append(f"probability from {second}: {exact_text(attack.second)}")
    alpha = rational_text(skew.attack_alpha)
    advantage = attack.advantage(skew.attack_alpha)
    lines.append(f"advantage at alpha {alpha}: {exact_text(advantage)}        exact")
    return lines + [_replayed(named(s), f) for s, f in zip(attack.pair, frequencies, strict=False)]


def _replayed(state: str, seen: Frequency) -> str:
    low, high = (Fraction(end) for end in seen.interval_approx)
    within = "" if seen.length is None else f" within {counted(seen.length, 'label')}"
    open_ = f" ({counted(seen.undecided, 'run')} undecided by then)" if seen.undecided else ""
    runs, hits = counted(seen.runs, "time"), counted(seen.hits, "time")
    return (
        f"replayed {runs} from {state}: it happened{within} {hits}{open_}, so with "
        f"{CONFIDENCE:.0%} confidence its probability{within} is in "
        f"[{decimal_down(low, _DIGITS)}, {decimal_up(high, _DIGITS)}]"
    )
