"""Draw the pictures of the documentation into docs/images, from the mechanism of the tutorial.

    python scripts/make_docs_pictures.py [--check]

Those in ``drawn`` are the same on every machine, and a test runs this with --check, which compares them.
The others are made by matplotlib, which draws a little differently from version to version, and of a report
in headless Chromium (`chromium`, `chromedriver`); they are written, and not compared.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any

import bdist
from bdist.chains.drawings.markup import Content, Markup, element
from bdist.chains.drawings.plots import own_style
from bdist.traces.page import Frame, delta_line, place
from bdist.traces.plot import line_of, write_plot
from bdist.traces.profile import Profile

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
EPSILON, ALPHA = "ln 4", 4
PAIR = ("AAB", "AAA")

_STYLE = """
svg {
  --paper: #ffffff; --ink: #1a1f24; --soft: #4a545d; --rule: #dde2e7;
  --bad: #a3340b; --good: #0b4f8a; --asked: #5b2a86;
  font-family: system-ui, "Liberation Sans", "DejaVu Sans", Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  svg {
    --paper: #14181c; --ink: #e8ecef; --soft: #b4bec7; --rule: #2d353c;
    --bad: #ff9d6b; --good: #6cb6ff; --asked: #cfa3ff;
  }
}
.paper { fill: var(--paper); }
text { fill: var(--ink); font-size: 14px; }
text.head { font-size: 16px; font-weight: 600; }
text.tick, text.soft { fill: var(--soft); font-size: 13px; }
text.name { font-style: italic; }
text.bad { fill: var(--bad); }
text.good { fill: var(--good); }
text.asked { fill: var(--asked); }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.axis { stroke: var(--soft); }
.grid { stroke: var(--rule); }
polyline { fill: none; stroke-width: 2.4; stroke-linejoin: round; }
.bad polyline { stroke: var(--bad); }
.good polyline { stroke: var(--good); stroke-dasharray: 8 4; }
rect.bad { fill: var(--bad); }
rect.good { fill: var(--good); }
line.asked { stroke: var(--asked); stroke-width: 1.6; stroke-dasharray: 3 4; }
polygon.asked { fill: var(--asked); }
"""


def mechanisms() -> dict[str, Any]:
    """The names of the tutorial's file: its mechanisms and their inputs."""
    names: dict[str, Any] = {}
    exec(_code("tutorial.md", ' title="vote.py"'), names)  # noqa: S102 - the tutorial is ours
    return names


def _code(page: str, title: str) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"```python{title}\n(.*?)```", text, re.DOTALL)
    if found is None:
        raise SystemExit(f"{page} has no such block of Python: {title}")
    return found[1]


def overview(names: dict[str, Any]) -> str:
    """A violated audit at a glance: the curve of the worst pair, and the attack on it."""
    made = bdist.mechanism(names["winner"], inputs=names["ballots"], neighbours="hamming")
    better = bdist.mechanism(names["repaired"], inputs=names["ballots"], neighbours="hamming")
    before, after = (bdist.profile(m.chain, *PAIR) for m in (made, better))
    attack = bdist.true_delta(made.chain, *PAIR, epsilon=EPSILON).attack
    if attack is None or attack.pair != PAIR:
        raise SystemExit(f"no attack on {PAIR}: the picture and its words no longer fit the mechanism")
    return _file(900, 372, _curves(before, after), _bars(attack.first, attack.second))


def _curves(before: Profile, after: Profile) -> Markup:
    last = 1.75
    lines = [line_of(profile, "", 0.0, last) for profile in (before, after)]
    frame = Frame(500, 372, Fraction(last), Fraction(1, 4), left=64, top=64, bottom=52)
    x, y = frame.x(log(ALPHA)), frame.y(0)
    diamond = " ".join(f"{place(x + a)},{place(y + b)}" for a, b in ((0, -7), (7, 0), (0, 7), (-7, 0)))
    return element(
        "g",
        _text("What leaks at every ε", 20, 32, "head"),
        frame.axes("ε", "", (7, 6)),
        _text("δ", frame.left - 4, frame.top - 12, "name"),
        element("g", delta_line(frame, lines[1]), class_="good"),
        element("g", delta_line(frame, lines[0]), class_="bad"),
        element("line", class_="asked", x1=place(x), x2=place(x), y1=place(frame.top), y2=place(y)),
        element("polygon", class_="asked", points=diamond),
        _text("claimed:", x + 8, frame.top + 14, "asked"),
        _text("ε = ln 4, δ = 0", x + 8, frame.top + 32, "asked"),
        _text("as first written", frame.x(0.74), frame.y(0.147), "bad"),
        _text("repaired", frame.x(0.5), frame.y(0.075), "good"),
    )


