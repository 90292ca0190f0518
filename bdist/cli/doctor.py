"""``bdist doctor``: what this installation consists of, and whether it works.

For the first question in a report of trouble. Every engine solves a tiny problem with a known answer in a
process of its own, so that one which crashes or hangs is reported like one that is missing. The compiled
kernel may be missing or switched off, since HiGHS stands in for it; one that answers wrongly is broken.
"""

from __future__ import annotations

import platform
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

import typer

from bdist.cli.probes import trouble
from bdist.cli.terminal import Json, print_json
from bdist.distances.compute import cores
from bdist.lp.batch import SWITCH, Presence, kernel_state

NAME = "doctor"
HELP = "Say what is installed and whether every solver works; exit code 5 if a required one does not."
EXAMPLE = "Example: bdist doctor --json"

WORKS, BROKEN, MISSING = "works", "broken", "missing"


@dataclass(frozen=True)
class Engine:
    """What bdist uses: the package, its probe, and the extra that brings it where it is optional."""

    name: str
    package: str
    probe: str
    extra: str | None = None


@dataclass(frozen=True)
class Finding:
    """How an engine fares; ``detail`` says why it does not work and what to do."""

    name: str
    package: str
    version: str | None
    required: bool
    state: str
    detail: str


ENGINES = (
    Engine("HiGHS", "highspy", "highs"),
    Engine("PuLP with CBC", "PuLP", "pulp"),
    Engine("exact simplex", "python-flint", "exact"),
    Engine("CaDiCaL", "python-sat", "cadical"),
    Engine("Z3", "z3-solver", "z3", "smt"),
    Engine("matplotlib", "matplotlib", "matplotlib", "plot"),
)


def command(json: Json = False) -> None:
    """Examine, print, and exit with 5 where something that is required does not work."""
    with ThreadPoolExecutor(cores()) as pool:  # they wait for processes
        examined = pool.submit(_examine_kernel)
        findings = list(pool.map(_examine, ENGINES))
        kernel = examined.result()
    if json:
        print_json(
            {
                **_machine(),
                "kernel": kernel,
                "engines": [asdict(finding) for finding in findings],
            }
        )
    else:
        typer.echo(_report(kernel, findings))
    required = [finding.state for finding in findings if finding.required]
    if kernel["works"] is False or any(state != WORKS for state in required):
        raise typer.Exit(5)


def _machine() -> dict[str, str | int]:
    return {
        "bdist": version("bdist"),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": cores(),
    }


def _examine_kernel() -> dict[str, str | bool | None]:
    """The kernel's state; ``works`` is None where there is none to try."""
    state = kernel_state()
    if state.presence is not Presence.COMPILED:
        return {"state": state.presence.value, "detail": state.detail, "works": None}
    reason = trouble("kernel")
    detail = state.detail if reason is None else f"{reason}; {SWITCH}=off does without it"
    return {"state": state.presence.value, "detail": detail, "works": reason is None}


def _examine(engine: Engine) -> Finding:
    try:
        number = version(engine.package)
    except PackageNotFoundError:
        number = None
    name = engine.package if engine.extra is None else f"bdist[{engine.extra}]"
    reason = trouble(engine.probe)
    state = WORKS if reason is None else BROKEN if number is not None else MISSING
    details = {WORKS: "", MISSING: f"pip install '{name}'", BROKEN: f"{reason}; reinstall {engine.package}"}
    return Finding(engine.name, engine.package, number, engine.extra is None, state, details[state])


def _report(kernel: dict[str, str | bool | None], findings: list[Finding]) -> str:
    machine = _machine()
    standing_in = "" if kernel["state"] == Presence.COMPILED.value else "; HiGHS stands in for it"
    verdict = "broken" if kernel["works"] is False else kernel["state"]
    lines = [
        f"bdist {machine['bdist']}",
        f"  python    {machine['python']}",
        f"  platform  {machine['platform']}, {machine['cores']} cores",
        f"  kernel    {verdict}: {kernel['detail']}{standing_in}",
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
