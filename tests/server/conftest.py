"""A small index with a side, on a tiny encoder that can be loaded again by name, and a server of it in this process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from letters_side import Letters, install_letters
from made_documents_for_charts import made_calibration
from served_devices import made_patents
from starlette.testclient import TestClient

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.retrievers import refresh_sides
from sparse_coverage.server.app import create_app
from sparse_coverage.server.settings import ServerLimits, ServerSettings


@pytest.fixture(scope="session", autouse=True)
def _installed() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        install_letters(patch)
        yield


@pytest.fixture(scope="session")
def made(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index `devices` and a `calibration.json`. They are only read."""
    folder = tmp_path_factory.mktemp("served")
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    patents = made_patents()
    model = SparseCoverage.fit(patents, encoder=encoder, size=60)
    Index.build(folder / "devices", model, patents)
    refresh_sides(folder / "devices", [Letters()])
    made_calibration(encoder).save(folder / "calibration.json")
    return folder


@pytest.fixture(scope="session")
def settings(made: Path) -> ServerSettings:
    return ServerSettings(
        {"devices": made / "devices"}, calibration=made / "calibration.json", limits=ServerLimits(concurrency=2)
    )


class ReadingClient(TestClient):
    """Asks, and changes no project: many tests share its server, and each must find it as if it were the first."""

    def request(self, method: str, url: Any, **given: Any) -> Any:
        changes = method not in ("GET", "HEAD", "OPTIONS") and "/projects" in str(url)
        assert not changes, (
            "This server is shared: take the fixture `own_client` or `keeping` for what changes projects."
        )
        return super().request(method, url, **given)


@pytest.fixture(scope="session")
def client(settings: ServerSettings) -> Iterator[TestClient]:
    """A client of a server that nothing changes."""
    with ReadingClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def own_client(settings: ServerSettings) -> Iterator[TestClient]:
    """A client of a server that no other test asks. It keeps no projects."""
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def keeping(settings: ServerSettings, tmp_path: Path) -> Iterator[TestClient]:
    """A client of a server that no other test asks. It keeps projects."""
    app = create_app(replace(settings, projects=tmp_path / "projects"))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as found:
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
    from browsing import CHROMIUM, FLAGS
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
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
