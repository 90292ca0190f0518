"""Certificates of dpCTL* formulas: files, those of a naive generator, and the semantics by paths.

Rejected and malformed files are in ``tests/certificates/test_hand_made.py``. The generator,
``tests/oracles/dpctl_certificates.py``, follows the specification to the letter, and makes certificates of
random formulas. What the checker proves of these is compared with the probabilities of finite paths, which is
the semantics.
"""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bdist import checker
from bdist.checker.core.limits import Work
from bdist.checker.dpctl.formulas import Privacy, propositions
from bdist.checker.dpctl.powers import Bound
from tests.certificates.hand_made import FORMULAS
from tests.cli.runner import CHECKER, run_checker
from tests.oracles.dpctl_certificates import Formula, Maker

# --- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FORMULAS.files("accepted"), ids=lambda path: path.stem)
def test_accepts(path: Path) -> None:
    report = FORMULAS.check(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (None if report.satisfied is None else list(report.satisfied)) == document["satisfied"]
    if report.probabilities is None:
        assert document["probabilities"] is None
    else:
        assert [[s, p] for s, p in report.probabilities] == [
            [s, Fraction(p)] for s, p in document["probabilities"]
        ]
    assert report.neighbours == len(document["neighbours"])
    assert report.states == FORMULAS.model_of(path).count("] -> ")
    assert same(report.formula, document["formula"])


def same(found: object, written: object) -> bool:
    """Whether nested tuples are the array of a document."""
    if isinstance(found, tuple):
        return isinstance(written, list) and all(map(same, found, written)) and len(found) == len(written)
    if isinstance(found, Fraction):
        return isinstance(written, str) and found == Fraction(written)
    return found == written


# --- the command --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("certificate", "code", "line"),
    [
        ("accepted/both--walk", 0, "accepted: 5 of 6 states satisfy the formula: m, n, u, x, y"),
        ("accepted/one-state--walk", 0, "accepted: the formula has the probability 1 from m"),
        ("rejected/model--another--walk", 1, "rejected at model: "),
        ("malformed/format-of-distances--walk", 4, ""),
        ("malformed/not-json--walk", 4, ""),
    ],
)
def test_the_command_tells_formulas_by_their_format(certificate: str, code: int, line: str) -> None:
    verdict, name = certificate.split("/")
    path = FORMULAS.folder(verdict) / f"{name}.json"
    done = run_checker(CHECKER, FORMULAS.model_path(path), path)
    assert done.returncode == code
    if code == 0:
        assert done.stdout.startswith("accepted: about the formula [")
    assert any(text.startswith(line) for text in [*done.stdout.splitlines(), ""])


def test_the_format_may_be_written_with_escapes() -> None:
    assert checker.is_formula_certificate('{"x": 1, "format": "bdist-\\u0064pctl-certificate"}')
    assert not checker.is_formula_certificate(
        '{"x": "bdist-dpctl-certificate", "format": "bdist-certificate"}'
    )
    assert not checker.is_formula_certificate('["dpctl"]')
    assert not checker.is_formula_certificate('{"format": ["bdist-dpctl-certificate"]}')
    assert not checker.is_formula_certificate("[" * 100_000 + "dpctl")


# --- labels and powers --------------------------------------------------------------------------------


def written(names: list[str]) -> str:
    """The label of a set of propositions, as bdist writes it."""
    quoted = [
        '"' + n.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if n in ("", "{}") or re.search(r'[,"\\]', n)
        else n
        for n in sorted(names)
    ]
    if len(names) != 1:
        return ",".join(quoted) or "{}"
    # a name that would be read as something else is put in quotes
    escaped = names[0].replace("\\", "\\\\").replace('"', '\\"')
    return names[0] if propositions(names[0]) == {names[0]} else f'"{escaped}"'


