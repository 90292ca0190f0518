"""The report as a reader meets it: opened from a file, sorted, filtered, in the dark, narrow, and printed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bdist.chains.drawings.diagram import DrawnChain, subject_of
from bdist.chains.drawings.pictures import svg_file
from bdist.distances.compute import Skew
from tests.browser.examples import (
    QUOTES,
    SCRIPT,
    SPELLED_OUT,
    audit_of,
    hostile_chain,
    page_of,
    profile_of,
    three_diners,
    two_diners,
    undecided,
)

if TYPE_CHECKING:
    from tests.browser.conftest import Browser

pytestmark = pytest.mark.xdist_group("browser")

_CONTRASTS = """(() => {
  const parsed = (text) => text.match(/[0-9.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = parsed(color).map((x) => x / 255)
      .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const box = at.parentElement && at.matches(".state text") && at.parentElement.querySelector("rect");
      if (box) return getComputedStyle(box).fill;
      const color = getComputedStyle(at).backgroundColor;
      if (parsed(color)[3] !== 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const worst = [21, ""];
  for (const node of document.querySelectorAll("body *")) {
    const own = Array.from(node.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !node.getClientRects().length || node.matches("script, title, desc")) continue;
    const style = getComputedStyle(node);
    const ink = node.namespaceURI.endsWith("svg") ? style.fill : style.color;
    const pair = [light(ink), light(behind(node))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < worst[0]) { worst[0] = ratio; worst[1] = `${node.nodeName} ${node.textContent}`; }
  }
  return worst;
})()"""


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pairs of cryptographers; one of them was cut short."""
    chain = three_diners()
    pairs = [("s0", "s1"), ("s1", "s2"), ("s0", "s2")]
    audit = audit_of(chain, pairs, Skew.of(None, "0.0002"), Fraction(3, 10000))
    findings = (*audit.findings[:2], undecided(audit.findings[2]))
    path = tmp_path_factory.mktemp("three") / "report.html"
    profile = profile_of(chain, ("s0", "s1"))
    path.write_text(page_of(chain, replace(audit, findings=findings), profile), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chain = hostile_chain()
    audit = audit_of(chain, [(SCRIPT, QUOTES)], Skew.of("2", None), Fraction(1, 100))
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    profile = profile_of(chain, (SCRIPT, QUOTES))
    path.write_text(page_of(chain, audit, profile, f"bdist audit '{SCRIPT}'"), encoding="utf-8")
    return path


def column(browser: Browser, number: int) -> list[str]:
    rows = "Array.from(document.querySelectorAll('#pairs-table tbody tr'))"
    return list(browser.ask(f"{rows}.map(row => row.cells[arguments[0]].innerText)", number))


def sorting(browser: Browser) -> dict[int, str]:
    """The columns that are marked as sorted."""
    heads = "Array.from(document.querySelectorAll('#pairs-table thead th'))"
    marks = browser.ask(f"{heads}.map(head => head.getAttribute('aria-sort'))")
    return {k: mark for k, mark in enumerate(marks) if mark}


def test_it_opens_alone_and_without_complaint(browser: Browser, three: Path) -> None:
    browser.open(three)
    assert browser.driver.title == "Privacy audit of \u20683-diners-merged\u2069: VIOLATED"
    assert browser.complaints() == []
    assert set(browser.requests()) <= {three.as_uri(), "data:,"}
    assert browser.ask("document.querySelectorAll('svg[role=img]').length") == 4
    assert browser.ask("document.querySelector('.verdict h2').innerText") == "✗ Verdict: VIOLATED"


def test_a_click_on_a_heading_sorts(browser: Browser, three: Path) -> None:
    browser.open(three)
    assert column(browser, 1) == ["s0 ↔ s1", "s1 ↔ s2", "s0 ↔ s2"]
    assert sorting(browser) == {0: "ascending"}
    buttons = browser.driver.find_elements("css selector", "#pairs-table thead button")
    assert [button.text for button in buttons][:3] == ["#", "Pair", "Verdict"]
    buttons[1].click()
    assert column(browser, 1) == ["s0 ↔ s1", "s0 ↔ s2", "s1 ↔ s2"]
    assert sorting(browser) == {1: "ascending"}
    buttons[1].click()
    assert column(browser, 1) == ["s1 ↔ s2", "s0 ↔ s2", "s0 ↔ s1"]
    assert sorting(browser) == {1: "descending"}
    buttons[5].click()  # bd; equal values stay in the order that they had
    assert [text.split()[-1] for text in column(browser, 5)] == ["0.0004", "0.000792", "0.000792"]
    assert column(browser, 1) == ["s1 ↔ s2", "s0 ↔ s2", "s0 ↔ s1"]
    assert browser.ask("document.getElementById('shown').textContent") == "3 pairs, by bd, rising"
    assert browser.complaints() == []


@pytest.mark.parametrize("key", ["\ue007", " "])  # enter, space
def test_the_keyboard_sorts_as_well(browser: Browser, three: Path, key: str) -> None:
    browser.open(three)
    browser.driver.find_element("id", "filter").click()
    for _ in range(4):  # over the scrolled frame to the third heading
        browser.driver.switch_to.active_element.send_keys("\t" if key == " " else "\ue004")
    focused = browser.driver.switch_to.active_element
    assert focused.text == "Verdict"
    assert browser.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    focused.send_keys(key)
    assert sorting(browser) == {2: "ascending"}
    assert [text.split()[1] for text in column(browser, 2)] == ["VIOLATED", "VIOLATED", "UNKNOWN"]
    focused.send_keys(key)
    assert [text.split()[1] for text in column(browser, 2)] == ["UNKNOWN", "VIOLATED", "VIOLATED"]


def test_pairs_can_be_filtered(browser: Browser, three: Path) -> None:
    browser.open(three)
    field = browser.driver.find_element("id", "filter")
    field.send_keys("S0 ")
    visible = "Array.from(document.querySelectorAll('#pairs-table tbody tr')).filter(r => !r.hidden).length"
    assert browser.ask(visible) == 2
    assert browser.ask("document.getElementById('shown').textContent") == "2 of 3 pairs"
    field.clear()
    field.send_keys("nowhere")
    assert browser.ask(visible) == 0


def test_of_many_pairs_the_worst_are_shown_and_all_on_request(browser: Browser, tmp_path: Path) -> None:
    chain = two_diners()
    audit = audit_of(chain, [("s0", "s1")], Skew.of("1.0002", None), Fraction(0))
    others = [replace(audit.findings[0], pair=("s0", f"t{k}"), seconds=float(k)) for k in range(1, 600)]
    path = tmp_path / "many.html"
    many = replace(audit, findings=(audit.findings[0], *others))
    path.write_text(page_of(chain, many), encoding="utf-8")
    browser.open(path)
    visible = "Array.from(document.querySelectorAll('#pairs-table tbody tr')).filter(r => !r.hidden)"
    last = f"{visible}.at(-1).cells[0].innerText"
    said = "document.getElementById('shown').textContent"
    assert (browser.ask(f"{visible}.length"), browser.ask(last)) == (500, "500")
    assert browser.ask(said) == "500 of 600 pairs"
    browser.driver.find_elements("css selector", "#pairs-table thead button")[0].click()
    assert (browser.ask(f"{visible}.length"), browser.ask(last)) == (500, "101")  # the others, from the end
    browser.driver.find_element("id", "more").click()
    assert (browser.ask(f"{visible}.length"), browser.ask(last)) == (600, "1")
    assert browser.ask(said) == "600 pairs, by #, falling"
    assert not browser.driver.find_element("id", "more").is_displayed()


def test_a_link_to_a_certificate_leads_to_its_hash(browser: Browser, three: Path) -> None:
    browser.open(three)
    link = browser.driver.find_element("css selector", "#pairs-table tbody a")
    sha256 = link.get_attribute("title")
    link.click()
    assert browser.ask("document.querySelector(':target').innerText").startswith(sha256)


def test_hostile_names_are_shown_and_not_run(browser: Browser, hostile: Path) -> None:
    browser.open(hostile)
    assert browser.ask("window.alerts") == []
    assert browser.complaints() == []
    assert browser.ask("document.scripts.length") == 1
    assert browser.ask("document.images.length") == 0
    heading = browser.ask("document.querySelector('#pairs-table tbody th').innerText")
    assert heading == f"{SCRIPT} ↔ {QUOTES}"
    assert browser.ask("document.querySelector('h1').innerText") == f"</title>{SCRIPT}"
    names = browser.ask("Array.from(document.querySelectorAll('bdi.name')).map(n => n.textContent)")
    assert SPELLED_OUT in names
    drawn = browser.ask("Array.from(document.querySelectorAll('.drawing text.name')).map(n => n.textContent)")
    assert {QUOTES, SPELLED_OUT} <= set(drawn)


def test_what_is_not_ours_is_not_run(browser: Browser, hostile: Path, tmp_path: Path) -> None:
    """The policy holds even if something were not escaped."""
    broken = tmp_path / "broken.html"
    html = hostile.read_text(encoding="utf-8")
    broken.write_text(
        html.replace("</main>", f"{SCRIPT}<img src=x onerror=alert(2)></main>"), encoding="utf-8"
    )
    browser.open(broken)
    assert browser.ask("window.alerts") == []
    assert any("Content Security Policy" in message for message in browser.complaints())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_the_light_and_in_the_dark(browser: Browser, three: Path, scheme: str) -> None:
    browser.emulate(scheme=scheme)
    browser.open(three)
    background = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 28)"}[scheme]
    browser.driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true;")
    ratio, where = browser.ask(_CONTRASTS)
    assert ratio >= 4.5, f"{where}: {ratio}"


def test_paper_is_white_and_has_no_buttons(browser: Browser, three: Path) -> None:
    browser.emulate(media="print", scheme="dark")
    browser.open(three)
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for selector in ("nav", ".filter"):
        assert browser.ask(f"getComputedStyle(document.querySelector('{selector}')).display") == "none"
    head = "#pairs-table thead button"
    assert browser.ask(f"getComputedStyle(document.querySelector('{head}'), '::after').content") == "none"
    assert browser.ask(f"document.querySelector('{head}').innerText") == "#"  # what it says stays
    assert browser.ask("getComputedStyle(document.querySelector('thead')).display") == "table-header-group"
    assert browser.ask("document.querySelectorAll('details:not([open])').length") > 0
    browser.driver.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.ask("document.querySelectorAll('details:not([open])').length") == 0
    browser.driver.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert browser.ask("document.querySelectorAll('details:not([open])').length") > 0


@pytest.mark.parametrize("width", [1200, 800, 400])
def test_no_width_cuts_the_table_of_pairs_or_the_page(browser: Browser, three: Path, width: int) -> None:
    browser.resize(width)
    browser.open(three)
    assert browser.ask("document.documentElement.scrollWidth <= innerWidth")
    table = browser.ask(
        "(() => { const s = document.querySelector('#pairs-table').parentElement; "
        "return [s.scrollWidth > s.clientWidth, s.tabIndex, s.getAttribute('role')]; })()"
    )
    assert table == [False, 0, "region"]
    assert browser.ask("getComputedStyle(document.querySelector('.pairs tbody tr')).display") == (
        "table-row" if width == 1200 else "grid"
    )


def test_wide_tables_scroll_and_names_of_any_kind_stay_on_a_narrow_page(
    browser: Browser, hostile: Path
) -> None:
    browser.resize(400)
    browser.open(hostile)
    assert browser.ask("document.documentElement.scrollWidth <= innerWidth")


def test_what_was_asked_is_marked(browser: Browser, three: Path) -> None:
    browser.open(three)
    notes = "Array.from(document.querySelectorAll('svg .note'), n => n.textContent)"
    assert "asked for: ε = 0.0002, δ = 0.0003" in browser.ask(notes)
    assert browser.ask("document.querySelectorAll('line.asked.slope, circle.asked').length") == 2


def test_a_drawing_of_its_own_turns_dark(browser: Browser, tmp_path: Path) -> None:
    subject = subject_of(hostile_chain())
    assert isinstance(subject, DrawnChain)
    path = tmp_path / "chain.svg"
    path.write_text(svg_file(subject, title=SCRIPT), encoding="utf-8")
    papers = []
    for scheme in ("light", "dark"):
        browser.emulate(scheme=scheme)
        browser.open(path)
        papers.append(browser.ask("getComputedStyle(document.querySelector('rect.paper')).fill"))
        assert browser.complaints() == []
    assert papers == ["rgb(255, 255, 255)", "rgb(20, 24, 28)"]
    widths = browser.ask(
        "Array.from(document.querySelectorAll('.state')).map(g => [g.querySelector('rect').getBBox().width, "
        "...Array.from(g.querySelectorAll('text')).map(t => t.getBBox().width)])"
    )
    assert all(width < box - 6 for box, *texts in widths for width in texts)  # no text leaves its box
