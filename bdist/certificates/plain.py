"""The plain form of a model and a certificate: integers and nothing else, for the verified checker.

`proofs/Document.v` says what the integers mean for distances, `proofs/Profile.v` for profiles, and every
one of them is read again there. What happens here is that
names become numbers: a state its place in the model, a label a number of its own, and a name that there is
not -1, which is refused there. With a clock the steps that are left are looked up, too, since whoever has
them need not search for them; they are checked there. Nothing else is looked at. The verified checker's
answer is about what this page writes: besides the readers of the two files (``checker/core`` and
``document.py`` of ``checker/distances`` and ``checker/traces``) it is this page that has to be right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm

from bdist.checker.core import Rejected, check_fingerprint
from bdist.checker.core.chain import Model, read_model
from bdist.checker.core.limits import Work
from bdist.checker.core.numbers import scaled
from bdist.checker.distances.chain import quotient, timed
from bdist.checker.distances.document import (
    Certificate,
    Claim,
    Escape,
    Function,
    Stage,
    UpperRecord,
    read_certificate,
)
from bdist.checker.traces.document import Atom, Grid, Profile, Shares, Types, read_profile

_SHORT = 60  # bits of a number in decimal; longer ones are in hexadecimal, which is read in linear time
NOWHERE = -1
PROFILE = 2  # what the plain form of a profile begins with, where others have their quantity


def plain_distances(model: str, certificate: str) -> str:
    """The plain form of two texts, of a chain and of a certificate of distances.

    Raises: BadModel, Malformed, TooLarge; Rejected at `model`.
    """
    chain, document = read_model(model), read_certificate(certificate, Work(len(model) + len(certificate)))
    check_fingerprint(document.model, chain.fingerprint())
    return "\n".join(map(_line, _parts(chain, document)))


def plain_profile(model: str, certificate: str) -> str:
    """The plain form of two texts, of a chain and of the certificate of a profile.

    Raises: as `plain_distances`.
    """
    chain, document = read_model(model), read_profile(certificate, Work(len(model) + len(certificate)))
    check_fingerprint(document.model, chain.fingerprint())
    return "\n".join(map(_line, _profile_parts(chain, document)))


def _line(numbers: Iterable[int]) -> str:
    return " ".join([str(x) if x.bit_length() < _SHORT else hex(x) for x in numbers])


def _parts(model: Model, certificate: Certificate) -> Iterator[Iterable[int]]:
    """The lines, in the order of `proofs/Document.v`."""
    state, label = _numbers(model)
    left = _steps_left(model, certificate)
    above, below = certificate.alpha.as_integer_ratio()
    yield (0 if certificate.quantity == "bd" else 1), above, below, certificate.words
    yield from _chain(model, state, label)
    yield from _classes(certificate.partition or (), state)
    yield len(certificate.clock), *(label.get(name, NOWHERE) for name in certificate.clock)
    if certificate.clock:
        yield (left.get(name, 0) for name in model.labels)
    yield from _classes(certificate.merged, state)
    yield (len(certificate.claims),)
    yield from (_claim(claim, state) for claim in certificate.claims)
    yield len(certificate.states), *(state.get(name, NOWHERE) for name in certificate.states)
    yield (len(certificate.upper),)
    yield from map(_upper, certificate.upper)
    yield (len(certificate.lower),)
    for stage in certificate.lower:
        yield from _stage(stage, label, bool(certificate.clock))


def _profile_parts(model: Model, profile: Profile) -> Iterator[Iterable[int]]:
    """The lines, in the order of `proofs/Profile.v`."""
    state, label = _numbers(model)
    yield (PROFILE,)
    yield from _chain(model, state, label)
    yield [state.get(name, NOWHERE) for name in profile.pair]
    futures = profile.futures or {}
    yield (len(futures),)
    for name, entry in futures.items():
        yield state.get(name, NOWHERE), *_shares(entry, state)
    yield (len(profile.nodes),)
    for node in profile.nodes:
        for vector in (node.a, node.b):
            yield len(vector), *(x for name, n in vector.items() for x in (state.get(name, NOWHERE), n))
        if node.next is None:
            yield (0,)
        else:
            edges = (x for name, k in node.next.items() for x in (label.get(name, NOWHERE), k))
            yield 1, len(node.next), *edges
    visits = profile.visits or {}
    yield (len(visits),)
    for k, weights in visits.items():
        yield k, *_atoms(weights)
    yield from ((0,),) if profile.types is None else _types(profile.types, state, label)
    yield (0,) if profile.grid is None else _grid(profile.grid)
    if profile.claim.exact:
        yield 0, *_atoms(profile.claim.atoms)
    else:
        yield 1, *_atoms(profile.claim.optimistic), *_atoms(profile.claim.pessimistic)


def _shares(shares: Shares, state: Mapping[str, int]) -> Iterator[int]:
    over = lcm(*(x.denominator for x in shares.values()))
    yield from (over, len(shares))
    yield from (n for k, x in scaled(shares, over).items() for n in (state.get(k, NOWHERE), x))


def _types(types: Types, state: Mapping[str, int], label: Mapping[str, int]) -> Iterator[Iterable[int]]:
    sets = [(number, pi) for number, sets in enumerate(types.classes) for pi in sets]
    yield 1, len(types.classes), len(sets)
    for number, pi in sets:
        yield number, *_shares(pi, state)
    yield (len(types.words),)
    for word in types.words:
        yield len(word), *(label.get(name, len(state)) for name in word)
    yield (len(types.reach),)
    for reach in types.reach:
        yield _shares(reach, state)


def _grid(grid: Grid) -> Iterable[int]:
    return 1, *grid.ratio.as_integer_ratio(), grid.bits, grid.rounds, grid.low, grid.high


def _atoms(atoms: Collection[Atom]) -> Iterator[int]:
    yield len(atoms)
    yield from (x for atom in atoms for number in atom for x in number.as_integer_ratio())


def _numbers(model: Model) -> tuple[dict[str, int], dict[str, int]]:
    """The numbers of states and of labels."""
    state = {name: number for number, name in enumerate(model.labels)}
    return state, {name: number for number, name in enumerate(dict.fromkeys(model.labels.values()))}


def _chain(model: Model, state: Mapping[str, int], label: Mapping[str, int]) -> Iterator[Iterable[int]]:
    yield (len(model.labels),)
    for name, entries in model.rows.items():
        over = lcm(*(p.denominator for p in entries.values()))
        row = [x for i, p in scaled(entries, over).items() for x in (state[i], p)]
        yield label[model.labels[name]], over, len(entries), *row


def _steps_left(model: Model, certificate: Certificate) -> dict[str, int]:
    """The steps that are left by the clock; none where there is none, or none that fits."""
    if not certificate.clock:
        return {}
    try:
        merged, _ = quotient(model, certificate.partition or (), "partition")
        chain = timed(merged, certificate.clock, Work())
    except Rejected:
        return {}
    return {name: int(label.rpartition("@")[2]) for name, label in chain.labels.items()}


def _classes(partition: Sequence[Sequence[str]], state: Mapping[str, int]) -> Iterator[Iterable[int]]:
    yield (len(partition),)
    for names in partition:
        yield len(names), *(state.get(name, NOWHERE) for name in names)


def _claim(claim: Claim, state: Mapping[str, int]) -> Iterable[int]:
    bounds = (x for bound in (claim.lower, claim.upper) for x in Fraction(bound).as_integer_ratio())
    return *(state.get(name, NOWHERE) for name in claim.pair), *bounds


def _upper(record: UpperRecord) -> Iterator[int]:
    yield from (*record.pair, record.over, record.value)
    for w, b in filter(None, (record.forward, record.backward)):
        yield from (len(w) // 3, *w, len(b) // 2, *b)


def _stage(stage: Stage, label: Mapping[str, int], clock: bool) -> Iterator[Iterable[int]]:
    for functions in stage:
        yield (len(functions),)
        for f in functions:
            yield _function(f, label, clock)


def _function(f: Function | Escape, label: Mapping[str, int], clock: bool) -> Iterator[int]:
    yield from (f.rank if isinstance(f, Escape) else 0, f.over, len(f.f))
    for i, x in f.f.items():
        yield from (i, x)
    yield len(f.rest)
    for name, x in f.rest.items():
        yield from (*_label(name, label, clock), x)
    yield len(f.pairs)
    for entry in f.pairs:
        yield from entry


def _label(name: str, label: Mapping[str, int], clock: bool) -> tuple[int, int]:
    """A label, and the steps that are left, which a clock writes after it."""
    if not clock:
        return label.get(name, NOWHERE), 0
    plain, _, digits = name.rpartition("@")
    number = int(digits) if digits.isdecimal() and digits.isascii() and len(digits) < 20 else NOWHERE
    return (label.get(plain, NOWHERE), number) if str(number) == digits else (NOWHERE, NOWHERE)