def test_every_set_of_propositions_has_a_label() -> None:
    atoms = ["", "{}", "p", "q", "p,q", '"', '"p"', '"{}"', '"\\"{}\\""', "\\", '"p,q"', ",", "p,", "é"]
    sets: list[list[str]] = (
        [[]] + [[a] for a in atoms] + [sorted([a, b]) for a in atoms for b in atoms if a < b]
    )
    labels = [written(names) for names in sets]
    assert len(set(labels)) == len(labels)
    for names, label in zip(sets, labels, strict=True):
        assert propositions(label) == set(names), label


@pytest.mark.parametrize(
    "label", ["", '""', ",", '"p"', '"a', 'a"b"', '"a"b', "b,a", "a,,b", "a,\\", '"\\x",a']
)
def test_other_labels_are_their_own_proposition(label: str) -> None:
    assert propositions(label) == {label}


def test_powers_of_e() -> None:
    for exponent in map(Fraction, ["1/1000000", "1/3", "1", "5/2", "20", "300"]):
        bound = Bound(Privacy(None, exponent, Fraction(0)), Work())
        partial, term, i = Fraction(1), Fraction(1), 0
        while i < 2 * exponent or term > Fraction(1, 10**60):
            i += 1
            term *= exponent / i
            partial += term
        for gap in (Fraction(1, 10**20), Fraction(1, 10**55)):
            q = 1 / (partial * (1 - gap))
            assert bound.holds(Fraction(1), q)
            q = 1 / (partial * (1 + gap) + 2 * term)
            assert not bound.holds(Fraction(1), q)


# --- random formulas ----------------------------------------------------------------------------------


def random_formula(source: random.Random, depth: int, most: int = 2) -> Formula:
    if depth == 0 or source.random() < 0.15:
        return source.choice([["true"], ["atom", "p"], ["atom", "q"], ["not", ["atom", "p"]]])

    def part() -> Formula:
        return random_formula(source, depth - 1, most)

    kind = source.choice(["not", "and", "next", "until", "until", "within", "P", "D"])
    if kind in ("not", "next"):
        return [kind, part()]
    if kind == "within":
        return [kind, source.randint(0, most), part(), part()]
    if kind == "P":
        sign = source.choice(["<", "<=", ">=", ">"])
        return [kind, sign, source.choice(["0", "1/2", "1/3", "1"]), part()]
    if kind == "D":
        return [kind, source.choice([["ln", "2"], "1/3", "0"]), source.choice(["0", "1/10"]), part()]
    return [kind, part(), part()]


