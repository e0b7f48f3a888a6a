"""Fixtures for every test: a tiny random BERT that needs no download."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from tiny_bert import write_checkpoint

from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder

settings.register_profile("house", deadline=None, print_blob=True)
settings.load_profile("house")


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("tiny-bert"))


@pytest.fixture(scope="session")
def tiny_encoder(tiny_checkpoint: Path) -> OpenVinoEncoder:
    return OpenVinoEncoder(tiny_checkpoint, name="tiny", precision="fp32", threads=1)
