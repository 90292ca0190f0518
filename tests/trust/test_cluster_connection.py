"""The connection to a cluster: one that vanishes in the middle of an audit, and one that is encrypted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import distributed
import pytest

from bdist import Answer, ParameterError, audit, load
from bdist.audits import cluster as clusters
from bdist.audits.cluster import Tls, tls_of
from bdist.audits.entries import TaskRunner
from bdist.distances.compute import Skew
from tests.cli.runner import run_bdist
from tests.tools import program

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCRIPT = Path(sys.executable).with_name("bdist")
MODEL = ROOT / "instances" / "geometric" / "four-counts.lmc"
BENCH = TaskRunner(load(MODEL), Skew.of("3/2", None), Fraction(0), None)
QUESTION = ("audit", str(MODEL), "--pairs", "count0:count1,count1:count2", "--alpha", "3/2")


@contextmanager
def hosted(*arguments: str | Path) -> Iterator[str]:
    """A scheduler and a worker in a process of their own (`cluster_host`)."""
    code = (
        f"import sys; sys.path.insert(0, {str(HERE)!r}); import cluster_host; cluster_host.main(sys.argv[1:])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_a_cluster_that_vanishes_leaves_what_is_proved(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with hosted(journal) as address:
        done = run(*QUESTION, "--delta", "1/2", "--cluster", address, "--journal", journal)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith(f"bdist: what is proved is kept in {journal}; --resume goes on with it")
    assert done.stderr.count("\n") == 1
    assert f"the cluster at '{address}' is gone" in done.stdout
    assert journal.read_bytes().count(b"\n") > 1
    again = run(*QUESTION, "--delta", "1/2", "--journal", journal, "--resume")
    assert (again.returncode, again.stderr) == (0, "")


def test_a_scheduler_that_was_never_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(clusters, "_CONNECT_SECONDS", 0.5)
    done = run_bdist(*QUESTION, "--cluster", "tcp://127.0.0.1:9", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith("bdist: no cluster answers at 'tcp://127.0.0.1:9': ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_without_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(clusters, "_WORKER_SECONDS", 0.1)
    with hosted("") as address, distributed.Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        client.retire_workers()
        done = run_bdist(*QUESTION, "--cluster", address, cwd=tmp_path)
    message = f"bdist: the cluster at '{address}' cannot be used: it has no workers\n"
    assert (done.returncode, done.stdout, done.stderr) == (5, "", message)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority, a certificate that it has signed, and another authority."""
    folder = tmp_path_factory.mktemp("authority")
    openssl = program("openssl")
    new = (openssl, "req", "-newkey", "rsa:2048", "-nodes", "-batch", "-days", "2")

    def make(*command: str) -> None:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    for name in ("ca", "other"):
        make(*new, "-x509", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    make(*new, "-subj", "/CN=member", "-keyout", "member.key", "-out", "member.csr")
    signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
    make(openssl, "x509", "-req", "-in", "member.csr", *signing, "-days", "2", "-out", "member.pem")
    return folder


def test_an_encrypted_connection(authority: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ca, certificate, key = (authority / name for name in ("ca.pem", "member.pem", "member.key"))
    with hosted("", ca, certificate, key) as address:
        assert address.startswith("tls://")
        ours = ("--cluster-ca", ca, "--cluster-cert", certificate, "--cluster-key", key)
        done = run(*QUESTION, "--cluster", address, *ours, "--journal", tmp_path / "journal")
        assert (done.returncode, done.stderr) == (1, "")
        foreign = (
            "--cluster-ca",
            authority / "other.pem",
            "--cluster-cert",
            certificate,
            "--cluster-key",
            key,
        )
        done = run(*QUESTION, "--cluster", address, *foreign, "--journal", tmp_path / "other")
        assert (done.returncode, done.stdout) == (5, "")
        assert done.stderr.startswith(f"bdist: no cluster answers at '{address}': ")
        both = tmp_path / "both.pem"
        both.write_bytes(certificate.read_bytes() + key.read_bytes())
        pairs = [("count0", "count1")]
        found = audit(load(MODEL), pairs, alpha="3/2", cluster=address, cluster_ca=ca, cluster_cert=both)
        assert found.answer is Answer.VIOLATED


def test_the_files_of_an_encrypted_connection(tmp_path: Path) -> None:
    file = tmp_path / "file.pem"
    file.touch()
    assert tls_of("tcp://here:1", None, None, None) is None
    assert tls_of("tls://here:1", file, file, None) == Tls(file, file)
    for cluster, ca, certificate, key, complaint in (
        (None, file, file, None, "but no cluster"),
        ("tls://here:1", None, None, file, "needs who signs for it"),
        ("tls://here:1", file, None, None, "needs who signs for it"),
        ("tcp://here:1", file, file, None, "begins with tls://: 'tcp://here:1'"),
        ("here:1", file, file, None, "begins with tls://: 'here:1'"),
        ("tls://here:1", file, tmp_path, None, "is not a file"),
    ):
        with pytest.raises(ParameterError, match=complaint):
            tls_of(cluster, ca, certificate, key)
    done = run(*QUESTION, "--cluster-key", file)
    assert (done.returncode, done.stdout) == (2, "")
