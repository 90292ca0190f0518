"""Every reader of what strangers write, as a function on bytes, with valid inputs to begin from.

A reader here says whether an input is accepted. It is refused by one of the exceptions that are allowed, with
one line that can be read; anything else that comes out is a bug, which the property tests and
``scripts/fuzz_readers.py`` look for. The model formats come from the registry, so that a
new one is fuzzed as soon as it is there.

An input that is more than one file, such as a model and its certificate, is written with a separator.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bdist import checker
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.chains.formats import FORMATS, Format, ReadOptions, lmc, load
from bdist.chains.relation import parse_pairs, read_relation
from bdist.checker.core.chain import read_model
from bdist.checker.core.limits import Work
from bdist.checker.dipa.automaton import read_automaton
from bdist.checker.dipc.program import read_program
from bdist.checker.dpctl.mdp import read_decision_process
from bdist.checker.pufferfish.model import read_hidden_model
from bdist.cli import attack as attack_command
from bdist.dipa import text as dipa
from bdist.dipa.automaton import fingerprint as automaton_fingerprint
from bdist.dipc import text as dip
from bdist.dipc.adjacency import Neighbours
from bdist.dipc.expansion import expanded
from bdist.dipc.expansion import fingerprint as program_fingerprint
from bdist.dipc.rules import kinds_of
from bdist.dpctl import mdp as mdp_model
from bdist.dpctl import text as mdp
from bdist.dpctl.formats import load_decision_process, load_model, read_drn, write_drn
from bdist.dpctl.formulas import text_of
from bdist.dpctl.parser import parse
from bdist.errors import BdistError, InputError, InternalError
from bdist.exact.rationals import parse_rational
from bdist.pufferfish import text as hmm
from bdist.pufferfish.model import fingerprint as hmm_fingerprint
from tests.certificates import hand_made

ROOT = Path(__file__).parents[2]
SEPARATOR = b"\n~~~~\n"
FINGERPRINT = (
    b"FINGERPRINT"  # stands for that of the model, so that a changed model gets beyond the first step
)
LONGEST_REFUSAL = 1300

TLMC = b'tlmc channel\ns0 -> 1/2 [send] s1, 0.5 [wait] "s 0"\ns1 -> 1 [done] s1\n"s 0" -> 1 [wait] s0\n'
DIPA = b"""dipa "all at once"  # comment
"q 1" -> q2 insample<x/"insample" x := insample
state q0 [0.5]
state "q 1" input [1/4, -1e-2] [2] # noise of insample'
state q2 initial [ +1 , .5 ]
q2 -> "q 1" true / insample x := insample
"q 1" -> q0 insample >= x / insample'
"""
HMM = b"""hmm "all at once"  # comment
parameter p in [1/4, 7.5e-1)
parameter q in ( 0 , 1 ]
"s 1" [p a, (1 - p)"b c"] -> q/(1 + q) "s 1",  # goes on

    1/(1+q) end, 0 s2
s2 [a]->1"s 1"
end ["the\\\\ \\"end\\""]
initial first -> .5 "s 1", 1/2 s2
scenario
  prior belief -> p^2 "s 1" [ill, "old"], (1 - p^2) s2 [well]
  pair ill -> well
  words common
  epsilon ln 3/2
  length 1 .. 5
scenario two
  pair "s 1" first
  epsilon 1e-1
  length any
"""
# what bdist's reader refuses besides: questions that make no sense, which the checker does not read
QUESTIONS = re.compile(
    r"epsilon = .* (is negative|is above)"
    r"|a length of more than 9 digits"
    r"|is no state, initial distribution or secret"
    r"|scenario.* (has no pair; write|compares a secret with|compares '.*' with itself|asks for words of)"
    r"|the secret '.*' has probability 0 under the prior",
    flags=re.DOTALL,
)
MDP = b"""mdp "all at once"  # comment
actions a, "*",
  sink
sink over
"s 1" [p]
over ["{}"]
"sink" ["the\\\\ \\"end\\""]
"s 1" a -> .5 "s 1",  # goes on

    1/2 "sink", 0 over
