"""An index of made-up patents that every engine must rank in the same way, and the engines themselves."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from engine_collection import PATENTS, patent
from qdrant_server import REASON, Node, binary, running

from sparse_coverage import ActivationConfig, Index, Preset, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder


@pytest.fixture(scope="session")
def engine_model(tiny_encoder: OpenVinoEncoder) -> SparseCoverage:
    return SparseCoverage.fit(
        PATENTS, encoder=tiny_encoder, size=80, preset=Preset(activation=ActivationConfig(k=8, assignment="nearest"))
    )


@pytest.fixture(scope="session")
def _pristine(engine_model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engines") / "index"
    index = Index.build(folder, engine_model, PATENTS[:-6])
    # Several segments and a deleted document, as an index has that is in use.
    index.add(PATENTS[-6:])
    index.delete([PATENTS[3].id])
    return folder


@pytest.fixture
def local(_pristine: Path, engine_model: SparseCoverage, tmp_path: Path) -> Index:
    """An index that a test may change."""
    shutil.copytree(_pristine, tmp_path / "index")
    return Index.open(tmp_path / "index", encoder=engine_model.encoder, threads=1, ranking="centers")


@pytest.fixture(scope="session")
def queries() -> list[str]:
    random = np.random.default_rng(5)
    return [patent(1000 + number, random).claims[0].text for number in range(8)]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    """Two real Qdrant nodes on loopback."""
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed (extra [qdrant])")
    if binary() is None:
        pytest.skip(REASON)
    with running(tmp_path_factory.mktemp("qdrant"), nodes=2) as nodes:
        yield nodes
