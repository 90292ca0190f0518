"""The work of an audit, and what it yields: checked certificates, each with what it does not say itself.

Everything that an audit finds out is a certificate about one pair or several, and for a pair that is not
private an attack. Entries are made by whoever does the work (this process, its helpers, a cluster), written
to the journal one a line, and read back from it; a finding is nothing but what the entries about a pair prove
together, whoever made them. The certificate of a true delta is that of a profile, for every alpha. What it
says at the audit's epsilon, and for several runs, is exact arithmetic on its two lists (`traced`).

*From elsewhere.* A journal was written by another process at another time, and a cluster's worker runs on
another machine. Neither is believed. What is read back is a `Received`, which no ledger takes; texts that
will be shown are stripped of what would steer a terminal, and lengths are limited before anything is looked
at. Only an `EntryChecker` makes an entry of it, by checking the certificate and evaluating the attack here:
the claims are taken from the checker's report, and what an entry says of itself decides nothing. An attack
shows a violation, and proves nothing that the certificate does not. It must be about its pair, and tell
something at this epsilon; an entry with another one is not used.

*The work* is the same here, in a helper process and on a cluster. There are two kinds of tasks. *Traces*
finds the true delta of one pair by following beliefs, over the futures that all pairs share; that decides
nearly everything. *Distances* computes bd and ld, in both orders, of a group of pairs at once, where they are
asked for: the distances of a chain depend on the same pairs of states, so a group shares its table, its proof
and its check.

A runner is pickled once for each process that helps. A task yields entries as they are made, so that what
a process has proved is not lost with it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from bdist import checker
from bdist.budget import Budget, StopSign
from bdist.certificates.checking import translated
from bdist.certificates.document import Certificate, Claim
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import lmc
from bdist.distances.compute import Settings, Skew, compute_distances
from bdist.errors import BdistError, CertificateRejected
from bdist.printing import one_line
from bdist.results import Distance
from bdist.traces.answers import TraceDistance
from bdist.traces.attack import Attack, read_test
from bdist.traces.beliefs import Futures
from bdist.traces.certificate import FORMAT
from bdist.traces.compute import DEFAULT_BELIEFS, PROFILE_WIDTH, ProfileSettings, compute_profile
from bdist.traces.loss import PrivacyLoss
from bdist.traces.profile import Profile

Pair = tuple[str, str]
_LONGEST_ATTACK = 10_000_000  # characters
LONGEST_REASON = 1000  # characters


@dataclass(frozen=True)
class Entry:
    """A certificate that has been checked, with its claims.

    ``limit`` says what cut the computation short, if anything did; ``allowed`` is the time limit a pair that
    it ran under, in seconds, None for none. ``seconds`` is what it took, for all its claims together.
    """

    quantity: str
    claims: tuple[Claim, ...]
    certificate: str
    attack: Attack | None = None
    limit: str | None = None
    allowed: float | None = None
    seconds: float = 0.0

    @property
    def pairs(self) -> set[frozenset[str]]:
        """The pairs of states that the claims are about, without order."""
        return {frozenset(claim.pair) for claim in self.claims}


def entry_of(
    distance: Distance, bounds: tuple[Fraction, Fraction] | None = None, attack: Attack | None = None
) -> Entry:
    """An entry for what was computed here, whose certificate has been checked here.

    ``bounds`` are those of a true delta, which its certificate does not list.
    """
    certificate = distance.certificate
    claims = certificate.claims if isinstance(certificate, Certificate) else ()
    if bounds is not None:
        claims = (Claim(distance.pair, *bounds),)
    return Entry(distance.quantity, claims, certificate.to_json(), attack, distance.limit)


def traced(
    optimistic: PrivacyLoss, pessimistic: PrivacyLoss, skew: Skew, runs: int
) -> tuple[Fraction, Fraction]:
    """Bounds on the true delta at e^epsilon after so many independent runs, from a profile's two lists."""
    profile = Profile(("", ""), optimistic, pessimistic)
    if runs > 1:
        profile = profile.self_compose(runs)
    bracket = profile.delta(alpha=skew.alpha) if skew.epsilon is None else profile.delta(epsilon=skew.epsilon)
    return bracket.lower.value, bracket.upper.value


class Malformed(Exception):
    """What is wrong with data that should be an entry."""


@dataclass(frozen=True)
class Received:
    """What somebody says that he has proved: a certificate, an attack, and how it went."""

    certificate: str
    attack: dict[str, Any] | None
    limit: str | None
    allowed: float | None
    seconds: float


def entry_document(entry: Entry) -> dict[str, object]:
    """An entry as data for JSON; its claims are left out, since nobody would believe them."""
    return {
        "certificate": entry.certificate,
        "attack": None if entry.attack is None else entry.attack.document(),
        "limit": entry.limit,
        "allowed": entry.allowed,
        "seconds": entry.seconds,
    }


