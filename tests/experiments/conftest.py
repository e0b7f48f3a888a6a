"""A workbench on the small collection, with the tiny encoder."""

from __future__ import annotations

import importlib.util
import sys
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


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.spec_from_file_location(
        "make_clefip", Path(__file__).parents[2] / "benchmarks" / "make_clefip.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_clefip"] = module
    spec.loader.exec_module(module)
    root = tmp_path_factory.mktemp("clef-ip")
    module.make(root, documents=240, topics=8, seed=1)
    return root


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")
