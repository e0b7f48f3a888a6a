"""Lint refuses what tools leave behind and tests that draw by chance; programs beside the package fit it."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from tidy import problems

ROOT = Path(__file__).parents[1]


def test_tracked_caches_and_unseeded_generators_are_told_with_their_places(tmp_path: Path) -> None:
    for name, content in {
        "src/package/module.py": "import random\nrandom.Random()\n",  # what a program draws is its own business
        "src/package/__pycache__/module.pyc": "",
        "tests/.schemathesis/cache/manifest.json": "{}",
        "tests/test_drawing.py": "import numpy as np\ngood = np.random.default_rng(1)\nbad = np.random.default_rng()\nhash('x')\n",
        "docs/site.md": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    for command in (["init", "-q"], ["add", "--force", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert [problem.partition(" ")[0] for problem in problems(tmp_path)] == [
        "src/package/__pycache__/module.pyc",
        "tests/.schemathesis/cache/manifest.json",
        "tests/test_drawing.py:3",
        "tests/test_drawing.py:4",
    ]


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "fuzz", "soak", "tools"])
def test_what_programs_beside_the_package_take_from_it_is_there(folder: str) -> None:
    missing = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sparse_coverage"):
                module = importlib.import_module(str(node.module))
                names = [one.name for one in node.names if not hasattr(module, one.name)]
                missing += [f"{path.name}: {name}" for name in names if not find_spec(f"{node.module}.{name}")]
    assert missing == []
