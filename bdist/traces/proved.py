"""What a checked certificate of a privacy profile proves, in words."""

from __future__ import annotations

from bdist import checker
from bdist.exact.display import counted, decimal_down, decimal_up, exact_text
from bdist.exact.reading import rational_text
from bdist.printing import named
from bdist.report import Report
from bdist.traces.loss import PrivacyLoss, atoms_document

_LONGEST_LIST = 20


def check(model: str, certificate: str, allowed: checker.Allowance | None = None) -> checker.ProfileReport:
    """The independent check of a certificate against the text of a chain."""
    return checker.check_profile(model, certificate, allowed)


def describe(report: checker.ProfileReport) -> Report:
    """The claim, and how much was checked for it."""
    lines, claim = _alpha_lines(report) if hasattr(report.claim, "alpha") else _list_lines(report)
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


def _alpha_lines(report: checker.ProfileReport) -> tuple[list[str], dict[str, object]]:
    """Bounds at one alpha."""
    alpha, (s, t) = rational_text(report.claim.alpha), map(named, report.pair)
    lines = []
    for one, other, (low, high) in ((s, t, report.claim.forward), (t, s, report.claim.backward)):
        value = f"= {exact_text(high)}" if low == high else f"from {exact_text(low)} to {exact_text(high)}"
        lines.append(f"accepted  lv({one}, {other}) at alpha {alpha} {value}")
    sides = {"forward": report.claim.forward, "backward": report.claim.backward}
    return lines, {"alpha": alpha, **{name: [*map(rational_text, ends)] for name, ends in sides.items()}}


def _count(loss: PrivacyLoss) -> str:
    return counted(len(loss.atoms), "atom")
