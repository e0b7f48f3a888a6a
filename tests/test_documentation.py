"""The documentation site: built without a broken link, and its generated pages are those of the program as it is."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


@pytest.mark.parametrize("name", ["commands.md", "errors.md"])
def test_a_generated_page_is_up_to_date(name: str) -> None:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert (DOCS / name).read_text(encoding="utf-8") == generate.PAGES[name]().rstrip("\n") + "\n", "run: make docs"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The sources of the site in a folder of their own."""
    shutil.copytree(DOCS, tmp_path / "docs")
    for name in ("mkdocs.yml", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_site_is_built_and_loads_nothing_from_elsewhere(copied: Path) -> None:
    done = build(copied)
    assert done.returncode == 0, done.stderr
    for page in (copied / "site").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        for loads in ('<script src="http', 'rel="stylesheet" href="http', '<img src="http'):
            assert loads not in text, f"{page.name} loads from the network"


@pytest.mark.parametrize(
    ("mistake", "told"),
    [("[gone](no-such-page.md)", "no-such-page.md"), ("[gone](search.md#no-such-heading)", "no-such-heading")],
)
def test_a_broken_link_is_refused(copied: Path, mistake: str, told: str) -> None:
    with (copied / "docs" / "index.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{mistake}\n")
    done = build(copied)
    assert done.returncode != 0
    assert told in done.stderr
