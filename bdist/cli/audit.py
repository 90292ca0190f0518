"""``bdist audit``: is a whole relation of neighbours private? With a journal, certificates and a report."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bdist.audits.audit import AuditSettings, Progress, run_audit
from bdist.audits.cluster import tls_of
from bdist.audits.findings import Audit
from bdist.audits.memory import parse_size
from bdist.audits.summary import audit_json, summary
from bdist.budget import Budget
from bdist.cli.models import Model, reads_model
from bdist.cli.relations import Hamming, Pairs, RelationFile, WithLabel, relation_of
from bdist.cli.terminal import (
    LIMIT_REACHED,
    Alpha,
    Epsilon,
    Json,
    interruptible,
    print_json,
    write_file,
)
from bdist.distances.compute import Skew
from bdist.errors import BdistError, ParameterError
from bdist.formats import lmc
from bdist.models.chain import LabelledMarkovChain
from bdist.models.fingerprint import fingerprint
from bdist.rationals.logarithm import log_up
from bdist.rationals.reading import as_rational, rational_text
from bdist.results import Answer

if TYPE_CHECKING:
    from bdist.audits.curve import Curve

NAME = "audit"
HELP = "Decide (epsilon, delta)-differential privacy for every pair of neighbours, the worst first."
EXAMPLE = (
    "Example: bdist audit instances/geometric/four-counts.lmc --pairs count0:count1,count1:count2 "
    "--epsilon 'ln 2' --report audit.html"
)
VIOLATED = 1
_CURVE_POINTS = 15
_CURVE_SECONDS = 10.0

Delta = Annotated[str, typer.Option("--delta", metavar="D", help="The delta that is allowed, read exactly.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="Processes that share the work. [default: BDIST_JOBS, or one a core]",
        show_default=False,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="A Dask scheduler whose workers do the work (bdist[cluster])."
    ),
]
ClusterCa = Annotated[
    Path | None,
    typer.Option(
        "--cluster-ca", metavar="FILE", help="With --cluster tls://...: who signs for it and for us (PEM)."
    ),
]
ClusterCert = Annotated[
    Path | None,
    typer.Option("--cluster-cert", metavar="FILE", help="With --cluster-ca: our certificate."),
]
ClusterKey = Annotated[
    Path | None,
    typer.Option(
        "--cluster-key",
        metavar="FILE",
        help="With --cluster-cert: its key, if in another file.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="For each pair; past it, its bracket counts as it is."
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option("--memory-limit", metavar="SIZE", help="For each pair, such as 2G; as --time-limit."),
]
JournalFile = Annotated[
    Path | None,
    typer.Option(
        "--journal",
        metavar="FILE",
        help="Where results are kept as they come. [default: a file here, removed when all is done]",
        show_default=False,
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with the journal; what is in it is checked again and used.")
]
CertificatesOut = Annotated[
    Path | None,
    typer.Option("--certificates", metavar="DIR", help="Write the model and all certificates into a folder."),
]
ReportOut = Annotated[
    Path | None, typer.Option("--report", metavar="OUT.html", help="Write a report: one file, to hand over.")
]


@reads_model
def command(
    model: Model,
    relation: RelationFile = None,
    pairs: Pairs = None,
    with_label: WithLabel = None,
    hamming: Hamming = None,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    delta: Delta = "0",
    jobs: Jobs = None,
    cluster: Cluster = None,
    cluster_ca: ClusterCa = None,
    cluster_cert: ClusterCert = None,
    cluster_key: ClusterKey = None,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
    journal: JournalFile = None,
    resume: Resume = False,
    certificates: CertificatesOut = None,
    report: ReportOut = None,
    json: Json = False,
) -> None:
    """Read the arguments, audit, write the files, print."""
    skew, allowed = Skew.of(alpha, epsilon), as_rational(delta, "--delta")
    memory = None if memory_limit is None else parse_size(memory_limit)
    tls = tls_of(cluster, cluster_ca, cluster_cert, cluster_key)
    _check_outputs(certificates, report)
    chain = model.load()
    neighbours, relation_text = relation_of(chain, relation, pairs, with_label, hamming)
    path = journal or _default_journal(model, chain, skew)
    with _settled(None if journal else path), interruptible(None) as budget, _progress() as watcher:
        settings = AuditSettings(jobs, time_limit, memory, cluster, path, resume, budget, watcher, _say, tls)
        found = run_audit(chain, neighbours, skew, allowed, settings)
    if journal is None and path is not None:
        _remove_or_tell(path, found)
    if certificates is not None:
        _write_certificates(certificates, chain, found)
    if report is not None:
        _write_report(report, model, chain, found, relation_text, certificates)
    if json:
        print_json(audit_json(found))
    else:
        typer.echo(summary(found))
    if found.answer is not Answer.HOLDS:
        raise typer.Exit(VIOLATED if found.answer is Answer.VIOLATED else LIMIT_REACHED)


def _check_outputs(certificates: Path | None, report: Path | None) -> None:
    """Refuse before the work, and not after it, what cannot be written. Raises: ParameterError."""
    if report is not None and (report.is_dir() or not report.absolute().parent.is_dir()):
        raise ParameterError(f"cannot write {report}: its folder is not there, or it is a folder")
    if certificates is not None:
        try:
            certificates.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ParameterError(f"cannot write {certificates}: {error.strerror or error}") from None


def _default_journal(model: Model, chain: LabelledMarkovChain, skew: Skew) -> Path | None:
    """A name that another run of the same audit finds again, and other audits do not use.

    None, and a word about it, where this folder cannot be written to.
    """
    if not os.access(Path.cwd(), os.W_OK):
        _say("this folder cannot be written to, so there is no journal; --journal names one elsewhere")
        return None
    subject = f"{fingerprint(chain)} {rational_text(skew.alpha)} {rational_text(skew.attack_alpha)}"
    return Path(f"{model.path.stem}.audit-{hashlib.sha256(subject.encode()).hexdigest()[:8]}.jsonl")


@contextmanager
def _settled(path: Path | None) -> Iterator[None]:
    """Without a journal that nobody asked for, if the audit is refused before anything is in it."""
    is_new = path is not None and not path.exists()
    try:
        yield
    except BdistError:
        if path is not None and is_new and path.exists() and path.read_bytes().count(b"\n") <= 1:
            path.unlink()
        raise


def _remove_or_tell(path: Path, found: Audit) -> None:
    """Remove a journal that nobody asked for and nobody needs; say where one is that is still of use."""
    if found.limit is None and all(finding.answer is not Answer.UNKNOWN for finding in found.findings):
        path.unlink(missing_ok=True)
    else:
        _say(f"what is proved is kept in {path}; --resume goes on with it, with other limits if you like")


def _write_certificates(folder: Path, chain: LabelledMarkovChain, found: Audit) -> None:
    write_file(folder / "model.lmc", lmc.write(chain))
    for name, text in found.certificates.items():
        write_file(folder / f"{name}.json", text)


def _write_report(
    path: Path,
    model: Model,
    chain: LabelledMarkovChain,
    found: Audit,
    relation_text: str,
    certificates: Path | None,
) -> None:
    from bdist.audits.report.document import write_report  # only where it is asked for

    with interruptible(_CURVE_SECONDS) as budget:
        curve = _curve(chain, found, budget)
    write_report(
        path,
        found,
        chain,
        model_file=str(model.path),
        relation_text=relation_text,
        command=shlex.join(["bdist", *sys.argv[1:]]),
        curve=curve,
        certificates=None if certificates is None else str(certificates),
    )


def _curve(chain: LabelledMarkovChain, found: Audit, budget: Budget) -> Curve | None:
    """delta against epsilon for the worst pair, around the audited epsilon."""
    from bdist.audits.curve import CurveSettings, compute_curve

    if not found.findings:
        return None
    last = 4 * log_up(found.attack_alpha) or Fraction(1)
    settings = CurveSettings(points=_CURVE_POINTS, budget=budget)
    return compute_curve(chain, found.findings[0].pair, (Fraction(0), last), "tv", settings)


def _say(text: str) -> None:
    typer.echo(f"bdist: {text}", err=True)


class _Bar:
    """The state of an audit on the terminal, with an estimate of the time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=12),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[tally]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self.bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._task = self.bar.add_task("audit", total=None, tally="", left="")

    def __call__(self, progress: Progress) -> None:
        tally = f"{progress.holds} hold, {progress.violated} violated of {progress.total // 2} pairs"
        seconds = progress.seconds_left
        left = "" if seconds is None else f"about {timedelta(seconds=round(seconds))} left"
        self.bar.update(
            self._task,
            description=progress.phase,
            completed=progress.done,
            total=progress.total,
            tally=tally,
            left=left,
        )


@contextmanager
def _progress() -> Iterator[_Bar | None]:
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    with bar.bar:
        yield bar
