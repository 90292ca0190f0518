"""``bdist doctor``: what this installation consists of, and whether it works.

For the first question in a report of trouble. An import that succeeds says little: a wheel built for another
processor, a missing CBC binary or a library of the wrong version show when something is solved, sometimes by
ending the process. So every engine, every extra and Graphviz has a *probe*, a tiny problem with a known
answer, which is compared with == in a process of its own; one that crashes or hangs is reported like one that
is missing. The compiled kernel may be missing or switched off, since HiGHS stands in for it; one that answers
wrongly is broken.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from flint import fmpq

from bdist import __version__
from bdist.budget import Budget, Stopped
from bdist.certificates.verified import HOW, accepts, find_program
from bdist.chains.chain import LabelledMarkovChain
from bdist.chains.drawings.diagram import DrawnChain, subject_of
from bdist.chains.drawings.layout import dot_program
from bdist.chains.drawings.pictures import write_picture
from bdist.chains.formats import ReadOptions, load, save
from bdist.cli.terminal import Json, print_report
from bdist.distances.compute import cores
from bdist.errors import BackendError
from bdist.lp import highs, pulp_cbc, simplex, smt
from bdist.lp.batch import SWITCH, Presence, kernel_state, new_batch
from bdist.lp.program import Basis, LinearProgram, Optimum, certify_basis
from bdist.processes import call
from bdist.report import Report
from bdist.thresholds import circuits

NAME = "doctor"
HELP = (
    "Say what is installed and whether it works: solvers, every extra, and Graphviz. Exit code 5 if "
    "something that is required does not work."
)
EXAMPLE = "Example: bdist doctor --json"

PATIENCE = 60.0  # seconds, for a probe
GRAPHVIZ = "dot"  # a program and no package
_COIN = LabelledMarkovChain(
    ("s0", "s1"), ("toss", "heads"), (((0, Fraction(1, 3)), (1, Fraction(2, 3))), ((1, Fraction(1)),))
)
# plain forms about two states with different labels: bd = 1, and it is not at most 1/2; their distribution is
# (1, 0), (0, 1), and not (1, 1)
PROVED, FALSE = (
    (
        f"0 2 1 0 2 0 1 1 0 1 1 1 1 1 1 0 0 0 1 0 1 1 1 {upper} 0 0 0",
        f"2 2 0 1 1 0 1 1 1 1 1 1 0 1 0 0 0 0 0 0 {atoms}",
    )
    for upper, atoms in (("1 1", "2 1 1 0 1 0 1 1 1"), ("1 2", "1 1 1 1 1"))
)
WORKS, BROKEN, MISSING = "works", "broken", "missing"


def command(json: Json = False) -> None:
    """Examine, print, and exit with 5 where something that is required does not work."""
    with ThreadPoolExecutor(cores()) as pool:  # they wait for processes
        examined = pool.submit(_examine_kernel)
        findings = list(pool.map(_examine, ENGINES))
        kernel = examined.result()
    verified = _examine_verified()
    document = {
        **_machine(),
        "kernel": kernel,
        "verified_checker": verified,
        "engines": [asdict(finding) for finding in findings],
    }
    required = [finding.state for finding in findings if finding.required]
    fails = kernel["works"] is False or any(state != WORKS for state in required)
    print_report(Report(_report(kernel, verified, findings), document, 5 if fails else 0), json)


def _machine() -> dict[str, str | int]:
    return {
        "bdist": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": cores(),
    }


def _examine_kernel() -> dict[str, str | bool | None]:
    """The kernel's state; ``works`` is None where there is none to try."""
    state = kernel_state()
    if state.presence is not Presence.COMPILED:
        return {"state": state.presence.value, "detail": state.detail, "works": None}
    reason = _trouble(probe_kernel)
    detail = state.detail if reason is None else f"{reason}; {SWITCH}=off does without it"
    return {"state": state.presence.value, "detail": detail, "works": reason is None}


def _examine_verified() -> dict[str, str | None]:
    """The verified checker, which is optional: its path, and whether it tells a proof from a falsehood."""
    program = find_program()
    if program is None:
        return {"state": MISSING, "detail": HOW, "path": None}
    path, budget = str(program), Budget(PATIENCE)
    try:
        works = all(accepts(form, budget) for form in PROVED)
        works = works and not any(accepts(form, budget) for form in FALSE)
    except (Stopped, BackendError) as error:
        return {"state": BROKEN, "detail": str(error) or f"no answer within {PATIENCE:g} s", "path": path}
    return {
        "state": WORKS if works else BROKEN,
        "detail": path if works else "it answers wrongly",
        "path": path,
    }


