"""The report as one HTML document.

Everything is in the file: the style sheet, the script that sorts the table, the figures as SVG. A policy in
its head forbids everything else, so that a browser would refuse to load from elsewhere, or to run, what a
hostile name might ask for, even if it were not escaped; the script and the style sheet are allowed by their
hashes. Without scripts, and on paper, nothing but the sorting is lost.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from bdist.audits.findings import Audit
from bdist.audits.report import wording
from bdist.audits.report.attack import PREFIXES_TRACED, attack_section, traced_prefixes
from bdist.audits.report.figures import chain_section, profile_section
from bdist.audits.report.recheck import recheck_section
from bdist.audits.report.verdict import pairs_section, parameters_section, verdict_section
from bdist.audits.report.wording import Facts
from bdist.budget import Budget
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.drawings.markup import Markup, element, isolated, joined, raw_element
from bdist.chains.drawings.pictures import style_sheet
from bdist.errors import ParameterError
from bdist.printing import shortened
from bdist.text.writing import write_text
from bdist.traces.compute import ProfileSettings, compute_profile
from bdist.traces.figures import style_sheet as figure_style_sheet
from bdist.traces.profile import Profile

PROFILE_SECONDS = 10.0  # are spent on the profile of the worst pair
_COMPLETE = "This file is complete: it loads nothing from elsewhere."


def write_report(
    path: str | Path,
    audit: Audit,
    chain: LabelledMarkovChain,
    *,
    model_file: str,
    relation_text: str,
    command: str,
    profile: Profile | None = None,
    certificates: str | None = None,
) -> None:
    """Write the report of an audit into a file; `Facts` says what the arguments are.

    Raises: as `report_html` and `bdist.text.writing.write_text`.
    """
    made = datetime.now(UTC)
    facts = Facts(audit, chain, model_file, relation_text, command, profile, certificates, made)
    write_text(path, report_html(facts))


def profile_of_worst(audit: Audit, chain: LabelledMarkovChain, budget: Budget) -> Profile | None:
    """The privacy profile of the worst pair, as far as it is proved within the budget."""
    if not audit.findings:
        return None
    profile = compute_profile(chain, audit.findings[0].pair, ProfileSettings(budget=budget))
    return profile if audit.runs == 1 else profile.self_compose(audit.runs)


def report_html(facts: Facts) -> str:
    """The report of an audit, as the text of an HTML file.

    Raises: ParameterError where the audit is of another chain; InternalError where an attack does not have
    the probabilities that it claims.
    """
    if fingerprint(facts.chain) != facts.audit.model:
        raise ParameterError(f"the audit is of the model {facts.audit.model[:12]}..., the chain is another")
    return f"<!DOCTYPE html>\n{_page(facts)}\n"


def _page(facts: Facts) -> Markup:
    style = figure_style_sheet() + style_sheet() + _resource("report.css")
    script = _resource("report.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    verdict = facts.audit.answer.value.upper()
    title = f"Privacy audit of {isolated(shortened(facts.title, 60))}: {verdict}"
    return element(
        "html",
        "\n",
        element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("meta", name="generator", content=f"bdist {version('bdist')}"),
            element("link", rel="icon", href="data:,"),
            element("title", title),
            raw_element("style", style),
        ),
        "\n",
        element("body", _body(facts), raw_element("script", script)),
        lang="en",
    )


def _body(facts: Facts) -> Markup:
    prefixes = traced_prefixes(facts)
    sections = {
        ("verdict", "Verdict"): verdict_section(facts),
        ("parameters", "Parameters"): parameters_section(facts),
        ("pairs", "Pairs"): pairs_section(facts),
        ("profile", "Privacy profile"): profile_section(facts),
        ("attack", "Attack"): attack_section(facts, prefixes),
        ("chain", "Chain"): chain_section(facts, [x.prefix for x in prefixes[:PREFIXES_TRACED]]),
        ("recheck", "How to check this"): recheck_section(facts),
    }
    there = {head: section for head, section in sections.items() if section is not None}
    links = [element("li", element("a", text, href=f"#{anchor}")) for anchor, text in there]
    return joined(
        "\n",
        element(
            "header",
            element("p", "Privacy audit", class_="kicker"),
            element("h1", wording.name(facts.title, 80)),
            element("nav", element("ul", links), aria_label="Contents"),
        ),
        "\n",
        element("main", [joined(section, "\n") for section in there.values()]),
        element("footer", element("p", f"Made by bdist {version('bdist')}. {_COMPLETE}")),
        "\n",
    )


def _resource(name: str) -> str:
    return files("bdist.audits.report").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
