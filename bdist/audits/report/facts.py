"""What a report is about: the audit, the chain, the circumstances of the run, and their section.

The parts of a report all read from here, so that the answer to "which pair is the worst" or "what is epsilon
called" is given once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from math import log

from bdist.audits.findings import Audit, Finding
from bdist.audits.report import wording
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.markup import Content, Markup, element, joined
from bdist.traces.profile import Profile


@dataclass(frozen=True)
class Facts:
    """An audit with what surrounds it.

    ``certificates`` is the folder in which the certificates of the audit were saved, if they were;
    ``profile`` belongs to the worst pair.
    """

    audit: Audit
    chain: LabelledMarkovChain
    model_file: str
    relation: str
    command: str
    profile: Profile | None
    certificates: str | None
    made: datetime
    version: str

    @cached_property
    def worst(self) -> Finding | None:
        """The finding that comes first, if there is any."""
        return self.audit.findings[0] if self.audit.findings else None

    @cached_property
    def attacked(self) -> Finding | None:
        """The worst finding; where that has no attack, the one with the largest lower end that has."""
        worst = self.worst
        if worst is None or worst.attack is not None:
            return worst
        with_attack = [finding for finding in self.audit.findings if finding.attack is not None]
        return max(with_attack, key=lambda finding: finding.delta.lower.value, default=worst)

    @property
    def epsilon_approx(self) -> float:
        """Epsilon in floating point, for a place in a figure."""
        return log(self.audit.alpha)

    @property
    def alpha_is_exact(self) -> bool:
        """Whether alpha is e^epsilon, and not a rational just below."""
        return self.audit.alpha == self.audit.attack_alpha

    @property
    def title(self) -> str:
        """What the model is called: by its own name, or by the file's."""
        return self.audit.name or self.model_file


def parameters_section(facts: Facts) -> Markup:
    """A table of everything that went into the audit."""
    audit, chain = facts.audit, facts.chain
    sizes = [
        wording.plural(len(chain), "state"),
        wording.plural(sum(map(len, chain.rows)), "transition"),
        wording.plural(len(chain.states_by_label), "label"),
    ]
    moment = element("time", facts.made.strftime("%Y-%m-%d %H:%M:%S UTC"), datetime=facts.made.isoformat())
    rows: list[tuple[Content, Content]] = [
        ("Model file", wording.name(facts.model_file, 120)),
        ("Name of the chain", wording.name(audit.name, 120) if audit.name else "none"),
        ("Size", ", ".join(sizes)),
        (
            "Model hash",
            joined(element("code", audit.model, class_="hash"), " (SHA-256 of its canonical form)"),
        ),
        ("ε", wording.name(audit.epsilon_text)),
        (wording.prose("α = e^ε"), _alphas(facts)),
        ("δ", wording.exact(audit.delta, 12)),
        ("independent runs that an observer sees", str(audit.runs)),
        ("Neighbours", wording.name(facts.relation, 200)),
        ("Pairs", f"{len(audit.findings):,}"),
        ("Time taken", f"{audit.seconds:,.1f} s"),
        ("Made", joined(moment, f" by bdist {facts.version}")),
        ("Command", element("code", wording.name(facts.command, 1000), class_="command")),
    ]
    return element(
        "section",
        element("h2", "Parameters", id="parameters"),
        wording.facts_table(element("caption", "What was asked", class_="quiet"), rows),
        aria_labelledby="parameters",
    )


def _alphas(facts: Facts) -> Markup:
    audit = facts.audit
    if facts.alpha_is_exact:
        return joined(wording.fraction(audit.alpha), " exactly")
    return joined(
        element("div", "distances at ", wording.fraction(audit.alpha), wording.prose(", just below e^ε")),
        element("div", "attacks at ", wording.fraction(audit.attack_alpha), ", just above"),
    )
