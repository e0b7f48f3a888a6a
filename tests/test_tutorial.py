"""The session in docs/tutorial.md does what it shows: every command is run, and what it prints is compared."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sparse_coverage.encoding.store import cached_folder

DOCS = Path(__file__).parents[1] / "docs"
for needed in ("docx", "pypdf", "openpyxl", "Stemmer"):
    pytest.importorskip(needed, reason="the extras [documents], [office] and [baselines] are not installed")
pytestmark = pytest.mark.skipif(
    cached_folder("minilm") is None, reason="the default encoder is not in the cache; .ci/run comes back after the demo"
)
_SCORE = re.compile(r"\d+\.\d{2,}|\d+,\d{3}")
_PROGRESS = re.compile(
    r"^[A-Z][a-z]+ing\b.*\n", re.M
)  # plain lines on a slow machine; at a terminal a bar that vanishes


def session() -> list[tuple[str, str]]:
    """Return the commands of the page, each with what it prints."""
    [block] = re.findall(r"```console\n(.*?)```", (DOCS / "tutorial.md").read_text(encoding="utf-8"), re.S)
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def comparable(text: str) -> str:
    """Return what must be the same: scores and postings differ a little where a processor computes in other precision."""
    return " ".join(_SCORE.sub("#", text).split())


def test_the_session_of_the_tutorial_prints_what_the_page_shows(tmp_path: Path) -> None:
    shutil.copytree(DOCS / "tutorial-files", tmp_path / "files")
    program = tmp_path / "bin" / "sparse-coverage"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sparse_coverage "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    for command, expected in session():
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path / "files",
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            capture_output=True,
            encoding="utf-8",
        )
        told = _PROGRESS.sub("", done.stderr) + done.stdout
        pieces = [re.escape(comparable(piece)) for piece in re.split(r"^\.\.\.$", expected, flags=re.M)]
        pattern = r"\s*.*\s*".join(pieces).replace(r"\ ", r"\s+")
        assert re.fullmatch(pattern, comparable(told), re.S), f"$ {command}\n{told}"
    report = tmp_path / "files" / "report.docx"
    assert report.stat().st_size > 10_000
    assert 25 <= sum(1 + len(expected.splitlines()) for _, expected in session()) <= 36
