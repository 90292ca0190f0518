"""The two readers of ``.hmm``: bdist's, and the checker's own, which shares no line with it.

Readers that disagree would let a certificate be about another model than the one that was solved. So they
accept the same texts and give them the same canonical form; only what a scenario asks is bdist's business
alone: it refuses questions that make no sense, and the checker reads on.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdist import checker
from bdist.checker.core.limits import Work
from bdist.checker.pufferfish.model import read_hidden_model
from bdist.pufferfish import text as hmm
from bdist.pufferfish.model import HiddenMarkovModel, canonical_form, fingerprint
from tests.oracles.hidden_models import hidden_models, texts_of
from tests.oracles.readers import HMM, hidden_model_by_both

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "instances").rglob("*.hmm"))
BASE = """\
hmm
parameter p in (0, 1)
s [a] -> 1/2 s, 1/2 t
t [1/2 x, 1/2 y]
initial here -> 1/2 s, 1/2 t
scenario first
  prior belief -> p s [c], (1 - p) t [nc]
  pair c nc
"""


def agree(text: str, model: HiddenMarkovModel) -> None:
    found = read_hidden_model(text, Work(len(text)))
    assert found.canonical_form() == canonical_form(model)
    assert found.fingerprint() == fingerprint(model)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_committed_models(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    agree(text, hmm.read(text))


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_every_spelling_of_a_random_model(data: st.DataObject) -> None:
    model = data.draw(hidden_models(data.draw(st.booleans())))
    text = data.draw(texts_of(model))
    assert hidden_model_by_both(text) == "accepted"
    agree(text, model)
    agree(hmm.write(model), model)


PIECES = (
    *("parameter", "initial", "scenario", "prior", "pair", "words", "epsilon", "length", "hmm", "in", "ln"),
    *("any", "all", "common", "p", "q", "s", "t", "s0", "a", "x", "-", "--", "0 x", ", 0 s", ", 0 nowhere"),
    *(" ", "  ", "\t", "\r", "\n", "\n\n", "\x0b", "\u00a0", "\u2028", "\x85", "\0", "\x1f", "\ud800", "#"),
    *("->", "[", "]", "[c]", "(", ")", ",", ",\n", "*", "/", "^", "+", '"', "\\", '\\"', '""', '"s"', '"p"'),
    *(
        "0",
        "1",
        "2",
        "1/2",
        "1/3",
        "-1",
        "+1",
        "1e3",
        "1e",
        "1e1001",
        "1/0",
        "0/0",
        ".5",
        ".",
        "1.",
        "..",
        "٣",
    ),
    *("p^2", "p^65", "(1 - p)", "1-p", "2p", "(1 2)", "1/(1+p)", "1/p", "1/(p-p)", "p/p", "(p - 1/2)^2"),
    *("\nscenario\npair s t\n", "\nprior b -> 1 s [u]", "\nparameter q in [0, 1]\n", "z [w]\n"),
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_text_that_is_garbled(data: st.DataObject) -> None:
    small = st.booleans().flatmap(lambda parametric: hidden_models(parametric, max_states=2))
    text = data.draw(st.sampled_from([BASE, HMM.decode()]) | small.flatmap(texts_of))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 6)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.text(max_size=2)) + text[end:]
    hidden_model_by_both(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_line_of_pieces(pieces: list[str], in_scenario: bool) -> None:
    head = BASE if in_scenario else BASE.partition("scenario")[0]
    hidden_model_by_both(head + "".join(pieces))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("1/2 t\nt", "1/2 t, 0 nowhere\nt", id="0 of a state that is none"),
        pytest.param("1/2 t\nscenario", "1/2 t, 0 nowhere\nscenario", id="0 of a start that is none"),
        pytest.param("t [nc]", "t [nc], 0 nowhere [c]", id="0 of a case that is none"),
        pytest.param("1/2 t\nt", "1/2 t, 0 s\nt", id="0 of a state that is there"),
        pytest.param("1/2 y", "1/2 y, 0 x", id="0 of what is shown"),
        pytest.param("t [nc]", "t [nc], 0 t [nc]", id="0 of a case that is there"),
        pytest.param("t [nc]", "t [nc], 0 t [s]", id="0 of a secret that is a state"),
        pytest.param("t [nc]", "t [nc, nc]", id="secret twice"),
        pytest.param("[c]", "[here]", id="secret that is a start"),
        pytest.param("here", "s", id="start that is a state"),
        pytest.param("1/2 x", "1/2 a", id="end that is not seen"),
        pytest.param("1/2 x", "p x", id="sum"),
        pytest.param("parameter p in (0, 1)", "parameter p in (0, 2)", id="negative"),
        pytest.param("parameter p in (0, 1)", "parameter p in (1, 1)", id="range"),
        pytest.param("parameter p in (0, 1)\n", "parameter p in (0, 1)\n" * 2, id="parameter twice"),
        pytest.param("scenario first", "scenario first\nscenario first", id="scenario twice"),
        pytest.param("pair c nc", "pair c nc\nz [a] -> 1 z", id="state in a scenario"),
        pytest.param("pair c nc", "pair c nc\nwords some", id="words"),
        pytest.param("pair c nc", "pair c nc\nwords all\nwords all", id="words twice"),
        pytest.param("pair c nc", "pair c nc\nlength 1...2", id="dots"),
        pytest.param("pair c nc", "pair c nc\nlength -1", id="negative length"),
        pytest.param("pair c nc", "pair c nc\nepsilon ln", id="no number"),
        pytest.param("pair c nc", "pair c nc\nepsilon 1e1001", id="exponent"),
    ],
)
def test_what_both_refuse(old: str, new: str) -> None:
    assert old in BASE
    assert hidden_model_by_both(BASE.replace(old, new, 1)) == "refused"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("1/2 y", "1/2 y, 0 z", id="0 of what is not shown"),
        pytest.param("1/2 y", "1/2 y, 0 a", id="0 of what goes on"),
        pytest.param("t [nc]", "t [nc], 0 s [c, nc]", id="0 of another case"),
        pytest.param("1/2 x, 1/2 y", "(p-p) w, p x, (1 - p) y", id="0 by a formula"),
        pytest.param("here -> 1/2 s, 1/2 t", "here -> 0 s, 1 t", id="0 of a state"),
        pytest.param("pair c nc", "pair c -> nc\nepsilon +0.5\nlength 01 .. 00000000005", id="question"),
        pytest.param("pair c nc", "pair c nc\nepsilon ln 1\nlength any\nwords common", id="another question"),
    ],
)
def test_what_both_accept(old: str, new: str) -> None:
    assert old in BASE
    text = BASE.replace(old, new, 1)
    assert hidden_model_by_both(text) == "accepted"
    agree(text, hmm.read(text))


@pytest.mark.parametrize(
    "asked",
    [
        *["epsilon -1", "epsilon ln 1/2", "epsilon ln -2", "epsilon 1e9", "length 0", "length 5..0"],
        *["length 3..2", "length 1234567890", "length 1..1234567890", "pair c c", "pair c s"],
        *["pair nobody c", "pair c belief", "prior other -> 1 s [c]", "scenario empty"],
    ],
)
def test_a_question_that_makes_no_sense_is_refused_by_bdist_alone(asked: str) -> None:
    text = f"{BASE}{asked}\n"
    assert hidden_model_by_both(text) == "a question"
    read = read_hidden_model(text, Work())
    if "prior" not in asked:
        assert read.fingerprint() == fingerprint(hmm.read(BASE))


def test_a_formula_may_be_too_large_for_the_checker_alone() -> None:
    """How much work a formula takes is counted by the checker; that is no verdict, and no agreement."""
    with pytest.raises(checker.TooLarge):
        read_hidden_model(BASE, _Little())


class _Little(Work):
    def __init__(self) -> None:
        super().__init__()
        self._steps = 1