@dataclass(frozen=True)
class Finding:
    """How an engine fares; ``detail`` says why it does not work and what to do."""

    name: str
    package: str
    version: str | None
    required: bool
    state: str
    detail: str


def _examine(engine: Engine) -> Finding:
    try:
        number = version(engine.package)
    except PackageNotFoundError:
        number = None
    is_there = number is not None or (engine.package == GRAPHVIZ and dot_program() is not None)
    reason = None if engine.package == GRAPHVIZ and not is_there else _trouble(engine.probe)
    state = (
        MISSING if not is_there and (reason or engine.package == GRAPHVIZ) else BROKEN if reason else WORKS
    )
    install = engine.install or f"pip install '{engine.package}'"
    details = {WORKS: "", MISSING: install, BROKEN: f"{reason}; reinstall {engine.package}"}
    return Finding(engine.name, engine.package, number, engine.install is None, state, details[state])


def _report(
    kernel: dict[str, str | bool | None], checker: dict[str, str | None], findings: list[Finding]
) -> str:
    machine = _machine()
    standing_in = "" if kernel["state"] == Presence.COMPILED.value else "; HiGHS stands in for it"
    verdict = "broken" if kernel["works"] is False else kernel["state"]
    lines = [
        f"bdist {machine['bdist']}",
        f"  python    {machine['python']}",
        f"  platform  {machine['platform']}, {machine['cores']} cores",
        f"  kernel    {verdict}: {kernel['detail']}{standing_in}",
        f"  verified  checker {checker['state']}: {checker['detail']}",
        "",
    ]
    for finding in findings:
        software = finding.package if finding.version is None else f"{finding.package} {finding.version}"
        optional = "" if finding.required or finding.state == WORKS else ", optional"
        state = f"{finding.state}{optional}"
        lines.append(
            f"  {finding.name:<15}{software:<24}{state}{': ' if finding.detail else ''}{finding.detail}"
        )
    return "\n".join(lines)


def _trouble(probe: Probe) -> str | None:
    """Why a probe fails, or None where it succeeds."""
    try:
        call(probe, None, Budget(PATIENCE))
    except Stopped:
        return f"no answer within {PATIENCE:g} s"
    except BackendError as error:
        return str(error).rpartition("failed: ")[2]
    return None


# --- the probes, each run in a process of its own ---


def probe_kernel(_: None) -> None:
    """The compiled kernel, or what stands in for it."""
    import numpy as np

    batch = new_batch(2.0, "kernel")
    first = np.zeros(1, dtype=np.int32)
    batch.append(
        np.array([2], dtype=np.int32), np.array([1.0, -0.25]), np.array([-1, 0, -1, -1], dtype=np.int32)
    )
    value = batch.solve(first, np.array([0.5]), 1)[0]
    _expect(float(value), 0.9375)
    _expect(batch.functions(first).tolist(), [1.0, 0.25])


def _probe_lp(maximise: Callable[[LinearProgram], Optimum | None]) -> None:
    """max f0 - f1/4 subject to f0 - 2 f1 <= 1/2: at f = (1, 1/4) it is 15/16."""
    one = fmpq(1)
    optimum = maximise(
        LinearProgram([one, fmpq(-1, 4)], [((0, one), (1, fmpq(-2)))], [fmpq(1, 2)], [one, one])
    )
    _expect(None if optimum is None else optimum.value, fmpq(15, 16))


def _certified(program: LinearProgram, basis: Basis | None) -> Optimum | None:
    return None if basis is None else certify_basis(program, basis)


def probe_highs(_: None) -> None:
    """HiGHS."""
    _probe_lp(lambda program: _certified(program, highs.propose(program)))


def probe_pulp(_: None) -> None:
    """PuLP and the CBC that it brings."""
    _probe_lp(lambda program: _certified(program, pulp_cbc.propose(program)))


def probe_simplex(_: None) -> None:
    """The exact simplex, on FLINT's rationals."""
    _probe_lp(simplex.maximise)


