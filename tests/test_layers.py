"""The order of the packages is enforced: an import against it makes `make lint` fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytest.importorskip("importlinter", reason="import-linter is not installed (extra [dev])")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package and its contracts, without the demo's patents."""
    shutil.copytree(
        ROOT / "src" / "sparse_coverage",
        tmp_path / "src" / "sparse_coverage",
        ignore=shutil.ignore_patterns("__pycache__", "collection"),
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_import_against_the_order_is_refused(copy: Path) -> None:
    planted = {
        "encoding/encoder.py": "from sparse_coverage.search import results",  # a later package
        "index/manifest.py": "from sparse_coverage.index import writer",  # which imports this one
        "evaluation/trec.py": "import sparse_coverage",  # everything at once
        "patents/patent.py": "import numba",  # the kernels' own business
    }
    for name, line in planted.items():
        path = copy / "src" / "sparse_coverage" / name
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    (copy / "src" / "sparse_coverage" / "claim_charts.py").touch()  # a module without a place
    done = lint(copy)
    assert done.returncode != 0
    assert "claim_charts" in done.stdout
    (copy / "src" / "sparse_coverage" / "claim_charts.py").unlink()
    done = lint(copy)
    assert done.returncode != 0
    assert "0 kept, 4 broken" in done.stdout, done.stdout
    for name in ("encoding.encoder -> sparse_coverage.search", "evaluation.trec -> sparse_coverage", "patent -> numba"):
        assert f"{name}" in done.stdout
