"""How to check the report without trusting those who made it: commands, hashes, and what is left to trust."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from bdist.audits.entries import Pair
from bdist.audits.report import wording
from bdist.audits.report.facts import Facts
from bdist.chains.drawings.markup import Markup, element, joined
from bdist.exact.reading import rational_text
from bdist.results import Evidence

_LISTED_OPENLY = 12
_WHERE = "python -c 'import bdist.checker; print(bdist.checker.__path__[0])'"


@dataclass
class _Certificate:
    """What one certificate is for."""

    quantities: set[str] = field(default_factory=set)
    pairs: set[Pair] = field(default_factory=set)


def recheck_section(facts: Facts) -> Markup:
    """Commands, what is proved, what is trusted, and the certificates."""
    return element(
        "section",
        element("h2", "How to check this", id="recheck"),
        _commands(facts),
        element("h3", "What is proved, and what must be trusted"),
        _trust(facts),
        element("h3", "Certificates"),
        _certificates(facts),
        aria_labelledby="recheck",
    )


def _commands(facts: Facts) -> list[Markup]:
    folder = "DIR" if facts.certificates is None else facts.certificates
    if facts.certificates is None:
        saved = joined(
            "The certificates of this run were not saved; ",
            element("code", "bdist audit … --certificates DIR"),
            " saves them",
        )
    else:
        saved = joined("The certificates of this run are in ", wording.name(folder, 120))
    steps = [
        element("li", what, element("pre", element("code", element("bdi", command))))
        for what, command in _steps(facts, folder)
    ]
    names = joined(", each in a file named by the SHA-256 of its text.")
    return [element("p", saved, names), element("ol", steps, class_="commands")]


def _steps(facts: Facts, folder: str) -> list[tuple[str, str]]:
    """What to do and the command that does it, for a shell."""
    place = folder.rstrip("/") + "/"
    model = shlex.quote(_model(facts, place))
    known = [proof.certificate for finding in facts.audit.findings[:1] for proof in finding.proofs]
    file = shlex.quote(place + (f"{known[-1]}.json" if known else "SHA256.json"))
    all_files = f"{shlex.quote(place)}*.json"
    steps = [
        ("Check one certificate:", f"bdist check {model} {file}"),
        (
            "The same without bdist, with nothing but Python’s standard library, by a copy of the folder of "
            "the checker; the second line says where that folder is:",
            f"python -I -S path/to/checker {model} {file}\n{_WHERE}",
        ),
        ("See that a file is what it is called; the two hashes must be equal:", f"sha256sum {file}"),
        (
            "Check all certificates:",
            f'for c in {all_files}; do bdist check {model} "$c" || echo "REJECTED $c"; done',
        ),
    ]
    if not _is_lmc(facts.model_file):
        same = (
            "The file model.lmc in that folder is the model as it was read, in the format of the checker. "
            "Both must have the model hash above as their fingerprint (read the second with the options of "
            "the command above):",
            f"bdist show {model}\nbdist show {shlex.quote(facts.model_file)}",
        )
        steps.insert(0, same)
    attack = _attack_command(facts, _model(facts, place))
    if attack is not None:
        steps.append(("Find the attack again, with its exact probabilities, and see it happen:", attack))
    return steps


def _is_lmc(model_file: str) -> bool:
    return model_file.lower().endswith(".lmc")


def _model(facts: Facts, place: str) -> str:
    """The model as the checker reads it: the file itself, or the copy that is saved with the certificates."""
    return facts.model_file if _is_lmc(facts.model_file) else f"{place}model.lmc"


def _attack_command(facts: Facts, model: str) -> str | None:
    finding = facts.attacked
    if finding is None or finding.attack is None:
        return None
    epsilon, alpha = facts.audit.epsilon, rational_text(facts.audit.alpha)
    skew = ["--alpha", alpha] if epsilon is None else ["--epsilon", epsilon]
    pair = finding.attack.pair
    stop = ["--"] if any(state.startswith("-") for state in pair) else []
    return shlex.join(["bdist", "attack", *skew, model, *stop, *pair])


def _trust(facts: Facts) -> Markup:
    certified = all(finding.delta.lower.evidence is Evidence.CERTIFIED for finding in facts.audit.findings)
    lower = (
        "So is every lower end."
        if certified
        else "A lower end above 0 that is computed for α just above e^ε is not part of a certificate: it "
        "follows from the exact probabilities of an event, which were computed in rationals."
    )
    proved = [
        "Every upper end below 1 in the table of pairs, and with it every verdict HOLDS, is proved by a "
        f"certificate that the independent checker has accepted, from the text of the model. {lower}"
        if facts.audit.runs == 1
        else f"Verdicts are about {facts.audit.runs} independent runs. Certified, and accepted by the "
        "independent checker, is the profile of one run; both ends for several runs follow from it by exact "
        "arithmetic, which is not part of a certificate.",
        "Every verdict VIOLATED rests on a lower end above δ: of an event with exact probabilities, or of a "
        "certificate where no test was found that gains as much.",
        "A certificate is a list of rational inequalities. How it was found, with floating point or without, "
        "plays no part in checking it.",
    ]
    trusted = [
        "that the model describes the system: what is proved is about the chain, not about the program that "
        "it was made from;",
        "that an observer sees the labels, in their order, and nothing else, such as names of states or the "
        "time;",
        "that the pairs of neighbours are those that matter;",
        "the checker, some small files of Python that compare and add fractions and solve nothing, and "
        "Python itself.",
    ]
    return joined(
        element("ul", [element("li", wording.prose(text)) for text in proved]),
        element("p", "What must be trusted:"),
        element("ul", [element("li", text) for text in trusted]),
    )


def _certificates(facts: Facts) -> Markup:
    found: dict[str, _Certificate] = {}
    for finding in facts.audit.findings:
        for proof in finding.proofs:
            entry = found.setdefault(proof.certificate, _Certificate())
            entry.quantities.add(proof.quantity)
            entry.pairs.add(finding.pair)
    if not found:
        return element("p", "There are none.")
    heads = wording.heads("SHA-256, the name of the file", "Proves", "Size")
    rows = [
        element(
            "tr",
            element("th", element("code", sha256, class_="hash"), scope="row", class_="long"),
            element("td", _proves(entry)),
            element("td", _size(facts, sha256), class_="number"),
            id=f"certificate-{wording.short_hash(sha256)}",
        )
        for sha256, entry in found.items()
    ]
    table = wording.scroller(
        wording.table(wording.plural(len(found), "certificate"), heads, rows),
        "Table of certificates",
    )
    if len(found) <= _LISTED_OPENLY:
        return table
    return element("details", element("summary", f"All {len(found):,} certificates"), table)


def _proves(entry: _Certificate) -> Markup:
    quantities = ", ".join(sorted(entry.quantities))
    if len(entry.pairs) == 1:
        return joined(f"{quantities} of ", wording.pair(next(iter(entry.pairs))))
    return joined(f"{quantities} of {wording.plural(len(entry.pairs), 'pair')}")


def _size(facts: Facts, sha256: str) -> str:
    text = facts.audit.certificates.get(sha256)
    return "–" if text is None else f"{len(text.encode('utf-8')):,} bytes"
