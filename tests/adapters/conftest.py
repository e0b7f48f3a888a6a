"""The small index, once for all adapters."""

from __future__ import annotations

from pathlib import Path

import pytest
from adapted_index import PATENTS

from sparse_coverage import ActivationConfig, Index, Preset, SparseCoverage
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder


@pytest.fixture(scope="session")
def adapted_model(tiny_checkpoint: Path) -> SparseCoverage:
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    activation = ActivationConfig(k=8, assignment="nearest")
    return SparseCoverage.fit(PATENTS, encoder=encoder, size=50, preset=Preset(activation=activation))


@pytest.fixture(scope="session")
def adapted(adapted_model: SparseCoverage, tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("adapted") / "index"
    Index.build(folder, adapted_model, PATENTS)
    return Index.open(folder)  # in the precision of this machine, as adapters open it
