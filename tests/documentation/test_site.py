"""The documentation site: built without a broken link, and its generated pages are those of the program as it is."""

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
from _generate.errors import reason_and_advice, rules  # noqa: E402
from _generate.messages import messages  # noqa: E402


def test_the_generated_pages_are_up_to_date_and_none_is_left_over() -> None:
    generated = generate.files()
    for name, text in generated.items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"{name}: run make docs"
    assert {f"reference/{path.name}" for path in (DOCS / "reference").iterdir()} <= set(generated)


def test_every_error_is_on_its_page_with_a_reason_and_what_to_do_and_every_reason_is_used() -> None:
    found, unread = messages()
    assert unread == [], "the message of these errors cannot be read from the source: write it where it is raised"
    assert len(found) > 400
    known = rules()
    missing = [message for message in found if not all(reason_and_advice(message, known))]
    assert missing == [], "say in docs/_generate/errors.toml why these come up and what to do"
    for rule in known["rule"]:
        alone = {"rule": [rule], "kind": {}}
        assert any(reason_and_advice(message, alone)[0] for message in found), f"no message matches {rule['says']}"


@pytest.mark.parametrize(
    ("planted", "unread", "advised"),
    [
        (
            "class NewError(SparseCoverageError):\n    pass\n\n\ndef f(x):\n    raise NewError('The moon is down.')\n",
            False,
            False,
        ),
        ("def f(x):\n    raise InputError(f'The moon {x} is down.')\n", False, False),
        ("def f(x):\n    raise InputError(f'The moon {x} is down. Wait for the sun.')\n", False, True),
        ("def f(x):\n    raise InputError(x.moon())\n", True, False),
    ],
)
def test_a_planted_error_without_advice_is_seen(planted: str, unread: bool, advised: bool, tmp_path: Path) -> None:
    (tmp_path / "errors.py").write_text(
        "class SparseCoverageError(Exception): ...\nclass InputError(SparseCoverageError): ...\n"
    )
    (tmp_path / "sky.py").write_text(planted, encoding="utf-8")
    found, not_read = messages(tmp_path)
    assert bool(not_read) == unread
    if not unread:
        [message] = found
        assert bool(reason_and_advice(message, rules())[1]) == advised


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
