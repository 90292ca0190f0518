"""How to check the report without trusting those who made it: commands, hashes, and what is left to trust."""

from __future__ import annotations

import shlex

from bdist.audits.entries import Pair
from bdist.audits.report import wording
from bdist.audits.report.wording import Facts
from bdist.chains.drawings.markup import Markup, element, joined
from bdist.exact.rationals import rational_text
from bdist.results import Evidence

_LISTED_OPENLY = 12
_WHERE = "python -c 'import bdist.checker; print(bdist.checker.__path__[0])'"


def recheck_section(facts: Facts) -> Markup:
    """Commands, what is proved, what is trusted, and the certificates."""
    return wording.section(
        "recheck",
        "How to check this",
        _commands(facts),
        element("h3", "What is proved, and what must be trusted"),
        _trust(facts),
        element("h3", "Certificates"),
        _certificates(facts),
    )


def _commands(facts: Facts) -> list[Markup]:
    folder = "DIR" if facts.certificates is None else facts.certificates
    where = ["are in ", wording.name(folder, 120)]
    if facts.certificates is None:
        where = ["were not saved; ", element("code", "bdist audit … --certificates DIR"), " saves them"]
    steps = [
        element("li", what, element("pre", element("code", element("bdi", command))))
        for what, command in _steps(facts, folder)
    ]
    names = ", each in a file named by the SHA-256 of its text."
    return [
        element("p", "The certificates of this run ", where, names),
        element("ol", steps, class_="commands"),
    ]


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
    proved: dict[str, set[tuple[str, Pair]]] = {}  # by a certificate: quantities and pairs
    for finding in facts.audit.findings:
        for proof in finding.proofs:
            proved.setdefault(proof.certificate, set()).add((proof.quantity, finding.pair))
    if not proved:
        return element("p", "There are none.")
    columns = [("SHA-256, the name of the file", "long"), ("Proves", None), wording.number_column("Size")]
    rows = [
        [
            element("code", sha256, class_="hash", id=f"certificate-{wording.short_hash(sha256)}"),
            _proves(what),
            _size(facts, sha256),
        ]
        for sha256, what in proved.items()
    ]
    table = wording.table(wording.plural(len(proved), "certificate"), columns, rows)
    scrolled = wording.scroller(table, "Table of certificates")
    if len(proved) <= _LISTED_OPENLY:
        return scrolled
    return element("details", element("summary", f"All {len(proved):,} certificates"), scrolled)


def _proves(what: set[tuple[str, Pair]]) -> Markup:
    pairs = {pair for _, pair in what}
    several = wording.plural(len(pairs), "pair")
    of = wording.pair(next(iter(pairs))) if len(pairs) == 1 else several
    return joined(", ".join(sorted({quantity for quantity, _ in what})), " of ", of)


def _size(facts: Facts, sha256: str) -> str:
    text = facts.audit.certificates.get(sha256)
    return "–" if text is None else f"{len(text.encode('utf-8')):,} bytes"