"s 1" "*" -> 1 over
"s 1" * -> 1e0 "s 1"
"sink" * -> 1 "sink"
"""
DRN_PROCESS = b"""@type: MDP
@parameters

@reward_models
coins
@placeholders
$p : 1/3
@nr_states
3
@nr_choices
4
@model
state 0 [1] init asked "two words"
//[x=0]
\taction low [0, 1]
\t\t0 : $p
\t\t2 : 2/3
\taction a%20b
\t\t1 : 1
state 1 answered
\taction __NOLABEL__
\t\t1 : 1
state 2
\taction low
\t\t1 : 0.5
\t\t2 : 1/2
"""
PRISM_PROCESS = b"""mdp
module walk
  x : [0..2] init 0;
  [a] x<2 -> 1/3 : (x'=x+1) + 2/3 : (x'=0);
  [b] x=0 -> (x'=2);
  [] x=2 -> true;
endmodule
label "done" = x=2;
"""
JANI = b"""{"jani-version": 1, "name": "walk", "type": "dtmc", "actions": [], "constants": [], "properties": [],
"variables": [{"name": "x", "initial-value": 0, "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}},
 {"name": "done", "initial-value": false, "transient": true, "type": "bool"}],
"automata": [{"name": "m", "variables": [], "initial-locations": ["l"],
 "locations": [{"name": "l", "transient-values": [{"ref": "done", "value": {"op": "=", "left": "x", "right": 2}}]}],
 "edges": [{"location": "l", "guard": {"exp": {"op": "<", "left": "x", "right": 2}}, "destinations": [
  {"location": "l", "probability": {"exp": {"op": "/", "left": 1, "right": 3}},
   "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]},
  {"location": "l", "probability": {"exp": {"op": "/", "left": 2, "right": 3}},
   "assignments": [{"ref": "x", "value": 0}]}]}]}],
"system": {"elements": [{"automaton": "m"}]}}"""  # noqa: E501
PRISM = b"""dtmc
module walk
  x : [0..2] init 0;
  [] x<2 -> 1/3 : (x'=x+1) + 2/3 : (x'=0);
  [] x=2 -> true;
endmodule
label "done" = x=2;
"""
DIP = b"""program all_at_once;  # comment
domain {-1 .. 1}; input q[2], p; output o, disc(r[1], -1 < 0 < 1/2), disc(n, 0 < 1);
adjacent (0, 0, 1) ~ (0, 0, 0), (-1, 0, 0) ~ (0, 0, 0);
claim 3/2*eps, delta 1/100*exp(-2*eps); epsilon in [1/2, 3);
function f(x, y) = max(x, 2*y) - abs(-x); function g(x) = table {-1: 0, 0: 1/2, (1): 0.25};
for i in 1..2 { r[i] ~ Lap(f(1, i)*eps, q[i] + 1); x[2*i] := q[i]/2/(3/4); }
n ~ DLap(eps, -1); n := 2*n - 3;
o ~ Exp(1/2*eps, v in {0, 1}: -abs(v - p)*g(p)); b ~ choose {true: exp(eps), false: 1};
if not (b or r[1] < 1.25) and q[2] != 0 { o := 1 - (2 - 3)*-(4*5); exit; } else if b { exit; }
else { while b == (not b) { b := r[2] >= 2*r[1] - 1; } }
"""
FORMULAS = (
    "D[eps=ln 3] (X out1) & D[epsilon=0.5, delta=1e-3] X out0  # comment",
    'forall a in {out0, "out 1"}, k in 0..5: D[eps=4 ln 2] (X^k (a & X b) | F<=k+1 b)',
    "P>=1/2 [ !a U<=3 (b W c) ] <=> P<0.25 [ G F a => b R c ]",
    "not (true ∧ ¬false) or P=1 [X X X^4 G<=2 a]",
)


@dataclass(frozen=True)
class Reader:
    """``slow`` ones start a process for every input."""

    name: str
    read: Callable[[bytes], bool]
    seeds: Callable[[], list[bytes]]
    slow: bool = False


def all_readers() -> list[Reader]:
    """Every reader, the registered formats first."""
    return [
        *(_format_reader(known) for known in FORMATS),
        Reader("both-lmc", read_by_both, _lmc_seeds),
        Reader("both-dipa", read_automaton_by_both, _dipa_seeds),
        Reader("both-hmm", lambda data: hidden_model_by_both(_decoded(data)) == "accepted", _hmm_seeds),
        Reader("both-mdp", read_process_by_both, _mdp_seeds),
        Reader("dip", _read_program, _dip_seeds),
        Reader("drn-mdp", _process_reader(".drn"), _drn_process_seeds),
        Reader("prism-mdp", _process_reader(".prism"), lambda: [PRISM_PROCESS], slow=True),
        *(Reader(name, reader.read, reader.seeds) for name, reader in CERTIFICATES.items()),
        Reader("formula", _read_formula, lambda: [text.encode() for text in FORMULAS]),
        Reader("relation", _read_relation, lambda: [b's0 s1\ns0 ~ "s1"  # comment\n']),
        Reader("pairs", _read_pairs, lambda: [b's0:s1,"s1" : s0', b"s0~s1"]),
        Reader("attack", _read_attack, _attack_seeds),
        Reader("number", _read_number, lambda: [b"1/2", b"-0.25", b"1e-4", b"+1.5E+3", b"12345/678"]),
    ]


# --- models ----------------------------------------------------------------------------------------------


def _format_reader(known: Format) -> Reader:
    suffix = known.suffixes[0]
    beside = tuple(known.write(_example()).texts) if known.is_written else (suffix,)

    def read(data: bytes) -> bool:
        with tempfile.TemporaryDirectory(prefix="bdist-fuzz-") as folder:
            path = Path(folder) / f"model{suffix}"
            for ending, part in zip(beside, data.split(SEPARATOR), strict=False):
                path.with_suffix(ending).write_bytes(part)
            try:
                chain = load(path)
            except BdistError as error:
                return _refused(error)
        # what we accept, the checker must be able to read
        assert read_model(lmc.write(chain)).fingerprint() == fingerprint(chain)
        return True

    def seeds() -> list[bytes]:
        if not known.is_written:
            return [{".tlmc": TLMC, ".jani": JANI}.get(suffix, PRISM)]
        chains = [_example(), *(load(path) for path in sorted((ROOT / "instances").rglob("*.lmc")))]
        if known.name.lower().endswith("umb"):  # which holds short numbers only
            chains = [c for c in chains if all(p.denominator < 2**63 for row in c.rows for _, p in row)]
        return [SEPARATOR.join(map(_encoded, known.write(c).texts.values())) for c in chains]

    return Reader(known.name.removeprefix(".").lower(), read, seeds, slow="time_limit" in known.options)


def _encoded(made: str | bytes) -> bytes:
    return made if isinstance(made, bytes) else made.encode()


def _by_both(text: str, ours: Callable[[str], str], theirs: Callable[[str], str]) -> bool:
    """A text, by our reader and by the checker's: the fingerprints of what they read must agree."""
    found = {"bdist": "refused", "checker": "refused"}
    for name, read in (("bdist", ours), ("checker", theirs)):
        try:
            found[name] = read(text)
        except (InputError, checker.BadModel) as error:
            _refused(error)
    assert found["bdist"] == found["checker"], found
    return found["bdist"] != "refused"


def read_by_both(data: bytes) -> bool:
    """An ``.lmc`` text, by both."""
    return _by_both(
        _decoded(data), lambda text: fingerprint(lmc.read(text)), lambda text: read_model(text).fingerprint()
    )


def read_automaton_by_both(data: bytes) -> bool:
    """A ``.dipa`` text, by both; and we read what we write."""

    def ours(text: str) -> str:
        automaton = dipa.read(text)
        assert dipa.read(dipa.write(automaton)) == automaton
        return automaton_fingerprint(automaton)

    return _by_both(_decoded(data), ours, lambda text: read_automaton(text).fingerprint())


def read_process_by_both(data: bytes) -> bool:
    """An ``.mdp`` text, by both; and we read what we write."""

    def ours(text: str) -> str:
        process = mdp.read(text)
        assert mdp.read(mdp.write(process)) == process
        return mdp_model.fingerprint(process)

    return _by_both(_decoded(data), ours, lambda text: read_decision_process(text).fingerprint())


def hidden_model_by_both(text: str) -> str:
    """A ``.hmm`` text, by our reader and by the checker's: accepted, refused, a question, or too large.

    They must agree, and we read what we write; but where we refuse what is asked, the checker may read on.
    """
    ours, theirs, asks = "refused", "refused", False
    try:
        model = hmm.read(text)
        ours = hmm_fingerprint(model)
        assert hmm.read(hmm.write(model)) == model
    except InputError as error:
        _refused(error)
        asks = QUESTIONS.search(str(error)) is not None
    try:
        theirs = read_hidden_model(text, Work(len(text))).fingerprint()
    except checker.TooLarge as error:
        _refused(error)
        return "too large"
    except checker.BadModel as error:
        _refused(error)
    if asks:
        return "a question"
    assert ours == theirs, f"bdist: {ours}, checker: {theirs}"
    return "refused" if ours == "refused" else "accepted"


def _process_reader(suffix: str) -> Callable[[bytes], bool]:
    """A file that may hold a chain or a decision process, whose missing actions go to a sink."""

    def read(data: bytes) -> bool:
        with tempfile.TemporaryDirectory(prefix="bdist-fuzz-") as folder:
            path = Path(folder) / f"model{suffix}"
            path.write_bytes(data)
            try:
                load_model(path)
            except BdistError as error:
                _refused(error)
            try:
                process = load_decision_process(path, ReadOptions(sink="over"))
            except BdistError as error:
                return _refused(error)
        # what we accept, the checker must be able to read, and so must we
        found = read_decision_process(mdp.write(process)).fingerprint()
        assert found == mdp_model.fingerprint(process)
        (written,) = write_drn(process).texts.values()
        again = read_drn(_encoded(written).decode(), "again.drn", ReadOptions())
        assert isinstance(again, mdp_model.MarkovDecisionProcess)
        kept = process.labels, process.actions, process.rows
        assert (again.labels, again.actions, again.rows) == kept
        return True

    return read


def _mdp_seeds() -> list[bytes]:
    return [*(path.read_bytes() for path in sorted((ROOT / "instances").rglob("*.mdp"))), MDP]


def _drn_process_seeds() -> list[bytes]:
    processes = [mdp.read(_decoded(text)) for text in _mdp_seeds()]
    texts = [text for p in processes for text in write_drn(p).texts.values()]
    return [*map(_encoded, texts), DRN_PROCESS]


def _hmm_seeds() -> list[bytes]:
    files = [*(ROOT / "instances").rglob("*.hmm"), *(ROOT / "tests").rglob("*.hmm")]
    texts = [path.read_bytes() for path in sorted(files)]
    return [HMM, *(text for text in texts if hidden_model_by_both(_decoded(text)) == "accepted")]


def _read_program(data: bytes) -> bool:
    """A ``.dip`` text: it is written back, and goes through all that is asked of a program before it runs."""
    try:
        program = dip.read(_decoded(data))
        assert dip.read(dip.write(program)) == program
        whole = expanded(program)
        assert program_fingerprint(whole) == program_fingerprint(program)
        assert kinds_of(whole)
        Neighbours(program)
    except InputError as error:
        return _refused(error)
    return True


def _dip_seeds() -> list[bytes]:
    return [DIP, *(path.read_bytes() for path in sorted((ROOT / "instances").rglob("*.dip")))]


def _dipa_seeds() -> list[bytes]:
    return [*(path.read_bytes() for path in sorted((ROOT / "instances").rglob("*.dipa"))), DIPA]


def _lmc_seeds() -> list[bytes]:
    files = [*(ROOT / "instances").rglob("*.lmc"), *(ROOT / "tests").rglob("*.lmc")]
    return [path.read_bytes() for path in sorted(files)]


@cache
def _example() -> LabelledMarkovChain:
    rows = {"s0": ("a", {"s0": "1/3", "t 1": "2/3"}), "t 1": ("b, c", {"s0": "0.25", "t 1": "3/4"})}
    return LabelledMarkovChain.from_rows(rows, name="example")


# --- certificates ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CertificateReader:
    """A model and a certificate made by hand, by the checker."""

    kind: hand_made.HandMade[Any]
    fingerprint: Callable[[str], str]  # of the text of a model, by the checker

    def read(self, data: bytes) -> bool:
        """Whether the checker accepts it."""
        model, _, certificate = data.partition(SEPARATOR)
        model_text = _decoded(model)
        try:
            found = self.fingerprint(model_text)
            text = _decoded(certificate.replace(FINGERPRINT, found.encode()))
            checker.is_formula_certificate(text)
            self.kind.check_texts(model_text, text)
        except (checker.BadModel, checker.Malformed, checker.Rejected) as error:
            return _refused(error)
        return True

    def seeds(self) -> list[bytes]:
        """All files, whatever their verdict."""
        seeds = []
        files = [
            path for verdict in ("accepted", "malformed", "rejected") for path in self.kind.files(verdict)
        ]
        for path in files:
            model = self.kind.model_path(path).read_bytes()
            document = path.read_bytes()
            if document.startswith(b"{"):
                document = b" ".join(document.split())  # short enough for what fuzzers do to it
            found = self.fingerprint(model.decode()).encode()
            seeds.append(model + SEPARATOR + document.replace(found, FINGERPRINT))
        return seeds


def _hidden_fingerprint(text: str) -> str:
    return read_hidden_model(text, Work(len(text))).fingerprint()


CERTIFICATES = {
    "certificate": CertificateReader(hand_made.DISTANCES, lambda text: read_model(text).fingerprint()),
    "automaton-certificate": CertificateReader(
        hand_made.AUTOMATA, lambda text: read_automaton(text).fingerprint()
    ),
    "program-certificate": CertificateReader(
        hand_made.PROGRAMS, lambda text: read_program(text, Work(len(text))).fingerprint()
    ),
    "hidden-certificate": CertificateReader(hand_made.HIDDEN_MODELS, _hidden_fingerprint),
    "formula-certificate": CertificateReader(hand_made.FORMULAS, lambda text: read_model(text).fingerprint()),
    "decision-certificate": CertificateReader(
        hand_made.PROCESSES, lambda text: read_decision_process(text).fingerprint()
    ),
}


# --- the rest ----------------------------------------------------------------------------------------------


@cache
def _dining() -> LabelledMarkovChain:
    return load(ROOT / "instances" / "dining-cryptographers" / "two.lmc")


def _read_relation(data: bytes) -> bool:
    text = data.decode("utf-8", "surrogateescape")
    try:
        read_relation(text, _dining())
    except InputError as error:
        return _refused(error)
    return True


def _read_pairs(data: bytes) -> bool:
    try:
        return bool(list(parse_pairs(data.decode("utf-8", "surrogateescape"))))
    except InputError as error:
        return _refused(error)


def _read_attack(data: bytes) -> bool:
    with tempfile.TemporaryDirectory(prefix="bdist-fuzz-") as folder:
        path = Path(folder) / "attack.json"
        path.write_bytes(data)
        try:
            attack_command._read(_dining(), ("s0", "s1"), path)
        except InputError as error:
            return _refused(error)
    return True


def _attack_seeds() -> list[bytes]:
    prefixes = [["start", "differ"], ["start", "agree", "end"]]
    documents: list[dict[str, object]] = [{"prefixes": prefixes}, {"attack": {"prefixes": [["start"]]}}]
    return [json.dumps(document).encode() for document in documents]


def _read_formula(data: bytes) -> bool:
    """The text of a formula; what is printed of it is read as the same formula."""
    try:
        formula = parse(_decoded(data))
    except InputError as error:
        return _refused(error)
    assert parse(text_of(formula)) == formula
    return True


def _read_number(data: bytes) -> bool:
    try:
        parse_rational(data.decode("utf-8", "surrogateescape"))
    except InputError as error:
        return _refused(error)
    return True


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _refused(error: Exception) -> bool:
    """False, where this is a refusal as it should be."""
    message = str(error)
    assert not isinstance(error, InternalError), message
    assert message, type(error)
    assert message.isprintable(), message
    assert len(message) <= LONGEST_REFUSAL, message[:200]
    return False
