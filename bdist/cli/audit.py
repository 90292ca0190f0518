"""``bdist audit``: is a whole relation of neighbours private? With a journal, certificates and a report.

The order at the end matters: certificates and report are written, the verdict is printed, and only then a
journal that nobody asked for is removed. Until then, whatever fails can be had again with ``--resume``.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import typer

from bdist.audits.audit import JOURNAL_FAILED, Progress
from bdist.audits.findings import Audit, summary
from bdist.chains.chain import LabelledMarkovChain, fingerprint
from bdist.cli.models import Hamming, Model, Pairs, RelationFile, WithLabel, reads_model, relation_of
from bdist.cli.terminal import (
    Alpha,
    Epsilon,
    Json,
    check_writable,
    complain,
    flag,
    interruptible,
    option,
    print_report,
    status_line,
)
from bdist.distances.compute import Skew
from bdist.errors import BdistError, InputError, ParameterError
from bdist.exact.rationals import as_rational, rational_text
from bdist.printing import one_line, path_text
from bdist.queries import AuditQuery
from bdist.report import Report
from bdist.results import Answer
from bdist.text.files import make_folder

NAME = "audit"
HELP = "Decide (epsilon, delta)-differential privacy for every pair of neighbours, the worst first."
EXAMPLE = (
    "Example: bdist audit instances/geometric/four-counts.lmc --pairs count0:count1,count1:count2 "
    "--epsilon 'ln 2' --report audit.html"
)


@reads_model
def command(
    model: Model,
    relation: RelationFile = None,
    pairs: Pairs = None,
    with_label: WithLabel = None,
    hamming: Hamming = None,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    delta: str = option("D", "The delta that is allowed, read exactly.", default="0"),
    distances: bool = flag("--distances", "Compute bd and ld of every pair as well. They take longer."),
    group: int = option("K", "Compare also states that are up to K neighbours apart.", min=1, default=1),
    compose: int = option("K", "The observer sees K independent runs.", min=1, default=1),
    jobs: int | None = option(
        "N", "Processes that share the work. [default: BDIST_JOBS, or one a core]", min=1
    ),
    cluster: str | None = option("ADDRESS", "A Dask scheduler whose workers do the work (bdist[cluster])."),
    cluster_ca: Path | None = option(
        "FILE", "With --cluster tls://...: the certificate authority of both sides (PEM)."
    ),
    cluster_cert: Path | None = option("FILE", "With --cluster-ca: the certificate of this side."),
    cluster_key: Path | None = option("FILE", "With --cluster-cert: its key, if in another file."),
    pair_time_limit: float | None = option(
        "SECONDS", "Time for each pair; after that the bracket reached so far counts."
    ),
    memory_limit: str | None = option(
        "SIZE", "Memory for each pair, such as 2G; a pair that needs more keeps its bracket."
    ),
    journal: Path | None = option(
        "FILE", "Where results are kept as they come. [default: a file in this folder, removed at the end]"
    ),
    resume: bool = flag("--resume", "Go on with the journal: its results are checked again and used."),
    certificates: Path | None = option("DIR", "Write the model and all certificates into a folder."),
    report: Path | None = option("OUT.html", "Write a report, as one HTML file that needs no other."),
    json: Json = False,
) -> None:
    """Read the arguments, audit, write the files, print."""
    query = AuditQuery(
        Skew.of(alpha, epsilon),
        as_rational(delta, "--delta"),
        jobs,
        pair_time_limit,
        memory_limit,
        cluster,
        cluster_ca,
        cluster_cert,
        cluster_key,
        distances,
        group,
        compose,
    )
    _check_outputs(certificates, report)
    check_writable(report, model.path)
    chain = model.load()
    neighbours, relation_text = relation_of(chain, relation, pairs, with_label, hamming)
    if group > 1:
        relation_text += f"; neighbours of neighbours, up to {group} steps"
    path = journal or _default_journal(model, chain, query)
    with _kept(path, removable=journal is None):
        with interruptible() as budget, _progress() as watcher:
            found = query.answer(chain, neighbours, budget, path, resume, watcher, _say)
        with _answered_first(found, json):
            if certificates is not None:
                found.write_certificates(certificates)
            if report is not None:
                _write_report(report, model, chain, found, relation_text, certificates)
        _print(found, json)
    if path is not None:
        _remove_or_tell(path, found, removable=journal is None)
    if found.answer.exit_code:
        raise typer.Exit(found.answer.exit_code)


def _print(found: Audit, json: bool) -> None:
    print_report(Report(summary(found), found.document()), json)
    if sys.stdout is not None:
        sys.stdout.flush()


@contextmanager
def _answered_first(found: Audit, json: bool) -> Iterator[None]:
    """With the verdict printed, where the files that go with it cannot be written."""
    try:
        yield
    except BdistError:
        _print(found, json)
        raise


def _check_outputs(certificates: Path | None, report: Path | None) -> None:
    """Refuse before the work, and not after it, what cannot be written. Raises: ParameterError."""
    if report is not None and (report.is_dir() or not report.absolute().parent.is_dir()):
        raise ParameterError(f"cannot write {report}: its folder is not there, or it is a folder")
    if certificates is not None:
        make_folder(certificates)


def _default_journal(model: Model, chain: LabelledMarkovChain, query: AuditQuery) -> Path | None:
    """A name that another run of the same audit finds again, and other audits do not use.

    None, and a word about it, where this folder cannot be written to.
    """
    if not os.access(Path.cwd(), os.W_OK):
        _say("this folder cannot be written to, so there is no journal; --journal names one elsewhere")
        return None
    alphas = map(rational_text, (query.skew.alpha, query.skew.attack_alpha))
    header = " ".join((fingerprint(chain), *alphas, str(query.compose)))
    return Path(f"{model.path.stem}.audit-{hashlib.sha256(header.encode()).hexdigest()[:8]}.jsonl")


@contextmanager
def _kept(path: Path | None, removable: bool) -> Iterator[None]:
    """Whatever goes wrong: say where the journal is, or remove one that nobody asked for and has nothing."""
    before = _lines_in(path)
    try:
        yield
    except BaseException as error:
        after = _lines_in(path)
        is_refused = isinstance(error, InputError) and after == before  # such as the journal of another model
        if after > 1 and not is_refused:
            _say(f"what is proved is kept in {path_text(path)}; --resume goes on with it")
        elif path is not None and before < 0 <= after <= 1 and removable:
            path.unlink(missing_ok=True)
        raise


def _lines_in(path: Path | None) -> int:
    """How many lines a journal has; -1 where there is none."""
    if path is None:
        return -1
    try:
        with path.open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return -1


def _remove_or_tell(path: Path, found: Audit, removable: bool) -> None:
    """Remove a journal that nobody asked for and nobody needs; say where one is that is still of use."""
    if found.limit == JOURNAL_FAILED:
        _say(f"what was proved before that is kept in {path_text(path)}; --resume goes on with it")
    elif found.limit is None and all(finding.answer is not Answer.UNKNOWN for finding in found.findings):
        try:
            if removable:
                path.unlink(missing_ok=True)
        except OSError as error:
            _say(f"cannot remove {path_text(path)}, which is not needed any more: {error.strerror or error}")
    else:
        hint = "--resume goes on with it, with other limits if you like"
        _say(f"what is proved is kept in {path_text(path)}; {hint}")


def _write_report(
    path: Path,
    model: Model,
    chain: LabelledMarkovChain,
    found: Audit,
    relation_text: str,
    certificates: Path | None,
) -> None:
    from bdist.audits.report.document import PROFILE_SECONDS, profile_of_worst, write_report

    with interruptible(PROFILE_SECONDS) as budget:
        profile = profile_of_worst(found, chain, budget)
    write_report(
        path,
        found,
        chain,
        model_file=str(model.path),
        relation_text=relation_text,
        command=shlex.join(["bdist", *sys.argv[1:]]),
        profile=profile,
        certificates=None if certificates is None else str(certificates),
    )


def _say(text: str) -> None:
    complain(one_line(text))


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None] | None]:
    """Who shows the state of an audit on the terminal, with an estimate of the time left."""

    def show(now: Progress) -> None:
        if update is not None:
            tally = f"{now.holds} hold, {now.violated} violated of {now.pairs} pairs"
            seconds = now.seconds_left
            left = "" if seconds is None else f"about {timedelta(seconds=round(seconds))} left"
            update(description=now.phase, completed=now.done, total=now.total, tally=tally, left=left)

    with status_line(
        lambda rich: (
            *("{task.description}", rich.BarColumn(bar_width=12), "{task.percentage:>3.0f} %"),
            *("{task.fields[tally]}", rich.TimeElapsedColumn(), "{task.fields[left]}"),
        ),
        "audit",
        tally="",
        left="",
    ) as update:
        yield None if update is None else show
