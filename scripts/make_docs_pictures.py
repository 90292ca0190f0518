"""Draw the pictures of the documentation into docs/images, from the models of its pages.

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
from math import hypot, log
from pathlib import Path
from typing import Any

import bdist
from bdist.chains.drawings.markup import Content, Markup, element
from bdist.chains.drawings.plots import own_style
from bdist.chains.formats import lmc
from bdist.traces.page import Frame, delta_line, place
from bdist.traces.plot import line_of, write_plot

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
EPSILON, ALPHA = "ln 4", 4
WIDTH, HEIGHT = 440, 344  # of the two pictures of the vote
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
.box { fill: none; stroke: var(--soft); stroke-width: 1.4; }
.edge { fill: none; stroke: var(--soft); stroke-width: 1.4; }
.edge.good { stroke: var(--good); stroke-dasharray: 5 4; }
polygon.head { fill: var(--soft); }
"""


def mechanisms() -> dict[str, Any]:
    """The names of the tutorial's file: its mechanisms and their inputs."""
    names: dict[str, Any] = {}
    exec(_code("tutorial.md", 'python title="vote.py"'), names)  # noqa: S102 - the tutorial is ours
    return names


def _code(page: str, title: str) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"```{title}\n(.*?)```", text, re.DOTALL)
    if found is None:
        raise SystemExit(f"{page} has no such block: {title}")
    return found[1]


def curve(names: dict[str, Any]) -> str:
    """What the mechanism leaks at every epsilon, as first written and repaired, and what was claimed."""
    before, after = (bdist.profile(_chain(names, name), *PAIR) for name in ("winner", "repaired"))
    last = 1.75
    lines = [line_of(profile, "", 0.0, last) for profile in (before, after)]
    frame = Frame(WIDTH, HEIGHT, Fraction(last), Fraction(1, 4), left=58, top=64, bottom=52)
    x, y = frame.x(log(ALPHA)), frame.y(0)
    diamond = " ".join(f"{place(x + a)},{place(y + b)}" for a, b in ((0, -7), (7, 0), (0, 7), (-7, 0)))
    return _file(
        WIDTH,
        HEIGHT,
        _text("What leaks at every ε", 20, 32, "head"),
        frame.axes("ε", "", (7, 6)),
        _text("δ", frame.left - 4, frame.top - 12, "name"),
        element("g", delta_line(frame, lines[1]), class_="good"),
        element("g", delta_line(frame, lines[0]), class_="bad"),
        element("line", class_="asked", x1=place(x), x2=place(x), y1=place(frame.top), y2=place(y)),
        element("polygon", class_="asked", points=diamond),
        _text("claimed:", x - 8, frame.top + 14, "asked end"),
        _text("ε = ln 4, δ = 0", x - 8, frame.top + 32, "asked end"),
        _text("as first written", frame.x(0.78), frame.y(0.137), "bad"),
        _text("repaired", frame.x(0.42), frame.y(0.075), "good"),
    )


def attack(names: dict[str, Any]) -> str:
    """The event that shows the violation, with its two probabilities and what is allowed."""
    found = bdist.attack(_chain(names, "winner"), *PAIR, epsilon=EPSILON).attack
    if (
        found is None
        or found.pair != PAIR
        or found.words() != ["say 'AAB' when the labels begin with: start B"]
    ):
        raise SystemExit(f"the picture and its words no longer fit the attack on {PAIR}")
    first, second = found.first, found.second
    left, full = 20.0, WIDTH - 40.0
    scale = full / float(first)

    def bar(y: float, value: Fraction, label: str, kind: str) -> list[Content]:
        shape = {"x": place(left), "y": place(y), "width": place(float(value) * scale), "height": "26"}
        return [_text(label, left, y - 8), element("rect", class_=kind, **shape)]

    limit = place(left + float(ALPHA * second) * scale)
    return _file(
        WIDTH,
        HEIGHT,
        _text("The attack on the first version", left, 32, "head"),
        _text("The vote is AAB, or AAA. See who is announced:", left, 60, "soft"),
        _text("if it is B, say AAB.", left, 80, "soft"),
        bar(124, second, f"B is announced if the vote is AAA: {_percent(second)}", "good"),
        bar(190, first, f"B is announced if the vote is AAB: {_percent(first)}", "bad"),
        element("line", class_="asked", x1=limit, x2=limit, y1="190", y2="236"),
        _text(f"ε = ln 4 allows 4 times as much: {_percent(ALPHA * second)}", left, 254, "asked"),
        _text("Violated, with an exact proof:", left, 294),
        _text(f"δ is at least {first - ALPHA * second}.", left, 314),
    )


def coin(_: dict[str, Any]) -> str:
    """The chain of the page on chains, as `bdist show --draw` draws it."""
    chain = lmc.read(_code("concepts/chains.md", 'text title="coin.lmc"'))
    return f"{chain._repr_svg_()}\n"


