"""How kernels are compiled and kept: never stale, also where nothing can be kept, and nowhere else in the project."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sparse_coverage
from sparse_coverage.kernels.compiling import code_cache, compiled
from sparse_coverage.kernels.instructions import prefetch

PACKAGE = Path(sparse_coverage.__file__).parent
RUN = """
import json
import numpy as np
from sparse_coverage.kernels.dense import row_distance
from sparse_coverage.kernels.scoring import _unchecked
row = np.array([[0.5, 0.25, 0, 0, 0, 0, 0, 0]], dtype=np.float32)
found = float(row_distance(row, 0, row, 0)), bool(_unchecked(np.array([1, 0], np.uint8), 0, 5000, 1))
print(json.dumps([*found, [len(kernel.stats.cache_hits) for kernel in (row_distance, _unchecked)]]))
"""
ONE = """
import json
import numpy as np
from sparse_coverage.kernels.scoring import _unchecked
print(json.dumps([bool(_unchecked(np.array([1, 0], np.uint8), 0, 5000, 1)), len(_unchecked.stats.cache_hits)]))
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The kernels alone, as a package of the same name: they need nothing else."""
    ignored = shutil.ignore_patterns("__pycache__")
    (tmp_path / "sparse_coverage").mkdir()
    (tmp_path / "sparse_coverage" / "__init__.py").touch()
    return Path(shutil.copytree(PACKAGE / "kernels", tmp_path / "sparse_coverage" / "kernels", ignore=ignored))


def run(kernels: Path, code: str = RUN) -> list[object]:
    environment = {**os.environ, "PYTHONPATH": str(kernels.parents[1])}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_an_edit_in_another_file_is_never_answered_with_old_code(copied: Path) -> None:
    assert run(copied) == [0.6875, True, [0, 0]]
    assert run(copied) == [0.6875, True, [1, 1]]  # kept: the run below would find it
    edit(copied / "instructions.py", "return builder.fadd(even, odd)", "return builder.fsub(even, odd)")
    edit(copied / "postings.py", "PAGE = 4096", "PAGE = 8192")  # a constant that a kernel elsewhere froze
    assert run(copied) == [0.8125, False, [0, 0]]  # 1 - (0.25 - 0.0625), and another page


def test_two_versions_of_numba_keep_their_code_beside_each_other(copied: Path) -> None:
    """They share a source tree where an older one is tried: each overwrote what the other had kept."""
    look = "import importlib.metadata\nimportlib.metadata.version = lambda name: '0.0.1'\n"
    older = f"{look}import numba\nnumba.__version__ = '0.0.1'\n"
    told = ONE.replace("_unchecked.stats.cache_hits)]", "_unchecked.stats.cache_hits), str(marker())]")
    told = told.replace("import json", "import json\nfrom sparse_coverage.kernels.choosing import marker")
    first, other, again = run(copied, told), run(copied, older + told), run(copied, told)
    assert (first[:2], other[:2], again[:2]) == ([True, 0], [True, 0], [True, 1])
    assert first[2] == again[2] != other[2]


def test_code_of_files_edited_under_way_is_not_kept(copied: Path) -> None:
    under_way = RUN.replace("row = ", f"open({str(copied / 'postings.py')!r}, 'a').write('# edited')\nrow = ")
    assert run(copied, under_way) == [0.6875, True, [0, 0]]
    assert not list(copied.glob("__pycache__/*.nbc"))


def test_kernels_work_where_nothing_can_be_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose file system is read-only: Numba then finds no place for its code."""
    assert compiled(imports).dispatcher  # by now every kernel has its place, which other tests look at
    monkeypatch.setattr(code_cache()._impl_class, "_locator_classes", [])

    @compiled
    def doubled(value: int) -> int:
        return 2 * value

    assert doubled(21) == 42


def test_fetching_ahead_changes_nothing_even_past_the_end() -> None:
    @compiled
    def total(values: np.ndarray) -> int:
        found = 0
        for place in range(len(values)):
            prefetch(values, place + 1_000_000)
            found += values[place]
        return found

    assert total(np.arange(1000)) == 499_500


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_only_kernels_import_numba_and_kernels_import_nothing_of_the_project() -> None:
    """What kernels freeze is in their own files, which the stamp covers."""
    for path in PACKAGE.rglob("*.py"):
        found = set(imports(path))
        if path.parent == PACKAGE / "kernels":
            assert not {name for name in found if name.startswith("sparse_coverage")} - {
                f"sparse_coverage.kernels.{other.stem}".removesuffix(".__init__") for other in path.parent.glob("*.py")
            }, path
        else:
            assert not {name for name in found if name.split(".")[0] in ("numba", "llvmlite")}, path


def test_counting_cores_loads_no_compiler(copied: Path) -> None:
    code = "import sys, sparse_coverage.kernels; print([int('numba' in sys.modules)])"
    assert run(copied, code) == [0]
