"""The documentation site: built without a broken link, and what is generated for it is made from the program as it is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

import check_site  # noqa: E402
import generate  # noqa: E402


def test_what_is_generated_and_committed_is_up_to_date() -> None:
    for name, text in generate.committed().items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"{name}: run make docs"


def test_every_command_and_every_public_name_is_on_a_page_that_the_site_is_built_with() -> None:
    made = generate.built()
    assert "### index verify" in made["commands.md"]
    assert set(made) >= {"commands.md", "reference/index.md", "reference/documents.md", "reference/searching.md"}
    assert "read_patents" in made["reference/index.md"]


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the site in a folder of their own."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_pages_at_the_top_link_to_what_is_there() -> None:
    assert check_site.source_faults(ROOT) == []


@pytest.mark.parametrize(
    ("mistake", "told"),
    [("[gone](no-such-page.md)", "no-such-page.md"), ("[gone](search.md#no-such-heading)", "no-such-heading")],
)
def test_a_broken_link_is_refused(sources: Path, tmp_path: Path, mistake: str, told: str) -> None:
    shutil.copytree(sources, tmp_path / "copy", ignore=shutil.ignore_patterns("reference", "site"))
    pages = tmp_path / "copy" / "docs"
    for path in pages.rglob("*.md"):
        path.write_text("# A page\n", encoding="utf-8")  # the rest of the site takes long to build
    (pages / "index.md").write_text(f"# Start\n\n{mistake}\n", encoding="utf-8")
    done = build(tmp_path / "copy")
    assert done.returncode != 0
    assert told in done.stderr


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        ('<a href="gone.html">gone</a>', "gone.html, which is not there"),
        ('<a href="page.html#gone">gone</a>', "no such heading"),
        ('<img src="https://example.org/a.png">', "loads https://example.org/a.png"),
        ('<script src="https://example.org/a.js"></script>', "loads https://example.org/a.js"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "loads //example.org/a.css"),
    ],
)
def test_a_mistake_in_the_built_pages_is_seen(tmp_path: Path, mistake: str, told: str) -> None:
    (tmp_path / "page.html").write_text(f"<h1 id='top'>A page</h1> <a href='#top'>up</a> {mistake}", encoding="utf-8")
    [fault] = check_site.site_faults(tmp_path)
    assert told in fault


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        ("[gone](docs/gone.md)", "docs/gone.md, which is not there"),
        ("[gone](docs/page.md#gone)", "no such heading"),
        ("As `benchmarks/gone.py` shows.", "benchmarks/gone.py, which is not there"),
    ],
)
def test_a_mistake_in_the_pages_at_the_top_is_seen(tmp_path: Path, mistake: str, told: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("# A page\n", encoding="utf-8")
    (tmp_path / "README.md").write_text(f"# Top\n\n[page](docs/page.md#a-page) {mistake}\n", encoding="utf-8")
    [fault] = check_site.source_faults(tmp_path)
    assert told in fault


def test_every_benchmark_is_on_the_page_of_results() -> None:
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    scripts = [path for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text(encoding="utf-8")]
    assert len(scripts) > 20
    assert [path.name for path in scripts if f"benchmarks/{path.name}" not in page] == []
