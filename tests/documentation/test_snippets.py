"""Every command and snippet of the pages: run, or marked with the reason why not, and then at least its names are checked.

A block of code that is not run here has a line before it: <!-- not run: the reason -->.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_folder import CLAIM, write_folder
from snippets import RUN_BY, Block, blocks_of, command_faults, faults, inline_commands, pages

from sparse_coverage.cli import cli

ROOT = Path(__file__).parents[2]
RUN_HERE = [page for page in pages() if page not in RUN_BY]
TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in pages()}


def to_run(page: str, text: str) -> list[Block]:
    """Return the blocks of a page that are to be run."""
    return [block for block in blocks_of(page, text) if block.kind in {"bash", "python"} and not block.reason]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the pages speak of, and beside it the cache. Both are only copied."""
    for needed in ("docx", "openpyxl", "matplotlib"):
        pytest.importorskip(needed, reason="the extras of `make test` are not installed")
    folder = tmp_path_factory.mktemp("documented")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARSE_COVERAGE_CACHE", str(folder / "cache"))
        write_folder(folder / "work")
    return folder


@pytest.fixture
def work(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to work in, as a user who has typed nothing yet."""
    shutil.copytree(made, tmp_path / "made")
    monkeypatch.setenv("SPARSE_COVERAGE_CACHE", str(tmp_path / "made" / "cache"))
    monkeypatch.chdir(tmp_path / "made" / "work")
    program = tmp_path / "bin" / "sparse-coverage"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sparse_coverage "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "made" / "work"


def run(blocks: list[Block]) -> None:
    """Run blocks one after another, as somebody who follows a page."""
    names: dict[str, object] = {"claim": CLAIM}
    for block in blocks:
        if block.kind == "python":
            exec(compile(block.code, str(block), "exec"), names)
        else:
            for command in block.commands:
                run_command(command, block)


def run_command(command: str, block: Block) -> None:
    words = shlex.split(command, comments=True)
    bare = re.sub(r"\"[^\"]*\"|'[^']*'|\s#.*", "", command)
    if words[0] == "sparse-coverage" and not re.search(r"[|;<>$]|&&", bare):
        done = CliRunner().invoke(cli, words[1:])
        failed, told = done.exit_code != 0, f"{done.output}\n{done.exception!r}"
    else:
        finished = subprocess.run(["sh", "-ec", command], capture_output=True, text=True, timeout=120, check=False)
        failed, told = finished.returncode != 0, finished.stdout + finished.stderr
    assert not failed, f"{block}\n$ {command}\n{told}"


@pytest.mark.parametrize("page", RUN_HERE)
def test_the_snippets_of_a_page_run(page: str, work: Path) -> None:
    blocks = to_run(page, TEXTS[page])
    for name in ("my-index", "my-model"):
        if any(f"-o {name}" in block.code or f'learn("{name}"' in block.code for block in blocks):
            shutil.rmtree(work / name)  # the page makes it
    run(blocks)


@pytest.mark.parametrize("page", TEXTS)
def test_what_a_page_names_is_there(page: str) -> None:
    wrong = [f"{block}: {fault}" for block in blocks_of(page, TEXTS[page]) for fault in faults(block)]
    wrong += [f"{page}: {fault}" for command in inline_commands(TEXTS[page]) for fault in command_faults(command)]
    assert wrong == []


def test_every_page_that_another_test_runs_is_read_by_it() -> None:
    for page, test in RUN_BY.items():
        assert page.rpartition("/")[2] in (ROOT / test).read_text(encoding="utf-8"), f"{test} does not read {page}"


# What the tests of those pages take up: blocks of other kinds must be marked.
@pytest.mark.parametrize(
    ("page", "kinds", "has"),
    [
        ("docs/api.md", {"python"}, ">>> "),
        ("docs/rest.md", {"bash"}, "$SERVER"),
        ("docs/tutorial.md", {"console"}, "$ "),
        ("docs/tutorial-researchers.md", {"console"}, "$ "),
    ],
)
def test_those_tests_take_up_every_block_that_is_not_marked(page: str, kinds: set[str], has: str) -> None:
    code = [
        block
        for block in blocks_of(page, TEXTS[page])
        if block.kind in {"bash", "python", "console"} and not block.reason
    ]
    assert code
    assert [str(block) for block in code if block.kind not in kinds or has not in block.code] == []


def test_most_snippets_run() -> None:
    blocks = [block for page, text in TEXTS.items() for block in blocks_of(page, text)]
    code = [block for block in blocks if block.kind in {"bash", "python", "console"}]
    marked = [block for block in code if block.reason]
    assert len(marked) < len(code) / 3
    assert all(len(block.reason.split()) >= 3 for block in marked), "a reason is a few words at least"


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        ("```bash\nsparse-coverage serch my-index claim.txt\n```\n", "no command serch"),
        ("```bash\nsparse-coverage search my-index claim.txt --befor 2001\n```\n", "no option --befor"),
        (
            "<!-- not run: needs a cluster -->\n```bash\nsparse-coverage fit patents -o m --at ray\n```\n",
            "no option --at",
        ),
        ("```bash\npython benchmarks/nothing.py\n```\n", "no benchmarks/nothing.py"),
        ("```python\nfrom sparse_coverage.index import Indx\n```\n", "has no Indx"),
        ("```python\nfor hit in\n```\n", "invalid syntax"),
        ("```\nsparse-coverage demo\n```\n", "no language"),
        ("```text\nsparse-coverage demo\n```\n", "another kind than bash"),
    ],
)
def test_a_planted_mistake_is_seen_without_running_anything(mistake: str, told: str) -> None:
    page = f"# A page\n\nSome words.\n\n{mistake}"
    assert told in " ".join(fault for block in blocks_of("page.md", page) for fault in faults(block))


def test_a_mistake_in_a_sentence_is_seen() -> None:
    assert inline_commands("Type `sparse-coverage search my-index --befor 2001` there.") == [
        "sparse-coverage search my-index --befor 2001"
    ]
    assert command_faults("sparse-coverage search my-index --befor 2001") == ["search has no option --befor"]
