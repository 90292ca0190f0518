"""The page of a profile as a reader meets it: slider and keys, a narrow screen, the dark, and no network.

Numbers on the page are held against the profile, exactly: bounds on their side, exact ones as fractions.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import bdist
from bdist.chains.chain import LabelledMarkovChain
from bdist.distances.compute import Skew
from bdist.traces.page import ShownProfile, page_html
from bdist.traces.profile import Order
from tests.browser.examples import QUOTES, ROOT, SCRIPT, hostile_chain
from tests.browser.test_report_in_chromium import _CONTRASTS

if TYPE_CHECKING:
    from tests.browser.conftest import Browser

pytestmark = pytest.mark.xdist_group("browser")

_RIGHT, _END, _HOME = "\ue014", "\ue010", "\ue011"


def lopsided() -> LabelledMarkovChain:
    return LabelledMarkovChain.from_rows(
        {
            "s": ("start", {"x": "1/2", "y": "1/2"}),
            "t": ("start", {"x": "9/10", "y": "1/10"}),
            "x": ("x", {"x": 1}),
            "y": ("y", {"y": 1}),
        }
    )


def written(path: Path, *exhibits: ShownProfile, asked: list[Skew] | None = None) -> Path:
    path.write_text(page_html(exhibits, title="true δ", asked=asked or []), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Opens at epsilon = ln 2."""
    profile = bdist.profile(lopsided(), "s", "t")
    path = tmp_path_factory.mktemp("exact") / "page.html"
    return written(path, ShownProfile("s and t", profile), asked=[Skew.of(None, "ln 2")])


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    eight = bdist.load(ROOT / "instances/random/eight-states.lmc")
    response = bdist.load(ROOT / "instances/randomised-response/one-question.lmc")
    return written(
        tmp_path_factory.mktemp("several") / "page.html",
        ShownProfile("s0 and s3", bdist.profile(eight, "s0", "s3", max_beliefs=12)),
        ShownProfile("yes and no", bdist.profile(response, "yes", "no").self_compose(3), 3),
    )


def text(browser: Browser, name: str) -> str:
    return str(browser.ask("document.getElementById(arguments[0]).textContent", name))


def move(browser: Browser, value: int | str, name: str = "epsilon") -> None:
    browser.driver.execute_script(
        "const node = document.getElementById(arguments[0]); node.value = arguments[1]; "
        "node.dispatchEvent(new Event('input'));",
        name,
        str(value),
    )


def positions(browser: Browser) -> int:
    return int(browser.ask("Number(document.getElementById('epsilon').max)")) + 1


def test_it_opens_alone_where_it_was_asked(browser: Browser, exact: Path) -> None:
    browser.open(exact)
    assert browser.complaints() == []
    assert set(browser.requests()) <= {exact.as_uri(), "data:,"}
    assert text(browser, "epsilon-text") == "ln 2"
    assert text(browser, "delta-text") == "δ = 3/10 = 0.3"
    assert text(browser, "privacy-text") == "(ln 2, 3/10)-differential privacy holds, and for no smaller δ."
    assert [text(browser, f"value-{order}") for order in ("forward", "backward")] == [
        "δ = 3/10 = 0.3",
        "δ = 0",
    ]
    assert text(browser, "attack-text").startswith("Say s when what was seen is more than")
    rates = [text(browser, f"{name}-text") for name in ("tp", "fn", "fp", "tn")]
    assert rates == ["1/2 = 0.5", "1/2 = 0.5", "1/10 = 0.1", "9/10 = 0.9"]


def test_the_slider_tells_the_truth_everywhere(browser: Browser, exact: Path) -> None:
    profile = bdist.profile(lopsided(), "s", "t")
    browser.open(exact)
    for place in range(0, positions(browser), 7):
        move(browser, place)
        epsilon = text(browser, "epsilon-text").split(" = ")[0]
        skew = Skew.of(None, epsilon.replace("(", " ").replace(")", ""))
        for order, name in ((Order.WORSE, "delta-text"), (Order.BACKWARD, "value-backward")):
            low, high = (
                profile.delta(alpha=alpha, order=order).upper.value
                for alpha in (skew.attack_alpha, skew.alpha)
            )
            said = text(browser, name).removeprefix("δ ")
            numbers = [Fraction(n) for n in re.findall(r"[0-9]+(?:\.[0-9]+)?(?:e-[0-9]+)?", said)]
            if said.startswith("between"):
                assert numbers[0] <= low <= high <= numbers[1]
            elif said.endswith("…"):
                assert numbers[-1] <= high < numbers[-1] + Fraction(1, 10**5)
            else:
                assert Fraction(said.removeprefix("= ").split(" = ")[0]) == high


def test_keys_and_chips_move_it(browser: Browser, exact: Path) -> None:
    browser.open(exact)
    slider = browser.driver.find_element("id", "epsilon")
    slider.send_keys(_HOME)
    assert text(browser, "epsilon-text") == "0"
    assert text(browser, "delta-text") == "δ = 2/5 = 0.4"
    slider.send_keys(_RIGHT)
    assert text(browser, "epsilon-text") != "0"
    slider.send_keys(_END)
    assert text(browser, "delta-text") == "δ = 0"
    assert "never says" in text(browser, "attack-text")
    assert text(browser, "after-first-text") == "it never says so"
    assert slider.get_attribute("aria-valuetext").endswith("delta = 0")
    chips = browser.driver.find_elements("css selector", "#chips button")
    assert [chip.text for chip in chips] == ["0", "ln(9/5)", "ln 2", "ln(5)"]
    chips[3].click()
    assert text(browser, "epsilon-text").startswith("ln(5) = 1.609437912")
    assert chips[3].get_attribute("aria-pressed") == "true"
    assert browser.complaints() == []


