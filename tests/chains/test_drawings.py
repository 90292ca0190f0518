"""Drawings: markup that nothing breaks out of, layouts that keep their promises, and what is drawn at all."""

from __future__ import annotations

import html
import re
import stat
from fractions import Fraction
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bdist
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings import layout, pictures
from bdist.chains.drawings.diagram import DrawnChain, Mark, NotDrawn, subject_of
from bdist.chains.drawings.layout import (
    Arrow,
    Layout,
    Plan,
    Point,
    Route,
    Size,
    easiest_to_read,
    frame_of,
    graphviz_layout,
    layered_layout,
    tangles,
)
from bdist.chains.drawings.markup import Markup, element, escape, isolated, joined, raw_element
from bdist.chains.drawings.pictures import (
    layout_of,
    listing,
    plan_of,
    probability_text,
    svg_element,
    svg_file,
)
from bdist.chains.quotient import quotient
from bdist.chains.structure import components
from bdist.cli.show import numbers_of
from bdist.errors import BackendError, ParameterError
from bdist.printing import columns, printable, shortened
from tests.oracles.strategies import chains
from tests.tools import program

ROOT = Path(__file__).parents[2]
INSTANCES = sorted(path for path in (ROOT / "instances").rglob("*.lmc"))
HOSTILE = [
    "<script>alert(1)</script>",
    '"quoted" & <b>',
    "back\\slash\\n",
    "abc\u202edcba",
    "\ufffe\x85",
    "日本",
]
SVG = "{http://www.w3.org/2000/svg}"


def drawable(chain: LabelledMarkovChain, *roots: str) -> DrawnChain:
    subject = subject_of(chain, roots)
    assert isinstance(subject, DrawnChain)
    return subject


def hostile_chain() -> LabelledMarkovChain:
    following = [*HOSTILE[1:], HOSTILE[0]]
    return LabelledMarkovChain.from_rows(
        [
            (name, f"{name}!", {name: "1/3", other: "2/3"})
            for name, other in zip(HOSTILE, following, strict=True)
        ],
        name=HOSTILE[0],
    )


# --- markup ---


class _Parsed(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.data = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update(attrs)

    def handle_data(self, data: str) -> None:
        self.data += data


def readable(text: str) -> str:
    """What a page can show of a text: some characters are replaced, unseen ones spelled out."""
    return "".join(html.unescape(escape(c)) for c in text)


@given(st.text(), st.text())
def test_text_and_attributes_come_back_as_they_were(content: str, value: str) -> None:
    parsed = _Parsed(element("p", content, title=value))
    assert parsed.tags == ["p"]
    assert parsed.data == readable(content)
    assert parsed.attributes == {"title": readable(value)}


@given(st.text())
def test_every_text_is_text_in_xml_too(content: str) -> None:
    parsed = ElementTree.fromstring(element("g", content, title=content))  # noqa: S314 - our own text
    assert (parsed.text or "") == readable(content)


def test_markup_pasted_into_a_string_is_text_again() -> None:
    bold = element("b", "x")
    assert isinstance(bold, Markup)
    assert joined(bold, "<") == "<b>x</b>&lt;"
    assert joined(f"{bold}") == "&lt;b&gt;x&lt;/b&gt;"
    assert joined(bold + "<i>") == "&lt;b&gt;x&lt;/b&gt;&lt;i&gt;"


def test_attributes_without_a_value_and_empty_elements() -> None:
    assert element("details", open=True, hidden=False, title=None) == '<details open=""></details>'
    assert element("input", type="search") == '<input type="search">'
    assert element("td", ["a", ["b", None]], data_k=3, class_="x") == '<td data-k="3" class="x">ab</td>'


@pytest.mark.parametrize("name", ["on load", "a>b", "", "x=y", "<"])
def test_names_of_elements_and_attributes_are_names(name: str) -> None:
    with pytest.raises(ValueError, match="is no name"):
        element(name)
    with pytest.raises(ValueError, match="is no name"):
        element("p", **{name: "x"})


def test_a_script_cannot_end_before_its_end() -> None:
    assert raw_element("script", "a < b && c") == "<script>a < b && c</script>"
    with pytest.raises(ValueError, match="contains its end"):
        raw_element("style", "/* </STYLE> */")


@given(st.text(alphabet="a\u2066\u2067\u2068\u2069\u202e"))
def test_isolated_text_cannot_leave_its_isolation(text: str) -> None:
    wrapped = isolated(text)
    assert (wrapped[0], wrapped[-1]) == ("\u2068", "\u2069")
    assert not set(wrapped[1:-1]) & set("\u2066\u2067\u2068\u2069")


# --- wording ---


@given(st.text(max_size=60), st.integers(5, 30))
def test_a_shortened_name_fits_and_keeps_its_ends(name: str, longest: int) -> None:
    short = shortened(name, longest)
    assert columns(short) <= 2 * longest  # wide characters count for less than two in a drawing
    if short != name:
        assert len(short) <= len(name)
        cuts = [k for k, character in enumerate(short) if character == "\u2026"]
        assert any(name.startswith(short[:k]) and name.endswith(short[k + 1 :]) for k in cuts)


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        ("1", "1"),
        ("1/3", "1/3"),
        ("2499/10000", "2499/10000"),
        ("12345678/100000000", "0.12345…"),
        ("1/1000000000000", "1e-12"),
    ],
)
def test_probabilities_are_short_and_never_rounded(probability: str, text: str) -> None:
    assert probability_text(Fraction(probability)) == text


