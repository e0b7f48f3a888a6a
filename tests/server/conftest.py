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
    return _environment()


def _environment() -> dict[str, str]:
    import sparse_coverage

    source = str(Path(sparse_coverage.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": source, "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def workbench(made, tmp_path_factory):
    """A server in a process of its own, for the tests in a browser."""
    from running import Running

    folder = tmp_path_factory.mktemp("browser")
    found = Running(made, folder / "projects", _environment(), folder / "log")
    yield found
    found.stop()


@pytest.fixture(scope="module")
def browser():
    """A real browser. It goes with the module: while it is there, no other event loop can run in this thread."""
    from browsing import CHROMIUM
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def desks(browser, workbench):
    """Makes desks; nothing may have gone wrong at any of them."""
    from browsing import Desk

    made = []

    def sit_down(at=workbench, **wishes):
        made.append(Desk(browser, at, **wishes))
        return made[-1]

    yield sit_down
    for desk in made:
        desk.close()
    assert [desk.wrong for desk in made] == [[]] * len(made)


@pytest.fixture
def desk(desks):
    return desks()