def random_chain(source: random.Random, states: int) -> str:
    lines = ["lmc"]
    for i in range(states):
        cuts = sorted(source.randint(0, 4) for _ in range(states - 1))
        parts = [b - a for a, b in zip([0, *cuts], [*cuts, 4], strict=True)]
        source.shuffle(parts)
        row = ", ".join(f"{n}/4 s{t}" for t, n in enumerate(parts) if n)
        lines.append(f"s{i} [{source.choice('pqr')}] -> {row}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(80))
def test_certificates_of_random_formulas(seed: int) -> None:
    source = random.Random(seed)  # noqa: S311
    model = random_chain(source, source.randint(2, 3))
    maker = Maker(model, [("s0", "s1")])
    formula = random_formula(source, 3)
    document = maker.document(formula)
    report = checker.check_formula(model, json.dumps(document))
    assert report.states == len(maker.names)
    for changed in changes(document, maker.names, source):
        with pytest.raises(checker.Rejected):
            checker.check_formula(model, json.dumps(changed))
    if report.probabilities is not None:
        for state, p in report.probabilities:
            lower, upper = by_paths(maker, formula, maker.names.index(state), 5)
            assert lower <= p <= upper


def changes(document: dict[str, Any], names: list[str], source: random.Random) -> list[dict[str, Any]]:
    """Every number of a certificate is the only right one, so each change makes it wrong."""
    found = []
    for i, solution in enumerate(document["solutions"]):
        place = source.randrange(len(solution))
        other = str(Fraction(solution[place]) + source.choice([Fraction(1), Fraction(-1), Fraction(1, 7)]))
        new = [*solution[:place], other, *solution[place + 1 :]]
        found.append({"solutions": [*document["solutions"][:i], new, *document["solutions"][i + 1 :]]})
    if document["satisfied"] is not None:
        flipped = set(document["satisfied"]) ^ {source.choice(names)}
        found.append({"satisfied": sorted(flipped)})
    else:
        state, p = source.choice(document["probabilities"])
        found.append({"probabilities": [[state, str(1 - Fraction(p) + (p == "1/2"))]]})
    return [{**document, **members} for members in found]


def by_paths(maker: Maker, formula: Formula, start: int, steps: int) -> tuple[Fraction, Fraction]:
    """Bounds on a probability, by the paths of so many steps on which it is known to hold, or to fail."""
    known: dict[int, list[bool]] = {}

    def holds(f: Formula, path: list[int]) -> bool | None:
        """On every continuation of the path, on none, or None if that is not known."""
        if f[0] in ("true", "atom", "P", "D"):
            if id(f) not in known:
                known[id(f)] = maker.sat(f)
            return known[id(f)][path[0]] if path else (True if f[0] == "true" else None)
        if f[0] == "not":
            value = holds(f[1], path)
            return None if value is None else not value
        if f[0] == "and":
            return both(holds(f[1], path), holds(f[2], path))
        if f[0] == "next":
            return holds(f[1], path[1:]) if path else None
        most, first, second = f[1:] if f[0] == "within" else (None, *f[1:])
        result: bool | None = False if most is not None and most < len(path) else None
        for i in reversed(range(len(path) if most is None else min(len(path), most + 1))):
            later = both(holds(first, path[i:]), result)
            now = holds(second, path[i:])
            result = True if now or later else (False if now is False and later is False else None)
        return result

    lower, upper = Fraction(0), Fraction(1)
    paths = [([start], Fraction(1))]
    for _ in range(steps):
        paths = [([*a, t], p * q) for a, p in paths for t, q in enumerate(maker.matrix[a[-1]]) if q]
    for path, p in paths:
        value = holds(formula, path)
        lower += p if value else 0
        upper -= p if value is False else 0
    return lower, upper


def both(first: bool | None, second: bool | None) -> bool | None:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


def test_many_steps_are_within_the_limits() -> None:
    model = FORMULAS.model_of("walk")
    document = Maker(model, []).document(["P", ">=", "0", ["next", ["true"]]])
    document["formula"] = ["P", ">=", "1/2", ["within", 2000, ["true"], ["atom", "p"]]]
    document["satisfied"] = ["m", "u", "x", "y"]
    assert checker.check_formula(model, json.dumps(document)).satisfied == ("m", "u", "x", "y")


@pytest.mark.parametrize(
    ("module", "limit", "message"),
    [
        ("dpctl.elimination", "MOST_STATES", "the current chain has more than 20 states"),
        ("dpctl.elimination", "MOST_ENTRIES", "the current chain has more than 20 entries"),
        ("core.limits", "MOST_STEPS", "the check takes more than"),
        ("core.limits", "MOST_BYTES", "the check takes more than"),
    ],
)
def test_too_large_to_check(monkeypatch: pytest.MonkeyPatch, module: str, limit: str, message: str) -> None:
    model = FORMULAS.model_of("walk")
    document = Maker(model, []).document(["true"])
    inner: Formula = ["atom", "p"]
    for _ in range(3):
        inner = ["next", inner]
    inner = ["next", ["within", 20, ["true"], inner]]
    document["formula"] = ["P", ">=", "1/2", inner]
    document["satisfied"] = ["m", "u", "x", "y"]
    assert checker.check_formula(model, json.dumps(document)).states == 6
    monkeypatch.setattr(f"bdist.checker.{module}.{limit}", 20)
    with pytest.raises(checker.TooLarge, match=message):
        checker.check_formula(model, json.dumps(document))
