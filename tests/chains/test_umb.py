"""UMB files, held against Storm, and JANI through it; models of stormpy in memory."""

from __future__ import annotations

import io
import tarfile
import tempfile
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest
import stormpy
from hypothesis import given, settings

import bdist
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.formats import ReadOptions, load, numbered_states, save, umb
from bdist.chains.formats.propositions import propositions_of, unspell
from bdist.errors import BackendError, FormatError, ModelError, ParameterError, UnsupportedError
from tests.chains.test_formats import SOUND, awkward_chains, refusal
from tests.oracles.readers import JANI

WALK = """\
dtmc
module walk
  x : [0..2];
  b : bool;
  [] x<2 -> 1/3 : (x'=x+1) + 2/3 : (x'=0)&(b'=!b);
  [] x=2 -> true;
endmodule
label "done" = x=2;
"""


def _same(chain: LabelledMarkovChain, again: LabelledMarkovChain) -> None:
    assert again.states == numbered_states(len(chain))
    assert (again.labels, again.rows) == (chain.labels, chain.rows)


@given(awkward_chains())
@settings(max_examples=12, deadline=None)
def test_storm_reads_what_we_write_and_so_do_we(chain: LabelledMarkovChain) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ours.umb"
        save(chain, path)
        _same(chain, load(path))
        options = stormpy.io.UmbImportOptions()
        options.value_type = stormpy.io.UmbImportValueType.RATIONAL
        options.build_state_valuations = False
        model = stormpy.build_model_from_umb(path, options=options)
    assert list(model.initial_states) == [0]
    _same(chain, bdist.from_stormpy(model))
    for state in model.states:
        names = {unspell(name) for name in state.labels - {"init"}}
        assert names == set(propositions_of(chain.labels[state.id]))


def _walk(exact: bool) -> stormpy.developer.storage.SparseDtmc:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.pm"
        path.write_text(WALK, encoding="utf-8")
        program = stormpy.parse_prism_program(path)
    options = stormpy.BuilderOptions()
    options.set_build_state_valuations()
    options.set_build_all_labels()
    build = stormpy.build_model[stormpy.Rational] if exact else stormpy.build_model
    return build(program, options=options)


def test_doubles_of_storm_are_repaired_and_valuations_are_names(tmp_path: Path) -> None:
    path = tmp_path / "walk.umb"
    stormpy.io.export_to_umb(_walk(exact=False), path)
    assert "repair='simplest'" in refusal(path, ModelError)
    chain = load(path, ReadOptions(repair="simplest"))
    assert chain.row("b=false,x=1") == {"b=false,x=2": Fraction(1, 3), "b=true,x=0": Fraction(2, 3)}
    assert chain.label("b=true,x=2") == "done"
    assert (
        chain == bdist.from_stormpy(_walk(exact=True)) == bdist.from_stormpy(_walk(False), floats="simplest")
    )


@given(awkward_chains())
@settings(max_examples=12, deadline=None)
def test_to_storm_and_back(chain: LabelledMarkovChain) -> None:
    _same(chain, bdist.from_stormpy(bdist.to_stormpy(chain)))


def test_models_of_storm_that_need_a_word() -> None:
    with pytest.raises(ParameterError, match=r"'b=false,x=0' -> .* is the float 0\.333"):
        bdist.from_stormpy(_walk(exact=False))
    assert set(bdist.from_stormpy(_walk(exact=True), labels=["init"]).labels) == {"init", "{}"}
    with pytest.raises(ModelError, match="this is a str; a chain is a sparse DTMC"):
        bdist.from_stormpy("dtmc")


def test_jani(tmp_path: Path) -> None:
    path = tmp_path / "walk.jani"
    path.write_bytes(JANI)
    notes: list[str] = []
    chain = load(path, ReadOptions(notes=notes.append))
    assert chain.states == ("x=0", "x=1", "x=2")
    assert chain.labels == ("{}", "{}", "done")
    assert chain.row("x=1") == {"x=0": Fraction(2, 3), "x=2": Fraction(1, 3)}
    assert "1 state stays for ever" in notes[0]
    path.write_bytes(JANI.replace(b'"dtmc"', b'"mdp"'))
    assert "this is a Markov decision process" in refusal(path, FormatError)
    path.write_bytes(b"{}")
    assert "Storm refuses it" in refusal(path, FormatError)


def _archive(path: Path, **files: bytes) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def test_what_is_no_umb_file(tmp_path: Path) -> None:
    path = tmp_path / "m.umb"
    path.write_bytes(b"no archive")
    assert refusal(path, FormatError).startswith("not a UMB file, which is a compressed archive")
    assert refusal(_archive(path, **{"index.json": b"{}"}), FormatError).startswith("not a UMB file: ")
    save(SOUND, path)
    data = path.read_bytes()
    for size in range(0, len(data), 97):
        path.write_bytes(data[:size])
        assert "not a UMB file" in refusal(path, FormatError)
    path.write_bytes(data)
    with mock.patch.object(umb, "UNPACKED_BYTES", 100):
        assert refusal(path, FormatError) == "it unpacks to more than 100 bytes"
    with mock.patch.object(umb, "find_spec", return_value=None):
        for attempt in (lambda: load(path), lambda: save(SOUND, path)):
            with pytest.raises(BackendError, match=r"pip install 'bdist\[umb\]'"):
                attempt()
    path.unlink()
    assert "not a UMB file" in refusal(path, FormatError) or "cannot be read" in refusal(path, FormatError)


def test_a_probability_that_is_too_long_is_refused(tmp_path: Path) -> None:
    rest = 1 - Fraction(1, 2**64)
    chain = LabelledMarkovChain.from_rows({"s": ("a", {"s": rest, "t": 1 - rest}), "t": ("b", {"t": 1})})
    with pytest.raises(UnsupportedError, match="state 's' has a probability with more than 64 bits"):
        save(chain, tmp_path / "m.umb")
    rest = 1 - Fraction(1, 2**63)
    chain = LabelledMarkovChain.from_rows({"s": ("a", {"s": rest, "t": 1 - rest}), "t": ("b", {"t": 1})})
    save(chain, tmp_path / "m.umb")
    assert load(tmp_path / "m.umb").rows == chain.rows
