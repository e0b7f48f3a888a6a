"""The notebook runs from its first cell to its last, and shows what it says."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sparse_coverage.encoding.weights import cached_folder

for needed in ("pyterrier", "ir_datasets", "nbclient", "ipykernel"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")
pytestmark = pytest.mark.skipif(cached_folder("minilm") is None, reason="the default encoder is not in the cache")

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "pyterrier.ipynb"
SOURCE = Path(__file__).parents[2] / "src"


def test_search_then_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = {
        cell.source: output["data"]["text/plain"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    }
    [charted] = [text for source, text in shown.items() if source.startswith("charted = pipeline")]
    assert "disclosed" in charted
    assert "[1a" in charted  # labels of the elements that the first document has
    [results] = [text for source, text in shown.items() if "pt.Experiment" in source]
    assert "Sparse Coverage" in results
    values = [float(word) for word in results.split() if word.count(".") == 1 and word.replace(".", "").isdigit()]
    assert len(values) == 4
    assert all(0.3 < value <= 1 for value in values)
    [measured] = [text for source, text in shown.items() if "calc_aggregate" in source]
    assert {"'AP'", "'nDCG@10'", "'R@10'"} <= {word.strip("{},:") for word in measured.split()}
    assert all(0.3 < float(value) <= 1 for value in re.findall(r"\d\.\d+", measured))