def test_an_order_can_be_chosen(browser: Browser, exact: Path) -> None:
    browser.open(exact)
    browser.driver.find_element("css selector", "input[value=backward]").click()
    move(browser, 0)
    assert text(browser, "delta-text") == "δ = 2/5 = 0.4"
    assert text(browser, "tp-text") == "9/10 = 0.9"
    assert text(browser, "attack-text").startswith("Say t when")
    shown = "Array.from(document.querySelectorAll('.tradeoff:not(.away)')).map(g => g.id)"
    assert browser.ask(shown) == ["tradeoff-0-backward"]
    ordered = "Array.from(document.querySelectorAll('.ordered:not(.away)')).map(g => g.id)"
    assert browser.ask(ordered) == ["ordered-0-backward"]


def test_beliefs_follow_the_prior_exactly(browser: Browser, exact: Path) -> None:
    """p = 1/2 and q = 1/10: from one half to 5/6 after a yes, and to 5/14 after a no."""
    browser.open(exact)
    assert text(browser, "prior-text") == "50\u202f%"
    assert text(browser, "after-first-text") == "83.33…\u202f%"
    assert text(browser, "after-second-text") == "35.71…\u202f%"
    assert "between 33.33\u202f% and 66.67\u202f%" in text(browser, "pure-text")
    move(browser, 10, "prior")
    assert text(browser, "after-first-text") == "35.71…\u202f%"
    browser.driver.find_element("id", "prior").send_keys(_RIGHT)
    assert text(browser, "prior-text") == "11\u202f%"


def test_an_open_profile_shows_both_sides(browser: Browser, several: Path) -> None:
    browser.open(several)
    said = []
    for place in range(0, positions(browser), 11):
        move(browser, place)
        said.append(text(browser, "delta-text"))
    assert any(line.startswith("δ between ") for line in said)
    move(browser, 20)
    assert text(browser, "tp-text").startswith(("≥ ", "1"))
    assert text(browser, "after-first-text").startswith(("at least", "it never"))
    assert browser.ask("document.querySelectorAll('#delta-figure .line-0 .region').length") == 1


def test_pairs_can_be_changed(browser: Browser, several: Path) -> None:
    browser.open(several)
    browser.driver.execute_script(
        "const s = document.getElementById('pair'); s.value = '1'; s.dispatchEvent(new Event('change'));"
    )
    move(browser, 0)
    assert text(browser, "order-forward") == "yes over no"
    assert text(browser, "delta-text") == "δ = 11/16 = 0.6875"
    assert browser.ask("document.querySelectorAll('g.line.chosen').length") == 1
    assert browser.complaints() == []


def test_a_click_on_the_figure_moves_the_slider(browser: Browser, exact: Path) -> None:
    from selenium.webdriver import ActionChains

    browser.open(exact)
    figure = browser.driver.find_element("id", "delta-figure")
    browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", figure)
    before = text(browser, "epsilon-text")
    ActionChains(browser.driver).move_to_element_with_offset(figure, 150, 0).click().perform()
    assert text(browser, "epsilon-text") != before
    assert browser.ask("Number(document.getElementById('epsilon').value)") > positions(browser) / 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_the_light_and_in_the_dark(browser: Browser, several: Path, scheme: str) -> None:
    browser.emulate(scheme=scheme)
    browser.open(several)
    background = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 28)"}[scheme]
    ratio, where = browser.ask(_CONTRASTS)
    assert ratio >= 4.5, f"{where}: {ratio}"


@pytest.mark.parametrize("width", [360, 800])
def test_a_narrow_page_does_not_scroll_sideways(browser: Browser, several: Path, width: int) -> None:
    browser.resize(width)
    browser.open(several)
    assert browser.ask("document.documentElement.scrollWidth <= innerWidth")


def test_hostile_names_are_shown_and_not_run(browser: Browser, tmp_path: Path) -> None:
    chain = hostile_chain()
    profile = bdist.profile(chain, SCRIPT, QUOTES)
    path = written(tmp_path / "hostile.html", ShownProfile(f"{SCRIPT} and {QUOTES}", profile))
    browser.open(path)
    assert browser.ask("window.alerts") == []
    assert browser.complaints() == []
    assert browser.ask("document.scripts.length") == 2  # the data and ours
    assert text(browser, "order-forward") == f"{SCRIPT} over {QUOTES}"
    assert SCRIPT in text(browser, "attack-text")
    broken = tmp_path / "broken.html"
    broken.write_text(
        path.read_text(encoding="utf-8").replace("</main>", f"{SCRIPT}</main>"), encoding="utf-8"
    )
    browser.open(broken)
    assert browser.ask("window.alerts") == []
    assert any("Content Security Policy" in message for message in browser.complaints())


def test_without_scripts_the_figures_and_tables_are_left(browser: Browser, exact: Path) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(exact)
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert not browser.ask("document.documentElement.classList.contains('scripted')")
    assert browser.ask("getComputedStyle(document.querySelector('.controls')).display") == "none"
    assert browser.ask("document.querySelectorAll('svg[role=img]').length") == 2
    cells = browser.ask("Array.from(document.querySelectorAll('.tables td')).map(n => n.innerText)")
    assert "1/2 − eε 1/10" in cells
