"""The certificate of a privacy profile as data, and as the JSON document that SPEC.md defines.

It holds the graph of beliefs with integers only; the factors of its edges and, where no belief returns, all
weights are the checker's to compute.

What a checked one proves is told here as well, for `bdist check`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bdist import checker
from bdist.certificates import Document, array_text, document_text, lines_text, object_text
from bdist.exact.rationals import counted, decimal_down, decimal_up, exact_text, rational_text
from bdist.printing import named
from bdist.report import Report
from bdist.results import pair_text
from bdist.traces.loss import PrivacyLoss, atoms_document

if TYPE_CHECKING:
    from bdist.traces.grid import Grid

FORMAT = "bdist-profile"
VERSION = 1

Atoms = tuple[tuple[Fraction, Fraction], ...]
Entries = tuple[tuple[str, int], ...]
Rationals = tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True)
class BeliefNode:
    """Two vectors over the coordinates, and by label the number of the next node; None for a leaf."""

    a: Entries
    b: Entries
    next: tuple[tuple[str, int], ...] | None = None


@dataclass(frozen=True)
class Types:
    """Closed classes grouped into types, each with its stationary probabilities; words that tell types
    apart; and for each type the probability of ending in it.
    """

    classes: tuple[tuple[Rationals, ...], ...]
    words: tuple[tuple[str, ...], ...]
    reach: tuple[Rationals, ...]


@dataclass(frozen=True)
class PldClaim:
    """The privacy-loss distribution lies between two lists of atoms, which are equal where it is exact."""

    optimistic: Atoms
    pessimistic: Atoms

    def members(self) -> dict[str, str]:
        """The claim's members as JSON texts."""
        if self.optimistic == self.pessimistic:
            return {"atoms": _atoms_text(self.optimistic)}
        return {
            "optimistic": _atoms_text(self.optimistic),
            "pessimistic": _atoms_text(self.pessimistic),
        }


@dataclass(frozen=True, repr=False)
class ProfileCertificate(Document):
    """A proof of its claim about the model with that fingerprint."""

    model: str
    pair: tuple[str, str]
    nodes: tuple[BeliefNode, ...]
    claim: PldClaim
    futures: tuple[tuple[str, Rationals], ...] = ()
    visits: tuple[tuple[int, Atoms], ...] = ()
    types: Types | None = None
    grid: Grid | None = None

    def to_json(self) -> str:
        """The document of SPEC.md, a node a line."""
        members = {
            "format": json.dumps(FORMAT),
            "version": json.dumps(VERSION),
            "model": json.dumps(self.model),
            "pair": json.dumps(self.pair),
        }
        if self.futures:
            members["futures"] = array_text([state, _rationals(row)] for state, row in self.futures)
        members["nodes"] = lines_text(map(_node_text, self.nodes))
        if self.visits:
            members["visits"] = array_text([k, _pairs(weights)] for k, weights in self.visits)
        if self.types is not None:
            members["types"] = _types_text(self.types)
        if self.grid is not None:
            members["grid"] = json.dumps(asdict(self.grid) | {"ratio": rational_text(self.grid.ratio)})
        members["claim"] = object_text(self.claim.members(), 2)
        return document_text(members)

    def _essence(self) -> str:
        return f"the profile of {pair_text(self.pair, ' and ')}: {counted(len(self.nodes), 'belief')}"


def _node_text(node: BeliefNode) -> str:
    """A node as JSON. Its integers may have more digits than Python writes by itself."""
    parts = [f'"{side}": {_vector_text(vector)}' for side, vector in (("a", node.a), ("b", node.b))]
    if node.next is not None:
        parts.append(f'"next": {json.dumps(node.next)}')
    return f"{{{', '.join(parts)}}}"


def _vector_text(entries: Entries) -> str:
    return f"[{', '.join(f'[{json.dumps(name)}, {rational_text(Fraction(n))}]' for name, n in entries)}]"


def _types_text(types: Types) -> str:
    return object_text(
        {
            "classes": array_text(([_rationals(c) for c in kind] for kind in types.classes), 4),
            "words": array_text(types.words, 4),
            "reach": array_text(map(_rationals, types.reach), 4),
        },
        2,
    )


def _rationals(entries: Rationals) -> list[list[str]]:
    return [[key, rational_text(x)] for key, x in entries]


def _pairs(atoms: Iterable[tuple[Fraction, Fraction]]) -> list[list[str]]:
    return [[rational_text(p), rational_text(q)] for p, q in atoms]


def _atoms_text(atoms: Atoms) -> str:
    return array_text(_pairs(atoms), 4)


_LONGEST_LIST = 20


def proved(report: checker.ProfileReport) -> Report:
    """The claim, and how much was checked for it."""
    lines, claim = _list_lines(report)
    lines.append(f"          {counted(report.nodes, 'belief')} checked")
    document = {"accepted": True, "pair": list(report.pair), "beliefs": report.nodes, **claim}
    return Report("\n".join(lines), document)


def _list_lines(report: checker.ProfileReport) -> tuple[list[str], dict[str, object]]:
    """The privacy-loss distribution, or bounds on it."""
    low, high = (PrivacyLoss.of(atoms) for atoms in (report.claim.optimistic, report.claim.pessimistic))
    s, t = map(named, report.pair)
    if low == high:
        lines = [f"accepted  the privacy-loss distribution of ({s}, {t}), exactly: {_count(low)}"]
        for atom in low.atoms[:_LONGEST_LIST]:
            ratio = "infinite" if atom.ratio is None else exact_text(atom.ratio)
            lines.append(
                f"          ratio {ratio}: {exact_text(atom.s)} from {s}, {exact_text(atom.t)} from {t}"
            )
        more = len(low.atoms) - _LONGEST_LIST
        lines += [f"          and {counted(more, 'more atom')}"] if more > 0 else []
        return lines, {"exact": True, "atoms": atoms_document(low.atoms)}
    ends = f"{decimal_down(low.total_variation)} <= total variation <= {decimal_up(high.total_variation)}"
    lines = [
        f"accepted  bounds on the true delta of ({s}, {t}) for every epsilon, in both orders",
        f"          {ends}; {_count(low)} from below, {_count(high)} from above",
    ]
    return lines, {
        "exact": False,
        "optimistic": atoms_document(low.atoms),
        "pessimistic": atoms_document(high.atoms),
    }


def _count(loss: PrivacyLoss) -> str:
    return counted(len(loss.atoms), "atom")
