"""A small index with the sides of hybrid, on a tiny encoder that can be loaded again by name, and a server of it in this process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_documents_for_charts import made_calibration
from served_devices import made_patents
from starlette.testclient import TestClient

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.retrievers import Bm25, Dense, refresh_sides
from sparse_coverage.server.app import create_app
from sparse_coverage.server.settings import Limits, ServerSettings


@pytest.fixture(scope="session")
def made(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index `devices` and a `calibration.npz`. They are only read."""
    folder = tmp_path_factory.mktemp("served")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    patents = made_patents()
    model = SparseCoverage.fit(patents, encoder=encoder, size=60)
    Index.build(folder / "devices", model, patents)
    refresh_sides(folder / "devices", [Bm25(), Dense(encoder)], encoder=encoder)
    made_calibration(encoder).save(folder / "calibration.npz")
    return folder


@pytest.fixture(scope="session")
def settings(made: Path) -> ServerSettings:
    return ServerSettings(
        {"devices": made / "devices"}, calibration=made / "calibration.npz", limits=Limits(concurrency=2)
    )


@pytest.fixture(scope="session")
def client(settings: ServerSettings) -> Iterator[TestClient]:
    """A client of a server that nothing changes."""
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """An index that a test may change."""
    return Path(shutil.copytree(made / "devices", tmp_path / "devices"))


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment for a process of its own, which finds this very package."""
    import sparse_coverage

    source = str(Path(sparse_coverage.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": source, "NO_COLOR": "1"}
