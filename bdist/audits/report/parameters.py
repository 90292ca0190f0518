"""The parameters of an audit: what was asked, of what, when and by which program."""

from __future__ import annotations

from bdist.audits.report import wording
from bdist.audits.report.facts import Facts
from bdist.chains.drawings.markup import Content, Markup, element, joined


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
        ("ε", wording.name(facts.epsilon)),
        (wording.prose("α = e^ε"), _alphas(facts)),
        ("δ", wording.exact(audit.delta, 12)),
        ("Neighbours", wording.name(facts.relation, 200)),
        ("Pairs", f"{len(audit.findings):,}"),
        ("Time taken", f"{audit.seconds:,.1f} s"),
        ("Made", joined(moment, f" by bdist {facts.version}")),
        ("Command", element("code", wording.name(facts.command, 1000), class_="command")),
    ]
    return element(
        "section",
        element("h2", "Parameters", id="parameters"),
        element(
            "table",
            element("caption", "What was asked", class_="quiet"),
            element(
                "tbody",
                [
                    element("tr", element("th", what, scope="row"), element("td", value))
                    for what, value in rows
                ],
            ),
            class_="facts",
        ),
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
