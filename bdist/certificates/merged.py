"""The proof that merged states are bisimilar, as a certificate that every checker of distances reads.

A certificate of distances may have a partition (SPEC.md, section 3): the checker verifies that the states of
a class have one label and are equally likely to go to each class, and from there on speaks of the quotient.
A pair of one class then has the distance 0. So the certificate of a quotient is a partition with the claims
bd_1 = 0, for each member of a class and the first, and no records at all. The stand-alone checker needs no
line for it. At alpha = 1 the claims are about the model itself as well: bd_1 is a pseudometric that is 0 for
bisimilar states, so by the triangle inequality it is the same in the quotient.

It proves that these states may be merged, and not that no others may. For two states that were not merged,
`step_apart` gives the reason: a class to which they go with different probabilities. There is one, because
otherwise the two classes together would be a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bdist.budget import Budget
from bdist.certificates.checking import reason_unchecked
from bdist.certificates.document import Certificate, Claim
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.quotient import Quotient, quotient


@dataclass(frozen=True, repr=False)
class ProvedQuotient(Quotient):
    """A quotient with the proof that its merged states are bisimilar.

    ``certificate`` is None where nothing was merged, or no proof was asked for; ``unchecked`` says why its
    check did not come to an end, where it did not.
    """

    certificate: Certificate | None = None
    unchecked: str | None = None

    def step_apart(self, s: str, t: str) -> tuple[str, Fraction, Fraction] | None:
        """Why two states of one label were not merged: a class, by its first member, and how likely a step
        goes there from either; None where they were merged. Raises: ParameterError.
        """
        return step_apart(self, s, t)


def merge(chain: LabelledMarkovChain, budget: Budget, *, certificate: bool = True) -> ProvedQuotient:
    """The quotient by bisimilarity, with its proof, which was checked or says why it was not."""
    found = quotient(chain)
    proof = certificate_of_quotient(found) if certificate else None
    unchecked = None if proof is None else reason_unchecked(chain, proof, budget)
    return ProvedQuotient(found.chain, found.classes, chain, proof, unchecked)


def certificate_of_quotient(found: Quotient) -> Certificate | None:
    """The certificate, not checked yet; None where nothing was merged, so that there is nothing to prove."""
    partition = tuple(members for members in found.classes if len(members) > 1)
    if not partition:
        return None
    zero = Fraction(0)
    claims = tuple(Claim((first, member), zero, zero) for first, *others in partition for member in others)
    return Certificate(
        fingerprint(found.original), "bd", Fraction(1), claims, upper=(), lower=(), partition=partition
    )


def step_apart(found: Quotient, s: str, t: str) -> tuple[str, Fraction, Fraction] | None:
    """For two states of one label, a class, by its first member, and the probabilities of going there from
    either, as different as there are; None where the two are merged.

    Raises: ParameterError where there is no such state.
    """
    one, other = (found.chain.row(found.of(state)) for state in (s, t))
    zero = Fraction(0)
    apart = {name: (one.get(name, zero), other.get(name, zero)) for name in (*one, *other)}
    name, (p, q) = max(apart.items(), key=lambda entry: abs(entry[1][0] - entry[1][1]))
    return (name, p, q) if p != q else None
