"""The blocks of a page of documentation, and how each is run.

A page is one folder and one Python namespace: its blocks run in their order, and see the files and names of
those before, and `instances`, `bdist` and `checker` of the project. The info string of a fence says what is
done:

* ``sh``: every command is run. One of `bdist` runs in this process, all else in a shell with `bdist` and
  `python` on its path. A ``text`` block that follows is what it prints, its notes first, seconds aside; a
  line ``...`` in it stands for any lines. A command ends with 0, unless its output is shown (then with 0, 1
  or 3, as an answer does) or ``# exit code N`` is behind it.
* ``python``: is executed. A comment behind an expression is its value, up to ``; ``, as `repr` or `str` or
  `print` have it; ``...`` in it stands for anything. Where the value is None the comment is only a comment.
  A ``text`` block that follows is what was printed.
* any language with ``title="NAME"``: is the file NAME, written and not run.
* ``text``, ``json``, ``yaml``, ``toml``, ``xml`` otherwise: shown only.

``<!-- not run: REASON -->`` in the line above leaves one block out; a test has the list of those.

    python -m tests.docs.blocks PAGE...

writes into pages what their blocks print now, where it is not what they show.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tests.cli.runner import ROOT, run_bdist

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>```+)(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)(?P=ticks) *$",
    re.DOTALL | re.MULTILINE,
)
_NOT_RUN = re.compile(r"<!-- not run: (?P<reason>[^\n]*) -->\s*\Z")
_TITLE = re.compile(r'title="(?P<name>[^"]*)"')
_EXIT_CODE = re.compile(r"\s+# exit code (?P<code>\d+)$")
SHOWN_ONLY = {"text", "json", "yaml", "toml", "xml"}


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, and the line of the page where it begins."""

    line: int
    language: str
    text: str
    title: str | None
    not_run: str | None
    output: str | None  # the text block that follows, if there is one and this one prints


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in their order."""
    found: list[Block] = []
    matches = list(_FENCE.finditer(page))
    for number, match in enumerate(matches):
        before = _NOT_RUN.search(page[: match.start()])
        title = _TITLE.search(match["info"])
        language = match["info"].split()[0] if match["info"].strip() else ""
        output = None
        if number + 1 < len(matches) and not title and language in {"sh", "python"}:
            after = matches[number + 1]
            if after["info"].strip() == "text" and not page[match.end() : after.start()].strip():
                output = textwrap.dedent(after["body"])
        found.append(
            Block(
                line=page.count("\n", 0, match.start()) + 1,
                language=language,
                text=textwrap.dedent(match["body"]),
                title=title["name"] if title else None,
                not_run=before["reason"] if before else None,
                output=output,
            )
        )
    return found


def without_seconds(text: str) -> str:
    """A text in which no time is told."""
    return re.sub(r"[0-9.e-]+ ?s\b", "N s", text).rstrip("\n")


def same(printed: str, shown: str) -> bool:
    """Whether what was printed is what is shown, seconds aside, a line ``...`` standing for any lines."""
    lines = without_seconds(shown).splitlines(keepends=True)
    pattern = "".join(r"(?:.*\n)*?.*\n?" if line.strip() == "..." else re.escape(line) for line in lines)
    return re.fullmatch(pattern, without_seconds(printed)) is not None


class Page:
    """A folder and a namespace in which the blocks of a page run."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        for linked in (ROOT / "instances", ROOT / "bdist", ROOT / "bdist" / "checker"):
            (folder / linked.name).symlink_to(linked)

    def run(self, block: Block) -> None:
        """Run a block, and compare what it prints with what is shown."""
        printed, where = self.printed_by(block), f"{self.name}:{block.line}"
        if block.output is not None:
            assert same(printed, block.output), f"{where}: shown\n{block.output}\nprinted\n{printed}"
        elif block.language == "python":
            assert not printed, f"{where}: printed, and not shown\n{printed}"

    def printed_by(self, block: Block) -> str:
        """Run a block; what it prints."""
        where = f"{self.name}:{block.line}"
        if block.title is not None:
            (self.folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.not_run is not None or block.language in SHOWN_ONLY:
            pass
        elif block.language == "sh":
            return self._run_commands(block, where)
        elif block.language == "python":
            return self._run_python(block, where)
        else:
            raise AssertionError(f"{where}: no such kind of block: {block.language or 'none'}")
        return ""

    def _run_commands(self, block: Block, where: str) -> str:
        printed = ""
        for command in _commands(block.text):
            expected = _EXIT_CODE.search(command)
            typed = _EXIT_CODE.sub("", command)
            out, err, code = self._run_command(typed)
            wanted = [int(expected["code"])] if expected else [0] if block.output is None else [0, 1, 3]
            assert code in wanted, f"{where}: {typed}: exit code {code}\n{out}{err}"
            assert not err or block.output is not None, f"{where}: {typed}: {err}"
            printed += err + out
        return printed

    def _run_command(self, typed: str) -> tuple[str, str, int]:
        words = shlex.split(typed, comments=True)
        if words[0] == "bdist" and not {"|", "&&", ";", ">", "<"} & set(words):
            with _inside(self.folder):
                listed = [sorted(map(str, Path().glob(word))) if "*" in word else [] for word in words[1:]]
                found = [names or [word] for names, word in zip(listed, words[1:], strict=True)]
            done = run_bdist(*chain.from_iterable(found), cwd=self.folder)
        else:
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            environment = {
                name: value for name, value in os.environ.items() if name != "CI"
            }  # pytest says more there
            done = subprocess.run(
                ["/bin/bash", "-euo", "pipefail", "-c", typed],
                cwd=self.folder,
                env={**environment, "PATH": path, "PYTHONWARNINGS": "error"},
                capture_output=True,
                text=True,
                check=False,
            )
        return done.stdout, done.stderr, done.returncode

    def _run_python(self, block: Block, where: str) -> str:
        out = io.StringIO()
        lines = block.text.splitlines()
        with _inside(self.folder), contextlib.redirect_stdout(out):
            for statement in ast.parse(block.text).body:
                source = ast.get_source_segment(block.text, statement)
                assert source is not None
                try:
                    if not isinstance(statement, ast.Expr):
                        code = compile(ast.Module([statement], []), where, "exec")
                        exec(code, self.names)  # noqa: S102 - the documentation is ours
                        continue
                    code = compile(ast.Expression(statement.value), where, "eval")
                    value = eval(code, self.names)  # noqa: S307
                except Exception as error:
                    error.add_note(f"{where}: {source}")
                    raise
                assert statement.end_lineno is not None
                assert statement.end_col_offset is not None
                tail = lines[statement.end_lineno - 1].encode()[statement.end_col_offset :].decode().strip()
                if value is not None and tail:
                    _compare_value(value, tail.removeprefix("# "), f"{where}: {source}")
        return out.getvalue()


def _commands(text: str) -> list[str]:
    """The commands of a block; a backslash at the end of a line goes on in the next."""
    joined = text.replace("\\\n", " ")
    return [line.strip() for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def _compare_value(value: object, comment: str, where: str) -> None:
    wanted = comment.split("; ")[0]
    pattern = re.escape(wanted).replace(r"\.\.\.", ".*")
    got = (repr(value), str(value))
    assert any(re.fullmatch(pattern, text, re.DOTALL) for text in got), f"{where}: {got[0]}, and not {wanted}"


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """As a script that lies in the folder: it is the current one, and modules are found there."""
    before, modules = Path.cwd(), set(sys.modules)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path.remove(str(folder))
        for name in set(sys.modules) - modules:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]


def _refresh(path: Path) -> None:
    """Write into a page what its blocks print."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        page = Page(str(path), Path(folder))
        for block in blocks(text):
            try:
                printed = page.printed_by(block)
            except Exception:
                traceback.print_exc(limit=-1)
                continue
            if block.output is not None and not same(printed, block.output):
                text = text.replace(f"```text\n{block.output}```", f"```text\n{printed}```", 1)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        _refresh(Path(argument))