@given(st.fractions(min_value=0, max_value=1))
def test_a_probability_that_is_cut_is_marked_and_below(probability: Fraction) -> None:
    text = probability_text(probability)
    if text.endswith("…"):
        assert Fraction(text[:-1]) < probability
    else:
        assert Fraction(text) == probability


@given(st.text())
def test_nothing_in_a_name_steers_a_terminal(name: str) -> None:
    assert printable(name).isprintable()


# --- components and summaries ---


@settings(max_examples=20)
@given(chains(max_states=7))
def test_components_are_the_classes_of_mutual_reachability(chain: LabelledMarkovChain) -> None:
    reach = [set(chain.reachable([i])) for i in range(len(chain))]
    classes = {tuple(sorted(j for j in reach[i] if i in reach[j])) for i in range(len(chain))}
    found = components(chain)
    assert found.members == tuple(sorted(classes))
    assert set(found.bottom) == {c for c in classes if reach[c[0]] == set(c)}
    assert set(found.top) == {
        c for c in classes if all(c[0] not in reach[i] for i in range(len(chain)) if i not in c)
    }
    moving = [i for i in range(len(chain)) if len(chain.rows[i]) > 1]
    cyclic = any(i in reach[j] for i in moving for j, _ in chain.rows[i]) or any(len(c) > 1 for c in classes)
    assert found.acyclic == (not cyclic)


def test_a_long_ring_is_one_component() -> None:
    size = 20_000
    ring = LabelledMarkovChain.from_rows([(f"s{i}", "a", {f"s{(i + 1) % size}": 1}) for i in range(size)])
    assert [len(part) for part in components(ring).members] == [size]


def test_a_summary_counts() -> None:
    chain = bdist.load(ROOT / "instances/dining-cryptographers/two.lmc")
    found = numbers_of(chain).document
    assert (found["states"], found["transitions"]) == (19, 25)
    assert found["labels"] == {"differ": 8, "agree": 8, "start": 2, "end": 1}
    assert found["components"] == {"number": 19, "sizes": [1] * 19, "bottom": [["end"]]}
    assert found["bisimulation"] == {
        "classes": 7,
        "merged": [list(members) for members in quotient(chain).classes if len(members) == 4],
    }
    assert found["denominators"][0] == {"denominator": "10000", "transition": ["s0", "p0.HH.0.differ"]}  # type: ignore[index]
    assert found["acyclic"]


