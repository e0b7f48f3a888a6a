"""A small index with the sides of hybrid, on a tiny encoder that can be loaded again by name, and a server of it in this process."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

for needed in ("fastapi", "uvicorn", "prometheus_client", "httpx"):
    pytest.importorskip(needed, reason="the extra [server] is not installed")

from made_documents_for_charts import claim_of, features, made_calibration, sentence
from starlette.testclient import TestClient

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.patents import Claim, Paragraph, Patent
from sparse_coverage.retrievers import Bm25, Dense, refresh_sides
from sparse_coverage.server.app import create_app
from sparse_coverage.server.settings import Limits, ServerSettings

LONG = " It is made for the user and serves him well for many years in all of his works."
WANTED = features(np.random.default_rng(11), 4)
CLAIM = claim_of(WANTED)
HOSTILE = "<script>alert(1)</script> & <img src=x onerror=alert(2)>"


def made_patents() -> list[Patent]:
    """Twelve devices: the first has all features of the claim, the next two half of them each; one has a hostile title."""
    chance = np.random.default_rng(12)
    sets = [WANTED, WANTED[:2], WANTED[2:], *(features(chance, 4) for _ in range(9))]
    return [
        Patent(
            f"EP-{1000001 + number}-A1",
            title=HOSTILE if number == 4 else f"Device {number}",
            claims=(
                Claim(
                    1,
                    claim_of(each) + (" <b>bold</b>" if number == 4 else ""),
                    "/patent-document/claims/claim[1]",
                    (),
                ),
            ),
            description=tuple(
                Paragraph(f"{sentence(one)}{LONG}", f"/patent-document/description/p[{place}]", f"{place:04}")
                for place, one in enumerate(each, 1)
            ),
            country="EP",
            kind="A1",
            language="en",
            publication_date=f"{1995 + number}-06-15",
            priority_date=f"{1993 + number}-06-15",
            ipc=("F16K 31/06",) if number % 2 else ("H04N 5/44", "G06F 3/01"),
            applicants=("Bosch GmbH",) if number % 3 else ("Thornbury Limited",),
            source="/srv/patents/secret folder/all.xml",
        )
        for number, each in enumerate(sets)
    ]


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


def events_of(text: str) -> list[tuple[str, object]]:
    """Return the server-sent events in a text."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found