def geometric(_: dict[str, Any]) -> str:
    """A profile with its pieces: the counts 0 and 2 of the truncated geometric mechanism."""
    chain = bdist.load(ROOT / "instances" / "geometric" / "four-counts.lmc")
    profile = bdist.profile(chain, "count0", "count2")
    frame = Frame(640, 340, Fraction(2), Fraction(3, 5), left=64, top=40, bottom=52)
    line = line_of(profile, "", 0.0, 2.0)
    tail, steep = frame.x(log(4)), frame.x(0.36)
    return _file(
        640,
        340,
        frame.axes("ε", "", (8, 6)),
        _text("δ", frame.left - 4, frame.top - 14, "name"),
        element("g", delta_line(frame, line), class_="bad"),
        _text("δ = 2/3 − e^ε · 1/6", steep + 14, frame.y(0.42), "bad"),
        element(
            "line",
            class_="asked",
            x1=place(tail),
            x2=place(tail),
            y1=place(frame.y(0)),
            y2=place(frame.y(0.11)),
        ),
        _text("0 from ε = ln 4 on", tail - 10, frame.y(0.125), "asked"),
        _text("total variation 1/2", frame.left + 12, frame.y(0.52), "soft"),
    )


def automaton(_: dict[str, Any]) -> str:
    """The sparse vector technique as an automaton."""
    y, places = 96.0, {"q0": 70.0, "q1": 300.0, "stop": 560.0}
    noises = {"q0": "noise 1/2", "q1": "input, noise 1/4", "stop": ""}
    return _file(
        640,
        180,
        [
            [
                element("circle", class_="box", cx=place(x), cy=place(y), r="26"),
                _text(state, x, y + 5, "middle"),
                _text(noises[state], x, y + 50, "soft middle"),
            ]
            for state, x in places.items()
        ],
        _arrow((98, y), (270, y)),
        _text("true / bot", 184, y - 12, "middle"),
        _text("x := insample", 184, y + 22, "good middle"),
        _arrow((328, y), (530, y)),
        _text("insample ≥ x / top", 430, y - 12, "middle"),
        element("path", class_="edge", d="M 284,73 C 262,18 338,18 316,71"),
        _head((316, 71), (-0.35, 1)),
        _text("insample < x / bot", 300, 24, "middle"),
    )


def trust(_: dict[str, Any]) -> str:
    """Who reads what: an answer need not be believed by whoever checks its certificate."""
    return _file(
        720,
        262,
        _box(20, 28, "model", "a file"),
        _box(285, 28, "bdist", "searches, and proves"),
        _box(550, 28, "answer", "number, attack"),
        _box(285, 150, "certificate", "a proof, as JSON"),
        _box(550, 150, "checker", "adds and compares"),
        _arrow((170, 54), (283, 54)),
        _text("question", 226, 44, "soft middle"),
        _arrow((435, 54), (548, 54)),
        _arrow((360, 80), (360, 148)),
        _arrow((435, 176), (548, 176)),
        _arrow((625, 150), (625, 84)),
        _text("accepted", 634, 122, "good"),
        element("path", class_="edge good", d="M 95,80 V 224 Q 95,236 107,236 H 613 Q 625,236 625,224 V 206"),
        _head((625, 204), (0, -1)),
        _text("reads the model itself", 227, 228, "good middle"),
    )


def _box(x: float, y: float, text: str, below: str) -> Markup:
    return element(
        "g",
        element("rect", class_="box", x=place(x), y=place(y), width="150", height="52", rx="6"),
        _text(text, x + 75, y + 22, "head middle"),
        _text(below, x + 75, y + 42, "soft middle"),
    )


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> Markup:
    (x, y), (u, v) = start, end
    return element(
        "g",
        element("line", class_="edge", x1=place(x), y1=place(y), x2=place(u), y2=place(v)),
        _head(end, (u - x, v - y)),
    )


def _head(end: tuple[float, float], direction: tuple[float, float]) -> Markup:
    (x, y), (a, b) = end, direction
    a, b = a / hypot(a, b) * 9, b / hypot(a, b) * 9
    corners = ((x, y), (x - a - b / 2, y - b + a / 2), (x - a + b / 2, y - b - a / 2))
    return element("polygon", class_="head", points=" ".join(f"{place(u)},{place(v)}" for u, v in corners))


def _chain(names: dict[str, Any], name: str) -> bdist.LabelledMarkovChain:
    made: bdist.Mechanism = bdist.mechanism(names[name], inputs=names["ballots"], neighbours="hamming")
    return made.chain


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
    profile = bdist.profile(_chain(names, "winner"), *PAIR)
    write_plot([("", profile)], IMAGES / "profile.svg", title="true δ between AAB and AAA")
    here = f'{str(IMAGES / "mechanisms.svg")!r}, metadata={{"Date": None}}'
    code = _code("how-to/compare.md", "python").replace('"mechanisms.svg"', here)
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
    drawn: dict[str, Callable[[dict[str, Any]], str]] = {
        "vote-curve.svg": curve,
        "vote-attack.svg": attack,
        "coin.svg": coin,
        "geometric.svg": geometric,
        "automaton.svg": automaton,
        "trust.svg": trust,
    }
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
