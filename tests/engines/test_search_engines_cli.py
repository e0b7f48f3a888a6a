"""`sparse-coverage engine` as a user meets it: a whole round on Qdrant."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from engine_collection import PATENTS, combined
from qdrant_server import Node

from sparse_coverage import ActivationConfig, Index, Preset, SparseCoverage
from sparse_coverage.cli.engines import engine_command as command
from sparse_coverage.encoding.openvino_encoder import OpenVinoEncoder
from sparse_coverage.errors import MissingExtraError

QUERY = "The valve seals a pump, wherein the rotor cools a lens."


@pytest.fixture(scope="module")
def folder(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index whose encoder can be loaded by name, as a command does."""
    encoder = OpenVinoEncoder(tiny_checkpoint, name=str(tiny_checkpoint), precision="fp32", threads=1)
    activation = ActivationConfig(k=8, assignment="nearest")
    model = SparseCoverage.fit(PATENTS, encoder=encoder, size=60, preset=Preset(activation=activation))
    target = tmp_path_factory.mktemp("cli") / "index"
    Index.build(target, model, PATENTS[:15])
    return target


def run(*arguments: object) -> str:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert (result.return_value or 0) == 0
    return result.stdout


def test_a_round_on_qdrant(folder: Path, cluster: list[Node]) -> None:
    there = [part for node in cluster for part in ("--url", node.url)]
    pushed = json.loads(run("push", folder, *there, "--shards", 2, "--replicas", 2, "--json"))
    assert pushed == {
        "uploaded": 15,
        "uploaded_passages": pushed["points"],
        "unchanged": 0,
        "deleted": 0,
        "points": pushed["points"],
    }
    assert "0 documents sent (0 passages), 15 unchanged, 0 deleted" in run("push", folder, *there)
    local = combined(Index.open(folder)).search(QUERY, 5, passages=2)
    hits: list[dict[str, Any]] = json.loads(run("search", folder, QUERY, *there, "-k", 5, "--json"))
    assert [hit["score"] for hit in hits] == pytest.approx([hit.score for hit in local], rel=1e-4)
    by_words = json.loads(run("search", folder, QUERY, *there, "-k", 5, "--ranking", "words", "--json"))
    exact = combined(Index.open(folder), "words").search(QUERY, 5)
    assert [hit["score"] for hit in by_words] == pytest.approx([hit.score for hit in exact], rel=2e-6)
    alone = json.loads(run("search", folder / "model", QUERY, *there, "-k", 5, "--json"))
    assert alone == hits  # the model folder is enough
    filtered = json.loads(run("search", folder, QUERY, *there, "--filter", "country:EP", "--json"))
    assert {hit["metadata"]["country"] for hit in filtered} == {"EP"}


def test_a_missing_client_names_its_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    with pytest.raises(MissingExtraError, match=r"\.\[qdrant\]"):
        run("push", folder, "--url", "http://127.0.0.1:9")