# --- what is drawn ---


@settings(max_examples=20)
@given(chains(max_states=8), st.data())
def test_no_transition_skips_a_layer(chain: LabelledMarkovChain, data: st.DataObject) -> None:
    roots = data.draw(st.lists(st.sampled_from(chain.states), unique=True, max_size=3))
    subject = drawable(chain, *roots)
    level = {i: depth for depth, layer in enumerate(subject.layers) for i in layer}
    assert sorted(level) == list(range(len(subject.chain)))
    assert all(level[j] <= level[i] + 1 for i, row in enumerate(subject.chain.rows) for j, _ in row)
    assert all(level[subject.drawn_as[state]] == 0 for state in roots)


def ladder(length: int, marked: int) -> LabelledMarkovChain:
    """Two rails of bisimilar states, the second with a label of its own at one place, and a bystander."""
    rows: list[tuple[str, str, dict[str, int]]] = []
    for rail in ("a", "b"):
        for k in range(length):
            label = "mark" if rail == "b" and k == marked else f"{min(k, length - 1)}"
            following = f"{rail}{k + 1}" if k + 1 < length else f"{rail}{k}"
            rows.append((f"{rail}{k}", label, {following: 1}))
    return LabelledMarkovChain.from_rows(rows)


def test_a_small_chain_is_drawn_whole_unless_only_a_part_is_wanted() -> None:
    chain = ladder(30, 29)
    assert drawable(chain, "a0").chain is chain
    part = subject_of(chain, ["a20"], only_reachable=True)
    assert isinstance(part, DrawnChain)
    assert part.caption == "what a20 can reach: 10 states of 60"
    assert set(part.drawn_as) == set(part.chain.states)


def test_a_larger_chain_is_drawn_from_its_roots_or_merged_or_not_at_all() -> None:
    chain = ladder(60, 60)
    assert drawable(chain, "a0").caption == "what a0 can reach: 60 states of 120"
    both = drawable(chain, "a0", "b0")
    assert both.caption == (
        "what a0 and b0 can reach: 120 states of 120, and 60 after merging those that are bisimilar"
    )
    assert both.drawn_as["a7"] == both.drawn_as["b7"]
    assert both.roots == (both.drawn_as["a0"],)
    refused = subject_of(ladder(60, 59), ["a0", "b0"])
    assert isinstance(refused, NotDrawn)
    assert refused.reason == (
        "what a0 and b0 can reach has 120 states and 120 transitions, and 120 and 120 after merging those "
        "that are bisimilar; at most 80 and 160 are drawn"
    )
    assert isinstance(subject_of(ladder(60, 59)), NotDrawn)
    with pytest.raises(ParameterError, match="there is no state 'c0'"):
        subject_of(chain, ["c0"])


# --- layouts: one contract for both ---


def plan_for(path: Path) -> Plan:
    chain = bdist.load(path)
    return plan_of(drawable(chain, *chain.states[:2]))


def corners(place: Point, size: Size, margin: float = 0.0) -> tuple[float, float, float, float]:
    (x, y), half_width, half_height = place, size.width / 2 + margin, size.height / 2 + margin
    return x - half_width, y - half_height, x + half_width, y + half_height


