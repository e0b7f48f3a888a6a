"""The examples in the docstrings of the package are tests too."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

# Modules that cannot be imported without an extra.
NEEDS = {
    "haystack": "haystack",
    "langchain": "langchain_core",
    "mteb": "mteb",
    "pyterrier": "pyterrier",
    "pyterrier_chart": "pyterrier",
}
collect_ignore = [
    f"src/sparse_coverage/adapters/{module}.py" for module, needs in NEEDS.items() if not find_spec(needs)
]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Look for examples in `src/` only: among the tests are programs that run when they are imported."""
    found = yield
    examples_wanted = Path(__file__).parent / "src" in file_path.parents
    return [collector for collector in found if examples_wanted or type(collector) is pytest.Module]
