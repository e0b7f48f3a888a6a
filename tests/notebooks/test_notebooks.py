"""The notebooks run from their first cell to their last, show what they say, and are kept without outputs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sparse_coverage.encoding.weights import cached_folder

ROOT = Path(__file__).parents[2]
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
# What a notebook shows at least: texts that it prints, and how many figures.
SHOWS = {
    "first-search": (["EP-9110112-A1", "3,909 centers", "1. "], 0),
    "explain-and-chart": (["all together; the score is", "disclosed", "not found", "washing machine"], 2),
    "research": (["letters", "MiniLM, pairs", "longest first", "held out", "p = "], 1),
    "vocabulary-explored": (["centers of 384 dimensions", "centers are named", "noise:"], 2),
}
RUN_ELSEWHERE = {"pyterrier": "tests/adapters/test_notebook.py"}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_kept_without_outputs(name: str) -> None:
    cells = json.loads(NOTEBOOKS[name].read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code), (
        "clear all outputs, then save"
    )


def test_every_notebook_is_run_and_on_the_page() -> None:
    assert set(NOTEBOOKS) == {*SHOWS, *RUN_ELSEWHERE}
    page = (ROOT / "docs" / "tutorial-researchers.md").read_text(encoding="utf-8")
    assert all(f"`notebooks/{name}.ipynb`" in page for name in NOTEBOOKS)
    assert all((ROOT / test).is_file() for test in RUN_ELSEWHERE.values())


@pytest.fixture(scope="session")
def notebooks_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where they are run: they share the index that the first one makes."""
    return tmp_path_factory.mktemp("notebooks")


@pytest.mark.parametrize("name", SHOWS)
def test_a_notebook_runs(name: str, notebooks_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in ("nbclient", "ipykernel", "matplotlib"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    if cached_folder("minilm") is None:
        pytest.skip("the default encoder is not in the cache; .ci/run comes back after the demo")
    import nbformat
    from nbclient import NotebookClient

    source = str(ROOT / "src")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
    NotebookClient(
        notebook, timeout=1500, kernel_name="python3", resources={"metadata": {"path": str(notebooks_folder)}}
    ).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    printed = "".join(output.get("text", "") for output in outputs)
    texts, figures = SHOWS[name]
    assert [text for text in texts if text not in printed] == [], printed
    assert sum("image/png" in output.get("data", {}) for output in outputs) == figures
    if keep := os.environ.get("SPARSE_COVERAGE_KEEP_NOTEBOOKS"):  # to look at what they show
        nbformat.write(notebook, Path(keep) / f"{name}.ipynb")