def overlapping(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    across = one[0] < other[2] - 0.5 and other[0] < one[2] - 0.5
    return across and one[1] < other[3] - 0.5 and other[1] < one[3] - 0.5


def check_layout(plan: Plan, layout: Layout) -> None:
    """Boxes apart, labels apart from them, every arrow from its source to its target."""
    boxes = [corners(place, size) for place, size in zip(layout.boxes, plan.boxes, strict=True)]
    assert not any(overlapping(one, other) for one, other in combinations(boxes, 2))
    for arrow, route in zip(plan.arrows, layout.routes, strict=True):
        assert len(route.curve) % 3 == 1
        for point, number in ((route.curve[0], arrow.source), (route.curve[-1], arrow.target)):
            left, top, right, bottom = corners(layout.boxes[number], plan.boxes[number], 2)
            assert left <= point[0] <= right
            assert top <= point[1] <= bottom
        label = corners(route.label, arrow.label)
        assert not any(overlapping(label, box) for box in boxes)
    frame = frame_of(plan, layout)
    assert all(frame.left <= box[0] and box[3] <= frame.bottom for box in boxes)


@pytest.mark.parametrize("downwards", [False, True])
@pytest.mark.parametrize("path", INSTANCES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_our_layout_keeps_the_contract(path: Path, downwards: bool) -> None:
    plan = plan_for(path)
    check_layout(plan, layered_layout(plan, downwards=downwards))


@pytest.mark.parametrize("downwards", [False, True])
@pytest.mark.parametrize("path", INSTANCES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_layout_of_graphviz_keeps_the_contract(path: Path, downwards: bool) -> None:
    plan = plan_for(path)
    layout = graphviz_layout(plan, program("dot"), downwards=downwards)
    assert layout is not None
    check_layout(plan, layout)


@settings(max_examples=20)
@given(chains(max_states=9), st.booleans())
def test_our_layout_keeps_the_contract_on_any_chain(chain: LabelledMarkovChain, downwards: bool) -> None:
    plan = plan_of(drawable(chain))
    layout = layered_layout(plan, downwards=downwards)
    check_layout(plan, layout)
    labels = [corners(r.label, a.label) for r, a in zip(layout.routes, plan.arrows, strict=True)]
    assert not any(overlapping(one, other) for one, other in combinations(labels, 2))


def bare_plan(*arrows: tuple[int, int]) -> Plan:
    """Four small boxes, with arrows between some of them."""
    return Plan((Size(10, 10),) * 4, tuple(Arrow(i, j, Size(2, 2)) for i, j in arrows), ((0, 1), (2, 3)))


def straight(one: Point, other: Point) -> Route:
    return Route((one, one, other, other), ((one[0] + 9 * other[0]) / 10, (one[1] + 9 * other[1]) / 10))


def test_tangles_are_counted_and_the_fewest_win() -> None:
    plan = bare_plan((0, 2), (1, 3))
    corners_of_a_square = ((0.0, 0.0), (0.0, 100.0), (100.0, 0.0), (100.0, 100.0))
    a, b, c, d = corners_of_a_square
    straight_lines = Layout((a, b, c, d), (straight(a, c), straight(b, d)))
    crossed = Layout((a, b, d, c), (straight(a, d), straight(b, c)))
    assert tangles(plan, straight_lines) == 0
    assert tangles(plan, crossed) == 1
    assert easiest_to_read(plan, [crossed, straight_lines]) is straight_lines
    through = Layout((a, b, (200.0, 0.0), (100.0, 0.0)), (straight(a, (200.0, 0.0)), straight(b, c)))
    assert tangles(plan, through) == 3
    on_each_other = Layout((a, b, c, d), (Route(straight(a, c).curve, b), straight(b, d)))
    assert tangles(plan, on_each_other) == 1
    too_wide = Layout((a, b, (1e4, 0.0), (1e4, 100.0)), (straight(a, (1e4, 0.0)), straight(b, (1e4, 100.0))))
    assert easiest_to_read(plan, [too_wide, crossed]) is crossed


def test_dot_sees_numbers_only() -> None:
    source = layout._source_of(plan_of(drawable(hostile_chain())), False)
    words = set(re.findall(r"[A-Za-z]+", source))
    assert words <= {
        "digraph",
        "rankdir",
        "LR",
        "nodesep",
        "ranksep",
        "node",
        "shape",
        "box",
        "fixedsize",
    } | {
        *("true", "label", "edge", "dir", "none", "fontname", "Courier", "fontsize", "n", "width", "height"),
        *("rank", "source", "id"),
    }
    assert not any(name in source for name in HOSTILE)


@pytest.mark.parametrize(
    "answer",
    ["exit 1", "echo '{}'", "echo not json", 'echo \'{"objects": [{"name": "n0", "pos": "nan,1"}]}\''],
)
def test_an_answer_that_is_none_is_not_believed(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "dot"
    fake.write_text(f"#!/bin/sh\ncat > /dev/null\n{answer}\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    plan = plan_for(INSTANCES[0])
    assert graphviz_layout(plan, str(fake), downwards=False) is None
    monkeypatch.setattr(pictures, "dot_program", lambda: str(fake))
    check_layout(plan, layout_of(plan))


def test_a_dot_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "dot"
    fake.write_text("#!/bin/sh\nexec sleep 60\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(layout, "SECONDS", 0.2)
    assert graphviz_layout(plan_for(INSTANCES[0]), str(fake), downwards=False) is None


# --- the renderer ---


@pytest.fixture(params=["graphviz", "ours"])
def layout_engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both layouts in turn."""
    if request.param == "ours":
        monkeypatch.setattr(pictures, "dot_program", lambda: None)
    else:
        program("dot")
    return str(request.param)


def texts(root: ElementTree.Element, kind: str) -> list[str]:
    return ["".join(node.itertext()) for node in root.iter(f"{SVG}text") if node.get("class") == kind]


def test_a_drawing_shows_names_labels_and_probabilities(layout_engine: str) -> None:
    chain = bdist.load(ROOT / "instances/figure-one/chain.lmc")
    mark = Mark("of interest", frozenset([1]), frozenset([(1, 2)]))
    drawn = svg_element(drawable(chain), [mark], title="Figure 1")
    page = drawn.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    root = ElementTree.fromstring(page)  # noqa: S314 - our own text
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert texts(root, "name") == ["s0", "s1", "s2", "s3"]
    assert texts(root, "label") == ["start", "start", "left", "right"]
    assert sorted(texts(root, "probability")) == ["1", "1", "2/5", "2/5", "3/5", "3/5"]
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text == "Figure 1"
    assert description.text == (
        "A graph of 4 states and 6 transitions: all 4 states. of interest: \u2068s1\u2069."
    )
    marked = [node for node in root.iter(f"{SVG}g") if "mark-1" in (node.get("class") or "").split()]
    kinds = [(node.get("class") or "").split()[0] for node in marked]
    assert sorted(kinds) == ["mark-1", "state", "transition"]  # the first is the entry in the legend
    sheet = ElementTree.fromstring(svg_file(drawable(chain), title="x")).find(f"{SVG}style")  # noqa: S314 - ours
    assert sheet is not None
    assert "prefers-color-scheme: dark" in (sheet.text or "")


def test_hostile_names_are_text_in_a_drawing(layout_engine: str) -> None:
    root = ElementTree.fromstring(svg_file(drawable(hostile_chain()), title=HOSTILE[0]))  # noqa: S314 - ours
    assert texts(root, "name") == [readable(shortened(name)) for name in HOSTILE]
    assert texts(root, "label") == [readable(shortened(f"{name}!")) for name in HOSTILE]
    assert {node.tag for node in root.iter()} <= {
        SVG + tag for tag in ("svg", "title", "desc", "style", "g", "rect", "path", "text")
    }


def test_a_drawing_in_a_page_brings_no_styles_of_its_own() -> None:
    text = svg_element(drawable(hostile_chain()), title="x", name="here")
    assert "<style" not in text
    assert "style=" not in text
    assert 'aria-labelledby="here-title here-desc"' in text


@settings(max_examples=12)
@given(chains(max_states=6))
def test_any_chain_can_be_drawn_in_well_formed_numbers(chain: LabelledMarkovChain) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pictures, "dot_program", lambda: None)
        text = svg_file(drawable(chain), title="x")
    root = ElementTree.fromstring(text)  # noqa: S314 - our own text
    assert len(texts(root, "probability")) == sum(map(len, chain.rows))
    for path in root.iter(f"{SVG}path"):
        assert re.fullmatch(r"[MCLZ0-9., -]+", path.get("d") or "")


# --- PNG, files, text ---


def test_what_dot_paints_is_what_the_names_say(tmp_path: Path) -> None:
    names = ['"quoted" & <b>', "back\\slash\\n", "<script>alert</script>", "日本"]
    third = dict.fromkeys(names[:3], Fraction(1, 3))
    chain = LabelledMarkovChain.from_rows({name: (f"{name}!", third) for name in names})
    pictures.write_picture(tmp_path / "chain.dot", drawable(chain), title="x")
    source = (tmp_path / "chain.dot").read_text(encoding="utf-8")
    painted = layout._answer(program("dot"), "-Tsvg", source)
    assert painted is not None
    root = ElementTree.fromstring(painted)  # noqa: S314 - from dot
    shown = [node.text for node in root.iter(f"{SVG}text")]
    assert sorted(map(str, shown)) == sorted([*["1/3"] * 12, *names, *(f"{name}!" for name in names)])


def test_pictures_are_written_as_their_suffix_says(tmp_path: Path) -> None:
    program("dot")
    subject = drawable(hostile_chain())
    pictures.write_picture(tmp_path / "chain.svg", subject, title="x")
    pictures.write_picture(tmp_path / "chain.PNG", subject, title="x")
    assert (tmp_path / "chain.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert (tmp_path / "chain.PNG").read_bytes()[:4] == b"\x89PNG"


def test_what_cannot_be_written_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = drawable(hostile_chain())
    with pytest.raises(ParameterError, match=r"cannot draw to 'x\.gif'; the name must end in \.svg or \.png"):
        pictures.write_picture(tmp_path / "x.gif", subject, title="x")
    with pytest.raises(ParameterError, match="cannot write"):
        pictures.write_picture(tmp_path / "none" / "x.svg", subject, title="x")
    monkeypatch.setattr(pictures, "dot_program", lambda: None)
    with pytest.raises(BackendError, match=r"dot, which paints \.png files, .* or draw to \.svg"):
        pictures.check_picture_path(tmp_path / "x.png")
    monkeypatch.setattr(pictures, "dot_program", lambda: "/bin/false")
    with pytest.raises(BackendError, match="dot painted no picture"):
        pictures.write_picture(tmp_path / "x.png", subject, title="x")


def test_names_that_would_be_cut_to_one_are_listed_whole() -> None:
    first, second = (f"a=false,b=false,c=false,d={d},e=false,f=false,g=false" for d in (0, 1))
    lines = listing(
        drawable(LabelledMarkovChain.from_rows({first: ("x", {second: 1}), second: ("x", {first: 1})}))
    )
    assert first in lines.splitlines()[1]
    assert lines.splitlines()[1].endswith(second)


def test_a_chain_as_text() -> None:
    chain = LabelledMarkovChain.from_rows(
        {
            "s": ("start", {"s": "1/6", "t": "1/2", "end": "1/3"}),
            "t": ("日本", {"u\u202e": 1}),
            "u\u202e": ("", {"s": "1/2", "t": "1/2"}),
            "end": ("end", {"end": 1}),
        }
    )
    assert listing(drawable(chain, "s")).splitlines() == [
        "layer  state      label    goes to",
        "0      s          [start]  1/6      s (itself)",
        "                           1/2      t",
        "                           1/3      end",
        '1      t          [日本]   1        "u\\u202e"',
        "       end        [end]    1        end (itself)",
        '2      "u\\u202e"  [""]     1/2      s (back to layer 0)',
        "                           1/2      t (back to layer 1)",
    ]