def read_entry(document: object) -> Received:
    """What `entry_document` has made, or somebody else. Raises: Malformed."""
    if not isinstance(document, dict):
        raise Malformed("the entry is not an object")
    certificate, attack = document.get("certificate"), document.get("attack")
    allowed, seconds = document.get("allowed"), document.get("seconds")
    if not isinstance(certificate, str):
        raise Malformed("the entry has no certificate")
    limit = read_reason(document.get("limit"), "the entry's limit")
    if not (allowed is None or _is_number(allowed)) or seconds is None or not _is_number(seconds):
        raise Malformed("the entry's times are not numbers")
    if not (attack is None or isinstance(attack, dict)):
        raise Malformed("the entry's attack is not an object")
    try:
        length = 0 if attack is None else len(json.dumps(attack))
    except RecursionError:  # it could just be read
        raise Malformed("the entry's attack is nested too deeply") from None
    if length > _LONGEST_ATTACK:
        raise Malformed(f"the entry's attack has more than {_LONGEST_ATTACK} characters")
    return Received(certificate, attack, limit, allowed, float(seconds))


def read_reason(value: object, what: str) -> str | None:
    """A text that says why, in one line, or None. Raises: Malformed."""
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_REASON:
        raise Malformed(f"{what} is not a text")
    return one_line(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


class EntryChecker:
    """Checks entries for one chain at one alpha, and one number of runs."""

    def __init__(self, chain: LabelledMarkovChain, skew: Skew, runs: int = 1) -> None:
        self._chain, self._skew, self._runs = chain, skew, runs
        self._text = lmc.write(chain)

    def entry(self, found: Received) -> Entry:
        """An entry with the claims that the certificate proves and an attack's true probabilities.

        Raises: CertificateError where the certificate does not hold, or its attack tells nothing;
        ParameterError where the attack is no test.
        """
        with translated("certificate", "model"):
            if checker.format_of(found.certificate) == FORMAT:
                return self._traced(found, checker.check_profile(self._text, found.certificate))
            report = checker.check(self._text, found.certificate)
        if report.alpha != self._skew.alpha:
            raise CertificateRejected("audit", "the certificate is about another alpha")
        if report.partition:
            raise CertificateRejected("audit", "the certificate is about the quotient's distance")
        claims = tuple(Claim(claim.pair, claim.lower, claim.upper) for claim in report.claims)
        return _made(report.quantity, claims, found)

    def _traced(self, found: Received, report: checker.ProfileReport) -> Entry:
        low, high = (PrivacyLoss.of(atoms) for atoms in (report.claim.optimistic, report.claim.pessimistic))
        bounds = traced(low, high, self._skew, self._runs)
        attack = None if found.attack is None else self._attack(report.pair, found.attack)
        return _made("tv", (Claim(report.pair, *bounds),), found, attack)

    def _attack(self, pair: Pair, document: dict[str, Any]) -> Attack:
        """The attack on a pair, evaluated here."""
        order = document.get("pair")
        if order not in (list(pair), list(reversed(pair))):
            raise CertificateRejected("audit", "the attack is not about the pair of the certificate")
        if document.get("test") is None:
            raise CertificateRejected("audit", "the attack has no test")
        test = read_test(document)
        attack = None if test is None else Attack.of(self._chain, (order[0], order[1]), test)
        if attack is None or attack.advantage(self._skew.attack_alpha) <= 0:
            raise CertificateRejected("audit", "the attack tells nothing at this epsilon")
        return attack


def _made(quantity: str, claims: tuple[Claim, ...], found: Received, attack: Attack | None = None) -> Entry:
    return Entry(quantity, claims, found.certificate, attack, found.limit, found.allowed, found.seconds)


EASY_BELIEFS = 300  # that a pair may take before all others have had their turn
_LEAST_WIDTH = Fraction(1, 10**12)  # of a bracket, where a wider one leaves the question open
DISTANCES = ("bd", "ld")
TRACES = ("tv",)


@dataclass(frozen=True)
class Task:
    """Work on some pairs: the distances of a group, one quantity or both, or the traces of one pair.

    ``beliefs`` is how many of them traces may take.
    """

    quantities: tuple[str, ...]
    pairs: tuple[Pair, ...]
    beliefs: int = DEFAULT_BELIEFS
    attempt: int = 1

    def one_by_one(self, done: Set[str]) -> list[Task]:
        """What is left where some quantities are done, a task for each pair, to be tried again."""
        left = tuple(quantity for quantity in self.quantities if quantity not in done)
        if not left:
            return []
        return [replace(self, quantities=left, pairs=(p,), attempt=self.attempt + 1) for p in self.pairs]


@dataclass(frozen=True)
class Outcome:
    """What came of a task: its entries, and why there are not more of them, if something went wrong.

    Entries may come one by one, each in an outcome without pairs, before the outcome of the task; and where a
    task was taken apart, the pairs of the rest have outcomes of their own.
    """

    task: Task
    entries: tuple[Entry | Received, ...]
    failure: str | None = None


def part_of(task: Task, entry: Entry) -> Outcome:
    """What has come of a task that goes on."""
    return Outcome(replace(task, pairs=()), (entry,))


def failure_of(error: MemoryError | BdistError) -> str:
    """Why a task failed, in words."""
    return "out of memory" if isinstance(error, MemoryError) else str(error)


@dataclass(frozen=True)
class TaskRunner:
    """A chain, the parameters of an audit, and what all pairs share.

    ``time_limit`` is in seconds a pair, half of it for its distances where these are asked for; ``runs`` is
    how often the chain is observed, ``threads`` are for the kernel.
    """

    chain: LabelledMarkovChain
    skew: Skew
    delta: Fraction
    time_limit: float | None
    runs: int = 1
    futures: Futures | None = None
    distances: bool = False
    threads: int = 1

    def entries(self, task: Task, stop: StopSign) -> Iterator[Entry]:
        """Do the work of a task. Ensures: every certificate was checked."""
        for quantity in task.quantities:
            began = time.monotonic()
            if quantity in TRACES:
                found = [self._traces(pair, task.beliefs, stop) for pair in task.pairs]
            else:
                found = [entry_of(self._distances(quantity, task.pairs, stop))]
            seconds = round((time.monotonic() - began) / len(found), 6)
            for entry in found:
                limit = self._limit_in_words(entry.limit, stop)
                # what was cut short for another reason than its time limit is worth another try at any limit
                again = stop.is_set() or (task.beliefs < DEFAULT_BELIEFS and not _is_of_time(limit))
                yield replace(entry, seconds=seconds, limit=limit, allowed=0.0 if again else self.time_limit)

    def _limit_in_words(self, limit: str | None, stop: StopSign) -> str | None:
        """What cut a computation short, in terms of what the user asked for and not of a share of it."""
        if stop.is_set() or not _is_of_time(limit):
            return limit
        return f"time limit of {self.time_limit:g} s a pair reached"

    def bounds_without_search(self, pair: Pair, reason: str) -> Entry:
        """The bounds on the distance of a pair that need no search, where the search failed."""
        stop = StopSign()
        stop.reason = reason
        stop.set()
        return next(self.entries(Task(("bd",), (pair,)), stop))

    def _distances(self, quantity: str, pairs: tuple[Pair, ...], stop: StopSign) -> Distance:
        """The distances of all pairs, in one certificate, as any one of them; one that was cut, if any."""
        queries = pairs if quantity == "bd" else [order for s, t in pairs for order in ((s, t), (t, s))]
        share = self._share(len(pairs) / len(DISTANCES))
        settings = Settings(budget=Budget.for_answer(share, stop), jobs=self.threads)
        found = compute_distances(self.chain, queries, self.skew, quantity, settings)
        return next((distance for distance in found if distance.limit is not None), found[0])

    def _traces(self, pair: Pair, beliefs: int, stop: StopSign) -> Entry:
        """The true delta of a pair; for several runs its whole profile is needed, not one place of it."""
        budget = Budget.for_answer(self._share(1), stop)
        skew = self.skew
        focus = () if self.runs > 1 else tuple(dict.fromkeys((skew.alpha, skew.attack_alpha)))
        for width in (PROFILE_WIDTH, *((_LEAST_WIDTH,) if beliefs >= DEFAULT_BELIEFS else ())):
            settings = ProfileSettings(focus, width, beliefs, budget, self.futures)
            profile = compute_profile(self.chain, pair, settings)
            found = TraceDistance("tv", skew, profile, self.chain)
            bounds = traced(profile.optimistic, profile.pessimistic, skew, self.runs)
            is_open = bounds[0] <= self.delta < bounds[1]
            if not is_open or profile.exact or found.limit is not None:
                break
        attack = found.attack if bounds[0] > self.delta and self.runs == 1 else None
        entry = entry_of(found.distance, bounds, attack)
        # as narrow as is usual, and the question is open: there is a reason to tell, and to go on
        return replace(entry, limit=profile.limit) if is_open else entry

    def _share(self, parts: float) -> float | None:
        if self.time_limit is None:
            return None
        return self.time_limit * (parts / 2 if self.distances else parts)


def _is_of_time(limit: str | None) -> bool:
    return limit is not None and limit.startswith("time limit")