def probe_cadical(_: None) -> None:
    """CaDiCaL through python-sat."""
    _expect(circuits.solve_cnf([[1, 2], [-1, 2], [1, -2]]), [1, 2])
    _expect(circuits.solve_cnf([[1], [-1]]), None)


def probe_z3(_: None) -> None:
    """Z3 on nonlinear real arithmetic."""
    outcome = smt.solve_script("(declare-const x Real) (assert (= (* x x) 4.0)) (assert (> x 0.0))")
    _expect((outcome.status, outcome.values), (smt.SmtStatus.SAT, {"x": Fraction(2)}))


def probe_matplotlib(_: None) -> None:
    """matplotlib, by drawing a line into memory."""
    from io import BytesIO

    from matplotlib.figure import Figure

    figure, drawing = Figure(), BytesIO()
    figure.add_subplot().plot([0, 1], [1, 0])
    figure.savefig(drawing, format="svg")
    _expect(b"</svg>" in drawing.getvalue(), True)


def probe_storm(_: None) -> None:
    """Storm, by building a coin from a PRISM program."""
    coin = (
        "dtmc\nmodule m\n x : [0..1];\n [] x=0 -> 1/3 : (x'=0) + 2/3 : (x'=1);\n [] x=1 -> true;\nendmodule"
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "coin.pm"
        path.write_text(coin, encoding="utf-8")
        chain = load(path, ReadOptions(formulas={"one": "x=1"}))
    _expect(sorted(p for row in chain.rows for _, p in row), [Fraction(1, 3), Fraction(2, 3), Fraction(1)])


def probe_umb(_: None) -> None:
    """UMB files, by writing a coin and reading it back."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "coin.umb"
        save(_COIN, path)
        _expect((load(path).labels, load(path).rows), (_COIN.labels, _COIN.rows))


def probe_accounting(_: None) -> None:
    """dp_accounting, by handing it the losses of a coin: delta at epsilon 0 is 1/3."""
    from bdist.traces.accounting import to_dp_accounting
    from bdist.traces.loss import PrivacyLoss

    coin = PrivacyLoss.of([(Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))])
    delta = to_dp_accounting(coin).get_delta_for_epsilon(0.0)
    _expect(round(float(delta), 3), 0.333)


def probe_dask(_: None) -> None:
    """Dask, by a scheduler and a worker in one process that add."""
    distributed = import_module("distributed")  # which has no types

    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as client:
        _expect(client.submit(sum, [1, 2]).result(PATIENCE), 3)


def probe_pandas(_: None) -> None:
    """pandas, by adding up a column."""
    import pandas as pd

    _expect(int(pd.DataFrame({"x": [1, 2]})["x"].sum()), 3)


def probe_graphviz(_: None) -> None:
    """Graphviz, by painting a coin."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "coin.png"
        subject = subject_of(_COIN)
        if isinstance(subject, DrawnChain):  # which is told otherwise of large ones
            write_picture(path, subject, title="a coin")
        _expect(path.read_bytes()[:4], b"\x89PNG")


def _expect(found: object, wanted: object) -> None:
    if found != wanted:
        raise BackendError(f"answers {found} where {wanted} is right")


Probe = Callable[[None], None]


@dataclass(frozen=True)
class Engine:
    """What bdist uses: the package, its probe, and, where it is optional, how to install it."""

    name: str
    package: str
    probe: Probe
    install: str | None = None


def _extra(name: str) -> str:
    return f"pip install 'bdist[{name}]'"


ENGINES = (
    Engine("HiGHS", "highspy", probe_highs),
    Engine("PuLP with CBC", "PuLP", probe_pulp),
    Engine("exact simplex", "python-flint", probe_simplex),
    Engine("CaDiCaL", "python-sat", probe_cadical),
    Engine("Z3", "z3-solver", probe_z3, _extra("smt")),
    Engine("matplotlib", "matplotlib", probe_matplotlib, _extra("plot")),
    Engine("Storm", "stormpy", probe_storm, _extra("storm")),
    Engine("UMB files", "umbi", probe_umb, _extra("umb")),
    Engine("dp_accounting", "dp-accounting", probe_accounting, _extra("accounting")),
    Engine("Dask", "distributed", probe_dask, _extra("cluster")),
    Engine("pandas", "pandas", probe_pandas, "pip install pandas"),
    Engine("Graphviz", GRAPHVIZ, probe_graphviz, "install Graphviz, which brings the program dot"),
)