def _bars(first: Fraction, second: Fraction) -> Markup:
    left, full = 540.0, 300.0
    scale = full / float(first)

    def bar(y: float, value: Fraction, label: str, kind: str) -> list[Content]:
        return [
            _text(label, left, y - 8),
            element(
                "rect", class_=kind, x=place(left), y=place(y), width=place(float(value) * scale), height="26"
            ),
        ]

    limit = left + float(ALPHA * second) * scale
    return element(
        "g",
        _text("The attack on the first version", left, 32, "head"),
        _text("The vote is AAB, or AAA. See who is announced:", left, 64, "soft"),
        _text("if it is B, say AAB.", left, 84, "soft"),
        bar(134, second, f"B is announced if the vote is AAA: {_percent(second)}", "good"),
        bar(204, first, f"B is announced if the vote is AAB: {_percent(first)}", "bad"),
        element("line", class_="asked", x1=place(limit), x2=place(limit), y1="204", y2="250"),
        _text(f"ε = ln 4 allows 4 times as much: {_percent(ALPHA * second)}", left, 270, "asked"),
        _text("Violated, with an exact proof.", left, 312),
        _text(f"δ is at least {first - ALPHA * second}.", left, 332),
    )


def _percent(value: Fraction) -> str:
    return f"{float(100 * value):.1f} %"


def _text(text: str, x: float, y: float, kind: str = "") -> Markup:
    return element("text", text, class_=kind, x=place(x), y=place(y))


def _file(width: int, height: int, *content: Content) -> str:
    drawn = element(
        "svg",
        element("style", _STYLE),
        element("rect", class_="paper", width=str(width), height=str(height), rx="6"),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=str(width),
        height=str(height),
    )
    return f"{drawn}\n"


def write_plots(names: dict[str, Any]) -> None:
    """What matplotlib draws: a profile, and several."""
    made = bdist.mechanism(names["winner"], inputs=names["ballots"], neighbours="hamming")
    profile = bdist.profile(made.chain, *PAIR)
    write_plot([("", profile)], IMAGES / "profile.svg", title="true δ between AAB and AAA")
    code = _code("how-to/compare.md", "").replace('"mechanisms.svg"', repr(str(IMAGES / "mechanisms.svg")))
    with own_style({"svg.hashsalt": "bdist"}):
        exec(code, {})  # noqa: S102 - the page is ours


def write_screenshots(names: dict[str, Any]) -> None:
    """The verdict and the curves in the report of a violated audit, as a browser shows them."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--window-size=1060,1000"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options)
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            report = Path("vote.html")
            bdist.audit(
                names["winner"],
                inputs=names["ballots"],
                neighbours="hamming",
                epsilon=EPSILON,
                report=report,
            )
            driver.get(report.resolve().as_uri())
            for part in ("verdict", "profile"):
                section = driver.find_element("css selector", f"[aria-labelledby={part}]")
                driver.execute_script("arguments[0].style.padding = '18px'", section)
                section.screenshot(str(IMAGES / f"report-{part}.png"))
    finally:
        driver.quit()


def main() -> int:
    """Write the pictures, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only say whether the drawn ones are up to date")
    only_check = parser.parse_args().check
    names = mechanisms()
    drawn: dict[str, Callable[[dict[str, Any]], str]] = {"overview.svg": overview}
    for name, draw in drawn.items():
        path, text = IMAGES / name, draw(names)
        if not only_check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{name} is not up to date; run python scripts/make_docs_pictures.py")
            return 1
    if not only_check:
        write_plots(names)
        write_screenshots(names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
