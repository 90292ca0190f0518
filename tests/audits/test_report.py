"""The HTML report as text: what it says, that it is whole, and that what a model says stays text."""

from __future__ import annotations

import base64
import hashlib
import re
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist.audits.findings import Audit, summary
from bdist.audits.report.attack import likely_places, passage, trace_prefixes
from bdist.audits.report.document import _ranks, report_html, write_report
from bdist.audits.report.wording import Facts
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Skew
from bdist.errors import InternalError, ParameterError
from bdist.exact.rationals import ZERO, decimal_down, to_fmpq
from bdist.results import Answer, Bound, Bracket, Evidence
from bdist.traces.attack import Attack, event_probability
from bdist.traces.automaton import Automaton
from bdist.traces.page import ticks
from tests.browser.examples import (
    LONG,
    QUOTES,
    SCRIPT,
    SPELLED_OUT,
    audit_of,
    hostile_chain,
    page_of,
    profile_of,
    two_diners,
    undecided,
)
from tests.oracles.strategies import chains

ALLOWED_TAGS = {
    *("html", "head", "meta", "link", "title", "style", "body", "script", "header", "main", "footer", "nav"),
    *("section", "h1", "h2", "h3", "p", "div", "span", "strong", "sup", "bdi", "code", "pre", "a", "br"),
    *("ul", "ol", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "button", "label", "input"),
    *("output", "figure", "figcaption", "details", "summary", "time"),
    *("svg", "desc", "g", "rect", "path", "text", "line", "circle", "polygon", "polyline"),
}
ADDRESSES = {"href", "src", "action", "data", "poster", "srcset", "xlink:href", "formaction"}


