"""The sessions in docs/tutorial.md and docs/tutorial-researchers.md do what they show: their commands print what the pages say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sparse_coverage.encoding.weights import cached_folder

DOCS = Path(__file__).parents[2] / "docs"


def encoder(test):
    """For a test that needs the default encoder, which `make test` does not fetch."""
    missing = pytest.mark.skipif(cached_folder("minilm") is None, reason="the default encoder is not in the cache")
    return pytest.mark.encoder(missing(test))


_SCORE = re.compile(r"\d+\.\d{2,}|\d+,\d{3}|(?<=rank )\d+")
_NUMBER = re.compile(r"(?<![\w.=,-])[+±-]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?![\w.-]*[A-Za-z])")
_PROGRESS = re.compile(
    r"^[A-Z][a-z]+ing\b.*\n", re.M
)  # plain lines on a slow machine; at a terminal a bar that vanishes


def session(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page, each with what it prints."""
    blocks = re.findall(r"```console\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S)
    parts = [part for block in blocks for part in re.split(r"^\$ (.*)\n", block, flags=re.M)[1:]]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture
def typed(tmp_path: Path):
    """Runs a command in a copy of the tutorial's files; returns what it tells."""
    for needed in ("docx", "pypdf", "openpyxl", "matplotlib"):
        pytest.importorskip(needed, reason="the extras [documents], [office] and [plot] are not installed")
    shutil.copytree(DOCS / "tutorial-files", tmp_path / "files")
    program = tmp_path / "bin" / "sparse-coverage"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sparse_coverage "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    def call(command: str) -> str:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path / "files",
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            capture_output=True,
            encoding="utf-8",
        )
        return _PROGRESS.sub("", done.stderr) + done.stdout

    return call


def comparable(text: str) -> str:
    """Return what must be the same: scores and postings differ a little where a processor computes in other precision."""
    return " ".join(_SCORE.sub("#", text).split())


def same(expected: str, told: str) -> bool:
    """Tell whether a text is the expected one, in which `...` on a line of its own stands for anything."""
    pieces = [re.escape(piece) for piece in re.split(r"(?<=\s)\.\.\.(?=\s|$)", f"{expected} ")]
    pattern = r"\s*.*\s*".join(piece.rstrip().removesuffix("\\") for piece in pieces)
    return re.fullmatch(pattern.replace(r"\ ", r"\s+") + r"\s*", told, re.S) is not None


@encoder
def test_the_session_of_the_tutorial_prints_what_the_page_shows(typed, tmp_path: Path) -> None:
    for command, expected in session("tutorial.md"):
        told = typed(command)
        assert same(comparable(expected), comparable(told)), f"$ {command}\n{told}"
    report = tmp_path / "files" / "report.docx"
    assert report.stat().st_size > 10_000
    assert 25 <= sum(1 + len(expected.splitlines()) for _, expected in session("tutorial.md")) <= 36


def apart(text: str) -> str:
    """Return a text in which the two ends of an interval are two numbers."""
    return re.sub(r"(?<=\d)-(?=\d)", " to ", text)


def numbers(text: str) -> list[float]:
    return [float(number.lstrip("±+").replace(",", "")) for number in _NUMBER.findall(apart(text))]


def words(text: str) -> str:
    """Return a table without its numbers and without what follows from their width."""
    return " ".join(re.sub(r"─+", "─", _NUMBER.sub("#", apart(text))).split())


@encoder
def test_the_session_for_researchers_prints_what_the_page_shows(typed, tmp_path: Path) -> None:
    measured = 0
    for command, expected in session("tutorial-researchers.md"):
        told = typed(command)
        assert same(words(expected), words(told)), f"$ {command}\n{told}"
        for shown, here in zip(numbers(expected), numbers(told), strict=False):
            assert here == pytest.approx(shown, abs=5, rel=0.1), f"$ {command}\n{told}"
            measured += 1
    assert measured > 100
    assert (tmp_path / "files" / "report" / "sizes" / "vocabulary-size.svg").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("expected", "told", "alike"),
    [
        ("a b 3", "a   b 3", True),
        ("a ... z", "a b c z", True),
        ("a b", "a c", False),
        ("a b", "a b c", False),
        ("a (b) ...", "a (b) c d", True),
        ("a (b) ...", "a b c", False),
    ],
)
def test_the_comparison_sees_a_difference(expected: str, told: str, alike: bool) -> None:
    assert same(expected, told) == alike


def test_a_renewed_page_leaves_out_what_it_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    from renew_tutorials import shown

    assert shown("a\nb\n", "x\ny\n") == "a\nb\n"
    assert shown("a\nb\nc\nd\ne\n", "x\ny\n...\nz\n") == "a\nb\n...\ne\n"
    assert shown("a\nb\nc\n", "x\n...\n") == "a\n...\n"
