"""A workbench on the small collection, with the tiny encoder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_collection import small_collection

from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.options import SystemOptions


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(small_collection(), tmp_path / "cache", threads=1) as found:
        yield found


@pytest.fixture
def options(tiny_checkpoint: Path) -> SystemOptions:
    return SystemOptions(encoder=str(tiny_checkpoint), size=40)