class Page(HTMLParser):
    """The tags, the attributes, the ids and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.raw: dict[str, str] = {}
        self.headings: list[str] = []
        self._inside = ""
        self._words: list[str] = []
        self.feed(html)
        self.close()

    @property
    def text(self) -> str:
        return " ".join("".join(self._words).split())

    @property
    def ids(self) -> list[str]:
        return [value for _, name, value in self.attributes if name == "id"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._inside = tag
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""
        if tag in ("td", "th", "p", "li", "h1", "h2", "h3", "caption", "summary", "div"):
            self._words.append(" ")

    def handle_data(self, data: str) -> None:
        if self._inside in ("style", "script"):
            self.raw[self._inside] = data
        else:
            self._words.append(data)


@cache
def violated() -> tuple[LabelledMarkovChain, Audit]:
    chain = two_diners()
    return chain, audit_of(chain, [("s0", "s1")], Skew.of("1.0002", None), Fraction(1, 10000))


@cache
def hostile() -> tuple[LabelledMarkovChain, Audit]:
    chain = hostile_chain()
    return chain, audit_of(chain, [(SCRIPT, QUOTES)], Skew.of(None, "0.7"), Fraction(1, 10))


def test_a_violation_says_which_event_breaks_what() -> None:
    chain, audit = violated()
    page = Page(page_of(chain, audit, profile_of(chain, ("s0", "s1"))))
    for words in [
        "Verdict: VIOLATED",
        "with ε = ln(5001/5000) and δ = 1/10000 = 0.0001 is violated by the one pair of neighbours.",
        "privacy is proved between all pairs for δ = 7501/25000000 = 0.00030004, and it holds for no smaller",
        "The worst pair is s0 and s1, with a true δ of 7501/25000000 = 0.00030004 exactly",
        "19 states, 25 transitions, 4 labels",
        "2026-02-03 04:05:06 UTC by bdist",
        "p, the probability from s0 2501/5000 = 0.5002",
        "q, the probability from s1 2499/5000 = 0.4998",
        "more than δ: privacy is violated",
        "1 differ 2501/5000 = 0.5002 2499/5000 = 0.4998 p0.HH.0.differ, p0.TT.0.differ p1.HT.0.differ, ",
        "bdist attack --alpha 5001/5000 two.lmc s0 s1",
        "So is every lower end.",
    ]:
        assert words in page.text, words
    assert audit.model in page.text
    for sha256 in audit.certificates:
        assert sha256 in page.text
        assert f"certificate-{sha256[:12]}" in page.ids


def test_privacy_that_holds_says_for_which_delta_it_does() -> None:
    chain, audit = violated()
    holding = replace(
        audit,
        delta=Fraction(1, 1000),
        answer=Answer.HOLDS,
        findings=tuple(replace(finding, answer=Answer.HOLDS) for finding in audit.findings),
    )
    text = Page(page_of(chain, holding)).text
    assert "Verdict: HOLDS" in text
    assert "holds between the two states of the one pair of neighbours." in text
    assert "proved between all pairs even for δ = 7501/25000000 = 0.00030004, and" in text
    assert "not more than δ" in text
    assert "privacy is violated" not in text


def test_what_is_not_known_is_not_claimed() -> None:
    chain, audit = hostile()
    finding = undecided(audit.findings[0])
    unknown = replace(audit, answer=Answer.UNKNOWN, findings=(finding,), limit="interrupted")
    text = Page(page_of(chain, unknown)).text
    assert "Verdict: UNKNOWN" in text
    assert "is not decided for the one pair of neighbours, and violated by none." in text
    assert "with a true δ between 0 and 0.5." in text
    assert "between all pairs for δ = 0.5, the largest upper end in the table of pairs." in text
    assert "The audit ended early: interrupted." in text
    assert "time limit of 2 s reached" in text
    assert "No event was found" in text
    hopeless = replace(finding, delta=replace(finding.delta, upper=Bound(Fraction(1), Evidence.CERTIFIED)))
    text = Page(page_of(chain, replace(unknown, findings=(hopeless,)))).text
    assert "no δ below 1 is proved" in text


def test_bounds_are_rounded_outwards_and_lower_ends_at_another_alpha_are_not_called_certified() -> None:
    chain, audit = hostile()
    bracket = Bracket(Bound(Fraction(1, 3), Evidence.EXACT), Bound(Fraction(2, 3), Evidence.CERTIFIED))
    finding = replace(audit.findings[0], delta=bracket)
    text = Page(page_of(chain, replace(audit, findings=(finding,)))).text
    assert "≥ 0.333333 ≤ 0.666667" in text
    assert "between 0.333333 and 0.666667." in text
    assert "is not part of a certificate" in text
    assert "just below eε" in text


def test_the_page_is_whole_and_its_policy_allows_nothing_else() -> None:
    chain, audit = violated()
    page = Page(page_of(chain, audit, profile_of(chain, ("s0", "s1"))))
    policy = next(value for tag, name, value in page.attributes if (tag, name) == ("meta", "content"))
    hashes = {
        tag: base64.b64encode(hashlib.sha256(page.raw[tag].encode()).digest()).decode() for tag in page.raw
    }
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes['style']}'; script-src 'sha256-{hashes['script']}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    addresses = [value for _, name, value in page.attributes if name in ADDRESSES]
    assert {address[0] for address in addresses} == {"#", "d"}
    assert [address for address in addresses if address[0] == "d"] == ["data:,"]
    assert {address[1:] for address in addresses if address[0] == "#"} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert "url(" not in page.raw["style"]
    assert "@import" not in page.raw["style"]
    assert not any(name == "style" for _, name, _ in page.attributes)


def test_headings_are_in_order_and_tables_have_captions_and_heads() -> None:
    chain, audit = violated()
    html = page_of(chain, audit, profile_of(chain, ("s0", "s1")))
    page = Page(html)
    assert page.headings[0] == "h1"
    assert page.headings.count("h1") == 1
    assert all(int(after[1]) <= int(before[1]) + 1 for before, after in pairwise(page.headings))
    assert html.count("<table") == html.count("<caption") > 5
    scopes = [value for tag, name, value in page.attributes if tag == "th" and name == "scope"]
    assert len(scopes) == html.count("<th ")
    assert html.count("<th>") == 0
    assert ("html", "lang", "en") in page.attributes
    images = [value for tag, name, value in page.attributes if tag == "svg" and name == "role"]
    assert images == ["img"] * 4  # delta, trade-off, test, chain


def test_hostile_names_stay_text() -> None:
    chain, audit = hostile()
    html = page_of(chain, audit, profile_of(chain, (SCRIPT, QUOTES)), command=f"bdist audit '{SCRIPT}'")
    page = Page(html)
    assert page.tags <= ALLOWED_TAGS
    assert not any(name.startswith("on") for _, name, _ in page.attributes)
    assert html.count("<script") == 1
    for name in (SCRIPT, QUOTES, SPELLED_OUT):
        assert name in page.text
    assert "\u202e" not in html
    assert LONG not in html  # shortened everywhere
    assert f"</title>{SCRIPT}" in page.text
    assert page.text.count("alert(2)") <= html.count("&lt;img")


def test_the_report_belongs_to_its_chain(tmp_path: Path) -> None:
    chain, audit = violated()
    with pytest.raises(ParameterError, match="the audit is of the model ef0e4ba51c90"):
        page_of(hostile_chain(), audit)
    finding = audit.findings[0]
    assert finding.attack is not None
    lie = replace(finding, attack=replace(finding.attack, first=Fraction(1, 2)))
    with pytest.raises(InternalError, match="does not have the probabilities it claims"):
        page_of(chain, replace(audit, findings=(lie,)))
    for path in (tmp_path / "none" / "out.html", tmp_path / "out.html"):
        with pytest.raises(ParameterError, match="cannot write") if "none" in path.parts else nullcontext():
            write_report(
                path, audit, chain, model_file="two.lmc", relation_text="s0:s1", command="bdist audit two.lmc"
            )
    page = Page((tmp_path / "out.html").read_text(encoding="utf-8"))
    assert f"{datetime.now(UTC):%Y-%m-%d}" in page.text
    assert "The certificates of this run were not saved" in page.text


def test_a_model_in_another_format_is_checked_through_its_copy() -> None:
    chain, audit = violated()
    made = datetime(2026, 1, 1, tzinfo=UTC)
    facts = Facts(audit, chain, "it's two.tra", "s0:s1", "bdist audit", None, "out dir/", made)
    text = Page(report_html(facts)).text
    assert "bdist show 'out dir/model.lmc' bdist show 'it'\"'\"'s two.tra'" in text
    assert (
        f"bdist check 'out dir/model.lmc' 'out dir/{audit.findings[0].proofs[-1].certificate}.json'" in text
    )


# --- parts ---


@settings(max_examples=40)
@given(chains(max_states=4, max_labels=2), st.integers(1, 3))
def test_traces_agree_with_the_probability_of_the_event(chain: LabelledMarkovChain, length: int) -> None:
    pair = (chain.states[0], chain.states[-1])
    labels = sorted(set(chain.labels))
    words = tuple((chain.labels[0], *rest) for rest in product(labels, repeat=length))[::2]
    test = Automaton.of_prefixes(words)
    attack = None if test is None else Attack.of(chain, pair, test)
    assert attack is not None
    traced = trace_prefixes(chain, attack, Fraction(3, 2))
    assert (sum(p.first for p in traced), sum(p.second for p in traced)) == (attack.first, attack.second)
    gains = [prefix.advantage(Fraction(3, 2)) for prefix in traced]
    assert gains == sorted(gains, reverse=True)
    for prefix in traced:
        assert prefix.first == event_probability(chain, pair[0], [prefix.prefix])
        ways = [likely_places(chain, state, prefix.prefix) for state in pair]
        assert [len(way) for way in ways] == [len(prefix.prefix)] * 2
        assert [sum(way[-1].values(), ZERO) for way in ways] == [
            to_fmpq(prefix.first),
            to_fmpq(prefix.second),
        ]
        states, transitions = passage(chain, pair[0], [prefix.prefix])
        assert states == {i for vector in ways[0] for i in vector}
        assert all(j in {k for k, _ in chain.rows[i]} for i, j in transitions)


@settings(max_examples=50)
@given(st.lists(st.fractions(), max_size=12))
def test_ranks_are_the_exact_order(values: list[Fraction]) -> None:
    ranks = _ranks(values)
    for (a, x), (b, y) in product(zip(values, ranks, strict=True), repeat=2):
        assert (a < b) == (x < y)


def test_ranks_tell_apart_what_floats_cannot() -> None:
    tiny = Fraction(1, 10**40)
    assert _ranks([Fraction(1), Fraction(1) + tiny, Fraction(1) - tiny]) == [1, 2, 0]


@settings(max_examples=50)
@given(
    st.fractions(min_value=0, max_value=10),
    st.fractions(min_value=Fraction(1, 10**9), max_value=100),
    st.integers(2, 9),
)
def test_ticks_are_round_and_within_the_axis(low: Fraction, length: Fraction, most: int) -> None:
    found = ticks(low, low + length, most)
    assert len(found) <= most
    assert all(low <= tick <= low + length for tick in found)
    assert all(Fraction(decimal_down(tick)) == tick for tick in found)
    steps = {after - before for before, after in pairwise(found)}
    assert len(steps) <= 1


def test_many_pairs_are_no_trouble() -> None:
    chain, audit = violated()
    finding = audit.findings[0]
    others = [replace(finding, pair=(f"s{k}", f"t{k}"), seconds=k / 7) for k in range(1000)]
    html = page_of(chain, replace(audit, findings=(finding, *others)))
    assert len(re.findall(r'<th scope="row" data-k="[0-9]+" data-label="Pair" class="pair">', html)) == 1001
    assert len(html) < 1001 * 2000


def test_a_violation_that_no_test_shows_does_not_promise_one() -> None:
    chain, audit = violated()
    finding = audit.findings[0]
    assert finding.attack is not None
    assert "The event is shown below, with its exact probabilities." in Page(page_of(chain, audit)).text
    more = Bound(finding.delta.lower.value + Fraction(1, 10**6), Evidence.CERTIFIED)
    better = replace(finding, delta=replace(finding.delta, lower=more, upper=more))
    text = Page(page_of(chain, replace(audit, findings=(better,)))).text
    assert "by a certificate, which is more than this test gains" in text
    text = Page(page_of(chain, replace(audit, findings=(replace(finding, attack=None),)))).text
    assert "is shown below" not in text
    assert "No event was found" not in text
    assert "That there is one is proved by a certificate; no test was found that shows it." in text


def test_states_that_are_told_apart_with_certainty_are_said_to_be() -> None:
    chain = LabelledMarkovChain.from_rows(
        {"s": ("a", {"u": 1}), "t": ("a", {"v": 1}), "u": ("b", {"u": 1}), "v": ("c", {"v": 1})}
    )
    audit = audit_of(chain, [("s", "t")], Skew.of("2", None), Fraction(0))
    text = Page(page_of(chain, audit)).text
    assert "With this ε privacy holds for no δ below 1: s and t are told apart with certainty." in text
    assert "no δ below 1 is proved" not in text


def test_a_delta_that_was_rounded_up_is_not_called_the_least() -> None:
    """1/7 to the power of 30 is no decimal of twelve digits, and what is rounded up from it is not least."""
    _, audit = violated()
    finding, least = audit.findings[0], 1 - Fraction(1, 7**30)
    ends = Bound(least, Evidence.CERTIFIED)
    text = summary(replace(audit, findings=(replace(finding, delta=Bracket(ends, ends)),)))
    (line,) = [line for line in text.splitlines() if line.startswith("  holds ")]
    assert line.startswith("  holds     at this epsilon for delta = 1, rounded up from the least, 0.99999")
    assert "and for no smaller one" not in line
