"""``bdist kantorovich``: one lift, in the open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from bdist.budget import Stopped
from bdist.chains.chain import LabelledMarkovChain
from bdist.cli.models import Model, reads_model
from bdist.cli.terminal import (
    Alpha,
    Epsilon,
    FirstState,
    Json,
    SecondState,
    interruptible,
    option,
    print_report,
    progress,
)
from bdist.distances.compute import Settings, Skew, compute_distances
from bdist.distances.kantorovich import FORMS, DirectedKantorovich, Kantorovich, kantorovich
from bdist.exact.rationals import exact_text, rational_text
from bdist.lp import ENGINES
from bdist.printing import named
from bdist.report import Report

NAME = "kantorovich"
HELP = "The skewed Kantorovich lift of bd at the rows of two states, with its optimal function and transport."
EXAMPLE = "Example: bdist kantorovich instances/lemma-three-erratum/chain.lmc q0 q1 --alpha 2 --form printed"


@reads_model
def command(
    model: Model,
    s: FirstState,
    t: SecondState,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    form: str = option(
        "|".join(FORMS),
        "primal and dual agree; printed is the paper's Lemma 3 as it stands.",
        default="primal",
    ),
    backend: str = option(
        "|".join(ENGINES),
        "What proposes the basis of the linear program; the answer is the same.",
        default="highs",
    ),
    json: Json = False,
) -> None:
    """Compute bd between the successors, lift it once, print both programs."""
    skew = Skew.of(alpha, epsilon)
    chain = model.load()
    mu, nu = chain.row(s), chain.row(t)
    states = _states_that_count(chain, [*mu, *nu])
    same = [(a, b) for a, b in combinations(states, 2) if chain.label(a) == chain.label(b)]
    with interruptible() as budget, progress() as watcher:
        settings = Settings(budget=budget, watcher=watcher, precision=Fraction(0), uncertified=True)
        known = compute_distances(chain, same, skew, "bd", settings) if same else []
    limit = next((x.limit for x in known if x.limit is not None), None)
    if limit is not None:
        raise Stopped(f"UNKNOWN: the distances that are lifted were not found: {limit}")
    d = dict.fromkeys(combinations(states, 2), 1) | {x.pair: x.value for x in known}
    lift = kantorovich(mu, nu, d, skew.alpha, form=form, backend=backend)
    document = {
        "form": form,
        "alpha": rational_text(skew.alpha),
        "value": rational_text(lift.value),
        "forward": _json(lift.forward),
        "backward": _json(lift.backward),
    }
    print_report(Report("\n".join(_lines(lift, (s, t), skew, form)), document), json)


def _lines(lift: Kantorovich, pair: tuple[str, str], skew: Skew, form: str) -> list[str]:
    one, other = map(named, pair)
    where = f"at alpha {rational_text(skew.alpha)}, {form} form"
    lines = [f"K({one}, {other}) {where} = {exact_text(lift.value)}"]
    for name, directed in ((f"{one} over {other}", lift.forward), (f"{other} over {one}", lift.backward)):
        lines.append(f"  {name}: {exact_text(directed.value)}")
        lines += [f"    {symbol:6} {values}" for symbol, values in _parts(directed).items()]
    return lines


def _states_that_count(chain: LabelledMarkovChain, successors: list[str]) -> list[str]:
    labels = {chain.label(state) for state in successors}
    return [state for state in chain.states if chain.label(state) in labels]


def _parts(directed: DirectedKantorovich) -> dict[str, str]:
    parts: dict[str, Mapping[tuple[str, ...], Fraction]] = {
        "f": {} if directed.f is None else {(k,): x for k, x in directed.f.items() if x},
        "omega": dict(directed.transport.omega.items()),
        **{name: {(k,): x for k, x in values.items()} for name, values in _amounts(directed).items()},
    }
    return {
        symbol: ", ".join(f"{'->'.join(map(named, key))}: {rational_text(x)}" for key, x in values.items())
        for symbol, values in parts.items()
        if values
    }


def _json(directed: DirectedKantorovich) -> dict[str, object]:
    f, omega = directed.f, directed.transport.omega
    return {
        "value": rational_text(directed.value),
        "f": None if f is None else {k: rational_text(x) for k, x in f.items()},
        "omega": [[i, j, rational_text(x)] for (i, j), x in omega.items()],
        **{
            name: {k: rational_text(x) for k, x in values.items()}
            for name, values in _amounts(directed).items()
        },
    }


def _amounts(directed: DirectedKantorovich) -> dict[str, Mapping[str, Fraction]]:
    transport = directed.transport
    return {"beta": transport.beta, "tau": transport.tau, "gamma": transport.gamma}
