"""A real Ray cluster of two nodes on this machine, each with one core and processes of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_collection import FIT_HERE, patiently, write_collection

from sparse_coverage import Index, SparseCoverage, load_encoder, read_patents
from sparse_coverage.patents import Problem


@pytest.fixture(scope="session")
def nodes() -> Iterator[Any]:
    pytest.importorskip("ray", reason="Ray is not installed (extra [ray])")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    import ray
    from ray.cluster_utils import Cluster

    started = patiently(
        lambda: Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    )
    patiently(lambda: started.add_node(num_cpus=1))
    ray.init(address=started.address, log_to_driver=False, logging_level="error")
    started.wait_for_nodes()
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("collection") / "patents", documents=600, words=600)


@pytest.fixture(scope="session")
def local(collection: Path, tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one machine makes of the collection: the sample in `work`, the model, and the index."""
    folder = tmp_path_factory.mktemp("local")
    problems: list[Problem] = []
    model = SparseCoverage.fit(
        lambda: read_patents(collection, on_problem=problems.append),
        encoder=load_encoder(str(tiny_checkpoint), precision="fp32", threads=1),
        work=folder / "work",
        **FIT_HERE,
    )
    model.save(folder / "model")
    Index.build(folder / "index", model, read_patents(collection, on_problem=problems.append))
    assert len(problems) == 3  # one line that is no JSON, each time it was read
    return folder
